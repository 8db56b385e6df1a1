#include "filippov/sliding_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/at.hpp"
#include "core/copy_numbers.hpp"
#include "core/wide_loops.hpp"
#include "filippov/generic_relays.hpp"
#include "filippov/newton_accuracy.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// The least error of λ there is.
constexpr double kSmallest = 1e-16;
// A sample takes at most this many steps.
constexpr int kMostSampled = 4;

bool is_diagonal(const Pattern& pattern) {
  for (Index i = 0; i < pattern.rows; ++i) {
    for (Index e = pattern.start[at(i)]; e < pattern.start[at(i) + 1]; ++e) {
      if (pattern.column[at(e)] != i) return false;
    }
  }
  return true;
}

// w, in units of the relays' effect on it: whether λ is not wrong by so much that one correction is not enough.
struct FindCorrections {
  [[gnu::always_inline]] bool operator()(Index size, const double* velocity, const int* state,
                                         const double* slope, const double* by_time, const double* effect,
                                         double* __restrict correction) const {
    std::uint64_t too_large = 0;
    for (Index k = 0; k < size; ++k) {
      correction[k] = (by_time[k] + slope[k] * velocity[state[k]]) / effect[k];
      too_large |= kSmallest * std::abs(correction[k]) <= kResidual[0] ? 0 : 1;
    }
    return too_large == 0;
  }
};

}  // namespace

SlidingSolver::SlidingSolver(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator), structure_(structure) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  position_.assign(at(m), -1);
  for (Vector* vector : {&buffers_.lambda_high, &buffers_.lambda_low, &buffers_.rates, &buffers_.rates_high,
                         &buffers_.rates_low, &buffers_.curvatures}) {
    *vector = Vector::Zero(m);
  }
  buffers_.dx = Vector::Zero(n);
  velocity_ = Vector::Zero(n);
  apart_.holds = structure.known() && is_diagonal(structure.normal_dlambda());
}

void SlidingSolver::set_sliding(const std::vector<Index>& sliding) {
  for (const Index i : sliding_) position_[at(i)] = -1;
  sliding_ = sliding;
  for (std::size_t k = 0; k < sliding_.size(); ++k) position_[at(sliding_[k])] = static_cast<Index>(k);
  newton_.prepared = false;
  apart_.looked_at = false;
  newton_.valid = false;
  reduced_.chosen = false;
  reduced_.dependent = false;
  branch_.looked_for = false;
  branch_.follows = false;
  effects_ = Effects::unknown;
  numerators_.reset();
  resting_.looked_for = resting_.any = false;
}

void SlidingSolver::prepare() {
  newton_.prepared = true;
  const Index k = static_cast<Index>(sliding_.size());
  buffers_.residual = Vector::Zero(k);
  buffers_.correction = Vector::Zero(k);
  newton_.scale = Vector::Ones(k);
  newton_.diagonal_values = Vector::Zero(k);
  newton_.diagonal = structure_.known();
  if (!newton_.diagonal) return;
  for (const Index i : sliding_) {
    const Pattern& pattern = structure_.normal_dlambda();
    for (Index e = pattern.start[at(i)]; e < pattern.start[at(i) + 1]; ++e) {
      const Index j = pattern.column[at(e)];
      if (j != i && position_[at(j)] >= 0) newton_.diagonal = false;
    }
  }
}

