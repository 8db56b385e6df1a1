// The gallery, circuits: ideal diodes and switches, junctions and converters, beside closed forms and programs of explicit modes.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// i and v of a coil and a capacitor with a resistor, one mode of a converter: i' = (u - v)/L, v' = (i - v/R)/C, by Runge and Kutta.
struct Filter {
  double L, C, R;
  using State = std::array<double, 2>;

  State moved(State s, double u, bool blocked, double by) const {
    const auto rate = [&](const State& x) {
      return State{blocked ? 0 : (u - x[1]) / L, (x[0] - x[1] / R) / C};
    };
    const int steps = std::max(1, static_cast<int>(std::ceil(by / 2e-8)));
    const double h = by / steps;
    for (int k = 0; k < steps; ++k) {
      const auto at = [&](const State& k1, double part) {
        return State{s[0] + part * h * k1[0], s[1] + part * h * k1[1]};
      };
      const State k1 = rate(s), k2 = rate(at(k1, 0.5)), k3 = rate(at(k2, 0.5)), k4 = rate(at(k3, 1));
      for (std::size_t j = 0; j < 2; ++j) s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return s;
  }
};

}  // namespace

TEST_CASE("a full-wave rectifier conducts and blocks at the angles of the textbook") {
  for (const double rtol : {1e-6, 1e-10}) {
    const GalleryRun run = follow("full_wave_rectifier", {.rtol = rtol, .method = Method::dopri5});
    const double w = 2 * pi * run.parameter("f"), RC = run.parameter("R") * run.parameter("C"),
                 E = run.parameter("E");
    // It blocks where C·e' + e/R = 0, and conducts again where e has come up to the exponential.
    const double blocks = pi - std::atan(w * RC);
    const double conducts = root(pi, 1.5 * pi, [&](double angle) {
      return -std::sin(angle) - std::sin(blocks) * std::exp(-(angle - blocks) / (w * RC));
    });
    std::vector<double> on, off;
    for (const EventRecord& event : run.solution.events) {
      if (event.kind == EventKind::sliding_entry) on.push_back(w * event.t);
      if (event.kind == EventKind::sliding_exit) off.push_back(w * event.t);
    }
    REQUIRE(off.size() == 10);
    for (std::size_t k = 0; k < off.size(); ++k)
      CHECK(std::abs(off[k] - blocks - pi * static_cast<double>(k)) < 1000 * rtol);
    REQUIRE(on.size() >= 9);
    const std::size_t first = on.size() - 9;
    for (std::size_t k = 0; k < 9; ++k)
      CHECK(std::abs(on[first + k] - conducts - pi * static_cast<double>(k)) < 1000 * rtol);
    const double angle = w * 0.1 - 9 * pi - blocks;
    CHECK(std::abs(run.final("u") - E * std::sin(blocks) * std::exp(-angle / (w * RC))) < 1000 * rtol * E);
  }
}

TEST_CASE(
    "a buck converter with an ideal switch and diode goes through the modes of a program that has them") {
  const GalleryRun run = follow("buck_discontinuous", {.rtol = 1e-10, .method = Method::dopri5});
  const double T = run.parameter("T"), D = run.parameter("D"), V = run.parameter("V_in");
  const Filter filter{run.parameter("L"), run.parameter("C"), run.parameter("R")};
  Filter::State s = {0, 15};
  std::vector<double> times;
  for (int k = 0; k < 100; ++k) {
    s = filter.moved(s, V, false, D * T);
    const double rest = (1 - D) * T;
    if (filter.moved(s, 0, false, rest)[0] > 0) {
      s = filter.moved(s, 0, false, rest);
      continue;
    }
    const double ends = root(0, rest, [&](double by) { return filter.moved(s, 0, false, by)[0]; });
    times.push_back((k + D) * T + ends);
    s = filter.moved(s, 0, false, ends);
    s[0] = 0;
    s = filter.moved(s, 0, true, rest - ends);
  }
  const EventLog ends = run.events(EventKind::sliding_entry);
  REQUIRE(ends.size() >= times.size());
  std::vector<double> found;
  for (const EventRecord& event : ends)
    if (event.t > 0) found.push_back(event.t);
  REQUIRE(found.size() == times.size());
  for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(found[k] - times[k]) < 1e-12);
  CHECK(std::abs(run.final("v") - s[1]) < 1e-7);
  CHECK(std::abs(run.final("i") - s[0]) < 1e-7);
  // Erickson's ratio, of a ripple that is small.
  const double K = 2 * run.parameter("L") / (run.parameter("R") * T);
  CHECK(run.final("v") == doctest::Approx(2 * V / (1 + std::sqrt(1 + 4 * K / (D * D)))).epsilon(0.03));
}

