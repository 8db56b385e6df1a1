// FMUs of FMI 3.0 with structural parameters, which decide the lengths of arrays: they are set in the Configuration Mode of the FMU.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "slideway/fmi/import.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

const char* const sized_xml =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"sized\" instantiationToken=\"{token}\">\n"
    "<ModelExchange modelIdentifier=\"sized\"/>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"2\"/>\n"
    "<ModelVariables>\n"
    "<UInt64 name=\"n\" valueReference=\"50\" causality=\"structuralParameter\" variability=\"tunable\" "
    "start=\"3\" max=\"9\"/>\n"
    "<Float64 name=\"x\" valueReference=\"0\" causality=\"output\" initial=\"exact\" start=\"1 1 1\" "
    "nominal=\"2\">"
    "<Dimension valueReference=\"50\"/></Float64>\n"
    "<Float64 name=\"dx\" valueReference=\"10\" derivative=\"0\"><Dimension "
    "valueReference=\"50\"/></Float64>\n"
    "<Float64 name=\"k\" valueReference=\"30\" causality=\"parameter\" variability=\"fixed\" start=\"1 2 3\">"
    "<Dimension valueReference=\"50\"/></Float64>\n"
    "<Float64 name=\"z\" valueReference=\"40\"><Dimension valueReference=\"50\"/></Float64>\n"
    "</ModelVariables>\n"
    "<ModelStructure><ContinuousStateDerivative valueReference=\"10\"/><EventIndicator "
    "valueReference=\"40\"/>"
    "</ModelStructure>\n"
    "</fmiModelDescription>\n";

std::string write_sized(const test::TemporaryFolder& folder) {
  std::string path = folder / "sized.fmu";
  test::write_archive(path, {{"modelDescription.xml", sized_xml},
                             {"binaries/x86_64-linux/sized.so", test::fmu_binary("sized")}});
  return path;
}

}  // namespace

TEST_CASE("structural parameters of an FMU decide how many states and surfaces a run has") {
  const test::TemporaryFolder folder;
  const std::string file = write_sized(folder);
  for (const bool isolated : {false, true}) {
    CAPTURE(isolated);
    const Model model = read_fmu(file, {.isolated = isolated});
    CHECK(model.parameters.front().name == "n");
    CHECK(model.state_names.size() == 4);
    for (const Index n : {1, 3, 5, 9}) {
      CAPTURE(n);
      const std::string last = std::to_string(n);
      const ModelInstance instance = model.instantiate(
          {{"k[" + last + "]", 0.25}, {"n", static_cast<double>(n)}, {"x[" + last + "]", 2}});
      REQUIRE(instance.system.states() == n + 1);
      CHECK(instance.system.surfaces() == n);
      CHECK(instance.parameters.front() == std::pair<std::string, double>("n", static_cast<double>(n)));
      Options options;
      options.rtol = 1e-9;
      // As the command takes the tolerances of a model.
      options.atol = Tolerance(Vector(Eigen::Map<const Vector>(
          model.defaults.atol.data(), static_cast<Index>(model.defaults.atol.size()))));
      const Solution solution =
          Simulator(instance.problem(), options)
              .run({.start = instance.start, .end = instance.end, .state = instance.state});
      CHECK(solution.outcome.succeeded());
      // The last one is above zero, and all others slide.
      for (Index i = 0; i + 1 < n; ++i) {
        CHECK(std::abs(solution.final.state[i]) < 1e-9);
        CHECK(solution.final.mode[i] == Side::sliding);
      }
      CHECK(solution.final.state[n - 1] == doctest::Approx(1.5).epsilon(1e-9));
    }
  }
}

TEST_CASE("a structural parameter that makes no sense is refused with the values that it may have") {
  const test::TemporaryFolder folder;
  const std::string file = write_sized(folder);
  const Model model = read_fmu(file);
  for (const double wrong : {2.5, 10.0, -1.0, 1e300}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(model.instantiate({{"n", wrong}}), doctest::Contains("a whole number from 0 to 9"),
                         std::invalid_argument);
  }
  // Arrays without elements leave a run without states.
  CHECK(model.instantiate({{"n", 0}}).system.states() == 1);
  // An element that this length does not have.
  CHECK_THROWS_WITH_AS(model.instantiate({{"n", 2}, {"k[3]", 1}}), doctest::Contains("k[3]"),
                       std::invalid_argument);
  std::ofstream(folder / "n.csv") << "time,n\n0,3\n1,4\n";
  CHECK_THROWS_WITH_AS(read_fmu(file, {.inputs = folder / "n.csv"}),
                       doctest::Contains("keeps its value along a run"), std::invalid_argument);
  // An FMU without the functions of its Configuration Mode.
  std::string xml = sized_xml;
  xml.replace(xml.find("modelIdentifier=\"sized\""), 23, "modelIdentifier=\"array\"");
  test::write_archive(folder / "array.fmu", {{"modelDescription.xml", xml},
                                             {"binaries/x86_64-linux/array.so", test::fmu_binary("array")}});
  CHECK_THROWS_WITH_AS(read_fmu(folder / "array.fmu").instantiate({{"n", 2}}),
                       doctest::Contains("fmi3EnterConfigurationMode"), std::invalid_argument);
}
