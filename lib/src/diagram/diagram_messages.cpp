#include "diagram/diagram_messages.hpp"

#include <nlohmann/json.hpp>

namespace slideway {

namespace {

using DiagramJson = nlohmann::json;

DiagramJson json_of_vector(const Vector& x) { return std::vector<double>(x.data(), x.data() + x.size()); }

Vector vector_of_json(const DiagramJson& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

DiagramJson json_of(const std::vector<std::optional<Iterate>>& begins) {
  DiagramJson list = DiagramJson::array();
  for (const auto& begin : begins)
    list.push_back(begin ? DiagramJson({begin->t, json_of_vector(begin->state), begin->location, begin->mode})
                         : DiagramJson(nullptr));
  return list;
}

std::vector<std::optional<Iterate>> begins_from(const DiagramJson& json) {
  std::vector<std::optional<Iterate>> begins;
  for (const DiagramJson& begin : json) {
    begins.emplace_back();
    if (!begin.is_null())
      begins.back() = Iterate{begin.at(0).get<double>(), vector_of_json(begin.at(1)),
                              begin.at(2).get<std::string>(), begin.at(3).get<std::string>()};
  }
  return begins;
}

DiagramJson json_of(const DiagramCurve& curve) {
  DiagramJson points = DiagramJson::array(), special = DiagramJson::array();
  for (const DiagramCurvePoint& point : curve.points)
    points.push_back({point.first, point.second, point.kind});
  for (const DiagramSpecialPoint& point : curve.special)
    special.push_back({point.name, point.first, point.second, point.reason});
  return {curve.of_equilibria, curve.kind,   curve.rounds, curve.before,  curve.after,
          curve.reason,        curve.closed, points,       curve.message, special};
}

DiagramCurve curve_from(const DiagramJson& json) {
  DiagramCurve curve{.of_equilibria = json.at(0).get<bool>(),
                     .kind = json.at(1).get<std::string>(),
                     .rounds = json.at(2).get<Index>(),
                     .before = json.at(3).get<std::string>(),
                     .after = json.at(4).get<std::string>(),
                     .reason = json.at(5).get<std::string>(),
                     .closed = json.at(6).get<bool>(),
                     .message = json.at(8).get<std::string>()};
  for (const DiagramJson& point : json.at(7))
    curve.points.push_back(
        {point.at(0).get<double>(), point.at(1).get<double>(), point.at(2).get<std::string>()});
  for (const DiagramJson& point : json.at(9))
    curve.special.push_back({point.at(0).get<std::string>(), point.at(1).get<double>(),
                             point.at(2).get<double>(), point.at(3).get<std::string>()});
  return curve;
}

std::string text_of_json(const DiagramJson& json) {
  return json.dump(-1, ' ', false, DiagramJson::error_handler_t::replace);
}

}  // namespace

std::string task_text(const DiagramTask& task) {
  DiagramJson candidates = DiagramJson::array();
  for (const CurveCandidate& one : task.candidates)
    candidates.push_back({one.of_equilibria, one.from_across, one.from_up, one.to_across, one.to_up,
                          json_of_vector(one.state), one.location, one.period, one.rounds});
  std::vector<std::optional<Iterate>> begins;
  for (const RowBegins& row : task.begins) begins.insert(begins.end(), {row.forward, row.backward});
  return text_of_json({task.stage, task.items, json_of(begins), candidates});
}

DiagramTask diagram_task_from(const std::string& text) {
  const DiagramJson json = DiagramJson::parse(text);
  DiagramTask task{.stage = json.at(0).get<Index>(), .items = json.at(1).get<std::vector<Index>>()};
  const std::vector<std::optional<Iterate>> begins = begins_from(json.at(2));
  for (std::size_t k = 0; k + 1 < begins.size(); k += 2) task.begins.push_back({begins[k], begins[k + 1]});
  for (const DiagramJson& one : json.at(3))
    task.candidates.push_back({.of_equilibria = one.at(0).get<bool>(),
                               .from_across = one.at(1).get<Index>(),
                               .from_up = one.at(2).get<Index>(),
                               .to_across = one.at(3).get<Index>(),
                               .to_up = one.at(4).get<Index>(),
                               .state = vector_of_json(one.at(5)),
                               .location = one.at(6).get<std::string>(),
                               .period = one.at(7).get<double>(),
                               .rounds = one.at(8).get<Index>()});
  return task;
}

std::string result_text(const DiagramResult& result) {
  DiagramJson curves = DiagramJson::array();
  for (const DiagramCurve& curve : result.curves) curves.push_back(json_of(curve));
  return text_of_json({result.stage, result.item, json_of(result.begins), result.lines, curves});
}

DiagramResult diagram_result_from(const std::string& text) {
  const DiagramJson json = DiagramJson::parse(text);
  DiagramResult result{.stage = json.at(0).get<Index>(),
                       .item = json.at(1).get<Index>(),
                       .begins = begins_from(json.at(2)),
                       .lines = json.at(3).get<std::vector<std::string>>()};
  for (const DiagramJson& curve : json.at(4)) result.curves.push_back(curve_from(curve));
  return result;
}

}  // namespace slideway
