#include "validation/language/variants.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace slideway::validation::language {
namespace {

Term negated_comparisons(const Term& node) {
  const Terms& a = node.arguments();
  if (node.is_call(">")) return call("not", {call("<=", a)});
  if (node.is_call(">=")) return call("not", {call("<", a)});
  if (node.is_call("<")) return call("not", {call(">=", a)});
  if (node.is_call("<=")) return call("not", {call(">", a)});
  return node;
}

Term turned_comparisons(const Term& node) {
  const Terms& a = node.arguments();
  if (node.is_call(">")) return call("<", {a[1], a[0]});
  if (node.is_call(">=")) return call("<=", {a[1], a[0]});
  if (node.is_call("<")) return call(">", {a[1], a[0]});
  if (node.is_call("<=")) return call(">=", {a[1], a[0]});
  return node;
}

// not (A and B) is not A or not B, and the other way round.
Term de_morgan(const Term& node) {
  const Terms& a = node.arguments();
  if (node.is_call("and")) return call("not", {call("or", {call("not", {a[0]}), call("not", {a[1]})})});
  if (node.is_call("or")) return call("not", {call("and", {call("not", {a[0]}), call("not", {a[1]})})});
  return node;
}

Term branch(const Term& a, const std::string& sign, const Term& b, const Term& p, const Term& q) {
  return call("if", {call(sign, {a, b}), p, q});
}

Term with_branches(const Term& node) {
  const Terms& a = node.arguments();
  if (node.is_call("abs")) return branch(a[0], ">", 0.0, a[0], -a[0]);
  if (node.is_call("max")) return branch(a[0], ">", a[1], a[0], a[1]);
  if (node.is_call("min")) return branch(a[0], "<", a[1], a[0], a[1]);
  if (node.is_call("sgn")) return branch(a[0], ">", 0.0, 1.0, -1.0);
  if (node.is_call("step")) return branch(a[0], ">", 0.0, 1.0, 0.0);
  if (node.is_call("sat")) return branch(a[0], ">", a[2], a[2], branch(a[0], "<", a[1], a[1], a[0]));
  if (node.is_call("deadzone"))
    return branch(a[0], ">", a[2], a[0] - a[2], branch(a[0], "<", a[1], a[0] - a[1], 0.0));
  return node;
}

Term with_minima(const Term& node) {
  const Terms& a = node.arguments();
  if (node.is_call("abs")) return call("max", {a[0], -a[0]});
  if (node.is_call("sat")) return call("max", {call("min", {a[0], a[2]}), a[1]});
  if (node.is_call("deadzone")) return a[0] - call("min", {call("max", {a[0], a[1]}), a[2]});
  if (node.is_call("step")) return 0.5 + 0.5 * branch(a[0], ">", 0.0, 1.0, -1.0);
  return node;
}

// Algebraic equations keep their form: `if` of their own variable is refused in them.
LanguageModel outside_equations(const LanguageModel& model, const std::function<Term(const Term&)>& change) {
  LanguageModel next = with_terms(model, change);
  next.algebraic = model.algebraic;
  return next;
}

LanguageModel inlined(const LanguageModel& model) {
  LanguageModel next = model;
  // Later definitions may use earlier ones, and the other way round: the text of each is settled first.
  for (std::size_t round = 0; round < next.definitions.size(); ++round) {
    const Line line = next.definitions[round];
    next = with_terms(next, [&](const Term& node) {
      return node.kind() == TermKind::name && node.head() == line.name ? line.value : node;
    });
  }
  next.definitions.clear();
  return next;
}

bool uses_index(const Term& term) {
  bool found = false;
  visit(term, [&](const Term& node) {
    found =
        found || (node.kind() == TermKind::name && (node.head() == "i" || !index_of(node.head()).empty()));
  });
  return found;
}

// What a function makes in a derivative gets a name.
LanguageModel with_names(const LanguageModel& model) {
  static const std::set<std::string> functions = {"if",  "abs",   "min",   "max",  "sat", "deadzone",
                                                  "sgn", "floor", "round", "tanh", "sin", "step"};
  LanguageModel next = model;
  int count = 0;
  for (Line& line : next.derivatives) {
    if (uses_index(line.value)) continue;
    line.value = rewritten(line.value, [&](const Term& node) {
      if (node.kind() != TermKind::call || functions.count(node.head()) == 0) return node;
      const std::string text = "named" + std::to_string(++count);
      next.definitions.push_back({text, node});
      return name(text);
    });
  }
  return next;
}

// Every name of the model itself, as of states, tables and elements.
std::set<std::string> own_names(const LanguageModel& model) {
  std::set<std::string> names;
  const auto add = [&](const auto& lines) {
    for (const auto& line : lines) names.insert(line.name);
  };
  add(model.parameters);
  add(model.states);
  add(model.discrete);
  add(model.inputs);
  add(model.tables);
  add(model.definitions);
  add(model.algebraic);
  add(model.surfaces);
  add(model.friction);
  add(model.hysteresis);
  add(model.automata);
  return names;
}

// A second model beside the first, whose names end in `copy`; without locations of the whole model, which there is one set of.
LanguageModel with_copy(const LanguageModel& model) {
  const std::set<std::string> names = own_names(model);
  const auto copied = [&](const std::string& text) {
    const std::string base = base_of(text);
    return names.count(base) == 0 ? text : base + "copy" + index_of(text);
  };
  LanguageModel second = with_terms(model, [&](const Term& node) {
    if (node.kind() == TermKind::number) return node;
    return Term(node.kind(), copied(node.head()), node.arguments());
  });
  change_targets(second, [&](Line& line) { line.name = copied(line.name); });
  LanguageModel next = model;
  const auto join = [&](auto& lines, auto more) {
    for (auto& line : more) {
      line.name += "copy";
      lines.push_back(line);
    }
  };
  const auto copy_acts = [&](Lines& lines) {
    for (Line& line : lines) line.name = copied(line.name);
  };
  for (Contact& contact : second.contacts) {
    copy_acts(contact.acts_on);
    if (contact.friction) copy_acts(contact.friction->acts_on);
  }
  for (MassRow& row : second.mass) copy_acts(row.entries);
  for (Part& part : second.automata) {
    for (Event& edge : part.edges) edge.name += "copy";
  }
  join(next.parameters, second.parameters);
  join(next.states, second.states);
  join(next.discrete, second.discrete);
  join(next.inputs, second.inputs);
  join(next.tables, second.tables);
  join(next.definitions, second.definitions);
  join(next.algebraic, second.algebraic);
  join(next.surfaces, second.surfaces);
  join(next.friction, second.friction);
  join(next.hysteresis, second.hysteresis);
  join(next.mass, second.mass);
  join(next.automata, second.automata);
  join(next.contacts, second.contacts);
  join(next.events, second.events);
  join(next.clocks, second.clocks);
  next.derivatives.insert(next.derivatives.end(), second.derivatives.begin(), second.derivatives.end());
  return next;
}

LanguageModel in_another_order(const LanguageModel& model) {
  LanguageModel next = model;
  std::reverse(next.states.begin(), next.states.end());
  std::reverse(next.derivatives.begin(), next.derivatives.end());
  std::reverse(next.discrete.begin(), next.discrete.end());
  std::reverse(next.contacts.begin(), next.contacts.end());
  std::reverse(next.automata.begin(), next.automata.end());
  std::reverse(next.definitions.begin(), next.definitions.end());
  std::reverse(next.surfaces.begin(), next.surfaces.end());
  return next;
}

std::set<std::string> states_with_mass(const LanguageModel& model) {
  std::set<std::string> names;
  for (const MassRow& row : model.mass) names.insert(row.name);
  return names;
}

// The right sides of all states that have no row of [mass] times `factor`; a row of [mass] divided by it.
void scale_derivatives(LanguageModel& model, double factor) {
  const std::set<std::string> weighted = states_with_mass(model);
  const auto scale = [&](Line& line) {
    if (weighted.count(base_of(line.name)) == 0) line.value = factor * line.value;
  };
  for (Line& line : model.derivatives) scale(line);
  for (Place& place : model.locations) {
    for (Line& line : place.derivatives) scale(line);
  }
  for (Part& part : model.automata) {
    for (Place& place : part.locations) {
      for (Line& line : place.derivatives) scale(line);
    }
  }
  for (MassRow& row : model.mass) {
    for (Line& line : row.entries) line.value = line.value / factor;
  }
}

LanguageModel in_time(const LanguageModel& model, double factor, double shift) {
  const Term t = name("t");
  LanguageModel next = with_terms(model, [&](const Term& node) {
    if (node.kind() != TermKind::name || node.head() != "t") return node;
    return shift == 0 ? Term(t / factor) : Term(t - shift);
  });
  const auto moved = [&](double time) { return time * factor + shift; };
  next.start = moved(model.start);
  next.end = moved(model.end);
  for (SignalLine& line : next.inputs) {
    for (double& time : line.times) time = moved(time);
  }
  for (Clock& clock : next.clocks) {
    clock.period *= factor;
    clock.offset = moved(clock.offset);
    for (double& time : clock.at) time = moved(time);
  }
  for (Event& event : next.events) {
    if (event.delay) *event.delay *= factor;
  }
  if (factor == 1) return next;
  scale_derivatives(next, 1 / factor);
  // Laws see velocities per unit of the model's time.
  for (ElementLine& line : next.friction) {
    for (Line& key : line.keys) {
      if (key.name == "velocity" || key.name == "vs") key.value = key.value / factor;
      if (key.name == "B" || key.name == "sigma1" || key.name == "sigma2") key.value = key.value * factor;
    }
  }
  for (ElementLine& line : next.hysteresis) {
    for (Line& key : line.keys) {
      if (key.name == "fastest") key.value = key.value / factor;
    }
  }
  return next;
}

LanguageModel in_states(const LanguageModel& model, double factor) {
  std::set<std::string> names;
  for (const StateLine& state : model.states) names.insert(state.name);
  LanguageModel next = with_terms(model, [&](const Term& node) {
    if (node.kind() == TermKind::name && names.count(base_of(node.head())) != 0) return node / factor;
    // The sum of a vector has its name as the argument.
    const bool is_divided = node.is_call("sum") && !node.arguments()[0].arguments().empty();
    if (is_divided) return call("sum", {node.arguments()[0].arguments()[0]}) / factor;
    return node;
  });
  for (StateLine& state : next.states) {
    state.initial = factor * state.initial;
    state.scale *= factor;
  }
  scale_derivatives(next, factor);
  const auto scale_sets = [&](Lines& lines) {
    for (Line& line : lines) {
      if (names.count(base_of(line.name)) != 0) line.value = factor * line.value;
    }
  };
  for (Event& event : next.events) scale_sets(event.set);
  for (Clock& clock : next.clocks) scale_sets(clock.set);
  for (Part& part : next.automata) {
    for (Event& edge : part.edges) scale_sets(edge.set);
  }
  for (Contact& contact : next.contacts) {
    scale_sets(contact.acts_on);
    if (contact.friction) scale_sets(contact.friction->acts_on);
  }
  return next;
}

}  // namespace

