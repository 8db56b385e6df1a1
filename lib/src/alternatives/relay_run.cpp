#include "alternatives/relay_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {

// A relay that chatters turns millions of times; what they are like can be seen from the first.
constexpr std::size_t kMostTurnsKept = 1000;

Mode mode_of(ConstVectorRef relays) {
  Mode mode(relays.size());
  for (Index i = 0; i < relays.size(); ++i) mode.set(i, relays[i] > 0 ? Side::plus : Side::minus);
  return mode;
}

}  // namespace

void check_relay_run(const System& system, const Options& options, const Run& run, const char* where) {
  const std::string obstacle = obstacle_to_relays_alone(system);
  if (!obstacle.empty()) {
    refuse({.what = "the method cannot follow '" + system.name() + "': " + obstacle,
            .where = where,
            .expected = "a system whose relays are all that jumps"});
  }
  options.validate(system.states());
  if (run.state.size() != system.states() || !run.state.allFinite()) {
    refuse({.what = "the initial state does not fit the system",
            .where = std::string(where) + ", Run::state",
            .expected = fmt::format("{} finite numbers", system.states()),
            .got = fmt::format("{}", run.state.size())});
  }
  if (!std::isfinite(run.start) || !std::isfinite(run.end) || !(run.end >= run.start)) {
    refuse({.what = "the time span makes no sense",
            .where = std::string(where) + ", Run::start and Run::end",
            .expected = "finite times with start <= end",
            .got = fmt::format("{} and {}", run.start, run.end)});
  }
}

Vector relays_at_start(const System& system, double t, ConstVectorRef x) {
  Vector guards(system.surfaces());
  system.guards(t, x, guards);
  Vector relays = guards.unaryExpr([](double guard) { return guard > 0 ? 1.0 : -1.0; });
  if (system.surfaces() == 0 || (guards.array() != 0).all()) return relays;
  Evaluator evaluator(system);
  Vector velocity(system.states());
  Vector rates(system.surfaces());
  for (Index i = 0; i < relays.size(); ++i) {
    if (guards[i] != 0) continue;
    relays[i] = 1;
    evaluator.field(t, x, relays, velocity);
    evaluator.guard_rates(t, x, velocity, rates);
    if (!(rates[i] > 0)) relays[i] = -1;
  }
  return relays;
}

RelayRun::RelayRun(const System& system, const Options& options, const Run& run, ConstVectorRef relays)
    : system_(system), options_(options) {
  solution.initial = {run.start, mode_of(relays), run.state, ""};
  solution.outputs = Matrix::Constant(system.states(), static_cast<Index>(options.output_times.size()),
                                      std::numeric_limits<double>::quiet_NaN());
  const std::vector<double>& times = options.output_times;
  while (next_output_ < times.size() && times[next_output_] < run.start) ++next_output_;
  write_outputs(run.start, [&](double /*t*/, VectorRef x) { x = run.state; });
}

bool RelayRun::turn(double t, ConstVectorRef x, Index surface, ConstVectorRef relays) {
  ++solution.statistics.events;
  if (solution.events.size() < kMostTurnsKept) keep_turn(t, x, surface, relays);
  if (solution.statistics.events < options_.max_events) return true;
  finish(Status::step_limit, t,
         fmt::format("the limit of {} events is reached at t = {}; raise max_events", options_.max_events,
                     number_text(t)));
  return false;
}

void RelayRun::keep_turn(double t, ConstVectorRef x, Index surface, ConstVectorRef relays) {
  EventRecord record;
  record.t = t;
  record.kind = EventKind::crossing;
  record.surfaces = {surface};
  record.surface_names = {system_.surface_names()[static_cast<std::size_t>(surface)]};
  Vector earlier = relays;
  earlier[surface] = -relays[surface];
  record.from = mode_of(earlier);
  record.to = mode_of(relays);
  record.w_minus = record.w_plus = record.lambda = {std::numeric_limits<double>::quiet_NaN()};
  record.before = record.after = x;
  record.reason = "the relay turns";
  if (!options_.full_events) shorten(record);
  solution.events.push_back(std::move(record));
}

void RelayRun::finish(Status status, double t, std::string message) {
  solution.outcome = {status, t, std::move(message)};
}

Solution RelayRun::take(double t, ConstVectorRef x, ConstVectorRef relays) {
  solution.final = {t, mode_of(relays), x, ""};
  solution.statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  return std::move(solution);
}

}  // namespace slideway
