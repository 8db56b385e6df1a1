// Contacts with friction in a plane: slip that turns, stops and begins, bodies that roll, impacts. What is expected has closed forms.
#include <algorithm>
#include <cmath>
#include <string>

#include "test/simulate/gravity.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr Method every_stepper[] = {Method::dopri5, Method::dop853, Method::rodas,
                                    Method::adams,  Method::bdf,    Method::automatic};

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// A block on a slope: x down the slope, y along it, z across. `units` of length and of mass.
std::string block(double alpha, double mu, double vx, double vy, double end, double length = 1,
                  const std::string& more = "") {
  return "[parameters]\nm = 2.0\ng = " + number(kGravity * length) + "\nalpha = " + number(alpha) +
         "\nmu = " + number(mu) + "\n[states]\nx = 0\ny = 0\nz = 0\nvx = " + number(vx * length) +
         "\nvy = " + number(vy * length) + "\nvz = 0\n[time]\nend = " + number(end) +
         "\n[derivatives]\nx = \"vx\"\ny = \"vy\"\nz = \"vz\"\nvx = \"g*sin(alpha)\"\nvy = \"0\"\nvz = "
         "\"-g*cos(alpha)\"\n[[contacts]]\nname = \"slope\"\ngap = \"z\"\nacts_on = { vz = \"1/m\" "
         "}\nrestitution = "
         "0\nfriction = { name = [\"Fx\", \"Fy\"], mu = \"mu\"" +
         more + ", velocity = [\"vx\", \"vy\"], acts_on = [{ vx = \"1/m\" }, { vy = \"1/m\" }] }\n";
}

std::string ball(double restitution, double mu, const std::string& start, double end) {
  return "[parameters]\nm = 0.17\nR = 0.03\ng = 9.81\nmu = " + number(mu) +
         "\nI = \"0.4*m*R^2\"\n[states]\nx = 0\ny = 0\n" + start + "\n[time]\nend = " + number(end) + R"toml(
[derivatives]
x = "vx"
y = "vy"
z = "vz"
vx = "0"
vy = "0"
vz = "-g"
wx = "0"
wy = "0"
wz = "0"
[[contacts]]
name = "cloth"
gap = "z - R"
acts_on = { vz = "1/m" }
friction = { mu = "mu", velocity = ["vx - R*wy", "vy + R*wx"], acts_on = [{ vx = "1/m", wy = "-R/I" }, { vy = "1/m", wx = "R/I" }] }
restitution = )toml" +
         number(restitution) + "\n";
}

std::string kinds(const Solution& solution) {
  std::string text;
  for (const EventRecord& event : solution.events)
    text += (text.empty() ? "" : ", ") + std::string(to_string(event.kind));
  return text;
}

}  // namespace

TEST_CASE("a block thrown along a plane goes straight, stops at v/(mu g) and stays") {
  const double mu = 0.4, speed = 3;
  for (const double angle : {0.0, 0.7, 2.5, -1.2}) {
    CAPTURE(angle);
    const double stops = speed / (mu * kGravity);
    const double way = 0.5 * speed * stops;
    for_all_methods(
        block(0, mu, speed * std::cos(angle), speed * std::sin(angle), 5),
        [&](const Finished& finished, double rtol) {
          REQUIRE(kinds(finished.solution) == "sliding_entry");
          CHECK(finished.solution.events[0].surface_names.front() == "slip of slope");
          CHECK(std::abs(finished.solution.events[0].t - stops) < 10 * rtol);
          CHECK(std::abs(finished.end(0) - way * std::cos(angle)) < 100 * rtol);
          CHECK(std::abs(finished.end(1) - way * std::sin(angle)) < 100 * rtol);
          CHECK(std::hypot(finished.end(3), finished.end(4)) < 1e-15);
          CHECK(finished.solution.final.mode.word() == "00");
          CHECK(finished.observed("Fx", 0.1) == doctest::Approx(-2 * mu * kGravity * std::cos(angle)));
          CHECK(finished.observed("Fy", 0.1) == doctest::Approx(-2 * mu * kGravity * std::sin(angle)));
          CHECK(std::abs(finished.observed("Fx", 4.0)) < 1e-12);
        });
  }
}