TEST_CASE("a thyristor's current ends at the angle of the textbook in every period") {
  const GalleryRun run = follow("thyristor_rectifier", {.rtol = 1e-10});
  const double tangent = 2 * pi * run.parameter("f") * run.parameter("L") / run.parameter("R");
  const double p = std::atan(tangent), alpha = run.parameter("alpha");
  const double ends = root(pi, 1.9 * pi, [&](double b) {
    return std::sin(b - p) - std::sin(alpha - p) * std::exp(-(b - alpha) / tangent);
  });
  const EventLog ended = run.events(EventKind::transition, "extinction");
  REQUIRE(ended.size() == 5);
  for (std::size_t k = 0; k < 5; ++k)
    CHECK(std::abs(2 * pi * 50 * ended[k].t - 2 * pi * static_cast<double>(k) - ends) < 1e-6);
}

TEST_CASE("a Cuk converter approaches the voltage of discontinuous conduction") {
  const GalleryRun run = follow("cuk_converter", {.rtol = 1e-6, .end = 0.05});
  const double L = 1 / (1 / run.parameter("L1") + 1 / run.parameter("L2"));
  const double K = 2 * L / (run.parameter("R") * run.parameter("T"));
  CHECK(run.final("v2") ==
        doctest::Approx(run.parameter("Vg") * run.parameter("D") / std::sqrt(K)).epsilon(0.01));
}

TEST_CASE("a boost converter under current-mode control goes through the modes of a program that has them") {
  const GalleryRun run =
      follow("current_mode_boost", {.rtol = 1e-11, .method = Method::dopri5, .end = 0.002});
  const double E = run.parameter("E"), L = run.parameter("L"), C = run.parameter("C"), R = run.parameter("R"),
               T = run.parameter("T"), peak = run.parameter("I_ref");
  double i = 0.6, v = 13, t = 0;
  std::vector<double> times;
  for (int k = 0; k < 20; ++k) {
    // Closed: i rises at E/L, v decays.
    const double closed = (peak - i) * L / E;
    const double step = std::min(closed, T);
    i += step * E / L;
    v *= std::exp(-step / (R * C));
    t += step;
    if (closed >= T) continue;
    times.push_back(t);
    const double left = T - step;
    const int pieces = 20'000;
    const double h = left / pieces;
    const auto di = [&](double vv) { return (E - vv) / L; };
    const auto dv = [&](double ii, double vv) { return (ii - vv / R) / C; };
    for (int n = 0; n < pieces; ++n) {
      const double a1 = di(v), b1 = dv(i, v);
      const double a2 = di(v + h / 2 * b1), b2 = dv(i + h / 2 * a1, v + h / 2 * b1);
      const double a3 = di(v + h / 2 * b2), b3 = dv(i + h / 2 * a2, v + h / 2 * b2);
      const double a4 = di(v + h * b3), b4 = dv(i + h * a3, v + h * b3);
      i += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      v += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    t += left;
  }
  const EventLog peaks = run.events(EventKind::reset, "peak");
  REQUIRE(peaks.size() == times.size());
  for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(peaks[k].t - times[k]) < 1e-10);
}

TEST_CASE("a relay with a delay oscillates with four delays and the amplitude of one") {
  const GalleryRun run = follow("delayed_relay", {.rtol = 1e-10});
  const double tau = run.parameter("tau"), k = run.parameter("k");
  // x falls from 0.7 at the rate k; then zeros are two delays apart.
  std::vector<double> zeros;
  for (const EventRecord& event : run.events(EventKind::record)) zeros.push_back(event.t);
  REQUIRE(zeros.size() == 12);
  for (std::size_t n = 0; n < zeros.size(); ++n)
    CHECK(std::abs(zeros[n] - 0.7 / k - 2 * tau * static_cast<double>(n)) < 1e-9);
  for (const EventRecord& event : run.events(EventKind::reset))
    CHECK(std::abs(std::abs(run.before(event, "x")) - k * tau) < 1e-9);
}

TEST_CASE("the voltage of two junction diodes keeps its equation to rounding") {
  const GalleryRun run = follow("junction_clipper", {.rtol = 1e-8});
  REQUIRE(run.solution.outcome.reached_end());
  const double R = run.parameter("R"), I = run.parameter("I_s"), V = run.parameter("V_t"),
               Rc = run.parameter("R_c");
  // The same with the voltage found by bisection, in small steps of Runge and Kutta.
  const auto voltage = [&](double t, double z) {
    const double e = run.parameter("E") * std::sin(2 * pi * run.parameter("f") * t);
    return root(-5, 5, [&](double u) { return u - e + 2 * R * I * std::sinh(u / V) + R * (u - z) / Rc; });
  };
  const auto rate = [&](double t, double z) { return (voltage(t, z) - z) / (Rc * run.parameter("C")); };
  double z = 0;
  const int steps = 5000;
  const double h = run.instance.end / steps;
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    const double a = rate(t, z), b = rate(t + h / 2, z + h / 2 * a), c = rate(t + h / 2, z + h / 2 * b),
                 d = rate(t + h, z + h * c);
    z += h / 6 * (a + 2 * b + 2 * c + d);
  }
  CHECK(std::abs(run.final("z") - z) < 1e-7);
}
