#include "audit/event_audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace slideway::auditing {
namespace {

// Two times are one within this part of them: events are located, and steps end, within some ε of the clock's largest time.
constexpr double kSameTime = 1e-9;
// No motion leads a guard away from its zero and back within as many units in the last place of the time.
constexpr double kNoMotion = 64;
// The engine may add and multiply in another order than the file: a few thousand roundings, of the value that is set.
constexpr double kOrder = 1e-12;
// The list of events without a record ends here, as that of failures does (`kMostFailures`): more tell a user nothing new.
constexpr std::size_t kMostMissed = 12;

double rounding_of(double t) { return kSameTime * (1 + std::abs(t)); }

bool is_jump(EventKind kind) {
  return sets_states(kind) || kind == EventKind::impact || kind == EventKind::zeno;
}

}  // namespace

EventAudit::EventAudit(const WrittenModel& written, WrittenField& field, const ErrorsWithin& errors,
                       const std::vector<std::string>& state_names, Findings& findings)
    : field_(field),
      errors_(errors),
      state_names_(state_names),
      findings_(findings),
      events_(written_events(written, field)),
      margins_(events_.size()),
      rests_(events_.size(), 0),
      samples_(events_.size(), 0),
      last_records_(events_.size()) {
  // The log calls an event without a name by its text.
  for (std::size_t k = 0; k < events_.size(); ++k) by_name_[name_of(events_[k])].push_back(k);
}

void EventAudit::begin(double t, const Vector& x) {
  begin_ = t;
  if (x.size() == 0) return;
  WrittenTree& tree = field_.tree();
  tree.set_point(t, x.data(), nullptr, nullptr);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const WrittenEvent& event = events_[k];
    if (event.when == no_root || event.is_edge() || event.waits || tree.is_condition(event.when)) continue;
    if (tree.margin(event.when, {event.i, 0}) == 0) margins_[k] = {true, 0, t};
  }
}

double EventAudit::margin(const WrittenEvent& event, double t, const Vector& x) {
  field_.tree().set_point(t, x.data(), nullptr, nullptr);
  return field_.tree().margin(event.when, {event.i, 0});
}

bool EventAudit::is_sure(const WrittenEvent& event, double margin_here, double t, PointErrors& errors) {
  double move = 0;
  for (const Draw& there : errors.draws()) {
    const RoundingByChance rounding(field_, there.rounding);
    move = std::max(move, std::abs(margin(event, t, there.x) - margin_here));
  }
  return std::abs(margin_here) > kSure * move || (margin_here == 0 && move == 0);
}

bool EventAudit::is_sure_by_states(const WrittenEvent& event, double margin_here, double t,
                                   const PointErrors& errors) {
  double move = 0;
  errors.for_each_error([&](const Draw& there) {
    const RoundingByChance rounding(field_, there.rounding);
    move += std::abs(margin(event, t, there.x) - margin_here);
  });
  return std::abs(margin_here) > kSure * move || (margin_here == 0 && move == 0);
}

void EventAudit::look(const std::string& location, double t, const Vector& x, PointErrors& errors) {
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].when == no_root) continue;
    if (events_[k].is_edge()) {
      look_at_edge(k, location, t, x, errors);
    } else {
      look_at_margin(k, t, x, errors);
    }
  }
}

double EventAudit::last_record_of(const WrittenEvent& event) const {
  if (event.name.empty()) return last_record_;
  const auto recorded = recorded_.find(event.name);
  return recorded == recorded_.end() ? -std::numeric_limits<double>::infinity() : recorded->second;
}

void EventAudit::look_at_margin(std::size_t k, double t, const Vector& x, PointErrors& errors) {
  const WrittenEvent& event = events_[k];
  Margin& last = margins_[k];
  const double here = margin(event, t, x);
  if (std::isnan(here)) return;
  const double since = last.t - rounding_of(last.t);
  if (last_record_of(event) >= since) last.is_known = false;
  const bool is_same = last.is_known && ((last.value > 0 && here > 0) || (last.value < 0 && here < 0));
  const bool is_at_rest = rests(k, here);
  if (is_same) {
    last.t = t;
    return;
  }
  if (!is_at_rest && !is_sure(event, here, t, errors)) return;
  if (last.is_known && !(last_jump_ >= since && !event.across_jumps)) {
    const bool rises = last.value <= 0 && here > 0;
    // A condition is false where its margin is zero.
    const bool is_condition = field_.tree().is_condition(event.when);
    const bool falls = (last.value >= 0 && here < 0 && !is_condition) || (last.value > 0 && here <= 0);
    const bool is_missed =
        (rises && event.direction != Direction::falling) || (falls && event.direction != Direction::rising);
    if (is_missed && !is_at_rest && !is_sure_by_states(event, here, t, errors)) return;
    if (is_missed && missed_.size() < kMostMissed)
      missed_.push_back({event.name, name_of(event), last.t, t, "event " + std::to_string(k),
                         fmt::format("between t = {:.6g} and {:.6g} {} {}, but '{}' has no event there",
                                     last.t, t, event.text,
                                     is_condition ? (rises ? "became true" : "became false")
                                                  : (rises ? "rose through zero" : "fell through zero"),
                                     name_of(event))});
  }
  last = {true, here, t};
}

