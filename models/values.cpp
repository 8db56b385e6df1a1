#include "models/values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/model/settings.hpp"

namespace slideway::models {

namespace {

// Pairs are few: a linear search keeps the model's order and needs no second container.
auto find_name(const Settings& settings, const std::string& name) {
  return std::find_if(settings.begin(), settings.end(),
                      [&](const auto& entry) { return entry.first == name; });
}

}  // namespace

Values::Values(const Model& model, const Settings& settings) : Values(model, model.state_names, settings) {}

Values::Values(const Model& model, std::vector<std::string> state_names, const Settings& settings)
    : model_(model.name), state_names_(std::move(state_names)) {
  std::vector<std::string> known;
  for (const Parameter& parameter : model.parameters) {
    parameters_.emplace_back(parameter.name, parameter.value);
    known.push_back(parameter.name);
  }
  known.insert(known.end(), state_names_.begin(), state_names_.end());

  for (const auto& [name, value] : settings) {
    check_setting(model_, name, value, known);
    if (const auto found = find_name(parameters_, name); found != parameters_.end()) {
      parameters_[static_cast<std::size_t>(found - parameters_.begin())].second = value;
    } else {
      initial_.emplace_back(name, value);
    }
  }
}

Index Values::count(const Model& model, const Settings& settings, const std::string& parameter, Index least,
                    Index most) {
  double value = 0;
  for (const Parameter& known : model.parameters) {
    if (known.name == parameter) value = known.value;
  }
  for (const auto& [name, setting] : settings) {
    if (name == parameter) value = setting;
  }
  if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) ||
      value != std::floor(value)) {
    refuse({.what = fmt::format("parameter {} is refused: it is a number of things", parameter),
            .where = model.name,
            .expected = fmt::format("a whole number from {} to {}", least, most),
            .got = fmt::format("{}", value)});
  }
  return static_cast<Index>(value);
}

double Values::operator[](const std::string& parameter) const {
  return find_name(parameters_, parameter)->second;
}

void Values::require_positive(const std::string& parameter, const std::string& reason) const {
  if (!((*this)[parameter] > 0)) refuse_value(parameter, "a number above 0", reason);
}

void Values::require_not_negative(const std::string& parameter, const std::string& reason) const {
  if (!((*this)[parameter] >= 0)) refuse_value(parameter, "0 or a number above it", reason);
}

void Values::require_from_zero_to_one(const std::string& parameter, const std::string& reason) const {
  const double value = (*this)[parameter];
  if (!(value >= 0 && value <= 1)) refuse_value(parameter, "a number from 0 to 1", reason);
}

Vector Values::state(ConstVectorRef defaults) const {
  Vector state = defaults;
  for (const auto& [name, value] : initial_) {
    const auto position = std::find(state_names_.begin(), state_names_.end(), name) - state_names_.begin();
    state(position) = value;
  }
  return state;
}

void Values::refuse_value(const std::string& parameter, const std::string& expected,
                          const std::string& reason) const {
  refuse({.what = fmt::format("parameter {} is refused: {}", parameter, reason),
          .where = model_,
          .expected = expected,
          .got = fmt::format("{}", (*this)[parameter])});
}

}  // namespace slideway::models
