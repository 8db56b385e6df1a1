// Contacts with friction bounded by their own force: slip, stick, impacts, and what a rigid body has no motion for.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "test/simulate/gravity.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

double bisected(double low, double high, const std::function<double(double)>& f) {
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    ((f(middle) < 0) == (f(low) < 0) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// A block on a slope of the angle `angle`: s along it, downwards, n across it.
std::string block(const std::string& angle, const std::string& speed, const std::string& gap,
                  const std::string& mu, const std::string& end, const std::string& start = "0") {
  return "[parameters]\nm = 2.0\ng = 9.81\nalpha = " + angle + "\nmu = " + mu +
         "\n[states]\ns = 0.0\nn = " + start + "\nvs = " + speed + "\nvn = 0.0\n[time]\nend = " + end +
         "\n[derivatives]\ns = \"vs\"\nn = \"vn\"\nvs = \"g*sin(alpha)\"\nvn = "
         "\"-g*cos(alpha)\"\n[[contacts]]\nname = "
         "\"slope\"\ngap = \"" +
         gap +
         "\"\nacts_on = { vn = \"1/m\" }\nrestitution = 0\nfriction = { mu = \"mu\", velocity = \"vs\", "
         "acts_on = { vs = "
         "\"1/m\" } }\n";
}

std::string event_kinds(const Solution& solution) {
  std::string text;
  for (const EventRecord& event : solution.events)
    text += (text.empty() ? "" : ", ") + std::string(to_string(event.kind));
  return text;
}

}  // namespace

TEST_CASE("a block on a slope below its angle of friction really rests") {
  for_all_methods(block("0.3", "0.0", "n", "0.4", "1000"), [](const Finished& finished, double) {
    CHECK(finished.solution.events.empty());
    CHECK(std::abs(finished.end(0)) < 1e-9);  // no more than rounding, in 1000 s
    CHECK(std::abs(finished.end(2)) < 1e-12);
    CHECK(finished.observed("slope", 500) == doctest::Approx(2 * kGravity * std::cos(0.3)).epsilon(1e-13));
  });
}

TEST_CASE("a block that is thrown up a slope stops, and rests or comes back by the slope's angle") {
  for (const double alpha : {0.3, 0.6}) {
    const double up = kGravity * (std::sin(alpha) + 0.4 * std::cos(alpha));
    const double down = std::max(0.0, kGravity * (std::sin(alpha) - 0.4 * std::cos(alpha)));
    const double turn = 3 / up;
    for_all_methods(
        block(std::to_string(alpha), "-3.0", "n", "0.4", "2"), [&](const Finished& finished, double rtol) {
          REQUIRE(finished.solution.events.size() == 1);
          CHECK(event_kinds(finished.solution) == (alpha < 0.4 ? "sliding_entry" : "crossing"));
          CHECK(std::abs(finished.solution.events[0].t - turn) < 100 * rtol);
          const double after = 2 - turn;
          CHECK(std::abs(finished.end(2) - down * after) < 1000 * rtol);
          CHECK(std::abs(finished.end(0) - (-4.5 / up + 0.5 * down * after * after)) < 1000 * rtol);
        });
  }
}

TEST_CASE("a block on a slope that is shaken across itself sticks and slips at exact times") {
  // The slope moves by a·sin(wt) along its normal: N = m(g·cos α + a·w²·... ) with n'' = -a·w²·sin(wt).
  const double alpha = 0.3, mu = 0.4, a = 0.02, w = 12;
  const auto normal = [&](double t) { return kGravity * std::cos(alpha) - a * w * w * std::sin(w * t); };
  const auto pull = [&](double t) { return kGravity * std::sin(alpha) - mu * normal(t); };
  const double slips = bisected(0, 0.5 * 3.14159265358979 / w, pull);
  const auto speed = [&](double t) {
    return (kGravity * std::sin(alpha) - mu * kGravity * std::cos(alpha)) * (t - slips) +
           mu * a * w * (std::cos(w * slips) - std::cos(w * t));
  };
  const double sticks = bisected(2.0 / w, 6.0 / w, speed);
  std::string text = block("0.3", "0.0", "n - 0.02*sin(12*t)", "0.4", "1.0");
  text.replace(text.find("vn = 0.0"), 8, "vn = 0.24");
  for_all_methods(text, {1e-5, 1e-7, 1e-10}, [&](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() >= 4);
    CHECK(std::abs(finished.solution.events[0].t - slips) < 100 * rtol);
    CHECK(std::abs(finished.solution.events[1].t - sticks) < 100 * rtol);
    const double period = 2 * 3.14159265358979 / w;
    CHECK(std::abs(finished.solution.events[2].t - slips - period) < 100 * rtol);
    CHECK(std::abs(finished.solution.events[3].t - sticks - period) < 100 * rtol);
    CHECK(finished.observed("slope", 0.1) == doctest::Approx(2 * normal(0.1)).epsilon(1e-6));
  });
}

