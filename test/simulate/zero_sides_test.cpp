// Conditions on guards that sliding or a closed contact holds at zero, or that rest there: they hold there as their texts say, and change
// where the guard is let go. The values are closed forms.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "slideway/simulate/event_log.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

const std::vector<double> kTolerances = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
constexpr double kEnd = 6;

// v' = 1.5 sin t − sgn v from v = 1 sticks from stops() to slips(), and is negative from there to the end.
std::string block(const std::string& start, const std::string& derivatives) {
  return "name = \"block\"\n[states]\nv = 1\nx = 0\n" + start +
         "\n[time]\nend = 6\n[derivatives]\nv = \"1.5*sin(t) - sgn(v)\"\nx = \"v\"\n" + derivatives;
}

// The root of v(t) = 1 + 1.5(1 − cos t) − t.
double stops() {
  double low = 3, high = 4;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (1 + 1.5 * (1 - std::cos(middle)) - middle > 0 ? low : high) = middle;
  }
  return low;
}
double slips() { return std::numbers::pi + std::asin(1 / 1.5); }

struct Case {
  std::string condition;
  double before, while_sticking, after;  // y'
};

}  // namespace

TEST_CASE("A condition on a guard that a sticking block holds at zero holds there as its text says") {
  const std::vector<Case> cases = {
      {"v*(x + 2) > 0", 1, -1, -1},
      {"v*(x + 2) >= 0", 1, 1, -1},
      {"v*(x + 2) < 0", -1, -1, 1},
      {"not v*(x + 2) < 0", 1, 1, -1},
      {"v*v > 0", 1, -1, 1},
      {"v^2 <= 0", -1, 1, -1},
      {"3*cos(v) >= 3", -1, 1, -1},
      {"(x - 9)*v >= 0", -1, 1, 1},
      {"v^3 + v > 0 and x > -5", 1, -1, -1},
      {"floor(3*cos(0.1*v)) > 2.5", -1, 1, -1},
  };
  for (const Case& one : cases) {
    CAPTURE(one.condition);
    const double y =
        one.before * stops() + one.while_sticking * (slips() - stops()) + one.after * (kEnd - slips());
    for_all_methods(block("y = 0", "y = \"if(" + one.condition + ", 1, -1)\""), kTolerances,
                    [&](const Finished& finished, double rtol) {
                      CHECK(finished.end(2) == doctest::Approx(y).epsilon(100 * rtol));
                    });
  }
}

TEST_CASE(
    "A condition on what a surface with a break-away ratio holds at zero holds there as its text says") {
  // The block slips where 1.5 sin t is −1.4.
  const double slips = std::numbers::pi + std::asin(1.4 / 1.5);
  const std::string text =
      "name = \"static\"\n[states]\nv = 1\nx = 0\ny = 0\n[surfaces]\nS = { value = \"v\", break_away = 1.4 "
      "}\n[time]\nend = 6\n[derivatives]\nv = \"1.5*sin(t) - sgn(S)\"\nx = \"v\"\ny = \"if(v*(x + 2) >= 0, "
      "1, -1)\"\n";
  for_all_methods(text, kTolerances, [&](const Finished& finished, double rtol) {
    CHECK(finished.end(2) == doctest::Approx(2 * slips - kEnd).epsilon(100 * rtol));
  });
}

TEST_CASE("A condition on a gap holds as its text says while the body lies on the floor") {
  // The body falls from b = 1 by 2 and lies on the floor from t = 1 to the end at t = 3.
  const std::vector<Case> cases = {{"b > 0", 1, -1, -1},
                                   {"b >= 0", 1, 1, 1},
                                   {"b <= 0", -1, 1, 1},
                                   {"not b > 0", -1, 1, 1},
                                   {"b*(b + 1) > 0", 1, -1, -1}};
  for (const Case& one : cases) {
    CAPTURE(one.condition);
    const std::string text =
        "name = \"gap\"\n[states]\nb = 1\nn = 0\ny = 0\n[time]\nend = 3\n[derivatives]\nb = "
        "\"n\"\nn = \"-2\"\ny = \"if(" +
        one.condition +
        ", 1, -1)\"\n[[contacts]]\nname = \"floor\"\ngap = \"b\"\nacts_on = { n = \"1\" }\nrestitution = 0\n";
    for_all_methods(text, kTolerances, [&](const Finished& finished, double rtol) {
      CHECK(finished.end(2) == doctest::Approx(one.before + 2 * one.while_sticking).epsilon(100 * rtol));
    });
  }
}

