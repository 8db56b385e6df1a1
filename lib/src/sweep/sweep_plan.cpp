#include "slideway/sweep/sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// The words of the command line for these are in apps/advice.cpp.
constexpr const char* kAxes = "SweepDesign::axes";
constexpr const char* kForms = "a list of values, or first, last and count";
constexpr const char* kRange = "a range: is_range, first and last";

std::string name_of(Sampling sampling) {
  return sampling == Sampling::latin ? "Sampling::latin" : "Sampling::random";
}

}  // namespace

double SweepAxis::value(Index place) const {
  if (count == 0) return values[static_cast<std::size_t>(place)];
  if (count > 1 && place + 1 == count) return last;
  const double fraction = count > 1 ? static_cast<double>(place) / static_cast<double>(count - 1) : 0;
  return logarithmic ? first * std::pow(last / first, fraction) : first + fraction * (last - first);
}

SweepPlan::SweepPlan(SweepDesign design) : design_(std::move(design)) {
  refuse_unfit_axes();
  if (design_.sampling != Sampling::grid) {
    std::vector<SampleRange> ranges;
    for (const SweepAxis& axis : design_.axes) ranges.push_back({axis.first, axis.last, axis.logarithmic});
    samples_ = std::make_shared<Samples>(ranges, design_.samples, design_.seed, design_.sampling);
    points_ = design_.samples;
    all_chains_ = points_;
    return;
  }
  for (const SweepAxis& axis : design_.axes) {
    const Index count = axis.size();
    const Index most_points = design_.follow == Follow::both ? most_sweep_runs / 2 : most_sweep_runs;
    if (points_ > most_points / count)
      refuse({.what = "too many runs",
              .where = kAxes,
              .expected = fmt::format("at most {} in all", most_sweep_runs)});
    points_ *= count;
  }
  all_chains_ = points_;
  if (design_.follow == Follow::nothing) return;
  const SweepAxis& first = design_.axes.front();
  all_chains_ = points_ / first.size();
  ascent_.resize(static_cast<std::size_t>(first.size()));
  std::iota(ascent_.begin(), ascent_.end(), 0);
  std::stable_sort(ascent_.begin(), ascent_.end(),
                   [&](Index a, Index b) { return first.value(a) < first.value(b); });
}

void SweepPlan::refuse_unfit_axes() const {
  const bool draws = design_.sampling != Sampling::grid;
  const std::vector<SweepAxis>& axes = design_.axes;
  const Shard& shard = design_.shard;
  if (shard.of < 1 || shard.number < 1 || shard.number > shard.of)
    refuse({.what = "there is no such shard",
            .where = "SweepDesign::shard",
            .expected = "a number from 1 to the number of shards",
            .got = fmt::format("{} of {}", shard.number, shard.of)});
  if (axes.empty()) refuse({.what = "nothing is varied", .where = "sweep", .expected = "an axis"});
  if (draws && design_.follow != Follow::nothing)
    refuse({.what = "samples have no neighbours to follow",
            .where = fmt::format("SweepDesign::follow with {}", name_of(design_.sampling)),
            .expected = fmt::format("{} beside SweepDesign::follow", kForms),
            .advice = fmt::format("leave out one of SweepDesign::follow and {}", name_of(design_.sampling))});
  if (draws && (design_.samples < 1 || design_.samples > most_sweep_runs))
    refuse({.what = design_.samples < 1 ? "no runs" : "too many runs",
            .where = name_of(design_.sampling),
            .expected = design_.samples < 1 ? std::string("at least 1 of SweepDesign::samples")
                                            : fmt::format("at most {}", most_sweep_runs),
            .got = std::to_string(design_.samples)});
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const SweepAxis& axis = axes[k];
    const std::string& name = axis.name;
    for (std::size_t j = 0; j < k; ++j) {
      if (axes[j].name == name)
        refuse({.what = "'" + name + "' is varied twice", .where = kAxes, .expected = "one axis per name"});
    }
    for (const auto& setting : design_.fixed) {
      if (setting.first == name)
        refuse({.what = "'" + name + "' is set and varied", .where = kAxes, .expected = "one of both"});
    }
    if (draws && !axis.is_range)
      refuse({.what = fmt::format("{} draws values from a range, and '{}' has a list of them",
                                  name_of(design_.sampling), name),
              .where = kAxes,
              .expected = kRange,
              .got = fmt::format("{} {} of '{}'", axis.size(), axis.size() == 1 ? "value" : "values", name),
              .advice = fmt::format("leave out the count, or {} for every combination",
                                    name_of(design_.sampling))});
    if (!draws && axis.is_range)
      refuse({.what = "how many values '" + name + "' takes is not said",
              .where = kAxes,
              .expected = kForms,
              .got = fmt::format("'{}={}:{}'", name, axis.first, axis.last),
              .advice = "to draw values from a range, set SweepDesign::sampling"});
    if (!draws && axis.size() == 0)
      refuse({.what = "'" + name + "' takes no value", .where = kAxes, .expected = kForms});
    if ((axis.is_range || axis.count > 0) && axis.logarithmic && !(axis.first * axis.last > 0))
      refuse({.what = "equal ratios between these values do not exist",
              .where = kAxes,
              .expected = "two numbers of one sign, not 0",
              .got = fmt::format("'{}={}:{}'", name, axis.first, axis.last)});
  }
}

std::vector<double> SweepPlan::values(Index run) const {
  if (samples_) return samples_->at(run);
  const std::vector<SweepAxis>& axes = design_.axes;
  std::vector<double> result(axes.size());
  Index point = run % points_;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const Index count = axes[k].size();
    result[k] = axes[k].value(point % count);
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

}  // namespace slideway
