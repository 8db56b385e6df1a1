#include "slideway/io/model_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/file_instances.hpp"
#include "model_file/lowering.hpp"
#include "model_file/model_file_description.hpp"
#include "model_file/model_file_equations.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/quantity_words.hpp"

namespace slideway {
namespace {

using reader::Check;
using reader::ExpandedModel;
using reader::ExpansionLimits;
using reader::Mistake;
using reader::Mistakes;
using reader::ModelDescription;
using reader::SourceText;

[[noreturn]] void throw_report(const SourceText& source, Mistakes mistakes) {
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.where < b.where; });
  std::vector<ModelFileError::Entry> entries;
  for (const Mistake& mistake : mistakes)
    entries.push_back({mistake.where.line, mistake.where.column, one_line(source, mistake), mistake.hint});
  throw ModelFileError(report(source, mistakes), std::move(entries));
}

[[noreturn]] void throw_unreadable(const std::string& file, std::string what, std::string expected,
                                   std::string got) {
  Mistake mistake;
  mistake.what = std::move(what);
  mistake.expected = std::move(expected);
  mistake.got = std::move(got);
  throw_report(SourceText(file, ""), {mistake});
}

struct BuiltModel {
  ExpandedModel expanded = {};
  std::optional<ModelInstance> instance = {};
};

// SystemDefinition::second_order, of each motion.
auto second_order_of(std::shared_ptr<const ModelDescription> model, Settings settings, ExpansionLimits limits,
                     std::vector<std::string> free) {
  return [model = std::move(model), settings = std::move(settings), limits, free = std::move(free)](
             std::size_t motion, const std::vector<Index>& surfaces) -> std::shared_ptr<const System> {
    Mistakes mistakes;
    ExpandedModel expanded = expand(*model, settings, Check::used, limits, mistakes, free);
    if (!mistakes.empty()) return nullptr;
    const reader::ExpandedMotion& here = expanded.motions[motion];
    const std::vector<reader::NodeId> derivatives = multi_affine_derivatives(expanded, here, mistakes);
    if (!mistakes.empty()) return nullptr;
    expanded.source = std::make_shared<const SourceText>(model->source);
    return make_second_order_system(model->name, expanded, here, derivatives, surfaces);
  };
}

// The model with these settings; mistakes that show only with numbers are added to `mistakes`.
BuiltModel build(const std::shared_ptr<const ModelDescription>& description, const Settings& settings,
                 Check check, const ExpansionLimits& limits, Mistakes& mistakes,
                 const std::vector<std::string>& free = {}) {
  const ModelDescription& model = *description;
  BuiltModel built;
  try {
    built.expanded = expand(model, settings, check, limits, mistakes, free);
    if (!mistakes.empty()) return built;
    built.expanded.source = std::make_shared<const SourceText>(model.source);
    std::vector<std::vector<reader::NodeId>> derivatives;
    for (const reader::ExpandedMotion& motion : built.expanded.motions)
      derivatives.push_back(multi_affine_derivatives(built.expanded, motion, mistakes));
    if (!mistakes.empty()) return built;
    ExpandedModel& expanded = built.expanded;
    expanded.second_order = second_order_of(description, settings, limits, free);
    Automaton automaton = make_automaton(model.name, expanded, derivatives);
    built.instance = ModelInstance{automaton.system(),
                                   expanded.parameters,
                                   expanded.start,
                                   expanded.end,
                                   expanded.initial,
                                   std::nullopt,
                                   {}};
    built.instance->friction = make_friction(expanded);
    if (automaton.has_locations()) built.instance->automaton = std::move(automaton);
  } catch (const reader::GraphTooLarge& error) {
    mistakes.push_back({{}, 1, "a model that is too large", "", error.what(), ""});
  }
  return built;
}

