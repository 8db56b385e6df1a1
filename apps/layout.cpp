#include "apps/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "apps/text.hpp"
#include "slideway/detail/core/platform/terminal.hpp"

namespace slideway::apps {

namespace {

// Times of ten digits and the names of events stand side by side in as many columns.
constexpr std::size_t least_width = 40;
constexpr std::size_t usual_width = 80;
constexpr std::size_t gap = 2;  // between columns
// A reason of a dozen words takes three lines in as many columns.
constexpr std::size_t least_note_width = 28;
constexpr std::size_t note_indent = 4;
constexpr std::size_t least_column = 6;  // broken words are still read in as many columns

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The end of the character, or of the code of a colour, that begins at `at`.
std::size_t end_of_glyph(const std::string& text, std::size_t at) {
  if (text[at] == '\x1b') {
    const std::size_t end = text.find('m', at);
    return end == std::string::npos ? text.size() : end + 1;
  }
  ++at;
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t begin = line.find_first_not_of(' '); begin != std::string::npos;) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(' ', end);
  }
  return words;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : words_of(text)) longest = std::max(longest, screen_width(word));
  return longest;
}

// Takes the first `width` columns away from a word.
std::string take_columns(std::string& word, std::size_t width) {
  std::size_t end = 0;
  std::size_t columns = 0;
  while (end < word.size()) {
    const bool is_code = word[end] == '\x1b';
    if (!is_code && columns == width) break;
    columns += is_code ? 0 : 1;
    end = end_of_glyph(word, end);
  }
  std::string taken = word.substr(0, end);
  word.erase(0, end);
  return taken;
}

// last_column() returns where the last column of a line begins: after its last two blanks, if that leaves half of
// the width to the text.
std::optional<std::size_t> last_column(const std::string& line, std::size_t width) {
  std::size_t column = 0;
  std::size_t blanks = 0;
  bool in_text = false;
  std::optional<std::size_t> last;
  for (std::size_t at = 0; at < line.size() && column <= width / 2; at = end_of_glyph(line, at)) {
    if (line[at] == '\x1b') continue;
    if (line[at] != ' ') {
      if (in_text && blanks >= gap) last = column;
      in_text = true;
      blanks = 0;
    } else {
      ++blanks;
    }
    ++column;
  }
  return last;
}

// The end of the first `columns` columns of a line.
std::size_t end_of_columns(const std::string& line, std::size_t columns) {
  std::size_t at = 0;
  std::size_t passed = 0;
  while (at < line.size() && passed < columns) {
    if (line[at] != '\x1b') ++passed;
    at = end_of_glyph(line, at);
  }
  return at;
}

// The variable COLUMNS comes before the terminal.
std::optional<std::size_t> known_width(int descriptor) {
  if (const char* variable = std::getenv("COLUMNS"); variable != nullptr) {
    const auto columns = to_number<std::size_t>(variable);
    if (columns && *columns > 0) return std::max(*columns, least_width);
  }
  const auto columns = platform::terminal_columns(descriptor);
  return columns ? std::optional(std::max(*columns, least_width)) : std::nullopt;
}

bool wants_colours(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return platform::shows_colours() && platform::is_terminal(descriptor);
}

}  // namespace

Screen screen_behind(int descriptor) {
  return {.width = known_width(descriptor).value_or(usual_width), .colours = wants_colours(descriptor)};
}

std::size_t message_width(int descriptor) {
  constexpr std::size_t any_width = 1'000'000'000;
  return known_width(descriptor).value_or(any_width);
}

std::size_t screen_width(const std::string& text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); at = end_of_glyph(text, at))
    columns += text[at] == '\x1b' ? 0 : 1;
  return columns;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, screen_width(text)), ' ');
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string paragraph = text.substr(begin, end - begin);
    begin = end + 1;
    // A paragraph that fits keeps its blanks.
    if (screen_width(paragraph) <= width) {
      lines.push_back(paragraph);
      continue;
    }
    std::string line;
    for (std::string word : words_of(paragraph)) {
      if (!line.empty() && screen_width(line) + 1 + screen_width(word) <= width) {
        line += ' ' + word;
        continue;
      }
      if (!line.empty()) lines.push_back(line);
      while (screen_width(word) > width) lines.push_back(take_columns(word, width));
      line = word;
    }
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> fitted(const std::string& line, std::size_t width) {
  if (screen_width(line) <= width) return {line};
  const std::size_t blanks = line.find_first_not_of(' ');
  if (blanks == std::string::npos) return {""};
  const std::optional<std::size_t> column = last_column(line, width);
  const std::size_t begin = column ? end_of_columns(line, *column) : blanks;
  const std::size_t indent = column ? *column : blanks == 0 ? 0 : std::min(blanks + gap, width / 2);
  std::vector<std::string> lines;
  for (const std::string& part : wrapped(line.substr(begin), width - indent))
    lines.push_back((lines.empty() ? line.substr(0, begin) : std::string(indent, ' ')) + part);
  return lines;
}

