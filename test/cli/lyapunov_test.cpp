#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

TEST_CASE("exponents of a block that sticks are shown and written, one of them minus infinity") {
  const Workplace place;
  const Finished shown = place.slideway({"lyapunov", "gallery/dry_friction", "--block", "2*pi/w",
                                         "--transient", "100", "--t-end", "400", "--json", "found.json",
                                         "--csv", "running.csv", "--plot", "running.gp"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "23 blocks of 12.56637061"));
  CHECK(contains(shown.out, "an event wipes this direction out"));
  CHECK(contains(place.read("running.csv"), "t,exponent1,exponent2\n"));
  CHECK(contains(place.read("running.csv"), ",-inf\n"));
  CHECK(contains(place.read("running.gp"), "set ylabel 'estimate, per unit of t'"));
  const Json document = Json::parse(place.read("found.json"));
  CHECK(document["schema"] == "slideway.lyapunov/1");
  CHECK(document["complete"] == true);
  CHECK(document["exists_until"].is_null());
  CHECK(document["running"].size() == 23);
  REQUIRE(document["exponents"].size() == 2);
  CHECK(document["exponents"][0]["value"].get<double>() < 0);
  CHECK(document["exponents"][0]["wiped_out"] == false);
  CHECK(document["exponents"][1]["value"].is_null());
  CHECK(document["exponents"][1]["wiped_out"] == true);
}

TEST_CASE("exponents of a run that stops early are told as such") {
  const Workplace place;
  const Finished finished = place.slideway({"lyapunov", "gallery/chua", "--max-steps", "2", "--json", "-"});
  CHECK(finished.status == 3);
  const Json document = Json::parse(finished.out);
  CHECK(document["complete"] == false);
  CHECK(contains(finished.err, "step_limit"));
}

TEST_CASE("the command lyapunov refuses times that leave no block") {
  const Workplace place;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"lyapunov", "gallery/chua"});
    const Finished finished = place.slideway(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, part));
  };
  refused({"--transient", "9"}, "nothing is left after the transient");
  refused({"--block", "9"}, "no whole block");
  refused({"--block", "2*pi/w"}, "--block: the block makes no sense");
  refused({"--t-end", "0"}, "nothing is left after the transient");
}
