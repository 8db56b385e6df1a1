#include "lib/c/model.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "apps/check_document.hpp"
#include "lib/c/called_model.hpp"
#include "lib/c/search_words.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/quantity_words.hpp"
#include "slideway/model/settings.hpp"

namespace slideway::door {
namespace {

std::vector<std::string> contact_names(const System& system) {
  std::vector<std::string> names;
  for (const Contact& contact : system.contacts()) names.push_back(contact.name);
  return names;
}

std::vector<std::string> event_names(const System& system) {
  std::vector<std::string> names;
  for (const Event& event : system.events()) names.push_back(event.name);
  for (const TimeEvent& event : system.time_events()) names.push_back(event.name);
  return names;
}

// The text of options that the model file suggests.
std::vector<std::string> default_options(const ModelDefaults& defaults) {
  std::vector<std::string> found;
  const auto add = [&](const char* name, const auto& value, bool is_given) {
    if (is_given) found.push_back(fmt::format("{}={}", name, value));
  };
  add("rtol", defaults.rtol, defaults.rtol > 0);
  add("atol", fmt::format("{}", fmt::join(defaults.atol, ",")), !defaults.atol.empty());
  add("method", defaults.method, !defaults.method.empty());
  add("linear_solver", defaults.linear_solver, !defaults.linear_solver.empty());
  add("on_ambiguity", defaults.on_ambiguity, !defaults.on_ambiguity.empty());
  add("sliding_rule", defaults.sliding_rule, !defaults.sliding_rule.empty());
  add("selection", defaults.selection, !defaults.selection.empty());
  add("max_step", defaults.max_step, defaults.max_step > 0);
  add("max_events", defaults.max_events, defaults.max_events > 0);
  add("max_steps", defaults.max_steps, defaults.max_steps > 0);
  return found;
}

void set_span(const RunOptions& options, ModelInstance& instance) {
  if (options.start) {
    instance.start = *options.start;
    instance.end = std::max(instance.end, instance.start);
  }
  if (!options.end) return;
  if (*options.end < instance.start)
    refuse({.what = "the run would end before it starts",
            .where = "t_end",
            .expected = fmt::format("a time not before the start at {}", instance.start),
            .got = fmt::format("{}", *options.end)});
  instance.end = *options.end;
}

// The parameters of an FMU are asked for without an instance, since a run may have the only one.
Vector parameters_as_set(const Model& model, const Settings& settings) {
  Vector found(static_cast<Index>(model.parameters.size()));
  for (Index k = 0; k < found.size(); ++k) {
    const Parameter& parameter = model.parameters[static_cast<std::size_t>(k)];
    found[k] = parameter.value;
    for (const auto& [name, value] : settings)
      if (name == parameter.name) found[k] = value;
  }
  return found;
}

// fmu_import() reads the options of sw_read_fmu().
FmuImport fmu_import(const std::string& options) {
  OptionText words;
  merge(words, options_in(options));
  FmuImport how;
  if (const auto value = taken(words, "co_simulation"))
    how.prefers_co_simulation = truth_of("co_simulation", *value);
  if (const auto value = taken(words, "communication_step"))
    how.communication_step = number_of("communication_step", *value);
  how.inputs = taken(words, "inputs").value_or("");
  if (const auto value = taken(words, "isolate")) how.isolated = truth_of("isolate", *value);
  how.patience = taken_size(words, "patience").value_or(how.patience);
  how.log = parts_of(taken(words, "log").value_or(""));
  if (!words.empty())
    refuse({.what = "there is no such option",
            .where = "sw_read_fmu()",
            .expected = "co_simulation, communication_step, inputs, isolate, patience or log",
            .got = words.front().first});
  return how;
}

}  // namespace

std::function<bool()> stop_question(std::shared_ptr<const StopCounter> stops) {
  return [count = stops->count(), stops = std::move(stops)] { return stops->count() != count; };
}

double PeriodFunction::at(std::initializer_list<double> values) const {
  double period = 0;
  if (function(values.begin(), static_cast<std::int64_t>(values.size()), &period, user) != 0)
    refuse({.what = "there is no period",
            .where = fmt::format("the function of sw_set_period() at {:.10g}", fmt::join(values, ", ")),
            .expected = "its answer 0 and a number above 0",
            .got = "another answer"});
  return period;
}
}  // namespace slideway::door

