// Derivatives of the forces of closed contacts along directions, against closed forms, and against differences in long double.
#include <cmath>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "filippov/contact_dynamics.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

// A system with its only contact closed.
struct Closed {
  explicit Closed(const System& system)
      : dynamics(std::make_shared<ContactDynamics>(system)),
        modes(ContactModes(system.contacts()).with({0})),
        terms(std::make_shared<ForceTerms>()),
        evaluator(with_contact_forces(system, {dynamics, &modes, terms})) {}
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
  void slips(double t, const Vector& x, bool sticks = false) {
    Mode word(2);
    word.set(0, Side::sliding);
    word.set(1, sticks ? Side::sliding : Side::plus);
    modes = dynamics->modes_in(word, 0);
    if (!sticks) dynamics->find_directions(t, x, Vector(), modes, 0);
  }
  Matrix by_state(double t, const Vector& x, const Vector& lambda = Vector()) {
    Matrix result(x.size(), x.size());
    evaluator.field_dx(t, x, lambda, result);
    return result;
  }
  Vector by_time(double t, const Vector& x, const Vector& lambda = Vector()) {
    Vector value(x.size()), result(x.size());
    evaluator.field_along(t, x, lambda, 1, Vector::Zero(x.size()), value, result);
    return result;
  }

  std::shared_ptr<ContactDynamics> dynamics;
  ContactModes modes;
  std::shared_ptr<ForceTerms> terms;
  Evaluator evaluator;
};

double distance(const Matrix& got, const Matrix& expected) {
  return (got - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>();
}

// A block on a table that turns at the speed a·t: states x, y, z and their velocities.
constexpr double kTurn = 0.4, kMu = 0.3, kGravity = 9.81;

struct Turntable {
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    for (Index k = 0; k < 3; ++k) dx[k] = x[3 + k];
    dx[3] = 0 * x[0];
    dx[4] = 0 * x[0];
    dx[5] = -kGravity + 0 * x[0];
  }
};

System turntable_by_functor() {
  Contact table;
  table.gap = Guard([](auto, const auto& x) { return x[2]; });
  table.acts_on = [](double, ConstVectorRef, VectorRef b) { b[5] = 1; };
  ConeFriction friction;
  friction.velocities = {Guard([](auto t, const auto& x) { return x[3] + kTurn * t * x[1]; }),
                         Guard([](auto t, const auto& x) { return x[4] - kTurn * t * x[0]; })};
  friction.coefficient = [](double, ConstVectorRef) { return kMu; };
  friction.acts_on = {[](double, ConstVectorRef, VectorRef c) { c[3] = 1; },
                      [](double, ConstVectorRef, VectorRef c) { c[4] = 1; }};
  table.cone = friction;
  return from_functor(Turntable{}, {.states = 6}).with_contacts({table});
}

System turntable_by_file() {
  return parse_model(R"toml(
[states]
x = 0
y = 0
z = 0
vx = 0
vy = 0
vz = 0
[derivatives]
x = "vx"
y = "vy"
z = "vz"
vx = "0"
vy = "0"
vz = "-9.81"
[time]
end = 1
[[contacts]]
name = "table"
gap = "z"
acts_on = { vz = "1" }
restitution = 0
friction = { mu = 0.3, velocity = ["vx + 0.4*t*y", "vy - 0.4*t*x"], acts_on = [{ vx = "1" }, { vy = "1" }] }
)toml",
                     "test.toml")
      .instantiate({})
      .system;
}

// A velocity of slip v = (vx + a t y, vy − a t x): its derivatives by the states and by time.
Matrix slip_by_state(double t) {
  Matrix result = Matrix::Zero(2, 6);
  result(0, 1) = kTurn * t;
  result(0, 3) = 1;
  result(1, 0) = -kTurn * t;
  result(1, 4) = 1;
  return result;
}

// ∂(w/|w|)/∂w
Matrix direction_by(const Eigen::Vector2d& w) {
  const Eigen::Vector2d n = w.normalized();
  return (Matrix::Identity(2, 2) - n * n.transpose()) / w.norm();
}

Matrix moving(const Matrix& accelerations) {
  Matrix result = Matrix::Zero(6, 6);
  for (Index k = 0; k < 3; ++k) result(k, 3 + k) = 1;
  result.middleRows(3, 2) = accelerations;
  return result;
}

}  // namespace

