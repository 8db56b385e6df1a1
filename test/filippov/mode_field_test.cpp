#include "filippov/mode_field.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "filippov/mode_jacobian.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A curved, moving surface with fields that are nonlinear on both sides.
struct Curved {
  void guards(auto t, const auto& x, auto&& h) const { h[0] = x[0] * x[0] + x[1] * x[1] - 2.0 - 0.1 * t; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -lambda[0] * x[0] + sin(x[2]);
    dx[1] = -lambda[0] * x[1] * x[2] + 0.2 * t;
    dx[2] = x[0] * x[1] + lambda[0] * x[0];
  }
};

// Two coupled relays on curved surfaces.
struct TwoRelays {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] + 0.1 * x[1] * x[1];
    h[1] = x[1] - 0.2 * x[2];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = -2.0 * lambda[0] + 0.3 * x[2] + 0.2 * lambda[0] * lambda[1];
    dx[1] = -lambda[1] + 0.5 * lambda[0] + 0.1 * x[0] * x[2];
    dx[2] = cos(t) + lambda[0] * x[1];
  }
};

Matrix by_differences(ModeField& field, double t, const Vector& x) {
  Matrix jacobian(x.size(), x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const double step = 1e-6;
    Vector high = x, low = x, f_high(x.size()), f_low(x.size());
    high[j] += step;
    low[j] -= step;
    field.velocity(t, high, f_high);
    field.velocity(t, low, f_low);
    jacobian.col(j) = (f_high - f_low) / (2 * step);
  }
  return jacobian;
}

struct SpringContact {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 1.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sqrt;
    dx[0] = -1.0;
    if (lambda[0] > 0) dx[0] += sqrt(x[0] - 1.0);
  }
};

// The root of a guard whose zero is hit by rounding only: h = x0 + x1/4 falls as −0.2 − √h and rises as 0.3, x1' = 1 + x0.
struct Leaking {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] + 0.25 * x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sqrt;
    const auto below = 0.5 * (1.0 - lambda[0]), above = 0.5 * (1.0 + lambda[0]);
    dx[1] = 1.0 + x[0];
    dx[0] = 0.3 * below - 0.25 * dx[1];
    if (lambda[0] > -1) dx[0] += above * (-0.2 - sqrt(x[0] + 0.25 * x[1]));
  }
};

// With the patterns that tracing cannot find where the functor asks for a relay.
System with_full_patterns(const System& system) {
  SystemDefinition definition = system.definition();
  const Index n = system.states(), m = system.surfaces();
  definition.field_dx_pattern = full_pattern(n, n);
  definition.field_dlambda_pattern = full_pattern(n, m);
  definition.guards_dx_pattern = full_pattern(m, n);
  return System(definition);
}

struct Hole {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 1.0; }
  void field(auto, const auto& x, const auto&, auto&& dx) const { dx[0] = x[0] / 0.0; }
};

}  // namespace

TEST_CASE("a sliding field is tangent to its moving surface and has the Jacobian of its differences") {
  Evaluator evaluator(from_functor(Curved{}, {.states = 3, .surfaces = 1}));
  const RelayStructure structure(evaluator.system());
  ModeField field(evaluator, structure);
  field.begin(Mode("0"), Vector::Zero(1));
  const Vector x = Eigen::Vector3d(0.9, 1.1, 1.3);
  Vector dx(3), rates(1);
  field.velocity(0.4, x, dx);
  evaluator.guard_rates(0.4, x, dx, rates);
  CHECK(std::abs(rates[0]) < 1e-14);
  Matrix jacobian(3, 3);
  field.jacobian(0.4, x, jacobian);
  CHECK((jacobian - by_differences(field, 0.4, x)).lpNorm<Eigen::Infinity>() < 1e-8);
}

TEST_CASE("sliding on two surfaces is tangent to both and has the Jacobian of its differences") {
  Evaluator evaluator(from_functor(TwoRelays{}, {.states = 3, .surfaces = 2}));
  const RelayStructure structure(evaluator.system());
  REQUIRE(structure.known());
  ModeField field(evaluator, structure);
  field.begin(Mode("00"), Vector::Zero(2));
  const Vector x = Eigen::Vector3d(-0.01, 0.2, 0.9);
  Vector dx(3), rates(2);
  field.velocity(0.3, x, dx);
  evaluator.guard_rates(0.3, x, dx, rates);
  CHECK(rates.lpNorm<Eigen::Infinity>() < 1e-12);
  Matrix jacobian(3, 3);
  field.jacobian(0.3, x, jacobian);
  CHECK((jacobian - by_differences(field, 0.3, x)).lpNorm<Eigen::Infinity>() < 1e-7);
}

