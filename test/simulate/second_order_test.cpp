// Sliding of second order: along surfaces that the solution comes to with no speed across them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "slideway/model/from_functor.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using test::Finished;
using test::for_all_methods;
using test::run;

namespace {

// s' = −2√|s| sgn s + v + d(t), v' = −1.5 sgn s: once s = 0 and v = −d, λ = d'/1.5.
std::string super_twisting(const std::string& disturbance, const std::string& end) {
  return "[states]\ns = 1.0\nv = 0.0\n[time]\nend = " + end + "\n[definitions]\nd = \"" + disturbance +
         "\"\n[derivatives]\ns = \"-2*sqrt(abs(s))*sgn(s) + v + d\"\nv = \"-1.5*sgn(s)\"\n";
}

}  // namespace

TEST_CASE("a super-twisting controller follows its disturbance once it has come to the surface") {
  for_all_methods(super_twisting("sin(t)", "12"), [](const Finished& run, double rtol) {
    CHECK(run.solution.final.mode.word() == "0");
    CHECK(std::abs(run.end(0)) <= 1e-14);
    CHECK(std::abs(run.end(1) + std::sin(12.0)) <= 1e-14);
    CHECK(run.observed("u = sgn(s)", 8.0) == doctest::Approx(std::cos(8.0) / 1.5).epsilon(1e-9));
    // A long step ends so near to the surface that the way to the limit is within the errors.
    if ((run.method == Method::dop853 || run.method == Method::rodas) && rtol > 1e-5) return;
    CHECK(run.count(EventKind::zeno) == 1);
    CHECK(run.solution.events.back().kind == EventKind::zeno);
  });
}

TEST_CASE("beside a ball that bounces and comes to rest a controller comes to its surface as it does alone") {
  const std::string alone = super_twisting("sin(t)", "6");
  std::string both = alone;
  both.insert(both.find("[time]"), "h = 1.0\nw = 0.0\n");
  both +=
      "h = \"w\"\nw = \"-9.81\"\n[[contacts]]\nname = \"floor\"\ngap = \"h\"\nacts_on = { w = \"1\" }\n"
      "restitution = 0.7\n";
  const auto limit_of_controller = [](const Solution& solution) {
    double t = 0;
    for (const EventRecord& event : solution.events)
      if (!event.surfaces.empty() && event.surfaces.front() == 0) t = event.t;
    return t;
  };
  const double at_rest = std::sqrt(2 / 9.81) * 1.7 / 0.3;
  for_all_methods(both, [&](const Finished& finished, double rtol) {
    CHECK(finished.solution.final.mode.word() == "00");
    CHECK(std::abs(finished.end(0)) <= 1e-14);
    CHECK(std::abs(finished.end(1) + std::sin(6.0)) <= 1e-14);
    CHECK(std::abs(finished.end(2)) <= rtol);
    CHECK(finished.count(EventKind::contact) == 0);
    REQUIRE(finished.solution.events.back().kind == EventKind::zeno);
    CHECK(std::abs(finished.solution.events.back().t - at_rest) <= 100 * rtol);
    CHECK(std::abs(limit_of_controller(finished.solution) -
                   limit_of_controller(run(alone, finished.method, rtol).solution)) <= 4000 * rtol);
    CHECK(finished.observed("u = sgn(s)", 5.0) == doctest::Approx(std::cos(5.0) / 1.5).epsilon(1e-9));
    CHECK(finished.observed("floor", 5.0) == doctest::Approx(9.81));
  });
}

