// Runs that their callers drive: pieces of a run, what is set between them, and ways back.
#include "slideway/simulate/live_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/registry.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/json.hpp"
#include "slideway/model/from_functor.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;

namespace {

constexpr std::array<Method, 6> kEveryMethod = {Method::automatic, Method::bdf,    Method::adams,
                                                Method::dopri5,    Method::dop853, Method::rodas};

struct Followed {
  explicit Followed(const std::string& name, Method method = Method::automatic, double end = 0)
      : model(name.ends_with(".toml")
                  ? read_model_file(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/" + name)
              : name.find('\n') != std::string::npos ? parse_model(name, "test.toml")
                                                     : models::find_model(name)),
        instance(model.instantiate({})),
        simulator(instance.problem(), {.method = method}) {
    if (end > 0) instance.end = end;
  }
  Run run() const { return {.start = instance.start, .end = instance.end, .state = instance.state}; }
  // documents() returns the CSV and the JSON of a run. It leaves the statistics out, since a call of state() costs evaluations of the field.
  std::string documents(Solution solution) const {
    solution.statistics = {};
    std::ostringstream text;
    const RunReport report{.model = model.name, .instance = instance, .solution = solution};
    write_csv(report, text, {});
    write_json(report, text, {});
    return text.str();
  }
  Model model;
  ModelInstance instance;
  Simulator simulator;
};

// The k-th of irregular parts of 1: some are far shorter than a step, and some far longer.
double part_of_run(int k) {
  const double uneven = std::fmod(0.6180339887498949 * k, 1.0);
  return uneven * uneven * uneven * 0.2 + 1e-7;
}

// x' = u − x, where u is the last state, and discrete.
System held_plant() {
  return from_functor([](auto, const auto& x, const auto&, auto&& dx) { dx[0] = x[1] - x[0]; },
                      {.states = 2, .surfaces = 0, .discrete = 1});
}

// A block: v' = u − sgn(v), where u is discrete. It sticks while |u| <= 1.
struct Block {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const { dx[0] = x[1] - lambda[0]; }
};
System driven_block() { return from_functor(Block{}, {.states = 2, .surfaces = 1, .discrete = 1}); }

// x' = sgn(x): from 0 there are two motions.
struct Parting {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0]; }
};

// A ball on the floor: y' = v, v' = −9.81, thrown back with 0.8 of its speed.
const std::string kBall =
    "[states]\ny = 1.0\nv = 0.0\n[time]\nend = 1.5\n[derivatives]\ny = \"v\"\nv = \"-9.81\"\n"
    "[[resets]]\nname = \"floor\"\nwhen = \"y\"\ndirection = \"falling\"\nset = { v = \"-0.8*v\" }\n";

}  // namespace

