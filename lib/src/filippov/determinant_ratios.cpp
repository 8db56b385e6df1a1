#include "slideway/filippov/determinant_ratios.hpp"

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "core/joined.hpp"

namespace slideway {

namespace {

// Sparse factors of a larger component take less time than dense ones.
constexpr Index kLargestDense = 48;

}  // namespace

void DeterminantRatios::split(Index size, const std::vector<Eigen::Triplet<double>>& entries) {
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

DeterminantRatios::Determinant DeterminantRatios::determinant_of(const Component& component) {
  const auto& part = parts_[at(component_of_[at(component.members.front())])];
  const Index size = static_cast<Index>(component.members.size());
  Determinant result{1, 0};
  if (size > kLargestDense) {
    Eigen::SparseMatrix<double> matrix(size, size);
    matrix.setFromTriplets(part.begin(), part.end());
    Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(matrix);
    if (factors.info() != Eigen::Success) return {0, -std::numeric_limits<double>::infinity()};
    return {factors.signDeterminant(), factors.logAbsDeterminant()};
  }
  const auto multiply = [&result](double pivot) {
    if (pivot < 0) result.sign = -result.sign;
    result.log_size += std::log(std::abs(pivot));
  };
  dense_.setZero(size, size);
  for (const auto& entry : part) dense_(entry.row(), entry.col()) = entry.value();
  if (size == 1) {
    multiply(dense_(0, 0));
    return result;
  }
  const Eigen::PartialPivLU<Matrix> factors(dense_);
  result.sign = factors.permutationP().determinant() > 0 ? 1 : -1;
  for (Index k = 0; k < size; ++k) multiply(factors.matrixLU()(k, k));
  return result;
}

bool DeterminantRatios::find(Index size, const std::vector<Eigen::Triplet<double>>& entries, Vector& ratio) {
  const bool is_first = components_.empty();
  if (is_first) split(size, entries);
  for (auto& part : parts_) part.clear();
  for (const auto& entry : entries) {
    parts_[at(component_of_[at(entry.row())])].emplace_back(
        static_cast<int>(place_[at(entry.row())]), static_cast<int>(place_[at(entry.col())]), entry.value());
  }
  ratio.resize(size);
  for (Component& component : components_) {
    const Determinant now = determinant_of(component);
    if (is_first) component.first = now;
    const double share = now.sign * component.first.sign * std::exp(now.log_size - component.first.log_size);
    if (!std::isfinite(share)) {
      if (is_first) reset();
      return false;
    }
    for (const Index i : component.members) ratio[i] = share;
  }
  return true;
}

}  // namespace slideway
