#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"
#include "test/gnuplot_here.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::in_words;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

Json run_json(std::vector<std::string> arguments) {
  const Workplace place;
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Finished finished = place.slideway(arguments);
  CAPTURE(finished.err);
  REQUIRE(finished.status != 2);
  return Json::parse(finished.out);
}

}  // namespace

TEST_CASE("the evaporator crosses its overflow level and then slides along it") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator"});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  CHECK(contains(finished.out, "crossing"));
  CHECK(contains(finished.out, "- → +"));
  CHECK(contains(finished.out, "sliding_entry"));
  CHECK(contains(finished.out, "+ → 0"));
  CHECK(contains(finished.out, "w- and w+ both positive"));
  CHECK(contains(finished.out, "reached_end at t = 60"));
  CHECK(contains(in_words(finished.out), "\nmode - 0\n"));
  CHECK(place.files().empty());

  const Json document = run_json({"evaporator", "--rtol", "1e-10"});
  REQUIRE(document["events"].size() == 2);
  CHECK(document["events"][0]["t"].get<double>() == doctest::Approx(7.662384356489860).epsilon(1e-8));
  CHECK(document["events"][1]["t"].get<double>() == doctest::Approx(10.98419612553311).epsilon(1e-8));
  CHECK(document["final"]["state"]["p"].get<double>() ==
        doctest::Approx(0.0866025403784438647).epsilon(1e-8));
  CHECK(document["final"]["mode"] == "0");
}

TEST_CASE("standard output holds the one document that was asked for") {
  const Workplace place;
  const Finished json = place.slideway({"run", "evaporator", "--json", "-"});
  CHECK(json.status == 0);
  CHECK(json.err == "");
  CHECK(Json::parse(json.out)["schema"] == "slideway.run/1");

  const Finished csv = place.slideway({"run", "evaporator", "--csv", "-", "--json", "e.json"});
  CHECK(csv.status == 0);
  CHECK(lines(csv.out).front() == "t,p,L,mode,location");
  for (const std::string& line : lines(csv.out)) CHECK(std::count(line.begin(), line.end(), ',') == 4);
  CHECK(Json::parse(place.read("e.json"))["model"] == "evaporator");
}

TEST_CASE("two documents on standard output are refused") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--json", "-", "--csv", "-"});
  CHECK(finished.status == 2);
  CHECK(finished.out == "");
  CHECK(contains(finished.err, "--csv and --json"));
  CHECK(place.slideway({"run", "evaporator", "--json", "a.txt", "--csv", "a.txt"}).status == 2);
  CHECK(place.files().empty());
}

TEST_CASE("a setting changes a parameter or an initial state and the last one wins") {
  const Json parameter = run_json({"evaporator", "--set", "L_th=0.9", "--set", "L_th=0.3"});
  CHECK(parameter["parameters"]["L_th"] == 0.3);
  CHECK(parameter["events"].empty());
  const Json state = run_json({"dry-friction", "--set", "x=-1.5", "--set", " v = 1e-1 ", "--t-end", "1"});
  CHECK(state["initial"]["state"]["x"] == -1.5);
  CHECK(state["initial"]["state"]["v"] == 0.1);
  CHECK(state["outcome"]["t"] == 1.0);
  CHECK(state["parameters"]["mu"] == 0.4);
}

TEST_CASE("options may stand before the model") {
  const Workplace place;
  const Finished finished = place.slideway(
      {"run", "--set", "L_th=0.3", "evaporator", "--set", "p=0.1", "--quiet", "--json", "e.json"});
  CHECK(finished.status == 0);
  const Json document = Json::parse(place.read("e.json"));
  CHECK(document["parameters"]["L_th"] == 0.3);
  CHECK(document["initial"]["state"]["p"] == 0.1);
}

TEST_CASE("the block on the belt starts at the speed of the belt unless it is told otherwise") {
  CHECK(run_json({"belt", "--set", "vb=0.2"})["initial"]["state"]["v"] == 0.2);
  CHECK(run_json({"belt", "--set", "v=0", "--set", "vb=0.2"})["initial"]["state"]["v"] == 0.0);
}

