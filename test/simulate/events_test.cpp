// Records, stops and resets of a System: when they fire, in which order, and what they leave behind.
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

System oscillator() {
  return smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -x[0];
  });
}

// x' = 1, and as many states at rest as are wanted.
System ticking(Index states = 1) {
  return smooth(states, [states](auto, const auto&, auto&& dx) {
    dx[0] = 1.0;
    for (Index j = 1; j < states; ++j) dx[j] = 0.0;
  });
}

struct Attracting {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = -0.5 * lambda[0];
    dx[1] = 1.0;
  }
};
// (x, v) turns a thousand times in a unit of time; a relay sees every half turn.
struct Turning {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 2000 * std::numbers::pi * x[1];
    dx[1] = -2000 * std::numbers::pi * x[0];
    dx[2] = lambda[0];
    dx[3] = 0.0 * x[3];
  }
};
struct Repelling {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = lambda[0];
    dx[1] = 1.0;
  }
};

// Sliding along x1 = 0 takes a relay that follows x0, so x1 is zero within rounding only.
struct Following {
  void guards(auto, const auto& x, auto&& h) const { h[0] = 0.55 * x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -1.0;
    dx[1] = 0.3 * sin(x[0]) - 0.466 * lambda[0];
  }
};

// Sliding along a slanted surface, driven, with a guard across it that is noted as h crosses it.
struct Slanted {
  void guards(auto, const auto& x, auto&& h) const { h[0] = 0.854 * x[0] + 0.418 * x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = -0.4 * x[0] + 0.5 * x[1] + 0.2 - 1.2 * lambda[0];
    dx[1] = -0.5 * x[0] + 1.5 * cos(t) - 0.45 * lambda[0];
    dx[2] = 0.0;
  }
};

// A ball whose weight never is still, so that the floor's force is not exactly its own.
struct UneasyBall {
  void field(auto t, const auto& x, const auto&, auto&& dx) const {
    using std::sin;
    dx[0] = x[1];
    dx[1] = -1.0 + 0.5 * sin(t) - 0.3 * x[1] + 0.1 * x[2];
    dx[2] = x[3];
    dx[3] = -x[2];
  }
};

struct Rising {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = 2.0 - lambda[0]; }
};

System attracting() { return from_functor(Attracting{}, {.states = 2, .surfaces = 1}); }

}  // namespace

TEST_CASE("a guard fires once for each crossing in its direction") {
  for_every_method([](const Options& options) {
    // x = cos t falls through zero at π/2 + 2kπ and rises through it at 3π/2 + 2kπ.
    const System system = oscillator().with_events({record("up", component(0), Direction::rising),
                                                    record("down", component(0), Direction::falling),
                                                    record("both", component(0), Direction::any)});
    const Solution solution = run(system, {1, 0}, 20, options);
    REQUIRE(solution.outcome.reached_end());
    std::vector<double> up, down, both;
    for (const EventRecord& event : solution.events) {
      CHECK(event.kind == EventKind::record);
      CHECK(event.before == event.after);
      (*event.name == "up" ? up : *event.name == "down" ? down : both).push_back(event.t);
    }
    REQUIRE(up.size() == 3);
    REQUIRE(down.size() == 3);
    REQUIRE(both.size() == 6);
    const double allowed = 1000 * options.rtol;
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(error(down[k], (0.5 + 2.0 * static_cast<double>(k)) * std::numbers::pi) < allowed);
      CHECK(error(up[k], (1.5 + 2.0 * static_cast<double>(k)) * std::numbers::pi) < allowed);
      CHECK(both[2 * k] == down[k]);
      CHECK(both[2 * k + 1] == up[k]);
    }
  });
}

