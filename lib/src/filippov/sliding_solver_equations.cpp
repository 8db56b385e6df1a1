// The equations and the relays that SlidingSolver keeps: all of them, or as many as the rank of D where it is singular.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/at.hpp"
#include "core/factorise.hpp"
#include "core/joined.hpp"
#include "core/patternless.hpp"
#include "filippov/dependent_relays.hpp"
#include "filippov/generic_relays.hpp"
#include "filippov/sliding_solver.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

constexpr double kLeastSlack = 1e-6;
// A relay at its bound that moves by less than this part of the fastest one stays there.
constexpr double kStill = 1e-9;
// A relay this near to its bound may be held by the field of that side. The points below decide: this part only spares most questions.
constexpr double kAtBound = 1e-6;
// The points at which such a field is asked, each with about half of these relays at their bounds. A relay is asked less than twice at its
// bound, or never within, in 14 of 2¹² draws; it counts as not resting then.
constexpr int kRestingPoints = 12;
// The points are so far away, in parts of the states and in time. A component that vanishes here like the third power of the distance is
// 1e-9 there, far above kRestingPart.
constexpr double kBeside = 1e-3;
// A field rests where its component is this part of the component within the bounds: rounding of terms 4,500 times as large. The second part
// holds later in the mode, where these terms may have grown a thousandfold.
constexpr double kRestingPart = 1e-12;
constexpr double kStillResting = 1e-9;
// A relay has no part in the work of another one below this.
constexpr double kLeastShare = 1e-6;

// A connected component of D: its entries of sliding(), and D over them unless it is larger than `most`.
struct Component {
  std::vector<Index> members;
  Matrix matrix = {};
};

std::vector<Component> components_of(const std::vector<Eigen::Triplet<double>>& triplets, std::size_t size,
                                     Index most) {
  Joined joined(size);
  for (const auto& entry : triplets) {
    if (entry.value() != 0) joined.join(entry.row(), entry.col());
  }
  std::vector<Component> components;
  std::vector<std::size_t> component_of(size);
  std::vector<Index> place(size, -1);
  for (const std::vector<Index>& group : joined.groups()) {
    const Index count = static_cast<Index>(group.size());
    for (Index i = 0; i < count; ++i) {
      component_of[at(group[at(i)])] = components.size();
      place[at(group[at(i)])] = i;
    }
    components.push_back({group});
    if (count <= most) components.back().matrix = Matrix::Zero(count, count);
  }
  for (const auto& entry : triplets) {
    Matrix& matrix = components[component_of[at(entry.row())]].matrix;
    if (matrix.size() > 0 && entry.value() != 0)
      matrix(place[at(entry.row())], place[at(entry.col())]) = entry.value();
  }
  return components;
}

// keep_inside() keeps relays at a bound, +1 or −1 in `bounds`, from going out at once where they are among those that follow: Dλ̇ = −`changes`,
// which are the rates of w with the relays held. Each of them is exchanged for one that stays and can follow instead, as in the
// simplex method.
void keep_inside(const Vector& changes, const Matrix& effects, const Vector& bounds, RegularPart& part) {
  const auto count = static_cast<Index>(part.columns.size());
  const Vector asked = -changes(part.rows);
  if (count == 0 || !asked.allFinite()) return;
  for (Index exchange = 0; exchange < 2 * effects.cols(); ++exchange) {
    const Eigen::PartialPivLU<Matrix> factors(effects(part.rows, part.columns));
    const Vector rates = factors.solve(asked);
    const double still = kStill * rates.lpNorm<Eigen::Infinity>();
    Index leaves = -1;
    for (Index k = 0; k < count && leaves < 0; ++k)
      if (bounds[part.columns[at(k)]] * rates[k] > still) leaves = k;
    if (leaves < 0) return;
    Index enters = -1;
    double largest = kLeastShare;
    for (Index j = 0; j < effects.cols(); ++j) {
      if (std::find(part.columns.begin(), part.columns.end(), j) != part.columns.end()) continue;
      const Vector share = factors.solve(effects(part.rows, j));
      const bool goes_in = bounds[j] * rates[leaves] / share[leaves] <= 0;
      if (!goes_in || !(std::abs(share[leaves]) > largest)) continue;
      largest = std::abs(share[leaves]);
      enters = j;
    }
    if (enters < 0) return;
    part.columns[at(leaves)] = enters;
  }
}

RegularPart whole(Index size) {
  RegularPart all;
  all.rows.resize(at(size));
  std::iota(all.rows.begin(), all.rows.end(), Index{0});
  all.columns = all.rows;
  return all;
}

}  // namespace

