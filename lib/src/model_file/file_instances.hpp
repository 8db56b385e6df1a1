// Model::instantiate of a model file: it keeps the file as it is described, for whoever compares runs with it.
#pragma once

#include <memory>
#include <optional>

#include "model_file/lowering.hpp"
#include "model_file/model_file_description.hpp"
#include "slideway/model/model.hpp"

namespace slideway::reader {

struct FileInstances {
  std::shared_ptr<const ModelDescription> description = nullptr;
  std::shared_ptr<const std::optional<ModelInstance>> standard = nullptr;  // with the values of the file
  ExpansionLimits limits = {};

  ModelInstance operator()(const Settings& settings) const;
};

}  // namespace slideway::reader
