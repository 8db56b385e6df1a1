#include "expression/expression.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace slideway::reader;

namespace {

Expression parsed(const std::string& text) {
  ParsedExpression result = parse_expression(text);
  INFO(text);
  REQUIRE_FALSE(result.error.has_value());
  return std::move(result.expression);
}

SyntaxError error_of(const std::string& text) {
  const ParsedExpression result = parse_expression(text);
  INFO(text);
  REQUIRE(result.error.has_value());
  return *result.error;
}

std::string printed(const std::string& text) { return print_expression(parsed(text)); }

// The tokens in postfix order, a call before its arguments.
std::string postfix(const std::string& text) {
  const Expression expression = parsed(text);
  std::string result;
  for (const Token& token : expression.tokens) {
    if (!result.empty()) result += ' ';
    result += token.kind == TokenKind::negate ? "neg" : std::string(expression.spelling(token));
  }
  return result;
}

}  // namespace

TEST_CASE("products bind tighter than sums and powers tighter than signs") {
  CHECK(postfix("a + b*c - d/e") == "a b c * + d e / -");
  CHECK(postfix("-x^2") == "x 2 ^ neg");
  CHECK(postfix("(-x)^2") == "x neg 2 ^");
  CHECK(postfix("-a*b") == "a neg b *");
  CHECK(postfix("2*-x") == "2 x neg *");
}

TEST_CASE("a tower of powers is joined from the right") {
  CHECK(postfix("a^b^c") == "a b c ^ ^");
  CHECK(postfix("2^-3^x") == "2 3 x ^ neg ^");
  CHECK(postfix("a^-b^-c") == "a b c neg ^ neg ^");
}

TEST_CASE("an even number of minus signs cancels") {
  CHECK(postfix("--x") == "x");
  CHECK(postfix("- + -x") == "x");
  CHECK(postfix("---x") == "x neg");
}

TEST_CASE("a call stands before its arguments and knows where each ends") {
  const Expression expression = parsed("max(a + 1, f(b)) - c");
  REQUIRE(expression.tokens[0].kind == TokenKind::call);
  CHECK(expression.tokens[0].arguments == 2);
  CHECK(print_expression(expression, argument_range(expression, 0, 0)) == "a + 1");
  CHECK(print_expression(expression, argument_range(expression, 0, 1)) == "f(b)");
  CHECK(expression.spelling(expression.tokens[expression.tokens[0].next]) == "c");
}

TEST_CASE("the two sides of a comparison can be told apart") {
  const Expression expression = parsed("if(a - b >= -f(c > d)*e, p, q)");
  const TokenRange condition = argument_range(expression, 0, 0);
  CHECK(expression.tokens[root_token(expression, condition)].kind == TokenKind::greater_equal);
  const auto [first, second] = operand_ranges(expression, condition);
  CHECK(print_expression(expression, first) == "a - b");
  CHECK(print_expression(expression, second) == "-f(c > d)*e");
}

TEST_CASE("numbers are read to the last bit") {
  for (const char* text :
       {"0.1", "3.14159265358979312", "0.3678794411714423215955238", "1e22", "4.35e-7", ".5", "5.",
        "1.7976931348623157e308", "4.9e-324", "2.2250738585072011e-308", "9007199254740993"}) {
    CAPTURE(text);
    CHECK(parsed(text).tokens[0].value == std::strtod(text, nullptr));
  }
  std::mt19937_64 random(7);
  for (int k = 0; k < 2000; ++k) {
    double value = 0;
    const std::uint64_t bits = random();
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const Expression expression = number_expression(std::abs(value));
    CHECK(parsed(expression.text).tokens[0].value == std::abs(value));
  }
}

TEST_CASE("a name may begin like infinity or like an exponent") {
  CHECK(parsed("infected").tokens[0].kind == TokenKind::name);
  CHECK(parsed("nano + inf").tokens[0].kind == TokenKind::name);
  CHECK(postfix("e1 - 2e1") == "e1 2e1 -");
}

TEST_CASE("printing keeps the meaning and only the brackets that are needed") {
  CHECK(printed("((a+b))*c") == "(a + b)*c");
  CHECK(printed("a-(b-c)") == "a - (b - c)");
  CHECK(printed("(a-b)-c") == "a - b - c");
  CHECK(printed("a/(b*c)") == "a/(b*c)");
  CHECK(printed("(a^b)^c") == "(a^b)^c");
  CHECK(printed("-(a*b)") == "-(a*b)");
  CHECK(printed("x[ i+1 ]-q") == "x[i + 1] - q");
  CHECK(printed("if( a>=b ,p,q)") == "if(a >= b, p, q)");
}

namespace {

std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto part = [&] { return random_expression(random, depth - 1); };
  if (depth == 0) {
    const char* const leaves[] = {"x", "v1", "2", "0.5", "a_b"};
    return leaves[pick(5)];
  }
  switch (pick(8)) {
    case 0: return part() + " + " + part();
    case 1: return part() + " - " + part();
    case 2: return part() + "*" + part();
    case 3: return part() + "/" + part();
    case 4: return part() + "^" + part();
    case 5: return "-" + part();
    case 6: return "(" + part() + ")";
    default: return "f(" + part() + ", " + part() + ")";
  }
}

}  // namespace

