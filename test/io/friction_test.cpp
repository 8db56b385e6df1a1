// [friction]: laws, their parameters, break-away ratios and what goes wrong with them.
#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "test/io/model_text.hpp"

using namespace slideway;
using namespace model_text;

namespace {

// A block on a belt; the law on line 9.
std::string with_law(const std::string& law, const std::string& more = "") {
  return "[parameters]\nvb = 0.2\n[states]\nx = 0.0\nv = 0.0\n[time]\nend = 1.0\n[friction]\n" + law +
         "\n[derivatives]\nx = \"v\"\nv = \"-F\"\n" + more;
}

// The force at a velocity v and, of laws with a state, z.
double force(const std::string& law, double v, double lambda, double z = 0) {
  const ModelInstance model = instance(with_law("F = { " + law + ", velocity = \"v\" }"));
  Vector x(model.system.states());
  x.setZero();
  x[1] = v;
  if (x.size() > 2) x[2] = z;
  return -field(model.system, 0, x, Vector::Constant(model.system.surfaces(), lambda))[1];
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every law of friction is the force that its formula says") {
  for (const double v : {-0.7, -0.05, 0.02, 1.3}) {
    const double s = v > 0 ? 1 : -1;
    CHECK(force("law = 'viscous', B = 2", v, s) == doctest::Approx(2 * v));
    CHECK(force("law = 'coulomb', Fc = 3", v, s) == doctest::Approx(3 * s));
    CHECK(force("law = 'coulomb', Fc = 3, B = 0.5", v, s) == doctest::Approx(3 * s + 0.5 * v));
    CHECK(force("law = 'static', Fc = 3, Fs = 4", v, s) == doctest::Approx(3 * s));
    const double falling = 1 + 0.5 * std::exp(-(v / 0.1) * (v / 0.1));
    const std::string numbers = "Fc = 1, Fs = 1.5, vs = 0.1, B = 0.4";
    CHECK(force("law = 'stribeck', " + numbers, v, s) == doctest::Approx(falling * s + 0.4 * v));
    CHECK(force("law = 'exponential', " + numbers, v, s) == doctest::Approx(falling * s + 0.4 * v));
    CHECK(force("law = 'exponential-literal', " + numbers, v, s) ==
          doctest::Approx(s + falling - 1 + 0.4 * v));
    CHECK(force("law = 'stribeck-linear', " + numbers, v, s) ==
          doctest::Approx((1 + 0.5 * std::exp(-std::abs(v) / 0.1)) * s + 0.4 * v));
  }
}

TEST_CASE("Dahl's and LuGre's laws bring a state of their own") {
  const ModelInstance dahl =
      instance(with_law("F = { law = 'dahl', velocity = 'v', sigma = 3, Fc = 2, initial = 0.5 }"));
  CHECK(dahl.system.state_names() == std::vector<std::string>{"x", "v", "F"});
  CHECK(dahl.state[2] == 0.5);
  CHECK(dahl.system.surface_names() == std::vector<std::string>{"v"});
  const Vector moving = Eigen::Vector3d(0, -0.4, 0.5);
  const Vector rates = field(dahl.system, 0, moving, Vector::Constant(1, -1));
  CHECK(rates[1] == -0.5);
  CHECK(rates[2] == doctest::Approx(3 * (-0.4 - 0.4 * 0.5 / 2)));
  REQUIRE(dahl.friction.size() == 1);
  CHECK(dahl.friction[0].stored(0, moving) == doctest::Approx(0.5 * 0.5 / 6));

  const ModelInstance lugre =
      instance(with_law("F = { law = 'lugre', velocity = 'v', sigma0 = 10, sigma1 = 2, sigma2 = 0.3, Fc = 1, "
                        "Fs = 1.5, vs = 0.2 }"));
  CHECK(lugre.system.state_names() == std::vector<std::string>{"x", "v", "F_z"});
  const Vector x = Eigen::Vector3d(0, 0.1, 0.04);
  const double g = 1 + 0.5 * std::exp(-0.25);
  const double rate = 0.1 - 10 * 0.1 * 0.04 / g;
  const Vector dx = field(lugre.system, 0, x, Vector::Constant(1, 1));
  CHECK(dx[2] == doctest::Approx(rate));
  CHECK(dx[1] == doctest::Approx(-(10 * 0.04 + 2 * rate + 0.3 * 0.1)));
  CHECK(lugre.friction[0].force(0, x, Vector::Constant(1, 1)) == doctest::Approx(-dx[1]));
  CHECK(lugre.friction[0].velocity(0, x) == 0.1);
  CHECK(lugre.friction[0].stored(0, x) == doctest::Approx(10 * 0.04 * 0.04 / 2));
}

TEST_CASE("static friction gives its surface a break-away ratio") {
  const ModelInstance model =
      instance(with_law("F = { law = 'static', velocity = 'v - vb', Fc = 0.5, Fs = '0.5*(1.6 + x)' }"));
  const System& system = model.system;
  CHECK(system.surface_names() == std::vector<std::string>{"v - vb"});
  REQUIRE(system.breaks_away());
  Vector ratio(1), rate(1);
  const Vector x = Eigen::Vector2d(0.25, 0);
  system.definition().break_away(0, x, ratio);
  CHECK(ratio[0] == doctest::Approx(1.85));
  system.definition().break_away_along(0, x, 0, Eigen::Vector2d(2, 0), ratio, rate);
  CHECK(rate[0] == doctest::Approx(2));
}

TEST_CASE("a normal force with kinks leaves the break-away ratio a number") {
  const ModelInstance model =
      instance(with_law("F = { law = 'static', velocity = 'v', Fc = '0.4*N', Fs = '1.5*0.4*N' }",
                        "[definitions]\nN = \"min(max(x, 0), 3)\"\n"));
  Vector ratio(model.system.surfaces());
  model.system.definition().break_away(0, Eigen::Vector2d(-1, 0), ratio);
  CHECK(ratio.maxCoeff() == doctest::Approx(1.5));
  CHECK(ratio.minCoeff() == 1);
  const Vector pressed =
      field(model.system, 0, Eigen::Vector2d(2, 1), Vector::Constant(model.system.surfaces(), 1));
  CHECK(std::abs(pressed[1]) > 0);
}

TEST_CASE("a surface of a model file may have a break-away ratio") {
  const std::string text = with_law("F = { law = 'coulomb', velocity = 'v', Fc = 1 }",
                                    "[surfaces]\nstick = { value = \"v\", break_away = \"1 + vb\" }\n");
  const ModelInstance model = instance(text);
  CHECK(model.system.surface_names() == std::vector<std::string>{"stick"});
  Vector ratio(1);
  model.system.definition().break_away(0, Vector::Zero(2), ratio);
  CHECK(ratio[0] == doctest::Approx(1.2));
  CHECK(!instance(with_law("F = { law = 'coulomb', velocity = 'v', Fc = 1 }")).system.breaks_away());
}

TEST_CASE("friction may be a vector of forces") {
  const ModelInstance model = instance(
      "[parameters]\nN = 3\n[states]\nx = { size = 'N', value = '0' }\nv = { size = 'N', value = '0' }\n"
      "[time]\nend = 1.0\n[friction]\nF = { law = 'static', size = 'N', velocity = 'v[i] - 0.1*i', Fc = 'i', "
      "Fs = '2*i' }\n"
      "G = { law = 'dahl', size = 'N', velocity = 'v[i]', sigma = 3, Fc = 'i' }\n"
      "[derivatives]\nx = 'v[i]'\nv = '-F[i] - G[i]'\n");
  const System& system = model.system;
  CHECK(system.states() == 9);
  CHECK(system.surfaces() == 6);
  CHECK(system.surface_names()[0] == "v1 - 0.1*1");
  Vector x = Vector::Zero(9);
  x[8] = 0.25;  // G3
  Vector lambda = Vector::Ones(6);
  lambda[2] = -1;
  const Vector dx = field(system, 0, x, lambda);
  CHECK(dx[3] == -1);
  CHECK(dx[4] == -2);
  CHECK(dx[5] == 3 - 0.25);
  CHECK(model.friction.size() == 6);
  CHECK(model.friction[2].name == "F3");
  Vector ratios(6);
  system.definition().break_away(0, x, ratios);
  CHECK(ratios == (Vector(6) << 2, 2, 2, 1, 1, 1).finished());
}

TEST_CASE("mistakes in friction are told at their places") {
  const std::pair<const char*, std::vector<const char*>> mistakes[] = {
      {"F = { law = 'colomb', velocity = 'v', Fc = 1 }", {"9:13", "unknown 'law'", "did you mean 'coulomb'"}},
      {"F = { velocity = 'v', Fc = 1 }", {"9:1", "friction 'F' lacks a key", "'law'"}},
      {"F = { law = 'coulomb', Fc = 1 }", {"9:1", "friction 'F' lacks a key", "'velocity'"}},
      {"F = { law = 'coulomb', velocity = 'v' }", {"9:1", "lacks a key", "'Fc' [N]"}},
      {"F = { law = 'coulomb', velocity = 'v', Fc = 1, Fs = 2 }", {"9:48", "unknown key", "'Fs'"}},
      {"F = { law = 'stribeck', velocity = 'v', Fc = 1, Fs = 2, v_s = 2 }",
       {"unknown key", "'v_s'", "did you mean 'vs'"}},
      {"F = { law = 'coulomb', velocity = 'v', Fc = -1 }",
       {"9:45", "'Fc' of friction 'F' out of range", "above 0, in N", "-1"}},
      {"F = { law = 'coulomb', velocity = 'v', Fc = 1, B = '-vb' }",
       {"'B' of friction 'F' out of range", "N s/m", "-0.2"}},
      {"F = { law = 'static', velocity = 'v', Fc = 2, Fs = 1 }",
       {"9:52", "'Fs' of friction 'F' out of range", "at least 'Fc' = 2"}},
      {"F = { law = 'coulomb', velocity = 'w', Fc = 1 }",
       {"9:36", "unknown name in the velocity of friction 'F'", "'w'"}},
      {"F = { law = 'coulomb', velocity = 'v', Fc = '2*vbb' }",
       {"9:48", "unknown name in 'Fc' of friction 'F'", "did you mean 'vb'"}},
      {"F = { law = 'coulomb', velocity = 'sgn(v)', Fc = 1 }", {"9:36", "a discontinuity in a velocity"}},
      {"F = 1", {"9:5", "friction 'F'", "law = \"coulomb\""}},
      {"F = { law = 'static', velocity = 'v', Fc = 1, Fs = '2 + sgn(x)' }",
       {"a discontinuity in 'Fs' or 'Fc'", "may be a factor of both"}},
      {"F = { law = 'static', velocity = 'v', Fc = 1, Fs = 2 }\nG = { law = 'static', velocity = 'v', Fc = "
       "1, Fs = 3 }",
       {"two break-away ratios"}},
      {"F = { law = 'coulomb', velocity = 'v', Fc = 1 }\nx = { law = 'viscous', velocity = 'v', B = 1 }",
       {"the name 'x' is given twice", "a state", "a definition"}},
  };
  for (const auto& [law, parts] : mistakes) {
    const std::string text = report(with_law(law));
    CAPTURE(text);
    CHECK(text != "");
    for (const char* part : parts) {
      CAPTURE(part);
      CHECK(contains(text, part));
    }
  }
  const std::string weak = report(with_law("F = { law = 'coulomb', velocity = 'v', Fc = 1 }",
                                           "[surfaces]\nstick = { value = \"v\", break_away = \"0.5\" }\n"));
  CHECK(contains(weak, "the break-away ratio of 'stick' out of range"));
  CHECK(contains(weak, ">= 1"));
}

TEST_CASE("a parameter of friction may be set") {
  const Model model = parse_model(
      "[parameters]\nFs = 1.0\n[states]\nv = 0.0\n[time]\nend = 1.0\n[friction]\n"
      "F = { law = 'static', velocity = 'v', Fc = 0.5, Fs = 'Fs' }\n[derivatives]\nv = '-F'\n",
      "test.toml");
  CHECK(refusal(model, {{"Fs", 2.0}}) == "");
  CHECK(contains(refusal(model, {{"Fs", 0.25}}), "'Fs' of friction 'F' out of range"));
}

TEST_CASE("the equations of a model show its friction") {
  const Model model =
      parse_model(with_law("F = { law = 'static', velocity = 'v - vb', Fc = 0.5, Fs = 1 }"), "test.toml");
  bool found = false;
  for (const std::string& line : model.equations) {
    CHECK(!contains(line, "F."));
    found = found || contains(line, "F = Fc*sgn(v) + B*v, static friction: v = v - vb, Fc = 0.5, Fs = 1");
  }
  CHECK(found);
}
