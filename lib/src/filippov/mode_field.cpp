#include "filippov/mode_field.hpp"

#include <cmath>
#include <stdexcept>

#include "core/copy_numbers.hpp"
#include "core/factorise.hpp"
#include "filippov/dependent_relays.hpp"
#include "filippov/normal_derivative.hpp"
#include "filippov/sliding_share.hpp"

namespace slideway {

ModeField::ModeField(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator),
      geometry_(evaluator, structure),
      solver_(evaluator, structure),
      lambda_(Vector::Ones(evaluator.system().surfaces())),
      frozen_lambda_(lambda_),
      lower_lambda_(lambda_),
      frozen_lower_lambda_(lower_lambda_) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  mode_ = Mode(m);
  stabilisation_.weights = Vector::Ones(n);
  typical_sizes_ = Vector::Ones(n);
  buffers_.rates = Vector::Zero(m);
  buffers_.guard_values = Vector::Zero(m);
  for (Vector* vector : {&neighbours_.fields.minus, &neighbours_.fields.plus, &neighbours_.x,
                         &buffers_.gradient, &buffers_.state, &buffers_.difference, &buffers_.slope,
                         &solved_.x, &solved_.velocity, &constant_.way_back, &buffers_.inside}) {
    *vector = Vector::Zero(n);
  }
}

void ModeField::set_rule(SlidingRule rule) {
  rule_ = rule;
  if (rule == SlidingRule::equivalent_control) solver_.use_exact_derivatives();
}

void ModeField::begin(const Mode& mode, ConstVectorRef lambda) {
  mode.update_sliding(mode_, sliding_);
  mode_ = mode;
  mode.fill_lambda(lambda, lambda_);
  sampled_.any = false;
  sampled_.first_determinant = 0;
  if (rule_ == SlidingRule::moments && sliding_.size() > 2) {
    throw std::runtime_error("the sliding rule 'moments' is for two surfaces, not for sliding along " +
                             std::to_string(sliding_.size()) + "; choose the sliding rule 'filippov'");
  }
  if (solves_for_lambda()) solver_.set_sliding(sliding_);
  neighbours_.surface = -1;
  solved_.is_known = false;
  stabilisation_.rate = 0;
  constant_.relay = nullptr;
  constant_.looked_for = sliding_.size() != 1 || solves_for_lambda() || !evaluator_.guards_are_affine();
}

void ModeField::stabilise(double rate, ConstVectorRef weights) {
  stabilisation_.rate = rate;
  stabilisation_.weights = weights;
  constant_.way_back_known = false;
}

void ModeField::solve_newton(double t, ConstVectorRef x, VectorRef dx, bool looks) {
  solved_.is_known = false;
  if (solver_.solve(t, x, lambda_, dx, looks)) return;
  // The next guess should not start from where this one went astray.
  for (const Index i : sliding_) {
    if (!(std::abs(lambda_[i]) <= 1)) lambda_[i] = 0;
  }
  evaluator_.field(t, x, lambda_, dx);
  if (!all_finite(dx)) {
    // All corners are undefined beyond a surface along which the mode does not slide. The nearest point of
    // that surface continues the field.
    Vector nearest = x;
    if (x.allFinite() && move_to_nearest_surface(t, nearest) && solver_.solve(t, nearest, lambda_, dx))
      return;
    if (solve_in_corners(t, x, dx)) return;
    throw_not_finite(t, x, dx);
  }
  throw std::runtime_error("the sliding condition cannot be solved at t = " + std::to_string(t) +
                           in_mode_text(mode_) + ": the relays' effects on the surfaces are not independent");
}

void ModeField::solve_several(double t, ConstVectorRef x) {
  if (is_solved_at(t, x)) return;
  solved_.is_known = false;
  if (uses_moments()) {
    solve_by_moments(t, x);
  } else {
    solve_newton(t, x, solved_.velocity);
  }
  solved_.t = t;
  copy_numbers(x, solved_.x);
  solved_.is_known = true;
}

void ModeField::set_corner(Index vertex) {
  corners_.lambda = lambda_;
  for (Index i = 0; i < 2; ++i)
    corners_.lambda[sliding_[static_cast<std::size_t>(i)]] = (vertex >> i) & 1 ? 1 : -1;
}