TEST_CASE("pieces of a run are the run, bit for bit") {
  const auto check = [](const std::string& name, Method method, double end) {
    CAPTURE(name);
    CAPTURE(std::string(to_string(method)));
    const Followed followed(name, method, end);
    const Run run = followed.run();
    const Solution whole = followed.simulator.run(run);
    // A run that ends before its end is compared in its events and its state: finish() would go on.
    const auto agrees = [&](LiveRun& live) {
      const bool is_at_end = whole.outcome.reached_end();
      CHECK(live.outcome().status == whole.outcome.status);
      const Solution pieces = is_at_end ? live.finish() : live.solution();
      CHECK(pieces.final.state == whole.final.state);
      CHECK(pieces.events.size() == whole.events.size());
      CHECK(pieces.trajectory.steps() == whole.trajectory.steps());
      if (is_at_end) CHECK((followed.documents(pieces) == followed.documents(whole)));
    };

    LiveRun live(followed.simulator, run);
    for (int k = 1; live.t() < run.end && live.outcome().reached_end(); ++k) {
      live.advance_to(std::min(run.end, live.t() + part_of_run(k) * (run.end - run.start)));
      CHECK(live.state().allFinite());
    }
    agrees(live);

    LiveRun by_events(followed.simulator, run);
    std::size_t seen = 0;
    for (int k = 1; by_events.t() < run.end && by_events.outcome().reached_end(); ++k) {
      const EventRecord* const event = by_events.next_event(run.end);
      if (!event) break;
      CHECK(event == &by_events.events()[seen]);
      CHECK(event->t <= by_events.t());
      seen = by_events.events().size();
      if (k % 50 == 1) CHECK(by_events.solution().events.size() == seen);
    }
    agrees(by_events);
  };
  for (const Method method : kEveryMethod) {
    check("dry-friction", method, 40);
    check(kBall, method, 1.5);
  }
  // Contacts, locations, samples, delays, friction in a plane, accumulations and sliding of second order.
  for (const std::string name :
       {"bouncing_ball", "newtons_cradle", "car_gearbox", "digital_pid", "delayed_relay", "cue_ball",
        "fuller", "twisting", "thermostats", "izhikevich", "woodpecker", "sampled_pwm", "relay_feedback"}) {
    check(name + ".toml", Method::automatic, 0);
  }
  for (const Method method : {Method::bdf, Method::dopri5, Method::rodas})
    check("stacked_boxes.toml", method, 0);
}

TEST_CASE("a live run that goes from event to event stops at the limit of bounces, too") {
  for (const std::string name : {"bouncing_ball.toml", "rocking_block.toml", "filippov_spiral.toml"}) {
    CAPTURE(name);
    const Followed followed(name, Method::automatic);
    const Run run = followed.run();
    const Solution whole = followed.simulator.run(run);
    std::set<double> times;
    bool has_limit = false;
    for (const EventRecord& event : whole.events) {
      times.insert(event.t);
      has_limit = has_limit || event.kind == EventKind::zeno;
    }
    CHECK(has_limit);
    LiveRun live(followed.simulator, run);
    std::size_t stops = 0;
    while (live.next_event(run.end) != nullptr) {
      ++stops;
      CHECK(live.events().back().t <= live.t());
      // Several events of one series may be one instant, up to rounding.
      CHECK(live.t() - live.events().back().t <= 1e-9 * run.end);
    }
    CHECK(stops <= times.size());
    CHECK(live.events().size() == whole.events.size());
    // The run restores what it saved at the limit, and comes to the same end.
    LiveRun other(followed.simulator, run);
    while (const EventRecord* const event = other.next_event(run.end)) {
      if (event->kind != EventKind::zeno) continue;
      const SavedRun saved = other.save();
      other.advance_to(run.end);
      const Vector end = other.state();
      other.restore(saved);
      other.advance_to(run.end);
      CHECK(other.state() == end);
      break;
    }
  }
}