std::string counted(long long number, const std::string& noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

// ---- tables --------------------------------------------------------------------------------------------------------

Table::Row Table::heading() const {
  Row row;
  for (const Column& column : columns_) row.cells.push_back(column.title);
  row.note = note_title_;
  return row;
}

Table::Plan Table::plan(std::size_t width) const {
  Plan plan;
  std::vector<std::size_t> natural;
  std::vector<std::size_t> least;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const bool has_entry = std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return k < row.cells.size() && !row.cells[k].empty();
    });
    if (!has_entry) continue;
    std::size_t widest = screen_width(columns_[k].title);
    std::size_t word = longest_word(columns_[k].title);
    for (const Row& row : rows_) {
      if (k >= row.cells.size()) continue;
      widest = std::max(widest, screen_width(row.cells[k]));
      word = std::max(word, columns_[k].whole ? screen_width(row.cells[k]) : longest_word(row.cells[k]));
    }
    plan.shown.push_back(k);
    natural.push_back(widest);
    least.push_back(word);
  }
  const auto total = [&](const std::vector<std::size_t>& widths) {
    std::size_t sum = widths.empty() ? 0 : gap * (widths.size() - 1);
    for (const std::size_t column : widths) sum += column;
    return sum;
  };
  // No column is wider than a bound, the largest that lets all of them fit; words are whole as long as that is possible.
  plan.widths = natural;
  for (std::size_t bound = width; total(plan.widths) > width && bound-- > 1;)
    for (std::size_t k = 0; k < natural.size(); ++k)
      plan.widths[k] = std::min(natural[k], std::max(bound, least[k]));
  // Then words are broken before numbers are.
  for (std::size_t bound = width; total(plan.widths) > width && bound-- > least_column;)
    for (std::size_t k = 0; k < natural.size(); ++k)
      if (!columns_[plan.shown[k]].whole) plan.widths[k] = std::min(plan.widths[k], bound);
  for (std::size_t bound = width; total(plan.widths) > width && bound-- > 1;)
    for (std::size_t& column : plan.widths) column = std::min(column, bound);
  const std::size_t used = total(plan.widths) + gap;
  plan.notes_below = used + least_note_width > width;
  plan.note_column = plan.notes_below ? note_indent : used;
  plan.note_width = width - plan.note_column;
  return plan;
}

std::vector<std::string> Table::row_lines(const Row& row, const Plan& plan) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t k = 0; k < plan.shown.size(); ++k) {
    const std::size_t column = plan.shown[k];
    cells.push_back(wrapped(column < row.cells.size() ? row.cells[column] : "", plan.widths[k]));
    height = std::max(height, cells.back().size());
  }
  std::vector<std::string> note;
  if (!row.note.empty()) note = wrapped(row.note, plan.note_width);
  if (!plan.notes_below) height = std::max(height, note.size());
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::string part = i < cells[k].size() ? cells[k][i] : "";
      const std::string space(plan.widths[k] - std::min(plan.widths[k], screen_width(part)), ' ');
      if (k > 0) line += std::string(gap, ' ');
      line += columns_[plan.shown[k]].align == Align::right ? space + part : part + space;
    }
    if (!plan.notes_below && i < note.size()) line += std::string(gap, ' ') + note[i];
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  if (plan.notes_below)
    for (const std::string& part : note) lines.push_back(std::string(note_indent, ' ') + part);
  return lines;
}

std::size_t Table::heading_lines(std::size_t width) const {
  const Plan layout = plan(width);
  Row titles = heading();
  if (layout.notes_below) titles.note.clear();
  return row_lines(titles, layout).size();
}

std::vector<std::string> Table::lines(std::size_t width) const {
  const Plan layout = plan(width);
  Row titles = heading();
  if (layout.notes_below) titles.note.clear();
  std::vector<std::string> all = row_lines(titles, layout);
  for (const Row& row : rows_)
    for (std::string& line : row_lines(row, layout)) all.push_back(std::move(line));
  return all;
}

void Table::print(std::ostream& out, std::size_t width, bool colours) const {
  const std::size_t heading = colours ? heading_lines(width) : 0;
  std::size_t at = 0;
  for (const std::string& line : lines(width)) {
    const bool strong = at++ < heading;
    out << (strong ? "\x1b[1m" : "") << line << (strong ? "\x1b[0m" : "") << '\n';
  }
}

// ---- the stream ----------------------------------------------------------------------------------------------------

FittedStream::Buffer::~Buffer() {
  if (!line_.empty()) target_ << line_;
}

void FittedStream::Buffer::pass_line() {
  const bool is_fence = line_.starts_with("```");
  if (is_fence || in_file_) {
    target_ << line_ << '\n';
  } else {
    for (const std::string& part : fitted(line_, width_)) target_ << part << '\n';
  }
  in_file_ = in_file_ != is_fence;
  line_.clear();
}

FittedStream::Buffer::int_type FittedStream::Buffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  if (character == '\n') {
    pass_line();
  } else {
    line_ += traits_type::to_char_type(character);
  }
  return target_ ? character : traits_type::eof();
}

int FittedStream::Buffer::sync() {
  target_.flush();
  return target_ ? 0 : -1;
}

}  // namespace slideway::apps