TEST_CASE("a wrong setting is refused with a reason and nothing is written") {
  const Workplace place;
  const auto refused = [&](const std::string& setting, const std::string& reason) {
    const Finished finished = place.slideway({"run", "evaporator", "--set", setting, "--json", "e.json"});
    CAPTURE(setting);
    CHECK(finished.status == 2);
    CHECK(finished.out == "");
    CHECK_MESSAGE(contains(finished.err, reason), finished.err);
  };
  refused("R_b=0", "above 0");
  refused("R_b=0", "R_b");
  refused("C=-1", "got -1");
  refused("I=nan", "finite");
  refused("R_b=inf", "finite");
  refused("R_B=1", "did you mean 'R_b'?");
  refused("R_b", "name=value");
  refused("=1", "name=value");
  refused("R_b=", "a number");
  refused("R_b=1x", "a number");
  refused("R_b=0x10", "a number");
  CHECK(place.files().empty());
}

TEST_CASE("a wrong option is refused with what was expected and what was got") {
  const Workplace place;
  const auto refused = [&](const std::vector<std::string>& options, const std::string& expected) {
    std::vector<std::string> arguments = {"run", "evaporator", "--json", "e.json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished finished = place.slideway(arguments);
    CAPTURE(options.front());
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(finished.out == "");
    CHECK(contains(finished.err, expected));
    CHECK(contains(finished.err, options.front()));
  };
  for (const char* value : {"0", "1", "-1e-6", "nan", "inf", "abc", "1e-6x", "", "1e999", "1e-18"}) {
    refused({"--rtol", value}, "a number from 1e-14 on and below 1");
  }
  for (const char* value : {"0", "-1", "nan", "x"}) refused({"--atol", value}, "a number above 0");
  for (const char* value : {"nan", "inf", "soon"}) refused({"--t-end", value}, "a finite number");
  refused({"--t-end", "-1"}, "not before the start at 0");
  for (const char* value : {"0", "-2", "nan"}) refused({"--max-step", value}, "a number above 0");
  for (const char* value : {"1", "0", "-5", "2.5", "many"})
    refused({"--points", value}, "a whole number from 2");
  for (const char* value : {"0", "-1", "1e3"}) refused({"--max-events", value}, "a whole number from 1");
  refused({"--method", "euler"}, "one of auto, bdf, adams, dopri5");
  refused({"--method", "adam"}, "did you mean 'adams'?");
  refused({"--on-ambiguity", "guess"}, "one of stop, minus, plus, slide");
  refused({"--plot", "picture.gif"}, ".svg, .png, .pdf, .tex or .gp");
  CHECK(place.files().empty());
}

TEST_CASE("the sliding rule and the selection are chosen by their words") {
  const Workplace place;
  for (const char* rule : {"filippov", "moments", "equivalent-control"})
    CHECK(place.slideway({"run", "evaporator", "--sliding-rule", rule, "--quiet"}).status == 0);
  for (const char* selection : {"consistent", "korobitsyn-frolova"})
    CHECK(place.slideway({"run", "evaporator", "--selection", selection, "--quiet"}).status == 0);
  CHECK(contains(place.slideway({"run", "evaporator", "--sliding-rule", "moment"}).err,
                 "did you mean 'moments'?"));
}

TEST_CASE("an unknown model is answered with the nearest one") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporater"});
  CHECK(finished.status == 2);
  CHECK(contains(finished.err, "did you mean 'evaporator'?"));
}

TEST_CASE("a file that cannot be written is refused before the run") {
  const Workplace place;
  for (const char* option : {"--json", "--csv", "--plot"}) {
    const Finished finished = place.slideway({"run", "evaporator", option, "absent/result.svg"});
    CAPTURE(option);
    CHECK(finished.status == 2);
    CHECK(finished.out == "");
    CHECK(contains(finished.err, "absent"));
    CHECK(contains(finished.err, option));
  }
  CHECK(place.slideway({"run", "evaporator", "--json", "/proc/result.json"}).status == 2);
}

TEST_CASE("a result that does not fit on the disk is an error") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--json", "/dev/full"});
  CHECK(finished.status == 1);
  CHECK(contains(finished.err, "cannot write"));
}

TEST_CASE("a run that stops early writes what there is and says why") {
  const Workplace place;
  const Finished finished =
      place.slideway({"run", "dry-friction", "--max-events", "3", "--json", "d.json", "--csv", "d.csv"});
  CHECK(finished.status == 3);
  CHECK(contains(finished.out, "step_limit"));
  const Json document = Json::parse(place.read("d.json"));
  CHECK(document["outcome"]["status"] == "step_limit");
  CHECK(document["events"].size() == 3);
  CHECK(document["outcome"]["t"] == document["final"]["t"]);
  CHECK(lines(place.read("d.csv")).size() > 3);

  const Finished quiet = place.slideway({"run", "dry-friction", "--max-events", "3", "--quiet"});
  CHECK(quiet.status == 3);
  CHECK(quiet.out == "");
  CHECK(contains(quiet.err, "step_limit"));
}

