#include "filippov/relay_network.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/at.hpp"
#include "core/factorise.hpp"
#include "core/joined.hpp"
#include "core/patternless.hpp"
#include "filippov/complementarity.hpp"
#include "filippov/dependent_relays.hpp"
#include "filippov/linear_factors.hpp"
#include "filippov/p_matrix.hpp"

namespace slideway {

namespace {

constexpr int kMostRelayings = 40;
constexpr int kAffineProbes = 3;
constexpr std::size_t kMostLoosePasses = 8;
constexpr std::size_t kMostLooseShown = 64;
// A singular D is moved by this part of its size, and each turn of the inverse iteration gains as many digits.
constexpr double kOffSingular = 1e-7;
constexpr int kKernelTurns = 3;
// Starts of the iteration: a kernel of several dimensions is seen from different sides.
constexpr int kKernelPoints = 4;
// Entries of a direction, and room for λ along it, that are rounding.
constexpr double kKernelZero = 1e-9;
constexpr double kLeastRoom = 1e-6;

using Sparse = Eigen::SparseMatrix<double>;

Vector row_sums(const Sparse& matrix) { return matrix.cwiseAbs() * Vector::Ones(matrix.cols()); }

// The connected components of the pattern of a square matrix, each sorted.
std::vector<std::vector<Index>> connected_components(const Sparse& matrix) {
  Joined joined(at(matrix.rows()));
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Sparse::InnerIterator entry(matrix, j); entry; ++entry) {
      if (entry.value() != 0) joined.join(entry.row(), j);
    }
  }
  return joined.groups();
}

class Networks {
 public:
  Networks(const RelayNetwork& network, const CornerOptions& options)
      : network_(network), options_(options), n_(options.w_zero.size()) {}

  RelaySolution solve(const Vector& guess) {
    RelaySolution result;
    Vector lambda = guess.cwiseMax(-1.0).cwiseMin(1.0);
    Vector w(n_);
    network_.rates(lambda, w);
    Sparse derivative = network_.derivative(lambda);
    result.affine = is_affine(lambda, w, derivative);
    std::vector<Index> place(at(n_), -1);
    bool settled = false;
    for (int step = 0; step < kMostRelayings && !settled; ++step) {
      Vector next = lambda;
      if (!w.allFinite() || !derivative.coeffs().allFinite()) {
        result.note = "the fields at the corner are not finite";
        return result;
      }
      for (const std::vector<Index>& members : connected_components(derivative)) {
        const Sparse block = -part_of(derivative, members, members, place);
        const Vector constant = -w(members) - block * lambda(members);
        const Vector ones = Vector::Ones(block.rows());
        const ComplementarityAnswer answer = solve_box_complementarity(block, constant, -ones, ones);
        if (!answer.solved) {
          result.note = "the relays' complementarity problem is not solved: " + answer.reason;
          return result;
        }
        next(members) = answer.z;
      }
      const double change = (next - lambda).lpNorm<Eigen::Infinity>();
      lambda = next;
      network_.rates(lambda, w);
      if (!result.affine) derivative = network_.derivative(lambda);
      settled = result.affine || change <= 1e-13 || (change <= 1e-9 && is_consistent(lambda, w, derivative));
    }
    if (!settled || !is_consistent(lambda, w, derivative)) {
      result.note = "linearising the relays' problem over and over does not settle on a consistent mode";
      return result;
    }
    result.derivative = std::move(derivative);
    result.w = w;
    return decide(std::move(result), lambda);
  }

 private:
  bool is_affine(const Vector& lambda, const Vector& w, const Sparse& derivative) const {
    std::mt19937 random(12345);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Vector probe(n_), there(n_);
    for (int trial = 0; trial < kAffineProbes; ++trial) {
      for (Index i = 0; i < n_; ++i) probe[i] = uniform(random);
      network_.rates(probe, there);
      const Vector expected = w + derivative * (probe - lambda);
      const Vector size =
          there.cwiseAbs() + w.cwiseAbs() + derivative.cwiseAbs() * (probe - lambda).cwiseAbs();
      if (!((there - expected).cwiseAbs().array() <= 1e-11 * size.array() + 16 * options_.w_zero.array())
               .all()) {
        return false;
      }
    }
    return true;
  }

