// The same as hand_written_cvode.hpp with the one-step method of Dormand and Prince, written out for a fixed number of states:
// integrate the mode at hand, look for sign changes of its root functions at the ends of the steps, locate them on the
// dense output, let the problem choose the next mode, and go on with the step size there is.
//
// A problem has what hand_written_cvode.hpp asks of it; the Jacobian is not used.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "validation/benchmarks/hand_written_cvode.hpp"

namespace slideway::benchmarks {

template <class Problem>
class HandWrittenDopri5 {
 public:
  HandWrittenDopri5(Problem problem, double rtol, double atol)
      : problem_(problem), rtol_(rtol), atol_(atol) {}

  HandWrittenResult run(const std::vector<double>& start, double end) {
    result_ = {};
    std::copy(start.begin(), start.end(), x_.begin());
    double t = 0;
    double h = 1e-3;
    result_.modes = problem_.mode;
    bool fresh = true;
    std::array<double, roots> before{};
    std::array<int, roots> direction{};
    while (t < end) {
      if (fresh) {
        field(t, x_, k_[0]);
        problem_.directions(direction.data());
        // The root of the event itself is zero here and counts from the next step on.
        root_functions(t, x_, before);
        fresh = false;
      }
      const double largest = problem_.largest_step() > 0 ? problem_.largest_step() : end;
      h = std::min({h, largest, end - t});
      const double error = attempt(t, h);
      const double factor = 0.9 * std::pow(std::max(error, 1e-6), -0.2);
      if (!(error <= 1)) {
        // A step far too long can be beyond all numbers.
        h *= std::isfinite(error) ? std::max(0.1, factor) : 0.1;
        continue;
      }
      ++result_.steps;
      std::array<double, roots> after;
      root_functions(t + h, new_x_, after);
      double event = 2;
      int root = -1;
      for (int i = 0; i < roots; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (direction[at] * before[at] < 0 && direction[at] * after[at] >= 0) {
          if (root < 0) make_dense_output(h);
          const double part = locate(t, h, at, before[at], after[at]);
          if (part < event) {
            event = part;
            root = i;
          }
        }
        before[at] = after[at];
      }
      if (root < 0) {
        t = t + h < end ? t + h : end;
        x_ = new_x_;
        k_[0] = k_[6];
      } else {
        interpolate(event, x_);
        t += event * h;
        problem_.mode = problem_.next_mode(t, x_.data());
        result_.times.push_back(t);
        result_.modes += problem_.mode;
        fresh = true;
      }
      h *= std::clamp(factor, 0.2, 10.0);
    }
    result_.final.assign(x_.begin(), x_.end());
    return result_;
  }

 private:
  static constexpr std::size_t states = Problem::states;
  static constexpr int roots = Problem::roots;
  using State = std::array<double, states>;

  void field(double t, const State& x, State& dx) {
    ++result_.field_evaluations;
    problem_.field(t, x.data(), dx.data());
  }

  void root_functions(double t, const State& x, std::array<double, roots>& g) {
    ++result_.guard_evaluations;
    problem_.root_functions(t, x.data(), g.data());
  }

  // Fills k_[1…6] and new_x_; returns the error in units of the tolerances.
  double attempt(double t, double h) {
    static constexpr double c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static constexpr double a[7][6] = {
        {},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    for (std::size_t s = 1; s < 7; ++s) {
      for (std::size_t i = 0; i < states; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < s; ++j) sum += a[s][j] * k_[j][i];
        new_x_[i] = x_[i] + h * sum;
      }
      field(t + c[s] * h, new_x_, k_[s]);
    }
    double square = 0;
    for (std::size_t i = 0; i < states; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 7; ++j) sum += e[j] * k_[j][i];
      const double part = h * sum / (atol_ + rtol_ * std::abs(x_[i]));
      square += part * part;
    }
    return std::sqrt(square / static_cast<double>(states));
  }

  // Hairer's contd5.
  void make_dense_output(double h) {
    static constexpr double d[7] = {-12715105075.0 / 11282082432,  0,
                                    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                    69997945.0 / 29380423};
    for (std::size_t i = 0; i < states; ++i) {
      const double difference = new_x_[i] - x_[i];
      const double slope = h * k_[0][i] - difference;
      double sum = 0;
      for (std::size_t j = 0; j < 7; ++j) sum += d[j] * k_[j][i];
      dense_[0][i] = x_[i];
      dense_[1][i] = difference;
      dense_[2][i] = slope;
      dense_[3][i] = difference - h * k_[6][i] - slope;
      dense_[4][i] = h * sum;
    }
  }

  void interpolate(double part, State& x) const {
    const double rest = 1 - part;
    for (std::size_t i = 0; i < states; ++i) {
      x[i] = dense_[0][i] +
             part * (dense_[1][i] + rest * (dense_[2][i] + part * (dense_[3][i] + rest * dense_[4][i])));
    }
  }

  // Regula falsi of the Illinois kind, to rounding.
  double locate(double t, double h, std::size_t root, double value_left, double value_right) {
    double left = 0;
    double right = 1;
    State x;
    std::array<double, roots> g;
    int side = 0;
    while (right - left > 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, t / h)) {
      const double part = (value_left * right - value_right * left) / (value_left - value_right);
      interpolate(part, x);
      root_functions(t + part * h, x, g);
      if (g[root] == 0) return part;
      if ((g[root] < 0) == (value_right < 0)) {
        if (right == part) return part;
        right = part;
        value_right = g[root];
        if (side == 1) value_left /= 2;
        side = 1;
      } else {
        if (left == part) return part;
        left = part;
        value_left = g[root];
        if (side == -1) value_right /= 2;
        side = -1;
      }
    }
    return right;
  }

  Problem problem_;
  double rtol_;
  double atol_;
  State x_{};
  State new_x_{};
  std::array<State, 7> k_{};
  std::array<State, 5> dense_{};
  HandWrittenResult result_;
};

}  // namespace slideway::benchmarks