TEST_CASE("crossings come to the same limit whenever a run begins, before t = 0 too") {
  const auto from = [](double start) {
    return super_twisting("0", std::to_string(start + 2) + "\nstart = " + std::to_string(start));
  };
  // Nothing depends on the time.
  const Finished usual = run(from(0), Method::dopri5, 1e-10);
  const double limit = usual.solution.events.back().t;
  for (const double start : {-10.0, -1.5, 0.0, 7.0}) {
    for (const Method method :
         {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
      for (const double rtol : {1e-6, 1e-8}) {
        CAPTURE(start);
        CAPTURE(to_string(method));
        CAPTURE(rtol);
        const Finished finished = run(from(start), method, rtol);
        CAPTURE(finished.solution.outcome.message);
        REQUIRE(finished.solution.outcome.succeeded());
        CHECK(finished.solution.final.mode.word() == "0");
        CHECK(finished.count(EventKind::zeno) == 1);
        CHECK(finished.solution.events.back().kind == EventKind::zeno);
        CHECK(std::abs(finished.solution.events.back().t - start - limit) <= 1000 * rtol);
        CHECK(std::abs(finished.end(0)) <= 1e-14);
        CHECK(std::abs(finished.end(1)) <= 1e-14);
      }
    }
  }
}

TEST_CASE("sliding of second order ends where the relay cannot hold the speed at zero any more") {
  // d' = 0.15 t² reaches 1.5 at t = √10; then v' = −1.5 beside the surface.
  for_all_methods(super_twisting("0.05*t^3", "4"), [](const Finished& run, double rtol) {
    REQUIRE(run.count(EventKind::sliding_exit) == 1);
    const EventRecord& leaves = run.solution.events.back();
    CHECK(leaves.kind == EventKind::sliding_exit);
    CHECK(std::abs(leaves.t - std::sqrt(10.0)) <= 10 * rtol);
    CHECK(run.solution.final.mode.word() == "+");
    CHECK(std::abs(run.end(1) - (-0.05 * std::pow(10.0, 1.5) - 1.5 * (4 - std::sqrt(10.0)))) <= 20 * rtol);
    CHECK(run.end(0) > 0);
  });
}

TEST_CASE("a body at rest on its base stays there until it is pushed hard enough") {
  const std::string text =
      "[states]\nx = 0.0\nv = 0.0\n[time]\nend = 12\n[derivatives]\nx = \"v\"\nv = \"0.1*t - sgn(x)\"\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    CHECK(run.solution.initial.mode.word() == "0");
    REQUIRE(run.solution.events.size() == 1);
    CHECK(run.solution.events[0].kind == EventKind::sliding_exit);
    CHECK(std::abs(run.solution.events[0].t - 10) <= 10 * rtol);
    CHECK(std::abs(run.end(0) - 0.8 / 6) <= 10 * rtol);
    CHECK(run.observed("u = sgn(x)", 7.0) == doctest::Approx(0.7).epsilon(1e-12));
    CHECK(run.solution.trajectory(5.0).norm() == 0);
  });
}

TEST_CASE("a body at rest on its base is no matter of choice") {
  const std::string text =
      "[states]\nx = 0.0\nv = 0.0\n[time]\nend = 3\n[derivatives]\nx = \"v\"\nv = \"0.1*t - sgn(x)\"\n";
  for (const Ambiguity policy : {Ambiguity::stop, Ambiguity::minus, Ambiguity::plus, Ambiguity::slide}) {
    Options options;
    options.on_ambiguity = policy;
    const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
    const Solution solution =
        Simulator(instance.problem(), options).run({.start = 0, .end = 3, .state = instance.state});
    CAPTURE(to_string(policy));
    CHECK(solution.outcome.succeeded());
    CHECK(solution.events.empty());
    CHECK(solution.final.mode.word() == "0");
    CHECK(solution.final.state.norm() == 0);
  }
}

TEST_CASE("a kick takes the solution off a surface along which it slides in second order") {
  const std::string text =
      "[states]\nx = 0.0\nv = 0.0\n[time]\nend = 4\n[derivatives]\nx = \"v\"\nv = "
      "\"-sgn(x)\"\n[[resets]]\nname = "
      "\"kick\"\nwhen = \"t - 1\"\nset = { v = \"1\" }\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    REQUIRE(run.solution.events.size() == 2);
    CHECK(run.solution.events[0].kind == EventKind::reset);
    CHECK(run.solution.events[1].kind == EventKind::crossing);
    CHECK(std::abs(run.solution.events[1].t - 3) <= 10 * rtol);
    CHECK(std::abs(run.end(0) + 0.5) <= 20 * rtol);
  });
}

