#include <algorithm>
#include <csignal>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"
#include "test/cli/table.hpp"
#include "test/gnuplot_here.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::split;
using slideway::test::Started;
using slideway::test::Table;
using slideway::test::with;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> ten_thousand = {
    "sweep", "evaporator", "--vary",   "R_b=0.5:2:100", "--vary", "L_th=0.05:0.3:100",
    "--csv", "map.csv",    "--method", "bdf",           "--rtol", "1e-8"};

}  // namespace

TEST_CASE("every combination of the varied values is a row with its number") {
  const Workplace place;
  const Finished finished = place.slideway(
      {"sweep", "dry-friction", "--vary", "mu=0.1:0.5:3", "--vary", "x=1,2", "--t-end", "20", "--csv", "-"});
  CHECK(finished.status == 0);
  const Table table(finished.out);
  REQUIRE(table.rows.size() == 6);
  const std::vector<std::pair<double, double>> expected = {{0.1, 1}, {0.1, 2}, {0.3, 1},
                                                           {0.3, 2}, {0.5, 1}, {0.5, 2}};
  for (std::size_t row = 0; row < 6; ++row) {
    CHECK(table.cell(row, "run") == std::to_string(row));
    CHECK(table.number(row, "mu") == doctest::Approx(expected[row].first).epsilon(1e-15));
    CHECK(table.number(row, "x") == expected[row].second);
    CHECK(table.cell(row, "status") == "reached_end");
    CHECK(table.cell(row, "t") == "20");
  }
  CHECK(!table.has("message"));
}

TEST_CASE("a row of a sweep holds the numbers of the single run") {
  const Workplace place;
  const Table table(
      place.slideway({"sweep", "dry-friction", "--vary", "mu=0.1:0.7:4", "--rtol", "1e-8"}).out);
  REQUIRE(table.rows.size() == 4);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const Finished single =
        place.slideway({"run", "dry-friction", "--set", "mu=" + table.cell(row, "mu"), "--rtol", "1e-8",
                        "--json", "run.json", "--csv", "-", "--points", "20001"});
    const Json run = Json::parse(place.read("run.json"));
    CHECK(table.number(row, "final_x") == run["final"]["state"]["x"].get<double>());
    CHECK(table.number(row, "final_v") == run["final"]["state"]["v"].get<double>());
    CHECK(table.cell(row, "mode") == run["final"]["mode"]);
    CHECK(table.number(row, "events") == static_cast<double>(run["events"].size()));
    const auto entries = std::count_if(run["events"].begin(), run["events"].end(),
                                       [](const Json& event) { return event["kind"] == "sliding_entry"; });
    CHECK(table.number(row, "count_sliding_entry") == static_cast<double>(entries));

    const Table rows(single.out);
    double least = 1e300, greatest = -1e300;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      least = std::min(least, rows.number(i, "v"));
      greatest = std::max(greatest, rows.number(i, "v"));
    }
    CHECK(table.number(row, "min_v") == doctest::Approx(least).epsilon(1e-6));
    CHECK(table.number(row, "max_v") == doctest::Approx(greatest).epsilon(1e-6));
  }
}

TEST_CASE("the table does not depend on the number of threads") {
  const Workplace place;
  const std::vector<std::string> plain = {"sweep", "belt", "--vary", "vb=0.05:1:12:log"};
  const Finished one = place.slideway(with(plain, {"--jobs", "1"}));
  const Finished many = place.slideway(with(plain, {"--jobs", "5"}));
  CHECK(one.status == 0);
  CHECK(Table(one.out).rows.size() == 12);
  CHECK(one.out == many.out);
}

TEST_CASE("equal ratios are hit at both ends") {
  const Workplace place;
  const Table table(
      place.slideway({"sweep", "evaporator", "--vary", "R_b=0.1:10:5:log", "--t-end", "1"}).out);
  REQUIRE(table.rows.size() == 5);
  CHECK(table.cell(0, "R_b") == "0.1");
  CHECK(table.number(2, "R_b") == doctest::Approx(1).epsilon(1e-15));
  CHECK(table.cell(4, "R_b") == "10");
}

TEST_CASE("the section holds the states where the solution arrives at the surface") {
  const Workplace place;
  const Finished finished = place.slideway({"sweep", "dry-friction", "--vary", "mu=0.2,0.4", "--section",
                                            "stick", "--transient", "30", "--direction", "falling"});
  CAPTURE(finished.err);
  const Table table(finished.out);
  const Json run = Json::parse(place.slideway({"run", "dry-friction", "--set", "mu=0.4", "--json", "-"}).out);
  std::vector<double> expected;
  for (const Json& event : run["events"]) {
    if (event["t"] >= 30 && event["from"] == "+" && event["to"] != "+")
      expected.push_back(event["before"]["x"]);
  }
  REQUIRE(expected.size() > 3);
  CHECK(table.number(1, "crossings") == static_cast<double>(expected.size()));
  const auto cells = split(table.cell(1, "section_x"), ' ');
  REQUIRE(cells.size() == expected.size());
  for (std::size_t k = 0; k < cells.size(); ++k) CHECK(std::stod(cells[k]) == expected[k]);
  const Table last(place
                       .slideway({"sweep", "dry-friction", "--vary", "mu=0.4", "--section", "stick",
                                  "--transient", "30", "--direction", "falling", "--section-points", "2"})
                       .out);
  CHECK(split(last.cell(0, "section_x"), ' ') == std::vector(cells.end() - 2, cells.end()));
  CHECK(last.number(0, "crossings") == static_cast<double>(expected.size()));
}

