// The limits that series of events point to, as tables of times and states. Nothing is integrated: the limits are sums of geometric series.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "rules/accumulation.hpp"

using namespace slideway;

namespace {

// Events at t = 1 − qᵏ, whose sum of intervals is 1, with the ids of a turn and the states (qᵏ, 3 + qᵏ).
std::vector<PastEvent> series(double ratio, int count, const std::vector<Index>& turn) {
  std::vector<PastEvent> events;
  for (int k = 0; k < count; ++k) {
    PastEvent& event = events.emplace_back();
    const double part = std::pow(ratio, k);
    event.t = 1 - part;
    event.id = turn[static_cast<std::size_t>(k) % turn.size()];
    event.x = Vector{{part, 3 + part}};
  }
  return events;
}

std::vector<PastEvent> at_times(const std::vector<double>& times) {
  std::vector<PastEvent> events;
  for (const double t : times) {
    PastEvent& event = events.emplace_back();
    event.t = t;
    event.x = Vector::Zero(1);
  }
  return events;
}

}  // namespace

TEST_CASE("events that come ever faster by one ratio have the limit of their series") {
  struct Row {
    double ratio;
    int count;
    std::vector<Index> turn;
    TurnFilter filter;
  };
  const Row rows[] = {
      {0.5, 6, {4}, kTurnsOfJumps},
      {0.9, 9, {4}, kTurnsOfJumps},
      {0.7, 9, {2, 5}, kTurnsOfJumps},
      {0.8, 12, {0, 1, 2}, kTurnsRoundIntersection},
  };
  for (const Row& row : rows) {
    CAPTURE(row.ratio);
    const std::vector<PastEvent> events = series(row.ratio, row.count, row.turn);
    const std::optional<Accumulation> found = limit_of(events, row.filter);
    REQUIRE(found);
    const auto period = row.turn.size();
    CHECK(found->period == period);
    CHECK(found->ids == row.turn);
    CHECK(found->ratio == doctest::Approx(std::pow(row.ratio, period)).epsilon(1e-9));
    CHECK(events.back().t + found->remaining == doctest::Approx(1).epsilon(1e-9));
    CHECK(std::abs(found->state[0]) < 1e-9);
    CHECK(found->state[1] == doctest::Approx(3).epsilon(1e-9));
    CHECK(found->error < 1e-9);
    CHECK_FALSE(found->at_resolution);
  }
}

TEST_CASE("events that do not shrink steadily point to no limit") {
  CHECK_FALSE(limit_of(at_times({0, 1, 2, 3, 4, 5}), kTurnsOfJumps));
  CHECK_FALSE(limit_of(at_times({0, 1, 3, 7, 15, 31}), kTurnsOfJumps));
  // The ratio falls from 0.8 to 0.25.
  CHECK_FALSE(limit_of(at_times({0, 1, 1.8, 2}), kTurnsOfJumps));
  // Three intervals are needed.
  CHECK_FALSE(limit_of(series(0.5, 3, {4}), kTurnsOfJumps));
  // A turn round an intersection has two events that differ.
  CHECK_FALSE(limit_of(series(0.5, 12, {4}), kTurnsRoundIntersection));
}

TEST_CASE("times that are known no better than the next turn is long hide the limit") {
  std::vector<PastEvent> events = series(0.5, 6, {4});
  // The last interval is 1/32, and the next one is 1/64.
  for (PastEvent& event : events) event.accuracy = 1e-2;
  const std::optional<Accumulation> blurred = limit_of(events, kTurnsOfJumps);
  REQUIRE(blurred);
  CHECK(blurred->at_resolution);
  CHECK(blurred->error > 1e-2);
}
