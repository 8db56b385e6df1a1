#include "slideway/orbit/orbit_branch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/numbered_states.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/defining_function.hpp"
#include "orbit/name_bifurcation.hpp"
#include "orbit/one_sided_zero.hpp"
#include "orbit/parameter_range.hpp"
#include "orbit/regular_times.hpp"
#include "orbit/schedule.hpp"
#include "orbit/secant_bracket.hpp"
#include "orbit/shooting.hpp"
#include "orbit/shrinking_orbit.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr double kDifferenceStep = 1e-5;    // of the range of the parameter, for ∂F/∂p
constexpr double kLeastStep = 1e-5;         // of the first step, below which the branch ends
constexpr double kLongestStep = 4;          // of the first step, where the branch turns
constexpr double kLargestCorrection = 0.3;  // of a step, beyond which an orbit belongs to another branch
// The zero at a change of events is known to this part of the relative tolerance and of the bracket. The tests of orbits pass with 0.05 and 0.2.
constexpr double kZeroOfSignature = 0.1;
// The last orbits of a branch may be as small as their errors, so this many are tried for its end. The tests of orbits pass with 2 and 8.
constexpr int kEndPoints = 4;
// This many orbits with a third signature are taken apart between two of the branch. The tests of orbits pass with 4 and 16.
constexpr int kMostSignatures = 8;
// A branch that ends at a touch ends beside it, as far as differences by the parameter reach: the touch is looked for so far ahead, in shares of the
// range.
constexpr std::array<double, 4> kBehindEnd = {2 * kDifferenceStep, 1e-4, 1e-3, 1e-2};
constexpr double kSteepTangent = 0.1;  // with a smaller share of p the begin of the orbit stays where it is

// The orbit as one vector: scaled state, scaled period where it is unknown, and parameter.
struct Place {
  Vector u = {};
  double parameter = 0;
  PeriodicOrbit orbit = {};
};

// product_with() is the product of (multiplier + shift), without the multipliers 1 that every such orbit has. A zero counts, since
// rounding errors decide whether it is told as exact.
double product_with(const PeriodicOrbit& orbit, double shift) {
  std::complex<double> product = 1;
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    if (multiplier.kind == MultiplierKind::ordinary || multiplier.kind == MultiplierKind::exact_zero)
      product *= multiplier.value + shift;
  return product.real();
}

// pairs_beside_circle() is the product of the squared sizes of complex pairs less 1; it is 1 without a pair.
double pairs_beside_circle(const PeriodicOrbit& orbit) {
  double product = 1;
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    if (multiplier.kind == MultiplierKind::ordinary && multiplier.value.imag() > 0)
      product *= std::norm(multiplier.value) - 1;
  return product;
}

Index pairs_of(const PeriodicOrbit& orbit) {
  return std::count_if(orbit.multipliers.begin(), orbit.multipliers.end(),
                       [](const auto& multiplier) { return multiplier.value.imag() > 0; });
}

class BranchSearch {
 public:
  BranchSearch(const OrbitFamily& family, const OrbitGuess& guess, const OrbitBranchOptions& options)
      : family_(family),
        options_(options),
        range_(options.last - options.first),
        guess_(guess),
        period_(family.period) {}

  OrbitBranch execute() {
    Place here;
    here.parameter = options_.first;
    here.orbit = find_periodic_orbit(family_.problem(options_.first), guess_, options_.orbit);
    if (!here.orbit.converged) {
      result_.message = here.orbit.message;
      return result_;
    }
    autonomous_ = here.orbit.autonomous;
    if (!autonomous_ && !family_.period) take_period_of_schedule(here.orbit.period);
    if (!autonomous_ && !period_) {
      refuse({.what = "the equations depend on time, and nothing tells their period",
              .where = "follow_periodic_orbit",
              .expected = "OrbitFamily::period",
              .got = "none"});
    }
    if (!autonomous_) begin_near_zero(here);
    result_.points.push_back({here.parameter, here.orbit});
    follow(std::move(here));
    if (!result_.complete && !end_is_looked_at_) name_end();
    return result_;
  }

