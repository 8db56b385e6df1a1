// Evaluator's derivatives of systems that tell their patterns: one direction per colour instead of one per state.

#include <cstring>

#include "core/copy_numbers.hpp"
#include "core/same_numbers.hpp"
#include "model/finite_difference.hpp"
#include "model/jacobian_count.hpp"
#include "model/sparse_field_derivative.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {
// A full matrix of so few states is not worth avoiding.
constexpr Index kFewStates = 64;
}  // namespace

void Evaluator::learn_field_colours() {
  const std::optional<Pattern>& pattern = system_.definition().field_dx_pattern;
  if (pattern) field_columns_ = std::make_shared<const CompressedColumns>(*pattern);
}

// visit(colour, column): the derivative of the field along the sum of the columns of each colour.
template <class Visit>
void Evaluator::for_field_colours(double t, ConstVectorRef x, ConstVectorRef lambda, Visit&& visit) {
  const SystemDefinition& definition = system_.definition();
  ScratchFrame frame;
  auto direction = take_vector(frame, x.size());
  auto column = take_vector(frame, x.size());
  auto dx = take_vector(frame, x.size());
  if (definition.field_along) {
    const auto lambda_zero = take_vector(frame, lambda.size());
    for (Index colour = 0; colour < field_columns_->colours(); ++colour) {
      field_columns_->for_columns(colour, [&](Index j) { direction[j] = 1; });
      definition.field_along(t, x, lambda, 0.0, direction, lambda_zero, dx, column);
      field_columns_->for_columns(colour, [&](Index j) { direction[j] = 0; });
      visit(colour, column);
    }
    return;
  }
  // Each state takes its own step: the direction is that step, and the derivative by it is divided again.
  for (Index colour = 0; colour < field_columns_->colours(); ++colour) {
    field_columns_->for_columns(colour, [&](Index j) { direction[j] = state_step(x, j); });
    const auto evaluate = [&](double offset, VectorRef value) {
      dx = x + offset * direction;
      field(t, dx, lambda, value);
    };
    difference(evaluate, 1.0, DifferenceSide::both, column);
    visit(colour, column);
    field_columns_->for_columns(colour, [&](Index j) { direction[j] = 0; });
  }
}

bool Evaluator::field_dx_by_colours(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
  if (!field_columns_ || field_columns_->colours() >= x.size()) return false;
  const bool exact = bool(system_.definition().field_along);
  jacobian.setZero();
  for_field_colours(t, x, lambda, [&](Index colour, ConstVectorRef column) {
    field_columns_->for_entries(colour, [&](Index, Index i, Index j) {
      jacobian(i, j) = exact ? column[i] : column[i] / state_step(x, j);
    });
  });
  return true;
}

void Evaluator::field_dx_entries(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries) {
  const SystemDefinition& definition = system_.definition();
  if (!field_columns_) {
    refuse({.what = "the pattern of the derivative of the field is not known",
            .where = "Evaluator::field_dx_entries"});
  }
  const JacobianCount one_jacobian(counts_);
  if (const auto* const sparse = definition.field_dx.target<SparseFieldDerivative>()) {
    sparse->entries(t, x, lambda, entries);
    return;
  }
  if (definition.field_dx && (x.size() <= kFewStates || !definition.field_along)) {
    Matrix jacobian = Matrix::Zero(x.size(), x.size());
    definition.field_dx(t, x, lambda, jacobian);
    for (Index colour = 0; colour < field_columns_->colours(); ++colour) {
      field_columns_->for_entries(colour,
                                  [&](Index entry, Index i, Index j) { entries[entry] = jacobian(i, j); });
    }
    return;
  }
  const bool exact = bool(definition.field_along);
  for_field_colours(t, x, lambda, [&](Index colour, ConstVectorRef column) {
    field_columns_->for_entries(colour, [&](Index entry, Index i, Index j) {
      entries[entry] = exact ? column[i] : column[i] / state_step(x, j);
    });
  });
}

const Evaluator::AffineRates* Evaluator::affine_rates() {
  if (affine_rates_looked_for_) return affine_rates_ ? &*affine_rates_ : nullptr;
  affine_rates_looked_for_ = true;
  const SystemDefinition& definition = system_.definition();
  if (!affine_ || !definition.field_affine || breaks_away() || !definition.field_along || !field_columns_) {
    return nullptr;
  }
  const EvaluationCounts before = counts_;
  const Vector x = Vector::Zero(system_.states());
  const Vector lambda = Vector::Zero(system_.surfaces());
  const auto* const relays = relay_columns(0.0, x, lambda);
  Vector value(x.size()), by_time(x.size());
  field_along(0.0, x, lambda, 1.0, x, value, by_time);
  std::vector<Eigen::Triplet<double>> entries;
  bool finite = relays && value.allFinite() && by_time.allFinite();
  for_field_colours(0.0, x, lambda, [&](Index colour, ConstVectorRef column) {
    finite = finite && column.allFinite();
    field_columns_->for_entries(colour, [&](Index, Index i, Index j) {
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), column[i]);
    });
  });
  counts_ = before;
  if (!finite) return nullptr;
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  Rows by_state(x.size(), x.size());
  by_state.setFromTriplets(entries.begin(), entries.end());
  AffineRates& rates = affine_rates_.emplace();
  rates.dx = affine_dx_ * by_state;
  rates.dlambda = affine_dx_ * Rows(*relays);
  rates.dt = affine_dx_ * by_time;
  rates.origin = affine_dt_ + affine_dx_ * value;
  return &rates;
}

