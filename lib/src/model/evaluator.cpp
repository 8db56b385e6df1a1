#include "slideway/detail/model/evaluator.hpp"

#include <algorithm>
#include <utility>

#include "model/blended_system.hpp"
#include "model/finite_difference.hpp"
#include "model/held_system.hpp"
#include "model/jacobian_count.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {
namespace {

// Is the gradient of one guard cheaper, and as exact, one entry at a time than by the whole matrix?
bool gradient_from_directions(const SystemDefinition& definition) {
  if (!definition.guards_dx) return true;
  return definition.surfaces > 1 && definition.guards_along && definition.guards_dx_pattern;
}

// Grows the thread's scratch memory to what the calls below and the dual passes inside them need.
void reserve_scratch(const SystemDefinition& definition) {
  const Index n = definition.states;
  const Index m = definition.surfaces;
  constexpr Index vectors = 16;
  Index numbers = vectors * (n + m) + 8 * (n + m);  // 8: an argument and a result of Dual<Dual<double>>
  // A matrix only where a direction cannot be had without it.
  if (definition.guards_dx && !gradient_from_directions(definition)) numbers += m * n;
  if (definition.field_dx && !definition.field_along) numbers += n * n;
  ScratchFrame frame;
  frame.take<double>(numbers);
}

}  // namespace

Evaluator::Evaluator(System system)
    : system_(std::move(system)), typical_sizes_(Vector::Ones(system_.states())) {
  reserve_scratch(system_.definition());
  learn_field_colours();
  if (system_.definition().guards_affine && system_.surfaces() > 0) learn_affine_guards();
}

void Evaluator::set_typical_sizes(ConstVectorRef states, double time) {
  const std::string where = "Evaluator::set_typical_sizes";
  if (states.size() != system_.states()) {
    refuse({.what = "the number of typical sizes does not fit",
            .where = where,
            .expected = std::to_string(system_.states()) + ", one per state",
            .got = std::to_string(states.size())});
  }
  const auto require_positive = [&](double size, const std::string& name) {
    if (size > 0 && std::isfinite(size)) return;
    refuse({.what = "the typical size of " + name + " is not a positive number",
            .where = where,
            .expected = "> 0",
            .got = std::to_string(size)});
  };
  for (Index i = 0; i < states.size(); ++i) {
    require_positive(states[i], "state '" + system_.state_names()[static_cast<std::size_t>(i)] + "'");
  }
  require_positive(time, "t");
  typical_sizes_ = states;
  typical_time_ = time;
}

void Evaluator::blend_corners() {
  if (blends_corners_) return;
  system_ = blended_system(held_ ? *free_system_ : system_);
  blends_corners_ = true;
  held_system_.reset();
  if (!held_) return;
  held_system_ = held_system(system_, mask_);
  free_system_ = system_;
  system_ = *held_system_;
}

void Evaluator::break_away(double t, ConstVectorRef x, VectorRef above, VectorRef below) {
  break_away_ratios(held_ ? *free_system_ : system_, t, x, above, below);
}

void Evaluator::hold(const std::vector<Index>& surfaces) {
  if (!breaks_away()) return;
  release();
  if (!held_system_) {
    mask_ = std::make_shared<std::vector<char>>(static_cast<std::size_t>(system_.surfaces()), char{0});
    held_system_ = held_system(system_, mask_);
  }
  for (const Index i : surfaces) (*mask_)[static_cast<std::size_t>(i)] = 1;
  free_system_ = system_;
  system_ = *held_system_;
  held_ = true;
}

void Evaluator::release() {
  if (!held_) return;
  std::fill(mask_->begin(), mask_->end(), char{0});
  system_ = *free_system_;
  held_ = false;
}

// ---- steps ------------------------------------------------------------------------------------------

double Evaluator::state_step(ConstVectorRef x, Index state) const {
  return value_step(x[state], typical_sizes_[state]);
}

double Evaluator::direction_step(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot) const {
  return step_along(t, t_dot, x_dot, typical_time_, [&](Index j) { return state_step(x, j); });
}

// ---- the field --------------------------------------------------------------------------------------

void Evaluator::field_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  const JacobianCount one_jacobian(counts_);
  const SystemDefinition& definition = system_.definition();
  if (definition.field_dx) {
    jacobian.setZero();
    definition.field_dx(t, x, lambda, jacobian);
    return;
  }
  if (field_dx_by_colours(t, x, lambda, jacobian)) return;
  ScratchFrame frame;
  if (definition.field_along) {
    auto direction = take_vector(frame, x.size());
    const auto lambda_zero = take_vector(frame, lambda.size());
    auto dx = take_vector(frame, x.size());
    for (Index j = 0; j < x.size(); ++j) {
      direction[j] = 1;
      definition.field_along(t, x, lambda, 0.0, direction, lambda_zero, dx, jacobian.col(j));
      direction[j] = 0;
    }
    return;
  }
  auto shifted = take_vector(frame, x.size());
  shifted = x;
  for (Index j = 0; j < x.size(); ++j) {
    const auto evaluate = [&](double offset, VectorRef dx) {
      shifted[j] = x[j] + offset;
      field(t, shifted, lambda, dx);
    };
    difference(evaluate, state_step(x, j), DifferenceSide::both, jacobian.col(j));
    shifted[j] = x[j];
  }
}