TEST_CASE("records change neither steps nor states") {
  for (const Method method : every_method) {
    const Options options = with(method, 1e-7);
    const Solution plain = run(oscillator(), {1, 0}, 50, options);
    const Solution noted = run(oscillator().with_events({record("", component(0), Direction::any),
                                                         record("", component(1, 0.3), Direction::rising)}),
                               {1, 0}, 50, options);
    CAPTURE(std::string(to_string(method)));
    CHECK(noted.events.size() == 24);
    CHECK(noted.statistics.restarts == plain.statistics.restarts);
    CHECK(noted.statistics.steps == plain.statistics.steps);
    CHECK(noted.final.state == plain.final.state);
    for (const double t : {3.0, 17.3, 49.9}) {
      CHECK((noted.trajectory(t) - plain.trajectory(t)).lpNorm<Eigen::Infinity>() < 1e-13);
    }
  }
}

TEST_CASE("records hide no surface from the run, neither before it is armed nor after") {
  const System system = from_functor(Rising{}, {.states = 1, .surfaces = 1});
  for (const Method method : every_method) {
    CAPTURE(std::string(to_string(method)));
    for (const double level : {-0.5, -1e-3, -1e-9, 1e-9, 1e-3}) {
      CAPTURE(level);
      const Solution solution = run(system.with_events({record("", component(0, level), Direction::any)}),
                                    {-1}, 3, with(method, 1e-9));
      REQUIRE(solution.events.size() == 2);
      const EventRecord& crossing = solution.events[level < 0 ? 1 : 0];
      CHECK(crossing.kind == EventKind::crossing);
      CHECK(crossing.t == doctest::Approx(1.0 / 3));
      CHECK(solution.final.state[0] == doctest::Approx(8.0 / 3));
    }
  }
}

TEST_CASE("an event at the start fires when its guard is zero and moves in its direction") {
  for_every_method([](const Options& options) {
    const Solution solution =
        run(ticking().with_events({record("with", component(0), Direction::rising),
                                   record("against", component(0), Direction::falling),
                                   record("later", component(0, 0.5), Direction::rising)}),
            {0}, 1, options);
    REQUIRE(story(solution) == "record with, record later");
    CHECK(solution.events[0].t == 0);
    CHECK_FALSE(solution.events[0].from.has_value());
    CHECK(solution.events[1].from.has_value());
  });
}

TEST_CASE("an event in any direction fires where it starts at zero and moves, whichever way") {
  for (const double rate : {1.0, -1.0}) {
    const System moving =
        smooth(1, [rate](auto t, const auto&, auto&& dx) { dx[0] = rate * (1.0 - 2.0 * t); });
    const Solution solution = run(moving.with_events({record("", component(0), Direction::any)}), {0}, 1.5);
    // x = ±t(1 − t).
    REQUIRE(solution.events.size() == 2);
    CHECK(solution.events[0].t == 0);
    CHECK(error(solution.events[1].t, 1) < 1e-5);
  }
}

TEST_CASE("a start past a guard is no crossing") {
  const Solution solution = run(ticking().with_events({record("", component(0), Direction::rising),
                                                       stop("", component(0, -1), Direction::any)}),
                                {0.5}, 1);
  CHECK(solution.outcome.reached_end());
  CHECK(solution.events.empty());
}

TEST_CASE("an event at the end of the run belongs to it, and one just after does not") {
  for_every_method([](const Options& options) {
    const auto halve = reset("halve", component(0, 1), Direction::rising, [](VectorRef x) { x[0] = 0.5; });
    const Solution at_end = run(ticking().with_events({halve}), {0}, 1, options);
    REQUIRE(at_end.outcome.reached_end());
    REQUIRE(at_end.events.size() == 1);
    CHECK(at_end.events[0].t == doctest::Approx(1).epsilon(1e-12));
    CHECK(at_end.final.state[0] == 0.5);
    CHECK(at_end.trajectory(1)[0] == 0.5);
    CHECK(at_end.trajectory.before(1)[0] == doctest::Approx(1));
    const Solution before = run(ticking().with_events({halve}), {0}, 0.999, options);
    CHECK(before.events.empty());
    CHECK(before.final.state[0] == doctest::Approx(0.999));
  });
}

