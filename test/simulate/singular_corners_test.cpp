// Runs into points where the relays' effects are not independent, and on from there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/model/example_systems.hpp"
#include "test/simulate/hybrid.hpp"
#include "test/simulate/model_text.hpp"

namespace slideway {
namespace {

using test::run;
using test::with;

struct Twisting {
  double load = 0, growth = 0;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -2.0 * lambda[0] - lambda[1] + load + growth * t;
  }
};

const Method methods[] = {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas};

TEST_CASE("the twisting algorithm arrives at its origin at the right time and stays there") {
  // From x = 1 at rest: √2 down, √2/3 up to rest at −1/3, and so on by 1/√3: t* = √2·4/3 / (1 − 1/√3).
  const double exact = std::sqrt(2.0) * 4 / 3 / (1 - 1 / std::sqrt(3.0));
  const System system = from_functor(Twisting{}, {.states = 2, .surfaces = 2});
  for (const Method method : methods) {
    for (const double rtol : {1e-5, 1e-8}) {
      CAPTURE(rtol);
      const Solution solution = run(system, Eigen::Vector2d(1, 0), 10, with(method, rtol));
      REQUIRE(solution.outcome.status == Status::reached_end);
      const EventRecord& last = solution.events.back();
      CHECK(last.kind == EventKind::zeno);
      CHECK(last.t == doctest::Approx(exact).epsilon(10 * rtol));
      CHECK(solution.final.mode.word() == "00");
      CHECK(solution.final.state.lpNorm<Eigen::Infinity>() <= 1e-12);
    }
  }
}

TEST_CASE("a growing load is held until it exceeds both gains, and then moves off once") {
  // Held while t < 3; then x'' = t − 3.
  const System system = from_functor(Twisting{.growth = 1}, {.states = 2, .surfaces = 2});
  for (const Method method : methods) {
    const Solution solution = run(system, Vector::Zero(2), 4, with(method, 1e-8));
    REQUIRE(solution.outcome.status == Status::reached_end);
    REQUIRE(solution.events.size() == 1);
    CHECK(solution.events[0].t == doctest::Approx(3).epsilon(1e-6));
    CHECK(solution.events[0].from->word() == "00");
    CHECK(solution.events[0].to->word() == "++");
    CHECK(solution.final.state[0] == doctest::Approx(1.0 / 6).epsilon(1e-5));
    CHECK(solution.final.state[1] == doctest::Approx(0.5).epsilon(1e-5));
  }
}

// A block on dry friction and a spring with a kink, pulled harder and harder.
struct KinkedSpring {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = 0.3 * t - 0.25 * lambda[0] * x[0] - 0.5 * lambda[1];
  }
};

TEST_CASE("a block leaves the kink of its spring when friction no longer holds it") {
  // After t₀ = 5/3 with s = t − t₀: x'' + x/4 = 0.3 s, x = 1.2 (s − 2 sin(s/2)).
  const System system = from_functor(KinkedSpring{}, {.states = 2, .surfaces = 2});
  const double s = 3.0 - 5.0 / 3;
  for (const Method method : methods) {
    const Solution solution = run(system, Vector::Zero(2), 3, with(method, 1e-8));
    REQUIRE(solution.outcome.status == Status::reached_end);
    REQUIRE(solution.events.size() == 1);
    CHECK(solution.events[0].t == doctest::Approx(5.0 / 3).epsilon(1e-7));
    CHECK(solution.final.mode.word() == "++");
    CHECK(solution.final.state[0] == doctest::Approx(1.2 * (s - 2 * std::sin(s / 2))).epsilon(1e-5));
  }
}

