// Products of a mode's Jacobian with a direction, for linear solvers that want no matrix.

#include <cmath>
#include <limits>

#include "filippov/mode_field.hpp"
#include "filippov/sliding_share.hpp"

namespace slideway {

void ModeField::jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction, VectorRef product) {
  const Index n = x.size();
  for (Vector* vector : {&buffers_.shifted, &buffers_.image_minus, &buffers_.image_plus}) vector->resize(n);
  if (sliding_.empty()) {
    differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      evaluator_.field_along(t, point, lambda_, 0, direction, buffers_.shifted, product);
      return all_finite(product);
    });
    return;
  }
  if (solves_for_lambda()) {
    // About half the digits of a velocity at the size of the state.
    const double length = direction.norm();
    if (length == 0) {
      product.setZero();
      return;
    }
    const double step = std::sqrt(std::numeric_limits<double>::epsilon()) * (1 + x.norm()) / length;
    VectorRef image_plus(buffers_.image_plus), image_minus(buffers_.image_minus);
    buffers_.shifted = x + step * direction;
    raw_velocity(t, buffers_.shifted, image_plus);
    buffers_.shifted = x - step * direction;
    raw_velocity(t, buffers_.shifted, image_minus);
    product = (buffers_.image_plus - buffers_.image_minus) / (2 * step);
    return;
  }
  const Index i = sliding_.front();
  const NeighbourFields& fields = finite_neighbours(t, x, i);
  const double stored = lambda_[i];
  const SlidingShare share(fields, stored);
  const auto differentiate = [&](double side, Vector& image) {
    lambda_[i] = side;
    differentiate_near(t, x, lambda_, [&](ConstVectorRef point) {
      evaluator_.field_along(t, point, lambda_, 0, direction, buffers_.shifted, image);
      evaluator_.normal_along(t, point, lambda_, direction, buffers_.rates);
      return all_finite(image) && std::isfinite(buffers_.rates[i]);
    });
    return buffers_.rates[i];
  };
  const double rate_minus = differentiate(-1, buffers_.image_minus);
  const double rate_plus = differentiate(1, buffers_.image_plus);
  lambda_[i] = stored;
  product = (1 - share.alpha()) * buffers_.image_minus + share.alpha() * buffers_.image_plus +
            share.slope(rate_minus, rate_plus) * (fields.plus - fields.minus);
}

}  // namespace slideway
