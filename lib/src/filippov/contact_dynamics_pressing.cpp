// ContactDynamics of contacts that touch at rest: which the forces keep closed, and how hard each is pressed.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/factorise.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"

namespace slideway {

namespace {

// The part of the largest acceleration that a force must be able to give to press.
constexpr double kPresses = 1e-9;
// The part of what makes up a gap's acceleration that is left of it where it opens.
constexpr double kOpens = 1e-12;
// The part of what relays make of a gap's acceleration that is left of it where they hold the gap.
constexpr double kHolds = 1e-9;

}  // namespace

ContactModes ContactDynamics::staying_closed(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const ContactModes& before, const std::vector<Index>& touching,
                                             double noise) const {
  if (has_cones(touching)) return settle_plane_frictions(t, x, lambda, before, touching, noise);
  ContactModes modes = before;
  modes.closed = closed_under_forces(t, x, lambda, before, touching);
  return modes;
}

std::vector<Index> ContactDynamics::closed_under_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                        const ContactModes& modes,
                                                        const std::vector<Index>& touching) const {
  std::vector<Index> closed;
  if (touching.empty()) return closed;
  // Relays inside their bounds may be what holds a gap: then it needs no force, and what rounding leaves of its acceleration is not
  // one.
  Vector otherwise;
  if ((lambda.array().abs() < 1).any()) {
    Vector moved = lambda;
    for (Index i = 0; i < lambda.size(); ++i) {
      // Numbers without a pattern: what one relay does must not make up for what another one does.
      if (std::abs(lambda[i]) < 1)
        moved[i] -= std::copysign(0.7 + 0.2 * std::sin(1.0 + 2.39996 * static_cast<double>(i)), lambda[i]);
    }
    prepare(t, x, moved, modes, touching);
    otherwise = at_hand_.accelerations;
  }
  prepare(t, x, lambda, modes, touching);
  const auto k = static_cast<Index>(touching.size());
  std::vector<char> held(touching.size(), 0);
  for (Index r = 0; r < std::min(k, otherwise.size()); ++r) {
    if (!(std::abs(at_hand_.accelerations[r]) <= kHolds * std::abs(otherwise[r] - at_hand_.accelerations[r])))
      continue;
    at_hand_.accelerations[r] = 0;
    held[static_cast<std::size_t>(r)] = otherwise[r] != 0;
  }
  flush(at_hand_.accelerations);
  const ComplementarityAnswer answer = push(at_hand_.accelerations);
  if (!answer.solved) {
    throw std::runtime_error("no forces that only push satisfy the contacts " + names(touching) +
                             " at t = " + std::to_string(t));
  }
  const double scale = at_hand_.accelerations.lpNorm<Eigen::Infinity>();
  // Gaps have units of their own, and what the forces make of one of them adds up in its unit.
  const auto terms = [&](Index r) {
    double sum = std::abs(at_hand_.accelerations[r]);
    const auto row = static_cast<std::size_t>(r);
    for (Index e = at_hand_.coupling.start[row]; e < at_hand_.coupling.start[row + 1]; ++e) {
      sum += std::abs(at_hand_.effects[e] * answer.z[at_hand_.coupling.column[static_cast<std::size_t>(e)]]);
    }
    return sum;
  };
  for (Index r = 0; r < k; ++r) {
    if (held[static_cast<std::size_t>(r)] != 0 && !(answer.z[r] * effect(r, r) > kPresses * scale)) continue;
    // A gap that opens has an acceleration of its own; anything else stays.
    if (answer.residual[r] <= kOpens * scale || answer.residual[r] <= kOpens * terms(r))
      closed.push_back(touching[static_cast<std::size_t>(r)]);
  }
  return closed;
}

ContactDynamics::Pressed ContactDynamics::pressed_with(Index i, double t, ConstVectorRef x,
                                                       ConstVectorRef lambda, const ContactModes& modes,
                                                       const std::vector<Index>& touching) const {
  Pressed pressed;
  prepare(t, x, lambda, modes, touching);
  const auto k = static_cast<Index>(touching.size());
  const double scale = at_hand_.accelerations.lpNorm<Eigen::Infinity>();
  if (k == 1 && at_hand_.accelerations.size() == 1) {
    if (!(at_hand_.accelerations[0] < 0)) return pressed;
    pressed = {{i}, {-at_hand_.accelerations[0]}};
    pressed.forces = Vector::Constant(1, -at_hand_.accelerations[0] / effect(0, 0));
    pressed.masses = Matrix::Constant(1, 1, 1 / effect(0, 0));
    add_pushed(pressed, {0});
    return pressed;
  }
  flush(at_hand_.accelerations);
  const ComplementarityAnswer answer = push(at_hand_.accelerations);
  if (!answer.solved) return pressed;
  const auto presses = [&](Index r) { return answer.z[r] * effect(r, r) > kPresses * scale; };
  // The rows that row i is connected with.
  std::vector<Index> rows;
  std::vector<char> is_in(touching.size(), 0);
  for (Index r = 0; r < k; ++r) {
    if (touching[static_cast<std::size_t>(r)] == i && presses(r)) rows.push_back(r);
  }
  for (const Index r : rows) is_in[static_cast<std::size_t>(r)] = 1;
  for (std::size_t next = 0; next < rows.size(); ++next) {
    for (Index r = 0; r < k; ++r) {
      if (is_in[static_cast<std::size_t>(r)] || effect(r, rows[next]) == 0 || !presses(r)) continue;
      is_in[static_cast<std::size_t>(r)] = 1;
      rows.push_back(r);
    }
  }
  if (rows.empty()) return pressed;
  std::sort(rows.begin(), rows.end());
  pressed.masses = effects(rows).completeOrthogonalDecomposition().pseudoInverse();
  pressed.forces = answer.z(rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<Index>(r);
    pressed.contacts.push_back(touching[static_cast<std::size_t>(rows[r])]);
    pressed.accelerations.push_back(pressed.forces[row] / pressed.masses(row, row));
  }
  add_pushed(pressed, rows);
  return pressed;
}

void ContactDynamics::add_pushed(Pressed& pressed, const std::vector<Index>& rows) const {
  const auto k = static_cast<Index>(rows.size());
  pressed.effects.resize(k);
  pressed.pushed = Vector::Zero(evaluator_.system().states());
  for (Index r = 0; r < k; ++r) {
    pressed.effects[r] = effect(rows[at(r)], rows[at(r)]);
    const Sparse& direction = at_hand_.directions[at(rows[at(r)])];
    const double impulse = std::sqrt(std::max(0.0, pressed.masses(r, r)));
    for (std::size_t j = 0; j < direction.states.size(); ++j)
      pressed.pushed[direction.states[j]] += std::abs(direction.values[j]) * impulse;
  }
}

}  // namespace slideway
