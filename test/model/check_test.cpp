#include "slideway/model/check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_regions.hpp"
#include "slideway/model/from_signs.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

namespace {

const Vector point = Eigen::Vector3d{0.3, -1.2, 0.8};
const Vector between = Eigen::Vector2d{0.3, -0.8};

SystemDefinition tangled() {
  return from_functor(example::Tangled{}, {.states = 3,
                                           .surfaces = 2,
                                           .name = "tangled",
                                           .state_names = {"a", "b", "c"},
                                           .surface_names = {"first", "second"}})
      .definition();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A large derivative beside a wrong small one, ∂f₁/∂x₂.
struct Lopsided {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = 1e4 * x[0] + 3 * x[1];
    dx[1] = 0 * x[0];
  }
  void field_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const {
    jacobian(0, 0) = 1e4;
    jacobian(0, 1) = 4;
  }
};

// A feature far narrower than the steps of usual differences.
struct Narrow {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 1.0; }
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    using std::exp;
    dx[0] = exp(-x[0] * x[0] / 1e-18) * x[0] / 1e-9 - x[0];
  }
};

// A predator that switches between prey of equal worth: on h = 0 its growth does not depend on the relay, and is small.
struct Forager {
  void guards(auto, const auto& x, auto&& h) const { h[0] = 1.1 * x[0] - x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    const auto share = 0.5 + 0.5 * lambda[0];
    dx[0] = x[0] * (1.5 - 0.3 * x[0] - share * x[2]);
    dx[1] = x[1] * (0.9 - 0.1 * x[1] - (1.0 - share) * x[2]);
    dx[2] = x[2] * (0.5 * share * 1.1 * x[0] + 0.5 * (1.0 - share) * x[1] - 0.4);
  }
};

}  // namespace

TEST_CASE("exact derivatives of every kind pass the check") {
  const DerivativeCheck check = check_derivatives(System(tangled()), 0.9, point, between);
  CHECK(check.passed);
  CHECK(check.relative_error < 1e-6);
  CHECK(contains(check.message, "agree"));
  const System circle = from_functor(example::CircleWithJacobians{}, {.states = 2, .surfaces = 1});
  CHECK(check_derivatives(circle, 0, Eigen::Vector2d{0.6, 0.8}, Vector::Constant(1, 0.2)).passed);
  CHECK(check_derivatives(circle, 0, Eigen::Vector2d{0, 0}, Vector::Constant(1, 1)).passed);
}

TEST_CASE("a system without derivatives has nothing to check and says so") {
  const System system = from_functor(example::CircleInDouble{}, {.states = 2, .surfaces = 1});
  const DerivativeCheck check =
      check_derivatives(system, 0, Eigen::Vector2d{0.6, 0.8}, Vector::Constant(1, 0.2));
  CHECK(check.passed);
  CHECK(contains(check.message, "no derivatives are given"));
}

TEST_CASE("one wrong entry of a jacobian by hand is reported with its names and numbers") {
  SystemDefinition definition = tangled();
  definition.field_dx = [along = definition.field_along](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                         MatrixRef jacobian) {
    Vector dx(3);
    for (Index j = 0; j < 3; ++j) {
      along(t, x, lambda, 0, Vector::Unit(3, j), Vector::Zero(2), dx, jacobian.col(j));
    }
    jacobian(1, 2) *= 1.01;
  };
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.function == "field_dx");
  CHECK(check.row == 1);
  CHECK(check.column == 2);
  CHECK(check.finite_difference == doctest::Approx(-std::sin(0.3)));
  CHECK(check.used == doctest::Approx(-1.01 * std::sin(0.3)));
  CHECK(check.relative_error == doctest::Approx(0.01 / 1.01).epsilon(1e-3));
  CHECK(contains(check.message, "field_dx is wrong: ∂f[b]/∂x[c] is -0.298"));
}

TEST_CASE("the worst of several wrong derivatives is the one reported") {
  SystemDefinition definition = tangled();
  definition.guards_dt = [](double t, ConstVectorRef x, VectorRef derivative) {
    derivative << -std::cos(t) * x[2] + 1e-3, 2 * t + 2;
  };
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.function == "guards_dt");
  CHECK(check.row == 1);
  CHECK(contains(check.message, "∂h[second]/∂t is 3.8"));
}

