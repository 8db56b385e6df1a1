// Locations and edges: entry, priorities, loops, and two locations joined by one guard.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x' = rate.
System drift(double rate) {
  return smooth(1, [rate](auto, const auto&, auto&& dx) { dx[0] = rate; });
}

Edge edge(const std::string& from, const std::string& to, Guard when, Direction direction,
          ResetFunction set = {}, const std::string& zeno = "") {
  return {from + " to " + to, from, to, std::move(when), direction, std::move(set), zeno};
}

// One side of x' = −sgn(x) + 1.5 sin t, which slides while |1.5 sin t| < 1; the second state adds up the relay.
struct DrivenSide {
  double side;
  void field(auto t, const auto&, const auto&, auto&& dx) const {
    using std::sin;
    dx[0] = -side + 1.5 * sin(t);
    dx[1] = side;
  }
};
struct DrivenRelay {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -lambda[0] + 1.5 * sin(t);
    dx[1] = lambda[0];
  }
};

struct PulledRelay {
  double pull;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = pull - lambda[0];
    dx[1] = 1.0;
  }
};

struct Pushed {
  double push;
  void guards(auto, const auto& x, auto&& h) const { h[0] = 0.3 * x[0]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = push + 0.3 * sin(t) + 0.1 * x[0] - 0.5 * lambda[0];
  }
};

System driven(double side) { return from_functor(DrivenSide{side}, {.states = 2}); }
System driven_relay() { return from_functor(DrivenRelay{}, {.states = 2, .surfaces = 1}); }

// The relay as two locations joined by opposite edges on one guard.
Automaton two_locations(const System& minus, const System& plus, const std::string& initial,
                        std::vector<Edge> more = {}) {
  const Guard guard = component(0);
  std::vector<Edge> edges = {edge("minus", "plus", guard, Direction::rising),
                             edge("plus", "minus", guard, Direction::falling)};
  edges.insert(edges.end(), more.begin(), more.end());
  return Automaton({{"minus", minus}, {"plus", plus}}, edges, initial);
}

Solution run_in(const Automaton& automaton, std::initializer_list<double> state, double start, double end,
                const Options& options) {
  return Simulator(automaton, options).run({.start = start, .end = end, .state = vector(state)});
}

}  // namespace

TEST_CASE("the limit of steps is that of all locations together") {
  const auto turning = [](double rate) {
    return smooth(3, [rate](auto, const auto& x, auto&& dx) {
      dx[0] = rate;
      dx[1] = 10 * x[2];
      dx[2] = -10 * x[1];
    });
  };
  const Automaton swing({{"up", turning(1)}, {"down", turning(-1)}},
                        {edge("up", "down", component(0, 1), Direction::rising),
                         edge("down", "up", component(0, -1), Direction::falling)},
                        "up");
  for (const Method method : every_method) {
    CAPTURE(std::string(to_string(method)));
    Options options = with(method, 1e-6);
    const Solution whole = run(swing, {0, 1, 0}, 20, options);
    REQUIRE(whole.outcome.reached_end());
    REQUIRE(count(whole, EventKind::transition) == 10);
    options.max_steps = whole.statistics.steps / 2;
    const Solution half = run(swing, {0, 1, 0}, 20, options);
    CHECK(half.outcome.status == Status::step_limit);
    CHECK(half.statistics.steps == options.max_steps);
    options.max_steps = whole.statistics.steps + 1;
    CHECK(run(swing, {0, 1, 0}, 20, options).outcome.reached_end());
  }
}

