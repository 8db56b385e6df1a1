// Events that are followed where they are, beside the same events with all states stopped, and beside exact lists.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/local/same_changes.hpp"
#include "validation/benchmarks/local_problems.hpp"

using namespace slideway;
using namespace slideway::benchmarks;
using namespace test;

namespace {

Solution run(const LocalProblem& large, double end, double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = local;
  return Simulator(large.system, options).run({.start = 0, .end = end, .state = large.start});
}

double distance(const Solution& a, const Solution& b) {
  return (a.final.state - b.final.state).lpNorm<Eigen::Infinity>();
}

}  // namespace

TEST_CASE("a chain of blocks has the events of the run that stops all of them") {
  const LocalProblem chain = chain_of_blocks(60);
  const Solution exact = run(chain, 20, 1e-12, LocalEvents::off);
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const Solution global = run(chain, 20, rtol, LocalEvents::off);
    const Solution local = run(chain, 20, rtol, LocalEvents::on);
    CHECK(local.outcome.reached_end());
    CHECK(local.warnings.empty());
    check_same_changes(local, exact, 2e3 * rtol);
    CHECK(distance(local, exact) <= 3 * distance(global, exact) + 10 * rtol);
    CHECK(local.final.mode == exact.final.mode);
    // In order of time.
    for (std::size_t k = 1; k < local.events.size(); ++k) CHECK(local.events[k - 1].t <= local.events[k].t);
  }
}

TEST_CASE("a lattice of blocks has the events of the run that stops all of them") {
  const LocalProblem lattice = lattice_of_blocks(8);
  const Solution exact = run(lattice, 10, 1e-12, LocalEvents::off);
  for (const double rtol : {1e-6, 1e-9}) {
    CAPTURE(rtol);
    const Solution local = run(lattice, 10, rtol, LocalEvents::on);
    CHECK(local.outcome.reached_end());
    CHECK(local.warnings.empty());
    check_same_changes(local, exact, 1e4 * rtol);
  }
}

TEST_CASE("thermostats switch when exponentials say") {
  const AirConditioners rooms(40);
  const LocalProblem large = air_conditioners(40);
  const std::vector<std::vector<double>> exact = rooms.exact(60);
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const Solution local = run(large, 60, rtol, LocalEvents::on);
    CHECK(local.outcome.reached_end());
    CHECK(local.warnings.empty());
    std::vector<std::vector<double>> found(exact.size());
    for (const EventRecord& event : local.events) {
      CHECK(event.kind == EventKind::reset);
      found[static_cast<std::size_t>(std::stoi(event.name->substr(event.name->find_first_of("0123456789"))))]
          .push_back(event.t);
    }
    for (std::size_t i = 0; i < exact.size(); ++i) {
      CAPTURE(i);
      REQUIRE(found[i].size() == exact[i].size());
      for (std::size_t k = 0; k < exact[i].size(); ++k)
        CHECK(std::abs(found[i][k] - exact[i][k]) <= 1e3 * rtol);
    }
  }
}

TEST_CASE("outputs of a local run are those of the whole one, within steps and clusters alike") {
  const LocalProblem chain = chain_of_blocks(40);
  Options options{.rtol = 1e-8};
  options.recording = Recording::nothing;
  for (double t = 0; t <= 5; t += 0.05) options.output_times.push_back(t);
  const auto outputs = [&](LocalEvents local) {
    options.local_events = local;
    return Simulator(chain.system, options).run({.start = 0, .end = 5, .state = chain.start}).outputs;
  };
  const Matrix local = outputs(LocalEvents::on);
  const Matrix global = outputs(LocalEvents::off);
  CHECK(local.allFinite());
  CHECK((local - global).lpNorm<Eigen::Infinity>() <= 1e-5);
}

TEST_CASE("a run that cannot be followed locally is followed as ever, and says why") {
  const LocalProblem chain = chain_of_blocks(20);
  Options options{.rtol = 1e-6};
  options.local_events = LocalEvents::on;
  const auto run_with = [&](const System& system) {
    return Simulator(system, options).run({.start = 0, .end = 1, .state = chain.start});
  };
  Solution solution = run_with(chain.system);
  CHECK(solution.warnings.empty());
  options.method = Method::bdf;
  solution = run_with(chain.system);
  REQUIRE(solution.warnings.size() == 1);
  CHECK(solution.warnings.front() == "events were not followed locally, since the method is bdf");
  options.method = Method::automatic;
  CHECK(run_with(chain.system).warnings.empty());
  // A late event may concern anything.
  Event late;
  late.name = "late";
  late.when = Guard([](const auto& /*t*/, const auto& x) { return x[0] - 1e3; });
  late.action = Action::reset;
  late.reset = [](double, ConstVectorRef, VectorRef after) { after[0] = 0; };
  late.touches = {0};
  late.delay.time = 1;
  solution = run_with(chain.system.with_events({late}));
  REQUIRE(solution.warnings.size() == 1);
  CHECK(solution.warnings.front() ==
        "events were not followed locally, since the event 'late' has a delay and does not tell which states "
        "it sets "
        "(Delay::sets)");
  CHECK(solution.outcome.reached_end());
  late.delay.sets = {0};
  CHECK(run_with(chain.system.with_events({late})).warnings.empty());
}

TEST_CASE("an observer of events gets those of a local run in order") {
  const LocalProblem chain = chain_of_blocks(40);
  Options options{.rtol = 1e-6};
  options.recording = Recording::nothing;
  options.local_events = LocalEvents::on;
  std::vector<double> times;
  options.on_event = [&](const EventRecord& event) { times.push_back(event.t); };
  const Solution solution =
      Simulator(chain.system, options).run({.start = 0, .end = 5, .state = chain.start});
  CHECK(times.size() == solution.events.size());
  CHECK(std::is_sorted(times.begin(), times.end()));
}

TEST_CASE("the limit of events ends a local run at the event that reaches it") {
  const LocalProblem chain = chain_of_blocks(40);
  Options options{.rtol = 1e-6};
  options.recording = Recording::nothing;
  options.max_events = 25;
  const auto with = [&](LocalEvents local) {
    options.local_events = local;
    return Simulator(chain.system, options).run({.start = 0, .end = 5, .state = chain.start});
  };
  const Solution local = with(LocalEvents::on);
  const Solution global = with(LocalEvents::off);
  CHECK(local.outcome.status == Status::step_limit);
  CHECK(local.events.size() == global.events.size());
  CHECK(std::abs(local.outcome.t - global.outcome.t) <= 1e-3);
}
