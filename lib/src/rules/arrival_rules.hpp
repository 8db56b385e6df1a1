// The rules of an arrival, in their order:
//     guards without a zero turn → gaps only touch → the instant begins, on the surfaces met → records, stops → friction turns
//     → impacts, resets and edges jump → the mode follows of friction that has turned, or of the surfaces met
// Each rule looks at what has arrived and is not dealt with yet, and returns its decision, or none.
//
// It must not know what becomes of a decision.
#pragma once

#include "locate/locator.hpp"
#include "rules/decision.hpp"
#include "rules/instant.hpp"
#include "rules/pole_check.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class ArrivalRules {
 public:
  // The references must outlive them.
  ArrivalRules(const RunState& now, Locator& locator, PoleCheck& poles)
      : now_(now), locator_(locator), poles_(poles) {}

  // decide() asks the rules. None is left once the arrivals are over.
  Decision decide(const Arrivals& arrivals) const;

 private:
  // It stands in a branch that is not in force.
  bool has_no_part(Index surface) const;
  Decision has_values_again(const Arrivals& arrivals) const;
  Decision passes_poles(const Arrivals& arrivals) const;
  Decision passes_out_of_force(const Arrivals& arrivals) const;
  Decision only_turns(const Arrivals& arrivals) const;
  Decision only_touches(const Arrivals& arrivals) const;
  Decision begins(const Arrivals& arrivals) const;
  Decision notes(const Arrivals& arrivals) const;
  Decision turns_friction(const Arrivals& arrivals) const;
  Decision jumps(const Arrivals& arrivals) const;
  Decision has_turned_friction(const Arrivals& arrivals) const;
  Decision meets(const Arrivals& arrivals) const;

  const RunState& now_;
  Locator& locator_;
  PoleCheck& poles_;
};

}  // namespace slideway