TEST_CASE("an edge is taken when its guard crosses zero in its direction") {
  for_every_method([](const Options& options) {
    const Automaton automaton({{"up", drift(1)}, {"down", drift(-2)}},
                              {edge("up", "down", component(0, 1), Direction::rising),
                               edge("down", "up", component(0, -1), Direction::falling)},
                              "up");
    const Solution solution = run(automaton, {0}, 3.5, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(story(solution) == "transition up to down, transition down to up");
    CHECK(error(solution.events[0].t, 1) < 1e-11);
    CHECK(error(solution.events[1].t, 2) < 1e-11);
    CHECK(*solution.events[0].from_location == "up");
    CHECK(*solution.events[0].to_location == "down");
    CHECK(solution.initial.location == "up");
    CHECK(solution.final.location == "up");
    CHECK(error(solution.final.state[0], 0.5) < 1e-11);
    CHECK(solution.trajectory.location(1.5) == "down");
    CHECK(solution.trajectory.location(0.5) == "up");
  });
}

TEST_CASE("an edge that is already past zero is taken on entry and at the start") {
  const Automaton automaton({{"a", drift(1)}, {"b", drift(10)}, {"c", drift(100)}},
                            {edge("a", "b", component(0, 1), Direction::rising),
                             edge("b", "c", component(0, 0.5), Direction::rising)},
                            "a");
  const Solution entered = run(automaton, {0}, 1.01);
  REQUIRE(story(entered) == "transition a to b, transition b to c");
  CHECK(entered.events[0].t == entered.events[1].t);
  CHECK(entered.final.state[0] == doctest::Approx(2));
  const Solution started = run(automaton, {3}, 0.01);
  REQUIRE(story(started) == "transition a to b, transition b to c");
  CHECK(started.events[0].t == 0);
  CHECK_FALSE(started.events[0].from.has_value());
  CHECK(started.final.state[0] == doctest::Approx(4));
}

TEST_CASE("a location that is left as it is entered needs no field there") {
  bool runs = false;
  const System without_field = smooth(1, [&runs](auto, const auto&, auto&& dx) {
    if (runs) throw std::runtime_error("there is no field");
    dx[0] = 1.0;
  });
  const Automaton automaton({{"a", drift(1)}, {"b", without_field}, {"c", drift(100)}},
                            {edge("a", "b", component(0, 1), Direction::rising),
                             edge("b", "c", component(0, 0.5), Direction::rising)},
                            "a");
  runs = true;
  const Solution solution = run(automaton, {0}, 1.01);
  CHECK(solution.outcome.succeeded());
  CHECK(solution.events.size() == 2);
  CHECK(solution.warnings.empty());
}

TEST_CASE("an edge says whether its guard crosses zero or is beyond it where the location is entered") {
  const Automaton automaton({{"a", drift(1)}, {"b", drift(10)}, {"c", drift(100)}},
                            {edge("a", "b", component(0, 1), Direction::rising),
                             edge("b", "c", component(0, 0.5), Direction::rising)},
                            "a");
  const auto reasons = [&](double start) {
    const Solution solution = run(automaton, {start}, 1.01);
    REQUIRE(solution.events.size() == 2);
    return std::vector<std::string>{solution.events[0].reason, solution.events[1].reason};
  };
  const std::string crosses = "the guard crosses zero";
  const std::string is_beyond = "the guard is beyond zero already";
  CHECK(reasons(0) == std::vector<std::string>{crosses, is_beyond});
  CHECK(reasons(3) == std::vector<std::string>{is_beyond, is_beyond});
  CHECK(reasons(1) == std::vector<std::string>{crosses, is_beyond});
}

TEST_CASE("an edge in any direction is not taken on entry") {
  const Automaton automaton({{"a", drift(1)}, {"b", drift(10)}},
                            {edge("a", "b", component(0, 1), Direction::any)}, "a");
  const Solution past = run(automaton, {3}, 1);
  CHECK(past.events.empty());
  const Solution crossing = run(automaton, {0}, 2);
  REQUIRE(crossing.events.size() == 1);
  CHECK(crossing.final.state[0] == doctest::Approx(11));
}

TEST_CASE("a guard that is zero on entry is judged by its first derivative that is not") {
  // g = ±tᵏ along the motion: k = 1, 2, 3 from rest. Rising edges go when the sign is plus.
  for (const int power : {1, 2, 3}) {
    for (const double sign : {1.0, -1.0}) {
      for (const Method method : every_method) {
        CAPTURE(power);
        CAPTURE(sign);
        const System motion = smooth(3, [power, sign](auto, const auto& x, auto&& dx) {
          dx[0] = x[1];
          dx[1] = x[2];
          dx[2] = 0.0;
          if (power == 1) dx[0] = x[1] + sign;
          if (power == 2) dx[1] = x[2] + sign;
          if (power == 3) dx[2] = sign;
        });
        const Automaton automaton({{"a", motion}, {"b", motion}},
                                  {edge("a", "b", component(0), Direction::rising)}, "a");
        const Solution solution = run(automaton, {0, 0, 0}, 1, with(method, 1e-8));
        REQUIRE(solution.outcome.reached_end());
        CHECK(solution.events.size() == (sign > 0 ? 1 : 0));
        if (sign > 0) CHECK(solution.events[0].t == 0);
        CHECK(solution.final.location == (sign > 0 ? "b" : "a"));
      }
    }
  }
}

TEST_CASE("a cam's gap that opens like the cube of time does not close at once") {
  // A follower at rest on a cam leaves it with gap = t³/6 along the motion; the edge back waits for the gap to fall.
  for (const Method method : every_method) {
    const System on = smooth(3, [](auto, const auto&, auto&& dx) {
      dx[0] = 0.0;
      dx[1] = 0.0;
      dx[2] = 1.0;
    });
    const System off = smooth(3, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = 1.0 - x[2];
      dx[2] = -1.0;
    });
    // The clock x3 runs to 1, then back: the gap's acceleration is 1 − x3 = time since it left.
    const Automaton automaton({{"on", on}, {"off", off}},
                              {edge("on", "off", component(2, 1), Direction::rising),
                               edge("off", "on", component(0), Direction::falling)},
                              "on");
    const Solution solution = run(automaton, {0, 0, 0}, 3, with(method, 1e-8));
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(story(solution) == "transition on to off");
    CHECK(solution.final.state[0] == doctest::Approx(8.0 / 6));
  }
}

