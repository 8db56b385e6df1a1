// Expressions and conditions of a model file as plain data: a tree that is printed as people write it, and rewritten.
// It shares nothing with the parser and the expression graph of the library.
//
// It must not know sections of model files, nor how a term is evaluated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slideway::validation::language {

enum class TermKind { number, name, call };

class Term;
using Terms = std::vector<Term>;

// A number, a name as `x` or `v[i-1]`, or a call of an operator or a function, as `+`, `>=`, `not`, `if`, `sat`.
class Term {
 public:
  Term() : Term(0.0) {}
  Term(double value);  // NOLINT: converts on purpose
  Term(TermKind kind, std::string head, Terms arguments);

  TermKind kind() const;
  double value() const;             // of a number
  const std::string& head() const;  // a name, an operator or a function
  const Terms& arguments() const;
  bool is_call(const std::string& head) const;

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

Term name(const std::string& text);
Term call(const std::string& head, Terms arguments);
Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator-(const Term& a);

// The tree with every node replaced by what `change` makes of it; `change` is given a node whose arguments are replaced.
Term rewritten(const Term& term, const std::function<Term(const Term&)>& change);
// Calls `see` with every node.
void visit(const Term& term, const std::function<void(const Term&)>& see);
std::size_t size_of(const Term& term);

// `x` of `x`, `v` of `v[i-1]`.
std::string base_of(const std::string& name);
// The part behind the base: empty, or `[i-1]`.
std::string index_of(const std::string& name);

// With the parentheses that the precedence of model files asks for, and no others.
std::string text(const Term& term);

}  // namespace slideway::validation::language
