#include "slideway/manifolds/orbit_manifolds.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "manifolds/grow_curve.hpp"
#include "manifolds/section_map.hpp"
#include "model/refuse_cones.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/manifolds/time_reversal.hpp"

namespace slideway {

namespace {

// The greatest distance of the first piece from the orbit, of the sizes of the states: the manifold is off its tangent by the square of it.
constexpr double kFirstPiece = 1e-6;
// The begin of the piece, of its greatest distance: orbits are known to 1e-10 of the sizes.
constexpr double kLeastBegin = 1e-3;
constexpr double kUsualCurve = 10;  // of the sizes of the states
// A return may take this many periods.
constexpr double kLongestReturn = 20;
constexpr double kUnitCircle = 1e-6;  // multipliers nearer to it are neutral, as those of orbits
// Two lists hold the same multiplier where the values are this near, of the largest.
constexpr double kSameMultiplier = 1e-6;
constexpr Index kMostReturns = 500;
constexpr Index kFanReturns = 3;

void check_curves(const Automaton& problem, const PeriodicOrbit& orbit, const OrbitManifoldOptions& options) {
  const char* const where = "follow_orbit_manifolds";
  refuse_cone_friction(problem, "manifolds");
  if (problem.system().discrete() > 0) {
    refuse({.what = "manifolds of problems with discrete states are not followed",
            .where = where,
            .expected = "a problem without discrete states",
            .got = std::to_string(problem.system().discrete()) + " of them"});
  }
  if (!orbit.converged || !orbit.admissible) {
    refuse({.what = "the orbit is not one that solutions follow",
            .where = where,
            .expected = "an orbit that is found and admissible",
            .got = orbit.converged ? orbit.admissibility : orbit.message});
  }
  if (!std::isfinite(options.length) || options.length < 0) {
    refuse({.what = "the length of the curves makes no sense",
            .where = where,
            .expected = "a finite number above 0, or 0 to have it chosen",
            .got = number_text(options.length)});
  }
  for (const auto& [name, value] : {std::pair{"distance", options.distance},
                                    std::pair{"angle", options.angle}, std::pair{"least", options.least}}) {
    if (value > 0 && value <= 1) continue;
    refuse({.what = std::string("the number '") + name + "' makes no sense",
            .where = where,
            .expected = "a number in (0, 1]",
            .got = number_text(value)});
  }
  if (options.most_runs < 1) {
    refuse({.what = "a curve needs runs",
            .where = where,
            .expected = "most_runs of 1 or more",
            .got = std::to_string(options.most_runs)});
  }
}

// How far the states move on the orbit; no less than where their relative tolerance ends.
Vector sizes_along(const Solution& solution, const Options& options) {
  Vector low = solution.initial.state, high = low, x(low.size());
  const Trajectory& trajectory = solution.trajectory;
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k)
    for (const double t : trajectory.step_times(k)) {
      trajectory.evaluate(k, t, x);
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
  return (high - low).cwiseMax(options.atol.expand(low.size(), options.rtol) / options.rtol);
}

struct OrbitEigenvector {
  double multiplier = 0;
  Vector direction = {};  // its largest part, in sizes, is positive and as long as the size
};

struct OrbitDirections {
  Index inside = 0;  // multipliers inside of the unit circle, zeros included
  Index outside = 0;
  Index zeros = 0;  // that are exactly zero
  bool is_neutral = false;
  std::optional<OrbitEigenvector> growing = {};    // where it is the only one, and real
  std::optional<OrbitEigenvector> shrinking = {};  // likewise
};

std::optional<OrbitEigenvector> eigenvector_of(const PeriodicOrbit& orbit, std::complex<double> multiplier,
                                               const Vector& normal, const Vector& sizes) {
  if (std::abs(multiplier.imag()) > kSameMultiplier * std::abs(multiplier)) return std::nullopt;
  const Matrix scaled = sizes.cwiseInverse().asDiagonal() * orbit.monodromy * sizes.asDiagonal();
  const Eigen::EigenSolver<Matrix> solver(scaled);
  Index nearest = 0;
  (solver.eigenvalues().array() - multiplier).abs().minCoeff(&nearest);
  Vector direction = solver.eigenvectors().col(nearest).real().cwiseProduct(sizes);
  // Into the section along the field.
  if (normal.size() > 0) direction -= (normal.dot(direction) / normal.squaredNorm()) * normal;
  Index largest = 0;
  const Vector parts = direction.cwiseQuotient(sizes);
  parts.cwiseAbs().maxCoeff(&largest);
  return OrbitEigenvector{.multiplier = multiplier.real(), .direction = direction / parts[largest]};
}

OrbitDirections directions_of(const PeriodicOrbit& orbit, const Vector& normal, const Vector& sizes) {
  OrbitDirections result;
  std::vector<std::complex<double>> inside, outside;
  for (const FloquetMultiplier& multiplier : orbit.multipliers) {
    if (multiplier.kind == MultiplierKind::trivial) continue;
    const double size = std::abs(multiplier.value);
    if (multiplier.kind == MultiplierKind::exact_zero) {
      ++result.zeros;
    } else if (size > 1 + kUnitCircle) {
      outside.push_back(multiplier.value);
    } else if (size < 1 - kUnitCircle) {
      inside.push_back(multiplier.value);
    } else {
      result.is_neutral = true;
    }
  }
  result.outside = static_cast<Index>(outside.size());
  result.inside = static_cast<Index>(inside.size()) + result.zeros;
  if (outside.size() == 1) result.growing = eigenvector_of(orbit, outside.front(), normal, sizes);
  if (inside.size() == 1 && result.zeros == 0)
    result.shrinking = eigenvector_of(orbit, inside.front(), normal, sizes);
  return result;
}

class OrbitGrowth {
 public:
  OrbitGrowth(const Automaton& problem, const PeriodicOrbit& orbit, const OrbitManifoldOptions& options)
      : problem_(problem),
        orbit_(orbit),
        options_(options),
        sizes_(sizes_along(orbit.solution, options.run)) {
    growth_ = {.length = options.length > 0 ? options.length : kUsualCurve * sizes_.norm(),
               .distance = options.distance,
               .angle = options.angle,
               .least = options.least,
               .most_runs = options.most_runs,
               .most_images = kMostReturns,
               .sizes = sizes_};
  }

