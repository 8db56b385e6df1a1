// Conditions: and, or, not in the guards of events and in if(), comparisons of discrete states, what is true at the start, and initial
// values that are made of others. Beside closed forms.
#include <cmath>
#include <numbers>
#include <string>

#include "slideway/model/check.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// x = sin(t), y = cos(t).
std::string circle(const std::string& events, double end, const std::string& more = "") {
  return "[states]\nx = 0.0\ny = 1.0\nn = 0.0\n" + more + "[time]\nend = " + std::to_string(end) +
         "\n[derivatives]\nx = \"y\"\ny = \"-x\"\nn = \"0\"\n" + events;
}

std::vector<double> times_of(const Finished& finished, const std::string& name) {
  std::vector<double> times;
  for (const EventRecord& event : finished.solution.events)
    if (event.name == name) times.push_back(event.t);
  return times;
}

std::string record(const std::string& name, const std::string& when, const std::string& more = "") {
  return "[[records]]\nname = \"" + name + "\"\nwhen = \"" + when + "\"\n" + more;
}

void check_times(const Finished& finished, const std::string& name, const std::vector<double>& expected,
                 double tolerance) {
  CAPTURE(name);
  const std::vector<double> times = times_of(finished, name);
  REQUIRE(times.size() == expected.size());
  for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(times[k] - expected[k]) < tolerance);
}

}  // namespace

TEST_CASE("an event happens where a condition of several comparisons becomes true") {
  const double a = std::asin(0.5);
  const std::string text =
      circle(record("both", "x > 0.5 and y < 0") + record("either", "x > 0.5 or y > 0.5") +
                 record("neither", "not (x > 0.5 or y > 0.5)") +
                 record("nested", "x < -0.5 and (y > 0 or not x > -0.9)") +
                 record("ends", "x > 0.5 and y > 0", "direction = \"falling\"\n") +
                 record("both ways", "x > 0.5 and x < 0.9", "direction = \"any\"\n"),
             kTurn);
  for_all_methods(text, {1e-5, 1e-8}, [&](const Finished& finished, double rtol) {
    const double tolerance = 100 * rtol;
    check_times(finished, "both", {kTurn / 4}, tolerance);
    check_times(finished, "either", {kTurn - std::acos(0.5)}, tolerance);
    check_times(finished, "neither", {kTurn / 2 - a}, tolerance);
    check_times(finished, "nested", {kTurn / 2 + std::asin(0.9)}, tolerance);
    check_times(finished, "ends", {kTurn / 4}, tolerance);
    check_times(finished, "both ways", {a, std::asin(0.9), kTurn / 2 - std::asin(0.9), kTurn / 2 - a},
                tolerance);
  });
}

TEST_CASE(
    "comparisons that change at one instant make one event, or none where the condition is the same after "
    "it") {
  const std::string text =
      circle(record("same", "x > 0.5 and 2*x > 1") + record("meet", "x > 0.5 and y < 0.75^0.5") +
                 record("part", "x > 0.5 and y > 0.75^0.5") +
                 record("relay", "x > 0.5 or y > 0.75^0.5", "direction = \"any\"\n"),
             2.0);
  for (const double rtol : {1e-6, 1e-9}) {
    const Finished finished = run(text, Method::dopri5, rtol);
    REQUIRE(finished.solution.outcome.succeeded());
    check_times(finished, "same", {std::asin(0.5)}, 100 * rtol);
    check_times(finished, "meet", {std::asin(0.5)}, 100 * rtol);
    // Errors of the run decide which of the two is first, so an event is there for a moment of their length, or not at all.
    for (const char* const name : {"part", "relay"})
      for (const double t : times_of(finished, name)) CHECK(std::abs(t - std::asin(0.5)) < 100 * rtol);
    CHECK(times_of(finished, "relay").size() % 2 == 0);
  }
}

