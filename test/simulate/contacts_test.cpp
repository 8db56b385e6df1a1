// Unilateral constraints: impacts, rest, release, several at once, and with moving bodies.
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

System falling(double g = 10) {
  return smooth(2, [g](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -g;
  });
}

System ball(double e, double g = 10) {
  return falling(g).with_contacts({contact("floor", component(0), {{1, 1}}, e)});
}

// A root of f in [a, b], where its sign changes.
double bisect(const std::function<double(double)>& f, double a, double b) {
  const bool rises = f(b) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (a + b);
    ((f(middle) > 0) == rises ? b : a) = middle;
  }
  return 0.5 * (a + b);
}

// A bead of unit mass in a round bowl of radius 1, or outside on a ball: gap = ±(1 − x² − y²).
System bead(double sign, double g = 10) {
  const System free = smooth(4, [g](auto, const auto& x, auto&& dx) {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 0.0;
    dx[3] = -g;
  });
  Contact bowl;
  bowl.name = "bowl";
  bowl.gap = Guard([sign](auto, const auto& x) { return sign * (1.0 - x[0] * x[0] - x[1] * x[1]); });
  bowl.acts_on = [sign](double, ConstVectorRef x, VectorRef b) {
    b[2] = -sign * x[0];
    b[3] = -sign * x[1];
  };
  return free.with_contacts({bowl});
}

}  // namespace

TEST_CASE("a ball at rest on the floor stays at rest") {
  for_every_method([](const Options& options) {
    const Solution solution = run(ball(0.5), {0, 0}, 1e4, options);
    CHECK(solution.outcome.reached_end());
    CHECK(solution.events.empty());
    CHECK(solution.initial.mode.word() == "0");
    CHECK(solution.final.mode.word() == "0");
    CHECK(solution.final.state[0] == 0);
    CHECK(solution.final.state[1] == 0);
  });
}

TEST_CASE("a ball that starts on the floor moving down bounces at once") {
  for_every_method([](const Options& options) {
    const Solution solution = run(ball(0.5), {0, -4}, 0.3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "impact floor");
    CHECK(solution.events[0].t == 0);
    CHECK_FALSE(solution.events[0].from.has_value());
    CHECK(solution.events[0].after[1] == 2);
    CHECK(error(solution.final.state[1], -1) < 10 * options.rtol);
    CHECK(error(solution.final.state[0], 2 * 0.3 - 5 * 0.09) < 10 * options.rtol);
  });
}

TEST_CASE("a ball that starts on the floor moving up flies") {
  const Solution solution = run(ball(0.5), {0, 2}, 0.3);
  CHECK(solution.events.empty());
  CHECK(solution.initial.mode.word() == "+");
  CHECK(solution.final.state[0] == doctest::Approx(0.15));
}

TEST_CASE("an inelastic ball lands and stays") {
  for_every_method([](const Options& options) {
    const Solution solution = run(ball(0), {5, 0}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "contact floor");
    CHECK(error(solution.events[0].t, 1) < 100 * options.rtol);
    CHECK(solution.events[0].from->word() == "+");
    CHECK(solution.events[0].to->word() == "0");
    CHECK(std::abs(solution.final.state[0]) < 1e-25);
    CHECK(std::abs(solution.final.state[1]) < 1e-25);
  });
}

TEST_CASE("a perfectly elastic ball bounces for ever and keeps its energy") {
  for_every_method([](const Options& options) {
    const Solution solution = run(ball(1), {5, 0}, 400, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.events.size() == 200);
    CHECK(count(solution, EventKind::impact) == 200);
    for (std::size_t k = 0; k < solution.events.size(); k += 37) {
      CHECK(error(solution.events[k].t, 2 * static_cast<double>(k) + 1) < 1000 * options.rtol);
    }
    const Vector& x = solution.final.state;
    CHECK(error(10 * x[0] + 0.5 * x[1] * x[1], 50) < 1000 * options.rtol);
  });
}

TEST_CASE("an impact below the threshold speed is inelastic") {
  for_every_method([](const Options& options) {
    Contact floor = contact("floor", component(0), {{1, 1}}, 0);
    floor.restitution = [](double approach) { return approach < 2 ? 0.0 : 0.5; };
    // Speeds 10, 5, 2.5, 1.25.
    const Solution solution = run(falling().with_contacts({floor}), {5, 0}, 5, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "impact floor, impact floor, impact floor, contact floor");
    CHECK(error(solution.events[3].t, 1 + 1 + 0.5 + 0.25) < 100 * options.rtol);
    CHECK(std::abs(solution.final.state[0]) < 1e-25);
  });
}

