// The laws of friction that [friction] knows, as a model file would write them: F resists the velocity v, and z is the
// state of a law that has one.
//
//     viscous              F = B v
//     coulomb              F = Fc sgn(v) + B v
//     static               the same, but at rest it holds up to Fs ≥ Fc (Karnopp: sat(Fa, Fs) at v = 0)
//     stribeck             F = (Fc + (Fs − Fc) exp(−(v/vs)²)) sgn(v) + B v
//     stribeck-linear      the same with exp(−|v|/vs)
//     exponential          another name of stribeck: the exponential model with its sign put right
//     exponential-literal  F = Fc sgn(v) + (Fs − Fc) exp(−(v/vs)²) + B v, as it is printed: not odd in v
//     dahl                 F' = σ (v − |v| F/Fc)
//     bouc-wen             F = k z,  z' = A v − β |v| |z|ⁿ⁻¹ z − γ v |z|ⁿ
//     lugre                F = σ₀ z + σ₁ z' + σ₂ v,  z' = v − σ₀ |v| z/g(v),  g = Fc + (Fs − Fc) exp(−(v/vs)²)
//
// It must not know TOML, nor the library of laws for C++ models.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace slideway::reader {

struct LawParameter {
  const char* name;
  const char* unit;
  bool may_vanish;       // 0 is allowed; else it is above 0
  const char* fallback;  // where it is not given; null where it has to be
  bool any_sign = false;
};

struct FrictionLaw {
  const char* name;
  std::vector<LawParameter> parameters;
  std::vector<std::pair<const char*, const char*>> parts;  // names and what they stand for, before the force
  const char* force;                                       // null where the force is the state itself
  const char* rate;                                        // z', null without a state
  const char* stored;                                      // the energy stored, null where there is none
  const char* break_away;                                  // the ratio, null where it is 1
  bool jumps;                                              // the velocity is the guard of a surface
  bool at_least_kinetic;                                   // Fs may not be below Fc
  const char* break_away_below = nullptr;                  // towards minus, where it is another one
};

const std::vector<FrictionLaw>& friction_laws();

// A formula of a law with every name followed by [i].
std::string indexed(const std::string& formula);

}  // namespace slideway::reader