void Evaluator::learn_relay_columns(double t, ConstVectorRef x, ConstVectorRef lambda) {
  relays_learnt_ = true;
  const SystemDefinition& definition = system_.definition();
  if (!definition.field_along || !definition.field_dlambda_pattern) return;
  const CompressedColumns columns(*definition.field_dlambda_pattern);
  const Vector x_zero = Vector::Zero(x.size());
  Vector direction = Vector::Zero(lambda.size());
  Vector dx(x.size()), derivative(x.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (Index colour = 0; colour < columns.colours(); ++colour) {
    columns.for_columns(colour, [&](Index j) { direction[j] = 1; });
    ++counts_.field;
    definition.field_along(t, x, lambda, 0.0, x_zero, direction, dx, derivative);
    columns.for_columns(colour, [&](Index j) { direction[j] = 0; });
    // The point may be one where the field is undefined.
    if (!derivative.allFinite()) return;
    columns.for_entries(colour, [&](Index, Index i, Index j) {
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), derivative[i]);
    });
  }
  relay_columns_.emplace(x.size(), lambda.size());
  relay_columns_->setFromTriplets(entries.begin(), entries.end());
}

void Evaluator::keep_field_at(double t, ConstVectorRef x) {
  if (!system_.definition().relays_additive || (t == kept_t_ && are_same(x, kept_x_))) return;
  kept_t_ = t;
  copy_numbers(x, kept_x_);
  kept_ = false;
  is_chosen_ = false;
}

bool Evaluator::field_as_kept(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
  if (!are_same(x, kept_x_)) return false;
  const auto* const columns = relay_columns(t, x, lambda);
  if (!columns) return false;
  if (!kept_) {
    ++counts_.field;
    kept_lambda_ = lambda;
    kept_field_.resize(x.size());
    system_.field(t, x, lambda, kept_field_);
    kept_ = true;
  }
  copy_numbers(kept_field_, dx);
  const int* const start = columns->outerIndexPtr();
  // Few differ: by blocks those that are all the same are passed over.
  constexpr Index block = 32;
  for (Index first = 0; first < lambda.size(); first += block) {
    const Index size = std::min(block, lambda.size() - first);
    const double* const wanted = lambda.data() + first;
    const double* const kept = kept_lambda_.data() + first;
    if (std::memcmp(wanted, kept, static_cast<std::size_t>(size) * sizeof(double)) == 0) continue;
    for (Index k = 0; k < size; ++k) {
      const double difference = wanted[k] - kept[k];
      if (difference == 0) continue;
      const Index j = first + k;
      for (int entry = start[j]; entry < start[j + 1]; ++entry)
        dx[columns->innerIndexPtr()[entry]] += difference * columns->valuePtr()[entry];
    }
  }
  return true;
}

void Evaluator::field_to_keep(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
  if (t != kept_t_ || kept_ || !are_same(x, kept_x_) || !relay_columns(t, x, lambda)) {
    field(t, x, lambda, dx);
    return;
  }
  ++counts_.field;
  system_.field(t, x, lambda, std::move(dx));
  was_kept_ = true;
}

void Evaluator::keep_field(ConstVectorRef lambda, ConstVectorRef dx) {
  if (!was_kept_ || is_chosen_) return;
  is_chosen_ = kept_ = true;
  copy_numbers(lambda, kept_lambda_);
  copy_numbers(dx, kept_field_);
}

void Evaluator::neighbour_fields(double t, ConstVectorRef x, Vector& lambda, Index surface, Vector& minus,
                                 Vector& plus) {
  const double stored = lambda[surface];
  lambda[surface] = -1;
  field(t, x, lambda, minus);
  if (const auto* const columns = relay_columns(t, x, lambda)) {
    copy_numbers(minus, plus);
    for (Eigen::SparseMatrix<double>::InnerIterator entry(*columns, surface); entry; ++entry)
      plus[entry.row()] += 2 * entry.value();
  } else {
    lambda[surface] = 1;
    field(t, x, lambda, plus);
  }
  lambda[surface] = stored;
}

void Evaluator::normal_along(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef x_dot,
                             VectorRef rates_dot) {
  const SystemDefinition& definition = system_.definition();
  if (!affine_ && !definition.guards_mixed) {
    rate_difference(t, x, lambda, 0.0, x_dot, direction_step(t, x, 0.0, x_dot), rates_dot);
    return;
  }
  ScratchFrame frame;
  auto dx = take_vector(frame, x.size());
  auto column = take_vector(frame, x.size());
  field_along(t, x, lambda, 0.0, x_dot, dx, column);
  if (affine_) {
    affine_directional(0.0, column, rates_dot);
    return;
  }
  ++counts_.guards;
  definition.guards_mixed(t, x, 1.0, dx, 0.0, x_dot, column, rates_dot);
}

}  // namespace slideway
