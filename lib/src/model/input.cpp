#include "slideway/model/input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

std::string place_of(const InputData& data) {
  return data.name.empty() ? "Input" : "Input '" + data.name + "'";
}

void check_slopes(const InputData& data, const std::string& where) {
  if (data.slopes.empty()) return;
  if (data.interpolation != Interpolation::cubic || data.slopes.size() != data.values.size()) {
    refuse({.what = "slopes that fit no cubic",
            .where = where,
            .expected = "interpolation = \"cubic\" and " + std::to_string(data.values.size()) +
                        " slopes, as many as values",
            .got = std::to_string(data.slopes.size())});
  }
  for (const double slope : data.slopes) {
    if (!std::isfinite(slope))
      refuse({.what = "a slope is not finite",
              .where = where,
              .expected = "finite numbers",
              .got = number_text(slope)});
  }
}

void check(const InputData& data) {
  const std::string where = place_of(data);
  const bool holds = data.interpolation == Interpolation::hold;
  if (data.times.size() != data.values.size() || data.times.size() < (holds ? 1U : 2U)) {
    refuse({.what = "the numbers of times and values make no sense",
            .where = where,
            .expected = std::string("as many values as times, ") + (holds ? "one" : "two") + " at least",
            .got = std::to_string(data.times.size()) + " and " + std::to_string(data.values.size())});
  }
  for (std::size_t k = 0; k < data.times.size(); ++k) {
    if (!std::isfinite(data.times[k]) || !std::isfinite(data.values[k])) {
      refuse({.what = "knot " + std::to_string(k + 1) + " is not finite",
              .where = where,
              .expected = "finite numbers",
              .got = number_text(data.times[k]) + " and " + number_text(data.values[k])});
    }
    if (k > 0 && !(data.times[k] > data.times[k - 1])) {
      refuse({.what = "the time of knot " + std::to_string(k + 1) + " is not after the one before",
              .where = where,
              .expected = "more than " + number_text(data.times[k - 1]),
              .got = number_text(data.times[k])});
    }
  }
  check_slopes(data, where);
  if (data.extrapolation == Extrapolation::periodic && data.times.size() < 2) {
    refuse(
        {.what = "one knot has no period", .where = where, .expected = "two knots at least", .got = "one"});
  }
}

// The slope at an end, by a parabola through three knots, limited so that the signal stays monotone.
double slope_at_end(double step, double next_step, double rise, double next_rise) {
  const double slope = ((2 * step + next_step) * rise - step * next_rise) / (step + next_step);
  if (slope * rise <= 0) return 0;
  return rise * next_rise < 0 && std::abs(slope) > 3 * std::abs(rise) ? 3 * rise : slope;
}

}  // namespace

Input::Input(InputData data) : data_(std::move(data)) {
  check(data_);
  if (data_.interpolation == Interpolation::pchip || data_.interpolation == Interpolation::cubic)
    find_slopes();
}

void Input::find_slopes() {
  if (!data_.slopes.empty()) {
    slopes_ = data_.slopes;
    return;
  }
  const std::size_t count = data_.times.size();
  std::vector<double> steps(count - 1), rises(count - 1);
  for (std::size_t k = 0; k + 1 < count; ++k) {
    steps[k] = data_.times[k + 1] - data_.times[k];
    rises[k] = (data_.values[k + 1] - data_.values[k]) / steps[k];
  }
  slopes_.assign(count, rises.front());
  if (count == 2) return;
  if (data_.interpolation == Interpolation::pchip) {
    for (std::size_t k = 1; k + 1 < count; ++k) {
      const double before = rises[k - 1], after = rises[k];
      const double first = 2 * steps[k] + steps[k - 1], second = steps[k] + 2 * steps[k - 1];
      slopes_[k] = before * after > 0 ? (first + second) / (first / before + second / after) : 0;
    }
    slopes_.front() = slope_at_end(steps[0], steps[1], rises[0], rises[1]);
    slopes_.back() = slope_at_end(steps[count - 2], steps[count - 3], rises[count - 2], rises[count - 3]);
    return;
  }
  // The second derivative is continuous, and 0 at the ends: a tridiagonal system for the slopes.
  std::vector<double> diagonal(count), above(count, 0), right(count);
  diagonal[0] = 2;
  above[0] = 1;
  right[0] = 3 * rises[0];
  for (std::size_t k = 1; k < count; ++k) {
    const bool is_last = k + 1 == count;
    const double below = is_last ? 1 : steps[k];
    double middle = is_last ? 2 : 2 * (steps[k - 1] + steps[k]);
    double value = is_last ? 3 * rises[k - 1] : 3 * (steps[k] * rises[k - 1] + steps[k - 1] * rises[k]);
    const double factor = below / diagonal[k - 1];
    middle -= factor * above[k - 1];
    value -= factor * right[k - 1];
    diagonal[k] = middle;
    right[k] = value;
    above[k] = is_last ? 0 : steps[k - 1];
  }
  slopes_[count - 1] = right[count - 1] / diagonal[count - 1];
  for (std::size_t k = count - 1; k-- > 0;) slopes_[k] = (right[k] - above[k] * slopes_[k + 1]) / diagonal[k];
}

