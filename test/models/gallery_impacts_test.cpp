// The gallery, impacts and contacts: model files beside what is known of them, a closed form, a period or a balance. What is
// expected is computed here from the formulas, not taken from a run.
#include <algorithm>
#include <cmath>
#include <complex>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("the ball comes to rest at the accumulation point of its bounces") {
  const GalleryRun run = follow("bouncing_ball");
  const double fall = std::sqrt(2 / 9.81);
  const EventLog zeno = run.events(EventKind::zeno);
  REQUIRE(zeno.size() == 1);
  CHECK(zeno[0].t == near(fall * (1 + 0.7) / (1 - 0.7)));
  CHECK(run.events(EventKind::impact).front().t == near(fall));
  CHECK(run.solution.final.state.norm() < 1e-12);
  CHECK(run.solution.final.mode.word() == "0");
}

TEST_CASE("between impacts the driven oscillator is linear, at impacts it keeps its share of the speed") {
  const GalleryRun run = follow("impact_oscillator");
  const double alpha = run.parameter("alpha");
  const double w = run.parameter("w");
  // The steady part is the real part of e^{iwt} times this, and the rest decays with the frequency w1.
  const std::complex<double> steady = 1.0 / std::complex<double>(1 - w * w, 2 * alpha * w);
  const double w1 = std::sqrt(1 - alpha * alpha);
  const auto forced = [&](double t) { return std::real(steady * std::polar(1.0, w * t)); };
  const auto forced_rate = [&](double t) {
    return std::real(std::complex<double>(0, w) * steady * std::polar(1.0, w * t));
  };
  const EventLog impacts = run.events(EventKind::impact, "stop");
  REQUIRE(impacts.size() > 10);
  for (std::size_t k = 0; k + 1 < impacts.size(); ++k) {
    const double t = impacts[k].t;
    CHECK(run.after(impacts[k], "v") == near(-0.8 * run.before(impacts[k], "v"), 1e-12));
    const double x = run.after(impacts[k], "x") - forced(t);
    const double v = run.after(impacts[k], "v") - forced_rate(t);
    const double s = impacts[k + 1].t - t;
    const double free =
        std::exp(-alpha * s) * (x * std::cos(w1 * s) + (v + alpha * x) / w1 * std::sin(w1 * s));
    CHECK(std::abs(free + forced(t + s) - run.parameter("d")) < 1e-7);
  }
}

TEST_CASE("the mass in a shaken box settles to the speed of the closed form") {
  const GalleryRun run = follow("impact_pair");
  const double quotient = (1 + 0.5) / (1 - 0.5);
  const double phase =
      root(pi / 2, pi, [&](double p) { return -quotient * std::cos(p) * pi - 4 - 2 * std::sin(p); });
  CHECK(std::abs(run.final("v")) == near(-quotient * std::cos(phase), 1e-6));
  const EventLog impacts = run.events(EventKind::impact);
  CHECK(impacts.back().t - impacts[impacts.size() - 2].t == near(pi, 1e-6));
}

TEST_CASE("the cradle hands its speed on and keeps its energy") {
  const GalleryRun run = follow("newtons_cradle");
  const double w2 = 9.81 / 0.25;
  const auto energy = [&](const Vector& x) {
    return x.tail(5).squaredNorm() / 2 + w2 * x.head(5).squaredNorm() / 2;
  };
  const EventLog impacts = run.events(EventKind::impact);
  REQUIRE(impacts.size() >= 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(impacts[k].surface_names.front() == "pair" + std::to_string(k + 1));
    CHECK(energy(impacts[k].after) == near(energy(run.instance.state)));
  }
  CHECK(energy(run.solution.final.state) == near(energy(run.instance.state)));
  const double speed = run.after(impacts[3], "v5");
  CHECK(speed * speed / 2 > 0.998 * energy(run.instance.state));
}

TEST_CASE("the clock keeps time with the amplitude at which friction takes what the kick gives") {
  const GalleryRun run = follow("clock");
  const double f = run.parameter("f");
  const double h = run.parameter("h");
  const EventLog kicks = run.events(EventKind::reset, "kick");
  const EventLog turns = run.events(EventKind::crossing, "friction");
  REQUIRE(kicks.size() > 15);
  // A turn from a kick to the next: to the amplitude a on the right, back to a - 2 f on the left.
  double speed = std::sqrt(1 - 2 * f + 2 * h);
  CHECK(run.after(kicks[0], "v") == near(speed));
  for (std::size_t k = 1; k < kicks.size(); ++k) {
    CAPTURE(k);
    const double a = std::sqrt(f * f + speed * speed) - f;
    const double takes = std::atan(speed / f) + 2 * pi - std::acos(f / (a - 3 * f));
    CHECK(kicks[k].t - kicks[k - 1].t == near(takes));
    speed = std::sqrt((a - 2 * f) * (a - 4 * f) + 2 * h);
    CHECK(run.after(kicks[k], "v") == near(speed));
  }
  CHECK(run.before(turns[turns.size() - 1], "x") * run.before(turns[turns.size() - 2], "x") < 0);
  const double right = std::max(run.before(turns.back(), "x"), run.before(turns[turns.size() - 2], "x"));
  CHECK(right == near(f + h / (4 * f), 1e-3));
}

