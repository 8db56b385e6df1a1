// The functions of FMI 2.0, by the text of the standard, version 2.0.4.
#include <algorithm>
#include <cstddef>
#include <string>

#include "lib/fmu/door.hpp"

using namespace slideway;
using namespace slideway::fmu;

namespace {

struct Callbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(std::size_t, std::size_t);
  void (*release)(void*);
  void (*step_finished)(void*, int);
  void* environment;
};
struct EventInfo {
  int needs_update, terminates, nominals_changed, states_changed, has_next_time;
  double next_time;
};

std::string path_of(const std::string& location) {
  std::string path = location;
  for (const char* const scheme : {"file://localhost", "file://", "file:"})
    if (path.starts_with(scheme)) {
      path = path.substr(std::string(scheme).size());
      break;
    }
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 2 < path.size()) {
      plain += static_cast<char>(std::stoi(path.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      plain += path[i];
    }
  }
  return plain;
}

template <class Value>
int get(void* c, const unsigned* references, std::size_t count, Value* values) {
  return answer(c, [&](ExportedModel& model) {
    ExportedModel::Answers answers;
    for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<Value>(model.get(references[k], answers));
  });
}
template <class Value>
int set(void* c, const unsigned* references, std::size_t count, const Value* values) {
  return answer(c, [&](ExportedModel& model) {
    for (std::size_t k = 0; k < count; ++k) model.set(references[k], static_cast<double>(values[k]));
  });
}
void copy(const Vector& from, double* to, std::size_t count) {
  if (static_cast<std::size_t>(from.size()) != count)
    throw std::invalid_argument("the number of values is another one");
  std::copy(from.begin(), from.end(), to);
}
int refuse_call() { return error; }

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() { return "default"; }
const char* fmi2GetVersion() { return "2.0"; }
int fmi2SetDebugLogging(void*, int, std::size_t, const char* const*) { return ok; }

void* fmi2Instantiate(const char* name, int kind, const char*, const char* resources,
                      const Callbacks* callbacks, int, int) {
  auto door = std::make_unique<DoorInstance>();
  const std::string own_name = name != nullptr ? name : "";
  if (callbacks != nullptr && callbacks->logger != nullptr)
    door->log = [own_name, logger = callbacks->logger, environment = callbacks->environment](
                    int status, const char* text) {
      logger(environment, own_name.c_str(), status, "logStatusError", "%s", text);
    };
  try {
    door->model = std::make_unique<ExportedModel>(kind == 1 ? Kind::co_simulation : Kind::model_exchange,
                                                  path_of(resources != nullptr ? resources : ""));
    return door.release();
  } catch (const std::exception& failure) {
    if (door->log) door->log(error, failure.what());
    return nullptr;
  }
}
void fmi2FreeInstance(void* c) { delete static_cast<DoorInstance*>(c); }
int fmi2SetupExperiment(void* c, int, double, double start, int, double) {
  return answer(c, [&](ExportedModel& model) { model.set_start(start); });
}
int fmi2EnterInitializationMode(void* c) {
  return answer(c, [](ExportedModel&) {});
}
int fmi2ExitInitializationMode(void* c) {
  return answer(c, [](ExportedModel& model) { model.initialise(); });
}
int fmi2Terminate(void* c) {
  return answer(c, [](ExportedModel&) {});
}
int fmi2Reset(void* c) {
  return answer(c, [](ExportedModel& model) { model.reset(); });
}
int fmi2GetReal(void* c, const unsigned* r, std::size_t n, double* v) { return get(c, r, n, v); }
int fmi2GetInteger(void* c, const unsigned* r, std::size_t n, int* v) { return get(c, r, n, v); }
int fmi2GetBoolean(void* c, const unsigned* r, std::size_t n, int* v) { return get(c, r, n, v); }
int fmi2GetString(void*, const unsigned*, std::size_t n, const char**) { return n == 0 ? ok : error; }
int fmi2SetReal(void* c, const unsigned* r, std::size_t n, const double* v) { return set(c, r, n, v); }
int fmi2SetInteger(void* c, const unsigned* r, std::size_t n, const int* v) { return set(c, r, n, v); }
int fmi2SetBoolean(void* c, const unsigned* r, std::size_t n, const int* v) { return set(c, r, n, v); }
int fmi2SetString(void*, const unsigned*, std::size_t n, const char* const*) { return n == 0 ? ok : error; }
int fmi2GetFMUstate(void* c, void** state) {
  return answer(c, [&](ExportedModel& model) {
    if (*state == nullptr) *state = new ModelPlace();
    *static_cast<ModelPlace*>(*state) = model.save();
  });
}
int fmi2SetFMUstate(void* c, void* state) {
  return answer(c, [&](ExportedModel& model) { model.restore(*static_cast<ModelPlace*>(state)); });
}
int fmi2FreeFMUstate(void*, void** state) {
  delete static_cast<ModelPlace*>(*state);
  *state = nullptr;
  return ok;
}
int fmi2SerializedFMUstateSize(void*, void*, std::size_t*) { return refuse_call(); }
int fmi2SerializeFMUstate(void*, void*, char*, std::size_t) { return refuse_call(); }
int fmi2DeSerializeFMUstate(void*, const char*, std::size_t, void**) { return refuse_call(); }
int fmi2GetDirectionalDerivative(void* c, const unsigned* unknowns, std::size_t unknown_count,
                                 const unsigned* knowns, std::size_t known_count, const double* seed,
                                 double* result) {
  return answer(c, [&](ExportedModel& model) {
    copy(model.directional(unknowns, unknown_count, knowns, known_count, seed), result, unknown_count);
  });
}

