// Group B07 and more: friction that holds Fs at rest and resists with Fc < Fs in motion. The block breaks away at Fs and
// sticks again at rest: the surface has the break-away ratio Fs/Fc.
#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// A block on a belt of velocity vb, held by a spring: x'' = −x − Fc sgn(v − vb).
struct StaticBelt {
  double vb = 0.2, kinetic = 0.6, at_rest = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] - vb; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = at_rest / kinetic; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - kinetic * lambda[0];
  }
};

// A block pulled by a spring whose end moves with V: x'' = Vt − x − Fc sgn(v).
struct PulledBlock {
  double speed = 0.2, kinetic = 0.6, at_rest = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = at_rest / kinetic; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = speed * t - x[0] - kinetic * lambda[0];
  }
};

// A block without a spring under sin t, that holds up to 0.9.
struct DrivenBlock {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = 0.9 / 0.7; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = x[1];
    dx[1] = sin(t) - 0.7 * lambda[0];
  }
};

// With D = Fs − Fc and the spring at Fs when the block breaks away, its length is Fc + D cos s + V sin s afterwards, and the
// block is at rest again when s = 2(π − atan(D/V)), with the spring at Fc − D. After 2D/V more it is at Fs.
constexpr double kDrop = 0.4;
constexpr double kSpeed = 0.2;
double slip_duration() { return 2 * (pi - std::atan(kDrop / kSpeed)); }

// The stick-slip cycle, from the first time the block is torn off.
Reference cycle(const char* slips, int slips_in_all) {
  Reference reference{.modes = {"0"}};
  const double period = 2 * kDrop / kSpeed + slip_duration();
  for (int k = 0; k < slips_in_all; ++k) {
    reference.times.push_back(5 + k * period);
    reference.modes.push_back(slips);
    reference.times.push_back(5 + k * period + slip_duration());
    reference.modes.push_back("0");
  }
  return reference;
}

Case belt() {
  Reference reference = cycle("-", 10);
  // It is torn off for the eleventh time after ten periods, where the spring is at Fs again; the run ends a little earlier.
  const double end = 85;
  const double torn_off = 85.68887871591405470891156;
  for (int k = 0; k < 20; ++k) reference.event_states.push_back({k % 2 == 0 ? 1 : 0.2, 0.2});
  reference.final = {1 - kSpeed * (torn_off - end), 0.2};
  return {.id = "B07",
          .title = "Block on a belt, Fs > Fc: stick-slip cycle",
          .source = "closed form: a harmonic arc symmetric about x = Fc",
          .system = from_functor(StaticBelt{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector2d{0, 0.2}},
          .reference = std::move(reference)};
}

Case pulled() {
  Reference reference = cycle("+", 10);
  const double end = 84;
  const double stuck_since = reference.times.back();
  reference.final = {kSpeed * stuck_since - (0.6 - kDrop), 0};
  return {.id = "pulled-block",
          .title = "Block pulled by a spring, Fs > Fc: ten slips",
          .source = "closed form: a harmonic arc of the spring's length",
          .system = from_functor(PulledBlock{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector2d{0, 0}},
          .reference = std::move(reference)};
}

// x'' = sin t ∓ 0.7 from asin 0.9 on: v = cos t₁ − cos t − 0.7 (t − t₁), 0 again at t₂.
Case driven() {
  const double start = std::asin(0.9);
  const auto speed = [&](double t) { return std::cos(start) - std::cos(t) - 0.7 * (t - start); };
  double low = 2.5, high = 4;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = 0.5 * (low + high);
    (speed(middle) > 0 ? low : high) = middle;
  }
  const double stop = low;
  Reference reference{.modes = {"0"}};
  for (int k = 0; k < 10; ++k) {
    reference.times.push_back(start + k * pi);
    reference.modes.push_back(k % 2 == 0 ? "+" : "-");
    reference.times.push_back(stop + k * pi);
    reference.modes.push_back("0");
  }
  reference.final = {0, 0};
  return {.id = "driven-static",
          .title = "Block under sin t that holds up to 0.9 and is resisted by 0.7: sticks twice a period",
          .source = "closed form: v = cos t1 - cos t -+ 0.7 (t - t1)",
          .system = from_functor(DrivenBlock{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = stop + 9 * pi + 0.5, .state = Eigen::Vector2d{0, 0}},
          .reference = std::move(reference)};
}

}  // namespace

std::vector<Case> static_friction_cases() { return {belt(), pulled(), driven()}; }

}  // namespace slideway::validation