// The observables wanted beside the states of the model with these settings.
Observables observe(const ModelDescription& model, const Settings& settings, const ExpansionLimits& limits,
                    const std::vector<std::string>& wanted, Mistakes& mistakes,
                    const std::vector<std::string>& free = {}) {
  ModelDescription observed = model;
  add_observables(observed, wanted, mistakes);
  if (!mistakes.empty()) return {};
  try {
    ExpandedModel expanded = expand(observed, settings, Check::used, limits, mistakes, free);
    return mistakes.empty() ? make_observables(expanded, mistakes) : Observables{};
  } catch (const reader::GraphTooLarge& error) {
    mistakes.push_back({{}, 1, "observables that are too large", "", error.what(), ""});
    return {};
  }
}

// The same for a model that is kept, refusing what makes no sense.
auto observer(std::shared_ptr<const ModelDescription> model, Settings settings, ExpansionLimits limits,
              std::vector<std::string> free = {}) {
  return [model = std::move(model), settings = std::move(settings), limits,
          free = std::move(free)](const std::vector<std::string>& wanted) {
    Mistakes mistakes;
    Observables made = observe(*model, settings, limits, wanted, mistakes, free);
    if (!mistakes.empty()) {
      const Mistake& first = mistakes.front();
      refuse({.what = first.what,
              .where = model->name,
              .expected = first.expected,
              .got = first.got,
              .advice = first.hint});
    }
    return made;
  };
}

ModelInstance instantiate(const std::shared_ptr<const ModelDescription>& model, const Settings& settings,
                          const ExpansionLimits& limits) {
  Mistakes mistakes;
  BuiltModel built = build(model, settings, Check::used, limits, mistakes);
  if (!mistakes.empty()) throw std::invalid_argument(report(model->source, mistakes));
  built.instance->observe = observer(model, settings, limits);
  return std::move(*built.instance);
}

// The derivatives of the free parameters by each of them: a parameter with a formula moves with the parameters of the formula,
// which stand before it in the file.
Matrix parameter_derivatives(const ExpandedModel& expanded) {
  const auto count = static_cast<Index>(expanded.free_parameters);
  Matrix result = Matrix::Identity(count, count);
  Vector direction = Vector::Zero(expanded.initial.size());
  for (const auto& [number, node] : expanded.parameter_nodes) {
    const auto parameter = static_cast<Index>(number);
    const reader::Tape tape(expanded.graph, {node}, expanded.lambda_index);
    for (Index k = 0; k < count; ++k) {
      if (k == parameter) continue;
      direction.tail(count) = result.col(k);
      direction[expanded.initial.size() - count + parameter] = 0;
      tape.evaluate<Dual<double>>(
          reader::MovingPoint{reader::point(expanded.start, expanded.initial), reader::point(0, direction)},
          [&](std::size_t, const Dual<double>& value) { result(parameter, k) = value.derivative; });
    }
  }
  return result;
}

// The derivatives of the initial values by the free parameters, which move each other by `among`.
Matrix initial_derivatives(const ExpandedModel& expanded, const Matrix& among) {
  const auto count = static_cast<Index>(expanded.free_parameters);
  const Index states = expanded.initial.size() - count;
  Matrix result = Matrix::Zero(states, count);
  std::vector<reader::NodeId> nodes;
  for (const auto& [state, node] : expanded.initial_nodes) nodes.push_back(node);
  if (nodes.empty() || count == 0) return result;
  const reader::Tape tape(expanded.graph, nodes, expanded.lambda_index);
  Vector direction = Vector::Zero(expanded.initial.size());
  for (Index k = 0; k < count; ++k) {
    direction.tail(count) = among.col(k);
    tape.evaluate<Dual<double>>(
        reader::MovingPoint{reader::point(expanded.start, expanded.initial), reader::point(0, direction)},
        [&](std::size_t i, const Dual<double>& value) {
          result(static_cast<Index>(expanded.initial_nodes[i].first), k) = value.derivative;
        });
  }
  return result;
}

