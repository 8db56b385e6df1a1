#include "slideway/simulate/simulator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "slideway/model/from_functor.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;

namespace {

struct Relay {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0] + t; }
};

System relay() { return from_functor(Relay{}, {.states = 1, .surfaces = 1}); }

// Circles round the origin while it slides on the unit circle.
struct Ring {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] * x[0] + x[1] * x[1] - 1.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -x[1] - lambda[0] * x[0];
    dx[1] = x[0] - lambda[0] * x[1];
  }
};

// Crosses where exp(t) is a multiple of pi.
struct Chirp {
  void guards(auto t, const auto&, auto&& h) const {
    using std::exp, std::sin;
    h[0] = sin(exp(t));
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = 2 + lambda[0]; }
};

// Finite nowhere but where it starts.
struct Wall {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 5; }
  void field(auto t, const auto&, const auto&, auto&& dx) const {
    dx[0] = t > 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  }
};

struct Fragile {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 10.0; }
  void field(auto t, const auto&, const auto&, auto&& dx) const {
    if (t > 1) throw std::runtime_error("the table ends at t = 1");
    dx[0] = 1;
  }
};

struct RubbedSpring {  // x'' = -x - sgn(x')
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - lambda[0];
  }
};

struct Bad {
  void guards(auto, const auto& x, auto&& h) const {
    using std::sqrt;
    h[0] = sqrt(x[0]);
  }
  void field(auto, const auto&, const auto&, auto&& dx) const { dx[0] = -1; }
};

// A block on its base: pushed back from either side, with no speed at the start.
struct Block {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = 0.1 - lambda[0];
  }
};

// Slides into a two-fold at t = 1, where its sliding field is singular.
struct TwoFold {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& l, auto&& dx) const {
    dx[0] = 0.5 * ((1.0 - l[0]) * x[2] - (1.0 + l[0]) * x[1]);
    dx[1] = 0.5 * (1.0 + l[0]) - (1.0 - l[0]);
    dx[2] = 0.5 * (1.0 - l[0]) - (1.0 + l[0]);
  }
};

struct Spiral {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& l, auto&& dx) const {
    dx[0] = -0.5 * l[0] - 1.5 * l[1];
    dx[1] = 1.5 * l[0] - 0.5 * l[1];
  }
};

struct Parting {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0]; }
};

struct Carried {
  void guards(auto t, const auto& x, auto&& h) const {
    using std::sin;
    h[0] = x[0] - sin(1.6 * t + 1.0);
    h[1] = x[0];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -2.0 * lambda[0]; }
};

}  // namespace

TEST_CASE("a trajectory is the solution at any time, from both sides of an event") {
  const Solution solution =
      Simulator(relay(), {.rtol = 1e-10}).run({.start = 0, .end = 1.5, .state = Vector::Zero(1)});
  REQUIRE(solution.outcome.reached_end());
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.events[0].kind == EventKind::sliding_exit);
  CHECK(solution.trajectory(0.5)[0] == 0);
  CHECK(solution.trajectory.mode(0.5).word() == "0");
  CHECK(solution.trajectory.mode(1.2).word() == "+");
  CHECK(solution.trajectory(1.3)[0] == doctest::Approx(0.045).epsilon(1e-8));
  CHECK(solution.trajectory.before(1.5)[0] == doctest::Approx(0.125).epsilon(1e-8));
  CHECK_THROWS_AS(solution.trajectory(2), std::invalid_argument);
}

TEST_CASE("a sliding solution stays on its surface at random times with every method") {
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    const Solution solution =
        Simulator(from_functor(Ring{}, {.states = 2, .surfaces = 1}), {.rtol = 1e-6, .method = method})
            .run({.start = 0, .end = 50, .state = Eigen::Vector2d{0.5, 0}});
    REQUIRE(solution.outcome.reached_end());
    CHECK(solution.statistics.largest_drift <= 100);
    for (int k = 0; k < 200; ++k) {
      const double t = 2 + 48 * std::abs(std::sin(1.7 * k));
      const Vector x = solution.trajectory(t);
      CHECK(std::abs(x.squaredNorm() - 1) <= 100 * std::numeric_limits<double>::epsilon());
    }
  }
}

