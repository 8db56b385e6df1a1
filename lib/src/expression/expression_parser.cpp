// parse_expression: the grammar, and what is said where a text is no expression.

#include <algorithm>
#include <boost/spirit/home/x3.hpp>

#include "core/letters.hpp"
#include "core/number_text.hpp"
#include "expression/expression.hpp"
#include "expression/expression_functions.hpp"
#include "slideway/detail/core/number_form.hpp"

namespace slideway::reader {
namespace {

namespace x3 = boost::spirit::x3;

using Iterator = std::string::const_iterator;
using Slice = boost::iterator_range<Iterator>;

// A number whose text is in order but whose value no double holds.
struct NumberOutOfRange {
  std::uint32_t begin;
  std::uint32_t end;
};

// Receives the pieces of the grammar in reading order and puts the tokens into postfix order. The grammar never
// takes back what it has handed over: every alternative is decided by its first character.
class Emitter {
 public:
  explicit Emitter(Expression& expression) : expression_(expression), text_begin_(expression.text.cbegin()) {}

  void number(const Slice& slice) {
    Token token = token_at(TokenKind::number, slice);
    const char* const first = expression_.text.data() + token.begin;
    const char* const last = expression_.text.data() + token.end;
    if (!read_digits(first, last, token.value).is_number) throw NumberOutOfRange{token.begin, token.end};
    push(token);
  }
  void name(const Slice& slice) { push(token_at(TokenKind::name, slice)); }

  // The name just read is that of a function or a vector.
  void open(TokenKind kind) {
    expression_.tokens.back().kind = kind;
    open_.push_back({size() - 1, ends_.size()});
  }
  void end_argument() { ends_.push_back(size()); }
  void close() {
    const Frame frame = open_.back();
    open_.pop_back();
    Token& token = expression_.tokens[frame.token];
    token.next = size();
    token.arguments = static_cast<std::uint32_t>(ends_.size() - frame.first_end);
    token.argument_ends = static_cast<std::uint32_t>(expression_.argument_ends.size());
    const auto first = ends_.begin() + static_cast<std::ptrdiff_t>(frame.first_end);
    expression_.argument_ends.insert(expression_.argument_ends.end(), first, ends_.end());
    ends_.erase(first, ends_.end());
  }

  // Operators wait until their right operand is complete.
  void operator_at(TokenKind kind, const Slice& slice) { waiting_.push_back(token_at(kind, slice)); }
  void apply_operator() {
    push(waiting_.back());
    waiting_.pop_back();
  }

  // Signs: an even number of minuses cancels.
  void begin_signs() { signs_.push_back({false, Token{}}); }
  void minus(const Slice& slice) {
    Sign& sign = signs_.back();
    if (!sign.negative) sign.token = token_at(TokenKind::negate, slice);
    sign.negative = !sign.negative;
  }
  void apply_signs() {
    if (signs_.back().negative) push(signs_.back().token);
    signs_.pop_back();
  }

  // `not not a`: two stand for any even number, so that no text nests without a bracket.
  void begin_opposites() { opposites_.push_back({}); }
  void opposite(const Slice& slice) {
    std::vector<Token>& tokens = opposites_.back();
    if (tokens.size() > 1)
      tokens.pop_back();
    else
      tokens.push_back(token_at(TokenKind::opposite, slice));
  }
  void apply_opposites() {
    for (auto token = opposites_.back().rbegin(); token != opposites_.back().rend(); ++token) push(*token);
    opposites_.pop_back();
  }

  // a ^ b ^ c: the operands are read from the left and joined from the right.
  void begin_power() { powers_.push_back(0); }
  void exponent(const Slice& slice) {
    ++powers_.back();
    operator_at(TokenKind::power, slice);
    begin_signs();
  }
  void end_power() {
    for (; powers_.back() > 0; --powers_.back()) {
      apply_signs();
      apply_operator();
    }
    powers_.pop_back();
  }