TEST_CASE("a ball that is thrown along a floor starts to roll after 2v/(7 mu g)") {
  const std::string text = R"toml(
[parameters]
m = 0.6
R = 0.1
mu = 0.2
[states]
x = 0.0
y = "R"
v = 2.0
vy = 0.0
w = 0.0
[time]
end = 1.0
[derivatives]
x = "v"
y = "vy"
v = "0"
vy = "-9.81"
w = "0"
[[contacts]]
name = "floor"
gap = "y - R"
acts_on = { vy = "1/m" }
restitution = 0.5
friction = { mu = "mu", velocity = "v + R*w", acts_on = { v = "1/m", w = "R/(0.4*m*R^2)" } }
)toml";
  for_all_methods(text, [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 1);
    CHECK(event_kinds(finished.solution) == "sliding_entry");
    CHECK(std::abs(finished.solution.events[0].t - 2 * 2.0 / (7 * 0.2 * kGravity)) < 100 * rtol);
    CHECK(std::abs(finished.end(2) - 5 * 2.0 / 7) < 100 * rtol);
    CHECK(std::abs(finished.end(2) + 0.1 * finished.end(4)) < 1e-14);
  });
}

TEST_CASE("a ball that falls with friction slips or rolls off at its impacts") {
  // From the height 0.8 + R the speed is u; a ball that slips loses mu·(1 + e)·u of its speed, one that sticks two sevenths of it.
  const double u = std::sqrt(2 * kGravity * 0.8), e = 0.6;
  for (const double mu : {0.03, 0.4}) {
    for (const char* const law : {"newton", "poisson"}) {
      const std::string text =
          "[parameters]\nm = 0.6\nR = 0.1\n[states]\nx = 0.0\ny = 0.9\nv = 1.0\nvy = 0.0\nw = "
          "0.0\n[time]\nend = "
          "0.5\n[derivatives]\nx = \"v\"\ny = \"vy\"\nv = \"0\"\nvy = \"-9.81\"\nw = \"0\"\n"
          "[[contacts]]\nname = \"floor\"\ngap = \"y - R\"\nacts_on = { vy = \"1/m\" }\nrestitution = 0.6\n"
          "impact_law = \"" +
          std::string(law) + "\"\nfriction = { mu = " + std::to_string(mu) +
          ", velocity = \"v + R*w\", acts_on = { v = \"1/m\", w = \"R/(0.4*m*R^2)\" } }\n";
      for_all_methods(text, {1e-6, 1e-10}, [&](const Finished& finished, double rtol) {
        REQUIRE(finished.solution.events.size() == 1);
        CHECK(event_kinds(finished.solution) == "impact");
        const double v = mu < 0.1 ? 1 - mu * (1 + e) * u : 5.0 / 7;
        CHECK(std::abs(finished.end(2) - v) < 100 * rtol);
        CHECK(std::abs(finished.end(3) - (e * u - kGravity * (0.5 - u / kGravity))) < 100 * rtol);
      });
    }
  }
}