TEST_CASE("output times are answered while nothing is recorded") {
  const Solution solution =
      Simulator(relay(),
                {.rtol = 1e-9, .recording = Recording::nothing, .output_times = {0, 0.25, 1, 1.25, 1.5}})
          .run({.start = 0, .end = 1.5, .state = Vector::Zero(1)});
  CHECK(solution.trajectory.segments().size() <= 1);
  REQUIRE(solution.outputs.cols() == 5);
  const double expected[] = {0, 0, 0, 0.03125, 0.125};
  for (Index k = 0; k < 5; ++k) CHECK(solution.outputs(0, k) == doctest::Approx(expected[k]).epsilon(1e-7));
}

TEST_CASE("observers see every step and every event") {
  double covered = 0;
  int events = 0;
  Options options{.rtol = 1e-6, .recording = Recording::nothing};
  options.on_step = [&](const StepView& step) {
    CHECK(step.start == covered);
    covered = step.end;
    Vector x(1);
    step.evaluate(0.5 * (step.start + step.end), x);
    CHECK(std::isfinite(x[0]));
  };
  options.on_event = [&](const EventRecord&) { ++events; };
  Simulator(relay(), options).run({.start = 0, .end = 1.5, .state = Vector::Zero(1)});
  CHECK(covered == 1.5);
  CHECK(events == 1);
}

TEST_CASE("an exception of the model ends the run with its message and keeps what was there") {
  const Solution solution = Simulator(from_functor(Fragile{}, {.states = 1, .surfaces = 1}))
                                .run({.start = 0, .end = 2, .state = Vector::Zero(1)});
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(solution.outcome.message.find("the table ends at t = 1") != std::string::npos);
  CHECK(solution.outcome.t <= 1.0 + 1e-9);
  CHECK(solution.trajectory(0.5 * solution.outcome.t)[0] == doctest::Approx(0.5 * solution.outcome.t));
}

TEST_CASE("a run that gets no further than its start is known there") {
  const Solution solution = Simulator(from_functor(Wall{}, {.states = 1, .surfaces = 1}))
                                .run({.start = 0, .end = 1, .state = Vector::Constant(1, 2)});
  CHECK(solution.outcome.status != Status::reached_end);
  CHECK(solution.outcome.t == 0);
  REQUIRE(solution.trajectory.segments().size() == 1);
  CHECK(solution.trajectory(0)[0] == 2);
  CHECK(solution.trajectory.before(0)[0] == 2);
}

TEST_CASE("a guard that is not finite is named") {
  const Solution solution =
      Simulator(from_functor(Bad{}, {.states = 1, .surfaces = 1, .surface_names = {"root"}}))
          .run({.start = 0, .end = 2, .state = Vector::Constant(1, -1)});
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(solution.outcome.message.find("as (x^2)^0.3 for the root x^0.6") != std::string::npos);
  CHECK(solution.outcome.message.find("'root' is not finite (nan) at the start, t = 0; start where it is") !=
        std::string::npos);
}

TEST_CASE("a state too large for products of it is named where the solution gets no further") {
  Options options;
  options.method = Method::dopri5;
  const Solution solution =
      Simulator(from_functor(RubbedSpring{}, {.states = 2, .surfaces = 1, .state_names = {"x", "v"}}),
                options)
          .run({.start = 0, .end = 10, .state = Eigen::Vector2d{1e308, 0.5}});
  CHECK_FALSE(solution.outcome.succeeded());
  CHECK(solution.outcome.message.find("'x' is 1e+308, and products of such numbers are infinite") !=
        std::string::npos);
}

TEST_CASE("a two-fold is reported, even where the steps towards it come to nothing") {
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-8, 1e-11, 1e-12, 1e-13}) {
      CAPTURE(to_string(method));
      CAPTURE(rtol);
      const System system = from_functor(TwoFold{}, {.states = 3, .surfaces = 1});
      const Simulator simulator(system, {.rtol = rtol, .atol = Tolerance(rtol / 100), .method = method});
      const Solution solution = simulator.run({.start = 0, .end = 2, .state = Eigen::Vector3d(0, 0.6, 0.4)});
      CHECK(solution.outcome.status == Status::ambiguous);
      CHECK(std::abs(solution.outcome.t - 1) < 1000 * rtol);
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.events[0].kind == EventKind::two_fold);
    }
  }
}

