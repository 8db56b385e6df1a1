#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

// A few evaluations: what the naive methods cannot do with them they say.
const std::vector<std::string> quick = {"--max-evaluations", "300000", "--repeats", "1"};

Finished compare(const Workplace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  return place.slideway(arguments);
}

Json document(const Finished& finished) {
  REQUIRE_MESSAGE(finished.status == 0, finished.err);
  return Json::parse(finished.out);
}

const Json& method(const Json& list, const std::string& name) {
  for (const Json& entry : list) {
    if (entry.at("method") == name) return entry;
  }
  FAIL("no method " << name);
  return list;
}

}  // namespace

TEST_CASE("compare shows every method with its error, its price and what it could not do") {
  const Workplace place;
  const Finished finished = compare(place, {"evaporator", "--levels", "3", "--plot", "near.svg"});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  for (const std::string text :
       {"filippov", "hysteresis", "smoothing", "naive bdf", "naive dopri5", "euler", "algorithm 1",
        "field evaluations", "error at end", "dT 0.025  20 bisections", "eps 0.0001",
        "hysteresis: eps → 0, observed order 1.0", "algorithm 1: dT → 0, observed order 1.0",
        "naive bdf stopped: step_limit at t = 1", "equivalent control is Filippov's solution here"}) {
    CAPTURE(text);
    CHECK(contains(finished.out, text));
  }
  if (contains(finished.out, "written       near.svg")) CHECK(contains(place.read("near.svg"), "<svg"));
}

TEST_CASE("a comparison as JSON holds errors at every checkpoint and the price of equal error") {
  const Workplace place;
  const Json result = document(compare(place, {"evaporator", "--method", "bdf", "--checkpoints", "10",
                                               "--levels", "0", "--error", "1e-5", "--json", "-"}));
  CHECK(result.at("schema") == "slideway.compare/1");
  CHECK(result.at("checkpoints").size() == 10);
  CHECK(result.at("checkpoints").back() == 60);
  const Json& filippov = method(result.at("methods"), "filippov");
  CHECK(filippov.at("errors").size() == 10);
  CHECK(filippov.at("final_error").get<double>() < 1e-5);
  CHECK(filippov.at("final").at("L").get<double>() == doctest::Approx(0.1));
  CHECK(method(result.at("methods"), "euler").at("rtol").is_null());
  CHECK(method(result.at("methods"), "naive bdf").at("final_error").is_null());

  const Json& equal = result.at("equal_error").at("methods");
  const auto price = [&](const char* name) {
    return method(equal, name).at("field_evaluations").get<double>();
  };
  CHECK(method(equal, "filippov").at("reached") == true);
  CHECK(price("filippov") < 1000);
  CHECK(price("algorithm 1") > 10 * price("filippov"));
  CHECK(price("naive bdf") > 100 * price("filippov"));
  CHECK(price("naive dopri5") > 100 * price("filippov"));
}

TEST_CASE(
    "slideway takes a hundredth of the evaluations of Algorithm 1 and of naive integration for an error of a "
    "millionth") {
  const Workplace place;
  const Json result =
      document(place.slideway({"compare", "evaporator", "--levels", "0", "--error", "1e-6", "--repeats", "1",
                               "--method", "bdf", "--max-evaluations", "300000", "--json", "-"}));
  const Json& equal = result.at("equal_error").at("methods");
  const auto price = [&](const char* name) {
    return method(equal, name).at("field_evaluations").get<double>();
  };
  REQUIRE(method(equal, "filippov").at("reached") == true);
  for (const char* name : {"algorithm 1", "naive bdf", "naive dopri5"}) {
    CAPTURE(name);
    CHECK(100 * price("filippov") <= price(name));
  }
  // An implicit method hardly minds a relay made steep: no factor of ten there.
  CHECK(price("filippov") < price("smoothing"));
}

TEST_CASE("a comparison as a table has a row for every method and checkpoint") {
  const Workplace place;
  const Finished finished =
      compare(place, {"dry-friction", "--t-end", "10", "--checkpoints", "5", "--levels", "0", "--csv", "-"});
  REQUIRE(finished.status == 0);
  CHECK(finished.out.starts_with("method,t,x,v,error\nreference,2,"));
  CHECK(std::count(finished.out.begin(), finished.out.end(), '\n') == 1 + 5 * 8);
  CHECK(contains(finished.out, "\nalgorithm 1,10,"));
}

