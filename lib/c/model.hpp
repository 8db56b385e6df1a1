// A model behind the C interface, with what is set for its runs.
//
// It must not know results.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/c/handle.hpp"
#include "lib/c/options.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::door {

class CalledModel;

// StopCounter counts the requests to end runs. A run ends where the count is no longer what it was at its begin.
class StopCounter {
 public:
  void stop() { ++count_; }
  std::uint64_t count() const { return count_; }

 private:
  std::atomic<std::uint64_t> count_ = 0;
};

// Tells whether sw_stop() was called for the model after this question was made.
std::function<bool()> stop_question(std::shared_ptr<const StopCounter> stops);

// A function of the caller's that sees every step.
struct StepWatcher {
  sw_step_function function = nullptr;
  void* user = nullptr;
};

// A function of the caller's that is told how far a search has come.
struct ProgressWatcher {
  sw_progress_function function = nullptr;
  void* user = nullptr;
};

// A function of the caller's that gives the period of orbits along parameters.
struct PeriodFunction {
  sw_period_function function = nullptr;
  void* user = nullptr;

  double at(std::initializer_list<double> values) const;
};

// All that a run is made of, as it was when the run began; the handle of the model may change or go.
struct RunInput {
  std::shared_ptr<const Model> model = {};
  Settings settings = {};
  ModelInstance instance;
  RunOptions options = {};
  std::vector<std::string> observed = {};
  StepWatcher watcher = {};
  std::shared_ptr<const StopCounter> stops = {};
  bool is_called = false;  // made of callbacks
  bool is_fmu = false;

  Run where() const {
    return {.start = instance.start,
            .end = instance.end,
            .state = instance.state,
            .location = options.location,
            .mode = options.mode};
  }
};

}  // namespace slideway::door

struct sw_model final : slideway::door::Handle {
  // Null where the model has mistakes.
  std::shared_ptr<const slideway::Model> model = {};
  std::vector<slideway::ModelFileError::Entry> mistakes = {};
  std::shared_ptr<slideway::door::CalledModel> called = {};  // null unless it is made of callbacks
  bool has_called_events = false;                            // of a file
  bool is_fmu = false;
  slideway::Settings settings = {};
  slideway::door::OptionText options = {};
  std::vector<std::string> observed = {};
  slideway::door::StepWatcher watcher = {};
  slideway::door::ProgressWatcher progress = {};
  slideway::door::PeriodFunction period = {};
  std::string source_text = {};  // that it was read from; "" where it was not
  std::shared_ptr<slideway::door::StopCounter> stops = std::make_shared<slideway::door::StopCounter>();

  std::optional<std::vector<std::string>> names(std::string_view list) const override;
  std::optional<slideway::Vector> values(std::string_view list) const override;
  std::string document(std::string_view format) override;
  void stop() override { stops->stop(); }

  // Takes what `read` returns, or the mistakes that it throws.
  void take(const std::function<slideway::Model()>& read);
  // Likewise, with the content of the file at `path`.
  void take_file(const std::string& path, const std::function<slideway::Model()>& read);
  // Reads an FMU.
  void take_fmu(const std::string& path, const slideway::FmuImport& how);
  // The model; throws Refused where it has mistakes.
  const slideway::Model& usable() const;
  // Parameters and initial values as they are set. Several threads may ask for it at once.
  std::shared_ptr<const slideway::ModelInstance> instance() const;
  // The instance of one run. An FMU remembers what it was asked, so each of its runs has an instance of its own.
  slideway::ModelInstance instance_of_run() const;
  // Becomes another handle of the same model.
  void copy(const sw_model& from);
  // The model is another one from now on, or its settings are.
  void forget_instance() const;
  void set(const std::string& name, double value);
  // The input of a run with these options after those of the model.
  slideway::door::RunInput input(const slideway::door::OptionText& more = {}, double usual_rtol = 1e-6) const;

 private:
  mutable std::mutex lock_;
  mutable std::shared_ptr<const slideway::ModelInstance> instance_ = {};
};
