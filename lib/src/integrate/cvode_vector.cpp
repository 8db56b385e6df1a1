#include "integrate/cvode_vector.hpp"

#include <cmath>
#include <new>

namespace slideway::sundials {

namespace {

// Operations on at most kFew numbers are plain loops: choosing a wide loop takes longer than running them.
constexpr Index kFew = 4;

Eigen::Map<Eigen::ArrayXd> numbers(N_Vector vector) { return {NV_DATA_S(vector), NV_LENGTH_S(vector)}; }

// Several numbers at a time; out of the way of few.
template <class Result>
[[gnu::noinline]] void compute_many(N_Vector x, N_Vector y, N_Vector z, const Result result) {
  numbers(z) = result(numbers(x), numbers(y));
}

// z = result(x, y), entry by entry: z may be one of the arguments. `result` takes numbers and arrays. The cases are those up to
// kFew.
template <class Result>
[[gnu::always_inline]] inline void compute(N_Vector x, N_Vector y, N_Vector z, const Result result) {
  const double* const a = NV_DATA_S(x);
  const double* const b = NV_DATA_S(y);
  double* const c = NV_DATA_S(z);
  switch (NV_LENGTH_S(z)) {
    case 4: c[3] = result(a[3], b[3]); [[fallthrough]];
    case 3: c[2] = result(a[2], b[2]); [[fallthrough]];
    case 2: c[1] = result(a[1], b[1]); [[fallthrough]];
    case 1: c[0] = result(a[0], b[0]); return;
    default: compute_many(x, y, z, result);
  }
}

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  compute(x, y, z, [=](const auto& left, const auto& right) { return a * left + b * right; });
}

void scale(double c, N_Vector x, N_Vector z) {
  compute(x, x, z, [=](const auto& left, const auto&) { return c * left; });
}

double dot_product(N_Vector x, N_Vector y) { return (numbers(x) * numbers(y)).sum(); }

double weighted_norm(N_Vector x, N_Vector weights) {
  const Index n = NV_LENGTH_S(x);
  double sum = 0;
  if (n > kFew) {
    sum = (numbers(x) * numbers(weights)).square().sum();
  } else {
    const double* const number = NV_DATA_S(x);
    const double* const weight = NV_DATA_S(weights);
    for (Index i = 0; i < n; ++i) sum += number[i] * weight[i] * (number[i] * weight[i]);
  }
  return std::sqrt(sum / static_cast<double>(n));
}

// z may be the first of the terms.
int linear_combination(int count, double* c, N_Vector* x, N_Vector z) {
  if (count < 1) return -1;
  const Index n = NV_LENGTH_S(z);
  if (n <= kFew) {
    double* const sum = NV_DATA_S(z);
    for (Index i = 0; i < n; ++i) {
      double all = c[0] * NV_DATA_S(x[0])[i];
      for (int k = 1; k < count; ++k) all += c[k] * NV_DATA_S(x[k])[i];
      sum[i] = all;
    }
    return 0;
  }
  scale(c[0], x[0], z);
  for (int k = 1; k < count; ++k) linear_sum(1, z, c[k], x[k], z);
  return 0;
}

// z_k = a_k x + y_k
int add_multiples(int count, double* a, N_Vector x, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < count; ++k) {
    const double factor = a[k];
    compute(x, y[k], z[k], [=](const auto& left, const auto& right) { return factor * left + right; });
  }
  return 0;
}

int scale_each(int count, double* c, N_Vector* x, N_Vector* z) {
  for (int k = 0; k < count; ++k) scale(c[k], x[k], z[k]);
  return 0;
}

}  // namespace

VectorHandle make_vector(Index size, SUNContext context) {
  VectorHandle vector(N_VNew_Serial(size, context));
  if (!vector) throw std::bad_alloc();
  vector->ops->nvlinearsum = linear_sum;
  vector->ops->nvscale = scale;
  vector->ops->nvdotprod = dot_product;
  vector->ops->nvwrmsnorm = weighted_norm;
  vector->ops->nvlinearcombination = linear_combination;
  vector->ops->nvscaleaddmulti = add_multiples;
  vector->ops->nvscalevectorarray = scale_each;
  return vector;
}

}  // namespace slideway::sundials
