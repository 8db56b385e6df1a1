// The parts of a run that see events come ever faster: each knows times and names alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rules/bounce_watch.hpp"
#include "rules/cycle_detector.hpp"
#include "rules/flight_watch.hpp"
#include "rules/jump_watch.hpp"
#include "rules/single_surface_accumulation.hpp"
#include "rules/stall_detector.hpp"
#include "simulate/precision.hpp"
#include "simulate/restart_policy.hpp"

using namespace slideway;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

EventRecord crossing(Index surface) {
  EventRecord event;
  event.kind = EventKind::crossing;
  event.surfaces = {surface};
  return event;
}

// The time of event k of a sequence whose intervals are 1, r, r², …: it comes to 1/(1 − r).
double time_of(int k, double r) { return (1 - std::pow(r, k)) / (1 - r); }

}  // namespace

TEST_CASE("the impacts of a contact make a sequence until a flight is longer than any before") {
  BounceWatch bounces(2);
  CHECK(bounces.interval(0) == kNever);
  bounces.note(1, 0);
  CHECK(bounces.interval(0) == kNever);
  CHECK(bounces.began(0) == 1);
  bounces.note(1.5, 0);
  bounces.note(1.75, 0);
  CHECK(bounces.interval(0) == 0.25);
  CHECK(bounces.began(0) == 1);
  bounces.note(1.8, 1);
  CHECK(bounces.began(1) == 1.8);
  // Thrown up again at 1.75, it is a new ball.
  bounces.note(3.75, 0);
  CHECK(bounces.interval(0) == 2);
  CHECK(bounces.began(0) == 1.75);
}

TEST_CASE(
    "a contact that came to rest is hit again within the same sequence unless it was open for longer than "
    "ever") {
  BounceWatch bounces(1);
  bounces.note(1, 0);
  bounces.note(2, 0);
  bounces.rest(2.5, 0);
  CHECK(bounces.interval(0) == kNever);
  bounces.note(3.5, 0);
  CHECK(bounces.interval(0) == 1);
  CHECK(bounces.began(0) == 1);
  bounces.rest(4, 0);
  bounces.note(9, 0);
  CHECK(bounces.began(0) == 4);
}

TEST_CASE("the states of bounces are as large as the largest seen since the last rest") {
  BounceWatch bounces(1);
  bounces.see(Vector{{-3.0, 1.0}});
  bounces.see(Vector{{2.0, -4.0}});
  CHECK(bounces.scale() == Vector{{3.0, 4.0}});
  bounces.see_nothing_but(Vector{{0.5, -0.5}});
  CHECK(bounces.scale() == Vector{{0.5, 0.5}});
}

TEST_CASE("turns over three surfaces that halve come to their limit, and say whether they only cross") {
  CycleDetector turns;
  const double r = std::cbrt(0.5);
  double last = 0;
  for (int k = 0; k < 13; ++k) {
    CHECK(!turns.limit());
    last = time_of(k, r);
    turns.note(last, crossing(k % 3), Mode("+++"), Vector{{std::pow(r, k)}});
    if (k > 0) CHECK(turns.interval() == doctest::Approx(std::pow(r, k - 1)));
    if (turns.limit()) break;
  }
  REQUIRE(turns.limit());
  CHECK(turns.only_crossings());
  CHECK(turns.limit()->period == 3);
  CHECK(turns.limit()->ratio == doctest::Approx(0.5));
  CHECK(turns.limit()->remaining == doctest::Approx(1 / (1 - r) - last));
  CHECK(turns.may_accumulate());
  turns.clear();
  CHECK(!turns.limit());
  EventRecord exit = crossing(0);
  exit.kind = EventKind::sliding_exit;
  turns.note(9, exit, Mode("+++"), Vector{{0.0}});
  CHECK(!turns.only_crossings());
  turns.clear();
  CHECK(turns.only_crossings());
}

TEST_CASE("crossings of one surface alone are no turns") {
  CycleDetector turns;
  for (int k = 0; k < 20; ++k) turns.note(time_of(k, 0.5), crossing(0), Mode("++"), Vector{{0.0}});
  CHECK(!turns.limit());
  CHECK(!turns.may_accumulate());
}

TEST_CASE("lone crossings that halve come to their limit unless something else comes between them") {
  for (const int interrupted : {-1, 2, 4}) {
    CAPTURE(interrupted);
    SingleSurfaceAccumulation crossings;
    for (int k = 0; k < 5; ++k) {
      if (k == interrupted) crossings.interrupt();
      crossings.note(time_of(k, 0.5), 7, Vector{{std::pow(-0.5, k)}});
    }
    CHECK(crossings.flights() == 4 - std::max(interrupted, 0));
    CHECK(crossings.limit().has_value() == (interrupted < 0));
    if (interrupted >= 0) continue;
    CHECK(time_of(4, 0.5) + crossings.limit()->remaining == doctest::Approx(2));
    CHECK(crossings.limit()->state[0] == doctest::Approx(0).epsilon(1e-12));
    CHECK(crossings.scale()[0] == 1);
  }
}