TEST_CASE("a quiet run prints nothing") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--quiet", "--csv", "e.csv"});
  CHECK(finished.status == 0);
  CHECK(finished.out == "");
  CHECK(finished.err == "");
  CHECK(place.has("e.csv"));
}

TEST_CASE("equally spaced rows come on top of the events") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--points", "7", "--csv", "-"});
  const auto rows = lines(finished.out);
  REQUIRE(rows.size() == 1 + 7 + 2);
  CHECK(rows[1] == "0,0,0,-,");
  CHECK(rows[2].substr(0, 5) == "7.662");
  CHECK(rows[3].substr(0, 3) == "10,");
  CHECK(rows[4].substr(0, 6) == "10.984");
  CHECK(contains(rows[4], ",0,"));
  CHECK(rows.back().substr(0, 3) == "60,");
}

TEST_CASE("a run of no length is a run") {
  const Workplace place;
  const Finished finished =
      place.slideway({"run", "evaporator", "--t-end", "0", "--csv", "e.csv", "--points", "5"});
  CHECK(finished.status == 0);
  CHECK(contains(finished.out, "no events"));
  CHECK(lines(place.read("e.csv")).size() >= 2);
}

TEST_CASE("a long event list shows repeated events once") {
  const Workplace place;
  const Finished brief = place.slideway({"run", "dry-friction"});
  CHECK(contains(brief.out, "--all-events"));
  const Finished full = place.slideway({"run", "dry-friction", "--full-events"});
  CHECK_FALSE(contains(full.out, "--all-events"));
  CHECK(lines(full.out).size() > lines(brief.out).size());
}

namespace {

// A mass on a leg with a spring. The leg is lifted while it is short, so a guard of the height alone is below zero on entering.
const char* const runner = R"toml(name = "runner"
initial = "flight"
[states]
y = 1.3
vy = 0
landed = 0
[time]
end = 6
[derivatives]
y = "vy"
vy = "-9.81"
landed = "0"
[[locations]]
name = "flight"
[[locations]]
name = "stance"
[locations.derivatives]
vy = "200*(1 - y) - 9.81"
[[edges]]
name = "touch-down"
from = "flight"
to = "stance"
when = "GUARD"
direction = "falling"
set = { landed = "landed + 1" }
[[edges]]
name = "take-off"
from = "stance"
to = "flight"
when = "min(y - 0.95, vy)"
direction = "rising"
)toml";

std::string with_guard(const std::string& guard) {
  std::string text = runner;
  return text.replace(text.find("GUARD"), 5, guard);
}

}  // namespace

TEST_CASE("an edge that fires beyond zero is told, and one guard for two conditions cures it") {
  const Workplace place;
  place.write("naive.toml", with_guard("y - 1"));
  const Finished naive = place.slideway({"run", "naive.toml"});
  CHECK(naive.status == 3);
  CHECK(
      contains(naive.out, "'touch-down' fires on entering 'flight', where its guard is beyond zero already"));
  CHECK(contains(naive.out, "the guard is beyond zero already\n"));
  place.write("cured.toml", with_guard("max(y - 1, vy)"));
  const Finished cured = place.slideway({"run", "cured.toml"});
  CHECK(cured.status == 0);
  CHECK_FALSE(contains(cured.out, "beyond zero"));
}

