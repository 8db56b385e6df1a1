#include "slideway/detail/model/evaluator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "slideway/model/from_functor.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

namespace {

System circle() { return from_functor(example::Circle{}, {.states = 2, .surfaces = 1}); }
System circle_in_double() { return from_functor(example::CircleInDouble{}, {.states = 2, .surfaces = 1}); }
System circle_with_jacobians() {
  return from_functor(example::CircleWithJacobians{}, {.states = 2, .surfaces = 1});
}

double largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

// Everything an Evaluator tells about a point.
struct Everything {
  Vector f, f_dot, h, h_dt, gradient, h_dot, w, curvatures;
  Matrix f_x, f_lambda, h_x, w_x;

  Everything(Evaluator& evaluator, double t, const Vector& x, const Vector& lambda, const Vector& x_dot) {
    const Index n = x.size(), m = lambda.size();
    f.resize(n), f_dot.resize(n), gradient.resize(n);
    h.resize(m), h_dt.resize(m), h_dot.resize(m), w.resize(m), curvatures.resize(m);
    f_x.resize(n, n), f_lambda.resize(n, m), h_x.resize(m, n), w_x.resize(m, n);
    evaluator.field_along(t, x, lambda, 0.7, x_dot, f, f_dot);
    evaluator.field(t, x, lambda, f);
    evaluator.guards(t, x, h);
    evaluator.guards_dt(t, x, h_dt);
    evaluator.guard_gradient(t, x, m - 1, gradient);
    evaluator.guard_directional(t, x, 0.7, x_dot, h_dot);
    evaluator.guard_rates(t, x, f, w);
    evaluator.guard_curvatures(t, x, lambda, f, curvatures);
    evaluator.field_dx(t, x, lambda, f_x);
    evaluator.field_dlambda(t, x, lambda, f_lambda);
    evaluator.guards_dx(t, x, h_x);
    evaluator.normal_dx(t, x, lambda, w_x);
  }
};

}  // namespace

TEST_CASE("derivatives on the circle are those found by hand") {
  const double x = 0.6, y = -0.7, lambda = 0.3;
  const Vector state = Eigen::Vector2d{x, y}, lambda_vector = Vector::Constant(1, lambda);
  const double rate = 2 * lambda * x * x;
  const double curvature = 4 * lambda * x * (-y + lambda * x);

  const auto check = [&](const System& system, double tolerance) {
    CAPTURE(tolerance);
    Evaluator evaluator(system);
    const Everything found(evaluator, 0.4, state, lambda_vector, Eigen::Vector2d{3, 5});
    CHECK(found.f == Eigen::Vector2d{-y + lambda * x, x});
    CHECK(found.h[0] == x * x + y * y - 1);
    CHECK(largest_difference(found.f_x, Matrix{{lambda, -1}, {1, 0}}) < tolerance);
    CHECK(largest_difference(found.f_lambda, Matrix{{x}, {0}}) < tolerance);
    CHECK(largest_difference(found.f_dot, Vector{{-5 + lambda * 3, 3}}) < tolerance);
    CHECK(largest_difference(found.h_x, Matrix{{2 * x, 2 * y}}) < tolerance);
    CHECK(largest_difference(found.gradient, Vector{{2 * x, 2 * y}}) < tolerance);
    CHECK(std::abs(found.h_dt[0]) < tolerance);
    CHECK(std::abs(found.h_dot[0] - (6 * x + 10 * y)) < 10 * tolerance);
    CHECK(std::abs(found.w[0] - rate) < tolerance);
    CHECK(std::abs(found.curvatures[0] - curvature) < 1000 * tolerance);
    CHECK(largest_difference(found.w_x, Matrix{{4 * lambda * x, 0}}) < 1000 * tolerance);
  };
  check(circle(), 1e-15);
  check(circle_with_jacobians(), 1e-10);
  check(circle_in_double(), 1e-10);
}

