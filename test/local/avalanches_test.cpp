// Resets that set off others beyond the cluster in which they happen, relays that two cells share, and what ends a local run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_network.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// A ring of units that fire at 1 and push both neighbours.
struct Ring {
  Index units;
  std::vector<double> drive;
  void field(const auto& /*t*/, const auto& x, const auto& /*lambda*/, auto& dx) const {
    for (Index i = 0; i < units; ++i) {
      const double own = drive[static_cast<std::size_t>(i)];
      dx[i] = own - 0.6 * x[i] + 0.02 * (x[(i + 1) % units] - x[i]);
    }
  }
};

System ring(Index units, double push, std::mt19937& random) {
  std::uniform_real_distribution<double> any(0, 1);
  Ring functor{units, {}};
  for (Index i = 0; i < units; ++i) functor.drive.push_back(1 + 0.5 * any(random));
  const System system = from_functor([functor](const auto& t, const auto& x, const auto& lambda,
                                               auto& dx) { functor.field(t, x, lambda, dx); },
                                     {.states = units});
  std::vector<Event> events;
  for (Index i = 0; i < units; ++i) {
    const Index left = (i + units - 1) % units, right = (i + 1) % units;
    Event event;
    event.name = "fire " + std::to_string(i);
    event.when = Guard([i](const auto& /*t*/, const auto& x) { return x[i] - 1.0; });
    event.direction = Direction::rising;
    event.action = Action::reset;
    std::vector<Index> touches = {left, i, right};
    std::sort(touches.begin(), touches.end());
    event.touches = touches;
    event.reset = [i, left, right, push](double, ConstVectorRef before, VectorRef after) {
      after[i] = 0;
      after[left] = before[left] + push;
      after[right] = before[right] + push;
    };
    events.push_back(std::move(event));
  }
  return system.with_events(std::move(events));
}

Solution run(const System& system, const Vector& start, double end, double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = local;
  return Simulator(system, options).run({.start = 0, .end = end, .state = start});
}

// Two neighbours share a relay: friction of one block on the next, with places on a ring.
struct Stack {
  Index cells;
  std::vector<double> spring, friction, drive;
  void guards(Index i, const auto& /*t*/, const auto& x, auto&& h) const {
    h[0] = x(i, 1) - x((i + 1) % cells, 1) - 0.02 * drive[static_cast<std::size_t>(i)];
  }
  void field(Index i, const auto& t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    const Index next = (i + 1) % cells, last = (i + cells - 1) % cells;
    const auto own = static_cast<std::size_t>(i);
    const auto before = static_cast<std::size_t>(last);
    dx[0] = x(i, 1);
    dx[1] = spring[own] * (x(next, 0) - x(i, 0)) + spring[before] * (x(last, 0) - x(i, 0)) - 0.4 * x(i, 0) -
            0.03 * x(i, 1) + 0.4 * drive[own] * cos(0.9 * t) - friction[own] * lambda(i, 0) +
            friction[before] * lambda(last, 0);
  }
};

// Blocks on a belt.
struct Chain {
  Index cells;
  void guards(Index i, const auto& /*t*/, const auto& x, auto&& h) const { h[0] = x(i, 1) - 0.1; }
  void field(Index i, const auto& /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    auto force = -2.1 * x(i, 0) - 0.3 * lambda(i, 0);
    if (i > 0) force += x(i - 1, 0);
    if (i + 1 < cells) force += x(i + 1, 0);
    dx[0] = x(i, 1);
    dx[1] = force;
  }
};

}  // namespace

TEST_CASE("avalanches of resets have the same rounds locally") {
  for (unsigned int seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const System system = ring(24, seed % 2 == 0 ? 0.3 : 0.05, random);
    std::uniform_real_distribution<double> any(0, 0.95);
    Vector start(24);
    for (double& value : start) value = any(random);
    for (const double rtol : {1e-6, 1e-9}) {
      const Solution local = run(system, start, 6, rtol, LocalEvents::on);
      const Solution global = run(system, start, 6, rtol, LocalEvents::off);
      CHECK(local.warnings.empty());
      std::map<std::string, std::vector<std::pair<double, int>>> mine, theirs;
      for (const EventRecord& event : local.events) mine[*event.name].emplace_back(event.t, event.round);
      for (const EventRecord& event : global.events) theirs[*event.name].emplace_back(event.t, event.round);
      REQUIRE(mine.size() == theirs.size());
      for (const auto& [name, fires] : theirs) {
        CAPTURE(name);
        REQUIRE(mine[name].size() == fires.size());
        for (std::size_t k = 0; k < fires.size(); ++k) {
          CHECK(std::abs(mine[name][k].first - fires[k].first) <= 100 * rtol);
          CHECK(mine[name][k].second == fires[k].second);
        }
      }
    }
  }
}

