#include "filippov/complementarity.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "filippov/lemke_path.hpp"
#include "filippov/linear_factors.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Part = BoxPart;

// A solution is one when every row is right to this part of its terms.
constexpr double kCertified = 1e-10;
constexpr Index kMostBlockSteps = 60;
constexpr int kBlockChances = 8;
// Problems with at least this many entries first try the start in which no entry is at a bound.
constexpr Index kMany = 32;
constexpr Index kFewBlockSteps = 10;
// The tableau of the path for more entries is beyond a gigabyte.
constexpr Index kLargestOfPath = 8000;
constexpr double kProximal = 1e-7;
constexpr int kMostProximalSteps = 40;

bool all_finite(const Matrix& M) { return M.allFinite(); }
bool all_finite(const Sparse& M) { return Eigen::Map<const Vector>(M.valuePtr(), M.nonZeros()).allFinite(); }

Vector largest_in_rows(const Matrix& M) { return M.cwiseAbs().rowwise().maxCoeff(); }
Vector largest_in_rows(const Sparse& M) {
  Vector largest = Vector::Zero(M.rows());
  for (Index j = 0; j < M.outerSize(); ++j) {
    for (Sparse::InnerIterator entry(M, j); entry; ++entry)
      largest[entry.row()] = std::max(largest[entry.row()], std::abs(entry.value()));
  }
  return largest;
}

// Scaled holds the problem with lower bounds at zero, and rows and columns scaled alike so that the diagonal is 1
// where it is positive. One size of rounding then serves all rows.
template <class MatrixType>
struct Scaled {
  MatrixType M;
  Vector q;
  Vector upper;
  Vector scale;  // z = lower + scale·z'
};

template <class MatrixType>
Scaled<MatrixType> scaled(const MatrixType& M, const Vector& q, const Vector& lower, const Vector& upper) {
  const Index n = q.size();
  Scaled<MatrixType> problem{M, q + M * lower, Vector(n), Vector::Ones(n)};
  const Vector diagonal = M.diagonal();
  const Vector largest = largest_in_rows(M);
  for (Index i = 0; i < n; ++i) {
    const double size = diagonal[i] > 0 ? diagonal[i] : largest[i];
    if (size > 0) problem.scale[i] = 1 / std::sqrt(size);
  }
  problem.M = problem.scale.asDiagonal() * M * problem.scale.asDiagonal();
  problem.q = problem.q.cwiseProduct(problem.scale).eval();
  problem.upper = (upper - lower).cwiseQuotient(problem.scale);
  return problem;
}

// The solution of M(free, free)·x = right, empty where there is none.
Vector solve_free(const Matrix& M, const std::vector<Index>& free, const Vector& right) {
  const Eigen::PartialPivLU<Matrix> factors(M(free, free));
  if (!(factors.rcond() > kEpsilon)) return {};
  Vector solution = factors.solve(right);
  // One refinement: a block near singular loses digits otherwise.
  solution += factors.solve(right - M(free, free) * solution);
  return solution;
}
Vector solve_free(const Sparse& M, const std::vector<Index>& free, const Vector& right) {
  std::vector<Index> place(at(M.rows()), -1);
  const auto solution = LinearFactors(part_of(M, free, free, place)).solve(right);
  return solution ? Vector(*solution) : Vector();
}

