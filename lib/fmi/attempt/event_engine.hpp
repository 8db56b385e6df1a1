// EventEngine passes events of a model: a run of the library from just before an event to just after it. The tools of the run, with its
// evaluators and integrators, are made once for all events.
//
// It must not know the functions of the standard.
#pragma once

#include <memory>
#include <string>

#include "slideway/filippov/mode.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/outcome.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::fmu {

class EventEngine {
 public:
  EventEngine(Automaton problem, const Options& options);
  ~EventEngine();

  // Begins another run; what happens at its start has happened then. Throws std::invalid_argument where it cannot start.
  void begin(Run run);
  // Follows the run to t, or to the first event, which may be one of the start. Returns whether there was one.
  bool next_event(double t);
  // Follows the run to t.
  void advance_to(double t);

  // ---- where the run is
  double t() const;
  Vector state() const;
  Mode mode() const;
  std::string location() const;
  const Outcome& outcome() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace slideway::fmu
