// ContactDynamics for Jacobians: forces of far contacts are frozen, and the residual that determines them has derivatives of
// its own.
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

void ContactDynamics::freeze(double t, ConstVectorRef x, ConstVectorRef lambda) {
  solve_for_forces(t, x, lambda, stabilisation_, far_.closed);
  far_.forces = at_hand_.solution;
  far_.frozen = true;
}

void ContactDynamics::far_directions(double t, ConstVectorRef x, ConstVectorRef lambda, Matrix& columns) {
  columns.setZero(x.size(), static_cast<Index>(far_.closed.size()));
  take_directions(t, x, lambda, far_.closed, far_.directions);
  for (std::size_t r = 0; r < far_.closed.size(); ++r) {
    far_.directions[r].add_to(columns.col(static_cast<Index>(r)), 1);
  }
}

Matrix ContactDynamics::far_effects(double t, ConstVectorRef x, ConstVectorRef lambda) {
  prepare(t, x, lambda, far_.closed);
  std::vector<Index> rows(far_.closed.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return effects(rows);
}

void ContactDynamics::residual(double t, ConstVectorRef x, ConstVectorRef lambda, Vector& result) {
  prepare(t, x, lambda, far_.closed);
  result = at_hand_.accelerations;
  for (std::size_t r = 0; stabilisation_ > 0 && r < far_.closed.size(); ++r) {
    const auto row = static_cast<Index>(r);
    result[row] += stabilisation_ * (2 * at_hand_.rates[row] + stabilisation_ * gap(t, x, far_.closed[r]));
  }
  multiply(far_.forces, result, false);
}

void ContactDynamics::far_residual_dx(double t, ConstVectorRef x, ConstVectorRef lambda, Matrix& rows) {
  if (!far_.columns_known) {
    std::vector<std::vector<Index>> watched;
    for (const Index c : far_.closed) watched.push_back(far_.patterns.watched[at(c)]);
    far_.columns = CompressedColumns(pattern_from_rows(x.size(), std::move(watched)));
    far_.columns_known = true;
  }
  rows.setZero(static_cast<Index>(far_.closed.size()), x.size());
  Vector moved = x, above, below;
  if (differentiates_implicitly(far_.closed)) {
    prepare(t, x, lambda, far_.closed);
    take_along(t, x, lambda, far_.forces, stabilisation_);
    along_.is_known = false;
    const Vector still = Vector::Zero(lambda.size());
    Vector direction = Vector::Zero(x.size());
    for (Index colour = 0; colour < far_.columns.colours(); ++colour) {
      far_.columns.for_columns(colour, [&](Index j) { direction[j] = 1; });
      residual_rates(t, x, lambda, motion_along(t, x, 0, direction, still), above);
      far_.columns.for_columns(colour, [&](Index j) { direction[j] = 0; });
      far_.columns.for_entries(colour, [&](Index, Index i, Index j) { rows(i, j) = above[i]; });
    }
    if (rows.allFinite()) return;
    rows.setZero();
  }
  const double part = std::cbrt(kEpsilon);
  const auto step = [&](Index j) {
    const double size = far_.typical_sizes[j];
    return part * size * std::sqrt(std::max(1.0, std::abs(x[j]) / size));
  };
  for (Index colour = 0; colour < far_.columns.colours(); ++colour) {
    far_.columns.for_columns(colour, [&](Index j) { moved[j] = x[j] + step(j); });
    residual(t, moved, lambda, above);
    far_.columns.for_columns(colour, [&](Index j) { moved[j] = x[j] - step(j); });
    residual(t, moved, lambda, below);
    far_.columns.for_columns(colour, [&](Index j) { moved[j] = x[j]; });
    far_.columns.for_entries(colour, [&](Index, Index i, Index j) {
      rows(i, j) = (above[i] - below[i]) / ((x[j] + step(j)) - (x[j] - step(j)));
    });
  }
}

Matrix ContactDynamics::far_residual_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const std::vector<Index>& relays) {
  Matrix columns(static_cast<Index>(far_.closed.size()), static_cast<Index>(relays.size()));
  Vector moved = lambda, above, below;
  for (std::size_t k = 0; k < relays.size(); ++k) {
    moved[relays[k]] = lambda[relays[k]] + kRelayStep;
    residual(t, x, moved, above);
    moved[relays[k]] = lambda[relays[k]] - kRelayStep;
    residual(t, x, moved, below);
    moved[relays[k]] = lambda[relays[k]];
    columns.col(static_cast<Index>(k)) = (above - below) / (2 * kRelayStep);
  }
  return columns;
}

}  // namespace slideway
