// Curves of bifurcations of equilibria in the plane of two parameters, which have closed forms.
#include "slideway/orbit/equilibrium_curves.hpp"

#include <algorithm>
#include <functional>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// What is exact to rounding is found to this.
constexpr double kRounding = 1e-12;

struct Plane {
  std::string text = {};
  ParameterSpan a = {-1, 1, 21};
  ParameterSpan b = {-1, 1, 21};
  double begin = 0.5;

  Automaton problem(double first, double second) const {
    return instance_of(text, {{"a", first}, {"b", second}}).problem();
  }
  Run run() const {
    const ModelInstance instance = instance_of(text);
    return {.start = 0, .end = 1, .state = instance.state};
  }
  EquilibriumOptions search() const {
    const Index n = run().state.size();
    return {.lower = Vector::Constant(n, -2), .upper = Vector::Constant(n, 2), .starts = 8};
  }
  std::vector<EquilibriumCurve> curves(std::optional<EquilibriumBifurcation> kind = {}) const {
    return follow_equilibrium_curves(
        [&](double first, double second) { return problem(first, second); }, run(),
        {.equilibria = search(), .first = a, .second = b, .begin = begin, .kind = kind});
  }
};

Plane plane_of(const std::string& states, const std::string& equations, const std::string& surfaces = "") {
  std::string begin;
  for (const char state : states) begin += std::string(1, state) + " = 0.3\n";
  return {.text = "[parameters]\na = 0.1\nb = 0.5\n[states]\n" + begin + "[time]\nend = 1.0\n" + surfaces +
                  "[derivatives]\n" + equations};
}

// The only curve of a kind.
EquilibriumCurve curve_of(const std::vector<EquilibriumCurve>& curves, EquilibriumBifurcation kind) {
  std::vector<EquilibriumCurve> matching;
  for (const EquilibriumCurve& curve : curves)
    if (curve.kind == kind) matching.push_back(curve);
  CAPTURE(to_string(kind));
  REQUIRE(matching.size() == 1);
  CAPTURE(matching.front().message);
  CHECK(matching.front().message.empty());
  return matching.front();
}

// The closed form vanishes all along the curve, which has enough points.
void check_along(const EquilibriumCurve& curve, const std::function<double(double a, double b)>& closed_form,
                 double allowed = kRounding) {
  CHECK(curve.points.size() >= 15);
  double worst = 0;
  for (const EquilibriumCurvePoint& point : curve.points)
    worst = std::max(worst, std::abs(closed_form(point.first, point.second)));
  CHECK(worst <= allowed);
}

// Branches in `a` over every tenth point have the bifurcation there, and it is the only one of its kind so near.
void check_by_branches(const Plane& plane, const EquilibriumCurve& curve) {
  int checked = 0;
  for (std::size_t k = 5; k + 1 < curve.points.size(); k += 10) {
    const EquilibriumCurvePoint& point = curve.points[k];
    // Where the curve runs along `a` no branch in it crosses the curve.
    const double along_a = curve.points[k + 1].first - curve.points[k - 1].first;
    const double along_b = curve.points[k + 1].second - curve.points[k - 1].second;
    if (std::abs(along_b) < 0.5 * std::abs(along_a) || point.neutral_saddle) continue;
    // Beside a point where two bifurcations meet a branch has both of them.
    const bool is_special =
        std::any_of(curve.special.begin(), curve.special.end(), [&](const EquilibriumSpecialPoint& other) {
          return std::hypot(other.first - point.first, other.second - point.second) < 0.02;
        });
    if (is_special) continue;
    const auto branches =
        follow_equilibria([&](double value) { return plane.problem(value, point.second); }, plane.run(),
                          {.equilibria = plane.search(),
                           .first = point.first - 0.011,
                           .last = point.first + 0.009,
                           .points = 2});
    bool found = false;
    for (const EquilibriumBranch& branch : branches)
      for (const EquilibriumBranchBifurcation& bifurcation : branch.bifurcations)
        found = found ||
                (bifurcation.kind == curve.kind && std::abs(bifurcation.parameter - point.first) <= kExact);
    CAPTURE(point.first);
    CAPTURE(point.second);
    CHECK(found);
    ++checked;
  }
  CHECK(checked > 0);
}

