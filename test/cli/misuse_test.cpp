// The refusals of the command before it runs, and their words.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include "test/cli/program.hpp"
#include "test/gnuplot_here.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::in_words;
using slideway::test::Workplace;

namespace {

const char* const ball =
    "[parameters]\ne = 0.9\n[states]\nx = 1.0\nv = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"v\"\nv = "
    "\"-9.8\"\n"
    "[[contacts]]\nname = \"floor\"\ngap = \"x\"\nacts_on = { v = \"1\" }\nrestitution = ";

const char* const pump =
    "initial = \"on\"\n[states]\nh = 0.0\n[time]\nend = 2.5\n[[locations]]\nname = \"on\"\n"
    "[locations.derivatives]\nh = \"1\"\n[[locations]]\nname = \"off\"\n[locations.derivatives]\nh = \"-1\"\n"
    "[[edges]]\nfrom = \"on\"\nto = \"off\"\nwhen = \"h - 1\"\ndirection = \"rising\"\n"
    "[[edges]]\nfrom = \"off\"\nto = \"on\"\nwhen = \"h\"\ndirection = \"falling\"\n";

const char* const relay =
    "[parameters]\na = 1\n[states]\nx = 1.0\n[time]\nend = 2.0\n[derivatives]\nx = \"-a*sgn(x)\"\n";

void refused(const Workplace& place, const std::vector<std::string>& arguments, const std::string& reason) {
  const Finished finished = place.slideway(arguments);
  CAPTURE(arguments.back());
  CAPTURE(finished.err);
  CHECK(finished.status == 2);
  CHECK(finished.out == "");
  CHECK(contains(finished.err, reason));
}

}  // namespace

TEST_CASE("a model file whose ending is left out or wrong is found") {
  const Workplace place;
  place.write("clutch.toml", relay);
  place.write("notes.txt", relay);
  for (const char* name : {"clutch", "clutch.tml", "clutch.TOML"})
    refused(place, {"run", name}, "did you mean 'clutch.toml'?");
  refused(place, {"check", "notes.txt"}, "did you mean './notes.txt'?");
  refused(place, {"run", "brake"}, "expected one of evaporator");
  CHECK(place.slideway({"run", "./notes.txt", "--quiet"}).status == 0);
}

TEST_CASE("a model that is not there is answered with what may be meant, files included") {
  const Workplace place;
  refused(place, {"run", "nosuch"},
          "hysteresis-evaporator; or a file whose name ends in .toml or .fmu, or has a / in it)\n");
  refused(place, {"run", "evaprator"}, "did you mean 'evaporator'?");
  refused(place, {"run", "evaprator.tml"}, "did you mean 'evaporator'?");
  refused(place, {"check", "evaprator.toml"}, "did you mean 'evaporator'?");
  refused(place, {"run", "friction"}, "did you mean 'friction-chain' or 'friction-belt'?");
  place.write("my_clutch.toml", relay);
  refused(place, {"run", "my_cluch"}, "did you mean 'my_clutch.toml'?");
  refused(place, {"run", "my_cluch.toml"}, "did you mean 'my_clutch.toml'?");
  refused(place, {"run", "my"}, "or has a / in it)\n");
}

TEST_CASE("a result through a symbolic link that leads to no file is refused before the run") {
  const Workplace place;
  std::filesystem::create_symlink("absent", place.path() / "link.svg");
  std::filesystem::create_symlink("loop.html", place.path() / "loop.html");
  for (const char* option : {"--csv", "--json", "--plot"})
    refused(place, {"run", "evaporator", option, "link.svg"},
            std::string(option) + ": cannot write 'link.svg': it is a symbolic link to 'absent'");
  refused(place, {"run", "evaporator", "--report", "loop.html"}, "which leads to no file");
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1,2", "--csv", "link.svg"}, "and that is not there");
  refused(place, {"compare", "evaporator", "--csv", "link.svg"}, "and that is not there");
  refused(place, {"check", "evaporator", "--json", "link.svg"}, "and that is not there");
  CHECK(place.files().size() == 2);
}

