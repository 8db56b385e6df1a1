// The contents of the tables of a sweep: columns, points of sections, observables, shards, limits.
#include <algorithm>
#include <csignal>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"
#include "test/cli/table.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::split;
using slideway::test::Started;
using slideway::test::Table;
using slideway::test::with;
using slideway::test::Workplace;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> friction = {"sweep", "dry-friction", "--vary", "mu=0.1:0.7:4"};
const std::vector<std::string> with_section =
    with(friction, {"--section", "stick", "--section-points", "3", "--transient", "20"});

bool tells_nothing(const Table& table, const std::string& column) {
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (table.cell(row, column) != "" && table.cell(row, column) != "0") return false;
  return true;
}

void check_refused(const Workplace& place, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& reasons) {
  const std::vector<std::string> before = place.files();
  const Finished finished = place.slideway(arguments);
  CAPTURE(finished.err);
  CHECK(finished.status == 2);
  for (const std::string& reason : reasons) CHECK_MESSAGE(contains(finished.err, reason), reason);
  CHECK(place.files().size() == before.size());
}

}  // namespace

TEST_CASE("a column that is zero or empty in all rows is left out unless all columns are asked for") {
  const Workplace place;
  const Table table(place.slideway(friction).out);
  for (const std::string& column : table.columns) {
    CAPTURE(column);
    CHECK((column == "run" || !tells_nothing(table, column)));
  }
  const Table all(place.slideway(with(friction, {"--columns", "all"})).out);
  std::vector<std::string> telling;
  for (const std::string& column : all.columns)
    if (column == "run" || !tells_nothing(all, column)) telling.push_back(column);
  CHECK(table.columns == telling);
  for (const std::string column : {"count_impact", "count_zeno", "location", "message"}) {
    CAPTURE(column);
    CHECK(all.has(column));
    CHECK(!table.has(column));
  }
  CHECK(table.cell(2, "count_sliding_entry") == all.cell(2, "count_sliding_entry"));
}

TEST_CASE("the columns that are chosen are there in their order, whatever they hold") {
  const Workplace place;
  const Table all(place.slideway(with(friction, {"--columns", "all"})).out);
  const Table names(place.slideway(with(friction, {"--columns", "max_v,mu,count_impact"})).out);
  CHECK(names.columns == std::vector<std::string>{"max_v", "mu", "count_impact"});
  for (std::size_t row = 0; row < 4; ++row) {
    CHECK(names.cell(row, "max_v") == all.cell(row, "max_v"));
    CHECK(names.cell(row, "count_impact") == "0");
  }
  const Table groups(place.slideway(with(friction, {"--columns", "parameters, x,max,final_x"})).out);
  CHECK(groups.columns == std::vector<std::string>{"mu", "final_x", "min_x", "max_x", "max_v"});
}

TEST_CASE("a column that does not exist is refused with those that do") {
  const Workplace place;
  check_refused(
      place, with(friction, {"--columns", "mu,max_y"}),
      {"'max_y'", "did you mean 'max_x'?", "run, mu, status", "groups of all, parameters, outcome"});
  check_refused(place, with(friction, {"--columns", "mu,,x"}), {"names separated by commas"});
  check_refused(place, with(friction, {"--columns", "section_x"}), {"no column or group"});
  check_refused(place, with(friction, {"--columns", "mu", "--plot", "p.gp"}), {"--columns", "--csv FILE"});
}

TEST_CASE("a sweep is resumed from a table that lacks columns which its other rows need") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep",        "evaporator", "--vary", "R_b=1,0,2",
                                          "--max-events", "3",          "--csv",  "e.csv"};
  CHECK(place.slideway(sweep).status == 0);
  const std::string whole = place.read("e.csv");
  CHECK(place
            .slideway({"sweep", "evaporator", "--vary", "R_b=1,0,2", "--max-events", "3", "--csv", "e.csv",
                       "--shard", "2/3"})
            .status == 0);
  const std::string part = place.read("e.csv");
  // The refused run has neither events nor states.
  CHECK(!contains(part, "final_"));
  CHECK(contains(whole, "final_"));
  const Finished resumed = place.slideway(with(sweep, {"--resume"}));
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.err, "1 of them taken over"));
  CHECK(place.read("e.csv") == whole);
}

