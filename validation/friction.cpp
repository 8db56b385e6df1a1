// Groups B05, B08, B11: friction. The block sticks while the force on it stays below the friction level, which is
// sliding along the surface "relative velocity = 0" in Filippov's sense.
#include <cmath>

#include "models/dry_friction.hpp"
#include "slideway/model/from_functor.hpp"
#include "validation/oscillator_case.hpp"

namespace slideway::validation {
namespace {

// x'' = sin t − F_c sgn(x').
struct CoulombBlock {
  double F_c;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = x[1];
    dx[1] = sin(t) - F_c * lambda[0];
  }
};

// A block on a spring and a belt of velocity 0.2, with Stribeck friction.
struct StribeckBelt {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] - 0.2; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::exp;
    const auto relative = (0.2 - x[1]) / 0.3;
    dx[0] = x[1];
    dx[1] = -x[0] - (0.5 + 0.5 * exp(-relative * relative)) * lambda[0];
  }
};

// Free deceleration under the exponential friction model.
struct ExponentialFriction {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::exp;
    const auto relative = x[1] / 0.1;
    dx[0] = x[1];
    dx[1] = -lambda[0] * (1.0 + 0.5 * exp(-relative * relative)) - 0.4 * x[1];
  }
};

// The same with the exponential's sign left out, as it is printed.
struct LiteralExponentialFriction {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::exp;
    const auto relative = x[1] / 0.1;
    dx[0] = x[1];
    dx[1] = -lambda[0] - 0.5 * exp(-relative * relative) - 0.4 * x[1];
  }
};

// Breaks loose at asin 0.7 + kπ, sticks again 2.444408… later, where cos t₁ − cos t = 0.7 (t − t₁).
Reference stick_and_slip() {
  const double slip = std::asin(0.7);
  const double stick = 3.219805724498313948467431;
  const double stroke = 0.4324939397237736844775717;
  Reference reference{.modes = {"0"}, .final = {0.005660602942654732593089552, 0.04352817374555175989902168}};
  for (int k = 0; k < 13; ++k) {
    const int half_turn = k / 2;
    const bool slips = k % 2 == 0;
    reference.times.push_back((slips ? slip : stick) + half_turn * pi);
    reference.modes.push_back(!slips ? "0" : half_turn % 2 == 0 ? "+" : "-");
    const bool displaced = (slips ? half_turn : half_turn + 1) % 2 == 1;
    reference.event_states.push_back({displaced ? stroke : 0, 0});
  }
  return reference;
}

// Breaks loose once and then only turns round.
Reference reversals() {
  Reference reference{.times = {0.304692654015397507972, 4.426029484032122158189, 7.252842693369672144815,
                                10.55615700494593839424, 13.62058052273306269533, 16.8006463004716818823,
                                19.9234232465866549829,  23.0743099760600565591,  26.21133365927609415587,
                                29.35517777303773863437, 32.49566226188761689015, 35.63780066608715249368,
                                38.779124623617815157,   41.92084958605658341053, 45.06237709380556348153,
                                48.20400182479596869887, 51.34557868393898471599, 54.48717911454896737104,
                                57.62876793883090484608, 60.77036247792792504254, 63.91195420311651344057,
                                67.05354731384017483574, 70.19513974234266444835, 73.3367325067627936041,
                                76.47832510578103857777, 79.61991778624121833668, 82.76151042660035045857,
                                85.90310308670476508699, 89.04469573708683564726, 92.18628839225607367329,
                                95.3278810450681669404,  98.46947369904089046579},
                      .event_states = {{0, 0}, {2.642970707836413916924, 0}, {1.25916424510365087334, 0}},
                      .final = {2.661915292620135496186245, -0.8743998799269862714678269}};
  reference.modes = alternating("+", "-", reference.times.size());
  reference.modes.insert(reference.modes.begin(), "0");
  return reference;
}

