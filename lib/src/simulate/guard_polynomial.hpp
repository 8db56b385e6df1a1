// A guard that is affine in (t, x), along a step in which the state is a polynomial in σ = (t − center)/scale: it is a polynomial
// there too.
//     s·h(t) = Σₖ cₖ σᵏ
// On [0, 1] it lies in the hull of its Bernstein coefficients bⱼ = Σₖ (j over k)/(degree over k) cₖ.
//
// It must not know what is asked of the polynomial.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "integrate/stepper.hpp"

namespace slideway {

// origin + by_time·t + Σ weights[k] x[states[k]]; the arrays belong to others.
struct AffineFunction {
  double origin = 0;
  double by_time = 0;
  const int* states = nullptr;
  const double* weights = nullptr;
  int count = 0;
};

// A function of this kind that has its arrays itself.
struct AffineGuard {
  double origin = 0;
  double by_time = 0;
  std::vector<int> states = {};
  std::vector<double> weights = {};
};

struct GuardPolynomial {
  static constexpr Index kMostCoefficients = 16;
  using Coefficients = std::array<double, kMostCoefficients>;

  Coefficients c;
  Coefficients terms;  // how large the terms are that cₖ is the sum of: their rounding goes with that
  Index degree = 0;

  // Powers of τ, σ = origin + width·τ, in place of those of σ.
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

  // base + factor·(the function); x has from 2 to kMostCoefficients terms.
  void expand(const AffineFunction& function, double base, double factor, const Interpolant& x) {
    degree = x.terms - 1;
    const auto add = [&](Index k, double term) {
      c[static_cast<std::size_t>(k)] += term;
      terms[static_cast<std::size_t>(k)] += std::abs(term);
    };
    const double origin = factor * function.origin;
    const double by_time = factor * function.by_time;
    c[0] = base + origin + by_time * x.center;
    terms[0] = std::abs(base) + std::abs(origin) + std::abs(by_time * x.center);
    c[1] = by_time * x.scale;
    terms[1] = std::abs(c[1]);
    // The coefficients are so few that clearing all of them would take longer.
    for (std::size_t k = 2; k <= static_cast<std::size_t>(degree); ++k) {
      c[k] = 0;
      terms[k] = 0;
    }
    for (int entry = 0; entry < function.count; ++entry) {
      const double weight = factor * function.weights[entry];
      for (Index k = 0; k <= degree; ++k) add(k, weight * x.columns[k][function.states[entry]]);
    }
  }

  // size_at() tells how large the terms are that the value at σ is the sum of.
  double size_at(double sigma) const {
    const double reach = std::abs(sigma);
    double sum = terms[static_cast<std::size_t>(degree)];
    for (Index k = degree - 1; k >= 0; --k) sum = sum * reach + terms[static_cast<std::size_t>(k)];
    return sum;
  }

  // The same of the slope by σ.
  double slope_size_at(double sigma) const {
    const double reach = std::abs(sigma);
    double sum = 0;
    for (Index k = degree; k > 0; --k)
      sum = sum * reach + static_cast<double>(k) * terms[static_cast<std::size_t>(k)];
    return sum;
  }

  // is_clearly_positive() tells whether the values at all σ from a to b, of one sign, are certain to be above
  // their rounding, `relative` to their terms. False says nothing.
  bool is_clearly_positive(double a, double b, double relative) const {
    double power_a = 1;
    double power_b = 1;
    double lowest = c[0];
    double size = terms[0];
    for (Index k = 1; k <= degree; ++k) {
      const auto at = static_cast<std::size_t>(k);
      power_a *= a;
      power_b *= b;
      lowest += std::min(c[at] * power_a, c[at] * power_b);
      size += terms[at] * std::max(std::abs(power_a), std::abs(power_b));
    }
    return lowest > relative * size;
  }
};

}  // namespace slideway
