#include "lib/fmi/description.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "slideway/core/errors.hpp"

namespace slideway::fmi {
namespace {

const std::map<std::string, Type> types = {
    {"Float32", Type::float32}, {"Float64", Type::float64}, {"Int8", Type::int8},
    {"UInt8", Type::uint8},     {"Int16", Type::int16},     {"UInt16", Type::uint16},
    {"Int32", Type::int32},     {"UInt32", Type::uint32},   {"Int64", Type::int64},
    {"UInt64", Type::uint64},   {"Boolean", Type::boolean}, {"String", Type::text},
    {"Binary", Type::binary},   {"Clock", Type::clock},     {"Enumeration", Type::int64},
};
const std::map<std::string, Type> types_of_two = {
    {"Real", Type::float64}, {"Integer", Type::int32},     {"Boolean", Type::boolean},
    {"String", Type::text},  {"Enumeration", Type::int32},
};
const std::map<std::string, Role> roles = {
    {"parameter", Role::parameter},
    {"calculatedParameter", Role::calculated},
    {"input", Role::input},
    {"output", Role::output},
    {"local", Role::local},
    {"independent", Role::independent},
    {"structuralParameter", Role::structural},
};

class Reader {
 public:
  Reader(const std::filesystem::path& file, pugi::xml_node root, const Configuration& configuration)
      : file_(file), root_(root), configuration_(configuration) {}

  Description read(std::optional<Kind> wanted) {
    const std::string version = text(root_, "fmiVersion");
    if (version == "2.0")
      answer_.version = Version::two;
    else if (version == "3.0" || version.starts_with("3.0-") || version.starts_with("3."))
      answer_.version = Version::three;
    else
      refuse_file("this version of the standard is not read here", "fmiVersion 2.0 or 3.0",
                  "'" + version + "'");
    answer_.model_name = text(root_, "modelName");
    answer_.description = root_.attribute("description").value();
    answer_.tool = root_.attribute("generationTool").value();
    answer_.token = text(root_, is_two() ? "guid" : "instantiationToken");
    kind(wanted);
    const pugi::xml_node experiment = root_.child("DefaultExperiment");
    answer_.start = number(experiment, "startTime");
    answer_.end = number(experiment, "stopTime");
    answer_.tolerance = number(experiment, "tolerance");
    answer_.step = number(experiment, "stepSize");
    types_of_file();
    variables();
    if (is_two())
      structure_of_two();
    else
      structure_of_three();
    return std::move(answer_);
  }

 private:
  bool is_two() const { return answer_.version == Version::two; }

  [[noreturn]] void refuse_file(const std::string& what, const std::string& expected = "",
                                const std::string& got = "") const {
    refuse({.what = what, .where = file_.filename().string(), .expected = expected, .got = got});
  }

  std::string text(pugi::xml_node node, const char* name) const {
    const pugi::xml_attribute found = node.attribute(name);
    if (found.empty() || found.value()[0] == '\0')
      refuse_file(fmt::format("<{}> has no attribute '{}'", node.name(), name));
    return found.value();
  }

  std::optional<double> number(pugi::xml_node node, const char* name) const {
    const pugi::xml_attribute found = node.attribute(name);
    if (found.empty()) return std::nullopt;
    return number_of(found.value(), node, name);
  }

