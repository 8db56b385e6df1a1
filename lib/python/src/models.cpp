// Models and problems as Python sees them.

#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "apps/comparison.hpp"
#include "apps/comparison_documents.hpp"
#include "apps/gallery.hpp"
#include "apps/load_model.hpp"
#include "apps/model_check.hpp"
#include "apps/stoppable.hpp"
#include "lib/python/src/callbacks.hpp"
#include "lib/python/src/run.hpp"
#include "models/registry.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/io/quantity_words.hpp"
#include "slideway/sweep/samples.hpp"

namespace slideway::python {

namespace py = pybind11;

namespace {

std::shared_ptr<Problem> instantiate(const std::shared_ptr<Model>& model, const Settings& settings) {
  const py::gil_scoped_release unlocked;
  return std::make_shared<Problem>(
      Problem{.model = model, .instance = model->instantiate(settings), .settings = settings});
}

std::shared_ptr<Problem> called_problem(const PythonField& parts, double start, double end,
                                        const Vector& state, const std::string& name) {
  auto model = std::make_shared<Model>();
  model->name = name;
  model->equations = {"a Python function, which is called"};
  System system = system_of(parts);
  model->state_names = system.state_names();
  return std::make_shared<Problem>(
      Problem{.model = model,
              .instance = {.system = std::move(system), .start = start, .end = end, .state = state},
              .calls_python = true});
}

// The same problem with events of Python functions, each (name, function, direction, action).
std::shared_ptr<Problem> with_events(const Problem& problem, const py::list& events) {
  if (problem.instance.automaton)
    throw std::invalid_argument("events that are Python functions do not go with locations");
  std::vector<Event> made;
  for (const auto& item : events) {
    const auto [name, when, direction, action] =
        py::cast<std::tuple<std::string, py::object, int, std::string>>(item);
    made.push_back(event_of(name, when,
                            direction > 0   ? Direction::rising
                            : direction < 0 ? Direction::falling
                                            : Direction::any,
                            action == "stop" ? Action::stop : Action::record));
  }
  auto result = std::make_shared<Problem>(problem);
  result->instance.system = problem.instance.system.with_events(std::move(made));
  result->calls_python = true;
  return result;
}

// The same problem with discrete states that Python functions set: in `resets`, each (name, guard, state, function), where the guard falls
// through zero, and in `timed`, each (name, times, state, function), at known times.
std::shared_ptr<Problem> with_steps(const Problem& problem, const py::list& resets, const py::list& timed) {
  std::vector<Event> events;
  for (const auto& item : resets) {
    const auto [name, when, state, value] =
        py::cast<std::tuple<std::string, py::object, Index, py::object>>(item);
    Event event = event_of(name, when, Direction::falling, Action::reset);
    event.reset = reset_of(state, value);
    events.push_back(std::move(event));
  }
  // Other jumps of the same instant read what is set here.
  constexpr int before_all = std::numeric_limits<int>::max();
  std::vector<TimeEvent> time_events;
  for (const auto& item : timed) {
    const auto [name, times, state, value] =
        py::cast<std::tuple<std::string, std::vector<double>, Index, py::object>>(item);
    time_events.push_back(
        {.name = name, .at = times, .reset = reset_of(state, value), .priority = before_all});
  }
  auto result = std::make_shared<Problem>(problem);
  result->instance.system =
      problem.instance.system.with_events(std::move(events)).with_time_events(std::move(time_events));
  return result;
}

const System& system_at(const Problem& problem, const Automaton& automaton, const std::string& location) {
  if (location.empty()) return problem.instance.automaton ? automaton.system() : problem.instance.system;
  return automaton.locations()[automaton.location_index(location)].system;
}

Vector guards(const Problem& problem, double t, const Vector& state) {
  const CallErrors errors;
  Vector h(problem.instance.system.surfaces());
  problem.instance.system.guards(t, state, h);
  return h;
}

// The field at λ, or, where none is given, on the side of every surface where the state is.
Vector field(const Problem& problem, double t, const Vector& state, const std::optional<Vector>& lambda,
             const std::string& location) {
  const CallErrors errors;
  const Automaton automaton = problem.instance.problem();
  const System& system = system_at(problem, automaton, location);
  if (state.size() != system.states() || (lambda && lambda->size() != system.surfaces()))
    throw std::invalid_argument("the state or lambda is of the wrong size");
  Vector sides(system.surfaces());
  if (lambda) {
    sides = *lambda;
  } else {
    system.guards(t, state, sides);
    for (double& side : sides) side = side < 0 ? -1 : 1;
  }
  Vector dx = Vector::Zero(system.states());
  system.field(t, state, sides, dx);
  return dx;
}

py::object number_or_none(double value) {
  return std::isfinite(value) ? py::object(py::float_(value)) : py::object(py::none());
}

py::dict check(const std::shared_ptr<Model>& model, const Problem& problem, double end,
               const py::dict& given) {
  apps::ModelCheck answer;
  {
    ModelInstance instance = problem.instance;
    instance.end = end;
    const Options options = options_from(given, model->defaults);
    const CallErrors errors;
    if (problem.calls_python) {
      answer = apps::check_model(model->name, instance, options);
    } else {
      const py::gil_scoped_release unlocked;
      answer = apps::check_model(model->name, instance, options);
    }
  }
  py::dict made;
  made["model"] = answer.model;
  made["states"] = answer.states;
  made["surfaces"] = answer.surfaces;
  made["derivatives"] = py::none();
  if (answer.derivatives) {
    py::dict derivatives;
    derivatives["passed"] = answer.derivatives->passed;
    derivatives["function"] = answer.derivatives->function;
    derivatives["relative_error"] = number_or_none(answer.derivatives->relative_error);
    derivatives["message"] = answer.derivatives->message;
    made["derivatives"] = derivatives;
  }
  made["multi_affine"] = py::none();
  if (answer.multi_affine) {
    py::dict multi_affine;
    multi_affine["passed"] = answer.multi_affine->passed;
    multi_affine["relative_error"] = number_or_none(answer.multi_affine->relative_error);
    made["multi_affine"] = multi_affine;
  }
  py::list met;
  for (const apps::SurfaceAtStart& surface : answer.met) {
    py::dict item;
    item["surface"] = surface.name;
    item["w_minus"] = number_or_none(surface.w_minus);
    item["w_plus"] = number_or_none(surface.w_plus);
    item["kind"] = surface.kind;
    met.append(item);
  }
  made["start"] = answer.start;
  made["mode"] = answer.mode;
  made["location"] = answer.location;
  made["met"] = met;
  made["continuations"] = answer.continuations;
  py::list scales;
  for (const apps::StateScale& scale : answer.scales) {
    py::dict item;
    item["state"] = scale.name;
    item["initial"] = number_or_none(scale.initial);
    item["greatest"] = number_or_none(scale.greatest);
    item["atol"] = number_or_none(scale.atol);
    scales.append(item);
  }
  made["scales"] = scales;
  py::dict trial;
  trial["status"] = to_string(answer.trial.status);
  trial["t"] = answer.trial.t;
  trial["steps"] = answer.trial_steps;
  trial["events"] = answer.trial_events;
  made["trial"] = trial;
  py::list findings;
  const auto find = [&](const char* severity, const std::string& text) {
    py::dict item;
    item["severity"] = severity;
    item["text"] = text;
    findings.append(item);
  };
  for (const apps::Finding& finding : answer.findings)
    find(finding.severity == apps::Severity::problem   ? "problem"
         : finding.severity == apps::Severity::warning ? "warning"
                                                       : "hint",
         finding.text);
  for (const std::string& remark : model->remarks) find("hint", remark);
  made["findings"] = findings;
  made["passed"] = !answer.has_problem();
  return made;
}

// The document of schema slideway.compare/1.
std::string compare(const std::shared_ptr<Model>& model, const Problem& problem, double end,
                    const py::dict& given, const py::dict& planned,
                    const std::shared_ptr<Cancellation>& cancellation) {
  ModelInstance instance = problem.instance;
  instance.end = end;
  const Options options = options_from(given, model->defaults);
  apps::ComparisonPlan plan;
  for (const auto& [key, value] : planned) {
    const auto name = py::cast<std::string>(key);
    if (value.is_none()) continue;
    if (name == "epsilon") plan.epsilon = py::cast<double>(value);
    if (name == "step") plan.step = py::cast<double>(value);
    if (name == "error") plan.target = py::cast<double>(value);
    if (name == "bisections") plan.bisections = py::cast<Index>(value);
    if (name == "checkpoints") plan.checkpoints = py::cast<Index>(value);
    if (name == "levels") plan.levels = py::cast<Index>(value);
    if (name == "repeats") plan.repeats = py::cast<Index>(value);
    if (name == "max_evaluations") plan.most_evaluations = py::cast<Index>(value);
  }
  std::ostringstream out;
  const auto follow = [&] {
    const ModelInstance stoppable = apps::stoppable(instance, stop_question(cancellation));
    const apps::Comparison comparison = apps::compare_approaches(stoppable, options, plan);
    apps::write_comparison_json({model->name, instance, options}, comparison, out);
  };
  const CallErrors errors;
  if (problem.calls_python) {
    follow();
  } else {
    const py::gil_scoped_release unlocked;
    follow();
  }
  return out.str();
}

py::dict defaults(const Model& model) {
  py::dict made;
  const ModelDefaults& from = model.defaults;
  if (from.rtol > 0) made["rtol"] = from.rtol;
  if (!from.atol.empty()) made["atol"] = from.atol;
  if (!from.method.empty()) made["method"] = from.method;
  if (!from.on_ambiguity.empty()) made["on_ambiguity"] = from.on_ambiguity;
  if (!from.sliding_rule.empty()) made["sliding_rule"] = from.sliding_rule;
  if (!from.linear_solver.empty()) made["linear_solver"] = from.linear_solver;
  if (!from.selection.empty()) made["selection"] = from.selection;
  if (!from.observe.empty()) made["observe"] = from.observe;
  if (from.max_step > 0) made["max_step"] = from.max_step;
  if (from.max_events > 0) made["max_events"] = from.max_events;
  if (from.max_steps > 0) made["max_steps"] = from.max_steps;
  return made;
}

std::vector<std::string> event_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const Event& event : problem.instance.system.events()) names.push_back(event.name);
  for (const TimeEvent& event : problem.instance.system.time_events()) names.push_back(event.name);
  for (const Contact& contact : problem.instance.system.contacts()) names.push_back(contact.name);
  if (problem.instance.automaton)
    for (const Edge& edge : problem.instance.automaton->edges()) names.push_back(edge.name);
  return names;
}