// Model::initial_by; all but the state itself where it is set or nothing is made of it.
Vector initial_by(const ModelDescription& model, const Settings& settings, const ExpansionLimits& limits,
                  const std::string& state) {
  Mistakes mistakes;
  const ExpandedModel expanded = expand(model, settings, Check::used, limits, mistakes, {}, state);
  if (!mistakes.empty()) throw std::invalid_argument(report(model.source, mistakes));
  const auto& names = expanded.state_names;
  const auto place = std::find(names.begin(), names.end(), state) - names.begin();
  const Vector direction = Vector::Unit(expanded.initial.size(), static_cast<Index>(place));
  Vector result = direction;
  std::vector<reader::NodeId> nodes;
  for (const auto& [index, node] : expanded.initial_nodes) nodes.push_back(node);
  const reader::Tape tape(expanded.graph, nodes, expanded.lambda_index);
  tape.evaluate<Dual<double>>(
      reader::MovingPoint{reader::point(expanded.start, expanded.initial), reader::point(0, direction)},
      [&](std::size_t i, const Dual<double>& value) {
        const auto index = static_cast<Index>(expanded.initial_nodes[i].first);
        if (index != static_cast<Index>(place)) result[index] = value.derivative;
      });
  return result;
}

// The model with these parameters as states, where that leaves its equations the same.
ExtendedProblem extend(const std::shared_ptr<const ModelDescription>& model, const Settings& settings,
                       const ExpansionLimits& limits, const std::vector<std::string>& free) {
  Mistakes mistakes;
  const BuiltModel plain = build(model, settings, Check::used, limits, mistakes);
  const BuiltModel built = build(model, settings, Check::used, limits, mistakes, free);
  if (!mistakes.empty()) throw std::invalid_argument(report(model->source, mistakes));
  if (plain.instance->system.surface_names() != built.instance->system.surface_names()) {
    refuse({.what = "the surfaces of the model are others where these parameters are not numbers",
            .where = model->name,
            .expected = "parameters whose values decide no surface",
            .got = "values at which surfaces merge or vanish",
            .advice = "set them to slightly different values"});
  }
  const auto count = static_cast<Index>(built.expanded.free_parameters);
  const std::vector<std::string>& states = plain.instance->system.state_names();
  const std::vector<std::string>& extended = built.instance->system.state_names();
  if (extended.size() != states.size() + free.size() ||
      !std::equal(states.begin(), states.end(), extended.begin())) {
    refuse({.what = "what the model remembers is another thing where these parameters are not numbers",
            .where = model->name,
            .expected = "parameters that no step or relay of the time is made of",
            .got = std::to_string(extended.size() - free.size()) + " states in the place of " +
                   std::to_string(states.size()),
            .advice = "take differences of runs at a tight tolerance"});
  }
  const Matrix among = parameter_derivatives(built.expanded);
  Matrix initial(built.expanded.initial.size(), count);
  initial << initial_derivatives(built.expanded, among), among;
  return {built.instance->problem(), built.expanded.initial.tail(count), std::move(initial),
          observer(model, settings, limits, free)};
}

// Names of the option `observe` that mean nothing are a mistake of the file.
void check_observe_option(const ModelDescription& model, const ExpansionLimits& limits, Mistakes& mistakes) {
  if (model.defaults.observe.empty()) return;
  observe(model, {}, limits, model.defaults.observe, mistakes);
  for (Mistake& mistake : mistakes) mistake.where = model.observe_position;
}

// A force that no expression uses has no effect. One with a state is seen in that, and any other where it is observed.
void check_friction(const ModelDescription& model, Mistakes& mistakes) {
  const std::vector<std::string>& observed = model.defaults.observe;
  const std::vector<bool> used = used_names(model).definitions;
  for (const reader::FrictionDescription& friction : model.friction) {
    const std::string& name = friction.name;
    if (friction.state || used[friction.force] ||
        std::find(observed.begin(), observed.end(), name) != observed.end())
      continue;
    const bool vector = model.definitions[friction.velocity].is_vector();
    mistakes.push_back({friction.position, name.size(),
                        "friction " + reader::in_quotes(name) + " has no effect", "an equation that uses it",
                        "none", "write it where it acts: v = \"… - " + name + (vector ? "[i]" : "") + "\""});
  }
}

