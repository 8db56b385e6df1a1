#include "slideway/model/steep_switches.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>

#include "core/number_text.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {

// A place that may have a switch takes two fields and a column of the Jacobian for every state, which is too much for larger systems.
constexpr Index kMostStates = 300;
// Of more states with switches a few sentences tell as much.
constexpr std::size_t kMostTold = 5;
// A run is looked at as often as a curve of it has points to the eye; the places near zero are those where most switches are.
constexpr int kTimes = 24;
// A state may be off by several tolerances after many steps; a switch that is as narrow has its two values this far from its middle.
constexpr double kReach = 10;
// Beyond the reach a switch hardly changes, where a slope would change four times as much, and a root twice.
constexpr double kFarther = 4;
constexpr double kHardlyMore = 1.25;
// The slope promises at least so many times the change.
constexpr double kPromised = 4;
// The change is noticeable where it is this part of the largest derivative.
constexpr double kNoticeable = 0.1;
// An error of this part of the width changes the derivative by as small a part of the switch.
constexpr double kWellBelow = 0.01;

struct Switch {
  Index row = 0;  // the derivative that switches
  double t = 0;
  double change = 0, width = 0;
  double tolerance = 0;  // of the state
};

// One location's field at places of the trajectory.
class Looker {
 public:
  Looker(const System& system, ConstVectorRef atol, double rtol)
      : evaluator_(system), atol_(atol), rtol_(rtol) {}

  void look(const std::vector<StepEnds::One>& places, std::vector<std::string>& told) {
    const Index n = evaluator_.system().states();
    Vector largest = Vector::Zero(n), dx(n);
    for (const StepEnds::One& place : places) {
      if (field(place, place.x, dx)) largest = largest.cwiseMax(dx.cwiseAbs());
    }
    const Index moving = n - evaluator_.system().discrete();
    // Beside the middle of a switch its slope is smaller: the narrowest that is seen is told.
    std::vector<std::optional<Switch>> narrowest(static_cast<std::size_t>(moving));
    Matrix jacobian(n, n);
    for (const StepEnds::One& place : places) {
      if (!field(place, place.x, dx) || !may_switch(place, dx, largest) || !slopes(place, jacobian)) continue;
      for (Index j = 0; j < moving; ++j) {
        const std::optional<Switch> seen = switch_at(place, j, dx, jacobian.col(j), largest);
        std::optional<Switch>& known = narrowest[static_cast<std::size_t>(j)];
        if (seen && (!known || seen->width < known->width)) known = seen;
      }
    }
    for (Index j = 0; j < moving && told.size() < kMostTold; ++j)
      if (const std::optional<Switch>& one = narrowest[static_cast<std::size_t>(j)])
        told.push_back(text_of(j, *one));
  }

 private:
  // False where there is no finite value.
  bool field(const StepEnds::One& place, const Vector& x, Vector& dx) {
    try {
      evaluator_.field(place.t, x, place.lambda, dx);
    } catch (const std::exception&) {
      return false;
    }
    return dx.allFinite();
  }
  bool slopes(const StepEnds::One& place, Matrix& jacobian) {
    try {
      evaluator_.field_dx(place.t, place.x, place.lambda, jacobian);
    } catch (const std::exception&) {
      return false;
    }
    return jacobian.allFinite();
  }

  double reach_of(const StepEnds::One& place, Index j) const {
    return kReach * (rtol_ * std::abs(place.x[j]) + atol_[j]);
  }

  // A switch of any state, or of a difference of two, shows where all of them are moved by different amounts within their reach: a derivative
  // changes noticeably, and by less than twice as much four times as far. Eight fields are asked for where columns of the Jacobian would be
  // as many as states.
  bool may_switch(const StepEnds::One& place, const Vector& dx, const Vector& largest) {
    Vector near(dx.size()), far(dx.size());
    for (const std::uint32_t pattern : {0x9E3779B9U, 0x85EBCA6BU}) {
      for (const double direction : {1.0, -1.0}) {
        if (!field(place, moved(place, pattern, direction), near) ||
            !field(place, moved(place, pattern, kFarther * direction), far))
          return true;
        const auto change = (near - dx).array().abs(), more = (far - dx).array().abs();
        if ((change > 0.5 * kNoticeable * largest.array() && more < 2 * change).any()) return true;
      }
    }
    return false;
  }
  // One of −3, −1, 1 and 3 reaches for each state: two that move alike in one pattern do not in the other one, for the most part.
  Vector moved(const StepEnds::One& place, std::uint32_t pattern, double by) const {
    Vector x = place.x;
    for (Index j = 0; j < x.size() - evaluator_.system().discrete(); ++j) {
      const std::uint32_t bits = static_cast<std::uint32_t>(j + 1) * pattern >> 30;
      x[j] += by * (2.0 * bits - 3) * reach_of(place, j);
    }
    return x;
  }

