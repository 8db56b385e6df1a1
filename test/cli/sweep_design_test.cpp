// The runs that a sweep makes and where they begin: one after another, random samples, Latin hypercubes.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "test/cli/program.hpp"
#include "test/cli/table.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::split;
using slideway::test::Table;
using slideway::test::with;
using slideway::test::Workplace;

namespace {

// A block on a belt with falling friction and a damper. Its equilibrium, with v = 0, loses its stability where
// 3/(1 + 3·vb)² = c; there is stick-slip far beyond that speed, too.
const char* const belt = R"toml(
name = "belt-loop"
[parameters]
vb = 0.5
c = 0.2
[states]
x = 0.0
v = 0.0
[time]
end = 200.0
[surfaces]
slip = "v - vb"
[derivatives]
x = "v"
v = "-x - c*v - sgn(slip)/(1 + 3*abs(slip))"
)toml";

const std::vector<std::string> loop = {"sweep",    "belt.toml", "--vary",      "vb=0.5:2:16",
                                       "--follow", "both",      "--transient", "150"};

void check_sweep_is_refused(const std::vector<std::string>& options,
                            const std::vector<std::string>& reasons) {
  const Workplace place;
  const Finished finished = place.slideway(with({"sweep", "dry-friction", "--csv", "e.csv"}, options));
  CAPTURE(finished.err);
  CHECK(finished.status == 2);
  for (const std::string& reason : reasons) CHECK_MESSAGE(contains(finished.err, reason), reason);
  CHECK(place.files().empty());
}

std::vector<double> column(const Table& table, const std::string& name) {
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows.size(); ++row) values.push_back(table.number(row, name));
  return values;
}

}  // namespace

TEST_CASE("runs that follow one another up and down find a hysteresis loop") {
  const Workplace place;
  place.write("belt.toml", belt);
  const Finished finished = place.slideway(loop);
  CAPTURE(finished.err);
  const Table table(finished.out);
  REQUIRE(table.rows.size() == 32);
  const double lost = (std::sqrt(3 / 0.2) - 1) / 3;
  double highest_cycle = 0;
  for (std::size_t row = 0; row < 16; ++row) {
    const double vb = table.number(row, "vb");
    CAPTURE(vb);
    CHECK(table.cell(row, "direction") == "up");
    CHECK(table.cell(row + 16, "direction") == "down");
    CHECK(table.number(row + 16, "vb") == vb);
    const bool cycles_up = table.number(row, "max_v") - table.number(row, "min_v") > 0.5;
    const bool cycles_down = table.number(row + 16, "max_v") - table.number(row + 16, "min_v") > 0.5;
    if (cycles_up) highest_cycle = vb;
    if (vb < lost - 0.1) CHECK((cycles_up && cycles_down));
    if (vb > lost) CHECK(!cycles_down);
  }
  // The way up keeps to the cycle where the way down is at rest.
  CHECK(highest_cycle > lost + 0.3);
  CHECK(highest_cycle < 2);
}

TEST_CASE("a gear pair with backlash keeps in contact on the way up and rattles on the way down") {
  const Workplace place;
  const std::string model = std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/gear_rattle.toml";
  const Table table(place
                        .slideway({"sweep", model, "--set", "zeta=0.02", "--vary", "w=0.6:0.9:7", "--follow",
                                   "both", "--t-end", "500", "--transient", "400"})
                        .out);
  REQUIRE(table.rows.size() == 14);
  // In contact the displacement stays above 1, the edge of the backlash.
  for (std::size_t row = 1; row < 4; ++row) {
    CHECK(table.number(row, "min_x") > 1);
    CHECK(table.number(row + 7, "min_x") < 1);
  }
  for (const std::size_t row : {5, 6, 12, 13}) CHECK(table.number(row, "min_x") < 1);
}

