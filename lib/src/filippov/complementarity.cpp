#include "slideway/filippov/complementarity.hpp"

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A solution is one when every row is right to this part of its terms.
constexpr double kCertified = 1e-10;
constexpr Index kMostBlockSteps = 60;
constexpr int kBlockChances = 8;
// From so many entries on, the start in which none is at a bound is tried first, for so many exchanges.
constexpr Index kMany = 32;
constexpr Index kFewBlockSteps = 10;
// A block as large as that, with no more than this part of its entries, is factored as a sparse one.
constexpr double kSparsePart = 0.1;
// Entries of a pivoted tableau below this part of the largest are rounding.
constexpr double kPivotZero = 1e-11;
constexpr double kTie = 1e-12;
constexpr double kProximal = 1e-7;
constexpr int kMostProximalSteps = 40;

enum class Part : signed char { lower, free, upper };

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The problem with the lower bounds moved to zero and rows and columns scaled alike, so that the diagonal is 1 where it
// is positive: then one size of rounding serves all rows.
struct Scaled {
  Matrix M;
  Vector q;
  Vector upper;
  Vector scale;  // z = lower + scale·z'
};

Scaled scaled(const Matrix& M, const Vector& q, const Vector& lower, const Vector& upper) {
  const Index n = q.size();
  Scaled problem{M, q + M * lower, Vector(n), Vector::Ones(n)};
  for (Index i = 0; i < n; ++i) {
    const double size = M(i, i) > 0 ? M(i, i) : M.row(i).lpNorm<Eigen::Infinity>();
    if (size > 0) problem.scale[i] = 1 / std::sqrt(size);
  }
  problem.M = problem.scale.asDiagonal() * M * problem.scale.asDiagonal();
  problem.q = problem.q.cwiseProduct(problem.scale).eval();
  problem.upper = (upper - lower).cwiseQuotient(problem.scale);
  return problem;
}

// The solution of M(free, free)·x = right, empty where there is none.
Vector solve_dense(const Matrix& M, const std::vector<Index>& free, const Vector& right) {
  const Eigen::PartialPivLU<Matrix> factors(M(free, free));
  if (!(factors.rcond() > kEpsilon)) return {};
  Vector solution = factors.solve(right);
  // One refinement: a block near singular loses digits otherwise.
  solution += factors.solve(right - M(free, free) * solution);
  return solution;
}

// The same by sparse factors, or by dense ones where they do not serve.
Vector solve_free(const Matrix& M, const std::vector<Index>& free, const Vector& right) {
  const Index n = static_cast<Index>(free.size());
  if (n < kMany) return solve_dense(M, free, right);
  const double most = kSparsePart * static_cast<double>(n * n);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < n; ++j) {
    const auto column = M.col(free[at(j)]);
    for (Index i = 0; i < n; ++i) {
      if (column[free[at(i)]] != 0) entries.emplace_back(i, j, column[free[at(i)]]);
    }
    if (static_cast<double>(entries.size()) > most) return solve_dense(M, free, right);
  }
  Eigen::SparseMatrix<double> block(n, n);
  block.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(block);
  if (factors.info() != Eigen::Success) return solve_dense(M, free, right);
  Vector solution = factors.solve(right);
  solution += factors.solve(right - block * solution);
  // The estimate of the condition is missing here: a block near singular shows by what it leaves.
  const double left = (right - block * solution).lpNorm<Eigen::Infinity>();
  const double size = right.lpNorm<Eigen::Infinity>();
  if (!(left <= kCertified * size) || !(solution.lpNorm<Eigen::Infinity>() * kEpsilon <= size)) {
    return solve_dense(M, free, right);
  }
  return solution;
}