TEST_CASE("a surface that moves contributes its own rate and acceleration") {
  // h = x − sin t, f = λ: w = λ − cos t, ḧ = sin t.
  struct Source {
    static System make() {
      return from_functor([](auto, const auto&, const auto& lambda, auto&& dx) { dx[0] = lambda[0]; },
                          [](auto t, const auto& x, auto&& h) { h[0] = x[0] - sin(t); },
                          {.states = 1, .surfaces = 1});
    }
    static System make_in_double() {
      return from_functor(
          [](double, ConstVectorRef, ConstVectorRef lambda, VectorRef dx) { dx[0] = lambda[0]; },
          [](double t, ConstVectorRef x, VectorRef h) { h[0] = x[0] - std::sin(t); },
          {.states = 1, .surfaces = 1});
    }
  };
  const double t = 2.1;
  const Vector x = Vector::Constant(1, 0.2), lambda = Vector::Constant(1, 0.5);
  for (const System& system : {Source::make(), Source::make_in_double()}) {
    Evaluator evaluator(system);
    const Everything found(evaluator, t, x, lambda, Vector::Ones(1));
    CHECK(found.h_dt[0] == doctest::Approx(-std::cos(t)).epsilon(1e-9));
    CHECK(found.w[0] == doctest::Approx(0.5 - std::cos(t)).epsilon(1e-9));
    CHECK(found.curvatures[0] == doctest::Approx(std::sin(t)).epsilon(1e-6));
    CHECK(found.w_x(0, 0) == doctest::Approx(0).scale(1).epsilon(1e-7));
  }
}

TEST_CASE("dual numbers and finite differences agree on a system where everything depends on everything") {
  Evaluator exact(from_functor(example::Tangled{}, {.states = 3, .surfaces = 2}));
  Evaluator differences(from_functor(example::TangledInDouble{}, {.states = 3, .surfaces = 2}));
  CHECK(exact.normal_dx_source() == DerivativeSource::dual);
  CHECK(exact.guard_curvatures_source() == DerivativeSource::dual);
  CHECK(differences.guard_rates_source() == DerivativeSource::finite_difference);
  const Vector x = Eigen::Vector3d{0.3, -1.2, 0.8}, x_dot = Eigen::Vector3d{-1, 2, 0.5};
  for (const double t : {0.0, 1.7}) {
    for (const Vector& lambda : {Vector(Eigen::Vector2d{0.3, -0.8}), Vector(Eigen::Vector2d{1, -1})}) {
      CAPTURE(t);
      const Everything a(exact, t, x, lambda, x_dot), b(differences, t, x, lambda, x_dot);
      CHECK(largest_difference(a.h_x, b.h_x) < 1e-9);
      CHECK(largest_difference(a.gradient, b.gradient) < 1e-9);
      CHECK(largest_difference(a.f_lambda, b.f_lambda) < 1e-9);
      CHECK(largest_difference(a.f_x, b.f_x) < 1e-9);
      CHECK(largest_difference(a.f_dot, b.f_dot) < 1e-8);
      CHECK(largest_difference(a.h_dt, b.h_dt) < 1e-9);
      CHECK(largest_difference(a.h_dot, b.h_dot) < 1e-8);
      CHECK(largest_difference(a.w, b.w) < 1e-9);
      CHECK(largest_difference(a.curvatures, b.curvatures) < 1e-5);
      CHECK(largest_difference(a.w_x, b.w_x) < 1e-6);
    }
  }
}

