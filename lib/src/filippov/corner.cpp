#include "slideway/filippov/corner.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "slideway/filippov/dependent_relays.hpp"

namespace slideway {

namespace {

constexpr int kMostLinearisations = 20;
constexpr double kSmallestBox = 1e-6;
constexpr std::size_t kMostBoxes = 20000;
constexpr double kSameRoot = 1e-7;

// w over the sliding entries as a function of λ over the same entries.
class Restricted {
 public:
  Restricted(const VertexTable& table, const std::vector<Index>& sliding, const Vector& lambda)
      : k_(static_cast<Index>(sliding.size())), values_(k_, Index{1} << k_) {
    Vector point = lambda;
    for (Index v = 0; v < values_.cols(); ++v) {
      for (Index i = 0; i < k_; ++i) {
        point[sliding[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
      }
      const Vector w = interpolate(table, point);
      for (Index i = 0; i < k_; ++i) values_(i, v) = w[sliding[static_cast<std::size_t>(i)]];
    }
  }
  Index size() const { return k_; }
  VertexTable table() const { return {values_}; }

 private:
  Index k_;
  Matrix values_;
};

struct Box {
  Vector low;
  Vector high;
};

template <class Visit>
void for_corners(const Box& box, Visit&& visit) {
  const Index k = box.low.size();
  Vector corner(k);
  for (Index v = 0; v < (Index{1} << k); ++v) {
    for (Index i = 0; i < k; ++i) corner[i] = (v >> i) & 1 ? box.high[i] : box.low[i];
    visit(corner);
  }
}

bool excludes_zero(const VertexTable& table, const Box& box, const Vector& tiny) {
  Vector low = Vector::Constant(box.low.size(), INFINITY);
  Vector high = Vector::Constant(box.low.size(), -INFINITY);
  for_corners(box, [&](const Vector& corner) {
    const Vector w = interpolate(table, corner);
    low = low.cwiseMin(w);
    high = high.cwiseMax(w);
  });
  for (Index i = 0; i < low.size(); ++i) {
    if (low[i] > tiny[i] || high[i] < -tiny[i]) return true;
  }
  return false;
}

// Every Jacobian in the box is strictly diagonally dominant after multiplication with the inverse at the centre: then
// w is injective on the box.
bool at_most_one_root(const VertexTable& table, const Box& box) {
  const Index k = box.low.size();
  const Matrix centre = lambda_jacobian(table, 0.5 * (box.low + box.high));
  const Eigen::FullPivLU<Matrix> factors(centre);
  if (factors.rank() < k) return false;
  Matrix worst = Matrix::Zero(k, k);
  for_corners(box, [&](const Vector& corner) {
    const Matrix scaled = factors.solve(lambda_jacobian(table, corner)) - Matrix::Identity(k, k);
    worst = worst.cwiseMax(scaled.cwiseAbs());
  });
  return worst.rowwise().sum().maxCoeff() < 1;
}

// False when Newton does not converge to a root.
bool newton(const VertexTable& table, Vector& lambda) {
  double best = INFINITY;
  Vector at_best = lambda;
  const double scale = table.w.cwiseAbs().maxCoeff();
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Vector w = interpolate(table, lambda);
    const double size = w.lpNorm<Eigen::Infinity>();
    if (size < best) {
      best = size;
      at_best = lambda;
    } else if (iteration > 8) {
      break;
    }
    if (size == 0) break;
    const Eigen::FullPivLU<Matrix> factors(lambda_jacobian(table, lambda));
    const Vector step = factors.solve(w);
    if (!step.allFinite() || step.lpNorm<Eigen::Infinity>() > 1e3) break;
    lambda -= step;
  }
  lambda = at_best;
  return best <= 1e-12 * scale;
}

// One λ over the sliding entries, and in which directions it is free.
struct SlidingRoot {
  Vector lambda;
  Matrix unseen;
};

// At two λ without a pattern.
bool is_singular_everywhere(const VertexTable& table) {
  const Index k = table.surfaces();
  for (const double phase : {0.4, 2.9}) {
    Vector lambda(k);
    for (Index i = 0; i < k; ++i) lambda[i] = 0.8 * std::sin(phase + 2.39996 * static_cast<double>(i));
    if (unseen_directions(lambda_jacobian(table, lambda)).cols() == 0) return false;
  }
  return true;
}

// `slack` says by how much each λ may exceed its bounds.
std::vector<SlidingRoot> dependent_root(const VertexTable& table, const Vector& w_zero, const Vector& slack) {
  const Index k = table.surfaces();
  const Vector one = Vector::Ones(k);
  const Vector bound = one + 0.99 * slack;
  Vector lambda = Vector::Zero(k);
  for (int step = 0; step < kMostLinearisations; ++step) {
    const Matrix jacobian = lambda_jacobian(table, lambda);
    const Vector w = interpolate(table, lambda);
    const std::optional<Vector> next =
        smallest_in_box(jacobian, jacobian * lambda - w, -bound, bound, w_zero, 1e-10);
    if (!next) return {};
    const double change = (*next - lambda).lpNorm<Eigen::Infinity>();
    lambda = *next;
    if (change <= 1e-13) break;
  }
  const Vector w = interpolate(table, lambda);
  const Vector sizes = table.w.cwiseAbs().rowwise().maxCoeff();
  if (!(w.cwiseAbs().array() <= 1e-9 * sizes.array() + w_zero.array()).all()) return {};
  return {{lambda, unseen_directions(lambda_jacobian(table, lambda))}};
}

std::vector<SlidingRoot> roots_of(const VertexTable& table, const std::vector<Index>& sliding,
                                  const Vector& lambda, const Vector& w_zero, const Vector& slack,
                                  bool& incomplete) {
  if (!sliding.empty()) {
    const VertexTable restricted = Restricted(table, sliding, lambda).table();
    if (restricted.w.allFinite() && is_singular_everywhere(restricted)) {
      return dependent_root(restricted, w_zero(sliding), slack(sliding));
    }
  }
  std::vector<SlidingRoot> result;
  for (Vector& root : sliding_roots(table, sliding, lambda, slack.maxCoeff(), incomplete))
    result.push_back({std::move(root), {}});
  return result;
}

// λ̇ over the sliding entries with Dλ̇ = −ḧ, no λ on its bound going out; where D is regular, whatever it is.
std::optional<Vector> relay_rates(const Matrix& jacobian, const Vector& second, const Vector& lambda,
                                  const std::vector<char>& on_bound, bool dependent, double accuracy) {
  if (!dependent) return Vector(-jacobian.fullPivLu().solve(second));
  // Wide enough for any rate that the rows ask for.
  const Index k = lambda.size();
  double smallest = INFINITY;
  for (Index i = 0; i < k; ++i) {
    const double size = jacobian.row(i).lpNorm<Eigen::Infinity>();
    if (size > 0) smallest = std::min(smallest, size);
  }
  const double largest = second.lpNorm<Eigen::Infinity>();
  const double wide = std::isfinite(smallest) ? 1e3 * (1 + largest / smallest) : 1;
  Vector lower = Vector::Constant(k, -wide);
  Vector upper = Vector::Constant(k, wide);
  for (Index i = 0; i < k; ++i) {
    if (on_bound[static_cast<std::size_t>(i)]) (lambda[i] > 0 ? upper : lower)[i] = 0;
  }
  return smallest_in_box(jacobian, -second, lower, upper, Vector::Constant(k, accuracy * (1 + largest)),
                         accuracy);
}

}  // namespace

Vector vertex_weights(ConstVectorRef lambda) {
  Vector weights = Vector::Ones(Index{1} << lambda.size());
  for (Index v = 0; v < weights.size(); ++v) {
    for (Index i = 0; i < lambda.size(); ++i) weights[v] *= 0.5 * (1 + ((v >> i) & 1 ? 1 : -1) * lambda[i]);
  }
  return weights;
}

Vector interpolate(const VertexTable& table, ConstVectorRef lambda) {
  // One surface at a time halves the table.
  Matrix values = table.w;
  for (Index i = table.surfaces() - 1; i >= 0; --i) {
    const Index half = Index{1} << i;
    const double up = 0.5 * (1 + lambda[i]);
    // A weight of zero must not let a value that is not finite through.
    if (up == 0) {
      values = values.leftCols(half).eval();
    } else if (up == 1) {
      values = values.rightCols(half).eval();
    } else {
      values = ((1 - up) * values.leftCols(half) + up * values.rightCols(half)).eval();
    }
  }
  return values.col(0);
}

Matrix lambda_jacobian(const VertexTable& table, ConstVectorRef lambda) {
  const Index a = table.surfaces();
  Matrix jacobian(a, a);
  Vector point = lambda;
  for (Index j = 0; j < a; ++j) {
    point[j] = 1;
    const Vector high = interpolate(table, point);
    point[j] = -1;
    jacobian.col(j) = 0.5 * (high - interpolate(table, point));
    point[j] = lambda[j];
  }
  return jacobian;
}

std::vector<Vector> sliding_roots(const VertexTable& table, const std::vector<Index>& sliding, const Vector& lambda,
                                  double slack, bool& incomplete) {
  const Index k = static_cast<Index>(sliding.size());
  if (k == 0) return {Vector(0)};
  const VertexTable restricted = Restricted(table, sliding, lambda).table();
  const auto in_box = [&](const Vector& root) { return root.lpNorm<Eigen::Infinity>() <= 1 + slack; };
  if (k == 1) {
    const double low = restricted.w(0, 0);
    const double high = restricted.w(0, 1);
    if (low == high) return {};
    const Vector root = Vector::Constant(1, (low + high) / (low - high));
    return in_box(root) ? std::vector<Vector>{root} : std::vector<Vector>{};
  }
  const Vector tiny = 1e-14 * restricted.w.cwiseAbs().rowwise().maxCoeff();
  std::vector<Vector> roots;
  const auto add = [&](const Vector& root) {
    for (const Vector& known : roots) {
      if ((known - root).lpNorm<Eigen::Infinity>() <= kSameRoot) return;
    }
    roots.push_back(root);
  };
  std::vector<Box> boxes{{Vector::Constant(k, -1 - slack), Vector::Constant(k, 1 + slack)}};
  std::size_t visited = 0;
  while (!boxes.empty()) {
    const Box box = boxes.back();
    boxes.pop_back();
    if (++visited > kMostBoxes) {
      incomplete = true;
      break;
    }
    if (excludes_zero(restricted, box, tiny)) continue;
    Index widest = 0;
    const double width = (box.high - box.low).maxCoeff(&widest);
    if (at_most_one_root(restricted, box)) {
      Vector root = 0.5 * (box.low + box.high);
      if (newton(restricted, root)) {
        const double margin = 1e-9;
        const bool inside = ((root - box.low).array() >= -margin).all() && ((box.high - root).array() >= -margin).all();
        if (inside && in_box(root)) add(root);
      }
      continue;
    }
    if (width < kSmallestBox) {
      // A double root, or a Jacobian that is singular along a curve of roots: take the point, and say so.
      const Vector centre = 0.5 * (box.low + box.high);
      // From a singular Jacobian Newton's method may run away from a root on the bounds.
      Vector root = centre.unaryExpr(
          [](double c) { return std::abs(std::abs(c) - 1) <= kSmallestBox ? std::copysign(1.0, c) : c; });
      const double size = restricted.w.cwiseAbs().maxCoeff();
      if (!(interpolate(restricted, root).lpNorm<Eigen::Infinity>() <= 1e-12 * size)) {
        root = centre;
        newton(restricted, root);
      }
      if (in_box(root) && (root - centre).lpNorm<Eigen::Infinity>() < 1e-3) add(root);
      incomplete = true;
      continue;
    }
    const double middle = 0.5 * (box.low[widest] + box.high[widest]);
    Box left = box;
    Box right = box;
    left.high[widest] = middle;
    right.low[widest] = middle;
    boxes.push_back(std::move(left));
    boxes.push_back(std::move(right));
  }
  return roots;
}

bool is_p_matrix(const Matrix& matrix) {
  const Index n = matrix.rows();
  for (Index subset = 1; subset < (Index{1} << n); ++subset) {
    std::vector<Index> chosen;
    for (Index i = 0; i < n; ++i) {
      if ((subset >> i) & 1) chosen.push_back(i);
    }
    if (!(matrix(chosen, chosen).determinant() > 0)) return false;
  }
  return true;
}

double return_map_factor(const VertexTable& table) {
  // Counter-clockwise: ++ (3), -+ (2), -- (0), +- (1), with λ₁ bit 0 and λ₂ bit 1.
  const Index order[] = {3, 2, 0, 1};
  for (const int turn : {1, -1}) {
    double factor = 1;
    bool turns = true;
    for (int q = 0; q < 4 && turns; ++q) {
      const Index v = order[q];
      const double s1 = v & 1 ? 1 : -1;
      const double s2 = v & 2 ? 1 : -1;
      // Counter-clockwise through ++ the solution enters on h₂ = 0 and leaves on h₁ = 0; every second quadrant swaps.
      const bool enters_on_second = (s1 * s2 > 0) == (turn > 0);
      const double inward = enters_on_second ? s2 * table.w(1, v) : s1 * table.w(0, v);
      const double outward = enters_on_second ? -s1 * table.w(0, v) : -s2 * table.w(1, v);
      turns = inward > 0 && outward > 0;
      if (turns) factor *= inward / outward;
    }
    if (turns) return factor;
  }
  return 0;
}

CornerAnswer consistent_modes(const VertexTable& table, const CornerOptions& options,
                              const CurvatureFunction& curvature) {
  const Index a = table.surfaces();
  CornerAnswer answer;
  Vector slack = Vector::Constant(a, options.lambda_zero);
  if (options.lambda_tie.size() > 0) slack = slack.cwiseMax(options.lambda_tie);
  Index candidates = 1;
  for (Index i = 0; i < a; ++i) candidates *= 3;
  for (Index number = 0; number < candidates; ++number) {
    std::vector<Side> sides;
    std::vector<Index> sliding;
    Vector fixed(a);
    Index rest = number;
    for (Index i = 0; i < a; ++i) {
      const Side side = static_cast<Side>(rest % 3 - 1);
      rest /= 3;
      sides.push_back(side);
      fixed[i] = static_cast<double>(static_cast<signed char>(side));
      if (side == Side::sliding) sliding.push_back(i);
    }
    for (const SlidingRoot& found :
         roots_of(table, sliding, fixed, options.w_zero, slack, answer.incomplete)) {
      const Vector& root = found.lambda;
      const bool dependent = found.unseen.cols() > 0;
      Vector lambda = fixed;
      bool consistent = true;
      std::vector<Index> on_boundary;
      for (std::size_t z = 0; z < sliding.size(); ++z) {
        const Index i = sliding[z];
        lambda[i] = root[static_cast<Index>(z)];
        const double tie = std::max(options.lambda_zero, options.lambda_tie.size() > 0 ? options.lambda_tie[i] : 0);
        if (std::abs(std::abs(lambda[i]) - 1) <= tie) {
          on_boundary.push_back(i);
        } else if (std::abs(lambda[i]) > 1) {
          consistent = false;
        }
      }
      if (!consistent) continue;
      const Vector w = interpolate(table, lambda);
      const Matrix jacobian = lambda_jacobian(table, lambda);
      std::vector<Index> stationary;
      for (Index i = 0; i < a && consistent; ++i) {
        if (sides[static_cast<std::size_t>(i)] == Side::sliding) continue;
        // A component is zero too when it is what a sliding end within the tie would make it.
        const double tie =
            options.lambda_tie.size() > 0 ? options.lambda_tie[i] * std::abs(jacobian(i, i)) : 0;
        if (std::abs(w[i]) <= std::max(options.w_zero[i], tie)) {
          stationary.push_back(i);
        } else if (fixed[i] * w[i] < 0) {
          consistent = false;
        }
      }
      if (!consistent) continue;
      const Matrix sliding_jacobian = jacobian(sliding, sliding);
      if (!on_boundary.empty() || !stationary.empty() || dependent) {
        // Along the candidate λ follows w_Z = 0: λ̇_Z = −D⁻¹ ḧ_Z, and the other components change by ḧ + Dλ̇.
        const Vector second = curvature(lambda);
        Vector lambda_rate = Vector::Zero(a);
        if (!sliding.empty()) {
          std::vector<char> on_bound;
          for (const Index i : sliding) {
            on_bound.push_back(std::find(on_boundary.begin(), on_boundary.end(), i) != on_boundary.end());
          }
          const std::optional<Vector> rates = relay_rates(sliding_jacobian, second(sliding), root, on_bound,
                                                          dependent, options.rate_accuracy);
          // Some surface is left at once, whatever its relay does.
          if (!rates) continue;
          for (std::size_t z = 0; z < sliding.size(); ++z)
            lambda_rate[sliding[z]] = (*rates)[static_cast<Index>(z)];
        }
        const Vector w_rate = second + jacobian * lambda_rate;
        const double rate_zero = options.rate_accuracy *
                                 (second.lpNorm<Eigen::Infinity>() + lambda_rate.lpNorm<Eigen::Infinity>());
        for (const Index i : on_boundary) {
          // At rest on the boundary is inside; moving out is not.
          if (lambda_rate[i] * lambda[i] > rate_zero) consistent = false;
        }
        for (const Index i : stationary) {
          // A component that stays zero does not leave the surface.
          if (!(fixed[i] * w_rate[i] > rate_zero)) consistent = false;
        }
      }
      if (!consistent) continue;
      Continuation continuation{sides, lambda, Stability::open, false, {}};
      if (dependent) {
        continuation.unseen = Matrix::Zero(a, found.unseen.cols());
        continuation.unseen(sliding, Eigen::all) = found.unseen;
      }
      if (!sliding.empty()) {
        // A relay at rest on its bound is held there; only the others have to attract.
        std::vector<Index> inside;
        for (const Index i : sliding) {
          if (std::find(on_boundary.begin(), on_boundary.end(), i) == on_boundary.end()) inside.push_back(i);
        }
        continuation.p_matrix = is_p_matrix(-jacobian(inside, inside));
        const Eigen::VectorXcd values = sliding_jacobian.eigenvalues();
        const bool all_negative = (values.real().array() < 0).all();
        const bool all_positive = (values.real().array() > 0).all();
        continuation.stability = all_negative ? Stability::attracting
                                 : all_positive ? Stability::repelling
                                                : Stability::saddle;
      }
      answer.continuations.push_back(std::move(continuation));
    }
  }
  return answer;
}

const char* to_string(Stability stability) {
  switch (stability) {
    case Stability::open: return "open";
    case Stability::attracting: return "attracting";
    case Stability::repelling: return "repelling";
    case Stability::saddle: return "saddle";
  }
  return "unknown";
}

}  // namespace slideway
