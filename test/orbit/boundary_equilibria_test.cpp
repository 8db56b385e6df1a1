// Boundary equilibrium bifurcations of planar piecewise linear problems, whose values have closed forms.
#include "slideway/orbit/boundary_equilibria.hpp"

#include <sstream>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// In a box of `width` times 2 on all sides.
std::vector<BoundaryEquilibrium> boundary_equilibria(const std::string& text, double first, double last,
                                                     const Vector& width = Vector::Ones(2)) {
  const auto problem = [=](double value) { return instance_of(text, {{"p", value}}).problem(); };
  const ModelInstance instance = instance_of(text);
  return find_boundary_equilibria(problem, {.start = 0, .end = 1, .state = instance.state},
                                  {.equilibria = {.lower = -2 * width, .upper = 2 * width, .starts = 10},
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
  CHECK(std::abs(one.parameter + 1.0 / 3) <= 1e-15);
  CHECK((one.one.state - Vector{{0.0, 1.0 / 6}}).norm() <= 1e-15);
  CHECK(std::abs(one.one.margin) <= 1e-15);
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
    CHECK(std::abs(found.front().parameter + 1.0 / 3) <= 1e-15);
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
  CHECK(std::abs(found.front().parameter - 0.1) <= 1e-15);
  REQUIRE(found.front().other);
  CHECK(std::abs(found.front().one.eigenvalues[0].real() - found.front().other->eigenvalues[0].real()) <=
        1e-9);
  CHECK(std::abs(found.front().one.eigenvalues[1].real() - found.front().other->eigenvalues[1].real()) ==
        doctest::Approx(3));
}

TEST_CASE("a boundary equilibrium is the same in other units of states and of the parameter") {
  struct Units {
    double x, y, p;
  };
  for (const Units& unit : {Units{1e-6, 1e-6, 1}, Units{1e6, 1e6, 1}, Units{1e-5, 1e4, 1}, Units{1, 1, 1e8},
                            Units{1e4, 1, 1e-9}}) {
    const auto text_of = [](double value) {
      std::ostringstream text;
      text.precision(17);
      text << value;
      return text.str();
    };
    const std::string x = text_of(unit.x), y = text_of(unit.y), p = text_of(unit.p);
    for (const bool attracts : {true, false}) {
      CAPTURE(x);
      CAPTURE(y);
      CAPTURE(p);
      CAPTURE(attracts);
      const auto found = boundary_equilibria(
          "[parameters]\np = 0.0\n[states]\nx = \"0.5*" + x + "\"\ny = \"0.2*" + y +
              "\"\n[time]\nend = 1.0\n[surfaces]\nside = \"x\"\n[derivatives]\nx = \"if(side > 0, -x + " + x +
              "*(2*y/" + y + " + p/" + p + "), " + (attracts ? "" : "-") + x + ")\"\ny = \"" + y + "*(x/" +
              x + " - 3*y/" + y + " + 0.5)\"\n",
          -unit.p, 0.5 * unit.p, Vector{{unit.x, unit.y}});
      REQUIRE(found.size() == 1);
      CHECK(found.front().kind ==
            (attracts ? BoundaryEquilibriumKind::persistence : BoundaryEquilibriumKind::nonsmooth_fold));
      CHECK(std::abs(found.front().parameter / unit.p + 1.0 / 3) <= 1e-14);
      CHECK(std::abs(found.front().one.state[0]) <= 1e-14 * unit.x);
      CHECK(std::abs(found.front().one.state[1] / unit.y - 1.0 / 6) <= 1e-14);
    }
  }
}

TEST_CASE("an equilibrium that no other one meets ends alone, where an event fires") {
  // The equilibrium x = p^3, y = p^3 - 1 comes to the stop at x = 1/8 with p = 1/2.
  const auto found = boundary_equilibria(
      "[parameters]\np = 0.0\n[states]\nx = 0.0\ny = 0.2\n[time]\nend = 1.0\n[derivatives]\nx = \"p^3 - x\"\n"
      "y = \"x - y - 1\"\n[[stops]]\nname = \"full\"\nwhen = \"x - 0.125\"\ndirection = \"rising\"\n",
      -0.3, 0.9);
  REQUIRE(found.size() == 1);
  CHECK(found.front().kind == BoundaryEquilibriumKind::alone);
  CHECK_FALSE(found.front().other);
  CHECK_FALSE(found.front().one_above);
  CHECK(std::abs(found.front().parameter - 0.5) <= 1e-15);
  CHECK(found.front().reason.find("full") != std::string::npos);
}

TEST_CASE(
    "an equilibrium that comes to two surfaces one after the other becomes a pseudo-equilibrium of each") {
  // Above both surfaces the equilibrium is x = p, y = p^2 - 1/4 with p > 1/2 to be above both. Along y = 0 it has x = p as long as p > 0,
  // and then slides along both.
  const auto found = boundary_equilibria(
      "[parameters]\np = 0.9\n[states]\nx = 0.5\ny = 0.4\n[time]\nend = 1.0\n[surfaces]\nleft = \"x\"\nlow = "
      "\"y\"\n[derivatives]\nx = \"if(left > 0, p - x, 3)\"\ny = \"if(low > 0, p^2 - 0.25 - y, 2)\"\n",
      0.9, -0.4);
  REQUIRE(found.size() >= 2);
  std::vector<double> of_modes;
  for (const BoundaryEquilibrium& one : found) {
    CAPTURE(one.parameter);
    CAPTURE(one.one.mode.word());
    REQUIRE(one.other);
    CHECK(one.kind == BoundaryEquilibriumKind::persistence);
    if (one.one.mode.word() == "++" && one.other->mode.word() == "+0") {
      CHECK(std::abs(one.parameter - 0.5) <= 1e-15);
      CHECK((one.one.state - Vector{{0.5, 0.0}}).norm() <= 1e-15);
      of_modes.push_back(0.5);
    }
    if (one.one.mode.word() == "+0" && one.other->mode.word() == "00") {
      CHECK(std::abs(one.parameter) <= 1e-15);
      CHECK(one.one.state.norm() <= 1e-15);
      of_modes.push_back(0);
    }
  }
  CHECK(of_modes == std::vector<double>{0.5, 0});
}

TEST_CASE("a boundary equilibrium at a point of the grid is one bifurcation") {
  const auto found = boundary_equilibria(planar("1"), -1.0 / 3 - 0.2, -1.0 / 3 + 0.3);
  REQUIRE(found.size() == 1);
  CHECK(found.front().kind == BoundaryEquilibriumKind::persistence);
  CHECK(std::abs(found.front().parameter + 1.0 / 3) <= 1e-15);
}

TEST_CASE("a boundary equilibrium that is looked for in one value is refused") {
  CHECK_THROWS_AS(boundary_equilibria(planar("1"), 1, 1), std::invalid_argument);
}