TEST_CASE("a table of chosen columns is resumed if they tell what was done") {
  const Workplace place;
  const std::vector<std::string> enough =
      with(friction, {"--csv", "e.csv", "--columns", "sweep,max_x,status,run"});
  CHECK(place.slideway(enough).status == 0);
  const std::string whole = place.read("e.csv");
  place.write("e.csv", whole.substr(0, whole.find('\n', whole.find('\n') + 1) + 1));
  const Finished resumed = place.slideway(with(enough, {"--resume"}));
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.err, "1 of them taken over"));
  CHECK(place.read("e.csv") == whole);

  check_refused(place, with(friction, {"--csv", "e.csv", "--columns", "max_x,run", "--resume"}),
                {"also status,sweep", "--columns with --resume"});
  // Other columns are another table.
  check_refused(place, with(friction, {"--csv", "e.csv", "--columns", "max_v,status,run,sweep", "--resume"}),
                {"its first line is not the one of this sweep"});
}

TEST_CASE("the points of a section are rows of a second file") {
  const Workplace place;
  const Table packed(place.slideway(with(with_section, {"--columns", "all"})).out);
  const Finished finished =
      place.slideway(with(with_section, {"--csv", "e.csv", "--section-file", "points.csv"}));
  CAPTURE(finished.err);
  CHECK(finished.status == 0);
  const Table table(place.read("e.csv"));
  CHECK(table.has("crossings"));
  CHECK(!table.has("section_x"));
  const Table points(place.read("points.csv"));
  CHECK(points.columns == std::vector<std::string>{"run", "mu", "point", "t", "x", "v", "sweep"});
  std::size_t next = 0;
  for (std::size_t row = 0; row < packed.rows.size(); ++row) {
    const auto x = split(packed.cell(row, "section_x"), ' ');
    const auto t = split(packed.cell(row, "section_t"), ' ');
    const auto crossings = static_cast<std::size_t>(packed.number(row, "crossings"));
    REQUIRE(x.size() == std::min<std::size_t>(crossings, 3));
    for (std::size_t k = 0; k < x.size(); ++k, ++next) {
      CHECK(points.cell(next, "run") == std::to_string(row));
      CHECK(points.cell(next, "mu") == packed.cell(row, "mu"));
      CHECK(points.cell(next, "point") == std::to_string(crossings - x.size() + k + 1));
      CHECK(points.cell(next, "x") == x[k]);
      CHECK(points.cell(next, "t") == t[k]);
    }
  }
  CHECK(next == points.rows.size());
  CHECK(next > 6);

  const Json run = Json::parse(place.slideway({"run", "dry-friction", "--set", "mu=0.1", "--json", "-"}).out);
  double last = 0;
  for (const Json& event : run["events"])
    if (event["from"] == "-" && event["to"] != "-") last = event["t"];
  CHECK(points.number(2, "t") == last);
}

TEST_CASE("points have no file without a section") {
  const Workplace place;
  check_refused(place, with(friction, {"--section-file", "p.csv"}), {"--section NAME"});
  check_refused(place, with(with_section, {"--section-file", "p.csv", "--csv", "p.csv"}),
                {"would write to the same place"});
  // The table is not on standard output where points were asked for.
  CHECK(place.slideway(with(with_section, {"--section-file", "p.csv"})).out == "");
  CHECK(place.files() == std::vector<std::string>{"p.csv"});
}

TEST_CASE("a state that is varied has two columns in the table of points") {
  const Workplace place;
  const Finished finished = place.slideway({"sweep", "dry-friction", "--vary", "x=1,2", "--section", "stick",
                                            "--section-file", "-", "--csv", "e.csv"});
  const Table points(finished.out);
  CHECK(points.columns == std::vector<std::string>{"run", "initial_x", "point", "t", "x", "v", "sweep"});
  CHECK(points.cell(0, "initial_x") == "1");
}

TEST_CASE("a run whose points are not all there is made again") {
  const Workplace place;
  const std::vector<std::string> sweep =
      with(with_section, {"--csv", "e.csv", "--section-file", "points.csv"});
  CHECK(place.slideway(sweep).status == 0);
  const std::string table = place.read("e.csv");
  const std::string points = place.read("points.csv");
  const std::size_t last_line = points.rfind('\n', points.size() - 2) + 1;
  for (const std::string& left : {points.substr(0, last_line), points.substr(0, last_line + 7),
                                  points.substr(0, points.find('\n') + 1)}) {
    place.write("points.csv", left);
    const Finished resumed = place.slideway(with(sweep, {"--resume"}));
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    if (left.size() + 100 > last_line) CHECK(contains(resumed.err, "3 of them taken over"));
    CHECK(place.read("e.csv") == table);
    CHECK(place.read("points.csv") == points);
  }
  place.write("points.csv", points.substr(0, last_line) + "3,x\n");
  check_refused(place, with(sweep, {"--resume"}), {"points.csv", "cells instead of"});
}

