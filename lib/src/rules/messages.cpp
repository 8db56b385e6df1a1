#include "rules/messages.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/number_text.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"

namespace slideway {

namespace {

// Surfaces of which a message names the sides where it cannot spell modes out.
constexpr std::size_t kMostDifferencesNamed = 6;

// "; w- = 1e-9, w+ = 0": what counted as zero at one surface.
std::string components_of(const EventRecord& event) {
  const bool is_two_fold = event.kind == EventKind::two_fold && event.w_minus.size() == 1;
  if (!is_two_fold || !std::isfinite(event.w_minus.front())) return {};
  return "; w- = " + number_text(event.w_minus.front()) + ", w+ = " + number_text(event.w_plus.front());
}

// Messages look at the names of this many last events of a cycle, and name the second number of them.
constexpr std::size_t kLastOfCycle = 400;
constexpr std::size_t kMostMembersNamed = 6;

// "reset 'bounce', transition 'up' on -> off".
std::string label(const EventRecord& record) {
  return std::string(to_string(record.kind)) + (record.name ? " '" + *record.name + "'" : "") +
         (record.from_location && record.to_location && record.from_location != record.to_location
              ? " " + *record.from_location + " -> " + *record.to_location
              : "");
}

// "; 'fire' fires on entering 'off', where its guard is beyond zero": why an edge takes part that no crossing sets off.
std::string why_on_entry(const std::vector<EventRecord>& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->reason.rfind(reason::kBeyondAlready, 0) != 0 || !record->from_location) continue;
    const std::string edge = record->name ? "'" + *record->name + "'" : "an edge without a name";
    return "; " + edge + " fires on entering '" + *record->from_location +
           "', where its guard is beyond zero already: an edge watches a condition, not a crossing";
  }
  return {};
}

// The names of the members that have fired lately, each once.
std::string members_of(const std::vector<EventRecord>& records) {
  std::vector<std::string> members;
  for (std::size_t k = records.size() - std::min(kLastOfCycle, records.size()); k < records.size(); ++k) {
    const std::string member = label(records[k]);
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(member);
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(kMostMembersNamed, members.size()); ++k)
    text += (text.empty() ? "" : ", ") + members[k];
  if (members.size() > kMostMembersNamed)
    text += " and " + std::to_string(members.size() - kMostMembersNamed) + " more";
  return text;
}

// "+0, 00", and of modes too long to be read the sides in which they differ: "(h3 +), (h3 0)".
std::string words_of(const RunState& now, const std::vector<Mode>& modes) {
  std::vector<Index> different;
  for (Index i = 0; !modes.empty() && i < modes.front().size(); ++i) {
    if (std::any_of(modes.begin(), modes.end(),
                    [&](const Mode& mode) { return mode[i] != modes.front()[i]; }))
      different.push_back(i);
  }
  const std::size_t named = std::min(different.size(), kMostDifferencesNamed);
  std::string words;
  for (const Mode& mode : modes) {
    words += words.empty() ? "" : ", ";
    if (is_readable(mode)) {
      words += now.as_shown(mode).word();
      continue;
    }
    words += '(';
    for (std::size_t k = 0; k < named; ++k)
      words += (k > 0 ? ", " : "") + now.surface_name(different[k]) + ' ' + to_character(mode[different[k]]);
    words += named < different.size() ? ", …)" : ")";
  }
  return words;
}

// "lambda = 0.2 on 'a', -0.4 on 'b'": what the motions of one mode differ by.
std::string relays_of(const RunState& now, const PossibleMotion& motion) {
  std::string text = "lambda =";
  std::size_t named = 0;
  for (Index i = 0; i < motion.mode.size() && i < motion.lambda.size(); ++i) {
    if (!motion.mode.slides_on(i)) continue;
    if (named++ == kMostDifferencesNamed) return text + ", …";
    text += (named > 1 ? ", " : " ") + number_text(motion.lambda[i]) + " on '" + now.surface_name(i) + "'";
  }
  return text;
}

std::string where_of(const RunState& now, std::span<const Index> surfaces) {
  return surfaces.empty() ? "the guards" : now.names(surfaces);
}

}  // namespace