bool EventAudit::rests(std::size_t k, double margin_here) {
  // The margin of h >= 1 is the smallest number above zero where h = 1.
  const bool is_zero = std::abs(margin_here) <= std::numeric_limits<double>::min() &&
                       field_.tree().is_condition(events_[k].when);
  const bool rested = rests_[k] != 0;
  rests_[k] = is_zero ? 1 : 0;
  return is_zero && rested;
}

// An edge fires as soon as its condition is true where it begins, even where it was true on entering.
void EventAudit::look_at_edge(std::size_t k, const std::string& location, double t, const Vector& x,
                              PointErrors& errors) {
  const WrittenEvent& event = events_[k];
  const bool is_there = event.kind == WrittenEvent::Kind::edge ? location == event.from
                                                               : x[event.automaton] == event.from_number;
  const bool is_directed = event.direction != Direction::any;
  if (!is_there || event.waits || event.delay > 0 || !is_directed || !event.across_jumps) return;
  const double here = margin(event, t, x);
  if (!((event.direction == Direction::falling ? -here : here) > 0)) return;
  if (!is_sure(event, here, t, errors) || std::abs(last_record_of(event) - t) <= rounding_of(t)) return;
  if (missed_.size() < kMostMissed && is_sure_by_states(event, here, t, errors))
    missed_.push_back(
        {event.name, name_of(event), t, t, "edge " + std::to_string(k),
         fmt::format("at t = {:.6g} {} is {}, but the edge '{}' was not taken", t, event.text,
                     field_.tree().is_condition(event.when) ? "true" : "past zero", name_of(event))});
}

std::vector<std::size_t> EventAudit::candidates(const EventRecord& record) const {
  if (!record.name) return {};
  const auto found = by_name_.find(*record.name);
  if (found == by_name_.end()) return {};
  std::vector<std::size_t> result;
  for (const std::size_t k : found->second) {
    const WrittenEvent& event = events_[k];
    const bool suits =
        record.kind == EventKind::sample       ? event.kind == WrittenEvent::Kind::sample
        : record.kind == EventKind::transition ? event.kind == WrittenEvent::Kind::edge
        : record.kind == EventKind::reset  ? event.sets_states() && event.kind != WrittenEvent::Kind::sample
        : record.kind == EventKind::stop   ? event.kind == WrittenEvent::Kind::stop
        : record.kind == EventKind::record ? event.kind == WrittenEvent::Kind::record || event.delay > 0
                                           : false;
    const bool leads_there = event.kind != WrittenEvent::Kind::edge ||
                             ((!record.from_location || *record.from_location == event.from) &&
                              (!record.to_location || *record.to_location == event.to));
    if (suits && leads_there) result.push_back(k);
  }
  return result;
}

void EventAudit::record(const std::string& location, const EventRecord& record, bool is_judged) {
  if (record.name) recorded_[*record.name] = record.t;
  last_record_ = record.t;
  // A step may come before the records inside it.
  std::erase_if(missed_, [&](const Missed& one) {
    const double rounding = rounding_of(record.t);
    return record.t >= one.from - rounding && record.t <= one.to + rounding &&
           (one.name.empty() || (record.name && *record.name == one.name));
  });
  if (is_jump(record.kind)) last_jump_ = record.t;
  // The events of the first round fire by the state that the motion has led to, whatever those before them have set.
  if (record.t != instant_.t) instant_ = {record.t, record.before};
  const std::vector<std::size_t> found = candidates(record);
  if (found.size() == 1) judge_repetition(found.front(), record);
  if (is_jump(record.kind) || record.kind == EventKind::transition) ++jumps_;
  if (record.kind == EventKind::sample && found.size() == 1) {
    const WrittenEvent& event = events_[found.front()];
    ++samples_[found.front()];
    if (!is_time_of(event, record.t))
      findings_.fail(
          "time " + event.name, event.name, record.t,
          fmt::format("'{}' acts at t = {:.17g}, which is none of its times", event.name, record.t));
  }
  const auto n = static_cast<Index>(state_names_.size());
  if (record.before.size() != n || record.after.size() != n || found.empty()) return;
  if (record.kind == EventKind::record && events_[found.front()].delay > 0) {
    Triggered one{found.front(), record.t, {}};
    if (found.size() == 1 && events_[found.front()].sets_at_trigger) {
      field_.tree().set_point(record.t, record.before.data(), nullptr, nullptr);
      for (const Line& line : events_[found.front()].set)
        one.values.push_back(field_.tree().value(line.value, line.at));
    }
    triggered_.push_back(std::move(one));
    return;
  }
  if (!is_judged) return;
  if (found.size() == 1) judge_condition(events_[found.front()], location, record);
  if (sets_states(record.kind)) judge_effect(found, record);
}

