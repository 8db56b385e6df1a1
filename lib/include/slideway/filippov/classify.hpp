// Classification of a point on one switching surface h = 0: its kind, and the modes that can follow.
//
// With w∓ the normal components dh/dt of the fields at λ = ∓1:
//     w⁻ > 0, w⁺ > 0   crossing upward                    → +
//     w⁻ < 0, w⁺ < 0   crossing downward                  → −
//     w⁻ > 0, w⁺ < 0   attracting sliding                 → 0, λ = (w⁻ + w⁺)/(w⁻ − w⁺)
//     w⁻ < 0, w⁺ > 0   repelling                          → −, + and 0 are all solutions
// Where a component vanishes the first higher derivative of h along that field that does not vanish decides:
// the field leaves the surface on its own side (a visible fold) or not (an invisible one). At λ = ±1 sliding is
// consistent only if the next derivative moves λ inside [−1, 1].
// (Filippov 1988, §10 and §19; Kuznetsov, Rinaldi & Gragnani 2003.)
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "slideway/filippov/mode.hpp"

namespace slideway {

enum class PointKind {
  crossing_up,
  crossing_down,
  sliding,
  repelling,
  visible_fold_minus,    // w⁻ = 0 and the field at λ = −1 curves away into h < 0
  invisible_fold_minus,  // w⁻ = 0 and it curves into h > 0
  visible_fold_plus,     // w⁺ = 0 and the field at λ = +1 curves away into h > 0
  invisible_fold_plus,   // w⁺ = 0 and it curves into h < 0
  two_fold,              // w⁻ = w⁺ = 0
  degenerate,            // a component and its first three derivatives vanish
};

// "crossing upward", "attracting sliding", …
const char* to_string(PointKind kind);

// The derivatives of h along one field at a point of the surface, and what counts as zero in each.
struct NormalMotion {
  double w = 0;               // dh/dt
  double curvature = 0;       // d²h/dt²
  double third = 0;           // d³h/dt³
  double w_zero = 0;          // |w| at or below this is zero
  double curvature_zero = 0;  // likewise for the curvature …
  double third_zero = 0;      // … and the third derivative
  bool vanishes = false;      // w is known to be zero (this component's root was located here)
  // The sign that w takes next as the run saw it, where the errors of the state hide that of the curvature; 0: not seen.
  int seen = 0;
};

// Some of the three sides.
class SideSet {
 public:
  SideSet() = default;
  SideSet(std::initializer_list<Side> sides) {
    for (const Side side : sides) insert(side);
  }
  void insert(Side side) { contains_[index_of(side)] = true; }
  bool contains(Side side) const { return contains_[index_of(side)]; }
  bool empty() const { return *this == SideSet(); }
  bool operator==(const SideSet&) const = default;

 private:
  static std::size_t index_of(Side side) { return static_cast<std::size_t>(static_cast<int>(side) + 1); }
  std::array<bool, 3> contains_ = {};
};

struct PointClass {
  PointKind kind = PointKind::crossing_up;
  double lambda = 0;             // of the sliding continuation, NaN where there is none
  SideSet continuations = {};    // every consistent mode of this surface
  bool sliding_repels = false;   // the sliding continuation is unstable
  std::string_view reason = {};  // one line, of text that stays
};

// −1, 0 or +1: the sign of the first derivative that is not zero.
int leading_sign(const NormalMotion& motion);
bool component_vanishes(const NormalMotion& motion);

// TwoFoldRates tells how w⁻ and w⁺ change along the fields, which decides how a two-fold goes on: minus_along_plus
// = d(w⁻)/dt along the field at λ = +1, and so on.
struct TwoFoldRates {
  double minus_along_minus = 0;
  double minus_along_plus = 0;
  double plus_along_minus = 0;
  double plus_along_plus = 0;
};

PointClass classify(const NormalMotion& minus, const NormalMotion& plus, const TwoFoldRates& rates = {});

// Filippov's λ = (w⁻ + w⁺)/(w⁻ − w⁺); NaN when w⁻ = w⁺.
double sliding_lambda(double w_minus, double w_plus);

}  // namespace slideway