TEST_CASE("Utkin's equivalent control is shown where it differs") {
  const Workplace place;
  place.write("cubic.toml",
              "[states]\nx = 0.5\ny = 0.0\n[time]\nend = 3\n[surfaces]\ns = \"x\"\n"
              "[derivatives]\nx = \"0.5 - sgn(s)\"\ny = \"sgn(s)^3 + sgn(s)^2\"\n");
  const Finished finished = compare(place, {"cubic.toml", "--levels", "0"});
  CHECK(finished.status == 0);
  // A file's relays are blended at their corners, so both are the same; and it is said.
  CHECK(contains(finished.out, "equivalent control is Filippov's solution here"));
}

TEST_CASE("compare says what a method cannot do with a model") {
  const Workplace place;
  place.write("jumping.toml",
              "[states]\nx = 1.0\n[time]\nend = 3\n[derivatives]\nx = \"0.5 - sgn(x)\"\n"
              "[[resets]]\nwhen = \"t - 2\"\ndirection = \"rising\"\nset = { x = \"1\" }\n");
  const Finished finished = compare(place, {"jumping.toml", "--levels", "2"});
  CHECK(finished.status == 0);
  CHECK(contains(finished.out, "hysteresis cannot follow this model: it does not know resets."));
  CHECK(contains(finished.out, "algorithm 1 cannot follow this model: it does not know resets."));
  CHECK(contains(finished.out, "smoothing"));

  const Finished ball = compare(place, {"bouncing-ball"});
  CHECK(ball.status == 2);
  CHECK(contains(ball.err, "nothing to compare"));
  CHECK(ball.out == "");
}

TEST_CASE("compare goes as far as Filippov's solution does") {
  const Workplace place;
  place.write("repelled.toml", "[states]\nx = 0.0\n[time]\nend = 1\n[derivatives]\nx = \"sgn(x)\"\n");
  const Finished nowhere = compare(place, {"repelled.toml"});
  CHECK(nowhere.status == 2);
  CHECK(contains(nowhere.err, "beyond the start"));

  place.write(
      "fold.toml",
      "[states]\nx = -1.0\n[time]\nend = 3\n[derivatives]\nx = \"if(t > 2, 1, 1 - t)*0 + sgn(x)*(t - 2)\"\n");
  const Finished as_far = compare(place, {"fold.toml", "--levels", "0"});
  CHECK((as_far.status == 0 || as_far.status == 3));
}

TEST_CASE("compare refuses what makes no sense before it starts") {
  const Workplace place;
  for (const auto& [arguments, what] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"compare", "evaporator", "--epsilon", "0"}, "--epsilon"},
           {{"compare", "evaporator", "--step", "-1"}, "--step"},
           {{"compare", "evaporator", "--bisections", "0"}, "--bisections"},
           {{"compare", "evaporator", "--plot", "a.gif"}, "a.gif"},
           {{"compare", "evaporator", "--json", "no/where.json"}, "no/where.json"}}) {
    CAPTURE(what);
    const Finished finished = place.slideway(arguments);
    CHECK(finished.status != 0);
    CHECK(contains(finished.err, what));
    CHECK(finished.out == "");
  }
  CHECK(place.files().empty());
}

TEST_CASE("a comparison that its bound cuts short says what is missing") {
  const Workplace place;
  const Finished finished =
      place.slideway({"compare", "relay", "--max-evaluations", "1000", "--repeats", "1", "--json", "c.json"});
  CAPTURE(finished.out);
  CHECK(contains(finished.out, "No convergence of hysteresis from eps = "));
  CHECK(contains(finished.out, "raise --max-evaluations"));
  const Json document = Json::parse(place.read("c.json"));
  CHECK(document["convergence_stopped"].size() > 0);
  bool stopped = false;
  for (const Json& method : document["methods"]) {
    if (!method.contains("outcome") || method["outcome"]["status"] != "step_limit") continue;
    stopped = true;
    CHECK(method["largest_error"].is_null());
    CHECK(method["final_error"].is_null());
  }
  CHECK(stopped);
}

TEST_CASE("errors at the level of the tolerance tell no order") {
  const Workplace place;
  const Finished finished =
      place.slideway({"compare", "evaporator", "--rtol", "1e-3", "--method", "bdf", "--epsilon", "1e-9",
                      "--levels", "3", "--repeats", "1", "--json", "c.json", "--max-evaluations", "200000"});
  CAPTURE(finished.out);
  CHECK(contains(finished.out, "smoothing: eps → 0, observed order –"));
  const Json tables = Json::parse(place.read("c.json"))["convergence"];
  const Json& smoothing = method(tables, "smoothing");
  CHECK(smoothing["levels"].size() >= 2);
  CHECK(smoothing["order"].is_null());
  for (const Json& level : smoothing["levels"]) CHECK(level["order"].is_null());
  CHECK(method(tables, "euler")["order"].get<double>() == doctest::Approx(1).epsilon(0.1));
}