void finish_undecided(const RunState& now, const Resolution& resolution, RunLog& log) {
  const std::string where = now.names(resolution.event.surfaces) + " at t = " + number_text(now.t);
  const std::string why = " (" + resolution.event.reason + components_of(resolution.event) + ")";
  if (!resolution.several) {
    // A block at rest on its base: both fields turn back, and what keeps it there is sliding of second order.
    const bool may_rest = resolution.event.kind == EventKind::two_fold;
    log.finish(
        Status::step_failure,
        "what follows on " + where + " could not be decided" + why +
            (may_rest ? "; if the state rests there, let it do so in a location of its own, with edges to "
                        "it and from it"
                      : "; start a little beside this state, or change the parameters a little"));
    return;
  }
  const SeveralMotions& several = *resolution.several;
  const std::string motions = several.one_mode()
                                  ? "; mode " + words_of(now, {several.motions().front().mode}) +
                                        " continues with " + relays_of(now, several.motions()[0]) +
                                        ", and with " + relays_of(now, several.motions()[1])
                                  : "; modes that continue: " + words_of(now, several.modes());
  log.finish_ambiguous(several, "the continuation on " + where + " is not unique" + why + motions +
                                    "; choose one with on_ambiguity: minus, plus or slide, or follow all "
                                    "with branches");
}

std::string returning_text(const RunState& now, std::span<const Index> surfaces) {
  Index largest = 0;
  const bool overflows = now.x.cwiseAbs().maxCoeff(&largest) > kLargeState;
  return "the solution keeps returning to " + where_of(now, surfaces) + " near t = " + number_text(now.t) +
         " without leaving it or sliding: " +
         (overflows
              ? "'" + now.here->system.state_names()[static_cast<std::size_t>(largest)] + "' is " +
                    number_text(now.x[largest]) +
                    ", and products of such numbers are infinite; choose units in which it is smaller"
              : std::string("the motion beside it is smaller than the tolerances; tighten rtol and atol"));
}

std::string turning_text(const RunState& now, std::int64_t arrivals) {
  return "guards change their signs " + std::to_string(arrivals) +
         " times in a row near t = " + number_text(now.t) +
         ", and nothing follows from that: a sign must depend on the time and the state alone";
}

std::string accumulating_text(const RunState& now, const EventRecord& last, std::span<const Index> surfaces,
                              double span) {
  const bool has_components = last.w_minus.size() == 1 && std::isfinite(last.w_minus.front());
  return "events on " + where_of(now, surfaces) + " accumulate: the last " +
         std::to_string(kChatteringEvents) + " took " + number_text(span) +
         " before t = " + number_text(now.t) +
         "; sliding does not take over because w- and w+ do not push onto the surface from both sides" +
         (has_components ? " (w- = " + number_text(last.w_minus.front()) +
                               ", w+ = " + number_text(last.w_plus.front()) + ")"
                         : std::string());
}

std::string endless_text(const RunState& now, const std::vector<EventRecord>& records) {
  return "events set each other off without end at t = " + number_text(now.t) +
         " and no time passes between them: " + members_of(records) + why_on_entry(records) +
         "; check the guards and what the resets set";
}

EntryWarning left_at_zero_warning(const RunState& now, Index event) {
  const std::string& name = now.here->watch[event].name;
  const std::string opening =
      (name.empty() ? "a reset without a name" : "reset '" + name + "'") + " leaves its guard at zero";
  return EntryWarning{
      opening,
      opening + " at t = " + number_text(now.t) +
          ", and the motion goes on past zero: it does not fire again before the guard has been back "
          "on its own side; what holds a state at a limit is its derivative, as if(x >= limit and f > "
          "0, 0, f), or a contact"};
}

std::optional<EntryWarning> way_back_warning(const RunState& now, Index event) {
  EventWatch& watch = now.here->watch;
  if (now.here->contacts && !now.regime.contacts.closed.empty()) return std::nullopt;
  Vector h(now.here->system.surfaces());
  Vector velocity(now.x.size());
  try {
    now.here->evaluator.guards(now.t, now.x, h);
    // The velocity on a surface is not known before the mode is.
    if (!h.allFinite() || (h.array() == 0).any()) return std::nullopt;
    now.here->evaluator.field(now.t, now.x, h.array().sign().matrix(), velocity);
  } catch (const std::exception&) {
    // The run leaves the location at once, so its field need not have a value here.
    return std::nullopt;
  }
  const double rate = now.here->guards.side(event) * watch.rate(now.t, now.x, velocity, event);
  if (!(rate > watch.rate_rounding(now.t, now.x, velocity, event))) return std::nullopt;
  const std::string name =
      watch[event].name.empty() ? "an edge without a name" : "edge '" + watch[event].name + "'";
  const std::string opening = name + " fired on entry of '" + now.here->name + "'";
  return EntryWarning{
      opening,
      opening + " at t = " + number_text(now.t) + ": its guard was " +
          number_text(std::abs(now.here->event_value(now.t, now.x, event))) +
          " past zero already, and on the way back; with across_jumps = false the edge waits for a crossing"};
}

}  // namespace slideway
