#include "slideway/model/from_functor.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "slideway/detail/model/evaluator.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

namespace {

struct WithoutSurfaces {
  void field(auto, const auto& x, const auto&, auto&& dx) const { dx[0] = -x[0] * x[0]; }
};

// Derivatives by hand that are recognisably not the true ones.
struct OwnDerivatives : example::Circle {
  void field_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const { jacobian(0, 1) = 10; }
  void field_dlambda(double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const {
    jacobian(1, 0) = 20;
  }
  void guards_dx(double, ConstVectorRef, MatrixRef jacobian) const { jacobian(0, 1) = 30; }
  void guards_dt(double, ConstVectorRef, VectorRef derivative) const { derivative[0] = 40; }
  void normal_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const { jacobian(0, 0) = 50; }
};

struct MutableField {
  int calls = 0;
  void field(auto, const auto&, const auto&, auto&&) { ++calls; }
};
struct MisshapenGuards : WithoutSurfaces {
  void guards(const auto&, auto&&) const {}
};
struct MisshapenJacobian : WithoutSurfaces {
  void field_dx(double, ConstVectorRef, MatrixRef) const {}
};

// x' = −x² + (the derivative of −x² from a system inside), which is asked while the dual numbers here are in use.
struct Nested {
  std::shared_ptr<const System> inner;
  void field(auto t, const auto& x, const auto&, auto&& dx) const {
    dx[0] = -x[0] * x[0];
    if (!inner) return;
    const Vector at = Vector::Constant(1, value_of(x[0])), direction = Vector::Ones(1);
    Vector value(1), slope(1);
    inner->definition().field_along(value_of(t), at, Vector(), 0.0, direction, Vector(), value, slope);
    dx[0] += slope[0];
  }
};

}  // namespace

TEST_CASE("a generic functor becomes a system with exact derivatives") {
  const System system = from_functor(example::DryFriction{}, {.states = 2, .surfaces = 1});
  const double t = 1.3;
  const Vector x = Eigen::Vector2d{2, -0.5}, lambda = Vector::Constant(1, 0.25);
  Vector dx(2), h(1);
  system.field(t, x, lambda, dx);
  system.guards(t, x, h);
  CHECK(dx[0] == -0.5);
  CHECK(dx[1] == -2 - 0.4 * 0.25 + std::cos(0.5 * t));
  CHECK(h[0] == -0.5);

  Vector dx_dot(2);
  const Vector x_dot = Eigen::Vector2d{3, 7}, lambda_dot = Vector::Constant(1, 11);
  system.definition().field_along(t, x, lambda, 2.0, x_dot, lambda_dot, dx, dx_dot);
  CHECK(dx[1] == -2 - 0.4 * 0.25 + std::cos(0.5 * t));
  CHECK(dx_dot[0] == 7);
  CHECK(dx_dot[1] == doctest::Approx(-3 - 0.4 * 11 - 2.0 * 0.5 * std::sin(0.5 * t)).epsilon(1e-15));
}

TEST_CASE("the mixed second derivative of a guard has its three parts") {
  // h = x² + y² − 1 along (1, 2) and (3, 5) with mixed displacement (7, 11): 2(1·3 + 2·5) + 2(7x + 11y).
  const System system = from_functor(example::Circle{}, {.states = 2, .surfaces = 1});
  const Vector x = Eigen::Vector2d{0.5, -0.25};
  Vector mixed(1);
  system.definition().guards_mixed(0, x, 1.0, Eigen::Vector2d{1, 2}, 1.0, Eigen::Vector2d{3, 5},
                                   Eigen::Vector2d{7, 11}, mixed);
  CHECK(mixed[0] == 26 + 2 * (7 * 0.5 - 11 * 0.25));
}

TEST_CASE("a field and guards may be given as two generic lambdas") {
  const System system = from_functor(
      [](auto t, const auto& x, const auto& lambda, auto&& dx) {
        dx = -x;
        dx[0] += lambda[0] * t;
      },
      [](auto, const auto& x, auto&& h) { h[0] = x.norm() - 1; }, {.states = 2, .surfaces = 1});
  Evaluator evaluator(system);
  Matrix jacobian(1, 2);
  evaluator.guards_dx(0, Eigen::Vector2d{3, 4}, jacobian);
  CHECK(evaluator.guards_dx_source() == DerivativeSource::dual);
  CHECK(jacobian(0, 0) == doctest::Approx(0.6));
  CHECK(jacobian(0, 1) == doctest::Approx(0.8));
}

TEST_CASE("a functor without guards has no surfaces") {
  const System system = from_functor(WithoutSurfaces{}, {.states = 1});
  CHECK(system.surfaces() == 0);
  Evaluator evaluator(system);
  Matrix jacobian(1, 1);
  evaluator.field_dx(0, Vector::Constant(1, 3), Vector(), jacobian);
  CHECK(jacobian(0, 0) == -6);
}

TEST_CASE("sizes that do not fit the functor are refused") {
  CHECK_THROWS_AS(from_functor(WithoutSurfaces{}, {.states = 1, .surfaces = 1}), std::invalid_argument);
  CHECK_THROWS_AS(from_functor(WithoutSurfaces{}, {.states = 0}), std::invalid_argument);
  CHECK_THROWS_AS(from_functor(example::DryFriction{}, {.states = 2, .surfaces = -1}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(from_functor(example::DryFriction{}, {.states = 2, .name = "block"}),
                       "from_functor, system 'block': guards are given, but the number of surfaces is not "
                       "(expected surfaces >= 1, as many as guards sets, got 0); add .surfaces, or leave the "
                       "guards out",
                       std::invalid_argument);
}

TEST_CASE("derivatives by hand are preferred to dual numbers") {
  Evaluator evaluator(from_functor(OwnDerivatives{}, {.states = 2, .surfaces = 1}));
  const Vector x = Eigen::Vector2d{1, 2}, lambda = Vector::Constant(1, 0.5);
  Matrix square = Matrix::Constant(2, 2, 99), column = Matrix::Constant(2, 1, 99),
         row = Matrix::Constant(1, 2, 99);
  Vector one = Vector::Constant(1, 99), gradient(2);
  evaluator.field_dx(0, x, lambda, square);
  CHECK(square == Matrix{{0, 10}, {0, 0}});
  evaluator.field_dlambda(0, x, lambda, column);
  CHECK(column == Matrix{{0}, {20}});
  evaluator.guards_dx(0, x, row);
  CHECK(row == Matrix{{0, 30}});
  evaluator.guard_gradient(0, x, 0, gradient);
  CHECK(gradient == Vector{{0, 30}});
  evaluator.guards_dt(0, x, one);
  CHECK(one[0] == 40);
  evaluator.normal_dx(0, x, lambda, row);
  CHECK(row == Matrix{{50, 0}});
  CHECK(evaluator.field_dx_source() == DerivativeSource::analytic);
  CHECK(evaluator.field_dlambda_source() == DerivativeSource::analytic);
  CHECK(evaluator.guards_dx_source() == DerivativeSource::analytic);
  CHECK(evaluator.guards_dt_source() == DerivativeSource::analytic);
  CHECK(evaluator.normal_dx_source() == DerivativeSource::analytic);
}

TEST_CASE("a functor of plain double falls back on finite differences") {
  const System system = from_functor(example::CircleInDouble{}, {.states = 2, .surfaces = 1});
  CHECK_FALSE(system.definition().field_along);
  CHECK_FALSE(system.definition().guards_along);
  CHECK_FALSE(system.definition().guards_mixed);
  const Evaluator evaluator(system);
  CHECK(evaluator.field_dx_source() == DerivativeSource::finite_difference);
  CHECK(evaluator.normal_dx_source() == DerivativeSource::finite_difference);
}

TEST_CASE("misshapen members are told apart from missing ones at compile time") {
  CHECK(HasField<WithoutSurfaces, double>);
  CHECK_FALSE(HasField<MutableField, double>);
  CHECK(HasMutableField<MutableField>);
  CHECK_FALSE(NamesGuards<WithoutSurfaces>);
  CHECK(NamesGuards<MisshapenGuards>);
  CHECK_FALSE(HasGuards<MisshapenGuards, double>);
  CHECK(NamesFieldDx<MisshapenJacobian>);
  CHECK_FALSE(HasFieldDx<MisshapenJacobian>);
  CHECK(NamesNormalDx<OwnDerivatives>);
  CHECK(HasNormalDx<OwnDerivatives>);
  CHECK(NamesFieldDlambda<OwnDerivatives>);
  CHECK(NamesGuardsDx<OwnDerivatives>);
  CHECK(NamesGuardsDt<OwnDerivatives>);
}

TEST_CASE("a functor may evaluate another system of its own type") {
  const auto inner = std::make_shared<const System>(from_functor(Nested{}, {.states = 1}));
  Evaluator evaluator(from_functor(Nested{inner}, {.states = 1}));
  Vector dx(1);
  Matrix jacobian(1, 1);
  evaluator.field(0, Vector::Constant(1, 3), Vector(), dx);
  CHECK(dx[0] == -9 - 6);
  evaluator.field_dx(0, Vector::Constant(1, 3), Vector(), jacobian);
  CHECK(jacobian(0, 0) == -6);
}

TEST_CASE("one system gives the same numbers in several threads at once") {
  const System system = from_functor(example::Tangled{}, {.states = 3, .surfaces = 2});
  const auto sum_of_jacobians = [&](double shift) {
    Evaluator evaluator(system);
    Matrix jacobian(3, 3), normal(2, 3);
    double sum = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vector x = Eigen::Vector3d{0.3 + shift, 0.7 + 1e-3 * i, -0.2};
      evaluator.field_dx(0.1 * shift, x, Eigen::Vector2d{0.5, -0.25}, jacobian);
      evaluator.normal_dx(0.1 * shift, x, Eigen::Vector2d{0.5, -0.25}, normal);
      sum += jacobian.sum() + normal.sum();
    }
    return sum;
  };
  constexpr int count = 4;
  std::vector<double> expected(count), found(count);
  for (int i = 0; i < count; ++i) expected[static_cast<std::size_t>(i)] = sum_of_jacobians(i);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] { found[static_cast<std::size_t>(i)] = sum_of_jacobians(i); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found == expected);
}