TEST_CASE("a block at rest on a slope below its angle of friction does not creep") {
  for_all_methods(block(0.3, 0.4, 0, 0, 1000), [](const Finished& finished, double) {
    CHECK(finished.solution.events.empty());
    CHECK(finished.solution.final.mode.word() == "00");
    CHECK(std::abs(finished.end(0)) < 1e-12);
    CHECK(std::abs(finished.end(3)) < 1e-15);
    CHECK(finished.observed("Fx", 500) == doctest::Approx(-2 * kGravity * std::sin(0.3)).epsilon(1e-13));
  });
}

TEST_CASE("a block thrown across a slope turns down and stops where the equation of its angle says") {
  // With u the tangent of half the angle from downhill and k = mu/tan(alpha): v = v0 u^(k-1) (1 + u^2)/2, dt = -v0 (u^(k-2) + u^k) du/(2 g sin(alpha)).
  const double alpha = 0.3, v0 = 2;
  for (const double k : {1.3, 2.0, 4.0}) {
    CAPTURE(k);
    const double mu = k * std::tan(alpha);
    const double pull = kGravity * std::sin(alpha);
    const double stops = v0 / pull * k / (k * k - 1);
    const double x = v0 * v0 / (4 * pull * (k * k - 1));
    const double y = v0 * v0 / (2 * pull) * 4 * k / (4 * k * k - 1);
    for_all_methods(block(alpha, mu, 0, v0, stops + 1), [&](const Finished& finished, double rtol) {
      REQUIRE(kinds(finished.solution) == "sliding_entry");
      CHECK(std::abs(finished.solution.events[0].t - stops) < 100 * rtol);
      CHECK(std::abs(finished.end(0) - x) < 100 * rtol);
      CHECK(std::abs(finished.end(1) - y) < 100 * rtol);
      CHECK(std::hypot(finished.end(3), finished.end(4)) < 1e-15);
    });
  }
}

TEST_CASE("a block thrown across a slope in other units turns down and stops as well") {
  const double alpha = 0.3, v0 = 2, k = 2, length = 1e5;
  const double pull = kGravity * std::sin(alpha);
  Vector units = Vector::Constant(6, length);
  for_all_methods(
      block(alpha, k * std::tan(alpha), 0, v0, 3, length), {1e-4, 1e-8},
      [&](const Finished& finished, double rtol) {
        REQUIRE(kinds(finished.solution) == "sliding_entry");
        CHECK(std::abs(finished.solution.events[0].t - v0 / pull * k / (k * k - 1)) < 100 * rtol);
        CHECK(std::abs(finished.end(0) / length - v0 * v0 / (4 * pull * (k * k - 1))) < 100 * rtol);
      },
      units);
}

TEST_CASE("at the angle of friction the speed and its part downhill have a constant sum") {
  const double alpha = 0.3, v0 = 2;
  for_all_methods(block(alpha, std::tan(alpha), 0, v0, 4), [&](const Finished& finished, double rtol) {
    CHECK(finished.solution.events.empty());
    const double speed = std::hypot(finished.end(3), finished.end(4));
    CHECK(std::abs(speed + finished.end(3) - v0) < 1000 * rtol);
    CHECK(std::abs(speed - 0.5 * v0) < 0.01);
    CHECK(finished.solution.final.mode.word() == "0+");
  });
}

TEST_CASE("a block thrown up a steep slope slips back") {
  const double alpha = 0.6, mu = 0.4, v0 = 3;
  const double up = kGravity * (std::sin(alpha) + mu * std::cos(alpha));
  const double down = kGravity * (std::sin(alpha) - mu * std::cos(alpha));
  for_all_methods(block(alpha, mu, -v0, 0, 2), [&](const Finished& finished, double rtol) {
    REQUIRE(kinds(finished.solution) == "crossing");
    const double turn = v0 / up;
    CHECK(std::abs(finished.solution.events[0].t - turn) < 100 * rtol);
    CHECK(std::abs(finished.end(3) - down * (2 - turn)) < 100 * rtol);
    CHECK(std::abs(finished.end(4)) < 1e-12);
  });
}

