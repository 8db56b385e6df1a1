#include "slideway/filippov/corner_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filippov/depths_inside.hpp"
#include "slideway/filippov/convex_hull.hpp"
#include "slideway/filippov/dependent_relays.hpp"

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Where sliding was located to end, λ is at its bound within the accuracy of the solution there.
constexpr double kEndTie = 1e-6;
constexpr std::size_t kMostRelaysAsked = 4;

// Of two surfaces with ḧ₁ = κw₂ in all four regions, κ ≠ 0; 0 where it is not so.
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
                                const Vector& error) {
  lambda_ = lambda;
  return static_cast<Index>(surfaces.size()) <= most_enumerated_surfaces
             ? enumerate(t, x, surfaces, ends, error)
             : solve_network(t, x, surfaces, ends);
}

CornerPoint CornerSolver::solve_network(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                        const std::vector<char>& ends) {
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
  const RelaySolution solution = solve_relays(network, options, guess);
  if (!solution.solved) {
    result.answer.note = solution.note;
    return result;
  }
  result.answer.continuations = {solution.continuation};
  if (!solution.unique) result.uniqueness_not_shown = solution.note;
  const Vector gains = solution.derivative.diagonal();
  const Vector& at_mode = solution.continuation.lambda;
  result.w_minus = solution.w + gains.cwiseProduct((-1.0 - at_mode.array()).matrix());
  result.w_plus = solution.w + gains.cwiseProduct((1.0 - at_mode.array()).matrix());
  return result;
}

// A root of a guard that rounding has put beyond its surface is finite on its own side.
void CornerSolver::corner_field(double t, ConstVectorRef x) {
  evaluator_.field(t, x, lambda_, velocity_);
  evaluator_.guard_rates(t, x, velocity_, rates_);
  if (velocity_.allFinite()) return;
  const double near = SurfaceGeometry::plainly_off_zero(x);
  const Vector scale = x.cwiseAbs().cwiseMax(1.0).cwiseInverse();
  for (const double depth : depths_inside) {
    inside_ = x;
    geometry_.move_inside(t, lambda_, depth, scale, near, inside_);
    evaluator_.field(t, inside_, lambda_, velocity_);
    evaluator_.guard_rates(t, inside_, velocity_, rates_);
    if (velocity_.allFinite()) return;
  }
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

bool CornerSolver::is_multi_affine(double t, ConstVectorRef x, ConstVectorRef lambda,
                                   const std::vector<Index>& surfaces) {
  lambda_ = lambda;
  // Numbers without a pattern: λ³ − λ vanishes at 0 and ±1.
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    lambda_[surfaces[k]] = 0.7 * std::sin(0.6 + 2.39996 * static_cast<double>(k));
  }
  Vector& inside = inside_;
  Vector& low = low_;
  Vector& high = high_;
  for (Vector* vector : {&inside, &low, &high}) vector->resize(x.size());
  evaluator_.field(t, x, lambda_, inside);
  // A field that is not defined there is one that tests its signs.
  if (!inside.allFinite()) return false;
  for (std::size_t k = 0; k < std::min(surfaces.size(), kMostRelaysAsked); ++k) {
    const double stored = lambda_[surfaces[k]];
    lambda_[surfaces[k]] = -1;
    evaluator_.field(t, x, lambda_, low);
    lambda_[surfaces[k]] = 1;
    evaluator_.field(t, x, lambda_, high);
    lambda_[surfaces[k]] = stored;
    const double scale = low.lpNorm<Eigen::Infinity>() + high.lpNorm<Eigen::Infinity>();
    if (!((inside - 0.5 * ((1 - stored) * low + (1 + stored) * high)).lpNorm<Eigen::Infinity>() <=
          1e-9 * scale))
      return false;
  }
  return true;
}

