// Manifolds of saddles and pseudo-saddles with closed forms.
#include "slideway/manifolds/equilibrium_manifolds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/number_text.hpp"
#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::vector<EquilibriumManifolds> manifolds_of(const ModelInstance& instance,
                                               const ManifoldOptions& options = {}) {
  return find_manifolds(instance.problem(),
                        {.start = instance.start, .end = instance.end, .state = instance.state},
                        {.starts = 20}, options);
}

std::vector<ManifoldArc> arcs_of(const EquilibriumManifolds& manifolds, ManifoldKind kind,
                                 ManifoldPiece piece = ManifoldPiece::branch) {
  std::vector<ManifoldArc> result;
  for (const ManifoldArc& arc : manifolds.arcs)
    if (arc.kind == kind && arc.piece == piece) result.push_back(arc);
  return result;
}

// The arclength of the points, chord by chord, without jumps.
double length_of_chords(const ManifoldArc& arc) {
  double sum = 0;
  for (std::size_t k = 1; k < arc.points.size(); ++k)
    if (!arc.points[k].after_jump) sum += (arc.points[k].state - arc.points[k - 1].state).norm();
  return sum;
}

void check_length(const ManifoldArc& arc, double length) {
  CAPTURE(arc.message);
  CHECK(arc.end == ManifoldEnd::length);
  CHECK(std::abs(arc.points.back().arclength - length) <= 1e-12 * length);
  const double own = length - arc.points.front().arclength;
  CHECK(length_of_chords(arc) <= own * (1 + 1e-9));
  CHECK(length_of_chords(arc) >= 0.995 * own);
}

// A linear saddle at (1, 0) for x > 0, and at (-2, 0.5) for x < 0.
const char* const kTwoSaddles = R"TOML(
[states]
x = 0.6
y = 0.1
[time]
end = 1.0
[surfaces]
side = "x"
[derivatives]
x = "if(side > 0, 0.5*(x - 1) + 1.2*y, 0.3*(x + 2) + 1.5*(y - 0.5))"
y = "if(side > 0, 0.8*(x - 1) - 0.7*y, 0.9*(x + 2) - 0.4*(y - 0.5))"
)TOML";

struct PlanarSaddle {
  Eigen::Matrix2d matrix;
  Eigen::Vector2d point;
  // The eigenvalue with this sign, and its left eigenvector of length 1.
  double eigenvalue(int sign) const {
    const double half = 0.5 * matrix.trace();
    return half + sign * std::sqrt(half * half - matrix.determinant());
  }
  double along(int sign, const Eigen::Vector2d& x) const {
    const Eigen::Vector2d left(matrix(1, 0), eigenvalue(sign) - matrix(0, 0));
    return left.normalized().dot(x - point);
  }
  // Solutions keep |u|^(-w)·|w|^u, with u and w along the eigenvectors, u and w in the exponents the eigenvalues.
  double invariant(const Eigen::Vector2d& x) const {
    return eigenvalue(1) * std::log(std::abs(along(-1, x))) -
           eigenvalue(-1) * std::log(std::abs(along(1, x)));
  }
};

}  // namespace

