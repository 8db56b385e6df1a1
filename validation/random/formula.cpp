#include "validation/random/formula.hpp"

#include <map>

#include <fmt/format.h>

namespace slideway::validation::random {

struct Formula::Node {
  Operation operation = Operation::constant;
  double value = 0;
  int index = 0;
  Formulas arguments = {};
};

Formula::Formula(double value) : node_(std::make_shared<const Node>(Node{.value = value})) {}

Formula::Formula(Operation operation, int index, Formulas arguments)
    : node_(std::make_shared<const Node>(
          Node{.operation = operation, .index = index, .arguments = std::move(arguments)})) {}

Operation Formula::operation() const { return node_->operation; }
double Formula::value() const { return node_->value; }
int Formula::index() const { return node_->index; }
const Formulas& Formula::arguments() const { return node_->arguments; }
bool Formula::is_constant(double value) const {
  return operation() == Operation::constant && node_->value == value;
}

Formula time_variable() { return {Operation::time, 0, {}}; }
Formula state_variable(int index) { return {Operation::state, index, {}}; }

Formula operator+(const Formula& a, const Formula& b) {
  if (a.is_constant(0)) return b;
  if (b.is_constant(0)) return a;
  return {Operation::add, 0, {a, b}};
}

Formula operator-(const Formula& a, const Formula& b) {
  if (b.is_constant(0)) return a;
  if (a.is_constant(0)) return -b;
  return {Operation::subtract, 0, {a, b}};
}

Formula operator*(const Formula& a, const Formula& b) {
  if (a.is_constant(1)) return b;
  if (b.is_constant(1)) return a;
  if (a.is_constant(0) || b.is_constant(0)) return 0.0;
  return {Operation::multiply, 0, {a, b}};
}

Formula operator/(const Formula& a, const Formula& b) {
  if (b.is_constant(1)) return a;
  return {Operation::divide, 0, {a, b}};
}

Formula operator-(const Formula& a) {
  if (a.operation() == Operation::constant) return -a.value();
  return {Operation::negate, 0, {a}};
}

Formula sin(const Formula& a) { return {Operation::sine, 0, {a}}; }
Formula cos(const Formula& a) { return {Operation::cosine, 0, {a}}; }
Formula exp(const Formula& a) { return {Operation::exponential, 0, {a}}; }
Formula sgn(int surface) { return {Operation::sign, surface, {}}; }
Formula choose(int surface, const Formula& above, const Formula& below) {
  return {Operation::choose, surface, {above, below}};
}
Formula abs(int surface, const Formula& a) { return {Operation::absolute, surface, {a}}; }
Formula max(int surface, const Formula& a, const Formula& b) { return {Operation::largest, surface, {a, b}}; }
Formula min(int surface, const Formula& a, const Formula& b) {
  return {Operation::smallest, surface, {a, b}};
}

std::optional<Formula> rate_of(const Formula& formula, const Formulas& derivatives) {
  const Formulas& a = formula.arguments();
  std::vector<Formula> rates;
  for (const Formula& argument : a) {
    const std::optional<Formula> rate = rate_of(argument, derivatives);
    if (!rate) return std::nullopt;
    rates.push_back(*rate);
  }
  switch (formula.operation()) {
    case Operation::constant: return Formula(0.0);
    case Operation::time: return Formula(1.0);
    case Operation::state: return derivatives[static_cast<std::size_t>(formula.index())];
    case Operation::definition:
    case Operation::parameter: return rates[0];
    case Operation::add: return rates[0] + rates[1];
    case Operation::subtract: return rates[0] - rates[1];
    case Operation::multiply: return rates[0] * a[1] + a[0] * rates[1];
    case Operation::divide: return (rates[0] * a[1] - a[0] * rates[1]) / (a[1] * a[1]);
    case Operation::negate: return -rates[0];
    case Operation::sine: return cos(a[0]) * rates[0];
    case Operation::cosine: return -(sin(a[0]) * rates[0]);
    default: return std::nullopt;
  }
}

Formula rewritten(const Formula& formula, const std::function<Formula(const Formula&)>& change) {
  std::map<const void*, Formula> known;
  const std::function<Formula(const Formula&)> visit = [&](const Formula& node) -> Formula {
    const auto found = known.find(node.identity());
    if (found != known.end()) return found->second;
    Formulas arguments;
    bool same = true;
    for (const Formula& argument : node.arguments()) {
      arguments.push_back(visit(argument));
      same = same && arguments.back().identity() == argument.identity();
    }
    const Formula next = change(same ? node : Formula(node.operation(), node.index(), std::move(arguments)));
    known.emplace(node.identity(), next);
    return next;
  };
  return visit(formula);
}

std::string text(double value) { return fmt::format("{}", value); }

std::string text(const Formula& formula, const Names& names) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  const auto argument = [&](std::size_t k) { return text(formula.arguments()[k], names); };
  const auto infix = [&](const char* sign) {
    return fmt::format("({} {} {})", argument(0), sign, argument(1));
  };
  switch (formula.operation()) {
    case Operation::constant:
      return formula.value() < 0 ? fmt::format("({})", formula.value()) : text(formula.value());
    case Operation::time: return "t";
    case Operation::state: return names.states[at(formula.index())];
    case Operation::definition: {
      const std::string& name = names.definitions[at(formula.index())];
      return name.empty() ? fmt::format("({})", argument(0)) : name;
    }
    case Operation::parameter: return names.parameters[at(formula.index())];
    case Operation::add: return infix("+");
    case Operation::subtract: return infix("-");
    case Operation::multiply: return infix("*");
    case Operation::divide: return infix("/");
    case Operation::negate: return fmt::format("(-{})", argument(0));
    case Operation::sine: return fmt::format("sin({})", argument(0));
    case Operation::cosine: return fmt::format("cos({})", argument(0));
    case Operation::exponential: return fmt::format("exp({})", argument(0));
    case Operation::sign: return fmt::format("sgn({})", names.surfaces[at(formula.index())]);
    case Operation::choose:
      return fmt::format("if({} > 0, {}, {})", names.surfaces[at(formula.index())], argument(0), argument(1));
    case Operation::absolute: return fmt::format("abs({})", argument(0));
    case Operation::largest: return fmt::format("max({}, {})", argument(0), argument(1));
    case Operation::smallest: return fmt::format("min({}, {})", argument(0), argument(1));
  }
  return {};
}

}  // namespace slideway::validation::random
