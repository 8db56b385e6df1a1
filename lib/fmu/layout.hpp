// The variables of an exported FMU: what each is, and its value reference. The writer of modelDescription.xml and the FMU itself make the same
// list of the same model, so that neither needs the other's numbers.
//
// It must not know XML, nor the functions of the standard.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"

namespace slideway::fmu {

enum class Role {
  time,
  state,
  derivative,
  discrete_state,
  parameter,
  input,
  tunable,
  observed,
  mode,
  location,
  events,
  indicator
};

struct Variable {
  std::string name = {};
  Role role = Role::time;
  Index index = 0;   // among those of its role
  double start = 0;  // of states, discrete states, parameters and inputs
  std::string description = {};
  bool is_real() const { return role != Role::mode && role != Role::location && role != Role::events; }
};

struct Layout {
  // The value reference of a variable is its place here, and the index of 2.0 one more.
  std::vector<Variable> variables = {};
  Index continuous = 0;  // states that are not discrete; they are the first ones
  Index indicators = 0;
  std::uint32_t first(Role role) const;
};

// What the FMU offers beside states and parameters, by name.
struct Offered {
  std::vector<std::string> observed = {};  // quantities that become outputs
  std::vector<std::string> inputs = {};    // parameters that become inputs
  std::vector<std::string> tunable = {};   // parameters that may change at events
  // The parameters that may change in a run: they are states of an extended problem, in this order.
  std::vector<std::string> free() const;
};

// Throws std::invalid_argument for inputs and tunable parameters that are no parameters, or are there twice.
Layout layout_of(const Model& model, const ModelInstance& instance, const Offered& offered);

// Throws std::invalid_argument with the reason where an FMU of Model Exchange cannot hold the model.
void check_model_exchange(const ModelInstance& instance);

}  // namespace slideway::fmu
