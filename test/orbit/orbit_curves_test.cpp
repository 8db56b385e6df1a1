// Curves of bifurcations of periodic orbits in the plane of two parameters, which have closed forms.
#include "slideway/orbit/orbit_curves.hpp"

#include <algorithm>
#include <functional>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kDriveLength = 2 * kPi;

// A model with the parameters a and b, and the plane in which its curves are followed.
struct OrbitPlaneCase {
  std::function<ModelInstance(double a, double b)> instance = {};
  std::function<double(double a, double b)> period = {};  // of the drive
  ParameterSpan a = {}, b = {};
  double begin = 0;
  double transient = 10 * kDriveLength;

  static std::function<ModelInstance(double, double)> of_text(const std::string& text) {
    return [text](double a, double b) { return instance_of(text, {{"a", a}, {"b", b}}); };
  }
  OrbitPlaneFamily family() const {
    return {.problem = [*this](double first, double second) { return instance(first, second).problem(); },
            .period = period};
  }
  OrbitGuess guess() const {
    const ModelInstance model = instance(a.first, begin);
    const double drive = period(a.first, begin);
    return guess_after(Simulator(model.problem(), {.rtol = 1e-9}),
                       {.start = 0, .end = std::round(transient / drive) * drive, .state = model.state},
                       drive);
  }
  OrbitCurve curve(const OrbitGuess& from, std::optional<Bifurcation> kind = {}) const {
    const OrbitCurves found =
        follow_orbit_curves(family(), from, {.first = a, .second = b, .begin = begin, .kind = kind});
    CAPTURE(found.branch.message);
    REQUIRE(found.curves.size() == 1);
    return found.curves.front();
  }
};

// The signature without touches, which change nothing.
std::string changing_signature(std::string signature) {
  if (!signature.empty()) signature += " ";
  for (std::size_t at = signature.find("grazing("); at != std::string::npos; at = signature.find("grazing("))
    signature.erase(at, signature.find(") ", at) + 2 - at);
  return signature;
}

void check_orbits_along(const OrbitCurve& curve, Bifurcation kind,
                        const std::function<double(double a, double b)>& closed_form,
                        std::size_t least = 10) {
  CAPTURE(curve.message);
  CHECK(curve.kind == kind);
  CHECK(curve.points.size() >= least);
  double worst = 0;
  for (const OrbitCurvePoint& point : curve.points)
    worst = std::max(worst, std::abs(closed_form(point.first, point.second)));
  CAPTURE(worst);
  CHECK(worst <= kExact);
}

// Branches in `a` over every tenth point have the bifurcation there, with the same signatures on both sides. Of a symmetric orbit two events
// change at once, and rounding decides which of them is told first.
void check_by_orbit_branches(const OrbitPlaneCase& plane, const OrbitCurve& curve, double width,
                             bool is_symmetric = false) {
  for (std::size_t k = 2; k < curve.points.size(); k += 10) {
    const OrbitCurvePoint& point = curve.points[k];
    // Beside a point where two bifurcations meet a branch has both of them.
    const bool is_special =
        std::any_of(curve.special.begin(), curve.special.end(), [&](const OrbitSpecialPoint& other) {
          return std::hypot(other.first - point.first, other.second - point.second) < 0.05;
        });
    if (is_special) continue;
    REQUIRE(point.orbit.converged);
    const OrbitPlaneFamily family = plane.family();
    const double second = point.second;
    OrbitFamily along{.problem = [=](double value) { return family.problem(value, second); }};
    if (family.period) along.period = [=](double value) { return family.period(value, second); };
    const double sign = plane.a.last > plane.a.first ? 1 : -1;
    const OrbitBranch branch = follow_periodic_orbit(
        along,
        {.start = point.orbit.start,
         .period = along.period ? along.period(point.first - sign * width) : point.orbit.period,
         .state = point.orbit.state,
         .location = point.orbit.location},
        {.first = point.first - sign * width, .last = point.first + sign * width, .points = 5});
    CAPTURE(branch.message);
    CAPTURE(point.first);
    CAPTURE(point.second);
    REQUIRE(branch.bifurcations.size() >= 1);
    CHECK(branch.bifurcations.front().kind == point.kind);
    CHECK(std::abs(branch.bifurcations.front().parameter - point.first) <= 2 * kExact);
    if (is_symmetric) {
      CHECK(branch.bifurcations.front().before != branch.bifurcations.front().after);
    } else if (point.kind == curve.kind && curve.before != curve.after) {
      CHECK(changing_signature(branch.bifurcations.front().before) == changing_signature(curve.before));
      CHECK(changing_signature(branch.bifurcations.front().after) == changing_signature(curve.after));
    }
  }
}

