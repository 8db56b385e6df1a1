// Laws of friction, for functors: the force F that resists a velocity v.
//
//     Viscous              F = B v
//     Coulomb              F = Fc s + B v
//     Static               the same in motion; at rest it holds up to Fs ≥ Fc (Karnopp: F = sat(Fa, Fs) at v = 0)
//     Stribeck             F = (Fc + (Fs − Fc) exp(−(v/vs)²)) s + B v, also the exponential model with its sign put right
//     StribeckLinear       F = (Fc + (Fs − Fc) exp(−|v|/vs)) s + B v
//     ExponentialLiteral   F = Fc s + (Fs − Fc) exp(−(v/vs)²) + B v, as it is printed: not odd in v
//     Dahl                 F = z,  z' = σ (v − |v| z/Fc)
//     LuGre                F = σ₀ z + σ₁ z' + σ₂ v,  z' = v − σ₀ |v| z/g(v),  g(v) = Fc + (Fs − Fc) exp(−(v/vs)²)
//
// s is the relay of the surface v = 0 (λ in a functor), so |v| = s v, and z the state of a law that has one. Every law has
//     force(v, s, z), rate(v, s, z)   for any scalars; rate is z', 0 without a state
//     steady(v)                       the force at a constant velocity
//     break_away()                    the break-away ratio of its surface (SystemDefinition::break_away)
//     stored(z)                       the energy that can be had back: z²/2σ in Dahl's law, σ₀z²/2 in LuGre's
//     passive()                       whether ∫ F v dt ≥ −stored(z(0)) for every motion
//     values(), set(name, value)      its parameters with their units and ranges; check() refuses what is out of range
// and the functions below do the same for a Law, which is one of them. A functor with such a law needs
// `break_away(t, x, ratios)` too if the law may be Static.
//
// LuGre's law is passive if σ₁ ≤ σ₂ Fc/(Fs − Fc), and for larger σ₁ there are motions from which it gives energy without
// end (N. Barabanov, R. Ortega, IEEE Trans. Automatic Control 45(4), 2000). The literal law gives energy if Fs > 2Fc.
//
// It must not know models or integrators.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace slideway::models::friction {

// A parameter of a law: its range is value > 0, or value ≥ 0 where it may vanish.
struct LawValue {
  const char* name;
  const char* unit;
  double* value;
  bool may_vanish;
};

// The common part of the laws without a state.
struct WithoutState {
  static constexpr bool has_state = false;
  static constexpr bool jumps = true;  // F is discontinuous at v = 0
  double break_away() const { return 1; }
  bool passive() const { return true; }
  template <class V, class S, class Z>
  auto rate(const V& v, const S&, const Z&) const {
    return 0.0 * v;
  }
  template <class Z>
  Z stored(const Z& z) const {
    return 0.0 * z;
  }
};

struct Viscous : WithoutState {
  static constexpr const char* name = "viscous";
  static constexpr bool jumps = false;
  double B = 1;
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z&) const {
    return B * v + 0.0 * s;
  }
  double steady(double v) const { return B * v; }
  std::vector<LawValue> values() { return {{"B", "N s/m", &B, true}}; }
};

struct Coulomb : WithoutState {
  static constexpr const char* name = "coulomb";
  double Fc = 1, B = 0;
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z&) const {
    return Fc * s + B * v;
  }
  double steady(double v) const { return std::copysign(Fc, v) + B * v; }
  std::vector<LawValue> values() { return {{"Fc", "N", &Fc, false}, {"B", "N s/m", &B, true}}; }
};

struct Static : Coulomb {
  static constexpr const char* name = "static";
  double Fs = 1.5;
  double break_away() const { return Fs / Fc; }
  std::vector<LawValue> values() {
    return {{"Fc", "N", &Fc, false}, {"Fs", "N", &Fs, false}, {"B", "N s/m", &B, true}};
  }
};

// The parameters of a force that falls from Fs to Fc over the velocity vs.
struct Falling {
  double Fc = 1, Fs = 1.5, vs = 0.1;
  template <class V>
  auto level(const V& v) const {
    using std::exp;
    return Fc + (Fs - Fc) * exp(-(v / vs) * (v / vs));
  }
};

struct Stribeck : WithoutState, Falling {
  static constexpr const char* name = "stribeck";
  double B = 0;
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z&) const {
    return level(v) * s + B * v;
  }
  double steady(double v) const { return std::copysign(level(v), v) + B * v; }
  std::vector<LawValue> values() {
    return {{"Fc", "N", &Fc, false},
            {"Fs", "N", &Fs, false},
            {"vs", "m/s", &vs, false},
            {"B", "N s/m", &B, true}};
  }
};

