#include "slideway/filippov/relay_network.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "slideway/filippov/complementarity.hpp"

namespace slideway {

namespace {

constexpr Index kMostMinors = 10;
constexpr int kMostLinearisations = 40;
constexpr int kAffineProbes = 3;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Strongly connected components by Tarjan's algorithm, without recursion.
std::vector<std::vector<Index>> strong_components(const Matrix& matrix) {
  const Index n = matrix.rows();
  std::vector<Index> order(at(n), -1), low(at(n), 0), next(at(n), 0), stack, path;
  std::vector<char> on_stack(at(n), 0);
  std::vector<std::vector<Index>> result;
  Index counter = 0;
  for (Index root = 0; root < n; ++root) {
    if (order[at(root)] >= 0) continue;
    path.push_back(root);
    while (!path.empty()) {
      const Index v = path.back();
      if (order[at(v)] < 0) {
        order[at(v)] = low[at(v)] = counter++;
        stack.push_back(v);
        on_stack[at(v)] = 1;
      }
      Index& edge = next[at(v)];
      bool descends = false;
      for (; edge < n && !descends; ++edge) {
        if (edge == v || matrix(v, edge) == 0) continue;
        if (order[at(edge)] < 0) {
          path.push_back(edge);
          descends = true;
        } else if (on_stack[at(edge)]) {
          low[at(v)] = std::min(low[at(v)], order[at(edge)]);
        }
      }
      if (descends) continue;
      path.pop_back();
      if (!path.empty()) low[at(path.back())] = std::min(low[at(path.back())], low[at(v)]);
      if (low[at(v)] != order[at(v)]) continue;
      std::vector<Index> component;
      while (true) {
        const Index member = stack.back();
        stack.pop_back();
        on_stack[at(member)] = 0;
        component.push_back(member);
        if (member == v) break;
      }
      std::sort(component.begin(), component.end());
      result.push_back(std::move(component));
    }
  }
  return result;
}

// ⟨A⟩u = 1 has a positive solution: A is an H-matrix, and with a positive diagonal a P-matrix.
bool is_h_matrix(const Matrix& matrix) {
  Matrix comparison = -matrix.cwiseAbs();
  comparison.diagonal() = matrix.diagonal();
  const Vector u = comparison.partialPivLu().solve(Vector::Ones(matrix.rows()));
  if (!u.allFinite() || !(u.minCoeff() > 0)) return false;
  return (comparison * u).minCoeff() > 0.5;
}

// Row scaling changes nothing in the signs of minors; this one makes a matrix symmetric where that is possible.
bool is_definite_after_scaling(const Matrix& matrix) {
  const Index n = matrix.rows();
  Vector scale = Vector::Zero(n);
  std::vector<Index> queue{0};
  scale[0] = 1;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Index i = queue[head];
    for (Index j = 0; j < n; ++j) {
      if (scale[j] != 0 || !(matrix(i, j) * matrix(j, i) > 0)) continue;
      scale[j] = scale[i] * matrix(i, j) / matrix(j, i);
      queue.push_back(j);
    }
  }
  const auto is_definite = [&](const Vector& rows) {
    const Matrix scaled = rows.asDiagonal() * matrix;
    Matrix symmetric = scaled + scaled.transpose();
    const Vector sizes = symmetric.diagonal().cwiseAbs().cwiseSqrt();
    if (!(sizes.minCoeff() > 0)) return false;
    symmetric = sizes.cwiseInverse().asDiagonal() * symmetric * sizes.cwiseInverse().asDiagonal();
    symmetric.diagonal().array() -= 1e-12 * static_cast<double>(n);
    return symmetric.llt().info() == Eigen::Success;
  };
  if (scale.allFinite() && scale.minCoeff() > 0 && is_definite(scale)) return true;
  return is_definite(Vector::Ones(n));
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
    Matrix derivative = network_.derivative(lambda);
    result.affine = is_affine(lambda, w, derivative);
    bool settled = false;
    for (int step = 0; step < kMostLinearisations && !settled; ++step) {
      if (step > 0) derivative = network_.derivative(lambda);
      Vector next = lambda;
      if (!w.allFinite() || !derivative.allFinite()) {
        result.note = "the fields at the corner are not finite";
        return result;
      }
      for (const std::vector<Index>& members : connected_components(derivative)) {
        const Matrix block = -derivative(members, members);
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
      settled = result.affine || change <= 1e-13 || (change <= 1e-9 && is_consistent(lambda, w));
    }
    if (!settled || !is_consistent(lambda, w)) {
      result.note = "linearising the relays' problem over and over does not settle on a consistent mode";
      return result;
    }
    result.derivative = network_.derivative(lambda);
    result.w = w;
    return decide(std::move(result), lambda);
  }

