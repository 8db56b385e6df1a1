// The library's sweep(): values in, values out, with tables on request.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include "slideway/io/model_file.hpp"
#include "slideway/sweep/sweep.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using slideway::test::TemporaryFolder;

namespace {

// x(1) = x0·exp(−a), and x falls through 1/2 at log(2·x0)/a.
Model decay() {
  return parse_model(R"toml(
name = "decay"
[parameters]
a = 1.0
[states]
x = 1.0
[time]
end = 1.0
[surfaces]
half = "x - 0.5"
[derivatives]
x = "-a*x"
)toml",
                     "decay.toml");
}

SweepDesign grid(Index count) { return {.axes = {{.name = "a", .first = 0.1, .last = 2, .count = count}}}; }

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a sweep gives a row for every value, in their order, whatever the number of threads") {
  for (const Index jobs : {1, 4}) {
    const SweepResult result = sweep(decay(), grid(20), {.run = {.rtol = 1e-9}, .jobs = jobs});
    CHECK(result.is_complete());
    CHECK(result.failed == 0);
    CHECK(result.states == std::vector<std::string>{"x"});
    REQUIRE(result.rows.size() == 20);
    for (std::size_t k = 0; k < 20; ++k) {
      const SweepRow& row = result.rows[k];
      CHECK(row.run == static_cast<Index>(k));
      const double a = 0.1 + 1.9 * static_cast<double>(k) / 19;
      CHECK(row.values.at(0) == doctest::Approx(a).epsilon(1e-14));
      CHECK(row.final.at(0) == doctest::Approx(std::exp(-a)).epsilon(1e-8));
      CHECK(row.succeeded());
    }
  }
}

TEST_CASE("rows are called back one by one and need not be kept") {
  std::set<Index> runs;
  const SweepResult result =
      sweep(decay(), grid(50),
            {.jobs = 3, .keep_rows = false, .on_row = [&](const SweepRow& row) {
               runs.insert(row.run);
               CHECK(row.final.at(0) == doctest::Approx(std::exp(-row.values.at(0))).epsilon(1e-4));
             }});
  CHECK(runs.size() == 50);
  CHECK(result.rows.empty());
  CHECK(result.done == 50);
}

TEST_CASE("what a call back throws ends the sweep and comes out of it") {
  const auto call = [] {
    sweep(decay(), grid(50), {.jobs = 2, .on_row = [](const SweepRow& row) {
                                if (row.run == 20) throw std::runtime_error("enough");
                              }});
  };
  CHECK_THROWS_WITH_AS(call(), "enough", std::runtime_error);
}

TEST_CASE("a sweep that is cancelled tells what is missing, and is resumed") {
  const TemporaryFolder folder;
  std::atomic<bool> cancel = false;
  SweepOptions options{.jobs = 1, .cancel = &cancel, .table = folder / "t.csv"};
  options.run_time_limit = 60;
  Index seen = 0;
  options.on_row = [&](const SweepRow&) {
    if (++seen == 30) cancel = true;
    // The sweep looks at the wish ten times a second.
    if (seen > 30) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const SweepResult part = sweep(decay(), grid(200), options);
  CHECK(!part.is_complete());
  CHECK(part.done >= 30);
  REQUIRE(!part.missing.empty());
  CHECK(part.missing.front() == part.done);
  CHECK(static_cast<Index>(part.rows.size()) == part.done);

  options.cancel = nullptr;
  options.on_row = {};
  options.resume = true;
  const SweepResult whole = sweep(decay(), grid(200), options);
  CHECK(whole.is_complete());
  CHECK(whole.taken_over == part.done);
  const std::string resumed = text_of(folder / "t.csv");
  sweep(decay(), grid(200), {.table = folder / "u.csv", .keep_rows = false});
  CHECK(resumed == text_of(folder / "u.csv"));
  CHECK(folder.entries() == 2);
}

TEST_CASE("shards are merged to the table of the whole") {
  const TemporaryFolder folder;
  SweepOptions options;
  std::vector<std::string> parts;
  for (Index number = 1; number <= 3; ++number) {
    SweepDesign design = grid(10);
    design.shard = {number, 3};
    options.table = folder / ("part" + std::to_string(number));
    parts.push_back(options.table);
    const SweepResult part = sweep(decay(), design, options);
    CHECK(part.all_runs == 10);
    CHECK(part.runs == (number == 1 ? 4 : 3));
  }
  options.table = folder / "merged";
  options.merge = parts;
  CHECK(sweep(decay(), grid(10), options).is_complete());
  sweep(decay(), grid(10), {.table = folder / "whole"});
  CHECK(text_of(folder / "merged") == text_of(folder / "whole"));
}

TEST_CASE("a run that takes longer than it may is a row with this status") {
  const SweepResult result =
      sweep(decay(), grid(2), {.run = {.max_step = 1e-7}, .run_time_limit = 0.05, .statistics = true});
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].status == SweepRow::time_limit);
  CHECK(result.failed == 2);
  REQUIRE(result.statistics.statuses.size() == 1);
  CHECK(result.statistics.statuses[0] == std::pair<std::string, Index>{"time_limit", 2});
}