TEST_CASE("a wrong derivative of each kind is found") {
  const auto reported = [](const SystemDefinition& definition) {
    const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
    CHECK_FALSE(check.passed);
    return check.function;
  };
  SystemDefinition definition = tangled();
  definition.field_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) {
    jacobian.setOnes();
  };
  CHECK(reported(definition) == "field_dlambda");

  definition = tangled();
  definition.guards_dx = [](double, ConstVectorRef, MatrixRef jacobian) { jacobian.setOnes(); };
  definition.guards_mixed = nullptr;
  CHECK(reported(definition) == "guards_dx");

  definition = tangled();
  definition.normal_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) {
    jacobian.setOnes();
  };
  CHECK(reported(definition) == "normal_dx");

  definition = tangled();
  definition.field_along = [](double, ConstVectorRef, ConstVectorRef, double, ConstVectorRef, ConstVectorRef,
                              VectorRef dx, VectorRef dx_dot) {
    dx.setOnes();
    dx_dot.setOnes();
  };
  definition.guards_mixed = nullptr;
  CHECK(reported(definition) == "field_along");

  definition = tangled();
  definition.guards_along = [right = definition.guards_along](double t, ConstVectorRef x, double t_dot,
                                                              ConstVectorRef x_dot, VectorRef h,
                                                              VectorRef h_dot) {
    right(t, x, t_dot, x_dot, h, h_dot);
    h_dot[0] += 0.1 * t_dot;
  };
  definition.guards_mixed = nullptr;
  CHECK(reported(definition) == "guards_along");

  definition = tangled();
  definition.guards_mixed = [right = definition.guards_mixed](double t, ConstVectorRef x, double t_first,
                                                              ConstVectorRef x_first, double t_second,
                                                              ConstVectorRef x_second, ConstVectorRef x_mixed,
                                                              VectorRef h_mixed) {
    right(t, x, t_first, x_first, t_second, x_second, x_mixed, h_mixed);
    h_mixed[1] *= 1 + 1e-3 * t_second;  // wrong along the field only
  };
  CHECK(reported(definition) == "guards_mixed");
}

TEST_CASE("the derivatives of the forces of contacts are checked") {
  Contact contact;
  contact.name = "wall";
  contact.gap = Guard([](auto, const auto& x) { return x[0]; });
  contact.acts_on = [](double, ConstVectorRef x, VectorRef b) { b[2] = 1 + x[1] * x[1]; };
  contact.acts_on_along = [](double, ConstVectorRef x, double, ConstVectorRef x_dot, VectorRef b_dot) {
    b_dot[2] = 2 * x[1] * x_dot[1];
  };
  ConeFriction cone;
  cone.velocities = {contact.gap, contact.gap};
  cone.coefficient = [](double, ConstVectorRef x) { return 0.3 + 0.1 * x[2]; };
  cone.coefficient_along = [](double, ConstVectorRef, double, ConstVectorRef x_dot) {
    return 0.1 * x_dot[2];
  };
  cone.acts_on = {contact.acts_on, contact.acts_on};
  cone.acts_on_along = {contact.acts_on_along, contact.acts_on_along};
  contact.cone = cone;
  const System system(tangled());
  CHECK(check_derivatives(system.with_contacts({contact}), 0.9, point, between).passed);
  const auto reported = [&](const Contact& wrong) {
    return check_derivatives(system.with_contacts({wrong}), 0.9, point, between).message;
  };
  const ForceAlongFunction none = [](double, ConstVectorRef, double, ConstVectorRef, VectorRef) {};
  Contact wrong = contact;
  wrong.acts_on_along = none;
  CHECK(contains(reported(wrong), "acts_on_along of contact 'wall' is wrong: ∂b[c]/∂x[b] is 0, but"));
  wrong = contact;
  wrong.cone->acts_on_along[1] = none;
  CHECK(contains(reported(wrong), "cone.acts_on_along[1] of contact 'wall' is wrong: ∂b[c]/∂x[b]"));
  wrong = contact;
  wrong.cone->coefficient_along = [](double, ConstVectorRef, double, ConstVectorRef) { return 0.0; };
  CHECK(
      contains(reported(wrong), "cone.coefficient_along of contact 'wall' is wrong: ∂mu[coefficient]/∂x[c]"));
  SystemDefinition definition = tangled();
  definition.field_mixed = [](double, ConstVectorRef, ConstVectorRef, double, ConstVectorRef, double,
                              ConstVectorRef, ConstVectorRef, ConstVectorRef,
                              VectorRef dx_mixed) { dx_mixed.setOnes(); };
  CHECK(check_derivatives(System(definition), 0.9, point, between).function == "field_mixed");
}

