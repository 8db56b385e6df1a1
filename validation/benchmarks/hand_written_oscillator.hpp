// x'' = −x − μ sgn(x') + A cos(ω t) as an expert would write it for CVODE: three modes with a field each, the force that
// would break the block loose as root functions while it sticks.
#pragma once

#include <cmath>

#include "validation/benchmarks/hand_written_cvode.hpp"

namespace slideway::benchmarks {

struct HandWrittenOscillator {
  static constexpr int states = 2;
  static constexpr int roots = 2;

  double mu = 0.4;
  double amplitude = 1;
  double frequency = 0.5;
  // While the block sticks nothing moves, so the step grows for ever and CVODE steps over pairs of roots (42 mode changes
  // instead of 797 at rtol 1e-8) unless it is held to a part of the drive's period. Slipping needs no limit.
  double largest_slip_step = 0;
  double largest_stick_step = 1;
  char mode = '-';

  double force(double t, double x) const { return amplitude * std::cos(frequency * t) - x; }

  void field(double t, const double* x, double* dx) const {
    if (mode == '0') {
      dx[0] = 0;
      dx[1] = 0;
    } else {
      dx[0] = x[1];
      dx[1] = force(t, x[0]) - (mode == '+' ? mu : -mu);
    }
  }

  void jacobian(double, const double*, double* columns) const {
    const bool slips = mode != '0';
    columns[0] = 0;
    columns[1] = slips ? -1 : 0;
    columns[2] = slips ? 1 : 0;
    columns[3] = 0;
  }

  void root_functions(double t, const double* x, double* g) const {
    if (mode == '0') {
      const double f = force(t, x[0]);
      g[0] = f - mu;
      g[1] = f + mu;
    } else {
      g[0] = x[1];
      g[1] = 1;
    }
  }

  void directions(int* direction) const {
    direction[0] = mode == '+' ? -1 : 1;
    direction[1] = -1;
  }

  double largest_step() const { return mode == '0' ? largest_stick_step : largest_slip_step; }

  char next_mode(double t, double* x) {
    const double f = force(t, x[0]);
    // The block breaks loose in the direction of the force, which is at its limit.
    if (mode == '0') return f > 0 ? '+' : '-';
    x[1] = 0;
    return f > mu ? '+' : f < -mu ? '-' : '0';
  }
};

}  // namespace slideway::benchmarks
