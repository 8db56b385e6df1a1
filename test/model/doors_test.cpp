#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_regions.hpp"
#include "slideway/model/from_signs.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

namespace {

const Dimensions kTangled{.states = 3, .surfaces = 2};

// The field of example::Tangled, taking its own branch for every pair of signs.
struct TangledBySigns : example::Tangled {
  void field(auto t, const auto& x, const auto& s, auto&& dx) const {
    using std::cos, std::exp, std::sin;
    if (s[0] > 0) {
      dx[0] = x[1] + x[2] * x[2];
    } else {
      dx[0] = x[1] - x[2] * x[2];
    }
    dx[1] = -sin(x[0]) * x[2] + (s[0] == s[1] ? 1 : -1) * cos(t * x[1]);
    dx[2] = exp(-x[0] * t) - s[1] * x[1] * x[0];
  }
};

// One region of it.
struct TangledRegion {
  double first, second;
  void operator()(auto t, const auto& x, auto&& dx) const {
    using std::cos, std::exp, std::sin;
    dx[0] = x[1] + first * x[2] * x[2];
    dx[1] = -sin(x[0]) * x[2] + first * second * cos(t * x[1]);
    dx[2] = exp(-x[0] * t) - second * x[1] * x[0];
  }
};

struct TangledGuards {
  void operator()(auto t, const auto& x, auto&& h) const { example::Tangled{}.guards(t, x, h); }
};

System tangled_by_regions() {
  return from_regions({{"--", TangledRegion{-1, -1}},
                       {"-+", TangledRegion{-1, 1}},
                       {"+-", TangledRegion{1, -1}},
                       {"++", TangledRegion{1, 1}}},
                      TangledGuards{}, kTangled);
}

bool same(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() <= 1e-14 * std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("the three doors give the same numbers on the same model, at vertices and between them") {
  Evaluator by_lambda(from_functor(example::Tangled{}, kTangled));
  Evaluator by_signs(from_signs(TangledBySigns{}, kTangled));
  Evaluator by_regions(tangled_by_regions());
  const double t = 0.9;
  const Vector x = Eigen::Vector3d{0.3, -1.2, 0.8};
  for (const Eigen::Vector2d& pair :
       {Eigen::Vector2d{1, 1}, Eigen::Vector2d{1, -1}, Eigen::Vector2d{-1, 0.4}, Eigen::Vector2d{0, 0},
        Eigen::Vector2d{0.7, -0.2}, Eigen::Vector2d{1.25, -0.9}}) {
    const Vector lambda = pair;
    CAPTURE(pair[0]);
    CAPTURE(pair[1]);
    for (Evaluator* door : {&by_signs, &by_regions}) {
      CHECK(door->normal_dx_source() == DerivativeSource::dual);
      Vector expected(3), found(3), expected_dot(3), found_dot(3), w(2), w_found(2);
      by_lambda.field(t, x, lambda, expected);
      door->field(t, x, lambda, found);
      CHECK(same(found, expected));
      by_lambda.field_along(t, x, lambda, 1.0, x, expected, expected_dot);
      door->field_along(t, x, lambda, 1.0, x, found, found_dot);
      CHECK(same(found_dot, expected_dot));
      by_lambda.guards(t, x, w);
      door->guards(t, x, w_found);
      CHECK(w == w_found);
      by_lambda.guard_rates(t, x, expected, w);
      door->guard_rates(t, x, expected, w_found);
      CHECK(same(w_found, w));
      by_lambda.guard_curvatures(t, x, lambda, expected, w);
      door->guard_curvatures(t, x, lambda, expected, w_found);
      CHECK(same(w_found, w));
      Matrix square(3, 3), square_found(3, 3), tall(3, 2), tall_found(3, 2), wide(2, 3), wide_found(2, 3);
      by_lambda.field_dx(t, x, lambda, square);
      door->field_dx(t, x, lambda, square_found);
      CHECK(same(square_found, square));
      by_lambda.field_dlambda(t, x, lambda, tall);
      door->field_dlambda(t, x, lambda, tall_found);
      CHECK(same(tall_found, tall));
      by_lambda.normal_dx(t, x, lambda, wide);
      door->normal_dx(t, x, lambda, wide_found);
      CHECK(same(wide_found, wide));
    }
  }
}

TEST_CASE("a corner of weight zero is never evaluated, by no function that leaves lambda where it is") {
  struct Source {
    static void minus_is_forbidden(double sign) {
      if (sign < 0) throw std::runtime_error("the forbidden side");
    }
  };
  const auto guards = [](auto, const auto& x, auto&& h) {
    h[0] = x[0];
    h[1] = x[1];
  };
  const Dimensions plane{.states = 2, .surfaces = 2};
  const auto allowed = [](auto, const auto& x, auto&& dx) { dx = -x; };
  const auto forbidden = [](auto, const auto&, auto&&) { Source::minus_is_forbidden(-1); };
  const System by_signs = from_signs(
      [](auto, const auto& x, const auto& s, auto&& dx) {
        Source::minus_is_forbidden(s[0]);
        dx = -x;
      },
      guards, plane);
  const System by_regions =
      from_regions({{"--", forbidden}, {"-+", forbidden}, {"+-", allowed}, {"++", allowed}}, guards, plane);
  for (const System& system : {by_signs, by_regions}) {
    Evaluator evaluator(system);
    const Vector x = Eigen::Vector2d{0, 0.5};
    Vector dx(2), dx_dot(2), curvatures(2);
    Matrix square(2, 2);
    for (const double second : {-1.0, 0.3, 1.0}) {
      const Vector lambda = Eigen::Vector2d{1, second};
      evaluator.field(0, x, lambda, dx);
      CHECK(dx == -x);
      CHECK_NOTHROW(evaluator.field_along(0, x, lambda, 1.0, x, dx, dx_dot));
      CHECK_NOTHROW(evaluator.field_dx(0, x, lambda, square));
      CHECK_NOTHROW(evaluator.normal_dx(0, x, lambda, square));
      CHECK_NOTHROW(evaluator.guard_curvatures(0, x, lambda, dx, curvatures));
    }
    CHECK_THROWS_WITH(evaluator.field(0, x, Eigen::Vector2d{0.99, 1}, dx), "the forbidden side");
  }
}

TEST_CASE("signs are exactly -1 or +1, and as many corners are asked as lambdas lie between") {
  int calls = 0;
  bool exact = true;
  const System system = from_signs(
      [&](double, ConstVectorRef, ConstVectorRef s, VectorRef dx) {
        ++calls;
        for (Index i = 0; i < s.size(); ++i) exact = exact && (s[i] == 1 || s[i] == -1);
        dx[0] = s.sum();
      },
      [](double, ConstVectorRef, VectorRef h) { h.setZero(); }, {.states = 1, .surfaces = 4});
  Vector dx(1), lambda(4);
  const auto calls_at = [&](double a, double b, double c, double d) {
    calls = 0;
    lambda << a, b, c, d;
    system.field(0, Vector::Zero(1), lambda, dx);
    CHECK(dx[0] == doctest::Approx(a + b + c + d));
    return calls;
  };
  CHECK(calls_at(1, -1, 1, 1) == 1);
  CHECK(calls_at(1, -1, 0.5, 1) == 2);
  CHECK(calls_at(0, -1, 0.5, 1) == 4);
  CHECK(calls_at(0.1, 0.2, 0.3, 0.4) == 16);
  CHECK(exact);
}

TEST_CASE("more than 12 surfaces between their sides are refused, naming from_functor") {
  const System system =
      from_signs([](auto, const auto&, const auto& s, auto&& dx) { dx[0] = s[0] + s[12]; },
                 [](auto, const auto& x, auto&& h) { h.setConstant(x[0]); }, {.states = 1, .surfaces = 13});
  Vector dx(1), lambda = Vector::Constant(13, 0.5);
  CHECK_THROWS_WITH_AS(
      system.field(0, Vector::Zero(1), lambda, dx),
      "from_signs: too many surfaces between their two sides at once for blending corners "
      "(expected at most 12, got 13); write the field with lambda itself, through from_functor",
      std::invalid_argument);
  lambda[5] = 1;
  CHECK_NOTHROW(system.field(0, Vector::Zero(1), lambda, dx));
  CHECK(dx[0] == doctest::Approx(1));
}

TEST_CASE("derivatives by hand of a functor of signs are blended like the field") {
  struct ByHand : example::Circle {
    void field_dx(double, ConstVectorRef, ConstVectorRef s, MatrixRef jacobian) const {
      jacobian(0, 0) = s[0] > 0 ? 1 : -1;
      jacobian(0, 1) = -1;
      jacobian(1, 0) = 1;
    }
    void guards_dx(double, ConstVectorRef x, MatrixRef jacobian) const { jacobian << 2 * x[0], 2 * x[1]; }
    void guards_dt(double, ConstVectorRef, VectorRef derivative) const { derivative[0] = 0; }
    void normal_dx(double, ConstVectorRef x, ConstVectorRef s, MatrixRef jacobian) const {
      jacobian(0, 0) = 4 * s[0] * x[0];
    }
  };
  Evaluator evaluator(from_signs(ByHand{}, {.states = 2, .surfaces = 1}));
  CHECK(evaluator.field_dx_source() == DerivativeSource::analytic);
  CHECK(evaluator.guards_dx_source() == DerivativeSource::analytic);
  CHECK(evaluator.guards_dt_source() == DerivativeSource::analytic);
  CHECK(evaluator.normal_dx_source() == DerivativeSource::analytic);
  const Vector x = Eigen::Vector2d{0.6, -0.7}, lambda = Vector::Constant(1, 0.3);
  Matrix square(2, 2), row(1, 2);
  evaluator.field_dx(0, x, lambda, square);
  CHECK(same(square, Matrix{{0.3, -1}, {1, 0}}));
  evaluator.normal_dx(0, x, lambda, row);
  CHECK(same(row, Matrix{{4 * 0.3 * 0.6, 0}}));
}

TEST_CASE("regions given as plain functions get finite differences and the same numbers") {
  using Field = std::function<void(double, ConstVectorRef, VectorRef)>;
  const auto plain = [](double first, double second) -> Field {
    return [=](double t, ConstVectorRef x, VectorRef dx) { TangledRegion{first, second}(t, x, dx); };
  };
  Evaluator evaluator(
      from_regions({{"++", plain(1, 1)}, {"+-", plain(1, -1)}, {"-+", plain(-1, 1)}, {"--", plain(-1, -1)}},
                   TangledGuards{}, kTangled));
  CHECK(evaluator.field_dx_source() == DerivativeSource::finite_difference);
  CHECK(evaluator.guards_dx_source() == DerivativeSource::dual);
  Evaluator exact(tangled_by_regions());
  CHECK(exact.field_dx_source() == DerivativeSource::dual);
  const Vector x = Eigen::Vector3d{0.3, -1.2, 0.8}, lambda = Eigen::Vector2d{0.3, -0.5};
  Matrix expected(3, 3), found(3, 3);
  exact.field_dx(0.9, x, lambda, expected);
  evaluator.field_dx(0.9, x, lambda, found);
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("one region of plain double among generic ones makes all derivatives differences") {
  const auto guards = [](auto, const auto& x, auto&& h) { h[0] = x[0]; };
  const Evaluator evaluator(
      from_regions({{"-", [](auto, const auto& x, auto&& dx) { dx[0] = x[0]; }},
                    {"+", [](double, ConstVectorRef x, VectorRef dx) { dx[0] = -x[0]; }}},
                   guards, {.states = 1, .surfaces = 1}));
  CHECK(evaluator.field_dx_source() == DerivativeSource::finite_difference);
}

TEST_CASE("regions that are missing, repeated, misnamed or empty are refused") {
  const auto field = [](auto, const auto&, auto&& dx) { dx[0] = 1; };
  const auto guards = [](auto, const auto& x, auto&& h) { h.setConstant(x[0]); };
  const auto refusal = [&](std::vector<Region> regions, Index surfaces) -> std::string {
    try {
      from_regions(std::move(regions), guards, {.states = 1, .surfaces = surfaces, .name = "demo"});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal({{"-", field}, {"+", field}}, 1).empty());
  CHECK(
      refusal({{"--", field}, {"+-", field}, {"++", field}}, 2) ==
      "from_regions, system 'demo': region '-+' is missing (expected 4 regions, one for every combination of "
      "sides, got 3)");
  CHECK(refusal({{"-", field}, {"-", field}}, 1).find("'-' is given twice") != std::string::npos);
  CHECK(refusal({{"-", field}, {"0", field}}, 1).find("got '0'") != std::string::npos);
  CHECK(refusal({{"-", field}, {"++", field}}, 1).find("a word of 1 character") != std::string::npos);
  const std::function<void(double, ConstVectorRef, VectorRef)> nothing;
  CHECK(refusal({{"-", field}, {"+", nothing}}, 1).find("'+' has no field") != std::string::npos);
  CHECK(refusal({}, 0).find("from_functor") != std::string::npos);
  CHECK(refusal({}, 40).find("got 40") != std::string::npos);
}

TEST_CASE("guards without a number of surfaces are refused by from_signs too") {
  CHECK_THROWS_AS(from_signs(TangledBySigns{}, {.states = 3}), std::invalid_argument);
}

TEST_CASE("a field without surfaces may be a lambda") {
  const System system = from_functor(
      [](auto, const auto& x, const auto&, auto&& dx) {
        dx[0] = x[1];
        dx[1] = -x[0] * x[0];
      },
      {.states = 2});
  Evaluator evaluator(system);
  CHECK(evaluator.field_dx_source() == DerivativeSource::dual);
  Matrix jacobian(2, 2);
  evaluator.field_dx(0, Eigen::Vector2d{3, 4}, Vector(0), jacobian);
  CHECK(jacobian(1, 0) == -6);
  CHECK(system.definition().field_dx_pattern->entries() == 2);
}

TEST_CASE("an empty std function is no guard") {
  const std::function<double(double, ConstVectorRef)> nothing;
  CHECK_THROWS_AS(Guard{nothing}, std::invalid_argument);
}

TEST_CASE("a pattern with columns that are not there is refused") {
  SystemDefinition definition;
  definition.states = 2;
  definition.field = [](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx.setZero(); };
  definition.field_dx_pattern = pattern_from_rows(2, {{0}, {5}});
  CHECK_THROWS_AS(System{definition}, std::invalid_argument);
}
