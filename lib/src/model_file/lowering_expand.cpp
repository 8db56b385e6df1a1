// expand: parameters get their values, vectors their lengths, and what all sections say becomes nodes of the graph.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>

#include "core/number_text.hpp"
#include "expression/expression_derivatives.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/lowering.hpp"
#include "model_file/lowering_algebraic.hpp"
#include "model_file/lowering_formula.hpp"
#include "model_file/lowering_friction.hpp"
#include "model_file/lowering_mass.hpp"
#include "model_file/lowering_memory.hpp"
#include "model_file/lowering_surfaces.hpp"
#include "model_file/open_sign.hpp"
#include "slideway/model/settings.hpp"

namespace slideway::reader {
namespace {

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

  void run() {
    set_parameters();
    if (!mistakes_.empty()) return;
    set_lengths(model_.states, extents_.states);
    set_lengths(model_.definitions, extents_.definitions);
    set_lengths(model_.surfaces, extents_.surfaces);
    if (!mistakes_.empty()) return;
    set_states();
    check_settings();
    if (!mistakes_.empty()) return;
    free_parameters();
    builder_.prepare_definitions();
    solve_algebraic();
    if (!mistakes_.empty()) return;
    build_initial_nodes();
    build_named_surfaces();
    FrictionExpander friction(model_, extents_, builder_, surfaces_, expanded_, mistakes_);
    friction.build_surfaces();
    if (!mistakes_.empty()) return;
    build_motion();
    build_mass();
    follow_algebraic();
    build_inputs();
    build_every();
    build_events("reset", model_.resets, expanded_.resets);
    build_edges_of_automata();
    build_events("stop", model_.stops, expanded_.stops);
    watch_mass();
    build_events("record", model_.records, expanded_.records);
    build_events("edge", model_.edges, expanded_.edges);
    build_contacts();
    friction.build_forces();
    if (mistakes_.empty()) set_followers();
    if (mistakes_.empty()) build_observables();
    surfaces_.put_in_order(expanded_.surfaces, expanded_.lambda_index);
    // Memories may begin by what the followers are, and the other way round.
    begin_followers();
    memory_.finish();
    expanded_.ends_of_tables = builder_.ends_of_tables();
    begin_followers();
    if (check_ == Check::everything) build_unused_definitions();
  }

 private:
  // Runs `build`, whose mistakes have been told when it fails.
  template <class Build>
  static bool succeeds(const Build& build) {
    try {
      build();
      return true;
    } catch (const Unbuildable&) {
      return false;
    }
  }

  // ---- numbers --------------------------------------------------------------------------------------

  // The value of an expression of numbers and parameters.
  double constant(const Formula& formula, std::uint32_t element = 0) {
    return expanded_.graph.value(builder_.build(formula, Jumps::values, element));
  }

  // The value that the settings give a name; else the value of its formula, or nothing after a mistake.
  std::optional<double> set_or_given(const std::string& name, const Formula& formula, std::uint32_t element) {
    const auto setting = settings_.find(name);
    std::optional<double> value;
    if (setting == settings_.end()) {
      succeeds([&] { value = constant(formula, element); });
      return value;
    }
    check_setting(model_.name, name, setting->second, {name});
    return setting->second;
  }

  void set_parameters() {
    for (const Quantity& parameter : model_.parameters) {
      // Any value serves after a mistake, to find other mistakes.
      const double value = set_or_given(parameter.name, parameter.value, 0).value_or(1);
      expanded_.parameters.emplace_back(parameter.name, value);
      extents_.parameters.push_back(expanded_.graph.constant(value));
    }
  }

  // Parameters with a length or a number keep it; the equations see states.
  void free_parameters() {
    for (const std::string& name : free_) {
      std::size_t k = 0;
      while (k < model_.parameters.size() && model_.parameters[k].name != name) ++k;
      const auto index = static_cast<std::uint32_t>(expanded_.state_names.size());
      extents_.parameters[k] = expanded_.graph.state(index);
      expanded_.state_names.push_back(name);
      expanded_.initial.conservativeResize(expanded_.initial.size() + 1);
      expanded_.initial[static_cast<Index>(index)] = expanded_.parameters[k].second;
      ++expanded_.free_parameters;
    }
    if (free_.empty()) return;
    // Other parameters may be made of these.
    for (std::size_t k = 0; k < model_.parameters.size(); ++k) {
      const Quantity& parameter = model_.parameters[k];
      const bool is_free = std::find(free_.begin(), free_.end(), parameter.name) != free_.end();
      if (is_free || settings_.count(parameter.name) > 0) continue;
      succeeds([&] { extents_.parameters[k] = builder_.build(parameter.value, Jumps::values, 0); });
    }
    for (const auto* const quantities : {&model_.states, &model_.definitions, &model_.surfaces})
      for (const Quantity& quantity : *quantities) check_size_is_fixed(quantity.size);
    for (const auto* const events : {&model_.resets, &model_.stops, &model_.records, &model_.edges})
      for (const EventDescription& event : *events) check_size_is_fixed(event.size);
    for (const ContactDescription& contact : model_.contacts) check_size_is_fixed(contact.size);
  }

  void check_size_is_fixed(const std::optional<Formula>& size) {
    if (!size) return;
    succeeds([&] {
      if (expanded_.graph.is_constant(builder_.build(*size, Jumps::values, 0))) return;
      mistakes_.push_back({size->position, 1, "a derivative by what decides " + size->owner,
                           "a parameter that may have any value", "a whole number", ""});
    });
  }

  void build_initial_nodes() {
    if (free_.empty() && initial_.empty()) return;
    // The values so far are those with numbers for parameters.
    builder_.forget_initial_values();
    take_initial_settings();
    for_initial_values([&](std::uint32_t k, std::uint32_t element, std::uint32_t index) {
      if (expanded_.state_names[index] == initial_)
        builder_.set_initial_value(k, element, expanded_.graph.state(index));
    });
    for_initial_values([&](std::uint32_t k, std::uint32_t element, std::uint32_t index) {
      if (settings_.count(expanded_.state_names[index]) > 0) return;
      succeeds([&] { expanded_.initial_nodes.emplace_back(index, builder_.initial_value(k, element)); });
    });
  }

  void set_lengths(const std::vector<Quantity>& quantities, std::vector<std::uint32_t>& lengths) {
    for (const Quantity& quantity : quantities) {
      lengths.push_back(1);
      if (quantity.is_vector()) succeeds([&] { lengths.back() = length_of(*quantity.size); });
    }
  }