  Vector w_zero(const Sparse& derivative) const {
    Vector zero = options_.w_zero.cwiseMax(1e-12 * row_sums(derivative));
    if (options_.lambda_tie.size() > 0)
      zero = zero.cwiseMax(options_.lambda_tie.cwiseProduct(Vector(derivative.diagonal()).cwiseAbs()));
    return zero;
  }

  // λ ∈ Sgn(w), each w to a rounding of its terms.
  bool is_consistent(const Vector& lambda, const Vector& w, const Sparse& derivative) const {
    const Vector zero = options_.w_zero.cwiseMax(1e-9 * row_sums(derivative));
    for (Index i = 0; i < n_; ++i) {
      if (lambda[i] < 1 && w[i] > zero[i]) return false;
      if (lambda[i] > -1 && w[i] < -zero[i]) return false;
    }
    return true;
  }

  RelaySolution decide(RelaySolution result, Vector lambda) {
    const Sparse& derivative = result.derivative;
    const Vector zero = w_zero(derivative);
    std::vector<Side> sides(at(n_));
    std::vector<Index> sliding, tied;
    const bool loose_are_shown = settle_loose(result.w, derivative, zero, lambda);
    const Vector rows = row_sums(derivative);
    const Vector columns = row_sums(derivative.transpose());
    bool any_apart = false;
    for (Index i = 0; i < n_; ++i) {
      if (loose_[at(i)] != 0) {
        sides[at(i)] = lambda[i] > 0 ? Side::plus : Side::minus;
        continue;
      }
      // A kink at rest is apart from all relays: no equation holds its λ.
      if (rows[i] == 0 && columns[i] == 0 && std::abs(result.w[i]) <= zero[i]) {
        sides[at(i)] = Side::sliding;
        any_apart = true;
        continue;
      }
      const double tie =
          std::max(options_.lambda_zero, options_.lambda_tie.size() > 0 ? options_.lambda_tie[i] : 0);
      const bool at_bound = std::abs(lambda[i]) >= 1 - tie;
      if (at_bound && std::abs(result.w[i]) <= zero[i]) {
        tied.push_back(i);
      } else if (std::abs(lambda[i]) < 1) {
        sides[at(i)] = Side::sliding;
        sliding.push_back(i);
      } else {
        sides[at(i)] = lambda[i] > 0 ? Side::plus : Side::minus;
      }
    }
    if (!tied.empty() && !decide_ties(lambda, derivative, sliding, tied, sides)) {
      result.note =
          "a tie of " + std::to_string(tied.size()) + " relays that the second derivatives do not decide";
      return result;
    }
    for (const Index i : tied) {
      if (sides[at(i)] == Side::sliding) {
        sliding.push_back(i);
      } else {
        lambda[i] = sides[at(i)] == Side::plus ? 1 : -1;
      }
    }
    result.solved = true;
    result.continuation.sides = std::move(sides);
    result.continuation.lambda = std::move(lambda);
    if (!sliding.empty()) {
      std::sort(sliding.begin(), sliding.end());
      std::vector<Index> place(at(n_), -1);
      result.continuation.p_matrix =
          !any_apart && shows_p_matrix(-part_of(derivative, sliding, sliding, place));
    }
    if (!sliding.empty() || any_apart) {
      result.continuation.stability =
          result.continuation.p_matrix ? Stability::attracting : Stability::saddle;
    }
    result.other = other_root(result.continuation.lambda, derivative, sliding);
    if (!result.affine) {
      result.note = "w is not affine in the relays: uniqueness was not shown";
    } else if (!loose_are_shown || !shows_p_matrix(-open_part(result.w, derivative, zero))) {
      result.note = "the relays' matrix is not shown to be a P-matrix: uniqueness was not shown";
    } else {
      result.unique = true;
    }
    return result;
  }

