#include "orbit/equilibrium_motion.hpp"

#include "orbit/equilibrium_place.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

EquilibriumLinearisation linearisation_of(const Matrix& jacobian, const EquilibriumEquations& equations,
                                          const Vector& sizes) {
  const Index states = sizes.size();
  const Index constraints = equations.constraints();
  EquilibriumLinearisation result{
      .a = sizes.cwiseInverse().asDiagonal() * jacobian.topLeftCorner(states, states),
      .l = sizes.cwiseInverse().asDiagonal() * jacobian.topRightCorner(states, constraints),
      .n = jacobian.bottomLeftCorner(constraints, states)};
  for (Index k = 0; k < constraints; ++k)
    if (result.n.row(k).norm() > 0) result.n.row(k).normalize();
  return result;
}

ZeroMotion motion_beside(const Automaton& problem, const Equilibrium& equilibrium, double t,
                         const Vector& sizes, SlidingRule rule) {
  const EquilibriumPlace place = place_named(problem, equilibrium.location, t, equilibrium.state);
  Evaluator evaluator(place.system);
  evaluator.set_typical_sizes(sizes);
  EquilibriumEquations equations(evaluator, rule, t, equilibrium.mode, sizes);
  Vector z = equations.start(equilibrium.state);
  Index unknown = sizes.size();
  for (const Index i : equations.sliding()) z[unknown++] = equilibrium.lambda[i];
  for (const Index c : equations.closed()) z[unknown++] = equilibrium.forces[c];
  Vector value;
  Matrix jacobian;
  equations.evaluate(z, value, jacobian);
  const EquilibriumLinearisation linear = linearisation_of(jacobian, equations, sizes);
  return zero_motion(linear.a, linear.l, linear.n);
}

}  // namespace slideway
