#include "apps/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <ostream>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "apps/advice.hpp"
#include "apps/layout.hpp"
#include "slideway/audit/audit.hpp"

namespace slideway::apps {

namespace {

constexpr std::size_t most_events = 20;  // beyond, repeated events are one row
constexpr Index most_states = 20;
constexpr Index most_surfaces_in_word = 24;

std::string word(const EventRecord& event, const std::optional<Mode>& mode) {
  if (!mode) return "?";
  return mode->size() <= most_surfaces_in_word ? mode->word() : listed_word(event, *mode);
}

std::string change(const std::string& from, const std::string& to) {
  return from == to ? to : fmt::format("{} → {}", from, to);
}

// The locations of an automaton, if there are, and the modes.
std::string mode_change(const EventRecord& event) {
  const std::string to = word(event, event.to);
  const std::string modes = event.from   ? change(word(event, event.from), to)
                            : to.empty() ? ""
                                         : fmt::format("→ {}", to);
  if (!event.to_location && !event.from_location) return modes;
  const std::string last = event.to_location.value_or("?");
  return fmt::format("{}{}{}", change(event.from_location.value_or(last), last), modes.empty() ? "" : "  ",
                     modes);
}

std::string values(const std::vector<double>& numbers) {
  if (std::none_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); }))
    return "";
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < 3; ++i) {
    if (i > 0) text += ' ';
    text += std::isfinite(numbers[i]) ? fmt::format("{:.4g}", numbers[i]) : "·";
  }
  return numbers.size() > 3 ? text + " …" : text;
}

std::string surfaces_of(const EventRecord& event) {
  if (event.surface_names.size() <= 3) return fmt::format("{}", fmt::join(event.surface_names, " "));
  return fmt::format("{} … ({} surfaces)", event.surface_names.front(), event.surface_names.size());
}

std::string place(const EventRecord& event) { return event.name ? *event.name : surfaces_of(event); }

std::string time_text(double t) { return fmt::format("{:.10g}", t); }

std::string reason(const EventRecord& event) {
  return event.round > 1 ? fmt::format("round {}: {}", event.round, event.reason) : event.reason;
}

class Printer {
 public:
  Printer(std::ostream& out, const Screen& screen) : out_(out), screen_(screen) {}

  std::string strong(const std::string& text) const { return coded("1", text); }
  std::string good(const std::string& text) const { return coded("32", text); }
  std::string alarming(const std::string& text) const { return coded("1;31", text); }

  void line(const std::string& text) {
    for (const std::string& part : fitted(text, screen_.width)) fmt::print(out_, "{}\n", part);
  }

  // A line of the list under the table.
  void item(const std::string& title, const std::string& text) {
    constexpr std::size_t title_width = 12;
    line(strong(title) + std::string(title_width - std::min(title_width, title.size()), ' ') + "  " + text);
  }

  void table(const Table& table) { table.print(out_, screen_.width, screen_.colours); }

 private:
  std::string coded(const char* code, const std::string& text) const {
    return screen_.colours ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  std::ostream& out_;
  Screen screen_;
};

Table event_table(const EventLog& events) {
  Table table({{.title = "t", .whole = true},
               {.title = "event", .whole = true},
               {.title = "surface"},
               {.title = "mode"},
               {.title = "w-"},
               {.title = "w+"}},
              "reason");
  for (const EventRecord& event : events) {
    table.add({time_text(event.t), to_string(event.kind), place(event), mode_change(event),
               values(event.w_minus), values(event.w_plus)},
              reason(event));
  }
  return table;
}

// Two reasons are one if they differ in numbers alone: "approach at 3.1" is "approach at …". A digit in a name stays.
std::string without_numbers(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  std::string words;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_signed = text[at] == '-' && at + 1 < text.size() && is_digit(text[at + 1]);
    const bool is_in_name = at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]));
    if (is_in_name || !(is_signed || is_digit(text[at]))) {
      words += text[at++];
      continue;
    }
    const char* const begin = text.c_str() + at;
    char* end = nullptr;
    std::strtod(begin, &end);
    at += static_cast<std::size_t>(end - begin);
    words += "…";
  }
  return words;
}