 private:
  // take_period_of_schedule() serves time events, if the equations do not depend on time otherwise.
  void take_period_of_schedule(double period) {
    const std::optional<double> schedule = schedule_period(family_.problem(options_.first));
    if (!schedule) return;
    const double multiple = std::round(period / *schedule);
    period_ = [this, multiple](double value) {
      const std::optional<double> here = schedule_period(family_.problem(value));
      if (!here) throw std::invalid_argument("the time events have no common period");
      return multiple * *here;
    };
  }

  // The drive repeats itself: an early begin moves least with its frequency. Time events must act already.
  void begin_near_zero(Place& here) {
    const double period = here.orbit.period;
    const double first = std::max(0.0, schedule_start(family_.problem(here.parameter)));
    const double earlier = period * std::floor((here.orbit.start - first) / period);
    here.orbit.start -= earlier;
    for (const Index i : here.orbit.clocks) here.orbit.state[i] -= earlier;
    std::optional<PeriodicOrbit> again = orbit_at(here.parameter, guess_of(here.orbit));
    if (again) here.orbit = *again;
  }

  static OrbitGuess guess_of(const PeriodicOrbit& orbit) {
    return {.start = orbit.start, .period = orbit.period, .state = orbit.state, .location = orbit.location};
  }

  std::optional<PeriodicOrbit> orbit_at(double parameter, OrbitGuess guess, double taken_residual = 0) {
    try {
      if (!autonomous_) guess.period = period_(parameter);
      OrbitOptions options = options_.orbit;
      options.shots = 1;
      options.taken_residual = taken_residual;
      PeriodicOrbit orbit = find_periodic_orbit(family_.problem(parameter), guess, options);
      if (orbit.converged) return orbit;
      failure_ = orbit.message;
    } catch (const std::invalid_argument& error) {
      failure_ = error.what();
    }
    return std::nullopt;
  }

  // ---- coordinates: those of the anchor, the orbit found last
  void anchor_at(Place& place) {
    const PeriodicOrbit& orbit = place.orbit;
    anchor_ = guess_of(orbit);
    clocks_ = Vector::Zero(orbit.state.size());
    for (const Index i : orbit.clocks) clocks_[i] = 1;
    held_ = held_states_of(family_.problem(place.parameter), orbit.solution);
    sizes_ = (orbit.state - orbit.start * clocks_).cwiseAbs();
    Vector x(sizes_.size());
    for (std::size_t k = 0; k < orbit.solution.trajectory.segments().size(); ++k)
      for (const double t : orbit.solution.trajectory.step_times(k)) {
        orbit.solution.trajectory.evaluate(k, t, x);
        sizes_ = sizes_.cwiseMax((x - t * clocks_).cwiseAbs());
      }
    sizes_ = sizes_.cwiseMax(1e-3 * std::max(sizes_.maxCoeff(), 1e-300));
    members_.clear();
    place.u = coordinates(orbit, place.parameter);
  }

  Vector coordinates(const PeriodicOrbit& orbit, double parameter) const {
    const Index n = orbit.state.size();
    Vector u(n + (autonomous_ ? 2 : 1));
    u.head(n) = (orbit.state - orbit.start * clocks_).cwiseQuotient(sizes_);
    if (autonomous_) u[n] = orbit.period / anchor_.period;
    u[u.size() - 1] = (parameter - options_.first) / range_;
    return u;
  }
  double parameter_of(ConstVectorRef u) const { return options_.first + range_ * u[u.size() - 1]; }

  // The equations at one value of the parameter, with all they refer to.
  struct Member {
    double parameter;
    std::unique_ptr<Simulator> simulator;
    std::unique_ptr<Shooting> shooting;
    Equations equations;
  };

