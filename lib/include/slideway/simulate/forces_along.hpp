// The values of relays and contacts at points of a solution: λ and the forces Λ, which the solution itself does not hold.
//     λᵢ = ±1 beside surface i; along it, that of the sliding condition (filippov/mode_field.hpp)
//     Λ_C of the closed contacts C, 0 of the others (filippov/contact_dynamics.hpp)
//
// It must not know what they are wanted for.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "slideway/filippov/mode.hpp"
#include "slideway/filippov/sliding_rule.hpp"
#include "slideway/model/automaton.hpp"

namespace slideway {

class ForcesAlong {
 public:
  explicit ForcesAlong(Automaton problem, SlidingRule rule = SlidingRule::filippov);
  ~ForcesAlong();
  ForcesAlong(ForcesAlong&&) noexcept;
  ForcesAlong& operator=(ForcesAlong&&) noexcept;

  // find() takes a point of a solution, with the mode (surfaces, then contacts) and the location of a Segment,
  // StepView or Snapshot. It throws std::invalid_argument when there is no such location.
  void find(double t, ConstVectorRef x, const Mode& mode, const std::string& location);
  // velocity() is x' of a run at (t, x), the last point found: Filippov's field, with the forces of closed contacts. Throws
  // std::runtime_error where that is not defined.
  void velocity(double t, ConstVectorRef x, VectorRef dx);
  // These are values at the last point found. A value that does not exist there is NaN, for example λ without a
  // solution of the sliding condition.
  const Vector& lambda() const { return lambda_; }  // an entry per surface of the problem
  const Vector& forces() const { return forces_; }  // per contact, then per friction, then its second part
  double lambda_between() const { return lambda_between_; }  // of the guard between two locations, NaN in one

 private:
  struct Place;
  void look_for_second_order(Place& place, double t, ConstVectorRef x);
  Place& place_of(double t, ConstVectorRef x, const std::string& location);

  Automaton problem_;
  SlidingRule rule_;
  std::vector<std::unique_ptr<Place>> places_;
  Place* at_work_ = nullptr;  // of the last point found
  Vector lambda_, forces_;
  double lambda_between_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace slideway
