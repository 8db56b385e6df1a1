#include "simulate/event_resolver.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "filippov/side_loops.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

constexpr std::size_t kMostListedContinuations = 64;

}  // namespace

EventResolver::EventResolver(Evaluator& evaluator, const RelayStructure& structure, const Options& options)
    : evaluator_(evaluator),
      structure_(structure),
      classifier_(evaluator, structure, options.rtol),
      corners_(evaluator, structure, options.sliding_rule),
      zero_sides_(evaluator, structure, options.rtol),
      policy_(options.on_ambiguity),
      rtol_(options.rtol),
      rule_(options.sliding_rule),
      selection_(options.selection),
      keeps_states_(options.full_events || evaluator.system().states() <= kMostStatesInEvents) {
  lambda_ = Vector::Zero(evaluator.system().surfaces());
  is_member_.assign(at(evaluator.system().surfaces()), 0);
}

std::vector<Index> EventResolver::members(const Mode& mode, const Meeting& meeting) const {
  std::vector<Index> result;
  mode.list_sliding(result);
  for (const Met& met : meeting.met) {
    if (!structure_.acts(met.surface) || contains(dependent_, met.surface)) continue;
    const auto place = std::lower_bound(result.begin(), result.end(), met.surface);
    if (place == result.end() || *place != met.surface) result.insert(place, met.surface);
  }
  return result;
}

int EventResolver::choose(const Group& group, const Mode& mode, bool at_start) const {
  if (group.unique) return 0;
  if (policy_ == Ambiguity::stop || policy_ == Ambiguity::branches) return -1;
  const Side wanted = policy_ == Ambiguity::minus  ? Side::minus
                      : policy_ == Ambiguity::plus ? Side::plus
                                                   : Side::sliding;
  int found = -1;
  for (std::size_t o = 0; o < group.options.size(); ++o) {
    bool fits = group.options[o].is_motion;
    bool any = false;
    for (std::size_t k = 0; k < group.surfaces.size(); ++k) {
      const Side side = group.options[o].sides[k];
      const bool changed = at_start || side != mode[group.surfaces[k]];
      if (changed && side != wanted) fits = false;
      any = any || side == wanted;
    }
    if (!fits || !any) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(o);
  }
  return found;
}

// A surface that is zero wherever the others are, and that these do not see, has no part in what they do.
void EventResolver::find_dependent(double t, ConstVectorRef x, const Mode& mode, const Meeting& meeting,
                                   ConstVectorRef weights) {
  dependent_.clear();
  independent_.clear();
  if (!zero_sides_.any()) return;
  std::vector<Index> others;
  Mode all = mode;
  for (const Met& met : meeting.met) {
    if (zero_sides_.is_unseen(met.surface, {}) && !mode.slides_on(met.surface))
      others.push_back(met.surface);
    else if (structure_.acts(met.surface))
      all.set(met.surface, Side::sliding);
  }
  if (others.empty()) return;
  all.list_sliding(independent_);
  for (const Index i : zero_sides_.held(t, x, all, weights))
    if (std::binary_search(others.begin(), others.end(), i)) dependent_.push_back(i);
}

// The surfaces that slide hold others at zero, and a state that rests stays on others, whose sides their comparisons say. They have no part
// in the event.
std::vector<Index> EventResolver::take_zero_sides(double t, ConstVectorRef x, const Mode& before,
                                                  const Meeting& meeting, ConstVectorRef weights,
                                                  Resolution& result) {
  std::vector<Index> held;
  if (!zero_sides_.any() || !result.decided) return held;
  const auto take = [&](const std::vector<Index>& surfaces) {
    for (const Index i : surfaces) {
      const Side side = zero_sides_.side(i) > 0 ? Side::plus : Side::minus;
      result.mode.set(i, side);
      result.lambda[i] = number_of(side);
      if (!contains(result.involved, i)) result.involved.push_back(i);
    }
  };
  if (result.rests) {
    held = zero_sides_.resting(t, x, result.mode, result.lambda, weights);
    take(held);
  }
  if (dependent_.empty() && entering(before, meeting, result).empty()) return held;
  const std::vector<Index> by_sliding = zero_sides_.held(t, x, result.mode, weights);
  take(by_sliding);
  held.insert(held.end(), by_sliding.begin(), by_sliding.end());
  return held;
}

