#include "lib/fmi/instance2.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "lib/fmi/interface2.hpp"
#include "lib/fmi/log.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

using namespace fmi2;

void log_of_two(Environment environment, Text /*instance*/, Status status, Text category, Text message, ...) {
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
        set_boolean(fmu.function<SetInteger>("fmi2SetBoolean")),
        enter_event_mode(fmu.function<Call>("fmi2EnterEventMode")),
        new_discrete_states(fmu.function<NewDiscreteStates>("fmi2NewDiscreteStates")),
        enter_continuous(fmu.function<Call>("fmi2EnterContinuousTimeMode")),
        completed_step(fmu.function<CompletedIntegratorStep>("fmi2CompletedIntegratorStep")),
        set_time(fmu.function<SetTime>("fmi2SetTime")),
        set_states(fmu.function<SetVector>("fmi2SetContinuousStates")),
        get_derivatives(fmu.function<GetVector>("fmi2GetDerivatives")),
        get_indicators(fmu.function<GetVector>("fmi2GetEventIndicators")),
        get_states(fmu.function<GetVector>("fmi2GetContinuousStates")),
        get_nominals(fmu.function<GetVector>("fmi2GetNominalsOfContinuousStates")) {
    if (fmu.description().saves_state) {
      save = fmu.function<GetState>("fmi2GetFMUstate");
      restore = fmu.function<SetState>("fmi2SetFMUstate");
      release = fmu.function<GetState>("fmi2FreeFMUstate");
    }
    if (fmu.description().has_directional_derivatives)
      directional = fmu.function<GetDirectionalDerivative>("fmi2GetDirectionalDerivative");
  }

  Instantiate* instantiate;
  FreeInstance* free_instance;
  SetupExperiment* setup;
  Call* enter_initialization;
  Call* exit_initialization;
  Call* reset;
  GetReal* get_real;
  SetReal* set_real;
  GetInteger* get_integer;
  SetInteger* set_integer;
  GetInteger* get_boolean;
  SetInteger* set_boolean;
  Call* enter_event_mode;
  NewDiscreteStates* new_discrete_states;
  Call* enter_continuous;
  CompletedIntegratorStep* completed_step;
  SetTime* set_time;
  SetVector* set_states;
  GetVector* get_derivatives;
  GetVector* get_indicators;
  GetVector* get_states;
  GetVector* get_nominals;
  GetState* save = nullptr;
  SetState* restore = nullptr;
  GetState* release = nullptr;
  GetDirectionalDerivative* directional = nullptr;
};

// The component of the binary, which saved states hold alive: they are freed by it.
class Part {
 public:
  explicit Part(std::shared_ptr<const Fmu> of) : fmu(std::move(of)), log(fmu->file()), call(*fmu) {
    callbacks = {&log_of_two, &std::calloc, &std::free, nullptr, &log};
    const std::string resources = "file://" + fmu->resources().string();
    const Description& about = fmu->description();
    component = call.instantiate(about.model_name.c_str(), 0, about.token.c_str(), resources.c_str(),
                                 &callbacks, 0, 0);
    if (component == nullptr)
      refuse({.what = "the FMU refuses to be instantiated" + log.complaints(), .where = fmu->file()});
  }
  ~Part() { call.free_instance(component); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  std::shared_ptr<const Fmu> fmu;
  Log log;
  Functions call;
  Callbacks callbacks = {};
  Component component = nullptr;
};

class SavedOfTwo : public SavedState {
 public:
  explicit SavedOfTwo(std::shared_ptr<Part> part) : part_(std::move(part)) {
    part_->log.check(part_->call.save(part_->component, &state), "fmi2GetFMUstate");
  }
  ~SavedOfTwo() override { part_->call.release(part_->component, &state); }

  fmi2::SavedState state = nullptr;

 private:
  std::shared_ptr<Part> part_;
};

class InstanceOfTwo : public Instance {
 public:
  explicit InstanceOfTwo(std::shared_ptr<const Fmu> fmu) : part_(std::make_shared<Part>(std::move(fmu))) {
    for (const State& state : about().states) {
      state_references_.push_back(state.variable.reference);
      derivative_references_.push_back(state.derivative);
    }
  }

