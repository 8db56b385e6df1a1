#include "filippov/p_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/at.hpp"
#include "core/factorise.hpp"
#include "filippov/linear_factors.hpp"

namespace slideway {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr Index kMostMinors = 10;

// Strongly connected components by Tarjan's algorithm, without recursion, along columns: those of the transpose are the same.
std::vector<std::vector<Index>> strong_components(const Sparse& matrix) {
  const Index n = matrix.rows();
  std::vector<Index> order(at(n), -1), low(at(n), 0), stack, path;
  std::vector<Sparse::InnerIterator> next;
  next.reserve(at(n));
  for (Index j = 0; j < n; ++j) next.emplace_back(matrix, j);
  std::vector<char> on_stack(at(n), 0);
  std::vector<std::vector<Index>> result;
  Index counter = 0;
  for (Index root = 0; root < n; ++root) {
    if (order[at(root)] >= 0) continue;
    path.push_back(root);
    while (!path.empty()) {
      const Index v = path.back();
      if (order[at(v)] < 0) {
        order[at(v)] = low[at(v)] = counter++;
        stack.push_back(v);
        on_stack[at(v)] = 1;
      }
      bool descends = false;
      for (Sparse::InnerIterator& edge = next[at(v)]; edge && !descends; ++edge) {
        const Index to = edge.row();
        if (to == v || edge.value() == 0) continue;
        if (order[at(to)] < 0) {
          path.push_back(to);
          descends = true;
        } else if (on_stack[at(to)]) {
          low[at(v)] = std::min(low[at(v)], order[at(to)]);
        }
      }
      if (descends) continue;
      path.pop_back();
      if (!path.empty()) low[at(path.back())] = std::min(low[at(path.back())], low[at(v)]);
      if (low[at(v)] != order[at(v)]) continue;
      std::vector<Index> component;
      while (true) {
        const Index member = stack.back();
        stack.pop_back();
        on_stack[at(member)] = 0;
        component.push_back(member);
        if (member == v) break;
      }
      std::sort(component.begin(), component.end());
      result.push_back(std::move(component));
    }
  }
  return result;
}

// ⟨A⟩u = 1 has a positive solution: A is an H-matrix, and with a positive diagonal a P-matrix.
bool is_h_matrix(const Sparse& matrix) {
  Sparse comparison = matrix;
  for (Index j = 0; j < comparison.outerSize(); ++j) {
    for (Sparse::InnerIterator entry(comparison, j); entry; ++entry) {
      if (entry.row() != j) entry.valueRef() = -std::abs(entry.value());
    }
  }
  const auto u = LinearFactors(comparison).solve(Vector::Ones(matrix.rows()));
  if (!u || !u->allFinite() || !(u->minCoeff() > 0)) return false;
  return (comparison * *u).minCoeff() > 0.5;
}

// Row scaling changes nothing in the signs of minors; this one makes a matrix symmetric where that is possible.
bool is_definite_after_scaling(const Sparse& matrix) {
  const Index n = matrix.rows();
  const Sparse transposed = matrix.transpose();
  const auto is_definite = [&](const Vector& rows) {
    const Sparse scaled = rows.asDiagonal() * matrix;
    Sparse symmetric = scaled + Sparse(scaled.transpose());
    const Vector sizes = symmetric.diagonal().cwiseAbs().cwiseSqrt();
    if (!(sizes.minCoeff() > 0)) return false;
    symmetric = sizes.cwiseInverse().asDiagonal() * symmetric * sizes.cwiseInverse().asDiagonal();
    symmetric.diagonal().array() -= 1e-12 * static_cast<double>(n);
    return Eigen::SimplicialLLT<Sparse>(symmetric).info() == Eigen::Success;
  };
  Vector scale = Vector::Zero(n);
  std::vector<Index> queue{0};
  scale[0] = 1;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Index i = queue[head];
    // Both a column of the matrix and one of its transpose, whose entries are in order.
    Sparse::InnerIterator below(matrix, i);
    for (Sparse::InnerIterator beside(transposed, i); beside; ++beside) {
      const Index j = beside.row();
      while (below && below.row() < j) ++below;
      if (!below || below.row() != j || scale[j] != 0 || !(beside.value() * below.value() > 0)) continue;
      scale[j] = scale[i] * beside.value() / below.value();
      queue.push_back(j);
    }
  }
  if (scale.allFinite() && scale.minCoeff() > 0 && is_definite(scale)) return true;
  return is_definite(Vector::Ones(n));
}

}  // namespace

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

bool shows_p_matrix(const Sparse& matrix) {
  std::vector<Index> place(at(matrix.rows()), -1);
  for (const std::vector<Index>& members : strong_components(matrix)) {
    const Sparse block = part_of(matrix, members, members, place);
    const Vector diagonal = block.diagonal();
    if (!block.coeffs().allFinite() || !(diagonal.minCoeff() > 0)) return false;
    if (block.rows() == 1) continue;
    const bool shown = block.rows() <= kMostMinors ? is_p_matrix(block)
                                                   : is_h_matrix(block) || is_definite_after_scaling(block);
    if (!shown) return false;
  }
  return true;
}

}  // namespace slideway
