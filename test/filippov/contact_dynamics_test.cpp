// Forces and impulses of contacts at one point, against closed forms.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

#include "filippov/contact_dynamics.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

const Vector no_relays;

// Heights y1 … yN and their velocities; gravity 10, unit masses.
struct Falling {
  Index bodies = 1;
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    for (Index i = 0; i < bodies; ++i) {
      dx[i] = x[bodies + i];
      dx[bodies + i] = -10.0;
    }
  }
};

Contact constant_restitution(std::string name, Guard gap, std::function<void(VectorRef)> force, double e) {
  Contact contact;
  contact.name = std::move(name);
  contact.gap = std::move(gap);
  contact.acts_on = [force = std::move(force)](double, ConstVectorRef, VectorRef b) { force(b); };
  contact.restitution = [e](double) { return e; };
  return contact;
}

// N points of unit mass on one another.
ContactDynamics pile(Index bodies, double e) {
  std::vector<Contact> contacts;
  for (Index i = 0; i < bodies; ++i) {
    const Guard gap = i == 0 ? Guard([](auto, const auto& x) { return x[0]; })
                             : Guard([i](auto, const auto& x) { return x[i] - x[i - 1]; });
    contacts.push_back(constant_restitution(
        "c" + std::to_string(i), gap,
        [i, bodies](VectorRef b) {
          b[bodies + i] = 1;
          if (i > 0) b[bodies + i - 1] = -1;
        },
        e));
  }
  return ContactDynamics(
      from_functor(Falling{bodies}, {.states = 2 * bodies}).with_contacts(std::move(contacts)));
}

// A bead in a bowl: x² + y² <= 1, gravity 10 along −y, states x, y, vx, vy. b is not of unit effect.
struct Bead {
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 0.0 * x[0];
    dx[3] = -10.0 + 0.0 * x[0];
  }
};

ContactDynamics bowl(double e) {
  Contact contact;
  contact.name = "bowl";
  contact.gap = Guard([](auto, const auto& x) { return 1.0 - x[0] * x[0] - x[1] * x[1]; });
  contact.acts_on = [](double, ConstVectorRef x, VectorRef b) {
    b[2] = -3 * x[0];
    b[3] = -3 * x[1];
  };
  contact.restitution = [e](double) { return e; };
  return ContactDynamics(from_functor(Bead{}, {.states = 4}).with_contacts({contact}));
}

struct Lifted {
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    for (Index i = 0; i < 3; ++i) dx[i] = x[3 + i];
    dx[3] = -10.0;
    dx[4] = 2.0;  // pulled up
    dx[5] = -10.0;
  }
};

// A rod of unit mass on three supports at −1, 0 and 1: height z and slope p with inertia 1/3.
struct Rod {
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = -10.0 + 0.0 * x[0];
    dx[3] = 0.0 * x[0];
  }
};

struct Still {
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = 0.0 * x[0];
  }
};

ContactModes closed(std::vector<Index> contacts) { return ContactModes().with(std::move(contacts)); }

Vector state(std::initializer_list<double> values) {
  Vector x(static_cast<Index>(values.size()));
  Index j = 0;
  for (const double value : values) x[j++] = value;
  return x;
}

}  // namespace

TEST_CASE("the force of a closed contact is that of the closed form") {
  // A bead at angle a from the lowest point with speed v: the wall pushes with v² + 10 cos a.
  ContactDynamics dynamics = bowl(0.5);
  const double a = 0.7, v = 1.3;
  const Vector x = state({std::sin(a), -std::cos(a), v * std::cos(a), v * std::sin(a)});
  CHECK(std::abs(dynamics.rate(0, x, no_relays, 0)) < 1e-15);
  CHECK(dynamics.forces(0, x, no_relays, ContactModes()).normal.isZero(0));
  const ContactModes modes = closed({0});
  const double force = v * v + 10 * std::cos(a);
  CHECK(3 * dynamics.forces(0, x, no_relays, modes).normal[0] == doctest::Approx(force).epsilon(1e-14));
  CHECK(std::abs(dynamics.acceleration(0, x, no_relays, modes, 0)) < 1e-13);
  Vector dx = state({x[2], x[3], 0, -10});
  dynamics.add_forces(0, x, no_relays, modes, {}, dx);
  CHECK(dx[2] == doctest::Approx(-force * std::sin(a)).epsilon(1e-14));
  CHECK(dx[3] == doctest::Approx(-10 + force * std::cos(a)).epsilon(1e-14));
}