std::vector<Index> EventResolver::entering(const Mode& mode, const Meeting& meeting,
                                           const Resolution& resolution) const {
  std::vector<Index> result;
  for (const Index i : resolution.involved) {
    if (resolution.mode.slides_on(i) && (meeting.at_start || !mode.slides_on(i))) result.push_back(i);
  }
  return result;
}

Resolution EventResolver::resolve(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                  const Meeting& meeting, ConstVectorRef weights) {
  return evaluator_.breaks_away() ? resolve_held(t, x, mode, lambda, meeting, weights)
                                  : resolve_free(t, x, mode, lambda, meeting, weights);
}

Resolution EventResolver::resolve_free(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                       const Meeting& meeting, ConstVectorRef weights) {
  Resolution result = decide(t, x, mode, lambda, meeting, weights);
  if (rule_ != SlidingRule::filippov || !result.decided) return result;
  const std::vector<Index> slides = entering(mode, meeting, result);
  if (slides.empty()) return result;
  if (take_corners(evaluator_, t, x, result.lambda, slides))
    result = decide(t, x, mode, lambda, meeting, weights);
  if (evaluator_.blends_corners()) {
    result.event.reason += reason::kNotAffine;
  }
  return result;
}

Index EventResolver::other_of_two(const Mode& mode, Index surface) {
  Index other = -1;
  for (Index i = 0; i < mode.size(); ++i) {
    if (i == surface || !mode.slides_on(i)) continue;
    if (other >= 0) return -1;
    other = i;
  }
  return other;
}

bool EventResolver::is_met_alone(const Mode& mode, const Meeting& meeting) const {
  if (meeting.met.size() != 1 || meeting.at_start || meeting.is_limit) return false;
  const Index surface = meeting.met.front().surface;
  bool others_slide = false;
  for (Index i = 0; i < mode.size() && !others_slide; ++i) others_slide = i != surface && mode.slides_on(i);
  if (!others_slide) return true;
  if (!structure_.known()) return false;
  // The table of Korobitsyn and Frolova takes two surfaces together.
  if (selection_ == Selection::korobitsyn_frolova && other_of_two(mode, surface) >= 0) return false;
  const Pattern& coupling = structure_.coupling();
  for (Index k = coupling.start[at(surface)]; k < coupling.start[at(surface + 1)]; ++k) {
    const Index other = coupling.column[at(k)];
    if (other != surface && mode.slides_on(other)) return false;
  }
  return true;
}

bool EventResolver::decide_alone(double t, ConstVectorRef x, const Mode& mode, const Met& met,
                                 ConstVectorRef weights, Resolution& result) {
  Lone lone = alone(t, x, mode, met, false, weights);
  if (!lone.unique) return false;
  tell_alone(t, x, mode, std::move(lone), met.surface, result);
  return true;
}

void EventResolver::tell_alone(double t, ConstVectorRef x, const Mode& mode, Lone&& lone, Index i,
                               Resolution& result) const {
  const LoneOption& option = lone.options[0];
  const Side side = option.side;
  const bool slides = side == Side::sliding;
  result.decided = true;
  result.mode = mode;
  result.mode.set(i, side);
  result.lambda = lambda_;
  result.lambda[i] = std::clamp(option.lambda, -1.0, 1.0);
  result.repelling = slides && option.repelling;
  result.involved.assign(1, i);
  if (const std::optional<Dip> dip = dip_of(lone.found, i)) result.dips.assign(1, *dip);
  result.passes_by = lone.found.same_way;
  result.rests = lone.rests;
  EventRecord& event = result.event;
  event.t = t;
  if (keeps_states_) {
    event.before = x;
    event.after = x;
  }
  event.from = mode;
  event.to = result.mode;
  event.surfaces.push_back(i);
  event.surface_names.push_back(evaluator_.system().surface_names()[at(i)]);
  event.w_minus.push_back(lone.found.w_minus);
  event.w_plus.push_back(lone.found.w_plus);
  event.lambda.push_back(slides ? option.lambda : kNotANumber);
  event.reason = std::move(lone.reason);
  if (side == mode[i]) {
    event.kind = EventKind::grazing;
    result.eventful = lone.touch;
  } else {
    event.kind = lone.two_fold       ? EventKind::two_fold
                 : slides            ? EventKind::sliding_entry
                 : mode.slides_on(i) ? EventKind::sliding_exit
                                     : EventKind::crossing;
  }
}