std::vector<Variant> variants_of(const LanguageModel& model) {
  std::vector<Variant> all = {
      {.name = "negated comparisons", .model = with_terms(model, negated_comparisons)},
      {.name = "turned comparisons", .model = with_terms(model, turned_comparisons)},
      {.name = "and for or", .model = with_terms(model, de_morgan)},
      {.name = "branches", .model = outside_equations(model, with_branches)},
      {.name = "min and max", .model = with_terms(model, with_minima)},
      {.name = "inlined", .model = inlined(model)},
      {.name = "named", .model = with_names(model)},
      {.name = "another order", .model = in_another_order(model)},
  };
  if (model.locations.empty()) all.push_back({.name = "a copy beside it", .model = with_copy(model)});
  const std::string original = file_text(model);
  std::erase_if(all, [&](const Variant& variant) { return file_text(variant.model) == original; });
  // The second run does not know what an event has waited for in the first.
  const bool waits = std::any_of(model.events.begin(), model.events.end(),
                                 [](const Event& event) { return event.initially == "wait"; });
  if (!waits) all.push_back({.name = "two runs", .model = model, .is_split = true});
  all.push_back({.name = "time in thousandths", .model = in_time(model, 1000, 0), .time_factor = 1000});
  all.push_back({.name = "time in thousands", .model = in_time(model, 0.001, 0), .time_factor = 0.001});
  all.push_back({.name = "later by 600", .model = in_time(model, 1, 600), .time_shift = 600});
  all.push_back({.name = "later by 1e6", .model = in_time(model, 1, 1e6), .time_shift = 1e6});
  all.push_back({.name = "states in millionths", .model = in_states(model, 1e6), .state_factor = 1e6});
  all.push_back({.name = "states in millions", .model = in_states(model, 1e-6), .state_factor = 1e-6});
  return all;
}

