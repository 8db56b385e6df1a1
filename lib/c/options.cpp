#include "lib/c/options.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "apps/simulation.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::door {
namespace {

bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\n'; }

double positive_of(const std::string& name, const std::string& value) {
  const double number = number_of(name, value);
  if (!(number > 0))
    refuse(
        {.what = "an option has no such value", .where = name, .expected = "a number above 0", .got = value});
  return number;
}

Tolerance tolerance_of(const std::string& value) {
  const std::vector<std::string> parts = parts_of(value);
  Vector numbers(static_cast<Index>(parts.size()));
  for (std::size_t k = 0; k < parts.size(); ++k) numbers[static_cast<Index>(k)] = number_of("atol", parts[k]);
  return Tolerance(numbers);
}

// Each throws what it does not take.
using Setter = std::function<void(RunOptions&, const std::string& name, const std::string& value)>;

const std::map<std::string, Setter>& setters() {
  using Name = const std::string&;
  static const std::map<std::string, Setter> all = {
      {"t_start", [](RunOptions& to, Name name, Name value) { to.start = number_of(name, value); }},
      {"t_end", [](RunOptions& to, Name name, Name value) { to.end = number_of(name, value); }},
      {"location", [](RunOptions& to, Name, Name value) { to.location = value; }},
      {"mode", [](RunOptions& to, Name, Name value) { to.mode = Mode(value); }},
      {"rtol", [](RunOptions& to, Name name, Name value) { to.run.rtol = number_of(name, value); }},
      {"atol", [](RunOptions& to, Name, Name value) { to.run.atol = tolerance_of(value); }},
      {"max_step", [](RunOptions& to, Name name, Name value) { to.run.max_step = positive_of(name, value); }},
      {"max_events",
       [](RunOptions& to, Name name, Name value) { to.run.max_events = whole_number_of(name, value, 1); }},
      {"max_steps",
       [](RunOptions& to, Name name, Name value) { to.run.max_steps = whole_number_of(name, value, 1); }},
      {"method", [](RunOptions& to, Name, Name value) { to.run.method = method_from(value); }},
      {"linear_solver",
       [](RunOptions& to, Name, Name value) { to.run.linear_solver = linear_solver_from(value); }},
      {"on_ambiguity", [](RunOptions& to, Name, Name value) { to.run.on_ambiguity = ambiguity_from(value); }},
      {"sliding_rule",
       [](RunOptions& to, Name, Name value) { to.run.sliding_rule = sliding_rule_from(value); }},
      {"selection", [](RunOptions& to, Name, Name value) { to.run.selection = selection_from(value); }},
      {"local_events",
       [](RunOptions& to, Name, Name value) { to.run.local_events = local_events_from(value); }},
      {"full_events",
       [](RunOptions& to, Name name, Name value) { to.run.full_events = truth_of(name, value); }},
      {"recording",
       [](RunOptions& to, Name name, Name value) {
         if (value != "dense" && value != "nothing")
           refuse({.what = "an option has no such value",
                   .where = name,
                   .expected = "dense or nothing",
                   .got = value});
         to.run.recording = value == "dense" ? Recording::dense : Recording::nothing;
       }},
      {"audit", [](RunOptions& to, Name, Name value) { to.audit = audit_level_from(value); }},
      {"sensitivities", [](RunOptions& to, Name, Name value) { to.sensitivities = parts_of(value); }},
      {"checkpoint", [](RunOptions& to, Name, Name value) { to.checkpoint = value; }},
      {"checkpoint_seconds",
       [](RunOptions& to, Name name, Name value) { to.checkpoint_seconds = positive_of(name, value); }},
      {"checkpoint_steps",
       [](RunOptions& to, Name name, Name value) { to.checkpoint_steps = whole_number_of(name, value, 1); }},
  };
  return all;
}

}  // namespace

