#include "simulate/guard_table.hpp"

#include <doctest/doctest.h>

#include "slideway/model/system.hpp"

using namespace slideway;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Two events on x: one that falls, and one in any direction.
EventWatch two_events() {
  SystemDefinition definition;
  definition.states = 1;
  definition.state_names = {"x"};
  definition.field = [](double, ConstVectorRef, ConstVectorRef, VectorRef dx) { dx[0] = 1; };
  for (const Direction direction : {Direction::falling, Direction::any}) {
    Event event;
    event.when = Guard([](double, ConstVectorRef x) { return x[0]; });
    event.direction = direction;
    definition.events.push_back(event);
  }
  return EventWatch(System(definition));
}

GuardTable surfaces(Index count) {
  GuardTable table(count, 0, two_events());
  table.begin(0);
  return table;
}

}  // namespace

TEST_CASE("a surface is away for as long as it has not been met") {
  const EventWatch watch = two_events();
  GuardTable table(2, 0, watch);
  table.begin(1);
  table.meet({1}, false, 3, 0);
  CHECK(table.away(0, 4) == 3);
  CHECK(table.away(1, 4) == 1);
  // A third, in another location, is met where that is entered.
  GuardTable next(3, 0, watch);
  next.take_over(table, watch, watch, 5);
  CHECK(next.away(1, 6) == 3);
  CHECK(next.away(2, 6) == 1);
  CHECK(next.surfaces_left() == std::vector<Index>{1});
  CHECK(next.surface(2).allowance == 0);
}

TEST_CASE("what is being left stays in mind when something else is met, until it is dropped") {
  GuardTable table = surfaces(3);
  table.meet({0, 2}, false, 1, 0);
  table.keep_earlier();
  table.keep_earlier();
  table.meet({1}, false, 2, 0);
  CHECK(table.surfaces_left() == std::vector<Index>{1});
  CHECK(table.surface(0).left_earlier);
  CHECK(table.surface(2).left_earlier);
  table.drop(2);
  CHECK(!table.surface(2).left_earlier);
  table.drop(1);
  CHECK(table.surfaces_left().empty());
  CHECK(table.leaves_any());
  table.forget_earlier_if([](Index i) { return i == 0; });
  CHECK(!table.leaves_any());
}

TEST_CASE("vain returns are those to the same surfaces in a row") {
  GuardTable table = surfaces(2);
  for (int k = 0; k < 3; ++k) {
    table.meet({0}, false, k, 0);
    table.note_return(false, 1);
    CHECK(table.vain_returns() == k + 1);
  }
  table.meet({0, 1}, false, 3, 0);
  table.note_return(false, 1);
  CHECK(table.vain_returns() == 1);
  table.note_return(true, 1);
  CHECK(table.vain_returns() == 0);
}

TEST_CASE("contacts that open and others that still touch are each listed once") {
  GuardTable table(1, 8, two_events());
  table.leave_contact(7);
  table.leave_contacts({3, 1}, {1, 2});
  CHECK(table.contacts_left() == std::vector<Index>{1, 2, 3});
  table.leave_contacts({});
  CHECK(table.contacts_left().empty());
}

TEST_CASE(
    "a surface that is left counts from above its rounding, and unarmed from below what errors may make of "
    "it") {
  GuardTable table = surfaces(2);
  Mode mode(2);
  mode.set(0, Side::plus);
  mode.set(1, Side::sliding);
  table.meet({0}, false, 1, 0);
  table.start_slots(mode);
  table.start_surface(0, -1e-3, 1e-10, 1e-6, 100);
  CHECK(table.arm_above()[0] == doctest::Approx(4e-10));
  CHECK(table.arrive_below()[0] == doctest::Approx(1e-3 + 4e-10 + 4e-6));
  // Its second slot is empty; both exits of the surface that slides count at once.
  CHECK(table.arm_above()[1] == kNever);
  CHECK(table.arm_above().segment(2, 2) == Vector::Zero(2));
  // An event elsewhere does not add to what was allowed at its own.
  table.keep_earlier();
  table.meet({1}, false, 2, 0);
  table.start_surface(0, -1, 1e-10, 1, 100);
  CHECK(table.arrive_below()[0] == doctest::Approx(1e-3 + 4e-10 + 4e-6));
}

TEST_CASE(
    "an event that has crossed zero waits until it is clear of it; one in any direction for the way back") {
  GuardTable table = surfaces(0);
  table.see(0, true);
  table.see(1, true);
  CHECK(table.event(0).armed);
  CHECK(table.event(1).was_ahead);
  table.cross(0, 1e-9, 0);
  table.cross(1, 1e-9, 1e-6);
  CHECK(!table.event(0).armed);
  CHECK(table.side(0) == 1);
  CHECK(table.side(1) == -1);
  CHECK(table.event(0).allowance == kNever);
  CHECK(table.event(1).allowance == doctest::Approx(4e-6 + 1e-9));
  const GuardTable::EventSizes sizes{.value = -1e-9, .rounding = 1e-12, .tolerance = 1e-6, .clear = 1e-8};
  table.start_event(0, sizes, false, 100);
  CHECK(table.arm_above()[0] == 1e-8);
  CHECK(table.arrive_below()[0] == kNever);
  // Constraints that hold it leave no side: it takes the one to which it comes off.
  table.start_event(1, sizes, true, 100);
  CHECK(table.arm_above()[1] == doctest::Approx(1e-8 + 1e-4));
  table.start_event(1, sizes, false, 100);
  CHECK(table.event(1).undecided);
  table.take_other_side(1);
  CHECK(table.side(1) == 1);
}

TEST_CASE("what the run has seen of an event goes with it to another location") {
  const EventWatch watch = two_events();
  GuardTable one(0, 0, watch), other(0, 0, watch);
  one.set_has_fired(0);
  one.see(1, true);
  other.take_over(one, watch, watch, 1);
  // Guards are the same only where they are copies of one.
  CHECK(other.event(0).has_fired);
  CHECK(other.event(1).was_ahead);
  CHECK(!other.event(1).armed);
}