TEST_CASE("the manifolds of a planar saddle are straight to the surface, and solutions beyond it") {
  const PlanarSaddle right{(Eigen::Matrix2d() << 0.5, 1.2, 0.8, -0.7).finished(), {1, 0}};
  const PlanarSaddle left{(Eigen::Matrix2d() << 0.3, 1.5, 0.9, -0.4).finished(), {-2, 0.5}};
  for (const double rtol : {1e-6, 1e-10, 1e-12}) {
    const double allowed = std::max(100 * rtol, 1e-11);
    const auto found = manifolds_of(instance_of(kTwoSaddles), {.run = {.rtol = rtol}, .length = 5});
    int crossings = 0;
    REQUIRE(found.size() == 2);
    for (const EquilibriumManifolds& manifolds : found) {
      CHECK(manifolds.stable_dimensions == 1);
      CHECK(manifolds.unstable_dimensions == 1);
      CHECK(manifolds.remarks.empty());
      const bool is_right = manifolds.equilibrium.state[0] > 0;
      const PlanarSaddle& own = is_right ? right : left;
      const PlanarSaddle& other = is_right ? left : right;
      for (const ManifoldKind kind : {ManifoldKind::stable, ManifoldKind::unstable}) {
        const auto arcs = arcs_of(manifolds, kind);
        REQUIRE(arcs.size() == 2);
        for (const ManifoldArc& arc : arcs) {
          const bool slides =
              std::any_of(arc.events.begin(), arc.events.end(),
                          [](const ManifoldEvent& event) { return event.kind == "sliding_entry"; });
          if (!slides) check_length(arc, 5);
          double invariant = std::numeric_limits<double>::quiet_NaN();
          bool is_beyond = false;
          for (const ManifoldPoint& point : arc.points) {
            if (point.mode.word() == "0") break;
            const Eigen::Vector2d x = point.state;
            if (x[0] == 0 || std::abs(x[0]) < 1e-12) {
              is_beyond = true;
              ++crossings;
              invariant = other.invariant(x);
            }
            // The other manifold's direction has no part in this one.
            if (!is_beyond) CHECK(std::abs(own.along(kind == ManifoldKind::unstable ? -1 : 1, x)) <= allowed);
            if (is_beyond && (x[0] > 0) == is_right && std::abs(x[0]) > 1e-12) break;
            if (is_beyond) CHECK(std::abs(other.invariant(x) - invariant) <= allowed);
          }
        }
      }
    }
    CHECK(crossings >= 2);
  }
}

TEST_CASE("a planar pseudo-saddle has its sliding solutions, and the two that arrive from the sides") {
  const auto found = manifolds_of(instance_of(R"TOML(
[states]
x = 1.0
y = 1.0
[time]
end = 1.0
[surfaces]
line = "y"
[derivatives]
x = "0.25*x + 0.5 + 1.5*sgn(line)"
y = "-sgn(line)"
)TOML"),
                                  {.length = 3});
  REQUIRE(found.size() == 1);
  const EquilibriumManifolds& manifolds = found.front();
  CHECK(manifolds.equilibrium.kind == EquilibriumKind::pseudo);
  CHECK(manifolds.stable_dimensions == 1);
  CHECK(manifolds.unstable_dimensions == 1);
  CHECK(manifolds.remarks.empty());
  const auto unstable = arcs_of(manifolds, ManifoldKind::unstable);
  REQUIRE(unstable.size() == 2);
  for (const ManifoldArc& arc : unstable) {
    check_length(arc, 3);
    CHECK(std::abs(std::abs(arc.points.back().state[0] + 2) - 3) <= 1e-9);
    for (const ManifoldPoint& point : arc.points) CHECK(std::abs(point.state[1]) <= 1e-12);
    CHECK(arc.points.back().mode.word() == "0");
  }
  const auto stable = arcs_of(manifolds, ManifoldKind::stable);
  REQUIRE(stable.size() == 2);
  for (const ManifoldArc& arc : stable) {
    check_length(arc, 3);
    for (const ManifoldPoint& point : arc.points) {
      const double y = point.state[1];
      const double expected = y > 0 ? -8 + 6 * std::exp(-y / 4) : 4 - 6 * std::exp(y / 4);
      CHECK(std::abs(point.state[0] - expected) <= 1e-9);
      CHECK(std::abs(point.time + std::abs(y)) <= 1e-9);
    }
  }
  CHECK(stable[0].points.back().state[1] * stable[1].points.back().state[1] < 0);
}

