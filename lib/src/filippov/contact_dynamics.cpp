#include "slideway/filippov/contact_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseLU>

#include "slideway/core/state_errors.hpp"

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kProjectionSweeps = 6;
constexpr int kImpactSweeps = 3;
// The part of the largest acceleration, or velocity, of several contacts that is rounding in another.
constexpr double kNegligible = 1e-13;
// The part of the largest acceleration that a force must be able to give to press.
constexpr double kPresses = 1e-9;
// The part of a change by the tolerances that no impact is worth.
constexpr double kCarriedError = 1e-4;
// Groups of more contacts than this are solved for by sparse factors.
constexpr std::size_t kManyContacts = 64;
// B is singular below this reciprocal condition number.
constexpr double kSingular = 1e-13;
// By how much λ is moved for differences: the residual is of second degree in each relay.
constexpr double kRelayStep = 0.01;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Sets of rows that are joined.
class Joined {
 public:
  explicit Joined(std::size_t rows) : parent_(rows) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  void join(Index i, Index j) { parent_[root(at(i))] = root(at(j)); }
  // Of at least one row each, by their first.
  std::vector<std::vector<Index>> groups() {
    std::vector<std::vector<Index>> result;
    std::vector<Index> place(parent_.size(), -1);
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      Index& group = place[root(i)];
      if (group < 0) {
        group = static_cast<Index>(result.size());
        result.emplace_back();
      }
      result[at(group)].push_back(static_cast<Index>(i));
    }
    return result;
  }

 private:
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::vector<std::size_t> parent_;
};

// Pairs (state, row), by states.
using Seen = std::vector<std::pair<Index, Index>>;

template <class Visit>
void for_rows_of(const Seen& seen, Index state, const Visit& visit) {
  for (auto pair = std::lower_bound(seen.begin(), seen.end(), std::pair<Index, Index>(state, 0));
       pair != seen.end() && pair->first == state; ++pair) {
    visit(pair->second);
  }
}

}  // namespace

double ContactDynamics::Sparse::dot(ConstVectorRef x) const {
  double sum = 0;
  for (std::size_t k = 0; k < states.size(); ++k) sum += values[k] * x[states[k]];
  return sum;
}

void ContactDynamics::Sparse::add_to(VectorRef x, double factor) const {
  for (std::size_t k = 0; k < states.size(); ++k) x[states[k]] += factor * values[k];
}

ContactDynamics::ContactDynamics(const System& system) : definition_(system.contacts()), evaluator_(system) {
  const Index n = system.states();
  for (Vector* vector : {&field_, &along_, &acceleration_, &value_, &unit_, &impulse_})
    *vector = Vector::Zero(n);
  typical_sizes_ = Vector::Ones(n);
  all_forces_ = Vector::Zero(contacts());
  for (const Contact& contact : definition_) {
    Gap& gap = gaps_of_.emplace_back();
    if (auto shape = contact.gap.shape(n)) {
      gap.states = std::move(shape->states);
      gap.is_known = true;
      gap.is_affine = shape->affine;
    } else {
      gap.states.resize(at(n));
      std::iota(gap.states.begin(), gap.states.end(), Index{0});
    }
    gap.slopes.states = gap.states;
    gap.slopes.values.resize(gap.states.size());
    acted_on_.push_back(contact.acts_on_states.value_or(std::vector<Index>()));
    std::sort(acted_on_.back().begin(), acted_on_.back().end());
  }
  if (const auto& pattern = system.definition().field_dx_pattern) reached_by_ = transposed(*pattern);
}

void ContactDynamics::set_closed(std::vector<Index> closed) {
  closed_ = std::move(closed);
  std::sort(closed_.begin(), closed_.end());
  if (!has_patterns_) return;
  far_closed_.clear();
  local_closed_.clear();
  for (const Index c : closed_) (patterns_.is_far[at(c)] ? far_closed_ : local_closed_).push_back(c);
  far_columns_known_ = false;
}

void ContactDynamics::set_patterns(ContactPatterns patterns) {
  patterns_ = std::move(patterns);
  has_patterns_ = true;
}