TEST_CASE("the model file is no place for a result under any of its names") {
  const Workplace place;
  place.write("m.toml", relay);
  std::filesystem::create_symlink("m.toml", place.path() / "link.svg");
  std::filesystem::create_hard_link(place.path() / "m.toml", place.path() / "hard.svg");
  const std::string whole = (place.path() / "m.toml").string();
  for (const std::string& name : {std::string("m.toml"), std::string("./m.toml"), whole,
                                  std::string("link.svg"), std::string("hard.svg")}) {
    for (const char* option : {"--csv", "--json"})
      refused(place, {"run", "m.toml", option, name}, "the output is the model file");
    refused(place, {"check", "m.toml", "--json", name}, "the output is the model file");
    refused(place, {"compare", "m.toml", "--csv", name}, "the output is the model file");
    refused(place, {"sweep", "m.toml", "--vary", "a=1,2", "--csv", name}, "the output is the model file");
  }
  refused(place, {"run", "m.toml", "--report", "m.toml"}, "the output is the model file");
  refused(place, {"run", "m.toml", "--plot", "link.svg"}, "the output is the model file");
  refused(place, {"run", "./m.toml", "--plot", "hard.svg"}, "the output is the model file");
  CHECK(place.read("m.toml") == relay);
}

TEST_CASE("two results in one file are refused under any of its names") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--json", "a.txt", "--csv", "./a.txt"},
          "would write to the same place");
  place.write("a.txt", "");
  std::filesystem::create_symlink("a.txt", place.path() / "b.txt");
  refused(place, {"run", "evaporator", "--json", "a.txt", "--csv", "b.txt"}, "would write to the same place");
  CHECK(place.read("a.txt") == "");
}

TEST_CASE("a restitution out of range is a mistake of the file") {
  const Workplace place;
  for (const char* value : {"1.5", "-0.5", "\"2*e\"", "\"-e\""}) {
    place.write("b.toml", std::string(ball) + value + "\n");
    refused(place, {"run", "b.toml"}, "b.toml:15:15: the restitution of contact 'floor' is out of range");
  }
  place.write("b.toml", std::string(ball) + "\"e\"\n");
  refused(place, {"run", "b.toml", "--set", "e=1.01"}, "from 0 (no bounce) to 1 (no loss), got 1.01");
  CHECK(place.slideway({"run", "b.toml", "--set", "e=1"}).status == 0);
  CHECK(place.slideway({"run", "b.toml", "--set", "e=0"}).status == 0);
}

TEST_CASE("the events of an automaton tell their locations") {
  const Workplace place;
  place.write("pump.toml", pump);
  const Finished finished = place.slideway({"run", "pump.toml"});
  CHECK(finished.status == 0);
  CHECK(contains(finished.out, "on → off"));
  CHECK(contains(finished.out, "off → on"));
  CHECK(contains(in_words(finished.out), "\nt 0 2.5\n"));
  CHECK(contains(in_words(finished.out), "\nlocation on on\n"));
}

TEST_CASE("advice names options of the command") {
  const Workplace place;
  const Finished steps = place.slideway({"run", "dry-friction", "--max-steps", "5"});
  CHECK(steps.status == 3);
  CHECK(contains(steps.out, "raise --max-steps"));
  const Finished events = place.slideway({"run", "dry-friction", "--max-events", "2"});
  CHECK(contains(events.out, "raise --max-events"));
  place.write("r.toml", "[states]\nx = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"sgn(x)\"\n");
  CHECK(contains(place.slideway({"run", "r.toml"}).out, "--on-ambiguity minus"));
  const Finished compared =
      place.slideway({"compare", "relay", "--max-evaluations", "1000", "--repeats", "1"});
  CHECK(contains(compared.out, "raise --max-evaluations"));
  CHECK_FALSE(contains(compared.out, "max_"));
  place.write("b.toml", std::string(ball) + "0.5\n");
  refused(place, {"run", "b.toml", "--set", "x=-0.5"},
          "violates contact 'floor' (expected a gap >= 0, got -0.5");
  refused(place, {"run", "b.toml", "--set", "x=-0.5"},
          "; change the initial state in [states] of the file or with --set");
}

