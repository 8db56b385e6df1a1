// EventResolver for one group of surfaces that see each other: which surfaces form it, and what can follow for it.
#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/state_errors.hpp"
#include "filippov/side_loops.hpp"
#include "filippov/sliding_roots.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// One motion leads through a corner where all fields are the same: it has the velocity that is left in `velocity`.
bool has_one_field(Evaluator& evaluator, double t, ConstVectorRef x, Vector lambda,
                   const std::vector<Index>& surfaces, Vector& velocity) {
  if (static_cast<Index>(surfaces.size()) > most_enumerated_surfaces) return false;
  Vector other(x.size());
  velocity.resize(x.size());
  for (Index v = 0; v < Index{1} << surfaces.size(); ++v) {
    for (std::size_t k = 0; k < surfaces.size(); ++k) lambda[surfaces[k]] = (v >> k) & 1 ? 1 : -1;
    evaluator.field(t, x, lambda, v == 0 ? velocity : other);
    if (!velocity.allFinite()) return false;
    if (v > 0 &&
        !((other - velocity).array().abs() <= kRoundingFactor * kEpsilon * velocity.array().abs()).all())
      return false;
  }
  return true;
}

}  // namespace

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
    if (!structure_.acts(met.surface) || contains(dependent_, met.surface) || contains(done, met.surface))
      continue;
    groups.push_back(structure_.component(met.surface, members, is_member_));
    if (groups.back().size() > 1) done.insert(done.end(), groups.back().begin(), groups.back().end());
  }
  for (const Index i : members) is_member_[at(i)] = 0;
  return groups;
}

std::optional<Dip> EventResolver::dip_of(const ClassifiedPoint& found, Index surface) {
  if (!found.touch) return std::nullopt;
  return Dip{surface, found.w_into, found.turns_after, found.depth, found.same_way};
}

// The comparison says the side of a state that rests on the surface whatever the relay is. Without a comparison the state at the end of a
// root goes to the side from which errors do not lead beyond it.
Side EventResolver::side_at_rest(double t, ConstVectorRef x, Index surface, Side kept,
                                 ConstVectorRef weights) {
  if (const int at_zero = zero_sides_.side(surface); at_zero != 0)
    return at_zero > 0 ? Side::plus : Side::minus;
  const Side other = kept == Side::plus ? Side::minus : Side::plus;
  const bool ends = !classifier_.has_field_beyond(t, x, lambda_, surface, kept, weights) &&
                    classifier_.has_field_beyond(t, x, lambda_, surface, other, weights);
  return ends ? other : kept;
}

EventResolver::Lone EventResolver::alone(double t, ConstVectorRef x, const Mode& mode, const Met& met,
                                         bool at_start, ConstVectorRef weights) {
  const Side before = mode[met.surface];
  Lone lone;
  lone.found = classifier_.classify_at(t, x, lambda_, met, at_start ? nullptr : &before, weights);
  const ClassifiedPoint& found = lone.found;
  const PointClass& point = lone.found.point;
  lone.reason = point.reason;
  if (found.touch) lone.reason = reason::kTouches;
  lone.two_fold = found.minus_tangent && found.plus_tangent;
  const auto add = [&](Side side) {
    LoneOption& option = lone.options[lone.count++];
    option = {side, number_of(side), false};
    if (side != Side::sliding) return;
    const double lambda =
        std::isnan(point.lambda) ? sliding_lambda(found.w_minus, found.w_plus) : point.lambda;
    option.lambda = std::isnan(lambda) ? 0.0 : lambda;
    if (rule_ == SlidingRule::equivalent_control) {
      option.lambda = equivalent_control(t, x, met.surface).value_or(option.lambda);
    }
    option.repelling = point.sliding_repels;
  };
  const bool leaves = point.continuations.contains(Side::minus) || point.continuations.contains(Side::plus);
  // A field that pushes onto the surface where the other rests may be that of a root, which vanishes there, too.
  const bool may_end = point.continuations == SideSet{Side::sliding} && std::abs(point.lambda) == 1;
  const bool is_root = may_end && rests(t, x, lambda_, {met.surface}, weights);
  lone.rests = is_root || (lone.two_fold && point.kind == PointKind::degenerate && !leaves);
  const bool is_compared = lone.rests && zero_sides_.side(met.surface) != 0;
  if (found.same_fields || is_root || is_compared) {
    // Both fields are one motion on the surface, which keeps its side if it does not rest. A motion at the start has no side, but may curve away
    // to one.
    const bool only_down =
        point.continuations.contains(Side::minus) && !point.continuations.contains(Side::plus);
    const Side at_first = at_start && only_down ? Side::minus : Side::plus;
    const Side kept = at_start || before == Side::sliding ? at_first : before;
    const Side side = lone.rests ? side_at_rest(t, x, met.surface, kept, weights) : kept;
    add(side);
    lone.reason = is_compared ? reason::kRests : side == kept ? reason::kSameFields : reason::kRestsAtRoot;
    lone.unique = true;
    lone.two_fold = false;
    return lone;
  }
  for (const Side side : {Side::minus, Side::sliding, Side::plus}) {
    if (point.continuations.contains(side) || point.continuations.empty()) add(side);
  }
  // Sliding on through a two-fold into a repelling stretch can be left at any time, to the sides that repel there.
  if (lone.count == 1 && lone.options[0].repelling) {
    const double lambda = lone.options[0].lambda;
    const auto along = [lambda](double at_minus, double at_plus) {
      return 0.5 * ((1 - lambda) * at_minus + (1 + lambda) * at_plus);
    };
    const TwoFoldRates& rates = found.rates;
    const double scale = std::abs(rates.minus_along_minus) + std::abs(rates.minus_along_plus) +
                         std::abs(rates.plus_along_minus) + std::abs(rates.plus_along_plus);
    if (along(rates.minus_along_minus, rates.minus_along_plus) < -kNoRate * scale) add(Side::minus);
    if (along(rates.plus_along_minus, rates.plus_along_plus) > kNoRate * scale) add(Side::plus);
  }
  lone.unique = lone.count == 1 && !lone.options[0].repelling;
  if (lone.unique && !at_start && lone.options[0].side == before) {
    lone.touch = !found.same_way && (found.touch || (before == Side::plus && found.plus_tangent) ||
                                     (before == Side::minus && found.minus_tangent));
  }
  return lone;
}

