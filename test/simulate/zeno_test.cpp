// Accumulation points of impacts and resets: their time and state against closed forms, and what follows them.
#include <array>
#include <cmath>
#include <numbers>

#include "models/registry.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

System falling(double g) {
  return smooth(2, [g](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -g;
  });
}

System ball(double e) { return falling(10).with_contacts({contact("floor", component(0), {{1, 1}}, e)}); }

// A ball that is thrown back by a reset, and a location in which it lies.
Edge bounce(double e, const std::string& rest) {
  Edge edge;
  edge.name = "bounce";
  edge.from = edge.to = "flight";
  edge.when = component(0);
  edge.direction = Direction::falling;
  edge.reset = [e](double, ConstVectorRef before, VectorRef after) {
    after[0] = 0;
    after[1] = -e * before[1];
  };
  edge.zeno = rest;
  return edge;
}

System lying() {
  return smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = 0.0 * x[0];
    dx[1] = 0.0 * x[1];
  });
}

// Two spirals that have nothing to do with each other, at the same pace: the first and third surface, the second and fourth.
struct TwoSpirals {
  void guards(auto, const auto& x, auto&& h) const {
    for (int k = 0; k < 4; ++k) h[k] = x[k];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    for (int k = 0; k < 2; ++k) {
      dx[k] = 2.0 * lambda[k + 2] - 0.5 * lambda[k];
      dx[k + 2] = -2.0 * lambda[k] - 0.5 * lambda[k + 2];
    }
  }
};

}  // namespace

TEST_CASE("every impact of a ball from ten metres is at its exact time, and so is its rest") {
  for (const auto& [e, most] : {std::pair{0.5, 40}, {0.9, 250}, {0.99, 2500}}) {
    for (const Method method : every_method) {
      CAPTURE(e);
      CAPTURE(std::string(to_string(method)));
      // Height 10, g = 10: the first impact at √2.
      const double first = std::sqrt(2.0), rests = first * (1 + e) / (1 - e);
      Options options = with(method, 1e-10);
      const Solution solution = run(ball(e), {10, 0}, 1.5 * rests, options);
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(static_cast<int>(solution.events.size()) <= most);
      CHECK(count(solution, EventKind::impact) + 1 == solution.events.size());
      double t = first, flight = 2 * first, worst = 0;
      for (const EventRecord& event : solution.events) {
        if (event.kind != EventKind::impact) break;
        worst = std::max(worst, std::abs(event.t - t) / t);
        flight *= e;
        t += flight;
      }
      CHECK(worst < 1e-10);
      const EventRecord& last = solution.events.back();
      CHECK(last.kind == EventKind::zeno);
      CHECK(std::abs(last.t - rests) < 1e-10 * rests);
      CHECK(last.to->word() == "0");
      CHECK(last.after.lpNorm<Eigen::Infinity>() < 1e-30);
      CHECK(solution.final.state.lpNorm<Eigen::Infinity>() < 1e-30);
      CHECK(solution.statistics.wall_seconds < 1);
    }
  }
}

// Each flight is so much shorter than the one before that it ends within a first look at it.
TEST_CASE("a ball of weak restitution is at rest at its exact time, after as many impacts as there are") {
  for (const double e : {0.001, 0.02, 0.1, 0.2}) {
    for (const Method method : every_method) {
      for (const double rtol : {1e-4, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12}) {
        CAPTURE(e);
        CAPTURE(rtol);
        CAPTURE(std::string(to_string(method)));
        const double rests = std::sqrt(2.0) * (1 + e) / (1 - e);
        const Solution solution = run(ball(e), {10, 0}, 3 * rests, with(method, rtol));
        REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
        CHECK(count(solution, EventKind::impact) + 1 == solution.events.size());
        // Until the speed is below the absolute tolerance.
        const double impacts = std::log(1e-2 * rtol / 10) / std::log(e);
        CHECK(static_cast<double>(solution.events.size()) <= impacts + 4);
        CHECK(solution.events.back().kind == EventKind::zeno);
        CHECK(std::abs(solution.events.back().t - rests) < 1000 * rtol);
        CHECK(solution.final.mode.word() == "0");
      }
    }
  }
}

