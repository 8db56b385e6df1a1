#include "slideway/io/json.hpp"

#include <ostream>

#include "report/event_json.hpp"
#include "slideway/audit/audit.hpp"

namespace slideway {

namespace {

class JsonWriter {
 public:
  JsonWriter(const RunReport& report, const JsonOptions& options)
      : report_(report),
        system_(report.instance.system),
        states_in_events_(options.full_events || system_.states() <= kMostStatesInEvents),
        whole_words_(options.full_events || system_.surfaces() <= kMostSurfacesInEvents) {}

  // One line per member and per event: readable, and a long event log never exists twice in memory.
  void write(std::ostream& out) const {
    write_members(out);
    out << "\n}\n";
  }

  // Everything but the closing brace.
  void write_members(std::ostream& out) const {
    const Solution& solution = report_.solution;
    Json parameters = Json::object();
    for (const auto& [name, value] : report_.instance.parameters) parameters[name] = number_or_null(value);
    const Json outcome = {{"status", to_string(solution.outcome.status)},
                          {"t", number_or_null(solution.outcome.t)},
                          {"message", solution.outcome.message}};
    out << "{\n\"schema\": \"slideway.run/1\",\n\"model\": " << text(report_.model)
        << ",\n\"parameters\": " << text(parameters) << ",\n\"outcome\": " << text(outcome)
        << ",\n\"initial\": " << text(snapshot(solution.initial))
        << ",\n\"final\": " << text(snapshot(solution.final)) << ",\n\"events\": [";
    const char* separator = "\n";
    std::size_t number = 0;
    std::string location = solution.initial.location;
    for (const EventRecord& record : solution.events) {
      Json object = event(record, location);
      location = record.to_location.value_or(location);
      if (solution.sensitivities) object["sensitivity"] = event_derivatives(number++);
      out << separator << text(object);
      separator = ",\n";
    }
    Json totals = statistics(solution.statistics);
    if (!report_.friction.empty()) totals["friction"] = friction(report_.friction);
    out << "],\n\"statistics\": " << text(totals) << ",\n\"warnings\": " << text(Json(solution.warnings));
    if (solution.sensitivities) out << ",\n\"sensitivities\": " << text(derivatives());
    if (report_.audit) out << ",\n\"audit\": " << text(audit(*report_.audit));
    if (report_.gradients) out << ",\n\"gradients\": " << text(gradients(*report_.gradients));
    if (report_.section) out << ",\n\"section\": " << text(section());
  }

