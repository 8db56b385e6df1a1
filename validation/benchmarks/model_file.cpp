// A model file beside the same system as a C++ functor: dry friction, 200 periods. The runs alternate, and times are
// medians. Both find the same events, or the figures mean nothing.
//
// usage: benchmark_model_file [repetitions]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include <fmt/core.h>

#include "models/dry_friction.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

namespace {

using namespace slideway;

constexpr double most_ratio = 3;

const char* const text = R"toml(
[parameters]
mu = 0.4
A = 1
w = 0.5
[states]
x = 2
v = 0
[time]
end = 100
[surfaces]
stick = "v"
[derivatives]
x = "v"
v = "-x - mu*sgn(stick) + A*cos(w*t)"
)toml";

struct Timed {
  Solution solution;
  std::vector<double> seconds;

  void run(const System& system, const Options& options, const Run& run) {
    const auto began = std::chrono::steady_clock::now();
    solution = Simulator(system, options).run(run);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  double median() {
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<Index>(seconds.size() / 2),
                     seconds.end());
    return seconds[seconds.size() / 2];
  }
};

bool same_events(const Solution& a, const Solution& b) {
  if (a.events.size() != b.events.size()) return false;
  for (std::size_t k = 0; k < a.events.size(); ++k) {
    if (a.events[k].kind != b.events[k].kind || std::abs(a.events[k].t - b.events[k].t) > 1e-4) return false;
  }
  return true;
}

// Prints one comparison; whether it is within the limit.
bool compare(Method method, double rtol, int repetitions) {
  const models::DryFriction functor;
  const System native = from_functor(functor, {.states = 2, .surfaces = 1});
  const ModelInstance file = parse_model(text, "dry-friction.toml").instantiate({});
  const Run run{.start = 0, .end = 200 * 2 * std::numbers::pi / functor.w, .state = file.state};
  Options options;
  options.rtol = rtol;
  options.method = method;
  options.recording = Recording::nothing;

  Timed by_functor, by_file;
  for (int k = 0; k < repetitions; ++k) {
    by_functor.run(native, options, run);
    by_file.run(file.system, options, run);
  }
  const bool same = same_events(by_functor.solution, by_file.solution);
  const double ratio = by_file.median() / by_functor.median();
  fmt::print("{:<8} rtol {:.0e}   functor {:8.3f} ms   file {:8.3f} ms   ratio {:.2f} (at most {}){}{}\n",
             to_string(method), rtol, 1e3 * by_functor.median(), 1e3 * by_file.median(), ratio, most_ratio,
             ratio <= most_ratio ? "" : "   MISSED", same ? "" : "   DIFFERENT EVENTS");
  return same && ratio <= most_ratio;
}

}  // namespace

int main(int count, char** words) {
  const int repetitions = count > 1 ? std::max(1, std::atoi(words[1])) : 25;
  bool met = true;
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5}) {
    for (const double rtol : {1e-6, 1e-9}) met = compare(method, rtol, repetitions) && met;
  }
  return met ? 0 : 1;
}
