// Several shots round an orbit, joined: with x₀ … x_{N−1} at the fractions s₀ = 0 < s₁ < … of the period T,
//
//     Fᵢ = φ((sᵢ₊₁ − sᵢ)·T; xᵢ) − xᵢ₊₁,   x_N = x₀,        and f(a)ᵀ(x₀ − a) = 0 where T is unknown.
//
// A discrete state that holds a time, a clock, counts from the begin of its shot, so that it comes back as the others do. One that
// nothing sets stays at its first value, which replaces its equation.
//
// Unknowns are scaled: states by their sizes on the orbit, T by its first value. From the field along the flow ∂φ/∂T = M·f(xᵢ),
// the derivative applied to the field at the begin, so that no field at the end is needed.
// It must not know how a first approximation is found.
#pragma once

#include <string>
#include <vector>

#include "integrate/equations_solver.hpp"
#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

struct ShotStart {
  double fraction = 0;  // of the period
  Vector state = {};
  std::string location = {};
};

// When an orbit comes back, and the discrete states that do not do so by themselves.
struct Round {
  double start = 0;
  double period = 0;
  bool period_is_unknown = false;
  Vector clocks = {};            // 1 at discrete states that hold times, 0 elsewhere; n entries
  std::vector<Index> held = {};  // discrete states that nothing sets
};

class Shooting {
 public:
  // The begins of the shots, the first at fraction 0. The sensitivities of the simulator are those by all states.
  Shooting(const Simulator& simulator, Round round, Vector sizes, std::vector<ShotStart> shots);

  // The unknowns of the first approximation.
  Vector unknowns() const;
  Equations equations();

  double period(ConstVectorRef u) const;
  Vector state(ConstVectorRef u, Index shot) const;
  // The runs from these unknowns; empty where one of them failed.
  const std::vector<Solution>& runs(ConstVectorRef u);
  // The field at the begin of the orbit; that of a clock is -1, since it counts from the time.
  Vector field_at_start(ConstVectorRef u);
  // The product of the derivatives of all shots.
  Matrix monodromy(ConstVectorRef u);
  // Why the last runs failed; "" where they did not.
  const std::string& failure() const { return failure_; }

 private:
  Index count() const { return static_cast<Index>(shots_.size()); }
  double length(Index shot) const;
  double begin(Index shot, double period) const;
  bool value(ConstVectorRef u, VectorRef f);
  bool jacobian(ConstVectorRef u, MatrixRef result);
  bool follow(ConstVectorRef u);
  Vector field_of(const Solution& run, const std::string& location) const;

  const Simulator& simulator_;
  Round round_;
  Vector sizes_;
  std::vector<ShotStart> shots_;
  Index n_;
  Vector phase_;  // the row of the phase condition, for scaled states
  Vector followed_ = {};
  std::vector<Solution> runs_ = {};
  std::string failure_ = {};
};

}  // namespace slideway
