// Bifurcations of driven problems with closed forms, one of each name.
#include "slideway/model/from_functor.hpp"
#include "slideway/orbit/orbit_branch.hpp"
#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kDrive = 2 * kPi;
constexpr double tolerances[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};

OrbitBranch branch_of(const std::string& text, double first, double last, Index points, double rtol = 1e-10) {
  const auto problem = [=](double value) { return instance_of(text, {{"p", value}}).problem(); };
  const ModelInstance instance = instance_of(text, {{"p", first}});
  const OrbitGuess guess = guess_after(Simulator(instance.problem(), {.rtol = 1e-9}),
                                       {.start = 0, .end = 10 * kDrive, .state = instance.state}, kDrive);
  return follow_periodic_orbit(
      {.problem = problem, .period = [](double) { return kDrive; }}, guess,
      {.orbit = {.run = {.rtol = rtol}}, .first = first, .last = last, .points = points});
}

// The one bifurcation on the branch, which goes on behind it.
void check_only(const OrbitBranch& branch, Bifurcation kind, double parameter, double allowed) {
  CAPTURE(branch.message);
  CHECK(branch.complete);
  for (const BranchBifurcation& found : branch.bifurcations) {
    CAPTURE(to_string(found.kind));
    CAPTURE(found.parameter - parameter);
    CAPTURE(allowed);
    CAPTURE(found.reason);
    CHECK(found.kind == kind);
    CHECK(std::abs(found.parameter - parameter) <= allowed);
  }
  for (const BranchBifurcation& found : branch.bifurcations)
    if (kind != Bifurcation::torus && kind != Bifurcation::branch_point)
      CHECK(found.reason.find("bisected") == std::string::npos);
  CHECK(branch.bifurcations.size() == 1);
}

// Below the surface z relaxes to a drive; above it falls fast, so that it slides where the drive pushes it up.
std::string relaxing_under(const std::string& drive) {
  return "[parameters]\np = 0.6\n[states]\nz = 0.5\n[time]\nend = 100.0\n[surfaces]\nlimit = \"z - 1\"\n"
         "[derivatives]\nz = \"-z + p + " +
         drive + " - 5*(1 + sgn(limit))\"\n";
}

}  // namespace

TEST_CASE("a torus is born where the damping of a driven rotation vanishes") {
  const std::string rotation = R"TOML(
[parameters]
p = -0.1
[states]
x = 0.0
y = 0.0
[time]
end = 1.0
[derivatives]
x = "p*x - 0.4*y + cos(t)"
y = "0.4*x + p*y"
)TOML";
  check_only(branch_of(rotation, -0.1, 0.1, 8), Bifurcation::torus, 0, 1e-8);
}

TEST_CASE("a pitchfork is a branch point, at which the parameter does not turn") {
  const std::string pitchfork = R"TOML(
[parameters]
p = -0.1
[states]
x = 0.0
y = 0.0
[time]
end = 1.0
[derivatives]
x = "p*x - x^3"
y = "-y + cos(t)"
)TOML";
  check_only(branch_of(pitchfork, -0.1, 0.1, 8), Bifurcation::branch_point, 0, 1e-7);
}

TEST_CASE("an orbit that touches an attracting surface grazes and slides from the closed form on") {
  // z = p + a (cos t + sin t)/2 touches 1 from below.
  for (const double rtol : tolerances)
    check_only(branch_of(relaxing_under("0.5*cos(t)"), 0.6, 0.7, 6, rtol), Bifurcation::grazing_sliding,
               1 - 0.5 / std::sqrt(2.0), 10 * rtol);
}

namespace {

// z relaxes below its level, and falls fast above it.
struct Relaxing {
  double p, level;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - level; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = -x[0] + p + 0.5 * cos(t) - 5 * (1 + lambda[0]);
  }
};

}  // namespace

TEST_CASE("an orbit of an automaton grazes the surface of the location that it is in") {
  // At night, in which the automaton begins, the surface is at 5, by day at 1, where z touches it.
  const auto problem = [](double p) {
    const auto location = [&](double level) {
      return from_functor(Relaxing{p, level}, {.states = 1, .surfaces = 1, .surface_names = {"limit"}});
    };
    const auto edge = [](const char* name, const char* from, const char* to, Direction direction) {
      const auto sun = [](auto t, const auto&) {
        using std::sin;
        return sin(t + 0.7);
      };
      return Edge{.name = name, .from = from, .to = to, .when = Guard(sun), .direction = direction};
    };
    return Automaton(
        {{"night", location(5)}, {"day", location(1)}},
        {edge("dusk", "day", "night", Direction::falling), edge("dawn", "night", "day", Direction::rising)},
        "night");
  };
  for (const double rtol : tolerances) {
    CAPTURE(rtol);
    const OrbitGuess guess = guess_after(Simulator(problem(0.6), {.rtol = 1e-9}),
                                         {.start = 0, .end = 10 * kDrive, .state = Vector{{0.5}}}, kDrive);
    check_only(
        follow_periodic_orbit({.problem = problem, .period = [](double) { return kDrive; }}, guess,
                              {.orbit = {.run = {.rtol = rtol}}, .first = 0.6, .last = 0.7, .points = 6}),
        Bifurcation::grazing_sliding, 1 - 0.5 / std::sqrt(2.0), 10 * rtol);
  }
}

TEST_CASE("sliding is interrupted where the least push of the drive vanishes") {
  // The push p - 1 + a sin t + b cos 2t has its minima p - 1 + a - b and p - 1 - a - b.
  for (const double rtol : tolerances)
    check_only(branch_of(relaxing_under("0.2*sin(t) + 0.6*cos(2*t)"), 1.45, 1.35, 6, rtol),
               Bifurcation::adding_sliding, 1 - 0.2 + 0.6, 10 * rtol);
}

