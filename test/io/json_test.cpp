#include "slideway/io/json.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/io/sample_run.hpp"

using namespace slideway;
using Json = nlohmann::ordered_json;

namespace {

Json written(const ModelInstance& instance, const Solution& solution, const JsonOptions& options = {}) {
  std::ostringstream out;
  write_json({.model = "block", .instance = instance, .solution = solution}, out, options);
  return Json::parse(out.str());
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

using Names = std::vector<std::string>;

System of_size(Index states, Index surfaces) {
  SystemDefinition definition;
  definition.states = states;
  definition.surfaces = surfaces;
  definition.field = [](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx.setZero(); };
  definition.guards = [](double, ConstVectorRef, VectorRef h) { h.setOnes(); };
  return System(definition);
}

// One crossing of surface 3 in a system of any size.
Solution one_crossing(Index states, Index surfaces) {
  Mode from(surfaces);
  from.set(3, Side::minus);
  EventRecord event;
  event.t = 0.5;
  event.surfaces = {3};
  event.surface_names = {"h4"};
  event.from = from;
  event.to = Mode(surfaces);
  event.w_minus = event.w_plus = {1};
  event.lambda = {std::nan("")};
  event.before = event.after = Vector::Zero(states);
  Solution solution;
  solution.events = {event};
  solution.initial = {0, from, Vector::Zero(states)};
  solution.final = {1, Mode(surfaces), Vector::Zero(states)};
  return solution;
}

ModelInstance instance_of_size(Index states, Index surfaces) {
  return {.system = of_size(states, surfaces),
          .parameters = {},
          .start = 0,
          .end = 1,
          .state = Vector::Zero(states)};
}

}  // namespace

TEST_CASE("a run document has the members of the schema in their order") {
  const Json document = written(test::block_instance(), test::block_solution());
  CHECK(keys(document) == Names{"schema", "model", "parameters", "outcome", "initial", "final", "events",
                                "statistics", "warnings"});
  CHECK(document["warnings"] == Json::array());
  CHECK(document["schema"] == "slideway.run/1");
  CHECK(document["model"] == "block");
  CHECK(document["parameters"]["mu"].get<double>() == 0.1);
  CHECK(keys(document["outcome"]) == Names{"status", "t", "message"});
  CHECK(document["outcome"]["status"] == "reached_end");
  CHECK(document["outcome"]["t"] == 4.0);
  CHECK(document["outcome"]["message"] == "");
  CHECK(keys(document["initial"]) == Names{"t", "mode", "location", "state"});
  CHECK(document["initial"]["mode"] == "-");
  CHECK(document["initial"]["location"].is_null());
  CHECK(keys(document["initial"]["state"]) == Names{"x", "v"});
  CHECK(document["final"]["t"] == 4.0);
  CHECK(document["final"]["state"]["x"] == 2.0);
  CHECK(keys(document["statistics"]) == Names{"steps", "field_evaluations", "guard_evaluations",
                                              "jacobian_evaluations", "restarts", "events",
                                              "integrator_roots", "dop853_steps", "krylov_iterations",
                                              "stiff_from", "largest_drift", "wall_seconds"});
  CHECK(document["statistics"]["steps"].is_number_integer());
  CHECK(document["statistics"]["field_evaluations"] == 40);
  CHECK(document["statistics"]["krylov_iterations"] == 0);
  CHECK(document["statistics"]["stiff_from"].is_null());
}

TEST_CASE("an event says what changed and why") {
  const Json events = written(test::block_instance(), test::block_solution())["events"];
  REQUIRE(events.size() == 2);
  CHECK(keys(events[0]) == Names{"t", "kind", "surfaces", "name", "from", "to", "from_location",
                                 "to_location", "w_minus", "w_plus", "lambda", "codeword", "round", "before",
                                 "after", "reason"});
  CHECK(events[0]["t"] == 1.0);
  CHECK(events[0]["kind"] == "sliding_entry");
  CHECK(events[0]["surfaces"] == Json{"stick"});
  CHECK(events[0]["name"].is_null());
  CHECK(events[0]["from"] == "-");
  CHECK(events[0]["to"] == "0");
  CHECK(events[0]["from_location"].is_null());
  CHECK(events[0]["w_minus"][0] == 0.1);
  CHECK(events[0]["lambda"][0].get<double>() == -1.0 / 3);
  CHECK(events[0]["codeword"].is_null());
  CHECK(events[0]["before"]["x"].get<double>() == 2.0 / 3);
  CHECK(events[1]["name"] == "kick");
  CHECK(events[1]["after"]["v"] == 1.0);
  CHECK(events[1]["reason"] == "the \"kick\"");
}

TEST_CASE("warnings and the rounds of events are in the document") {
  Solution solution = test::block_solution();
  solution.warnings = {"reset 'late' has never fired"};
  solution.events[1].round = 2;
  const Json document = written(test::block_instance(), solution);
  CHECK(document["warnings"] == Json{"reset 'late' has never fired"});
  CHECK(document["events"][0]["round"].is_null());
  CHECK(document["events"][1]["round"] == 2);
}

TEST_CASE("what is not finite is null") {
  const Json document = written(test::block_instance(), test::block_solution());
  CHECK(document["parameters"]["bad"].is_null());
  CHECK(document["events"][1]["w_minus"][0].is_null());
  CHECK(document["events"][1]["lambda"][0].is_null());
}

TEST_CASE("an event at the start has no mode before it") {
  Solution solution = test::block_solution();
  solution.events[0].from.reset();
  solution.events[1].to.reset();
  const Json events = written(test::block_instance(), solution)["events"];
  CHECK(events[0]["from"].is_null());
  CHECK(events[1]["to"].is_null());
}

TEST_CASE("only an event that is not unique lists continuations") {
  for (const EventKind kind : {EventKind::repelling, EventKind::two_fold, EventKind::ambiguous}) {
    Solution solution = test::block_solution();
    solution.events[0].kind = kind;
    solution.events[0].continuations = {Mode("-"), Mode("+"), Mode("0")};
    const Json events = written(test::block_instance(), solution)["events"];
    CHECK(events[0]["continuations"] == Json{"-", "+", "0"});
    CHECK_FALSE(events[1].contains("continuations"));
  }
}

TEST_CASE("numbers in a run document read back as the same double") {
  std::mt19937_64 random(1);
  Solution solution = test::block_solution();
  const ModelInstance instance = test::block_instance();
  int compared = 0;
  while (compared < 2000) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    solution.outcome.t = value;
    solution.final.state(0) = -value;
    const Json document = written(instance, solution);
    REQUIRE(document["outcome"]["t"].get<double>() == value);
    REQUIRE(document["final"]["state"]["x"].get<double>() == -value);
    ++compared;
  }
  for (const double value : {0.0, 5e-324, 1.7976931348623157e308, 0.1, 1.0 / 3, 100.0, 1e22}) {
    solution.outcome.t = value;
    CHECK(written(instance, solution)["outcome"]["t"].get<double>() == value);
  }
}