TEST_CASE("a run goes on where another ended in sliding of second order") {
  const Finished first = run(super_twisting("sin(t)", "6"));
  const Simulator simulator(first.instance.problem(), {.rtol = 1e-8});
  const Snapshot& end = first.solution.final;
  const Solution second = simulator.run({.start = end.t, .end = 9, .state = end.state, .mode = end.mode});
  REQUIRE(second.outcome.succeeded());
  CHECK(second.initial.mode.word() == "0");
  CHECK(second.events.empty());
  CHECK(std::abs(second.final.state(1) + std::sin(9.0)) <= 1e-14);
}

TEST_CASE("other surfaces are crossed, and other events happen, during sliding of second order") {
  const std::string text =
      "[states]\nx = 0.0\nv = 0.0\ny = -1.0\n[time]\nend = 4\n[derivatives]\nx = \"v\"\nv = \"0.5*sin(t) - "
      "sgn(x)\"\n"
      "y = \"1 + 0.5*sgn(y)\"\n[[records]]\nname = \"mark\"\nwhen = \"t - 3\"\n";
  // y' = 0.5, to 0 at t = 2, then 1.5.
  for_all_methods(text, [](const Finished& run, double rtol) {
    REQUIRE(run.solution.events.size() == 2);
    CHECK(run.solution.events[0].kind == EventKind::crossing);
    CHECK(std::abs(run.solution.events[0].t - 2) <= 10 * rtol);
    CHECK(run.solution.events[1].kind == EventKind::record);
    CHECK(run.solution.final.mode.word() == "0+");
    CHECK(std::abs(run.end(2) - 3) <= 10 * rtol);
    CHECK(run.observed("u = sgn(x)", 2.5) == doctest::Approx(0.5 * std::sin(2.5)).epsilon(1e-12));
  });
}

TEST_CASE("a sliding variable of two states is kept at zero with its speed") {
  // e'' = u + d, s = e' + e: s' = e' + u + d with u = −2√|s| sgn s + z − e', z' = −1.5 sgn s. On s = 0, e' = −e.
  const std::string text =
      "[states]\ne = 1.0\nw = 0.0\nz = 0.0\n[time]\nend = 10\n[definitions]\ns = \"w + e\"\nd = \"sin(t)\"\n"
      "u = \"-2*sqrt(abs(s))*sgn(s) + z - w\"\n[derivatives]\ne = \"w\"\nw = \"u + d\"\nz = "
      "\"-1.5*sgn(s)\"\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    CHECK(run.solution.final.mode.word() == "0");
    const Vector middle = run.solution.trajectory(7.0);
    CHECK(std::abs(run.end(0) + run.end(1)) <= 1e-14);
    CHECK(std::abs(run.end(2) + std::sin(10.0)) <= 1e-14);
    CHECK(std::abs(run.end(0) - middle(0) * std::exp(-3.0)) <= 20 * rtol);
  });
}

TEST_CASE("two controllers slide in second order each on its surface") {
  const std::string text =
      "[states]\ns = 1.0\nv = 0.0\nr = 0.5\nw = 0.2\n[time]\nend = 12\n[derivatives]\n"
      "s = \"-2*sqrt(abs(s))*sgn(s) + v + sin(t)\"\nv = \"-1.5*sgn(s)\"\n"
      "r = \"-3*sqrt(abs(r))*sgn(r) + w + cos(t)\"\nw = \"-1.8*sgn(r)\"\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    CHECK(run.solution.final.mode.word() == "00");
    CHECK(std::abs(run.end(0)) <= 1e-14);
    CHECK(std::abs(run.end(1) + std::sin(12.0)) <= 1e-14);
    CHECK(std::abs(run.end(2)) <= 1e-14);
    CHECK(std::abs(run.end(3) + std::cos(12.0)) <= 1e-14);
    CHECK(run.observed("u = sgn(s)", 8.0) == doctest::Approx(std::cos(8.0) / 1.5).epsilon(1e-9));
    CHECK(run.observed("u = sgn(r)", 8.0) == doctest::Approx(-std::sin(8.0) / 1.8).epsilon(1e-9));
    CHECK(run.solution.events.size() <= 20);
    (void)rtol;
  });
}

