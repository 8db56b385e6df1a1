// Sweeps that the processes of MPI make together: the same bytes as of one process, whatever is killed on the way.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/program.hpp"
#include "test/cli/table.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Started;
using slideway::test::Table;
using slideway::test::with;
using slideway::test::Workplace;

namespace {

// The cost of a run grows with w, from a tenth of a millisecond to a hundred times as much.
const char* const costs = R"toml(
name = "costs"
[parameters]
w = 1.0
[states]
x = 0.5
[time]
end = 30.0
[surfaces]
side = "x"
[derivatives]
x = "cos(w*t) - 0.1*sgn(side)"
)toml";

// Some seconds of work, so that there is time to disturb it.
const std::vector<std::string> slow = {"sweep",   "costs.toml", "--vary",    "w=50:500:log",
                                       "--latin", "600",        "--columns", "all"};
const std::vector<std::string> many = {"sweep",   "costs.toml", "--vary",    "w=1:300:log",
                                       "--latin", "600",        "--columns", "all"};

}  // namespace

TEST_CASE("where MPI starts a sweep and slideway-mpi is not installed an error says what to do") {
  const Workplace place;
  std::filesystem::copy_file(SLIDEWAY_PROGRAM, place.path() / "alone");
  const auto call = [&](const std::string& environment, const std::string& command) {
    const std::string line = "cd '" + place.path().string() + "' && PATH=/usr/bin " + environment +
                             " ./alone " + command + " > .out 2> .err";
    const int status = std::system(line.c_str());
    return Finished{WEXITSTATUS(status), place.read(".out"), place.read(".err")};
  };
  const std::string sweep = "sweep dry-friction --vary mu=0.1,0.2 --csv t.csv";
  for (const std::string environment : {"OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0", "PMI_SIZE=4",
                                        "PMIX_RANK=0 SLURM_STEP_NUM_TASKS=4"}) {
    const Finished finished = call(environment, sweep);
    CAPTURE(environment);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    CHECK(contains(finished.err, "4 processes of MPI"));
    CHECK(contains(finished.err, "install the package slideway-mpi"));
    CHECK(contains(finished.err, "--shard"));
    CHECK(!place.has("t.csv"));
  }
  // One of them says it.
  const Finished other = call("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2", sweep);
  CHECK(other.status == 2);
  CHECK(other.err.empty());
  CHECK(call("OMPI_COMM_WORLD_SIZE=1", sweep).status == 0);
  CHECK(call("PMIX_RANK=0 SLURM_STEP_NUM_TASKS=1", sweep).status == 0);
  CHECK(call("OMPI_COMM_WORLD_SIZE=4", "models").status == 0);
  CHECK(contains(call("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0", "basins").err, "slideway-mpi"));
}

#ifdef SLIDEWAY_MPIEXEC

namespace {

std::vector<std::string> by_mpi(int ranks, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& options = {}) {
  std::vector<std::string> words = {"--oversubscribe", "--allow-run-as-root", "-n", std::to_string(ranks)};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(SLIDEWAY_PROGRAM);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

Finished finish(const Workplace& place, int ranks, const std::vector<std::string>& arguments) {
  return Started(place, by_mpi(ranks, arguments), SLIDEWAY_MPIEXEC).wait();
}

std::size_t rows_of(const Workplace& place, const std::string& name) {
  return place.has(name) ? Table(place.read(name)).rows.size() : 0;
}

}  // namespace

TEST_CASE("any number of ranks writes the table and the points of one process") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep",   "dry-friction", "--vary", "mu=0.1:0.7:23", "--vary",
                                          "w=1:2:5", "--section",    "stick",  "--observe",     "stick"};
  CHECK(place.slideway(with(sweep, {"--jobs", "1", "--csv", "1.csv", "--section-file", "p1.csv"})).status ==
        0);
  for (const int ranks : {2, 3}) {
    const std::string number = std::to_string(ranks);
    const Finished finished = finish(
        place, ranks, with(sweep, {"--csv", number + ".csv", "--section-file", "p" + number + ".csv"}));
    CAPTURE(finished.err);
    CHECK(finished.status == 0);
    CHECK(finished.err == "115 runs\n");
    CHECK(finished.out.empty());
    CHECK(place.read(number + ".csv") == place.read("1.csv"));
    CHECK(place.read("p" + number + ".csv") == place.read("p1.csv"));
  }
  const Finished printed = finish(place, 2, with(sweep, {"--columns", "mu,w,max_v", "--quiet"}));
  CHECK(printed.out == place.slideway(with(sweep, {"--columns", "mu,w,max_v", "--quiet"})).out);
}