namespace {

// A uniform rod of length 2 and mass 1; its centre, its angle from the upright, and the slip of its lower end.
std::string rod(double phi, double w, double mu, double e, const std::string& end,
                const std::string& law = "newton", const std::string& more = "") {
  return "[parameters]\nphi0 = " + std::to_string(phi) + "\nw0 = " + std::to_string(w) +
         "\n[states]\nx = \"sin(phi0)\"\ny = \"cos(phi0)\"\nphi = \"phi0\"\nvx = \"w0*cos(phi0)" + more +
         "\"\nvy = \"-w0*sin(phi0)\"\nw = \"w0\"\n[time]\nend = " + end +
         "\n[derivatives]\nx = \"vx\"\ny = \"vy\"\nphi = \"w\"\nvx = \"0\"\nvy = \"-9.81\"\nw = "
         "\"0\"\n[[contacts]]\nname = \"tip\"\n"
         "gap = \"y - cos(phi)\"\nacts_on = { vy = \"1\", w = \"3*sin(phi)\" }\nrestitution = " +
         std::to_string(e) + "\nimpact_law = \"" + law + "\"\nfriction = { mu = " + std::to_string(mu) +
         ", velocity = \"vx - w*cos(phi)\", acts_on = { vx = \"1\", w = \"-3*cos(phi)\" } }\n";
}

}  // namespace

TEST_CASE("a rod that falls over its end sticks until its friction is used up") {
  // It turns about its end: phi'' = (3g/4)·sin phi, and T/N at the end is known by phi.
  const double phi0 = 0.1, w0 = 0.4, mu = 0.3;
  const auto squared = [&](double phi) {
    return w0 * w0 + 1.5 * kGravity * (std::cos(phi0) - std::cos(phi));
  };
  const auto left = [&](double phi) {
    const double turn = 0.75 * kGravity * std::sin(phi);
    const double along = turn * std::cos(phi) - squared(phi) * std::sin(phi);
    const double normal = kGravity - turn * std::sin(phi) - squared(phi) * std::cos(phi);
    return mu * normal - std::abs(along);
  };
  const double angle = bisected(phi0, 0.7, left);
  // Time by Simpson's rule.
  double time = 0;
  const int pieces = 20'000;
  for (int k = 0; k <= pieces; ++k) {
    const double phi = phi0 + (angle - phi0) * k / pieces;
    time += (k == 0 || k == pieces ? 1 : k % 2 == 1 ? 4 : 2) / std::sqrt(squared(phi));
  }
  time *= (angle - phi0) / pieces / 3;
  for_all_methods(rod(phi0, w0, mu, 0, "0.75"), {1e-6, 1e-8, 1e-10},
                  [&](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() >= 1);
                    CHECK(finished.solution.initial.mode.word() == "00");
                    CHECK(event_kinds(finished.solution).rfind("sliding_exit", 0) == 0);
                    CHECK(std::abs(finished.solution.events[0].t - time) < 1000 * rtol);
                    CHECK(std::abs(finished.solution.events[0].before[2] - angle) < 1000 * rtol);
                  });
}

