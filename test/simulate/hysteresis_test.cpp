// Hysteresis bands: chattering at a rate of 1/band, and its limit, the sliding motion.
#include <cmath>

#include "models/registry.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x' = ∓1 + 0.5 with a relay that turns over at ±band: a sawtooth.
Automaton sawtooth(double band) {
  const auto field = [](double side) {
    return smooth(2, [side](auto, const auto&, auto&& dx) {
      dx[0] = 0.5 - side;
      dx[1] = side;
    });
  };
  return Automaton({{"minus", field(-1)}, {"plus", field(1)}},
                   {{"up", "minus", "plus", component(0, band), Direction::rising, {}, ""},
                    {"down", "plus", "minus", component(0, -band), Direction::falling, {}, ""}},
                   "minus");
}

// The model evaporator, which slides.
Solution sliding_evaporator(double end) {
  const ModelInstance instance = models::find_model("evaporator").instantiate({});
  return Simulator(instance.problem(), with(Method::adams, 1e-11))
      .run({.start = 0, .end = end, .state = instance.state});
}

}  // namespace

TEST_CASE("the sawtooth of a relay with hysteresis has its exact turns") {
  for_every_method([](const Options& options) {
    constexpr double band = 0.01;
    const Solution solution = run(sawtooth(band), {0, 0}, 4, options);
    REQUIRE(solution.outcome.reached_end());
    // Up at 1.5: first 0.01/1.5, later 0.02/1.5; down at 0.5: 0.02/0.5.
    const double up = 2 * band / 1.5, down = 2 * band / 0.5;
    double t = band / 1.5;
    for (std::size_t k = 0; k < solution.events.size(); ++k) {
      CHECK(error(solution.events[k].t, t) < 1e-9);
      t += k % 2 == 0 ? down : up;
    }
    CHECK(t > 4);
    CHECK(solution.events.size() == 150);
  });
}

TEST_CASE("chattering in a narrow band is followed event by event") {
  constexpr double band = 1e-5;
  const Solution solution = run(sawtooth(band), {0, 0}, 1, with(Method::dopri5, 1e-6));
  REQUIRE(solution.outcome.reached_end());
  const double period = 2 * band / 1.5 + 2 * band / 0.5;
  CHECK(static_cast<double>(solution.events.size()) == doctest::Approx(2 / period).epsilon(1e-4));
  // The mean of the relay is Filippov's λ = 0.5.
  CHECK(solution.final.state[1] == doctest::Approx(0.5).epsilon(1e-4));
}

TEST_CASE("a hysteresis band around the evaporator's overflow converges to sliding with first order") {
  for (const Method method : every_method) {
    CAPTURE(std::string(to_string(method)));
    constexpr double end = 30;
    const Solution limit = sliding_evaporator(end);
    double before = 0;
    for (const double band : {4e-3, 1e-3, 2.5e-4, 6.25e-5}) {
      CAPTURE(band);
      const ModelInstance instance = models::find_model("hysteresis-evaporator").instantiate({{"eps", band}});
      const Solution solution = Simulator(instance.problem(), with(method, 1e-9))
                                    .run({.start = 0, .end = end, .state = instance.state});
      REQUIRE(solution.outcome.reached_end());
      // The level is anywhere in the band, and so is the phase of the chattering: the worst over a period counts.
      double level = 0, pressure = 0;
      for (int k = 0; k <= 2000; ++k) {
        const double t = end - 4 + 0.002 * k;
        const Vector apart = (solution.trajectory(t) - limit.trajectory(t)).cwiseAbs();
        pressure = std::max(pressure, apart[0]);
        level = std::max(level, apart[1]);
      }
      CHECK(level == doctest::Approx(band).epsilon(0.05));
      CHECK(pressure < 12 * band);
      // A quarter of the band, a quarter of the distance.
      if (before > 0) CHECK(pressure / before == doctest::Approx(0.25).epsilon(0.3));
      before = pressure;
    }
  }
}

TEST_CASE("a thermostat switches at the times of its closed form") {
  for_every_method([](const Options& options) {
    const ModelInstance instance = models::find_model("thermostat").instantiate({});
    const Solution solution =
        Simulator(instance.problem(), options).run({.start = 0, .end = 20, .state = instance.state});
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 7);
    const double heat = 10 * std::log(16.0 / 14.5), cool = 10 * std::log(5.5 / 4);
    double t = 10 * std::log(23 / 14.5);
    for (std::size_t k = 0; k < 7; ++k) {
      CHECK(error(solution.events[k].t, t) < 1000 * options.rtol);
      CHECK(solution.events[k].kind == EventKind::transition);
      t += k % 2 == 0 ? cool : heat;
    }
  });
}
