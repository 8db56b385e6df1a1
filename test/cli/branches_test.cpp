#include <algorithm>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

TEST_CASE("branches follow every continuation and nest their documents") {
  const Workplace place;
  place.write("fan.toml",
              "[states]\nx = -1\ny = 0\n[time]\nend = 3\n[derivatives]\nx = 1\n"
              "y = \"if(x > 0, sgn(y), -sgn(y))\"\n");
  const Finished finished = place.slideway({"run", "fan.toml", "--on-ambiguity", "branches", "--json", "-"});
  CHECK(finished.status == 0);
  const Json document = Json::parse(finished.out);
  CHECK(document["complete"] == true);
  CHECK(document["outcome"]["status"] == "ambiguous");
  REQUIRE(document["branches"].size() == 3);
  std::vector<double> ends;
  for (const Json& branch : document["branches"]) {
    CHECK(branch["schema"] == "slideway.run/1");
    CHECK(branch["outcome"]["status"] == "reached_end");
    CHECK(branch["branches"].empty());
    ends.push_back(branch["final"]["state"]["y"].get<double>());
  }
  std::sort(ends.begin(), ends.end());
  CHECK(ends[0] == doctest::Approx(-2));
  CHECK(ends[1] == 0);
  CHECK(ends[2] == doctest::Approx(2));

  const Finished table = place.slideway({"run", "fan.toml", "--on-ambiguity", "branches", "--csv", "t.csv"});
  CHECK(table.status == 2);
  CHECK(contains(table.err, "a table holds one trajectory"));
  CHECK(
      contains(place.slideway({"run", "fan.toml", "--on-ambiguity", "branches"}).out, "branches\n  mode +"));
}

TEST_CASE("only run follows branches, and says so where it does not") {
  const Workplace place;
  place.write("fan.toml",
              "[parameters]\na = 1\n[states]\nx = -1\ny = 0\n[time]\nend = 3\n[derivatives]\nx = \"a\"\n"
              "y = \"if(x > 0, sgn(y), -sgn(y))\"\n");
  const std::string advice = "follow all";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check", "fan.toml"},
                                                  {"compare", "fan.toml"},
                                                  {"sweep", "fan.toml", "--vary", "a=1,2"}}) {
    std::vector<std::string> arguments = command;
    CHECK(!contains(place.slideway(arguments).out, advice));
    arguments.insert(arguments.end(), {"--on-ambiguity", "branches"});
    const Finished refused = place.slideway(arguments);
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "expected one of stop, minus, plus, slide, got 'branches'"));
    CHECK(!contains(place.slideway({command.front(), "--help"}).out, "branches"));
  }
  CHECK(contains(place.slideway({"run", "fan.toml"}).out, advice));
  const Finished followed = place.slideway({"run", "fan.toml", "--on-ambiguity", "branches"});
  CHECK(contains(followed.out, "is not unique"));
  CHECK(!contains(followed.out, "choose one"));
}
