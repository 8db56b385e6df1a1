// Printed text fits the screen.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <doctest/doctest.h>

#include "test/cli/program.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;

namespace {

std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(
      line.begin(), line.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

void check_lines(const Finished& finished, std::size_t width) {
  CHECK(!finished.out.empty());
  std::istringstream in(finished.out);
  for (std::string line; std::getline(in, line);) CHECK_MESSAGE(columns_of(line) <= width, line);
}

std::vector<std::string> gallery() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(SLIDEWAY_SOURCE_DIR "/models/gallery"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 40);
  return files;
}

const char* const impacts =
    "[states]\nx = 0.0\nn = 0.0\n[time]\nend = 100.5\n[derivatives]\nx = \"1\"\nn = \"0\"\n"
    "[[resets]]\nname = \"heel strike\"\nwhen = \"x - 1\"\nset = { x = \"0\" }\n";

}  // namespace

TEST_CASE("what a run of a gallery model prints fits 80 and 60 columns") {
  const Workplace place;
  for (const std::string& file : gallery()) {
    CAPTURE(file);
    check_lines(place.slideway({"run", file}, "COLUMNS=60"), 60);
    check_lines(place.slideway({"run", file, "--all-events"}, "COLUMNS="), 80);
    for (const std::size_t width : {std::size_t{80}, std::size_t{60}})
      check_lines(place.slideway({"show", file}, "COLUMNS=" + std::to_string(width)), width);
  }
}

TEST_CASE("the lists, the check and the comparison fit 80 and 60 columns") {
  const Workplace place;
  for (const std::size_t width : {std::size_t{80}, std::size_t{60}}) {
    const std::string columns = "COLUMNS=" + std::to_string(width);
    check_lines(place.slideway({"models"}, columns), width);
    check_lines(place.slideway({"check", "evaporator"}, columns), width);
    check_lines(place.slideway({"check", "friction-chain"}, columns), width);
    check_lines(place.slideway({"compare", "evaporator", "--repeats", "1", "--error", "1e-3"}, columns),
                width);
    check_lines(place.slideway({"validate", "A01"}, columns), width);
  }
}

TEST_CASE("help fits the screen and shows an example of every command") {
  const Workplace place;
  for (const std::size_t width : {std::size_t{80}, std::size_t{60}, std::size_t{40}}) {
    const std::string columns = "COLUMNS=" + std::to_string(width);
    check_lines(place.slideway({"--help"}, columns), width);
    for (const char* command : {"models", "show", "run", "check", "compare", "sweep", "orbit", "equilibria",
                                "lyapunov", "fit", "validate", "completion"}) {
      const Finished help = place.slideway({command, "--help"}, columns);
      CAPTURE(command);
      CHECK(help.status == 0);
      check_lines(help, width);
      CHECK(contains(help.out, "Example"));
      CHECK(contains(help.out, std::string("  slideway ") + command));
    }
  }
}

TEST_CASE("repeated events are one row with the first and the last time, and each is listed on demand") {
  const Workplace place;
  place.write("walk.toml", impacts);
  const Finished brief = place.slideway({"run", "walk.toml"});
  CAPTURE(brief.out);
  CHECK(brief.status == 0);
  CHECK(contains(brief.out, "100 × heel strike (reset)"));
  CHECK_FALSE(contains(brief.out, "surface"));
  CHECK(contains(brief.out, "--all-events"));
  CHECK(contains(brief.out, "100 events"));
  const Finished all = place.slideway({"run", "walk.toml", "--all-events"});
  CHECK_FALSE(contains(all.out, "100 ×"));
  std::size_t rows = 0;
  for (std::size_t at = all.out.find("heel strike"); at != std::string::npos;
       at = all.out.find("heel strike", at + 1))
    ++rows;
  CHECK(rows >= 100);
  // The documents do not depend on what the screen shows.
  const Finished one = place.slideway({"run", "walk.toml", "--t-end", "1.5"});
  CHECK(contains(one.out, "1 event"));
  CHECK_FALSE(contains(one.out, "1 events"));
}

TEST_CASE("messages fit the screen, and are one line for programs") {
  const Workplace place;
  const std::vector<std::string> wrong = {"run", "dry-friction", "--set", "nu=0.3"};
  const Finished narrow = place.slideway(wrong, "COLUMNS=40");
  CHECK(narrow.status == 2);
  std::istringstream in(narrow.err);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) CHECK_MESSAGE(columns_of(line) <= 40, line);
  CHECK(lines > 1);
  const Finished unknown = place.slideway(wrong, "COLUMNS=");
  CHECK(std::count(unknown.err.begin(), unknown.err.end(), '\n') == 1);
  // The caret stays below the mistake that it shows in a file.
  place.write(
      "long.toml",
      "[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-x + 0.1*x + 0.2*x + 0.3*x + 0.4*x + y\"\n");
  const Finished file = place.slideway({"run", "long.toml"}, "COLUMNS=40");
  CHECK(file.status == 2);
  CHECK(contains(file.err, "x = \"-x + 0.1*x + 0.2*x + 0.3*x + 0.4*x + y\"\n"));
}

TEST_CASE("on a terminal messages and the bar of a sweep are no wider than it is") {
  if (std::system("script --version > /dev/null 2>&1") != 0) return;
  const Workplace place;
  for (const int width : {40, 60}) {
    CAPTURE(width);
    // The command has a terminal of its own.
    const std::string command =
        "cd '" + place.path().string() + "' && env -u COLUMNS script -qec \"stty cols " +
        std::to_string(width) + "; '" + SLIDEWAY_PROGRAM +
        "' sweep dry-friction --vary mu=0.1:0.9:3000 --csv s.csv; '" + SLIDEWAY_PROGRAM +
        "' run dry-friction --set nu=0.3\" /dev/null > .out 2>&1 < /dev/null";
    CHECK(std::system(command.c_str()) != 0);
    const std::string out = place.read(".out");
    CHECK(contains(out, "/3000"));
    CHECK(contains(out, "nu"));
    std::string line;
    for (const char character : out + "\n") {
      if (character != '\r' && character != '\n') {
        line += character;
        continue;
      }
      if (line.ends_with("\x1b[K")) line.resize(line.size() - 3);
      CHECK_MESSAGE(columns_of(line) <= static_cast<std::size_t>(width), line);
      line.clear();
    }
  }
}

TEST_CASE("columns of the event table without an entry are left out") {
  const Workplace place;
  place.write("walk.toml", impacts);
  const Finished walk = place.slideway({"run", "walk.toml", "--t-end", "1.5"});
  CHECK_FALSE(contains(walk.out, "w-"));
  CHECK_FALSE(contains(walk.out, "mode"));
  CHECK(contains(place.slideway({"run", "evaporator"}).out, "w-"));
}
