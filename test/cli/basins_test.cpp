#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

constexpr const char* wells = R"toml(
name = "wells"
[parameters]
T = 1.0
[states]
x = 0.5
y = 0.5
[time]
end = 20.0
[derivatives]
x = "x - x^3"
y = "-y"
)toml";

}  // namespace

TEST_CASE("basins are shown, written as a document and a table, and drawn") {
  const Workplace place;
  place.write("wells.toml", wells);
  const Finished shown = place.slideway({"basins", "wells.toml", "--plane", "x=-2:2,y=-1:1", "--size",
                                         "40x20", "--samples", "100", "--step", "T/2", "--json", "found.json",
                                         "--csv", "found.csv", "--plot", "found.gp"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "40 × 20 cells of x and y"));
  CHECK(contains(shown.out, "50 %"));
  CHECK(contains(shown.out, "boundary     dimension"));
  const Json document = Json::parse(place.read("found.json"));
  CHECK(document["schema"] == "slideway.basins/1");
  CHECK(document["complete"] == true);
  CHECK(document["step"] == 0.5);
  CHECK(document["cells"].size() == 800);
  REQUIRE(document["attractors"].size() == 2);
  CHECK(document["ends"][0]["fraction"] == 0.5);
  CHECK(contains(place.read("found.csv"), "start,kind,x,y,end,steps,found,basins\n"));
  CHECK(contains(place.read("found.gp"), "with image"));
  const Finished resumed = place.slideway({"basins", "wells.toml", "--plane", "x=-2:2,y=-1:1", "--size",
                                           "40x20", "--samples", "100", "--step", "T/2", "--json",
                                           "again.json", "--csv", "found.csv", "--resume", "--quiet"});
  CHECK(resumed.status == 0);
  CHECK(Json::parse(place.read("again.json"))["cells"] == document["cells"]);
}

TEST_CASE("the command basins refuses what makes no sense with one message") {
  const Workplace place;
  place.write("wells.toml", wells);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"basins", "wells.toml"});
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused({}, "lacks --plane");
  refused({"--plane", "x=1:0,y=0:1"}, "two names with an interval each");
  refused({"--plane", "x=0:1"}, "two names with an interval each");
  refused({"--plane", "x=0:1,x=0:1"}, "two names with an interval each");
  refused({"--plane", "x=0:1,T=0:1"}, "one of the states x, y");
  refused({"--plane", "x=0:1,y=0:1", "--size", "0"}, "a whole number from 1, or two");
  refused({"--plane", "x=0:1,y=0:1", "--period", "1", "--step", "1"}, "--period with --step");
  refused({"--plane", "x=0:1,y=0:1", "--step", "-1"}, "--step: the step makes no sense");
  refused({"--plane", "x=0:1,y=0:1", "--t-end", "9"}, "--max-rounds");
  refused({"--plane", "x=0:1,y=0:1", "--wrap", "z=1"}, "--wrap: the plane is one of initial values");
  refused({"--plane", "x=0:1,y=0:1", "--resume"}, "nothing to resume");
  const Finished driven = place.slideway({"basins", "gallery/impact_oscillator", "--plane", "x=-1:0,v=-1:1"});
  CHECK(driven.status == 2);
  CHECK(contains(driven.err, "--period: the equations depend on time"));
}