void SlidingSolver::learn_effects(const Eigen::SparseMatrix<double>& columns) {
  const auto& slopes = evaluator_.affine_dx();
  apart_.effects = Vector::Zero(slopes.rows());
  apart_.singles.assign(at(slopes.rows()), {});
  for (std::vector<int>* list : {&apart_.sliding.state, &apart_.sliding.row})
    list->resize(apart_.singles.size());
  for (std::vector<double>* list : {&apart_.sliding.slope, &apart_.sliding.by_time, &apart_.sliding.effect,
                                    &apart_.sliding.value, &apart_.sliding.correction})
    list->resize(apart_.singles.size());
  const auto is_single = [](const auto& matrix, Index i) {
    return matrix.outerIndexPtr()[i + 1] - matrix.outerIndexPtr()[i] == 1;
  };
  for (Index i = 0; i < apart_.effects.size(); ++i) {
    apart_.effects[i] = slopes.row(i).dot(columns.col(i));
    if (!is_single(slopes, i) || !is_single(columns, i)) continue;
    const int slope = slopes.outerIndexPtr()[i];
    const int entry = columns.outerIndexPtr()[i];
    apart_.singles[at(i)] = {.is_one = true,
                             .state = slopes.innerIndexPtr()[slope],
                             .row = columns.innerIndexPtr()[entry],
                             .slope = slopes.valuePtr()[slope],
                             .by_time = evaluator_.affine_dt()[i],
                             .effect = apart_.effects[i],
                             .value = columns.valuePtr()[entry]};
  }
}

bool SlidingSolver::effects_are_usable(const Eigen::SparseMatrix<double>& columns) {
  if (apart_.looked_at) return apart_.usable;
  apart_.looked_at = true;
  if (apart_.effects.size() == 0) learn_effects(columns);
  apart_.usable = apart_.all_single = true;
  for (const Index i : sliding_) {
    apart_.usable = apart_.usable && apart_.effects[i] != 0 && std::isfinite(apart_.effects[i]);
    apart_.all_single = apart_.all_single && apart_.singles[at(i)].is_one;
  }
  if (apart_.all_single) list_singles();
  return apart_.usable;
}

// One after the other, as they are gone through at every stage of a step.
void SlidingSolver::list_singles() {
  Singles& list = apart_.sliding;
  for (std::size_t k = 0; k < sliding_.size(); ++k) {
    const Single& single = apart_.singles[at(sliding_[k])];
    list.state[k] = single.state;
    list.row[k] = single.row;
    list.slope[k] = single.slope;
    list.by_time[k] = single.by_time;
    list.effect[k] = single.effect;
    list.value[k] = single.value;
  }
}

// solve_apart() returns false where relays do not act apart, or the result is not accurate enough; λ is a guess
// then.
bool SlidingSolver::solve_apart(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx, bool looks) {
  if (!apart_.holds || exact_) return false;
  const auto* const columns = linear_columns(t, x, lambda);
  if (!columns || !effects_are_usable(*columns)) return false;
  evaluator_.field_to_keep(t, x, lambda, dx);
  double* const velocity = dx.data();
  double* const relay = lambda.data();
  bool is_solved = true;
  if (apart_.all_single) {
    // None sees the relay of another one: what is corrected for one changes no w of the others.
    Singles& list = apart_.sliding;
    const auto count = static_cast<Index>(sliding_.size());
    is_solved = run_loop(FindCorrections(), count, velocity, list.state.data(), list.slope.data(),
                         list.by_time.data(), list.effect.data(), list.correction.data());
    const Index* const sliding = sliding_.data();
    const double* const correction = list.correction.data();
    const double* const value = list.value.data();
    const int* const row = list.row.data();
    for (Index k = 0; k < count; ++k) {
      relay[sliding[k]] -= correction[k];
      velocity[row[k]] -= value[k] * correction[k];
    }
  } else {
    const auto& slopes = evaluator_.affine_dx();
    const int* const start = columns->outerIndexPtr();
    const int* const slope_start = slopes.outerIndexPtr();
    for (const Index i : sliding_) {
      double w = evaluator_.affine_dt()[i];
      for (int e = slope_start[i]; e < slope_start[i + 1]; ++e)
        w += slopes.valuePtr()[e] * velocity[slopes.innerIndexPtr()[e]];
      const double correction = w / apart_.effects[i];
      is_solved = is_solved && kSmallest * std::abs(correction) <= kResidual[0];
      relay[i] -= correction;
      for (int e = start[i]; e < start[i + 1]; ++e)
        velocity[columns->innerIndexPtr()[e]] -= columns->valuePtr()[e] * correction;
    }
  }
  // An entry of dx that is not finite at first is not finite now.
  if (!is_solved || (looks && !all_finite(dx))) return false;
  evaluator_.keep_field(lambda, dx);
  return true;
}