TEST_CASE("a restitution outside its range ends the run and names the contact") {
  for (const double e : {1.5, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    const Solution solution = run(ball(e), {5, 0}, 3);
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(contains(solution.outcome.message, "restitution of contact 'floor'"));
    CHECK(solution.outcome.t == doctest::Approx(1));
  }
}

TEST_CASE("a state that violates a contact is refused before the run") {
  CHECK_THROWS_WITH_AS(run(ball(0.5), {-0.1, 0}, 1), doctest::Contains("'floor'"), std::invalid_argument);
}

TEST_CASE("a force that does not open its gap is reported") {
  for (const double force : {-1.0, 0.0}) {
    const Solution solution =
        run(falling().with_contacts({contact("floor", component(0), {{1, force}}, 0.5)}), {5, 0}, 3);
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(contains(solution.outcome.message, "does not open its gap"));
  }
}

TEST_CASE("two balls that land at one instant are one event") {
  for_every_method([](const Options& options) {
    const System two = smooth(4, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = -10.0;
      dx[2] = x[3];
      dx[3] = -10.0;
    });
    const Solution solution = run(two.with_contacts({contact("left", component(0), {{1, 1}}, 0.5),
                                                     contact("right", component(2), {{3, 1}}, 0.25)}),
                                  {5, 0, 5, 0}, 1.2, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(solution.events.size() == 1);
    CHECK(solution.events[0].surfaces.size() == 2);
    CHECK(error(solution.final.state[0], 5 * 0.2 - 5 * 0.04) < 1000 * options.rtol);
    CHECK(error(solution.final.state[2], 2.5 * 0.2 - 5 * 0.04) < 1000 * options.rtol);
  });
}

TEST_CASE("a ball that flies into a corner is reflected by both walls at once") {
  for_every_method([](const Options& options) {
    const System free = smooth(4, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[2];
      dx[1] = x[3];
      dx[2] = 0.0;
      dx[3] = 0.0;
    });
    const System corner = free.with_contacts(
        {contact("x", component(0), {{2, 1}}, 0.5), contact("y", component(1), {{3, 1}}, 1)});
    const Solution solution = run(corner, {2, 1, -2, -1}, 2, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(solution.events.size() == 1);
    CHECK(error(solution.final.state[0], 1) < 1000 * options.rtol);
    CHECK(error(solution.final.state[1], 1) < 1000 * options.rtol);
  });
}

TEST_CASE("a body in a corner leaves one wall and then the other as the force turns") {
  for_every_method([](const Options& options) {
    const System pushed = smooth(4, [](auto t, const auto& x, auto&& dx) {
      using std::cos;
      using std::sin;
      dx[0] = x[2];
      dx[1] = x[3];
      dx[2] = -cos(t);
      dx[3] = -sin(t + 0.5);
    });
    const Solution solution = run(pushed.with_contacts({contact("x", component(0), {{2, 1}}, 0.5),
                                                        contact("y", component(1), {{3, 1}}, 0.5)}),
                                  {0, 0, 0, 0}, 2.8, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(solution.initial.mode.word() == "00");
    REQUIRE(story(solution) == "release, release");
    CHECK(solution.events[0].to->word() == "+0");
    CHECK(solution.events[1].to->word() == "++");
    CHECK(error(solution.events[0].t, 0.5 * std::numbers::pi) < 100 * options.rtol);
    CHECK(error(solution.events[1].t, std::numbers::pi - 0.5) < 100 * options.rtol);
    CHECK(error(solution.final.state[0], std::cos(2.8) + 2.8 - 0.5 * std::numbers::pi) < 1000 * options.rtol);
    CHECK(error(solution.final.state[1], std::sin(3.3) + 2.8 - (std::numbers::pi - 0.5)) <
          1000 * options.rtol);
  });
}

TEST_CASE("a contact opens at the moment its force would pull") {
  for_every_method([](const Options& options) {
    // The lift of the weight grows: x'' = t³ − 1 + Λ.
    const System lifted = smooth(2, [](auto t, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = t * t * t - 1.0;
    });
    const Solution solution =
        run(lifted.with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)}), {0, 0}, 2, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "release");
    CHECK(error(solution.events[0].t, 1) < 10 * options.rtol);
    CHECK(solution.events[0].from->word() == "0");
    CHECK(solution.events[0].to->word() == "+");
    // ∫∫ (t³ − 1) from 1: t⁵/20 − t²/2 + 3t/4 − 3/10.
    CHECK(error(solution.final.state[0], 32.0 / 20 - 2 + 1.5 - 0.3) < 1000 * options.rtol);
  });
}