TEST_CASE(
    "comparisons of discrete states choose by equality, make no surface, and set off what follows from a "
    "jump") {
  const std::string text = circle(
      "[[resets]]\nname = \"arm\"\nwhen = \"m == 0 and x > 0.5\"\nset = { m = \"1\" }\n"
      "[[resets]]\nname = \"count\"\nwhen = \"m == 1 and y > 0\"\nset = { m = \"2\", n = \"n + 1\" }\n"
      "[[resets]]\nname = \"wait\"\nwhen = \"m >= 2 and m != 3 and x < -0.5\"\nset = { m = \"3\" }\n"
      "[[resets]]\nname = \"again\"\nwhen = \"m == 3 and y > 0.5\"\nset = { m = \"0\" }\n",
      13.5, "q = 0.0\n[discrete]\nm = 0\n");
  const std::string with_field = [&] {
    std::string made = text;
    made.replace(made.find("n = \"0\"\n"), 8,
                 "n = \"0\"\nq = \"if(m == 2 or m > 2 and x > 0, 1, sgn(m - 1)*0.5)\"\n");
    return made;
  }();
  for_all_methods(with_field, {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    const double a = std::asin(0.5);
    CHECK(finished.instance.system.surface_names() == std::vector<std::string>{"x"});
    check_times(finished, "arm", {a, kTurn + a, 2 * kTurn + a}, 100 * rtol);
    check_times(finished, "count", {a, kTurn + a, 2 * kTurn + a}, 100 * rtol);
    check_times(finished, "wait", {kTurn / 2 + a, 3 * kTurn / 2 + a}, 100 * rtol);
    CHECK(finished.end(2) == 3);
    // From 0 to a: m = 0, -1/2. From a to π + a: 1. With m = 3 and x < 0: 1/2, and so up to cos t = 1/2; then -1/2.
    const double back = kTurn - std::acos(0.5);
    const double turn = kTurn / 2 + 0.5 * (back - kTurn / 2 - a) - 0.5 * (kTurn - back + a);
    const double expected = -0.5 * a + 2 * turn + (13.5 - 2 * kTurn - a);
    CHECK(std::abs(finished.end(3) - expected) < 100 * rtol);
  });
}

TEST_CASE("in if() conditions are what their tables of truth say") {
  // n' counts the parts of the circle, in each of which the sides of x, y and x - y are known.
  const std::string text =
      "[states]\nx = 0.0\ny = 1.0\nn = 0.0\nk = 0.0\n[time]\nend = 6.283185307179586\n[derivatives]\nx = "
      "\"y\"\ny = \"-x\"\n"
      "n = \"if(x > 0 and (y > 0 or not x > y), 1, if(not (x > 0 or y > 0), 10, 100))\"\n"
      "k = \"if(x > 0, if(y > 0, 1, if(x > y, 100, 1)), if(y > 0, 100, 10))\"\n";
  for_all_methods(text, {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    const double quarter = kTurn / 4;
    CHECK(std::abs(finished.end(2) - (1 + 100 + 10 + 100) * quarter) < 1000 * rtol);
    CHECK(std::abs(finished.end(3) - finished.end(2)) < 1000 * rtol);
  });
  const System system = parse_model(text, "m.toml").instantiate({}).system;
  const Vector x = Eigen::Vector4d(0.3, 0.2, 0, 0);
  CHECK(check_derivatives(system, 0.3, x, Vector::Constant(system.surfaces(), 0.4)).passed);
  CHECK(check_multi_affine(system, 0.3, x).passed);
}