TEST_CASE("an accumulation of impacts is skipped only when nothing of it can be seen") {
  for_every_method([](const Options& options) {
    const Solution solution = run(ball(0.6), {5, 0}, 10, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    const EventRecord& last = solution.events.back();
    const EventRecord& before = solution.events[solution.events.size() - 2];
    REQUIRE(last.kind == EventKind::zeno);
    CHECK(std::abs(last.t - 4) < 100 * options.rtol);
    CHECK(last.t - before.t <= std::max(options.rtol * last.t, 1e-6));
    CHECK(std::abs(before.after[1]) <= std::max(11 * options.rtol, 1e-5));
    // The number of bounces is what the ratio needs to get there, whichever method follows them.
    CHECK(solution.events.size() <=
          static_cast<std::size_t>(5 + std::log(1e-2 * options.rtol) / std::log(0.6)));
  });
}

TEST_CASE("two bodies that a force presses onto each other come to rest on each other") {
  // m1 x1'' = 6, m2 x2'' = -6 + 0, gap x2 - x1; their centre moves on.
  for_every_method([](const Options& options) {
    constexpr double m1 = 2, m2 = 3, force = 6, e = 0.5, drift = 0.25;
    const System pair = smooth(4, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[2];
      dx[1] = x[3];
      dx[2] = force / m1;
      dx[3] = -force / m2;
    });
    const Guard between([](auto, const auto& x) { return x[1] - x[0]; });
    const Solution solution =
        run(pair.with_contacts({contact("between", between, {{2, -1 / m1}, {3, 1 / m2}}, e)}),
            {0, 2.5, drift, drift}, 5, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    const double closing = force / m1 + force / m2;
    const double rests = std::sqrt(2 * 2.5 / closing) * (1 + e) / (1 - e);
    REQUIRE(solution.events.back().kind == EventKind::zeno);
    CHECK(error(solution.events.back().t, rests) < 100 * options.rtol);
    const double centre = m2 * 2.5 / (m1 + m2) + drift * 5;
    CHECK(error(solution.final.state[0], centre) < 1000 * options.rtol);
    CHECK(error(solution.final.state[1], centre) < 1000 * options.rtol);
    CHECK(error(solution.final.state[2], drift) < 1000 * options.rtol);
    CHECK(solution.final.state[3] == doctest::Approx(solution.final.state[2]).epsilon(1e-12));
    CHECK(solution.final.mode.word() == "0");
  });
}

TEST_CASE("three balls that collapse onto each other without a force go on as one") {
  // With e below 7 - 4 sqrt(3) infinitely many impacts of the middle ball take a finite time.
  constexpr double e = 0.05;
  long double gap[2] = {1, 1.5L}, rate[2] = {-2, -2.5L}, limit = 0;
  for (int k = 0; k < 200; ++k) {
    const long double wait0 = rate[0] < 0 ? gap[0] / -rate[0] : INFINITY;
    const long double wait1 = rate[1] < 0 ? gap[1] / -rate[1] : INFINITY;
    const int hit = wait0 < wait1 ? 0 : 1;
    const long double wait = std::min(wait0, wait1);
    if (!(wait > 1e-25L)) break;
    for (const int i : {0, 1}) gap[i] += rate[i] * wait;
    limit += wait;
    gap[hit] = 0;
    rate[1 - hit] += (1 + static_cast<long double>(e)) / 2 * rate[hit];
    rate[hit] *= -static_cast<long double>(e);
  }
  for_every_method([&](const Options& options) {
    const System three = smooth(6, [](auto, const auto& x, auto&& dx) {
      for (Index j = 0; j < 3; ++j) {
        dx[j] = x[3 + j];
        dx[3 + j] = 0.0;
      }
    });
    const auto between = [](Index i) { return Guard([i](auto, const auto& x) { return x[i + 1] - x[i]; }); };
    const Solution solution = run(three.with_contacts({contact("12", between(0), {{3, -1}, {4, 1}}, e),
                                                       contact("23", between(1), {{4, -1}, {5, 1}}, e)}),
                                  {-1, 0, 1.5, 2, 0, -2.5}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.events.size() < 40);
    CHECK(error(solution.events.back().t, static_cast<double>(limit)) < 1000 * options.rtol + 1e-9);
    for (Index j = 3; j < 6; ++j)
      CHECK(error(solution.final.state[j], -0.5 / 3) < 1000 * options.rtol + 1e-9);
    CHECK(solution.final.state[2] - solution.final.state[0] < 1000 * options.rtol + 1e-9);
  });
}

TEST_CASE("a driven pair of masses goes through each of its accumulation points") {
  // Times and state from validation/reference/impact_pair.py, which resolves 495 impacts.
  constexpr std::array<double, 3> rests = {1.165837216182888, 3.6106173441073746, 8.35405039073939};
  constexpr std::array<double, 2> parts = {1.4443480904154893, 6.1159277967639385};
  const ModelInstance pair = models::find_model("impact-pair").instantiate({});
  for (const Method method : every_method) {
    for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution =
          Simulator(pair.system, with(method, rtol)).run({.start = 0, .end = 10, .state = pair.state});
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(solution.events.size() < 150);
      std::vector<double> zeno, releases;
      for (const EventRecord& event : solution.events) {
        if (event.kind == EventKind::zeno) zeno.push_back(event.t);
        if (event.kind == EventKind::release) releases.push_back(event.t);
      }
      REQUIRE(zeno.size() == 3);
      REQUIRE(releases.size() == 2);
      for (std::size_t k = 0; k < 3; ++k) CHECK(error(zeno[k], rests[k]) < 300 * rtol + 1e-9);
      for (std::size_t k = 0; k < 2; ++k) CHECK(error(releases[k], parts[k]) < 100 * rtol + 1e-10);
    }
  }
}

