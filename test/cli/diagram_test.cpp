#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

// x' = a + b x − x³ has two stable points inside of the cusp 27 a² = 4 b³.
constexpr const char* cusp = R"toml(
name = "cusp"
[parameters]
a = 0.0
b = 1.0
T = 0.5
[states]
x = 0.5
[time]
end = 30.0
[derivatives]
x = "a + b*x - x^3"
)toml";

}  // namespace

TEST_CASE("a diagram is shown, written as documents and tables, and drawn") {
  const Workplace place;
  place.write("cusp.toml", cusp);
  const std::vector<std::string> arguments = {"diagram", "cusp.toml", "--plane", "a=-0.6:0.6,b=-0.5:1.5",
                                              "--size",  "12x10",     "--step",  "T"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return more;
  };
  const Finished shown = place.slideway(
      with({"--json", "found.json", "--csv", "cells.csv", "--curves", "curves.csv", "--plot", "found.gp"}));
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "12 × 10 cells of a and b"));
  CHECK(contains(shown.out, "cells have different attractors in both directions"));
  CHECK(contains(shown.out, "SN of equilibria"));
  const Json document = Json::parse(place.read("found.json"));
  CHECK(document["schema"] == "slideway.diagram/1");
  CHECK(document["complete"] == true);
  CHECK(document["forward"].size() == 120);
  CHECK(document["kinds"][0]["attractor"] == "point");
  REQUIRE(document["curves"].size() >= 1);
  for (const Json& point : document["curves"][0]["points"]) {
    const double a = point["first"], b = point["second"];
    CHECK(std::abs(27 * a * a - 4 * b * b * b) <= 1e-7);
  }
  CHECK(contains(place.read("cells.csv"), "cell,direction,a,b,end,rounds,"));
  CHECK(contains(place.read("curves.csv"), "curve,of,bifurcation,special,a,b,rounds\n1,equilibria,SN,,"));
  CHECK(contains(place.read("found.gp"), "with image"));
  const Finished resumed =
      place.slideway(with({"--json", "again.json", "--csv", "cells.csv", "--resume", "--quiet"}));
  CHECK(resumed.status == 0);
  CHECK(Json::parse(place.read("again.json"))["forward"] == document["forward"]);
}

TEST_CASE("the command diagram refuses what makes no sense with one message") {
  const Workplace place;
  place.write("cusp.toml", cusp);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"diagram", "cusp.toml"});
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused({}, "lacks --plane");
  refused({"--plane", "a=1:0,b=0:1"}, "two names with an interval each");
  refused({"--plane", "a=0:1"}, "two names with an interval each");
  refused({"--plane", "a=0:1,x=0:1"}, "one of the parameters a, b, T");
  refused({"--plane", "a=0:1,b=0:1", "--period", "1", "--step", "1"}, "--period with --step");
  refused({"--plane", "a=0:1,b=0:1", "--step", "-1"}, "--step: the step makes no sense");
  refused({"--plane", "a=0:1,b=0:1", "--t-end", "9"}, "--max-rounds");
  refused({"--plane", "a=0:1,b=0:1", "--resume"}, "nothing to resume");
  const Finished driven =
      place.slideway({"diagram", "gallery/impact_oscillator", "--plane", "d=0:0.1,beta=1:2"});
  CHECK(driven.status == 2);
  CHECK(contains(driven.err, "--period: the equations depend on time"));
}
