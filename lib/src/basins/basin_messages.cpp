#include "basins/basin_messages.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace slideway {

namespace {

using Json = nlohmann::json;

Json json_of(const Vector& x) { return std::vector<double>(x.data(), x.data() + x.size()); }

Vector vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

// Runs of equal numbers: a number, then how often it stands there.
std::vector<long long> packed(const std::vector<int>& values) {
  std::vector<long long> result;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k == 0 || values[k] != values[k - 1]) result.insert(result.end(), {values[k], 0});
    ++result.back();
  }
  return result;
}

std::vector<int> unpacked(const std::vector<long long>& runs) {
  std::vector<int> result;
  for (std::size_t k = 0; k + 1 < runs.size(); k += 2)
    result.insert(result.end(), static_cast<std::size_t>(runs[k + 1]), static_cast<int>(runs[k]));
  return result;
}

Json json_of(const FoundAttractor& found) {
  Json iterates = Json::array();
  for (const Iterate& iterate : found.iterates)
    iterates.push_back({iterate.t, json_of(iterate.state), iterate.location, iterate.mode});
  return {{"rounds", found.rounds}, {"iterates", iterates}};
}

FoundAttractor found_from(const Json& json) {
  FoundAttractor found{.rounds = json.at("rounds").get<Index>()};
  for (const Json& iterate : json.at("iterates"))
    found.iterates.push_back({iterate.at(0).get<double>(), vector_of(iterate.at(1)),
                              iterate.at(2).get<std::string>(), iterate.at(3).get<std::string>()});
  return found;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string knowledge_text(const StageKnowledge& knowledge) {
  Json attractors = Json::array();
  for (const KnownAttractor& attractor : knowledge.ends.attractors()) {
    Json points = Json::array();
    for (const Vector& point : attractor.points) points.push_back(json_of(point));
    attractors.push_back({attractor.end, static_cast<int>(attractor.kind), attractor.stable, attractor.rounds,
                          attractor.location, points});
  }
  return dumped({{"names", knowledge.ends.names()},
                 {"attractors", attractors},
                 {"stride", knowledge.stride},
                 {"colours", packed(knowledge.colours)}});
}

StageKnowledge knowledge_from(const std::string& text, const StateGrid& grid) {
  const Json json = Json::parse(text);
  std::vector<KnownAttractor> attractors;
  for (const Json& attractor : json.at("attractors")) {
    KnownAttractor known{.end = attractor.at(0).get<int>(),
                         .kind = static_cast<AttractorKind>(attractor.at(1).get<int>()),
                         .stable = attractor.at(2).get<bool>(),
                         .rounds = attractor.at(3).get<Index>(),
                         .location = attractor.at(4).get<std::string>()};
    for (const Json& point : attractor.at(5)) known.points.push_back(vector_of(point));
    attractors.push_back(std::move(known));
  }
  return {.ends = KnownEnds(grid, json.at("names").get<std::vector<std::string>>(), std::move(attractors)),
          .stride = json.at("stride").get<Index>(),
          .colours = unpacked(json.at("colours").get<std::vector<long long>>())};
}

// The stage, the length of the knowledge, the knowledge, the starts.
std::string task_text(const BasinTask& task) {
  return std::to_string(task.stage) + ' ' + std::to_string(task.knowledge.size()) + '\n' + task.knowledge +
         dumped(task.starts);
}

BasinTask task_from(const std::string& text, Index known_stage) {
  const std::size_t blank = text.find(' '), line = text.find('\n');
  BasinTask task{.stage = std::stoll(text.substr(0, blank))};
  const std::size_t length = std::stoull(text.substr(blank + 1, line - blank - 1));
  if (task.stage != known_stage) task.knowledge = text.substr(line + 1, length);
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(line + 1 + length);
  task.starts = Json::parse(begin, text.end()).get<std::vector<Index>>();
  return task;
}

std::string results_text(const std::vector<FollowedStart>& results) {
  Json rows = Json::array();
  for (const FollowedStart& followed : results) {
    const StartEnd& end = followed.end;
    Json row = {followed.start, end.known, end.steps};
    if (end.found) {
      row.push_back(json_of(*end.found));
    } else if (end.known < 0) {
      row.push_back(end.name);
      row.push_back(end.message);
    }
    rows.push_back(std::move(row));
  }
  return dumped(rows);
}

std::vector<FollowedStart> results_from(const std::string& text) {
  std::vector<FollowedStart> results;
  for (const Json& row : Json::parse(text)) {
    FollowedStart followed{.start = row.at(0).get<Index>()};
    followed.end.known = row.at(1).get<int>();
    followed.end.steps = row.at(2).get<Index>();
    if (row.size() == 4) followed.end.found = found_from(row.at(3));
    if (row.size() == 5) {
      followed.end.name = row.at(3).get<std::string>();
      followed.end.message = row.at(4).get<std::string>();
    }
    results.push_back(std::move(followed));
  }
  return results;
}

}  // namespace slideway
