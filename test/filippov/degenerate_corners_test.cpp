// Corners at which the relays' effects on the surfaces are not independent: surfaces that coincide, touch or nearly do,
// kinks, surfaces of relative degree two. Each has a clear answer.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "filippov/corner_solver.hpp"
#include "slideway/model/from_functor.hpp"
#include "test/model/example_systems.hpp"

namespace slideway {
namespace {

struct Answer {
  CornerPoint point;
  std::set<std::string> words;
};

Answer answer_at(const System& system, const Vector& x, double t = 0) {
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  CornerSolver solver(evaluator, structure);
  std::vector<Index> surfaces;
  for (Index i = 0; i < system.surfaces(); ++i) surfaces.push_back(i);
  Answer answer;
  answer.point =
      solver.solve(t, x, Vector::Zero(system.surfaces()), surfaces, std::vector<char>(surfaces.size(), 0));
  for (const Continuation& continuation : answer.point.answer.continuations) {
    std::string word;
    for (const Side side : continuation.sides) word += to_character(side);
    answer.words.insert(word);
  }
  return answer;
}

using Words = std::set<std::string>;

// x'' = −a sgn x − b sgn x' + load.
struct Twisting {
  double a = 2, b = 1, load = 0;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -a * lambda[0] - b * lambda[1] + load;
  }
};

System twisting(double a, double b, double load) {
  return from_functor(Twisting{a, b, load}, {.states = 2, .surfaces = 2});
}

TEST_CASE("the twisting algorithm holds the origin against any load below the sum of its gains") {
  for (const double load : {-2.99, -2.6, -1.0, 0.0, 0.3, 2.4, 2.99}) {
    CAPTURE(load);
    const Answer answer = answer_at(twisting(2, 1, load), Vector::Zero(2));
    REQUIRE(answer.words == Words{"00"});
    CHECK_FALSE(answer.point.undetermined);
    CHECK_FALSE(answer.point.repelling_intersection);
    const Vector& lambda = answer.point.answer.continuations.front().lambda;
    CHECK(2 * lambda[0] + lambda[1] == doctest::Approx(load));
    CHECK(lambda.lpNorm<Eigen::Infinity>() <= 1 + 1e-9);
  }
}

TEST_CASE("a load above the sum of the gains moves off with it") {
  CHECK(answer_at(twisting(2, 1, 3.01), Vector::Zero(2)).words == Words{"++"});
  CHECK(answer_at(twisting(2, 1, -3.01), Vector::Zero(2)).words == Words{"--"});
}

TEST_CASE("a twisting motion with negative damping can leave its origin on a spiral") {
  // From x = 0 with a speed u it turns back at x = u²/2 against 2 - 1 = 1, and comes back to x = 0 with 2 + 1 = 3 and a speed of √3 u. Spirals
  // grow by √3 a half turn, which takes u(1 + 1/√3); backwards in time they come to the origin, after u(1 + 1/√3)/(√3 - 1). So any of them
  // can begin there, beside the state that stays, and each of the four regions is the one in which some of them are at a time.
  const Answer answer = answer_at(twisting(2, -1, 0), Vector::Zero(2));
  CHECK(answer.words == Words{"00", "++", "+-", "-+", "--"});
  CHECK(answer.point.repelling_intersection);
}

// Friction on x' with a spring that has a kink at x = 0.
struct KinkedSpring {
  double load = 0;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = load - 2.0 * lambda[0] * x[0] - 0.5 * lambda[1];
  }
};

TEST_CASE("a block rests at the kink of its spring while friction holds the load") {
  const auto at = [](double load) {
    return answer_at(from_functor(KinkedSpring{load}, {.states = 2, .surfaces = 2}), Vector::Zero(2));
  };
  CHECK(at(0).words == Words{"00"});
  CHECK(at(0.49).words == Words{"00"});
  CHECK_FALSE(at(0.49).point.undetermined);
  CHECK_FALSE(at(0.49).point.repelling_intersection);
  CHECK(at(0.51).words == Words{"++"});
  CHECK(at(-0.51).words == Words{"--"});
}

// A kink in x that is crossed where a relay on y is met.
struct KinkAndRelay {
  double speed = 1;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = speed;
    dx[1] = lambda[0] * x[0] + 0.5 - lambda[1];
  }
};

TEST_CASE("a kink is crossed while a relay met at the same instant begins to slide") {
  const auto at = [](double speed) {
    return answer_at(from_functor(KinkAndRelay{speed}, {.states = 2, .surfaces = 2}), Vector::Zero(2)).words;
  };
  CHECK(at(1) == Words{"+0"});
  CHECK(at(-1) == Words{"-0"});
}

// h₁ = x and h₂ = scale·x + shear·y, each with a relay of its own.
struct TwoSurfaces {
  double scale = 1, shear = 0, drift = 0, side = 0;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = scale * x[0] + shear * x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = drift - lambda[0] - lambda[1];
    dx[1] = 1.0 + side * (lambda[0] - lambda[1]);
  }
};

