// The motion and the stability of an equilibrium in one mode, and its distances from the limits at which the mode ends.
//
//     limits   1 ∓ λᵢ of a surface that is slid along (its break-away ratios for 1), the guards of the others, forces of closed contacts,
//              gaps of open ones, guards of events and edges
//
// Each is in units of its change along the sizes of the states; the least is the margin. It must not know how equilibria are found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orbit/equilibrium_equations.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/equilibrium_place.hpp"
#include "slideway/core/types.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/orbit/equilibria.hpp"

namespace slideway {

struct EquilibriumLimit {
  double margin = 0;        // below 0 where the mode does not hold
  Vector by_z = {};         // its derivatives by the unknowns z of EquilibriumEquations
  std::string reason = {};  // what stands against the equilibrium where the margin is below 0
  // The modes that an equilibrium may have there besides this one, the likelier first; none where an event fires.
  std::vector<Mode> beyond = {};
};

class EquilibriumJudge {
 public:
  // The judge keeps references to its arguments. `place` is one of `problem`.
  EquilibriumJudge(const Automaton& problem, const EquilibriumPlace& place, Evaluator& evaluator, double t,
                   const Vector& sizes);

  // The limits of a mode, in an order that is the same at every z.
  std::vector<EquilibriumLimit> limits(EquilibriumEquations& equations, ConstVectorRef z);
  // describe() takes a zero z. It returns nothing where a surface that is slid along has no effect.
  std::optional<Equilibrium> describe(EquilibriumEquations& equations, ConstVectorRef z);
  // The zero z is one of a continuum and beyond where its mode holds: one of the continuum inside of that, if it is found.
  std::optional<Equilibrium> admissible_beside(EquilibriumEquations& equations,
                                               const ValueAndJacobian& evaluate, Vector z);

 private:
  bool find_motion(const Matrix& jacobian, const EquilibriumEquations& equations, Equilibrium& found) const;
  EquilibriumLimit limit_of(const Guard& guard, double sign, ConstVectorRef x, Index unknowns,
                            std::string reason) const;
  EquilibriumLimit scaled(double value, double sign, const Vector& gradient, Index unknowns,
                          std::string reason) const;
  void add_relay_limits(Index surface, Index unknown, ConstVectorRef x, double lambda, Index unknowns,
                        std::vector<EquilibriumLimit>& limits);

  const Automaton& problem_;
  const EquilibriumPlace& place_;
  Evaluator& evaluator_;
  double t_;
  const Vector& sizes_;
};

}  // namespace slideway
