// Contacts beside friction: what sticks at a stop, is pressed against it, or lets go of it.
#include <cmath>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

struct OnBelt {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] - 1.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -0.5 * lambda[0];
  }
};

// A block slides on a floor it is pressed onto, y = 0, with friction along x, and stops.
struct Sliding {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[2]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = -2.0 * lambda[0];
    dx[3] = -10.0;
  }
};

struct Pushed {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = 3.0 - lambda[0];
  }
};

}  // namespace

TEST_CASE("a block that moves with a belt is thrown back by a wall and taken along again") {
  for_every_method([](const Options& options) {
    const Guard room([](auto, const auto& x) { return 2.0 - x[0]; });
    const Solution solution = run(from_functor(OnBelt{}, {.states = 2, .surfaces = 1})
                                      .with_contacts({contact("wall", room, {{1, -1}}, 0.5)}),
                                  {0, 1}, 7, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(solution.initial.mode.word() == "0+");
    REQUIRE(solution.events.size() >= 2);
    CHECK(solution.events[0].kind == EventKind::impact);
    CHECK(error(solution.events[0].t, 2) < 100 * options.rtol);
    CHECK(solution.events[0].from->word() == "0+");
    CHECK(solution.events[0].to->word() == "-+");
    // x − 2 = −0.5 s + 0.25 s² is zero again at s = 2, with speed 0.5: below the belt's, so bounces go on and accumulate:
    // speeds 0.5·0.5ᵏ, flights 2·0.5ᵏ.
    CHECK(solution.events[1].kind == EventKind::impact);
    CHECK(error(solution.events[1].t, 4) < 1000 * options.rtol);
    CHECK(error(solution.events[2].t, 5) < 1000 * options.rtol);
    CHECK(solution.events.back().kind == EventKind::zeno);
    CHECK(error(solution.events.back().t, 6) < 1000 * options.rtol);
    CHECK(solution.final.mode.word() == "-0");
    CHECK(solution.final.state[0] == doctest::Approx(2));
    CHECK(std::abs(solution.final.state[1]) < 1e-14);
  });
}

TEST_CASE("a normal contact and friction along it do not disturb each other") {
  for_every_method([](const Options& options) {
    const Solution solution = run(from_functor(Sliding{}, {.states = 4, .surfaces = 1})
                                      .with_contacts({contact("floor", component(1), {{3, 1}}, 0)}),
                                  {0, 0.05, 2, 0}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "contact floor, sliding_entry");
    CHECK(error(solution.events[0].t, 0.1) < 100 * options.rtol);
    CHECK(error(solution.events[1].t, 1) < 100 * options.rtol);
    CHECK(solution.final.mode.word() == "00");
    CHECK(error(solution.final.state[0], 1) < 100 * options.rtol);
  });
}

TEST_CASE("a block with friction that is pushed against a wall stays there") {
  for_every_method([](const Options& options) {
    const Guard room([](auto, const auto& x) { return 1.0 - x[0]; });
    const Solution solution = run(from_functor(Pushed{}, {.states = 2, .surfaces = 1})
                                      .with_contacts({contact("wall", room, {{1, -1}}, 0)}),
                                  {0, 0}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(error(solution.events.front().t, 1) < 100 * options.rtol);
    CHECK(solution.final.state[0] == doctest::Approx(1).epsilon(1e-12));
    CHECK(std::abs(solution.final.state[1]) < 1e-14);
  });
}

TEST_CASE("a block that friction held at a wall leaves it without touching it again") {
  // It comes to the wall at 3/4 in a position where friction can hold it, and is pulled off later.
  const System system =
      from_functor(
          [](auto t, const auto& x, const auto& lambda, auto&& dx) {
            using std::sin;
            dx[0] = x[1];
            dx[1] = -2.242 * x[0] - 0.179 * x[1] + 1.209 * sin(2.0 * t) - 0.3 * lambda[0] + 1.0;
          },
          [](auto, const auto& x, auto&& h) { h[0] = x[1]; }, {.states = 2, .surfaces = 1})
          .with_contacts(
              {contact("right", Guard([](auto, const auto& x) { return 0.75 - x[0]; }), {{1, -1}}, 0),
               contact("left", Guard([](auto, const auto& x) { return x[0] + 0.75; }), {{1, 1}}, 0)});
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {0.449, -2.985}, 8, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) ==
          "contact left, contact right, crossing, contact right, release, crossing, contact right, release");
  });
}

