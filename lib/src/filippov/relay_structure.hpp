// The dependence of normal components on relays: the pattern of D = ∂w/∂λ = ∂h/∂x·∂f/∂λ, and the colourings by which
// D and ∂h/∂x are had from a few directional derivatives. Made once for a system.
//
// It must not know points, modes or time.
#pragma once

#include <vector>

#include "slideway/core/pattern.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

class RelayStructure {
 public:
  explicit RelayStructure(const System& system);

  // known() tells whether the system told its patterns; otherwise every component may depend on every relay.
  bool known() const { return known_; }
  // acts() returns false where it is certain that the field does not depend on the relay of surface i, as on those of events' guards.
  bool acts(Index i) const { return acts_.empty() || acts_[static_cast<std::size_t>(i)] != 0; }
  // m×m, only when known.
  const Pattern& normal_dlambda() const { return normal_dlambda_; }
  // coupling() tells which surfaces see each other, both ways.
  const Pattern& coupling() const { return coupling_; }
  const Colouring& relay_colouring() const { return relay_colouring_; }
  // m×n, only when known.
  const Pattern& guards_dx() const { return guards_dx_; }
  const Colouring& state_colouring() const { return state_colouring_; }

  // The members of `surfaces` that `seed` is coupled with, itself included, through members of `surfaces` only.
  // `is_member` has one flag per surface of the system. Sorted.
  std::vector<Index> component(Index seed, const std::vector<Index>& surfaces,
                               const std::vector<char>& is_member) const;

 private:
  bool known_ = false;
  std::vector<char> acts_;  // empty where the pattern tells nothing of it
  Pattern normal_dlambda_;
  Pattern coupling_;  // symmetric
  Colouring relay_colouring_;
  Pattern guards_dx_;
  Colouring state_colouring_;
};

}  // namespace slideway
