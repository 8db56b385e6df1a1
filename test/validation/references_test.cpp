// The suite's references against reference/expected.json, so that no number is mistyped in either.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "validation/case.hpp"

using namespace slideway;
using namespace slideway::validation;

namespace {

nlohmann::json expected_results() {
  std::ifstream file(SLIDEWAY_SOURCE_DIR "/validation/reference/expected.json");
  REQUIRE(file.good());
  return nlohmann::json::parse(file);
}

// Errors of a few last digits come from closed forms that are evaluated in double precision.
bool same(double left, double right) {
  return std::abs(left - right) <= 4e-15 * std::max(1.0, std::abs(right));
}

void check_same_numbers(const std::vector<double>& left, const std::vector<double>& right) {
  REQUIRE(left.size() == right.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    CAPTURE(k);
    CHECK(same(left[k], right[k]));
  }
}

// q1 … qN, v1 … vN: the states of a chain, where its functor does not name them.
std::string chain_name(std::size_t k, Index states) {
  const std::size_t blocks = static_cast<std::size_t>(states) / 2;
  return (k < blocks ? "q" : "v") + std::to_string(k % blocks + 1);
}

// "slide S2+", "D1(+-)", "stay" as mode words.
std::string mode_word(const std::string& name) {
  if (name == "stay") return "00";
  if (name.rfind("slide S", 0) == 0) {
    return name[7] == '1' ? std::string{'0', name[8]} : std::string{name[8], '0'};
  }
  return name.size() == 6 ? name.substr(3, 2) : "";
}

void check_corner(const Case& problem, const nlohmann::json& result) {
  const Reference& reference = problem.reference;
  std::set<std::string> consistent, beyond;
  for (const nlohmann::json& mode : result["consistent_modes"]) consistent.insert(mode[0]);
  for (const nlohmann::json& name : result["in_convex_hull"]) beyond.insert(mode_word(name));
  for (const std::string& word : consistent) beyond.erase(word);
  CHECK(std::set<std::string>(reference.corner->beyond.begin(), reference.corner->beyond.end()) == beyond);
  check_same_numbers(reference.times, {result["t_arrival"].get<double>()});
  if (consistent.size() == 1) {
    CHECK(reference.modes.back() == *consistent.begin());
  } else {
    const std::vector<std::string>& all = reference.corner->continuations;
    CHECK(std::set<std::string>(all.begin(), all.end()) == consistent);
  }
  // The title says what the table says, and whether the two agree.
  const std::string table = mode_word(result["paper_rule"]);
  CHECK(problem.title.find("the paper's table " + (table.empty() ? "nothing" : table)) != std::string::npos);
  const std::string agreement = consistent.size() > 1     ? "not unique"
                                : consistent.count(table) ? "they agree"
                                                          : "they differ";
  CHECK(problem.title.ends_with(agreement));
}

}  // namespace