TEST_CASE("a contact whose force only touches zero does not open") {
  for (const Method method : every_method) {
    const System relieved = smooth(2, [](auto t, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = -1e-3 - (t - 1.0) * (t - 1.0);
    });
    const Solution solution = run(relieved.with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)}),
                                  {0, 0}, 2, with(method, 1e-8));
    CHECK(solution.outcome.reached_end());
    CHECK(solution.events.empty());
    CHECK(solution.final.state[0] == 0);
  }
}

TEST_CASE("a weight on a shaking table leaves it when the table falls faster than the weight") {
  for_every_method([](const Options& options) {
    // Table A sin(w t) with A w² = 2 g: the weight leaves where sin(w t) = 1/2.
    constexpr double g = 10, w = 20, A = 2 * g / (w * w);
    const Guard above([](auto t, const auto& x) {
      using std::sin;
      return x[0] - A * sin(w * t);
    });
    const double leaves = std::numbers::pi / (6 * w);
    const double v = A * w * std::cos(w * leaves);
    const double lands = bisect(
        [&](double t) {
          return 0.5 * A + v * (t - leaves) - 0.5 * g * std::pow(t - leaves, 2) - A * std::sin(w * t);
        },
        leaves + 0.1, leaves + 0.4);
    const Solution solution = run(falling(g).with_contacts({contact("table", above, {{1, 1}}, 0)}),
                                  {0, A * w}, lands + 0.001, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(solution.events.size() >= 2);
    CHECK(solution.initial.mode.word() == "0");
    CHECK(solution.events[0].kind == EventKind::release);
    CHECK(error(solution.events[0].t, leaves) < 10 * options.rtol);
    CHECK(solution.events[1].kind == EventKind::contact);
    CHECK(error(solution.events[1].t, lands) < 100 * options.rtol);
    CHECK(solution.events[1].after[1] == doctest::Approx(A * w * std::cos(w * lands)).epsilon(1e-3));
  });
}

TEST_CASE("a weight on a slowly moving table goes with it") {
  for_every_method([](const Options& options) {
    constexpr double w = 3, A = 0.5;  // A w² = 4.5 < g
    const Guard above([](auto t, const auto& x) {
      using std::sin;
      return x[0] - A * sin(w * t);
    });
    const Solution solution =
        run(falling().with_contacts({contact("table", above, {{1, 1}}, 0.5)}), {0, A * w}, 50, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.events.empty());
    CHECK(std::abs(solution.final.state[0] - A * std::sin(w * 50)) < 1e-13);
    CHECK(std::abs(solution.final.state[1] - A * w * std::cos(w * 50)) < 1e-13);
  });
}

TEST_CASE("a table on four legs stands, though nothing says which leg carries how much") {
  for_every_method([](const Options& options) {
    // Height z and tilts p, q; the legs are at (±1, ±1). After t = 1 a jack lifts it straight up.
    const System table = smooth(6, [](auto, const auto& x, auto&& dx) {
      for (Index j = 0; j < 3; ++j) dx[j] = x[3 + j];
      dx[3] = -10.0;
      dx[4] = 0.0;
      dx[5] = 0.0;
    });
    std::vector<Contact> legs;
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) {
        const Guard height([x, y](auto, const auto& s) { return s[0] + x * s[1] + y * s[2]; });
        legs.push_back(contact("leg", height, {{3, 1}, {4, 3 * x}, {5, 3 * y}}, 0));
      }
    }
    const Solution standing = run(table.with_contacts(legs), {0, 0, 0, 0, 0, 0}, 10, options);
    REQUIRE_MESSAGE(standing.outcome.reached_end(), standing.outcome.message);
    CHECK(standing.initial.mode.word() == "0000");
    CHECK(standing.final.state.lpNorm<Eigen::Infinity>() < 1e-20);
    const Solution dropped = run(table.with_contacts(legs), {5, 0, 0, 0, 0, 0}, 10, options);
    REQUIRE_MESSAGE(dropped.outcome.reached_end(), dropped.outcome.message);
    CHECK(dropped.final.mode.word() == "0000");
    CHECK(dropped.final.state.lpNorm<Eigen::Infinity>() < 1e-13);
    // From a tilt it lands leg by leg, and stands in the end.
    const Solution tilted = run(table.with_contacts(legs), {1, 0.3, 0.1, 0, 0, 0}, 20, options);
    REQUIRE_MESSAGE(tilted.outcome.reached_end(), tilted.outcome.message);
    // Two legs that carry nothing are closed or not, to rounding.
    CHECK(tilted.final.state.lpNorm<Eigen::Infinity>() < 1e-10);
  });
}

