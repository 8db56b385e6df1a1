// A derivative of the field as a FieldMatrixFunction that can also give its entries alone, all in one go. Where a row is full, directional
// derivatives tell no more than one entry of it each, and a matrix of many columns takes longer to clear than its entries take.
//
// It must not know where the entries come from.
#pragma once

#include <functional>
#include <utility>

#include "slideway/core/pattern.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class SparseFieldDerivative {
 public:
  // Writes the entries of the pattern along its rows.
  using Entries = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries)>;

  SparseFieldDerivative(Pattern pattern, Entries entries)
      : pattern_(std::move(pattern)), entries_(std::move(entries)) {}

  void operator()(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative) const {
    Vector values(pattern_.entries());
    entries_(t, x, lambda, values);
    derivative.setZero();
    for (Index i = 0; i < pattern_.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index e = pattern_.start[row]; e < pattern_.start[row + 1]; ++e)
        derivative(i, pattern_.column[static_cast<std::size_t>(e)]) = values[e];
    }
  }
  void entries(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef values) const {
    entries_(t, x, lambda, values);
  }

 private:
  Pattern pattern_;
  Entries entries_;
};

}  // namespace slideway
