#include "lib/fmi/instance3.hpp"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "lib/fmi/instance2.hpp"
#include "lib/fmi/interface3.hpp"
#include "lib/fmi/log.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

// The names are those of the standard; another file has the same ones of version 2.0.
namespace three {

using namespace fmi3;

void log(Environment environment, Status status, Text category, Text message) {
  if (environment != nullptr) static_cast<Log*>(environment)->take(status, category, message);
}

struct Functions {
  explicit Functions(const Fmu& fmu)
      : instantiate(fmu.function<InstantiateModelExchange>("fmi3InstantiateModelExchange")),
        free_instance(fmu.function<FreeInstance>("fmi3FreeInstance")),
        enter_initialization(fmu.function<EnterInitializationMode>("fmi3EnterInitializationMode")),
        exit_initialization(fmu.function<Call>("fmi3ExitInitializationMode")),
        reset(fmu.function<Call>("fmi3Reset")),
        enter_event_mode(fmu.function<Call>("fmi3EnterEventMode")),
        update(fmu.function<UpdateDiscreteStates>("fmi3UpdateDiscreteStates")),
        enter_continuous(fmu.function<Call>("fmi3EnterContinuousTimeMode")),
        completed_step(fmu.function<CompletedIntegratorStep>("fmi3CompletedIntegratorStep")),
        set_time(fmu.function<SetTime>("fmi3SetTime")),
        set_states(fmu.function<SetVector>("fmi3SetContinuousStates")),
        get_derivatives(fmu.function<GetVector>("fmi3GetContinuousStateDerivatives")),
        get_indicators(fmu.function<GetVector>("fmi3GetEventIndicators")),
        get_states(fmu.function<GetVector>("fmi3GetContinuousStates")),
        get_nominals(fmu.function<GetVector>("fmi3GetNominalsOfContinuousStates")) {
    if (fmu.description().saves_state) {
      save = fmu.function<GetState>("fmi3GetFMUState");
      restore = fmu.function<SetState>("fmi3SetFMUState");
      release = fmu.function<GetState>("fmi3FreeFMUState");
    }
    if (fmu.description().has_directional_derivatives)
      directional = fmu.function<GetDirectionalDerivative>("fmi3GetDirectionalDerivative");
  }

  InstantiateModelExchange* instantiate;
  FreeInstance* free_instance;
  EnterInitializationMode* enter_initialization;
  Call* exit_initialization;
  Call* reset;
  Call* enter_event_mode;
  UpdateDiscreteStates* update;
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

// The instance of the binary, which saved states hold alive: they are freed by it.
class Part {
 public:
  explicit Part(std::shared_ptr<const Fmu> of) : fmu(std::move(of)), log(fmu->file()), call(*fmu) {
    const std::string resources = fmu->resources().string() + "/";
    const Description& about = fmu->description();
    instance = call.instantiate(about.model_name.c_str(), about.token.c_str(), resources.c_str(), false,
                                false, &log, &three::log);
    if (instance == nullptr)
      refuse({.what = "the FMU refuses to be instantiated" + log.complaints(), .where = fmu->file()});
  }
  ~Part() { call.free_instance(instance); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  std::shared_ptr<const Fmu> fmu;
  Log log;
  Functions call;
  fmi3::Instance instance = nullptr;
};

class Saved : public fmi::SavedState {
 public:
  explicit Saved(std::shared_ptr<Part> part) : part_(std::move(part)) {
    part_->log.check(part_->call.save(part_->instance, &state), "fmi3GetFMUState");
  }
  ~Saved() override { part_->call.release(part_->instance, &state); }

  fmi3::SavedState state = nullptr;

 private:
  std::shared_ptr<Part> part_;
};

// Calls `use` with a value of the C type that the variable has, and the ending of the functions for it.
template <class Use>
void visit_type(Type type, const Use& use) {
  switch (type) {
    case Type::float32: use(float{}, "Float32"); break;
    case Type::float64: use(double{}, "Float64"); break;
    case Type::int8: use(std::int8_t{}, "Int8"); break;
    case Type::uint8: use(std::uint8_t{}, "UInt8"); break;
    case Type::int16: use(std::int16_t{}, "Int16"); break;
    case Type::uint16: use(std::uint16_t{}, "UInt16"); break;
    case Type::int32: use(std::int32_t{}, "Int32"); break;
    case Type::uint32: use(std::uint32_t{}, "UInt32"); break;
    case Type::int64: use(std::int64_t{}, "Int64"); break;
    case Type::uint64: use(std::uint64_t{}, "UInt64"); break;
    case Type::boolean: use(bool{}, "Boolean"); break;
    case Type::text:
    case Type::binary:
    case Type::clock: break;
  }
}

class InstanceOfThree : public fmi::Instance {
 public:
  explicit InstanceOfThree(std::shared_ptr<const Fmu> fmu) : part_(std::make_shared<Part>(std::move(fmu))) {
    for (const State& state : part_->fmu->description().states) {
      state_references_.push_back(state.variable.reference);
      derivative_references_.push_back(state.derivative);
    }
  }