TEST_CASE("events of a large system leave states and modes out unless asked for in full") {
  const ModelInstance small = instance_of_size(100, 100);
  const Json at_limit = written(small, one_crossing(100, 100))["events"][0];
  CHECK(at_limit["before"].size() == 100);
  CHECK(at_limit["from"].get<std::string>().size() == 100);

  const ModelInstance large = instance_of_size(101, 101);
  const Solution solution = one_crossing(101, 101);
  const Json brief = written(large, solution);
  CHECK_FALSE(brief["events"][0].contains("before"));
  CHECK_FALSE(brief["events"][0].contains("after"));
  CHECK(brief["events"][0]["from"] == "-");
  CHECK(brief["events"][0]["to"] == "+");
  CHECK(brief["final"]["state"].size() == 101);
  CHECK(brief["final"]["mode"].get<std::string>().size() == 101);

  const Json full = written(large, solution, {.full_events = true})["events"][0];
  CHECK(full["after"].size() == 101);
  CHECK(full["to"].get<std::string>().size() == 101);
}

TEST_CASE("a message that is not UTF-8 does not spoil the document") {
  Solution solution = test::block_solution();
  solution.outcome = {Status::user_function_failed, 1, "bad byte \xff and a \"quote\""};
  const Json document = written(test::block_instance(), solution);
  CHECK(document["outcome"]["status"] == "user_function_failed");
  CHECK(document["outcome"]["message"].get<std::string>().find("quote") != std::string::npos);
}

TEST_CASE("a system without surfaces has an empty mode word") {
  Solution solution;
  solution.initial = {0, Mode(), Vector::Zero(2)};
  solution.final = {1, Mode(), Vector::Zero(2)};
  const Json document = written(instance_of_size(2, 0), solution);
  CHECK(document["final"]["mode"] == "");
  CHECK(document["events"] == Json::array());
}

TEST_CASE("events tell what is observed on both sides of them, jumps of algebraic variables too") {
  // y = (x + u)/1.5 jumps with u, and z with the relay of y.
  const ModelInstance instance = parse_model(R"toml(
    initial = "a"
    [states]
    x = 0.0
    [discrete]
    u = 0.0
    [time]
    end = 3.0
    [algebraic]
    y = "x + u - 0.5*y"
    [definitions]
    z = "sgn(y - 0.5)"
    [derivatives]
    x = "1 + 0*z"
    [[locations]]
    name = "a"
    [[locations]]
    name = "b"
    [locations.derivatives]
    x = "2"
    [[resets]]
    name = "set"
    when = "x - 1"
    direction = "rising"
    set = { u = "1" }
    [[edges]]
    name = "go"
    from = "a"
    to = "b"
    when = "x - 2"
    direction = "rising"
    set = { x = "0" }
  )toml",
                                             "test.toml")
                                     .instantiate({});
  const Solution solution =
      Simulator(instance.problem()).run({.start = 0, .end = 3, .state = instance.state});
  REQUIRE(solution.outcome.succeeded());
  Observation observation(instance.problem(), instance.observables({"y", "z"}));
  std::ostringstream out;
  write_json({.model = "m", .instance = instance, .solution = solution, .observation = &observation}, out);
  const Json events = Json::parse(out.str())["events"];
  const auto check = [&](const std::string& name, double before, double after) {
    for (const Json& event : events) {
      if (event["name"] != name) continue;
      CHECK(event["observed"]["before"]["y"].get<double>() == doctest::Approx(before).epsilon(1e-9));
      CHECK(event["observed"]["after"]["y"].get<double>() == doctest::Approx(after).epsilon(1e-9));
      return;
    }
    FAIL(name);
  };
  check("set", 2.0 / 3, 4.0 / 3);
  check("go", 2.0, 2.0 / 3);
  REQUIRE(events[0]["kind"] == "crossing");
  CHECK(events[0]["observed"]["before"]["z"] == -1);
  CHECK(events[0]["observed"]["after"]["z"] == 1);
}
