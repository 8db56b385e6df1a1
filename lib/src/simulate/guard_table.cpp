#include "simulate/guard_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/constants.hpp"
#include "core/copy_numbers.hpp"
#include "filippov/side_loops.hpp"
#include "simulate/precision.hpp"

namespace slideway {

namespace {

constexpr std::array<bool GuardRow::*, 12> kFlags = {
    &GuardRow::left,  &GuardRow::left_earlier, &GuardRow::along,         &GuardRow::armed,
    &GuardRow::held,  &GuardRow::undecided,    &GuardRow::has_fired,     &GuardRow::was_ahead,
    &GuardRow::waits, &GuardRow::spent,        &GuardRow::fired_at_zero, &GuardRow::rests};

// The second slot of a surface that does not slide holds nothing to watch.
struct UsualThresholds {
  template <class Numbers>
  [[gnu::always_inline]] void operator()(const Numbers& side, const Numbers&, Numbers& first,
                                         Numbers& second) const {
    const Numbers zero{};
    first = zero;
    second = side != 0 ? zero + kInfinity : zero;
  }
};

}  // namespace

GuardTable::GuardTable(Index surfaces, Index contacts, const EventWatch& watch, Index plane_frictions)
    : surfaces_(surfaces),
      contacts_(contacts),
      plane_frictions_(plane_frictions),
      rows_(at(surfaces + contacts + watch.size())),
      arm_above_(Vector::Zero(2 * surfaces + contacts + plane_frictions + watch.size())),
      arrive_below_(arm_above_) {
  for (Index c = 0; c < contacts; ++c) rows_[at(surfaces + c)].kind = GuardKind::contact;
  for (Index e = 0; e < watch.size(); ++e) {
    GuardRow& one = row(e);
    one.kind = watch[e].kind == WatchedKind::edge ? GuardKind::edge : GuardKind::event;
    one.any_direction = watch[e].direction == Direction::any;
    one.side = watch[e].direction == Direction::rising ? -1 : 1;
    one.allowance = kInfinity;
  }
}

void GuardTable::begin(double t) {
  for (Index i = 0; i < surfaces_; ++i) rows_[at(i)].met_at = t;
}

void GuardTable::take_over(const GuardTable& before, const EventWatch& watch_before, const EventWatch& watch,
                           double t) {
  if (&before != this) {
    leaving_.clear();
    for (Index i = 0; i < surfaces_; ++i) {
      GuardRow& one = rows_[at(i)];
      one = i < before.surfaces_ ? before.surface(i) : GuardRow{.met_at = t};
      if (one.left || one.left_earlier) leaving_.push_back(i);
    }
    for (Index c = 0; c < std::min(contacts_, before.contacts_); ++c) {
      rows_[at(surfaces_ + c)] = before.contact(c);
      if (before.contact(c).left) leaving_.push_back(surfaces_ + c);
    }
    passes_by_ = before.passes_by_;
    returned_at_once_ = before.returned_at_once_;
    returned_to_ = before.returned_to_;
    returns_ = before.returns_;
    held_surfaces_ = before.held_surfaces_;
    begin_instant();
    // Edges count from the entry of their location: an earlier visit, on which they fired, rested or waited, has no part.
    for (auto one = rows_.begin() + surfaces_ + contacts_; one != rows_.end(); ++one)
      one->spent = one->fired_at_zero = one->rests = one->waits = false;
    watch.for_same(watch_before, [&](Index theirs, Index mine) {
      row(mine).has_fired = row(mine).has_fired || before.event(theirs).has_fired;
      row(mine).was_ahead = row(mine).was_ahead || before.event(theirs).was_ahead;
      row(mine).waits = before.event(theirs).waits;
      row(mine).spent = before.event(theirs).spent;
      row(mine).fired_at_zero = before.event(theirs).fired_at_zero;
      row(mine).rests = before.event(theirs).rests;
    });
  }
  disarm_events();
}

void GuardTable::mark(Index row, bool GuardRow::*flag, bool value) {
  rows_[at(row)].*flag = value;
  if (!value) return;
  const auto place = std::lower_bound(leaving_.begin(), leaving_.end(), row);
  if (place == leaving_.end() || *place != row) leaving_.insert(place, row);
}

void GuardTable::drop_clear_rows() {
  std::erase_if(leaving_, [&](Index row) { return !rows_[at(row)].left && !rows_[at(row)].left_earlier; });
}

void GuardTable::list_left(Index first, Index count, std::vector<Index>& list) const {
  list.clear();
  for (const Index row : leaving_) {
    if (row >= first && row < first + count && rows_[at(row)].left) list.push_back(row - first);
  }
}

std::vector<Index> GuardTable::surfaces_left() const {
  std::vector<Index> list;
  list_left(0, surfaces_, list);
  return list;
}

std::vector<Index> GuardTable::contacts_left() const {
  std::vector<Index> list;
  list_left(surfaces_, contacts_, list);
  return list;
}

void GuardTable::meet(const std::vector<Index>& surfaces, bool passes_by, double t, std::int64_t step) {
  for (const Index row : leaving_) {
    if (row < surfaces_) rows_[at(row)].left = false;
  }
  for (const Index i : surfaces) {
    mark(i, &GuardRow::left, true);
    rows_[at(i)].met_at = t;
    rows_[at(i)].met_step = step;
  }
  drop_clear_rows();
  passes_by_ = passes_by;
}

void GuardTable::leave_only_earlier(const std::vector<Index>& surfaces) {
  for (const Index row : leaving_) {
    if (row < surfaces_) rows_[at(row)].left = rows_[at(row)].left_earlier = false;
  }
  for (const Index i : surfaces) mark(i, &GuardRow::left_earlier, true);
  drop_clear_rows();
}

void GuardTable::keep_earlier() {
  for (const Index row : leaving_) {
    GuardRow& one = rows_[at(row)];
    if (row < surfaces_ && one.left) one.left_earlier = true;
  }
}

void GuardTable::forget_earlier_of_last() {
  for (const Index row : leaving_) {
    if (rows_[at(row)].left) rows_[at(row)].left_earlier = false;
  }
}

void GuardTable::drop(Index surface) {
  rows_[at(surface)].left = rows_[at(surface)].left_earlier = false;
  drop_clear_rows();
}

bool GuardTable::any_along() const {
  return std::any_of(rows_.begin(), rows_.begin() + surfaces_, [](const GuardRow& one) { return one.along; });
}

void GuardTable::leave_contacts(const std::vector<Index>& contacts, const std::vector<Index>& more) {
  for (const Index row : leaving_) {
    if (row >= surfaces_) rows_[at(row)].left = false;
  }
  for (const Index c : contacts) leave_contact(c);
  for (const Index c : more) leave_contact(c);
  drop_clear_rows();
}

void GuardTable::note_return(bool eventful, double after) {
  std::size_t same = 0, count = 0;
  for_surfaces_left([&](Index i) {
    if (!surface(i).left) return;
    if (count < returned_to_.size() && returned_to_[count] == i) ++same;
    ++count;
  });
  const bool to_the_same = same == count && count == returned_to_.size();
  if (!to_the_same) list_surfaces_left(returned_to_);
  returns_ = eventful ? 0 : to_the_same ? returns_ + 1 : 1;
  returned_at_once_ = !eventful && after == 0;
}

void GuardTable::hold_surfaces(std::vector<Index> surfaces) {
  held_surfaces_ = std::move(surfaces);
  for (const Index i : held_surfaces_) ignore(2 * i);
}

void GuardTable::see(Index e, bool armed) {
  GuardRow& one = row(e);
  one.armed = armed;
  if (!armed) return;
  one.undecided = one.spent = one.fired_at_zero = one.rests = false;
  one.was_ahead = true;
}

void GuardTable::rest(Index e, AtZero at_zero) {
  GuardRow& one = row(e);
  one.rests = at_zero == AtZero::fails;
  if (one.rests) one.waits = one.spent = one.fired_at_zero = false;
  if (at_zero == AtZero::holds) one.waits = true;
}

void GuardTable::disarm_events() {
  for (auto one = rows_.begin() + surfaces_ + contacts_; one != rows_.end(); ++one) one->armed = false;
}

void GuardTable::begin_instant() { has_looked_ = false; }

void GuardTable::look_at_waiting() {
  has_looked_ = true;
  for (auto one = rows_.begin() + surfaces_ + contacts_; one != rows_.end(); ++one)
    one->waiting = Waiting::no;
}

std::vector<Index> GuardTable::spent_events() const {
  std::vector<Index> spent;
  for (Index e = 0; surfaces_ + contacts_ + e < static_cast<Index>(rows_.size()); ++e) {
    if (event(e).spent) spent.push_back(e);
  }
  return spent;
}

void GuardTable::wait_where_spent() {
  for (auto one = rows_.begin() + surfaces_ + contacts_; one != rows_.end(); ++one)
    one->waits = one->waits || one->spent;
}

void GuardTable::take_other_side(Index e) {
  row(e).undecided = false;
  turn(e);
}

void GuardTable::cross(Index e, double noise, double tolerance) {
  look_anew(e);
  row(e).noise = noise;
  if (!row(e).any_direction) return;
  turn(e);
  row(e).allowance = kWrongWayFactor * tolerance + noise;
}

void GuardTable::pass_pole(Index e) {
  look_anew(e);
  if (row(e).any_direction) turn(e);
}

void GuardTable::look_anew(Index e) {
  GuardRow& one = row(e);
  one.armed = false;
  one.rests = false;
  one.noise = 0;
  one.allowance = kInfinity;
}

void GuardTable::leave_event(Index e, double allowance, double noise) {
  row(e).allowance = allowance;
  row(e).noise = noise;
}

void GuardTable::start_slots(const Mode& mode) {
  // The loop takes numbers of the surfaces, which make no difference here.
  run_over_sides(ForSlotsOfSides<UsualThresholds>(), mode, arrive_below_.data(), arm_above_.data());
  arm_above_.tail(arm_above_.size() - 2 * surfaces_).setZero();
  copy_numbers(arm_above_, arrive_below_);
}

void GuardTable::ignore(Index slot) { arm_above_[slot] = arrive_below_[slot] = kInfinity; }

void GuardTable::start_events() {
  const Index first = slot_of_event(0);
  arm_above_.tail(arm_above_.size() - first).setZero();
  arrive_below_.tail(arrive_below_.size() - first).setZero();
}

void GuardTable::start_exit(Index slot, double scale, double error) {
  arm_above_[slot] = kRoundingFactor * kEpsilon * scale;
  arrive_below_[slot] = arm_above_[slot] + kWrongWayFactor * error;
}

// Drawn back onto other surfaces, the state may be past this one by more than a step's errors. Events elsewhere do not add to what was
// allowed at its own.
void GuardTable::start_surface(Index i, double value, double rounding, double tolerance, double gathered) {
  GuardRow& one = rows_[at(i)];
  arm_above_[2 * i] = kZeroFactor * rounding;
  if (one.left) {
    const double factor = passes_by_ ? 2 * gathered : kWrongWayFactor;
    one.allowance = std::max(0.0, -value) + kZeroFactor * rounding + factor * tolerance;
  }
  arrive_below_[2 * i] = one.allowance;
}

void GuardTable::arm_beyond_error(Index i, double error) {
  if (error > rows_[at(i)].allowance) arm_above_[2 * i] = arrive_below_[2 * i] = error;
}

void GuardTable::start_closed_contact(Index c, double force, double error) {
  const Index slot = slot_of_contact(c);
  arm_above_[slot] = kForceRounding * std::abs(force);
  arrive_below_[slot] = arm_above_[slot] + kWrongWayFactor * error;
}

void GuardTable::start_open_contact(Index c, double value, double rounding, double unarmed,
                                    double armed_above) {
  const Index slot = slot_of_contact(c);
  arm_above_[slot] = kZeroFactor * rounding + armed_above;
  arrive_below_[slot] = kZeroFactor * rounding + unarmed + std::max(-value, 0.0);
}

void GuardTable::start_stick_slip(Index which, double arm_above, double arrive_below) {
  const Index slot = 2 * surfaces_ + contacts_ + which;
  arm_above_[slot] = arm_above;
  arrive_below_[slot] = arrive_below;
}

void GuardTable::start_event(Index e, const EventSizes& sizes, bool is_held, double gathered) {
  GuardRow& one = row(e);
  const Index slot = slot_of_event(e);
  const bool was_held = std::exchange(one.held, is_held);
  if (is_held) {
    // A held guard shows the accumulated errors of the steps between two projections.
    arm_above_[slot] = sizes.clear + gathered * sizes.tolerance;
    arrive_below_[slot] = kInfinity;
    return;
  }
  if (was_held && one.any_direction) one.undecided = true;
  if (one.undecided) {
    arm_above_[slot] = arrive_below_[slot] = sizes.clear + kWrongWayFactor * sizes.tolerance;
    return;
  }
  if (sizes.value > sizes.clear && std::isinf(one.allowance)) return;
  const double beside_zero = sizes.clear + kWrongWayFactor * sizes.tolerance;
  one.rests = one.rests && std::abs(sizes.value) <= beside_zero;
  if (one.rests) one.allowance = beside_zero;
  arm_above_[slot] = sizes.clear;
  arrive_below_[slot] = kZeroFactor * sizes.rounding + one.allowance;
}

void GuardTable::start_behind_pole(Index e) {
  arm_above_[slot_of_event(e)] = 0;
  arrive_below_[slot_of_event(e)] = kInfinity;
}

std::vector<std::int64_t> GuardTable::packed_flags() const {
  std::vector<std::int64_t> packed;
  for (const GuardRow& one : rows_) {
    std::int64_t bits = 0;
    for (std::size_t k = 0; k < kFlags.size(); ++k) bits |= std::int64_t{one.*kFlags[k]} << k;
    packed.push_back(bits);
  }
  return packed;
}

void GuardTable::unpack_flags(const std::vector<std::int64_t>& flags) {
  leaving_.clear();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t k = 0; k < kFlags.size(); ++k) rows_[row].*kFlags[k] = ((flags.at(row) >> k) & 1) != 0;
    if (rows_[row].left || rows_[row].left_earlier) leaving_.push_back(static_cast<Index>(row));
  }
}

}  // namespace slideway
