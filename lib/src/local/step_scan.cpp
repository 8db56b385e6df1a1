#include "local/step_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "local/factors.hpp"

namespace slideway {

namespace {

// The polynomials of dense output have at most this degree.
constexpr Index kMostDegree = 15;

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
  std::array<double, kMostDegree + 1> b;
  const Index terms = degree_ + 1;
  for (Index slot = 0; slot < slots; ++slot) {
    double lowest = kInfinity;
    double highest = -kInfinity;
    double size = 0;
    for (Index j = 0; j < terms; ++j) {
      double sum = 0;
      for (Index k = 0; k < terms; ++k) sum += to_bernstein_(j, k) * samples_(slot, k);
      b[static_cast<std::size_t>(j)] = sum;
      lowest = std::min(lowest, sum);
      highest = std::max(highest, sum);
    }
    size = std::max(std::abs(lowest), std::abs(highest));
    double off = 0;
    for (Index k = 0; k < 2; ++k) {
      double sum = 0;
      for (Index j = 0; j < terms; ++j) sum += predict_(k, j) * b[static_cast<std::size_t>(j)];
      off = std::max(off, std::abs(sum - samples_(slot, terms + k)));
    }
    const double margin = kResidualFactor * off + kGuardRounding * size;
    lowest_[static_cast<std::size_t>(slot)] = lowest - margin;
    highest_[static_cast<std::size_t>(slot)] = highest + margin;
    const bool is_told = off <= kPredicted * size;
    // An event beyond zero in its direction waits there.
    const bool is_clear = lowest > margin || (slot >= first_event && highest < -margin);
    if (!is_told || !is_clear) slots_.push_back(slot);
  }
  return slots_;
}

}  // namespace slideway
