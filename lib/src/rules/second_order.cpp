// ModeManager where sliding of second order begins and ends, as second_order_rules.hpp says.

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/number_text.hpp"
#include "rules/mode_manager.hpp"
#include "rules/second_order_sliding.hpp"

namespace slideway {

bool ModeManager::stay(std::optional<Stay>&& decided) {
  if (!decided) return false;
  switch_.use_in_second_order(*decided->tools, decided->surfaces);
  now_.x = decided->state;
  adopt(decided->resolution);
  for (const Index i : decided->coming) history_.flights.forget(i);
  forget_turns();
  // A surface that was met by ever shorter flights is not left by another; after a jump elsewhere the next may be as near as the
  // last.
  if (!now_.restart.jumped_at(now_.t)) now_.restart.go_on();
  if (!decided->record) return true;
  EventRecord& record = *decided->record;
  if (record.surfaces.empty() || !now_.bound().empty()) list_entered(now_, record);
  now_.end(record);
  log_.report(std::move(record));
  return true;
}

bool ModeManager::leave_second_order(const std::vector<Index>& leaving) {
  const std::vector<Index> surfaces = now_.regime.place.second_order;
  for (const SecondOrder::Bound& one : now_.bound())
    now_.regime.set(one.surface, side_with(one, now_.regime.mode()));
  std::vector<Index> staying;
  std::set_difference(surfaces.begin(), surfaces.end(), leaving.begin(), leaving.end(),
                      std::back_inserter(staying));
  if (staying.empty()) {
    const LocationTools& left = *now_.here;
    switch_.enter(now_.regime.place.location);
    now_.here->guards = left.guards;
  } else if (LocationTools* const tools = second_order_tools(now_, staying)) {
    switch_.use_in_second_order(*tools, staying);
    for (const SecondOrder::Bound& one : now_.bound()) now_.regime.set(one.surface, Side::plus);
  } else {
    log_.finish(Status::step_failure,
                "the solution leaves " + now_.names(leaving) + " at t = " + number_text(now_.t) +
                    ", and without it the speed across " + now_.names(staying) +
                    " depends on a relay: it cannot go on to slide there in second order; go on "
                    "with a run that starts here, of a model in which these stay zero");
    return false;
  }
  now_.tools.of_location(now_.regime.place.location).geometry.project(now_.t, surfaces, now_.weights, now_.x);
  return true;
}

}  // namespace slideway