TEST_CASE("a run that fails is a row with its message") {
  const Workplace place;
  const Finished finished =
      place.slideway({"sweep", "evaporator", "--vary", "R_b=1,0,2", "--max-events", "1", "--csv", "e.csv"});
  CHECK(finished.status == 0);
  CHECK(contains(finished.err, "3 stopped early"));
  const auto lines = split(place.read("e.csv"), '\n');
  REQUIRE(lines.size() >= 4);
  CHECK(contains(lines[1], "step_limit"));
  CHECK(contains(lines[2], "refused"));
  CHECK(contains(lines[2], "above 0"));
  CHECK(contains(lines[3], "step_limit"));
}

TEST_CASE("a sweep that makes no sense is refused before the first run") {
  const Workplace place;
  const auto refused = [&](const std::vector<std::string>& options, const std::string& reason) {
    std::vector<std::string> arguments = {"sweep", "evaporator", "--csv", "e.csv"};
    const Finished finished = place.slideway(with(arguments, options));
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, reason));
  };
  refused({}, "--vary");
  refused({"--vary", "R_b"}, "first:last:count");
  refused({"--vary", "R_b=1:2"}, "first:last:count");
  refused({"--vary", "R_b=1:2:0"}, "whole number");
  refused({"--vary", "R_b=1:2:x"}, "whole number");
  refused({"--vary", "R_b=1:nan:3"}, "finite");
  refused({"--vary", "R_b=-1:1:3:log"}, "one sign");
  refused({"--vary", "R_b=1,,2"}, "number");
  refused({"--vary", "R_B=1,2"}, "did you mean 'R_b'?");
  refused({"--vary", "R_b=1,2", "--vary", "R_b=3"}, "twice");
  refused({"--vary", "R_b=1,2", "--set", "R_b=3"}, "set and varied");
  refused({"--vary", "R_b=1:2:10000", "--vary", "L_th=1:2:10000"}, "too many");
  refused({"--vary", "R_b=1,2", "--section", "overfow"}, "did you mean 'overflow'?");
  refused({"--vary", "R_b=1,2", "--jobs", "0"}, "whole number from 1");
  refused({"--vary", "R_b=1,2", "--states", "q"}, "q");
  refused({"--vary", "R_b=1,2", "--plot", "p.gif"}, ".svg");
  refused({"--vary", "R_b=1,2", "--vary", "L_th=1,2", "--vary", "C=1,2", "--plot", "p.svg"}, "one or two");
  CHECK(place.files().empty());
  CHECK(place.slideway({"sweep", "evaporator", "--vary", "R_b=1,2", "--resume"}).status == 2);
}

TEST_CASE("a sweep of ten thousand runs is interrupted and resumed") {
  const Workplace place;
  Started sweep(place, with(ten_thousand, {"--jobs", "2"}));
  REQUIRE(sweep.wait_until([&] { return place.has("map.csv"); }, 120));
  sweep.signal(SIGINT);
  const Finished stopped = sweep.wait();
  CAPTURE(stopped.err);
  CHECK(stopped.status == 3);
  CHECK(contains(stopped.err, "--resume"));
  const std::size_t done = Table(place.read("map.csv")).rows.size();
  CHECK(done > 0);
  CHECK(done < 10000);

  const Finished resumed = place.slideway(with(ten_thousand, {"--resume"}));
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.err, std::to_string(done) + " of them taken over"));
  const std::string text = place.read("map.csv");
  const Table table(text);
  REQUIRE(table.rows.size() == 10000);
  for (std::size_t row = 0; row < 10000; row += 1111) CHECK(table.cell(row, "run") == std::to_string(row));

  CHECK(place.slideway(ten_thousand).status == 0);
  CHECK(place.read("map.csv") == text);
  CHECK(place.files().size() == 1);
}

TEST_CASE("a sweep that is killed leaves a table that can be resumed") {
  const Workplace place;
  Started sweep(place, ten_thousand);
  REQUIRE(sweep.wait_until([&] { return place.has("map.csv"); }, 120));
  sweep.signal(SIGKILL);
  sweep.wait();
  CHECK(Table(place.read("map.csv")).rows.size() > 0);
}

