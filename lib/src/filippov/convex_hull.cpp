#include "filippov/convex_hull.hpp"

#include <algorithm>
#include <cmath>

#include "core/factorise.hpp"

namespace slideway {

namespace {

constexpr double kWeightZero = 1e-10;
constexpr double kSameVelocity = 1e-7;

// Calls visit(weights) for every extreme point of {μ ≥ 0, Σμ = 1, w_Z μ = 0} over these vertices.
template <class Visit>
void for_extreme_weights(const VertexTable& table, const std::vector<Index>& sliding,
                         const std::vector<Index>& vertices, Visit&& visit) {
  const Index rows = static_cast<Index>(sliding.size()) + 1;
  const std::size_t count = vertices.size();
  std::vector<char> chosen(count, 0);
  std::fill_n(chosen.begin(), rows, 1);
  do {
    std::vector<Index> columns;
    for (std::size_t k = 0; k < count; ++k) {
      if (chosen[k]) columns.push_back(vertices[k]);
    }
    Matrix system(rows, rows);
    system.row(0).setOnes();
    for (Index r = 1; r < rows; ++r) {
      for (Index c = 0; c < rows; ++c) {
        system(r, c) =
            table.w(sliding[static_cast<std::size_t>(r - 1)], columns[static_cast<std::size_t>(c)]);
      }
    }
    const Eigen::FullPivLU<Matrix> factors(system);
    const Vector right = Vector::Unit(rows, 0);
    const Vector solved = factors.solve(right);
    if (!solved.allFinite() || !(solved.minCoeff() >= -kWeightZero)) continue;
    // A singular choice may have a solution too; it counts when it is one.
    if (!(system * solved).isApprox(right, 1e-9)) continue;
    Vector weights = Vector::Zero(table.w.cols());
    for (Index c = 0; c < rows; ++c) weights[columns[static_cast<std::size_t>(c)]] = std::max(0.0, solved[c]);
    visit(weights);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

}  // namespace

std::vector<std::vector<Side>> hull_modes_beyond(const VertexTable& table, const Matrix& fields,
                                                 const Vector& w_zero, const Matrix& velocities) {
  const Index a = table.surfaces();
  std::vector<std::vector<Side>> result;
  if (!table.w.allFinite() || !fields.allFinite()) return result;
  const double scale = fields.lpNorm<Eigen::Infinity>();
  Index candidates = 1;
  for (Index i = 0; i < a; ++i) candidates *= 3;
  for (Index number = 0; number < candidates; ++number) {
    std::vector<Side> sides;
    std::vector<Index> sliding;
    Index rest = number;
    for (Index i = 0; i < a; ++i) {
      sides.push_back(static_cast<Side>(rest % 3 - 1));
      rest /= 3;
      if (sides.back() == Side::sliding) sliding.push_back(i);
    }
    if (sliding.size() < 2) continue;
    std::vector<Index> vertices;
    for (Index v = 0; v < table.w.cols(); ++v) {
      bool fits = true;
      for (Index i = 0; i < a; ++i) {
        const Side side = sides[static_cast<std::size_t>(i)];
        fits = fits && (side == Side::sliding || (side == Side::plus) == (((v >> i) & 1) != 0));
      }
      if (fits) vertices.push_back(v);
    }
    bool admits = false;
    for_extreme_weights(table, sliding, vertices, [&](const Vector& weights) {
      const Vector w = table.w * weights;
      for (Index i = 0; i < a; ++i) {
        const Side side = sides[static_cast<std::size_t>(i)];
        if (side == Side::plus && !(w[i] > w_zero[i])) return;
        if (side == Side::minus && !(w[i] < -w_zero[i])) return;
      }
      const Vector velocity = fields * weights;
      bool known = false;
      for (Index k = 0; k < velocities.cols(); ++k) {
        known = known || (velocity - velocities.col(k)).lpNorm<Eigen::Infinity>() <= kSameVelocity * scale;
      }
      admits = admits || !known;
    });
    if (admits) result.push_back(std::move(sides));
  }
  return result;
}

}  // namespace slideway
