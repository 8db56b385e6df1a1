// A guard that is affine in (t, x), along a step in which the state is a polynomial: it is a polynomial there too.
//     s·h(t) = Σₖ cₖ τᵏ,   τ = (t − from)/(to − from) in [0, 1]
// which lies in the hull of its Bernstein coefficients bⱼ = Σₖ (j over k)/(degree over k) cₖ.
//
// It must not know what is asked of the polynomial.
#pragma once

#include <array>
#include <cmath>

#include "slideway/integrate/stepper.hpp"
#include "slideway/model/evaluator.hpp"

namespace slideway {

struct GuardPolynomial {
  static constexpr Index kMostCoefficients = 16;
  using Coefficients = std::array<double, kMostCoefficients>;

  // How large the terms are that the guard is the sum of: their rounding goes with that.
  struct Size {
    double at_start = 0;
    double at_most = 0;  // anywhere in the interval
  };

  // Powers of σ, τ = origin + width·σ, in place of those of τ.
  static void move(Coefficients& c, Index degree, double origin, double width) {
    if (origin != 0) {
      for (Index turn = 0; turn < degree; ++turn) {
        for (Index k = degree - 1; k >= turn; --k) {
          c[static_cast<std::size_t>(k)] += origin * c[static_cast<std::size_t>(k + 1)];
        }
      }
    }
    double power = 1;
    for (Index k = 1; k <= degree; ++k) c[static_cast<std::size_t>(k)] *= power *= width;
  }

  static void to_bernstein(Coefficients& c, Index degree) {
    double binomial = 1;
    for (Index k = 1; k <= degree; ++k) {
      binomial *= static_cast<double>(degree - k + 1) / static_cast<double>(k);
      c[static_cast<std::size_t>(k)] /= binomial;
    }
    for (Index turn = 1; turn <= degree; ++turn) {
      for (Index j = degree; j >= turn; --j)
        c[static_cast<std::size_t>(j)] += c[static_cast<std::size_t>(j - 1)];
    }
  }

  // The powers of τ of side·h of one surface; x's own variable is origin + width·τ, and it has from 2 to kMostCoefficients
  // terms.
  static Size expand(const Evaluator& evaluator, const Interpolant& x, Index surface, double side,
                     double origin, double width, Coefficients& c) {
    const Index terms = x.coefficients.cols();
    const double* const coefficients = x.coefficients.data();
    const Index stride = x.coefficients.outerStride();
    const double slope = evaluator.affine_dt()[surface];
    const double constant = evaluator.affine_origin()[surface] + slope * x.center;
    const double constant_size = std::abs(evaluator.affine_origin()[surface]) + std::abs(slope * x.center);
    Size size{constant_size, constant_size};
    for (Index k = 0; k < terms; ++k) c[static_cast<std::size_t>(k)] = 0;
    c[0] = side * constant;
    c[1] = side * slope * x.scale;
    const bool whole = origin == 0 && width == 1;
    const double reach = std::abs(origin) + std::abs(width);
    const auto& slopes = evaluator.affine_dx();
    const int* const start = slopes.outerIndexPtr() + surface;
    for (int entry = start[0]; entry < start[1]; ++entry) {
      const double* const of_state = coefficients + slopes.innerIndexPtr()[entry];
      const double weight = side * slopes.valuePtr()[entry];
      if (whole) {
        for (Index k = 0; k < terms; ++k) {
          const double term = weight * of_state[k * stride];
          c[static_cast<std::size_t>(k)] += term;
          size.at_most += std::abs(term);
        }
        size.at_start += std::abs(weight * of_state[0]);
        continue;
      }
      double power = 1;
      double power_at_start = 1;
      for (Index k = 0; k < terms; ++k) {
        const double term = weight * of_state[k * stride];
        c[static_cast<std::size_t>(k)] += term;
        size.at_most += std::abs(term) * power;
        size.at_start += std::abs(term) * power_at_start;
        power *= reach;
        power_at_start *= std::abs(origin);
      }
    }
    if (!whole) move(c, terms - 1, origin, width);
    return size;
  }
};

}  // namespace slideway
