#include <cmath>
#include <limits>
#include <set>

#include <doctest/doctest.h>

#include "models/registry.hpp"
#include "slideway/model/check.hpp"

using namespace slideway;

namespace {

ModelInstance make(const std::string& name, const Settings& settings = {}) {
  return models::find_model(name).instantiate(settings);
}

Vector field(const ModelInstance& instance, double t, const Vector& x, double lambda) {
  Vector dx(x.size());
  instance.system.field(t, x, Vector::Constant(1, lambda), dx);
  return dx;
}

double guard(const ModelInstance& instance, double t, const Vector& x) {
  Vector h(1);
  instance.system.guards(t, x, h);
  return h(0);
}

Vector vector(std::initializer_list<double> values) {
  Vector x(static_cast<Index>(values.size()));
  Index i = 0;
  for (const double value : values) x(i++) = value;
  return x;
}

void check_close(const Vector& got, const Vector& expected) {
  REQUIRE(got.size() == expected.size());
  for (Index i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(got(i) == doctest::Approx(expected(i)).epsilon(1e-14));
  }
}

}  // namespace

TEST_CASE("every model of the catalogue describes itself and can be made") {
  std::set<std::string> names;
  for (const Model& model : models::catalogue()) {
    CAPTURE(model.name);
    CHECK(names.insert(model.name).second);
    CHECK_FALSE(model.summary.empty());
    CHECK_FALSE(model.source.empty());
    CHECK(model.equations.size() >= model.state_names.size());
    const ModelInstance instance = model.instantiate({});
    CHECK(instance.system.state_names() == model.state_names);
    CHECK(instance.system.surfaces() == 1);
    CHECK(instance.state.size() == instance.system.states());
    CHECK(instance.end > instance.start);
    REQUIRE(instance.parameters.size() == model.parameters.size());
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      CHECK_FALSE(model.parameters[i].description.empty());
      CHECK(instance.parameters[i].first == model.parameters[i].name);
      CHECK(instance.parameters[i].second == model.parameters[i].value);
    }
  }
}

TEST_CASE("every model has right derivatives and is affine in each sign") {
  for (const Model& model : models::catalogue()) {
    CAPTURE(model.name);
    const ModelInstance instance = model.instantiate({});
    const Vector x = instance.state + Vector::LinSpaced(instance.state.size(), 0.21, 0.33);
    for (const double lambda : {-1.0, 0.3, 1.0}) {
      const auto check = check_derivatives(instance.system, 0.4, x, Vector::Constant(1, lambda));
      CHECK_MESSAGE(check.passed, check.message);
    }
    const auto affine = check_multi_affine(instance.system, 0.4, x);
    CHECK_MESSAGE(affine.passed, affine.message);
  }
}

TEST_CASE("the evaporator is Mosterman, Zhao and Biswas' literal equations") {
  const ModelInstance instance =
      make("evaporator", {{"R_b", 2}, {"R_pipe", 3}, {"I", 5}, {"C", 7}, {"f_in", 11}, {"L_th", 0.25}});
  const Vector x = vector({0.3, 0.4});
  check_close(field(instance, 0, x, -1), vector({-(3.0 / 5) * 0.3, -0.4 / (2.0 * 7) + 11.0 / 7}));
  check_close(field(instance, 0, x, 1),
              vector({-(3.0 / 5) * 0.3 + 0.4, -0.3 / (5.0 * 7) - 0.4 / (2.0 * 7) + 11.0 / 7}));
  CHECK(guard(instance, 0, x) == doctest::Approx(0.15));
  CHECK(make("evaporator").end == 60);
  check_close(make("evaporator").state, vector({0, 0}));
}

TEST_CASE("dry friction opposes the motion of the driven block") {
  const ModelInstance instance = make("dry-friction", {{"mu", 0.3}, {"A", 2}, {"w", 0.7}});
  const Vector x = vector({0.5, -0.2});
  check_close(field(instance, 1.5, x, -1), vector({-0.2, -0.5 + 0.3 + 2 * std::cos(0.7 * 1.5)}));
  check_close(field(instance, 1.5, x, 1), vector({-0.2, -0.5 - 0.3 + 2 * std::cos(0.7 * 1.5)}));
  CHECK(guard(instance, 0, x) == -0.2);
  check_close(make("dry-friction").state, vector({2, 0}));
  CHECK(make("dry-friction").end == 100);
}