// visit(row, relay) for every entry of D that can differ from zero.
template <class Visit>
void SlidingSolver::for_entries(const Visit& visit) const {
  const Pattern& pattern = structure_.normal_dlambda();
  for (std::size_t row = 0; row < sliding_.size(); ++row) {
    if (!structure_.known()) {
      for (const Index j : sliding_) visit(row, j);
      continue;
    }
    const Index i = sliding_[row];
    for (Index e = pattern.start[at(i)]; e < pattern.start[at(i) + 1]; ++e) {
      if (position_[at(pattern.column[at(e)])] >= 0) visit(row, pattern.column[at(e)]);
    }
  }
}

// All entries of D, as triplets in the order of sliding().
void SlidingSolver::entries(double t, ConstVectorRef x, ConstVectorRef lambda) {
  newton_.triplets.clear();
  if (exact_) {
    Matrix relays(buffers_.dx.size(), lambda.size());
    evaluator_.field_dlambda(t, x, lambda, relays);
    Vector gradient(buffers_.dx.size());
    std::size_t known_row = sliding_.size();
    for_entries([&](std::size_t row, Index j) {
      if (row != known_row) evaluator_.guard_gradient(t, x, sliding_[row], gradient);
      known_row = row;
      newton_.triplets.emplace_back(static_cast<int>(row), static_cast<int>(position_[at(j)]),
                                    gradient.dot(relays.col(j)));
    });
    return;
  }
  if (const auto* const columns = linear_columns(t, x, lambda)) {
    constant_entries(*columns);
    return;
  }
  const auto difference = [&](const auto& is_seed) {
    buffers_.lambda_high = lambda;
    buffers_.lambda_low = lambda;
    bool any = false;
    for (const Index j : sliding_) {
      if (!is_seed(j)) continue;
      buffers_.lambda_high[j] = 1;
      buffers_.lambda_low[j] = -1;
      any = true;
    }
    if (!any) return false;
    evaluator_.field(t, x, buffers_.lambda_high, buffers_.dx);
    evaluator_.guard_rates(t, x, buffers_.dx, buffers_.rates_high);
    evaluator_.field(t, x, buffers_.lambda_low, buffers_.dx);
    evaluator_.guard_rates(t, x, buffers_.dx, buffers_.rates_low);
    return true;
  };
  if (structure_.known()) {
    const Colouring& colouring = structure_.relay_colouring();
    const Pattern& pattern = structure_.normal_dlambda();
    for (Index colour = 0; colour < colouring.colours; ++colour) {
      if (!difference([&](Index j) { return colouring.colour[at(j)] == colour; })) continue;
      for (std::size_t row = 0; row < sliding_.size(); ++row) {
        const Index i = sliding_[row];
        for (Index e = pattern.start[at(i)]; e < pattern.start[at(i) + 1]; ++e) {
          const Index j = pattern.column[at(e)];
          if (position_[at(j)] < 0 || colouring.colour[at(j)] != colour) continue;
          newton_.triplets.emplace_back(static_cast<int>(row), static_cast<int>(position_[at(j)]),
                                        0.5 * (buffers_.rates_high[i] - buffers_.rates_low[i]));
        }
      }
    }
    return;
  }
  for (std::size_t column = 0; column < sliding_.size(); ++column) {
    difference([&](Index j) { return j == sliding_[column]; });
    for (std::size_t row = 0; row < sliding_.size(); ++row) {
      newton_.triplets.emplace_back(
          static_cast<int>(row), static_cast<int>(column),
          0.5 * (buffers_.rates_high[sliding_[row]] - buffers_.rates_low[sliding_[row]]));
    }
  }
}

// linear_columns() returns ∂f/∂λ where w is affine in λ with constant coefficients, and null elsewhere.
const Eigen::SparseMatrix<double>* SlidingSolver::linear_columns(double t, ConstVectorRef x,
                                                                 ConstVectorRef lambda) {
  return evaluator_.guards_are_affine() ? evaluator_.relay_columns(t, x, lambda) : nullptr;
}

