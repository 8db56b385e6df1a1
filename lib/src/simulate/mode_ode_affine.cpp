// ModeOde where the guards are affine in (t, x): along a polynomial state they are polynomials themselves.

#include <algorithm>
#include <limits>

#include "simulate/guard_polynomial.hpp"
#include "simulate/mode_ode.hpp"

namespace slideway {

namespace {

// Whether Σₖ cₖ τᵏ, k = 0 … degree, is above `least` for all τ in [0, 1].
bool exceeds(GuardPolynomial::Coefficients& c, Index degree, double least) {
  GuardPolynomial::to_bernstein(c, degree);
  return std::all_of(c.begin(), c.begin() + degree + 1, [&](double b) { return b > least; });
}

}  // namespace

bool ModeOde::stays_positive(const Interpolant& x, double from, double to) const {
  const Index terms = x.coefficients.cols();
  const bool surfaces_only = !contacts_ && !(watch_ && watch_->size() > 0);
  if (!evaluator_.guards_are_affine() || constrained() || !surfaces_only || terms < 2 ||
      terms > GuardPolynomial::kMostCoefficients) {
    return false;
  }
  const double origin = (from - x.center) / x.scale;
  const double width = (to - from) / x.scale;
  for (Index i = 0; i < field_.mode().size(); ++i) {
    const double side = static_cast<double>(static_cast<signed char>(field_.mode()[i]));
    GuardPolynomial::Coefficients c;
    const double size = GuardPolynomial::expand(evaluator_, x, i, side, origin, width, c).at_most;
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * size;
    if (!exceeds(c, terms - 1, rounding)) return false;
  }
  return true;
}

}  // namespace slideway
