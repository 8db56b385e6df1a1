// The gallery, dry friction: model files beside what is known of them, a closed form, a period or a balance. What is
// expected is computed here from the formulas, not taken from a run.
#include <algorithm>
#include <cmath>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("a block without a spring starts and stops at the times of the closed form") {
  const GalleryRun run = follow("filippov_dry_friction");
  const double F = run.parameter("F");
  const double start = std::asin(F);
  const double stop =
      root(start + 0.5, 2 * pi, [&](double t) { return std::cos(start) - std::cos(t) - F * (t - start); });
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() > 8);
  CHECK(run.solution.initial.mode.word() == "0");
  // Each half period of the drive moves it once, to the right and to the left in turn.
  for (std::size_t k = 0; k < 4; ++k) {
    CAPTURE(k);
    const double later = static_cast<double>(k) * pi;
    CHECK(events[2 * k].kind == EventKind::sliding_exit);
    CHECK(events[2 * k].t == near(start + later));
    CHECK(events[2 * k].to->word() == (k % 2 == 0 ? "+" : "-"));
    CHECK(events[2 * k + 1].kind == EventKind::sliding_entry);
    CHECK(events[2 * k + 1].t == near(stop + later));
  }
}

TEST_CASE("friction takes from the oscillator of Duffing its force times the path") {
  const GalleryRun run = follow("duffing_friction");
  const double mu = run.parameter("mu");
  const auto potential = [](double x) { return x * x * x * x / 4 - x * x / 2; };
  double from = 2;
  std::size_t turns = 0;
  for (const EventRecord& event : run.solution.events) {
    if (event.surface_names.front() != "stick") continue;
    const double to = run.after(event, "x");
    CHECK(potential(from) - potential(to) == near(mu * std::abs(to - from), 1e-6));
    from = to;
    ++turns;
  }
  CHECK(turns >= 6);
}

TEST_CASE("the block on a belt is torn off by its full friction, in a cycle") {
  const GalleryRun run = follow("leine_belt");
  const EventLog exits = run.events(EventKind::sliding_exit, "slip");
  const EventLog entries = run.events(EventKind::sliding_entry, "slip");
  REQUIRE(exits.size() >= 3);
  for (std::size_t i = 0; i < exits.size(); ++i) CHECK(run.after(exits[i], "x") == near(1));
  for (std::size_t i = 2; i < exits.size(); ++i)
    CHECK(exits[i].t - exits[i - 1].t == near(exits[1].t - exits[0].t));
  // While it sticks the belt carries it.
  for (std::size_t i = 1; i < exits.size(); ++i) {
    const EventRecord& entry =
        *std::find_if(entries.rbegin(), entries.rend(), [&](const auto& e) { return e.t < exits[i].t; });
    CHECK(exits[i].t - entry.t == near((1 - run.after(entry, "x")) / 0.2));
  }
}

TEST_CASE("the driven block on a belt lets go when spring and drive together match the friction") {
  const GalleryRun run = follow("popp_stelter");
  const EventLog exits = run.events(EventKind::sliding_exit, "slip");
  REQUIRE(exits.size() >= 2);
  for (const EventRecord& exit : exits)
    CHECK(std::abs(run.after(exit, "x") - 0.2 * std::cos(1.3 * exit.t)) == near(1));
}

TEST_CASE("the weaker block of the fault slips first, when it has been pulled with its friction") {
  const GalleryRun run = follow("burridge_knopoff");
  const EventRecord& first = run.solution.events.front();
  CHECK(run.solution.initial.mode.word() == "00");
  CHECK(first.kind == EventKind::sliding_exit);
  CHECK(first.to->word() == "+0");
  CHECK(first.t == near(10));
  // The other block holds as long as the springs pull it with less than its friction.
  const EventLog seconds = run.events(EventKind::sliding_exit, "slip2");
  REQUIRE_FALSE(seconds.empty());
  const EventRecord& second = seconds.front();
  const double pull =
      0.1 * second.t - run.after(second, "x2") + 0.6 * (run.after(second, "x1") - run.after(second, "x2"));
  CHECK(pull == near(1.3));
}

TEST_CASE("the brake holds the slip, and the car stops when the friction there says") {
  const GalleryRun run = follow("abs_brake");
  REQUIRE(run.solution.events.size() == 2);
  const EventRecord& entry = run.solution.events[0];
  CHECK(entry.kind == EventKind::sliding_entry);
  const double slip = run.parameter("s_ref");
  const double grip =
      run.parameter("c1") * (1 - std::exp(-run.parameter("c2") * slip)) - run.parameter("c3") * slip;
  const double time = (run.after(entry, "v") - 1) / (run.parameter("g") * grip);
  CHECK(run.solution.outcome.t == near(entry.t + time));
  CHECK(run.final("w") == near((1 - slip) * 1 / run.parameter("r")));
}