EquilibriumSpecialPoint special_of(const EquilibriumCurve& curve, EquilibriumCodimensionTwo kind) {
  std::vector<EquilibriumSpecialPoint> matching;
  std::string all;
  for (const EquilibriumSpecialPoint& point : curve.special) {
    all += std::string(to_string(point.kind)) + " ";
    if (point.kind == kind) matching.push_back(point);
  }
  CAPTURE(all);
  REQUIRE(matching.size() == 1);
  return matching.front();
}

void check_at(const EquilibriumSpecialPoint& point, double a, double b, double allowed = kRounding) {
  CAPTURE(point.first - a);
  CAPTURE(point.second - b);
  CHECK(std::hypot(point.first - a, point.second - b) <= allowed);
}

}  // namespace

TEST_CASE("two folds of equilibria are one curve, which has a cusp") {
  // x = s at the fold of a + b x - x^3: b = 3 s^2 and a = -2 s^3.
  const Plane plane = plane_of("xy", "x = \"a + b*x - x^3\"\ny = \"x - y\"\n");
  const auto curves = plane.curves();
  REQUIRE(curves.size() == 1);
  const EquilibriumCurve curve = curve_of(curves, EquilibriumBifurcation::fold);
  check_along(curve, [](double a, double b) { return 4 * b * b * b - 27 * a * a; });
  for (const EquilibriumCurvePoint& point : curve.points) {
    const double s = point.equilibrium.state[0];
    CHECK(std::abs(point.second - 3 * s * s) <= kRounding);
    CHECK(std::abs(point.first + 2 * s * s * s) <= kRounding);
  }
  CHECK(std::abs(curve.points.front().second - 1) <= kRounding);
  CHECK(std::abs(curve.points.back().second - 1) <= kRounding);
  // The second derivative of the field is a difference of exact first ones.
  check_at(special_of(curve, EquilibriumCodimensionTwo::cusp), 0, 0, kExact);
  CHECK(curve.special.size() == 1);
  check_by_branches(plane, curve);
}

TEST_CASE("curves of folds and Hopf bifurcations meet where two eigenvalues vanish") {
  // With the state (x, 0): the trace b + x and the determinant -2 x, where a = -x^2.
  const Plane plane = plane_of("xy", "x = \"y\"\ny = \"a + b*y + x^2 + x*y\"\n");
  const auto curves = plane.curves();
  const EquilibriumCurve fold = curve_of(curves, EquilibriumBifurcation::fold);
  const EquilibriumCurve hopf = curve_of(curves, EquilibriumBifurcation::hopf);
  check_along(fold, [](double a, double) { return a; });
  check_along(hopf, [](double a, double b) { return a + b * b; });
  check_at(special_of(fold, EquilibriumCodimensionTwo::bogdanov_takens), 0, 0);
  check_at(special_of(hopf, EquilibriumCodimensionTwo::bogdanov_takens), 0, 0);
  for (const EquilibriumCurvePoint& point : hopf.points)
    if (std::abs(point.second) > 1e-6) CHECK(point.neutral_saddle == (point.second < 0));
  check_by_branches(plane, fold);
  check_by_branches(plane, hopf);
}

TEST_CASE(
    "a pair of eigenvalues comes to the imaginary axis on a curve of folds, and a second pair on one of "
    "Hopf") {
  const Plane fold = plane_of("xyz", "x = \"b*x - 2*y\"\ny = \"2*x + b*y\"\nz = \"a - z^2\"\n");
  check_at(
      special_of(curve_of(fold.curves(), EquilibriumBifurcation::fold), EquilibriumCodimensionTwo::fold_hopf),
      0, 0);
  const Plane hopf = plane_of("xyzu",
                              "x = \"a*x - 2*y\"\ny = \"2*x + a*y\"\nz = \"(a + b)*z - 3*u\"\n"
                              "u = \"3*z + (a + b)*u\"\n");
  const auto curves = hopf.curves();
  REQUIRE(curves.size() == 2);
  for (const EquilibriumCurve& curve : curves)
    check_at(special_of(curve, EquilibriumCodimensionTwo::double_hopf), 0, 0);
}