TEST_CASE("a state at rest that both fields turn back to rests, and beside contacts is told how to") {
  const System block = from_functor(Block{}, {.states = 2, .surfaces = 1});
  const Solution rests = Simulator(block).run({.start = 0, .end = 1, .state = Eigen::Vector2d(0, 0)});
  CHECK(rests.outcome.succeeded());
  CHECK(rests.events.empty());
  CHECK(rests.final.state.norm() == 0);

  // x'²/2 + 0.9 x for x > 0, and x'²/2 - 1.1 x for x < 0, stays as it is, which is 0: resting is the only motion, so that nothing is
  // ambiguous. The run does not know how to slide in second order beside contacts.
  const System beside_a_wall =
      block.with_contacts({{.name = "wall",
                            .gap = Guard([](auto, const auto& x) { return x[0] + 5.0; }),
                            .acts_on = [](double, ConstVectorRef, VectorRef b) { b[1] = 1; },
                            .restitution = [](double) { return 0.0; }}});
  const Solution solution =
      Simulator(beside_a_wall).run({.start = 0, .end = 1, .state = Eigen::Vector2d(0, 0)});
  CHECK(solution.outcome.status == Status::step_failure);
  CAPTURE(solution.outcome.message);
  CHECK(solution.outcome.message.find("let it do so in a location of its own") != std::string::npos);
}

TEST_CASE("limits of steps and events stop the run and say so") {
  Options options;
  options.max_steps = 3;
  const Solution few = Simulator(relay(), options).run({.start = 0, .end = 1.5, .state = Vector::Zero(1)});
  CHECK(few.outcome.status == Status::step_limit);
  CHECK(few.outcome.message.find("max_steps") != std::string::npos);
  CHECK(few.statistics.steps == 3);
  Options one_event;
  one_event.max_events = 1;
  const Solution first =
      Simulator(relay(), one_event).run({.start = 0, .end = 1.5, .state = Vector::Zero(1)});
  CHECK(first.outcome.status == Status::step_limit);
  CHECK(first.outcome.t == doctest::Approx(1));
  CHECK(first.outcome.message.find("ever faster") == std::string::npos);
}

TEST_CASE("steps that lead nowhere at a pole end the run long before max_steps") {
  // v falls to zero as a root does; beyond it the field points back..
  const System pole = test::smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -x[0] / x[1];
  });
  for (const double rtol : {1e-4, 1e-6}) {
    Options options;
    options.rtol = rtol;
    options.method = Method::dopri5;
    options.recording = Recording::nothing;
    const Solution solution =
        Simulator(pole, options).run({.start = 0, .end = 3, .state = Eigen::Vector2d(2, 1)});
    CAPTURE(rtol);
    CAPTURE(solution.outcome.message);
    CHECK_FALSE(solution.outcome.succeeded());
    CHECK(solution.statistics.steps <= 2'000'000);
    CHECK(solution.outcome.message.find("pole") != std::string::npos);
  }
}

TEST_CASE("a limit of events that comes ever faster says that raising it does not help much") {
  Options options;
  options.max_events = 4000;
  const Solution solution = Simulator(from_functor(Chirp{}, {.states = 1, .surfaces = 1}), options)
                                .run({.start = 0, .end = 20, .state = Vector::Zero(1)});
  CHECK(solution.outcome.status == Status::step_limit);
  // The second half begins at 2001 pi.
  CHECK(solution.outcome.t == doctest::Approx(std::log(4000 * std::numbers::pi)));
  CHECK(solution.outcome.message.find("half of them in the last 0.6926") != std::string::npos);
}

TEST_CASE("the initial mode is the one that the policy chose where the start is not unique") {
  for (const auto& [policy, mode] :
       {std::pair{Ambiguity::minus, "-"}, {Ambiguity::slide, "0"}, {Ambiguity::plus, "+"}}) {
    Options options;
    options.on_ambiguity = policy;
    const System system = from_functor(Parting{}, {.states = 1, .surfaces = 1});
    const Solution solution = Simulator(system, options).run({.end = 1, .state = Vector::Zero(1)});
    CHECK(solution.outcome.reached_end());
    CHECK(solution.initial.mode.word() == mode);
    CHECK(solution.trajectory.segments().front().mode.word() == mode);
  }
}

// The second surface is met where the first fixes the state: no state is on both but at one time.
TEST_CASE("a surface that a state is carried past by sliding on another is crossed once, at its time") {
  const double pi = std::acos(-1.0);
  const System system = from_functor(Carried{}, {.states = 1, .surfaces = 2});
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(rtol);
      CAPTURE(std::string(to_string(method)));
      Options options;
      options.method = method;
      options.rtol = rtol;
      const Solution solution = Simulator(system, options).run({.end = 6, .state = Vector::Constant(1, 0.6)});
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      REQUIRE(solution.events.size() == 4);
      for (int k = 1; k < 4; ++k) {
        const EventRecord& event = solution.events[static_cast<std::size_t>(k)];
        CHECK(event.kind == EventKind::crossing);
        CHECK(std::abs(event.t - (k * pi - 1) / 1.6) < 10 * rtol);
      }
      CHECK(solution.final.state[0] == doctest::Approx(std::sin(1.6 * 6 + 1)));
    }
  }
}

