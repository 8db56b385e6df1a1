// Decides at one point what follows: classifies the surface that was met and picks the continuation, or reports that
// there are several.
//
// It must not know how the point was found, nor how steps are taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/filippov/classify.hpp"
#include "slideway/filippov/mode_field.hpp"
#include "slideway/filippov/surface_geometry.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

// What is known about the meeting before the fields are looked at.
struct Meeting {
  Index surface = 0;
  bool at_start = false;        // nothing came before
  bool minus_vanishes = false;  // w⁻ is zero here: its root was located, or the solution has hardly left the surface
  bool plus_vanishes = false;
};

struct Resolution {
  bool decided = false;  // false: several continuations and no policy picks one of them
  bool eventful = true;  // false: the mode goes on and there is nothing to report (numerical noise at the surface)
  Mode mode = {};        // what follows, when decided
  double sigma_minus = 1;
  double sigma_plus = -1;
  EventRecord event = {};
};

class EventResolver {
 public:
  // The references must outlive the resolver.
  EventResolver(Evaluator& evaluator, Ambiguity policy, double rtol);

  // `mode` is the mode before (its entry for the surface is ignored at the start); x is on the surface.
  // weights(j) is the reciprocal error scale of state j.
  Resolution resolve(double t, ConstVectorRef x, const Mode& mode, const Meeting& meeting,
                     ConstVectorRef weights);

 private:
  NormalMotion motion(double t, ConstVectorRef x, double side, ConstVectorRef dx, double w, double w_scale,
                      bool vanishes);
  double third_derivative(double t, ConstVectorRef x, ConstVectorRef dx, ConstVectorRef ddx, double time_scale);
  TwoFoldRates two_fold_rates(double t, ConstVectorRef x);
  double component(double t, ConstVectorRef x, double side);
  double time_scale(ConstVectorRef dx) const;

  Evaluator& evaluator_;
  ModeField field_;
  SurfaceGeometry geometry_;
  Ambiguity policy_;
  double rtol_;
  Index surface_ = 0;
  double surface_rounding_ = 0;
  Vector lambda_, gradient_, field_minus_, field_plus_, acceleration_, curvatures_, shifted_, shifted_field_, state_scale_, rates_;
};

}  // namespace slideway
