// The methods side by side: the same events, whoever integrates between them.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;

namespace {

// x'' = −x − 0.4 sgn(x') + cos(t/2)
struct DryFriction {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - 0.4 * lambda[0] + cos(0.5 * t);
  }
};

// y follows cos t within 1/rate, and z is pushed to and fro by the sign of y.
struct StiffRelay {
  double rate = 1e6;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = -rate * (x[0] - cos(t));
    dx[1] = lambda[0];
  }
};

// x' = step(1 − t) step(1/2 − x), y' = √(1 + x) + step(2 − t): from t = 1 on nothing pushes against the stop.
struct EndStop {
  void guards(auto t, const auto& x, auto&& h) const {
    h[0] = 1 - t;
    h[1] = 0.5 - x[0];
    h[2] = 2 - t;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sqrt;
    dx[0] = 0.25 * (1 + lambda[0]) * (1 + lambda[1]);
    dx[1] = sqrt(1 + x[0]) + 0.5 * (1 + lambda[2]);
  }
};

// Two relays hold x on their two surfaces: what is left of the motion is linear.
struct HeldByTwo {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = 0.732 * x[0] - 0.595 * x[1] - 0.25;
    h[1] = 0.93 * x[0] - 0.905 * x[1] - 0.928 * x[2] - 0.0576;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = -0.142 * x[0] + 0.433 * x[1] + 0.468 * cos(2.89 * t) - 0.822 * lambda[0];
    dx[1] = -0.0377 * x[0] - 0.176 * x[1] + 0.566 * x[2] + 0.634 * cos(1.97 * t) + 1.51 * lambda[0] +
            1.76 * lambda[1];
    dx[2] = 0.0701 * x[0] - 1.16 * x[2] - 0.688 * cos(1.4 * t) + 0.3665 + 1.2135 * lambda[1];
  }
};

Solution follow(const System& system, Method method, double end, const Vector& state, double rtol = 1e-7) {
  return Simulator(system, {.rtol = rtol, .method = method, .max_steps = 200'000})
      .run({.start = 0, .end = end, .state = state});
}

void check_same_events(const Solution& one, const Solution& other, double tolerance) {
  REQUIRE(one.events.size() == other.events.size());
  for (std::size_t k = 0; k < one.events.size(); ++k) {
    CHECK(one.events[k].kind == other.events[k].kind);
    CHECK(std::abs(one.events[k].t - other.events[k].t) <= tolerance);
  }
  CHECK((one.final.state - other.final.state).lpNorm<Eigen::Infinity>() <= tolerance);
}

}  // namespace

TEST_CASE("the automatic method stays with dopri5 for dry friction, and takes dop853 at a tight tolerance") {
  const System system = from_functor(DryFriction{}, {.states = 2, .surfaces = 1});
  const Vector state = Eigen::Vector2d(2, 0);
  const Solution dopri5 = follow(system, Method::dopri5, 100, state, 1e-6);
  const Solution automatic = follow(system, Method::automatic, 100, state, 1e-6);
  REQUIRE(automatic.outcome.reached_end());
  CHECK(dopri5.events.size() > 20);
  check_same_events(dopri5, automatic, 0);
  check_same_events(dopri5, follow(system, Method::bdf, 100, state, 1e-6), 1e-2);
  CHECK(std::isnan(automatic.statistics.stiff_from));
  CHECK(automatic.statistics.steps == dopri5.statistics.steps);
  CHECK(automatic.statistics.dop853_steps == 0);
  CHECK(automatic.statistics.jacobian_evaluations == 0);

  const Solution tight = follow(system, Method::automatic, 100, state, 1e-10);
  REQUIRE(tight.outcome.reached_end());
  check_same_events(dopri5, tight, 1e-4);
  const Solution slow = follow(system, Method::dopri5, 100, state, 1e-10);
  check_same_events(slow, tight, 1e-8);
  check_same_events(follow(system, Method::dop853, 100, state, 1e-10), tight, 1e-8);
  CHECK(tight.statistics.dop853_steps > 100);
  CHECK(2 * tight.statistics.field_evaluations < slow.statistics.field_evaluations);
  CHECK(tight.statistics.restarts == slow.statistics.restarts);
}

TEST_CASE("the automatic method goes over to BDF for a stiff relay, and says when") {
  const System system = from_functor(StiffRelay{}, {.states = 2, .surfaces = 1});
  const Vector state = Eigen::Vector2d(1, 0);
  const Solution bdf = follow(system, Method::bdf, 20, state);
  const Solution automatic = follow(system, Method::automatic, 20, state);
  REQUIRE(automatic.outcome.reached_end());
  CHECK(automatic.events.size() == 6);
  check_same_events(bdf, automatic, 1e-4);
  CHECK(automatic.statistics.stiff_from >= 0);
  CHECK(automatic.statistics.stiff_from < 0.1);
  CHECK(std::isnan(bdf.statistics.stiff_from));
  // Stability alone would make dopri5 take six million steps.
  CHECK(automatic.statistics.steps < 20'000);
}

namespace {

// Two blocks on two belts that one spring drives: they stick together and let go together, at x1 = 1 (Dieci & Lopez 2009).
struct TwoBelts {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[1] - 0.2;
    h[1] = x[2] - 0.4;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    const auto above0 = 0.5 * (1.0 + lambda[0]), above1 = 0.5 * (1.0 + lambda[1]);
    dx[0] = 0.5 * (x[1] + x[2]) + above0 * above1 * x[0] * (x[1] + 0.8) * (x[2] + 0.6);
    dx[1] = -x[0] - above0 / (0.8 + x[1]) + (1.0 - above0) / (1.2 - x[1]);
    dx[2] = -x[0] - above1 / (0.6 + x[2]) + (1.0 - above1) / (1.4 - x[2]);
  }
};

}  // namespace

TEST_CASE(
    "sliding that ends on two surfaces together ends as one event with every method at every tolerance") {
  const System system = from_functor(TwoBelts{}, {.states = 3, .surfaces = 2});
  for (const double x2 : {-0.01, -0.006367, -0.01152}) {
    for (const Method method : test::every_method) {
      for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
        CAPTURE(x2);
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const Solution solution = test::run(system, {0.04, x2, -0.02}, 20, test::with(method, rtol));
        REQUIRE(solution.outcome.reached_end());
        CHECK(test::story(solution) ==
              "sliding_entry, sliding_entry, corner, corner, corner, corner, corner");
      }
    }
  }
}

