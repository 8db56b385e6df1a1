#include "slideway/io/html_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/mathml.hpp"
#include "report/report_data.hpp"
#include "report/report_page.hpp"
#include "report/typeset_equations.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/core/version.hpp"

namespace slideway {

namespace {

// The report lists at most this many lines of equations, parameters or states.
constexpr std::size_t most_lines = 200;

std::string escaped(const std::string& text) { return escaped_markup(text); }

class Page {
 public:
  Page(const RunReport& report, const Model& model, const HtmlOptions& options)
      : report_(report),
        model_(model),
        system_(report.instance.system),
        solution_(report.solution),
        options_(options),
        data_(report, options.picture) {}

  void write(std::ostream& out) const {
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        << "<meta name=\"generator\" content=\"slideway " << version() << "\">\n<title>"
        << escaped(report_.model) << " – slideway</title>\n<style>\n"
        << report_style() << "</style>\n</head>\n<body>\n";
    heading(out);
    out << "<noscript>The picture and the table of events need JavaScript, which is switched off "
           "here.</noscript>\n";
    picture(out);
    events(out);
    model(out);
    statistics(out);
    out << "<footer>Made by slideway " << version() << ".</footer>\n";
    out << "<script type=\"application/json\" id=\"data\">\n";
    data_.write(out);
    out << "</script>\n<script>\n" << report_program() << "</script>\n</body>\n</html>\n";
  }

 private:
  void heading(std::ostream& out) const {
    const Outcome& outcome = solution_.outcome;
    out << "<h1>" << escaped(report_.model) << "</h1>\n";
    if (!model_.summary.empty()) out << "<p>" << escaped(model_.summary) << "</p>\n";
    if (!model_.source.empty()) out << "<p class=\"faint\">" << escaped(model_.source) << "</p>\n";
    std::string outcome_text = to_string(outcome.status);
    std::replace(outcome_text.begin(), outcome_text.end(), '_', ' ');
    out << fmt::format("<p class=\"outcome-line\"><span class=\"outcome{}\">{} at t = {:.10g}</span> &ensp;",
                       outcome.succeeded() ? "" : " early", outcome_text, outcome.t)
        << fmt::format("<span class=\"faint\">t = {:.6g} … {:.6g} &ensp; {}</span></p>\n",
                       report_.instance.start, report_.instance.end, escaped(options_.how));
    if (!outcome.message.empty()) out << "<p>" << escaped(outcome.message) << "</p>\n";
    if (report_.audit) audit(*report_.audit, out);
  }

  // The contradictions of an audit, with their stretches of time.
  static void audit(const AuditResult& found, std::ostream& out) {
    out << "<p class=\"audit\">audit: " << escaped(audit_line(found)) << "</p>\n";
    if (found.failures.empty()) return;
    out << "<ul class=\"audit\">\n";
    for (const AuditFailure& failure : found.failures)
      out << fmt::format("<li><span class=\"outcome early\">t = {:.6g} … {:.6g}</span> {}</li>\n",
                         failure.from, failure.to, escaped(failure.text));
    out << "</ul>\n";
  }

  void picture(std::ostream& out) const {
    out << R"(<h2>Picture</h2>
<div id="controls">
<div class="row"><span class="buttons"><button type="button" id="in" title="+">zoom in</button> <button type="button" id="out" title="-">zoom out</button> <button type="button" id="all" title="0">whole run</button></span>
<span id="range" class="faint"></span>
<button type="button" id="save-curves" title="all samples of this page, as CSV">CSV</button></div>
<fieldset id="states"><legend>show</legend></fieldset>
<fieldset id="plane"><legend>phase portrait</legend><label>across <select id="portrait-across"></select></label> <label>up <select id="portrait-up"></select></label></fieldset>
</div>
<div id="picture"><div id="pictures"><div id="time-picture"></div><div id="portrait" hidden></div></div><div id="hover" role="status"></div></div>
<ul class="key" id="key"></ul>
<div id="slide"><label for="event-slider">event</label>
<button type="button" id="event-back" aria-label="event before">◀</button><input type="range" id="event-slider" min="0" max="0" step="1" value="0"><button type="button" id="event-next" aria-label="event after">▶</button>
<output id="event-told" for="event-slider"></output></div>
<div id="detail" hidden></div>
<p class="faint on-screen">Drag over a stretch of time to zoom in, double-click for the whole run; shift or ctrl with the wheel, and the keys + − ← → 0, do
the same. Point at a panel for time and mode; click an event, or move the slider, for its classification.</p>
<dialog id="enlarged" aria-labelledby="enlarged-title"><div class="bar"><h2 id="enlarged-title"></h2><span class="buttons"><button type="button" id="enlarged-in">zoom in</button>
<button type="button" id="enlarged-out">zoom out</button> <button type="button" id="enlarged-all">whole run</button> <button type="button" id="enlarged-save">SVG</button>
<button type="button" id="enlarged-close" autofocus>close</button></span></div><div id="enlarged-panel"></div></dialog>
)";
    if (system_.states() > data_.states())
      out << fmt::format("<p class=\"faint\">{} of {} states are in this page.</p>\n", data_.states(),
                         system_.states());
  }