TEST_CASE("friction of the block on the belt falls with the sliding speed") {
  const ModelInstance instance = make("belt", {{"ms", 1.2}, {"mk", 0.4}, {"vs", 0.3}, {"vb", 0.6}});
  const Vector behind = vector({0.1, 0.2});
  check_close(field(instance, 0, behind, -1), vector({0.2, -0.1 + 0.4 + 0.8 * std::exp(-0.4 / 0.3)}));
  const Vector ahead = vector({0.1, 0.8});
  check_close(field(instance, 0, ahead, 1), vector({0.8, -0.1 - 0.4 - 0.8 * std::exp(-0.2 / 0.3)}));
  const Vector sticking = vector({0.1, 0.6});
  check_close(field(instance, 0, sticking, 0.25), vector({0.6, -0.1 - 0.25 * 1.2}));
  CHECK(guard(instance, 0, behind) == doctest::Approx(-0.4));
  CHECK(make("belt").end == 100);
}

TEST_CASE("the block on the belt has Coulomb friction when the two levels are the same") {
  const ModelInstance instance = make("belt", {{"ms", 0.8}, {"mk", 0.8}});
  for (const double v : {-3.0, 0.1, 0.5, 4.0}) {
    check_close(field(instance, 0, vector({0, v}), -1), vector({v, 0.8}));
    check_close(field(instance, 0, vector({0, v}), 1), vector({v, -0.8}));
  }
}

TEST_CASE("the block on the belt starts on the belt") {
  check_close(make("belt").state, vector({0, 0.5}));
  check_close(make("belt", {{"vb", 0.1}}).state, vector({0, 0.1}));
  check_close(make("belt", {{"v", 0}, {"vb", 0.1}}).state, vector({0, 0}));
}

TEST_CASE("the relay drives its third-order plant against the output") {
  const ModelInstance instance = make("relay", {{"omega", 3}, {"zeta", 0.1}, {"lambda", 2}, {"sigma", 0.5}});
  const Vector x = vector({0.1, 0.2, 0.3});
  for (const double sign : {-1.0, 1.0}) {
    check_close(field(instance, 0, x, sign),
                vector({-(2 * 0.1 * 3 + 2) * 0.1 + 0.2 - sign,
                        -(2 * 0.1 * 3 * 2 + 9) * 0.1 + 0.3 + 2 * 0.5 * sign, -2.0 * 9 * 0.1 - sign}));
  }
  CHECK(guard(instance, 0, x) == 0.1);
}

TEST_CASE("the circle has one field inside and another outside") {
  const ModelInstance instance = make("circle");
  const Vector x = vector({-0.4, 0.7});
  check_close(field(instance, 0, x, -1), x);
  check_close(field(instance, 0, x, 1), vector({1, -1}));
  CHECK(guard(instance, 0, x) == doctest::Approx(0.16 + 0.49 - 2));
  check_close(instance.state, vector({-1, 0.1}));
}

TEST_CASE("the moving surface follows its sine") {
  const ModelInstance instance = make("moving-surface", {{"a", 2}, {"w", 3}, {"k", 0.5}});
  CHECK(guard(instance, 0.4, vector({0.9})) == doctest::Approx(0.9 - 2 * std::sin(1.2)));
  check_close(field(instance, 0.4, vector({0.9}), 1), vector({-0.5}));
  check_close(field(instance, 0.4, vector({0.9}), -1), vector({0.5}));
}

TEST_CASE("a model with wrong parameters is refused with a reason") {
  const auto refused = [](const std::string& model, const std::string& name, double value) {
    CAPTURE(model);
    CAPTURE(name);
    CAPTURE(value);
    CHECK_THROWS_WITH_AS(make(model, {{name, value}}), doctest::Contains(name.c_str()),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(make(model, {{name, value}}), doctest::Contains("expected"), std::invalid_argument);
  };
  for (const double value : {0.0, -1.0}) {
    refused("evaporator", "R_b", value);
    refused("evaporator", "I", value);
    refused("evaporator", "C", value);
    refused("belt", "vs", value);
    refused("relay", "omega", value);
    refused("circle", "c", value);
    refused("moving-surface", "k", value);
  }
  refused("evaporator", "R_pipe", -0.1);
  refused("dry-friction", "mu", -0.1);
  refused("belt", "ms", -0.1);
  refused("belt", "mk", -0.1);
  for (const Model& model : models::catalogue()) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      for (const Parameter& parameter : model.parameters) refused(model.name, parameter.name, value);
      for (const std::string& state : model.state_names) refused(model.name, state, value);
    }
  }
}

TEST_CASE("an unknown name is answered with the nearest one") {
  CHECK_THROWS_WITH_AS(make("evaporator", {{"L_thh", 1}}), doctest::Contains("did you mean 'L_th'?"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(models::find_model("dry_friction"), doctest::Contains("did you mean 'dry-friction'?"),
                       std::invalid_argument);
  CHECK_THROWS_AS(models::find_model(""), std::invalid_argument);
}

TEST_CASE("the last setting of a name wins") {
  const ModelInstance instance = make("dry-friction", {{"mu", -1}, {"x", 9}, {"mu", 0.2}, {"x", 3}});
  CHECK(instance.parameters[0].second == 0.2);
  CHECK(instance.state(0) == 3);
}
