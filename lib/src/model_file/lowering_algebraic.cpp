#include "model_file/lowering_algebraic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/open_sign.hpp"

namespace slideway::reader {
namespace {

// A slope of no more than this part of the largest of its equation is zero but for rounding.
constexpr double kRoundingOfSlopes = 1e-12;
// A slope that is no more than this part of the largest is divided by only where no other is at hand.
constexpr double kLeastSlope = 0.05;

// The start of a run with unknowns; relays are all on one side.
struct StartPoint {
  double t;
  const Vector& x;
  const std::vector<AlgebraicVariable>& variables;
  double side;

  double time() const { return t; }
  double impact() const { return 0; }
  double state(std::uint32_t index) const { return x[static_cast<Index>(index)]; }
  double lambda(std::uint32_t) const { return side; }
};

}  // namespace

AlgebraicSystem::AlgebraicSystem(ExpressionGraph& graph, std::vector<AlgebraicVariable> variables, double t,
                                 KnownStates known, std::vector<OpenGuard> open)
    : graph_(graph),
      variables_(std::move(variables)),
      t_(t),
      known_(std::move(known)),
      open_(std::move(open)) {
  const std::size_t count = variables_.size();
  for (std::size_t k = 0; k < count; ++k)
    residuals_.push_back(
        graph_.subtract(graph_.unknown(static_cast<std::uint32_t>(k)), variables_[k].expression));
  slopes_.resize(count);
  is_used_.assign(count, 0);
  is_known_.assign(count, 0);
  for (std::size_t k = 0; k < count; ++k) differentiate(k);
}

void AlgebraicSystem::differentiate(std::size_t equation) {
  slopes_[equation] = gradients(graph_, {residuals_[equation]}, Variables::unknowns)->entries();
}

bool AlgebraicSystem::has_unknown(NodeId root, std::uint32_t variable) const {
  const std::vector<NodeId> nodes = graph_.reachable({root});
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
    return graph_[id].operation == Operation::unknown && graph_[id].a == variable;
  });
}

// values() evaluates the node with all relays on either side.
std::vector<double> AlgebraicSystem::values(NodeId node) const {
  std::unordered_map<NodeId, NodeId> numbers;
  for (std::size_t k = 0; k < variables_.size(); ++k)
    numbers[graph_.unknown(static_cast<std::uint32_t>(k))] = graph_.constant(variables_[k].value);
  const Tape tape(graph_, {graph_.with_nodes(node, numbers)});
  std::vector<double> result;
  for (const double side : {1.0, -1.0})
    result.push_back(tape.value<double>(StartPoint{t_, known_.values, variables_, side}));
  return result;
}

bool AlgebraicSystem::is_fit(NodeId slope, const std::vector<double>& largest) {
  const std::vector<double> sizes = values(slope);
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (!(std::abs(sizes[k]) > kRoundingOfSlopes * largest[k])) return false;
  return true;
}

// The variable that an equation is best solved for.
std::optional<AlgebraicSystem::Choice> AlgebraicSystem::choice_in(std::size_t equation) {
  std::vector<double> largest = {0, 0};
  for (const PartialDerivative& slope : slopes_[equation]) {
    const std::vector<double> sizes = values(slope.value);
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (std::isfinite(sizes[k])) largest[k] = std::max(largest[k], std::abs(sizes[k]));
  }
  std::optional<Choice> best;
  for (const PartialDerivative& slope : slopes_[equation]) {
    if (!graph_.is_constant(slope.value) && !is_fit(slope.value, largest)) continue;
    const bool is_own = slope.variable == equation;
    const bool is_affine = !has_unknown(slope.value, slope.variable);
    const bool is_constant = graph_.is_constant(slope.value);
    const std::vector<double> sizes = values(slope.value);
    const bool is_small = std::abs(sizes[0]) < kLeastSlope * largest[0];
    const bool is_single = is_affine || is_only(residuals_[equation], slope.value, slope.variable);
    const int cost = (is_affine   ? 0
                      : is_single ? 100
                                  : 200) +
                     (is_small ? 50 : 0) + (is_constant ? 0 : 10) + (is_own ? 0 : 1);
    if (!best || cost < best->cost) best = Choice{equation, slope.variable, slope.value, cost};
  }
  return best;
}