namespace {

// A block with dry friction that a force pushes against an inelastic stop at x = 1.
struct PushedBlock {
  double mass = 1, push = 0.3;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = (1.7 * cos(0.5 * t) + push - 0.6 * lambda[0]) / mass;
  }
};

}  // namespace

TEST_CASE(
    "a block with dry friction that rests against a stop leaves it when friction cannot hold it any more") {
  // Some of these masses have reciprocals that are not exact, so that velocities after the impact and forces cancel up to rounding.
  for (const double mass : {1.0, 0.7, 1.3, 3.7}) {
    // With the stronger push the stop is needed, with the weaker one friction alone would do.
    for (const double push : {0.3, 0.9, -0.6}) {
      const System system =
          from_functor(PushedBlock{mass, push}, {.states = 2, .surfaces = 1})
              .with_contacts({test::contact(
                  "stop", Guard([](auto, const auto& x) { return 1.1 * (1 - x[0]); }), {{1, -1 / mass}}, 0)});
      const double leaves = 2 * std::acos((-0.6 - push) / 1.7);
      for (const Method method : test::every_method) {
        for (const double rtol : test::every_rtol) {
          CAPTURE(mass);
          CAPTURE(push);
          CAPTURE(std::string(to_string(method)));
          CAPTURE(rtol);
          const Solution solution = test::run(system, {0, 1}, leaves + 0.5, test::with(method, rtol));
          REQUIRE(solution.outcome.reached_end());
          CHECK(test::story(solution) == "contact stop, release");
          CHECK(solution.events.back().t == doctest::Approx(leaves).epsilon(1e-8));
          CHECK(solution.events.back().to->word() == "-+");
        }
      }
    }
  }
}

namespace {

// Two blocks with dry friction on a line; one is pushed against the other, which stands still.
struct TwoBlocks {
  double m1, m2;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[2];
    h[1] = x[3];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = (0.39 * sin(0.7 * t) - 0.4 * lambda[0]) / m1;
    dx[3] = (0.3 * sin(0.7 * t) - 0.4 * lambda[1]) / m2;
  }
};

}  // namespace

TEST_CASE("a block that an impact brings to rest sticks where its friction holds it") {
  // With m1 = e m2 the first one stops dead, up to the rounding of the speeds before.
  for (const double e : {0.3, 0.7, 0.9}) {
    const double m2 = 1.7;
    const double m1 = e * m2;
    const System system =
        from_functor(TwoBlocks{m1, m2}, {.states = 4, .surfaces = 2})
            .with_contacts({contact("between", Guard([](auto, const auto& x) { return 1.3 * (x[1] - x[0]); }),
                                    {{2, -1 / m1}, {3, 1 / m2}}, e)});
    for (const double speed : {1.1, 0.7, 0.37}) {
      for_every_method([&](const Options& options) {
        CAPTURE(e);
        CAPTURE(speed);
        const Solution solution = run(system, {-0.01, 0, speed, 0}, 0.1, options);
        REQUIRE(solution.outcome.reached_end());
        CHECK(story(solution) == "impact between");
        CHECK(solution.final.mode.word() == "0++");
      });
    }
  }
}

TEST_CASE("two blocks that touch and stick each by its own friction need no force between them") {
  // The pushes, of 0.39 and 0.3 at most, would press them together, did friction not hold 0.4 of each.
  for (const double m1 : {1.0, 0.7}) {
    for (const double m2 : {1.0, 1.3}) {
      const System system = from_functor(TwoBlocks{m1, m2}, {.states = 4, .surfaces = 2})
                                .with_contacts({contact(
                                    "between", Guard([](auto, const auto& x) { return 1.3 * (x[1] - x[0]); }),
                                    {{2, -1 / m1}, {3, 1 / m2}}, 0)});
      for_every_method([&](const Options& options) {
        CAPTURE(m1);
        CAPTURE(m2);
        const Solution solution = run(system, {0, 0, 0, 0}, 20, options);
        REQUIRE(solution.outcome.reached_end());
        CHECK(story(solution) == "");
        CHECK(solution.final.state.isZero());
      });
    }
  }
}

