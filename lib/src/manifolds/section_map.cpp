#include "manifolds/section_map.hpp"

#include <utility>

#include "core/number_text.hpp"
#include "manifolds/with_event.hpp"

namespace slideway {

namespace {

// No name of a model has a blank.
constexpr const char* kReturns = "return to the plane";

Options map_options(const Options& asked) {
  Options options = asked;
  options.sensitivities = {};
  options.recording = Recording::nothing;
  options.output_times.clear();
  options.on_event = {};
  options.on_step = {};
  options.on_ambiguity = Ambiguity::stop;
  return options;
}

Event return_to(Vector point, Vector normal) {
  Event event;
  event.name = kReturns;
  event.when = Guard([point = std::move(point), normal = std::move(normal)](auto, const auto& x) {
    auto value = normal[0] * (x[0] - point[0]);
    for (Index i = 1; i < point.size(); ++i) value = value + normal[i] * (x[i] - point[i]);
    return value;
  });
  event.direction = Direction::rising;
  event.action = Action::record;
  event.initially = Initially::wait;
  return event;
}

}  // namespace

SectionMap::SectionMap(const Automaton& problem, const Options& options, double start, double period)
    : problem_(problem), options_(map_options(options)), start_(start), period_(period) {}

SectionMap::SectionMap(const Automaton& problem, const Options& options, double start, Vector point,
                       Vector normal, Index returns, double most_time)
    : problem_(with_event(problem, return_to(std::move(point), std::move(normal)))),
      options_(map_options(options)),
      start_(start),
      period_(most_time),
      returns_(returns) {}

std::optional<SectionState> SectionMap::operator()(const SectionState& from) {
  return follow({.start = start_, .end = start_ + period_, .state = from.state, .location = from.location},
                returns_);
}

std::optional<SectionState> SectionMap::arrive(const SectionState& from, double t,
                                               const std::optional<Mode>& mode) {
  const bool is_driven = returns_ == 0;
  return follow({.start = t,
                 .end = is_driven ? start_ + period_ : t + period_,
                 .state = from.state,
                 .location = from.location,
                 .mode = mode},
                is_driven ? 0 : 1);
}

std::optional<SectionState> SectionMap::follow(const Run& run, Index returns) {
  ++runs_;
  Index count = 0;
  SectionState arrived;
  Options options = options_;
  if (returns > 0) {
    options.on_event = [&](const EventRecord& event) {
      if (event.name != kReturns || ++count < returns) return Answer::go_on;
      return Answer::stop;
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