TEST_CASE(
    "a controller of second order slides beside one whose surface bends with a sign that stands still") {
  // On s = x + y|y|/2 = 0 the first relay acts with y and comes to rest with it; then s₂ = z + 0.3x stays zero, so that w = −cos(t)/2.
  const std::string text =
      "[states]\nx = 1.0\ny = -0.5\nz = 0.7\nw = 0.0\n[time]\nend = 10\n[definitions]\n"
      "s1 = \"x + 0.5*y^2*sgn(y)\"\ns2 = \"z + 0.3*x\"\n[derivatives]\nx = \"y\"\n"
      "y = \"-3*sgn(s1) + 0.4*sin(2*t) + 0.2*z\"\n"
      "z = \"-2*sqrt(abs(s2))*sgn(s2) + w + 0.5*cos(t)\"\nw = \"-1.1*sgn(s2)\"\n";
  for_all_methods(text, [](const Finished& run, double) {
    CHECK(run.solution.final.mode.word() == "0000");
    for (const Index i : {0, 1, 2}) CHECK(std::abs(run.end(i)) <= 1e-14);
    CHECK(std::abs(run.end(3) + 0.5 * std::cos(10.0)) <= 1e-14);
  });
}

TEST_CASE("two controllers that come to their surfaces at the same time stay there together") {
  const std::string text =
      "[states]\ns = 1.0\nv = 0.0\nr = 1.0\nw = 0.0\n[time]\nend = 6\n[derivatives]\n"
      "s = \"-2*sqrt(abs(s))*sgn(s) + v + sin(t)\"\nv = \"-1.5*sgn(s)\"\n"
      "r = \"-2*sqrt(abs(r))*sgn(r) + w + sin(t)\"\nw = \"-1.5*sgn(r)\"\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    CHECK(run.solution.final.mode.word() == "00");
    CHECK(run.solution.final.state(0) == run.solution.final.state(2));
    CHECK(std::abs(run.end(1) + std::sin(6.0)) <= 1e-14);
    CHECK(std::abs(run.end(3) + std::sin(6.0)) <= 1e-14);
    (void)rtol;
  });
}

TEST_CASE("a controller that is damped strongly comes to its surface with no crossing and stays there") {
  // s = (t − 2)²/4, v = 4 − 2 t until t = 2.
  const std::string text =
      "[states]\ns = 1.0\nv = 4.0\n[time]\nend = 3\n[derivatives]\n"
      "s = \"-5*sqrt(abs(s))*sgn(s) + v\"\nv = \"-2*sgn(s)\"\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    CHECK(run.solution.final.mode.word() == "0");
    CHECK(run.solution.final.state.norm() == 0);
    CHECK(run.solution.trajectory(1.0)(0) == doctest::Approx(0.25).epsilon(100 * rtol));
    // The slope of the root grows beyond all bounds on the way, and rodas takes one slope for a step.
    if (run.method == Method::rodas) return;
    // An error of δ in s is one of 2√δ in the time when it comes to zero.
    CHECK(std::abs(run.solution.events.back().t - 2) <= std::sqrt(rtol));
    CHECK(run.solution.events.size() <= 25);
  });
}