TEST_CASE("a ball with spin slips along a parabola until it rolls at 2u/(7 mu g)") {
  const double mu = 0.2, R = 0.03;
  const double vx = 1.5, vy = -0.4, wx = 30, wy = -20;
  const double ux = vx - R * wy, uy = vy + R * wx;
  const double u = std::hypot(ux, uy);
  const double rolls = 2 * u / (7 * mu * kGravity);
  const std::string start = "z = \"R\"\nvx = 1.5\nvy = -0.4\nvz = 0\nwx = 30\nwy = -20\nwz = 5";
  for_all_methods(ball(0.5, mu, start, 1.0), [&](const Finished& finished, double rtol) {
    REQUIRE(kinds(finished.solution) == "sliding_entry");
    CHECK(std::abs(finished.solution.events[0].t - rolls) < 100 * rtol);
    CHECK(std::abs(finished.end(3) - (vx - 2 * ux / 7)) < 100 * rtol);
    CHECK(std::abs(finished.end(4) - (vy - 2 * uy / 7)) < 100 * rtol);
    CHECK(std::abs(finished.end(3) - R * finished.end(7)) < 1e-13);
    CHECK(std::abs(finished.end(4) + R * finished.end(6)) < 1e-13);
    CHECK(std::abs(finished.end(8) - 5) < 100 * rtol);
    const double x =
        vx * rolls - 0.5 * mu * kGravity * rolls * rolls * ux / u + (vx - 2 * ux / 7) * (1 - rolls);
    CHECK(std::abs(finished.end(0) - x) < 100 * rtol);
    // Half way it is on the parabola.
    const double t = 0.5 * rolls;
    CHECK(std::abs(finished.solution.trajectory(t)(1) - (vy * t - 0.5 * mu * kGravity * t * t * uy / u)) <
          100 * rtol);
  });
}

TEST_CASE("a block breaks away on a table that turns ever faster") {
  // At the radius r the friction is m·r·√(a² + w⁴) for w = a·t.
  const double mu = 0.3, r = 0.5, a = 0.4;
  const double slips = std::pow(mu * mu * kGravity * kGravity / (r * r) - a * a, 0.25) / a;
  const auto text = [&](double end) {
    return "[parameters]\na = 0.4\n[states]\nx = 0.5\ny = 0\nz = 0\nvx = 0\nvy = 0\nvz = 0\n[time]\nend = " +
           number(end) +
           R"toml(
[derivatives]
x = "vx"
y = "vy"
z = "vz"
vx = "0"
vy = "0"
vz = "-9.81"
[[contacts]]
name = "table"
gap = "z"
acts_on = { vz = "1" }
restitution = 0
friction = { mu = 0.3, velocity = ["vx + a*t*y", "vy - a*t*x"], acts_on = [{ vx = "1" }, { vy = "1" }] }
)toml";
  };
  const Finished reference = run(text(slips + 0.3), Method::dop853, 1e-11);
  REQUIRE(reference.solution.outcome.succeeded());
  for_all_methods(text(slips + 0.3), [&](const Finished& finished, double rtol) {
    REQUIRE(kinds(finished.solution) == "sliding_exit");
    if (finished.method == Method::rodas) CHECK(finished.solution.statistics.steps < 3000);
    // Adams gathers up to 115 tolerances at the tightest one.
    const double allowed = (rtol < 1e-9 ? 200 : 100) * rtol;
    CHECK(std::abs(finished.solution.events[0].t - slips) < allowed);
    const double turned = 0.5 * a * slips * slips;
    CHECK(std::abs(finished.solution.events[0].before(0) - r * std::cos(turned)) < allowed);
    CHECK((finished.solution.final.state - reference.solution.final.state).norm() < 1000 * rtol);
  });
}