TEST_CASE("a follower that takes off from a cam does not land at once at any tolerance") {
  // On the cam its height is integrated, so that it takes off a little above or below the cam; the gap opens like t³.
  struct Cam {
    double damping, speed, gravity;
  };
  for (const Cam& cam : {Cam{2, 60, 9.81}, Cam{2, 60, 5.703}, Cam{3.332, 83.45, 9.81}}) {
    CAPTURE(cam.speed);
    const double radius = 0.01, mass = 0.5, stiffness = 200, preload = 0.02;
    const auto push = [=](auto t) {
      using std::cos;
      using std::sin;
      const auto height = radius * (1.0 - cos(cam.speed * t));
      const auto rate = radius * cam.speed * sin(cam.speed * t);
      const auto acceleration = radius * cam.speed * cam.speed * cos(cam.speed * t);
      return mass * acceleration + cam.damping * rate + stiffness * (height + preload) + mass * cam.gravity;
    };
    const System on = smooth(2, [=](auto t, const auto& x, auto&& dx) {
      using std::cos;
      dx[0] = x[1];
      dx[1] = radius * cam.speed * cam.speed * cos(cam.speed * t);
    });
    const System off = smooth(2, [=](auto, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = -cam.gravity - (stiffness * (x[0] + preload) + cam.damping * x[1]) / mass;
    });
    const Guard gap([=](auto t, const auto& x) {
      using std::cos;
      return x[0] - radius * (1.0 - cos(cam.speed * t));
    });
    const ResetFunction land = [=](double t, ConstVectorRef, VectorRef x) {
      x[0] = radius * (1 - std::cos(cam.speed * t));
      x[1] = radius * cam.speed * std::sin(cam.speed * t);
    };
    const Guard pushes([=](auto t, const auto&) { return push(t); });
    const Automaton automaton(
        {{"on", on}, {"off", off}},
        {edge("on", "off", pushes, Direction::falling), edge("off", "on", gap, Direction::falling, land)},
        "on");
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
      for (const Method method : every_method) {
        CAPTURE(rtol);
        CAPTURE(std::string(to_string(method)));
        const Solution solution = run(automaton, {0, 0}, 0.2, with(method, rtol));
        REQUIRE(solution.outcome.reached_end());
        CHECK(contains(story(solution), "transition on to off, transition off to on, transition on to off"));
        const double turn = 2 * std::numbers::pi / cam.speed;
        for (std::size_t k = 2; k < solution.events.size(); ++k) {
          CHECK(solution.events[k].t - solution.events[k - 2].t == doctest::Approx(turn).epsilon(1e-3));
        }
      }
    }
  }
}

