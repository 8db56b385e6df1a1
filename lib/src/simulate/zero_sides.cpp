#include "simulate/zero_sides.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/state_errors.hpp"
#include "filippov/side_loops.hpp"

namespace slideway {

namespace {

// farthest_shift() is the largest shift of the states by which held guards are found, in errors. A shift by ε^(1/5) of their sizes shows
// the terms of a guard up to the fourth order.
double farthest_shift(double rtol) { return std::max(1.0, std::pow(kEpsilon, 0.2) / rtol); }

}  // namespace

double errors_beyond_rounding(double error, double rounding, double rtol) {
  const double farthest = farthest_shift(rtol);
  return error > 0 ? std::clamp(rounding / (kHeldPart * error), 1.0, farthest) : farthest;
}

ZeroSides::ZeroSides(Evaluator& evaluator, const RelayStructure& structure, double rtol)
    : evaluator_(evaluator),
      structure_(structure),
      geometry_(evaluator, structure),
      sides_(evaluator.system().definition().sides_at_zero),
      rtol_(rtol) {
  const bool any = std::any_of(sides_.begin(), sides_.end(), [](int side) { return side != 0; });
  if (!any || !structure.known()) sides_.clear();
}

bool ZeroSides::is_unseen(Index surface, const std::vector<Index>& others) const {
  if (!structure_.known()) return false;
  const Pattern& sees = structure_.normal_dlambda();
  const auto is_seen_by = [&](Index other) {
    const auto row = sees.column.begin();
    const auto first = row + sees.start[at(other)], last = row + sees.start[at(other + 1)];
    return std::find(first, last, surface) != last;
  };
  return !is_seen_by(surface) && std::none_of(others.begin(), others.end(), is_seen_by);
}

bool ZeroSides::Candidate::still(double value, double times) const {
  return std::abs(value) <= kHeldPart * times * error + rounding;
}

template <class MayBe>
std::vector<ZeroSides::Candidate> ZeroSides::candidates(double t, ConstVectorRef x, const Mode& mode,
                                                        ConstVectorRef weights, const MayBe& may_be) {
  std::vector<Candidate> found;
  values_.resize(mode.size());
  evaluator_.guards(t, x, values_);
  const double near = SurfaceGeometry::plainly_off_zero(x);
  for (Index i = 0; i < mode.size(); ++i) {
    if (side(i) == 0 || mode.slides_on(i) || !(std::abs(values_[i]) <= near) || !may_be(i)) continue;
    const Candidate one{.surface = i,
                        .error = geometry_.tolerance(t, x, i, weights),
                        .rounding = kZeroFactor * geometry_.rounding(t, x, i)};
    if (one.still(values_[i], 1)) found.push_back(one);
  }
  return found;
}

void ZeroSides::drop_moved(double t, double times, std::vector<Candidate>& from) {
  evaluator_.guards(t, state_, values_);
  std::erase_if(from, [&](const Candidate& one) { return !one.still(values_[one.surface], times); });
}

template <class SetState>
void ZeroSides::look_later(double t, double times, std::vector<Candidate>& from, const SetState& set_state) {
  for (const double look : kLooks) {
    if (from.empty()) return;
    const double later = t + look * typical_time_;
    if (set_state(later)) drop_moved(later, times, from);
  }
}

// Shifts of the state that the surfaces take away again, and a later time, do not move what they hold.
std::vector<Index> ZeroSides::held(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef weights,
                                   const Project& project) {
  std::vector<Index> surfaces;
  if (sides_.empty() || mode.codimension() == 0) return surfaces;
  sliding_.clear();
  mode.list_sliding(sliding_);
  Vector there = x;
  if (!project(t, there)) return surfaces;
  std::vector<Candidate> left =
      candidates(t, there, mode, weights, [&](Index i) { return is_unseen(i, sliding_); });
  look_later(t, 1, left, [&](double later) {
    state_ = there;
    return project(later, state_);
  });
  std::map<int, std::vector<Candidate>> by_shift;
  for (const Candidate& one : left) {
    const double times = errors_beyond_rounding(one.error, one.rounding, rtol_);
    by_shift[static_cast<int>(std::ceil(std::log2(times)))].push_back(one);
  }
  for (auto& [exponent, alike] : by_shift) {
    const double times = std::ldexp(1.0, exponent);
    state_ = there;
    add_errors(weights / times, state_);
    if (!project(t, state_)) continue;
    drop_moved(t, times, alike);
    for (const Candidate& one : alike) surfaces.push_back(one.surface);
  }
  std::sort(surfaces.begin(), surfaces.end());
  return surfaces;
}

// States that do not move leave the guards that depend on them at zero, at every time.
std::vector<Index> ZeroSides::resting(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                                      ConstVectorRef weights) {
  if (sides_.empty()) return {};
  std::vector<Candidate> left = candidates(t, x, mode, weights, [](Index) { return true; });
  Vector relays = lambda, velocity(x.size());
  // any_moves() tells whether the motion with these relays leads a guard off zero, and drops what it does.
  const auto any_moves = [&] {
    const std::size_t before = left.size();
    evaluator_.field(t, x, relays, velocity);
    if (!velocity.allFinite()) left.clear();
    look_later(t, 0, left, [&](double later) {
      state_ = x + (later - t) * velocity;
      return true;
    });
    return left.size() != before;
  };
  any_moves();
  do {
    relays = lambda;
    for (const Candidate& one : left) relays[one.surface] = side(one.surface);
  } while (!left.empty() && any_moves());
  std::vector<Index> surfaces;
  for (const Candidate& one : left) surfaces.push_back(one.surface);
  return surfaces;
}

std::optional<Side> ZeroSides::beside(double t, ConstVectorRef x, Index surface,
                                      const std::vector<Index>& others, const Mode& sides,
                                      ConstVectorRef weights) {
  state_ = x;
  bool is_off = false;
  const double times = farthest_shift(rtol_);
  for (const Index other : others) {
    if (sides.slides_on(other)) continue;
    const double change = number_of(sides[other]) * times * geometry_.tolerance(t, state_, other, weights);
    is_off = geometry_.change_guard(t, other, change, weights, state_) || is_off;
  }
  if (!is_off) return std::nullopt;
  values_.resize(sides.size());
  evaluator_.guards(t, state_, values_);
  const double rounding = kZeroFactor * geometry_.rounding(t, state_, surface);
  if (!(std::abs(values_[surface]) > rounding)) return std::nullopt;
  return values_[surface] > 0 ? Side::plus : Side::minus;
}

std::vector<Index> ZeroSides::held(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef weights) {
  return held(t, x, mode, weights, [&](double time, VectorRef state) {
    return geometry_.project(time, sliding_, weights, state);
  });
}

}  // namespace slideway