void ContactDynamics::stabilise(double rate, double t, ConstVectorRef x, ConstVectorRef lambda,
                                ConstVectorRef weights) {
  prepare(t, x, lambda, closed_);
  for (std::size_t r = 0; r < closed_.size(); ++r) {
    // A unit of the gap's velocity is b/B of the state.
    double unit = 0;
    for (std::size_t k = 0; k < directions_[r].states.size(); ++k) {
      unit = std::max(unit, std::abs(directions_[r].values[k] * weights[directions_[r].states[k]]));
    }
    unit /= effect(static_cast<Index>(r), static_cast<Index>(r));
    rate = std::min(rate, 1 / (unit * tolerance(t, x, closed_[r], weights)));
  }
  stabilisation_ = rate;
}

std::string ContactDynamics::names(const std::vector<Index>& contacts) const {
  std::string text;
  for (const Index i : contacts) {
    if (text.size() > 200) return text + ", …";
    text += (text.empty() ? "'" : ", '") + contact(i).name + "'";
  }
  return text;
}

// b of these contacts; true where it enters states that it has not entered before.
bool ContactDynamics::take_directions(double t, ConstVectorRef x, const std::vector<Index>& contacts,
                                      std::vector<Sparse>& columns) {
  columns.resize(contacts.size());
  unit_.setZero();
  bool is_new = false;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    const Contact& c = contact(contacts[r]);
    std::vector<Index>& known = acted_on_[at(contacts[r])];
    Sparse& column = columns[r];
    c.acts_on(t, x, unit_);
    const auto take_known = [&] {
      column.states = known;
      column.values.resize(known.size());
      for (std::size_t k = 0; k < known.size(); ++k) column.values[k] = std::exchange(unit_[known[k]], 0.0);
    };
    take_known();
    if (c.acts_on_states || unit_.lpNorm<1>() == 0) continue;
    is_new = true;
    unit_.setZero();
    c.acts_on(t, x, unit_);
    for (Index state = 0; state < x.size(); ++state) {
      if (unit_[state] != 0) known.push_back(state);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    take_known();
  }
  if (unit_.lpNorm<1>() != 0) refuse_unnamed_states(t, x, contacts);
  return is_new;
}

// One of them enters a state that it does not name.
void ContactDynamics::refuse_unnamed_states(double t, ConstVectorRef x, const std::vector<Index>& contacts) {
  for (const Index index : contacts) {
    const Contact& c = contact(index);
    if (!c.acts_on_states) continue;
    unit_.setZero();
    c.acts_on(t, x, unit_);
    for (const Index state : *c.acts_on_states) unit_[state] = 0;
    for (Index state = 0; state < x.size(); ++state) {
      if (unit_[state] == 0) continue;
      throw std::runtime_error("the force of contact '" + c.name + "' enters state '" +
                               evaluator_.system().state_names()[at(state)] +
                               "' at t = " + std::to_string(t) + ", which its acts_on_states do not name");
    }
  }
}

// ∇g, valid until the next call for the same contact.
const ContactDynamics::Sparse& ContactDynamics::slopes(double t, ConstVectorRef x, Index index) {
  Gap& gap = gaps_of_[at(index)];
  if (gap.has_slopes) return gap.slopes;
  const Guard& function = contact(index).gap;
  gradient_.setZero(x.size());
  for (std::size_t k = 0; k < gap.states.size(); ++k) {
    gradient_[gap.states[k]] = 1;
    gap.slopes.values[k] = function.rate(t, x, 0, gradient_);
    gradient_[gap.states[k]] = 0;
  }
  gap.by_time = function.rate(t, x, 1, gradient_);
  gap.has_slopes = gap.is_affine;
  return gap.slopes;
}

double ContactDynamics::gap_rate(double t, ConstVectorRef x, Index index, ConstVectorRef dx) {
  const Gap& gap = gaps_of_[at(index)];
  if (!gap.is_affine) return contact(index).gap.rate(t, x, 1, dx);
  const double along = slopes(t, x, index).dot(dx);
  return gap.by_time + along;
}

// The mixed second derivative along the field and (t_dot, along).
double ContactDynamics::gap_mixed(double t, ConstVectorRef x, Index index, double t_dot, ConstVectorRef along,
                                  ConstVectorRef mixed) {
  if (gaps_of_[at(index)].is_affine) return slopes(t, x, index).dot(mixed);
  return contact(index).gap.mixed(t, x, 1, field_, t_dot, along, mixed);
}