  std::uint32_t length_of(const Formula& size, int least = 1) {
    const double length = constant(size);
    if (length == std::floor(length) && length >= least) {
      elements_ += length;
      if (elements_ <= static_cast<double>(limits_.states)) return static_cast<std::uint32_t>(length);
    }
    Mistake mistake;
    mistake.where = size.position;
    mistake.what = size.owner;
    mistake.expected = "an integer from " + std::to_string(least) + ", and at most " +
                       std::to_string(limits_.states) + " elements in all";
    mistake.got = exact_text(length);
    mistakes_.push_back(std::move(mistake));
    throw Unbuildable{};
  }

  // ---- states ---------------------------------------------------------------------------------------

  void set_states() {
    for (std::size_t k = 0; k < model_.states.size(); ++k) {
      extents_.first_state.push_back(static_cast<std::uint32_t>(expanded_.state_names.size()));
      const Quantity& state = model_.states[k];
      for (std::uint32_t element = 1; element <= extents_.states[k]; ++element)
        expanded_.state_names.push_back(state.is_vector() ? state.name + std::to_string(element)
                                                          : state.name);
    }
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      if (model_.states[k].discrete) expanded_.discrete += static_cast<Index>(extents_.states[k]);
    extents_.first_held = static_cast<std::uint32_t>(expanded_.state_names.size() -
                                                     static_cast<std::size_t>(expanded_.discrete));
    check_name_clashes();
    const std::size_t count = expanded_.state_names.size();
    expanded_.initial = Vector::Zero(static_cast<Index>(count));
    const std::size_t before = expanded_.graph.size();
    take_initial_settings();
    for (std::size_t k = 0; k < model_.states.size(); ++k) set_initial_values(k);
    forget_initial_constants(before);
    succeeds([&] { expanded_.start = constant(model_.start); });
    succeeds([&] { expanded_.end = constant(model_.end); });
    if (expanded_.end < expanded_.start)
      mistakes_.push_back({model_.end.position, 1, "the end is before the start",
                           "an end time of at least " + exact_text(expanded_.start),
                           exact_text(expanded_.end), ""});
    set_tolerances(count);
  }

  // Initial values that are set stand before all that are made of them.
  void take_initial_settings() {
    if (settings_.empty()) return;
    for_initial_values([&](std::uint32_t k, std::uint32_t element, std::uint32_t index) {
      const std::string& name = expanded_.state_names[index];
      const auto setting = settings_.find(name);
      if (setting == settings_.end()) return;
      check_setting(model_.name, name, setting->second, {name});
      builder_.set_initial_value(k, element, expanded_.graph.constant(setting->second));
    });
  }

  template <class Visit>
  void for_initial_values(const Visit& visit) {
    for (std::uint32_t k = 0; k < model_.states.size(); ++k)
      for (std::uint32_t element = 1; element <= extents_.states[k]; ++element)
        visit(k, element, extents_.first_state[k] + element - 1);
  }

  void set_initial_values(std::size_t k) {
    for (std::uint32_t element = 1; element <= extents_.states[k]; ++element) {
      const std::uint32_t index = extents_.first_state[k] + element - 1;
      std::optional<NodeId> node;
      succeeds([&] { node = builder_.initial_value(static_cast<std::uint32_t>(k), element); });
      if (!node) return;
      expanded_.initial[static_cast<Index>(index)] = expanded_.graph.value(*node);
    }
  }

  // The constants that initial values are made of may be half of all nodes of a large model.
  void forget_initial_constants(std::size_t before) {
    ExpressionGraph& graph = expanded_.graph;
    for (auto id = static_cast<NodeId>(before); id < graph.size(); ++id)
      if (!graph.is_constant(id)) return;
    if (!builder_.ends_of_tables().empty()) return;
    builder_.forget_initial_values();
    graph.forget_from(before);
  }

  void set_tolerances(std::size_t count) {
    std::size_t with_errors = count - static_cast<std::size_t>(expanded_.discrete);
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      if (model_.states[k].follows) with_errors -= extents_.states[k];
    if (!model_.atol_list.empty() && model_.atol_list.size() != with_errors)
      mistakes_.push_back({model_.atol_position, 1, "'atol' of the wrong length",
                           std::to_string(with_errors) + " numbers, one per state" +
                               (expanded_.discrete > 0 ? " of [states]" : ""),
                           std::to_string(model_.atol_list.size()), ""});
    expanded_.atol = model_.atol_list.empty() ? model_.defaults.atol : model_.atol_list;
    // A follower takes the least of the others.
    if (!model_.atol_list.empty()) {
      const double least = *std::min_element(model_.atol_list.begin(), model_.atol_list.end());
      for (std::size_t k = 0; k < model_.states.size(); ++k)
        if (model_.states[k].follows && extents_.first_state[k] <= expanded_.atol.size())
          expanded_.atol.insert(expanded_.atol.begin() + static_cast<std::ptrdiff_t>(extents_.first_state[k]),
                                extents_.states[k], least);
    }
    // Discrete states have no errors, whatever stands here.
    if (!model_.atol_list.empty()) expanded_.atol.resize(count, 1);
    for (std::size_t k = 0; k < model_.atol_by_state.size(); ++k)
      expanded_.atol.insert(expanded_.atol.end(), extents_.states[k], model_.atol_by_state[k]);
  }

  // The names x1, x2, … of a vector must not be those of anything else.
  void check_name_clashes() {
    std::vector<std::pair<const Quantity*, std::uint32_t>> vectors;
    const auto add = [&](const std::vector<Quantity>& quantities, const std::vector<std::uint32_t>& lengths) {
      for (std::size_t k = 0; k < quantities.size(); ++k)
        if (quantities[k].is_vector()) vectors.emplace_back(&quantities[k], lengths[k]);
    };
    add(model_.states, extents_.states);
    add(model_.definitions, extents_.definitions);
    add(model_.surfaces, extents_.surfaces);
    if (vectors.empty()) return;
    for (const auto* quantities : {&model_.parameters, &model_.states, &model_.definitions, &model_.surfaces})
      for (const Quantity& quantity : *quantities)
        for (const auto& [vector, length] : vectors) check_name_clash(quantity, *vector, length);
  }

