// ModeOde where the guards are affine in (t, x): along a polynomial state they are polynomials themselves.

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "simulate/mode_ode.hpp"

namespace slideway {

namespace {

constexpr Index kMostCoefficients = 16;

using Coefficients = std::array<double, kMostCoefficients>;

// Whether Σₖ cₖ τᵏ, k = 0 … degree, is above `least` for all τ in [0, 1]: it lies in the hull of its
// Bernstein coefficients bⱼ = Σₖ (j over k)/(degree over k) cₖ.
bool exceeds(Coefficients& c, Index degree, double least) {
  double binomial = 1;
  for (Index k = 1; k <= degree; ++k) {
    binomial *= static_cast<double>(degree - k + 1) / static_cast<double>(k);
    c[static_cast<std::size_t>(k)] /= binomial;
  }
  for (Index turn = 1; turn <= degree; ++turn) {
    for (Index j = degree; j >= turn; --j)
      c[static_cast<std::size_t>(j)] += c[static_cast<std::size_t>(j - 1)];
  }
  for (Index j = 0; j <= degree; ++j) {
    if (!(c[static_cast<std::size_t>(j)] > least)) return false;
  }
  return true;
}

}  // namespace

bool ModeOde::stays_positive(const Interpolant& x, double from, double to) const {
  const Index terms = x.coefficients.cols();
  const bool surfaces_only = !contacts_ && !(watch_ && watch_->size() > 0);
  if (!evaluator_.guards_are_affine() || constrained() || !surfaces_only || terms < 2 ||
      terms > kMostCoefficients) {
    return false;
  }
  const double origin = (from - x.center) / x.scale;
  const double width = (to - from) / x.scale;
  const auto& slopes = evaluator_.affine_dx();
  for (Index i = 0; i < field_.mode().size(); ++i) {
    const double side = static_cast<double>(static_cast<signed char>(field_.mode()[i]));
    Coefficients c{};
    double size = 0;
    double power = 1;
    const double reach = std::abs(origin) + std::abs(width);
    for (Index k = 0; k < terms; ++k) {
      double sum = 0;
      double sum_of_sizes = 0;
      if (k == 0) {
        const double at_center = evaluator_.affine_dt()[i] * x.center;
        sum = evaluator_.affine_origin()[i] + at_center;
        sum_of_sizes = std::abs(evaluator_.affine_origin()[i]) + std::abs(at_center);
      }
      if (k == 1) sum = evaluator_.affine_dt()[i] * x.scale;
      for (std::remove_reference_t<decltype(slopes)>::InnerIterator entry(slopes, i); entry; ++entry) {
        const double term = entry.value() * x.coefficients(entry.col(), k);
        sum += term;
        sum_of_sizes += std::abs(term);
      }
      c[static_cast<std::size_t>(k)] = side * sum;
      size += sum_of_sizes * power;
      power *= reach;
    }
    // From powers of θ to powers of τ, θ = origin + width·τ.
    if (origin != 0) {
      for (Index turn = 0; turn + 1 < terms; ++turn) {
        for (Index k = terms - 2; k >= turn; --k) {
          c[static_cast<std::size_t>(k)] += origin * c[static_cast<std::size_t>(k + 1)];
        }
      }
    }
    power = 1;
    for (Index k = 1; k < terms; ++k) c[static_cast<std::size_t>(k)] *= power *= width;
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * size;
    if (!exceeds(c, terms - 1, rounding)) return false;
  }
  return true;
}

}  // namespace slideway