TEST_CASE("a pseudo-saddle on a surface that repels has its manifolds the other way round") {
  const auto found = manifolds_of(instance_of(R"TOML(
[states]
x = 1.0
y = 1.0
[time]
end = 1.0
[surfaces]
line = "y"
[derivatives]
x = "-0.25*x - 0.5 - 1.5*sgn(line)"
y = "sgn(line)"
)TOML"),
                                  {.length = 3});
  REQUIRE(found.size() == 1);
  const auto stable = arcs_of(found.front(), ManifoldKind::stable);
  const auto unstable = arcs_of(found.front(), ManifoldKind::unstable);
  REQUIRE(stable.size() == 2);
  REQUIRE(unstable.size() == 2);
  for (const ManifoldArc& arc : stable) {
    check_length(arc, 3);
    for (const ManifoldPoint& point : arc.points) CHECK(std::abs(point.state[1]) <= 1e-12);
  }
  for (const ManifoldArc& arc : unstable) {
    check_length(arc, 3);
    for (const ManifoldPoint& point : arc.points) {
      const double y = point.state[1];
      CHECK(std::abs(point.state[0] - (y > 0 ? -8 + 6 * std::exp(-y / 4) : 4 - 6 * std::exp(y / 4))) <= 1e-9);
    }
  }
}

TEST_CASE("the stable manifold along a surface that attracts is a fan") {
  // x' = x and y' = -y everywhere; z comes to 0 with the speed 1. Backwards from (0, y0, 0) the state is (0, y0*exp(|z|), z).
  const auto found = manifolds_of(instance_of(R"TOML(
[states]
x = 1.0
y = 1.0
z = 1.0
[time]
end = 1.0
[surfaces]
ground = "z"
[derivatives]
x = "x"
y = "-y"
z = "-sgn(ground)"
)TOML"),
                                  {.length = 2, .fan = 5});
  REQUIRE(found.size() == 1);
  const EquilibriumManifolds& manifolds = found.front();
  CHECK(manifolds.stable_dimensions == 2);
  CHECK(manifolds.unstable_dimensions == 1);
  REQUIRE(manifolds.remarks.size() == 1);
  CHECK(manifolds.remarks.front().find("fan") != std::string::npos);
  CHECK(arcs_of(manifolds, ManifoldKind::unstable).size() == 2);
  const auto core = arcs_of(manifolds, ManifoldKind::stable);
  REQUIRE(core.size() == 2);
  for (const ManifoldArc& arc : core) check_length(arc, 2);
  const auto fan = arcs_of(manifolds, ManifoldKind::stable, ManifoldPiece::fan);
  REQUIRE(fan.size() == 20);
  for (const ManifoldArc& arc : fan) {
    check_length(arc, 2);
    const double begin = arc.points.front().state[1];
    for (const ManifoldPoint& point : arc.points) {
      CHECK(std::abs(point.state[0]) <= 1e-9);
      CHECK(std::abs(point.state[1] - begin * std::exp(std::abs(point.state[2]))) <= 1e-8);
    }
  }
}

TEST_CASE("manifolds go through impacts in both directions of time") {
  // Between impacts v^2 - x^2 is constant. Forwards the impact at x = 1 turns v = 1 into -0.5, backwards v = -1 into 2.
  const char* const contact = R"TOML(
[[contacts]]
name = "wall"
gap = "1 - x"
acts_on = { v = "-1" }
restitution = 0.5
)TOML";
  const char* const reset = R"TOML(
[[resets]]
name = "wall"
when = "x - 1"
direction = "rising"
set = { v = "-0.5*v" }
)TOML";
  for (const char* const law : {contact, reset}) {
    const auto found = manifolds_of(
        instance_of(
            std::string("[states]\nx = -0.5\nv = 0.1\n[time]\nend = 0.5\n[derivatives]\nx = \"v\"\nv = "
                        "\"x\"\n") +
            law),
        {.length = 4});
    REQUIRE(found.size() == 1);
    CHECK(found.front().remarks.empty());
    for (const ManifoldKind kind : {ManifoldKind::stable, ManifoldKind::unstable}) {
      const double speed = kind == ManifoldKind::unstable ? -0.5 : 2;
      const auto arcs = arcs_of(found.front(), kind);
      REQUIRE(arcs.size() == 2);
      int impacts = 0;
      for (const ManifoldArc& arc : arcs) {
        double energy = 0;
        for (std::size_t k = 0; k < arc.points.size(); ++k) {
          const Vector& x = arc.points[k].state;
          if (arc.points[k].after_jump) {
            ++impacts;
            energy = speed * speed - 1;
            CHECK((x - Vector{{1.0, speed}}).norm() <= 1e-10);
            CHECK((arc.points[k - 1].state - Vector{{1.0, kind == ManifoldKind::unstable ? 1.0 : -1.0}})
                      .norm() <= 1e-10);
          }
          CHECK(std::abs(x[1] * x[1] - x[0] * x[0] - energy) <= 1e-8);
          if (k > 2 && x[0] > 1 - 1e-9 && energy != 0 && !arc.points[k].after_jump) break;
        }
      }
      CHECK(impacts >= 1);
    }
  }
}

