// Group A: one surface. Crossings, sliding on plane, curved and moving surfaces, folds, points where the solution is
// not unique. The numbers that have no short closed form are from reference/cases.json.
#include <cmath>
#include <numbers>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// x'' = −x − sgn(x): harmonic about −1 on the right, about +1 on the left.
struct RelayOscillator {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - lambda[0];
  }
};

// Entered at (0, 0), left at the visible fold (2, 0).
struct SlidingToFold {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(3.0, 1.0, lambda[0]);
    dx[1] = by_region(1.0, x[0] - 2.0, lambda[0]);
  }
};

// Both fields point away from x2 = 0.
struct Repelling {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = lambda[0];
    dx[1] = by_region(-2.0, 1.0 + x[0], lambda[0]);
  }
};

// A source inside the circle |x|² = 2, a uniform flow outside.
struct Circle {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] * x[0] + x[1] * x[1] - 2.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(x[0], 1.0, lambda[0]);
    dx[1] = by_region(x[1], -1.0, lambda[0]);
  }
};

// x' = x + e₃×x inside the unit sphere, x' = −2x + e₁×x outside; on it, a rotation about (1/3)e₁ + (2/3)e₃.
struct Sphere {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(x[0] - x[1], -2.0 * x[0], lambda[0]);
    dx[1] = by_region(x[1] + x[0], -2.0 * x[1] - x[2], lambda[0]);
    dx[2] = by_region(x[2], -2.0 * x[2] + x[1], lambda[0]);
  }
};

// The upper field is tangent to x2 = 0 at the origin and curves into it.
struct InvisibleFold {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(1.0, 2.0, lambda[0]);
    dx[1] = by_region(1.0, -x[0], lambda[0]);
  }
};

// The upper field touches x2 = 0 at the origin and curves away; the lower one pushes up.
struct VisibleFold {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 1.0;
    dx[1] = by_region(1.0, x[0], lambda[0]);
  }
};

// A parabola whose lowest point is at x1 = 1; what falls through x2 = 0 goes on falling.
struct NearGraze {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 1.0;
    dx[1] = by_region(-1.0, 2.0 * (x[0] - 1.0), lambda[0]);
  }
};

// Nothing moves outside 20 short windows of time.
struct PulseTrain {
  void guards(auto t, const auto&, auto&& h) const {
    using std::sin;
    h[0] = sin(50.0 * t) - 0.999;
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = 0.5 * (1.0 + lambda[0]); }
};

// Sliding towards the point (1, 0), where the sliding velocity vanishes.
struct PseudoEquilibrium {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(-1.0 - x[0], 2.0 - x[0], lambda[0]);
    dx[1] = by_region(1.0 + x[0] * x[0], -1.0, lambda[0]);
  }
};

// Teixeira's singularity: both fields are tangent to x1 = 0 at the origin.
struct TwoFold {
  double v = -2;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(x[2], -x[1], lambda[0]);
    dx[1] = by_region(v, 1.0, lambda[0]);
    dx[2] = by_region(1.0, v, lambda[0]);
  }
};

// The surface attracts for x1 < 0 and repels for x1 > 0.
struct VisibleTwoFold {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 1.0;
    dx[1] = lambda[0] * x[0];
  }
};

// x' = −sgn(x) + t.
struct Leaving {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const { dx[0] = t - lambda[0]; }
};

// One velocity on each side of x = 0.
struct TwoVelocities {
  double minus;
  double plus;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(minus, plus, lambda[0]);
  }
};

double relay_energy(double, ConstVectorRef x) { return 0.5 * (x(1) * x(1) + x(0) * x(0)) + std::abs(x(0)); }

// The crossings of RelayOscillator from (2, 0): odd multiples of a quarter of the period.
std::vector<double> relay_crossings(double end) {
  std::vector<double> times;
  for (int k = 1; k * std::acos(1.0 / 3) < end; k += 2) times.push_back(k * std::acos(1.0 / 3));
  return times;
}