TEST_CASE("resets that accumulate where nothing says what follows stop the run at the estimated time") {
  for_every_method([](const Options& options) {
    const Solution solution =
        run(Automaton({{"flight", falling(10)}}, {bounce(0.5, "")}, "flight"), {5, 0}, 10, options);
    CHECK(solution.outcome.status == Status::zeno);
    CHECK(std::abs(solution.outcome.t - 3) < 100 * options.rtol);
    CHECK(contains(solution.outcome.message, "accumulate at t = "));
    CHECK(contains(solution.outcome.message, "(within "));
    // The estimate of the error is none of the error of the run.
    const std::string& message = solution.outcome.message;
    const double within = std::stod(message.substr(message.find("(within ") + 8));
    CHECK(within < 10 * options.rtol + 1e-8);
    CHECK(solution.events.back().kind == EventKind::zeno);
    CHECK(solution.final.t == solution.outcome.t);
    CHECK(std::abs(solution.final.state[0]) < options.rtol);
  });
}

TEST_CASE("resets that accumulate go on in the location that the edge names") {
  for_every_method([](const Options& options) {
    const Automaton automaton({{"flight", falling(10)}, {"rest", lying()}}, {bounce(0.5, "rest")}, "flight");
    const Solution solution = run(automaton, {5, 0}, 10, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    const EventRecord& last = solution.events.back();
    REQUIRE(last.kind == EventKind::zeno);
    CHECK(std::abs(last.t - 3) < 100 * options.rtol);
    CHECK(last.from_location == "flight");
    CHECK(last.to_location == "rest");
    CHECK(solution.final.location == "rest");
    CHECK(std::abs(solution.final.state[0]) < options.rtol);
    CHECK(std::abs(solution.final.state[1]) < 10 * options.rtol);
  });
}

TEST_CASE("an accumulation point after the end of the run is not reached") {
  for_every_method([](const Options& options) {
    const Solution solution = run(ball(0.5), {5, 0}, 2.99, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(count(solution, EventKind::zeno) == 0);
    CHECK(solution.events.size() == 8);
    CHECK(solution.final.mode.word() == "+");
  });
}

// The impacts on the two sides of a wedge shrink, but follow each other in no order, down to where their times cannot be
// told apart.
TEST_CASE("a ball comes to rest in the corner of a wedge, at the same time at every tolerance") {
  for (const auto& [slope, e] : {std::pair{0.25, 0.5}, {0.7, 0.3}, {0.1, 0.75}}) {
    const System free = smooth(4, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[2];
      dx[1] = x[3];
      dx[2] = -1.0;
      dx[3] = -1.0;
    });
    const Guard ramp([slope = slope](auto, const auto& x) { return x[1] + slope * x[0]; });
    const System wedge = free.with_contacts(
        {contact("ramp", ramp, {{2, slope}, {3, 1}}, e), contact("wall", component(0), {{2, 1}}, e)});
    double rests = 0;
    for (const double rtol : {1e-12, 1e-11, 1e-10, 1e-8, 1e-6, 1e-4}) {
      for (const Method method : every_method) {
        if (method != Method::dopri5 && rtol < 1e-11) continue;
        CAPTURE(slope);
        CAPTURE(rtol);
        CAPTURE(std::string(to_string(method)));
        Options options = with(method, rtol);
        options.recording = Recording::nothing;
        const Solution solution = run(wedge, {0.5, 0.5, -0.2, 0}, 20, options);
        REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
        CHECK(solution.events.size() < 3000);
        const EventRecord& last = solution.events.back();
        CHECK(last.kind == EventKind::zeno);
        CHECK(last.to->word() == "00");
        CHECK(solution.final.state.lpNorm<Eigen::Infinity>() < 1e-20);
        if (rests == 0) rests = last.t;
        CHECK(std::abs(last.t - rests) < 1000 * rtol * rests);
      }
    }
  }
}

// With s = √|x| and dt = 2s dτ each side is linear, s'' + k1 s' + 2 k2 s = 0, so that times and speeds of the half turns
// shrink by r = exp(−π k1/2ω), ω² = 2 k2 − k1²/4. The excursions shrink by r², to far below the tolerances.
TEST_CASE("the end of bounces is named after the contact that closes there") {
  // The lower ball rests on the floor long before the upper one rests on it.
  System system = smooth(4, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = -10.0;
    dx[3] = -10.0;
  });
  const Guard between([](auto, const auto& x) { return x[1] - x[0]; });
  system = system.with_contacts(
      {contact("floor", component(0), {{2, 1}}, 0.4), contact("balls", between, {{2, -1}, {3, 1}}, 0.5)});
  for (const Method method : every_method) {
    for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-11, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {0.5, 1.943, 0, 0}, 5, with(method, rtol));
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(count(solution, EventKind::zeno) == 2);
      const EventRecord& last = solution.events.back();
      CHECK(last.kind == EventKind::zeno);
      CHECK(last.name == "balls");
      CHECK(last.surface_names == std::vector<std::string>{"balls"});
    }
  }
}