  Member* member_at(double parameter) {
    for (const auto& member : members_)
      if (member->parameter == parameter) return member.get();
    try {
      auto member = std::make_unique<Member>();
      member->parameter = parameter;
      const Automaton problem = family_.problem(parameter);
      Options run = plain_options(options_.orbit.run, Recording::nothing);
      run.sensitivities = by_initial_values(problem.system(), problem.system().state_names());
      member->simulator = std::make_unique<Simulator>(problem, run);
      const double period = autonomous_ ? anchor_.period : period_(parameter);
      member->shooting = std::make_unique<Shooting>(
          *member->simulator,
          Round{.start = anchor_.start,
                .period = period,
                .period_is_unknown = autonomous_,
                .clocks = clocks_,
                .held = held_},
          sizes_,
          std::vector<ShotStart>{{.fraction = 0, .state = anchor_.state, .location = anchor_.location}});
      member->equations = member->shooting->equations();
      if (members_.size() > 8) members_.erase(members_.begin());
      members_.push_back(std::move(member));
      return members_.back().get();
    } catch (const std::invalid_argument& error) {
      failure_ = error.what();
      return nullptr;
    }
  }

  bool value(ConstVectorRef u, VectorRef f) {
    Member* member = member_at(parameter_of(u));
    if (member == nullptr) return false;
    if (member->equations.value(u.head(u.size() - 1), f)) return true;
    failure_ = member->shooting->failure();
    return false;
  }

  // ∂F/∂(x, T, p), one row less than columns.
  bool wide_jacobian(ConstVectorRef u, MatrixRef result) {
    const Index m = u.size() - 1;
    Member* member = member_at(parameter_of(u));
    if (member == nullptr) return false;
    Matrix square(m, m);
    if (!member->equations.jacobian(u.head(m), square)) return false;
    result.leftCols(m) = square;
    Vector up(m), down(m), moved = u;
    moved[m] = u[m] + kDifferenceStep;
    if (!value(moved, up)) return false;
    moved[m] = u[m] - kDifferenceStep;
    if (!value(moved, down)) return false;
    result.col(m) = (up - down) / (2 * kDifferenceStep);
    return true;
  }

  // The unit tangent at u in the direction of `along`.
  std::optional<Vector> tangent_at(const Vector& u, const Vector& along) {
    const Index size = u.size();
    Matrix bordered = Matrix::Zero(size, size);
    Matrix wide(size - 1, size);
    if (!wide_jacobian(u, wide)) return std::nullopt;
    bordered.topRows(size - 1) = wide;
    bordered.bottomRows(1) = along.transpose();
    Vector right = Vector::Zero(size);
    right[size - 1] = 1;
    const Vector tangent = bordered.fullPivLu().solve(right);
    if (!tangent.allFinite() || !(tangent.norm() > 0)) return std::nullopt;
    return tangent.normalized();
  }

  // The orbit on the plane through `predicted` with the normal `tangent`.
  std::optional<Place> correct(const Vector& predicted, const Vector& tangent, long* iterations) {
    const Index m = predicted.size() - 1;
    const Equations equations{.value =
                                  [&](ConstVectorRef u, VectorRef f) {
                                    Vector head(m);
                                    if (!value(u, head)) return false;
                                    f.head(m) = head;
                                    f[m] = tangent.dot(u - predicted);
                                    return true;
                                  },
                              .jacobian =
                                  [&](ConstVectorRef u, MatrixRef result) {
                                    Matrix wide(m, m + 1);
                                    if (!wide_jacobian(u, wide)) return false;
                                    result.topRows(m) = wide;
                                    result.bottomRows(1) = tangent.transpose();
                                    return true;
                                  }};
    const double rtol = options_.orbit.run.rtol;
    const EquationsResult found = solve_equations(
        equations, predicted,
        {.tolerance = 10 * rtol, .accepted = 1000 * rtol, .max_iterations = 12, .longest_step = 0.5});
    *iterations = found.iterations;
    if (!found.converged) {
      if (failure_.empty()) failure_ = found.message;
      return std::nullopt;
    }
    Place place;
    place.parameter = parameter_of(found.u);
    OrbitGuess guess = anchor_;
    guess.state = found.u.head(sizes_.size()).cwiseProduct(sizes_) + guess.start * clocks_;
    if (autonomous_) guess.period = anchor_.period * found.u[sizes_.size()];
    const auto orbit = orbit_at(place.parameter, guess, 1e4 * rtol);
    if (!orbit) return std::nullopt;
    place.orbit = *orbit;
    place.u = found.u;
    return place;
  }

