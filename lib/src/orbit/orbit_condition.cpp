#include "orbit/orbit_condition.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "core/factorise.hpp"
#include "orbit/equilibrium_place.hpp"
#include "orbit/orbit_events.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// The events that change something, as text.
std::string events_of(const PeriodicOrbit& orbit) {
  std::string result;
  for (const EventRecord* const event : changing_events(orbit)) {
    result += std::string(to_string(event->kind)) + "(";
    for (const std::string& name : event->surface_names) result += name + ",";
    result += event->name.value_or("") + ")";
  }
  return result;
}

// The second derivative of the guard along the field beyond the surface, where the orbit arrives with this component of the field there.
double curvature_beyond(const PlaneShot& shot, double component) {
  const EventRecord* arrival = nullptr;
  double nearest = std::numeric_limits<double>::infinity(), sign = 1;
  for (const EventRecord* const event : changing_events(shot.orbit)) {
    const bool is_arrival = event->surfaces.size() == 1 && !event->listed_only &&
                            (event->kind == EventKind::crossing || event->kind == EventKind::sliding_entry);
    if (!is_arrival) continue;
    const bool comes_from_below = (*event->from)[event->surfaces[0]] == Side::minus;
    const double here = comes_from_below ? event->w_plus[0] : event->w_minus[0];
    if (std::abs(std::abs(here) - component) >= nearest) continue;
    nearest = std::abs(std::abs(here) - component);
    arrival = event;
    sign = comes_from_below ? 1 : -1;
  }
  if (arrival == nullptr) return kNoValue;
  const Vector x = shot.orbit.solution.trajectory(arrival->t);
  const EquilibriumPlace place =
      place_named(*shot.problem, shot.orbit.solution.trajectory.location(arrival->t), arrival->t, x);
  Evaluator evaluator(place.system);
  const Index surfaces = place.system.surfaces();
  Vector lambda = Vector::Zero(surfaces), field(x.size()), curvatures = Vector::Zero(surfaces);
  arrival->from->first(surfaces).fill_lambda(lambda);
  lambda[arrival->surfaces[0]] = sign;
  evaluator.field(arrival->t, x, lambda, field);
  evaluator.guard_curvatures(arrival->t, x, lambda, field, curvatures);
  return sign * curvatures[arrival->surfaces[0]];
}

}  // namespace

OrbitCondition::OrbitCondition(Bifurcation kind, const PlaneShot& at)
    : kind_(kind), events_(events_of(at.orbit)) {
  prepare(at);
}

OrbitCondition::OrbitCondition(DefiningFunction function, const PlaneShot& at)
    : kind_(function.kind), function_(std::move(function)) {
  const std::optional<double> here = function_->value(*at.problem, at.orbit);
  if (here && *here < 0) sign_ = -1;
}

Matrix OrbitCondition::matrix_of(const PlaneShot& shot) const {
  if (kind_ == Bifurcation::period_doubling)
    return shot.scaled + Matrix::Identity(shot.scaled.rows(), shot.scaled.cols());
  return shot.by_y;
}

void OrbitCondition::prepare(const PlaneShot& shot) {
  if (kind_ != Bifurcation::period_doubling && kind_ != Bifurcation::fold) return;
  const Eigen::JacobiSVD<Matrix> svd(matrix_of(shot), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vector left = svd.matrixU().rightCols(1), right = svd.matrixV().rightCols(1);
  if (left_.size() == left.size() && left_.dot(left) < 0) left = -left;
  if (right_.size() == right.size() && right_.dot(right) < 0) right = -right;
  left_ = std::move(left);
  right_ = std::move(right);
}

std::optional<double> OrbitCondition::value(const PlaneShot& shot) const {
  if (function_) {
    const std::optional<double> result = function_->value(*shot.problem, shot.orbit);
    return result ? std::optional(sign_ * *result) : std::nullopt;
  }
  if (events_of(shot.orbit) != events_) return std::nullopt;
  if (kind_ == Bifurcation::torus) {
    const double circle = second(shot).circle;
    return std::isfinite(circle) ? std::optional(circle) : std::nullopt;
  }
  const Matrix matrix = matrix_of(shot);
  const Index k = matrix.rows();
  Matrix bordered = Matrix::Zero(k + 1, k + 1);
  bordered.topLeftCorner(k, k) = matrix;
  bordered.col(k).head(k) = left_;
  bordered.row(k).head(k) = right_.transpose();
  return Vector(bordered.fullPivLu().solve(Vector(Vector::Unit(k + 1, k))))[k];
}

OrbitSecondFunctions OrbitCondition::second(const PlaneShot& shot) const {
  OrbitSecondFunctions result{
      .circle = kNoValue, .third = kNoValue, .fourth = kNoValue, .curvature = kNoValue};
  const Index n = shot.scaled.rows();
  result.fold = shot.by_y.fullPivLu().determinant();
  result.doubling = Matrix(shot.scaled + Matrix::Identity(n, n)).fullPivLu().determinant();
  const Eigen::EigenSolver<Matrix> solver(shot.scaled, false);
  double product = 1, nearest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    const std::complex<double> value = solver.eigenvalues()[i];
    if (!(value.imag() > 0)) continue;
    const double beside = std::norm(value) - 1;
    product *= beside;
    if (std::abs(beside) >= nearest) continue;
    nearest = std::abs(beside);
    result.circle = 0;
    result.third = std::cos(std::arg(value)) + 0.5;
    result.fourth = std::cos(std::arg(value));
  }
  if (std::isfinite(result.circle)) result.circle = product;
  const bool is_arrival = kind_ == Bifurcation::crossing_sliding || kind_ == Bifurcation::switching_sliding;
  if (is_arrival && function_)
    if (const std::optional<double> component = value(shot))
      result.curvature = curvature_beyond(shot, std::abs(*component));
  return result;
}

}  // namespace slideway
