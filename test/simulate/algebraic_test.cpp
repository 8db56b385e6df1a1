// [algebraic]: variables that equations of their own determine, beside closed forms and the same equations solved by hand.
#include <cmath>
#include <string>

#include "slideway/model/check.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::string told_by(const std::string& text) {
  try {
    parse_model(text, "a.toml").instantiate({});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string model(const std::string& algebraic, const std::string& derivatives, const std::string& states,
                  const std::string& end = "1.5") {
  return "[states]\n" + states + "[time]\nend = " + end + "\n[algebraic]\n" + algebraic + "[derivatives]\n" +
         derivatives;
}

void check_derivatives_of(const std::string& text, const Vector& x, const Vector& lambda) {
  const System system = parse_model(text, "a.toml").instantiate({}).system;
  const DerivativeCheck derivatives = check_derivatives(system, 0.3, x, lambda);
  CAPTURE(derivatives.message);
  CHECK(derivatives.passed);
}

}  // namespace

TEST_CASE("variables that depend on each other in a line are solved by division") {
  // y = 2(x - y) + z and z = x - y/2 give y = 6x/7 and z = 4x/7.
  const std::string text = model("y = \"2*(x - y) + z\"\nz = \"x - y/2\"\n", "x = \"-y - z\"\n", "x = 2.0\n");
  for_all_methods(text, [](const Finished& finished, double rtol) {
    const double x = 2 * std::exp(-10.0 / 7 * 1.5);
    CHECK(std::abs(finished.end(0) - x) < 100 * rtol);
    CHECK(finished.observed("y", 1.5) == doctest::Approx(6 * finished.end(0) / 7).epsilon(1e-15));
    CHECK(finished.observed("z", 1.5) == doctest::Approx(4 * finished.end(0) / 7).epsilon(1e-15));
  });
}

TEST_CASE("a variable without a linear equation is found to rounding, and its derivatives are exact") {
  // y + y³ = x with x' = -y(1 + 3y²) is y' = -y.
  const std::string text = model("y = \"x - y^3\"\n", "x = \"-y*(1 + 3*y^2)\"\n", "x = 2.0\n");
  for_all_methods(text, [](const Finished& finished, double rtol) {
    const double y = std::exp(-1.5);
    const double found = finished.observed("y", 1.5);
    CHECK(std::abs(found - y) < 100 * rtol);
    CHECK(std::abs(found + found * found * found - finished.end(0)) < 4e-16);
  });
  check_derivatives_of(text, Vector::Constant(1, 1.7), Vector(0));
}

TEST_CASE("Kepler's equation is solved at every time, from any start") {
  // x = sin of the eccentric anomaly E, E - e·sin E = t.
  for (const double e : {0.1, 0.7, 0.99}) {
    const std::string text = "[parameters]\ne = " + std::to_string(e) +
                             "\n[states]\nx = 0.0\n[time]\nend = 12\n[algebraic]\nE = \"t + e*sin(E)\"\n"
                             "[derivatives]\nx = \"cos(E)/(1 - e*cos(E))\"\n";
    const Finished finished = run(text, Method::automatic, 1e-9);
    REQUIRE(finished.solution.outcome.succeeded());
    const double E = finished.observed("E", 12);
    CHECK(std::abs(E - e * std::sin(E) - 12) < 4e-15);
    CHECK(std::abs(finished.end(0) - std::sin(E)) < 1e-6);
    // Independent of the search: bisection.
    double low = 0, high = 20;
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (middle - e * std::sin(middle) < 12 ? low : high) = middle;
    }
    CHECK(E == doctest::Approx(low).epsilon(1e-14));
  }
}

