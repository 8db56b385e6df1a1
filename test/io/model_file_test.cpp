#include "slideway/io/model_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "slideway/io/quantity_words.hpp"
#include "slideway/model/check.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/io/model_text.hpp"

using namespace slideway;
using namespace model_text;

namespace {

using Names = std::vector<std::string>;

const char* const stick_slip = R"toml(
name = "stick-slip"
summary = "a block on springs, dry friction and a drive"
source = "nowhere in particular"
[parameters]
mu = 0.4
w  = 0.5
[states]
x = 2.0
v = "mu/4"
[time]
start = 1.0
end   = "100*pi"
[definitions]
drive = "cos(w*t)"
[surfaces]
stick = "v"
[derivatives]
x = "v"
v = "-x - mu*sgn(stick) + drive"
[options]
rtol = 1e-8
atol = { x = 1e-10, v = 1e-9 }
method = "adams"
on_ambiguity = "slide"
sliding_rule = "filippov"
)toml";

Names surface_names(const std::string& derivatives, const std::string& sections = "") {
  return instance(with_derivatives(derivatives, sections)).system.surface_names();
}

}  // namespace

TEST_CASE("quantities have labels and units, which say nothing about the motion") {
  const std::string words =
      "[labels]\nx = \"position\"\n[units]\nx = \"m\"\nv = \"m/s\"\ndrive = \"N\"\nt = \"s\"\n";
  const Model model = parse_model(stick_slip + words, "stick-slip.toml");
  const QuantityWords known = quantity_words(model);
  CHECK(known.labels == std::map<std::string, std::string>{{"x", "position"}});
  CHECK(known.of("x") == "position in m");
  CHECK(known.of("v") == "v in m/s");
  CHECK(known.of("w") == "w");
  CHECK(model.equations == parse_model(stick_slip, "stick-slip.toml").equations);
  CHECK(quantity_words(Model()).of("x") == "x");
}

TEST_CASE("labels and units of what is no quantity, and empty ones, are mistakes") {
  const auto told = [](const std::string& words, const std::string& message) {
    CHECK_THROWS_WITH_AS(parse_model(stick_slip + words, "m.toml"), doctest::Contains(message.c_str()),
                         ModelFileError);
  };
  told("[labels]\nX = \"position\"\n", "[labels] names no quantity, expected the name of a state");
  told("[units]\ndrve = \"N\"\n", "did you mean 'drive'?");
  told("[units]\nx = \"\"\n", "'x' is empty");
  told("[units]\nx = 1\n", "a text in quotes");
}

TEST_CASE("a model file becomes a model with its names and defaults and equations") {
  const Model model = parse_model(stick_slip, "stick-slip.toml");
  CHECK(model.name == "stick-slip");
  CHECK(model.summary == "a block on springs, dry friction and a drive");
  CHECK(model.source == "nowhere in particular");
  REQUIRE(model.parameters.size() == 2);
  CHECK(model.parameters[1].name == "w");
  CHECK(model.parameters[1].value == 0.5);
  CHECK(model.state_names == Names{"x", "v"});
  CHECK(model.defaults.rtol == 1e-8);
  CHECK(model.defaults.atol == std::vector<double>{1e-10, 1e-9});
  CHECK(model.defaults.method == "adams");
  CHECK(model.defaults.on_ambiguity == "slide");
  CHECK(model.defaults.sliding_rule == "filippov");
  CHECK(model.equations ==
        Names{"x' = v", "v' = -x - mu*sgn(stick) + drive", "drive = cos(w*t)", "surface stick: v"});

  const ModelInstance run = model.instantiate({});
  CHECK(run.start == 1);
  CHECK(run.end == 100 * std::numbers::pi);
  CHECK(run.state == Vector(Eigen::Vector2d(2, 0.1)));
  CHECK(run.parameters == Settings{{"mu", 0.4}, {"w", 0.5}});
  CHECK(run.system.name() == "stick-slip");
  CHECK(run.system.surface_names() == Names{"stick"});
}