TEST_CASE("each body of a pile carries what lies on it") {
  ContactDynamics dynamics = pile(5, 0);
  const Vector x = Vector::Zero(10);
  const Vector forces = dynamics.forces(0, x, no_relays, closed({0, 1, 2, 3, 4})).normal;
  for (Index i = 0; i < 5; ++i) CHECK(forces[i] == doctest::Approx(10.0 * static_cast<double>(5 - i)));
  // Without the floor they fall together.
  CHECK(dynamics.staying_closed(0, x, no_relays, ContactModes(), {0, 1, 2, 3, 4}, 0).closed ==
        std::vector<Index>{0, 1, 2, 3, 4});
  const ContactModes without_floor = closed({1, 2, 3, 4});
  CHECK(dynamics.forces(0, x, no_relays, without_floor).normal.isZero(1e-14));
  CHECK(dynamics.acceleration(0, x, no_relays, without_floor, 0) == doctest::Approx(-10));
}

TEST_CASE("an answer depends on the modes that are asked for, not on those asked for before") {
  const ContactDynamics asked = pile(3, 0.5);
  const Vector x = state({0, 0, 0, 0.1, 0.1, 0.1});
  for (int turn = 0; turn < 2; ++turn) {
    for (const std::vector<Index>& contacts :
         {std::vector<Index>{0, 1, 2}, {1, 2}, {}, {0}, {0, 2}, {2, 0, 1}}) {
      const ContactModes modes = closed(contacts);
      const ContactDynamics fresh = pile(3, 0.5);
      CHECK(asked.forces(0, x, no_relays, modes).normal == fresh.forces(0, x, no_relays, modes).normal);
      CHECK(asked.acceleration(0, x, no_relays, modes, 1) == fresh.acceleration(0, x, no_relays, modes, 1));
      CHECK(asked.staying_closed(0, x, no_relays, modes, modes.closed, 0) ==
            fresh.staying_closed(0, x, no_relays, modes, modes.closed, 0));
    }
  }
}

TEST_CASE("a lifted body leaves the pile and the others stay") {
  const auto contact = [](Index i) {
    return constant_restitution(
        "c", i == 0 ? Guard([](auto, const auto& x) { return x[0]; }) : Guard([i](auto, const auto& x) {
          return x[i] - x[i - 1];
        }),
        [i](VectorRef b) {
          b[3 + i] = 1;
          if (i > 0) b[2 + i] = -1;
        },
        0);
  };
  ContactDynamics dynamics(
      from_functor(Lifted{}, {.states = 6}).with_contacts({contact(0), contact(1), contact(2)}));
  const Vector x = Vector::Zero(6);
  // The upper two weigh 10 − 2 in all: nothing leaves.
  CHECK(dynamics.staying_closed(0, x, no_relays, ContactModes(), {0, 1, 2}, 0).closed ==
        std::vector<Index>{0, 1, 2});
  // The upper one gone, the pulled one leaves.
  CHECK(dynamics.staying_closed(0, x, no_relays, ContactModes(), {0, 1}, 0).closed == std::vector<Index>{0});
}

