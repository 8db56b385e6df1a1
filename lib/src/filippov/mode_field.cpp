#include "slideway/filippov/mode_field.hpp"

#include <cmath>
#include <stdexcept>

#include "core/copy_numbers.hpp"
#include "core/factorise.hpp"
#include "filippov/sliding_share.hpp"
#include "slideway/filippov/dependent_relays.hpp"

namespace slideway {

ModeField::ModeField(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator),
      geometry_(evaluator, structure),
      solver_(evaluator, structure),
      lambda_(Vector::Ones(evaluator.system().surfaces())),
      frozen_lambda_(lambda_) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  mode_ = Mode(m);
  weights_ = Vector::Ones(n);
  typical_sizes_ = Vector::Ones(n);
  rates_ = Vector::Zero(m);
  guard_values_ = Vector::Zero(m);
  for (Vector* vector : {&neighbours_.minus, &neighbours_.plus, &neighbours_x_, &gradient_, &state_,
                         &difference_, &slope_, &solved_x_, &solved_velocity_, &way_back_, &inside_}) {
    *vector = Vector::Zero(n);
  }
}

void ModeField::set_rule(SlidingRule rule) {
  rule_ = rule;
  if (rule == SlidingRule::equivalent_control) solver_.use_exact_derivatives();
}

void ModeField::set_mode(const Mode& mode, ConstVectorRef lambda) {
  mode.update_sliding(mode_, sliding_);
  mode_ = mode;
  mode.fill_lambda(lambda, lambda_);
  has_sampled_ = false;
  first_determinant_ = 0;
  if (rule_ == SlidingRule::moments && sliding_.size() > 2) {
    throw std::runtime_error("the sliding rule 'moments' is for two surfaces, not for sliding along " +
                             std::to_string(sliding_.size()) + "; choose the sliding rule 'filippov'");
  }
  if (solves_for_lambda()) solver_.set_sliding(sliding_);
  neighbours_surface_ = -1;
  solved_ = false;
  stabilisation_ = 0;
  constant_relay_ = nullptr;
  constant_relay_looked_for_ = sliding_.size() != 1 || solves_for_lambda() || !evaluator_.guards_are_affine();
}

void ModeField::stabilise(double rate, ConstVectorRef weights) {
  stabilisation_ = rate;
  weights_ = weights;
  way_back_known_ = false;
}