TEST_CASE("a block under a ramp starts at the static friction and stops when the push has been worn away") {
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    const GalleryRun run = follow("ramp_block", {.method = method});
    const double r = run.parameter("r"), kinetic = run.parameter("F_c"), off = run.parameter("t_off");
    const double start = run.parameter("F_s") / r;
    const auto speed = [&](double t) { return r * (t * t - start * start) / 2 - kinetic * (t - start); };
    REQUIRE(run.solution.events.size() == 3);
    CHECK(run.solution.events[0].t == near(start));
    CHECK(run.solution.events[1].t == near(off));
    CHECK(run.solution.events[2].t == near(off + speed(off) / kinetic));
    CHECK(run.final("v") == 0);
  }
}

TEST_CASE("a block under a sine starts at the static friction and stops where the impulses balance") {
  const GalleryRun run = follow("sine_block");
  const double kinetic = run.parameter("F_c"), start = std::asin(run.parameter("F_s"));
  const double stop = root(start + 0.5, start + 3,
                           [&](double t) { return std::cos(start) - std::cos(t) - kinetic * (t - start); });
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() == 31);
  for (std::size_t k = 0; k < events.size(); ++k) {
    const double half_turns = pi * static_cast<double>(k / 2);
    CHECK(events[k].t == near((k % 2 == 0 ? start : stop) + half_turns));
  }
}

TEST_CASE("the pin is torn off its disk by the static friction of the normal force it has then") {
  const GalleryRun run = follow("pin_on_disk");
  const EventLog torn = run.events(EventKind::sliding_exit);
  CHECK(torn.size() > 10);
  for (const EventRecord& event : torn) {
    const double x = run.before(event, "x"), y = run.before(event, "y"), v = run.before(event, "v");
    const double normal = run.parameter("N0") + run.parameter("k_n") * y;
    const double pull = run.parameter("k_x") * x + run.parameter("k_xy") * y + run.parameter("c") * v;
    CHECK(pull == near(run.parameter("mu_s") * normal));
    CHECK(v == near(run.parameter("v_d"), 1e-9));
  }
}

TEST_CASE("the loop of Dahl has the height of the closed form") {
  const GalleryRun run = follow("dahl_loop");
  const double height =
      run.parameter("F_c") * std::tanh(run.parameter("sigma") * run.parameter("A") / run.parameter("F_c"));
  const EventLog turns = run.events(EventKind::crossing);
  REQUIRE(turns.size() == 6);
  CHECK(run.before(turns[0], "F") == near(1 - std::exp(-3.0)));
  CHECK(run.before(turns[5], "F") == near(-height, 1e-6));
}

TEST_CASE("the bristles of LuGre let the block slip twice, with four reversals at each stop") {
  const GalleryRun run = follow("lugre_block", {.rtol = 1e-7});
  // By a Taylor series of order 28 in quadruple precision.
  const double reversals[] = {10.2660909412840536, 10.2764203978013766, 10.2926632434271863,
                              10.3009597155445431, 16.6288107623498700, 16.6391402188671929,
                              16.6553830644929926, 16.6636795366103594};
  const EventLog turns = run.events(EventKind::crossing);
  REQUIRE(turns.size() == 8);
  for (std::size_t k = 0; k < turns.size(); ++k) CHECK(turns[k].t == near(reversals[k], 1e-5));
  CHECK(run.final("x") == near(1.27259641232360507, 1e-5));
}

TEST_CASE("a disk pushed along a line moves like a block, and turns with its push") {
  const GalleryRun along = follow("friction_disk", {.settings = {{"B", 0.0}}, .method = Method::dopri5});
  const GalleryRun block =
      follow("sine_block", {.settings = {{"A", 0.8}, {"F_c", 0.5}, {"F_s", 0.6}}, .method = Method::dopri5});
  const EventLog& expected = block.solution.events;
  const EventLog& got = along.solution.events;
  REQUIRE(got.size() > 5);
  for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k].t == near(expected[k].t));

  const GalleryRun straight = follow("friction_disk", {.method = Method::dopri5});
  const GalleryRun turned = follow("friction_disk", {.settings = {{"alpha", 0.7}}, .method = Method::dopri5});
  REQUIRE(turned.solution.events.size() == straight.solution.events.size());
  for (std::size_t k = 0; k < got.size() && k < straight.solution.events.size(); ++k)
    CHECK(turned.solution.events[k].t == near(straight.solution.events[k].t));
  const double x = straight.final("x"), y = straight.final("y");
  CHECK(turned.final("x") == near(std::cos(0.7) * x - std::sin(0.7) * y));
  CHECK(turned.final("y") == near(std::sin(0.7) * x + std::cos(0.7) * y));

  // It starts at the circle, not at the square round it.
  const EventRecord start = straight.events(EventKind::transition, "break-away").front();
  const double p1 = 0.8 * std::sin(start.t), p2 = 0.3 * std::sin(2 * start.t);
  CHECK(std::hypot(p1, p2) == near(0.6));
  CHECK(std::max(p1, p2) < 0.55);
}
