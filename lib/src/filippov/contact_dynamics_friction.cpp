// ContactDynamics of contacts with friction: the impulses of impacts, and forces where relays are inside their bounds.
//
// One contact alone whose friction is followed, with the impulse P of its force as the clock (Routh 1860):
//
//     du/dP = Bₙₙ + q·Bₙₜ,   ds/dP = Bₜₙ + q·Bₜₜ,   q = dQ/dP = −μ·sgn(s) while it slips; where s = 0, q = −Bₜₙ/Bₜₜ if that is within
//     ±μ, else the bound that is nearer
//
// which is a chain of straight pieces. It must not know when contacts are hit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"
#include "slideway/detail/model/corner_blend.hpp"

namespace slideway {

namespace {

// Contacts that slip at no more than this part of the speed with which they are hit do not slip.
constexpr double kNoSlip = 1e-14;
// The part of an effect by which it must change with λ to count as one that does.
constexpr double kSameEffect = 1e-13;
// The part of the largest effect below which forces split without any effect.
constexpr double kSameSplit = 1e-10;
// Pieces of an impact: slip, stick or reversed slip, each before and after the gap's velocity is 0.
constexpr int kMostPieces = 8;
// Sweeps over contacts, of which each gains a part of a digit, and the part of the speeds that the last one changes.
constexpr int kMostSweeps = 20000;
constexpr double kSweepsEnd = 1e-13;

}  // namespace

bool ContactDynamics::has_friction(const std::vector<Index>& contacts) const {
  return std::any_of(contacts.begin(), contacts.end(),
                     [this](Index c) { return contact(c).friction.has_value(); });
}

ContactDynamics::Planes ContactDynamics::planes(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                const std::vector<Index>& contacts) const {
  const auto k = static_cast<Index>(contacts.size());
  Planes made;
  made.rates = at_hand_.rates;
  made.slips = made.coefficients = Vector::Zero(k);
  made.normal = made.mixed = made.tangential = made.slipping = Matrix::Zero(k, k);
  made.directions = made.along = Matrix::Zero(x.size(), k);
  Matrix slopes = Matrix::Zero(k, x.size());
  Vector guards(lambda.size());
  evaluator_.guards(t, x, guards);
  for (Index r = 0; r < k; ++r) {
    const Contact& c = contact(contacts[at(r)]);
    at_hand_.directions[at(r)].add_to(made.directions.col(r), 1);
    if (!c.friction) continue;
    c.friction->acts_on(t, x, made.along.col(r));
    made.coefficients[r] = c.friction->coefficient(t, x);
    if (!(made.coefficients[r] >= 0) || !std::isfinite(made.coefficients[r])) {
      throw std::runtime_error("the coefficient of friction of contact '" + c.name + "' is " +
                               number_text(made.coefficients[r]) + " at t = " + number_text(t) +
                               ", expected a number >= 0");
    }
    made.slips[r] = guards[c.friction->surface];
    Vector slope(x.size());
    evaluator_.guard_gradient(t, x, c.friction->surface, slope);
    slopes.row(r) = slope.transpose();
  }
  for (Index j = 0; j < k; ++j) {
    for (const bool is_along : {false, true}) {
      buffers_.unit = is_along ? made.along.col(j) : made.directions.col(j);
      evaluator_.field_along(t, x, lambda, 0, buffers_.unit, buffers_.value, buffers_.along);
      for (Index i = 0; i < k; ++i)
        (is_along ? made.mixed : made.normal)(i, j) =
            gap_mixed(t, x, contacts[at(i)], 0, buffers_.unit, buffers_.along);
      (is_along ? made.slipping : made.tangential).col(j) = slopes * buffers_.unit;
    }
  }
  buffers_.unit.setZero();
  return made;
}

ContactDynamics::Impulses ContactDynamics::impulses_of_one(double t, const Planes& planes, double restitution,
                                                           Index index) const {
  const double normal = planes.normal(0, 0);
  const double mixed = planes.mixed(0, 0);
  const double tangential = planes.tangential(0, 0);
  const double slipping = planes.slipping(0, 0);
  const double most = planes.coefficients[0];
  const double start = planes.rates[0];
  const bool by_impulses = contact(index).impact_law == ImpactLaw::poisson;
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error("the impact of contact '" + contact(index).name + "' at t = " + number_text(t) +
                             " does not end: " + what +
                             ", a Painlevé situation; give the contact a stiffness, or a smaller friction");
  };
  if (!(slipping > 0)) {
    throw std::runtime_error("the friction of contact '" + contact(index).name +
                             "' does not act on its velocity: a unit force changes it by " +
                             number_text(slipping) + ", expected more than 0, at t = " + number_text(t) +
                             "; check acts_on of the friction: a force in the direction of the velocity");
  }
  Impulses sum{Vector::Zero(1), Vector::Zero(1)};
  double u = start;
  double s = planes.slips[0];
  double end = std::numeric_limits<double>::infinity();  // of the impulse
  if (std::abs(s) <= kNoSlip * std::abs(u)) s = 0;
  bool is_compression = true;
  for (int piece = 0; piece < kMostPieces; ++piece) {
    double q = s > 0 ? -most : most;
    if (s == 0) q = std::clamp(-tangential / slipping, -most, most);
    const double du = normal + q * mixed;
    double ds = tangential + q * slipping;
    if (s == 0 && std::abs(tangential) <= most * slipping) ds = 0;
    const double until_stop = s * ds < 0 ? -s / ds : std::numeric_limits<double>::infinity();
    double until_end = std::numeric_limits<double>::infinity();
    if (is_compression) {
      if (du > 0) until_end = -u / du;
    } else if (by_impulses) {
      until_end = end - sum.normal[0];
    } else if (du > 0) {
      until_end = (-restitution * start - u) / du;
    }
    const double step = std::min(until_stop, until_end);
    if (!std::isfinite(step))
      fail("its friction presses the bodies together as fast as its force parts them");
    sum.normal[0] += step;
    sum.along[0] += q * step;
    u = until_end <= until_stop && is_compression ? 0 : u + du * step;
    s = until_stop <= until_end ? 0 : s + ds * step;
    if (until_end > until_stop) continue;
    if (!is_compression || restitution == 0) return sum;
    is_compression = false;
    end = (1 + restitution) * sum.normal[0];
  }
  fail("it slips and sticks by turns");
  return sum;
}