TEST_CASE("a run that follows another begins with its last state") {
  const Workplace place;
  place.write("belt.toml", belt);
  const Table table(place.slideway(with(loop, {"--rtol", "1e-9"})).out);
  for (const std::size_t row : {1, 5, 16, 20}) {
    CAPTURE(row);
    // The way down begins at the top, where the way up ended.
    const std::size_t before = row < 16 ? row - 1 : row + 1;
    const Table alone(place
                          .slideway({"sweep", "belt.toml", "--vary", "vb=" + table.cell(row, "vb"), "--set",
                                     "x=" + table.cell(before, "final_x"), "--set",
                                     "v=" + table.cell(before, "final_v"), "--rtol", "1e-9"})
                          .out);
    CHECK(table.number(row, "final_x") == doctest::Approx(alone.number(0, "final_x")).epsilon(1e-5));
    CHECK(table.cell(row, "mode") == alone.cell(0, "mode"));
  }
  const Table down(place
                       .slideway({"sweep", "belt.toml", "--vary", "vb=0.5:2:16", "--follow", "down",
                                  "--columns", "direction,vb,t,final_x"})
                       .out);
  const Table last(place.slideway({"sweep", "belt.toml", "--vary", "vb=2"}).out);
  CHECK(down.cell(15, "direction") == "down");
  CHECK(down.cell(15, "t") == "200");
  CHECK(down.cell(0, "t") == "3200");
  CHECK(down.cell(15, "final_x") == last.cell(0, "final_x"));
}

TEST_CASE("what drives a model goes on at its phase where one run follows another") {
  const Workplace place;
  const Table chain(place
                        .slideway({"sweep", "dry-friction", "--vary", "mu=0.3,0.3,0.3", "--t-end", "17",
                                   "--follow", "up", "--rtol", "1e-10"})
                        .out);
  const Table whole(
      place.slideway({"sweep", "dry-friction", "--vary", "mu=0.3", "--t-end", "51", "--rtol", "1e-10"}).out);
  CHECK(chain.cell(2, "t") == "51");
  CHECK(chain.number(2, "final_x") == doctest::Approx(whole.number(0, "final_x")).epsilon(1e-7));
  CHECK(chain.number(2, "final_v") == doctest::Approx(whole.number(0, "final_v")).epsilon(1e-7));
  const double events = chain.number(0, "events") + chain.number(1, "events") + chain.number(2, "events");
  CHECK(std::abs(events - whole.number(0, "events")) <= 2);
}

TEST_CASE("each combination of the other parameters is a chain, whatever the number of threads") {
  const Workplace place;
  place.write("belt.toml", belt);
  const std::vector<std::string> sweep = {"sweep",     "belt.toml", "--vary", "vb=2,0.5,1", "--vary",
                                          "c=0.2,0.3", "--vary",    "x=0,1",  "--follow",   "both"};
  const Finished one = place.slideway(with(sweep, {"--jobs", "1"}));
  const Finished many = place.slideway(with(sweep, {"--jobs", "4"}));
  CHECK(one.status == 0);
  CHECK(one.out == many.out);
  const Table table(one.out);
  REQUIRE(table.rows.size() == 24);
  // The values rise on the way up, in whatever order they were given.
  CHECK(table.cell(7, "vb") == "0.5");
  CHECK(table.cell(7, "c") == "0.3");
  CHECK(table.cell(7, "x") == "1");
  CHECK(table.cell(7, "t") == "200");
  CHECK(table.cell(11, "t") == "400");
  CHECK(table.cell(3, "t") == "600");
  CHECK(table.cell(15, "t") == "800");
  CHECK(table.cell(23, "t") == "1000");
  CHECK(table.cell(19, "t") == "1200");
  const Table first(
      place.slideway({"sweep", "belt.toml", "--vary", "vb=0.5", "--set", "c=0.3", "--set", "x=1"}).out);
  CHECK(table.cell(7, "final_v") == first.cell(0, "final_v"));
}

