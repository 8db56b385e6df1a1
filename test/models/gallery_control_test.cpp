// The gallery, control and electronics: model files beside what is known of them, a closed form, a period or a balance. What is
// expected is computed here from the formulas, not taken from a run.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// exp(A t) of a matrix with different eigenvalues.
Matrix exponential(const Matrix& a, double t) {
  const Eigen::EigenSolver<Matrix> modes(a);
  const Eigen::VectorXcd growth = (modes.eigenvalues() * t).array().exp();
  return (modes.eigenvectors() * growth.asDiagonal() * modes.eigenvectors().inverse()).real();
}

}  // namespace

TEST_CASE("a skyhook damper switches from rest on as a separate program has it") {
  // SciPy's DOP853 at 1e-13, with both factors of the guard as events.
  const GalleryRun run = follow("skyhook", {.rtol = 1e-9});
  CHECK(run.solution.events.size() == 45);
  const Vector expected{{-0.0036584575642959, -0.0302411410786614, -0.246405691721099, -0.108471325746227}};
  CHECK((run.solution.final.state - expected).lpNorm<Eigen::Infinity>() < 1e-8);
}

TEST_CASE("the relay loop ends in the limit cycle of the closed form") {
  const GalleryRun run = follow("relay_feedback");
  Matrix shift = Matrix::Zero(3, 3);
  shift(1, 0) = shift(2, 1) = 1;
  const Matrix one = Matrix::Identity(3, 3);
  const Vector input = Vector::Unit(3, 0);
  // The output at a switch of a symmetric cycle with half period h.
  const double half_period = root(1.5, 2.2, [&](double h) -> double {
    const Matrix flow = std::exp(-h) * (one + h * shift + h * h / 2 * shift * shift);
    const Vector state = (one + flow).inverse() * (shift - one).inverse() * (flow - one) * input;
    return state[2];
  });
  const auto crossings = times(run.events(EventKind::crossing, "output"));
  REQUIRE(crossings.size() > 10);
  CHECK(crossings.back() - crossings[crossings.size() - 2] == near(half_period, 1e-6));
  CHECK(half_period == doctest::Approx(pi / std::sqrt(3)).epsilon(0.02));
}

TEST_CASE("a servo under a relay with hysteresis has the half period of the closed form") {
  const GalleryRun run = follow("hysteresis_relay");
  const double band = run.parameter("band");
  const double half_period = root(0.1, 5, [&](double h) { return h - 2 * std::tanh(h / 2) - 2 * band; });
  const auto switches = times(run.events(EventKind::transition));
  REQUIRE(switches.size() > 10);
  CHECK(switches.back() - switches[switches.size() - 2] == near(half_period, 1e-6));
}

TEST_CASE("the buck converter switches once in a period where its exact cycle does") {
  const GalleryRun run = follow("buck_converter", {.settings = {{"v", 11.97}, {"i", 0.5916}}});
  const double R = run.parameter("R");
  const double L = run.parameter("L");
  const double C = run.parameter("C");
  const double T = run.parameter("T");
  Matrix off(2, 2);
  off << -1 / (R * C), 1 / C, -1 / L, 0;
  const Vector rest = Eigen::Vector2d(run.parameter("V_in"), run.parameter("V_in") / R);
  // Off for the time s, then on until the ramp falls back: the state at the switch, if that repeats itself.
  const auto switched = [&](double s) -> Vector {
    const Matrix rise = exponential(off, T - s);
    const Matrix fall = exponential(off, s);
    const Matrix one = Matrix::Identity(2, 2);
    return (one - fall * rise).partialPivLu().solve(fall * (one - rise) * rest);
  };
  const double expected = root(0.1 * T, 0.8 * T, [&](double s) {
    const double control = run.parameter("gain") * (switched(s)[0] - run.parameter("V_ref"));
    return control - run.parameter("V_low") - (run.parameter("V_up") - run.parameter("V_low")) * s / T;
  });
  const EventRecord last = run.events(EventKind::crossing, "comparator").back();
  CHECK(run.after(last, "phase") == near(expected, 1e-5));
  CHECK(run.after(last, "v") == near(switched(expected)[0], 1e-6));
  CHECK(run.after(last, "i") == near(switched(expected)[1], 1e-6));
}

TEST_CASE("the circuit of Chua leaves its inner region when the linear flow does") {
  const GalleryRun run = follow("chua");
  const double alpha = run.parameter("alpha");
  Matrix inner(3, 3);
  inner << -alpha * (1 + run.parameter("m0")), alpha, 0, 1, -1, 1, 0, -run.parameter("beta"), 0;
  const auto x = [&](double t) { return (exponential(inner, t) * run.instance.state)[0]; };
  const EventRecord& first = run.solution.events.front();
  CHECK(first.kind == EventKind::crossing);
  CHECK(std::abs(std::abs(x(first.t)) - 1) < 1e-7);
  for (int i = 1; i < 1000; ++i) CHECK(std::abs(x(first.t * i / 1000)) < 1);
}

