// Pulse-coupled oscillators, all to all: the oracle against a play of its rules, and runs of the model file against the oracle, firing by
// firing.
#include <chrono>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/pulse_network.hpp"

using namespace slideway;
using namespace slideway::validation;

namespace {

std::vector<double> start_of(std::size_t count) {
  std::vector<double> start;
  for (std::size_t j = 1; j <= count; ++j) start.push_back(std::pow(std::sin(static_cast<double>(j)), 2));
  return start;
}

ModelInstance network(const PulseParameters& parameters, std::size_t count) {
  const std::string lift = parameters.absorbing ? "x[j] + eps*step(x[j])" : "x[j] + eps";
  return parse_model(
             "[parameters]\nN = 20\neps = 0.1\n[states]\nx = { size = \"N\", value = \"sin(i)^2\" }\n"
             "[derivatives]\nx = \"2 - x[i]\"\n[time]\nend = 5\n[[resets]]\nname = \"fire\"\nsize = \"N\"\n"
             "when = \"x[i] - 1\"\ndirection = \"rising\"\nset = { x = \"" +
                 lift + "\", \"x[i]\" = \"0\" }\n",
             "pulses.toml")
      .instantiate({{"N", static_cast<double>(count)}, {"eps", parameters.strength}});
}

bool same_firings(const PulseMotion& first, const PulseMotion& second) {
  if (first.firings.size() != second.firings.size()) return false;
  for (std::size_t k = 0; k < first.firings.size(); ++k) {
    if (first.firings[k].oscillator != second.firings[k].oscillator ||
        first.firings[k].round != second.firings[k].round)
      return false;
  }
  return true;
}

// Whether the exact motion keeps its avalanches when its start is moved by 100·rtol.
bool well_posed_at(double rtol, const PulseParameters& parameters, const std::vector<double>& start,
                   double end, const PulseMotion& exact) {
  std::mt19937_64 random(20240607);
  for (int draw = 0; draw < 3; ++draw) {
    std::vector<double> moved = start;
    for (double& x : moved)
      x = std::min(x + 100 * rtol * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1), 1 - 1e-15);
    if (!same_firings(exact, PulseNetwork(parameters, moved).solve(end))) return false;
  }
  return true;
}

// The rules played one firing after the other, by a march of small steps: slow, and right to about 1e-9.
PulseMotion played(const PulseParameters& parameters, const std::vector<double>& start, double end) {
  PulseMotion motion;
  std::vector<long double> x(start.begin(), start.end());
  long double t = 0;
  constexpr long double step = 1e-4L;
  const auto advance = [&](std::vector<long double>& state, long double time) {
    for (long double& one : state) {
      // Four terms of the exponential series.
      const long double rate = parameters.drive - parameters.leak * one, z = -parameters.leak * time;
      one += rate * time * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
    }
  };
  while (t < end) {
    std::vector<long double> next = x;
    const long double most = std::min(step, end - t);
    advance(next, most);
    if (*std::max_element(next.begin(), next.end()) < 1) {
      x = next;
      t += most;
      continue;
    }
    long double low = 0, high = most;
    for (int k = 0; k < 70; ++k) {
      const long double middle = (low + high) / 2;
      next = x;
      advance(next, middle);
      (*std::max_element(next.begin(), next.end()) < 1 ? low : high) = middle;
    }
    advance(x, high);
    t += high;
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] > 1 - 1e-12L) due.push_back(i);
    for (int round = 1; !due.empty(); ++round) {
      for (const std::size_t i : due) {
        motion.firings.push_back({t, i, round});
        for (std::size_t j = 0; j < x.size(); ++j)
          if (j != i && !(parameters.absorbing && x[j] == 0)) x[j] += parameters.strength;
        x[i] = 0;
      }
      due.clear();
      for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 1) due.push_back(i);
    }
  }
  motion.state = x;
  return motion;
}