TEST_CASE("an option without effect is refused") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--phase", "p,L"}, "--plot FILE or --report FILE");
  refused(place, {"run", "evaporator", "--title", "Two"}, "--plot FILE");
  refused(place, {"run", "evaporator", "--points", "9"}, "--csv FILE");
  refused(place, {"run", "evaporator", "--report", "a.txt"}, ".html");
  for (const char* method : {"dopri5", "adams"})
    refused(place, {"run", "evaporator", "--linear-solver", "klu", "--method", method},
            "--method bdf, rodas or auto");
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1:2:1"}, "at least 2 values");
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1,2", "--states", "p"}, "--plot FILE");
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1,2", "--transient", "100"},
          "the length of the runs, 60");
  refused(place, {"compare", "evaporator", "--step", "100"}, "the step is longer than the run");
}

TEST_CASE("what a command lacks, or has no use for, is named") {
  const Workplace place;
  refused(place, {"run"}, "`slideway run` lacks MODEL: a name of the catalogue");
  refused(place, {"sweep", "evaporator"}, "`slideway sweep` lacks --vary P=A:B:N: vary a parameter");
  refused(place, {"check", "evaporator", "belt"}, "`slideway check` has no use for 'belt'");
  refused(place, {"run", "evaporator", "-v"}, "`slideway run` has no option '-v'; `slideway run --help`");
  refused(place, {"--versio"}, "`slideway` has no option '--versio'; did you mean '--version'?");
  refused(place, {"run", "evaporator", "--set", "R_b=1/0"}, "('1/0': division by zero (expected a divisor");
  refused(place, {"run", "evaporator", "--observe", "p+L"},
          "expressions and definitions are observed of model");
}

TEST_CASE("a word in capitals is answered with the word that is meant") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--method", "BDF"}, "got 'BDF'; did you mean 'bdf'?\n");
  refused(place, {"run", "evaporator", "--on-ambiguity", "branch"},
          "got 'branch'; did you mean 'branches'?\n");
}

TEST_CASE("a run that meets what is not a number says where and what") {
  const Workplace place;
  place.write("tank.toml",
              "name = \"tank\"\n[states]\nh = 1.0\n[time]\nend = 9.0\n[definitions]\nq = \"2*sqrt(h)\"\n"
              "[derivatives]\nh = \"-0.5 - q\"\n");
  for (const char* method : {"bdf", "dopri5"}) {
    const Finished finished = place.slideway({"run", "tank.toml", "--method", method});
    CAPTURE(finished.out);
    CHECK(finished.status == 3);
    CHECK(contains(finished.out, ": the derivative of 'h' is not a number at t = 0."));
    CHECK(contains(finished.out, "tank.toml:9: h = \"-0.5 - q\", where sqrt(-"));
    CHECK(contains(finished.out, ") is not a number"));
    CHECK_FALSE(contains(finished.out, "threw"));
    CHECK_FALSE(contains(finished.out, "\"\""));
  }
  place.write("pole.toml", "[states]\nx = -1.0\n[time]\nend = 9.0\n[derivatives]\nx = \"1/t\"\n");
  const Finished start = place.slideway({"run", "pole.toml"});
  CAPTURE(start.out);
  CHECK(start.status == 3);
  CHECK(contains(start.out, "1/0 is infinite"));
}

