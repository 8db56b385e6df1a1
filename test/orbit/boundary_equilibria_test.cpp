// Boundary equilibrium bifurcations of planar piecewise linear problems, whose values have closed forms.
#include "slideway/orbit/boundary_equilibria.hpp"
#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::vector<BoundaryEquilibrium> boundary_equilibria(const std::string& text, double first, double last) {
  const auto problem = [=](double value) { return instance_of(text, {{"p", value}}).problem(); };
  const ModelInstance instance = instance_of(text);
  return find_boundary_equilibria(
      problem, {.start = 0, .end = 1, .state = instance.state},
      {.equilibria = {.lower = Vector{{-2.0, -2.0}}, .upper = Vector{{2.0, 2.0}}, .starts = 10},
       .first = first,
       .last = last,
       .points = 6});
}

// For x > 0 the equilibrium x = 3 p + 1, y = p + 1/2; the normal component for x < 0 is `below` and at y = 1/6 that of x > 0 is p + 1/3.
std::string planar(const std::string& below) {
  return "[parameters]\np = 0.0\n[states]\nx = 0.5\ny = 0.2\n[time]\nend = 1.0\n[surfaces]\nside = \"x\"\n"
         "[derivatives]\nx = \"if(side > 0, -x + 2*y + p, " +
         below + ")\"\ny = \"x - 3*y + 0.5\"\n";
}

}  // namespace

TEST_CASE("an equilibrium becomes a pseudo-equilibrium where it comes to a surface that attracts") {
  const auto found = boundary_equilibria(planar("1"), -1, 0.5);
  REQUIRE(found.size() == 1);
  const BoundaryEquilibrium& one = found.front();
  CHECK(one.kind == BoundaryEquilibriumKind::persistence);
  CHECK(std::abs(one.parameter + 1.0 / 3) <= 1e-9);
  CHECK((one.one.state - Vector{{0.0, 1.0 / 6}}).norm() <= 1e-8);
  CHECK(one.one.mode.word() == "+");
  CHECK(one.one_above);
  REQUIRE(one.other);
  CHECK(one.other->mode.word() == "0");
  CHECK_FALSE(one.other_above);
}

TEST_CASE("an equilibrium and a pseudo-equilibrium vanish together where the other side pushes away") {
  // From either end of the range.
  for (const bool forwards : {true, false}) {
    const auto found = boundary_equilibria(planar("-1"), forwards ? -1 : 0.5, forwards ? 0.5 : -1);
    REQUIRE(found.size() == 1);
    CHECK(found.front().kind == BoundaryEquilibriumKind::nonsmooth_fold);
    CHECK(std::abs(found.front().parameter + 1.0 / 3) <= 1e-9);
    CHECK(found.front().one_above);
    CHECK(found.front().other_above);
  }
}

TEST_CASE("an equilibrium goes through a kink, and persists with other eigenvalues") {
  const auto found = boundary_equilibria(
      "[parameters]\np = 0.0\n[states]\nx = 0.5\ny = 0.2\n[time]\nend = 1.0\n[surfaces]\nside = \"x\"\n"
      "[derivatives]\nx = \"if(side > 0, -x, -4*x) + p - 0.1\"\ny = \"x - y\"\n",
      -1, 1);
  REQUIRE(found.size() == 1);
  CHECK(found.front().kind == BoundaryEquilibriumKind::persistence);
  CHECK(std::abs(found.front().parameter - 0.1) <= 1e-9);
  REQUIRE(found.front().other);
  CHECK(std::abs(found.front().one.eigenvalues[0].real() - found.front().other->eigenvalues[0].real()) <=
        1e-9);
  CHECK(std::abs(found.front().one.eigenvalues[1].real() - found.front().other->eigenvalues[1].real()) ==
        doctest::Approx(3));
}

TEST_CASE("a boundary equilibrium that is looked for in one value is refused") {
  CHECK_THROWS_AS(boundary_equilibria(planar("1"), 1, 1), std::invalid_argument);
}