TEST_CASE("a stop holds at once the block that friction lets go against it") {
  // The block touches the stop at x = 0, and the force that pulls it there exceeds friction from t = 1 + sqrt(2) on.
  for (const double e : {0.0, 0.5}) {
    for (const double mass : {1.0, 0.7}) {
      const System system =
          from_functor(
              [mass](auto t, const auto& x, const auto& lambda, auto&& dx) {
                dx[0] = x[1];
                dx[1] = (1.05 - (t - 1.0) * (t - 1.0) - 0.5 * x[0] - 1.05 * lambda[0]) / mass;
              },
              [](auto, const auto& x, auto&& h) { h[0] = x[1]; }, {.states = 2, .surfaces = 1})
              .with_contacts({contact("stop", component(0), {{1, 1 / mass}}, e)});
      for_every_method([&](const Options& options) {
        CAPTURE(e);
        CAPTURE(mass);
        const Solution solution = run(system, {0, 0}, 4, options);
        REQUIRE(solution.outcome.reached_end());
        CHECK(solution.final.state.isZero(1e-12));
        CHECK(solution.final.mode.word() == "+0");
        CHECK(story(solution) == "corner, corner");
        CHECK(solution.events.back().t == doctest::Approx(1 + std::sqrt(2.1)).epsilon(1e-7));
      });
    }
  }
}

namespace {

// Two blocks with dry friction, x1 left of x2, under these forces.
template <class First, class Second>
System two_blocks(First first, Second second, double friction1, double friction2) {
  constexpr double m1 = 0.7, m2 = 1.3;
  return from_functor(
             [=](auto t, const auto& x, const auto& lambda, auto&& dx) {
               dx[0] = x[2];
               dx[1] = x[3];
               dx[2] = (first(t) - friction1 * lambda[0]) / m1;
               dx[3] = (second(t) - friction2 * lambda[1]) / m2;
             },
             [](auto, const auto& x, auto&& h) {
               h[0] = x[2];
               h[1] = x[3];
             },
             {.states = 4, .surfaces = 2})
      .with_contacts({contact("between", Guard([](auto, const auto& x) { return 1.1 * (x[1] - x[0]); }),
                              {{2, -1 / m1}, {3, 1 / m2}}, 0),
                      contact("stop", Guard([](auto, const auto& x) { return 0.9 * (1.0 - x[1]); }),
                              {{3, -1 / m2}}, 0)});
}

}  // namespace

TEST_CASE("two blocks that are pressed against a stop leave it one by one when their friction gives way") {
  const System system = two_blocks([](auto t) { return 1.7 * cos(0.5 * t) + 0.3; },
                                   [](auto t) { return 0.2 + 0.0 * t; }, 0.4, 0.3);
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {-0.2, 0, 1, 0.5}, 6, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "contact between, contact stop, release");
    // 1.7 cos(t/2) + 0.3 = -0.4
    CHECK(solution.events.back().t == doctest::Approx(2 * std::acos(-0.7 / 1.7)).epsilon(1e-8));
    CHECK(solution.final.mode.word() == "--+0");
  });
}

