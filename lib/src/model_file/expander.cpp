// Expander: the sections in their order, and parameters.
#include "model_file/expander.hpp"

#include <algorithm>

#include "model_file/lowering_friction.hpp"
#include "slideway/model/settings.hpp"

namespace slideway::reader {

std::size_t Expander::run(std::size_t memories) {
  expand_sections(memories);
  return memory_.states();
}

void Expander::expand_sections(std::size_t memories) {
  set_parameters();
  if (!mistakes_.empty()) return;
  set_lengths(model_.states, extents_.states);
  set_lengths(model_.definitions, extents_.definitions);
  set_lengths(model_.surfaces, extents_.surfaces);
  if (!mistakes_.empty()) return;
  set_states();
  check_settings();
  if (!mistakes_.empty()) return;
  memory_.keep_places(memories);
  free_parameters();
  surfaces_.set_known(known_states());
  builder_.prepare_definitions();
  solve_algebraic();
  if (!mistakes_.empty()) return;
  build_initial_nodes();
  build_named_surfaces();
  FrictionExpander friction(model_, extents_, builder_, surfaces_, expanded_, mistakes_);
  friction.build_surfaces();
  if (!mistakes_.empty()) return;
  build_motion();
  build_mass();
  follow_algebraic();
  build_inputs();
  build_every();
  build_events("reset", model_.resets, expanded_.resets);
  build_edges_of_automata();
  build_events("stop", model_.stops, expanded_.stops);
  watch_mass();
  build_events("record", model_.records, expanded_.records);
  build_events("edge", model_.edges, expanded_.edges);
  build_contacts();
  friction.build_forces();
  if (mistakes_.empty()) set_followers();
  if (mistakes_.empty()) build_observables();
  surfaces_.put_in_order(expanded_.surfaces, expanded_.lambda_index);
  // Memories may begin by what the followers are, and the other way round.
  begin_followers();
  memory_.finish();
  expanded_.ends_of_tables = builder_.ends_of_tables();
  begin_followers();
  if (check_ == Check::everything) build_unused_definitions();
}

double Expander::constant(const Formula& formula, std::uint32_t element) {
  return expanded_.graph.value(builder_.build(formula, Jumps::values, element));
}

std::optional<double> Expander::set_or_given(const std::string& name, const Formula& formula,
                                             std::uint32_t element) {
  const auto setting = settings_.find(name);
  std::optional<double> value;
  if (setting == settings_.end()) {
    succeeds([&] { value = constant(formula, element); });
    return value;
  }
  check_setting(model_.name, name, setting->second, {name});
  return setting->second;
}

void Expander::set_parameters() {
  for (const Quantity& parameter : model_.parameters) {
    // Any value serves after a mistake, to find other mistakes.
    const double value = set_or_given(parameter.name, parameter.value, 0).value_or(1);
    expanded_.parameters.emplace_back(parameter.name, value);
    extents_.parameters.push_back(expanded_.graph.constant(value));
  }
}

void Expander::free_parameters() {
  for (const std::string& name : free_) {
    std::size_t k = 0;
    while (k < model_.parameters.size() && model_.parameters[k].name != name) ++k;
    const auto index = static_cast<std::uint32_t>(expanded_.state_names.size());
    extents_.parameters[k] = expanded_.graph.state(index);
    expanded_.state_names.push_back(name);
    expanded_.initial.conservativeResize(expanded_.initial.size() + 1);
    expanded_.initial[static_cast<Index>(index)] = expanded_.parameters[k].second;
    ++expanded_.free_parameters;
  }
  if (free_.empty()) return;
  // Parameters may be made of these: one that is a state itself moves with those that its formula has.
  for (std::size_t k = 0; k < model_.parameters.size(); ++k) {
    const Quantity& parameter = model_.parameters[k];
    if (settings_.count(parameter.name) > 0) continue;
    const auto free = std::find(free_.begin(), free_.end(), parameter.name);
    succeeds([&] {
      const NodeId node = builder_.build(parameter.value, Jumps::values, 0);
      if (free == free_.end())
        extents_.parameters[k] = node;
      else
        expanded_.parameter_nodes.emplace_back(static_cast<std::uint32_t>(free - free_.begin()), node);
    });
  }
  for (const auto* const quantities : {&model_.states, &model_.definitions, &model_.surfaces})
    for (const Quantity& quantity : *quantities) check_size_is_fixed(quantity.size);
  for (const auto* const events : {&model_.resets, &model_.stops, &model_.records, &model_.edges})
    for (const EventDescription& event : *events) check_size_is_fixed(event.size);
  for (const EveryDescription& every : model_.every) {
    check_size_is_fixed(every.size);
    check_size_is_fixed(every.count);
  }
  for (const ContactDescription& contact : model_.contacts) check_size_is_fixed(contact.size);
}

void Expander::check_size_is_fixed(const std::optional<Formula>& size) {
  if (!size) return;
  succeeds([&] {
    if (expanded_.graph.is_constant(builder_.build(*size, Jumps::values, 0))) return;
    mistakes_.push_back({size->position, 1, "a derivative by what decides " + size->owner,
                         "a parameter that may have any value", "a whole number", ""});
  });
}

void Expander::build_unused_definitions() {
  const std::vector<bool> used = used_names(model_).definitions;
  for (std::uint32_t k = 0; k < used.size(); ++k) {
    if (used[k] || model_.definitions[k].algebraic) continue;
    for (std::uint32_t element = 1; element <= extents_.definitions[k]; ++element)
      if (!succeeds([&] { builder_.definition(k, element); })) break;
  }
}

ExpandedModel expand(const ModelDescription& model, const Settings& settings, Check check,
                     const ExpansionLimits& limits, Mistakes& mistakes, const std::vector<std::string>& free,
                     const std::string& initial) {
  const auto expanded_with = [&](std::size_t memories, ExpandedModel& expanded) {
    expanded.graph = ExpressionGraph(limits.operations);
    return Expander(model, settings, check, limits, free, initial, mistakes, expanded).run(memories);
  };
  ExpandedModel expanded;
  const std::size_t memories = expanded_with(0, expanded);
  if (free.empty() || memories == 0 || !mistakes.empty()) return expanded;
  ExpandedModel in_order;
  expanded_with(memories, in_order);
  return in_order;
}

}  // namespace slideway::reader
