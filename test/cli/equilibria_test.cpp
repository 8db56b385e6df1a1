#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

TEST_CASE("equilibria are shown with their eigenvalues, and virtual ones with what is beyond zero") {
  const Workplace place;
  const Finished shown =
      place.slideway({"equilibria", "gallery/chua", "--json", "all.json", "--csv", "all.csv"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "regular"));
  const Finished with_virtual = place.slideway({"equilibria", "gallery/welander"});
  CHECK(contains(with_virtual.out, "virtual: it is on the other side of"));
  CHECK(contains(place.read("all.csv"),
                 "kind,admissible,location,mode,stability,continuum,x,y,z,real1,imaginary1"));
  const Json document = Json::parse(place.read("all.json"));
  CHECK(document["schema"] == "slideway.equilibria/1");
  CHECK(document["all_modes"] == true);
  int admissible = 0;
  for (const Json& equilibrium : document["equilibria"]) admissible += equilibrium["admissible"] ? 1 : 0;
  CHECK(admissible == 3);
}

TEST_CASE("a ball at rest carries its weight at the one equilibrium it has") {
  const Workplace place;
  const Finished finished = place.slideway({"equilibria", "gallery/bouncing_ball", "--json", "-"});
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  const Json document = Json::parse(finished.out);
  REQUIRE(document["equilibria"].size() == 1);
  CHECK(std::abs(document["equilibria"][0]["forces"][0].get<double>() - 9.81) < 1e-9);
  CHECK(document["equilibria"][0]["mode"] == "0");
}

TEST_CASE("the command equilibria says what it needs") {
  const Workplace place;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "equilibria");
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused({"gallery/dry_friction"}, "depend on time");
  refused({"gallery/chua", "--box", "x=1"}, "NAME=LOW:HIGH");
  refused({"gallery/chua", "--box", "x=1:0"}, "NAME=LOW:HIGH");
  refused({"gallery/chua", "--box", "w=0:1"}, "--box");
}

TEST_CASE("branches of equilibria are followed round their fold, and shown with it") {
  const Workplace place;
  // x = +-sqrt(p - 0.25).
  place.write(
      "fold.toml",
      "[parameters]\np = 1.0\n[states]\nx = 0.5\n[time]\nend = 1.0\n[derivatives]\nx = \"p - 0.25 - x^2\"\n");
  const Finished shown =
      place.slideway({"equilibria", "fold.toml", "--box", "x=-2:2", "--vary", "p=0:1:6", "--json",
                      "branches.json", "--csv", "branches.csv", "--plot", "branches.gp"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "1 branch of equilibria"));
  CHECK(contains(shown.out, "SN"));
  CHECK(contains(place.read("branches.csv"),
                 "branch,p,kind,admissible,location,mode,stability,continuum,x,real1"));
  const Json document = Json::parse(place.read("branches.json"));
  CHECK(document["schema"] == "slideway.equilibrium-branches/1");
  CHECK(document["varied"] == "p");
  REQUIRE(document["branches"].size() == 1);
  const Json& branch = document["branches"][0];
  REQUIRE(branch["bifurcations"].size() == 1);
  CHECK(branch["bifurcations"][0]["kind"] == "SN");
  CHECK(std::abs(branch["bifurcations"][0]["parameter"].get<double>() - 0.25) <= 1e-14);
  for (const Json& point : branch["points"]) {
    const double x = point["equilibrium"]["state"]["x"];
    CHECK(std::abs(x * x + 0.25 - point["parameter"].get<double>()) <= 1e-13);
  }
  // The upper half is stable, the lower one is not, and the fold between them has its name.
  const std::string script = place.read("branches.gp");
  const std::string stable = script.substr(script.find("$stable << EOD"),
                                           script.find("$not_stable << EOD") - script.find("$stable << EOD"));
  CHECK(contains(stable, "\n1 0.866025403784"));
  CHECK_FALSE(contains(stable, "-0.866"));
  CHECK(contains(script.substr(script.find("$not_stable << EOD")), "\n1 -0.866025403784"));
  CHECK(contains(script, "set label 'SN' noenhanced at first 0.25, first"));
  const Finished refused = place.slideway({"equilibria", "fold.toml", "--vary", "p=0,1"});
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "--vary"));
  const Finished alone = place.slideway({"equilibria", "fold.toml", "--plot", "p.gp"});
  CHECK(alone.status == 2);
  CHECK(contains(alone.err, "only branches of equilibria have a picture"));
}

TEST_CASE("curves of folds in two parameters are followed and shown with their cusp") {
  const Workplace place;
  // Folds of a + b x - x^3: 4 b^3 = 27 a^2.
  place.write(
      "cusp.toml",
      "[parameters]\na = 0.1\nb = 0.5\n[states]\nx = 0.5\n[time]\nend = 1.0\n[derivatives]\nx = \"a + b*x - "
      "x^3\"\n");
  const Finished shown =
      place.slideway({"equilibria", "cusp.toml", "--box", "x=-2:2", "--vary", "a=-1:1:11", "--vary",
                      "b=-1:1:11", "--json", "curves.json", "--csv", "curves.csv", "--plot", "curves.gp"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "1 curve of bifurcations, from branches in a at b = 0.5"));
  CHECK(contains(shown.out, "CP"));
  CHECK(contains(
      place.read("curves.csv"),
      "curve,bifurcation,special,a,b,boundary,kind,admissible,location,mode,stability,continuum,x,real1"));
  const Json document = Json::parse(place.read("curves.json"));
  CHECK(document["schema"] == "slideway.equilibrium-curves/1");
  REQUIRE(document["curves"].size() == 1);
  for (const Json& point : document["curves"][0]["points"]) {
    const double a = point["values"][0], b = point["values"][1];
    CHECK(std::abs(4 * b * b * b - 27 * a * a) <= 1e-12);
  }
  const std::string script = place.read("curves.gp");
  CHECK(contains(script, "$fold using 1:2 with lines"));
  CHECK(contains(script, "set label 'CP' noenhanced at first "));
  const Finished refused =
      place.slideway({"equilibria", "cusp.toml", "--vary", "a=-1:1:3", "--bifurcation", "SN"});
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "no curves of bifurcations"));
  CHECK(place.slideway({"equilibria", "cusp.toml", "--vary", "a=-1:1:3", "--vary", "a=0:1:3"}).status == 2);
}