TEST_CASE("impacts of a rod with friction are those of a contact that takes its time") {
  // The impulse as time, in many small steps: slip, stick and reversed slip as they come.
  const auto stepped = [](double phi, double u, double s, double mu, double e, bool poisson) {
    const double normal = 1 + 3 * std::sin(phi) * std::sin(phi);
    const double mixed = -3 * std::sin(phi) * std::cos(phi);
    const double slipping = 1 + 3 * std::cos(phi) * std::cos(phi);
    const double start = u;
    const double dp = 1e-6;
    double p = 0, q = 0, half = -1;
    while (true) {
      double rate = s > 0 ? -mu : mu;
      const double next = s + dp * (mixed + slipping * rate);
      if (s == 0 || next * s < 0) rate = std::clamp(-mixed / slipping - s / (slipping * dp), -mu, mu);
      u += dp * (normal + mixed * rate);
      s += dp * (mixed + slipping * rate);
      if (std::abs(s) < 1e-12) s = 0;
      p += dp;
      q += dp * rate;
      if (half < 0 && u >= 0) half = p;
      if (half >= 0 && (poisson ? p >= (1 + e) * half : u >= -e * start)) break;
    }
    return std::pair(p, q);
  };
  int cases = 0;
  for (const double phi : {-0.9, -0.3, 0.2, 0.8, 1.2}) {
    for (const double slip : {-2.0, 0.3, 2.5}) {
      for (const double mu : {0.1, 0.5, 1.0}) {
        for (const bool poisson : {false, true}) {
          const double e = 0.5;
          // It falls with its end at a height of 0.05 and the speed 1: turned by nothing, moved aside by `slip`.
          const std::string text =
              "[states]\nx = 0.0\ny = \"cos(" + std::to_string(phi) +
              ") + 0.05\"\nphi = " + std::to_string(phi) + "\nvx = " + std::to_string(slip) +
              "\nvy = -1.0\nw = 0.0\n[time]\nend = 0.051\n[derivatives]\nx = \"vx\"\ny = \"vy\"\nphi = "
              "\"w\"\nvx = \"0\"\nvy = \"0\"\nw "
              "= \"0\"\n[[contacts]]\nname = \"tip\"\ngap = \"y - cos(phi)\"\nacts_on = { vy = \"1\", w = "
              "\"3*sin(phi)\" }\n"
              "restitution = 0.5\nimpact_law = \"" +
              std::string(poisson ? "poisson" : "newton") + "\"\nfriction = { mu = " + std::to_string(mu) +
              ", velocity = \"vx - w*cos(phi)\", acts_on = { vx = \"1\", w = \"-3*cos(phi)\" } }\n";
          const Finished finished = run(text, Method::automatic, 1e-10);
          CAPTURE(phi);
          CAPTURE(slip);
          CAPTURE(mu);
          CAPTURE(poisson);
          CAPTURE(finished.solution.outcome.message);
          REQUIRE(finished.solution.outcome.succeeded());
          REQUIRE(finished.solution.events.size() >= 1);
          const auto [p, q] = stepped(phi, -1, slip, mu, e, poisson);
          CHECK(std::abs(finished.solution.events[0].after[4] - (-1 + p)) < 1e-5);
          CHECK(std::abs(finished.solution.events[0].after[3] - (slip + q)) < 1e-5);
          CHECK(std::abs(finished.solution.events[0].after[5] -
                         (3 * std::sin(phi) * p - 3 * std::cos(phi) * q)) < 2e-5);
          ++cases;
        }
      }
    }
  }
  CHECK(cases == 90);
}

TEST_CASE("a situation of Painleve is reported") {
  // The end slides towards the side on which the rod leans back: 1 + 3 sin² < mu·3 sin·cos.
  const Finished finished = run(rod(0.45, 0, 3.0, 0, "0.3", "newton", " - 2"), Method::automatic, 1e-8);
  CAPTURE(finished.solution.outcome.message);
  CHECK(finished.solution.outcome.message.find("Painlev") != std::string::npos);
  CHECK(finished.solution.outcome.t == 0);
  // To the other side it slips until it stops.
  const Finished other = run(rod(0.45, 0, 3.0, 0, "0.3", "newton", " + 2"), Method::automatic, 1e-8);
  CAPTURE(other.solution.outcome.message);
  CHECK(other.solution.outcome.t > 0);
}

