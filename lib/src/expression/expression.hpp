// One expression as it is written, "-x - mu*sgn(stick) + cos(w*t)", taken apart into tokens.
//
// The tokens are in postfix order (operands before their operator), so a sum of thousands of terms needs no
// recursion. A call and an element x[i+1] stand before their arguments and say where these end; only they nest,
// and their nesting is bounded. Names mean nothing yet.
// It must not know model files, graphs or numbers of states.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slideway::reader {

enum class TokenKind : std::uint8_t {
  number,
  name,
  element,  // name[index]
  call,     // name(argument, …)
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  greater,
  greater_equal,
  less,
  less_equal,
  equal,
  not_equal,
  both,      // a and b
  either,    // a or b
  opposite,  // not a
};

struct Token {
  TokenKind kind = TokenKind::number;
  std::uint32_t begin = 0;  // bytes of the text: of the number, name or operator
  std::uint32_t end = 0;
  std::uint32_t next = 0;           // index of the token after it; of a call or element, after its arguments
  std::uint32_t arguments = 0;      // of a call or element: how many
  std::uint32_t argument_ends = 0;  // of a call or element: where in Expression::argument_ends theirs are
  double value = 0;                 // of a number
};

struct Expression {
  std::string text = {};
  std::vector<Token> tokens = {};
  // argument_ends holds, for every call and element, the index one past the last token of each of its arguments.
  std::vector<std::uint32_t> argument_ends = {};

  std::string_view spelling(const Token& token) const {
    return std::string_view(text).substr(token.begin, token.end - token.begin);
  }
};

bool is_comparison(TokenKind kind);
// A comparison, or what joins some.
bool is_condition(TokenKind kind);

// and, or, not: names of nothing else.
bool is_condition_word(std::string_view word);

// SyntaxError says where the text stops being an expression.
struct SyntaxError {
  std::size_t offset = 0;  // in bytes
  std::size_t length = 1;  // of what stands there, in bytes
  std::string what = {};
  std::string expected = {};
  std::string got = {};
  std::string hint = {};
};

// Brackets may nest this deep.
inline constexpr std::size_t deepest_nesting = 200;

// As many conditions may be joined by `and` and `or`: each of them is a level of branches inside each other.
inline constexpr std::size_t most_joined_conditions = 1000;

struct ParsedExpression {
  Expression expression = {};
  std::optional<SyntaxError> error = {};
};

ParsedExpression parse_expression(std::string text);

// An expression that is a number and nothing else.
Expression number_expression(double value);

// The range of tokens [begin, end) of one operand or argument.
struct TokenRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Argument number `index` of the call or element at `token`.
TokenRange argument_range(const Expression& expression, std::uint32_t token, std::uint32_t index);
// The token that is applied last: an operator, or the only operand.
std::uint32_t root_token(const Expression& expression, TokenRange range);
// The two operands of the binary operator that is applied last.
std::pair<TokenRange, TokenRange> operand_ranges(const Expression& expression, TokenRange range);
// The bytes of the text that the tokens of a range stand on, as (begin, end).
std::pair<std::size_t, std::size_t> text_range(const Expression& expression, TokenRange range);

// NamePrinter returns the printed form of a name or element, or nothing for the form in the text.
using NamePrinter = std::function<std::string(std::uint32_t token)>;

// The tokens of a range as text, evenly spaced and with the brackets that are needed.
std::string print_expression(const Expression& expression, TokenRange range, const NamePrinter& printer = {});
std::string print_expression(const Expression& expression, const NamePrinter& printer = {});

}  // namespace slideway::reader
