#include "orbit/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

namespace {

// Two ratios of times this close are the same: the rounding of the times, and of their computation, is below.
constexpr double kSameRatio = 1e-12;
// A period given by hand has fewer digits than one that is computed. Its error in a thousand rounds is then a
// millionth of it.
constexpr double kGivenRatio = 1e-9;
// Any two ratios have some common multiple within rounding if it may be large enough; by chance one in a thousand has one of so many.
constexpr double kMostMultiples = 1000;
// A clock grows by the period within this part of it. The guess is near the orbit, and a state that grows by
// another amount is no clock.
constexpr double kClockChange = 0.1;
// A begin within this part of an event's period counts as at the event.
constexpr double kNear = 1e-3;

std::vector<double> periods_of(const Automaton& problem) {
  std::vector<double> periods;
  for (const TimeEvent& event : problem.system().time_events())
    if (event.is_periodic() && event.count == 0) periods.push_back(event.period);
  return periods;
}

std::string text_of(const std::vector<double>& periods) {
  std::vector<double> different = periods;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::string text;
  for (std::size_t k = 0; k < different.size(); ++k)
    text += (k == 0 ? "" : k + 1 == different.size() ? " and " : ", ") + number_text(different[k]);
  return text;
}

bool is_over(const TimeEvent& event, double start) {
  return !std::isfinite(event.time(event.first_from(start)));
}

bool is_discrete(const Automaton& problem, Index i) {
  return i >= problem.system().states() - problem.system().discrete();
}

}  // namespace

bool is_multiple(double time, double of, double allowed) {
  const double ratio = time / of;
  return std::round(ratio) >= 1 && std::abs(ratio - std::round(ratio)) <= allowed * std::round(ratio);
}

std::optional<double> schedule_period(const Automaton& problem) {
  const std::vector<double> periods = periods_of(problem);
  if (periods.empty()) return std::nullopt;
  const double longest = *std::max_element(periods.begin(), periods.end());
  for (double k = 1; k <= kMostMultiples; ++k)
    if (std::all_of(periods.begin(), periods.end(),
                    [&](double period) { return is_multiple(k * longest, period, kSameRatio); }))
      return k * longest;
  return std::nullopt;
}

void check_schedule(const Automaton& problem, double start, double period, const char* where) {
  for (const TimeEvent& event : problem.system().time_events()) {
    if (event.is_periodic() && event.count == 0) {
      if (event.time(0) - event.period <= start + time_rounding(start)) continue;
      refuse({.what = "the time event '" + event.name + "' begins after the orbit does",
              .where = where,
              .expected = "a begin of the orbit from t = " + number_text(event.time(0)) + " on",
              .got = "t = " + number_text(start),
              .advice = "make the transient longer"});
    }
    if (is_over(event, start)) continue;
    refuse({.what =
                "the time event '" + event.name + "' does not go on for ever, so that nothing repeats itself",
            .where = where,
            .expected =
                "time events with a period and without an end, or only such as are over before the orbit",
            .got = "one more at t = " + number_text(event.time(event.first_from(start))),
            .advice = "make the transient longer, so that it ends after the last of them"});
  }
  const std::vector<double> periods = periods_of(problem);
  const auto fits = [&](double one) { return is_multiple(period, one, kGivenRatio); };
  if (std::all_of(periods.begin(), periods.end(), fits)) return;
  const std::optional<double> common = schedule_period(problem);
  if (!common) {
    refuse({.what = "the periods of the time events have no common multiple, so that no orbit is periodic",
            .where = where,
            .expected = "periods whose ratios are fractions of small integers",
            .got = text_of(periods),
            .advice = "write the periods as multiples of one parameter"});
  }
  refuse({.what = "the time events do not repeat themselves after the period",
          .where = where,
          .expected = number_text(*common) + ", or a multiple of it",
          .got = number_text(period),
          .advice = "give the period to all its digits"});
}

bool acts_at_known_times(const Automaton& problem, double start) {
  const std::vector<TimeEvent>& events = problem.system().time_events();
  return std::any_of(events.begin(), events.end(),
                     [&](const TimeEvent& event) { return !is_over(event, start); });
}

bool is_near_known_time(const Automaton& problem, double t) {
  for (const TimeEvent& event : problem.system().time_events()) {
    const std::int64_t next = event.first_from(t);
    const double margin = event.is_periodic() ? kNear * event.period : time_rounding(t);
    if (event.time(next) - t <= margin) return true;
    if (next > 0 && t - event.time(next - 1) <= margin) return true;
  }
  return false;
}

double schedule_start(const Automaton& problem) {
  double result = -std::numeric_limits<double>::infinity();
  for (const TimeEvent& event : problem.system().time_events())
    if (event.is_periodic() && event.count == 0) result = std::max(result, event.time(0));
  return result;
}

Vector clocks_of(const Automaton& problem, const Solution& round) {
  Vector clocks = Vector::Zero(problem.system().states());
  const double period = round.final.t - round.initial.t;
  for (Index i = 0; i < clocks.size(); ++i)
    if (is_discrete(problem, i) &&
        std::abs(round.final.state[i] - round.initial.state[i] - period) <= kClockChange * period)
      clocks[i] = 1;
  return clocks;
}

std::vector<Index> held_states_of(const Automaton& problem, const Solution& round) {
  std::vector<Index> held;
  for (Index i = 0; i < problem.system().states(); ++i) {
    if (!is_discrete(problem, i) || round.final.state[i] != round.initial.state[i]) continue;
    const auto& segments = round.trajectory.segments();
    if (std::all_of(segments.begin(), segments.end(), [&](const Segment& segment) {
          return round.trajectory(segment.start)[i] == round.initial.state[i];
        }))
      held.push_back(i);
  }
  return held;
}

}  // namespace slideway