TEST_CASE("a diode of a junction between a source and a capacitor keeps its equation over thirty decades") {
  const std::string text = R"toml(
[parameters]
Is = 1e-14
Vt = 0.02585
R = 10.0
C = 1e-4
[states]
u = 0.0
[time]
end = 0.05
[algebraic]
w = "5*sin(314.159265358979*t) - u - R*Is*(exp(w/Vt) - 1)"
[derivatives]
u = "(Is*(exp(w/Vt) - 1) - u/1000)/C"
)toml";
  const Finished finished = run(text, Method::automatic, 1e-9);
  CAPTURE(finished.solution.outcome.message);
  REQUIRE(finished.solution.outcome.succeeded());
  for (const double t : {0.001, 0.0049, 0.01, 0.021, 0.03, 0.0333}) {
    const double w = finished.observed("w", t);
    const double u = finished.solution.trajectory(t)[0];
    const double current = 1e-14 * (std::exp(w / 0.02585) - 1);
    CHECK(std::abs(5 * std::sin(314.159265358979 * t) - u - 10 * current - w) < 1e-12);
  }
}

TEST_CASE("two variables of coupled equations that are not linear hold together") {
  const std::string text =
      model("y = \"x + tanh(z)/2\"\nz = \"t - tanh(y)/2\"\n", "x = \"z - y\"\n", "x = 0.3\n");
  const Finished finished = run(text, Method::automatic, 1e-10);
  REQUIRE(finished.solution.outcome.succeeded());
  const double y = finished.observed("y", 1.5), z = finished.observed("z", 1.5);
  CHECK(std::abs(y - finished.end(0) - std::tanh(z) / 2) < 4e-16);
  CHECK(std::abs(z - 1.5 + std::tanh(y) / 2) < 4e-16);
  check_derivatives_of(text, Vector::Constant(1, -0.4), Vector(0));
}

TEST_CASE("a chain of variables is solved as its tridiagonal matrix is") {
  // -y[i-1] + 3y[i] - y[i+1] = x for i = 1 … N.
  const std::string text =
      "[parameters]\nN = 30\n[states]\nx = 1.0\n[time]\nend = 1\n[algebraic]\ny = { size = \"N\", value = "
      "\"(x + y[i-1] + y[i+1])/3\", ends = \"zero\" }\n[derivatives]\nx = \"-y15\"\n";
  const Finished finished = run(text, Method::automatic, 1e-10);
  REQUIRE(finished.solution.outcome.succeeded());
  // y_i = x(1 - cosh(k(i - 15.5))/cosh(15.5k)) with 2cosh k = 3.
  const double k = std::acosh(1.5);
  const double factor = 1 - std::cosh(0.5 * k) / std::cosh(15.5 * k);
  CHECK(std::abs(finished.end(0) - std::exp(-factor)) < 1e-8);
}

TEST_CASE("of several solutions the one that is guessed is followed, across resets too") {
  // y² = x: the negative root.
  const std::string text = R"toml(
[states]
x = 4.0
[time]
end = 3.0
[algebraic]
y = { value = "y + x - y^2", guess = -1.5 }
[derivatives]
x = "1 + y + sqrt(x)"
[[resets]]
when = "x - 5"
direction = "rising"
set = { x = "0.49" }
)toml";
  for_all_methods(text, [](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(0) - (0.49 + 2)) < 100 * rtol);
    CHECK(finished.observed("y", 3) == doctest::Approx(-std::sqrt(finished.end(0))).epsilon(1e-15));
    CHECK(finished.observed("y", 0.5) == doctest::Approx(-std::sqrt(4.5)).epsilon(1e-9));
  });
}

