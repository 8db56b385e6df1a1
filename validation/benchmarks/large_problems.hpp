// The friction chain and the heat rod as an expert would write them: a mode per block or relay, its field written out, and
// root functions that are positive while the modes last.
//
// A problem has
//     std::size_t states() const, roots() const;
//     void field(double t, const double* x, double* dx) const;
//     double root(double t, const auto& x, std::size_t i) const;      positive while mode i lasts; x is whatever has x[j]
//     bool change(double t, double* x, std::size_t i);                at its zero; may correct x; false if nothing changes
// and, if it is stiff, the entries of its Jacobian by compressed columns; jacobian_at() where they depend on the state.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slideway::benchmarks {

// The results and the effort of a hand-written program.
struct LargeResult {
  std::vector<double> final = {};
  std::int64_t events = 0;
  std::int64_t steps = 0;
  std::int64_t field_evaluations = 0;
};

// Blocks on a belt, coupled by springs; see models/friction_chain.hpp.
class HandWrittenChain {
 public:
  explicit HandWrittenChain(std::size_t blocks) : blocks_(blocks), mode_(blocks, -1) {}

  std::size_t states() const { return 2 * blocks_; }
  std::size_t roots() const { return blocks_; }
  std::vector<double> start() const {
    std::vector<double> x(2 * blocks_, 0);
    for (std::size_t i = 0; i < blocks_; ++i) {
      const auto place = static_cast<double>(i + 1);
      x[i] = 1.5 * std::sin(2.1 * place) + 0.4 * std::cos(0.37 * place);
    }
    return x;
  }
  void field(double /*t*/, const double* x, double* dx) const {
    for (std::size_t i = 0; i < blocks_; ++i) {
      dx[i] = mode_[i] == 0 ? kBelt : x[blocks_ + i];
      dx[blocks_ + i] = mode_[i] == 0 ? 0 : force(x, i) - kFriction * mode_[i];
    }
  }
  double root(double /*t*/, const auto& x, std::size_t i) const {
    return mode_[i] == 0 ? kFriction - std::abs(force(x, i)) : mode_[i] * (x[blocks_ + i] - kBelt);
  }
  // `-`, `0` or `+`, as a mode word has it.
  char mode(std::size_t i) const { return "-0+"[mode_[i] + 1]; }
  bool change(double /*t*/, double* x, std::size_t i) {
    const double f = force(x, i);
    if (mode_[i] == 0) {
      mode_[i] = f > 0 ? 1 : -1;
    } else {
      x[blocks_ + i] = kBelt;
      mode_[i] = f > kFriction ? 1 : f < -kFriction ? -1 : 0;
    }
    return true;
  }

 private:
  double force(const auto& x, std::size_t i) const {
    double sum = -2.1 * x[i];
    if (i > 0) sum += x[i - 1];
    if (i + 1 < blocks_) sum += x[i + 1];
    return sum;
  }

  static constexpr double kFriction = 0.3;
  static constexpr double kBelt = 0.1;
  std::size_t blocks_;
  std::vector<signed char> mode_;
};

// The same chain with the jump of friction smoothed, mu·tanh((v − vb)/width), as it is done where a solver knows no events.
class SmoothedChain {
 public:
  SmoothedChain(std::size_t blocks, double width) : blocks_(blocks), width_(width) {}

