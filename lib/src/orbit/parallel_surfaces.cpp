#include "orbit/parallel_surfaces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {

// Guards that differ by a constant do so to this part of their sizes: differences of guards have errors of a few
// roundings.
constexpr double kConstant = 1e-12;

// Guards at one probe after the other; those without finite values are left out.
Matrix guards_at(const System& system, double t, const std::vector<Vector>& probes) {
  Matrix values(system.surfaces(), static_cast<Index>(probes.size()));
  Index count = 0;
  Vector h = Vector::Zero(system.surfaces());
  for (const Vector& x : probes) {
    h.setZero();
    system.guards(t, x, h);
    if (h.allFinite()) values.col(count++) = h;
  }
  return values.leftCols(count);
}

}  // namespace

ParallelSurfaces::ParallelSurfaces(const System& system, double t, const std::vector<Vector>& probes)
    : pairs_(static_cast<std::size_t>(system.surfaces())) {
  if (system.surfaces() < 2) return;
  const Matrix values = guards_at(system, t, probes);
  if (values.cols() < 2) return;
  for (Index j = 1; j < values.rows(); ++j)
    for (Index i = 0; i < j; ++i)
      for (const double sign : {1.0, -1.0}) {
        const Eigen::RowVectorXd difference = values.row(j) - sign * values.row(i);
        const double size = values.row(i).cwiseAbs().maxCoeff() + values.row(j).cwiseAbs().maxCoeff();
        const double change = difference.maxCoeff() - difference.minCoeff();
        const bool guard_changes = values.row(i).maxCoeff() - values.row(i).minCoeff() > kConstant * size;
        if (!guard_changes || change > kConstant * size) continue;
        const double constant = difference.mean();
        pairs_[static_cast<std::size_t>(j)].push_back(
            {i, j, sign, std::abs(constant) <= kConstant * size ? 0 : constant});
      }
}

bool ParallelSurfaces::allow(const Mode& mode, Index j) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Range {
    double low, high;
  };
  const auto range = [](Side side) -> Range {
    return {side == Side::minus ? -infinity : 0, side == Side::plus ? infinity : 0};
  };
  return std::all_of(pairs_[static_cast<std::size_t>(j)].begin(), pairs_[static_cast<std::size_t>(j)].end(),
                     [&](const Pair& pair) {
                       const Range one = range(mode[pair.i]), other = range(mode[j]);
                       const double a = pair.sign * one.low + pair.constant,
                                    b = pair.sign * one.high + pair.constant;
                       return std::max(std::min(a, b), other.low) <= std::min(std::max(a, b), other.high);
                     });
}

}  // namespace slideway
