#include "model_file/field_explanation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "expression/expression_functions.hpp"
#include "expression/tape_inputs.hpp"

namespace slideway::reader {
namespace {

constexpr std::size_t most_nodes = 50'000;

std::string function_name(Operation operation) {
  for (const FunctionEntry& entry : functions())
    if (entry.function == Function::smooth && entry.operation == operation) return entry.name;
  return "";
}

std::string shown(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  return value < 0 ? "(" + text + ")" : text;
}

std::string operation_text(const Node& node, double a, double b) {
  switch (node.operation) {
    case Operation::add: return shown(a) + " + " + shown(b);
    case Operation::subtract: return shown(a) + " - " + shown(b);
    case Operation::chain:
    case Operation::multiply: return shown(a) + "*" + shown(b);
    case Operation::divide: return shown(a) + "/" + shown(b);
    case Operation::power: return shown(a) + "^" + shown(b);
    case Operation::atan2: return fmt::format("atan2({:.6g}, {:.6g})", a, b);
    default: break;
  }
  const std::string name = function_name(node.operation);
  return name.empty() ? "" : fmt::format("{}({:.6g})", name, a);
}

}  // namespace

FieldExplanation::FieldExplanation(const ExpandedModel& model, const std::vector<NodeId>& derivatives,
                                   std::vector<Position> places)
    : source_(model.source), places_(std::move(places)) {
  const std::vector<NodeId> needed = model.graph.reachable(derivatives);
  if (model.graph.has_roots()) {
    std::vector<NodeId> values;
    for (const ExpandedAlgebraic& one : model.algebraic) {
      values.push_back(one.value);
      algebraic_.push_back(one.name);
    }
    algebraic_values_ = Tape(model.graph, values, model.lambda_index);
    return;
  }
  if (needed.size() > most_nodes) return;
  const auto number = [&](NodeId id) {
    return static_cast<NodeId>(std::lower_bound(needed.begin(), needed.end(), id) - needed.begin());
  };
  for (const NodeId id : needed) {
    Node node = model.graph[id];
    const int count = operand_count(node.operation);
    if (count > 0) node.a = number(node.a);
    if (count > 1) node.b = number(node.b);
    if (count > 2) node.c = number(node.c);
    nodes_.push_back(node);
    if (const auto end = model.ends_of_tables.find(id); end != model.ends_of_tables.end())
      ends_of_tables_.emplace(static_cast<NodeId>(nodes_.size() - 1), end->second);
  }
  for (const NodeId root : derivatives) roots_.push_back(number(root));
  lambda_index_ = model.lambda_index;
}

std::string FieldExplanation::operator()(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         Index state) const {
  std::string text;
  const auto index = static_cast<std::size_t>(state);
  if (source_ && index < places_.size() && places_[index].line > 0) {
    const std::string line(source_->line(places_[index].line));
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    text = fmt::format("{}:{}: {}", source_->file_name(), places_[index].line, shortened(line.substr(begin)));
  }
  const std::string found =
      index < roots_.size() ? culprit(t, x, lambda, roots_[index]) : unsolved(t, x, lambda);
  return found.empty() ? text : text + (text.empty() ? "" : ", where ") + found;
}

// The first algebraic variable without a value.
std::string FieldExplanation::unsolved(double t, ConstVectorRef x, ConstVectorRef lambda) const {
  std::string text;
  if (algebraic_.empty()) return text;
  algebraic_values_.evaluate<double>(point(t, x, lambda), [&](std::size_t k, double value) {
    if (!text.empty() || std::isfinite(value)) return;
    text =
        in_quotes(algebraic_[k]) +
        " of [algebraic] has no value: its equation has no solution there, or one that is not followed any "
        "further, as where its slope is 0 (index above 1)";
  });
  return text;
}

std::string FieldExplanation::culprit(double t, ConstVectorRef x, ConstVectorRef lambda, NodeId root) const {
  std::vector<double> values(nodes_.size(), 0);
  const auto relay = [&](NodeId surface) { return lambda[static_cast<Index>(lambda_index_[surface])]; };
  for (std::size_t k = 0; k <= root; ++k) {
    const Node& node = nodes_[k];
    double& value = values[k];
    switch (node.operation) {
      case Operation::constant: value = node.value; break;
      case Operation::time: value = t; break;
      case Operation::impact: value = 0; break;
      case Operation::state: value = x[static_cast<Index>(node.a)]; break;
      case Operation::lambda: value = relay(node.a); break;
      case Operation::add: value = values[node.a] + values[node.b]; break;
      case Operation::subtract: value = values[node.a] - values[node.b]; break;
      case Operation::multiply: value = values[node.a] * values[node.b]; break;
      case Operation::chain: value = values[node.b] == 0 ? 0 : values[node.a] * values[node.b]; break;
      case Operation::divide: value = values[node.a] / values[node.b]; break;
      case Operation::power: value = std::pow(values[node.a], values[node.b]); break;
      case Operation::atan2: value = std::atan2(values[node.a], values[node.b]); break;
      case Operation::choose: value = values[node.a] > 0 ? values[node.b] : values[node.c]; break;
      case Operation::select: {
        const double side = relay(node.c);
        value = side == 1    ? values[node.a]
                : side == -1 ? values[node.b]
                             : values[node.b] + 0.5 * (1 + side) * (values[node.a] - values[node.b]);
        break;
      }
      default: value = apply_unary(node.operation, values[node.a]);
    }
  }
  // Down the operands that are in force, as long as one of them is no number either.
  for (NodeId at = root; !std::isfinite(values[at]);) {
    if (const auto end = ends_of_tables_.find(at); end != ends_of_tables_.end()) return end->second;
    const Node& node = nodes_[at];
    std::vector<NodeId> operands;
    if (node.operation == Operation::select) {
      if (relay(node.c) != -1) operands.push_back(node.a);
      if (relay(node.c) != 1) operands.push_back(node.b);
    } else if (node.operation == Operation::choose) {
      operands.push_back(values[node.a] > 0 ? node.b : node.c);
    } else {
      for_operands(node, [&](NodeId operand) { operands.push_back(operand); });
    }
    const auto bad =
        std::find_if(operands.begin(), operands.end(), [&](NodeId id) { return !std::isfinite(values[id]); });
    if (bad == operands.end()) {
      if (operands.empty()) return "";
      const std::string text = operation_text(node, values[node.a], operands.size() > 1 ? values[node.b] : 0);
      if (text.empty()) return "";
      return fmt::format("{} is {}", text, std::isnan(values[at]) ? "not a number" : "infinite");
    }
    at = *bad;
  }
  return "";
}

}  // namespace slideway::reader
