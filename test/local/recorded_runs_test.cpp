// The records of local runs and their calls of observers, beside the same run with all states stopped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "slideway/io/csv.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/benchmarks/local_problems.hpp"

using namespace slideway;
using namespace slideway::benchmarks;

namespace {

Options recorded(double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.local_events = local;
  return options;
}

Solution run(const LocalProblem& large, double end, const Options& options) {
  return Simulator(large.system, options).run({.start = 0, .end = end, .state = large.start});
}

// A number of the run at hand, not of the tolerances: how far two states are from each other.
double distance(const Vector& a, const Vector& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

bool is_event_time(const Solution& solution, double t) {
  return std::any_of(solution.events.begin(), solution.events.end(),
                     [&](const EventRecord& event) { return std::abs(event.t - t) < 1e-5; });
}

}  // namespace

TEST_CASE("the trajectory of a local run is that of the whole one, at any time") {
  const LocalProblem chain = chain_of_blocks(40);
  const Solution local = run(chain, 5, recorded(1e-8, LocalEvents::on));
  const Solution global = run(chain, 5, recorded(1e-8, LocalEvents::off));
  CHECK(local.warnings.empty());
  CHECK(local.trajectory.start() == 0);
  CHECK(local.trajectory.end() == 5);
  for (int k = 0; k <= 997; ++k) {
    const double t = 5.0 * k / 997;
    CAPTURE(t);
    CHECK(distance(local.trajectory(t), global.trajectory(t)) <= 1e-5);
    if (!is_event_time(global, t)) CHECK(local.trajectory.mode(t) == global.trajectory.mode(t));
  }
  CHECK(local.trajectory(5) == local.final.state);
}

TEST_CASE("a segment of a local run has no event inside, and its blocks slide where its mode says so") {
  const LocalProblem chain = chain_of_blocks(40);
  const Solution local = run(chain, 5, recorded(1e-8, LocalEvents::on));
  const std::vector<Segment>& segments = local.trajectory.segments();
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Segment& segment = segments[k];
    if (k > 0) CHECK(segment.start == segments[k - 1].end);
    CHECK(segment.start < segment.end);
    for (const EventRecord& event : local.events)
      CHECK_FALSE((event.t > segment.start && event.t < segment.end));
    const Vector middle = local.trajectory(0.5 * (segment.start + segment.end));
    for (Index i = 0; i < 40; ++i) {
      const double slip = middle[40 + i] - 0.1;
      if (segment.mode[i] == Side::sliding) CHECK(std::abs(slip) <= 1e-10);
      if (segment.mode[i] == Side::plus) CHECK(slip > -1e-9);
      if (segment.mode[i] == Side::minus) CHECK(slip < 1e-9);
    }
  }
}

TEST_CASE("a recorded local run jumps where a reset says so") {
  const AirConditioners rooms(12);
  const LocalProblem large = air_conditioners(12);
  const Solution local = run(large, 30, recorded(1e-8, LocalEvents::on));
  REQUIRE(local.events.size() > 20);
  for (const EventRecord& event : local.events) {
    CAPTURE(event.t);
    const Index room = std::stoi(event.name->substr(event.name->find_first_of("0123456789")));
    const bool goes_on = event.name->substr(0, 2) == "on";
    const Vector before = local.trajectory.before(event.t);
    const Vector after = local.trajectory(event.t);
    CHECK(before[12 + room] == doctest::Approx(goes_on ? 0 : 1).epsilon(1e-14));
    CHECK(after[12 + room] == doctest::Approx(goes_on ? 1 : 0).epsilon(1e-14));
    const auto own = static_cast<std::size_t>(room);
    CHECK(std::abs(after[room] - (goes_on ? rooms.high[own] : rooms.low[own])) <= 1e-9);
    // Few enough states are kept in the record, those of the other rooms as well.
    REQUIRE(event.before.size() == 24);
    REQUIRE(event.after.size() == 24);
    CHECK(distance(event.before, before) <= 1e-9);
    CHECK(distance(event.after, after) <= 1e-9);
  }
}

TEST_CASE("records of a small local run are those of the whole one, with states and modes") {
  const LocalProblem chain = chain_of_blocks(30);
  for (const bool is_recorded : {true, false}) {
    Options options = recorded(1e-9, LocalEvents::on);
    if (!is_recorded) options.recording = Recording::nothing;
    const Solution local = run(chain, 4, options);
    options.local_events = LocalEvents::off;
    const Solution global = run(chain, 4, options);
    REQUIRE(local.events.size() == global.events.size());
    for (std::size_t k = 0; k < local.events.size(); ++k) {
      const EventRecord& mine = local.events[k];
      const EventRecord& theirs = global.events[k];
      CAPTURE(mine.t);
      CHECK(mine.kind == theirs.kind);
      CHECK_FALSE(mine.listed_only);
      CHECK(mine.from == theirs.from);
      CHECK(mine.to == theirs.to);
      CHECK(mine.surface_names.front() == theirs.surface_names.front());
      REQUIRE(mine.before.size() == 60);
      CHECK(distance(mine.before, theirs.before) <= 1e-6);
      CHECK(distance(mine.after, theirs.after) <= 1e-6);
    }
  }
}