TEST_CASE("an observable has columns of its end, its least and its greatest value") {
  const Workplace place;
  place.write("m.toml",
              "[parameters]\nmu = 0.4\n[states]\nx = 2\nv = 0\n[time]\nend = 30\n"
              "[surfaces]\nstick = \"v\"\n[definitions]\nE = \"0.5*(x^2 + v^2)\"\n"
              "[derivatives]\nx = \"v\"\nv = \"-x - mu*sgn(stick) + cos(0.5*t)\"\n");
  const Finished finished = place.slideway({"sweep", "m.toml", "--vary", "mu=0.2,0.4", "--observe", "E",
                                            "--observe", "F = mu*sgn(stick)", "--rtol", "1e-8"});
  CAPTURE(finished.err);
  const Table table(finished.out);
  const Table run(place
                      .slideway({"run", "m.toml", "--observe", "E", "--observe", "F = mu*sgn(stick)",
                                 "--rtol", "1e-8", "--csv", "-", "--points", "20001"})
                      .out);
  for (const std::string name : {"E", "F"}) {
    CAPTURE(name);
    double least = 1e300, greatest = -1e300;
    for (std::size_t row = 0; row < run.rows.size(); ++row) {
      least = std::min(least, run.number(row, name));
      greatest = std::max(greatest, run.number(row, name));
    }
    CHECK(table.number(1, "final_" + name) ==
          doctest::Approx(run.number(run.rows.size() - 1, name)).epsilon(1e-9));
    CHECK(table.number(1, "min_" + name) == doctest::Approx(least).epsilon(1e-6));
    CHECK(table.number(1, "max_" + name) == doctest::Approx(greatest).epsilon(1e-6));
  }
  // While the block sticks, the force that holds it is less than the force that it slips with.
  CHECK(table.number(1, "max_F") == doctest::Approx(0.4));
  CHECK(table.number(0, "max_F") == doctest::Approx(0.2));
  const Table chosen(
      place.slideway({"sweep", "m.toml", "--vary", "mu=0.2,0.4", "--observe", "E", "--columns", "E"}).out);
  CHECK(chosen.columns == std::vector<std::string>{"final_E", "min_E", "max_E"});
  check_refused(place, {"sweep", "m.toml", "--vary", "mu=0.2,0.4", "--observe", "EE"}, {"--observe", "'EE'"});
}

TEST_CASE("what a model file observes by itself has columns in its sweep") {
  const Workplace place;
  place.write("m.toml",
              "[parameters]\na = 1\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-a*x\"\n"
              "[options]\nobserve = [\"square = x^2\"]\n");
  const Table table(place.slideway({"sweep", "m.toml", "--vary", "a=1,2"}).out);
  CHECK(table.number(0, "min_square") == doctest::Approx(std::exp(-2.0)).epsilon(1e-5));
  CHECK(table.number(0, "max_square") == 1);
}

TEST_CASE("shards that are made apart are merged into the table of the whole sweep") {
  const Workplace place;
  const std::vector<std::string> sweep = with(with_section, {"--vary", "w=0.4,0.5,0.6"});
  const std::vector<std::string> named = with(sweep, {"--csv", "whole.csv", "--section-file", "points.csv"});
  CHECK(place.slideway(named).status == 0);
  const std::string whole = place.read("whole.csv");
  const std::string points = place.read("points.csv");
  for (const std::string number : {"1", "2", "3", "4", "5"}) {
    const Finished finished =
        place.slideway(with(sweep, {"--csv", "part-" + number + ".csv", "--section-file",
                                    "points-" + number + ".csv", "--shard", number + "/5"}));
    CHECK(finished.status == 0);
    CHECK(contains(finished.err, "of 12, shard " + number + " of 5"));
  }
  CHECK(Table(place.read("part-1.csv")).rows.size() == 3);
  CHECK(Table(place.read("part-5.csv")).rows.size() == 2);
  const std::vector<std::string> files = {"part-3.csv",   "part-1.csv",   "part-2.csv",   "part-4.csv",
                                          "part-5.csv",   "points-5.csv", "points-1.csv", "points-2.csv",
                                          "points-3.csv", "points-4.csv"};
  const std::vector<std::string> target = {"--csv", "merged.csv", "--section-file", "all.csv", "--merge"};
  const Finished merged = place.slideway(with(sweep, with(target, files)));
  CAPTURE(merged.err);
  CHECK(merged.status == 0);
  CHECK(merged.err == "12 runs\n");
  CHECK(place.read("merged.csv") == whole);
  CHECK(place.read("all.csv") == points);

  // Runs of a shard that is missing are told, and can be made afterwards.
  std::vector<std::string> fewer = files;
  fewer.erase(fewer.begin() + 1);
  const Finished incomplete = place.slideway(with(sweep, with(target, fewer)));
  CHECK(incomplete.status == 3);
  CHECK(contains(incomplete.err, "3 of 12 runs are in none of the files: 0, 5, 10"));
  CHECK(contains(incomplete.err, "--resume"));
  CHECK(Table(place.read("merged.csv")).rows.size() == 9);
  CHECK(
      place.slideway(with(sweep, {"--csv", "merged.csv", "--section-file", "all.csv", "--resume"})).status ==
      0);
  CHECK(place.read("merged.csv") == whole);
}