LanguageModel shaken(const LanguageModel& model, const std::map<std::string, double>& sizes, double size,
                     double frequency, double phase) {
  LanguageModel next = model;
  std::map<std::string, std::string> positions;  // by their velocities
  for (const Line& line : next.derivatives) {
    if (line.value.kind() == TermKind::name) positions[base_of(line.value.head())] = line.name;
  }
  const auto is_position = [&](const std::string& name) {
    return std::any_of(positions.begin(), positions.end(),
                       [&](const auto& one) { return one.second == name; });
  };
  const auto size_of = [&](const std::string& name) {
    const auto found = sizes.find(base_of(name));
    return found == sizes.end() ? 1.0 : found->second;
  };
  double apart = phase;
  const auto shake = [&](Line& line) {
    if (is_position(line.name)) return;
    const auto position = positions.find(base_of(line.name));
    const double own = size_of(line.name);
    const double largest = position == positions.end() ? own : std::max(own, size_of(position->second));
    constexpr double between = 2.4;  // phases of neighbouring lines
    apart += between;
    line.value = line.value + size * largest * call("cos", {frequency * (name("t") - model.start) + apart});
  };
  for (Line& line : next.derivatives) shake(line);
  for (Place& place : next.locations) {
    for (Line& line : place.derivatives) shake(line);
  }
  for (Part& part : next.automata) {
    for (Place& place : part.locations) {
      for (Line& line : place.derivatives) shake(line);
    }
  }
  return next;
}

}  // namespace slideway::validation::language
