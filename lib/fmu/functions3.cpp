// The functions of FMI 3.0, by the text of the standard, version 3.0.2. What the description does not offer answers with an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/fmu/door.hpp"

using namespace slideway;
using namespace slideway::fmu;

namespace {

using Logger = void(void*, int, const char*, const char*);
using Reference = std::uint32_t;

void* make_instance(Kind kind, const char* resources, void* environment, Logger* logger) {
  auto door = std::make_unique<DoorInstance>();
  if (logger != nullptr)
    door->log = [logger, environment](int status, const char* text) {
      logger(environment, status, "logStatusError", text);
    };
  try {
    door->model = std::make_unique<ExportedModel>(kind, resources != nullptr ? resources : "");
    return door.release();
  } catch (const std::exception& failure) {
    if (door->log) door->log(error, failure.what());
    return nullptr;
  }
}

template <class Value>
int get_values(void* c, const Reference* references, std::size_t count, Value* values,
               std::size_t value_count) {
  if (count != value_count) return error;
  return answer(c, [&](ExportedModel& model) {
    ExportedModel::Answers answers;
    for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<Value>(model.get(references[k], answers));
  });
}
template <class Value>
int set_values(void* c, const Reference* references, std::size_t count, const Value* values,
               std::size_t value_count) {
  if (count != value_count) return error;
  return answer(c, [&](ExportedModel& model) {
    for (std::size_t k = 0; k < count; ++k) model.set(references[k], static_cast<double>(values[k]));
  });
}
void copy_values(const Vector& from, double* to, std::size_t count) {
  if (static_cast<std::size_t>(from.size()) != count)
    throw std::invalid_argument("the number of values is another one");
  std::copy(from.begin(), from.end(), to);
}
int nothing(void* c) {
  return answer(c, [](ExportedModel&) {});
}
// By the standard nobody enters the Configuration Mode of an FMU without structural parameters.
int no_configuration(void* c) {
  return answer(c, [](ExportedModel&) {
    throw std::logic_error("the FMU has no structural parameters, so that it has no Configuration Mode");
  });
}
// A type of which the FMU has no variables.
int none(std::size_t count) { return count == 0 ? ok : error; }

}  // namespace

