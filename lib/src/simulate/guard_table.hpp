// The guards that one location watches, in one table: a row for every surface, contact, event and edge.
//
// An event leaves a guard at zero, where rounding and errors turn its sign. It does not count again before it is clearly on its side:
//     armed                where s·g > arm_above
//     arrives unarmed      where s·g < −arrive_below
// These two sizes are kept for every slot of ModeOde: a surface has two, for its exits where it slides. Every rule that arms a guard or
// disarms it is a function of this table.
//
// It must not know the guards as functions: their values and sizes are handed in.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulate/event_watch.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

enum class GuardKind : unsigned char { surface, contact, event, edge };

// Waiting tells whether a jump past zero is a crossing of an event's guard.
enum class Waiting : unsigned char {
  no,    // it has fired, or has been beyond zero from the start
  held,  // constraints hold it at zero: only beyond the tolerances is it off zero
  yes,   // it has been on its own side since it fired last
  due,   // it is beyond zero at the start of the run, where it fires
};

struct GuardRow {
  GuardKind kind = GuardKind::surface;
  bool any_direction = false;  // of an event or edge: its side is the one it is on
  // ---- of a surface or contact, which is zero and not clearly on its side since
  bool left = false;          // the last event, which the mode has only just left or begun to slide on
  bool left_earlier = false;  // an event before it: one elsewhere does not bring it further off
  bool along = false;         // with no speed across it: an undamped motion comes back to it with none
  // ---- of an event or edge
  bool armed = false;      // clearly on its side since it last fired, or since the state last jumped
  bool held = false;       // sliding or closed contacts hold it at zero
  bool undecided = false;  // it was held, and its side will be the one that it leaves zero to
  bool has_fired = false;  // at any time of the run
  bool was_ahead = false;  // on its own side at any time of the run
  bool waits = false;  // as at the start, beyond zero: it does not fire before it has been on its own side
  bool spent = false;  // it has fired, and has not been clearly on its side since
  bool fired_at_zero = false;  // it has fired, and its guard is zero since then
  bool rests = false;          // its guard is zero and stays there in this mode; its condition fails there
  // ---- of an event or edge, at the instant that is decided
  Waiting waiting = Waiting::no;
  // ---- sizes
  double side = 1;  // s: the guard of an event is watched as s·g
  double allowance =
      0;  // how far it may be on the wrong side before it is armed; ∞ where it cannot arrive before
  double noise = 0;           // up to this size the value says nothing
  double met_at = 0;          // when a surface was met last
  std::int64_t met_step = 0;  // how many steps the integrator had taken by then
};

class GuardTable {
 public:
  // The table has rows for these surfaces and contacts, and for what `watch` holds; contacts with friction in a plane have slots alone.
  GuardTable(Index surfaces, Index contacts, const EventWatch& watch, Index plane_frictions = 0);

  // ---- where the location is entered
  // At the start of a run.
  void begin(double t);
  // take_over() takes, at t, the rows of the location that `before` belongs to: surfaces and contacts keep their
  // numbers. Surfaces that are new are met at t.
  void take_over(const GuardTable& before, const EventWatch& watch_before, const EventWatch& watch, double t);