TEST_CASE("a generic field with guards of plain double, and the other way round, use what is exact") {
  const auto field = [](auto, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = -x[1] + lambda[0] * x[0];
    dx[1] = x[0];
  };
  const auto guards_in_double = [](double, ConstVectorRef x, VectorRef h) { h[0] = x.squaredNorm() - 1; };
  Evaluator generic_field(from_functor(field, guards_in_double, {.states = 2, .surfaces = 1}));
  CHECK(generic_field.field_dx_source() == DerivativeSource::dual);
  CHECK(generic_field.guards_dx_source() == DerivativeSource::finite_difference);

  const auto guards = [](auto, const auto& x, auto&& h) { h[0] = x.squaredNorm() - 1; };
  const auto field_in_double = [](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    dx[0] = -x[1] + lambda[0] * x[0];
    dx[1] = x[0];
  };
  Evaluator generic_guards(from_functor(field_in_double, guards, {.states = 2, .surfaces = 1}));
  CHECK(generic_guards.field_dx_source() == DerivativeSource::finite_difference);
  CHECK(generic_guards.guard_rates_source() == DerivativeSource::dual);

  Evaluator exact(circle());
  const Vector x = Eigen::Vector2d{0.6, -0.7}, lambda = Vector::Constant(1, 0.3), x_dot = x;
  const Everything expected(exact, 0, x, lambda, x_dot);
  for (Evaluator* evaluator : {&generic_field, &generic_guards}) {
    const Everything found(*evaluator, 0, x, lambda, x_dot);
    CHECK(largest_difference(found.w, expected.w) < 1e-9);
    CHECK(largest_difference(found.w_x, expected.w_x) < 1e-6);
    CHECK(largest_difference(found.curvatures, expected.curvatures) < 1e-6);
  }
}

TEST_CASE("differences are one-sided where the other side is not finite") {
  // √x has no value below 0: the difference uses 0, δ and 2δ. h = (1 − x)^1.5 ends at 1.
  Evaluator evaluator(from_functor(
      [](double, ConstVectorRef x, ConstVectorRef, VectorRef dx) { dx[0] = x[0] + std::pow(x[0], 2.5); },
      [](double, ConstVectorRef x, VectorRef h) { h[0] = 3 * x[0] + std::pow(1 - x[0], 2.5); },
      {.states = 1, .surfaces = 1}));
  Matrix slope(1, 1);
  evaluator.field_dx(0, Vector::Constant(1, 0), Vector::Zero(1), slope);
  CHECK(slope(0, 0) == doctest::Approx(1).epsilon(1e-7));
  evaluator.guards_dx(0, Vector::Constant(1, 1), slope);
  CHECK(slope(0, 0) == doctest::Approx(3).epsilon(1e-7));
  Vector curvature(1), dx(1);
  const Vector at_end = Vector::Constant(1, 1);
  evaluator.field(0, at_end, Vector::Zero(1), dx);  // f = 2, f' = 3.5
  evaluator.guard_curvatures(0, at_end, Vector::Zero(1), dx, curvature);
  CHECK(curvature[0] == doctest::Approx(3 * 3.5 * 2).epsilon(0.02));
}

TEST_CASE("lambda is never moved out of its interval by a difference") {
  double smallest = 0, largest = 0;
  Evaluator evaluator(from_functor(
      [&](double, ConstVectorRef, ConstVectorRef lambda, VectorRef dx) {
        smallest = std::min(smallest, lambda.minCoeff());
        largest = std::max(largest, lambda.maxCoeff());
        dx[0] = lambda[0] * lambda[1] + 3 * lambda[1];
      },
      [](double, ConstVectorRef x, VectorRef h) { h.setConstant(x[0]); }, {.states = 1, .surfaces = 2}));
  Matrix derivative(1, 2);
  evaluator.field_dlambda(0, Vector::Zero(1), Eigen::Vector2d{1, -1}, derivative);
  CHECK(smallest == -1);
  CHECK(largest == 1);
  CHECK(derivative(0, 0) == doctest::Approx(-1));
  CHECK(derivative(0, 1) == doctest::Approx(4));
}

