// CornerSolver where relays' effects on the surfaces are not independent: surfaces that no relay moves at first order enter with
// their second derivatives, and relays that nothing determines are asked whether they matter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/patternless.hpp"
#include "filippov/corner_solver.hpp"
#include "filippov/hidden_turn.hpp"
#include "filippov/linear_factors.hpp"
#include "filippov/p_matrix.hpp"
#include "filippov/sliding_roots.hpp"

namespace slideway {

namespace {

constexpr Index kStatesOneByOne = 32;
// The step of the difference that gives a third derivative, as a part of the time in which the motion changes. A
// motion at rest has no such time.
constexpr double kTimeDifference = 1e-4;
// The shortest step of that difference, as a part of the time in which the equations change.
constexpr double kShortest = 1e-3;
// Ways along a motion, of the time in which the equations change, and the steps they take.
constexpr double kWays[] = {1e-4, 1e-3, 1e-2};
constexpr int kStepsAhead = 4;
// The sign of a guard ahead counts if the guard is so many times its change from halving the steps.
constexpr double kPlain = 16;
// Velocities of one motion agree to this part of the largest at the corners.
constexpr double kSameMotion = 1e-9;
// Points that are this part of the sizes of the states apart show the rounding of f where terms cancel within f: large enough to
// change the last digits of what f is made of, as the sine of an angle that is 0, and small enough beside kSameMotion.
constexpr double kNoiseReach = 65536 * kEpsilon;
constexpr int kNoisePoints = 6;
// Rounding elsewhere is at most this many times the largest of that sample.
constexpr double kBeyondNoise = 16;
// Points of the box from which the λ of a continuum are looked for: twice as many as a few relays have dimensions.
constexpr int kPointsOfContinuum = 12;
// Rounding on such a way, of what the fields at the corners make of the guard.
constexpr double kRoundingAhead = 256 * kEpsilon;

// The entries of `sides` that slide, in ascending order.
std::vector<Index> sliding_entries(const Continuation& continuation) {
  std::vector<Index> entries;
  for (std::size_t k = 0; k < continuation.sides.size(); ++k)
    if (continuation.sides[k] == Side::sliding) entries.push_back(static_cast<Index>(k));
  return entries;
}

}  // namespace

std::vector<char> CornerSolver::take_second_derivatives(double t, ConstVectorRef x,
                                                        const std::vector<Index>& surfaces,
                                                        const Vector& error, VertexTable& table,
                                                        Vector& w_zero) {
  const Index a = table.surfaces();
  Vector corner(a);
  const auto set_corner = [&](Index v) {
    for (Index i = 0; i < a; ++i) corner[i] = (v >> i) & 1 ? 1 : -1;
  };
  std::vector<char> second_order(surfaces.size(), 1);
  const auto any = [&] {
    return std::find(second_order.begin(), second_order.end(), 1) != second_order.end();
  };
  // A component may depend on different states at different corners: v may move a surface at one and not at another.
  for (Index v = 0; v < table.w.cols() && any(); ++v) {
    std::optional<Vector> errors;
    for (Index i = 0; i < a; ++i) {
      char& vanishes = second_order[static_cast<std::size_t>(i)];
      const double size = std::abs(table.w(i, v));
      if (!vanishes || size <= w_zero[i]) continue;
      if (error.size() > 0 && !errors) {
        set_corner(v);
        errors = rate_errors(t, x, surfaces, corner, error);
      }
      vanishes = errors && size <= (*errors)[i];
      if (vanishes) continue;
      set_corner(v);
      vanishes = is_hidden_at_turn(t, x, surfaces, corner, i, table.w(i, v));
    }
  }
  if (!any()) return second_order;
  for (Index i = 0; i < a; ++i) {
    if (second_order[static_cast<std::size_t>(i)]) table.w.row(i).setZero();
  }
  const double accuracy =
      evaluator_.normal_dx_source() == DerivativeSource::finite_difference ? 1e-5 : 256 * kEpsilon;
  Matrix second = Matrix::Zero(a, table.w.cols());
  Vector terms = Vector::Zero(a);
  Vector value(x.size()), acceleration(x.size());
  for (Index v = 0; v < table.w.cols(); ++v) {
    set_corner(v);
    second.col(v) = curvatures(t, x, surfaces, corner);
    evaluator_.field_along(t, x, lambda_, 1, velocity_, value, acceleration);
    for (Index i = 0; i < a; ++i) {
      const Vector& gradient = geometry_.gradient(t, x, surfaces[static_cast<std::size_t>(i)]);
      terms[i] = std::max(terms[i], gradient.cwiseAbs().dot(acceleration.cwiseAbs()));
    }
  }
  for (Index i = 0; i < a; ++i) {
    char& flag = second_order[static_cast<std::size_t>(i)];
    flag = flag && second.row(i).allFinite();
    if (!flag) continue;
    w_zero[i] = accuracy * std::max(terms[i], second.row(i).cwiseAbs().maxCoeff());
    table.w.row(i) = second.row(i);
    if (table.w.row(i).cwiseAbs().maxCoeff() <= w_zero[i]) table.w.row(i).setZero();
  }
  return second_order;
}

bool CornerSolver::is_hidden_at_turn(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                     const Vector& local, Index entry, double rate) {
  const double curvature = curvatures(t, x, surfaces, local)[entry];
  sliding_.set_sliding({});
  evaluator_.guards(t, x, rates_);
  const double here = rates_[surfaces[at(entry)]];
  return is_hidden_turn(rate, curvature, typical_time_, [&](double time) {
    const Vector there = guards_ahead(t, x, surfaces, local, time, 1);
    return there.size() == 0 ? std::numeric_limits<double>::quiet_NaN() : there[entry] - here;
  });
}

// A few choices of signs stand in for the sum of magnitudes where there are many states.
Vector CornerSolver::rate_errors(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                 const Vector& local, const Vector& error) {
  const auto rates_at = [&](const Vector& there) {
    set_relays(t, there, surfaces, local);
    evaluator_.guard_rates(t, there, velocity_, rates_);
    return Vector(rates_(surfaces));
  };
  const Vector here = rates_at(x);
  Vector sum = Vector::Zero(here.size());
  if (x.size() <= kStatesOneByOne) {
    for (Index j = 0; j < x.size(); ++j) {
      Vector there = x;
      there[j] += error[j];
      sum += (rates_at(there) - here).cwiseAbs();
    }
    return sum;
  }
  for (int trial = 0; trial < 8; ++trial) {
    Vector there = x;
    for (Index j = 0; j < x.size(); ++j) {
      there[j] += (patternless(j, trial) > 0 ? 1 : -1) * error[j];
    }
    sum = sum.cwiseMax((rates_at(there) - here).cwiseAbs());
  }
  return sum;
}

Vector CornerSolver::row_rates(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                               const std::vector<char>& second_order, const Vector& local) {
  Vector rates = curvatures(t, x, surfaces, local);
  if (std::find(second_order.begin(), second_order.end(), 1) == second_order.end()) return rates;
  const Vector velocity = velocity_;
  Vector value(x.size()), acceleration(x.size());
  evaluator_.field_along(t, x, lambda_, 1, velocity, value, acceleration);
  const double speed = velocity.norm();
  const double change = acceleration.norm();
  const double time =
      change > 0 ? std::clamp(speed / change, kShortest * typical_time_, typical_time_) : typical_time_;
  const double step = kTimeDifference * time;
  Vector ahead, behind;
  for (const double tau : {step, -step}) {
    const Vector there = x + tau * velocity + (0.5 * tau * tau) * acceleration;
    (tau > 0 ? ahead : behind) = curvatures(t + tau, there, surfaces, local);
  }
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const Index i = static_cast<Index>(k);
    if (second_order[k]) rates[i] = (ahead[i] - behind[i]) / (2 * step);
  }
  return rates;
}