TEST_CASE("what is true at the start fires there, or waits until it has been false") {
  const auto text = [](const std::string& initially) {
    return "[states]\nx = 2.0\nn = 0.0\n[time]\nend = 10.0\n[derivatives]\nx = \"cos(t)\"\nn = \"0\"\n"
           "[[resets]]\nname = \"high\"\nwhen = \"x > 1.5\"\nset = { n = \"n + 1\" }\n" +
           initially;
  };
  // x = 2 + sin t is above 1.5 but for parts of every turn.
  const double again = kTurn - std::asin(0.5);
  for (const double rtol : {1e-6, 1e-9}) {
    check_times(run(text(""), Method::dopri5, rtol), "high", {again}, 100 * rtol);
    check_times(run(text("initially = \"wait\"\n"), Method::dopri5, rtol), "high", {again}, 100 * rtol);
    const Finished fired = run(text("initially = \"fire\"\n"), Method::dopri5, rtol);
    check_times(fired, "high", {0, again}, 100 * rtol);
    CHECK(fired.solution.events.front().reason.rfind("the guard is beyond zero already", 0) == 0);
    CHECK(fired.end(1) == 2);
  }
  const std::string stop =
      "[states]\nx = 2.0\n[time]\nend = 10.0\n[derivatives]\nx = \"1\"\n"
      "[[stops]]\nwhen = \"x > 1\"\ninitially = \"fire\"\n";
  CHECK(run(stop).solution.final.t == 0);
}

TEST_CASE("an edge that waits does not leave at the start, and one that is zero there and moves waits, too") {
  const auto text = [](const std::string& start, const std::string& initially) {
    return "initial = \"a\"\n[states]\nx = " + start +
           "\n[time]\nend = 10.0\n[derivatives]\nx = \"cos(t)\"\n[[locations]]\nname = "
           "\"a\"\n[[locations]]\nname = \"b\"\n"
           "[[edges]]\nname = \"go\"\nfrom = \"a\"\nto = \"b\"\nwhen = \"x > 1.5\"\n" +
           initially;
  };
  const std::string wait = "initially = \"wait\"\n";
  check_times(run(text("2.0", "")), "go", {0}, 1e-12);
  check_times(run(text("2.0", wait)), "go", {kTurn - std::asin(0.5)}, 1e-6);
  check_times(run(text("1.5", "")), "go", {0}, 1e-12);
  check_times(run(text("1.5", wait)), "go", {kTurn}, 1e-6);
}

TEST_CASE("initial values follow those that they are made of, and what is set") {
  const Model model = parse_model(
      "[parameters]\nk = 3\nN = 4\n[states]\nx = \"k*y + z[4]\"\ny = \"2\"\nz = { size = \"N\", value = "
      "\"if(i > 1, z[i-1] + y, "
      "k)\", ends = \"clamped\" }\n[discrete]\nm = \"z2\"\n[time]\nend = 1\n[derivatives]\nx = \"0\"\ny = "
      "\"0\"\nz = \"0\"\n",
      "m.toml");
  const auto state = [&](const Settings& settings) { return model.instantiate(settings).state; };
  Vector expected(7);
  expected << 15, 2, 3, 5, 7, 9, 5;
  CHECK(state({}) == expected);
  expected << 11, 1, 3, 4, 5, 8, 4;
  expected << 3 + 6, 1, 3, 4, 5, 6, 4;
  CHECK(state({{"y", 1}}) == expected);
  expected << 6 + 14, 2, 3, 10, 12, 14, 10;
  CHECK(state({{"z2", 10}}) == expected);
  const ExtendedProblem extended = model.extend({{"y", 1}}, {"k"});
  Vector by_k(7);
  by_k << 2, 0, 1, 1, 1, 1, 1;
  CHECK(Vector(extended.initial.col(0).head(by_k.size())) == by_k);
  Vector by_y(7);
  by_y << 3 + 3, 1, 0, 1, 2, 3, 1;
  CHECK(model.initial_by({}, "y") == by_y);
  by_y << 3, 1, 0, 0, 1, 2, 0;
  by_y[0] = 3 + 2;
  CHECK(model.initial_by({{"z2", 10}}, "y") == by_y);
}

