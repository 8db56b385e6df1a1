#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <doctest/doctest.h>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;

TEST_CASE("the catalogue has a line per model") {
  const Workplace place;
  const Finished finished = place.slideway({"models"});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  for (const char* name : {"evaporator", "dry-friction", "belt", "relay", "circle", "moving-surface"}) {
    CHECK_MESSAGE(contains(finished.out, name), name);
  }
  CHECK(std::count(finished.out.begin(), finished.out.end(), '\n') >= 6);
}

TEST_CASE("a model is shown with its equations, surfaces, parameters and defaults") {
  const Workplace place;
  const Finished finished = place.slideway({"show", "evaporator"});
  CHECK(finished.status == 0);
  for (const char* part :
       {"p' = -(R_pipe/I)*p + step(overflow)*L", "surface overflow: L - L_th", "overflow = 0   in p'",
        "R_pipe = 0.5", "resistance of the drain", "L = 0", "from 0 to 60", "Mosterman"}) {
    CHECK_MESSAGE(contains(finished.out, part), part);
  }
  CHECK(place.slideway({"show", "evaporate"}).status == 2);
  CHECK(place.slideway({"show"}).status == 2);
}

TEST_CASE("help goes to standard output and explains the options with their defaults") {
  const Workplace place;
  CHECK(place.slideway({"--help"}).status == 0);
  const Finished help = place.slideway({"run", "--help"});
  CHECK(help.status == 0);
  CHECK(help.err == "");
  for (const char* option :
       {"--set", "--t-end", "--rtol", "--atol", "--method", "--csv", "--json", "--plot", "--points",
        "--max-step", "--max-events", "--on-ambiguity", "--full-events", "--quiet"}) {
    CHECK_MESSAGE(contains(help.out, option), option);
  }
  CHECK(contains(help.out, "1e-6"));
  CHECK(contains(help.out, "rtol/100"));
  CHECK(contains(help.out, "Exit status"));
}

TEST_CASE("the version is one line") {
  const Workplace place;
  const Finished finished = place.slideway({"--version"});
  CHECK(finished.status == 0);
  CHECK(finished.out.substr(0, 9) == "slideway ");
  CHECK(std::count(finished.out.begin(), finished.out.end(), '\n') == 1);
}

TEST_CASE("a command line that makes no sense is misuse") {
  const Workplace place;
  const Finished nothing = place.slideway({});
  CHECK(nothing.status == 2);
  CHECK(nothing.out == "");
  CHECK(contains(nothing.err, "Usage"));
  const Finished misspelt = place.slideway({"rnu", "evaporator"});
  CHECK(misspelt.status == 2);
  CHECK(contains(misspelt.err, "did you mean 'run'?"));
  const Finished bare = place.slideway({"model.toml"});
  CHECK(bare.status == 2);
  CHECK(contains(bare.err, "slideway run model.toml"));
  CHECK(place.slideway({"run"}).status == 2);
  CHECK(place.slideway({"check", "evaporator", "belt"}).status == 2);
  CHECK(place.slideway({"run", "evaporator", "--unknown"}).status == 2);
  CHECK(contains(place.slideway({"run", "evaporator", "--tend=3"}).err,
                 "`slideway run` has no option '--tend'; did you mean '--t-end'?"));
  CHECK(place.slideway({"run", "evaporator", "--json"}).status == 2);
  CHECK(place.slideway({"run", "evaporator", "--phase", "p"}).status == 2);
}