  void check_name_clash(const Quantity& other, const Quantity& vector, std::uint32_t length) {
    // An element is printed as the vector's name and its number. The vectors x and x1 clash, since x11 names an
    // element of both.
    const std::string name = other.name + (other.is_vector() ? "1" : "");
    const std::uint32_t element = element_number(name, vector.name);
    if (&other == &vector || element == 0 || element > length) return;
    mistakes_.push_back({other.position, other.name.size(), "a clash of names",
                         "a name that no element of a vector has",
                         in_quotes(name) + ", which element " + std::to_string(element) + " of '" +
                             vector.name + "' (line " + std::to_string(vector.position.line) + ") has, too",
                         ""});
  }

  void check_settings() const {
    if (settings_.empty()) return;
    std::vector<std::string> known;
    for (const Quantity& parameter : model_.parameters) known.push_back(parameter.name);
    known.insert(known.end(), expanded_.state_names.begin(), expanded_.state_names.end());
    for (const auto& [name, value] : settings_) check_setting(model_.name, name, value, known);
  }

  // ---- equations ------------------------------------------------------------------------------------

  void build_named_surfaces() {
    for (std::uint32_t k = 0; k < model_.surfaces.size(); ++k)
      for (std::uint32_t element = 1; element <= extents_.surfaces[k]; ++element)
        if (!succeeds([&] { add_named_surface(k, element); })) break;
  }

  void add_named_surface(std::uint32_t k, std::uint32_t element) {
    const Quantity& surface = model_.surfaces[k];
    const std::string name = surface.is_vector() ? surface.name + std::to_string(element) : surface.name;
    const NodeId guard = builder_.guard(k, element);
    if (!is_never_met(guard, surface.value, "surface " + in_quotes(name), "a guard")) {
      const SurfaceSide side = surfaces_.add_named(name, guard);
      if (surface.break_away) {
        const auto ratio = [&](const Formula& formula) {
          return builder_.build(formula, Jumps::refused_in_ratio, surface.is_vector() ? element : 0);
        };
        BreakAway ratios;
        ratios.above = ratios.below = ratio(*surface.break_away);
        if (surface.break_away_below) ratios.below = ratio(*surface.break_away_below);
        set_break_away(surfaces_, expanded_.graph, side, ratios, *surface.break_away, name, mistakes_);
      }
      return;
    }
    throw Unbuildable{};
  }

  // A constant has no zero to come to; told as a mistake.
  bool is_never_met(NodeId function, const Formula& formula, const std::string& who,
                    const std::string& what) {
    if (!expanded_.graph.is_constant(function)) return false;
    mistakes_.push_back({formula.position, 1, who + " can never be met",
                         what + " that depends on a state or on t",
                         "the constant " + exact_text(expanded_.graph.value(function)), ""});
    return true;
  }

  // The same of an event or contact as the file has it; a value set for a run may put one out of action.
  void check_is_met(NodeId function, const Formula& formula, const std::string& kind, const std::string& name,
                    const std::string& what) {
    if (check_ == Check::everything && !formula.empty())
      is_never_met(function, formula, name.empty() ? "the " + kind : kind + " " + in_quotes(name), what);
  }

  // The value of an assignment for each state it means, after those there are. `table_element` is i of the table it stands in, 0
  // where that has none.
  void build_assignment(const Assignment& assignment, Jumps jumps, std::uint32_t table_element,
                        std::vector<ExpandedAssignment>& result) {
    const std::uint32_t count = extents_.states[assignment.state];
    if (assignment.element > count) {
      mistakes_.push_back({assignment.position, 1, "an element that does not exist",
                           "at most " + std::to_string(count) + " elements",
                           std::to_string(assignment.element), ""});
      return;
    }
    std::optional<std::uint32_t> only = std::max<std::uint32_t>(assignment.element, 1);
    if (assignment.indexed) {
      const auto find = [&] { only = builder_.element_of(*assignment.indexed, table_element); };
      if (!succeeds(find) || !only) return;
    }
    const bool every = means_every_element(assignment);
    for (std::uint32_t element = every ? 1 : *only; element <= (every ? count : *only); ++element) {
      NodeId node = 0;
      const auto build = [&] {
        node = uses_element(assignment.value)
                   ? builder_.build(assignment.value, jumps, table_element, element)
                   : builder_.build(assignment.value, jumps, every ? element : table_element);
      };
      if (!succeeds(build)) return;
      const std::uint32_t state = extents_.first_state[assignment.state] + element - 1;
      result.push_back({state, node, assignment.value.position});
    }
  }

  bool means_every_element(const Assignment& assignment) const {
    return model_.states[assignment.state].is_vector() && assignment.element == 0 && !assignment.indexed;
  }

  // An assignment to every element is the same for all tables of a size, unless its value tells i from j and uses both.
  bool is_common(const Assignment& assignment) const {
    return means_every_element(assignment) &&
           !(uses_element(assignment.value) && uses_index(assignment.value));
  }

  // All lines of a `set` or an `acts_on`: what every element gets first, what single ones get after it, once each.
  std::vector<ExpandedAssignment> build_assignments(const std::vector<Assignment>& lines, Jumps jumps,
                                                    std::uint32_t table_element) {
    std::vector<ExpandedAssignment> result, made;
    std::unordered_map<std::uint32_t, std::size_t> places;
    std::size_t common = 0;
    for (const bool every : {true, false}) {
      for (const Assignment& line : lines) {
        if (means_every_element(line) != every) continue;
        made.clear();
        build_assignment(line, jumps, table_element, made);
        for (const ExpandedAssignment& one : made) {
          const auto [place, is_new] = places.emplace(one.state, result.size());
          if (is_new) {
            result.push_back(one);
          } else if (!every && place->second < common) {
            result[place->second] = one;
            place->second = result.size();  // from now on no common value
          } else {
            mistakes_.push_back({line.position, 1, "the same state twice", "one value for every state",
                                 in_quotes(expanded_.state_names[one.state]), ""});
          }
        }
      }
      if (every) common = result.size();
    }
    return result;
  }

  ExpandedMotion motion(const std::string& location, const std::vector<ExpandedAssignment>& derivatives) {
    const std::size_t count = expanded_.state_names.size();
    const NodeId zero = expanded_.graph.constant(0);
    ExpandedMotion result{location, std::vector<NodeId>(count, zero), std::vector<Position>(count)};
    for (const ExpandedAssignment& derivative : derivatives) {
      result.derivatives[derivative.state] = derivative.value;
      result.places[derivative.state] = derivative.place;
    }
    for (const InLocation& one : in_locations_) {
      NodeId& derivative = result.derivatives[one.line.state];
      derivative = only_in(one.automaton, one.location, one.line.value, derivative);
      result.places[one.line.state] = one.line.place;
    }
    return result;
  }

