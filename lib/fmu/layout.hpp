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
  double start = 0;  // of states, discrete states and parameters
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

// `observed` are the quantities that become outputs.
Layout layout_of(const Model& model, const ModelInstance& instance, const std::vector<std::string>& observed);

// Throws std::invalid_argument with the reason where an FMU of Model Exchange cannot hold the model.
void check_model_exchange(const ModelInstance& instance);

}  // namespace slideway::fmu
