// Expander makes nodes of the graph of what the sections of a model file say: parameters get their values, vectors their lengths.
//
// It must not know TOML, nor systems.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/number_text.hpp"
#include "model_file/lowering.hpp"
#include "model_file/lowering_algebraic.hpp"
#include "model_file/lowering_formula.hpp"
#include "model_file/lowering_mass.hpp"
#include "model_file/lowering_memory.hpp"
#include "model_file/lowering_surfaces.hpp"
#include "slideway/model/time_event.hpp"

namespace slideway::reader {

class Expander {
 public:
  Expander(const ModelDescription& model, const Settings& settings, Check check,
           const ExpansionLimits& limits, const std::vector<std::string>& free, const std::string& initial,
           Mistakes& mistakes, ExpandedModel& expanded)
      : model_(model),
        free_(free),
        initial_(initial),
        check_(check),
        limits_(limits),
        mistakes_(mistakes),
        expanded_(expanded),
        surfaces_(expanded.graph),
        memory_(expanded),
        mass_(expanded.graph),
        builder_(model, extents_, expanded.graph, surfaces_, memory_, mistakes) {
    for (const auto& [name, value] : settings) settings_[name] = value;
  }

  // `memories` is how many states the functions that remember have: those that the model is found to need come before free parameters.
  // run() returns how many they are.
  std::size_t run(std::size_t memories = 0);

 private:
  // succeeds() runs `build`, and returns false where it fails; the mistakes have been told then.
  template <class Build>
  static bool succeeds(const Build& build) {
    try {
      build();
      return true;
    } catch (const Unbuildable&) {
      return false;
    }
  }

  void expand_sections(std::size_t memories);

  // ---- parameters (expander.cpp)
  // constant() returns the value of an expression of numbers and parameters.
  double constant(const Formula& formula, std::uint32_t element = 0);
  // set_or_given() returns the value that the settings give a name; else that of its formula, or nothing after a mistake.
  std::optional<double> set_or_given(const std::string& name, const Formula& formula, std::uint32_t element);
  void set_parameters();
  // Parameters with a length or a number keep it; the equations see states.
  void free_parameters();
  void check_size_is_fixed(const std::optional<Formula>& size);
  // Definitions that nothing refers to are built for their mistakes only.
  void build_unused_definitions();

  // ---- lengths and states (expander_states.cpp)
  void build_initial_nodes();
  void set_lengths(const std::vector<Quantity>& quantities, std::vector<std::uint32_t>& lengths);
  std::uint32_t length_of(const Formula& size, int least = 1);
  void set_states();
  // Initial values that are set stand before all that are made of them.
  void take_initial_settings();
  template <class Visit>
  void for_initial_values(const Visit& visit) {
    for (std::uint32_t k = 0; k < model_.states.size(); ++k)
      for (std::uint32_t element = 1; element <= extents_.states[k]; ++element)
        visit(k, element, extents_.first_state[k] + element - 1);
  }
  void set_initial_values(std::size_t k);
  // The constants that initial values are made of may be half of all nodes of a large model.
  void forget_initial_constants(std::size_t before);
  void set_tolerances(std::size_t count);
  // The names x1, x2, … of a vector must not be those of anything else.
  void check_name_clashes();
  void check_name_clash(const Quantity& other, const Quantity& vector, std::uint32_t length);
  void check_settings() const;

  // ---- equations (expander_motion.cpp)
  void build_named_surfaces();
  void add_named_surface(std::uint32_t k, std::uint32_t element);
  // is_never_met() tells a constant, which has no zero to come to, as a mistake.
  bool is_never_met(NodeId function, const Formula& formula, const std::string& who, const std::string& what);
  // check_is_met() does the same for an event or contact as the file has it; a value set for a run may put one out of action.
  void check_is_met(NodeId function, const Formula& formula, const std::string& kind, const std::string& name,
                    const std::string& what);
  // build_assignment() appends the value of an assignment for each state that it means. `table_element` is i of the table in which it
  // stands, and 0 where that has none.
  void build_assignment(const Assignment& assignment, Jumps jumps, std::uint32_t table_element,
                        std::vector<ExpandedAssignment>& result);
  bool means_every_element(const Assignment& assignment) const;
  // An assignment to every element is the same for all tables of a size, unless its value tells i from j and uses both.
  bool is_common(const Assignment& assignment) const;
  // build_assignments() takes all lines of a `set` or an `acts_on`: those for every element first, then those for single ones.
  std::vector<ExpandedAssignment> build_assignments(const std::vector<Assignment>& lines, Jumps jumps,
                                                    std::uint32_t table_element);
  ExpandedMotion motion(const std::string& location, const std::vector<ExpandedAssignment>& derivatives);
  void build_motion();
  // build_mass() turns M·x' = f into x' = M⁻¹·f.
  void build_mass();
  // watch_mass() ends the run at a singular M, beyond which the motion is not determined.
  void watch_mass();
  void tell_singular(std::uint32_t row);
  // divide_by_mass() turns the lines of a force on the right sides into those on the derivatives.
  void divide_by_mass(std::vector<ExpandedAssignment>& lines);
  void build_formula(const Formula& formula, Jumps jumps, std::uint32_t element, NodeId& node);