TEST_CASE("only the table of the same sweep is resumed") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep", "evaporator", "--vary", "R_b=1,2", "--csv", "e.csv"};
  CHECK(place.slideway(sweep).status == 0);
  const std::string text = place.read("e.csv");
  const auto refused = [&](const std::vector<std::string>& arguments) {
    const Finished finished = place.slideway(with(arguments, {"--resume"}));
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, "does not belong to this sweep"));
    CHECK(place.read("e.csv") == text);
  };
  refused(with(sweep, {"--rtol", "1e-8"}));
  refused(with(sweep, {"--set", "L_th=0.2"}));
  refused({"sweep", "evaporator", "--vary", "R_b=1,3", "--csv", "e.csv"});
  refused({"sweep", "evaporator", "--vary", "L_th=1,2", "--csv", "e.csv"});
  refused(with(sweep, {"--section", "overflow"}));
  CHECK(place.slideway(with(sweep, {"--resume"})).status == 0);
  CHECK(place.read("e.csv") == text);

  // A line less, as an interruption leaves it; and no file at all.
  place.write("e.csv", text.substr(0, text.find('\n', text.find('\n') + 1) + 1));
  CHECK(place.slideway(with(sweep, {"--resume"})).status == 0);
  CHECK(place.read("e.csv") == text);
  std::filesystem::remove(place.path() / "e.csv");
  CHECK(place.slideway(with(sweep, {"--resume"})).status == 0);
  CHECK(place.read("e.csv") == text);
}

TEST_CASE("a table that was cut within its last row is mended") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep", "evaporator", "--vary", "R_b=1,2", "--csv", "e.csv"};
  CHECK(place.slideway(sweep).status == 0);
  const std::string text = place.read("e.csv");
  const std::size_t last_row = text.rfind('\n', text.size() - 2) + 1;
  for (const std::size_t size : {text.size() - 1, text.size() - 5, last_row + 20, last_row + 1}) {
    CAPTURE(size);
    place.write("e.csv", text.substr(0, size));
    const Finished finished = place.slideway(with(sweep, {"--resume"}));
    CHECK(finished.status == 0);
    CHECK(contains(finished.err, "the last row of 'e.csv' was cut off; its run is made again"));
    CHECK(contains(finished.err, "2 runs, 1 of them taken over"));
    CHECK(place.read("e.csv") == text);
  }
  // Cut within its first line, or within a row that others follow, it may be anything.
  for (const std::string& other :
       {text.substr(0, 20), text.substr(0, last_row - 8) + "\n" + text.substr(last_row)}) {
    place.write("e.csv", other);
    CHECK(place.slideway(with(sweep, {"--resume"})).status == 2);
    CHECK(place.read("e.csv") == other);
  }
}

TEST_CASE("a table with a status that no run ends in is not resumed") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep", "evaporator", "--vary", "R_b=1,2", "--csv", "e.csv"};
  CHECK(place.slideway(sweep).status == 0);
  std::string text = place.read("e.csv");
  text.replace(text.find("reached_end"), 11, "reached_end_");
  place.write("e.csv", text);
  const Finished finished = place.slideway(with(sweep, {"--resume"}));
  CHECK(finished.status == 2);
  CHECK(contains(finished.err, "line 2: 'reached_end_' is not how a run ends"));
  CHECK(place.read("e.csv") == text);
}

TEST_CASE("a sweep of a changed model file is not resumed") {
  const Workplace place;
  const std::string model =
      "[parameters]\na = 1\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-a*x\"\n";
  place.write("m.toml", model);
  const std::vector<std::string> sweep = {"sweep", "m.toml", "--vary", "a=1,2", "--csv", "m.csv"};
  CHECK(place.slideway(sweep).status == 0);
  place.write("m.toml", model + "# a comment\n");
  CHECK(place.slideway(with(sweep, {"--resume"})).status == 2);
}

TEST_CASE("there is no progress bar where there is no terminal") {
  const Workplace place;
  const Finished finished = place.slideway({"sweep", "evaporator", "--vary", "R_b=1:2:50", "--csv", "e.csv"});
  CHECK(finished.out == "");
  CHECK(finished.err == "50 runs\n");
  CHECK(place.slideway({"sweep", "evaporator", "--vary", "R_b=1,2", "--csv", "e.csv", "--quiet"}).err == "");
}

TEST_CASE("a sweep draws the bifurcation picture of one parameter and the map of two") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const Finished one = place.slideway({"sweep", "dry-friction", "--vary", "w=0.3:1.5:9", "--section", "stick",
                                       "--plot", "one.svg", "--plot", "one.png", "--csv", "one.csv"});
  CAPTURE(one.err);
  CHECK(one.status == 0);
  CHECK(contains(place.read("one.svg"), "</svg>"));
  CHECK(place.read("one.png").substr(1, 3) == "PNG");
  const Finished two = place.slideway({"sweep", "evaporator", "--vary", "R_b=0.5:2:4", "--vary",
                                       "L_th=0.05:0.3:4", "--max-events", "1", "--plot", "two.svg"});
  CHECK(two.status == 0);
  CHECK(two.out == "");
  CHECK(contains(place.read("two.svg"), "greatest L"));
  CHECK(contains(place.read("two.svg"), "stopped early"));
}