TEST_CASE("a box on a box that is pulled slides on it, and takes it along where the floor lets it") {
  // The upper box (1 kg) is pulled by t newtons: friction between the boxes holds 0.5·g, the floor 0.1·(1 + 3)·g.
  const std::string text = R"toml(
[parameters]
m = 1.0
M = 3.0
[states]
x = 0.0
y = 1.0
vx = 0.0
vy = 0.0
X = 0.0
Y = 0.0
VX = 0.0
VY = 0.0
[time]
end = 12.0
[derivatives]
x = "vx"
y = "vy"
vx = "t/m"
vy = "-9.81"
X = "VX"
Y = "VY"
VX = "0"
VY = "-9.81"
[[contacts]]
name = "between"
gap = "y - Y - 1"
acts_on = { vy = "1/m", VY = "-1/M" }
restitution = 0
friction = { mu = 0.5, velocity = "vx - VX", acts_on = { vx = "1/m", VX = "-1/M" } }
[[contacts]]
name = "floor"
gap = "Y"
acts_on = { VY = "1/M" }
restitution = 0
friction = { mu = 0.1, velocity = "VX", acts_on = { VX = "1/M" } }
)toml";
  // Both start when t = 0.4 g, with the acceleration (t - 0.4g)/4; then the upper one takes T = t - (t - 0.4 g)/4 = 0.5 g at t = 1.6 g/3.
  const double both = 0.4 * kGravity, apart = (0.5 - 0.1) * kGravity * 4 / 3;
  for_all_methods(text, {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 2);
    CHECK(std::abs(finished.solution.events[0].t - both) < 100 * rtol);
    CHECK(std::abs(finished.solution.events[1].t - apart) < 100 * rtol);
    const double V = (apart - both) * (apart - both) / 8;
    const double after = 12 - apart;
    CHECK(std::abs(finished.end(6) - (V + after * (0.5 - 0.4) * kGravity / 3)) < 1000 * rtol);
    CHECK(std::abs(finished.end(2) - (V + (144 - apart * apart) / 2 - 0.5 * kGravity * after)) < 1000 * rtol);
  });
}

TEST_CASE("a chain of boxes on a floor moves as a chain of Coulomb's blocks does") {
  const auto chain = [](bool contacts) {
    std::string text =
        "[parameters]\nN = 5\nm = 1.5\nmu = 0.2\n[states]\nx = { size = \"N\", value = \"0.1*i\", ends = "
        "\"zero\" }\nv = { "
        "size = \"N\", value = \"0\", ends = \"zero\" }\n";
    if (contacts) text += "y = { size = \"N\", value = \"0\" }\nw = { size = \"N\", value = \"0\" }\n";
    text +=
        "[time]\nend = 10\n[derivatives]\nx = \"v[i]\"\nv = \"(4*(x[i-1] - 2*x[i] + x[i+1]) + 5*sin(t + i)";
    text += contacts ? ")/m\"\n" : " - mu*m*9.81*sgn(v[i]))/m\"\n";
    if (contacts)
      text +=
          "y = \"w[i]\"\nw = \"-9.81\"\n[[contacts]]\nname = \"floor\"\nsize = \"N\"\ngap = "
          "\"y[i]\"\nacts_on = { \"w[i]\" = \"1/m\" "
          "}\nrestitution = 0\nfriction = { mu = \"mu\", velocity = \"v[i]\", acts_on = { \"v[i]\" = \"1/m\" "
          "} }\n";
    return text;
  };
  for (const double rtol : {1e-5, 1e-8}) {
    const Finished a = run(chain(true), Method::automatic, rtol);
    const Finished b = run(chain(false), Method::automatic, rtol);
    REQUIRE(a.solution.outcome.succeeded());
    REQUIRE(b.solution.outcome.succeeded());
    REQUIRE(a.solution.events.size() == b.solution.events.size());
    REQUIRE(a.solution.events.size() > 20);
    for (std::size_t k = 0; k < a.solution.events.size(); ++k)
      CHECK(std::abs(a.solution.events[k].t - b.solution.events[k].t) < 1000 * rtol);
    for (Index j = 0; j < 10; ++j) CHECK(std::abs(a.end(j) - b.end(j)) < 1000 * rtol);
  }
}

