// The contents of a model file before any parameter has a value: every section as written, names resolved, nothing
// expanded. Lengths of vectors, values and surfaces come with the parameters (io/lowering.hpp).
//
// It must not know TOML, graphs or systems.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "expression/expression.hpp"
#include "expression/source_report.hpp"
#include "slideway/model/contact.hpp"
#include "slideway/model/input.hpp"
#include "slideway/model/model.hpp"
#include "slideway/model/table.hpp"

namespace slideway::reader {

// The meaning of x[0] and x[N + 1] for a vector x of N elements.
enum class Ends {
  none,      // a mistake
  zero,      // 0
  periodic,  // x[N] and x[1]
  clamped,   // x[1] and x[N]
};

enum class SymbolKind : std::uint8_t {
  unresolved,
  parameter,
  state,
  definition,
  surface,
  index,    // i, the number of an element, or of a table with a size
  element,  // j, that of an element in a value for every element, where i is that of the table
  time,
  pi,
  impact,  // the approach speed, in a restitution
  function,
  table,     // of [tables], which is called like a function
  contact,   // its force, in what is observed
  friction,  // of a contact: that force, or its first part
  second_friction,
};

// The meaning of a name in an expression.
struct Symbol {
  SymbolKind kind = SymbolKind::unresolved;
  std::uint32_t index = 0;    // into the list of its kind
  std::uint32_t element = 0;  // from 1, of a vector that is written x3; 0: a scalar, or x[…]
};

// An expression at its place in the file.
struct Formula {
  Expression expression = {};
  std::vector<Symbol> symbols = {};  // one per token; meaningful for names, elements and calls
  Position position = {};            // of the value in the file
  bool is_string = false;            // written in quotes, so that a token has a place of its own
  Ends ends = Ends::none;  // for indices out of range, before the ends of the vector that is indexed
  std::string owner = {};  // for messages: "the derivative of 'v'"
  // A name n in the formulas of friction laws means the quantity prefix + n, if there is one.
  std::string prefix = {};

  // empty() tells whether nothing was given, or no expression.
  bool empty() const { return expression.tokens.empty(); }
};

// A named value: a parameter, a state with its initial value, a definition or a surface with its guard.
struct Quantity {
  std::string name = {};
  Position position = {};
  std::optional<Formula> size = {};  // of a vector
  Ends ends = Ends::none;
  Formula value = {};
  std::optional<Formula> break_away = {};        // of a surface: its break-away ratio
  std::optional<Formula> break_away_below = {};  // where another one holds towards minus
  bool discrete = false;                         // a state of [discrete], which has no derivative
  bool algebraic = false;                        // a definition of [algebraic], which may be made of itself
  bool follows = false;                     // a state that follows an algebraic variable, from its guess on
  std::optional<std::uint32_t> start = {};  // of an algebraic variable: its state that follows it
  bool hidden = false;                      // a part of a friction law, whose name no expression can write

  // unknown_shape is true after a mistake in it: it may be a scalar or a vector, and neither is another mistake.
  bool unknown_shape = false;

  bool is_vector() const { return size.has_value(); }
  bool may_be_vector() const { return is_vector() || unknown_shape; }
};

// A value for a state: its derivative, its new value in a reset, what a contact force adds to its derivative.
struct Assignment {
  std::uint32_t state = 0;    // into ModelDescription::states
  std::uint32_t element = 0;  // from 1; 0: a scalar, an element with an index, or every element of a vector
  // x[i + 1] where it is written so; what is assigned to every element gives way to it.
  std::optional<Formula> indexed = {};
  Position position = {};  // of the state's name
  Formula value = {};
};

// A reset, stop, record or edge: what happens where a guard crosses zero in a direction.
struct EventDescription {
  std::string name = {};  // "" when not given
  Position position = {};
  std::optional<Formula> size = {};  // of a table that stands for one for every i from 1
  Formula when = {};
  Direction direction = Direction::any;
  bool across_jumps = true;          // jumps past zero are crossings
  std::vector<Assignment> set = {};  // resets and edges; states that are not set keep their value
  // Resets and edges.
  std::optional<Formula> delay = {};
  std::optional<DelayedValues> values = {};
  int priority = 0;
  Initially initially = Initially::by_rule;

