// FMUs that are none, or that would do harm.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "slideway/fmi/import.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

const test::FmuOptions plain_ball = {.model = "ball", .states = {"h", "v"}, .indicators = 1, .discrete = 1};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// What is said of an FMU with this description.
std::string refusal_of(const std::string& xml, const std::string& binary_name = "ball") {
  const test::TemporaryFolder folder;
  test::write_archive(folder / "model.fmu",
                      {{"modelDescription.xml", xml},
                       {"binaries/x86_64-linux/" + binary_name + ".so", test::fmu_binary(binary_name)}});
  try {
    read_fmu(folder / "model.fmu").instantiate({});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  CAPTURE(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("a file that is no FMU is refused with the reason") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(read_fmu(folder / "absent.fmu"), doctest::Contains("there is no such file"),
                       std::invalid_argument);
  std::ofstream(folder / "text.fmu") << "no archive";
  CHECK_THROWS_WITH_AS(read_fmu(folder / "text.fmu"), doctest::Contains("expected a zip archive"),
                       std::invalid_argument);
  test::write_archive(folder / "empty.fmu", {{"readme", "nothing"}});
  CHECK_THROWS_WITH_AS(read_fmu(folder / "empty.fmu"),
                       doctest::Contains("modelDescription.xml: this is no FMU"), std::invalid_argument);
}

TEST_CASE("no file of an archive is written outside its folder") {
  const test::TemporaryFolder folder;
  for (const std::string name :
       {"../outside", "binaries/../../outside", "/tmp/slideway-outside", "a\\..\\b", "c:outside"}) {
    CAPTURE(name);
    test::write_archive(folder / "model.fmu",
                        {{name, "harm"}, {"modelDescription.xml", test::fmu_xml(plain_ball)}});
    CHECK_THROWS_WITH_AS(read_fmu(folder / "model.fmu"),
                         doctest::Contains("would be written outside its folder"), std::invalid_argument);
  }
  CHECK_FALSE(std::filesystem::exists("/tmp/slideway-outside"));
}

TEST_CASE("a description that makes no sense is refused with the element that is wrong") {
  const std::string xml = test::fmu_xml(plain_ball);
  says(refusal_of("<fmiModelDescription"), "this is no XML");
  says(refusal_of("<a/>"), "expected an element <fmiModelDescription>, got <a>");
  says(refusal_of(replaced(xml, "fmiVersion=\"3.0\"", "fmiVersion=\"1.0\"")),
       "expected fmiVersion 2.0 or 3.0, got '1.0'");
  says(refusal_of(replaced(xml, "ModelExchange", "ScheduledExecution")),
       "has neither Model Exchange nor Co-Simulation (expected one of these elements, got "
       "<ScheduledExecution>");
  says(refusal_of(replaced(xml, "valueReference=\"0\"", "valueReference=\"-1\"")), "is no value reference");
  says(refusal_of(replaced(xml, "start=\"0\"", "start=\"zero\"")), "'start' of <Float64> is no number");
  says(refusal_of(replaced(xml, "derivative=\"0\"", "derivative=\"99\"")),
       "ModelStructure names a derivative that is none");
  says(refusal_of(replaced(xml, "<Int32", "<Int33")), "has a type that the standard does not have");
  says(refusal_of(replaced(xml, "<Int32", "<Clock")), "is a clock");
  says(refusal_of(replaced(xml, "modelIdentifier=\"ball\"", "modelIdentifier=\"../ball\"")),
       "without folders");
  says(refusal_of(replaced(xml, "{token}", "{another}")), "this is another token");
}

TEST_CASE("an FMU without a binary for this system, or with a function missing, is refused by name") {
  const std::string xml = test::fmu_xml(plain_ball);
  says(refusal_of(xml, "clock"), "expected binaries/x86_64-linux/ball.so");
  const std::string incomplete = replaced(xml, "modelIdentifier=\"ball\"", "modelIdentifier=\"incomplete\"");
  says(refusal_of(incomplete, "incomplete"), "fmi3UpdateDiscreteStates");
}

TEST_CASE("nothing is left of an FMU, nor of one that was refused") {
  const test::TemporaryFolder folder, temporary;
  test::write_fmu(folder / "model.fmu", plain_ball);
  test::write_archive(folder / "empty.fmu", {{"readme", "nothing"}});
  setenv("TMPDIR", temporary.path().c_str(), 1);
  {
    const Model model = read_fmu(folder / "model.fmu");
    CHECK(temporary.entries() == 1);
    for (int k = 0; k < 20; ++k) model.instantiate({});
    CHECK_THROWS_AS(read_fmu(folder / "empty.fmu"), std::invalid_argument);
  }
  CHECK(temporary.entries() == 0);
  unsetenv("TMPDIR");
}