TEST_CASE("a clock that has run for long does not spoil the derivative with respect to it") {
  Evaluator evaluator(
      from_functor([](double t, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx[0] = std::cos(0.5 * t); },
                   [](double t, ConstVectorRef x, VectorRef h) { h[0] = x[0] - std::sin(t); },
                   {.states = 1, .surfaces = 1}));
  const Vector x = Vector::Zero(1), lambda = Vector::Zero(1);
  Vector dx(1), dx_dot(1), h_dt(1);
  for (const double t : {1e3, 1e5, 1e7}) {
    evaluator.field_along(t, x, lambda, 1.0, x, dx, dx_dot);
    CHECK(dx_dot[0] == doctest::Approx(-0.5 * std::sin(0.5 * t)).scale(1).epsilon(1e-5));
    evaluator.guards_dt(t, x, h_dt);
    CHECK(h_dt[0] == doctest::Approx(-std::cos(t)).scale(1).epsilon(1e-5));
  }
}

TEST_CASE("typical sizes make differences accurate in any unit") {
  // f = sin(x/1e-6) + sin(t/1e-6) with the state and time of the order of 1e-6.
  Evaluator evaluator(from_functor([](double t, ConstVectorRef x, ConstVectorRef,
                                      VectorRef dx) { dx[0] = std::sin(x[0] / 1e-6) + std::sin(t / 1e-6); },
                                   [](double, ConstVectorRef x, VectorRef h) { h[0] = x[0]; },
                                   {.states = 1, .surfaces = 1}));
  const Vector x = Vector::Constant(1, 1e-6), lambda = Vector::Zero(1);
  evaluator.set_typical_sizes(Vector::Constant(1, 1e-6), 1e-6);
  Matrix slope(1, 1);
  evaluator.field_dx(0, x, lambda, slope);
  CHECK(slope(0, 0) == doctest::Approx(1e6 * std::cos(1)).epsilon(1e-8));
  Vector dx(1), dx_dot(1);
  evaluator.field_along(2e-6, x, lambda, 1.0, Vector::Zero(1), dx, dx_dot);
  CHECK(dx_dot[0] == doctest::Approx(1e6 * std::cos(2)).epsilon(1e-8));
}

TEST_CASE("typical sizes must be positive and fit the system") {
  Evaluator evaluator(circle());
  CHECK_THROWS_AS(evaluator.set_typical_sizes(Vector::Ones(3)), std::invalid_argument);
  CHECK_THROWS_AS(evaluator.set_typical_sizes(Vector::Zero(2)), std::invalid_argument);
  CHECK_THROWS_AS(evaluator.set_typical_sizes(Vector::Ones(2), -1), std::invalid_argument);
}

TEST_CASE("with a pattern the gradient of one guard takes one pass per entry that can differ from zero") {
  SystemDefinition definition = from_functor(example::Tangled{}, {.states = 3, .surfaces = 2}).definition();
  definition.guards_dx = [](double, ConstVectorRef, MatrixRef) { FAIL("no matrix is needed"); };
  definition.guards_dx_pattern = pattern_from_rows(3, {{0, 1}, {2}});
  Evaluator evaluator{System(definition)};
  const Vector x = Eigen::Vector3d{0.3, -1.2, 0.8};
  Vector gradient(3);
  evaluator.guard_gradient(0.5, x, 1, gradient);
  CHECK(gradient == Vector{{0, 0, 2 * 0.8 * -1.2}});
  CHECK(evaluator.counts().guards == 1);
  evaluator.guard_gradient(0.5, x, 0, gradient);
  CHECK(gradient == Vector{{-1.2, 0.3, 0}});
  CHECK(evaluator.counts().guards == 3);
}

TEST_CASE("one call of the user's functions is counted once, a jacobian as one") {
  Evaluator evaluator(circle());
  const Vector x = Eigen::Vector2d{0.6, -0.7}, lambda = Vector::Constant(1, 0.3);
  Vector dx(2), dx_dot(2), h(1);
  Matrix square(2, 2), row(1, 2);
  evaluator.field(0, x, lambda, dx);
  evaluator.field_along(0, x, lambda, 1, dx, dx, dx_dot);
  CHECK(evaluator.counts().field == 2);
  evaluator.guards(0, x, h);
  evaluator.guard_rates(0, x, dx, h);
  CHECK(evaluator.counts().guards == 2);
  evaluator.guard_curvatures(0, x, lambda, dx, h);
  CHECK(evaluator.counts().field == 3);
  CHECK(evaluator.counts().guards == 3);
  CHECK(evaluator.counts().jacobians == 0);
  evaluator.field_dx(0, x, lambda, square);
  evaluator.normal_dx(0, x, lambda, row);
  CHECK(evaluator.counts().jacobians == 2);
  CHECK(evaluator.counts().field == 3);
  CHECK(evaluator.counts().guards == 3);
}