TEST_CASE("A step of a guard that is flat where a closed contact holds it is that of its text") {
  // The body falls from b = 1 by 2 and stays on the floor from t = 1 on, where 2·cosh(0) is 2; the resets let the mode be decided anew.
  const std::string text =
      "name = \"flat\"\n[states]\nb = 1\nn = 0\ny = 0\n[discrete]\nk = 0\n[time]\nend = 3\n[derivatives]\nb "
      "= "
      "\"n\"\nn = \"-2\"\ny = \"ceil(2*cosh(0.5*sin(b)))\"\n[[contacts]]\nname = \"floor\"\ngap = "
      "\"b\"\nacts_on = { n = \"1\" }\nrestitution = 0\n[[every]]\nname = \"tick\"\nperiod = 0.3\nset = { k "
      "= "
      "\"k + 1\" }\n";
  for_all_methods(text, kTolerances, [&](const Finished& finished, double rtol) {
    CHECK(finished.end(2) == doctest::Approx(7).epsilon(100 * rtol));
  });
}

TEST_CASE("A condition that only touches its limit where an edge turns the motion has no event") {
  // T falls to 0.227 and is heated from there on to 0.347; T >= 0.227 holds all the time.
  for (const double start : {0.0, 600.0, 1e6}) {
    CAPTURE(start);
    const std::string text =
        "name = \"thermostat\"\n[states]\nT = 0.829\n[time]\nstart = " + std::to_string(start) +
        "\nend = " + std::to_string(start + 9) +
        "\n[derivatives]\nT = \"1.5*if(A == 1, 1, 0) - 0.964*(T + 0.3) + 0.2*T\"\n[[automata]]\nname = "
        "\"A\"\ninitial = \"heating\"\n[[automata.locations]]\nname = \"heating\"\n[[automata.locations]]\n"
        "name = \"idle\"\n[[automata.edges]]\nname = \"hot\"\nfrom = \"heating\"\nto = \"idle\"\nwhen = \"T "
        "> "
        "0.347\"\n[[automata.edges]]\nname = \"cold\"\nfrom = \"idle\"\nto = \"heating\"\nwhen = \"T < "
        "0.227\"\n[[records]]\nname = \"back\"\nwhen = \"min(T, 0.227) >= 0.227\"\n";
    const std::vector<double> tolerances =
        start > 1e5 ? std::vector<double>{1e-4, 1e-6, 1e-8} : std::vector<double>{1e-4, 1e-6, 1e-8, 1e-10};
    for_all_methods(text, tolerances, [](const Finished& finished, double) {
      std::size_t back = 0, cold = 0;
      for (const EventRecord& event : finished.solution.events) {
        back += event.name == "back" ? 1 : 0;
        cold += event.name == "cold" ? 1 : 0;
      }
      CHECK(back == 0);
      CHECK(cold >= 20);
    });
  }
}

TEST_CASE("A reset that leaves no motion at its guard ends no run") {
  // r falls to −0.15. The reset makes r' zero there, except for rounding. r rests until the drive is switched on, 2 after the start of the run.
  for (const double start : {0.0, 600.0}) {
    CAPTURE(start);
    const std::string text =
        "name = \"at rest\"\n[states]\nr = 0.4\n[discrete]\nh = -0.2\n[time]\nstart = " +
        std::to_string(start) + "\nend = " + std::to_string(start + 3) +
        "\n[derivatives]\nr = \"-r - 0.5*h + 1.5*(0.6*if(t > " + std::to_string(start + 2) +
        ", 1, -0.5))\"\n[[resets]]\nname = \"low\"\nwhen = \"r < -0.15\"\nset = { h = \"-0.6\" }\n";
    for_all_methods(text, {1e-4, 1e-6, 1e-8, 1e-10}, [](const Finished& finished, double rtol) {
      // r' = −r + 1.2 from −0.15 on.
      CHECK(finished.end(0) == doctest::Approx(1.2 - 1.35 * std::exp(-1.0)).epsilon(100 * rtol));
    });
  }
}

TEST_CASE("A condition whose limit is where a relay makes the state slide has no event when it gets there") {
  // T falls to 0.366 and slides there, where T >= 0.366 holds.
  const std::string text =
      "name = \"slides\"\n[states]\nT = 0.721\n[time]\nend = 4\n[derivatives]\nT = \"1.5*if(0.366 > T, 1, 0) "
      "- "
      "0.884*(T + 0.3) + 0.2*(0.3*round(3*sqrt(0.5 + T*T)))\"\n[[records]]\nname = \"below\"\nwhen = \"0.366 "
      "<= "
      "min(T, 0.366)\"\ndirection = \"falling\"\ninitially = \"fire\"\n";
  for_all_methods(text, kTolerances, [](const Finished& finished, double) {
    for (const EventRecord& event : finished.solution.events) CHECK(event.name != "below");
    CHECK(finished.count(EventKind::sliding_entry) == 1);
  });
}

