// Guards that change their signs without being zero: in a pole, or in a jump, as forms of guards with kinks do where they are not in force.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "test/simulate/model_text.hpp"

using namespace slideway;
using std::numbers::pi;
using test::Finished;
using test::for_all_methods;

namespace {

std::string clock_with(const std::string& derivative, double end = 3) {
  return "[states]\nx = 0\ny = 0\n[time]\nend = " + std::to_string(end) +
         "\n[derivatives]\nx = \"1\"\ny = \"" + derivative + "\"\n";
}

std::string oscillator(const std::string& force, const std::string& definitions = "") {
  return "[states]\nx = 1.2\nv = -0.4\n[time]\nend = 6\n" + definitions + "[derivatives]\nx = \"v\"\nv = \"" +
         force + "\"\n";
}

// The values are those of DOP853 of scipy at rtol 1e-12, which stops where a condition, as it is written, changes by bisection.
void ends_at(const std::string& text, double x, double v) {
  for_all_methods(text, [&](const Finished& finished, double rtol) {
    CHECK(std::abs(finished.end(0) - x) <= 1000 * rtol);
    CHECK(std::abs(finished.end(1) - v) <= 1000 * rtol);
  });
}

}  // namespace

TEST_CASE("the sign of a tangent is a square wave") {
  for_all_methods(clock_with("1 + sgn(tan(x))", 10), [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 6);
    for (std::size_t k = 0; k < 6; ++k) {
      const EventRecord& event = finished.solution.events[k];
      CHECK(event.kind == EventKind::crossing);
      CHECK(event.to->word() == (k % 2 == 0 ? "-" : "+"));
      CHECK(std::abs(event.t - static_cast<double>(k + 1) * pi / 2) <= 10 * rtol);
    }
    CHECK(std::abs(finished.end(1) - (20 - 3 * pi)) <= 100 * rtol);
  });
}

TEST_CASE("a guard has another side beyond a pole, whether or not its relay has an effect there") {
  for_all_methods(clock_with("sgn(1/(x - 1))"), [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 1);
    CHECK(std::abs(finished.solution.events[0].t - 1) <= 10 * rtol);
    CHECK(finished.solution.final.mode.word() == "+");
    CHECK(std::abs(finished.end(1) - 1) <= 100 * rtol);
  });
  // In force up to t = 1, where it is −1/2: what passes later takes no part.
  for_all_methods(clock_with("if(t < 1, max(1/(x - 3), -1), 1)", 5),
                  [](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() == 1);
                    CHECK(std::abs(finished.solution.events[0].t - 1) <= 10 * rtol);
                    CHECK(finished.solution.final.mode.word() == "++");
                    CHECK(std::abs(finished.end(1) - (std::log(2.0 / 3) + 4)) <= 100 * rtol);
                  });
}

TEST_CASE("a pole without a change of sign is none of its guard's zeros, met exactly or not") {
  // 1/(x − 1)² up to 2, which it is at 1 ∓ 1/√2.
  const double half = 1 / std::sqrt(2.0);
  for_all_methods(clock_with("min(max(1/(x - 1)^2, 0), 2)"), [&](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 2);
    CHECK(std::abs(finished.solution.events[0].t - (1 - half)) <= 10 * rtol);
    CHECK(std::abs(finished.solution.events[1].t - (1 + half)) <= 10 * rtol);
    CHECK(std::abs(finished.end(1) - (4 * std::sqrt(2.0) - 1.5)) <= 1000 * rtol);
  });
}

TEST_CASE("an event is a zero of its guard and no pole") {
  const auto with_record = [](const std::string& guard, const std::string& direction) {
    return clock_with("x", 10) + "[[records]]\nname = \"zero\"\nwhen = \"" + guard + "\"\ndirection = \"" +
           direction + "\"\n";
  };
  for (const std::string direction : {"any", "rising"}) {
    for_all_methods(with_record("tan(x + 1)", direction), [](const Finished& finished, double rtol) {
      REQUIRE(finished.solution.events.size() == 3);
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(std::abs(finished.solution.events[k].t - static_cast<double>(k + 1) * pi + 1) <= 10 * rtol);
    });
  }
  const auto has_none = [](const Finished& finished, double) { CHECK(finished.solution.events.empty()); };
  for_all_methods(with_record("tan(x + 1)", "falling"), has_none);
  for_all_methods(with_record("1/(x - 1)", "any"), has_none);
  // Falling to zero at 2, after two poles.
  for_all_methods(with_record("(2 - x)/((x - 0.5)*(x - 1.5))", "falling"),
                  [](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() == 1);
                    CHECK(std::abs(finished.solution.events[0].t - 2) <= 10 * rtol);
                  });
}

TEST_CASE("a zero soon after two poles is found, however long the steps are") {
  for (const double end : {3.0, 8.0, 10.0, 20.0, 50.0}) {
    CAPTURE(end);
    for_all_methods(clock_with("x", end) +
                        "[[records]]\nname = \"zero\"\nwhen = \"(2 - x)/((x - 0.5)*(x - 1.5))\"\n"
                        "direction = \"falling\"\n",
                    [](const Finished& finished, double) { CHECK(finished.solution.events.size() == 1); });
  }
}

