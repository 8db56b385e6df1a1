#include "model/blended_system.hpp"

#include <utility>

#include "slideway/detail/model/corner_blend.hpp"

namespace slideway {

namespace {

constexpr const char* kBlended = "Filippov's combination of a field that is not affine in lambda";

}  // namespace

System blended_system(const System& system) {
  SystemDefinition blended = system.definition();
  // The original stays alive in the callbacks.
  blended.field = [system](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    blend_corners<double>(lambda, dx, kBlended, [&](ConstVectorRef signs, VectorRef& corner) {
      system.definition().field(t, x, signs, corner);
    });
  };
  blended.field_mixed = {};
  if (blended.field_dx) {
    blended.field_dx = [system](double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
      blend_corners<double>(lambda, jacobian, kBlended, [&](ConstVectorRef signs, MatrixRef& corner) {
        system.definition().field_dx(t, x, signs, corner);
      });
    };
  }
  if (blended.normal_dx) {
    blended.normal_dx = [system](double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) {
      blend_corners<double>(lambda, jacobian, kBlended, [&](ConstVectorRef signs, MatrixRef& corner) {
        system.definition().normal_dx(t, x, signs, corner);
      });
    };
  }
  // Affine in each relay: half the difference of its ends is the derivative.
  const FieldFunction field = blended.field;
  const FieldMatrixFunction field_dlambda = [field](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                    MatrixRef derivative) {
    Vector end = lambda;
    Vector low(x.size());
    for (Index j = 0; j < lambda.size(); ++j) {
      end[j] = -1;
      field(t, x, end, low);
      end[j] = 1;
      field(t, x, end, derivative.col(j));
      derivative.col(j) = 0.5 * (derivative.col(j) - low);
      end[j] = lambda[j];
    }
  };
  blended.field_dlambda = field_dlambda;
  if (blended.field_along) {
    blended.field_along = [system, field, field_dlambda](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                         double t_dot, ConstVectorRef x_dot,
                                                         ConstVectorRef lambda_dot, VectorRef dx,
                                                         VectorRef dx_dot) {
      const Vector frozen = Vector::Zero(lambda.size());
      Vector value(x.size());
      blend_corners<double>(lambda, dx_dot, kBlended, [&](ConstVectorRef signs, VectorRef& corner) {
        system.definition().field_along(t, x, signs, t_dot, x_dot, frozen, value, corner);
      });
      field(t, x, lambda, dx);
      if ((lambda_dot.array() == 0).all()) return;
      Matrix relays = Matrix::Zero(x.size(), lambda.size());
      field_dlambda(t, x, lambda, relays);
      dx_dot += relays * lambda_dot;
    };
  }
  return System(std::move(blended));
}

}  // namespace slideway
