// Group C03: the intersection of two surfaces with a constant field in each quadrant, for each of Korobitsyn & Frolova's
// sixteen code words. Every problem is run twice: as Filippov's theory has it, and under the paper's table.
//
// The motion slides along x = 0 into the corner. What follows there is known: every consistent mode (the columns
// `continuations`, found by exact enumeration), what the convex hull of the fields admits beyond them, and what the table
// says. The table is obeyed where what it says is a motion at all. Where its fields point back, the table and the fields say different
// things: the run has to stop, and lists both.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/corner.hpp"
#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

struct Problem {
  const char* word;      // w4w3w2w1
  models::Corner field;  // ++, -+, --, +-
  double y;              // the start, on x = 0
  double end;
  std::vector<std::string> continuations;  // all consistent modes at the corner
  std::vector<std::string> beyond;         // what the convex hull admits besides; 00 is to stay
  std::string table;                       // the mode of the paper's table; empty where it says none
};

std::vector<Problem> problems() {
  return {
      {"0000", {-1, -1, 1, -1, 1, 1, -1, 1}, -1, 3, {"00"}, {}, "00"},
      {"0000", {1, -1, 1, -1, 1, -1, -2, 3}, -1, 7, {"+0"}, {}, "00"},
      {"0000", {1, 1, 1, -2, 1, 1, -2, 1}, -1, 3, {"++"}, {"00"}, "00"},
      {"0001", {-1, 1, 1, 1, 1, 1, -1, 1}, -1, 3, {"0+"}, {}, "0+"},
      {"0010", {2, -1, 2, -1, 1, 1, -1, 1}, -1, 3, {"+0"}, {}, "+0"},
      {"0010", {2, -1, 1, -1, 1, 2, -1, -1}, -1, 5, {"00"}, {}, "+0"},
      {"0010", {2, -1, 1, -1, 1, 1, -1, 1}, -1, 3, {"+0"}, {"00"}, "+0"},
      {"0011", {2, 1, 1, 1, 1, 1, -1, 1}, -1, 3, {"++"}, {}, "++"},
      {"0011", {2, -1, 1, 2, 1, 1, -1, 1}, -1, 3, {"+0"}, {}, "++"},
      {"0011", {2, 1, 1, 1, 1, 2, -1, -1}, -1, 4, {"++", "+0", "00"}, {}, "++"},
      {"0100", {-1, -1, 1, -1, 1, -1, -1, -1}, 1, 3, {"0-"}, {}, "0-"},
      {"0101", {-1, 1, 1, 1, 1, 1, -3, -2}, -1, 9, {"0+"}, {}, "0+"},
      {"0101", {1, 1, 1, 1, 1, 1, -3, -2}, -1, 9, {"++"}, {}, "0+"},
      {"0101", {-1, 1, 2, 1, 1, 1, -3, -2}, -1, 6, {"0+"}, {"00"}, "0+"},
      {"0110", {-1, -1, 1, -1, 1, -1, 2, -1}, 1, 3, {"+-"}, {}, "+-"},
      {"0110", {2, -2, -1, -1, 3, -2, -1, 1}, -1, 9, {"00"}, {}, "+-"},
      {"0110", {2, -1, -1, -1, 3, -2, -1, 1}, -1, 6, {"+0"}, {"00"}, "+-"},
      {"0111", {2, 1, 1, 1, 3, -2, -1, 1}, -1, 9, {"++"}, {}, "++"},
      {"0111", {2, -1, 1, 3, 3, -2, -1, 1}, -1, 9, {"+0"}, {}, "++"},
      {"0111", {2, 1, -1, 1, 3, -2, -1, 1}, -1, 6, {"++", "-+", "0+"}, {}, "++"},
      {"1000", {-1, -1, -2, -1, 1, 2, -1, -1}, -1, 5, {"-0"}, {}, "-0"},
      {"1000", {-1, -1, -2, -2, 1, 1, -1, 1}, -1, 3, {"00"}, {}, "-0"},
      {"1000", {-1, -1, -2, -1, 1, 1, -1, 1}, -1, 3, {"-0"}, {"00"}, "-0"},
      {"1001", {-1, 1, -2, 1, 1, 1, -1, 1}, -1, 3, {"-+"}, {}, "-+"},
      {"1010", {2, -2, -3, -3, 1, 1, -1, 1}, -1, 3, {"00"}, {}, "-0"},
      {"1010", {2, -1, -3, -1, 1, 1, -1, 1}, -1, 3, {"+0", "-0", "00"}, {}, "-0"},
      {"1011", {2, 1, -3, 1, 1, 1, -1, 1}, -1, 3, {"++", "-+", "0+"}, {}, "-+"},
      {"1100", {-1, -1, 1, -1, -2, -1, -1, -1}, 1, 3, {"--"}, {}, "--"},
      {"1100", {-2, -1, -2, -1, 1, 1, -3, -2}, -1, 9, {"-0"}, {}, "--"},
      {"1100", {-1, -1, -2, -1, 1, 1, -3, -2}, -1, 6, {"-0"}, {"00"}, "--"},
      {"1101", {-1, 1, -2, 1, 1, 1, -3, -2}, -1, 9, {"-+"}, {}, "-+"},
      {"1101", {-1, 3, -2, -1, 1, 1, -3, -2}, -1, 9, {"-0"}, {}, "-+"},
      {"1101", {1, 1, -2, 1, 1, 1, -3, -2}, -1, 6, {"++", "-+", "0+"}, {}, "-+"},
      {"1110", {3, -1, -3, -1, 1, 2, -2, -3}, -1, 5, {"-0"}, {"00"}, "--"},
      {"1111", {3, 1, -2, 1, 1, 2, -2, -3}, -1, 5, {"++", "-+", "0+", "+0", "00"}, {}, ""},
  };
}

