// The gallery, flow, heat and life: model files beside what is known of them, a closed form, a period or a balance. What is
// expected is computed here from the formulas, not taken from a run.
#include <cmath>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("the evaporator settles where the overflow carries what the drain does not") {
  const GalleryRun run = follow("evaporator");
  CHECK(run.final("L") == near(0.1, 1e-12));
  CHECK(run.final("p") == near(std::sqrt(0.1 * (0.25 - 0.1) / 2)));
}

TEST_CASE("the cycle of the thermostat has the period of the closed form") {
  const GalleryRun run = follow("thermostat");
  const double tau = 60;
  const double heated = 5 + tau * 0.5;
  const double period =
      tau * std::log((heated - 19) / (heated - 21)) + tau * std::log((21 - 5.0) / (19 - 5.0));
  const auto switches = times(run.events(EventKind::transition));
  REQUIRE(switches.size() > 10);
  CHECK(switches[0] == near(tau * std::log((heated - 15) / (heated - 21))));
  for (std::size_t i = 2; i < switches.size(); ++i) CHECK(switches[i] - switches[i - 2] == near(period));
}

TEST_CASE("each of a hundred thermostats has the cycle of its closed form") {
  const GalleryRun run = follow("thermostats");
  std::size_t switches = 0;
  for (int house = 1; house <= 100; ++house) {
    const double tau = 2 * 10 * (0.8 + 0.4 * house / 100.0);
    const double cooled = 32 - 2.0 * 14;
    const double on = tau * std::log((20.25 - cooled) / (19.75 - cooled));
    const double off = tau * std::log((32 - 19.75) / (32 - 20.25));
    const auto switched_off = times(run.events(EventKind::reset, "off" + std::to_string(house)));
    const auto switched_on = times(run.events(EventKind::reset, "on" + std::to_string(house)));
    const double first = tau * std::log((20 - cooled) / (19.75 - cooled));
    REQUIRE(switched_off.size() == static_cast<std::size_t>((6 - first) / (on + off)) + 1);
    for (std::size_t k = 0; k < switched_off.size(); ++k)
      CHECK(switched_off[k] == near(first + static_cast<double>(k) * (on + off), 1e-6));
    REQUIRE(switched_on.size() == static_cast<std::size_t>((6 - first + on) / (on + off)));
    for (std::size_t k = 0; k < switched_on.size(); ++k)
      CHECK(switched_on[k] == near(first + off + static_cast<double>(k) * (on + off), 1e-6));
    switches += switched_off.size() + switched_on.size();
  }
  CHECK(run.solution.events.size() == switches);
}

TEST_CASE("the neuron fires at its rate") {
  const GalleryRun run = follow("integrate_and_fire");
  EventLog spikes;
  for (const EventRecord& event : run.events(EventKind::transition, "spike")) spikes.push_back(event);
  const double charging = 10 * std::log(20.0 / (20.0 - 15.0));
  REQUIRE(spikes.size() == 6);
  CHECK(spikes[0].t == near(charging, 1e-6));
  for (std::size_t i = 1; i < spikes.size(); ++i)
    CHECK(spikes[i].t - spikes[i - 1].t == near(charging + 2, 1e-6));
}

TEST_CASE("the heat in the rod is what came in minus what the relay took") {
  const GalleryRun run = follow("heat_rod");
  const EventLog exits = run.events(EventKind::sliding_exit, "relay");
  REQUIRE(exits.size() == 1);
  CHECK(run.after(exits[0], "u20") == near(0.2, 1e-10));
  const auto mean = [](const Vector& x) { return x.head(20).mean(); };
  CHECK(mean(exits[0].after) == near(0.25 * exits[0].t * exits[0].t - run.after(exits[0], "removed"), 1e-6));
  CHECK(mean(run.solution.final.state) == near(0.25 * 16 - run.final("removed"), 1e-6));
  // Much later than the rod needs to conduct, the flux arrives late by a constant: N^2 (u19 - u20) = 1 when the relay is exhausted.
  CHECK(20 * (run.after(exits[0], "u19") - run.after(exits[0], "u20")) == near(1, 1e-6));
}

TEST_CASE("the first tank stays at its edge until the pump stops, then drains by the law of Torricelli") {
  const GalleryRun run = follow("three_tanks");
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == EventKind::sliding_entry);
  CHECK(run.before(events[1], "h1") == near(0.6, 1e-10));
  CHECK(events[1].t == near(450));
  CHECK(events[1].kind == EventKind::corner);
  const double rate = run.parameter("hole") * std::sqrt(2 * 9.81) / (2 * run.parameter("area"));
  CHECK(run.final("h1") == near(std::pow(std::sqrt(0.6) - 150 * rate, 2)));
}

TEST_CASE("the harvested populations settle at the pseudo-equilibrium") {
  const GalleryRun run = follow("harvesting");
  const double prey = root(0.5, 1, [](double x) { return (1 - x) * (0.33 + x) - 0.36 * 0.5; });
  CHECK(run.final("x") == near(prey));
  CHECK(run.final("y") == near(0.5, 1e-12));
  CHECK(run.solution.final.mode.word() == "0");
}

TEST_CASE("the ocean box relaxes exponentially between the switches of its convection, in a cycle") {
  const GalleryRun run = follow("welander");
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() > 10);
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    const double mixing = events[i].to->word() == "+" ? 5 : 0;
    const double s = events[i + 1].t - events[i].t;
    const auto relaxed = [&](const std::string& state, double rate, double rest) {
      return rest + (run.after(events[i], state) - rest) * std::exp(-rate * s);
    };
    CHECK(run.after(events[i + 1], "T") == near(relaxed("T", 1 + mixing, 1 / (1 + mixing))));
    CHECK(run.after(events[i + 1], "S") == near(relaxed("S", 0.5 + mixing, 0.5 / (0.5 + mixing))));
  }
  const std::size_t last = events.size() - 1;
  CHECK(events[last].t - events[last - 2].t == near(events[last - 2].t - events[last - 4].t, 1e-6));
}

TEST_CASE(
    "a fall through the standard atmosphere meets the pressures of its tables, in the time of the jump") {
  const GalleryRun run = follow("stratosphere_fall");
  const auto at_height = [&](const char* knot) {
    const EventLog crossings = run.events(EventKind::crossing, knot);
    REQUIRE(crossings.size() == 1);
    return run.after(crossings.front(), "p");
  };
  // Table I of the publication, Pa.
  CHECK(at_height("h - 32000") == near(868.0187, 1e-5));
  CHECK(at_height("h - 20000") == near(5474.889, 1e-5));
  CHECK(at_height("h - 11000") == near(22632.06, 1e-5));
  const double below = 101325 * std::pow(1 - 0.0065 * run.final("h") / 288.15, run.parameter("G") / 0.0065);
  CHECK(run.final("p") == near(below, 1e-5));
  CHECK(run.solution.outcome.t == near(260, 0.01));
  const EventLog fastest = run.events(EventKind::record, "fastest");
  REQUIRE(fastest.size() == 1);
  CHECK(-run.after(fastest.front(), "v") == near(377, 0.06));
}
