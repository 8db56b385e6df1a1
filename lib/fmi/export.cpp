#include "slideway/fmi/export.hpp"

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "lib/fmi/archive.hpp"
#include "lib/fmu/layout.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/version.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/io/quantity_words.hpp"

namespace slideway {
namespace {

using fmu::Layout;
using fmu::Role;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string number(double value) { return fmt::format("{}", value); }

// The name of the binary and of C functions that belong to it.
std::string identifier_of(const std::string& name) {
  std::string identifier;
  for (const char c : name) identifier += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier.front())) != 0)
    identifier = "m" + identifier;
  return identifier;
}

// The same description gives the same token.
std::string token_of(const std::string& text) {
  std::uint64_t high = 0xcbf29ce484222325ULL, low = 0x84222325cbf29ce4ULL;
  constexpr std::uint64_t prime = 0x100000001b3ULL;
  for (const char c : text) {
    high = (high ^ static_cast<unsigned char>(c)) * prime;
    low = (low ^ static_cast<unsigned char>(c)) * prime + 1;
  }
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffffULL);
}

class DescriptionWriter {
 public:
  DescriptionWriter(const Model& model, const ModelInstance& instance, const FmuExport& what,
                    const Layout& layout, const std::string& token)
      : model_(model),
        instance_(instance),
        what_(what),
        layout_(layout),
        units_(quantity_words(model).units) {
    pugi::xml_node declaration = document_.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    root_ = document_.append_child("fmiModelDescription");
    set(root_, "fmiVersion", is_two() ? "2.0" : "3.0");
    set(root_, "modelName", model.name);
    set(root_, is_two() ? "guid" : "instantiationToken", token);
    if (!model.summary.empty()) set(root_, "description", model.summary);
    set(root_, "generationTool", fmt::format("slideway {}", version()));
    set(root_, "variableNamingConvention", "flat");
    if (is_two() && has(FmuKind::model_exchange))
      set(root_, "numberOfEventIndicators", fmt::format("{}", layout.indicators));
    kinds();
    units();
    pugi::xml_node experiment = root_.append_child("DefaultExperiment");
    set(experiment, "startTime", number(instance.start));
    set(experiment, "stopTime", number(instance.end));
    set(experiment, "tolerance", number(what.options.rtol));
    pugi::xml_node variables = root_.append_child("ModelVariables");
    for (std::uint32_t k = 0; k < layout.variables.size(); ++k)
      is_two() ? add_of_two(variables, k) : add_of_three(variables, k);
    pugi::xml_node structure = root_.append_child("ModelStructure");
    is_two() ? structure_of_two(structure) : structure_of_three(structure);
  }

  std::string text() const {
    std::ostringstream stream;
    document_.save(stream, "  ");
    return stream.str();
  }

 private:
  bool is_two() const { return what_.version == FmiVersion::two; }
  bool has(FmuKind kind) const { return what_.kind == kind || what_.kind == FmuKind::both; }
  static void set(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  }

  void kinds() {
    const std::string identifier = identifier_of(model_.name);
    const char* const saves = is_two() ? "canGetAndSetFMUstate" : "canGetAndSetFMUState";
    const char* const derives = is_two() ? "providesDirectionalDerivative" : "providesDirectionalDerivatives";
    if (has(FmuKind::model_exchange)) {
      pugi::xml_node exchange = root_.append_child("ModelExchange");
      set(exchange, "modelIdentifier", identifier);
      set(exchange, saves, "true");
      set(exchange, derives, "true");
      if (is_two()) set(exchange, "completedIntegratorStepNotNeeded", "true");
    }
    if (has(FmuKind::co_simulation)) {
      pugi::xml_node simulation = root_.append_child("CoSimulation");
      set(simulation, "modelIdentifier", identifier);
      set(simulation, saves, "true");
      set(simulation, derives, "true");
      set(simulation, "canHandleVariableCommunicationStepSize", "true");
      if (!is_two()) set(simulation, "hasEventMode", "true");
    }
  }

  void units() {
    std::set<std::string> used;
    for (const fmu::Variable& variable : layout_.variables)
      if (const auto unit = units_.find(variable.name); unit != units_.end() && variable.is_real())
        used.insert(unit->second);
    if (used.empty()) return;
    pugi::xml_node definitions = root_.append_child("UnitDefinitions");
    for (const std::string& unit : used) set(definitions.append_child("Unit"), "name", unit);
  }

