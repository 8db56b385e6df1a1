#include "slideway/io/csv.hpp"

#include <charconv>
#include <ostream>
#include <string>

namespace slideway {

namespace {

void append(std::string& line, double value) {
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  line.append(digits, result.ptr);
}

std::vector<double> output_times(const Trajectory& trajectory, const CsvOptions& options) {
  std::vector<double> times;
  if (options.points > 0) {
    for (Index i = 0; i < options.points; ++i) {
      const double fraction = static_cast<double>(i) / static_cast<double>(options.points - 1);
      const double t =
          i + 1 == options.points ? options.end : options.start + fraction * (options.end - options.start);
      if (t > trajectory.end()) break;
      times.push_back(t);
    }
    if (times.empty() || times.back() < trajectory.end()) times.push_back(trajectory.end());
    return times;
  }
  for (std::size_t segment = 0; segment < trajectory.segments().size(); ++segment) {
    for (const double t : trajectory.step_times(segment)) {
      if (times.empty() || t > times.back()) times.push_back(t);
    }
  }
  return times;
}

// A reset moves the state; a change of mode does not, but for the rounding of a projection.
bool may_jump(const EventRecord& event) {
  switch (event.kind) {
    case EventKind::reset:
    case EventKind::sample:
    case EventKind::transition:
    case EventKind::impact:
    case EventKind::contact:
    case EventKind::zeno: return true;
    default: return false;
  }
}

class CsvWriter {
 public:
  CsvWriter(const RunReport& report, std::ostream& out)
      : trajectory_(report.solution.trajectory), observation_(report.observation), out_(out) {
    line_ = "t";
    const auto append_names = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        line_ += ',';
        line_ += csv_cell(name);
      }
    };
    append_names(report.instance.system.state_names());
    if (observation_) append_names(observation_->names());
    line_ += ",mode,location\n";
    out_ << line_;
  }

  void plain_row(double t) { row(t, trajectory_(t), trajectory_.mode(t), trajectory_.location(t)); }

  void event_rows(const EventRecord& event) {
    // The log of a large system holds changes only; the trajectory has the rest.
    const bool whole_modes = !event.listed_only;
    const Mode& mode = whole_modes && event.to     ? *event.to
                       : whole_modes && event.from ? *event.from
                                                   : trajectory_.mode(event.t);
    const bool has_states = event.after.size() > 0;
    const Vector after = has_states ? event.after : trajectory_(event.t);
    const std::string location = event.to_location.value_or(event.from_location.value_or(""));
    const Mode mode_before = whole_modes ? event.from.value_or(mode) : trajectory_.mode_before(event.t);
    const bool is_seen = observation_ && event.from && mode_before != mode;
    if (may_jump(event) || is_seen) {
      const Vector before = has_states ? event.before : trajectory_.before(event.t);
      if (before != after || is_seen)
        row(event.t, before, mode_before, event.from_location.value_or(is_seen ? location : ""));
    }
    row(event.t, after, mode, location);
  }

 private:
  void row(double t, const Vector& state, const Mode& mode, const std::string& location) {
    line_.clear();
    append(line_, t);
    for (Index i = 0; i < state.size(); ++i) {
      line_ += ',';
      append(line_, state(i));
    }
    if (observation_) {
      for (const double value : observation_->at(t, state, mode, location)) {
        line_ += ',';
        append(line_, value);
      }
    }
    line_ += ',';
    line_ += mode.word();
    line_ += ',';
    line_ += csv_cell(location);
    line_ += '\n';
    out_ << line_;
  }

  const Trajectory& trajectory_;
  Observation* observation_;
  std::ostream& out_;
  std::string line_;
};

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

void write_csv(const RunReport& report, std::ostream& out, const CsvOptions& options) {
  CsvWriter writer(report, out);
  const Trajectory& trajectory = report.solution.trajectory;
  const EventLog& events = report.solution.events;
  if (trajectory.empty()) return;

  std::size_t next_event = 0;
  for (const double t : output_times(trajectory, options)) {
    bool has_event_row = false;
    for (; next_event < events.size() && events[next_event].t <= t; ++next_event) {
      writer.event_rows(events[next_event]);
      has_event_row = events[next_event].t == t;
    }
    if (!has_event_row) writer.plain_row(t);
  }
}

}  // namespace slideway