// Both relays hold it on the circle (x + 3/2)² + (t − 1)² = 8 until λ₁ = −(t − 1)/(x + 3/2) is −1, at t = 3.
TEST_CASE("sliding on a curved intersection ends on it and in one way, at any tolerance") {
  const auto guards = [](auto, const auto& x, auto&& h) {
    h[0] = 8.0 - x[1] * x[1] - (x[0] + 1.5) * (x[0] + 1.5) - (x[2] - 1.0) * (x[2] - 1.0);
    h[1] = x[1];
  };
  const auto field = [](auto, const auto&, const auto& lambda, auto&& dx) {
    dx[0] = lambda[0];
    dx[1] = -lambda[1];
    dx[2] = 1.0;
  };
  const System system = from_functor(field, guards, {.states = 3, .surfaces = 2});
  for (double rtol = 1e-4; rtol > 1e-11; rtol /= 1.7) {
    Options options;
    options.rtol = rtol;
    options.method = Method::dopri5;
    const Solution solution =
        Simulator(system, options).run({.start = 0, .end = 5, .state = Eigen::Vector3d(2, -1, 0)});
    CAPTURE(rtol);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 3);
    const EventRecord& exit = solution.events.back();
    CHECK(std::abs(exit.t - 3) <= 300 * rtol);
    const double right = exit.before[0] + 1.5;
    const double height = exit.before[2] - 1;
    CHECK(std::abs(right * right + height * height - 8) <= 1e-13);
    // Found on the surface, so that λ₁ is −1 there as well as it can be located.
    CHECK(std::abs(height / right - 1) <= 1e-12);
  }
}

// After a restart a multistep method takes steps so short beside t that their ends are rounded.
TEST_CASE("a surface in other units than the state is crossed once each time") {
  constexpr double unit = 1e6;
  const auto guards = [](auto, const auto& x, auto&& h) { h[0] = x[0] / unit; };
  const auto field = [](auto, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -x[0] - unit * lambda[0];
  };
  const System system = from_functor(field, guards, {.states = 2, .surfaces = 1});
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10}) {
      Options options;
      options.rtol = rtol;
      options.atol = Tolerance(unit * rtol / 100);
      options.method = method;
      const Solution solution =
          Simulator(system, options).run({.start = 0, .end = 20, .state = Eigen::Vector2d(2 * unit, 0)});
      CAPTURE(to_string(method));
      CAPTURE(rtol);
      CHECK(solution.outcome.reached_end());
      CHECK(solution.events.size() == 8);
    }
  }
}

TEST_CASE("what makes no sense is refused before the run") {
  const Simulator simulator(relay());
  CHECK_THROWS_WITH_AS(simulator.run({.start = 0, .end = 1, .state = Vector::Zero(2)}),
                       doctest::Contains("expected 1 numbers"), std::invalid_argument);
  CHECK_THROWS_AS(simulator.run({.start = 1, .end = 0, .state = Vector::Zero(1)}), std::invalid_argument);
  CHECK_THROWS_AS(simulator.run({.start = 0, .end = 1, .state = Vector::Constant(1, std::nan(""))}),
                  std::invalid_argument);
  CHECK_THROWS_WITH_AS(Simulator(relay(), {.rtol = 0}), doctest::Contains("Options::rtol"),
                       std::invalid_argument);
  CHECK_THROWS_AS(Simulator(relay(), {.max_step = -1}), std::invalid_argument);
  CHECK_THROWS_AS(Simulator(relay(), {.output_times = {1, 0.5}}), std::invalid_argument);
}

TEST_CASE("crossings that accumulate on a spiral end in a zeno event and rest at the intersection") {
  for (const double rtol : {1e-4, 1e-8}) {
    const Solution solution = Simulator(from_functor(Spiral{}, {.states = 2, .surfaces = 2}), {.rtol = rtol})
                                  .run({.start = 0, .end = 2, .state = Eigen::Vector2d{1, 0}});
    CHECK(solution.outcome.reached_end());
    REQUIRE_FALSE(solution.events.empty());
    const EventRecord& last = solution.events.back();
    CHECK(last.kind == EventKind::zeno);
    CHECK(last.t == doctest::Approx(1).epsilon(1e-6));
    CHECK(last.to->word() == "00");
    CHECK(solution.final.state.lpNorm<Eigen::Infinity>() < 1e-12);
  }
}

