// The gallery, rough contacts and moving bodies: friction bounded by a contact's force, directional friction, runners, gears and neurons.
#include <algorithm>
#include <cmath>
#include <vector>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("a billiard ball rolls from 2 v/(7 mu g) on") {
  for (const double rtol : {1e-6, 1e-10}) {
    const GalleryRun run = follow("rolling_ball", {.rtol = rtol});
    const double v = run.parameter("v0"), mu = run.parameter("mu"), g = run.parameter("g");
    const EventLog rolls = run.events(EventKind::sliding_entry);
    REQUIRE(rolls.size() == 1);
    REQUIRE(run.solution.events.size() == 1);
    CHECK(std::abs(rolls[0].t - 2 * v / (7 * mu * g)) < 100 * rtol);
    CHECK(std::abs(run.before(rolls[0], "x") - 12 * v * v / (49 * mu * g)) < 100 * rtol);
    CHECK(std::abs(run.final("v") - 5 * v / 7) < 100 * rtol);
  }
}

TEST_CASE("a cue ball slides on a parabola until it rolls") {
  for (const double rtol : {1e-6, 1e-10}) {
    const GalleryRun run = follow("cue_ball", {.rtol = rtol});
    const double mu = run.parameter("mu"), g = run.parameter("g"), R = run.parameter("R");
    const double ux = 1.5 + 20 * R, uy = 60 * R, u = std::hypot(ux, uy);
    REQUIRE(run.solution.events.size() == 1);
    const EventRecord& rolls = run.solution.events[0];
    CHECK(rolls.kind == EventKind::sliding_entry);
    CHECK(std::abs(rolls.t - 2 * u / (7 * mu * g)) < 100 * rtol);
    CHECK(std::abs(run.before(rolls, "y") + 0.5 * mu * g * rolls.t * rolls.t * uy / u) < 100 * rtol);
    CHECK(std::abs(run.final("vx") - (1.5 - 2 * ux / 7)) < 100 * rtol);
    CHECK(std::abs(run.final("vy") + 2 * uy / 7) < 100 * rtol);
    CHECK(std::abs(run.final("wz") - 15) < 100 * rtol);
  }
}

TEST_CASE("a block on a turning table breaks away where friction is used up") {
  for (const double rtol : {1e-6, 1e-9}) {
    const GalleryRun run = follow("turntable_block", {.rtol = rtol});
    const double most = run.parameter("mu") * run.parameter("g") / run.parameter("r"), a = run.parameter("a");
    REQUIRE(run.solution.events.size() == 1);
    CHECK(run.solution.events[0].kind == EventKind::sliding_exit);
    CHECK(std::abs(run.solution.events[0].t - std::pow(most * most - a * a, 0.25) / a) < 100 * rtol);
    CHECK(std::hypot(run.final("x"), run.final("y")) > 0.5);
  }
}

TEST_CASE("a ball with spin slips through its impacts, then grips") {
  const GalleryRun run = follow("superball", {.rtol = 1e-10});
  const double e = run.parameter("e"), mu = run.parameter("mu"), g = run.parameter("g"),
               R = run.parameter("R");
  double u = std::sqrt(2 * g * (0.5 - R)), v = 3, w = 40;
  const EventLog impacts = run.events(EventKind::impact);
  REQUIRE(impacts.size() >= 5);
  for (std::size_t k = 0; k < 5; ++k) {
    const double slip = v + R * w;
    // A unit impulse along the floor changes the slip by 1 + 1/0.4.
    const double p = -std::copysign(std::min(mu * (1 + e) * u, std::abs(slip) / 3.5), slip);
    v += p;
    w += p / (0.4 * R);
    CHECK(std::abs(run.after(impacts[k], "v") - v) < 1e-8);
    CHECK(std::abs(run.after(impacts[k], "w") - w) < 1e-6);
    u *= e;
  }
  CHECK(std::abs(run.final("v") + R * run.final("w")) < 1e-9);
}