  // other_root() looks for λ + sy with Dy = 0 over the sliding relays, by inverse iteration with D moved off its singularity.
  std::optional<Vector> other_root(const Vector& lambda, const Sparse& derivative,
                                   const std::vector<Index>& sliding) const {
    std::vector<Index> place(at(n_), -1);
    const Sparse held = part_of(derivative, sliding, sliding, place);
    const Vector sizes = row_sums(held);
    if (sizes.size() == 0 || !(sizes.maxCoeff() > 0)) return std::nullopt;
    // A multiple of the identity leaves the directions with Dy = 0 as they are: other additions would turn them by as much.
    Sparse moved = held;
    for (Index k = 0; k < moved.rows(); ++k) moved.coeffRef(k, k) += kOffSingular * sizes.maxCoeff();
    moved.makeCompressed();
    LinearFactors factors(moved);
    for (int point = 0; point < kKernelPoints; ++point) {
      Vector way(held.rows());
      for (Index k = 0; k < way.size(); ++k) way[k] = patternless(k, point);
      for (int turn = 0; turn < kKernelTurns; ++turn) {
        const std::optional<Matrix> next = factors.solve(way);
        if (!next || !next->allFinite()) return std::nullopt;
        way = next->col(0) / next->lpNorm<Eigen::Infinity>();
      }
      if (!((held * way).cwiseAbs().array() <= dependent_pivot * sizes.maxCoeff()).all()) return std::nullopt;
      double forth = INFINITY, back = -INFINITY;
      for (Index k = 0; k < way.size(); ++k) {
        if (!(std::abs(way[k]) > kKernelZero)) continue;
        const double up = (1 - lambda[sliding[at(k)]]) / way[k];
        const double down = (-1 - lambda[sliding[at(k)]]) / way[k];
        forth = std::min(forth, std::max(up, down));
        back = std::max(back, std::min(up, down));
      }
      const double step = 0.5 * (forth > -back ? forth : back);
      if (!std::isfinite(step) || !(std::abs(step) > kLeastRoom)) continue;
      Vector other = lambda;
      for (Index k = 0; k < way.size(); ++k)
        if (std::abs(way[k]) > kKernelZero) other[sliding[at(k)]] += step * way[k];
      Vector w(n_);
      network_.rates(other, w);
      // A w that is not affine may bend away from the line.
      if ((w(sliding).cwiseAbs().array() <= 1e-9 * sizes.maxCoeff()).all()) return other;
    }
    return std::nullopt;
  }

  // settle_loose() treats surfaces whose w is 0 whatever the relays: the next derivative decides their side.
  // Chain elements that yield, at the moment when their velocity turns, are an example. It returns true if all
  // that leave do so on one side only; the ties decide the others.
  bool settle_loose(const Vector& w, const Sparse& derivative, const Vector& zero, Vector& lambda) {
    const Vector rows = row_sums(derivative);
    loose_.assign(at(n_), 0);
    std::vector<Index> loose;
    for (Index i = 0; i < n_; ++i) {
      const double error = options_.w_error.size() > 0 ? options_.w_error[i] : 0;
      if (std::abs(w[i]) + rows[i] <= std::max(zero[i], error)) loose.push_back(i);
    }
    if (loose.empty()) return true;
    Vector settled = lambda;
    Vector second;
    double least = 0;
    bool changes = true;
    for (std::size_t pass = 0; changes && pass < kMostLoosePasses; ++pass) {
      changes = false;
      second = network_.curvature(settled);
      if (!second.allFinite()) return false;
      least = 1e-9 * second.lpNorm<Eigen::Infinity>();
      for (const Index i : loose) {
        const double side = second[i] > 0 ? 1 : -1;
        if (std::abs(second[i]) <= least || settled[i] == side) continue;
        settled[i] = side;
        changes = true;
      }
    }
    if (changes) return false;
    bool shown = loose.size() <= kMostLooseShown;
    for (const Index i : loose) {
      if (std::abs(second[i]) <= least) continue;
      loose_[at(i)] = 1;
      lambda[i] = settled[i];
      if (!shown) continue;
      settled[i] = -lambda[i];
      shown = network_.curvature(settled)[i] * lambda[i] > least;
      settled[i] = lambda[i];
    }
    return shown;
  }

