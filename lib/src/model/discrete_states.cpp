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
  if (definition.field_mixed) {
    definition.field_mixed = [mixed = std::move(definition.field_mixed), count](
                                 double t, ConstVectorRef x, ConstVectorRef lambda, double t_first,
                                 ConstVectorRef x_first, double t_second, ConstVectorRef x_second,
                                 ConstVectorRef lambda_second, ConstVectorRef x_mixed, VectorRef dx_mixed) {
      mixed(t, x, lambda, t_first, x_first, t_second, x_second, lambda_second, x_mixed, dx_mixed);
      dx_mixed.tail(count).setZero();
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
