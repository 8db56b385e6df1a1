#include "slideway/simulate/forces_along.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "filippov/corner_solver.hpp"
#include "filippov/mode_field.hpp"
#include "simulate/location_algebra.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/observables.hpp"

namespace slideway {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// How the contacts of a place are; its algebra refers to it.
struct ContactsOfPlace {
  ContactModes contact_modes = {};
};

// The algebra of one location, or of two that a solution slides between.
struct ForcesAlong::Place : ContactsOfPlace, LocationAlgebra {
  Place(System without_forces, std::string location, const SlidingRule rule)
      : LocationAlgebra(std::move(without_forces), nullptr, contact_modes),
        name(std::move(location)),
        sliding_rule(rule),
        field(evaluator, *structure),
        lambda(Vector::Zero(system.surfaces())) {
    field.set_rule(rule);
  }

  // Takes over the mode of the surfaces and which contacts are closed; false where it has been that already.
  bool begin(const Mode& now) {
    if (is_set && now == word && lambda.allFinite()) return false;
    word = now;
    is_set = true;
    const Index surfaces = system.surfaces();
    const Mode mode = word.first(surfaces);
    slides = mode.codimension() > 0;
    // The λ of surfaces that slide begins at 0.
    lambda.setZero();
    mode.fill_lambda(lambda);
    if (contacts) contact_modes = contacts->modes_in(word, surfaces);
    field.begin(mode, lambda);
    has_looked = false;
    return true;
  }

  // The velocity of a run is Filippov's, too: λ belongs to it.
  void look_at_corners(double t, ConstVectorRef x) {
    if (has_looked || sliding_rule != SlidingRule::filippov) return;
    has_looked = true;
    if (take_corners(evaluator, t, x, lambda, field.sliding())) field.begin(field.mode(), lambda);
  }

  void find(double t, ConstVectorRef x) {
    if (!slides) return;
    try {
      look_at_corners(t, x);
      lambda = field.lambda(t, x);
    } catch (const std::exception&) {
      // The run itself reports a sliding condition without a solution.
      for (const Index i : field.sliding()) lambda[i] = kUnknown;
    }
  }

  std::string name;
  const Edge* between = nullptr;  // of two locations
  SlidingRule sliding_rule;
  ModeField field;
  Mode word;
  bool is_set = false;
  bool has_looked = false;
  bool slides = false;
  Vector lambda;
  // in_second_order is the place for the surfaces along which the solution slides in second order in this mode,
  // or null.
  std::unique_ptr<Place> in_second_order;
  // Surfaces along which it has been seen to slide by their relays: asking costs a field or two each.
  std::vector<char> slides_by_relay;
};

ForcesAlong::ForcesAlong(Automaton problem, SlidingRule rule) : problem_(std::move(problem)), rule_(rule) {
  lambda_ = Vector::Zero(problem_.system().surfaces());
  forces_ = Vector::Zero(force_count(static_cast<Index>(problem_.system().contacts().size())));
}

ForcesAlong::~ForcesAlong() = default;
ForcesAlong::ForcesAlong(ForcesAlong&&) noexcept = default;
ForcesAlong& ForcesAlong::operator=(ForcesAlong&&) noexcept = default;

ForcesAlong::Place& ForcesAlong::place_of(double t, ConstVectorRef x, const std::string& location) {
  const auto is_location = [&](const Location& known) { return known.name == location; };
  const bool is_one = std::any_of(problem_.locations().begin(), problem_.locations().end(), is_location);
  const std::optional<JoinedEdges> joined = is_one ? std::nullopt : problem_.joined_edges(location, t, x);
  if (!is_one && !joined) {
    refuse({.what = "a point of another problem's solution",
            .where = "ForcesAlong::find",
            .expected = "a location of the problem, or two that its solution slides between",
            .got = "'" + location + "'"});
  }
  const Edge* const between = joined ? &problem_.edges()[joined->rising] : nullptr;
  for (const std::unique_ptr<Place>& known : places_)
    if (known->name == location && known->between == between) return *known;
  places_.push_back(std::make_unique<Place>(problem_.system_at(location, t, x).value(), location, rule_));
  places_.back()->between = between;
  return *places_.back();
}

void ForcesAlong::look_for_second_order(Place& place, double t, ConstVectorRef x) {
  place.in_second_order.reset();
  std::vector<Index> surfaces;
  const Vector sizes = Vector::Ones(x.size());
  place.slides_by_relay.resize(static_cast<std::size_t>(place.system.surfaces()), 0);
  for (const Index i : place.field.sliding()) {
    char& by_relay = place.slides_by_relay[static_cast<std::size_t>(i)];
    by_relay = by_relay || place.geometry.relay_effect(t, x, place.lambda, i, sizes) == RelayEffect::across;
    if (!by_relay) surfaces.push_back(i);
  }
  if (surfaces.empty()) return;
  if (const std::shared_ptr<const System> system = place.plain.second_order(surfaces))
    place.in_second_order = std::make_unique<Place>(*system, place.name, rule_);
}

void ForcesAlong::find(double t, ConstVectorRef x, const Mode& mode, const std::string& location) {
  Place& place = place_of(t, x, location);
  // The surfaces of second order change with the mode only.
  if (place.begin(mode)) look_for_second_order(place, t, x);
  Place& at_work = place.in_second_order ? *place.in_second_order : place;
  at_work_ = &at_work;
  const SecondOrder* const staying = at_work.plain.definition().staying.get();
  Mode at_work_in = mode;
  if (staying) {
    for (const SecondOrder::Bound& one : staying->bound) at_work_in.set(one.surface, Side::plus);
  }
  at_work.begin(at_work_in);
  at_work.find(t, x);
  lambda_ = at_work.lambda.head(lambda_.size());
  lambda_between_ = place.between ? at_work.lambda[lambda_.size()] : kUnknown;
  if (staying) {
    for (const SecondOrder::Bound& one : staying->bound) lambda_[one.surface] = one.sign * lambda_[one.to];
  }
  if (!at_work.contacts) return;
  try {
    const Index contacts = at_work.contacts->contacts();
    forces_.setZero();
    ContactModes& modes = at_work.contact_modes;
    at_work.contacts->find_directions(t, x, at_work.lambda, modes, 0);
    Vector motion(x.size());
    at_work.field.velocity(t, x, motion);
    const ContactDynamics::Forces found =
        at_work.contacts->least_forces(t, x, at_work.lambda, modes, at_work.field.sliding(), motion);
    forces_.head(contacts) = found.normal;
    if (!modes.closed.empty()) {
      forces_.segment(contacts, contacts) = found.friction;
      forces_.tail(contacts) = found.second_friction;
    }
  } catch (const std::exception&) {
    forces_.setConstant(kUnknown);
  }
}

void ForcesAlong::velocity(double t, ConstVectorRef x, VectorRef dx) {
  at_work_->field.velocity(t, x, VectorRef(dx));
}

}  // namespace slideway