NodeId AlgebraicSystem::solution(const Choice& choice) {
  const NodeId unknown = graph_.unknown(choice.variable);
  const NodeId residual = residuals_[choice.equation];
  const bool has_kinks = !surfaces_from(graph_, choice.slope, kFirstOpenSign).empty();
  const bool is_affine = !has_unknown(choice.slope, choice.variable);
  const bool is_single = is_affine ? !has_kinks || has_one_sign(graph_, choice.slope, known_)
                                   : is_only(residual, choice.slope, choice.variable);
  if (!is_single) return followed(choice);
  slopes_taken_.push_back(choice.slope);
  if (is_affine) {
    const NodeId rest = graph_.with_nodes(residual, {{unknown, graph_.constant(0)}});
    return graph_.negate(graph_.divide(rest, choice.slope));
  }
  const AlgebraicVariable& variable = variables_[choice.variable];
  return graph_.root(choice.variable, Search::only, residual, choice.slope,
                     variable.start.value_or(graph_.constant(variable.value)));
}

// One of several solutions.
NodeId AlgebraicSystem::followed(const Choice& choice) {
  const AlgebraicVariable& variable = variables_[choice.variable];
  if (!variable.start) {
    failure_ = Failure::several;
    place_ = choice.variable;
    return choice.slope;
  }
  const NodeId smooth = residuals_[choice.equation];
  const NodeId residual = with_signs_of_guards(smooth);
  if (residual == smooth) {
    slopes_taken_.push_back(choice.slope);
    return graph_.root(choice.variable, Search::near, smooth, choice.slope, *variable.start);
  }
  NodeId slope = graph_.constant(0);
  const auto slopes = gradients(graph_, {residual}, Variables::unknowns);
  for (const PartialDerivative& one : slopes->front())
    if (one.variable == choice.variable) slope = one.value;
  slopes_taken_.push_back(slope);
  return graph_.root(choice.variable, Search::near_kinks, residual, slope, *variable.start);
}

// The residual with every kink decided by its guard.
NodeId AlgebraicSystem::with_signs_of_guards(NodeId residual) {
  // A guard may be made of variables with kinks of their own.
  for (std::size_t pass = 0; pass <= open_.size(); ++pass) {
    const std::vector<std::uint32_t> surfaces = surfaces_from(graph_, residual, kFirstOpenSign);
    if (surfaces.empty()) return residual;
    const std::uint32_t number = surfaces.front() - kFirstOpenSign;
    if (!open_[number].is_kink) return residual;
    residual =
        with_sign_of(graph_, residual, surfaces.front(), graph_.with_nodes(open_[number].guard, solved_));
  }
  return residual;
}

bool AlgebraicSystem::is_only(NodeId residual, NodeId slope, std::uint32_t variable) {
  return has_one_sign(graph_, slope, known_) && has_one_interval(residual, variable);
}

