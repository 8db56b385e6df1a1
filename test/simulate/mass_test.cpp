// [mass]: equations M·x' = f of model files, beside the same equations solved by hand and closed forms.
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "slideway/model/check.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// Two rods without mass, of lengths 1 and l, with a mass at each end, 1 and m; angles from below.
struct DoublePendulum {
  double m = 0.6, l = 0.8, g = 9.81;
  using State = std::array<double, 4>;

  State rate(const State& s) const {
    const double c = std::cos(s[0] - s[1]), sine = std::sin(s[0] - s[1]);
    const double a = 1 + m, b = m * l * c, d = m * l * l;
    const double f = -m * l * s[3] * s[3] * sine - (1 + m) * g * std::sin(s[0]);
    const double h = m * l * s[2] * s[2] * sine - m * g * l * std::sin(s[1]);
    const double det = a * d - b * b;
    return {s[2], s[3], (d * f - b * h) / det, (a * h - b * f) / det};
  }
  // By Runge and Kutta.
  State at(double end, State s, int steps) const {
    const double h = end / steps;
    const auto moved = [](const State& x, const State& k, double by) {
      State y = x;
      for (std::size_t j = 0; j < 4; ++j) y[j] += by * k[j];
      return y;
    };
    for (int n = 0; n < steps; ++n) {
      const State k1 = rate(s), k2 = rate(moved(s, k1, h / 2)), k3 = rate(moved(s, k2, h / 2)),
                  k4 = rate(moved(s, k3, h));
      for (std::size_t j = 0; j < 4; ++j) s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return s;
  }
};

const char* const pendulum = R"toml(
[parameters]
m = 0.6
l = 0.8
g = 9.81
[states]
a = 1.0
b = -0.4
u = 0.0
w = 0.5
[time]
end = 2.0
[mass]
u = { u = "1 + m", w = "m*l*cos(a - b)" }
w = { u = "m*l*cos(a - b)", w = "m*l^2" }
[derivatives]
a = "u"
b = "w"
u = "-m*l*w^2*sin(a - b) - (1 + m)*g*sin(a)"
w = "m*l*u^2*sin(a - b) - m*g*l*sin(b)"
)toml";

