// Where a run is: the solution at one time, the regime that holds there, and the tools that follow it. The loop (run/run_engine.hpp),
// the locator (locate/locator.hpp), the mode manager (rules/mode_manager.hpp) and the log (log/run_log.hpp) share it.
//
// It must not know how an event is located, nor what follows it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "filippov/regime.hpp"
#include "simulate/agenda.hpp"
#include "simulate/error_sizes.hpp"
#include "simulate/restart_policy.hpp"
#include "simulate/run_tools.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// ModeEnd tells how the following of one mode ended.
enum class ModeEnd { event, finished };

// LastStep tells how far the last step leads.
struct LastStep {
  double end = 0;
  double dense_end = 0;  // up to where the stepper's dense output is the solution
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("end", end);
    visit("dense_end", dense_end);
  }
};

struct RunState {
  // The references must outlive the state. `structures` has one entry per location.
  RunState(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
           const Options& options, const Run& run);

  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  // ---- where the solution is
  double t;
  Vector x;
  // Held here alone: the tools refer to its contacts.
  Regime regime;
  double impact_noise = 0;  // rounding of velocities that the impacts of this instant have left

  // ---- what is followed, and with what
  const Options& options;
  const Run& run;
  RunTools tools;
  LocationTools* here = nullptr;
  Stepper* stepper = nullptr;  // the one that is at work

  // ---- how it goes on
  RestartPolicy restart;
  Agenda agenda;
  LastStep step;
  Vector weights;  // of the errors at x, by the tolerances
  ErrorSizes errors;

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("t", t);
    visit("x", x);
    visit("regime", regime);
    visit("restart", restart);
    visit("step", step);
    visit("schedule", agenda.schedule);
    visit("weights", weights);
    visit("errors", errors);
  }

  // The word of the mode, for the log: the surfaces, then the contacts. Members of a limit are shown as they were until that
  // limit.
  Mode word() const;
  // as_shown() adds the contacts, and shows surfaces that go with another surface like that one.
  Mode as_shown(const Mode& own) const;
  std::string surface_name(Index surface) const;
  std::string names(std::span<const Index> surfaces) const;
  // The record of what happens now, with the mode and the state before it; the second function adds those after it.
  EventRecord begun(EventKind kind) const;
  void end(EventRecord& record) const;
  // keeps_states() tells whether records hold states: the log of a large system does not, which has many at one
  // instant.
  bool keeps_states() const { return options.full_events || x.size() <= kMostStatesInEvents; }
  // Lists one in the record, without speeds across it. Contacts come after the surfaces.
  void list(Index surface, EventRecord& record) const;

  // Surfaces that come and go with another one.
  std::span<const SecondOrder::Bound> bound() const;

  // is_part_of_limit() tells whether a limit keeps this event from firing.
  bool is_part_of_limit(Index event) const { return agenda.holds(here->watch[event].when); }

  // asked() answers questions at this instant in the regime as it is now, which need not be the one that is followed.
  ModeOde& asked() const;
  // asked_in() answers them in another regime, until the next call of either.
  ModeOde& asked_in(const Regime& other) const;
  // Puts x onto the surfaces it slides on and the contacts that are closed.
  void project_state();
  // drifts() tells whether the integrator leaves the constraints, so that its dense output does, whatever their
  // shape; and whether that does, as it also does where closed gaps are curved.
  bool drifts() const;
  bool dense_output_drifts() const;
};

}  // namespace slideway