namespace {

// w' = p + cos t - w below the surface w = 0 and K less above it. The orbit leaves its sliding where p + cos t falls through
// zero, comes back to the surface at a time that K has no part in, and crosses it there if p + cos t is above K.
struct SlidingBoundary {
  double p;

  double leaves() const { return std::acos(-p); }
  double below(double t) const {
    const auto particular = [&](double at) { return p + 0.5 * (std::cos(at) + std::sin(at)); };
    return particular(t) - std::exp(leaves() - t) * particular(leaves());
  }
  double returns() const {
    double low = kDrive - leaves(), high = low;
    while (below(high) < 0) high += 0.01;
    for (int k = 0; k < 100; ++k) (below(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
    return 0.5 * (low + high);
  }
  double push() const { return p + std::cos(returns()); }
  std::string text() const {
    return "[parameters]\nK = 0.6\n[states]\nw = -0.1\n[time]\nend = 100.0\n[surfaces]\nlimit = \"w\"\n"
           "[derivatives]\nw = \"-w + " +
           number(p) + " + cos(t) - 0.5*K*(1 + sgn(limit))\"\n";
  }
  static std::string number(double value) { return std::to_string(value); }
  OrbitBranch branch(double first, double last, double rtol) const {
    const std::string model = text();
    const auto instance = [=](double value) { return instance_of(model, {{"K", value}}); };
    const OrbitGuess guess =
        guess_after(Simulator(instance(first).problem(), {.rtol = 1e-9}),
                    {.start = 0, .end = 4 * kDrive, .state = instance(first).state}, kDrive);
    return follow_periodic_orbit(
        {.problem = [=](double value) { return instance(value).problem(); },
         .period = [](double) { return kDrive; }},
        guess, {.orbit = {.run = {.rtol = rtol}}, .first = first, .last = last, .points = 7});
  }
};

}  // namespace

TEST_CASE("a crossing begins to slide where the push above the surface vanishes while it grows") {
  const SlidingBoundary exact{.p = 0.0};
  REQUIRE(exact.returns() < kDrive);
  for (const double rtol : tolerances) {
    const OrbitBranch branch = exact.branch(exact.push() - 0.05, exact.push() + 0.03, rtol);
    check_only(branch, Bifurcation::crossing_sliding, exact.push(), 10 * rtol);
    CHECK(branch.points.front().orbit.signature.find("crossing(limit)") != std::string::npos);
  }
}

TEST_CASE("sliding begins in a crossing where the push above the surface vanishes while it falls") {
  const SlidingBoundary exact{.p = -0.6};
  REQUIRE(exact.returns() > kDrive);
  for (const double rtol : tolerances)
    check_only(exact.branch(exact.push() - 0.03, exact.push() + 0.03, rtol), Bifurcation::switching_sliding,
               exact.push(), 10 * rtol);
}

TEST_CASE("an oscillator begins to touch its stop at the amplitude of its linear response") {
  const double w = 2.6;
  const double amplitude = 1 / std::hypot(1 - w * w, 0.1 * w);
  const auto instance = [=](double d) { return gallery_instance("impact_oscillator", {{"d", d}, {"w", w}}); };
  const double period = 2 * kPi / w;
  const double first = 1.1 * amplitude;
  const OrbitGuess guess =
      guess_after(Simulator(instance(first).problem(), {.rtol = 1e-9}),
                  {.start = 0, .end = 100 * period, .state = instance(first).state}, period);
  for (const double rtol : tolerances) {
    const OrbitBranch branch = follow_periodic_orbit(
        {.problem = [=](double d) { return instance(d).problem(); },
         .period = [=](double) { return period; }},
        guess, {.orbit = {.run = {.rtol = rtol}}, .first = first, .last = 0.9 * amplitude, .points = 7});
    // The derivative grows like a root behind the touch, where the branch may end.
    CAPTURE(branch.message);
    CAPTURE(rtol);
    REQUIRE(branch.bifurcations.size() >= 1);
    CHECK(branch.bifurcations.front().kind == Bifurcation::grazing);
    CHECK(branch.bifurcations.front().reason.find("bisected") == std::string::npos);
    CHECK(std::abs(branch.bifurcations.front().parameter - amplitude) <= 10 * rtol);
  }
}

TEST_CASE("a branch that ends at a touch, behind which no orbit is near, tells the grazing") {
  const double w = 2.6, period = 2 * kPi / w;
  const double amplitude = 1 / std::hypot(1 - w * w, 0.1 * w);
  const auto instance = [=](double d) {
    return gallery_instance("impact_oscillator", {{"d", d}, {"w", w}, {"x", -0.17}});
  };
  const OrbitGuess guess =
      guess_after(Simulator(instance(0.23).problem(), {.rtol = 1e-9}),
                  {.start = 0, .end = 100 * period, .state = instance(0.23).state}, period);
  const OrbitBranch branch = follow_periodic_orbit(
      {.problem = [=](double d) { return instance(d).problem(); }, .period = [=](double) { return period; }},
      guess, {.first = 0.23, .last = 0.13, .points = 9});
  CHECK_FALSE(branch.complete);
  REQUIRE(branch.bifurcations.size() == 1);
  CHECK(branch.bifurcations.front().kind == Bifurcation::grazing);
  CHECK(std::abs(branch.bifurcations.front().parameter - amplitude) <= 1e-9);
}
