// ContactDynamics back to the constraint: a state is moved to where the gaps of contacts and their velocities are zero.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_dynamics_shared.hpp"
#include "filippov/least_step.hpp"
#include "filippov/noise_probe.hpp"

namespace slideway {

namespace {

constexpr int kProjectionSweeps = 6;

}  // namespace

bool ContactDynamics::correct_gaps(double t, const std::vector<Index>& contacts, ConstVectorRef weights,
                                   VectorRef x) const {
  buffers_.gaps.resize(static_cast<Index>(contacts.size()));
  bool is_there = true;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    const double gap = contact(contacts[r]).gap.value(t, x);
    buffers_.gaps[static_cast<Index>(r)] = gap;
    const Sparse& gradient = slopes(t, x, contacts[r]);
    // A state that is zero on the surface has no rounding of its own; that of its error scale stands in.
    double unit = 0;
    for (std::size_t k = 0; k < gradient.states.size(); ++k) {
      const Index state = gradient.states[k];
      const double error = is_unknown(evaluator_, state) ? 1 / weights[state] : 0;
      unit += std::abs(gradient.values[k]) * (std::abs(x[state]) + error);
    }
    is_there = is_there && std::abs(gap) <= 4 * kEpsilon * unit;
  }
  if (is_there) return true;
  if (contacts.size() == 1) {
    move_by_gaps(contacts, {0}, weights, x);
    return false;
  }
  // Gaps of different states are moved apart.
  Seen seen;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    for (const Index state : gaps_of_[at(contacts[r])].states) {
      if (is_unknown(evaluator_, state)) seen.emplace_back(state, static_cast<Index>(r));
    }
  }
  std::sort(seen.begin(), seen.end());
  Joined joined(contacts.size());
  for (std::size_t k = 1; k < seen.size(); ++k) {
    if (seen[k].first == seen[k - 1].first) joined.join(seen[k].second, seen[k - 1].second);
  }
  for (const std::vector<Index>& group : joined.groups()) move_by_gaps(contacts, group, weights, x);
  return false;
}

// x −= W²Gᵀ(GW²Gᵀ)⁻¹·gaps of these rows of `contacts`, whose gradients and gaps are known.
void ContactDynamics::move_by_gaps(const std::vector<Index>& contacts, const std::vector<Index>& rows,
                                   ConstVectorRef weights, VectorRef x) const {
  const auto gradient = [&](Index row) -> const Sparse& { return gaps_of_[at(contacts[at(row)])].slopes; };
  if (rows.size() == 1) {
    const Sparse& g = gradient(rows[0]);
    double squared = 0;
    for (std::size_t k = 0; k < g.states.size(); ++k) {
      if (!is_unknown(evaluator_, g.states[k])) continue;
      const double scaled = g.values[k] / weights[g.states[k]];
      squared += scaled * scaled;
    }
    for (std::size_t k = 0; k < g.states.size(); ++k) {
      if (!is_unknown(evaluator_, g.states[k])) continue;
      const double weight = weights[g.states[k]];
      x[g.states[k]] -= g.values[k] / (weight * weight) * (buffers_.gaps[rows[0]] / squared);
    }
    return;
  }
  std::vector<Index> states;
  for (const Index row : rows) {
    const Sparse& g = gradient(row);
    std::copy_if(g.states.begin(), g.states.end(), std::back_inserter(states),
                 [&](Index state) { return is_unknown(evaluator_, state); });
  }
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Sparse& g = gradient(rows[r]);
    for (std::size_t k = 0; k < g.states.size(); ++k) {
      if (!is_unknown(evaluator_, g.states[k])) continue;
      const auto column = std::lower_bound(states.begin(), states.end(), g.states[k]) - states.begin();
      entries.emplace_back(static_cast<int>(r), static_cast<int>(column), g.values[k] / weights[g.states[k]]);
    }
  }
  SparseRows slopes(static_cast<Index>(rows.size()), static_cast<Index>(states.size()));
  slopes.setFromTriplets(entries.begin(), entries.end());
  Vector step;
  if (!least_step(std::move(slopes), buffers_.gaps(rows), step)) return;
  for (std::size_t k = 0; k < states.size(); ++k)
    x[states[k]] += step[static_cast<Index>(k)] / weights[states[k]];
}

// A gap larger than the integrator's errors is no noise.
bool ContactDynamics::is_noise(double t, ConstVectorRef x, Index i, double gap,
                               ConstVectorRef weights) const {
  if (!(std::abs(gap) <= tolerance(t, x, i, weights))) return false;
  const Sparse& gradient = slopes(t, x, i);
  double sum_of_slopes = 0;
  for (const double slope : gradient.values) sum_of_slopes += std::abs(slope);
  double noise = 0;
  Vector beside = x;
  for (int point = 0; point < noise_probe::points; ++point) {
    double linear = gap;
    for (std::size_t k = 0; k < gradient.states.size(); ++k) {
      const Index j = gradient.states[k];
      if (!is_unknown(evaluator_, j)) continue;
      beside[j] = x[j] + noise_probe::part(j, point) * noise_probe::reach(gap, sum_of_slopes, x[j]);
      linear += gradient.values[k] * (beside[j] - x[j]);
    }
    const double away = std::abs(contact(i).gap.value(t, beside) - linear);
    if (away > noise) noise = away;
  }
  return noise_probe::is_noise(gap, noise);
}

// x gets the impulses that stop these contacts. Where slip begins its direction is that of the modes: what turns it here would move x by
// less than its errors.
void ContactDynamics::stop(double t, VectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                           const std::vector<Index>& contacts) const {
  prepare_as(t, x, lambda, modes, contacts);
  at_hand_.right_side = -at_hand_.rates;
  solve();
  add_impulses(at_hand_.solution, x);
}

bool ContactDynamics::project(double t, const std::vector<Index>& contacts, ConstVectorRef lambda,
                              const ContactModes& modes, ConstVectorRef weights, VectorRef x) const {
  if (contacts.empty()) return true;
  buffers_.original = x;
  for (int sweep = 0; sweep < kProjectionSweeps; ++sweep) {
    const bool is_there = correct_gaps(t, contacts, weights, x);
    if (!x.allFinite()) break;
    stop(t, x, lambda, modes, contacts);
    // clear_cancelled() sets velocities to 0 of which stop() left rounding alone; stop() then corrects what the gaps ask for.
    if (is_there && clear_cancelled(buffers_.original, x)) stop(t, x, lambda, modes, contacts);
    if (is_there) return true;
    if (sweep + 1 < kProjectionSweeps) continue;
    // A gap whose terms in time are larger than the states comes no nearer than their rounding, nor one whose terms cancel.
    const auto is_within_rounding = [&](Index i) {
      const double gap = contact(i).gap.value(t, x);
      return std::abs(gap) <= rounding(t, x, i) || is_noise(t, x, i, gap, weights);
    };
    if (std::all_of(contacts.begin(), contacts.end(), is_within_rounding)) return true;
  }
  x = buffers_.original;
  return false;
}

}  // namespace slideway