// One contact after the other takes the impulses that satisfy its own conditions, until all do (Moreau, Jean). The conditions that then
// hold as equations are solved once more, to rounding, by the least change of the impulses.
std::optional<ContactDynamics::Impulses> ContactDynamics::impulses_by_relaxation(const Planes& planes,
                                                                                 const Vector& rates,
                                                                                 const Vector& slips,
                                                                                 const Vector& least) {
  const Index k = rates.size();
  const Vector& mu = planes.coefficients;
  const bool is_rough = (planes.slipping.diagonal().array() > 0).any();
  Impulses found{least, Vector::Zero(k)};
  Vector u = rates + planes.normal * least, s = slips + planes.tangential * least;
  const double speed = rates.lpNorm<Eigen::Infinity>() + slips.lpNorm<Eigen::Infinity>();
  const auto add = [&](Index r, double push, double drag) {
    u += planes.normal.col(r) * push + planes.mixed.col(r) * drag;
    s += planes.tangential.col(r) * push + planes.slipping.col(r) * drag;
    found.normal[r] += push;
    found.along[r] += drag;
  };
  bool settles = false;
  for (int sweep = 0; sweep < kMostSweeps && !settles; ++sweep) {
    double change = 0;
    for (Index r = 0; r < k; ++r) {
      const double push = std::max(least[r] - found.normal[r], -u[r] / planes.normal(r, r));
      add(r, push, 0);
      change = std::max(change, std::abs(push) * planes.normal(r, r));
      if (!is_rough || !(planes.slipping(r, r) > 0)) continue;
      const double bound = mu[r] * found.normal[r];
      const double drag =
          std::clamp(found.along[r] - s[r] / planes.slipping(r, r), -bound, bound) - found.along[r];
      add(r, 0, drag);
      change = std::max(change, std::abs(drag) * planes.slipping(r, r));
    }
    settles = change <= kSweepsEnd * speed;
  }
  if (!settles || !u.allFinite() || !s.allFinite()) return std::nullopt;
  // Unknowns are the impulses that are off their bounds; friction that slips goes with the impulse of its contact.
  std::vector<Index> pushing, sticking;
  Vector drag_of(k);
  for (Index r = 0; r < k; ++r) {
    const double bound = mu[r] * found.normal[r];
    const bool pushes = found.normal[r] > least[r], is_inside = std::abs(found.along[r]) < bound;
    drag_of[r] = is_inside || bound == 0 ? 0 : std::copysign(mu[r], found.along[r]);
    if (pushes) pushing.push_back(r);
    if (is_inside) sticking.push_back(r);
  }
  const auto p = static_cast<Index>(pushing.size()), q = static_cast<Index>(sticking.size());
  if (p + q == 0) return found;
  Matrix held(p + q, p + q);
  const Matrix by_push = planes.normal + planes.mixed * drag_of.asDiagonal();
  const Matrix slip_by_push = planes.tangential + planes.slipping * drag_of.asDiagonal();
  held.topLeftCorner(p, p) = by_push(pushing, pushing);
  held.topRightCorner(p, q) = planes.mixed(pushing, sticking);
  held.bottomLeftCorner(q, p) = slip_by_push(sticking, pushing);
  held.bottomRightCorner(q, q) = planes.slipping(sticking, sticking);
  Vector left(p + q);
  left.head(p) = u(pushing);
  left.tail(q) = s(sticking);
  const Vector correction = held.completeOrthogonalDecomposition().solve(left);
  for (Index i = 0; i < p; ++i) {
    found.normal[pushing[at(i)]] -= correction[i];
    found.along[pushing[at(i)]] -= drag_of[pushing[at(i)]] * correction[i];
  }
  for (Index i = 0; i < q; ++i) found.along[sticking[at(i)]] -= correction[p + i];
  found.normal = found.normal.cwiseMax(least);
  return found;
}

