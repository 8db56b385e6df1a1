#include "expression/source_report.hpp"

#include <algorithm>
#include <array>

#include "slideway/model/model.hpp"

namespace slideway::reader {
namespace {

constexpr std::size_t widest_line = 100;   // characters of a source line that are shown
constexpr std::size_t longest_quote = 60;  // characters of a quoted text

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// A text as characters fit for a terminal: control characters and bytes that are no UTF-8 become '?'.
std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = character_length(text, offset);
    const auto first = static_cast<unsigned char>(text[offset]);
    // U+0080 … U+009F are controls, too.
    const bool control =
        (first < 0x20U && first != '\t') || first == 0x7FU ||
        (first == 0xC2U && length == 2 && static_cast<unsigned char>(text[offset + 1]) < 0xA0U);
    if (length == 0 || control)
      result.emplace_back("?");
    else
      result.emplace_back(text.substr(offset, length));
    offset += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string joined(const std::vector<std::string>& parts, std::size_t begin, std::size_t end) {
  std::string result;
  for (std::size_t k = begin; k < end; ++k) result += parts[k];
  return result;
}

// Texts of a file find their way into messages.
std::string printable(std::string_view text) {
  const std::vector<std::string> parts = characters(text);
  return joined(parts, 0, parts.size());
}

// The line with a caret under the mistake; long lines are cut to the surroundings of the caret.
std::string excerpt(const SourceText& source, const Mistake& mistake) {
  const std::vector<std::string> line = characters(source.line(mistake.where.line));
  const auto column = std::min(static_cast<std::size_t>(std::max(mistake.where.column - 1, 0)), line.size());
  std::size_t begin = 0;
  std::size_t end = line.size();
  if (end > widest_line) {
    begin = column > widest_line / 2 ? column - widest_line / 2 : 0;
    end = std::min(line.size(), begin + widest_line);
  }
  const std::string number = std::to_string(mistake.where.line);
  const std::string margin(std::max<std::size_t>(number.size(), 5), ' ');
  std::string result = margin.substr(number.size()) + number + " | ";
  std::string marks = margin + " | ";
  if (begin > 0) {
    result += "…";
    marks += ' ';
  }
  result += joined(line, begin, end);
  if (end < line.size()) result += "…";
  for (std::size_t k = begin; k < column; ++k) marks += line[k] == "\t" ? '\t' : ' ';
  const std::size_t room = std::max<std::size_t>(end - std::min(end, column), 1);
  marks.append(std::clamp<std::size_t>(mistake.length, 1, room), '^');
  return result + "\n" + marks + "\n";
}

// Reach tells how far one literal character reaches: bytes of the file, and bytes of the string it stands for.
struct Reach {
  std::size_t file = 1;
  std::size_t string = 1;
};

std::size_t utf8_length(unsigned long code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

Reach escape(const std::string& text, std::size_t offset, bool multiline) {
  if (offset + 1 >= text.size()) return {};
  const char kind = text[offset + 1];
  if (kind == 'u' || kind == 'U' || kind == 'x') {
    const std::size_t digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 2;
    unsigned long code = 0;
    for (std::size_t k = 0; k < digits && offset + 2 + k < text.size(); ++k) {
      const char c = text[offset + 2 + k];
      const int digit = c >= '0' && c <= '9'                     ? c - '0'
                        : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                                 : 0;
      code = 16 * code + static_cast<unsigned long>(digit);
    }
    return {2 + digits, utf8_length(code)};
  }
  if (multiline && (kind == '\n' || kind == '\r' || kind == ' ' || kind == '\t')) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", offset + 1);
    return {(next == std::string::npos ? text.size() : next) - offset, 0};
  }
  return {2, 1};
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[offset + k]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80U                     ? 1
                             : first >= 0xC2U && first < 0xE0U ? 2
                             : first >= 0xE0U && first < 0xF0U ? 3
                             : first >= 0xF0U && first < 0xF5U ? 4
                                                               : 0;
  if (length == 0 || offset + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
  // Overlong forms, surrogates and what is beyond U+10FFFF.
  if ((first == 0xE0U && byte(1) < 0xA0U) || (first == 0xEDU && byte(1) > 0x9FU) ||
      (first == 0xF0U && byte(1) < 0x90U) || (first == 0xF4U && byte(1) > 0x8FU))
    return 0;
  return length;
}

SourceText::SourceText(std::string file_name, std::string text)
    : file_name_(std::move(file_name)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t k = 0; k < text_.size(); ++k)
    if (text_[k] == '\n') starts_.push_back(k + 1);
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > starts_.size()) return {};
  const auto index = static_cast<std::size_t>(number - 1);
  std::size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
  if (end > starts_[index] && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(starts_[index], end - starts_[index]);
}

std::size_t SourceText::offset(Position position) const {
  if (position.line < 1) return 0;
  if (static_cast<std::size_t>(position.line) > starts_.size()) return text_.size();
  const std::string_view whole = line(position.line);
  std::size_t byte = 0;
  for (int column = 1; column < position.column && byte < whole.size(); ++column) {
    ++byte;
    while (byte < whole.size() && continues_character(whole[byte])) ++byte;
  }
  return starts_[static_cast<std::size_t>(position.line - 1)] + byte;
}

Position SourceText::position(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), std::min(offset, text_.size()));
  const auto index = static_cast<std::size_t>(after - starts_.begin()) - 1;
  Position result{static_cast<int>(index) + 1, 1};
  for (std::size_t byte = starts_[index]; byte < offset && byte < text_.size(); ++byte)
    if (byte + 1 == offset || !continues_character(text_[byte + 1])) ++result.column;
  return result;
}

