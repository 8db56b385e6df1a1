#include "lib/fmi/calls3.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "lib/fmi/calls2.hpp"
#include "lib/fmi/fmu.hpp"
#include "lib/fmi/interface3.hpp"
#include "lib/fmi/log.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

// The names are those of the standard; another file has the same ones of version 2.0.
namespace three {

using namespace fmi3;
using fmi3::Instance;
using fmi3::Reference;
using fmi3::Status;

void log(Environment environment, Status status, Text category, Text message) {
  if (environment != nullptr) static_cast<Log*>(environment)->take(status, category, message);
}

// An FMU may tell of the inside of a step; nothing is asked for there.
void go_on(Environment, double, bool, bool, bool, bool, bool* returns, double*) {
  if (returns != nullptr) *returns = false;
}

// Calls `use` with a value of the C type that the variable has, and the names of the functions for it.
template <class Use>
int visit_type(Type type, const Use& use) {
  switch (type) {
    case Type::float32: return use(float{}, "fmi3GetFloat32", "fmi3SetFloat32");
    case Type::float64: return use(double{}, "fmi3GetFloat64", "fmi3SetFloat64");
    case Type::int8: return use(std::int8_t{}, "fmi3GetInt8", "fmi3SetInt8");
    case Type::uint8: return use(std::uint8_t{}, "fmi3GetUInt8", "fmi3SetUInt8");
    case Type::int16: return use(std::int16_t{}, "fmi3GetInt16", "fmi3SetInt16");
    case Type::uint16: return use(std::uint16_t{}, "fmi3GetUInt16", "fmi3SetUInt16");
    case Type::int32: return use(std::int32_t{}, "fmi3GetInt32", "fmi3SetInt32");
    case Type::uint32: return use(std::uint32_t{}, "fmi3GetUInt32", "fmi3SetUInt32");
    case Type::int64: return use(std::int64_t{}, "fmi3GetInt64", "fmi3SetInt64");
    case Type::uint64: return use(std::uint64_t{}, "fmi3GetUInt64", "fmi3SetUInt64");
    case Type::boolean: return use(bool{}, "fmi3GetBoolean", "fmi3SetBoolean");
    case Type::text:
    case Type::binary:
    case Type::clock: break;
  }
  return 0;
}

struct Functions {
  explicit Functions(const Fmu& fmu)
      : free_instance(fmu.function<FreeInstance>("fmi3FreeInstance")),
        enter_initialization(fmu.function<EnterInitializationMode>("fmi3EnterInitializationMode")),
        exit_initialization(fmu.function<Call>("fmi3ExitInitializationMode")),
        reset(fmu.function<Call>("fmi3Reset")),
        get_float64(fmu.function<Get<double>>("fmi3GetFloat64")),
        set_float64(fmu.function<Set<double>>("fmi3SetFloat64")) {
    const Description& about = fmu.description();
    const bool exchanges = about.kind == Kind::model_exchange;
    if (exchanges || about.has_event_mode) {
      enter_event_mode = fmu.function<Call>("fmi3EnterEventMode");
      update = fmu.function<UpdateDiscreteStates>("fmi3UpdateDiscreteStates");
    }
    if (exchanges) {
      instantiate_exchange = fmu.function<InstantiateModelExchange>("fmi3InstantiateModelExchange");
      enter_continuous = fmu.function<Call>("fmi3EnterContinuousTimeMode");
      completed_step = fmu.function<CompletedIntegratorStep>("fmi3CompletedIntegratorStep");
      set_time = fmu.function<SetTime>("fmi3SetTime");
      set_states = fmu.function<SetVector>("fmi3SetContinuousStates");
      get_derivatives = fmu.function<GetVector>("fmi3GetContinuousStateDerivatives");
      get_indicators = fmu.function<GetVector>("fmi3GetEventIndicators");
      get_states = fmu.function<GetVector>("fmi3GetContinuousStates");
    } else {
      instantiate_simulation = fmu.function<InstantiateCoSimulation>("fmi3InstantiateCoSimulation");
      do_step = fmu.function<DoStep>("fmi3DoStep");
      if (about.has_event_mode) enter_step_mode = fmu.function<Call>("fmi3EnterStepMode");
    }
    if (about.saves_state) {
      save = fmu.function<GetState>("fmi3GetFMUState");
      restore = fmu.function<SetState>("fmi3SetFMUState");
      release = fmu.function<GetState>("fmi3FreeFMUState");
    }
    if (about.has_directional_derivatives)
      directional = fmu.function<GetDirectionalDerivative>("fmi3GetDirectionalDerivative");
    if (!fmu.log_categories().empty())
      set_debug_logging = fmu.function<SetDebugLogging>("fmi3SetDebugLogging");
  }