 private:
  // A user's message may hold anything: bytes that are not UTF-8 are replaced, not thrown about.
  static std::string text(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  static Json audit(const AuditResult& found) {
    Json failures = Json::array();
    for (const AuditFailure& failure : found.failures)
      failures.push_back(
          {{"from", failure.from}, {"to", failure.to}, {"of", failure.state}, {"text", failure.text}});
    const Json worst = found.worst_state.empty() ? Json(nullptr)
                                                 : Json{{"defect", number_or_null(found.worst)},
                                                        {"state", found.worst_state},
                                                        {"t", number_or_null(found.worst_t)}};
    return {{"verdict", to_string(found.verdict)},
            {"points", found.points},
            {"undecided", found.undecided},
            {"worst", worst},
            {"failures", failures}};
  }

  Json state(const Vector& x) const { return named(system_.state_names(), x); }

  static Json named(const std::vector<std::string>& names, const Vector& values) {
    // Appended, not looked up: an ordered object is searched from its beginning.
    Json::object_t object;
    object.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      object.push_back({names[i], number_or_null(values(static_cast<Index>(i)))});
    return object;
  }

  Json snapshot(const Snapshot& at) const {
    Json object = {{"t", number_or_null(at.t)},
                   {"mode", at.mode.word()},
                   {"location", at.location.empty() ? Json(nullptr) : Json(at.location)},
                   {"state", state(at.state)}};
    if (report_.observation) {
      const Vector& values = report_.observation->at(at.t, at.state, at.mode, at.location);
      object["observed"] = named(report_.observation->names(), values);
    }
    return object;
  }

  // `location` is that before the event.
  Json event(const EventRecord& record, const std::string& location) const {
    const auto word = [&](const Mode& mode) {
      return whole_words_ && !record.listed_only ? mode.word() : listed_word(record, mode);
    };
    Json object = event_json(record, word);
    const bool not_unique = record.kind == EventKind::repelling || record.kind == EventKind::two_fold ||
                            record.kind == EventKind::ambiguous;
    if (not_unique) object["continuations"] = words_of(record.continuations, word);
    if (!record.in_convex_hull.empty()) object["in_convex_hull"] = words_of(record.in_convex_hull, word);
    if (states_in_events_ && record.after.size() > 0) {
      object["before"] = state(record.before);
      object["after"] = state(record.after);
      add_observed_jump(record, location, object);
    }
    object["reason"] = record.reason;
    return object;
  }

  // The observed quantities on both sides of an event, where both are known.
  void add_observed_jump(const EventRecord& record, const std::string& location, Json& object) const {
    const bool is_known = record.before.size() > 0 && record.from && record.to && !record.listed_only;
    if (!report_.observation || !is_known) return;
    const auto at = [&](const Vector& x, const Mode& mode, const std::string& where) {
      return named(report_.observation->names(), report_.observation->at(record.t, x, mode, where));
    };
    object["observed"] = {
        {"before", at(record.before, *record.from, record.from_location.value_or(location))},
        {"after", at(record.after, *record.to, record.to_location.value_or(location))}};
  }

  // Rows by the names of states, or of what is observed; in them one number for each parameter.
  Json derivative_rows(const std::vector<std::string>& names, const Matrix& values) const {
    Json::object_t object;
    for (std::size_t i = 0; i < names.size(); ++i)
      object.push_back({names[i], by_parameter(values.row(static_cast<Index>(i)).transpose())});
    return object;
  }
  Json by_parameter(const Vector& values) const {
    return named(report_.solution.sensitivities->names(), values);
  }

  Json event_derivatives(std::size_t number) const {
    return derivatives_at(report_.solution.sensitivities->events()[number]);
  }

  Json derivatives_at(const EventSensitivity& at) const {
    Json object = {{"t", by_parameter(at.time)}, {"exists", at.exists}};
    if (!at.exists) object["reason"] = at.reason;
    if (at.time_below.size() > 0) {
      object["t_below"] = by_parameter(at.time_below);
      object["t_above"] = by_parameter(at.time_above);
    }
    if (!states_in_events_) return object;
    object["before"] = derivative_rows(system_.state_names(), at.before);
    object["after"] = derivative_rows(system_.state_names(), at.after);
    if (at.after_below.size() > 0) {
      object["after_below"] = derivative_rows(system_.state_names(), at.after_below);
      object["after_above"] = derivative_rows(system_.state_names(), at.after_above);
    }
    if (at.saltation.size() > 0) {
      Json::object_t rows;
      for (Index i = 0; i < at.saltation.rows(); ++i)
        rows.push_back(
            {system_.state_names()[static_cast<std::size_t>(i)], state(at.saltation.row(i).transpose())});
      object["saltation"] = rows;
    }
    return object;
  }

  Json derivatives() const {
    const Sensitivities& found = *report_.solution.sensitivities;
    Json object = {{"by", found.names()},
                   {"exist_until", number_or_null(found.exists_until())},
                   {"reason", found.reason()},
                   {"final", derivative_rows(system_.state_names(), found.final())}};
    if (found.start()) object["start"] = derivatives_at(*found.start());
    if (report_.observation && report_.observed_sensitivity) {
      const Snapshot& end = report_.solution.final;
      object["observed"] = derivative_rows(
          report_.observation->names(),
          report_.observed_sensitivity->at(end.t, end.state, end.mode, end.location, found.final()));
    }
    return object;
  }

  static Json gradients(const FinalGradients& found) {
    Json::object_t rows;
    for (std::size_t i = 0; i < found.quantities.size(); ++i)
      rows.push_back(
          {found.quantities[i], named(found.by, found.gradients.row(static_cast<Index>(i)).transpose())});
    return {{"by", found.by},
            {"left_out", found.left_out},
            {"exist_until", number_or_null(found.exists_until)},
            {"reason", found.reason},
            {"final", rows}};
  }

  Json section() const {
    Json points = Json::array();
    for (const SectionPoint& point : section_points(*report_.section, system_, report_.solution))
      points.push_back({{"t", number_or_null(point.t)},
                        {"location", point.location.empty() ? Json(nullptr) : Json(point.location)},
                        {"state", state(point.state)}});
    return {{"name", report_.section->name},
            {"direction", to_string(report_.section->direction)},
            {"points", points}};
  }

  static Json friction(const std::vector<FrictionWork>& works) {
    Json list = Json::array();
    for (const FrictionWork& work : works) {
      list.push_back({{"name", work.name},
                      {"work", number_or_null(work.work)},
                      {"least_work", number_or_null(work.least_work)},
                      {"stored_at_start", number_or_null(work.stored_at_start)},
                      {"passivity_margin", number_or_null(work.margin)},
                      {"passive", work.passive}});
    }
    return list;
  }

  static Json statistics(const Statistics& totals) {
    return {{"steps", totals.steps},
            {"field_evaluations", totals.field_evaluations},
            {"guard_evaluations", totals.guard_evaluations},
            {"jacobian_evaluations", totals.jacobian_evaluations},
            {"restarts", totals.restarts},
            {"events", totals.events},
            {"integrator_roots", totals.integrator_roots},
            {"dop853_steps", totals.dop853_steps},
            {"krylov_iterations", totals.krylov_iterations},
            {"stiff_from", number_or_null(totals.stiff_from)},
            {"largest_drift", number_or_null(totals.largest_drift)},
            {"wall_seconds", number_or_null(totals.wall_seconds)}};
  }

  const RunReport& report_;
  const System& system_;
  bool states_in_events_;
  bool whole_words_;
};

}  // namespace

void write_json(const RunReport& report, std::ostream& out, const JsonOptions& options) {
  JsonWriter(report, options).write(out);
}

namespace {

void write_branch(const RunReport& root, const Branch& branch, const bool* complete, std::ostream& out,
                  const JsonOptions& options) {
  const RunReport report{.model = root.model,
                         .instance = root.instance,
                         .solution = branch.solution,
                         .observation = root.observation};
  JsonWriter(report, options).write_members(out);
  if (complete) out << ",\n\"complete\": " << (*complete ? "true" : "false");
  out << ",\n\"branches\": [";
  const char* separator = "\n";
  for (const Branch& child : branch.branches) {
    out << separator;
    write_branch(root, child, nullptr, out, options);
    separator = ",\n";
  }
  out << "]\n}";
}

}  // namespace

void write_json(const RunReport& report, const BranchTree& tree, std::ostream& out,
                const JsonOptions& options) {
  write_branch(report, tree.root, &tree.complete, out, options);
  out << '\n';
}

}  // namespace slideway