TEST_CASE("Fuller's problem spirals into its origin at the right time") {
  // On the curve x = −c v|v| half a turn later the speed is √((1/2 − c)/(1/2 + c)) of what it was: 1/2 for c = 0.3.
  // A half turn from speed u takes u(1 + 1/2); the first, from x = 1 at rest, reaches its curve with u = √(2/1.6).
  const double u = std::sqrt(1 / 0.8);
  const double exact = u + u * 1.5 / 0.5;
  const System system = from_functor(example::Fuller{0.3}, {.states = 2, .surfaces = 3});
  for (const Method method : methods) {
    const Solution solution = run(system, Eigen::Vector2d(1, 0), 10, with(method, 1e-8));
    REQUIRE(solution.outcome.status == Status::reached_end);
    CHECK(solution.final.state.lpNorm<Eigen::Infinity>() <= 1e-9);
    const auto zeno = std::find_if(solution.events.begin(), solution.events.end(),
                                   [](const EventRecord& event) { return event.kind == EventKind::zeno; });
    REQUIRE(zeno != solution.events.end());
    CHECK(zeno->t == doctest::Approx(exact).epsilon(1e-6));
  }
}

TEST_CASE("Fuller's problem slides along its parabola into the origin and rests there") {
  // c = 0.8: from x = 1 the parabola is met with speed √(2/2.6); along it v' = 1/(2c), so it takes 2c times that.
  const double u = std::sqrt(2 / 2.6);
  const System system = from_functor(example::Fuller{0.8}, {.states = 2, .surfaces = 3});
  for (const Method method : methods) {
    const Solution solution = run(system, Eigen::Vector2d(1, 0), 10, with(method, 1e-8));
    REQUIRE(solution.outcome.status == Status::reached_end);
    REQUIRE(solution.events.size() >= 2);
    CHECK(solution.events[0].t == doctest::Approx(u).epsilon(1e-6));
    // The surfaces touch there: h is quadratic in the time that is left.
    CHECK(solution.events[1].t == doctest::Approx(u + 1.6 * u).epsilon(1e-4));
    CHECK(solution.final.state.lpNorm<Eigen::Infinity>() <= 1e-7);
  }
}

// Two relays on one surface; y feels the difference of their shares where `side` is not zero.
struct Twins {
  double side = 0;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = 2.0 * x[0];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = 0.5 - lambda[0] - lambda[1];
    dx[1] = 1.0 + side * (lambda[0] - lambda[1]);
  }
};

TEST_CASE("a run slides along two surfaces that coincide when their shares do not matter") {
  const System system = from_functor(Twins{}, {.states = 2, .surfaces = 2});
  for (const Method method : methods) {
    const Solution solution = run(system, Eigen::Vector2d(1, 0), 2, with(method, 1e-8));
    REQUIRE(solution.outcome.status == Status::reached_end);
    REQUIRE(solution.events.size() == 1);
    CHECK(solution.events[0].t == doctest::Approx(2.0 / 3).epsilon(1e-7));
    CHECK(solution.final.mode.word() == "00");
    CHECK(std::abs(solution.final.state[0]) <= 1e-12);
    CHECK(solution.final.state[1] == doctest::Approx(2));
  }
}

TEST_CASE("a run stops at two surfaces that coincide when their shares matter, and says why") {
  const System system = from_functor(Twins{1}, {.states = 2, .surfaces = 2});
  const Solution solution = run(system, Eigen::Vector2d(1, 0), 2, with(Method::bdf, 1e-8));
  CHECK(solution.outcome.status == Status::ambiguous);
  CHECK(solution.outcome.message.find("not independent") != std::string::npos);
}

// Sliding along the line y = 0 past the point where the parabola y = x²/4 touches it.
struct TouchingParabola {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[1];
    h[1] = x[1] - 0.25 * x[0] * x[0];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = 1.0;
    dx[1] = -0.5 - 0.8 * lambda[0] - 0.4 * lambda[1];
  }
};

TEST_CASE("a run slides past the point where another surface touches its own") {
  const System system = from_functor(TouchingParabola{}, {.states = 2, .surfaces = 2});
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(rtol);
      const Solution solution = run(system, Eigen::Vector2d(-2, 0.7), 4, with(method, rtol));
      REQUIRE(solution.outcome.status == Status::reached_end);
      for (const EventRecord& event : solution.events) {
        if (event.t > 1) CHECK(event.kind == EventKind::grazing);
      }
      CHECK(solution.final.mode.word() == "0-");
      CHECK(std::abs(solution.final.state[1]) <= 1e-12);
    }
  }
}