using namespace slideway;
using namespace slideway::door;

std::optional<std::vector<std::string>> sw_model::names(std::string_view list) const {
  std::vector<std::string> found;
  if (list == "mistakes") {
    for (const ModelFileError::Entry& mistake : mistakes) found.push_back(mistake.message);
    return found;
  }
  const Model& known = usable();
  if (list == "states") return known.state_names;
  if (list == "equations") return known.equations;
  if (list == "remarks") return known.remarks;
  if (list == "name") return std::vector{known.name};
  if (list == "summary") return std::vector{known.summary};
  if (list == "source") return std::vector{known.source};
  if (list == "labels" || list == "units") {
    const slideway::QuantityWords words = slideway::quantity_words(known);
    for (const auto& [name, text] : list == "labels" ? words.labels : words.units)
      found.push_back(name + "=" + text);
    return found;
  }
  if (list == "defaults") return default_options(known.defaults);
  if (list == "parameters" || list == "descriptions") {
    for (const Parameter& parameter : known.parameters)
      found.push_back(list == "parameters" ? parameter.name : parameter.description);
    return found;
  }
  if (list == "observed") {
    if (observed.empty() && known.defaults.observe.empty()) return found;
    return instance()->observables(observed.empty() ? known.defaults.observe : observed).names;
  }
  if (list == "options") {
    for (const auto& [name, value] : options) found.push_back(name + "=" + value);
    return found;
  }
  if (list == "surfaces") return instance()->system.surface_names();
  if (list == "contacts") return contact_names(instance()->system);
  if (list == "events") return event_names(instance()->system);
  if (list == "locations") {
    const auto kept = instance();
    if (kept->automaton)
      for (const Location& location : kept->automaton->locations()) found.push_back(location.name);
    return found;
  }
  return std::nullopt;
}

std::optional<Vector> sw_model::values(std::string_view list) const {
  if (list == "initial") return instance()->state;
  if (list == "parameters") {
    if (is_fmu) return parameters_as_set(usable(), settings);
    const auto kept = instance();
    Vector found(static_cast<Index>(kept->parameters.size()));
    for (Index k = 0; k < found.size(); ++k) found[k] = kept->parameters[static_cast<std::size_t>(k)].second;
    return found;
  }
  if (list == "span") {
    const RunInput made = input();
    return Vector{{made.instance.start, made.instance.end}};
  }
  return std::nullopt;
}

std::string sw_model::document(std::string_view format) {
  if (format != "check")
    refuse({.what = fmt::format("a model has no document '{}'", format),
            .where = "format",
            .expected = "check"});
  const RunInput made = input();
  apps::ModelCheck answer = apps::check_model(made.model->name, made.instance, made.options.run);
  for (const std::string& remark : made.model->remarks)
    answer.findings.push_back({apps::Severity::hint, remark});
  std::ostringstream text;
  apps::write_check_json(answer, text);
  return text.str();
}

void sw_model::take(const std::function<Model()>& read) {
  try {
    model = std::make_shared<const Model>(read());
  } catch (const ModelFileError& error) {
    mistakes = error.mistakes();
    for (ModelFileError::Entry& mistake : mistakes)
      if (!mistake.advice.empty()) mistake.message += "\n" + mistake.advice;
    throw;
  }
}

void sw_model::take_file(const std::string& path, const std::function<Model()>& read) {
  take(read);
  std::ostringstream text;
  text << std::ifstream(to_path(path), std::ios::binary).rdbuf();
  source_text = text.str();
}

void sw_model::take_fmu(const std::string& path, const FmuImport& how) {
  is_fmu = true;
  take_file(path, [&] { return read_fmu(path, how); });
}

const Model& sw_model::usable() const {
  if (!model) throw Refused(SW_MODEL, "the model has mistakes; it can only be asked for them");
  return *model;
}

std::shared_ptr<const ModelInstance> sw_model::instance() const {
  const std::lock_guard<std::mutex> only(lock_);
  if (!instance_) instance_ = std::make_shared<const ModelInstance>(usable().instantiate(settings));
  return instance_;
}

