#include "model_file/model_file_equations.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "model_file/friction_laws.hpp"

namespace slideway::reader {
namespace {

using Lines = std::vector<std::string>;

const char* crossing(Direction direction) {
  switch (direction) {
    case Direction::rising: return " rises through 0";
    case Direction::falling: return " falls through 0";
    default: return " crosses 0";
  }
}

const char* ends_text(Ends ends) {
  switch (ends) {
    case Ends::zero: return ", 0 beyond the ends";
    case Ends::periodic: return ", periodic";
    case Ends::clamped: return ", clamped at the ends";
    default: return "";
  }
}

std::string text(const Formula& formula) { return print_expression(formula.expression); }

// "i = 1 … N", with the ends where an index may pass them.
std::string range(const Quantity& vector, const Formula& formula) {
  return "   (i = 1 … " + text(*vector.size) + (uses_index(formula) ? ends_text(formula.ends) : "") + ")";
}

bool is_every_element(const ModelDescription& model, const Assignment& line) {
  return !line.indexed && line.element == 0 && model.states[line.state].is_vector();
}

std::string target(const ModelDescription& model, const Assignment& line, const char* index = "[i]") {
  const Quantity& state = model.states[line.state];
  if (line.indexed) return text(*line.indexed);
  if (line.element > 0) return state.name + std::to_string(line.element);
  return state.is_vector() ? state.name + index : state.name;
}

// "m*v' + m*r*w'" of a row of [mass], and v' where there is none.
std::string left_side(const ModelDescription& model, const Assignment& line) {
  std::string sum;
  for (const MassRow& row : model.mass) {
    if (row.state != line.state) continue;
    for (const Assignment& entry : row.entries) {
      const std::string factor = text(entry.value);
      const bool is_short = factor.find(' ') == std::string::npos && factor[0] != '-';
      sum += (sum.empty() ? "" : " + ") + (is_short ? factor : "(" + factor + ")") + "*" +
             target(model, entry) + "'";
    }
  }
  return sum.empty() ? target(model, line) + "'" : sum;
}

std::string derivative(const ModelDescription& model, const Assignment& line) {
  const Quantity& state = model.states[line.state];
  return left_side(model, line) + " = " + text(line.value) +
         (state.is_vector() ? range(state, line.value) : "");
}

// "x[j] = x[j] + eps, but x[i] = 0": j is every element where i is the table's own number.
std::string assignments(const ModelDescription& model, const std::vector<Assignment>& lines, bool has_size) {
  const auto with_j = [&](const Formula& formula) {
    if (uses_element(formula)) return text(formula);
    return print_expression(formula.expression, [&](std::uint32_t token) -> std::string {
      return formula.symbols[token].kind == SymbolKind::index ? "j" : "";
    });
  };
  const auto is_exception = [&](const Assignment& line) {
    return std::any_of(lines.begin(), lines.end(), [&](const Assignment& other) {
      return other.state == line.state && is_every_element(model, other) && !is_every_element(model, line);
    });
  };
  std::string result;
  for (const bool every : {true, false}) {
    for (const Assignment& line : lines) {
      if (is_every_element(model, line) != every) continue;
      const bool two_numbers = every && has_size;
      result += result.empty() ? "" : is_exception(line) ? ", but " : ", ";
      result += target(model, line, two_numbers ? "[j]" : "[i]") + " = " +
                (two_numbers ? with_j(line.value) : text(line.value));
    }
  }
  return result;
}

// change() describes a condition.
std::string change(Direction direction) {
  return direction == Direction::rising    ? " becomes true"
         : direction == Direction::falling ? " becomes false"
                                           : " changes";
}

std::string titled(const std::string& kind, const std::string& name) {
  return name.empty() ? kind + ": " : kind + " " + name + ": ";
}

std::string priority_text(int priority) {
  return priority == 0 ? "" : ", priority " + std::to_string(priority);
}

// `locations` are those that edges lead between.
void add_events(const ModelDescription& model, const std::string& kind,
                const std::vector<EventDescription>& events, Lines& lines,
                const std::vector<LocationDescription>& locations = {}) {
  for (const EventDescription& event : events) {
    std::string line = titled(kind, event.name);
    if (kind == "edge") line += locations[event.from].name + " -> " + locations[event.to].name + " ";
    const bool is_one = !event.when.empty() && is_condition(event.when.expression.tokens.back().kind);
    line += "when " + text(event.when) + (is_one ? change(event.direction) : crossing(event.direction));
    if (!event.across_jumps) line += ", by the flow alone";
    if (event.initially != Initially::by_rule)
      line += event.initially == Initially::fire ? ", or is at the start" : ", but not at the start";
    if (event.delay)
      line += ", after a delay of " + text(*event.delay) +
              (delayed_values(model, event) == DelayedValues::execution ? " with the values then" : "");
    line += priority_text(event.priority);
    if (!event.set.empty()) line += ": " + assignments(model, event.set, event.size.has_value());
    if (event.size) line += "   (i = 1 … " + text(*event.size) + ")";
    if (event.zeno) line += "; at an accumulation point -> " + locations[*event.zeno].name;
    lines.push_back(std::move(line));
  }
}

// "automaton thermostat, i = 1 … N", its locations with their derivatives, its edges.
void add_automaton(const ModelDescription& model, const AutomatonDescription& automaton, Lines& lines) {
  const Quantity& state = model.states[automaton.state];
  lines.push_back("automaton " + automaton.name +
                  (state.is_vector() ? "[i], i = 1 … " + text(*state.size) : ""));
  for (const LocationDescription& location : automaton.locations) {
    lines.push_back("  location " + location.name + (location.derivatives.empty() ? "" : ":"));
    for (const Assignment& line : location.derivatives) lines.push_back("    " + derivative(model, line));
  }
  Lines edges;
  add_events(model, "edge", automaton.edges, edges, automaton.locations);
  for (const std::string& edge : edges) lines.push_back("  " + edge);
}

// "every Ts from t0, 10 times: u = -k*x"; "at 1, t2: u = 0".
void add_every(const ModelDescription& model, Lines& lines) {
  for (const EveryDescription& every : model.every) {
    std::string line = titled("time event", every.name);
    if (every.period) line += "every " + text(*every.period);
    for (std::size_t k = 0; k < every.at.size(); ++k) line += (k == 0 ? "at " : ", ") + text(every.at[k]);
    if (every.offset) line += " from " + text(*every.offset);
    if (every.count) line += ", " + text(*every.count) + " times";
    line += priority_text(every.priority) + ": " + assignments(model, every.set, every.size.has_value());
    if (every.size) line += "   (i = 1 … " + text(*every.size) + ")";
    lines.push_back(std::move(line));
  }
}

void add_surfaces(const ModelDescription& model, const ExpandedModel& expanded, Lines& lines) {
  constexpr std::size_t most = 20;
  for (const Quantity& surface : model.surfaces)
    lines.push_back("surface " + surface.name + (surface.is_vector() ? "[i]" : "") + ": " +
                    text(surface.value) +
                    (surface.break_away ? ", break-away ratio " + text(*surface.break_away) : "") +
                    (surface.break_away_below ? ", downwards " + text(*surface.break_away_below) : "") +
                    (surface.is_vector() ? range(surface, surface.value) : ""));
  std::size_t unnamed = 0;
  for (const ExpandedSurface& surface : expanded.surfaces)
    if (!surface.named && ++unnamed <= most) lines.push_back("surface " + surface.name);
  if (unnamed > most) lines.push_back("… and " + std::to_string(unnamed - most) + " more surfaces");
}

bool is_friction(const ModelDescription& model, const Quantity& definition) {
  return std::any_of(model.friction.begin(), model.friction.end(),
                     [&](const FrictionDescription& friction) { return friction.name == definition.name; });
}

// A part of an element of [hysteresis].
bool is_hysteresis(const ModelDescription& model, const Quantity& definition) {
  return std::any_of(model.hysteresis.begin(), model.hysteresis.end(),
                     [&](const std::string& name) { return definition.name.rfind(name + ".", 0) == 0; });
}

bool is_input(const ModelDescription& model, const Quantity& definition) {
  return std::any_of(model.inputs.begin(), model.inputs.end(),
                     [&](const InputDescription& input) { return input.name == definition.name; });
}

// "input u: 201 knots from 0 to 10, linear between them"
std::string input_line(const InputDescription& input) {
  const InputData& data = input.signal->data();
  const char* const between[] = {"held", "linear", "pchip", "cubic"};
  const char* const outside[] = {"", ", held outside", ", periodic"};
  return "input " + input.name + ": " + std::to_string(data.times.size()) + " knots from " +
         exact_text(data.times.front()) + " to " + exact_text(data.times.back()) + ", " +
         between[static_cast<int>(data.interpolation)] + " between them" +
         outside[static_cast<int>(data.extrapolation)];
}

// "table f: 3 knots from 0 to 2, linear between them, held beyond them"
std::string table_line(const TableDescription& table) {
  const TableData& data = table.table->data();
  const char* const between[] = {"held", "linear", "pchip", "cubic"};
  const char* const outside[] = {"", ", held beyond them", ", straight on beyond them"};
  const auto knots = [](const std::vector<double>& of) {
    return std::to_string(of.size()) + " knots from " + exact_text(of.front()) + " to " +
           exact_text(of.back());
  };
  return "table " + table.name + ": " + knots(data.first) +
         (data.second.empty() ? "" : ", and " + knots(data.second)) + ", " +
         between[static_cast<int>(data.interpolation)] + " between them" +
         outside[static_cast<int>(data.beyond)];
}

// "F = Fc*sgn(v) + B*v, coulomb friction: v = x2 - vb, Fc = 0.4, B = 0"
std::string friction_line(const ModelDescription& model, const FrictionDescription& friction) {
  const FrictionLaw& law = friction_laws()[friction.law];
  const Quantity& velocity = model.definitions[friction.velocity];
  const std::string index = velocity.is_vector() ? "[i]" : "";
  std::string line = friction.name + index;
  line += law.force != nullptr ? " = " + std::string(law.force) : "' = " + std::string(law.rate);
  for (const auto& [name, formula] : law.parts) line += ", " + std::string(name) + " = " + formula;
  line += ", " + std::string(law.name) + " friction: v = " + text(velocity.value);
  if (friction.state) line += ", z = " + model.states[*friction.state].name + index;
  for (std::size_t k = 0; k < law.parameters.size(); ++k)
    line += ", " + std::string(law.parameters[k].name) + " = " +
            text(model.definitions[friction.parameters[k]].value);
  if (law.break_away != nullptr)
    line += law.break_away_below != nullptr ? "; at rest it holds up to Fs and Fs_minus"
                                            : "; at rest it holds up to Fs";
  return line + (velocity.is_vector() ? range(velocity, velocity.value) : "");
}

}  // namespace

namespace {

// ", friction up to mu times the force against v, a unit of it adds v = 1/m"
std::string friction_text(const ModelDescription& model, const ContactDescription& contact) {
  if (!contact.friction) return "";
  const ContactFrictionDescription& friction = *contact.friction;
  std::string line =
      ", friction up to " + text(friction.coefficient) + " times the force against " +
      (friction.is_in_plane() ? "(" + text(friction.velocities[0]) + ", " + text(friction.velocities[1]) + ")"
                              : text(friction.velocities[0])) +
      (friction.at_rest ? ", at rest " + text(*friction.at_rest) + " times" : "") +
      (friction.in_impact == ImpactFriction::at_end ? ", in an impact against that at its end" : "");
  for (std::size_t part = 0; part < friction.acts_on.size(); ++part) {
    line += (part == 0 ? ", a unit of it adds " : ", or along the second velocity ") +
            assignments(model, friction.acts_on[part], contact.size.has_value());
  }
  return line;
}

}  // namespace

std::vector<std::string> equations(const ModelDescription& model, const ExpandedModel& expanded) {
  Lines lines;
  const auto is_bristle = [&](const Assignment& line) {
    return std::any_of(model.friction.begin(), model.friction.end(),
                       [&](const FrictionDescription& friction) {
                         return friction.force_is_state && friction.state == line.state;
                       });
  };
  for (const Assignment& line : model.derivatives)
    if (!is_bristle(line)) lines.push_back(derivative(model, line));
  for (const LocationDescription& location : model.locations) {
    lines.push_back("location " + location.name + (location.derivatives.empty() ? "" : ":"));
    for (const Assignment& line : location.derivatives) lines.push_back("  " + derivative(model, line));
  }
  for (const AutomatonDescription& automaton : model.automata) add_automaton(model, automaton, lines);
  for (const FrictionDescription& friction : model.friction) lines.push_back(friction_line(model, friction));
  for (const Quantity& definition : model.definitions)
    if ((!definition.hidden || is_hysteresis(model, definition)) && !is_friction(model, definition) &&
        !is_input(model, definition))
      lines.push_back(definition.name + (definition.is_vector() ? "[i]" : "") + " = " +
                      text(definition.value) + (definition.algebraic ? ", solved for it" : "") +
                      (definition.is_vector() ? range(definition, definition.value) : ""));
  const auto is_of_automaton = [&](const Quantity& state) {
    return std::any_of(model.automata.begin(), model.automata.end(),
                       [&](const AutomatonDescription& automaton) { return automaton.name == state.name; });
  };
  for (const Quantity& state : model.states)
    if (state.discrete && !state.hidden && !is_of_automaton(state))
      lines.push_back("discrete state " + state.name +
                      (state.is_vector() ? "[i], i = 1 … " + text(*state.size) : ""));
  for (const InputDescription& input : model.inputs) lines.push_back(input_line(input));
  for (const TableDescription& table : model.tables) lines.push_back(table_line(table));
  add_every(model, lines);
  add_events(model, "edge", model.edges, lines, model.locations);
  add_events(model, "reset", model.resets, lines);
  add_events(model, "stop", model.stops, lines);
  add_events(model, "record", model.records, lines);
  for (const ContactDescription& contact : model.contacts)
    lines.push_back(
        titled("contact", contact.name) + text(contact.gap) + " >= 0, a unit force adds " +
        assignments(model, contact.acts_on, contact.size.has_value()) + ", restitution " +
        text(contact.restitution) + (contact.impact_law == ImpactLaw::poisson ? " of impulses" : "") +
        friction_text(model, contact) + (contact.size ? "   (i = 1 … " + text(*contact.size) + ")" : ""));
  add_surfaces(model, expanded, lines);
  return lines;
}

}  // namespace slideway::reader
