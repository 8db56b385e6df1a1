// Where a run is: the solution at one time, the regime that holds there, and the tools that follow it. The loop (run/run_engine.hpp),
// the locator (locate/locator.hpp), the mode manager (rules/mode_manager.hpp) and the log (log/run_log.hpp) share it.
//
// It must not know how an event is located, nor what follows it.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulate/accumulation_limit.hpp"
#include "simulate/restart_policy.hpp"
#include "simulate/run_tools.hpp"
#include "simulate/time_schedule.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// How the following of one mode ended.
enum class ModeEnd { event, finished };

// The tools that follow the solution, told without them.
struct Place {
  std::size_t location = 0;
  bool is_pair = false;  // of the locations that these edges join
  std::size_t first_edge = 0, second_edge = 0;
  std::vector<Index> second_order = {};
  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("location", location);
    visit("is_pair", is_pair);
    visit("first_edge", first_edge);
    visit("second_edge", second_edge);
    visit("second_order", second_order);
  }
};

struct RunState {
  // The references must outlive the state. `structures` has one entry per location.
  RunState(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
           const Options& options, const Run& run);

  // ---- what is followed, and with what
  const Automaton& automaton;
  const Options& options;
  const Run& run;
  RunTools tools;
  LocationTools* here = nullptr;
  std::size_t location = 0;
  const RunTools::Pair* pair = nullptr;  // while the solution slides between two locations
  std::vector<Index> second_order = {};  // the surfaces that it slides along in second order, sorted
  Stepper* stepper = nullptr;            // the one that is at work

  // ---- where the solution is
  double t;
  Vector x;
  Mode mode;
  Vector lambda;           // the relays, a first guess for those that slide
  bool repelling = false;  // the only surface that slides repels
  double mode_since = 0;
  RestartPolicy restart;
  std::vector<AccumulationLimit> limits = {};  // that the solution is coming to
  double step_end = 0;                         // of the last step
  double dense_end = 0;                        // up to where the stepper's dense output is the solution

  TimeSchedule schedule;

  // ---- sizes and errors
  Vector atol, weights;
  Vector largest;  // |xⱼ| so far: the errors that have gathered go with that
  double largest_drift = 0;

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("t", t);
    visit("x", x);
    visit("mode", mode);
    visit("lambda", lambda);
    visit("repelling", repelling);
    visit("mode_since", mode_since);
    visit("restart", restart);
    visit("step_end", step_end);
    visit("dense_end", dense_end);
    visit("schedule", schedule);
    visit("weights", weights);
    visit("largest", largest);
    visit("largest_drift", largest_drift);
  }

  // The word of the mode, for the log: the surfaces, then the contacts. Members of a limit are shown as they were until that
  // limit.
  Mode word() const;
  // With the contacts, and with what goes with another surface as that one.
  Mode as_shown(const Mode& own) const;
  std::string surface_name(Index surface) const;
  std::string names(std::span<const Index> surfaces) const;
  // Lists one in the record, without speeds across it. Contacts come after the surfaces.
  void list(Index surface, EventRecord& record) const;

  Place place() const;
  bool in_pair() const { return pair != nullptr; }
  bool in_second_order() const { return !second_order.empty(); }
  bool slides_in_second_order(Index surface) const {
    return std::binary_search(second_order.begin(), second_order.end(), surface);
  }
  // Surfaces that come and go with another one.
  std::span<const SecondOrder::Bound> bound() const;

  bool is_part_of_limit(Index event) const;
  std::vector<Index> states_held() const;
  // Where the stretch that begins ends at the latest.
  double next_end() const;

  // Puts x onto the surfaces it slides on and the contacts that are closed.
  void project_state();
  // Whether the integrator leaves the constraints, so that its dense output does, whatever their shape; and whether that does, as it
  // also does where closed gaps are curved.
  bool drifts() const;
  bool dense_output_drifts() const;
};

}  // namespace slideway