TEST_CASE("of bodies at rest on their bases each leaves when it is pushed hard enough, the others stay") {
  // x₁ leaves at t = 5, x₂ at t = 10; x₃ stays.
  const std::string text =
      "[parameters]\nN = 3\n[states]\nx = { size = \"N\", value = \"0\" }\nv = { size = \"N\", value = "
      "\"0\" }\n[time]\nend = 12\n[derivatives]\nx = \"v[i]\"\nv = \"0.2*t/i - sgn(x[i])\"\n";
  for_all_methods(text, [](const Finished& run, double rtol) {
    CHECK(run.solution.initial.mode.word() == "000");
    REQUIRE(run.solution.events.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      const EventRecord& event = run.solution.events[k];
      CHECK(event.kind == EventKind::sliding_exit);
      REQUIRE(event.surfaces.size() == 1);
      CHECK(event.surfaces[0] == static_cast<Index>(k));
      CHECK(std::abs(event.t - 5.0 * static_cast<double>(k + 1)) <= 10 * rtol);
    }
    CHECK(run.solution.final.mode.word() == "++0");
    // From t₀ on x = 0.2 (t − t₀)³/(6 i).
    CHECK(std::abs(run.end(0) - 0.2 * 343 / 6) <= 100 * rtol);
    CHECK(std::abs(run.end(1) - 0.1 * 8 / 6) <= 100 * rtol);
    CHECK(run.end(2) == 0);
    CHECK(run.observed("u = sgn(x3)", 9.0) == doctest::Approx(0.6).epsilon(1e-12));
  });
}

TEST_CASE("what a reset leaves alone goes on to slide in second order, on one surface and on many") {
  for (const int many : {1, 2, 40}) {
    CAPTURE(many);
    const std::string text =
        "[parameters]\nN = " + std::to_string(many) +
        "\n[states]\nx = { size = \"N\", value = \"0\" }\nv = { size = \"N\", value = \"0\" }\ny = 0.0\n"
        "[time]\nend = 4\n[derivatives]\nx = \"v[i]\"\nv = \"0.5*sin(t + i) - sgn(x[i])\"\ny = \"1\"\n"
        "[[resets]]\nwhen = \"y - 1\"\nset = { y = \"0\" }\n";
    const Finished finished = run(text, Method::automatic, 1e-6);
    CAPTURE(finished.solution.outcome.message);
    REQUIRE(finished.solution.outcome.succeeded());
    CHECK(finished.solution.final.state.head(2 * many).norm() == 0);
    CHECK(finished.solution.final.mode.word() == std::string(static_cast<std::size_t>(many), '0'));
    CHECK(finished.observed("u = sgn(x1)", 2.5) == doctest::Approx(0.5 * std::sin(3.5)).epsilon(1e-12));
  }
}

TEST_CASE(
    "controllers that are pushed off their surfaces by twos come back, through however many sets of them") {
  // Two of six in turn, and the others slide on: more sets than a run keeps tools for.
  constexpr int controllers = 6;
  std::string states = "[states]\n", derivatives = "[derivatives]\n", resets;
  int kicks = 0;
  for (int i = 1; i <= controllers; ++i) {
    const std::string s = "s" + std::to_string(i);
    const std::string u = "u" + std::to_string(i);
    states.append(s + " = " + std::to_string(i) + "e-1\n").append(u + " = 0.0\n");
    derivatives.append(s + " = \"-1.5*sqrt(abs(" + s + "))*sgn(" + s + ") + " + u + "\"\n");
    derivatives.append(u + " = \"-1.1*sgn(" + s + ") + 0.3*sin(t)\"\n");
    for (int k = 1; k < i; ++k) {
      const std::string other = "s" + std::to_string(k);
      resets.append("[[resets]]\nwhen = \"t - " + std::to_string(10 + 4 * kicks++) + "\"\n");
      resets.append("set = { " + s + " = \"0.05\", " + other + " = \"0.05\" }\n");
    }
  }
  const std::string text =
      states + "[time]\nend = " + std::to_string(14 + 4 * kicks) + "\n" + derivatives + resets;
  for_all_methods(text, {1e-6}, [&](const Finished& finished, double) {
    CHECK(finished.solution.final.mode.word() == "000000");
    CHECK(finished.solution.final.state.norm() <= 1e-14);
    CHECK(finished.count(EventKind::reset) == static_cast<std::size_t>(kicks));
  });
}