TEST_CASE("the circuit of Chua does not tell left from right") {
  const GalleryRun run = follow("chua");
  const GalleryRun mirrored = follow("chua", {.settings = {{"x", -0.1}}});
  CHECK((run.solution.final.state + mirrored.solution.final.state).norm() < 1e-6);
  const auto expected = times(run.solution.events);
  const auto got = times(mirrored.solution.events);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == near(expected[i]));
}

TEST_CASE("the buck converter repeats itself with its ramp and gives its duty ratio of the supply") {
  const GalleryRun run = follow("buck_converter", {.recording = Recording::dense});
  const EventLog clock = run.events(EventKind::reset, "clock");
  REQUIRE(clock.size() > 40);
  const EventRecord& last = clock.back();
  const EventRecord& previous = clock[clock.size() - 2];
  CHECK((last.after - previous.after).norm() < 1e-4);
  const double switched_on = run.events(EventKind::crossing, "comparator").back().t;
  REQUIRE(switched_on > previous.t);
  const double duty = (last.t - switched_on) / (last.t - previous.t);
  // Simpson's rule on the two smooth pieces of the period.
  double area = 0;
  for (const auto& [from, to] : {std::pair(previous.t, switched_on), std::pair(switched_on, last.t)}) {
    constexpr int pieces = 100;
    const double h = (to - from) / pieces;
    for (int i = 0; i <= pieces; ++i) {
      const double weight = i == 0 || i == pieces ? 1 : (i % 2 == 1 ? 4 : 2);
      area += weight * h / 3 * run.solution.trajectory(std::min(from + i * h, to))[run.index("v")];
    }
  }
  CHECK(area / (last.t - previous.t) == near(duty * run.parameter("V_in"), 1e-5));
}

TEST_CASE("the voltage of the boost converter follows the closed form while its current slides") {
  const GalleryRun run = follow("boost_sliding");
  const double rc = run.parameter("R") * run.parameter("C");
  const double entry = run.parameter("L") * run.parameter("i_ref") / run.parameter("E");
  REQUIRE(run.solution.events.size() == 1);
  CHECK(run.solution.events[0].kind == EventKind::sliding_entry);
  CHECK(run.solution.events[0].t == near(entry));
  const double start = 15 * std::exp(-entry / rc);
  const double square = 24 * 24 + (start * start - 24 * 24) * std::exp(-2 * (0.02 - entry) / rc);
  CHECK(run.final("v") == near(std::sqrt(square)));
  CHECK(run.final("i") == near(run.parameter("i_ref"), 1e-12));
}

TEST_CASE("the structure of Utkin slides to rest at the rate of its surface") {
  const GalleryRun run = follow("utkin");
  // Until then x'' - x' + 4 x = 0 from (1, 0).
  const double w = std::sqrt(4 - 0.25);
  const auto x = [&](double t) { return std::exp(t / 2) * (std::cos(w * t) - std::sin(w * t) / (2 * w)); };
  const auto v = [&](double t) { return std::exp(t / 2) * -4 / w * std::sin(w * t); };
  const double entry = root(0, 0.6, [&](double t) { return x(t) + v(t); });
  REQUIRE(run.solution.events.size() == 1);
  CHECK(run.solution.events[0].kind == EventKind::sliding_entry);
  CHECK(run.solution.events[0].t == near(entry));
  CHECK(run.final("x") == near(x(entry) * std::exp(-(8 - entry)), 1e-6));
  CHECK(run.final("v") == near(-run.final("x"), 1e-10));
}

TEST_CASE("the sigma-delta modulator puts out five ones in every eight bits") {
  const GalleryRun run = follow("sigma_delta");
  const EventLog ticks = run.events(EventKind::reset, "tick");
  REQUIRE(ticks.size() == 40);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    CAPTURE(i);
    CHECK(ticks[i].t == near(static_cast<double>(i + 1)));
    if (i >= 8) CHECK(run.after(ticks[i], "ones") - run.after(ticks[i - 8], "ones") == 5);
  }
}

TEST_CASE("a mass slides along the parabola and nears the origin as the closed form does") {
  const GalleryRun run = follow("double_integrator");
  const double c = run.parameter("c");
  const double first = 1 / std::sqrt((1 + 1 / c) / 2);
  REQUIRE(run.solution.events.size() == 1);
  CHECK(run.solution.events[0].kind == EventKind::sliding_entry);
  CHECK(run.solution.events[0].t == near(first));
  const double v = -first + c * (2 - first);
  CHECK(run.final("v") == near(v));
  CHECK(run.final("x") == near(v * v / (2 * c)));
}

TEST_CASE("between two switches of the problem of Fuller the speed falls by the optimal ratio") {
  const GalleryRun run = follow("fuller");
  const double c = std::sqrt((std::sqrt(33.0) - 1) / 24);
  const double ratio = std::sqrt((1 - 2 * c) / (1 + 2 * c));
  std::vector<double> speeds;
  for (const EventRecord& event : run.events(EventKind::crossing))
    if (event.surface_names.front() != "rising") speeds.push_back(std::abs(run.after(event, "v")));
  std::vector<double> switches;
  for (const double speed : speeds)
    if (switches.empty() || speed < 0.9 * switches.back()) switches.push_back(speed);
  REQUIRE(switches.size() >= 4);
  CHECK(switches[0] == near(1 / std::sqrt(0.5 + c)));
  for (std::size_t i = 1; i < 4; ++i) CHECK(switches[i] / switches[i - 1] == near(ratio, 1e-6));
}

