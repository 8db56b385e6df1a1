// The event log of a large system, and the text of an event.
#include <doctest/doctest.h>

#include "test/allocation_count.hpp"

#if SLIDEWAY_COUNTS_ALLOCATIONS
#include <malloc.h>
#endif

#include <sstream>

#include "models/registry.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

EventRecord record_of(Index states, Index surfaces) {
  EventRecord record;
  record.surfaces = {2, 0};
  record.from = Mode(surfaces);
  record.to = Mode(surfaces);
  record.to->set(2, Side::sliding);
  record.to->set(0, Side::minus);
  record.continuations = {*record.to, *record.from};
  record.before = Vector::Ones(states);
  record.after = Vector::Ones(states);
  return record;
}

Solution run_chain(double blocks, bool full_events) {
  const ModelInstance chain = models::find_model("friction-chain").instantiate({{"N", blocks}});
  const Simulator simulator(chain.system, {.method = Method::adams, .full_events = full_events});
  return simulator.run({.start = 0, .end = 3, .state = chain.state});
}

}  // namespace

TEST_CASE("an event is printed with its name and with what changes") {
  const auto printed = [](const EventRecord& event) {
    std::ostringstream out;
    out << event;
    return out.str();
  };
  EventRecord crossing{
      .t = 1.5, .surfaces = {0}, .surface_names = {"h1"}, .from = Mode("-"), .to = Mode("+")};
  crossing.reason = "why";
  CHECK(printed(crossing) == "t = 1.5  crossing  h1  - -> +  why");
  crossing.from.reset();
  CHECK(printed(crossing) == "t = 1.5  crossing  h1  (start) -> +  why");
  EventRecord turn{.t = 2, .kind = EventKind::record, .name = "turn", .from = Mode("-"), .to = Mode("-")};
  CHECK(printed(turn) == "t = 2  record  turn  - -> -");
  EventRecord impact{.t = 3, .kind = EventKind::impact, .surfaces = {1}, .surface_names = {"floor"}};
  impact.name = "floor";
  impact.from = impact.to = Mode("+");
  CHECK(printed(impact) == "t = 3  impact  floor  + -> +");
  EventRecord edge{.t = 4, .kind = EventKind::transition, .name = "land", .from = Mode(), .to = Mode()};
  edge.from_location = "flight";
  edge.to_location = "stance";
  CHECK(printed(edge) == "t = 4  transition  land  flight -> stance");
  edge.to_location = "flight";
  CHECK(printed(edge) == "t = 4  transition  land");
}

TEST_CASE("a record of a system of usual size is kept whole") {
  EventRecord record = record_of(kMostStatesInEvents, kMostSurfacesInEvents);
  shorten(record);
  CHECK_FALSE(record.listed_only);
  CHECK(record.from->size() == kMostSurfacesInEvents);
  CHECK(record.before.size() == kMostStatesInEvents);
  CHECK(listed_word(record, *record.to) == "0-");
}

TEST_CASE("a record of a large system keeps what changed") {
  EventRecord record = record_of(kMostStatesInEvents + 1, kMostSurfacesInEvents + 1);
  for (int time = 0; time < 2; ++time) {
    shorten(record);
    CHECK(record.listed_only);
    CHECK(record.from->word() == "++");
    CHECK(record.to->word() == "0-");
    CHECK(listed_word(record, *record.to) == "0-");
    CHECK(record.continuations.front().word() == "0-");
    CHECK(record.before.size() == 0);
    CHECK(record.after.size() == 0);
  }
}

#if SLIDEWAY_COUNTS_ALLOCATIONS
TEST_CASE("what a shortened record leaves out takes no memory any more") {
  const auto in_use = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  constexpr Index surfaces = 1'000'000;
  const std::size_t before = in_use();
  EventRecord record = record_of(1, surfaces);
  record.in_convex_hull = record.continuations;
  CHECK(in_use() > before + 6 * static_cast<std::size_t>(surfaces));
  shorten(record);
  CHECK(in_use() < before + 10'000);
}
#endif

TEST_CASE("states and surfaces have limits of their own") {
  EventRecord many_states = record_of(kMostStatesInEvents + 1, 3);
  shorten(many_states);
  CHECK_FALSE(many_states.listed_only);
  CHECK(many_states.after.size() == 0);
  EventRecord many_surfaces = record_of(10, kMostSurfacesInEvents + 1);
  shorten(many_surfaces);
  CHECK(many_surfaces.listed_only);
  CHECK(many_surfaces.after.size() == 10);
}

TEST_CASE("an event that begins or ends nothing can be shortened too") {
  EventRecord record = record_of(5, kMostSurfacesInEvents + 1);
  record.from.reset();
  record.to.reset();
  shorten(record);
  CHECK(record.listed_only);
  CHECK(record.continuations.back().word() == "++");
  EventRecord bare;
  shorten(bare);
  CHECK_FALSE(bare.listed_only);
}

TEST_CASE("the log of a long chain stores changes unless it is asked for everything") {
  const Solution changes = run_chain(120, false);
  const Solution everything = run_chain(120, true);
  REQUIRE(changes.events.size() > 50);
  REQUIRE(changes.events.size() == everything.events.size());
  for (std::size_t k = 0; k < changes.events.size(); ++k) {
    const EventRecord& few = changes.events[k];
    const EventRecord& all = everything.events[k];
    REQUIRE(few.t == all.t);
    REQUIRE(few.listed_only);
    REQUIRE(few.before.size() == 0);
    REQUIRE(few.from->size() == static_cast<Index>(few.surfaces.size()));
    REQUIRE_FALSE(all.listed_only);
    REQUIRE(all.before.size() == 240);
    REQUIRE(all.to->size() == 120);
    CHECK(few.from->word() == listed_word(all, *all.from));
    CHECK(few.to->word() == listed_word(all, *all.to));
  }
  const Solution small = run_chain(50, false);
  REQUIRE_FALSE(small.events.empty());
  CHECK(small.events.front().after.size() == 100);
  CHECK(small.events.front().to->size() == 50);
}
