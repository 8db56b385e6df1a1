#include "integrate/cvode_vector.hpp"

#include <cmath>
#include <new>

namespace slideway::sundials {

namespace {

// Every operation goes entry by entry, so the result may be one of the arguments. No loop of Eigen's minds that.
Eigen::Map<Eigen::ArrayXd> numbers(N_Vector vector) { return {NV_DATA_S(vector), NV_LENGTH_S(vector)}; }

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  numbers(z) = a * numbers(x) + b * numbers(y);
}

void scale(double c, N_Vector x, N_Vector z) { numbers(z) = c * numbers(x); }

double dot_product(N_Vector x, N_Vector y) { return (numbers(x) * numbers(y)).sum(); }

double weighted_norm(N_Vector x, N_Vector weights) {
  const double sum = (numbers(x) * numbers(weights)).square().sum();
  return std::sqrt(sum / static_cast<double>(NV_LENGTH_S(x)));
}

// z may be the first of the terms.
int linear_combination(int count, double* c, N_Vector* x, N_Vector z) {
  if (count < 1) return -1;
  auto sum = numbers(z);
  if (count == 1) {
    sum = c[0] * numbers(x[0]);
    return 0;
  }
  sum = c[0] * numbers(x[0]) + c[1] * numbers(x[1]);
  for (int k = 2; k < count; ++k) sum += c[k] * numbers(x[k]);
  return 0;
}

// z_k = a_k x + y_k
int add_multiples(int count, double* a, N_Vector x, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < count; ++k) numbers(z[k]) = a[k] * numbers(x) + numbers(y[k]);
  return 0;
}

int scale_each(int count, double* c, N_Vector* x, N_Vector* z) {
  for (int k = 0; k < count; ++k) numbers(z[k]) = c[k] * numbers(x[k]);
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