TEST_CASE("a record at the end hides no crossing there") {
  const System system = from_functor(Rising{}, {.states = 1, .surfaces = 1})
                            .with_events({record("zero", component(0), Direction::rising)});
  for_every_method([&](const Options& options) {
    // x rises from −3 at the rate 3.
    const Solution solution = run(system, {-3}, 1, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "record zero, crossing");
    CHECK(solution.final.mode.word() == "+");
  });
}

TEST_CASE("a stop at the end is a stop") {
  const Solution solution =
      run(ticking().with_events({stop("bell", component(0, 1), Direction::rising)}), {0}, 1);
  CHECK(solution.outcome.status == Status::stopped_by_event);
  CHECK(solution.outcome.message == "stopped by 'bell'");
}

TEST_CASE("a run that ends where it starts still resets what is due at the start") {
  const Solution solution =
      run(ticking().with_events({reset("", component(0), Direction::rising, [](VectorRef x) { x[0] = -1; })}),
          {0}, 0);
  CHECK(solution.outcome.reached_end());
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.final.state[0] == -1);
}

TEST_CASE("at one instant records come first, then stops, then resets in the order of the list") {
  for_every_method([](const Options& options) {
    const auto x = [](const char* name, Action action, std::function<void(VectorRef)> set = {}) {
      Event event = reset(
          name, component(0, 1), Direction::rising, set ? set : [](VectorRef) {});
      event.action = action;
      return event;
    };
    const Event add = x("add", Action::reset, [](VectorRef state) { state[1] = 2 * state[1] + 1; });
    const Event triple = x("triple", Action::reset, [](VectorRef state) { state[1] *= 3; });
    const Event note = x("note", Action::record);
    const Event halt = x("halt", Action::stop);

    const Solution add_first = run(ticking(2).with_events({add, triple, note}), {0, 1}, 2, options);
    CHECK(story(add_first) == "record note, reset add, reset triple");
    CHECK(add_first.final.state[1] == 9);
    CHECK(add_first.events[0].after[1] == 1);
    CHECK(add_first.events[1].after[1] == 3);
    CHECK(add_first.events[2].t == add_first.events[0].t);

    const Solution triple_first = run(ticking(2).with_events({triple, note, add}), {0, 1}, 2, options);
    CHECK(story(triple_first) == "record note, reset triple, reset add");
    CHECK(triple_first.final.state[1] == 7);

    const Solution stopped = run(ticking(2).with_events({add, halt, triple, note}), {0, 1}, 2, options);
    CHECK(story(stopped) == "record note, stop halt");
    CHECK(stopped.final.state[1] == 1);
  });
}

TEST_CASE("guards of different kinds that vanish at one instant are one instant") {
  for_every_method([](const Options& options) {
    const Guard of_time([](auto t, const auto&) { return t - 1.0; });
    const Guard twice([](auto, const auto& x) { return 2.0 * x[0] - 2.0; });
    const Solution solution = run(
        ticking(2).with_events({reset("state", twice, Direction::rising, [](VectorRef x) { x[1] += 1; }),
                                reset("time", of_time, Direction::rising, [](VectorRef x) { x[1] *= 10; })}),
        {0, 1}, 2, options);
    CHECK(story(solution) == "reset state, reset time");
    CHECK(solution.final.state[1] == 20);
  });
}

TEST_CASE("a stop ends the run at its guard") {
  for_every_method([](const Options& options) {
    // The parabola t² meets 4.
    const System parabola = smooth(1, [](auto t, const auto&, auto&& dx) { dx[0] = 2.0 * t; });
    const Solution solution =
        run(parabola.with_events({stop("far", component(0, 4), Direction::rising)}), {0}, 10, options);
    CHECK(solution.outcome.status == Status::stopped_by_event);
    CHECK(solution.outcome.succeeded());
    CHECK(std::abs(solution.final.state[0] - 4) < 1e-12);
    CHECK(error(solution.outcome.t, 2) < 1000 * options.rtol);
    CHECK(solution.trajectory.end() == solution.outcome.t);
  });
}