TEST_CASE("the field of a model file is the one of its equations") {
  const System system = instance(stick_slip).system;
  for (const double lambda : {-1.0, -0.3, 0.0, 0.75, 1.0}) {
    const Vector x = Eigen::Vector2d(0.7, -0.2);
    const Vector dx = field(system, 1.25, x, Vector::Constant(1, lambda));
    CHECK(dx[0] == -0.2);
    CHECK(dx[1] == doctest::Approx(-0.7 - 0.4 * lambda + std::cos(0.5 * 1.25)).epsilon(1e-15));
    CHECK(guards(system, 1.25, x)[0] == -0.2);
  }
}

TEST_CASE("a file without a name is called after itself") {
  CHECK(parse_model(with_derivatives("x=1\ny=1\nz=1"), "somewhere/pendulum.toml").name == "pendulum");
}

TEST_CASE("settings change parameters and what is defined by them") {
  const Model model = parse_model(R"toml(
[parameters]
a = 2
b = "a^2"
c = "a + b"
[states]
x = "c"
y = "2*b"
[time]
end = "10*a"
[derivatives]
x = "c*x"
y = "b"
)toml",
                                  "test.toml");
  const auto value = [&](const Settings& settings) {
    const ModelInstance run = model.instantiate(settings);
    const Vector dx = field(run.system, 0, Eigen::Vector2d(1, 0), Vector(0));
    return std::vector<double>{dx[0], dx[1], run.state[0], run.state[1], run.end};
  };
  CHECK(value({}) == std::vector<double>{6, 4, 6, 8, 20});
  CHECK(value({{"a", 3}}) == std::vector<double>{12, 9, 12, 18, 30});
  CHECK(value({{"b", 1}}) == std::vector<double>{3, 1, 3, 2, 20});
  CHECK(value({{"b", 1}, {"a", 3}}) == std::vector<double>{4, 1, 4, 2, 30});
  CHECK(value({{"a", 5}, {"a", 3}}) == std::vector<double>{12, 9, 12, 18, 30});
  CHECK(value({{"x", -1}, {"a", 3}}) == std::vector<double>{12, 9, -1, 18, 30});
  CHECK(model.instantiate({{"a", 3}}).parameters == Settings{{"a", 3}, {"b", 9}, {"c", 12}});
}

TEST_CASE("settings that make no sense are refused with a reason") {
  const Model model = parse_model(with_derivatives("x = \"y/a\"\ny = \"sqrt(b)\"\nz = \"x\""), "test.toml");
  CHECK(refusal(model, {{"bb", 1}}).find("did you mean 'b'?") != std::string::npos);
  CHECK(refusal(model, {{"bb", 1}}).find("there is no parameter or state 'bb' (expected one of ") !=
        std::string::npos);
  CHECK(refusal(model, {{"x", std::nan("")}})
            .find("'x' cannot be set to that (expected a finite number, got nan)") != std::string::npos);
  CHECK(refusal(model, {{"a", 0}})
            .find("test.toml:11:8: division by zero in the derivative of 'x', expected a "
                  "divisor that is not 0, got a = 0") == 0);
  CHECK(refusal(model, {{"b", -1}}).find("test.toml:12:6: a value that is not finite") == 0);
  CHECK(refusal(model, {{"a", 0}, {"b", -1}}).find("test.toml:12:6") != std::string::npos);
}

TEST_CASE("surfaces are listed by name and then by first appearance") {
  CHECK(surface_names("x = \"sgn(y) + abs(x - a)\"\ny = \"if(t > b, sgn(z), 2)\"\nz = \"0\"") ==
        Names{"y", "x - a", "t - b", "z"});
  // Named ones come first, in their order, used or not.
  CHECK(surface_names("x = \"sgn(z) + sgn(second)\"\ny = \"0\"\nz = \"0\"",
                      "[surfaces]\nunused = \"x*y\"\nsecond = \"y\"\nfirst = \"x\"\n") ==
        Names{"unused", "second", "first", "z"});
  // A definition is where it stands in the file, however late it is used.
  CHECK(surface_names("x = \"sgn(y) + d\"\ny = \"0\"\nz = \"0\"", "[definitions]\nd = \"sgn(x)\"\n") ==
        Names{"x", "y"});
}