TEST_CASE("boundary equilibria of planar linear systems lie on a line, and persist or vanish in pairs") {
  // For x > 0 the equilibrium x = 3 a + 2 b; along x = 0 the pseudo-equilibrium needs 3 a + 2 b of the sign that is not that of the field
  // beyond.
  for (const bool persists : {true, false}) {
    const Plane plane = plane_of("xy",
                                 std::string("x = \"if(side > 0, -x + 2*y + a, ") + (persists ? "1" : "-1") +
                                     ")\"\ny = \"x - 3*y + b\"\n",
                                 "[surfaces]\nside = \"x\"\n");
    const auto curves = plane.curves();
    REQUIRE(curves.size() == 1);
    const EquilibriumCurve curve = curve_of(curves, EquilibriumBifurcation::boundary_equilibrium);
    check_along(curve, [](double a, double b) { return 3 * a + 2 * b; });
    for (const EquilibriumCurvePoint& point : curve.points)
      CHECK(point.boundary ==
            (persists ? BoundaryEquilibriumKind::persistence : BoundaryEquilibriumKind::nonsmooth_fold));
    CHECK(curve.special.empty());
    check_by_branches(plane, curve);
  }
}

TEST_CASE("a curve of boundary equilibria that comes back to its begin is closed") {
  Plane plane = plane_of("xy", "x = \"if(side > 0, -x + a^2 + b^2 - 0.25, 1)\"\ny = \"x - y\"\n",
                         "[surfaces]\nside = \"x\"\n");
  plane.begin = 0.2;
  const EquilibriumCurve curve = curve_of(plane.curves(), EquilibriumBifurcation::boundary_equilibrium);
  CHECK(curve.closed);
  check_along(curve, [](double a, double b) { return a * a + b * b - 0.25; });
  check_by_branches(plane, curve);
}

TEST_CASE("where a fold comes to the surface, persistence turns into a non-smooth fold") {
  // The fold x = 0 at a = 0, and the equilibria x = -b at the surface with a = b^2.
  const Plane plane =
      plane_of("xy", "x = \"if(side > 0, a - x^2, 1)\"\ny = \"x - y\"\n", "[surfaces]\nside = \"x + b\"\n");
  const auto curves = plane.curves();
  const EquilibriumCurve fold = curve_of(curves, EquilibriumBifurcation::fold);
  check_along(fold, [](double a, double) { return a; });
  check_at(special_of(fold, EquilibriumCodimensionTwo::boundary_fold), 0, 0);
  const EquilibriumCurve boundary = curve_of(curves, EquilibriumBifurcation::boundary_equilibrium);
  check_along(boundary, [](double a, double b) { return a - b * b; });
  check_at(special_of(boundary, EquilibriumCodimensionTwo::boundary_fold), 0, 0);
  for (const EquilibriumCurvePoint& point : boundary.points)
    if (std::abs(point.second) > 1e-6)
      CHECK(point.boundary == (point.second < 0 ? BoundaryEquilibriumKind::persistence
                                                : BoundaryEquilibriumKind::nonsmooth_fold));
  check_by_branches(plane, boundary);
}

TEST_CASE("a Hopf bifurcation and a second surface are told on curves that come to them") {
  const Plane turning = plane_of("xy", "x = \"if(side > 0, a*(x - b) - y, 1)\"\ny = \"x - b + a*y\"\n",
                                 "[surfaces]\nside = \"x\"\n");
  check_at(special_of(curve_of(turning.curves(EquilibriumBifurcation::hopf), EquilibriumBifurcation::hopf),
                      EquilibriumCodimensionTwo::boundary_hopf),
           0, 0);
  const Plane corner = plane_of("xy", "x = \"if(side > 0, a - x, 1)\"\ny = \"if(ground > 0, b - y, 1)\"\n",
                                "[surfaces]\nside = \"x\"\nground = \"y\"\n");
  bool found = false;
  for (const EquilibriumCurve& curve : corner.curves())
    for (const EquilibriumSpecialPoint& point : curve.special) {
      CHECK(point.kind == EquilibriumCodimensionTwo::double_boundary);
      check_at(point, 0, 0);
      found = true;
    }
  CHECK(found);
}

TEST_CASE("curves of branch points, and branches outside of the plane, are refused") {
  Plane plane = plane_of("xy", "x = \"a + b*x - x^3\"\ny = \"x - y\"\n");
  CHECK_THROWS_AS(plane.curves(EquilibriumBifurcation::branch_point), std::invalid_argument);
  plane.begin = 2;
  CHECK_THROWS_AS(plane.curves(), std::invalid_argument);
  plane.begin = 0.5;
  plane.b.last = plane.b.first;
  CHECK_THROWS_AS(plane.curves(), std::invalid_argument);
}
