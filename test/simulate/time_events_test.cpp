// Time events, delayed actions and discrete states: what happens at times that are known.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "test/simulate/hybrid.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr std::array<Method, 6> kMethods = {Method::automatic, Method::bdf,    Method::adams,
                                            Method::dopri5,    Method::dop853, Method::rodas};

// x' = −x + u, where u is the last state, and discrete.
System held_plant(Index discrete = 1) {
  return from_functor([](auto, const auto& x, const auto&, auto&& dx) { dx[0] = x[1] - x[0]; },
                      {.states = 1 + discrete, .surfaces = 0, .discrete = discrete});
}

TimeEvent sampling(double period, double gain) {
  return {.name = "sample", .period = period, .reset = [gain](double, ConstVectorRef x, VectorRef after) {
            after[1] = -gain * x[0];
          }};
}

std::vector<EventRecord> of_kind(const Solution& solution, EventKind kind) {
  std::vector<EventRecord> found;
  for (const EventRecord& event : solution.events)
    if (event.kind == kind) found.push_back(event);
  return found;
}

Solution run_text(const std::string& text) { return run(text).solution; }

}  // namespace

TEST_CASE("a hundred thousand samples come at k times the period, and none is lost") {
  const double period = 0.1;
  const System system = held_plant().with_time_events({sampling(period, 0.5)});
  const Simulator simulator(system, {.rtol = 1e-6, .method = Method::dopri5});
  const Solution solution = simulator.run({.start = 0, .end = 1e4, .state = Eigen::Vector2d{1, 0}});
  CHECK(solution.outcome.status == Status::reached_end);
  const std::vector<EventRecord> samples = of_kind(solution, EventKind::sample);
  REQUIRE(samples.size() == 100'001);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < samples.size(); ++k)
    wrong += samples[k].t == static_cast<double>(k) * period ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("a sampled linear plant agrees with its matrix exponential to 1e-12, by every method") {
  // The oscillator x'' = −x + u, u held: (x − u, v) turns by the period.
  const double period = 0.25;
  const System plant = from_functor(
      [](auto, const auto& x, const auto&, auto&& dx) {
        dx[0] = x[1];
        dx[1] = x[2] - x[0];
      },
      {.states = 3, .surfaces = 0, .discrete = 1});
  const TimeEvent control{.period = period, .reset = [](double, ConstVectorRef x, VectorRef after) {
                            after[2] = 0.3 * x[0] - 0.8 * x[1];
                          }};
  for (const Method method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const Simulator simulator(plant.with_time_events({control}),
                              {.rtol = 1e-14, .atol = 1e-16, .method = method});
    const Solution solution = simulator.run({.start = 0, .end = 10, .state = Eigen::Vector3d{1, 0, 0}});
    REQUIRE(solution.outcome.status == Status::reached_end);
    double x = 1, v = 0, worst = 0;
    const std::vector<EventRecord> samples = of_kind(solution, EventKind::sample);
    REQUIRE(samples.size() == 41);
    for (const EventRecord& sample : samples) {
      worst = std::max({worst, std::abs(sample.before[0] - x), std::abs(sample.before[1] - v)});
      const double u = 0.3 * x - 0.8 * v;
      worst = std::max(worst, std::abs(sample.after[2] - u));
      const double off = x - u;
      x = u + off * std::cos(period) + v * std::sin(period);
      v = -off * std::sin(period) + v * std::cos(period);
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("discrete states cost the integrator nothing: however many there are, its steps are the same") {
  for (const Method method : kMethods) {
    CAPTURE(static_cast<int>(method));
    std::vector<Solution> solutions;
    for (const Index discrete : {Index{1}, Index{200}}) {
      const Simulator simulator(held_plant(discrete).with_time_events({sampling(0.3, 0.5)}),
                                {.rtol = 1e-7, .method = method});
      Vector start = Vector::Constant(1 + discrete, 1e6);
      start[0] = 1;
      start[1] = 0;
      solutions.push_back(simulator.run({.start = 0, .end = 20, .state = start}));
      CHECK(solutions.back().final.state[discrete] ==
            (discrete == 1 ? solutions.back().final.state[1] : 1e6));
    }
    CHECK(solutions[0].statistics.steps == solutions[1].statistics.steps);
    CHECK(solutions[0].final.state[0] == solutions[1].final.state[0]);
    CHECK(solutions[0].statistics.jacobian_evaluations == solutions[1].statistics.jacobian_evaluations);
  }
}

TEST_CASE("periods of 0.1, 0.3 and 0.7 stay aligned: what is due together is one instant") {
  std::vector<int> order;
  const auto counter = [](const char* name, double period, Index state) {
    return TimeEvent{
        .name = name, .period = period, .reset = [state](double, ConstVectorRef x, VectorRef after) {
          after[state] = x[state] + 1;
        }};
  };
  const System plant = from_functor([](auto, const auto& x, const auto&, auto&& dx) { dx[0] = -0.01 * x[0]; },
                                    {.states = 4, .surfaces = 0, .discrete = 3});
  const Simulator simulator(
      plant.with_time_events({counter("a", 0.1, 1), counter("b", 0.3, 2), counter("c", 0.7, 3)}),
      {.rtol = 1e-6, .method = Method::dopri5});
  const Solution solution = simulator.run({.start = 0, .end = 2100, .state = Eigen::Vector4d{1, 0, 0, 0}});
  REQUIRE(solution.outcome.status == Status::reached_end);
  CHECK(solution.final.state[1] == 21001);
  CHECK(solution.final.state[2] == 7001);
  CHECK(solution.final.state[3] == 3001);
  std::size_t instants = 0, out_of_place = 0;
  double last = -1;
  for (const EventRecord& event : solution.events) {
    instants += event.t != last ? 1 : 0;
    last = event.t;
    const double ticks = event.t / 0.1;
    out_of_place += std::abs(ticks - std::round(ticks)) <= 1e-11 * std::max(1.0, ticks) ? 0 : 1;
  }
  CHECK(instants == 21001);
  CHECK(out_of_place == 0);
}

TEST_CASE("offset, count and times say when a time event fires, at the start and at the end, too") {
  const auto times_of = [](TimeEvent event, double start, double end) {
    event.reset = [](double, ConstVectorRef, VectorRef after) { after[1] += 1; };
    const Simulator simulator(held_plant().with_time_events({std::move(event)}), {});
    std::vector<double> times;
    for (const EventRecord& one :
         simulator.run({.start = start, .end = end, .state = Eigen::Vector2d{1, 0}}).events)
      times.push_back(one.t);
    return times;
  };
  CHECK(times_of({.period = 0.5}, 0, 1) == std::vector<double>{0, 0.5, 1});
  CHECK(times_of({.period = 0.5}, 0.2, 1.2) == std::vector<double>{0.5, 1});
  CHECK(times_of({.period = 0.5, .offset = 0.25, .count = 2}, 0, 5) == std::vector<double>{0.25, 0.75});
  CHECK(times_of({.period = 0.5, .offset = 0.25, .count = 2}, 0.5, 5) == std::vector<double>{0.75});
  CHECK(times_of({.at = {0.3, 0.7, 9}}, 0, 1) == std::vector<double>{0.3, 0.7});
  CHECK(times_of({.period = 0.1}, 0, 0.3).size() == 4);  // 3·0.1 is beyond 0.3 by rounding
  CHECK(times_of({.period = 1}, 0, 0) == std::vector<double>{0});
}

TEST_CASE("at one instant resets come before time events, unless priorities say otherwise") {
  const std::string model = R"toml(
    [states]
    x = 0.0
    [discrete]
    u = 1.0
    w = 0.0
    [time]
    end = 2.0
    [derivatives]
    x = "1"
    [[every]]
    period = 1
    offset = 1
    set = { u = "2*u", w = "w + u" }
    PRIORITY
    [[resets]]
    when = "x - 1"
    direction = "rising"
    set = { u = "u + 10" }
  )toml";
  const auto with = [&](const std::string& priority) {
    std::string text = model;
    text.replace(text.find("PRIORITY"), 8, priority);
    return run_text(text);
  };
  const Solution usual = with("");
  REQUIRE(usual.events.size() == 3);
  CHECK(usual.events[0].kind == EventKind::reset);
  CHECK(usual.events[1].kind == EventKind::sample);
  CHECK(usual.events[0].t == 1);
  CHECK(usual.events[1].t == 1);
  CHECK(usual.final.state[1] == 44);
  CHECK(usual.final.state[2] == 11 + 22);
  const Solution first = with("priority = 1");
  CHECK(first.events[0].kind == EventKind::sample);
  CHECK(first.final.state[1] == 24);
  CHECK(first.final.state[2] == 1 + 12);
}

TEST_CASE(
    "a sample that moves the surface of a relay ends its sliding, and nothing but jumps moves a discrete "
    "state") {
  for (const Method method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const Finished done = run(R"toml(
      [states]
      x = 0.4
      y = 0.0
      [discrete]
      r = 0.0
      [time]
      end = 4.0
      [surfaces]
      s = "x + 0.1*y - r"
      [derivatives]
      x = "-sgn(s)"
      y = "cos(3*t)"
      [[every]]
      period = 1
      offset = 1
      set = { r = "r + 0.25" }
    )toml",
                              method);
    REQUIRE(done.solution.outcome.status == Status::reached_end);
    CHECK(done.end(2) == 1.0);
    CHECK(done.solution.initial.mode.word() == "+");
    std::vector<std::string> words;
    for (const EventRecord& event : done.solution.events)
      words.push_back(std::string(to_string(event.kind)) + (event.to ? " " + event.to->word() : ""));
    const std::vector<std::string> expected = {"sliding_entry 0", "sample -", "sliding_entry 0", "sample -",
                                               "sliding_entry 0", "sample -", "sliding_entry 0", "sample -"};
    CHECK(words == expected);
  }
}

TEST_CASE("delayed resets act at their time, several at once, with the values of the trigger or of then") {
  const std::string model = R"toml(
    [states]
    x = 0.0
    [discrete]
    n = 0.0
    seen = 0.0
    [time]
    end = 10.0
    [derivatives]
    x = "1"
    [[resets]]
    name = "count"
    when = "sin(pi*x)"
    direction = "rising"
    delay = "tau"
    values = "WHICH"
    set = { n = "n + 1", seen = "x" }
    [parameters]
    tau = 5.5
  )toml";
  for (const bool trigger : {true, false}) {
    std::string text = model;
    text.replace(text.find("WHICH"), 5, trigger ? "trigger" : "execution");
    const Solution solution = run_text(text);
    REQUIRE(solution.outcome.status == Status::reached_end);
    const std::vector<EventRecord> acts = of_kind(solution, EventKind::reset);
    // The guard rises at every even time from 0 to 10, and up to three are on their way.
    REQUIRE(acts.size() == 3);
    CHECK(of_kind(solution, EventKind::record).size() == 6);
    CHECK(solution.pending.size() == 3);
    for (std::size_t k = 0; k < acts.size(); ++k) {
      const double trigger_time = 2.0 * static_cast<double>(k);
      CHECK(acts[k].t == doctest::Approx(trigger_time + 5.5).epsilon(1e-12));
      CHECK(acts[k].after[2] == doctest::Approx(trigger ? trigger_time : trigger_time + 5.5).epsilon(1e-9));
    }
    // With the values of the trigger n was 0 at the first three of them.
    CHECK(solution.final.state[1] == (trigger ? 1 : 3));
    CHECK(solution.final.state[0] == doctest::Approx(10));
  }
}

TEST_CASE("what a delayed reset adds is added to what is there when it acts") {
  // Every second a dose of 1 is ordered that comes 2.5 later, and x decays at the rate 0.1: doses of 2.5, 3.5, …, 9.5 are there at 10.
  const std::string model = R"toml(
    [states]
    x = 0.0
    clock = 0.0
    [time]
    end = 10.0
    [derivatives]
    x = "-0.1*x"
    clock = "1"
    [[resets]]
    name = "dose"
    when = "sin(2*pi*clock)"
    direction = "rising"
    delay = 2.5
    set = { x = "more" }
    [definitions]
    more = "x + 1"
  )toml";
  double expected = 0;
  for (int k = 0; k < 8; ++k) expected += std::exp(-0.1 * (10 - 2.5 - k));
  CHECK(run_text(model).final.state[0] == doctest::Approx(expected).epsilon(1e-5));
  // With the values of the trigger a dose is set in the place of all that came in the meantime.
  std::string by_trigger = model;
  by_trigger.replace(by_trigger.find("delay = 2.5"), 11, "delay = 2.5\n    values = \"trigger\"");
  CHECK(run_text(by_trigger).final.state[0] < 0.8 * expected);
}

TEST_CASE("a delayed edge leads on after its time, unless its location has been left by then") {
  const std::string model = R"toml(
    initial = "off"
    [states]
    x = 0.0
    [time]
    end = 3.0
    [derivatives]
    x = "1"
    [[locations]]
    name = "off"
    [[locations]]
    name = "on"
    [locations.derivatives]
    x = "-1"
    [[locations]]
    name = "other"
    [[edges]]
    name = "late"
    from = "off"
    to = "on"
    when = "x - 1"
    direction = "rising"
    delay = 0.5
    [[edges]]
    name = "escape"
    from = "off"
    to = "other"
    when = "x - LEVEL"
    direction = "rising"
  )toml";
  const auto with = [&](const std::string& level) {
    std::string text = model;
    text.replace(text.find("LEVEL"), 5, level);
    return run_text(text);
  };
  const Solution led = with("9");
  CHECK(led.final.location == "on");
  CHECK(led.final.state[0] == doctest::Approx(0));
  REQUIRE(of_kind(led, EventKind::transition).size() == 1);
  CHECK(of_kind(led, EventKind::transition)[0].t == doctest::Approx(1.5).epsilon(1e-14));
  const Solution left = with("1.25");
  CHECK(left.final.location == "other");
  CHECK(left.final.state[0] == doctest::Approx(3));
  CHECK(left.pending.empty());
}