namespace {

// h = y − x² − t/10, with x' and y' free of the relay.
struct OnCurve {
  void guards(auto t, const auto& x, auto&& h) const { h[0] = x[1] - x[0] * x[0] - 0.1 * t; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 0.5;
    dx[3] = 0.2 * t - 4.0 * lambda[0] + 1.0;
  }
};

}  // namespace

TEST_CASE("a functor slides in second order along a curved surface that moves") {
  // x = t²/4; on the surface y = x² + t/10 has y'' = 2x'² + 2x x'' = t²/2 + t²/4, so λ = (0.2 t + 1 − 0.75 t²)/4, which is −1 where
  // 0.75 t² − 0.2 t − 5 = 0.
  const System system = from_functor(OnCurve{}, {.states = 4, .surfaces = 1});
  const double leaves = (0.2 + std::sqrt(0.04 + 15)) / 1.5;
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-5, 1e-8, 1e-10}) {
      CAPTURE(to_string(method));
      CAPTURE(rtol);
      Options options;
      options.method = method;
      options.rtol = rtol;
      const Solution solution =
          Simulator(system, options).run({.start = 0, .end = 3, .state = Vector{{0, 0, 0, 0.1}}});
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.succeeded());
      CHECK(solution.initial.mode.word() == "0");
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.events[0].kind == EventKind::sliding_exit);
      CHECK(std::abs(solution.events[0].t - leaves) <= 30 * rtol);
      CHECK(solution.final.mode.word() == "-");
      const double t = 2.0;
      CHECK(std::abs(solution.trajectory(t)(1) - (std::pow(t, 4) / 16 + 0.1 * t)) <= 30 * rtol);
      ForcesAlong forces(system);
      forces.find(t, solution.trajectory(t), solution.trajectory.mode(t), "");
      CHECK(std::abs(forces.lambda()(0) - (0.2 * t + 1 - 0.75 * t * t) / 4) <= 100 * rtol);
    }
  }
}

// Runs by every method that end on the surface, with absolute tolerances of these parts of the relative one.
template <class Check>
void follow_to_surface(const ModelInstance& instance, const Vector& atol_per_rtol, const Check& check) {
  for (const Method method :
       {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(to_string(method));
      CAPTURE(rtol);
      Options options;
      options.method = method;
      options.rtol = rtol;
      options.atol = Vector(rtol * atol_per_rtol);
      const Solution solution =
          Simulator(instance.problem(), options)
              .run({.start = instance.start, .end = instance.end, .state = instance.state});
      CAPTURE(solution.outcome.message);
      REQUIRE(solution.outcome.reached_end());
      CHECK(solution.final.mode.word() == "0");
      check(solution);
    }
  }
}

TEST_CASE("a super-twisting controller follows its disturbance in small units of its states") {
  // Rounding leaves a state beside its surface, not on it, where the derivatives of a root say nothing of what is beside them.
  const ModelInstance instance =
      parse_model(
          "[parameters]\nK = 1e6\n[states]\ns = \"1/K\"\nv = 0.0\n[time]\nend = 12\n[derivatives]\n"
          "s = \"(-2*sqrt(abs(K*s))*sgn(K*s) + K*v + sin(t))/K\"\nv = \"-1.5*sgn(K*s)/K\"\n",
          "test.toml")
          .instantiate({});
  follow_to_surface(instance, Vector::Constant(2, 1e-8), [](const Solution& solution) {
    CHECK(std::abs(solution.final.state(0)) <= 1e-20);
    CHECK(std::abs(solution.final.state(1) + 1e-6 * std::sin(12.0)) <= 1e-18);
  });
}