  // Edges only, into ModelDescription::locations.
  std::size_t from = 0;
  std::size_t to = 0;
  std::optional<std::size_t> zeno = {};
};

// A signal of [inputs]. Its states stand among those of the model, and its value among the definitions.
struct InputDescription {
  std::string name = {};
  Position position = {};
  std::shared_ptr<const Input> signal = {};
  std::uint32_t first_state = 0;  // into states
};

// A line of [tables]; without a table after a mistake, which has been told.
struct TableDescription {
  std::string name = {};
  Position position = {};
  std::shared_ptr<const Table> table = {};
};

// A table [[every]]: what is set at known times.
struct EveryDescription {
  std::string name = {};
  Position position = {};
  std::optional<Formula> size = {};    // as of an event
  std::optional<Formula> period = {};  // or `at`
  std::optional<Formula> offset = {};
  std::optional<Formula> count = {};
  std::vector<Formula> at = {};
  Position at_position = {};
  std::vector<Assignment> set = {};
  int priority = 0;
};

// The key `friction` of a contact: a force along c, bounded by mu times that of the contact.
struct ContactFrictionDescription {
  std::vector<std::string> names = {};  // of its force, or of its two parts, for observables
  Position position = {};
  Formula coefficient = {};
  std::optional<Formula> at_rest = {};  // mu_s
  // One of each along a line, two in a plane.
  std::vector<Formula> velocities = {};
  std::vector<std::vector<Assignment>> acts_on = {};
  ImpactFriction in_impact = ImpactFriction::followed;  // along a line
  bool is_in_plane() const { return velocities.size() == 2; }
};

// gap ≥ 0, with a force Λ ≥ 0 that adds acts_on·Λ to the derivatives.
struct ContactDescription {
  std::string name = {};
  Position position = {};
  std::optional<Formula> size = {};  // as of an event
  Formula gap = {};
  std::vector<Assignment> acts_on = {};
  Formula restitution = {};  // of parameters and `impact`
  std::optional<ContactFrictionDescription> friction = {};
  ImpactLaw impact_law = ImpactLaw::newton;
};

// A force of [friction]: what its law is made of stands among the definitions and states.
struct FrictionDescription {
  std::string name = {};
  Position position = {};
  std::size_t law = 0;  // into friction_laws()
  bool force_is_state = false;
  std::uint32_t force = 0;     // into states or definitions
  std::uint32_t velocity = 0;  // into definitions, as are the following
  std::optional<std::uint32_t> stored = {};
  std::optional<std::uint32_t> break_away = {};
  std::optional<std::uint32_t> break_away_below = {};
  std::vector<std::uint32_t> parameters = {};  // those of the law, in its order
  std::optional<std::uint32_t> state = {};     // into states
};

// A quantity beside the states: the name of a definition, of a surface (its guard) or of a contact (its force), or a name and an
// expression, "E = 0.5*v^2".
struct ObservableDescription {
  std::string name = {};
  Formula value = {};
  bool whole_vector = false;                // every element of the vector that the formula names
  std::optional<std::size_t> contact = {};  // into contacts; there is no formula then
  int friction = 0;                   // 1 or 2, its friction or the second part, in place of its own force
  std::uint32_t contact_element = 0;  // from 1, of contacts with a size; 0: all of them
};

// A row of [mass]: the sum of the values times the derivatives of their states is the right side of `state`.
struct MassRow {
  std::uint32_t state = 0;  // into states; of a vector a row for every i
  Position position = {};
  std::vector<Assignment> entries = {};
};

struct LocationDescription {
  std::string name = {};
  Position position = {};
  std::vector<Assignment> derivatives = {};  // those that differ from the top-level ones
};

// One of several automata beside each other, or one for every i. Its location is a discrete state: the number of the location, from 1.
struct AutomatonDescription {
  std::string name = {};
  Position position = {};
  std::uint32_t state = 0;  // into states; its size is that of the table
  std::vector<LocationDescription> locations = {};
  std::vector<EventDescription> edges = {};  // from and to are into these locations
};

struct ModelDescription {
  SourceText source = {};
  std::string name = {};
  std::string summary = {};
  std::string reference = {};  // where the model comes from: the key `source`