TEST_CASE("comparisons hold by equality on what is clamped or flat") {
  // Each condition is true in [0, 2] for this long.
  const std::vector<std::pair<std::string, double>> conditions = {
      {"y >= 1", 1},
      {"not y < 1", 1},
      {"y > 1", 0},
      {"not y <= 1", 0},
      {"y <= 1", 2},
      {"1 <= y", 1},
      {"2*y + 1 >= 3", 1},
      {"sat(t, 0, limit) >= limit", 1},
      {"sat(t, 0, limit) > limit", 0},
      {"-sat(-t, -limit, 0) >= 1", 1},
      {"sat(t, 0, held) >= held", 1},
      {"max(1 - t, 0) <= 0", 1},
      {"max(1 - t, 0) > 0", 1},
      {"abs(t - 1) + t >= 1", 2},
      {"abs(t - 1) + t > 1", 1},
      {"flag >= 1", 1},
      {"flag > 0", 1},
      {"flag == 1", 1},
      {"flag != 1", 1},
      {"flag <= 0", 1},
      {"flag*(2 - flag) >= 1 and not flag != 1", 1},
      {"floor(2*x) >= 2", 1},
      {"floor(2*x) == 1", 0.5},
      {"flat(x) >= 3", 1},
      {"flat(x) > 3", 0},
      {"hysteresis(x, 0.5, 1) >= 1", 1},
      {"m >= 1", 2},
      {"not m < 1", 2},
      {"m > 1", 0},
      {"sgn(level) > 0", 0},
      {"step(sat(x, 0, 1) - 1) >= 1", 0},
      {"clamped >= 1", 1},
      {"clamped > 1", 0},
      {"y >= 1 and sat(x, 0, 1.5) < 1.5", 0.5}};
  std::string text =
      "[parameters]\nlimit = 1.0\n[states]\nx = 0.0\n"
      "n = { size = " +
      std::to_string(conditions.size()) +
      ", value = \"0\" }\n[discrete]\nm = 1\nheld = 1.0\n"
      "[time]\nend = 2.0\n[tables]\nflat = { x = [0, 1, 2, 3], values = [0, 3, 3, 3], interpolation = "
      "\"linear\" }\n"
      "[definitions]\ny = \"min(t, 1)\"\nflag = \"if(x < 1, 1, 0)\"\n"
      "[algebraic]\nclamped = \"sat(x + (clamped - x)/2, 0, 1)\"\n[surfaces]\nlevel = \"m - 1\"\n"
      "[derivatives]\nx = \"1\"\nn = \"0";
  for (std::size_t k = 0; k < conditions.size(); ++k)
    text += " + if(i == " + std::to_string(k + 1) + ", if(" + conditions[k].first + ", 1, 0), 0)";
  text += "\"\n";
  for_all_methods(text, {1e-4, 1e-9}, [&](const Finished& finished, double rtol) {
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      CAPTURE(conditions[k].first);
      CHECK(std::abs(finished.end(1 + static_cast<Index>(k)) - conditions[k].second) < 100 * rtol);
    }
  });
}

TEST_CASE("a PI controller whose integrator stops at the clamped output does not wind up, and a flag heats") {
  // While y is at its limit and the error is positive, x stands still.
  const std::string controller =
      "[states]\nz = 0.0\nx = 0.0\n[time]\nend = 6.0\n[definitions]\ne = \"1 - z\"\ny = \"sat(2*e + x, -1.1, "
      "1.1)\"\n[derivatives]\nz = \"y - z\"\nx = \"if(y >= 1.1 and e > 0, 0, 4*e)\"\n";
  for_all_methods(controller, {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(0) - 0.9998346941235576) < 100 * rtol);
    CHECK(std::abs(finished.end(1) - 0.9996985884003305) < 100 * rtol);
  });
  const std::string heater =
      "[states]\nT = 15.0\n[time]\nend = 10.0\n[definitions]\non = \"if(T < 20, 1, 0)\"\n"
      "[derivatives]\nT = \"if(on >= 1, 3, 0) - 0.1*(T - 10)\"\n";
  for_all_methods(heater, {1e-6, 1e-9}, [&](const Finished& finished, double) {
    CHECK(finished.end(0) == doctest::Approx(20).epsilon(1e-12));
  });
}

