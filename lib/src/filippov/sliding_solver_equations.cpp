// Which equations and which relays SlidingSolver keeps: all of them, or as many as the rank of D where it is singular.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/joined.hpp"
#include "slideway/filippov/dependent_relays.hpp"
#include "slideway/filippov/sliding_solver.hpp"

namespace slideway {

namespace {

constexpr double kLeastSlack = 1e-6;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

// A component of D that is large is taken for regular; its factors show it if it is not.
void SlidingSolver::choose_equations(double t, ConstVectorRef x, ConstVectorRef lambda) {
  chosen_ = true;
  const std::size_t k = sliding_.size();
  if (diagonal_ && triplets_.size() == k &&
      std::all_of(triplets_.begin(), triplets_.end(), [](const auto& entry) { return entry.value() != 0; })) {
    return;
  }
  Joined joined(k);
  for (const auto& entry : triplets_) {
    if (entry.value() != 0) joined.join(entry.row(), entry.col());
  }
  const std::vector<std::vector<Index>> groups = joined.groups();
  std::vector<std::size_t> group_of(k);
  std::vector<Index> place(k, -1);
  std::vector<Matrix> parts(groups.size());
  for (std::size_t l = 0; l < groups.size(); ++l) {
    const Index size = static_cast<Index>(groups[l].size());
    for (Index i = 0; i < size; ++i) {
      group_of[at(groups[l][at(i)])] = l;
      place[at(groups[l][at(i)])] = i;
    }
    if (size <= kLargestDense) parts[l] = Matrix::Zero(size, size);
  }
  for (const auto& entry : triplets_) {
    Matrix& part = parts[group_of[at(entry.row())]];
    if (part.size() > 0 && entry.value() != 0)
      part(place[at(entry.row())], place[at(entry.col())]) = entry.value();
  }
  dependent_ = false;
  equations_.clear();
  unknowns_.clear();
  any_second_order_ = false;
  for (std::size_t l = 0; l < groups.size(); ++l) {
    const std::vector<Index>& group = groups[l];
    Matrix& part = parts[l];
    std::vector<char> second(group.size(), 0);
    RegularPart regular;
    if (part.size() > 0) {
      if (part.size() == 1 && part(0, 0) != 0) {
        regular = {{0}, {0}};
      } else {
        regular = regular_part(part);
      }
      if (regular.rows.size() < group.size()) {
        dependent_ = true;
        for (Index i = 0; i < part.rows(); ++i) {
          if ((part.row(i).array() != 0).any()) continue;
          second[at(i)] = 1;
          for (Index j = 0; j < part.cols(); ++j)
            part(i, j) = second_order_entry(t, x, lambda, group[at(i)], group[at(j)]);
          if (!part.row(i).allFinite()) part.row(i).setZero();
        }
        // The relays that are farthest from their bounds can follow for longest.
        Vector bounds = Vector::Ones(lambda.size());
        if (evaluator_.system().breaks_away()) evaluator_.break_away(t, x, bounds);
        for (Index j = 0; j < part.cols(); ++j) {
          const Index relay = sliding_[at(group[at(j)])];
          part.col(j) *= std::max(kLeastSlack, 1 - std::abs(lambda[relay]) / bounds[relay]);
        }
        regular = regular_part(part);
      }
    } else {
      regular.rows.resize(group.size());
      std::iota(regular.rows.begin(), regular.rows.end(), Index{0});
      regular.columns = regular.rows;
    }
    for (const Index i : regular.rows) {
      equations_.push_back({group[at(i)], second[at(i)] != 0, {}});
      if (!second[at(i)]) continue;
      equations_.back().relays = group;
      any_second_order_ = true;
    }
    for (const Index j : regular.columns) unknowns_.push_back(group[at(j)]);
  }
  if (!dependent_) return;
  diagonal_ = false;
  equation_of_row_.assign(k, -1);
  unknown_of_column_.assign(k, -1);
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    if (!equations_[e].second_order) equation_of_row_[at(equations_[e].row)] = static_cast<Index>(e);
    unknown_of_column_[at(unknowns_[e])] = static_cast<Index>(e);
  }
  residual_ = Vector::Zero(static_cast<Index>(equations_.size()));
  correction_ = residual_;
  scale_ = Vector::Ones(residual_.size());
}

double SlidingSolver::second_order_entry(double t, ConstVectorRef x, ConstVectorRef lambda, Index row,
                                         Index column) {
  const Index i = sliding_[at(row)];
  const Index j = sliding_[at(column)];
  double value[2] = {0, 0};
  lambda_high_ = lambda;
  for (const int side : {0, 1}) {
    // ḧ can be quadratic in λ; a difference over any length is then exact at its middle.
    lambda_high_[j] = lambda[j] + (side == 1 ? 0.5 : -0.5);
    evaluator_.field(t, x, lambda_high_, dx_);
    evaluator_.guard_curvatures(t, x, lambda_high_, dx_, curvatures_);
    value[side] = curvatures_[i];
  }
  return value[1] - value[0];
}

// The rows and columns that are kept, in the numbering of the equations and the unknowns.
void SlidingSolver::reduce_entries(double t, ConstVectorRef x, ConstVectorRef lambda) {
  std::vector<Eigen::Triplet<double>> kept;
  for (const auto& entry : triplets_) {
    const Index row = equation_of_row_[at(entry.row())];
    const Index column = unknown_of_column_[at(entry.col())];
    if (row >= 0 && column >= 0)
      kept.emplace_back(static_cast<int>(row), static_cast<int>(column), entry.value());
  }
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    for (const Index j : equations_[e].relays) {
      const Index column = unknown_of_column_[at(j)];
      if (column < 0) continue;
      kept.emplace_back(static_cast<int>(e), static_cast<int>(column),
                        second_order_entry(t, x, lambda, equations_[e].row, j));
    }
  }
  triplets_ = std::move(kept);
}

}  // namespace slideway
