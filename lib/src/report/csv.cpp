#include "slideway/io/csv.hpp"

#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>

#include "slideway/detail/core/number_form.hpp"

namespace slideway {

namespace {

void append(std::string& line, double value) { line += shortest_digits(value).text(); }

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
      : trajectory_(report.solution.trajectory),
        observation_(report.observation),
        sensitivities_(report.solution.sensitivities.get()),
        observed_(report.observed_sensitivity),
        out_(out) {
    line_ = "t";
    const auto append_names = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        line_ += ',';
        line_ += csv_cell(name);
      }
    };
    append_names(report.instance.system.state_names());
    if (observation_) append_names(observation_->names());
    const auto append_derivatives = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names)
        for (const std::string& by : sensitivities_->names()) append_names({"d(" + name + ")/d(" + by + ")"});
    };
    if (sensitivities_) append_derivatives(report.instance.system.state_names());
    if (sensitivities_ && observation_ && observed_) append_derivatives(observation_->names());
    line_ += ",mode,location\n";
    out_ << line_;
  }

  void plain_row(double t) {
    const Matrix s = sensitivities_ ? derivatives_at(t) : Matrix();
    row(t, trajectory_(t), trajectory_.mode(t), trajectory_.location(t), s);
  }

  void event_rows(const EventRecord& event, std::size_t number) {
    const EventSensitivity* const changes = sensitivities_ ? &sensitivities_->events()[number] : nullptr;
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
        row(event.t, before, mode_before, event.from_location.value_or(is_seen ? location : ""),
            changes ? changes->before : Matrix());
    }
    row(event.t, after, mode, location, changes ? changes->after : Matrix());
  }

 private:
  // Derivatives end where they do not exist any more.
  Matrix derivatives_at(double t) const {
    try {
      return (*sensitivities_)(t);
    } catch (const std::invalid_argument&) {
      return Matrix::Constant(trajectory_.states(), static_cast<Index>(sensitivities_->names().size()),
                              std::numeric_limits<double>::quiet_NaN());
    }
  }

  void append_matrix(const Matrix& values) {
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index j = 0; j < values.cols(); ++j) {
        line_ += ',';
        append(line_, values(i, j));
      }
    }
  }

  void row(double t, const Vector& state, const Mode& mode, const std::string& location, const Matrix& s) {
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
    append_matrix(s);
    if (sensitivities_ && observation_ && observed_)
      append_matrix(observed_->at(t, state, mode, location, s));
    line_ += ',';
    line_ += mode.word();
    line_ += ',';
    line_ += csv_cell(location);
    line_ += '\n';
    out_ << line_;
  }

  const Trajectory& trajectory_;
  Observation* observation_;
  const Sensitivities* sensitivities_;
  ObservedSensitivity* observed_;
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
      writer.event_rows(events[next_event], next_event);
      has_event_row = events[next_event].t == t;
    }
    if (!has_event_row) writer.plain_row(t);
  }
}

}  // namespace slideway
