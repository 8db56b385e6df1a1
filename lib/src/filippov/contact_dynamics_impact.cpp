// ContactDynamics of contacts that touch with a velocity: their impact, and the impulse that stops one of them.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"

namespace slideway {

namespace {

constexpr int kImpactSweeps = 3;

}  // namespace

// The parts of an impact that share no body, each with the impulses of its own. Contacts of a part in which no gap closes keep their
// velocities, and their friction goes on as it is.
ContactDynamics::Impact ContactDynamics::impact(double t, ConstVectorRef lambda,
                                                const std::vector<Index>& touching, bool elastic,
                                                ContactModes& modes, VectorRef x) const {
  if (touching.size() == 1 || !(has_friction(touching) || has_cones(touching)))
    return impact_of_part(t, lambda, touching, elastic, modes, x);
  const std::vector<std::vector<Index>> parts = parts_of_impact(t, x, lambda, modes, touching);
  const Vector rates = at_hand_.rates;
  Impact whole;
  for (std::size_t r = 0; r < touching.size(); ++r) {
    whole.approach.push_back(-rates[static_cast<Index>(r)]);
    whole.departure.push_back(rates[static_cast<Index>(r)]);
    whole.restitution.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  const Vector before = x;
  std::vector<Index> members;
  for (const std::vector<Index>& part : parts) {
    if (!(rates(part).minCoeff() < 0)) continue;
    members.clear();
    for (const Index r : part) members.push_back(touching[at(r)]);
    // No part sees what the others make of the state.
    Vector moved = before;
    const Impact one = impact_of_part(t, lambda, members, elastic, modes, moved);
    whole.noise = std::max(whole.noise, one.noise);
    for (std::size_t k = 0; k < part.size(); ++k) {
      whole.approach[at(part[k])] = one.approach[k];
      whole.departure[at(part[k])] = one.departure[k];
      whole.restitution[at(part[k])] = one.restitution[k];
    }
    for (Index j = 0; j < x.size(); ++j) {
      if (moved[j] == before[j]) continue;
      // Parts may act on one state that no gap sees, as on a sum of impulses.
      x[j] = x[j] == before[j] ? moved[j] : x[j] + (moved[j] - before[j]);
    }
  }
  return whole;
}

// Contacts belong together where an impulse of one of them, along its gap or its friction, changes the velocity of the gap or the slip of
// another. Contacts without friction are one part, which push() divides. The parts hold places in `touching`, which is sorted, and the rates
// are at hand.
std::vector<std::vector<Index>> ContactDynamics::parts_of_impact(double t, ConstVectorRef x,
                                                                 ConstVectorRef lambda,
                                                                 const ContactModes& modes,
                                                                 const std::vector<Index>& touching) const {
  const auto k = static_cast<Index>(touching.size());
  Vector relays = lambda;
  for (const Index c : touching)
    if (contact(c).friction) relays[contact(c).friction->surface] = 0;
  prepare(t, x, relays, has_cones(touching) ? with_planes_stuck(modes, touching) : modes, touching);
  Joined joined(touching.size());
  std::vector<Index> place(at_hand_.contacts.size());
  for (std::size_t row = 0; row < place.size(); ++row) {
    const Index owner = owner_of(at_hand_.contacts[row]);
    place[row] =
        static_cast<Index>(std::lower_bound(touching.begin(), touching.end(), owner) - touching.begin());
  }
  for (Index i = 0; i < at_hand_.coupling.rows; ++i) {
    for (Index e = at_hand_.coupling.start[at(i)]; e < at_hand_.coupling.start[at(i + 1)]; ++e) {
      if (at_hand_.effects[e] != 0) joined.join(place[at(i)], place[at(at_hand_.coupling.column[at(e)])]);
    }
  }
  if (has_friction(touching)) {
    const Planes all = planes(t, x, relays, touching);
    for (Index j = 0; j < k; ++j) {
      for (Index i = 0; i < k; ++i) {
        if (all.normal(i, j) != 0 || all.mixed(i, j) != 0 || all.tangential(i, j) != 0 ||
            all.slipping(i, j) != 0)
          joined.join(i, j);
      }
    }
  }
  std::vector<std::vector<Index>> parts;
  std::vector<Index> smooth;
  for (std::vector<Index>& group : joined.groups()) {
    const auto is_smooth = [&](Index r) {
      const Contact& c = contact(touching[at(r)]);
      return !c.friction && !c.cone;
    };
    if (std::all_of(group.begin(), group.end(), is_smooth))
      smooth.insert(smooth.end(), group.begin(), group.end());
    else
      parts.push_back(std::move(group));
  }
  std::sort(smooth.begin(), smooth.end());
  if (!smooth.empty()) parts.push_back(std::move(smooth));
  return parts;
}

ContactModes ContactDynamics::with_planes_stuck(const ContactModes& modes,
                                                const std::vector<Index>& of) const {
  std::vector<Index> in_plane;
  std::copy_if(of.begin(), of.end(), std::back_inserter(in_plane),
               [this](Index c) { return contact(c).cone.has_value(); });
  return as_sticking(modes, in_plane);
}

// The impact of contacts that may all be coupled.
ContactDynamics::Impact ContactDynamics::impact_of_part(double t, ConstVectorRef lambda,
                                                        const std::vector<Index>& touching, bool elastic,
                                                        ContactModes& modes, VectorRef x) const {
  const bool is_rough = has_friction(touching);
  // The loop adds the forces along b alone; friction has terms of its own.
  Vector relays = lambda;
  for (const Index c : touching)
    if (contact(c).friction) relays[contact(c).friction->surface] = 0;
  // Friction in a plane has rows of its own, as where it sticks.
  const bool has_planes = has_cones(touching);
  if (has_planes) modes = with_planes_stuck(modes, touching);
  prepare(t, x, relays, modes, touching);
  const auto k = static_cast<Index>(touching.size());
  Impact result;
  Vector start = at_hand_.rates;
  for (Index r = 0; r < k; ++r) {
    const double speed = -at_hand_.rates[r];
    result.approach.push_back(speed);
    double restitution = std::numeric_limits<double>::quiet_NaN();
    if (speed > 0) {
      const Contact& c = contact(touching[static_cast<std::size_t>(r)]);
      if (elastic) {
        restitution = named_call([&] { return "the restitution of contact '" + c.name + "'"; },
                                 [&] { return c.restitution_of(speed, x); });
      } else {
        restitution = 0;
      }
      if (!(restitution >= 0 && restitution <= 1)) {
        throw std::runtime_error("the restitution of contact '" + c.name + "' is " +
                                 number_text(restitution) + " at an approach speed of " + number_text(speed) +
                                 ", expected a number in [0, 1]");
      }
      start[r] += restitution * at_hand_.rates[r];
    }
    result.restitution.push_back(restitution);
  }
  double terms = at_hand_.rates.lpNorm<Eigen::Infinity>();
  Planes planes_here;
  Vector along = Vector::Zero(k);
  ConeAnswer cones;
  if (has_planes) {
    if (is_rough) refuse_mixed_impact(t, touching);
    cones = impulses_in_planes(t, x, modes, touching, start, result.restitution);
    at_hand_.solution = cones.z;
  } else if (is_rough) {
    planes_here = planes(t, x, relays, touching);
    if (k > 1) flush(start);
    const double restitution = result.restitution.front();
    const bool is_followed = k == 1 && contact(touching.front()).impact_friction == ImpactFriction::followed;
    const Impulses found = is_followed && at_hand_.rates[0] < 0
                               ? impulses_of_one(t, planes_here, restitution, touching.front())
                               : impulses_of_several(t, planes_here, start, touching);
    at_hand_.solution = found.normal;
    along = found.along;
  } else if (k == 1) {
    at_hand_.solution[0] = std::max(0.0, -start[0] / effect(0, 0));
  } else {
    flush(start);
    const ComplementarityAnswer answer = push(start);
    if (!answer.solved) {
      throw std::runtime_error("no impulses that only push satisfy the impact of " + names(touching) +
                               " at t = " + std::to_string(t));
    }
    at_hand_.solution = answer.z;
  }
  Vector after = at_hand_.rates;
  multiply(at_hand_.solution, after, false);
  Vector sizes = Vector::Zero(after.size());
  multiply(at_hand_.solution, sizes, true);
  if (is_rough) {
    after += planes_here.mixed * along;
    sizes += (planes_here.mixed * along.asDiagonal()).cwiseAbs().rowwise().sum();
  }
  terms = std::max(terms, sizes.maxCoeff());
  result.noise = 64 * kEpsilon * terms;
  std::vector<Index> stopped;
  for (Index r = 0; r < k; ++r) {
    const double rounding =
        16 * kEpsilon *
        (std::abs(at_hand_.rates[r]) +
         (is_rough || has_planes ? sizes[r] : std::abs(effect(r, r) * at_hand_.solution[r])));
    result.departure.push_back(std::abs(after[r]) <= rounding ? 0.0 : after[r]);
    if (at_hand_.solution[r] > 0 && result.departure.back() == 0)
      stopped.push_back(touching[static_cast<std::size_t>(r)]);
  }
  const Vector before = x;
  add_impulses(at_hand_.solution, x);
  if (is_rough) x += planes_here.along * along;
  for (Index r = 0; r < k && has_planes; ++r) {
    PlaneFriction& friction = modes.friction(touching[at(r)]);
    friction.sticks = cones.sticks[at(r)] != 0;
    friction.direction = cones.directions[at(r)];
  }
  // A gap that stops has velocity 0 exactly, not up to the rounding of the velocities before.
  for (int sweep = 0; sweep < kImpactSweeps && !stopped.empty(); ++sweep) {
    clear_cancelled(before, x);
    prepare(t, x, relays, modes, stopped);
    at_hand_.right_side = -at_hand_.rates;
    if (at_hand_.right_side.isZero(0)) break;
    solve();
    add_impulses(at_hand_.solution, x);
  }
  for (std::size_t r = 0; r < touching.size() && has_planes; ++r)
    modes.friction(touching[r]).sticks = modes.friction(touching[r]).begins = false;
  return result;
}

// By Newton's law the velocities after the impact are −e times those before. By Poisson's law there is a compression, to u ≥ 0, and then
// impulses of at least e times those of the compression, both with friction against the slip at their end.
ConeAnswer ContactDynamics::impulses_in_planes(double t, ConstVectorRef x, const ContactModes& modes,
                                               const std::vector<Index>& touching, Vector start,
                                               const std::vector<double>& restitution) const {
  const auto k = static_cast<Index>(touching.size());
  const bool by_impulses = std::any_of(touching.begin(), touching.end(), [this](Index c) {
    return contact(c).impact_law == ImpactLaw::poisson;
  });
  Vector least = Vector::Zero(k);
  if (by_impulses) start = at_hand_.rates;
  if (k > 1) flush(start);
  ConeAnswer first = solve_cones_at_hand(t, x, modes, touching, start, least, true);
  if (!by_impulses) return first;
  for (Index r = 0; r < k; ++r)
    if (start[r] < 0) least[r] = restitution[at(r)] * first.z[r];
  if (least.isZero(0)) return first;
  Vector middle = start, sizes = start.cwiseAbs();
  multiply(first.z, middle, false);
  multiply(first.z, sizes, true);
  for (Index r = 0; r < middle.size(); ++r)
    if (std::abs(middle[r]) <= 16 * kEpsilon * sizes[r]) middle[r] = 0;
  ConeAnswer second = solve_cones_at_hand(t, x, modes, touching, middle, least, true);
  second.z += first.z;
  return second;
}

const Vector& ContactDynamics::stopping_impulse(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                const ContactModes& modes, Index i) const {
  prepare(t, x, lambda, modes, {i});
  buffers_.impulse.setZero();
  at_hand_.directions[0].add_to(buffers_.impulse, -at_hand_.rates[0] / effect(0, 0));
  return buffers_.impulse;
}

}  // namespace slideway
