// A run behind the C interface, when it is over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/c/called_model.hpp"
#include "lib/c/handle.hpp"
#include "lib/c/model.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/io/report.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/final_gradients.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"

namespace slideway::door {

// Follows `options` and ends a run where it was asked to.
class Attendant {
 public:
  explicit Attendant(const RunInput& input) : input_(input), stops_at_begin_(input.stops->count()) {}
  void attend(Options& options);
  // The run ends at a checkpoint, and not here.
  void leave_to_checkpoints() { leaves_ = true; }
  bool is_stop_asked() const { return callbacks_.is_asked() || input_.stops->count() != stops_at_begin_; }

 private:
  Answer look() const;

  const RunInput& input_;
  std::uint64_t stops_at_begin_;
  CallbackStop callbacks_;
  Vector state_;
  bool leaves_ = false;
};

// The lists of numbers and texts of an event.
std::optional<std::string> event_text(const EventRecord& event, std::string_view what);
std::optional<Vector> event_values(const EventRecord& event, std::string_view what);

}  // namespace slideway::door

struct sw_run final : slideway::door::Handle {
  std::optional<slideway::door::RunInput> input = {};
  slideway::Options options = {};  // of the run, with its derivatives
  slideway::Solution solution = {};
  bool is_over = false;  // there is a solution
  // The motions that go on from the end of the solution, where all are followed, and whether the tree below has all of them.
  std::vector<slideway::Branch> branches = {};
  bool is_complete = true;
  std::optional<slideway::AuditResult> audit = {};
  // Both are made by prepare() and compute at a point, so they are not constant.
  mutable std::unique_ptr<slideway::Observation> observation = {};
  mutable std::unique_ptr<slideway::ObservedSensitivity> observed_sensitivity = {};
  std::optional<slideway::FinalGradients> gradients = {};

  std::optional<std::vector<std::string>> names(std::string_view list) const override;
  std::optional<slideway::Vector> values(std::string_view list) const override;
  std::string document(std::string_view format) override;
  const slideway::EventLog& events() const override { return solution.events; }
  const slideway::EventSensitivity* event_derivative(std::int64_t index) const override;

  // Takes the input and makes what is observed.
  void prepare(slideway::door::RunInput from);
  // observe() chooses what is observed from now on. It throws for a quantity without meaning, and changes nothing then.
  void observe(std::vector<std::string> wanted);
  // Takes a solution; returns the code of the run.
  int finish(slideway::Solution found);
  // Takes what an audit found, and warns of it.
  void take_audit(slideway::AuditResult audited);
  // Throws Refused where there is no run.
  const slideway::door::RunInput& made() const;
  slideway::RunReport report() const;
  const slideway::Trajectory& trajectory() const;
  // The time as it is asked for, without the rounding beyond an end; throws Refused outside of the run.
  double time_within(double t) const;
};