namespace {

// A tank that leaks as the root of its level, and faster by 0.2: h' = −0.2 − √h while h > 0, else 0.3; beside it something
// that moves, so that the guard x0 + x1/4 = h is zero within rounding only.
struct LeakingTank {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] + 0.25 * x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    using std::sqrt;
    const auto below = 0.5 * (1.0 - lambda[0]), above = 0.5 * (1.0 + lambda[0]);
    dx[1] = cos(t);
    dx[0] = 0.3 * below - 0.25 * dx[1];
    if (lambda[0] > -1) dx[0] += above * (-0.2 - sqrt(x[0] + 0.25 * x[1]));
  }
};

// Torricelli's: h' = −√h, empty at t = 2, and filled at the rate 1/2 from t = 4 on.
struct Torricelli {
  void guards(auto t, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = t - 4.0;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sqrt;
    dx[0] = 0.25 * (1.0 + lambda[1]);
    if (lambda[0] > -1) dx[0] -= 0.5 * (1.0 + lambda[0]) * sqrt(x[0]);
  }
};

}  // namespace

TEST_CASE("an actuator stays at its end stop when its drive is switched off") {
  const System system = from_functor(EndStop{}, {.states = 2, .surfaces = 3});
  const double exact = 2.0 / 3 * (std::pow(1.5, 1.5) - std::pow(1.4, 1.5)) + 4.9 * std::sqrt(1.5) + 2;
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const LinearSolver solver : {LinearSolver::dense, LinearSolver::klu, LinearSolver::gmres}) {
      if (method != Method::bdf && solver != LinearSolver::dense) continue;
      CAPTURE(to_string(method));
      const Solution solution = Simulator(system, {.rtol = 1e-8, .method = method, .linear_solver = solver})
                                    .run({.start = 0, .end = 5, .state = Eigen::Vector2d(0.4, 0)});
      CHECK_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(solution.events.size() == 3);
      CHECK(solution.final.state[0] == doctest::Approx(0.5).epsilon(1e-12));
      CHECK(solution.final.state[1] == doctest::Approx(exact).epsilon(1e-6));
      CHECK(solution.final.mode.word() == "-0-");
    }
  }
}

