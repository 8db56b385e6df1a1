#include "rules/mode_manager.hpp"

namespace slideway {

ModeManager::ModeManager(RunState& now, Locator& locator, RunLog& log)
    : now_(now),
      locator_(locator),
      log_(log),
      dips_(now),
      poles_(now, locator),
      limits_(now, log),
      arrived_(now, locator),
      switch_(now, locator),
      motion_(now, locator.arming(), instant_, jumps_),
      waiting_(now, instant_, motion_),
      arrival_rules_(now, locator, poles_),
      settle_rules_(now, instant_, waiting_, motion_, log),
      second_order_rules_(now, instant_),
      records_(now, log, instant_, jumps_),
      firing_(now, log, instant_, jumps_, records_, waiting_, switch_),
      history_(static_cast<Index>(now.tools.automaton().system().contacts().size())),
      limit_rules_(now, log, history_, second_order_rules_, instant_, jumps_,
                   LastJump(now, locator, instant_, jumps_, arrived_, motion_)) {}

bool ModeManager::carry_out(const End& end) {
  log_.finish(end.status, end.message);
  return false;
}

}  // namespace slideway