  OrbitManifolds execute() {
    result_.time = orbit_.start;
    if (orbit_.autonomous) {
      result_.normal = field_at_begin();
      returns_ = returns_of_orbit();
    }
    const OrbitDirections directions = directions_of(orbit_, result_.normal, sizes_);
    result_.stable_dimensions = directions.inside;
    result_.unstable_dimensions = directions.outside;
    if (directions.is_neutral || directions.inside == 0 || directions.outside == 0) {
      result_.remarks.push_back(directions.is_neutral ? "a multiplier is on the unit circle"
                                                      : "the orbit is no saddle");
      return std::move(result_);
    }
    if (options_.unstable) {
      if (directions.growing) {
        branches(problem_, ManifoldKind::unstable, *directions.growing);
      } else {
        tell_dimensions(ManifoldKind::unstable, directions.outside);
      }
    }
    if (options_.stable) stable(directions);
    return std::move(result_);
  }

 private:
  void tell_dimensions(ManifoldKind kind, Index dimensions) {
    result_.remarks.push_back(std::string("the ") + to_string(kind) + " manifold has " +
                              std::to_string(dimensions) + " dimensions in the section and is not followed");
  }

  Vector field_at_begin() const {
    const std::optional<System> system =
        orbit_.location.empty() ? std::optional<System>(problem_.system())
                                : problem_.system_at(orbit_.location, orbit_.start, orbit_.state);
    Vector lambda = Vector::Zero(system->surfaces()), field(orbit_.state.size());
    orbit_.solution.initial.mode.first(system->surfaces()).fill_lambda(lambda);
    system->field(orbit_.start, orbit_.state, lambda, field);
    return field;
  }

  // How often the orbit comes through the plane of the section in one period.
  Index returns_of_orbit() const {
    SectionMap once(problem_, options_.run, orbit_.start, orbit_.state, result_.normal, 1,
                    kLongestReturn * orbit_.period);
    SectionState at{.state = orbit_.state, .location = orbit_.location};
    for (Index k = 1; k <= 64; ++k) {
      const std::optional<SectionState> next = once(at);
      if (!next) break;
      at = *next;
      const double apart = (at.state - orbit_.state).cwiseQuotient(sizes_).lpNorm<Eigen::Infinity>();
      if (apart <= 1e-4) return k;
    }
    refuse({.what = "the orbit does not come back to the plane through its begin",
            .where = "follow_orbit_manifolds",
            .expected = "an orbit that is not too unstable to be followed once",
            .got = "none"});
  }

  // `turns` is 2 where the multiplier is negative.
  SectionMap map_of(const Automaton& problem, ManifoldKind kind, Index turns) const {
    const double sign = kind == ManifoldKind::stable ? -1 : 1;
    if (!orbit_.autonomous)
      return SectionMap(problem, options_.run, sign * orbit_.start,
                        static_cast<double>(turns) * orbit_.period);
    return SectionMap(problem, options_.run, sign * orbit_.start, orbit_.state, sign * result_.normal,
                      turns * returns_, kLongestReturn * static_cast<double>(turns) * orbit_.period);
  }

