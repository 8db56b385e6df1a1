// FMUs of Model Exchange with what few FMUs have: arrays of states, no states, ends of steps, inputs, and binaries that do harm.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

#include "slideway/detail/core/platform/child_process.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/model/check.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

const char* const array_xml =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"array\" instantiationToken=\"{token}\">\n"
    "<ModelExchange modelIdentifier=\"array\" canGetAndSetFMUState=\"true\" "
    "providesDirectionalDerivatives=\"true\"/>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"2\"/>\n"
    "<ModelVariables>\n"
    "<UInt64 name=\"n\" valueReference=\"50\" causality=\"structuralParameter\" start=\"2\"/>\n"
    "<Float64 name=\"x\" valueReference=\"0\" causality=\"output\" initial=\"exact\" start=\"1 1 0 0\">"
    "<Dimension start=\"2\"/><Dimension valueReference=\"50\"/></Float64>\n"
    "<Float64 name=\"dx\" valueReference=\"10\" derivative=\"0\"><Dimension start=\"2\"/><Dimension "
    "start=\"2\"/></Float64>\n"
    "<Float64 name=\"p\" valueReference=\"30\" causality=\"parameter\" variability=\"fixed\" start=\"1 4\">"
    "<Dimension valueReference=\"50\"/></Float64>\n"
    "</ModelVariables>\n"
    "<ModelStructure><ContinuousStateDerivative valueReference=\"10\"/></ModelStructure>\n"
    "</fmiModelDescription>\n";

