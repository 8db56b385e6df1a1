#include "apps/comparison_documents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "slideway/io/csv.hpp"

namespace slideway::apps {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

Json state(const ComparedModel& model, ConstVectorRef x) {
  Json object = Json::object();
  for (Index i = 0; i < x.size(); ++i)
    object[model.instance.system.state_names()[static_cast<std::size_t>(i)]] = number_or_null(x(i));
  return object;
}

Json attempt_object(const ComparedModel& model, const Attempt& attempt) {
  Json object = {{"method", to_string(attempt.approach)}};
  if (!attempt.obstacle.empty()) {
    object["obstacle"] = attempt.obstacle;
    return object;
  }
  const bool fixed = has_step(attempt.approach);
  object["epsilon"] = has_epsilon(attempt.approach) ? Json(attempt.setting.epsilon) : Json(nullptr);
  object["step"] = fixed ? Json(attempt.setting.step) : Json(nullptr);
  object["rtol"] = fixed ? Json(nullptr) : Json(attempt.setting.rtol);
  object["outcome"] = {{"status", to_string(attempt.outcome.status)},
                       {"t", number_or_null(attempt.outcome.t)},
                       {"message", attempt.outcome.message}};
  object["final"] = state(model, attempt.final);
  object["final_error"] = number_or_null(attempt.final_error);
  object["largest_error"] = number_or_null(attempt.largest_error);
  Json errors = Json::array();
  for (const double error : attempt.errors) errors.push_back(number_or_null(error));
  object["errors"] = std::move(errors);
  object["field_evaluations"] = attempt.evaluations;
  object["steps"] = attempt.statistics.steps;
  object["events"] = attempt.statistics.events;
  object["wall_seconds"] = attempt.wall_median;
  object["repeats"] = attempt.repeats;
  return object;
}

// The column of each checkpoint among the output times.
std::vector<Index> checkpoint_columns(const Comparison& comparison) {
  std::vector<Index> columns;
  for (const double checkpoint : comparison.checkpoints) {
    const auto found = std::lower_bound(comparison.times.begin(), comparison.times.end(), checkpoint);
    columns.push_back(static_cast<Index>(found - comparison.times.begin()));
  }
  return columns;
}

}  // namespace

void write_comparison_json(const ComparedModel& model, const Comparison& comparison, std::ostream& out) {
  const ComparisonPlan& plan = comparison.plan;
  Json parameters = Json::object();
  for (const auto& [name, value] : model.instance.parameters) parameters[name] = number_or_null(value);
  Json document = {{"schema", "slideway.compare/1"}, {"model", model.name}, {"parameters", parameters}};
  document["start"] = number_or_null(model.instance.start);
  document["end"] = number_or_null(comparison.end);
  document["integrator"] = to_string(model.options.method);
  document["epsilon"] = number_or_null(*plan.epsilon);
  document["step"] = number_or_null(*plan.step);
  document["bisections"] = plan.bisections;
  Json& reference = document["reference"] = {{"method", "filippov"}, {"rtol", comparison.reference_rtol}};
  reference["outcome"] = {{"status", to_string(comparison.reference_outcome.status)},
                          {"t", number_or_null(comparison.reference_outcome.t)},
                          {"message", comparison.reference_outcome.message}};
  reference["final"] = state(model, comparison.reference.rightCols(1));
  reference["sizes"] = state(model, comparison.sizes);
  document["checkpoints"] = comparison.checkpoints;
  document["equivalent_control_differs"] = number_or_null(comparison.equivalent_control_differs);
  Json& methods = document["methods"] = Json::array();
  for (const Attempt& attempt : comparison.attempts) methods.push_back(attempt_object(model, attempt));
  Json& tables = document["convergence"] = Json::array();
  for (const Convergence& table : comparison.convergence) {
    Json levels = Json::array();
    for (const Level& level : table.levels) {
      levels.push_back({{"parameter", level.parameter},
                        {"largest_error", number_or_null(level.largest_error)},
                        {"final_error", number_or_null(level.final_error)},
                        {"order", number_or_null(level.order)},
                        {"field_evaluations", level.evaluations},
                        {"events", level.events}});
    }
    tables.push_back(
        {{"method", to_string(table.approach)}, {"order", number_or_null(table.order)}, {"levels", levels}});
  }
  Json& stops = document["convergence_stopped"] = Json::array();
  for (const ConvergenceStop& stop : comparison.convergence_stops) {
    stops.push_back({{"method", to_string(stop.approach)},
                     {"parameter", stop.parameter},
                     {"status", to_string(stop.outcome.status)},
                     {"t", number_or_null(stop.outcome.t)},
                     {"message", stop.outcome.message}});
  }
  if (plan.target) {
    Json& equal = document["equal_error"] = {{"target", *plan.target}};
    equal["methods"] = Json::array();
    for (const EqualError& found : comparison.equal_error) {
      Json object = attempt_object(model, found.attempt);
      object["reached"] = found.reached;
      equal["methods"].push_back(std::move(object));
    }
  }
  out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_comparison_csv(const ComparedModel& model, const Comparison& comparison, std::ostream& out) {
  out << "method,t";
  for (const std::string& name : model.instance.system.state_names()) out << ',' << csv_cell(name);
  out << ",error\n";
  const std::vector<Index> columns = checkpoint_columns(comparison);
  const auto rows = [&](const char* name, const Matrix& states, const std::vector<double>* errors) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      fmt::print(out, "{},{}", name, comparison.checkpoints[k]);
      for (Index i = 0; i < states.rows(); ++i) fmt::print(out, ",{}", cell(states(i, columns[k])));
      fmt::print(out, ",{}\n", errors ? cell((*errors)[k]) : "0");
    }
  };
  rows("reference", comparison.reference, nullptr);
  for (const Attempt& attempt : comparison.attempts) {
    if (attempt.obstacle.empty()) rows(to_string(attempt.approach), attempt.outputs, &attempt.errors);
  }
}

ComparisonPicture comparison_picture(const ComparedModel& model, const Comparison& comparison) {
  const System& system = model.instance.system;
  ComparisonPicture picture;
  picture.title = fmt::format("{}: the surface {} = 0", model.name,
                              system.surface_names()[static_cast<std::size_t>(comparison.watched)]);
  picture.guard_name = system.surface_names()[static_cast<std::size_t>(comparison.watched)];
  picture.times = comparison.times;
  picture.zoom_from = comparison.zoom_from;
  picture.zoom_to = comparison.zoom_to;
  const bool portrait = system.states() == 2;
  if (portrait) {
    picture.across_name = system.state_names()[0];
    picture.up_name = system.state_names()[1];
  }
  Vector guards(system.surfaces());
  const auto add = [&](const std::string& name, const Matrix& states) {
    ComparedCurve curve;
    curve.name = name;
    for (Index k = 0; k < states.cols(); ++k) {
      const bool known = states.col(k).allFinite();
      if (known) system.guards(comparison.times[static_cast<std::size_t>(k)], states.col(k), guards);
      curve.guard.push_back(known ? guards[comparison.watched] : std::numeric_limits<double>::quiet_NaN());
      if (!portrait) continue;
      curve.across.push_back(states(0, k));
      curve.up.push_back(states(1, k));
    }
    picture.curves.push_back(std::move(curve));
  };
  add("filippov", comparison.reference);
  for (const Attempt& attempt : comparison.attempts) {
    if (attempt.obstacle.empty() && attempt.approach != Approach::filippov)
      add(to_string(attempt.approach), attempt.outputs);
  }
  return picture;
}

}  // namespace slideway::apps
