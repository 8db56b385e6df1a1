#include "apps/sweep_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {

namespace {

constexpr Index most_runs = 10'000'000;

[[noreturn]] void refuse_axis(const std::string& text, const std::string& what, const std::string& expected) {
  refuse({.what = what, .where = "--vary", .expected = expected, .got = "'" + text + "'"});
}

double finite_number(const std::string& text, const std::string& word) {
  const auto value = to_number<double>(word);
  if (value && std::isfinite(*value)) return *value;
  if (!value && !word.empty()) {
    try {
      return constant_value(word);
    } catch (const std::invalid_argument&) {
      // Told below, with the whole axis.
    }
  }
  refuse_axis(text, "not a number: '" + word + "'", "finite numbers, or expressions of them such as 1/3");
}

// The ends are hit exactly, and every value is the same whatever the platform's exp() says of its neighbours.
std::vector<double> spaced(double first, double last, Index count, bool logarithmic) {
  std::vector<double> values;
  for (Index k = 0; k < count; ++k) {
    const double fraction = count > 1 ? static_cast<double>(k) / static_cast<double>(count - 1) : 0;
    const double value =
        logarithmic ? first * std::pow(last / first, fraction) : first + fraction * (last - first);
    values.push_back(k + 1 == count && count > 1 ? last : value);
  }
  return values;
}

}  // namespace

SweepAxis parse_axis(const std::string& text) {
  const std::string form = "name=first:last:count, name=first:last:count:log or name=value,value,…";
  const auto equals = text.find('=');
  SweepAxis axis;
  axis.name = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || axis.name.empty()) refuse_axis(text, "not an axis of a sweep", form);
  const std::string values = text.substr(equals + 1);
  const std::vector<std::string> parts = split(values, ':');
  if (parts.size() == 1) {
    for (const std::string& word : split(values, ',')) axis.values.push_back(finite_number(text, word));
    return axis;
  }
  if (parts.size() > 4 || parts.size() < 3 || (parts.size() == 4 && parts[3] != "log" && parts[3] != "lin")) {
    refuse_axis(text, "not an axis of a sweep", form);
  }
  const double first = finite_number(text, parts[0]);
  const double last = finite_number(text, parts[1]);
  const auto count = to_number<Index>(parts[2]);
  if (!count || *count < 1 || *count > most_runs)
    refuse_axis(text, "not a number of values: '" + parts[2] + "'",
                fmt::format("a whole number from 1 to {}", most_runs));
  if (*count == 1 && first != last) {
    refuse_axis(text, "one value cannot be both ends",
                fmt::format("at least 2 values, or {}={} alone", axis.name, parts[0]));
  }
  axis.logarithmic = parts.size() == 4 && parts[3] == "log";
  if (axis.logarithmic && !(first * last > 0))
    refuse_axis(text, "equal ratios between these values do not exist", "two numbers of one sign, not 0");
  axis.values = spaced(first, last, *count, axis.logarithmic);
  return axis;
}

SweepPlan::SweepPlan(std::vector<SweepAxis> axes, Settings fixed)
    : axes_(std::move(axes)), fixed_(std::move(fixed)) {
  if (axes_.empty())
    refuse({.what = "nothing is varied", .where = "sweep", .expected = "--vary name=first:last:count"});
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::string& name = axes_[k].name;
    for (std::size_t j = 0; j < k; ++j) {
      if (axes_[j].name == name)
        refuse(
            {.what = "'" + name + "' is varied twice", .where = "--vary", .expected = "one axis per name"});
    }
    for (const auto& setting : fixed_) {
      if (setting.first == name)
        refuse({.what = "'" + name + "' is set and varied", .where = "--vary", .expected = "one of both"});
    }
    const auto count = static_cast<Index>(axes_[k].values.size());
    if (runs_ > most_runs / count)
      refuse({.what = "too many runs",
              .where = "--vary",
              .expected = fmt::format("at most {} in all", most_runs)});
    runs_ *= count;
  }
}

std::vector<double> SweepPlan::values(Index run) const {
  std::vector<double> result(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const auto count = static_cast<Index>(axes_[k].values.size());
    result[k] = axes_[k].values[static_cast<std::size_t>(run % count)];
    run /= count;
  }
  return result;
}

Settings SweepPlan::settings(Index run) const {
  Settings result = fixed_;
  const std::vector<double> varied = values(run);
  for (std::size_t k = 0; k < axes_.size(); ++k) result.emplace_back(axes_[k].name, varied[k]);
  return result;
}

}  // namespace slideway::apps