  void build_motion() {
    build_locations_of_automata();
    std::vector<ExpandedAssignment> everywhere;
    for (const Assignment& line : model_.derivatives) build_assignment(line, Jumps::surfaces, 0, everywhere);
    if (model_.locations.empty()) expanded_.motions.push_back(motion("", everywhere));
    for (const LocationDescription& location : model_.locations) {
      std::vector<ExpandedAssignment> here = everywhere;
      for (const Assignment& line : location.derivatives) build_assignment(line, Jumps::surfaces, 0, here);
      expanded_.motions.push_back(motion(location.name, here));
    }
    expanded_.initial_location = model_.initial_location;
  }

  // ---- automata beside each other -------------------------------------------------------------------

  // The number of the location of one of the automata (from 1; 0: there is but one).
  NodeId location_number(const AutomatonDescription& automaton, std::uint32_t i) {
    return expanded_.graph.state(extents_.first_state[automaton.state] + std::max<std::uint32_t>(i, 1) - 1);
  }

  // `here` while the automaton with this number is in a location, else `elsewhere`.
  NodeId only_in(NodeId number, std::size_t location, NodeId here, NodeId elsewhere) {
    ExpressionGraph& graph = expanded_.graph;
    const NodeId distance = graph.subtract(number, graph.constant(static_cast<double>(location + 1)));
    return graph.choose(graph.unary(Operation::absolute, distance), elsewhere, here);
  }

  // The derivatives that locations give. The last line that holds at a time is the one that counts, and no two do.
  void build_locations_of_automata() {
    std::unordered_map<std::uint32_t, const AutomatonDescription*> givers;
    for (const AutomatonDescription& automaton : model_.automata) {
      check_initial_location(automaton);
      for (std::size_t k = 0; k < automaton.locations.size() && mistakes_.empty(); ++k) {
        for (const Assignment& line : automaton.locations[k].derivatives) {
          const auto giver = givers.emplace(line.state, &automaton).first->second;
          if (giver != &automaton)
            mistakes_.push_back(
                {line.position, model_.states[line.state].name.size(),
                 "a derivative of " + in_quotes(model_.states[line.state].name) + " by two automata",
                 "one automaton whose locations give it",
                 in_quotes(giver->name) + " and " + in_quotes(automaton.name),
                 "give one of the two parts in [definitions], by if(" + automaton.name + " == 1, p, q)"});
          build_in_location(automaton, k, line);
        }
      }
    }
  }

  void build_in_location(const AutomatonDescription& automaton, std::size_t location,
                         const Assignment& line) {
    const bool is_one = !model_.states[automaton.state].is_vector();
    const std::uint32_t count = extents_.states[automaton.state];
    std::vector<ExpandedAssignment> made;
    if (!is_one && means_every_element(line) && extents_.states[line.state] != count) {
      mistakes_.push_back(
          {line.position, model_.states[line.state].name.size(),
           "a vector of another length than the automata " + in_quotes(automaton.name),
           std::to_string(count) + " elements, one for each", std::to_string(extents_.states[line.state]),
           "or name the element that each gives, as \"" + model_.states[line.state].name + "[i + 1]\""});
      return;
    }
    const bool is_indexed = !is_one && line.indexed.has_value();
    for (std::uint32_t i = 1; i <= (is_indexed ? count : 1); ++i) {
      made.clear();
      build_assignment(line, Jumps::surfaces, is_indexed ? i : 0, made);
      for (std::uint32_t k = 0; k < made.size(); ++k) {
        const std::uint32_t owner = is_one ? 0 : is_indexed ? i : k + 1;
        in_locations_.push_back({location_number(automaton, owner), location, made[k]});
      }
    }
  }

  void check_initial_location(const AutomatonDescription& automaton) {
    const std::uint32_t first = extents_.first_state[automaton.state];
    for (std::uint32_t k = 0; k < extents_.states[automaton.state]; ++k) {
      const double number = expanded_.initial[static_cast<Index>(first + k)];
      const bool is_one = number >= 1 && number == std::floor(number) &&
                          number <= static_cast<double>(automaton.locations.size());
      if (is_one) continue;
      const Quantity& state = model_.states[automaton.state];
      mistakes_.push_back({state.value.position, 1, state.value.owner + " does not exist",
                           "a whole number from 1 to " + std::to_string(automaton.locations.size()) +
                               ", in the order of the file, or a name",
                           exact_text(number) + " for " + in_quotes(expanded_.state_names[first + k]), ""});
      return;
    }
  }

  // An edge is a reset that is ready while its automaton is where it begins.
  void build_edges_of_automata() {
    for (const AutomatonDescription& automaton : model_.automata) {
      if (!mistakes_.empty()) return;
      std::vector<ExpandedEvent> made;
      build_events("edge", automaton.edges, made);
      if (!mistakes_.empty()) return;
      const std::size_t count =
          model_.states[automaton.state].is_vector() ? extents_.states[automaton.state] : std::size_t{1};
      refuse_edges_that_undo(automaton, made, count);
      for (std::size_t k = 0; k < made.size(); ++k) {
        const EventDescription& edge = automaton.edges[k / count];
        const std::uint32_t i = count == 1 && !edge.size ? 0 : static_cast<std::uint32_t>(k % count) + 1;
        finish_edge(automaton, edge, i, made[k]);
        expanded_.resets.push_back(std::move(made[k]));
      }
    }
  }

  void finish_edge(const AutomatonDescription& automaton, const EventDescription& edge, std::uint32_t i,
                   ExpandedEvent& made) {
    ExpressionGraph& graph = expanded_.graph;
    const NodeId number = location_number(automaton, i);
    made.guard = only_in(number, edge.from, rising_guard(made), graph.constant(-1));
    made.direction = Direction::rising;
    if (made.initially == Initially::by_rule) made.initially = Initially::fire;
    if (edge.name.empty())
      made.name = automaton.name + (i == 0 ? "" : std::to_string(i)) + ": " +
                  automaton.locations[edge.from].name + " -> " + automaton.locations[edge.to].name;
    if (made.common) {
      made.set.insert(made.set.begin(), made.common->begin(), made.common->end());
      made.common.reset();
    }
    // Several edges of an automaton may fire at once. The first one changes its location, and the others then set nothing: each
    // assignment looks at the location again.
    for (ExpandedAssignment& line : made.set)
      line.value = only_in(number, edge.from, line.value, graph.state(line.state));
    const auto to = static_cast<double>(edge.to + 1);
    made.set.push_back(
        {graph[number].a, only_in(number, edge.from, graph.constant(to), number), edge.position});
  }