TEST_CASE("whole states and modes are kept of large local runs where they are asked for") {
  const LocalProblem chain = chain_of_blocks(110);
  Options options = recorded(1e-6, LocalEvents::on);
  options.recording = Recording::nothing;
  const Solution shortened = run(chain, 1, options);
  options.full_events = true;
  const Solution whole = run(chain, 1, options);
  REQUIRE(shortened.events.size() == whole.events.size());
  for (std::size_t k = 0; k < whole.events.size(); ++k) {
    const EventRecord& event = whole.events[k];
    CHECK(shortened.events[k].listed_only);
    CHECK(shortened.events[k].before.size() == 0);
    CHECK(event.before.size() == 220);
    CHECK(event.from->size() == 110);
    CHECK(listed_word(event, *event.to) == listed_word(shortened.events[k], *shortened.events[k].to));
    // One mode leads to the next.
    if (k > 0) CHECK(*event.from == *whole.events[k - 1].to);
  }
}

TEST_CASE("an observer sees the steps of a local run in order, with the events between them") {
  const LocalProblem chain = chain_of_blocks(40);
  for (const Recording recording : {Recording::dense, Recording::nothing}) {
    Options options = recorded(1e-8, LocalEvents::on);
    options.recording = recording;
    double reached = 0;
    std::size_t events = 0;
    Vector state(80);
    std::vector<Vector> middles;
    std::vector<double> times;
    options.on_step = [&](const StepView& view) {
      CHECK(view.start == reached);
      CHECK(view.end > view.start);
      reached = view.end;
      times.push_back(0.5 * (view.start + view.end));
      view.evaluate(times.back(), state);
      middles.push_back(state);
      for (Index i = 0; i < 40; ++i) {
        if (view.mode[i] == Side::sliding) CHECK(std::abs(state[40 + i] - 0.1) <= 1e-10);
      }
    };
    options.on_event = [&](const EventRecord& event) {
      CHECK(event.t == reached);
      ++events;
    };
    const Solution local = run(chain, 5, options);
    CHECK(local.outcome.reached_end());
    CHECK(reached == 5);
    CHECK(events == local.events.size());
    const Solution exact = run(chain, 5, recorded(1e-11, LocalEvents::off));
    for (std::size_t k = 0; k < times.size(); ++k)
      CHECK(distance(middles[k], exact.trajectory(times[k])) <= 1e-5);
  }
}

TEST_CASE("what an observer throws ends a local run and is told") {
  const LocalProblem chain = chain_of_blocks(40);
  Options options = recorded(1e-8, LocalEvents::on);
  options.on_step = [](const StepView& view) {
    if (view.end > 1) throw std::runtime_error("enough");
  };
  const Solution local = run(chain, 5, options);
  CHECK(local.outcome.status == Status::user_function_failed);
  CHECK(local.outcome.message.find("enough") != std::string::npos);
  CHECK(local.outcome.message.find("Options::on_step") != std::string::npos);
}

TEST_CASE("a recorded local run that the limit of events ends is recorded up to there") {
  const LocalProblem chain = chain_of_blocks(40);
  Options options = recorded(1e-6, LocalEvents::on);
  options.max_events = 25;
  const Solution local = run(chain, 5, options);
  CHECK(local.outcome.status == Status::step_limit);
  CHECK(local.trajectory.end() == local.outcome.t);
  CHECK(distance(local.trajectory(local.outcome.t), local.final.state) <= 1e-12);
}

TEST_CASE("the table of a local run has the rows of the whole one") {
  const std::string text =
      "name = \"blocks\"\n[parameters]\nN = 12\n[states]\n"
      "x = { size = \"N\", value = \"1.5*sin(2.1*i) + 0.4*cos(0.37*i)\" }\nv = { size = \"N\", value = \"0\" "
      "}\n[time]\nend = 3\n[derivatives]\nx = \"v[i]\"\n"
      "v = { value = \"x[i-1] - 2.1*x[i] + x[i+1] - 0.3*sgn(v[i] - 0.1)\", ends = \"zero\" }\n";
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const auto table = [&](LocalEvents local) {
    const Solution solution =
        Simulator(instance.problem(), recorded(1e-10, local))
            .run({.start = instance.start, .end = instance.end, .state = instance.state});
    CHECK(solution.warnings.empty());
    const RunReport report{.model = "blocks", .instance = instance, .solution = solution};
    std::ostringstream out;
    write_csv(report, out, {.points = 31, .start = 0, .end = 3});
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
      rows.emplace_back();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  };
  const auto mine = table(LocalEvents::on);
  const auto theirs = table(LocalEvents::off);
  REQUIRE(mine.size() == theirs.size());
  REQUIRE(mine.size() > 40);
  CHECK(mine.front() == theirs.front());
  for (std::size_t row = 1; row < mine.size(); ++row) {
    CAPTURE(row);
    REQUIRE(mine[row].size() == theirs[row].size());
    for (std::size_t k = 0; k < 25; ++k)
      CHECK(std::abs(std::stod(mine[row][k]) - std::stod(theirs[row][k])) <= 1e-6);
    CHECK(mine[row][25] == theirs[row][25]);
  }
}