TEST_CASE("redundant contacts share the load and have one effect") {
  std::vector<Contact> supports;
  for (const double at : {-1.0, 0.0, 1.0}) {
    supports.push_back(constant_restitution(
        "support", Guard([at](auto, const auto& x) { return x[0] + at * x[1]; }),
        [at](VectorRef b) {
          b[2] = 1;
          b[3] = 3 * at;
        },
        0));
  }
  ContactDynamics dynamics(from_functor(Rod{}, {.states = 4}).with_contacts(supports));
  const Vector x = Vector::Zero(4);
  CHECK(dynamics.staying_closed(0, x, no_relays, ContactModes(), {0, 1, 2}, 0).closed.size() == 3);
  ContactModes modes = closed({0, 1, 2});
  const Vector forces = dynamics.forces(0, x, no_relays, modes).normal;
  CHECK(forces.sum() == doctest::Approx(10));
  CHECK(forces[2] - forces[0] == doctest::Approx(0));
  Vector dx = state({0, 0, -10, 0});
  dynamics.add_forces(0, x, no_relays, modes, {}, dx);
  CHECK(dx.lpNorm<Eigen::Infinity>() < 1e-13);
  // It lands flat with speed 2.
  Vector landing = state({0, 0, -2, 0});
  dynamics.impact(0, no_relays, {0, 1, 2}, true, modes, landing);
  CHECK(landing.lpNorm<Eigen::Infinity>() < 1e-14);
}

TEST_CASE("an impact turns the speed of the gap by the restitution and leaves what is along the wall") {
  for (const double e : {0.0, 0.25, 1.0}) {
    ContactModes modes;
    ContactDynamics dynamics = bowl(e);
    const double a = 0.7;
    const Vector normal = state({-std::sin(a), std::cos(a)}), along = state({std::cos(a), std::sin(a)});
    Vector x(4);
    x << -normal, -2 * normal + 3 * along;
    const ContactDynamics::Impact impact = dynamics.impact(0, no_relays, {0}, true, modes, x);
    CHECK(impact.approach[0] == doctest::Approx(4));  // the gap is 1 − r²
    CHECK(impact.departure[0] == doctest::Approx(4 * e));
    CHECK(impact.restitution[0] == e);
    CHECK((x.head(2) + normal).norm() == 0);
    CHECK((x.tail(2) - (2 * e * normal + 3 * along)).norm() < 1e-14);
  }
}

TEST_CASE("the restitution is asked for the speed of the approach") {
  for (const double speed : {0.5, 0.999, 1.0, 4.0}) {
    Contact floor = constant_restitution(
        "floor", Guard([](auto, const auto& x) { return x[0]; }), [](VectorRef b) { b[1] = 1; }, 0);
    // The paper's threshold, and above it a restitution that falls.
    floor.restitution = [](double approach) { return approach < 1 ? 0.0 : 1 / (1 + approach); };
    ContactModes modes;
    ContactDynamics dynamics(from_functor(Falling{1}, {.states = 2}).with_contacts({floor}));
    Vector x = state({0, -speed});
    dynamics.impact(0, no_relays, {0}, true, modes, x);
    CHECK(x[1] == doctest::Approx(speed < 1 ? 0 : speed / (1 + speed)));
    Vector plastic = state({0, -speed});
    dynamics.impact(0, no_relays, {0}, false, modes, plastic);
    CHECK(plastic[1] == 0);
  }
}

TEST_CASE("an impact on a pile at rest passes through it") {
  // The upper body lands with speed 3 on two at rest on the floor, e = 1/2: 0 <= P, gap velocities (0, 0, 3/2).
  ContactModes modes;
  ContactDynamics dynamics = pile(3, 0.5);
  Vector x = Vector::Zero(6);
  x[5] = -3;
  const ContactDynamics::Impact impact = dynamics.impact(0, no_relays, {0, 1, 2}, true, modes, x);
  CHECK(x[3] == 0);
  CHECK(x[4] == 0);
  CHECK(x[5] == doctest::Approx(1.5));
  CHECK(impact.departure[0] == 0);
  CHECK(impact.departure[1] == 0);
  CHECK(impact.departure[2] == doctest::Approx(1.5));
}