TEST_CASE("runs that follow one another are resumed and made in shards as if at once") {
  const Workplace place;
  place.write("belt.toml", belt);
  const std::vector<std::string> sweep = with(loop, {"--vary", "c=0.2,0.3", "--rtol", "1e-7"});
  CHECK(place.slideway(with(sweep, {"--csv", "whole.csv"})).status == 0);
  const std::string whole = place.read("whole.csv");
  // Every third row is left.
  std::string left;
  const auto lines = split(whole, '\n');
  for (std::size_t line = 0; line + 1 < lines.size(); ++line)
    if (line == 0 || line % 3 == 1) left += lines[line] + '\n';
  place.write("part.csv", left);
  const Finished resumed = place.slideway(with(sweep, {"--csv", "part.csv", "--resume"}));
  CAPTURE(resumed.err);
  CHECK(contains(resumed.err, "64 runs, 22 of them taken over"));
  CHECK(place.read("part.csv") == whole);

  for (const std::string number : {"1", "2"})
    CHECK(place.slideway(with(sweep, {"--csv", number + ".csv", "--shard", number + "/2"})).status == 0);
  const Table part(place.read("2.csv"));
  for (std::size_t row = 0; row < part.rows.size(); ++row) CHECK(part.cell(row, "c") == "0.3");
  CHECK(place.slideway(with(sweep, {"--csv", "all.csv", "--merge", "1.csv", "2.csv"})).status == 0);
  CHECK(place.read("all.csv") == whole);
}

TEST_CASE("after a run that fails the next one begins where the last one that succeeded ended") {
  const Workplace place;
  place.write("m.toml",
              "[parameters]\np = 1\n[states]\nx = 1\n[time]\nend = 1\n"
              "[derivatives]\nx = \"-x + 1e-9*sqrt(abs(p - 2.5) - 1 + x)\"\n");
  const Table table(place
                        .slideway({"sweep", "m.toml", "--vary", "p=1,2,3,4", "--follow", "up", "--rtol",
                                   "1e-9", "--columns", "status,t,final"})
                        .out);
  CHECK(table.cell(0, "status") == "reached_end");
  CHECK(table.cell(1, "status") == "user_function_failed");
  CHECK(table.cell(2, "status") == "user_function_failed");
  CHECK(table.cell(3, "status") == "reached_end");
  CHECK(table.cell(3, "t") == "2");
  CHECK(table.number(3, "final_x") == doctest::Approx(std::exp(-2.0)).epsilon(1e-7));
  // Where none succeeded, the model's own start is the next one.
  const Table late(
      place.slideway({"sweep", "m.toml", "--vary", "p=2,3,4,5", "--follow", "up", "--columns", "t"}).out);
  CHECK(late.cell(2, "t") == "1");
  CHECK(late.cell(3, "t") == "2");
}

TEST_CASE("a location is taken along by the run that follows") {
  const Workplace place;
  place.write("m.toml",
              "initial = \"on\"\n[parameters]\nrate = 1\n[states]\nT = 15\n[time]\nend = 20\n"
              "[derivatives]\nT = \"-0.1*(T - 10)\"\n"
              "[[locations]]\nname = \"on\"\n[locations.derivatives]\nT = \"rate*(2 - 0.1*(T - 10))\"\n"
              "[[locations]]\nname = \"off\"\n"
              "[[edges]]\nname = \"hot\"\nfrom = \"on\"\nto = \"off\"\nwhen = \"T - 21\"\n"
              "direction = \"rising\"\n"
              "[[edges]]\nname = \"cold\"\nfrom = \"off\"\nto = \"on\"\nwhen = \"T - 19\"\n"
              "direction = \"falling\"\n");
  const Table chain(place
                        .slideway({"sweep", "m.toml", "--vary", "rate=1,1,1", "--follow", "up", "--t-end",
                                   "6", "--rtol", "1e-10"})
                        .out);
  const Table whole(
      place.slideway({"sweep", "m.toml", "--vary", "rate=1", "--t-end", "18", "--rtol", "1e-10"}).out);
  CHECK(chain.cell(0, "location") == "off");
  CHECK(chain.cell(2, "location") == whole.cell(0, "location"));
  CHECK(chain.number(2, "final_T") == doctest::Approx(whole.number(0, "final_T")).epsilon(1e-7));
}

