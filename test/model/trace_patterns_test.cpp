#include "slideway/detail/model/trace_patterns.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_signs.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

namespace {

const Dimensions line{.states = 1, .surfaces = 1};

// A helper with a derivative of its own, which knows double and Dual only.
double doubled(double x) { return 2 * x; }
template <class T>
Dual<T> doubled(const Dual<T>& x) {
  return 2 * x;
}
struct WithOwnFunction {
  static constexpr bool untraced = true;
  void guards(auto, const auto& x, auto&& h) const { h[0] = doubled(x[0]); }
  void field(auto, const auto& x, const auto&, auto&& dx) const { dx[0] = doubled(x[0]); }
};

struct NeverThrows {
  void guards(auto, const auto& x, auto&& h) const noexcept { h[0] = x[0]; }
  void field(auto, const auto& x, const auto&, auto&& dx) const noexcept { dx[0] = value_of(x[0]); }
};

struct TableLookUp {
  std::vector<double> table = {1, 2, 3};
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = table.at(static_cast<std::size_t>(value_of(x[0]) - 100)) * x[0];
  }
};

}  // namespace

TEST_CASE("the entries that a functor's derivatives can have are found by running it once") {
  const System system = from_functor(example::Tangled{}, {.states = 3, .surfaces = 2});
  const SystemDefinition& definition = system.definition();
  REQUIRE(definition.field_dx_pattern);
  REQUIRE(definition.field_dlambda_pattern);
  REQUIRE(definition.guards_dx_pattern);
  CHECK(definition.field_dx_pattern->column == std::vector<Index>{1, 2, 0, 1, 2, 0, 1});
  CHECK(definition.field_dlambda_pattern->column == std::vector<Index>{0, 0, 1, 1});
  CHECK(definition.guards_dx_pattern->entries() == 6);
  CHECK_FALSE(definition.guards_affine);
}

TEST_CASE("guards made of sums and constant factors are affine, others are not") {
  const auto field = [](auto, const auto&, const auto&, auto&& dx) { dx.setZero(); };
  const auto is_affine = [&](auto guards) {
    return from_functor(field, guards, {.states = 2, .surfaces = 1}).definition().guards_affine;
  };
  CHECK(is_affine([](auto t, const auto& x, auto&& h) { h[0] = (x[0] - 3 * t) / 2 + x[1] * 4 - 1; }));
  CHECK_FALSE(is_affine([](auto, const auto& x, auto&& h) { h[0] = x[0] * x[1]; }));
  CHECK_FALSE(is_affine([](auto t, const auto& x, auto&& h) { h[0] = x[0] - sin(t); }));
  CHECK_FALSE(is_affine([](auto, const auto& x, auto&& h) { h[0] = 1 / x[0]; }));
  CHECK_FALSE(is_affine([](auto, const auto& x, auto&& h) { h[0] = x[0] > 0 ? x[0] : 2 * x[0]; }));
  CHECK_FALSE(is_affine([](auto t, const auto& x, auto&& h) { h[0] = x[0] * t; }));
}

TEST_CASE("a field made of sums and constant factors is affine, others are not") {
  const auto guards = [](auto, const auto& x, auto&& h) { h[0] = x[0]; };
  const auto is_affine = [&](auto field) {
    return from_functor(field, guards, {.states = 2, .surfaces = 1}).definition().field_affine;
  };
  CHECK(is_affine([](auto t, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = x[1] - 2 * lambda[0];
    dx[1] = t / 3 - x[0] + 1;
  }));
  CHECK_FALSE(is_affine([](auto t, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = x[1] - lambda[0];
    dx[1] = cos(t);
  }));
  CHECK_FALSE(is_affine([](auto, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = x[1];
    dx[1] = x[0] * lambda[0];
  }));
}

TEST_CASE("the normal components of an affine field are affine with the coefficients that they have") {
  const auto field = [](auto t, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = 3 * x[0] - x[1] + 2 * t - lambda[0] + 0.5 * lambda[1] + 1;
    dx[1] = x[0] / 4 - 2 * lambda[1] - t;
  };
  const auto guards = [](auto t, const auto& x, auto&& h) {
    h[0] = 2 * x[0] - 3 * t + 1;
    h[1] = x[1] - x[0];
  };
  Evaluator evaluator(from_functor(field, guards, {.states = 2, .surfaces = 2}));
  const Evaluator::AffineRates* const rates = evaluator.affine_rates();
  REQUIRE(rates);
  const Vector x = Eigen::Vector2d{0.4, -1.1}, lambda = Eigen::Vector2d{0.5, -1};
  Vector dx(2), w(2);
  evaluator.field(2.5, x, lambda, dx);
  evaluator.guard_rates(2.5, x, dx, w);
  const Vector found = rates->origin + rates->dx * x + 2.5 * rates->dt + rates->dlambda * lambda;
  CHECK((found - w).cwiseAbs().maxCoeff() < 1e-14);
  Evaluator bent(from_functor(example::Tangled{}, {.states = 3, .surfaces = 2}));
  CHECK_FALSE(bent.affine_rates());
}