TEST_CASE("the crossings of a super-twisting controller accumulate at the exact time, and the run says so") {
  constexpr double k1 = 1.5, k2 = 1.1;
  const System system = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        using std::sqrt;
        dx[0] = x[1] - k1 * sqrt(lambda[0] * x[0]) * lambda[0];
        dx[1] = -k2 * lambda[0];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 2, .surfaces = 1});
  const double omega = std::sqrt(2 * k2 - k1 * k1 / 4);
  const double r = std::exp(-std::numbers::pi * k1 / (2 * omega));
  const double speed = std::sqrt(2 * k2) * std::exp(-k1 / (2 * omega) * std::atan2(omega, k1 / 2));
  const double exact = 2 * speed / (k2 * (1 - r));
  for (const Method method : every_method) {
    for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {1, 0}, 20, with(method, rtol));
      CHECK(solution.outcome.status == Status::zeno);
      CHECK(solution.outcome.message.find("accumulate") != std::string::npos);
      CHECK(std::abs(solution.outcome.t - exact) < 1000 * rtol * exact);
      CHECK(solution.events.back().kind == EventKind::zeno);
      CHECK(count(solution, EventKind::crossing) + 1 == solution.events.size());
      CHECK(solution.events.size() < 40);
      CHECK(solution.final.state[0] == 0);
      CHECK(std::abs(solution.final.state[1]) < 10 * rtol);
    }
  }
}