TEST_CASE("an event whose guard is zero over an interval, or jumps, is that of the condition inside") {
  const double a = std::asin(0.5);
  const double up = a;
  const double down = kTurn / 2 - a;
  const std::string text = circle(
      record("rising", "max(0, x - 0.5)", "direction = \"rising\"\n") +
          record("falling", "max(x - 0.5, 0)", "direction = \"falling\"\n") +
          record("any", "sat(x, 0.5, 2) - 0.5") +
          record("below", "min(0, x - 0.5)", "direction = \"falling\"\n") +
          record("flag", "if(x > 0.5, 1, -1)") + record("sign", "sgn(x - 0.5)", "direction = \"rising\"\n") +
          record("boolean", "step(x - 0.5)", "direction = \"falling\"\n") +
          record("reaches", "sat(x, 0, 0.5) >= 0.5") + record("exceeds", "sat(x, 0, 0.5) > 0.5") +
          record("leaves", "sat(x, 0, 0.5) < 0.5") + record("is on", "on == 1") +
          record("is off", "on != 1") + record("high", "deadzone(x, -0.5, 0.5) > 0") +
          record("low", "deadzone(x, -0.5, 0.5) < 0") +
          record("two kinks", "max(0, abs(x) - 0.5)", "direction = \"rising\"\n") +
          record("never", "x > 0.5 and x < 0.5") + record("nor", "x > 0.6 and 2*x < 0.5") +
          record("always", "x > 0.5 or x <= 0.5") + "[definitions]\non = \"if(x > 0.5, 1, 0)\"\n",
      kTurn);
  for_all_methods(text, {1e-4, 1e-9}, [&](const Finished& finished, double rtol) {
    const double tolerance = 100 * rtol;
    for (const char* const name : {"rising", "sign", "reaches", "is on", "high"})
      check_times(finished, name, {up}, tolerance);
    for (const char* const name : {"falling", "boolean", "leaves", "is off", "below"})
      check_times(finished, name, {down}, tolerance);
    for (const char* const name : {"any", "flag"}) check_times(finished, name, {up, down}, tolerance);
    check_times(finished, "low", {kTurn / 2 + a}, tolerance);
    check_times(finished, "two kinks", {up, kTurn / 2 + a}, tolerance);
    for (const char* const name : {"exceeds", "never", "nor", "always"})
      check_times(finished, name, {}, tolerance);
  });
}

TEST_CASE("a guard above zero on both sides of a kink or jump has no event there") {
  const double low = 0.2 * kTurn / 2;  // 2/5 of a quarter turn, where a triangle is 0.4 away from zero
  const std::string text =
      circle(record("falling", "max(0.5*triangle(t) + 0.2, 0)", "direction = \"falling\"\n") +
                 record("rising", "max(0.5*triangle(t) + 0.2, 0)", "direction = \"rising\"\n") +
                 record("never low", "not sat(0.6*triangle(t), -0.7, 0.7) <= -0.7", "direction = \"any\"\n") +
                 record("clamped", "1 <= if(0.9 <= min(x, y), 1, 0)", "direction = \"any\"\n") +
                 record("jumps", "if(x > 0.3, y + 3, 4)"),
             2 * kTurn);
  for_all_methods(text, {1e-4, 1e-9}, [&](const Finished& finished, double rtol) {
    const double tolerance = 100 * rtol;
    check_times(finished, "falling", {kTurn / 2 + low, 3 * kTurn / 2 + low}, tolerance);
    check_times(finished, "rising", {kTurn - low, 2 * kTurn - low}, tolerance);
    for (const char* name : {"never low", "clamped", "jumps"}) check_times(finished, name, {}, tolerance);
  });
}

