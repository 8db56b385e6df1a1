#include "lib/c/called_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "lib/c/handle.hpp"
#include "lib/c/model.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/pattern.hpp"
#include "slideway/model/check.hpp"

namespace slideway::door {
namespace {

thread_local CallbackStop* current_stop = nullptr;

std::vector<std::string> names_in(const char* names, Index count) {
  if (names == nullptr) return {};
  std::vector<std::string> parts = parts_of(names);
  if (static_cast<Index>(parts.size()) != count)
    refuse({.what = "the names are not as many as states and surfaces",
            .where = "names",
            .expected = fmt::format("{} names with blanks between, or NULL", count),
            .got = fmt::format("{}", parts.size())});
  return parts;
}

Pattern pattern_of(Index rows, Index columns, const std::int64_t* starts, const std::int64_t* entries) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) {
    if (starts[i] < 0 || starts[i + 1] < starts[i])
      refuse({.what = "the rows of a pattern do not follow each other",
              .where = fmt::format("starts[{}]", i + 1),
              .expected = fmt::format("no less than {}", starts[i]),
              .got = fmt::format("{}", starts[i + 1])});
    for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) {
      const bool follows = k == starts[i] || entries[k] > entries[k - 1];
      if (entries[k] < 0 || entries[k] >= columns || !follows)
        refuse({.what = "a pattern has no such column",
                .where = fmt::format("columns[{}]", k),
                .expected = fmt::format("numbers from 0 to {} that increase in each row", columns - 1),
                .got = fmt::format("{}", entries[k])});
      lists[static_cast<std::size_t>(i)].push_back(static_cast<Index>(entries[k]));
    }
  }
  return pattern_from_rows(columns, lists);
}

// Derivatives that are declared constant are compared with differences, at the state and beside it.
void check_declared(const System& system, double t, const Vector& state) {
  const SystemDefinition& definition = system.definition();
  const bool is_declared = definition.guards_affine || definition.relays_additive || definition.field_affine;
  constexpr Index most_states = 300;
  if (!is_declared || system.states() > most_states) return;
  const Vector lambda = Vector::Constant(system.surfaces(), 0.5);
  const Vector beside = state + 0.3 * (state.cwiseAbs() + Vector::Ones(state.size()));
  for (const Vector& x : {state, beside}) {
    DerivativeCheck check;
    try {
      check = check_derivatives(system, x == state ? t : t + 0.7, x, lambda);
    } catch (const std::domain_error&) {
      continue;
    }
    if (!check.passed) throw Refused(SW_MODEL, check.message);
  }
}

// A field that asks for the sign of λ gives no combination of its two sides.
void check_field(const System& system, double t, const Vector& state) {
  check_callable(system, t, state);
  constexpr Index most_surfaces = 100;
  if (system.surfaces() == 0 || system.surfaces() > most_surfaces) return;
  const MultiAffineCheck check = check_multi_affine(system, t, state);
  if (!check.passed) throw Refused(SW_MODEL, check.message);
  check_declared(system, t, state);
}

// Takes field and guards, where they are given, in place of those of the definition.
void set_functions(SystemDefinition& definition, sw_field_function field, sw_function guards, void* user) {
  if (field != nullptr)
    definition.field = [field, user](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
      CallbackStop::take(field(t, x.data(), lambda.data(), dx.data(), user), "the field");
    };
  if (definition.surfaces > 0 && guards != nullptr)
    definition.guards = [guards, user](double t, ConstVectorRef x, VectorRef h) {
      CallbackStop::take(guards(t, x.data(), h.data(), user), "the guards");
    };
}

}  // namespace

CallbackStop::CallbackStop() : outer_(current_stop) { current_stop = this; }
CallbackStop::~CallbackStop() { current_stop = outer_; }

void CallbackStop::take(int code, const char* what) {
  if (code == 0) return;
  if (code < 0)
    throw std::domain_error(fmt::format("{} has no value here (the callback returned {})", what, code));
  if (current_stop != nullptr) current_stop->asked_ = true;
}

CalledModel::CalledModel(Index states, Index surfaces, const char* names, sw_field_function field,
                         sw_function guards, void* user)
    : user_(user) {
  if (states < 1)
    refuse({.what = "a model has states",
            .where = "n",
            .expected = "at least 1",
            .got = fmt::format("{}", states)});
  if (surfaces < 0)
    refuse({.what = "a model has no negative number of surfaces",
            .where = "m",
            .expected = "0 or more",
            .got = fmt::format("{}", surfaces)});
  given(field, "field");
  if (surfaces > 0) given(guards, "guards");
  definition_.name = "model";
  definition_.states = states;
  definition_.surfaces = surfaces;
  const std::vector<std::string> all = names_in(names, states + surfaces);
  if (!all.empty()) {
    definition_.state_names.assign(all.begin(), all.begin() + states);
    definition_.surface_names.assign(all.begin() + states, all.end());
  }
  set_functions(definition_, field, guards, user);
}