  void start(double time, std::optional<double> tolerance, const StartValues& values) override {
    for (const auto& [variable, value] : values) set(*variable, value);
    check(call().setup(part_->component, tolerance ? 1 : 0, tolerance.value_or(0), time, 0, 0),
          "fmi2SetupExperiment");
    check(call().enter_initialization(part_->component), "fmi2EnterInitializationMode");
    check(call().exit_initialization(part_->component), "fmi2ExitInitializationMode");
  }
  void reset() override { check(call().reset(part_->component), "fmi2Reset"); }
  void enter_event_mode() override { check(call().enter_event_mode(part_->component), "fmi2EnterEventMode"); }
  Update update() override {
    EventInfo info = {};
    check(call().new_discrete_states(part_->component, &info), "fmi2NewDiscreteStates");
    Update answer{.needs_another = info.needs_update != 0,
                  .terminates = info.terminates != 0,
                  .states_changed = info.states_changed != 0};
    if (info.has_next_time != 0) answer.next_time = info.next_time;
    return answer;
  }
  void continue_time() override {
    check(call().enter_continuous(part_->component), "fmi2EnterContinuousTimeMode");
  }
  bool complete_step() override {
    Boolean wants_event = 0, terminates = 0;
    check(call().completed_step(part_->component, 0, &wants_event, &terminates),
          "fmi2CompletedIntegratorStep");
    return wants_event != 0;
  }

  void set_time(double time) override { check(call().set_time(part_->component, time), "fmi2SetTime"); }
  void set_states(ConstVectorRef x) override {
    if (x.size() > 0)
      check(call().set_states(part_->component, x.data(), static_cast<std::size_t>(x.size())),
            "fmi2SetContinuousStates");
  }
  void get_states(VectorRef x) override { get(call().get_states, x, "fmi2GetContinuousStates"); }
  void get_nominals(VectorRef nominals) override {
    get(call().get_nominals, nominals, "fmi2GetNominalsOfContinuousStates");
  }
  void derivatives(VectorRef dx) override { get(call().get_derivatives, dx, "fmi2GetDerivatives"); }
  void indicators(VectorRef z) override { get(call().get_indicators, z, "fmi2GetEventIndicators"); }

  double value(const Variable& variable) override {
    double real = 0;
    Integer integer = 0;
    if (variable.type == Type::float64) {
      check(call().get_real(part_->component, &variable.reference, 1, &real), "fmi2GetReal");
      return real;
    }
    if (variable.type == Type::boolean)
      check(call().get_boolean(part_->component, &variable.reference, 1, &integer), "fmi2GetBoolean");
    else
      check(call().get_integer(part_->component, &variable.reference, 1, &integer), "fmi2GetInteger");
    return integer;
  }

  void derivatives_by_state(std::size_t state, VectorRef column) override {
    const double one = 1;
    check(call().directional(part_->component, derivative_references_.data(), derivative_references_.size(),
                             &state_references_[state], 1, &one, column.data()),
          "fmi2GetDirectionalDerivative");
  }

  std::shared_ptr<SavedState> save() override { return std::make_shared<SavedOfTwo>(part_); }
  void restore(const SavedState& state) override {
    check(call().restore(part_->component, dynamic_cast<const SavedOfTwo&>(state).state), "fmi2SetFMUstate");
  }

 private:
  const Functions& call() const { return part_->call; }
  const Description& about() const { return part_->fmu->description(); }
  void check(Status status, const char* function) {
    if (status != 0) part_->log.check(status, function);
  }
  void get(GetVector* function, VectorRef values, const char* name) {
    if (values.size() > 0)
      check(function(part_->component, values.data(), static_cast<std::size_t>(values.size())), name);
  }
  void set(const Variable& variable, double value) {
    const auto integer = static_cast<Integer>(value);
    if (variable.type == Type::float64)
      check(call().set_real(part_->component, &variable.reference, 1, &value), "fmi2SetReal");
    else if (variable.type == Type::boolean)
      check(call().set_boolean(part_->component, &variable.reference, 1, &integer), "fmi2SetBoolean");
    else
      check(call().set_integer(part_->component, &variable.reference, 1, &integer), "fmi2SetInteger");
  }

  std::shared_ptr<Part> part_;
  std::vector<Reference> state_references_, derivative_references_;
};

}  // namespace

std::unique_ptr<Instance> make_instance_of_two(std::shared_ptr<const Fmu> fmu) {
  return std::make_unique<InstanceOfTwo>(std::move(fmu));
}

}  // namespace slideway::fmi