TEST_CASE("file order holds whatever the names are") {
  const Model model = parse_model(
      "[states]\nzeta = 1\nalpha = 2\nmid = 3\n[time]\nend = 1\n[derivatives]\nmid = \"sgn(zeta)\"\n"
      "alpha = \"sgn(alpha)\"\nzeta = \"sgn(mid)\"",
      "test.toml");
  CHECK(model.state_names == Names{"zeta", "alpha", "mid"});
  CHECK(model.instantiate({}).system.surface_names() == Names{"zeta", "alpha", "mid"});
  CHECK(model.equations.front() == "mid' = sgn(zeta)");
}

TEST_CASE("equal guards are one surface") {
  CHECK(surface_names("x = \"sgn(h) + if(h > 0, 1, 2) + sgn(x - y)\"\ny = \"step(x - y)\"\nz = \"0\"",
                      "[surfaces]\nh = \"x - y\"\n") == Names{"h"});
  // After constant folding, and up to a factor of either sign.
  CHECK(surface_names(
            "x = \"sgn(x - 2) + sgn(2 - x) + sgn(3*(x - 1*2)) + if(x < 2, 1, 0)\"\ny = \"0\"\nz = \"0\"") ==
        Names{"x - 2"});
  CHECK(surface_names(
            "x = \"sgn(y - x) + max(x, y) + sgn(-2*(x - y)) + sgn((y - x)/a)\"\ny = \"0\"\nz = \"0\"") ==
        Names{"y - x"});
  // An odd function of the opposite is the opposite: phases that see each other through the signs of sines.
  CHECK(surface_names("x = \"sgn(sin(y - x)) + sgn(sin(2*(z - x)))\"\ny = \"sgn(sin(x - y))\"\n"
                      "z = \"sgn(sin(2*(x - z)))\"") == Names{"sin(y - x)", "sin(2*(z - x))"});
}

TEST_CASE(
    "guards that are multiples of each other, or the same but for how they are written, are one surface") {
  const auto names = [](const std::string& sum) {
    return surface_names("x = \"" + sum + "\"\ny = \"0\"\nz = \"0\"");
  };
  CHECK(names("sgn(x - 1) + sgn(2*x - 2) + sgn(1 - x) + sgn(0.1*x - 0.1)") == Names{"x - 1"});
  CHECK(names("sgn(x - 3) + sgn(0.1*x - 0.3) + sgn(0.7*(x - 3) + 0.1*x - 0.3)") == Names{"x - 3"});
  CHECK(names("sgn(x^2 - y^2) + sgn((x - y)*(x + y)) + sgn(y*y - x*x)") == Names{"x^2 - y^2"});
  CHECK(names("sgn(x - y) + sgn((x - y)*(1 + z^2)) + sgn((y - x)*exp(z)) + sgn(tanh(x - y))") ==
        Names{"x - y"});
  CHECK(names("sgn(x/y - z) + sgn(2*x/y - 2*z)") == Names{"x/y - z"});
  // These are no multiples: the factor may have any sign, the constants differ.
  CHECK(names("sgn(x - y) + sgn((x - y)*z)").size() == 2);
  CHECK(names("sgn(x - 1) + sgn(2*x - 2.0000001)").size() == 2);
  CHECK(names("sgn(x^2) + sgn(x)").size() == 2);
}

TEST_CASE("a crossing of two multiples of one guard is one crossing") {
  // Both signs change together: 0.65 - 0.52·sgn(x - 1).
  const ModelInstance one = instance(
      with_derivatives("x = \"0.65 - 0.715*sgn(x - 1) + 0.195*sgn(2*x - 2)\"\ny = \"0\"\nz = \"0\""));
  REQUIRE(one.system.surfaces() == 1);
  CHECK(field(one.system, 0, Eigen::Vector3d(0, 0, 0), Vector::Constant(1, -1.0))[0] ==
        doctest::Approx(1.17).epsilon(1e-15));
  CHECK(field(one.system, 0, Eigen::Vector3d(2, 0, 0), Vector::Constant(1, 1.0))[0] ==
        doctest::Approx(0.13).epsilon(1e-15));
}

