// JacobianAlong is the derivative of a mode's field by the states, inputs and tunable parameters: along surfaces that slide that of Filippov's
// field, and with closed contacts that of the forces, too. It is exact where the model tells its derivatives.
//
// It must not know the functions of the standard.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "filippov/relay_structure.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::fmu {

// The structure of the relays of each location.
std::vector<std::shared_ptr<const RelayStructure>> structures_of(const Automaton& problem);

class JacobianAlong {
 public:
  // `duration` is that of the run.
  JacobianAlong(Automaton problem, const Options& options, double duration);
  ~JacobianAlong();

  // J(i,j) = ∂(dxᵢ/dt)/∂xⱼ in this mode. `lambda` has λ of the surfaces there. Valid until the next call. Throws std::runtime_error where
  // there is none.
  const Matrix& find(double t, ConstVectorRef x, const Mode& mode, const std::string& location,
                     ConstVectorRef lambda);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace slideway::fmu