  static bool is_output(Role role) {
    return role == Role::observed || role == Role::mode || role == Role::location || role == Role::events;
  }
  static const char* causality_of(Role role) {
    if (role == Role::time) return "independent";
    if (role == Role::parameter || role == Role::tunable) return "parameter";
    if (role == Role::input) return "input";
    return is_output(role) ? "output" : "local";
  }
  static const char* variability_of(Role role) {
    if (role == Role::parameter) return "fixed";
    if (role == Role::tunable) return "tunable";
    return role == Role::mode || role == Role::location || role == Role::events ||
                   role == Role::discrete_state
               ? "discrete"
               : "continuous";
  }
  static bool has_start(Role role) {
    return role == Role::parameter || role == Role::tunable || role == Role::input || role == Role::state ||
           role == Role::discrete_state;
  }

  void describe(pugi::xml_node node, std::uint32_t k) const {
    const fmu::Variable& variable = layout_.variables[k];
    set(node, "name", variable.name);
    set(node, "valueReference", fmt::format("{}", k));
    if (!variable.description.empty()) set(node, "description", variable.description);
    set(node, "causality", causality_of(variable.role));
    set(node, "variability", variability_of(variable.role));
    // The standard gives inputs and the time no `initial`.
    if (variable.role != Role::time && variable.role != Role::input)
      set(node, "initial", has_start(variable.role) ? "exact" : "calculated");
  }
  // The attributes that 2.0 gives to the element inside.
  void describe_value(pugi::xml_node node, std::uint32_t k) const {
    const fmu::Variable& variable = layout_.variables[k];
    if (const auto unit = units_.find(variable.name); unit != units_.end() && variable.is_real())
      set(node, "unit", unit->second);
    if (has_start(variable.role)) set(node, "start", number(variable.start));
    if (variable.role == Role::derivative) {
      const std::uint32_t state = layout_.first(Role::state) + static_cast<std::uint32_t>(variable.index);
      set(node, "derivative", fmt::format("{}", is_two() ? state + 1 : state));
    }
  }
  void add_of_two(pugi::xml_node variables, std::uint32_t k) const {
    pugi::xml_node node = variables.append_child("ScalarVariable");
    describe(node, k);
    describe_value(node.append_child(layout_.variables[k].is_real() ? "Real" : "Integer"), k);
  }
  void add_of_three(pugi::xml_node variables, std::uint32_t k) const {
    pugi::xml_node node = variables.append_child(layout_.variables[k].is_real() ? "Float64" : "Int32");
    describe(node, k);
    describe_value(node, k);
  }

  template <class Wanted>
  void list(pugi::xml_node parent, const char* element, const char* attribute, std::uint32_t first,
            const Wanted& wanted) const {
    for (std::uint32_t k = 0; k < layout_.variables.size(); ++k)
      if (wanted(layout_.variables[k].role))
        set(parent.append_child(element), attribute, fmt::format("{}", k + first));
  }
  void structure_of_two(pugi::xml_node structure) const {
    const auto add = [&](const char* name, const auto& wanted) {
      pugi::xml_node part = structure.append_child(name);
      list(part, "Unknown", "index", 1, wanted);
      if (part.first_child().empty()) structure.remove_child(part);
    };
    add("Outputs", &is_output);
    add("Derivatives", [](Role role) { return role == Role::derivative; });
    add("InitialUnknowns", [](Role role) { return role == Role::derivative || is_output(role); });
  }
  void structure_of_three(pugi::xml_node structure) const {
    const char* const attribute = "valueReference";
    const auto is_derivative = [](Role role) { return role == Role::derivative; };
    list(structure, "Output", attribute, 0, &is_output);
    list(structure, "ContinuousStateDerivative", attribute, 0, is_derivative);
    list(structure, "InitialUnknown", attribute, 0,
         [&](Role role) { return is_output(role) || is_derivative(role); });
    if (has(FmuKind::model_exchange))
      list(structure, "EventIndicator", attribute, 0, [](Role role) { return role == Role::indicator; });
  }