bool EventResolver::resolve_clearly(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                    const Met& met, const PointClassifier::BothSides& at,
                                    ConstVectorRef weights, Resolution& result) {
  const Side before = mode[met.surface];
  std::optional<PointClass> point = classifier_.classify_clearly(t, x, lambda, at, met, before, weights);
  if (!point) return false;
  Lone lone;
  lone.found.w_minus = at.w_minus;
  lone.found.w_plus = at.w_plus;
  for (const Side side : {Side::minus, Side::sliding, Side::plus})
    if (point->continuations.contains(side))
      lone.options[lone.count++] = {side, side == Side::sliding ? point->lambda : number_of(side), false};
  if (lone.count != 1 || lone.options[0].side == before || point->sliding_repels) return false;
  lone.unique = true;
  lone.reason = std::move(point->reason);
  mode.fill_lambda(lambda, lambda_);
  tell_alone(t, x, mode, std::move(lone), met.surface, result);
  return true;
}

std::vector<EventResolver::Group> EventResolver::groups_met(double t, ConstVectorRef x, const Mode& mode,
                                                            const Meeting& meeting, ConstVectorRef weights,
                                                            std::optional<std::string>& code_word) {
  const std::vector<Index> all = members(mode, meeting);
  std::vector<std::vector<Index>> parts = split(t, x, all, meeting);
  const bool apart = std::all_of(parts.begin(), parts.end(),
                                 [](const std::vector<Index>& part) { return part.size() == 1; });
  if (all.size() == 2 && apart) {
    // Two surfaces that do not see each other: the table takes them together.
    if (selection_ == Selection::korobitsyn_frolova)
      parts = {all};
    else
      code_word = corners_.code_word(t, x, lambda_, all);
  }
  std::vector<Group> groups;
  for (const std::vector<Index>& surfaces : parts) {
    if (surfaces.size() == 1) {
      const auto met = std::find_if(meeting.met.begin(), meeting.met.end(),
                                    [&](const Met& m) { return m.surface == surfaces.front(); });
      groups.push_back(single(t, x, mode, *met, meeting.at_start, weights));
    } else {
      groups.push_back(corner(t, x, mode, surfaces, meeting, weights));
    }
  }
  return groups;
}

std::size_t EventResolver::take(const Group& group, int chosen, const Mode& before, const Meeting& meeting,
                                Resolution& result) const {
  EventRecord& event = result.event;
  std::size_t changed = 0;
  for (std::size_t k = 0; k < group.surfaces.size(); ++k) {
    const Index i = group.surfaces[k];
    result.involved.push_back(i);
    const bool is_met =
        std::any_of(meeting.met.begin(), meeting.met.end(), [&](const Met& met) { return met.surface == i; });
    bool differs = false;
    double lambda_after = kNotANumber;
    if (chosen >= 0) {
      const Option& option = group.options[static_cast<std::size_t>(chosen)];
      differs = option.sides[k] != before[i];
      result.mode.set(i, option.sides[k]);
      result.lambda[i] = std::clamp(option.lambda[k], -1.0, 1.0);
      if (option.sides[k] == Side::sliding) {
        lambda_after = option.lambda[k];
        result.repelling = result.repelling || option.repelling;
      }
    }
    // A dependent surface changes with the surfaces that it depends on.
    if (contains(dependent_, i)) continue;
    if (differs) ++changed;
    if (!is_met && !differs) continue;
    event.surfaces.push_back(i);
    event.surface_names.push_back(evaluator_.system().surface_names()[at(i)]);
    event.w_minus.push_back(group.w_minus[k]);
    event.w_plus.push_back(group.w_plus[k]);
    event.lambda.push_back(lambda_after);
  }
  return changed;
}

std::vector<PossibleMotion> EventResolver::every_combination(const std::vector<Group>& groups,
                                                             const Mode& mode, const Vector& lambda) {
  std::vector<PossibleMotion> motions{{mode, lambda}};
  for (const Group& group : groups) {
    std::vector<PossibleMotion> next;
    for (const PossibleMotion& start : motions) {
      for (const Option& option : group.options) {
        if (next.size() == kMostListedContinuations) break;
        PossibleMotion& motion = next.emplace_back(start);
        for (std::size_t k = 0; k < group.surfaces.size(); ++k) {
          motion.mode.set(group.surfaces[k], option.sides[k]);
          motion.lambda[group.surfaces[k]] = option.lambda[k];
        }
      }
    }
    if (!next.empty()) motions = std::move(next);
  }
  return motions;
}