// Slides along x = 0.3z, and then along y = −0.7z too, with roots of the first distance that are finite on their own sides only.
struct Orifices {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] - 0.3 * x[2];
    h[1] = x[1] + 0.7 * x[2];
  }
  void field(auto t, const auto& x, const auto& signs, auto&& dx) const {
    using std::cos, std::sqrt;
    const auto root = sqrt(signs[0] * (x[0] - 0.3 * x[2]));
    dx[0] = 0.2 * cos(t) - signs[0] * (1.0 + 0.5 * root);
    dx[1] = 0.3 - 1.5 * signs[0] * root - signs[1] * (1.0 + 0.3 * root);
    dx[2] = cos(3.0 * t) - 0.3 * x[2];
  }
};

// A relay on z + max(y, 0)³, told on both sides of y = 0 by a guard of its own.
struct CubicFromZero {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[1] + x[0] * x[0] * x[0];
    h[1] = x[1];
    h[2] = x[0];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = 1;
    dx[1] = -10.0 * ((1.0 + lambda[2]) * lambda[0] + (1.0 - lambda[2]) * lambda[1]);
  }
};

TEST_CASE("sliding goes on where two guards of one relay touch to third order") {
  const System system = from_functor(CubicFromZero{}, {.states = 2, .surfaces = 3});
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, Eigen::Vector2d(-1, -0.8), 3, with(method, rtol));
      REQUIRE_MESSAGE(solution.outcome.succeeded(), solution.outcome.message);
      CHECK(solution.final.mode.word() == "0-+");
      CHECK(std::abs(solution.final.state[0] - 2) <= 10 * rtol);
      CHECK(std::abs(solution.final.state[1] + 8) <= 100 * rtol);
    }
  }
}

// Levant's nested controller of third order, z' = sin(t)/2 − 4 sgn(z + 2 (|y|³ + x²)^(1/6) sgn(y + |x|^(2/3) sgn x)), each guard told
// on all sides of the others: those of y > 0 and y < 0 touch to third order.
struct NestedController {
  void guards(auto, const auto& x, auto&& h) const {
    using std::abs, std::pow;
    for (int k = 0; k < 4; ++k) {
      const double side_of_y = k & 1 ? -1 : 1;
      const double side_of_s = k & 2 ? -1 : 1;
      h[k] = x[2] + 2.0 * side_of_s * pow(abs(side_of_y * x[1] * x[1] * x[1] + x[0] * x[0]), 1.0 / 6);
    }
    h[4] = x[1] + pow(abs(x[0]), 2.0 / 3);
    h[5] = x[1] - pow(abs(x[0]), 2.0 / 3);
    h[6] = x[0];
    h[7] = x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    const auto choose = [](const auto& relay, const auto& above, const auto& below) {
      return 0.5 * ((1.0 + relay) * above + (1.0 - relay) * below);
    };
    const auto s = choose(lambda[6], lambda[4], lambda[5]);
    const auto u =
        choose(s, choose(lambda[7], lambda[0], lambda[1]), choose(lambda[7], lambda[2], lambda[3]));
    dx[0] = x[1];
    dx[1] = x[2];
    dx[2] = 0.5 * sin(t) - 4.0 * u;
  }
};

TEST_CASE("an arrival at a surface that nearly touches the one slid along does not move the state") {
  // Euler's method with steps of 2e-6 has -0.13268, 0.72565, 0.30486; the digits are those of rtol 1e-9 with dopri5, adams and bdf.
  const Eigen::Vector3d exact{-0.13263421, 0.72564186, 0.30464919};
  const System system = from_functor(NestedController{}, {.states = 3, .surfaces = 8});
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams}) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, Eigen::Vector3d(1, 0.2, -0.3), 6, with(method, rtol));
      REQUIRE_MESSAGE(solution.outcome.succeeded(), solution.outcome.message);
      CHECK((solution.final.state - exact).lpNorm<Eigen::Infinity>() <= 200 * rtol);
    }
  }
}

