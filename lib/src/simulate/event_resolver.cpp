#include "simulate/event_resolver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "slideway/filippov/sliding_roots.hpp"

namespace slideway {

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostListedContinuations = 64;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double bound(Side side) { return static_cast<double>(static_cast<signed char>(side)); }

}  // namespace

EventResolver::EventResolver(Evaluator& evaluator, const RelayStructure& structure, const Options& options)
    : evaluator_(evaluator),
      structure_(structure),
      classifier_(evaluator, structure, options.rtol),
      corners_(evaluator, structure, options.sliding_rule),
      policy_(options.on_ambiguity),
      rule_(options.sliding_rule),
      selection_(options.selection),
      keeps_states_(options.full_events || evaluator.system().states() <= kMostStatesInEvents) {
  lambda_ = Vector::Zero(evaluator.system().surfaces());
  is_member_.assign(at(evaluator.system().surfaces()), 0);
}

std::vector<Index> EventResolver::members(const Mode& mode, const Meeting& meeting) const {
  std::vector<Index> result;
  for (Index i = 0; i < mode.size(); ++i) {
    if (mode.slides_on(i)) result.push_back(i);
  }
  for (const Met& met : meeting.met) {
    const auto place = std::lower_bound(result.begin(), result.end(), met.surface);
    if (place == result.end() || *place != met.surface) result.insert(place, met.surface);
  }
  return result;
}

std::vector<std::vector<Index>> EventResolver::split(double t, ConstVectorRef x,
                                                     const std::vector<Index>& members,
                                                     const Meeting& meeting) {
  std::vector<std::vector<Index>> groups;
  if (!structure_.known() && members.size() > 1) {
    for (std::vector<Index>& group : corners_.groups(t, x, lambda_, members)) {
      const bool is_met = std::any_of(meeting.met.begin(), meeting.met.end(), [&](const Met& met) {
        return std::find(group.begin(), group.end(), met.surface) != group.end();
      });
      if (is_met) groups.push_back(std::move(group));
    }
    return groups;
  }
  for (const Index i : members) is_member_[at(i)] = 1;
  std::vector<Index> done;
  for (const Met& met : meeting.met) {
    if (std::find(done.begin(), done.end(), met.surface) != done.end()) continue;
    groups.push_back(structure_.component(met.surface, members, is_member_));
    if (groups.back().size() > 1) done.insert(done.end(), groups.back().begin(), groups.back().end());
  }
  for (const Index i : members) is_member_[at(i)] = 0;
  return groups;
}

EventResolver::Group EventResolver::single(double t, ConstVectorRef x, const Mode& mode, const Met& met,
                                           bool at_start, ConstVectorRef weights) {
  const Side before = mode[met.surface];
  ClassifiedPoint found =
      classifier_.classify_at(t, x, lambda_, met, at_start ? nullptr : &before, weights);
  PointClass& point = found.point;
  Group group;
  group.surfaces = {met.surface};
  group.w_minus = {found.w_minus};
  group.w_plus = {found.w_plus};
  group.reason = found.touch ? "a touch within the tolerances: " + point.reason : std::move(point.reason);
  group.two_fold = found.minus_tangent && found.plus_tangent;
  const auto add = [&](Side side) {
    Option option{{side}, {bound(side)}, false};
    if (side == Side::sliding) {
      const double lambda =
          std::isnan(point.lambda) ? sliding_lambda(found.w_minus, found.w_plus) : point.lambda;
      option.lambda = {std::isnan(lambda) ? 0.0 : lambda};
      if (rule_ == SlidingRule::equivalent_control) {
        option.lambda = {equivalent_control(t, x, met.surface).value_or(option.lambda.front())};
      }
      option.repelling = point.sliding_repels;
    }
    group.options.push_back(std::move(option));
  };
  if (found.same_fields) {
    // One motion, whatever it is called: it keeps the side it has. At a start it has none, but may curve away to one.
    const auto& sides = point.continuations;
    const bool only_down = std::find(sides.begin(), sides.end(), Side::minus) != sides.end() &&
                           std::find(sides.begin(), sides.end(), Side::plus) == sides.end();
    const Side at_first = at_start && only_down ? Side::minus : Side::plus;
    add(at_start || before == Side::sliding ? at_first : before);
    group.reason = "the fields on both sides are the same and do not leave the surface";
    group.unique = true;
    group.two_fold = false;
    return group;
  }
  for (const Side side : point.continuations) add(side);
  if (point.continuations.empty()) {
    for (const Side side : {Side::minus, Side::sliding, Side::plus}) add(side);
  }
  // Sliding on through a two-fold into a repelling stretch can be left at any time.
  group.unique = group.options.size() == 1 && !group.options.front().repelling;
  if (group.unique && !at_start && group.options.front().sides.front() == before) {
    group.touch = found.touch || (before == Side::plus && found.plus_tangent) ||
                  (before == Side::minus && found.minus_tangent);
  }
  return group;
}

