#include "apps/summary.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/text.hpp"

namespace slideway::apps {

namespace {

constexpr std::size_t most_events = 20;  // beyond, only the first and last ones are listed
constexpr std::size_t events_at_the_end = 6;
constexpr Index most_states = 8;
constexpr Index most_surfaces_in_word = 24;

using EventRow = std::array<std::string, 7>;

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, screen_width(text)), ' ');
}

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
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < 3; ++i) {
    if (i > 0) text += ' ';
    text += std::isfinite(numbers[i]) ? fmt::format("{:.4g}", numbers[i]) : "·";
  }
  return numbers.size() > 3 ? text + " …" : text;
}

std::string place(const EventRecord& event) {
  if (event.name) return *event.name;
  if (event.surface_names.size() <= 3) return fmt::format("{}", fmt::join(event.surface_names, " "));
  return fmt::format("{} … ({} surfaces)", event.surface_names.front(), event.surface_names.size());
}

EventRow row(const EventRecord& event) {
  const std::string round = event.round > 1 ? fmt::format("round {}: ", event.round) : "";
  return {fmt::format("{:.10g}", event.t), to_string(event.kind), place(event),        mode_change(event),
          values(event.w_minus),           values(event.w_plus),  round + event.reason};
}

class Printer {
 public:
  Printer(std::ostream& out, bool colours) : out_(out), colours_(colours) {}

  std::string strong(const std::string& text) const { return coded("1", text); }
  std::string faint(const std::string& text) const { return coded("2", text); }
  std::string good(const std::string& text) const { return coded("32", text); }
  std::string alarming(const std::string& text) const { return coded("1;31", text); }

  // A line of the list under the table.
  void item(const std::string& title, const std::string& text) {
    fmt::print(out_, "{}{}\n", strong(padded(title, 14)), text);
  }

  void table(const std::vector<EventRow>& rows, std::size_t gap_after, const std::string& gap_text) {
    static const EventRow titles = {"t", "event", "surface", "mode", "w-", "w+", "reason"};
    EventRow::size_type column = 0;
    std::array<std::size_t, 7> widths{};
    for (; column < titles.size(); ++column) {
      widths[column] = screen_width(titles[column]);
      for (const EventRow& cells : rows)
        widths[column] = std::max(widths[column], screen_width(cells[column]));
    }
    fmt::print(out_, "{}\n", strong(line(titles, widths)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      fmt::print(out_, "{}\n", line(rows[i], widths));
      if (i + 1 == gap_after) fmt::print(out_, "{}\n", faint(gap_text));
    }
  }

 private:
  std::string coded(const char* code, const std::string& text) const {
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  static std::string line(const EventRow& cells, const std::array<std::size_t, 7>& widths) {
    std::string text;
    for (std::size_t column = 0; column + 1 < cells.size(); ++column) {
      text += padded(cells[column], widths[column] + 2);
    }
    text += cells.back();
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

  std::ostream& out_;
  bool colours_;
};

void print_events(Printer& printer, const EventLog& events, bool all, std::ostream& out) {
  if (events.empty()) {
    fmt::print(out, "no events\n");
    return;
  }
  std::vector<EventRow> rows;
  if (all || events.size() <= most_events) {
    for (const EventRecord& event : events) rows.push_back(row(event));
    printer.table(rows, 0, "");
    return;
  }
  const std::size_t first = most_events - events_at_the_end;
  for (std::size_t i = 0; i < first; ++i) rows.push_back(row(events[i]));
  for (std::size_t i = events.size() - events_at_the_end; i < events.size(); ++i)
    rows.push_back(row(events[i]));
  printer.table(rows, first,
                fmt::format("… {} more events (--full-events lists them) …", events.size() - most_events));
}

std::string values_text(const std::vector<std::string>& names, const Vector& values) {
  std::string text;
  for (Index i = 0; i < values.size() && i < most_states; ++i) {
    text += fmt::format("{}{} = {:.10g}", i > 0 ? "   " : "", names[static_cast<std::size_t>(i)], values(i));
  }
  if (values.size() > most_states) text += fmt::format("   … and {} more", values.size() - most_states);
  return text;
}

std::string mode_text(const Snapshot& point) {
  const std::string location = point.location.empty() ? "" : fmt::format(", location {}", point.location);
  const Mode& mode = point.mode;
  if (mode.size() == 0) return location;
  if (mode.size() > most_surfaces_in_word)
    return location + fmt::format(", sliding on {} surfaces", mode.codimension());
  return location + fmt::format(", mode {}", mode.word());
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

bool wants_colours(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (terminal == nullptr || std::string(terminal) == "dumb") return false;
  return isatty(descriptor) == 1;
}

void print_summary(const RunReport& report, const Options& options, const std::vector<std::string>& written,
                   const SummaryOptions& how, std::ostream& out) {
  const System& system = report.instance.system;
  const Solution& solution = report.solution;
  const Statistics& totals = solution.statistics;
  Printer printer(out, how.colours);

  fmt::print(out, "{}   t = {:g} … {:g}   {}   rtol {:g}   atol {}\n\n", printer.strong(report.model),
             report.instance.start, report.instance.end, to_string(options.method), options.rtol,
             tolerance_text(options, system.states()));
  print_events(printer, solution.events, how.all_events, out);

  fmt::print(out, "\n");
  const std::string ended = outcome_line(solution.outcome);
  printer.item("outcome", solution.outcome.succeeded() ? printer.good(ended) : printer.alarming(ended));
  printer.item("initial state",
               fmt::format("{}   (t = {:.10g}{})", values_text(system.state_names(), solution.initial.state),
                           solution.initial.t, mode_text(solution.initial)));
  printer.item("final state",
               fmt::format("{}   (t = {:.10g}{})", values_text(system.state_names(), solution.final.state),
                           solution.final.t, mode_text(solution.final)));
  if (report.observation) {
    const Snapshot& last = solution.final;
    printer.item("observed",
                 values_text(report.observation->names(),
                             report.observation->at(last.t, last.state, last.mode, last.location)));
  }
  const bool finds_roots = options.method == Method::bdf || options.method == Method::adams;
  const std::string roots = finds_roots || totals.integrator_roots > 0
                                ? fmt::format(" ({} by CVODE's root-finding)", totals.integrator_roots)
                                : "";
  printer.item(
      "statistics",
      fmt::format("{} events{}, {} steps, {} restarts, {} field evaluations, {:.3g} ms", totals.events, roots,
                  totals.steps, totals.restarts, totals.field_evaluations, 1e3 * totals.wall_seconds));
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
    // After every event bdf begins at order one.
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
  for (const std::string& warning : solution.warnings)
    fmt::print(out, "{} {}\n", printer.alarming("warning:"), warning);
  if (!written.empty()) printer.item("written", fmt::format("{}", fmt::join(written, ", ")));
}

}  // namespace slideway::apps
