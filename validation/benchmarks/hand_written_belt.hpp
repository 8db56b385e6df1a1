// A block on a moving belt, x'' = −x − sgn(x' − v_b)·(μ_k + (μ_s − μ_k) exp(−|x' − v_b|/v_s)), as an expert would write it:
// two slip modes with a field each, and sticking, where the block goes with the belt until the spring is stronger than
// the friction.
#pragma once

#include <cmath>

namespace slideway::benchmarks {

struct HandWrittenBelt {
  static constexpr int states = 2;
  static constexpr int roots = 2;

  double at_rest = 1;
  double at_speed = 0.5;
  double speed_scale = 0.5;
  double belt = 0.5;
  char mode = '0';

  void field(double, const double* x, double* dx) const {
    dx[0] = x[1];
    if (mode == '0') {
      dx[0] = belt;
      dx[1] = 0;
      return;
    }
    const double sign = mode == '+' ? 1 : -1;
    dx[1] = -x[0] - sign * (at_speed + (at_rest - at_speed) * std::exp(-sign * (x[1] - belt) / speed_scale));
  }

  void jacobian(double, const double* x, double* columns) const {
    const double sign = mode == '+' ? 1 : -1;
    const bool slips = mode != '0';
    columns[0] = 0;
    columns[1] = slips ? -1 : 0;
    columns[2] = slips ? 1 : 0;
    columns[3] =
        slips ? (at_rest - at_speed) / speed_scale * std::exp(-sign * (x[1] - belt) / speed_scale) : 0;
  }

  void root_functions(double, const double* x, double* g) const {
    if (mode == '0') {
      g[0] = at_rest - x[0];
      g[1] = at_rest + x[0];
    } else {
      g[0] = x[1] - belt;
      g[1] = 1;
    }
  }

  void directions(int* direction) const {
    direction[0] = mode == '-' ? 1 : -1;
    direction[1] = -1;
  }

  // The spring's force grows evenly while the block sticks, so nothing can be stepped over.
  double largest_step() const { return 0; }

  char next_mode(double, double* x) {
    if (mode == '0') return x[0] > 0 ? '-' : '+';
    x[1] = belt;
    return x[0] > at_rest ? '-' : x[0] < -at_rest ? '+' : '0';
  }
};

}  // namespace slideway::benchmarks