std::optional<double> EventResolver::equivalent_control(double t, ConstVectorRef x, Index surface) {
  const double stored = lambda_[surface];
  Vector velocity(x.size());
  const auto component = [&](double lambda) {
    lambda_[surface] = lambda;
    evaluator_.field(t, x, lambda_, velocity);
    return evaluator_.guard_rate(t, x, velocity, surface);
  };
  double low = -1;
  double high = 1;
  const double w_low = component(low);
  std::optional<double> result;
  if (w_low * component(high) < 0) {
    // Halving cannot fail, and this is asked once per event.
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (component(middle) * w_low > 0 ? low : high) = middle;
    }
    result = 0.5 * (low + high);
  }
  lambda_[surface] = stored;
  return result;
}

EventResolver::Group EventResolver::corner(double t, ConstVectorRef x, const Mode& mode,
                                           const std::vector<Index>& surfaces, const Meeting& meeting,
                                           ConstVectorRef weights) {
  std::vector<char> ends(surfaces.size(), 0);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    for (const Met& met : meeting.met) {
      if (met.surface == surfaces[k] && !meeting.at_start && mode.slides_on(met.surface)) ends[k] = 1;
    }
  }
  const Vector error = meeting.at_start ? Vector() : Vector(weights.cwiseInverse());
  const CornerPoint point = corners_.solve(t, x, lambda_, surfaces, ends, error);
  Group group;
  group.surfaces = surfaces;
  if (point.half_branches) group.code_word = point.half_branches->code_word;
  group.in_convex_hull = point.in_convex_hull;
  for (const Continuation& continuation : point.answer.continuations) {
    Option option;
    option.sides = continuation.sides;
    option.lambda.assign(continuation.lambda.begin(), continuation.lambda.end());
    group.options.push_back(std::move(option));
  }
  group.unique =
      group.options.size() == 1 && !point.undetermined && (!point.repelling_intersection || meeting.is_limit);
  group.w_minus.assign(surfaces.size(), kNotANumber);
  group.w_plus.assign(surfaces.size(), kNotANumber);
  if (group.options.size() == 1) {
    group.w_minus.assign(point.w_minus.begin(), point.w_minus.end());
    group.w_plus.assign(point.w_plus.begin(), point.w_plus.end());
  }
  if (group.options.empty()) {
    group.reason =
        "no consistent mode was found: " +
        (point.answer.note.empty() ? "a tie that the second derivatives do not decide" : point.answer.note);
  } else if (point.undetermined) {
    group.reason =
        "the relays' effects on the surfaces are not independent, and the fields that hold them differ";
  } else if (point.repelling_intersection && !meeting.is_limit) {
    group.reason =
        "repelling intersection: the only consistent mode slides on it and nothing shows that it attracts";
  } else if (!point.uniqueness_not_shown.empty()) {
    group.reason = "a consistent mode; " + point.uniqueness_not_shown;
  } else if (group.unique) {
    group.reason = "the only consistent mode";
  } else {
    group.reason = std::to_string(group.options.size()) + " modes are consistent";
  }
  if (point.answer.incomplete) group.reason += "; the relays' effects are not independent, there may be more";
  const bool arrives =
      meeting.at_start || std::any_of(meeting.met.begin(), meeting.met.end(),
                                      [&](const Met& met) { return !mode.slides_on(met.surface); });
  if (selection_ == Selection::korobitsyn_frolova && point.half_branches && arrives)
    apply_table(point, group);
  return group;
}