TEST_CASE("two blocks that are pressed together turn and stick as one block does") {
  for (const double amplitude : {1.2, 0.6}) {
    const System pair = two_blocks([=](auto t) { return 2.0 + amplitude * cos(t); },
                                   [](auto t) { return -2.0 + 0.0 * t; }, 0.2, 0.25);
    const System one = from_functor(
        [=](auto t, const auto& x, const auto& lambda, auto&& dx) {
          using std::cos;
          dx[0] = (amplitude * cos(t) - 0.45 * lambda[0]) / 2.0 + 0.0 * x[0];
        },
        [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
    const Solution expected = run(one, {0.5}, 15, with(Method::dopri5, 1e-12));
    REQUIRE(expected.events.size() > 3);
    for_every_method([&](const Options& options) {
      CAPTURE(amplitude);
      const Solution solution = run(pair, {-9, -9, 0.5, 0.5}, 15, options);
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(solution.events.size() == expected.events.size());
      for (std::size_t k = 0; k < expected.events.size(); ++k) {
        CAPTURE(k);
        const std::string side = expected.events[k].to->word();
        CHECK(solution.events[k].to->word() == side + side + "0+");
        CHECK(solution.events[k].t == doctest::Approx(expected.events[k].t).epsilon(1e-3));
      }
    });
  }
}

TEST_CASE("a bead that slides round in a bowl with friction in both directions passes its four sides") {
  // Where the bowl is upright it holds the velocity across it for a moment, and only for that.
  constexpr double mass = 0.3;
  const System system = from_functor(
                            [](auto t, const auto& x, const auto& lambda, auto&& dx) {
                              using std::cos, std::sin;
                              dx[0] = x[2];
                              dx[1] = x[3];
                              dx[2] = (1.771 * cos(1.972 * t) - 0.641 * x[0] - 0.151 * lambda[0]) / mass;
                              dx[3] = (0.83 * sin(1.069 * t) - 0.172 * x[1] - 0.142 * lambda[1]) / mass;
                            },
                            [](auto, const auto& x, auto&& h) {
                              h[0] = x[2];
                              h[1] = x[3];
                            },
                            {.states = 4, .surfaces = 2})
                            .with_contacts({[] {
                              Contact bowl;
                              bowl.name = "bowl";
                              bowl.gap =
                                  Guard([](auto, const auto& x) { return 1.0 - x[0] * x[0] - x[1] * x[1]; });
                              bowl.acts_on = [](double, ConstVectorRef x, VectorRef b) {
                                b[2] = -x[0] / mass;
                                b[3] = -x[1] / mass;
                              };
                              return bowl;
                            }()});
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {-0.043, 0.205, -0.302, 0.494}, 3.5, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) ==
          "crossing, contact bowl, release, crossing, crossing, contact bowl, crossing, crossing, crossing");
    CHECK(solution.final.mode.word() == "-+0");
  });
}

TEST_CASE("a bead that turns in a bowl turns in both directions at once") {
  // The bowl leaves one of its two velocities free, and both are zero where that one is.
  constexpr double mass = 0.7;
  Contact bowl;
  bowl.name = "bowl";
  bowl.gap = Guard([](auto, const auto& x) { return 1.0 - x[0] * x[0] - x[1] * x[1]; });
  bowl.acts_on = [](double, ConstVectorRef x, VectorRef b) {
    b[2] = -x[0] / mass;
    b[3] = -x[1] / mass;
  };
  const System system = from_functor(
                            [](auto, const auto& x, const auto& lambda, auto&& dx) {
                              dx[0] = x[2];
                              dx[1] = x[3];
                              dx[2] = -0.3 * lambda[0] / mass;
                              dx[3] = (-0.9 - 0.25 * lambda[1]) / mass;
                            },
                            [](auto, const auto& x, auto&& h) {
                              h[0] = x[2];
                              h[1] = x[3];
                            },
                            {.states = 4, .surfaces = 2})
                            .with_contacts({bowl});
  for (const Method method : every_method) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {0.6, -0.8, 0.8, 0.6}, 1.5, with(method, rtol));
      REQUIRE(solution.outcome.reached_end());
      CHECK(story(solution) == "corner");
      CHECK(solution.final.mode.word() == "--0");
    }
  }
}

TEST_CASE("a block that friction lets go against one that sticks is held by it at once") {
  const System system =
      two_blocks([](auto t) { return 0.6 * sin(t); }, [](auto t) { return 0.02 + 0.0 * t; }, 0.4, 0.3);
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {0, 0, 0, 0}, 1.5, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "corner");
    CHECK(solution.events.back().t == doctest::Approx(std::asin(0.4 / 0.6)).epsilon(1e-7));
    CHECK(solution.final.mode.word() == "000+");
    CHECK(solution.final.state.isZero(1e-12));
  });
}