TEST_CASE("the direction of slip has exact derivatives, however slow it is") {
  for (const System& system : {turntable_by_functor(), turntable_by_file()}) {
    for (const double speed : {1.0, 1e-3, 1e-6, 1e-9}) {
      CAPTURE(speed);
      const double t = 1.7, angle = 0.6;
      Vector x{{0.4, -0.3, 0, 0, 0, 0}};
      x[3] = -kTurn * t * x[1] + speed * std::cos(angle);
      x[4] = kTurn * t * x[0] + speed * std::sin(angle);
      const Eigen::Vector2d slip(x[3] + kTurn * t * x[1], x[4] - kTurn * t * x[0]);
      Closed closed(system);
      closed.slips(t, x);
      const Matrix turn = -kMu * kGravity * direction_by(slip);
      CHECK(distance(closed.by_state(t, x), moving(turn * slip_by_state(t))) < 1e-14);
      const Eigen::Vector2d by_time = turn * Eigen::Vector2d(kTurn * x[1], -kTurn * x[0]);
      CHECK((closed.by_time(t, x).segment<2>(3) - by_time).norm() < 1e-14 * by_time.norm());
    }
  }
}

TEST_CASE("a block that sticks has the derivatives of the acceleration that holds it") {
  const double t = 1.7;
  Vector x{{0.4, -0.3, 0, 0, 0, 0}};
  x[3] = -kTurn * t * x[1];
  x[4] = kTurn * t * x[0];
  Matrix accelerations = Matrix::Zero(2, 6);
  accelerations(0, 1) = -kTurn;
  accelerations(0, 4) = -kTurn * t;
  accelerations(1, 0) = kTurn;
  accelerations(1, 3) = kTurn * t;
  for (const System& system : {turntable_by_functor(), turntable_by_file()}) {
    Closed closed(system);
    closed.slips(t, x, true);
    CHECK(distance(closed.by_state(t, x), moving(accelerations)) < 1e-15);
    CHECK((closed.by_time(t, x).segment<2>(3) - Eigen::Vector2d(-kTurn * x[4], kTurn * x[3])).norm() < 1e-15);
    closed.terms->rate = 3.0;
    CHECK(distance(closed.by_state(t, x).middleRows(3, 2), accelerations - 3.0 * slip_by_state(t)) < 1e-15);
    closed.terms->rate = 0;
  }
}

TEST_CASE("slip that begins has the derivatives of the friction that would hold") {
  // At r·√(a² + (at)⁴) = mu·g the block breaks away.
  const double t = 1.7;
  const double r = kMu * kGravity / std::hypot(kTurn, kTurn * kTurn * t * t);
  const Vector x{{r, 0, 0, 0, kTurn * t * r, 0}};
  const Eigen::Vector2d held(-kTurn * x[1] - kTurn * t * x[4], kTurn * x[0] + kTurn * t * x[3]);
  REQUIRE(std::abs(held.norm() - kMu * kGravity) < 1e-14);
  Matrix held_by_state = Matrix::Zero(2, 6);
  held_by_state(0, 1) = -kTurn;
  held_by_state(0, 4) = -kTurn * t;
  held_by_state(1, 0) = kTurn;
  held_by_state(1, 3) = kTurn * t;
  for (const System& system : {turntable_by_functor(), turntable_by_file()}) {
    Closed closed(system);
    closed.slips(t, x, true);
    closed.modes.friction(0).breaks_away = true;
    closed.modes = closed.dynamics->staying_closed(t, x, Vector(), closed.modes, {0}, 0);
    REQUIRE(closed.modes.is_closed(0));
    REQUIRE(closed.modes.friction(0).begins_to_slip());
    CHECK(distance(closed.by_state(t, x), moving(kMu * kGravity * direction_by(held) * held_by_state)) <
          1e-14);
  }
}

TEST_CASE("what friction in a plane does is a value that questions leave alone") {
  // It rests at the radius r, where friction must give r·√(a² + (at)⁴); past the bound it slips from rest.
  const double t = 1.7;
  const double bound = kMu * kGravity / std::hypot(kTurn, kTurn * kTurn * t * t);
  const ContactDynamics dynamics(turntable_by_functor());
  const ContactModes before = ContactModes(turntable_by_functor().contacts()).with({0});
  for (const double part : {0.5, 2.0}) {
    CAPTURE(part);
    const double r = part * bound;
    const Vector x{{r, 0, 0, 0, kTurn * t * r, 0}};
    const ContactModes same = before;
    const ContactModes after = dynamics.staying_closed(t, x, Vector(), before, {0}, 0);
    CHECK(before == same);
    CHECK(after.is_closed(0));
    CHECK(after.sticks(0) == (part < 1));
    // Asked of what sticks and of what slips in turns, each answer is that of a dynamics that was asked for nothing else.
    for (const bool sticks : {true, false, true}) {
      ContactModes modes = after;
      modes.friction(0).sticks = sticks;
      // Slip from rest has a direction that its mode tells.
      if (!sticks) modes.friction(0).direction = {0.6, -0.8};
      const ContactDynamics fresh(turntable_by_functor());
      const ContactDynamics::Forces found = dynamics.forces(t, x, Vector(), modes);
      const ContactDynamics::Forces alone = fresh.forces(t, x, Vector(), modes);
      CHECK(found.normal == alone.normal);
      CHECK(found.friction == alone.friction);
      const double friction = std::hypot(found.friction[0], found.second_friction[0]);
      CHECK(friction == doctest::Approx(kMu * kGravity * (sticks ? part : 1.0)).epsilon(1e-12));
    }
  }
}