void EventResolver::apply_table(const CornerPoint& point, Group& group) const {
  const std::string rule = "Korobitsyn & Frolova's table, W = " + point.half_branches->code_word + ": ";
  const std::optional<std::vector<Side>> wanted = korobitsyn_frolova_mode(*point.half_branches);
  group.unique = false;
  if (!wanted) {
    group.reason = rule + "it does not say which region follows; " + group.reason;
    return;
  }
  const std::string word{to_character(wanted->front()), to_character(wanted->back())};
  for (std::size_t o = 0; o < group.options.size(); ++o) {
    if (group.options[o].sides != *wanted) continue;
    const bool only = group.options.size() == 1;
    Option chosen = group.options[o];
    group.options = {std::move(chosen)};
    group.unique = true;
    group.reason =
        rule + word + ", which is " + (only ? "the only consistent mode" : "one of the consistent modes");
    return;
  }
  // Not consistent: it can be followed where its sliding entries have a λ and no field points back.
  Vector lambda(2);
  std::vector<Index> sliding;
  for (Index i = 0; i < 2; ++i) {
    const Side side = (*wanted)[at(i)];
    lambda[i] = bound(side);
    if (side == Side::sliding) sliding.push_back(i);
  }
  bool incomplete = false;
  const std::vector<Vector> roots = sliding_roots(point.table, sliding, lambda, 1e-9, incomplete);
  if (roots.size() != 1 || incomplete) {
    group.reason = rule + word + ", which no combination of the fields follows; " + group.reason;
    return;
  }
  for (std::size_t k = 0; k < sliding.size(); ++k) lambda[sliding[k]] = roots.front()[static_cast<Index>(k)];
  // Fields that point back out of it would return to this point for ever.
  const Vector w = interpolate(point.table, lambda);
  const double rounding = 1e-12 * point.table.w.cwiseAbs().maxCoeff();
  for (Index i = 0; i < 2; ++i) {
    if (bound((*wanted)[at(i)]) * w[i] >= -rounding) continue;
    group.reason = rule + word + ", which the fields leave at once; " + group.reason;
    return;
  }
  group.reason = rule + word + ", although it is not consistent";
  group.options = {{*wanted, {lambda[0], lambda[1]}, false}};
  group.unique = true;
}

