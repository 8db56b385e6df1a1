#include "slideway/detail/model/system_rows.hpp"

#include <utility>

#include <Eigen/SparseCore>

#include "slideway/model/system.hpp"

namespace slideway {

namespace {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// f = origin + by_time·t + by_state·x + by_relay·λ, and h likewise.
struct AffineForm {
  SparseRows field_by_state, field_by_relay, guards_by_state;
  Vector field_origin, field_by_time, guards_origin, guards_by_time;
};

// The entries of a matrix with this pattern; product(direction, result) is what it makes of a direction.
template <class Product>
SparseRows matrix_from_products(const Pattern& pattern, const Product& product) {
  const Colouring colouring = colour_columns(pattern);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(pattern.column.size());
  Vector direction(pattern.columns);
  Vector result(pattern.rows);
  for (Index colour = 0; colour < colouring.colours; ++colour) {
    for (Index j = 0; j < pattern.columns; ++j)
      direction[j] = colouring.colour[static_cast<std::size_t>(j)] == colour ? 1 : 0;
    product(direction, result);
    for (Index i = 0; i < pattern.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index k = pattern.start[row]; k < pattern.start[row + 1]; ++k) {
        const Index j = pattern.column[static_cast<std::size_t>(k)];
        if (colouring.colour[static_cast<std::size_t>(j)] == colour && result[i] != 0)
          entries.emplace_back(static_cast<int>(i), static_cast<int>(j), result[i]);
      }
    }
  }
  SparseRows matrix(pattern.rows, pattern.columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  matrix.makeCompressed();
  return matrix;
}

AffineForm affine_form_of(const SystemDefinition& definition) {
  AffineForm form;
  const Index n = definition.states;
  const Index m = definition.surfaces;
  const Vector x = Vector::Zero(n);
  const Vector lambda = Vector::Zero(m);
  Vector values(n);
  form.field_origin = Vector::Zero(n);
  form.field_by_time = Vector::Zero(n);
  definition.field_along(0, x, lambda, 1, x, lambda, form.field_origin, form.field_by_time);
  form.field_by_state =
      matrix_from_products(*definition.field_dx_pattern, [&](const Vector& along, Vector& rate) {
        definition.field_along(0, x, lambda, 0, along, lambda, values, rate);
      });
  form.guards_origin = Vector::Zero(m);
  form.guards_by_time = Vector::Zero(m);
  if (m == 0) return form;
  form.field_by_relay =
      matrix_from_products(*definition.field_dlambda_pattern, [&](const Vector& along, Vector& rate) {
        definition.field_along(0, x, lambda, 0, x, along, values, rate);
      });
  Vector guards(m);
  definition.guards_along(0, x, 1, x, form.guards_origin, form.guards_by_time);
  form.guards_by_state = matrix_from_products(
      *definition.guards_dx_pattern,
      [&](const Vector& along, Vector& rate) { definition.guards_along(0, x, 0, along, guards, rate); });
  return form;
}

double row_times(const SparseRows& matrix, Index row, const double* x) {
  const int* const start = matrix.outerIndexPtr() + row;
  const int* const column = matrix.innerIndexPtr();
  const double* const value = matrix.valuePtr();
  double sum = 0;
  for (int k = start[0]; k < start[1]; ++k) sum += value[k] * x[column[k]];
  return sum;
}

class AffineRows final : public SystemRows {
 public:
  AffineRows(std::shared_ptr<const AffineForm> form, std::vector<Index> states, std::vector<Index> surfaces)
      : form_(std::move(form)), states_(std::move(states)), surfaces_(std::move(surfaces)) {}

  void field(double t, const double* x, const double* lambda, double* dx) const override {
    const AffineForm& form = *form_;
    const bool relays = form.field_by_relay.rows() > 0;
    for (const Index i : states_) {
      double value = form.field_origin[i] + form.field_by_time[i] * t + row_times(form.field_by_state, i, x);
      if (relays) value += row_times(form.field_by_relay, i, lambda);
      *dx++ = value;
    }
  }
  void field_along(double t, const double* x, const double* lambda, double t_dot, const double* x_dot,
                   const double* lambda_dot, double* dx, double* dx_dot) const override {
    field(t, x, lambda, dx);
    const AffineForm& form = *form_;
    const bool relays = form.field_by_relay.rows() > 0;
    for (const Index i : states_) {
      double value = form.field_by_time[i] * t_dot + row_times(form.field_by_state, i, x_dot);
      if (relays) value += row_times(form.field_by_relay, i, lambda_dot);
      *dx_dot++ = value;
    }
  }
  void guards(double t, const double* x, double* h) const override {
    for (const Index i : surfaces_)
      *h++ = form_->guards_origin[i] + form_->guards_by_time[i] * t + row_times(form_->guards_by_state, i, x);
  }
  void guards_along(double t, const double* x, double t_dot, const double* x_dot, double* h,
                    double* h_dot) const override {
    guards(t, x, h);
    for (const Index i : surfaces_)
      *h_dot++ = form_->guards_by_time[i] * t_dot + row_times(form_->guards_by_state, i, x_dot);
  }
  void guards_mixed(double, const double*, double, const double*, double, const double*,
                    const double* x_mixed, double* h_mixed) const override {
    for (const Index i : surfaces_) *h_mixed++ = row_times(form_->guards_by_state, i, x_mixed);
  }

 private:
  std::shared_ptr<const AffineForm> form_;
  std::vector<Index> states_, surfaces_;
};

bool is_affine(const SystemDefinition& definition) {
  if (!definition.field_affine || !definition.field_along || !definition.field_dx_pattern) return false;
  if (definition.surfaces == 0) return true;
  return definition.guards_affine && definition.guards_along && definition.field_dlambda_pattern &&
         definition.guards_dx_pattern && !definition.break_away;
}

}  // namespace

ChooseRows choose_rows_of(const System& system) {
  const SystemDefinition& definition = system.definition();
  if (definition.rows) return definition.rows;
  if (!is_affine(definition)) return {};
  const auto form = std::make_shared<const AffineForm>(affine_form_of(definition));
  return [form](const std::vector<Index>& states, const std::vector<Index>& surfaces) {
    return std::make_shared<const AffineRows>(form, states, surfaces);
  };
}

}  // namespace slideway