TEST_CASE("affine guards give the derivatives that they have anywhere") {
  const auto field = [](auto t, const auto& x, const auto& lambda, auto&& dx) {
    dx[0] = x[0] * x[1] - lambda[0];
    dx[1] = sin(x[0]) + t;
  };
  const auto guards = [](auto t, const auto& x, auto&& h) {
    h[0] = 2 * x[0] - 3 * t + 1;
    h[1] = x[1] - x[0];
  };
  const System system = from_functor(field, guards, {.states = 2, .surfaces = 2});
  SystemDefinition definition = system.definition();
  REQUIRE(definition.guards_affine);
  definition.guards_affine = false;
  Evaluator affine(system), general{System(definition)};
  const Vector x = Eigen::Vector2d{0.4, -1.1}, lambda = Eigen::Vector2d{0.5, -1};
  const double t = 2.5;
  Vector dx(2), expected(2), found(2);
  general.field(t, x, lambda, dx);
  const auto check_same = [&](auto&& evaluate) {
    evaluate(general, expected);
    evaluate(affine, found);
    CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-14);
  };
  check_same([&](Evaluator& e, Vector& v) { e.guard_rates(t, x, dx, v); });
  check_same([&](Evaluator& e, Vector& v) { e.guards_dt(t, x, v); });
  check_same([&](Evaluator& e, Vector& v) { e.guard_gradient(t, x, 1, v); });
  check_same([&](Evaluator& e, Vector& v) { e.guard_curvatures(t, x, lambda, dx, v); });
  check_same([&](Evaluator& e, Vector& v) { e.guards_nearly(t, x, v); });
  for (Evaluator* evaluator : {&general, &affine}) {
    Vector value(2), acceleration(2);
    evaluator->guard_curvatures(t, x, lambda, dx, expected);
    evaluator->field_along(t, x, lambda, 1.0, dx, value, acceleration);
    evaluator->guard_curvatures(t, x, lambda, dx, acceleration, found);
    CHECK(found == expected);
  }
  Matrix expected_matrix(2, 2), found_matrix(2, 2);
  general.guards_dx(t, x, expected_matrix);
  affine.guards_dx(t, x, found_matrix);
  CHECK(found_matrix == expected_matrix);
  general.normal_dx(t, x, lambda, expected_matrix);
  affine.normal_dx(t, x, lambda, found_matrix);
  CHECK((found_matrix - expected_matrix).cwiseAbs().maxCoeff() < 1e-14);
  CHECK(affine.guard_rate(t, x, dx, 0) == doctest::Approx(2 * dx[0] - 3));
  CHECK(general.guard_rate(t, x, dx, 0) == doctest::Approx(2 * dx[0] - 3));
}

TEST_CASE("a functor that branches is not claimed to be sparse") {
  const System system = from_functor(
      [](auto, const auto& x, const auto&, auto&& dx) {
        dx[0] = x[0] > 100 ? x[1] : x[0];
        dx[1] = x[1];
      },
      [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, {.states = 2, .surfaces = 1});
  CHECK_FALSE(system.definition().field_dx_pattern);
  CHECK_FALSE(system.definition().field_dlambda_pattern);
  CHECK(system.definition().guards_dx_pattern);
}

TEST_CASE("a functor that throws where it is traced is taken as it is") {
  const System system =
      from_functor([](auto, const auto&, const auto&, auto&&) { throw std::domain_error("not here"); },
                   [](auto, const auto& x, auto&& h) { h[0] = x[0]; }, line);
  CHECK_FALSE(system.definition().field_dx_pattern);
}

TEST_CASE("a table is never looked up at the arbitrary point of a trace") {
  const System system = from_functor(TableLookUp{}, line);
  CHECK_FALSE(system.definition().field_dx_pattern);
  Vector dx(1);
  system.field(0, Vector::Constant(1, 101), Vector::Ones(1), dx);
  CHECK(dx[0] == 202);
}

TEST_CASE("a functor may decline to be traced, and a member that cannot throw is not") {
  const System untraced = from_functor(WithOwnFunction{}, line);
  CHECK_FALSE(untraced.definition().field_dx_pattern);
  CHECK_FALSE(untraced.definition().guards_affine);
  CHECK_FALSE(from_signs(WithOwnFunction{}, line).definition().guards_affine);
  const System cannot_throw = from_functor(NeverThrows{}, line);
  CHECK_FALSE(cannot_throw.definition().field_dx_pattern);
  CHECK_FALSE(cannot_throw.definition().guards_dx_pattern);
  const auto field = [](auto, const auto& x, const auto&, auto&& dx) { dx[0] = x[0]; };
  const auto guards = [](auto, const auto& x, auto&& h) noexcept { h[0] = value_of(x[0]); };
  CHECK_FALSE(from_functor(field, guards, line).definition().guards_dx_pattern);
  CHECK_FALSE(from_signs(field, guards, line).definition().guards_dx_pattern);
}

TEST_CASE("a run on traces notes comparisons of its own only") {
  const Trace x = Trace::state(0, 1.0);
  const TraceRun outer;
  {
    const TraceRun inner;
    CHECK(x > 0);
    CHECK(inner.compared());
  }
  CHECK_FALSE(outer.compared());
  CHECK(Trace(2) > 1);
  CHECK_FALSE(outer.compared());
}
