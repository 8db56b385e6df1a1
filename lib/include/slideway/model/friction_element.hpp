// A force of friction in a model, and the velocity it acts against: what it takes from the motion is the work
//
//     W(t) = ∫ F(t, x, λ)·v(t, x) dt,
//
// and friction is passive when W never falls below −E₀, E₀ the energy stored in it at the start (none in static laws,
// F²/2σ in Dahl's, σ₀z²/2 in the bristles of LuGre's). A model that tells its friction can be asked whether it is.
//
// It must not know laws of friction, nor runs.
#pragma once

#include <functional>
#include <string>

#include "slideway/core/types.hpp"

namespace slideway {

struct FrictionElement {
  std::string name = {};
  // The force that resists, positive against a positive velocity.
  std::function<double(double t, ConstVectorRef x, ConstVectorRef lambda)> force = {};
  std::function<double(double t, ConstVectorRef x)> velocity = {};
  std::function<double(double t, ConstVectorRef x)> stored = {};  // energy; nothing where none can be stored
};

}  // namespace slideway