TEST_CASE("a state slides along two surfaces with the root of a distance from one of them in the fields") {
  const System system = from_signs(Orifices{}, {.states = 3, .surfaces = 2});
  const double end = 4, a = 0.3 / 9.09, b = 3 / 9.09;
  const double z = a * std::cos(3 * end) + b * std::sin(3 * end) + (0.7 - a) * std::exp(-0.3 * end);
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(rtol);
      const Solution solution = run(system, Eigen::Vector3d(0.5, 0.4, 0.7), end, with(method, rtol));
      REQUIRE(solution.outcome.status == Status::reached_end);
      REQUIRE(solution.events.size() == 2);
      CHECK(solution.events[0].to->word() == "0+");
      CHECK(solution.events[1].to->word() == "00");
      CHECK((solution.final.state - z * Eigen::Vector3d(0.3, -0.7, 1)).lpNorm<Eigen::Infinity>() <=
            50 * rtol);
    }
  }
}

// Held at the origin by two relays; the load on the second grows until it moves off at t = 1, along the first surface.
struct InUnits {
  double length = 1, width = 1, time = 1, first = 1, second = 1;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = first * (x[0] / length + 0.5 * x[1] / width);
    h[1] = second * (x[1] / width - 0.3 * x[0] / length);
  }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = (0.2 - lambda[0]) * length / time;
    dx[1] = (0.5 + 0.5 * t / time - lambda[1]) * width / time;
  }
};

TEST_CASE("the units of states, of time and of guards change nothing") {
  const Eigen::Vector2d pairs[] = {{1, 1}, {1e9, 1e-9}, {1e-6, 1e6}, {1e-9, 1e-9}};
  for (const Method method : methods) {
    for (const Eigen::Vector2d& units : pairs) {
      for (const Eigen::Vector2d& guards : pairs) {
        for (const double time : {1e-9, 1e-3, 1.0, 1e6}) {
          CAPTURE(units.transpose());
          CAPTURE(guards.transpose());
          CAPTURE(time);
          const System system = from_functor(InUnits{units[0], units[1], time, guards[0], guards[1]},
                                             {.states = 2, .surfaces = 2});
          Options options;
          options.rtol = 1e-6;
          options.atol = Vector(1e-8 * units);
          options.method = method;
          const Solution solution =
              Simulator(system, options).run({.start = 0, .end = 3 * time, .state = Vector::Zero(2)});
          REQUIRE(solution.outcome.status == Status::reached_end);
          REQUIRE(solution.events.size() == 1);
          CHECK(solution.events[0].t == doctest::Approx(time).epsilon(1e-6));
          CHECK(solution.events[0].to->word() == "0+");
          CHECK(solution.final.state[0] == doctest::Approx(-0.5 * units[0]).epsilon(1e-4));
          CHECK(solution.final.state[1] == doctest::Approx(units[1]).epsilon(1e-4));
        }
      }
    }
  }
}

}  // namespace
namespace {

// Elements that yield at ±yᵢ, all driven by the velocity of x = sin t: surfaces q₁ − y₁, …, −q₁ − y₁, … and v, where the positive
// part of v has its kink.
struct YieldingElements {
  Index count = 10;
  double angle = 0;
  double yield(Index i) const { return 0.9 / static_cast<double>(count) * static_cast<double>(i + 1); }
  template <class State>
  auto velocity(const State& x) const {
    return std::sin(angle) * x[0] + std::cos(angle) * x[1];
  }

  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < count; ++i) {
      h[i] = x[2 + i] - yield(i);
      h[count + i] = -x[2 + i] - yield(i);
    }
    h[2 * count] = velocity(x);
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0];
    const auto up = 0.5 * (1 + lambda[2 * count]) * velocity(x);
    const auto down = 0.5 * (1 - lambda[2 * count]) * velocity(x);
    for (Index i = 0; i < count; ++i)
      dx[2 + i] = 0.5 * (1 - lambda[i]) * up + 0.5 * (1 - lambda[count + i]) * down;
  }
};