TEST_CASE("stops at one instant are all listed, and the first of the list is named") {
  const Solution solution = run(ticking().with_events({stop("one", component(0, 1), Direction::any),
                                                       stop("two", component(0, 1), Direction::rising)}),
                                {0}, 2);
  CHECK(story(solution) == "stop one, stop two");
  CHECK(contains(solution.outcome.message, "'one'"));
}

TEST_CASE(
    "a reset that leads onto another guard fires it in the same instant, if the motion goes through it") {
  for (const double rate : {1.0, 0.0, -1.0}) {
    const System moving = smooth(2, [rate](auto, const auto&, auto&& dx) {
      dx[0] = 1.0;
      dx[1] = rate;
    });
    const Solution solution =
        run(moving.with_events(
                {reset("first", component(0, 1), Direction::rising, [](VectorRef x) { x[1] = 2; }),
                 reset("second", component(1, 2), Direction::rising, [](VectorRef x) { x[1] = -9; })}),
            {0, -5}, 1.5);
    CAPTURE(rate);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == (rate > 0 ? "reset first, reset second" : "reset first"));
    CHECK(solution.final.state[1] == doctest::Approx((rate > 0 ? -9 : 2) + 0.5 * rate));
    if (rate > 0) CHECK(solution.events[0].t == solution.events[1].t);
  }
}

TEST_CASE("a chain of resets is followed through in one instant") {
  // Each reset leads onto the next guard, which the motion goes through.
  constexpr int links = 20;
  const System moving = smooth(2, [](auto, const auto&, auto&& dx) {
    dx[0] = 1.0;
    dx[1] = 1.0;
  });
  std::vector<Event> events = {
      reset("start", component(0, 1), Direction::rising, [](VectorRef x) { x[1] = 100; })};
  for (int k = 0; k < links; ++k) {
    events.push_back(
        reset("", component(1, 100 + 10 * k), Direction::rising, [k](VectorRef x) { x[1] = 110 + 10 * k; }));
  }
  const Solution solution = run(moving.with_events(events), {0, 0}, 2);
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.events.size() == links + 1);
  CHECK(solution.events.front().t == solution.events.back().t);
  CHECK(solution.final.state[1] == doctest::Approx(301));
}

TEST_CASE("fast events do not chatter where the clock began long ago") {
  const System turning = from_functor(Turning{}, {.states = 4, .surfaces = 1});
  const System counting =
      turning.with_events({reset("count", component(1), Direction::falling, [](VectorRef x) { x[3] += 1; })});
  for (const double start : {0.0, 1e9, -1e9, 1.7e9}) {
    CAPTURE(start);
    const Solution solution =
        Simulator(counting).run({.start = start, .end = start + 1, .state = vector({0.5, 0.5, 0, 0})});
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    // Every step ends where the clock shows something, 1e-7 beside where it should: 30,000 steps are a few turns ahead or behind.
    const std::size_t within = start == 0 ? 0 : 6;
    const std::size_t crossings = count(solution, EventKind::crossing),
                      turns = count(solution, EventKind::reset);
    CHECK(crossings >= 2000 - within);
    CHECK(crossings <= 2000 + within);
    CHECK(turns >= 1000 - within);
    CHECK(turns <= 1000 + within);
    CHECK(solution.final.state[3] == static_cast<double>(turns));
    // None of them is taken for a fold.
    for (const EventRecord& event : solution.events) {
      if (event.kind == EventKind::crossing) REQUIRE(event.reason.find("w- and w+ both ") == 0);
    }
  }
}

TEST_CASE("resets that set each other off without end are reported") {
  const Solution solution = run(
      ticking().with_events({reset("back", component(0, 1), Direction::rising, [](VectorRef x) { x[0] = 0; }),
                             reset("forth", component(0), Direction::rising, [](VectorRef x) { x[0] = 1; })}),
      {-0.5}, 3);
  CHECK(solution.outcome.status == Status::chattering);
  CHECK(solution.outcome.t == doctest::Approx(0.5));
  CHECK(contains(solution.outcome.message, "no time passes"));
  CHECK(contains(solution.outcome.message, "'back'"));
  CHECK(contains(solution.outcome.message, "'forth'"));
}