TEST_CASE("the forces of a contact and of its friction are observed, alone and in expressions") {
  // A block on a slope that is thrown up and comes to rest: it slips against mu·N, and is held by m·g·sin(alpha) then.
  std::string text = block("0.3", "-3.0", "n", "0.4", "2");
  text.replace(text.find("mu = \"mu\", velocity"), 10, "name = \"grip\", mu = \"mu\", ");
  text += "[options]\nobserve = [\"slope\", \"grip\", \"part = grip/slope\"]\n";
  const double normal = 2 * kGravity * std::cos(0.3),
               turn = 3 / (kGravity * (std::sin(0.3) + 0.4 * std::cos(0.3)));
  for_all_methods(text, {1e-5, 1e-9}, [&](const Finished& finished, double) {
    for (const double t : {0.5 * turn, 0.9 * turn}) {
      CHECK(finished.observed("grip", t) == doctest::Approx(0.4 * normal).epsilon(1e-12));
      CHECK(finished.observed("part = grip/slope", t) == doctest::Approx(0.4).epsilon(1e-12));
    }
    for (const double t : {1.5, 2.0}) {
      CHECK(finished.observed("slope", t) == doctest::Approx(normal).epsilon(1e-12));
      CHECK(finished.observed("grip", t) == doctest::Approx(-2 * kGravity * std::sin(0.3)).epsilon(1e-10));
      CHECK(finished.observed("twice = 2*slope + grip", t) ==
            doctest::Approx(2 * normal - 2 * kGravity * std::sin(0.3)).epsilon(1e-10));
    }
  });
}

TEST_CASE("an open contact has neither force, and contacts with a size have numbers") {
  const Finished finished = run(R"toml(
[parameters]
N = 2
[states]
x = { size = "N", value = "0" }
y = { size = "N", value = "i - 1" }
v = { size = "N", value = "2*i" }
u = { size = "N", value = "0" }
[time]
end = 0.3
[derivatives]
x = "v[i]"
y = "u[i]"
v = "0"
u = "-9.81"
[[contacts]]
name = "floor"
size = "N"
gap = "y[i]"
acts_on = { "u[i]" = "1/i" }
restitution = 0
friction = { name = "drag", mu = 0.25, velocity = "v[i]", acts_on = { "v[i]" = "1/i" } }
)toml");
  REQUIRE(finished.solution.outcome.succeeded());
  CHECK(finished.observed("drag1", 0.2) == doctest::Approx(-0.25 * kGravity).epsilon(1e-12));
  CHECK(finished.observed("drag2", 0.2) == 0);
  CHECK(finished.observed("floor2", 0.2) == 0);
  CHECK(finished.observed("all = drag1 + drag2 + floor1", 0.2) ==
        doctest::Approx(0.75 * kGravity).epsilon(1e-12));
}

namespace {

// A brick of half sizes a and b, with feet at these places along its lower side, on a floor that falls at the angle alpha; `push` is a
// force through its centre.
std::string brick(const std::vector<double>& feet, double alpha, double mu, double vx, const std::string& end,
                  const std::string& push = "0", double restitution = 0, double height = 0) {
  std::string text =
      "[parameters]\nm = 2.0\na = 0.1\nb = 0.05\nI = \"m*(a^2 + b^2)/3\"\nalpha = " + std::to_string(alpha) +
      "\nmu = " + std::to_string(mu) + "\n[states]\nx = 0.0\ny = \"b + " + std::to_string(height) +
      "\"\nth = 0.0\nvx = " + std::to_string(vx) + "\nvy = 0.0\nw = 0.0\n[time]\nend = " + end +
      "\n[derivatives]\nx = \"vx\"\ny = \"vy\"\nth = \"w\"\nvx = \"9.81*sin(alpha) + (" + push +
      ")/m\"\nvy = \"-9.81*cos(alpha)\"\nw = \"0\"\n";
  for (std::size_t k = 0; k < feet.size(); ++k) {
    const std::string foot = std::to_string(feet[k]);
    const std::string across = "(" + foot + "*cos(th) + b*sin(th))",
                      up = "(" + foot + "*sin(th) - b*cos(th))";
    const std::string number = std::to_string(k + 1);
    text += "[[contacts]]\nname = \"N" + number + "\"\ngap = \"y + " + up +
            "\"\nacts_on = { vy = \"1/m\", w = \"" + across +
            "/I\" }\nrestitution = " + std::to_string(restitution) + "\nfriction = { name = \"F" + number +
            "\", mu = \"mu\", velocity = \"vx - w*" + up + "\", acts_on = { vx = \"1/m\", w = \"-" + up +
            "/I\" } }\n";
  }
  return text;
}

const std::vector<std::vector<double>>& feet_of_bricks() {
  static const std::vector<std::vector<double>> feet = {
      {-0.1, 0.1}, {-0.1, 0.03, 0.1}, {-0.1, -0.04, 0.03, 0.1}};
  return feet;
}

}  // namespace