void sw_model::copy(const sw_model& from) {
  from.usable();
  if (from.called || from.has_called_events)
    refuse(
        {.what = "a model of callbacks has one handle",
         .where = "sw_copy()",
         .expected = "a model file, an FMU or a model of the catalogue, without events that are callbacks"});
  model = from.model;
  settings = from.settings;
  options = from.options;
  observed = from.observed;
  source_text = from.source_text;
  is_fmu = from.is_fmu;
  // An FMU goes to the handle that asks next, since some can be instantiated only once.
  const std::lock_guard<std::mutex> only(from.lock_);
  instance_ = is_fmu ? std::exchange(from.instance_, nullptr) : from.instance_;
}

ModelInstance sw_model::instance_of_run() const {
  if (!is_fmu) return *instance();
  const std::lock_guard<std::mutex> only(lock_);
  const std::shared_ptr<const ModelInstance> kept = std::exchange(instance_, nullptr);
  return kept ? *kept : usable().instantiate(settings);
}

void sw_model::forget_instance() const {
  const std::lock_guard<std::mutex> only(lock_);
  instance_ = nullptr;
  changed();
}

void sw_model::set(const std::string& name, double value) {
  const Model& known = usable();
  const auto is_parameter = [&](const Parameter& parameter) { return parameter.name == name; };
  const bool is_known =
      std::any_of(known.parameters.begin(), known.parameters.end(), is_parameter) ||
      std::find(known.state_names.begin(), known.state_names.end(), name) != known.state_names.end();
  if (!is_known || !std::isfinite(value)) {
    std::vector<std::string> names = known.state_names;
    for (const Parameter& parameter : known.parameters) names.push_back(parameter.name);
    check_setting(known.name, name, value, names);
  }
  const auto place = std::find_if(settings.begin(), settings.end(),
                                  [&](const auto& setting) { return setting.first == name; });
  if (place == settings.end())
    settings.emplace_back(name, value);
  else
    place->second = value;
}

RunInput sw_model::input(const OptionText& more, double usual_rtol) const {
  OptionText all = options;
  merge(all, more);
  RunInput made{.model = model, .settings = settings, .instance = instance_of_run()};
  made.options = run_options(all, usable().defaults, usual_rtol);
  made.observed = observed.empty() ? model->defaults.observe : observed;
  made.watcher = watcher;
  made.stops = stops;
  made.is_called = called != nullptr || has_called_events;
  made.is_fmu = is_fmu;
  set_span(made.options, made.instance);
  return made;
}

int sw_parse(const char* text, int64_t length, const char* file_name, sw_model** model) {
  return make(model, [&](sw_model& made) {
    given(text, "text");
    const std::string whole =
        length < 0 ? std::string(text) : std::string(text, static_cast<std::size_t>(length));
    made.take([&] { return parse_model(whole, file_name == nullptr ? "model.toml" : file_name); });
    made.source_text = whole;
    return SW_OK;
  });
}

int sw_read(const char* path, sw_model** model) {
  return make(model, [&](sw_model& made) {
    const std::string file = given(path, "path");
    if (file.ends_with(".fmu"))
      made.take_fmu(file, {});
    else
      made.take_file(file, [&] { return read_model_file(file); });
    return SW_OK;
  });
}

int sw_read_fmu(const char* path, const char* options, sw_model** model) {
  return make(model, [&](sw_model& made) {
    const FmuImport how = fmu_import(options == nullptr ? "" : options);
    made.take_fmu(given(path, "path"), how);
    return SW_OK;
  });
}

int sw_copy(const sw_model* model, sw_model** copy) {
  return make(copy, [&](sw_model& made) {
    made.copy(*given(model, "model"));
    return SW_OK;
  });
}

int sw_mistake(const sw_model* model, int64_t index, int64_t* line, int64_t* column, const char** text) {
  return answer(model, [&] {
    const ModelFileError::Entry& mistake =
        model->mistakes[index_in(index, model->mistakes.size(), "mistake")];
    if (line != nullptr) *line = mistake.line;
    if (column != nullptr) *column = mistake.column;
    if (text != nullptr) *text = mistake.message.c_str();
    return SW_OK;
  });
}