namespace {

// The velocity of the block on the table and of its slip, by the equations of slip alone, from `after` the block has broken away at the angle 0.
struct SlowSlip {
  double t, x, y, vx, vy;
};
SlowSlip slow_slip(double mu, double r, double a, double slips, double end) {
  const double after = 0.02;
  const double w = a * slips;
  // The force grows by 2 r w a t beyond what holds, and turns at the speed w.
  const double speed = r * w * a * after * after;
  SlowSlip s{slips + after, 0, 0, 0, 0};
  const double angle = w * after + 0.5 * a * after * after;
  s.x = (r + speed * after / 3) * std::cos(angle);
  s.y = (r + speed * after / 3) * std::sin(angle);
  s.vx = -a * s.t * s.y + speed * std::cos(angle);
  s.vy = a * s.t * s.x + speed * std::sin(angle);
  const auto rates = [&](const SlowSlip& at) {
    const double v1 = at.vx + a * at.t * at.y, v2 = at.vy - a * at.t * at.x;
    const double v = std::hypot(v1, v2);
    return SlowSlip{1, at.vx, at.vy, -mu * kGravity * v1 / v, -mu * kGravity * v2 / v};
  };
  const auto moved = [](const SlowSlip& at, const SlowSlip& rate, double h) {
    return SlowSlip{at.t + h * rate.t, at.x + h * rate.x, at.y + h * rate.y, at.vx + h * rate.vx,
                    at.vy + h * rate.vy};
  };
  while (s.t < end) {
    const double v = std::hypot(s.vx + a * s.t * s.y, s.vy - a * s.t * s.x);
    const double h = std::min({0.5 * v / (mu * kGravity), 1e-4, end - s.t});
    const SlowSlip k1 = rates(s), k2 = rates(moved(s, k1, h / 2)), k3 = rates(moved(s, k2, h / 2)),
                   k4 = rates(moved(s, k3, h));
    s = moved(moved(moved(moved(s, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    if (end - s.t < 1e-12) break;
  }
  return s;
}

}  // namespace

TEST_CASE("a block breaks away once on a table that turns a little faster all the time") {
  // The slip is slow for long, and its direction stiff; it never comes back to zero.
  const double mu = 0.3, r = 0.5;
  for (const double a : {0.001, 0.004, 0.02}) {
    CAPTURE(a);
    const double slips = std::pow(mu * mu * kGravity * kGravity / (r * r) - a * a, 0.25) / a;
    // The block begins at the angle that it has gone through at the time when it breaks away.
    const double before = 1;
    const double start = slips - before, end = slips + 1;
    const double angle = -0.5 * a * (slips * slips - start * start);
    const double w = a * start;
    const std::string text =
        "[states]\nx = " + number(r * std::cos(angle)) + "\ny = " + number(r * std::sin(angle)) +
        "\nz = 0\nvx = " + number(-w * r * std::sin(angle)) + "\nvy = " + number(w * r * std::cos(angle)) +
        "\nvz = 0\n[time]\nstart = " + number(start) + "\nend = " + number(end) +
        "\n[parameters]\na = " + number(a) +
        R"toml(
[derivatives]
x = "vx"
y = "vy"
z = "vz"
vx = "0"
vy = "0"
vz = "-9.81"
[[contacts]]
name = "table"
gap = "z"
acts_on = { vz = "1" }
restitution = 0
friction = { mu = 0.3, velocity = ["vx + a*t*y", "vy - a*t*x"], acts_on = [{ vx = "1" }, { vy = "1" }] }
)toml";
    const SlowSlip expected = slow_slip(mu, r, a, slips, end);
    for (const Method method : every_stepper) {
      const bool is_implicit = method == Method::rodas || method == Method::bdf;
      for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const Finished finished = run(text, method, rtol);
        REQUIRE(finished.solution.outcome.succeeded());
        CHECK(kinds(finished.solution) == "sliding_exit");
        CHECK(std::hypot(finished.end(0) - expected.x, finished.end(1) - expected.y) < 1e4 * rtol + 1e-5);
        CHECK(std::hypot(finished.end(3) - expected.vx, finished.end(4) - expected.vy) < 1e4 * rtol + 1e-5);
        if (is_implicit || method == Method::automatic) CHECK(finished.solution.statistics.steps < 3000);
      }
    }
  }
}

TEST_CASE("a force that turns, grows a little beyond friction and falls again makes one slip") {
  // The force exceeds friction by the part g t (1 - t/3.5) of it: slip ends as slowly as it begins.
  for (const double growth : {0.00017, 0.002}) {
    CAPTURE(growth);
    std::string text = block(0, 0.1, 0, 0, 6.5);
    const std::string force = "mu*g*(1 + " + number(growth) + "*(t - 0.5)*(1 - (t - 0.5)/3.5))";
    const auto replace = [&](const std::string& what, const std::string& by) {
      text.replace(text.find(what), what.size(), by);
    };
    replace("vx = \"g*sin(alpha)\"", "vx = \"" + force + "*cos(3*t)\"");
    replace("vy = \"0\"", "vy = \"" + force + "*sin(3*t)\"");
    replace("\"-g*cos(alpha)\"", "\"-g\"");
    const Finished reference = run(text, Method::rodas, 1e-9);
    REQUIRE(kinds(reference.solution) == "sliding_exit, sliding_entry");
    for (const Method method : every_stepper) {
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const Finished finished = run(text, method, rtol);
        REQUIRE(finished.solution.outcome.succeeded());
        REQUIRE(kinds(finished.solution) == "sliding_exit, sliding_entry");
        CHECK(std::abs(finished.solution.events[0].t - 0.5) < 100 * rtol);
        for (const Index state : {0, 1})
          CHECK(std::abs(finished.end(state) - reference.end(state)) < 1000 * rtol);
      }
    }
  }
}

TEST_CASE("slip whose speed comes near zero and grows again goes on without an event") {
  for (const double across : {1e-2, 1e-3}) {
    std::string text = block(0, 0.3, -1, across, 1.0);
    text.replace(text.find("\"g*sin(alpha)\""), 14, "\"3*mu*g\"");
    const Finished reference = run(text, Method::dop853, 1e-12);
    for_all_methods(text, {1e-6, 1e-8, 1e-10}, [&](const Finished& finished, double rtol) {
      CHECK(finished.solution.events.empty());
      for (const Index state : {0, 1, 3, 4})
        CHECK(std::abs(finished.end(state) - reference.end(state)) < 1000 * rtol);
    });
  }
}

TEST_CASE("friction that holds more at rest lets go with a jump of the acceleration") {
  // The slope tilts: tan(alpha) = 0.5 lets go, and the pull at that moment is mu_s against mu.
  const double mu = 0.3, mu_s = 0.5;
  std::string text = block(0, mu, 0, 0, 1.0, 1, ", mu_s = 0.5");
  const auto replace = [&](const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  replace("vx = \"g*sin(alpha)\"", "vx = \"0.8*g*sin(t)\"");
  replace("vy = \"0\"", "vy = \"0.6*g*sin(t)\"");
  replace("\"-g*cos(alpha)\"", "\"-g\"");
  const double slips = std::asin(mu_s);
  const double speed = kGravity * (std::cos(slips) - std::cos(1.0)) - mu * kGravity * (1 - slips);
  for_all_methods(text, [&](const Finished& finished, double rtol) {
    REQUIRE(kinds(finished.solution) == "sliding_exit");
    CHECK(std::abs(finished.solution.events[0].t - slips) < 100 * rtol);
    CHECK(std::abs(finished.end(3) - 0.8 * speed) < 100 * rtol);
    CHECK(std::abs(finished.end(4) - 0.6 * speed) < 100 * rtol);
  });
}

TEST_CASE("a ball that hits a floor slips or rolls off against its direction of slip") {
  const double e = 0.5, R = 0.03, height = 0.4;
  const double fall = std::sqrt(2 * height / kGravity);
  const double u = kGravity * fall;
  const double vx = 0.6, vy = 0.3, wx = 5, wy = -12;
  const double sx = vx - R * wy, sy = vy + R * wx;
  const double s = std::hypot(sx, sy);
  const std::string start = "z = \"R + 0.4\"\nvx = 0.6\nvy = 0.3\nvz = 0\nwx = 5\nwy = -12\nwz = 0";
  for (const double mu : {0.03, 0.5}) {
    // The impulse of friction per unit of mass: up to mu(1 + e)u, and 2s/7 stops the slip.
    const double lost = std::min(mu * (1 + e) * u, 2 * s / 7);
    for_all_methods(ball(e, mu, start, fall + 0.01), {1e-5, 1e-9},
                    [&](const Finished& finished, double rtol) {
                      REQUIRE(kinds(finished.solution) == "impact");
                      CHECK(std::abs(finished.end(3) - (vx - lost * sx / s)) < 100 * rtol);
                      CHECK(std::abs(finished.end(4) - (vy - lost * sy / s)) < 100 * rtol);
                      CHECK(std::abs(finished.end(6) - (wx - lost * sy / s / (0.4 * R))) < 1e4 * rtol);
                      CHECK(std::abs(finished.end(7) - (wy + lost * sx / s / (0.4 * R))) < 1e4 * rtol);
                    });
  }
}

namespace {

// A rod of the length 2 and the mass 1 that falls on its end with the speed 1, turned by phi in the plane of `angle` about the vertical.
// The plane across it has a state of its own. `law` is that of the impact.
std::string falling_rod(double phi, double angle, double slip, double mu, const std::string& law) {
  const std::string c = number(std::cos(angle)), s = number(std::sin(angle));
  return "[parameters]\nmu = " + number(mu) + "\nphi0 = " + number(phi) + "\nc = " + c + "\ns = " + s +
         "\n[states]\nx = 0\ny = 0\nz = \"cos(phi0) + 0.05\"\nphi = \"phi0\"\nvx = " +
         number(slip * std::cos(angle)) + "\nvy = " + number(slip * std::sin(angle)) + R"toml(
vz = -1.0
w = 0
[time]
end = 0.051
[derivatives]
x = "vx"
y = "vy"
z = "vz"
phi = "w"
vx = "0"
vy = "0"
vz = "0"
w = "0"
[[contacts]]
name = "tip"
gap = "z - cos(phi)"
acts_on = { vz = "1", w = "3*sin(phi)" }
restitution = 0.5
impact_law = ")toml" +
         law + R"toml("
friction = { mu = "mu", velocity = ["vx - c*w*cos(phi)", "vy - s*w*cos(phi)"], acts_on = [{ vx = "1", w = "-3*c*cos(phi)" }, { vy = "1", w = "-3*s*cos(phi)" }] }
)toml";
}

// The impulses of one phase in the plane of the rod: P is at least `least`, u is zero or P the least one; friction is against the last slip.
struct Phase {
  double normal = 0, along = 0;
};
Phase phase_of(double phi, double u, double s, double mu, double least) {
  const double n = 1 + 3 * std::sin(phi) * std::sin(phi), m = -3 * std::sin(phi) * std::cos(phi),
               t = 1 + 3 * std::cos(phi) * std::cos(phi);
  const auto friction = [&](double normal) {
    const double held = -(s + m * normal) / t;
    return std::clamp(held, -mu * normal, mu * normal);
  };
  const auto lifted = [&](double normal) { return u + n * normal + m * friction(normal); };
  if (lifted(least) >= 0) return {least, friction(least)};
  double low = least, high = 100;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = 0.5 * (low + high);
    (lifted(middle) < 0 ? low : high) = middle;
  }
  return {low, friction(low)};
}

}  // namespace

