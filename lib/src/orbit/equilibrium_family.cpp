#include "orbit/equilibrium_family.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "orbit/equilibrium_newton.hpp"

namespace slideway {

namespace {

// The step of differences by s is the cube root of the rounding unit. Newton's method converges to the same zero with an error of the derivative.
constexpr double kShareStep = 6e-6;
// A difference by two shares needs the problems at five values, and the next point of a curve needs five more.
constexpr std::size_t kMostMembers = 10;

}  // namespace

// The problem at one value of each parameter, with all that refers to it.
struct EquilibriumFamily::Member {
  Member(const EquilibriumFamily& family, Vector shares)
      : s(std::move(shares)),
        problem(family.range_.problem(family.range_.first +
                                      s.cwiseProduct(family.range_.last - family.range_.first))),
        place(place_named(problem, family.location_, family.t_, family.state_)),
        evaluator(place.system),
        equations(evaluator, family.rule_, family.t_, family.mode_, family.sizes_),
        judge(problem, place, evaluator, family.t_, family.sizes_) {
    evaluator.set_typical_sizes(family.sizes_);
  }

  Vector s;
  Automaton problem;
  EquilibriumPlace place;
  Evaluator evaluator;
  EquilibriumEquations equations;
  EquilibriumJudge judge;
};

EquilibriumFamily::EquilibriumFamily(EquilibriumRange range, SlidingRule rule, double t,
                                     const Equilibrium& one, Vector sizes)
    : range_(std::move(range)),
      rule_(rule),
      t_(t),
      location_(one.location),
      mode_(one.mode),
      state_(one.state),
      sizes_(std::move(sizes)) {}

EquilibriumFamily::~EquilibriumFamily() = default;

EquilibriumRange one_parameter(const std::function<Automaton(double value)>& problem, double first,
                               double last) {
  return {.problem = [problem](ConstVectorRef values) { return problem(values[0]); },
          .first = Vector::Constant(1, first),
          .last = Vector::Constant(1, last)};
}

EquilibriumFamily::Member& EquilibriumFamily::member_of(const Vector& u) {
  const Vector s = u.tail(parameters());
  for (const auto& member : members_)
    if (member->s == s) return *member;
  auto member = std::make_unique<Member>(*this, s);
  if (members_.size() >= kMostMembers) members_.erase(members_.begin());
  members_.push_back(std::move(member));
  return *members_.back();
}

Vector EquilibriumFamily::unknowns_of(const Equilibrium& one, ConstVectorRef values) const {
  const Index states = sizes_.size(), surfaces = one.lambda.size();
  std::vector<double> others;
  for (Index i = 0; i < mode_.size(); ++i)
    if (mode_.slides_on(i)) others.push_back(i < surfaces ? one.lambda[i] : one.forces[i - surfaces]);
  Vector u(states + static_cast<Index>(others.size()) + parameters());
  u.head(states) = one.state.cwiseQuotient(sizes_);
  for (std::size_t k = 0; k < others.size(); ++k) u[states + static_cast<Index>(k)] = others[k];
  u.tail(parameters()) = (values - range_.first).cwiseQuotient(range_.last - range_.first);
  return u;
}

EquilibriumFamily::Sides EquilibriumFamily::beside(const Vector& u, Index j) const {
  Sides sides{.below = u, .above = u};
  if (j < u.size() - parameters()) {
    const double step = kShareStep * std::max(1.0, std::abs(u[j]));
    sides.below[j] -= step;
    sides.above[j] += step;
  } else {
    sides.above[j] = std::min(u[j] + kShareStep, std::max(1.0, u[j]));
    sides.below[j] = std::max(u[j] - kShareStep, std::min(0.0, u[j]));
  }
  return sides;
}

void EquilibriumFamily::evaluate(const Vector& u, Vector& value, Matrix& jacobian) {
  const Index k = u.size() - parameters();
  const Vector z = u.head(k);
  Matrix by_z, unused;
  member_of(u).equations.evaluate(z, value, by_z);
  jacobian.resize(k, u.size());
  jacobian.leftCols(k) = by_z;
  Vector above, below;
  for (Index j = k; j < u.size(); ++j) {
    const Sides sides = beside(u, j);
    member_of(sides.above).equations.evaluate(z, above, unused);
    member_of(sides.below).equations.evaluate(z, below, unused);
    jacobian.col(j) = (above - below) / (sides.above[j] - sides.below[j]);
  }
}

std::vector<EquilibriumLimit> EquilibriumFamily::limits(const Vector& u) {
  Member& member = member_of(u);
  return member.judge.limits(member.equations, u.head(u.size() - parameters()));
}

void EquilibriumFamily::evaluate_limits(const Vector& u, Vector& margins, Matrix& by_u) {
  const Index k = u.size() - parameters();
  const std::vector<EquilibriumLimit> here = limits(u);
  margins.resize(static_cast<Index>(here.size()));
  by_u.resize(margins.size(), u.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    margins[static_cast<Index>(i)] = here[i].margin;
    by_u.row(static_cast<Index>(i)).head(k) = here[i].by_z.transpose();
  }
  for (Index j = k; j < u.size(); ++j) {
    const Sides sides = beside(u, j);
    const std::vector<EquilibriumLimit> above = limits(sides.above), below = limits(sides.below);
    for (std::size_t i = 0; i < here.size(); ++i)
      by_u(static_cast<Index>(i), j) =
          (above[i].margin - below[i].margin) / (sides.above[j] - sides.below[j]);
  }
}

std::optional<Equilibrium> EquilibriumFamily::describe(const Vector& u) {
  Member& member = member_of(u);
  return member.judge.describe(member.equations, u.head(u.size() - parameters()));
}

std::optional<Vector> EquilibriumFamily::at_same_parameter(const Vector& u) {
  const Index k = u.size() - parameters();
  Member& member = member_of(u);
  const auto zero = newton_zero([&](const Vector& z, Vector& value,
                                    Matrix& jacobian) { member.equations.evaluate(z, value, jacobian); },
                                u.head(k));
  if (!zero) return std::nullopt;
  Vector result = u;
  result.head(k) = *zero;
  return result;
}

std::optional<Vector> EquilibriumFamily::at_limit(const Vector& u, Index limit) {
  const Index k = u.size() - 1;
  return newton_zero(
      [&](const Vector& at, Vector& value, Matrix& jacobian) {
        Vector equations, margins;
        Matrix by_equations, by_margins;
        evaluate(at, equations, by_equations);
        evaluate_limits(at, margins, by_margins);
        value.resize(k + 1);
        jacobian.resize(k + 1, k + 1);
        value << equations, margins[limit];
        jacobian << by_equations, by_margins.row(limit);
      },
      u);
}

}  // namespace slideway
