#include "model/sparse_derivatives.hpp"

#include <utility>

#include "core/at.hpp"

namespace slideway {

namespace {

// The gradients of at most so many guards are had at once, as a full matrix.
constexpr Index kFewSurfaces = 8;

// Second derivatives of h by x couple states of one guard only.
Pattern normal_pattern_of(const SystemDefinition& definition) {
  if (definition.surfaces == 0) return full_pattern(0, definition.states);
  const Pattern& guards = *definition.guards_dx_pattern;
  const Pattern through_field = product(guards, *definition.field_dx_pattern);
  std::vector<std::vector<Index>> rows(at(guards.rows));
  for (Index i = 0; i < guards.rows; ++i) {
    for (const Pattern* part : {&guards, &through_field}) {
      rows[at(i)].insert(rows[at(i)].end(), part->column.begin() + part->start[at(i)],
                         part->column.begin() + part->start[at(i + 1)]);
    }
  }
  return pattern_from_rows(definition.states, std::move(rows));
}

}  // namespace

bool SparseDerivatives::available(const System& system) {
  const SystemDefinition& definition = system.definition();
  if (!definition.field_dx_pattern) return false;
  return definition.surfaces == 0 || (definition.field_dlambda_pattern && definition.guards_dx_pattern);
}

SparseDerivatives::SparseDerivatives(Evaluator& evaluator)
    : evaluator_(evaluator), normal_pattern_(normal_pattern_of(evaluator.system().definition())) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  if (m > 0) relay_columns_ = CompressedColumns(relay_pattern());
  for (Vector* vector : {&direction_, &column_, &field_, &other_field_}) *vector = Vector::Zero(n);
  for (Vector* vector : {&lambda_, &rates_}) *vector = Vector::Zero(m);
}

void SparseDerivatives::field_dx(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries) {
  evaluator_.field_dx_entries(t, x, lambda, entries);
}

void SparseDerivatives::field_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries) {
  lambda_ = lambda;
  for (Index colour = 0; colour < relay_columns_.colours(); ++colour) {
    relay_columns_.for_columns(colour, [&](Index i) { lambda_[i] = 1; });
    evaluator_.field(t, x, lambda_, field_);
    relay_columns_.for_columns(colour, [&](Index i) { lambda_[i] = -1; });
    evaluator_.field(t, x, lambda_, other_field_);
    relay_columns_.for_columns(colour, [&](Index i) { lambda_[i] = lambda[i]; });
    relay_columns_.for_entries(colour, [&](Index entry, Index row, Index) {
      entries[entry] = 0.5 * (field_[row] - other_field_[row]);
    });
  }
}

void SparseDerivatives::normal_row_affine(Index surface, ConstVectorRef field_entries, VectorRef entries) {
  const Pattern& field = field_pattern();
  const auto& guards = evaluator_.affine_dx();
  using Row = std::decay_t<decltype(guards)>::InnerIterator;
  const auto for_row = [&](const auto& visit) {
    for (Index k = normal_pattern_.start[at(surface)]; k < normal_pattern_.start[at(surface + 1)]; ++k) {
      visit(k, normal_pattern_.column[at(k)]);
    }
  };
  for_row([&](Index, Index j) { column_[j] = 0; });
  for (Row guard(guards, surface); guard; ++guard) {
    const Index i = guard.col();
    for (Index k = field.start[at(i)]; k < field.start[at(i + 1)]; ++k) {
      column_[field.column[at(k)]] += guard.value() * field_entries[k];
    }
  }
  for_row([&](Index k, Index j) { entries[k] = column_[j]; });
}

// ∂w/∂x = ∂h/∂x·∂f/∂x, and the derivative of the gradient of h along (1, f), by a difference.
void SparseDerivatives::normal_rows_by_gradients(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                 ConstVectorRef field_entries,
                                                 const std::vector<Index>& surfaces, VectorRef entries) {
  const SystemDefinition& definition = evaluator_.system().definition();
  const Pattern& field = field_pattern();
  const Index m = definition.surfaces, n = x.size();
  Matrix here = Matrix::Zero(m, n), ahead = here, behind = here;
  evaluator_.field(t, x, lambda, field_);
  const double step = evaluator_.direction_step(t, x, 1.0, field_);
  definition.guards_dx(t, x, here);
  other_field_ = x + step * field_;
  definition.guards_dx(t + step, other_field_, ahead);
  other_field_ = x - step * field_;
  definition.guards_dx(t - step, other_field_, behind);
  for (const Index i : surfaces) {
    column_ = (ahead.row(i) - behind.row(i)).transpose() / (2 * step);
    for (Index row = 0; row < n; ++row) {
      if (here(i, row) == 0) continue;
      for (Index k = field.start[at(row)]; k < field.start[at(row + 1)]; ++k)
        column_[field.column[at(k)]] += here(i, row) * field_entries[k];
    }
    for (Index k = normal_pattern_.start[at(i)]; k < normal_pattern_.start[at(i + 1)]; ++k)
      entries[k] = column_[normal_pattern_.column[at(k)]];
  }
}

void SparseDerivatives::normal_dx(double t, ConstVectorRef x, ConstVectorRef lambda,
                                  ConstVectorRef field_entries, const std::vector<Index>& surfaces,
                                  VectorRef entries) {
  if (evaluator_.guards_are_affine()) {
    for (const Index i : surfaces) normal_row_affine(i, field_entries, entries);
    return;
  }
  const SystemDefinition& definition = evaluator_.system().definition();
  if (definition.guards_dx && !definition.guards_mixed && definition.surfaces <= kFewSurfaces) {
    normal_rows_by_gradients(t, x, lambda, field_entries, surfaces, entries);
    return;
  }
  if (!normal_columns_made_) {
    normal_columns_ = CompressedColumns(normal_pattern_);
    normal_columns_made_ = true;
  }
  for (Index colour = 0; colour < normal_columns_.colours(); ++colour) {
    direction_.setZero();
    normal_columns_.for_columns(colour, [&](Index j) { direction_[j] = 1; });
    evaluator_.normal_along(t, x, lambda, direction_, rates_);
    normal_columns_.for_entries(colour, [&](Index entry, Index row, Index) { entries[entry] = rates_[row]; });
  }
}

}  // namespace slideway
