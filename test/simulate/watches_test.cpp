// The parts of a run that see events come ever faster: each knows times and names alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rules/bounce_watch.hpp"
#include "rules/flight_watch.hpp"
#include "rules/history.hpp"
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

TEST_CASE(
    "a contact that another throws off goes on in its sequence unless it rested for longer than it flew") {
  BounceWatch bounces(1);
  CHECK(bounces.began(0) == kNever);
  CHECK(bounces.note(1, 0));
  CHECK_FALSE(bounces.note(2, 0));
  bounces.rest(2.5, 0);
  bounces.open(3.5, 0);
  CHECK_FALSE(bounces.note(3.75, 0));
  CHECK(bounces.interval(0) == 0.25);
  CHECK(bounces.began(0) == 1);
  bounces.rest(4, 0);
  bounces.open(9, 0);
  bounces.note(9.5, 0);
  CHECK(bounces.began(0) == 9);
}

TEST_CASE("the states of bounces are as large as the largest seen since a sequence began") {
  BounceWatch bounces(1);
  bounces.see(Vector{{-3.0, 1.0}});
  bounces.see(Vector{{2.0, -4.0}});
  CHECK(bounces.scale() == Vector{{3.0, 4.0}});
  bounces.forget_states();
  bounces.see(Vector{{0.5, -0.5}});
  CHECK(bounces.scale() == Vector{{0.5, 0.5}});
}

TEST_CASE("turns over three surfaces that halve come to their limit, and say whether they only cross") {
  EventSeries turns = History().turns;
  const auto limit = [&] { return limit_of(turns.events(), kTurnsRoundIntersection); };
  const double r = std::cbrt(0.5);
  double last = 0;
  for (int k = 0; k < 13; ++k) {
    CHECK(!limit());
    last = time_of(k, r);
    note_turn(turns, last, crossing(k % 3), Mode("+++"), Vector{{std::pow(r, k)}}, 0);
    if (limit()) break;
  }
  REQUIRE(limit());
  CHECK(are_only_crossings(turns));
  CHECK(limit()->period == 3);
  CHECK(limit()->ratio == doctest::Approx(0.5));
  CHECK(limit()->remaining == doctest::Approx(1 / (1 - r) - last));
  CHECK(may_accumulate(turns));
  turns.clear();
  CHECK(!limit());
  EventRecord exit = crossing(0);
  exit.kind = EventKind::sliding_exit;
  note_turn(turns, 9, exit, Mode("+++"), Vector{{0.0}}, 0);
  CHECK(!are_only_crossings(turns));
  // The begin is known for as long as the series lasts, not only for the events that it holds.
  for (int k = 0; k < 200; ++k) note_turn(turns, 10 + k, crossing(0), Mode("+++"), Vector{{0.0}}, 0);
  CHECK(!are_only_crossings(turns));
  CHECK(turns.count() == 201);
  CHECK(turns.events().size() < 100);
  turns.clear();
  CHECK(are_only_crossings(turns));
}

TEST_CASE("crossings of one surface alone are no turns") {
  EventSeries turns = History().turns;
  for (int k = 0; k < 20; ++k) note_turn(turns, time_of(k, 0.5), crossing(0), Mode("++"), Vector{{0.0}}, 0);
  CHECK(!limit_of(turns.events(), kTurnsRoundIntersection));
  CHECK(!may_accumulate(turns));
}

TEST_CASE(
    "crossings of one surface that halve come to their limit unless something else comes between them") {
  for (const int interrupted : {-1, 2, 4}) {
    CAPTURE(interrupted);
    EventSeries crossings = History().crossings;
    for (int k = 0; k < 5; ++k) {
      if (k == interrupted) crossings.clear();
      note_crossing(crossings, time_of(k, 0.5), 7, Vector{{std::pow(-0.5, k)}});
    }
    CHECK(crossings.count() == 5 - std::max(interrupted, 0));
    const auto limit = limit_of(crossings.events(), kTurnsOfCrossings);
    CHECK(limit.has_value() == (interrupted < 0));
    if (interrupted >= 0) continue;
    CHECK(time_of(4, 0.5) + limit->remaining == doctest::Approx(2));
    CHECK(limit->state[0] == doctest::Approx(0).epsilon(1e-12));
    CHECK(crossings.scale()[0] == 1);
    // One of another surface begins anew.
    note_crossing(crossings, 3, 8, Vector{{0.25}});
    CHECK(crossings.count() == 1);
    CHECK(crossings.began() == 3);
    CHECK(crossings.scale()[0] == 0.25);
  }
}