  std::optional<Switch> switch_at(const StepEnds::One& place, Index j, const Vector& dx, ConstVectorRef slope,
                                  const Vector& largest) {
    const double reach = reach_of(place, j);
    const double noticeable = kPromised * kNoticeable;
    if (!(slope.cwiseAbs() * reach - noticeable * largest).array().isFinite().all() ||
        !((slope.cwiseAbs() * reach).array() > noticeable * largest.array()).any())
      return std::nullopt;
    for (const double direction : {1.0, -1.0}) {
      Vector x = place.x, near(dx.size()), far(dx.size());
      x[j] = place.x[j] + direction * reach;
      if (!field(place, x, near)) continue;
      x[j] = place.x[j] + direction * kFarther * reach;
      if (!field(place, x, far)) continue;
      for (Index i = 0; i < dx.size(); ++i) {
        const double change = std::abs(near[i] - dx[i]), more = std::abs(far[i] - dx[i]);
        if (!(change > kNoticeable * largest[i]) || !(std::abs(slope[i]) * reach > kPromised * change) ||
            !(more <= kHardlyMore * change))
          continue;
        return Switch{i, place.t, change, change / std::abs(slope[i]), reach / kReach};
      }
    }
    return std::nullopt;
  }

  std::string text_of(Index j, const Switch& one) const {
    const std::vector<std::string>& names = evaluator_.system().state_names();
    const std::string& state = names[static_cast<std::size_t>(j)];
    return "the derivative of '" + names[static_cast<std::size_t>(one.row)] + "' switches by " +
           in_short(one.change) + " within " + in_short(one.width) + " of '" + state +
           "' at t = " + number_text(one.t) + ", which may be off by " + in_short(one.tolerance) +
           ": errors that the tolerances allow decide between the two values, and the solution may be "
           "wrong by any amount; write the switch as one, by sgn() or [friction], or give '" +
           state + "' an atol of " + in_short(kWellBelow * one.width) + " or less";
  }
  // A width is an estimate, which two digits tell.
  static std::string in_short(double value) { return std::string(rounded_digits(value, 2).text()); }

  Evaluator evaluator_;
  ConstVectorRef atol_;
  double rtol_;
};

}  // namespace

StepEnds::StepEnds(double start, double end, Index moving)
    : moving_(moving <= kMostStates ? moving : 0),
      next_(start),
      spacing_((end - start) / kTimes),
      nearest_(Vector::Constant(moving_, std::numeric_limits<double>::infinity())),
      near_zero_(static_cast<std::size_t>(moving_)) {}

void StepEnds::keep(double t, const Vector& x, const Vector& lambda, const std::string& location) {
  if (!x.allFinite()) return;
  if (t >= next_) {
    at_times_.push_back({t, x, lambda, location});
    next_ = t + spacing_;
  }
  for (Index j = 0; j < moving_; ++j) {
    if (!(std::abs(x[j]) < nearest_[j])) continue;
    nearest_[j] = std::abs(x[j]);
    // Its memory is used again.
    One& one = near_zero_[static_cast<std::size_t>(j)];
    one.t = t;
    one.x = x;
    one.lambda = lambda;
    one.location = location;
  }
}

std::vector<StepEnds::One> StepEnds::kept(ConstVectorRef atol) const {
  std::vector<One> all = at_times_;
  for (Index j = 0; j < moving_; ++j) {
    const One& one = near_zero_[static_cast<std::size_t>(j)];
    // A switch at zero is seen from within its reach alone, and many states are nearest to zero at the same time.
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&](const One& other) { return other.t == one.t; });
    if (one.x.size() > 0 && nearest_[j] <= kReach * atol[j] && !is_known) all.push_back(one);
  }
  return all;
}

std::vector<std::string> steep_switches(const Automaton& automaton, const StepEnds& ends, ConstVectorRef atol,
                                        double rtol) {
  std::vector<std::string> told;
  const std::vector<StepEnds::One> all = ends.kept(atol);
  for (const Location& location : automaton.locations()) {
    std::vector<StepEnds::One> here;
    for (const StepEnds::One& one : all)
      if (one.location == location.name) here.push_back(one);
    if (!here.empty()) Looker(location.system, atol, rtol).look(here, told);
  }
  return told;
}

}  // namespace slideway
