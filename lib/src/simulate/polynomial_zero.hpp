// The first zero of a polynomial p(τ) = Σₖ cₖ τᵏ in the unit interval. It has no more zeros in an interval than its Bernstein
// coefficients there have changes of sign: halving goes on until there is one at most, so that none is missed.
//
// It must not know what the polynomial stands for.
#pragma once

#include "core/constants.hpp"
#include "simulate/guard_polynomial.hpp"

namespace slideway {

inline constexpr double kNever = kInfinity;

// first_zero_after() returns the first zero of sign·p + level after τ = start, to the resolution, or kNever. At
// the start the function is not below zero but for its rounding, and a zero there does not count.
double first_zero_after(double start, GuardPolynomial::Coefficients c, Index degree, double sign,
                        double level, double resolution);

}  // namespace slideway
