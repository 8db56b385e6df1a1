// slideway beside hand-written programs, with CVODE and with dopri5, on the same problems: events, evaluations, steps, time
// and error. The runs alternate, and times are medians of processor time, which other programs on the machine disturb less
// than the clock on the wall. Every call of a user function counts as one, on both sides;
// slideway's own counts are compared with those of a functor that counts its calls.
//
// usage: benchmark_side_by_side [repetitions, 1 or more [bdf | adams | dopri5 | auto]]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numbers>

#include <fmt/core.h>

#include "models/belt.hpp"
#include "models/dry_friction.hpp"
#include "models/evaporator.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/benchmarks/hand_written_belt.hpp"
#include "validation/benchmarks/hand_written_dopri5.hpp"
#include "validation/benchmarks/hand_written_evaporator.hpp"
#include "validation/benchmarks/hand_written_oscillator.hpp"
#include "validation/closed_form_oscillator.hpp"

namespace {

using namespace slideway;

// A functor that counts its calls, those with dual numbers too.
template <class Functor>
struct Counted : Functor {
  std::int64_t* calls;
  void guards(auto t, const auto& x, auto&& h) const {
    ++calls[0];
    Functor::guards(t, x, h);
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    ++calls[1];
    Functor::field(t, x, lambda, dx);
  }
};

struct Problem {
  const char* name;
  double end;
  std::vector<double> start;
  System system;
  std::function<System(std::int64_t*)> counted;
  std::function<benchmarks::HandWrittenResult(Method method, double rtol)> by_hand;
  std::vector<Method> methods;
  std::vector<double> times;  // of the exact solution
  std::string modes;
  std::vector<double> final;
};

// Both programs, reduced to what is compared.
struct Outcome {
  bool exact_events = false;
  std::size_t events = 0;
  double time_error = 0;
  double final_error = 0;
  std::int64_t integrator = 0;
  std::int64_t all = 0;
  std::int64_t steps = 0;
  double seconds = 0;
};

Outcome compared(const Problem& problem, const std::vector<double>& times, const std::string& modes,
                 const double* final) {
  Outcome outcome;
  outcome.events = times.size();
  outcome.exact_events = modes == problem.modes;
  for (std::size_t k = 0; k < std::min(times.size(), problem.times.size()); ++k) {
    outcome.time_error = std::max(outcome.time_error, std::abs(times[k] - problem.times[k]));
  }
  for (std::size_t i = 0; i < problem.final.size(); ++i) {
    outcome.final_error = std::max(outcome.final_error, std::abs(final[i] - problem.final[i]));
  }
  return outcome;
}

// The time of one repetition: the first of short ones measure what the caches do not hold yet.
template <class Work>
double seconds(Work work) {
  constexpr double least = 0.005;
  const std::clock_t began = std::clock();
  double sum = 0;
  int repetitions = 0;
  while (sum < least) {
    work();
    ++repetitions;
    sum = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  }
  return sum / repetitions;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Simulator simulator(const System& system, Method method, double rtol, Recording recording) {
  Options options;
  options.rtol = rtol;
  options.atol = Tolerance(rtol / 100);
  options.method = method;
  options.recording = recording;
  return Simulator(system, options);
}

void print(const char* who, const Outcome& outcome) {
  fmt::print("    {:<13} {:>5}{} {:>10.1e} {:>11.1e} {:>9} {:>9} {:>8} {:>9.3f}\n", who, outcome.events,
             outcome.exact_events ? "      " : " WRONG", outcome.time_error, outcome.final_error,
             outcome.integrator, outcome.all, outcome.steps, 1e3 * outcome.seconds);
}

double ratio(std::int64_t ours, std::int64_t theirs) {
  return static_cast<double>(ours) / static_cast<double>(theirs);
}

// The time that slideway may take, in parts of the hand-written program with the same method.
struct Targets {
  double field;
  double all;
  double wall;
};

// `auto` takes dopri5, and dop853 where the tolerance is tight; by hand there is dopri5.
bool is_one_step(Method method) { return method == Method::dopri5 || method == Method::automatic; }

Targets targets(Method method) { return {.field = 1.05, .all = 2, .wall = is_one_step(method) ? 2 : 1.15}; }

template <class HandWritten>
benchmarks::HandWrittenResult run_by_hand(const HandWritten& problem, Method method, double rtol,
                                          const std::vector<double>& start, double end) {
  if (is_one_step(method)) return benchmarks::HandWrittenDopri5(problem, rtol, rtol / 100).run(start, end);
  return benchmarks::HandWrittenProgram(problem, method == Method::bdf, rtol, rtol / 100).run(start, end);
}

// Prints one comparison; false if a target is missed or an event list is wrong.
bool compare(const Problem& problem, Method method, double rtol, int repetitions) {
  const Run run{
      .start = 0,
      .end = problem.end,
      .state = Eigen::Map<const Vector>(problem.start.data(), static_cast<Index>(problem.start.size()))};
  const Simulator recording = simulator(problem.system, method, rtol, Recording::dense);
  const Simulator streaming = simulator(problem.system, method, rtol, Recording::nothing);

  benchmarks::HandWrittenResult by_hand;
  Solution solution;
  std::vector<double> by_hand_seconds, streaming_seconds, recording_seconds, cvode_seconds;
  for (int k = 0; k < repetitions; ++k) {
    if (is_one_step(method)) cvode_seconds.push_back(seconds([&] { problem.by_hand(Method::adams, rtol); }));
    by_hand_seconds.push_back(seconds([&] { by_hand = problem.by_hand(method, rtol); }));
    streaming_seconds.push_back(seconds([&] { solution = streaming.run(run); }));
    recording_seconds.push_back(seconds([&] { solution = recording.run(run); }));
  }

  Outcome hand = compared(problem, by_hand.times, by_hand.modes, by_hand.final.data());
  hand.integrator = by_hand.field_evaluations;
  hand.all = by_hand.field_evaluations + by_hand.guard_evaluations;
  hand.steps = by_hand.steps;
  hand.seconds = median(by_hand_seconds);

  std::vector<double> times;
  std::string modes = solution.initial.mode.word();
  for (const EventRecord& event : solution.events) {
    times.push_back(event.t);
    modes += event.to ? event.to->word() : "?";
  }
  Outcome ours = compared(problem, times, modes, solution.final.state.data());
  const Statistics& statistics = solution.statistics;
  ours.integrator = statistics.integrator_evaluations;
  ours.all = statistics.field_evaluations + statistics.guard_evaluations;
  ours.steps = statistics.steps;
  ours.seconds = median(streaming_seconds);

  std::int64_t calls[2] = {0, 0};
  const Solution counted = simulator(problem.counted(calls), method, rtol, Recording::dense).run(run);

  fmt::print("  {} rtol {:.0e}\n", to_string(method), rtol);
  print("by hand", hand);
  print("slideway", ours);
  const double field_ratio = ratio(ours.integrator, hand.integrator);
  const double all_ratio = ratio(ours.all, hand.all);
  const double wall_ratio = ours.seconds / hand.seconds;
  const Targets most = targets(method);
  const bool met = field_ratio <= most.field && all_ratio <= most.all && wall_ratio <= most.wall;
  fmt::print(
      "    ratio         field {:.2f} (at most {})  all {:.2f} ({})  time {:.2f} ({}), recording {:.2f}{}\n",
      field_ratio, most.field, all_ratio, most.all, wall_ratio, most.wall,
      median(recording_seconds) / hand.seconds, met ? "" : "   MISSED");
  if (!cvode_seconds.empty()) {
    fmt::print("    speed         slideway {:.1f} and by hand {:.1f} times that of CVODE (Adams) by hand\n",
               median(cvode_seconds) / ours.seconds, median(cvode_seconds) / hand.seconds);
  }
  fmt::print(
      "    calls         field {} guards {} Jacobians {}; counted by the functor, duals included: field {} "
      "guards {}\n",
      statistics.field_evaluations, statistics.guard_evaluations, statistics.jacobian_evaluations, calls[1],
      calls[0]);
  return met && hand.exact_events && ours.exact_events && counted.outcome.reached_end();
}

Problem oscillator() {
  const benchmarks::HandWrittenOscillator hand_written;
  const models::DryFriction functor;
  const double end = 200 * 2 * std::numbers::pi / functor.w;
  const Dimensions dimensions{.states = 2, .surfaces = 1};
  const validation::OscillatorMotion exact = validation::ClosedFormOscillator({.end = end}).solve();
  Problem problem{.name = "200 periods of dry friction",
                  .end = end,
                  .start = {2, 0},
                  .system = from_functor(functor, dimensions),
                  .counted =
                      [=](std::int64_t* calls) {
                        return from_functor(Counted<models::DryFriction>{functor, calls}, dimensions);
                      },
                  .by_hand =
                      [=](Method method, double rtol) {
                        return run_by_hand(hand_written, method, rtol, {2, 0}, end);
                      },
                  .methods = {Method::bdf, Method::adams, Method::dopri5, Method::automatic},
                  .times = {},
                  .modes = std::string(1, exact.initial_mode),
                  .final = {static_cast<double>(exact.position), static_cast<double>(exact.velocity)}};
  for (const validation::OscillatorEvent& event : exact.events) {
    problem.times.push_back(static_cast<double>(event.t));
    problem.modes += event.to;
  }
  return problem;
}

Problem evaporator() {
  const models::Evaporator functor;
  const Dimensions dimensions{.states = 2, .surfaces = 1};
  return {.name = "evaporator",
          .end = 60,
          .start = {0, 0},
          .system = from_functor(functor, dimensions),
          .counted =
              [=](std::int64_t* calls) {
                return from_functor(Counted<models::Evaporator>{functor, calls}, dimensions);
              },
          .by_hand =
              [](Method method, double rtol) {
                return run_by_hand(benchmarks::HandWrittenEvaporator{}, method, rtol, {0, 0}, 60);
              },
          .methods = {Method::bdf, Method::adams},
          .times = {-15 * std::log(0.6), 10.98419612553311376255196},
          .modes = "-+0",
          .final = {std::sqrt(0.1 * 0.15 / 2), 0.1}};
}

// Its solution has no closed form: the reference is the hand-written program at a tolerance far below those compared.
Problem belt() {
  const benchmarks::HandWrittenBelt hand_written;
  const models::Belt functor;
  const Dimensions dimensions{.states = 2, .surfaces = 1};
  constexpr int cycles = 1000;
  // The block starts at rest on the belt, where the spring is relaxed.
  const std::vector<double> start = {0, hand_written.belt};
  const auto reference = [&](double end) {
    return run_by_hand(hand_written, Method::dopri5, 1e-13, start, end);
  };
  // A cycle begins each time the block begins to stick; a few show how long it takes.
  const std::vector<double> first = reference(100).times;
  const double cycle = first[5] - first[3];
  const double end = first[1] + (cycles - 0.5) * cycle;
  const benchmarks::HandWrittenResult exact = reference(end);
  return {.name = "1000 cycles of a block on a Stribeck belt",
          .end = end,
          .start = start,
          .system = from_signs(functor, dimensions),
          .counted =
              [=](std::int64_t* calls) {
                return from_signs(Counted<models::Belt>{functor, calls}, dimensions);
              },
          .by_hand = [=](Method method,
                         double rtol) { return run_by_hand(hand_written, method, rtol, start, end); },
          .methods = {Method::bdf, Method::adams, Method::dopri5, Method::automatic},
          .times = exact.times,
          .modes = exact.modes,
          .final = exact.final};
}

}  // namespace

int main(int count, char** words) {
  const int repetitions = count > 1 ? std::atoi(words[1]) : 15;
  const std::string only = count > 2 ? words[2] : "";
  bool known = only.empty();
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::automatic})
    known = known || only == to_string(method);
  if (count > 3 || repetitions < 1 || !known) {
    fmt::print(stderr,
               "usage: benchmark_side_by_side [repetitions, 1 or more [bdf | adams | dopri5 | auto]]\n");
    return 2;
  }
  bool met = true;
  for (const Problem& problem : {oscillator(), belt(), evaporator()}) {
    fmt::print("{}\n    {:<13} {:>11} {:>10} {:>11} {:>9} {:>9} {:>8} {:>9}\n", problem.name, "", "events",
               "time error", "final error", "field", "all", "steps", "ms");
    for (const Method method : problem.methods) {
      if (!only.empty() && only != to_string(method)) continue;
      for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10})
        met = compare(problem, method, rtol, repetitions) && met;
    }
  }
  return met ? 0 : 1;
}
