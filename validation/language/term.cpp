#include "validation/language/term.hpp"

#include <cmath>
#include <utility>

#include "validation/random/formula.hpp"

namespace slideway::validation::language {

struct Term::Node {
  TermKind kind = TermKind::number;
  double value = 0;
  std::string head = {};
  Terms arguments = {};
};

Term::Term(double value) : node_(std::make_shared<const Node>(Node{.value = value})) {}

Term::Term(TermKind kind, std::string head, Terms arguments)
    : node_(std::make_shared<const Node>(
          Node{.kind = kind, .head = std::move(head), .arguments = std::move(arguments)})) {}

TermKind Term::kind() const { return node_->kind; }
double Term::value() const { return node_->value; }
const std::string& Term::head() const { return node_->head; }
const Terms& Term::arguments() const { return node_->arguments; }
bool Term::is_call(const std::string& head) const {
  return node_->kind == TermKind::call && node_->head == head;
}

Term name(const std::string& text) { return {TermKind::name, text, {}}; }
Term call(const std::string& head, Terms arguments) { return {TermKind::call, head, std::move(arguments)}; }
Term operator+(const Term& a, const Term& b) { return call("+", {a, b}); }
Term operator-(const Term& a, const Term& b) { return call("-", {a, b}); }
Term operator*(const Term& a, const Term& b) { return call("*", {a, b}); }
Term operator/(const Term& a, const Term& b) { return call("/", {a, b}); }
Term operator-(const Term& a) { return call("-", {a}); }

Term rewritten(const Term& term, const std::function<Term(const Term&)>& change) {
  if (term.kind() != TermKind::call) return change(term);
  Terms arguments;
  for (const Term& argument : term.arguments()) arguments.push_back(rewritten(argument, change));
  return change(call(term.head(), std::move(arguments)));
}

void visit(const Term& term, const std::function<void(const Term&)>& see) {
  see(term);
  for (const Term& argument : term.arguments()) visit(argument, see);
}

std::size_t size_of(const Term& term) {
  std::size_t size = 0;
  visit(term, [&](const Term&) { ++size; });
  return size;
}

std::string base_of(const std::string& name) { return name.substr(0, name.find('[')); }

std::string index_of(const std::string& name) {
  const std::size_t bracket = name.find('[');
  return bracket == std::string::npos ? std::string() : name.substr(bracket);
}

namespace {

// How tightly operators bind, from `or` to names; a function binds as a name.
enum class Binding { joined_by_or, joined_by_and, negated, compared, sum, product, sign, power, name };

Binding binding_of(const Term& term) {
  if (term.kind() == TermKind::number) return std::signbit(term.value()) ? Binding::sign : Binding::name;
  if (term.kind() == TermKind::name) return Binding::name;
  const std::string& head = term.head();
  if (head == "or") return Binding::joined_by_or;
  if (head == "and") return Binding::joined_by_and;
  if (head == "not") return Binding::negated;
  if (head == ">" || head == ">=" || head == "<" || head == "<=" || head == "==" || head == "!=")
    return Binding::compared;
  if (head == "+") return Binding::sum;
  if (head == "-") return term.arguments().size() == 1 ? Binding::sign : Binding::sum;
  if (head == "*" || head == "/") return Binding::product;
  if (head == "^") return Binding::power;
  return Binding::name;
}

std::string enclosed(const Term& term, Binding least) {
  const std::string inner = text(term);
  return binding_of(term) < least ? "(" + inner + ")" : inner;
}

// What the operand on the right must bind at least: a - (b - c) and a/(b*c) keep their parentheses.
Binding tighter(Binding binding) { return static_cast<Binding>(static_cast<int>(binding) + 1); }

}  // namespace

std::string text(const Term& term) {
  if (term.kind() == TermKind::number) return random::text(term.value());
  if (term.kind() == TermKind::name) return term.head();
  const std::string& head = term.head();
  const Terms& a = term.arguments();
  const Binding binding = binding_of(term);
  if (head == "not") return "not " + enclosed(a[0], Binding::negated);
  if (binding == Binding::sign) return "-" + enclosed(a[0], Binding::power);
  if (binding == Binding::power) return enclosed(a[0], Binding::name) + "^" + enclosed(a[1], Binding::name);
  if (binding <= Binding::sum) {
    return enclosed(a[0], binding == Binding::compared ? Binding::sum : binding) + " " + head + " " +
           enclosed(a[1], tighter(binding));
  }
  if (binding == Binding::product) return enclosed(a[0], binding) + head + enclosed(a[1], Binding::power);
  std::string out = head + "(";
  for (std::size_t k = 0; k < a.size(); ++k) out += (k == 0 ? "" : ", ") + text(a[k]);
  return out + ")";
}

}  // namespace slideway::validation::language