  // ---- surfaces and contacts that are left
  const GuardRow& surface(Index i) const { return rows_[at(i)]; }
  const GuardRow& contact(Index c) const { return rows_[at(surfaces_ + c)]; }
  // These functions list the surfaces and contacts that the last event left; the first one keeps the memory of its list.
  void list_surfaces_left(std::vector<Index>& list) const { list_left(0, surfaces_, list); }
  std::vector<Index> surfaces_left() const;
  std::vector<Index> contacts_left() const;
  // function(surface) of all that are left, by the last event or an earlier one.
  template <class Function>
  void for_surfaces_left(const Function& function) const {
    for (const Index row : leaving_) {
      if (row < surfaces_) function(row);
    }
  }
  bool leaves_any() const { return !leaving_.empty(); }
  // These are met at t, after so many steps of the run; they take the place of those of the event before. `passes_by` allows them to be passed by as much as errors gather.
  void meet(const std::vector<Index>& surfaces, bool passes_by, double t, std::int64_t step);
  void leave_surface(Index i) { mark(i, &GuardRow::left, true); }
  // leave_only_earlier() notes these surfaces, met in an earlier event, as the only ones not clear of their
  // zero.
  void leave_only_earlier(const std::vector<Index>& surfaces);
  // keep_earlier() is called before another event takes the place of the last one.
  void keep_earlier();
  template <class Predicate>
  void forget_earlier_if(const Predicate& forgets) {
    for (const Index row : leaving_) {
      GuardRow& one = rows_[at(row)];
      if (row < surfaces_ && one.left_earlier && forgets(row)) one.left_earlier = false;
    }
    drop_clear_rows();
  }
  void forget_earlier_of_last();
  void drop(Index surface);
  void set_along(Index surface, bool along) { rows_[at(surface)].along = along; }
  bool any_along() const;
  // away() tells how long before t a surface was met last.
  double away(Index surface, double t) const { return t - rows_[at(surface)].met_at; }
  // These contacts, and no others.
  void leave_contacts(const std::vector<Index>& contacts, const std::vector<Index>& more = {});
  void leave_contact(Index c) { mark(surfaces_ + c, &GuardRow::left, true); }
  // note_return() is called after every restart. `eventful` tells whether an event was seen there, and `after`
  // how long ago the surfaces had been left.
  void note_return(bool eventful, double after);
  // The surfaces have not been left at all since they were met before.
  bool returned_at_once() const { return returned_at_once_; }
  void forget_return_at_once() { returned_at_once_ = false; }
  // vain_returns() tells how often in a row the same surfaces have been met without an event.
  Index vain_returns() const { return returns_; }
  // Surfaces that closed contacts hold at zero in this mode.
  void hold_surfaces(std::vector<Index> surfaces);
  const std::vector<Index>& held_surfaces() const { return held_surfaces_; }

  // ---- events and edges, by their numbers in the watch
  const GuardRow& event(Index e) const { return rows_[at(surfaces_ + contacts_ + e)]; }
  double side(Index e) const { return event(e).side; }
  void set_side(Index e, double side) { row(e).side = side; }
  void turn(Index e) { row(e).side = -row(e).side; }
  void set_has_fired(Index e) { row(e).has_fired = row(e).spent = true; }
  void set_was_ahead(Index e) {
    row(e).was_ahead = true;
    row(e).waits = row(e).spent = row(e).rests = false;
  }
  void set_waits(Index e, bool waits) { row(e).waits = waits; }
  // spent_events() lists what has fired and has not been on its side since; spend() adds one to them.
  std::vector<Index> spent_events() const;
  void spend(Index e) { row(e).spent = true; }
  // wait_where_spent() makes these wait until they have been on their sides.
  void wait_where_spent();
  void set_held(Index e, bool held) { row(e).held = held; }
  // An instant begins: nobody has looked which guards are on their sides.
  void begin_instant();
  // look_at_waiting() marks all as looked at; no guard waits until set_waiting() says so.
  void look_at_waiting();
  bool has_looked() const { return has_looked_; }
  void set_waiting(Index e, Waiting waiting) { row(e).waiting = waiting; }
  void set_fired_at_zero(Index e, bool fired) { row(e).fired_at_zero = fired; }
  // Its guard comes to rest at zero: a condition that holds there does not come to hold by what follows, and one that fails does.
  void rest(Index e, AtZero at_zero);
  void set_rests(Index e, bool rests) { row(e).rests = rests; }
  // see() tells whether the scans have seen it clearly on its side.
  void see(Index e, bool armed);
  // None has been seen: the state has jumped.
  void disarm_events();
  // It has been held at zero, and leaves it on the side on which it was not before.
  void take_other_side(Index e);
  // Its guard has crossed zero, as far as `noise` tells, where an error of the state makes this `tolerance` of it.
  void cross(Index e, double noise, double tolerance);
  // It has changed its sign without being zero.
  void pass_pole(Index e);
  // The state is new: nothing is known of it.
  void look_anew(Index e);
  // It leaves zero on its own side, and fires when it is back below −allowance, were it ever so soon.
  void leave_event(Index e, double allowance, double noise);
  // Up to this size its value is noise, and it is not clear of zero.
  void set_noise(Index e, double noise) { row(e).noise = noise; }