TEST_CASE("a kink that the motion curves away from at the start is left to that side") {
  // x' = direction*t - |x|.
  for (const double direction : {1.0, -1.0}) {
    const System system =
        from_functor([direction](auto t, const auto& x, const auto& lambda,
                                 auto&& dx) { dx[0] = direction * t - x[0] * lambda[0]; },
                     [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
    const Solution solution = Simulator(system).run({.start = 0, .end = 1, .state = Vector::Zero(1)});
    REQUIRE(solution.outcome.reached_end());
    CHECK(solution.initial.mode.word() == (direction > 0 ? "+" : "-"));
    CHECK(solution.events.empty());
  }
}

TEST_CASE(
    "a motion that turns back just where it reaches a surface goes on, whichever side its errors take it "
    "to") {
  // x = 1 + sin t reaches the surface at every turn; beyond it only z is another.
  const System system = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = x[1];
        dx[1] = 1.0 - x[0];
        dx[2] = 2.0 + lambda[0];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0] - 2.0; }, {.states = 3, .surfaces = 1});
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = Simulator(system, {.rtol = rtol, .method = method})
                                    .run({.start = 0, .end = 30, .state = Eigen::Vector3d{1, 1, 0}});
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(std::abs(solution.final.state[0] - 1 - std::sin(30.0)) < 1000 * rtol);
      // An error of the height makes one of its root in the time beyond.
      CHECK(std::abs(solution.final.state[2] - 30) < 100 * std::sqrt(30 * rtol));
      CHECK(solution.final.mode.word() == "-");
      CHECK(solution.events.size() <= 10);
      CHECK(solution.events.size() % 2 == 0);
    }
  }
}

namespace {

// Two surfaces of the time alone: x = ∫ sgn sin 3t + ½ sgn(cos 5t − 0.3).
struct Clocks {
  void guards(auto t, const auto&, auto&& h) const {
    using std::cos;
    using std::sin;
    h[0] = sin(3.0 * t);
    h[1] = cos(5.0 * t) - 0.3;
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0] + 0.5 * lambda[1]; }
};

}  // namespace

TEST_CASE("a run goes on where another ended at the very time of an event") {
  const System system = from_functor(Clocks{}, {.states = 1, .surfaces = 2});
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-4, 1e-8}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Simulator simulator(system, {.rtol = rtol, .method = method});
      const Solution whole = simulator.run({.start = 0, .end = 10, .state = Vector::Zero(1)});
      REQUIRE(whole.outcome.reached_end());
      REQUIRE(whole.events.size() == 25);
      std::size_t events = 0;
      Solution part = simulator.run({.start = 0, .end = whole.events[0].t, .state = Vector::Zero(1)});
      events += part.events.size();
      for (std::size_t k = 1; k <= whole.events.size(); ++k) {
        const double end = k < whole.events.size() ? whole.events[k].t : 10;
        part = simulator.run(
            {.start = part.final.t, .end = end, .state = part.final.state, .mode = part.final.mode});
        REQUIRE(part.outcome.reached_end());
        events += part.events.size();
      }
      CHECK(events == whole.events.size());
      CHECK(std::abs(part.final.state[0] - whole.final.state[0]) <= 1e-12);
    }
  }
}

TEST_CASE("a run begins on the surface along which another one slid, whatever rounding left of its guard") {
  // Slides up to t = 1, then x' = t − 1.
  for (const double left : {0.0, 5.6e-45, -5.6e-45}) {
    const Solution solution =
        Simulator(relay(), {}).run({.start = 0, .end = 2, .state = Vector::Constant(1, left)});
    REQUIRE(solution.outcome.reached_end());
    CHECK(solution.initial.mode.word() == "0");
    REQUIRE(solution.events.size() == 1);
    CHECK(solution.events[0].t == doctest::Approx(1).epsilon(1e-6));
    CHECK(solution.final.state[0] == doctest::Approx(0.5).epsilon(1e-5));
  }
  const Solution off =
      Simulator(relay(), {}).run({.start = 0, .end = 2, .state = Vector::Constant(1, 1e-12)});
  CHECK(off.initial.mode.word() == "+");
  REQUIRE(off.events.size() == 2);
  CHECK(off.events[0].kind == EventKind::sliding_entry);
}
