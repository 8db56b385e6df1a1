#include "rules/instant_records.hpp"

#include <utility>

#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

EventRecord InstantRecords::note(Index event, EventKind kind, int round) {
  now_.here->guards.set_has_fired(event);
  EventRecord record = now_.begun(kind);
  now_.end(record);
  record.name = optional_name(now_.here->watch[event].name);
  record.round = round;
  record.reason = kind == EventKind::stop ? reason::kStops : reason::kCrosses;
  return record;
}

void InstantRecords::finish_stopped(Index event) {
  const std::string& name = now_.here->watch[event].name;
  log_.finish(Status::stopped_by_event, name.empty() ? "" : "stopped by '" + name + "'");
}

void InstantRecords::publish() {
  while (instant_.published < instant_.records.size()) {
    EventRecord record = instant_.records[instant_.published];
    if (instant_.at_start && instant_.published == 0) record.from.reset();
    ++instant_.published;
    log_.report(std::move(record));
  }
}

// publish_what_happened() is called where something has been thrown: the records describe the state as it is.
void InstantRecords::publish_what_happened() {
  while (instant_.published < instant_.records.size()) {
    try {
      publish();
    } catch (...) {
      // The exception came from an observer: the record is in the log.
    }
  }
}

void InstantRecords::note_member(Index what) {
  jumps_.note(what);
  if (!instant_.members.insert(what).second) instant_.fired_again = true;
}

void InstantRecords::begin_round() {
  if (instant_.fired_again) ++instant_.repeats;
  instant_.fired_again = false;
  ++instant_.round;
}

}  // namespace slideway
