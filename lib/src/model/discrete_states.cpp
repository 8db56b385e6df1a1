#include "slideway/model/discrete_states.hpp"

#include <utility>

namespace slideway {

void hold_discrete_states(SystemDefinition& definition) {
  const Index count = definition.discrete;
  if (count <= 0 || count > definition.states) return;
  if (definition.field) {
    definition.field = [field = std::move(definition.field), count](double t, ConstVectorRef x,
                                                                    ConstVectorRef lambda, VectorRef dx) {
      field(t, x, lambda, dx);
      dx.tail(count).setZero();
    };
  }
  if (definition.field_along) {
    definition.field_along = [along = std::move(definition.field_along), count](
                                 double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                                 ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx,
                                 VectorRef dx_dot) {
      along(t, x, lambda, t_dot, x_dot, lambda_dot, dx, dx_dot);
      dx.tail(count).setZero();
      dx_dot.tail(count).setZero();
    };
  }
  for (FieldMatrixFunction* const matrix : {&definition.field_dx, &definition.field_dlambda}) {
    if (!*matrix) continue;
    *matrix = [function = std::move(*matrix), count](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                     MatrixRef derivative) {
      function(t, x, lambda, derivative);
      derivative.bottomRows(count).setZero();
    };
  }
}

}  // namespace slideway