// Whether the residual has a value on one interval of the variable, and no pole in it, as far as its form tells.
bool AlgebraicSystem::has_one_interval(NodeId residual, std::uint32_t variable) {
  std::unordered_map<NodeId, bool> depends;
  std::vector<NodeId> domains;  // what must not be negative, or is between two numbers
  for (const NodeId id : graph_.reachable({residual})) {
    const Node node = graph_[id];
    bool has_it = node.operation == Operation::unknown && node.a == variable;
    for_operands(node, [&](NodeId operand) { has_it = has_it || depends[operand]; });
    depends[id] = has_it;
    if (!has_it) continue;
    const bool by_a = operand_count(node.operation) > 0 && depends[node.a];
    const bool by_b = operand_count(node.operation) > 1 && depends[node.b];
    switch (node.operation) {
      case Operation::tan:
        if (!is_within(graph_, node.a, 0.5 * std::numbers::pi, known_)) return false;
        break;
      case Operation::divide:
        if (by_b && !is_never_zero(graph_, node.b, known_)) return false;
        break;
      case Operation::power: {
        const bool is_whole = graph_.is_whole(node.b);
        if (by_a && !(is_whole && graph_.value(node.b) > 0) && !is_never_zero(graph_, node.a, known_)) {
          if (!graph_.is_constant(node.b) || is_whole || graph_.value(node.b) < 0) return false;
        }
        if (by_a && !is_whole) domains.push_back(node.a);
        break;
      }
      case Operation::log:
      case Operation::sqrt:
      case Operation::asin:
      case Operation::acos: domains.push_back(node.a); break;
      case Operation::atan2:
        if (!is_positive(graph_, node.b, known_)) return false;
        break;
      case Operation::floor:
      case Operation::sign:
      case Operation::step: return false;
      case Operation::choose:
        if (by_a) return false;
        break;
      default: break;
    }
  }
  return std::all_of(domains.begin(), domains.end(), [&](NodeId domain) {
    if (is_positive(graph_, domain, known_)) return true;
    const auto slopes = gradients(graph_, {domain}, Variables::unknowns);
    return std::any_of(slopes->front().begin(), slopes->front().end(), [&](const PartialDerivative& slope) {
      return slope.variable == variable && has_one_sign(graph_, slope.value, known_);
    });
  });
}

std::vector<std::uint32_t> AlgebraicSystem::surfaces_in_slopes(std::uint32_t first) const {
  std::vector<std::uint32_t> surfaces;
  for (const NodeId slope : slopes_taken_) {
    for (const std::uint32_t surface : surfaces_from(graph_, slope, first)) surfaces.push_back(surface);
  }
  return surfaces;
}

std::optional<std::vector<NodeId>> AlgebraicSystem::solve() {
  const std::size_t count = variables_.size();
  std::vector<std::pair<std::uint32_t, NodeId>> solved;
  std::vector<std::optional<Choice>> choices(count);
  for (std::size_t k = 0; k < count; ++k) choices[k] = choice_in(k);
  while (solved.size() < count) {
    std::optional<Choice> best;
    for (std::size_t k = 0; k < count; ++k) {
      if (is_used_[k] != 0) continue;
      if (!choices[k]) {
        failure_ = Failure::singular;
        place_ = k;
        return std::nullopt;
      }
      // Equations of few unknowns first.
      const auto order = [&](const Choice& one) {
        return std::pair(one.cost >= 100,
                         1000 * slopes_[one.equation].size() + static_cast<std::size_t>(one.cost));
      };
      if (!best || order(*choices[k]) < order(*best)) best = choices[k];
    }
    const NodeId value = solution(*best);
    if (failure_ != Failure::none) return std::nullopt;
    is_used_[best->equation] = 1;
    is_known_[best->variable] = 1;
    solved.emplace_back(best->variable, value);
    const NodeId unknown = graph_.unknown(best->variable);
    for (auto& [one, known] : solved_) known = graph_.with_nodes(known, {{unknown, value}});
    solved_[unknown] = value;
    for (std::size_t k = 0; k < count; ++k) {
      if (is_used_[k] != 0 || !has_unknown(residuals_[k], best->variable)) continue;
      residuals_[k] = graph_.with_nodes(residuals_[k], {{unknown, value}});
      differentiate(k);
      choices[k] = choice_in(k);
    }
  }
  std::vector<NodeId> result(count);
  std::unordered_map<NodeId, NodeId> known;
  for (auto one = solved.rbegin(); one != solved.rend(); ++one) {
    result[one->first] = graph_.with_nodes(one->second, known);
    known[graph_.unknown(one->first)] = result[one->first];
  }
  return result;
}

}  // namespace slideway::reader
