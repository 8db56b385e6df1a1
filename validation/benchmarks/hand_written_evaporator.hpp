// The evaporator of Mosterman, Zhao & Biswas as an expert would write it for CVODE: below the overflow, above it, and
// the level held at it, with the part μ of the time that the overflow is open worked out by hand from L' = 0.
#pragma once

#include "validation/benchmarks/hand_written_cvode.hpp"

namespace slideway::benchmarks {

struct HandWrittenEvaporator {
  static constexpr int states = 2;
  static constexpr int roots = 2;

  double R_b = 1, R_pipe = 0.5, I = 0.5, C = 15, f_in = 0.25, L_th = 0.1;
  char mode = '-';

  double inflow(double L) const { return f_in - L / R_b; }

  void field(double, const double* x, double* dx) const {
    const double p = x[0];
    const double L = x[1];
    if (mode == '0') {
      const double open = inflow(L) * I / p;
      dx[0] = -(R_pipe / I) * p + open * L;
      dx[1] = 0;
    } else if (mode == '+') {
      dx[0] = -(R_pipe / I) * p + L;
      dx[1] = -p / (I * C) + inflow(L) / C;
    } else {
      dx[0] = -(R_pipe / I) * p;
      dx[1] = inflow(L) / C;
    }
  }

  void jacobian(double, const double* x, double* columns) const {
    const double p = x[0];
    const double L = x[1];
    columns[0] = -R_pipe / I;
    columns[1] = 0;
    columns[2] = 0;
    columns[3] = -1 / (R_b * C);
    if (mode == '+') {
      columns[1] = -1 / (I * C);
      columns[2] = 1;
    } else if (mode == '0') {
      columns[0] += -inflow(L) * I / (p * p) * L;
      columns[2] = (inflow(L) - L / R_b) * I / p;
      columns[3] = 0;
    }
  }

  void root_functions(double, const double* x, double* g) const {
    const double p = x[0];
    const double L = x[1];
    if (mode == '0') {
      g[0] = inflow(L) / C;
      g[1] = -p / (I * C) + inflow(L) / C;
    } else {
      g[0] = L - L_th;
      g[1] = 1;
    }
  }

  void directions(int* direction) const {
    direction[0] = mode == '-' ? 1 : -1;
    direction[1] = 1;
  }

  double largest_step() const { return 0; }

  char next_mode(double, double* x) {
    const double w_minus = inflow(x[1]) / C;
    const double w_plus = w_minus - x[0] / (I * C);
    if (mode == '0') return w_plus > -w_minus ? '+' : '-';
    x[1] = L_th;
    return w_minus > 0 && w_plus < 0 ? '0' : w_plus > 0 ? '+' : '-';
  }
};

}  // namespace slideway::benchmarks