Vector CornerSolver::same_velocity(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                   const Vector& sizes) {
  const Vector states = sizes_.states.size() > 0 ? sizes_.states : Vector(x.cwiseAbs());
  const auto count = static_cast<Index>(surfaces.size());
  Vector noise = Vector::Zero(x.size()), relays(count), there(x.size());
  for (int point = 0; point < kNoisePoints; ++point) {
    for (Index i = 0; i < count; ++i) relays[i] = patternless(i, point) < 0 ? -1 : 1;
    set_relays(t, x, surfaces, relays);
    const Vector here = velocity_;
    for (Index j = 0; j < x.size(); ++j)
      there[j] = x[j] + kNoiseReach * states[j] * patternless(count + j, point);
    set_relays(t, there, surfaces, relays);
    for (Index j = 0; j < x.size(); ++j) {
      const double change = std::abs(velocity_[j] - here[j]);
      if (std::isfinite(change)) noise[j] = std::max(noise[j], change);
    }
  }
  return kSameMotion * sizes + kBeyondNoise * noise;
}

std::optional<Continuation> CornerSolver::other_motion(double t, ConstVectorRef x,
                                                       const std::vector<Index>& surfaces,
                                                       const Vertices& vertices,
                                                       const Continuation& continuation, Vector& velocity) {
  const std::vector<Index> sliding = sliding_entries(continuation);
  std::vector<Index> on_surface;
  for (const Index i : sliding) on_surface.push_back(surfaces[at(i)]);
  if (sliding.empty() || continuation.unseen.cols() == 0) return std::nullopt;
  const Vector same = same_velocity(t, x, surfaces, vertices.sizes);
  Vector near = continuation.lambda;
  for (int point = 0; point < kPointsOfContinuum; ++point) {
    // The λ that hold the surfaces are a convex set: its points nearest to those of the box in general position reach into each of
    // its directions.
    for (const Index i : sliding) near[i] = patternless(i, point);
    const std::optional<Vector> root =
        nearest_dependent_root(vertices.table, sliding, continuation.lambda, near, vertices.options.w_zero);
    if (!root) continue;
    Continuation other = continuation;
    other.lambda(sliding) = *root;
    if (rule_ == SlidingRule::equivalent_control) {
      set_relays(t, x, surfaces, other.lambda);
      sliding_.set_sliding(on_surface);
      if (!sliding_.solve(t, x, lambda_, velocity_)) continue;
      other.lambda = lambda_(surfaces);
      if (!(other.lambda.lpNorm<Eigen::Infinity>() <= 1)) continue;
    }
    const Vector there = velocity_of(t, x, surfaces, other, vertices.table, vertices.fields);
    if (((there - velocity).cwiseAbs().array() <= same.array()).all()) continue;
    velocity = there;
    return other;
  }
  return std::nullopt;
}

