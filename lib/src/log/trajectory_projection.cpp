#include "log/trajectory_projection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "filippov/side_loops.hpp"
#include "simulate/location_algebra.hpp"
#include "simulate/precision.hpp"
#include "slideway/simulate/forces_along.hpp"

namespace slideway {

namespace {

class Projector {
 public:
  Projector(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
            Vector atol, double rtol, SlidingRule rule)
      : automaton_(automaton),
        structures_(structures),
        atol_(std::move(atol)),
        rtol_(rtol),
        rule_(rule),
        locations_(structures.size()) {}

  void project(double t, const Segment& segment, VectorRef x) {
    const std::lock_guard<std::mutex> lock(mutex_);
    LocationAlgebra& place = place_of(t, segment.location, x);
    const Mode& mode = segment.mode;
    const Index surfaces = place.system.surfaces();
    weights_ = (rtol_ * x.cwiseAbs() + atol_).cwiseInverse();
    lambda_ = Vector::Zero(surfaces);
    sliding_.clear();
    for (Index i = 0; i < std::min(mode.size(), surfaces); ++i) {
      if (mode.slides_on(i)) sliding_.push_back(i);
      lambda_[i] = number_of(mode[i]);
    }
    contact_modes_ = place.contacts ? place.contacts->modes_in(mode, surfaces) : ContactModes();
    const std::vector<Index>& closed = contact_modes_.closed;
    for (int turn = 0; turn < (sliding_.empty() || closed.empty() ? 1 : kProjectionTurns); ++turn) {
      place.geometry.project(t, sliding_, weights_, x);
      if (closed.empty()) continue;
      if (closed_see_sliding(place, t, x)) find_lambda(t, segment, x);
      place.contacts->find_directions(t, x, lambda_, contact_modes_, 0);
      place.contacts->project(t, closed, lambda_, contact_modes_, weights_, x);
    }
  }

 private:
  LocationAlgebra& place_of(double t, const std::string& location, ConstVectorRef x) {
    const std::vector<Location>& locations = automaton_.locations();
    for (std::size_t q = 0; q < locations.size(); ++q) {
      if (locations[q].name != location) continue;
      if (!locations_[q])
        locations_[q] =
            std::make_unique<LocationAlgebra>(locations[q].system, structures_[q], contact_modes_);
      return *locations_[q];
    }
    std::unique_ptr<LocationAlgebra>& place = pairs_[automaton_.joined_edges(location, t, x).value().rising];
    if (!place)
      place = std::make_unique<LocationAlgebra>(automaton_.system_at(location, t, x).value(), nullptr,
                                                contact_modes_);
    return *place;
  }

  // closed_see_sliding() tells whether velocities of the closed gaps depend on relays that slide.
  bool closed_see_sliding(LocationAlgebra& place, double t, ConstVectorRef x) {
    if (sliding_.empty()) return false;
    field_.resize(x.size());
    other_field_.resize(x.size());
    other_lambda_ = lambda_;
    for (const Index i : sliding_) other_lambda_[i] = lambda_[i] + 0.5;
    place.evaluator.field(t, x, lambda_, field_);
    place.evaluator.field(t, x, other_lambda_, other_field_);
    field_ -= other_field_;
    return std::any_of(contact_modes_.closed.begin(), contact_modes_.closed.end(),
                       [&](Index c) { return place.contacts->contact(c).gap.rate(t, x, 0, field_) != 0; });
  }

  void find_lambda(double t, const Segment& segment, ConstVectorRef x) {
    if (!forces_) forces_.emplace(automaton_, rule_);
    forces_->find(t, x, segment.mode, segment.location);
    for (const Index i : sliding_) {
      const double found = i < forces_->lambda().size() ? forces_->lambda()[i] : forces_->lambda_between();
      if (std::isfinite(found)) lambda_[i] = found;
    }
  }

  Automaton automaton_;
  std::vector<std::shared_ptr<const RelayStructure>> structures_;
  Vector atol_;
  double rtol_;
  SlidingRule rule_;
  std::mutex mutex_;
  ContactModes contact_modes_;  // at the last point; the locations refer to it
  std::vector<std::unique_ptr<LocationAlgebra>> locations_;
  std::map<std::size_t, std::unique_ptr<LocationAlgebra>> pairs_;  // by the edges that rise
  std::optional<ForcesAlong> forces_;
  Vector weights_, lambda_, other_lambda_, field_, other_field_;
  std::vector<Index> sliding_;
};

}  // namespace

Trajectory::Projection make_projection(const Automaton& automaton,
                                       const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                                       const Vector& atol, const Options& options) {
  return [projector =
              std::make_shared<Projector>(automaton, structures, atol, options.rtol, options.sliding_rule)](
             double t, const Segment& segment, VectorRef x) { projector->project(t, segment, x); };
}

}  // namespace slideway
