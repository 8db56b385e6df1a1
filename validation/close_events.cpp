// Events that are close together, or that hide: a touch, a dip through the surface and out again within one step, guards
// that depend on time only while nothing moves, a guard with a large transient, an isolated pulse.
// In all of them one state adds up λ, so its final value says which crossings were found.
#include <cmath>
#include <numbers>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// h = (t−1)² − depth.
struct Parabola {
  double depth;
  void guards(auto t, const auto&, auto&& h) const { h[0] = (t - 1.0) * (t - 1.0) - depth; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0]; }
};

// The same with a state that has to be integrated: h = x1 = (t−1)² − depth.
struct FallingParabola {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = 2.0 * (t - 1.0);
    dx[1] = lambda[0];
  }
};

// The peaks of x1 = sin t reach above `level` for a short while.
struct Peaks {
  double level;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - level; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0];
    dx[2] = lambda[0];
  }
};

// A guard whose transient is a thousand times what it decays to.
struct Transient {
  void guards(auto t, const auto&, auto&& h) const {
    using std::cos;
    using std::exp;
    h[0] = 1000.0 * exp(-t) + cos(t) + 0.5;
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0]; }
};

// Positive only within 0.01·√ln 2 of t = 5.
struct Pulse {
  void guards(auto t, const auto&, auto&& h) const {
    using std::exp;
    const auto s = (t - 5.0) / 0.01;
    h[0] = exp(-s * s) - 0.5;
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = lambda[0]; }
};

// λ added up: the words from modes[0] on hold between the times.
double sum_of_lambda(const std::vector<double>& times, double first, double end) {
  double sum = 0;
  double t = 0;
  double lambda = first;
  for (const double next : times) {
    sum += lambda * (next - t);
    t = next;
    lambda = -lambda;
  }
  return sum + lambda * (end - t);
}

Reference crossings(const std::vector<double>& times, const std::string& first, const std::string& second) {
  return {.modes = alternating(first, second, times.size() + 1), .times = times};
}

Case parabola(const std::string& id, const std::string& title, double depth,
              const std::vector<double>& times) {
  Reference reference = crossings(times, "+", "-");
  reference.final = {sum_of_lambda(times, 1, 2)};
  return {.id = id,
          .title = title,
          .source = "closed form: (t-1)^2 = depth",
          .system = from_functor(Parabola{depth}, {.states = 1, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Vector::Zero(1)},
          .reference = std::move(reference)};
}

Case falling_parabola() {
  const std::vector<double> times = {1 - 1e-3, 1 + 1e-3};
  Reference reference = crossings(times, "+", "-");
  reference.final = {1 - 1e-6, sum_of_lambda(times, 1, 2)};
  return {.id = "dip",
          .title = "A dip of 1e-6 through the surface and out again",
          .source = "closed form: x1 = (t-1)^2 - 1e-6",
          .system = from_functor(FallingParabola{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d{1 - 1e-6, 0}},
          .reference = std::move(reference),
          .rtol_from = 1e-8,
          .condition = 500};
}

Case peaks() {
  constexpr double level = 0.9999;
  std::vector<double> times;
  for (int k = 0; k < 2; ++k) {
    times.push_back(std::asin(level) + 2 * pi * k);
    times.push_back(pi - std::asin(level) + 2 * pi * k);
  }
  Reference reference = crossings(times, "-", "+");
  reference.final = {std::sin(10.0), std::cos(10.0), sum_of_lambda(times, -1, 10)};
  return {.id = "peaks",
          .title = "The tips of a sine reach through the surface",
          .source = "closed form: sin t = 0.9999",
          .system = from_functor(Peaks{level}, {.states = 3, .surfaces = 1}),
          .run = {.start = 0, .end = 10, .state = Eigen::Vector3d{0, 1, 0}},
          .reference = std::move(reference),
          .rtol_from = 1e-6,
          // Four crossing times, each with a change of 2 in the velocity of x3.
          .condition = 8 / std::cos(std::asin(level))};
}

Case transient() {
  constexpr double end = 200;
  const auto root_near = [](double t) {
    for (int k = 0; k < 50; ++k) {
      t -= (1000 * std::exp(-t) + std::cos(t) + 0.5) / (-1000 * std::exp(-t) - std::sin(t));
    }
    return t;
  };
  std::vector<double> times;
  for (int k = 1; (2 * k + 1) * pi < end; ++k) {
    times.push_back(root_near(2 * pi * k + 2 * pi / 3 + (k == 1 ? 0.3 : 0)));
    times.push_back(root_near(2 * pi * k + 4 * pi / 3));
  }
  Reference reference = crossings(times, "+", "-");
  reference.final = {sum_of_lambda(times, 1, end)};
  return {.id = "transient",
          .title = "62 crossings of a guard whose transient is a thousand times larger",
          .source = "roots of 1000 exp(-t) + cos t + 0.5 by Newton's method",
          .system = from_functor(Transient{}, {.states = 1, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Vector::Zero(1)},
          .reference = std::move(reference)};
}

Case pulse() {
  const double half_width = 0.01 * std::sqrt(std::numbers::ln2);
  const std::vector<double> times = {5 - half_width, 5 + half_width};
  Reference reference = crossings(times, "-", "+");
  reference.final = {sum_of_lambda(times, -1, 10)};
  return {.id = "pulse",
          .title = "One pulse of width 0.017 in 10, resolved by max_step",
          .source = "closed form",
          .system = from_functor(Pulse{}, {.states = 1, .surfaces = 1}),
          .run = {.start = 0, .end = 10, .state = Vector::Zero(1)},
          .reference = std::move(reference),
          .max_step = 0.005};
}

}  // namespace

std::vector<Case> close_event_cases() {
  return {parabola("touch", "A touch without crossing", 0, {}),
          parabola("two_crossings", "Two crossings 2e-5 apart while nothing else happens", 1e-10,
                   {1 - 1e-5, 1 + 1e-5}),
          falling_parabola(),
          peaks(),
          transient(),
          pulse()};
}

}  // namespace slideway::validation
