#include "orbit/shrinking_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "orbit/equilibrium_family.hpp"

namespace slideway {

namespace {

// The end told by the last two amplitudes agrees with that of the equilibrium to this part of the way. Amplitudes that go like a root, as at a Hopf
// bifurcation of a smooth field, would differ by a half. The tests of orbits pass with 0.1 and 0.4.
constexpr double kProportional = 0.2;
// The equilibrium is no farther from the middle of the orbit than so many amplitudes. The tests of orbits pass with 1.5 and 6.
constexpr double kBesideOrbit = 3;

// The middle of an orbit, and half of its width in each state.
struct Extent {
  Vector middle = {};
  Vector half = {};

  double amplitude() const { return half.norm(); }
};

Extent extent_of(const PeriodicOrbit& orbit) {
  Vector low = orbit.state, high = orbit.state, x(orbit.state.size());
  const Trajectory& trajectory = orbit.solution.trajectory;
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k)
    for (const double t : trajectory.step_times(k)) {
      trajectory.evaluate(k, t, x);
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
  return {.middle = 0.5 * (low + high), .half = 0.5 * (high - low)};
}

}  // namespace

std::optional<BranchBifurcation> shrinking_orbit(const OrbitFamily& family, const OrbitBranchOptions& options,
                                                 std::span<const BranchPoint> points) {
  if (points.size() < 3 || !points.back().orbit.autonomous) return std::nullopt;
  const BranchPoint &end = points.back(), &before = points[points.size() - 2];
  const Extent here = extent_of(end.orbit), earlier = extent_of(before.orbit);
  const double fall = earlier.amplitude() - here.amplitude();
  if (!(fall > 0) || end.parameter == before.parameter) return std::nullopt;
  // The parameter at which the amplitude is zero, as the last two orbits tell.
  const double left = (end.parameter - before.parameter) * here.amplitude() / fall;
  Vector sizes = here.middle.cwiseAbs() + here.half;
  sizes = sizes.cwiseMax(1e-3 * sizes.maxCoeff());
  std::optional<BranchBifurcation> nearest;
  double least = kProportional;
  std::vector<Mode> seen;
  for (const Segment& segment : end.orbit.solution.trajectory.segments()) {
    if (std::find(seen.begin(), seen.end(), segment.mode) != seen.end()) continue;
    seen.push_back(segment.mode);
    try {
      const System system = family.problem(end.parameter).system();
      Equilibrium guess;
      guess.location = segment.location;
      guess.mode = segment.mode;
      guess.state = here.middle;
      guess.lambda = Vector::Zero(system.surfaces());
      guess.forces = Vector::Zero(segment.mode.size() - system.surfaces());
      EquilibriumFamily equilibria(one_parameter(family.problem, options.first, options.last),
                                   options.orbit.run.sliding_rule, end.orbit.start, guess, sizes);
      const Vector u = equilibria.unknowns_of(guess, end.parameter + left);
      const auto count = static_cast<Index>(equilibria.limits(u).size());
      for (Index limit = 0; limit < count; ++limit) {
        const std::optional<Vector> zero = equilibria.at_limit(u, limit);
        if (!zero) continue;
        const std::optional<Equilibrium> found = equilibria.describe(*zero);
        if (!found || !found->admissible) continue;
        const double parameter = equilibria.parameter((*zero)[zero->size() - 1]);
        const double error = std::abs((parameter - end.parameter) / left - 1);
        if (!(error <= least) || (found->state - here.middle).norm() > kBesideOrbit * here.amplitude())
          continue;
        least = error;
        nearest = BranchBifurcation{.kind = Bifurcation::boundary_equilibrium,
                                    .parameter = parameter,
                                    .orbit = end.orbit,
                                    .before = end.orbit.signature,
                                    .after = "",
                                    .reason = "the amplitude vanishes at an equilibrium of mode \"" +
                                              found->mode.word() + "\" that lies where the mode ends"};
      }
    } catch (const std::exception&) {
      // The field has no value there, or the problem makes no sense.
    }
  }
  return nearest;
}

}  // namespace slideway