void check_special_point(const OrbitCurve& curve, const std::string& name, double a, double b,
                         double allowed) {
  REQUIRE(curve.special.size() == 1);
  const OrbitSpecialPoint& point = curve.special.front();
  CHECK(point.name == name);
  CAPTURE(point.first - a);
  CAPTURE(point.second - b);
  CHECK(std::hypot(point.first - a, point.second - b) <= allowed);
}

double drive_period(double, double) { return kDriveLength; }

// Below the surface z relaxes to a drive; above it falls fast, so that it slides where the drive pushes it up.
std::string pushed_to_limit(const std::string& drive) {
  return "[parameters]\na = 0.6\nb = 0.5\n[states]\nz = 0.5\n[time]\nend = 100.0\n[surfaces]\nlimit = \"z - "
         "1\"\n"
         "[derivatives]\nz = \"-z + a + " +
         drive + " - 5*(1 + sgn(limit))\"\n";
}

}  // namespace

TEST_CASE("the curve of grazing-sliding of a relaxing relay system is a line") {
  // z = a + b (cos t + sin t)/2 touches 1 from below.
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(pushed_to_limit("b*cos(t)")),
                             .period = drive_period,
                             .a = {0.5, 0.9, 9},
                             .b = {0.2, 0.7, 11},
                             .begin = 0.5};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(curve, Bifurcation::grazing_sliding,
                     [](double a, double b) { return a - 1 + b / std::sqrt(2.0); });
  CHECK(curve.special.empty());
  check_by_orbit_branches(plane, curve, 0.03);
}

TEST_CASE("a curve of grazing-sliding ends where the orbit touches a second surface") {
  // z = a + b (cos t + sin t)/2 touches 1 and -1, where a = 0 and b is the root of 2.
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(
                                 "[parameters]\na = 0.0\nb = 1.2\n[states]\nz = 0.5\n[time]\nend = "
                                 "100.0\n[surfaces]\nlimit = \"z - 1\"\n"
                                 "ground = \"z + 1\"\n[derivatives]\n"
                                 "z = \"-z + a + b*cos(t) - 5*(1 + sgn(limit)) + 5*(1 - sgn(ground))\"\n"),
                             .period = drive_period,
                             .a = {-0.14, 0.4, 10},
                             .b = {1.0, 1.8, 11},
                             .begin = 1.2};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(
      curve, Bifurcation::grazing_sliding, [](double a, double b) { return a - 1 + b / std::sqrt(2.0); }, 5);
  CAPTURE(curve.message);
  check_special_point(curve, "GS+GS", 0, std::sqrt(2.0), 1e-7);
}

TEST_CASE("the curve of adding-sliding of a relaxing relay system is a line") {
  // The push a - 1 + b sin t + 0.6 cos 2t has the minimum a - 1 + b - 0.6 inside of the sliding.
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(pushed_to_limit("b*sin(t) + 0.6*cos(2*t)")),
                             .period = drive_period,
                             .a = {1.55, 1.25, 9},
                             .b = {0.1, 0.3, 11},
                             .begin = 0.2};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(curve, Bifurcation::adding_sliding, [](double a, double b) { return a - 1.6 + b; });
  check_by_orbit_branches(plane, curve, 0.02);
}