TEST_CASE("a delayed edge is triggered once while its condition holds, whatever jumps in the meantime") {
  // Samples come while it is on its way; after an edge that leads back the guard is past zero already.
  const std::string model = R"toml(
    initial = "a"
    [states]
    x = 0.0
    [discrete]
    n = 0
    [time]
    end = 4.0
    [derivatives]
    x = "1"
    [[every]]
    period = 0.125
    set = { n = "n + 1" }
    [[locations]]
    name = "a"
    [[locations]]
    name = "b"
    [[locations]]
    name = "c"
    [[edges]]
    name = "late"
    from = "a"
    to = "b"
    when = "x - 1"
    direction = "rising"
    delay = 1
    values = "trigger"
    set = { x = "10*x" }
    [[edges]]
    name = "away"
    from = "a"
    to = "c"
    when = "n == 12"
    [[edges]]
    name = "back"
    from = "c"
    to = "a"
    when = "x - 1.75"
    direction = "rising"
  )toml";
  const Solution solution = run_text(model);
  REQUIRE(solution.outcome.succeeded());
  const std::vector<EventRecord> triggers = of_kind(solution, EventKind::record);
  REQUIRE(triggers.size() == 2);
  CHECK(triggers[0].t == doctest::Approx(1).epsilon(1e-14));
  CHECK(triggers[1].t == doctest::Approx(1.75).epsilon(1e-14));
  const std::vector<EventRecord> transitions = of_kind(solution, EventKind::transition);
  REQUIRE(transitions.size() == 3);
  CHECK(transitions[2].name == "late");
  CHECK(transitions[2].t == doctest::Approx(2.75).epsilon(1e-14));
  CHECK(solution.final.state[0] == doctest::Approx(17.5 + 1.25).epsilon(1e-12));
}