void Evaluator::field_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  const JacobianCount one_jacobian(counts_);
  const SystemDefinition& definition = system_.definition();
  if (definition.field_dlambda) {
    jacobian.setZero();
    definition.field_dlambda(t, x, lambda, jacobian);
    return;
  }
  ScratchFrame frame;
  if (definition.field_along) {
    const auto x_zero = take_vector(frame, x.size());
    auto direction = take_vector(frame, lambda.size());
    auto dx = take_vector(frame, x.size());
    for (Index j = 0; j < lambda.size(); ++j) {
      direction[j] = 1;
      definition.field_along(t, x, lambda, 0.0, x_zero, direction, dx, jacobian.col(j));
      direction[j] = 0;
    }
    return;
  }
  auto shifted = take_vector(frame, lambda.size());
  shifted = lambda;
  for (Index j = 0; j < lambda.size(); ++j) {
    const auto evaluate = [&](double offset, VectorRef dx) {
      shifted[j] = lambda[j] + offset;
      field(t, x, shifted, dx);
    };
    const double step = power_of_two_below(cube_root_of_epsilon());
    // λ has no meaning outside [−1, 1].
    const DifferenceSide side = lambda[j] + step > 1    ? DifferenceSide::below
                                : lambda[j] - step < -1 ? DifferenceSide::above
                                                        : DifferenceSide::both;
    difference(evaluate, step, side, jacobian.col(j));
    shifted[j] = lambda[j];
  }
}

void Evaluator::field_along(double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                            ConstVectorRef x_dot, VectorRef dx, VectorRef dx_dot) {
  const SystemDefinition& definition = system_.definition();
  ScratchFrame frame;
  if (definition.field_along) {
    ++counts_.field;
    const auto lambda_zero = take_vector(frame, lambda.size());
    definition.field_along(t, x, lambda, t_dot, x_dot, lambda_zero, dx, dx_dot);
    return;
  }
  field(t, x, lambda, dx);
  if (definition.field_dx) {
    auto jacobian = take_matrix(frame, x.size(), x.size());
    ++counts_.jacobians;
    definition.field_dx(t, x, lambda, jacobian);
    dx_dot.noalias() = jacobian * x_dot;
    if (t_dot == 0) return;
    auto dx_dt = take_vector(frame, x.size());
    const auto x_zero = take_vector(frame, x.size());
    const auto at_time = [&](double offset, VectorRef value) { field(t + offset, x, lambda, value); };
    difference(at_time, direction_step(t, x, 1.0, x_zero), DifferenceSide::both, dx_dt);
    dx_dot += t_dot * dx_dt;
    return;
  }
  auto shifted = take_vector(frame, x.size());
  const auto evaluate = [&](double offset, VectorRef value) {
    shifted = x + offset * x_dot;
    field(t + offset * t_dot, shifted, lambda, value);
  };
  difference(evaluate, direction_step(t, x, t_dot, x_dot), DifferenceSide::both, dx_dot);
}

// ---- the guards -------------------------------------------------------------------------------------

void Evaluator::guards_dx(double t, ConstVectorRef x, MatrixRef jacobian) {
  if (affine_) {
    jacobian = affine_dx_;
    return;
  }
  const SystemDefinition& definition = system_.definition();
  if (definition.guards_dx) {
    ++counts_.guards;
    jacobian.setZero();
    definition.guards_dx(t, x, jacobian);
    return;
  }
  ScratchFrame frame;
  auto direction = take_vector(frame, x.size());
  for (Index j = 0; j < x.size(); ++j) {
    direction[j] = 1;
    guard_directional(t, x, 0.0, direction, jacobian.col(j));
    direction[j] = 0;
  }
}