Input::Piece Input::piece_from(double t) const {
  const std::vector<double>& times = data_.times;
  double shift = 0;
  const double period = times.back() - times.front();
  double at = t + time_rounding(t);
  if (data_.extrapolation == Extrapolation::periodic) {
    shift = period * std::floor((at - times.front()) / period);
    at -= shift;
  }
  const bool is_before = at < times.front();
  const bool is_after = at >= times.back() && t > times.back() + time_rounding(times.back());
  if (data_.extrapolation == Extrapolation::error && (is_before || is_after)) {
    throw std::out_of_range(place_of(data_) + " has no value at t = " + number_text(t) +
                            ": it is known from " + number_text(times.front()) + " to " +
                            number_text(times.back()) +
                            "; end the run there, or give it an extrapolation, 'hold' or 'periodic'");
  }
  if (is_before) return {times.front() + shift, {data_.values.front(), 0, 0, 0}};
  const auto next =
      static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), at) - times.begin());
  // Nothing follows the last knot itself, so the value is that of the knot.
  if (next == times.size()) return {times.back() + shift, {data_.values.back(), 0, 0, 0}};
  const std::size_t k = next - 1;
  Piece piece{times[k] + shift, {data_.values[k], 0, 0, 0}};
  if (data_.interpolation == Interpolation::hold) return piece;
  const double step = times[next] - times[k];
  const double rise = (data_.values[next] - data_.values[k]) / step;
  piece.coefficients[1] = rise;
  if (data_.interpolation == Interpolation::linear) return piece;
  piece.coefficients[1] = slopes_[k];
  piece.coefficients[2] = (3 * rise - 2 * slopes_[k] - slopes_[next]) / step;
  piece.coefficients[3] = (slopes_[k] + slopes_[next] - 2 * rise) / (step * step);
  return piece;
}

double Input::operator()(double t) const {
  Vector x(states);
  set_states(t, 0, x);
  return value(t, x, 0);
}

void Input::set_states(double t, Index first, VectorRef x) const {
  const Piece piece = piece_from(t);
  x[first] = piece.origin;
  for (Index k = 0; k < 4; ++k) x[first + 1 + k] = piece.coefficients[k];
}

std::vector<TimeEvent> Input::knots(Index first, double start) const {
  const std::vector<double>& times = data_.times;
  TimeEvent event;
  event.name = data_.name;
  event.priority = std::numeric_limits<int>::max();
  event.reset = [input = *this, first](double t, ConstVectorRef, VectorRef after) {
    input.set_states(t, first, after);
  };
  std::vector<TimeEvent> events;
  if (data_.extrapolation == Extrapolation::periodic) {
    event.period = times.back() - times.front();
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      // The first of its times that the run comes to.
      event.offset = times[k] + event.period * std::ceil((start - times[k]) / event.period);
      events.push_back(event);
    }
    return events;
  }
  const auto next = std::lower_bound(times.begin(), times.end(), start - time_rounding(start));
  event.at.assign(next, times.end());
  if (data_.extrapolation == Extrapolation::error) {
    // A run that goes beyond the last knot fails there; one that ends at it does not get so far.
    if (!event.at.empty()) event.at.pop_back();
    const double last = std::max(times.back(), start);
    event.at.push_back(last + std::max(16 * time_rounding(last), std::numeric_limits<double>::min()));
  }
  if (!event.at.empty()) events.push_back(std::move(event));
  return events;
}

}  // namespace slideway