// Which forces these gaps see.
void ContactDynamics::learn(const std::vector<Index>& contacts) {
  const std::size_t k = contacts.size();
  const bool knows_field = reached_by_.rows > 0;
  Seen seen;
  std::vector<Index> blind;  // rows of gaps that may see everything
  for (std::size_t r = 0; r < k; ++r) {
    const Gap& gap = gaps_of_[at(contacts[r])];
    if (!gap.is_known || !knows_field) {
      blind.push_back(static_cast<Index>(r));
    } else {
      for (const Index state : gap.states) seen.emplace_back(state, static_cast<Index>(r));
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::vector<Index>> rows(k);
  Joined joined(k);
  for (std::size_t j = 0; j < k; ++j) {
    const auto column = static_cast<Index>(j);
    const auto see = [&](Index row) {
      rows[at(row)].push_back(column);
      joined.join(row, column);
    };
    see(column);
    for (const Index row : blind) see(row);
    if (seen.empty()) continue;
    for (const Index state : acted_on_[at(contacts[j])]) {
      for_rows_of(seen, state, see);
      for (Index e = reached_by_.start[at(state)]; e < reached_by_.start[at(state + 1)]; ++e) {
        for_rows_of(seen, reached_by_.column[at(e)], see);
      }
    }
  }
  coupling_ = pattern_from_rows(static_cast<Index>(k), std::move(rows));
  coupling_columns_ = CompressedColumns(coupling_);
  groups_ = joined.groups();
  effects_.setZero(coupling_.entries());
  at_hand_ = contacts;
  knows_at_hand_ = true;
  directions_.resize(k);
  for (Vector* vector : {&rates_, &accelerations_, &right_side_, &solution_}) {
    vector->resize(static_cast<Index>(k));
  }
}

// b, u, a and B at a point.
void ContactDynamics::prepare(double t, ConstVectorRef x, ConstVectorRef lambda,
                              const std::vector<Index>& contacts) {
  if (!knows_at_hand_ || at_hand_ != contacts) learn(contacts);
  evaluator_.field(t, x, lambda, field_);
  evaluator_.field_along(t, x, lambda, 1, field_, value_, acceleration_);
  const bool is_new = take_directions(t, x, contacts, directions_);
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    rates_[static_cast<Index>(r)] = gap_rate(t, x, contacts[r], field_);
    accelerations_[static_cast<Index>(r)] = gap_mixed(t, x, contacts[r], 1, field_, acceleration_);
  }
  if (is_new) {
    const Vector rates = rates_, accelerations = accelerations_;
    learn(std::vector<Index>(contacts));
    rates_ = rates;
    accelerations_ = accelerations;
  }
  unit_.setZero();
  for (Index colour = 0; colour < coupling_columns_.colours(); ++colour) {
    coupling_columns_.for_columns(colour, [&](Index j) { directions_[at(j)].add_to(unit_, 1); });
    evaluator_.field_along(t, x, lambda, 0, unit_, value_, along_);
    coupling_columns_.for_entries(colour, [&](Index entry, Index i, Index) {
      effects_[entry] = gap_mixed(t, x, contacts[at(i)], 0, unit_, along_);
    });
    coupling_columns_.for_columns(colour, [&](Index j) {
      for (const Index state : directions_[at(j)].states) unit_[state] = 0;
    });
  }
  for (Index j = 0; j < static_cast<Index>(contacts.size()); ++j) {
    if (effect(j, j) > 0) continue;
    const Contact& c = contact(contacts[at(j)]);
    throw std::runtime_error("the force of contact '" + c.name +
                             "' does not open its gap: a unit force changes the " + "gap's acceleration by " +
                             std::to_string(effect(j, j)) +
                             ", expected more than 0, at t = " + std::to_string(t) + "; check acts_on");
  }
}

double ContactDynamics::effect(Index i, Index j) const {
  const auto first = coupling_.column.begin() + coupling_.start[at(i)];
  const auto last = coupling_.column.begin() + coupling_.start[at(i + 1)];
  const auto found = std::lower_bound(first, last, j);
  return found != last && *found == j ? effects_[found - coupling_.column.begin()] : 0.0;
}

void ContactDynamics::take_effects(const std::vector<Index>& rows, Matrix& block) const {
  const auto k = static_cast<Index>(rows.size());
  block.resize(k, k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) block(i, j) = effect(rows[at(i)], rows[at(j)]);
  }
}

