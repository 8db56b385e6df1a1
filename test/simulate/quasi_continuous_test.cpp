// Controls that are a quotient of what vanishes: where they bring the solution to they have no value, but bounds.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "test/simulate/model_text.hpp"

namespace slideway {
namespace {

using test::Finished;
using test::for_all_methods;

// x'' = d(t) − 2u. All round x = y = 0 the control is between ±1, and 1 or −1 where x and y have the same sign.
std::string controlled(const std::string& disturbance, const std::string& end,
                       const std::string& start = "1") {
  return "[states]\nx = " + start + "\ny = 0\n[time]\nend = " + end +
         "\n[definitions]\nu = \"(y + sqrt(abs(x))*sgn(x))/(abs(y) + sqrt(abs(x)))\"\n[derivatives]\n"
         "x = \"y\"\ny = \"" +
         disturbance + " - 2*u\"\n";
}

void check_rest(const Finished& finished) {
  CHECK(finished.solution.final.mode.word().substr(0, 2) == "00");
  CHECK(finished.end(0) == 0);
  CHECK(finished.end(1) == 0);
}

TEST_CASE(
    "a quasi-continuous controller comes to rest in finite time, whatever disturbs it less than it can "
    "hold") {
  for_all_methods(controlled("0.3*sin(t)", "8"), [](const Finished& finished, double rtol) {
    check_rest(finished);
    // Whether the last flights or their limit are seen is up to the tolerances.
    CHECK(std::abs(finished.solution.events.back().t - 2.4797244) <= 2 * std::sqrt(rtol));
    CHECK(finished.solution.trajectory(5.0).norm() == 0);
  });
}

TEST_CASE("a controller in which one quotient without a value stands in another says what to do") {
  const Finished finished = test::run(
      "[states]\nx = 0.1\ny = 0\nz = 0\n[time]\nend = 12\n[definitions]\nw = \"abs(x)^(2/3)\"\n"
      "[derivatives]\nx = \"y\"\ny = \"z\"\nz = \"0.3*sin(t) - 20*(z + 2*(y + w*sgn(x))/sqrt(abs(y) + w))"
      "/(abs(z) + 2*sqrt(abs(y) + w))\"\n",
      Method::dopri5, 1e-6);
  CHECK(finished.solution.outcome.status == Status::zeno);
  CHECK(finished.solution.outcome.message.find("'z' has no value") != std::string::npos);
  CHECK(finished.solution.outcome.message.find("divisor") != std::string::npos);
}

TEST_CASE("what rests by a quasi-continuous controller leaves when it cannot hold it any more") {
  for_all_methods(controlled("0.1*t*t", "6"), {1e-6, 1e-8, 1e-10}, [](const Finished& finished, double rtol) {
    const EventRecord& exit = finished.solution.events.back();
    CHECK(exit.kind == EventKind::sliding_exit);
    CHECK(std::abs(exit.t - std::sqrt(20.0)) <= 10 * rtol);
    CHECK(finished.solution.final.mode.word() == "++");
    // From there on y' = t²/10 − 2.
    CHECK(std::abs(finished.end(1) - ((216 - std::pow(20, 1.5)) / 30 - 2 * (6 - std::sqrt(20.0)))) <=
          10 * rtol);
  });
}

TEST_CASE("a quasi-continuous controller that starts at rest stays there") {
  for_all_methods(controlled("0.3*sin(t)", "8", "0"), [](const Finished& finished, double) {
    CHECK(finished.solution.events.empty());
    check_rest(finished);
  });
}

TEST_CASE("a clock beside a quasi-continuous controller changes nothing of its rest") {
  std::string text = controlled("0.3*sin(t)", "8");
  text.insert(text.find("[time]"), "w = 0\n");
  text += "w = \"1\"\n[[resets]]\nwhen = \"w - 0.7\"\ndirection = \"rising\"\nset = { w = \"0\" }\n";
  for_all_methods(text, [](const Finished& finished, double) {
    check_rest(finished);
    CHECK(finished.count(EventKind::reset) == 11);
    bool rests = false;
    for (const EventRecord& event : finished.solution.events) {
      const bool is_at_rest = event.to && event.to->word() == "00";
      CHECK((is_at_rest || !rests));
      rests = is_at_rest;
    }
  });
}

}  // namespace
}  // namespace slideway