TEST_CASE("a guard of the opposite sign uses the opposite of lambda") {
  const System system =
      instance(with_derivatives("x = \"sgn(x - y)\"\ny = \"sgn(y - x)\"\nz = \"if(x < y, 5, 7)\"")).system;
  REQUIRE(system.surfaces() == 1);
  const Vector dx = field(system, 0, Eigen::Vector3d(0, 0, 0), Vector::Constant(1, 1.0));
  CHECK(dx == Vector(Eigen::Vector3d(1, -1, 7)));
  const Vector between = field(system, 0, Eigen::Vector3d(0, 0, 0), Vector::Constant(1, -0.5));
  CHECK(between == Vector(Eigen::Vector3d(-0.5, 0.5, 5.5)));
}

TEST_CASE("jumps of constants are numbers and no surfaces") {
  const System system =
      instance(with_derivatives("x = \"sgn(a) + step(-b) + abs(-a)\"\ny = \"min(a, b) + max(a, b)\"\n"
                                "z = \"if(a > 3, sgn(0), 1) + if(a < b, 1/0, if(b <= 1, 4, 5))\""))
          .system;
  CHECK(system.surfaces() == 0);
  CHECK(field(system, 0, Vector::Zero(3), Vector(0)) == Vector(Eigen::Vector3d(4, 3.25, 5)));
}

TEST_CASE("every jump means the sign of its guard") {
  const System system = instance(with_derivatives("x = \"sgn(x) + 10*step(y) + 100*abs(z)\"\n"
                                                  "y = \"min(x, a) + 10*max(y, z)\"\n"
                                                  "z = \"if(x >= a, 1, 2) + if(t <= 1, 10, 20)\""))
                            .system;
  CHECK(system.surface_names() == Names{"x", "y", "z", "x - a", "y - z", "t - 1"});
  for (const double x0 : {-0.7, 0.9, 3.5}) {
    for (const double x1 : {-2.0, 1.5}) {
      for (const double x2 : {-1.0, 2.0}) {
        for (const double t : {0.5, 2.5}) {
          const Vector x = Eigen::Vector3d(x0, x1, x2);
          const Vector h = guards(system, t, x);
          const Vector dx = field(system, t, x, h.array().sign().matrix());
          CHECK(dx[0] == (x0 > 0 ? 1 : -1) + (x1 > 0 ? 10 : 0) + 100 * std::abs(x2));
          CHECK(dx[1] == std::min(x0, 3.0) + 10 * std::max(x1, x2));
          CHECK(dx[2] == (x0 > 3 ? 1 : 2) + (t < 1 ? 10 : 20));
        }
      }
    }
  }
}

TEST_CASE("a name of a surface stands for its guard") {
  const System system =
      instance(with_derivatives("x = \"2*gap + if(gap > 0, gap^2, 0)\"\ny = \"0\"\nz = \"0\"",
                                "[surfaces]\ngap = \"x - a\"\n"))
          .system;
  CHECK(field(system, 0, Eigen::Vector3d(5, 0, 0), Vector::Constant(1, 1.0))[0] == 8);
  CHECK(field(system, 0, Eigen::Vector3d(1, 0, 0), Vector::Constant(1, -1.0))[0] == -4);
}

TEST_CASE("definitions may use later ones and surfaces") {
  const System system =
      instance(with_derivatives("x = \"first\"\ny = \"0\"\nz = \"0\"",
                                "[definitions]\nfirst = \"2*second + g\"\nsecond = \"x + a\"\n"
                                "[surfaces]\ng = \"y - second\"\n"))
          .system;
  CHECK(field(system, 0, Eigen::Vector3d(5, 1, 0), Vector::Constant(1, 1.0))[0] == 2 * 8 + (1 - 8));
}

TEST_CASE("the root of a branch that is not in force makes no NaN") {
  const System system = instance(with_derivatives("x = \"if(x > 0, x^1.5 + if(y > 0, sqrt(x)*y, 0), 0)\"\n"
                                                  "y = \"if(x > 0, log(x), log(-x))\"\nz = \"0\""))
                            .system;
  const Vector below = Eigen::Vector3d(-4, 2, 0);
  CHECK(field(system, 0, below, Eigen::Vector2d(-1, 1)) == Vector(Eigen::Vector3d(0, std::log(4.0), 0)));
  CHECK(field(system, 0, below, Eigen::Vector2d(-1, 0.3)) == Vector(Eigen::Vector3d(0, std::log(4.0), 0)));
  Matrix jacobian(3, 3);
  system.definition().field_dx(0, below, Eigen::Vector2d(-1, 1), jacobian);
  CHECK(jacobian.allFinite());
  CHECK(jacobian(1, 0) == -0.25);
}

