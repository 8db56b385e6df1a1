// States beside a spiral into an intersection of two surfaces, whose last turns the clock hides.
#include <cmath>
#include <string>

#include "core/number_text.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kEnd = 1.37;

std::string spiral(double start) {
  const std::string begins = exact_text(start);
  return R"toml(
[states]
a = 0
b = 0
c = 0.8
[time]
start = )toml" +
         begins + "\nend = " + exact_text(start + kEnd) + R"toml(
[surfaces]
s1 = "a - c"
s3 = "a + 0.3*c"
[derivatives]
a = "if(s1 > 0, -1, 0.9)"
b = "-b + cos(t - )toml" +
         begins + R"toml() - 0.8 + sgn(s3)"
c = "if(s3 > 0, -2, 2)"
)toml";
}

// b at the end by the exact solutions of its equation between the events, which lie on straight lines.
double exact_end() {
  double t = 0, a = 0, b = 0, c = 0.8;
  bool first = false, second = true;  // s1 > 0, s3 > 0
  const auto follow = [&](double until, double relay) {
    const auto forced = [&](double time) { return 0.5 * (std::cos(time) + std::sin(time)) - 0.8 + relay; };
    b = (b - forced(t)) * std::exp(t - until) + forced(until);
    t = until;
  };
  for (int turn = 0; turn < 200; ++turn) {
    const double a_rate = first ? -1 : 0.9, c_rate = second ? -2 : 2;
    const double to_first = -(a - c) / (a_rate - c_rate);
    const double to_second = -(a + 0.3 * c) / (a_rate + 0.3 * c_rate);
    const bool is_first = to_first > 0 && (!(to_second > 0) || to_first < to_second);
    const double wait = is_first ? to_first : to_second;
    if (!(wait > 1e-17)) break;
    follow(t + wait, second ? 1 : -1);
    a += a_rate * wait;
    c += c_rate * wait;
    if (is_first) {
      first = !first;
      a = c;
    } else {
      second = !second;
      a = -0.3 * c;
    }
  }
  // In the centre the relay of s3 has the mean 0.
  follow(kEnd, 0);
  return b;
}

}  // namespace

TEST_CASE("a state that feels the relays of a spiral comes to its limit with it, whatever the clock shows") {
  const double exact = exact_end();
  for (const double start : {0.0, 100.0, 1e4}) {
    CAPTURE(start);
    for_all_methods(spiral(start), {1e-8, 1e-10, 1e-12}, [&](const Finished& finished, double rtol) {
      CHECK(finished.solution.final.mode.word() == "00");
      CHECK(std::abs(finished.end(1) - exact) < 200 * rtol + 1e-10);
    });
  }
}

namespace {

std::string twisting(double start) {
  const std::string begins = exact_text(start);
  return R"toml(
[states]
x = 0.3
v = 0.7
b = 0
[time]
start = )toml" +
         begins + "\nend = " + exact_text(start + 4) + R"toml(
[surfaces]
p = "x"
q = "v"
[derivatives]
x = "v"
v = "-3*sgn(p) - sgn(q)"
b = "-b + cos(t - )toml" +
         begins + R"toml() + sgn(p)"
)toml";
}

// The limit of the twisting and b there: the motion is made of parabolas, of which every half turn has two.
struct TwistingLimit {
  double t = 0, b = 0;
};
TwistingLimit exact_twisting() {
  TwistingLimit at;
  double x = 0.3, v = 0.7, relay = 1;
  const auto follow = [&](double duration) {
    const auto forced = [&](double time) { return 0.5 * (std::cos(time) + std::sin(time)) + relay; };
    at.b = (at.b - forced(at.t)) * std::exp(-duration) + forced(at.t + duration);
    at.t += duration;
  };
  for (int half = 0; half < 120; ++half) {
    follow(v / 4);  // outwards, with an acceleration of 4, to where the speed is zero
    x += v * v / 8;
    follow(std::sqrt(x));  // and back, with one of 2
    v = 2 * std::sqrt(x);
    x = 0;
    relay = -relay;
  }
  return at;
}

}  // namespace

TEST_CASE(
    "a state that feels the relays of a twisting controller comes to its limit with it, whatever the clock "
    "shows") {
  const TwistingLimit exact = exact_twisting();
  for (const double start : {0.0, 100.0, 1e4}) {
    CAPTURE(start);
    for_all_methods(twisting(start), {1e-8, 1e-10, 1e-12}, [&](const Finished& finished, double rtol) {
      const EventRecord& last = finished.solution.events.back();
      REQUIRE(last.kind == EventKind::zeno);
      CHECK(std::abs(last.t - start - exact.t) < 200 * rtol + 1e-10);
      CHECK(std::abs(last.after[2] - exact.b) < 200 * rtol + 1e-10);
    });
  }
}