TEST_CASE("where relays are additive a sliding velocity takes one evaluation of the field and is the same") {
  const auto compare = [](const System& system, const char* word, const Vector& x) {
    REQUIRE(system.definition().relays_additive);
    SystemDefinition definition = system.definition();
    definition.relays_additive = false;
    Vector velocity[2];
    std::int64_t evaluations[2];
    for (const bool additive : {false, true}) {
      Evaluator evaluator(additive ? system : System(definition));
      const RelayStructure structure(system);
      ModeField field(evaluator, structure);
      field.begin(Mode(word), Vector::Zero(system.surfaces()));
      Vector& dx = velocity[additive];
      dx.resize(x.size());
      field.velocity(0.3, x, dx);
      const std::int64_t before = evaluator.counts().field;
      field.velocity(0.4, x, dx);
      evaluations[additive] = evaluator.counts().field - before;
    }
    CHECK((velocity[0] - velocity[1]).lpNorm<Eigen::Infinity>() <= 1e-14);
    CHECK(evaluations[0] == 2);
    CHECK(evaluations[1] == 1);
  };
  const auto guards = [](auto, const auto& x, auto&& h) {
    h[0] = x[1] - 0.1;
    h[1] = x[2];
  };
  const auto field = [](auto t, const auto& x, const auto& lambda, auto&& dx) {
    using std::cos;
    dx[0] = x[1] * x[1];
    dx[1] = -x[0] * x[2] - 0.4 * lambda[0] + 0.1 * lambda[1] + cos(t);
    dx[2] = 0.2 * x[0] - 2.0 * lambda[1];
  };
  const System system = from_functor(field, guards, {.states = 3, .surfaces = 2});
  compare(system, "0+", Eigen::Vector3d(0.9, 0.1, 0.5));
  compare(system, "00", Eigen::Vector3d(0.9, 0.1, 0));
}

TEST_CASE("a field that is not finite beyond its surface is continued from the surface") {
  Evaluator evaluator(from_functor(SpringContact{}, {.states = 1, .surfaces = 1}));
  const RelayStructure structure(evaluator.system());
  ModeField field(evaluator, structure);
  field.begin(Mode("+"), Vector::Ones(1));
  Vector dx(1);
  field.velocity(0, Vector::Constant(1, 0.9), dx);
  CHECK(dx[0] == -1);
}

TEST_CASE("a field that is not finite beyond its surface has the Jacobian of a point just inside") {
  const System system = with_full_patterns(from_functor(SpringContact{}, {.states = 1, .surfaces = 1}));
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  ModeField field(evaluator, structure);
  field.begin(Mode("+"), Vector::Ones(1));
  ModeJacobian sparse(field, evaluator, structure, {});
  for (const double x : {0.9, 1.0}) {
    CAPTURE(x);
    // d√h/dh at h = √ε.
    const double expected = 0.5 / std::pow(2.0, -13);
    Matrix jacobian(1, 1);
    field.jacobian(0, Vector::Constant(1, x), jacobian);
    CHECK(jacobian(0, 0) == doctest::Approx(expected));
    SplitJacobian parts;
    sparse.compute(0, Vector::Constant(1, x), parts);
    CHECK(parts.values[0] == doctest::Approx(expected));
    Vector product(1);
    field.jacobian_times(0, Vector::Constant(1, x), Vector::Constant(1, 2), product);
    CHECK(product[0] == doctest::Approx(2 * expected));
  }
}

TEST_CASE("sliding along the root of its own guard is followed though rounding leaves the root undefined") {
  const System system = with_full_patterns(from_functor(Leaking{}, {.states = 2, .surfaces = 1}));
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  ModeField field(evaluator, structure);
  field.begin(Mode("0"), Vector::Zero(1));
  ModeJacobian sparse(field, evaluator, structure, {});
  for (const double beyond : {0.0, 1e-17, 1e-9}) {
    CAPTURE(beyond);
    const Vector x = Eigen::Vector2d(-0.025 - beyond, 0.1);
    const NeighbourFields& fields = field.neighbours(0, x, 0);
    CHECK(fields.w_minus == doctest::Approx(0.3));
    CHECK(fields.w_plus == doctest::Approx(-0.2));
    Vector dx(2);
    field.velocity(0, x, dx);
    CHECK(dx[0] == doctest::Approx(-0.25 * (1 + x[0])));
    CHECK(dx[1] == doctest::Approx(1 + x[0]));
    Matrix jacobian(2, 2), expected(2, 2);
    expected << -0.25, 0, 1, 0;
    field.jacobian(0, x, jacobian);
    CHECK((jacobian - expected).lpNorm<Eigen::Infinity>() < 1e-5);
    SplitJacobian parts;
    Vector product(2);
    sparse.compute(0, x, parts);
    for (Index j = 0; j < 2; ++j) {
      for (Index i = 0; i < 2; ++i) CHECK(std::abs(parts.values[2 * i + j] - expected(i, j)) < 1e-5);
      field.jacobian_times(0, x, Vector::Unit(2, j), product);
      CHECK((product - expected.col(j)).lpNorm<Eigen::Infinity>() < 1e-5);
    }
  }
}