TEST_CASE("a woodpecker comes down its pole, each stroke of its beak by Moreau's law") {
  const GalleryRun run = follow("woodpecker", {.rtol = 1e-9});
  const auto p = [&](const char* name) { return run.parameter(name); };
  const EventLog strokes = run.events(EventKind::impact, "beak");
  REQUIRE(strokes.size() == 7);
  for (const EventRecord& stroke : strokes) {
    const auto change = [&](const char* state) {
      return run.after(stroke, state) - run.before(stroke, state);
    };
    const double v = change("v"), wM = change("wM"), wS = change("wS"), along = p("lG") - p("lS");
    // The momenta change by (0, 0, −hS)·P + (1, lM, lG − lS)·Q.
    const double drag = (p("mS") + p("mM")) * v + p("mS") * (p("lM") * wM + p("lG") * wS);
    const double push = (along * drag - p("mS") * p("lG") * (v + p("lM") * wM) -
                         (p("JS") + p("mS") * p("lG") * p("lG")) * wS) /
                        p("hS");
    CHECK(push > 0);
    CHECK(p("mS") * p("lM") * (v + p("lG") * wS) + (p("JM") + p("mS") * p("lM") * p("lM")) * wM ==
          doctest::Approx(p("lM") * drag).epsilon(1e-9));
    CHECK(run.after(stroke, "wS") == doctest::Approx(-p("e") * run.before(stroke, "wS")).epsilon(1e-9));
    const double slip =
        run.after(stroke, "v") + p("lM") * run.after(stroke, "wM") + along * run.after(stroke, "wS");
    CHECK(std::abs(drag) <= p("mu") * push * (1 + 1e-9));
    if (std::abs(slip) > 1e-9) {
      CHECK(drag == doctest::Approx(-std::copysign(p("mu") * push, slip)).epsilon(1e-9));
    }
  }
  // A program by the scheme of Moreau and Jean, whose error is of the order of its step, finds these with steps of 1e-6.
  CHECK(std::abs(strokes[0].t - 0.080990) < 1e-5);
  CHECK(std::abs(strokes[1].t - 0.226850) < 2e-5);
  CHECK(std::abs(strokes[2].t - 0.372930) < 2e-5);
  CHECK(std::abs(run.before(strokes[2], "y") + 0.0461999) < 1e-5);
  // Its strokes come to an even beat, the intervals from above and below by turns.
  for (std::size_t k = 3; k + 1 < strokes.size(); ++k) {
    const auto differ = [&](std::size_t i) { return strokes[i + 1].t - 2 * strokes[i].t + strokes[i - 1].t; };
    CHECK(differ(k) * differ(k - 1) < 0);
    CHECK(std::abs(differ(k)) < 0.9 * std::abs(differ(k - 1)));
  }
  CHECK(std::abs(strokes[6].t - strokes[5].t - 0.146) < 1e-4);
}

