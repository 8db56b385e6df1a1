#include "slideway/model/evaluator.hpp"

#include <algorithm>
#include <utility>

#include "finite_difference.hpp"
#include "slideway/autodiff/dual.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {
namespace {

// Second differences lose twice as many digits to rounding as first ones: ε^(1/4) instead of ε^(1/3).
constexpr double widening_for_second_differences = 16;

// Whatever is called while this lives is one Jacobian.
class JacobianCount {
 public:
  explicit JacobianCount(EvaluationCounts& counts) : counts_(counts), before_(counts) {}
  ~JacobianCount() {
    counts_ = before_;
    ++counts_.jacobians;
  }
  JacobianCount(const JacobianCount&) = delete;
  JacobianCount& operator=(const JacobianCount&) = delete;

 private:
  EvaluationCounts& counts_;
  EvaluationCounts before_;
};

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
  if (system_.definition().guards_affine && system_.surfaces() > 0) learn_affine_guards();
}

void Evaluator::learn_affine_guards() {
  const Index n = system_.states();
  const Index m = system_.surfaces();
  const Vector origin = Vector::Zero(n);
  affine_dt_ = Vector::Zero(m);
  guards_dt(0.0, origin, affine_dt_);
  affine_origin_ = Vector::Zero(m);
  guards(0.0, origin, affine_origin_);
  const std::optional<Pattern>& given = system_.definition().guards_dx_pattern;
  const Pattern pattern = given ? *given : full_pattern(m, n);
  const Colouring colouring = colour_columns(pattern);
  std::vector<Eigen::Triplet<double>> entries;
  Vector seed(n);
  Vector h_dot(m);
  for (Index colour = 0; colour < colouring.colours; ++colour) {
    for (Index j = 0; j < n; ++j) seed[j] = colouring.colour[static_cast<std::size_t>(j)] == colour;
    guard_directional(0.0, origin, 0.0, seed, h_dot);
    for (Index i = 0; i < m; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index k = pattern.start[row]; k < pattern.start[row + 1]; ++k) {
        const Index j = pattern.column[static_cast<std::size_t>(k)];
        if (colouring.colour[static_cast<std::size_t>(j)] == colour && h_dot[i] != 0) {
          entries.emplace_back(static_cast<int>(i), static_cast<int>(j), h_dot[i]);
        }
      }
    }
  }
  affine_dx_.resize(m, n);
  affine_dx_.setFromTriplets(entries.begin(), entries.end());
  affine_ = true;
  counts_ = {};
}

void Evaluator::guards_nearly(double t, ConstVectorRef x, VectorRef h) {
  if (!affine_) {
    guards(t, x, h);
    return;
  }
  affine_directional(t, x, h);
  h += affine_origin_;
}

double Evaluator::affine_row(Index surface, double t_dot, ConstVectorRef x_dot) const {
  double sum = t_dot * affine_dt_[surface];
  for (decltype(affine_dx_)::InnerIterator entry(affine_dx_, surface); entry; ++entry) {
    sum += entry.value() * x_dot[entry.col()];
  }
  return sum;
}

double Evaluator::guard_nearly(double t, ConstVectorRef x, Index surface) {
  if (affine_) return affine_origin_[surface] + affine_row(surface, t, x);
  ScratchFrame frame;
  auto h = take_vector(frame, system_.surfaces());
  guards(t, x, h);
  return h[surface];
}

double Evaluator::guard_rate(double t, ConstVectorRef x, ConstVectorRef dx, Index surface) {
  if (affine_) return affine_row(surface, 1.0, dx);
  ScratchFrame frame;
  auto rates = take_vector(frame, system_.surfaces());
  guard_rates(t, x, dx, rates);
  return rates[surface];
}

void Evaluator::affine_directional(double t_dot, ConstVectorRef x_dot, VectorRef h_dot) const {
  h_dot.noalias() = affine_dx_ * x_dot;
  if (t_dot != 0) h_dot += t_dot * affine_dt_;
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

// ---- steps ------------------------------------------------------------------------------------------

double Evaluator::state_step(ConstVectorRef x, Index state) const {
  const double size = typical_sizes_[state];
  // Between an absolute and a relative step: a large value may be a pressure or an angle of many turns.
  const double growth = std::sqrt(std::max(1.0, std::abs(x[state]) / size));
  return power_of_two_below(cube_root_of_epsilon() * size * growth);
}

double Evaluator::direction_step(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot) const {
  double step = 1;
  bool moves = false;
  const auto limit = [&](double own_step, double speed) {
    if (speed == 0) return;
    const double allowed = own_step / std::abs(speed);
    step = moves ? std::min(step, allowed) : allowed;
    moves = true;
  };
  // A clock runs on while the equations keep their time scale, so t takes an absolute step as long as
  // that can be resolved.
  constexpr double resolvable = 0x1p14 * std::numeric_limits<double>::epsilon();
  limit(std::max(cube_root_of_epsilon() * typical_time_, resolvable * std::abs(t)), t_dot);
  for (Index j = 0; j < x.size(); ++j) limit(state_step(x, j), x_dot[j]);
  return std::isfinite(step) && step > 0 ? power_of_two_below(step) : 1.0;
}

// ---- the field --------------------------------------------------------------------------------------

void Evaluator::field(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
  ++counts_.field;
  system_.field(t, x, lambda, dx);
}

void Evaluator::field_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  const JacobianCount one_jacobian(counts_);
  const SystemDefinition& definition = system_.definition();
  if (definition.field_dx) {
    jacobian.setZero();
    definition.field_dx(t, x, lambda, jacobian);
    return;
  }
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

void Evaluator::guards(double t, ConstVectorRef x, VectorRef h) {
  ++counts_.guards;
  system_.guards(t, x, h);
}

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

// ---- second derivatives of the guards ---------------------------------------------------------------

void Evaluator::guard_curvatures(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                                 VectorRef curvatures) {
  const SystemDefinition& definition = system_.definition();
  if (affine_) {
    ScratchFrame frame;
    auto value = take_vector(frame, x.size());
    auto acceleration = take_vector(frame, x.size());
    field_along(t, x, lambda, 1.0, dx, value, acceleration);
    affine_directional(0.0, acceleration, curvatures);
    return;
  }
  if (definition.guards_mixed) {
    ScratchFrame frame;
    auto value = take_vector(frame, x.size());
    auto acceleration = take_vector(frame, x.size());
    field_along(t, x, lambda, 1.0, dx, value, acceleration);
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
