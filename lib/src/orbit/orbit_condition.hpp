// What vanishes along a curve of one bifurcation of periodic orbits, as a function g of a shot, and the second functions that vanish at points of
// it.
//
// It must not know how zeros are found.
#pragma once

#include <optional>
#include <string>

#include "orbit/defining_function.hpp"
#include "orbit/orbit_plane.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

// NaN where a function has no value.
struct OrbitSecondFunctions {
  double fold = 0;       // det F_y
  double doubling = 0;   // det(M + I)
  double circle = 0;     // ∏(|μ|² − 1) of complex pairs
  double third = 0;      // of the pair that is nearest to the circle: cos of its angle + 1/2
  double fourth = 0;     // cos of its angle
  double curvature = 0;  // of CS and SS: d²h/dt² of the field beyond where the orbit arrives
};

class OrbitCondition {
 public:
  // Of multipliers: `kind` is fold, period_doubling or torus. The shot is one at the bifurcation, whose events all others have.
  OrbitCondition(Bifurcation kind, const PlaneShot& at);
  // Of a change of events; the shot is one of the side that has the function.
  OrbitCondition(DefiningFunction function, const PlaneShot& at);

  Bifurcation kind() const { return kind_; }
  // is_one_sided() tells whether g has values on one side of its zero alone, where it is above zero.
  bool is_one_sided() const { return function_.has_value(); }
  // Nothing on orbits with other events.
  std::optional<double> value(const PlaneShot& shot) const;
  OrbitSecondFunctions second(const PlaneShot& shot) const;
  // The borders of SN and PD follow their null vectors.
  void prepare(const PlaneShot& shot);

 private:
  Matrix matrix_of(const PlaneShot& shot) const;

  Bifurcation kind_;
  std::optional<DefiningFunction> function_ = {};
  double sign_ = 1;
  std::string events_ = {};
  Vector left_ = {}, right_ = {};
};

}  // namespace slideway