TEST_CASE("what is printed means the same when it is read again") {
  std::mt19937 random(11);
  for (int k = 0; k < 3000; ++k) {
    const std::string text = random_expression(random, 5);
    CAPTURE(text);
    CHECK(postfix(printed(text)) == postfix(text));
    CHECK(printed(printed(text)) == printed(text));
  }
}

TEST_CASE("an error says where the text stops being an expression and what was expected") {
  struct Wrong {
    const char* text;
    std::size_t offset;
    const char* expected;
    const char* got;
  };
  const Wrong wrongs[] = {
      {"", 0, "a number, a name or '('", "an empty text"}, {"   ", 3, "a number, a name or '('", "the end"},
      {"x +", 3, "a number, a name or '('", "the end"},    {"x + * 3", 4, "a number, a name or '('", "'*'"},
      {"x^", 2, "a number, a name or '('", "the end"},     {"sin(x", 5, "an operator, ',' or ')'", "the end"},
      {"sin()", 4, "a number, a name or '('", "')'"},      {"f(a,)", 4, "a number, a name or '('", "')'"},
      {"(a + b", 6, "an operator or ')'", "the end"},      {"x[i", 3, "an operator or ']'", "the end"},
      {"a + b)", 5, "an operator or the end", "')'"},      {"2 x", 2, "an operator or the end", "'x'"},
      {"a > b > c", 6, "an operator or the end", "'>'"},   {"1e", 1, "an operator or the end", "'e'"},
      {"a # b", 2, "an operator or the end", "'#'"},
  };
  for (const Wrong& wrong : wrongs) {
    CAPTURE(wrong.text);
    const SyntaxError error = error_of(wrong.text);
    CHECK(error.offset == wrong.offset);
    CHECK(error.expected == wrong.expected);
    CHECK(error.got == wrong.got);
  }
}

TEST_CASE("common slips get a hint") {
  CHECK(error_of("2x").hint == "write a product with '*'");
  CHECK(error_of("x**2").hint == "write a power with '^'");
  CHECK(error_of("a \u2212 b").hint == "use the minus of the keyboard, '-'");
  CHECK(error_of("if(a = b, 1, 2)").hint.find("if(a > b, p, q)") != std::string::npos);
}

TEST_CASE("conditions are joined by words, of which not binds tightest and or least") {
  CHECK(postfix("a > b and c > d or not e > f") == "a b > c d > and e f > not or");
  CHECK(postfix("a > b or c > d and e == f") == "a b > c d > e f == and or");
  CHECK(postfix("not not a != b") == "a b != not not");
  CHECK(postfix("android + nota - orb") == "android nota + orb -");
  for (const char* text : {"a > b and (c > d or not e > f)", "not (a > b and c >= d)",
                           "(a > b or c > d) and e < f", "not a > b or c <= d"})
    CHECK(print_expression(parsed(text)) == text);
  CHECK(error_of("a > b and").expected == "a number, a name or '('");
  CHECK(error_of("and > 1").offset == 0);
}

TEST_CASE("a number that no double holds is refused") {
  CHECK(error_of("1e999").what == "a number out of range");
  CHECK(error_of("2 + 1e-999").offset == 4);
}

TEST_CASE("brackets nest to a bound and no deeper") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "x" + std::string(depth, ')');
  };
  CHECK(postfix(nested(deepest_nesting)) == "x");
  const SyntaxError error = error_of(nested(deepest_nesting + 1));
  CHECK(error.offset == deepest_nesting);
  CHECK(error.what == "too many brackets inside each other");
  CHECK(error_of(std::string(1'000'000, '[')).offset == deepest_nesting);
}

TEST_CASE("any number of `not` needs no depth, and two leave the condition as it is") {
  CHECK(postfix("not not a > b") == "a b > not not");
  CHECK(postfix("not not not a > b") == "a b > not");
  CHECK(postfix("not (not a > b) and c") == "a b > not not c and");
  std::string many = "a > b";
  for (int k = 0; k < 100001; ++k) many.insert(0, "not ");
  CHECK(postfix(many) == "a b > not");
}

TEST_CASE("conditions are joined to a bound and no further") {
  std::string most = "a > 0";
  for (std::size_t k = 1; k < most_joined_conditions; ++k) most += k % 2 == 0 ? " and a > 0" : " or a > 0";
  CHECK(parsed(most).tokens.size() == 4 * most_joined_conditions - 1);
  const SyntaxError error = error_of(most + " or b > 0");
  CHECK(error.what == "too many conditions joined by `and` and `or`");
  CHECK(error.expected == "at most 1000");
}

TEST_CASE("a long chain of operators needs no depth") {
  for (const char* link : {"+x", "*x", "^x", "-x"}) {
    std::string text = "x";
    for (int k = 0; k < 100'000; ++k) text += link;
    const Expression expression = parsed(text);
    CHECK(expression.tokens.size() == 200'001);
    CHECK(print_expression(expression).size() >= text.size());
  }
  CHECK(parsed(std::string(100'001, '-') + "x").tokens.size() == 2);
}