TEST_CASE("impacts with friction in a plane obey the laws of Newton and of Poisson") {
  const double e = 0.5;
  int differ = 0;
  for (const double phi : {-0.9, 0.2, 0.8}) {
    for (const double slip : {-2.0, 0.3, 2.5}) {
      for (const double mu : {0.1, 0.5}) {
        const double n = 1 + 3 * std::sin(phi) * std::sin(phi), m = -3 * std::sin(phi) * std::cos(phi),
                     t = 1 + 3 * std::cos(phi) * std::cos(phi);
        const Phase newton = phase_of(phi, -(1 + e), slip, mu, 0);
        Phase poisson = phase_of(phi, -1, slip, mu, 0);
        const Phase after = phase_of(phi, -1 + n * poisson.normal + m * poisson.along,
                                     slip + m * poisson.normal + t * poisson.along, mu, e * poisson.normal);
        poisson.normal += after.normal;
        poisson.along += after.along;
        differ += std::abs(newton.normal - poisson.normal) > 1e-3 ? 1 : 0;
        for (const double angle : {0.0, 0.7, -2.1}) {
          for (const bool is_poisson : {false, true}) {
            CAPTURE(phi);
            CAPTURE(slip);
            CAPTURE(mu);
            CAPTURE(angle);
            CAPTURE(is_poisson);
            const Finished finished =
                run(falling_rod(phi, angle, slip, mu, is_poisson ? "poisson" : "newton"), Method::automatic,
                    1e-10);
            CAPTURE(finished.solution.outcome.message);
            REQUIRE(finished.solution.outcome.succeeded());
            REQUIRE(finished.solution.events.size() >= 1);
            const Vector& state = finished.solution.events[0].after;
            const Phase& expected = is_poisson ? poisson : newton;
            CHECK(std::abs(state[6] - (-1 + expected.normal)) < 1e-12);
            CHECK(std::abs(state[4] - (slip + expected.along) * std::cos(angle)) < 1e-12);
            CHECK(std::abs(state[5] - (slip + expected.along) * std::sin(angle)) < 1e-12);
          }
        }
      }
    }
  }
  CHECK(differ > 3);
}