void check_run(const PulseParameters& parameters, std::size_t count, double end, Method method, double rtol,
               const PulseMotion& exact) {
  CAPTURE(count);
  CAPTURE(parameters.strength);
  CAPTURE(std::string(to_string(method)));
  CAPTURE(rtol);
  const ModelInstance instance = network(parameters, count);
  Options options;
  options.rtol = rtol;
  options.method = method;
  options.recording = Recording::nothing;
  const Solution solution =
      Simulator(instance.problem(), options).run({.start = 0, .end = end, .state = instance.state});
  REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
  REQUIRE(solution.events.size() == exact.firings.size());
  CHECK(solution.warnings.empty());
  double worst = 0;
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < exact.firings.size(); ++k) {
    const EventRecord& event = solution.events[k];
    const Firing& firing = exact.firings[k];
    const bool same = event.kind == EventKind::reset &&
                      event.name == "fire" + std::to_string(firing.oscillator + 1) &&
                      event.round == firing.round;
    wrong += same ? 0 : 1;
    worst = std::max(worst, std::abs(event.t - static_cast<double>(firing.t)));
  }
  CHECK(wrong == 0);
  CHECK(worst <= 1000 * rtol * std::max(1.0, end));
  Index groups = 0;
  std::vector<double> values(solution.final.state.begin(), solution.final.state.end());
  std::sort(values.begin(), values.end());
  groups = std::unique(values.begin(), values.end()) - values.begin();
  if (parameters.absorbing) CHECK(groups == static_cast<Index>(exact.groups));
}

}  // namespace

TEST_CASE("the oracle of pulse-coupled oscillators agrees with a play of its rules") {
  for (const bool absorbing : {true, false}) {
    for (const double strength : {0.005, 0.02, 0.06}) {
      if (!absorbing && strength > 0.05) continue;
      const PulseParameters parameters{.strength = strength, .absorbing = absorbing};
      CAPTURE(absorbing);
      CAPTURE(strength);
      const PulseMotion exact = PulseNetwork(parameters, start_of(20)).solve(3);
      const PulseMotion brute = played(parameters, start_of(20), 3);
      REQUIRE(same_firings(exact, brute));
      for (std::size_t k = 0; k < exact.firings.size(); ++k)
        CHECK(std::abs(static_cast<double>(exact.firings[k].t - brute.firings[k].t)) < 1e-9);
    }
  }
}

TEST_CASE("twenty oscillators fire as they do exactly, avalanche by avalanche, and end in step") {
  std::size_t compared = 0;
  for (const PulseParameters& parameters :
       {PulseParameters{.strength = 0.1}, PulseParameters{.strength = 0.05},
        PulseParameters{.strength = 0.02}, PulseParameters{.strength = 0.005},
        PulseParameters{.strength = 0.02, .absorbing = false},
        PulseParameters{.strength = 0.005, .absorbing = false}}) {
    constexpr double end = 10;
    const PulseMotion exact = PulseNetwork(parameters, start_of(20)).solve(end);
    if (parameters.absorbing && parameters.strength > 0.01) CHECK(exact.groups == 1);
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      if (!well_posed_at(rtol, parameters, start_of(20), end, exact)) continue;
      for (const Method method :
           {Method::automatic, Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
        check_run(parameters, 20, end, method, rtol, exact);
        ++compared;
      }
    }
  }
  MESSAGE(compared << " runs compared");
  CHECK(compared >= 120);
}

TEST_CASE("a thousand oscillators fire as they do exactly, and end in step") {
  for (const double strength : {0.0012, 0.0004}) {
    const PulseParameters parameters{.strength = strength};
    const double end = strength > 0.001 ? 3 : 6;
    const PulseMotion exact = PulseNetwork(parameters, start_of(1000)).solve(end);
    CHECK(exact.groups == 1);
    for (const double rtol : {1e-10, 1e-12}) {
      REQUIRE(well_posed_at(rtol, parameters, start_of(1000), end, exact));
      const auto began = std::chrono::steady_clock::now();
      check_run(parameters, 1000, end, Method::automatic, rtol, exact);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
      MESSAGE(exact.firings.size() << " firings in " << taken.count() << " s");
    }
  }
}
