// The modes that are consistent where several surfaces are met at once.
//
// For the a surfaces met, w(λ) is multi-affine in λ ∈ [−1, 1]ᵃ and so given by its values at the 2ᵃ vertices. A mode µ is
// consistent when
//     every sliding entry has w = 0 with λ in [−1, 1]; at λ = ±1 only if the next derivative keeps it inside,
//     every other entry has µᵢwᵢ > 0, or wᵢ = 0 and a next derivative of that sign.
// Equivalently λᵢ ∈ Sgn(wᵢ): a solution always exists, and generically there is an odd number of them.
// All modes are enumerated; the λ of those that slide are found by sliding_roots.hpp.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "filippov/vertex_table.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

enum class Stability {
  open,        // no surface slides
  attracting,  // nearby solutions run into it
  repelling,   // nearby solutions leave it: it can be left at any time
  saddle,      // neither
};
const char* to_string(Stability stability);

struct Continuation {
  std::vector<Side> sides = {};  // one per surface
  Vector lambda = {};            // ±1 where not sliding
  Stability stability = Stability::open;
  // −∂w/∂λ over the sliding entries is a P-matrix: the motion attracts whatever the relative speed of the relays.
  bool p_matrix = false;
  // The columns of `unseen` are directions of λ along which w stays zero, where ∂w/∂λ over the sliding entries
  // is singular.
  Matrix unseen = {};
};

struct CornerAnswer {
  std::vector<Continuation> continuations = {};
  // A sliding solve met a singular Jacobian that it could not resolve: there may be more.
  bool incomplete = false;
  std::string note = {};
};

// The second derivatives of h along f with λ frozen, at a candidate with sliding velocity f(λ). They break ties.
using CurvatureFunction = std::function<Vector(const Vector& lambda)>;

struct CornerOptions {
  // |wᵢ| at or below this is zero, per surface.
  Vector w_zero = {};
  // The change of w, per surface, that an error of the state makes; empty: not known.
  Vector w_error = {};
  // |λ| within this of 1 is on the boundary.
  double lambda_zero = 1e-9;
  // Derivatives below this part of the largest are zero.
  double rate_accuracy = 1e-9;
  // The equations change within typical_time.
  double typical_time = 1;
  // Surfaces whose sliding ends here are on the boundary within this, per surface (0: not known to end).
  Vector lambda_tie = {};
  // λ of a root that ends here, where it meets another: neither of them goes on. Empty: none does.
  Vector ended = {};
  // A λ in [−1, 1], per surface: of several λ of one motion the one nearest to it is found; empty: nearest to 0.
  Vector near = {};
  // A motion has left a surface once it is this far from it before it turns back, in units of h and per surface
  // (empty or 0: not known). A smaller w, w² ≤ 2|ẇ|·hardly_left, is a tie.
  Vector hardly_left = {};
};

// All consistent modes; velocities are not compared here.
CornerAnswer consistent_modes(const VertexTable& table, const CornerOptions& options,
                              const CurvatureFunction& curvature);

// regions_of_leaving() follows the motion h' = w(λ), λ ∈ Sgn(h), from points beside the corner: each stretch is straight, and the modes that
// follow where it meets surfaces are those of consistent_modes(). It returns the regions through which such a motion goes away
// from the corner, beyond a thousand times the distance at which it began; none where all of them come back to it.
std::vector<std::vector<Side>> regions_of_leaving(const VertexTable& table, const CornerOptions& options);

// return_map_factor() describes motion round the intersection of two surfaces along which nothing slides. One turn
// through the four regions contracts the distance by this factor (< 1 attracts). The table holds w at the four
// vertices; the factor is 0 when the fields do not turn round it.
double return_map_factor(const VertexTable& table);

}  // namespace slideway