  std::vector<Quantity> parameters = {};  // scalars
  std::vector<Quantity> states = {};
  std::vector<Quantity> definitions = {};
  std::vector<Quantity> surfaces = {};
  Formula start = {};
  Formula end = {};
  std::vector<Assignment> derivatives = {};
  std::vector<MassRow> mass = {};
  std::vector<FrictionDescription> friction = {};
  std::vector<std::string> hysteresis = {};  // names of elements

  std::vector<InputDescription> inputs = {};
  std::vector<TableDescription> tables = {};
  std::vector<EveryDescription> every = {};
  std::vector<EventDescription> resets = {};
  std::vector<EventDescription> stops = {};
  std::vector<EventDescription> records = {};
  std::vector<ContactDescription> contacts = {};
  std::vector<LocationDescription> locations = {};
  std::vector<EventDescription> edges = {};
  std::vector<AutomatonDescription> automata = {};
  std::size_t initial_location = 0;                     // into locations
  std::vector<ObservableDescription> observables = {};  // of the settings at hand (add_observables)

  // The names that mistakes were reported for: using such a name is no further mistake.
  std::set<std::string> told_names = {};

  // Labels and units stand at pictures and in tables, by the names of quantities.
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> units = {};

  ModelDefaults defaults = {};  // but for atol per state, which needs the lengths of vectors
  // The absolute tolerance of each entry of `states`; empty when it is one number or not given.
  std::vector<double> atol_by_state = {};
  // atol as an array, one number per expanded state, and its place.
  std::vector<double> atol_list = {};
  Position atol_position = {};
  Position observe_position = {};  // of the option `observe`

  bool has_vectors() const;
};

// The place of a byte of a formula's text in the file.
Position place_of(const SourceText& source, const Formula& formula, std::size_t offset);

// is_identifier() tells whether a name can stand in an expression.
bool is_identifier(const std::string& name);

// is_column_of_tables() tells whether tables of a run have a column of this name beside the states.
bool is_column_of_tables(const std::string& name);

// uses_element() tells whether the value of a vector's every element in a table with a size tells the two apart: j
// is the element, i the table.
bool uses_element(const Formula& formula);
bool uses_index(const Formula& formula);

// 3 for the name "x3" and the vector "x"; 0 when the name is none of the vector's elements.
std::uint32_t element_number(const std::string& name, const std::string& vector);

// Reads the TOML of a whole file. Mistakes are added to `mistakes`; the description is complete if there are none.
ModelDescription describe_model(SourceText source, Mistakes& mistakes);

// Finds out what every name stands for, and reports names that are unknown, used twice or in a circle.
void resolve_names(ModelDescription& model, Mistakes& mistakes);

// Adds what a user wants to see beside the states, as it is written, to a model whose names have been resolved.
void add_observables(ModelDescription& model, const std::vector<std::string>& wanted, Mistakes& mistakes);

// delayed_values() are those of the trigger where the file does not tell. Only where an event sets a state from that state's own value,
// x = "x + 1", they are those when it acts: changes of x in the meantime would be lost.
DelayedValues delayed_values(const ModelDescription& model, const EventDescription& event);

// UsedNames tells which names of each section some expression refers to.
struct UsedNames {
  std::vector<bool> tables = {};
  std::vector<bool> parameters = {}, definitions = {}, surfaces = {};
};
UsedNames used_names(const ModelDescription& model);

}  // namespace slideway::reader