TEST_CASE("a reset that leaves the state where it is fires once") {
  const Solution solution = run(
      ticking(2).with_events({reset("", component(0, 1), Direction::rising, [](VectorRef x) { x[1] += 1; })}),
      {0, 0}, 2);
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.events.size() == 1);
  CHECK(solution.final.state[0] == doctest::Approx(2));
}

TEST_CASE("a reset that changes nothing says so") {
  const auto reason = [](double added) {
    const Solution solution = run(ticking().with_events({reset("", component(0, 1), Direction::rising,
                                                               [added](VectorRef x) { x[0] += added; })}),
                                  {0}, 2);
    REQUIRE(solution.events.size() == 1);
    return solution.events[0].reason;
  };
  CHECK(reason(0) == "the guard crosses zero; the reset leaves the state as it is");
  CHECK(reason(0.5) == "the guard crosses zero");
}

TEST_CASE("a reset to a value that is not finite ends the run before it") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Solution solution = run(ticking(2).with_events({reset("bad", component(0, 1), Direction::rising,
                                                              [nan](VectorRef x) { x[1] = nan; })}),
                                {0, 3}, 2);
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(contains(solution.outcome.message, "reset 'bad' sets state 'x2'"));
  CHECK(solution.outcome.t == doctest::Approx(1));
  CHECK(solution.final.state[1] == 3);
}

TEST_CASE("an exception of a reset ends the run with its message") {
  const Solution solution =
      run(ticking().with_events({reset("", component(0, 1), Direction::rising,
                                       [](VectorRef) { throw std::runtime_error("no such place"); })}),
          {0}, 2);
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(contains(solution.outcome.message, "no such place"));
}

TEST_CASE("the guard of an event that becomes not finite is named") {
  const Guard root([](auto, const auto& x) {
    using std::sqrt;
    return sqrt(1.0 - x[0]) + 1.0;
  });
  const Solution solution = run(ticking().with_events({record("root", root, Direction::falling)}), {0}, 2);
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(contains(solution.outcome.message, "'root'"));
}

