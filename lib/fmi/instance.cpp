#include "lib/fmi/instance.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "lib/fmi/fmu.hpp"
#include "lib/fmi/log.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

// The instance of the binary, which saved states hold alive: they are freed by it.
struct Part {
  explicit Part(std::shared_ptr<const Fmu> of)
      : fmu(std::move(of)), log(fmu->file(), !fmu->log_categories().empty()), calls(make_calls(*fmu, log)) {}

  // Makes a call of the binary. An exception of C++ that is no std::exception becomes one, as callers expect.
  template <class Call>
  void check(const Call& call) {
    int status = 0;
    try {
      status = call();
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      throw std::runtime_error(fmt::format("{}: {} has thrown an exception", fmu->file(), calls->called()));
    }
    if (status != 0) log.check(status, calls->called());
  }

  std::shared_ptr<const Fmu> fmu;
  Log log;
  std::unique_ptr<Calls> calls;
};

class LocalState : public SavedState {
 public:
  explicit LocalState(std::shared_ptr<Part> part) : part_(std::move(part)) {
    part_->check([&] { return part_->calls->save(state); });
  }
  ~LocalState() override { part_->calls->release(state); }

  void* state = nullptr;

 private:
  std::shared_ptr<Part> part_;
};

// The least and the greatest value that a type of whole numbers has, as far as a double tells them apart.
std::pair<double, double> range_of(Type type) {
  const auto of = [](auto number) {
    using Limits = std::numeric_limits<decltype(number)>;
    return std::pair(static_cast<double>(Limits::min()), static_cast<double>(Limits::max()));
  };
  switch (type) {
    case Type::int8: return of(std::int8_t{});
    case Type::uint8: return of(std::uint8_t{});
    case Type::int16: return of(std::int16_t{});
    case Type::uint16: return of(std::uint16_t{});
    case Type::int32: return of(std::int32_t{});
    case Type::uint32: return of(std::uint32_t{});
    case Type::int64:
    case Type::uint64: return {type == Type::int64 ? -0x1p53 : 0, 0x1p53};
    case Type::boolean: return {0, 1};
    default: return {0, 0};
  }
}

class LocalInstance : public Instance {
 public:
  explicit LocalInstance(std::shared_ptr<const Fmu> fmu) : part_(std::make_shared<Part>(std::move(fmu))) {
    for (const State& state : about().states)
      // An array has one reference for all its elements.
      if (state.derivative.element == 0) derivative_references_.push_back(state.derivative.reference);
  }

  void start(double time, std::optional<double> tolerance, const StartValues& values) override {
    configure();
    for (const auto& [variable, value] : values) set(*variable, value);
    check([&] { return calls().enter_initialization(time, tolerance); });
    check([&] { return calls().exit_initialization(); });
  }
  void reset() override {
    check([&] { return calls().reset(); });
  }
  void enter_event_mode() override {
    check([&] { return calls().enter_event_mode(); });
  }
  Update update() override {
    Update answer;
    check([&] { return calls().update(answer); });
    return answer;
  }
  void continue_time() override {
    check([&] { return calls().enter_continuous_time(); });
  }
  bool complete_step() override {
    bool wants_event = false, terminates = false;
    check([&] { return calls().complete_step(wants_event, terminates); });
    return wants_event;
  }
  void enter_step_mode() override {
    check([&] { return calls().enter_step_mode(); });
  }
  StepAnswer step(double t, double size) override {
    StepAnswer answer;
    check([&] { return calls().step(t, size, answer); });
    return answer;
  }

