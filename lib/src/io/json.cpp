#include "slideway/io/json.hpp"

#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

namespace slideway {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <class Text>
Json text_or_null(const std::optional<Text>& text) {
  return text ? Json(*text) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

class Writer {
 public:
  Writer(const RunReport& report, const JsonOptions& options)
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
    for (const auto& [name, value] : report_.instance.parameters) parameters[name] = number(value);
    const Json outcome = {{"status", to_string(solution.outcome.status)},
                          {"t", number(solution.outcome.t)},
                          {"message", solution.outcome.message}};
    out << "{\n\"schema\": \"slideway.run/1\",\n\"model\": " << text(report_.model)
        << ",\n\"parameters\": " << text(parameters) << ",\n\"outcome\": " << text(outcome)
        << ",\n\"initial\": " << text(snapshot(solution.initial))
        << ",\n\"final\": " << text(snapshot(solution.final)) << ",\n\"events\": [";
    const char* separator = "\n";
    for (const EventRecord& record : solution.events) {
      out << separator << text(event(record));
      separator = ",\n";
    }
    Json totals = statistics(solution.statistics);
    if (!report_.friction.empty()) totals["friction"] = friction(report_.friction);
    out << "],\n\"statistics\": " << text(totals);
  }

 private:
  // A user's message may hold anything: bytes that are not UTF-8 are replaced, not thrown about.
  static std::string text(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  Json state(const Vector& x) const { return named(system_.state_names(), x); }

  static Json named(const std::vector<std::string>& names, const Vector& values) {
    // Appended, not looked up: an ordered object is searched from its beginning.
    Json::object_t object;
    object.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      object.push_back({names[i], number(values(static_cast<Index>(i)))});
    return object;
  }

  Json snapshot(const Snapshot& at) const {
    Json object = {{"t", number(at.t)},
                   {"mode", at.mode.word()},
                   {"location", at.location.empty() ? Json(nullptr) : Json(at.location)},
                   {"state", state(at.state)}};
    if (report_.observation) {
      const Vector& values = report_.observation->at(at.t, at.state, at.mode, at.location);
      object["observed"] = named(report_.observation->names(), values);
    }
    return object;
  }

  std::string word(const EventRecord& record, const Mode& mode) const {
    return whole_words_ && !record.listed_only ? mode.word() : listed_word(record, mode);
  }

  Json word_or_null(const EventRecord& record, const std::optional<Mode>& mode) const {
    return mode ? Json(word(record, *mode)) : Json(nullptr);
  }

  Json event(const EventRecord& record) const {
    Json object = {{"t", number(record.t)},
                   {"kind", to_string(record.kind)},
                   {"surfaces", record.surface_names},
                   {"name", text_or_null(record.name)},
                   {"from", word_or_null(record, record.from)},
                   {"to", word_or_null(record, record.to)},
                   {"from_location", text_or_null(record.from_location)},
                   {"to_location", text_or_null(record.to_location)},
                   {"w_minus", numbers(record.w_minus)},
                   {"w_plus", numbers(record.w_plus)},
                   {"lambda", numbers(record.lambda)},
                   {"codeword", text_or_null(record.codeword)}};
    const bool not_unique = record.kind == EventKind::repelling || record.kind == EventKind::two_fold ||
                            record.kind == EventKind::ambiguous;
    if (not_unique) {
      Json words = Json::array();
      for (const Mode& mode : record.continuations) words.push_back(word(record, mode));
      object["continuations"] = std::move(words);
    }
    if (!record.in_convex_hull.empty()) {
      Json words = Json::array();
      for (const Mode& mode : record.in_convex_hull) words.push_back(word(record, mode));
      object["in_convex_hull"] = std::move(words);
    }
    if (states_in_events_ && record.after.size() > 0) {
      object["before"] = state(record.before);
      object["after"] = state(record.after);
    }
    object["reason"] = record.reason;
    return object;
  }

  static Json friction(const std::vector<FrictionWork>& works) {
    Json list = Json::array();
    for (const FrictionWork& work : works) {
      list.push_back({{"name", work.name},
                      {"work", number(work.work)},
                      {"least_work", number(work.least_work)},
                      {"stored_at_start", number(work.stored_at_start)},
                      {"passivity_margin", number(work.margin)},
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
            {"stiff_from", number(totals.stiff_from)},
            {"largest_drift", number(totals.largest_drift)},
            {"wall_seconds", number(totals.wall_seconds)}};
  }

  const RunReport& report_;
  const System& system_;
  bool states_in_events_;
  bool whole_words_;
};

}  // namespace

void write_json(const RunReport& report, std::ostream& out, const JsonOptions& options) {
  Writer(report, options).write(out);
}

namespace {

void write_branch(const RunReport& root, const Branch& branch, const bool* complete, std::ostream& out,
                  const JsonOptions& options) {
  const RunReport report{.model = root.model,
                         .instance = root.instance,
                         .solution = branch.solution,
                         .observation = root.observation};
  Writer(report, options).write_members(out);
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