Matrix ContactDynamics::effects(const std::vector<Index>& rows) const {
  Matrix block;
  take_effects(rows, block);
  return block;
}

// result += B·impulses, or the same of absolute values.
void ContactDynamics::multiply(const Vector& impulses, Vector& result, bool absolute) const {
  for (Index i = 0; i < coupling_.rows; ++i) {
    for (Index e = coupling_.start[at(i)]; e < coupling_.start[at(i + 1)]; ++e) {
      const double part = effects_[e] * impulses[coupling_.column[at(e)]];
      result[i] += absolute ? std::abs(part) : part;
    }
  }
}

void ContactDynamics::add_impulses(const Vector& impulses, VectorRef x) const {
  for (std::size_t j = 0; j < directions_.size(); ++j)
    directions_[j].add_to(x, impulses[static_cast<Index>(j)]);
}

// solution_ = B⁻¹ right_side_.
void ContactDynamics::solve(const std::vector<Index>& contacts) {
  for (const std::vector<Index>& group : groups_) {
    if (group.size() == 1) {
      solution_[group[0]] = right_side_[group[0]] / effect(group[0], group[0]);
    } else {
      solve_group(group, contacts);
    }
  }
}

void ContactDynamics::solve_group(const std::vector<Index>& group, const std::vector<Index>& contacts) {
  block_right_ = right_side_(group);
  const Vector& right = block_right_;
  const double size = 1 + right.lpNorm<Eigen::Infinity>();
  if (group.size() > kManyContacts) {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t r = 0; r < group.size(); ++r) {
      for (Index e = coupling_.start[at(group[r])]; e < coupling_.start[at(group[r] + 1)]; ++e) {
        const auto c = std::lower_bound(group.begin(), group.end(), coupling_.column[at(e)]) - group.begin();
        entries.emplace_back(static_cast<int>(r), static_cast<int>(c), effects_[e]);
      }
    }
    Eigen::SparseMatrix<double> block(right.size(), right.size());
    block.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(block);
    if (factors.info() == Eigen::Success) {
      const Vector solution = factors.solve(right);
      const double terms = size + solution.lpNorm<Eigen::Infinity>() * effects_.lpNorm<Eigen::Infinity>();
      if (solution.allFinite() && (block * solution - right).lpNorm<Eigen::Infinity>() <= 1e-12 * terms) {
        solution_(group) = solution;
        return;
      }
    }
  }
  take_effects(group, block_);
  factors_.compute(block_);
  if (factors_.rcond() > kSingular) {
    block_solution_ = factors_.solve(right);
    solution_(group) = block_solution_;
    return;
  }
  // More contacts than directions to hold (a table on four legs): the forces are shared, their effect is not.
  const Eigen::CompleteOrthogonalDecomposition<Matrix> orthogonal(block_);
  const Vector solution = orthogonal.solve(right);
  const double left = (block_ * solution - right).lpNorm<Eigen::Infinity>();
  solution_(group) = solution;
  if (left <= 1e-8 * size) return;
  std::vector<Index> members;
  for (const Index r : group) members.push_back(contacts[at(r)]);
  throw std::runtime_error("no forces keep the contacts " + names(members) + " closed");
}

// 0 ≤ z ⊥ right_side + Bz ≥ 0, group by group.
ComplementarityAnswer ContactDynamics::push(const Vector& right_side) const {
  ComplementarityAnswer answer;
  answer.solved = true;
  answer.z = Vector::Zero(right_side.size());
  answer.residual = right_side;
  for (const std::vector<Index>& group : groups_) {
    const auto k = static_cast<Index>(group.size());
    const ComplementarityAnswer part =
        solve_box_complementarity(effects(group), right_side(group), Vector::Zero(k),
                                  Vector::Constant(k, std::numeric_limits<double>::infinity()));
    answer.solved = answer.solved && part.solved;
    if (!part.solved) continue;
    answer.z(group) = part.z;
    answer.residual(group) = part.residual;
  }
  return answer;
}

void ContactDynamics::solve_for_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                       double stabilisation, const std::vector<Index>& contacts) {
  prepare(t, x, lambda, contacts);
  right_side_ = -accelerations_;
  if (stabilisation > 0) {
    for (std::size_t r = 0; r < contacts.size(); ++r) {
      const auto row = static_cast<Index>(r);
      right_side_[row] -= stabilisation * (2 * rates_[row] + stabilisation * gap(t, x, contacts[r]));
    }
  }
  solve(contacts);
}