  double number_of(const std::string& word, pugi::xml_node node, const char* name) const {
    if (word == "true" || word == "false") return word == "true" ? 1.0 : 0.0;
    double value = 0;
    const char* const begin = word.data() + (word.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      refuse_file(fmt::format("'{}' of <{}> is no number", name, node.name()), "a number", "'" + word + "'");
    return value;
  }

  // The numbers of a list, which an array has.
  std::vector<double> numbers(pugi::xml_node node, const char* name) const {
    std::vector<double> values;
    std::istringstream words(node.attribute(name).value());
    for (std::string word; words >> word;) values.push_back(number_of(word, node, name));
    return values;
  }

  std::uint32_t reference(pugi::xml_node node, const char* name) const {
    const std::string word = text(node, name);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      refuse_file(fmt::format("'{}' of <{}> is no value reference", name, node.name()),
                  "a whole number from 0 to 4294967295", "'" + word + "'");
    return value;
  }

  static bool flag(pugi::xml_node node, const char* name) { return node.attribute(name).as_bool(); }

  void kind(std::optional<Kind> wanted) {
    const pugi::xml_node exchange = root_.child("ModelExchange"), simulation = root_.child("CoSimulation");
    answer_.kind = wanted.value_or(exchange ? Kind::model_exchange : Kind::co_simulation);
    const bool exchanges = answer_.kind == Kind::model_exchange;
    const pugi::xml_node own = exchanges ? exchange : simulation;
    if (!own && !exchange && !simulation)
      refuse_file(
          "this FMU has neither Model Exchange nor Co-Simulation", "one of these elements",
          root_.child("ScheduledExecution") ? "<ScheduledExecution>, which is not followed here" : "none");
    if (!own)
      refuse_file(exchanges ? "this FMU has no Model Exchange" : "this FMU has no Co-Simulation",
                  exchanges ? "an element <ModelExchange>" : "an element <CoSimulation>",
                  "the other kind alone");
    answer_.model_identifier = text(own, "modelIdentifier");
    if (answer_.model_identifier.find_first_of("/\\") != std::string::npos)
      refuse_file("a model identifier is the name of a file, without folders", "letters, digits and _",
                  "'" + answer_.model_identifier + "'");
    if (flag(own, "needsExecutionTool"))
      refuse_file("this FMU needs the tool that made it", "an FMU that runs by itself",
                  "needsExecutionTool=\"true\"");
    answer_.saves_state = flag(own, is_two() ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
    answer_.has_directional_derivatives =
        flag(own, is_two() ? "providesDirectionalDerivative" : "providesDirectionalDerivatives");
    answer_.only_one_instance = flag(own, "canBeInstantiatedOnlyOncePerProcess");
    answer_.wants_steps = exchanges && (is_two() ? !flag(own, "completedIntegratorStepNotNeeded")
                                                 : flag(own, "needsCompletedIntegratorStep"));
    answer_.has_event_mode = !exchanges && !is_two() && flag(own, "hasEventMode");
    answer_.has_fixed_steps = !exchanges && !flag(own, "canHandleVariableCommunicationStepSize");
  }

  // Units and nominal values may be those of a declared type.
  void types_of_file() {
    for (const pugi::xml_node type : root_.child("TypeDefinitions").children())
      declared_[type.attribute("name").value()] = is_two() ? type.first_child() : type;
  }

  void variables() {
    const pugi::xml_node all = root_.child("ModelVariables");
    // A dimension may be a variable that stands further below.
    for (const pugi::xml_node node : all.children())
      if (!is_two() && node.attribute("valueReference")) nodes_[reference(node, "valueReference")] = node;
    for (const pugi::xml_node node : all.children())
      if (node.type() == pugi::node_element) variable(node);
  }

  // The value of a structural parameter, by which arrays have their lengths.
  std::optional<double> structural_value(pugi::xml_node node, bool is_configured) const {
    const std::string name = text(node, "name");
    const auto set = configuration_.find(name);
    if (!is_configured || set == configuration_.end()) return number(node, "start");
    const double least = number(node, "min").value_or(0);
    const double most = number(node, "max").value_or(0x1p53);
    if (!(set->second >= least && set->second <= most) || set->second != std::floor(set->second))
      refuse_file(fmt::format("structural parameter '{}' cannot have this value", name),
                  fmt::format("a whole number from {} to {}", least, most), fmt::format("{}", set->second));
    return set->second;
  }

  // The lengths of an array along its dimensions, with the configuration or as the description gives them; none of a scalar.
  std::vector<std::size_t> dimensions_of(pugi::xml_node node, bool is_configured) const {
    constexpr double most = 1e6;
    std::vector<std::size_t> lengths;
    double all = 1;
    for (const pugi::xml_node dimension : node.children("Dimension")) {
      std::optional<double> length = number(dimension, "start");
      if (!length) {
        const auto found = nodes_.find(reference(dimension, "valueReference"));
        if (found != nodes_.end()) length = structural_value(found->second, is_configured);
      }
      const std::string name = node.attribute("name").value();
      if (!length || !(*length >= 0) || *length != std::floor(*length))
        refuse_file(fmt::format("a dimension of '{}' has no length", name),
                    "'start', or the value reference of a structural parameter with 'start'");
      all *= *length;
      if (all > most)
        refuse_file(fmt::format("array '{}' is too long", name),
                    fmt::format("at most {:.0f} elements", most));
      lengths.push_back(static_cast<std::size_t>(*length));
    }
    return lengths;
  }

  // The places of an element of this place along each dimension, from 0, the last index first.
  static std::vector<std::size_t> indices_of(std::size_t element, const std::vector<std::size_t>& lengths) {
    std::vector<std::size_t> index(lengths.size());
    for (std::size_t k = lengths.size(); k-- > 0; element /= lengths[k]) index[k] = element % lengths[k];
    return index;
  }

  // The place in an array of other lengths of the element with these indices; none where that array is shorter.
  static std::optional<std::size_t> place_of(const std::vector<std::size_t>& indices,
                                             const std::vector<std::size_t>& lengths) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      if (indices[k] >= lengths[k]) return std::nullopt;
      place = place * lengths[k] + indices[k];
    }
    return place;
  }

