#include "lib/fmi/calls2.hpp"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/fmi/fmu.hpp"
#include "lib/fmi/interface2.hpp"
#include "lib/fmi/log.hpp"

namespace slideway::fmi {
namespace {

// The names are those of the standard; another file has the same ones of version 3.0.
namespace two {

using namespace fmi2;
using fmi2::Reference;
using fmi2::Status;

void log(Environment environment, Text /*instance*/, Status status, Text category, Text message, ...) {
  std::va_list arguments;
  va_start(arguments, message);
  char text[2048];
  const int length = message == nullptr ? -1 : std::vsnprintf(text, sizeof text, message, arguments);
  va_end(arguments);
  if (environment != nullptr && length >= 0) static_cast<Log*>(environment)->take(status, category, text);
}

struct Functions {
  explicit Functions(const Fmu& fmu)
      : instantiate(fmu.function<Instantiate>("fmi2Instantiate")),
        free_instance(fmu.function<FreeInstance>("fmi2FreeInstance")),
        setup(fmu.function<SetupExperiment>("fmi2SetupExperiment")),
        enter_initialization(fmu.function<Call>("fmi2EnterInitializationMode")),
        exit_initialization(fmu.function<Call>("fmi2ExitInitializationMode")),
        reset(fmu.function<Call>("fmi2Reset")),
        get_real(fmu.function<GetReal>("fmi2GetReal")),
        set_real(fmu.function<SetReal>("fmi2SetReal")),
        get_integer(fmu.function<GetInteger>("fmi2GetInteger")),
        set_integer(fmu.function<SetInteger>("fmi2SetInteger")),
        get_boolean(fmu.function<GetInteger>("fmi2GetBoolean")),
        set_boolean(fmu.function<SetInteger>("fmi2SetBoolean")) {
    const Description& about = fmu.description();
    if (about.kind == Kind::model_exchange) {
      enter_event_mode = fmu.function<Call>("fmi2EnterEventMode");
      new_discrete_states = fmu.function<NewDiscreteStates>("fmi2NewDiscreteStates");
      enter_continuous = fmu.function<Call>("fmi2EnterContinuousTimeMode");
      completed_step = fmu.function<CompletedIntegratorStep>("fmi2CompletedIntegratorStep");
      set_time = fmu.function<SetTime>("fmi2SetTime");
      set_states = fmu.function<SetVector>("fmi2SetContinuousStates");
      get_derivatives = fmu.function<GetVector>("fmi2GetDerivatives");
      get_indicators = fmu.function<GetVector>("fmi2GetEventIndicators");
      get_states = fmu.function<GetVector>("fmi2GetContinuousStates");
    } else {
      do_step = fmu.function<DoStep>("fmi2DoStep");
      get_real_status = fmu.function<GetRealStatus>("fmi2GetRealStatus");
      get_boolean_status = fmu.function<GetBooleanStatus>("fmi2GetBooleanStatus");
    }
    if (about.saves_state) {
      save = fmu.function<GetState>("fmi2GetFMUstate");
      restore = fmu.function<SetState>("fmi2SetFMUstate");
      release = fmu.function<GetState>("fmi2FreeFMUstate");
    }
    if (about.has_directional_derivatives)
      directional = fmu.function<GetDirectionalDerivative>("fmi2GetDirectionalDerivative");
    if (!fmu.log_categories().empty())
      set_debug_logging = fmu.function<SetDebugLogging>("fmi2SetDebugLogging");
  }

  Instantiate* instantiate;
  FreeInstance* free_instance;
  SetupExperiment* setup;
  Call *enter_initialization, *exit_initialization, *reset;
  GetReal* get_real;
  SetReal* set_real;
  GetInteger* get_integer;
  SetInteger* set_integer;
  GetInteger* get_boolean;
  SetInteger* set_boolean;
  Call *enter_event_mode = nullptr, *enter_continuous = nullptr;
  NewDiscreteStates* new_discrete_states = nullptr;
  CompletedIntegratorStep* completed_step = nullptr;
  SetTime* set_time = nullptr;
  SetVector* set_states = nullptr;
  GetVector *get_derivatives = nullptr, *get_indicators = nullptr, *get_states = nullptr;
  DoStep* do_step = nullptr;
  GetRealStatus* get_real_status = nullptr;
  GetBooleanStatus* get_boolean_status = nullptr;
  GetState* save = nullptr;
  SetState* restore = nullptr;
  GetState* release = nullptr;
  GetDirectionalDerivative* directional = nullptr;
  SetDebugLogging* set_debug_logging = nullptr;
};

constexpr Status ok = 0, discard = 2;

class CallsOfTwo : public Calls {
 public:
  CallsOfTwo(const Fmu& fmu, Log& of) : call_(fmu) {
    callbacks_ = {&log, &std::calloc, &std::free, nullptr, &of};
    const std::string resources = uri_of(fmu.resources().string());
    const Description& about = fmu.description();
    const std::vector<std::string>& wanted = fmu.log_categories();
    component_ =
        call_.instantiate(about.model_name.c_str(), about.kind == Kind::co_simulation ? 1 : 0,
                          about.token.c_str(), resources.c_str(), &callbacks_, 0, wanted.empty() ? 0 : 1);
    if (component_ == nullptr || wanted.empty()) return;
    std::vector<Text> categories;
    for (const std::string& one : wanted)
      if (one != "all") categories.push_back(one.c_str());
    call_.set_debug_logging(component_, 1, categories.size(), categories.data());
  }
  ~CallsOfTwo() override {
    if (component_ != nullptr) call_.free_instance(component_);
  }
  bool is_there() const { return component_ != nullptr; }

