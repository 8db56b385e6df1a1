// The guards beside the surfaces that one location watches: those of its system's events, and of the edges that leave it.
//
// They are functions of time and state, with their slopes and the errors that follow from these. It must not know whether a guard
// counts (guard_table.hpp), nor surfaces, modes or integrators.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "simulate/guard_polynomial.hpp"
#include "slideway/model/automaton.hpp"

namespace slideway {

enum class WatchedKind { record, stop, reset, edge };

struct Watched {
  WatchedKind kind = WatchedKind::record;
  std::string name = {};
  Guard when = {};
  Direction direction = Direction::any;
  ResetFunction reset = {};  // may be empty for an edge
  bool across_jumps = true;  // fires where a jump carries its guard past zero, too
  std::size_t edge = 0;      // into Automaton::edges, for WatchedKind::edge
  std::size_t event = 0;     // into System::events, for the others
  Delay delay = {};
  int priority = 0;
  Initially initially = Initially::by_rule;
  AtZero at_zero = AtZero::unknown;
  Guard holds_at_zero = {};
  bool is_condition() const { return at_zero != AtZero::unknown || holds_at_zero; }
};

// is_same() tells whether two locations watch one event or edge.
inline bool is_same(const Watched& one, const Watched& two) {
  return one.when == two.when && one.kind == two.kind && one.direction == two.direction &&
         one.name == two.name && one.edge == two.edge;
}

class EventWatch {
 public:
  // The events of `system`.
  explicit EventWatch(const System& system);
  // Adds the edges that leave `location`, but for some.
  void add_edges(const Automaton& automaton, std::size_t location, const std::vector<std::size_t>& without);

  Index size() const { return static_cast<Index>(watched_.size()); }
  // has_conditions() tells whether it is known of any event whether its condition holds at zero.
  bool has_conditions() const { return has_conditions_; }
  const Watched& operator[](Index e) const { return watched_[static_cast<std::size_t>(e)]; }

  // at_zero() tells whether the condition of the event holds where its guard is zero, here.
  AtZero at_zero(double t, ConstVectorRef x, Index e) const;
  // dg/dt along the velocity.
  double rate(double t, ConstVectorRef x, ConstVectorRef velocity, Index e);
  // affine() returns the guard without its side, where it is known to be affine. `zero` is a state of zeros.
  std::optional<AffineGuard> affine(Index e, ConstVectorRef zero);
  // The larger one of 16 ε·(Σ|∂ⱼg||xⱼ| + |∂ₜg||t|), the rounding of states and time, and 2 ε·(running error), by which two evaluations
  // differ; and Σ|∂ⱼg|/weights(j).
  double rounding(double t, ConstVectorRef x, Index e);
  double tolerance(double t, ConstVectorRef x, Index e, ConstVectorRef weights);

  // The rounding of a guard along whose zero the state may have slid: that of the states' error scale is part of it.
  double rounding_of_errors(double t, ConstVectorRef x, Index e, ConstVectorRef weights);
  // 64 ε·(Σ|∂ⱼg||vⱼ| + |∂ₜg|): what the rate along the velocity v cannot be told from zero by.
  double rate_rounding(double t, ConstVectorRef x, ConstVectorRef velocity, Index e);
  // forget_slopes() drops the slopes at the last (t, x), since the caller of a run may have changed what a guard reads.
  void forget_slopes();
  // Locations may have the same event, as those of a model file do. `of` is called with the events of `other` and of this that are one.
  template <class Function>
  void for_same(const EventWatch& other, const Function& of) const;

 private:
  void add(Watched watched);
  // Σ|∂ⱼg|·size(j), and ∂ₜg and ∂ⱼg.
  template <class Size>
  double sum_along_gradient(double t, ConstVectorRef x, Index e, const Size& size);
  double slope_in_time(double t, ConstVectorRef x, Index e);
  double running_error(double t, ConstVectorRef x, Index e);
  // ∂ⱼg for the states of the shape.
  const std::vector<double>& slopes(double t, ConstVectorRef x, Index e);
  static std::size_t at(Index e) { return static_cast<std::size_t>(e); }

  std::vector<Watched> watched_;
  // The slopes of a guard that is affine are had once, and so is ∂ₜg at one time of a guard of t alone. The rules of one instant ask for
  // those of any other guard at the same (t, x) again and again: the last ones are kept.
  struct Seen {
    GuardShape shape = {};  // of all states where it is not known
    bool has_slopes = false;
    std::vector<double> slopes = {};
    double slope_in_time = 0;
    double slope_t = std::numeric_limits<double>::quiet_NaN();   // where slope_in_time was had
    std::vector<double> slope_x = {};                            // likewise, the states of the shape
    double slopes_t = std::numeric_limits<double>::quiet_NaN();  // where slopes were had
    std::vector<double> slopes_x = {};                           // likewise
    double error = 0;                                            // the running error
    double error_t = std::numeric_limits<double>::quiet_NaN();   // where it was had
    std::vector<double> error_x = {};                            // likewise
  };
  std::vector<Seen> seen_;
  Index states_ = 0;
  bool has_conditions_ = false;
};

template <class Function>
void EventWatch::for_same(const EventWatch& other, const Function& of) const {
  for (Index e = 0; e < other.size(); ++e) {
    // Events of a model file stand at the same place in every location.
    if (e < size() && is_same(other[e], (*this)[e])) {
      of(e, e);
      continue;
    }
    for (Index mine = 0; mine < size(); ++mine) {
      if (is_same(other[e], (*this)[mine])) of(e, mine);
    }
  }
}

}  // namespace slideway