std::string with(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

void write_model(const std::string& path, const std::string& xml, const std::string& model) {
  test::write_archive(path, {{"modelDescription.xml", xml},
                             {"binaries/x86_64-linux/" + model + ".so", test::fmu_binary(model)}});
}

Solution run_variant(const Model& model, const Settings& settings = {}, Options options = {}) {
  const ModelInstance instance = model.instantiate(settings);
  options.rtol = 1e-10;
  tell_steps(instance, options);
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

const test::FmuOptions liar_fmu = {.model = "liar", .states = {"x"}, .indicators = 1, .discrete = 1};

}  // namespace

TEST_CASE("elements of arrays are states and parameters by their indices") {
  const test::TemporaryFolder folder;
  write_model(folder / "array.fmu", array_xml, "array");
  const Model model = read_fmu(folder / "array.fmu");
  CHECK(model.state_names == std::vector<std::string>{"x[1,1]", "x[1,2]", "x[2,1]", "x[2,2]", "stage"});
  REQUIRE(model.parameters.size() == 3);
  CHECK(model.parameters[0].name == "n");
  CHECK(model.parameters[2].name == "p[2]");
  CHECK(model.parameters[2].value == 4);
  const Solution solution = run_variant(model, {{"p[2]", 9}, {"x[1,1]", 0.5}});
  // x = cos(√p t) from 1 on.
  CHECK(solution.final.state[0] == doctest::Approx(0.5 * std::cos(2.0)).epsilon(1e-8));
  CHECK(solution.final.state[1] == doctest::Approx(std::cos(6.0)).epsilon(1e-8));
}

TEST_CASE(
    "descriptions in the forms of other tools are read: aliases, notes, Latin-1, the names of Windows") {
  const test::TemporaryFolder folder;
  std::string xml = with(array_xml, "encoding=\"UTF-8\"", "encoding=\"ISO-8859-1\"");
  xml = with(xml, "<DefaultExperiment",
             "<!-- made by hand --><LogCategories><Category name=\"logEvents\"/></LogCategories>\n"
             "<VendorAnnotations><Tool name=\"other\"><a/></Tool></VendorAnnotations><DefaultExperiment");
  xml = with(xml, "fmiVersion=\"3.0\"", "fmiVersion=\"3.0-beta.4\" description=\"w\xe4rme\"");
  xml = with(xml, "start=\"1 4\">", "start=\" 1\n4 \"><Alias name=\"stiffness\" description=\"the same\"/>");
  test::write_archive(
      folder / "array.fmu",
      {{"modelDescription.xml", xml}, {"binaries\\x86_64-linux\\array.so", test::fmu_binary("array")}});
  const Model model = read_fmu(folder / "array.fmu");
  CHECK(model.summary.find("w\u00e4rme") == 0);
  CHECK(model.parameters.size() == 3);
  const ModelInstance instance = model.instantiate({{"p[2]", 9}});
  Vector seen(1);
  instance.observables({"stiffness[2]"}).evaluate(0, instance.state, Vector(), Vector(), seen);
  CHECK(seen[0] == 9);
}

TEST_CASE("directional derivatives of an FMU are used, and those that lie are found by the check") {
  const test::TemporaryFolder folder;
  for (const std::string name : {"array", "wrong_array"}) {
    const std::string xml = with(array_xml, "modelIdentifier=\"array\"", "modelIdentifier=\"" + name + "\"");
    write_model(folder / "array.fmu", xml, name);
    const ModelInstance instance = read_fmu(folder / "array.fmu").instantiate({});
    const DerivativeCheck check = check_derivatives(instance.system, 0, instance.state, Vector());
    CHECK(check.passed == (name == "array"));
  }
}

TEST_CASE("a dimension without a length is refused by the name of the array") {
  const test::TemporaryFolder folder;
  write_model(folder / "array.fmu",
              with(array_xml, "<Dimension valueReference=\"50\"/></Float64>\n<Float64 name=\"dx\"",
                   "<Dimension valueReference=\"51\"/></Float64>\n<Float64 name=\"dx\""),
              "array");
  CHECK_THROWS_WITH_AS(read_fmu(folder / "array.fmu"), doctest::Contains("a dimension of 'x' has no length"),
                       std::invalid_argument);
}

TEST_CASE("an FMU without states goes from one time event to the next") {
  for (const int version : {2, 3}) {
    CAPTURE(version);
    const test::TemporaryFolder folder;
    test::write_fmu(folder / "stair.fmu", {.model = "stair", .version = version, .discrete = 1, .end = 20});
    const ModelInstance instance = read_fmu(folder / "stair.fmu").instantiate({});
    const Solution solution =
        Simulator(instance.problem(), {}).run({.start = 0, .end = 20, .state = instance.state});
    CHECK(solution.outcome.succeeded());
    CHECK(solution.outcome.t == doctest::Approx(9).epsilon(1e-12));
    Vector count(1);
    instance.observables({"d0"}).evaluate(9, solution.final.state, Vector(), Vector(), count);
    CHECK(count[0] == 10);
  }
}

TEST_CASE("an FMU hears of the steps of the integrator, and has the events that it asks for there") {
  const test::TemporaryFolder folder;
  const test::FmuOptions stepper = {.model = "stepper", .states = {"x"}, .discrete = 2, .end = 3};
  const std::string xml = with(test::fmu_xml(stepper), "modelIdentifier=\"stepper\"",
                               "modelIdentifier=\"stepper\" needsCompletedIntegratorStep=\"true\"");
  write_model(folder / "stepper.fmu", xml, "stepper");
  const Model model = read_fmu(folder / "stepper.fmu");
  std::vector<double> ends;
  Options options{.max_step = 0.1};
  options.on_step = [&](const StepView& step) { ends.push_back(step.end); };
  const Solution solution = run_variant(model, {}, options);
  CHECK(solution.outcome.succeeded());
  REQUIRE(!solution.events.empty());
  // The first five steps begin at 0; the event is at the end of the fifth.
  CHECK(solution.events[0].t == doctest::Approx(ends.at(4)).epsilon(1e-12));
  CHECK(solution.events.size() >= 5);
}

TEST_CASE("an FMU that asks for an event at the end of each step goes on to its end") {
  const test::TemporaryFolder folder;
  const test::FmuOptions asker = {.model = "asker", .states = {"x"}, .discrete = 1};
  const std::string xml = with(test::fmu_xml(asker), "modelIdentifier=\"asker\"",
                               "modelIdentifier=\"asker\" needsCompletedIntegratorStep=\"true\"");
  write_model(folder / "asker.fmu", xml, "asker");
  const Solution solution = run_variant(read_fmu(folder / "asker.fmu"), {}, {.max_step = 0.1});
  CHECK(solution.outcome.reached_end());
  CHECK(solution.events.size() >= 9);
  CHECK(solution.events.size() < 1000);
  CHECK(solution.final.state[0] == doctest::Approx(std::exp(-1)).epsilon(1e-8));
}

TEST_CASE("inputs of Model Exchange come from a table, with their jumps") {
  const test::TemporaryFolder folder;
  // x' = d, whose place the input takes: from 0 to 1 within a second, then −1.
  const test::FmuOptions integrator = {.model = "integrator", .states = {"x"}, .discrete = 0, .end = 3};
  std::string xml = test::fmu_xml(integrator);
  xml = with(xml, "<Float64 name=\"p\"",
             "<Float64 name=\"u\" valueReference=\"20\" causality=\"input\" start=\"0\"/>\n"
             "    <Float64 name=\"p\"");
  write_model(folder / "integrator.fmu", xml, "integrator");
  std::ofstream(folder / "inputs.csv") << "time,u\n0,0\n1,1\n1,-1\n2,-1\n3,0\n";
  const Solution solution =
      run_variant(read_fmu(folder / "integrator.fmu", {.inputs = folder / "inputs.csv"}));
  CHECK(solution.outcome.succeeded());
  CHECK(solution.final.state[0] == doctest::Approx(0.5 - 1 - 0.5).epsilon(1e-9));
}

TEST_CASE("an FMU in a process of its own gives the same bits") {
  const test::TemporaryFolder folder;
  for (const bool saves_state : {true, false}) {
    test::write_fmu(folder / "chatter.fmu", {.model = "chatter",
                                             .saves_state = saves_state,
                                             .states = {"x", "y"},
                                             .indicators = 1,
                                             .discrete = 1});
    const Solution here = run_variant(read_fmu(folder / "chatter.fmu"));
    const Solution apart = run_variant(read_fmu(folder / "chatter.fmu", {.isolated = true}));
    CHECK(here.final.state == apart.final.state);
    REQUIRE(apart.events.size() == 1);
    CHECK(apart.events[0].t == here.events[0].t);
  }
}

TEST_CASE("an exception in a child process ends the child, which does not go on as a copy of its parent") {
  platform::ChildProcess child([](const platform::ParentLink&) { throw 1; });
  char byte = 0;
  CHECK(child.receive(&byte, 1, 20) == platform::ChildProcess::Arrival::ended);
  CHECK(child.end().find("signal 6") == 0);
}

TEST_CASE("an isolated FMU that crashes, hangs or exits ends the run with a message") {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "liar.fmu", liar_fmu);
  const Model model = read_fmu(folder / "liar.fmu", {.isolated = true, .patience = 0.5});
  const auto message_of = [&](double how) {
    const Outcome outcome = run_variant(model, {{"p", how}}).outcome;
    CHECK_FALSE(outcome.succeeded());
    return outcome.message;
  };
  CHECK(message_of(7).find("the FMU has crashed in the evaluation of its derivatives: its process ended with "
                           "signal 11") != std::string::npos);
  CHECK(message_of(8).find("the FMU hangs: the evaluation of its derivatives has taken more than 0.5 s") !=
        std::string::npos);
  CHECK(message_of(9).find("its process ended with exit status 3") != std::string::npos);
  CHECK(message_of(2).find("(the FMU says: [error] the model has no solution here)") != std::string::npos);
}

