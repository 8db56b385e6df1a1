#include "manifolds/section_map.hpp"

#include <utility>

#include "core/number_text.hpp"
#include "manifolds/with_event.hpp"
#include "simulate/plain_options.hpp"

namespace slideway {

namespace {

// No name of a model has a blank.
constexpr const char* kReturns = "return to the plane";
constexpr const char* kLeaves = "leave to the other side of the plane";

Options map_options(const Options& asked) {
  Options options = plain_options(asked, Recording::nothing);
  options.on_ambiguity = Ambiguity::stop;
  return options;
}

Event crossing_of(Vector point, Vector normal, const char* name, Direction direction) {
  Event event;
  event.name = name;
  event.when = Guard([point = std::move(point), normal = std::move(normal)](auto, const auto& x) {
    auto value = normal[0] * (x[0] - point[0]);
    for (Index i = 1; i < point.size(); ++i) value = value + normal[i] * (x[i] - point[i]);
    return value;
  });
  event.direction = direction;
  event.action = Action::record;
  event.initially = Initially::wait;
  return event;
}

}  // namespace

SectionMap::SectionMap(const Automaton& problem, const Options& options, double start, double period)
    : problem_(problem), options_(map_options(options)), start_(start), period_(period) {}

SectionMap::SectionMap(const Automaton& problem, const Options& options, double start, Vector point,
                       Vector normal, Index returns, double most_time)
    : problem_(with_event(with_event(problem, crossing_of(point, normal, kLeaves, Direction::falling)),
                          crossing_of(point, normal, kReturns, Direction::rising))),
      options_(map_options(options)),
      start_(start),
      period_(most_time),
      returns_(returns) {}

std::optional<SectionState> SectionMap::operator()(const SectionState& from) {
  return follow({.start = start_, .end = start_ + period_, .state = from.state, .location = from.location},
                returns_, false);
}

std::optional<SectionState> SectionMap::arrive(const SectionState& from, double t,
                                               const std::optional<Mode>& mode) {
  const bool is_driven = returns_ == 0;
  return follow({.start = t,
                 .end = is_driven ? start_ + period_ : t + period_,
                 .state = from.state,
                 .location = from.location,
                 .mode = mode},
                is_driven ? 0 : 1, true);
}

// A state on the plane may lie behind it by rounding and cross it at once: a return comes after the other side.
std::optional<SectionState> SectionMap::follow(const Run& run, Index returns, bool begins_behind) {
  ++runs_;
  Index count = 0;
  bool is_behind = begins_behind;
  SectionState arrived;
  Options options = options_;
  if (returns > 0) {
    options.on_event = [&](const EventRecord& event) {
      if (event.name == kLeaves) is_behind = true;
      if (event.name != kReturns || !std::exchange(is_behind, false)) return Answer::go_on;
      return ++count < returns ? Answer::go_on : Answer::stop;
    };
  }
  const Solution solution = Simulator(problem_, options).run(run);
  const bool has_come = returns > 0 ? count == returns : solution.outcome.reached_end();
  if (!has_come) {
    failure_ = "a run ends at t = " + number_text(solution.outcome.t) + " as " +
               to_string(solution.outcome.status) +
               (solution.outcome.message.empty() ? "" : ": " + solution.outcome.message);
    if (returns > 0 && solution.outcome.reached_end()) failure_ = "a run does not return to the plane";
    return std::nullopt;
  }
  return SectionState{.state = solution.final.state, .location = solution.final.location};
}

}  // namespace slideway