// z for a partition: the free entries make their rows zero. False when that cannot be solved.
bool solve_partition(const Scaled& problem, const std::vector<Part>& parts, Vector& z) {
  const Index n = problem.q.size();
  std::vector<Index> free;
  z.setZero(n);
  for (Index i = 0; i < n; ++i) {
    if (parts[at(i)] == Part::free) free.push_back(i);
    if (parts[at(i)] == Part::upper) z[i] = problem.upper[i];
  }
  if (free.empty()) return true;
  const Vector solution = solve_free(problem.M, free, -(problem.q + problem.M * z)(free));
  if (solution.size() == 0 || !solution.allFinite()) return false;
  z(free) = solution;
  return true;
}

// Exchanges all entries that break a condition at once, and one at a time where that stops to gain. Fast, but nothing
// promises that it ends.
bool block_pivoting(const Scaled& problem, std::vector<Part>& parts, Index most_steps) {
  const Index n = problem.q.size();
  Vector z;
  Index fewest = n + 1;
  int chances = kBlockChances;
  for (Index step = 0; step < most_steps; ++step) {
    if (!solve_partition(problem, parts, z)) return false;
    const Vector r = problem.q + problem.M * z;
    const double r_zero =
        1e-13 * (problem.q.lpNorm<Eigen::Infinity>() + (problem.M.cwiseAbs() * z.cwiseAbs()).maxCoeff());
    const double z_zero = 1e-13 * z.lpNorm<Eigen::Infinity>();
    std::vector<std::pair<Index, Part>> wrong;
    for (Index i = 0; i < n; ++i) {
      switch (parts[at(i)]) {
        case Part::lower:
          if (r[i] < -r_zero) wrong.emplace_back(i, Part::free);
          break;
        case Part::upper:
          if (r[i] > r_zero) wrong.emplace_back(i, Part::free);
          break;
        case Part::free:
          if (z[i] < -z_zero)
            wrong.emplace_back(i, Part::lower);
          else if (z[i] > problem.upper[i] + z_zero)
            wrong.emplace_back(i, Part::upper);
          break;
      }
    }
    if (wrong.empty()) return true;
    const Index count = static_cast<Index>(wrong.size());
    if (count < fewest) {
      fewest = count;
      chances = kBlockChances;
    } else {
      --chances;
    }
    if (chances < 0) wrong.resize(1);
    for (const auto& [i, part] : wrong) parts[at(i)] = part;
  }
  return false;
}

// z ← the solution for M + ε and q − εz, over and over: for a positive semidefinite M every step is a problem with one
// solution, and the steps end in a solution if there is one. Serves where rounding among many dependent rows leads the
// path astray.
template <class Accept>
bool proximal_steps(const Scaled& problem, Accept&& accept) {
  Scaled shifted = problem;
  shifted.M.diagonal().array() += kProximal;
  std::vector<Part> parts(at(problem.q.size()), Part::lower);
  Vector z = Vector::Zero(problem.q.size());
  const Index limit = 200 + 20 * z.size();
  for (int step = 0; step < kMostProximalSteps; ++step) {
    shifted.q = problem.q - kProximal * z;
    if (!block_pivoting(shifted, parts, limit) || !solve_partition(shifted, parts, z)) return false;
    if (accept(z)) return true;
  }
  return false;
}

// Lemke's path. Every index has one moving variable: r ≥ 0 at the lower bound, z between, y = −r ≥ 0 at the upper bound;
// with z₀ that is one more than there are rows, so the solutions of
//     r − y − Mz − z₀·1 = q
// form a path, followed from z₀ = ∞ down. The variable that stops at a bound hands over to its neighbour.
class LemkePath {
 public:
  explicit LemkePath(const Scaled& problem) : problem_(problem), n_(problem.q.size()) {
    // Columns: r | z | z₀. A row reads: basic variable + Σ columns·(nonbasic) = value.
    tableau_ = Matrix::Zero(n_, 2 * n_ + 1);
    tableau_.leftCols(n_).setIdentity();
    tableau_.middleCols(n_, n_) = -problem.M;
    tableau_.col(2 * n_).setConstant(-1);
    value_ = problem.q;
    parts_.assign(at(n_), Part::lower);
    basic_.resize(at(n_));
    for (Index i = 0; i < n_; ++i) basic_[at(i)] = i;
  }

