// Surfaces that move, bend, are kinks, are written in odd units or meet stiff fields.
#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// The surface x = t²/2 gets faster until the flow cannot follow.
struct Accelerating {
  void guards(auto t, const auto& x, auto&& h) const { h[0] = x[0] - 0.5 * t * t; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0]; }
};

// x' = −2 sgn(x − sin t) follows sin t.
struct Tracking {
  void guards(auto t, const auto& x, auto&& h) const {
    using std::sin;
    h[0] = x[0] - sin(t);
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = -2.0 * lambda[0];
    dx[1] = lambda[0];
  }
};

// A rotation on a circle whose radius is 1 + t/2.
struct GrowingCircle {
  void guards(auto t, const auto& x, auto&& h) const {
    const auto radius = 1.0 + 0.5 * t;
    h[0] = x[0] * x[0] + x[1] * x[1] - radius * radius;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -x[1] - lambda[0] * x[0];
    dx[1] = x[0] - lambda[0] * x[1];
  }
};

// A spring that is four times stiffer on the left: the field is continuous, its derivative is not.
struct KinkedSpring {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -by_region(4.0, 1.0, lambda[0]) * x[0];
  }
};

// x' = −|x|.
struct Decay {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0] * x[0]; }
};

// The sliding problem A02 with the guard multiplied by a unit.
struct GuardInUnits {
  double unit;
  void guards(auto, const auto& x, auto&& h) const { h[0] = unit * x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(3.0, 1.0, lambda[0]);
    dx[1] = by_region(1.0, x[0] - 2.0, lambda[0]);
  }
};

// Slides on x1 = 0 with λ = x2/2, while x2 is drawn to cos t at a rate of 1000.
struct Stiff {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1] - 2.0 * lambda[0];
    dx[1] = -1000.0 * (x[1] - cos(t));
    dx[2] = lambda[0];
  }
};

// The relay oscillator x'' = −x − sgn(x), backwards.
struct RelayBackwards {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -x[1];
    dx[1] = x[0] + lambda[0];
  }
};

// Two surfaces, met one after the other: x2 is crossed first and changes the way x1 goes, which then slides.
struct OneAfterTheOther {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = -2.0 * lambda[0] + 0.5 * (1.0 - lambda[1]);
    dx[1] = by_region(1.0, 0.5, lambda[1]);
    dx[2] = lambda[0] + 10.0 * lambda[1];
  }
};

// x1 slides while x2 crosses its own surface, which changes λ₁ from 0 to 1/2.
struct CrossesWhileSliding {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = -lambda[0] + 0.25 * (1.0 + lambda[1]);
    dx[1] = by_region(1.0, 0.5, lambda[1]);
    dx[2] = lambda[0];
  }
};

// A02's motion, scaled in nothing but the guard.
Case guard_in_units(const std::string& id, double unit) {
  return {.id = id,
          .title = "A guard in other units leaves the solution alone",
          .source = "closed form, as A02",
          .system = from_functor(GuardInUnits{unit}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 4, .state = Eigen::Vector2d{-1, 2.5}},
          .reference = {.modes = {"+", "0", "+"},
                        .times = {1, 5.0 / 3 + 2.0 / 9 * std::log(7.0)},
                        .event_states = {{0, 0}, {2, 0}},
                        .final = {3.900908855765485932198811, 1.806727238963824499687633}}};
}