TEST_CASE("repeated events with other reasons are rows of their own, whatever numbers are in a reason") {
  const Workplace place;
  // Every other time the vessel is beyond its mark when it comes back.
  place.write("vessel.toml", R"toml(initial = "fills"
[states]
x = 0.5
clock = 0
more = 1
[time]
end = 30
[derivatives]
x = "0"
clock = "0"
more = "0"
[[locations]]
name = "fills"
[locations.derivatives]
x = "1"
[[locations]]
name = "waits"
[locations.derivatives]
clock = "1"
[[edges]]
name = "full"
from = "fills"
to = "waits"
when = "x - 1"
direction = "rising"
[[edges]]
name = "back"
from = "waits"
to = "fills"
when = "clock - 1"
direction = "rising"
set = { clock = "0", x = "0.5 + more", more = "1 - more" }
)toml");
  const Finished several = place.slideway({"run", "vessel.toml"});
  std::size_t rows = 0;
  for (const std::string& line : lines(several.out)) rows += contains(line, "× full (transition)") ? 1 : 0;
  CAPTURE(several.out);
  CHECK(rows == 2);
  CHECK(contains(several.out, "round 2: the guard is beyond zero already"));
  const Finished ball = place.slideway({"run", "bouncing-ball"});
  std::size_t impacts = 0;
  for (const std::string& line : lines(ball.out)) impacts += contains(line, "(impact)") ? 1 : 0;
  CHECK(impacts == 1);
  CHECK(contains(ball.out, "approach at …"));
}

TEST_CASE("where a potential runs to infinity, the implicit methods name the explicit one") {
  const Workplace place;
  place.write("up.toml", "[states]\nx = 0\n[time]\nend = 30\n[derivatives]\nx = \"exp(x)\"\n");
  for (const char* method : {"rodas", "bdf"}) {
    const Finished finished = place.slideway({"run", "up.toml", "--method", method});
    CAPTURE(finished.out);
    CHECK(finished.status == 3);
    CHECK(contains(finished.out, "loosen --rtol, or take --method dopri5"));
  }
  CHECK_FALSE(contains(place.slideway({"run", "up.toml", "--method", "dopri5"}).out, "--method dopri5"));
}

TEST_CASE("both methods find the same events") {
  for (const char* model : {"evaporator", "dry-friction", "belt", "relay", "circle", "moving-surface"}) {
    const Json bdf = run_json({model, "--method", "bdf", "--rtol", "1e-9"});
    const Json adams = run_json({model, "--method", "adams", "--rtol", "1e-9"});
    CAPTURE(model);
    REQUIRE(bdf["events"].size() > 0);
    REQUIRE(bdf["events"].size() == adams["events"].size());
    for (std::size_t i = 0; i < bdf["events"].size(); ++i) {
      CHECK(bdf["events"][i]["kind"] == adams["events"][i]["kind"]);
      CHECK(bdf["events"][i]["t"].get<double>() ==
            doctest::Approx(adams["events"][i]["t"].get<double>()).epsilon(1e-6));
    }
  }
}

TEST_CASE("a run draws its picture") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--plot", "it's a picture.svg"});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  CHECK(contains(place.read("it's a picture.svg"), "</svg>"));
  CHECK(place.files().size() == 1);
}

TEST_CASE("documents of one kind may be asked for several times") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--csv", "a.csv", "--csv", "b.csv", "--json",
                                            "a.json", "--json", "b.json", "--quiet"});
  CHECK(finished.status == 0);
  CHECK(place.read("a.csv") == place.read("b.csv"));
  CHECK(place.read("a.json") == place.read("b.json"));
  CHECK(place.files().size() == 4);
  CHECK(place.slideway({"run", "evaporator", "--csv", "c.csv", "--csv", "c.csv"}).status == 2);
  CHECK(place.files().size() == 4);
}

TEST_CASE("a picture has the title asked for, else the name of the model") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const Finished named =
      place.slideway({"run", "evaporator", "--title", "Anna's {x_1}; \\n & <b>", "--plot", "t.svg"});
  CAPTURE(named.err);
  CHECK(named.status == 0);
  CHECK(contains(place.read("t.svg"), "Anna's {x_1}; \\n &amp; &lt;b>"));
  CHECK_FALSE(contains(place.read("t.svg"), "evaporator"));
  CHECK(place.slideway({"run", "evaporator", "--title", "", "--plot", "u.svg"}).status == 0);
  CHECK(contains(place.read("u.svg"), "evaporator"));
}