TEST_CASE("a falling rod slips at the angle at which its friction is used up") {
  for (const double rtol : {1e-6, 1e-9}) {
    const GalleryRun run = follow("falling_rod", {.rtol = rtol});
    CHECK(run.solution.outcome.status == Status::stopped_by_event);
    const double mu = run.parameter("mu"), phi0 = run.parameter("phi0");
    // In units of g, whatever the length: phi'' l/g = (3/4) sin, phi'^2 l/g = (3/2)(cos phi0 - cos).
    const auto left = [&](double phi) {
      const double turn = 0.75 * std::sin(phi), squared = 1.5 * (std::cos(phi0) - std::cos(phi));
      return mu * (1 - turn * std::sin(phi) - squared * std::cos(phi)) -
             std::abs(turn * std::cos(phi) - squared * std::sin(phi));
    };
    double low = phi0, high = 0.8;
    for (int k = 0; k < 100; ++k) (left(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    const EventLog slips = run.events(EventKind::sliding_exit);
    REQUIRE_FALSE(slips.empty());
    CHECK(std::abs(run.before(slips[0], "phi") - low) < 1000 * rtol);
  }
}

TEST_CASE("a part on a shaken track goes through the modes of a program that has them") {
  const GalleryRun run = follow("vibratory_conveyor", {.rtol = 1e-10});
  const double w = 2 * pi * run.parameter("f"), beta = run.parameter("beta"), mu = run.parameter("mu"),
               g = run.parameter("g");
  const double size = run.parameter("A") * w * w;
  const auto normal = [&](double t) { return g - size * std::sin(w * t) * std::sin(beta); };
  const auto push = [&](double t) { return size * std::sin(w * t) * std::cos(beta); };
  // Explicit modes, in small steps with the speed integrated in closed form where it slips.
  double v = 0, s = 0;
  int side = 0;
  const int steps = 2'000'000;
  const double h = run.instance.end / steps;
  for (int k = 0; k < steps; ++k) {
    const double t = (k + 0.5) * h;
    if (side == 0 && std::abs(push(t)) > mu * normal(t)) side = push(t) > 0 ? 1 : -1;
    if (side == 0) continue;
    const double next = v + h * (push(t) - side * mu * normal(t));
    s += 0.5 * h * (v + next);
    v = next;
    if (v * side < 0) {
      v = 0;
      side = std::abs(push(t)) > mu * normal(t) ? -side : 0;
    }
  }
  CHECK(std::abs(run.final("s") - s) < 1e-6);
  CHECK(run.final("s") > 0.01);
  CHECK(run.final("n") == 0);
}

TEST_CASE("a body with directional friction creeps as a program with explicit modes does") {
  const GalleryRun run = follow("vibration_robot", {.rtol = 1e-10});
  const double total = run.parameter("M") + run.parameter("m"), w = run.parameter("w");
  const double size = run.parameter("m") * run.parameter("a") * w * w, F1 = run.parameter("F1"),
               F2 = run.parameter("F2");
  double v = 0, x = 0;
  int side = 0;
  const int steps = 4'000'000;
  const double h = run.instance.end / steps;
  for (int k = 0; k < steps; ++k) {
    const double force = size * std::sin(w * (k + 0.5) * h);
    if (side == 0) side = force > F1 ? 1 : force < -F2 ? -1 : 0;
    if (side == 0) continue;
    const double next = v + h * (force - (side > 0 ? F1 : -F2)) / total;
    x += 0.5 * h * (v + next);
    v = next;
    if (v * side < 0) {
      v = 0;
      side = 0;
    }
  }
  CHECK(std::abs(run.final("x") - x) < 1e-5);
  CHECK(run.final("x") > 0.1);
}

TEST_CASE("stacked boxes start together and part where friction between them is used up") {
  const GalleryRun run = follow("stacked_boxes", {.rtol = 1e-9});
  const double g = run.parameter("g");
  REQUIRE(run.solution.events.size() == 2);
  CHECK(std::abs(run.solution.events[0].t - 0.4 * g) < 1e-7);
  CHECK(std::abs(run.solution.events[1].t - 0.4 * g * 4 / 3) < 1e-7);
}

TEST_CASE("a runner on a spring keeps its energy and comes down on the same leg many times") {
  const GalleryRun run = follow("spring_mass_runner", {.rtol = 1e-10});
  CHECK(run.solution.outcome.reached_end());
  CHECK(run.final("steps") >= 10);
  for (const EventRecord& event : run.solution.events) {
    if (event.to_location != "flight" || event.from_location == event.to_location) continue;
    const double vx = run.after(event, "vx"), vy = run.after(event, "vy"), y = run.after(event, "y");
    CHECK(std::abs(0.5 * (vx * vx + vy * vy) + y - 1 - 0.5 * 1.5967 * 1.5967) < 1e-7);
    CHECK(std::abs(std::hypot(run.after(event, "x") - run.after(event, "foot"), y) - 1) < 1e-8);
  }
}

TEST_CASE("a car shifts where its engine has the speeds of shifting") {
  const GalleryRun run = follow("car_gearbox", {.rtol = 1e-9});
  const std::vector<double> ratios = {0, 4, 2.5, 1.6, 1};
  int up = 0, down = 0;
  for (const EventRecord& event : run.solution.events) {
    if (event.kind != EventKind::reset) continue;
    const double ratio = ratios[static_cast<std::size_t>(run.before(event, "gear"))];
    const bool is_up = event.name == "up";
    CHECK(std::abs(ratio * run.before(event, "v") - (is_up ? 60 : 25)) < 1e-6);
    (is_up ? up : down) += 1;
  }
  CHECK(up == 3);
  CHECK(down >= 1);
}

TEST_CASE("Izhikevich's neuron fires in bursts, each spike where the voltage is at its peak") {
  const GalleryRun run = follow("izhikevich", {.rtol = 1e-10});
  const EventLog spikes = run.events(EventKind::reset);
  REQUIRE(spikes.size() > 10);
  double shortest = 1e9, longest = 0;
  for (std::size_t k = 1; k < spikes.size(); ++k) {
    CHECK(std::abs(run.before(spikes[k], "v") - 30) < 1e-9);
    shortest = std::min(shortest, spikes[k].t - spikes[k - 1].t);
    longest = std::max(longest, spikes[k].t - spikes[k - 1].t);
  }
  CHECK(longest > 4 * shortest);
}