struct StribeckLinear : Stribeck {
  static constexpr const char* name = "stribeck-linear";
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z&) const {
    using std::exp;
    return (Fc + (Fs - Fc) * exp(-(s * v) / vs)) * s + B * v;
  }
  double steady(double v) const { return force(v, std::copysign(1.0, v), 0.0); }
};

struct ExponentialLiteral : Stribeck {
  static constexpr const char* name = "exponential-literal";
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z&) const {
    return Fc * s + (level(v) - Fc) + B * v;
  }
  double steady(double v) const { return force(v, std::copysign(1.0, v), 0.0); }
  bool passive() const { return Fs <= 2 * Fc; }
};

struct Dahl {
  static constexpr const char* name = "dahl";
  static constexpr bool has_state = true;
  static constexpr bool jumps = false;
  double sigma = 100, Fc = 1;
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z& z) const {
    return z + 0.0 * (v * s);
  }
  template <class V, class S, class Z>
  auto rate(const V& v, const S& s, const Z& z) const {
    return sigma * (v - s * v * z / Fc);
  }
  double steady(double v) const { return std::copysign(Fc, v); }
  double break_away() const { return 1; }
  template <class Z>
  Z stored(const Z& z) const {
    return z * z / (2 * sigma);
  }
  bool passive() const { return true; }
  std::vector<LawValue> values() { return {{"sigma", "N/m", &sigma, false}, {"Fc", "N", &Fc, false}}; }
};

struct LuGre : Falling {
  static constexpr const char* name = "lugre";
  static constexpr bool has_state = true;
  static constexpr bool jumps = false;
  double sigma0 = 1000, sigma1 = 10, sigma2 = 0.4;
  template <class V, class S, class Z>
  auto rate(const V& v, const S& s, const Z& z) const {
    return v - sigma0 * (s * v) * z / level(v);
  }
  template <class V, class S, class Z>
  auto force(const V& v, const S& s, const Z& z) const {
    return sigma0 * z + sigma1 * rate(v, s, z) + sigma2 * v;
  }
  double steady(double v) const { return std::copysign(level(v), v) + sigma2 * v; }
  double break_away() const { return 1; }
  template <class Z>
  Z stored(const Z& z) const {
    return sigma0 * z * z / 2;
  }
  // The largest σ₁ for which it is passive.
  double passive_limit() const { return sigma2 * Fc / (Fs - Fc); }
  bool passive() const { return sigma1 * (Fs - Fc) <= sigma2 * Fc; }
  std::vector<LawValue> values() {
    return {{"sigma0", "N/m", &sigma0, false},
            {"sigma1", "N s/m", &sigma1, true},
            {"sigma2", "N s/m", &sigma2, true},
            {"Fc", "N", &Fc, false},
            {"Fs", "N", &Fs, false},
            {"vs", "m/s", &vs, false}};
  }
};

using Law = std::variant<Viscous, Coulomb, Static, Stribeck, StribeckLinear, ExponentialLiteral, Dahl, LuGre>;

// Every law with its default parameters, in the order of the list above.
const std::vector<Law>& laws();
// Throws std::invalid_argument for an unknown name, and says which one is near.
Law law(const std::string& name);
const char* name(const Law& law);
bool has_state(const Law& law);
double steady(const Law& law, double v);
double break_away(const Law& law);
double stored(const Law& law, double z);
bool passive(const Law& law);
// Throws std::invalid_argument for a parameter that the law does not have.
void set(Law& law, const std::string& parameter, double value);
// Throws std::invalid_argument for a parameter out of its range, with its unit, and for Fs < Fc.
void check(const Law& law);

template <class V, class S, class Z>
auto force(const Law& law, const V& v, const S& s, const Z& z) {
  using Scalar = std::decay_t<decltype(v * s * z + 0.0)>;
  return std::visit([&](const auto& made) { return Scalar(made.force(v, s, z) + 0.0 * z); }, law);
}
template <class V, class S, class Z>
auto rate(const Law& law, const V& v, const S& s, const Z& z) {
  using Scalar = std::decay_t<decltype(v * s * z + 0.0)>;
  return std::visit([&](const auto& made) { return Scalar(made.rate(v, s, z) + 0.0 * (s * z)); }, law);
}

}  // namespace slideway::models::friction