TEST_CASE("a tank that runs dry is followed by every method at every tolerance") {
  const System system = from_functor(LeakingTank{}, {.states = 2, .surfaces = 1});
  test::for_every_method([&](const Options& options) {
    const Solution solution = test::run(system, {1, 0}, 6, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(test::story(solution) == "sliding_entry");
    const double dry = 2 * (1 - 0.2 * std::log(6.0));
    CHECK(test::error(solution.events[0].t, dry) <= 500 * options.rtol);
    CHECK(test::error(solution.final.state[0], -0.25 * std::sin(6.0)) <= 100 * options.rtol);
  });
}

TEST_CASE("an empty tank stays empty until it is filled, with every method at every tolerance") {
  const System system = from_functor(Torricelli{}, {.states = 1, .surfaces = 2});
  test::for_every_method([&](const Options& options) {
    const Solution solution = test::run(system, {1}, 8, options);
    REQUIRE(solution.outcome.reached_end());
    // It is found empty, is filled, and is empty no more.
    REQUIRE(test::story(solution) == "crossing, crossing, crossing");
    CHECK(test::error(solution.events[1].t, 4) <= 1e-15);
    // √h = s with −2s − ln(1 − 2s) = 8 − 4.
    CHECK(test::error(solution.final.state[0], 0.24661959934806668) <= 30 * options.rtol);
  });
}

namespace {

// Two tanks with a pipe between them; the first is empty, so that the second, which is level b, runs dry as b' = −√b where three
// roots end at once: its own, and the pipe's from either side. It is filled at the rate 1/2 from t = 4 on.
struct TanksWithPipe {
  double bottom = 0;
  void guards(auto t, const auto& x, auto&& h) const {
    h[0] = x[1] - bottom;
    h[1] = x[0] - x[1];
    h[2] = t - 4.0;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sqrt;
    dx[0] = 0.0 * x[0];
    dx[1] = 0.25 * (1.0 + lambda[2]);
    if (lambda[0] > -1) dx[1] -= 0.3 * (1.0 + lambda[0]) * sqrt(x[1] - bottom);
    if (lambda[1] > -1) dx[1] += 0.2 * (1.0 + lambda[1]) * sqrt(x[0] - x[1]);
    if (lambda[1] < 1) dx[1] -= 0.2 * (1.0 - lambda[1]) * sqrt(x[1] - x[0]);
  }
};

}  // namespace

TEST_CASE("a tank that runs dry to the level of its empty neighbour stays so until it is filled") {
  for (const double bottom : {0.0, 0.3}) {
    CAPTURE(bottom);
    const System system = from_functor(TanksWithPipe{bottom}, {.states = 2, .surfaces = 3});
    test::for_every_method([&](const Options& options) {
      const Solution solution = test::run(system, {bottom, bottom + 1}, 8, options);
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(test::story(solution) == "crossing, crossing, crossing");
      CHECK(test::error(solution.events[1].t, 4) <= 1e-15);
      CHECK(test::error(solution.final.state[0], bottom) <= 30 * options.rtol);
      CHECK(test::error(solution.final.state[1], bottom + 0.24661959934806668) <= 30 * options.rtol);
    });
  }
}

namespace {

// A cylinder that a check valve fills: its pressure comes to that of the supply in finite time, as the root of the difference, and
// rests there while friction holds the piston. Pressures are large: rounding and errors of one are, too.
struct CheckValve {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = 1e6 - x[2];
    h[1] = x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    using std::sqrt;
    dx[0] = x[1];
    dx[1] = (1e-3 * x[2] - 500.0 - 200.0 * x[1] - 300.0 * lambda[1] + 400.0 * sin(10.0 * t)) / 100.0;
    dx[2] = -1.2e10 * x[1];
    if (lambda[0] > -1) dx[2] += 0.5 * (1.0 + lambda[0]) * 24000.0 * sqrt(1e6 - x[2]);
  }
};

}  // namespace

TEST_CASE("a piston starts from where a valve beside it is at rest when its load exceeds friction") {
  const System system = from_functor(CheckValve{}, {.states = 3, .surfaces = 2});
  test::for_every_method([&](Options options) {
    // The slope of the root beside the rest is too steep for the fixed-point iteration of adams.
    if (options.method == Method::adams && options.rtol < 1e-10) return;
    options.atol = 0.01 * options.rtol;
    const Solution solution = test::run(system, {0, 0, 1e5}, 2, options);
    CAPTURE(solution.outcome.message);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 8);
    for (const std::size_t k : {0U, 1U, 2U}) {
      const EventRecord& exit = solution.events[3 + 2 * k];
      CHECK(exit.kind == EventKind::sliding_exit);
      // sin(10t) = -1/2, on the way up.
      const double turn = 11.0 / 6 + 2.0 * static_cast<double>(k);
      CHECK(test::error(exit.t, turn * std::numbers::pi / 10) <= 100 * options.rtol);
    }
  });
}