TEST_CASE("a brick on several feet slides to rest, on a floor and up a slope, and stays") {
  for (const std::vector<double>& feet : feet_of_bricks()) {
    for (const double alpha : {0.0, 0.2}) {
      for (const double v : {-2.0, 2.0}) {
        const double mu = 0.3,
                     slowing = kGravity * (mu * std::cos(alpha) - (v > 0 ? 1 : -1) * std::sin(alpha));
        CAPTURE(feet.size());
        CAPTURE(alpha);
        CAPTURE(v);
        for_all_methods(brick(feet, alpha, mu, v, "3"), {1e-6}, [&](const Finished& finished, double rtol) {
          REQUIRE(finished.solution.events.size() == 1);
          CHECK(std::abs(finished.solution.events[0].t - std::abs(v) / slowing) < 100 * rtol);
          CHECK(std::abs(finished.end(0) - v * std::abs(v) / (2 * slowing)) < 100 * rtol);
          CHECK(std::abs(finished.end(2)) < 1e-12);
          CHECK(std::abs(finished.end(3)) < 1e-12);
        });
      }
    }
  }
}

TEST_CASE("a brick that is pushed ever harder starts when friction of all its feet is used up") {
  // The push t·N breaks it away at mu·m·g, whatever the feet have shared until then.
  for (const std::vector<double>& feet : feet_of_bricks()) {
    const double mu = 0.3, m = 2, starts = mu * m * kGravity;
    CAPTURE(feet.size());
    for_all_methods(brick(feet, 0, mu, 0, "8", "t"), {1e-6}, [&](const Finished& finished, double rtol) {
      const double after = 8 - starts;
      CHECK(std::abs(finished.end(3) - after * after / (2 * m)) < 1000 * rtol);
      CHECK(std::abs(finished.end(0) - after * after * after / (6 * m)) < 1000 * rtol);
      const auto sum_of = [&](const std::string& what, double t) {
        std::string sum = "sum = " + what + "1";
        for (std::size_t k = 2; k <= feet.size(); ++k) sum += " + " + what + std::to_string(k);
        return finished.observed(sum, t);
      };
      // The floor carries the weight and holds the push, while the brick sticks, and up to mu·m·g.
      for (const double t : {1.0, 3.0, 5.5, 7.0}) {
        CHECK(sum_of("N", t) == doctest::Approx(m * kGravity).epsilon(1e-9));
        CHECK(sum_of("F", t) == doctest::Approx(-std::min(t, starts)).epsilon(1e-9));
      }
      // Of the forces with these sums, and with the moment of the push's line, those of smallest norm push and stay in their bounds.
      for (std::size_t k = 1; k <= feet.size(); ++k) {
        const double push = finished.observed("N" + std::to_string(k), 3),
                     drag = finished.observed("F" + std::to_string(k), 3);
        CHECK(push >= 0);
        CHECK(std::abs(drag) <= mu * push * (1 + 1e-9));
      }
    });
  }
}

