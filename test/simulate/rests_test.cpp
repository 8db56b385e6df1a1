// Bodies that come to rest on several contacts at once, by impacts of one that throw it off another: at the origin and far from it, large and
// small. No gap is ever passed over, and no event makes energy.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/number_text.hpp"
#include "test/simulate/model_text.hpp"

namespace slideway::test {

namespace {

struct Setting {
  double x, y, size;
};
// The rounding of a gap is that of the coordinates, ε|x|.
const std::vector<Setting> settings = {{0, 0, 1},       {600, -145, 1},   {6000, -1500, 1},
                                       {1e4, -2500, 1}, {6e6, -1e6, 1e4}, {0.06, -0.01, 1e-4}};

// Two planes at 30° to the horizontal meet at (X, Y).
std::string ball_in_groove(const Setting& at, double e, double end) {
  return "[parameters]\nX = " + number_text(at.x) + "\nY = " + number_text(at.y) +
         "\nS = " + number_text(at.size) + "\ne = " + number_text(e) + R"toml(
[states]
x = "X + 12*S"
y = "Y + 15*S"
u = 0
v = 0
[derivatives]
x = "u"
y = "v"
u = "0"
v = "-S"
[[contacts]]
name = "left"
gap = "0.5*(x - X) + sqrt(0.75)*(y - Y)"
acts_on = { u = "0.5", v = "sqrt(0.75)" }
restitution = "e"
[[contacts]]
name = "right"
gap = "-0.5*(x - X) + sqrt(0.75)*(y - Y)"
acts_on = { u = "-0.5", v = "sqrt(0.75)" }
restitution = "e"
[time]
end = )toml" +
         number_text(end) + "\n";
}

// Twelve balls in a column, each of which falls from a tenth of its diameter above the one below.
std::string stack(const Setting& at, double e, int balls, double end) {
  std::string text = "[parameters]\nY = " + number_text(at.x) + "\nS = " + number_text(at.size) +
                     "\ne = " + number_text(e) + "\n[states]\n";
  for (int i = 0; i < balls; ++i) {
    const std::string n = std::to_string(i);
    text += "y" + n + " = \"Y + S*(" + n + " + 0.1*(" + n + " + 1))\"\nv" + n + " = 0\n";
  }
  text += "[derivatives]\n";
  for (int i = 0; i < balls; ++i) {
    const std::string n = std::to_string(i);
    text += "y" + n + " = \"v" + n + "\"\nv" + n + " = \"-9.81*S\"\n";
  }
  text += "[[contacts]]\nname = \"floor\"\ngap = \"y0 - Y\"\nacts_on = { v0 = \"1\" }\nrestitution = \"e\"\n";
  for (int i = 1; i < balls; ++i) {
    const std::string n = std::to_string(i), below = std::to_string(i - 1);
    text += "[[contacts]]\nname = \"c" + n + "\"\ngap = \"y" + n + " - y" + below + " - S\"\nacts_on = { v" +
            n + " = \"1\", v" + below + " = \"-1\" }\nrestitution = \"e\"\n";
  }
  return text + "[time]\nend = " + number_text(end) + "\n";
}

double lowest_gap(const Vector& x, const Setting& at) {
  const double across = 0.5 * (x[0] - at.x), up = std::sqrt(0.75) * (x[1] - at.y);
  return std::min(across, -across) + up;
}
double energy(const Vector& x, const Setting& at) {
  return 0.5 * (x[2] * x[2] + x[3] * x[3]) + at.size * (x[1] - at.y);
}

// Each time that the ball slides along one wall into the other it leaves half of its speed along that one, since the walls meet at 120°. The
// bounces between shrink by e. From the speed of the fall from 15 that makes K = log₂(√30/rtol) slides until the tolerances hide its speed, with
// log(√30/rtol)/log(1/e) bounces in the first and none in the last of them, and 20 events before the first.
double most_events(double e, double rtol) {
  const double slides = std::log2(std::sqrt(30.0) / rtol);
  return 20 + slides + (e > 0 ? 0.5 * slides * slides * std::log(2.0) / std::log(1 / e) : 0.0);
}

}  // namespace

