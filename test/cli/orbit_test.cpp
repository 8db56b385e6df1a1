#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

TEST_CASE("a stick-slip orbit is shown with its exact zero and written with its points on the section") {
  const Workplace place;
  const Finished shown = place.slideway({"orbit", "gallery/leine_belt", "--section", "slip"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "exactly 0: sliding, rest or a jump wipes it out"));
  CHECK(contains(shown.out, "along the orbit"));
  CHECK(contains(shown.out, "stability    stable"));

  const Finished written = place.slideway(
      {"orbit", "gallery/leine_belt", "--section", "slip", "--json", "-", "--csv", "orbit.csv"});
  CHECK(written.status == 0);
  const Json document = Json::parse(written.out);
  CHECK(document["schema"] == "slideway.orbit/1");
  CHECK(document["admissible"] == true);
  CHECK(document["signature"] == "sliding_entry(slip) sliding_exit(slip)");
  CHECK(document["multipliers"][0]["kind"] == "trivial");
  CHECK(document["multipliers"][1]["kind"] == "exact_zero");
  CHECK(document["multipliers"][1]["real"] == 0.0);
  REQUIRE(document["section"].size() == 1);
  CHECK(std::abs(document["section"][0]["state"]["v"].get<double>() - 0.2) < 1e-9);
  CHECK(contains(place.read("orbit.csv"), "t,x,v,mode,location"));
}

TEST_CASE("a period may be an expression of parameters") {
  const Workplace place;
  for (const char* period : {"2*pi/w", "2*pi/0.5"}) {
    const Finished finished =
        place.slideway({"orbit", "gallery/dry_friction", "--period", period, "--json", "-"});
    CAPTURE(finished.err);
    CHECK(finished.status == 0);
    const Json document = Json::parse(finished.out);
    CHECK(std::abs(document["period"].get<double>() - 4 * 3.14159265358979323846) < 1e-12);
    CHECK(document["autonomous"] == false);
  }
}

TEST_CASE("a relay with hysteresis has the half period of its transcendental equation") {
  const Workplace place;
  const Finished finished =
      place.slideway({"orbit", "gallery/hysteresis_relay", "--section", "y - band", "--json", "-"});
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  const Json document = Json::parse(finished.out);
  const double half = 0.5 * document["period"].get<double>();
  CHECK(std::abs(half - 2 * std::tanh(0.5 * half) - 0.2) < 1e-8);
  CHECK(document["stability"] == "stable");
}

TEST_CASE("the command orbit says what it needs") {
  const Workplace place;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"orbit", "gallery/dry_friction"});
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused({}, "--section NAME, or --period PERIOD");
  refused({"--period", "12"}, "do not repeat themselves");
  refused({"--period", "2*pi/ww"}, "--period: the period makes no sense");
  refused({"--period", "-1"}, "a number above 0");
  refused({"--section", "stik"}, "did you mean 'stick'");
  refused({"--period", "4*pi", "--returns", "2"}, "--returns");
  refused({"--period", "4*pi", "--transient", "3", "--t-end", "3"}, "--transient with --t-end");
  const Finished ball =
      place.slideway({"orbit", "gallery/bouncing_ball", "--period", "1", "--transient", "0"});
  CAPTURE(ball.err);
  CHECK(ball.status == 3);
}

TEST_CASE("a buck converter doubles its period on its branch, and the table has a row for each orbit") {
  const Workplace place;
  const std::vector<std::string> branch = {
      "orbit", "gallery/buck_converter", "--section", "clock", "--returns", "1", "--vary", "V_in=24:25:3"};
  std::vector<std::string> arguments = branch;
  arguments.insert(arguments.end(), {"--csv", "branch.csv", "--json", "branch.json"});
  const Finished finished = place.slideway(arguments);
  CAPTURE(finished.err);
  CAPTURE(finished.out);
  CHECK(finished.status == 0);
  CHECK(contains(finished.out, "a multiplier is -1"));
  const Json document = Json::parse(place.read("branch.json"));
  REQUIRE(document["bifurcations"].size() == 1);
  CHECK(document["bifurcations"][0]["kind"] == "PD");
  CHECK(std::abs(document["bifurcations"][0]["orbit"]["parameter"].get<double>() - 24.516) < 1e-3);
  CHECK(contains(place.read("branch.csv"), "V_in,period,v,i,phase,stability,multiplier1"));

  arguments = branch;
  arguments.insert(arguments.end(), {"--plot", "branch.gp"});
  CHECK(place.slideway(arguments).status == 0);
  const std::string script = place.read("branch.gp");
  // What is stable up to the doubling is not stable from there on.
  CHECK(contains(script, "$stable << EOD"));
  CHECK(contains(script, "$not_stable << EOD"));
  CHECK(contains(script, "set label 'PD' noenhanced at first 24.51"));
  CHECK(contains(script, "set ylabel 'period'"));

  arguments = branch;
  arguments.insert(arguments.end(), {"--shots", "2"});
  const Finished refused = place.slideway(arguments);
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "--shots with --vary"));
}

TEST_CASE("the curve of grazing in two parameters is followed from a branch that ends at the touch") {
  const Workplace place;
  const std::vector<std::string> plane = {"orbit",    "gallery/impact_oscillator",
                                          "--period", "2*pi/w",
                                          "--set",    "x=-0.17",
                                          "--t-end",  "240",
                                          "--vary",   "d=0.23:0.13:5"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), plane.begin(), plane.end());
    return place.slideway(more);
  };
  const Finished shown = with({"--vary", "w=2.5:2.7:5", "--json", "curves.json", "--csv", "curves.csv"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "1 curve of bifurcations, from the branch in d at w = 2.6"));
  CHECK(contains(shown.out, "the least distance to 'stop' vanishes"));
  CHECK(
      contains(place.read("curves.csv"), "curve,bifurcation,special,d,w,period,stability,signature\n1,GR,,"));
  const Json document = Json::parse(place.read("curves.json"));
  CHECK(document["schema"] == "slideway.orbit-curves/1");
  REQUIRE(document["curves"].size() == 1);
  for (const Json& point : document["curves"][0]["points"]) {
    const double d = point["values"][0], w = point["values"][1];
    CHECK(std::abs(d - 1 / std::hypot(1 - w * w, 0.1 * w)) <= 1e-8);
  }
  const Finished none = with({"--vary", "w=2.5:2.7:5", "--bifurcation", "PD", "--quiet"});
  CHECK(none.status == 3);
  CHECK(contains(none.err, "no bifurcation has a curve"));
  const Finished refused = with({"--bifurcation", "GR"});
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "no curves of bifurcations"));
}