  void branches(const Automaton& problem, ManifoldKind kind, const OrbitEigenvector& eigenvector) {
    const Index turns = eigenvector.multiplier < 0 ? 2 : 1;
    const double stretch = static_cast<double>(turns) * std::abs(std::log(std::abs(eigenvector.multiplier)));
    const double first = std::max(-stretch, std::log(kLeastBegin));
    SectionMap map = map_of(problem, kind, turns);
    for (const double side : {1.0, -1.0}) {
      const Vector begin = side * kFirstPiece * eigenvector.direction;
      const CurveSeed seed{
          .point =
              [&](double parameter) {
                return std::optional<SectionState>(
                    {.state = orbit_.state + std::exp(parameter) * begin, .location = orbit_.location});
              },
          .first = first,
          .last = first + stretch};
      CurveGrowth growth = growth_;
      growth.begin_length = std::exp(first) * begin.norm();
      OrbitManifoldCurve curve = grow_curve(seed, map, growth);
      for (OrbitManifoldPoint& point : curve.points) point.returns *= turns;
      curve.points.insert(curve.points.begin(), {.state = orbit_.state, .location = orbit_.location});
      curve.kind = kind;
      curve.multiplier = eigenvector.multiplier;
      curve.direction = side * eigenvector.direction;
      result_.curves.push_back(std::move(curve));
    }
  }

  void stable(const OrbitDirections& directions) {
    const std::string obstacle = obstacle_to_reversal(problem_, orbit_.state, sizes_);
    if (!obstacle.empty()) {
      result_.remarks.push_back("the stable manifold is not followed: " + obstacle);
      return;
    }
    if (directions.inside > 1 || (directions.zeros == 0 && !directions.shrinking)) {
      tell_dimensions(ManifoldKind::stable, directions.inside);
      return;
    }
    const Automaton reversed = reversed_in_time(problem_, orbit_.state, sizes_);
    if (directions.zeros == 0) {
      branches(reversed, ManifoldKind::stable, *directions.shrinking);
      return;
    }
    result_.remarks.push_back(
        "the stable manifold is a fan: whatever arrives where the orbit slides is on the orbit from there");
    fans(reversed);
  }

  // For each piece of the orbit that slides along one surface, the solutions that arrive there from either side.
  void fans(const Automaton& reversed) {
    const Index surfaces = problem_.system().surfaces();
    for (const Segment& segment : orbit_.solution.trajectory.segments()) {
      if (segment.mode.first(std::min(surfaces, segment.mode.size())).codimension() != 1 ||
          !(segment.end > segment.start))
        continue;
      for (const Side side : {Side::plus, Side::minus}) {
        Mode mode = segment.mode.first(surfaces);
        for (Index i = 0; i < surfaces; ++i)
          if (mode.slides_on(i)) mode.set(i, side);
        fan(reversed, segment, mode);
      }
    }
  }

  void fan(const Automaton& reversed, const Segment& segment, const Mode& mode) {
    // Backwards a driven problem comes to the time of the section at the begin of the period.
    const double span = orbit_.autonomous ? orbit_.period : segment.end - orbit_.start;
    SectionMap map = map_of(reversed, ManifoldKind::stable, 1);
    SectionMap arrival = orbit_.autonomous ? SectionMap(reversed, options_.run, -orbit_.start, orbit_.state,
                                                        -result_.normal, 1, kLongestReturn * span)
                                           : SectionMap(reversed, options_.run, -orbit_.start - span, span);
    const CurveSeed seed{.point = [&](double t) -> std::optional<SectionState> {
                           return arrival.arrive(
                               {.state = orbit_.solution.trajectory(t), .location = segment.location}, -t,
                               mode);
                         },
                         .first = segment.start + kInside * (segment.end - segment.start),
                         .last = segment.end - kInside * (segment.end - segment.start),
                         .is_domain = false};
    CurveGrowth growth = growth_;
    growth.most_images = kFanReturns;
    OrbitManifoldCurve curve = grow_curve(seed, map, growth);
    curve.kind = ManifoldKind::stable;
    curve.piece = ManifoldPiece::fan;
    result_.curves.push_back(std::move(curve));
  }

  // The fan begins and ends inside of the sliding piece by this part of it: at the very end the mode changes.
  static constexpr double kInside = 1e-9;

  const Automaton& problem_;
  const PeriodicOrbit& orbit_;
  const OrbitManifoldOptions& options_;
  Vector sizes_;
  Index returns_ = 1;
  CurveGrowth growth_ = {};
  OrbitManifolds result_ = {};
};

}  // namespace

OrbitManifolds follow_orbit_manifolds(const Automaton& problem, const PeriodicOrbit& orbit,
                                      const OrbitManifoldOptions& options) {
  check_curves(problem, orbit, options);
  return OrbitGrowth(problem, orbit, options).execute();
}

}  // namespace slideway
