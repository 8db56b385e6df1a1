// The derivatives of a solution that begins exactly where its field jumps, one for each side of a direction of its start:
// to first order the neighbour that begins ε s beside it is ε ∂hᵢ/∂x·s beside surface i, and all fields are constant there. It follows the
// field of its region for a time τ₁ that is a part of ε, meets a surface, crosses it or slides, and so on until it is in the mode
// of the solution:
//     S = s + Σ fₖ τₖ − f Σ τₖ,      τ = −hᵢ/wᵢ, wᵢ = ∂hᵢ/∂t + ∂hᵢ/∂x·fₖ
// with f the field of the solution. A neighbour that never comes to that mode goes another way, and has no derivative.
//
// It must not know jumps, nor how S is integrated.
#pragma once

#include <vector>

#include "sensitivity/segment_field.hpp"

namespace slideway {

class StartSides {
 public:
  // `middle` is for the modes of neighbours; it must outlive this.
  explicit StartSides(SegmentField& middle) : middle_(middle) {}

  struct Sides {
    // n × q each, by directions towards smaller and larger values; NaN in a column where that neighbour goes another way.
    Matrix below = {}, above = {};
  };
  // `begun` is the segment that `to` has taken up, and `surfaces` are those that the start is on, where the field jumps.
  Sides find(double t, ConstVectorRef x, SegmentField& to, const Segment& begun,
             const std::vector<Index>& surfaces, const Matrix& s);

 private:
  // A neighbour on its way: where it is, as a part of ε.
  struct Neighbour {
    Vector moved = {};      // beside the start
    Vector distances = {};  // hᵢ of each surface
    Segment in = {};        // its mode
  };

  // A vector of NaN where the neighbour in this direction goes another way.
  Vector one_side(double t, ConstVectorRef x, SegmentField& to, const Segment& begun,
                  const std::vector<Index>& surfaces, const Vector& direction);
  // Takes up the mode of the neighbour, and returns whether it is one: λ of what slides is in [−1, 1].
  bool take(double t, ConstVectorRef x, const Neighbour& neighbour);
  // The surface that the neighbour meets next, by its place among `surfaces`, and the time until then; surfaces.size() where
  // it meets none.
  std::size_t next_surface(const Neighbour& neighbour, const std::vector<Index>& surfaces,
                           const Vector& rates, double& time) const;
  // Crosses the surface that was met, or slides along it, and returns whether one of the two is possible.
  bool pass(double t, ConstVectorRef x, Index surface, Neighbour& neighbour);
  Vector rates(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& velocity);

  SegmentField& middle_;
};

}  // namespace slideway
