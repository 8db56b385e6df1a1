#include "local/step_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "local/factors.hpp"

namespace slideway {

namespace {

// The polynomials of dense output have at most this degree.
constexpr Index kMostDegree = 15;
// The sums of so many guards stay in the cache beside their samples.
constexpr Index kGuardsAtOnce = 32;

double bernstein(Index degree, Index j, double s) {
  double value = 1;
  for (Index k = 0; k < j; ++k) value *= s * static_cast<double>(degree - k) / static_cast<double>(k + 1);
  for (Index k = j; k < degree; ++k) value *= 1 - s;
  return value;
}

}  // namespace

StepScan::StepScan(ModeOde& ode) : ode_(ode), state_(Vector::Zero(ode.states())) {}

void StepScan::choose_nodes(Index degree) {
  if (degree == degree_) return;
  degree_ = degree;
  const Index count = degree + 1;
  const double pi = std::acos(-1.0);
  nodes_.clear();
  for (Index k = 0; k < count; ++k)
    nodes_.push_back(0.5 - 0.5 * std::cos(pi * static_cast<double>(k) / static_cast<double>(degree)));
  // The error of a polynomial of another degree is between the first and the last two nodes.
  nodes_.push_back(0.5 * (nodes_[0] + nodes_[1]));
  nodes_.push_back(0.4 * nodes_[static_cast<std::size_t>(count - 2)] + 0.6);
  Matrix samples(count, count);
  for (Index k = 0; k < count; ++k)
    for (Index j = 0; j < count; ++j)
      samples(k, j) = bernstein(degree, j, nodes_[static_cast<std::size_t>(k)]);
  to_bernstein_ = samples.inverse();
  predict_.resize(2, count);
  for (Index k = 0; k < 2; ++k)
    for (Index j = 0; j < count; ++j)
      predict_(k, j) = bernstein(degree, j, nodes_[static_cast<std::size_t>(count + k)]);
}

const std::vector<Index>& StepScan::may_arrive(Stepper& stepper, double start, double end) {
  choose_nodes(std::clamp<Index>(stepper.interpolant().terms - 1, 2, kMostDegree));
  const auto count = static_cast<Index>(nodes_.size());
  const Index slots = ode_.guards();
  if (samples_.rows() != slots || samples_.cols() != count) samples_.resize(slots, count);
  times_.clear();
  lowest_.resize(static_cast<std::size_t>(slots));
  highest_.resize(static_cast<std::size_t>(slots));
  for (Index k = 0; k < count; ++k) {
    const double s = nodes_[static_cast<std::size_t>(k)];
    const double t = s >= 1 ? end : start + s * (end - start);
    times_.push_back(t);
    stepper.evaluate(t, state_);
    ode_.sample(t, state_, samples_.col(k));
  }
  slots_.clear();
  const Index first_event = ode_.event_slot(0);
  const Index terms = degree_ + 1;
  // Some guards at a time, so that each sum below is one of several numbers at once.
  using Some = std::array<double, kGuardsAtOnce>;
  std::array<Some, kMostDegree + 1> b;
  const auto sum_up = [](Some& sum, double factor, const double* values, Index some) {
    for (Index i = 0; i < some; ++i) sum[at(i)] += factor * values[i];
  };
  for (Index first = 0; first < slots; first += kGuardsAtOnce) {
    const Index some = std::min(kGuardsAtOnce, slots - first);
    Some lowest, highest, off{};
    lowest.fill(kInfinity);
    highest.fill(-kInfinity);
    for (Index j = 0; j < terms; ++j) {
      Some& sum = b[at(j)];
      sum.fill(0);
      for (Index k = 0; k < terms; ++k) sum_up(sum, to_bernstein_(j, k), &samples_(first, k), some);
      for (Index i = 0; i < some; ++i) {
        lowest[at(i)] = std::min(lowest[at(i)], sum[at(i)]);
        highest[at(i)] = std::max(highest[at(i)], sum[at(i)]);
      }
    }
    for (Index k = 0; k < 2; ++k) {
      Some sum{};
      for (Index j = 0; j < terms; ++j) sum_up(sum, predict_(k, j), b[at(j)].data(), some);
      const double* const seen = &samples_(first, terms + k);
      for (Index i = 0; i < some; ++i) off[at(i)] = std::max(off[at(i)], std::abs(sum[at(i)] - seen[i]));
    }
    for (Index i = 0; i < some; ++i) {
      const Index slot = first + i;
      const double size = std::max(std::abs(lowest[at(i)]), std::abs(highest[at(i)]));
      const double margin = kResidualFactor * off[at(i)] + kGuardRounding * size;
      lowest_[at(slot)] = lowest[at(i)] - margin;
      highest_[at(slot)] = highest[at(i)] + margin;
      const bool is_told = off[at(i)] <= kPredicted * size;
      // An event beyond zero in its direction waits there.
      const bool is_clear = lowest[at(i)] > margin || (slot >= first_event && highest[at(i)] < -margin);
      if (!is_told || !is_clear) slots_.push_back(slot);
    }
  }
  return slots_;
}

}  // namespace slideway
