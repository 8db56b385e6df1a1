// A run that ends at a pole says so.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "run/step_sizes.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using test::Finished;
using test::for_all_methods;

namespace {

const Method methods[] = {Method::dopri5, Method::dop853, Method::rodas,
                          Method::adams,  Method::bdf,    Method::automatic};

std::string text_of(const std::string& derivative, const std::string& start, const std::string& end) {
  return "[states]\nx = " + start + "\n[time]\nend = " + end + "\n[derivatives]\nx = \"" + derivative +
         "\"\n";
}

// Steps from t = 0 on, each this part of the way that is left to t = 1, up to the last before `end`.
StepSizes steps_to_a_pole(double part, double end, double unit = 1) {
  StepSizes sizes(end * unit);
  // The way that is left, which t itself does not resolve near 1.
  for (double left = 1; 1 - (1 - part) * left < end && left > 1e-15; left *= 1 - part)
    sizes.note((1 - (1 - part) * left) * unit, part * left * unit);
  return sizes;
}

}  // namespace

TEST_CASE("steps that are in proportion to what is left of the way shrink into the end") {
  for (const double part : {0.5, 0.3, 0.1, 0.01, 0.003}) {
    CAPTURE(part);
    for (const double unit : {1.0, 1e6, 1e-9}) {
      const auto shrinking = steps_to_a_pole(part, 1, unit).shrink_into(unit, 1e-5);
      REQUIRE(shrinking.has_value());
      CHECK(shrinking->last < 1e-12 * unit);
      CHECK(shrinking->first > 1e-4 * unit);
    }
    // The way goes on far beyond what the errors may be.
    CHECK_FALSE(steps_to_a_pole(part, 0.999).shrink_into(0.999, 1e-6).has_value());
    // The pole is within the errors of the end.
    CHECK(steps_to_a_pole(part, 1 - 1e-7).shrink_into(1 - 1e-7, 1e-5).has_value());
  }
}

TEST_CASE("steps that are equal, grow, or shrink once do not shrink into the end") {
  StepSizes equal(1), growing(1), once(1);
  CHECK_FALSE(equal.shrink_into(1, 1e-5).has_value());
  for (int k = 1; k < 1000; ++k) equal.note(0.001 * k, 0.001);
  CHECK_FALSE(equal.shrink_into(1, 1e-5).has_value());
  double t = 0;
  for (double size = 1e-9; t + size < 1; size *= 1.5) growing.note(t += size, size);
  CHECK_FALSE(growing.shrink_into(1, 1e-5).has_value());
  for (int k = 1; k < 100; ++k) once.note(0.01 * k, 0.01);
  for (int k = 1; k < 100; ++k) once.note(0.99 + 1e-8 * k, 1e-8);
  CHECK_FALSE(once.shrink_into(0.99 + 1e-6, 1e-5).has_value());
}

TEST_CASE("a run that ends at a pole says so") {
  for (const std::string& text :
       {text_of("x^2", "1", "1"), text_of("x^3", "1", "0.5"), text_of("-1/(2*x)", "1", "1"),
        text_of("1/(1 - t)", "0", "1"), text_of("1 + x^2", "0", "1.5707963267948966"),
        text_of("1e-6*x^2", "1", "1e6")}) {
    CAPTURE(text);
    for (const Method method : methods) {
      CAPTURE(std::string(to_string(method)));
      const Finished finished = test::run(text, method, 1e-6);
      const Solution& solution = finished.solution;
      // Where the errors put the pole before the end, no step goes past it.
      if (!solution.outcome.reached_end()) continue;
      REQUIRE(solution.warnings.size() == 1);
      CHECK(solution.warnings[0].find("the steps shrank geometrically into the end") == 0);
    }
  }
}

TEST_CASE("a run to a steep but finite end is no pole") {
  for (const std::string& text :
       {text_of("x^2", "1", "0.99"), text_of("x^2", "1", "0.999"), text_of("10*x", "1", "5"),
        text_of("-1e4*(x - cos(t))", "0", "5"), text_of("-1.5*sqrt(max(1 - t, 0))", "1", "1"),
        text_of("1/(1e-4 + (t - 1)^2)", "0", "1"), text_of("sgn(1 - x)", "0", "3")}) {
    CAPTURE(text);
    for_all_methods(text, {1e-6, 1e-9},
                    [](const Finished& finished, double) { CHECK(finished.solution.warnings.empty()); });
  }
}
TEST_CASE("a component that is small beside a poor tolerance does not vanish because the run ends") {
  // The surface is slid on with w- = 0.008 and w+ = −0.002; w- would vanish 80 units of time later.
  const std::string slides =
      "[states]\nx = 0\nz = 100.004\n[time]\nend = 10\n[derivatives]\nx = \"z - 100 - 0.005*sgn(x)\"\n"
      "z = \"-1000*(z - 100.003 - 1e-4*(10 - t))\"\n";
  for (const Method method : {Method::bdf, Method::rodas}) {
    CAPTURE(std::string(to_string(method)));
    for (const double rtol : {1e-4, 1e-6}) {
      CAPTURE(rtol);
      const Finished finished = test::run(slides, method, rtol);
      CHECK(finished.solution.outcome.reached_end());
      CHECK(finished.solution.events.empty());
      CHECK(finished.solution.final.mode.word() == "0");
    }
  }
  // An event and a contact that would come as late.
  for_all_methods(
      "[states]\nz = 100\n[time]\nend = 10\n[derivatives]\nz = \"-1e-4\"\n[[stops]]\nwhen = \"z - 99.995\"\n"
      "direction = \"falling\"\n",
      {1e-4}, [](const Finished& finished, double) { CHECK(finished.solution.outcome.reached_end()); });
  for_all_methods(
      "[states]\nz = 100\nv = -1e-4\n[time]\nend = 10\n[derivatives]\nz = \"v\"\nv = \"0\"\n"
      "[[contacts]]\nname = \"floor\"\ngap = \"z - 99.995\"\nacts_on = { v = \"1\" }\nrestitution = 0.5\n",
      {1e-4}, [](const Finished& finished, double) { CHECK(finished.solution.events.empty()); });
}

TEST_CASE("an event that errors put just after the end of the run belongs to it") {
  // A fall by 1 under g = 2 takes one unit of time.
  for_all_methods(
      "[states]\nz = 101\nv = 0\n[time]\nend = 1\n[derivatives]\nz = \"v\"\nv = \"-2\"\n"
      "[[contacts]]\nname = \"floor\"\ngap = \"z - 100\"\nacts_on = { v = \"1\" }\nrestitution = 0.5\n",
      [](const Finished& finished, double) { CHECK(finished.count(EventKind::impact) == 1); });
}