TEST_CASE("a reset onto an attracting surface slides from then on") {
  for_every_method([](const Options& options) {
    const Solution solution =
        run(attracting().with_events(
                {reset("down", component(1, 0.5), Direction::rising, [](VectorRef x) { x[0] = 0; })}),
            {1, 0}, 2, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(story(solution) == "reset down");
    CHECK(solution.events[0].from->word() == "+");
    CHECK(solution.events[0].to->word() == "0");
    CHECK(solution.final.state[0] == 0);
    CHECK(solution.events[0].before[0] == doctest::Approx(0.75));
  });
}

TEST_CASE("a reset to the other side of a surface finds the mode there") {
  const Solution solution = run(attracting().with_events({reset("over", component(1, 0.5), Direction::rising,
                                                                [](VectorRef x) { x[0] = -0.25; })}),
                                {1, 0}, 2);
  REQUIRE(story(solution) == "reset over, sliding_entry");
  CHECK(solution.events[0].to->word() == "-");
  CHECK(solution.events[1].t == doctest::Approx(1));
}

TEST_CASE("a reset off the surface ends sliding") {
  for_every_method([](const Options& options) {
    const Solution solution = run(attracting().with_events({reset("up", component(1, 0.5), Direction::rising,
                                                                  [](VectorRef x) { x[0] = 0.25; })}),
                                  {0, 0}, 2, options);
    REQUIRE(solution.initial.mode.word() == "0");
    REQUIRE(story(solution) == "reset up, sliding_entry");
    CHECK(solution.events[0].from->word() == "0");
    CHECK(solution.events[0].to->word() == "+");
    CHECK(error(solution.events[1].t, 1) < 1000 * options.rtol);
  });
}

TEST_CASE("a reset while sliding that stays on the surface goes on sliding") {
  const Solution solution = run(attracting().with_events({reset("again", component(1, 0.5), Direction::rising,
                                                                [](VectorRef x) { x[1] = 0; })}),
                                {0, 0}, 1.75);
  CHECK(solution.events.size() == 3);
  for (const EventRecord& event : solution.events) CHECK(event.to->word() == "0");
  CHECK(solution.final.state[0] == 0);
  CHECK(solution.final.state[1] == doctest::Approx(0.25));
}

TEST_CASE("resets of one state do not end sliding along the zero of another") {
  const System system = from_functor(Following{}, {.states = 2, .surfaces = 1})
                            .with_events({reset("back", component(0, -1), Direction::falling,
                                                [](VectorRef x) { x[0] += 0.4; })});
  for_every_method([&](const Options& options) {
    // x1 = 0 is reached before x0 = −1, at t = 0.88 or so; from t = 1.5 on x0 is set back every 0.4.
    const Solution solution = run(system, {0.5, 0.3}, 20, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(count(solution, EventKind::sliding_entry) == 1);
    CHECK(count(solution, EventKind::reset) == 47);
    CHECK(solution.events.size() == 48);
    CHECK(solution.final.mode.word() == "0");
  });
}

TEST_CASE("a guard that sliding carries through zero fires once each time") {
  const Guard across([](auto, const auto& x) { return 0.487 * x[0] + 0.435 * x[1]; });
  const System plain = from_functor(Slanted{}, {.states = 3, .surfaces = 1});
  const System noted = plain.with_events({record("across", across, Direction::rising)});
  const System counted =
      plain.with_events({reset("across", across, Direction::rising, [](VectorRef x) { x[2] += 1; })});
  for_every_method([&](const Options& options) {
    const Solution recorded = run(noted, {0.2, -0.3, 0}, 12, options);
    REQUIRE(recorded.outcome.reached_end());
    CHECK(count(recorded, EventKind::record) == 2);
    const Solution reset = run(counted, {0.2, -0.3, 0}, 12, options);
    REQUIRE(reset.outcome.reached_end());
    CHECK(count(reset, EventKind::reset) == 2);
    CHECK(reset.final.state[2] == 2);
    CHECK(reset.events.size() == recorded.events.size());
  });
}

TEST_CASE("a guard that sliding holds at zero fires as it gets there and not again") {
  // Proportional to the surface, but rounded otherwise.
  const System system =
      from_functor(Slanted{}, {.states = 3, .surfaces = 1})
          .with_events(
              {record("along", Guard([](auto, const auto& x) { return 0.3 * (0.854 * x[0] + 0.418 * x[1]); }),
                      Direction::any)});
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {0.2, -0.3, 0}, 12, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(count(solution, EventKind::record) ==
          count(solution, EventKind::sliding_entry) + count(solution, EventKind::crossing));
  });
}

TEST_CASE("jumps of one state set off no event on a guard that sliding holds at zero") {
  const Guard along([](auto, const auto& x) { return 0.3 * (0.854 * x[0] + 0.418 * x[1]); });
  const Guard ticks([](auto t, const auto&) {
    using std::sin;
    return sin(20.0 * t);
  });
  const System plain = from_functor(Slanted{}, {.states = 3, .surfaces = 1});
  const System watched =
      plain.with_events({reset("tick", ticks, Direction::any, [](VectorRef x) { x[2] += 1; }),
                         reset("up", along, Direction::rising, [](VectorRef x) { x[2] += 1000; }),
                         reset("down", along, Direction::falling, [](VectorRef x) { x[2] += 1000; })});
  for_every_method([&](const Options& options) {
    // It slides from 0.074 to 3.685.
    const Solution solution = run(watched, {0.2, -0.3, 0}, 3.5, options);
    REQUIRE(solution.outcome.reached_end());
    // One of the two fires as it gets there, and 23 ticks, the first at the start.
    CHECK(count(solution, EventKind::reset) == 24);
    CHECK(solution.final.state[2] == 1023);
    CHECK(solution.final.mode.word() == "0");
  });
}