TEST_CASE("an entry that a pattern forgets is found") {
  SystemDefinition definition = tangled();
  definition.field_dx_pattern = pattern_from_rows(3, {{1, 2}, {0, 1, 2}, {0, 1}});
  definition.field_dlambda_pattern = pattern_from_rows(2, {{0}, {0, 1}, {1}});
  definition.guards_dx_pattern = pattern_from_rows(3, {{0, 1, 2}, {0, 1, 2}});
  CHECK(check_derivatives(System(definition), 0.9, point, between).passed);
  definition.guards_dx_pattern = pattern_from_rows(3, {{0, 1, 2}, {0, 2}});
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.function == "guards_dx_pattern");
  CHECK(check.row == 1);
  CHECK(check.column == 1);
  CHECK(check.finite_difference == doctest::Approx(0.64));
}

TEST_CASE("guards that are said to be affine and are not are found") {
  SystemDefinition definition = tangled();
  definition.guards_affine = true;
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.function == "guards_affine");
}

TEST_CASE("a field that is said to be affine and is not is found") {
  SystemDefinition definition = tangled();
  definition.field_affine = true;
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.function == "field_affine");
}

TEST_CASE("relays that are said to be additive and are not are found") {
  SystemDefinition definition = tangled();
  definition.relays_additive = true;
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.function == "relays_additive");
}

TEST_CASE("a derivative that is not a number is reported") {
  SystemDefinition definition = tangled();
  definition.field_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) {
    jacobian(2, 0) = std::numeric_limits<double>::quiet_NaN();
  };
  const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
  CHECK_FALSE(check.passed);
  CHECK(check.row == 2);
  CHECK(check.column == 0);
}

TEST_CASE("an infinite slope passes, and is told") {
  const System roots = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = -sqrt(x[0]);
        dx[1] = lambda[0] * sqrt(lambda[0] * x[1]);
        dx[2] = pow(x[2], 0.7);
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[1]; }, {.states = 3, .surfaces = 1});
  for (Index i = 0; i < 3; ++i) {
    Vector x = Vector::Ones(3);
    x[i] = 0;
    const DerivativeCheck check = check_derivatives(roots, 0, x, Vector::Ones(1));
    INFO(check.message);
    CHECK(check.passed);
    CHECK(contains(check.infinite, "is infinite where the model was tried"));
  }
  CHECK(check_derivatives(roots, 0, Vector::Ones(3), Vector::Ones(1)).infinite.empty());
}

TEST_CASE("an infinite derivative of what has a finite slope is wrong") {
  for (const double sign : {1.0, -1.0}) {
    SystemDefinition definition = tangled();
    definition.field_dx = [sign](double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) {
      jacobian(2, 0) = sign * std::numeric_limits<double>::infinity();
    };
    const DerivativeCheck check = check_derivatives(System(definition), 0.9, point, between);
    CHECK_FALSE(check.passed);
    CHECK(check.infinite.empty());
    CHECK(contains(check.message, "field_dx is wrong: ∂f[c]/∂x[a]"));
  }
  // An infinite slope of the other sign.
  SystemDefinition root =
      from_functor([](auto, const auto& x, const auto&, auto&& dx) { dx[0] = sqrt(x[0]); },
                   [](auto, const auto& x, auto&& h) { h[0] = x[0] + 1; }, {.states = 1, .surfaces = 1})
          .definition();
  root.field_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) {
    jacobian(0, 0) = -std::numeric_limits<double>::infinity();
  };
  CHECK_FALSE(check_derivatives(System(root), 0, Vector::Zero(1), Vector::Ones(1)).passed);
}

TEST_CASE("a slope that is lost beside the steps of differences is no wrong derivative") {
  const System bowl = from_functor(
      [](auto, const auto& x, const auto&, auto&& dx) {
        dx[0] = -x[0] * x[0] * x[0];
        dx[1] = x[0] * x[0];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0] * x[1] + x[1] * x[1]; }, {.states = 2, .surfaces = 1});
  for (const double x : {1e-43, 1e-20, 1e-12, 0.3}) {
    CAPTURE(x);
    const DerivativeCheck check = check_derivatives(bowl, 0, Eigen::Vector2d{x, -0.3 * x}, Vector::Zero(1));
    INFO(check.message);
    CHECK(check.passed);
  }
}

