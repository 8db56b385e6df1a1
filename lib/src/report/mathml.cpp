#include "report/mathml.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/letters.hpp"
#include "report/greek_letters.hpp"

namespace slideway {

namespace {

using reader::Expression;
using reader::Token;
using reader::TokenKind;
using reader::TokenRange;

constexpr const char* thin_space = "<mspace width=\"0.17em\"/>";
constexpr const char* minus_sign = "<mo form=\"prefix\">\u2212</mo>";
constexpr const char* dot = "<mo>\u22c5</mo>";

std::string in(const char* element, const std::string& inside) {
  return std::string("<") + element + ">" + inside + "</" + element + ">";
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// A letter, Greek or not, or a word; a word is upright.
std::string letters(std::string_view text) {
  const char* const glyph = glyph_named(greek_letters, text);
  return in("mi", glyph != nullptr ? glyph : escaped_markup(text));
}

// "rel" and "max" of x_rel_max, and the 1 of x1.
struct Name {
  std::string_view head = {};
  std::vector<std::string_view> tail = {};
};

Name taken_apart(std::string_view text) {
  Name name;
  const std::size_t bar = text.find('_');
  name.head = text.substr(0, bar);
  const std::size_t last_letter = name.head.find_last_not_of("0123456789");
  if (last_letter == std::string_view::npos) return {text};
  if (last_letter + 1 < name.head.size()) name.tail.push_back(name.head.substr(last_letter + 1));
  name.head = name.head.substr(0, last_letter + 1);
  if (bar == std::string_view::npos) return name;
  for (std::size_t begin = bar + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find('_', begin), text.size());
    // Bars that follow each other, or end the name, part nothing.
    if (end == begin) return {text};
    name.tail.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return name;
}

// The name with a dot, if it is a derivative, and with one more subscript, if it is an element.
std::string symbol(std::string_view text, bool is_derivative, const std::string& index) {
  const Name name = taken_apart(text);
  std::string base = letters(name.head);
  if (is_derivative) base = "<mover accent=\"true\">" + base + "<mo>\u02d9</mo></mover>";
  std::string below;
  std::size_t count = 0;
  const auto append = [&](const std::string& subscript) {
    if (count++ > 0) below += "<mo separator=\"true\">,</mo>";
    below += subscript;
  };
  for (const std::string_view part : name.tail)
    append(is_number(part) ? in("mn", std::string(part)) : letters(part));
  if (!index.empty()) append(index);
  if (count == 0) return base;
  return in("msub", base + in("mrow", below));
}

// Binding tells how tightly a printed piece holds together: what a fraction's bar holds is one piece, but not
// below an exponent.
enum class Binding { either, both, opposite, comparison, sum, product, power, atom };

struct Printed {
  std::vector<std::string> terms = {};
  Binding binding = Binding::atom;
  bool has_minus = false;  // in front of the first term, which it does not contain
  bool begins_as_number = false;
  bool is_number = false;
  bool is_fraction = false;
  bool is_open = false;        // at its right: cases have no closing bracket
  std::string slashed = {};    // of a fraction of two atoms: on one line
  std::string function = {};   // of a call with a name: that name
  std::string arguments = {};  // and the rest

  static Printed atom(std::string text) { return {{std::move(text)}}; }
};

std::string joined(const Printed& piece) {
  std::string text = piece.has_minus ? minus_sign : "";
  for (const std::string& term : piece.terms) text += term;
  return text;
}

std::string row(const Printed& piece) { return in("mrow", joined(piece)); }

void enclose(Printed& piece) {
  piece = Printed::atom("<mrow><mo>(</mo>" + joined(piece) + "<mo>)</mo></mrow>");
}

void enclose_below(Printed& piece, Binding weakest) {
  if (piece.binding < weakest) enclose(piece);
}

Printed number(std::string_view text) {
  Printed piece;
  const std::size_t mark = text.find_first_of("eE");
  if (mark == std::string_view::npos) {
    piece = Printed::atom(in("mn", std::string(text)));
  } else {
    const std::string_view mantissa = text.substr(0, mark);
    std::string_view exponent = text.substr(mark + 1);
    const bool is_negative = exponent.front() == '-';
    if (is_negative || exponent.front() == '+') exponent.remove_prefix(1);
    while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
    const std::string power = in("msup", "<mn>10</mn>" + in("mrow", (is_negative ? minus_sign : "") +
                                                                        in("mn", std::string(exponent))));
    const bool is_one = mantissa == "1" || mantissa == "1.0" || mantissa == "1.";
    piece.terms = {is_one ? power : in("mrow", in("mn", std::string(mantissa)) + dot + power)};
    piece.binding = is_one ? Binding::power : Binding::product;
  }
  piece.begins_as_number = piece.is_number = true;
  return piece;
}

Printed power(Printed base, const Printed& exponent, bool is_whole) {
  const std::string raised = exponent.slashed.empty() ? row(exponent) : in("mrow", exponent.slashed);
  // sin²(x), as it is written; an exponent of −1 would be read as the inverse.
  if (!base.function.empty() && is_whole) {
    Printed piece = Printed::atom(in("mrow", in("msup", base.function + raised) + base.arguments));
    piece.binding = Binding::power;
    return piece;
  }
  if (base.has_minus) enclose(base);
  enclose_below(base, Binding::atom);
  Printed piece = Printed::atom(in("msup", row(base) + raised));
  piece.binding = Binding::power;
  piece.begins_as_number = base.begins_as_number;
  return piece;
}

Printed quotient(Printed above, const Printed& below) {
  Printed piece;
  piece.has_minus = above.has_minus && above.binding >= Binding::product;
  if (piece.has_minus) above.has_minus = false;
  piece.terms = {in("mfrac", row(above) + row(below))};
  piece.binding = Binding::power;
  piece.is_fraction = true;
  if (!piece.has_minus && !above.has_minus && !below.has_minus && above.binding == Binding::atom &&
      below.binding == Binding::atom)
    piece.slashed = joined(above) + "<mo>/</mo>" + joined(below);
  return piece;
}

Printed product(Printed left, Printed right) {
  enclose_below(left, Binding::product);
  if (left.is_open) enclose(left);
  if (right.has_minus) enclose(right);
  enclose_below(right, Binding::product);
  const bool needs_dot = right.begins_as_number || (left.is_number && right.is_fraction);
  Printed piece;
  piece.has_minus = left.has_minus;
  left.has_minus = false;
  piece.terms = {joined(left) + (needs_dot ? dot : thin_space) + joined(right)};
  piece.binding = Binding::product;
  piece.begins_as_number = left.begins_as_number;
  piece.is_open = right.is_open;
  return piece;
}

Printed sum(Printed left, Printed right, bool is_difference) {
  if (left.is_open || left.binding < Binding::sum) enclose(left);
  if (right.has_minus || right.binding < Binding::product) enclose(right);
  Printed piece = std::move(left);
  const std::string sign = is_difference ? "<mo form=\"infix\">\u2212</mo>" : "<mo form=\"infix\">+</mo>";
  // A first term keeps its minus: the sum as a whole has none.
  if (piece.has_minus) piece.terms.front() = minus_sign + piece.terms.front();
  piece.has_minus = false;
  piece.terms.push_back(sign + joined(right));
  Printed result;
  result.terms = std::move(piece.terms);
  result.binding = Binding::sum;
  result.begins_as_number = piece.begins_as_number;
  result.is_open = right.is_open;
  return result;
}

Printed comparison(Printed left, const Printed& right, TokenKind kind) {
  const char* sign = kind == TokenKind::greater         ? "&gt;"
                     : kind == TokenKind::greater_equal ? "\u2265"
                     : kind == TokenKind::less          ? "&lt;"
                     : kind == TokenKind::equal         ? "="
                     : kind == TokenKind::not_equal     ? "\u2260"
                                                        : "\u2264";
  Printed piece;
  if (left.has_minus) left.terms.front() = minus_sign + left.terms.front();
  piece.terms = std::move(left.terms);
  piece.terms.push_back(std::string("<mo form=\"infix\">") + sign + "</mo>" + joined(right));
  piece.binding = Binding::comparison;
  return piece;
}

// "p and q", with brackets round what holds together less.
Printed joined_conditions(Printed left, Printed right, bool both) {
  const Binding binding = both ? Binding::both : Binding::either;
  if (left.binding < binding) enclose(left);
  if (right.binding <= binding) enclose(right);
  Printed piece;
  piece.terms = std::move(left.terms);
  piece.terms.push_back(std::string("<mtext>\u00a0") + (both ? "and" : "or") + "\u00a0</mtext>" +
                        joined(right));
  piece.binding = binding;
  return piece;
}

Printed opposite_condition(Printed piece) {
  if (piece.binding < Binding::opposite) enclose(piece);
  Printed result;
  result.terms = {"<mo form=\"prefix\">\u00ac</mo>" + joined(piece)};
  result.binding = Binding::opposite;
  return result;
}

Printed negative(Printed piece) {
  if (piece.has_minus || piece.binding < Binding::product) enclose(piece);
  piece.has_minus = true;
  return piece;
}

Printed print(const Expression& expression, TokenRange range);

Printed cases(const Printed& condition, const Printed& then, const Printed& otherwise) {
  const auto line = [](const Printed& value, const std::string& when) {
    return in("mtr", in("mtd", joined(value)) + in("mtd", when));
  };
  Printed piece = Printed::atom("<mrow><mo>{</mo>" +
                                in("mtable", line(then, "<mtext>if\u00a0</mtext>" + row(condition)) +
                                                 line(otherwise, "<mtext>otherwise</mtext>")) +
                                "</mrow>");
  piece.binding = Binding::product;
  piece.is_open = true;
  return piece;
}

Printed call(std::string_view name, std::vector<Printed> arguments) {
  static const std::map<std::string, std::string, std::less<>> other_names = {
      {"asin", "arcsin"}, {"acos", "arccos"}, {"atan", "arctan"}, {"log", "ln"}};
  if (name == "sqrt" && arguments.size() == 1) return Printed::atom(in("msqrt", row(arguments[0])));
  if (name == "abs" && arguments.size() == 1)
    return Printed::atom("<mrow><mo form=\"prefix\" stretchy=\"true\">|</mo>" + joined(arguments[0]) +
                         "<mo form=\"postfix\" stretchy=\"true\">|</mo></mrow>");
  if (name == "pow" && arguments.size() == 2) return power(arguments[0], arguments[1], false);
  if (name == "if" && arguments.size() == 3) return cases(arguments[0], arguments[1], arguments[2]);
  if (name == "sum" && arguments.size() == 1) {
    if (arguments[0].has_minus || arguments[0].binding < Binding::product) enclose(arguments[0]);
    Printed piece = Printed::atom("<mrow><mo>\u2211</mo>" + joined(arguments[0]) + "</mrow>");
    piece.binding = Binding::product;
    return piece;
  }
  const auto other = other_names.find(name);
  Printed piece;
  piece.function = in("mi", other != other_names.end() ? other->second : escaped_markup(name));
  piece.arguments = "<mo>\u2061</mo><mrow><mo>(</mo>";
  for (std::size_t k = 0; k < arguments.size(); ++k)
    piece.arguments += (k > 0 ? "<mo separator=\"true\">,</mo>" : "") + joined(arguments[k]);
  piece.arguments += "<mo>)</mo></mrow>";
  piece.terms = {in("mrow", piece.function + piece.arguments)};
  return piece;
}

Printed print_call(const Expression& expression, std::uint32_t index) {
  const Token& token = expression.tokens[index];
  const std::string_view name = expression.spelling(token);
  if (name == derivative_function && token.arguments == 1) {
    const Token& of = expression.tokens[argument_range(expression, index, 0).begin];
    const bool is_element = of.kind == TokenKind::element;
    const std::string below =
        is_element ? joined(print(expression, argument_range(expression, index + 1, 0))) : std::string();
    return Printed::atom(symbol(expression.spelling(of), true, below));
  }
  std::vector<Printed> arguments;
  for (std::uint32_t k = 0; k < token.arguments; ++k)
    arguments.push_back(print(expression, argument_range(expression, index, k)));
  if (token.kind == TokenKind::element) return Printed::atom(symbol(name, false, joined(arguments[0])));
  return call(name, std::move(arguments));
}

bool is_whole_number(const Expression& expression, std::uint32_t index) {
  const Token& token = expression.tokens[index];
  return token.kind == TokenKind::number && is_number(expression.spelling(token));
}

// Recursion goes into arguments only, whose nesting is bounded.
Printed print(const Expression& expression, TokenRange range) {
  std::vector<Printed> stack;
  std::uint32_t before = range.begin;
  for (std::uint32_t index = range.begin; index < range.end; index = expression.tokens[index].next) {
    const Token& token = expression.tokens[index];
    switch (token.kind) {
      case TokenKind::number: stack.push_back(number(expression.spelling(token))); break;
      case TokenKind::name:
        stack.push_back(Printed::atom(symbol(expression.spelling(token), false, "")));
        break;
      case TokenKind::element:
      case TokenKind::call: stack.push_back(print_call(expression, index)); break;
      case TokenKind::negate: stack.back() = negative(std::move(stack.back())); break;
      case TokenKind::opposite: stack.back() = opposite_condition(std::move(stack.back())); break;
      default: {
        Printed right = std::move(stack.back());
        stack.pop_back();
        Printed left = std::move(stack.back());
        const bool is_difference = token.kind == TokenKind::subtract;
        switch (token.kind) {
          case TokenKind::add:
          case TokenKind::subtract: left = sum(std::move(left), std::move(right), is_difference); break;
          case TokenKind::multiply: left = product(std::move(left), std::move(right)); break;
          case TokenKind::divide: left = quotient(std::move(left), right); break;
          case TokenKind::power:
            left = power(std::move(left), right, is_whole_number(expression, before));
            break;
          case TokenKind::both:
          case TokenKind::either:
            left = joined_conditions(std::move(left), std::move(right), token.kind == TokenKind::both);
            break;
          default: left = comparison(std::move(left), right, token.kind);
        }
        stack.back() = std::move(left);
      }
    }
    before = index;
  }
  return std::move(stack.back());
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += character;
    }
  }
  return result;
}

std::string mathml_symbol(std::string_view name) { return symbol(name, false, ""); }

std::vector<std::string> mathml_terms(const Expression& expression) {
  Printed piece = print(expression, {0, static_cast<std::uint32_t>(expression.tokens.size())});
  if (piece.has_minus) piece.terms.front() = minus_sign + piece.terms.front();
  return std::move(piece.terms);
}

std::string mathml(const Expression& expression) {
  std::string text;
  for (const std::string& term : mathml_terms(expression)) text += term;
  return text;
}

}  // namespace slideway
