#include "report/plot_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace slideway {

namespace {

// The margin of a linear axis in logarithms.
Range padded_in_ratio(Range range) {
  const double ratio = std::max(std::pow(range.high / range.low, 0.07), 1.1);
  return {range.low / ratio, range.high * ratio};
}

}  // namespace

std::string Axis::commands(char axis) const {
  const std::string limits = fmt::format("set {}range [{:.15g}:{:.15g}]\n", axis, range.low, range.high);
  return is_logarithmic ? limits + fmt::format("set logscale {}\n", axis) : limits;
}

std::string Axis::number_format(const Lettering& words) const {
  if (is_logarithmic) return words.number_format();
  const double parts = size_of(range) / range.width();
  // gnuplot writes six digits, and two of them tell neighbouring numbers of an axis apart.
  constexpr double most_parts = 1e4;
  return parts > most_parts ? fmt::format("'%.{}g'", static_cast<int>(std::ceil(std::log10(parts))) + 2) : "";
}

double Axis::middle() const {
  return is_logarithmic ? std::sqrt(range.low) * std::sqrt(range.high) : 0.5 * (range.low + range.high);
}

Axis value_axis(const std::vector<const RunCurves*>& runs, const std::vector<std::size_t>& places,
                const std::string& name, bool logarithmic, std::vector<std::string>& notes) {
  Range all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Range& range = runs[k]->states[places[k]];
    all = {std::min(all.low, range.low), std::max(all.high, range.high)};
  }
  if (!logarithmic) return {all, false};
  Range above{std::numeric_limits<double>::infinity(), 0};
  std::size_t count = 0;
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    for (const auto& piece : runs[k]->whole) {
      for (const Sample& sample : piece) {
        const double value = sample.state(static_cast<Index>(places[k]));
        if (!std::isfinite(value)) continue;
        ++count;
        if (value > 0)
          above = {std::min(above.low, value), std::max(above.high, value)};
        else
          ++left_out;
      }
    }
  }
  if (!(above.high > 0)) {
    notes.push_back(fmt::format("'{}' is never above 0, so its axis is not logarithmic", name));
    return {all, false};
  }
  if (left_out > 0)
    notes.push_back(fmt::format("'{}' is drawn where it is above 0: {:.2g} % of its points are not", name,
                                100.0 * static_cast<double>(left_out) / static_cast<double>(count)));
  // Below the rounding of the largest value there is nothing to be seen.
  constexpr double least_fraction = 1e-15;
  if (above.low < least_fraction * above.high) {
    above.low = least_fraction * above.high;
    notes.push_back(
        fmt::format("'{}' is drawn from {:.2g} on: what is smaller is lost in rounding", name, above.low));
  }
  return {padded_in_ratio(above), true};
}

Axis time_axis(const Range& time, bool logarithmic, double first_step, std::vector<std::string>& notes) {
  if (!logarithmic) return {time, false};
  if (!(time.high > 0)) {
    notes.push_back("no time is above 0, so the axis of time is not logarithmic");
    return {time, false};
  }
  if (time.low > 0 && time.high > time.low) return {time, true};
  if (time.low < 0) notes.push_back("the run is drawn from t = 0 on, since the axis of time is logarithmic");
  // Six decades, or the run from the end of its first step on.
  constexpr double least_part = 1e-6;
  return {{std::max(std::min(first_step, 0.1 * time.high), least_part * time.high), time.high}, true};
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace slideway
