// Are the derivatives of a random model right? Forward ones of a run beside adjoint ones, and both beside differences of runs at rtol
// 1e-12 whose events are the same, in the same order:
//     D(h) = (y(p + h) − y(p − h))/2h,      D = (4 D(h/2) − D(h))/3,      y the final state and the times of events
// What differences may be off by they tell themselves, |D − D(h/2)|, and runs err by 1e-11 of the sizes of what they find, over h.
// Nothing is decided where that is more than a ten-thousandth of what D is measured by: the larger of D and of y over p.
//
// It must not know classes, tables or the command line.
#pragma once

#include <string>
#include <vector>

#include "validation/random/follow.hpp"
#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

enum class DerivativeFinding {
  agreed,
  undecided,  // perturbed runs have other events, or differences are too rough
  untold,     // told not to exist, and differences do not show one either
  refused,    // told not to exist, where differences show one
  wrong,
  not_run,  // the run does not come to its end
};

struct DerivativeTrial {
  std::string by = {};
  DerivativeFinding finding = DerivativeFinding::not_run;
  std::string text = {};
  double error = 0;  // the largest, relative to what it is measured by; of what agreed or is wrong
};

// By all initial values and all parameters, each a trial. `seconds` of processor time are allowed to each run; the setting is that of the
// run with derivatives.
std::vector<DerivativeTrial> judged_derivatives(const RandomModel& model, const Setting& setting,
                                                double seconds);

}  // namespace slideway::validation::random
