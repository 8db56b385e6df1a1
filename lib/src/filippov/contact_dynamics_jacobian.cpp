// ContactDynamics for Jacobians: forces of far contacts are kept as they are, and the residual that determines them has derivatives of its
// own.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"

namespace slideway {

namespace {

// Differences move λ by kRelayStep: the residual is of second degree in each relay.
constexpr double kRelayStep = 0.01;

}  // namespace

void ContactDynamics::set_patterns(ContactPatterns patterns) {
  far_.patterns = std::move(patterns);
  far_.has_patterns = true;
}

const ContactDynamics::Split& ContactDynamics::split(const ContactModes& modes) const {
  if (split_.of == modes.closed) return split_;
  split_ = Split{.of = modes.closed};
  if (!far_.has_patterns) return split_;
  for (const Index c : modes.closed)
    (far_.patterns.is_far[at(c)] ? split_.closed : split_.local_closed).push_back(c);
  return split_;
}

Vector ContactDynamics::far_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                   const ContactModes& modes, double rate) const {
  solve_for_forces(t, x, lambda, modes, rate, split(modes).closed);
  return at_hand_.solution;
}

void ContactDynamics::far_directions(double t, ConstVectorRef x, ConstVectorRef lambda,
                                     const ContactModes& modes, Matrix& columns) const {
  const std::vector<Index>& far = split(modes).closed;
  columns.setZero(x.size(), static_cast<Index>(far.size()));
  take_directions(t, x, lambda, beginning_at(t, x, lambda, modes, far), far, buffers_.far_directions);
  for (std::size_t r = 0; r < far.size(); ++r)
    buffers_.far_directions[r].add_to(columns.col(static_cast<Index>(r)), 1);
}

Matrix ContactDynamics::far_effects(double t, ConstVectorRef x, ConstVectorRef lambda,
                                    const ContactModes& modes) const {
  prepare(t, x, lambda, modes, split(modes).closed);
  std::vector<Index> rows(split(modes).closed.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return effects(rows);
}

void ContactDynamics::residual(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                               const ForceTerms& terms, Vector& result) const {
  const std::vector<Index>& far = split(modes).closed;
  prepare(t, x, lambda, modes, far);
  result = at_hand_.accelerations;
  for (std::size_t r = 0; terms.rate > 0 && r < far.size(); ++r) {
    const auto row = static_cast<Index>(r);
    result[row] += terms.rate * (2 * at_hand_.rates[row] + terms.rate * gap(t, x, far[r]));
  }
  multiply(*terms.far, result, false);
}

void ContactDynamics::far_residual_dx(double t, ConstVectorRef x, ConstVectorRef lambda,
                                      const ContactModes& modes, const ForceTerms& terms,
                                      Matrix& rows) const {
  const std::vector<Index>& far = split(modes).closed;
  if (!split_.columns_known) {
    std::vector<std::vector<Index>> watched;
    for (const Index c : far) watched.push_back(far_.patterns.watched[at(c)]);
    split_.columns = CompressedColumns(pattern_from_rows(x.size(), std::move(watched)));
    split_.columns_known = true;
  }
  const CompressedColumns& columns_of = split_.columns;
  rows.setZero(static_cast<Index>(far.size()), x.size());
  Vector moved = x, above, below;
  if (differentiates_implicitly(far)) {
    const ContactModes& there = prepare(t, x, lambda, modes, far);
    take_along(t, x, lambda, modes, *terms.far, terms.rate);
    along_.is_known = false;
    const Vector still = Vector::Zero(lambda.size());
    Vector direction = Vector::Zero(x.size());
    for (Index colour = 0; colour < columns_of.colours(); ++colour) {
      columns_of.for_columns(colour, [&](Index j) { direction[j] = 1; });
      residual_rates(t, x, lambda, there, motion_along(t, x, 0, direction, still), above);
      columns_of.for_columns(colour, [&](Index j) { direction[j] = 0; });
      columns_of.for_entries(colour, [&](Index, Index i, Index j) { rows(i, j) = above[i]; });
    }
    if (rows.allFinite()) return;
    rows.setZero();
  }
  const double part = std::cbrt(kEpsilon);
  const auto step = [&](Index j) {
    const double size = far_.typical_sizes[j];
    return part * size * std::sqrt(std::max(1.0, std::abs(x[j]) / size));
  };
  for (Index colour = 0; colour < columns_of.colours(); ++colour) {
    columns_of.for_columns(colour, [&](Index j) { moved[j] = x[j] + step(j); });
    residual(t, moved, lambda, modes, terms, above);
    columns_of.for_columns(colour, [&](Index j) { moved[j] = x[j] - step(j); });
    residual(t, moved, lambda, modes, terms, below);
    columns_of.for_columns(colour, [&](Index j) { moved[j] = x[j]; });
    columns_of.for_entries(colour, [&](Index, Index i, Index j) {
      rows(i, j) = (above[i] - below[i]) / ((x[j] + step(j)) - (x[j] - step(j)));
    });
  }
}

Matrix ContactDynamics::far_residual_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const ContactModes& modes, const ForceTerms& terms,
                                             const std::vector<Index>& relays) const {
  Matrix columns(static_cast<Index>(split(modes).closed.size()), static_cast<Index>(relays.size()));
  Vector moved = lambda, above, below;
  for (std::size_t k = 0; k < relays.size(); ++k) {
    moved[relays[k]] = lambda[relays[k]] + kRelayStep;
    residual(t, x, moved, modes, terms, above);
    moved[relays[k]] = lambda[relays[k]] - kRelayStep;
    residual(t, x, moved, modes, terms, below);
    moved[relays[k]] = lambda[relays[k]];
    columns.col(static_cast<Index>(k)) = (above - below) / (2 * kRelayStep);
  }
  return columns;
}

}  // namespace slideway