TEST_CASE("a tall brick rocks from foot to foot to rest, though sliding friction would tip it over") {
  // Each change of feet leaves 1 - 3/2·a²/(a² + b²) of the turn (Housner 1963). The friction of a slip, however slow, would lift a foot at
  // rest, since mu·b > a.
  std::string text = brick({-0.1, 0.1}, 0, 0.8, 0, "4");
  for (const auto& [part, other] : {std::pair<std::string, std::string>{"b = 0.05", "b = 0.2"},
                                    {"th = 0.0", "th = 0.1"},
                                    {"y = \"b + 0.000000\"", "y = \"a*sin(0.1) + b*cos(0.1)\""}})
    text.replace(text.find(part), part.size(), other);
  for_all_methods(text, {1e-4, 1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.outcome.reached_end());
    CHECK(finished.solution.events.size() < 200);
    Index changes = 0;
    for (const EventRecord& event : finished.solution.events) {
      if (event.kind != EventKind::contact || changes == 3) continue;
      CHECK(std::abs(event.after[5] / event.before[5] - 0.7) < 100 * rtol);
      ++changes;
    }
    CHECK(changes == 3);
    // No foot has slipped.
    CHECK(std::abs(finished.end(0) - 0.1 * (1 - std::cos(0.1)) - 0.2 * std::sin(0.1)) < 100 * rtol);
    CHECK(std::abs(finished.end(1) - 0.2) < 1e-12);
    for (const Index at_rest : {2, 3, 4, 5}) CHECK(std::abs(finished.end(at_rest)) < 1e-12);
  });
}

TEST_CASE("in a ring of frictions a continuum of motions is said") {
  // As many frictions as bodies: a common change of all forces speeds up all bodies and no friction slips.
  for (const char* const count : {"3", "5"}) {
    CAPTURE(count);
    const Finished finished = run(std::string("[parameters]\nN = ") + count +
                                  "\n[states]\nv = { size = \"N\", value = \"0\", ends = \"periodic\" }\n"
                                  "[time]\nend = 1.0\n[derivatives]\n"
                                  "v = \"0.1*sin(1.3*i) - 0.3*sgn(v[i] - v[i-1])\"\n");
    REQUIRE(finished.solution.outcome.status == Status::ambiguous);
    CHECK(finished.solution.events.back().continuations.size() == 2);
    CHECK(finished.solution.outcome.message.find("not independent") != std::string::npos);
  }
}

TEST_CASE("what is wrong with the friction of a contact is told with its place") {
  const auto told_by = [](const std::string& friction) -> std::string {
    std::string text = block("0.3", "0.0", "n", "0.4", "1");
    const std::size_t place = text.find("friction = ");
    text.replace(place, text.find('\n', place) - place, friction);
    try {
      parse_model(text, "c.toml").instantiate({});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(told_by("friction = { mu = -0.1, velocity = \"vs\", acts_on = { vs = \"1/m\" } }"),
            "out of range"));
  CHECK(
      has(told_by("friction = { mu = 0.1, velocity = 2, acts_on = { vs = \"1/m\" } }"), "can never be met"));
  CHECK(has(told_by("friction = { mu = 0.1, acts_on = { vs = \"1/m\" } }"), "lacks a key"));
  CHECK(has(told_by("friction = { mu = 0.1, velocity = \"vs\" }"), "lacks a key"));
  CHECK(has(told_by("friction = { mu = 0.1, velocity = \"sgn(vs)\", acts_on = { vs = \"1/m\" } }"),
            "a discontinuity"));
  CHECK(has(told_by("friction = { mu = 0.1, veloctiy = \"vs\", acts_on = { vs = \"1/m\" } }"),
            "did you mean 'velocity'"));
  CHECK(has(told_by("friction = { mu = 0.1, velocity = [\"vs\", \"vn\"], acts_on = { vs = \"1/m\" } }"),
            "two of them, acts_on = ["));
  CHECK(has(told_by("friction = 0.3"), "a table"));
}