// Events of one kind at one place with one change of the mode and one reason, but for the numbers in it.
struct Repeated {
  const EventRecord* first = nullptr;
  const EventRecord* last = nullptr;
  std::string mode = {};
  std::string reason = {};
  bool has_one_reason = true;  // in its numbers, too
  long long count = 0;
};

// repeated_events() orders them by the time of the first of them.
std::vector<Repeated> repeated_events(const EventLog& events) {
  std::vector<Repeated> groups;
  std::map<std::tuple<EventKind, std::string, std::string, std::string>, std::size_t> known;
  for (const EventRecord& event : events) {
    const std::string mode = mode_change(event);
    const std::string words = without_numbers(event.reason);
    const auto [found, is_new] = known.try_emplace({event.kind, place(event), mode, words}, groups.size());
    if (is_new) groups.push_back({.first = &event, .mode = mode, .reason = words});
    Repeated& group = groups[found->second];
    group.last = &event;
    group.has_one_reason = group.has_one_reason && reason(event) == reason(*group.first);
    ++group.count;
  }
  return groups;
}

// "163 × heel strike (reset)", or "8 × sliding_entry" of what has no name.
std::string phrase(const Repeated& group) {
  const EventRecord& event = *group.first;
  return event.name ? fmt::format("{} × {} ({})", group.count, *event.name, to_string(event.kind))
                    : fmt::format("{} × {}", group.count, to_string(event.kind));
}

Table repeated_table(const std::vector<Repeated>& groups) {
  Table table({{.title = "events"},
               {.title = "surface"},
               {.title = "mode"},
               {.title = "first t", .whole = true},
               {.title = "last t", .whole = true}},
              "reason");
  for (const Repeated& group : groups) {
    const EventRecord& event = *group.first;
    table.add({phrase(group), surfaces_of(event), group.mode, time_text(event.t),
               group.count > 1 ? time_text(group.last->t) : ""},
              group.has_one_reason ? reason(event) : group.reason);
  }
  return table;
}

void print_events(Printer& printer, const EventLog& events, bool all) {
  if (events.empty()) {
    printer.line("no events");
    return;
  }
  if (all || events.size() <= most_events) {
    printer.table(event_table(events));
    return;
  }
  std::vector<Repeated> groups = repeated_events(events);
  const std::size_t kinds = groups.size();
  groups.resize(std::min(kinds, most_events));
  printer.table(repeated_table(groups));
  if (kinds > most_events) printer.line(fmt::format("… and {} more kinds of events", kinds - most_events));
  printer.line("(--all-events lists each of them)");
}

std::string mode_text(const Mode& mode) {
  if (mode.size() > most_surfaces_in_word) return fmt::format("sliding on {} surfaces", mode.codimension());
  return mode.word();
}

// The states, and what is observed, at the start and at the end.
Table state_table(const RunReport& report) {
  const Snapshot& initial = report.solution.initial;
  const Snapshot& final = report.solution.final;
  Table table({{.title = "state"}, {.title = "initial"}, {.title = "final"}});
  const auto add = [&](const std::vector<std::string>& names, const Vector& first, const Vector& last) {
    const Index shown = std::min<Index>(first.size(), most_states);
    for (Index i = 0; i < shown; ++i)
      table.add({names[static_cast<std::size_t>(i)], time_text(first(i)), time_text(last(i))});
    if (first.size() > shown) table.add({fmt::format("… and {} more", first.size() - shown)});
  };
  table.add({"t", time_text(initial.t), time_text(final.t)});
  add(report.instance.system.state_names(), initial.state, final.state);
  if (report.observation) {
    const auto observed = [&](const Snapshot& point) {
      return report.observation->at(point.t, point.state, point.mode, point.location);
    };
    add(report.observation->names(), observed(initial), observed(final));
  }
  if (!initial.location.empty() || !final.location.empty())
    table.add({"location", initial.location, final.location});
  if (final.mode.size() > 0) table.add({"mode", mode_text(initial.mode), mode_text(final.mode)});
  return table;
}