void CalledModel::set_derivatives(sw_field_along_function field, sw_along_function guards) {
  SystemDefinition& of = current();
  of.field_along = nullptr;
  of.guards_along = nullptr;
  void* const user = user_;
  if (field != nullptr)
    of.field_along = [field, user, value = of.field](
                         double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                         ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx, VectorRef dx_dot) {
      value(t, x, lambda, dx);
      CallbackStop::take(
          field(t, x.data(), lambda.data(), t_dot, x_dot.data(), lambda_dot.data(), dx_dot.data(), user),
          "the derivative of the field");
    };
  if (guards != nullptr)
    of.guards_along = [guards, user, value = of.guards](double t, ConstVectorRef x, double t_dot,
                                                        ConstVectorRef x_dot, VectorRef h, VectorRef h_dot) {
      value(t, x, h);
      CallbackStop::take(guards(t, x.data(), t_dot, x_dot.data(), h_dot.data(), user),
                         "the derivative of the guards");
    };
}

void CalledModel::set_jacobian(sw_matrix_function jacobian) {
  SystemDefinition& of = current();
  of.field_dx = nullptr;
  if (jacobian == nullptr) return;
  of.field_dx = [jacobian, user = user_](double t, ConstVectorRef x, ConstVectorRef lambda,
                                         MatrixRef derivative) {
    // The columns of a reference need not lie behind each other.
    Matrix whole = Matrix::Zero(derivative.rows(), derivative.cols());
    CallbackStop::take(jacobian(t, x.data(), lambda.data(), whole.data(), user), "the Jacobian");
    derivative = whole;
  };
}

void CalledModel::set_pattern(const std::string& derivative, const std::int64_t* starts,
                              const std::int64_t* columns) {
  const Index n = definition_.states, m = definition_.surfaces;
  if (derivative == "field_x")
    current().field_dx_pattern = pattern_of(n, n, starts, columns);
  else if (derivative == "field_lambda")
    current().field_dlambda_pattern = pattern_of(n, m, starts, columns);
  else if (derivative == "guards_x")
    current().guards_dx_pattern = pattern_of(m, n, starts, columns);
  else
    refuse({.what = "there is no such derivative",
            .where = "derivative",
            .expected = "field_x, field_lambda or guards_x",
            .got = derivative});
}

void CalledModel::set_discrete(Index count) {
  if (count < 0 || count >= definition_.states)
    refuse({.what = "there are no so many discrete states",
            .where = "count",
            .expected = fmt::format("a number from 0 to {}", definition_.states - 1),
            .got = fmt::format("{}", count)});
  definition_.discrete = count;
}

void CalledModel::declare(const std::string& property) {
  if (property == "guards_affine")
    current().guards_affine = true;
  else if (property == "relays_additive")
    current().relays_additive = true;
  else if (property == "field_affine")
    current().field_affine = current().relays_additive = true;
  else
    refuse({.what = "there is no such property",
            .where = "properties",
            .expected = "guards_affine, relays_additive or field_affine",
            .got = property});
}

void CalledModel::add_location(const std::string& name, sw_field_function field, sw_function guards) {
  for (const auto& [known, functions] : locations_)
    if (known == name)
      refuse({.what = "two locations have one name",
              .where = "name",
              .expected = "another one",
              .got = "'" + name + "'"});
  if (name.empty())
    refuse({.what = "a location has no name", .where = "name", .expected = "a word", .got = "''"});
  SystemDefinition functions = definition_;
  // Derivatives and properties of another function do not hold for this one.
  if (field != nullptr) {
    functions.field_along = nullptr;
    functions.field_dx = nullptr;
    functions.field_dx_pattern.reset();
    functions.field_dlambda_pattern.reset();
    functions.relays_additive = functions.field_affine = false;
  }
  if (guards != nullptr) {
    functions.guards_along = nullptr;
    functions.guards_dx_pattern.reset();
    functions.guards_affine = false;
  }
  set_functions(functions, field, guards, user_);
  locations_.emplace_back(name, std::move(functions));
}

void CalledModel::set_break_away(sw_function above, sw_function below) {
  const auto ratios = [user = user_](sw_function function) -> GuardFunction {
    if (function == nullptr) return {};
    return [function, user](double t, ConstVectorRef x, VectorRef ratio) {
      CallbackStop::take(function(t, x.data(), ratio.data(), user), "break-away");
    };
  };
  definition_.break_away = ratios(above);
  definition_.break_away_below = ratios(below);
}