void CornerSolver::leave_unheld(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                const Vertices& vertices, Continuation& continuation) {
  Matrix unseen = continuation.unseen;
  const RowSizes rows{vertices.table.w.cwiseAbs().rowwise().maxCoeff(), vertices.second_order};
  const std::vector<Index> left =
      leave_ahead(t, x, surfaces, sliding_entries(continuation), vertices.sizes, rows, continuation);
  if (left.empty()) return;
  for (const Index i : left) unseen.row(i).setZero();
  std::vector<Index> columns;
  for (Index j = 0; j < unseen.cols(); ++j) {
    if (!unseen.col(j).isZero(kEpsilon)) columns.push_back(j);
  }
  continuation.unseen = Matrix(unseen(Eigen::all, columns));
  continuation.stability = Stability::open;
  const std::vector<Index> sliding = sliding_entries(continuation);
  if (sliding.empty()) return;
  const Matrix effects = lambda_jacobian(vertices.table, continuation.lambda)(sliding, sliding);
  continuation.p_matrix = is_p_matrix(-effects);
  continuation.stability = continuation.p_matrix ? Stability::attracting : Stability::saddle;
}

Vector CornerSolver::field_sizes(double t, ConstVectorRef x, const std::vector<Index>& surfaces) {
  Vector sizes = Vector::Zero(x.size());
  for (const double side : {-1.0, 1.0}) {
    set_relays(t, x, surfaces, Vector::Constant(static_cast<Index>(surfaces.size()), side));
    sizes = sizes.cwiseMax(velocity_.cwiseAbs());
  }
  return sizes;
}

void CornerSolver::leave_unheld(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                const Vector& error, const Vector& w_zero, RelaySolution& solution) {
  Continuation& continuation = solution.continuation;
  const Eigen::SparseMatrix<double>& effects = solution.derivative;
  // A relay that changes any w has an effect. Only the others are worth the two evaluations of the field that has_no_effect() makes for each.
  std::vector<Index> asked;
  const auto changes_any = [&](Index i) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(effects, i); entry; ++entry)
      if (std::abs(entry.value()) > w_zero[entry.row()]) return true;
    return false;
  };
  for (const Index i : sliding_entries(continuation))
    if (!changes_any(i)) asked.push_back(i);
  if (asked.empty()) return;
  const Index a = static_cast<Index>(surfaces.size());
  Vector sizes = field_sizes(t, x, surfaces);
  const Vector second = curvatures(t, x, surfaces, continuation.lambda);
  sizes = sizes.cwiseMax(velocity_.cwiseAbs());
  const Vector uncertain = rate_errors(t, x, surfaces, continuation.lambda, error);
  RowSizes rows{solution.w.cwiseAbs() + effects.cwiseAbs() * Vector::Ones(a), {}};
  rows.second_order.assign(surfaces.size(), 0);
  for (Index i = 0; i < a; ++i) {
    if (rows.largest[i] > uncertain[i]) continue;
    rows.second_order[at(i)] = 1;
    rows.largest[i] = std::abs(second[i]);
  }
  if (leave_ahead(t, x, surfaces, asked, sizes, rows, continuation).empty()) return;
  const std::vector<Index> sliding = sliding_entries(continuation);
  continuation.stability = Stability::open;
  continuation.p_matrix = false;
  if (sliding.empty()) return;
  std::vector<Index> place(surfaces.size(), -1);
  continuation.p_matrix = shows_p_matrix(-part_of(effects, sliding, sliding, place));
  continuation.stability = continuation.p_matrix ? Stability::attracting : Stability::saddle;
}