ContactDynamics::Impulses ContactDynamics::impulses_of_several(double t, const Planes& planes,
                                                               const Vector& start,
                                                               const std::vector<Index>& touching) const {
  const auto k = static_cast<Index>(touching.size());
  std::vector<Index> rough;
  for (Index r = 0; r < k; ++r)
    if (contact(touching[at(r)]).friction) rough.push_back(r);
  const auto f = static_cast<Index>(rough.size());
  // P ≥ least; z = (P − least, A, L), where A = Q + μP and s⁺ = S − L with S ⟂ A and L ⟂ 2μP − A.
  const auto solve_for = [&](const Vector& rates, const Vector& slips, const Vector& least) {
    const Vector& mu = planes.coefficients;
    Matrix m = Matrix::Zero(k + 2 * f, k + 2 * f);
    Vector q = Vector::Zero(k + 2 * f);
    m.topLeftCorner(k, k) = planes.normal - planes.mixed * mu.asDiagonal();
    q.head(k) = rates + m.topLeftCorner(k, k) * least;
    const Matrix slip_by_normal = planes.tangential - planes.slipping * mu.asDiagonal();
    for (Index a = 0; a < f; ++a) {
      const Index r = rough[at(a)];
      m.block(0, k + a, k, 1) = planes.mixed.col(r);
      m.block(k + a, 0, 1, k) = slip_by_normal.row(r);
      for (Index b = 0; b < f; ++b) m(k + a, k + b) = planes.slipping(r, rough[at(b)]);
      m(k + a, k + f + a) = 1;
      m(k + f + a, r) = 2 * mu[r];
      m(k + f + a, k + a) = -1;
      q[k + a] = slips[r] + slip_by_normal.row(r).dot(least);
      q[k + f + a] = 2 * mu[r] * least[r];
    }
    const ComplementarityAnswer answer = solve_box_complementarity(
        m, q, Vector::Zero(k + 2 * f), Vector::Constant(k + 2 * f, std::numeric_limits<double>::infinity()));
    if (!answer.solved) {
      // Contacts with more impulses than directions of motion, as three feet of a brick, can lead Lemke's path astray.
      if (std::optional<Impulses> relaxed = impulses_by_relaxation(planes, rates, slips, least))
        return *relaxed;
      throw std::runtime_error(
          "no impulses that only push, with friction within its bounds, satisfy the impact of " +
          names(touching) + " at t = " + number_text(t));
    }
    Impulses found{least + answer.z.head(k), Vector::Zero(k)};
    for (Index a = 0; a < f; ++a) {
      const Index r = rough[at(a)];
      found.along[r] = answer.z[k + a] - mu[r] * found.normal[r];
    }
    return found;
  };
  const bool by_impulses = std::any_of(touching.begin(), touching.end(), [this](Index c) {
    return contact(c).impact_law == ImpactLaw::poisson;
  });
  if (!by_impulses) return solve_for(start, planes.slips, Vector::Zero(k));
  // The first impulses end when no gap approaches; the second ones are at least e times as large.
  const Impulses first = solve_for(planes.rates, planes.slips, Vector::Zero(k));
  Vector least = Vector::Zero(k);
  for (Index r = 0; r < k; ++r) {
    if (planes.rates[r] < 0) least[r] = first.normal[r] * (start[r] / planes.rates[r] - 1);
  }
  const Vector rates = planes.rates + planes.normal * first.normal + planes.mixed * first.along;
  const Vector slips = planes.slips + planes.tangential * first.normal + planes.slipping * first.along;
  Impulses second = solve_for(rates, slips, least);
  second.normal += first.normal;
  second.along += first.along;
  return second;
}