TEST_CASE("samples and initial values are not followed") {
  check_sweep_is_refused({"--vary", "mu=0.1:0.5", "--latin", "5", "--follow", "up"},
                         {"--follow with --latin", "neighbours"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5", "--random", "5", "--follow", "up"},
                         {"--follow with --random"});
  check_sweep_is_refused({"--vary", "x=1,2", "--follow", "up"},
                         {"--follow", "the state 'x'", "a parameter in the first --vary"});
  check_sweep_is_refused({"--vary", "mu=0.1,0.2", "--follow", "sideways"}, {"up, down, both", "'sideways'"});
  check_sweep_is_refused({"--vary", "mu=0.1,0.2", "--vary", "w=1,2", "--follow", "both", "--plot", "p.gp"},
                         {"--plot with --follow both", "one varied parameter"});
}

TEST_CASE("a Latin hypercube meets each of so many equal parts of every range once") {
  const Workplace place;
  const Finished finished =
      place.slideway({"sweep", "evaporator", "--vary", "R_b=0.5:2", "--vary", "L_th=0.3:0.05", "--vary",
                      "C=0.1:10:log", "--latin", "40", "--seed", "7", "--t-end", "0.1"});
  CAPTURE(finished.err);
  CHECK(finished.err == "40 runs (Latin hypercube, seed 7)\n");
  const Table table(finished.out);
  REQUIRE(table.rows.size() == 40);
  const auto parts = [&](const std::string& name, const auto& fraction) {
    std::vector<int> met(40, 0);
    for (const double value : column(table, name)) {
      const double place_in_range = 40 * fraction(value);
      REQUIRE(place_in_range >= 0);
      REQUIRE(place_in_range < 40);
      ++met[static_cast<std::size_t>(place_in_range)];
    }
    return met;
  };
  const std::vector<int> once(40, 1);
  CHECK(parts("R_b", [](double value) { return (value - 0.5) / 1.5; }) == once);
  CHECK(parts("L_th", [](double value) { return (0.3 - value) / 0.25; }) == once);
  CHECK(parts("C", [](double value) { return std::log10(value / 0.1) / 2; }) == once);
  // The parts of two parameters are not met in one order.
  std::vector<double> values = column(table, "R_b");
  CHECK(!std::is_sorted(values.begin(), values.end()));
}

TEST_CASE("random samples are those of the standard generator, and the first ones of more of them") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep",  "evaporator",        "--vary",  "R_b=0.5:2",
                                          "--vary", "L_th=0.05:0.3:log", "--t-end", "0.1"};
  const Table table(place.slideway(with(sweep, {"--random", "20", "--seed", "3"})).out);
  REQUIRE(table.rows.size() == 20);
  std::mt19937_64 generator(3);
  const auto fraction = [&] { return static_cast<double>(generator() >> 11) / 9007199254740992.0; };
  for (std::size_t row = 0; row < 20; ++row) {
    CHECK(table.number(row, "R_b") == doctest::Approx(0.5 + 1.5 * fraction()).epsilon(1e-15));
    CHECK(table.number(row, "L_th") == doctest::Approx(0.05 * std::pow(6, fraction())).epsilon(1e-14));
  }
  const Table more(place.slideway(with(sweep, {"--random", "30", "--seed", "3"})).out);
  for (std::size_t row = 0; row < 20; ++row) CHECK(more.cell(row, "L_th") == table.cell(row, "L_th"));
  const Table first(place.slideway(with(sweep, {"--random", "20", "--seed", "1"})).out);
  const Table unseeded(place.slideway(with(sweep, {"--random", "20"})).out);
  CHECK(column(first, "R_b") == column(unseeded, "R_b"));
  CHECK(column(first, "R_b") != column(table, "R_b"));
}

