#include "orbit/orbit_plane.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "orbit/schedule.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

namespace {

// Central differences by two parameters and the orbits beside them need that many problems.
constexpr std::size_t kMostProblems = 12;

double at_share(const ParameterSpan& span, double share) {
  return span.first + share * (span.last - span.first);
}
double share_of(const ParameterSpan& span, double value) {
  return (value - span.first) / (span.last - span.first);
}

}  // namespace

// The equations at one value of each parameter, with all they refer to.
struct OrbitPlane::Member {
  double first, second;
  std::shared_ptr<const Automaton> problem;
  std::unique_ptr<Simulator> simulator;
  std::unique_ptr<Shooting> shooting;
  Equations equations;
};

OrbitPlane::OrbitPlane(const OrbitPlaneFamily& family, const OrbitCurveOptions& options,
                       const PeriodicOrbit& anchor, double first, double second)
    : family_(family),
      options_(options),
      autonomous_(anchor.autonomous),
      anchor_{
          .start = anchor.start, .period = anchor.period, .state = anchor.state, .location = anchor.location},
      clocks_(Vector::Zero(anchor.state.size())),
      held_(held_states_of(family.problem(first, second), anchor.solution)) {
  for (const Index i : anchor.clocks) clocks_[i] = 1;
  sizes_ = (anchor.state - anchor.start * clocks_).cwiseAbs();
  const Trajectory& trajectory = anchor.solution.trajectory;
  Vector x(sizes_.size());
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k)
    for (const double t : trajectory.step_times(k)) {
      trajectory.evaluate(k, t, x);
      sizes_ = sizes_.cwiseMax((x - t * clocks_).cwiseAbs());
    }
  sizes_ = sizes_.cwiseMax(1e-3 * std::max(sizes_.maxCoeff(), 1e-300));
}

OrbitPlane::~OrbitPlane() = default;

double OrbitPlane::first(const Vector& u) const { return at_share(options_.first, u[u.size() - 2]); }
double OrbitPlane::second(const Vector& u) const { return at_share(options_.second, u[u.size() - 1]); }

Vector OrbitPlane::unknowns_of(const PeriodicOrbit& orbit, double first, double second) const {
  const Index n = sizes_.size();
  Vector u(equations() + 2);
  u.head(n) = (orbit.state - orbit.start * clocks_).cwiseQuotient(sizes_);
  if (autonomous_) u[n] = orbit.period / anchor_.period;
  u.tail(2) << share_of(options_.first, first), share_of(options_.second, second);
  return u;
}

OrbitPlane::Member* OrbitPlane::member_of(const Vector& u) {
  const double a = first(u), b = second(u);
  for (const auto& member : members_)
    if (member->first == a && member->second == b) return member.get();
  try {
    auto member = std::make_unique<Member>();
    member->first = a;
    member->second = b;
    member->problem = std::make_shared<const Automaton>(family_.problem(a, b));
    Options run = plain_options(options_.orbit.run, Recording::dense);
    const System& system = member->problem->system();
    run.sensitivities = by_initial_values(system, system.state_names());
    member->simulator = std::make_unique<Simulator>(*member->problem, run);
    member->shooting = std::make_unique<Shooting>(
        *member->simulator,
        Round{.start = anchor_.start,
              .period = autonomous_ ? anchor_.period : family_.period(a, b),
              .period_is_unknown = autonomous_,
              .clocks = clocks_,
              .held = held_},
        sizes_,
        std::vector<ShotStart>{{.fraction = 0, .state = anchor_.state, .location = anchor_.location}});
    member->equations = member->shooting->equations();
    if (members_.size() >= kMostProblems) members_.erase(members_.begin());
    members_.push_back(std::move(member));
    return members_.back().get();
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

std::optional<PlaneShot> OrbitPlane::shot(const Vector& u) {
  if (!u.allFinite()) return std::nullopt;
  Member* const member = member_of(u);
  if (member == nullptr) return std::nullopt;
  const Index m = equations();
  PlaneShot result{.value = Vector::Zero(m), .by_y = Matrix::Zero(m, m), .problem = member->problem};
  const Vector y = u.head(m);
  if (!member->equations.value(y, result.value) || !member->equations.jacobian(y, result.by_y))
    return std::nullopt;
  const Matrix monodromy = member->shooting->monodromy(y);
  result.scaled = sizes_.cwiseInverse().asDiagonal() * monodromy * sizes_.asDiagonal();
  PeriodicOrbit& orbit = result.orbit;
  orbit.autonomous = autonomous_;
  orbit.start = anchor_.start;
  orbit.period = member->shooting->period(y);
  orbit.state = member->shooting->state(y, 0);
  orbit.location = anchor_.location;
  orbit.solution = member->shooting->runs(y).front();
  orbit.solution.sensitivities.reset();
  orbit.signature = signature_of(orbit.solution);
  return result;
}

std::optional<PeriodicOrbit> OrbitPlane::orbit_at(const Vector& u) {
  try {
    const Index n = sizes_.size();
    OrbitGuess guess = anchor_;
    guess.state = u.head(n).cwiseProduct(sizes_) + guess.start * clocks_;
    guess.period = autonomous_ ? anchor_.period * u[n] : family_.period(first(u), second(u));
    OrbitOptions options = options_.orbit;
    options.shots = 1;
    options.taken_residual = 1e4 * options.run.rtol;
    PeriodicOrbit orbit = find_periodic_orbit(family_.problem(first(u), second(u)), guess, options);
    if (orbit.converged) return orbit;
  } catch (const std::invalid_argument&) {
    // The parameters make no sense there.
  }
  return std::nullopt;
}

}  // namespace slideway
