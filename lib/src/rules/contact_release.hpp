// Contacts that open since their forces would pull.
//
// It must not know what else happens at the instant.
#pragma once

#include <vector>

#include "locate/locator.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// Contacts that have not left since they were met last cannot be met again: that is the same touch.
std::vector<Index> contacts_still_touching(const RunState& now, const Locator& locator);

// kept_closed() tells which of these contacts, which touch at rest, the forces keep closed, and how their friction goes on.
ContactModes kept_closed(const RunState& now, const std::vector<Index>& touching);

// Opens these contacts, and others that would pull without them.
void open_contacts(RunState& now, const std::vector<Index>& releases);

// Opens the contacts whose forces would pull now that the relays have changed, and adds them to `releases`.
void open_what_relays_open(RunState& now, std::vector<Index>& releases);

// Adds the contacts that open to the record of the event with which they do, or makes one of their own.
void note_releases(const RunState& now, const std::vector<Index>& releases, bool with_another,
                   EventRecord& record);

}  // namespace slideway