  void follow(Place here) {
    const double first_step = 1.0 / static_cast<double>(options_.points - 1);
    anchor_at(here);
    Vector along = Vector::Zero(here.u.size());
    along[along.size() - 1] = 1;
    auto tangent = tangent_at(here.u, along);
    if (!tangent) {
      result_.message = "the branch has no tangent at its begin: " + failure_;
      return;
    }
    double shrink = 1;
    std::optional<Place> behind;  // a change of events at which the branch turns too sharply to be followed
    while (static_cast<Index>(result_.points.size()) < options_.most_points) {
      const double share = std::abs((*tangent)[tangent->size() - 1]);
      const double length = shrink * std::min(first_step / std::max(share, 1e-12), kLongestStep * first_step);
      if (length < kLeastStep * first_step) {
        result_.message = "the branch ends near " + number_text(here.parameter) + ": " + failure_;
        end_is_looked_at_ = true;
        if (name_end()) return;
        if (behind) {
          locate_signature(here, *behind);
          result_.points.push_back({behind->parameter, behind->orbit});
        } else {
          locate_touch(here, *tangent);
        }
        return;
      }
      failure_.clear();
      const Vector predicted = here.u + length * *tangent;
      const double wanted = predicted[predicted.size() - 1];
      if (wanted >= 1 - 1e-9) {
        finish(here, *tangent);
        return;
      }
      if (wanted < 0) {
        result_.message = "the branch turns back and leaves the range at its first value";
        return;
      }
      long iterations = 0;
      auto next = correct(predicted, *tangent, &iterations);
      const bool has_jumped = next && (next->u - predicted).norm() > kLargestCorrection * length;
      if (has_jumped) failure_ = "Newton's method leads to another branch";
      if (!next || has_jumped) {
        shrink *= 0.5;
        continue;
      }
      auto turned = tangent_at(next->u, *tangent);
      if (!turned || turned->dot(*tangent) < 0.8) {
        if (failure_.empty()) failure_ = "the branch turns too sharply, as it does at a grazing contact";
        if (!has_same_events(here.orbit, next->orbit)) behind = std::move(next);
        shrink *= 0.5;
        continue;
      }
      look_between(here, *tangent, *next, *turned);
      result_.points.push_back({next->parameter, next->orbit});
      if (iterations <= 4) shrink = std::min(1.0, 2 * shrink);
      here = std::move(*next);
      behind.reset();
      tangent = turned;
      take_new_begin(here, *tangent);
    }
    result_.message = "the greatest number of orbits is reached at " + number_text(here.parameter);
  }

