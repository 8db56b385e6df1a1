// Evaluator's second derivatives of the guards: along the field, and of the normal components.

#include "model/finite_difference.hpp"
#include "model/jacobian_count.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {
namespace {

// Second differences lose twice as many digits to rounding as first ones: ε^(1/4) instead of ε^(1/3).
constexpr double widening_for_second_differences = 16;

}  // namespace

void Evaluator::guard_curvatures(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                                 VectorRef curvatures) {
  ScratchFrame frame;
  auto value = take_vector(frame, x.size());
  auto acceleration = take_vector(frame, x.size());
  if (affine_ || system_.definition().guards_mixed) field_along(t, x, lambda, 1.0, dx, value, acceleration);
  guard_curvatures(t, x, lambda, dx, acceleration, curvatures);
}

void Evaluator::guard_curvatures(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                                 ConstVectorRef acceleration, VectorRef curvatures) {
  const SystemDefinition& definition = system_.definition();
  if (affine_) {
    affine_directional(0.0, acceleration, curvatures);
  } else if (definition.guards_mixed) {
    ++counts_.guards;
    definition.guards_mixed(t, x, 1.0, dx, 1.0, dx, acceleration, curvatures);
  } else if (guard_rates_source() != DerivativeSource::finite_difference) {
    rate_difference(t, x, lambda, 1.0, dx, direction_step(t, x, 1.0, dx), curvatures);
  } else {
    second_difference(t, x, lambda, dx, curvatures);
  }
}

// The derivative of w along (t_dot, x_dot), the field followed along.
void Evaluator::rate_difference(double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                                ConstVectorRef x_dot, double step, VectorRef rates_dot) {
  const bool exact_rates = guard_rates_source() != DerivativeSource::finite_difference;
  const double widening = exact_rates ? 1.0 : widening_for_second_differences;
  ScratchFrame frame;
  auto shifted = take_vector(frame, x.size());
  auto dx = take_vector(frame, x.size());
  const auto evaluate = [&](double offset, VectorRef rates) {
    const double time = t + offset * t_dot;
    shifted = x + offset * x_dot;
    field(time, shifted, lambda, dx);
    if (exact_rates) {
      guard_directional(time, shifted, 1.0, dx, rates);
    } else {
      guard_difference(time, shifted, 1.0, dx, widening, rates);
    }
  };
  difference(evaluate, widening * step, DifferenceSide::both, rates_dot);
}

// ḧ from h at points of the parabola x + s f + s²/2 f', which the solution follows to second order.
void Evaluator::second_difference(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                                  VectorRef curvatures) {
  ScratchFrame frame;
  auto value = take_vector(frame, x.size());
  auto acceleration = take_vector(frame, x.size());
  field_along(t, x, lambda, 1.0, dx, value, acceleration);

  auto shifted = take_vector(frame, x.size());
  const auto evaluate = [&](double s, VectorRef h) {
    shifted = x + s * dx + (0.5 * s * s) * acceleration;
    guards(t + s, shifted, h);
  };
  const double step = widening_for_second_differences * direction_step(t, x, 1.0, dx);
  auto base = take_vector(frame, curvatures.size());
  auto above = take_vector(frame, curvatures.size());
  auto below = take_vector(frame, curvatures.size());
  evaluate(0.0, base);
  evaluate(step, above);
  evaluate(-step, below);
  const bool above_is_finite = above.allFinite();
  if (above_is_finite == below.allFinite()) {
    curvatures = ((above - base) + (below - base)) / (step * step);
    return;
  }
  const double signed_step = above_is_finite ? step : -step;
  auto near = above_is_finite ? above : below;
  auto middle = above_is_finite ? below : above;
  auto far = take_vector(frame, curvatures.size());
  evaluate(2 * signed_step, middle);
  evaluate(3 * signed_step, far);
  curvatures = (2 * base - 5 * near + 4 * middle - far) / (step * step);
}

void Evaluator::normal_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  const JacobianCount one_jacobian(counts_);
  const SystemDefinition& definition = system_.definition();
  if (definition.normal_dx) {
    jacobian.setZero();
    definition.normal_dx(t, x, lambda, jacobian);
    return;
  }
  if (affine_) {
    normal_dx_affine(t, x, lambda, jacobian);
    return;
  }
  if (definition.guards_mixed) {
    normal_dx_mixed(t, x, lambda, jacobian);
    return;
  }
  ScratchFrame frame;
  auto direction = take_vector(frame, x.size());
  for (Index j = 0; j < x.size(); ++j) {
    direction[j] = 1;
    rate_difference(t, x, lambda, 0.0, direction, state_step(x, j), jacobian.col(j));
    direction[j] = 0;
  }
}

// ∂w/∂x = ∂h/∂x·∂f/∂x, by columns where they can be had without the matrix ∂f/∂x.
void Evaluator::normal_dx_affine(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  const SystemDefinition& definition = system_.definition();
  ScratchFrame frame;
  if (definition.field_dx && !definition.field_along) {
    auto field_jacobian = take_matrix(frame, x.size(), x.size());
    definition.field_dx(t, x, lambda, field_jacobian);
    jacobian.noalias() = affine_dx_ * field_jacobian;
    return;
  }
  auto direction = take_vector(frame, x.size());
  auto dx = take_vector(frame, x.size());
  auto column = take_vector(frame, x.size());
  for (Index j = 0; j < x.size(); ++j) {
    direction[j] = 1;
    field_along(t, x, lambda, 0.0, direction, dx, column);
    affine_directional(0.0, column, jacobian.col(j));
    direction[j] = 0;
  }
}

// ∂w/∂xⱼ is the mixed derivative of h(t + p, x + p f + q eⱼ + pq ∂f/∂xⱼ).
void Evaluator::normal_dx_mixed(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  const SystemDefinition& definition = system_.definition();
  ScratchFrame frame;
  auto dx = take_vector(frame, x.size());
  auto direction = take_vector(frame, x.size());
  auto column = take_vector(frame, x.size());
  const bool needs_matrix = definition.field_dx && !definition.field_along;
  const Index rows = needs_matrix ? x.size() : 0;
  auto field_jacobian = take_matrix(frame, rows, rows);
  if (needs_matrix) {
    field(t, x, lambda, dx);
    definition.field_dx(t, x, lambda, field_jacobian);
  }
  for (Index j = 0; j < x.size(); ++j) {
    direction[j] = 1;
    if (needs_matrix) {
      column = field_jacobian.col(j);
    } else {
      field_along(t, x, lambda, 0.0, direction, dx, column);
    }
    definition.guards_mixed(t, x, 1.0, dx, 0.0, direction, column, jacobian.col(j));
    direction[j] = 0;
  }
}

}  // namespace slideway
