// The guards beside the surfaces that one location watches: those of its system's events, and of the edges that leave it.
//
// Every guard is watched as s·g, positive while nothing has happened: s = +1 waits for g to fall, −1 for it to rise, and a
// guard of direction `any` has the side it is on stored. It must not know surfaces, modes or integrators.
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
};

class EventWatch {
 public:
  // The events of `system`.
  explicit EventWatch(const System& system);
  // Adds the edges that leave `location`, but for some.
  void add_edges(const Automaton& automaton, std::size_t location, const std::vector<std::size_t>& without);

  Index size() const { return static_cast<Index>(watched_.size()); }
  const Watched& operator[](Index e) const { return watched_[static_cast<std::size_t>(e)]; }

  // s·g.
  double value(double t, ConstVectorRef x, Index e) const {
    return side_[at(e)] * (*this)[e].when.value(t, x);
  }
  void set_side(Index e, double side) { side_[at(e)] = side; }
  double side(Index e) const { return side_[at(e)]; }
  // dg/dt along the velocity.
  double rate(double t, ConstVectorRef x, ConstVectorRef velocity, Index e);
  // Where the guard is known to be affine: what it is, without its side. `zero` is a state of zeros.
  std::optional<AffineGuard> affine(Index e, ConstVectorRef zero);
  // 16 ε·(Σ|∂ⱼg||xⱼ| + |∂ₜg||t|), and Σ|∂ⱼg|/weights(j).
  double rounding(double t, ConstVectorRef x, Index e);
  double tolerance(double t, ConstVectorRef x, Index e, ConstVectorRef weights);

  // 64 ε·(Σ|∂ⱼg||vⱼ| + |∂ₜg|): what the rate along the velocity v cannot be told from zero by.
  double rate_rounding(double t, ConstVectorRef x, ConstVectorRef velocity, Index e);
  // A guard that starts at zero and leaves on its own side: it fires when it comes back below −allowance, were it ever so
  // soon. Other guards that start at or beyond zero (an allowance of infinity) wait until they have been on their side.
  void set_allowance(Index e, double allowance) { allowance_[at(e)] = allowance; }
  double allowance(Index e) const { return allowance_[at(e)]; }
  // The size up to which its value is noise: it is on its side beyond that.
  void set_noise(Index e, double noise) { noise_[at(e)] = noise; }
  double noise(Index e) const { return noise_[at(e)]; }
  // Over the whole run: whether the event has fired, and whether its guard has ever been on its own side.
  void set_fired(Index e) { fired_[at(e)] = 1; }
  bool fired(Index e) const { return fired_[at(e)] != 0; }
  void set_was_ahead(Index e) {
    was_ahead_[at(e)] = 1;
    waits_[at(e)] = 0;
  }
  bool was_ahead(Index e) const { return was_ahead_[at(e)] != 0; }
  // Whether it is as at the start of the run, beyond zero, where it does not fire before it has been on its own side.
  void set_waits(Index e, bool waits) { waits_[at(e)] = waits; }
  bool waits(Index e) const { return waits_[at(e)] != 0; }
  // Locations may have the same event, as those of a model file do. `of` is called with the events of `other` and of this that are one.
  template <class Function>
  void for_same(const EventWatch& other, const Function& of) const;
  // Takes over what the run has seen of the same events in the location that it leaves.
  void take_history(const EventWatch& before);
  // Whether the guard has been clearly on its side since it last fired, or since the state last jumped.
  void set_armed(Index e, bool armed) { armed_[at(e)] = armed; }
  void disarm() { std::fill(armed_.begin(), armed_.end(), char{0}); }
  bool armed(Index e) const { return armed_[at(e)] != 0; }
  // Whether sliding or closed contacts hold the guard at zero; after that a guard in any direction is undecided until it is
  // clearly on one side, which then is its own.
  void set_undecided(Index e, bool undecided) { undecided_[at(e)] = undecided; }
  bool undecided(Index e) const { return undecided_[at(e)] != 0; }
  void set_held(Index e, bool held) { held_[at(e)] = held; }
  bool held(Index e) const { return held_[at(e)] != 0; }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("side", side_);
    visit("allowance", allowance_);
    visit("noise", noise_);
    visit("armed", armed_);
    visit("held", held_);
    visit("undecided", undecided_);
    visit("fired", fired_);
    visit("was_ahead", was_ahead_);
    visit("waits", waits_);
  }

 private:
  void add(Watched watched);
  // Σ|∂ⱼg|·size(j), and ∂ₜg and ∂ⱼg.
  template <class Size>
  double sum_along_gradient(double t, ConstVectorRef x, Index e, const Size& size);
  double slope_in_time(double t, ConstVectorRef x, Index e);
  // ∂ⱼg for the states of the shape.
  const std::vector<double>& slopes(double t, ConstVectorRef x, Index e);
  static std::size_t at(Index e) { return static_cast<std::size_t>(e); }

  std::vector<Watched> watched_;
  std::vector<double> side_, allowance_, noise_;
  std::vector<char> armed_, held_, undecided_, fired_, was_ahead_, waits_;
  // The slopes of a guard that is affine are had once, and so is ∂ₜg at one time of a guard of t alone.
  struct Seen {
    GuardShape shape = {};  // of all states where it is not known
    bool has_slopes = false;
    std::vector<double> slopes = {};
    double slope_in_time = 0;
    double slope_t = std::numeric_limits<double>::quiet_NaN();  // where slope_in_time was had
  };
  std::vector<Seen> seen_;
  Index states_ = 0;
};

template <class Function>
void EventWatch::for_same(const EventWatch& other, const Function& of) const {
  const auto is_same = [&](Index theirs, Index mine) {
    const Watched &one = other[theirs], &two = (*this)[mine];
    return one.when == two.when && one.kind == two.kind && one.direction == two.direction &&
           one.name == two.name && one.edge == two.edge;
  };
  for (Index e = 0; e < other.size(); ++e) {
    // Events of a model file stand at the same place in every location.
    if (e < size() && is_same(e, e)) {
      of(e, e);
      continue;
    }
    for (Index mine = 0; mine < size(); ++mine) {
      if (is_same(e, mine)) of(e, mine);
    }
  }
}

}  // namespace slideway
