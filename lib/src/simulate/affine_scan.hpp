// The first zero of guards that are affine in (t, x), along a step in which the state is a polynomial: they are polynomials
// there too, and need neither samples nor a march.
//     s·h(t) = Σₖ cₖ τᵏ,   τ = (t − from)/(to − from) in [0, 1]
// A polynomial has no more zeros than its Bernstein coefficients have changes of sign, so that no zero is missed. Guards arm
// and arrive as in GuardScan.
//
// It must not know how steps are taken, nor guards that are not affine.
#pragma once

#include <vector>

#include "simulate/guard_polynomial.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/integrate/stepper.hpp"
#include "slideway/model/evaluator.hpp"

namespace slideway {

class AffineScan {
 public:
  // The evaluator must outlive the scan; its guards are affine.
  explicit AffineScan(const Evaluator& evaluator);

  // Begins to watch the surfaces that do not slide. The vectors hold what GuardScan::start takes, for surface i in entry 2i.
  void start(const Mode& mode, ConstVectorRef values, ConstVectorRef arm_above, ConstVectorRef arrive_below);
  bool idle() const { return watched_.empty(); }
  bool watches(Index surface) const { return side_[static_cast<std::size_t>(surface)] != 0; }
  bool armed(Index surface) const { return armed_[static_cast<std::size_t>(surface)] != 0; }

  struct FirstZero {
    bool found = false;
    double t = 0;
    std::vector<Index> surfaces = {};  // zero at t, to the accuracy of location
  };
  // In [from, to], where the state is the polynomial `x`. After a zero the scan must be started again.
  const FirstZero& advance(const Interpolant& x, double from, double to);
  // Takes back what the last advance() armed: the solution did not come to its end.
  void forget_arming();

 private:
  void arm(Index surface);
  // τ of the first zero of this surface, or infinity; arms it.
  double first_zero(Index surface, const GuardPolynomial::Coefficients& c, Index degree, double rounding,
                    double resolution);

  const Evaluator& evaluator_;
  std::vector<signed char> side_;  // per surface, 0 where it is not watched
  std::vector<char> armed_;
  std::vector<Index> watched_, newly_armed_;
  // Whether s·h is certain to stay above its rounding, by how far its states can get; false says nothing.
  bool is_far(Index surface, const Interpolant& x, double furthest) const;

  Vector arm_above_, arrive_below_;  // per surface
  Vector reach_;  // per state, how far it can get from the first coefficient of its polynomial
  std::vector<Index> zeros_;         // surfaces that have one in this interval, and where
  std::vector<double> zero_times_;
  FirstZero result_;
};

}  // namespace slideway
