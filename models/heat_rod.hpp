// A rod of n cells, heated at one end by a relay that watches its mean temperature: stiff, with as many states as one likes.
//
//     u_1' = (u_2 − u_1)/dx² + q/dx,      u_i' = (u_{i−1} − 2u_i + u_{i+1})/dx²,
//     u_n' = (u_{n−1} − u_n)/dx² + 2 (D sin(w t) − u_n)/dx²,
//     q = −K sgn(mean(u) − u_ref),   dx = 1/n
//
// The field couples neighbours only, but the guard sees every cell, and so does the field of sliding.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

template <class Number = double>
struct HeatRodOf {
  Index cells = 200;
  Number power = 2;        // K
  Number reference = 0.5;  // u_ref
  Number amplitude = 1;    // D
  Number frequency = 2;    // w

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    auto sum = x[0];
    for (Index i = 1; i < cells; ++i) sum += x[i];
    h[0] = sum / static_cast<double>(cells) - reference;
  }

  // One row that is full costs less to write down than to find out.
  void guards_dx(double /*t*/, const auto& /*x*/, auto&& derivative) const {
    derivative.setConstant(1 / static_cast<double>(cells));
  }

  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    const double n = static_cast<double>(cells);
    const double conduction = n * n;
    const Index last = cells - 1;
    for (Index i = 1; i < last; ++i) dx[i] = conduction * (x[i - 1] - 2 * x[i] + x[i + 1]);
    const auto wall = 2 * conduction * (amplitude * sin(frequency * t) - x[last]);
    const auto heating = -(power * n) * lambda[0];
    if (last == 0) {
      dx[0] = heating + wall;
    } else {
      dx[0] = conduction * (x[1] - x[0]) + heating;
      dx[last] = conduction * (x[last - 1] - x[last]) + wall;
    }
  }
};
using HeatRod = HeatRodOf<>;

Model heat_rod();

}  // namespace slideway::models
