// Periodic orbits and their multipliers against closed forms that share no code with the library.
#include <unsupported/Eigen/MatrixFunctions>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

const char* const ball_on_table = R"TOML(
[parameters]
a = 0.011
w = 60.0
e = 0.5
g = 9.81
[states]
x = 0.02
v = 0.6
[time]
end = 1.0
[derivatives]
x = "v"
v = "-g"
[[contacts]]
name = "table"
gap = "x - a*sin(w*t)"
acts_on = { v = "1" }
restitution = "e"
)TOML";

// The period-1 orbit of the ball: it meets the table at the phase f with a w^2 cos f = g pi (1 - e)/(1 + e), and
// its multipliers have the product e^2 and the sum -2 e + (1 + e)^2 (1 - a w^2 sin f/g).
struct BallOrbit {
  double a, w = 60.0, e = 0.5, g = 9.81;

  double cosine() const { return g * kPi * (1 - e) / ((1 + e) * a * w * w); }
  double phase() const { return std::acos(cosine()); }
  double period() const { return 2 * kPi / w; }
  Eigen::Vector2cd multipliers() const {
    const double sum = -2 * e + (1 + e) * (1 + e) * (1 - a * w * w * std::sin(phase()) / g);
    const std::complex<double> half = 0.5 * sum;
    const std::complex<double> root = std::sqrt(half * half - e * e);
    return {half + root, half - root};
  }
  double doubling() const {
    const double c = kPi * (1 - e) / (1 + e), s = 2 * (1 + e * e) / ((1 + e) * (1 + e));
    return g / (w * w) * std::sqrt(c * c + s * s);
  }
  // The state at t = 0, in flight between two impacts.
  Vector state() const {
    const double t = -phase() / w + period();  // since the last impact, at (phase - 2 pi)/w
    const double v = 0.5 * g * period();
    return Vector{{a * std::sin(phase()) + v * t - 0.5 * g * t * t, v - g * t}};
  }
  PeriodicOrbit found(const Vector& from) const {
    const ModelInstance instance = instance_of(ball_on_table, {{"a", a}});
    return find_periodic_orbit(instance.problem(), {.start = 0, .period = period(), .state = from});
  }
};

}  // namespace

TEST_CASE("a relay round a plant has the period and the multipliers of its matrix exponentials") {
  Eigen::Matrix3d a;
  a << -1, 0, 0, 1, -1, 0, 0, 1, -1;
  const Eigen::Vector3d b(1, 0, 0);
  const Eigen::RowVector3d c(0, 0, 1);
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  const auto at_switch = [&](double h) -> Eigen::Vector3d {
    const Eigen::Matrix3d p = (a * h).exp();
    return (one + p).inverse() * a.inverse() * (p - one) * b;
  };
  double low = 1, high = 3;  // of the half period
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    ((c * at_switch(middle)).value() * (c * at_switch(low)).value() > 0 ? low : high) = middle;
  }
  const double h = 0.5 * (low + high);
  const Eigen::Vector3d w = -a * at_switch(h) - b;
  const Eigen::Matrix3d half = (one - w * c / (c * w).value()) * (a * h).exp();
  const Eigen::Vector3cd values = Eigen::EigenSolver<Eigen::Matrix3d>(half * half).eigenvalues();

  const ModelInstance instance = gallery_instance("relay_feedback");
  for (const Index shots : {0, 3}) {
    CAPTURE(shots);
    const PeriodicOrbit orbit = orbit_at_section(instance, {.name = "output"}, {.shots = shots});
    require_orbit(orbit);
    CHECK(orbit.autonomous);
    CHECK(orbit.signature.find("crossing(output) crossing(output)") == 0);
    CHECK(std::abs(orbit.period - 2 * h) <= kExact);
    CHECK(orbit.trivial_error <= kExact);
    CHECK(count_of(orbit, MultiplierKind::trivial) == 1);
    CHECK(count_of(orbit, MultiplierKind::exact_zero) == 0);
    CHECK(orbit.stability == OrbitStability::stable);
    for (const std::complex<double> value : values)
      if (std::abs(value) > 1e-12) CHECK(has_multiplier(orbit, value, kExact));
    const EventRecord& event = orbit.solution.events.front();
    const double side = event.to->word() == "+" ? 1 : -1;
    CHECK((event.before - side * at_switch(h)).norm() <= kExact);
  }
}