void SlidingSolver::find_resting(double t, ConstVectorRef x, ConstVectorRef lambda) {
  resting_ = {.looked_for = true};
  const auto k = static_cast<Index>(sliding_.size());
  if (exact_ || k < 2 || linear_columns(t, x, lambda)) return;
  resting_.bound.assign(at(k), 0);
  resting_.size.assign(at(k), 0);
  for (Index e = 0; e < k; ++e) {
    const double relay = lambda[sliding_[at(e)]];
    if (std::abs(std::abs(relay) - 1) <= kAtBound) resting_.bound[at(e)] = relay < 0 ? -1 : 1;
  }
  const auto is_none = [](double bound) { return bound == 0; };
  if (std::all_of(resting_.bound.begin(), resting_.bound.end(), is_none)) return;

  // States of the sliding guards stay: beside the surfaces the fields need not rest.
  std::vector<char> stays(at(x.size()), structure_.known() ? 0 : 1);
  for (const Index i : sliding_) {
    if (!structure_.known()) break;
    const Pattern& pattern = structure_.guards_dx();
    for (Index e = pattern.start[at(i)]; e < pattern.start[at(i) + 1]; ++e)
      stays[at(pattern.column[at(e)])] = 1;
  }
  const Index continuous = x.size() - evaluator_.system().discrete();
  Vector relays = lambda, there = x, velocity(x.size()), held = Vector::Zero(k), within = Vector::Zero(k);
  std::vector<int> asked(at(k), 0), asked_within(at(k), 0);
  evaluator_.field(t, x, lambda, velocity);
  if (!all_finite(velocity)) return forget_resting();
  for (int point = 0; point < kRestingPoints; ++point) {
    const double later = kBeside * patternless(k, point);
    for (Index j = 0; j < continuous; ++j) {
      there[j] = x[j] + later * velocity[j];
      if (!stays[at(j)]) there[j] += kBeside * patternless(k + 1 + j, point) * std::abs(x[j]);
    }
    const auto is_held = [&](Index e) { return resting_.bound[at(e)] != 0 && patternless(e, point) > 0; };
    for (Index e = 0; e < k; ++e)
      relays[sliding_[at(e)]] = is_held(e) ? resting_.bound[at(e)] : generic_relay(e + point);
    evaluator_.field(t + later, there, relays, buffers_.dx);
    evaluator_.guard_rates(t + later, there, buffers_.dx, buffers_.rates);
    for (Index e = 0; e < k; ++e) {
      const double w = std::abs(buffers_.rates[sliding_[at(e)]]);
      (is_held(e) ? held : within)[e] =
          std::max(std::isfinite(w) ? w : INFINITY, (is_held(e) ? held : within)[e]);
      ++(is_held(e) ? asked : asked_within)[at(e)];
    }
  }
  for (Index e = 0; e < k; ++e) {
    const bool rests = asked[at(e)] > 1 && asked_within[at(e)] > 0 && within[e] < INFINITY &&
                       held[e] <= kRestingPart * within[e] && within[e] > 0;
    if (!rests) resting_.bound[at(e)] = 0;
    resting_.size[at(e)] = within[e];
    resting_.any = resting_.any || rests;
  }
}

bool SlidingSolver::rests_still(double t, ConstVectorRef x, ConstVectorRef dx) {
  evaluator_.guard_rates_of(sliding_, t, x, dx, buffers_.rates);
  for (std::size_t e = 0; e < sliding_.size(); ++e)
    if (resting_.bound[e] != 0 &&
        !(std::abs(buffers_.rates[sliding_[e]]) <= kStillResting * resting_.size[e]))
      return false;
  return true;
}

void SlidingSolver::forget_resting() {
  resting_ = {.looked_for = true};
  reduced_.chosen = reduced_.dependent = false;
  effects_ = Effects::unknown;
  numerators_.reset();
  newton_.prepared = newton_.valid = false;
}

void SlidingSolver::hold_resting(VectorRef lambda) const {
  if (!resting_.any) return;
  for (std::size_t e = 0; e < sliding_.size(); ++e)
    if (resting_.bound[e] != 0) lambda[sliding_[e]] = resting_.bound[e];
}

void SlidingSolver::choose_equations(double t, ConstVectorRef x, ConstVectorRef lambda) {
  reduced_.chosen = true;
  const std::size_t k = sliding_.size();
  if (newton_.diagonal && !resting_.any && newton_.triplets.size() == k &&
      std::all_of(newton_.triplets.begin(), newton_.triplets.end(),
                  [](const auto& entry) { return entry.value() != 0; })) {
    return;
  }
  reduced_.equations.clear();
  reduced_.unknowns.clear();
  reduced_.any_second_order = false;
  std::vector<Eigen::Triplet<double>> couplings = newton_.triplets;
  std::erase_if(couplings,
                [&](const auto& entry) { return is_resting(entry.row()) || is_resting(entry.col()); });
  reduced_.dependent = resting_.any;
  for (Component& component : components_of(couplings, k, kLargestDense))
    if (!is_resting(component.members.front()))
      choose_in_component(t, x, lambda, component.members, component.matrix);
  if (!reduced_.dependent) return;
  newton_.diagonal = false;
  reduced_.equation_of_row.assign(k, -1);
  reduced_.unknown_of_column.assign(k, -1);
  for (std::size_t e = 0; e < reduced_.equations.size(); ++e) {
    if (!reduced_.equations[e].second_order)
      reduced_.equation_of_row[at(reduced_.equations[e].row)] = static_cast<Index>(e);
    reduced_.unknown_of_column[at(reduced_.unknowns[e])] = static_cast<Index>(e);
  }
  buffers_.residual = Vector::Zero(static_cast<Index>(reduced_.equations.size()));
  buffers_.correction = buffers_.residual;
  newton_.scale = Vector::Ones(buffers_.residual.size());
}