void SlidingSolver::constant_entries(const Eigen::SparseMatrix<double>& columns) {
  const auto& slopes = evaluator_.affine_dx();
  for_entries([&](std::size_t row, Index j) {
    double sum = 0;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(columns, j); entry; ++entry) {
      for (int e = slopes.outerIndexPtr()[sliding_[row]]; e < slopes.outerIndexPtr()[sliding_[row] + 1];
           ++e) {
        if (slopes.innerIndexPtr()[e] == entry.row()) sum += slopes.valuePtr()[e] * entry.value();
      }
    }
    newton_.triplets.emplace_back(static_cast<int>(row), static_cast<int>(position_[at(j)]), sum);
  });
}

bool SlidingSolver::find_equations(double t, ConstVectorRef x, ConstVectorRef lambda) {
  entries(t, x, lambda);
  if (!std::all_of(newton_.triplets.begin(), newton_.triplets.end(),
                   [](const auto& entry) { return std::isfinite(entry.value()); })) {
    return false;
  }
  if (!reduced_.chosen) choose_equations(t, x, lambda);
  if (reduced_.dependent) reduce_entries(t, x, lambda);
  return true;
}

bool SlidingSolver::refresh(double t, ConstVectorRef x, ConstVectorRef lambda) {
  if (!find_equations(t, x, lambda)) return false;
  const Index k = buffers_.residual.size();
  newton_.scale.setZero();
  for (const auto& entry : newton_.triplets) newton_.scale[entry.row()] += std::abs(entry.value());
  if (!newton_.scale.allFinite()) return false;
  newton_.inverse_scale = newton_.scale.cwiseInverse();
  // Newton's method needs one step where w is affine in λ.
  newton_.linear = !reduced_.dependent && linear_columns(t, x, lambda);
  if (newton_.diagonal) {
    newton_.diagonal_values.setZero();
    for (const auto& entry : newton_.triplets) newton_.diagonal_values[entry.row()] = entry.value();
    if (!(newton_.diagonal_values.array() != 0).all()) return false;
  } else if (k == 0) {
    // There is no relay to solve for.
  } else if (k <= kLargestDense) {
    newton_.dense.setZero(k, k);
    for (const auto& entry : newton_.triplets) newton_.dense(entry.row(), entry.col()) = entry.value();
    newton_.dense_factors.compute(newton_.dense);
  } else {
    newton_.sparse.resize(k, k);
    newton_.sparse.setFromTriplets(newton_.triplets.begin(), newton_.triplets.end());
    newton_.sparse_factors.compute(newton_.sparse);
    if (newton_.sparse_factors.info() != Eigen::Success) return false;
  }
  newton_.valid = true;
  return true;
}

bool SlidingSolver::step(Vector& correction) {
  const Index k = buffers_.residual.size();
  if (newton_.diagonal) {
    correction = buffers_.residual.cwiseQuotient(newton_.diagonal_values);
  } else if (k <= kLargestDense) {
    correction = newton_.dense_factors.solve(buffers_.residual);
  } else {
    correction = newton_.sparse_factors.solve(buffers_.residual);
  }
  return all_finite(correction);
}

void SlidingSolver::find_residual(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx) {
  if (!reduced_.dependent) {
    evaluator_.guard_rates_of(sliding_, t, x, dx, buffers_.rates);
    for (std::size_t row = 0; row < sliding_.size(); ++row)
      buffers_.residual[static_cast<Index>(row)] = buffers_.rates[sliding_[row]];
    return;
  }
  evaluator_.guard_rates(t, x, dx, buffers_.rates);
  if (reduced_.any_second_order) evaluator_.guard_curvatures(t, x, lambda, dx, buffers_.curvatures);
  for (std::size_t e = 0; e < reduced_.equations.size(); ++e) {
    const Index i = sliding_[at(reduced_.equations[e].row)];
    buffers_.residual[static_cast<Index>(e)] =
        reduced_.equations[e].second_order ? buffers_.curvatures[i] : buffers_.rates[i];
  }
}