TEST_CASE("the search for a solution goes on from the one after a jump, whatever event makes it") {
  // y² = x: the negative root, from which the state y.start may be away by errors of the run alone.
  const std::string states = "[states]\nx = 4.0\nv = 0.0\n[discrete]\nm = 1.0\n[time]\nend = 1.5\n";
  const std::string root = "[algebraic]\ny = { value = \"y + x - y^2\", guess = -1.5 }\n";
  const std::string moves = "[derivatives]\nx = \"m\"\nv = -2\n";
  const std::vector<std::string> jumps = {
      // The reset keeps the values of its trigger and sets them 0.25 later.
      "[[resets]]\nwhen = \"x - 4.5\"\ndelay = 0.25\nvalues = \"trigger\"\nset = { m = -1, v = \"y\" }\n",
      "[[resets]]\nwhen = \"x - 4.5\"\ndelay = 0.25\nvalues = \"execution\"\nset = { x = \"x + 1\" }\n",
      // Two resets act at one instant.
      "[[resets]]\nwhen = \"x - 4.5\"\nset = { x = \"x + 1\" }\n"
      "[[resets]]\nwhen = \"v + 1\"\nset = { x = \"x + y^2\" }\n",
      "[[every]]\nperiod = 0.4\nset = { x = \"x + 1\" }\n",
      "[[every]]\nperiod = 0.4\nset = { m = \"-m\" }\n",
  };
  for (const std::string& jump : jumps) {
    CAPTURE(jump);
    for_all_methods(states + root + moves + jump, {1e-6, 1e-10}, [](const Finished& finished, double rtol) {
      const double root_at_end = -std::sqrt(finished.end(0));
      CHECK(std::abs(finished.end(2) - root_at_end) < 300 * rtol);
      CHECK(finished.observed("y", 1.5) == doctest::Approx(root_at_end).epsilon(1e-14));
    });
  }
}

TEST_CASE("the search for a solution goes on from the one after an impact") {
  // y - v + 1/(y - 10) = 0 has the solution (10 + v - sqrt((10 - v)^2 - 4))/2 on the branch of the guess; v jumps from -gT to 0.6gT at
  // T = sqrt(2/g), when the ball has fallen by 1. The integral of y is that of Simpson's rule.
  const double g = 9.81;
  const double fall = std::sqrt(2 / g);
  const auto solution = [](double v) { return (10 + v - std::sqrt((10 - v) * (10 - v) - 4)) / 2; };
  const auto integral = [&](double from, double duration) {
    constexpr int kParts = 2000;
    double sum = 0;
    for (int k = 0; k <= kParts; ++k)
      sum += (k == 0 || k == kParts ? 1 : k % 2 == 0 ? 2 : 4) * solution(from - g * duration * k / kParts);
    return sum * duration / (3 * kParts);
  };
  const double s = integral(0, fall) + integral(0.6 * g * fall, 0.9 - fall);
  for_all_methods(
      "[states]\nh = 1\nv = 0\ns = 0\n[time]\nend = 0.9\n[algebraic]\ny = { value = \"v - 1/(y - 10)\", "
      "guess = 0 }\n"
      "[derivatives]\nh = \"v\"\nv = \"-9.81\"\ns = \"y\"\n[[contacts]]\ngap = \"h\"\nrestitution = 0.6\n"
      "acts_on = { v = \"1\" }\n",
      [&](const Finished& finished, double rtol) {
        CHECK(finished.count(EventKind::impact) == 1);
        CHECK(std::abs(finished.end(2) - s) <= 100 * rtol);
      });
}

TEST_CASE("a run ends where the solution that is followed comes to its end") {
  const std::string text =
      model("y = { value = \"y + x - y^2\", guess = -1.5 }\n", "x = \"-1 + 0*y\"\n", "x = 1.0\n");
  const Finished finished = run(text, Method::automatic, 1e-8);
  CHECK_FALSE(finished.solution.outcome.succeeded());
  CAPTURE(finished.solution.outcome.message);
  CHECK(finished.solution.outcome.t == doctest::Approx(1).epsilon(1e-3));
  CHECK(has(finished.solution.outcome.message, "'y' of [algebraic] has no value"));
}