void Evaluator::guard_gradient(double t, ConstVectorRef x, Index surface, VectorRef gradient) {
  if (affine_) {
    gradient = affine_dx_.row(surface).transpose();
    return;
  }
  const SystemDefinition& definition = system_.definition();
  const Index m = system_.surfaces();
  ScratchFrame frame;
  if (!gradient_from_directions(definition)) {
    auto jacobian = take_matrix(frame, m, x.size());
    ++counts_.guards;
    definition.guards_dx(t, x, jacobian);
    gradient = jacobian.row(surface).transpose();
    return;
  }
  auto direction = take_vector(frame, x.size());
  auto h_dot = take_vector(frame, m);
  const auto set_entry = [&](Index state) {
    direction[state] = 1;
    guard_directional(t, x, 0.0, direction, h_dot);
    gradient[state] = h_dot[surface];
    direction[state] = 0;
  };
  if (!definition.guards_dx_pattern) {
    for (Index state = 0; state < x.size(); ++state) set_entry(state);
    return;
  }
  gradient.setZero();
  const Pattern& pattern = *definition.guards_dx_pattern;
  const auto row = static_cast<std::size_t>(surface);
  for (Index k = pattern.start[row]; k < pattern.start[row + 1]; ++k) {
    set_entry(pattern.column[static_cast<std::size_t>(k)]);
  }
}

void Evaluator::guards_dt(double t, ConstVectorRef x, VectorRef derivative) {
  if (affine_) {
    derivative = affine_dt_;
    return;
  }
  const SystemDefinition& definition = system_.definition();
  if (definition.guards_dt) {
    ++counts_.guards;
    derivative.setZero();
    definition.guards_dt(t, x, derivative);
    return;
  }
  ScratchFrame frame;
  const auto x_zero = take_vector(frame, x.size());
  if (definition.guards_along) {
    guard_directional(t, x, 1.0, x_zero, derivative);
  } else {
    guard_difference(t, x, 1.0, x_zero, 1.0, derivative);
  }
}

void Evaluator::guard_directional(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                  VectorRef h_dot) {
  if (affine_) {
    affine_directional(t_dot, x_dot, h_dot);
    return;
  }
  const SystemDefinition& definition = system_.definition();
  ScratchFrame frame;
  if (definition.guards_along) {
    ++counts_.guards;
    auto h = take_vector(frame, h_dot.size());
    definition.guards_along(t, x, t_dot, x_dot, h, h_dot);
    return;
  }
  if (definition.guards_dx) {
    ++counts_.guards;
    auto jacobian = take_matrix(frame, h_dot.size(), x.size());
    definition.guards_dx(t, x, jacobian);
    h_dot.noalias() = jacobian * x_dot;
    if (t_dot == 0) return;
    auto h_dt = take_vector(frame, h_dot.size());
    guards_dt(t, x, h_dt);
    h_dot += t_dot * h_dt;
    return;
  }
  guard_difference(t, x, t_dot, x_dot, 1.0, h_dot);
}

void Evaluator::guard_rates(double t, ConstVectorRef x, ConstVectorRef dx, VectorRef rates) {
  guard_directional(t, x, 1.0, dx, rates);
}

void Evaluator::guard_difference(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                 double widening, VectorRef h_dot) {
  ScratchFrame frame;
  auto shifted = take_vector(frame, x.size());
  const auto evaluate = [&](double offset, VectorRef h) {
    shifted = x + offset * x_dot;
    guards(t + offset * t_dot, shifted, h);
  };
  difference(evaluate, widening * direction_step(t, x, t_dot, x_dot), DifferenceSide::both, h_dot);
}

// ---- sources ----------------------------------------------------------------------------------------

namespace {

DerivativeSource best(bool analytic, bool dual) {
  return analytic ? DerivativeSource::analytic
         : dual   ? DerivativeSource::dual
                  : DerivativeSource::finite_difference;
}

}  // namespace

DerivativeSource Evaluator::field_dx_source() const {
  return best(bool(system_.definition().field_dx), bool(system_.definition().field_along));
}
DerivativeSource Evaluator::field_dlambda_source() const {
  return best(bool(system_.definition().field_dlambda), bool(system_.definition().field_along));
}
DerivativeSource Evaluator::field_along_source() const {
  if (system_.definition().field_along) return DerivativeSource::dual;
  return best(bool(system_.definition().field_dx), false);
}
DerivativeSource Evaluator::guards_dx_source() const {
  return best(bool(system_.definition().guards_dx), bool(system_.definition().guards_along));
}
DerivativeSource Evaluator::guards_dt_source() const {
  return best(bool(system_.definition().guards_dt), bool(system_.definition().guards_along));
}
DerivativeSource Evaluator::guard_rates_source() const {
  if (system_.definition().guards_along) return DerivativeSource::dual;
  return best(bool(system_.definition().guards_dx), false);
}
DerivativeSource Evaluator::guard_curvatures_source() const {
  const bool exact_field = field_along_source() != DerivativeSource::finite_difference;
  return best(false, system_.definition().guards_mixed && exact_field);
}
DerivativeSource Evaluator::normal_dx_source() const {
  const bool exact_field = field_dx_source() != DerivativeSource::finite_difference;
  return best(bool(system_.definition().normal_dx), system_.definition().guards_mixed && exact_field);
}

}  // namespace slideway