TEST_CASE("an event at the end of an advance happens once") {
  // x = 1 − t comes to its surface at 1.
  const System falling =
      from_functor([](auto, const auto&, const auto&, auto&& dx) { dx[0] = -1; },
                   [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
  const Simulator simulator(falling);
  for (const double t : {1.0, std::nextafter(1.0, 0.0), std::nextafter(1.0, 2.0)}) {
    LiveRun live(simulator, {.start = 0, .end = 3, .state = Vector{{1}}});
    CHECK(live.advance_to(t).reached_end());
    CHECK(live.t() == t);
    CHECK(live.state()[0] == doctest::Approx(0).epsilon(1e-12));
    live.advance_to(t);
    live.advance_to(2);
    CHECK(live.events().size() == 1);
    CHECK(live.mode().word() == "-");
  }
}

TEST_CASE("an input that is set where a ball comes to the floor lets it bounce once") {
  const std::string states =
      "[states]\ny = 1.0\nv = 0.0\n[discrete]\nu = 0\n[time]\nend = 1.5\n[derivatives]\ny = \"v\"\n"
      "v = \"u - 9.81\"\n";
  const std::string reset = "[[resets]]\nwhen = \"y\"\ndirection = \"falling\"\nset = { v = \"-0.8*v\" }\n";
  const std::string contact =
      "[[contacts]]\nname = \"floor\"\ngap = \"y\"\nacts_on = { v = 1 }\nrestitution = 0.8\n";
  const double landing = std::sqrt(2 / 9.81);
  for (const std::string& floor : {reset, contact}) {
    CAPTURE(floor);
    for (const Method method : kEveryMethod) {
      CAPTURE(std::string(to_string(method)));
      const Followed followed(states + floor, method);
      for (const double t : {landing, std::nextafter(landing, 0.0), std::nextafter(landing, 1.0),
                             landing * (1 - 1e-13), landing * (1 + 1e-13)}) {
        CAPTURE(t - landing);
        LiveRun live(followed.simulator, followed.run());
        live.advance_to(t);
        live.set_discrete("u", 0.81);
        CHECK(live.advance_to(1).reached_end());
        std::size_t bounces = 0;
        for (const EventRecord& event : live.events())
          bounces += event.kind == EventKind::reset || event.kind == EventKind::impact ? 1 : 0;
        CHECK(bounces == 1);
        // It falls by 9 from there on.
        const double after = 1 - landing, up = 0.8 * 9.81 * landing;
        CHECK(live.state()[0] == doctest::Approx(up * after - 4.5 * after * after).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("inputs that are set between steps act as samples do") {
  const int count = 200;
  const double period = 0.01;
  const auto input = [](int k) { return std::sin(0.3 * k); };
  for (const Method method : kEveryMethod) {
    CAPTURE(std::string(to_string(method)));
    const Simulator simulator(held_plant(), {.rtol = 1e-9, .method = method});
    LiveRun live(simulator, {.start = 0, .end = count * period, .state = Vector{{1, 0}}});
    double exact = 1;
    for (int k = 0; k < count; ++k) {
      live.set_discrete(1, input(k));
      CHECK(live.advance_to((k + 1) * period).reached_end());
      exact = input(k) + (exact - input(k)) * std::exp(-period);
      CHECK(live.state()[0] == doctest::Approx(exact).epsilon(1e-7));
    }
    CHECK(live.events().empty());
  }
}

TEST_CASE("inputs cost no more evaluations than samples of one run") {
  const double period = 1e-3;
  const int count = 2000;
  const auto input = [](double k) { return 0.8 * std::sin(2e-3 * k); };
  for (const Method method : kEveryMethod) {
    CAPTURE(std::string(to_string(method)));
    const Options options{.method = method, .recording = Recording::nothing};
    const System sampled = driven_block().with_time_events(
        {{.name = "sample", .period = period, .reset = [&](double t, ConstVectorRef, VectorRef after) {
            after[1] = input(std::round(t / period));
          }}});
    const Run run{.start = 0, .end = count * period, .state = Vector{{0.5, 0}}};
    const Solution one = Simulator(sampled, options).run(run);
    LiveRun live(Simulator(driven_block(), options), run);
    for (int k = 0; k < count; ++k) {
      live.set_discrete(1, input(k));
      live.advance_to((k + 1) * period);
    }
    const Solution driven = live.solution();
    CHECK(std::abs(driven.final.state[0] - one.final.state[0]) < 1e-6);
    CHECK(driven.statistics.field_evaluations <= 1.3 * static_cast<double>(one.statistics.field_evaluations));
    CHECK(driven.statistics.steps <= one.statistics.steps + 10);
  }
}

TEST_CASE("what is set changes the mode as a time event would") {
  for (const Method method : kEveryMethod) {
    CAPTURE(std::string(to_string(method)));
    const Simulator simulator(driven_block(), {.method = method});
    LiveRun live(simulator, {.start = 0, .end = 10, .state = Vector{{1, 0}}});
    // It comes to rest at 1.
    live.advance_to(2);
    CHECK(live.mode().word() == "0");
    live.set_discrete(1, 0.9);
    live.advance_to(3);
    CHECK(live.mode().word() == "0");
    CHECK(std::abs(live.state()[0]) < 1e-12);
    live.set_discrete(1, 3);
    live.advance_to(3);
    CHECK(live.mode().word() == "+");
    CHECK(live.events().back().t == 3);
    CHECK(live.events().back().kind == EventKind::sample);
    live.advance_to(4);
    CHECK(live.state()[0] == doctest::Approx(2));
    // A state on the surface is settled as a start is.
    live.set_state(Vector{{0, -0.5}});
    live.advance_to(5);
    CHECK(live.mode().word() == "0");
    live.set_state(Vector{{-1, -0.5}});
    live.advance_to(5);
    CHECK(live.mode().word() == "-");
    live.advance_to(8);
    // v' = 0.5 up to v = 0 at 7.
    CHECK(live.mode().word() == "0");
    CHECK(live.events().back().t == doctest::Approx(7));
  }
}

TEST_CASE("what has not changed changes no mode") {
  // A rod that sticks at its tip, a mass that stays where it slid in second order, and relays.
  for (const std::string name : {"falling_rod", "terminal_sliding", "leine_belt", "twisting"}) {
    CAPTURE(name);
    const Followed followed(name + ".toml");
    const Run run = followed.run();
    const Solution whole = followed.simulator.run(run);
    LiveRun live(followed.simulator, run);
    for (int k = 1; k <= 40 && live.outcome().reached_end(); ++k) {
      live.advance_to(run.start + (run.end - run.start) * k / 40);
      live.field_changed();
    }
    CHECK(live.outcome().status == whole.outcome.status);
    CHECK((live.state() - whole.final.state).norm() < 1e-4);
    const auto is_given = [](const EventRecord& event) { return event.kind == EventKind::sample; };
    CHECK(std::none_of(live.events().begin(), live.events().end(), is_given));
  }
}

TEST_CASE("a parameter behind a pointer may change between advances") {
  const auto rate = std::make_shared<double>(1);
  const System growth =
      from_functor([rate](auto, const auto& x, const auto&, auto&& dx) { dx[0] = *rate * x[0]; },
                   {.states = 1, .surfaces = 0});
  LiveRun live(Simulator(growth, {.rtol = 1e-10}), {.start = 0, .end = 2, .state = Vector{{1}}});
  live.advance_to(1);
  *rate = -1;
  live.field_changed();
  live.advance_to(2);
  CHECK(live.state()[0] == doctest::Approx(1).epsilon(1e-8));
}

TEST_CASE("a run goes on after a stop") {
  const std::string stopped = kBall + "[[stops]]\nname = \"up\"\nwhen = \"v\"\ndirection = \"falling\"\n";
  const Followed without(kBall), with(stopped);
  const Solution whole = without.simulator.run(without.run());
  LiveRun live(with.simulator, with.run());
  // The ball begins to fall at 0, which is a stop, and turns once after each of its bounces, at √(2/9.81)(1 + 0.8) and 1.46.
  CHECK(live.outcome().status == Status::stopped_by_event);
  int stops = 1;
  while (live.advance_to(1.5).status == Status::stopped_by_event) ++stops;
  CHECK(stops == 3);
  CHECK(live.outcome().reached_end());
  CHECK(live.t() == 1.5);
  CHECK((live.state() - whole.final.state).norm() < 1e-6);
  CHECK(live.solution().events.size() == whole.events.size() + static_cast<std::size_t>(stops));
}

TEST_CASE("where the motion is not unique the caller chooses it") {
  const Simulator simulator(from_functor(Parting{}, {.states = 1, .surfaces = 1}));
  LiveRun live(simulator, {.start = 0, .end = 2, .state = Vector{{0}}});
  CHECK(live.outcome().status == Status::ambiguous);
  CHECK(live.advance_to(1).status == Status::ambiguous);
  CHECK(live.t() == 0);
  for (const std::string word : {"+", "-", "0"}) {
    LiveRun chosen(simulator, {.start = 0, .end = 2, .state = Vector{{0}}});
    chosen.follow(Mode(word));
    CHECK(chosen.advance_to(1).reached_end());
    CHECK(chosen.state()[0] == doctest::Approx(word == "+" ? 1 : word == "-" ? -1 : 0));
  }
  live.set_state(Vector{{-0.5}});
  CHECK(live.advance_to(1).reached_end());
  CHECK(live.state()[0] == doctest::Approx(-1.5));
}

TEST_CASE("a run goes back to what it saved, and another one goes there") {
  for (const Method method : kEveryMethod) {
    CAPTURE(std::string(to_string(method)));
    const Simulator simulator(driven_block(), {.method = method});
    const Run run{.start = 0, .end = 10, .state = Vector{{1, 0.2}}};
    const auto drive = [](LiveRun& live) {
      for (int k = 0; k < 8; ++k) {
        live.set_discrete(1, 2 * std::sin(1.7 * k));
        live.advance_to(live.t() + 0.37);
      }
      return live.solution();
    };
    LiveRun live(simulator, run);
    live.advance_to(0.3);
    live.set_discrete(1, -0.3);
    live.advance_to(0.9);
    const SavedRun saved = live.save();
    CHECK(saved.t() == 0.9);
    const Solution first = drive(live);
    live.restore(saved);
    CHECK(live.t() == 0.9);
    CHECK(live.events().size() < first.events.size());
    const Solution again = drive(live);
    CHECK(again.final.state == first.final.state);
    CHECK(again.events.size() == first.events.size());
    CHECK(again.trajectory.steps() == first.trajectory.steps());
    CHECK(again.trajectory.start() == 0);
    for (const double t : {0.2, 0.85, 1.0, 2.0, 3.1}) CHECK(again.trajectory(t) == first.trajectory(t));

    // The record of another run begins where it was saved.
    LiveRun other(Simulator(driven_block(), {.method = method}),
                  {.start = 0, .end = 5, .state = Vector{{5, 0}}});
    other.advance_to(2);
    other.restore(saved);
    const Solution elsewhere = drive(other);
    CHECK(elsewhere.final.state == first.final.state);
    CHECK(elsewhere.initial.t == 0.9);
    CHECK(elsewhere.trajectory.start() == 0.9);
    CHECK(elsewhere.trajectory(2.0) == first.trajectory(2.0));
  }
}

TEST_CASE("saved pieces of models with delays, samples, contacts and locations go on as they were saved") {
  for (const std::string name :
       {"bouncing_ball", "newtons_cradle", "car_gearbox", "digital_pid", "delayed_relay", "cue_ball",
        "fuller", "twisting", "thermostats", "terminal_sliding"}) {
    CAPTURE(name);
    const Followed followed(name + ".toml");
    const Run run = followed.run();
    LiveRun live(followed.simulator, run);
    for (int k = 1; k < 12 && live.t() < run.end && live.outcome().succeeded(); ++k) {
      live.advance_to(std::min(run.end, live.t() + part_of_run(k) * (run.end - run.start)));
      const SavedRun saved = live.save();
      LiveRun other(followed.simulator, run);
      other.restore(saved);
      const double end = std::min(run.end, live.t() + 0.1 * (run.end - run.start));
      live.advance_to(end);
      other.advance_to(end);
      CHECK(other.state() == live.state());
      CHECK(other.mode().word() == live.mode().word());
      live.restore(saved);
    }
  }
}

TEST_CASE("two runs of one simulator know nothing of each other") {
  const Simulator simulator(driven_block());
  LiveRun one(simulator, {.start = 0, .end = 4, .state = Vector{{1, 0}}});
  LiveRun other(simulator, {.start = 0, .end = 4, .state = Vector{{-2, 0.5}}});
  for (double t = 0; t < 4; t += 0.25) {
    one.advance_to(t);
    other.advance_to(t);
  }
  one.advance_to(4);
  other.advance_to(4);
  CHECK(one.events().front().t == doctest::Approx(1));
  CHECK(other.events().front().t == doctest::Approx(2 / 1.5));
}

TEST_CASE("misuse of a live run is refused with words") {
  const Simulator simulator(driven_block());
  LiveRun live(simulator, {.start = 0, .end = 4, .state = Vector{{1, 0}}});
  live.advance_to(1.5);
  CHECK_THROWS_WITH_AS(live.advance_to(1), doctest::Contains("a run does not go back"),
                       std::invalid_argument);
  CHECK_THROWS_AS(live.advance_to(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  CHECK_THROWS_AS(live.next_event(std::numeric_limits<double>::infinity()), std::invalid_argument);
  CHECK_THROWS_WITH_AS(live.set_discrete(0, 1), doctest::Contains("no discrete state"),
                       std::invalid_argument);
  CHECK_THROWS_AS(live.set_discrete("what", 1), std::invalid_argument);
  CHECK_THROWS_AS(live.set_discrete(1, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  CHECK_THROWS_AS(live.set_state(Vector{{1}}), std::invalid_argument);
  CHECK_THROWS_AS(live.follow(Mode("+-")), std::invalid_argument);
  // Nothing of that has changed the run.
  CHECK(live.advance_to(1.5).reached_end());
  CHECK(live.t() == 1.5);
  LiveRun moved = std::move(live);
  CHECK_THROWS_WITH_AS(live.advance_to(2), doctest::Contains("moved from"), std::invalid_argument);
  CHECK(moved.advance_to(2).reached_end());
  Options with_derivatives;
  with_derivatives.sensitivities = by_initial_values(held_plant(), {"x1"});
  CHECK_THROWS_WITH_AS(
      LiveRun(Simulator(held_plant(), with_derivatives), {.start = 0, .end = 1, .state = Vector{{1, 0}}}),
      doctest::Contains("no sensitivities"), std::invalid_argument);
}

TEST_CASE("a user function without a value ends a live run until a state is set") {
  const System root = from_functor(
      [](auto, const auto& x, const auto&, auto&& dx) {
        using std::sqrt;
        dx[0] = -1 + 0 * sqrt(x[0]);
      },
      {.states = 1, .surfaces = 0});
  LiveRun live(Simulator(root), {.start = 0, .end = 4, .state = Vector{{1}}});
  const Outcome& ended = live.advance_to(2);
  CHECK(!ended.succeeded());
  CHECK(ended.t == doctest::Approx(1).epsilon(1e-3));
  const double t = live.t();
  CHECK(!live.advance_to(2).succeeded());
  CHECK(live.t() == t);
  live.set_state(Vector{{5}});
  CHECK(live.advance_to(2).reached_end());
  CHECK(live.state()[0] == doctest::Approx(5 - (2 - t)));
}

TEST_CASE("a callback stops a run, and a live one goes on") {
  Options options;
  int events = 0;
  options.on_event = [&](const EventRecord&) { return ++events == 3 ? Answer::stop : Answer::go_on; };
  const ModelInstance instance = parse_model(kBall, "test.toml").instantiate({});
  const Run run{.start = 0, .end = 1.5, .state = instance.state};
  const Solution stopped =
      Simulator(instance.problem(), options).run({.start = 0, .end = 5, .state = instance.state});
  CHECK(stopped.outcome.status == Status::stopped_by_caller);
  CHECK(stopped.outcome.message == "the run was stopped by its caller");
  CHECK(stopped.events.size() == 3);
  CHECK(stopped.final.t == stopped.events.back().t);

  options.on_event = {};
  options.on_step = [](const StepView& step) { return step.end > 0.7 ? Answer::stop : Answer::go_on; };
  LiveRun live = Simulator(instance.problem(), options).begin(run);
  CHECK(live.advance_to(1.5).status == Status::stopped_by_caller);
  CHECK(live.t() > 0.7);
  CHECK(live.t() < 1.5);
  CHECK(live.outcome().t == live.t());
  int advances = 1;
  while (!live.advance_to(1.5).reached_end()) ++advances;
  CHECK(advances > 1);
  const Solution whole = Simulator(instance.problem()).run(run);
  CHECK((live.state() - whole.final.state).norm() < 1e-5);
}

TEST_CASE("another thread cancels a run") {
  const System turning = from_functor(
      [](auto, const auto& x, const auto&, auto&& dx) {
        dx[0] = x[1];
        dx[1] = -x[0];
      },
      {.states = 2, .surfaces = 0});
  std::atomic<bool> has_begun = false;
  Options options{.recording = Recording::nothing};
  options.on_step = [&](const StepView&) { has_begun = true; };
  LiveRun live(Simulator(turning, options), {.start = 0, .end = 1e9, .state = Vector{{1, 0}}});
  std::thread other([&] {
    while (!has_begun) std::this_thread::yield();
    live.cancel();
  });
  CHECK(live.advance_to(1e9).status == Status::stopped_by_caller);
  other.join();
  CHECK(live.outcome().message == "the run was cancelled");
  CHECK(live.t() < 1e9);
  // It is asked for once.
  CHECK(live.advance_to(live.t() + 1).reached_end());
}

TEST_CASE("a live run goes beyond its end, and its record can be taken") {
  const Simulator simulator(driven_block());
  LiveRun live(simulator, {.start = 0, .end = 0, .state = Vector{{1, 0}}});
  for (int k = 1; k <= 40; ++k) {
    live.set_discrete("x2", k % 8 < 4 ? 2.0 : -2.0);
    CHECK(live.advance_to(0.1 * k).reached_end());
  }
  const double before = live.state()[0];
  const Solution first = live.take();
  CHECK(first.trajectory.start() == 0);
  CHECK(first.trajectory.end() == live.t());
  CHECK(first.trajectory(live.t())[0] == doctest::Approx(before));
  CHECK(live.events().empty());
  live.advance_to(5);
  const Solution second = live.take();
  CHECK(second.trajectory.start() == first.trajectory.end());
  CHECK(second.initial.state == first.final.state);
  CHECK(second.trajectory(second.trajectory.start())[0] == doctest::Approx(before));
}

TEST_CASE("what is due at a known time happens once, whatever is set there") {
  const std::string counter =
      "[states]\nx = 0\n[discrete]\nn = 0\nu = 0\n[time]\nend = 1\n[derivatives]\nx = \"u\"\n"
      "[[every]]\nname = \"tick\"\nperiod = 0.1\nset = { n = \"n + 1\" }\n";
  const Followed followed(counter);
  LiveRun live(followed.simulator, followed.run());
  const std::vector<std::string>& names = followed.simulator.system().state_names();
  const auto n = static_cast<Index>(std::find(names.begin(), names.end(), "n") - names.begin());
  for (int k = 1; k <= 10; ++k) {
    live.advance_to(0.1 * k);
    if (k % 3 == 0) live.set_discrete("u", k);
    if (k % 3 == 1) live.set_state(live.state());
  }
  live.advance_to(1);
  CHECK(live.state()[n] == followed.simulator.run(followed.run()).final.state[n]);
}

TEST_CASE("an event fires once at an instant, however often an input or the state is set there") {
  // x = t. The record, the stop and the resets are due at t = 1, and the counter ticks then.
  const std::string clock =
      "[states]\nx = 0\n[discrete]\nn = 0\nk = 0\nu = 0\n[time]\nend = 3\n[derivatives]\nx = \"1\"\n"
      "[[every]]\nname = \"tick\"\nperiod = 1\nset = { k = \"k + 1\" }\n";
  const std::string passes = "[[records]]\nname = \"passes\"\nwhen = \"x > 1\"\n";
  const std::string counts = "[[resets]]\nname = \"counts\"\nwhen = \"x > 1\"\nset = { n = \"n + 1\" }\n";
  const std::string idle = "[[resets]]\nname = \"idle\"\nwhen = \"x > 1\"\nset = { n = \"n\" }\n";
  const std::string stops = "[[stops]]\nname = \"stops\"\nwhen = \"x > 1\"\n";
  enum class Sets { input, state, both };
  for (const std::string& events :
       {passes, counts, idle, stops, passes + counts, passes + stops, idle + counts + passes}) {
    for (const Sets sets : {Sets::input, Sets::state, Sets::both}) {
      for (const Method method : {Method::automatic, Method::bdf, Method::rodas}) {
        CAPTURE(events);
        CAPTURE(static_cast<int>(sets));
        const Followed followed(clock + events, method);
        Run run = followed.run();
        LiveRun live(followed.simulator, run);
        int asked = 0;
        while (live.t() < 3 && ++asked < 50) {
          live.next_event(3);
          if (sets != Sets::state) live.set_discrete("u", 0.1 * asked);
          if (sets != Sets::input) live.set_state(live.state());
        }
        const auto count = [&](const std::string& name) {
          return std::count_if(live.events().begin(), live.events().end(), [&](const EventRecord& event) {
            return event.name == name && std::abs(event.t - 1) < 1e-9;
          });
        };
        CHECK(asked < 10);
        for (const char* const name : {"passes", "counts", "idle", "stops"}) {
          CAPTURE(name);
          CHECK(count(name) == (events.find("\"" + std::string(name) + "\"") != std::string::npos ? 1 : 0));
        }
        if (events.find("stops") == std::string::npos) CHECK(count("tick") == 1);
      }
    }
  }
}

TEST_CASE("an input that turns a condition true fires its event, and again where it was false in between") {
  const std::string switched =
      "[states]\nx = 0\n[discrete]\nn = 0\nu = 0\n[time]\nend = 3\n[derivatives]\nx = \"1\"\n"
      "[[records]]\nname = \"above\"\nwhen = \"x + u > 1\"\n"
      "[[resets]]\nname = \"counts\"\nwhen = \"u > 0.5\"\nset = { n = \"n + 1\" }\n";
  const Followed followed(switched);
  LiveRun live(followed.simulator, followed.run());
  const auto count = [&](const std::string& name) {
    return std::count_if(live.events().begin(), live.events().end(),
                         [&](const EventRecord& event) { return event.name == name; });
  };
  const auto set = [&](double u) {
    live.set_discrete("u", u);
    live.advance_to(live.t());
  };
  live.advance_to(0.25);
  set(0.5);
  CHECK(count("above") == 0);
  set(0.9);
  CHECK(count("above") == 1);
  CHECK(count("counts") == 1);
  set(0.95);
  CHECK(count("above") == 1);
  CHECK(count("counts") == 1);
  set(0);
  set(0.9);
  CHECK(count("above") == 2);
  CHECK(count("counts") == 2);
  // It comes to zero, and the motion goes on through it: 0.25 + 0.75 = 1, all of them numbers of double precision.
  set(0);
  set(0.75);
  CHECK(count("above") == 3);
  set(0.75);
  set(0.75);
  CHECK(count("above") == 3);
  CHECK(count("counts") == 3);
  live.advance_to(1.125);
  set(-0.25);
  live.advance_to(3);
  // x + u comes back to 1 at x = 1.25.
  CHECK(count("above") == 4);
  CHECK(live.events().back().t == doctest::Approx(1.25));
}