TEST_CASE("the valve hammers at a small flow and stands open at a large one") {
  const GalleryRun run = follow("relief_valve");
  const EventLog impacts = run.events(EventKind::impact, "seat");
  REQUIRE(impacts.size() >= 3);
  for (const EventRecord& impact : impacts)
    CHECK(run.after(impact, "v") == near(-0.8 * run.before(impact, "v"), 1e-10));
  const GalleryRun open = follow("relief_valve", {.settings = {{"q", 14}, {"x", 3}, {"p", 13}}});
  const double lift = root(0, 10, [](double x) { return x * std::sqrt(x + 10) - 14; });
  CHECK(open.final("x") == doctest::Approx(lift).epsilon(1e-3));
}

TEST_CASE("the follower takes off when the cam would have to pull") {
  const GalleryRun run = follow("cam_follower");
  const auto push = [&](double t) {
    const double w = run.parameter("w");
    const double r = run.parameter("r");
    return run.parameter("m") * r * w * w * std::cos(w * t) + run.parameter("c") * r * w * std::sin(w * t) +
           run.parameter("k") * (r * (1 - std::cos(w * t)) + run.parameter("z_0")) +
           run.parameter("m") * 9.81;
  };
  EventLog starts;
  EventLog landings;
  for (const EventRecord& event : run.solution.events)
    (event.name == "landing" ? landings : starts).push_back(event);
  REQUIRE(starts.size() >= 3);
  const double first = root(0, pi / 60, push);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    CAPTURE(k);
    CHECK(starts[k].t == near(first + 2 * pi / 60 * static_cast<double>(k)));
  }
  // Flight is a damped oscillation about the spring's rest position.
  for (std::size_t k = 0; k < landings.size(); ++k) {
    const double m = run.parameter("m");
    const double rest = -run.parameter("z_0") - m * 9.81 / run.parameter("k");
    const double decay = run.parameter("c") / (2 * m);
    const double frequency = std::sqrt(run.parameter("k") / m - decay * decay);
    const double z = run.after(starts[k], "z") - rest;
    const double s = landings[k].t - starts[k].t;
    const double fly =
        rest + std::exp(-decay * s) * (z * std::cos(frequency * s) + (run.after(starts[k], "v") + decay * z) /
                                                                         frequency * std::sin(frequency * s));
    CHECK(fly == near(run.parameter("r") * (1 - std::cos(60 * landings[k].t)), 1e-6));
  }
}

TEST_CASE("the rocking block stands when the impacts of the closed form have accumulated") {
  const GalleryRun run = follow("rocking_block");
  const double p = 2;
  const double a = 0.25;
  const double first = std::acosh(1 / (1 - 0.2 / a)) / p;
  double speed = p * std::sqrt(a * a - (a - 0.2) * (a - 0.2));
  double stands = first;
  for (int impact = 0; impact < 2000; ++impact) {
    speed *= 0.9;
    stands += 2 / p * std::atanh(speed / (p * a));
  }
  CHECK(run.events(EventKind::transition).front().t == near(first));
  const EventLog zeno = run.events(EventKind::zeno);
  REQUIRE(zeno.size() == 1);
  CHECK(zeno[0].t == near(stands, 1e-6));
  CHECK(run.solution.final.location == "standing");
  CHECK(run.solution.final.state.norm() < 1e-7);
}

TEST_CASE("without drive and damping the gears keep their energy") {
  const GalleryRun run = follow("gear_rattle", {.settings = {{"zeta", 0}, {"F1", 0}, {"x", 2.5}}});
  REQUIRE(run.events(EventKind::crossing).size() > 10);
  const auto energy = [&](const Vector& x) {
    const double mesh = std::max(x[0] - 1, 0.0) + std::min(x[0] + 1, 0.0);
    return x[1] * x[1] / 2 + mesh * mesh / 2 - run.parameter("F0") * x[0];
  };
  CHECK(energy(run.solution.final.state) == near(energy(run.instance.state), 1e-5));
}