 private:
  struct Frame {
    std::uint32_t token;
    std::size_t first_end;
  };
  struct Sign {
    bool negative;
    Token token;
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(expression_.tokens.size()); }
  Token token_at(TokenKind kind, const Slice& slice) const {
    Token token;
    token.kind = kind;
    token.begin = static_cast<std::uint32_t>(slice.begin() - text_begin_);
    token.end = static_cast<std::uint32_t>(slice.end() - text_begin_);
    return token;
  }
  void push(Token token) {
    token.next = size() + 1;
    expression_.tokens.push_back(token);
  }

  Expression& expression_;
  Iterator text_begin_;
  std::vector<Frame> open_;
  std::vector<std::uint32_t> ends_;
  std::vector<Token> waiting_;
  std::vector<Sign> signs_;
  std::vector<std::vector<Token>> opposites_;
  std::vector<int> powers_;
};

struct EmitterTag;

template <class Context>
Emitter& emitter(const Context& context) {
  return x3::get<EmitterTag>(context).get();
}

const auto on_number = [](auto& context) { emitter(context).number(x3::_attr(context)); };
const auto on_name = [](auto& context) { emitter(context).name(x3::_attr(context)); };
const auto open_call = [](auto& context) { emitter(context).open(TokenKind::call); };
const auto open_element = [](auto& context) { emitter(context).open(TokenKind::element); };
const auto end_argument = [](auto& context) { emitter(context).end_argument(); };
const auto close = [](auto& context) { emitter(context).close(); };
const auto begin_power = [](auto& context) { emitter(context).begin_power(); };
const auto on_exponent = [](auto& context) { emitter(context).exponent(x3::_attr(context)); };
const auto end_power = [](auto& context) { emitter(context).end_power(); };
const auto begin_signs = [](auto& context) { emitter(context).begin_signs(); };
const auto on_minus = [](auto& context) { emitter(context).minus(x3::_attr(context)); };
const auto apply_signs = [](auto& context) { emitter(context).apply_signs(); };
const auto begin_opposites = [](auto& context) { emitter(context).begin_opposites(); };
const auto on_not = [](auto& context) { emitter(context).opposite(x3::_attr(context)); };
const auto apply_opposites = [](auto& context) { emitter(context).apply_opposites(); };
const auto apply_operator = [](auto& context) { emitter(context).apply_operator(); };

auto operator_of(TokenKind kind) {
  return [kind](auto& context) { emitter(context).operator_at(kind, x3::_attr(context)); };
}

const x3::rule<class ConditionRule> condition("a number, a name or '('");
const x3::rule<class AllRule> all("a number, a name or '('");
const x3::rule<class PartRule> part("a number, a name or '('");
const x3::rule<class ComparisonRule> comparison("a number, a name or '('");
const x3::rule<class SumRule> sum("a number, a name or '('");
const x3::rule<class ProductRule> product("a number, a name or '('");
const x3::rule<class SignedRule> signed_operand("a number, a name or '('");
const x3::rule<class PowerRule> power("a number, a name or '('");
const x3::rule<class PrimaryRule> primary("a number, a name or '('");
const x3::rule<class CloseCallRule> close_call("',' or ')'");
const x3::rule<class CloseGroupRule> close_group("')'");
const x3::rule<class CloseIndexRule> close_index("']'");

// read_digits() reads the number; the grammar only finds where it ends ("infected" must stay a name).
const auto digits = +x3::char_('0', '9');
const auto number_text =
    x3::raw[x3::lexeme[((digits >> -(x3::char_('.') >> *x3::char_('0', '9'))) | (x3::char_('.') >> digits)) >>
                       -(x3::char_("eE") >> -x3::char_("+-") >> digits)]];

// ForeignLetter reads a letter of several bytes.
struct ForeignLetter : x3::parser<ForeignLetter> {
  using attribute_type = x3::unused_type;
  static const bool has_attribute = false;

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& /*context*/, const RuleContext& /*rules*/,
             Attribute& /*attribute*/) const {
    if (first == last) return false;
    const std::size_t count = bytes_of_foreign_letter({&*first, static_cast<std::size_t>(last - first)});
    first += static_cast<std::ptrdiff_t>(count);
    return count > 0;
  }
};

const auto letter = x3::char_('a', 'z') | x3::char_('A', 'Z') | x3::char_('_') | ForeignLetter();
const auto keyword = [](const char* text) {
  return x3::raw[x3::lexeme[x3::lit(text) >> !(letter | x3::char_('0', '9'))]];
};
const auto name_text = x3::raw[x3::lexeme[!(keyword("and") | keyword("or") | keyword("not")) >> letter >>
                                          *(letter | x3::char_('0', '9'))]];
const auto at = [](const auto& parser) { return x3::raw[parser]; };
const auto signs = *(x3::lit('+') | at(x3::lit('-'))[on_minus]);

const auto close_call_def = x3::lit(')');
const auto close_group_def = x3::lit(')');
const auto close_index_def = x3::lit(']');
const auto primary_def =
    number_text[on_number] |
    (name_text[on_name] >>
     ((x3::lit('(')[open_call] > (condition > x3::eps[end_argument]) % ',' > close_call > x3::eps[close]) |
      (x3::lit('[')[open_element] > sum > x3::eps[end_argument] > close_index > x3::eps[close]) | x3::eps)) |
    (x3::lit('(') > condition > close_group);
const auto power_def = x3::eps[begin_power] >> primary >>
                       *((at(x3::lit('^'))[on_exponent] >> signs) > primary) >> x3::eps[end_power];
const auto signed_operand_def = (x3::eps[begin_signs] >> signs) > power > x3::eps[apply_signs];
const auto product_def = signed_operand >> *((at(x3::lit('*'))[operator_of(TokenKind::multiply)] |
                                              at(x3::lit('/'))[operator_of(TokenKind::divide)]) >
                                             signed_operand > x3::eps[apply_operator]);
const auto sum_def = product >> *((at(x3::lit('+'))[operator_of(TokenKind::add)] |
                                   at(x3::lit('-'))[operator_of(TokenKind::subtract)]) > product >
                                  x3::eps[apply_operator]);
const auto comparison_def = sum >> -((at(x3::lit("=="))[operator_of(TokenKind::equal)] |
                                      at(x3::lit("!="))[operator_of(TokenKind::not_equal)] |
                                      at(x3::lit(">="))[operator_of(TokenKind::greater_equal)] |
                                      at(x3::lit("<="))[operator_of(TokenKind::less_equal)] |
                                      at(x3::lit('>'))[operator_of(TokenKind::greater)] |
                                      at(x3::lit('<'))[operator_of(TokenKind::less)]) > sum >
                                     x3::eps[apply_operator]);
const auto part_def = ((&keyword("not") >> x3::eps[begin_opposites] >> +keyword("not")[on_not]) > comparison >
                       x3::eps[apply_opposites]) |
                      comparison;
const auto all_def = part >> *(keyword("and")[operator_of(TokenKind::both)] > part > x3::eps[apply_operator]);
const auto condition_def = all >>
                           *(keyword("or")[operator_of(TokenKind::either)] > all > x3::eps[apply_operator]);

BOOST_SPIRIT_DEFINE(condition, all, part, comparison, sum, product, signed_operand, power, primary,
                    close_call, close_group, close_index)

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_function(const std::string& word) {
  const std::vector<std::string> names = function_names();
  return std::find(names.begin(), names.end(), word) != names.end();
}

// The text around an error, for the hint on it.
class Surroundings {
 public:
  Surroundings(const std::string& text, std::size_t offset, std::size_t length)
      : text_(text), offset_(offset), end_(offset + length) {
    while (offset > 0 && is_blank(text[offset - 1])) --offset;
    last_ = offset;
    while (offset > 0 && is_word(text[offset - 1])) --offset;
    word_begin_ = offset;
  }

