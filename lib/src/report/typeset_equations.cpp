#include "report/typeset_equations.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "core/letters.hpp"
#include "report/mathml.hpp"

namespace slideway {

namespace {

using reader::parse_expression;
using reader::ParsedExpression;
using reader::TokenKind;

constexpr std::size_t longest_line = 4000;
// Every run of words may be a formula; of more words only all of them are tried.
constexpr std::size_t most_words = 60;
// A shorter formula stays on one line; on a phone about as many characters have room.
constexpr std::size_t longest_unbroken = 34;

// The words that a line of equations may begin with, before the name of what it tells.
const std::set<std::string>& kinds() {
  static const std::set<std::string> words = {"location", "edge",    "reset",    "stop",
                                              "record",   "contact", "contacts", "surface"};
  return words;
}

// Words that come before a formula, and do not belong to it: "when -x rises" subtracts nothing.
bool leads(const std::string& word) {
  static const std::set<std::string> words = {"when", "restitution", "ratio", "adds", "set", "but", "in"};
  return words.count(word) > 0;
}

// Bytes beyond ASCII belong to letters, as no other signs of several bytes touch a name.
bool is_name_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// begin_of_operand() returns where the name or element before `end` begins: the x of "x'", and of "x[i]'".
std::size_t begin_of_operand(const std::string& text, std::size_t end) {
  std::size_t begin = end;
  if (begin > 0 && text[begin - 1] == ']') {
    int depth = 0;
    while (begin > 0) {
      --begin;
      depth += text[begin] == ']' ? 1 : text[begin] == '[' ? -1 : 0;
      if (depth == 0) break;
    }
  }
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  return begin;
}

// normalised() uses the grammar of model files: x_{i-1} is x[i-1], |q| is abs(q), and x' a function of x.
std::string normalised(std::string text) {
  static const std::regex braces(R"(_\{([^{}]*)\})");
  static const std::regex bars(R"(\|([^|]+)\|)");
  static const std::regex dots(R"(\.\.\.)");
  text = std::regex_replace(text, braces, "[$1]");
  text = std::regex_replace(text, bars, "abs($1)");
  text = std::regex_replace(text, dots, "…");
  for (std::size_t prime = text.find('\''); prime != std::string::npos; prime = text.find('\'', prime)) {
    const std::size_t begin = begin_of_operand(text, prime);
    if (begin == prime) break;
    const std::string operand = text.substr(begin, prime - begin);
    text.replace(begin, prime + 1 - begin, std::string(derivative_function) + "(" + operand + ")");
  }
  return text;
}

// The sides of a chain of "=" and "…", and what stands between them.
struct Chain {
  std::vector<std::string> sides = {};
  std::vector<std::string> signs = {};
};

Chain chain(const std::string& text) {
  static const std::string ellipsis = "…";
  Chain result;
  std::string side;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i > 0 ? text[i - 1] : ' ';
    // The sign of a comparison, such as == and !=, joins no sides.
    const char after = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool compares = before == '>' || before == '<' || before == '!' || before == '=' || after == '=';
    const bool is_equals = text[i] == '=' && !compares;
    const bool is_ellipsis = text.compare(i, ellipsis.size(), ellipsis) == 0;
    if (!is_equals && !is_ellipsis) {
      side += text[i];
      continue;
    }
    result.sides.push_back(std::move(side));
    side.clear();
    result.signs.emplace_back(is_equals ? "=" : "…");
    if (is_ellipsis) i += ellipsis.size() - 1;
  }
  result.sides.push_back(std::move(side));
  return result;
}

// The terms of a formula between which a line may be broken; none for a text that is no formula.
std::optional<std::vector<std::string>> formula(const std::string& text,
                                                std::set<std::string>* names = nullptr) {
  const Chain parts = chain(normalised(text));
  std::vector<std::string> terms;
  for (std::size_t k = 0; k < parts.sides.size(); ++k) {
    const ParsedExpression parsed = parse_expression(parts.sides[k]);
    if (parsed.error) return std::nullopt;
    if (names != nullptr) {
      for (const reader::Token& token : parsed.expression.tokens) {
        if (token.kind == TokenKind::name || token.kind == TokenKind::element)
          names->emplace(parsed.expression.spelling(token));
      }
    }
    std::vector<std::string> side = mathml_terms(parsed.expression);
    if (k > 0) {
      const bool is_equals = parts.signs[k - 1] == "=";
      side.front().insert(0, is_equals
                                 ? "<mo form=\"infix\">=</mo>"
                                 : "<mo separator=\"true\">,</mo><mo>…</mo><mo separator=\"true\">,</mo>");
    }
    terms.insert(terms.end(), side.begin(), side.end());
  }
  // The left side stays with the first term of the right one.
  if (parts.sides.size() > 1 && terms.size() > 1) {
    terms[0] += terms[1];
    terms.erase(terms.begin() + 1);
  }
  return terms;
}

std::string math(const std::vector<std::string>& terms, std::size_t characters) {
  const std::string begin = "<math displaystyle=\"true\">";
  std::string text = begin;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (k > 0 && characters > longest_unbroken) text += "</math><wbr>" + begin;
    text += "<mrow>" + terms[k] + "</mrow>";
  }
  return text + "</math>";
}