TEST_CASE("the suite says the same as the reference results") {
  const nlohmann::json expected = expected_results();
  std::set<std::string> found;
  for (const Case& problem : all_cases()) {
    if (!expected.contains(problem.id)) continue;
    found.insert(problem.id);
    CAPTURE(problem.id);
    const nlohmann::json& result = expected[problem.id];
    CHECK(problem.run.end == doctest::Approx(result["t_end"].get<double>()).epsilon(1e-15));
    if (!result["final"].is_null()) {
      std::vector<double> final;
      for (const std::string& name : problem.system.state_names()) {
        const nlohmann::json& all = result["final"];
        const bool named = all.contains(name);
        final.push_back(all[named ? name : chain_name(final.size(), problem.system.states())].get<double>());
      }
      check_same_numbers(problem.reference.final, final);
    }
    if (!result["times"].is_null()) check_same_numbers(problem.reference.times, result["times"]);
    if (!result["modes"].is_null())
      CHECK(problem.reference.modes == result["modes"].get<std::vector<std::string>>());
    if (result.contains("rtol_from")) CHECK(problem.rtol_from == result["rtol_from"].get<double>());
    CHECK(to_string(problem.reference.status) == result.value("status", "reached_end"));
    if (result.contains("t_stop"))
      CHECK(same(problem.reference.times.back(), result["t_stop"].get<double>()));
    const std::string options = result.value("options", "");
    std::string policy;
    if (problem.on_ambiguity != Ambiguity::stop) {
      policy = "--on-ambiguity ";
      policy += to_string(problem.on_ambiguity);
    }
    if (problem.sliding_rule != SlidingRule::filippov) {
      policy += "--sliding-rule ";
      policy += to_string(problem.sliding_rule);
    }
    if (result.contains("codeword")) {
      REQUIRE(problem.reference.corner);
      CHECK(problem.reference.corner->code_word == result["codeword"].get<std::string>());
      check_corner(problem, result);
    }
    if (result.contains("zeno_time")) {
      REQUIRE_FALSE(problem.reference.landmarks.empty());
      CHECK(problem.reference.landmarks.front().t == result["zeno_time"].get<double>());
    }
    CHECK(options == policy);
  }
  for (const auto& [id, result] : expected.items()) {
    const std::string group = id.substr(0, 1);
    const std::string family = id.substr(0, 3);
    if (group == "A" || group == "C" || group == "D" || family == "B01" || family == "B03" ||
        family == "B04" || id == "F06" || family == "B05" || family == "B08" || family == "B11") {
      CAPTURE(id);
      CHECK(found.count(id) == 1);
    }
  }
}

TEST_CASE("every case is complete") {
  std::set<std::string> ids;
  for (const Case& problem : all_cases()) {
    CAPTURE(problem.id);
    CHECK(ids.insert(problem.id).second);
    CHECK_FALSE(problem.title.empty());
    CHECK_FALSE(problem.source.empty());
    const Reference& reference = problem.reference;
    CHECK((reference.modes.empty() ? reference.times.empty()
                                   : reference.modes.size() == reference.times.size() + 1));
    CHECK(std::is_sorted(reference.times.begin(), reference.times.end()));
    CHECK(event_kinds(reference).size() == reference.times.size());
    CHECK(reference.event_states.size() <= reference.times.size());
    CHECK((reference.status == Status::reached_end || !reference.times.empty() ||
           !reference.landmarks.empty()));
    for (const std::string& word : reference.modes) {
      CHECK((word.empty() || word.size() == static_cast<std::size_t>(problem.system.surfaces()) +
                                                problem.system.contacts().size()));
    }
    for (const double t : reference.times) CHECK((t >= problem.run.start && t <= problem.run.end));
    CHECK((reference.final.empty() || static_cast<Index>(reference.final.size()) == problem.system.states()));
    CHECK(problem.run.state.size() == problem.system.states());
  }
}

TEST_CASE("the guard with a transient has 62 roots, and the reference lists them") {
  for (const Case& problem : close_event_cases()) {
    if (problem.id != "transient") continue;
    const std::vector<double>& roots = problem.reference.times;
    CHECK(roots.size() == 62);
    const auto guard = [](double t) { return 1000 * std::exp(-t) + std::cos(t) + 0.5; };
    for (std::size_t k = 0; k < roots.size(); ++k) {
      const double sign = k % 2 == 0 ? 1 : -1;
      CHECK(sign * guard(roots[k] - 1e-9) > 0);
      CHECK(sign * guard(roots[k] + 1e-9) < 0);
    }
  }
}

TEST_CASE("all sixteen code words are held, each under Filippov's theory and under the paper's table") {
  std::set<std::string> theory, table;
  for (const Case& problem : code_word_cases()) {
    REQUIRE(problem.reference.corner);
    (problem.selection == Selection::consistent ? theory : table).insert(problem.reference.corner->code_word);
  }
  CHECK(theory.size() == 16);
  CHECK(table == theory);
}
