#include "orbit/boundary_partner.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/factorise.hpp"
#include "orbit/equilibrium_newton.hpp"

namespace slideway {

namespace {

// The rates dm/dp of a margin along the equilibria of its mode, d entries.
Vector rates_of(EquilibriumFamily& family, const Vector& u, Index limit) {
  Vector value, margins;
  Matrix wide, by_margins;
  family.evaluate(u, value, wide);
  family.evaluate_limits(u, margins, by_margins);
  const Index k = value.size(), parameters = family.parameters();
  scale_rows(wide, value);
  const Matrix by_parameters = wide.leftCols(k).fullPivLu().solve(wide.rightCols(parameters));
  return by_margins.row(limit).tail(parameters).transpose() -
         by_parameters.transpose() * by_margins.row(limit).head(k).transpose();
}

}  // namespace

double scaled_determinant(EquilibriumFamily& family, const Vector& u) {
  Vector value;
  Matrix wide;
  family.evaluate(u, value, wide);
  scale_rows(wide, value);
  return Matrix(wide.leftCols(value.size())).fullPivLu().determinant();
}

BoundaryPartner::BoundaryPartner(const EquilibriumRange& range, SlidingRule rule, double t,
                                 const Vector& sizes, EquilibriumFamily& family, Index limit, const Vector& u)
    : family_(family), limit_(limit) {
  const std::optional<Equilibrium> one = family.describe(u);
  if (!one) return;
  const std::vector<EquilibriumLimit> limits = family.limits(u);
  for (const Mode& mode : limits[static_cast<std::size_t>(limit)].beyond) {
    Equilibrium there = *one;
    there.mode = mode;
    auto other = std::make_unique<EquilibriumFamily>(range, rule, t, there, sizes);
    const std::optional<Vector> unknowns = unknowns_at(*other, u);
    if (!unknowns || !other->describe(*unknowns)) continue;
    other_ = std::move(other);
    return;
  }
}

std::optional<Mode> BoundaryPartner::mode() const {
  return other_ ? std::optional(other_->mode()) : std::nullopt;
}

// The states, relays and forces are the same for both; they are an equilibrium of the other mode where its equations are zero, too.
std::optional<Vector> BoundaryPartner::unknowns_at(EquilibriumFamily& other, const Vector& u) {
  const std::optional<Equilibrium> one = family_.describe(u);
  if (!one) return std::nullopt;
  Vector values(family_.parameters());
  for (Index j = 0; j < values.size(); ++j) values[j] = family_.parameter(u[u.size() - values.size() + j], j);
  Vector unknowns = other.unknowns_of(*one, values);
  unknowns.tail(values.size()) = u.tail(values.size());
  Vector value;
  Matrix wide;
  other.evaluate(unknowns, value, wide);
  scale_rows(wide, value);
  if (!(value.lpNorm<Eigen::Infinity>() <= kConvergedSlowly)) return std::nullopt;
  return unknowns;
}

BoundaryPartner::Meeting BoundaryPartner::at(const Vector& u) {
  Meeting meeting;
  if (!other_) return meeting;
  const std::optional<Vector> unknowns = unknowns_at(*other_, u);
  if (!unknowns) return meeting;
  meeting.other = other_->describe(*unknowns);
  if (!meeting.other) return meeting;
  meeting.determinant = scaled_determinant(*other_, *unknowns);
  const std::vector<EquilibriumLimit> limits = other_->limits(*unknowns);
  Index met = -1;
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (met < 0 || std::abs(limits[i].margin) < std::abs(limits[static_cast<std::size_t>(met)].margin))
      met = static_cast<Index>(i);
  if (met < 0) return meeting;
  const double together = rates_of(family_, u, limit_).dot(rates_of(*other_, *unknowns, met));
  if (std::isfinite(together))
    meeting.kind =
        together > 0 ? BoundaryEquilibriumKind::nonsmooth_fold : BoundaryEquilibriumKind::persistence;
  return meeting;
}

}  // namespace slideway