TEST_CASE("a guard of discrete states that is zero for some values is the condition inside") {
  const std::string text = circle("[[every]]\nperiod = 1\noffset = 0.5\nset = { m = \"mod(m + 1, 3)\" }\n" +
                                      record("falls", "max(m - 1.5, 0)", "direction = \"falling\"\n") +
                                      record("rises", "max(0, m - 1.5)", "direction = \"rising\"\n"),
                                  6, "[discrete]\nm = 0\n");
  for_all_methods(text, {1e-6}, [&](const Finished& finished, double) {
    check_times(finished, "rises", {1.5, 4.5}, 1e-12);
    check_times(finished, "falls", {2.5, 5.5}, 1e-12);
  });
}

TEST_CASE("at the start an event in any direction fires where its guard is zero and moves") {
  const auto text = [](const std::string& when, const std::string& more) {
    return "[states]\nu = 0.0\n[discrete]\non = 0\n[time]\nend = 1.0\n[derivatives]\nu = \"if(on == 1, "
           "sin(10*t), "
           "0)\"\n[[resets]]\nname = \"switch\"\nwhen = \"" +
           when + "\"\nset = { on = \"1\" }\n" + more;
  };
  for (const char* const when : {"t", "-t", "t^3", "sin(t)"}) {
    for_all_methods(text(when, ""), {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
      check_times(finished, "switch", {0}, 1e-12);
      CHECK(std::abs(finished.end(0) - (1 - std::cos(10.0)) / 10) < 100 * rtol);
    });
  }
  check_times(run(text("t", "initially = \"wait\"\n")), "switch", {}, 1e-12);
  check_times(run(text("u", "")), "switch", {}, 1e-12);
}

TEST_CASE("a reset that leaves its guard at zero while the motion goes on is told with what to write") {
  const auto warns = [](const std::string& text) {
    const Finished finished = run(text);
    for (const std::string& warning : finished.solution.warnings)
      if (warning.find("reset 'limit' leaves its guard at zero at t = ") == 0) return true;
    return false;
  };
  const auto text = [](const std::string& when, const std::string& set) {
    return "[states]\nx = 0.0\nv = 0.0\n[discrete]\nn = 0\n[time]\nend = 20.0\n[derivatives]\nx = \"v\"\nv = "
           "\"sin(t)\"\n[[resets]]\nname = \"limit\"\nwhen = \"" +
           when + "\"\ndirection = \"falling\"\nset = { " + set + " }\n";
  };
  CHECK(warns(text("0.8 - abs(v)", "v = \"sgn(v)*0.8\"")));
  CHECK(warns(text("0.8 - v", "v = 0.8")));
  // What counts only, reflects, or is set back is meant so.
  CHECK_FALSE(warns(text("0.8 - v", "n = \"n + 1\"")));
  CHECK_FALSE(warns(text("0.8 - v", "v = 0.1")));
  CHECK_FALSE(warns(text("3 - x", "v = \"-v\"")));
  // Without a direction, too: z = t goes on from 3 as before.
  const auto without = [](const std::string& when, const std::string& set) {
    return "[states]\nz = 0.0\nw = 1.0\n[discrete]\nn = 0\n[time]\nend = 10.0\n[derivatives]\nz = \"w\"\nw = "
           "\"0\"\n[[resets]]\nname = \"limit\"\nwhen = \"" +
           when + "\"\nset = { " + set + " }\n";
  };
  CHECK(warns(without("z - 3", "z = 3")));
  CHECK(warns(without("3 - z", "z = 3")));
  CHECK_FALSE(warns(without("z - 3", "n = \"n + 1\"")));
  CHECK_FALSE(warns(without("z - 3", "z = 0")));
  CHECK_FALSE(warns(without("z - 3", "w = \"-w\"")));
  CHECK_FALSE(warns(without("z - 3", "z = 3, w = -1")));
}

