#include "model_file/lowering_friction.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/number_text.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/friction_laws.hpp"

namespace slideway::reader {
namespace {

std::vector<NodeId> factors(const ExpressionGraph& graph, NodeId product) {
  std::vector<NodeId> found;
  std::vector<NodeId> open = {product};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (graph[id].operation == Operation::multiply) {
      open.push_back(graph[id].a);
      open.push_back(graph[id].b);
    } else {
      found.push_back(id);
    }
  }
  return found;
}

NodeId product_of(ExpressionGraph& graph, const std::vector<NodeId>& factors) {
  NodeId product = graph.constant(1);
  for (const NodeId factor : factors) product = graph.multiply(product, factor);
  return product;
}

// Both forces of a clutch are its normal force times a number: their ratio is a number even where that force has a kink, or
// is 0.
NodeId without_common_factors(ExpressionGraph& graph, NodeId ratio) {
  const Node node = graph[ratio];
  if (node.operation != Operation::divide) return ratio;
  std::vector<NodeId> above = factors(graph, node.a);
  std::vector<NodeId> below = factors(graph, node.b);
  const std::size_t all = below.size();
  for (auto factor = above.begin(); factor != above.end();) {
    const auto same = std::find(below.begin(), below.end(), *factor);
    if (same == below.end()) {
      ++factor;
    } else {
      below.erase(same);
      factor = above.erase(factor);
    }
  }
  return below.size() == all ? ratio : graph.divide(product_of(graph, above), product_of(graph, below));
}

}  // namespace

void set_break_away(SurfaceTable& surfaces, const ExpressionGraph& graph, SurfaceSide side, BreakAway ratios,
                    const Formula& formula, const std::string& name, Mistakes& mistakes) {
  for (const NodeId ratio : {ratios.above, ratios.below}) {
    if (!graph.is_constant(ratio) || graph.value(ratio) >= 1 - 1e-12) continue;
    mistakes.push_back({formula.position, 1, "the break-away ratio of " + in_quotes(name) + " out of range",
                        "a number >= 1: what holds at rest is not less than what resists motion",
                        exact_text(graph.value(ratio)), ""});
    return;
  }
  // The surface may have the opposite guard.
  if (side.sign < 0) std::swap(ratios.above, ratios.below);
  if (!surfaces.set_break_away(side.surface, ratios.above, ratios.below)) {
    mistakes.push_back({formula.position, 1, "two break-away ratios for the surface of " + in_quotes(name),
                        "one: the same expression wherever it is given", "another one before", ""});
  }
}

template <class Build>
void FrictionExpander::for_elements(const FrictionDescription& friction, const Build& build) const {
  const std::uint32_t count = extents_.definitions[friction.velocity];
  try {
    for (std::uint32_t element = 1; element <= count; ++element) build(element);
  } catch (const Unbuildable&) {
    // The mistake has been told.
  }
}

std::string FrictionExpander::name_of(const FrictionDescription& friction, std::uint32_t element) const {
  const bool vector = model_.definitions[friction.velocity].is_vector();
  return vector ? friction.name + std::to_string(element) : friction.name;
}

void FrictionExpander::build_surfaces() {
  for (const FrictionDescription& friction : model_.friction)
    for_elements(friction, [&](std::uint32_t element) { build_surface(friction, element); });
}