  // name_end() names a boundary equilibrium at the end, and returns true if there is one. Behind it the branch may have turned back to the orbits
  // that it came by.
  bool name_end() {
    std::vector<BranchPoint>& points = result_.points;
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < points.size(); ++k)
      if (std::abs(points[k].parameter - options_.last) < std::abs(points[nearest].parameter - options_.last))
        nearest = k;
    std::optional<BranchBifurcation> found;
    std::size_t count = nearest + 1;
    for (int k = 0; k < kEndPoints && !found && count > 0; ++k, --count)
      found = shrinking_orbit(family_, options_, {points.data(), count});
    if (!found) return false;
    points.resize(count + 1);
    result_.message = "the branch ends in a boundary equilibrium (BE) at " + number_text(found->parameter);
    result_.bifurcations.push_back(std::move(*found));
    return true;
  }

  // The last orbit, at the end of the range exactly.
  void finish(const Place& here, const Vector& tangent) {
    const Index last = tangent.size() - 1;
    const double length = (1 - here.u[last]) / tangent[last];
    const Vector predicted = here.u + length * tangent;
    Vector fixed = Vector::Zero(tangent.size());
    fixed[last] = 1;
    long iterations = 0;
    auto next = correct(predicted, fixed, &iterations);
    if (!next) {
      result_.message = "the branch ends near " + number_text(here.parameter) + ": " + failure_;
      return;
    }
    const auto turned = tangent_at(next->u, tangent);
    look_between(here, tangent, *next, turned.value_or(tangent));
    next->parameter = options_.last;
    result_.points.push_back({next->parameter, next->orbit});
    result_.complete = true;
  }

  // The begin of the orbit keeps away from events, which move with the parameter.
  void take_new_begin(Place& here, Vector& tangent) {
    const PeriodicOrbit& orbit = here.orbit;
    const double share = tangent[tangent.size() - 1];
    if (std::abs(share) < kSteepTangent) return;
    const auto& segments = orbit.solution.trajectory.segments();
    if (segments.size() > 1) {
      const double to_event = segments.front().end - orbit.start;
      const double since_event = orbit.start + orbit.period - segments.back().start;
      const double margin = 0.1 * (to_event + since_event);
      if (to_event < margin || since_event < margin) {
        const double t = orbit.start + 0.5 * (to_event - since_event);
        const double inside = t < orbit.start ? t + orbit.period : t;
        OrbitGuess guess{.start = inside,
                         .period = orbit.period,
                         .state = orbit.solution.trajectory(inside),
                         .location = orbit.solution.trajectory.location(inside)};
        if (const auto moved = orbit_at(here.parameter, guess)) here.orbit = *moved;
      }
    }
    anchor_at(here);
    Vector along = Vector::Zero(here.u.size());
    along[along.size() - 1] = share > 0 ? 1 : -1;
    if (const auto again = tangent_at(here.u, along)) tangent = *again;
  }

  // ---- between two orbits
  void look_between(const Place& one, const Vector& tangent, const Place& other, const Vector& turned) {
    if (!has_same_events(one.orbit, other.orbit)) {
      locate_signature(one, other);
      return;
    }
    const Index last = tangent.size() - 1;
    const auto changes = [&](double shift) {
      return product_with(one.orbit, shift) * product_with(other.orbit, shift) < 0;
    };
    if (changes(-1)) {
      locate(tangent[last] * turned[last] < 0 ? Bifurcation::fold : Bifurcation::branch_point,
             "a multiplier is 1", one, other,
             [](const PeriodicOrbit& orbit) { return product_with(orbit, -1); });
    }
    if (changes(1)) {
      locate(Bifurcation::period_doubling, "a multiplier is -1", one, other,
             [](const PeriodicOrbit& orbit) { return product_with(orbit, 1); });
    }
    if (pairs_of(one.orbit) > 0 && pairs_of(one.orbit) == pairs_of(other.orbit) &&
        pairs_beside_circle(one.orbit) * pairs_beside_circle(other.orbit) < 0) {
      locate(Bifurcation::torus, "a complex pair of multipliers is on the unit circle", one, other,
             pairs_beside_circle);
    }
  }

  // The events that change something. A touch does not, and whether it is seen is a matter of the tolerance.
  static std::string changes_of(const PeriodicOrbit& orbit) {
    std::string result = orbit.signature.empty() ? "" : orbit.signature + " ";
    for (std::size_t at = result.find("grazing("); at != std::string::npos; at = result.find("grazing("))
      result.erase(at, result.find(") ", at) + 2 - at);
    return result;
  }

  // The same events, perhaps from another begin of the orbit on.
  static bool has_same_events(const PeriodicOrbit& one, const PeriodicOrbit& other) {
    const std::string of_one = changes_of(one), of_other = changes_of(other);
    return of_one.size() == of_other.size() && (of_one + of_one).find(of_other) != std::string::npos;
  }

  std::optional<Place> between(const Place& one, const Place& other, double part) {
    const Vector chord = other.u - one.u;
    long iterations = 0;
    return correct(one.u + part * chord, chord.normalized(), &iterations);
  }

  template <class Test>
  void locate(Bifurcation kind, const char* reason, const Place& one, const Place& other, const Test& test) {
    SecantBracket bracket{0, 1, test(one.orbit), test(other.orbit)};
    Place best = std::abs(bracket.at_low) < std::abs(bracket.at_high) ? one : other;
    for (int k = 0; k < 40 && bracket.width() > 1e-9; ++k) {
      const double part = bracket.next();
      const auto middle = between(one, other, part);
      if (!middle) break;
      const double at_middle = test(middle->orbit);
      best = *middle;
      if (std::abs(at_middle) < 10 * options_.orbit.run.rtol) break;
      bracket.take(part, at_middle);
    }
    result_.bifurcations.push_back({.kind = kind,
                                    .parameter = best.parameter,
                                    .orbit = best.orbit,
                                    .before = one.orbit.signature,
                                    .after = other.orbit.signature,
                                    .reason = reason});
  }

  void locate_signature(const Place& one, const Place& other) {
    Place low = one, high = other;
    const auto reaches = [&](const Place& from, const Place& to) {
      return std::abs((to.u - from.u)[to.u.size() - 1]) >= kSteepTangent * (to.u - from.u).norm();
    };
    // Orbits with a third signature may lie between: the change that is next to one side is located, and then the others.
    for (int k = 0; k < kMostSignatures && reaches(low, high); ++k) {
      const auto function = defining_function(low.orbit, high.orbit, options_.orbit.run.sliding_rule);
      if (!function) break;
      Place& side = function->of_one ? low : high;
      Place& beyond = function->of_one ? high : low;
      const PeriodicOrbit known = beyond.orbit;
      const double width = std::abs(beyond.parameter - side.parameter);
      const auto zero = zero_of(*function, side, beyond);
      if (!has_same_events(known, beyond.orbit)) continue;
      // Nearer to the change it is clearer what vanishes.
      if (!zero && std::abs(beyond.parameter - side.parameter) < 0.5 * width) continue;
      if (!zero) break;
      if (!function->of_one && !has_same_events(one.orbit, low.orbit)) look_between_signatures(one, low);
      result_.bifurcations.push_back({.kind = function->kind,
                                      .parameter = *zero,
                                      .orbit = side.orbit,
                                      .before = low.orbit.signature,
                                      .after = high.orbit.signature,
                                      .reason = function->reason});
      if (function->of_one && !has_same_events(high.orbit, other.orbit)) look_between_signatures(high, other);
      return;
    }
    bisect_signature(low, high);
  }

  void look_between_signatures(const Place& one, const Place& other) {
    if (std::abs(one.parameter - other.parameter) > kLeastStep * std::abs(range_))
      locate_signature(one, other);
  }

  // zero_of() finds the parameter at which the function is zero. `side` becomes the last orbit in front of it, and `beyond` the next known one behind
  // it.
  std::optional<double> zero_of(const DefiningFunction& function, Place& side, Place& beyond) {
    std::optional<Place> before;
    const double begin = side.parameter, end = beyond.parameter;
    const auto value = [&](double parameter) -> std::optional<double> {
      if (parameter == begin) return function.value(family_.problem(begin), side.orbit);
      OrbitGuess guess = guess_of(side.orbit);
      const bool can_extrapolate = before && before->orbit.start == guess.start;
      if (can_extrapolate) {
        const double part = (parameter - side.parameter) / (side.parameter - before->parameter);
        guess.state += part * (side.orbit.state - before->orbit.state);
        guess.period += part * (side.orbit.period - before->orbit.period);
      }
      std::optional<PeriodicOrbit> orbit = orbit_at(parameter, guess);
      if (!orbit) return std::nullopt;
      const std::optional<double> result = has_same_events(side.orbit, *orbit)
                                               ? function.value(family_.problem(parameter), *orbit)
                                               : std::nullopt;
      Place place{.u = coordinates(*orbit, parameter), .parameter = parameter, .orbit = std::move(*orbit)};
      if (result) {
        before = std::move(side);
        side = std::move(place);
      } else if (!has_same_events(side.orbit, place.orbit)) {
        beyond = std::move(place);
      }
      return result;
    };
    return one_sided_zero(value, begin, end,
                          kZeroOfSignature * options_.orbit.run.rtol * std::abs(end - begin));
  }

  // Behind a touch of an impact there may be no orbit near. A run from the last orbit tells by its events what is touched.
  void locate_touch(const Place& here, const Vector& tangent) {
    for (const double ahead : kBehindEnd) {
      Place beyond{.parameter = parameter_of(Vector(here.u + ahead * tangent)), .orbit = here.orbit};
      try {
        Options run = options_.orbit.run;
        run.recording = Recording::dense;
        const double period = autonomous_ ? here.orbit.period : period_(beyond.parameter);
        beyond.orbit.period = period;
        beyond.orbit.solution = Simulator(family_.problem(beyond.parameter), run)
                                    .run({.start = here.orbit.start,
                                          .end = here.orbit.start + period,
                                          .state = here.orbit.state,
                                          .location = here.orbit.location});
      } catch (const std::invalid_argument&) {
        return;
      }
      beyond.orbit.signature = signature_of(beyond.orbit.solution);
      if (has_same_events(here.orbit, beyond.orbit)) continue;
      const auto function = defining_function(here.orbit, beyond.orbit, options_.orbit.run.sliding_rule);
      if (!function || !function->of_one) continue;
      Place side = here;
      const std::string after = beyond.orbit.signature;
      const auto zero = zero_of(*function, side, beyond);
      if (!zero) continue;
      result_.bifurcations.push_back({.kind = function->kind,
                                      .parameter = *zero,
                                      .orbit = side.orbit,
                                      .before = here.orbit.signature,
                                      .after = after,
                                      .reason = function->reason});
      return;
    }
  }

  void bisect_signature(const Place& one, const Place& other) {
    const double width = std::max(options_.orbit.run.rtol, 1e-12);
    double low = 0, high = 1;
    Place at_low = one, at_high = other;
    while (high - low > width) {
      const double part = 0.5 * (low + high);
      auto middle = between(one, other, part);
      // Behind a grazing contact the derivative is that of a root, and Newton's method finds no orbit close to it.
      if (!middle) {
        high = part;
        continue;
      }
      if (has_same_events(one.orbit, middle->orbit)) {
        low = part;
        at_low = std::move(*middle);
      } else {
        high = part;
        at_high = std::move(*middle);
      }
    }
    const NamedBifurcation named = name_bifurcation(at_low.orbit, at_high.orbit);
    result_.bifurcations.push_back({.kind = named.kind,
                                    .parameter = at_low.parameter,
                                    .orbit = at_low.orbit,
                                    .before = at_low.orbit.signature,
                                    .after = at_high.orbit.signature,
                                    .reason = named.reason + "; the parameter is bisected"});
  }

  const OrbitFamily& family_;
  const OrbitBranchOptions& options_;
  double range_;
  OrbitGuess guess_;
  std::function<double(double)> period_;  // of the drive and of time events
  bool autonomous_ = false;
  bool end_is_looked_at_ = false;
  OrbitGuess anchor_ = {};
  Vector sizes_ = {};
  Vector clocks_ = {};            // 1 at discrete states that hold times
  std::vector<Index> held_ = {};  // discrete states that nothing sets
  std::vector<std::unique_ptr<Member>> members_ = {};
  std::string failure_ = {};
  OrbitBranch result_ = {};
};

}  // namespace

