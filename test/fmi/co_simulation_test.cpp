// FMUs of Co-Simulation: their steps, their events, and their inputs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "slideway/fmi/import.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

// The description of test/fmi/fmus/sawtooth.c.
std::string sawtooth_xml(int version, bool has_fixed_steps = false) {
  const bool is_two = version == 2;
  std::string variables;
  const auto add = [&](const char* name, int reference, const std::string& rest, const std::string& start,
                       bool is_whole = false) {
    const std::string value = start.empty() ? "" : fmt::format(" start=\"{}\"", start);
    const char* const type = is_two ? (is_whole ? "Integer" : "Real") : is_whole ? "Int32" : "Float64";
    variables +=
        is_two
            ? fmt::format("<ScalarVariable name=\"{}\" valueReference=\"{}\" {}><{}{}/></ScalarVariable>\n",
                          name, reference, rest, type, value)
            : fmt::format("<{} name=\"{}\" valueReference=\"{}\" {}{}/>\n", type, name, reference, rest,
                          value);
  };
  add("x", 0, "causality=\"output\" variability=\"continuous\" initial=\"exact\"", "0");
  add("w", 1, "causality=\"local\" variability=\"continuous\"", "");
  add("count", 2, "causality=\"output\" variability=\"discrete\"", "", true);
  add("u", 3, "causality=\"input\" variability=\"continuous\"", "1");
  add("p", 4, "causality=\"parameter\" variability=\"fixed\"", "0");
  add("stop", 5, "causality=\"parameter\" variability=\"fixed\"", "0");
  add("k", 6, "causality=\"parameter\" variability=\"tunable\"", "1");
  if (!is_two)
    variables +=
        "<Float64 name=\"many\" valueReference=\"10\" causality=\"output\" variability=\"continuous\">"
        "<Dimension start=\"3\"/></Float64>\n";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<fmiModelDescription fmiVersion=\"{0}.0\" modelName=\"sawtooth\" {1}=\"one\">\n"
      "<CoSimulation modelIdentifier=\"sawtooth\" canHandleVariableCommunicationStepSize=\"{2}\"{3}/>\n"
      "<DefaultExperiment startTime=\"0\" stopTime=\"3.5\" stepSize=\"0.25\"/>\n"
      "<ModelVariables>\n{4}</ModelVariables>\n<ModelStructure/>\n</fmiModelDescription>\n",
      version, is_two ? "guid" : "instantiationToken", !has_fixed_steps,
      is_two ? "" : " hasEventMode=\"true\"", variables);
}

void write_sawtooth(const std::string& path, int version, bool has_fixed_steps = false) {
  const std::string folder = version == 2 ? "linux64" : "x86_64-linux";
  test::write_archive(path, {{"modelDescription.xml", sawtooth_xml(version, has_fixed_steps)},
                             {"binaries/" + folder + "/sawtooth.so", test::fmu_binary("sawtooth")}});
}

Solution run_sawtooth(int version, const FmuImport& how = {}, const Settings& settings = {}) {
  const test::TemporaryFolder folder;
  write_sawtooth(folder / "sawtooth.fmu", version);
  const ModelInstance instance = read_fmu(folder / "sawtooth.fmu", how).instantiate(settings);
  return Simulator(instance.problem(), {})
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

std::vector<double> times_of(const Solution& solution, EventKind kind) {
  std::vector<double> times;
  for (const EventRecord& event : solution.events)
    if (event.kind == kind) times.push_back(event.t);
  return times;
}

}  // namespace

TEST_CASE("a Co-Simulation comes to the values of its communication points, and its steps are samples") {
  for (const int version : {2, 3}) {
    CAPTURE(version);
    const Solution solution = run_sawtooth(version, {}, {{"u", 0.25}});
    CHECK(solution.outcome.succeeded());
    CHECK(times_of(solution, EventKind::sample).size() == 14);
    CHECK(solution.final.state[0] == doctest::Approx(0.25 * 3.5).epsilon(1e-14));
    // Straight between two points.
    CHECK(solution.trajectory(0.6)[0] == doctest::Approx(0.15).epsilon(1e-14));
  }
}

TEST_CASE("a Co-Simulation of FMI 3.0 stops at its events, which are told, and one of 2.0 passes them") {
  // x rises by 0.4 in a unit of time, from 0 to 1 within 2.5.
  const Solution three = run_sawtooth(3, {}, {{"u", 0.4}});
  const std::vector<double> events = times_of(three, EventKind::reset);
  REQUIRE(events.size() == 1);
  CHECK(events[0] == doctest::Approx(2.5).epsilon(1e-14));
  const Solution off_grid = run_sawtooth(3, {}, {{"u", 0.8}});
  const std::vector<double> two = times_of(off_grid, EventKind::reset);
  REQUIRE(two.size() == 2);
  CHECK(two[0] == doctest::Approx(1.25).epsilon(1e-14));
  CHECK(two[1] == doctest::Approx(2.5).epsilon(1e-14));
  const Solution between = run_sawtooth(3, {}, {{"u", 0.7}});
  REQUIRE(times_of(between, EventKind::reset).size() == 2);
  CHECK(times_of(between, EventKind::reset)[0] == doctest::Approx(1 / 0.7).epsilon(1e-14));
  CHECK(between.final.state[0] == doctest::Approx(0.7 * 3.5 - 2).epsilon(1e-13));
  const Solution passed = run_sawtooth(2, {}, {{"u", 0.7}});
  CHECK(times_of(passed, EventKind::reset).empty());
  CHECK(passed.final.state[0] == doctest::Approx(0.7 * 3.5 - 2).epsilon(1e-13));
}

