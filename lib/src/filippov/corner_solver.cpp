#include "filippov/corner_solver.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/joined.hpp"
#include "filippov/ask_inside.hpp"
#include "filippov/convex_hull.hpp"
#include "filippov/dependent_relays.hpp"

namespace slideway {

namespace {

// λ is at its bound within kEndTie, the accuracy of the solution, where sliding was located to end.
constexpr double kEndTie = 1e-6;
// The accuracy of the time of an event, in units of rounding.
constexpr double kInstant = 100;
constexpr std::size_t kMostRelaysAsked = 4;
// Rates of change that are differences have this relative accuracy.
constexpr double kDifferenceAccuracy = 1e-6;

// second_order_factor() returns κ of two surfaces with ḧ₁ = κw₂ in all four regions, or 0 where there is no such
// κ.
double second_order_factor(const VertexTable& table, const std::vector<char>& second_order) {
  if (second_order[0] == second_order[1]) return 0;
  const Index first = second_order[0] ? 0 : 1;
  const Vector second = table.w.row(first);
  const Vector rate = table.w.row(1 - first);
  const double kappa = second.dot(rate) / rate.squaredNorm();
  const double size = second.lpNorm<Eigen::Infinity>();
  if (!(std::abs(kappa) > 0) || !((second - kappa * rate).lpNorm<Eigen::Infinity>() <= 1e-9 * size)) return 0;
  Vector ordered = second;
  if (first == 1) std::swap(ordered[1], ordered[2]);
  return second_order_return_factor(ordered, kappa);
}

// A return map that contracts or expands by less than this has a factor of 1: the motion turns round and stays where it is.
constexpr double kSameTurn = 1e-9;

// The regions round the intersection of a surfaces.
std::vector<std::vector<Side>> every_region(Index a) {
  std::vector<std::vector<Side>> regions;
  for (Index v = 0; v < (Index{1} << a); ++v) {
    std::vector<Side>& sides = regions.emplace_back();
    for (Index i = 0; i < a; ++i) sides.push_back((v >> i) & 1 ? Side::plus : Side::minus);
  }
  return regions;
}

std::ptrdiff_t sliding_sides(const Continuation& continuation) {
  return std::count(continuation.sides.begin(), continuation.sides.end(), Side::sliding);
}

bool is_multi_affine(Evaluator& evaluator, double t, ConstVectorRef x, ConstVectorRef lambda,
                     const std::vector<Index>& surfaces) {
  Vector relays = lambda;
  // Numbers without a pattern: λ³ − λ vanishes at 0 and ±1.
  for (std::size_t k = 0; k < surfaces.size(); ++k)
    relays[surfaces[k]] = 0.7 * std::sin(0.6 + 2.39996 * static_cast<double>(k));
  Vector inside(x.size()), low(x.size()), high(x.size());
  evaluator.field(t, x, relays, inside);
  // A field that is not defined there is one that tests its signs.
  if (!inside.allFinite()) return false;
  for (std::size_t k = 0; k < std::min(surfaces.size(), kMostRelaysAsked); ++k) {
    const double stored = relays[surfaces[k]];
    relays[surfaces[k]] = -1;
    evaluator.field(t, x, relays, low);
    relays[surfaces[k]] = 1;
    evaluator.field(t, x, relays, high);
    relays[surfaces[k]] = stored;
    const double scale = low.lpNorm<Eigen::Infinity>() + high.lpNorm<Eigen::Infinity>();
    if (!((inside - 0.5 * ((1 - stored) * low + (1 + stored) * high)).lpNorm<Eigen::Infinity>() <=
          1e-9 * scale))
      return false;
  }
  return true;
}

}  // namespace

CornerSolver::CornerSolver(Evaluator& evaluator, const RelayStructure& structure, SlidingRule rule)
    : evaluator_(evaluator), geometry_(evaluator, structure), sliding_(evaluator, structure), rule_(rule) {
  if (rule == SlidingRule::equivalent_control) sliding_.use_exact_derivatives();
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  lambda_ = Vector::Zero(m);
  velocity_ = Vector::Zero(n);
  rates_ = Vector::Zero(m);
  curvatures_ = Vector::Zero(m);
}

// λ and the velocity with these relays at `local`.
void CornerSolver::set_relays(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                              const Vector& local) {
  for (std::size_t k = 0; k < surfaces.size(); ++k) lambda_[surfaces[k]] = local[static_cast<Index>(k)];
  evaluator_.field(t, x, lambda_, velocity_);
}

Vector CornerSolver::curvatures(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                const Vector& local) {
  set_relays(t, x, surfaces, local);
  evaluator_.guard_curvatures(t, x, lambda_, velocity_, curvatures_);
  return curvatures_(surfaces);
}

CornerPoint CornerSolver::solve(double t, ConstVectorRef x, ConstVectorRef lambda,
                                const std::vector<Index>& surfaces, const std::vector<char>& ends,
                                const Vector& error, bool root_ends, const CornerSizes& sizes) {
  lambda_ = lambda;
  root_ends_ = root_ends;
  sizes_ = sizes;
  return static_cast<Index>(surfaces.size()) <= most_enumerated_surfaces
             ? enumerate(t, x, surfaces, ends, error)
             : solve_network(t, x, surfaces, ends, error);
}

CornerPoint CornerSolver::solve_network(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                        const std::vector<char>& ends, const Vector& error) {
  const Index a = static_cast<Index>(surfaces.size());
  CornerPoint result;
  result.surfaces = surfaces;
  const Vector guess = lambda_(surfaces);
  CornerOptions options;
  options.w_zero = Vector::Zero(a);
  options.lambda_tie = Vector::Zero(a);
  set_relays(t, x, surfaces, guess);
  for (Index i = 0; i < a; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    options.w_zero[i] = 64 * kEpsilon * geometry_.rate_size(t, x, velocity_, surfaces[k]);
    if (ends[k]) options.lambda_tie[i] = kEndTie;
  }
  if (error.size() > 0) {
    options.w_error = rate_errors(t, x, surfaces, guess, error);
    for (const double side : {-1.0, 1.0})
      options.w_error =
          options.w_error.cwiseMax(rate_errors(t, x, surfaces, Vector::Constant(a, side), error));
  }
  sliding_.set_sliding(surfaces);
  const RelayNetwork network{
      .rates =
          [&](const Vector& local, Vector& w) {
            set_relays(t, x, surfaces, local);
            evaluator_.guard_rates(t, x, velocity_, rates_);
            w = rates_(surfaces);
          },
      .derivative =
          [&](const Vector& local) {
            set_relays(t, x, surfaces, local);
            return sliding_.normal_dlambda(t, x, lambda_);
          },
      .curvature = [&](const Vector& local) { return curvatures(t, x, surfaces, local); }};
  RelaySolution solution = solve_relays(network, options, guess);
  if (!solution.solved) {
    result.answer.note = solution.note;
    return result;
  }
  leave_unheld(t, x, surfaces, error.size() > 0 ? error : Vector(Vector::Zero(x.size())), options.w_zero,
               solution);
  result.answer.continuations = {solution.continuation};
  if (!solution.unique) result.uniqueness_not_shown = solution.note;
  if (solution.other) {
    // A velocity of zero is rounding of what its terms are without the constraints.
    Vector sizes = field_sizes(t, x, surfaces);
    set_relays(t, x, surfaces, solution.continuation.lambda);
    const Vector velocity = velocity_;
    set_relays(t, x, surfaces, *solution.other);
    const Vector change = (velocity_ - velocity).cwiseAbs();
    sizes = sizes.cwiseMax(velocity.cwiseAbs()).cwiseMax(velocity_.cwiseAbs());
    const Vector same = same_velocity(t, x, surfaces, sizes);
    if (!(change.array() <= same.array()).all()) {
      Continuation other = solution.continuation;
      other.lambda = *solution.other;
      result.answer.continuations.push_back(std::move(other));
      result.undetermined = true;
    }
  }
  const Vector gains = solution.derivative.diagonal();
  const Vector& at_mode = solution.continuation.lambda;
  result.w_minus = solution.w + gains.cwiseProduct((-1.0 - at_mode.array()).matrix());
  result.w_plus = solution.w + gains.cwiseProduct((1.0 - at_mode.array()).matrix());
  return result;
}

// A root of a guard that rounding has put beyond its surface is finite on its own side.
void CornerSolver::corner_field(double t, ConstVectorRef x) {
  const auto is_finite_at = [&](ConstVectorRef point) {
    evaluator_.field(t, point, lambda_, velocity_);
    evaluator_.guard_rates(t, point, velocity_, rates_);
    return velocity_.allFinite();
  };
  if (is_finite_at(x)) return;
  const double near = SurfaceGeometry::plainly_off_zero(x);
  const Vector scale = x.cwiseAbs().cwiseMax(1.0).cwiseInverse();
  const auto move = [&](double depth, Vector& point) {
    geometry_.move_inside(t, lambda_, depth, scale, near, point);
  };
  ask_inside(x, inside_, move, [&] { return is_finite_at(inside_); });
}

void CornerSolver::tabulate(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                            VertexTable& table, Matrix& fields, Vector& w_zero) {
  const Index a = static_cast<Index>(surfaces.size());
  table.w = Matrix::Zero(a, Index{1} << a);
  fields = Matrix::Zero(x.size(), table.w.cols());
  w_zero = Vector::Zero(a);
  for (Index v = 0; v < table.w.cols(); ++v) {
    for (Index i = 0; i < a; ++i) lambda_[surfaces[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
    corner_field(t, x);
    fields.col(v) = velocity_;
    table.w.col(v) = rates_(surfaces);
  }
  const Vector largest = fields.cwiseAbs().rowwise().maxCoeff();
  for (Index i = 0; i < a; ++i) {
    w_zero[i] = 64 * kEpsilon * geometry_.rate_size(t, x, largest, surfaces[static_cast<std::size_t>(i)]);
    // A relay whose effect is rounding has none.
    table.w.row(i) = (table.w.row(i).array().abs() <= w_zero[i]).select(0, table.w.row(i));
  }
}

std::string CornerSolver::code_word(double t, ConstVectorRef x, ConstVectorRef lambda,
                                    const std::vector<Index>& surfaces) {
  lambda_ = lambda;
  word_table_.w.resize(2, 4);
  for (Index v = 0; v < 4; ++v) {
    for (Index i = 0; i < 2; ++i) lambda_[surfaces[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
    evaluator_.field(t, x, lambda_, velocity_);
    for (Index i = 0; i < 2; ++i)
      word_table_.w(i, v) = evaluator_.guard_rate(t, x, velocity_, surfaces[static_cast<std::size_t>(i)]);
  }
  gradient_ = geometry_.gradient(t, x, surfaces[0]);
  return slideway::code_word(word_table_, gradient_, geometry_.gradient(t, x, surfaces[1]));
}

CornerSolver::Vertices CornerSolver::look_at_vertices(double t, ConstVectorRef x,
                                                      const std::vector<Index>& surfaces,
                                                      const std::vector<char>& ends, const Vector& error) {
  const Index a = static_cast<Index>(surfaces.size());
  Vertices result;
  CornerOptions& options = result.options;
  options.typical_time = typical_time_;
  if (root_ends_) options.ended = lambda_(surfaces);
  options.near = sizes_.near;
  tabulate(t, x, surfaces, result.table, result.fields, options.w_zero);
  if (a == 2) {
    gradient_ = geometry_.gradient(t, x, surfaces[0]);
    result.half_branches =
        half_branches(result.table, result.fields, gradient_, geometry_.gradient(t, x, surfaces[1]));
  }
  options.lambda_tie = Vector::Zero(a);
  for (Index i = 0; i < a; ++i) {
    if (ends[static_cast<std::size_t>(i)]) options.lambda_tie[i] = kEndTie;
  }
  result.second_order = take_second_derivatives(t, x, surfaces, error, result.table, options.w_zero);
  const auto& second_order = result.second_order;
  result.any_second = std::find(second_order.begin(), second_order.end(), 1) != second_order.end();
  if (result.any_second || evaluator_.guard_curvatures_source() == DerivativeSource::finite_difference)
    options.rate_accuracy = kDifferenceAccuracy;
  options.hardly_left = Vector::Zero(a);
  for (Index i = 0; i < a; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    if (second_order[k]) continue;
    options.hardly_left[i] = geometry_.rounding(t, x, surfaces[k]);
    if (error.size() > 0)
      options.hardly_left[i] += geometry_.gradient(t, x, surfaces[k]).cwiseAbs().dot(error);
  }
  if (error.size() > 0) count_instant_out(t, x, surfaces, error, result);
  result.sizes = result.fields.unaryExpr([](double f) { return std::isfinite(f) ? std::abs(f) : 0.0; })
                     .rowwise()
                     .maxCoeff();
  return result;
}

// count_instant_out() adds to the zeros of w the speed that the accuracy of the event's time cannot tell from
// zero, where the motion comes to rest across a surface in all regions at once. An example is a drive that turns
// back.
void CornerSolver::count_instant_out(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                     const Vector& error, Vertices& vertices) {
  const Index a = static_cast<Index>(surfaces.size());
  const Matrix& w = vertices.table.w;
  for (Index i = 0; i < a; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const double largest = w.row(i).lpNorm<Eigen::Infinity>();
    if (vertices.second_order[k] || !(largest > 0)) continue;
    const double tolerance = geometry_.gradient(t, x, surfaces[k]).cwiseAbs().dot(error);
    // Only surfaces across which all fields come to rest matter here.
    if (!(largest * typical_time_ <= tolerance)) continue;
    double fastest = 0;
    Vector local(a);
    for (Index v = 0; v < w.cols(); ++v) {
      for (Index j = 0; j < a; ++j) local[j] = (v >> j) & 1 ? 1 : -1;
      fastest = std::max(fastest, std::abs(curvatures(t, x, surfaces, local)[i]));
    }
    if (std::isfinite(fastest))
      vertices.options.w_zero[i] =
          std::max(vertices.options.w_zero[i], kInstant * kEpsilon * std::abs(t) * fastest);
  }
}

CornerSolver::Motions CornerSolver::find_motions(double t, ConstVectorRef x,
                                                 const std::vector<Index>& surfaces,
                                                 const Vertices& vertices) {
  Motions result;
  CornerAnswer& answer = result.answer;
  answer = consistent_modes(vertices.table, vertices.options, [&](const Vector& local) {
    return row_rates(t, x, surfaces, vertices.second_order, local);
  });
  if (rule_ == SlidingRule::moments && surfaces.size() == 2 && !vertices.any_second)
    apply_moments(vertices.table, vertices.options, answer);
  if (rule_ == SlidingRule::equivalent_control)
    apply_equivalent_control(t, x, surfaces, vertices.options, answer);
  // One motion may be named in several ways; the one that slides on more surfaces says most.
  std::vector<Continuation> distinct;
  Vector same;
  if (answer.continuations.size() > 1) same = same_velocity(t, x, surfaces, vertices.sizes);
  for (const Continuation& candidate : answer.continuations) {
    const Vector velocity = velocity_of(t, x, surfaces, candidate, vertices.table, vertices.fields);
    // The same mode with another λ, or another mode of the same motion.
    const auto known = std::find_if(
        result.velocities.begin(), result.velocities.end(),
        [&](const Vector& other) { return ((velocity - other).cwiseAbs().array() <= same.array()).all(); });
    if (known == result.velocities.end()) {
      distinct.push_back(candidate);
      result.velocities.push_back(velocity);
      continue;
    }
    Continuation& named = distinct[static_cast<std::size_t>(known - result.velocities.begin())];
    if (sliding_sides(candidate) > sliding_sides(named)) named = candidate;
  }
  for (std::size_t k = 0, found = distinct.size(); k < found; ++k) {
    if (distinct[k].unseen.cols() == 0) continue;
    leave_unheld(t, x, surfaces, vertices, distinct[k]);
    Vector velocity = result.velocities[k];
    std::optional<Continuation> other = other_motion(t, x, surfaces, vertices, distinct[k], velocity);
    if (!other) continue;
    result.any_continuum = true;
    distinct.push_back(std::move(*other));
    result.velocities.push_back(std::move(velocity));
  }
  answer.continuations = std::move(distinct);
  return result;
}

void CornerSolver::describe_only(const Vertices& vertices, CornerPoint& point) {
  const Continuation only = point.answer.continuations.front();
  std::vector<std::vector<Side>> leaving;
  const Index a = only.lambda.size();
  if (sliding_sides(only) >= 2 && !only.p_matrix) {
    if (vertices.any_second || only.unseen.cols() > 0) {
      // A spiral is the only such motion known to leave both surfaces.
      const double factor = a == 2 ? second_order_factor(vertices.table, vertices.second_order) : 0;
      if (factor > 1 + kSameTurn) leaving = every_region(a);
    } else {
      const double factor = a == 2 ? return_map_factor(vertices.table) : 0;
      if (factor > 1 + kSameTurn) leaving = every_region(a);
      if (a > 2) leaving = regions_of_leaving(vertices.table, vertices.options);
    }
  }
  point.repelling_intersection = !leaving.empty();
  Vector local = only.lambda;
  point.w_minus = point.w_plus = Vector::Zero(a);
  for (Index i = 0; i < a; ++i) {
    local[i] = -1;
    point.w_minus[i] = interpolate(vertices.table, local)[i];
    local[i] = 1;
    point.w_plus[i] = interpolate(vertices.table, local)[i];
    local[i] = only.lambda[i];
  }
  for (std::vector<Side>& sides : leaving) {
    Continuation& turn = point.answer.continuations.emplace_back();
    turn.lambda = Vector::Zero(a);
    for (Index i = 0; i < a; ++i)
      turn.lambda[i] = static_cast<double>(static_cast<signed char>(sides[at(i)]));
    turn.sides = std::move(sides);
  }
}

CornerPoint CornerSolver::enumerate(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                    const std::vector<char>& ends, const Vector& error) {
  CornerPoint result;
  result.surfaces = surfaces;
  Vertices vertices = look_at_vertices(t, x, surfaces, ends, error);
  result.half_branches = std::move(vertices.half_branches);
  Motions motions = find_motions(t, x, surfaces, vertices);
  // Errors may add a second mode that hardly leaves a surface, or remove the only mode where several relays are
  // just inside their bounds. The mode that is consistent without these allowances then counts.
  if (motions.answer.continuations.size() != 1) {
    vertices.options.hardly_left.setZero();
    Motions exact = find_motions(t, x, surfaces, vertices);
    if (exact.answer.continuations.size() == 1) motions = std::move(exact);
    // A sliding motion whose end was located has, within the tie, a component of zero for the other modes too.
    if (motions.answer.continuations.empty()) {
      const double tie = std::max(vertices.options.lambda_tie.maxCoeff(), vertices.options.lambda_zero);
      vertices.options.lambda_tie.setConstant(tie);
      motions = find_motions(t, x, surfaces, vertices);
    }
  }
  result.answer = std::move(motions.answer);
  result.undetermined = motions.any_continuum;
  if (static_cast<Index>(surfaces.size()) <= most_surfaces_of_hull) {
    Matrix velocities(x.size(), static_cast<Index>(motions.velocities.size()));
    for (std::size_t k = 0; k < motions.velocities.size(); ++k)
      velocities.col(static_cast<Index>(k)) = motions.velocities[k];
    result.in_convex_hull =
        hull_modes_beyond(vertices.table, vertices.fields, vertices.options.w_zero, velocities);
  }
  if (result.answer.continuations.size() == 1) describe_only(vertices, result);
  result.table = std::move(vertices.table);
  return result;
}

std::vector<std::vector<Index>> CornerSolver::groups(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                     const std::vector<Index>& surfaces) {
  const std::size_t a = surfaces.size();
  Joined joined(a);
  Vector low(rates_.size());
  std::vector<Eigen::Triplet<double>> slopes;
  for (std::size_t j = 0; j < a; ++j) {
    const Vector& gradient = geometry_.gradient(t, x, surfaces[j]);
    for (Index i = 0; i < gradient.size(); ++i) {
      if (gradient[i] != 0) slopes.emplace_back(static_cast<Index>(j), i, std::abs(gradient[i]));
    }
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> gradients(static_cast<Index>(a), x.size());
  gradients.setFromTriplets(slopes.begin(), slopes.end());
  for (std::size_t k = 0; k < a; ++k) {
    lambda_ = lambda;
    // Numbers without a pattern: a product of relays cannot cancel at all of them.
    for (std::size_t j = 0; j < a; ++j)
      lambda_[surfaces[j]] = std::sin(1.0 + 2.39996 * static_cast<double>(j));
    lambda_[surfaces[k]] = -1;
    evaluator_.field(t, x, lambda_, velocity_);
    evaluator_.guard_rates(t, x, velocity_, low);
    const Vector sizes = gradients * velocity_.cwiseAbs();
    lambda_[surfaces[k]] = 1;
    evaluator_.field(t, x, lambda_, velocity_);
    evaluator_.guard_rates(t, x, velocity_, rates_);
    for (std::size_t j = 0; j < a; ++j) {
      const double change = std::abs(rates_[surfaces[j]] - low[surfaces[j]]);
      const double rounding =
          64 * kEpsilon *
          (std::abs(low[surfaces[j]]) + std::abs(rates_[surfaces[j]]) + sizes[static_cast<Index>(j)]);
      // A field that is not finite cannot show that two relays act apart.
      if (!(change <= rounding)) joined.join(static_cast<Index>(k), static_cast<Index>(j));
    }
  }
  std::vector<std::vector<Index>> result = joined.groups();
  for (std::vector<Index>& group : result) {
    for (Index& member : group) member = surfaces[static_cast<std::size_t>(member)];
  }
  return result;
}

bool take_corners(Evaluator& evaluator, double t, ConstVectorRef x, ConstVectorRef lambda,
                  const std::vector<Index>& surfaces) {
  if (surfaces.empty() || evaluator.blends_corners() || evaluator.relay_columns(t, x, lambda) ||
      is_multi_affine(evaluator, t, x, lambda, surfaces))
    return false;
  evaluator.blend_corners();
  return true;
}

}  // namespace slideway
