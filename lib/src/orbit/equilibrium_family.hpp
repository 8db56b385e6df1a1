// The equilibria of one mode while a parameter p = p₀ + s·(p₁ − p₀) varies: zeros u = (z, s) of
//
//     F(z; p) = 0,      z = (x/sizes, λ_S, Λ_C) as in EquilibriumEquations, one equation less than unknowns.
//
// The problem is made anew for every p. Derivatives by s are differences; the others are those of the equations. The boundary equilibrium
// bifurcations are zeros of F and of one limit m(z; p) of the mode at once.
// It must not know how equilibria are looked for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orbit/equilibrium_judge.hpp"
#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/equilibria.hpp"

namespace slideway {

// The problems of a range of a parameter.
struct EquilibriumRange {
  std::function<Automaton(double value)> problem = {};
  double first = 0;  // p₀
  double last = 1;   // p₁, not equal to p₀
};

class EquilibriumFamily {
 public:
  // The mode and location are those of `one`, an equilibrium at any p of the range; t is where the equations are evaluated.
  EquilibriumFamily(EquilibriumRange range, SlidingRule rule, double t, const Equilibrium& one, Vector sizes);
  ~EquilibriumFamily();

  double parameter(double s) const { return range_.first + s * (range_.last - range_.first); }
  double share(double parameter) const { return (parameter - range_.first) / (range_.last - range_.first); }
  // u = (z, s) of an equilibrium of this mode at a value of the parameter.
  Vector unknowns_of(const Equilibrium& one, double parameter) const;

  // F, k entries, and J(i,j) = ∂Fᵢ/∂u_j, k × (k + 1). This and the following throw what the problem throws.
  void evaluate(const Vector& u, Vector& value, Matrix& jacobian);
  // m, one per limit, and its derivatives by u, each a row of limits × (k + 1).
  void evaluate_limits(const Vector& u, Vector& margins, Matrix& by_u);
  std::vector<EquilibriumLimit> limits(const Vector& u);
  std::optional<Equilibrium> describe(const Vector& u);

  // These begin at u and are empty where Newton's method does not converge: the equilibrium at the s of u, and the zero of F and the
  // limit of this number.
  std::optional<Vector> at_same_parameter(const Vector& u);
  std::optional<Vector> at_limit(const Vector& u, Index limit);

 private:
  struct Member;
  Member& member_at(double s);

  EquilibriumRange range_;
  SlidingRule rule_;
  double t_;
  std::string location_;
  Mode mode_;
  Vector state_;  // of the equilibrium that tells between which edges a solution slides
  Vector sizes_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace slideway
