#include "slideway/filippov/classify.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace slideway;

namespace {

NormalMotion moving(double w) { return {.w = w}; }
NormalMotion tangent(double curvature, double third = 0) {
  return {.w = 0, .curvature = curvature, .third = third};
}

const SideSet all{Side::minus, Side::sliding, Side::plus};

}  // namespace

TEST_CASE("two upward components cross upward, two downward ones downward") {
  const PointClass up = classify(moving(1), moving(0.2));
  CHECK(up.kind == PointKind::crossing_up);
  CHECK(up.continuations == SideSet{Side::plus});
  const PointClass down = classify(moving(-1), moving(-0.2));
  CHECK(down.kind == PointKind::crossing_down);
  CHECK(down.continuations == SideSet{Side::minus});
}

TEST_CASE("fields that push onto the surface slide with Filippov's lambda") {
  const PointClass point = classify(moving(3), moving(-1));
  CHECK(point.kind == PointKind::sliding);
  CHECK(point.continuations == SideSet{Side::sliding});
  CHECK(point.lambda == doctest::Approx(0.5));
  CHECK_FALSE(point.sliding_repels);
}

TEST_CASE("fields that leave on both sides have three continuations") {
  const PointClass point = classify(moving(-2), moving(1));
  CHECK(point.kind == PointKind::repelling);
  CHECK(point.continuations == all);
  CHECK(point.sliding_repels);
  CHECK(point.lambda == doctest::Approx(1.0 / 3));
}

TEST_CASE("a visible fold ends sliding to its side") {
  const PointClass plus = classify(moving(1), tangent(0.5));
  CHECK(plus.kind == PointKind::visible_fold_plus);
  CHECK(plus.continuations == SideSet{Side::plus});
  const PointClass minus = classify(tangent(-0.5), moving(-1));
  CHECK(minus.kind == PointKind::visible_fold_minus);
  CHECK(minus.continuations == SideSet{Side::minus});
}

TEST_CASE("an invisible fold beside an arriving field slides") {
  const PointClass plus = classify(moving(1), tangent(-0.5));
  CHECK(plus.kind == PointKind::invisible_fold_plus);
  CHECK(plus.continuations == SideSet{Side::sliding});
  CHECK(plus.lambda == 1);
  const PointClass minus = classify(tangent(0.5), moving(-1));
  CHECK(minus.kind == PointKind::invisible_fold_minus);
  CHECK(minus.continuations == SideSet{Side::sliding});
  CHECK(minus.lambda == -1);
}

TEST_CASE("an invisible fold beside a leaving field crosses to the other side") {
  CHECK(classify(moving(-1), tangent(-0.5)).continuations == SideSet{Side::minus});
  CHECK(classify(tangent(0.5), moving(1)).continuations == SideSet{Side::plus});
}

TEST_CASE("a visible fold beside a leaving field is not unique") {
  CHECK(classify(moving(-1), tangent(0.5)).continuations == all);
  CHECK(classify(tangent(-0.5), moving(1)).continuations == all);
}

TEST_CASE("a component known to be zero counts as zero whatever its value") {
  NormalMotion plus = tangent(0.5);
  plus.w = -1e-7;
  plus.vanishes = true;
  CHECK(classify(moving(1), plus).continuations == SideSet{Side::plus});
  plus.vanishes = false;
  CHECK(classify(moving(1), plus).continuations == SideSet{Side::sliding});
}

TEST_CASE("the third derivative decides where the second vanishes") {
  CHECK(classify(moving(1), tangent(0, 2)).continuations == SideSet{Side::plus});
  CHECK(classify(moving(1), tangent(0, -2)).continuations == SideSet{Side::sliding});
}

TEST_CASE("a field that stays on the surface is slid along with lambda at its bound") {
  const PointClass held = classify(moving(1), tangent(0, 0));
  CHECK(held.kind == PointKind::degenerate);
  CHECK(held.continuations == SideSet{Side::sliding});
  CHECK(held.lambda == 1);
  const PointClass left = classify(moving(-1), tangent(0, 0));
  CHECK(left.continuations == SideSet{Side::minus, Side::sliding});
}

TEST_CASE("a visible two-fold that sliding runs through is reported with its three continuations") {
  // f+ = (1, x), f- = (1, -x), h = y: along either field d(w+)/dt = 1 and d(w-)/dt = -1.
  const PointClass point = classify(tangent(-1), tangent(1), {-1, -1, 1, 1});
  CHECK(point.kind == PointKind::two_fold);
  CHECK(point.continuations == all);
  CHECK(point.lambda == doctest::Approx(0));
  CHECK(point.sliding_repels);
}

TEST_CASE("an invisible two-fold that attracts slides on") {
  // f+ = (1, -x), f- = (1, x): w- grows and w+ falls, so the surface attracts after the fold.
  const PointClass point = classify(tangent(1), tangent(-1), {1, 1, -1, -1});
  CHECK(point.kind == PointKind::two_fold);
  CHECK(point.continuations == SideSet{Side::sliding});
  CHECK_FALSE(point.sliding_repels);
}

TEST_CASE("the Teixeira two-fold leads only into repelling sliding") {
  // Normal form with V = -2: d(w-)/dt is 1 along f- and -2 along f+, d(w+)/dt is 2 along f- and -1 along f+.
  const PointClass point = classify(tangent(1), tangent(-1), {1, -2, 2, -1});
  CHECK(point.kind == PointKind::two_fold);
  CHECK(point.continuations == SideSet{Side::sliding});
  CHECK(point.sliding_repels);
  CHECK(point.lambda == doctest::Approx(0));
}

TEST_CASE("mirroring h swaps the sides and negates lambda") {
  const double values[] = {-2, -0.5, 0, 0.5, 2};
  for (const double w_minus : values) {
    for (const double w_plus : values) {
      for (const double curvature : {-1.0, 1.0}) {
        const auto motion = [&](double w, double sign) {
          return NormalMotion{.w = sign * w, .curvature = sign * curvature};
        };
        if (w_minus == 0 && w_plus == 0) continue;
        const PointClass direct = classify(motion(w_minus, 1), motion(w_plus, 1));
        const PointClass mirrored = classify(motion(w_plus, -1), motion(w_minus, -1));
        CHECK(direct.continuations.contains(Side::minus) == mirrored.continuations.contains(Side::plus));
        CHECK(direct.continuations.contains(Side::sliding) == mirrored.continuations.contains(Side::sliding));
        CHECK(direct.continuations.contains(Side::plus) == mirrored.continuations.contains(Side::minus));
        if (!std::isnan(direct.lambda)) CHECK(direct.lambda == doctest::Approx(-mirrored.lambda));
      }
    }
  }
}