TEST_CASE("a script to edit draws the part of the run and the events asked for, in the size asked for") {
  const Workplace place;
  const auto script = [&](std::vector<std::string> options) {
    std::vector<std::string> words = {"run", "dry-friction", "--plot", "p.gp"};
    words.insert(words.end(), options.begin(), options.end());
    const Finished done = place.slideway(words);
    CAPTURE(done.err);
    CHECK(done.status == 0);
    return place.read("p.gp");
  };
  const std::string whole = script({});
  CHECK(contains(whole, "set output 'p.svg'"));
  CHECK(contains(whole, "$events1 <<"));
  CHECK(contains(whole, "$start <<"));
  const std::string sliding = script({"--markers", "sliding"});
  CHECK(contains(sliding, "$events1 <<"));
  CHECK_FALSE(contains(sliding, "$events0 <<"));
  CHECK_FALSE(contains(script({"--markers", "none"}), "$events"));
  CHECK(contains(script({"--size", "640x480"}), "size 640,480"));
  const std::string part = script({"--t-range", "2:3.5"});
  CHECK(contains(part, "set xrange [2:3.5]"));
  CHECK_FALSE(contains(part, "$start <<"));
  CHECK(contains(part, "\n2 "));
  CHECK(contains(part, "\n3.5 "));
  CHECK_FALSE(contains(part, "\n0 "));
  if (!slideway::test::gnuplot_is_here()) return;
  CHECK(place.slideway({"run", "dry-friction", "--t-range", "2:3.5", "--plot", "p.svg"}).status == 0);
  CHECK(contains(place.read("p.svg"), "<svg"));
}

TEST_CASE("a phase portrait is drawn of two or three chosen states") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  place.write("three.toml",
              "[states]\nx = 1\ny = 0\nz = 0.5\n[time]\nend = 9\n[derivatives]\nx = \"y\"\n"
              "y = \"-x - 0.5*sgn(y + z)\"\nz = \"-0.2*z\"\n");
  const Finished plane =
      place.slideway({"run", "three.toml", "--phase", "x, z", "--plot", "p.svg", "--plot", "p.png"});
  CAPTURE(plane.err);
  CHECK(plane.status == 0);
  CHECK(contains(place.read("p.svg"), "</svg>"));
  CHECK(place.read("p.png").substr(1, 3) == "PNG");
  const Finished space = place.slideway({"run", "three.toml", "--phase", "x,y,z", "--plot", "s.svg"});
  CAPTURE(space.err);
  CHECK(space.status == 0);
  CHECK(contains(place.read("s.svg"), "</svg>"));
  for (const char* states : {"x", "x,q", "x,x", "x,,y", ""}) {
    const Finished refused = place.slideway({"run", "three.toml", "--phase", states, "--plot", "r.svg"});
    CAPTURE(states);
    CHECK(refused.status == 2);
  }
  CHECK_FALSE(place.has("r.svg"));
}

TEST_CASE(
    "without gnuplot the run still runs, says what is missing, and fails where a picture was asked for") {
  const Workplace place;
  const Finished finished =
      place.slideway({"run", "evaporator", "--plot", "e.svg", "--json", "e.json"}, "PATH=/nonexistent");
  CHECK(finished.status == 1);
  CHECK(contains(finished.out, "sliding_entry"));
  CHECK(contains(finished.out, "e.json"));
  CHECK(contains(finished.err, "'e.svg' is not written: gnuplot cannot be run"));
  CHECK(contains(finished.err, "install"));
  CHECK_FALSE(place.has("e.svg"));
  CHECK(place.has("e.json"));
  // A script and a page are written without it.
  CHECK(place
            .slideway({"run", "evaporator", "--plot", "e.gp", "--report", "e.html", "--quiet"},
                      "PATH=/nonexistent")
            .status == 0);
  CHECK(place.has("e.gp"));
  CHECK(place.has("e.html"));
  for (const char* picture : {"p.png", "p.pdf", "p.tex"}) {
    CAPTURE(picture);
    CHECK(place.slideway({"run", "evaporator", "--plot", picture, "--quiet"}, "PATH=/nonexistent").status ==
          1);
    CHECK_FALSE(place.has(picture));
  }
  CHECK_FALSE(place.has("p-inc.pdf"));
  CHECK(place
            .slideway(
                {"sweep", "evaporator", "--vary", "R_b=1,2", "--csv", "s.csv", "--plot", "s.svg", "--quiet"},
                "PATH=/nonexistent")
            .status == 1);
  CHECK(place.has("s.csv"));
  CHECK_FALSE(place.has("s.svg"));
  const Finished early =
      place.slideway({"run", "dry-friction", "--plot", "e.svg", "--max-events", "3"}, "PATH=/nonexistent");
  CHECK(early.status == 1);
}

TEST_CASE("output that is not a terminal is plain") {
  const Workplace place;
  CHECK_FALSE(contains(place.slideway({"run", "evaporator"}, "TERM=xterm").out, "\x1b"));
}