// The derivatives at the end, of the states and of what is observed.
Table derivative_table(const RunReport& report) {
  const Sensitivities& found = *report.solution.sensitivities;
  std::vector<Table::Column> columns = {{.title = "at the end"}};
  for (const std::string& by : found.names()) columns.push_back({.title = "d/d(" + by + ")"});
  Table table(std::move(columns));
  const auto add = [&](const std::vector<std::string>& names, const Matrix& rows) {
    const Index shown = std::min<Index>(rows.rows(), most_states);
    for (Index i = 0; i < shown; ++i) {
      std::vector<std::string> cells = {names[static_cast<std::size_t>(i)]};
      for (Index k = 0; k < rows.cols(); ++k) cells.push_back(time_text(rows(i, k)));
      table.add(std::move(cells));
    }
  };
  add(report.instance.system.state_names(), found.final());
  if (report.observation && report.observed_sensitivity) {
    const Snapshot& end = report.solution.final;
    add(report.observation->names(),
        report.observed_sensitivity->at(end.t, end.state, end.mode, end.location, found.final()));
  }
  return table;
}

// The derivatives with which a solution begins on both sides of its start, for states in which they differ.
Table start_table(const RunReport& report, const EventSensitivity& start) {
  std::vector<Table::Column> columns = {{.title = "at the start"}};
  for (const std::string& by : report.solution.sensitivities->names())
    for (const char* const side : {"below", "above"}) columns.push_back({.title = "d/d(" + by + ") " + side});
  Table table(std::move(columns));
  Index shown = 0;
  for (Index i = 0; i < start.after_below.rows() && shown < most_states; ++i) {
    if (start.after_below.row(i) == start.after_above.row(i)) continue;
    ++shown;
    std::vector<std::string> cells = {report.instance.system.state_names()[static_cast<std::size_t>(i)]};
    for (Index k = 0; k < start.after_below.cols(); ++k) {
      cells.push_back(time_text(start.after_below(i, k)));
      cells.push_back(time_text(start.after_above(i, k)));
    }
    table.add(std::move(cells));
  }
  return table;
}

// The gradients of quantities at the end, a column for each.
Table gradient_table(const FinalGradients& found) {
  std::vector<Table::Column> columns = {{.title = "d/d(...) at the end"}};
  for (const std::string& quantity : found.quantities) columns.push_back({.title = quantity});
  Table table(std::move(columns));
  const std::size_t shown = std::min<std::size_t>(found.by.size(), most_states);
  for (std::size_t k = 0; k < shown; ++k) {
    std::vector<std::string> cells = {found.by[k]};
    for (Index i = 0; i < found.gradients.rows(); ++i)
      cells.push_back(time_text(found.gradients(i, static_cast<Index>(k))));
    table.add(std::move(cells));
  }
  return table;
}

void print_gradients(Printer& printer, const FinalGradients& found, std::ostream& out) {
  fmt::print(out, "\n");
  printer.table(gradient_table(found));
  if (!found.left_out.empty())
    printer.line(fmt::format("no derivatives by {}", fmt::join(found.left_out, ", ")));
  if (!found.reason.empty())
    printer.line(fmt::format("one-sided from t = {:.10g} on: {}", found.exists_until, found.reason));
}

std::string tolerance_text(const Options& options, Index states) {
  const Vector atol = options.atol.expand(states, options.rtol);
  if (atol.minCoeff() == atol.maxCoeff()) return fmt::format("{:g}", atol(0));
  return fmt::format("{:g} … {:g}", atol.minCoeff(), atol.maxCoeff());
}

}  // namespace

std::string outcome_line(const Outcome& outcome) {
  return fmt::format("{} at t = {:.10g}{}{}", to_string(outcome.status), outcome.t,
                     outcome.message.empty() ? "" : ": ", outcome.message);
}