extern "C" {

const char* fmi3GetVersion() { return "3.0"; }
int fmi3SetDebugLogging(void*, bool, std::size_t, const char* const*) { return ok; }
void* fmi3InstantiateModelExchange(const char*, const char*, const char* resources, bool, bool,
                                   void* environment, Logger* logger) {
  return make_instance(Kind::model_exchange, resources, environment, logger);
}
void* fmi3InstantiateCoSimulation(const char*, const char*, const char* resources, bool, bool,
                                  bool event_mode, bool early_return, const Reference*, std::size_t,
                                  void* environment, Logger* logger, void*) {
  void* const made = make_instance(Kind::co_simulation, resources, environment, logger);
  if (made != nullptr) static_cast<DoorInstance*>(made)->stops_at_events = event_mode || early_return;
  return made;
}
void* fmi3InstantiateScheduledExecution(const char*, const char*, const char*, bool, bool, void*, Logger*,
                                        void*, void*, void*) {
  return nullptr;
}
void fmi3FreeInstance(void* c) { delete static_cast<DoorInstance*>(c); }
int fmi3EnterInitializationMode(void* c, bool, double, double start, bool, double) {
  return answer(c, [&](ExportedModel& model) { model.set_start(start); });
}
int fmi3ExitInitializationMode(void* c) {
  return answer(c, [](ExportedModel& model) { model.initialise(); });
}
int fmi3EnterEventMode(void* c) { return nothing(c); }
int fmi3Terminate(void* c) { return nothing(c); }
int fmi3Reset(void* c) {
  return answer(c, [](ExportedModel& model) { model.reset(); });
}

int fmi3GetFloat32(void* c, const Reference* r, std::size_t n, float* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetFloat64(void* c, const Reference* r, std::size_t n, double* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetInt8(void* c, const Reference* r, std::size_t n, std::int8_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetUInt8(void* c, const Reference* r, std::size_t n, std::uint8_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetInt16(void* c, const Reference* r, std::size_t n, std::int16_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetUInt16(void* c, const Reference* r, std::size_t n, std::uint16_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetInt32(void* c, const Reference* r, std::size_t n, std::int32_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetUInt32(void* c, const Reference* r, std::size_t n, std::uint32_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetInt64(void* c, const Reference* r, std::size_t n, std::int64_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetUInt64(void* c, const Reference* r, std::size_t n, std::uint64_t* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetBoolean(void* c, const Reference* r, std::size_t n, bool* v, std::size_t m) {
  return get_values(c, r, n, v, m);
}
int fmi3GetString(void*, const Reference*, std::size_t n, const char**, std::size_t) { return none(n); }
int fmi3GetBinary(void*, const Reference*, std::size_t n, std::size_t*, const std::uint8_t**, std::size_t) {
  return none(n);
}
int fmi3GetClock(void*, const Reference*, std::size_t n, bool*) { return none(n); }
int fmi3SetFloat32(void* c, const Reference* r, std::size_t n, const float* v, std::size_t m) {
  return set_values(c, r, n, v, m);
}
int fmi3SetFloat64(void* c, const Reference* r, std::size_t n, const double* v, std::size_t m) {
  return set_values(c, r, n, v, m);
}
int fmi3SetInt8(void*, const Reference*, std::size_t n, const std::int8_t*, std::size_t) { return none(n); }
int fmi3SetUInt8(void*, const Reference*, std::size_t n, const std::uint8_t*, std::size_t) { return none(n); }
int fmi3SetInt16(void*, const Reference*, std::size_t n, const std::int16_t*, std::size_t) { return none(n); }
int fmi3SetUInt16(void*, const Reference*, std::size_t n, const std::uint16_t*, std::size_t) {
  return none(n);
}
int fmi3SetInt32(void*, const Reference*, std::size_t n, const std::int32_t*, std::size_t) { return none(n); }
int fmi3SetUInt32(void*, const Reference*, std::size_t n, const std::uint32_t*, std::size_t) {
  return none(n);
}
int fmi3SetInt64(void*, const Reference*, std::size_t n, const std::int64_t*, std::size_t) { return none(n); }
int fmi3SetUInt64(void*, const Reference*, std::size_t n, const std::uint64_t*, std::size_t) {
  return none(n);
}
int fmi3SetBoolean(void*, const Reference*, std::size_t n, const bool*, std::size_t) { return none(n); }
int fmi3SetString(void*, const Reference*, std::size_t n, const char* const*, std::size_t) { return none(n); }
int fmi3SetBinary(void*, const Reference*, std::size_t n, const std::size_t*, const std::uint8_t* const*,
                  std::size_t) {
  return none(n);
}
int fmi3SetClock(void*, const Reference*, std::size_t n, const bool*) { return none(n); }

int fmi3GetNumberOfVariableDependencies(void*, Reference, std::size_t*) { return error; }
int fmi3GetVariableDependencies(void*, Reference, std::size_t*, Reference*, std::size_t*, int*, std::size_t) {
  return error;
}
int fmi3GetFMUState(void* c, void** state) {
  return answer(c, [&](ExportedModel& model) {
    if (*state == nullptr) *state = new ModelPlace();
    *static_cast<ModelPlace*>(*state) = model.save();
  });
}
int fmi3SetFMUState(void* c, void* state) {
  return answer(c, [&](ExportedModel& model) { model.restore(*static_cast<ModelPlace*>(state)); });
}
int fmi3FreeFMUState(void*, void** state) {
  delete static_cast<ModelPlace*>(*state);
  *state = nullptr;
  return ok;
}
int fmi3SerializedFMUStateSize(void*, void*, std::size_t*) { return error; }
int fmi3SerializeFMUState(void*, void*, std::uint8_t*, std::size_t) { return error; }
int fmi3DeserializeFMUState(void*, const std::uint8_t*, std::size_t, void**) { return error; }
int fmi3GetDirectionalDerivative(void* c, const Reference* unknowns, std::size_t unknown_count,
                                 const Reference* knowns, std::size_t known_count, const double* seed,
                                 std::size_t seed_count, double* result, std::size_t result_count) {
  if (seed_count != known_count) return error;
  return answer(c, [&](ExportedModel& model) {
    copy_values(model.directional(unknowns, unknown_count, knowns, known_count, seed), result, result_count);
  });
}
int fmi3GetAdjointDerivative(void*, const Reference*, std::size_t, const Reference*, std::size_t,
                             const double*, std::size_t, double*, std::size_t) {
  return error;
}
int fmi3EnterConfigurationMode(void* c) { return no_configuration(c); }
int fmi3ExitConfigurationMode(void* c) { return no_configuration(c); }
int fmi3GetIntervalDecimal(void*, const Reference*, std::size_t n, double*, int*) { return none(n); }
int fmi3GetIntervalFraction(void*, const Reference*, std::size_t n, std::uint64_t*, std::uint64_t*, int*) {
  return none(n);
}
int fmi3GetShiftDecimal(void*, const Reference*, std::size_t n, double*) { return none(n); }
int fmi3GetShiftFraction(void*, const Reference*, std::size_t n, std::uint64_t*, std::uint64_t*) {
  return none(n);
}
int fmi3SetIntervalDecimal(void*, const Reference*, std::size_t n, const double*) { return none(n); }
int fmi3SetIntervalFraction(void*, const Reference*, std::size_t n, const std::uint64_t*,
                            const std::uint64_t*) {
  return none(n);
}
int fmi3SetShiftDecimal(void*, const Reference*, std::size_t n, const double*) { return none(n); }
int fmi3SetShiftFraction(void*, const Reference*, std::size_t n, const std::uint64_t*, const std::uint64_t*) {
  return none(n);
}
int fmi3EvaluateDiscreteStates(void* c) { return nothing(c); }
int fmi3UpdateDiscreteStates(void* c, bool* needs_update, bool* terminates, bool* nominals_changed,
                             bool* states_changed, bool* has_next_time, double* next_time) {
  return answer(c, [&](ExportedModel& model) {
    *needs_update = *nominals_changed = false;
    *states_changed = model.pass_event();
    *terminates = model.has_ended();
    *has_next_time = model.next_time().has_value();
    *next_time = model.next_time().value_or(0);
  });
}

int fmi3EnterContinuousTimeMode(void* c) { return nothing(c); }
int fmi3CompletedIntegratorStep(void* c, bool, bool* enter_event_mode, bool* terminates) {
  return answer(c, [&](ExportedModel& model) {
    *enter_event_mode = false;
    *terminates = model.has_ended();
  });
}
int fmi3SetTime(void* c, double t) {
  return answer(c, [&](ExportedModel& model) { model.set_time(t); });
}
int fmi3SetContinuousStates(void* c, const double* x, std::size_t n) {
  return answer(
      c, [&](ExportedModel& model) { model.set_states(Eigen::Map<const Vector>(x, static_cast<Index>(n))); });
}
int fmi3GetContinuousStateDerivatives(void* c, double* dx, std::size_t n) {
  return answer(
      c, [&](ExportedModel& model) { model.derivatives(vector_at(dx, n, model.layout().continuous)); });
}
int fmi3GetEventIndicators(void* c, double* z, std::size_t n) {
  return answer(c,
                [&](ExportedModel& model) { model.indicators(vector_at(z, n, model.layout().indicators)); });
}
int fmi3GetContinuousStates(void* c, double* x, std::size_t n) {
  return answer(c, [&](ExportedModel& model) { copy_values(model.states(), x, n); });
}
int fmi3GetNominalsOfContinuousStates(void* c, double* x, std::size_t n) {
  return answer(c, [&](ExportedModel&) { std::fill_n(x, n, 1.0); });
}
int fmi3GetNumberOfEventIndicators(void* c, std::size_t* n) {
  return answer(c, [&](ExportedModel& model) { *n = static_cast<std::size_t>(model.layout().indicators); });
}
int fmi3GetNumberOfContinuousStates(void* c, std::size_t* n) {
  return answer(c, [&](ExportedModel& model) { *n = static_cast<std::size_t>(model.layout().continuous); });
}

int fmi3EnterStepMode(void* c) { return nothing(c); }
int fmi3GetOutputDerivatives(void*, const Reference*, std::size_t, const std::int32_t*, double*,
                             std::size_t) {
  return error;
}
int fmi3DoStep(void* c, double t, double step, bool, bool* event, bool* terminates, bool* early_return,
               double* last_time) {
  return answer(c, [&](ExportedModel& model) {
    const bool stops = static_cast<DoorInstance*>(c)->stops_at_events;
    *event = model.advance(t + step, stops);
    *early_return = model.t() < t + step;
    *terminates = model.has_ended();
    *last_time = model.t();
  });
}
int fmi3ActivateModelPartition(void*, Reference, double) { return error; }

}  // extern "C"
