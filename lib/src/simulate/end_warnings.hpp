// What a run warns of where it ends.
//
// It must not know how that is found.
#pragma once

namespace slideway {

enum class EndWarnings {
  all,
  // Steps that shrank into the end, and no guards that never fired: whoever goes on from there looks for these at its own end.
  of_steps,
  none
};

}  // namespace slideway