TEST_CASE("basins by MPI have the cells, samples and attractors of one process") {
  const Workplace place;
  const std::vector<std::string> basins = {"basins",    "gallery/impact_oscillator",
                                           "--plane",   "x=-1:0,v=-1:1",
                                           "--size",    "16",
                                           "--period",  "2*pi/w",
                                           "--samples", "20"};
  CHECK(place.slideway(with(basins, {"--csv", "1.csv", "--json", "1.json"})).status == 0);
  const Finished together = finish(place, 3, with(basins, {"--csv", "3.csv", "--json", "3.json"}));
  CAPTURE(together.err);
  CHECK(together.status == 0);
  CHECK(place.read("3.csv") == place.read("1.csv"));
  CHECK(place.read("3.json") == place.read("1.json"));
}

TEST_CASE("runs that follow one another and runs that are refused are the same by MPI") {
  const Workplace place;
  const std::vector<std::string> sweep = {"sweep",  "dry-friction", "--vary",   "mu=-0.1:0.4:6",
                                          "--vary", "w=1:2:3",      "--follow", "both"};
  const Finished alone = place.slideway(with(sweep, {"--csv", "1.csv"}));
  const Finished together = finish(place, 2, with(sweep, {"--csv", "2.csv", "--jobs", "2"}));
  CHECK(together.status == 0);
  CHECK(together.err == alone.err);
  CHECK(place.read("2.csv") == place.read("1.csv"));
}

TEST_CASE("ranks that are all killed leave a table that another number of ranks completes") {
  const Workplace place;
  place.write("costs.toml", costs);
  place.slideway(with(slow, {"--csv", "1.csv"}));
  {
    const Started started(place, by_mpi(3, with(slow, {"--csv", "2.csv"})), SLIDEWAY_MPIEXEC);
    REQUIRE(started.wait_until([&] { return rows_of(place, "2.csv") > 5; }, 60));
    const std::vector<pid_t> ranks = started.children();
    CHECK(ranks.size() == 3);
    started.signal(SIGKILL);
    for (const pid_t rank : ranks) kill(rank, SIGKILL);
  }
  const std::size_t rows = rows_of(place, "2.csv");
  CHECK(rows > 5);
  CHECK(rows < 600);
  const Finished resumed = finish(place, 2, with(slow, {"--csv", "2.csv", "--resume"}));
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.err, "600 runs"));
  CHECK(contains(resumed.err, "taken over"));
  CHECK(place.read("2.csv") == place.read("1.csv"));
  CHECK(place.files().size() == 3);
}

TEST_CASE("a rank that is killed leaves a table that one process completes") {
  const Workplace place;
  place.write("costs.toml", costs);
  place.slideway(with(slow, {"--csv", "1.csv"}));
  Started started(place, by_mpi(2, with(slow, {"--csv", "2.csv"})), SLIDEWAY_MPIEXEC);
  REQUIRE(started.wait_until([&] { return rows_of(place, "2.csv") > 5; }, 60));
  std::vector<pid_t> ranks = started.children();
  REQUIRE(ranks.size() == 2);
  kill(ranks.back(), SIGKILL);
  CHECK(started.wait().status != 0);
  CHECK(rows_of(place, "2.csv") > 5);
  CHECK(place.slideway(with(slow, {"--csv", "2.csv", "--resume"})).status == 0);
  CHECK(place.read("2.csv") == place.read("1.csv"));
}

