// EventResolver where surfaces have break-away ratios.
//
// Surfaces that are met or slide are classified with λ in ρ·[−1, 1] (model/held_system.hpp). A surface that is left carries λ =
// ±1 from then on, so a block that breaks away lets go of its neighbours a little. Those that still slide, and those that are met
// with it, are classified again until nothing changes. Every turn lets go of at least one surface more. A surface that is crossed
// was never held: what slid before and let go while that one was taken to be held is classified again too.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/reasons.hpp"

namespace slideway {

namespace {

template <class Values>
void keep_entries(Values& values, const std::vector<char>& kept) {
  if (values.size() != kept.size()) return;
  Values left;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k] != 0) left.push_back(std::move(values[k]));
  }
  values = std::move(left);
}

// Surfaces are held as long as it lives.
class Hold {
 public:
  Hold(Evaluator& evaluator, const std::vector<Index>& surfaces) : evaluator_(evaluator) {
    evaluator.hold(surfaces);
  }
  ~Hold() { evaluator_.release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Evaluator& evaluator_;
};

}  // namespace

Resolution EventResolver::resolve_held(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                       const Meeting& meeting, ConstVectorRef weights) {
  Vector above(lambda.size()), below(lambda.size());
  evaluator_.break_away(t, x, above, below);
  const Vector ratios = above.cwiseMax(below);
  const Vector middles = 0.5 * (above - below);
  const Vector reaches = 0.5 * (above + below);
  find_dependent(t, x, mode, meeting, weights);
  const std::vector<Index> surfaces = members(mode, meeting);
  Vector nu = lambda;
  for (const Index i : surfaces) nu[i] = (nu[i] - middles[i]) / reaches[i];
  Resolution result;
  {
    const Hold hold(evaluator_, surfaces);
    result = resolve_free(t, x, mode, nu, meeting, weights);
  }
  bool first = true;
  while (result.decided && ask_again(t, x, mode, ratios, weights, first, result)) first = false;
  if (!first && result.decided && result.eventful) describe_change(mode, meeting, result);
  // Back to the λ of the equations.
  for (Index i = 0; i < mode.size(); ++i) {
    if (result.mode.slides_on(i)) result.lambda[i] = middles[i] + reaches[i] * result.lambda[i];
  }
  EventRecord& event = result.event;
  for (std::size_t k = 0; k < event.lambda.size(); ++k)
    event.lambda[k] = middles[event.surfaces[k]] + reaches[event.surfaces[k]] * event.lambda[k];
  return result;
}

bool EventResolver::ask_again(double t, ConstVectorRef x, const Mode& before, const Vector& ratios,
                              ConstVectorRef weights, bool first, Resolution& result) {
  const auto is_crossed = [&](Index i) {
    return ratios[i] > 1 && !before.slides_on(i) && !result.mode.slides_on(i);
  };
  const bool crosses = first && std::any_of(result.involved.begin(), result.involved.end(), is_crossed);
  Mode asked = result.mode;
  Vector guess = result.lambda;
  std::vector<Index> sliding, left;
  for (Index i = 0; i < before.size(); ++i) {
    if (crosses && before.slides_on(i) && !result.mode.slides_on(i)) {
      asked.set(i, Side::sliding);
      guess[i] = 0;
    }
    if (asked.slides_on(i)) sliding.push_back(i);
  }
  // The sides of other surfaces were found with the force that held those.
  std::vector<Index> others = sliding;
  for (const Index i : result.involved) {
    if (asked.slides_on(i)) continue;
    if (ratios[i] > 1) {
      left.push_back(i);
      continue;
    }
    asked.set(i, before[i]);
    guess[i] = before.slides_on(i) ? 0 : number_of(before[i]);
    others.push_back(i);
  }
  if (left.empty() || others.empty()) return false;
  std::sort(others.begin(), others.end());
  Meeting again;
  if (structure_.known()) {
    std::vector<Index> together = others;
    together.insert(together.end(), left.begin(), left.end());
    std::sort(together.begin(), together.end());
    for (const Index i : together) is_member_[at(i)] = 1;
    std::vector<char> seen(is_member_.size(), 0);
    for (const Index i : left) {
      if (seen[at(i)]) continue;
      for (const Index j : structure_.component(i, together, is_member_)) {
        if (!seen[at(j)] && std::binary_search(others.begin(), others.end(), j))
          again.met.push_back({.surface = j});
        seen[at(j)] = 1;
      }
    }
    for (const Index i : together) is_member_[at(i)] = 0;
  } else {
    for (const Index i : others) again.met.push_back({.surface = i});
  }
  if (again.met.empty()) return false;
  Resolution next;
  {
    const Hold hold(evaluator_, sliding);
    next = resolve_free(t, x, asked, guess, again, weights);
  }
  const bool changed = !next.decided || !(next.mode == result.mode);
  result.lambda = next.lambda;
  if (!changed) return false;
  EventRecord& event = result.event;
  for (std::size_t k = 0; k < next.event.surfaces.size(); ++k) {
    const Index i = next.event.surfaces[k];
    if (next.decided && next.mode[i] == result.mode[i]) continue;
    if (std::find(event.surfaces.begin(), event.surfaces.end(), i) != event.surfaces.end()) continue;
    event.surfaces.push_back(i);
    event.surface_names.push_back(next.event.surface_names[k]);
    event.w_minus.push_back(next.event.w_minus[k]);
    event.w_plus.push_back(next.event.w_plus[k]);
    event.lambda.push_back(next.event.lambda[k]);
  }
  event.reason += reason::kBrokenAway + next.event.reason;
  for (const Index i : next.involved) {
    if (std::find(result.involved.begin(), result.involved.end(), i) == result.involved.end()) {
      result.involved.push_back(i);
    }
  }
  result.decided = next.decided;
  result.repelling = next.repelling;
  if (!next.decided) {
    event.kind = next.event.kind;
    event.continuations = next.event.continuations;
    result.several = next.several;
    result.eventful = true;
    return true;
  }
  result.mode = next.mode;
  event.to = result.mode;
  return true;
}

void EventResolver::describe_change(const Mode& before, const Meeting& meeting, Resolution& result) const {
  EventRecord& event = result.event;
  std::vector<char> kept;
  Index changes = 0;
  for (const Index i : event.surfaces) {
    const bool differs = result.mode[i] != before[i];
    const bool is_met =
        std::any_of(meeting.met.begin(), meeting.met.end(), [i](const Met& met) { return met.surface == i; });
    kept.push_back(differs || is_met ? 1 : 0);
    if (!differs) continue;
    ++changes;
    event.kind = result.mode.slides_on(i) ? EventKind::sliding_entry
                 : before.slides_on(i)    ? EventKind::sliding_exit
                                          : EventKind::crossing;
  }
  if (changes != 1) event.kind = EventKind::corner;
  for (ShortList<double>* list : {&event.w_minus, &event.w_plus, &event.lambda}) keep_entries(*list, kept);
  keep_entries(event.surface_names, kept);
  keep_entries(event.surfaces, kept);
}

}  // namespace slideway