Contact& CalledModel::contact(const std::string& name) {
  std::vector<std::string> known;
  for (Contact& contact : definition_.contacts) {
    if (contact.name == name) return contact;
    known.push_back(contact.name);
  }
  refuse({.what = "there is no such contact",
          .where = "contact",
          .expected = known.empty() ? "one that sw_add_contact() has added"
                                    : fmt::format("one of {}", fmt::join(known, ", ")),
          .got = "'" + name + "'"});
}

std::vector<Index> CalledModel::states_named(const std::string& names) const {
  const System system(definition_);
  std::vector<Index> states;
  for (const std::string& name : parts_of(names)) states.push_back(system.state_index(name));
  return states;
}

void CalledModel::set_delay(Delay& delay, OptionText& options) const {
  if (const auto value = taken(options, "delay")) delay.time = number_of("delay", *value);
  if (const auto value = taken(options, "sets")) delay.sets = states_named(*value);
  if (const auto value = taken(options, "values")) {
    if (*value != "trigger" && *value != "execution")
      refuse({.what = "there is no such choice",
              .where = "values",
              .expected = "trigger or execution",
              .got = *value});
    delay.values = *value == "trigger" ? DelayedValues::trigger : DelayedValues::execution;
  }
  if (!(delay.time >= 0))
    refuse({.what = "a delay is a time to come",
            .where = "delay",
            .expected = "a number from 0 on",
            .got = fmt::format("{}", delay.time)});
  if (delay.time > 0 && delay.values == DelayedValues::trigger && delay.sets.empty())
    refuse({.what = "a delayed jump with the values of its trigger says which states it sets",
            .where = "sets",
            .expected = "sets=NAME,NAME or values=execution beside the delay",
            .got = "neither"});
}

void CalledModel::set_event_options(const std::string& name, OptionText options) {
  const auto take_priority = [&](int& priority) {
    if (const auto value = taken(options, "priority"))
      priority = static_cast<int>(whole_number_of("priority", *value, -1'000'000));
  };
  const auto take_crossing = [&](auto& event) {
    if (const auto value = taken(options, "across_jumps")) {
      if (*value != "true" && *value != "false")
        refuse({.what = "there is no such choice",
                .where = "across_jumps",
                .expected = "true or false",
                .got = *value});
      event.across_jumps = *value == "true";
    }
    if (const auto value = taken(options, "initially")) {
      if (*value != "fire" && *value != "wait")
        refuse({.what = "there is no such choice",
                .where = "initially",
                .expected = "fire or wait",
                .got = *value});
      event.initially = *value == "fire" ? Initially::fire : Initially::wait;
    }
    if (const auto value = taken(options, "at_zero")) {
      if (*value != "holds" && *value != "fails")
        refuse({.what = "there is no such choice",
                .where = "at_zero",
                .expected = "holds or fails",
                .got = *value});
      event.at_zero = *value == "holds" ? AtZero::holds : AtZero::fails;
    }
  };
  const auto is_meant = [&](const auto& one) { return one.name == name; };
  const auto last_of = [&](auto& list) {
    const auto place = std::find_if(list.rbegin(), list.rend(), is_meant);
    return place == list.rend() ? nullptr : &*place;
  };
  std::string kind;
  if (Event* const event = last_of(definition_.events)) {
    kind = event->action == Action::reset
               ? "a reset takes delay, values, sets, priority, initially, at_zero and across_jumps"
               : "a stop or record takes initially, at_zero and across_jumps";
    if (event->action == Action::reset) {
      take_priority(event->priority);
      set_delay(event->delay, options);
    }
    take_crossing(*event);
  } else if (Edge* const edge = last_of(edges_)) {
    kind = "an edge takes delay, values, sets, priority, initially, at_zero, across_jumps and zeno";
    take_priority(edge->priority);
    take_crossing(*edge);
    if (const auto value = taken(options, "zeno")) edge->zeno = *value;
    set_delay(edge->delay, options);
  } else if (TimeEvent* const times = last_of(definition_.time_events)) {
    kind = "times take priority and count";
    take_priority(times->priority);
    if (const auto value = taken(options, "count")) times->count = whole_number_of("count", *value, 1);
  } else {
    refuse({.what = "there is no such event",
            .where = "name",
            .expected = "that of an event, times or an edge which has been added",
            .got = "'" + name + "'"});
  }
  if (!options.empty())
    refuse({.what = "an event has no such option",
            .where = "'" + name + "'",
            .expected = kind,
            .got = options.front().first});
}