// Λ and the friction where f combines the corners of relays inside their bounds: so do these.
const ContactModes& ContactDynamics::blend_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                  const ContactModes& modes) const {
  std::vector<Index> inside;
  Vector corner = lambda;
  for (const Index c : modes.closed) {
    if (!contact(c).friction) continue;
    const Index surface = contact(c).friction->surface;
    const bool is_new = std::find(inside.begin(), inside.end(), surface) == inside.end();
    if (is_new && std::abs(lambda[surface]) < 1) inside.push_back(surface);
  }
  const ContactModes* there = &solve_for_forces(t, x, lambda, modes, 0, modes.closed);
  bool is_affine = inside.empty() || inside.size() > std::size_t{most_blended_surfaces};
  if (!is_affine) {
    const Vector effects = at_hand_.effects;
    const Vector forces = at_hand_.solution;
    for (const Index surface : inside) corner[surface] = 1;
    prepare(t, x, corner, modes, modes.closed);
    is_affine = (at_hand_.effects - effects).lpNorm<Eigen::Infinity>() <=
                kSameEffect * effects.lpNorm<Eigen::Infinity>();
    at_hand_.solution = forces;
  }
  buffers_.all_friction.setZero();
  buffers_.second_friction.setZero();
  const auto add = [&](ConstVectorRef relays, double weight) {
    take_cone_forces(t, x, *there, weight);
    for (std::size_t r = 0; r < modes.closed.size(); ++r) {
      const Index c = modes.closed[r];
      const double force = weight * at_hand_.solution[static_cast<Index>(r)];
      buffers_.all_forces[c] += force;
      if (!contact(c).friction) continue;
      const ContactFriction& friction = *contact(c).friction;
      buffers_.all_friction[c] -= friction.coefficient(t, x) * relays[friction.surface] * force;
    }
  };
  if (is_affine) {
    add(lambda, 1);
    return *there;
  }
  for (std::size_t corners = 0; corners < (std::size_t{1} << inside.size()); ++corners) {
    double weight = 1;
    for (std::size_t k = 0; k < inside.size(); ++k) {
      corner[inside[k]] = ((corners >> k) & 1U) != 0 ? 1 : -1;
      weight *= 0.5 * (1 + corner[inside[k]] * lambda[inside[k]]);
    }
    there = &solve_for_forces(t, x, corner, modes, 0, modes.closed);
    add(corner, weight);
  }
  return *there;
}

ContactDynamics::Forces ContactDynamics::least_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                      const ContactModes& modes,
                                                      const std::vector<Index>& sliding,
                                                      ConstVectorRef motion) const {
  const Forces whole = forces(t, x, lambda, modes);
  if (modes.closed.size() < 2) return whole;
  Vector added(x.size());
  evaluator_.field(t, x, lambda, added);
  added = motion - added;
  const std::vector<std::vector<Index>> groups = at_hand_.groups;
  for (const std::vector<Index>& group : groups) {
    std::vector<Index> members;
    for (const Index row : group)
      if (!is_tangential(at_hand_.contacts[at(row)])) members.push_back(at_hand_.contacts[at(row)]);
    if (members.size() > 1 && members.size() <= kManyContacts && !has_cones(members))
      split_least(t, x, lambda, modes, members, sliding, added);
  }
  return whole;
}

