// From what a model file says and the values of its parameters to the graph of its equations, and from there to a
// System.
//
// Discontinuities become surfaces: with λ of the surface e, or a − b,
//     sgn(e) = λ,  step(e) = (1 + λ)/2,  abs(e) = λ·e,  if(a > b, p, q) = q + (1 + λ)/2·(p − q),
// and min and max likewise. In a reset, sgn(0) = step(0) = 0 and no surface arises.
//
// The way of a model file: model_file_*.cpp read it into a ModelDescription; expander.hpp makes nodes of that, with lowering_formula,
// _signs, _surfaces and _friction; _corners, _system, _events, _observables and _second_order make of the nodes what the library takes.
// It must not know TOML.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "expression/expression_graph.hpp"
#include "model/times_by_parameters.hpp"
#include "model_file/model_file_description.hpp"
#include "slideway/model/contact.hpp"
#include "slideway/model/model.hpp"
#include "slideway/model/system.hpp"
#include "slideway/model/time_event.hpp"

namespace slideway::reader {

// ExpansionLimits says how large a model may become.
struct ExpansionLimits {
  std::size_t states = 10'000'000;
  std::size_t operations = 100'000'000;  // nodes of the graph
};

// Check says whether definitions that nothing uses are looked at too.
enum class Check { used, everything };

struct ExpandedSurface {
  std::string name = {};
  bool named = false;  // in [surfaces]
  NodeId guard = 0;
  std::optional<NodeId> break_away = {};
  std::optional<NodeId> break_away_below = {};  // where it is another one
  bool watched = false;                         // at a kink of the guard of an event
  int side_at_zero = 0;                         // SystemDefinition::sides_at_zero
};

// A force of [friction], or one element of it.
struct ExpandedFriction {
  std::string name = {};
  NodeId force = 0;
  NodeId velocity = 0;
  std::optional<NodeId> stored = {};
};

// A variable of [algebraic], or one element of it.
struct ExpandedAlgebraic {
  std::string name = {};
  NodeId value = 0;
  std::optional<std::uint32_t> follower = {};  // the state that follows it
};

// A quantity beside the states: a value, or the force of a contact.
struct ExpandedObservable {
  std::string name = {};
  NodeId value = 0;
  std::optional<std::size_t> contact = {};
  int friction = 0;  // 1 for that of the contact, or its first part, 2 for its second part
};

struct ExpandedAssignment {
  std::uint32_t state = 0;
  NodeId value = 0;
  Position place = {};
};

// A reset, stop, record or edge with everything in place.
struct ExpandedEvent {
  std::string name = {};
  NodeId guard = 0;
  Direction direction = Direction::any;
  bool across_jumps = true;
  // The assignments to every element of vectors, the same whichever of the tables with a size fires, and so kept once for all of
  // them; then the assignments of this table.
  std::shared_ptr<const std::vector<ExpandedAssignment>> common = {};
  std::vector<ExpandedAssignment> set = {};
  std::size_t from = 0;  // edges: locations
  std::size_t to = 0;
  std::optional<std::size_t> zeno = {};
  double delay = 0;
  DelayedValues values = DelayedValues::trigger;
  int priority = 0;
  Initially initially = Initially::by_rule;
  AtZero at_zero = AtZero::unknown;
  std::optional<NodeId> holds_at_zero = {};  // above zero where it holds at zero, in place of `at_zero`
};

// The priority of time events that functions and inputs make, so that all else at the instant sees their value after it.
inline constexpr int kBeforeAll = std::numeric_limits<int>::max();

// A table [[every]], or one of those that one with a size stands for.
struct ExpandedEvery {
  TimeEvent times = {};                                         // without its reset
  std::shared_ptr<const TimesByParameters> by_parameters = {};  // where times move with free parameters
  std::vector<ExpandedAssignment> set = {};
  ResetFunction reset = {};  // in place of `set`, of an input
};

// Its relay is that of a surface of the graph, λ or −λ the sign of the velocity.
struct ExpandedContactFriction {
  std::uint32_t surface = 0;
  int sign = 1;
  NodeId coefficient = 0;
  std::vector<ExpandedAssignment> acts_on = {};
};

// Friction in a plane has no surface.
struct ExpandedCone {
  std::array<NodeId, 2> velocities = {};
  NodeId coefficient = 0;
  std::optional<NodeId> ratio = {};  // at rest
  std::array<std::vector<ExpandedAssignment>, 2> acts_on = {};
};

struct ExpandedContact {
  std::string name = {};
  NodeId gap = 0;
  std::vector<ExpandedAssignment> acts_on = {};
  NodeId restitution = 0;  // may depend on ExpressionGraph::impact
  std::optional<ExpandedContactFriction> friction = {};
  std::optional<ExpandedCone> cone = {};
  ImpactLaw impact_law = ImpactLaw::newton;
  ImpactFriction impact_friction = ImpactFriction::followed;
};

// The equations in force, of the whole model or of one location.
struct ExpandedMotion {
  std::string location = {};             // "" where there are none
  std::vector<NodeId> derivatives = {};  // one per state
  std::vector<Position> places = {};     // of each in the file
};

// A model with the values of its parameters, as nodes of one graph. `surfaces` is in the order of mode words; the
// graph numbers them as they came up, and its surface k is surfaces[lambda_index[k]].
struct ExpandedModel {
  ExpressionGraph graph = ExpressionGraph();
  std::shared_ptr<const SourceText> source = {};  // for messages of a run
  Settings parameters = {};
  std::vector<std::string> state_names = {};
  Vector initial = {};
  double start = 0;
  double end = 0;
  std::vector<double> atol = {};
  // free_parameters counts the parameters that are states behind the others; the nodes are their initial values
  // from formulas.
  std::size_t free_parameters = 0;
  std::vector<std::pair<std::uint32_t, NodeId>> initial_nodes = {};
  // parameter_nodes holds the formulas of those free parameters that no setting gives, in the order of the file.
  std::vector<std::pair<std::uint32_t, NodeId>> parameter_nodes = {};
  std::vector<ExpandedSurface> surfaces = {};
  std::vector<std::uint32_t> lambda_index = {};
  std::vector<ExpandedMotion> motions = {};  // one, or one per location
  std::size_t initial_location = 0;
  Index discrete = 0;  // of the states, the last so many that have no derivative
  std::vector<ExpandedEvery> every = {};
  std::vector<ExpandedEvent> resets = {};
  std::vector<ExpandedEvent> stops = {};
  std::vector<ExpandedEvent> records = {};
  std::vector<ExpandedEvent> edges = {};
  std::vector<ExpandedContact> contacts = {};
  std::vector<ExpandedFriction> friction = {};
  std::vector<ExpandedObservable> observables = {};
  std::vector<ExpandedAlgebraic> algebraic = {};
  std::vector<ExpandedAssignment> followers = {};  // set after every jump, by what the states are then
  std::unordered_map<NodeId, std::string> ends_of_tables = {};  // FormulaBuilder::ends_of_tables()
  // SystemDefinition::second_order of a motion; needs the equations once more.
  std::function<std::shared_ptr<const System>(std::size_t motion, const std::vector<Index>& surfaces)>
      second_order = {};
};

// Gives the parameters their values, the vectors their lengths, the initial state its numbers, and builds every
// expression. Throws std::invalid_argument for a setting that does not exist; what the values make of the file (a
// division by zero, say) is added to `mistakes`, and the model is then not complete.
// Parameters whose names are in `free` become states behind the others, with derivative 0. The initial values that are made of that of
// the state `initial` are then in `initial_nodes`, too, as functions of that state.
ExpandedModel expand(const ModelDescription& model, const Settings& settings, Check check,
                     const ExpansionLimits& limits, Mistakes& mistakes,
                     const std::vector<std::string>& free = {}, const std::string& initial = "");

// The derivatives as a system's: multi-affine. A mistake is added where that takes too many corners.
std::vector<NodeId> multi_affine_derivatives(ExpandedModel& model, const ExpandedMotion& motion,
                                             Mistakes& mistakes);

// make_multi_affine() replaces every product, quotient and function of λ that is not affine in each λ separately
// by the blend of its corners, select(k; e at λₖ = 1, e at λₖ = −1) over the surfaces k concerned. The results are
// multi-affine and have the same values at every vertex. For more than TooManyCorners::most surfaces, corners are
// left out that no state reaches, as far as `guards` tell, by the numbers of λ.
std::vector<NodeId> make_multi_affine(ExpressionGraph& graph, const std::vector<NodeId>& roots,
                                      const std::vector<NodeId>& guards = {});
std::vector<NodeId> guards_by_relay(const ExpandedModel& model);

// More surfaces in one expression that is not multi-affine than corners can be blended for.
class TooManyCorners : public std::length_error {
 public:
  TooManyCorners(std::size_t root, std::size_t surfaces);
  std::size_t root;  // number of the root it came up in
  // mistake() is for the author of the file, who calls the root `name`.
  Mistake mistake(Position where, const std::string& name) const;

  static constexpr std::size_t most = 12;
};

// The definition of a system with exact derivatives and their sparsity. `derivatives` must be multi-affine; `places` are theirs in the file.
SystemDefinition define_system(const std::string& name, ExpandedModel& model,
                               const std::vector<NodeId>& derivatives, const std::vector<Position>& places);

// SystemDefinition::second_order of surfaces in one motion; `model` is used up.
std::shared_ptr<const System> make_second_order_system(const std::string& name, ExpandedModel& model,
                                                       const ExpandedMotion& motion,
                                                       const std::vector<NodeId>& derivatives,
                                                       const std::vector<Index>& surfaces);

std::vector<FrictionElement> make_friction(const ExpandedModel& model);

// The observables of `model`, with expressions that are not multi-affine in λ lowered as in derivatives.
Observables make_observables(ExpandedModel& model, Mistakes& mistakes);

// The model with its events, contacts and locations; `derivatives` has one list per motion.
Automaton make_automaton(const std::string& name, ExpandedModel& model,
                         const std::vector<std::vector<NodeId>>& derivatives);

}  // namespace slideway::reader