namespace {

// A body that is hit from a rail with friction along a line, and from a floor with friction in a plane. The floor's force acts on the
// rail's gap by this much.
std::string on_rail_and_floor(const std::string& coupling) {
  return R"toml(
[states]
x = 0
y = 0.5
u = 0
v = 0.5
vx = 0
vy = -1
vu = 0
vw = 0
vv = -1
[time]
end = 1
[derivatives]
x = "vx"
y = "vy"
u = "vu"
v = "vv"
vx = "0"
vy = "0"
vu = "0"
vw = "0"
vv = "0"
[[contacts]]
name = "rail"
gap = "y"
acts_on = { vy = "1" }
restitution = 0.5
friction = { mu = 0.2, velocity = "vx", acts_on = { vx = "1" } }
[[contacts]]
name = "floor"
gap = "v"
restitution = 0.5
friction = { mu = 0.2, velocity = ["vu", "vw"], acts_on = [{ vu = "1" }, { vw = "1" }] }
acts_on = { vv = "1")toml" +
         coupling + " }\n";
}

}  // namespace

TEST_CASE("an impact of contacts with friction along a line and in a plane is refused with their names") {
  const Finished finished = run(on_rail_and_floor(", vy = \"0.1\""));
  CHECK(!finished.solution.outcome.succeeded());
  CHECK(finished.solution.outcome.message.find("'rail', 'floor'") != std::string::npos);
  CHECK(finished.solution.outcome.message.find("some of them have friction along a line") !=
        std::string::npos);
}