// A component that is large is taken for regular; its factors show it if it is not.
void SlidingSolver::choose_in_component(double t, ConstVectorRef x, ConstVectorRef lambda,
                                        const std::vector<Index>& members, Matrix& matrix) {
  const Index size = static_cast<Index>(members.size());
  std::vector<char> second(members.size(), 0);
  const bool is_one = matrix.size() == 1 && matrix(0, 0) != 0;
  RegularPart regular = matrix.size() == 0 || is_one ? whole(size) : regular_part(matrix);
  if (regular.rows.size() < members.size()) {
    reduced_.dependent = true;
    for (Index i = 0; i < size; ++i) {
      if ((matrix.row(i).array() != 0).any()) continue;
      second[at(i)] = 1;
      for (Index j = 0; j < size; ++j)
        matrix(i, j) = second_order_entry(t, x, lambda, members[at(i)], members[at(j)]);
      if (!matrix.row(i).allFinite()) matrix.row(i).setZero();
    }
    // The relays that are farthest from their bounds can follow for longest.
    Vector above = Vector::Ones(lambda.size());
    Vector below = above;
    if (evaluator_.system().breaks_away()) evaluator_.break_away(t, x, above, below);
    const Matrix effects = matrix;
    Vector bounds = Vector::Zero(size);
    for (Index j = 0; j < size; ++j) {
      const Index relay = sliding_[at(members[at(j)])];
      const double up = lambda[relay] / above[relay];
      const double down = -lambda[relay] / below[relay];
      const double slack = std::max(kLeastSlack, 1 - std::max(up, down));
      if (slack == kLeastSlack) bounds[j] = up > down ? 1 : -1;
      matrix.col(j) *= slack;
    }
    regular = regular_part(matrix);
    const bool any_second =
        std::any_of(regular.rows.begin(), regular.rows.end(), [&](Index i) { return second[at(i)] != 0; });
    if (!any_second && (bounds.array() != 0).any()) {
      evaluator_.field(t, x, lambda, buffers_.dx);
      evaluator_.guard_curvatures(t, x, lambda, buffers_.dx, buffers_.curvatures);
      Vector changes(size);
      for (Index i = 0; i < size; ++i) changes[i] = buffers_.curvatures[sliding_[at(members[at(i)])]];
      keep_inside(changes, effects, bounds, regular);
    }
  }
  for (const Index i : regular.rows) {
    reduced_.equations.push_back({members[at(i)], second[at(i)] != 0, {}});
    if (!second[at(i)]) continue;
    reduced_.equations.back().relays = members;
    reduced_.any_second_order = true;
  }
  for (const Index j : regular.columns) reduced_.unknowns.push_back(members[at(j)]);
}

double SlidingSolver::second_order_entry(double t, ConstVectorRef x, ConstVectorRef lambda, Index row,
                                         Index column) {
  const Index i = sliding_[at(row)];
  const Index j = sliding_[at(column)];
  double value[2] = {0, 0};
  buffers_.lambda_high = lambda;
  for (const int side : {0, 1}) {
    // ḧ can be quadratic in λ; a difference over any length is then exact at its middle.
    buffers_.lambda_high[j] = lambda[j] + (side == 1 ? 0.5 : -0.5);
    evaluator_.field(t, x, buffers_.lambda_high, buffers_.dx);
    evaluator_.guard_curvatures(t, x, buffers_.lambda_high, buffers_.dx, buffers_.curvatures);
    value[side] = buffers_.curvatures[i];
  }
  return value[1] - value[0];
}

// The rows and columns that are kept, in the numbering of the equations and the unknowns.
void SlidingSolver::reduce_entries(double t, ConstVectorRef x, ConstVectorRef lambda) {
  std::vector<Eigen::Triplet<double>> kept;
  for (const auto& entry : newton_.triplets) {
    const Index row = reduced_.equation_of_row[at(entry.row())];
    const Index column = reduced_.unknown_of_column[at(entry.col())];
    if (row >= 0 && column >= 0)
      kept.emplace_back(static_cast<int>(row), static_cast<int>(column), entry.value());
  }
  for (std::size_t e = 0; e < reduced_.equations.size(); ++e) {
    for (const Index j : reduced_.equations[e].relays) {
      const Index column = reduced_.unknown_of_column[at(j)];
      if (column < 0) continue;
      kept.emplace_back(static_cast<int>(e), static_cast<int>(column),
                        second_order_entry(t, x, lambda, reduced_.equations[e].row, j));
    }
  }
  newton_.triplets = std::move(kept);
}

}  // namespace slideway
