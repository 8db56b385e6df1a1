// The images of a short piece of a curve by a map, as one curve whose points are as near as asked.
//
// It must not know where the piece and the map come from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifolds/section_map.hpp"
#include "slideway/core/types.hpp"
#include "slideway/manifolds/orbit_manifolds.hpp"

namespace slideway {

struct CurveSeed {
  // The point at a parameter between `first` and `last`; nothing where there is none.
  std::function<std::optional<SectionState>(double parameter)> point = {};
  double first = 0;
  double last = 1;  // > first
  // The image of the first point is the last one, so that the images of the piece are one curve.
  bool is_domain = true;
};

struct CurveGrowth {
  double length = 1;        // > 0, at which the curve ends
  double begin_length = 0;  // before the first point
  double distance = 0.02;   // of the sizes
  double angle = 0.2;
  double least = 1e-4;  // of the sizes
  Index most_runs = 20000;
  Index most_images = 200;
  Vector sizes = {};
};

// Points, messages and runs of a curve; `runs` counts from the runs that the map has made before.
OrbitManifoldCurve grow_curve(const CurveSeed& seed, SectionMap& map, const CurveGrowth& growth);

}  // namespace slideway