TEST_CASE("of several edges that fire at one instant the first of the list is taken") {
  for_every_method([](const Options& options) {
    for (const bool first : {true, false}) {
      const Edge left = edge("a", "left", component(0, 1), Direction::rising);
      const Edge right = edge("a", "right", component(0, 1), Direction::rising);
      const Automaton automaton({{"a", drift(1)}, {"left", drift(-1)}, {"right", drift(2)}},
                                first ? std::vector<Edge>{left, right} : std::vector<Edge>{right, left}, "a");
      const Solution solution = run(automaton, {0}, 2, options);
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.final.location == (first ? "left" : "right"));
    }
  });
}

TEST_CASE("an edge from a location to itself is a reset") {
  for_every_method([](const Options& options) {
    const ResetFunction to_zero = [](double, ConstVectorRef, VectorRef x) { x[0] = 0; };
    const Automaton automaton({{"run", drift(1)}},
                              {edge("run", "run", component(0, 1), Direction::rising, to_zero)}, "run");
    const Solution solution = run(automaton, {0}, 3.5, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "reset run to run, reset run to run, reset run to run");
    CHECK(error(solution.final.state[0], 0.5) < 1e-10);
  });
}

TEST_CASE("a reset of an edge that violates the invariant of the new location leaves it at once") {
  // b is left as soon as x < 0; the edge into b sets x = −1.
  const ResetFunction below = [](double, ConstVectorRef, VectorRef x) { x[0] = -1; };
  const Automaton automaton({{"a", drift(1)}, {"b", drift(1)}, {"c", drift(5)}},
                            {edge("a", "b", component(0, 1), Direction::rising, below),
                             edge("b", "c", component(0), Direction::falling)},
                            "a");
  const Solution solution = run(automaton, {0}, 2);
  REQUIRE(story(solution) == "transition a to b, transition b to c");
  CHECK(solution.final.state[0] == doctest::Approx(4));
}

TEST_CASE("a loop of edges without time is reported with its edges") {
  const Automaton automaton(
      {{"a", drift(1)}, {"b", drift(1)}},
      {edge("a", "b", component(0), Direction::rising), edge("b", "a", component(0, -1), Direction::rising)},
      "a");
  const Solution solution = run(automaton, {-0.5}, 3);
  CHECK(solution.outcome.status == Status::chattering);
  CHECK(solution.outcome.t == doctest::Approx(0.5));
  CHECK(contains(solution.outcome.message, "no time passes"));
  CHECK(contains(solution.outcome.message, "a -> b"));
  CHECK(contains(solution.outcome.message, "b -> a"));
}

TEST_CASE("a run may start in any location") {
  const Automaton automaton({{"up", drift(1)}, {"down", drift(-2)}}, {}, "up");
  const Solution solution =
      Simulator(automaton).run({.start = 0, .end = 1, .state = vector({0}), .location = "down"});
  CHECK(solution.final.state[0] == doctest::Approx(-2));
  CHECK_THROWS_WITH_AS(
      Simulator(automaton).run({.start = 0, .end = 1, .state = vector({0}), .location = "dawn"}),
      doctest::Contains("did you mean 'down'"), std::invalid_argument);
}