TEST_CASE("a setting may be an expression of numbers") {
  const Workplace place;
  place.write("m.toml", relay);
  CHECK(contains(in_words(place.slideway({"run", "m.toml", "--set", "x=-1/3", "--t-end", "0"}).out),
                 "\nx -0.3333333333"));
  CHECK(contains(in_words(place.slideway({"run", "m.toml", "--set", "x=2*pi", "--t-end", "0"}).out),
                 "\nx 6.283185307"));
  CHECK(contains(place.slideway({"sweep", "m.toml", "--vary", "a=1/4:1/2:2"}).out, "0.25"));
  refused(place, {"run", "m.toml", "--set", "x=1/0"}, "division by zero");
  refused(place, {"run", "m.toml", "--set", "x=2*a"}, "unknown name");
  refused(place, {"run", "m.toml", "--set", "x=1 +"}, "not an expression");
  refused(place, {"run", "m.toml", "--set", "y=1"}, "expected one of a, x");
  refused(place, {"sweep", "m.toml", "--vary", "q=1,2"}, "expected one of a, x");
}

TEST_CASE("a picture tells sliding on several surfaces and the ends of all branches") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  place.write("m.toml",
              "[states]\nx = 0.0\ny = 1.0\n[time]\nend = 1.0\n[derivatives]\nx = \"sgn(x)\"\ny = \"-y\"\n");
  CHECK(
      place.slideway({"run", "m.toml", "--on-ambiguity", "branches", "--plot", "b.svg", "--quiet"}).status ==
      0);
  CHECK(contains(place.read("b.svg"), ">sliding<"));
  CHECK(place.slideway({"run", "three-surfaces", "--plot", "t.svg", "--quiet"}).status == 0);
  CHECK(contains(place.read("t.svg"), ">sliding on any surface<"));
}

TEST_CASE("the options of a model file are those of the command line which beats them") {
  const Workplace place;
  const std::string model =
      "[states]\nx = 1.0\nv = 0.0\n[time]\nend = 20.0\n[derivatives]\nx = \"v\"\nv = \"-x - 0.01*sgn(v)\"\n";
  place.write("m.toml", model +
                            "[options]\nmax_events = 2\nmax_step = 0.25\nselection = \"consistent\"\n"
                            "linear_solver = \"dense\"\nmax_steps = 1000\nobserve = [\"E = x^2 + v^2\"]\n");
  CHECK(contains(place.slideway({"run", "m.toml"}).out, "the limit of 2 events"));
  CHECK(contains(place.slideway({"run", "m.toml", "--max-events", "3"}).out, "the limit of 3 events"));
  const std::string shown = place.slideway({"show", "m.toml"}).out;
  for (const char* line : {"max_events = 2", "max_step = 0.25", "selection = consistent",
                           "linear_solver = dense", "max_steps = 1000", "observe = E = x^2 + v^2"})
    CHECK(contains(shown, line));
  place.write("short.toml", model + "[options]\nmax_steps = 5\n");
  CHECK(contains(place.slideway({"run", "short.toml"}).out, "the limit of 5 steps"));
  CHECK(contains(place.slideway({"run", "short.toml", "--max-steps", "6"}).out, "the limit of 6 steps"));
  place.write("few.toml", model + "[options]\nmethod = \"dopri5\"\n");
  place.write("many.toml", model + "[options]\nmethod = \"dopri5\"\nmax_step = 0.01\n");
  const auto rows = [&](const char* file) {
    const std::string table = place.slideway({"run", file, "--csv", "-"}).out;
    return std::count(table.begin(), table.end(), '\n');
  };
  CHECK(rows("few.toml") < 1000);
  CHECK(rows("many.toml") > 2000);
  for (const char* wrong : {"max_step = 0", "max_step = inf", "max_events = 0", "max_events = 1.5",
                            "max_steps = 0", "selection = \"first\"", "linear_solver = \"lu\""}) {
    place.write("w.toml", model + "[options]\n" + wrong + "\n");
    refused(place, {"run", "w.toml"}, "w.toml:10:");
  }
}