TEST_CASE("a run ends at a pole that the motion does not lead through") {
  const auto ends_at_one = [](const std::string& text, const std::string& why) {
    for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
      for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
        CAPTURE(rtol);
        const Finished finished = test::run(text, method, rtol);
        CHECK(finished.solution.outcome.status == Status::user_function_failed);
        CHECK(std::abs(finished.solution.outcome.t - 1) <= 10 * rtol);
        CHECK(finished.solution.events.empty());
        const std::string& message = finished.solution.outcome.message;
        CAPTURE(message);
        CHECK(message.find("1/(x - 1)") != std::string::npos);
        CHECK(message.find("changes its sign in a pole") != std::string::npos);
        CHECK(message.find(why) != std::string::npos);
      }
    }
  };
  // Both fields lead to it.
  ends_at_one("[states]\nx = 0\n[time]\nend = 3\n[derivatives]\nx = \"-sgn(1/(x - 1))\"\n", "reciprocal");
  // ∫ 1/(x − 1) from there on has no value.
  ends_at_one(clock_with("max(1/(x - 1), -1)"), "infinite");
}

TEST_CASE(
    "a motion that runs away reaches its threshold between two times of the clock, by the automatic choice, "
    "too") {
  // x = -ln(1 - t) is at 38 within 3e-17 of t = 1.
  const std::string text =
      "[states]\nx = 0\n[time]\nstart = 0\nend = 40.5\n[derivatives]\nx = \"exp(x)\"\n"
      "[[resets]]\nwhen = \"x - 38\"\ndirection = \"rising\"\nset = { x = \"0\" }\n";
  for (const Method method : {Method::automatic, Method::dopri5}) {
    CAPTURE(std::string(to_string(method)));
    const Finished finished = test::run(text, method, 1e-6);
    REQUIRE(finished.solution.outcome.succeeded());
    REQUIRE(finished.solution.events.size() == 40);
    for (std::size_t k = 0; k < 40; ++k)
      CHECK(std::abs(finished.solution.events[k].t - static_cast<double>(k + 1)) <= 1e-4);
  }
}

TEST_CASE("forms of one guard that vanish together move no state") {
  ends_at(
      oscillator("if(v > 0, if(q < 0, -x, -x + 0.3), -x)", "[definitions]\nq = \"atan2(x, 1 + abs(v))\"\n"),
      1.575537249771, 0.251007419084);
}

TEST_CASE(
    "a form that is not in force has the side of its guard when it comes into force, beyond a jump too") {
  ends_at(oscillator("-x + if(tanh(x/(0.1 + abs(v))) < 0.3, 0.2, 0)"), 1.187496310544, -0.435720681682);
  ends_at(oscillator("-x + if(atan2(x, abs(v)) < 0.2, 0.2, 0)"), 1.185664458788, -0.440681053783);
}

TEST_CASE("a guard that jumps to the other sign moves no state, and its relay turns there") {
  const std::string states = "[states]\nx = -1\ny = 1.1\nz = 0\n[time]\nend = 3\n[derivatives]\nx = \"0\"\n";
  for_all_methods(states + "y = \"-1\"\nz = \"sgn(atan2(y, x))\"\n",
                  [](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() == 1);
                    CHECK(std::abs(finished.solution.events[0].t - 1.1) <= 10 * rtol);
                    CHECK(finished.end(0) == -1);
                    CHECK(std::abs(finished.end(2) - (1.1 - 1.9)) <= 100 * rtol);
                  });
}

TEST_CASE("a run ends with words where a motion is drawn to a jump of a guard from both sides") {
  const Finished finished = test::run(
      "[states]\nx = -1\ny = 1.1\n[time]\nend = 3\n[derivatives]\nx = \"0\"\ny = \"-sgn(atan2(y, x))\"\n");
  CHECK(finished.solution.outcome.status == Status::user_function_failed);
  CHECK(std::abs(finished.solution.outcome.t - 1.1) <= 1e-6);
  CHECK(finished.solution.outcome.message.find("jumps to the other sign") != std::string::npos);
}

TEST_CASE("a guard that has no value on a line moves no state across it, and its event does not fire") {
  // d <= 0.47 all along.
  for_all_methods(
      "[states]\nx = 0.5\ny = -0.4\nvy = 0.87\n[time]\nend = 1\n[definitions]\npx = \"max(abs(x) - 1, 0)\"\n"
      "d = \"hypot(px, y)\"\n[derivatives]\nx = \"-0.5\"\ny = \"vy\"\nvy = \"0\"\n[[resets]]\nname = "
      "\"wall\"\n"
      "when = \"d > 1 and vy*y/d - 0.5*px*sgn(x)/d > 0\"\nset = { vy = \"-vy\" }\n",
      [](const Finished& finished, double rtol) {
        CHECK(finished.count(EventKind::reset) == 0);
        CHECK(std::abs(finished.end(0)) <= 100 * rtol);
        CHECK(std::abs(finished.end(1) - 0.47) <= 100 * rtol);
      });
}

TEST_CASE("an event in any direction fires at each zero and each jump of its guard to the other sign") {
  // The angle is t, but for whole turns: it is 1 at 1 + 2 k pi, and jumps from pi to -pi at (2 k + 1) pi.
  for_all_methods(
      "[states]\nx = 1\ny = 0\n[time]\nend = 20\n[derivatives]\nx = \"-y\"\ny = \"x\"\n[[records]]\nname = "
      "\"angle\"\nwhen = \"atan2(y, x) - 1\"\n",
      [](const Finished& finished, double rtol) {
        const EventLog& events = finished.solution.events;
        REQUIRE(events.size() == 7);
        for (std::size_t k = 0; k < 7; ++k) {
          const double turns = static_cast<double>(k / 2);
          CHECK(std::abs(events[k].t - (k % 2 == 0 ? 1 + 2 * pi * turns : pi * (2 * turns + 1))) <=
                2000 * rtol);
        }
      });
}
