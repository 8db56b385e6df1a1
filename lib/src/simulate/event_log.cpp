#include "slideway/simulate/event_log.hpp"

#include <iomanip>
#include <ios>
#include <ostream>
#include <sstream>

namespace slideway {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::crossing: return "crossing";
    case EventKind::sliding_entry: return "sliding_entry";
    case EventKind::sliding_exit: return "sliding_exit";
    case EventKind::corner: return "corner";
    case EventKind::grazing: return "grazing";
    case EventKind::reset: return "reset";
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
  // Formatted apart, so that the caller's stream keeps its own precision and width.
  std::ostringstream line;
  line << "t = " << std::setprecision(10) << event.t << "  " << to_string(event.kind);
  for (const std::string& name : event.surface_names) line << "  " << name;
  line << "  " << (event.from ? event.from->word() : "(start)") << " -> "
       << (event.to ? event.to->word() : "(stop)");
  if (!event.reason.empty()) line << "  " << event.reason;
  return out << line.str();
}

}  // namespace slideway
