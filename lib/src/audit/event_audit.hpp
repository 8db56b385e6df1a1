// Events beside the model file: a condition that becomes true has a record, a record has a condition that is true, what it sets is
// what the file says, and known times are met.
#pragma once

#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/errors_within.hpp"
#include "audit/findings.hpp"
#include "audit/written_events.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway::auditing {

class EventAudit {
 public:
  EventAudit(const WrittenModel& written, WrittenField& field, const ErrorsWithin& errors,
             const std::vector<std::string>& state_names, Findings& findings);

  // The state at the start: an event that is zero there and moves in its direction fires at once.
  void begin(double t, const Vector& x);
  // At a point of a step in a location.
  void look(const std::string& location, double t, const Vector& x, PointErrors& errors);
  // An event in a location.
  void record(const std::string& location, const EventRecord& record, bool is_judged);
  // All steps up to `t` were seen.
  void finish(double t);

 private:
  // An event without a record so far.
  struct Missed {
    std::string name;  // "" where any record may be the one
    std::string of;
    double from;
    double to;
    std::string key;
    std::string text;
  };
  struct Margin {
    bool is_known = false;
    double value = 0;
    double t = 0;
  };
  // The last record of an event, and how many jumps came before.
  struct LastRecord {
    double t = -std::numeric_limits<double>::infinity();
    long long jumps = 0;
  };
  // A delayed action on its way, with what it sets where that is known.
  struct Triggered {
    std::size_t event;
    double t;
    std::vector<double> values;
  };
  enum class Effect { agrees, differs, undecided };
  struct Difference {
    Index state = -1;
    double wanted = 0;
  };

  double margin(const WrittenEvent& event, double t, const Vector& x);
  // is_sure() tells that errors do not change the sign of the margin.
  bool is_sure(const WrittenEvent& event, double margin_here, double t, PointErrors& errors);
  bool is_sure_by_states(const WrittenEvent& event, double margin_here, double t, const PointErrors& errors);
  void look_at_margin(std::size_t k, double t, const Vector& x, PointErrors& errors);
  void look_at_edge(std::size_t k, const std::string& location, double t, const Vector& x,
                    PointErrors& errors);
  std::vector<std::size_t> candidates(const EventRecord& record) const;
  // rests() tells that the margin of a condition is exactly zero here, as it was at the look before: it rests there, and its sign is that of
  // the text.
  bool rests(std::size_t k, double margin_here);
  void judge_condition(const WrittenEvent& event, const std::string& location, const EventRecord& record);
  void judge_effect(const std::vector<std::size_t>& candidates, const EventRecord& record);
  // An event fires again where its condition has been false, or its guard on the other side, in between.
  void judge_repetition(std::size_t k, const EventRecord& record);
  Effect effect(std::size_t k, const EventRecord& record, Difference& difference);
  bool is_time_of(const WrittenEvent& event, double t) const;
  double set_value(const Line& line, double t, const Vector& x);
  static std::string name_of(const WrittenEvent& event) {
    return event.name.empty() ? event.text : event.name;
  }
  // The last record that may be of this event: the log names one without a name by its text, with numbers for i.
  double last_record_of(const WrittenEvent& event) const;

  WrittenField& field_;
  const ErrorsWithin& errors_;
  const std::vector<std::string>& state_names_;
  Findings& findings_;
  std::vector<WrittenEvent> events_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  std::vector<Margin> margins_;
  std::vector<char> rests_;  // 1 where the margin of the event was exactly zero at the last look
  std::vector<Missed> missed_;
  std::vector<long long> samples_;  // records of each event that is a sample
  std::vector<LastRecord> last_records_;
  long long jumps_ = 0;
  std::deque<Triggered> triggered_;
  std::unordered_map<std::string, double> recorded_;  // the last time of each name
  double begin_ = std::numeric_limits<double>::quiet_NaN();
  double last_record_ = -std::numeric_limits<double>::infinity();
  double last_jump_ = -std::numeric_limits<double>::infinity();
  // The last time of a record, and the state there before its first event.
  struct Instant {
    double t = std::numeric_limits<double>::quiet_NaN();
    Vector arrived = {};
  };
  Instant instant_;
};

}  // namespace slideway::auditing