bool truth_of(const std::string& name, const std::string& value) {
  if (value == "true") return true;
  if (value != "false")
    refuse({.what = "an option has no such value", .where = name, .expected = "true or false", .got = value});
  return false;
}

OptionText options_in(const std::string& text) {
  OptionText options;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return options;
    const std::size_t begin = at;
    while (at < text.size() && text[at] != '=' && !is_blank(text[at])) ++at;
    const std::string name = text.substr(begin, at - begin);
    if (at == text.size() || text[at] != '=' || name.empty())
      refuse({.what = "options are a row of name=value",
              .where = "options",
              .expected = "a name, then '=' without a blank",
              .got = "'" + text.substr(begin) + "'"});
    ++at;
    const bool quoted = at < text.size() && text[at] == '\'';
    const std::size_t value = quoted ? ++at : at;
    while (at < text.size() && (quoted ? text[at] != '\'' : !is_blank(text[at]))) ++at;
    if (quoted && at == text.size())
      refuse({.what = "a value is not closed",
              .where = name,
              .expected = "' at its end",
              .got = text.substr(value)});
    options.emplace_back(name, text.substr(value, at - value));
    if (quoted) ++at;
  }
}

void merge(OptionText& options, const OptionText& more) {
  for (const auto& one : more) {
    std::erase_if(options, [&](const auto& option) { return option.first == one.first; });
    if (!one.second.empty()) options.push_back(one);
  }
}

std::optional<std::string> taken(OptionText& options, const std::string& name) {
  std::optional<std::string> value;
  for (const auto& option : options)
    if (option.first == name) value = option.second;
  std::erase_if(options, [&](const auto& option) { return option.first == name; });
  return value;
}

double number_of(const std::string& name, const std::string& value) {
  double number = 0;
  try {
    number = constant_value(value);
  } catch (const std::invalid_argument& error) {
    refuse({.what = "an option is no number",
            .where = name,
            .expected = "a number, or an expression of numbers",
            .got = "'" + value + "' (" + error.what() + ")"});
  }
  if (!std::isfinite(number))
    refuse({.what = "an option is not finite", .where = name, .expected = "a finite number", .got = value});
  return number;
}

std::int64_t whole_number_of(const std::string& name, const std::string& value, std::int64_t least) {
  constexpr double most = 1e15;
  const double number = number_of(name, value);
  if (number != std::floor(number) || number < static_cast<double>(least) || number > most)
    refuse({.what = "an option has no such value",
            .where = name,
            .expected = fmt::format("a whole number from {}", least),
            .got = value});
  return static_cast<std::int64_t>(number);
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char character : text + " ") {
    if (!is_blank(character) && character != ',') {
      part += character;
    } else if (!part.empty()) {
      parts.push_back(std::move(part));
      part.clear();
    }
  }
  return parts;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const auto& [name, setter] : setters()) names.push_back(name);
  return names;
}

RunOptions run_options(const OptionText& given, const ModelDefaults& defaults, double usual_rtol) {
  RunOptions options;
  options.run = apps::make_options({}, defaults);
  if (!(defaults.rtol > 0)) options.run.rtol = usual_rtol;
  bool asks_for_solver = false;
  for (const auto& [name, value] : given) {
    const auto setter = setters().find(name);
    if (setter == setters().end()) {
      const std::string near = nearest_name(name, option_names());
      refuse({.what = "there is no option '" + name + "'",
              .where = "options",
              .expected = fmt::format("one of {}", fmt::join(option_names(), ", ")),
              .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
    }
    setter->second(options, name, value);
    if (name == "linear_solver" && value != "auto") asks_for_solver = true;
  }
  const Method method = options.run.method;
  if (asks_for_solver && method != Method::automatic && method != Method::bdf && method != Method::rodas)
    refuse({.what = std::string(to_string(method)) + " solves no linear equations",
            .where = "linear_solver",
            .expected = "method=bdf, rodas or auto beside it",
            .got = to_string(options.run.linear_solver)});
  return options;
}

}  // namespace slideway::door
