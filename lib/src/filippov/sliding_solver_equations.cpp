// Which equations and which relays SlidingSolver keeps: all of them, or as many as the rank of D where it is singular.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/at.hpp"
#include "core/joined.hpp"
#include "slideway/filippov/dependent_relays.hpp"
#include "slideway/filippov/sliding_solver.hpp"

namespace slideway {

namespace {

constexpr double kLeastSlack = 1e-6;

// A connected component of D: its entries of sliding(), and D over them unless it is larger than `most`.
struct Component {
  std::vector<Index> members;
  Matrix matrix = {};
};

std::vector<Component> components_of(const std::vector<Eigen::Triplet<double>>& triplets, std::size_t size,
                                     Index most) {
  Joined joined(size);
  for (const auto& entry : triplets) {
    if (entry.value() != 0) joined.join(entry.row(), entry.col());
  }
  std::vector<Component> components;
  std::vector<std::size_t> component_of(size);
  std::vector<Index> place(size, -1);
  for (const std::vector<Index>& group : joined.groups()) {
    const Index count = static_cast<Index>(group.size());
    for (Index i = 0; i < count; ++i) {
      component_of[at(group[at(i)])] = components.size();
      place[at(group[at(i)])] = i;
    }
    components.push_back({group});
    if (count <= most) components.back().matrix = Matrix::Zero(count, count);
  }
  for (const auto& entry : triplets) {
    Matrix& matrix = components[component_of[at(entry.row())]].matrix;
    if (matrix.size() > 0 && entry.value() != 0)
      matrix(place[at(entry.row())], place[at(entry.col())]) = entry.value();
  }
  return components;
}

RegularPart whole(Index size) {
  RegularPart all;
  all.rows.resize(at(size));
  std::iota(all.rows.begin(), all.rows.end(), Index{0});
  all.columns = all.rows;
  return all;
}

}  // namespace

void SlidingSolver::choose_equations(double t, ConstVectorRef x, ConstVectorRef lambda) {
  chosen_ = true;
  const std::size_t k = sliding_.size();
  if (diagonal_ && triplets_.size() == k &&
      std::all_of(triplets_.begin(), triplets_.end(), [](const auto& entry) { return entry.value() != 0; })) {
    return;
  }
  dependent_ = false;
  equations_.clear();
  unknowns_.clear();
  any_second_order_ = false;
  for (Component& component : components_of(triplets_, k, kLargestDense))
    choose_in_component(t, x, lambda, component.members, component.matrix);
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

// A component that is large is taken for regular; its factors show it if it is not.
void SlidingSolver::choose_in_component(double t, ConstVectorRef x, ConstVectorRef lambda,
                                        const std::vector<Index>& members, Matrix& matrix) {
  const Index size = static_cast<Index>(members.size());
  std::vector<char> second(members.size(), 0);
  const bool is_one = matrix.size() == 1 && matrix(0, 0) != 0;
  RegularPart regular = matrix.size() == 0 || is_one ? whole(size) : regular_part(matrix);
  if (regular.rows.size() < members.size()) {
    dependent_ = true;
    for (Index i = 0; i < size; ++i) {
      if ((matrix.row(i).array() != 0).any()) continue;
      second[at(i)] = 1;
      for (Index j = 0; j < size; ++j)
        matrix(i, j) = second_order_entry(t, x, lambda, members[at(i)], members[at(j)]);
      if (!matrix.row(i).allFinite()) matrix.row(i).setZero();
    }
    // The relays that are farthest from their bounds can follow for longest.
    Vector above = Vector::Ones(lambda.size());
    Vector below = above;
    if (evaluator_.system().breaks_away()) evaluator_.break_away(t, x, above, below);
    for (Index j = 0; j < size; ++j) {
      const Index relay = sliding_[at(members[at(j)])];
      matrix.col(j) *=
          std::max(kLeastSlack, 1 - std::max(lambda[relay] / above[relay], -lambda[relay] / below[relay]));
    }
    regular = regular_part(matrix);
  }
  for (const Index i : regular.rows) {
    equations_.push_back({members[at(i)], second[at(i)] != 0, {}});
    if (!second[at(i)]) continue;
    equations_.back().relays = members;
    any_second_order_ = true;
  }
  for (const Index j : regular.columns) unknowns_.push_back(members[at(j)]);
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
