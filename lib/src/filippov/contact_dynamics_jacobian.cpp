// ContactDynamics for Jacobians: forces of far contacts are frozen, and the residual that determines them has derivatives of
// its own.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "filippov/contact_dynamics_shared.hpp"
#include "slideway/filippov/contact_dynamics.hpp"

namespace slideway {

namespace {

// By how much λ is moved for differences: the residual is of second degree in each relay.
constexpr double kRelayStep = 0.01;

}  // namespace

void ContactDynamics::set_patterns(ContactPatterns patterns) {
  patterns_ = std::move(patterns);
  has_patterns_ = true;
}

void ContactDynamics::freeze(double t, ConstVectorRef x, ConstVectorRef lambda) {
  solve_for_forces(t, x, lambda, stabilisation_, far_closed_);
  frozen_forces_ = solution_;
  frozen_ = true;
}

void ContactDynamics::far_directions(double t, ConstVectorRef x, ConstVectorRef lambda, Matrix& columns) {
  columns.setZero(x.size(), static_cast<Index>(far_closed_.size()));
  take_directions(t, x, lambda, far_closed_, far_directions_);
  for (std::size_t r = 0; r < far_closed_.size(); ++r) {
    far_directions_[r].add_to(columns.col(static_cast<Index>(r)), 1);
  }
}

Matrix ContactDynamics::far_effects(double t, ConstVectorRef x, ConstVectorRef lambda) {
  prepare(t, x, lambda, far_closed_);
  std::vector<Index> rows(far_closed_.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return effects(rows);
}

void ContactDynamics::residual(double t, ConstVectorRef x, ConstVectorRef lambda, Vector& result) {
  prepare(t, x, lambda, far_closed_);
  result = accelerations_;
  for (std::size_t r = 0; stabilisation_ > 0 && r < far_closed_.size(); ++r) {
    const auto row = static_cast<Index>(r);
    result[row] += stabilisation_ * (2 * rates_[row] + stabilisation_ * gap(t, x, far_closed_[r]));
  }
  multiply(frozen_forces_, result, false);
}

void ContactDynamics::far_residual_dx(double t, ConstVectorRef x, ConstVectorRef lambda, Matrix& rows) {
  if (!far_columns_known_) {
    std::vector<std::vector<Index>> watched;
    for (const Index c : far_closed_) watched.push_back(patterns_.watched[at(c)]);
    far_columns_ = CompressedColumns(pattern_from_rows(x.size(), std::move(watched)));
    far_columns_known_ = true;
  }
  rows.setZero(static_cast<Index>(far_closed_.size()), x.size());
  const double part = std::cbrt(kEpsilon);
  const auto step = [&](Index j) {
    const double size = typical_sizes_[j];
    return part * size * std::sqrt(std::max(1.0, std::abs(x[j]) / size));
  };
  Vector moved = x, above, below;
  for (Index colour = 0; colour < far_columns_.colours(); ++colour) {
    far_columns_.for_columns(colour, [&](Index j) { moved[j] = x[j] + step(j); });
    residual(t, moved, lambda, above);
    far_columns_.for_columns(colour, [&](Index j) { moved[j] = x[j] - step(j); });
    residual(t, moved, lambda, below);
    far_columns_.for_columns(colour, [&](Index j) { moved[j] = x[j]; });
    far_columns_.for_entries(colour, [&](Index, Index i, Index j) {
      rows(i, j) = (above[i] - below[i]) / ((x[j] + step(j)) - (x[j] - step(j)));
    });
  }
}

Matrix ContactDynamics::far_residual_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const std::vector<Index>& relays) {
  Matrix columns(static_cast<Index>(far_closed_.size()), static_cast<Index>(relays.size()));
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
