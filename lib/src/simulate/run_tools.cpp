#include "simulate/run_tools.hpp"

#include <algorithm>
#include <iterator>

namespace slideway {

namespace {

// Tools are kept for this many sets of surfaces; each takes as much memory as those of a location.
constexpr std::size_t kMostSets = 16;

Statistics work_of(const LocationTools& tools) {
  Statistics statistics;
  for (const Stepper* stepper : {tools.stepper.get(), tools.short_stepper.get(), tools.careful_stepper.get(),
                                 tools.fine_stepper.get(), tools.reintegration_stepper.get()}) {
    if (!stepper) continue;
    const StepperStatistics stepping = stepper->statistics();
    statistics += Statistics{.steps = stepping.steps,
                             .integrator_evaluations = stepping.velocity_evaluations,
                             .jacobian_evaluations = stepping.jacobian_evaluations,
                             .krylov_iterations = stepping.krylov_iterations,
                             .restarts = stepping.restarts,
                             .dop853_steps = stepping.dop853_steps,
                             .stiff_from = stepping.stiff_from};
  }
  // The forces of contacts, and what else stays zero beside the guards, are had from the field by evaluators of their own.
  const auto add_counts = [&](const EvaluationCounts& counts) {
    statistics.field_evaluations += counts.field;
    statistics.guard_evaluations += counts.guards;
  };
  add_counts(tools.evaluator.counts());
  if (tools.contacts) add_counts(tools.contacts->free_evaluator().counts());
  if (tools.staying) add_counts(tools.staying->evaluator.counts());
  return statistics;
}

}  // namespace

RunTools::RunTools(const Automaton& automaton,
                   const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                   const Options& options, double duration, const ContactModes& contacts)
    : automaton_(automaton),
      structures_(structures),
      options_(options),
      duration_(duration),
      contacts_(contacts),
      locations_(automaton.locations().size()) {}

LocationTools& RunTools::of_location(std::size_t location) {
  std::unique_ptr<LocationTools>& tools = locations_[location];
  if (!tools) {
    const Location& made = automaton_.locations()[location];
    EventWatch watch(made.system);
    watch.add_edges(automaton_, location, {});
    tools = std::make_unique<LocationTools>(made.system, structures_[location], options_, std::move(watch),
                                            made.name, contacts_);
    tools->set_duration(duration_);
  }
  return *tools;
}

const RunTools::Pair& RunTools::of_pair(std::size_t first_edge, std::size_t second_edge) {
  const auto key = std::minmax(first_edge, second_edge);
  const auto known = pairs_.find(key);
  return known != pairs_.end() ? known->second
                               : pairs_.emplace(key, made_pair(first_edge, second_edge)).first->second;
}

std::vector<std::pair<std::size_t, std::size_t>> RunTools::pairs() const {
  std::vector<std::pair<std::size_t, std::size_t>> keys;
  for (const auto& entry : pairs_) keys.push_back(entry.first);
  return keys;
}

RunTools::Pair RunTools::made_pair(std::size_t first_edge, std::size_t second_edge) const {
  const Edge& edge = automaton_.edges()[first_edge];
  const bool rising = edge.direction == Direction::rising;
  Pair pair;
  pair.minus = automaton_.location_index(rising ? edge.from : edge.to);
  pair.plus = automaton_.location_index(rising ? edge.to : edge.from);
  pair.guard = edge.when;
  const Location& below = automaton_.locations()[pair.minus];
  const Location& above = automaton_.locations()[pair.plus];
  System system = join_locations(below, above, edge.when, edge.name);
  auto structure = std::make_shared<const RelayStructure>(system);
  EventWatch watch(system);
  // Every other edge of either location leaves the pair.
  watch.add_edges(automaton_, pair.minus, {first_edge, second_edge});
  watch.add_edges(automaton_, pair.plus, {first_edge, second_edge});
  pair.tools = std::make_unique<LocationTools>(std::move(system), std::move(structure), options_,
                                               std::move(watch), joined_name(below, above), contacts_);
  pair.tools->set_duration(duration_);
  return pair;
}

LocationTools* RunTools::in_second_order(std::size_t location, const std::vector<Index>& surfaces) {
  const auto [place, is_new] = second_order_.try_emplace(Surfaces{location, surfaces});
  if (is_new) place->second = made_in_second_order(location, surfaces);
  return place->second.get();
}

std::unique_ptr<LocationTools> RunTools::made_in_second_order(std::size_t location,
                                                              const std::vector<Index>& surfaces) {
  const Location& here = automaton_.locations()[location];
  const std::shared_ptr<const System> system = here.system.second_order(surfaces);
  if (!system) return nullptr;
  EventWatch watch(here.system);
  watch.add_edges(automaton_, location, {});
  auto tools = std::make_unique<LocationTools>(*system, std::make_shared<const RelayStructure>(*system),
                                               options_, std::move(watch), here.name, contacts_);
  tools->set_duration(duration_);
  if (!tools->staying) tools->ode.keep_on(of_location(location).geometry, surfaces);
  return tools;
}

void RunTools::drop_beyond_limit(const LocationTools* in_use) {
  if (second_order_.size() <= kMostSets) return;
  for (auto known = second_order_.begin(); known != second_order_.end();) {
    const LocationTools* const tools = known->second.get();
    const bool stays = tools && tools == in_use;
    if (tools && !stays) of_dropped_ += work_of(*tools);
    known = stays ? std::next(known) : second_order_.erase(known);
  }
}

Statistics RunTools::work() const {
  Statistics statistics = of_dropped_;
  for (const auto& tools : locations_) {
    if (tools) statistics += work_of(*tools);
  }
  for (const auto& pair : pairs_) statistics += work_of(*pair.second.tools);
  for (const auto& place : second_order_) {
    if (place.second) statistics += work_of(*place.second);
  }
  return statistics;
}

}  // namespace slideway
