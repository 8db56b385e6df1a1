// [hysteresis]: relays with a band, Preisach's model and backlash by name, beside the formulas that they stand for.
#include <cmath>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("elements with a memory are what their formulas are") {
  const std::string head = "[states]\nu = 0.0\nz = 0.0\n";
  const std::string named =
      head +
      "[hysteresis]\nr = { law = \"relay\", input = \"u\", low = -0.3, high = 0.4 }\nm = { law = "
      "\"preisach\", input "
      "= \"u\", size = 4, low = \"-0.2*i\", high = \"0.2*i\", weight = \"1/(3 + i)\" }\ny = { law = "
      "\"backlash\", "
      "input = \"u + 0.1*sin(2*t)\", gap = 0.4, fastest = 5, initial = 0.1 }\n[time]\nend = 10\n"
      "[derivatives]\nu = \"cos(t) - 0.1*m - 0.02*r\"\nz = \"y + m + r\"\n";
  const std::string by_hand = head +
                              "y = 0.1\n[definitions]\nw = \"u + 0.1*sin(2*t)\"\nr = \"hysteresis(u, -0.3, "
                              "0.4)\"\nk = { size = 4, value = \"hysteresis(u, "
                              "-0.2*i, 0.2*i)/(3 + i)\" }\nm = \"sum(k)\"\n[time]\nend = "
                              "10\n[derivatives]\nu = \"cos(t) - 0.1*m - 0.02*r\"\nz = \"y + m + r\"\n"
                              "y = \"5*(step(w - y - 0.2) - step(y - w - 0.2))\"\n";
  for (const double rtol : {1e-5, 1e-9}) {
    const Finished a = run(named, Method::automatic, rtol);
    const Finished b = run(by_hand, Method::automatic, rtol);
    REQUIRE(a.solution.outcome.reached_end());
    REQUIRE(b.solution.outcome.reached_end());
    CHECK(std::abs(a.end(1) - b.end(1)) < 100 * rtol);
    CHECK(std::abs(a.end(2) - b.end(2)) < 100 * rtol);
  }
}

TEST_CASE("a backlash whose input is faster than it says stops the run") {
  const Finished finished = run(
      "[states]\nu = 0.0\n[hysteresis]\ny = { law = \"backlash\", input = \"u\", gap = 0.4, fastest = 2 }\n"
      "[time]\nend = 3\n[derivatives]\nu = \"3 + 0*y\"\n");
  CHECK(finished.solution.outcome.status == Status::stopped_by_event);
  REQUIRE_FALSE(finished.solution.events.empty());
  CHECK(finished.solution.events.back().name == "y is left behind");
}