int EventResolver::choose(const Group& group, const Mode& mode, bool at_start) const {
  if (group.unique) return 0;
  if (policy_ == Ambiguity::stop || policy_ == Ambiguity::branches) return -1;
  const Side wanted = policy_ == Ambiguity::minus  ? Side::minus
                      : policy_ == Ambiguity::plus ? Side::plus
                                                   : Side::sliding;
  int found = -1;
  for (std::size_t o = 0; o < group.options.size(); ++o) {
    bool fits = true;
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
  if (!evaluator_.blends_corners() && !corners_.is_multi_affine(t, x, result.lambda, slides)) {
    // f at an interior λ would be Utkin's answer; Filippov's is the combination of the corners.
    evaluator_.blend_corners();
    result = decide(t, x, mode, lambda, meeting, weights);
  }
  if (evaluator_.blends_corners()) {
    result.event.reason += "; f is not affine in lambda: the sliding field combines the corners";
  }
  return result;
}

bool EventResolver::is_met_alone(const Mode& mode, const Meeting& meeting) const {
  if (meeting.met.size() != 1 || meeting.at_start || meeting.is_limit) return false;
  const Index surface = meeting.met.front().surface;
  Index others = 0;
  for (Index i = 0; i < mode.size(); ++i) {
    if (i != surface && mode.slides_on(i)) ++others;
  }
  if (others == 0) return true;
  // Of two surfaces the record has a code word.
  if (others == 1 || !structure_.known()) return false;
  const Pattern& coupling = structure_.coupling();
  for (Index k = coupling.start[at(surface)]; k < coupling.start[at(surface + 1)]; ++k) {
    const Index other = coupling.column[at(k)];
    if (other != surface && mode.slides_on(other)) return false;
  }
  return true;
}

std::optional<Resolution> EventResolver::decide_alone(double t, ConstVectorRef x, const Mode& mode, const Met& met,
                                                      ConstVectorRef weights) {
  Group group = single(t, x, mode, met, false, weights);
  if (!group.unique) return std::nullopt;
  const Index i = met.surface;
  const Option& option = group.options.front();
  const Side side = option.sides.front();
  const bool slides = side == Side::sliding;
  std::optional<Resolution> result(std::in_place);
  result->decided = true;
  result->mode = mode;
  result->mode.set(i, side);
  result->lambda = lambda_;
  result->lambda[i] = std::clamp(option.lambda.front(), -1.0, 1.0);
  result->repelling = slides && option.repelling;
  result->involved = {i};
  EventRecord& event = result->event;
  event.t = t;
  if (keeps_states_) {
    event.before = x;
    event.after = x;
  }
  event.from = mode;
  event.to = result->mode;
  event.surfaces = {i};
  event.surface_names = {evaluator_.system().surface_names()[at(i)]};
  event.w_minus = std::move(group.w_minus);
  event.w_plus = std::move(group.w_plus);
  event.lambda = {slides ? option.lambda.front() : kNotANumber};
  event.reason = std::move(group.reason);
  if (side == mode[i]) {
    event.kind = EventKind::grazing;
    result->eventful = group.touch;
  } else {
    event.kind = group.two_fold         ? EventKind::two_fold
                 : slides               ? EventKind::sliding_entry
                 : mode.slides_on(i)    ? EventKind::sliding_exit
                                        : EventKind::crossing;
  }
  return result;
}

Resolution EventResolver::decide(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                 const Meeting& meeting, ConstVectorRef weights) {
  lambda_ = lambda;
  mode.fill_lambda(lambda_);
  if (is_met_alone(mode, meeting)) {
    if (std::optional<Resolution> result = decide_alone(t, x, mode, meeting.met.front(), weights)) {
      return *std::move(result);
    }
  }
  std::vector<Group> groups;
  const std::vector<Index> all = members(mode, meeting);
  std::vector<std::vector<Index>> parts = split(t, x, all, meeting);
  std::optional<std::string> code_word;
  const bool apart = std::all_of(parts.begin(), parts.end(),
                                 [](const std::vector<Index>& part) { return part.size() == 1; });
  if (all.size() == 2 && apart) {
    // Two surfaces that do not see each other: the table takes them together.
    if (selection_ == Selection::korobitsyn_frolova)
      parts = {all};
    else
      code_word = corners_.half_branches(t, x, lambda_, all).code_word;
  }
  for (const std::vector<Index>& surfaces : parts) {
    if (surfaces.size() == 1) {
      const auto met = std::find_if(meeting.met.begin(), meeting.met.end(),
                                    [&](const Met& m) { return m.surface == surfaces.front(); });
      groups.push_back(single(t, x, mode, *met, meeting.at_start, weights));
    } else {
      groups.push_back(corner(t, x, mode, surfaces, meeting, weights));
    }
  }

  Resolution result;
  EventRecord& event = result.event;
  event.t = t;
  if (keeps_states_) {
    event.before = x;
    event.after = x;
  }
  event.codeword = code_word;
  if (!meeting.at_start) event.from = mode;
  result.decided = true;
  result.mode = mode;
  result.lambda = lambda_;
  std::size_t changed = 0;
  bool all_unique = true;
  bool two_fold = false;
  bool touch = false;
  for (const Group& group : groups) {
    const int chosen = choose(group, mode, meeting.at_start);
    all_unique = all_unique && group.unique;
    two_fold = two_fold || group.two_fold;
    touch = touch || group.touch;
    if (group.code_word) event.codeword = group.code_word;
    for (const std::vector<Side>& sides : group.in_convex_hull) {
      Mode word = mode;
      for (std::size_t k = 0; k < group.surfaces.size(); ++k) word.set(group.surfaces[k], sides[k]);
      event.in_convex_hull.push_back(std::move(word));
    }
    if (chosen < 0) result.decided = false;
    if (event.reason.empty() || !group.unique) event.reason = group.reason;
    for (std::size_t k = 0; k < group.surfaces.size(); ++k) {
      const Index i = group.surfaces[k];
      result.involved.push_back(i);
      const bool is_met = std::any_of(meeting.met.begin(), meeting.met.end(),
                                      [&](const Met& met) { return met.surface == i; });
      bool differs = false;
      double lambda_after = kNotANumber;
      if (chosen >= 0) {
        const Option& option = group.options[static_cast<std::size_t>(chosen)];
        differs = option.sides[k] != mode[i];
        result.mode.set(i, option.sides[k]);
        result.lambda[i] = std::clamp(option.lambda[k], -1.0, 1.0);
        if (option.sides[k] == Side::sliding) {
          lambda_after = option.lambda[k];
          result.repelling = result.repelling || option.repelling;
        }
      }
      if (differs && !meeting.at_start) ++changed;
      if (!is_met && !differs) continue;
      event.surfaces.push_back(i);
      event.surface_names.push_back(evaluator_.system().surface_names()[at(i)]);
      event.w_minus.push_back(group.w_minus[k]);
      event.w_plus.push_back(group.w_plus[k]);
      event.lambda.push_back(lambda_after);
    }
  }
  if (groups.size() > 1 && all_unique)
    event.reason = "surfaces that do not see each other, each with one consistent mode";
  if (result.decided) event.to = result.mode;

  if (!all_unique) {
    // Every combination of what the groups can do, up to a number that can be read.
    std::vector<Mode> modes{mode};
    for (const Group& group : groups) {
      std::vector<Mode> next;
      for (const Mode& start : modes) {
        for (const Option& option : group.options) {
          Mode word = start;
          for (std::size_t k = 0; k < group.surfaces.size(); ++k)
            word.set(group.surfaces[k], option.sides[k]);
          if (next.size() < kMostListedContinuations &&
              std::find(next.begin(), next.end(), word) == next.end()) {
            next.push_back(std::move(word));
          }
        }
      }
      if (!next.empty()) modes = std::move(next);
    }
    event.continuations = std::move(modes);
    event.kind = groups.size() > 1 || groups.front().surfaces.size() > 1 ? EventKind::ambiguous
                 : two_fold                                              ? EventKind::two_fold
                                                                         : EventKind::repelling;
    return result;
  }
  if (meeting.at_start) {
    result.eventful = false;
  } else if (changed == 0) {
    event.kind = EventKind::grazing;
    result.eventful = touch;
  } else if (two_fold && groups.size() == 1) {
    event.kind = EventKind::two_fold;
  } else if (changed > 1) {
    event.kind = EventKind::corner;
  } else {
    for (const Index i : result.involved) {
      if (result.mode[i] == mode[i]) continue;
      event.kind = result.mode.slides_on(i) ? EventKind::sliding_entry
                   : mode.slides_on(i)      ? EventKind::sliding_exit
                                            : EventKind::crossing;
    }
  }
  return result;
}

}  // namespace slideway