  const Model& model_;
  const ModelInstance& instance_;
  const FmuExport& what_;
  const Layout& layout_;
  std::map<std::string, std::string> units_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

std::string page_of(const Model& model) {
  pugi::xml_document document;
  pugi::xml_node html = document.append_child("html");
  pugi::xml_node head = html.append_child("head");
  head.append_child("title").text() = model.name.c_str();
  pugi::xml_node body = html.append_child("body");
  body.append_child("h1").text() = model.name.c_str();
  if (!model.summary.empty()) body.append_child("p").text() = model.summary.c_str();
  std::string equations;
  for (const std::string& equation : model.equations) equations += equation + "\n";
  body.append_child("pre").text() = equations.c_str();
  if (!model.source.empty()) body.append_child("p").text() = model.source.c_str();
  std::ostringstream stream;
  document.save(stream, "  ", pugi::format_indent | pugi::format_no_declaration);
  return "<!DOCTYPE html>\n" + stream.str();
}

bool is_of_file(const FmuExport& what) { return !what.model_file.empty() || !what.model_text.empty(); }

// The FMU reads this document at its start.
nlohmann::json start_document(const Model& model, const FmuExport& what, const std::string& token) {
  const bool is_file = is_of_file(what);
  nlohmann::json settings = nlohmann::json::object();
  for (const auto& [name, value] : what.settings) settings[name] = value;
  const Vector& atol = what.options.atol.values();
  return {{"model", is_file ? "model.toml" : model.name},
          {"is_file", is_file},
          {"token", token},
          {"settings", settings},
          {"observe", what.observe},
          {"inputs", what.inputs},
          {"tunable", what.tunable},
          {"rtol", what.options.rtol},
          {"atol", std::vector<double>(atol.begin(), atol.end())},
          {"method", to_string(what.options.method)},
          {"on_ambiguity", to_string(what.options.on_ambiguity)},
          {"sliding_rule", to_string(what.options.sliding_rule)},
          {"selection", to_string(what.options.selection)}};
}

// A file that reads others cannot be carried alone.
void check_alone(const std::string& text, const std::string& path) {
  try {
    parse_model(text, "model.toml");
  } catch (const ModelFileError&) {
    refuse({.what = "the model file reads other files, which an FMU does not carry",
            .where = path,
            .expected = "a file that has its data in itself"});
  }
}

// Inputs and tunable parameters are states of the model that is extended by them.
void check_free(const Model& model, const FmuExport& what, const std::vector<std::string>& free) {
  if (!model.extend)
    refuse({.what = "the parameters of this model cannot change in a run",
            .where = "'" + free.front() + "'",
            .expected = "a model file, or a model of the catalogue that is one functor"});
  model.extend(what.settings, free).observe(what.observe);
}

}  // namespace

void write_fmu(const std::string& path, const Model& model, const FmuExport& what) {
  const ModelInstance instance = model.instantiate(what.settings);
  if (what.kind != FmuKind::co_simulation) fmu::check_model_exchange(instance);
  instance.observables(what.observe);
  const fmu::Offered offered{what.observe, what.inputs, what.tunable};
  const Layout layout = fmu::layout_of(model, instance, offered);
  if (const std::vector<std::string> free = offered.free(); !free.empty()) check_free(model, what, free);
  std::map<std::string, std::string> entries;
  if (is_of_file(what)) {
    entries["resources/model.toml"] = what.model_file.empty() ? what.model_text : content_of(what.model_file);
    check_alone(entries["resources/model.toml"], what.model_file.empty() ? model.name : what.model_file);
  }
  const std::string plain = DescriptionWriter(model, instance, what, layout, "{}").text();
  const std::string token = token_of(plain + entries["resources/model.toml"]);
  if (!is_of_file(what)) entries.erase("resources/model.toml");
  entries["modelDescription.xml"] = DescriptionWriter(model, instance, what, layout, token).text();
  entries["resources/slideway.json"] = start_document(model, what, token).dump(1);
  entries["documentation/index.html"] = page_of(model);
  const char* const folder = what.version == FmiVersion::two ? "linux64" : "x86_64-linux";
  entries[fmt::format("binaries/{}/{}.so", folder, identifier_of(model.name))] = content_of(what.binary);
  const std::string bytes = fmi::archive_of(entries);
  write_whole(
      path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

}  // namespace slideway
