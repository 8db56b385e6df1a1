// A Jacobian J = S + U Vᵀ − B K⁻¹ C as one sparse matrix: v = Vᵀ x and y = K⁻¹ C x are unknowns beside x,
//     ( S   U  −B )
//     ( Vᵀ −I   0 ) = Ĵ,      J x = first rows of Ĵ (x, v, y),      0 = the others.
//     ( C   0  −K )
// The pattern stays as long as the same entries of U, V, B, C and K are there.
//
// It must not know what is solved with it.
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <vector>

#include "core/split_jacobian.hpp"
#include "slideway/core/pattern.hpp"

namespace slideway {

class BorderedJacobian {
 public:
  using Sparse = Eigen::SparseMatrix<double>;
  using Jacobian = std::function<void(double t, SplitJacobian& jacobian)>;
  // Ĵ at a time, and what constant rows behind those of the states make of all rows.
  struct Value {
    Sparse jacobian;
    int version = 0;  // of its pattern
    Matrix constant;
  };

  // `pattern` is that of S, which has further columns for constants, and must outlive this.
  BorderedJacobian(Index states, const Pattern& pattern, Jacobian jacobian);

  // Evaluates at t, where s holds the constant rows below those of the states.
  void evaluate(double t, const Matrix& s, Value& value);
  Index states() const { return states_; }
  // The rows of the last Ĵ, and of its parts: size() is states() and the number of v and y.
  Index size() const { return size_; }
  const SplitJacobian& parts() const { return split_; }

  // are_same() returns true where both have the same pattern and the same entries, to the last bit.
  static bool are_same(const Value& a, const Value& b);

 private:
  struct Place {
    int row, column;
    bool operator==(const Place&) const = default;
  };
  // Entries of S: where they are, and which they are among those of the pattern, −1 for a diagonal that is not in it.
  struct Entries {
    std::vector<Place> places;
    std::vector<Index> from;
  };
  void find_entries();
  // The places and values of U, V, B, C and K.
  void find_further();
  void find_slots();

  Index states_, size_ = 0;
  const Pattern& pattern_;
  Jacobian jacobian_;
  SplitJacobian split_ = {};
  Entries of_states_, of_constants_;
  std::vector<Place> further_, known_further_;
  std::vector<double> further_values_;
  // A matrix of the present pattern, and where in it the entries are, those of S first.
  Sparse like_;
  int version_ = 0;
  std::vector<int> slots_;
};

}  // namespace slideway