TEST_CASE("a super-twisting controller follows its disturbance with its integral in a unit of its own") {
  for (const double unit : {1e-6, 1e6}) {
    CAPTURE(unit);
    const ModelInstance instance =
        parse_model("[states]\ns = 1\nv = 0\n[time]\nend = 12\n[parameters]\nU = " + std::to_string(unit) +
                        "\n[derivatives]\ns = \"-2*sqrt(abs(s))*sgn(s) + v/U + sin(t)\"\n"
                        "v = \"-1.5*U*sgn(s)\"\n",
                    "test.toml")
            .instantiate({});
    follow_to_surface(instance, 0.01 * Eigen::Vector2d(1, unit), [unit](const Solution& solution) {
      CHECK(std::abs(solution.final.state(1) / unit + std::sin(12.0)) <= 1e-12);
    });
  }
}

TEST_CASE("jumps elsewhere leave a controller on its surface with its integral in a unit of its own") {
  const std::string clock =
      "y = \"0\"\nw = \"1\"\n[[resets]]\nwhen = \"w - 0.01\"\ndirection = \"rising\"\n"
      "set = { w = \"0\" }\n";
  const std::string ball =
      "y = \"w\"\nw = \"-9.81\"\n[[contacts]]\nname = \"floor\"\ngap = \"y\"\n"
      "acts_on = { w = \"1\" }\nrestitution = 0.7\n";
  for (const std::string unit : {"1e-6", "1e6"}) {
    CAPTURE(unit);
    const double size = std::stod(unit);
    const std::string controller = "[parameters]\nU = " + unit +
                                   "\n[states]\ns = 1\nv = 0\ny = 1\nw = 0\n[time]\nend = 6\n"
                                   "[derivatives]\ns = \"-2*sqrt(abs(s))*sgn(s) + v/U + sin(t)\"\n"
                                   "v = \"-1.5*U*sgn(s)\"\n";
    const auto check = [size](const Finished& finished, double) {
      CHECK(finished.end(0) == 0);
      CHECK(std::abs(finished.end(1) / size + std::sin(6.0)) <= 1e-12);
      // Once it has come to its surface it stays there.
      bool slides = false;
      std::size_t left = 0;
      for (const EventRecord& event : finished.solution.events) {
        const bool stays = event.to && event.to->slides_on(0);
        left += slides && !stays ? 1 : 0;
        slides = stays;
      }
      CHECK(slides);
      CHECK(left == 0);
    };
    for (const std::string& beside : {clock, ball}) {
      CAPTURE(beside);
      for_all_methods(controller + beside, {1e-4, 1e-6, 1e-8}, check, Eigen::Vector4d(1, size, 1, 1));
    }
  }
}

TEST_CASE(
    "a super-twisting controller follows a reference that moves, with the distance written either way") {
  // On s = r the integral is r' − sin t.
  struct Reference {
    std::string text;
    double end, speed;
  };
  for (const Reference& r :
       {Reference{"0.1*t", 1.2, 0.1}, Reference{"sin(0.1*t)", std::sin(1.2), 0.1 * std::cos(1.2)},
        Reference{"0", 0, 0}}) {
    const std::string distances[] = {"(s - " + r.text + ")", "-(" + r.text + " - s)",
                                     "-(-(s - " + r.text + "))"};
    for (const std::string& h : distances) {
      CAPTURE(h);
      const std::string text =
          "[states]\ns = 1\nz = 0\n[time]\nend = 12\n[derivatives]\ns = \"z - 2*sqrt(abs(" + h + "))*sgn(" +
          h + ") + sin(t)\"\nz = \"-1.5*sgn(" + h + ")\"\n";
      for_all_methods(text, [&](const Finished& run, double rtol) {
        CHECK(run.solution.final.mode.word() == "0");
        CHECK(std::abs(run.end(0) - r.end) <= rtol);
        CHECK(std::abs(run.end(1) - (r.speed - std::sin(12.0))) <= rtol);
      });
    }
  }
}