TEST_CASE("an equation with a relay of the states jumps with it, and slides as its solution does") {
  // y = u/2 with u = x - 3·sgn(x - 1): beside the same field by hand.
  const std::string by_hand =
      "[states]\nx = 3.0\n[time]\nend = 6\n[derivatives]\nx = \"0.4 - (x - "
      "3*sgn(x - 1))/2 - 2*sgn(x - 1)*0.9\"\n";
  const std::string solved =
      "[states]\nx = 3.0\n[time]\nend = 6\n[algebraic]\ny = \"x - 3*sgn(x - 1) - y\"\n"
      "[derivatives]\nx = \"0.4 - y - 2*sgn(x - 1)*0.9\"\n";
  for (const double rtol : {1e-5, 1e-9}) {
    const Finished a = run(by_hand, Method::automatic, rtol);
    const Finished b = run(solved, Method::automatic, rtol);
    REQUIRE(a.solution.outcome.succeeded());
    REQUIRE(b.solution.outcome.succeeded());
    REQUIRE(a.solution.events.size() == b.solution.events.size());
    for (std::size_t k = 0; k < a.solution.events.size(); ++k) {
      CHECK(a.solution.events[k].kind == b.solution.events[k].kind);
      CHECK(a.solution.events[k].t == doctest::Approx(b.solution.events[k].t).epsilon(1e-12));
    }
    CHECK(a.end(0) == doctest::Approx(b.end(0)).epsilon(1e-12));
  }
}