  // The character at once before the error, and after it.
  char before() const { return offset_ > 0 ? text_[offset_ - 1] : ' '; }
  char after() const { return end_ < text_.size() ? text_[end_] : ' '; }
  // The last character before it that is no blank.
  char last() const { return last_ > 0 ? text_[last_ - 1] : ' '; }
  // The word before it, blanks between or not.
  std::string word() const { return text_.substr(word_begin_, last_ - word_begin_); }
  bool word_is_number() const {
    return last_ > word_begin_ && (is_digit(text_[word_begin_]) || text_[word_begin_] == '.');
  }
  bool is_apart() const { return last_ < offset_; }
  bool is_last() const {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(end_), text_.end(), is_blank);
  }
  // word_is_first() tells whether only blanks and signs stand before the word.
  bool word_is_first() const {
    return std::all_of(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(word_begin_),
                       [](char c) { return is_blank(c) || c == '-' || c == '+'; });
  }
  // sin of "sin()" and "sin^2(x)", whose error is at what follows.
  std::string word_before(char separator) const {
    std::size_t end = separator == '(' ? last_ : word_begin_;
    if (end == 0 || text_[end - 1] != separator) return "";
    std::size_t begin = --end;
    while (begin > 0 && is_word(text_[begin - 1])) --begin;
    return text_.substr(begin, end - begin);
  }
  std::string whole_word_with_error() const { return text_.substr(word_begin_, end_ - word_begin_); }