TEST_CASE("all derivatives of a model file are exact") {
  const System system =
      instance(with_derivatives("x = \"y*sgn(x^2 + y^2 - a) + exp(-b*t)*sin(x*z)\"\n"
                                "y = \"if(z > x, tanh(y)/(1 + x^2), atan2(y, a)*abs(x - t))\"\n"
                                "z = \"max(x*y, z) + cosh(b*x)^2 - pow(a, y) + x^-3\""))
          .system;
  REQUIRE(system.surfaces() == 4);
  const Vector x = Eigen::Vector3d(0.7, -0.4, 1.1);
  const Vector lambda = Eigen::Vector4d(0.3, -0.6, 0.9, 0.1);
  const DerivativeCheck check = check_derivatives(system, 0.35, x, lambda, 1e-6);
  INFO(check.message);
  CHECK(check.passed);
  CHECK(system.definition().field_dx);
  CHECK(system.definition().field_dlambda);
  CHECK(system.definition().guards_dx);
  CHECK(system.definition().guards_dt);
  CHECK(system.definition().normal_dx);
  CHECK(system.definition().field_along);
  CHECK(system.definition().guards_along);
  CHECK(system.definition().guards_mixed);
  CHECK(check_multi_affine(system, 0.35, x).passed);
}

TEST_CASE("the sparsity of a model file is exact") {
  const System system = instance(with_derivatives("x = \"y + 0*z\"\ny = \"x*sgn(z) - x\"\nz = \"a\"")).system;
  const SystemDefinition& definition = system.definition();
  REQUIRE(definition.field_dx_pattern.has_value());
  CHECK(definition.field_dx_pattern->entries() == 2);
  CHECK(definition.field_dx_pattern->has(0, 1));
  CHECK(definition.field_dx_pattern->has(1, 0));
  CHECK(definition.field_dlambda_pattern->entries() == 1);
  CHECK(definition.field_dlambda_pattern->has(1, 0));
  CHECK(definition.guards_dx_pattern->entries() == 1);
  CHECK(definition.guards_dx_pattern->has(0, 2));
}

TEST_CASE("guards that are affine are known to be") {
  const auto affine = [](const std::string& derivative) {
    return instance(with_derivatives("x = \"" + derivative + "\"\ny = 0\nz = 0"))
        .system.definition()
        .guards_affine;
  };
  CHECK(affine("sgn(2*x - a*t + 3) + sgn(y/a)"));
  CHECK_FALSE(affine("sgn(x) + sgn(y - sin(t))"));
  CHECK_FALSE(affine("sgn(x*y)"));
}

TEST_CASE("guards of events and edges know the states they see") {
  const ModelInstance run = instance(with_derivatives("x = \"a\"\ny = 0\nz = 0\n",
                                                      "[[resets]]\nwhen = \"y - z*t\"\nset = { x = \"0\" }\n"
                                                      "[[stops]]\nwhen = \"a*x - 1\"\n"
                                                      "[[records]]\nwhen = \"sin(t)\"\n"));
  std::vector<std::vector<Index>> states;
  std::vector<bool> affine;
  for (const Event& event : run.system.events()) {
    const std::optional<GuardShape> shape = event.when.shape(run.system.states());
    REQUIRE(shape);
    states.push_back(shape->states);
    affine.push_back(shape->affine);
  }
  CHECK(states == std::vector<std::vector<Index>>{{1, 2}, {0}, {}});
  CHECK(affine == std::vector<bool>{false, true, false});

  const ModelInstance made = parse_model(R"toml(
initial = "on"
[states]
x = 0
y = 0
[time]
end = 1
[derivatives]
x = "1"
y = "1"
[[locations]]
name = "on"
[[edges]]
from = "on"
to = "on"
when = "y - 1"
)toml",
                                         "test.toml")
                                 .instantiate({});
  const auto shape = made.problem().edges().front().when.shape(2);
  REQUIRE(shape);
  CHECK(shape->states == std::vector<Index>{1});
  CHECK(shape->affine);
}