  enum class End { solved, ray, limit };

  End follow() {
    if (value_.minCoeff() >= 0) return End::solved;
    // z₀ enters at the size that makes the worst r zero; of equal ones the lexicographically least, which is the last.
    Index row = 0;
    for (Index i = 1; i < n_; ++i) {
      if (value_[i] <= value_[row]) row = i;
    }
    Index entering = hand_over(row, false);
    pivot(row, 2 * n_, 0.0);
    // Far more than any path met in practice; only rounding that breaks the lexicographic order can make it longer.
    const Index limit = 1000 + 100 * n_;
    for (Index count = 0; count < limit; ++count) {
      const double direction = parts_[at(index_of(entering))] == Part::free && from_above_ ? -1 : 1;
      const Step step = ratio_test(entering, direction);
      if (step.kind == Step::none) return End::ray;
      if (step.kind == Step::flip) {
        // z crosses the whole box: the value of the others follows, the basis stays.
        const Index i = index_of(entering);
        value_ -= direction * problem_.upper[i] * tableau_.col(entering);
        parts_[at(i)] = direction > 0 ? Part::upper : Part::lower;
        entering = i;
        from_above_ = false;
        continue;
      }
      const bool finished = basic_[at(step.row)] == 2 * n_;
      const double start = direction < 0 ? problem_.upper[index_of(entering)] : 0;
      const Index next = finished ? entering : hand_over(step.row, step.at_upper);
      const double leaving_value = step.at_upper ? problem_.upper[index_of(basic_[at(step.row)])] : 0;
      advance(step, entering, direction, start, leaving_value);
      if (finished) return End::solved;
      entering = next;
    }
    return End::limit;
  }

  const std::vector<Part>& parts() const { return parts_; }
  Vector z() const {
    Vector result = Vector::Zero(n_);
    for (Index i = 0; i < n_; ++i) {
      if (parts_[at(i)] == Part::upper) result[i] = problem_.upper[i];
    }
    for (Index row = 0; row < n_; ++row) {
      const Index variable = basic_[at(row)];
      if (variable >= n_ && variable < 2 * n_) result[variable - n_] = value_[row];
    }
    return result;
  }

 private:
  struct Step {
    enum Kind { none, flip, pivot } kind = none;
    Index row = -1;
    bool at_upper = false;
    double length = kInfinity;
  };

  Index index_of(Index variable) const { return variable < n_ ? variable : variable - n_; }

  // y moves as −r: its column is that of r with the other sign.
  double sign(Index variable) const {
    return variable < n_ && parts_[at(variable)] == Part::upper ? -1.0 : 1.0;
  }

  // The variable that takes over from the basic one of `row`, which is at a bound.
  Index hand_over(Index row, bool at_upper) {
    const Index variable = basic_[at(row)];
    const Index i = index_of(variable);
    if (variable < n_) {
      // r or y has come to zero: z leaves the bound that it was at.
      from_above_ = parts_[at(i)] == Part::upper;
      parts_[at(i)] = Part::free;
      return n_ + i;
    }
    from_above_ = false;
    parts_[at(i)] = at_upper ? Part::upper : Part::lower;
    return i;
  }