TEST_CASE("crossings that accumulate are followed to their limit where flights to one side last longer") {
  // The same controller against a constant push: the sides differ in how fast they turn the motion back.
  constexpr double k1 = 0.9, k2 = 0.95, push = -0.46;
  const System system = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        using std::sqrt;
        dx[0] = x[1] - k1 * sqrt(lambda[0] * x[0]) * lambda[0];
        dx[1] = -k2 * lambda[0] + push;
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 2, .surfaces = 1});
  const double above = k2 - push, below = k2 + push;
  const auto omega = [](double pull) { return std::sqrt(2 * pull - k1 * k1 / 4); };
  const auto ratio = [&](double pull) { return std::exp(-std::numbers::pi * k1 / (2 * omega(pull))); };
  const double r = ratio(above), q = ratio(below);
  const double speed =
      std::sqrt(2 * above) * std::exp(-k1 / (2 * omega(above)) * std::atan2(omega(above), k1 / 2));
  const double turn = speed * ((1 + q) / below + q * (1 + r) / above);
  const double exact = speed / above + turn / (1 - q * r);
  for_every_method([&](Options options) {
    options.max_events = 100;
    const Solution solution = run(system, {1, 0}, 20, options);
    CHECK(solution.outcome.status == Status::zeno);
    CHECK(std::abs(solution.outcome.t - exact) < 1000 * options.rtol * exact);
  });
}

