// One instance of an FMU, in the words of neither version of the standard. Values go in and out; the order of the calls is the caller's:
// start(), then of Model Exchange stretches between events, each ended by enter_event_mode(), update() until nothing is left, and
// continue_time(); of Co-Simulation steps.
//
// A status `error` or `fatal` becomes std::runtime_error with what the FMU has logged, and `discard` std::domain_error: no value there.
// It must not know what an event means.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/fmi/calls.hpp"
#include "lib/fmi/description.hpp"
#include "slideway/core/types.hpp"

namespace slideway::fmi {

// A start value of a variable, set before the FMU initialises itself.
using StartValues = std::vector<std::pair<const Variable*, double>>;

// The discrete part of the FMU as it was at a time; the FMU is asked to free it.
class SavedState {
 public:
  virtual ~SavedState() = default;
};

class Instance {
 public:
  virtual ~Instance() = default;
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Configures the FMU as Fmu::configuration() says, sets the values, initialises, and leaves the FMU in its event mode, or where a Co-Simulation has none in its step mode.
  virtual void start(double time, std::optional<double> tolerance, const StartValues& values) = 0;
  // Back to where start() begins.
  virtual void reset() = 0;
  virtual void enter_event_mode() = 0;
  virtual Update update() = 0;
  virtual void continue_time() = 0;
  // Tells whether the FMU wants an event here.
  virtual bool complete_step() = 0;

  virtual void enter_step_mode() = 0;
  virtual StepAnswer step(double t, double size) = 0;

  virtual void set_time(double time) = 0;
  virtual void set_states(ConstVectorRef x) = 0;
  virtual void get_states(VectorRef x) = 0;
  virtual void derivatives(VectorRef dx) = 0;
  virtual void indicators(VectorRef z) = 0;
  // Throws std::invalid_argument for a value that the type of the variable does not have.
  virtual void set(const Variable& variable, double value) = 0;
  virtual Vector values(const std::vector<const Variable*>& variables) = 0;
  // d(derivatives)/d(state of the description) times 1.
  virtual void derivatives_by_state(std::size_t state, VectorRef column) = 0;

  virtual std::shared_ptr<SavedState> save() = 0;
  virtual void restore(const SavedState& state) = 0;
};

// An unpacked FMU with its description and binary, which instances share.
class Fmu;

// Makes an instance by the functions of the binary, in this process. Throws std::invalid_argument where a function is missing, or the FMU
// refuses.
std::unique_ptr<Instance> make_local_instance(std::shared_ptr<const Fmu> fmu);

// Makes an instance in this process, or in one of its own where the FMU is isolated.
std::unique_ptr<Instance> make_instance(std::shared_ptr<const Fmu> fmu);

}  // namespace slideway::fmi