TEST_CASE("a run of a sample has the numbers of the single run") {
  const Workplace place;
  const Table table(place.slideway({"sweep", "dry-friction", "--vary", "mu=0.1:0.5", "--latin", "3"}).out);
  const Table alone(place.slideway({"sweep", "dry-friction", "--vary", "mu=" + table.cell(1, "mu")}).out);
  CHECK(table.cell(1, "final_x") == alone.cell(0, "final_x"));
}

TEST_CASE("samples are resumed, merged and drawn") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep",  "dry-friction", "--vary",  "mu=0.1:0.5",
                                          "--vary", "w=0.2:2:log",  "--latin", "9"};
  CHECK(place.slideway(with(sweep, {"--csv", "e.csv", "--plot", "two.gp"})).status == 0);
  const std::string whole = place.read("e.csv");
  CHECK(contains(place.read("two.gp"), "with points pointtype 7 pointsize 0.8 linecolor palette"));
  place.write("e.csv", whole.substr(0, whole.find('\n', 400) + 1));
  CHECK(place.slideway(with(sweep, {"--csv", "e.csv", "--resume"})).status == 0);
  CHECK(place.read("e.csv") == whole);
  CHECK(place.slideway(with(sweep, {"--csv", "e.csv", "--resume", "--seed", "2"})).status == 2);
  for (const std::string number : {"1", "2"})
    CHECK(place.slideway(with(sweep, {"--csv", number + ".csv", "--shard", number + "/2"})).status == 0);
  CHECK(place.slideway(with(sweep, {"--csv", "all.csv", "--merge", "1.csv", "2.csv"})).status == 0);
  CHECK(place.read("all.csv") == whole);
}

TEST_CASE("samples that make no sense are refused") {
  check_sweep_is_refused(
      {"--vary", "mu=0.1:0.5:3", "--random", "5"},
      {"--random draws values from a range", "'mu'", "name=first:last or name=first:last:log", "count"});
  check_sweep_is_refused({"--vary", "mu=0.1,0.5", "--latin", "5"}, {"--latin draws values from a range"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5"},
                         {"how many values 'mu' takes is not said", "first:last:count", "--random N"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5:log"}, {"first:last:count", "--latin N"});
  check_sweep_is_refused({"--vary", "mu=-1:1:log", "--latin", "5"}, {"one sign, not 0"});
  check_sweep_is_refused({"--vary", "mu=1:1", "--latin", "5"}, {"a range of one value", "two ends"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5", "--latin", "0"},
                         {"--latin", "a whole number from 1", "'0'"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5", "--random", "x"},
                         {"--random", "a whole number from 1", "'x'"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5", "--random", "5", "--latin", "5"},
                         {"--random with --latin", "one of them"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5:3", "--seed", "5"}, {"--seed", "--random N or --latin N"});
  check_sweep_is_refused({"--vary", "mu=0.1:0.5", "--latin", "100000000"},
                         {"too many runs", "at most 10000000"});
}

TEST_CASE("the picture of a section tells the way up from the way down") {
  const Workplace place;
  place.write("belt.toml", belt);
  CHECK(place.slideway(with(loop, {"--section", "slip", "--plot", "loop.gp"})).status == 0);
  const std::string script = place.read("loop.gp");
  CHECK(contains(script, "at slip, up"));
  CHECK(contains(script, "$down using 1:2 with points pointtype 6"));
  // The line of greatest values goes on where the way down begins.
  CHECK(place.slideway(with(loop, {"--plot", "lines.gp", "--states", "x"})).status == 0);
  const std::string lines = place.read("lines.gp");
  const std::size_t high = lines.find("$greatest << EOD");
  REQUIRE(high != std::string::npos);
  const auto rows = split(lines.substr(high, lines.find("EOD", high + 16) - high), '\n');
  REQUIRE(rows.size() > 32);
  CHECK(split(rows[16], ' ')[0] == "2");
  CHECK(split(rows[17], ' ')[0] == "2");
  CHECK(split(rows[32], ' ')[0] == "0.5");
}