void ModeField::solve_by_moments(double t, ConstVectorRef x) {
  corners_.table.w.resize(2, 4);
  corners_.fields.resize(x.size(), 4);
  for (Index v = 0; v < 4; ++v) {
    set_corner(v);
    evaluator_.field(t, x, corners_.lambda, corners_.fields.col(v));
    evaluator_.guard_rates(t, x, corners_.fields.col(v), buffers_.rates);
    corners_.table.w.col(v) = buffers_.rates(sliding_);
  }
  corners_.moments = solve_moments(corners_.table);
  if (!corners_.moments.solved) {
    throw std::runtime_error("the moments of the four fields cannot be solved for at t = " +
                             std::to_string(t) + in_mode_text(mode_));
  }
  lambda_[sliding_[0]] = corners_.moments.lambda[0];
  lambda_[sliding_[1]] = corners_.moments.lambda[1];
  solved_.velocity = corners_.fields * corners_.moments.weights;
}

// x' = Fμ:  J = Σ μ_v J_v + F ∂μ/∂x.
void ModeField::jacobian_by_moments(double t, ConstVectorRef x, MatrixRef jacobian) {
  const Index n = x.size();
  solve_several(t, x);
  buffers_.jacobian_plus.resize(n, n);
  buffers_.normal_plus.resize(mode_.size(), n);
  Matrix table_slope(8, n);
  jacobian.setZero();
  for (Index v = 0; v < 4; ++v) {
    set_corner(v);
    evaluator_.field_dx(t, x, corners_.lambda, buffers_.jacobian_plus);
    normal_dx_of(evaluator_, sliding_, t, x, corners_.lambda, buffers_.jacobian_plus, buffers_.normal_plus);
    jacobian += corners_.moments.weights[v] * buffers_.jacobian_plus;
    table_slope.row(2 * v) = buffers_.normal_plus.row(sliding_[0]);
    table_slope.row(2 * v + 1) = buffers_.normal_plus.row(sliding_[1]);
  }
  for (Index j = 0; j < n; ++j) {
    const Eigen::Matrix<double, 2, 4> table_dot = table_slope.col(j).reshaped(2, 4);
    jacobian.col(j) += corners_.fields * moments_derivative(corners_.table, corners_.moments, table_dot);
  }
}

const Vector& ModeField::lambda(double t, ConstVectorRef x) {
  if (solves_for_lambda()) {
    solve_several(t, x);
  } else if (sliding_.size() == 1) {
    const NeighbourFields& fields = neighbours(t, x, sliding_.front());
    lambda_[sliding_.front()] = SlidingShare(fields, lambda_[sliding_.front()]).lambda();
  }
  return lambda_;
}

ModeField::Exits ModeField::exits(double t, ConstVectorRef x, bool is_sample) {
  const Exits exits{sampled_.ratio, sampled_.product};
  const auto take = [&](const Vector& lambda, double ratio) {
    sampled_.ratio.setConstant(static_cast<Index>(sliding_.size()), ratio);
    sampled_.product = ratio * lambda(sliding_);
    return exits;
  };
  if (uses_moments()) {
    solve_several(t, x);
    if (sampled_.first_determinant == 0) sampled_.first_determinant = corners_.moments.determinant;
    return take(lambda_, corners_.moments.determinant / sampled_.first_determinant);
  }
  if (!is_sample) solve_several(t, x);
  if (!solver_.effects_vary() && is_solved_at(t, x) && sampled_.any) return take(lambda_, 1);
  if (!is_sample || !sampled_.any) sampled_.lambda = lambda_;
  sampled_.any = true;
  if (solver_.solve_exits(t, x, sampled_.lambda, sampled_.ratio, sampled_.product)) return exits;
  sampled_.lambda = lambda_;
  // Says what is wrong, if it is.
  return take(lambda(t, x), 1);
}

const NeighbourFields& ModeField::neighbours(double t, ConstVectorRef x, Index surface) {
  if (surface == neighbours_.surface && t == neighbours_.t && are_same(x, neighbours_.x))
    return neighbours_.fields;
  neighbours_.surface = -1;
  evaluator_.neighbour_fields(t, x, lambda_, surface, neighbours_.fields.minus, neighbours_.fields.plus);
  neighbours_.fields.w_minus = evaluator_.guard_rate(t, x, neighbours_.fields.minus, surface);
  neighbours_.fields.w_plus = evaluator_.guard_rate(t, x, neighbours_.fields.plus, surface);
  if (neighbours_.look_closely || !std::isfinite(neighbours_.fields.w_minus) ||
      !std::isfinite(neighbours_.fields.w_plus)) {
    neighbour_inside(t, x, surface, -1, neighbours_.fields.minus, neighbours_.fields.w_minus);
    neighbour_inside(t, x, surface, 1, neighbours_.fields.plus, neighbours_.fields.w_plus);
  }
  neighbours_.t = t;
  neighbours_.x = x;
  neighbours_.surface = surface;
  return neighbours_.fields;
}