TEST_CASE("curves of crossing-sliding and of switching-sliding end where the push is the greatest") {
  // w' = b + cos t - w below w = 0 and `a` less above it; the orbit leaves its sliding at arccos(-b) and returns at a time without `a`.
  const auto returns = [](double b) {
    const double leaves = std::acos(-b);
    const auto particular = [&](double t) { return b + 0.5 * (std::cos(t) + std::sin(t)); };
    const auto w = [&](double t) { return particular(t) - std::exp(leaves - t) * particular(leaves); };
    double low = kDriveLength - leaves, high = low;
    while (w(high) < 0) high += 0.01;
    for (int k = 0; k < 100; ++k) (w(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
    return 0.5 * (low + high);
  };
  OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(
                           "[parameters]\na = 0.6\nb = 0.0\n[states]\nw = -0.1\n[time]\nend = "
                           "100.0\n[surfaces]\nlimit = \"w\"\n"
                           "[derivatives]\nw = \"-w + b + cos(t) - 0.5*a*(1 + sgn(limit))\"\n"),
                       .period = drive_period,
                       .a = {0.45, 0.75, 10},
                       .b = {-0.6, 0.1, 15},
                       .begin = -0.3};
  // There the orbit returns with the period.
  double low = -0.6, high = 0;
  for (int k = 0; k < 100; ++k)
    (returns(0.5 * (low + high)) > kDriveLength ? low : high) = 0.5 * (low + high);
  for (const bool crosses : {true, false}) {
    CAPTURE(crosses);
    if (!crosses) {
      plane.a = {0.35, 0.55, 7};
      plane.begin = -0.55;
    }
    const OrbitCurve curve = plane.curve(plane.guess());
    check_orbits_along(
        curve, crosses ? Bifurcation::crossing_sliding : Bifurcation::switching_sliding,
        [&](double a, double b) { return a - b - std::cos(returns(b)); }, 5);
    check_special_point(curve, "CS+SS", low + 1, low, 1e-7);
    for (const OrbitCurvePoint& point : curve.points)
      CHECK(point.kind ==
            (point.second > low ? Bifurcation::crossing_sliding : Bifurcation::switching_sliding));
    check_by_orbit_branches(plane, curve, 0.01);
  }
}

TEST_CASE(
    "a driven block begins to stick on a curve, on both turning points of its symmetric orbit at once") {
  const OrbitPlaneCase plane{.instance =
                                 [](double a, double b) {
                                   return gallery_instance("dry_friction", {{"w", a}, {"mu", b}});
                                 },
                             .period = [](double a, double) { return kDriveLength / a; },
                             .a = {0.45, 0.7, 6},
                             .b = {0.35, 0.5, 9},
                             .begin = 0.4,
                             .transient = 400};
  const OrbitCurve curve = plane.curve(plane.guess());
  CHECK(curve.kind == Bifurcation::crossing_sliding);
  CHECK(curve.message.empty());
  CHECK(curve.special.empty());
  CHECK(curve.points.size() >= 10);
  check_by_orbit_branches(plane, curve, 0.01, true);
}

TEST_CASE("the curve of grazing of the linear impact oscillator is the amplitude of its response") {
  const OrbitPlaneCase plane{
      .instance =
          [](double a, double b) {
            return gallery_instance("impact_oscillator", {{"d", a}, {"w", b}, {"x", -0.17}});
          },
      .period = [](double, double b) { return kDriveLength / b; },
      .a = {0.23, 0.13, 9},
      .b = {2.4, 2.8, 11},
      .begin = 2.6,
      .transient = 240};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(curve, Bifurcation::grazing,
                     [](double a, double b) { return a - 1 / std::hypot(1 - b * b, 0.1 * b); });
  check_by_orbit_branches(plane, curve, 0.02);
}

TEST_CASE("the curve of period doublings of a ball on a vibrating table has its closed form") {
  // The amplitude of the table is a, and the restitution b.
  const double w = 60, g = 9.81, begin = 0.5, first = 0.0035;
  const auto phase_part = [](double e) { return kPi * (1 - e) / (1 + e); };
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(R"TOML(
[parameters]
a = 0.0035
b = 0.5
[states]
x = 0.02
v = 0.6
[time]
end = 1.0
[derivatives]
x = "v"
v = "-9.81"
[[contacts]]
name = "table"
gap = "x - a*sin(60*t)"
acts_on = { v = "1" }
restitution = "b"
)TOML"),
                             .period = [=](double, double) { return kDriveLength / w; },
                             .a = {first, 0.006, 11},
                             .b = {0.42, 0.58, 11},
                             .begin = begin};
  const double phase = std::acos(g * phase_part(begin) / (first * w * w));
  const double period = 2 * kPi / w, speed = 0.5 * g * period, t = period - phase / w;
  const Vector state{{first * std::sin(phase) + speed * t - 0.5 * g * t * t, speed - g * t}};
  const OrbitCurve curve = plane.curve({.period = period, .state = state});
  check_orbits_along(curve, Bifurcation::period_doubling, [&](double a, double b) {
    const double c = phase_part(b), s = 2 * (1 + b * b) / ((1 + b) * (1 + b));
    return a - g / (w * w) * std::sqrt(c * c + s * s);
  });
  check_by_orbit_branches(plane, curve, 3e-4);
}

TEST_CASE("the curve of folds of limit cycles is a parabola") {
  // r' = r (a + 2 b r^2 - r^4).
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(R"TOML(
[parameters]
a = 0.2
b = 1.0
[states]
x = 1.0
y = 0.0
[time]
end = 1.0
[definitions]
r2 = "x^2 + y^2"
rate = "a + 2*b*r2 - r2^2"
[derivatives]
x = "rate*x - y"
y = "rate*y + x"
)TOML"),
                             .a = {0.2, -2, 23},
                             .b = {0.7, 1.3, 13},
                             .begin = 1};
  const OrbitCurves found = follow_orbit_curves(plane.family(), {.period = 6.0, .state = Vector{{1.4, 0.0}}},
                                                {.first = plane.a,
                                                 .second = plane.b,
                                                 .begin = plane.begin,
                                                 .kind = Bifurcation::fold,
                                                 .most_points = 60});
  REQUIRE(found.curves.size() == 1);
  check_orbits_along(found.curves.front(), Bifurcation::fold, [](double a, double b) { return a + b * b; });
  check_by_orbit_branches(plane, found.curves.front(), 0.05);
}