TEST_CASE("hysteresis without a band is a relay, and a pulse is never wider than its period") {
  const std::string relay =
      "[states]\nx = 0.5\ny = 2.0\n[time]\nend = 3.0\n[derivatives]\nx = \"-hysteresis(x, 0, 0)\"\ny = "
      "\"-1 + 0*hysteresis(2*y, 1, 1)\"\n";
  for_all_methods(relay, {1e-6, 1e-9},
                  [&](const Finished& finished, double) { CHECK(std::abs(finished.end(0)) < 1e-12); });
  const auto mean = [](const std::string& width) {
    return run("[states]\nx = 0.0\n[discrete]\nw = 1.5\n[time]\nend = \"4*pi\"\n[derivatives]\nx = "
               "\"pulse(t, " +
                   width + ")\"\n",
               Method::automatic, 1e-9)
               .end(0) /
           (2 * kTurn);
  };
  CHECK(mean("w") == doctest::Approx(1));
  CHECK(mean("1 - w") == doctest::Approx(0));
  CHECK(mean("w/2") == doctest::Approx(0.75));
  CHECK(mean("max(1.25, x/100)") == doctest::Approx(1));
}

TEST_CASE("a surface in a branch that does not hold takes no part: not in the log, and not at the start") {
  // x passes 1 where y < 0, and again where y > 0: only there the condition on x is in force.
  const std::string text =
      "[states]\nx = 0.0\ny = -1.0\nn = 0.0\n[time]\nend = 6.0\n[derivatives]\nx = \"if(t < 2, 1, if(t < 4, "
      "-1, "
      "1))\"\ny = \"0.4\"\nn = \"if(y > 0, if(x > 1, 1, 0), 0)\"\n";
  for_all_methods(text, {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    // y > 0 from 2.5 on, where x = 1.5; x is 1 at 3 and at 5.
    CHECK(std::abs(finished.end(2) - 1.5) < 100 * rtol);
    std::vector<double> times;
    for (const EventRecord& event : finished.solution.events)
      if (event.surface_names == std::vector<std::string>{"x - 1"}) times.push_back(event.t);
    REQUIRE(times.size() == 2);
    CHECK(std::abs(times[0] - 3) < 100 * rtol);
    CHECK(std::abs(times[1] - 5) < 100 * rtol);
  });
  // Both guards are zero at the start; that of d is repelling where it is in force.
  const std::string start =
      "[states]\nd = 0.0\nb = 0.0\n[time]\nend = 1.0\n[derivatives]\nd = \"if(b > 1, sgn(d), 0.5)\"\nb = "
      "\"0.5\"\n";
  const Finished finished = run(start);
  CHECK(finished.solution.outcome.succeeded());
  CHECK(finished.end(0) == doctest::Approx(0.5));
  CHECK(finished.solution.events.empty());
}

TEST_CASE(
    "conditions of discrete states that set each other off without end are told, as edges of locations are") {
  const std::string cycle =
      "[states]\nx = 0.0\n[discrete]\nm = 1\n[time]\nend = 3.0\n[derivatives]\nx = \"1\"\n"
      "[[resets]]\nname = \"up\"\nwhen = \"m == 1 and x > 1\"\nset = { m = \"2\" }\n"
      "[[resets]]\nname = \"down\"\nwhen = \"m == 2 and x > 0.5\"\nset = { m = \"1\" }\n";
  const std::string automaton =
      "[states]\nx = 0.0\n[time]\nend = 3.0\n[derivatives]\nx = \"1\"\n[[automata]]\nname = \"a\"\ninitial = "
      "\"off\"\n[[automata.locations]]\nname = \"off\"\n[[automata.locations]]\nname = \"on\"\n"
      "[[automata.edges]]\nfrom = \"off\"\nto = \"on\"\nwhen = \"x > 1\"\n"
      "[[automata.edges]]\nfrom = \"on\"\nto = \"off\"\nwhen = \"x > 0.5\"\n";
  for (const std::string& text : {cycle, automaton}) {
    for (const Method method : {Method::automatic, Method::bdf, Method::dop853}) {
      const Finished finished = run(text, method, 1e-6);
      CHECK(finished.solution.outcome.status == Status::chattering);
      CHECK(std::abs(finished.solution.outcome.t - 1) < 1e-9);
      CHECK(finished.solution.outcome.message.find("events set each other off without end") == 0);
    }
  }
}