TEST_CASE("a jack lifts all four legs of a table at once") {
  const System table = smooth(6, [](auto t, const auto& x, auto&& dx) {
    for (Index j = 0; j < 3; ++j) dx[j] = x[3 + j];
    dx[3] = 10.0 * (t - 1.0);
    dx[4] = 0.0;
    dx[5] = 0.0;
  });
  std::vector<Contact> legs;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      const Guard height([x, y](auto, const auto& s) { return s[0] + x * s[1] + y * s[2]; });
      legs.push_back(contact("leg", height, {{3, 1}, {4, 3 * x}, {5, 3 * y}}, 0));
    }
  }
  const Solution solution = run(table.with_contacts(legs), {0, 0, 0, 0, 0, 0}, 2, with(Method::dopri5, 1e-8));
  REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.events[0].t == doctest::Approx(1));
  CHECK(solution.final.mode.word() == "++++");
  CHECK(solution.final.state[0] == doctest::Approx(10.0 / 6));
}

TEST_CASE("a bead in a bowl stays on it, in place and in velocity, to rounding") {
  for_every_method([](const Options& options) {
    const Solution solution = run(bead(1), {0.8, -0.6, 0, 0}, 30, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.initial.mode.word() == "0");
    double worst_gap = 0, worst_rate = 0;
    for (int k = 0; k <= 1000; ++k) {
      const Vector x = solution.trajectory(0.03 * k * (1 - 1e-12));
      worst_gap = std::max(
          worst_gap, std::abs(1 - x[0] * x[0] - x[1] * x[1]) / (std::numeric_limits<double>::epsilon() * 2));
      const double size = 2 * (std::abs(x[0] * x[2]) + std::abs(x[1] * x[3])) + 1e-3;
      worst_rate = std::max(worst_rate, std::abs(2 * (x[0] * x[2] + x[1] * x[3])) /
                                            (std::numeric_limits<double>::epsilon() * size));
    }
    CHECK(worst_gap <= 100);
    CHECK(worst_rate <= 100);
    // Energy.
    const Vector& x = solution.final.state;
    CHECK(std::abs(10 * x[1] + 0.5 * (x[2] * x[2] + x[3] * x[3]) + 6) < 1e5 * options.rtol);
  });
}

TEST_CASE("a bead that swings too high leaves the bowl where the bowl would have to pull") {
  for_every_method([](const Options& options) {
    // N = v² + g cos a with v² = v0² − 2 g (1 − cos a): zero at cos a = (2 g − v0²)/(3 g), a from the bottom.
    constexpr double g = 10, speed = 6.3;
    const double cosine = (2 * g - speed * speed) / (3 * g);
    const Solution solution = run(bead(1, g), {0, -1, speed, 0}, 0.6, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution, 1) == "release");
    CHECK(std::abs(solution.events[0].after[1] - -cosine) < 3000 * options.rtol);
    CHECK(std::abs(solution.events[0].after[0] - std::sqrt(1 - cosine * cosine)) < 3000 * options.rtol);
  });
}

TEST_CASE("a bead slides off a ball at two thirds of its height") {
  for_every_method([](const Options& options) {
    const double start = 0.1;
    const Solution solution = run(bead(-1), {std::sin(start), std::cos(start), 0, 0}, 2, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "release");
    CHECK(std::abs(solution.events[0].after[1] - 2.0 / 3 * std::cos(start)) < 1e4 * options.rtol);
  });
}