TEST_CASE("a spiral that shrinks fast comes to its end with every method at every tolerance") {
  // The twisting algorithm: from one crossing of x = 0 to the next the speed falls to a third, the turns to a tenth.
  constexpr double strong = 2, weak = 1.67;
  const auto twisting = [](auto, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -strong * lambda[0] - weak * lambda[1];
  };
  const System system = from_functor(twisting,
                                     [](auto, const auto& x, auto&& h) {
                                       h[0] = x[0];
                                       h[1] = x[1];
                                     },
                                     {.states = 2, .surfaces = 2});
  const double falls = std::sqrt((strong - weak) / (strong + weak));
  const double exact = (1 / (strong + weak) + falls / (strong - weak)) / (1 - falls);
  for_every_method([&](Options options) {
    options.max_events = 100;
    const Solution solution = run(system, {0, 1}, 3, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(count(solution, EventKind::zeno) == 1);
    CHECK(std::abs(solution.events.back().t - exact) < 1000 * options.rtol * exact);
    CHECK(solution.final.state.norm() < 10 * options.rtol);
  });
}

TEST_CASE("a spiral comes to its end where rounding hides its last turns") {
  // The twisting algorithm brings x to 0.4, where it is left by less than rounding long before the turns are short.
  for (const double weak : {0.5, 1.0, 1.5, 1.9}) {
    CAPTURE(weak);
    constexpr double strong = 2;
    const System system = from_functor(
        [weak](auto, const auto& x, const auto& lambda, auto&& dx) {
          dx[0] = x[1] - 0.3;
          dx[1] = -strong * lambda[0] - weak * lambda[1];
          dx[2] = 1.0 + 0.5 * x[2];
        },
        [](auto, const auto& x, auto&& h) {
          h[0] = x[0] - 0.4;
          h[1] = x[1] - 0.3;
        },
        {.states = 3, .surfaces = 2});
    const double falls = std::sqrt((strong - weak) / (strong + weak));
    const double exact = (1 / (strong + weak) + falls / (strong - weak)) / (1 - falls);
    for_every_method([&](Options options) {
      options.max_events = 150;
      const Solution solution = run(system, {0.4, 1.3, 0}, 5, options);
      REQUIRE(solution.outcome.reached_end());
      CHECK(solution.events.back().kind == EventKind::zeno);
      CHECK(error(solution.events.back().t, exact) < 1000 * options.rtol);
      CHECK(solution.final.state[0] == doctest::Approx(0.4).epsilon(1e-12));
      CHECK(solution.final.state[1] == doctest::Approx(0.3).epsilon(1e-12));
      CHECK(error(solution.final.state[2], 2 * std::expm1(2.5)) < 1000 * options.rtol);
    });
  }
}

TEST_CASE("a spiral comes to its end where rounding hides its last turns among a thousand other states") {
  constexpr double strong = 2, weak = 1;
  constexpr Index others = 1000;
  const System system = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = x[1] - 0.3;
        dx[1] = -strong * lambda[0] - weak * lambda[1];
        for (Index j = 0; j < others; ++j) dx[2 + j] = 1.0 - x[2 + j];
      },
      [](auto, const auto& x, auto&& h) {
        h[0] = x[0] - 0.4;
        h[1] = x[1] - 0.3;
      },
      {.states = 2 + others, .surfaces = 2});
  Vector start = Vector::Zero(2 + others);
  start[0] = 0.4;
  start[1] = 1.3;
  const double falls = std::sqrt((strong - weak) / (strong + weak));
  const double exact = (1 / (strong + weak) + falls / (strong - weak)) / (1 - falls);
  for (const Method method : {Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    CAPTURE(std::string(to_string(method)));
    Options options = with(method, 1e-8);
    options.max_events = 150;
    const Solution solution = Simulator(system, options).run({.start = 0, .end = 5, .state = start});
    REQUIRE(solution.outcome.reached_end());
    CHECK(solution.events.back().kind == EventKind::zeno);
    CHECK(error(solution.events.back().t, exact) < 1e-5);
    CHECK(solution.final.state[0] == doctest::Approx(0.4).epsilon(1e-12));
    CHECK(solution.final.state[1] == doctest::Approx(0.3).epsilon(1e-12));
    CHECK(error(solution.final.state[others], -std::expm1(-5)) < 1e-5);
  }
}

// Three relays whose surfaces are crossed, slid along and left in turn, ever faster, until all three slide.
struct ThreeRelays {
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < 3; ++i) h[i] = x[i];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -0.049 * x[0] + 1.457 * x[1] - 1.392 * x[2] - 0.3 - 0.873 * lambda[0] - 0.796 * lambda[1] +
            1.051 * lambda[2];
    dx[1] = -1.457 * x[0] - 0.728 * x[1] + 0.532 * x[2] + 0.05 - 0.866 * lambda[0] - 1.309 * lambda[1] +
            lambda[2] - 0.612 * sin(2.5 * t);
    dx[2] =
        1.142 * x[0] - 0.532 * x[1] - 0.867 * x[2] - 0.05 - 0.316 * lambda[0] + lambda[1] - 0.75 * lambda[2];
  }
};