 private:
  const std::string& text_;
  std::size_t offset_, end_;
  std::size_t last_ = 0;
  std::size_t word_begin_ = 0;
};

const char* const choice_hint = "write a choice as if(a > b, p, q)";
const char* const comparison_hint =
    "a comparison is one of > < >= <= == !=, as the first argument of if(a > b, p, q)";
const char* const both_hint = "for both conditions, write a > b and c > d";
const char* const either_hint = "for either condition, write a > b or c > d";
const char* const opposite_hint = "for the opposite of a condition, write not a > b";
const char* const product_hint = "write a product with '*'";

// hint_after_operand() serves a word where an operator was expected.
std::string hint_after_operand(const std::string& found, const Surroundings& around) {
  const std::string word = around.word();
  if (word == "if") return choice_hint;
  if (is_function(word)) return "write " + word + "(" + found + ")";
  if (around.word_is_number() && !around.is_apart()) {
    const bool is_hexadecimal = word == "0" && (found[0] == 'x' || found[0] == 'X') && found.size() > 1;
    if (is_hexadecimal || found == "e" || found == "E")
      return "'" + around.whole_word_with_error() + "' is not a number: write it as 16, 0.5 or 1e-3";
  }
  if (around.word_is_number() && around.is_apart() && around.word_is_first() && around.is_last())
    return "leave out a unit; write a product with '*'";
  return product_hint;
}

std::string hint_on(const std::string& found, const std::string& text, const SyntaxError& error,
                    const Surroundings& around) {
  const char before = around.before();
  const bool wants_operator = error.expected.rfind("an operator", 0) == 0;
  if (found == "\u2212" || found == "\u2013") return "use the minus of the keyboard, '-'";
  if (found == "\u00b7" || found == "\u00d7") return product_hint;
  if (found == "=" && around.after() != '=' &&
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(error.offset),
                  [](char c) { return is_word(c) || c == ' '; }))
    return "write what stands on the right of the '=' alone";
  if (found == "=") return comparison_hint;
  if (found == "," && is_digit(before) && is_digit(around.after()))
    return "write the fraction of a number after a point, '.'";
  if (found == ";") return "leave out the ';'";
  if (found == "\u00b2" || found == "\u00b3")
    return std::string("write a power with '^': ^") + (found == "\u00b2" ? "2" : "3");
  if (found == "?" || found == ":" || found == "if" || found == "else") return choice_hint;
  if (found == "&") return both_hint;
  if (found == "|" && around.after() != '|' && before != '|' && !wants_operator)
    return "write an absolute value as abs(x)";
  if (found == "|") return either_hint;
  if (found == "!" && around.after() == '=') return comparison_hint;
  if (found == "!" && wants_operator) return "there is no factorial: write its value";
  if (found == "!") return opposite_hint;
  if (found == "*" && before == '*') return "write a power with '^'";
  if (found == "/" && before == '/') return "write floor(a/b)";
  if (found == "%") return around.is_last() ? "write 0.05 for 5%" : "write mod(a, b)";
  if (found == "'")
    return "the derivative of a state has no name: write it out, or make it a state of its own";
  if ((found == "<" || found == ">") && wants_operator)
    return std::string("a comparison has two sides; ") + both_hint;
  if (found == "[" || found == "{") return "group with round brackets, ( and )";
  if (const std::string function = around.word_before('('); found == ")" && !function.empty()) {
    if (is_function(function)) return "'" + function + "' takes an argument: " + function + "(x)";
    const std::string hint = function_hint(function);
    return hint.empty() ? "there is no function '" + function + "'" : hint;
  }
  if (found == "(" && wants_operator) {
    const std::string function = around.word_before('^');
    return is_function(function) ? "write " + function + "(x)^" + around.word() : product_hint;
  }
  if (found[0] == '.' && found.size() > 1 && around.word_is_number()) return "a number has one point";
  if (found[0] == '.' && found.size() > 1 && is_word(before))
    return "names and functions stand without a module: " + found.substr(1);
  if ((static_cast<unsigned char>(found[0]) & 0x80U) != 0) return "a name is made of letters, digits and '_'";
  return is_word(found[0]) && wants_operator ? hint_after_operand(found, around) : "";
}

