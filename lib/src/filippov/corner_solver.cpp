#include "slideway/filippov/corner_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Where sliding was located to end, λ is at its bound within the accuracy of the solution there.
constexpr double kEndTie = 1e-6;

}  // namespace

CornerSolver::CornerSolver(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator), geometry_(evaluator, structure), sliding_(evaluator, structure) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  lambda_ = Vector::Zero(m);
  velocity_ = Vector::Zero(n);
  rates_ = Vector::Zero(m);
  curvatures_ = Vector::Zero(m);
}

// λ and the velocity with these relays at `local`.
void CornerSolver::set_relays(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local) {
  for (std::size_t k = 0; k < surfaces.size(); ++k) lambda_[surfaces[k]] = local[static_cast<Index>(k)];
  evaluator_.field(t, x, lambda_, velocity_);
}

Vector CornerSolver::curvatures(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local) {
  set_relays(t, x, surfaces, local);
  evaluator_.guard_curvatures(t, x, lambda_, velocity_, curvatures_);
  return curvatures_(surfaces);
}

CornerPoint CornerSolver::solve(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& surfaces,
                                const std::vector<char>& ends) {
  lambda_ = lambda;
  return static_cast<Index>(surfaces.size()) <= most_enumerated_surfaces ? enumerate(t, x, surfaces, ends)
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
    const Vector& gradient = geometry_.gradient(t, x, surfaces[static_cast<std::size_t>(i)]);
    options.w_zero[i] = 64 * kEpsilon * gradient.cwiseAbs().dot(velocity_.cwiseAbs());
    if (ends[static_cast<std::size_t>(i)]) options.lambda_tie[i] = kEndTie;
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

CornerPoint CornerSolver::enumerate(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                    const std::vector<char>& ends) {
  const Index a = static_cast<Index>(surfaces.size());
  CornerPoint result;
  result.surfaces = surfaces;
  result.table.w = Matrix::Zero(a, Index{1} << a);
  CornerOptions options;
  options.w_zero = Vector::Zero(a);
  options.lambda_tie = Vector::Zero(a);
  for (Index v = 0; v < result.table.w.cols(); ++v) {
    for (Index i = 0; i < a; ++i) lambda_[surfaces[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
    evaluator_.field(t, x, lambda_, velocity_);
    evaluator_.guard_rates(t, x, velocity_, rates_);
    for (Index i = 0; i < a; ++i) {
      const Index surface = surfaces[static_cast<std::size_t>(i)];
      result.table.w(i, v) = rates_[surface];
      const double terms = geometry_.gradient(t, x, surface).cwiseAbs().dot(velocity_.cwiseAbs());
      options.w_zero[i] = std::max(options.w_zero[i], 64 * kEpsilon * terms);
    }
  }
  if (a == 2) {
    const Vector first = geometry_.gradient(t, x, surfaces[0]);
    const Vector second = geometry_.gradient(t, x, surfaces[1]);
    Matrix gram(2, 2);
    gram << first.squaredNorm(), first.dot(second), first.dot(second), second.squaredNorm();
    result.code_word = code_word(result.table, gram);
  }
  for (Index i = 0; i < a; ++i) {
    if (ends[static_cast<std::size_t>(i)]) options.lambda_tie[i] = kEndTie;
  }
  result.answer = consistent_modes(result.table, options,
                                   [&](const Vector& local) { return curvatures(t, x, surfaces, local); });

  // One motion may be named in several ways; the one that slides on more surfaces says most.
  std::vector<Continuation> distinct;
  std::vector<Vector> velocities;
  for (const Continuation& candidate : result.answer.continuations) {
    set_relays(t, x, surfaces, candidate.lambda);
    const auto zeros = [](const Continuation& c) { return std::count(c.sides.begin(), c.sides.end(), Side::sliding); };
    bool known = false;
    for (std::size_t k = 0; k < distinct.size(); ++k) {
      const double scale = std::max(velocity_.lpNorm<Eigen::Infinity>(), velocities[k].lpNorm<Eigen::Infinity>());
      const double gap = (velocity_ - velocities[k]).lpNorm<Eigen::Infinity>();
      // The same mode with another λ, or another mode of the same motion.
      if (gap > 1e-9 * scale && !(scale == 0)) continue;
      known = true;
      if (zeros(candidate) > zeros(distinct[k])) distinct[k] = candidate;
      break;
    }
    if (known) continue;
    distinct.push_back(candidate);
    velocities.push_back(velocity_);
  }
  result.answer.continuations = std::move(distinct);

  if (result.answer.continuations.size() == 1) {
    const Continuation& only = result.answer.continuations.front();
    const auto zeros = std::count(only.sides.begin(), only.sides.end(), Side::sliding);
    if (zeros >= 2 && !only.p_matrix) {
      const double factor = a == 2 ? return_map_factor(result.table) : 0;
      result.repelling_intersection = !(factor > 0 && factor < 1);
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
  for (std::size_t k = 0; k < a; ++k) {
    lambda_ = lambda;
    // Numbers without a pattern: a product of relays cannot cancel at all of them.
    for (std::size_t j = 0; j < a; ++j) lambda_[surfaces[j]] = std::sin(1.0 + 2.39996 * static_cast<double>(j));
    lambda_[surfaces[k]] = -1;
    evaluator_.field(t, x, lambda_, velocity_);
    evaluator_.guard_rates(t, x, velocity_, low);
    const double size = velocity_.lpNorm<Eigen::Infinity>();
    lambda_[surfaces[k]] = 1;
    evaluator_.field(t, x, lambda_, velocity_);
    evaluator_.guard_rates(t, x, velocity_, rates_);
    for (std::size_t j = 0; j < a; ++j) {
      const double change = std::abs(rates_[surfaces[j]] - low[surfaces[j]]);
      const double rounding = 64 * kEpsilon * (std::abs(low[surfaces[j]]) + std::abs(rates_[surfaces[j]]) + size);
      if (j != k && change > rounding) join(k, j);
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
