// An instant is one thing: whatever happens at it happens once, and all of it happens, whoever asks the run to go on there.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "slideway/simulate/live_run.hpp"
#include "test/simulate/hybrid.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr std::array<Method, 6> kMethods = {Method::automatic, Method::bdf,    Method::adams,
                                            Method::dopri5,    Method::dop853, Method::rodas};

struct Problem {
  Problem(const std::string& text, Method method, double rtol)
      : instance(parse_model(text, "test.toml").instantiate({})),
        simulator(instance.problem(), with(method, rtol)),
        run{.start = instance.start, .end = instance.end, .state = instance.state} {}
  ModelInstance instance;
  Simulator simulator;
  Run run;
};

// Kinds, names and times, without those of what only notes.
struct Acts {
  std::string story;
  std::vector<double> times;
};
Acts acts_of(const EventLog& events) {
  Acts acts;
  for (const EventRecord& event : events) {
    if (event.kind == EventKind::stop || event.kind == EventKind::record) continue;
    acts.story += std::string(to_string(event.kind)) + " " + event.name.value_or("") + ", ";
    acts.times.push_back(event.t);
  }
  return acts;
}
std::size_t noted(const EventLog& events) {
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [](const EventRecord& event) {
    return event.kind == EventKind::stop || event.kind == EventKind::record;
  }));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// A run with stops that goes on at each is the run with records in their place, by every way to go on.
void check_going_on(const std::string& text, double exactness = 1e-6) {
  for (const Method method : kMethods) {
    CAPTURE(std::string(to_string(method)));
    const Problem stops(text, method, 1e-9),
        records(replaced(text, "[[stops]]", "[[records]]"), method, 1e-9);
    const Solution whole = records.simulator.run(records.run);
    REQUIRE(whole.outcome.reached_end());
    const Acts expected = acts_of(whole.events);
    const auto agrees = [&](const EventLog& events, const Vector& state) {
      const Acts acts = acts_of(events);
      CHECK(acts.story == expected.story);
      CHECK(noted(events) == noted(whole.events));
      REQUIRE(acts.times.size() == expected.times.size());
      for (std::size_t k = 0; k < acts.times.size(); ++k)
        CHECK(std::abs(acts.times[k] - expected.times[k]) < exactness);
      CHECK((state - whole.final.state).lpNorm<Eigen::Infinity>() < exactness);
    };
    {
      INFO("a live run");
      LiveRun live(stops.simulator, stops.run);
      while (!live.advance_to(stops.run.end).reached_end()) REQUIRE(live.outcome().succeeded());
      agrees(live.events(), live.state());
    }
    {
      INFO("a live run that is asked for its own time");
      LiveRun live(stops.simulator, stops.run);
      while (!live.advance_to(live.t()).reached_end() || live.t() < stops.run.end) {
        if (live.outcome().reached_end()) live.advance_to(stops.run.end);
        REQUIRE(live.outcome().succeeded());
      }
      agrees(live.events(), live.state());
    }
    {
      INFO("a live run that is saved at its stops");
      LiveRun live(stops.simulator, stops.run);
      while (!live.advance_to(stops.run.end).reached_end()) {
        REQUIRE(live.outcome().succeeded());
        const SavedRun saved = live.save();
        live.advance_to(stops.run.end);
        live.restore(saved);
      }
      agrees(live.events(), live.state());
    }
    {
      INFO("another run from the end of the one before");
      EventLog events;
      Run run = stops.run;
      Solution part = stops.simulator.run(run);
      for (; !part.outcome.reached_end(); part = stops.simulator.run(run)) {
        REQUIRE(part.outcome.succeeded());
        for (const EventRecord& event : part.events) events.push_back(event);
        run.start = part.final.t;
        run.state = part.final.state;
        run.location = part.final.location;
        run.mode = part.final.mode;
        run.pending = part.pending;
        run.fired = part.fired;
      }
      for (const EventRecord& event : part.events) events.push_back(event);
      agrees(events, part.final.state);
    }
  }
}

const std::string kTick = R"toml(
  [states]
  x = 0.0
  [discrete]
  n = 0
  [time]
  end = 4.5
  [derivatives]
  x = "1"
  [[every]]
  name = "sample"
  period = 1
  set = { n = "n + 1" }
)toml";

}  // namespace

TEST_CASE("a record at the time of a time event is one record") {
  // The guard is zero at each sample, within its rounding.
  for (const char* const guard :
       {"sin(pi*x)", "x - 3", "0.1*x - 0.3", "x + 1e6 - 1000003", "exp(x) - exp(3)"}) {
    for (const char* const direction : {"any", "rising"}) {
      const std::string record = std::string("[[records]]\nname = \"seen\"\nwhen = \"") + guard +
                                 "\"\ndirection = \"" + direction + "\"\n";
      const bool all = std::string(guard) == "sin(pi*x)";
      const std::size_t expected = !all ? 1 : std::string(direction) == "any" ? 5 : 3;
      for (const Method method : kMethods) {
        for (const double rtol : {1e-4, 1e-8, 1e-12}) {
          CAPTURE(guard);
          CAPTURE(direction);
          CAPTURE(std::string(to_string(method)));
          CAPTURE(rtol);
          const Problem problem(kTick + record, method, rtol);
          const Solution solution = problem.simulator.run(problem.run);
          CHECK(count(solution, EventKind::record) == expected);
          CHECK(count(solution, EventKind::sample) == 5);
          LiveRun live(problem.simulator, problem.run);
          for (int k = 1; k <= 9; ++k) live.advance_to(0.5 * k);
          CHECK(live.solution().events.size() == solution.events.size());
        }
      }
    }
  }
}

