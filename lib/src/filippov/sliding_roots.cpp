#include "filippov/sliding_roots.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/factorise.hpp"
#include "filippov/dependent_relays.hpp"

namespace slideway {

namespace {

constexpr int kMostLinearisations = 20;
constexpr double kSmallestBox = 1e-6;
constexpr std::size_t kMostBoxes = 20000;

// w over the sliding entries as a function of λ over the same entries, the others fixed.
VertexTable restricted_to(const VertexTable& table, const std::vector<Index>& sliding, const Vector& lambda) {
  const Index k = static_cast<Index>(sliding.size());
  VertexTable result{Matrix(k, Index{1} << k)};
  Vector point = lambda;
  for (Index v = 0; v < result.w.cols(); ++v) {
    for (Index i = 0; i < k; ++i) point[sliding[static_cast<std::size_t>(i)]] = (v >> i) & 1 ? 1 : -1;
    result.w.col(v) = interpolate(table, point)(sliding);
  }
  return result;
}

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

// is_singular_everywhere() looks at two λ without a pattern.
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
std::optional<Vector> dependent_root(const VertexTable& table, const Vector& near, const Vector& w_zero,
                                     const Vector& slack) {
  const Index k = table.surfaces();
  const Vector one = Vector::Ones(k);
  const Vector bound = one + 0.99 * slack;
  Vector lambda = near;
  for (int step = 0; step < kMostLinearisations; ++step) {
    const Matrix jacobian = lambda_jacobian(table, lambda);
    const Vector w = interpolate(table, lambda);
    const auto within = [&](const Vector& most) {
      std::optional<Vector> away =
          smallest_in_box(jacobian, jacobian * (lambda - near) - w, -most - near, most - near, w_zero, 1e-10);
      if (away) *away += near;
      return away;
    };
    // λ exceeds its bounds by the slack only where no λ within them holds the surfaces: the smallest λ in the
    // wider box would take other relays off their bounds.
    std::optional<Vector> next = within(one);
    if (!next) next = within(bound);
    if (!next) return std::nullopt;
    const double change = (*next - lambda).lpNorm<Eigen::Infinity>();
    lambda = *next;
    if (change <= 1e-13) break;
  }
  const Vector w = interpolate(table, lambda);
  const Vector sizes = table.w.cwiseAbs().rowwise().maxCoeff();
  if (!(w.cwiseAbs().array() <= 1e-9 * sizes.array() + w_zero.array()).all()) return std::nullopt;
  return lambda;
}

}  // namespace

std::vector<Vector> sliding_roots(const VertexTable& table, const std::vector<Index>& sliding,
                                  const Vector& lambda, double slack, bool& incomplete) {
  const Index k = static_cast<Index>(sliding.size());
  if (k == 0) return {Vector(0)};
  const VertexTable restricted = restricted_to(table, sliding, lambda);
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
        const bool inside =
            ((root - box.low).array() >= -margin).all() && ((box.high - root).array() >= -margin).all();
        if (inside && in_box(root)) add(root);
      }
      continue;
    }
    if (width < kSmallestBox) {
      // A double root, or a Jacobian that is singular along a curve of roots: take the point, and say so.
      const Vector centre = 0.5 * (box.low + box.high);
      // Newton's method can run away from a root on the bounds where the Jacobian is singular.
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

std::optional<Vector> nearest_dependent_root(const VertexTable& table, const std::vector<Index>& sliding,
                                             const Vector& lambda, const Vector& near, const Vector& w_zero) {
  return dependent_root(restricted_to(table, sliding, lambda), near(sliding), w_zero(sliding),
                        Vector::Zero(static_cast<Index>(sliding.size())));
}

std::vector<SlidingRoot> all_sliding_roots(const VertexTable& table, const std::vector<Index>& sliding,
                                           const Vector& lambda, const Vector& near, const Vector& w_zero,
                                           const Vector& slack, bool& incomplete) {
  if (!sliding.empty()) {
    const VertexTable restricted = restricted_to(table, sliding, lambda);
    if (restricted.w.allFinite() && is_singular_everywhere(restricted)) {
      std::optional<Vector> root = dependent_root(restricted, near(sliding), w_zero(sliding), slack(sliding));
      if (!root) return {};
      Matrix unseen = unseen_directions(lambda_jacobian(restricted, *root));
      return {{std::move(*root), std::move(unseen)}};
    }
  }
  std::vector<SlidingRoot> result;
  const double largest = sliding.empty() ? 0 : slack(sliding).maxCoeff();
  for (Vector& root : sliding_roots(table, sliding, lambda, largest, incomplete))
    result.push_back({std::move(root), {}});
  return result;
}

}  // namespace slideway
