#include "lib/c/called_model.hpp"

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

Direction direction_of(const std::string& word) {
  if (word == "rising") return Direction::rising;
  if (word == "falling") return Direction::falling;
  if (word != "any")
    refuse({.what = "there is no such direction",
            .where = "direction",
            .expected = "rising, falling or any",
            .got = word});
  return Direction::any;
}

Action action_of(const std::string& word) {
  if (word == "stop") return Action::stop;
  if (word == "record") return Action::record;
  if (word != "reset")
    refuse({.what = "there is no such action",
            .where = "action",
            .expected = "stop, record or reset",
            .got = word});
  return Action::reset;
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
  definition_.field = [field, user](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    CallbackStop::take(field(t, x.data(), lambda.data(), dx.data(), user), "the field");
  };
  if (surfaces > 0)
    definition_.guards = [guards, user](double t, ConstVectorRef x, VectorRef h) {
      CallbackStop::take(guards(t, x.data(), h.data(), user), "the guards");
    };
}

void CalledModel::set_derivatives(sw_field_along_function field, sw_along_function guards) {
  definition_.field_along = nullptr;
  definition_.guards_along = nullptr;
  void* const user = user_;
  if (field != nullptr)
    definition_.field_along = [field, user, value = definition_.field](
                                  double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                                  ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx,
                                  VectorRef dx_dot) {
      value(t, x, lambda, dx);
      CallbackStop::take(
          field(t, x.data(), lambda.data(), t_dot, x_dot.data(), lambda_dot.data(), dx_dot.data(), user),
          "the derivative of the field");
    };
  if (guards != nullptr)
    definition_.guards_along = [guards, user, value = definition_.guards](double t, ConstVectorRef x,
                                                                          double t_dot, ConstVectorRef x_dot,
                                                                          VectorRef h, VectorRef h_dot) {
      value(t, x, h);
      CallbackStop::take(guards(t, x.data(), t_dot, x_dot.data(), h_dot.data(), user),
                         "the derivative of the guards");
    };
}

void CalledModel::set_pattern(const std::string& derivative, const std::int64_t* starts,
                              const std::int64_t* columns) {
  const Index n = definition_.states, m = definition_.surfaces;
  if (derivative == "field_x")
    definition_.field_dx_pattern = pattern_of(n, n, starts, columns);
  else if (derivative == "field_lambda")
    definition_.field_dlambda_pattern = pattern_of(n, m, starts, columns);
  else if (derivative == "guards_x")
    definition_.guards_dx_pattern = pattern_of(m, n, starts, columns);
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
    definition_.guards_affine = true;
  else if (property == "relays_additive")
    definition_.relays_additive = true;
  else if (property == "field_affine")
    definition_.field_affine = definition_.relays_additive = true;
  else
    refuse({.what = "there is no such property",
            .where = "properties",
            .expected = "guards_affine, relays_additive or field_affine",
            .got = property});
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

Model CalledModel::model() const {
  Model model;
  model.name = definition_.name;
  const System system(definition_);
  model.state_names = system.state_names();
  model.instantiate = [system](const Settings& settings) {
    ModelInstance instance{.system = system, .start = 0, .end = 1, .state = Vector::Zero(system.states())};
    // The settings of all states come in their order.
    Index next = 0;
    for (const auto& [name, value] : settings) {
      const bool is_next =
          next < system.states() && system.state_names()[static_cast<std::size_t>(next)] == name;
      const Index state = is_next ? next : system.state_index(name);
      instance.state[state] = value;
      next = state + 1;
    }
    check_field(system, instance.start, instance.state);
    return instance;
  };
  return model;
}

}  // namespace slideway::door

using namespace slideway;
using namespace slideway::door;

namespace {

// Changes the callbacks of a model; as it was where that fails.
template <class Change>
int change_called(sw_model* model, Change&& change) {
  return answer(model, [&] {
    model->usable();
    if (!model->called)
      refuse({.what = "the model is a file, which says all of it",
              .where = "model",
              .expected = "one that sw_define() made"});
    auto next = std::make_shared<CalledModel>(*model->called);
    change(*next);
    model->model = std::make_shared<const Model>(next->model());
    model->called = std::move(next);
    model->forget_instance();
    return SW_OK;
  });
}

}  // namespace