  std::size_t states() const { return 2 * blocks_; }
  std::size_t roots() const { return 0; }
  double root(double /*t*/, const auto& /*x*/, std::size_t /*i*/) const { return 1; }
  bool change(double /*t*/, double* /*x*/, std::size_t /*i*/) { return false; }
  std::vector<double> start() const { return HandWrittenChain(blocks_).start(); }
  void field(double /*t*/, const double* x, double* dx) const {
    for (std::size_t i = 0; i < blocks_; ++i) {
      dx[i] = x[blocks_ + i];
      double sum = -2.1 * x[i] - 0.3 * std::tanh((x[blocks_ + i] - 0.1) / width_);
      if (i > 0) sum += x[i - 1];
      if (i + 1 < blocks_) sum += x[i + 1];
      dx[blocks_ + i] = sum;
    }
  }
  std::size_t nonzeros() const { return 5 * blocks_ - 2; }
  template <class Integer>
  void jacobian_at(const double* x, Integer* start, Integer* row, double* value) const {
    Integer entry = 0;
    const auto add = [&](std::size_t i, double number) {
      row[entry] = static_cast<Integer>(i);
      value[entry++] = number;
    };
    for (std::size_t j = 0; j < blocks_; ++j) {
      start[j] = entry;
      if (j > 0) add(blocks_ + j - 1, 1);
      add(blocks_ + j, -2.1);
      if (j + 1 < blocks_) add(blocks_ + j + 1, 1);
    }
    for (std::size_t j = 0; j < blocks_; ++j) {
      start[blocks_ + j] = entry;
      add(j, 1);
      const double cosine = std::cosh(std::min(300.0, std::abs((x[blocks_ + j] - 0.1) / width_)));
      add(blocks_ + j, -0.3 / (width_ * cosine * cosine));
    }
    start[2 * blocks_] = entry;
  }

 private:
  std::size_t blocks_;
  double width_;
};

// A rod that a relay heats; see models/heat_rod.hpp. While it slides the heat flow is the one that keeps the mean.
class HandWrittenRod {
 public:
  explicit HandWrittenRod(std::size_t cells) : cells_(cells), scale_(static_cast<double>(cells)) {}

  std::size_t states() const { return cells_; }
  std::size_t roots() const { return 1; }
  std::vector<double> start() const { return std::vector<double>(cells_, 0); }
  void field(double t, const double* u, double* du) const {
    const double square = scale_ * scale_;
    const std::size_t last = cells_ - 1;
    du[0] = (u[1] - u[0]) * square + flow(t, u) * scale_;
    for (std::size_t i = 1; i < last; ++i) du[i] = (u[i - 1] - 2 * u[i] + u[i + 1]) * square;
    du[last] = (u[last - 1] - u[last]) * square + 2 * (std::sin(2 * t) - u[last]) * square;
  }
  double root(double t, const auto& u, std::size_t /*i*/) const {
    return mode_ == 0 ? kPower - std::abs(balance(t, u)) : mode_ * (mean(u) - kReference);
  }
  bool change(double t, double* u, std::size_t /*i*/) {
    const double q = balance(t, u);
    mode_ = q > kPower ? -1 : q < -kPower ? 1 : 0;
    return true;
  }
  std::size_t nonzeros() const { return 3 * cells_ - 2 + (mode_ == 0 ? 1 : 0); }
  // ∂f/∂u, ascending rows in every column.
  template <class Integer>
  void jacobian(Integer* start, Integer* row, double* value) const {
    const double square = scale_ * scale_;
    Integer entry = 0;
    const auto add = [&](std::size_t i, double number) {
      row[entry] = static_cast<Integer>(i);
      value[entry++] = number;
    };
    for (std::size_t j = 0; j < cells_; ++j) {
      start[j] = entry;
      const bool is_last = j + 1 == cells_;
      if (is_last && mode_ == 0 && cells_ > 2) add(0, 2 * square);
      if (j > 0) add(j - 1, square);
      add(j, j == 0 ? -square : is_last ? -3 * square : -2 * square);
      if (!is_last) add(j + 1, square);
    }
    start[cells_] = entry;
  }

 private:
  double mean(const auto& u) const {
    double sum = 0;
    for (std::size_t i = 0; i < cells_; ++i) sum += u[i];
    return sum / scale_;
  }
  double balance(double t, const auto& u) const { return -2 * scale_ * (std::sin(2 * t) - u[cells_ - 1]); }
  double flow(double t, const double* u) const { return mode_ == 0 ? balance(t, u) : -kPower * mode_; }

  static constexpr double kPower = 2;
  static constexpr double kReference = 0.5;
  std::size_t cells_;
  double scale_;
  int mode_ = -1;
};

}  // namespace slideway::benchmarks