EventResolver::Group EventResolver::single(double t, ConstVectorRef x, const Mode& mode, const Met& met,
                                           bool at_start, ConstVectorRef weights) {
  Lone lone = alone(t, x, mode, met, at_start, weights);
  Group group;
  group.surfaces = {met.surface};
  group.w_minus = {lone.found.w_minus};
  group.w_plus = {lone.found.w_plus};
  group.reason = std::move(lone.reason);
  group.unique = lone.unique;
  group.touch = lone.touch;
  group.dip = dip_of(lone.found, met.surface);
  group.two_fold = lone.two_fold;
  group.rests = lone.rests;
  for (std::size_t o = 0; o < lone.count; ++o) {
    const LoneOption& option = lone.options[o];
    group.options.push_back({{option.side}, {option.lambda}, option.repelling});
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

bool EventResolver::rests(double t, ConstVectorRef x, ConstVectorRef lambda,
                          const std::vector<Index>& surfaces, ConstVectorRef weights) {
  if (static_cast<Index>(surfaces.size()) > most_enumerated_surfaces) return false;
  Index decided = 0;
  for (std::size_t k = 0; k < surfaces.size(); ++k)
    if (zero_sides_.side(surfaces[k]) != 0) decided |= Index{1} << k;
  return classifier_.rests(t, x, lambda, surfaces, weights, decided);
}

EventResolver::Group EventResolver::corner(double t, ConstVectorRef x, const Mode& mode,
                                           const std::vector<Index>& surfaces, const Meeting& meeting,
                                           ConstVectorRef weights) {
  Group group;
  group.surfaces = surfaces;
  if (rests(t, x, lambda_, surfaces, weights)) {
    Option option;
    for (const Index i : surfaces) {
      const Side side = side_at_rest(t, x, i, mode.slides_on(i) ? Side::plus : mode[i], weights);
      option.sides.push_back(side);
      option.lambda.push_back(number_of(side));
    }
    group.options.push_back(std::move(option));
    group.w_minus.assign(surfaces.size(), 0);
    group.w_plus.assign(surfaces.size(), 0);
    group.unique = true;
    group.rests = true;
    const bool any_compared =
        std::any_of(surfaces.begin(), surfaces.end(), [&](Index i) { return zero_sides_.side(i) != 0; });
    group.reason = any_compared ? reason::kRestsAround : reason::kSameFieldsAround;
    return group;
  }
  std::vector<char> ends(surfaces.size(), 0);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    for (const Met& met : meeting.met) {
      if (met.surface == surfaces[k] && !meeting.at_start && mode.slides_on(met.surface)) ends[k] = 1;
    }
  }
  const Vector error =
      meeting.at_start ? Vector() : Vector(weights.unaryExpr([](double weight) { return error_of(weight); }));
  // Where several λ give one motion, sliding goes on with those that it had: each end of a relay then leaves the rest of its way to
  // the others, and the ends do not accumulate before the last of them.
  CornerSizes sizes{Vector::Zero(static_cast<Index>(surfaces.size())),
                    weights.unaryExpr([](double weight) { return error_of(weight); }) / rtol_};
  for (std::size_t k = 0; k < surfaces.size() && !meeting.at_start; ++k) {
    if (mode.slides_on(surfaces[k]))
      sizes.near[static_cast<Index>(k)] = std::clamp(lambda_[surfaces[k]], -1.0, 1.0);
  }
  CornerPoint point = corners_.solve(t, x, lambda_, surfaces, ends, error, meeting.root_ends, sizes);
  // A limit of turns has shown that the intersection attracts.
  if (point.repelling_intersection && meeting.is_limit) point.answer.continuations.resize(1);
  if (point.half_branches) group.code_word = point.half_branches->code_word;
  group.in_convex_hull = point.in_convex_hull;
  for (const Continuation& continuation : point.answer.continuations) {
    Option option;
    option.sides = continuation.sides;
    option.lambda.assign(continuation.lambda.begin(), continuation.lambda.end());
    group.options.push_back(std::move(option));
  }
  Vector velocity;
  const bool is_kink = group.options.empty() && !point.answer.incomplete &&
                       has_one_field(evaluator_, t, x, lambda_, surfaces, velocity);
  if (is_kink) {
    // Surfaces that this velocity does not lead off keep their sides.
    Option option;
    for (const Index i : surfaces) {
      const double w = evaluator_.guard_rate(t, x, velocity, i);
      const Side kept = meeting.at_start || mode.slides_on(i) ? Side::plus : mode[i];
      option.sides.push_back(w > 0 ? Side::plus : w < 0 ? Side::minus : kept);
      option.lambda.push_back(number_of(option.sides.back()));
    }
    group.options.push_back(std::move(option));
  }
  group.unique =
      group.options.size() == 1 && !point.undetermined && (!point.repelling_intersection || meeting.is_limit);
  group.w_minus.assign(surfaces.size(), kNotANumber);
  group.w_plus.assign(surfaces.size(), kNotANumber);
  if (point.w_minus.size() > 0) {
    group.w_minus.assign(point.w_minus.begin(), point.w_minus.end());
    group.w_plus.assign(point.w_plus.begin(), point.w_plus.end());
  }
  if (is_kink) {
    group.reason = reason::kSameFieldsAround;
  } else if (group.options.empty()) {
    group.reason =
        reason::kNoConsistentMode + (point.answer.note.empty() ? reason::kNotDecided : point.answer.note);
  } else if (point.undetermined) {
    group.reason = reason::kDependentRelays;
  } else if (point.repelling_intersection && !meeting.is_limit) {
    group.reason = reason::kRepellingIntersection;
  } else if (!point.uniqueness_not_shown.empty()) {
    group.reason = reason::kNotShownUnique + point.uniqueness_not_shown;
  } else if (group.unique) {
    group.reason = reason::kOnlyMode;
  } else {
    group.reason = std::to_string(group.options.size()) + " modes are consistent";
  }
  if (meeting.root_ends && !group.options.empty())
    group.reason.insert(0, reason::kRelaysEnd);
  else if (point.answer.incomplete)
    group.reason += reason::kMoreModes;
  const bool arrives =
      meeting.at_start || std::any_of(meeting.met.begin(), meeting.met.end(),
                                      [&](const Met& met) { return !mode.slides_on(met.surface); });
  if (selection_ == Selection::korobitsyn_frolova && point.half_branches && arrives)
    apply_table(point, group);
  return group;
}

void EventResolver::apply_table(const CornerPoint& point, Group& group) const {
  const auto by_table = [&](const std::string& says) {
    return reason::by_table(point.half_branches->code_word, says);
  };
  const std::optional<std::vector<Side>> wanted = korobitsyn_frolova_mode(*point.half_branches);
  if (!wanted) {
    group.reason = by_table(reason::kTableIsSilent + group.reason);
    return;
  }
  group.unique = false;
  const std::string word{to_character(wanted->front()), to_character(wanted->back())};
  for (std::size_t o = 0; o < group.options.size(); ++o) {
    if (group.options[o].sides != *wanted) continue;
    const bool only = group.options.size() == 1;
    Option chosen = group.options[o];
    group.options = {std::move(chosen)};
    group.unique = true;
    group.reason = by_table(word + reason::table_is_consistent(only));
    return;
  }
  const auto name_beside_motions = [&](const char* why) {
    group.reason = by_table(word + why + group.reason);
    Option named{*wanted, {}, false, false};
    for (const Side side : *wanted) named.lambda.push_back(number_of(side));
    group.options.push_back(std::move(named));
  };
  // A branch that is not consistent can still be followed where its sliding entries have a λ and no field points
  // back.
  Vector lambda(2);
  std::vector<Index> sliding;
  for (Index i = 0; i < 2; ++i) {
    const Side side = (*wanted)[at(i)];
    lambda[i] = number_of(side);
    if (side == Side::sliding) sliding.push_back(i);
  }
  bool incomplete = false;
  const std::vector<Vector> roots = sliding_roots(point.table, sliding, lambda, 1e-9, incomplete);
  if (roots.size() != 1 || incomplete) {
    name_beside_motions(reason::kTableNotFollowed);
    return;
  }
  for (std::size_t k = 0; k < sliding.size(); ++k) lambda[sliding[k]] = roots.front()[static_cast<Index>(k)];
  // Fields that point back out of it would return to this point for ever.
  const Vector w = interpolate(point.table, lambda);
  const double rounding = kRoundingOfCorners * point.table.w.cwiseAbs().maxCoeff();
  for (Index i = 0; i < 2; ++i) {
    if (number_of((*wanted)[at(i)]) * w[i] >= -rounding) continue;
    name_beside_motions(reason::kTableLeavesAtOnce);
    return;
  }
  group.reason = by_table(word + reason::kTableNotConsistent);
  group.options = {{*wanted, {lambda[0], lambda[1]}, false}};
  group.unique = true;
}

}  // namespace slideway