TEST_CASE("an equation that bends its solution by a relay is blended at its corners") {
  // The solution of y + y³ = s with s = ±2 is ±1, and Filippov's field between them is linear in λ.
  const std::string text = model("y = \"2*sgn(x) - y^3\"\n", "x = \"0.5 - y\"\n", "x = 0.3\n", "2");
  for_all_methods(text, {1e-5, 1e-9}, [](const Finished& finished, double) {
    CHECK(finished.solution.events.size() == 1);
    CHECK(finished.solution.events[0].kind == EventKind::sliding_entry);
    CHECK(finished.solution.events[0].lambda[0] == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(finished.solution.events[0].t == doctest::Approx(0.6).epsilon(1e-9));
  });
}

TEST_CASE("a surface that depends on an algebraic variable is met where that is zero") {
  // y + y³ = x with x = 2 - t: y is zero at t = 2, and 0.5 at x = 0.625.
  const std::string text =
      "[states]\nx = 2.0\nz = 0.0\n[time]\nend = 3\n[algebraic]\ny = \"x - y^3\"\n[derivatives]\nx = "
      "\"-1\"\nz = \"sgn(y)\"\n[[records]]\nname = \"half\"\nwhen = \"y - 0.5\"\n";
  for_all_methods(text, [](const Finished& finished, double) {
    REQUIRE(finished.solution.events.size() == 2);
    CHECK(finished.solution.events[0].t == doctest::Approx(2 - 0.625).epsilon(1e-12));
    CHECK(finished.solution.events[1].t == doctest::Approx(2).epsilon(1e-12));
    CHECK(finished.end(1) == doctest::Approx(1).epsilon(1e-9));
  });
}

TEST_CASE(
    "equations and masses that hold for positive parameters keep their form where derivatives by these are "
    "asked for") {
  const std::string text =
      "[parameters]\nR = 2.0\n[states]\nx = 1.0\nv = 0.2\n[time]\nend = 1\n[mass]\nx = { x = \"R\" "
      "}\n[algebraic]\ny = \"x - "
      "R*(exp(y) - 1)\"\n[derivatives]\nx = \"-y\"\nv = \"x\"\n";
  const ExtendedProblem extended = parse_model(text, "a.toml").extend({}, {"R"});
  const System& system = extended.problem.locations().front().system;
  CHECK(system.events().empty());
  const DerivativeCheck derivatives = check_derivatives(system, 0, Eigen::Vector3d(0.7, -0.1, 2), Vector(0));
  CAPTURE(derivatives.message);
  CHECK(derivatives.passed);
}

TEST_CASE("a variable bends its own equation, and each branch has its solution") {
  // u = sin(t): y = sin(t)/slope, with one slope above zero and another one below.
  struct Law {
    const char* text;
    double above, below;
  };
  for (const Law& law : {Law{"sin(t) - 3*max(y, 0)", 4, 1}, Law{"sin(t) - 0.5*abs(y)", 1.5, 0.5},
                         Law{"sin(t) - 3*min(0, y)", 1, 4}, Law{"2*y + sin(t) - 3*y - abs(y)", 3, 1}}) {
    const std::string what = law.text;
    CAPTURE(what);
    const std::string text = model("y = \"" + what + "\"\n", "x = \"y\"\n", "x = 0.0\n", "5");
    for_all_methods(text, {1e-5, 1e-9}, [&](const Finished& finished, double rtol) {
      // At the start the guard is zero; it then is met once more.
      REQUIRE(finished.count(EventKind::crossing) >= 1);
      const double pi = 3.14159265358979323846;
      CHECK(std::abs(finished.solution.events.back().t - pi) < 100 * rtol);
      CHECK(std::abs(finished.observed("y", 1.0) - std::sin(1.0) / law.above) < 1e-15);
      CHECK(std::abs(finished.observed("y", 4.0) - std::sin(4.0) / law.below) < 1e-15);
      CHECK(std::abs(finished.end(0) - (2 / law.above - (1 + std::cos(5.0)) / law.below)) < 100 * rtol);
    });
  }
}

TEST_CASE("a saturated feedback and variables that bend each other have the branches of their solutions") {
  const auto clamp = [](double u) { return std::min(std::max(u, -1.0), 1.0); };
  // y = 3 sin(t) - 2 sat(y): inside y = sin(t), which never leaves; with 6 sin(t) it does.
  const std::string text =
      model("y = \"6*sin(t) - 2*sat(y, -1, 1)\"\nz = \"0.5*w\"\nw = \"sin(t) - max(z, 0)\"\n",
            "x = \"y + z\"\n", "x = 0.0\n", "6");
  for_all_methods(text, {1e-5, 1e-9}, [&](const Finished& finished, double) {
    for (const double t : {0.1, 1.0, 2.9, 3.5, 4.5, 5.9}) {
      const double u = 6 * std::sin(t);
      CHECK(std::abs(finished.observed("y", t) - (u - 2 * clamp(u / 3))) < 1e-14);
      const double z = std::sin(t) > 0 ? std::sin(t) / 3 : std::sin(t) / 2;
      CHECK(std::abs(finished.observed("z", t) - z) < 1e-15);
    }
  });
}

TEST_CASE("a sign in the equation of its own variable is between its values where neither side holds") {
  // y + sgn(y) = u: y is u less its part within one.
  const std::string text =
      model("y = \"2*sin(t) - f\"\nf = \"sgn(y)\"\n", "x = \"y\"\nv = \"f\"\n", "x = 0.0\nv = 0.0\n", "6");
  const auto clamp = [](double u) { return std::min(std::max(u, -1.0), 1.0); };
  for_all_methods(text, {1e-5, 1e-9}, [&](const Finished& finished, double rtol) {
    for (const double t : {0.3, 1.0, 2.0, 3.0, 4.0, 5.0}) {
      const double u = 2 * std::sin(t);
      CHECK(std::abs(finished.observed("y", t) - (u - clamp(u))) < 1e-14);
      CHECK(std::abs(finished.observed("f", t) - clamp(u)) < 1e-14);
    }
    CHECK(std::abs(finished.end(0) + finished.end(1) - 2 * (1 - std::cos(6.0))) < 100 * rtol);
  });
}

TEST_CASE("a guess leads to a solution, and not along a branch whose side does not hold") {
  // y = sat(3y + 3 - x, 0, 1) has the solution 1 only where x is below 3.
  const std::string text =
      model("y = { value = \"sat(3*y + 3 - x, 0, 1)\", guess = 1 }\n", "x = \"y\"\n", "x = 0.0\n", "1");
  for_all_methods(text, [](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(0) - 1) < 10 * rtol);
    CHECK(finished.observed("y", 0) == doctest::Approx(1).epsilon(1e-15));
    CHECK(finished.observed("y", 1) == doctest::Approx(1).epsilon(1e-15));
  });
}

