// The settings of a catalogue model, parameters and initial values alike, collected into one place:
// defaults first, then the settings in their order, so that the last one wins.
//
// It must not know any particular model.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"

namespace slideway::models {

class Values {
 public:
  // Throws std::invalid_argument for a setting that is not finite, or whose name is neither a parameter nor a
  // state of the model (and then says which name is near).
  Values(const Model& model, const Settings& settings);
  // The same for a model whose states depend on its parameters: `state_names` are those of this instance.
  Values(const Model& model, std::vector<std::string> state_names, const Settings& settings);

  // The value that a parameter has with these settings, a whole number from `least` to `most`: how many states
  // there are has to be known before anything else is. Throws std::invalid_argument otherwise.
  static Index count(const Model& model, const Settings& settings, const std::string& parameter, Index least,
                     Index most);

  // The value of a parameter.
  double operator[](const std::string& parameter) const;

  // Throws std::invalid_argument with what was expected, unless the parameter satisfies it.
  void require_positive(const std::string& parameter, const std::string& reason) const;
  void require_not_negative(const std::string& parameter, const std::string& reason) const;
  void require_from_zero_to_one(const std::string& parameter, const std::string& reason) const;

  // All parameters in the model's order.
  const Settings& parameters() const { return parameters_; }
  // The initial state: what was set, else `defaults` (n entries).
  Vector state(ConstVectorRef defaults) const;

 private:
  void refuse_value(const std::string& parameter, const std::string& expected,
                    const std::string& reason) const;

  std::string model_;
  Settings parameters_;
  std::vector<std::string> state_names_;
  Settings initial_;
};

}  // namespace slideway::models
