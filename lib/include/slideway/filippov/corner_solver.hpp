// All continuations of a system at a point where several coupled surfaces are met at once, the relays of all others
// frozen: the vertex table for `consistent_modes` from the fields at the 2ᵃ corners.
//
// Continuations with the same velocity are one. It must not know integrators or how the point was found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/filippov/corner.hpp"
#include "slideway/filippov/surface_geometry.hpp"

namespace slideway {

inline constexpr Index most_enumerated_surfaces = 6;

struct CornerPoint {
  std::vector<Index> surfaces = {};
  VertexTable table = {};
  CornerAnswer answer = {};
  // The only continuation slides along the intersection and nothing shows that it attracts.
  bool repelling_intersection = false;
  // Of two surfaces: Korobitsyn & Frolova's code word.
  std::optional<std::string> code_word = {};
};

class CornerSolver {
 public:
  // The references must outlive the solver.
  CornerSolver(Evaluator& evaluator, const RelayStructure& structure);

  // At most `most_enumerated_surfaces` surfaces. `ends` flags the ones whose sliding was found to end here (one flag per
  // entry of `surfaces`); x is on all of them.
  CornerPoint solve(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& surfaces,
                    const std::vector<char>& ends);

  // Where the system does not tell its patterns: the groups of `surfaces` that see each other, from how w changes when
  // one relay goes from end to end while the others are in general position.
  std::vector<std::vector<Index>> groups(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         const std::vector<Index>& surfaces);

 private:
  Evaluator& evaluator_;
  SurfaceGeometry geometry_;
  Vector lambda_, velocity_, rates_, curvatures_;
};

}  // namespace slideway
