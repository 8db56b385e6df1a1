// Fields with roots of what is zero: their derivatives are infinite there, and beside it, where stages of a formula lie, they have no
// value.
#include <cmath>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("tanks that are empty at the start fill, by every method") {
  // With u = t^(1/8), b = u^12 B(u) and c = u^14 C(u) the equations have a power series; it is summed to u = 0.2, and integrated from there.
  for (const std::string inflow : {"sqrt(t)", "sqrt(a)"}) {
    CAPTURE(inflow);
    const std::string text =
        "[states]\na = 0\nb = 0\nc = 0\n[time]\nend = 1\n[derivatives]\na = \"1\"\nb = \"" + inflow +
        " - sqrt(b)\"\nc = \"sqrt(b) - sqrt(c)\"\n";
    for_all_methods(text, {1e-4, 1e-6, 1e-9, 1e-11}, [](const Finished& finished, double rtol) {
      CHECK(std::abs(finished.end(1) - 0.325394309513818) <= 20 * rtol);
      CHECK(std::abs(finished.end(2) - 0.134363486219475) <= 20 * rtol);
      CHECK(finished.solution.events.empty());
      CHECK(finished.solution.statistics.steps < 3000);
      // It is no stiff problem.
      CHECK(std::isnan(finished.solution.statistics.stiff_from));
    });
  }
}

TEST_CASE("a tank that runs out while it fills stays empty until it fills") {
  // With s = sqrt(b): t - t0 = -s - ln(1 - 2 s)/2.
  for (const std::string inflow : {"1", "if(t > 5, 1, 0)", "max(sgn(t - 5), 0)"}) {
    CAPTURE(inflow);
    const bool is_late = inflow != "1";
    const std::string text = "[states]\nb = 0\n[time]\nend = " + std::string(is_late ? "6" : "1") +
                             "\n[derivatives]\nb = \"" + inflow + " - 2*sqrt(b)\"\n";
    for_all_methods(text, {1e-4, 1e-7, 1e-10}, [&](const Finished& finished, double rtol) {
      const double s = std::sqrt(finished.end(0));
      CHECK(std::abs(-s - 0.5 * std::log1p(-2 * s) - 1) <= 300 * rtol);
      if (is_late) CHECK(finished.solution.trajectory(4.9)(0) == 0.0);
      CHECK(finished.solution.statistics.steps < 5000);
    });
  }
}

TEST_CASE("a motion that leaves the domain of its field ends there, and says where") {
  const std::string text =
      "[states]\nx = 1\ny = 0\n[time]\nend = 3\n[derivatives]\nx = \"-1\"\ny = \"sqrt(x)\"\n";
  for (const Method method :
       {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
    CAPTURE(std::string(to_string(method)));
    const Finished finished = run(text, method, 1e-6);
    CHECK(finished.solution.outcome.status == Status::user_function_failed);
    CHECK(std::abs(finished.solution.outcome.t - 1) <= 1e-6);
    CHECK(std::abs(finished.end(1) - 2.0 / 3) <= 1e-4);
    CHECK(finished.solution.statistics.steps < 3000);
  }
}

TEST_CASE("two empty tanks fill however their branches are nested") {
  // Both say h1' = 0.05 and h2' = sqrt(h1) - h2 where the tanks are not empty: h2(50) = exp(-50) times the integral of exp(t) sqrt(0.05 t) over
  // [0, 50], by Simpson's rule in the root of t.
  constexpr int kParts = 200000;
  const double end = std::sqrt(50.0);
  double right = 0;
  for (int k = 0; k <= kParts; ++k) {
    const double u = end * k / kParts;
    right += (k == 0 || k == kParts ? 1
              : k % 2 == 0          ? 2
                                    : 4) *
             std::exp(u * u - 50) * std::sqrt(0.05) * 2 * u * u;
  }
  right *= end / (3 * kParts);
  for (const std::string flow : {"if(h1 > 0, if(h2 > 0, sqrt(h1) - h2, sqrt(h1)), if(h2 > 0, -h2, 0))",
                                 "if(h1 > 0, sqrt(h1), 0) - if(h2 > 0, h2, 0)"}) {
    CAPTURE(flow);
    test::for_all_methods(
        "[states]\nh1 = 0\nh2 = 0\n[time]\nend = 50\n[derivatives]\nh1 = \"0.05\"\nh2 = \"" + flow + "\"\n",
        [&](const test::Finished& finished, double rtol) {
          CHECK(std::abs(finished.end(1) - right) <= 1000 * rtol);
        });
  }
}

TEST_CASE("a tank that a siphon empties is asked no further ahead than it has a level") {
  // With u = sqrt(y) the siphon takes F(u₁) - F(u₀) from y₀ to y₁, F(u) = -2/b (u + a/b ln(b u - a)); in between the level rises by a.
  constexpr double a = 0.00637, b = 0.0521;
  const auto emptied = [](double u) { return -2 / b * (u + a / b * std::log(b * u - a)); };
  const double down = emptied(std::sqrt(0.025)) - emptied(std::sqrt(0.1));
  const std::string text =
      "[states]\ny = 0\n[discrete]\ns = 0\n[time]\nend = 100\n[derivatives]\ny = \"0.00637 - "
      "s*0.0521*sqrt(y)\"\n"
      "[[resets]]\nwhen = \"y > 0.1\"\nset = { s = \"1\" }\n[[resets]]\nwhen = \"y < 0.025\"\nset = { s = "
      "\"0\" }\n";
  for_all_methods(text, {1e-4, 1e-7, 1e-10}, [&](const Finished& finished, double rtol) {
    CHECK(finished.solution.outcome.status == Status::reached_end);
    REQUIRE(finished.solution.events.size() == 7);
    for (int k = 0; k < 7; ++k) {
      const double right = 0.1 / a + (k + 1) / 2 * down + k / 2 * 0.075 / a;
      CHECK(std::abs(finished.solution.events[static_cast<std::size_t>(k)].t - right) <= 1000 * rtol);
    }
  });
}