bool ModeField::slide_on_constant_relay(double t, ConstVectorRef x, VectorRef& dx) {
  const Index i = sliding_.front();
  if (neighbours_.look_closely ||
      (neighbours_.surface == i && t == neighbours_.t && are_same(x, neighbours_.x)))
    return false;
  if (!constant_.looked_for) {
    constant_.looked_for = true;
    constant_.relay = evaluator_.relay_columns(t, x, lambda_);
    if (!constant_.relay) return false;
    double effect = 0;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(*constant_.relay, i); entry; ++entry)
      effect += entry.value() * evaluator_.affine_dx().coeff(i, entry.row());
    constant_.gap = -2 * effect;
    if (constant_.gap == 0 || !std::isfinite(constant_.gap)) constant_.relay = nullptr;
  }
  if (!constant_.relay) return false;
  const double stored = lambda_[i];
  lambda_[i] = -1;
  evaluator_.field(t, x, frozen_lambda_, dx);
  lambda_[i] = stored;
  neighbours_.surface = -1;
  neighbours_.fields.w_minus = evaluator_.guard_rate(t, x, dx, i);
  if (!std::isfinite(neighbours_.fields.w_minus)) return false;
  neighbours_.fields.w_plus = neighbours_.fields.w_minus - constant_.gap;
  const double alpha = neighbours_.fields.w_minus / constant_.gap;
  for (Eigen::SparseMatrix<double>::InnerIterator entry(*constant_.relay, i); entry; ++entry)
    dx[entry.row()] += 2 * alpha * entry.value();
  return true;
}

bool ModeField::tell_directly(DirectVelocity& direct) {
  direct.function = &evaluator_.system().definition().field;
  direct.calls = &evaluator_.counts().field;
  direct.is_confined = !sliding_.empty();
  direct.parameters = direct.is_confined ? &frozen_lower_lambda_ : &frozen_lambda_;
  if (!direct.is_confined) return true;
  const auto* const relay = constant_.relay;
  if (!relay || solves_for_lambda() || neighbours_.look_closely || stabilisation_.rate > 0) return false;
  const Index i = sliding_.front();
  copy_numbers(lambda_, lower_lambda_);
  lower_lambda_[i] = -1;
  const auto& slopes = evaluator_.affine_dx();
  const int first = slopes.outerIndexPtr()[i];
  const int first_of_relay = relay->outerIndexPtr()[i];
  direct.gap = constant_.gap;
  direct.by_time = evaluator_.affine_dt()[i];
  direct.states = slopes.innerIndexPtr() + first;
  direct.slopes = slopes.valuePtr() + first;
  direct.slope_count = slopes.outerIndexPtr()[i + 1] - first;
  direct.rows = relay->innerIndexPtr() + first_of_relay;
  direct.control = relay->valuePtr() + first_of_relay;
  direct.control_count = relay->outerIndexPtr()[i + 1] - first_of_relay;
  return true;
}

void ModeField::sliding_velocity(double t, ConstVectorRef x, VectorRef& dx, bool looks) {
  if (!solves_for_lambda()) {
    if (!((constant_.relay || !constant_.looked_for) && slide_on_constant_relay(t, x, dx))) {
      const NeighbourFields& fields = neighbours(t, x, sliding_.front());
      const double alpha = SlidingShare(fields, lambda_[sliding_.front()]).alpha();
      dx = (1 - alpha) * fields.minus + alpha * fields.plus;
    }
  } else if (uses_moments()) {
    solve_several(t, x);
    copy_numbers(solved_.velocity, dx);
  } else if (is_solved_at(t, x)) {
    copy_numbers(solved_.velocity, dx);
  } else {
    // The stages of an integrator are not asked for twice.
    solve_newton(t, x, dx, looks);
  }
  if (stabilisation_.rate > 0) add_stabilisation(t, x, dx);
}

