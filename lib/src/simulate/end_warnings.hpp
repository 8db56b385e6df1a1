// The warnings that a run gives at its end.
//
// It must not know how that is found.
#pragma once

namespace slideway {

enum class EndWarnings {
  all,
  // Only steps that shrank towards the end. The run that goes on from there tells at its own end which guards never fired.
  of_steps,
  none
};

}  // namespace slideway
