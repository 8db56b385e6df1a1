#include "slideway/filippov/sliding_solver.hpp"

#include <cmath>

namespace slideway {

namespace {

constexpr Index kLargestDense = 48;
constexpr int kMostIterations = 25;
constexpr double kResidual = 1e-13;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

SlidingSolver::SlidingSolver(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator), structure_(structure) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  position_.assign(at(m), -1);
  for (Vector* vector : {&lambda_high_, &lambda_low_, &rates_, &rates_high_, &rates_low_}) {
    *vector = Vector::Zero(m);
  }
  dx_ = Vector::Zero(n);
}

void SlidingSolver::set_sliding(std::vector<Index> sliding) {
  for (const Index i : sliding_) position_[at(i)] = -1;
  sliding_ = std::move(sliding);
  for (std::size_t k = 0; k < sliding_.size(); ++k) position_[at(sliding_[k])] = static_cast<Index>(k);
  const Index k = static_cast<Index>(sliding_.size());
  residual_ = Vector::Zero(k);
  correction_ = Vector::Zero(k);
  scale_ = Vector::Ones(k);
  diagonal_values_ = Vector::Zero(k);
  valid_ = false;
  diagonal_ = structure_.known();
  if (!diagonal_) return;
  for (const Index i : sliding_) {
    const Pattern& pattern = structure_.normal_dlambda();
    for (Index e = pattern.start[at(i)]; e < pattern.start[at(i) + 1]; ++e) {
      const Index j = pattern.column[at(e)];
      if (j != i && position_[at(j)] >= 0) diagonal_ = false;
    }
  }
}

// All entries of D, as triplets in the order of sliding().
void SlidingSolver::entries(double t, ConstVectorRef x, ConstVectorRef lambda) {
  triplets_.clear();
  if (exact_) {
    Matrix relays(dx_.size(), lambda.size());
    evaluator_.field_dlambda(t, x, lambda, relays);
    Vector gradient(dx_.size());
    for (std::size_t row = 0; row < sliding_.size(); ++row) {
      evaluator_.guard_gradient(t, x, sliding_[row], gradient);
      for (std::size_t column = 0; column < sliding_.size(); ++column) {
        triplets_.emplace_back(static_cast<int>(row), static_cast<int>(column),
                               gradient.dot(relays.col(sliding_[column])));
      }
    }
    return;
  }
  const auto difference = [&](const auto& is_seed) {
    lambda_high_ = lambda;
    lambda_low_ = lambda;
    bool any = false;
    for (const Index j : sliding_) {
      if (!is_seed(j)) continue;
      lambda_high_[j] = 1;
      lambda_low_[j] = -1;
      any = true;
    }
    if (!any) return false;
    evaluator_.field(t, x, lambda_high_, dx_);
    evaluator_.guard_rates(t, x, dx_, rates_high_);
    evaluator_.field(t, x, lambda_low_, dx_);
    evaluator_.guard_rates(t, x, dx_, rates_low_);
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
          triplets_.emplace_back(static_cast<int>(row), static_cast<int>(position_[at(j)]),
                                 0.5 * (rates_high_[i] - rates_low_[i]));
        }
      }
    }
    return;
  }
  for (std::size_t column = 0; column < sliding_.size(); ++column) {
    difference([&](Index j) { return j == sliding_[column]; });
    for (std::size_t row = 0; row < sliding_.size(); ++row) {
      triplets_.emplace_back(static_cast<int>(row), static_cast<int>(column),
                             0.5 * (rates_high_[sliding_[row]] - rates_low_[sliding_[row]]));
    }
  }
}

bool SlidingSolver::refresh(double t, ConstVectorRef x, ConstVectorRef lambda) {
  entries(t, x, lambda);
  const Index k = static_cast<Index>(sliding_.size());
  scale_.setZero();
  for (const auto& entry : triplets_) scale_[entry.row()] += std::abs(entry.value());
  if (!scale_.allFinite()) return false;
  if (diagonal_) {
    diagonal_values_.setZero();
    for (const auto& entry : triplets_) diagonal_values_[entry.row()] = entry.value();
    if (!(diagonal_values_.array() != 0).all()) return false;
  } else if (k <= kLargestDense) {
    dense_.setZero(k, k);
    for (const auto& entry : triplets_) dense_(entry.row(), entry.col()) = entry.value();
    dense_factors_.compute(dense_);
  } else {
    sparse_.resize(k, k);
    sparse_.setFromTriplets(triplets_.begin(), triplets_.end());
    sparse_factors_.compute(sparse_);
    if (sparse_factors_.info() != Eigen::Success) return false;
  }
  fresh_ = true;
  valid_ = true;
  return true;
}

bool SlidingSolver::step(Vector& correction) {
  const Index k = static_cast<Index>(sliding_.size());
  if (diagonal_) {
    correction = residual_.cwiseQuotient(diagonal_values_);
  } else if (k <= kLargestDense) {
    correction = dense_factors_.solve(residual_);
  } else {
    correction = sparse_factors_.solve(residual_);
  }
  return correction.allFinite();
}

bool SlidingSolver::solve(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx) {
  fresh_ = false;
  const Index k = static_cast<Index>(sliding_.size());
  double previous = INFINITY;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    evaluator_.field(t, x, lambda, dx);
    evaluator_.guard_rates(t, x, dx, rates_);
    for (Index row = 0; row < k; ++row) residual_[row] = rates_[sliding_[at(row)]];
    if (!residual_.allFinite()) return false;
    if (!valid_ && !refresh(t, x, lambda)) {
      valid_ = false;
      return false;
    }
    const double error = residual_.cwiseQuotient(scale_).lpNorm<Eigen::Infinity>();
    if (error <= kResidual) return true;
    // Rounding is reached when a step with a fresh matrix no longer gains.
    if (fresh_ && iteration > 3 && error >= 0.5 * previous) return error <= 1e-9;
    if (!fresh_ && iteration > 0 && error > 1e-3 * previous) {
      if (error <= 1e-12) return true;
      if (!refresh(t, x, lambda)) {
        valid_ = false;
        return false;
      }
    }
    previous = error;
    if (!step(correction_)) {
      valid_ = false;
      return false;
    }
    for (Index row = 0; row < k; ++row) lambda[sliding_[at(row)]] -= correction_[row];
    // A matrix is fresh only for the point it was made at; after a step it is as good as any for an affine field.
  }
  valid_ = false;
  return false;
}

Matrix SlidingSolver::normal_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda) {
  entries(t, x, lambda);
  const Index k = static_cast<Index>(sliding_.size());
  Matrix result = Matrix::Zero(k, k);
  for (const auto& entry : triplets_) result(entry.row(), entry.col()) = entry.value();
  return result;
}

}  // namespace slideway
