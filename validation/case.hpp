// A validation case: a problem whose solution is known exactly, and what a run of it has to give.
//
// It must not know how a run is judged or printed (validation/verdict.hpp, validation/suite.hpp).
#pragma once

#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/model/system.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/outcome.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::validation {

inline constexpr double pi = std::numbers::pi;

// The state at a time inside the run.
struct Checkpoint {
  double t = 0;
  std::vector<double> state = {};  // n entries
};

// A function of the solution that is constant in time.
struct Invariant {
  std::string name = {};
  std::function<double(double t, ConstVectorRef x)> value = {};
  double expected = 0;
};

// Something that happens at a time.
struct Landmark {
  EventKind kind = EventKind::zeno;
  double t = 0;
};

// The known values at the first event at which exactly two surfaces are met.
struct CornerClaims {
  std::string code_word = {};                   // Korobitsyn & Frolova's w4w3w2w1
  std::vector<std::string> continuations = {};  // all consistent modes, in any order; empty: not claimed
  std::vector<std::string> beyond = {};  // modes that only the convex hull of the fields admits, in any order
};

// The exact solution. Whatever is left empty is not claimed.
struct Reference {
  // Mode words in order: `modes[k]` becomes `modes[k + 1]` at `times[k]`. The first word is empty when the first
  // event is at the start (a non-unique start), the last one when the run stops because nothing unique follows.
  // Touches (`grazing`) are not counted.
  std::vector<std::string> modes = {};
  std::vector<double> times = {};                      // one fewer than modes
  std::vector<EventKind> kinds = {};                   // as many as times; empty: what the words say
  std::vector<std::vector<double>> event_states = {};  // states after the first events
  // Where the number of events depends on the tolerances, as of bounces before a Zeno point: the times of the first
  // of them, all those of the kinds that are listed, in order, and the most there may be.
  std::vector<double> first_times = {};
  std::vector<Landmark> landmarks = {};
  std::size_t most_events = std::numeric_limits<std::size_t>::max();
  Status status = Status::reached_end;  // otherwise the run stops at the last of `times`, or of the landmarks
  std::vector<double> final = {};       // the state at the end
  std::vector<Checkpoint> checkpoints = {};
  std::vector<Invariant> invariants = {};
  std::optional<CornerClaims> corner = {};
};

struct Case {
  std::string id;
  std::string title;
  std::string source;
  System system;
  Run run;
  Reference reference;
  Ambiguity on_ambiguity = Ambiguity::stop;
  double rtol_from = 1e-4;  // the loosest rtol at which the claims mean anything
  double scale = 1;         // the natural size of the states: atol is scale·rtol/100
  // How much the problem itself magnifies an error of the state in its event times or final state, where
  // that is a lot: 1/|w| at a slow crossing, for example.
  double condition = 1;
  double max_step = std::numeric_limits<double>::infinity();  // given to the run
  SlidingRule sliding_rule = SlidingRule::filippov;
  Selection selection = Selection::consistent;
  std::optional<Automaton> automaton = {};  // where there are locations; `system` is then that of the first
  bool stiff = false;                       // for implicit methods only
};

// The problem that is run: the automaton, or the system alone.
Automaton problem_of(const Case& problem);

// Whether states jump, by contacts, events or edges.
bool has_jumps(const Case& problem);

// Whether the case is meant for this method.
bool suits(const Case& problem, Method method);

// The kind that a change between two mode words is, when it is unique.
EventKind kind_of_change(const std::string& from, const std::string& to);

// The kinds of the events of a reference: those given, or those the words say.
std::vector<EventKind> event_kinds(const Reference& reference);

// { first, second, first, second, … }, `count` words.
std::vector<std::string> alternating(const std::string& first, const std::string& second, std::size_t count);

// The value at λ = −1 and the value at λ = +1, combined as Filippov does: a field that is given by region,
// `if h > 0 then plus else minus`, as one expression in λ.
template <class Minus, class Plus, class Lambda>
auto by_region(const Minus& minus, const Plus& plus, const Lambda& lambda) {
  return 0.5 * ((1.0 - lambda) * minus + (1.0 + lambda) * plus);
}

// The groups. A new group is a function here, a source file and a line in all_cases().
std::vector<Case> one_surface_cases();
std::vector<Case> evaporator_cases();
std::vector<Case> friction_cases();
std::vector<Case> static_friction_cases();
std::vector<Case> bristle_cases();
std::vector<Case> start_and_end_cases();
std::vector<Case> close_event_cases();
std::vector<Case> special_surface_cases();
std::vector<Case> hybrid_cases();
std::vector<Case> several_surface_cases();
std::vector<Case> code_word_cases();
std::vector<Case> network_cases();
std::vector<Case> pulse_cases();

// Every case of the suite, in order.
std::vector<Case> all_cases();

}  // namespace slideway::validation