// Currents of three legs that add up to zero, each behind a relay of 300 V, under voltages of 200 V: nothing conducts. Time runs
// `speed` times as fast.
struct Bridge {
  double speed = 1;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
    h[2] = -x[0] - x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    const auto neutral = 100.0 * (lambda[0] + lambda[1] + lambda[2]);
    for (int i = 0; i < 2; ++i) {
      const auto voltage = 200.0 * sin(314.0 * speed * t - 2.1 * i);
      dx[i] = speed * 1e3 * (voltage - 300.0 * lambda[i] + neutral - 0.1 * x[i]);
    }
  }
};

TEST_CASE("relays that hold their surfaces together do so in every unit of time") {
  for (const double speed : {1e-6, 1.0, 1e4, 1e6, 1e9}) {
    CAPTURE(speed);
    const System system = from_functor(Bridge{speed}, {.states = 2, .surfaces = 3});
    for (const Method method : methods) {
      const Solution solution = run(system, Vector::Zero(2), 0.1 / speed, with(method, 1e-6));
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.status == Status::reached_end);
      CHECK(solution.final.mode.word() == "000");
      CHECK(solution.events.empty());
    }
  }
}

// x'' = −2 sgn x − sgn x' + 3 + sin t, from rest: just above what the relays hold together. Time runs `speed` times as fast.
struct Loaded {
  double speed = 1;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = speed * x[1];
    dx[1] = speed * (-2.0 * lambda[0] - lambda[1] + 3.0 + sin(speed * t));
  }
};

TEST_CASE("a load that grows from its limit moves off at once in every unit of time") {
  for (const double speed : {1e-6, 1.0, 1e6, 1e9}) {
    CAPTURE(speed);
    const System system = from_functor(Loaded{speed}, {.states = 2, .surfaces = 2});
    for (const Method method : methods) {
      const Solution solution = run(system, Vector::Zero(2), 2 / speed, with(method, 1e-8));
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.status == Status::reached_end);
      CHECK(solution.final.mode.word() == "++");
      CHECK(solution.events.empty());
      CHECK(std::abs(solution.final.state(0) - (2 - std::sin(2.0))) <= 1e-6);
    }
  }
}

// Slides along x₁ = 0 into a two-fold at t = 1, where its relay loses its effect while λ stays inside, beside a block that sticks.
struct TwoFoldBeside {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[3];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    const auto above = 0.5 * (1 + lambda[0]);
    const auto below = 0.5 * (1 - lambda[0]);
    dx[0] = -x[1] * above + x[2] * below;
    dx[1] = above - 2 * below;
    dx[2] = -2 * above + below;
    dx[3] = 0.3 * sin(t) - lambda[1];
  }
};

TEST_CASE("a two-fold is met though something else slides all along") {
  const System system = from_functor(TwoFoldBeside{}, {.states = 4, .surfaces = 2});
  for (const Method method : methods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(rtol);
      const Solution solution = run(system, Vector{{0, 0.6, 0.4, 0}}, 2, with(method, rtol));
      CHECK(solution.outcome.status == Status::ambiguous);
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.events[0].kind == EventKind::two_fold);
      CHECK(std::abs(solution.events[0].t - 1) <= 10 * rtol);
      CHECK(solution.final.state.head(3).lpNorm<Eigen::Infinity>() <= 10 * rtol);
    }
  }
}

}  // namespace