  // ---- automata beside each other (expander_automata.cpp)
  // location_number() returns the number of the location of automaton i, from 1; i is 0 where there is but one.
  NodeId location_number(const AutomatonDescription& automaton, std::uint32_t i);
  // only_in() returns `here` while the automaton with this number is in a location, else `elsewhere`.
  NodeId only_in(NodeId number, std::size_t location, NodeId here, NodeId elsewhere);
  // Locations give derivatives. No two automata give that of the same state.
  void build_locations_of_automata();
  void build_in_location(const AutomatonDescription& automaton, std::size_t location, const Assignment& line);
  void check_initial_location(const AutomatonDescription& automaton);
  // An edge is a reset that is ready while its automaton is where it begins.
  void build_edges_of_automata();
  void finish_edge(const AutomatonDescription& automaton, const EventDescription& edge, std::uint32_t i,
                   ExpandedEvent& made);
  NodeId rising_guard(const ExpandedEvent& edge);
  // Between two edges that lead back and forth across one guard nothing but sliding is possible.
  void refuse_edges_that_undo(const AutomatonDescription& automaton, const std::vector<ExpandedEvent>& made,
                              std::size_t count);

  // ---- algebraic variables (expander_algebraic.cpp)
  // for_algebraic() calls visit(definition, element, number) for every algebraic variable.
  template <class Visit>
  void for_algebraic(const Visit& visit) const {
    for (std::uint32_t k = 0; k < model_.definitions.size(); ++k) {
      if (!model_.definitions[k].algebraic) continue;
      for (std::uint32_t element = 1; element <= extents_.definitions[k]; ++element)
        visit(k, element, extents_.first_unknown[k] + element - 1);
    }
  }
  std::optional<std::uint32_t> follower_of(std::uint32_t definition, std::uint32_t element) const;
  void solve_algebraic();
  std::vector<NodeId> solved_algebraic(Jumps jumps);
  // known_states() returns the parameters that are states behind the others.
  KnownStates known_states() const;
  void tell_unsolved(const AlgebraicSystem& system, const Quantity& variable);
  // A root is searched for from where it was: x' = f moves the followers by the derivatives of the roots.
  void follow_algebraic();
  // set_followers() makes what sets the followers of roots after jumps: a root may jump where a state does.
  void set_followers();
  // begin_followers() finds the roots at the start, with relays as the guards there have them.
  void begin_followers();

  // ---- events (expander_events.cpp)
  // for_every() calls build(i, name) for every i of a table, or once with 0, until there is a mistake.
  template <class Table, class Build>
  void for_every(const Table& table, const Build& build) {
    if (!table.size) {
      declare(table.name, table);
      return build(0, table.name);
    }
    std::uint32_t count = 0;
    succeeds([&] { count = length_of(*table.size, 0); });
    for (std::uint32_t i = 1; i <= count && mistakes_.empty(); ++i) {
      const std::string name = table.name.empty() ? "" : table.name + std::to_string(i);
      declare(name, table);
      build(i, name);
    }
  }
  // The names of a table without a size are known to differ from each other, but not from those of a table with
  // a size.
  template <class Table>
  void declare(const std::string& name, const Table& table) {
    if (name.empty() || table_names_.insert(name).second) return;
    mistakes_.push_back({table.position, 1, "a clash of names", "a name that nothing else has",
                         in_quotes(name) + ", which another event or contact has, too", ""});
  }
  // time_number() returns a number of a time event, and tells one that is out of range as a mistake. `by` is given its derivatives by
  // the free parameters, if it is not null.
  template <class Accepts>
  double time_number(const Formula& formula, std::uint32_t i, const std::string& expected,
                     const Accepts& accepts, Vector* by = nullptr) {
    const double value = value_of_parameters(formula, i, by);
    if (std::isfinite(value) && accepts(value)) return value;
    mistakes_.push_back(
        {formula.position, 1, formula.owner + " is out of range", expected, exact_text(value), ""});
    throw Unbuildable{};
  }
  // The value of an expression of numbers and parameters, some of which may be states.
  double value_of_parameters(const Formula& formula, std::uint32_t i, Vector* by);
  void set_times(const EveryDescription& every, std::uint32_t i, ExpandedEvery& made);
  void build_inputs();
  void build_every();
  void build_events(const std::string& kind, const std::vector<EventDescription>& events,
                    std::vector<ExpandedEvent>& result);

  // ---- contacts and observables (expander_contacts.cpp)
  void build_observables();
  // observed_force() returns the name of the force of contact k, of `count` that the table has.
  std::string observed_force(const ObservableDescription& wanted, std::size_t k, std::size_t count) const;
  void build_contacts();
  ExpandedContactFriction contact_friction(const ContactFrictionDescription& friction, std::uint32_t i,
                                           const std::string& name);
  ExpandedCone contact_cone(const ContactFrictionDescription& friction, std::uint32_t i);
  void check_coefficient(const Formula& formula, NodeId node, double least);
  // A restitution that depends on the approach speed is known at the impacts only.
  void check_restitution(const ContactDescription& contact, NodeId restitution);

  // The derivative of a state while the automaton with this number is in a location.
  struct InLocation {
    NodeId automaton = 0;
    std::size_t location = 0;
    ExpandedAssignment line = {};
  };

  const ModelDescription& model_;
  const std::vector<std::string>& free_;
  const std::string& initial_;
  Check check_;
  const ExpansionLimits& limits_;
  Mistakes& mistakes_;
  ExpandedModel& expanded_;
  std::unordered_map<std::string, double> settings_;
  Extents extents_;
  double elements_ = 0;  // of all vectors and tables
  std::set<std::string> table_names_;
  std::vector<InLocation> in_locations_;
  std::vector<std::size_t>
      first_contact_;  // of each entry of model_.contacts, into expanded_.contacts, and their number
  SurfaceTable surfaces_;
  MemoryTable memory_;
  MassMatrix mass_;
  std::unordered_map<std::uint32_t, const MassRow*> mass_rows_;  // by state
  FormulaBuilder builder_;
};

}  // namespace slideway::reader