TEST_CASE("each location watches its own events, and one crossing is noted once") {
  const auto with_record = [](double rate, const std::string& name) {
    return drift(rate).with_events({record(name, component(0, 0.5), Direction::any)});
  };
  const Automaton automaton({{"up", with_record(1, "in up")}, {"down", with_record(-2, "in down")}},
                            {edge("up", "down", component(0, 1), Direction::rising)}, "up");
  const Solution solution = run(automaton, {0}, 2);
  CHECK(story(solution) == "record in up, transition up to down, record in down");
  // The same guard on an edge and on records of both sides: one record.
  const Guard level = component(0, 1);
  const auto at_level = [&](double rate) {
    return drift(rate).with_events({record("level", level, Direction::rising)});
  };
  const Automaton together({{"slow", at_level(1)}, {"fast", at_level(2)}},
                           {edge("slow", "fast", level, Direction::rising)}, "slow");
  const Solution once = run(together, {0}, 2);
  CHECK(story(once) == "record level, transition slow to fast");
}

namespace {

System drifting(double rate) {
  return smooth(2, [rate](auto, const auto&, auto&& dx) {
    dx[0] = rate;
    dx[1] = 0.0;
  });
}

}  // namespace

TEST_CASE("a reset that all locations have fires once at the instant of a transition") {
  const Event kick = reset("kick", Guard([](auto t, const auto&) { return t - 2.0; }), Direction::rising,
                           [](VectorRef x) { x[1] += 1; });
  const auto location = [&](double rate) { return drifting(rate).with_events({kick}); };
  for_every_method([&](const Options& options) {
    for (const Guard& when : {component(0, 2), kick.when}) {
      const Automaton automaton({{"a", location(1)}, {"b", location(3)}},
                                {edge("a", "b", when, Direction::rising)}, "a");
      const Solution solution = run(automaton, {0, 0}, 4, options);
      REQUIRE(solution.outcome.reached_end());
      CHECK(story(solution) == "reset kick, transition a to b");
      CHECK(error(solution.final.state[0], 8) < 1e-11);
      CHECK(solution.final.state[1] == 1);
    }
  });
}

TEST_CASE("surfaces of a location slide, and an edge leaves the slide for the mode of the next location") {
  for_every_method([](const Options& options) {
    const System attracted = from_functor(PulledRelay{0.5}, {.states = 2, .surfaces = 1});
    const System carried = from_functor(PulledRelay{2}, {.states = 2, .surfaces = 1});
    const Automaton automaton({{"held", attracted}, {"carried", carried}},
                              {edge("held", "carried", component(1, 2), Direction::rising)}, "held");
    const Solution solution = run(automaton, {0.5, 0}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "sliding_entry, transition held to carried");
    CHECK(solution.events[1].from->word() == "0");
    CHECK(solution.events[1].to->word() == "+");
    CHECK(error(solution.final.state[0], 1) < 1e-10);
  });
}

