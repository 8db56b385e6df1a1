// The messages of a run for callbacks that throw or leave things out, and for a start that contradicts itself.
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

struct PlainBlock {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - 0.4 * lambda[0];
  }
};

System block() {
  return from_functor(PlainBlock{}, {.states = 2, .surfaces = 1, .surface_names = {"stick"}});
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Forgetful {
  void field(auto, const auto& x, const auto&, auto&& dx) const { dx[0] = x[1]; }
};

struct Adding {
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = x[1];
    dx[1] += 1.0;
  }
};

}  // namespace

TEST_CASE("a derivative that the field does not set is named at the start") {
  for (const System& system :
       {from_functor(Forgetful{}, {.states = 2}), from_functor(Adding{}, {.states = 2})}) {
    const Solution solution = run(system, {1, 2}, 1);
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(has(solution.outcome.message, "does not set the derivative of 'x2'"));
  }
}

TEST_CASE("what a callback throws is told with the name of the callback") {
  const auto broken = [] { throw std::runtime_error("pump broke"); };
  const auto message = [](const System& system, const Options& options) {
    const Solution solution = run(system, {2, 0}, 20, options);
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(solution.trajectory.end() == solution.outcome.t);
    return solution.outcome.message;
  };
  CHECK(has(message(block().with_events(
                        {reset("refill", component(0, 1), Direction::any, [&](VectorRef) { broken(); })}),
                    {}),
            "reset 'refill' threw: pump broke"));
  Options watched;
  watched.on_event = [&](const EventRecord&) { broken(); };
  CHECK(has(message(block(), watched), "Options::on_event threw: pump broke"));
  Options stepped;
  stepped.on_step = [&](const StepView&) { throw 42; };
  CHECK(has(message(block(), stepped), "Options::on_step threw something that is no std::exception"));
  Contact wall = contact("wall", component(0), {{1, 1}}, 0);
  wall.restitution = [&](double) -> double {
    broken();
    return 0;
  };
  CHECK(
      has(message(block().with_contacts({wall}), {}), "the restitution of contact 'wall' threw: pump broke"));
  const Guard table([](double, ConstVectorRef x) -> double {
    if (x[0] < 1) throw std::out_of_range("the table ends");
    return x[0] - 0.5;
  });
  CHECK(has(message(block().with_events({record("level", table, Direction::any)}), {}),
            "the guard of event 'level', at t = "));
}

TEST_CASE("a mode to begin in that contradicts the state is refused") {
  const Simulator simulator(block());
  const auto told = [&](Vector state, const std::string& mode) {
    return refusal([&] { (void)simulator.run({.end = 1, .state = std::move(state), .mode = Mode(mode)}); });
  };
  CHECK(told(Eigen::Vector2d{2, 1}, "-") ==
        "Simulator::run, Run::mode \"-\": the state is not where the mode to begin in says (expected the "
        "guard of "
        "'stick' <= 0, got 1); leave Run::mode out to have it found");
  CHECK(has(told(Eigen::Vector2d{2, -1}, "+"), "'stick' >= 0, got -1"));
  CHECK(has(told(Eigen::Vector2d{0.1, 1e-3}, "0"), "along which it slides"));
  CHECK(told(Eigen::Vector2d{2, 1}, "+") == "nothing");
  // A state that was rounded to seven digits still lies on the surface.
  CHECK(told(Eigen::Vector2d{0.1, 1e-7}, "0") == "nothing");
}

TEST_CASE("a mode to begin in that contradicts a contact is refused") {
  const System ball = smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -9.8;
  });
  const Simulator simulator(ball.with_contacts({contact("floor", component(0), {{1, 1}}, 0.9)}));
  const auto told = [&](double height, const std::string& mode) {
    return refusal([&] {
      (void)simulator.run({.end = 1, .state = Eigen::Vector2d{height, 0}, .mode = Mode(mode)});
    });
  };
  CHECK(told(5, "0") ==
        "Simulator::run, Run::mode \"0\": the state is not where the mode to begin in says (expected contact "
        "'floor' closed, its gap at 0, got 5); leave Run::mode out to have it found");
  CHECK(
      told(5, "-") ==
      "Simulator::run, Run::mode \"-\": no contact is on the side '-' (expected '+' where contact 'floor' is "
      "open, or '0' where it is closed, got '-')");
  CHECK(told(5, "+") == "nothing");
  CHECK(told(0, "0") == "nothing");
  // Printed, and read again.
  CHECK(told(1e-7, "0") == "nothing");
}

TEST_CASE("a gap that throws is told by the run, with a mode to begin in and without") {
  Contact floor = contact("floor", component(0), {{1, 1}}, 0);
  floor.gap = Guard([](double, ConstVectorRef) -> double { throw std::runtime_error("no height"); });
  const Simulator simulator(block().with_contacts({floor}));
  for (const std::optional<Mode>& mode : {std::optional<Mode>(), std::optional<Mode>(Mode("+0"))}) {
    Solution solution;
    CHECK_NOTHROW(solution = simulator.run({.end = 1, .state = Eigen::Vector2d{5, 1}, .mode = mode}));
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(has(solution.outcome.message, "no height"));
  }
}

TEST_CASE("a run goes on from the state and mode in which another ended") {
  const Simulator simulator(block(), {.rtol = 1e-9, .atol = 1e-11});
  const Solution whole = simulator.run({.end = 20, .state = Eigen::Vector2d{3, 0.5}});
  std::size_t events = 0;
  Run piece{.end = 0.5, .state = Eigen::Vector2d{3, 0.5}};
  for (; piece.end <= 20; piece.end += 0.5) {
    const Solution solution = simulator.run(piece);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    events += solution.events.size();
    piece.start = solution.final.t;
    piece.state = solution.final.state;
    piece.mode = solution.final.mode;
  }
  CHECK(events == whole.events.size());
  CHECK(piece.mode == whole.final.mode);
  CHECK((piece.state - whole.final.state).norm() < 1e-7);
}

TEST_CASE("numbers too small for six decimals are told as they are") {
  const System resting = block().with_contacts({contact("wall", component(0), {{1, 1}}, 0)});
  const std::string told = refusal([&] { (void)run(resting, {-1e-7, 0}, 1); });
  CHECK(has(told, "got -1e-07"));
}

TEST_CASE("a tolerance beyond double precision is refused when the simulator is made") {
  CHECK(
      has(refusal([] { (void)Simulator(block(), {.rtol = 1e-15}); }), "[1e-14, 1), such as 1e-6, got 1e-15"));
}

TEST_CASE("a location of a system that has none is refused as such") {
  CHECK(refusal([] {
          (void)Simulator(block()).run({.end = 1, .state = Eigen::Vector2d{2, 0}, .location = "on"});
        }) == "Automaton: a system has no locations (expected no name, got 'on')");
}

TEST_CASE("the trajectory of a run that recorded nothing says so") {
  const Solution solution =
      Simulator(block(), {.recording = Recording::nothing}).run({.end = 1, .state = Eigen::Vector2d{2, 0}});
  CHECK(has(refusal([&] { (void)solution.trajectory(0.5); }), "Recording::nothing"));
}