namespace {

// h = x0 − 0.3 sin t, with x1 = sin t, falls as −0.1 − √h/2 − 0.3 cos t and rises as 0.6 − 0.3 cos t: it slides until
// cos t = −1/3, and leaves the surface more slowly than anything without a root.
struct RootThatLetsGo {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 0.3 * x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    using std::sqrt;
    const auto below = 0.5 * (1.0 - lambda[0]), above = 0.5 * (1.0 + lambda[0]);
    dx[0] = 0.6 * below;
    if (lambda[0] > -1) dx[0] -= above * (0.1 + 0.5 * sqrt(x[0] - 0.3 * x[1]));
    dx[1] = cos(t);
  }
};

// A piston that sticks while |2 sin t − q| < 1, and an orifice beside it that has run dry by then: q' = v − 1.8 sgn(q) √|q|.
struct StuckPiston {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    using std::sqrt;
    dx[0] = x[1] - 1.8 * lambda[0] * sqrt(lambda[0] * x[0]);
    dx[1] = 2.0 * sin(t) - x[0] - lambda[1];
  }
};

}  // namespace

TEST_CASE(
    "sliding along the root of its own guard ends at the same time for every method at every tolerance") {
  const System system = from_functor(RootThatLetsGo{}, {.states = 2, .surfaces = 1});
  test::for_every_method([&](const Options& options) {
    const Solution solution = test::run(system, {0.5, 0}, 3, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(test::story(solution) == "sliding_entry, sliding_exit");
    // The root makes 1e-8 of what rounding leaves of h.
    CHECK(test::error(solution.events[1].t, std::acos(-1.0 / 3)) <= 30 * options.rtol + 1e-7);
    CHECK(solution.final.mode.word() == "+");
    CHECK(solution.final.state[0] > 0.3 * std::sin(3.0) + 0.001);
  });
}

TEST_CASE(
    "a piston lets go beside an orifice that has run dry at the same time for every method at every "
    "tolerance") {
  const System system = from_functor(StuckPiston{}, {.states = 2, .surfaces = 2});
  test::for_every_method([&](const Options& options) {
    const Solution solution = test::run(system, {0.2, 0}, 1, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(test::story(solution) == "sliding_exit");
    CHECK(test::error(solution.events[0].t, std::asin(0.5)) <= 30 * options.rtol + 1e-11);
    CHECK(solution.final.mode.word() == "++");
  });
}

namespace {

// x slides along x = y/2 while y grows; the guards of y, of x and of both vanish together at y = 0.6.
struct GuardsThatMeetWhileSliding {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] - 0.5 * x[1];
    h[1] = x[1] - 0.6;
    h[2] = x[0] - 0.3;
    h[3] = x[0] + x[1] - 0.9;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = 0.3 * cos(3.0 * t) - 2.0 * lambda[0];
    dx[1] = 1.0 - 0.5 * x[1] + 0.1 * lambda[1] + 0.1 * lambda[2] + 0.1 * lambda[3];
  }
};

}  // namespace

TEST_CASE("surfaces that vanish together on one along which the solution slides are met as one event") {
  const System system = from_functor(GuardsThatMeetWhileSliding{}, {.states = 2, .surfaces = 4});
  for (const Method method : test::every_method) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = test::run(system, {0.2, 0.0}, 2, test::with(method, rtol));
      REQUIRE(solution.outcome.reached_end());
      CHECK(test::story(solution) == "sliding_entry, corner");
      // y' = 0.7 − y/2 from 0 to 0.6.
      CHECK(solution.events.back().t == doctest::Approx(2 * std::log(0.7 / 0.4)).epsilon(10 * rtol));
    }
  }
}

TEST_CASE(
    "what draws a sliding solution back onto its surfaces costs Adams' method no steps, at any tolerance") {
  const System system = from_functor(HeldByTwo{}, {.states = 3, .surfaces = 2});
  const Vector start{{0.683, -1.36, -0.41}};
  const Solution reference = follow(system, Method::dop853, 20, start, 1e-12);
  for (const double rtol : {1e-6, 1e-8, 1e-9, 3e-10, 1e-10, 5e-11, 1e-11, 1e-12}) {
    CAPTURE(rtol);
    const Solution solution = follow(system, Method::adams, 20, start, rtol);
    REQUIRE(solution.outcome.reached_end());
    CHECK(solution.statistics.steps < 1500);
    CHECK((solution.final.state - reference.final.state).norm() <= 100 * rtol);
  }
}
