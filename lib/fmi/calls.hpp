// Calls are the functions of one instance of an FMU, in the words of neither version of the standard: what the binary answers, and nothing else.
//
// Each returns the status of the function that was called last, whose name called() tells. It must not know what a status means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "lib/fmi/description.hpp"

namespace slideway::fmi {

class Fmu;
class Log;

// Update is the answer of the FMU to an update of its discrete states.
struct Update {
  bool needs_another = false;
  bool terminates = false;
  bool states_changed = false;
  std::optional<double> next_time = {};
};

// StepAnswer is the answer of a Co-Simulation to a step: where it has come to, and whether something happened there.
struct StepAnswer {
  double t = 0;
  bool has_event = false;
  bool terminates = false;
};

class Calls {
 public:
  virtual ~Calls() = default;
  Calls() = default;
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // The name of the function of the binary that was called last.
  const char* called() const { return called_; }

  // Between these two structural parameters are set.
  virtual int enter_configuration() = 0;
  virtual int exit_configuration() = 0;
  virtual int enter_initialization(double time, std::optional<double> tolerance) = 0;
  virtual int exit_initialization() = 0;
  virtual int reset() = 0;
  virtual int enter_event_mode() = 0;
  virtual int update(Update& answer) = 0;
  virtual int enter_continuous_time() = 0;
  virtual int enter_step_mode() = 0;
  virtual int complete_step(bool& wants_event, bool& terminates) = 0;
  virtual int step(double t, double size, StepAnswer& answer) = 0;

  virtual int set_time(double time) = 0;
  virtual int set_states(const double* x, std::size_t count) = 0;
  virtual int get_states(double* x, std::size_t count) = 0;
  virtual int get_derivatives(double* dx, std::size_t count) = 0;
  virtual int get_indicators(double* z, std::size_t count) = 0;
  // All values of variables or arrays of one type; a flag is 0 or 1. Variables of texts, bytes and clocks have none.
  virtual int get(Type type, const std::uint32_t* references, std::size_t reference_count, double* values,
                  std::size_t count) = 0;
  virtual int set(Type type, std::uint32_t reference, const double* values, std::size_t count) = 0;
  // The derivatives of all of `unknowns`, `size` values, along the seed of `known`.
  virtual int directional(const std::uint32_t* unknowns, std::size_t unknown_count, std::uint32_t known,
                          const double* seed, std::size_t seed_count, double* derivatives,
                          std::size_t size) = 0;

  virtual int save(void*& state) = 0;
  virtual int restore(void* state) = 0;
  virtual void release(void*& state) = 0;

 protected:
  // Notes the name of the function that is called next.
  void note(const char* name) { called_ = name; }

 private:
  const char* called_ = "";
};

// Instantiates the FMU. The log must outlive the instance. Throws std::invalid_argument where a function is missing, or the FMU refuses.
std::unique_ptr<Calls> make_calls(const Fmu& fmu, Log& log);

}  // namespace slideway::fmi