// What draws the state back onto the constraint is no force of the contact: it would release it.
const Vector& ContactDynamics::forces(double t, ConstVectorRef x, ConstVectorRef lambda) {
  all_forces_.setZero();
  if (closed_.empty()) return all_forces_;
  solve_for_forces(t, x, lambda, 0, closed_);
  all_forces_(closed_) = solution_;
  return all_forces_;
}

void ContactDynamics::add_forces(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
  const std::vector<Index>& free = frozen_ ? local_closed_ : closed_;
  if (!free.empty()) {
    solve_for_forces(t, x, lambda, stabilisation_, free);
    add_impulses(solution_, dx);
  }
  if (!frozen_) return;
  take_directions(t, x, far_closed_, far_directions_);
  for (std::size_t r = 0; r < far_closed_.size(); ++r) {
    far_directions_[r].add_to(dx, frozen_forces_[static_cast<Index>(r)]);
  }
}

double ContactDynamics::rate(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) {
  evaluator_.field(t, x, lambda, field_);
  return gap_rate(t, x, i, field_);
}

double ContactDynamics::acceleration(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) {
  impulse_.setZero();
  if (!closed_.empty()) {
    solve_for_forces(t, x, lambda, 0, closed_);
    add_impulses(solution_, impulse_);
  }
  evaluator_.field(t, x, lambda, field_);
  evaluator_.field_along(t, x, lambda, 1, field_, value_, acceleration_);
  double result = gap_mixed(t, x, i, 1, field_, acceleration_);
  if (!closed_.empty()) {
    evaluator_.field_along(t, x, lambda, 0, impulse_, value_, along_);
    result += gap_mixed(t, x, i, 0, impulse_, along_);
  }
  return result;
}

double ContactDynamics::rounding(double t, ConstVectorRef x, Index i) {
  const Sparse& gradient = slopes(t, x, i);
  double size = std::abs(gaps_of_[at(i)].by_time * t);
  for (std::size_t k = 0; k < gradient.states.size(); ++k) {
    size += std::abs(gradient.values[k]) * std::abs(x[gradient.states[k]]);
  }
  return 16 * kEpsilon * size;
}

double ContactDynamics::tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights) {
  const Sparse& gradient = slopes(t, x, i);
  double sum = 0;
  for (std::size_t k = 0; k < gradient.states.size(); ++k) {
    sum += std::abs(gradient.values[k]) / weights[gradient.states[k]];
  }
  return sum;
}

double ContactDynamics::rate_rounding(double t, ConstVectorRef x, ConstVectorRef lambda, Index i,
                                      ConstVectorRef weights) {
  value_ = x;
  add_errors(weights, value_);
  evaluator_.field(t, value_, lambda, along_);
  evaluator_.field(t, x, lambda, field_);
  const Sparse& gradient = slopes(t, x, i);
  // Entry by entry: equal errors of two bodies must not cancel.
  double carried = 0;
  double size = std::abs(gaps_of_[at(i)].by_time);
  for (std::size_t k = 0; k < gradient.states.size(); ++k) {
    const Index state = gradient.states[k];
    carried += kCarriedError * std::abs(gradient.values[k]) * std::abs(along_[state] - field_[state]);
    size += std::abs(gradient.values[k]) * std::abs(field_[state]);
  }
  return 64 * kEpsilon * size + impact_noise_ + (std::isfinite(carried) ? carried : 0.0);
}

void ContactDynamics::flush(VectorRef right_side) const {
  double largest = 0;
  for (Index r = 0; r < right_side.size(); ++r) {
    largest = std::max(largest, std::abs(right_side[r]) / std::sqrt(effect(r, r)));
  }
  for (Index r = 0; r < right_side.size(); ++r) {
    if (std::abs(right_side[r]) / std::sqrt(effect(r, r)) <= kNegligible * largest) right_side[r] = 0;
  }
}