TEST_CASE("an FMU that throws a C++ exception ends the run with a message, isolated or not") {
  const test::TemporaryFolder folder;
  for (const int version : {2, 3}) {
    test::FmuOptions options = liar_fmu;
    options.version = version;
    test::write_fmu(folder / "liar.fmu", options);
    for (const bool is_isolated : {false, true}) {
      CAPTURE(version);
      CAPTURE(is_isolated);
      const Model model = read_fmu(folder / "liar.fmu", {.isolated = is_isolated, .patience = 20});
      const auto outcome_of = [&](double how) {
        const ModelInstance instance = model.instantiate({{"p", how}});
        return Simulator(instance.problem()).run({.start = 0, .end = 1, .state = instance.state}).outcome;
      };
      const Outcome number = outcome_of(10), error = outcome_of(11);
      CHECK(number.status == Status::user_function_failed);
      CHECK(error.status == Status::user_function_failed);
      CHECK(number.t < 1);
      CAPTURE(number.message);
      CAPTURE(error.message);
      CHECK(number.message.find("Derivatives has thrown an exception") != std::string::npos);
      CHECK(error.message.find("no air in the pipe") != std::string::npos);
    }
  }
}

TEST_CASE("an FMU that throws as it is instantiated is told of, isolated or not") {
  const test::TemporaryFolder folder;
  test::FmuOptions options = liar_fmu;
  options.model = "throws_at_once";
  for (const int version : {2, 3}) {
    options.version = version;
    test::write_fmu(folder / "throws.fmu", options);
    for (const bool is_isolated : {false, true}) {
      CAPTURE(version);
      CAPTURE(is_isolated);
      const auto instantiate = [&] {
        (void)read_fmu(folder / "throws.fmu", {.isolated = is_isolated, .patience = 20}).instantiate({});
      };
      CHECK_THROWS_WITH_AS(instantiate(), doctest::Contains("has thrown an exception"), std::exception);
    }
  }
}

TEST_CASE("equilibria of an FMU are refused, since it keeps its discrete part to itself") {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "liar.fmu", liar_fmu);
  const ModelInstance instance = read_fmu(folder / "liar.fmu").instantiate({});
  CHECK_THROWS_WITH_AS(find_equilibria(instance.problem(), {.start = 0, .end = 1, .state = instance.state}),
                       doctest::Contains("discrete states: 1"), std::invalid_argument);
}