Guard CalledModel::guard_of_edges(sw_function function) {
  for (const auto& [known, guard] : edge_guards_)
    if (known == function) return guard;
  return edge_guards_.emplace_back(function, guard(function, "the guard of an edge")).second;
}

Guard CalledModel::guard_of(sw_function function, Index k, Index count, const char* what) const {
  GuardFunctions functions;
  functions.value = [function, k, count, what, user = user_](double t, ConstVectorRef x) {
    Vector values = Vector::Zero(count);
    CallbackStop::take(function(t, x.data(), values.data(), user), what);
    return values[k];
  };
  return Guard(std::move(functions));
}

ForceFunction CalledModel::force_of(sw_function function, Index k, Index count, const char* what) const {
  const Index n = definition_.states;
  return [function, k, count, n, what, user = user_](double t, ConstVectorRef x, VectorRef b) {
    Vector all = Vector::Zero(count * n);
    CallbackStop::take(function(t, x.data(), all.data(), user), what);
    b = all.segment(k * n, n);
  };
}

CoefficientFunction CalledModel::coefficient(sw_function function, const char* what) const {
  return [function, what, user = user_](double t, ConstVectorRef x) {
    double value = 0;
    CallbackStop::take(function(t, x.data(), &value, user), what);
    return value;
  };
}

Guard CalledModel::guard(sw_function function, const char* what) const {
  GuardFunctions functions;
  functions.value = [function, what, user = user_](double t, ConstVectorRef x) {
    double value = 0;
    CallbackStop::take(function(t, x.data(), &value, user), what);
    return value;
  };
  return Guard(std::move(functions));
}

ResetFunction CalledModel::reset(sw_jump_function function, const char* what) const {
  return [function, what, user = user_](double t, ConstVectorRef before, VectorRef after) {
    CallbackStop::take(function(t, before.data(), after.data(), user), what);
  };
}

ForceFunction CalledModel::force(sw_function function, const char* what) const {
  return [function, what, user = user_](double t, ConstVectorRef x, VectorRef b) {
    CallbackStop::take(function(t, x.data(), b.data(), user), what);
  };
}

System CalledModel::system_of(const SystemDefinition& functions) const {
  SystemDefinition whole = definition_;
  whole.field = functions.field;
  whole.guards = functions.guards;
  whole.field_dx = functions.field_dx;
  whole.field_along = functions.field_along;
  whole.guards_along = functions.guards_along;
  whole.field_dx_pattern = functions.field_dx_pattern;
  whole.field_dlambda_pattern = functions.field_dlambda_pattern;
  whole.guards_dx_pattern = functions.guards_dx_pattern;
  whole.relays_additive = functions.relays_additive;
  whole.field_affine = functions.field_affine;
  whole.guards_affine = functions.guards_affine;
  return System(std::move(whole));
}

Model CalledModel::model() const {
  Model model;
  model.name = definition_.name;
  std::vector<Location> locations;
  for (const auto& [name, functions] : locations_) locations.push_back({name, system_of(functions)});
  std::optional<Automaton> automaton;
  if (!locations.empty()) {
    // An edge may lead to a location that is not there yet.
    const auto is_there = [&](const std::string& name) {
      return name.empty() || std::any_of(locations.begin(), locations.end(),
                                         [&](const Location& location) { return location.name == name; });
    };
    const bool is_complete = std::all_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
      return is_there(edge.from) && is_there(edge.to) && is_there(edge.zeno);
    });
    if (is_complete) automaton.emplace(locations, edges_, locations.front().name);
  }
  const System system = locations.empty() ? System(definition_) : locations.front().system;
  model.state_names = system.state_names();
  const bool lacks_locations = !edges_.empty() && !automaton;
  model.instantiate = [system, automaton, locations, lacks_locations](const Settings& settings) {
    if (lacks_locations)
      throw Refused(SW_MODEL,
                    "an edge leads from or to a location that is not there; sw_add_location() adds one");
    ModelInstance instance{.system = system, .start = 0, .end = 1, .state = Vector::Zero(system.states())};
    instance.automaton = automaton;
    // The settings of all states come in their order.
    Index next = 0;
    for (const auto& [name, value] : settings) {
      const bool is_next =
          next < system.states() && system.state_names()[static_cast<std::size_t>(next)] == name;
      const Index state = is_next ? next : system.state_index(name);
      instance.state[state] = value;
      next = state + 1;
    }
    if (locations.empty()) check_field(system, instance.start, instance.state);
    for (const Location& location : locations) check_field(location.system, instance.start, instance.state);
    return instance;
  };
  return model;
}

}  // namespace slideway::door
