// The functions of the C interface by which a model is made of callbacks.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lib/c/called_model.hpp"
#include "lib/c/handle.hpp"
#include "lib/c/model.hpp"
#include "slideway/core/errors.hpp"

using namespace slideway;
using namespace slideway::door;

namespace {

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

Automaton with_event(const Automaton& problem, const Event& event) {
  std::vector<Location> locations = problem.locations();
  for (Location& location : locations) location.system = location.system.with_events({event});
  if (!problem.has_locations()) return {locations.front().system};
  return {locations, problem.edges(), locations[problem.initial()].name};
}

// The model of a file with one more event.
Model with_event(const std::shared_ptr<const Model>& file, const Event& event) {
  Model model = *file;
  model.instantiate = [file, event](const Settings& settings) {
    ModelInstance instance = file->instantiate(settings);
    instance.system = instance.system.with_events({event});
    if (instance.automaton) instance.automaton = with_event(*instance.automaton, event);
    return instance;
  };
  if (file->extend)
    model.extend = [file, event](const Settings& settings, const std::vector<std::string>& parameters) {
      ExtendedProblem extended = file->extend(settings, parameters);
      extended.problem = with_event(extended.problem, event);
      return extended;
    };
  return model;
}

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
  const auto event_of = [&](const CalledModel& called) {
    Event event{.name = given(name, "name"),
                .when = called.guard(given(guard, "guard"), "the guard of an event"),
                .direction = direction_of(given(direction, "direction")),
                .action = action_of(given(action, "action"))};
    if (event.action == Action::reset) event.reset = called.reset(given(jump, "jump"), "a jump");
    return event;
  };
  if (model == nullptr || model->called || !model->model)
    return change_called(model, [&](CalledModel& called) { called.add_event(event_of(called)); });
  return answer(model, [&] {
    const CalledModel functions(
        static_cast<Index>(model->model->state_names.size()), 0, nullptr,
        [](double, const double*, const double*, double*, void*) { return 0; }, nullptr, nullptr);
    model->model = std::make_shared<const Model>(with_event(model->model, event_of(functions)));
    model->has_called_events = true;
    model->forget_instance();
    return SW_OK;
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

int sw_set_jacobian(sw_model* model, sw_matrix_function jacobian) {
  return change_called(model, [&](CalledModel& called) { called.set_jacobian(jacobian); });
}

int sw_set_break_away(sw_model* model, sw_function above, sw_function below) {
  return change_called(model, [&](CalledModel& called) {
    if (called.surfaces() == 0)
      refuse({.what = "there is nothing that could break away",
              .where = "model",
              .expected = "a model with surfaces",
              .got = "none"});
    if (below != nullptr) given(above, "above");
    called.set_break_away(above, below);
  });
}

int sw_event_options(sw_model* model, const char* name, const char* options) {
  return change_called(model, [&](CalledModel& called) {
    called.set_event_options(given(name, "name"), options_in(given(options, "options")));
  });
}

int sw_add_location(sw_model* model, const char* name, sw_field_function field, sw_function guards) {
  return change_called(model,
                       [&](CalledModel& called) { called.add_location(given(name, "name"), field, guards); });
}

int sw_add_edge(sw_model* model, const char* name, const char* from, const char* to, const char* direction,
                sw_function guard, sw_jump_function jump) {
  return change_called(model, [&](CalledModel& called) {
    Edge edge{.name = given(name, "name"),
              .from = given(from, "from"),
              .to = given(to, "to"),
              .when = called.guard_of_edges(given(guard, "guard")),
              .direction = direction_of(given(direction, "direction"))};
    if (jump != nullptr) edge.reset = called.reset(jump, "a jump");
    called.add_edge(std::move(edge));
  });
}

int sw_add_cone(sw_model* model, const char* contact, sw_function velocities, sw_function acts_on,
                double coefficient, double at_rest) {
  return change_called(model, [&](CalledModel& called) {
    Contact& of = called.contact(given(contact, "contact"));
    given(velocities, "velocities");
    given(acts_on, "acts_on");
    if (of.friction)
      refuse({.what = "a contact has friction along a line already",
              .where = "'" + of.name + "'",
              .expected = "a contact without friction",
              .got = "one with friction"});
    if (!(coefficient >= 0) || !std::isfinite(coefficient))
      refuse({.what = "there is no such coefficient of friction",
              .where = "coefficient",
              .expected = "a number from 0 on",
              .got = fmt::format("{}", coefficient)});
    if (!(at_rest >= 1) || !std::isfinite(at_rest))
      refuse({.what = "there is no such ratio of friction at rest",
              .where = "at_rest",
              .expected = "a number from 1 on",
              .got = fmt::format("{}", at_rest)});
    ConeFriction cone;
    for (Index k = 0; k < 2; ++k) {
      const auto place = static_cast<std::size_t>(k);
      cone.velocities[place] = called.guard_of(velocities, k, 2, "a velocity");
      cone.acts_on[place] = called.force_of(acts_on, k, 2, "friction");
    }
    cone.coefficient = [coefficient](double, ConstVectorRef) { return coefficient; };
    if (at_rest > 1) cone.at_rest = [at_rest](double, ConstVectorRef) { return at_rest; };
    of.cone = std::move(cone);
  });
}

int sw_contact_options(sw_model* model, const char* contact, const char* options) {
  return change_called(model, [&](CalledModel& called) {
    Contact& of = called.contact(given(contact, "contact"));
    OptionText words = options_in(given(options, "options"));
    const auto choose = [&](const char* name, const char* first, const char* second) -> std::optional<bool> {
      const std::optional<std::string> value = taken(words, name);
      if (!value) return std::nullopt;
      if (*value != first && *value != second)
        refuse({.what = "there is no such choice",
                .where = name,
                .expected = fmt::format("{} or {}", first, second),
                .got = *value});
      return *value == first;
    };
    if (const auto is_newton = choose("impact_law", "newton", "poisson"))
      of.impact_law = *is_newton ? ImpactLaw::newton : ImpactLaw::poisson;
    if (const auto is_followed = choose("impact_friction", "followed", "at_end"))
      of.impact_friction = *is_followed ? ImpactFriction::followed : ImpactFriction::at_end;
    if (!words.empty())
      refuse({.what = "a contact has no such option",
              .where = "options",
              .expected = "impact_law or impact_friction",
              .got = words.front().first});
  });
}

int sw_contact_functions(sw_model* model, const char* contact, sw_function restitution,
                         sw_function coefficient) {
  return change_called(model, [&](CalledModel& called) {
    Contact& of = called.contact(given(contact, "contact"));
    if (restitution != nullptr) of.restitution_at = called.coefficient(restitution, "a restitution");
    if (coefficient == nullptr) return;
    if (!of.friction && !of.cone)
      refuse({.what = "a contact without friction has no coefficient",
              .where = "'" + of.name + "'",
              .expected = "friction of sw_add_contact() or sw_add_cone()",
              .got = "none"});
    const CoefficientFunction of_friction = called.coefficient(coefficient, "a coefficient of friction");
    if (of.friction) of.friction->coefficient = of_friction;
    if (of.cone) of.cone->coefficient = of_friction;
  });
}
