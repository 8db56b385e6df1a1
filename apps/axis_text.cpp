#include "apps/axis_text.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "apps/text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {

namespace {

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

// A range of equal ratios does not hold 0.
void refuse_ratios_through_zero(const std::string& text, const SweepAxis& axis) {
  if (axis.logarithmic && !(axis.first * axis.last > 0))
    refuse_axis(text, "equal ratios between these values do not exist", "two numbers of one sign, not 0");
}

const std::string forms = "name=first:last:count, name=first:last:count:log or name=value,value,…";
const std::string forms_of_ranges = "name=first:last or name=first:last:log";

}  // namespace

SweepAxis parse_axis(const std::string& text, bool may_draw) {
  const std::string form = may_draw ? fmt::format("{}; to draw from, {}", forms, forms_of_ranges) : forms;
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
  const bool has_scale = parts.back() == "log" || parts.back() == "lin";
  const std::size_t numbers = parts.size() - (has_scale ? 1 : 0);
  if (numbers < 2 || numbers > 3) refuse_axis(text, "not an axis of a sweep", form);
  axis.first = finite_number(text, parts[0]);
  axis.last = finite_number(text, parts[1]);
  axis.logarithmic = parts.back() == "log";
  axis.is_range = numbers == 2;
  if (axis.is_range) {
    if (axis.first == axis.last)
      refuse_axis(text, "a range of one value", fmt::format("two ends, or {}={}", axis.name, parts[0]));
    refuse_ratios_through_zero(text, axis);
    if (!may_draw)
      refuse({.what = "how many values '" + axis.name + "' takes is not said",
              .where = "--vary",
              .expected = forms,
              .got = "'" + text + "'",
              .advice = fmt::format("give the number of values: {}={}:{}:3{}", axis.name, axis.first,
                                    axis.last, axis.logarithmic ? ":log" : "")});
    return axis;
  }
  const auto count = to_number<Index>(parts[2]);
  if (!count || *count < 1 || *count > most_sweep_runs)
    refuse_axis(text, "not a number of values: '" + parts[2] + "'",
                fmt::format("a whole number from 1 to {}", most_sweep_runs));
  if (*count == 1 && axis.first != axis.last) {
    refuse_axis(text, "one value cannot be both ends",
                fmt::format("at least 2 values, or {}={} alone", axis.name, parts[0]));
  }
  refuse_ratios_through_zero(text, axis);
  axis.count = *count;
  return axis;
}

}  // namespace slideway::apps
