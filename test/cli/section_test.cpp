#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

TEST_CASE("a run lists where it arrives at its section, in the document, the table and the picture") {
  const Workplace place;
  const Finished finished =
      place.slideway({"run", "gallery/leine_belt", "--section", "slip", "--direction", "any", "--json",
                      "run.json", "--section-file", "points.csv", "--section-plot", "points.gp"});
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  const Json document = Json::parse(place.read("run.json"));
  CHECK(document["section"]["name"] == "slip");
  CHECK(document["section"]["direction"] == "any");
  const Json points = document["section"]["points"];
  REQUIRE(points.size() >= 2);
  // The begins of sticking, where the block is as fast as the belt.
  for (const Json& point : points) CHECK(std::abs(point["state"]["v"].get<double>() - 0.2) < 1e-6);
  std::istringstream table(place.read("points.csv"));
  std::string line;
  std::getline(table, line);
  CHECK(line == "point,t,x,v");
  std::size_t rows = 0;
  while (std::getline(table, line)) ++rows;
  CHECK(rows == points.size());
  CHECK(contains(place.read("points.gp"), "arrivals at slip"));
  // The map of returns has its diagonal.
  CHECK(contains(place.read("points.gp"), "plot $curve using 1:2 with lines"));
}

TEST_CASE("options of a section are refused where they change nothing") {
  const Workplace place;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"run", "gallery/leine_belt"});
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused({"--section", "slip"}, "--section-file, --section-plot or --json");
  refused({"--section-file", "points.csv"}, "--section NAME");
  refused({"--section", "slop", "--json", "-"}, "did you mean 'slip'");
  refused({"--section", "slip", "--json", "-", "--on-ambiguity", "branches"}, "one solution");
}