TEST_CASE("the communication step is that of the FMU, or the one asked for") {
  CHECK(times_of(run_sawtooth(3, {.communication_step = 0.5}, {{"u", 0.1}}), EventKind::sample).size() == 7);
  CHECK_THROWS_WITH_AS(run_sawtooth(3, {.communication_step = -1}), doctest::Contains("a number above 0"),
                       std::invalid_argument);
}

TEST_CASE("outputs that are no states, and elements of arrays, can be seen of a Co-Simulation") {
  const test::TemporaryFolder folder;
  write_sawtooth(folder / "sawtooth.fmu", 3);
  const Model model = read_fmu(folder / "sawtooth.fmu");
  CHECK(model.state_names ==
        std::vector<std::string>{"x", "many[1]", "many[2]", "many[3]", "count", "stage"});
  const ModelInstance instance = model.instantiate({{"u", 0.4}});
  const Solution solution =
      Simulator(instance.problem(), {}).run({.start = 0, .end = 1.1, .state = instance.state});
  Vector values(3);
  instance.observables({"w", "many[3]", "count"})
      .evaluate(1.1, solution.final.state, Vector(), Vector(), values);
  CHECK(values[0] == doctest::Approx(2 * 0.44).epsilon(1e-13));
  CHECK(values[1] == doctest::Approx(3 * 0.44).epsilon(1e-13));
  CHECK(values[2] == 0);
}

TEST_CASE("an FMU of Co-Simulation that asks for the end ends the run where it says") {
  for (const int version : {2, 3}) {
    CAPTURE(version);
    const Solution solution = run_sawtooth(version, {}, {{"stop", 0.6}, {"u", 0.5}});
    CHECK(solution.outcome.succeeded());
    CHECK(solution.outcome.t == doctest::Approx(0.6).epsilon(1e-12));
    CHECK(solution.final.state[0] == doctest::Approx(0.3).epsilon(1e-12));
  }
}

TEST_CASE("inputs and tunable parameters of a Co-Simulation come from a table, with their jumps") {
  const test::TemporaryFolder folder;
  // u is 0.1 up to t = 1.1, then 0.3; k doubles at t = 2. A step takes u from its begin.
  std::ofstream(folder / "inputs.csv") << "time,u,k\n0,0.1,1\n1.1,0.1,1\n1.1,0.3,1\n2,0.3,2\n3.5,0.3,2\n";
  for (const int version : {2, 3}) {
    CAPTURE(version);
    const Solution solution = run_sawtooth(version, {.inputs = folder / "inputs.csv"});
    CHECK(solution.outcome.succeeded());
    CHECK(solution.final.state[0] ==
          doctest::Approx(std::fmod(0.1 * 1.1 + 0.3 * 0.9 + 0.6 * 1.5, 1)).epsilon(1e-13));
  }
}

TEST_CASE("a table of inputs that makes no sense is refused with its row") {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) -> std::string {
    std::ofstream(folder / "inputs.csv") << text;
    try {
      run_sawtooth(3, {.inputs = folder / "inputs.csv"});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what()).substr((folder / "inputs.csv").size());
    }
    return "";
  };
  CHECK(refusal("t,u\n0,1\n") ==
        ", row 1: this is no table of inputs (expected a header such as time,u,v, got 't,u')");
  CHECK(refusal("time,v\n0,1\n") ==
        ": a column is neither an input of the FMU nor a tunable parameter (expected 'u', 'k', got 'v')");
  CHECK(refusal("time,u\n0,1\n1\n") ==
        ", row 3: a row has another number of cells than the header (expected 2, got 1)");
  CHECK(refusal("time,u\n0,one\n") == ", row 2: a cell is no number (expected a number, got 'one')");
  CHECK(refusal("time,u\n1,0\n0,0\n") ==
        ", row 3: the times of the inputs decrease (expected a time from 1 on, got 0)");
  CHECK(refusal("time,u\n") == ": the inputs have no rows (expected one at least)");
}

TEST_CASE("a Co-Simulation that fails ends the run with the reason") {
  const auto message_of = [](double how, bool is_isolated) {
    const Outcome outcome =
        run_sawtooth(3, {.isolated = is_isolated, .patience = 0.5}, {{"p", how}, {"u", 0.5}}).outcome;
    CHECK_FALSE(outcome.succeeded());
    CHECK(outcome.t == doctest::Approx(1.25).epsilon(1e-9));
    return outcome.message;
  };
  for (const bool is_isolated : {false, true}) {
    CAPTURE(is_isolated);
    CHECK_MESSAGE(message_of(1, is_isolated).find("'x' is no number at t = 1.5") != std::string::npos,
                  message_of(1, is_isolated));
    CHECK(message_of(2, is_isolated).find("fmi3DoStep ended with the status error") != std::string::npos);
  }
  CHECK(message_of(4, true).find("the FMU has crashed in a step of Co-Simulation: its process ended with "
                                 "signal 11") != std::string::npos);
  CHECK(message_of(5, true).find("the FMU hangs: a step of Co-Simulation has taken more than 0.5 s") !=
        std::string::npos);
  CHECK(message_of(6, true).find("its process ended with exit status 7") != std::string::npos);
}

TEST_CASE("an FMU of Co-Simulation that does not move ends the run") {
  const Outcome outcome = run_sawtooth(3, {}, {{"p", 3}, {"u", 0.5}}).outcome;
  CHECK(outcome.message.find("the FMU has had 1000 events at t = 1.25, and does not go on") !=
        std::string::npos);
}
