#include "validation/case.hpp"

#include <iterator>

namespace slideway::validation {

Automaton problem_of(const Case& problem) {
  return problem.automaton ? *problem.automaton : Automaton(problem.system);
}

bool has_jumps(const Case& problem) {
  return problem.automaton || !problem.system.contacts().empty() || !problem.system.events().empty();
}

EventKind kind_of_change(const std::string& from, const std::string& to) {
  std::size_t changed = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
    if (from[i] != to[i]) {
      ++changed;
      where = i;
    }
  }
  if (changed != 1) return EventKind::corner;
  if (to[where] == '0') return EventKind::sliding_entry;
  if (from[where] == '0') return EventKind::sliding_exit;
  return EventKind::crossing;
}

std::vector<EventKind> event_kinds(const Reference& reference) {
  if (!reference.kinds.empty()) return reference.kinds;
  std::vector<EventKind> kinds;
  for (std::size_t k = 0; k + 1 < reference.modes.size(); ++k) {
    kinds.push_back(kind_of_change(reference.modes[k], reference.modes[k + 1]));
  }
  return kinds;
}

std::vector<std::string> alternating(const std::string& first, const std::string& second, std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < count; ++k) words.push_back(k % 2 == 0 ? first : second);
  return words;
}

bool suits(const Case& problem, Method method) {
  return !problem.stiff || method == Method::bdf || method == Method::rodas;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto group :
       {one_surface_cases, evaporator_cases, friction_cases, static_friction_cases, bristle_cases,
        start_and_end_cases, close_event_cases, special_surface_cases, hybrid_cases, several_surface_cases,
        code_word_cases, network_cases, pulse_cases}) {
    std::vector<Case> more = group();
    cases.insert(cases.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return cases;
}

}  // namespace slideway::validation