std::vector<Index> ContactDynamics::staying_closed(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                   const std::vector<Index>& touching) {
  std::vector<Index> closed;
  if (touching.empty()) return closed;
  prepare(t, x, lambda, touching);
  const auto k = static_cast<Index>(touching.size());
  flush(accelerations_);
  const ComplementarityAnswer answer = push(accelerations_);
  if (!answer.solved) {
    throw std::runtime_error("no forces that only push satisfy the contacts " + names(touching) +
                             " at t = " + std::to_string(t));
  }
  const double scale = accelerations_.lpNorm<Eigen::Infinity>();
  for (Index r = 0; r < k; ++r) {
    // A gap that opens has an acceleration of its own; anything else stays.
    if (answer.residual[r] <= 1e-12 * scale) closed.push_back(touching[static_cast<std::size_t>(r)]);
  }
  return closed;
}

ContactDynamics::Pressed ContactDynamics::pressed_with(Index i, double t, ConstVectorRef x,
                                                       ConstVectorRef lambda,
                                                       const std::vector<Index>& touching) {
  Pressed pressed;
  prepare(t, x, lambda, touching);
  const auto k = static_cast<Index>(touching.size());
  const double scale = accelerations_.lpNorm<Eigen::Infinity>();
  if (k == 1) {
    if (accelerations_[0] < 0) pressed = {{i}, {-accelerations_[0]}};
    return pressed;
  }
  flush(accelerations_);
  const ComplementarityAnswer answer = push(accelerations_);
  if (!answer.solved) return pressed;
  const auto presses = [&](Index r) { return answer.z[r] * effect(r, r) > kPresses * scale; };
  // Those that i is connected with, row by row.
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
  const Matrix inverse = effects(rows).completeOrthogonalDecomposition().pseudoInverse();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<Index>(r);
    pressed.contacts.push_back(touching[static_cast<std::size_t>(rows[r])]);
    pressed.accelerations.push_back(answer.z[rows[r]] / inverse(row, row));
  }
  return pressed;
}

ContactDynamics::Impact ContactDynamics::impact(double t, ConstVectorRef lambda,
                                                const std::vector<Index>& touching, bool elastic,
                                                VectorRef x) {
  prepare(t, x, lambda, touching);
  const auto k = static_cast<Index>(touching.size());
  Impact result;
  Vector start = rates_;
  for (Index r = 0; r < k; ++r) {
    const double speed = -rates_[r];
    result.approach.push_back(speed);
    double restitution = std::numeric_limits<double>::quiet_NaN();
    if (speed > 0) {
      const Contact& c = contact(touching[static_cast<std::size_t>(r)]);
      restitution = elastic ? c.restitution(speed) : 0;
      if (!(restitution >= 0 && restitution <= 1)) {
        throw std::runtime_error("the restitution of contact '" + c.name + "' is " +
                                 std::to_string(restitution) + " at an approach speed of " +
                                 std::to_string(speed) + ", expected a number in [0, 1]");
      }
      start[r] += restitution * rates_[r];
    }
    result.restitution.push_back(restitution);
  }
  double terms = rates_.lpNorm<Eigen::Infinity>();
  if (k == 1) {
    solution_[0] = std::max(0.0, -start[0] / effect(0, 0));
  } else {
    flush(start);
    const ComplementarityAnswer answer = push(start);
    if (!answer.solved) {
      throw std::runtime_error("no impulses that only push satisfy the impact of " + names(touching) +
                               " at t = " + std::to_string(t));
    }
    solution_ = answer.z;
  }
  Vector after = rates_;
  multiply(solution_, after, false);
  Vector sizes = Vector::Zero(k);
  multiply(solution_, sizes, true);
  terms = std::max(terms, sizes.maxCoeff());
  impact_noise_ = std::max(impact_noise_, 64 * kEpsilon * terms);
  std::vector<Index> stopped;
  for (Index r = 0; r < k; ++r) {
    const double rounding = 16 * kEpsilon * (std::abs(rates_[r]) + std::abs(effect(r, r) * solution_[r]));
    result.departure.push_back(std::abs(after[r]) <= rounding ? 0.0 : after[r]);
    if (solution_[r] > 0 && result.departure.back() == 0)
      stopped.push_back(touching[static_cast<std::size_t>(r)]);
  }
  add_impulses(solution_, x);
  // What stops does so exactly, not up to the rounding of the velocities before.
  for (int sweep = 0; sweep < kImpactSweeps && !stopped.empty(); ++sweep) {
    prepare(t, x, lambda, stopped);
    right_side_ = -rates_;
    if (right_side_.isZero(0)) break;
    solve(stopped);
    add_impulses(solution_, x);
  }
  return result;
}