// surfaces_that_act() tells which surfaces have a sign that enters the equations of some location, by the
// surface's name or by an equal guard.
std::vector<bool> surfaces_that_act(const ModelInstance& instance) {
  std::vector<bool> act(static_cast<std::size_t>(instance.system.surfaces()), false);
  const Automaton problem = instance.problem();
  for (const Location& location : problem.locations()) {
    const std::optional<Pattern>& signs = location.system.definition().field_dlambda_pattern;
    if (!signs) return std::vector<bool>(act.size(), true);
    for (const auto surface : signs->column) act[static_cast<std::size_t>(surface)] = true;
  }
  return act;
}

void note_discrete_never_set(const ModelDescription& model, std::vector<std::string>& remarks) {
  std::vector<bool> is_set(model.states.size(), false);
  const auto mark = [&](const std::vector<reader::Assignment>& lines) {
    for (const reader::Assignment& line : lines) is_set[line.state] = true;
  };
  for (const reader::EveryDescription& every : model.every) mark(every.set);
  for (const auto* const events : {&model.resets, &model.edges})
    for (const reader::EventDescription& event : *events) mark(event.set);
  for (const reader::AutomatonDescription& automaton : model.automata) {
    is_set[automaton.state] = true;
    for (const reader::EventDescription& edge : automaton.edges) mark(edge.set);
  }
  for (std::size_t k = 0; k < is_set.size(); ++k) {
    if (model.states[k].discrete && !model.states[k].hidden && !is_set[k])
      remarks.push_back("discrete state " + reader::in_quotes(model.states[k].name) +
                        " is set nowhere; it stays as it begins");
  }
}

// remarks_on_unused() names what nothing uses: it may be misspelt elsewhere, or forgotten.
std::vector<std::string> remarks_on_unused(const ModelDescription& model, const ModelInstance& instance) {
  ModelDescription observed = model;
  Mistakes mistakes;
  add_observables(observed, model.defaults.observe, mistakes);
  const reader::UsedNames used = used_names(observed);
  std::vector<std::string> remarks;
  const auto note = [&](const std::vector<reader::Quantity>& quantities, const std::vector<bool>& is_used,
                        const char* kind, const char* consequence) {
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      if (!is_used[k] && !quantities[k].hidden)
        remarks.push_back(kind + (" " + reader::in_quotes(quantities[k].name)) + " is used nowhere" +
                          consequence);
    }
  };
  note(model.parameters, used.parameters, "parameter", "");
  note(observed.definitions, used.definitions, "definition", "");
  // Named surfaces come first in a system, a vector with all of its elements.
  std::vector<bool> surfaces = used.surfaces;
  const std::vector<std::string>& names = instance.system.surface_names();
  const std::vector<bool> act = surfaces_that_act(instance);
  for (std::size_t k = 0; k < model.surfaces.size(); ++k) {
    const reader::Quantity& surface = model.surfaces[k];
    for (std::size_t i = 0; i < names.size() && !surfaces[k]; ++i) {
      if (names[i] == surface.name || reader::element_number(names[i], surface.name) > 0)
        surfaces[k] = act[i];
    }
  }
  note(model.surfaces, surfaces, "surface", "; its crossings are events at which nothing changes");
  note_discrete_never_set(model, remarks);
  for (std::size_t k = 0; k < model.tables.size(); ++k) {
    if (!used.tables[k])
      remarks.push_back("table " + reader::in_quotes(model.tables[k].name) + " is used nowhere");
  }
  return remarks;
}

std::string read_whole(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(to_path(path), ignored))
    throw_unreadable(path, "cannot be read", "a model file", "a directory");
  std::ifstream file(to_path(path), std::ios::binary);
  if (!file) throw_unreadable(path, "cannot be read", "a model file", std::strerror(errno));
  std::string text;
  std::string block(1 << 16, '\0');
  while (file && text.size() <= most) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw_unreadable(path, "cannot be read", "a model file", std::strerror(errno));
  return text;
}

}  // namespace

ModelInstance reader::FileInstances::operator()(const Settings& settings) const {
  return settings.empty() ? standard->value() : instantiate(description, settings, limits);
}

ModelFileError::ModelFileError(const std::string& report, std::vector<Entry> entries)
    : std::runtime_error(report), entries_(std::move(entries)) {}

Model read_model_file(const std::string& path) {
  return parse_model(read_whole(path, ModelFileLimits{}.bytes), path);
}