TEST_CASE("only tables of the same sweep are merged, and each run once") {
  const Workplace place;
  for (const std::string number : {"1", "2"})
    CHECK(place.slideway(with(friction, {"--csv", number + ".csv", "--shard", number + "/2"})).status == 0);
  CHECK(place.slideway(with(friction, {"--csv", "other.csv", "--rtol", "1e-8"})).status == 0);
  const auto merge = [&](const std::vector<std::string>& files) {
    return with(with(friction, {"--csv", "all.csv", "--merge"}), files);
  };
  check_refused(place, merge({"1.csv", "other.csv"}), {"other.csv", "does not belong to this sweep"});
  place.write("copy.csv", place.read("1.csv"));
  check_refused(place, merge({"1.csv", "2.csv", "copy.csv"}),
                {"it has run 0, and '1.csv' has it, too", "with --shard, each once"});
  check_refused(place, merge({"1.csv", "3.csv"}), {"there is no such file", "'3.csv'"});
  check_refused(place, with(merge({"1.csv"}), {"--resume"}), {"--merge with --resume"});
  check_refused(place, with(merge({"1.csv"}), {"--shard", "1/2"}), {"--merge with --shard"});
  // The table of one shard is not that of another one.
  check_refused(place, with(friction, {"--csv", "1.csv", "--shard", "2/2", "--resume"}),
                {"belongs to another shard"});
  CHECK(place.slideway(merge({"1.csv", "2.csv"})).status == 0);
}

TEST_CASE("a shard is a number of so many") {
  const Workplace place;
  for (const std::string shard : {"0/2", "3/2", "2", "1/0", "a/b", "-1/2", "1/2/3"})
    check_refused(place, with(friction, {"--shard", shard}), {"--shard", "K/N", "'" + shard + "'"});
  // More shards than runs leave tables without rows, which are merged like others.
  CHECK(place.slideway(with(friction, {"--csv", "empty.csv", "--shard", "7/9"})).status == 0);
  CHECK(Table(place.read("empty.csv")).rows.empty());
  CHECK(place.slideway(with(friction, {"--csv", "whole.csv"})).status == 0);
  CHECK(place.slideway(with(friction, {"--csv", "all.csv", "--merge", "empty.csv", "whole.csv"})).status ==
        0);
  CHECK(place.read("all.csv") == place.read("whole.csv"));
}

TEST_CASE("a run that takes longer than it may is a row that says so") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep", "dry-friction",     "--vary", "mu=0.3,0.4", "--t-end",
                                          "1e9",   "--run-time-limit", "0.2",    "--csv",      "e.csv"};
  const Finished finished = place.slideway(sweep);
  CHECK(finished.status == 0);
  CHECK(contains(finished.err, "2 stopped early"));
  const Table table(place.read("e.csv"));
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(table.cell(row, "status") == "time_limit");
    CHECK(contains(table.cell(row, "message"), "longer than 0.2 s"));
    CHECK(table.number(row, "t") > 0);
    CHECK(table.number(row, "t") < 1e9);
  }
  const Finished resumed = place.slideway(with(sweep, {"--resume"}));
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.err, "2 of them taken over"));
  const Table quick(place.slideway(with(friction, {"--run-time-limit", "100"})).out);
  CHECK(quick.cell(3, "status") == "reached_end");
  check_refused(place, with(friction, {"--run-time-limit", "0"}), {"--run-time-limit", "above 0"});
}