// x_i' = sgn(x_{i+1} - x_i) - sgn(x_i - x_{i-1}), and at the first nodes a drag.
struct DraggedPath {
  Index nodes = 0, dragged = 0;
  template <class X, class H>
  void guards(auto, const X& x, H&& h) const {
    for (Index i = 0; i + 1 < nodes; ++i) h[i] = x[i + 1] - x[i];
  }
  template <class X, class L, class D>
  void field(auto, const X& x, const L& lambda, D&& dx) const {
    for (Index i = 0; i < nodes; ++i) {
      dx[i] = i < dragged ? -(0.1 + 0.01 * static_cast<double>(i)) * x[i] * x[i] : 0.0 * x[i];
      if (i + 1 < nodes) dx[i] += lambda[i];
      if (i > 0) dx[i] -= lambda[i - 1];
    }
  }
};

TEST_CASE(
    "of relays that all see each other, those whose surfaces see the state make the rank of the Jacobian") {
  const Index nodes = 14;
  for (const Index dragged : {0, 1, 4, 14}) {
    CAPTURE(dragged);
    const System system = from_functor(DraggedPath{nodes, dragged}, {.states = nodes, .surfaces = nodes - 1});
    Evaluator evaluator(system);
    const RelayStructure structure(system);
    ModeField field(evaluator, structure);
    field.begin(Mode(std::string(at(nodes - 1), '0')), Vector::Zero(nodes - 1));
    ModeJacobian sparse(field, evaluator, structure, {});
    const Vector x = Vector::Constant(nodes, 0.7);
    Matrix expected(nodes, nodes), jacobian(nodes, nodes);
    field.jacobian(0, x, expected);
    SplitJacobian parts;
    sparse.compute(0, x, parts);
    // A few are of low rank, many a border.
    CHECK(parts.right.cols() == (dragged <= 8 ? dragged : 0));
    CHECK(parts.corner.cols() == (dragged <= 8 ? 0 : nodes - 1));
    fill(parts, sparse.pattern(), jacobian);
    CHECK((jacobian - expected).lpNorm<Eigen::Infinity>() < 1e-12);
  }
}

TEST_CASE("a field that is not finite anywhere near is refused by the name of the state") {
  Evaluator evaluator(from_functor(Hole{}, {.states = 1, .surfaces = 1, .state_names = {"level"}}));
  const RelayStructure structure(evaluator.system());
  ModeField field(evaluator, structure);
  field.begin(Mode("-"), Vector::Constant(1, -1));
  Vector dx(1);
  CHECK_THROWS_WITH_AS(field.velocity(0, Vector::Constant(1, 0.5), dx),
                       doctest::Contains("the derivative of 'level' is infinite"), std::runtime_error);
}

TEST_CASE("a field that is not finite is refused by the name of the state while several surfaces slide") {
  const auto guards = [](auto, const auto& x, auto&& h) {
    h[0] = x[0];
    h[1] = x[1];
  };
  const auto field = [](auto, const auto& x, const auto& lambda, auto&& dx) {
    using std::sqrt;
    dx[0] = 0.5 - 2.0 * lambda[0];
    dx[1] = x[2] - 3.0 * lambda[1];
    dx[2] = sqrt(x[2]);
  };
  Evaluator evaluator(
      from_functor(field, guards, {.states = 3, .surfaces = 2, .state_names = {"x", "y", "level"}}));
  const RelayStructure structure(evaluator.system());
  ModeField mode_field(evaluator, structure);
  mode_field.begin(Mode("00"), Vector::Zero(2));
  Vector dx(3);
  mode_field.velocity(0, Eigen::Vector3d(0, 0, 1), dx);
  CHECK(dx == Eigen::Vector3d(0, 0, 1));
  CHECK_THROWS_WITH_AS(mode_field.velocity(0, Eigen::Vector3d(0, 0, -1), dx),
                       doctest::Contains("the derivative of 'level' is not a number"), std::runtime_error);
}

TEST_CASE("projection onto two surfaces leaves nothing above rounding") {
  Evaluator evaluator(from_functor(TwoRelays{}, {.states = 3, .surfaces = 2}));
  const RelayStructure structure(evaluator.system());
  SurfaceGeometry geometry(evaluator, structure);
  Vector x = Eigen::Vector3d(0.01, 0.2, 0.9);
  const Vector weights = Eigen::Vector3d(1e6, 1e4, 1e6);
  REQUIRE(geometry.project(0, {0, 1}, weights, x));
  CHECK(geometry.residual() <= 64);
  Vector h(2);
  evaluator.guards(0, x, h);
  CHECK(h.lpNorm<Eigen::Infinity>() < 1e-15);
}