  // ---- the two sizes of every slot, from where the scans start
  const Vector& arm_above() const { return arm_above_; }
  const Vector& arrive_below() const { return arrive_below_; }
  bool cannot_arm(Index slot) const { return arm_above_[slot] == std::numeric_limits<double>::infinity(); }
  // start_slots() starts the slots that count at once, and those that hold nothing.
  void start_slots(const Mode& mode);
  void ignore(Index slot);
  // One that was armed stays so; all events start anew.
  void keep_armed(Index slot) { arm_above_[slot] = arrive_below_[slot] = 0; }
  void start_events();
  // An exit of a surface that slides, whose values are of this scale and which an error of the state changes by `error`.
  void start_exit(Index slot, double scale, double error);
  // A surface that is left at `value` on its side; `rounding` and `tolerance` are those of its guard, `gathered` as many tolerances as a
  // run may be off by.
  void start_surface(Index i, double value, double rounding, double tolerance, double gathered);
  // It is not armed within its allowance, or within this error.
  void arm_beyond_allowance(Index i) { arm_above_[2 * i] = rows_[at(i)].allowance; }
  void arm_beyond_error(Index i, double error);
  // A contact that is left closed, of whose force an error of the state makes `error`, or open.
  void start_closed_contact(Index c, double force, double error);
  // An open contact may be further below zero than `value` by `unarmed` until it is armed, which it is not within `armed_above`.
  void start_open_contact(Index c, double value, double rounding, double unarmed, double armed_above);
  // The slip or friction of a contact with friction in a plane.
  void start_stick_slip(Index which, double arm_above, double arrive_below);
  // An event that is not armed, from its value, up to `clear` of which it is not told from zero.
  struct EventSizes {
    double value = 0, rounding = 0, tolerance = 0, clear = 0;
  };
  void start_event(Index e, const EventSizes& sizes, bool is_held, double gathered);
  // Too large to be taken for zero, on whatever side it is.
  void start_behind_pole(Index e);

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit_column(visit, "side", &GuardRow::side);
    visit_column(visit, "allowance", &GuardRow::allowance);
    visit_column(visit, "noise", &GuardRow::noise);
    visit_column(visit, "met_at", &GuardRow::met_at);
    visit_column(visit, "met_step", &GuardRow::met_step);
    std::vector<std::int64_t> flags = packed_flags();
    visit("flags", flags);
    unpack_flags(flags);
    visit("passes_by", passes_by_);
    visit("returned_to", returned_to_);
    visit("returns", returns_);
  }

 private:
  static std::size_t at(Index row) { return static_cast<std::size_t>(row); }
  GuardRow& row(Index event) { return rows_[at(surfaces_ + contacts_ + event)]; }
  Index slot_of_contact(Index c) const { return 2 * surfaces_ + c; }
  Index slot_of_event(Index e) const { return 2 * surfaces_ + contacts_ + plane_frictions_ + e; }
  void mark(Index row, bool GuardRow::*flag, bool value);
  void drop_clear_rows();
  void list_left(Index first, Index count, std::vector<Index>& list) const;
  std::vector<std::int64_t> packed_flags() const;
  void unpack_flags(const std::vector<std::int64_t>& flags);
  template <class Number, class Visit>
  void visit_column(Visit& visit, const char* name, Number GuardRow::*column) {
    std::vector<Number> numbers;
    for (const GuardRow& one : rows_) numbers.push_back(one.*column);
    visit(name, numbers);
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].*column = numbers.at(k);
  }

  Index surfaces_, contacts_, plane_frictions_;
  std::vector<GuardRow> rows_;  // surfaces, contacts, then events and edges
  std::vector<Index> leaving_;  // the rows that are left, sorted: there are few
  std::vector<Index> held_surfaces_;
  bool has_looked_ = false;
  bool passes_by_ = false;
  bool returned_at_once_ = false;
  std::vector<Index> returned_to_;
  Index returns_ = 0;
  Vector arm_above_, arrive_below_;  // per slot
};

}  // namespace slideway
