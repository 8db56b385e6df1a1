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