TEST_CASE(
    "instants of jumps that shrink come to a limit, with the contacts and states of those that take part") {
  EventSeries jumps = History().jumps;
  InstantJumps floor, wall;
  floor.note(2'000'001);
  floor.touching = {1};
  wall.note(2'000'004);
  wall.touching = {4, 1};
  wall.zero_guards.push_back({});
  CHECK(floor.id != wall.id);
  const Vector before{{1.0, 2.0, 3.0}}, after{{1.0, -2.0, 3.0}};
  for (int k = 0; k < 7; ++k)
    note_jump(jumps, time_of(k, 0.7), k % 2 == 0 ? floor : wall, before, after, 0, 0.1 * (k + 1));
  const auto limit = limit_of(jumps.events(), kTurnsOfJumps);
  REQUIRE(limit);
  CHECK(jumps.began() == 0);
  CHECK(jumps.error_of_first() == 0.1);
  const JumpPart part = part_of(jumps.events(), *limit);
  CHECK(part.contacts == std::vector<Index>{1, 4});
  CHECK(part.states == std::vector<Index>{1});
  CHECK(part.guards.size() == 1);
  CHECK(time_of(6, 0.7) + limit->remaining == doctest::Approx(1 / 0.3));
  jumps.clear();
  CHECK(!limit_of(jumps.events(), kTurnsOfJumps));
}

TEST_CASE("a series knows how large its states were, those that it holds no more included") {
  EventSeries jumps(8);
  for (int k = 0; k < 100; ++k) jumps.note(k, 0, Vector{{k == 3 ? -50.0 : 1.0, 0.01 * k}}, 0);
  CHECK(jumps.scale()[0] == 50);
  CHECK(jumps.scale()[1] == doctest::Approx(0.99));
  CHECK(jumps.began() == 0);
  CHECK(jumps.events().back().t == 99);
  CHECK(jumps.events().size() >= 4);
}

TEST_CASE("the last records take a time once there have been more than those") {
  EventSeries records = History().records;
  for (int k = 0; k < 400; ++k) {
    records.note(k, 0);
    CHECK(span_of_last(records.events(), 100) == (k < 100 ? kNever : 100));
  }
}

TEST_CASE(
    "the stated error of a limit bounds what the accuracy of the times makes of it, until the last turn that "
    "tells the ratio") {
  for (const double r : {0.3, 0.9, 0.98, 0.999}) {
    CAPTURE(r);
    constexpr double accuracy = 1e-12;
    EventSeries series(64);
    bool accepted = false;
    double t = 0, turn = 1;
    for (int k = 0; k < 30000 && !accepted; ++k) {
      // The worst that the accuracy allows: errors of alternating sign.
      const double error = k % 2 == 0 ? 0.01 * accuracy : -0.01 * accuracy;
      series.note(t + error, 1, Vector{{0.0}}, accuracy);
      const auto limit = limit_of(series.events(), kTurnsOfCrossings);
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

TEST_CASE(
    "guards that keep arriving make no progress, where nothing is told and they are close to each other") {
  QuietArrivals quiet;
  constexpr double kDuration = 10;
  CHECK(!quiet.goes_on(0));
  for (Index k = 0; k < kMostQuietRestarts; ++k) CHECK(!quiet.note(1, kDuration, 0, {3}));
  CHECK(quiet.note(1, kDuration, 0, {3}));
  CHECK(quiet.goes_on(0));
  // A record ends the row, and so does time that passes.
  CHECK(!quiet.goes_on(1));
  CHECK(!quiet.note(1, kDuration, 1, {3}));
  for (Index k = 0; k < 2 * kMostQuietRestarts; ++k)
    CHECK(!quiet.note(1 + 1.5 * kQuietPart * kDuration * static_cast<double>(k + 1), kDuration, 1, {3}));
  CHECK(quiet.arrivals() == 1);
}

TEST_CASE("any number of guards may arrive once each, and two in turn make no progress") {
  QuietArrivals many, two;
  for (Index k = 0; k < 10 * kMostQuietRestarts; ++k) CHECK(!many.note(1, 1, 0, {k, k + 1}));
  bool stands_still = false;
  for (Index k = 0; k < kMostQuietRestarts + 2; ++k) stands_still = two.note(1, 1, 0, {k % 2});
  CHECK(stands_still);
}