TEST_CASE("a body that lands on a falling one shares its momentum by the restitution") {
  ContactModes modes;
  ContactDynamics dynamics = pile(2, 0.5);
  Vector x = state({1, 1, -1, -3});
  dynamics.impact(0, no_relays, {1}, true, modes, x);
  CHECK(x[2] + x[3] == doctest::Approx(-4));
  CHECK(x[3] - x[2] == doctest::Approx(1));
}

TEST_CASE("a restitution outside its range is refused with the speed it was asked for") {
  ContactModes modes;
  ContactDynamics dynamics = bowl(1.5);
  Vector x = state({0, -1, 0, -2});
  CHECK_THROWS_WITH_AS(dynamics.impact(0, no_relays, {0}, true, modes, x), doctest::Contains("'bowl'"),
                       std::runtime_error);
}

TEST_CASE("projection ends on the gap and on its velocity") {
  ContactDynamics dynamics = bowl(0);
  const Vector weights = Vector::Constant(4, 1e6);
  for (const double off : {1e-3, 1e-8, -1e-5}) {
    const double a = -1.1, v = 2;
    Vector x = state(
        {(1 + off) * std::sin(a), -(1 + off) * std::cos(a), v * std::cos(a) + off, v * std::sin(a) - off});
    const Vector before = x;
    REQUIRE(dynamics.project(0, {0}, no_relays, ContactModes(), weights, x));
    CHECK(std::abs(dynamics.gap(0, x, 0)) < 1e-15);
    CHECK(std::abs(dynamics.rate(0, x, no_relays, 0)) < 1e-14);
    // No further than the constraint is away.
    CHECK((x - before).norm() < 8 * std::abs(off));
    // Along the normal only: the angle and the speed along the wall stay to first order.
    CHECK(std::abs(std::atan2(x[0], -x[1]) - a) < 1e-12);
  }
}

TEST_CASE("projection ends on a gap whose terms cancel, but for their noise") {
  // A tilted table, its height measured from far away.
  for (const double far : {100.0, 3e3, 1e4}) {
    ContactDynamics dynamics(from_functor(Bead{}, {.states = 4})
                                 .with_contacts({constant_restitution(
                                     "table", Guard([far](auto, const auto& x) {
                                       return far * ((x[1] - 0.3 * x[0]) / far + 1.0) - far;
                                     }),
                                     [](VectorRef b) {
                                       b[2] = -0.3;
                                       b[3] = 1;
                                     },
                                     0)}));
    for (int k = 0; k < 200; ++k) {
      CAPTURE(far);
      CAPTURE(k);
      const double place = 1e-3 * std::cos(1.7 * k);
      Vector x = state({place, 0.3 * place + 1e-7 * std::sin(k), 0.5, 0.1});
      REQUIRE(dynamics.project(0, {0}, no_relays, ContactModes(), Vector::Constant(4, 1e6), x));
      CHECK(std::abs(x[1] - 0.3 * x[0]) <= 2e-15 * far);
      CHECK(std::abs(dynamics.rate(0, x, no_relays, 0)) < 1e-14);
    }
  }
}

TEST_CASE("a state on no constraint is left where it is when projection cannot succeed") {
  // 2 + atan x has no zero, and Newton's steps grow without bound.
  ContactDynamics dynamics(from_functor(Still{}, {.states = 2})
                               .with_contacts({constant_restitution(
                                   "none", Guard([](auto, const auto& x) {
                                     using std::atan;
                                     return 2.0 + atan(x[0]);
                                   }),
                                   [](VectorRef b) { b[1] = 1; }, 0)}));
  Vector x = state({0.5, 0.25});
  CHECK_FALSE(dynamics.project(0, {0}, no_relays, ContactModes(), Vector::Constant(2, 1e6), x));
  CHECK(x == state({0.5, 0.25}));
}