std::vector<std::string> location_names(const Problem& problem) {
  std::vector<std::string> names;
  if (problem.instance.automaton)
    for (const Location& location : problem.instance.automaton->locations()) names.push_back(location.name);
  return names;
}

}  // namespace

void bind_models(py::module_& module) {
  py::class_<Model, std::shared_ptr<Model>>(module, "Model")
      .def_readonly("name", &Model::name)
      .def_readonly("summary", &Model::summary)
      .def_readonly("source", &Model::source)
      .def_readonly("equations", &Model::equations)
      .def_readonly("state_names", &Model::state_names)
      .def_readonly("remarks", &Model::remarks)
      .def_property_readonly("labels", [](const Model& self) { return quantity_words(self).labels; })
      .def_property_readonly("units", [](const Model& self) { return quantity_words(self).units; })
      .def_property_readonly("parameters",
                             [](const Model& self) {
                               py::dict made;
                               for (const Parameter& parameter : self.parameters)
                                 made[py::str(parameter.name)] = parameter.value;
                               return made;
                             })
      .def_property_readonly("defaults", &defaults)
      .def("instantiate", &instantiate, py::arg("settings") = Settings{});

  py::class_<Problem, std::shared_ptr<Problem>>(module, "Problem")
      .def_property_readonly("start", [](const Problem& self) { return self.instance.start; })
      .def_property_readonly("end", [](const Problem& self) { return self.instance.end; })
      .def_property_readonly("state",
                             [](const Problem& self) { return array_of(Vector(self.instance.state)); })
      .def_property_readonly("parameters",
                             [](const Problem& self) {
                               py::dict made;
                               for (const auto& [name, value] : self.instance.parameters)
                                 made[py::str(name)] = value;
                               return made;
                             })
      .def_property_readonly("state_names",
                             [](const Problem& self) { return self.instance.system.state_names(); })
      .def_property_readonly("surface_names",
                             [](const Problem& self) { return self.instance.system.surface_names(); })
      .def_property_readonly("event_names", &event_names)
      .def_property_readonly("locations", &location_names)
      .def_property_readonly("calls_python", [](const Problem& self) { return self.calls_python; })
      .def_property_readonly("contacts",
                             [](const Problem& self) { return self.instance.system.contacts().size(); })
      .def("field", &field, py::arg("t"), py::arg("state"), py::arg("lambda_") = py::none(),
           py::arg("location") = "")
      .def("guards", &guards)
      .def("with_steps", &with_steps, py::arg("resets"), py::arg("timed"))
      .def("with_events", &with_events)
      .def("check",
           [](const Problem& self, double end, const py::dict& options) {
             return check(std::const_pointer_cast<Model>(self.model), self, end, options);
           })
      .def(
          "compare",
          [](const Problem& self, double end, const py::dict& options, const py::dict& plan,
             const std::shared_ptr<Cancellation>& cancellation) {
            return compare(std::const_pointer_cast<Model>(self.model), self, end, options, plan,
                           cancellation);
          },
          py::arg("end"), py::arg("options"), py::arg("plan"), py::arg("cancellation") = py::none());

  using Unlocked = py::call_guard<py::gil_scoped_release>;
  module.def(
      "load", [](const std::string& name) { return std::make_shared<Model>(apps::load_model(name)); },
      Unlocked());
  module.def(
      "load_fmu",
      [](const std::string& path, bool co_simulation, std::optional<double> communication_step,
         const std::string& inputs, bool isolate, double patience, const std::vector<std::string>& log) {
        return std::make_shared<Model>(read_fmu(path, {.prefers_co_simulation = co_simulation,
                                                       .communication_step = communication_step,
                                                       .inputs = inputs,
                                                       .isolated = isolate,
                                                       .patience = patience,
                                                       .log = log}));
      },
      py::arg("path"), py::arg("co_simulation") = false, py::arg("communication_step") = py::none(),
      py::arg("inputs") = "", py::arg("isolate") = false, py::arg("patience") = FmuImport().patience,
      py::arg("log") = std::vector<std::string>(), Unlocked());
  module.def(
      "parse",
      [](const std::string& text, const std::string& file) {
        return std::make_shared<Model>(parse_model(text, file));
      },
      Unlocked());
  module.def("catalogue", [] {
    std::vector<std::pair<std::string, std::string>> made;
    for (const Model& model : models::catalogue()) made.emplace_back(model.name, model.summary);
    return made;
  });
  module.def("gallery", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> made;
    for (const apps::GalleryModel& model : apps::gallery_models())
      made.emplace_back(model.name, model.field, model.summary);
    return made;
  });
  module.def("gallery_file", &apps::gallery_file);
  module.def("samples", [](const std::vector<std::tuple<double, double, bool>>& ranges, Index count,
                           std::uint64_t seed, bool latin) {
    std::vector<SampleRange> wanted;
    for (const auto& [first, last, logarithmic] : ranges) wanted.push_back({first, last, logarithmic});
    return latin ? latin_samples(wanted, count, seed) : random_samples(wanted, count, seed);
  });
  module.def("is_file", &apps::is_model_file);
  module.def(
      "called",
      [](py::object field, py::object guards, py::object jacobian,
         const std::vector<std::string>& state_names, const std::vector<std::string>& surface_names,
         const std::optional<std::vector<std::vector<Index>>>& pattern, double start, double end,
         const Vector& state, const std::string& name, Index discrete) {
        const PythonField parts{.states = state.size(),
                                .surfaces = static_cast<Index>(surface_names.size()),
                                .field = std::move(field),
                                .guards = std::move(guards),
                                .jacobian = std::move(jacobian),
                                .state_names = state_names,
                                .surface_names = surface_names,
                                .pattern = pattern,
                                .discrete = discrete};
        return called_problem(parts, start, end, state, name);
      },
      py::arg("field"), py::arg("guards"), py::arg("jacobian"), py::arg("state_names"),
      py::arg("surface_names"), py::arg("pattern"), py::arg("start"), py::arg("end"), py::arg("state"),
      py::arg("name"), py::arg("discrete") = 0);
}

}  // namespace slideway::python