TEST_CASE("calls made for a finite difference are counted one by one") {
  int calls = 0;
  Evaluator evaluator(from_functor([](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx[0] = 1; },
                                   [&](double, ConstVectorRef x, VectorRef h) {
                                     ++calls;
                                     h[0] = x[0];
                                   },
                                   {.states = 1, .surfaces = 1}));
  Vector rates(1);
  evaluator.guard_rates(0, Vector::Zero(1), Vector::Ones(1), rates);
  CHECK(rates[0] == doctest::Approx(1));
  CHECK(evaluator.counts().guards == calls);
  CHECK(calls == 2);
}

TEST_CASE("an exception of a user's function leaves the evaluator usable") {
  bool fails = true;
  Evaluator evaluator(from_functor(
      [&](auto, const auto& x, const auto& lambda, auto&& dx) {
        if (fails && x[0] > 0) throw std::runtime_error("no");
        dx[0] = lambda[0] * x[0] * x[1];
        dx[1] = x[1];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 2, .surfaces = 1}));
  const Vector x = Eigen::Vector2d{2, 3}, lambda = Vector::Constant(1, 0.5);
  Matrix jacobian(2, 2);
  CHECK_THROWS_WITH(evaluator.field_dx(0, x, lambda, jacobian), "no");
  fails = false;
  evaluator.field_dx(0, x, lambda, jacobian);
  CHECK(jacobian == Matrix{{1.5, 1}, {0, 1}});
}

TEST_CASE(
    "at a point that is kept one evaluation tells the field at every relay, where relays are additive") {
  const auto guards = [](auto, const auto& x, auto&& h) {
    h[0] = x[0];
    h[1] = x[1];
  };
  const System additive = from_functor(
      [](auto t, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = x[1] * x[1] - 0.7 * lambda[0] + 0.1 * lambda[1];
        dx[1] = x[0] - 2.0 * lambda[1] + t;
      },
      guards, {.states = 2, .surfaces = 2});
  REQUIRE(additive.definition().relays_additive);
  const System product = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = x[1] * lambda[0];
        dx[1] = x[0] - 2.0 * lambda[1];
      },
      guards, {.states = 2, .surfaces = 2});
  const Vector x = Eigen::Vector2d(0.3, -1.7);
  for (const System* system : {&additive, &product}) {
    Evaluator evaluator(*system);
    Vector dx(2), expected(2);
    evaluator.keep_field_at(0.5, x);
    evaluator.field(0.5, x, Vector::Ones(2), dx);
    const std::int64_t before = evaluator.counts().field;
    for (const Vector lambda : {Eigen::Vector2d(1, 1), Eigen::Vector2d(-1, 1), Eigen::Vector2d(0.25, -0.4)}) {
      evaluator.field(0.5, x, lambda, dx);
      system->field(0.5, x, lambda, expected);
      CHECK((dx - expected).lpNorm<Eigen::Infinity>() <= 1e-15);
    }
    CHECK(evaluator.counts().field - before == (system == &additive ? 0 : 3));
    // Elsewhere, and at another time, the field is asked.
    const Vector beside = x * (1 + 1e-15);
    for (const auto& [t, state] : {std::pair(0.5, beside), std::pair(0.5000000001, x)}) {
      evaluator.field(t, state, Vector::Ones(2), dx);
      system->field(t, state, Vector::Ones(2), expected);
      CHECK(dx == expected);
    }
    CHECK(evaluator.counts().field - before == (system == &additive ? 2 : 5));
  }
}
