#include "local/part_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "local/factors.hpp"

namespace slideway {

namespace {

// The polynomials of these states.
Matrix coefficients_of(const Interpolant& dense, const std::vector<Index>& states) {
  Matrix coefficients(static_cast<Index>(states.size()), dense.terms);
  for (Index k = 0; k < dense.terms; ++k)
    for (std::size_t j = 0; j < states.size(); ++j)
      coefficients(static_cast<Index>(j), k) = dense.columns[k][states[j]];
  return coefficients;
}

double polynomial(const Matrix& coefficients, Index row, double s) {
  double value = 0;
  for (Index k = coefficients.cols() - 1; k >= 0; --k) value = value * s + coefficients(row, k);
  return value;
}

bool are_same(const Pattern& one, const Pattern& other) {
  return one.rows == other.rows && one.columns == other.columns && one.start == other.start &&
         one.column == other.column;
}

// The structure is made of these two patterns alone.
std::shared_ptr<const RelayStructure> structure_of(const System& system, PartTools& tools) {
  const SystemDefinition& definition = system.definition();
  if (definition.surfaces == 0) return std::make_shared<const RelayStructure>(system);
  const bool is_known = tools.structure && are_same(*definition.guards_dx_pattern, tools.guards_dx) &&
                        are_same(*definition.field_dlambda_pattern, tools.field_dlambda);
  if (!is_known) {
    tools.guards_dx = *definition.guards_dx_pattern;
    tools.field_dlambda = *definition.field_dlambda_pattern;
    tools.structure = std::make_shared<const RelayStructure>(system);
  }
  return tools.structure;
}

Index place_of(Index one, const std::vector<Index>& all) {
  return std::lower_bound(all.begin(), all.end(), one) - all.begin();
}

std::vector<Index> places_of(const std::vector<Index>& some, const std::vector<Index>& all) {
  std::vector<Index> places;
  for (const Index one : some) places.push_back(place_of(one, all));
  return places;
}

}  // namespace

PartRuns::PartRuns(const System& system, ChooseRows rows, const Options& options, Recording recording,
                   FollowAll follow)
    : system_(system),
      rows_(std::move(rows)),
      options_(options),
      atol_(options.atol.expand(system.states(), options.rtol)),
      follow_(std::move(follow)) {
  options_.local_events = LocalEvents::off;
  options_.recording = recording;
  options_.on_event = {};
  options_.on_step = {};
  options_.output_times.clear();
  options_.full_events = true;
  options_.linear_solver = LinearSolver::automatic;
  options_.preconditioner = {};
  // A part followed by an explicit method has nothing stiff.
  if (options_.method == Method::automatic)
    options_.method = options_.rtol < kTight ? Method::dop853 : Method::dopri5;
}

double PartRuns::weight(Index state, double value) const {
  return 1 / (options_.rtol * std::abs(value) + atol_[state]);
}

Options PartRuns::options_of(const Cluster& cluster, const std::vector<double>& outputs) const {
  Options options = options_;
  options.output_times = outputs;
  if (options.atol.values().size() > 1) {
    Vector atol(static_cast<Index>(cluster.states.size()));
    for (std::size_t k = 0; k < cluster.states.size(); ++k)
      atol[static_cast<Index>(k)] = atol_[cluster.states[k]];
    options.atol = Tolerance(std::move(atol));
  }
  return options;
}

PartResult PartRuns::follow(const Cluster& cluster, const WholeStep& step, const std::vector<double>& outputs,
                            const std::vector<PendingAction>& pending, PartTools& tools) const {
  PartResult result;
  Restriction restriction;
  restriction.states = cluster.states;
  for (const Index surface : cluster.surfaces) {
    if (surface < system_.surfaces())
      restriction.surfaces.push_back(surface);
    else
      restriction.contacts.push_back(surface - system_.surfaces());
  }
  restriction.events = cluster.events;
  restriction.known.states =
      states_read(system_, cluster.states, restriction.surfaces, restriction.contacts, cluster.events);
  restriction.known.center = step.dense.center;
  restriction.known.scale = step.dense.scale;
  restriction.known.coefficients = coefficients_of(step.dense, restriction.known.states);
  for (const Index surface : cluster.frozen) {
    if (surface >= system_.surfaces()) continue;
    restriction.frozen.push_back(surface);
    restriction.frozen_lambda.push_back(static_cast<double>(static_cast<signed char>((*step.mode)[surface])));
  }
  restriction.tells_pattern = options_.method == Method::rodas;
  const Automaton automaton(restricted_system(system_, rows_, std::move(restriction), tools.arguments));
  const std::vector<std::shared_ptr<const RelayStructure>> structures = {
      structure_of(automaton.system(), tools)};

  Run run;
  run.start = step.start;
  run.end = step.end;
  run.state.resize(static_cast<Index>(cluster.states.size()));
  for (std::size_t k = 0; k < cluster.states.size(); ++k)
    run.state[static_cast<Index>(k)] = (*step.state)[cluster.states[k]];
  Mode mode(static_cast<Index>(cluster.surfaces.size()));
  for (std::size_t k = 0; k < cluster.surfaces.size(); ++k)
    mode.set(static_cast<Index>(k), (*step.mode)[cluster.surfaces[k]]);
  run.mode = mode;
  run.pending = pending;
  for (PendingAction& action : run.pending)
    action.of = at(place_of(static_cast<Index>(action.of), cluster.events));

  Options options = options_of(cluster, outputs);
  const std::vector<Index> border = places_of(cluster.border, cluster.states);
  const Matrix expected = coefficients_of(step.dense, cluster.border);
  std::vector<char> disagrees(border.size(), 0);
  Vector state(run.state.size());
  if (step.samples) {
    result.sampled.resize(run.state.size(), static_cast<Index>(step.samples->size()));
    for (Index k = 0; k < result.sampled.cols(); ++k) result.sampled.col(k) = run.state;
  }
  if (!border.empty() || step.samples) {
    options.on_step = [&](const StepView& view) {
      for (std::size_t k = 0; step.samples && k < step.samples->size(); ++k) {
        const double t = (*step.samples)[k];
        if (t >= view.start && t <= view.end) view.evaluate(t, result.sampled.col(static_cast<Index>(k)));
      }
      for (const double t : {0.5 * (view.start + view.end), view.end}) {
        view.evaluate(t, state);
        const double s = (t - step.dense.center) / step.dense.scale;
        for (std::size_t k = 0; k < border.size(); ++k) {
          const double value = polynomial(expected, static_cast<Index>(k), s);
          const double error = std::abs(state[border[k]] - value) * weight(cluster.border[k], value);
          if (!(error <= kBorderPart)) disagrees[k] = 1;
        }
      }
    };
  }
  result.solution = follow_(automaton, structures, options, run, EndWarnings::none);
  result.has_failed = !result.solution.outcome.reached_end();
  for (std::size_t k = 0; step.samples && k < step.samples->size(); ++k) {
    // A jump at the very end is no part of a step.
    if (!((*step.samples)[k] < step.end))
      result.sampled.col(static_cast<Index>(k)) = result.solution.final.state;
  }
  for (std::size_t k = 0; k < border.size(); ++k) {
    // A jump at the very end is no part of a step.
    const double value =
        polynomial(expected, static_cast<Index>(k), (step.end - step.dense.center) / step.dense.scale);
    const double error =
        std::abs(result.solution.final.state[border[k]] - value) * weight(cluster.border[k], value);
    if (disagrees[k] != 0 || !(error <= kBorderPart)) result.disagreeing.push_back(cluster.border[k]);
  }
  for (const EventRecord& record : result.solution.events) {
    for (const Index surface : record.surfaces) {
      if (surface < mode.size()) result.changed_surfaces.push_back(cluster.surfaces[at(surface)]);
    }
    // Records tell events by their names; of several with one name each may have been it.
    if (record.round == 0) continue;
    for (const Index event : cluster.events) {
      if (system_.events()[at(event)].name == record.name.value_or("")) result.fired_events.push_back(event);
    }
  }
  return result;
}

}  // namespace slideway