TEST_CASE("an edge by the clock that is due where the solution slides from the start on is taken at once") {
  for_every_method([](const Options& options) {
    const System attracted = from_functor(PulledRelay{0.5}, {.states = 2, .surfaces = 1});
    const System carried = from_functor(PulledRelay{2}, {.states = 2, .surfaces = 1});
    const Guard clock([](auto t, const auto&) {
      using std::sin;
      return sin(t);
    });
    const Automaton automaton({{"held", attracted}, {"carried", carried}},
                              {edge("held", "carried", clock, Direction::rising)}, "held");
    const Solution solution = run(automaton, {0, 0}, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    REQUIRE(story(solution) == "transition held to carried");
    CHECK(solution.events[0].t == 0);
    CHECK(error(solution.final.state[0], 3) < 1e-10);
  });
}

TEST_CASE("two locations joined by opposite edges slide as the one system does") {
  for_every_method([](const Options& options) {
    const double end = 20;
    const Solution one = run(driven_relay(), {0.3, 0}, end, options);
    const Solution two = run(two_locations(driven(-1), driven(1), "plus"), {0.3, 0}, end, options);
    REQUIRE(one.outcome.reached_end());
    REQUIRE_MESSAGE(two.outcome.reached_end(), two.outcome.message);
    REQUIRE(one.events.size() == two.events.size());
    for (std::size_t k = 0; k < one.events.size(); ++k) {
      CAPTURE(k);
      CHECK(error(two.events[k].t, one.events[k].t) < 1e4 * options.rtol);
      const EventKind kind = one.events[k].kind;
      CHECK(two.events[k].kind == (kind == EventKind::crossing ? EventKind::transition : kind));
      const std::string& to = *two.events[k].to_location;
      const char side = one.events[k].to->word().front();
      CHECK(to == (side == '+' ? "plus" : side == '-' ? "minus" : "minus|plus"));
    }
    CHECK((one.final.state - two.final.state).lpNorm<Eigen::Infinity>() < 1e4 * options.rtol);
    // While it slides λ = 1.5 sin t, until that is 1 at arcsin(2/3).
    const double leaves = std::asin(2.0 / 3);
    CHECK(std::any_of(two.events.begin(), two.events.end(), [&](const EventRecord& event) {
      return event.kind == EventKind::sliding_exit &&
             std::abs(event.t - (2 * std::numbers::pi + leaves)) < 1e3 * options.rtol;
    }));
  });
}

TEST_CASE("two locations joined by opposite edges cross as the one system does") {
  for_every_method([](const Options& options) {
    const Automaton automaton = two_locations(drift(1), drift(3), "minus");
    const Solution solution = run(automaton, {-1}, 2, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(story(solution) == "transition minus to plus");
    CHECK(error(solution.final.state[0], 3) < 1e-10);
    CHECK(solution.final.location == "plus");
  });
}

TEST_CASE("two locations joined by opposite edges slide from a start on the guard") {
  for (const char* initial : {"minus", "plus"}) {
    const Solution solution =
        run(two_locations(driven(-1), driven(1), initial), {0, 0}, 0.5, with(Method::dopri5, 1e-8));
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.final.location == "minus|plus");
    CHECK(solution.final.state[0] == 0);
    // ∫ 1.5 sin t.
    CHECK(solution.final.state[1] == doctest::Approx(1.5 * (1 - std::cos(0.5))));
  }
}

TEST_CASE("a touch of the guard between two locations changes nothing") {
  // x = (t − 1)², in `plus`, touches the guard at t = 1 without crossing.
  const System bowl = smooth(1, [](auto t, const auto&, auto&& dx) { dx[0] = 2.0 * (t - 1.0); });
  for_every_method([&](const Options& options) {
    const Solution solution = run_in(two_locations(drift(-1), bowl, "plus"), {1 + 1e-9}, 0, 3, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    if (options.rtol > 1e-10) return;
    CHECK(solution.events.empty());
    CHECK(solution.final.state[0] == doctest::Approx(4));
  });
}

TEST_CASE("another edge is taken while sliding between two locations") {
  for_every_method([](const Options& options) {
    const System out = smooth(2, [](auto, const auto&, auto&& dx) {
      dx[0] = 7.0;
      dx[1] = 0.0;
    });
    const Guard enough = component(1, 0.1);
    Automaton automaton(
        {{"minus", driven(-1)}, {"plus", driven(1)}, {"out", out}},
        [&] {
          const Guard guard = component(0);
          return std::vector<Edge>{edge("minus", "plus", guard, Direction::rising),
                                   edge("plus", "minus", guard, Direction::falling),
                                   edge("minus", "out", enough, Direction::rising)};
        }(),
        "minus");
    const Solution solution = run(automaton, {0, 0}, 0.6, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    // x2 = 1.5 (1 − cos t) reaches 0.1.
    const double leaves = std::acos(1 - 0.1 / 1.5);
    REQUIRE(solution.events.size() >= 1);
    CHECK(*solution.events.back().to_location == "out");
    CHECK(error(solution.events.back().t, leaves) < 1000 * options.rtol);
    CHECK(error(solution.final.state[0], 7 * (0.6 - leaves)) < 1e4 * options.rtol);
  });
}

TEST_CASE("a reset that ends sliding between two locations fires once") {
  const Event kick =
      reset("kick", Guard([](auto t, const auto&) { return t - 1.0; }), Direction::rising, [](VectorRef x) {
        x[0] = 0.5;
        x[1] += 1;
      });
  const auto side = [&](double rate) { return drifting(rate).with_events({kick}); };
  for_every_method([&](const Options& options) {
    const Solution solution = run(two_locations(side(1), side(-1), "minus"), {-0.5, 0}, 4, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "sliding_entry minus to plus, reset kick, sliding_entry plus to minus");
    CHECK(error(solution.events[2].t, 1.5) < 1e-11);
    CHECK(solution.final.state[1] == 1);
  });
}

TEST_CASE("a jump ends sliding between two locations where it leaves the state on their guard") {
  // x slides while |y| < 1; z falls onto a floor whose impulse acts on y, too.
  const auto side = [&](double rate) {
    return smooth(4, [rate](auto, const auto& x, auto&& dx) {
      dx[0] = rate + x[1];
      dx[1] = 0.0;
      dx[2] = x[3];
      dx[3] = -1.0;
    });
  };
  const Event kick = reset("kick", Guard([](auto t, const auto&) { return t - 1.0; }), Direction::rising,
                           [](VectorRef x) { x[1] = 2; });
  const Contact floor = contact("floor", component(2), {{3, 1.0}, {1, 2.0}}, 0.5);
  const auto kicked = [&](double rate) { return side(rate).with_events({kick}); };
  const auto struck = [&](double rate) { return side(rate).with_contacts({floor}); };
  for_every_method([&](const Options& options) {
    const Solution reset = run(two_locations(kicked(1), kicked(-1), "minus"), {-0.5, 0, 0.5, 0}, 2, options);
    REQUIRE(reset.outcome.reached_end());
    CHECK(story(reset) == "sliding_entry minus to plus, reset kick");
    CHECK(reset.final.location == "plus");
    CHECK(error(reset.final.state[0], 1) < 1e-10);
    // It strikes at t = 1 with the speed 1: the impulse 3/2 makes 3 of y.
    const Solution impact =
        run(two_locations(struck(1), struck(-1), "minus"), {-0.5, 0, 0.5, 0}, 1.5, options);
    REQUIRE(impact.outcome.reached_end());
    CHECK(story(impact) == "sliding_entry minus to plus, impact floor");
    CHECK(impact.final.location == "plus");
    CHECK(error(impact.final.state[0], 1) < 1e-3);
  });
}

TEST_CASE("edges with resets are no sliding, even when they undo each other") {
  const ResetFunction add = [](double, ConstVectorRef, VectorRef x) { x[0] += 0.25; };
  const ResetFunction subtract = [](double, ConstVectorRef, VectorRef x) { x[0] -= 0.25; };
  const Guard guard = component(0);
  const Automaton automaton({{"minus", drift(1)}, {"plus", drift(-1)}},
                            {edge("minus", "plus", guard, Direction::rising, add),
                             edge("plus", "minus", guard, Direction::falling, subtract)},
                            "minus");
  const Solution solution = run(automaton, {-0.25}, 2.1);
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.events.size() == 8);
  CHECK(count(solution, EventKind::transition) == 8);
}

TEST_CASE("an edge on the very surface of a relay leads to sliding in the new location at once") {
  // Both guards vanish together, as far as that can be located, at different numbers; sliding carries on from there.
  const System hard = from_functor(Pushed{1.2}, {.states = 1, .surfaces = 1});
  const System gentle = from_functor(Pushed{0.1}, {.states = 1, .surfaces = 1});
  const Guard guard([](auto, const auto& x) { return 0.84 * x[0]; });
  for_every_method([&](const Options& options) {
    const Automaton automaton({{"hard", hard}, {"gentle", gentle}},
                              {edge("hard", "gentle", guard, Direction::rising)}, "hard");
    const Solution solution = run_in(automaton, {-1}, 0, 1.5, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(story(solution) == "transition hard to gentle");
    CHECK(solution.events[0].to->word() == "0");
    CHECK(std::abs(solution.final.state[0]) < 1e-12);
  });
}