TEST_CASE("the curve of tori of a driven rotation is where its damping vanishes") {
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(R"TOML(
[parameters]
a = -0.1
b = 0.0
[states]
x = 0.0
y = 0.0
[time]
end = 1.0
[derivatives]
x = "(a - b^2)*x - 0.4*y + cos(t)"
y = "0.4*x + (a - b^2)*y"
)TOML"),
                             .period = drive_period,
                             .a = {-0.2, 0.3, 11},
                             .b = {-0.4, 0.4, 11},
                             .begin = 0.1};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(curve, Bifurcation::torus, [](double a, double b) { return a - b * b; });
  check_by_orbit_branches(plane, curve, 0.05);
}

TEST_CASE("a limit cycle of a planar relay system begins to slide where its circle touches the surface") {
  // A circle of radius b about (a, 0); beyond x = 2 the relay pushes back.
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(R"TOML(
[parameters]
a = 0.6
b = 1.0
[states]
x = -0.4
y = 0.0
[time]
end = 1.0
[definitions]
rate = "b^2 - (x - a)^2 - y^2"
[surfaces]
edge = "x - 2"
[derivatives]
x = "(x - a)*rate - y - 5*(1 + sgn(edge))"
y = "y*rate + x - a"
)TOML"),
                             .a = {0.6, 1.4, 9},
                             .b = {0.7, 1.3, 11},
                             .begin = 1};
  const OrbitCurve curve = plane.curve({.period = 6.28, .state = Vector{{-0.4, 0.0}}});
  check_orbits_along(curve, Bifurcation::grazing_sliding, [](double a, double b) { return a + b - 2; });
  check_by_orbit_branches(plane, curve, 0.02);
}

TEST_CASE(
    "the multipliers on a curve of tori are third and fourth roots of 1 where the rotation fits the drive") {
  // The multipliers exp(2 pi (a +- i b)).
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(R"TOML(
[parameters]
a = -0.1
b = 0.3
[states]
x = 0.0
y = 0.0
[time]
end = 1.0
[derivatives]
x = "a*x - b*y + cos(t)"
y = "b*x + a*y"
)TOML"),
                             .period = drive_period,
                             .a = {-0.1, 0.1, 11},
                             .b = {0.2, 0.4, 11},
                             .begin = 0.3};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(curve, Bifurcation::torus, [](double a, double) { return a; });
  REQUIRE(curve.special.size() == 2);
  for (const OrbitSpecialPoint& point : curve.special) {
    CHECK(std::abs(point.first) <= kExact);
    CHECK(std::abs(point.second - (point.name == "R4" ? 1.0 / 4 : 1.0 / 3)) <= kExact);
  }
  CHECK(curve.special.front().name != curve.special.back().name);
}

TEST_CASE("a curve of folds of driven orbits has its cusp") {
  // x = s at the fold of a + b x - x^3: b = 3 s^2 and a = -2 s^3.
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(R"TOML(
[parameters]
a = -1.0
b = 0.5
[states]
x = -1.2
y = 0.0
[time]
end = 1.0
[derivatives]
x = "a + b*x - x^3"
y = "-y + cos(t)"
)TOML"),
                             .period = drive_period,
                             .a = {-0.8, 0.8, 17},
                             .b = {-0.3, 1.0, 14},
                             .begin = 0.5};
  const OrbitCurve curve = plane.curve(plane.guess());
  check_orbits_along(curve, Bifurcation::fold, [](double a, double b) { return 4 * b * b * b - 27 * a * a; });
  check_special_point(curve, "CP", 0, 0, 1e-6);
}

TEST_CASE("curves of branch points and of boundary equilibria of orbits are refused") {
  const OrbitPlaneCase plane{.instance = OrbitPlaneCase::of_text(pushed_to_limit("b*cos(t)")),
                             .period = drive_period,
                             .a = {0.5, 0.9, 9},
                             .b = {0.2, 0.7, 11},
                             .begin = 0.5};
  for (const Bifurcation kind :
       {Bifurcation::branch_point, Bifurcation::boundary_equilibrium, Bifurcation::other})
    CHECK_THROWS_AS(plane.curve({.period = kDriveLength, .state = Vector{{0.5}}}, kind),
                    std::invalid_argument);
}