// z for a partition: the free entries make their rows zero. False when that cannot be solved.
template <class MatrixType>
bool solve_partition(const Scaled<MatrixType>& problem, const std::vector<Part>& parts, Vector& z) {
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

// A number counts as zero in a row below a part of the terms of all rows, or of those of the row itself. Rounding couples rows that have nothing else
// to do with each other, and terms of such a row may all be far below those of the others.
enum class ZeroOf { all_rows, own_row };

// Exchanges all entries that break a condition at once, and one at a time where that stops to gain. Fast, but nothing
// promises that it ends.
template <class MatrixType>
bool block_pivoting(const Scaled<MatrixType>& problem, std::vector<Part>& parts, Index most_steps,
                    ZeroOf zero = ZeroOf::all_rows) {
  const Index n = problem.q.size();
  Vector z;
  Index fewest = n + 1;
  int chances = kBlockChances;
  for (Index step = 0; step < most_steps; ++step) {
    if (!solve_partition(problem, parts, z)) return false;
    const Vector r = problem.q + problem.M * z;
    const Vector by_z = problem.M.cwiseAbs() * z.cwiseAbs();
    Vector r_zeros = 1e-13 * (problem.q.cwiseAbs() + by_z);
    double z_zero = 0;
    if (zero == ZeroOf::all_rows) {
      r_zeros.setConstant(1e-13 * (problem.q.cwiseAbs().maxCoeff() + by_z.maxCoeff()));
      z_zero = 1e-13 * z.lpNorm<Eigen::Infinity>();
    }
    std::vector<std::pair<Index, Part>> wrong;
    for (Index i = 0; i < n; ++i) {
      switch (parts[at(i)]) {
        case Part::lower:
          if (r[i] < -r_zeros[i]) wrong.emplace_back(i, Part::free);
          break;
        case Part::upper:
          if (r[i] > r_zeros[i]) wrong.emplace_back(i, Part::free);
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

// proximal_steps() solves with M + ε and q − εz until z stays. For a positive semidefinite M each step has one
// solution, and the steps end in a solution if there is one. They serve where rounding among many dependent rows
// leads the path astray.
template <class Accept>
bool proximal_steps(const Scaled<Matrix>& problem, Accept&& accept) {
  Scaled<Matrix> shifted = problem;
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

// The largest amount by which z breaks its conditions (see the header).
template <class MatrixType>
double error_of(const MatrixType& M, const Vector& q, const Vector& lower, const Vector& upper,
                const Vector& z) {
  if (!z.allFinite()) return kInfinity;
  const Vector r = q + M * z;
  const Vector terms = q.cwiseAbs() + M.cwiseAbs() * (z.cwiseAbs() + lower.cwiseAbs());
  double worst = 0;
  for (Index i = 0; i < q.size(); ++i) {
    if (z[i] < lower[i] || z[i] > upper[i]) return kInfinity;
    if ((z[i] == lower[i] && r[i] >= 0) || (z[i] == upper[i] && r[i] <= 0)) continue;
    worst = std::max(worst, terms[i] > 0 ? std::abs(r[i]) / terms[i] : kInfinity);
  }
  return worst;
}

template <class MatrixType>
class BoxProblem {
 public:
  BoxProblem(const MatrixType& M, const Vector& q, const Vector& lower, const Vector& upper)
      : M_(M), q_(q), lower_(lower), upper_(upper), scaled_(scaled(M, q, lower, upper)) {}

  ComplementarityAnswer solve() {
    if (!is_solved_by_blocks() && !is_solved_row_by_row()) solve_by_path();
    return std::move(answer_);
  }

 private:
  // Takes the candidate if it proves itself.
  bool accept(const Vector& candidate, ZeroOf zero = ZeroOf::all_rows) {
    Vector z = lower_ + scaled_.scale.cwiseProduct(candidate);
    // A variable at a bound is set to the bound exactly.
    const double rounding = zero == ZeroOf::own_row ? 0 : 1e-11 * candidate.lpNorm<Eigen::Infinity>();
    const Vector r = scaled_.q + scaled_.M * candidate;
    for (Index i = 0; i < z.size(); ++i) {
      if (candidate[i] <= 0 || (candidate[i] <= rounding && r[i] > 0)) z[i] = lower_[i];
      const double gap = scaled_.upper[i] - candidate[i];
      if (gap <= 0 || (gap <= rounding && r[i] < 0)) z[i] = upper_[i];
    }
    z = z.cwiseMax(lower_).cwiseMin(upper_);
    if (!(error_of(M_, q_, lower_, upper_, z) <= kCertified)) return false;
    answer_.solved = true;
    answer_.residual = q_ + M_ * z;
    answer_.z = std::move(z);
    return true;
  }

  static constexpr bool is_sparse = !std::is_same_v<MatrixType, Matrix>;

  bool is_solved_from(std::vector<Part> parts, Index most_steps) {
    Vector candidate;
    return block_pivoting(scaled_, parts, most_steps) && solve_partition(scaled_, parts, candidate) &&
           accept(candidate);
  }

  bool is_solved_by_blocks() {
    const std::size_t n = at(q_.size());
    // A dense problem gets few exchanges from this start: where many relays hold each other, one more exchange
    // hardly changes the result.
    const Index few_steps = is_sparse ? kMostBlockSteps + q_.size() : kFewBlockSteps;
    if (q_.size() >= kMany && is_solved_from(std::vector<Part>(n, Part::free), few_steps)) return true;
    std::vector<Part> parts(n, Part::lower);
    const Vector box = scaled_.upper.unaryExpr([](double u) { return std::isfinite(u) ? u : 0.0; });
    const Vector middle = scaled_.q + 0.5 * (scaled_.M * box);
    for (std::size_t i = 0; i < n; ++i) {
      const Index k = static_cast<Index>(i);
      if (middle[k] < 0 && std::isfinite(scaled_.upper[k])) parts[i] = Part::upper;
    }
    return is_solved_from(std::move(parts), kMostBlockSteps);
  }

  // From where all entries are at their lower bounds, with the zeros by which a solution proves itself.
  bool is_solved_row_by_row() {
    std::vector<Part> parts(at(q_.size()), Part::lower);
    Vector candidate;
    return block_pivoting(scaled_, parts, kMostBlockSteps, ZeroOf::own_row) &&
           solve_partition(scaled_, parts, candidate) && accept(candidate, ZeroOf::own_row);
  }

  void solve_by_path() {
    if constexpr (!is_sparse) {
      const LemkeAnswer path = follow_lemke_path(scaled_.M, scaled_.q, scaled_.upper);
      if (path.end == LemkeEnd::solved) {
        // A fresh solve of the final partition sheds the rounding of the pivots; a singular one keeps what the path found.
        Vector candidate;
        if (solve_partition(scaled_, path.parts, candidate) && accept(candidate)) return;
        if (accept(path.z)) return;
      }
      if (proximal_steps(scaled_, [this](const Vector& candidate) { return accept(candidate); })) return;
      answer_.z = lower_;
      answer_.residual = q_ + M_ * lower_;
      answer_.reason = reason(path.end);
    } else if (q_.size() > kLargestOfPath) {
      answer_.z = lower_;
      answer_.residual = q_ + M_ * lower_;
      answer_.reason = "exchanging entries does not end, and there are too many of them for the path";
    } else {
      const Matrix full = M_;
      BoxProblem<Matrix> problem(full, q_, lower_, upper_);
      problem.solve_by_path();
      answer_ = std::move(problem.answer_);
    }
  }

  static const char* reason(LemkeEnd end) {
    switch (end) {
      case LemkeEnd::solved:
        return "the path ends in a point whose residual does not prove it: the problem is too badly scaled";
      case LemkeEnd::ray:
        return "the path ends in a ray: where M is positive semidefinite there is no solution";
      case LemkeEnd::limit: break;
    }
    return "the path does not end: the problem is too badly scaled";
  }

  template <class>
  friend class BoxProblem;

  const MatrixType& M_;
  const Vector& q_;
  const Vector& lower_;
  const Vector& upper_;
  Scaled<MatrixType> scaled_;
  ComplementarityAnswer answer_ = {};
};

template <class MatrixType>
void check_sizes(const MatrixType& M, const Vector& q, const Vector& lower, const Vector& upper) {
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
}

template <class MatrixType>
ComplementarityAnswer solve(const MatrixType& M, const Vector& q, const Vector& lower, const Vector& upper) {
  ComplementarityAnswer answer;
  answer.z = lower;
  answer.residual = q + M * lower;
  if (q.size() == 0) {
    answer.solved = true;
    return answer;
  }
  if (!all_finite(M) || !q.allFinite()) {
    answer.reason = "the problem holds numbers that are not finite";
    return answer;
  }
  return BoxProblem<MatrixType>(M, q, lower, upper).solve();
}

}  // namespace

double complementarity_error(const Matrix& M, const Vector& q, const Vector& lower, const Vector& upper,
                             const Vector& z) {
  return error_of(M, q, lower, upper, z);
}

ComplementarityAnswer solve_box_complementarity(const Matrix& M, const Vector& q, const Vector& lower,
                                                const Vector& upper) {
  check_sizes(M, q, lower, upper);
  if (LinearFactors::is_dense(M.rows(), (M.array() != 0).count())) return solve(M, q, lower, upper);
  return solve(Sparse(M.sparseView()), q, lower, upper);
}

ComplementarityAnswer solve_box_complementarity(const Sparse& M, const Vector& q, const Vector& lower,
                                                const Vector& upper) {
  check_sizes(M, q, lower, upper);
  if (LinearFactors::is_dense(M.rows(), M.nonZeros())) return solve(Matrix(M), q, lower, upper);
  Sparse compressed = M;
  compressed.makeCompressed();
  return solve(compressed, q, lower, upper);
}

}  // namespace slideway
