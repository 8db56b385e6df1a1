// Stiff systems whose events are followed where they are: macro steps and clusters by RODAS.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/local/same_changes.hpp"
#include "validation/benchmarks/local_problems.hpp"

using namespace slideway;
using namespace slideway::benchmarks;
using namespace test;

namespace {

Solution run_stiff(const LocalProblem& large, double end, double rtol, LocalEvents local,
                   Method method = Method::rodas) {
  Options options{.rtol = rtol};
  options.method = method;
  options.recording = Recording::nothing;
  options.local_events = local;
  return Simulator(large.system, options).run({.start = 0, .end = end, .state = large.start});
}

// The tolerances of both runs are small beside `most`.
void check_like_global(const LocalProblem& large, double end, const std::vector<double>& tolerances,
                       double factor) {
  const Solution exact = run_stiff(large, end, 1e-10, LocalEvents::off);
  REQUIRE(exact.outcome.reached_end());
  for (const double rtol : tolerances) {
    for (const Method method : {Method::rodas, Method::automatic}) {
      CAPTURE(rtol);
      CAPTURE(to_string(method));
      const Solution local = run_stiff(large, end, rtol, LocalEvents::on, method);
      CHECK(local.outcome.reached_end());
      CHECK(local.warnings.empty());
      // An event that is nearly a touch comes late by as much in both runs.
      const double usual =
          difference_of(run_stiff(large, end, rtol, LocalEvents::off, method), exact).furthest;
      check_same_changes(local, exact, factor * rtol + 3 * usual);
      CHECK(local.final.mode == exact.final.mode);
      CHECK((local.final.state - exact.final.state).lpNorm<Eigen::Infinity>() <= factor * rtol);
    }
  }
}

// Rooms with a thermostat each, whose sensor follows the temperature at a large rate:
//     th' = (rest − th)/τ,   s' = K (th − s),   rest = warm − drop on;  on = 1 where s rises to `high`, 0 where it falls to `low`
struct SensedRooms {
  static constexpr double kRate = 1e4;
  AirConditioners rooms;
  Index count;

  explicit SensedRooms(Index many) : rooms(many), count(many) {}
  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    for (Index i = 0; i < count; ++i) {
      const auto room = static_cast<std::size_t>(i);
      dx[i] = (rooms.warm[room] - rooms.drop[room] * x[2 * count + i] - x[i]) / rooms.time_constant[room];
      dx[count + i] = kRate * (x[i] - x[count + i]);
      dx[2 * count + i] = 0.0 * x[2 * count + i];
    }
  }
  LocalProblem problem() const {
    System system = from_functor([own = *this](const auto& t, const auto& x, const auto& lambda,
                                               auto& dx) { own.field(t, x, lambda, dx); },
                                 {.states = 3 * count, .discrete = count});
    std::vector<Event> events;
    Vector start = Vector::Zero(3 * count);
    for (Index i = 0; i < count; ++i) {
      const auto room = static_cast<std::size_t>(i);
      for (const bool rises : {true, false}) {
        Event event;
        event.name = (rises ? "on" : "off") + std::to_string(i);
        const double limit = rises ? rooms.high[room] : rooms.low[room];
        event.when = Guard(
            [sensor = count + i, limit](const auto& /*t*/, const auto& x) { return x[sensor] - limit; });
        event.direction = rises ? Direction::rising : Direction::falling;
        event.action = Action::reset;
        event.reset = [on = 2 * count + i, rises](double, ConstVectorRef, VectorRef after) {
          after[on] = rises ? 1 : 0;
        };
        event.touches = {2 * count + i};
        events.push_back(std::move(event));
      }
      start[i] = start[count + i] = 0.5 * (rooms.low[room] + rooms.high[room]);
      start[2 * count + i] = i % 2 == 0 ? 1 : 0;
    }
    return {system.with_events(std::move(events)), start};
  }
  // Every switching of a room up to `end`, by its exponentials.
  std::vector<double> exact(Index i, double end) const {
    const auto room = static_cast<std::size_t>(i);
    const double decay = 1 / rooms.time_constant[room];
    const double lag = kRate / (kRate - decay);
    std::vector<double> times;
    double t = 0;
    double place = 0.5 * (rooms.low[room] + rooms.high[room]);
    double sensor = place;
    bool on = i % 2 == 0;
    while (true) {
      const double rest = rooms.warm[room] - (on ? rooms.drop[room] : 0);
      const double limit = on ? rooms.low[room] : rooms.high[room];
      const double slow = (place - rest) * lag;
      const double fast = sensor - rest - slow;
      const auto sensed = [&](double s) {
        return rest + slow * std::exp(-decay * s) + fast * std::exp(-kRate * s);
      };
      // From behind where what is fast has died out to where the slow one alone has passed the limit.
      double early = 30 / kRate;
      double late = rooms.time_constant[room] * std::log(slow / (limit - rest)) + 1;
      for (int k = 0; k < 80; ++k) {
        const double middle = 0.5 * (early + late);
        ((sensed(middle) - limit) * (on ? 1 : -1) > 0 ? early : late) = middle;
      }
      t += late;
      if (t > end) return times;
      times.push_back(t);
      sensor = limit;
      place = rest + (place - rest) * std::exp(-decay * late);
      on = !on;
    }
  }
};

}  // namespace

TEST_CASE("thermostats with fast sensors switch when exponentials say") {
  for (const Index count : {10, 100, 1000}) {
    const SensedRooms rooms(count);
    const LocalProblem large = rooms.problem();
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      if (count == 1000 && rtol < 1e-6) continue;
      CAPTURE(count);
      CAPTURE(rtol);
      const Solution local = run_stiff(large, 20, rtol, LocalEvents::on);
      CHECK(local.outcome.reached_end());
      CHECK(local.warnings.empty());
      std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
      for (const EventRecord& event : local.events)
        found[static_cast<std::size_t>(
                  std::stoi(event.name->substr(event.name->find_first_of("0123456789"))))]
            .push_back(event.t);
      double furthest = 0;
      Index others = 0;
      for (Index i = 0; i < count; ++i) {
        const std::vector<double> exact = rooms.exact(i, 20);
        const std::vector<double>& mine = found[static_cast<std::size_t>(i)];
        if (mine.size() != exact.size()) ++others;
        for (std::size_t k = 0; k < std::min(mine.size(), exact.size()); ++k)
          furthest = std::max(furthest, std::abs(mine[k] - exact[k]));
      }
      CHECK(others == 0);
      CHECK(furthest <= 1e3 * rtol);
    }
  }
}

TEST_CASE("a stiff rod with heaters has the events of the run that stops all of it") {
  check_like_global(heat_rod(10), 6, {1e-4, 1e-6, 1e-8, 1e-10}, 100);
}

TEST_CASE("a stiff ladder of diodes has the events of the run that stops all of it") {
  check_like_global(diode_ladder(10, 1e4), 10, {1e-4, 1e-6, 1e-8, 1e-10}, 100);
  check_like_global(diode_ladder(100, 1e4), 10, {1e-4, 1e-6, 1e-8}, 100);
}
