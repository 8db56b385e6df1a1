// ModeField where a field or a derivative is not finite: beyond its surfaces, or a hair's breadth beyond.

#include <cmath>
#include <exception>
#include <limits>

#include <fmt/format.h>

#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "filippov/ask_inside.hpp"
#include "slideway/core/not_finite.hpp"
#include "slideway/filippov/mode_field.hpp"
#include "slideway/model/explained_field.hpp"

namespace slideway {

namespace {

// Surfaces whose corners are looked at one by one.
constexpr Index kMostCorners = 8;
constexpr int kMostStepsBack = 20;

}  // namespace

// The field of a mode may be undefined beyond its own surfaces, where the integrator has to evaluate it while a root is
// bracketed; its value at the nearest surface point continues it.
bool ModeField::move_to_nearest_surface(double t, VectorRef x) {
  bool moved = false;
  const Vector weights = weights_at(x);
  for (int pass = 0; pass < 3; ++pass) {
    evaluator_.guards(t, x, guard_values_);
    bool beyond = false;
    for (Index i = 0; i < mode_.size(); ++i) {
      const double h = guard_values_[i];
      const bool off = mode_.slides_on(i) ? h != 0 : lambda_[i] * h < 0;
      if (!off) continue;
      if (std::isfinite(h) && geometry_.change_guard(t, i, -h, weights, x)) beyond = true;
    }
    if (!beyond) break;
    moved = true;
  }
  return moved;
}

bool ModeField::move_inside(double t, ConstVectorRef lambda, double depth, VectorRef x) {
  const Vector before = x;
  geometry_.move_inside(t, lambda, depth, weights_at(x), std::numeric_limits<double>::infinity(), x);
  return x != before;
}

bool ModeField::move_to_derivative(double t, ConstVectorRef x, ConstVectorRef lambda) {
  inside_ = x;
  return move_inside(t, lambda, std::sqrt(kEpsilon), inside_);
}

const NeighbourFields& ModeField::finite_neighbours(double t, ConstVectorRef x, Index surface) {
  const NeighbourFields& fields = neighbours(t, x, surface);
  if (all_finite(fields.minus) && all_finite(fields.plus)) return fields;
  looks_closely_ = true;
  neighbours_surface_ = -1;
  neighbours(t, x, surface);
  looks_closely_ = false;
  return fields;
}

void ModeField::neighbour_inside(double t, ConstVectorRef x, Index surface, double side, Vector& field,
                                 double& w) {
  if (std::isfinite(w) && all_finite(field)) return;
  const double stored = lambda_[surface];
  lambda_[surface] = side;
  const auto move = [&](double depth, Vector& point) { move_inside(t, lambda_, depth, point); };
  ask_inside(x, inside_, move, [&] {
    evaluator_.field(t, inside_, lambda_, field);
    w = evaluator_.guard_rate(t, inside_, field, surface);
    return std::isfinite(w) && all_finite(field);
  });
  lambda_[surface] = stored;
}

void ModeField::velocity_beyond(double t, ConstVectorRef x, VectorRef dx, std::exception_ptr failure) {
  const auto is_finite_at = [&](const Vector& point) {
    try {
      raw_velocity(t, point, dx);
      return dx.allFinite();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return false;
    }
  };
  state_ = x;
  if (x.allFinite()) {
    if (move_to_nearest_surface(t, state_) && is_finite_at(state_)) return;
    looks_closely_ = true;
    neighbours_surface_ = -1;
    const Vector nearest = state_;
    const auto move = [&](double depth, Vector& point) { move_inside(t, lambda_, depth, point); };
    const bool found = ask_inside(nearest, state_, move, [&] { return is_finite_at(state_); });
    looks_closely_ = false;
    if (found) return;
  }
  if (failure) std::rethrow_exception(failure);
  throw_not_finite(t, x, dx);
}

// At a λ inside its bounds the field is a blend of all corners, and that of a root of a guard is finite on one side of the
// surface only: off it no point suits them all.
bool ModeField::look_round_corners(double t, ConstVectorRef x) {
  const auto count = static_cast<Index>(sliding_.size());
  if (rule_ == SlidingRule::equivalent_control || count > kMostCorners || !x.allFinite()) return false;
  const Index corners = Index{1} << count;
  corner_fields_.resize(x.size(), corners);
  corner_table_.w.resize(count, corners);
  corner_lambda_ = lambda_;
  const auto move = [&](double depth, Vector& point) { move_inside(t, corner_lambda_, depth, point); };
  for (Index v = 0; v < corners; ++v) {
    for (Index i = 0; i < count; ++i)
      corner_lambda_[sliding_[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
    const bool found = ask_inside(x, inside_, move, [&] {
      evaluator_.field(t, inside_, corner_lambda_, corner_fields_.col(v));
      evaluator_.guard_rates(t, inside_, corner_fields_.col(v), rates_);
      corner_table_.w.col(v) = rates_(sliding_);
      return corner_fields_.col(v).allFinite() && corner_table_.w.col(v).allFinite();
    });
    if (!found) return false;
  }
  return true;
}

bool ModeField::solve_in_corners(double t, ConstVectorRef x, VectorRef dx) {
  if (!look_round_corners(t, x)) return false;
  Vector lambda = lambda_(sliding_);
  const double size = corner_table_.w.cwiseAbs().maxCoeff();
  for (int iteration = 0; iteration < kMostStepsBack; ++iteration) {
    const Vector w = interpolate(corner_table_, lambda);
    const Vector step = lambda_jacobian(corner_table_, lambda).partialPivLu().solve(w);
    if (!step.allFinite()) return false;
    lambda -= step;
    if (interpolate(corner_table_, lambda).cwiseAbs().maxCoeff() > 64 * kEpsilon * size) continue;
    for (std::size_t i = 0; i < sliding_.size(); ++i) lambda_[sliding_[i]] = lambda[static_cast<Index>(i)];
    dx = corner_fields_ * vertex_weights(lambda);
    return true;
  }
  return false;
}

// x' = Σ μ_v f_v with μ(λ), and w = Σ μ_v w_v = 0:  J = Σ μ_v J_v − (∂f/∂λ) D⁻¹ Σ μ_v ∂w_v/∂x.
bool ModeField::jacobian_in_corners(double t, ConstVectorRef x, MatrixRef jacobian) {
  if (!look_round_corners(t, x)) return false;
  const Vector lambda = lambda_(sliding_);
  const Vector weights = vertex_weights(lambda);
  const Matrix relays = lambda_jacobian(corner_table_, lambda);
  const Index n = x.size();
  jacobian_plus_.resize(n, n);
  normal_plus_.resize(mode_.size(), n);
  Matrix normal = Matrix::Zero(lambda.size(), n);
  Matrix columns = Matrix::Zero(n, lambda.size());
  jacobian.setZero();
  for (Index v = 0; v < weights.size(); ++v) {
    Vector slopes = Vector::Ones(lambda.size());
    for (Index i = 0; i < lambda.size(); ++i) {
      const double side = (v >> i) & 1 ? 1 : -1;
      corner_lambda_[sliding_[static_cast<std::size_t>(i)]] = side;
      for (Index j = 0; j < lambda.size(); ++j) slopes[j] *= i == j ? side / 2 : (1 + side * lambda[i]) / 2;
    }
    differentiate_near(t, x, corner_lambda_, [&](ConstVectorRef point) {
      evaluator_.field_dx(t, point, corner_lambda_, jacobian_plus_);
      evaluator_.normal_dx(t, point, corner_lambda_, normal_plus_);
      return jacobian_plus_.allFinite() && normal_plus_(sliding_, Eigen::all).allFinite();
    });
    jacobian += weights[v] * jacobian_plus_;
    normal += weights[v] * normal_plus_(sliding_, Eigen::all);
    columns += corner_fields_.col(v) * slopes.transpose();
  }
  jacobian.noalias() -= columns * relays.partialPivLu().solve(normal);
  return jacobian.allFinite();
}

void ModeField::throw_not_finite(double t, ConstVectorRef x, ConstVectorRef dx) const {
  Index bad = 0;
  while (bad + 1 < dx.size() && std::isfinite(dx[bad])) ++bad;
  const System& system = evaluator_.system();
  std::string text = fmt::format("the derivative of '{}' is {} at t = {:.10g}",
                                 system.state_names()[static_cast<std::size_t>(bad)],
                                 std::isnan(dx[bad]) ? "not a number" : "infinite", t);
  text += in_mode_text(mode_);
  if (const auto* const field = system.definition().field.target<ExplainedField>()) {
    const std::string reason = field->explain(t, x, lambda_, bad);
    if (!reason.empty()) text += "; " + reason;
  }
  throw NotFinite(text);
}

}  // namespace slideway