// z holds the forces, with those of friction that sticks; Gz = `added` is what they add to f. The least z + Ny, GN = 0, with Az ≥ 0 is a
// problem of complementarity for the multipliers of those bounds.
void ContactDynamics::split_least(double t, ConstVectorRef x, ConstVectorRef lambda,
                                  const ContactModes& modes, const std::vector<Index>& members,
                                  const std::vector<Index>& sliding, ConstVectorRef added) const {
  const auto k = static_cast<Index>(members.size());
  Vector above = Vector::Ones(lambda.size()), below = above;
  if (evaluator_.system().breaks_away()) evaluator_.break_away(t, x, above, below);
  const auto sticks = [&](const Contact& c) {
    return c.friction && std::find(sliding.begin(), sliding.end(), c.friction->surface) != sliding.end();
  };
  std::vector<Index> sticking, rows;  // in members; states
  for (Index r = 0; r < k; ++r) {
    if (sticks(contact(members[at(r)]))) sticking.push_back(r);
    rows.insert(rows.end(), acted_on_[at(members[at(r)])].begin(), acted_on_[at(members[at(r)])].end());
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  // A state that contacts of other groups act on, too, is one that no gap sees.
  for (const Index c : modes.closed) {
    if (std::find(members.begin(), members.end(), c) != members.end()) continue;
    for (const Index state : acted_on_[at(c)])
      rows.erase(std::remove(rows.begin(), rows.end(), state), rows.end());
  }
  const auto q = static_cast<Index>(sticking.size());
  Matrix G(static_cast<Index>(rows.size()), k + q), A = Matrix::Zero(k + 2 * q, k + q);
  Vector direction(x.size());
  A.topLeftCorner(k, k).setIdentity();
  for (Index r = 0; r < k; ++r) {
    const Contact& c = contact(members[at(r)]);
    direction.setZero();
    c.acts_on(t, x, direction);
    if (c.friction && !sticks(c)) {
      Vector along = Vector::Zero(x.size());
      c.friction->acts_on(t, x, along);
      direction -= c.friction->coefficient(t, x) * lambda[c.friction->surface] * along;
    }
    G.col(r) = direction(rows);
  }
  for (Index j = 0; j < q; ++j) {
    const Index r = sticking[at(j)];
    const ContactFriction& friction = *contact(members[at(r)]).friction;
    const double mu = friction.coefficient(t, x);
    direction.setZero();
    friction.acts_on(t, x, direction);
    G.col(k + j) = direction(rows);
    A(k + 2 * j, r) = mu * above[friction.surface];
    A(k + 2 * j, k + j) = 1;
    A(k + 2 * j + 1, r) = mu * below[friction.surface];
    A(k + 2 * j + 1, k + j) = -1;
  }
  const Vector by_forces = added(rows);
  if (!G.allFinite() || !by_forces.allFinite()) return;
  Eigen::JacobiSVD<Matrix> parts(G, Eigen::ComputeFullU | Eigen::ComputeFullV);
  parts.setThreshold(kSameSplit);
  Vector least = parts.solve(by_forces);
  const Matrix free = parts.matrixV().rightCols(k + q - parts.rank());
  if (q == 0 && free.cols() == 0) return;
  const Vector left = A * least;
  if (free.cols() > 0 && left.minCoeff() < -kSameSplit * least.lpNorm<Eigen::Infinity>()) {
    const Matrix bounds = A * free;
    const ComplementarityAnswer answer =
        solve_box_complementarity(bounds * bounds.transpose(), left, Vector::Zero(left.size()),
                                  Vector::Constant(left.size(), std::numeric_limits<double>::infinity()));
    if (!answer.solved) return;
    least += free * (bounds.transpose() * answer.z);
  }
  for (Index r = 0; r < k; ++r) {
    const Index c = members[at(r)];
    if (contact(c).friction)
      buffers_.all_friction[c] =
          -contact(c).friction->coefficient(t, x) * lambda[contact(c).friction->surface] * least[r];
    buffers_.all_forces[c] = least[r];
  }
  for (Index j = 0; j < q; ++j) buffers_.all_friction[members[at(sticking[at(j)])]] = least[k + j];
}

}  // namespace slideway
