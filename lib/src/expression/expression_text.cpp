// Expressions and parts of them as text, and where the parts are among the tokens.

#include "core/number_text.hpp"
#include "expression/expression.hpp"

namespace slideway::reader {
namespace {

// Binding tells how tightly a printed piece holds together.
enum class Binding { either, both, opposite, comparison, sum, product, sign, power, atom };

struct Piece {
  std::string text;
  Binding binding = Binding::atom;
};

struct Joint {
  const char* symbol;
  Binding binding;
  Binding left;   // the weakest left operand that needs no brackets
  Binding right;  // likewise on the right
};

Joint joint(TokenKind kind) {
  switch (kind) {
    case TokenKind::add: return {" + ", Binding::sum, Binding::sum, Binding::product};
    case TokenKind::subtract: return {" - ", Binding::sum, Binding::sum, Binding::product};
    case TokenKind::multiply: return {"*", Binding::product, Binding::product, Binding::sign};
    case TokenKind::divide: return {"/", Binding::product, Binding::product, Binding::sign};
    case TokenKind::power: return {"^", Binding::power, Binding::atom, Binding::sign};
    case TokenKind::greater: return {" > ", Binding::comparison, Binding::sum, Binding::sum};
    case TokenKind::greater_equal: return {" >= ", Binding::comparison, Binding::sum, Binding::sum};
    case TokenKind::less: return {" < ", Binding::comparison, Binding::sum, Binding::sum};
    case TokenKind::equal: return {" == ", Binding::comparison, Binding::sum, Binding::sum};
    case TokenKind::not_equal: return {" != ", Binding::comparison, Binding::sum, Binding::sum};
    case TokenKind::both: return {" and ", Binding::both, Binding::both, Binding::opposite};
    case TokenKind::either: return {" or ", Binding::either, Binding::either, Binding::both};
    default: return {" <= ", Binding::comparison, Binding::sum, Binding::sum};
  }
}

void enclose(Piece& piece, Binding weakest) {
  if (piece.binding < weakest) piece.text = "(" + piece.text + ")";
}

Piece print(const Expression& expression, TokenRange range, const NamePrinter& printer);

Piece print_call(const Expression& expression, std::uint32_t index, const NamePrinter& printer) {
  const Token& token = expression.tokens[index];
  const bool call = token.kind == TokenKind::call;
  std::string text(expression.spelling(token));
  text += call ? '(' : '[';
  for (std::uint32_t k = 0; k < token.arguments; ++k) {
    if (k > 0) text += ", ";
    text += print(expression, argument_range(expression, index, k), printer).text;
  }
  return {text + (call ? ')' : ']'), Binding::atom};
}

// Recursion goes into arguments only, whose nesting is bounded.
Piece print(const Expression& expression, TokenRange range, const NamePrinter& printer) {
  std::vector<Piece> stack;
  for (std::uint32_t index = range.begin; index < range.end; index = expression.tokens[index].next) {
    const Token& token = expression.tokens[index];
    switch (token.kind) {
      case TokenKind::number:
        stack.push_back({std::string(expression.spelling(token)), Binding::atom});
        break;
      case TokenKind::name:
      case TokenKind::element: {
        std::string replaced = printer ? printer(index) : std::string();
        if (!replaced.empty())
          stack.push_back({std::move(replaced), Binding::atom});
        else if (token.kind == TokenKind::element)
          stack.push_back(print_call(expression, index, printer));
        else
          stack.push_back({std::string(expression.spelling(token)), Binding::atom});
        break;
      }
      case TokenKind::call: stack.push_back(print_call(expression, index, printer)); break;
      case TokenKind::negate:
        enclose(stack.back(), Binding::power);
        stack.back().text.insert(stack.back().text.begin(), '-');
        stack.back().binding = Binding::sign;
        break;
      case TokenKind::opposite:
        enclose(stack.back(), Binding::opposite);
        stack.back().text.insert(0, "not ");
        stack.back().binding = Binding::opposite;
        break;
      default: {
        const Joint middle = joint(token.kind);
        Piece right = std::move(stack.back());
        stack.pop_back();
        Piece& left = stack.back();
        enclose(left, middle.left);
        enclose(right, middle.right);
        left.text += middle.symbol;
        left.text += right.text;
        left.binding = middle.binding;
      }
    }
  }
  return std::move(stack.back());
}

}  // namespace

bool is_comparison(TokenKind kind) {
  return kind == TokenKind::greater || kind == TokenKind::greater_equal || kind == TokenKind::less ||
         kind == TokenKind::less_equal || kind == TokenKind::equal || kind == TokenKind::not_equal;
}

bool is_condition(TokenKind kind) {
  return is_comparison(kind) || kind == TokenKind::both || kind == TokenKind::either ||
         kind == TokenKind::opposite;
}

bool is_condition_word(std::string_view word) { return word == "and" || word == "or" || word == "not"; }

Expression number_expression(double value) {
  Expression expression;
  expression.text = exact_text(value);
  Token token;
  token.end = static_cast<std::uint32_t>(expression.text.size());
  token.next = 1;
  token.value = value;
  expression.tokens.push_back(token);
  return expression;
}

TokenRange argument_range(const Expression& expression, std::uint32_t token, std::uint32_t index) {
  const Token& call = expression.tokens[token];
  const auto end_of = [&](std::uint32_t k) { return expression.argument_ends[call.argument_ends + k]; };
  return {index == 0 ? token + 1 : end_of(index - 1), end_of(index)};
}

std::uint32_t root_token(const Expression& expression, TokenRange range) {
  std::uint32_t last = range.begin;
  for (std::uint32_t index = range.begin; index < range.end; index = expression.tokens[index].next)
    last = index;
  return last;
}

std::pair<TokenRange, TokenRange> operand_ranges(const Expression& expression, TokenRange range) {
  // Going from the left, an operand ends where the stack would hold one entry and never fall below it again.
  std::vector<std::uint32_t> starts;
  const std::uint32_t last = range.end - 1;
  for (std::uint32_t index = range.begin; index < last; index = expression.tokens[index].next) {
    const TokenKind kind = expression.tokens[index].kind;
    if (kind == TokenKind::number || kind == TokenKind::name || kind == TokenKind::element ||
        kind == TokenKind::call) {
      starts.push_back(index);
    } else if (kind != TokenKind::negate && kind != TokenKind::opposite) {
      starts.pop_back();
    }
  }
  return {{range.begin, starts.back()}, {starts.back(), last}};
}

std::pair<std::size_t, std::size_t> text_range(const Expression& expression, TokenRange range) {
  std::size_t begin = expression.text.size();
  std::size_t end = 0;
  for (std::uint32_t index = range.begin; index < range.end; ++index) {
    begin = std::min<std::size_t>(begin, expression.tokens[index].begin);
    end = std::max<std::size_t>(end, expression.tokens[index].end);
  }
  return {begin, end};
}

std::string print_expression(const Expression& expression, TokenRange range, const NamePrinter& printer) {
  return print(expression, range, printer).text;
}

std::string print_expression(const Expression& expression, const NamePrinter& printer) {
  return print_expression(expression, {0, static_cast<std::uint32_t>(expression.tokens.size())}, printer);
}

}  // namespace slideway::reader
