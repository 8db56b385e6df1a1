#include "sensitivity/ledger_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {

// The options with which the fields of a run are made again, for the states of the extended problem.
Options options_of_extended(const Options& options, Index states, const Vector& parameters) {
  Options result;
  result.rtol = options.rtol;
  Vector atol = Vector::Constant(states + parameters.size(), 0.01 * options.rtol);
  // A small parameter, as a capacitance, is not to be moved past zero by a difference.
  for (Index k = 0; k < parameters.size(); ++k)
    if (parameters[k] != 0) atol[states + k] *= std::min(1.0, std::abs(parameters[k]));
  atol.head(states) = options.atol.expand(states, options.rtol);
  result.atol = Tolerance(atol);
  result.method = Method::dopri5;
  result.sliding_rule = options.sliding_rule;
  return result;
}

}  // namespace

LedgerReplay::LedgerReplay(const Automaton& problem,
                           const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                           const Options& options, const Run& run, const Solution& solution,
                           const Vector& parameters)
    : run_(run),
      solution_(solution),
      states_(run.state.size()),
      surfaces_(parameters.size() > 0 ? problem.system().surfaces() : solution.initial.mode.size()),
      extended_options_(options_of_extended(options, states_, parameters)),
      fields_{SegmentField(problem, structures, extended_options_, run.end - run.start, states_),
              SegmentField(problem, structures, extended_options_, run.end - run.start, states_),
              SegmentField(problem, structures, extended_options_, run.end - run.start, states_)},
      corrected_{CorrectedState(solution, options, sizes()), CorrectedState(solution, options, sizes())},
      x_(states_ + parameters.size()) {
  x_.setZero();
  x_.tail(parameters.size()) = parameters;
  std::size_t next = 0;
  const std::size_t events = solution.events.size();
  for (std::size_t k = 0; k <= segments().size(); ++k) {
    // Events within the segment before come first.
    while (k > 0 && next < events && solution.events[next].t < segments()[k - 1].end) ++next;
    const std::size_t first = next;
    const double until =
        k < segments().size() ? segments()[k].start : std::numeric_limits<double>::infinity();
    while (next < events && solution.events[next].t <= until) ++next;
    boundaries_.push_back({first, next});
  }
}

Vector LedgerReplay::extended(ConstVectorRef state) const {
  Vector x = x_;
  x.head(states_) = state;
  return x;
}

Vector LedgerReplay::state_at(std::size_t segment, double t) const {
  Vector state(states_);
  solution_.trajectory.evaluate(segment, t, state);
  return extended(state);
}

Vector LedgerReplay::relays_at(std::size_t event, Index surfaces) const {
  Vector lambda = Vector::Zero(surfaces);
  for (std::size_t e = event; e-- > 0;) {
    const EventRecord& record = solution_.events[e];
    if (record.t != solution_.events[event - 1].t) break;
    for (std::size_t k = 0; k < record.surfaces.size() && k < record.lambda.size(); ++k)
      if (record.surfaces[k] < surfaces && std::isfinite(record.lambda[k]))
        lambda[record.surfaces[k]] = record.lambda[k];
  }
  return lambda;
}

void LedgerReplay::take(std::size_t segment) {
  const Segment& here = segments()[segment];
  const Vector lambda = relays_at(boundaries_[segment].end, std::min<Index>(here.mode.size(), surfaces_));
  field_of(segment).take(here, here.start, state_at(segment, here.start),
                         lambda.size() == surfaces_ ? lambda : Vector());
  corrected_[segment % 2].take(segment, field_of(segment), x_, [this](std::size_t k) { return goes_on(k); });
}

bool LedgerReplay::goes_on(std::size_t segment) const {
  if (segment == 0) return false;
  const Segment &before = segments()[segment - 1], &after = segments()[segment];
  return boundaries_[segment].first == boundaries_[segment].end && before.mode == after.mode &&
         before.location == after.location;
}

std::optional<Saltation::Instant> LedgerReplay::instant(std::size_t segment) {
  Saltation::Instant instant;
  const Events& events = boundaries_[segment];
  const bool at_start = segment == 0;
  const bool is_last = segment >= segments().size();
  for (std::size_t e = events.first; e < events.end; ++e) instant.records.push_back(&solution_.events[e]);
  if (at_start && instant.records.empty() && field_of(segment).surfaces() == 0) return std::nullopt;
  const double time = at_start ? segments().front().start : segments()[segment - 1].end;
  instant.t = instant.records.empty() ? time : instant.records.front()->t;
  // The velocities before and after belong to one state, where nothing jumps.
  Vector correction = Vector::Zero(size());
  if (!at_start) {
    instant.from = &field_of(segment - 1);
    instant.segment_before = &segments()[segment - 1];
    instant.before = state_at(segment - 1, segments()[segment - 1].end);
    const double end = segments()[segment - 1].end;
    if (!corrected_[(segment - 1) % 2].is_recorded(end))
      correction = corrected_state(segment - 1, end) - instant.before;
    if (!instant.records.empty() && instant.records.front()->before.size() == states_)
      instant.before = extended(instant.records.front()->before);
    instant.before += correction;
  } else {
    instant.before = extended(run_.state);
  }
  instant.after = instant.before;
  if (!is_last) {
    instant.to = &field_of(segment);
    instant.segment_after = &segments()[segment];
    instant.after = state_at(segment, segments()[segment].start) + correction;
  }
  if (instant.records.empty() && instant.from && instant.to && instant.from->mode() == instant.to->mode() &&
      instant.from->closed() == instant.to->closed())
    return std::nullopt;
  return instant;
}

Saltation::Instant LedgerReplay::instant_within(std::size_t segment, std::size_t event) {
  Saltation::Instant instant;
  const EventRecord& record = solution_.events[event];
  instant.t = record.t;
  instant.before = instant.after = corrected_state(segment, record.t);
  instant.from = &field_of(segment);
  instant.records = {&record};
  return instant;
}

}  // namespace slideway