void EventAudit::judge_repetition(std::size_t k, const EventRecord& record) {
  const WrittenEvent& event = events_[k];
  LastRecord& last = last_records_[k];
  const double rounding = kNoMotion * std::numeric_limits<double>::epsilon() * std::abs(record.t);
  const bool is_judged = event.when != no_root && event.delay == 0 && record.kind != EventKind::sample;
  if (is_judged && last.jumps == jumps_ && record.t - last.t <= rounding) {
    findings_.fail(
        "repeated " + name_of(event), name_of(event), record.t,
        fmt::format(
            "'{}' has two records at t = {:.17g}, between which neither a motion nor a jump leads '{}' back",
            name_of(event), record.t, event.text));
  }
  last = {record.t, jumps_};
}

// At the record of an event its condition becomes true, or its guard comes to zero, beside the state at least.
void EventAudit::judge_condition(const WrittenEvent& event, const std::string& location,
                                 const EventRecord& record) {
  const bool is_plain = record.round <= 1 && event.when != no_root && event.delay == 0 && record.t > begin_;
  const Vector& arrived = instant_.arrived;
  if (!is_plain || event.direction == Direction::any || arrived.size() != record.before.size()) return;
  const bool falls = event.direction == Direction::falling;
  Vector tol = errors_.tolerances(arrived);
  // The clock has no number for the time of an event, and the state moves on by its rounding.
  Vector rates;
  if (field_.derivatives(location, record.t, arrived.data(), nullptr, nullptr, rates)) {
    const double rounding = std::numeric_limits<double>::epsilon() * std::abs(record.t);
    tol.head(rates.size()) += rounding * rates.cwiseAbs();
  }
  WrittenTree& tree = field_.tree();
  const bool is_condition = tree.is_condition(event.when);
  bool is_past = false, is_before = false;
  // Errors of a run are several tolerances: two of three draws move the clock, too.
  constexpr double kErrors = 10;
  constexpr std::uint64_t kDraws = 48;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const Vector there = errors_.moved(arrived, tol, 1000 + draw, draw == 0 ? 0 : kErrors);
    const double moved = rounding_of(record.t) * (static_cast<double>(draw % 3) - 1);
    const RoundingByChance rounded(field_, draw);
    tree.set_point(record.t + (draw == 0 ? 0 : moved), there.data(), nullptr, nullptr);
    const double margin = tree.margin(event.when, {event.i, 0});
    if (std::isnan(margin)) return;
    // A condition is false where its margin is zero, and a guard is where its event is.
    is_past = is_past || (falls ? margin < 0 : margin > 0) || (margin == 0 && (falls || !is_condition));
    is_before = is_before || (falls ? margin > 0 : margin < 0) || (margin == 0 && !(falls && is_condition));
    if (is_past && is_before) return;
  }
  const std::string place =
      !is_condition ? (is_past ? "is past zero there already" : "is not zero there")
                    : fmt::format("{} {} there", is_past ? "has been" : "is not", falls ? "false" : "true");
  findings_.fail(
      "record " + name_of(event), name_of(event), record.t,
      fmt::format("'{}' has an event at t = {:.6g}, but {} {}", name_of(event), record.t, event.text, place));
}

double EventAudit::set_value(const Line& line, double t, const Vector& x) {
  field_.tree().set_point(t, x.data(), nullptr, nullptr);
  return field_.tree().value(line.value, line.at);
}