TEST_CASE("a run goes on where another one has ended, with what was on its way") {
  const ModelInstance instance = parse_model(R"toml(
    [states]
    x = 0.0
    [discrete]
    n = 0.0
    [time]
    end = 4.0
    [derivatives]
    x = "1"
    [[every]]
    period = 1
    set = { n = "n + 1" }
    [[resets]]
    when = "x - 1.5"
    direction = "rising"
    delay = 2
    set = { n = "n + 100" }
    values = "execution"
  )toml",
                                             "test.toml")
                                     .instantiate({});
  const Simulator simulator(instance.system);
  const Solution whole = simulator.run({.start = 0, .end = 4, .state = instance.state});
  const Solution first = simulator.run({.start = 0, .end = 2, .state = instance.state});
  CHECK(first.pending.size() == 1);
  const Solution second = simulator.run(
      {.start = 2, .end = 4, .state = first.final.state, .mode = first.final.mode, .pending = first.pending});
  CHECK(whole.final.state[1] == 105);
  CHECK(second.final.state[1] == 105);
}

TEST_CASE("a time event that sets no finite value ends the run and says which") {
  const Simulator simulator(held_plant().with_time_events(
      {{.name = "bad", .period = 1, .offset = 1, .reset = [](double, ConstVectorRef, VectorRef after) {
          after[1] = std::numeric_limits<double>::quiet_NaN();
        }}}));
  const Solution solution = simulator.run({.start = 0, .end = 3, .state = Eigen::Vector2d{1, 0}});
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(solution.outcome.t == 1);
  CHECK(solution.outcome.message.find("time event 'bad' sets state 'x2'") != std::string::npos);
}

TEST_CASE("time events that make no sense are refused") {
  const ResetFunction nothing = [](double, ConstVectorRef, VectorRef) {};
  const auto refused = [](TimeEvent event) {
    CHECK_THROWS_AS(held_plant().with_time_events({std::move(event)}), std::invalid_argument);
  };
  refused({.period = 1});
  refused({.period = 0, .reset = nothing});
  refused({.period = -1, .reset = nothing});
  refused({.period = 1, .count = -1, .reset = nothing});
  refused({.at = {1, 1}, .reset = nothing});
  refused({.period = 1, .at = {1}, .reset = nothing});
  CHECK_NOTHROW(held_plant().with_time_events({{.at = {1, 2}, .reset = nothing}}));
}