  // D of the relays that neither are loose nor have a w that none of them has a part in.
  Sparse open_part(const Vector& w, const Sparse& derivative, const Vector& zero) const {
    const Vector rows = row_sums(derivative);
    std::vector<Index> open;
    for (Index i = 0; i < n_; ++i)
      if (loose_[at(i)] == 0 && (rows[i] > 0 || std::abs(w[i]) <= zero[i])) open.push_back(i);
    std::vector<Index> place(at(n_), -1);
    return part_of(derivative, open, open, place);
  }

  bool decide_ties(const Vector& lambda, const Sparse& derivative, const std::vector<Index>& sliding,
                   const std::vector<Index>& tied, std::vector<Side>& sides) const {
    const Vector second = network_.curvature(lambda);
    if (!second.allFinite()) return false;
    const Index count = static_cast<Index>(tied.size());
    Vector sign(count);
    for (Index k = 0; k < count; ++k) sign[k] = lambda[tied[at(k)]] > 0 ? 1 : -1;
    Vector rates = second(tied);
    std::vector<Index> place(at(n_), -1);
    Matrix effect = part_of(derivative, tied, tied, place);
    if (!sliding.empty()) {
      // The columns of `causes` say how λ of the sliding relays follows: by itself, and with each tied
      // relay.
      Matrix causes(static_cast<Index>(sliding.size()), count + 1);
      causes.col(0) = second(sliding);
      causes.rightCols(count) = part_of(derivative, sliding, tied, place);
      const Sparse held = part_of(derivative, sliding, sliding, place);
      std::optional<Matrix> follows = LinearFactors(held).solve(causes);
      if (!follows) follows = Eigen::FullPivLU<Matrix>(held).solve(causes);
      const Sparse back = part_of(derivative, tied, sliding, place);
      rates -= back * follows->col(0);
      effect -= back * follows->rightCols(count);
    }
    const Matrix matrix = -(sign.asDiagonal() * effect * sign.asDiagonal());
    const Vector zero = Vector::Zero(count);
    const Vector infinite = Vector::Constant(count, INFINITY);
    const double size = second.lpNorm<Eigen::Infinity>();
    Vector leaving = sign.cwiseProduct(rates);
    // Rates that are rounding are zero: a relay at rest on its bound keeps sliding.
    leaving = leaving.unaryExpr([size](double rate) { return std::abs(rate) <= 1e-9 * size ? 0.0 : rate; });
    const ComplementarityAnswer answer = solve_box_complementarity(matrix, leaving, zero, infinite);
    if (!answer.solved) return false;
    for (Index k = 0; k < count; ++k) {
      const bool leaves = answer.residual[k] > 1e-9 * size;
      sides[at(tied[at(k)])] = !leaves ? Side::sliding : sign[k] > 0 ? Side::plus : Side::minus;
    }
    return true;
  }

  const RelayNetwork& network_;
  const CornerOptions& options_;
  Index n_;
  std::vector<char> loose_ = {};  // flags the relays that settle_loose() has decided
};

}  // namespace

RelaySolution solve_relays(const RelayNetwork& network, const CornerOptions& options, const Vector& guess) {
  return Networks(network, options).solve(guess);
}

}  // namespace slideway
