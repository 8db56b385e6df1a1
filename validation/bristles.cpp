// Groups B09 and B10: laws of friction with a state of their own. Dahl's force F and LuGre's F = σ₀z are the states.
#include <cmath>

#include "models/friction.hpp"
#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

using models::friction::Dahl;
using models::friction::LuGre;

// A Dahl contact moved by x = sin t.
struct DahlLoop {
  Dahl law;
  void guards(auto t, const auto& x, auto&& h) const {
    using std::cos;
    h[0] = cos(t) + 0.0 * x[0];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = law.rate(cos(t), lambda[0], x[0]);
  }
};

LuGre canudas() {
  LuGre law;
  law.Fc = 1;
  law.Fs = 1.5;
  law.vs = 0.001;
  law.sigma0 = 1e5;
  law.sigma1 = std::sqrt(1e5);
  law.sigma2 = 0.4;
  return law;
}

// Bristles at a constant velocity; the state is σ₀z.
struct SteadyBristles {
  LuGre law = canudas();
  double v = 5e-4;
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = law.sigma0 * law.rate(v, 1.0, x[0] / law.sigma0);
  }
};

// A block of unit mass pulled by a spring; states x, v, σ₀z.
struct PulledBristles {
  LuGre law = canudas();
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    const auto z = x[2] / law.sigma0;
    dx[0] = x[1];
    dx[1] = 2.0 * (0.1 * t - x[0]) - law.force(x[1], lambda[0], z);
    dx[2] = law.sigma0 * law.rate(x[1], lambda[0], z);
  }
};

// LuGre's contact moved slowly, so that its bristles bend to Fs, and fast for a moment, when they let go to Fc: twice.
// States: σ₀z and the work W.
constexpr double kSlow = 0.02;
constexpr double kFast = 20;
constexpr double kSlowTime = 20;
constexpr double kFastTime = 0.01;

struct LuGreCycle {
  LuGre law;
  void guards(auto t, const auto& x, auto&& h) const {
    for (int k = 0; k < 3; ++k) h[k] = t - change(k) + 0.0 * x[0];
  }
  static double change(int k) { return (k / 2 + 1) * kSlowTime + (k + 1) / 2 * kFastTime; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    // Fast between the first change and the second, and after the third.
    const auto fast = 0.5 * (1.0 + lambda[0] - lambda[1] + lambda[2]);
    const auto blend = [&](auto slow, auto quick) { return slow + fast * (quick - slow); };
    const auto z = x[0] / law.sigma0;
    dx[0] = law.sigma0 * blend(law.rate(kSlow, 1.0, z), law.rate(kFast, 1.0, z));
    dx[1] = blend(kSlow * law.force(kSlow, 1.0, z), kFast * law.force(kFast, 1.0, z));
  }
};

// At a constant velocity z relaxes to g/σ₀ over the path g/σ₀, and the work follows.
struct Motion {
  double z = 0;
  double work = 0;
  void move(const LuGre& law, double v, double duration) {
    const double g = law.level(v);
    const double rest = g / law.sigma0;
    const double part = -std::expm1(-law.sigma0 * v * duration / g);
    const double change = (rest - z) * part;
    const double area = rest * duration - change / (law.sigma0 * v / g);
    work += v * (law.sigma0 * area + law.sigma1 * change + law.sigma2 * v * duration);
    z += change;
  }
};

Case cycle(const std::string& id, const std::string& title, double sigma2) {
  LuGre law;
  law.Fc = 1;
  law.Fs = 1.5;
  law.vs = 0.1;
  law.sigma0 = 10;
  law.sigma1 = 2;
  law.sigma2 = sigma2;
  Motion motion;
  Reference reference{.modes = {"---", "+--", "++-", "+++"}};
  for (int k = 0; k < 4; ++k) {
    motion.move(law, k % 2 == 0 ? kSlow : kFast, k % 2 == 0 ? kSlowTime : kFastTime);
    if (k == 3) break;
    reference.times.push_back(LuGreCycle::change(k));
    reference.event_states.push_back({law.sigma0 * motion.z, motion.work});
  }
  reference.final = {law.sigma0 * motion.z, motion.work};
  return {.id = id,
          .title = title,
          .source = "closed form: at a constant velocity the bristles relax exponentially",
          .system = from_functor(LuGreCycle{law}, {.states = 2, .surfaces = 3}),
          .run = {.start = 0, .end = LuGreCycle::change(2) + kFastTime, .state = Eigen::Vector2d{0, 0}},
          .reference = std::move(reference)};
}

Case dahl_loop() {
  Dahl law;
  law.sigma = 3;
  law.Fc = 1;
  Reference reference{.modes = alternating("+", "-", 7),
                      .event_states = {{0.9502129316321360570206576},
                                       {-0.9951659055450753962703407},
                                       {0.9950544781690534377476387}},
                      .final = {0.9935788898570125557680576},
                      .checkpoints = {{10, {-0.9805788378574218731464233}}}};
  for (int k = 0; k < 6; ++k) reference.times.push_back((k + 0.5) * pi);
  return {.id = "B09",
          .title = "Dahl's friction under x = sin t: hysteresis loop",
          .source = "closed form: dF/dx is affine in F",
          .system = from_functor(DahlLoop{law}, {.states = 1, .surfaces = 1}),
          .run = {.start = 0, .end = 20, .state = Vector::Zero(1)},
          .reference = std::move(reference)};
}

Case steady_bristles() {
  return {.id = "B10a",
          .title = "LuGre's bristles at a constant velocity",
          .source = "closed form: z = g/s0 (1 - exp(-s0 v t/g))",
          .system = from_functor(SteadyBristles{}, {.states = 1}),
          .run = {.start = 0, .end = 0.05, .state = Vector::Zero(1)},
          .reference = {.final = {1.159581809609301754884073}}};
}

Case pulled_bristles() {
  return {
      .id = "B10b",
      .title = "Block pulled by a spring under LuGre's friction: creep, two slips, four reversals after each",
      .source = "Taylor series of order 28 in quadruple precision",
      .system = from_functor(PulledBristles{}, {.states = 3, .surfaces = 1, .state_names = {"x", "v", "F"}}),
      .run = {.start = 0, .end = 20, .state = Vector::Zero(3)},
      .reference = {.modes = alternating("+", "-", 9),
                    .times = {10.2660909412840536384018, 10.27642039780137657436028,
                              10.29266324342718625458686, 10.300959715544543059031,
                              16.62881076234986996445575, 16.63914021886719290041423,
                              16.65538306449300258064081, 16.66367953661035938508495},
                    .final = {1.27259641232360507, 0.0000671068983177746878, 1.45384290932324826},
                    .checkpoints = {{5,
                                     {0.0000164591871265747698, 5.99166823296003774e-6, 0.99932988306806661}},
                                    {15, {0.91827970555275981, 0.369592035253872702, 1.0}}}},
      .rtol_from = 1e-6,
      .stiff = true};
}

}  // namespace

std::vector<Case> bristle_cases() {
  return {
      dahl_loop(), steady_bristles(), pulled_bristles(),
      cycle("lugre-passive", "LuGre's friction with sigma1 <= sigma2 Fc/(Fs - Fc) takes energy", 1.1),
      cycle("lugre-active", "LuGre's friction with a larger sigma1 gives more energy than it holds", 0.1)};
}

}  // namespace slideway::validation
