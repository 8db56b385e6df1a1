#include "models/friction.hpp"

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway::models::friction {

namespace {

std::vector<LawValue> values(Law& law) {
  return std::visit([](auto& made) { return made.values(); }, law);
}

}  // namespace

const std::vector<Law>& laws() {
  static const std::vector<Law> all = {
      Viscous{}, Coulomb{}, Static{}, Stribeck{}, StribeckLinear{}, ExponentialLiteral{}, Dahl{}, LuGre{}};
  return all;
}

Law law(const std::string& wanted) {
  std::vector<std::string> names;
  for (const Law& candidate : laws()) {
    if (wanted == name(candidate)) return candidate;
    names.emplace_back(name(candidate));
  }
  const std::string near = nearest_name(wanted, names);
  refuse({.what = fmt::format("there is no law of friction '{}'", wanted),
          .where = "friction",
          .expected = fmt::format("one of {}", fmt::join(names, ", ")),
          .advice = near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
}

const char* name(const Law& law) {
  return std::visit([](const auto& made) { return made.name; }, law);
}

bool has_state(const Law& law) {
  return std::visit([](const auto& made) { return made.has_state; }, law);
}

double steady(const Law& law, double v) {
  return std::visit([v](const auto& made) { return made.steady(v); }, law);
}

double break_away(const Law& law) {
  return std::visit([](const auto& made) { return made.break_away(); }, law);
}

double stored(const Law& law, double z) {
  return std::visit([z](const auto& made) { return made.stored(z); }, law);
}

bool passive(const Law& law) {
  return std::visit([](const auto& made) { return made.passive(); }, law);
}

void set(Law& law, const std::string& parameter, double value) {
  std::vector<std::string> names;
  for (const LawValue& known : values(law)) {
    if (parameter == known.name) {
      *known.value = value;
      return;
    }
    names.emplace_back(known.name);
  }
  const std::string near = nearest_name(parameter, names);
  refuse({.what = fmt::format("there is no parameter '{}'", parameter),
          .where = fmt::format("friction law {}", name(law)),
          .expected = fmt::format("one of {}", fmt::join(names, ", ")),
          .advice = near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
}

void check(const Law& law) {
  Law copy = law;
  const std::string where = fmt::format("friction law {}", name(law));
  const double* kinetic = nullptr;
  const double* at_rest = nullptr;
  const std::vector<LawValue> all = values(copy);
  for (const LawValue& known : all) {
    if (std::string(known.name) == "Fc") kinetic = known.value;
    if (std::string(known.name) == "Fs") at_rest = known.value;
    if (std::isfinite(*known.value) && (known.may_vanish ? *known.value >= 0 : *known.value > 0)) continue;
    refuse({.what = fmt::format("parameter {} is refused", known.name),
            .where = where,
            .expected = fmt::format(
                "{} [{}]", known.may_vanish ? "0 or a number above it" : "a number above 0", known.unit),
            .got = fmt::format("{}", *known.value)});
  }
  if (kinetic != nullptr && at_rest != nullptr && *at_rest < *kinetic) {
    refuse({.what = "parameter Fs is refused: what holds at rest is not less than what resists motion",
            .where = where,
            .expected = fmt::format("at least Fc = {} [N]", *kinetic),
            .got = fmt::format("{}", *at_rest)});
  }
}

}  // namespace slideway::models::friction
