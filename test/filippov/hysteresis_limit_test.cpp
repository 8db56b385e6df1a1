// Filippov's sliding along intersections against the limit of narrow hysteresis. Where the fields are affine in λ and the motion
// stays in the band, the mean of w is (h(T) − h(0))/T → 0, so that the mean relays solve c + Dλ = 0 whatever the shape of the
// band and the order of switching: the limit is unique.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "filippov/corner_solver.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway {
namespace {

// x' = c + Bλ, h = Gx.
struct AffineRelays {
  Matrix G, B;
  Vector c;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < G.rows(); ++i) {
      h[i] = G(i, 0) * x[0];
      for (Index j = 1; j < G.cols(); ++j) h[i] += G(i, j) * x[j];
    }
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    for (Index j = 0; j < c.size(); ++j) {
      dx[j] = c[j] + B(j, 0) * lambda[0];
      for (Index i = 1; i < B.cols(); ++i) dx[j] += B(j, i) * lambda[i];
    }
  }
};

// The mean velocity over time 1, from the origin: relay i turns to ±1 where hᵢ passes ±band[i]. Exact, as h is linear in time
// between two turns.
struct Hysteresis {
  Vector velocity;
  double farthest = 0;  // in units of the band
};

Hysteresis follow(const AffineRelays& relays, const Vector& band, std::vector<int> sides) {
  Hysteresis result;
  Vector x = Vector::Zero(relays.c.size());
  double t = 0;
  while (t < 1) {
    Vector dx = relays.c;
    for (std::size_t i = 0; i < sides.size(); ++i) dx += sides[i] * relays.B.col(static_cast<Index>(i));
    const Vector h = relays.G * x;
    const Vector w = relays.G * dx;
    double step = 1 - t;
    std::size_t turns = sides.size();
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Index k = static_cast<Index>(i);
      if (sides[i] * w[k] >= 0) continue;
      const double reaches = std::max(0.0, (-sides[i] * band[k] - h[k]) / w[k]);
      if (reaches < step) {
        step = reaches;
        turns = i;
      }
    }
    x += step * dx;
    t += step;
    if (turns < sides.size()) sides[turns] = -sides[turns];
    result.farthest = std::max(result.farthest, (relays.G * x).cwiseQuotient(band).lpNorm<Eigen::Infinity>());
  }
  result.velocity = x;
  return result;
}

AffineRelays random_relays(Index surfaces, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto fill = [&](auto& values) {
    for (Index k = 0; k < values.size(); ++k) values.data()[k] = normal(random);
  };
  const Index states = surfaces + 2;
  AffineRelays relays{Matrix(surfaces, states), Matrix(states, surfaces), Vector(states)};
  fill(relays.G);
  fill(relays.B);
  fill(relays.c);
  return relays;
}

// Every field points to every surface.
bool attracts_straight(const AffineRelays& relays) {
  const Matrix D = relays.G * relays.B;
  const Vector c = relays.G * relays.c;
  for (Index i = 0; i < D.rows(); ++i) {
    if (!(-D(i, i) > D.row(i).cwiseAbs().sum() - std::abs(D(i, i)) + std::abs(c[i]) + 0.1)) return false;
  }
  return true;
}

// The fields turn round the intersection and come nearer with every turn.
bool attracts_by_turning(const AffineRelays& relays) {
  VertexTable table{Matrix(2, 4)};
  for (Index v = 0; v < 4; ++v) {
    table.w.col(v) = relays.G * (relays.c + relays.B * Eigen::Vector2d(v & 1 ? 1 : -1, v & 2 ? 1 : -1));
  }
  const double factor = return_map_factor(table);
  return factor > 0 && factor < 0.8;
}

// The velocity that the library slides with, where sliding along all surfaces is the only continuation.
Vector sliding_velocity(const AffineRelays& relays) {
  const Index states = relays.c.size(), surfaces = relays.G.rows();
  const System system = from_functor(relays, {.states = states, .surfaces = surfaces});
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  CornerSolver solver(evaluator, structure);
  std::vector<Index> all;
  for (Index i = 0; i < surfaces; ++i) all.push_back(i);
  const CornerPoint point =
      solver.solve(0, Vector::Zero(states), Vector::Zero(surfaces), all, std::vector<char>(all.size(), 0));
  REQUIRE(point.answer.continuations.size() == 1);
  CHECK_FALSE(point.repelling_intersection);
  const Continuation& only = point.answer.continuations.front();
  REQUIRE(std::count(only.sides.begin(), only.sides.end(), Side::sliding) == surfaces);
  Vector velocity(states);
  system.field(0, Vector::Zero(states), only.lambda, velocity);
  return velocity;
}

// Bands of different widths, from any corner.
void check_limit(const AffineRelays& relays, std::mt19937& random) {
  std::uniform_real_distribution<double> width(0.5, 2);
  const Index surfaces = relays.G.rows();
  Vector shape(surfaces);
  std::vector<int> sides;
  for (Index i = 0; i < surfaces; ++i) {
    shape[i] = width(random);
    sides.push_back(random() % 2 == 0 ? 1 : -1);
  }
  const Vector limit = sliding_velocity(relays);
  const double gain = (relays.G * relays.B).inverse().norm() * relays.B.norm() + 1;
  for (const double band : {1e-3, 1e-4}) {
    CAPTURE(band);
    const Hysteresis near = follow(relays, band * shape, sides);
    CHECK(near.farthest < 1000);
    CHECK((near.velocity - limit).norm() <= 100 * gain * band);
  }
}

TEST_CASE("at 200 random attracting corners narrow hysteresis has the sliding velocity as its limit") {
  std::mt19937 random(11);
  int straight[] = {0, 0, 0, 0};
  int turning = 0;
  while (straight[2] < 80 || straight[3] < 60 || turning < 60) {
    const Index surfaces = straight[2] < 80 || turning < 60 ? 2 : 3;
    const AffineRelays relays = random_relays(surfaces, random);
    if (attracts_straight(relays)) {
      if (++straight[surfaces] > 80) continue;
    } else if (surfaces == 2 && attracts_by_turning(relays)) {
      if (++turning > 60) continue;
    } else {
      continue;
    }
    CAPTURE(surfaces);
    CAPTURE(turning);
    check_limit(relays, random);
  }
}

}  // namespace
}  // namespace slideway