TEST_CASE("cars behind one that stops and goes stand and start in the same order with every tolerance") {
  // Treiber's intelligent drivers. What a car that stands would like to keep as a distance has a kink that vanishes with its speed.
  const std::string cars = [] {
    std::string text =
        "[states]\nxl = 100\nx1 = 80\nx2 = 60\nx3 = 45\nv1 = 15\nv2 = 15\nv3 = 14\n[time]\nend = 90\n"
        "[definitions]\nvl = \"max(12*cos(0.12*t) + 5, 0)\"\n";
    for (int i = 1; i <= 3; ++i) {
      const std::string own = std::to_string(i);
      const std::string ahead = i == 1 ? "l" : std::to_string(i - 1);
      text += "s" + own + " = \"2 + max(1.5*v" + own + " + v" + own + "*(v" + own + " - v" + ahead +
              ")/(2*sqrt(2)), 0)\"\na" + own + " = \"1 - (v" + own + "/30)^4 - (s" + own + "/(x" + ahead +
              " - x" + own + " - 5))^2\"\n";
    }
    text += "[derivatives]\nxl = \"vl\"\n";
    for (const std::string own : {"1", "2", "3"})
      text += "x" + own + " = \"v" + own + "\"\nv" + own + " = \"if(v" + own + " > 0, a" + own + ", max(a" +
              own + ", 0))\"\n";
    return text;
  }();
  // The leader's speed comes to zero or leaves it where cos(0.12 t) = -5/12: at 16.67, 35.69, 69.03 and 88.05. Each of three cars stops
  // behind it twice, and starts when its gap exceeds 2 again: three in the first turn, two in the second, the last at 90.4. The inner
  // kink 1.5 + (v - v_ahead)/(2 sqrt 2) is crossed where v_ahead - v = 3 sqrt 2 = 4.24: by the first car at 41.70 and 49.78; the others stay
  // below 2.9, as Heun's method with steps of 5e-4 says. The kink of max(a, 0) is not in force while a car drives. 4 + 6 + 5 + 2 = 17.
  std::vector<std::string> expected;
  test::for_all_methods(cars, {1e-6, 1e-8, 1e-10}, [&](const test::Finished& finished, double) {
    std::vector<std::string> modes;
    for (const EventRecord& event : finished.solution.events) modes.push_back(event.to->word());
    if (expected.empty()) expected = modes;
    CHECK(modes == expected);
    CHECK(modes.size() == 17);
  });
}

TEST_CASE("a bridge of three legs that block starts where two of them begin to conduct, however near") {
  // Of the relays only differences count. At t = 1 the lines a and c come to what holds them, ±1; from there on ia = (t - 1)²/2.
  for (const double beyond : {0.0, 1e-15, 1e-13, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6}) {
    for (const double sign : {-1.0, 1.0}) {
      CAPTURE(sign * beyond);
      const ModelInstance instance =
          parse_model(
              "[states]\nia = 0\nib = 0\n[time]\nend = 2\n[definitions]\nva = \"sgn(ia)\"\n"
              "vb = \"sgn(ib)\"\nvc = \"sgn(-ia - ib)\"\nvn = \"(va + vb + vc)/3\"\n[derivatives]\n"
              "ia = \"t - va + vn\"\nib = \"-vb + vn\"\n",
              "test.toml")
              .instantiate({});
      for (const Method method : {Method::dopri5, Method::adams, Method::bdf}) {
        for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
          CAPTURE(to_string(method));
          CAPTURE(rtol);
          Options options;
          options.method = method;
          options.rtol = rtol;
          const Solution solution = Simulator(instance.problem(), options)
                                        .run({.start = 1 + sign * beyond, .end = 2, .state = instance.state});
          CAPTURE(solution.outcome.message);
          REQUIRE(solution.outcome.reached_end());
          CHECK(solution.events.size() <= 1);
          CHECK(solution.final.mode.word() == "+0-");
          CHECK(std::abs(solution.final.state[0] - 0.5) <= 100 * rtol);
          CHECK(std::abs(solution.final.state[1]) <= 1e-12);
        }
      }
    }
  }
}