double SlidingSolver::scaled_residual() const {
  double largest = 0;
  for (Index e = 0; e < buffers_.residual.size(); ++e)
    largest = std::max(largest, std::abs(buffers_.residual[e]) * newton_.inverse_scale[e]);
  return largest;
}

void SlidingSolver::correct(VectorRef lambda) const {
  for (Index e = 0; e < buffers_.correction.size(); ++e) {
    lambda[sliding_[at(reduced_.dependent ? reduced_.unknowns[at(e)] : e)]] -= buffers_.correction[e];
  }
}

bool SlidingSolver::solve_relays(double t, ConstVectorRef x, VectorRef lambda) {
  if (solve_apart(t, x, lambda, velocity_, true)) return true;
  if (branch_.follows) return follow(t, x, lambda, velocity_);
  hold_resting(lambda);
  // The contraction of a step elsewhere says nothing here, unless the matrix is the same everywhere.
  double contraction = newton_.linear ? kSmallest : 1;
  double previous = 0;
  const bool is_exact = evaluator_.guard_rates_source() != DerivativeSource::finite_difference;
  for (int iteration = 0; newton_.valid && is_exact && iteration < kMostSampled; ++iteration) {
    evaluator_.field(t, x, lambda, velocity_);
    if (!all_finite(velocity_)) return false;
    find_residual(t, x, lambda, velocity_);
    const double error = scaled_residual();
    if (error <= kResidualOfGuess[0]) return true;
    if (iteration > 0) contraction = std::max(error, kSmallest) / previous;
    if ((iteration > 0 && contraction > kGood) || !step(buffers_.correction)) break;
    correct(lambda);
    if (contraction * error <= kResidual[0]) return true;
    previous = error;
  }
  return solve(t, x, lambda, velocity_);
}

SlidingSolver::Effects SlidingSolver::effects_at(double t, ConstVectorRef x, ConstVectorRef lambda) {
  if (linear_columns(t, x, lambda)) return Effects::constant;
  if (branch_.follows) return Effects::of_relays;
  const auto equations_with = [&](double factor) {
    Vector relays = lambda;
    for (std::size_t k = 0; k < sliding_.size(); ++k)
      relays[sliding_[k]] = factor * generic_relay(static_cast<Index>(k));
    entries(t, x, relays);
    if (reduced_.dependent) reduce_entries(t, x, relays);
    return newton_.triplets;
  };
  const auto here = equations_with(1);
  const auto there = equations_with(-0.9);
  double change = 0;
  double size = 0;
  for (std::size_t e = 0; e < here.size(); ++e) {
    change += std::abs(here[e].value() - there[e].value());
    size += std::abs(here[e].value());
  }
  return change <= kSameEffects * size ? Effects::varying : Effects::of_relays;
}

bool SlidingSolver::solve_exits(double t, ConstVectorRef x, VectorRef lambda, Vector& ratio,
                                Vector& product) {
  if (effects_ == Effects::unknown) {
    // The first solution tells whether D is singular, and whether a root has to be followed.
    if (!solve(t, x, lambda, velocity_)) return false;
    effects_ = effects_at(t, x, lambda);
  }
  ratio.setOnes(static_cast<Index>(sliding_.size()));
  if (effects_ != Effects::varying) {
    if (!solve_relays(t, x, lambda)) return false;
    product = lambda(sliding_);
    return true;
  }
  hold_resting(lambda);
  product = lambda(sliding_);
  evaluator_.field(t, x, lambda, velocity_);
  if (!all_finite(velocity_) || !find_equations(t, x, lambda)) return false;
  find_residual(t, x, lambda, velocity_);
  const auto unknown = [&](Index e) { return reduced_.dependent ? reduced_.unknowns[at(e)] : e; };
  buffers_.relays.resize(buffers_.residual.size());
  for (Index e = 0; e < buffers_.relays.size(); ++e) buffers_.relays[e] = product[unknown(e)];
  if (!numerators_.find(newton_.triplets, buffers_.residual, buffers_.relays, buffers_.ratio,
                        buffers_.product))
    return false;
  for (Index e = 0; e < buffers_.relays.size(); ++e) {
    ratio[unknown(e)] = buffers_.ratio[e];
    product[unknown(e)] = buffers_.product[e];
  }
  return true;
}

