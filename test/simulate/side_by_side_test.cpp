// Parts of one model that do not see each other: what one does is no event of another.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using test::Finished;
using test::for_all_methods;

TEST_CASE("a clock beside tanks that have come to one level changes nothing of them") {
  // The levels meet in a finite time, with no speed; what is left of their differences is below the tolerances.
  const std::string text =
      "initial = \"p\"\n[states]\nh1 = 1.5\nh2 = 1.0\nh3 = 0.2\nw = 0\n[time]\nend = 30\n[definitions]\n"
      "q1 = \"0.075*sgn(h1 - h2)*sqrt(abs(h1 - h2))\"\nq2 = \"0.075*sgn(h2 - h3)*sqrt(abs(h2 - h3))\"\n"
      "[derivatives]\nh1 = \"-q1\"\nh2 = \"q1 - q2\"\nh3 = \"q2\"\nw = \"1\"\n"
      "[[locations]]\nname = \"p\"\n[[locations]]\nname = \"q\"\n"
      "[[edges]]\nfrom = \"p\"\nto = \"q\"\nwhen = \"w - 0.7\"\ndirection = \"rising\"\nset = { w = \"0\" }\n"
      "[[edges]]\nfrom = \"q\"\nto = \"p\"\nwhen = \"w - 0.9\"\ndirection = \"rising\"\nset = { w = \"0\" "
      "}\n";
  for_all_methods(text, {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}, [](const Finished& finished, double rtol) {
    // The clock changes over at 0.7, 1.6, 2.3, 3.2, …
    CHECK(finished.solution.events.size() == 37);
    for (const EventRecord& event : finished.solution.events) {
      CHECK(event.kind == EventKind::transition);
      CHECK(event.from == event.to);
    }
    for (Index tank = 0; tank < 3; ++tank) CHECK(std::abs(finished.end(tank) - 0.9) <= 100 * rtol);
  });
}

TEST_CASE("a clock changes nothing of tanks one of whose levels has a unit of its own") {
  for (const std::string unit : {"1e-6", "1e-2", "1e3", "1e6"}) {
    CAPTURE(unit);
    const double size = std::stod(unit);
    const std::string text =
        "[parameters]\nunit = " + unit +
        "\n[states]\nh1 = 1.5\nh2 = \"unit\"\nh3 = 0.2\nw = 0\n[time]\nend = 30\n[definitions]\n"
        "q1 = \"0.075*sgn(h1 - h2/unit)*sqrt(abs(h1 - h2/unit))\"\n"
        "q2 = \"0.075*sgn(h2/unit - h3)*sqrt(abs(h2/unit - h3))\"\n[derivatives]\n"
        "h1 = \"-q1\"\nh2 = \"unit*(q1 - q2)\"\nh3 = \"q2\"\nw = \"1\"\n"
        "[[resets]]\nwhen = \"w - 0.7\"\ndirection = \"rising\"\nset = { w = \"0\" }\n";
    const auto check = [size](const Finished& finished, double rtol) {
      CHECK(finished.solution.events.size() == 42);
      CHECK(finished.count(EventKind::reset) == 42);
      CHECK(std::abs(finished.end(1) / size - 0.9) <= 100 * rtol);
    };
    for_all_methods(text, {1e-4, 1e-6, 1e-8, 1e-10}, check, Eigen::Vector4d(1, size, 1, 1));
  }
}

TEST_CASE("what slides goes on where bounces of a ball beside it come to their limit") {
  // The ball rests from √(2/g)(1 + e)/(1 - e) = 2.56 on; x follows 0.3 cos z, which is slower than its relay.
  const std::string text =
      "initial = \"flight\"\n[states]\ny = 1.0\nw = 0.0\nx = 0.3\nz = 0.2\n[time]\nend = 6\n[derivatives]\ny "
      "= \"w\"\n"
      "w = \"-9.81\"\nx = \"-sgn(x - 0.3*cos(z)) + 0.2*sin(t)\"\nz = \"1 + 0.1*sin(3*z)\"\n"
      "[[locations]]\nname = \"flight\"\n[[locations]]\nname = \"rest\"\n[locations.derivatives]\ny = "
      "\"0\"\nw = \"0\"\n"
      "[[edges]]\nfrom = \"flight\"\nto = \"flight\"\nwhen = \"y\"\ndirection = \"falling\"\n"
      "set = { y = \"0\", w = \"-0.7*w\" }\nzeno = \"rest\"\n";
  for_all_methods(text, {1e-4, 1e-6, 1e-8}, [](const Finished& finished, double) {
    CHECK(finished.solution.final.location == "rest");
    CHECK(finished.solution.final.mode.word() == "0");
    CHECK(std::abs(finished.end(2) - 0.3 * std::cos(finished.end(3))) <= 1e-12);
    std::size_t changes = 0;
    for (const EventRecord& event : finished.solution.events)
      changes += event.from && event.from != event.to ? 1 : 0;
    // It comes to slide, and does so to the end.
    CHECK(changes == 1);
  });
}

TEST_CASE("two locations for a relay come to slide beside another surface at tight tolerances, too") {
  const std::string head =
      "[states]\nx = 0.0\ny = 0.0\nz = 0.0\n[time]\nend = 3\n[definitions]\ns = \"0.6*x + 0.5*z - 0.7\"\n"
      "r = \"sgn(0.27*x - 0.3*y + z - 0.5)\"\n[derivatives]\ny = \"1.4 + r\"\nz = \"-0.55 - 1.45*r\"\n";
  const std::string relay = head + "x = \"t - 1 - 2*sgn(s)\"\n";
  const std::string locations =
      "initial = \"below\"\n" + head + "x = \"t - 3\"\n[[locations]]\nname = \"above\"\n" +
      "[[locations]]\nname = \"below\"\n[locations.derivatives]\nx = \"t + 1\"\n"
      "[[edges]]\nfrom = \"below\"\nto = \"above\"\nwhen = \"s\"\ndirection = \"rising\"\n"
      "[[edges]]\nfrom = \"above\"\nto = \"below\"\nwhen = \"s\"\ndirection = \"falling\"\n";
  const std::vector<double> tolerances = {1e-6, 1e-8, 1e-10, 1e-12, 1e-13};
  std::vector<Vector> ends;
  std::vector<double> times;
  for_all_methods(relay, tolerances, [&](const Finished& finished, double) {
    REQUIRE(finished.solution.events.size() == 3);
    ends.push_back(finished.solution.final.state);
    times.push_back(finished.solution.events[1].t);
  });
  std::size_t run = 0;
  for_all_methods(locations, tolerances, [&](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 3);
    CHECK(finished.solution.events[1].kind == EventKind::sliding_entry);
    CHECK(finished.solution.events[2].kind == EventKind::sliding_exit);
    CHECK(std::abs(finished.solution.events[1].t - times[run]) <= 100 * rtol);
    for (Index j = 0; j < 3; ++j) CHECK(std::abs(finished.end(j) - ends[run][j]) <= 100 * rtol);
    ++run;
  });
}