TEST_CASE("the guard of an event may have kinks, which become surfaces") {
  const ModelInstance run = instance(with_derivatives(
      "x = \"y\"\ny = \"-x\"\nz = 0\n",
      "[definitions]\nlevel = \"min(max(a*z, 0), 1)\"\n[[records]]\nwhen = \"abs(x) - level\"\n"));
  CHECK(run.system.surface_names() == std::vector<std::string>{"max(a*z, 0) - 1", "a*z", "x"});
  const Guard guard = run.system.events().front().when;
  const Vector inside = Eigen::Vector3d(-0.5, 2, 0.1);
  CHECK(guard.value(0, inside) == doctest::Approx(0.5 - 3 * 0.1));
  CHECK(guard.rate(0, inside, 1, Eigen::Vector3d(1, 1, 1)) == doctest::Approx(-1 - 3));
  const Vector beyond = Eigen::Vector3d(0.5, 2, 7);
  CHECK(guard.value(0, beyond) == doctest::Approx(0.5 - 1));
  CHECK(guard.rate(0, beyond, 1, Eigen::Vector3d(1, 1, 1)) == doctest::Approx(1));
  const auto shape = guard.shape(3);
  REQUIRE(shape);
  CHECK(shape->states == std::vector<Index>{0, 2});
  CHECK_FALSE(shape->affine);
}

TEST_CASE("an event whose guard has kinks is found on every branch of it") {
  const ModelInstance oscillator = instance(R"toml(
[states]
x = 1
v = 0
[time]
end = 20
[derivatives]
x = "v"
v = "-x"
[[records]]
name = "half"
when = "abs(x) - 0.5"
)toml");
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-5, 1e-9}) {
      const Simulator simulator(oscillator.problem(), {.rtol = rtol, .method = method});
      const Solution solution =
          simulator.run({.start = oscillator.start, .end = oscillator.end, .state = oscillator.state});
      CAPTURE(rtol);
      std::vector<double> found;
      for (const EventRecord& event : solution.events)
        if (event.kind == EventKind::record) found.push_back(event.t);
      REQUIRE(found.size() == 13);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const auto turn = static_cast<double>((k + 1) / 2);
        const double exact = std::numbers::pi * (turn + (k % 2 == 0 ? 1.0 : -1.0) / 3);
        CHECK(found[k] == doctest::Approx(exact).epsilon(1000 * rtol));
      }
    }
  }
}

TEST_CASE("a field that is affine is known to be") {
  const auto affine = [](const std::string& derivative) {
    return instance(with_derivatives("x = \"" + derivative + "\"\ny = 0\nz = 0"))
        .system.definition()
        .field_affine;
  };
  CHECK(affine("sgn(x)/a - 2*y + 3*t - 1"));
  CHECK_FALSE(affine("sgn(x) + x^2"));
  CHECK_FALSE(affine("sgn(x) + cos(t)"));
  CHECK_FALSE(affine("y*sgn(x)"));
}

TEST_CASE("all reference cases are read") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SLIDEWAY_SOURCE_DIR "/validation/reference")) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    CAPTURE(entry.path());
    const Model model = read_model_file(entry.path().string());
    const std::string refused = refusal(model, {});
    CHECK(refused == "");
  }
  CHECK(files >= 75);
}