bool SlidingSolver::solve(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx, bool looks) {
  if (solve_apart(t, x, lambda, dx, looks)) return true;
  if (branch_.follows) return follow(t, x, lambda, dx);
  if (!newton_.prepared) prepare();
  if (!resting_.looked_for) find_resting(t, x, lambda);
  hold_resting(lambda);
  copy_numbers(lambda, buffers_.guess);
  if (!solve_from(t, x, lambda, dx)) {
    // A guess far outside the bounds, or a matrix from a nearly singular D, can lead so far away that differences of
    // fields between relays are rounding. The second attempt begins within the bounds, with a new matrix.
    for (const Index i : sliding_)
      lambda[i] = std::isfinite(buffers_.guess[i]) ? std::clamp(buffers_.guess[i], -1.0, 1.0) : 0.0;
    newton_.valid = false;
    hold_resting(lambda);
    if (!solve_from(t, x, lambda, dx)) return false;
  }
  if (resting_.any && !rests_still(t, x, dx)) {
    forget_resting();
    return solve(t, x, lambda, dx, looks);
  }
  if (branch_.looked_for) return true;
  branch_.looked_for = true;
  // The first guess in a mode is its root.
  if (!has_products(t, x, lambda)) return true;
  if (!refresh(t, x, lambda)) {
    newton_.valid = false;
    return true;
  }
  branch_.follows = true;
  branch_.replaced = true;
  keep_root(t, x, lambda);
  return true;
}

bool SlidingSolver::solve_from(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx) {
  // `fresh` tells whether the matrix belongs to the point from which the last step went.
  bool fresh = false;
  const int source = evaluator_.guard_rates_source() == DerivativeSource::finite_difference ? 1 : 0;
  double previous = INFINITY;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    evaluator_.field(t, x, lambda, dx);
    if (!all_finite(dx)) return false;
    if (!newton_.valid) {
      if (!refresh(t, x, lambda)) {
        newton_.valid = false;
        return false;
      }
      fresh = true;
    }
    find_residual(t, x, lambda, dx);
    if (buffers_.residual.size() == 0) return true;
    if (!all_finite(buffers_.residual)) return false;
    const double error = scaled_residual();
    if (error <= (iteration == 0 ? kResidualOfGuess : kResidual)[source]) return true;
    // Rounding is reached when a step with a fresh matrix no longer gains.
    if (fresh && iteration > 3 && error >= 0.5 * previous) return error <= kWorstResidual[source];
    if (iteration > 0 && error > kGood * previous) {
      if (error <= 10 * kResidual[source]) return true;
      if (!refresh(t, x, lambda)) {
        newton_.valid = false;
        return false;
      }
      fresh = true;
    } else if (iteration > 0) {
      fresh = false;
    }
    previous = error;
    if (!step(buffers_.correction)) {
      newton_.valid = false;
      return false;
    }
    correct(lambda);
    // The next value of f follows from this one where f is affine in λ; so do residuals where the guards are
    // affine too.
    const auto* const columns = reduced_.dependent ? nullptr : evaluator_.relay_columns(t, x, lambda);
    if (!columns) continue;
    for (std::size_t k = 0; k < sliding_.size(); ++k) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(*columns, sliding_[k]); entry; ++entry)
        dx[entry.row()] -= entry.value() * buffers_.correction[static_cast<Index>(k)];
    }
    if (newton_.linear && kSmallest * error <= kResidual[source]) return true;
    find_residual(t, x, lambda, dx);
    if (scaled_residual() <= kResidual[source]) return true;
  }
  newton_.valid = false;
  return false;
}

Eigen::SparseMatrix<double> SlidingSolver::normal_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda) {
  entries(t, x, lambda);
  const Index k = static_cast<Index>(sliding_.size());
  Eigen::SparseMatrix<double> result(k, k);
  result.setFromTriplets(newton_.triplets.begin(), newton_.triplets.end());
  return result;
}

}  // namespace slideway
