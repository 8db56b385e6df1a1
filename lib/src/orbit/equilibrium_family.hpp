// The equilibria of one mode while d parameters p = p₀ + s·(p₁ − p₀) vary: zeros u = (z, s) of
//
//     F(z; p) = 0,      z = (x/sizes, λ_S, Λ_C) as in EquilibriumEquations, d equations less than unknowns.
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

// The problems of the ranges of d parameters.
struct EquilibriumRange {
  std::function<Automaton(ConstVectorRef values)> problem = {};
  Vector first = {};  // p₀, d entries
  Vector last = {};   // p₁, no entry equal to that of p₀
};

// The range of one parameter.
EquilibriumRange one_parameter(const std::function<Automaton(double value)>& problem, double first,
                               double last);

class EquilibriumFamily {
 public:
  // The mode and location are those of `one`, an equilibrium at any p of the range; t is where the equations are evaluated.
  EquilibriumFamily(EquilibriumRange range, SlidingRule rule, double t, const Equilibrium& one, Vector sizes);
  ~EquilibriumFamily();

  Index parameters() const { return range_.first.size(); }
  const Mode& mode() const { return mode_; }
  double parameter(double s, Index which = 0) const {
    return range_.first[which] + s * (range_.last[which] - range_.first[which]);
  }
  // u = (z, s) of an equilibrium of this mode at values of the parameters, d entries.
  Vector unknowns_of(const Equilibrium& one, ConstVectorRef values) const;
  Vector unknowns_of(const Equilibrium& one, double parameter) const {
    return unknowns_of(one, Vector::Constant(1, parameter));
  }

  // F, k entries, and J(i,j) = ∂Fᵢ/∂u_j, k × (k + d). This and the following throw what the problem throws.
  void evaluate(const Vector& u, Vector& value, Matrix& jacobian);
  // m, one per limit, and its derivatives by u, each a row of limits × (k + d).
  void evaluate_limits(const Vector& u, Vector& margins, Matrix& by_u);
  std::vector<EquilibriumLimit> limits(const Vector& u);
  std::optional<Equilibrium> describe(const Vector& u);
  // Unknown j of u a little less and a little more, as differences by it need them. A share stays inside of its range.
  struct Sides {
    Vector below = {}, above = {};
  };
  Sides beside(const Vector& u, Index j) const;

  // These begin at u and are empty where Newton's method does not converge: the equilibrium at the s of u, and with one parameter the
  // zero of F and the limit of this number.
  std::optional<Vector> at_same_parameter(const Vector& u);
  std::optional<Vector> at_limit(const Vector& u, Index limit);

 private:
  struct Member;
  Member& member_of(const Vector& u);

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
