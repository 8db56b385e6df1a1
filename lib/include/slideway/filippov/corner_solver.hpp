// The continuations of a system at a point where several coupled surfaces are met at once, the relays of all others frozen:
// of few surfaces all of them, from the vertex table of the fields at the 2ᵃ corners; of many one consistent mode, from
// the relays' complementarity problem.
//
// Continuations with the same velocity are one. It must not know integrators or how the point was found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/filippov/corner.hpp"
#include "slideway/filippov/relay_network.hpp"
#include "slideway/filippov/sliding_solver.hpp"
#include "slideway/filippov/surface_geometry.hpp"

namespace slideway {

inline constexpr Index most_enumerated_surfaces = 6;

struct CornerPoint {
  std::vector<Index> surfaces = {};
  VertexTable table = {};  // empty where the surfaces are too many to enumerate
  CornerAnswer answer = {};
  // Of a continuation found without enumeration: why it may not be the only one; empty where it is.
  std::string uniqueness_not_shown = {};
  // Where there is exactly one continuation: w with this one relay at −1, +1.
  Vector w_minus = {};
  Vector w_plus = {};
  // The only continuation slides along the intersection and nothing shows that it attracts.
  bool repelling_intersection = false;
  // Of two surfaces: Korobitsyn & Frolova's code word.
  std::optional<std::string> code_word = {};
};

class CornerSolver {
 public:
  // The references must outlive the solver.
  CornerSolver(Evaluator& evaluator, const RelayStructure& structure);

  // `ends` flags the surfaces whose sliding was found to end here (one flag per entry of `surfaces`); x is on all of them.
  // `lambda` holds the relays before: frozen for the other surfaces, a first guess for these where they are many.
  CornerPoint solve(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& surfaces,
                    const std::vector<char>& ends);

  // Where the system does not tell its patterns: the groups of `surfaces` that see each other, from how w changes when
  // one relay goes from end to end while the others are in general position.
  std::vector<std::vector<Index>> groups(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         const std::vector<Index>& surfaces);

 private:
  CornerPoint enumerate(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const std::vector<char>& ends);
  CornerPoint solve_network(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                            const std::vector<char>& ends);
  void set_relays(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local);
  Vector curvatures(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local);

  Evaluator& evaluator_;
  SurfaceGeometry geometry_;
  SlidingSolver sliding_;
  Vector lambda_, velocity_, rates_, curvatures_;
};

}  // namespace slideway