  Step ratio_test(Index entering, double direction) const {
    const Vector column = direction * sign(entering) * tableau_.col(entering);
    const double tiny = kPivotZero * std::max(1.0, column.lpNorm<Eigen::Infinity>());
    Step best;
    if (entering >= n_ && problem_.upper[entering - n_] < kInfinity) {
      best.kind = Step::flip;
      best.length = problem_.upper[entering - n_];
    }
    // The length at which the basic variable of a row meets a bound.
    const auto length_to_bound = [&](Index row) {
      if (std::abs(column[row]) <= tiny) return kInfinity;
      const double bound = column[row] > 0 ? 0.0 : upper_of(basic_[at(row)]);
      // Rounding may have carried the value beyond its bound by a little.
      return bound < kInfinity ? std::max(0.0, (value_[row] - bound) / column[row]) : kInfinity;
    };
    double shortest = best.length;
    for (Index row = 0; row < n_; ++row) shortest = std::min(shortest, length_to_bound(row));
    if (shortest == kInfinity) return best;
    const double tied = shortest + kTie * std::max(1.0, shortest);
    if (best.length > tied) best.kind = Step::none;
    for (Index row = 0; row < n_; ++row) {
      if (length_to_bound(row) > tied) continue;
      if (best.kind == Step::none || precedes(row, best, column))
        best = {Step::pivot, row, column[row] < 0, shortest};
    }
    best.length = shortest;
    return best;
  }

  double upper_of(Index variable) const {
    return variable < n_ || variable == 2 * n_ ? kInfinity : problem_.upper[variable - n_];
  }

  // Whether, of two that stop the path at the same length, this row does so first when q is perturbed by (ε, ε², …): the
  // first n columns hold how values change with q. z₀ comes before all: it ends the path.
  bool precedes(Index row, const Step& best, const Vector& column) const {
    if (basic_[at(row)] == 2 * n_) return true;
    if (best.kind == Step::pivot && basic_[at(best.row)] == 2 * n_) return false;
    for (Index j = 0; j < n_; ++j) {
      const double mine = tableau_(row, j) / column[row];
      const double other = best.kind == Step::flip ? 0 : tableau_(best.row, j) / column[best.row];
      const double tie = kTie * std::max({1.0, std::abs(mine), std::abs(other)});
      if (mine < other - tie) return true;
      if (mine > other + tie) return false;
    }
    return false;
  }

  void advance(const Step& step, Index entering, double direction, double start, double leaving_value) {
    const double entering_sign = sign(entering);
    value_ -= direction * entering_sign * step.length * tableau_.col(entering);
    const double entering_value = start + direction * step.length;
    value_[step.row] = leaving_value;
    exchange(step.row, entering, entering_sign);
    value_[step.row] = entering_value;
  }

  // z₀ takes the place of the worst r, which was below zero.
  void pivot(Index row, Index entering, double leaving_value) {
    const double length = (value_[row] - leaving_value) / tableau_(row, entering);
    value_ -= length * tableau_.col(entering);
    exchange(row, entering, 1.0);
    value_[row] = length;
  }

  // Rows are kept in terms of the variable as it moves: y for an index at its upper bound.
  void exchange(Index row, Index entering, double entering_sign) {
    const Vector column = entering_sign * tableau_.col(entering);
    tableau_.row(row) /= column[row];
    for (Index other = 0; other < n_; ++other) {
      if (other != row && column[other] != 0) tableau_.row(other) -= column[other] * tableau_.row(row);
    }
    basic_[at(row)] = entering;
  }

  const Scaled& problem_;
  Index n_;
  Matrix tableau_;
  Vector value_;  // of the basic variables
  std::vector<Index> basic_;
  std::vector<Part> parts_;
  bool from_above_ = false;
};

}  // namespace

double complementarity_error(const Matrix& M, const Vector& q, const Vector& lower, const Vector& upper,
                             const Vector& z) {
  if (!z.allFinite()) return kInfinity;
  double worst = 0;
  for (Index i = 0; i < q.size(); ++i) {
    if (z[i] < lower[i] || z[i] > upper[i]) return kInfinity;
    const double r = q[i] + M.row(i).dot(z);
    if ((z[i] == lower[i] && r >= 0) || (z[i] == upper[i] && r <= 0)) continue;
    const double terms = std::abs(q[i]) + M.row(i).cwiseAbs().dot(z.cwiseAbs() + lower.cwiseAbs());
    worst = std::max(worst, terms > 0 ? std::abs(r) / terms : kInfinity);
  }
  return worst;
}