const char* to_string(Bifurcation kind) {
  switch (kind) {
    case Bifurcation::fold: return "SN";
    case Bifurcation::branch_point: return "BP";
    case Bifurcation::period_doubling: return "PD";
    case Bifurcation::torus: return "NS";
    case Bifurcation::boundary_equilibrium: return "BE";
    case Bifurcation::grazing: return "GR";
    case Bifurcation::grazing_sliding: return "GS";
    case Bifurcation::crossing_sliding: return "CS";
    case Bifurcation::switching_sliding: return "SS";
    case Bifurcation::adding_sliding: return "AS";
    case Bifurcation::other: return "??";
  }
  return "";
}

OrbitBranch follow_periodic_orbit(const OrbitFamily& family, const OrbitGuess& guess,
                                  const OrbitBranchOptions& options) {
  check_parameter_range({.has_problem = static_cast<bool>(family.problem),
                         .first = options.first,
                         .last = options.last,
                         .points = options.points,
                         .most_points = options.most_points},
                        "the branch cannot be followed", "follow_periodic_orbit");
  const Automaton first = family.problem(options.first);
  refuse_cone_friction(first, "periodic orbits");
  refuse_numbered_states(first, "periodic orbits");
  return BranchSearch(family, guess, options).execute();
}

}  // namespace slideway