TEST_CASE("a driven block without sticking has the amplitude of Den Hartog and the multipliers of Shaw") {
  const double mu = 0.2, w = 1.3, force = 1.0;
  const double beta = kPi / w;
  const double v = 1 / (1 - w * w), u = std::sin(beta) / (w * (1 + std::cos(beta)));
  const double amplitude = std::sqrt(force * force * v * v - mu * mu * u * u);
  const ModelInstance instance = gallery_instance("dry_friction", {{"mu", mu}, {"w", w}, {"x", 1.0}});
  const PeriodicOrbit orbit = driven_orbit(instance, 2 * kPi / w, 60);
  require_orbit(orbit);
  CHECK_FALSE(orbit.autonomous);
  CHECK(orbit.signature == "crossing(stick) crossing(stick)");
  REQUIRE(orbit.solution.events.size() == 2);
  Eigen::Matrix2d rotation, monodromy = Eigen::Matrix2d::Identity();
  rotation << std::cos(beta), std::sin(beta), -std::sin(beta), std::cos(beta);
  for (const EventRecord& event : orbit.solution.events) {
    CHECK(std::abs(std::abs(event.before[0]) - amplitude) <= kExact);
    const double side = event.to->word() == "+" ? 1 : -1;
    const double smooth = -event.before[0] + force * std::cos(w * event.t);
    Eigen::Matrix2d saltation = Eigen::Matrix2d::Identity();
    saltation(1, 1) = (smooth - mu * side) / (smooth + mu * side);
    monodromy = saltation * rotation * monodromy;
  }
  CHECK(count_of(orbit, MultiplierKind::ordinary) == 2);
  for (const std::complex<double> value : eigenvalues_of(monodromy))
    CHECK(has_multiplier(orbit, value, kExact));
  CHECK(orbit.stability == OrbitStability::stable);
}

TEST_CASE("a driven block that sticks has one exact zero, and the product of cosines of its flights") {
  const ModelInstance instance = gallery_instance("dry_friction");
  const PeriodicOrbit orbit = driven_orbit(instance, 4 * kPi, 8);
  require_orbit(orbit);
  CHECK(count_of(orbit, MultiplierKind::exact_zero) == 1);
  CHECK(count_of(orbit, MultiplierKind::ordinary) == 1);
  double product = 1, left = 0;
  std::optional<double> first_entry;
  for (const EventRecord& event : orbit.solution.events) {
    CAPTURE(event.reason);
    if (event.kind == EventKind::sliding_exit) {
      left = event.t;
      // It leaves where the force is that of friction.
      CHECK(std::abs(std::abs(-event.before[0] + std::cos(0.5 * event.t)) - 0.4) <= kExact);
    } else if (event.kind == EventKind::sliding_entry) {
      if (left == 0) {
        first_entry = event.t;
      } else {
        product *= std::cos(event.t - left);
      }
      left = 0;
    }
  }
  if (first_entry) product *= std::cos(*first_entry + orbit.period - left);
  CHECK(orbit.signature ==
        "sliding_entry(stick) sliding_exit(stick) sliding_entry(stick) sliding_exit(stick)");
  CHECK(has_multiplier(orbit, product, kExact));
}

TEST_CASE("a ball on a vibrating table has its period-1 branch, stable and unstable") {
  for (const double a : {0.0098, 0.0105, 0.011, 0.0125}) {
    CAPTURE(a);
    const BallOrbit exact{.a = a};
    const PeriodicOrbit orbit = exact.found(exact.state() * 1.01);
    require_orbit(orbit);
    CHECK(orbit.signature == "impact(table)");
    REQUIRE(orbit.solution.events.size() == 1);
    CHECK(std::abs(std::cos(exact.w * orbit.solution.events.front().t) - exact.cosine()) <= kExact);
    CHECK(std::abs(orbit.solution.events.front().after[1] - 0.5 * exact.g * exact.period()) <= kExact);
    for (const std::complex<double> value : exact.multipliers()) CHECK(has_multiplier(orbit, value, 1e-7));
    CHECK(orbit.stability == (a < exact.doubling() ? OrbitStability::stable : OrbitStability::unstable));
  }
}

