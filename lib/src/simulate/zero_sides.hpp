// The sides of surfaces whose guards others hold at zero, and whose relays these do not depend on, or whose guards rest at zero. The
// comparison that a relay stands for decides there (SystemDefinition::sides_at_zero):
//     hᵢ = 0 wherever h_S = 0,   ∂w_S/∂λᵢ = 0   ⇒   λᵢ = its side at zero        (S: the surfaces that slide)
//     hᵢ = 0 now and later, for λᵢ = −1 and +1     ⇒   λᵢ = its side at zero        (a tank that is empty)
// The power F·v of a block that sticks is such a guard. A relay that the normal components of S depend on has a part in what S does, and
// is decided with S (Filippov's convex combination).
//
// It must not know events, contacts or integrators.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "filippov/surface_geometry.hpp"
#include "simulate/precision.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

// errors_beyond_rounding() is how many errors move a guard so far that its rounding is a small part, one at least: a shift of the state by
// them tells whether constraints hold the guard. `error` and `rounding` are of the guard. A guard that is flat, as cosh(x) at x = 0, moves
// under no small shift: the shift stays a small part of the states, of which `rtol` is the relative error.
double errors_beyond_rounding(double error, double rounding, double rtol);

// Constraints that move in time are looked at after these parts of a time (the run's rest, or the time in which the equations change): the
// first part shows a fast motion, the last part a slow motion. Their ratios 10, 4 and 2.5 bring no surface that returns in a shorter period
// back at all four, except by chance.
constexpr double kLooks[] = {kLatestLook, 0.1, 0.4, 1};

class ZeroSides {
 public:
  // project() moves a state onto the constraints of a time; false where there is no such state.
  using Project = std::function<bool(double t, VectorRef x)>;

  // The references must outlive it.
  ZeroSides(Evaluator& evaluator, const RelayStructure& structure, double rtol);

  // The time in which the equations change where the state does not tell; 1 at first.
  void set_typical_time(double time) { typical_time_ = time; }

  bool any() const { return !sides_.empty(); }
  // side() returns the side of a surface at zero, +1 or −1, and 0 where nothing says it.
  int side(Index surface) const { return sides_.empty() ? 0 : sides_[static_cast<std::size_t>(surface)]; }
  // is_unseen() tells whether it is certain that neither its own normal component nor those of `others` depend on the relay of a surface.
  bool is_unseen(Index surface, const std::vector<Index>& others) const;

  // held() lists the surfaces with a side at zero that do not slide, are not seen by those that do, and are zero wherever these are,
  // now and later. Sorted. weights(j) is the reciprocal error scale of state j.
  std::vector<Index> held(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef weights,
                          const Project& project);
  // The same where nothing but the surfaces holds the state.
  std::vector<Index> held(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef weights);
  // resting() lists the surfaces with a side at zero whose guards are zero, and stay so whether they take that side or not: nothing that
  // they depend on moves. `lambda` holds all relays.
  std::vector<Index> resting(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                             ConstVectorRef weights);
  // beside() returns the side of a surface where the state is on these sides of the others, near to x, at which all of them are zero.
  // Nothing where the guard does not tell, or where all of the others slide.
  std::optional<Side> beside(double t, ConstVectorRef x, Index surface, const std::vector<Index>& others,
                             const Mode& sides, ConstVectorRef weights);

 private:
  struct Candidate {
    Index surface = 0;
    double error = 0, rounding = 0;  // of its guard
    // still() tells whether a value of the guard is zero, up to its rounding and a small part of this many errors.
    bool still(double value, double times) const;
  };
  // candidates() lists the surfaces with a side at zero that do not slide, are zero up to errors, and for which may_be() holds.
  template <class MayBe>
  std::vector<Candidate> candidates(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef weights,
                                    const MayBe& may_be);
  // drop_moved() drops the candidates whose guards are off zero at state_.
  void drop_moved(double t, double times, std::vector<Candidate>& from);
  // look_later() does so at later times, where set_state(later) sets state_ and returns whether there is such a state.
  template <class SetState>
  void look_later(double t, double times, std::vector<Candidate>& from, const SetState& set_state);

  Evaluator& evaluator_;
  const RelayStructure& structure_;
  SurfaceGeometry geometry_;
  std::vector<int> sides_;  // empty where no surface has a side at zero
  double rtol_;
  double typical_time_ = 1;
  std::vector<Index> sliding_;
  Vector state_, values_;  // buffers
};

}  // namespace slideway
