#include "validation/suite.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"
#include "validation/verdict.hpp"

namespace slideway {
namespace {

using validation::Case;
using validation::Comparison;
using validation::Verdict;

std::string lower_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
  return word;
}

// The cases whose id begins with one of the names; an id in full means that case alone.
std::vector<Case> select(const std::vector<std::string>& names) {
  const std::vector<Case> all = validation::all_cases();
  if (names.empty()) return all;
  std::vector<bool> selected(all.size(), false);
  for (const std::string& name : names) {
    const std::string wanted = lower_case(name);
    bool found = false;
    for (const bool in_full : {true, false}) {
      for (std::size_t k = 0; k < all.size() && !wanted.empty(); ++k) {
        const std::string id = lower_case(all[k].id);
        if (in_full ? id != wanted : id.rfind(wanted, 0) != 0) continue;
        selected[k] = true;
        found = true;
      }
      if (found) break;
    }
    if (found) continue;
    std::vector<std::string> ids;
    for (const Case& known : all) ids.push_back(known.id);
    const std::string nearest = nearest_name(name, ids);
    refuse({.what = "there is no such validation case",
            .where = "validate",
            .expected = "the id of a case, or the beginning of some, such as A or B01",
            .got = "'" + name + "'",
            .advice =
                nearest.empty() ? "run without a name for all of them" : "did you mean '" + nearest + "'?"});
  }
  std::vector<Case> chosen;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (selected[k]) chosen.push_back(all[k]);
  }
  return chosen;
}

// The numbers that a row of the table shows: those of the final state, and the worst of the others.
std::vector<Comparison> worth_showing(const Case& problem, const Verdict& verdict) {
  const std::size_t last = std::min(problem.reference.final.size(), verdict.comparisons.size());
  const Comparison* worst_time = nullptr;
  const Comparison* worst_inside = nullptr;
  std::vector<Comparison> shown;
  const std::string final_time = fmt::format("({:.6g})", verdict.solution.final.t);
  for (const Comparison& comparison : verdict.comparisons) {
    const std::string& quantity = comparison.quantity;
    const bool is_time = quantity.rfind("t of event", 0) == 0;
    const bool is_final = quantity.size() > final_time.size() && quantity.ends_with(final_time);
    if (is_final) {
      if (shown.size() < last) shown.push_back(comparison);
      continue;
    }
    const Comparison*& worst = is_time ? worst_time : worst_inside;
    if (worst == nullptr || comparison.error > worst->error) worst = &comparison;
  }
  if (worst_inside != nullptr) shown.insert(shown.begin(), *worst_inside);
  if (worst_time != nullptr) shown.insert(shown.begin(), *worst_time);
  return shown;
}

void print(const Case& problem, Method method, const Verdict& verdict, std::ostream& out) {
  out << fmt::format("  {:<6} {:<4}  events {:>3} of {:<3}  worst error {:>7.1e} of {:.0e}  drift {:>3.0f}\n",
                     to_string(method), verdict.passed ? "pass" : "FAIL",
                     validation::mode_words(verdict.solution).size() - 1, problem.reference.times.size(),
                     verdict.worst_error(), verdict.allowed, verdict.drift);
  out << fmt::format("    modes        expected {}\n                 got      {}\n",
                     problem.reference.modes.empty() ? "(not claimed)" : verdict.expected_modes,
                     verdict.got_modes);
  for (const Comparison& row : worth_showing(problem, verdict)) {
    out << fmt::format("    {:<12} expected {:<20.15g} got {:<20.15g} error {:.1e}\n", row.quantity,
                       row.expected, row.got, row.error);
  }
  constexpr std::size_t shown = 6;
  for (std::size_t k = 0; k < std::min(shown, verdict.failures.size()); ++k) {
    out << "    ! " << verdict.failures[k] << '\n';
  }
  if (verdict.failures.size() > shown) {
    out << fmt::format("    ! and {} more\n", verdict.failures.size() - shown);
  }
}

}  // namespace

int run_validation(const ValidationOptions& options, std::ostream& out) {
  if (!(options.rtol > 0 && options.rtol < 1)) {
    refuse({.what = "the relative tolerance is out of range",
            .where = "validate",
            .expected = "a number between 0 and 1",
            .got = fmt::format("{}", options.rtol)});
  }
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  std::string failures;
  for (const Case& problem : select(options.names)) {
    out << fmt::format("{}  {}\n", problem.id, problem.title);
    if (options.rtol > problem.rtol_from * (1 + 1e-12)) {
      out << fmt::format("  skipped: its claims mean something from rtol {:.0e}\n", problem.rtol_from);
      ++skipped;
      continue;
    }
    for (const Method method : options.methods) {
      if (!validation::suits(problem, method)) {
        out << fmt::format("  {:<6} skipped: the problem is stiff\n", to_string(method));
        ++skipped;
        continue;
      }
      const Verdict verdict = validation::judge(problem, method, options.rtol);
      print(problem, method, verdict, out);
      ++(verdict.passed ? passed : failed);
      if (!verdict.passed) failures += fmt::format(" {}({})", problem.id, to_string(method));
    }
  }
  out << fmt::format("rtol {:.0e}: {} passed, {} failed, {} skipped\n", options.rtol, passed, failed,
                     skipped);
  if (failed > 0) out << "failed:" << failures << '\n';
  return failed == 0 ? 0 : 1;
}

}  // namespace slideway
