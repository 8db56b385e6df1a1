// QuantityWords holds the labels and units of a model file, its sections [labels] and [units].
//
// Equations know names alone. It must not know pictures.
#pragma once

#include <map>
#include <string>

#include "slideway/model/model.hpp"

namespace slideway {

struct QuantityWords {
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> units = {};

  // "position in m" of a name that has both; the name itself where it has neither.
  std::string of(const std::string& name) const;
};

// Empty for a model that comes from no file.
QuantityWords quantity_words(const Model& model);

}  // namespace slideway
