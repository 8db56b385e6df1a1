// The method of Dormand and Prince for a hand-written problem of any size (large_problems.hpp): roots are looked for at the
// ends of the steps, located one by one on the dense output, and the step size is kept over an event.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "validation/benchmarks/large_problems.hpp"

namespace slideway::benchmarks {

template <class Problem>
class LargeDopri5 {
 public:
  LargeDopri5(Problem problem, double rtol, double atol)
      : problem_(std::move(problem)),
        n_(problem_.states()),
        rtol_(rtol),
        atol_(atol),
        x_(n_),
        new_x_(n_),
        before_(problem_.roots()),
        after_(problem_.roots()) {
    for (auto* vectors : {&k_[0], &k_[1], &k_[2], &k_[3], &k_[4], &k_[5], &k_[6]}) vectors->resize(n_);
    for (auto& vector : dense_) vector.resize(n_);
  }

  LargeResult run(double end) {
    LargeResult result;
    x_ = problem_.start();
    double t = 0;
    double h = 1e-3;
    bool fresh = true;
    while (t < end) {
      if (fresh) {
        problem_.field(t, x_.data(), k_[0].data());
        ++result.field_evaluations;
        for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = problem_.root(t, x_.data(), i);
        fresh = false;
      }
      h = std::min(h, end - t);
      const double error = attempt(t, h);
      result.field_evaluations += 6;
      const double factor = 0.9 * std::pow(std::max(error, 1e-6), -0.2);
      if (!(error <= 1)) {
        h *= std::isfinite(error) ? std::max(0.1, factor) : 0.1;
        continue;
      }
      ++result.steps;
      double event = 2;
      std::size_t root = 0;
      bool has_dense_output = false;
      for (std::size_t i = 0; i < before_.size(); ++i) {
        after_[i] = problem_.root(t + h, new_x_.data(), i);
        if (!(before_[i] > 0) || after_[i] > 0) continue;
        if (!has_dense_output) make_dense_output(h);
        has_dense_output = true;
        const double part = locate(t, h, i);
        if (part < event) {
          event = part;
          root = i;
        }
      }
      if (event > 1) {
        t = t + h < end ? t + h : end;
        x_.swap(new_x_);
        k_[0].swap(k_[6]);
        before_.swap(after_);
      } else {
        interpolate(event, x_);
        t += event * h;
        problem_.change(t, x_.data(), root);
        ++result.events;
        fresh = true;
      }
      h *= std::clamp(factor, 0.2, 10.0);
    }
    result.final = x_;
    return result;
  }

 private:
  using State = std::vector<double>;

  // The state within the step, of which a root may read a few entries only.
  struct Within {
    const std::array<State, 5>& dense;
    double part;
    double operator[](std::size_t i) const {
      const double rest = 1 - part;
      return dense[0][i] +
             part * (dense[1][i] + rest * (dense[2][i] + part * (dense[3][i] + rest * dense[4][i])));
    }
  };

  double attempt(double t, double h) {
    const double* const x = x_.data();
    double* const y = new_x_.data();
    const double* const k0 = k_[0].data();
    const double* const k1 = k_[1].data();
    const double* const k2 = k_[2].data();
    const double* const k3 = k_[3].data();
    const double* const k4 = k_[4].data();
    const double* const k5 = k_[5].data();
    const double* const k6 = k_[6].data();
    for (std::size_t i = 0; i < n_; ++i) y[i] = x[i] + h * (k0[i] / 5);
    problem_.field(t + 0.2 * h, y, k_[1].data());
    for (std::size_t i = 0; i < n_; ++i) y[i] = x[i] + h * (3.0 / 40 * k0[i] + 9.0 / 40 * k1[i]);
    problem_.field(t + 0.3 * h, y, k_[2].data());
    for (std::size_t i = 0; i < n_; ++i)
      y[i] = x[i] + h * (44.0 / 45 * k0[i] - 56.0 / 15 * k1[i] + 32.0 / 9 * k2[i]);
    problem_.field(t + 0.8 * h, y, k_[3].data());
    for (std::size_t i = 0; i < n_; ++i)
      y[i] = x[i] + h * (19372.0 / 6561 * k0[i] - 25360.0 / 2187 * k1[i] + 64448.0 / 6561 * k2[i] -
                         212.0 / 729 * k3[i]);
    problem_.field(t + 8.0 / 9 * h, y, k_[4].data());
    for (std::size_t i = 0; i < n_; ++i)
      y[i] = x[i] + h * (9017.0 / 3168 * k0[i] - 355.0 / 33 * k1[i] + 46732.0 / 5247 * k2[i] +
                         49.0 / 176 * k3[i] - 5103.0 / 18656 * k4[i]);
    problem_.field(t + h, y, k_[5].data());
    for (std::size_t i = 0; i < n_; ++i)
      y[i] = x[i] + h * (35.0 / 384 * k0[i] + 500.0 / 1113 * k2[i] + 125.0 / 192 * k3[i] -
                         2187.0 / 6784 * k4[i] + 11.0 / 84 * k5[i]);
    problem_.field(t + h, y, k_[6].data());
    double square = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double sum = 71.0 / 57600 * k0[i] - 71.0 / 16695 * k2[i] + 71.0 / 1920 * k3[i] -
                         17253.0 / 339200 * k4[i] + 22.0 / 525 * k5[i] - 1.0 / 40 * k6[i];
      const double part = h * sum / (atol_ + rtol_ * std::abs(x[i]));
      square += part * part;
    }
    return std::sqrt(square / static_cast<double>(n_));
  }

  // Hairer's contd5.
  void make_dense_output(double h) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double difference = new_x_[i] - x_[i];
      const double slope = h * k_[0][i] - difference;
      dense_[0][i] = x_[i];
      dense_[1][i] = difference;
      dense_[2][i] = slope;
      dense_[3][i] = difference - h * k_[6][i] - slope;
      dense_[4][i] = h * (-12715105075.0 / 11282082432 * k_[0][i] + 87487479700.0 / 32700410799 * k_[2][i] -
                          10690763975.0 / 1880347072 * k_[3][i] + 701980252875.0 / 199316789632 * k_[4][i] -
                          1453857185.0 / 822651844 * k_[5][i] + 69997945.0 / 29380423 * k_[6][i]);
    }
  }

  void interpolate(double part, State& x) const {
    const Within within{dense_, part};
    for (std::size_t i = 0; i < n_; ++i) x[i] = within[i];
  }

  // Regula falsi of the Illinois kind, to rounding.
  double locate(double t, double h, std::size_t root) {
    double left = 0;
    double right = 1;
    double at_left = before_[root];
    double at_right = after_[root];
    int side = 0;
    while (right - left > 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, t / h)) {
      const double part = (at_left * right - at_right * left) / (at_left - at_right);
      const double g = problem_.root(t + part * h, Within{dense_, part}, root);
      if (g == 0) return part;
      if (g < 0) {
        if (right == part) return part;
        right = part;
        at_right = g;
        if (side == -1) at_left /= 2;
        side = -1;
      } else {
        if (left == part) return part;
        left = part;
        at_left = g;
        if (side == 1) at_right /= 2;
        side = 1;
      }
    }
    return right;
  }

  Problem problem_;
  std::size_t n_;
  double rtol_, atol_;
  State x_, new_x_;
  std::array<State, 7> k_;
  std::array<State, 5> dense_;
  State before_, after_;
};

}  // namespace slideway::benchmarks