  FreeInstance* free_instance;
  EnterInitializationMode* enter_initialization;
  Call *exit_initialization, *reset;
  Get<double>* get_float64;
  Set<double>* set_float64;
  InstantiateModelExchange* instantiate_exchange = nullptr;
  InstantiateCoSimulation* instantiate_simulation = nullptr;
  Call *enter_event_mode = nullptr, *enter_continuous = nullptr, *enter_step_mode = nullptr;
  UpdateDiscreteStates* update = nullptr;
  CompletedIntegratorStep* completed_step = nullptr;
  SetTime* set_time = nullptr;
  SetVector* set_states = nullptr;
  GetVector *get_derivatives = nullptr, *get_indicators = nullptr, *get_states = nullptr;
  DoStep* do_step = nullptr;
  GetState* save = nullptr;
  SetState* restore = nullptr;
  GetState* release = nullptr;
  GetDirectionalDerivative* directional = nullptr;
  SetDebugLogging* set_debug_logging = nullptr;
};

class CallsOfThree : public Calls {
 public:
  CallsOfThree(const Fmu& fmu, Log& of) : fmu_(fmu), call_(fmu) {
    const Description& about = fmu.description();
    const std::string resources = fmu.resources().string() + "/";
    const std::vector<std::string>& wanted = fmu.log_categories();
    const bool logs = !wanted.empty();
    const char *const name = about.model_name.c_str(), *const token = about.token.c_str();
    if (about.kind == Kind::model_exchange)
      instance_ = call_.instantiate_exchange(name, token, resources.c_str(), false, logs, &of, &log);
    else
      instance_ =
          call_.instantiate_simulation(name, token, resources.c_str(), false, logs, about.has_event_mode,
                                       !about.has_fixed_steps, nullptr, 0, &of, &log, &go_on);
    if (instance_ == nullptr || !logs) return;
    std::vector<Text> categories;
    for (const std::string& one : wanted)
      if (one != "all") categories.push_back(one.c_str());
    call_.set_debug_logging(instance_, true, categories.size(), categories.data());
  }
  ~CallsOfThree() override {
    if (instance_ != nullptr) call_.free_instance(instance_);
  }
  bool is_there() const { return instance_ != nullptr; }

  // FMUs without structural parameters need not have these functions.
  int enter_configuration() override {
    return simple("fmi3EnterConfigurationMode", fmu_.function<Call>("fmi3EnterConfigurationMode"));
  }
  int exit_configuration() override {
    return simple("fmi3ExitConfigurationMode", fmu_.function<Call>("fmi3ExitConfigurationMode"));
  }
  int enter_initialization(double time, std::optional<double> tolerance) override {
    note("fmi3EnterInitializationMode");
    return call_.enter_initialization(instance_, tolerance.has_value(), tolerance.value_or(0), time, false,
                                      0);
  }
  int exit_initialization() override {
    return simple("fmi3ExitInitializationMode", call_.exit_initialization);
  }
  int reset() override { return simple("fmi3Reset", call_.reset); }
  int enter_event_mode() override { return simple("fmi3EnterEventMode", call_.enter_event_mode); }
  int update(Update& answer) override {
    note("fmi3UpdateDiscreteStates");
    answer = {};
    bool nominals = false, has_next = false;
    double next_time = 0;
    const Status status = call_.update(instance_, &answer.needs_another, &answer.terminates, &nominals,
                                       &answer.states_changed, &has_next, &next_time);
    if (has_next) answer.next_time = next_time;
    return status;
  }
  int enter_continuous_time() override {
    return simple("fmi3EnterContinuousTimeMode", call_.enter_continuous);
  }
  int enter_step_mode() override {
    return call_.enter_step_mode == nullptr ? 0 : simple("fmi3EnterStepMode", call_.enter_step_mode);
  }
  int complete_step(bool& wants_event, bool& terminates) override {
    note("fmi3CompletedIntegratorStep");
    return call_.completed_step(instance_, false, &wants_event, &terminates);
  }
  int step(double t, double size, StepAnswer& answer) override {
    note("fmi3DoStep");
    bool is_early = false;
    double last_time = t + size;
    answer = {};
    const Status status =
        call_.do_step(instance_, t, size, true, &answer.has_event, &answer.terminates, &is_early, &last_time);
    answer.t = is_early || answer.terminates ? last_time : t + size;
    return status;
  }