TEST_CASE("turns of crossings, corners and stretches of sliding that shrink come to their end") {
  const System system = from_functor(ThreeRelays{}, {.states = 3, .surfaces = 3});
  for (const Method method : every_method) {
    for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {0.962, 0.086, -0.25}, 3, with(method, rtol));
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(count(solution, EventKind::zeno) == 1);
      const auto limit = std::find_if(solution.events.begin(), solution.events.end(),
                                      [](const EventRecord& event) { return event.kind == EventKind::zeno; });
      CHECK(limit->to->word() == "000");
      CHECK(limit->surfaces == std::vector<Index>{0, 1, 2});
      CHECK(error(limit->t, 2.9787791752) < 1000 * rtol + 1e-10);
      CHECK(limit->after.norm() < 1e-15);
    }
  }
}

TEST_CASE("a block with friction that bounces off a wall comes to rest there") {
  // Between two impacts its velocity crosses zero; these crossings come ever faster because of the impacts.
  System system = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = x[1];
        dx[1] = 1.0 - 0.5 * lambda[0];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[1]; }, {.states = 2, .surfaces = 1});
  const double e = 0.3;
  const Guard gap([](auto, const auto& x) { return -x[0]; });
  system = system.with_contacts({contact("wall", gap, {{1, -1}}, e)});
  const double exact = 2 + e * (2.0 / 3 + 2 / std::sqrt(3.0)) / (1 - e / std::sqrt(3.0));
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {-1, 0}, 4, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(count(solution, EventKind::zeno) == 1);
    CHECK(solution.final.state.norm() < 1e-12);
    const auto rest = std::find_if(solution.events.begin(), solution.events.end(),
                                   [](const EventRecord& event) { return event.kind == EventKind::zeno; });
    CHECK(rest->name == "wall");
    // The last flights hardly open the gap, and are taken to be as long as without friction.
    CHECK(error(rest->t, exact) < 1000 * options.rtol + 1e-8);
  });
}

TEST_CASE("crossings that come faster for a while and then no more are followed on") {
  // x' = cos of a phase that runs faster and faster, up to a speed at which it stays.
  const System system = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        using std::cos;
        using std::exp;
        dx[0] = cos(x[1]) * 20.0 / (1.0 + 20.0 * exp(-x[2]));
        dx[1] = 20.0 / (1.0 + 20.0 * exp(-x[2]));
        dx[2] = 3.0 + 0.0 * lambda[0];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 3, .surfaces = 1});
  for (const Method method : every_method) {
    const Solution solution = run(system, {0.001, 0, 0}, 10, with(method, 1e-8));
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    // The phase at the end over π: x = 0.001 + sin of it.
    CHECK(solution.events.size() == static_cast<std::size_t>(solution.final.state[1] / std::numbers::pi));
  }
}

TEST_CASE("crossings that come faster for a while move no state that does not change") {
  // x = sin(1 - k ln(1 - t)) vanishes where 1 - t = 2^(1/π - n). The guard x (x - y) vanishes there and, for the
  // constant y = -2, nowhere else; its gradient has a part along y.
  const double k = std::numbers::pi / std::log(2.0);
  const System system = from_functor(
      [k](auto t, const auto& x, const auto& lambda, auto&& dx) {
        using std::cos, std::log;
        dx[0] = k * cos(1.0 - k * log(1.0 - t)) / (1.0 - t) + 0.0 * lambda[0];
        dx[1] = 0.0 * x[1];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0] * (x[0] - x[1]); }, {.states = 2, .surfaces = 1});
  for (const Method method : every_method) {
    for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12, 1e-13}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {std::sin(1.0), -2},
                                    1 - std::pow(2.0, 0.5 + 1 / std::numbers::pi - 11), with(method, rtol));
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      REQUIRE(count(solution, EventKind::crossing) == 10);
      for (int n = 1; n <= 10; ++n) {
        const double exact = 1 - std::pow(2.0, 1 / std::numbers::pi - n);
        CHECK(std::abs(solution.events[static_cast<std::size_t>(n - 1)].t - exact) < 1000 * rtol + 1e-14);
      }
      CHECK(std::abs(solution.final.state[1] + 2) < 1e-15);
    }
  }
}