  // "[2,3]" for the element of this place, counted from 1, the last index first.
  static std::string index_of(std::size_t element, const std::vector<std::size_t>& lengths) {
    if (lengths.empty()) return "";
    std::vector<std::size_t> index = indices_of(element, lengths);
    for (std::size_t& one : index) ++one;
    return fmt::format("[{}]", fmt::join(index, ","));
  }

  void variable(pugi::xml_node node) {
    pugi::xml_node typed = node;
    if (is_two()) {
      typed = node.first_child();
      while (typed && !types_of_two.contains(typed.name())) typed = typed.next_sibling();
    }
    const auto& known = is_two() ? types_of_two : types;
    const auto type = known.find(typed.name());
    Variable one;
    one.name = text(node, "name");
    if (type == known.end())
      refuse_file(fmt::format("variable '{}' has a type that the standard does not have", one.name),
                  is_two() ? "Real, Integer, Boolean, String or Enumeration" : "a type of FMI 3.0",
                  fmt::format("'{}'", typed.name()));
    one.type = type->second;
    if (one.type == Type::clock)
      refuse_file(fmt::format("variable '{}' is a clock, and clocks are not followed here", one.name));
    one.description = node.attribute("description").value();
    one.reference = reference(node, "valueReference");
    const pugi::xml_node declared = declared_[typed.attribute("declaredType").value()];
    const auto attribute = [&](const char* name) {
      return typed.attribute(name) || !declared ? typed : declared;
    };
    one.unit = attribute("unit").attribute("unit").value();
    one.nominal = number(attribute("nominal"), "nominal");
    const std::string role = node.attribute("causality").as_string("local");
    if (const auto found = roles.find(role); found != roles.end())
      one.role = found->second;
    else
      refuse_file(fmt::format("variable '{}' has no such causality", one.name), "one of the standard",
                  "'" + role + "'");
    const bool is_real = one.type == Type::float64 || one.type == Type::float32;
    const std::string variability =
        node.attribute("variability").as_string(is_real ? "continuous" : "discrete");
    one.is_continuous = variability == "continuous";
    const std::string initial = node.attribute("initial").value();
    one.is_settable_at_start =
        variability != "constant" &&
        (initial == "exact" ||
         (initial.empty() &&
          (one.role == Role::parameter || one.role == Role::structural || one.role == Role::input)));
    one.is_tunable = one.role == Role::parameter && variability == "tunable";
    const std::vector<std::size_t> lengths = dimensions_of(node, true), told = dimensions_of(node, false);
    for (const std::size_t length : lengths) one.count *= length;
    if (typed.attribute("derivative") && one.count > 0)
      derivatives_.emplace_back(answer_.variables.size(), reference(typed, "derivative"));
    std::size_t told_count = 1;
    for (const std::size_t length : told) told_count *= length;
    const bool is_number = one.type != Type::text && one.type != Type::binary;
    const std::vector<double> starts = is_number ? numbers(typed, "start") : std::vector<double>();
    if (starts.size() > 1 && starts.size() != told_count)
      refuse_file(fmt::format("'start' of '{}' has another number of values than the variable", one.name),
                  fmt::format("{}", told_count), fmt::format("{}", starts.size()));
    const bool is_configured = one.role == Role::structural && configuration_.contains(one.name);
    const std::string name = one.name;
    for (one.element = 0; one.element < one.count; ++one.element) {
      one.name = name + index_of(one.element, lengths);
      const std::optional<std::size_t> place = place_of(indices_of(one.element, lengths), told);
      one.start.reset();
      if (is_configured)
        one.start = structural_value(node, true);
      else if (starts.size() == 1 && (told_count != 1 || place))
        one.start = starts.front();
      else if (!starts.empty() && place)
        one.start = starts[*place];
      answer_.variables.push_back(one);
    }
    // Other names of 3.0 for the same values are there to be seen.
    one.role = Role::local;
    one.is_settable_at_start = one.is_tunable = false;
    one.start.reset();
    for (const pugi::xml_node alias : node.children("Alias"))
      for (one.element = 0; one.element < one.count; ++one.element) {
        one.name = text(alias, "name") + index_of(one.element, lengths);
        answer_.variables.push_back(one);
      }
  }

  void add_state(const Variable& state, const Variable& derivative) {
    if (state.type != Type::float64)
      refuse_file(fmt::format("state '{}' is no Float64", state.name), "states of this type");
    answer_.states.push_back({state, derivative});
  }

