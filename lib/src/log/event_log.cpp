#include "slideway/simulate/event_log.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/number_text.hpp"

namespace slideway {

namespace {

Mode listed_part(const Mode& mode, const ShortList<Index>& surfaces) {
  Mode part(static_cast<Index>(surfaces.size()));
  for (std::size_t k = 0; k < surfaces.size(); ++k) part.set(static_cast<Index>(k), mode[surfaces[k]]);
  return part;
}

}  // namespace

void shorten(EventRecord& record) {
  if (record.before.size() > kMostStatesInEvents) record.before.resize(0);
  if (record.after.size() > kMostStatesInEvents) record.after.resize(0);
  if (record.listed_only) return;
  const auto size = [](const std::optional<Mode>& mode) { return mode ? mode->size() : 0; };
  Index entries = std::max(size(record.from), size(record.to));
  if (!record.continuations.empty()) entries = std::max(entries, record.continuations.front().size());
  if (entries <= kMostSurfacesInEvents) return;
  // Assigned a short mode, a long one would keep its memory.
  const auto shorten_mode = [&](Mode& mode) {
    Mode part = listed_part(mode, record.surfaces);
    std::swap(mode, part);
  };
  if (record.from) shorten_mode(*record.from);
  if (record.to) shorten_mode(*record.to);
  for (Mode& mode : record.continuations) shorten_mode(mode);
  for (Mode& mode : record.in_convex_hull) shorten_mode(mode);
  record.listed_only = true;
}

std::string listed_word(const EventRecord& record, const Mode& mode) {
  return record.listed_only ? mode.word() : listed_part(mode, record.surfaces).word();
}

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::crossing: return "crossing";
    case EventKind::sliding_entry: return "sliding_entry";
    case EventKind::sliding_exit: return "sliding_exit";
    case EventKind::corner: return "corner";
    case EventKind::grazing: return "grazing";
    case EventKind::reset: return "reset";
    case EventKind::sample: return "sample";
    case EventKind::transition: return "transition";
    case EventKind::impact: return "impact";
    case EventKind::contact: return "contact";
    case EventKind::release: return "release";
    case EventKind::zeno: return "zeno";
    case EventKind::repelling: return "repelling";
    case EventKind::two_fold: return "two_fold";
    case EventKind::ambiguous: return "ambiguous";
    case EventKind::record: return "record";
    case EventKind::stop: return "stop";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, const EventRecord& event) {
  std::string line = "t = " + number_text(event.t) + "  " + to_string(event.kind);
  const auto& surfaces = event.surface_names;
  if (event.name && std::find(surfaces.begin(), surfaces.end(), *event.name) == surfaces.end())
    line += "  " + *event.name;
  for (const std::string& name : surfaces) line += "  " + name;
  if (event.from_location != event.to_location)
    line += "  " + event.from_location.value_or("(start)") + " -> " + event.to_location.value_or("(stop)");
  const bool has_modes = (event.from && event.from->size() > 0) || (event.to && event.to->size() > 0);
  if (has_modes) {
    line += "  " + (event.from ? event.from->word() : "(start)") + " -> " +
            (event.to ? event.to->word() : "(stop)");
  }
  if (event.round > 1) line += "  round " + std::to_string(event.round);
  if (!event.reason.empty()) line += "  " + event.reason;
  return out << line;
}

}  // namespace slideway