Case relay_oscillator(const std::string& id, const std::string& title, double end,
                      std::vector<double> final) {
  const std::vector<double> times = relay_crossings(end);
  return {.id = id,
          .title = title,
          .source = "closed form: x1 = -1 + 3 cos t until cos t = 1/3",
          .system = from_functor(RelayOscillator{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector2d{2, 0}},
          .reference = {.modes = alternating("+", "-", times.size() + 1),
                        .times = times,
                        .final = std::move(final),
                        .invariants = {{"energy", relay_energy, 4}}}};
}

// The period grows with the amplitude a, T = 4 acos(1/(1+a)), so that an error ε per unit of time in a adds up to one
// of T'(a)·T·N²/2·ε in the time, after N periods, and three times that in x2.
Case relay_periods() {
  constexpr double periods = 50;
  const double period = 4 * std::acos(1.0 / 3);
  Case long_run = relay_oscillator("A01_long", "Crossings only, 50 periods", periods * period, {2, 0});
  const double growth = 4 / (9 * std::sqrt(1 - 1.0 / 9));
  long_run.condition = 3 * growth * period * periods * periods / 2;
  return long_run;
}

Case repelling(const std::string& id, Ambiguity policy, Reference reference) {
  return {.id = id,
          .title = "Start on a repelling part of the surface",
          .source = "closed form: (t, t + t^2/2), (-t, -2t), and sliding -x1 - 4 ln(1 - x1) = t",
          .system = from_functor(Repelling{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 1, .state = Eigen::Vector2d{0, 0}},
          .reference = std::move(reference),
          .on_ambiguity = policy};
}

std::vector<std::vector<double>> origin() { return {{0, 0}}; }

std::vector<Case> repelling_cases() {
  const auto forced = [](const std::string& mode, std::vector<double> final) {
    return Reference{.modes = {"", mode},
                     .times = {0},
                     .kinds = {EventKind::repelling},
                     .event_states = origin(),
                     .final = std::move(final)};
  };
  return {repelling("A03", Ambiguity::stop,
                    {.modes = {"", ""},
                     .times = {0},
                     .kinds = {EventKind::repelling},
                     .event_states = origin(),
                     .status = Status::ambiguous,
                     .final = {0, 0}}),
          repelling("A03_minus", Ambiguity::minus, forced("-", {-1, -2})),
          repelling("A03_plus", Ambiguity::plus, forced("+", {1, 1.5})),
          repelling("A03_slide", Ambiguity::slide, forced("0", {0.2724855232417625269510022, 0}))};
}

Case visible_fold(const std::string& id, double delta, Reference reference) {
  return {.id = id,
          .title = "Grazing at a visible fold, " + std::string(delta > 0   ? "1e-6 too deep"
                                                               : delta < 0 ? "1e-6 clear"
                                                                           : "exactly"),
          .source = "closed form: x2 = (t-1)^2/2 - delta, then sliding until t = 1",
          .system = from_functor(VisibleFold{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d{-1, 0.5 - delta}},
          .reference = std::move(reference),
          .rtol_from = 1e-8,
          .condition = delta > 0 ? 1 / std::sqrt(2 * delta) : 1};
}

Case near_graze(const std::string& id, double delta, double condition, Reference reference) {
  return {.id = id,
          .title = delta > 0 ? "Graze with a dip of 1e-9 through the surface" : "Near graze, clear by 1e-9",
          .source = "closed form: x2 = (t-1)^2 - delta, then falling with velocity -1",
          .system = from_functor(NearGraze{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d{0, 1 - delta}},
          .reference = std::move(reference),
          .rtol_from = 1e-10,
          .condition = condition};
}

Case visible_two_fold(const std::string& id, Ambiguity policy, Reference reference) {
  reference.times = {1};
  reference.kinds = {EventKind::two_fold};
  reference.event_states = origin();
  return {.id = id,
          .title = "A visible two-fold where sliding loses its attraction",
          .source = "closed form: sliding x1 = t - 1, branches x2 = +-(t-1)^2/2",
          .system = from_functor(VisibleTwoFold{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d{-1, 0}},
          .reference = std::move(reference),
          .on_ambiguity = policy};
}

Case two_velocities(const std::string& id, TwoVelocities field, double x0, double end, Reference reference) {
  return {.id = id,
          .title = "One velocity on each side of x = 0",
          .source = "closed form; Nurkanovic et al., nosnoc, switching cases",
          .system = from_functor(field, {.states = 1, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Vector::Constant(1, x0)},
          .reference = std::move(reference)};
}

std::vector<double> pulse_edges() {
  std::vector<double> times;
  const double edge = std::asin(0.999);
  for (int k = 0; k < 20; ++k) {
    times.push_back((edge + 2 * pi * k) / 50);
    times.push_back((pi - edge + 2 * pi * k) / 50);
  }
  return times;
}

}  // namespace

std::vector<Case> one_surface_cases() {
  std::vector<Case> cases;
  const auto add = [&cases](std::vector<Case> more) { cases.insert(cases.end(), more.begin(), more.end()); };

  add({relay_oscillator("A01", "Crossings only: x'' = -x - sgn(x)", 20,
                        {1.861856599885140517818065, -0.899875992397765179037301}),
       relay_periods()});

  add({{.id = "A02",
        .title = "Enter sliding, slide, leave at a visible fold",
        .source = "closed form: t - 1 = [-u/3 - (2/9) ln(3u - 2)] with u = 3 - x1 from 3, exit at u = 1",
        .system = from_functor(SlidingToFold{}, {.states = 2, .surfaces = 1}),
        .run = {.start = 0, .end = 4, .state = Eigen::Vector2d{-1, 2.5}},
        .reference = {.modes = {"+", "0", "+"},
                      .times = {1, 5.0 / 3 + 2.0 / 9 * std::log(7.0)},
                      .event_states = {{0, 0}, {2, 0}},
                      .final = {3.900908855765485932198811, 1.806727238963824499687633},
                      .checkpoints = {{2, {1.891135760352524543304497, 0}}}}}});

  add(repelling_cases());

  add({{.id = "A04",
        .title = "Sliding on the circle |x|^2 = 2",
        .source = "problem: Wolfram NDSolve documentation; closed form in polar coordinates",
        .system = from_functor(Circle{}, {.states = 2, .surfaces = 1}),
        .run = {.start = 0, .end = 10, .state = Eigen::Vector2d{-1, 0.1}},
        .reference = {.modes = {"-", "0", "+"},
                      .times = {0.3415984248533886132845084, 1.828629780832226282045155},
                      .event_states = {{-1.407195089460583712571379, 0.1407195089460583712571379}, {-1, -1}},
                      .final = {7.171370219167773717954845, -9.171370219167773717954845}}},
       {.id = "A05",
        .title = "Long sliding on the unit sphere is an exact rotation",
        .source = "closed form: Rodrigues rotation about (e1 + 2 e3)/3",
        .system = from_functor(Sphere{}, {.states = 3, .surfaces = 1}),
        .run = {.start = 0, .end = 100, .state = Eigen::Vector3d{0.3, 0.4, 0}},
        .reference = {.modes = {"-", "0"},
                      .times = {std::numbers::ln2},
                      .event_states = {{-0.04962568023252456497302833, 0.9987678868793585819526837, 0}},
                      .final = {0.8595072509495948176814483, 0.2337019767248924748564285,
                                -0.4545664655910596913272383}}},
       {.id = "A07",
        .title = "Start exactly at an invisible fold: sliding at once",
        .source = "closed form: x1 - ln(1 + x1/2) = t",
        .system = from_functor(InvisibleFold{}, {.states = 2, .surfaces = 1}),
        .run = {.start = 0, .end = 1, .state = Eigen::Vector2d{0, 0}},
        .reference = {.modes = {"0"}, .final = {1.583073876036690997680799, 0}}}});

  add({visible_fold("A08a", 0, {.modes = {"+"}, .final = {1, 0.5}}),
       visible_fold("A08b", 1e-6,
                    {.modes = {"+", "0", "+"}, .times = {1 - std::sqrt(2e-6), 1}, .final = {1, 0.5}}),
       visible_fold("A08c", -1e-6, {.modes = {"+"}, .final = {1, 0.500001}}),
       near_graze("A09", -1e-9, 1, {.modes = {"+"}, .final = {2, 1.000000001}}),
       near_graze(
           "A09b", 1e-9, 0.5 / std::sqrt(1e-9),
           {.modes = {"+", "-"}, .times = {1 - std::sqrt(1e-9)}, .final = {2, -1 - std::sqrt(1e-9)}})});

  add({{.id = "A11",
        .title = "40 crossings in narrow windows of time, nothing moves elsewhere",
        .source = "closed form: sin 50t = 0.999",
        .system = from_functor(PulseTrain{}, {.states = 1, .surfaces = 1}),
        .run = {.start = 0, .end = 0.8 * pi, .state = Vector::Zero(1)},
        .reference = {.modes = alternating("-", "+", 41),
                      .times = pulse_edges(),
                      .final = {20 * 2 * std::acos(0.999) / 50}}},
       {.id = "A12",
        .title = "Sliding converges to a pseudo-equilibrium",
        .source = "closed form: (1-x1)^3/(x1^2 - x1 + 1) = K exp(1 - t)",
        .system = from_functor(PseudoEquilibrium{}, {.states = 2, .surfaces = 1}),
        .run = {.start = 0, .end = 30, .state = Eigen::Vector2d{-2, 1}},
        .reference = {.modes = {"+", "0"},
                      .times = {1},
                      .event_states = {{2 - 4 / std::numbers::e, 0}},
                      .final = {0.9999671297463973329310234, 0},
                      .checkpoints = {{5, {0.868661541508245814295528, 0}},
                                      {10, {0.9743878674082050034025427, 0}}}}},
       {.id = "A13",
        .title = "A two-fold reached in finite time is reported",
        .source = "normal form: Colombo & Jeffrey; closed form: x2 + x3 = 1 - t, x2 - x3 = 0.2 (1-t)^3",
        .system = from_functor(TwoFold{}, {.states = 3, .surfaces = 1}),
        .run = {.start = 0, .end = 2, .state = Eigen::Vector3d{0, 0.6, 0.4}},
        .reference = {.modes = {"0", ""},
                      .times = {1},
                      .kinds = {EventKind::two_fold},
                      .event_states = {{0, 0, 0}},
                      .status = Status::ambiguous,
                      .final = {0, 0, 0},
                      .checkpoints = {{0.5, {0, 0.2625, 0.2375}}}}}});

  add({visible_two_fold("A14", Ambiguity::stop,
                        {.modes = {"0", ""}, .status = Status::ambiguous, .final = {0, 0}}),
       visible_two_fold("A14_plus", Ambiguity::plus, {.modes = {"0", "+"}, .final = {1, 0.5}}),
       visible_two_fold("A14_minus", Ambiguity::minus, {.modes = {"0", "-"}, .final = {1, -0.5}}),
       visible_two_fold("A14_slide", Ambiguity::slide, {.modes = {"0", "0"}, .final = {1, 0}})});

  add({{.id = "A15",
        .title = "Leaving a sliding mode because the field depends on time: x' = t - sgn(x)",
        .source = "closed form: x = (t-1)^2/2; Nurkanovic et al., nosnoc, switching cases",
        .system = from_functor(Leaving{}, {.states = 1, .surfaces = 1}),
        .run = {.start = 0, .end = 1.5, .state = Vector::Zero(1)},
        .reference = {.modes = {"0", "+"}, .times = {1}, .event_states = {{0}}, .final = {0.125}}},
       two_velocities("A15_crossing", {.minus = 2, .plus = 0.2}, -1, 1.5,
                      {.modes = {"-", "+"}, .times = {0.5}, .final = {0.2}}),
       two_velocities("A15_sliding", {.minus = 3, .plus = -1}, -1, pi / 4,
                      {.modes = {"-", "0"}, .times = {1.0 / 3}, .final = {0}}),
       two_velocities("A15_sliding2", {.minus = 1, .plus = -1}, -0.5, 1.5,
                      {.modes = {"-", "0"}, .times = {0.5}, .final = {0}})});
  return cases;
}

}  // namespace slideway::validation
