#include "filippov/exit_numerators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "core/joined.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// Sparse factors of a larger component take less time than dense ones.
constexpr Index kMostDenseExits = 48;
// The rounding of D, in units of its largest entry.
constexpr double kEffectRounding = 16 * kEpsilon;

}  // namespace

double ExitNumerators::Determinant::in_units_of(const Determinant& unit) const {
  return sign * unit.sign * std::exp(log_size - unit.log_size);
}

void ExitNumerators::split(Index size, const std::vector<Eigen::Triplet<double>>& entries) {
  Joined joined(at(size));
  for (const auto& entry : entries) joined.join(entry.row(), entry.col());
  component_of_.assign(at(size), 0);
  place_.assign(at(size), 0);
  for (std::vector<Index>& group : joined.groups()) {
    for (std::size_t k = 0; k < group.size(); ++k) {
      component_of_[at(group[k])] = static_cast<Index>(components_.size());
      place_[at(group[k])] = static_cast<Index>(k);
    }
    components_.push_back({std::move(group), {}});
  }
  parts_.resize(components_.size());
}

ExitNumerators::Determinant ExitNumerators::solve(std::size_t component, ConstVectorRef w, Vector& change) {
  const auto& part = parts_[component];
  const Index size = w.size();
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(part.begin(), part.end());
  double largest = 0;
  for (const auto& entry : part) largest = std::max(largest, std::abs(entry.value()));
  for (const double moved : {0.0, kEffectRounding * largest}) {
    for (Index i = 0; i < size && moved > 0; ++i) matrix.coeffRef(i, i) += moved;
    Determinant result{1, 0};
    if (size > kMostDenseExits) {
      Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(matrix);
      if (factors.info() != Eigen::Success) continue;
      result = {factors.signDeterminant(), factors.logAbsDeterminant()};
      change = factors.solve(w);
    } else {
      const Eigen::PartialPivLU<Matrix> factors{Matrix(matrix)};
      result.sign = factors.permutationP().determinant() > 0 ? 1 : -1;
      for (Index k = 0; k < size; ++k) {
        const double pivot = factors.matrixLU()(k, k);
        if (pivot < 0) result.sign = -result.sign;
        result.log_size += std::log(std::abs(pivot));
      }
      change = factors.solve(w);
    }
    if (std::isfinite(result.log_size) && all_finite(change)) return result;
  }
  return {std::numeric_limits<double>::quiet_NaN(), 0};
}

bool ExitNumerators::find(const std::vector<Eigen::Triplet<double>>& entries, ConstVectorRef w,
                          ConstVectorRef lambda, Vector& ratio, Vector& product) {
  const Index size = w.size();
  const bool is_first = components_.empty();
  if (is_first) split(size, entries);
  for (auto& part : parts_) part.clear();
  for (const auto& entry : entries) {
    const std::size_t component = at(component_of_[at(entry.row())]);
    parts_[component].emplace_back(static_cast<int>(place_[at(entry.row())]),
                                   static_cast<int>(place_[at(entry.col())]), entry.value());
  }
  ratio.resize(size);
  product.resize(size);
  Vector w_here, change;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    Component& component = components_[c];
    if (component.members.size() == 1) {
      const Index i = component.members.front();
      double effect = 0;
      for (const auto& entry : parts_[c]) effect += entry.value();
      if (is_first) component.first = {effect, 0};
      ratio[i] = effect / component.first.sign;
      product[i] = ratio[i] * lambda[i] - w[i] / component.first.sign;
      continue;
    }
    w_here = w(component.members);
    const Determinant now = solve(c, w_here, change);
    if (is_first) component.first = now;
    const double share = now.in_units_of(component.first);
    for (std::size_t k = 0; k < component.members.size(); ++k) {
      const Index i = component.members[k];
      ratio[i] = share;
      product[i] = share * (lambda[i] - change[static_cast<Index>(k)]);
    }
  }
  if (all_finite(ratio) && all_finite(product)) return true;
  if (is_first) reset();
  return false;
}

}  // namespace slideway
