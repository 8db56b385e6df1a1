#include "rules/last_jump.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/constants.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {
namespace {

// The look is halved this often where the field has no value, so that a flight of a thousandth of the last one is still seen.
constexpr int kHalvings = 10;

// A straight look ahead leaves the domain of a field that the motion itself does not leave, as sqrt(y) near y = 0. Shortens `ahead` until
// the field has a value there. False where the field has none.
bool look_ahead(ModeOde& ode, double t, const Vector& x, const Vector& velocity, double& ahead,
                Vector& along) {
  for (int halving = 0; halving <= kHalvings; ++halving, ahead *= 0.5) {
    try {
      ode.velocity(t + ahead, x + ahead * velocity, along);
      return true;
    } catch (const std::exception&) {
    }
  }
  return false;
}

}  // namespace

double LastJump::accuracy() {
  double blur = jumps_.zero_guards.empty() ? 0 : arrived_.arrivals().blur;
  for (const Index c : jumps_.hit) {
    const double rate = std::abs(now_.here->contacts->rate(now_.t, now_.x, now_.regime.lambda(), c));
    if (rate > 0) blur = std::max(blur, now_.here->contacts->rounding(now_.t, now_.x, c) / rate);
  }
  return location_accuracy(now_.t, 0) + blur;
}

std::optional<Bounce> LastJump::bounce_of(Index event) {
  EventWatch& watch = now_.here->watch;
  if (std::abs(now_.here->event_value(now_.t, now_.x, event)) > motion_.zero_level(event))
    return std::nullopt;
  ModeOde& ode = now_.asked();
  Vector velocity(now_.x.size());
  ode.velocity(now_.t, instant_.before, velocity);
  const double approach = std::abs(watch.rate(now_.t, instant_.before, velocity, event));
  ode.velocity(now_.t, now_.x, velocity);
  const double side = now_.here->guards.side(event);
  const double speed = side * watch.rate(now_.t, now_.x, velocity, event);
  if (!(speed > watch.rate_rounding(now_.t, now_.x, velocity, event)) || !(approach > 0)) return std::nullopt;
  // A field that the jump has brought to zero leaves a speed that is the rounding of its terms, which were as large as the speed before, or
  // of the time of the jump.
  const double noise =
      motion_.noise_of_rate(event, side * speed, velocity, ode) + kRoundingFactor * kEpsilon * approach;
  if (!(speed > noise) && approach > noise) return std::nullopt;
  // The march looks over half a flight, and the first look takes that to be half as long as the last one.
  double ahead =
      now_.restart.interval() > 0 ? 0.5 * now_.restart.interval() : kFirstLook * (now_.run.end - now_.t);
  double acceleration = 0, before = 0;
  Vector along(now_.x.size());
  for (int look = 0; look < kLooksAhead; ++look) {
    if (!look_ahead(ode, now_.t, now_.x, velocity, ahead, along)) return std::nullopt;
    before = acceleration;
    acceleration =
        (speed - side * watch.rate(now_.t + ahead, now_.x + ahead * velocity, along, event)) / ahead;
    if (!(acceleration > 0)) return std::nullopt;
    ahead = speed / acceleration;
  }
  Bounce bounce;
  bounce.ratio = speed / approach;
  bounce.height = 0.5 * speed * ahead;
  bounce.flight = 2 * ahead;
  bounce.is_low = bounce.height <= kLowFlight * watch.tolerance(now_.t, now_.x, event, now_.weights);
  if (!(bounce.ratio < 1)) return bounce;
  bounce.remaining = bounce.flight / (1 - bounce.ratio);
  const double uneven = std::abs(acceleration - before) / acceleration;
  // Errors of the times before have become errors of the speed, and shrink with it.
  bounce.error =
      uneven * bounce.remaining + 2 * accuracy() / ((1 - bounce.ratio) * (1 - bounce.ratio * bounce.ratio));
  return bounce;
}

std::optional<Bounce> LastJump::bounce() {
  const bool has_moved_on = instant_.last_edge && now_.tools.automaton().edges()[*instant_.last_edge].from !=
                                                      now_.tools.automaton().edges()[*instant_.last_edge].to;
  if (!jumps_.touching.empty() || has_moved_on || instant_.before.size() != now_.x.size())
    return std::nullopt;
  std::optional<Bounce> all;
  for (Index e = 0; e < now_.here->watch.size(); ++e) {
    if (now_.here->watch[e].kind == WatchedKind::record || now_.here->watch[e].kind == WatchedKind::stop)
      continue;
    if (!jumps_.has_fired_on(now_.here->watch[e].when)) continue;
    const std::optional<Bounce> bounce = bounce_of(e);
    if (!bounce) return std::nullopt;
    const bool is_hidden = bounce->height <= kHiddenFlight * locator_.arming().arming_level(e);
    if (!all) {
      all = bounce;
      all->is_hidden = is_hidden;
      continue;
    }
    all->is_hidden = all->is_hidden && is_hidden;
    all->is_low = all->is_low || bounce->is_low;
    all->flight = std::max(all->flight, bounce->flight);
    if (bounce->remaining > all->remaining) {
      all->remaining = bounce->remaining;
      all->error = bounce->error;
      all->ratio = bounce->ratio;
    }
  }
  return all;
}

bool LastJump::gaps_hardly_open() {
  return std::any_of(jumps_.touching.begin(), jumps_.touching.end(), [&](Index c) {
    // The speed of a gap that stays closed is rounding, and says nothing of flights.
    if (now_.regime.contacts.is_closed(c)) return false;
    const double opens =
        now_.here->contacts->rate(now_.t, now_.x, now_.regime.lambda(), c) * now_.restart.interval();
    return opens > 0 && opens <= kHardlyOpens * now_.here->contacts->rounding(now_.t, now_.x, c);
  });
}

}  // namespace slideway