TEST_CASE("contacts that share no body are hit at one instant each by itself") {
  const Finished finished = run(on_rail_and_floor(""));
  REQUIRE(finished.solution.outcome.reached_end());
  // Both come with 1 at t = 0.5, and go with 0.5.
  CHECK(finished.end(1) == doctest::Approx(0.25).epsilon(1e-9));
  CHECK(finished.end(3) == doctest::Approx(0.25).epsilon(1e-9));
}

TEST_CASE("a ball that bounces ever lower comes to roll") {
  const std::string start = "z = \"R + 0.1\"\nvx = 0.6\nvy = 0.3\nvz = 0\nwx = 5\nwy = -12\nwz = 0";
  const double R = 0.03;
  for_all_methods(ball(0.5, 0.3, start, 3), {1e-5, 1e-8}, [&](const Finished& finished, double rtol) {
    CHECK(finished.count(EventKind::zeno) == 1);
    CHECK(finished.solution.final.mode.word() == "00");
    CHECK(std::abs(finished.end(3) - (0.6 - 2 * (0.6 + 12 * R) / 7)) < 100 * rtol);
    CHECK(std::abs(finished.end(4) - (0.3 - 2 * (0.3 + 5 * R) / 7)) < 100 * rtol);
  });
}

TEST_CASE("a box on a box drags it along, or does not") {
  // The upper box is thrown; the lower one moves where mu1·m1 > mu2·(m1 + m2).
  const double v0 = 2, angle = 0.9;
  const double c = std::cos(angle), s = std::sin(angle);
  for (const double mu2 : {0.3, 0.05}) {
    const double mu1 = 0.4, m1 = 1, m2 = 2;
    std::string text = "[parameters]\nmu2 = " + number(mu2) +
                       "\n[states]\nx1 = 0\ny1 = 0\nz1 = 1\nx2 = 0\ny2 = 0\nz2 = 0\nvx1 = " + number(v0 * c) +
                       "\nvy1 = " + number(v0 * s) + R"toml(
vz1 = 0
vx2 = 0
vy2 = 0
vz2 = 0
[time]
end = 6
[derivatives]
x1 = "vx1"
y1 = "vy1"
z1 = "vz1"
x2 = "vx2"
y2 = "vy2"
z2 = "vz2"
vx1 = "0"
vy1 = "0"
vz1 = "-9.81"
vx2 = "0"
vy2 = "0"
vz2 = "-9.81"
[[contacts]]
name = "between"
gap = "z1 - z2 - 1"
acts_on = { vz1 = "1", vz2 = "-1/2" }
restitution = 0
friction = { mu = 0.4, velocity = ["vx1 - vx2", "vy1 - vy2"], acts_on = [{ vx1 = "1", vx2 = "-1/2" }, { vy1 = "1", vy2 = "-1/2" }] }
[[contacts]]
name = "floor"
gap = "z2"
acts_on = { vz2 = "1/2" }
restitution = 0
friction = { mu = "mu2", velocity = ["vx2", "vy2"], acts_on = [{ vx2 = "1/2" }, { vy2 = "1/2" }] }
)toml";
    const double slows = mu1 * kGravity;
    const double drags = std::max(0.0, (mu1 * m1 - mu2 * (m1 + m2)) * kGravity / m2);
    const double together = v0 / (slows + drags);
    const double common = drags * together;
    const double ends = drags > 0 ? together + common / (mu2 * kGravity) : together;
    const double lower =
        0.5 * drags * together * together + (drags > 0 ? 0.5 * common * common / (mu2 * kGravity) : 0.0);
    const double upper = lower + 0.5 * v0 * together;
    for_all_methods(text, {1e-4, 1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
      REQUIRE(finished.solution.events.size() == (drags > 0 ? 2 : 1));
      CHECK(std::abs(finished.solution.events.front().t - together) < 100 * rtol);
      CHECK(std::abs(finished.solution.events.back().t - ends) < 100 * rtol);
      CHECK(std::abs(finished.end(0) - upper * c) < 100 * rtol);
      CHECK(std::abs(finished.end(1) - upper * s) < 100 * rtol);
      CHECK(std::abs(finished.end(3) - lower * c) < 100 * rtol);
      CHECK(finished.solution.final.mode.word() == "0000");
    });
  }
}