  // There are no structural parameters in 2.0.
  int enter_configuration() override { return 0; }
  int exit_configuration() override { return 0; }
  int enter_initialization(double time, std::optional<double> tolerance) override {
    note("fmi2SetupExperiment");
    const Status set_up = call_.setup(component_, tolerance ? 1 : 0, tolerance.value_or(0), time, 0, 0);
    if (set_up > 1) return set_up;
    return simple("fmi2EnterInitializationMode", call_.enter_initialization);
  }
  int exit_initialization() override {
    return simple("fmi2ExitInitializationMode", call_.exit_initialization);
  }
  int reset() override { return simple("fmi2Reset", call_.reset); }
  int enter_event_mode() override { return simple("fmi2EnterEventMode", call_.enter_event_mode); }
  int update(Update& answer) override {
    note("fmi2NewDiscreteStates");
    EventInfo info = {};
    const Status status = call_.new_discrete_states(component_, &info);
    answer = {.needs_another = info.needs_update != 0,
              .terminates = info.terminates != 0,
              .states_changed = info.states_changed != 0};
    if (info.has_next_time != 0) answer.next_time = info.next_time;
    return status;
  }
  int enter_continuous_time() override {
    return simple("fmi2EnterContinuousTimeMode", call_.enter_continuous);
  }
  // 2.0 has no event mode of Co-Simulation.
  int enter_step_mode() override { return ok; }
  int complete_step(bool& wants_event, bool& terminates) override {
    note("fmi2CompletedIntegratorStep");
    Boolean wants = 0, ends = 0;
    const Status status = call_.completed_step(component_, 0, &wants, &ends);
    wants_event = wants != 0;
    terminates = ends != 0;
    return status;
  }
  // A step that is cut short by the end of the run is discarded, and then says how far it came.
  int step(double t, double size, StepAnswer& answer) override {
    note("fmi2DoStep");
    const Status status = call_.do_step(component_, t, size, 1);
    answer = {.t = t + size};
    if (status != discard) return status;
    constexpr int last_successful_time = 2, terminated = 3;
    Boolean ends = 0;
    if (call_.get_boolean_status(component_, terminated, &ends) != ok || ends == 0) return status;
    answer.terminates = true;
    if (call_.get_real_status(component_, last_successful_time, &answer.t) != ok) answer.t = t;
    return ok;
  }

  int set_time(double time) override {
    note("fmi2SetTime");
    return call_.set_time(component_, time);
  }
  int set_states(const double* x, std::size_t count) override {
    note("fmi2SetContinuousStates");
    return call_.set_states(component_, x, count);
  }
  int get_states(double* x, std::size_t count) override {
    note("fmi2GetContinuousStates");
    return call_.get_states(component_, x, count);
  }
  int get_derivatives(double* dx, std::size_t count) override {
    note("fmi2GetDerivatives");
    return call_.get_derivatives(component_, dx, count);
  }
  int get_indicators(double* z, std::size_t count) override {
    note("fmi2GetEventIndicators");
    return call_.get_indicators(component_, z, count);
  }

  // Version 2.0 has no arrays.
  int get(Type type, const Reference* references, std::size_t reference_count, double* values,
          std::size_t /*count*/) override {
    if (type == Type::float64) {
      note("fmi2GetReal");
      return call_.get_real(component_, references, reference_count, values);
    }
    std::vector<Integer> integers(reference_count);
    note(type == Type::boolean ? "fmi2GetBoolean" : "fmi2GetInteger");
    const Status status = (type == Type::boolean ? call_.get_boolean : call_.get_integer)(
        component_, references, reference_count, integers.data());
    std::copy(integers.begin(), integers.end(), values);
    return status;
  }
  int set(Type type, Reference reference, const double* values, std::size_t count) override {
    if (type == Type::float64) {
      note("fmi2SetReal");
      return call_.set_real(component_, &reference, count, values);
    }
    const auto integer = static_cast<Integer>(*values);
    note(type == Type::boolean ? "fmi2SetBoolean" : "fmi2SetInteger");
    return (type == Type::boolean ? call_.set_boolean : call_.set_integer)(component_, &reference, count,
                                                                           &integer);
  }
  int directional(const Reference* unknowns, std::size_t unknown_count, Reference known, const double* seed,
                  std::size_t seed_count, double* derivatives, std::size_t /*size*/) override {
    note("fmi2GetDirectionalDerivative");
    return call_.directional(component_, unknowns, unknown_count, &known, seed_count, seed, derivatives);
  }

  int save(void*& state) override {
    note("fmi2GetFMUstate");
    return call_.save(component_, &state);
  }
  int restore(void* state) override {
    note("fmi2SetFMUstate");
    return call_.restore(component_, state);
  }
  void release(void*& state) override { call_.release(component_, &state); }

 private:
  int simple(const char* name, Call* function) {
    note(name);
    return function(component_);
  }
  // 2.0 wants the place of the resources as a URI.
  static std::string uri_of(const std::string& path) {
    std::string uri = "file://";
    for (const char c : path) {
      const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                            std::string("/-_.~").find(c) != std::string::npos;
      uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
  }

  Functions call_;
  Callbacks callbacks_ = {};
  Component component_ = nullptr;
};

}  // namespace two
}  // namespace

std::unique_ptr<Calls> make_calls_of_two(const Fmu& fmu, Log& log) {
  auto calls = std::make_unique<two::CallsOfTwo>(fmu, log);
  if (!calls->is_there()) return nullptr;
  return calls;
}

}  // namespace slideway::fmi