TEST_CASE("contacts that press on one another are found together") {
  ContactDynamics dynamics = pile(3, 0.5);
  const Vector x = Vector::Zero(6);
  const ContactDynamics::Pressed all = dynamics.pressed_with(1, 0, x, no_relays, ContactModes(), {0, 1, 2});
  REQUIRE(all.contacts == std::vector<Index>{0, 1, 2});
  // Whichever opened alone would close again as its body falls.
  for (const double acceleration : all.accelerations) CHECK(acceleration == doctest::Approx(10));
  // In free fall nothing presses.
  CHECK(dynamics.pressed_with(1, 0, x, no_relays, ContactModes(), {1, 2}).contacts.empty());
  CHECK(dynamics.pressed_with(0, 0, x, no_relays, ContactModes(), {0}).contacts == std::vector<Index>{0});
}

TEST_CASE("bodies beside each other do not press on each other") {
  std::vector<Contact> floors;
  for (Index i = 0; i < 2; ++i) {
    floors.push_back(constant_restitution(
        "floor", Guard([i](auto, const auto& x) { return x[i]; }), [i](VectorRef b) { b[2 + i] = 1; }, 0));
  }
  ContactDynamics dynamics(from_functor(Falling{2}, {.states = 4}).with_contacts(floors));
  CHECK(dynamics.pressed_with(1, 0, Vector::Zero(4), no_relays, ContactModes(), {0, 1}).contacts ==
        std::vector<Index>{1});
}

TEST_CASE("a velocity that the tolerances cannot see is no approach") {
  ContactDynamics dynamics = pile(2, 0.5);
  const Vector weights = Vector::Constant(4, 1e10);
  const Vector x = state({0, 0, -2e-38, 1e-37});
  CHECK(std::abs(dynamics.rate(0, x, no_relays, 0)) < dynamics.rate_rounding(0, x, no_relays, 0, weights, 0));
  CHECK(std::abs(dynamics.rate(0, x, no_relays, 1)) < dynamics.rate_rounding(0, x, no_relays, 1, weights, 0));
  const Vector moving = state({0, 0, -1e-12, 1e-12});
  CHECK(dynamics.rate(0, moving, no_relays, 0) <
        -dynamics.rate_rounding(0, moving, no_relays, 0, weights, 0));
}

TEST_CASE(
    "a force that enters a state it does not name is refused, one that names none is followed wherever it "
    "goes") {
  Contact floor;
  floor.name = "floor";
  floor.gap = Guard([](auto, const auto& x) { return x[0]; });
  floor.acts_on = [](double t, ConstVectorRef, VectorRef b) {
    b[2] = 1;
    if (t > 1) b[3] = 1;
  };
  const auto falling = [&] { return from_functor(Falling{2}, {.states = 4}).with_contacts({floor}); };
  Vector x = state({0, 1, 0, 0});
  ContactDynamics unnamed(falling());
  for (const double t : {0.0, 2.0, 0.0}) {
    Vector dx = state({0, 0, -10, -10});
    unnamed.add_forces(t, x, no_relays, closed({0}), {}, dx);
    CHECK(dx[2] == doctest::Approx(0));
    CHECK(dx[3] == doctest::Approx(t > 1 ? 0 : -10));
  }
  floor.acts_on_states = {2};
  ContactDynamics named(falling());
  CHECK(named.forces(0, x, no_relays, closed({0})).normal[0] == doctest::Approx(10));
  CHECK_THROWS_WITH_AS(named.forces(2, x, no_relays, closed({0})), doctest::Contains("enters state 'x4'"),
                       std::runtime_error);
  floor.acts_on_states = {4};
  CHECK_THROWS_WITH_AS(falling(), doctest::Contains("expected indices from 0 to 3, got 4"),
                       std::invalid_argument);
}