void ModeField::add_stabilisation(double t, ConstVectorRef x, VectorRef dx) {
  if (sliding_.size() == 1 && evaluator_.guards_are_affine()) {
    // The way back to the surface is the same everywhere.
    const Index i = sliding_.front();
    if (!constant_.way_back_known) {
      evaluator_.guard_gradient(t, x, i, buffers_.gradient);
      constant_.way_back = buffers_.gradient.cwiseQuotient(stabilisation_.weights.cwiseAbs2());
      constant_.way_back /= buffers_.gradient.dot(constant_.way_back);
      constant_.way_back_known = true;
    }
    dx -= (stabilisation_.rate * evaluator_.guard_nearly(t, x, i)) * constant_.way_back;
  } else if (geometry_.correction(t, sliding_, stabilisation_.weights, x, buffers_.difference)) {
    dx += stabilisation_.rate * buffers_.difference;
  }
}

void ModeField::jacobian(double t, ConstVectorRef x, MatrixRef jacobian) {
  if (sliding_.empty()) {
    differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      evaluator_.field_dx(t, point, lambda_, jacobian);
      return jacobian.allFinite();
    });
    return;
  }
  if (uses_moments()) {
    jacobian_by_moments(t, x, jacobian);
    return;
  }
  if (solves_for_lambda()) {
    raw_jacobian_several(t, x, jacobian);
    return;
  }
  const Index n = x.size();
  if (buffers_.jacobian_minus.rows() != n) {
    const Index m = mode_.size();
    buffers_.jacobian_minus.resize(n, n);
    buffers_.jacobian_plus.resize(n, n);
    buffers_.normal_minus.resize(m, n);
    buffers_.normal_plus.resize(m, n);
  }
  const Index i = sliding_.front();
  const NeighbourFields& fields = finite_neighbours(t, x, i);
  const double stored = lambda_[i];
  const auto differentiate = [&](double side, Matrix& field_slope, Matrix& normal_slope) {
    lambda_[i] = side;
    differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      evaluator_.field_dx(t, point, lambda_, field_slope);
      normal_dx_of(evaluator_, sliding_, t, point, lambda_, field_slope, normal_slope);
      return field_slope.allFinite() && normal_slope.row(i).allFinite();
    });
  };
  differentiate(-1, buffers_.jacobian_minus, buffers_.normal_minus);
  differentiate(1, buffers_.jacobian_plus, buffers_.normal_plus);
  lambda_[i] = stored;
  const SlidingShare share(fields, stored);
  for (Index j = 0; j < n; ++j)
    buffers_.slope[j] = share.slope(buffers_.normal_minus(i, j), buffers_.normal_plus(i, j));
  buffers_.difference = fields.plus - fields.minus;
  jacobian = (1 - share.alpha()) * buffers_.jacobian_minus + share.alpha() * buffers_.jacobian_plus;
  jacobian.noalias() += buffers_.difference * buffers_.slope.transpose();
}

const std::vector<Eigen::Triplet<double>>& ModeField::relay_couplings(double t, ConstVectorRef x) {
  solve_several(t, x);
  return solver_.couplings(t, x, lambda_);
}

void ModeField::raw_jacobian_several(double t, ConstVectorRef x, MatrixRef jacobian) {
  const Index n = x.size();
  const Index m = mode_.size();
  solve_several(t, x);
  buffers_.normal_plus.resize(m, n);
  buffers_.relay_columns.resize(n, m);
  differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
    evaluator_.field_dx(t, point, lambda_, jacobian);
    normal_dx_of(evaluator_, sliding_, t, point, lambda_, jacobian, buffers_.normal_plus);
    return jacobian.allFinite();
  });
  evaluator_.field_dlambda(t, x, lambda_, buffers_.relay_columns);
  if (!jacobian.allFinite() && jacobian_in_corners(t, x, jacobian)) return;
  const Matrix relays(solver_.normal_dlambda(t, x, lambda_));
  const Matrix rows = buffers_.normal_plus(sliding_, Eigen::all);
  const Matrix slopes =
      solver_.is_dependent() ? solve_dependent(relays, rows) : Matrix(relays.partialPivLu().solve(rows));
  jacobian.noalias() -= buffers_.relay_columns(Eigen::all, sliding_) * slopes;
}

}  // namespace slideway