TEST_CASE("a record is not told again by an input that is set at its instant") {
  for (const Method method : kMethods) {
    CAPTURE(std::string(to_string(method)));
    const Problem problem(kTick + "[[records]]\nname = \"seen\"\nwhen = \"sin(pi*x)\"\ndirection = \"any\"\n",
                          method, 1e-9);
    LiveRun live(problem.simulator, problem.run);
    for (int k = 1; k <= 4; ++k) {
      live.advance_to(k);
      live.set_discrete("n", 100.0 * k);
      live.advance_to(k);
    }
    live.advance_to(4.5);
    CHECK(noted(live.events()) == 5);
    CHECK(live.state()[1] == 400);
  }
}

TEST_CASE("a time event at the instant of a stop happens when the run goes on") {
  check_going_on(kTick + "[[stops]]\nname = \"halt\"\nwhen = \"x - 2\"\ndirection = \"rising\"\n");
  check_going_on(kTick + "[[stops]]\nname = \"halt\"\nwhen = \"sin(pi*x)\"\ndirection = \"any\"\n");
}

TEST_CASE("resets and delayed actions at the instant of a stop happen when the run goes on") {
  const std::string rest = R"toml(
    [[stops]]
    name = "halt"
    when = "x - 2"
    direction = "rising"
    [[resets]]
    name = "add"
    when = "x - 2"
    direction = "rising"
    set = { n = "10*n" }
    [[resets]]
    name = "late"
    when = "x - 1.25"
    direction = "rising"
    delay = 0.75
    set = { n = "n + 1000" }
    [[resets]]
    name = "trigger"
    when = "2*x - 4"
    direction = "rising"
    delay = 1
    values = "trigger"
    set = { n = "-n" }
  )toml";
  check_going_on(kTick + rest);
}

TEST_CASE("what a jump sets off beside a stop happens when the run goes on") {
  const std::string rest = R"toml(
    [[stops]]
    name = "halt"
    when = "n - 2.5"
    direction = "rising"
    [[resets]]
    name = "back"
    when = "n - 2.75"
    direction = "rising"
    set = { x = "x - 1" }
  )toml";
  check_going_on(kTick + rest);
}

TEST_CASE("an impact, a crossing and an edge at the instant of a stop happen when the run goes on") {
  const std::string ball = R"toml(
    [states]
    y = 1.0
    v = 0.0
    [time]
    end = 2.0
    [derivatives]
    y = "v"
    v = "-9.81"
    [[contacts]]
    name = "floor"
    gap = "y"
    acts_on = { v = "1" }
    restitution = "0.8"
    [[stops]]
    name = "hit"
    when = "y"
    direction = "falling"
  )toml";
  check_going_on(ball, 1e-5);
  const std::string edges = R"toml(
    initial = "up"
    [states]
    x = 0.0
    [time]
    end = 5.0
    [[locations]]
    name = "up"
    [locations.derivatives]
    x = "1"
    [[locations]]
    name = "down"
    [locations.derivatives]
    x = "-1"
    [[edges]]
    name = "turn"
    from = "up"
    to = "down"
    when = "x - 1"
    direction = "rising"
    [[edges]]
    name = "back"
    from = "down"
    to = "up"
    when = "x"
    direction = "falling"
    [[stops]]
    name = "top"
    when = "x - 1"
    direction = "rising"
  )toml";
  check_going_on(edges);
}

TEST_CASE("an input that is set at a stop acts before the rest of its instant, which acts all the same") {
  const std::string text = replaced(kTick, "n + 1", "2*n + 1") +
                           "[[stops]]\nname = \"halt\"\nwhen = \"x - 2\"\ndirection = \"rising\"\n";
  for (const Method method : kMethods) {
    CAPTURE(std::string(to_string(method)));
    const Problem problem(text, method, 1e-9);
    LiveRun live(problem.simulator, problem.run);
    CHECK(live.advance_to(4.5).status == Status::stopped_by_event);
    CHECK(live.state()[1] == 3);
    live.set_discrete("n", 10);
    live.advance_to(live.t());
    CHECK(live.state()[1] == 21);
    live.advance_to(4.5);
    CHECK(live.state()[1] == 87);
  }
}

TEST_CASE("a solution tells what a stop has left undone") {
  const Problem problem(
      kTick + "[[stops]]\nname = \"halt\"\nwhen = \"x - 2\"\ndirection = \"rising\"\n" +
          "[[resets]]\nname = \"add\"\nwhen = \"x - 2\"\ndirection = \"rising\"\nset = { n = \"0\" }\n",
      Method::automatic, 1e-9);
  const Solution solution = problem.simulator.run(problem.run);
  REQUIRE(solution.pending.size() == 2);
  CHECK(solution.pending[0].by == BroughtBy::crossing);
  CHECK(solution.pending[1].by == BroughtBy::clock);
  CHECK(solution.pending[1].t == 2);
  CHECK(solution.fired.size() == 2);
}
