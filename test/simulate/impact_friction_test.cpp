// Friction in the impact of one contact: followed through the impact (Routh), or against the velocity at its end, with the restitution of
// velocities (Moreau) or of impulses (Glocker and Pfeiffer).
//
// A rod of length 2 and mass 1 leans by phi with sin phi = 3/5 and falls with the speed 1 on its tip, which slips by s. An impulse P across
// the floor and Q along it change the velocities of the tip by
//     u⁺ = u + nP + mQ,   s⁺ = s + mP + tQ,   n = 52/25,  m = −36/25,  t = 73/25,  nt − m² = 4,
// and with mu = 1/4, which is less than 36/73, a tip that stops slips back. By the restitution e = 1/2 of velocities:
//     s = 1/10:  at the end it slips back:     Q = P/4:   P = (3/2)/(43/25) = 75/86
//                followed, it slips for P = 10/217, then back until u = 1/2
//     s = 1:     at the end it sticks:         P = (3t/2 + m)/4 = 147/200,  Q = −(3m/2 + n)/4 = 1/50
// By that of impulses, s = 1:
//     it slips in the compression, P = 1/(61/25) = 25/61, Q = −P/4, to s = 27/244, and
//     slips back in the expansion, P = 25/122, Q = P/4, to s = −17/488
#include <cmath>
#include <string>

#include "core/number_text.hpp"
#include "test/simulate/model_text.hpp"

namespace slideway::test {

namespace {

std::string leaning_rod(double slip, const std::string& law, const std::string& in_impact) {
  return "[parameters]\nphi0 = \"asin(0.6)\"\nslip = " + number_text(slip) + R"toml(
[states]
x = 0
y = "cos(phi0) + 0.05"
phi = "phi0"
vx = "slip"
vy = -1
w = 0
[time]
end = 0.051
[derivatives]
x = "vx"
y = "vy"
phi = "w"
vx = "0"
vy = "0"
w = "0"
[[contacts]]
name = "tip"
gap = "y - cos(phi)"
acts_on = { vy = "1", w = "3*sin(phi)" }
restitution = 0.5
impact_law = ")toml" +
         law + "\"\nfriction = { mu = 0.25, velocity = \"vx - w*cos(phi)\", " +
         (in_impact.empty() ? "" : "in_impact = \"" + in_impact + "\", ") +
         "acts_on = { vx = \"1\", w = \"-3*cos(phi)\" } }\n";
}

void check_impulses(double slip, const std::string& law, const std::string& in_impact, double normal,
                    double along) {
  CAPTURE(slip);
  CAPTURE(law);
  CAPTURE(in_impact);
  for_all_methods(leaning_rod(slip, law, in_impact), {1e-6, 1e-10}, [&](const Finished& finished, double) {
    CAPTURE(finished.solution.outcome.message);
    REQUIRE(!finished.solution.events.empty());
    const EventRecord& event = finished.solution.events.front();
    CHECK(event.kind == EventKind::impact);
    CHECK(std::abs(event.after[3] - (slip + along)) < 1e-12);
    CHECK(std::abs(event.after[4] - (normal - 1)) < 1e-12);
    CHECK(std::abs(event.after[5] - (1.8 * normal - 2.4 * along)) < 1e-12);
  });
}

}  // namespace

TEST_CASE("friction in an impact is against the slip at its end where the contact says so") {
  check_impulses(0.1, "newton", "end", 75.0 / 86, 75.0 / 344);
  check_impulses(1, "newton", "end", 147.0 / 200, 1.0 / 50);
  check_impulses(1, "poisson", "end", 75.0 / 122, -25.0 / 488);
}

TEST_CASE("friction in an impact is followed through it where the contact says nothing else") {
  for (const char* const in_impact : {"", "through"}) {
    // It slips for P = s/(217/100), which lifts the tip by 61/25 of that, and slips back with 43/25 until u = 1/2.
    for (const double slip : {0.1, 1.0}) {
      const double first = slip / 2.17, second = (1.5 - 2.44 * first) / 1.72;
      check_impulses(slip, "newton", in_impact, first + second, 0.25 * (second - first));
    }
  }
}

TEST_CASE("a word for the friction in an impact that means nothing is told with its place") {
  const auto told_by = [](const std::string& text) -> std::string {
    try {
      parse_model(text, "c.toml").instantiate({});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  CHECK(told_by(leaning_rod(1, "newton", "start")).find("through") != std::string::npos);
  std::string in_plane = leaning_rod(1, "newton", "through");
  const std::string line =
      "velocity = \"vx - w*cos(phi)\", in_impact = \"through\", acts_on = { vx = \"1\", w = "
      "\"-3*cos(phi)\" }";
  in_plane.replace(in_plane.find(line), line.size(),
                   "velocity = [\"vx\", \"w\"], in_impact = \"through\", acts_on = [{ vx = \"1\" }, { w = "
                   "\"1\" }]");
  CHECK(told_by(in_plane).find("in_impact") != std::string::npos);
}

}  // namespace slideway::test