Position position_in_string(const SourceText& source, Position literal, std::size_t offset) {
  const std::string& text = source.text();
  std::size_t place = source.offset(literal);
  if (place >= text.size() || (text[place] != '"' && text[place] != '\'')) return literal;
  const char quote = text[place];
  const bool multiline = text.compare(place, 3, std::string(3, quote)) == 0;
  place += multiline ? 3 : 1;
  if (multiline && text.compare(place, 2, "\r\n") == 0)
    place += 2;
  else if (multiline && text.compare(place, 1, "\n") == 0)
    place += 1;
  for (std::size_t done = 0; place < text.size();) {
    Reach reach;
    if (quote == '"' && text[place] == '\\')
      reach = escape(text, place, multiline);
    else if (multiline && text.compare(place, 2, "\r\n") == 0)
      reach = {2, 1};
    if (done >= offset && reach.string > 0) break;
    place += reach.file;
    done += reach.string;
  }
  return source.position(std::min(place, text.size()));
}

std::string one_line(const SourceText& source, const Mistake& mistake) {
  std::string line = source.file_name();
  if (mistake.where.line > 0)
    line += ":" + std::to_string(mistake.where.line) + ":" + std::to_string(mistake.where.column);
  line += ": " + mistake.what;
  if (!mistake.expected.empty()) line += ", expected " + mistake.expected;
  if (!mistake.got.empty()) line += ", got " + mistake.got;
  return printable(line);
}

std::string report(const SourceText& source, Mistakes mistakes, std::size_t most) {
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.where < b.where; });
  std::string result;
  const std::size_t shown = std::min(mistakes.size(), most);
  for (std::size_t k = 0; k < shown; ++k) {
    const Mistake& mistake = mistakes[k];
    if (k > 0) result += '\n';
    result += one_line(source, mistake) + "\n";
    if (mistake.where.line > 0) result += excerpt(source, mistake);
    if (!mistake.hint.empty())
      result += std::string(mistake.where.line > 0 ? 8 : 2, ' ') + printable(mistake.hint) + "\n";
  }
  if (mistakes.size() > shown)
    result +=
        "\n" + source.file_name() + ": and " + std::to_string(mistakes.size() - shown) + " more mistakes\n";
  return result;
}

std::string listed(const std::vector<std::string>& words, const std::string& conjunction) {
  std::string result;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0 && k + 1 < words.size())
      result += ", ";
    else if (k > 0)
      result.append(" ").append(conjunction).append(" ");
    result.append("'").append(words[k]).append("'");
  }
  return result;
}

std::string one_of(const std::vector<std::string>& words) { return listed(words, "or"); }

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  // No name worth suggesting is as long as this, and the comparison takes its square.
  constexpr std::size_t longest = 100;
  if (name.size() > longest) return "";
  std::vector<std::string> candidates;
  for (const std::string& candidate : known)
    if (candidate.size() <= longest) candidates.push_back(candidate);
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

std::string shortened(std::string_view text) {
  // Enough bytes for the characters shown, so that a huge text costs nothing.
  std::vector<std::string> parts = characters(text.substr(0, 4 * longest_quote + 4));
  for (std::string& part : parts)
    if (part == "\t") part = " ";
  const bool cut = parts.size() > longest_quote;
  return joined(parts, 0, std::min(parts.size(), longest_quote)) + (cut ? "…" : "");
}

std::string in_quotes(std::string_view text) { return "'" + shortened(text) + "'"; }

}  // namespace slideway::reader