  void set_time(double time) override {
    check([&] { return calls().set_time(time); });
  }
  void set_states(ConstVectorRef x) override {
    if (x.size() > 0) check([&] { return calls().set_states(x.data(), static_cast<std::size_t>(x.size())); });
  }
  void get_states(VectorRef x) override {
    if (x.size() > 0) check([&] { return calls().get_states(x.data(), static_cast<std::size_t>(x.size())); });
  }
  void derivatives(VectorRef dx) override {
    if (dx.size() > 0)
      check([&] { return calls().get_derivatives(dx.data(), static_cast<std::size_t>(dx.size())); });
  }
  void indicators(VectorRef z) override {
    if (z.size() > 0)
      check([&] { return calls().get_indicators(z.data(), static_cast<std::size_t>(z.size())); });
  }

  void set(const Variable& variable, double value) override {
    if (variable.type != Type::float64 && variable.type != Type::float32) {
      const auto [least, most] = range_of(variable.type);
      if (!(value >= least && value <= most) || value != std::floor(value))
        refuse({.what = fmt::format("'{}' cannot have this value", variable.name),
                .where = part_->fmu->file(),
                .expected = fmt::format("a whole number from {} to {}", least, most),
                .got = fmt::format("{}", value)});
    }
    if (variable.count == 1) {
      check([&] { return calls().set(variable.type, variable.reference, &value, 1); });
      return;
    }
    std::vector<double> all(variable.count);
    check([&] { return calls().get(variable.type, &variable.reference, 1, all.data(), all.size()); });
    all[variable.element] = value;
    check([&] { return calls().set(variable.type, variable.reference, all.data(), all.size()); });
  }
  // Scalars of one type that stand beside each other are one question, for which the FMU evaluates its equations once. So are the elements of an
  // array.
  Vector values(const std::vector<const Variable*>& variables) override {
    Vector result(static_cast<Index>(variables.size()));
    for (std::size_t first = 0, end = 0; first < variables.size(); first = end) {
      const Variable& one = *variables[first];
      const auto belongs = [&](const Variable& other) {
        return other.type == one.type &&
               (one.count == 1 ? other.count == 1 : other.reference == one.reference);
      };
      references_.clear();
      for (end = first; end < variables.size() && belongs(*variables[end]); ++end)
        references_.push_back(variables[end]->reference);
      if (one.count != 1) references_.resize(1);
      values_.resize(one.count == 1 ? end - first : one.count);
      check([&] {
        return calls().get(one.type, references_.data(), references_.size(), values_.data(), values_.size());
      });
      for (std::size_t k = first; k < end; ++k)
        result[static_cast<Index>(k)] = values_[one.count == 1 ? k - first : variables[k]->element];
    }
    return result;
  }

  void derivatives_by_state(std::size_t state, VectorRef column) override {
    const Variable& known = about().states[state].variable;
    std::vector<double> seed(known.count, 0.0);
    seed[known.element] = 1;
    check([&] {
      return calls().directional(derivative_references_.data(), derivative_references_.size(),
                                 known.reference, seed.data(), seed.size(), column.data(),
                                 static_cast<std::size_t>(column.size()));
    });
  }

  std::shared_ptr<SavedState> save() override { return std::make_shared<LocalState>(part_); }
  void restore(const SavedState& state) override {
    check([&] { return calls().restore(dynamic_cast<const LocalState&>(state).state); });
  }

 private:
  void configure() {
    const Configuration& wanted = part_->fmu->configuration();
    if (wanted.empty()) return;
    check([&] { return calls().enter_configuration(); });
    for (const Variable& one : about().variables)
      if (const auto found = wanted.find(one.name); one.role == Role::structural && found != wanted.end())
        set(one, found->second);
    check([&] { return calls().exit_configuration(); });
  }
  Calls& calls() const { return *part_->calls; }
  const Description& about() const { return part_->fmu->description(); }
  template <class Call>
  void check(const Call& call) {
    part_->check(call);
  }

  std::shared_ptr<Part> part_;
  std::vector<std::uint32_t> derivative_references_;
  // Buffers of values().
  std::vector<std::uint32_t> references_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<Instance> make_local_instance(std::shared_ptr<const Fmu> fmu) {
  return std::make_unique<LocalInstance>(std::move(fmu));
}

}  // namespace slideway::fmi