TEST_CASE("the twisting algorithm loses the same share of its speed in every half turn") {
  const GalleryRun run = follow("twisting");
  const double share = std::sqrt((2.0 - 1.0) / (2.0 + 1.0));
  const EventLog crossings = run.events(EventKind::crossing, "position");
  REQUIRE(crossings.size() >= 4);
  double speed = 1;
  double t = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    t += speed / 3 + speed * share;
    speed *= share;
    CAPTURE(i);
    CHECK(crossings[i].t == near(t));
    CHECK(std::abs(run.after(crossings[i], "v")) == near(speed));
  }
}

TEST_CASE("the super-twisting algorithm cancels its disturbance once it has come to the surface") {
  const GalleryRun run = follow("super_twisting");
  CHECK(run.solution.final.mode.word() == "0");
  CHECK(run.final("s") == 0);
  CHECK(std::abs(run.final("z") + std::sin(12.0)) <= 1e-14);
  CHECK(run.solution.events.back().kind == EventKind::zeno);
  CHECK(run.solution.events.back().t < 2);
}

TEST_CASE("the differentiator gives its signal and two derivatives exactly") {
  const GalleryRun run = follow("differentiator");
  CHECK(run.solution.final.mode.word() == "0");
  CHECK(run.final("z0") == near(std::sin(8.0)));
  CHECK(run.final("z1") == near(std::cos(8.0)));
  CHECK(run.final("z2") == near(-std::sin(8.0)));
}

TEST_CASE("non-singular terminal sliding brings the mass to rest before its end") {
  const GalleryRun run = follow("terminal_sliding");
  REQUIRE(run.solution.events.size() == 2);
  CHECK(run.solution.events.back().t < 3);
  CHECK(run.final("x") == 0);
  CHECK(run.final("v") == 0);
}

TEST_CASE("the DC motor starts when its torque exceeds the friction") {
  const GalleryRun run = follow("dc_motor");
  const double R = run.parameter("R");
  const double L = run.parameter("L");
  const double w = run.parameter("w");
  const auto current = [&](double t) {
    return run.parameter("V") / (R * R + w * w * L * L) *
           (R * std::sin(w * t) - w * L * std::cos(w * t) + w * L * std::exp(-R / L * t));
  };
  const EventRecord& start = run.solution.events.front();
  CHECK(run.solution.initial.mode.word() == "0");
  CHECK(start.kind == EventKind::sliding_exit);
  CHECK(start.t ==
        near(root(0, 0.1, [&](double t) { return run.parameter("k") * current(t) - run.parameter("F"); })));
}

TEST_CASE("the diodes of a bridge that blocks wait for a line voltage above that of the capacitor") {
  const GalleryRun run = follow("diode_rectifier", {.rtol = 1e-10, .method = Method::dopri5});
  const double w = 2 * pi * 50;
  const auto highest = [&](double t) {
    const double peak = std::sqrt(3.0) * 325;
    return peak * std::max({std::abs(std::sin(w * t + pi / 6)), std::abs(std::sin(w * t - pi / 2)),
                            std::abs(std::sin(w * t + 5 * pi / 6))});
  };
  std::vector<const EventRecord*> starts;
  for (const EventRecord& event : run.solution.events)
    if (event.from && event.from->word() == "000") starts.push_back(&event);
  // Blocked, the capacitor is alone with its load.
  const auto lack = [&](double t) { return 600 * std::exp(-t / (1e-3 * 400)) - highest(t); };
  double first = 0;
  while (lack(first) > 0) first += 1e-6;
  REQUIRE(starts.size() > 20);
  CHECK(starts.front()->t == near(root(first - 1e-6, first, lack), 1e-9));
  for (const EventRecord* start : starts) {
    CHECK(run.before(*start, "u") == near(highest(start->t), 1e-7));
    CHECK(start->surfaces.size() == 2);
    CHECK(std::abs(run.before(*start, "ia")) < 1e-12);
  }
  // Between the pulses, six in a period, all blocks.
  CHECK(starts.back()->t - starts[starts.size() - 7]->t == near(1 / 50.0, 1e-4));
  CHECK(run.solution.events.size() == 2 * starts.size() - 1);
}

TEST_CASE("the resonator keeps modulating itself, with the mode relaxing between the switches") {
  const GalleryRun run = follow("superconducting_resonator");
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() > 8);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    CHECK(events[i].kind == EventKind::crossing);
    const double rate = 1 + (events[i].to->word() == "+" ? 4 : 0.5);
    const double relaxed = -1 / rate + (run.after(events[i], "y") + 1 / rate) *
                                           std::exp(-rate * (events[i + 1].t - events[i].t));
    CHECK(run.after(events[i + 1], "y") == near(relaxed));
  }
  const std::size_t last = events.size() - 1;
  CHECK(events[last].t - events[last - 2].t == near(events[last - 2].t - events[last - 4].t, 1e-5));
}
