#include "basins/attractor_catalogue.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "basins/identify_attractor.hpp"

namespace slideway {

namespace {

constexpr double kSamePoint = 0.5;   // of a cell: between two runs at one attractor
constexpr double kSameOrbit = 0.05;  // of a cell: between two orbits that were found exactly
constexpr double kSharedPart = 0.5;  // of the iterates at an attractor that is not periodic
// Places between two points, as parts of the way. A symmetric problem may have a saddle at one half, and has none at these parts.
constexpr std::array kPartsBetween = {0.381966, 0.723607};
constexpr Index kRestRounds = 50;  // in which a slow motion would be seen

double distance(const StateGrid& grid, const std::vector<Vector>& points, const Vector& x) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vector& point : points) least = std::min(least, grid.distance(point, x));
  return least;
}

const Vector& nearest(const StateGrid& grid, const std::vector<Vector>& points, const Vector& x) {
  return *std::min_element(points.begin(), points.end(), [&](const Vector& a, const Vector& b) {
    return grid.distance(a, x) < grid.distance(b, x);
  });
}

}  // namespace

int AttractorCatalogue::end_of_attractor(std::size_t attractor) const {
  for (std::size_t k = 0; k < ends_.size(); ++k)
    if (ends_[k].attractor == static_cast<Index>(attractor)) return static_cast<int>(k);
  return -1;
}

bool AttractorCatalogue::is_same(const BasinAttractor& known, const FoundAttractor& found) const {
  const Iterate& first = found.iterates.front();
  if (known.location != first.location) return false;
  const StateGrid& grid = map_.grid();
  const bool is_periodic = known.rounds > 0;
  if (is_periodic && found.rounds > 0)
    return known.rounds == found.rounds && distance(grid, known.points, first.state) <= kSamePoint;
  if (is_periodic || (found.rounds > 0 && known.kind != AttractorKind::orbit)) return false;
  const KnownEnds one(grid, {}, {{.location = known.location, .points = known.points}});
  const auto shared =
      std::count_if(found.iterates.begin(), found.iterates.end(),
                    [&](const Iterate& iterate) { return one.near(iterate.state, iterate.location) >= 0; });
  return static_cast<double>(shared) >= kSharedPart * static_cast<double>(found.iterates.size());
}

// Where a solution may rest at two points and at some between, it may rest at all points of a set. The found one joins it.
bool AttractorCatalogue::joins(BasinAttractor& known, const FoundAttractor& found,
                               const Simulator& simulator) const {
  const Iterate& first = found.iterates.front();
  const bool may_join = found.rounds > 0 && known.rounds == found.rounds && known.stable &&
                        known.location == first.location && known.mode == first.mode;
  if (!may_join) return false;
  const StateGrid& grid = map_.grid();
  const Vector other = nearest(grid, known.points, first.state);
  for (const double part : kPartsBetween) {
    const Vector between = grid.between(other, first.state, part);
    if (!is_at_rest(map_, simulator, first, between, kRestRounds * found.rounds)) return false;
  }
  known.kind = AttractorKind::set;
  known.points.push_back(grid.wrapped(first.state));
  return true;
}

int AttractorCatalogue::end_of(const FoundAttractor& found) {
  for (std::size_t k = 0; k < attractors_.size(); ++k)
    if (is_same(attractors_[k], found)) return end_of_attractor(k);
  const AttractorMap::Lent lent(map_);
  for (std::size_t k = 0; k < attractors_.size(); ++k)
    if (joins(attractors_[k], found, lent.simulator())) return end_of_attractor(k);
  BasinAttractor attractor = identify_attractor(map_, lent.simulator(), found);
  // Two runs that come slowly to one orbit are farther from each other than the orbits that shooting finds.
  for (std::size_t k = 0; k < attractors_.size(); ++k) {
    const BasinAttractor& known = attractors_[k];
    if (attractor.matched && known.matched && known.rounds == attractor.rounds &&
        known.location == attractor.location &&
        distance(map_.grid(), known.points, attractor.points.front()) <= kSameOrbit)
      return end_of_attractor(k);
  }
  for (Vector& point : attractor.points) point = map_.grid().wrapped(point);
  attractors_.push_back(std::move(attractor));
  ends_.push_back({.name = std::to_string(attractors_.size()), .attractor = std::ssize(attractors_) - 1});
  return static_cast<int>(ends_.size()) - 1;
}

int AttractorCatalogue::end_named(const std::string& name, const std::string& message) {
  const auto found = std::find_if(ends_.begin(), ends_.end(),
                                  [&](const BasinEnd& end) { return !end.attractor && end.name == name; });
  if (found != ends_.end()) return static_cast<int>(found - ends_.begin());
  ends_.push_back({.name = name, .message = message});
  return static_cast<int>(ends_.size()) - 1;
}

KnownEnds AttractorCatalogue::known_of(bool only_periodic) const {
  std::vector<std::string> names;
  for (const BasinEnd& end : ends_) names.push_back(end.attractor ? "" : end.name);
  std::vector<KnownAttractor> attractors;
  for (std::size_t k = 0; k < attractors_.size(); ++k) {
    const BasinAttractor& attractor = attractors_[k];
    const bool is_periodic = attractor.rounds > 0 || attractor.matched;
    if (only_periodic && !is_periodic) continue;
    attractors.push_back({.end = end_of_attractor(k),
                          .kind = attractor.kind,
                          .stable = attractor.stable,
                          .rounds = attractor.rounds,
                          .location = attractor.location,
                          .points = attractor.points});
  }
  return KnownEnds(map_.grid(), std::move(names), std::move(attractors));
}

}  // namespace slideway
