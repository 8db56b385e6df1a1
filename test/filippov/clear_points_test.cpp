// What classify_clearly() answers is what classify_at() answers.
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "filippov/point_classifier.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

// x' = a + b λ + c x, y' = d + e λ + f y, with the surface x = 0.
struct Plane {
  double a, b, c, d, e, f;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = a + b * lambda[0] + c * x[1];
    dx[1] = d + e * lambda[0] + f * x[1] * x[1];
  }
};

}  // namespace

TEST_CASE("points that are clear are classified as by a close look, in 20,000 random fields") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto draw = [&] { return number(random); };
  const Vector weights = Vector::Constant(2, 1e6);
  int clear = 0, exits = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Plane plane{draw(), draw(), draw(), draw(), draw(), draw()};
    const Vector x = (Vector(2) << 0, draw()).finished();
    const Side before = trial % 3 == 0 ? Side::sliding : trial % 3 == 1 ? Side::plus : Side::minus;
    Met met{.surface = 0, .away = 1};
    // Sliding ends where one component vanishes.
    if (before == Side::sliding) {
      met.minus_vanishes = trial % 2 == 0;
      met.plus_vanishes = !met.minus_vanishes;
      plane.a = (met.minus_vanishes ? 1 : -1) * plane.b - plane.c * x[1];
    }
    Evaluator evaluator(from_functor(plane, {.states = 2, .surfaces = 1}));
    const RelayStructure structure(evaluator.system());
    PointClassifier classifier(evaluator, structure, 1e-6);
    Vector lambda = Vector::Zero(1), minus(2), plus(2);
    evaluator.neighbour_fields(0, x, lambda, 0, minus, plus);
    const PointClassifier::BothSides at{
        .minus = minus, .plus = plus, .w_minus = minus[0], .w_plus = plus[0], .tolerance = 1e-6};
    // Sliding ends at the relay of the side that goes on.
    if (before == Side::sliding) lambda[0] = met.minus_vanishes ? -1 : 1;
    const std::optional<PointClass> quick =
        classifier.classify_clearly(0, x, lambda, at, met, before, weights);
    if (!quick) continue;
    ++clear;
    exits += before == Side::sliding ? 1 : 0;
    const PointClass close = classifier.classify_at(0, x, lambda, met, &before, weights).point;
    CAPTURE(trial);
    CHECK(quick->kind == close.kind);
    CHECK(quick->continuations == close.continuations);
    CHECK(quick->reason == close.reason);
    CHECK((quick->lambda == close.lambda || (std::isnan(quick->lambda) && std::isnan(close.lambda))));
  }
  // Most points are clear: of three of each kind.
  CHECK(clear > 5000);
  CHECK(exits > 1000);
}