std::string told_by(const std::string& text) {
  try {
    parse_model(text, "m.toml").instantiate({});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a double pendulum whose mass matrix depends on the angles moves as by hand") {
  const DoublePendulum::State exact = DoublePendulum().at(2, {1, -0.4, 0, 0.5}, 200'000);
  for_all_methods(pendulum, {1e-5, 1e-8, 1e-10}, [&](const Finished& finished, double rtol) {
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(std::abs(finished.end(static_cast<Index>(j)) - exact[j]) < 2000 * rtol);
  });
  const System system = parse_model(pendulum, "m.toml").instantiate({}).system;
  const Vector x = Eigen::Vector4d(0.3, 1.2, -0.7, 0.4);
  const DerivativeCheck derivatives = check_derivatives(system, 0, x, Vector(0));
  CAPTURE(derivatives.message);
  CHECK(derivatives.passed);
}

TEST_CASE("the rod of linear finite elements decays as its matrices say") {
  // (1/6, 2/3, 1/6)·u' = (1, -2, 1)·u/h²: sin(kπx) decays at 6/h²·(1 - cos kπh)/(2 + cos kπh).
  for (const int n : {3, 40, 500}) {
    const double h = 1.0 / (n + 1);
    const std::string text =
        "[parameters]\nN = " + std::to_string(n) +
        "\nh = \"1/(N + 1)\"\n[states]\nu = { size = \"N\", value = \"sin(2*pi*i*h)\", ends = "
        "\"zero\" }\n[time]\nend = 0.05\n[mass]\nu = { \"u[i-1]\" = \"1/6\", \"u[i]\" = \"2/3\", "
        "\"u[i+1]\" = \"1/6\" }\n[derivatives]\nu = \"(u[i-1] - 2*u[i] + u[i+1])/h^2\"\n";
    CAPTURE(n);
    const Finished finished = run(text, Method::rodas, 1e-8);
    REQUIRE(finished.solution.outcome.succeeded());
    const double c = std::cos(2 * std::numbers::pi * h);
    const double decay = std::exp(-0.05 * 6 / (h * h) * (1 - c) / (2 + c));
    for (int j = 1; j <= n; ++j)
      CHECK(std::abs(finished.end(j - 1) - decay * std::sin(2 * std::numbers::pi * j * h)) < 1e-7);
  }
}

TEST_CASE("friction on the right side sticks and slides as it does divided by the mass") {
  const auto text = [](const std::string& mass, const std::string& v, const std::string& w) {
    return "[states]\nx = 0.0\nv = 1.0\nw = 0.0\n[time]\nend = 12.0\n" + mass +
           "[derivatives]\nx = \"v\"\nv = \"" + v + "\"\nw = \"" + w + "\"\n";
  };
  const std::string f = "(-x - 0.4*sgn(v) + 0.9*cos(0.7*t))";
  const std::string g = "(-0.3*sgn(w - v) - 0.1*w)";
  // [[2, 0.5], [0.5, 1 + x²]]
  const std::string det = "(2*(1 + x^2) - 0.25)";
  const std::string by_mass =
      text("[mass]\nv = { v = \"2\", w = \"0.5\" }\nw = { v = \"0.5\", w = \"1 + x^2\" }\n", f, g);
  const std::string by_hand =
      text("", "((1 + x^2)*" + f + " - 0.5*" + g + ")/" + det, "(2*" + g + " - 0.5*" + f + ")/" + det);
  for (const double rtol : {1e-6, 1e-9}) {
    const Finished one = run(by_mass, Method::dopri5, rtol), other = run(by_hand, Method::dopri5, rtol);
    REQUIRE(one.solution.outcome.succeeded());
    REQUIRE(one.solution.events.size() == other.solution.events.size());
    for (std::size_t k = 0; k < one.solution.events.size(); ++k) {
      CHECK(one.solution.events[k].kind == other.solution.events[k].kind);
      CHECK(std::abs(one.solution.events[k].t - other.solution.events[k].t) < 1000 * rtol);
    }
    for (Index j = 0; j < 3; ++j) CHECK(std::abs(one.end(j) - other.end(j)) < 1000 * rtol);
  }
}

TEST_CASE("a contact's force acts on the right sides, through the mass") {
  // A rod of length 2, mass 1 and inertia 1/3 whose left end, at y - phi, hits the floor: 1/m + r²/I = 4.
  const std::string text =
      "[states]\ny = 1.0\nphi = 0.0\nv = 0.0\nw = 0.0\n[time]\nend = 0.6\n[mass]\nv = { v = \"2\", w = \"0\" "
      "}\nw = { w = "
      "\"2/3\" }\n[derivatives]\ny = \"v\"\nphi = \"w\"\nv = \"-2*9.8\"\nw = \"0\"\n[[contacts]]\nname = "
      "\"end\"\ngap = \"y - "
      "phi\"\nacts_on = { v = \"1\", w = \"-1\" }\nrestitution = 0.5\n";
  const Finished finished = run(text, Method::dopri5, 1e-9);
  REQUIRE(finished.solution.outcome.succeeded());
  const EventRecord& impact = finished.solution.events.front();
  CHECK(impact.kind == EventKind::impact);
  const double speed = std::sqrt(2 * 9.8);
  // Masses 2 and 2/3: the impulse is (1 + e)·speed/(1/2 + 3/2).
  const double impulse = 1.5 * speed / 2;
  CHECK(std::abs(impact.after[2] - (-speed + impulse / 2)) < 1e-7);
  CHECK(std::abs(impact.after[3] + impulse * 1.5) < 1e-7);
}

TEST_CASE("a mass matrix need have neither a diagonal nor symmetry, and a parameter in it has derivatives") {
  const std::string text =
      "[parameters]\nk = 3\n[states]\nx = 1.0\ny = 0.0\nz = 2.0\n[time]\nend = 1.0\n[mass]\nx = { y = \"k\" "
      "}\ny = { x = \"1\", z "
      "= \"2\" }\nz = { y = \"1\", z = \"5\" }\n[derivatives]\nx = \"x\"\ny = \"y + t\"\nz = \"1\"\n";
  const Model model = parse_model(text, "m.toml");
  const System system = model.instantiate({}).system;
  const Vector x = Eigen::Vector3d(0.7, -0.2, 1.1);
  Vector dx(3);
  system.field(0.5, x, Vector(0), dx);
  const double y = 0.7 / 3, z = (1 - y) / 5;
  CHECK((dx - Vector(Eigen::Vector3d(0.3 - 2 * z, y, z))).cwiseAbs().maxCoeff() < 1e-15);
  const ExtendedProblem extended = model.extend({}, {"k"});
  const System with_k = extended.problem.system();
  const Vector wide = Eigen::Vector4d(0.7, -0.2, 1.1, 3);
  CHECK(check_derivatives(with_k, 0.5, wide, Vector(0)).passed);
}

TEST_CASE("mistakes in a mass matrix are told at their places") {
  const auto with = [](const std::string& mass) {
    return "[states]\nx = 1.0\ny = 2.0\n[discrete]\nm = 1\n[time]\nend = 1.0\n[mass]\n" + mass +
           "\n[derivatives]\nx = \"y\"\ny = \"-x\"\n";
  };
  const auto told = [&](const std::string& mass, const std::string& part) {
    const std::string message = told_by(with(mass));
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
  };
  told("x = { x = \"1\", y = \"2\" }\ny = { x = \"2\", y = \"4\" }",
       "the mass matrix is singular at the start, expected rows none "
       "of which is made of the others");
  told("x = { x = \"x - 1\" }", "the mass matrix is singular at the start");
  told("x = { x = \"abs(y)\" }", "m.toml:9:12: a discontinuity or a kink in");
  told("x = { z = \"1\" }", "an unknown state");
  told("z = { x = \"1\" }", "a row of the mass matrix for an unknown state");
  told("x = { m = \"1\" }", "discrete state 'm'");
  told("m = { x = \"1\" }", "a row of the mass matrix for discrete state 'm'");
  told("x = {}", "a row of the mass matrix without an entry");
  told("x = { x = \"1/(y - 2)\" }",
       "m.toml:9:11: a mass that is not finite at the start, expected a finite number, got inf");
  CHECK(told_by(with("x = { x = \"2\" }")) == "");
}

TEST_CASE("a mass matrix whose pivot vanishes on the way is solved by another one") {
  // A rotation by t, whose inverse is its transpose.
  const std::string text = R"toml(
[states]
u = 0.3
w = -0.2
[time]
end = 7.0
[mass]
u = { u = "cos(t)", w = "sin(t)" }
w = { u = "-sin(t)", w = "cos(t)" }
[derivatives]
u = "w"
w = "-u"
)toml";
  const std::string by_hand = R"toml(
[states]
u = 0.3
w = -0.2
[time]
end = 7.0
[derivatives]
u = "cos(t)*w + sin(t)*u"
w = "sin(t)*w - cos(t)*u"
)toml";
  for (const double rtol : {1e-6, 1e-10}) {
    const Finished a = run(text, Method::dopri5, rtol);
    const Finished b = run(by_hand, Method::dopri5, rtol);
    REQUIRE(a.solution.outcome.succeeded());
    for (Index j = 0; j < 2; ++j) CHECK(std::abs(a.end(j) - b.end(j)) < 1e-12);
  }
  const System system = parse_model(text, "m.toml").instantiate({}).system;
  for (const double t : {0.1, 1.57, 1.5707963267948966, 3.0}) {
    const DerivativeCheck derivatives = check_derivatives(system, t, Eigen::Vector2d(0.3, -0.7), Vector(0));
    CAPTURE(derivatives.message);
    CHECK(derivatives.passed);
  }
}

TEST_CASE(
    "a run ends with a reason where the mass matrix becomes singular, and refuses one that is so at the "
    "start") {
  const auto text = [](const std::string& entry) {
    return "[states]\nu = 1.0\nw = 0.0\n[time]\nend = 3\n[mass]\nu = { u = 1, w = 1 }\nw = { u = 1, w = \"" +
           entry + "\" }\n[derivatives]\nu = \"-u\"\nw = \"1 - w\"\n";
  };
  const Finished finished = run(text("2 - t"), Method::automatic, 1e-8);
  CHECK(finished.solution.outcome.status == Status::stopped_by_event);
  CHECK(finished.solution.outcome.t == doctest::Approx(1).epsilon(1e-9));
  REQUIRE_FALSE(finished.solution.events.empty());
  CHECK(finished.solution.events.back().name == "singular mass matrix");
  CHECK(told_by(text("1 + 0*t")).find("singular at the start") != std::string::npos);
  CHECK(told_by(text("1 + t")).find("singular at the start") != std::string::npos);
}
