// RunEngine and the surfaces whose guards closed contacts hold at zero: a block that is pressed against a stop has no velocity,
// whatever its friction does, and the friction cannot be told from the force of the stop.
//
// Any λ in [−1, 1] is a solution there, all with the same motion. The one that presses the contacts most lets them close and stay
// closed as long as anything can, so that the block leaves when it has to and nothing else happens until then.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"
#include "slideway/core/state_errors.hpp"

namespace slideway {

namespace {

// What is left of the errors of a guard that is held, and of an acceleration on which a relay has no effect.
constexpr double kHeldPart = 1e-6;
constexpr double kNoEffect = 1e-9;
// Turns of constraints that disturb each other, and what of the tolerances they may still move when they have settled.
constexpr int kMostTurns = 100;
constexpr double kSettled = 1e-8;

}  // namespace

std::vector<Index> RunEngine::held_by(const std::vector<Index>& contacts, bool also_sliding) {
  std::vector<Index> held;
  if (contacts.empty() || mode_.size() == 0) return held;
  Vector h(mode_.size());
  here_->evaluator.guards(t_, x_, h);
  std::vector<Index> candidates;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (mode_.slides_on(i) && !also_sliding) continue;
    if (std::abs(h[i]) <= kWrongWayFactor * here_->geometry.tolerance(t_, x_, i, weights_))
      candidates.push_back(i);
  }
  if (candidates.empty()) return held;
  mode_.fill_lambda(lambda_);
  // Errors that the contacts take away again do not move what they hold.
  Vector there = x_, nudged = x_;
  add_errors(weights_, nudged);
  if (!here_->contacts->project(t_, contacts, lambda_, weights_, there) ||
      !here_->contacts->project(t_, contacts, lambda_, weights_, nudged))
    return held;
  Vector after(mode_.size());
  here_->evaluator.guards(t_, there, h);
  here_->evaluator.guards(t_, nudged, after);
  // Where a contact turns, as a round wall does under a bead, it holds another velocity the next moment.
  const std::vector<Index> closed = here_->contacts->closed();
  Vector free(x_.size()), forced(x_.size());
  here_->contacts->free_evaluator().field(t_, there, lambda_, free);
  here_->contacts->set_closed(contacts);
  try {
    here_->evaluator.field(t_, there, lambda_, forced);
  } catch (const std::runtime_error&) {
    forced.setConstant(kNotANumber);
  }
  here_->contacts->set_closed(closed);
  const Vector sizes = free.cwiseAbs() + forced.cwiseAbs();
  const auto stays = [&](Index i) {
    return std::abs(here_->evaluator.guard_rate(t_, there, forced, i)) <=
           kHeldPart * here_->geometry.rate_size(t_, there, sizes, i);
  };
  for (const Index i : candidates) {
    const double part = kHeldPart * here_->geometry.tolerance(t_, x_, i, weights_) +
                        kZeroFactor * here_->geometry.rounding(t_, x_, i);
    if (std::abs(h[i]) <= part && std::abs(after[i]) <= part && stays(i)) held.push_back(i);
  }
  return held;
}

bool RunEngine::keeps_its_gap(Index contact) {
  if (!here_->ode.slides()) return false;
  ContactDynamics& contacts = *here_->contacts;
  mode_.fill_lambda(lambda_);
  const double rate = contacts.rate(t_, x_, lambda_, contact);
  state_ = x_;
  add_errors(weights_, state_);
  const double change = std::abs(contacts.rate(t_, state_, lambda_, contact) - rate);
  if (!(change > 0) || std::abs(rate) > change) return false;
  try {
    here_->ode.project(t_, weights_, state_);
  } catch (const std::runtime_error&) {
    return false;
  }
  return std::abs(contacts.rate(t_, state_, lambda_, contact) - rate) <= kHeldPart * change;
}

Side RunEngine::pressing_side(Index surface, const std::vector<Index>& contacts) {
  Side side = mode_[surface];
  here_->contacts->set_closed(contacts);
  mode_.fill_lambda(lambda_);
  Vector below, above;
  try {
    lambda_[surface] = -1;
    below = here_->contacts->forces(t_, x_, lambda_);
    lambda_[surface] = 1;
    above = here_->contacts->forces(t_, x_, lambda_);
  } catch (const std::runtime_error&) {
    // Not all of them can be closed together.
    below = above = Vector();
  }
  Index votes = 0;
  for (Index c = 0; c < below.size(); ++c) {
    if (!(std::abs(above[c] - below[c]) > kNoEffect * (std::abs(above[c]) + std::abs(below[c])))) continue;
    votes += above[c] > below[c] ? 1 : -1;
  }
  if (votes != 0) side = votes > 0 ? Side::plus : Side::minus;
  mode_.fill_lambda(lambda_);
  return side;
}