TEST_CASE("locations, edges, events and contacts of a file become those of the problem") {
  const Model ball = parse_model(R"toml(
initial = "flight"
[parameters]
e = 0.5
[states]
x = 10.0
v = 0.0
[time]
end = 10.0
[derivatives]
x = "v"
[[locations]]
name = "flight"
[locations.derivatives]
v = "-9.8"
[[locations]]
name = "rest"
[locations.derivatives]
x = 0
v = 0
[[edges]]
name = "impact"
from = "flight"
to = "flight"
when = "x"
direction = "falling"
set = { x = "0", v = "-e*v" }
zeno = "rest"
)toml",
                                 "ball.toml");
  CHECK(ball.equations == Names{"x' = v", "location flight:", "  v' = -9.8", "location rest:", "  x' = 0",
                                "  v' = 0",
                                "edge impact: flight -> flight when x falls through 0: x = 0, v = -e*v; at "
                                "an accumulation point -> "
                                "rest"});
  const Automaton automaton = ball.instantiate({}).problem();
  REQUIRE(automaton.locations().size() == 2);
  CHECK(automaton.locations()[automaton.initial()].name == "flight");
  REQUIRE(automaton.edges().size() == 1);
  const Edge& impact = automaton.edges().front();
  CHECK(impact.name == "impact");
  CHECK(impact.direction == Direction::falling);
  CHECK(impact.zeno == "rest");
  CHECK(impact.when.value(0, Eigen::Vector2d(3, 4)) == 3);
  Vector after = Eigen::Vector2d(1e-17, -4);
  impact.reset(0, Eigen::Vector2d(1e-17, -4), after);
  CHECK(after == Eigen::Vector2d(0, 2));

  const auto system_with = [](const std::string& sections) {
    return parse_model(with_derivatives("x = \"y\"\ny = \"1\"\nz = \"sgn(y)\"\n", "") + sections, "m.toml")
        .instantiate({})
        .system;
  };
  const System reset = system_with("[[resets]]\nname = \"r\"\nwhen = \"x\"\nset = { y = \"-y*sgn(0*x)\" }\n");
  REQUIRE(reset.events().size() == 1);
  CHECK(reset.events().front().action == Action::reset);
  CHECK(reset.events().front().direction == Direction::any);
  CHECK(reset.events().front().when.shape(3)->states == std::vector<Index>{0});
  CHECK(reset.events().front().when.shape(3)->affine);
  const System stop = system_with("[[stops]]\nwhen = \"x - 1\"\ndirection = \"rising\"\n");
  REQUIRE(stop.events().size() == 1);
  const System curved = system_with("[[records]]\nwhen = \"z*sin(t) - 2*x\"\n");
  CHECK(curved.events().front().when.shape(3)->states == std::vector<Index>{0, 2});
  CHECK_FALSE(curved.events().front().when.shape(3)->affine);
  CHECK(stop.events().front().action == Action::stop);
  CHECK(stop.events().front().direction == Direction::rising);
  CHECK(system_with("[[records]]\nwhen = \"x - 1\"\n").events().front().action == Action::record);
  const System contact = system_with(
      "[[contacts]]\nname = \"wall\"\ngap = \"3 - x\"\nacts_on = { y = \"-1/a\" }\n"
      "restitution = \"0.8 - 0.1*impact\"\n");
  REQUIRE(contact.contacts().size() == 1);
  CHECK(contact.contacts().front().name == "wall");
  CHECK(contact.contacts().front().restitution(2) == doctest::Approx(0.6));
}

TEST_CASE("the derivative of x times a root of abs(x) is exact where x is zero") {
  const auto slope = [](const std::string& expression, double x) {
    const System system =
        instance("[states]\nx = 0\n[time]\nend = 1\n[derivatives]\nx = \"" + expression + "\"\n").system;
    Matrix derivative(1, 1);
    system.definition().field_dx(0, Vector::Constant(1, x), Vector::Constant(1, x < 0 ? -1 : 1), derivative);
    return derivative(0, 0);
  };
  for (const char* expression :
       {"x*abs(x)^0.5", "abs(x)^0.5*x", "x*sqrt(abs(x))", "-(2*(-x)*(abs(x)^0.5/2))", "(3*abs(x)^0.5)*x/3"}) {
    CAPTURE(expression);
    CHECK(slope(expression, 0) == 0);
    CHECK(slope(expression, 4) == doctest::Approx(3).epsilon(1e-15));
    CHECK(slope(expression, -4) == doctest::Approx(3).epsilon(1e-15));
  }
  CHECK(slope("abs(x)^1.5*x", 4) == doctest::Approx(20).epsilon(1e-15));
}

TEST_CASE("the product with a root keeps its value on both sides") {
  const System system =
      instance("[states]\nx = 0\ny = 0\n[time]\nend = 1\n[derivatives]\nx = \"y*x*abs(x)^0.2\"\ny = 0\n")
          .system;
  for (const double x : {-2.0, 0.5}) {
    const Vector lambda = Vector::Constant(1, x < 0 ? -1 : 1);
    CHECK(field(system, 0, Vector{{x, 3}}, lambda)[0] ==
          doctest::Approx(3 * x * std::pow(std::abs(x), 0.2)).epsilon(1e-15));
  }
}

