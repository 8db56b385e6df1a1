// One place where exceptions of a model become statuses of the standard, and messages of its log.
//
// It must not know either version of the standard.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "lib/fmu/exported_model.hpp"

namespace slideway::fmu {

enum Status { ok = 0, warning = 1, discard = 2, error = 3, fatal = 4 };

struct DoorInstance {
  std::unique_ptr<ExportedModel> model = {};
  std::function<void(int status, const char* text)> log = {};
  bool stops_at_events = false;  // of Co-Simulation
};

// Returns the status of `call`, which gets the model.
template <class Call>
int answer(void* instance, const Call& call) {
  auto* const door = static_cast<DoorInstance*>(instance);
  if (door == nullptr) return error;
  const auto tell = [&](int status, const char* text) {
    if (door->log) door->log(status, text);
    return status;
  };
  try {
    call(*door->model);
    return ok;
  } catch (const std::domain_error& none) {
    return tell(discard, none.what());
  } catch (const std::exception& failure) {
    return tell(error, failure.what());
  } catch (...) {
    return tell(error, "something that is no exception was thrown");
  }
}

// Throws std::invalid_argument for another number of values than is expected.
inline Eigen::Map<Vector> vector_at(double* values, std::size_t count, Index expected) {
  if (static_cast<Index>(count) != expected)
    throw std::invalid_argument("the number of values is another one");
  return {values, expected};
}

}  // namespace slideway::fmu