// Whether a surface that has just been left cannot be while this contact is closed and the others slide.
bool RunEngine::is_stopped_by(Index contact, Index surface) {
  mode_.list_sliding(on_surface_);
  Vector ahead = x_;
  add_errors(weights_, ahead);
  // The constraints disturb each other; their turns shrink by the masses that they share.
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const Vector before = ahead;
    if (!here_->contacts->project(t_, {contact}, lambda_, weights_, ahead)) return false;
    if (!on_surface_.empty()) here_->geometry.project(t_, on_surface_, weights_, ahead);
    if ((ahead - before).cwiseProduct(weights_).lpNorm<Eigen::Infinity>() <= kSettled) break;
  }
  Vector h(mode_.size());
  here_->evaluator.guards(t_, ahead, h);
  return std::abs(h[surface]) <= kHeldPart * here_->geometry.tolerance(t_, x_, surface, weights_) +
                                     kZeroFactor * here_->geometry.rounding(t_, x_, surface);
}

std::vector<Index> RunEngine::pressed_by_leaving(const Mode& before) {
  std::vector<Index> pressed;
  if (!here_->contacts || before.size() < mode_.size()) return pressed;
  ContactDynamics& contacts = *here_->contacts;
  std::vector<Index> left;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (before.slides_on(i) && !mode_.slides_on(i)) left.push_back(i);
  }
  if (left.empty()) return pressed;
  mode_.fill_lambda(lambda_);
  for (const Index c : touching_contacts()) {
    if (contains(contacts.closed(), c)) continue;
    const double rate = contacts.rate(t_, x_, lambda_, c);
    if (std::abs(rate) > contacts.rate_rounding(t_, x_, lambda_, c, weights_)) continue;
    for (const Index i : left) {
      if (!is_stopped_by(c, i)) continue;
      const double side = mode_[i] == Side::minus ? -1 : 1;
      Vector ahead = x_;
      const double change = side * here_->geometry.tolerance(t_, x_, i, weights_);
      if (!here_->geometry.change_guard(t_, i, change, weights_, ahead)) continue;
      if (!(contacts.rate(t_, ahead, lambda_, c) < rate)) continue;
      pressed.push_back(c);
      break;
    }
  }
  return pressed;
}

bool RunEngine::close_pressed(const std::vector<Index>& pressed, EventRecord& record) {
  for (const Index c : pressed) leaving_.contacts.push_back(c);
  instant_.moved = false;
  std::vector<EventRecord>& records = instant_.open_records(false);
  const bool goes_on = settle_mode(false, records, pressed);
  if (!goes_on) {
    report(std::move(record));
    publish();
    return false;
  }
  // They are told by that of the surfaces.
  records.clear();
  for (const Index c : pressed) {
    if (!contains(here_->contacts->closed(), c)) continue;
    list(mode_.size() + c, record);
    record.kind = EventKind::corner;
  }
  record.reason += "; what touches holds it there";
  record.to = word();
  return true;
}

Meeting RunEngine::with_freed(const Meeting& meeting, const std::vector<Index>& held) {
  Meeting joined = meeting;
  const std::vector<Index> still_held = held_by(here_->contacts->closed());
  std::vector<Index> on_surface = here_->ode.field().sliding();
  for (const Index i : held) {
    const auto is_met = [&](const Met& met) { return met.surface == i; };
    if (contains(still_held, i) || std::any_of(joined.met.begin(), joined.met.end(), is_met)) continue;
    // Its relay was at the end that presses, and the force has just come to zero.
    joined.met.push_back({.surface = i,
                          .minus_vanishes = mode_[i] == Side::minus,
                          .plus_vanishes = mode_[i] == Side::plus,
                          .away = leaving_.away(i, t_)});
  }
  if (joined.met.size() == meeting.met.size()) return joined;
  std::sort(joined.met.begin(), joined.met.end(),
            [](const Met& first, const Met& second) { return first.surface < second.surface; });
  for (const Met& met : joined.met) {
    if (!contains(on_surface, met.surface)) on_surface.push_back(met.surface);
  }
  std::sort(on_surface.begin(), on_surface.end());
  here_->geometry.project(t_, on_surface, weights_, x_);
  return joined;
}

}  // namespace slideway
