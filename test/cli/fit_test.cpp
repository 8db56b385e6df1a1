#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

// The columns t and x of a run's table.
std::string measured_from(const std::string& table) {
  std::istringstream in(table);
  std::string line, result = "t,x\n";
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    if (line.rfind("0,", 0) != 0) result += line.substr(0, second) + "\n";
  }
  return result;
}

}  // namespace

TEST_CASE("the friction of a block is found again from a table of its run") {
  const Workplace place;
  const Finished run = place.slideway(
      {"run", "gallery/dry_friction", "--t-end", "20", "--rtol", "1e-10", "--points", "41", "--csv", "-"});
  REQUIRE(run.status == 0);
  std::istringstream rows(run.out);
  place.write("measured.csv", measured_from(run.out));
  const Finished found = place.slideway({"fit", "gallery/dry_friction", "--data", "measured.csv",
                                         "--parameter", "mu", "--parameter", "x", "--set", "mu=0.5", "--set",
                                         "x=1", "--json", "fit.json", "--csv", "fit.csv"});
  CAPTURE(found.err);
  CAPTURE(found.out);
  CHECK(found.status == 0);
  CHECK(contains(found.out, "standard error"));
  CHECK(contains(found.out, "--set mu="));
  const Json document = Json::parse(place.read("fit.json"));
  CHECK(document["converged"] == true);
  CHECK(document["deviation"].get<double>() < 1e-6);
  CHECK(contains(place.read("fit.csv"), "t,x,model_x,difference_x\n"));
}

TEST_CASE("the command fit says what is wrong with its measurements") {
  const Workplace place;
  const auto refused = [&](const std::string& table, std::vector<std::string> arguments,
                           const std::string& part) {
    place.write("measured.csv", table);
    arguments.insert(arguments.begin(),
                     {"fit", "gallery/dry_friction", "--data", "measured.csv", "--parameter", "mu"});
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused("t,x\n1,2,3\n", {}, "line 2");
  refused("t,x\n1,two\n", {}, "a number in the column 'x'");
  refused("t,x\n", {}, "there are no measurements");
  refused("t,x\n2,1\n1,1\n", {}, "increasing");
  refused("t,y\n1,1\n2,1\n", {}, "'y'");
  refused("t,x\n1,1\n2,1\n", {"--deviation", "y=1"}, "--deviation");
  refused("t,x\n1,1\n2,1\n", {"--observe", "E = v^2"}, "--observe");
}