// "take-off", which is no difference.
bool is_hyphenated(const std::string& word, const std::set<std::string>& names) {
  const std::size_t hyphen = word.find('-');
  if (hyphen == std::string::npos || hyphen < 2 || word.size() - hyphen < 3) return false;
  return std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || c == '-'; }) &&
         names.count(word.substr(0, hyphen)) == 0;
}

bool is_plain_name(const std::string& word) { return is_name(word); }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(' ', end);
  }
  return words;
}

// A part of a line between commas and colons outside brackets, and what follows it.
struct Clause {
  std::string text = {};
  std::string separator = {};
};

std::vector<Clause> clauses_of(const std::string& line) {
  std::vector<Clause> clauses(1);
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    const bool ends = i + 1 == line.size() || line[i + 1] == ' ';
    if (depth == 0 && ends && (c == ',' || c == ':' || c == ';')) {
      clauses.back().separator = c;
      clauses.emplace_back();
    } else {
      clauses.back().text += c;
    }
  }
  if (clauses.size() > 1 && words_of(clauses.back().text).empty()) clauses.pop_back();
  return clauses;
}

class Typesetter {
 public:
  explicit Typesetter(std::set<std::string> names) : names_(std::move(names)) {}

  // Every name in a formula of several words is a symbol elsewhere too.
  void learn(const std::string& line) {
    learns_ = true;
    typeset(line);
    learns_ = false;
  }

  std::string typeset(const std::string& line) {
    if (line.size() > longest_line) return escaped_markup(line);
    // "(i = 1 … N, 0 beyond the ends)" at the end, and "(2)" after the name of a surface.
    static const std::regex range(R"(^(.*\S)\s+\((\w+ = [^()]*…[^()]*)\)$)");
    static const std::regex copy(R"(^(surface .*\S) (\(\d+\))$)");
    std::smatch match;
    if (std::regex_match(line, match, range))
      return typeset(match[1]) + " <span class=\"range\">(" + typeset_clauses(match[2]) + ")</span>";
    if (std::regex_match(line, match, copy)) return typeset(match[1]) + " " + match[2].str();
    return typeset_clauses(line);
  }

 private:
  std::string typeset_clauses(const std::string& line) {
    std::string text;
    bool is_first = true;
    for (const Clause& clause : clauses_of(line)) {
      if (!is_first) text += ' ';
      text += typeset_clause(clause.text, is_first) + clause.separator;
      is_first = false;
    }
    return text;
  }

  std::string typeset_clause(const std::string& clause, bool is_first) {
    const std::vector<std::string> words = words_of(clause);
    std::string text;
    for (std::size_t at = 0; at < words.size();) {
      if (at > 0) text += ' ';
      const std::string& word = words[at];
      if (is_first && at == 0 && kinds().count(word) > 0 && words.size() > 1 && words[1] != "=") {
        text += "<b>" + escaped_markup(word) + "</b>";
        ++at;
        continue;
      }
      const bool is_lead = leads(word) && words.size() > at + 1 && words[at + 1] != "=";
      const std::size_t end = is_lead ? at : end_of_formula(words, at, text);
      if (end == at) {
        text += word == "->" ? "→" : escaped_markup(word);
        ++at;
      } else {
        at = end;
      }
    }
    return text;
  }

  // Appends the longest formula that begins with the word; where it ends, or `at` if there is none.
  std::size_t end_of_formula(const std::vector<std::string>& words, std::size_t at, std::string& text) {
    std::string run;
    std::vector<std::string> runs;
    for (std::size_t k = at; k < words.size(); ++k) {
      run += (k > at ? " " : "") + words[k];
      runs.push_back(run);
    }
    for (std::size_t count = runs.size(); count > 0; --count) {
      if (words.size() > most_words && count > 1 && count + at < words.size()) continue;
      if (count == 1 && !is_symbol(words, at)) return at;
      if (is_hyphenated(words[at], names_)) return at;
      const auto terms = formula(runs[count - 1], learns_ && count > 1 ? &names_ : nullptr);
      if (!terms) continue;
      text += math(*terms, runs[count - 1].size());
      return at + count;
    }
    return at;
  }

  // is_symbol() tells whether a word that stands alone is one; the name of a location is none.
  bool is_symbol(const std::vector<std::string>& words, std::size_t at) const {
    const std::string& word = words[at];
    const std::string before = at > 0 ? words[at - 1] : "";
    const std::string after = at + 1 < words.size() ? words[at + 1] : "";
    if (before == "->" || after == "->" || before == "location" || before == "edge") return false;
    if ((word == "a" && after == "unit") || before == "the") return false;
    // No word of English has a bar or a digit in it.
    return !is_plain_name(word) || word.find_first_of("_0123456789") != std::string::npos ||
           names_.count(word) > 0;
  }

  std::set<std::string> names_;
  bool learns_ = false;
};

}  // namespace

std::vector<std::string> typeset_equations(const std::vector<std::string>& lines,
                                           std::set<std::string> names) {
  Typesetter typesetter(std::move(names));
  for (const std::string& line : lines) typesetter.learn(line);
  std::vector<std::string> result;
  result.reserve(lines.size());
  for (const std::string& line : lines) result.push_back(typesetter.typeset(line));
  return result;
}

}  // namespace slideway
