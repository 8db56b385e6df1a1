// ContactDynamics with B at hand: forces and impulses that give the gaps what they lack, group by group, and what they do.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/factorise.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"

namespace slideway {

namespace {

// The part of the largest acceleration, or velocity, of several contacts that is rounding in another.
constexpr double kNegligible = 1e-13;
// B is singular below this reciprocal condition number.
constexpr double kSingularContacts = 1e-13;

}  // namespace

void ContactDynamics::take_effects(const std::vector<Index>& rows, Matrix& block) const {
  const auto k = static_cast<Index>(rows.size());
  block.resize(k, k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) block(i, j) = effect(rows[at(i)], rows[at(j)]);
  }
}

Matrix ContactDynamics::effects(const std::vector<Index>& rows) const {
  Matrix block;
  take_effects(rows, block);
  return block;
}

// result += B·impulses, or the same of absolute values.
void ContactDynamics::multiply(const Vector& impulses, Vector& result, bool absolute) const {
  for (Index i = 0; i < at_hand_.coupling.rows; ++i) {
    for (Index e = at_hand_.coupling.start[at(i)]; e < at_hand_.coupling.start[at(i + 1)]; ++e) {
      const double part = at_hand_.effects[e] * impulses[at_hand_.coupling.column[at(e)]];
      result[i] += absolute ? std::abs(part) : part;
    }
  }
}

void ContactDynamics::add_impulses(const Vector& impulses, VectorRef x) const {
  for (std::size_t j = 0; j < at_hand_.directions.size(); ++j)
    at_hand_.directions[j].add_to(x, impulses[static_cast<Index>(j)]);
}

bool ContactDynamics::clear_cancelled(ConstVectorRef before, VectorRef x) const {
  bool any = false;
  for (const Sparse& direction : at_hand_.directions) {
    for (const Index j : direction.states) {
      if (x[j] == 0 || !(std::abs(x[j]) <= 16 * kEpsilon * std::abs(before[j]))) continue;
      x[j] = 0;
      any = true;
    }
  }
  return any;
}

// at_hand_.solution = B⁻¹ at_hand_.right_side.
void ContactDynamics::solve() const {
  for (const std::vector<Index>& group : at_hand_.groups) {
    if (group.size() == 1) {
      at_hand_.solution[group[0]] = at_hand_.right_side[group[0]] / effect(group[0], group[0]);
    } else {
      solve_group(group);
    }
  }
}

void ContactDynamics::solve_group(const std::vector<Index>& group) const {
  buffers_.block_right = at_hand_.right_side(group);
  const Vector& right = buffers_.block_right;
  const double size = 1 + right.lpNorm<Eigen::Infinity>();
  if (group.size() > kManyContacts) {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t r = 0; r < group.size(); ++r) {
      for (Index e = at_hand_.coupling.start[at(group[r])]; e < at_hand_.coupling.start[at(group[r] + 1)];
           ++e) {
        const auto c =
            std::lower_bound(group.begin(), group.end(), at_hand_.coupling.column[at(e)]) - group.begin();
        entries.emplace_back(static_cast<int>(r), static_cast<int>(c), at_hand_.effects[e]);
      }
    }
    Eigen::SparseMatrix<double> block(right.size(), right.size());
    block.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(block);
    if (factors.info() == Eigen::Success) {
      const Vector solution = factors.solve(right);
      const double terms =
          size + solution.lpNorm<Eigen::Infinity>() * at_hand_.effects.lpNorm<Eigen::Infinity>();
      if (solution.allFinite() && (block * solution - right).lpNorm<Eigen::Infinity>() <= 1e-12 * terms) {
        at_hand_.solution(group) = solution;
        return;
      }
    }
  }
  take_effects(group, buffers_.block);
  buffers_.factors.compute(buffers_.block);
  if (buffers_.factors.rcond() > kSingularContacts) {
    buffers_.block_solution = buffers_.factors.solve(right);
    at_hand_.solution(group) = buffers_.block_solution;
    return;
  }
  // More contacts than directions to hold (a table on four legs): the forces are shared, their effect is not.
  const Eigen::CompleteOrthogonalDecomposition<Matrix> orthogonal(buffers_.block);
  const Vector solution = orthogonal.solve(right);
  const double left = (buffers_.block * solution - right).lpNorm<Eigen::Infinity>();
  at_hand_.solution(group) = solution;
  if (left <= 1e-8 * size) return;
  std::vector<Index> members;
  for (const Index r : group) members.push_back(at_hand_.contacts[at(r)]);
  throw std::runtime_error("no forces keep the contacts " + names(members) + " closed");
}

// 0 ≤ z ⊥ right_side + Bz ≥ 0, group by group.
ComplementarityAnswer ContactDynamics::push(const Vector& right_side) const {
  ComplementarityAnswer answer;
  answer.solved = true;
  answer.z = Vector::Zero(right_side.size());
  answer.residual = right_side;
  for (const std::vector<Index>& group : at_hand_.groups) {
    std::vector<Index> pushing, sticking;
    for (const Index r : group) (is_tangential(at_hand_.contacts[at(r)]) ? sticking : pushing).push_back(r);
    if (!sticking.empty()) {
      push_with_sticking(pushing, sticking, right_side, answer);
      continue;
    }
    const auto k = static_cast<Index>(group.size());
    const ComplementarityAnswer part =
        solve_box_complementarity(effects(group), right_side(group), Vector::Zero(k),
                                  Vector::Constant(k, std::numeric_limits<double>::infinity()));
    answer.solved = answer.solved && part.solved;
    if (!part.solved) continue;
    answer.z(group) = part.z;
    answer.residual(group) = part.residual;
  }
  return answer;
}

// Rows of contacts that stick have forces of both signs, which are eliminated.
void ContactDynamics::push_with_sticking(const std::vector<Index>& pushing,
                                         const std::vector<Index>& sticking, const Vector& right_side,
                                         ComplementarityAnswer& answer) const {
  const auto block = [&](const std::vector<Index>& rows, const std::vector<Index>& columns) {
    Matrix made(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j)
        made(static_cast<Index>(i), static_cast<Index>(j)) = effect(rows[i], columns[j]);
    }
    return made;
  };
  const Matrix pushed_by_sticking = block(pushing, sticking);
  const Eigen::CompleteOrthogonalDecomposition<Matrix> held(block(sticking, sticking));
  const Matrix by_push = held.solve(block(sticking, pushing));
  const Vector by_itself = held.solve(Vector(right_side(sticking)));
  const auto k = static_cast<Index>(pushing.size());
  const ComplementarityAnswer part =
      solve_box_complementarity(block(pushing, pushing) - pushed_by_sticking * by_push,
                                right_side(pushing) - pushed_by_sticking * by_itself, Vector::Zero(k),
                                Vector::Constant(k, std::numeric_limits<double>::infinity()));
  answer.solved = answer.solved && part.solved;
  if (!part.solved) return;
  answer.z(pushing) = part.z;
  answer.z(sticking) = -(by_itself + by_push * part.z);
  answer.residual(pushing) = part.residual;
  answer.residual(sticking).setZero();
}

void ContactDynamics::flush(VectorRef right_side) const {
  double largest = 0;
  for (Index r = 0; r < right_side.size(); ++r) {
    largest = std::max(largest, std::abs(right_side[r]) / std::sqrt(effect(r, r)));
  }
  for (Index r = 0; r < right_side.size(); ++r) {
    if (std::abs(right_side[r]) / std::sqrt(effect(r, r)) <= kNegligible * largest) right_side[r] = 0;
  }
}

}  // namespace slideway