int sw_set(sw_model* model, const char* name, double value) {
  return answer(model, [&] {
    model->set(given(name, "name"), value);
    model->forget_instance();
    return SW_OK;
  });
}

int sw_get(const sw_model* model, const char* name, double* value) {
  return answer(model, [&] {
    given(name, "name");
    given(value, "value");
    const auto instance = model->instance();
    for (const auto& [parameter, number] : instance->parameters) {
      if (parameter != name) continue;
      *value = number;
      return SW_OK;
    }
    const std::vector<std::string>& states = instance->system.state_names();
    const auto state = std::find(states.begin(), states.end(), name);
    if (state == states.end()) {
      std::vector<std::string> known = states;
      for (const Parameter& parameter : model->usable().parameters) known.push_back(parameter.name);
      check_setting(model->usable().name, name, 0, known);
    }
    *value = instance->state[state - states.begin()];
    return SW_OK;
  });
}

int sw_set_initial(sw_model* model, const double* x, int64_t n) {
  return answer(model, [&] {
    given(x, "x");
    const std::vector<std::string>& names = model->usable().state_names;
    const auto size = static_cast<int64_t>(names.size());
    if (n != size)
      refuse({.what = "the state has another size",
              .where = "n",
              .expected = fmt::format("{} numbers", size),
              .got = fmt::format("{}", n)});
    if (model->is_fmu) {
      // An FMU computes some of its start values by itself, and they cannot be set.
      const Vector start = model->instance()->state;
      for (int64_t k = 0; k < n; ++k)
        if (x[k] != start[k]) model->set(names[static_cast<std::size_t>(k)], x[k]);
      model->forget_instance();
      return SW_OK;
    }
    Settings kept = model->settings;
    std::erase_if(kept, [&](const auto& setting) {
      return std::find(names.begin(), names.end(), setting.first) != names.end();
    });
    for (int64_t k = 0; k < n; ++k) {
      const std::string& name = names[static_cast<std::size_t>(k)];
      if (!std::isfinite(x[k])) check_setting(model->model->name, name, x[k], names);
      kept.emplace_back(name, x[k]);
    }
    model->settings = std::move(kept);
    model->forget_instance();
    return SW_OK;
  });
}

int sw_options(sw_model* model, const char* options) {
  return answer(model, [&] {
    OptionText all = model->options;
    merge(all, options_in(given(options, "options")));
    ModelInstance instance = *model->instance();
    const RunOptions meant = run_options(all, model->usable().defaults);
    meant.run.validate(instance.system.states());
    set_span(meant, instance);
    model->options = std::move(all);
    model->changed();
    return SW_OK;
  });
}

int sw_field(const sw_model* model, double t, const double* x, const double* lambda, const char* location,
             double* dx) {
  return answer(model, [&] {
    const auto instance = model->instance();
    const Automaton problem = instance->problem();
    const System& system =
        location == nullptr ? instance->system : problem.locations()[problem.location_index(location)].system;
    const Index n = system.states();
    system.field(t, Eigen::Map<const Vector>(given(x, "x"), n),
                 system.surfaces() == 0
                     ? Vector()
                     : Vector(Eigen::Map<const Vector>(given(lambda, "lambda"), system.surfaces())),
                 Eigen::Map<Vector>(given(dx, "dx"), n));
    return SW_OK;
  });
}

int sw_guards(const sw_model* model, double t, const double* x, double* h) {
  return answer(model, [&] {
    const System& system = model->instance()->system;
    system.guards(t, Eigen::Map<const Vector>(given(x, "x"), system.states()),
                  Eigen::Map<Vector>(given(h, "h"), system.surfaces()));
    return SW_OK;
  });
}

int sw_on_step(sw_model* model, sw_step_function function, void* user) {
  return answer(model, [&] {
    model->usable();
    model->watcher = {function, user};
    return SW_OK;
  });
}

int sw_on_progress(sw_model* model, sw_progress_function function, void* user) {
  return answer(model, [&] {
    model->usable();
    model->progress = {function, user};
    return SW_OK;
  });
}

int sw_set_period(sw_model* model, sw_period_function function, void* user) {
  return answer(model, [&] {
    model->usable();
    model->period = {function, user};
    return SW_OK;
  });
}