namespace {

// Two tanks empty at emptied(0.03) and emptied(0.05). The first is filled again from kFilled on.
constexpr double kOutflow = 0.305, kFilled = 2.5;
double emptied(double level) { return 2 * std::sqrt(level) / kOutflow; }
std::string tanks(const std::string& last) {
  return "name = \"tanks\"\n[states]\nh = 0.03\nb = 0.05\ny = 0\n[time]\nend = 6\n[derivatives]\nh = "
         "\"if(t > 2.5, 0.5, 0) - 0.305*sqrt(max(h, 0))\"\nb = \"-0.305*sqrt(max(b, 0))\"\n" +
         last;
}
// An error of atol in a level is an error of its root in the time.
double time_error(double rtol) { return 4 * std::sqrt(rtol); }

}  // namespace

TEST_CASE("A condition on tanks that are empty holds as its text says until one is filled") {
  const double first = emptied(0.03), second = emptied(0.05);
  struct Tanks {
    std::string condition;
    double y;  // the time during which the condition holds
  };
  const std::vector<Tanks> cases = {
      {"h > 0", first + kEnd - kFilled},
      {"h >= 0", kEnd},
      {"not h > 0", kFilled - first},
      {"h^3 > 0", first + kEnd - kFilled},
      {"cosh(h) > 1", first + kEnd - kFilled},
      {"sqrt(max(h, 0)) > 0", first + kEnd - kFilled},
      {"h + b > 0", second + kEnd - kFilled},
      {"max(h, b) > 0", second + kEnd - kFilled},
      {"min(h, b) > 0", first},
      {"h > 0 or b > 0", second + kEnd - kFilled},
      {"h <= 0 and b <= 0", kFilled - second},
      {"h^2 + b^2 > 0", second + kEnd - kFilled},
      {"h*b > 0", first},
      {"sqrt(max(h, 0)) + sqrt(max(b, 0)) > 0", second + kEnd - kFilled},
      {"h >= b", kEnd - second},
      {"h > b", kEnd - kFilled},
      {"ceil(h - 1) > -0.5", first + kEnd - kFilled},
      {"floor(1 - h*b) < 0.5", first},
  };
  for (const Tanks& one : cases) {
    CAPTURE(one.condition);
    for_all_methods(tanks("y = \"if(" + one.condition + ", 1, 0)\"\n"), kTolerances,
                    [&](const Finished& finished, double rtol) {
                      CHECK(std::abs(finished.end(2) - one.y) <= time_error(rtol));
                    });
  }
}

TEST_CASE("A tank that is empty at the start holds its conditions as their texts say") {
  for (const std::string condition : {"h > 0", "sqrt(max(h, 0)) > 0", "h*(2 + cos(t)) > 0"}) {
    CAPTURE(condition);
    const std::string text =
        "name = \"empty\"\n[states]\nh = 0\ny = 0\n[time]\nend = 6\n[derivatives]\nh = \"if(t > 2.5, 0.5, 0) "
        "- "
        "0.305*sqrt(max(h, 0))\"\ny = \"if(" +
        condition + ", 1, 0)\"\n";
    for_all_methods(text, kTolerances, [&](const Finished& finished, double rtol) {
      CHECK(std::abs(finished.end(1) - (kEnd - kFilled)) <= time_error(rtol));
    });
  }
}

TEST_CASE("A step of the level of a tank that empties is that of its text") {
  // ceil(2(h − 0.5)) is 0 above h = 0, and −1 in the empty tank. Errors of the last step decide at which state the tank is found empty.
  for (int k = 1; k <= 20; ++k) {
    const double level = 0.0023 * k;
    const std::string text = "name = \"step\"\n[states]\nh = " + std::to_string(level) +
                             "\ny = 0\n[time]\nend = 6\n[derivatives]\nh = \"-0.305*sqrt(max(h, 0))\"\ny = "
                             "\"ceil(2*(h - 0.5))\"\n";
    for_all_methods(text, {1e-6, 1e-8, 1e-10}, [&](const Finished& finished, double rtol) {
      CHECK(std::abs(finished.end(1) + kEnd - emptied(level)) <= time_error(rtol));
    });
  }
}
