// Korobitsyn & Frolova's rule (2011) at the intersection of two surfaces. On each of the four half-branches round it, p is
// the mean of the two fields beside the branch, projected onto its surface:
//     p₁ on S₁ where h₂ > 0,   p₂ on S₂ where h₁ > 0,   p₃ on S₁ where h₂ < 0,   p₄ on S₂ where h₁ < 0.
// Bit i of the code word w₄w₃w₂w₁ is 0 if pᵢ points to the intersection, and the word says what follows:
//     0000                   along both surfaces
//     one 1                  along that branch
//     two neighbouring 1s    the region between these branches
//     0101, 1010             along the branch with the longer p
//     three 1s               beside the opposite two, the region next to the longer one
//     1111                   not said
// The rule does not ask whether a branch slides at all, so that what it picks need not be a motion of Filippov's.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "filippov/corner.hpp"

namespace slideway {

struct HalfBranches {
  std::string code_word = {};         // w₄w₃w₂w₁
  std::array<double, 4> length = {};  // |p₁| … |p₄| in the space of the states
};

// The code word alone: that takes the normal components, and the angle between the surfaces.
std::string code_word(const VertexTable& table, const Vector& first_gradient, const Vector& second_gradient);

// Column v of `fields` is the field at vertex v; the gradients are those of h₁ and h₂.
HalfBranches half_branches(const VertexTable& table, const Matrix& fields, const Vector& first_gradient,
                           const Vector& second_gradient);

// The mode that follows, for the two surfaces; nothing where the rule does not say.
std::optional<std::vector<Side>> korobitsyn_frolova_mode(const HalfBranches& branches);

}  // namespace slideway