ComplementarityAnswer solve_box_complementarity(const Matrix& M, const Vector& q, const Vector& lower,
                                                const Vector& upper) {
  const Index n = q.size();
  if (M.rows() != n || M.cols() != n || lower.size() != n || upper.size() != n) {
    refuse({.what = "the sizes do not fit",
            .where = "solve_box_complementarity",
            .expected = "M n×n, and q, lower and upper with n entries",
            .got = std::to_string(M.rows()) + "×" + std::to_string(M.cols()) + ", " + std::to_string(n) +
                   ", " + std::to_string(lower.size()) + " and " + std::to_string(upper.size())});
  }
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(lower[i]) || !(lower[i] <= upper[i])) {
      refuse({.what = "a box makes no sense",
              .where = "solve_box_complementarity, entry " + std::to_string(i),
              .expected = "a finite lower bound, at most the upper one",
              .got = "[" + std::to_string(lower[i]) + ", " + std::to_string(upper[i]) + "]"});
    }
  }
  ComplementarityAnswer answer;
  answer.z = lower;
  answer.residual = q + M * lower;
  if (n == 0) {
    answer.solved = true;
    return answer;
  }
  if (!M.allFinite() || !q.allFinite()) {
    answer.reason = "the problem holds numbers that are not finite";
    return answer;
  }
  const Scaled problem = scaled(M, q, lower, upper);
  // Takes the candidate if it proves itself.
  const auto accept = [&](const Vector& candidate) {
    Vector z = lower + problem.scale.cwiseProduct(candidate);
    // What is at a bound is there exactly.
    const double rounding = 1e-11 * candidate.lpNorm<Eigen::Infinity>();
    for (Index i = 0; i < n; ++i) {
      const double r = problem.q[i] + problem.M.row(i).dot(candidate);
      if (candidate[i] <= 0 || (candidate[i] <= rounding && r > 0)) z[i] = lower[i];
      const double gap = problem.upper[i] - candidate[i];
      if (gap <= 0 || (gap <= rounding && r < 0)) z[i] = upper[i];
    }
    z = z.cwiseMax(lower).cwiseMin(upper);
    if (!(complementarity_error(M, q, lower, upper, z) <= kCertified)) return false;
    answer.solved = true;
    answer.z = z;
    answer.residual = q + M * z;
    return true;
  };

  Vector candidate;
  // Where many relays hold each other one more hardly changes that.
  if (n >= kMany) {
    std::vector<Part> all_free(at(n), Part::free);
    if (block_pivoting(problem, all_free, kFewBlockSteps) && solve_partition(problem, all_free, candidate) &&
        accept(candidate)) {
      return answer;
    }
  }

  std::vector<Part> parts(at(n), Part::lower);
  const Vector box = problem.upper.unaryExpr([](double u) { return std::isfinite(u) ? u : 0.0; });
  const Vector middle = problem.q + 0.5 * (problem.M * box);
  for (Index i = 0; i < n; ++i) {
    if (middle[i] < 0 && std::isfinite(problem.upper[i])) parts[at(i)] = Part::upper;
  }
  if (block_pivoting(problem, parts, kMostBlockSteps) && solve_partition(problem, parts, candidate) &&
      accept(candidate)) {
    return answer;
  }

  LemkePath path(problem);
  const LemkePath::End end = path.follow();
  if (end == LemkePath::End::solved) {
    // A fresh solve of the final partition sheds the rounding of the pivots; a singular one keeps what the path found.
    if (solve_partition(problem, path.parts(), candidate) && accept(candidate)) return answer;
    if (accept(path.z())) return answer;
  }
  if (proximal_steps(problem, accept)) return answer;
  if (end == LemkePath::End::solved) {
    answer.reason =
        "the path ends in a point whose residual does not prove it: the problem is too badly scaled";
  } else if (end == LemkePath::End::ray) {
    answer.reason = "the path ends in a ray: where M is positive semidefinite there is no solution";
  } else {
    answer.reason = "the path does not end: the problem is too badly scaled";
  }
  return answer;
}

}  // namespace slideway
