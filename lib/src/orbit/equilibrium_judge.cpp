#include "orbit/equilibrium_judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "filippov/p_matrix.hpp"
#include "orbit/equilibrium_motion.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/zero_dynamics.hpp"

namespace slideway {

namespace {

// A state this close to a surface, in sizes of the states or of λ, is on it: a zero is known to 1e-9.
constexpr double kOnSurface = 1e-9;
// A rate below this part of the size of A is neutral. A double eigenvalue of a matrix with rounding errors of
// 1e-16 is known to their square root.
constexpr double kNeutralRate = 1e-8;
constexpr double kNoEffect = 1e-9;     // of the size of A, a relay without effect: as kEquilibriumRankZero
constexpr Index kLargestPMatrix = 12;  // that is_p_matrix takes
// A zero of a continuum that is beyond bounds of its mode is moved inside of them by this margin and then back to the zeros, turn by turn;
// half as far each time, since the mode may be narrow.
constexpr double kFirstInside = 0.1;
constexpr int kTurnsInContinuum = 30;
// The step of differences of break-away ratios, of the size of a state: the cube root of the rounding unit.
constexpr double kRatioStep = 6e-6;

void find_attraction(const Matrix& effects, Equilibrium& found) {
  found.stability_known = false;
  if (effects.rows() > kLargestPMatrix) return;
  if (is_p_matrix(-effects)) {
    found.attracting = true;
  } else if (effects.rows() == 1 && effects(0, 0) > 0) {
    found.attracting = false;
  } else {
    return;
  }
  found.stability_known = true;
}

void judge_stability(double size, Equilibrium& found) {
  found.stability = OrbitStability::stable;
  for (const std::complex<double>& value : found.eigenvalues) {
    if (value.real() > kNeutralRate * size) {
      found.stability = OrbitStability::unstable;
      found.stability_known = true;
      return;
    }
    if (value.real() >= -kNeutralRate * size) found.stability = OrbitStability::neutral;
  }
  if (found.attracting == false) found.stability = OrbitStability::unstable;
}

Mode with_side(Mode mode, Index i, Side side) {
  mode.set(i, side);
  return mode;
}

}  // namespace

EquilibriumJudge::EquilibriumJudge(const Automaton& problem, const EquilibriumPlace& place,
                                   Evaluator& evaluator, double t, const Vector& sizes)
    : problem_(problem), place_(place), evaluator_(evaluator), t_(t), sizes_(sizes) {}

std::optional<Equilibrium> EquilibriumJudge::describe(EquilibriumEquations& equations, ConstVectorRef z) {
  Equilibrium found;
  found.location = place_.name;
  found.mode = equations.mode();
  found.state = equations.state(z);
  found.lambda = equations.lambda(z);
  found.forces = equations.forces(z);
  found.kind = equations.sliding().empty() ? EquilibriumKind::regular : EquilibriumKind::pseudo;
  Vector value;
  Matrix jacobian;
  equations.evaluate(z, value, jacobian);
  if (!find_motion(jacobian, equations, found)) return std::nullopt;
  scale_rows(jacobian, value);
  found.residual = value.size() == 0 ? 0.0 : value.lpNorm<Eigen::Infinity>();
  for (const EquilibriumLimit& limit : limits(equations, z)) {
    found.margin = std::min(found.margin, limit.margin);
    if (std::abs(limit.margin) <= kOnSurface) {
      found.kind = EquilibriumKind::boundary;
    } else if (limit.margin < 0 && found.admissible) {
      found.admissible = false;
      found.reason = limit.reason;
    }
  }
  return found;
}

std::optional<Equilibrium> EquilibriumJudge::admissible_beside(EquilibriumEquations& equations,
                                                               const ValueAndJacobian& evaluate, Vector z) {
  double inside = kFirstInside;
  for (int turn = 0; turn < kTurnsInContinuum; ++turn, inside *= 0.5) {
    for (const EquilibriumLimit& limit : limits(equations, z)) {
      const double length = limit.by_z.squaredNorm();
      if (limit.margin < 0 && length > 0) z += ((inside - limit.margin) / length) * limit.by_z;
    }
    const std::optional<Vector> zero = newton_zero(evaluate, z);
    std::optional<Equilibrium> found = zero ? describe(equations, *zero) : std::nullopt;
    if (!found || found->admissible) return found;
    z = *zero;
  }
  return std::nullopt;
}

bool EquilibriumJudge::find_motion(const Matrix& jacobian, const EquilibriumEquations& equations,
                                   Equilibrium& found) const {
  const auto sliding = static_cast<Index>(equations.sliding().size());
  // The Jacobian is that of states divided by their sizes.
  const auto [a, l, n] = linearisation_of(jacobian, equations, sizes_);
  // A surface beside which the field is the same is none to be slid along.
  for (Index k = 0; k < sliding; ++k)
    if (!(l.col(k).norm() > kNoEffect * a.norm())) return false;
  found.eigenvalues = zero_dynamics(a, l, n);
  Matrix scaled = jacobian;
  Vector unused = Vector::Zero(jacobian.rows());
  scale_rows(scaled, unused);
  Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
  solver.setThreshold(kEquilibriumRankZero);
  solver.compute(scaled);
  found.continuum = jacobian.cols() - solver.rank();
  if (sliding > 0) find_attraction(n.topRows(sliding) * l.leftCols(sliding), found);
  judge_stability(a.norm(), found);
  return true;
}

// In units of the change along the sizes of the states; the function itself where it does not change.
EquilibriumLimit EquilibriumJudge::scaled(double value, double sign, const Vector& gradient, Index unknowns,
                                          std::string reason) const {
  const double change = gradient.cwiseAbs().dot(sizes_);
  const double unit = change > 0 ? change : 1;
  Vector by_z = Vector::Zero(unknowns);
  by_z.head(sizes_.size()) = (sign / unit) * gradient.cwiseProduct(sizes_);
  return {.margin = sign * value / unit, .by_z = by_z, .reason = std::move(reason)};
}

EquilibriumLimit EquilibriumJudge::limit_of(const Guard& guard, double sign, ConstVectorRef x, Index unknowns,
                                            std::string reason) const {
  Vector gradient = Vector::Zero(sizes_.size());
  guard.gradient(t_, x, gradient);
  return scaled(guard.value(t_, x), sign, gradient, unknowns, std::move(reason));
}

void EquilibriumJudge::add_relay_limits(Index surface, Index unknown, ConstVectorRef x, double lambda,
                                        Index unknowns, std::vector<EquilibriumLimit>& limits) {
  const Index surfaces = evaluator_.system().surfaces();
  Vector above = Vector::Ones(surfaces), below = Vector::Ones(surfaces);
  const std::string reason = "the relay of '" +
                             evaluator_.system().surface_names()[static_cast<std::size_t>(surface)] +
                             "' would have to be " + number_text(lambda);
  EquilibriumLimit up{.by_z = Vector::Zero(unknowns), .reason = reason}, down = up;
  if (evaluator_.breaks_away()) {
    Vector above_back = above, below_back = below, moved = x;
    for (Index j = 0; j < sizes_.size(); ++j) {
      moved[j] = x[j] + kRatioStep * sizes_[j];
      evaluator_.break_away(t_, moved, above, below);
      moved[j] = x[j] - kRatioStep * sizes_[j];
      evaluator_.break_away(t_, moved, above_back, below_back);
      moved[j] = x[j];
      up.by_z[j] = (above[surface] - above_back[surface]) / (2 * kRatioStep);
      down.by_z[j] = (below[surface] - below_back[surface]) / (2 * kRatioStep);
    }
    evaluator_.break_away(t_, x, above, below);
  }
  up.margin = above[surface] - lambda;
  down.margin = below[surface] + lambda;
  up.by_z[unknown] = -1;
  down.by_z[unknown] = 1;
  limits.push_back(std::move(up));
  limits.push_back(std::move(down));
}

std::vector<EquilibriumLimit> EquilibriumJudge::limits(EquilibriumEquations& equations, ConstVectorRef z) {
  const System& system = place_.system;
  const Index states = sizes_.size(), surfaces = system.surfaces(), unknowns = equations.unknowns();
  const Mode& mode = equations.mode();
  const Vector x = equations.state(z), lambda = equations.lambda(z), forces = equations.forces(z);
  std::vector<EquilibriumLimit> result;
  Vector guards = Vector::Zero(surfaces), gradient(states);
  if (surfaces > 0) evaluator_.guards(t_, x, guards);
  Index unknown = states;
  for (Index i = 0; i < surfaces; ++i) {
    if (mode.slides_on(i)) {
      add_relay_limits(i, unknown++, x, lambda[i], unknowns, result);
      const bool is_between_locations = place_.joined && i == surfaces - 1;
      if (is_between_locations) continue;
      result.end()[-2].beyond = {with_side(mode, i, Side::plus)};
      result.end()[-1].beyond = {with_side(mode, i, Side::minus)};
      continue;
    }
    gradient.setZero();
    evaluator_.guard_gradient(t_, x, i, gradient);
    result.push_back(
        scaled(guards[i], mode[i] == Side::plus ? 1 : -1, gradient, unknowns,
               "it is on the other side of '" + system.surface_names()[static_cast<std::size_t>(i)] + "'"));
    result.back().beyond = {with_side(mode, i, Side::sliding),
                            with_side(mode, i, mode[i] == Side::plus ? Side::minus : Side::plus)};
  }
  const double largest_force = forces.size() == 0 ? 0.0 : forces.lpNorm<Eigen::Infinity>();
  for (std::size_t c = 0; c < system.contacts().size(); ++c) {
    const Contact& contact = system.contacts()[c];
    const auto at = static_cast<Index>(c);
    if (!mode.slides_on(surfaces + at)) {
      result.push_back(
          limit_of(contact.gap, 1, x, unknowns, "the gap of '" + contact.name + "' is negative"));
      result.back().beyond = {with_side(mode, surfaces + at, Side::sliding)};
      continue;
    }
    const double unit = largest_force > 0 ? largest_force : 1;
    Vector by_z = Vector::Zero(unknowns);
    by_z[unknown++] = 1 / unit;
    result.push_back({.margin = forces[at] / unit,
                      .by_z = by_z,
                      .reason = "the contact '" + contact.name + "' would have to pull",
                      .beyond = {with_side(mode, surfaces + at, Side::plus)}});
  }
  const auto fires = [&](const Guard& guard, Direction direction, std::string what) {
    if (direction == Direction::any) return;
    result.push_back(limit_of(guard, direction == Direction::rising ? -1 : 1, x, unknowns, std::move(what)));
  };
  for (const Event& event : system.events())
    if (event.action != Action::record)
      fires(event.when, event.direction, "the event '" + event.name + "' fires before it");
  if (place_.joined) return result;
  for (const Edge& edge : problem_.edges())
    if (edge.from == place_.name)
      fires(edge.when, edge.direction,
            "the edge " + (edge.name.empty() ? "" : "'" + edge.name + "' ") + "to '" + edge.to +
                "' fires there");
  return result;
}

}  // namespace slideway