TEST_CASE("a ball comes to rest in a groove wherever the groove is, and sinks nowhere on its way") {
  for (const Setting& at : settings) {
    for (const double e : {0.0, 0.2, 0.5, 0.8}) {
      for (const auto& [method, rtol] :
           {std::pair(Method::automatic, 1e-4), {Method::dop853, 1e-6}, {Method::bdf, 1e-9}}) {
        CAPTURE(at.x);
        CAPTURE(at.size);
        CAPTURE(e);
        CAPTURE(rtol);
        const Finished finished = run(ball_in_groove(at, e, e > 0.5 ? 200 : 60), method, rtol);
        REQUIRE(finished.solution.outcome.reached_end());
        // What rounding of the coordinates makes of a length, and of an energy, with room for some impacts.
        const double rounding = 1e4 * 2.3e-16 * (std::abs(at.x) + std::abs(at.y) + 20 * at.size);
        CHECK(std::abs(finished.end(0) - at.x) <= rounding);
        CHECK(std::abs(finished.end(1) - at.y) <= rounding);
        CHECK(finished.end(2) == 0);
        CHECK(finished.end(3) == 0);
        CHECK(finished.solution.final.mode.word() == "00");
        CHECK(static_cast<double>(finished.solution.events.size()) < most_events(e, rtol));
        for (const EventRecord& event : finished.solution.events) {
          CHECK(lowest_gap(event.before, at) >= -rounding);
          CHECK(lowest_gap(event.after, at) >= -rounding);
          CHECK(energy(event.after, at) <= energy(event.before, at) + at.size * rounding);
        }
      }
    }
  }
}

TEST_CASE("a column of twelve balls comes to rest wherever it stands") {
  for (const Setting& at : settings) {
    for (const double e : {0.0, 0.5}) {
      CAPTURE(at.x);
      CAPTURE(at.size);
      CAPTURE(e);
      const Finished finished = run(stack(at, e, 12, 40), Method::automatic, 1e-6);
      REQUIRE(finished.solution.outcome.reached_end());
      CHECK(finished.solution.final.mode.word() == std::string(12, '0'));
      for (Index i = 0; i < 12; ++i) {
        CHECK(std::abs(finished.end(2 * i) - at.x - static_cast<double>(i) * at.size) <=
              1e4 * 2.3e-16 * (std::abs(at.x) + 12 * at.size));
        CHECK(finished.end(2 * i + 1) == 0);
      }
    }
  }
}

TEST_CASE("a body that rolls on a contact with friction is not disturbed by a ball that bounces beside it") {
  for_all_methods(R"toml(
[states]
y = 0
v = 1
vy = 0
w = "-1/0.0286"
za = 0.9
zb = 0
[time]
end = 1
[derivatives]
y = "vy"
v = "0"
vy = "-9.81"
w = "0"
za = "zb"
zb = "-9.8"
[[contacts]]
name = "cloth"
gap = "y"
acts_on = { vy = "1/0.17" }
restitution = 0.6
friction = { mu = 0.2, velocity = "v + 0.0286*w", acts_on = { v = "1/0.17", w = "0.0286/(0.4*0.17*0.0286^2)" } }
[[contacts]]
name = "floor"
gap = "za"
acts_on = { zb = "1" }
restitution = 0.6
)toml",
                  {1e-4, 1e-6, 1e-9}, [](const Finished& finished, double rtol) {
                    // It lands at √(2·0.9/9.8) with √(2·9.8·0.9), flies for 1.2 times as long, and lands again before 1.
                    const double falls = std::sqrt(1.8 / 9.8), speed = 0.36 * 9.8 * falls;
                    const double left = 1 - 2.2 * falls;
                    CHECK(std::abs(finished.end(4) - (speed * left - 4.9 * left * left)) < 100 * rtol);
                    CHECK(std::abs(finished.end(1) - 1) < 1e-12);
                    CHECK(std::abs(finished.end(3) * 0.0286 + 1) < 1e-12);
                    CHECK(finished.count(EventKind::impact) == 2);
                  });
}

}  // namespace slideway::test