TEST_CASE("the work of friction is told when it is asked for") {
  const Workplace place;
  const Finished belt = place.slideway({"run", "friction-belt", "--passivity"});
  CHECK(belt.status == 0);
  CHECK(contains(belt.out, "passivity"));
  CHECK(contains(belt.out, ": passive"));
  const Json document = run_json({"friction-belt", "--set", "law=8", "--passivity"});
  REQUIRE(document["statistics"]["friction"].size() == 1);
  const Json friction = document["statistics"]["friction"][0];
  CHECK(friction["name"] == "F");
  CHECK(friction["work"].get<double>() > 0);
  CHECK(friction["passive"] == true);
  CHECK(friction["passivity_margin"].get<double>() ==
        friction["least_work"].get<double>() + friction["stored_at_start"].get<double>());
  CHECK(!run_json({"friction-belt"})["statistics"].contains("friction"));

  place.write("pushes.toml",
              "[states]\nx = 0.0\n[time]\nend = 10.0\n[friction]\n"
              "F = { law = 'exponential-literal', velocity = '-0.01', Fc = 1, Fs = 2.5, vs = 0.1 }\n"
              "[derivatives]\nx = '-0.01*F/F'\n");
  const Finished pushes = place.slideway({"run", "pushes.toml", "--passivity"});
  CHECK(contains(pushes.out, "NOT passive"));

  const Finished relay = place.slideway({"run", "relay", "--passivity"});
  CHECK(relay.status == 2);
  CHECK(contains(relay.err, "does not say which of its forces are friction"));
}

TEST_CASE("what is observed is a column, a curve and a value") {
  const Workplace place;
  place.write("block.toml",
              "[states]\nx = 0.0\nv = 1.0\n[time]\nend = 4.0\n[definitions]\nF = '0.5*sgn(v)'\n"
              "[derivatives]\nx = 'v'\nv = '0.25 - F'\n[options]\nobserve = ['F']\n");
  // v = 1 − 0.25 t until t = 4, where friction holds the block with what pushes it.
  const Finished table = place.slideway({"run", "block.toml", "--t-end", "6", "--observe", "F", "--observe",
                                         "E = 0.5*v^2", "--csv", "-", "--points", "3"});
  CAPTURE(table.err);
  const std::vector<std::string> rows = lines(table.out);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0] == "t,x,v,F,E,mode,location");
  CHECK(rows[1] == "0,0,1,0.5,0.5,+,");
  // The event has a row before and one after, since the force is another.
  CHECK(contains(rows[3], ",0.5,"));
  CHECK(contains(rows[3], ",+,"));
  CHECK(contains(rows[4], ",0.25,"));
  CHECK(contains(rows[4], ",0,"));
  CHECK(rows[3].substr(0, rows[3].find(',')) == rows[4].substr(0, rows[4].find(',')));
  CHECK(contains(rows[5], ",0,0.25,0,0,"));

  const Finished told =
      place.slideway({"run", "block.toml", "--json", "r.json", "--plot", "p.svg", "--report", "r.html"});
  CHECK(told.status == 0);
  CHECK(contains(in_words(told.out), "\nF 0.5 0."));
  const Json document = Json::parse(place.read("r.json"));
  CHECK(document["initial"]["observed"]["F"] == 0.5);
  CHECK(contains(place.read("p.svg"), ">F<"));
  CHECK(contains(place.read("r.html"), "\"names\":[\"x\",\"v\",\"F\"]"));

  const Finished unknown = place.slideway({"run", "block.toml", "--observe", "G", "--csv", "g.csv"});
  CHECK(unknown.status == 2);
  CHECK(contains(unknown.err, "unknown name in the observable 'G'"));
  CHECK_FALSE(place.has("g.csv"));

  const Finished ball = place.slideway({"run", "bouncing-ball", "--observe", "floor"});
  CHECK(contains(in_words(ball.out), "\nfloor 0 9.8\n"));
  const Finished belt = place.slideway({"run", "friction-belt", "--observe", "F"});
  CHECK(contains(belt.out, "\nF "));
}

