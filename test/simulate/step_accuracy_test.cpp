// Steps over a bump of the field that is narrower than the distances of their stages, where a guard vanishes within it.
#include <cmath>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kWidth = 0.01;

// The time to y by Simpson's rule: t = ∫ dη / (1 − 0.9 exp(−((η − 1)/w)²)) from 0.
double time_to(double y) {
  const int parts = 200'000;
  const auto slowness = [](double eta) {
    const double place = (eta - 1) / kWidth;
    return 1 / (1 - 0.9 * std::exp(-place * place));
  };
  double sum = slowness(0) + slowness(y);
  for (int k = 1; k < parts; ++k) sum += (k % 2 == 0 ? 2 : 4) * slowness(y * k / parts);
  return sum * y / parts / 3;
}

std::string text(const std::string& late) {
  return R"toml(
[states]
y = 0
[time]
end = 2
[derivatives]
y = "1 - 0.9*exp(-((y - 1)/0.01)^2)"
[[records]]
name = "early"
when = "y - 0.7"
)toml" + late;
}

}  // namespace

TEST_CASE("a record within a bump of the field has its time where no stage of the step lies in the bump") {
  const std::string late = "[[records]]\nname = \"late\"\nwhen = \"y - 1\"\n";
  for_all_methods(text(late), {1e-4, 1e-6, 1e-8, 1e-10}, [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 2);
    CHECK(std::abs(finished.solution.events[0].t - 0.7) < 100 * rtol);
    CHECK(std::abs(finished.solution.events[1].t - time_to(1)) < 300 * rtol);
  });
}

TEST_CASE("a stop within a bump of the field ends the run at its time, and the trajectory is one segment") {
  const std::string late = "[[stops]]\nname = \"late\"\nwhen = \"y - 1.005\"\n";
  for_all_methods(text(late), {1e-4, 1e-6, 1e-8, 1e-10}, [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 2);
    CHECK(std::abs(finished.solution.final.t - time_to(1.005)) < 300 * rtol);
    CHECK(finished.solution.trajectory.segments().size() == 1);
    CHECK(std::abs(finished.solution.trajectory(0.5 * finished.solution.final.t)[0] -
                   0.5 * finished.solution.final.t) < 100 * rtol);
  });
}

TEST_CASE(
    "a step that is taken again while the solution slides sets off no event on a guard that sliding holds at "
    "zero") {
  const std::string model = R"toml(
[states]
a = 0.2
b = -0.3
y = 0
[surfaces]
h = "0.854*a + 0.418*b"
[time]
end = 3
[derivatives]
a = "-0.4*a + 0.5*b + 0.2 - 1.2*sgn(h)"
b = "-0.5*a + 1.5*cos(t) - 0.45*sgn(h)"
y = "1 - 0.5*exp(-(sin(6*y)/0.002)^2)"
[[records]]
name = "bump"
when = "sin(6*y)"
[[records]]
name = "up"
direction = "rising"
when = "0.3*(0.854*a + 0.418*b)"
[[records]]
name = "down"
direction = "falling"
when = "0.3*(0.854*a + 0.418*b)"
)toml";
  for_all_methods(model, {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}, [](const Finished& finished, double) {
    std::size_t along = 0;
    for (const EventRecord& event : finished.solution.events)
      along += event.name == "up" || event.name == "down" ? 1 : 0;
    CHECK(along == 1);
    CHECK(finished.solution.final.mode.word() == "0");
  });
}
