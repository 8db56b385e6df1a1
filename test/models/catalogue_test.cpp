#include <algorithm>
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
    // A chain writes its equations once for all blocks.
    CHECK(model.equations.size() >= std::min<std::size_t>(model.state_names.size(), 4));
    const ModelInstance instance = model.instantiate({});
    CHECK(instance.system.state_names() == model.state_names);
    const bool jumps =
        instance.automaton || !instance.system.contacts().empty() || !instance.system.events().empty();
    CHECK((instance.system.surfaces() >= 1 || jumps));
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
      const Vector relays = Vector::Constant(instance.system.surfaces(), lambda);
      const auto check = check_derivatives(instance.system, 0.4, x, relays);
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

TEST_CASE("the friction chain is its equations, whatever the number of blocks") {
  for (const double blocks : {1.0, 2.0, 5.0}) {
    CAPTURE(blocks);
    const ModelInstance instance =
        make("friction-chain", {{"N", blocks}, {"k", 2}, {"kp", 0.3}, {"mu", 0.7}, {"vb", 0.2}});
    const auto n = static_cast<Index>(blocks);
    REQUIRE(instance.system.states() == 2 * n);
    REQUIRE(instance.system.surfaces() == n);
    CHECK(instance.system.state_names()[static_cast<std::size_t>(n)] == "v1");
    const Vector x = Vector::LinSpaced(2 * n, 0.3, 1.7);
    const Vector lambda = Vector::LinSpaced(n, -0.9, 0.8);
    Vector dx(2 * n);
    instance.system.field(0, x, lambda, dx);
    Vector h(n);
    instance.system.guards(0, x, h);
    for (Index i = 0; i < n; ++i) {
      const double left = i > 0 ? x(i - 1) : 0;
      const double right = i + 1 < n ? x(i + 1) : 0;
      CHECK(dx(i) == x(n + i));
      CHECK(dx(n + i) ==
            doctest::Approx(2 * (left - 2 * x(i) + right) - 0.3 * x(i) - 0.7 * lambda(i)).epsilon(1e-14));
      CHECK(h(i) == x(n + i) - 0.2);
      const double place = static_cast<double>(i + 1);
      CHECK(instance.state(i) == doctest::Approx(1.5 * std::sin(2.1 * place) + 0.4 * std::cos(0.37 * place)));
      CHECK(instance.state(n + i) == 0);
    }
  }
  CHECK(make("friction-chain").system.surfaces() == 10);
  CHECK(make("friction-chain").end == 50);
}

TEST_CASE("the friction chain knows its sparsity") {
  const ModelInstance instance = make("friction-chain", {{"N", 500}});
  const SystemDefinition& chain = instance.system.definition();
  REQUIRE(chain.field_dx_pattern.has_value());
  REQUIRE(chain.field_dlambda_pattern.has_value());
  REQUIRE(chain.guards_dx_pattern.has_value());
  CHECK(chain.field_dx_pattern->entries() == 500 + 3 * 500 - 2);
  CHECK(chain.field_dlambda_pattern->entries() == 500);
  CHECK(chain.guards_dx_pattern->entries() == 500);
  CHECK(chain.guards_affine);
  CHECK(chain.field_affine);
}

TEST_CASE("the number of blocks is a whole number, and states can be set by name") {
  for (const double blocks : {0.0, -3.0, 2.5, 1e9}) {
    CHECK_THROWS_WITH_AS(make("friction-chain", {{"N", blocks}}), doctest::Contains("whole number"),
                         std::invalid_argument);
  }
  CHECK(make("friction-chain", {{"v20", 0.5}, {"N", 20}}).state(39) == 0.5);
  CHECK_THROWS_WITH_AS(make("friction-chain", {{"v20", 0.5}}), doctest::Contains("v20"),
                       std::invalid_argument);
  CHECK(make("friction-chain", {{"N", 3}, {"N", 4}}).state.size() == 8);
}

TEST_CASE("the corner has a preset for each of the sixteen code words, and says them by their fields") {
  int presets = 0;
  for (int bits = 0; bits < 16; ++bits) {
    const int word = (bits & 1) + 10 * ((bits >> 1) & 1) + 100 * ((bits >> 2) & 1) + 1000 * ((bits >> 3) & 1);
    CAPTURE(word);
    const ModelInstance instance = make("corner", {{"word", word}});
    const auto at = [&](double first, double second) {
      Vector dx(2);
      instance.system.field(0, instance.state, Eigen::Vector2d(first, second), dx);
      return dx;
    };
    // The mean of the neighbours along each half-branch, away from the corner: y > 0, x > 0, y < 0, x < 0.
    const double p1 = 0.5 * (at(1, 1)(1) + at(-1, 1)(1));
    const double p2 = 0.5 * (at(1, 1)(0) + at(1, -1)(0));
    const double p3 = -0.5 * (at(1, -1)(1) + at(-1, -1)(1));
    const double p4 = -0.5 * (at(-1, 1)(0) + at(-1, -1)(0));
    CHECK((p1 > 0 ? 1 : 0) + (p2 > 0 ? 2 : 0) + (p3 > 0 ? 4 : 0) + (p4 > 0 ? 8 : 0) == bits);
    // It arrives at the corner along x = 0.
    const double y = instance.state(1);
    REQUIRE(instance.state(0) == 0);
    const Vector right = at(1, y);
    const Vector left = at(-1, y);
    REQUIRE(right(0) < 0);
    REQUIRE(left(0) > 0);
    CHECK(y * (left(0) * right(1) - right(0) * left(1)) < 0);
    ++presets;
  }
  CHECK(presets == 16);
  for (const double word : {-1.0, 2.0, 1112.0, 0.5}) {
    CHECK_THROWS_WITH_AS(make("corner", {{"word", word}}), doctest::Contains("word"), std::invalid_argument);
  }
}