  int set_time(double time) override {
    note("fmi3SetTime");
    return call_.set_time(instance_, time);
  }
  int set_states(const double* x, std::size_t count) override {
    note("fmi3SetContinuousStates");
    return call_.set_states(instance_, x, count);
  }
  int get_states(double* x, std::size_t count) override {
    note("fmi3GetContinuousStates");
    return call_.get_states(instance_, x, count);
  }
  int get_derivatives(double* dx, std::size_t count) override {
    note("fmi3GetContinuousStateDerivatives");
    return call_.get_derivatives(instance_, dx, count);
  }
  int get_indicators(double* z, std::size_t count) override {
    note("fmi3GetEventIndicators");
    return call_.get_indicators(instance_, z, count);
  }

  int get(Type type, const Reference* references, std::size_t reference_count, double* values,
          std::size_t count) override {
    if (type == Type::float64) {
      note("fmi3GetFloat64");
      return call_.get_float64(instance_, references, reference_count, values, count);
    }
    return visit_type(type, [&](auto number, const char* name, const char*) {
      using Number = decltype(number);
      note(name);
      // A vector of flags has no elements of its own.
      const auto numbers = std::make_unique<Number[]>(count);
      const Status status =
          fmu_.function<Get<Number>>(name)(instance_, references, reference_count, numbers.get(), count);
      for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<double>(numbers[k]);
      return status;
    });
  }
  int set(Type type, Reference reference, const double* values, std::size_t count) override {
    if (type == Type::float64) {
      note("fmi3SetFloat64");
      return call_.set_float64(instance_, &reference, 1, values, count);
    }
    return visit_type(type, [&](auto number, const char*, const char* name) {
      using Number = decltype(number);
      note(name);
      const auto numbers = std::make_unique<Number[]>(count);
      for (std::size_t k = 0; k < count; ++k) {
        if constexpr (std::is_same_v<Number, bool>)
          numbers[k] = values[k] != 0;
        else
          numbers[k] = static_cast<Number>(values[k]);
      }
      return fmu_.function<Set<Number>>(name)(instance_, &reference, 1, numbers.get(), count);
    });
  }
  int directional(const Reference* unknowns, std::size_t unknown_count, Reference known, const double* seed,
                  std::size_t seed_count, double* derivatives, std::size_t size) override {
    note("fmi3GetDirectionalDerivative");
    return call_.directional(instance_, unknowns, unknown_count, &known, 1, seed, seed_count, derivatives,
                             size);
  }

  int save(void*& state) override {
    note("fmi3GetFMUState");
    return call_.save(instance_, &state);
  }
  int restore(void* state) override {
    note("fmi3SetFMUState");
    return call_.restore(instance_, state);
  }
  void release(void*& state) override { call_.release(instance_, &state); }

 private:
  int simple(const char* name, Call* function) {
    note(name);
    return function(instance_);
  }

  const Fmu& fmu_;
  Functions call_;
  Instance instance_ = nullptr;
};

}  // namespace three
}  // namespace

std::unique_ptr<Calls> make_calls_of_three(const Fmu& fmu, Log& log) {
  auto calls = std::make_unique<three::CallsOfThree>(fmu, log);
  if (!calls->is_there()) return nullptr;
  return calls;
}

std::unique_ptr<Calls> make_calls(const Fmu& fmu, Log& log) {
  std::unique_ptr<Calls> calls =
      fmu.description().version == Version::two ? make_calls_of_two(fmu, log) : make_calls_of_three(fmu, log);
  if (!calls) refuse({.what = "the FMU refuses to be instantiated" + log.complaints(), .where = fmu.file()});
  return calls;
}

}  // namespace slideway::fmi