const Vector& ContactDynamics::stopping_impulse(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) {
  prepare(t, x, lambda, {i});
  impulse_.setZero();
  directions_[0].add_to(impulse_, -rates_[0] / effect(0, 0));
  return impulse_;
}

bool ContactDynamics::correct_gaps(double t, const std::vector<Index>& contacts, ConstVectorRef weights,
                                   VectorRef x) {
  gaps_.resize(static_cast<Index>(contacts.size()));
  bool is_there = true;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    const double gap = contact(contacts[r]).gap.value(t, x);
    gaps_[static_cast<Index>(r)] = gap;
    const Sparse& gradient = slopes(t, x, contacts[r]);
    // A state that is zero on the surface has no rounding of its own; that of its error scale stands in.
    double unit = 0;
    for (std::size_t k = 0; k < gradient.states.size(); ++k) {
      const Index state = gradient.states[k];
      unit += std::abs(gradient.values[k]) * (std::abs(x[state]) + 1 / weights[state]);
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
    for (const Index state : gaps_of_[at(contacts[r])].states)
      seen.emplace_back(state, static_cast<Index>(r));
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
                                   ConstVectorRef weights, VectorRef x) {
  const auto gradient = [&](Index row) -> const Sparse& { return gaps_of_[at(contacts[at(row)])].slopes; };
  if (rows.size() == 1) {
    const Sparse& g = gradient(rows[0]);
    double squared = 0;
    for (std::size_t k = 0; k < g.states.size(); ++k) {
      const double scaled = g.values[k] / weights[g.states[k]];
      squared += scaled * scaled;
    }
    for (std::size_t k = 0; k < g.states.size(); ++k) {
      const double weight = weights[g.states[k]];
      x[g.states[k]] -= g.values[k] / (weight * weight) * (gaps_[rows[0]] / squared);
    }
    return;
  }
  std::vector<Index> states;
  for (const Index row : rows) {
    const Sparse& g = gradient(row);
    states.insert(states.end(), g.states.begin(), g.states.end());
  }
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Sparse& g = gradient(rows[r]);
    for (std::size_t k = 0; k < g.states.size(); ++k) {
      const auto column = std::lower_bound(states.begin(), states.end(), g.states[k]) - states.begin();
      entries.emplace_back(static_cast<int>(r), static_cast<int>(column), g.values[k] / weights[g.states[k]]);
    }
  }
  Eigen::SparseMatrix<double> scaled(static_cast<Index>(rows.size()), static_cast<Index>(states.size()));
  scaled.setFromTriplets(entries.begin(), entries.end());
  const Vector gaps = gaps_(rows);
  const Eigen::SparseMatrix<double> products = scaled * scaled.transpose();
  Vector pushes;
  bool solved = false;
  if (rows.size() > kManyContacts) {
    const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(products);
    if (factors.info() == Eigen::Success) pushes = factors.solve(gaps);
    solved = pushes.size() > 0 && pushes.allFinite() &&
             (products * pushes - gaps).lpNorm<Eigen::Infinity>() <= 1e-8 * gaps.lpNorm<Eigen::Infinity>();
  }
  if (!solved) pushes = Matrix(products).completeOrthogonalDecomposition().solve(gaps);
  const Vector moved = scaled.transpose() * pushes;
  for (std::size_t k = 0; k < states.size(); ++k)
    x[states[k]] -= moved[static_cast<Index>(k)] / weights[states[k]];
}

bool ContactDynamics::project(double t, const std::vector<Index>& contacts, ConstVectorRef lambda,
                              ConstVectorRef weights, VectorRef x) {
  if (contacts.empty()) return true;
  original_ = x;
  for (int sweep = 0; sweep < kProjectionSweeps; ++sweep) {
    const bool is_there = correct_gaps(t, contacts, weights, x);
    if (!x.allFinite()) break;
    prepare(t, x, lambda, contacts);
    right_side_ = -rates_;
    solve(contacts);
    add_impulses(solution_, x);
    if (is_there) return true;
  }
  x = original_;
  return false;
}

void ContactDynamics::freeze(double t, ConstVectorRef x, ConstVectorRef lambda) {
  solve_for_forces(t, x, lambda, stabilisation_, far_closed_);
  frozen_forces_ = solution_;
  frozen_ = true;
}