TEST_CASE("a field of the corner that is set beats the preset, in any order") {
  for (const Settings& settings :
       {Settings{{"x_pp", 7}, {"word", 1111}}, Settings{{"word", 1111}, {"x_pp", 7}}}) {
    const ModelInstance instance = make("corner", settings);
    Vector dx(2);
    instance.system.field(0, instance.state, Eigen::Vector2d(1, 1), dx);
    check_close(dx, vector({7, 1}));
    instance.system.field(0, instance.state, Eigen::Vector2d(-1, 1), dx);
    check_close(dx, vector({-2, 1}));
  }
}

TEST_CASE("two and three relays act on each other's surfaces") {
  Vector two(3);
  make("two-relays", {{"c", 0.3}}).system.field(0, vector({5, 6, 0.7}), Eigen::Vector2d(0.2, -0.4), two);
  check_close(two, vector({-0.4 + 0.7, 0.4 + 0.1 + 0.3 * 0.7, 1}));
  Vector three(4);
  make("three-surfaces", {{"a", 3}, {"b", 0.4}, {"c1", 1}, {"c2", 2}, {"c3", 4}})
      .system.field(0, vector({0, 0, 0, 0.5}), Eigen::Vector3d(0.1, 0.2, -0.3), three);
  check_close(three, vector({-0.3 + 0.4 * -0.1 + 0.5, -0.6 + 0.4 * -0.2 + 1, 0.9 + 0.4 * 0.3 + 2, 1}));
}

TEST_CASE("the oscillators of Dieci and Lopez have a field for each of the four regions") {
  const ModelInstance instance = make("dieci-lopez", {{"g", 2}});
  const Vector x = vector({0.3, 0.1, 0.5});
  const auto at = [&](double first, double second) {
    Vector dx(3);
    instance.system.field(0, x, Eigen::Vector2d(first, second), dx);
    return dx;
  };
  check_close(at(-1, -1), vector({0.3, -0.3 + 1 / 1.1, -0.3 + 1 / 0.9}));
  check_close(at(-1, 1), vector({0.3, -0.3 + 1 / 1.1, -0.3 - 1 / 1.1}));
  check_close(at(1, -1), vector({0.3, -0.3 - 1 / 0.9, -0.3 + 1 / 0.9}));
  check_close(at(1, 1), vector({0.3 + 2 * 0.3 * 0.9 * 1.1, -0.3 - 1 / 0.9, -0.3 - 1 / 1.1}));
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
  refused("friction-chain", "mu", -0.1);
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

TEST_CASE("the contacts of a catalogue model are open or touch at the start, and their forces open them") {
  for (const Model& model : models::catalogue()) {
    CAPTURE(model.name);
    const ModelInstance instance = model.instantiate({});
    for (const Contact& contact : instance.system.contacts()) {
      CAPTURE(contact.name);
      CHECK(contact.gap.value(instance.start, instance.state) >= 0);
      Vector b = Vector::Zero(instance.state.size());
      contact.acts_on(instance.start, instance.state, b);
      // The force changes velocities, not positions: the gap's rate along b alone vanishes.
      CHECK(contact.gap.rate(instance.start, instance.state, 0, b) == doctest::Approx(0));
      Vector faster(instance.state.size()), plain(instance.state.size());
      const Vector none(0);
      instance.system.field(instance.start, instance.state, none, plain);
      instance.system.field(instance.start, instance.state + b, none, faster);
      CHECK(contact.gap.rate(instance.start, instance.state, 1, faster) >
            contact.gap.rate(instance.start, instance.state, 1, plain));
      for (const double speed : {1e-6, 0.3, 20.0}) {
        CHECK(contact.restitution(speed) >= 0);
        CHECK(contact.restitution(speed) <= 1);
      }
    }
  }
}

TEST_CASE("a pile has as many blocks as it is told") {
  const ModelInstance pile = make("block-pile", {{"N", 5}, {"h", 0.2}, {"gap", 0.1}});
  CHECK(pile.system.states() == 10);
  CHECK(pile.system.contacts().size() == 5);
  CHECK(pile.state[4] == doctest::Approx(4 * 0.2 + 5 * 0.1));
  CHECK_THROWS_WITH_AS(make("block-pile", {{"N", 2.5}}), doctest::Contains("whole number"),
                       std::invalid_argument);
}

TEST_CASE("a restitution above one is refused") {
  for (const char* name :
       {"bouncing-ball", "cam-follower", "impact-oscillator", "impact-pair", "block-pile", "billiard"}) {
    CHECK_THROWS_WITH_AS(make(name, {{"e", 1.5}}), doctest::Contains("from 0 to 1"), std::invalid_argument);
  }
}

TEST_CASE("the free rod of the cam-follower is critically damped for C = 0.02") {
  const ModelInstance instance = make("cam-follower");
  // z'' + 20 z' + 100 z = −g has the double root −10.
  check_close(field(instance, 0, vector({0.3, 0.7}), 0), vector({0.7, -9.81 - 100 * 0.3 - 20 * 0.7}));
}

TEST_CASE("the rocking block starts on the side it leans to") {
  CHECK(make("rocking-block").automaton->locations()[make("rocking-block").automaton->initial()].name ==
        "right");
  const ModelInstance left = make("rocking-block", {{"q", -0.1}});
  CHECK(left.automaton->locations()[left.automaton->initial()].name == "left");
}
