// Guards that say nothing: without a value, which end a run only where their relays take part in the motion, or zero but for rounding.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using test::Finished;
using test::for_all_methods;

TEST_CASE("a root in a branch that is not in force may end") {
  // x = 1 − t: y' = √x up to x = 1/4, then 1/2, and 1 from x = 0 on.
  for_all_methods(
      "[states]\nx = 1\ny = 0\n[time]\nend = 5\n[derivatives]\nx = \"-1\"\n"
      "y = \"if(x > 0, max(sqrt(x), 0.5), 1)\"\n",
      [](const Finished& finished, double rtol) {
        REQUIRE(finished.solution.events.size() == 2);
        CHECK(std::abs(finished.solution.events[0].t - 0.75) <= 10 * rtol);
        CHECK(std::abs(finished.solution.events[1].t - 1) <= 10 * rtol);
        CHECK(std::abs(finished.end(1) - (7.0 / 12 + 1.0 / 8 + 4)) <= 100 * rtol);
      });
}

TEST_CASE("a surface beyond which the field has no value is no place to slide, and is named") {
  for (const Method method : {Method::dopri5, Method::dop853, Method::adams, Method::bdf}) {
    CAPTURE(std::string(to_string(method)));
    const Solution solution =
        test::run("[states]\nx = -1\n[time]\nend = 4\n[derivatives]\nx = \"if(x > 0, sqrt(-1 - x), 1)\"\n",
                  method)
            .solution;
    CHECK(solution.outcome.status == Status::user_function_failed);
    CHECK(solution.events.empty());
    CHECK(solution.outcome.t == doctest::Approx(1).epsilon(1e-7));
    CAPTURE(solution.outcome.message);
    CHECK(solution.outcome.message.find("w+ of surface 'x' is not a number at t = ") == 0);
    CHECK(solution.outcome.message.find("above it the derivative of 'x' has no value; ") !=
          std::string::npos);
  }
}

TEST_CASE("a field without a value on the side that is left does not count") {
  // On the surface at the start, which x leaves for the side on which there is a value.
  for (const auto& [field, end] :
       {std::pair("if(x > 0, sqrt(-1 - x), -1)", -1.0), std::pair("if(x > 0, 1, sqrt(x - 1))", 1.0)}) {
    for_all_methods(std::string("[states]\nx = 0\n[time]\nend = 1\n[derivatives]\nx = \"") + field + "\"\n",
                    [end = end](const Finished& finished, double rtol) {
                      CHECK(finished.solution.events.empty());
                      CHECK(std::abs(finished.end(0) - end) <= 10 * rtol);
                    });
  }
}

TEST_CASE("a pole in a branch that is not in force is passed") {
  // A car that went through a red light in time: what braked it grows beyond all bounds there, and is off.
  for_all_methods(
      "[states]\nx = 0\ny = 0\n[time]\nend = 5\n[derivatives]\nx = \"1\"\n"
      "y = \"if(t < 1, max(2 - 1/(x - 3)^2, 0), 1)\"\n",
      [](const Finished& finished, double rtol) {
        // ∫ 2 − 1/(t − 3)² over (0, 1) is 2 − 1/2 + 1/3.
        CHECK(std::abs(finished.end(1) - (2 - 1.0 / 2 + 1.0 / 3 + 4)) <= 100 * rtol);
      });
}

TEST_CASE("a guard comes back with the side it has then") {
  // x = cos t is negative in between, and √x − p has no value there; it was negative before, and is positive after.
  const auto model = [](const std::string& root) {
    return "[states]\nx = 1\nv = 0\np = 0.5\ny = 0\n[time]\nend = 7\n[derivatives]\nx = \"v\"\nv = \"-x\"\n"
           "p = \"-0.25\"\ny = \"if(x > 0, max(" +
           root + ", p), 0)\"\n";
  };
  for_all_methods(model("sqrt(x)"), [&](const Finished& finished, double rtol) {
    const Finished everywhere = test::run(model("sqrt(max(x, 0))"), finished.method, rtol);
    REQUIRE(everywhere.solution.outcome.succeeded());
    CHECK(finished.solution.final.mode.word() == "++");
    CHECK(std::abs(finished.end(3) - everywhere.end(3)) <= 1000 * rtol);
  });
}

TEST_CASE("a relay that is at its bound while it slides puts a branch out of force") {
  // A tank that runs dry at 1.8: √h falls to 0.2 at 1.6. The last state is noise on it.
  for (const std::string level : {"h", "h/3"}) {
    CAPTURE(level);
    const std::string unit = level == "h" ? "" : "3*";
    for_all_methods("[states]\ny = 0\nh = \"" + unit + "1.0\"\n[time]\nend = 10\n[definitions]\nlevel = \"" +
                        level + "\"\n[derivatives]\ny = \"if(level > 0, max(sqrt(level), 0.5), 1)\"\nh = \"" +
                        unit + "(if(level > 0, -max(sqrt(level), 0.2), 0) + if(t > 6, 1, 0))\"\n",
                    [](const Finished& finished, double rtol) {
                      REQUIRE(finished.solution.events.size() >= 4);
                      CHECK(std::abs(finished.solution.events[0].t - 1) <= 10 * rtol);
                      CHECK(std::abs(finished.solution.events[1].t - 1.6) <= 10 * rtol);
                      CHECK(finished.solution.events[2].kind == EventKind::sliding_entry);
                      CHECK(std::abs(finished.solution.events[2].t - 1.8) <= 10 * rtol);
                      CHECK(std::abs(finished.solution.events[3].t - 6) <= 10 * rtol);
                    });
  }
}

TEST_CASE("a guard that loses its value where its relay acts ends the run") {
  const Finished finished = test::run(
      "[states]\nx = 1\ny = 0\n[time]\nend = 5\n[derivatives]\nx = \"-1\"\ny = \"max(sqrt(x), 0.5)\"\n",
      Method::dopri5, 1e-6);
  CHECK(finished.solution.outcome.status == Status::user_function_failed);
  CHECK(finished.solution.outcome.message.find("the guard of surface 'sqrt(x) - 0.5' is not finite") !=
        std::string::npos);
  CHECK(finished.solution.outcome.t == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE("a valve with a dead zone opens and closes at its ends, whichever way the zone is written") {
  const std::string before =
      "[parameters]\na = 0.03\n[states]\nx = 0.2\np = 0\n[time]\nend = 20\n[definitions]\nxo = \"";
  const std::string after = "\"\n[derivatives]\nx = \"0.25*cos(t)\"\np = \"if(xo > 0, 2 - p, -1 - p)*xo\"\n";
  for (const std::string beyond : {"x - 0.5*(abs(x + a) - abs(x - a))", "x - max(min(x, a), -a)"}) {
    CAPTURE(beyond);
    for_all_methods(before + beyond + after, [](const test::Finished& finished, double rtol) {
      // x = 0.2 + sin(t)/4 goes below -a and comes back, three times.
      REQUIRE(finished.solution.events.size() == 12);
      CHECK(finished.count(EventKind::crossing) == 12);
      CHECK(std::abs(finished.solution.events[0].t - (std::numbers::pi + std::asin(0.68))) <= 100 * rtol);
    });
  }
}
