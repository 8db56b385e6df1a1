#include "filippov/sliding_roots.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/at.hpp"
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

// unseen_at() finds the directions in which this root can go with w staying zero, where the Jacobian is singular there alone, as
// that of λ₂(1 + λ₁) is at λ₁ = −1.
Matrix unseen_at(const VertexTable& table, const Vector& root, const Vector& w_zero) {
  const Matrix directions = unseen_directions(lambda_jacobian(table, root));
  std::vector<Index> kept;
  for (Index j = 0; j < directions.cols(); ++j) {
    const Vector way = directions.col(j) / directions.col(j).lpNorm<Eigen::Infinity>();
    const bool stays = [&] {
      for (const double step : {-1.0, -0.5, 0.5, 1.0}) {
        const Vector there = (root + step * way).cwiseMax(-1.0).cwiseMin(1.0);
        if (!(interpolate(table, there).cwiseAbs().array() <= w_zero.array()).all()) return false;
      }
      return true;
    }();
    if (stays) kept.push_back(j);
  }
  return directions(Eigen::all, kept);
}

// The vector with this number put in before entry i.
Vector with_entry(const Vector& short_one, Index i, double number) {
  Vector result(short_one.size() + 1);
  result << short_one.head(i), number, short_one.tail(short_one.size() - i);
  return result;
}

// One of the sliding entries whose own row depends on its own relay alone, and the λ at which that row vanishes.
struct DecidedAlone {
  Index entry = 0;
  double lambda = 0;
};

std::optional<DecidedAlone> decided_alone(const VertexTable& table, const Vector& w_zero) {
  for (Index i = 0; i < table.surfaces(); ++i) {
    const double low = table.w(i, 0), high = table.w(i, Index{1} << i);
    if (!(std::abs(high - low) > 2 * w_zero[i])) continue;
    const auto differs = [&](Index v) {
      return !(std::abs(table.w(i, v) - ((v >> i) & 1 ? high : low)) <= w_zero[i]);
    };
    bool is_alone = true;
    for (Index v = 0; is_alone && v < table.w.cols(); ++v) is_alone = !differs(v);
    if (is_alone) return DecidedAlone{i, (low + high) / (low - high)};
  }
  return std::nullopt;
}

// is_along() tells whether the change of λ is made of these directions.
bool is_along(const Matrix& directions, const Vector& change) {
  if (directions.cols() == 0) return false;
  const Vector parts = directions.colPivHouseholderQr().solve(change);
  return (directions * parts - change).lpNorm<Eigen::Infinity>() <= kSameRoot;
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
    const std::optional<DecidedAlone> alone = sliding.size() > 1 && restricted.w.allFinite()
                                                  ? decided_alone(restricted, w_zero(sliding))
                                                  : std::nullopt;
    if (alone) {
      if (std::abs(alone->lambda) > 1 + slack(sliding).maxCoeff()) return {};
      std::vector<Index> others = sliding;
      others.erase(others.begin() + alone->entry);
      Vector fixed = lambda;
      fixed[sliding[at(alone->entry)]] = alone->lambda;
      std::vector<SlidingRoot> result =
          all_sliding_roots(table, others, fixed, near, w_zero, slack, incomplete);
      for (SlidingRoot& root : result) {
        root.lambda = with_entry(root.lambda, alone->entry, alone->lambda);
        if (root.unseen.cols() == 0) continue;
        Matrix unseen(root.lambda.size(), root.unseen.cols());
        for (Index j = 0; j < unseen.cols(); ++j)
          unseen.col(j) = with_entry(root.unseen.col(j), alone->entry, 0);
        root.unseen = std::move(unseen);
      }
      return result;
    }
    if (restricted.w.allFinite() && is_singular_everywhere(restricted)) {
      std::optional<Vector> root = dependent_root(restricted, near(sliding), w_zero(sliding), slack(sliding));
      if (!root) return {};
      Matrix unseen = unseen_directions(lambda_jacobian(restricted, *root));
      return {{std::move(*root), std::move(unseen)}};
    }
  }
  std::vector<SlidingRoot> result;
  const double largest = sliding.empty() ? 0 : slack(sliding).maxCoeff();
  bool has_curves = false;
  std::vector<Vector> roots = sliding_roots(table, sliding, lambda, largest, has_curves);
  incomplete = incomplete || has_curves;
  const VertexTable restricted = has_curves ? restricted_to(table, sliding, lambda) : VertexTable{};
  for (Vector& root : roots) {
    const bool is_known = std::any_of(result.begin(), result.end(), [&](const SlidingRoot& known) {
      return is_along(known.unseen, root - known.lambda);
    });
    if (is_known) continue;
    Matrix unseen = {};
    if (has_curves) unseen = unseen_at(restricted, root, w_zero(sliding));
    result.push_back({std::move(root), std::move(unseen)});
  }
  return result;
}

}  // namespace slideway