TEST_CASE("the period of the ball on the table doubles at the amplitude of the closed form") {
  const BallOrbit exact{.a = BallOrbit{.a = 1}.doubling()};
  const PeriodicOrbit orbit = exact.found(exact.state() * 1.001);
  require_orbit(orbit);
  CHECK(has_multiplier(orbit, -1, kExact));
  CHECK(has_multiplier(orbit, -exact.e * exact.e, kExact));
  CHECK(orbit.stability == OrbitStability::neutral);
}

TEST_CASE("an impact oscillator has the orbit with one impact of its linear equations") {
  const double alpha = 0.05, beta = 1.0, e = 0.8;
  int compared = 0;
  for (const double w : {2.6, 2.2, 1.8})
    for (const double d : {-0.1, 0.0, 0.05, 0.1}) {
      CAPTURE(w);
      CAPTURE(d);
      const double period = 2 * kPi / w, omega = std::sqrt(1 - alpha * alpha);
      const double decay = std::exp(-alpha * period);
      const double c = std::cos(omega * period), s = std::sin(omega * period);
      // x = exp(-alpha s)(c1 cos + c2 sin) + A cos(w s) + D/w sin(w s) after an impact at s = 0; c1 = d - A, c2 = k c1.
      const double k = (1 - decay * c) / (decay * s);
      const double begin = -alpha + omega * k;  // of the decaying part, of c1
      const double end = decay * (-alpha * (c + k * s) + omega * (k * c - s));
      const double ratio = -(begin + e * end) / (1 + e);  // D = ratio*(d - A)
      const double p = beta / std::hypot(1 - w * w, 2 * alpha * w);
      const double r = ratio / w;
      // A^2 + r^2 (d - A)^2 = p^2
      const double aa = 1 + r * r, bb = -2 * r * r * d, cc = r * r * d * d - p * p;
      const double root = std::sqrt(bb * bb - 4 * aa * cc);
      if (!std::isfinite(root)) continue;
      for (const double amplitude : {(-bb + root) / (2 * aa), (-bb - root) / (2 * aa)}) {
        const double c1 = d - amplitude, speed = ratio * c1;
        const double after = begin * c1 + speed, before = end * c1 + speed;
        if (!(before > 0)) continue;
        // The phase of the drive at the impact, from A and D: the response lags by psi.
        const double psi = std::atan2(2 * alpha * w, 1 - w * w);
        const double at_impact = std::atan2(-speed / w, amplitude) + psi;  // w t
        double x_most = d;
        for (int j = 1; j < 1000; ++j) {
          const double t = period * j / 1000.0;
          x_most =
              std::max(x_most, std::exp(-alpha * t) * c1 * (std::cos(omega * t) + k * std::sin(omega * t)) +
                                   amplitude * std::cos(w * t) + speed / w * std::sin(w * t));
        }
        if (x_most > d + 1e-9) continue;  // it would have gone through the stop
        const ModelInstance instance = gallery_instance("impact_oscillator", {{"d", d}, {"w", w}});
        const double half = 0.5 * period;
        const double swing = std::exp(-alpha * half);
        const double ch = std::cos(omega * half), sh = std::sin(omega * half);
        const Vector state{{swing * c1 * (ch + k * sh) - amplitude,
                            swing * c1 * (-alpha * (ch + k * sh) + omega * (k * ch - sh)) - speed}};
        const PeriodicOrbit orbit = find_periodic_orbit(
            instance.problem(), {.start = at_impact / w + half, .period = period, .state = state * 1.0001});
        require_orbit(orbit);
        CHECK(orbit.signature == "impact(stop)");
        CHECK((orbit.state - state).norm() <= kExact);
        const double drive = beta * std::cos(at_impact);
        const double force_before = -2 * alpha * before - d + drive,
                     force_after = -2 * alpha * after - d + drive;
        Eigen::Matrix2d saltation, flow;
        saltation << -e, 0, (e * force_before + force_after) / before, -e;
        Eigen::Matrix2d a;
        a << 0, 1, -1, -2 * alpha;
        flow = (a * period).exp();
        for (const std::complex<double> value : eigenvalues_of(saltation * flow))
          CHECK(has_multiplier(orbit, value, 1e-7));
        ++compared;
      }
    }
  CHECK(compared >= 4);
}