void FrictionExpander::build_surface(const FrictionDescription& friction, std::uint32_t element) {
  check_numbers(friction, element);
  if (!friction_laws()[friction.law].jumps) return;
  const std::optional<SurfaceSide> side = builder_.surface_of_definition(friction.velocity, element);
  if (!side || !friction.break_away || !mistakes_.empty()) return;
  const Formula& formula = model_.definitions[*friction.break_away].value;
  const auto ratio_of = [&](std::uint32_t definition) {
    return without_common_factors(expanded_.graph, builder_.definition(definition, element));
  };
  BreakAway ratios;
  ratios.above = ratios.below = ratio_of(*friction.break_away);
  if (friction.break_away_below) ratios.below = ratio_of(*friction.break_away_below);
  if (expanded_.graph.has_lambda(ratios.above) || expanded_.graph.has_lambda(ratios.below)) {
    mistakes_.push_back(
        {friction.position, 1, "a discontinuity in 'Fs' or 'Fc' of friction " + in_quotes(friction.name),
         "smooth expressions, because their ratio is used at rest, where a sign has no value", "",
         "what jumps or bends may be a factor of both: Fs = \"1.3*mu*N\" beside Fc = \"mu*N\""});
    return;
  }
  set_break_away(surfaces_, expanded_.graph, *side, ratios, formula, name_of(friction, element), mistakes_);
}

// A constant has to be in its range; a value that varies is not checked here.
void FrictionExpander::check_numbers(const FrictionDescription& friction, std::uint32_t element) {
  const FrictionLaw& law = friction_laws()[friction.law];
  std::optional<double> kinetic, at_rest;
  Position place_at_rest;
  for (std::size_t k = 0; k < law.parameters.size(); ++k) {
    const LawParameter& parameter = law.parameters[k];
    const NodeId node = builder_.definition(friction.parameters[k], element);
    if (!expanded_.graph.is_constant(node)) continue;
    const double value = expanded_.graph.value(node);
    const Position place = model_.definitions[friction.parameters[k]].value.position;
    if (std::strcmp(parameter.name, "Fc") == 0) kinetic = value;
    if (std::strcmp(parameter.name, "Fs") == 0) {
      at_rest = value;
      place_at_rest = place;
    }
    if (parameter.any_sign) continue;
    if (parameter.may_vanish ? value >= 0 : value > 0) continue;
    mistakes_.push_back({place, 1,
                         "'" + std::string(parameter.name) + "' of friction " +
                             in_quotes(name_of(friction, element)) + " out of range",
                         std::string(parameter.may_vanish ? "0 or a number above it" : "a number above 0") +
                             ", in " + parameter.unit,
                         exact_text(value), ""});
  }
  if (!law.at_least_kinetic || !kinetic || !at_rest || *at_rest >= *kinetic) return;
  mistakes_.push_back({place_at_rest, 1,
                       "'Fs' of friction " + in_quotes(name_of(friction, element)) + " out of range",
                       "at least 'Fc' = " + exact_text(*kinetic) +
                           ": what holds at rest is not less than what resists motion",
                       exact_text(*at_rest), ""});
}

void FrictionExpander::build_forces() {
  for (const FrictionDescription& friction : model_.friction)
    for_elements(friction, [&](std::uint32_t element) {
      ExpandedFriction made;
      made.name = name_of(friction, element);
      made.velocity = builder_.definition(friction.velocity, element);
      made.force = friction.force_is_state
                       ? expanded_.graph.state(extents_.first_state[friction.force] + element - 1)
                       : builder_.definition(friction.force, element);
      if (friction.stored) made.stored = builder_.definition(*friction.stored, element);
      expanded_.friction.push_back(std::move(made));
    });
}

std::vector<FrictionElement> make_friction(const ExpandedModel& model) {
  const auto tape = [&](NodeId node) {
    return std::make_shared<const Tape>(model.graph, std::vector<NodeId>{node}, model.lambda_index);
  };
  const auto function_of_state = [&](NodeId node) {
    return [made = tape(node)](double t, ConstVectorRef x) { return made->value<double>(point(t, x)); };
  };
  std::vector<FrictionElement> result;
  for (const ExpandedFriction& friction : model.friction) {
    FrictionElement element;
    element.name = friction.name;
    element.force = [made = tape(friction.force)](double t, ConstVectorRef x, ConstVectorRef lambda) {
      return made->value<double>(point(t, x, lambda));
    };
    element.velocity = function_of_state(friction.velocity);
    if (friction.stored) element.stored = function_of_state(*friction.stored);
    result.push_back(std::move(element));
  }
  return result;
}

}  // namespace slideway::reader