Model parse_model(const std::string& text, const std::string& file_name, const ModelFileLimits& limits) {
  if (text.size() > limits.bytes)
    throw_unreadable(file_name, "a file that is too large",
                     "at most " + std::to_string(limits.bytes) + " bytes", "more");
  const std::string byte_order_mark = "\xEF\xBB\xBF";
  const bool marked = text.compare(0, byte_order_mark.size(), byte_order_mark) == 0;
  SourceText source(file_name, marked ? text.substr(byte_order_mark.size()) : text);

  Mistakes mistakes;
  auto description = std::make_shared<ModelDescription>(describe_model(std::move(source), mistakes));
  resolve_names(*description, mistakes);
  if (!mistakes.empty()) throw_report(description->source, std::move(mistakes));
  if (description->name.empty()) description->name = to_name(to_path(file_name).stem());

  const ExpansionLimits expansion{limits.states, limits.operations};
  BuiltModel built = build(description, {}, Check::everything, expansion, mistakes);
  if (mistakes.empty()) check_friction(*description, mistakes);
  if (mistakes.empty()) check_observe_option(*description, expansion, mistakes);
  if (!mistakes.empty()) throw_report(description->source, std::move(mistakes));

  Model model;
  model.name = description->name;
  model.summary = description->summary;
  model.source = description->reference;
  model.equations = equations(*description, built.expanded);
  for (const auto& [name, value] : built.expanded.parameters) model.parameters.push_back({name, value, ""});
  model.state_names = built.expanded.state_names;
  model.defaults = description->defaults;
  model.defaults.atol = built.expanded.atol;
  model.remarks = remarks_on_unused(*description, *built.instance);
  const std::shared_ptr<const ModelDescription> shared = description;
  built.instance->observe = observer(shared, {}, expansion);
  const auto standard = std::make_shared<const std::optional<ModelInstance>>(std::move(built.instance));
  model.instantiate = reader::FileInstances{shared, standard, expansion};
  model.extend = [shared, expansion](const Settings& settings, const std::vector<std::string>& free) {
    return extend(shared, settings, expansion, free);
  };
  model.initial_by = [shared, expansion](const Settings& settings, const std::string& state) {
    return initial_by(*shared, settings, expansion, state);
  };
  return model;
}

double constant_value(const std::string& expression) {
  const auto refuse_it = [&](const std::string& what, const std::string& expected, const std::string& got,
                             const std::string& advice) {
    refuse({.what = what,
            .where = reader::in_quotes(expression),
            .expected = expected,
            .got = got,
            .advice = advice});
  };
  reader::ParsedExpression parsed = reader::parse_expression(expression);
  if (parsed.error) {
    const reader::SyntaxError& error = *parsed.error;
    refuse_it(error.what, error.expected, error.got, error.hint);
  }
  // A model of one parameter, which has this value.
  ModelDescription model;
  model.parameters.resize(1);
  model.parameters.front().name = "value";
  model.parameters.front().value.expression = std::move(parsed.expression);
  model.start.expression = model.end.expression = reader::number_expression(0);
  Mistakes mistakes;
  resolve_names(model, mistakes);
  std::vector<double> values;
  if (mistakes.empty()) {
    const ExpandedModel expanded = expand(model, {}, Check::used, ExpansionLimits{}, mistakes);
    if (mistakes.empty()) values.push_back(expanded.parameters.front().second);
  }
  if (!mistakes.empty()) {
    const Mistake& mistake = mistakes.front();
    refuse_it(mistake.what, mistake.expected, mistake.got, mistake.hint);
  }
  return values.front();
}

std::string QuantityWords::of(const std::string& name) const {
  const auto label = labels.find(name);
  const auto unit = units.find(name);
  return (label == labels.end() ? name : label->second) + (unit == units.end() ? "" : " in " + unit->second);
}

QuantityWords quantity_words(const Model& model) {
  const auto* const file = model.instantiate.target<reader::FileInstances>();
  return file == nullptr ? QuantityWords()
                         : QuantityWords{file->description->labels, file->description->units};
}

}  // namespace slideway