 private:
  bool is_affine(const Vector& lambda, const Vector& w, const Matrix& derivative) const {
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

  double w_zero(Index i, const Matrix& derivative) const {
    const double terms = derivative.row(i).cwiseAbs().sum();
    const double tie =
        options_.lambda_tie.size() > 0 ? options_.lambda_tie[i] * std::abs(derivative(i, i)) : 0.0;
    return std::max({options_.w_zero[i], 1e-12 * terms, tie});
  }

  // λ ∈ Sgn(w), each w to a rounding of its terms.
  bool is_consistent(const Vector& lambda, const Vector& w) const {
    const Matrix derivative = network_.derivative(lambda);
    for (Index i = 0; i < n_; ++i) {
      const double zero = std::max(options_.w_zero[i], 1e-9 * derivative.row(i).cwiseAbs().sum());
      if (lambda[i] < 1 && w[i] > zero) return false;
      if (lambda[i] > -1 && w[i] < -zero) return false;
    }
    return true;
  }

  RelaySolution decide(RelaySolution result, Vector lambda) const {
    const Matrix& derivative = result.derivative;
    std::vector<Side> sides(at(n_));
    std::vector<Index> sliding, tied;
    for (Index i = 0; i < n_; ++i) {
      const double tie =
          std::max(options_.lambda_zero, options_.lambda_tie.size() > 0 ? options_.lambda_tie[i] : 0);
      const bool at_bound = std::abs(lambda[i]) >= 1 - tie;
      if (at_bound && std::abs(result.w[i]) <= w_zero(i, derivative)) {
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
      result.continuation.p_matrix = shows_p_matrix(-derivative(sliding, sliding));
      result.continuation.stability =
          result.continuation.p_matrix ? Stability::attracting : Stability::saddle;
    }
    if (!result.affine) {
      result.note = "w is not affine in the relays: uniqueness was not shown";
    } else if (!shows_p_matrix(-derivative)) {
      result.note = "the relays' matrix is not shown to be a P-matrix: uniqueness was not shown";
    } else {
      result.unique = true;
    }
    return result;
  }

  bool decide_ties(const Vector& lambda, const Matrix& derivative, const std::vector<Index>& sliding,
                   const std::vector<Index>& tied, std::vector<Side>& sides) const {
    const Vector second = network_.curvature(lambda);
    if (!second.allFinite()) return false;
    const Index count = static_cast<Index>(tied.size());
    Vector sign(count);
    for (Index k = 0; k < count; ++k) sign[k] = lambda[tied[at(k)]] > 0 ? 1 : -1;
    Vector rates = second(tied);
    Matrix effect = derivative(tied, tied);
    if (!sliding.empty()) {
      const Eigen::FullPivLU<Matrix> factors(derivative(sliding, sliding));
      rates -= derivative(tied, sliding) * factors.solve(second(sliding));
      effect -= derivative(tied, sliding) * factors.solve(derivative(sliding, tied));
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
};

}  // namespace

std::vector<std::vector<Index>> connected_components(const Matrix& matrix) {
  const Index n = matrix.rows();
  std::vector<std::vector<Index>> result;
  std::vector<char> seen(at(n), 0);
  for (Index seed = 0; seed < n; ++seed) {
    if (seen[at(seed)]) continue;
    std::vector<Index> members{seed};
    seen[at(seed)] = 1;
    for (std::size_t head = 0; head < members.size(); ++head) {
      for (Index j = 0; j < n; ++j) {
        if (seen[at(j)] || (matrix(members[head], j) == 0 && matrix(j, members[head]) == 0)) continue;
        seen[at(j)] = 1;
        members.push_back(j);
      }
    }
    std::sort(members.begin(), members.end());
    result.push_back(std::move(members));
  }
  return result;
}

bool shows_p_matrix(const Matrix& matrix) {
  if (!matrix.allFinite()) return false;
  for (const std::vector<Index>& members : strong_components(matrix)) {
    const Matrix block = matrix(members, members);
    if (!(block.diagonal().minCoeff() > 0)) return false;
    if (block.rows() == 1) continue;
    if (block.rows() <= kMostMinors ? is_p_matrix(block)
                                    : is_h_matrix(block) || is_definite_after_scaling(block))
      continue;
    return false;
  }
  return true;
}

RelaySolution solve_relays(const RelayNetwork& network, const CornerOptions& options, const Vector& guess) {
  return Networks(network, options).solve(guess);
}

}  // namespace slideway