TEST_CASE(
    "instants of jumps that shrink come to a limit, with the contacts and states of those that take part") {
  JumpWatch watch;
  InstantJumps floor, wall;
  floor.note(2'000'001);
  floor.touching = {1};
  wall.note(2'000'004);
  wall.touching = {4, 1};
  wall.zero_guards.push_back({});
  CHECK(floor.id != wall.id);
  const Vector before{{1.0, 2.0, 3.0}}, after{{1.0, -2.0, 3.0}};
  for (int k = 0; k < 7; ++k) watch.note(time_of(k, 0.7), k % 2 == 0 ? floor : wall, before, after, 0, 0);
  REQUIRE(watch.limit());
  CHECK(watch.began() == 0);
  const JumpWatch::Part part = watch.part_of(*watch.limit());
  CHECK(part.contacts == std::vector<Index>{1, 4});
  CHECK(part.states == std::vector<Index>{1});
  CHECK(part.guards.size() == 1);
  CHECK(time_of(6, 0.7) + watch.limit()->remaining == doctest::Approx(1 / 0.3));
  watch.clear();
  CHECK(!watch.limit());
}

TEST_CASE(
    "the stated error of a limit bounds what the accuracy of the times makes of it, until the last turn that "
    "tells the ratio") {
  for (const double r : {0.3, 0.9, 0.98, 0.999}) {
    CAPTURE(r);
    constexpr double accuracy = 1e-12;
    AccumulationWatch watch({1}, 1, false);
    bool accepted = false;
    double t = 0, turn = 1;
    for (int k = 0; k < 30000 && !accepted; ++k) {
      // The worst that the accuracy allows: errors of alternating sign.
      const double error = k % 2 == 0 ? 0.01 * accuracy : -0.01 * accuracy;
      watch.note(t + error, 1, Vector{{0.0}}, accuracy);
      const auto limit = watch.limit();
      if (k > 3) REQUIRE(limit);
      if (limit) {
        CHECK(std::abs(t + error + limit->remaining - 1 / (1 - r)) <= limit->error + 1e-13 / (1 - r));
        accepted = limit->at_resolution;
      }
      t += turn;
      turn *= r;
    }
    CHECK(accepted);
  }
}

TEST_CASE("flights off a surface shrink or have shrunk whatever happens at other surfaces") {
  FlightWatch flights;
  for (int k = 0; k < 4; ++k) {
    CHECK(!flights.shrinks(0));
    flights.note(time_of(k, 0.5), 0, std::pow(0.5, k));
    flights.note(k, 1, 1);
  }
  CHECK(flights.shrinks(0));
  CHECK(flights.has_shrunk(0));
  CHECK(flights.length(0) == 0.25);
  CHECK(!flights.shrinks(1));
  // From here on they are all as long, to both sides: they shrink no more, but have done.
  for (int k = 1; k <= 3; ++k) flights.note(time_of(3, 0.5) + 0.25 * k, 0, 0.125);
  CHECK(!flights.shrinks(0));
  CHECK(flights.has_shrunk(0));
  flights.forget(0);
  CHECK(!flights.has_shrunk(0));
}

TEST_CASE("a stretch is taken to be as short as the last where it starts anew") {
  RestartPolicy pace;
  CHECK(!pace.starts_anew());
  CHECK(!pace.jumped_at(0));
  pace.jump(2);
  CHECK(pace.starts_anew());
  CHECK(pace.jumped_at(2));
  CHECK(pace.interval() == 0);
  pace.begin_mode();
  for (int k = 0; k < 3; ++k) pace.count_step();
  // A jump of the same instant is none of another.
  pace.jump(2);
  CHECK(pace.interval() == 0);
  pace.go_on();
  pace.begin_mode();
  pace.count_step();
  CHECK(pace.steps() == 4);
  CHECK(pace.steps_in_mode() == 1);
  pace.jump(5);
  CHECK(pace.interval() == 3);
  pace.repeat(0.5);
  CHECK(pace.interval() == 0.5);
  CHECK(pace.steps() == 1);
}

TEST_CASE("fine steps are for a stretch that starts anew") {
  RestartPolicy pace;
  pace.take_fine_steps(true);
  CHECK(!pace.starts_finely());
  pace.repeat(1);
  CHECK(pace.starts_finely());
  pace.go_on();
  CHECK(!pace.starts_finely());
}

TEST_CASE("restarts without an event are too many where they are close to each other") {
  StallDetector restarts;
  CHECK(!restarts.any());
  for (Index k = 0; k < kMostQuietRestarts; ++k) CHECK(!restarts.note(1, 10));
  CHECK(restarts.any());
  CHECK(restarts.note(1, 10));
  // Time has passed.
  CHECK(!restarts.note(1 + 20 * kQuietPart, 10));
  restarts.clear();
  CHECK(!restarts.any());
}