TEST_CASE("the separatrix of Duffing's oscillator closes on itself") {
  const auto found = manifolds_of(
      instance_of(
          "[states]\nx = 0.5\nv = 0.0\n[time]\nend = 5.0\n[derivatives]\nx = \"v\"\nv = \"x - x^3\"\n"),
      {.length = 3.5});
  REQUIRE(found.size() == 1);
  CHECK(found.front().equilibrium.state.norm() <= 1e-12);
  for (const ManifoldArc& arc : found.front().arcs) {
    CHECK(arc.points.size() > 20);
    for (const ManifoldPoint& point : arc.points) {
      const double x = point.state[0], v = point.state[1];
      CHECK(std::abs(v * v - x * x + 0.5 * x * x * x * x) <= 1e-8);
    }
  }
}

TEST_CASE("manifolds are the same in other units of the states and of time") {
  for (const double size : {1e-6, 1.0, 1e6})
    for (const double rate : {1e-6, 1.0, 1e6}) {
      const std::string s = number_text(size), r = number_text(rate);
      const auto found = manifolds_of(
          instance_of("[states]\nx = \"0.5*" + s + "\"\nv = 0.0\n[time]\nend = \"5/" + r +
                      "\"\n[derivatives]\nx = \"" + r + "*v\"\nv = \"" + r + "*(x - x^3/" + s + "^2)\"\n"),
          {.run = {.rtol = 1e-10, .atol = 1e-12 * size}, .length = 3 * size});
      CAPTURE(size);
      CAPTURE(rate);
      REQUIRE(found.size() == 1);
      REQUIRE(found.front().arcs.size() == 4);
      for (const ManifoldArc& arc : found.front().arcs) {
        check_length(arc, 3 * size);
        for (const ManifoldPoint& point : arc.points) {
          const double x = point.state[0] / size, v = point.state[1] / size;
          CHECK(std::abs(v * v - x * x + 0.5 * x * x * x * x) <= 1e-8);
        }
      }
    }
}

TEST_CASE("what is asked of manifolds and makes no sense is refused") {
  const ModelInstance instance = instance_of(kTwoSaddles);
  CHECK_THROWS_WITH_AS(manifolds_of(instance, {.length = -1}), doctest::Contains("length"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(manifolds_of(instance, {.most_time = -1}), doctest::Contains("time"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(manifolds_of(instance, {.angle = 0}), doctest::Contains("angle"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(manifolds_of(instance, {.fan = -1}), doctest::Contains("fan"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(manifolds_of(instance, {.sizes = Vector::Ones(3)}), doctest::Contains("sizes"),
                       std::invalid_argument);
}

TEST_CASE("what stands against the stable manifold is said") {
  const auto found = manifolds_of(instance_of(R"TOML(
[states]
x = 0.5
v = 0.1
[time]
end = 0.1
[derivatives]
x = "v"
v = "x"
[[resets]]
name = "far"
when = "x - 1"
direction = "rising"
set = { x = "-0.5" }
)TOML"),
                                  {.length = 1});
  REQUIRE(found.size() == 1);
  CHECK(arcs_of(found.front(), ManifoldKind::stable).empty());
  REQUIRE(found.front().remarks.size() == 1);
  CHECK(found.front().remarks.front().find("'far'") != std::string::npos);
}