TEST_CASE("rounding of a field at rest is no wrong derivative along it") {
  // Terms of 0.7 cancel up to rounding, so that w is some 1e-16 and its derivative along the field is some 1e-16, too.
  const System loop =
      from_functor([](auto, const auto& x, const auto&, auto&& dx) { dx[0] = 0.7 - x[0] - 0.3 * x[0]; },
                   [](auto, const auto& x, auto&& h) {
                     h[0] = 0.7 - x[0] - 1;
                     h[1] = x[0] * x[0] - 1;
                   },
                   {.states = 1, .surfaces = 2});
  for (int k = -200; k <= 200; ++k) {
    const Vector x = Vector::Constant(1, 0.7 / 1.3 + 1e-15 * k);
    for (const double t : {0.0, 200.0}) {
      const DerivativeCheck check = check_derivatives(loop, t, x, Vector::Constant(2, -1));
      CAPTURE(k);
      CAPTURE(check.message);
      CHECK(check.passed);
    }
  }
}

TEST_CASE("right derivatives pass in unusual units, at high frequency and beside large terms") {
  const auto guards = [](auto t, const auto& x, auto&& h) { h[0] = x[0] - 1e-9 * t; };
  const auto field = [](auto t, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = sin(3e5 * t) * 1e-6 + x[1] * 1e-9 + lambda[0];
    dx[1] = 1e6 - sqrt(x[1] * 1e3) + exp(x[0] * 1e6);
  };
  const System system = from_functor(field, guards, {.states = 2, .surfaces = 1});
  const DerivativeCheck check =
      check_derivatives(system, 0.1, Eigen::Vector2d{2e-6, 1.5e5}, Vector::Constant(1, -1));
  INFO(check.message);
  CHECK(check.passed);
}

TEST_CASE("right derivatives pass where the field changes within nanounits") {
  const System narrow = from_functor(Narrow{}, {.states = 1, .surfaces = 1});
  for (const double x : {0.0, 1e-10, 7e-10, 2e-9, 0.1}) {
    CAPTURE(x);
    CHECK(check_derivatives(narrow, 0, Vector::Constant(1, x), Vector::Zero(1)).passed);
  }
}

TEST_CASE("rounding is no wrong derivative where a relay's effect cancels among larger terms") {
  const System forager = from_functor(Forager{}, {.states = 3, .surfaces = 1});
  for (int k = 0; k < 200; ++k) {
    const double prey = 0.72 + 1e-4 * k;
    const DerivativeCheck check = check_derivatives(
        forager, 0, Eigen::Vector3d{prey, 1.1 * prey, 2.101090786}, Vector::Constant(1, 0.01 * k - 1));
    CAPTURE(prey);
    CAPTURE(check.message);
    CHECK(check.passed);
  }
}

TEST_CASE("a small wrong entry is found beside a large one of its row") {
  const DerivativeCheck check = check_derivatives(from_functor(Lopsided{}, {.states = 2, .surfaces = 1}), 0,
                                                  Eigen::Vector2d{0.1, 0.2}, Vector::Zero(1));
  CHECK_FALSE(check.passed);
  CHECK(check.column == 1);
}

TEST_CASE("a field affine in each lambda passes, also with products of different lambdas") {
  const MultiAffineCheck check = check_multi_affine(System(tangled()), 0.9, point);
  CHECK(check.passed);
  CHECK(check.relative_error < 1e-14);
}

TEST_CASE("the square of a lambda, and a cubic that vanishes at -1, 0 and 1, are not affine") {
  const auto guards = [](auto, const auto& x, auto&& h) { h.setConstant(x[0]); };
  const Dimensions dimensions{
      .states = 2, .surfaces = 2, .state_names = {"x", "v"}, .surface_names = {"stick", "wall"}};
  const System square = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) {
        dx[0] = x[1];
        dx[1] = lambda[0] + lambda[1] * lambda[1];
      },
      guards, dimensions);
  MultiAffineCheck check = check_multi_affine(square, 0, Eigen::Vector2d{1, 1});
  CHECK_FALSE(check.passed);
  CHECK(check.state == 1);
  CHECK(check.surface == 1);
  CHECK(contains(check.message, "f[v] is not affine in lambda[wall]"));

  const System cubic = from_functor(
      [](auto, const auto&, const auto& lambda, auto&& dx) {
        dx[0] = 1 + (lambda[0] * lambda[0] * lambda[0] - lambda[0]) * (1 - lambda[1] * lambda[1]);
        dx[1] = 1;
      },
      guards, dimensions);
  check = check_multi_affine(cubic, 0, Eigen::Vector2d{1, 1});
  CHECK_FALSE(check.passed);
  CHECK(check.state == 0);
}