void ModeField::solve_newton(double t, ConstVectorRef x, VectorRef dx, bool looks) {
  solved_ = false;
  if (solver_.solve(t, x, lambda_, dx, looks)) return;
  // The next guess should not start from where this one went astray.
  for (const Index i : sliding_) {
    if (!(std::abs(lambda_[i]) <= 1)) lambda_[i] = 0;
  }
  evaluator_.field(t, x, lambda_, dx);
  if (!all_finite(dx)) {
    // Beyond a surface along which it does not slide all corners are as undefined: the nearest point of it continues them.
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
  solved_ = false;
  if (uses_moments()) {
    solve_by_moments(t, x);
  } else {
    solve_newton(t, x, solved_velocity_);
  }
  solved_t_ = t;
  copy_numbers(x, solved_x_);
  solved_ = true;
}

void ModeField::set_corner(Index vertex) {
  corner_lambda_ = lambda_;
  for (Index i = 0; i < 2; ++i)
    corner_lambda_[sliding_[static_cast<std::size_t>(i)]] = (vertex >> i) & 1 ? 1 : -1;
}

void ModeField::solve_by_moments(double t, ConstVectorRef x) {
  corner_table_.w.resize(2, 4);
  corner_fields_.resize(x.size(), 4);
  for (Index v = 0; v < 4; ++v) {
    set_corner(v);
    evaluator_.field(t, x, corner_lambda_, corner_fields_.col(v));
    evaluator_.guard_rates(t, x, corner_fields_.col(v), rates_);
    corner_table_.w.col(v) = rates_(sliding_);
  }
  moments_ = solve_moments(corner_table_);
  if (!moments_.solved) {
    throw std::runtime_error("the moments of the four fields cannot be solved for at t = " +
                             std::to_string(t) + in_mode_text(mode_));
  }
  lambda_[sliding_[0]] = moments_.lambda[0];
  lambda_[sliding_[1]] = moments_.lambda[1];
  solved_velocity_ = corner_fields_ * moments_.weights;
}

// x' = Fμ:  J = Σ μ_v J_v + F ∂μ/∂x.
void ModeField::jacobian_by_moments(double t, ConstVectorRef x, MatrixRef jacobian) {
  const Index n = x.size();
  solve_several(t, x);
  jacobian_plus_.resize(n, n);
  normal_plus_.resize(mode_.size(), n);
  Matrix table_slope(8, n);
  jacobian.setZero();
  for (Index v = 0; v < 4; ++v) {
    set_corner(v);
    evaluator_.field_dx(t, x, corner_lambda_, jacobian_plus_);
    evaluator_.normal_dx(t, x, corner_lambda_, normal_plus_);
    jacobian += moments_.weights[v] * jacobian_plus_;
    table_slope.row(2 * v) = normal_plus_.row(sliding_[0]);
    table_slope.row(2 * v + 1) = normal_plus_.row(sliding_[1]);
  }
  for (Index j = 0; j < n; ++j) {
    const Eigen::Matrix<double, 2, 4> table_dot = table_slope.col(j).reshaped(2, 4);
    jacobian.col(j) += corner_fields_ * moments_derivative(corner_table_, moments_, table_dot);
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
  const Exits exits{exit_ratio_, exit_product_};
  const auto take = [&](const Vector& lambda, double ratio) {
    exit_ratio_.setConstant(static_cast<Index>(sliding_.size()), ratio);
    exit_product_ = ratio * lambda(sliding_);
    return exits;
  };
  if (uses_moments()) {
    solve_several(t, x);
    if (first_determinant_ == 0) first_determinant_ = moments_.determinant;
    return take(lambda_, moments_.determinant / first_determinant_);
  }
  if (!is_sample) solve_several(t, x);
  if (!solver_.effects_vary() && is_solved_at(t, x) && has_sampled_) return take(lambda_, 1);
  if (!is_sample || !has_sampled_) sampled_lambda_ = lambda_;
  has_sampled_ = true;
  if (solver_.solve_exits(t, x, sampled_lambda_, exit_ratio_, exit_product_)) return exits;
  sampled_lambda_ = lambda_;
  // Says what is wrong, if it is.
  return take(lambda(t, x), 1);
}

const NeighbourFields& ModeField::neighbours(double t, ConstVectorRef x, Index surface) {
  if (surface == neighbours_surface_ && t == neighbours_t_ && are_same(x, neighbours_x_)) return neighbours_;
  neighbours_surface_ = -1;
  evaluator_.neighbour_fields(t, x, lambda_, surface, neighbours_.minus, neighbours_.plus);
  neighbours_.w_minus = evaluator_.guard_rate(t, x, neighbours_.minus, surface);
  neighbours_.w_plus = evaluator_.guard_rate(t, x, neighbours_.plus, surface);
  if (looks_closely_ || !std::isfinite(neighbours_.w_minus) || !std::isfinite(neighbours_.w_plus)) {
    neighbour_inside(t, x, surface, -1, neighbours_.minus, neighbours_.w_minus);
    neighbour_inside(t, x, surface, 1, neighbours_.plus, neighbours_.w_plus);
  }
  neighbours_t_ = t;
  neighbours_x_ = x;
  neighbours_surface_ = surface;
  return neighbours_;
}

bool ModeField::slide_on_constant_relay(double t, ConstVectorRef x, VectorRef& dx) {
  const Index i = sliding_.front();
  if (looks_closely_ || (neighbours_surface_ == i && t == neighbours_t_ && are_same(x, neighbours_x_)))
    return false;
  if (!constant_relay_looked_for_) {
    constant_relay_looked_for_ = true;
    constant_relay_ = evaluator_.relay_columns(t, x, lambda_);
    if (!constant_relay_) return false;
    double effect = 0;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(*constant_relay_, i); entry; ++entry)
      effect += entry.value() * evaluator_.affine_dx().coeff(i, entry.row());
    constant_gap_ = -2 * effect;
    if (constant_gap_ == 0 || !std::isfinite(constant_gap_)) constant_relay_ = nullptr;
  }
  if (!constant_relay_) return false;
  const double stored = lambda_[i];
  lambda_[i] = -1;
  evaluator_.field(t, x, frozen_lambda_, dx);
  lambda_[i] = stored;
  neighbours_surface_ = -1;
  neighbours_.w_minus = evaluator_.guard_rate(t, x, dx, i);
  if (!std::isfinite(neighbours_.w_minus)) return false;
  neighbours_.w_plus = neighbours_.w_minus - constant_gap_;
  const double alpha = neighbours_.w_minus / constant_gap_;
  for (Eigen::SparseMatrix<double>::InnerIterator entry(*constant_relay_, i); entry; ++entry)
    dx[entry.row()] += 2 * alpha * entry.value();
  return true;
}

void ModeField::sliding_velocity(double t, ConstVectorRef x, VectorRef& dx, bool looks) {
  if (!solves_for_lambda()) {
    if (!((constant_relay_ || !constant_relay_looked_for_) && slide_on_constant_relay(t, x, dx))) {
      const NeighbourFields& fields = neighbours(t, x, sliding_.front());
      const double alpha = SlidingShare(fields, lambda_[sliding_.front()]).alpha();
      dx = (1 - alpha) * fields.minus + alpha * fields.plus;
    }
  } else if (uses_moments()) {
    solve_several(t, x);
    copy_numbers(solved_velocity_, dx);
  } else if (is_solved_at(t, x)) {
    copy_numbers(solved_velocity_, dx);
  } else {
    // The stages of an integrator are not asked for twice.
    solve_newton(t, x, dx, looks);
  }
  if (stabilisation_ > 0) add_stabilisation(t, x, dx);
}

void ModeField::add_stabilisation(double t, ConstVectorRef x, VectorRef dx) {
  if (sliding_.size() == 1 && evaluator_.guards_are_affine()) {
    // The way back to the surface is the same everywhere.
    const Index i = sliding_.front();
    if (!way_back_known_) {
      evaluator_.guard_gradient(t, x, i, gradient_);
      way_back_ = gradient_.cwiseQuotient(weights_.cwiseAbs2());
      way_back_ /= gradient_.dot(way_back_);
      way_back_known_ = true;
    }
    dx -= (stabilisation_ * evaluator_.guard_nearly(t, x, i)) * way_back_;
  } else if (geometry_.correction(t, sliding_, weights_, x, difference_)) {
    dx += stabilisation_ * difference_;
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
  if (jacobian_minus_.rows() != n) {
    const Index m = mode_.size();
    jacobian_minus_.resize(n, n);
    jacobian_plus_.resize(n, n);
    normal_minus_.resize(m, n);
    normal_plus_.resize(m, n);
  }
  const Index i = sliding_.front();
  const NeighbourFields& fields = finite_neighbours(t, x, i);
  const double stored = lambda_[i];
  const auto differentiate = [&](double side, Matrix& field_slope, Matrix& normal_slope) {
    lambda_[i] = side;
    differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      evaluator_.field_dx(t, point, lambda_, field_slope);
      evaluator_.normal_dx(t, point, lambda_, normal_slope);
      return field_slope.allFinite() && normal_slope.row(i).allFinite();
    });
  };
  differentiate(-1, jacobian_minus_, normal_minus_);
  differentiate(1, jacobian_plus_, normal_plus_);
  lambda_[i] = stored;
  const SlidingShare share(fields, stored);
  for (Index j = 0; j < n; ++j) slope_[j] = share.slope(normal_minus_(i, j), normal_plus_(i, j));
  difference_ = fields.plus - fields.minus;
  jacobian = (1 - share.alpha()) * jacobian_minus_ + share.alpha() * jacobian_plus_;
  jacobian.noalias() += difference_ * slope_.transpose();
}

const std::vector<Eigen::Triplet<double>>& ModeField::relay_couplings(double t, ConstVectorRef x) {
  solve_several(t, x);
  return solver_.couplings(t, x, lambda_);
}

void ModeField::raw_jacobian_several(double t, ConstVectorRef x, MatrixRef jacobian) {
  const Index n = x.size();
  const Index m = mode_.size();
  solve_several(t, x);
  normal_plus_.resize(m, n);
  relay_columns_.resize(n, m);
  differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
    evaluator_.field_dx(t, point, lambda_, jacobian);
    evaluator_.normal_dx(t, point, lambda_, normal_plus_);
    return jacobian.allFinite();
  });
  evaluator_.field_dlambda(t, x, lambda_, relay_columns_);
  if (!jacobian.allFinite() && jacobian_in_corners(t, x, jacobian)) return;
  const Matrix relays(solver_.normal_dlambda(t, x, lambda_));
  const Matrix rows = normal_plus_(sliding_, Eigen::all);
  const Matrix slopes =
      solver_.is_dependent() ? solve_dependent(relays, rows) : Matrix(relays.partialPivLu().solve(rows));
  jacobian.noalias() -= relay_columns_(Eigen::all, sliding_) * slopes;
}

}  // namespace slideway