TEST_CASE("elements that have yielded unload together when their velocity turns") {
  constexpr double pi = std::numbers::pi;
  // Rotated, the velocity is not zero where it turns but what rounding leaves of it.
  for (const YieldingElements elements :
       {YieldingElements{}, YieldingElements{.count = 2}, YieldingElements{.count = 2, .angle = 0.3},
        YieldingElements{.count = 3, .angle = 0.7}, YieldingElements{.angle = 0.3}}) {
    const Index count = elements.count;
    std::vector<double> exact;
    for (Index i = 0; i < count; ++i) exact.push_back(std::asin(elements.yield(i)));
    exact.push_back(pi / 2);
    for (Index i = 0; i < count; ++i) exact.push_back(pi - std::asin(1 - 2 * elements.yield(i)));
    exact.push_back(3 * pi / 2);
    for (Index i = 0; i < count; ++i) exact.push_back(2 * pi - std::asin(1 - 2 * elements.yield(i)));
    exact.push_back(5 * pi / 2);
    const System system = from_functor(elements, {.states = 2 + count, .surfaces = 2 * count + 1});
    Vector state = Vector::Zero(2 + count);
    state[0] = std::sin(elements.angle);
    state[1] = std::cos(elements.angle);
    for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
      for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11}) {
        CAPTURE(count);
        CAPTURE(elements.angle);
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const Solution solution =
            Simulator(system, {.rtol = rtol, .method = method}).run({.start = 0, .end = 8, .state = state});
        CHECK_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
        REQUIRE(solution.events.size() == exact.size());
        for (std::size_t k = 0; k < exact.size(); ++k) {
          const bool turns = static_cast<Index>(k) % (count + 1) == count;
          CHECK(solution.events[k].kind == (turns ? EventKind::corner : EventKind::sliding_entry));
          CHECK(std::abs(solution.events[k].t - exact[k]) < 1000 * rtol);
        }
        for (Index i = 0; i < count; ++i) {
          const double after_turn = elements.yield(i) + std::sin(8.0) - 1;
          CHECK(std::abs(solution.final.state[2 + i] - after_turn) < 1000 * rtol);
        }
      }
    }
  }
}

TEST_CASE("a play takes its two sides in turn, where the drive that moves it turns back") {
  // The input 1.7 sin t moves w by its sides 1/2 ahead and behind, and at its extremes comes to rest across all surfaces at once.
  const auto play = [](const std::string& time, double start) {
    return "[states]\nw = 0\n[time]\nstart = " + std::to_string(start) +
           "\nend = " + std::to_string(start + 20) + "\n[definitions]\nu = \"1.7*sin(" + time +
           ")\"\ndu = \"1.7*cos(" + time +
           ")\"\n[surfaces]\nahead = \"u - w - 0.5\"\nbehind = \"w - u - 0.5\"\nrising = \"cos(" + time +
           ")\"\n[derivatives]\nw = \"du*step(ahead)*step(rising) + du*step(behind)*(1 - step(rising))\"\n";
  };
  constexpr double pi = std::numbers::pi;
  const double first = std::asin(0.5 / 1.7);
  const double gap = std::acos(1 - 1 / 1.7);
  // A later start takes digits from the time.
  for (const double start : {0.0, 1e4}) {
    test::for_all_methods(play(start > 0 ? "(t - 10000)" : "t", start),
                          [&](const test::Finished& finished, double rtol) {
                            const EventLog& events = finished.solution.events;
                            REQUIRE(events.size() == 13);
                            CHECK(std::abs(events[0].t - start - first) <= 10 * rtol);
                            for (int k = 0; k < 6; ++k) {
                              const EventRecord& turn = events[static_cast<std::size_t>(2 * k + 1)];
                              const EventRecord& taken = events[static_cast<std::size_t>(2 * k + 2)];
                              CHECK(std::abs(turn.t - start - (k + 0.5) * pi) <= 1e-9);
                              CHECK(turn.to->word() == (k % 2 == 0 ? "---" : "--+"));
                              CHECK(std::abs(taken.t - start - (k + 0.5) * pi - gap) <= 100 * rtol);
                              CHECK(taken.to->word() == (k % 2 == 0 ? "-0-" : "0-+"));
                            }
                            CHECK(std::abs(finished.end(0) - (1.7 * std::sin(20.0) - 0.5)) <= 100 * rtol);
                          });
  }
}

}  // namespace slideway
