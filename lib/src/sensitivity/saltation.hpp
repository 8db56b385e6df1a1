// The effect of an instant of events on the derivatives of a solution:
//     dt* = −(∂g/∂x S⁻)/ġ,      S⁺ = DR[dt*, S⁻ + f⁻ dt*] − f⁺ dt*
// with g what was zero at the instant and R its jumps, one after the other, the identity where there are none. Parameters are states.
// Where several g are zero at once each is tried first: the derivative exists where all orders lead to the same.
//
// It must not know how S is integrated.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sensitivity/segment_field.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway {

class DifferentiableReset;

class Saltation {
 public:
  // An instant with the fields before and after it; null before the start and after the end.
  struct Instant {
    double t = 0;
    Vector before = {};  // extended states
    Vector after = {};
    SegmentField* from = nullptr;
    SegmentField* to = nullptr;
    const Segment* segment_before = nullptr;
    const Segment* segment_after = nullptr;
    std::vector<const EventRecord*> records = {};
  };
  struct Change {
    Vector time = {};   // per column of S; NaN where it is not told
    Matrix at = {};     // the derivative of the state at the event, just after it
    Matrix after = {};  // S⁺
    bool exists = true;
    std::string reason = {};
    // `times` are the times at which each of several functions that are zero at once is zero, a row per
    // function.
    Matrix times = {};
    Vector time_below = {}, time_above = {};
    Matrix after_below = {}, after_above = {};
    // S⁺ where two events coincide and their order matters, with the same order in every column; empty elsewhere.
    Matrix in_one_order = {};
    // linear() is S⁺ as a linear map of S. It is exact for directions in which the events still coincide.
    const Matrix& linear() const { return in_one_order.size() > 0 ? in_one_order : after; }
  };

  // `middle` is for modes between events that coincide.
  explicit Saltation(SegmentField& middle) : middle_(middle) {}

  Change apply(const Instant& instant, const Matrix& s);
  // dt*/dp of an event within a stretch, which changes nothing.
  Vector time_of(const Instant& instant, const Matrix& s);
  // Onto the surfaces along which the solution slides: S − ∂f/∂λ D⁻¹ ∂h/∂x S.
  void settle(SegmentField& to, double t, ConstVectorRef x, Matrix& s);

 private:
  // One function that was zero, by its slot (ModeOde) in the field before.
  struct Trigger {
    Index slot = 0;
    bool is_exit = false;  // of sliding, or the force of a contact
    double rate = 0;       // ġ along f⁻
    bool is_surface = false;
    Index surface = 0;
  };

  std::vector<Trigger> triggers(const Instant& instant, const Vector& velocity);
  void add_event_triggers(const Instant& instant, const EventRecord& record, std::vector<Trigger>& found);
  void add_nearest_edge(const Instant& instant, std::vector<Trigger>& found);
  // The derivative of a guard along (t_dot, x_dot).
  double slope(SegmentField& field, Index slot, bool is_exit, double t, ConstVectorRef x, double t_dot,
               ConstVectorRef x_dot);
  // The same of w∓ at the end of sliding along one surface, without differences where the guard is affine and the field tells its
  // derivative along a direction.
  std::optional<double> slope_of_exit(SegmentField& field, Index slot, double t, ConstVectorRef x,
                                      double t_dot, ConstVectorRef x_dot);
  double value(SegmentField& field, Index slot, double t, ConstVectorRef x);
  Vector times(SegmentField& field, const Trigger& trigger, const Instant& instant, double rate,
               const Matrix& s);
  // DR of all jumps of the instant along each column of (time, moved).
  Matrix jump(const Instant& instant, const Vector& time, const Matrix& moved);
  // The step of differences along (time, direction), at most `step`, that leaves an impact an impact.
  double step_of_impact(const Instant& instant, const EventRecord& record, const Vector& x, double time,
                        const Vector& direction, double step);
  const TimeEvent* time_event_of(const Instant& instant, const EventRecord& record) const;
  // dt/dp of the time of a time event, which parameters may move.
  Vector known_time(const Instant& instant, const EventRecord& record, const Matrix& s) const;
  void take_known_times(const Instant& instant, const Matrix& s, Change& change) const;
  Change changed(const Instant& instant, const Matrix& s);
  // The function that the jump of a record sets states by; null where there is none.
  const ResetFunction* reset_of(const Instant& instant, const EventRecord& record, double t,
                                ConstVectorRef x);
  // The reset of the jump where it tells its derivative; else null.
  const DifferentiableReset* exact_reset_of(const Instant& instant, const EventRecord& record,
                                            ConstVectorRef x);
  void look_at_start(const Instant& instant, const Matrix& s, Change& change);
  void look_beside_event(const Instant& instant, const EventRecord& record, const Watched& watched,
                         const Matrix& s, Change& change);
  // take_sides() notes the derivatives of neighbours to either side, NaN where there is none. In directions in which both are the same the
  // derivative exists.
  void take_sides(const Instant& instant, Matrix& below, Matrix& above, Change& change);
  // begins_on() tells whether a guard that moves with S is zero at the start, where `value` and `gradient` are those there.
  static bool begins_on(double value, ConstVectorRef gradient, ConstVectorRef x, const Matrix& s);
  void jump_once(const Instant& instant, const EventRecord& record, double t, VectorRef x);
  Change in_orders(const Instant& instant, const std::vector<Trigger>& triggers, const Vector& velocity,
                   const Vector& velocity_after, const Matrix& s);
  std::optional<Matrix> in_order(const Instant& instant, const Trigger& first, const Trigger& second,
                                 const Vector& velocity, const Vector& velocity_after, const Matrix& s);

  SegmentField& middle_;
  bool jump_is_smooth_ = true;  // of the last instant
  Vector buffer_, guards_, moved_;
};

}  // namespace slideway