// Fills in what stands at the error: a word, one character (of several bytes, perhaps) or the end.
void describe(SyntaxError& error, const std::string& text) {
  if (error.offset >= text.size()) {
    error.got = text.empty() ? "an empty text" : "the end";
    return;
  }
  std::size_t end = error.offset + 1;
  if (is_word(text[error.offset])) {
    while (end < text.size() && is_word(text[end])) ++end;
  } else {
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  }
  error.length = end - error.offset;
  const std::string found = text.substr(error.offset, error.length);
  error.got = "'" + found + "'";
  error.hint = hint_on(found, text, error, Surroundings(text, error.offset, error.length));
}

std::optional<SyntaxError> too_deep(const std::string& text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && depth > 0) --depth;
    if (depth > deepest_nesting)
      return SyntaxError{i,
                         1,
                         "too many brackets inside each other",
                         "at most " + std::to_string(deepest_nesting),
                         "one more",
                         "give a part of the expression a name in [definitions]"};
  }
  return std::nullopt;
}

std::optional<SyntaxError> too_many_conditions(const Expression& expression) {
  std::size_t joined = 1;
  for (const Token& token : expression.tokens) {
    if (token.kind != TokenKind::both && token.kind != TokenKind::either) continue;
    if (++joined > most_joined_conditions)
      return SyntaxError{token.begin,
                         token.end - token.begin,
                         "too many conditions joined by `and` and `or`",
                         "at most " + std::to_string(most_joined_conditions),
                         "one more",
                         "give groups of conditions a name each, as near = \"if(a > 0 or b > 0, 1, 0)\""};
  }
  return std::nullopt;
}

}  // namespace

ParsedExpression parse_expression(std::string text) {
  ParsedExpression parsed;
  parsed.expression.text = std::move(text);
  const std::string& source = parsed.expression.text;
  parsed.error = too_deep(source);
  if (parsed.error) return parsed;

  Emitter emitter(parsed.expression);
  Iterator first = source.cbegin();
  const auto error_at = [&](Iterator where, std::string expected) {
    SyntaxError error;
    while (where != source.cend() && (*where == ' ' || *where == '\t' || *where == '\n' || *where == '\r'))
      ++where;
    error.offset = static_cast<std::size_t>(where - source.cbegin());
    error.what = "not an expression";
    error.expected = std::move(expected);
    describe(error, source);
    parsed.error = std::move(error);
  };
  try {
    const auto grammar = x3::with<EmitterTag>(std::ref(emitter))[x3::expect[condition]];
    x3::phrase_parse(first, source.cend(), grammar, x3::char_(" \t\r\n"));
    if (first != source.cend())
      error_at(first, "an operator or the end");
    else
      parsed.error = too_many_conditions(parsed.expression);
  } catch (const x3::expectation_failure<Iterator>& failure) {
    const bool closing = failure.which().find('(') == std::string::npos;
    const bool several = failure.which().find(" or ") != std::string::npos;
    error_at(failure.where(),
             closing ? (several ? "an operator, " : "an operator or ") + failure.which() : failure.which());
  } catch (const NumberOutOfRange& number) {
    parsed.error = SyntaxError{number.begin,
                               number.end - number.begin,
                               "a number out of range",
                               "0 or a magnitude from 4.9e-324 to 1.8e308",
                               source.substr(number.begin, number.end - number.begin),
                               ""};
  }
  return parsed;
}

}  // namespace slideway::reader