TEST_CASE("a body that only touches the floor flies on") {
  for_every_method([](const Options& options) {
    // x = (t − 1)²: the floor is touched without speed.
    const System bowl = smooth(2, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = 2.0;
    });
    const Solution solution =
        run(bowl.with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)}), {1, -2}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.final.mode.word() == "+");
    CHECK(error(solution.final.state[0], 4) < 1000 * options.rtol);
  });
}

TEST_CASE("a touch that rounding takes below the floor is no impact") {
  const System bowl = smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = 2.0;
  });
  const System over_floor = bowl.with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)});
  for (const double rtol : {1e-9, 1e-10, 1e-11, 3e-12, 1e-12}) {
    for (const Method method : every_method) {
      CAPTURE(rtol);
      CAPTURE(std::string(to_string(method)));
      Options options;
      options.rtol = rtol;
      options.method = method;
      const Solution solution = run(over_floor, {1, -2}, 3, options);
      CHECK(solution.events.size() == 0);
      CHECK(error(solution.final.state[0], 4) < 1000 * rtol);
    }
  }
}

TEST_CASE("momentum is conserved when two bodies collide, and energy when they do so elastically") {
  for (const double e : {0.0, 0.6, 1.0}) {
    const System two = smooth(4, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[2];
      dx[1] = x[3];
      dx[2] = 0.0;
      dx[3] = 0.0;
    });
    constexpr double m1 = 2, m2 = 3;
    const Guard between([](auto, const auto& x) { return x[1] - x[0]; });
    const Solution solution = run(
        two.with_contacts({contact("between", between, {{2, -1 / m1}, {3, 1 / m2}}, e)}), {0, 1, 4, -1}, 1);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    const Vector& x = solution.final.state;
    CHECK(m1 * x[2] + m2 * x[3] == doctest::Approx(m1 * 4 - m2));
    CHECK(x[3] - x[2] == doctest::Approx(e * 5));
    CHECK(solution.final.mode.word() == (e == 0 ? "0" : "+"));
  }
}

TEST_CASE("a ball that meets two balls at rest in contact passes its impulse on by the complementarity law") {
  // Newton's law in Moreau's form: with e = 0 all three go on together.
  const System three = smooth(6, [](auto, const auto& x, auto&& dx) {
    for (Index j = 0; j < 3; ++j) {
      dx[j] = x[3 + j];
      dx[3 + j] = 0.0;
    }
  });
  const auto gap = [](Index i) { return Guard([i](auto, const auto& x) { return x[i + 1] - x[i]; }); };
  const Solution solution = run(three.with_contacts({contact("12", gap(0), {{3, -1}, {4, 1}}, 0),
                                                     contact("23", gap(1), {{4, -1}, {5, 1}}, 0)}),
                                {-1, 0, 0, 3, 0, 0}, 1, with(Method::dopri5, 1e-8));
  REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
  for (Index j = 3; j < 6; ++j) CHECK(solution.final.state[j] == doctest::Approx(1));
}

TEST_CASE("two weights on a moving table stay closed whatever the units of their gaps") {
  for_every_method([](const Options& options) {
    const System weights = smooth(4, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[2];
      dx[1] = x[3];
      dx[2] = -1.0;
      dx[3] = -1.0;
    });
    for (const auto& [lower, upper] : {std::pair{1e6, 1e-9}, std::pair{1e-3, 1e3}, std::pair{1e9, 1e9}}) {
      CAPTURE(lower);
      CAPTURE(upper);
      const double below = lower, above = upper;
      const Guard on_table([below](auto t, const auto& x) {
        using std::sin;
        return below * (x[0] - 0.1 * sin(t));
      });
      const Guard between([above](auto, const auto& x) { return above * (x[1] - x[0]); });
      const Solution solution = run(weights.with_contacts({contact("table", on_table, {{2, 1}}, 0.5),
                                                           contact("pair", between, {{2, -1}, {3, 1}}, 0.5)}),
                                    {0, 0, 0.1, 0.1}, 5, options);
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(solution.events.empty());
      for (const Index j : {0, 1}) CHECK(std::abs(solution.final.state[j] - 0.1 * std::sin(5.0)) < 1e-13);
      for (const Index j : {2, 3}) CHECK(std::abs(solution.final.state[j] - 0.1 * std::cos(5.0)) < 1e-13);
    }
  });
}