  void events(std::ostream& out) const {
    out << fmt::format("<h2>Events ({})</h2>\n", solution_.events.size());
    if (solution_.events.empty()) {
      out << "<p>None.</p>\n<div hidden>";
    }
    out << R"(<div id="pages" hidden><button type="button" id="page-back">◀ earlier</button><span id="page-text"></span><button type="button" id="page-next">later ▶</button></div>
<div class="scroll"><table id="events"><thead><tr><th class="n">t</th><th>event</th><th>where</th><th>mode</th><th class="n">w−</th><th class="n">w+</th><th>reason</th></tr></thead><tbody></tbody></table></div>
)";
    if (solution_.events.empty()) out << "</div>\n";
  }

  template <class Items, class Text>
  static std::string lines_of(const Items& items, const Text& text) {
    std::string lines;
    for (std::size_t i = 0; i < items.size() && i < most_lines; ++i) lines += escaped(text(items[i])) + "\n";
    if (items.size() > most_lines) lines += fmt::format("… and {} more\n", items.size() - most_lines);
    return lines;
  }

  void equations(std::ostream& out) const {
    std::set<std::string> names(model_.state_names.begin(), model_.state_names.end());
    for (const Parameter& parameter : model_.parameters) names.insert(parameter.name);
    const auto count =
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(model_.equations.size(), most_lines));
    const std::vector<std::string> shown(model_.equations.begin(), model_.equations.begin() + count);
    const std::vector<std::string> typeset = typeset_equations(shown, std::move(names));
    out << "<h2>Equations</h2>\n<div class=\"equations\">\n";
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const bool is_inside = shown[i].rfind("  ", 0) == 0;
      out << "<p class=\"equation" << (is_inside ? " inside" : "") << "\">" << typeset[i] << "</p>\n";
    }
    if (model_.equations.size() > most_lines)
      out << fmt::format("<p>… and {} more</p>\n", model_.equations.size() - most_lines);
    out << "</div>\n<details class=\"as-text\"><summary>as text</summary><pre>"
        << lines_of(model_.equations, [](const std::string& line) { return line; }) << "</pre></details>\n";
  }

  void model(std::ostream& out) const {
    equations(out);
    out << "<div class=\"columns\"><div class=\"scroll wide\"><h2>Parameters</h2>\n";
    if (report_.instance.parameters.empty()) {
      out << "<p>None.</p>\n";
    } else {
      std::map<std::string, const Parameter*> known;
      for (const Parameter& parameter : model_.parameters) known[parameter.name] = &parameter;
      out << "<table><tr><th>name</th><th class=\"n\">value</th><th></th></tr>\n";
      for (std::size_t i = 0; i < report_.instance.parameters.size() && i < most_lines; ++i) {
        const auto& [name, value] = report_.instance.parameters[i];
        const auto found = known.find(name);
        std::string note = found == known.end() ? "" : escaped(found->second->description);
        if (found != known.end() && found->second->value != value)
          note += fmt::format("{}(default {})", note.empty() ? "" : " ", found->second->value);
        out << fmt::format("<tr><td class=\"mono\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                           escaped(name), value, note);
      }
      out << "</table>\n";
    }
    out << "</div><div class=\"scroll wide\"><h2>Where it began and ended</h2>\n<table><tr><th>state</th>"
        << fmt::format("<th class=\"n\">t = {:.6g}</th><th class=\"n\">t = {:.10g}</th></tr>\n",
                       solution_.initial.t, solution_.final.t);
    for (Index i = 0; i < system_.states() && i < static_cast<Index>(most_lines); ++i) {
      out << fmt::format("<tr><td>{}</td><td class=\"n\">{:.10g}</td><td class=\"n\">{:.10g}</td></tr>\n",
                         escaped(system_.state_names()[static_cast<std::size_t>(i)]),
                         solution_.initial.state(i), solution_.final.state(i));
    }
    if (system_.surfaces() > 0) {
      out << fmt::format("<tr><td>mode</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                         mode_word(solution_.initial.mode), mode_word(solution_.final.mode));
    }
    if (!solution_.initial.location.empty()) {
      out << fmt::format("<tr><td>location</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                         escaped(solution_.initial.location), escaped(solution_.final.location));
    }
    out << "</table>\n";
    if (system_.surfaces() > 0) {
      out << "<p class=\"faint\">A mode has a sign for each surface, 0 while sliding along it; in this "
             "order: "
          << escaped(fmt::format(
                 "{}", fmt::join(system_.surface_names().begin(),
                                 system_.surface_names().begin() +
                                     std::min<std::ptrdiff_t>(std::ssize(system_.surface_names()), 24),
                                 ", ")))
          << (system_.surfaces() > 24 ? ", …" : "") << ".</p>\n";
    }
    out << "</div></div>\n";
  }

  void statistics(std::ostream& out) const {
    const Statistics& totals = solution_.statistics;
    out << "<h2>Statistics</h2>\n<div class=\"tiles\">\n";
    const auto tile = [&](const std::string& value, const char* name) {
      out << "<div class=\"tile\"><b>" << value << "</b><span>" << name << "</span></div>\n";
    };
    tile(fmt::format("{}", totals.events), "events");
    tile(fmt::format("{}", totals.steps), "steps");
    tile(fmt::format("{}", totals.field_evaluations), "field evaluations");
    tile(fmt::format("{}", totals.guard_evaluations), "guard evaluations");
    tile(fmt::format("{}", totals.jacobian_evaluations), "Jacobian evaluations");
    tile(fmt::format("{}", totals.restarts), "restarts");
    if (totals.largest_drift > 0)
      tile(fmt::format("{:.3g}", totals.largest_drift), "largest drift, in roundings");
    if (totals.dop853_steps > 0) tile(fmt::format("{}", totals.dop853_steps), "steps by dop853");
    if (std::isfinite(totals.stiff_from)) tile(fmt::format("{:.6g}", totals.stiff_from), "stiff from t =");
    if (std::isfinite(totals.wall_seconds))
      tile(fmt::format("{:.3g} ms", 1e3 * totals.wall_seconds), "wall time");
    out << "</div>\n";
    if (report_.friction.empty()) return;
    out << "<table><tr><th>friction</th><th class=\"n\">work</th><th class=\"n\">least work</th><th "
           "class=\"n\">stored at the start</th><th></th></tr>\n";
    for (std::size_t i = 0; i < report_.friction.size() && i < most_lines; ++i) {
      const FrictionWork& work = report_.friction[i];
      out << fmt::format(
          "<tr><td class=\"mono\">{}</td><td class=\"n\">{:.10g}</td><td class=\"n\">{:.10g}</td>"
          "<td class=\"n\">{:.10g}</td><td>{}</td></tr>\n",
          escaped(work.name), work.work, work.least_work, work.stored_at_start,
          work.passive ? "passive" : "gave more than it held");
    }
    out << "</table>\n";
  }

  const RunReport& report_;
  const Model& model_;
  const System& system_;
  const Solution& solution_;
  const HtmlOptions& options_;
  ReportData data_;
};

}  // namespace

void write_picture_data(const RunReport& report, std::ostream& out, const PlotOptions& picture) {
  ReportData(report, picture).write(out);
}

void write_html(const RunReport& report, const Model& model, std::ostream& out, const HtmlOptions& options) {
  Page(report, model, options).write(out);
}

}  // namespace slideway
