#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

const char* const stick_slip = R"toml(name = "stick-slip"
[parameters]
mu = 0.4
w = 0.5
[states]
x = 2.0
v = 0.0
[time]
end = 20
[surfaces]
stick = "v"
[derivatives]
x = "v"
v = "-x - mu*sgn(stick) + cos(w*t)"
)toml";

std::string with_options(const std::string& options) {
  return std::string(stick_slip) + "[options]\n" + options;
}

}  // namespace

TEST_CASE("a model file gives the results of the catalogue") {
  const Workplace place;
  place.write("stick-slip.toml", stick_slip);
  const Finished from_file = place.slideway({"run", "stick-slip.toml", "--rtol", "1e-9", "--json", "-"});
  const Finished from_catalogue =
      place.slideway({"run", "dry-friction", "--rtol", "1e-9", "--t-end", "20", "--json", "-"});
  REQUIRE(from_file.status == 0);
  const Json file = Json::parse(from_file.out);
  const Json catalogue = Json::parse(from_catalogue.out);
  CHECK(file["model"] == "stick-slip");
  CHECK(file["parameters"]["mu"] == 0.4);
  REQUIRE(file["events"].size() == catalogue["events"].size());
  for (std::size_t i = 0; i < file["events"].size(); ++i) {
    CHECK(file["events"][i]["kind"] == catalogue["events"][i]["kind"]);
    CHECK(file["events"][i]["surfaces"] == catalogue["events"][i]["surfaces"]);
    CHECK(file["events"][i]["t"].get<double>() ==
          doctest::Approx(catalogue["events"][i]["t"].get<double>()).epsilon(1e-9));
  }
}

TEST_CASE("the model file of the README runs") {
  std::ifstream in(SLIDEWAY_SOURCE_DIR "/README.md");
  std::ostringstream readme;
  readme << in.rdbuf();
  const std::string text = readme.str();
  const std::string fence = "```toml\n";
  const auto begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  const auto end = text.find("\n```", begin);
  const Workplace place;
  place.write("stick-slip.toml", text.substr(begin + fence.size(), end + 1 - begin - fence.size()));
  const Finished finished = place.slideway({"run", "stick-slip.toml"});
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  CHECK(contains(finished.out, "sliding_entry"));
  CHECK(contains(finished.out, "reached_end at t = 100"));
}

TEST_CASE("the command line beats the options of the file and these beat the defaults") {
  const Workplace place;
  place.write("plain.toml", stick_slip);
  place.write("options.toml", with_options("rtol = 1e-3\natol = 1e-4\nmethod = \"adams\"\n"));
  CHECK(contains(place.slideway({"run", "plain.toml"}).out, "auto   rtol 1e-06   atol 1e-08\n"));
  CHECK(contains(place.slideway({"run", "options.toml"}).out, "adams   rtol 0.001   atol 0.0001\n"));
  CHECK(contains(place.slideway({"run", "options.toml", "--rtol", "1e-8"}).out,
                 "adams   rtol 1e-08   atol 0.0001\n"));
  CHECK(contains(place.slideway({"run", "options.toml", "--atol", "1e-9", "--method", "bdf"}).out,
                 "bdf   rtol 0.001   atol 1e-09\n"));
}

TEST_CASE("a mistake in a file is reported where it is and nothing is written") {
  const Workplace place;
  std::string text = stick_slip;
  text.replace(text.find("mu*sgn"), 2, "nu");
  place.write("model.toml", text);
  const Finished finished = place.slideway({"run", "model.toml", "--json", "result.json"});
  CHECK(finished.status == 2);
  CHECK(finished.out == "");
  CHECK(finished.err.substr(0, 14) == "model.toml:14:");
  CHECK(contains(finished.err, "mu"));
  CHECK(contains(finished.err, "^"));
  CHECK_FALSE(place.has("result.json"));
}

TEST_CASE("a file that is not there is refused by its name") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "./absent"});
  CHECK(finished.status == 2);
  CHECK(contains(finished.err, "./absent"));
}

TEST_CASE("a file can be shown and its settings changed") {
  const Workplace place;
  place.write("model.toml", stick_slip);
  const Finished shown = place.slideway({"show", "model.toml"});
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "v' = -x - mu*sgn(stick) + cos(w*t)"));
  CHECK(contains(shown.out, "stick = 0"));
  CHECK(contains(shown.out, "x = 2"));
  const Finished finished =
      place.slideway({"run", "model.toml", "--set", "x=0.3", "--set", "mu=0.5", "--json", "-"});
  const Json document = Json::parse(finished.out);
  CHECK(document["initial"]["state"]["x"] == 0.3);
  CHECK(document["parameters"]["mu"] == 0.5);
  CHECK(place.slideway({"run", "model.toml", "--set", "muu=0.5"}).status == 2);
}

TEST_CASE("a model with locations is shown with its edges and its options") {
  const Workplace place;
  place.write("ball.toml", R"toml(initial = "flight"
[parameters]
e = 0.8
[states]
x = 1.0
v = 0.0
[time]
end = 1
[derivatives]
x = "v"
v = "-9.8 - 0.1*sgn(v)"
[[locations]]
name = "flight"
[[edges]]
name = "impact"
from = "flight"
to = "flight"
when = "x"
direction = "falling"
set = { v = "-e*v" }
[options]
rtol = 1e-7
method = "adams"
)toml");
  const Finished shown = place.slideway({"show", "ball.toml", "--set", "e=0.5"});
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  for (const char* part : {"v' = -9.8", "edge impact: flight -> flight", "v = 0   in v'", "flight (initial)",
                           "flight -> flight   impact", "e = 0.5", "rtol = 1e-07", "method = adams"}) {
    CHECK_MESSAGE(contains(shown.out, part), part);
  }
  CHECK_FALSE(contains(shown.out, "cannot be run"));
  CHECK(place.slideway({"show", "ball.toml", "--set", "f=0.5"}).status == 2);
}

TEST_CASE("the section of a sweep may be an event with a name") {
  const Workplace place;
  place.write("ball.toml", R"toml([states]
x = 1.0
v = 0.0
[parameters]
e = 0.8
[time]
end = 1.5
[derivatives]
x = "v"
v = "-9.8"
[[resets]]
name = "bounce"
when = "x"
direction = "falling"
set = { v = "-e*v" }
)toml");
  const Finished finished =
      place.slideway({"sweep", "ball.toml", "--vary", "e=0.5,0.8", "--section", "bounce"});
  CAPTURE(finished.out);
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  // v = -sqrt(2*9.8) at the first bounce.
  CHECK(contains(finished.out, "-4.4271"));
}