  void start(double time, std::optional<double> tolerance, const StartValues& values) override {
    for (const auto& [variable, value] : values) set(*variable, value);
    check(call().enter_initialization(part_->instance, tolerance.has_value(), tolerance.value_or(0), time,
                                      false, 0),
          "fmi3EnterInitializationMode");
    check(call().exit_initialization(part_->instance), "fmi3ExitInitializationMode");
  }
  void reset() override { check(call().reset(part_->instance), "fmi3Reset"); }
  void enter_event_mode() override { check(call().enter_event_mode(part_->instance), "fmi3EnterEventMode"); }
  Update update() override {
    bool needs_another = false, terminates = false, nominals = false, states = false, has_next = false;
    double next_time = 0;
    check(call().update(part_->instance, &needs_another, &terminates, &nominals, &states, &has_next,
                        &next_time),
          "fmi3UpdateDiscreteStates");
    Update answer{.needs_another = needs_another, .terminates = terminates, .states_changed = states};
    if (has_next) answer.next_time = next_time;
    return answer;
  }
  void continue_time() override {
    check(call().enter_continuous(part_->instance), "fmi3EnterContinuousTimeMode");
  }
  bool complete_step() override {
    bool wants_event = false, terminates = false;
    check(call().completed_step(part_->instance, false, &wants_event, &terminates),
          "fmi3CompletedIntegratorStep");
    return wants_event;
  }

  void set_time(double time) override { check(call().set_time(part_->instance, time), "fmi3SetTime"); }
  void set_states(ConstVectorRef x) override {
    if (x.size() > 0)
      check(call().set_states(part_->instance, x.data(), static_cast<std::size_t>(x.size())),
            "fmi3SetContinuousStates");
  }
  void get_states(VectorRef x) override { get(call().get_states, x, "fmi3GetContinuousStates"); }
  void get_nominals(VectorRef nominals) override {
    get(call().get_nominals, nominals, "fmi3GetNominalsOfContinuousStates");
  }
  void derivatives(VectorRef dx) override {
    get(call().get_derivatives, dx, "fmi3GetContinuousStateDerivatives");
  }
  void indicators(VectorRef z) override { get(call().get_indicators, z, "fmi3GetEventIndicators"); }

  double value(const Variable& variable) override {
    double result = 0;
    visit_type(variable.type, [&](auto number, const char* ending) {
      const std::string name = std::string("fmi3Get") + ending;
      auto* const function = part_->fmu->function<Get<decltype(number)>>(name.c_str());
      check(function(part_->instance, &variable.reference, 1, &number, 1), name.c_str());
      result = static_cast<double>(number);
    });
    return result;
  }

  void derivatives_by_state(std::size_t state, VectorRef column) override {
    const double one = 1;
    check(call().directional(part_->instance, derivative_references_.data(), derivative_references_.size(),
                             &state_references_[state], 1, &one, 1, column.data(),
                             static_cast<std::size_t>(column.size())),
          "fmi3GetDirectionalDerivative");
  }

  std::shared_ptr<fmi::SavedState> save() override { return std::make_shared<Saved>(part_); }
  void restore(const fmi::SavedState& state) override {
    check(call().restore(part_->instance, dynamic_cast<const Saved&>(state).state), "fmi3SetFMUState");
  }

 private:
  const Functions& call() const { return part_->call; }
  void check(Status status, const char* function) {
    if (status != 0) part_->log.check(status, function);
  }
  void get(GetVector* function, VectorRef values, const char* name) {
    if (values.size() > 0)
      check(function(part_->instance, values.data(), static_cast<std::size_t>(values.size())), name);
  }
  void set(const Variable& variable, double value) {
    visit_type(variable.type, [&](auto number, const char* ending) {
      using Number = decltype(number);
      const std::string name = std::string("fmi3Set") + ending;
      if constexpr (std::is_same_v<Number, bool>)
        number = value != 0;
      else
        number = static_cast<Number>(value);
      auto* const function = part_->fmu->function<Set<Number>>(name.c_str());
      check(function(part_->instance, &variable.reference, 1, &number, 1), name.c_str());
    });
  }

  std::shared_ptr<Part> part_;
  std::vector<Reference> state_references_, derivative_references_;
};

}  // namespace three
}  // namespace

std::unique_ptr<Instance> make_instance_of_three(std::shared_ptr<const Fmu> fmu) {
  return std::make_unique<three::InstanceOfThree>(std::move(fmu));
}

std::unique_ptr<Instance> make_instance(std::shared_ptr<const Fmu> fmu) {
  if (fmu->description().version == Version::two) return make_instance_of_two(std::move(fmu));
  return make_instance_of_three(std::move(fmu));
}

}  // namespace slideway::fmi