TEST_CASE("a ball that has come to rest is at the top of no flight any more") {
  const System system = from_functor(UneasyBall{}, {.states = 4})
                            .with_contacts({contact("floor", component(0), {{1, 1.3}}, 0.5)})
                            .with_events({{.name = "top", .when = component(1), .across_jumps = false}});
  for_every_method([&](const Options& options) {
    const Solution solution = run(system, {1, 0, 0.3, 0}, 20, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(count(solution, EventKind::zeno) == 1);
    // The first flight begins at its top.
    CHECK(count(solution, EventKind::record) == count(solution, EventKind::impact));
  });
}

TEST_CASE("a reset onto a surface that repels is not unique, and says so") {
  const System system =
      from_functor(Repelling{}, {.states = 2, .surfaces = 1})
          .with_events({reset("down", component(1, 0.5), Direction::rising, [](VectorRef x) { x[0] = 0; })});
  const Solution stopped = run(system, {1, 0}, 2);
  CHECK(stopped.outcome.status == Status::ambiguous);
  CHECK(stopped.outcome.t == doctest::Approx(0.5));
  CHECK(story(stopped) == "reset down, repelling");
  Options options;
  options.on_ambiguity = Ambiguity::minus;
  const Solution below = run(system, {1, 0}, 2, options);
  REQUIRE(below.outcome.reached_end());
  CHECK(below.final.state[0] == doctest::Approx(-1.5));
}

TEST_CASE("an integrate-and-fire neuron fires at its period") {
  // v' = 2 − v from 0 to 1 takes ln 2.
  const System neuron = smooth(1, [](auto, const auto& x, auto&& dx) { dx[0] = 2.0 - x[0]; });
  for_every_method([&](const Options& options) {
    const Solution solution = run(neuron.with_events({reset("spike", component(0, 1), Direction::rising,
                                                            [](VectorRef x) { x[0] = 0; })}),
                                  {0}, 10, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 14);
    for (std::size_t k = 0; k < 14; ++k) {
      CHECK(error(solution.events[k].t, static_cast<double>(k + 1) * std::log(2.0)) < 100 * options.rtol);
    }
  });
}

TEST_CASE("outputs at an event are the state after it") {
  const System system = ticking().with_events(
      {reset("", component(0, 0.5), Direction::rising, [](VectorRef x) { x[0] = 10; })});
  Options options;
  options.recording = Recording::nothing;
  options.output_times = {0, run(system, {0}, 1.25).events.at(0).t, 1, 1.25};
  const Solution solution = run(system, {0}, 1.25, options);
  CHECK(solution.outputs(0, 0) == 0);
  CHECK(solution.outputs(0, 1) == 10);
  CHECK(solution.outputs(0, 2) == doctest::Approx(10.5));
  CHECK(solution.outputs(0, 3) == doctest::Approx(10.75));
}

TEST_CASE("an event without a guard or a reset without a function is refused") {
  CHECK_THROWS_AS(ticking().with_events({Event{}}), std::invalid_argument);
  Event nothing_set;
  nothing_set.when = component(0);
  nothing_set.action = Action::reset;
  CHECK_THROWS_AS(ticking().with_events({nothing_set}), std::invalid_argument);
}

TEST_CASE("a guard is asked as often however many guards and states there are beside it") {
  // Thresholds of one signal, as of the relays of a Preisach model: each is passed upward, and the signal turns just short of
  // the last.
  const auto calls_per_guard_and_event = [](Index count) {
    std::atomic<long> calls = 0;
    std::vector<Event> events;
    for (Index k = 0; k < count; ++k) {
      const double level = static_cast<double>(k) / static_cast<double>(count);
      events.push_back({.when = Guard([level, &calls](auto t, const auto&) {
                          using std::sin;
                          ++calls;
                          return sin(t) - level;
                        }),
                        .direction = Direction::rising,
                        .action = Action::reset,
                        .reset = [k](double, ConstVectorRef, VectorRef after) { after[k + 1] = 1; }});
    }
    const Solution solution = Simulator(ticking(count + 1).with_events(events))
                                  .run({.start = -0.3, .end = 3, .state = Vector::Zero(count + 1)});
    REQUIRE(solution.outcome.reached_end());
    CHECK(solution.events.size() == static_cast<std::size_t>(count));
    CHECK(solution.final.state.tail(count).minCoeff() == 1);
    return static_cast<double>(calls) / static_cast<double>(count * count);
  };
  const double few = calls_per_guard_and_event(10);
  CHECK(calls_per_guard_and_event(80) < 2 * few);
}

TEST_CASE("a guard that is affine and dips for the shortest time is seen to") {
  // x = t − t²/2 is at most 1/2, at t = 1: above 1/2 − depth for 2√(2·depth).
  for (const double depth : {1e-2, 1e-5, 1e-8, 1e-11}) {
    CAPTURE(depth);
    const System thrown = smooth(2, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = -1.0 + 0.0 * x[0];
    });
    // dopri5 follows a parabola without an error, in one step.
    const Solution solution = run(thrown.with_events({record("", component(0, 0.5 - depth), Direction::any)}),
                                  {0, 1}, 3, with(Method::dopri5, 1e-6));
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 2);
    const double half = std::sqrt(2 * depth);
    CHECK(std::abs(solution.events[0].t - (1 - half)) <= 1e-3 * half + 1e-15 / half);
    CHECK(std::abs(solution.events[1].t - (1 + half)) <= 1e-3 * half + 1e-15 / half);
  }
}

