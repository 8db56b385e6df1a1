// The options of a run. Every field has a default; Options::validate refuses nonsense with a reason.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/filippov/sliding_rule.hpp"
#include "slideway/integrate/linear_solver.hpp"
#include "slideway/simulate/observer.hpp"
#include "slideway/simulate/preconditioner.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway {

struct EventRecord;

// The smooth integrator: CVODE's BDF (stiff problems) and Adams, or the one-step methods of Dormand and Prince, which take a
// fraction of the time where a problem is not stiff and has many events: of order 5, and of order 8 for tight tolerances. `automatic`
// begins with the first of these, takes the second where rtol is at most 1e-7 and events leave room for many steps, and goes over to
// BDF where the problem turns out to be stiff. RODAS is a one-step method for problems that are stiff and have many events.
enum class Method { automatic, bdf, adams, dopri5, dop853, rodas };

// The policy where the continuation is not unique: stop and report (default), or follow one of them. `branches` stops too;
// follow_branches (simulate/branches.hpp) goes on from there.
enum class Ambiguity { stop, minus, plus, slide, branches };

// The mode where exactly two surfaces are met: a consistent one, or that of Korobitsyn & Frolova's table
// (filippov/korobitsyn_frolova.hpp). Everywhere else the mode is a consistent one.
enum class Selection { consistent, korobitsyn_frolova };

// The part of the continuous solution that is kept.
enum class Recording {
  dense,    // every step, evaluable at any time
  nothing,  // only the final state; stream with an observer
};

// A large system can follow an event with the states around it alone, while the other states do not stop. The cost
// of an event then depends on its surroundings, not on the size of the system. `automatic` means `off`: local runs
// are known to miss resets, in avalanches of more than 48 and where many places set one state. A run that cannot
// be local is followed as a whole, and `on` says why in its warnings. Such a problem needs
//     contacts without friction, delays that tell what they set, patterns of all derivatives, rows of the field short; a field that
//     is affine, or SystemDefinition::rows; no sensitivities; the usual rules where continuations are not unique; a method
//     other than bdf and adams.
// Surfaces and events that read or touch many states, or do not tell which (Event::touches), are events of all
// states, up to 16 of them. Events of different places are records of their own. A recorded trajectory has the
// polynomials of all states once a step, not an event.
enum class LocalEvents { automatic, on, off };

// "auto", "bdf", "adams", "dopri5", "dop853", "rodas"; and back, throwing std::invalid_argument for any other word; and all of them.
const char* to_string(Method method);
Method method_from(const std::string& word);
std::vector<std::string> method_words();
// "stop", "minus", "plus", "slide", "branches".
const char* to_string(Ambiguity policy);
Ambiguity ambiguity_from(const std::string& word);
std::vector<std::string> ambiguity_words();
// "filippov", "moments", "equivalent-control".
const char* to_string(SlidingRule rule);
SlidingRule sliding_rule_from(const std::string& word);
std::vector<std::string> sliding_rule_words();
// "auto", "on", "off".
const char* to_string(LocalEvents local);
LocalEvents local_events_from(const std::string& word);
std::vector<std::string> local_events_words();
// "consistent", "korobitsyn-frolova".
const char* to_string(Selection selection);
Selection selection_from(const std::string& word);
std::vector<std::string> selection_words();

// One absolute tolerance for all states, or one per state.
class Tolerance {
 public:
  Tolerance() = default;                                            // "rtol/100"
  Tolerance(double value) : values_(Vector::Constant(1, value)) {}  // NOLINT: converts on purpose
  Tolerance(Vector values) : values_(std::move(values)) {}          // NOLINT: converts on purpose

  bool is_default() const { return values_.size() == 0; }
  const Vector& values() const { return values_; }
  // The tolerance of every state, n entries.
  Vector expand(Index states, double rtol) const;

 private:
  Vector values_ = {};
};

// An accepted step, as an observer sees it. The references die with the call.
struct StepView {
  double start;
  double end;
  const Mode& mode;             // the surfaces, then the contacts
  const std::string& location;  // "" where the problem has no locations
  // The state at t in [start, end], projected while sliding.
  std::function<void(double t, VectorRef x)> evaluate;
};

struct Options {
  double rtol = 1e-6;   // relative tolerance, in [1e-14, 1); below 1e-13 rounding rules
  Tolerance atol = {};  // absolute tolerance per state, in the state's unit; default rtol/100
  Method method = Method::automatic;
  LinearSolver linear_solver = LinearSolver::automatic;  // of BDF and RODAS; the others solve no equations
  MakePreconditioner preconditioner = {};                // of gmres; without it blocks of the diagonal
  double max_step = std::numeric_limits<double>::infinity();  // > 0, in units of t
  Index max_events = 1'000'000;                               // stops with step_limit beyond
  Index max_steps = 100'000'000;                              // stops with step_limit beyond
  Ambiguity on_ambiguity = Ambiguity::stop;
  SlidingRule sliding_rule = SlidingRule::filippov;
  Selection selection = Selection::consistent;
  Recording recording = Recording::dense;
  LocalEvents local_events = LocalEvents::automatic;
  bool full_events =
      false;  // keep states and mode words in the event log, however large the system (see shorten)
  Observer<StepView> on_step = {};      // called for every accepted step; may return Answer::stop
  Observer<EventRecord> on_event = {};  // called for every event; may return Answer::stop
  std::vector<double> output_times =
      {};  // increasing; the states there are in Solution::outputs, NaN for times that the run does not come to
  SensitivityRequest sensitivities = {};  // the derivatives of the solution that are wanted, none by default

  // Throws std::invalid_argument: what, expected, got.
  void validate(Index states) const;
};

}  // namespace slideway
