// The gallery, memory and mass: hysteresis, backlash, walkers, and a mass matrix, beside closed forms and programs of their own.
#include <algorithm>
#include <cmath>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("every branch of Bouc and Wen's loops is the exponential that it has to be") {
  for (const double rtol : {1e-6, 1e-10}) {
    const GalleryRun run = follow("bouc_wen", {.rtol = rtol, .method = Method::dopri5});
    const double A = run.parameter("A"), beta = run.parameter("beta"), gamma = run.parameter("gamma");
    const EventLog& events = run.solution.events;
    REQUIRE(events.size() == 30);
    double worst = 0, largest = 0;
    for (std::size_t k = 1; k < events.size(); ++k) {
      const double x0 = run.after(events[k - 1], "x"), z0 = run.after(events[k - 1], "R_z");
      const double x = run.before(events[k], "x"), z = run.before(events[k], "R_z");
      const double side = z + z0 > 0 ? 1 : -1;
      const double kappa = (x > x0 ? 1 : -1) * side * beta + gamma;
      // Of |z| over side·x: A - kappa·|z|.
      const double expected = A / kappa + (side * z0 - A / kappa) * std::exp(-kappa * side * (x - x0));
      worst = std::max(worst, std::abs(side * z - expected));
      largest = std::max(largest, std::abs(z));
    }
    CHECK(worst < 100 * rtol);
    CHECK(largest < A / (beta + gamma));
  }
}

TEST_CASE(
    "Preisach's relays end as the turning points of the field leave them, and magnetise as a program of "
    "their own") {
  const GalleryRun run = follow("preisach", {.rtol = 1e-8, .method = Method::dopri5});
  const int parts = static_cast<int>(run.parameter("M"));
  const double a = run.parameter("a"), d = run.parameter("d"), end = run.instance.end;
  const auto field = [&](double t) { return a * std::exp(-d * t) * std::sin(t); };
  std::vector<double> up, down, relay(static_cast<std::size_t>(parts * parts), -1);
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; j < parts; ++j) {
      const double one = -1 + (2 * i + 1.0) / parts, other = -1 + (2 * j + 1.0) / parts;
      up.push_back(std::max(one, other) + 1e-9);
      down.push_back(std::min(one, other) - 1e-9);
    }
  }
  for (std::size_t k = 0; k < relay.size(); ++k) relay[k] = field(0) > up[k] ? 1 : -1;
  constexpr int steps = 1'000'000;
  double integral = 0, magnetisation = 0;
  for (int n = 0; n < steps; ++n) {
    const double h = field((n + 0.5) * end / steps);
    magnetisation = 0;
    for (std::size_t k = 0; k < relay.size(); ++k) {
      if (h > up[k]) relay[k] = 1;
      if (h < down[k]) relay[k] = -1;
      magnetisation += relay[k];
    }
    integral += magnetisation / static_cast<double>(relay.size()) * end / steps;
  }
  CHECK(std::abs(run.final("p") - integral) < 1e-3);
  // A pair and its opposite are one relay, in the order in which they come first.
  const Index first = run.index("p") + 1;
  REQUIRE(run.solution.final.state.size() == first + parts * (parts + 1) / 2);
  double left = 0;
  Index relays = 0;
  for (int i = 0; i < parts; ++i) {
    for (int j = i; j < parts; ++j) {
      const double value = run.solution.final.state[first + relays++];
      left += i == j ? value : 2 * value;
    }
  }
  CHECK(left == magnetisation);
}

TEST_CASE("the play of a gear train carries its output as clamping from instant to instant does") {
  for (const double rtol : {1e-6, 1e-10}) {
    const GalleryRun run = follow("backlash", {.rtol = rtol, .method = Method::dopri5});
    const double r = run.parameter("r"), end = run.instance.end;
    constexpr int steps = 2'000'000;
    // The play begins at 0, where its walls let it.
    double y = std::clamp(0.0, 0.4 * std::sin(0.5) - r, 0.4 * std::sin(0.5) + r), work = 0;
    for (int n = 1; n <= steps; ++n) {
      const double t = n * end / steps;
      const double u = std::sin(t) + 0.4 * std::sin(3 * t + 0.5);
      const double next = std::clamp(y, u - r, u + r);
      work += u * (next - y);
      y = next;
    }
    CHECK(std::abs(run.final("y") - y) < 100 * rtol + 1e-9);
    CHECK(std::abs(run.final("work") - work) < 100 * rtol + 1e-4);
  }
}

TEST_CASE("the simplest walker keeps the gait of its sources, step after step") {
  const GalleryRun run = follow("simplest_walker", {.rtol = 1e-12, .method = Method::dop853});
  const EventLog strikes = run.events(EventKind::reset, "heel-strike");
  REQUIRE(strikes.size() == 15);
  CHECK(run.final("steps") == 15);
  for (const EventRecord& strike : strikes) {
    CHECK(std::abs(run.after(strike, "theta") - run.parameter("theta0")) < 1e-9);
    CHECK(std::abs(run.after(strike, "omega") - run.parameter("omega0")) < 1e-9);
    CHECK(std::abs(run.after(strike, "phi") - 2 * run.parameter("theta0")) < 1e-9);
    CHECK(std::abs(run.after(strike, "dphi") + 0.015822999948318) < 1e-9);
  }
}

TEST_CASE("the rimless wheel comes to the speed at which the slope makes up for its impacts") {
  const GalleryRun run = follow("rimless_wheel", {.rtol = 1e-10, .method = Method::dopri5});
  const double alpha = run.parameter("alpha"), gamma = run.parameter("gamma");
  const double c = std::cos(2 * alpha) * std::cos(2 * alpha);
  const double gain = 2 * (std::cos(gamma - alpha) - std::cos(gamma + alpha));
  double square = run.parameter("w0") * run.parameter("w0");
  const EventLog impacts = run.events(EventKind::reset, "next spoke");
  REQUIRE(impacts.size() > 30);
  for (const EventRecord& impact : impacts) {
    square = c * (square + gain);
    CHECK(run.after(impact, "omega") == near(std::sqrt(square), 1e-8));
  }
  CHECK(square == near(c * gain / (1 - c), 1e-6));
}

TEST_CASE(
    "a cart with a pendulum stops and starts where friction can hold it, and loses what friction takes") {
  const GalleryRun run = follow("cart_pendulum", {.rtol = 1e-10, .method = Method::dopri5});
  const auto p = [&](const char* name) { return run.parameter(name); };
  const double M = p("M"), m = p("m"), l = p("l"), g = p("g"), F = p("F");
  const auto energy = [&](const Vector& s) {
    const double phi = s[run.index("phi")], v = s[run.index("v")], w = s[run.index("w")];
    return 0.5 * (M + m) * v * v + m * l * std::cos(phi) * v * w + 0.5 * m * l * l * w * w -
           m * g * l * std::cos(phi);
  };
  CHECK(energy(run.solution.final.state) + run.final("loss") == near(energy(run.instance.state), 1e-8));
  // While the cart is at rest its track holds m·l·(w² sin φ - φ'' cos φ), φ'' = -g/l·sin φ.
  const EventLog exits = run.events(EventKind::sliding_exit);
  REQUIRE(exits.size() > 10);
  for (const EventRecord& exit : exits) {
    const double phi = run.before(exit, "phi"), w = run.before(exit, "w");
    if (exit.t == 0) continue;
    CHECK(std::abs(m * l * w * w * std::sin(phi) + m * g * std::sin(phi) * std::cos(phi)) == near(F, 1e-7));
  }
}