TEST_CASE("a run ends at the kink where the branch that is followed turns back") {
  // The branch y = 1 ends where 3 + 3 - x = 1.
  const std::string text =
      model("y = { value = \"sat(3*y + 3 - x, 0, 1)\", guess = 1 }\n", "x = \"y\"\n", "x = 0.0\n", "10");
  for (const Method method : {Method::dopri5, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
    const Finished finished = run(text, method, 1e-6);
    CAPTURE(finished.solution.outcome.message);
    CHECK_FALSE(finished.solution.outcome.succeeded());
    CHECK(finished.solution.outcome.t == doctest::Approx(5).epsilon(1e-6));
    CHECK(has(finished.solution.outcome.message, "'y' of [algebraic] has no value"));
  }
}

TEST_CASE("a kink with slopes of one sign is passed by the branch that a guess follows") {
  // y + 2·max(y, 0) + sin²y·cos²y/2 = x is monotone, which the bounds of its slope do not tell.
  const std::string text = model("y = { value = \"x - 2*max(y, 0) - sin(y)^2*cos(y)^2/2\", guess = -1 }\n",
                                 "x = \"1\"\n", "x = -1.0\n", "2");
  for_all_methods(text, [](const Finished& finished, double) {
    for (const double t : {0.0, 0.5, 0.9, 1.1, 2.0}) {
      const double y = finished.observed("y", t);
      const double square = std::sin(y) * std::cos(y);
      CHECK(std::abs(y + 2 * std::max(y, 0.0) + 0.5 * square * square - (t - 1)) < 1e-14);
    }
  });
}

TEST_CASE("an equation with poles is refused, or followed on its branch from a guess") {
  for (const char* text :
       {"y + (y + 2*tan(y/4) - x)", "x + 1/(y - 3)", "x + 1/(y - 3)^3", "x - log(y^2 - 1)"}) {
    const std::string what = text;
    CAPTURE(what);
    const std::string told = told_by(model("y = \"" + what + "\"\n", "x = \"1\"\n", "x = 0.5\n"));
    CHECK(has(told, "may have several solutions"));
  }
  // With x = 0.5 + t: z' = y, and dx = (1 + (1 + tan²(y/4))/2) dy.
  const std::string text = model("y = { value = \"y + (y + 2*tan(y/4) - x)\", guess = 0.3 }\n",
                                 "x = \"1\"\nz = \"y\"\n", "x = 0.5\nz = 0.0\n", "12");
  for_all_methods(text, {1e-5, 1e-9}, [](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(1) - 40.84814893302155) < 100 * rtol * 40);
  });
}

TEST_CASE("equations without poles keep their only solution") {
  for (const char* text : {"x - 1/(1 + exp(-y))", "x + exp(-y)", "x - tan(0.5*tanh(y))"}) {
    const std::string what = text;
    CAPTURE(what);
    const std::string told = told_by(model("y = \"" + what + "\"\n", "x = \"1\"\n", "x = 0.5\n"));
    CHECK(told.empty());
  }
}

TEST_CASE("a kink of an algebraic variable is one surface, wherever it is written again") {
  // A diode behind an inductor: in the equation of its voltage, and as the current of a capacitor.
  const std::string text = R"toml(
[parameters]
Goff = 1e-3
gon = 1e3
[states]
u = 100.0
i = 0.0
[time]
end = 0.1
[definitions]
diode = "Goff*(v - u) + gon*max(v - u - 2, 0)"
[algebraic]
v = "v - (diode - i)"
[derivatives]
u = "(Goff*(v - u) + 0.5*gon*max(0, 2*v - 4 - 2*u) - 100)/30e-3"
i = "(400*sin(100*pi*t) - v)/60e-6"
)toml";
  // By Radau's method with the branches solved by hand, at 1e-12.
  for_all_methods(text, {1e-4, 1e-6, 1e-8}, [](const Finished& finished, double rtol) {
    CHECK(finished.instance.problem().locations().front().system.surfaces() == 1);
    CHECK(std::abs(finished.end(0) - 361.72215750997) < 1000 * rtol * 361);
    CHECK(finished.count(EventKind::ambiguous) == 0);
  });
}