void print_summary(const RunReport& report, const Options& options, const std::vector<std::string>& written,
                   const SummaryOptions& how, std::ostream& out) {
  const System& system = report.instance.system;
  const Solution& solution = report.solution;
  const Statistics& totals = solution.statistics;
  Printer printer(out, how.screen);

  printer.line(fmt::format("{}   t = {:g} … {:g}   {}   rtol {:g}   atol {}", printer.strong(report.model),
                           report.instance.start, report.instance.end, to_string(options.method),
                           options.rtol, tolerance_text(options, system.states())));
  fmt::print(out, "\n");
  print_events(printer, solution.events, how.all_events);
  fmt::print(out, "\n");
  printer.table(state_table(report));
  if (solution.sensitivities) {
    fmt::print(out, "\n");
    printer.table(derivative_table(report));
    const std::optional<EventSensitivity>& start = solution.sensitivities->start();
    if (start && start->after_below.size() > 0) {
      fmt::print(out, "\n");
      printer.table(start_table(report, *start));
    }
  }
  if (report.gradients) print_gradients(printer, *report.gradients, out);
  fmt::print(out, "\n");
  const std::string ended = outcome_line(solution.outcome);
  printer.item("outcome", solution.outcome.succeeded() ? printer.good(ended) : printer.alarming(ended));
  const bool finds_roots = options.method == Method::bdf || options.method == Method::adams;
  const std::string roots = finds_roots || totals.integrator_roots > 0
                                ? fmt::format(" ({} by CVODE's root-finding)", totals.integrator_roots)
                                : "";
  // Several processes may have had a part in the run.
  const std::string duration =
      std::isnan(totals.wall_seconds) ? "" : fmt::format(", {:.3g} ms", 1e3 * totals.wall_seconds);
  printer.item("statistics", fmt::format("{}{}, {}, {}, {}{}", counted(totals.events, "event"), roots,
                                         counted(totals.steps, "step"), counted(totals.restarts, "restart"),
                                         counted(totals.field_evaluations, "field evaluation"), duration));
  if (solution.sensitivities && !solution.sensitivities->reason().empty()) {
    printer.item("derivatives", fmt::format("up to t = {:.10g}: {}", solution.sensitivities->exists_until(),
                                            solution.sensitivities->reason()));
  }
  for (const FrictionWork& work : report.friction) {
    const std::string text = fmt::format("{}: work {:.10g}, never below {:.4g}, stored at the start {:.4g}",
                                         work.name, work.work, work.least_work, work.stored_at_start);
    printer.item("passivity",
                 work.passive ? text + ": passive"
                              : text + printer.alarming(fmt::format(
                                           ": NOT passive, it gave {:.4g} more than it held", -work.margin)));
  }
  if (options.method == Method::automatic) {
    std::string methods = "dopri5";
    if (totals.dop853_steps > 0)
      methods += fmt::format(" and dop853 ({} of {} steps)", totals.dop853_steps, totals.steps);
    // bdf begins at order one after every event.
    const bool many_events =
        totals.events > 100 &&
        static_cast<double>(totals.events) > many_events_per_step * static_cast<double>(totals.steps);
    if (!std::isnan(totals.stiff_from)) {
      printer.item("method",
                   fmt::format("{}, and bdf from t = {:.6g} on: the problem is stiff there{}", methods,
                               totals.stiff_from,
                               many_events ? ", with so many events --method rodas may be faster" : ""));
    } else if (solution.outcome.succeeded() && totals.steps > 0) {
      printer.item("method", fmt::format("{} throughout: the problem is not stiff", methods));
    }
  }
  if (report.audit) {
    const std::string found = audit_line(*report.audit);
    printer.item("audit", report.audit->verdict == AuditVerdict::failed ? printer.alarming(found) : found);
  }
  for (const std::string& warning : solution.warnings)
    printer.line(printer.alarming("warning:") + " " + warning);
  if (!written.empty()) printer.item("written", fmt::format("{}", fmt::join(written, ", ")));
}

}  // namespace slideway::apps