TEST_CASE("relays that two cells share slide together locally as all at once") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0, 1);
  for (int model = 0; model < 3; ++model) {
    CAPTURE(model);
    const Index cells = 30;
    Stack stack{cells, {}, {}, {}};
    Vector start(2 * cells);
    for (Index i = 0; i < cells; ++i) {
      stack.spring.push_back(0.3 + any(random));
      stack.friction.push_back(0.1 + 0.4 * any(random));
      stack.drive.push_back(any(random));
      start[2 * i] = 2 * any(random) - 1;
      start[2 * i + 1] = any(random) - 0.5;
    }
    const System system = from_network(stack, {.cells = cells, .states = 2, .surfaces = 1});
    const Solution exact = run(system, start, 10, 1e-11, LocalEvents::off);
    const Solution local = run(system, start, 10, 1e-8, LocalEvents::on);
    CHECK(local.warnings.empty());
    CHECK(local.outcome.reached_end());
    CHECK(local.final.mode == exact.final.mode);
    CHECK((local.final.state - exact.final.state).lpNorm<Eigen::Infinity>() <= 1e-5);
  }
}

TEST_CASE("a stop ends a local run where it ends the other") {
  std::mt19937 random(3);
  const System system = ring(24, 0.05, random);
  Event stop;
  stop.name = "far";
  stop.when = Guard([](const auto& /*t*/, const auto& x) { return x[5] - 0.97; });
  stop.direction = Direction::rising;
  stop.action = Action::stop;
  const System stopped = system.with_events({stop});
  const Vector start = Vector::LinSpaced(24, 0, 0.9);
  const Solution local = run(stopped, start, 6, 1e-8, LocalEvents::on);
  const Solution global = run(stopped, start, 6, 1e-8, LocalEvents::off);
  CHECK(local.outcome.status == Status::stopped_by_event);
  CHECK(global.outcome.status == Status::stopped_by_event);
  CHECK(std::abs(local.outcome.t - global.outcome.t) <= 1e-6);
  CHECK(local.events.size() == global.events.size());
}

TEST_CASE("an event that waits beyond zero for the whole run is warned of locally, too") {
  std::mt19937 random(3);
  Event stop;
  stop.name = "far";
  stop.when = Guard([](const auto& /*t*/, const auto& x) { return x[5] + 7.0; });
  stop.direction = Direction::rising;
  stop.action = Action::stop;
  const System stopped = ring(24, 0.05, random).with_events({stop});
  const Vector start = Vector::LinSpaced(24, 0, 0.9);
  const Solution local = run(stopped, start, 2, 1e-6, LocalEvents::on);
  const Solution global = run(stopped, start, 2, 1e-6, LocalEvents::off);
  REQUIRE(local.warnings.size() == 1);
  REQUIRE(global.warnings.size() == 1);
  CHECK(local.warnings[0].substr(0, 40) == global.warnings[0].substr(0, 40));
}

TEST_CASE("the errors of a step at one place do not grow with all the states that rest") {
  const auto end_of = [](Index cells, double rtol) {
    const System system = from_network(Chain{cells}, {.cells = cells, .states = 2, .surfaces = 1});
    Vector start(2 * cells);
    for (Index i = 0; i < cells; ++i) start.segment(2 * i, 2) << 0, 0.1;
    const double places[] = {1.4, -1.0, 0.3, 2.0, -0.7, 0.9};
    const Index first = cells / 2 - 3;
    for (Index k = 0; k < 6; ++k) start.segment(2 * (first + k), 2) << places[k], 0;
    const Solution solution = run(system, start, 6, rtol, LocalEvents::on);
    CHECK(solution.warnings.empty());
    return Vector(solution.final.state.segment(2 * first, 12));
  };
  const Vector exact = end_of(40, 1e-11);
  CHECK((end_of(40, 1e-6) - exact).lpNorm<Eigen::Infinity>() <= 5e-6);
  CHECK((end_of(8000, 1e-6) - exact).lpNorm<Eigen::Infinity>() <= 5e-6);
}
