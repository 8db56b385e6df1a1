// A characteristic y = f(u) or y = f(u, v): values at knots, and what lies between and beyond them.
//
// Of one variable its pieces are polynomials
//     y = c₀ + c₁ (u − u₀) + c₂ (u − u₀)² + c₃ (u − u₀)³
// Of two it is bilinear in every rectangle of the knots, or holds the value at its lower corner.
// It must not know files or graphs.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/input.hpp"

namespace slideway::reader {

// The values beyond the knots: none, which ends a run there; the value at the nearest end; the straight line that the end has.
enum class Beyond { error, hold, linear };

class Characteristic {
 public:
  struct Data {
    std::string name = {};
    std::vector<double> first = {};   // knots of the first variable, ascending
    std::vector<double> second = {};  // of the second one; empty where there is none
    std::vector<double> values = {};  // of all second knots for every first one
    Interpolation interpolation = Interpolation::linear;
    Beyond beyond = Beyond::error;
  };
  struct Piece {
    double origin = 0;
    double coefficients[4] = {0, 0, 0, 0};
  };
  // The pieces of one variable from the lowest on: the first has no knot below it, and each of the others begins at a knot.
  struct Pieces {
    std::vector<double> knots = {};    // between the pieces
    std::vector<Piece> pieces = {};    // one more than knots
    std::vector<bool> is_beyond = {};  // of a piece: that it has no value
  };

  // Knots that ascend, two at least, and as many values as there are pairs of them.
  explicit Characteristic(Data data) : data_(std::move(data)) {}

  const Data& data() const { return data_; }
  bool has_two_variables() const { return !data_.second.empty(); }
  // jumps() tells whether the characteristic jumps at its knots instead of bending only.
  bool jumps() const { return data_.interpolation == Interpolation::hold; }
  // pieces() are those of one variable, or the dependence on the second variable at this knot of the first.
  Pieces pieces(std::size_t knot = 0) const;

 private:
  Data data_;
};

}  // namespace slideway::reader