int fmi2EnterEventMode(void* c) {
  return answer(c, [](ExportedModel&) {});
}
int fmi2NewDiscreteStates(void* c, EventInfo* info) {
  return answer(c, [&](ExportedModel& model) {
    *info = {};
    info->states_changed = model.pass_event() ? 1 : 0;
    info->terminates = model.has_ended() ? 1 : 0;
    info->has_next_time = model.next_time() ? 1 : 0;
    info->next_time = model.next_time().value_or(0);
  });
}
int fmi2EnterContinuousTimeMode(void* c) {
  return answer(c, [](ExportedModel&) {});
}
int fmi2CompletedIntegratorStep(void* c, int, int* enter_event_mode, int* terminates) {
  return answer(c, [&](ExportedModel& model) {
    *enter_event_mode = 0;
    *terminates = model.has_ended() ? 1 : 0;
  });
}
int fmi2SetTime(void* c, double t) {
  return answer(c, [&](ExportedModel& model) { model.set_time(t); });
}
int fmi2SetContinuousStates(void* c, const double* x, std::size_t n) {
  return answer(
      c, [&](ExportedModel& model) { model.set_states(Eigen::Map<const Vector>(x, static_cast<Index>(n))); });
}
int fmi2GetDerivatives(void* c, double* dx, std::size_t n) {
  return answer(
      c, [&](ExportedModel& model) { model.derivatives(vector_at(dx, n, model.layout().continuous)); });
}
int fmi2GetEventIndicators(void* c, double* z, std::size_t n) {
  return answer(c,
                [&](ExportedModel& model) { model.indicators(vector_at(z, n, model.layout().indicators)); });
}
int fmi2GetContinuousStates(void* c, double* x, std::size_t n) {
  return answer(c, [&](ExportedModel& model) { copy(model.states(), x, n); });
}
int fmi2GetNominalsOfContinuousStates(void* c, double* x, std::size_t n) {
  return answer(c, [&](ExportedModel&) { std::fill_n(x, n, 1.0); });
}

int fmi2SetRealInputDerivatives(void*, const unsigned*, std::size_t, const int*, const double*) {
  return refuse_call();
}
int fmi2GetRealOutputDerivatives(void*, const unsigned*, std::size_t, const int*, double*) {
  return refuse_call();
}
int fmi2DoStep(void* c, double t, double step, int) {
  return answer(c, [&](ExportedModel& model) {
    model.advance(t + step, false);
    if (model.has_ended()) throw std::domain_error("the model has ended");
  });
}
int fmi2CancelStep(void*) { return refuse_call(); }
int fmi2GetStatus(void*, int, int*) { return refuse_call(); }
int fmi2GetRealStatus(void* c, int what, double* value) {
  constexpr int last_successful_time = 2;
  if (what != last_successful_time) return refuse_call();
  return answer(c, [&](ExportedModel& model) { *value = model.t(); });
}
int fmi2GetIntegerStatus(void*, int, int*) { return refuse_call(); }
int fmi2GetBooleanStatus(void* c, int what, int* value) {
  constexpr int has_terminated = 3;
  if (what != has_terminated) return refuse_call();
  return answer(c, [&](ExportedModel& model) { *value = model.has_ended() ? 1 : 0; });
}
int fmi2GetStringStatus(void*, int, const char**) { return refuse_call(); }

}  // extern "C"