TEST_CASE("a stiff run with many events names rodas, which has the same events") {
  const Workplace place;
  place.write(
      "lag.toml",
      "name = \"lag\"\n[states]\nx = 2.0\nv = 0.0\ny = 0.0\n[time]\nend = 500\n[derivatives]\nx = \"v\"\n"
      "v = \"-x - 0.4*sgn(v) + cos(0.5*t)\"\ny = \"1e6*(v - y)\"\n");
  const Finished automatic = place.slideway({"run", "lag.toml", "--rtol", "1e-4"});
  REQUIRE(automatic.status == 0);
  CHECK(contains(automatic.out,
                 "the problem is stiff there, with so many events --method rodas may be faster"));
  const auto modes = [&](const std::string& method, const std::string& rtol) {
    const Finished finished =
        place.slideway({"run", "lag.toml", "--rtol", rtol, "--method", method, "--json", "-"});
    REQUIRE(finished.status == 0);
    const Json document = Json::parse(finished.out);
    std::vector<std::string> words;
    for (const Json& event : document["events"]) words.push_back(event["to"]);
    return words;
  };
  const std::vector<std::string> expected = modes("bdf", "1e-6");
  CHECK(expected.size() == 157);
  for (const std::string rtol : {"1e-4", "1e-6", "1e-8"}) CHECK(modes("rodas", rtol) == expected);
}

TEST_CASE("a run that fails is not said not to be stiff") {
  const Workplace place;
  place.write("pole.toml",
              "name = \"pole\"\n[states]\nx = 1.0\n[time]\nend = 5\n[derivatives]\nx = \"x^2\"\n");
  const Finished finished = place.slideway({"run", "pole.toml"});
  CHECK(finished.status != 0);
  CHECK_FALSE(contains(finished.out, "not stiff"));
}

TEST_CASE("--adjoint tells the gradient of quantities at the end by all parameters and initial values") {
  const Workplace place;
  place.write("ramp.toml",
              "[parameters]\np = 2.0\n[states]\nx = 0.25\ny = 0.0\n[time]\nend = 2.0\n"
              "[derivatives]\nx = \"1\"\ny = \"if(x > 1, p, 1)\"\n");
  // x = 1 at t = 0.75, so that y = 0.75 + 1.25 p at the end, and E = p y.
  const Finished written = place.slideway(
      {"run", "ramp.toml", "--rtol", "1e-9", "--adjoint", "y", "--adjoint", "E = p*y", "--json", "-"});
  CAPTURE(written.err);
  REQUIRE(written.status == 0);
  const Json document = Json::parse(written.out);
  const Json& found = document["gradients"];
  CHECK(found["by"] == Json({"p", "x", "y"}));
  CHECK(found["left_out"].empty());
  CHECK(found["exist_until"].is_null());
  CHECK(found["final"]["y"]["p"].get<double>() == doctest::Approx(1.25).epsilon(1e-8));
  CHECK(found["final"]["y"]["x"].get<double>() == doctest::Approx(1).epsilon(1e-8));
  CHECK(found["final"]["E"]["p"].get<double>() == doctest::Approx(5.75).epsilon(1e-8));
  CHECK(found["final"]["E"]["y"].get<double>() == doctest::Approx(2).epsilon(1e-8));

  const Finished finished = place.slideway({"run", "ramp.toml", "--adjoint", "y"});
  CHECK(finished.status == 0);
  CHECK(contains(in_words(finished.out), "\np 1.25\n"));
  const Finished misspelt = place.slideway({"run", "ramp.toml", "--adjoint", "yy"});
  CHECK(misspelt.status == 2);
  CHECK(contains(misspelt.err, "yy"));
  const Finished counted = place.slideway({"run", "heat-rod", "--set", "n=5", "--adjoint", "u1"});
  CHECK(counted.status == 0);
  CHECK(contains(counted.out, "no derivatives by n"));
}

TEST_CASE("derivatives from a start on a surface are shown for both sides") {
  const Workplace place;
  // From x = 1 - e, y rises at 1 for the time e and then at p = 2.
  place.write("ramp.toml", R"TOML(
[parameters]
p = 2.0
[states]
x = 1.0
y = 0.0
[time]
end = 2.0
[derivatives]
x = "1"
y = "if(x > 1, p, 1)"
)TOML");
  const Finished shown = place.slideway({"run", "ramp.toml", "--sensitivity", "x"});
  CAPTURE(shown.err);
  CAPTURE(shown.out);
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "at the start"));
  CHECK(contains(shown.out, "d/d(x) below"));
  CHECK(contains(shown.out, "d/d(x) above"));
  CHECK(contains(in_words(shown.out), "y 1 0"));
}