Case stiff() {
  constexpr double rate = 1000;
  constexpr double end = 10;
  // x2 = (r² cos t + r sin t)/(r² + 1) + c exp(−r t), from x2(0) = 0.
  const double size = rate * rate + 1;
  const double transient = -rate * rate / size;
  const double x2 = (rate * rate * std::cos(end) + rate * std::sin(end)) / size;
  const double integral =
      (rate * rate * std::sin(end) + rate * (1 - std::cos(end))) / size + transient / rate;
  return {.id = "stiff_sliding",
          .title = "Sliding with a stiff field along the surface",
          .source = "closed form: linear equations",
          .system = from_functor(Stiff{}, {.states = 3, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector3d{0, 0, 0}},
          .reference = {.modes = {"0"}, .final = {0, x2, 0.5 * integral}}};
}

Case relay_backwards() {
  Reference reference{.final = {2, 0}};
  for (int k = 15; k > 0; k -= 2) reference.times.push_back(20 - k * std::acos(1.0 / 3));
  reference.modes = alternating("+", "-", reference.times.size() + 1);
  return {.id = "relay_backwards",
          .title = "The relay oscillator, run backwards to where it started",
          .source = "closed form, as A01",
          .system = from_functor(RelayBackwards{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0,
                  .end = 20,
                  .state = Eigen::Vector2d{1.861856599885140517818065, -0.899875992397765179037301}},
          .reference = std::move(reference)};
}

}  // namespace

std::vector<Case> special_surface_cases() {
  return {{.id = "accelerating_surface",
           .title = "A moving surface that the flow follows until t = 1",
           .source = "closed form: 1 - t = t^2/2, x = t^2/2, x = t - 1/2",
           .system = from_functor(Accelerating{}, {.states = 1, .surfaces = 1}),
           .run = {.start = 0, .end = 2, .state = Vector::Constant(1, 1)},
           .reference = {.modes = {"+", "0", "-"},
                         .times = {std::sqrt(3.0) - 1, 1},
                         .event_states = {{2 - std::sqrt(3.0)}, {0.5}},
                         .final = {1.5}}},
          {.id = "tracking",
           .title = "Sliding along a moving surface, x = sin t",
           .source = "closed form: lambda = -cos(t)/2",
           .system = from_functor(Tracking{}, {.states = 2, .surfaces = 1}),
           .run = {.start = 0, .end = 20, .state = Eigen::Vector2d{0, 0}},
           .reference = {.modes = {"0"},
                         .final = {std::sin(20.0), -0.5 * std::sin(20.0)},
                         .checkpoints = {{7.3, {std::sin(7.3), -0.5 * std::sin(7.3)}}}}},
          {.id = "growing_circle",
           .title = "Start on a circle that grows, sliding round it",
           .source = "closed form: radius 1 + t/2, angle t",
           .system = from_functor(GrowingCircle{}, {.states = 2, .surfaces = 1}),
           .run = {.start = 0, .end = 10, .state = Eigen::Vector2d{1, 0}},
           .reference = {.modes = {"0"}, .final = {6 * std::cos(10.0), 6 * std::sin(10.0)}}},
          {.id = "kinked_spring",
           .title = "Crossing a kink: the field is continuous there",
           .source = "closed form: half periods pi and pi/2",
           .system = from_functor(KinkedSpring{}, {.states = 2, .surfaces = 1}),
           .run = {.start = 0, .end = 10, .state = Eigen::Vector2d{0, 1}},
           .reference = {.modes = {"+", "-", "+", "-", "+"},
                         .times = {pi, 1.5 * pi, 2.5 * pi, 3 * pi},
                         .final = {std::sin(10 - 3 * pi), std::cos(10 - 3 * pi)}}},
          {.id = "rest_on_kink",
           .title = "h is identically 0: at rest on a kink",
           .source = "closed form: x = 0",
           .system = from_functor(Decay{}, {.states = 1, .surfaces = 1}),
           .run = {.start = 0, .end = 10, .state = Vector::Zero(1)},
           .reference = {.final = {0}}},
          guard_in_units("guard_small_unit", 1e-9),
          guard_in_units("guard_large_unit", 1e9),
          stiff(),
          relay_backwards(),
          {.id = "one_after_the_other",
           .title = "Two surfaces: the second is crossed, then the first is slid along",
           .source = "closed form: piecewise linear",
           .system = from_functor(OneAfterTheOther{}, {.states = 3, .surfaces = 2}),
           .run = {.start = 0, .end = 4, .state = Eigen::Vector3d{3, -1, 0}},
           .reference = {.modes = {"+-", "++", "0+"},
                         .times = {1, 2},
                         .event_states = {{2, 0, -9}, {0, 0.5, 2}},
                         .final = {0, 1.5, 22}}},
          {.id = "crossing_while_sliding",
           .title = "A surface is crossed while the solution slides along another",
           .source = "closed form: piecewise linear",
           .system = from_functor(CrossesWhileSliding{}, {.states = 3, .surfaces = 2}),
           .run = {.start = 0, .end = 3, .state = Eigen::Vector3d{1, -2, 0}},
           .reference = {.modes = {"+-", "0-", "0+"},
                         .times = {1, 2},
                         .event_states = {{0, -1, 1}, {0, 0, 1}},
                         .final = {0, 0.5, 1.5}}}};
}

}  // namespace slideway::validation