int sw_define(int64_t n, int64_t m, const char* names, sw_field_function field, sw_function guards,
              void* user, sw_model** model) {
  return make(model, [&](sw_model& made) {
    auto called = std::make_shared<CalledModel>(n, m, names, field, guards, user);
    made.model = std::make_shared<const Model>(called->model());
    made.called = std::move(called);
    return SW_OK;
  });
}

int sw_declare(sw_model* model, const char* properties) {
  return change_called(model, [&](CalledModel& called) {
    for (const std::string& property : parts_of(given(properties, "properties"))) called.declare(property);
  });
}

int sw_set_discrete(sw_model* model, int64_t count) {
  return change_called(model, [&](CalledModel& called) { called.set_discrete(count); });
}

int sw_set_derivatives(sw_model* model, sw_field_along_function field_along, sw_along_function guards_along) {
  return change_called(model,
                       [&](CalledModel& called) { called.set_derivatives(field_along, guards_along); });
}

int sw_set_pattern(sw_model* model, const char* derivative, const int64_t* starts, const int64_t* columns) {
  return change_called(model, [&](CalledModel& called) {
    called.set_pattern(given(derivative, "derivative"), given(starts, "starts"), given(columns, "columns"));
  });
}

int sw_add_event(sw_model* model, const char* name, const char* direction, const char* action,
                 sw_function guard, sw_jump_function jump) {
  return change_called(model, [&](CalledModel& called) {
    Event event{.name = given(name, "name"),
                .when = called.guard(given(guard, "guard"), "the guard of an event"),
                .direction = direction_of(given(direction, "direction")),
                .action = action_of(given(action, "action"))};
    if (event.action == Action::reset) event.reset = called.reset(given(jump, "jump"), "a jump");
    called.add_event(std::move(event));
  });
}

int sw_add_times(sw_model* model, const char* name, double offset, double period, sw_jump_function jump) {
  return change_called(model, [&](CalledModel& called) {
    if (!std::isfinite(offset) || !std::isfinite(period) || period < 0)
      refuse({.what = "there are no such times",
              .where = "period",
              .expected = "finite numbers, and a period of 0 or more",
              .got = fmt::format("{} and {}", offset, period)});
    TimeEvent event{.name = given(name, "name"), .reset = called.reset(given(jump, "jump"), "a jump")};
    if (period > 0) {
      event.offset = offset;
      event.period = period;
    } else {
      event.at = {offset};
    }
    called.add_time_event(std::move(event));
  });
}

int sw_add_contact(sw_model* model, const char* name, sw_function gap, sw_function acts_on,
                   double restitution, int64_t surface, sw_function friction, double coefficient) {
  return change_called(model, [&](CalledModel& called) {
    if (!(restitution >= 0 && restitution <= 1))
      refuse({.what = "there is no such restitution",
              .where = "restitution",
              .expected = "a number from 0 to 1",
              .got = fmt::format("{}", restitution)});
    Contact contact{.name = given(name, "name"),
                    .gap = called.guard(given(gap, "gap"), "a gap"),
                    .acts_on = called.force(given(acts_on, "acts_on"), "a contact"),
                    .restitution = [restitution](double) { return restitution; }};
    if (friction != nullptr) {
      const std::size_t of = index_in(surface, static_cast<std::size_t>(called.surfaces()), "surface");
      if (!(coefficient >= 0) || !std::isfinite(coefficient))
        refuse({.what = "there is no such coefficient of friction",
                .where = "coefficient",
                .expected = "a number from 0 on",
                .got = fmt::format("{}", coefficient)});
      contact.friction =
          ContactFriction{.surface = static_cast<Index>(of),
                          .coefficient = [coefficient](double, ConstVectorRef) { return coefficient; },
                          .acts_on = called.force(friction, "friction")};
    }
    called.add_contact(std::move(contact));
  });
}