TEST_CASE("a landing and an event at the very end of a run both belong to it") {
  const System falling = smooth(2,
                                [](auto, const auto& x, auto&& dx) {
                                  dx[0] = x[1];
                                  dx[1] = -1.0 + 0.0 * x[0];
                                })
                             .with_contacts({contact("floor", component(0), {{1, 1}}, 0)})
                             .with_events({reset("kick", Guard([](auto t, const auto&) { return t - 4.0; }),
                                                 Direction::any, [](VectorRef x) { x[1] += 1; })});
  for (const double rtol : {1e-5, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const Solution solution = run(falling, {8, 0}, 4, with(Method::dopri5, rtol));
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "contact floor, reset kick");
    CHECK(solution.final.state[1] == doctest::Approx(1));
  }
}

TEST_CASE("a tank that runs dry is found empty, though its outflow is not defined beyond") {
  // h = (1 − t/2)², and a level below zero has no root.
  const System tank = smooth(1, [](auto, const auto& x, auto&& dx) {
    using std::sqrt;
    dx[0] = -sqrt(x[0]);
  });
  const auto refill = reset("refill", component(0), Direction::falling, [](VectorRef x) { x[0] = 1; });
  for (const Method method : every_method) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      // The rest at the end is an error of the state, and its square root one of the time.
      const double accuracy = 20 * std::sqrt(rtol / 100);
      const Solution empty = run(tank.with_events({stop("empty", component(0), Direction::falling)}), {1}, 5,
                                 with(method, rtol));
      REQUIRE(empty.outcome.status == Status::stopped_by_event);
      CHECK(error(empty.final.t, 2) < accuracy);
      const Solution refilled = run(tank.with_events({refill}), {1}, 9, with(method, rtol));
      REQUIRE(refilled.outcome.reached_end());
      REQUIRE(refilled.events.size() == 4);
      for (std::size_t k = 0; k < 4; ++k)
        CHECK(error(refilled.events[k].t, 2 * static_cast<double>(k + 1)) < 4 * accuracy);
    }
  }
}

TEST_CASE("where a run gets no further after an event the message says how far its steps went") {
  const System tank = smooth(1, [](auto, const auto& x, auto&& dx) {
    using std::sqrt;
    dx[0] = -sqrt(x[0] - 0.25);
  });
  for (const Method method : {Method::bdf, Method::adams}) {
    CAPTURE(std::string(to_string(method)));
    const Solution solution = run(tank.with_events({record("empty", component(0, 0.25), Direction::falling)}),
                                  {1}, 5, with(method, 1e-6));
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(count(solution, EventKind::record) == 1);
    CHECK(solution.outcome.message.find("no step from t = 1.73") != std::string::npos);
  }
}
