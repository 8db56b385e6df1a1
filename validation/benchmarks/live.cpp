// A run that its caller drives beside one run over sampled inputs: a block with dry friction, whose force is set every millisecond.
// The same inputs are set by a time event of one run, by LiveRun::set_discrete between advances, and by a run for every millisecond.
// Runs alternate, and times are medians of processor time.
//
// usage: benchmark_live [steps [repetitions]]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include <fmt/core.h>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/live_run.hpp"

namespace {

using namespace slideway;

constexpr double kPeriod = 1e-3;

double force(double k) { return 0.8 * std::sin(2e-3 * k); }

// x'' = u − x − 0.4 sgn x', with u held between the times at which it is set.
struct Block {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = x[2] - x[0] - 0.4 * lambda[0];
  }
};

struct Followed {
  double x = 0;
  std::size_t changes = 0;  // of the mode
};

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::size_t mode_changes(const EventLog& events) {
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(), [](const EventRecord& event) { return !(event.from == event.to); }));
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20'000;
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const System block = from_functor(Block{}, {.states = 3, .surfaces = 1, .discrete = 1});
  const System sampled = block.with_time_events(
      {{.name = "sample", .period = kPeriod, .reset = [](double t, ConstVectorRef, VectorRef after) {
          after[2] = force(std::round(t / kPeriod));
        }}});
  const Vector start{{1, 0, 0}};
  const double end = steps * kPeriod;
  fmt::print("{:<8} {:>14} {:>14} {:>14}   µs a step; steps of 1 ms: {}\n", "method", "one run", "live",
             "runs", steps);
  bool is_dear = false;
  for (const Method method :
       {Method::automatic, Method::dopri5, Method::dop853, Method::rodas, Method::bdf}) {
    for (const Recording recording : {Recording::nothing, Recording::dense}) {
      const Options options{.method = method, .recording = recording};
      const std::vector<std::function<Followed()>> ways = {
          [&] {
            const Solution solution =
                Simulator(sampled, options).run({.start = 0, .end = end, .state = start});
            return Followed{solution.final.state[0], mode_changes(solution.events)};
          },
          [&] {
            const Simulator simulator(block, options);
            LiveRun live(simulator, {.start = 0, .end = end, .state = start});
            for (int k = 0; k < steps; ++k) {
              live.set_discrete(2, force(k));
              live.advance_to((k + 1) * kPeriod);
            }
            return Followed{live.state()[0], mode_changes(live.events())};
          },
          [&] {
            const Simulator simulator(block, options);
            Run run{.start = 0, .end = 0, .state = start};
            std::size_t changes = 0;
            for (int k = 0; k < steps; ++k) {
              run.start = k * kPeriod;
              run.end = (k + 1) * kPeriod;
              run.state[2] = force(k);
              const Solution solution = simulator.run(run);
              changes += mode_changes(solution.events);
              run.state = solution.final.state;
              run.mode = solution.final.mode;
            }
            return Followed{run.state[0], changes};
          }};
      std::vector<std::vector<double>> times(ways.size());
      std::vector<Followed> found(ways.size());
      for (int k = 0; k < repetitions; ++k) {
        for (std::size_t way = 0; way < ways.size(); ++way) {
          const double began = seconds();
          found[way] = ways[way]();
          times[way].push_back(seconds() - began);
        }
      }
      std::vector<double> medians;
      for (std::vector<double>& one : times) {
        std::nth_element(one.begin(), one.begin() + repetitions / 2, one.end());
        medians.push_back(1e6 * one[static_cast<std::size_t>(repetitions / 2)] / steps);
      }
      fmt::print(
          "{:<8} {:>14.2f} {:>14.2f} {:>14.2f}   {}  live/one {:.2f}  x {:.9f} {:.9f} {:.9f}  changes {} "
          "{}\n",
          to_string(method), medians[0], medians[1], medians[2],
          recording == Recording::dense ? "recorded" : "not recorded", medians[1] / medians[0], found[0].x,
          found[1].x, found[2].x, found[0].changes, found[1].changes);
      is_dear = is_dear || medians[1] > 1.3 * medians[0];
    }
  }
  if (is_dear) fmt::print("a live run costs more than 1.3 of one run\n");
  return is_dear ? 1 : 0;
}