namespace {

// A rod of the length 2 and the mass 1 whose end slips on the floor with a friction that depends on the place, in long double.
// States x, y, phi and their speeds.
using Wide = Eigen::Matrix<long double, 6, 1>;

Wide rod(const Wide& x, long double relay, long double alpha) {
  const long double c = std::cos(x[2]), s = std::sin(x[2]), w = x[5];
  const long double coefficient = 0.3L + 0.1L * std::sin(x[0]);
  const long double lever = 3 * s + 3 * coefficient * relay * c;
  const long double rate = x[4] + w * s;
  const long double gap = x[1] - c;
  const long double free = -9.81L + w * w * c + 2 * alpha * rate + alpha * alpha * gap;
  const long double force = -free / (1 + s * lever);
  Wide dx;
  dx << x[3], x[4], x[5], -coefficient * relay * force, -9.81L + force, lever * force;
  return dx;
}

System rod_by_file() {
  return parse_model(R"toml(
[states]
x = 0
y = 1
phi = 0
vx = 0
vy = 0
w = 0
[derivatives]
x = "vx"
y = "vy"
phi = "w"
vx = "0"
vy = "-9.81"
w = "0"
[time]
end = 1
[[contacts]]
name = "tip"
gap = "y - cos(phi)"
acts_on = { vy = "1", w = "3*sin(phi)" }
restitution = 0
friction = { mu = "0.3 + 0.1*sin(x)", velocity = "vx - w*cos(phi)", acts_on = { vx = "1", w = "-3*cos(phi)" } }
)toml",
                     "test.toml")
      .instantiate({})
      .system;
}

struct LeaningRod {
  void guards(auto, const auto& x, auto&& h) const {
    using std::cos;
    h[0] = x[3] - x[5] * cos(x[2]);
  }
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    for (Index k = 0; k < 3; ++k) dx[k] = x[3 + k];
    dx[3] = 0 * x[0];
    dx[4] = -9.81 + 0 * x[0];
    dx[5] = 0 * x[0];
  }
};

System rod_by_functor() {
  Contact tip;
  tip.gap = Guard([](auto, const auto& x) {
    using std::cos;
    return x[1] - cos(x[2]);
  });
  tip.acts_on = [](double, ConstVectorRef x, VectorRef b) {
    b[4] = 1;
    b[5] = 3 * std::sin(x[2]);
  };
  ContactFriction friction;
  friction.coefficient = [](double, ConstVectorRef x) { return 0.3 + 0.1 * std::sin(x[0]); };
  friction.acts_on = [](double, ConstVectorRef x, VectorRef c) {
    c[3] = 1;
    c[5] = -3 * std::cos(x[2]);
  };
  tip.friction = friction;
  return from_functor(LeaningRod{}, {.states = 6, .surfaces = 1}).with_contacts({tip});
}

}  // namespace

TEST_CASE(
    "the forces of a rod that slips have the derivatives of its equations, by states and by the relay") {
  const Vector x{{0.2, 0.9, 0.5, 0.7, -0.3, 1.1}};
  for (const double relay : {1.0, -1.0, 0.3}) {
    for (const double alpha : {0.0, 2.0}) {
      CAPTURE(relay);
      CAPTURE(alpha);
      Matrix expected(6, 7);
      for (Index j = 0; j < 7; ++j) {
        const auto at = [&](long double s) {
          Wide moved = x.cast<long double>();
          if (j < 6) moved[j] += s;
          return rod(moved, static_cast<long double>(relay) + (j == 6 ? s : 0), alpha);
        };
        const long double h = 1e-3L;
        const Wide first = (at(h) - at(-h)) / (2 * h), second = (at(2 * h) - at(-2 * h)) / (4 * h),
                   third = (at(3 * h) - at(-3 * h)) / (6 * h);
        expected.col(j) = ((15 * first - 6 * second + third) / 10).cast<double>();
      }
      for (const bool is_file : {true, false}) {
        CAPTURE(is_file);
        Closed closed(is_file ? rod_by_file() : rod_by_functor());
        closed.terms->rate = alpha;
        const Vector lambda = Vector::Constant(1, relay);
        Matrix got(6, 7);
        got.leftCols(6) = closed.by_state(0, x, lambda);
        Matrix by_relay(6, 1);
        closed.evaluator.field_dlambda(0, x, lambda, by_relay);
        got.col(6) = by_relay;
        CHECK(distance(got, expected) < 1e-9);
        if (is_file) CHECK(distance(got, expected) < 1e-10);
        closed.terms->rate = 0;
      }
    }
  }
}