TEST_CASE("six diodes of a three-phase bridge are six surfaces") {
  const std::string text = R"toml(
[parameters]
V = 325.0
w = 314.159265358979
L = 3e-3
Ron = 1e-3
Goff = 1e-4
Vf = 0.8
C = 2e-3
R = 20.0
[states]
ia = 0.0
ib = 0.0
uc = 500.0
[time]
end = 0.1
[definitions]
ea = "V*sin(w*t)"
eb = "V*sin(w*t - 2*pi/3)"
ec = "V*sin(w*t + 2*pi/3)"
ic = "-ia - ib"
vs = "(ea + eb + ec - va - vb - vc)/3"
d1 = "Goff*(va - uc) + (1/Ron)*max(va - uc - Vf, 0)"
d3 = "Goff*(vb - uc) + (1/Ron)*max(vb - uc - Vf, 0)"
d5 = "Goff*(vc - uc) + (1/Ron)*max(vc - uc - Vf, 0)"
d4 = "Goff*(-va) + (1/Ron)*max(-va - Vf, 0)"
d6 = "Goff*(-vb) + (1/Ron)*max(-vb - Vf, 0)"
d2 = "Goff*(-vc) + (1/Ron)*max(-vc - Vf, 0)"
[algebraic]
va = "va - (d1 - d4 - ia)"
vb = "vb - (d3 - d6 - ib)"
vc = "vc - (d5 - d2 - ic)"
[derivatives]
ia = "(ea - va - vs)/L"
ib = "(eb - vb - vs)/L"
uc = "(d1 + d3 + d5 - uc/R)/C"
)toml";
  for_all_methods(text, {1e-5}, [](const Finished& finished, double rtol) {
    CHECK(finished.instance.problem().locations().front().system.surfaces() == 6);
    // By Runge-Kutta's formula with 16 million steps, the branch of each phase in closed form.
    CHECK(std::abs(finished.end(2) - 508.890606746) < 1000 * rtol * 509);
    CHECK(finished.count(EventKind::crossing) >= 62);
  });
}

TEST_CASE("what is wrong with an algebraic variable is told with its place and a cure") {
  const std::string states = "x = 1.0\n";
  std::string told = told_by(model("y = \"y + x - 1\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "does not determine it at the start"));
  CHECK(has(told, "index 1"));
  CHECK(has(told, "a.toml:6:1"));
  told = told_by(model("y = \"x - y^2\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "may have several solutions"));
  CHECK(has(told, "guess = 0"));
  told = told_by(model("y = \"x - if(y > 0, 1, y)\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "a jump or kink by an algebraic variable"));
  told = told_by(model("y = \"x + 2*max(y, 0)\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "may have several solutions"));
  told = told_by(model("y = \"x + sgn(y)\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "leaves two solutions"));
  told = told_by(model("y = \"x - y*step(y)\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "a jump by an algebraic variable"));
  told = told_by(model("y = \"x - floor(3*y)\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "a jump or kink by an algebraic variable"));
  told = told_by(model("y = \"x - z\"\nz = \"x - y\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "does not determine it at the start"));
  told = told_by(model("y = { value = \"x - y\", start = 1 }\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "unknown key"));
  told = told_by(model("y = \"x - y + w\"\n", "x = \"-y\"\n", states));
  CAPTURE(told);
  CHECK(has(told, "unknown name"));
}
