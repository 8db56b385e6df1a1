// Events whose guards arm, or are held, while something else happens in the same step: each fires at its own zero, and nowhere else.
#include <cmath>
#include <string>
#include <vector>

#include "slideway/simulate/event_log.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::vector<double> times_of(const Finished& finished, const std::string& name) {
  std::vector<double> times;
  for (const EventRecord& event : finished.solution.events)
    if (event.name == name) times.push_back(event.t);
  return times;
}

const std::vector<double> kTolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12};

}  // namespace

TEST_CASE(
    "An event whose guard comes up and falls behind the end of sliding, in one step, fires at its zero "
    "alone") {
  // v sticks until p² = t² is 1; q = 0.01 − (t − 1.5)² falls through zero at t = 1.6.
  const std::string text =
      "name = \"beyond\"\n[states]\nv = 0\np = 0\nq = -2.24\nr = 3\n[time]\nend = 3\n[derivatives]\nv = "
      "\"p^2 - sgn(v)\"\np = \"1\"\nq = \"r\"\nr = \"-2\"\n[[records]]\nname = \"down\"\nwhen = \"q\"\n"
      "direction = \"falling\"\n";
  for_all_methods(text, kTolerances, [](const Finished& finished, double rtol) {
    const std::vector<double> times = times_of(finished, "down");
    REQUIRE(times.size() == 1);
    CHECK(times.front() == doctest::Approx(1.6).epsilon(100 * rtol));
  });
}

TEST_CASE(
    "A guard that the motion along a moving surface takes through zero fires, however near to zero the "
    "motion begins anew") {
  // e follows 1 + ((t − 1)² − 0.0025)/2, so that e² − 1 falls through zero at t = 0.95 and rises at 1.05.
  for (const double tick : {0.9, 0.94, 0.949, 0.9499, 0.951, 1.0, 1.049}) {
    CAPTURE(tick);
    const std::string text =
        "name = \"along\"\n[states]\ne = 1.2\n[discrete]\nn = 0\n[time]\nend = 2\n[derivatives]\ne = "
        "\"-3*sgn(e - (1 + 0.5*((t - 1)^2 - 0.0025)))\"\n[[resets]]\nname = \"tick\"\nwhen = \"t - " +
        std::to_string(tick) +
        "\"\ndirection = \"rising\"\nset = { n = \"1\" }\n[[records]]\nname = \"up\"\nwhen = \"e^2 - 1\"\n"
        "direction = \"rising\"\n";
    for_all_methods(text, kTolerances, [](const Finished& finished, double rtol) {
      const std::vector<double> times = times_of(finished, "up");
      REQUIRE(times.size() == 1);
      CHECK(times.front() == doctest::Approx(1.05).epsilon(100 * rtol));
    });
  }
}

TEST_CASE(
    "A condition that holds in a narrow window fires where the window begins, beside surfaces that are "
    "curves") {
  // T = 1.11 − t and e = 2.06 − 3exp(−t): T's surface makes no guard affine. The window is from e = 0.312 to 0.314.
  const std::string text =
      "name = \"window\"\n[states]\nT = 1.11\ne = -0.94\nx = 0.13\n[time]\nend = 5\n[derivatives]\nT = "
      "\"-1\"\ne = \"2.06 - e\"\nx = \"-1.21*x + 0.8*triangle(2*cosh(0.5*sin(T)))\"\n[[records]]\nname = "
      "\"in\"\nwhen = \"e > 0.312 and not min(e, 0.314) >= 0.314\"\n";
  for_all_methods(text, kTolerances, [](const Finished& finished, double rtol) {
    const std::vector<double> times = times_of(finished, "in");
    REQUIRE(times.size() == 1);
    CHECK(times.front() == doctest::Approx(std::log(3 / (2.06 - 0.312))).epsilon(100 * rtol));
  });
}

TEST_CASE("An event that only a discrete state follows goes on with the steps that the motion had") {
  const auto text = [](const std::string& events) {
    return "name = \"steps\"\n[states]\nx = 1\nv = 0\n[discrete]\nn = 0\n[time]\nend = 40\n[derivatives]\nx "
           "= "
           "\"v\"\nv = \"-x\"\n" +
           events;
  };
  const std::string counted =
      "[[resets]]\nname = \"count\"\nwhen = \"x\"\ndirection = \"rising\"\nset = { n = \"n + 1\" }\n";
  const Finished plain = run(text(""), Method::dopri5, 1e-6), with = run(text(counted), Method::dopri5, 1e-6);
  CHECK(with.end(2) == 6);
  // A step is cut at each event; a start of its own would take four more steps there.
  CHECK(with.solution.statistics.steps <= plain.solution.statistics.steps + 2 * 6);
}