TEST_CASE("the law of an orifice is affine where both sides have a flow") {
  using std::sqrt;
  const System orifice = from_functor(
      [](auto, const auto& x, const auto& lambda, auto&& dx) { dx[0] = -lambda[0] * sqrt(lambda[0] * x[0]); },
      [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
  CHECK(check_multi_affine(orifice, 0, Vector::Constant(1, 2.0)).passed);
  CHECK(check_multi_affine(orifice, 0, Vector::Constant(1, -2.0)).passed);
  CHECK(check_multi_affine(orifice, 0, Vector::Zero(1)).passed);
}

TEST_CASE("what is blended from corners is affine, also with many surfaces") {
  const System system = from_signs(
      [](auto, const auto& x, const auto& s, auto&& dx) {
        dx[0] = x[0];
        for (Index i = 0; i < s.size(); ++i) dx[0] += s[i] > 0 ? exp(x[0]) : 1 / (2 + x[0] * x[0]);
      },
      [](auto, const auto& x, auto&& h) { h.setConstant(x[0]); }, {.states = 1, .surfaces = 20});
  CHECK(check_multi_affine(system, 0, Vector::Constant(1, 0.4)).passed);
}

TEST_CASE("a point of the wrong size is refused by every check") {
  const System system{tangled()};
  CHECK_THROWS_AS(check_derivatives(system, 0, Vector::Zero(2), between), std::invalid_argument);
  CHECK_THROWS_AS(check_derivatives(system, 0, point, Vector::Zero(3)), std::invalid_argument);
  CHECK_THROWS_AS(check_multi_affine(system, 0, Vector::Zero(4)), std::invalid_argument);
  CHECK_THROWS_AS(check_callable(system, 0, Vector::Zero(4)), std::invalid_argument);
}

TEST_CASE("a guard that is not a number is refused by name") {
  const System system =
      from_functor([](auto, const auto&, const auto&, auto&& dx) { dx[0] = 1; },
                   [](auto, const auto& x, auto&& h) {
                     h[0] = x[0];
                     h[1] = sqrt(x[0]);
                   },
                   {.states = 1, .surfaces = 2, .name = "root", .surface_names = {"fine", "broken"}});
  CHECK_NOTHROW(check_callable(system, 0, Vector::Constant(1, 4)));
  CHECK_THROWS_WITH_AS(check_callable(system, 0.5, Vector::Constant(1, -4)),
                       doctest::Contains("system 'root': the guard of surface 'broken' is not finite, or was "
                                         "never set, at t = 0.5 (expected a finite number, got"),
                       std::invalid_argument);
}

TEST_CASE("a field is asked for on the sides the point lies on only") {
  // Finite above the surface only; on the surface both sides count.
  const System system =
      from_functor([](auto, const auto& x, const auto& lambda,
                      auto&& dx) { dx[0] = lambda[0] > 0 ? pow(x[0], 1.5) : 1 / x[0]; },
                   [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
  CHECK_NOTHROW(check_callable(system, 0, Vector::Constant(1, 1)));
  CHECK_NOTHROW(check_callable(system, 0, Vector::Constant(1, -1)));
  CHECK_THROWS_WITH_AS(
      check_callable(system, 0, Vector::Constant(1, 0)),
      doctest::Contains("the derivative of state 'x1' is not finite, or was never set, at t = "
                        "0 in region '-'"),
      std::invalid_argument);
}

TEST_CASE("a derivative that the field forgets to set is refused") {
  const System system = from_functor([](auto, const auto&, const auto&, auto&& dx) { dx[0] = 1; },
                                     [](auto, const auto& x, auto&& h) { h[0] = x[0]; },
                                     {.states = 2, .surfaces = 1, .state_names = {"position", "velocity"}});
  CHECK_THROWS_WITH_AS(check_callable(system, 0, Vector::Ones(2)), doctest::Contains("'velocity'"),
                       std::invalid_argument);
}