TEST_CASE("a relay with hysteresis of Bouc and Wen starts where its root vanishes") {
  for (const char* derivative :
       {"v - 0.5*abs(v)*z*abs(z)^0.5 - 0.5*v*abs(z)^1.5", "v - 0.5*abs(v)*abs(z)^0.2*z - 0.5*v*abs(z)^1.2"}) {
    const ModelInstance model = instance(
        "[states]\nx = 0\nv = 0\nz = 0\n[time]\nend = 30\n[derivatives]\nx = \"v\"\n"
        "v = \"-0.2*x - 0.1*v - 0.8*z + 1.5*sin(0.8*t)\"\nz = \"" +
        std::string(derivative) + "\"\n");
    const Solution solution =
        Simulator(model.problem()).run({.start = model.start, .end = model.end, .state = model.state});
    CHECK(solution.outcome.status == Status::reached_end);
  }
}

TEST_CASE("a surface of a long bend is named after where it stands") {
  const std::string definition = "[definitions]\nu = \"min(max((x - 2*y)/0.5 + 3*z, -10), 10)\"\n";
  CHECK(surface_names("x = \"u\"\ny = \"0\"\nz = \"0\"", definition) == Names{"min in u", "max in u"});
  CHECK(surface_names("x = \"0\"\ny = \"min(max((x - 2*y)/0.5 + 3*z, -10), 10)\"\nz = \"0\"") ==
        Names{"min in y'", "max in y'"});
  // A smooth guard that is long, and a bend that is short, are their own names.
  CHECK(surface_names("x = \"sgn(x + 2*y + 3*z - 4 + 5*t)\"\ny = \"max(x, 1)\"\nz = \"0\"") ==
        Names{"x + 2*y + 3*z - 4 + 5*t", "x - 1"});
}

TEST_CASE("a field that chooses by a discrete state is not affine, and its pattern has that state") {
  const std::string text =
      "[states]\ny = 0\nv = 0\n[discrete]\nq = 1\n[time]\nend = 20\n[derivatives]\ny = \"1\"\n"
      "v = \"if(q == 1, 0.5, -0.5) + 0.1*y - sgn(v)\"\n"
      "[[resets]]\nname = \"turn\"\nwhen = \"y > 100 and abs(q) > 0.5\"\nset = { q = \"1 - q\" }\n";
  const ModelInstance model = instance(text);
  const SystemDefinition& definition = model.system.definition();
  CHECK_FALSE(definition.field_affine);
  CHECK(definition.guards_affine);
  CHECK(definition.field_dx_pattern->column == std::vector<Index>{0, 2});
  CHECK(definition.events.front().when.shape(3)->states == std::vector<Index>{0, 2});
  CHECK_FALSE(definition.events.front().when.shape(3)->affine);
  // The block sticks until 0.1 y + 0.5 = 1.
  const Solution solution =
      Simulator(model.problem(), {.rtol = 1e-10}).run({.start = 0, .end = 20, .state = model.state});
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.events.front().kind == EventKind::sliding_exit);
  CHECK(solution.events.front().t == doctest::Approx(5).epsilon(1e-12));
  CHECK(solution.final.state[1] == doctest::Approx(0.05 * 15 * 15).epsilon(1e-8));
}

TEST_CASE("an event fires while a block sticks beside a discrete state that is not zero") {
  for (const std::string value : {"0", "1", "-300"}) {
    CAPTURE(value);
    const ModelInstance model =
        instance("[states]\nv = 0\ny = 0\n[discrete]\nq = " + value +
                 "\n[time]\nend = 10\n[derivatives]\nv = \"0.5 - sgn(v)\"\ny = \"1\"\n"
                 "[[resets]]\nname = \"hit\"\nwhen = \"y > 5\"\nset = { q = \"q + 1\" }\n"
                 "[[records]]\nname = \"later\"\nwhen = \"y - 7\"\n");
    const Solution solution = Simulator(model.problem()).run({.start = 0, .end = 10, .state = model.state});
    REQUIRE(solution.events.size() == 2);
    CHECK(solution.events[0].name == "hit");
    CHECK(solution.events[0].t == doctest::Approx(5).epsilon(1e-12));
    CHECK(solution.events[1].t == doctest::Approx(7).epsilon(1e-12));
    CHECK(solution.final.mode == Mode("0"));
  }
}
