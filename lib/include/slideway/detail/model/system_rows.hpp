// Chosen rows of a system, at the cost of these rows: fᵢ for some states i and hⱼ for some surfaces j, with their derivatives along a
// direction. They let a part of a large system be followed without evaluating the rest of it.
//
// Arguments are those of the whole system: x has n entries and λ has m, of which only those are read that the chosen rows depend on
// by the patterns of the system. Results hold the chosen rows alone, in the order in which they were chosen.
// It must not know time stepping, modes or sliding.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// Immutable; may be evaluated from several threads at once.
class SystemRows {
 public:
  virtual ~SystemRows() = default;

  // dx[k] = fᵢ(t, x, λ), i the k-th of the states chosen.
  virtual void field(double t, const double* x, const double* lambda, double* dx) const = 0;
  // The same, and dx_dot[k], its derivative along (t_dot, x_dot, lambda_dot).
  virtual void field_along(double t, const double* x, const double* lambda, double t_dot, const double* x_dot,
                           const double* lambda_dot, double* dx, double* dx_dot) const = 0;
  // h[k] = hⱼ(t, x), j the k-th of the surfaces chosen.
  virtual void guards(double t, const double* x, double* h) const = 0;
  // The same, and h_dot[k], its derivative along (t_dot, x_dot).
  virtual void guards_along(double t, const double* x, double t_dot, const double* x_dot, double* h,
                            double* h_dot) const = 0;
  // The mixed second derivative of GuardMixedFunction (model/system.hpp).
  virtual void guards_mixed(double t, const double* x, double t_first, const double* x_first, double t_second,
                            const double* x_second, const double* x_mixed, double* h_mixed) const = 0;
};

// The rows of these states and surfaces, both increasing.
using ChooseRows = std::function<std::shared_ptr<const SystemRows>(const std::vector<Index>& states,
                                                                   const std::vector<Index>& surfaces)>;

class System;

// A way to choose rows of this system: its own (SystemDefinition::rows), or where field and guards are affine the rows of their
// coefficients, which are found now. Empty where there is none.
ChooseRows choose_rows_of(const System& system);

}  // namespace slideway