TEST_CASE("statistics are exact, of the runs that succeeded") {
  SweepDesign design = grid(101);
  const SweepResult result = sweep(decay(), design, {.run = {.rtol = 1e-9}, .jobs = 2, .statistics = true});
  std::vector<double> finals;
  for (const SweepRow& row : result.rows) finals.push_back(row.final[0]);
  std::sort(finals.begin(), finals.end());
  const auto found =
      std::find_if(result.statistics.columns.begin(), result.statistics.columns.end(),
                   [](const SweepColumnStatistics& column) { return column.column == "final_x"; });
  REQUIRE(found != result.statistics.columns.end());
  CHECK(found->values == 101);
  CHECK(found->least == finals.front());
  CHECK(found->greatest == finals.back());
  CHECK(found->lower_quartile == finals[25]);
  CHECK(found->median == finals[50]);
  CHECK(found->upper_quartile == finals[75]);
  CHECK(found->mean ==
        doctest::Approx(std::accumulate(finals.begin(), finals.end(), 0.0) / 101).epsilon(1e-14));
  CHECK(result.seconds_at_work > 0);
  CHECK(result.seconds_at_work <= result.seconds);
}

TEST_CASE("runs follow one another in a sweep of the library") {
  SweepDesign design = grid(4);
  design.follow = Follow::up;
  const SweepResult result = sweep(decay(), design, {.run = {.rtol = 1e-10}});
  double x = 1;
  for (const SweepRow& row : result.rows) {
    x *= std::exp(-row.values[0]);
    CHECK(row.direction == "up");
    CHECK(row.final[0] == doctest::Approx(x).epsilon(1e-8));
  }
  CHECK(result.rows.back().t == doctest::Approx(4));
}

TEST_CASE("a section and an observable of a sweep of the library") {
  SweepOptions options{.run = {.rtol = 1e-10}, .observe = {"E = x^2"}};
  options.section = SweepSection{.name = "half", .direction = SectionDirection::falling};
  const SweepResult result = sweep(decay(), {.axes = {{.name = "a", .values = {0.5, 1.5}}}}, options);
  CHECK(result.quantities == std::vector<std::string>{"x", "E"});
  CHECK(result.rows[0].crossings == 0);
  REQUIRE(result.rows[1].crossings == 1);
  CHECK(result.rows[1].section_times.at(0) == doctest::Approx(std::log(2.0) / 1.5).epsilon(1e-8));
  CHECK(result.rows[1].final.at(1) == doctest::Approx(std::exp(-3)).epsilon(1e-8));
}

TEST_CASE("nonsense is refused before the first run, in words of the library") {
  const auto refusal = [](const SweepDesign& design, const SweepOptions& options) {
    try {
      sweep(decay(), design, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(refusal({}, {}), "nothing is varied"));
  CHECK(has(refusal({.axes = {{.name = "a"}}}, {}), "SweepDesign::axes: 'a' takes no value"));
  CHECK(has(refusal({.axes = {{.name = "b", .values = {1}}}}, {}), "b"));
  CHECK(has(refusal({.axes = {{.name = "a", .values = {1}}}, .sampling = Sampling::random, .samples = 3}, {}),
            "Sampling::random draws values from a range"));
  CHECK(has(refusal({.axes = {{.name = "a", .last = 1, .is_range = true}}, .sampling = Sampling::latin}, {}),
            "at least 1 of SweepDesign::samples"));
  CHECK(has(refusal({.axes = {{.name = "a", .values = {1}}}, .shard = {3, 2}}, {}), "SweepDesign::shard"));
  CHECK(has(refusal(grid(2), {.transient = 2}), "SweepOptions::transient"));
  CHECK(has(refusal(grid(2), {.transient = std::nan("")}), "SweepOptions::transient"));
  CHECK(has(refusal(grid(2), {.end = -1}), "SweepOptions::end"));
  CHECK(has(refusal(grid(2), {.section = SweepSection{.name = "hulf"}}), "did you mean 'half'"));
  CHECK(has(refusal(grid(2), {.points = "p.csv"}), "SweepOptions::section"));
  CHECK(has(refusal(grid(2), {.resume = true}), "SweepOptions::resume"));
  CHECK(has(refusal(grid(2), {.columns = {"nowhere"}}), "SweepOptions::columns"));
}