TEST_CASE("a kick at the very time at which bounces accumulate is given once") {
  // Down at t = 1 with speed 1, and at rest after 2·(1/2 + 1/4 + …) more.
  const System system = smooth(2,
                               [](auto, const auto& x, auto&& dx) {
                                 dx[0] = x[1];
                                 dx[1] = -1.0 + 0.0 * x[0];
                               })
                            .with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)})
                            .with_events({reset("kick", Guard([](auto t, const auto&) { return t - 103.0; }),
                                                Direction::any, [](VectorRef x) { x[1] += 1; })});
  for_every_method([&](const Options& options) {
    for (const double end : {103.0, 104.0}) {
      CAPTURE(end);
      const Solution solution =
          Simulator(system, options).run({.start = 100, .end = end, .state = Eigen::Vector2d(0.5, 0)});
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(count(solution, EventKind::reset) == 1);
      const double since = end - 103;
      CHECK(error(solution.final.state[0], since - since * since / 2) < 1000 * options.rtol);
      CHECK(error(solution.final.state[1], 1 - since) < 1000 * options.rtol);
    }
  });
}

TEST_CASE("resets on a guard that sliding draws along accumulate where they should") {
  // x'' = 1 from x = −1/2: thrown back at x = 0 with half its speed after 1, 1, 1/2, 1/4, …; beside it something slides on x + 1.
  const System system =
      from_functor(
          [](auto, const auto& x, const auto& lambda, auto&& dx) {
            dx[0] = x[1];
            dx[1] = 1.0 + 0.0 * x[0];
            dx[2] = -2.0 * lambda[0];
          },
          [](auto, const auto& x, auto&& h) { h[0] = x[2] - 1.0 - x[0]; }, {.states = 3, .surfaces = 1})
          .with_events({reset("hit", component(0), Direction::rising, [](VectorRef x) { x[1] *= -0.5; })});
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {-0.5, 0, 1}, 5, options);
    CHECK(solution.outcome.status == Status::zeno);
    CHECK(error(solution.outcome.t, 3) < 100 * options.rtol);
    CHECK(solution.final.state.head(2).norm() < 1e-6);
  });
}

namespace {

// A ball that bounces on a floor, and a block beside it that sticks against a force.
struct BallBesideBlock {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[2]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -10.0;
    dx[2] = (0.5 * cos(3.0 * t) - 0.7 * lambda[0]) / 1.3;
    dx[3] = x[2];
  }
};

}  // namespace

TEST_CASE("a ball that comes to rest leaves a block beside it sticking") {
  const System system = from_functor(BallBesideBlock{}, {.states = 4, .surfaces = 1})
                            .with_contacts({contact("floor", component(0), {{1, 1}}, 0.4)});
  for (const Method method : every_method) {
    for (const double rtol : every_rtol) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {1, 0, 0.3, 0}, 3, with(method, rtol));
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(solution.events.back().kind == EventKind::zeno);
      CHECK(solution.events.back().to->word() == "00");
      CHECK(solution.final.state[2] == 0);
    }
  }
}

TEST_CASE("the event of an accumulation lists its surfaces in the order of the model") {
  for (const Method method : every_method) {
    CAPTURE(std::string(to_string(method)));
    const Solution solution = run(from_functor(TwoSpirals{}, {.states = 4, .surfaces = 4}), {1, 1, 0.3, 0.3},
                                  20, {.method = method});
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.back().kind == EventKind::zeno);
    const EventRecord& event = solution.events.back();
    CHECK(std::vector<Index>(event.surfaces.begin(), event.surfaces.end()) == std::vector<Index>{0, 1, 2, 3});
    CHECK(std::vector<std::string>(event.surface_names.begin(), event.surface_names.end()) ==
          std::vector<std::string>{"h1", "h2", "h3", "h4"});
    for (std::size_t k = 0; k < 4; ++k) CHECK(std::isfinite(event.lambda[k]));
  }
}