void ContactDynamics::far_directions(double t, ConstVectorRef x, Matrix& columns) {
  columns.setZero(x.size(), static_cast<Index>(far_closed_.size()));
  take_directions(t, x, far_closed_, far_directions_);
  for (std::size_t r = 0; r < far_closed_.size(); ++r) {
    far_directions_[r].add_to(columns.col(static_cast<Index>(r)), 1);
  }
}

Matrix ContactDynamics::far_effects(double t, ConstVectorRef x, ConstVectorRef lambda) {
  prepare(t, x, lambda, far_closed_);
  std::vector<Index> rows(far_closed_.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return effects(rows);
}

void ContactDynamics::residual(double t, ConstVectorRef x, ConstVectorRef lambda, Vector& result) {
  prepare(t, x, lambda, far_closed_);
  result = accelerations_;
  for (std::size_t r = 0; stabilisation_ > 0 && r < far_closed_.size(); ++r) {
    const auto row = static_cast<Index>(r);
    result[row] += stabilisation_ * (2 * rates_[row] + stabilisation_ * gap(t, x, far_closed_[r]));
  }
  multiply(frozen_forces_, result, false);
}

void ContactDynamics::far_residual_dx(double t, ConstVectorRef x, ConstVectorRef lambda, Matrix& rows) {
  if (!far_columns_known_) {
    std::vector<std::vector<Index>> watched;
    for (const Index c : far_closed_) watched.push_back(patterns_.watched[at(c)]);
    far_columns_ = CompressedColumns(pattern_from_rows(x.size(), std::move(watched)));
    far_columns_known_ = true;
  }
  rows.setZero(static_cast<Index>(far_closed_.size()), x.size());
  const double part = std::cbrt(kEpsilon);
  const auto step = [&](Index j) {
    const double size = typical_sizes_[j];
    return part * size * std::sqrt(std::max(1.0, std::abs(x[j]) / size));
  };
  Vector moved = x, above, below;
  for (Index colour = 0; colour < far_columns_.colours(); ++colour) {
    far_columns_.for_columns(colour, [&](Index j) { moved[j] = x[j] + step(j); });
    residual(t, moved, lambda, above);
    far_columns_.for_columns(colour, [&](Index j) { moved[j] = x[j] - step(j); });
    residual(t, moved, lambda, below);
    far_columns_.for_columns(colour, [&](Index j) { moved[j] = x[j]; });
    far_columns_.for_entries(colour, [&](Index, Index i, Index j) {
      rows(i, j) = (above[i] - below[i]) / ((x[j] + step(j)) - (x[j] - step(j)));
    });
  }
}

Matrix ContactDynamics::far_residual_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const std::vector<Index>& relays) {
  Matrix columns(static_cast<Index>(far_closed_.size()), static_cast<Index>(relays.size()));
  Vector moved = lambda, above, below;
  for (std::size_t k = 0; k < relays.size(); ++k) {
    moved[relays[k]] = lambda[relays[k]] + kRelayStep;
    residual(t, x, moved, above);
    moved[relays[k]] = lambda[relays[k]] - kRelayStep;
    residual(t, x, moved, below);
    moved[relays[k]] = lambda[relays[k]];
    columns.col(static_cast<Index>(k)) = (above - below) / (2 * kRelayStep);
  }
  return columns;
}

System with_contact_forces(const System& system, std::shared_ptr<ContactDynamics> dynamics) {
  SystemDefinition definition = system.definition();
  // The derivatives of the forces are left to differences.
  definition.field_dx = {};
  definition.field_dlambda = {};
  definition.field_along = {};
  definition.normal_dx = {};
  definition.field_dx_pattern.reset();
  definition.field_dlambda_pattern.reset();
  if (std::optional<ContactPatterns> patterns = contact_patterns(system)) {
    definition.field_dx_pattern = patterns->field_dx;
    if (definition.surfaces > 0) definition.field_dlambda_pattern = patterns->field_dlambda;
    dynamics->set_patterns(std::move(*patterns));
  }
  definition.relays_additive = false;
  definition.field = [system, dynamics = std::move(dynamics)](double t, ConstVectorRef x,
                                                              ConstVectorRef lambda, VectorRef dx) {
    system.field(t, x, lambda, dx);
    dynamics->add_forces(t, x, lambda, dx);
  };
  return System(std::move(definition));
}

}  // namespace slideway
