// A program for bodies with friction between them that shares nothing with the library: which friction slips which way and which sticks is
// a list of its own, decided by trying every list, and its equations are solved by elimination and integrated by Runge and Kutta's
// rule of fourth order with small steps. Bodies have speeds w, frictions relative speeds B·w:
//     J w' = T(t, x, w) − Bᵀ F,     F = ±slip(k, t, v) while it slips, |F| <= most(k, t) with B·w' = 0 while it sticks
// and x' = w is carried along.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace slideway::test {

struct FrictionBodies {
  std::vector<double> inertia;
  std::vector<std::vector<double>> between;  // B, a row per friction
  std::function<std::vector<double>(double t, const std::vector<double>& x, const std::vector<double>& w)>
      load;
  std::function<double(std::size_t k, double t, double speed)> slip;
  std::function<double(std::size_t k, double t)> most;
  std::vector<double> breaks = {};  // times at which forces jump
};

struct ModeChange {
  double t = 0;
  std::string word;
};

class ExplicitModes {
 public:
  ExplicitModes(FrictionBodies bodies, std::vector<double> x, std::vector<double> w)
      : bodies_(std::move(bodies)), x_(std::move(x)), w_(std::move(w)) {
    signs_.assign(bodies_.between.size(), 0);
  }

  // The modes from the start on, one per change and per time of `breaks`.
  std::vector<ModeChange> run(double end, double step) {
    decide();
    std::vector<ModeChange> changes = {{t_, word()}};
    std::vector<double> stops = bodies_.breaks;
    stops.push_back(end);
    for (const double stop : stops) {
      // Forces that jump at the stop are those of before.
      limit_ = std::nextafter(stop, 0.0);
      while (t_ < stop) {
        const double h = std::min(step, stop - t_);
        const bool is_last = h == stop - t_;
        const State before = {t_, x_, w_};
        advance(before, h);
        if (!leaves()) {
          if (is_last) t_ = stop;
          continue;
        }
        double low = 0, high = h;
        for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
          const double middle = 0.5 * (low + high);
          advance(before, middle);
          (leaves() ? high : low) = middle;
        }
        advance(before, high);
        decide();
        changes.push_back({t_, word()});
      }
      limit_ = stop + 1;
      decide();
      if (stop < end) changes.push_back({t_, word()});
    }
    return changes;
  }

  const std::vector<double>& speeds() const { return w_; }
  const std::vector<double>& places() const { return x_; }

 private:
  struct State {
    double t;
    std::vector<double> x, w;
  };
  // Frictions slower than this may stick.
  static constexpr double kAtRest = 1e-9;

  std::string word() const {
    std::string text;
    for (const int sign : signs_) text += sign > 0 ? '+' : sign < 0 ? '-' : '0';
    return text;
  }

  double speed(std::size_t k, const std::vector<double>& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) sum += bodies_.between[k][i] * w[i];
    return sum;
  }

  // The accelerations, and the forces of all frictions.
  void accelerations(double t, const std::vector<double>& x, const std::vector<double>& w,
                     std::vector<double>& dw, std::vector<double>& forces) const {
    const std::size_t n = w.size();
    std::vector<double> torque = bodies_.load(t, x, w);
    forces.assign(signs_.size(), 0);
    std::vector<std::size_t> stuck;
    for (std::size_t k = 0; k < signs_.size(); ++k) {
      if (signs_[k] == 0) {
        stuck.push_back(k);
        continue;
      }
      forces[k] = signs_[k] * bodies_.slip(k, t, speed(k, w));
      for (std::size_t i = 0; i < n; ++i) torque[i] -= bodies_.between[k][i] * forces[k];
    }
    // B J⁻¹ Bᵀ F = B J⁻¹ T over those that stick.
    const std::size_t m = stuck.size();
    std::vector<std::vector<double>> a(m, std::vector<double>(m + 1, 0.0));
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        const double b = bodies_.between[stuck[r]][i] / bodies_.inertia[i];
        a[r][m] += b * torque[i];
        for (std::size_t c = 0; c < m; ++c) a[r][c] += b * bodies_.between[stuck[c]][i];
      }
    }
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t below = r + 1; below < m; ++below) {
        const double factor = a[below][r] / a[r][r];
        for (std::size_t c = r; c <= m; ++c) a[below][c] -= factor * a[r][c];
      }
    }
    for (std::size_t r = m; r-- > 0;) {
      double sum = a[r][m];
      for (std::size_t c = r + 1; c < m; ++c) sum -= a[r][c] * forces[stuck[c]];
      forces[stuck[r]] = sum / a[r][r];
    }
    for (const std::size_t k : stuck)
      for (std::size_t i = 0; i < n; ++i) torque[i] -= bodies_.between[k][i] * forces[k];
    dw.resize(n);
    for (std::size_t i = 0; i < n; ++i) dw[i] = torque[i] / bodies_.inertia[i];
  }

  void advance(const State& from, double h) {
    const std::size_t n = from.w.size();
    std::vector<double> k[4], v[4], forces, x = from.x, w = from.w;
    for (int stage = 0; stage < 4; ++stage) {
      const double part = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
      for (std::size_t i = 0; stage > 0 && i < n; ++i) {
        x[i] = from.x[i] + part * v[stage - 1][i];
        w[i] = from.w[i] + part * k[stage - 1][i];
      }
      v[stage] = w;
      accelerations(std::min(from.t + part, limit_), x, w, k[stage], forces);
    }
    t_ = from.t + h;
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = from.x[i] + h / 6 * (v[0][i] + 2 * v[1][i] + 2 * v[2][i] + v[3][i]);
      w_[i] = from.w[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
  }

  // Whether what the mode says does not hold any more.
  bool leaves() const {
    std::vector<double> dw, forces;
    accelerations(std::min(t_, limit_), x_, w_, dw, forces);
    for (std::size_t k = 0; k < signs_.size(); ++k) {
      if (signs_[k] == 0 ? std::abs(forces[k]) > bodies_.most(k, std::min(t_, limit_))
                         : signs_[k] * speed(k, w_) < 0)
        return true;
    }
    return false;
  }

  // Among all modes that hold, the one in which most of them stick.
  void decide() {
    std::vector<int> best;
    int most_stuck = -1;
    const std::size_t count = signs_.size();
    std::size_t all = 1;
    for (std::size_t k = 0; k < count; ++k) all *= 3;
    const std::vector<int> now = signs_;
    for (std::size_t number = 0; number < all; ++number) {
      std::size_t rest = number;
      bool holds = true;
      int stuck = 0;
      for (std::size_t k = 0; k < count; ++k) {
        signs_[k] = static_cast<int>(rest % 3) - 1;
        rest /= 3;
        const double v = speed(k, w_);
        if (std::abs(v) > kAtRest) holds = holds && signs_[k] == (v > 0 ? 1 : -1);
        stuck += signs_[k] == 0 ? 1 : 0;
      }
      if (!holds) continue;
      std::vector<double> dw, forces;
      accelerations(t_, x_, w_, dw, forces);
      for (std::size_t k = 0; k < count && holds; ++k) {
        if (std::abs(speed(k, w_)) > kAtRest) continue;
        // Without friction there is nothing that sticks.
        const double most = bodies_.most(k, t_);
        if (signs_[k] == 0) holds = std::abs(forces[k]) <= most && most > 0;
        if (signs_[k] != 0)
          holds = signs_[k] * speed(k, dw) > 0 || (most == 0 && speed(k, dw) == 0 && signs_[k] > 0);
      }
      if (!holds || stuck <= most_stuck) continue;
      most_stuck = stuck;
      best = signs_;
    }
    if (best.empty()) throw std::runtime_error("no mode holds at t = " + std::to_string(t_));
    signs_ = best;
  }

  FrictionBodies bodies_;
  double t_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();
  std::vector<double> x_, w_;
  std::vector<int> signs_;
};

}  // namespace slideway::test
