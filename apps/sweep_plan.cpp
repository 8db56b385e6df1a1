#include "apps/sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "apps/sweep_samples.hpp"
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

// A range of equal ratios does not hold 0.
void refuse_ratios_through_zero(const std::string& text, const SweepAxis& axis) {
  if (axis.logarithmic && !(axis.first * axis.last > 0))
    refuse_axis(text, "equal ratios between these values do not exist", "two numbers of one sign, not 0");
}

constexpr const char* forms = "name=first:last:count, name=first:last:count:log or name=value,value,…";
constexpr const char* forms_of_ranges = "name=first:last or name=first:last:log";

// "--latin" of a design that draws.
std::string option_of(Sampling sampling) { return sampling == Sampling::latin ? "--latin" : "--random"; }

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
    return axis;
  }
  const auto count = to_number<Index>(parts[2]);
  if (!count || *count < 1 || *count > most_runs)
    refuse_axis(text, "not a number of values: '" + parts[2] + "'",
                fmt::format("a whole number from 1 to {}", most_runs));
  if (*count == 1 && axis.first != axis.last) {
    refuse_axis(text, "one value cannot be both ends",
                fmt::format("at least 2 values, or {}={} alone", axis.name, parts[0]));
  }
  refuse_ratios_through_zero(text, axis);
  axis.values = spaced(axis.first, axis.last, *count, axis.logarithmic);
  return axis;
}

SweepPlan::SweepPlan(SweepDesign design) : design_(std::move(design)) {
  refuse_unfit_axes();
  if (design_.sampling != Sampling::grid) {
    draw();
    points_ = design_.samples;
    all_chains_ = points_;
    return;
  }
  for (const SweepAxis& axis : design_.axes) {
    const auto count = static_cast<Index>(axis.values.size());
    const Index most_points = design_.follow == Follow::both ? most_runs / 2 : most_runs;
    if (points_ > most_points / count)
      refuse({.what = "too many runs",
              .where = "--vary",
              .expected = fmt::format("at most {} in all", most_runs)});
    points_ *= count;
  }
  all_chains_ = points_;
  if (design_.follow == Follow::nothing) return;
  const std::vector<double>& values = design_.axes.front().values;
  all_chains_ = points_ / static_cast<Index>(values.size());
  ascent_.resize(values.size());
  std::iota(ascent_.begin(), ascent_.end(), 0);
  std::stable_sort(ascent_.begin(), ascent_.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
}

void SweepPlan::refuse_unfit_axes() const {
  const bool draws = design_.sampling != Sampling::grid;
  const std::vector<SweepAxis>& axes = design_.axes;
  if (axes.empty())
    refuse({.what = "nothing is varied", .where = "sweep", .expected = "--vary name=first:last:count"});
  if (draws && design_.follow != Follow::nothing)
    refuse({.what = "samples have no neighbours to follow",
            .where = fmt::format("--follow with {}", option_of(design_.sampling)),
            .expected = "--vary name=first:last:count beside --follow",
            .advice = fmt::format("leave out one of --follow and {}", option_of(design_.sampling))});
  if (draws && design_.samples > most_runs)
    refuse({.what = "too many runs",
            .where = option_of(design_.sampling),
            .expected = fmt::format("at most {}", most_runs),
            .got = std::to_string(design_.samples)});
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string& name = axes[k].name;
    for (std::size_t j = 0; j < k; ++j) {
      if (axes[j].name == name)
        refuse(
            {.what = "'" + name + "' is varied twice", .where = "--vary", .expected = "one axis per name"});
    }
    for (const auto& setting : design_.fixed) {
      if (setting.first == name)
        refuse({.what = "'" + name + "' is set and varied", .where = "--vary", .expected = "one of both"});
    }
    if (draws && !axes[k].is_range)
      refuse({.what = fmt::format("{} draws values from a range, and '{}' has a list of them",
                                  option_of(design_.sampling), name),
              .where = "--vary",
              .expected = forms_of_ranges,
              .got = fmt::format("{} {} of '{}'", axes[k].values.size(),
                                 axes[k].values.size() == 1 ? "value" : "values", name),
              .advice = fmt::format("leave out the count, or {} for every combination",
                                    option_of(design_.sampling))});
    if (!draws && axes[k].is_range)
      refuse({.what = "how many values '" + name + "' takes is not said",
              .where = "--vary",
              .expected = forms,
              .got = fmt::format("'{}={}:{}'", name, axes[k].first, axes[k].last),
              .advice = design_.may_draw
                            ? "to draw values from a range, add --random N or --latin N"
                            : fmt::format("give the number of values: {}={}:{}:3{}", name, axes[k].first,
                                          axes[k].last, axes[k].logarithmic ? ":log" : "")});
  }
}

void SweepPlan::draw() {
  std::vector<SampleRange> ranges;
  for (const SweepAxis& axis : design_.axes) ranges.push_back({axis.first, axis.last, axis.logarithmic});
  const auto drawn = design_.sampling == Sampling::latin ? latin_samples : random_samples;
  std::vector<std::vector<double>> values = drawn(ranges, design_.samples, design_.seed);
  for (std::size_t k = 0; k < values.size(); ++k) design_.axes[k].values = std::move(values[k]);
}

std::vector<double> SweepPlan::values(Index run) const {
  const std::vector<SweepAxis>& axes = design_.axes;
  std::vector<double> result(axes.size());
  if (design_.sampling != Sampling::grid) {
    for (std::size_t k = 0; k < axes.size(); ++k) result[k] = axes[k].values[static_cast<std::size_t>(run)];
    return result;
  }
  Index point = run % points_;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const auto count = static_cast<Index>(axes[k].values.size());
    result[k] = axes[k].values[static_cast<std::size_t>(point % count)];
    point /= count;
  }
  return result;
}

Settings SweepPlan::settings(Index run) const {
  Settings result = design_.fixed;
  const std::vector<double> varied = values(run);
  for (std::size_t k = 0; k < design_.axes.size(); ++k) result.emplace_back(design_.axes[k].name, varied[k]);
  return result;
}

std::string SweepPlan::direction(Index run) const {
  if (design_.follow == Follow::nothing) return "";
  return design_.follow == Follow::down || run >= points_ ? "down" : "up";
}

Index SweepPlan::chain_of(Index run) const {
  return design_.follow == Follow::nothing ? run : run % points_ % all_chains_;
}

Index SweepPlan::chains() const {
  return (all_chains_ - design_.shard.number + design_.shard.of) / design_.shard.of;
}

Index SweepPlan::runs_here() const { return chains() * runs_per_chain(); }

std::vector<Index> SweepPlan::chain(Index number) const {
  const Index chain = design_.shard.number - 1 + number * design_.shard.of;
  if (design_.follow == Follow::nothing) return {chain};
  std::vector<Index> runs;
  if (design_.follow != Follow::down) {
    for (const Index place : ascent_) runs.push_back(place * all_chains_ + chain);
  }
  if (design_.follow != Follow::up) {
    // The way down of both has the numbers after those of the way up.
    const Index first = design_.follow == Follow::both ? points_ : 0;
    for (auto place = ascent_.rbegin(); place != ascent_.rend(); ++place)
      runs.push_back(first + *place * all_chains_ + chain);
  }
  return runs;
}

}  // namespace slideway::apps