TEST_CASE("what is miscounted on the command line is told in words") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--rtol", "1e-3", "--rtol", "1e-5"},
          "slideway: --rtol is given twice; give it once");
  refused(place, {"run", "evaporator", "--t-end", "1", "--t-end", "2", "--t-end", "3"},
          "--t-end is given 3 times; give it once");
  refused(place, {"run", "evaporator", "--csv"}, "slideway: --csv lacks its FILE: write the trajectory");
  refused(place, {"run", "evaporator", "--rtol"}, "slideway: --rtol lacks its NUMBER: relative tolerance");
}

TEST_CASE("a whole number in another notation is answered with how to write it") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--max-events", "1e6"}, "got '1e6'; did you mean '1000000'?");
  refused(place, {"run", "evaporator", "--csv", "-", "--points", "1e3"}, "got '1e3'; did you mean '1000'?");
  refused(place, {"run", "evaporator", "--max-events", "1.5"}, "got '1.5'\n");
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1:2:1000000000"},
          "a whole number from 1 to 10000000");
}

TEST_CASE("a message names the option that it is about") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--phase", "x,y", "--plot", "a.svg"}, "slideway: --phase: ");
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1,2", "--states", "q", "--plot", "s.svg"},
          "slideway: --states: ");
  refused(place, {"run", "evaporator", "--end", "5"}, "has no option '--end'; did you mean '--t-end'?");
}

TEST_CASE("the name of a catalogue model with an ending is answered with the name") {
  const Workplace place;
  refused(place, {"run", "evaporator.toml"}, "the catalogue has 'evaporator'");
  place.write("evaporator.toml", relay);
  CHECK(place.slideway({"run", "evaporator.toml", "--quiet"}).status == 0);
}

TEST_CASE("two observables of one name are refused") {
  const Workplace place;
  place.write("r.toml", relay);
  refused(place, {"run", "r.toml", "--observe", "E=x^2", "--observe", "E=x^3"},
          "a name that is given twice in the observable 'E=x^3'");
}

TEST_CASE("what would have no effect is refused") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep", "evaporator", "--vary", "R_b=1,2"};
  for (const char* option : {"--direction", "--section-points"}) {
    std::vector<std::string> arguments = sweep;
    arguments.insert(arguments.end(), {option, option == std::string("--direction") ? "falling" : "7"});
    refused(
        place, arguments,
        std::string(option) + ": there are no arrivals to choose from (expected --section NAME beside it");
  }
  refused(place, {"run", "evaporator", "--report", "a.htm"}, "a file name that ends in .html");
}

TEST_CASE("no two columns of the table of a sweep have one name") {
  const Workplace place;
  place.write(
      "s.toml",
      "[parameters]\nstatus = 1\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-status*sgn(x)\"\n");
  refused(place, {"sweep", "s.toml", "--vary", "status=1,2"}, "two columns of the table would have one name");
}

TEST_CASE("a range without a number of values is answered with what the command has") {
  const Workplace place;
  refused(place, {"run", "evaporator", "--vary", "R_b=1:2"}, "give the number of values: R_b=1:2:3");
  refused(place, {"run", "evaporator", "--vary", "R_b=1:2:log"}, "give the number of values: R_b=1:2:3:log");
  CHECK(place.slideway({"run", "evaporator", "--vary", "R_b=1:2:3", "--quiet"}).status == 0);
  for (const char* axis : {"R_b=1:2", "R_b=1:2:3:4"}) {
    const Finished run = place.slideway({"run", "evaporator", "--vary", axis});
    CHECK(run.status == 2);
    CHECK_FALSE(contains(run.err, "draw"));
    CHECK_FALSE(contains(run.err, "--random"));
  }
  refused(place, {"sweep", "evaporator", "--vary", "R_b=1:2"}, "add --random N or --latin N");
}
