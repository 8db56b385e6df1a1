// slideway beside the hand-written CVODE programs on the same problems: events, evaluations, steps, wall time and error.
// The runs alternate, and times are medians. Every call of a user function counts as one, on both sides; slideway's
// own counts are compared with those of a functor that counts its calls.
//
// usage: benchmark_side_by_side [repetitions]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>

#include <fmt/core.h>

#include "models/dry_friction.hpp"
#include "models/evaporator.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
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
  std::function<benchmarks::HandWrittenResult(bool stiff, double rtol)> by_hand;
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

template <class Work>
double seconds(Work work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
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

// Prints one comparison; false if a target is missed or an event list is wrong.
bool compare(const Problem& problem, Method method, double rtol, int repetitions) {
  const bool stiff = method == Method::bdf;
  const Run run{
      .start = 0,
      .end = problem.end,
      .state = Eigen::Map<const Vector>(problem.start.data(), static_cast<Index>(problem.start.size()))};
  const Simulator recording = simulator(problem.system, method, rtol, Recording::dense);
  const Simulator streaming = simulator(problem.system, method, rtol, Recording::nothing);

  benchmarks::HandWrittenResult by_hand;
  Solution solution;
  std::vector<double> by_hand_seconds, streaming_seconds, recording_seconds;
  for (int k = 0; k < repetitions; ++k) {
    by_hand_seconds.push_back(seconds([&] { by_hand = problem.by_hand(stiff, rtol); }));
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
  const bool met = field_ratio <= 1.2 && all_ratio <= 2 && wall_ratio <= 1.5;
  fmt::print(
      "    ratio         field {:.2f} (at most 1.2)  all {:.2f} (2)  wall {:.2f} (1.5), recording {:.2f}{}\n",
      field_ratio, all_ratio, wall_ratio, median(recording_seconds) / hand.seconds, met ? "" : "   MISSED");
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
  Problem problem{
      .name = "200 periods of dry friction",
      .end = end,
      .start = {2, 0},
      .system = from_functor(functor, dimensions),
      .counted =
          [=](std::int64_t* calls) {
            return from_functor(Counted<models::DryFriction>{functor, calls}, dimensions);
          },
      .by_hand =
          [=](bool stiff, double rtol) {
            return benchmarks::HandWrittenProgram(hand_written, stiff, rtol, rtol / 100).run({2, 0}, end);
          },
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
              [](bool stiff, double rtol) {
                return benchmarks::HandWrittenProgram(benchmarks::HandWrittenEvaporator{}, stiff, rtol,
                                                      rtol / 100)
                    .run({0, 0}, 60);
              },
          .times = {-15 * std::log(0.6), 10.98419612553311376255196},
          .modes = "-+0",
          .final = {std::sqrt(0.1 * 0.15 / 2), 0.1}};
}

}  // namespace

int main(int count, char** words) {
  const int repetitions = count > 1 ? std::max(1, std::atoi(words[1])) : 15;
  bool met = true;
  for (const Problem& problem : {oscillator(), evaporator()}) {
    fmt::print("{}\n    {:<13} {:>11} {:>10} {:>11} {:>9} {:>9} {:>8} {:>9}\n", problem.name, "", "events",
               "time error", "final error", "field", "all", "steps", "ms");
    for (const Method method : {Method::bdf, Method::adams}) {
      for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10})
        met = compare(problem, method, rtol, repetitions) && met;
    }
  }
  return met ? 0 : 1;
}