TEST_CASE("a full standard output is noticed") {
  const int status =
      std::system((std::string(SLIDEWAY_PROGRAM) + " models > /dev/full 2> /dev/null").c_str());
  CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("the validation suite is run by name") {
  const Workplace place;
  const Finished one = place.slideway({"validate", "A01"});
  CAPTURE(one.out);
  CHECK(one.status == 0);
  CHECK(contains(one.out, "A01"));
  CHECK(place.slideway({"validate", "nonsense"}).status == 2);
  CHECK(place.slideway({"validate", "--rtol", "2"}).status == 2);
}

TEST_CASE("random models are validated by class, and their results are a table or a document") {
  const Workplace place;
  const std::vector<std::string> command = {"validate", "--random", "2",        "--class", "linear",
                                            "--rtol",   "1e-6",     "--method", "dopri5"};
  const Finished table = place.slideway(command);
  CAPTURE(table.out);
  CHECK(table.status == 0);
  CHECK(contains(table.out, "linear"));
  CHECK(contains(table.out, "timed out"));
  CHECK(place.slideway(command).out == table.out);
  std::vector<std::string> with_json = command;
  with_json.insert(with_json.end(), {"--json", "-"});
  CHECK(contains(place.slideway(with_json).out, "\"slideway.random/1\""));
  const Finished derivatives =
      place.slideway({"validate", "--random", "1", "--class", "linear", "--derivatives"});
  CHECK(derivatives.status == 0);
  CHECK(contains(derivatives.out, "undecided"));
  CHECK(place.slideway({"validate", "--derivatives"}).status == 2);
  const Finished unknown = place.slideway({"validate", "--random", "2", "--class", "linaer"});
  CHECK(unknown.status == 2);
  CHECK(contains(unknown.err, "linear"));
  CHECK(place.slideway({"validate", "--random", "0"}).status == 2);
  CHECK(place.slideway({"validate", "--seed", "3"}).status == 2);
  CHECK(place.slideway({"validate", "A01", "--random", "2"}).status == 2);
}

TEST_CASE("where slideway-validate is missing an error says what to build, after the command line was read") {
  const Workplace place;
  std::filesystem::copy_file(SLIDEWAY_PROGRAM, place.path() / "alone");
  const auto call = [&](const std::string& arguments) {
    const std::string line =
        "cd '" + place.path().string() + "' && PATH=/usr/bin ./alone " + arguments + " > .out 2> .err";
    const int status = std::system(line.c_str());
    return Finished{WEXITSTATUS(status), place.read(".out"), place.read(".err")};
  };
  const Finished missing = call("validate A01");
  CHECK(missing.status == 2);
  CHECK(contains(missing.err, "slideway_validate_program"));
  CHECK(contains(call("validate --rtol 2").err, "--rtol"));
  CHECK(call("validate --help").status == 0);
}

TEST_CASE("every file of the gallery is listed under a field, and is shown by its name from anywhere") {
  const Workplace place;
  const Finished listed = place.slideway({"models"});
  CHECK(contains(listed.out, "Gallery, Impacts and contacts:"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SLIDEWAY_SOURCE_DIR "/models/gallery")) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const std::string name = "gallery/" + entry.path().stem().string();
    CHECK_MESSAGE(contains(listed.out, "\n" + name + " "), name);
    CHECK_MESSAGE(place.slideway({"show", name}).status == 0, name);
  }
  CHECK(files >= 50);
  CHECK(place.slideway({"run", "gallery/chua.toml", "--quiet"}).status == 0);
}

TEST_CASE(
    "a misspelt name of the gallery is answered with the near one, and a file here comes before the "
    "gallery") {
  const Workplace place;
  const Finished misspelt = place.slideway({"show", "gallery/chuo"});
  CHECK(misspelt.status == 2);
  CHECK(contains(misspelt.err, "did you mean 'gallery/chua'?"));
  std::filesystem::create_directory(place.path() / "gallery");
  place.write("gallery/chua.toml",
              "name = \"mine\"\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-x\"\n");
  const Finished mine = place.slideway({"show", "gallery/chua.toml"});
  CHECK(mine.status == 0);
  CHECK(contains(mine.out, "mine"));
}

TEST_CASE("a program without its gallery tells where it looked, and how to have it") {
  const Workplace place;
  std::filesystem::create_directories(place.path() / "a/b/c/d/e/f/bin");
  const std::filesystem::path alone = place.path() / "a/b/c/d/e/f/bin/slideway";
  std::filesystem::copy_file(SLIDEWAY_PROGRAM, alone);
  const auto told = [&](const std::string& arguments) {
    const std::string command = "cd " + place.path().string() + " && " + alone.string() + " " + arguments +
                                " > told 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    return std::pair{WEXITSTATUS(status), place.read("told")};
  };
  const auto [listed, models] = told("models");
  CHECK(listed == 0);
  if (contains(models, "Gallery, Impacts")) return;  // the build's own installation is there
  CHECK(contains(models, "Gallery: not found; looked in"));
  CHECK(contains(models, (place.path() / "a/b/c/d/e/f/share/slideway").string()));
  const auto [refused, error] = told("run gallery/chua");
  CHECK(refused == 2);
  CHECK(contains(error, "the gallery was not found"));
  CHECK(contains(error, "SOURCE/models/gallery/chua.toml"));
}