Resolution EventResolver::decide(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                 const Meeting& meeting, ConstVectorRef weights) {
  mode.fill_lambda(lambda, lambda_);
  Resolution result;
  find_dependent(t, x, mode, meeting, weights);
  if (is_met_alone(mode, meeting) && decide_alone(t, x, mode, meeting.met.front(), weights, result)) {
    take_zero_sides(t, x, mode, meeting, weights, result);
    result.event.to = result.mode;
    const Index surface = meeting.met.front().surface;
    if (const Index other = other_of_two(mode, surface); other >= 0) {
      const std::vector<Index> both{std::min(surface, other), std::max(surface, other)};
      result.event.codeword = corners_.code_word(t, x, lambda_, both);
    }
    return result;
  }
  EventRecord& event = result.event;
  event.t = t;
  if (keeps_states_) {
    event.before = x;
    event.after = x;
  }
  std::vector<Group> groups = groups_met(t, x, mode, meeting, weights, event.codeword);
  if (!meeting.at_start) event.from = mode;
  result.decided = true;
  result.mode = mode;
  result.lambda = lambda_;
  std::size_t changed = 0;
  bool all_unique = true;
  bool two_fold = false;
  bool touch = false;
  const auto follow = [&](const Group& group) {
    const int chosen = choose(group, mode, meeting.at_start);
    all_unique = all_unique && group.unique;
    two_fold = two_fold || group.two_fold;
    touch = touch || group.touch;
    result.rests = result.rests || group.rests;
    if (group.dip) {
      result.passes_by = result.passes_by || group.dip->same_way;
      result.dips.push_back(*group.dip);
    }
    if (group.code_word) event.codeword = group.code_word;
    for (const std::vector<Side>& sides : group.in_convex_hull) {
      Mode word = mode;
      for (std::size_t k = 0; k < group.surfaces.size(); ++k) word.set(group.surfaces[k], sides[k]);
      event.in_convex_hull.push_back(std::move(word));
    }
    if (chosen < 0) result.decided = false;
    if (event.reason.empty() || !group.unique) event.reason = group.reason;
    const std::size_t differ = take(group, chosen, mode, meeting, result);
    if (!meeting.at_start) changed += differ;
  };
  for (const Group& group : groups) follow(group);
  const std::vector<Index> held = take_zero_sides(t, x, mode, meeting, weights, result);
  // The motion that follows does not depend on surfaces that do not act, or that depend on others, and leads them to their sides.
  lambda_ = result.lambda;
  for (const Met& met : meeting.met) {
    const bool acts = structure_.acts(met.surface) && !contains(dependent_, met.surface);
    if (acts || contains(held, met.surface)) continue;
    const std::optional<Side> side =
        contains(dependent_, met.surface) && result.decided
            ? zero_sides_.beside(t, x, met.surface, independent_, result.mode, weights)
            : std::nullopt;
    if (side) {
      result.mode.set(met.surface, *side);
      result.lambda[met.surface] = number_of(*side);
      result.involved.push_back(met.surface);
      continue;
    }
    groups.push_back(single(t, x, mode, met, meeting.at_start, weights));
    follow(groups.back());
  }
  if (groups.size() > 1 && all_unique) event.reason = reason::kUnique;
  if (result.decided) event.to = result.mode;

  if (!all_unique) {
    result.several = SeveralMotions::of(every_combination(groups, mode, result.lambda));
    if (result.several) event.continuations = result.several->modes();
    event.kind = groups.size() > 1 || groups.front().surfaces.size() > 1 ? EventKind::ambiguous
                 : two_fold                                              ? EventKind::two_fold
                                                                         : EventKind::repelling;
    return result;
  }
  if (meeting.at_start) {
    result.eventful = false;
  } else if (changed == 0 && meeting.root_ends) {
    event.kind = EventKind::corner;
  } else if (changed == 0) {
    event.kind = EventKind::grazing;
    result.eventful = touch;
  } else if (two_fold && groups.size() == 1) {
    event.kind = EventKind::two_fold;
  } else if (changed > 1) {
    event.kind = EventKind::corner;
  } else {
    for (const Index i : event.surfaces) {
      if (result.mode[i] == mode[i]) continue;
      event.kind = result.mode.slides_on(i) ? EventKind::sliding_entry
                   : mode.slides_on(i)      ? EventKind::sliding_exit
                                            : EventKind::crossing;
    }
  }
  return result;
}

}  // namespace slideway
