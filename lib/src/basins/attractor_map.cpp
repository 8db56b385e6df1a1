#include "basins/attractor_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slideway {

namespace {

constexpr double kSettled = 1e-3;  // of a cell
constexpr double kNoise = 20;      // of the tolerances: what iterates of one point differ by

}  // namespace

bool AttractorMap::is_outside(ConstVectorRef x) const {
  for (Index i = 0; i < x.size(); ++i)
    if (!(grid().period()[i] > 0) && (x[i] < parts_.low[i] || x[i] > parts_.high[i])) return true;
  return false;
}

Run AttractorMap::run_from(double t, const Vector& state) const {
  return {.start = t, .end = t + static_cast<double>(parts_.most_steps) * step(), .state = state};
}

Run AttractorMap::run_on(const Iterate& from, const Vector& state) const {
  Run run = run_from(from.t, state);
  run.location = from.location;
  if (parts_.acts_at_rounds) run.mode = Mode(from.mode);
  return run;
}

double AttractorMap::settled(ConstVectorRef x) const {
  const Vector atol = parts_.run.atol.expand(x.size(), parts_.run.rtol);
  double largest = kSettled;
  for (Index i = 0; i < x.size(); ++i)
    largest = std::max(largest, kNoise * (parts_.run.rtol * std::abs(x[i]) + atol[i]) / grid().width()[i]);
  return largest;
}

AttractorMap::Lent::Lent(const AttractorMap& map) : map_(map) {
  {
    const std::lock_guard lock(map_.mutex_);
    if (!map_.idle_.empty()) {
      simulator_ = std::move(map_.idle_.back());
      map_.idle_.pop_back();
    }
  }
  if (!simulator_) simulator_ = std::make_unique<Simulator>(map_.parts_.problem(), map_.parts_.run);
}

AttractorMap::Lent::~Lent() {
  const std::lock_guard lock(map_.mutex_);
  map_.idle_.push_back(std::move(simulator_));
}

}  // namespace slideway