  NodeId rising_guard(const ExpandedEvent& edge) {
    return edge.direction == Direction::falling ? expanded_.graph.opposite(edge.guard) : edge.guard;
  }

  // Between two edges that lead back and forth across one guard nothing but sliding is possible.
  void refuse_edges_that_undo(const AutomatonDescription& automaton, const std::vector<ExpandedEvent>& made,
                              std::size_t count) {
    for (std::size_t a = 0; a < automaton.edges.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const EventDescription &one = automaton.edges[a], &other = automaton.edges[b];
        if (one.from != other.to || one.to != other.from || one.from == one.to || count == 0) continue;
        const NodeId back = rising_guard(made[b * count]);
        const NodeId there = rising_guard(made[a * count]);
        if (there != expanded_.graph.opposite(back) && there != expanded_.graph.negate(back)) continue;
        mistakes_.push_back({one.when.position, 1,
                             "two edges of automaton " + in_quotes(automaton.name) +
                                 " that lead back and forth where one guard is zero",
                             "two guards with a band between them",
                             in_quotes(builder_.text(one.when, one.size ? 1 : 0)),
                             "the solution may slide there: write sgn() of the guard, or if(a > b, p, q), in "
                             "the derivatives in "
                             "place of two locations, or [[locations]]"});
        return;
      }
    }
  }

  // ---- algebraic variables --------------------------------------------------------------------------

  // for_algebraic() calls visit(definition, element, number) for every algebraic variable.
  template <class Visit>
  void for_algebraic(const Visit& visit) const {
    for (std::uint32_t k = 0; k < model_.definitions.size(); ++k) {
      if (!model_.definitions[k].algebraic) continue;
      for (std::uint32_t element = 1; element <= extents_.definitions[k]; ++element)
        visit(k, element, extents_.first_unknown[k] + element - 1);
    }
  }

  std::optional<std::uint32_t> follower_of(std::uint32_t definition, std::uint32_t element) const {
    const std::optional<std::uint32_t> state = model_.definitions[definition].start;
    if (!state) return std::nullopt;
    return extents_.first_state[*state] + element - 1;
  }