// After the first slip the motion is periodic: it slips where the spring pulls with the static friction, x = 1.
Reference stick_slip_cycle() {
  const double period = 10.42569447938659912276597;
  Reference reference{.modes = {"-", "0"},
                      .times = {0.2162294167961870305525182},
                      .event_states = {{0.02096126537414393047332, 0.2}},
                      .final = {0.6922140284465370956162857, -0.6412160380477218852743308}};
  for (int k = 0; k < 6; ++k) {
    reference.times.push_back(5.111423089925467378185927 + k * period);
    reference.modes.push_back("-");
    reference.event_states.push_back({1, 0.2});
    if (k == 5) break;
    reference.times.push_back(9.835275792702228738079574 + k * period);
    reference.modes.push_back("0");
    reference.event_states.push_back({-0.1403683553219675525744652, 0.2});
  }
  return reference;
}

Case driven_oscillator() {
  const OscillatorParameters parameters{.end = 200 * 2 * pi / 0.5};
  Case driven = oscillator_case(parameters, ClosedFormOscillator(parameters).solve());
  driven.id = "dry-friction";
  driven.title = "200 periods of x'' = -x - 0.4 sgn(x') + cos(t/2): 797 mode changes";
  return driven;
}

Case coulomb_block(const std::string& id, const std::string& title, double F_c, double end,
                   Reference reference) {
  return {.id = id,
          .title = title,
          .source = "closed form: x' = cos t1 - cos t -+ F_c (t - t1)",
          .system = from_functor(CoulombBlock{F_c}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector2d{0, 0}},
          .reference = std::move(reference)};
}

Case coulomb_block_turning() {
  Case turning =
      coulomb_block("B05b", "Coulomb block, x'' = sin t - 0.3 sgn(x'): breaks loose once, then only turns",
                    0.3, 100, reversals());
  turning.rtol_from = 1e-6;
  return turning;
}

Case stribeck_belt() {
  return {.id = "B08",
          .title = "Block on a belt with Stribeck friction: stick-slip limit cycle",
          .source = "Taylor series of order 36 in multiple precision",
          .system = from_functor(StribeckBelt{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 60, .state = Eigen::Vector2d{0, 0}},
          .reference = stick_slip_cycle()};
}

Case exponential_friction() {
  const double rest = 0.3951545109215095253557746;
  return {.id = "B11",
          .title = "Exponential friction model: decelerates to rest, then sticks",
          .source = "closed form: t = integral of dv/T(v), x = integral of v dv/T(v)",
          .system = from_functor(ExponentialFriction{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d{0, 1}},
          .reference = {.modes = {"+", "0"},
                        .times = {0.8094596782976570933265235},
                        .event_states = {{rest, 0}},
                        .final = {rest, 0}}};
}

// While v > 0 the sign makes no difference.
Case literal_exponential_friction() {
  Case literal = exponential_friction();
  literal.id = "B11lit";
  literal.title = "Exponential friction as printed, without the sign: the same way to rest";
  literal.system = from_functor(LiteralExponentialFriction{}, {.states = 2, .surfaces = 1});
  return literal;
}

}  // namespace

Case oscillator_case(const OscillatorParameters& parameters, const OscillatorMotion& exact) {
  Reference reference{.modes = {{exact.initial_mode}},
                      .final = {static_cast<double>(exact.position), static_cast<double>(exact.velocity)}};
  for (const OscillatorEvent& event : exact.events) {
    reference.times.push_back(static_cast<double>(event.t));
    reference.modes.push_back({event.to});
    reference.event_states.push_back({static_cast<double>(event.x), 0});
  }
  const models::DryFriction functor{
      .mu = parameters.mu, .A = parameters.amplitude, .w = parameters.frequency};
  return {.id = "oscillator",
          .title = "a driven oscillator with dry friction",
          .source = "closed form: harmonic arcs",
          .system = from_functor(
              functor, {.states = 2, .surfaces = 1, .state_names = {"x", "v"}, .surface_names = {"v"}}),
          .run = {.start = 0, .end = parameters.end, .state = Eigen::Vector2d{parameters.position, 0}},
          .reference = std::move(reference)};
}

std::vector<Case> friction_cases() {
  return {coulomb_block("B05a", "Coulomb block, x'' = sin t - 0.7 sgn(x'): sticks twice a period", 0.7, 20,
                        stick_and_slip()),
          coulomb_block_turning(),
          stribeck_belt(),
          exponential_friction(),
          literal_exponential_friction(),
          driven_oscillator()};
}

}  // namespace slideway::validation
