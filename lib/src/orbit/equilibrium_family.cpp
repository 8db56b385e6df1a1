#include "orbit/equilibrium_family.hpp"

#include <algorithm>
#include <utility>

#include "orbit/equilibrium_newton.hpp"

namespace slideway {

namespace {

// The step of differences by s is the cube root of the rounding unit. Newton's method converges to the same zero with an error of the derivative.
constexpr double kShareStep = 6e-6;
// A difference by s needs the problems at three values, and the next point of a branch needs three more.
constexpr std::size_t kMostMembers = 6;

}  // namespace

// The problem at one value of the parameter, with all that refers to it.
struct EquilibriumFamily::Member {
  Member(const EquilibriumFamily& family, double share)
      : s(share),
        problem(family.range_.problem(family.parameter(share))),
        place(place_named(problem, family.location_, family.t_, family.state_)),
        evaluator(place.system),
        equations(evaluator, family.rule_, family.t_, family.mode_, family.sizes_),
        judge(problem, place, evaluator, family.t_, family.sizes_) {
    evaluator.set_typical_sizes(family.sizes_);
  }

  double s;
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

EquilibriumFamily::Member& EquilibriumFamily::member_at(double s) {
  for (const auto& member : members_)
    if (member->s == s) return *member;
  auto member = std::make_unique<Member>(*this, s);
  if (members_.size() >= kMostMembers) members_.erase(members_.begin());
  members_.push_back(std::move(member));
  return *members_.back();
}

Vector EquilibriumFamily::unknowns_of(const Equilibrium& one, double parameter) const {
  const Index states = sizes_.size(), surfaces = one.lambda.size();
  std::vector<double> others;
  for (Index i = 0; i < mode_.size(); ++i)
    if (mode_.slides_on(i)) others.push_back(i < surfaces ? one.lambda[i] : one.forces[i - surfaces]);
  Vector u(states + static_cast<Index>(others.size()) + 1);
  u.head(states) = one.state.cwiseQuotient(sizes_);
  for (std::size_t k = 0; k < others.size(); ++k) u[states + static_cast<Index>(k)] = others[k];
  u[u.size() - 1] = share(parameter);
  return u;
}

void EquilibriumFamily::evaluate(const Vector& u, Vector& value, Matrix& jacobian) {
  const Index k = u.size() - 1;
  const Vector z = u.head(k);
  Matrix by_z, unused;
  member_at(u[k]).equations.evaluate(z, value, by_z);
  jacobian.resize(k, k + 1);
  jacobian.leftCols(k) = by_z;
  const double up = std::min(u[k] + kShareStep, std::max(1.0, u[k]));
  const double down = std::max(u[k] - kShareStep, std::min(0.0, u[k]));
  Vector above, below;
  member_at(up).equations.evaluate(z, above, unused);
  member_at(down).equations.evaluate(z, below, unused);
  jacobian.col(k) = (above - below) / (up - down);
}

std::vector<EquilibriumLimit> EquilibriumFamily::limits(const Vector& u) {
  Member& member = member_at(u[u.size() - 1]);
  return member.judge.limits(member.equations, u.head(u.size() - 1));
}

void EquilibriumFamily::evaluate_limits(const Vector& u, Vector& margins, Matrix& by_u) {
  const Index k = u.size() - 1;
  const double up = std::min(u[k] + kShareStep, std::max(1.0, u[k]));
  const double down = std::max(u[k] - kShareStep, std::min(0.0, u[k]));
  Vector moved = u;
  const std::vector<EquilibriumLimit> here = limits(u);
  moved[k] = up;
  const std::vector<EquilibriumLimit> above = limits(moved);
  moved[k] = down;
  const std::vector<EquilibriumLimit> below = limits(moved);
  margins.resize(static_cast<Index>(here.size()));
  by_u.resize(margins.size(), k + 1);
  for (std::size_t i = 0; i < here.size(); ++i) {
    const auto row = static_cast<Index>(i);
    margins[row] = here[i].margin;
    by_u.row(row).head(k) = here[i].by_z.transpose();
    by_u(row, k) = (above[i].margin - below[i].margin) / (up - down);
  }
}

std::optional<Equilibrium> EquilibriumFamily::describe(const Vector& u) {
  Member& member = member_at(u[u.size() - 1]);
  return member.judge.describe(member.equations, u.head(u.size() - 1));
}

std::optional<Vector> EquilibriumFamily::at_same_parameter(const Vector& u) {
  const Index k = u.size() - 1;
  Member& member = member_at(u[k]);
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