  void solve_algebraic() {
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < model_.definitions.size(); ++k) {
      extents_.first_unknown.push_back(count);
      if (model_.definitions[k].algebraic) count += extents_.definitions[k];
    }
    if (count == 0) return;
    std::vector<NodeId> solved = solved_algebraic(Jumps::surfaces);
    if (!mistakes_.empty()) return;
    const auto jumps = [&](NodeId node) { return expanded_.graph.has_lambda(node); };
    // Only values count in a reset.
    const bool has_sides = std::any_of(solved.begin(), solved.end(), jumps);
    std::vector<NodeId> values = !has_sides                  ? solved
                                 : builder_.has_open_signs() ? builder_.by_guards(solved)
                                                             : solved_algebraic(Jumps::values);
    if (!mistakes_.empty()) return;
    for_algebraic([&](std::uint32_t k, std::uint32_t element, std::uint32_t number) {
      const Quantity& definition = model_.definitions[k];
      expanded_.algebraic.push_back(
          {definition.name + (definition.is_vector() ? std::to_string(element) : ""), solved[number],
           follower_of(k, element)});
    });
    builder_.close_algebraic(std::move(solved), std::move(values));
  }

  std::vector<NodeId> solved_algebraic(Jumps jumps) {
    builder_.prepare_definitions();
    builder_.open_algebraic();
    std::vector<AlgebraicVariable> variables;
    std::vector<std::uint32_t> owners;  // definitions
    for_algebraic([&](std::uint32_t k, std::uint32_t element, std::uint32_t) {
      const Quantity& definition = model_.definitions[k];
      AlgebraicVariable variable;
      build_formula(definition.value, jumps, definition.is_vector() ? element : 0, variable.expression);
      if (const auto state = follower_of(k, element)) {
        variable.start = expanded_.graph.state(*state);
        variable.value = expanded_.initial[static_cast<Index>(*state)];
      }
      variables.push_back(variable);
      owners.push_back(k);
    });
    if (!mistakes_.empty()) return {};
    AlgebraicSystem system(expanded_.graph, std::move(variables), expanded_.start, known_states());
    const std::optional<std::vector<NodeId>> solved = system.solve();
    if (solved) {
      std::vector<NodeId> decided;
      succeeds(
          [&] { decided = builder_.decide_open_signs(*solved, system.surfaces_in_slopes(kFirstOpenSign)); });
      return decided;
    }
    tell_unsolved(system, model_.definitions[owners[system.place()]]);
    return {};
  }

  // Parameters that are states behind the others.
  KnownStates known_states() const {
    KnownStates known;
    known.values = expanded_.initial;
    known.from = static_cast<std::uint32_t>(expanded_.state_names.size() - expanded_.free_parameters);
    return known;
  }

  void tell_unsolved(const AlgebraicSystem& system, const Quantity& variable) {
    const std::string name = in_quotes(variable.name);
    if (system.failure() == AlgebraicSystem::Failure::several) {
      mistakes_.push_back({variable.position, variable.name.size(),
                           "the equation of the algebraic variable " + name + " may have several solutions",
                           "one of which is known that there is no other, or a guess",
                           "a slope that is not seen to have one sign for all values",
                           "write " + variable.name +
                               R"( = { value = "…", guess = 0 }: the solution that is found from )"
                               "the guess at the start is followed"});
      return;
    }
    mistakes_.push_back(
        {variable.position, variable.name.size(),
         "the equation of the algebraic variable " + name + " does not determine it at the start",
         "equations whose derivatives by the algebraic variables are not singular (index 1)",
         "no variable left that it depends on, or slopes of 0",
         "where a constraint has only states in it, put its derivative in its place; another "
         "guess may do where a slope is 0 by accident"});
  }

  // A root is searched for from where it was: x' = f moves the followers by the derivatives of the roots.
  void follow_algebraic() {
    const auto follows = [](const ExpandedAlgebraic& one) { return one.follower.has_value(); };
    const auto& all = expanded_.algebraic;
    if (!mistakes_.empty() || std::none_of(all.begin(), all.end(), follows)) return;
    std::vector<NodeId> values;
    for (const ExpandedAlgebraic& one : all) values.push_back(one.value);
    const auto by_state = gradients(expanded_.graph, values, Variables::states);
    const auto by_time = gradients(expanded_.graph, values, Variables::time);
    for (ExpandedMotion& motion : expanded_.motions)
      for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].follower)
          motion.derivatives[*all[k].follower] =
              rate_along(expanded_.graph, (*by_time)[k], (*by_state)[k], motion.derivatives);
  }

  // set_followers() sets the followers of roots whenever states are set: a root may jump where a state does.
  void set_followers() {
    for (const ExpandedAlgebraic& one : expanded_.algebraic) {
      if (!one.follower) continue;
      for (auto* const events : {&expanded_.resets, &expanded_.edges})
        for (ExpandedEvent& event : *events) add_follower(one, event.common.get(), event.set);
      for (ExpandedEvery& every : expanded_.every)
        if (!every.reset) add_follower(one, nullptr, every.set);
    }
  }

  void add_follower(const ExpandedAlgebraic& one, const std::vector<ExpandedAssignment>* common,
                    std::vector<ExpandedAssignment>& set) {
    if (set.empty() && (common == nullptr || common->empty())) return;
    std::unordered_map<NodeId, NodeId> after;
    if (common != nullptr)
      for (const ExpandedAssignment& line : *common) after[expanded_.graph.state(line.state)] = line.value;
    for (const ExpandedAssignment& line : set) after[expanded_.graph.state(line.state)] = line.value;
    after[expanded_.graph.state(*one.follower)] = one.value;
    const NodeId value = expanded_.graph.with_nodes(expanded_.graph.with_any_search(one.value), after);
    if (value != one.value && !expanded_.graph.has_lambda(value))
      set.push_back({*one.follower, value, Position{}});
  }

  // The roots at the start, with relays as the guards there have them.
  void begin_followers() {
    std::vector<NodeId> values;
    std::vector<std::uint32_t> states;
    for (const ExpandedAlgebraic& one : expanded_.algebraic) {
      if (!one.follower) continue;
      values.push_back(expanded_.graph.with_any_search(one.value));
      states.push_back(*one.follower);
    }
    if (values.empty() || !mistakes_.empty()) return;
    Vector x = Vector::Zero(static_cast<Index>(expanded_.state_names.size()));
    x.head(expanded_.initial.size()) = expanded_.initial;
    Vector relays(static_cast<Index>(expanded_.surfaces.size()));
    for (std::size_t k = 0; k < expanded_.surfaces.size(); ++k) {
      const double guard =
          Tape(expanded_.graph, {expanded_.surfaces[k].guard}).value<double>(point(expanded_.start, x));
      relays[static_cast<Index>(k)] = guard < 0 ? -1 : 1;
    }
    std::vector<double> found(values.size());
    Tape(expanded_.graph, values, expanded_.lambda_index)
        .evaluate<double>(point(expanded_.start, x, relays),
                          [&](std::size_t k, double value) { found[k] = value; });
    for (std::size_t k = 0; k < states.size(); ++k) {
      expanded_.initial[static_cast<Index>(states[k])] = found[k];
      if (std::isfinite(found[k])) continue;
      const std::string& name = expanded_.state_names[states[k]];
      mistakes_.push_back({{},
                           1,
                           "no solution of an algebraic equation at the start",
                           "a guess from which Newton's steps find one",
                           in_quotes(name),
                           "give another guess, near to the solution"});
    }
  }

  // build_mass() turns M·x' = f into x' = M⁻¹·f.
  void build_mass() {
    if (model_.mass.empty()) return;
    std::vector<std::pair<std::uint32_t, ExpandedAssignment>> entries;
    for (const MassRow& row : model_.mass) {
      const Quantity& state = model_.states[row.state];
      for (std::uint32_t i = 1; i <= extents_.states[row.state]; ++i) {
        const std::uint32_t number = extents_.first_state[row.state] + i - 1;
        mass_rows_[number] = &row;
        for (const ExpandedAssignment& entry :
             build_assignments(row.entries, Jumps::refused_in_mass, state.is_vector() ? i : 0))
          entries.emplace_back(number, entry);
      }
    }
    if (!mistakes_.empty()) return;
    std::vector<NodeId> nodes;
    for (const auto& [row, entry] : entries) nodes.push_back(entry.value);
    std::vector<double> values(nodes.size());
    Tape(expanded_.graph, nodes)
        .evaluate<double>(point(expanded_.start, expanded_.initial),
                          [&](std::size_t k, double value) { values[k] = value; });
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (!std::isfinite(values[k])) {
        mistakes_.push_back({entries[k].second.place, 1, "a mass that is not finite at the start",
                             "a finite number", exact_text(values[k]), ""});
        return;
      }
      mass_.add(entries[k].first, entries[k].second.state, entries[k].second.value, values[k]);
    }
    mass_.set_known_states(known_states());
    if (!mass_.factor()) return tell_singular(mass_.singular_row());
    for (ExpandedMotion& motion : expanded_.motions) {
      MassMatrix::Entries sides;
      for (std::uint32_t j = 0; j < motion.derivatives.size(); ++j)
        if (!expanded_.graph.is_constant(motion.derivatives[j], 0)) sides[j] = motion.derivatives[j];
      mass_.solve(sides);
      for (std::uint32_t j = 0; j < motion.derivatives.size(); ++j) {
        const auto solved = sides.find(j);
        motion.derivatives[j] = solved == sides.end() ? expanded_.graph.constant(0) : solved->second;
      }
    }
  }

  // watch_mass() ends the run at a singular M, beyond which the motion is not determined.
  void watch_mass() {
    const std::optional<NodeId> guard = mass_.singularity();
    if (!guard || expanded_.graph.is_constant(*guard)) return;
    ExpandedEvent stop;
    stop.name = "singular mass matrix";
    stop.guard = *guard;
    expanded_.stops.push_back(std::move(stop));
  }

  void tell_singular(std::uint32_t row) {
    const auto given = mass_rows_.find(row);
    const MassRow& told = given == mass_rows_.end() ? model_.mass.front() : *given->second;
    mistakes_.push_back(
        {told.position, model_.states[told.state].name.size(), "the mass matrix is singular at the start",
         "rows none of which is made of the others",
         "the row of " + in_quotes(expanded_.state_names[row]) + ", in which nothing is left",
         "a variable without a derivative of its own is no state: give it a line in [definitions]"});
  }

  // Turns the lines of a force on the right sides into those on the derivatives.
  void divide_by_mass(std::vector<ExpandedAssignment>& lines) {
    if (mass_.empty() || lines.empty()) return;
    const Position place = lines.front().place;
    MassMatrix::Entries sides;
    for (const ExpandedAssignment& line : lines) sides[line.state] = line.value;
    mass_.solve(sides);
    lines.clear();
    for (const auto& [state, value] : sides) lines.push_back({state, value, place});
  }

  void build_formula(const Formula& formula, Jumps jumps, std::uint32_t element, NodeId& node) {
    succeeds([&] { node = builder_.build(formula, jumps, element); });
  }

  // build(i, name) for every i of a table, or once with 0; not on after a mistake.
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

  // A number of a time event, as the file has it or as settings make it; told as a mistake where it is out of range.
  template <class Accepts>
  double time_number(const Formula& formula, std::uint32_t i, const std::string& expected,
                     const Accepts& accepts) {
    const double value = constant(formula, i);
    if (std::isfinite(value) && accepts(value)) return value;
    mistakes_.push_back(
        {formula.position, 1, formula.owner + " is out of range", expected, exact_text(value), ""});
    throw Unbuildable{};
  }

  void set_times(const EveryDescription& every, std::uint32_t i, TimeEvent& times) {
    const auto any = [](double) { return true; };
    if (every.period)
      times.period = time_number(*every.period, i, "a number > 0", [](double value) { return value > 0; });
    if (every.offset) times.offset = time_number(*every.offset, i, "a finite number", any);
    if (every.count) {
      constexpr double most = 9e15;
      times.count = static_cast<std::int64_t>(time_number(
          *every.count, i, "a whole number from 1 on",
          [](double value) { return value >= 1 && value <= most && value == std::floor(value); }));
    }
    for (const Formula& time : every.at) {
      const double earlier = times.at.empty() ? -std::numeric_limits<double>::infinity() : times.at.back();
      times.at.push_back(
          time_number(time, i, times.at.empty() ? "a finite number" : "a time after " + exact_text(earlier),
                      [earlier](double value) { return value > earlier; }));
    }
  }

  void build_inputs() {
    for (const InputDescription& input : model_.inputs) {
      const auto first = static_cast<Index>(extents_.first_state[input.first_state]);
      const std::vector<double>& times = input.signal->data().times;
      const bool ends = input.signal->data().extrapolation == Extrapolation::error;
      if (ends && (expanded_.start < times.front() || expanded_.end > times.back())) {
        mistakes_.push_back({input.position, input.name.size(),
                             "input " + in_quotes(input.name) + " does not last for the whole run",
                             "knots from " + exact_text(expanded_.start) + " to " + exact_text(expanded_.end),
                             "knots from " + exact_text(times.front()) + " to " + exact_text(times.back()),
                             "change [time], or write extrapolation = \"hold\" or \"periodic\" beside it"});
        continue;
      }
      input.signal->set_states(expanded_.start, first, expanded_.initial);
      for (TimeEvent& knots : input.signal->knots(first, expanded_.start)) {
        ExpandedEvery every;
        every.reset = knots.reset;
        every.times = std::move(knots);
        expanded_.every.push_back(std::move(every));
      }
    }
  }

  void build_every() {
    for (const EveryDescription& table : model_.every) {
      for_every(table, [&](std::uint32_t i, const std::string& name) {
        ExpandedEvery made;
        made.times.name = name;
        made.times.priority = table.priority;
        succeeds([&] { set_times(table, i, made.times); });
        if (name.empty() && !table.at.empty()) made.times.name = "at times";
        if (name.empty() && table.period) made.times.name = "every " + builder_.text(*table.period, i);
        made.set = build_assignments(table.set, Jumps::values, i);
        expanded_.every.push_back(std::move(made));
      });
    }
  }

  void build_events(const std::string& kind, const std::vector<EventDescription>& events,
                    std::vector<ExpandedEvent>& result) {
    for (const EventDescription& event : events) {
      // Resets that set all of a large vector would hold as many values as there are pairs of elements.
      std::vector<Assignment> single, every;
      for (const Assignment& line : event.set)
        (event.size && is_common(line) ? every : single).push_back(line);
      std::shared_ptr<const std::vector<ExpandedAssignment>> common;
      for_every(event, [&](std::uint32_t i, const std::string& name) {
        if (!common && !every.empty())
          common = std::make_shared<const std::vector<ExpandedAssignment>>(
              build_assignments(every, Jumps::values, i));
        ExpandedEvent made;
        made.name = name;
        made.direction = event.direction;
        made.across_jumps = event.across_jumps;
        made.common = common;
        made.from = event.from;
        made.to = event.to;
        made.zeno = event.zeno;
        made.values = event.values;
        made.priority = event.priority;
        made.initially = event.initially;
        succeeds([&] {
          if (event.delay)
            made.delay =
                time_number(*event.delay, i, "a number >= 0", [](double value) { return value >= 0; });
        });
        succeeds([&] {
          const FormulaBuilder::EventGuard guard = builder_.event_guard(event.when, i);
          made.guard = guard.node;
          if (guard.opposite && made.direction != Direction::any)
            made.direction = made.direction == Direction::rising ? Direction::falling : Direction::rising;
          check_is_met(made.guard, event.when, kind, name, "a guard");
          // The name is that of a surface without a name.
          if (name.empty()) made.name = builder_.text(event.when, i);
        });
        made.set = build_assignments(single, Jumps::values, i);
        result.push_back(std::move(made));
      });
    }
  }

  void build_observables() {
    builder_.observe_forces(static_cast<std::uint32_t>(expanded_.initial.size()), first_contact_);
    for (const ObservableDescription& wanted : model_.observables) {
      if (wanted.contact) {
        const std::size_t first = first_contact_[*wanted.contact];
        const std::size_t end = first_contact_[*wanted.contact + 1];
        const std::size_t begin = wanted.contact_element > 0 ? first + wanted.contact_element - 1 : first;
        if (begin >= end)
          mistakes_.push_back({{},
                               1,
                               "a contact that does not exist in " + wanted.value.owner,
                               "at most " + std::to_string(end - first) + " of them",
                               in_quotes(wanted.name),
                               ""});
        for (std::size_t k = begin; k < (wanted.contact_element > 0 ? std::min(begin + 1, end) : end); ++k)
          expanded_.observables.push_back({observed_force(wanted, k, end - first), 0, k, wanted.friction});
      } else if (wanted.whole_vector) {
        for (std::uint32_t i = 1; i <= builder_.elements_of(wanted.value); ++i)
          if (!succeeds([&] {
                expanded_.observables.push_back(
                    {wanted.name + std::to_string(i), builder_.observed_element(wanted.value, i), {}});
              }))
            break;
      } else {
        ExpandedObservable made{wanted.name, 0, {}};
        build_formula(wanted.value, Jumps::observed, 0, made.value);
        expanded_.observables.push_back(std::move(made));
      }
    }
  }

  // The name that the force of contact k has, of so many that the table has.
  std::string observed_force(const ObservableDescription& wanted, std::size_t k, std::size_t count) const {
    const ContactDescription& contact = model_.contacts[*wanted.contact];
    if (!wanted.friction) return expanded_.contacts[k].name;
    const std::size_t number = k - first_contact_[*wanted.contact] + 1;
    return contact.friction->names[static_cast<std::size_t>(wanted.friction) - 1] +
           (contact.size && count > 0 ? std::to_string(number) : "");
  }

  void build_contacts() {
    for (const ContactDescription& contact : model_.contacts) {
      first_contact_.push_back(expanded_.contacts.size());
      for_every(contact, [&](std::uint32_t i, const std::string& name) {
        ExpandedContact made;
        made.name = name;
        succeeds([&] {
          made.gap = builder_.build(contact.gap, Jumps::refused_in_gap, i);
          check_is_met(made.gap, contact.gap, "contact", name, "a gap");
        });
        made.acts_on = build_assignments(contact.acts_on, Jumps::refused_in_force, i);
        if (mistakes_.empty()) divide_by_mass(made.acts_on);
        build_formula(contact.restitution, Jumps::values, i, made.restitution);
        check_restitution(contact, made.restitution);
        made.impact_law = contact.impact_law;
        if (contact.friction && mistakes_.empty())
          succeeds([&] {
            if (contact.friction->is_in_plane())
              made.cone = contact_cone(*contact.friction, i);
            else
              made.friction = contact_friction(*contact.friction, i, name);
          });
        expanded_.contacts.push_back(std::move(made));
      });
    }
    first_contact_.push_back(expanded_.contacts.size());
  }

  ExpandedContactFriction contact_friction(const ContactFrictionDescription& friction, std::uint32_t i,
                                           const std::string& name) {
    ExpandedContactFriction made;
    made.coefficient = builder_.build(friction.coefficient, Jumps::refused_in_force, i);
    check_coefficient(friction.coefficient, made.coefficient, 0);
    const Formula& formula = friction.velocities.front();
    const NodeId velocity = builder_.build(formula, Jumps::refused_in_force, i);
    if (is_never_met(velocity, formula, "the velocity of a friction", "a velocity")) throw Unbuildable{};
    const SurfaceSide side = surfaces_.find_or_add(velocity, {formula.position, 0, i}, [&] {
      return name.empty() ? builder_.text(formula, i) : "slip of " + name;
    });
    made.surface = side.surface;
    made.sign = side.sign;
    if (friction.at_rest) {
      const NodeId at_rest = builder_.build(*friction.at_rest, Jumps::refused_in_ratio, i);
      const NodeId ratio = expanded_.graph.divide(at_rest, made.coefficient);
      set_break_away(surfaces_, expanded_.graph, side, {ratio, ratio}, *friction.at_rest,
                     name.empty() ? "a contact" : name, mistakes_);
    }
    made.acts_on = build_assignments(friction.acts_on.front(), Jumps::refused_in_force, i);
    if (mistakes_.empty()) divide_by_mass(made.acts_on);
    return made;
  }

  ExpandedCone contact_cone(const ContactFrictionDescription& friction, std::uint32_t i) {
    ExpandedCone made;
    made.coefficient = builder_.build(friction.coefficient, Jumps::refused_in_force, i);
    check_coefficient(friction.coefficient, made.coefficient, 0);
    if (friction.at_rest) {
      const NodeId at_rest = builder_.build(*friction.at_rest, Jumps::refused_in_ratio, i);
      made.ratio = expanded_.graph.divide(at_rest, made.coefficient);
      if (expanded_.graph.is_constant(*made.ratio) && !(expanded_.graph.value(*made.ratio) >= 1)) {
        mistakes_.push_back({friction.at_rest->position, 1, friction.at_rest->owner + " is out of range",
                             "a number >= mu", exact_text(expanded_.graph.value(at_rest)), ""});
        throw Unbuildable{};
      }
    }
    for (std::size_t part = 0; part < 2; ++part) {
      const Formula& formula = friction.velocities[part];
      made.velocities[part] = builder_.build(formula, Jumps::refused_in_force, i);
      if (is_never_met(made.velocities[part], formula, "the velocity of a friction", "a velocity"))
        throw Unbuildable{};
      made.acts_on[part] = build_assignments(friction.acts_on[part], Jumps::refused_in_force, i);
      if (mistakes_.empty()) divide_by_mass(made.acts_on[part]);
    }
    return made;
  }

  void check_coefficient(const Formula& formula, NodeId node, double least) {
    if (!expanded_.graph.is_constant(node)) return;
    const double value = expanded_.graph.value(node);
    if (value >= least && std::isfinite(value)) return;
    mistakes_.push_back(
        {formula.position, 1, formula.owner + " is out of range", "a number >= 0", exact_text(value), ""});
    throw Unbuildable{};
  }

  // One that depends on the approach speed is known at the impacts only.
  void check_restitution(const ContactDescription& contact, NodeId restitution) {
    if (contact.restitution.empty() || !expanded_.graph.is_constant(restitution)) return;
    const double value = expanded_.graph.value(restitution);
    if (value >= 0 && value <= 1) return;
    mistakes_.push_back({contact.restitution.position, 1, contact.restitution.owner + " is out of range",
                         "a number from 0 (no bounce) to 1 (no loss)", exact_text(value), ""});
  }

  // Definitions that nothing refers to are built for their mistakes only.
  void build_unused_definitions() {
    const std::vector<bool> used = used_names(model_).definitions;
    for (std::uint32_t k = 0; k < used.size(); ++k) {
      if (used[k] || model_.definitions[k].algebraic) continue;
      for (std::uint32_t element = 1; element <= extents_.definitions[k]; ++element)
        if (!succeeds([&] { builder_.definition(k, element); })) break;
    }
  }

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

}  // namespace

ExpandedModel expand(const ModelDescription& model, const Settings& settings, Check check,
                     const ExpansionLimits& limits, Mistakes& mistakes, const std::vector<std::string>& free,
                     const std::string& initial) {
  ExpandedModel expanded;
  expanded.graph = ExpressionGraph(limits.operations);
  Expander(model, settings, check, limits, free, initial, mistakes, expanded).run();
  return expanded;
}

}  // namespace slideway::reader