  // The order of the states is that of the derivatives in the structure. An index of 2.0 begins with 1.
  void structure_of_two() {
    const auto& all = answer_.variables;
    for (const pugi::xml_node unknown :
         root_.child("ModelStructure").child("Derivatives").children("Unknown")) {
      const std::size_t of = reference(unknown, "index");
      const auto is_it = [&](const auto& pair) { return pair.first + 1 == of; };
      const auto found = std::find_if(derivatives_.begin(), derivatives_.end(), is_it);
      if (of < 1 || of > all.size() || found == derivatives_.end() || found->second < 1 ||
          found->second > all.size())
        refuse_file("ModelStructure names a derivative that is none",
                    "the index of a variable with 'derivative'", fmt::format("{}", of));
      add_state(all[found->second - 1], all[of - 1]);
    }
    const auto count = static_cast<std::size_t>(number(root_, "numberOfEventIndicators").value_or(0));
    for (std::size_t k = 1; k <= count; ++k) answer_.indicators.push_back(fmt::format("indicator {}", k));
  }

  // The variable with this reference, element by element.
  std::vector<const Variable*> elements_of(std::uint32_t of) const {
    std::vector<const Variable*> found;
    for (const Variable& one : answer_.variables)
      if (one.reference == of && found.size() < one.count) found.push_back(&one);
    return found;
  }

  // A structural parameter may leave an array without elements.
  bool has_no_elements(std::uint32_t of) const {
    const auto node = nodes_.find(of);
    if (node == nodes_.end()) return false;
    const std::vector<std::size_t> lengths = dimensions_of(node->second, true);
    return std::find(lengths.begin(), lengths.end(), 0) != lengths.end();
  }

  void structure_of_three() {
    for (const pugi::xml_node node : root_.child("ModelStructure").children()) {
      const std::string kind = node.name();
      const bool is_followed = kind == "EventIndicator" || kind == "ContinuousStateDerivative";
      if (is_followed && has_no_elements(reference(node, "valueReference"))) continue;
      if (kind == "EventIndicator" && answer_.kind == Kind::model_exchange) {
        const auto named = elements_of(reference(node, "valueReference"));
        for (const Variable* const one : named) answer_.indicators.push_back(one->name);
        if (named.empty())
          answer_.indicators.push_back(fmt::format("indicator {}", answer_.indicators.size() + 1));
      }
      if (kind != "ContinuousStateDerivative") continue;
      const std::uint32_t of = reference(node, "valueReference");
      const auto is_it = [&](const auto& pair) {
        return pair.first < answer_.variables.size() && answer_.variables[pair.first].reference == of;
      };
      const auto found = std::find_if(derivatives_.begin(), derivatives_.end(), is_it);
      const auto states =
          found == derivatives_.end() ? std::vector<const Variable*>() : elements_of(found->second);
      const auto derivatives = elements_of(of);
      if (states.empty() || states.size() != derivatives.size())
        refuse_file("ModelStructure names a derivative that is none",
                    "the value reference of a variable with 'derivative'", fmt::format("{}", of));
      for (std::size_t k = 0; k < states.size(); ++k) add_state(*states[k], *derivatives[k]);
      for (const pugi::xml_node dimension : nodes_.at(found->second).children("Dimension"))
        answer_.has_sized_states = answer_.has_sized_states || dimension.attribute("valueReference");
    }
  }

  const std::filesystem::path& file_;
  pugi::xml_node root_;
  const Configuration& configuration_;
  Description answer_;
  std::map<std::string, pugi::xml_node> declared_;
  std::map<std::uint32_t, pugi::xml_node> nodes_;                   // of 3.0, by value reference
  std::vector<std::pair<std::size_t, std::uint32_t>> derivatives_;  // a variable, and what its attribute says
};

}  // namespace

Description read_description(const std::filesystem::path& file, std::optional<Kind> kind,
                             const Configuration& configuration) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_file(file.c_str());
  if (parsed.status == pugi::status_file_not_found)
    refuse({.what = "this is no FMU",
            .where = file.filename().string(),
            .expected = "this file in the archive",
            .got = "none"});
  if (!parsed)
    refuse({.what = "this is no XML",
            .where = fmt::format("{}, byte {}", file.filename().string(), parsed.offset),
            .got = parsed.description()});
  const pugi::xml_node root = document.child("fmiModelDescription");
  if (!root)
    refuse({.what = "this describes no FMU",
            .where = file.filename().string(),
            .expected = "an element <fmiModelDescription>",
            .got = fmt::format("<{}>", document.document_element().name())});
  return Reader(file, root, configuration).read(kind);
}

}  // namespace slideway::fmi