TEST_CASE(
    "a block on a belt with static friction has the period of its circle and its rest, and an exact zero") {
  const double belt = 0.3, holds = 1.0, kinetic = 0.6;
  const ModelInstance instance = instance_of(R"TOML(
[parameters]
v_belt = 0.3
[states]
x = 0.9
v = 0.3
[time]
end = 60.0
[surfaces]
slip = { value = "v - v_belt", break_away = "1.0/0.6" }
[derivatives]
x = "v"
v = "-x - 0.6*sgn(slip)"
)TOML");
  const double gap = holds - kinetic;
  const double period = 2 * gap / belt + kPi + 2 * std::atan(belt / gap);
  for (const auto direction : {SectionDirection::rising, SectionDirection::any}) {
    const PeriodicOrbit orbit = orbit_at_section(instance, {.name = "slip", .direction = direction});
    require_orbit(orbit);
    CHECK(orbit.autonomous);
    CHECK(std::abs(orbit.period - period) <= kExact);
    CHECK(count_of(orbit, MultiplierKind::trivial) == 1);
    CHECK(count_of(orbit, MultiplierKind::exact_zero) == 1);
    CHECK(orbit.stability == OrbitStability::stable);
    CHECK(orbit.trivial_error <= kExact);
  }
}

TEST_CASE("a buck converter doubles its period at the published supply") {
  const double period = 400e-6;
  const auto smallest = [&](double supply, Vector* from) {
    const ModelInstance instance = gallery_instance("buck_converter", {{"V_in", supply}});
    const PeriodicOrbit orbit = orbit_at_section(instance, {.name = "clock"}, {}, 1);
    require_orbit(orbit);
    CHECK(std::abs(orbit.period - period) <= kExact * period);
    CHECK(count_of(orbit, MultiplierKind::trivial) == 1);
    double least = 1;
    for (const FloquetMultiplier& multiplier : orbit.multipliers)
      if (multiplier.kind == MultiplierKind::ordinary) least = std::min(least, multiplier.value.real());
    *from = orbit.state;
    return least;
  };
  Vector state;
  double a = 24.3, b = 24.5;
  double at_a = smallest(a, &state) + 1, at_b = smallest(b, &state) + 1;
  for (int k = 0; k < 4 && std::abs(b - a) > 1e-5; ++k) {
    const double next = b - at_b * (b - a) / (at_b - at_a);
    a = b;
    at_a = at_b;
    b = next;
    at_b = smallest(b, &state) + 1;
  }
  CHECK(std::abs(b - 24.516) <= 1e-3);
}

TEST_CASE("a circle that repels is found, and its multiplier is that of the radius") {
  // r' = 0.3 r (r^2 - 1), phase' = 2: the multiplier is exp(0.6 pi).
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.02
y = 0.0
[time]
end = 1.0
[derivatives]
x = "0.3*x*(x^2 + y^2 - 1) - 2*y"
y = "0.3*y*(x^2 + y^2 - 1) + 2*x"
)TOML");
  const PeriodicOrbit orbit =
      find_periodic_orbit(instance.problem(), {.period = 3.0, .state = instance.state});
  require_orbit(orbit);
  CHECK(std::abs(orbit.period - kPi) <= kExact);
  CHECK(has_multiplier(orbit, std::exp(0.6 * kPi), kExact));
  CHECK(orbit.stability == OrbitStability::unstable);
}