CornerPoint CornerSolver::enumerate(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                    const std::vector<char>& ends, const Vector& error) {
  const Index a = static_cast<Index>(surfaces.size());
  CornerPoint result;
  result.surfaces = surfaces;
  Matrix fields;
  CornerOptions options;
  tabulate(t, x, surfaces, result.table, fields, options.w_zero);
  if (a == 2) {
    gradient_ = geometry_.gradient(t, x, surfaces[0]);
    result.half_branches =
        half_branches(result.table, fields, gradient_, geometry_.gradient(t, x, surfaces[1]));
  }
  options.lambda_tie = Vector::Zero(a);
  for (Index i = 0; i < a; ++i) {
    if (ends[static_cast<std::size_t>(i)]) options.lambda_tie[i] = kEndTie;
  }
  const std::vector<char> second_order =
      take_second_derivatives(t, x, surfaces, error, result.table, options.w_zero);
  const bool any_second = std::find(second_order.begin(), second_order.end(), 1) != second_order.end();
  if (any_second) options.rate_accuracy = 1e-6;
  options.hardly_left = Vector::Zero(a);
  for (Index i = 0; i < a; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    if (second_order[k]) continue;
    options.hardly_left[i] = geometry_.rounding(t, x, surfaces[k]);
    if (error.size() > 0)
      options.hardly_left[i] += geometry_.gradient(t, x, surfaces[k]).cwiseAbs().dot(error);
  }
  const Vector sizes =
      fields.unaryExpr([](double f) { return std::isfinite(f) ? std::abs(f) : 0.0; }).rowwise().maxCoeff();
  const auto zeros = [](const Continuation& c) {
    return std::count(c.sides.begin(), c.sides.end(), Side::sliding);
  };
  std::vector<Vector> velocities;
  const auto distinct_modes = [&] {
    CornerAnswer answer = consistent_modes(result.table, options, [&](const Vector& local) {
      return row_rates(t, x, surfaces, second_order, local);
    });
    if (rule_ == SlidingRule::moments && a == 2 && !any_second) apply_moments(result.table, options, answer);
    if (rule_ == SlidingRule::equivalent_control) apply_equivalent_control(t, x, surfaces, options, answer);
    // One motion may be named in several ways; the one that slides on more surfaces says most.
    std::vector<Continuation> distinct;
    velocities.clear();
    for (const Continuation& candidate : answer.continuations) {
      const Vector velocity = velocity_of(t, x, surfaces, candidate, result.table, fields);
      bool known = false;
      for (std::size_t k = 0; k < distinct.size(); ++k) {
        // The same mode with another λ, or another mode of the same motion.
        if (!((velocity - velocities[k]).cwiseAbs().array() <= 1e-9 * sizes.array()).all()) continue;
        known = true;
        if (zeros(candidate) > zeros(distinct[k])) distinct[k] = candidate;
        break;
      }
      if (known) continue;
      distinct.push_back(candidate);
      velocities.push_back(velocity);
    }
    answer.continuations = std::move(distinct);
    return answer;
  };
  result.answer = distinct_modes();
  // Errors may make a second mode of what hardly leaves a surface: then the one that is consistent without them counts.
  if (result.answer.continuations.size() > 1) {
    options.hardly_left.setZero();
    std::vector<Vector> wide_velocities = velocities;
    CornerAnswer exact = distinct_modes();
    if (exact.continuations.size() == 1) {
      result.answer = std::move(exact);
    } else {
      velocities = std::move(wide_velocities);
    }
  }
  for (const Continuation& continuation : result.answer.continuations) {
    if (continuation.unseen.cols() == 0) continue;
    result.undetermined = result.undetermined || is_undetermined(t, x, surfaces, continuation, sizes);
  }
  if (a <= most_surfaces_of_hull) {
    Matrix motions(x.size(), static_cast<Index>(velocities.size()));
    for (std::size_t k = 0; k < velocities.size(); ++k) motions.col(static_cast<Index>(k)) = velocities[k];
    result.in_convex_hull = hull_modes_beyond(result.table, fields, options.w_zero, motions);
  }

  if (result.answer.continuations.size() == 1) {
    const Continuation& only = result.answer.continuations.front();
    if (zeros(only) >= 2 && !only.p_matrix) {
      if (any_second || only.unseen.cols() > 0) {
        // Of these only a spiral is known that leaves them.
        const double factor = a == 2 ? second_order_factor(result.table, second_order) : 0;
        result.repelling_intersection = factor >= 1;
      } else {
        const double factor = a == 2 ? return_map_factor(result.table) : 0;
        result.repelling_intersection = !(factor > 0 && factor < 1);
      }
    }
    Vector local = only.lambda;
    result.w_minus = result.w_plus = Vector::Zero(a);
    for (Index i = 0; i < a; ++i) {
      local[i] = -1;
      result.w_minus[i] = interpolate(result.table, local)[i];
      local[i] = 1;
      result.w_plus[i] = interpolate(result.table, local)[i];
      local[i] = only.lambda[i];
    }
  }
  return result;
}

std::vector<std::vector<Index>> CornerSolver::groups(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                     const std::vector<Index>& surfaces) {
  const std::size_t a = surfaces.size();
  std::vector<std::size_t> label(a);
  for (std::size_t k = 0; k < a; ++k) label[k] = k;
  const auto join = [&](std::size_t first, std::size_t second) {
    const std::size_t from = label[second];
    const std::size_t to = label[first];
    for (std::size_t& l : label) l = l == from ? to : l;
  };
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
      // Where a field is not finite nothing says that they do not.
      if (j != k && !(change <= rounding)) join(k, j);
    }
  }
  std::vector<std::vector<Index>> result;
  for (std::size_t l = 0; l < a; ++l) {
    std::vector<Index> group;
    for (std::size_t k = 0; k < a; ++k) {
      if (label[k] == l) group.push_back(surfaces[k]);
    }
    if (!group.empty()) result.push_back(std::move(group));
  }
  return result;
}

}  // namespace slideway