EventAudit::Effect EventAudit::effect(std::size_t k, const EventRecord& record, Difference& difference) {
  const WrittenEvent& event = events_[k];
  const auto known = static_cast<Index>(field_.states());
  Vector wanted = record.before;
  Vector allowed = errors_.tolerances(record.before);
  for (Index j = errors_.discrete_from; j < allowed.size(); ++j) allowed[j] = 0;
  const auto set = [&](Index state, double value, double reach) {
    wanted[state] = value;
    allowed[state] = reach;
  };
  // Where several edges of an automaton fire at once, the engine takes the first; the others find another location and set nothing.
  const bool acts =
      event.kind != WrittenEvent::Kind::automaton_edge || record.before[event.automaton] == event.from_number;
  const auto trigger = std::find_if(triggered_.begin(), triggered_.end(), [&](const Triggered& one) {
    return one.event == k && std::abs(one.t + event.delay - record.t) <= rounding_of(record.t);
  });
  const bool is_delayed = event.delay > 0;
  if (is_delayed && trigger == triggered_.end()) return Effect::undecided;
  if (acts) {
    const Vector beside = errors_.moved(record.before, errors_.tolerances(record.before), 7);
    const Vector other = errors_.moved(record.before, errors_.tolerances(record.before), 8);
    for (std::size_t l = 0; l < event.set.size(); ++l) {
      const Line& line = event.set[l];
      const bool is_stored = is_delayed && event.sets_at_trigger;
      if (is_stored && l >= trigger->values.size()) return Effect::undecided;
      const double value = is_stored ? trigger->values[l] : set_value(line, record.t, record.before);
      if (std::isnan(value)) return Effect::undecided;
      const double move = is_stored ? 0
                                    : std::max(std::abs(set_value(line, record.t, beside) - value),
                                               std::abs(set_value(line, record.t, other) - value));
      set(static_cast<Index>(line.state), value, kOrder * std::abs(value) + (std::isnan(move) ? 0 : move));
    }
    if (event.kind == WrittenEvent::Kind::automaton_edge)
      set(static_cast<Index>(event.automaton), event.to_number, 0);
  }
  if (is_delayed) triggered_.erase(trigger);
  // An event solves algebraic equations anew; the states that follow their variables are judged beside the motion.
  field_.tree().set_point(record.t, record.after.data(), nullptr, nullptr);
  for (const Follower& one : field_.tree().followers()) {
    const auto state = static_cast<Index>(one.state);
    wanted[state] = record.after[state];
  }
  for (Index j = 0; j < known; ++j) {
    const bool agrees = allowed[j] == 0 ? same_bits(record.after[j], wanted[j])
                                        : std::abs(record.after[j] - wanted[j]) <= allowed[j];
    if (agrees) continue;
    difference = {j, wanted[j]};
    return Effect::differs;
  }
  return Effect::agrees;
}

void EventAudit::judge_effect(const std::vector<std::size_t>& candidates, const EventRecord& record) {
  Difference difference;
  for (const std::size_t k : candidates)
    if (effect(k, record, difference) != Effect::differs) return;
  const WrittenEvent& event = events_[candidates.front()];
  const std::string& state = state_names_[static_cast<std::size_t>(difference.state)];
  findings_.fail(
      "effect " + name_of(event) + " " + state, name_of(event), record.t,
      fmt::format("'{}' makes {} = {:.10g} at t = {:.6g}, but what the model sets makes it {:.10g}",
                  name_of(event), state, record.after[difference.state], record.t, difference.wanted));
}

// The k-th time is offset + k·period, computed anew; the times of several tables that differ by rounding are one instant.
bool EventAudit::is_time_of(const WrittenEvent& event, double t) const {
  const double rounding =
      4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(event.offset));
  if (!event.times.empty())
    return std::any_of(event.times.begin(), event.times.end(),
                       [&](double time) { return std::abs(time - t) <= rounding; });
  const double k = std::round((t - event.offset) / event.period);
  return k >= 0 && k < event.count && std::abs(event.offset + k * event.period - t) <= rounding;
}

void EventAudit::finish(double t) {
  for (const Missed& one : missed_) findings_.fail(one.key, one.of, one.to, one.text);
  if (std::isnan(begin_)) return;
  const double from = begin_ + rounding_of(begin_);
  const double to = t - rounding_of(t);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const WrittenEvent& event = events_[k];
    const auto named = by_name_.find(name_of(event));
    if (event.kind != WrittenEvent::Kind::sample || event.name.empty() || named->second.size() > 1) continue;
    double wanted = 0;
    if (!event.times.empty()) {
      for (const double time : event.times) wanted += time > from && time < to ? 1 : 0;
    } else {
      const double first = std::max(0.0, std::floor((from - event.offset) / event.period) + 1);
      const double last = std::min(event.count - 1, std::ceil((to - event.offset) / event.period) - 1);
      wanted = std::max(0.0, last - first + 1);
    }
    if (static_cast<double>(samples_[k]) < wanted)
      findings_.fail(
          "times " + event.name, event.name, t,
          fmt::format("'{}' has {:.0f} times between t = {:.6g} and {:.6g}, but acts at {} of them",
                      event.name, wanted, begin_, t, samples_[k]));
  }
}

}  // namespace slideway::auditing
