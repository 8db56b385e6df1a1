// ModeField where a field or a derivative is not finite: beyond its surfaces, or a hair's breadth beyond.

#include <cmath>
#include <exception>
#include <limits>

#include <fmt/format.h>

#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "filippov/ask_inside.hpp"
#include "filippov/mode_field.hpp"
#include "filippov/normal_derivative.hpp"
#include "slideway/core/not_finite.hpp"
#include "slideway/detail/model/explained_field.hpp"

namespace slideway {

namespace {

// Surfaces whose corners are looked at one by one.
constexpr Index kMostCorners = 8;
constexpr int kMostStepsBack = 20;

}  // namespace

// move_to_nearest_surface() serves fields that are undefined beyond their own surfaces. The integrator evaluates
// them there while a root is bracketed; the value at the nearest surface point continues them.
bool ModeField::move_to_nearest_surface(double t, VectorRef x) {
  bool moved = false;
  const Vector weights = weights_at(x);
  for (int pass = 0; pass < 3; ++pass) {
    evaluator_.guards(t, x, buffers_.guard_values);
    bool beyond = false;
    for (Index i = 0; i < mode_.size(); ++i) {
      const double h = buffers_.guard_values[i];
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
  const Vector weights = weights_at(x);
  const double near = std::numeric_limits<double>::infinity();
  if (geometry_.move_inside(t, lambda, depth, weights, near, x)) return x != before;
  // A relay whose guard is held, or rests, at zero keeps the side of its comparison, which need not be a side beside the others.
  const std::vector<int>& at_zero = evaluator_.system().definition().sides_at_zero;
  Vector others = lambda;
  for (std::size_t i = 0; i < at_zero.size(); ++i) {
    const auto k = static_cast<Index>(i);
    if (at_zero[i] != 0 && !mode_.slides_on(k) && lambda[k] == at_zero[i]) others[k] = 0;
  }
  if (others != lambda) {
    x = before;
    geometry_.move_inside(t, others, depth, weights, near, x);
  }
  return x != before;
}

bool ModeField::move_to_derivative(double t, ConstVectorRef x, ConstVectorRef lambda) {
  buffers_.inside = x;
  return move_inside(t, lambda, std::sqrt(kEpsilon), buffers_.inside);
}

const NeighbourFields& ModeField::finite_neighbours(double t, ConstVectorRef x, Index surface) {
  const NeighbourFields& fields = neighbours(t, x, surface);
  if (all_finite(fields.minus) && all_finite(fields.plus)) return fields;
  neighbours_.look_closely = true;
  neighbours_.surface = -1;
  neighbours(t, x, surface);
  neighbours_.look_closely = false;
  return fields;
}

void ModeField::neighbour_inside(double t, ConstVectorRef x, Index surface, double side, Vector& field,
                                 double& w) {
  if (std::isfinite(w) && all_finite(field)) return;
  const double stored = lambda_[surface];
  lambda_[surface] = side;
  const auto move = [&](double depth, Vector& point) { move_inside(t, lambda_, depth, point); };
  ask_inside(x, buffers_.inside, move, [&] {
    evaluator_.field(t, buffers_.inside, lambda_, field);
    w = evaluator_.guard_rate(t, buffers_.inside, field, surface);
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
  buffers_.state = x;
  if (x.allFinite()) {
    if (move_to_nearest_surface(t, buffers_.state) && is_finite_at(buffers_.state)) return;
    neighbours_.look_closely = true;
    neighbours_.surface = -1;
    const Vector nearest = buffers_.state;
    const auto move = [&](double depth, Vector& point) { move_inside(t, lambda_, depth, point); };
    const bool found =
        ask_inside(nearest, buffers_.state, move, [&] { return is_finite_at(buffers_.state); });
    neighbours_.look_closely = false;
    if (found) return;
  }
  if (failure) std::rethrow_exception(failure);
  throw_not_finite(t, x, dx);
}

// look_round_corners() serves fields that contain the root of a guard. At a λ inside its bounds the field is a
// blend of all corners, each of which is finite on one side of the surface only.
bool ModeField::look_round_corners(double t, ConstVectorRef x) {
  const auto count = static_cast<Index>(sliding_.size());
  if (rule_ == SlidingRule::equivalent_control || count > kMostCorners || !x.allFinite()) return false;
  const Index corners = Index{1} << count;
  corners_.fields.resize(x.size(), corners);
  corners_.table.w.resize(count, corners);
  corners_.lambda = lambda_;
  const auto move = [&](double depth, Vector& point) { move_inside(t, corners_.lambda, depth, point); };
  for (Index v = 0; v < corners; ++v) {
    for (Index i = 0; i < count; ++i)
      corners_.lambda[sliding_[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
    const bool found = ask_inside(x, buffers_.inside, move, [&] {
      evaluator_.field(t, buffers_.inside, corners_.lambda, corners_.fields.col(v));
      evaluator_.guard_rates(t, buffers_.inside, corners_.fields.col(v), buffers_.rates);
      corners_.table.w.col(v) = buffers_.rates(sliding_);
      return corners_.fields.col(v).allFinite() && corners_.table.w.col(v).allFinite();
    });
    if (!found) return false;
  }
  return true;
}

bool ModeField::solve_in_corners(double t, ConstVectorRef x, VectorRef dx) {
  if (!look_round_corners(t, x)) return false;
  Vector lambda = lambda_(sliding_);
  const double size = corners_.table.w.cwiseAbs().maxCoeff();
  for (int iteration = 0; iteration < kMostStepsBack; ++iteration) {
    const Vector w = interpolate(corners_.table, lambda);
    const Vector step = lambda_jacobian(corners_.table, lambda).partialPivLu().solve(w);
    if (!step.allFinite()) return false;
    lambda -= step;
    if (interpolate(corners_.table, lambda).cwiseAbs().maxCoeff() > 64 * kEpsilon * size) continue;
    for (std::size_t i = 0; i < sliding_.size(); ++i) lambda_[sliding_[i]] = lambda[static_cast<Index>(i)];
    dx = corners_.fields * vertex_weights(lambda);
    return true;
  }
  return false;
}

// x' = Σ μ_v f_v with μ(λ), and w = Σ μ_v w_v = 0:  J = Σ μ_v J_v − (∂f/∂λ) D⁻¹ Σ μ_v ∂w_v/∂x.
bool ModeField::jacobian_in_corners(double t, ConstVectorRef x, MatrixRef jacobian) {
  if (!look_round_corners(t, x)) return false;
  const Vector lambda = lambda_(sliding_);
  const Vector weights = vertex_weights(lambda);
  const Matrix relays = lambda_jacobian(corners_.table, lambda);
  const Index n = x.size();
  buffers_.jacobian_plus.resize(n, n);
  buffers_.normal_plus.resize(mode_.size(), n);
  Matrix normal = Matrix::Zero(lambda.size(), n);
  Matrix columns = Matrix::Zero(n, lambda.size());
  jacobian.setZero();
  for (Index v = 0; v < weights.size(); ++v) {
    Vector slopes = Vector::Ones(lambda.size());
    for (Index i = 0; i < lambda.size(); ++i) {
      const double side = (v >> i) & 1 ? 1 : -1;
      corners_.lambda[sliding_[static_cast<std::size_t>(i)]] = side;
      for (Index j = 0; j < lambda.size(); ++j) slopes[j] *= i == j ? side / 2 : (1 + side * lambda[i]) / 2;
    }
    differentiate_near(t, x, corners_.lambda, [&](ConstVectorRef point) {
      evaluator_.field_dx(t, point, corners_.lambda, buffers_.jacobian_plus);
      normal_dx_of(evaluator_, sliding_, t, point, corners_.lambda, buffers_.jacobian_plus,
                   buffers_.normal_plus);
      return buffers_.jacobian_plus.allFinite() && buffers_.normal_plus(sliding_, Eigen::all).allFinite();
    });
    jacobian += weights[v] * buffers_.jacobian_plus;
    normal += weights[v] * buffers_.normal_plus(sliding_, Eigen::all);
    columns += corners_.fields.col(v) * slopes.transpose();
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