std::vector<Index> CornerSolver::leave_ahead(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                             const std::vector<Index>& asked, const Vector& sizes,
                                             const RowSizes& rows, Continuation& continuation) {
  std::vector<Index> without_effect, held, left;
  for (const Index i : asked)
    if (has_no_effect(t, x, surfaces, continuation.lambda, i, sizes)) without_effect.push_back(i);
  if (without_effect.empty()) return left;
  for (const Index i : sliding_entries(continuation))
    if (!std::binary_search(without_effect.begin(), without_effect.end(), i)) held.push_back(surfaces[at(i)]);
  const std::vector<Side> ahead = sides_ahead(t, x, surfaces, held, rows, continuation.lambda);
  for (const Index i : without_effect) {
    const Side side = ahead[at(i)];
    if (side == Side::sliding) continue;
    continuation.sides[at(i)] = side;
    continuation.lambda[i] = side == Side::plus ? 1 : -1;
    left.push_back(i);
  }
  return left;
}

bool CornerSolver::has_no_effect(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                 const Vector& local, Index entry, const Vector& sizes) {
  Vector relays = local;
  relays[entry] = -1;
  set_relays(t, x, surfaces, relays);
  const Vector low = velocity_;
  relays[entry] = 1;
  set_relays(t, x, surfaces, relays);
  return ((velocity_ - low).cwiseAbs().array() <= 64 * kEpsilon * sizes.array()).all();
}

std::vector<Side> CornerSolver::sides_ahead(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                            const std::vector<Index>& sliding, const RowSizes& rows,
                                            const Vector& local) {
  std::vector<Side> sides(surfaces.size(), Side::sliding);
  sliding_.set_sliding(sliding);
  Vector here(lambda_.size());
  evaluator_.guards(t, x, here);
  for (const double way : kWays) {
    const double duration = way * typical_time_;
    const Vector coarse = guards_ahead(t, x, surfaces, local, duration, kStepsAhead);
    const Vector fine = guards_ahead(t, x, surfaces, local, duration, 2 * kStepsAhead);
    if (coarse.size() == 0 || fine.size() == 0 || !coarse.allFinite() || !fine.allFinite()) break;
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
      const Index i = static_cast<Index>(k);
      const double reach = rows.largest[i] * (rows.second_order[k] ? 0.5 * duration * duration : duration);
      const double uncertainty = std::abs(fine[i] - coarse[i]) + std::abs(here[surfaces[k]]) +
                                 geometry_.rounding(t, x, surfaces[k]) + kRoundingAhead * reach;
      if (sides[k] == Side::sliding && std::abs(fine[i]) > kPlain * uncertainty)
        sides[k] = fine[i] > 0 ? Side::plus : Side::minus;
    }
  }
  return sides;
}

Vector CornerSolver::guards_ahead(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                  const Vector& local, double duration, int steps) {
  // The classical method of Runge and Kutta.
  struct Stage {
    double reach, weight;
  };
  constexpr Stage stages[] = {{0, 1}, {0.5, 2}, {0.5, 2}, {1, 1}};
  for (std::size_t k = 0; k < surfaces.size(); ++k) lambda_[surfaces[k]] = local[static_cast<Index>(k)];
  const double step = duration / steps;
  Vector state = x, slope = Vector::Zero(x.size()), sum(x.size());
  double time = t;
  for (int k = 0; k < steps; ++k) {
    sum.setZero();
    for (const Stage& stage : stages) {
      const Vector there = state + stage.reach * step * slope;
      if (!sliding_.solve(time + stage.reach * step, there, lambda_, slope)) return Vector();
      sum += stage.weight * slope;
    }
    state += step / 6 * sum;
    time += step;
  }
  evaluator_.guards(time, state, rates_);
  return rates_(surfaces);
}

}  // namespace slideway