struct Velocity {
  double x = 0;
  double y = 0;
};

// Filippov's sliding velocity between two fields; `across` is the component that has to vanish.
Velocity between(const Velocity& minus, const Velocity& plus, double Velocity::*across) {
  const double weight = minus.*across / (minus.*across - plus.*across);
  return {minus.x + weight * (plus.x - minus.x), minus.y + weight * (plus.y - minus.y)};
}

Velocity velocity(const models::Corner& f, const std::string& mode) {
  const Velocity pp{f.x_pp, f.y_pp}, mp{f.x_mp, f.y_mp}, mm{f.x_mm, f.y_mm}, pm{f.x_pm, f.y_pm};
  const std::map<std::string, Velocity> velocities = {{"++", pp},
                                                      {"-+", mp},
                                                      {"--", mm},
                                                      {"+-", pm},
                                                      {"0+", between(mp, pp, &Velocity::x)},
                                                      {"0-", between(mm, pm, &Velocity::x)},
                                                      {"+0", between(pm, pp, &Velocity::y)},
                                                      {"-0", between(mm, mp, &Velocity::y)},
                                                      {"00", {}}};
  return velocities.at(mode);
}

// The mode that follows at the corner, or none where the run has to stop.
Case at_corner(const Problem& problem, const std::string& follows) {
  const std::string arriving = problem.y < 0 ? "0-" : "0+";
  const double arrival = -problem.y / velocity(problem.field, arriving).y;
  Case result{
      .id = {},
      .title = {},
      .source = "V. V. Korobitsyn, Yu. V. Frolova, 2011; own fields, exact enumeration",
      .system = from_functor(problem.field, {.states = 2, .surfaces = 2, .state_names = {"x1", "x2"}}),
      .run = {.start = 0, .end = problem.end, .state = Eigen::Vector2d(0, problem.y)},
      .reference = {.modes = {arriving, follows},
                    .times = {arrival},
                    .event_states = {{0, 0}},
                    .corner = CornerClaims{problem.word, {}, problem.beyond}}};
  Reference& reference = result.reference;
  if (follows.empty()) {
    reference.kinds = {EventKind::ambiguous};
    reference.status = Status::ambiguous;
    reference.final = {0, 0};
    reference.corner->continuations = problem.continuations;
    return result;
  }
  const Velocity onwards = velocity(problem.field, follows);
  reference.final = {onwards.x * (problem.end - arrival), onwards.y * (problem.end - arrival)};
  return result;
}

// Whether a motion with this mode can leave the corner: each component that is not sliding goes to its side or rests.
bool is_motion(const models::Corner& field, const std::string& mode) {
  if (mode.find('0') != std::string::npos) {
    const bool first = mode.front() == '0';
    const auto across = first ? &Velocity::x : &Velocity::y;
    std::string minus = mode, plus = mode;
    minus[first ? 0 : 1] = '-';
    plus[first ? 0 : 1] = '+';
    if (!(velocity(field, minus).*across > 0 && velocity(field, plus).*across < 0)) return false;
  }
  const Velocity v = velocity(field, mode);
  const auto leaves = [](char side, double rate) { return side == '0' || (side == '+' ? rate : -rate) >= 0; };
  return leaves(mode[0], v.x) && leaves(mode[1], v.y);
}

}  // namespace

std::vector<Case> code_word_cases() {
  std::vector<Case> cases;
  std::map<std::string, int> number;
  for (const Problem& problem : problems()) {
    const std::string id = fmt::format("C03_{}_{}", problem.word, number[problem.word]++);
    const bool unique = problem.continuations.size() == 1;
    const bool named = std::find(problem.continuations.begin(), problem.continuations.end(), problem.table) !=
                       problem.continuations.end();
    const std::string agreement = !unique ? "not unique" : named ? "they agree" : "they differ";

    Case theory = at_corner(problem, unique ? problem.continuations.front() : "");
    theory.id = id;
    theory.title = fmt::format("Code word {}: Filippov {}, the paper's table {}: {}", problem.word,
                               fmt::join(problem.continuations, " or "),
                               problem.table.empty() ? "nothing" : problem.table, agreement);
    cases.push_back(std::move(theory));

    const bool follow =
        named || (!problem.table.empty() && problem.table != "00" && is_motion(problem.field, problem.table));
    Case paper = at_corner(problem, follow ? problem.table : "");
    paper.id = id + "_paper";
    paper.title = fmt::format("Code word {} under the paper's table: {}", problem.word,
                              follow                  ? problem.table
                              : problem.table.empty() ? "it does not say what follows"
                                                      : problem.table + ", which the fields do not follow");
    paper.selection = Selection::korobitsyn_frolova;
    if (!follow && !problem.table.empty()) paper.reference.corner->continuations.push_back(problem.table);
    cases.push_back(std::move(paper));
  }
  return cases;
}

}  // namespace slideway::validation