System two_surfaces(const TwoSurfaces& surfaces) {
  return from_functor(surfaces, {.states = 2, .surfaces = 2});
}

TEST_CASE("two relays on one and the same surface share what holds it") {
  const Answer answer = answer_at(two_surfaces({.drift = 0.5}), Vector::Zero(2));
  REQUIRE(answer.words == Words{"00"});
  CHECK_FALSE(answer.point.undetermined);
  const Vector& lambda = answer.point.answer.continuations.front().lambda;
  CHECK(lambda.sum() == doctest::Approx(0.5));
  // Past what both can hold the motion crosses.
  CHECK(answer_at(two_surfaces({.drift = 2.5}), Vector::Zero(2)).words == Words{"++"});
}

TEST_CASE("two relays on one surface whose shares matter are said to be undetermined") {
  const Answer answer = answer_at(two_surfaces({.drift = 0.5, .side = 1}), Vector::Zero(2));
  CHECK(answer.point.undetermined);
  CHECK(answer.words.count("00") == 1);
}

TEST_CASE("surfaces that coincide and look the other way hold nothing that both push apart") {
  // h₂ = −x: sides ++ and −− are empty, and the relays cancel.
  const Answer answer = answer_at(two_surfaces({.scale = -1, .drift = 0.5}), Vector::Zero(2));
  CHECK_FALSE(answer.words.empty());
  for (const Continuation& continuation : answer.point.answer.continuations) {
    CHECK(continuation.lambda.allFinite());
    CHECK(continuation.lambda.lpNorm<Eigen::Infinity>() <= 1 + 1e-9);
  }
}

TEST_CASE("nearly tangent surfaces still have one answer, however small the angle") {
  // w₁ = 0.5 − λ₁ − λ₂ and w₂ = w₁ + shear·(1 + λ₁ − λ₂): on both λ₂ = λ₁ + 1, so λ₁ = −1/4 and λ₂ = 3/4.
  for (const double shear : {1.0, 1e-3, 1e-6, 1e-8}) {
    CAPTURE(shear);
    const Answer answer = answer_at(two_surfaces({.shear = shear, .drift = 0.5, .side = 1}), Vector::Zero(2));
    REQUIRE(answer.words == Words{"00"});
    const Vector& lambda = answer.point.answer.continuations.front().lambda;
    CHECK(lambda[0] == doctest::Approx(-0.25).epsilon(1e-6));
    CHECK(lambda[1] == doctest::Approx(0.75).epsilon(1e-6));
  }
}

TEST_CASE("where two parabolas touch the motion of Fuller's problem rests") {
  for (const double c : {0.3, 0.8}) {
    const System system = from_functor(example::Fuller{c}, {.states = 2, .surfaces = 3});
    const Answer answer = answer_at(system, Vector::Zero(2));
    REQUIRE(answer.point.answer.continuations.size() == 1);
    CHECK_FALSE(answer.point.undetermined);
    Vector velocity(2);
    system.field(0, Vector::Zero(2), answer.point.answer.continuations.front().lambda, velocity);
    CHECK(velocity.lpNorm<Eigen::Infinity>() <= 1e-12);
  }
}

// A relay on z + |y|^p, told on both sides of y = 0 by a guard of its own: z + y^p and z − y^p, p odd, touch there.
struct ToldOnBothSides {
  double power = 3, speed = 1;
  void guards(auto, const auto& x, auto&& h) const {
    using std::pow;
    h[0] = x[1] + pow(x[0], power);
    h[1] = x[1] - pow(x[0], power);
    h[2] = x[0];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = speed;
    dx[1] = -10.0 * ((1.0 + lambda[2]) * lambda[0] + (1.0 - lambda[2]) * lambda[1]);
  }
};

TEST_CASE("a surface whose relay has no effect is left by a power of time that only the motion ahead tells") {
  for (const double power : {3.0, 5.0}) {
    CAPTURE(power);
    const auto at = [&](double speed) {
      const System system = from_functor(ToldOnBothSides{power, speed}, {.states = 2, .surfaces = 3});
      return answer_at(system, Vector::Zero(2)).words;
    };
    CHECK(at(1) == Words{"0-+"});
    CHECK(at(-1) == Words{"-0-"});
  }
}

// A relay that moves neither its own surface nor any other.
struct Idle {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = 0;
    dx[1] = 0.0 * lambda[0] - lambda[1];
    dx[2] = lambda[0];
  }
};

TEST_CASE("a relay that nothing holds but that moves a state is said to be undetermined") {
  const Answer answer = answer_at(from_functor(Idle{}, {.states = 3, .surfaces = 2}), Vector::Zero(3));
  CHECK(answer.point.undetermined);
}

}  // namespace
}  // namespace slideway
