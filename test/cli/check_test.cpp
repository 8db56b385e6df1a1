#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

std::string model(const std::string& states, const std::string& derivatives, const std::string& more = "") {
  return "[states]\n" + states + "\n[time]\nend = 5\n[derivatives]\n" + derivatives + "\n" + more;
}

Json check(const std::string& text, int status, const std::vector<std::string>& options = {}) {
  const Workplace place;
  place.write("model.toml", text);
  std::vector<std::string> arguments = {"check", "model.toml", "--json", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Finished finished = place.slideway(arguments);
  CAPTURE(finished.err);
  CAPTURE(finished.out);
  CHECK(finished.status == status);
  return Json::parse(finished.out);
}

bool found(const Json& document, const std::string& severity, const std::string& part) {
  for (const Json& finding : document["findings"]) {
    if (finding["severity"] == severity && contains(finding["text"], part)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the models of the catalogue pass their check") {
  const Workplace place;
  for (const char* name : {"evaporator", "dry-friction", "belt", "relay", "circle", "moving-surface"}) {
    const Finished finished = place.slideway({"check", name});
    CAPTURE(name);
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    CHECK(finished.err == "");
    CHECK(contains(finished.out, "agree with differences"));
    CHECK(contains(finished.out, "switches      the field is linear in each of them"));
    CHECK(contains(finished.out, "start         t = "));
  }
}

TEST_CASE("the check tells the classification of the initial point") {
  const Json sliding = check(model("x = 0\ny = 1", "x = \"-sgn(x) + 0.5\"\ny = \"-y\""), 0);
  CHECK(sliding["start"]["mode"] == "0");
  REQUIRE(sliding["start"]["met"].size() == 1);
  CHECK(sliding["start"]["met"][0]["surface"] == "x");
  CHECK(sliding["start"]["met"][0]["w_minus"] == 1.5);
  CHECK(sliding["start"]["met"][0]["w_plus"] == -0.5);
  CHECK(sliding["start"]["met"][0]["kind"] == "attracting sliding");

  const Json away = check(model("x = 1", "x = \"-sgn(x)\""), 0);
  CHECK(away["start"]["mode"] == "+");
  CHECK(away["start"]["met"].empty());
}

TEST_CASE("a start without a unique continuation is a problem") {
  const std::string text = model("x = 0", "x = \"sgn(x)\"");
  const Json stopped = check(text, 3);
  CHECK(stopped["start"]["continuations"].size() == 3);
  CHECK(stopped["start"]["met"][0]["kind"] == "repelling");
  CHECK(found(stopped, "problem", "ambiguous"));
  const Json chosen = check(text, 0, {"--on-ambiguity", "plus"});
  CHECK(found(chosen, "warning", "not unique"));
}

TEST_CASE("states of wildly different scale are a warning") {
  const Json wild = check(model("x = 1e9\ny = 1e-3", "x = \"-x + sgn(y - 1)\"\ny = \"-y\""), 0);
  CHECK(found(wild, "warning", "wildly different scale"));
  CHECK(wild["scales"][0]["greatest"] == 1e9);
  const Json tiny = check(model("x = 1e-7", "x = \"-x\""), 0);
  CHECK(found(tiny, "warning", "hardly controlled"));
  CHECK_FALSE(
      found(check(model("x = 1e-7", "x = \"-x\""), 0, {"--atol", "1e-12"}), "warning", "hardly controlled"));
  CHECK_FALSE(found(check(model("x = 1\ny = 2", "x = \"-x\"\ny = \"-y\""), 0), "warning", ""));
}

TEST_CASE("friction with a negative level, and a switch narrower than the tolerances, are warnings") {
  const auto brake = [](const std::string& level) {
    return model("x = 1\nv = 0", "x = \"v\"\nv = \"-4*x - F\"",
                 "[friction]\nF = { law = \"coulomb\", velocity = \"v\", Fc = \"" + level + "\" }\n");
  };
  CHECK(found(check(brake("0.5*cos(t)"), 0), "warning", "drives the motion that it should resist"));
  CHECK_FALSE(found(check(brake("max(0.5*cos(t), 0)"), 0), "warning", "drives the motion"));
  CHECK_FALSE(found(check(brake("0.5"), 0), "warning", "drives the motion"));
  const std::string steep =
      "[states]\nx = 2\nv = 0.001\n[time]\nend = 20\n[derivatives]\nx = \"v\"\nv = "
      "\"-x - 0.4*v/sqrt(v^2 + 1e-16) + cos(t/2)\"\n";
  CHECK(found(check(steep, 0, {"--atol", "1e-6", "--rtol", "1e-8"}), "warning", "write the switch as one"));
}

TEST_CASE("the check tells stiff models from those that are not") {
  const std::string stiff = model("x = 1\ny = 0", "x = \"-y - 0.1*sgn(x)\"\ny = \"-1e6*(y - x)\"");
  CHECK(found(check(stiff, 0, {"--method", "bdf"}), "hint", "stiff: "));
  CHECK(found(check(stiff, 0, {"--method", "adams"}), "warning", "--method bdf suits it"));
  // With an event in every few steps of bdf.
  const std::string relay = model("x = 1\ny = 0\nz = 0", "x = \"y\"\ny = \"-sgn(x)\"\nz = \"1e6*(y - z)\"");
  CHECK(found(check(relay, 0, {"--method", "bdf", "--rtol", "1e-4"}), "hint", "--method rodas suits it"));
  const std::string smooth = model("x = 1\ny = 0", "x = \"y\"\ny = \"-x\"");
  CHECK(found(check(smooth, 0, {"--method", "bdf"}), "hint", "not stiff"));
  // The default finds out by itself.
  CHECK_FALSE(found(check(stiff, 0), "hint", "stiff"));
  CHECK_FALSE(found(check(smooth, 0), "hint", "stiff"));
}

TEST_CASE("a run that stops on the way is a warning") {
  const Json document = check(model("x = 1\ny = 0", "x = \"-1\"\ny = \"sqrt(x)\""), 0);
  CHECK(found(document, "warning", "a run stops"));
}

TEST_CASE("a switch in time is told from a surface") {
  CHECK(found(check(model("x = 1", "x = \"-x + sgn(sin(t))\""), 0), "hint", "switch in time alone"));
  // This one depends on the state, but not where it is tried: its gradient is zero on one side.
  const std::string flat = model("x = 1", "x = \"-x + sgn(max(-x, 0)^3 - 1)\"");
  CHECK_FALSE(found(check(flat, 0), "hint", "switch in time"));
}

TEST_CASE("a model that cannot be evaluated at its start is refused") {
  const Workplace place;
  place.write("model.toml", model("x = -1", "x = \"sqrt(x)\""));
  const Finished finished = place.slideway({"check", "model.toml"});
  CHECK(finished.status == 2);
  CHECK(contains(finished.err, "finite"));
  CHECK(place.slideway({"check", "absent.toml"}).status == 2);
}

TEST_CASE("a large chain is checked too") {
  const Workplace place;
  place.write("chain.toml", R"toml([parameters]
N = 2000
[states]
x = { size = "N", value = "0.01*i" }
v = { size = "N", value = "0" }
[time]
end = 0.01
[derivatives]
x = "v[i]"
v = { value = "x[i+1] - 2*x[i] + x[i-1] - 0.3*sgn(v[i])", ends = "zero" }
)toml");
  const Finished finished = place.slideway({"check", "chain.toml", "--set", "N=400"});
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  CHECK(contains(finished.out, "not compared"));
}

TEST_CASE("names that nothing uses are remarked upon") {
  const std::string text = R"toml(
[parameters]
mu = 0.4
forgotten = 2
twice = "2*mu"
size = 3
seen = 1
[states]
v = 1.0
[time]
end = "size"
[definitions]
drive = "cos(t)"
unread = "v*twice"
[surfaces]
stick = "v"
named = "v - 2"
idle = "v - 3"
level = "v - 4"
[derivatives]
v = "-mu*sgn(v) - 0.1*sgn(named)"
[[records]]
when = "level + drive"
[options]
observe = ["E = seen*v^2"]
)toml";
  const Json document = check(text, 0);
  std::vector<std::string> unused;
  for (const Json& finding : document["findings"]) {
    const std::string remark = finding["text"];
    if (contains(remark, "is used nowhere")) unused.push_back(remark);
  }
  CHECK(unused == std::vector<std::string>{
                      "parameter 'forgotten' is used nowhere", "definition 'unread' is used nowhere",
                      "surface 'idle' is used nowhere; its crossings are events at which nothing changes"});
}

TEST_CASE("a guard that is past zero at the start is found before the run and told after it") {
  const std::string text = model("x = 2", "x = \"1\"",
                                 "[[resets]]\nname = \"late\"\nwhen = \"x - 1\"\ndirection = \"rising\"\n"
                                 "set = { x = 0 }\n[[stops]]\nname = \"there\"\nwhen = \"x - 9\"\n"
                                 "direction = \"rising\"\n");
  CHECK(found(check(text, 0), "warning", "reset 'late' is past zero (rising) at the start already"));
  CHECK_FALSE(found(check(text, 0), "warning", "'there'"));
  const Workplace place;
  place.write("model.toml", text);
  const Finished summary = place.slideway({"run", "model.toml"});
  CHECK(summary.status == 0);
  CHECK(contains(summary.out, "warning: reset 'late' has never fired"));
  const Json document = Json::parse(place.slideway({"run", "model.toml", "--json", "-"}).out);
  REQUIRE(document["warnings"].size() == 1);
  CHECK(contains(document["warnings"][0], "'late'"));
}

TEST_CASE("the summary tells the rounds of what fires at one instant") {
  const Workplace place;
  place.write("model.toml",
              "[states]\nx = 0\ny = 0\n[derivatives]\nx = \"1\"\ny = \"0\"\n[time]\nend = 2\n[[resets]]\n"
              "name = \"first\"\nwhen = \"x - 1\"\nset = { y = 5 }\n[[resets]]\nname = \"second\"\n"
              "when = \"y - 2\"\nset = { y = 0 }\n");
  const Finished finished = place.slideway({"run", "model.toml"});
  CHECK(contains(finished.out, "round 2: a jump carries the guard past zero"));
}