TEST_CASE("where MPI lets the others go on they make the runs of a rank that is killed") {
  const Workplace place;
  place.write("costs.toml", costs);
  place.slideway(with(slow, {"--csv", "1.csv"}));
  Started started(place, by_mpi(3, with(slow, {"--csv", "2.csv"}), {"--enable-recovery"}), SLIDEWAY_MPIEXEC);
  REQUIRE(started.wait_until([&] { return rows_of(place, "2.csv") > 5; }, 60));
  std::vector<pid_t> ranks = started.children();
  REQUIRE(ranks.size() == 3);
  kill(*std::max_element(ranks.begin(), ranks.end()), SIGKILL);
  const Finished finished = started.wait();
  CAPTURE(finished.err);
  CHECK(contains(finished.err, "600 runs"));
  CHECK(place.read("2.csv") == place.read("1.csv"));
}

TEST_CASE("what is wrong is said once and no rank waits for another") {
  const Workplace place;
  const auto check = [&](const std::vector<std::string>& arguments, const std::string& reason) {
    const Finished finished = finish(place, 3, arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 2);
    const std::size_t first = finished.err.find(reason);
    REQUIRE(first != std::string::npos);
    CHECK(finished.err.find(reason, first + 1) == std::string::npos);
  };
  check({"sweep", "dry-friction", "--vary", "nu=1,2"}, "'nu'");
  check({"sweep", "dry-friction", "--vary"}, "--vary");
  check({"sweep", "dry-friction", "--vary", "mu=1,2", "--csv", "nowhere/t.csv"}, "create the directory");
  CHECK(contains(finish(place, 3, {"sweep", "--help"}).out, "--vary"));
}

TEST_CASE("ranks that do not have the same sweep are refused") {
  const Workplace place;
  // Each rank reads a file of its own.
  place.write("0.toml", costs);
  place.write("1.toml", std::string(costs) + "# another one\n");
  place.write("start.sh", "#!/bin/sh\nexec '" + std::string(SLIDEWAY_PROGRAM) +
                              "' sweep $OMPI_COMM_WORLD_RANK.toml --vary w=1:200:50 --csv t.csv\n");
  const auto start = [&] {
    return Started(place, {"--oversubscribe", "--allow-run-as-root", "-n", "2", "/bin/sh", "start.sh"},
                   SLIDEWAY_MPIEXEC)
        .wait();
  };
  const Finished different = start();
  CAPTURE(different.err);
  CHECK(different.status == 2);
  CHECK(contains(different.err, "rank 1 of MPI has another sweep than rank 0"));
  std::filesystem::remove(place.path() / "1.toml");
  const Finished without = start();
  CAPTURE(without.err);
  CHECK(without.status == 2);
  CHECK(contains(without.err, "rank 1 of MPI: "));
  CHECK(contains(without.err, "1.toml"));
}

TEST_CASE("two ranks and two threads are busy to the end where costs differ a hundredfold") {
  const Workplace place;
  place.write("costs.toml", costs);
  const auto share = [](const std::string& text) {
    const std::string before = "workers were at work for ";
    const std::size_t found = text.find(before);
    REQUIRE(found != std::string::npos);
    return std::stod(text.substr(found + before.size()));
  };
  const Finished threads = place.slideway(with(many, {"--jobs", "2", "--summary", "--csv", "1.csv"}));
  CHECK(share(threads.err) > 90);
  const Finished ranks = finish(place, 2, with(many, {"--summary", "--csv", "2.csv"}));
  CAPTURE(ranks.err);
  CHECK(share(ranks.err) > 90);
  CHECK(place.read("1.csv") == place.read("2.csv"));
}

TEST_CASE("a request to terminate ends the ranks with a table that is resumed") {
  const Workplace place;
  place.write("costs.toml", costs);
  place.slideway(with(slow, {"--csv", "1.csv"}));
  Started started(place, by_mpi(2, with(slow, {"--csv", "2.csv"})), SLIDEWAY_MPIEXEC);
  REQUIRE(started.wait_until([&] { return rows_of(place, "2.csv") > 5; }, 60));
  started.signal(SIGTERM);
  const Finished finished = started.wait();
  CAPTURE(finished.err);
  CHECK(contains(finished.err, "--resume completes '2.csv'"));
  CHECK(rows_of(place, "2.csv") < 600);
  CHECK(finish(place, 3, with(slow, {"--csv", "2.csv", "--resume"})).status == 0);
  CHECK(place.read("2.csv") == place.read("1.csv"));
}

#endif