TEST_CASE("an event in any direction fires where a jump leads its guard to zero and the motion leads it on") {
  // x = 1 − t passes r, which comes to x at 0.5.
  const std::string text =
      "[states]\nx = 1.0\n[discrete]\nr = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"-1\"\n"
      "[[every]]\nperiod = 1\noffset = 0.5\nset = { r = \"0.5\" }\n";
  const std::string any = "direction = \"any\"\n";
  for_all_methods(
      text + record("greater", "x > r", any) + record("or equal", "x >= r", any) +
          record("less", "x < r", any) + record("less or equal", "not x > r", any) +
          record("falling", "x - r", any) + record("rising", "r - x", any),
      {1e-6, 1e-9}, [&](const Finished& finished, double) {
        for (const char* const name : {"greater", "or equal", "less", "less or equal", "falling", "rising"})
          check_times(finished, name, {0.5}, 1e-12);
      });
}

TEST_CASE("late on the clock an event fires once where another one has the same zero") {
  // r = sin(t - 600) is above 0.528 once in each of seven turns.
  const std::string text =
      "[parameters]\np = 0.528\n[states]\nr = 0.0\nz = 0.0\n[discrete]\nhits = 0\n[time]\nstart = 600.0\n"
      "end = 640.0\n[derivatives]\nr = \"cos(t - 600)\"\nz = \"sin(1.7*t) - z\"\n"
      "[[resets]]\nname = \"hit\"\nwhen = \"max(r, -0.352) >= p\"\nset = { hits = \"hits + 1\" }\n" +
      record("seen", "r > 0.528");
  for_all_methods(text, {1e-6, 1e-9, 1e-12}, [&](const Finished& finished, double rtol) {
    std::vector<double> expected;
    for (int turn = 0; turn < 7; ++turn) expected.push_back(600 + std::asin(0.528) + turn * kTurn);
    check_times(finished, "seen", expected, 1e3 * rtol + 1e-10);
    check_times(finished, "hit", expected, 1e3 * rtol + 1e-10);
    CHECK(finished.end(2) == 7);
  });
}

TEST_CASE("late on the clock an event fires once where an edge turns the motion round at its zero") {
  // q runs between 0.417 and -0.2 by q' = ±1 - q/5.
  const std::string text =
      "initial = \"up\"\n[states]\nq = 0.0\nz = 0.0\n[time]\nstart = 600.0\nend = 640.0\n[derivatives]\n"
      "q = \"0\"\nz = \"sin(1.7*t) - z\"\n[[locations]]\nname = \"up\"\n[locations.derivatives]\nq = \"1 - "
      "q/5\"\n"
      "[[locations]]\nname = \"down\"\n[locations.derivatives]\nq = \"-1 - q/5\"\n"
      "[[edges]]\nfrom = \"up\"\nto = \"down\"\nwhen = \"q - 0.417\"\ndirection = \"rising\"\n"
      "[[edges]]\nfrom = \"down\"\nto = \"up\"\nwhen = \"q + 0.2\"\ndirection = \"falling\"\n" +
      record("seen", "q - 0.417", "direction = \"falling\"\n");
  for_all_methods(text, {1e-6, 1e-9, 1e-12}, [&](const Finished& finished, double rtol) {
    std::vector<double> expected;
    const double up = 5 * std::log(5.2 / 4.583), down = 5 * std::log(5.417 / 4.8);
    for (double t = 600 + 5 * std::log(5 / 4.583); t < 640; t += up + down) expected.push_back(t);
    check_times(finished, "seen", expected, 1e3 * rtol + 1e-10);
  });
}
