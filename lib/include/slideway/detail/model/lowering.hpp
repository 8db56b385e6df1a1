// From a functor with generic members to a SystemDefinition: values by running it on double, exact
// derivatives by running the same code on dual numbers. The doors (from_functor, from_signs, from_regions)
// all come through here.
//
//     x + ε x'            ->  f and its derivative along x'          (Dual<double>)
//     x + ε₁ x₁ + ε₂ x₂ + ε₁ε₂ x₁₂  ->  the mixed second derivative of h    (Dual<Dual<double>>)
//
// It must not know how a functor combines regions, finite differences, or time stepping.
#pragma once

#include <memory>
#include <utility>

#include "slideway/autodiff/dual.hpp"
#include "slideway/detail/core/scratch.hpp"
#include "slideway/detail/model/trace_patterns.hpp"
#include "slideway/model/discrete_states.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// Views are a functor's vectors, by scalar. Copying a view copies no numbers.
template <class Scalar>
struct Views {
  using Plain = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Input = Eigen::Map<const Plain>;
  using Output = Eigen::Map<Plain>;
};
template <>
struct Views<double> {
  using Plain = Vector;
  using Input = Eigen::Ref<const Vector>;
  using Output = VectorRef;
};
template <class Scalar>
using InputView = typename Views<Scalar>::Input;
template <class Scalar>
using OutputView = typename Views<Scalar>::Output;

// The members a functor may have, each on the scalar it is called with.
template <class Functor, class Scalar>
concept HasField = requires(const Functor& functor, const Scalar& t, const InputView<Scalar>& x,
                            const InputView<Scalar>& lambda, OutputView<Scalar>& dx) {
  functor.field(t, x, lambda, dx);
};
template <class Functor, class Scalar>
concept HasGuards = requires(const Functor& functor, const Scalar& t, const InputView<Scalar>& x,
                             OutputView<Scalar>& h) {
  functor.guards(t, x, h);
};
template <class Functor>
concept HasFieldDx = requires(const Functor& functor, double t, ConstVectorRef x, ConstVectorRef lambda,
                              MatrixRef& derivative) {
  functor.field_dx(t, x, lambda, derivative);
};
template <class Functor>
concept HasFieldDlambda = requires(const Functor& functor, double t, ConstVectorRef x, ConstVectorRef lambda,
                                   MatrixRef& derivative) {
  functor.field_dlambda(t, x, lambda, derivative);
};
template <class Functor>
concept HasNormalDx = requires(const Functor& functor, double t, ConstVectorRef x, ConstVectorRef lambda,
                               MatrixRef& derivative) {
  functor.normal_dx(t, x, lambda, derivative);
};
template <class Functor>
concept HasGuardsDx = requires(const Functor& functor, double t, ConstVectorRef x, MatrixRef& derivative) {
  functor.guards_dx(t, x, derivative);
};
template <class Functor>
concept HasGuardsDt = requires(const Functor& functor, double t, ConstVectorRef x, VectorRef& derivative) {
  functor.guards_dt(t, x, derivative);
};

template <class Functor, class Scalar>
concept HasBreakAway = requires(const Functor& functor, const Scalar& t, const InputView<Scalar>& x,
                                OutputView<Scalar>& ratios) {
  functor.break_away(t, x, ratios);
};

// x + ε x_dot in scratch memory.
inline Dual<double>* lift(ScratchFrame& frame, ConstVectorRef x, ConstVectorRef x_dot) {
  auto* lifted = frame.take<Dual<double>>(x.size());
  for (Index i = 0; i < x.size(); ++i) lifted[i] = {x[i], x_dot[i]};
  return lifted;
}

template <class Functor>
void lower_field(const std::shared_ptr<const Functor>& functor, SystemDefinition& definition) {
  // The lambda takes a reference to a reference: a copy of it would cost as much as a small field.
  definition.field = [functor](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef&& dx) {
    functor->field(t, x, lambda, dx);
  };
  if constexpr (HasField<Functor, Dual<double>>) {
    definition.field_along = [functor](double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                                       ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx,
                                       VectorRef dx_dot) {
      using Number = Dual<double>;
      ScratchFrame frame;
      const InputView<Number> x_view(lift(frame, x, x_dot), x.size());
      const InputView<Number> lambda_view(lift(frame, lambda, lambda_dot), lambda.size());
      OutputView<Number> result(frame.take<Number>(dx.size()), dx.size());
      functor->field(Number(t, t_dot), x_view, lambda_view, result);
      for (Index i = 0; i < dx.size(); ++i) {
        dx[i] = result[i].value;
        dx_dot[i] = result[i].derivative;
      }
    };
  }
  if constexpr (HasFieldDx<Functor>) {
    definition.field_dx = [functor](double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative) {
      functor->field_dx(t, x, lambda, derivative);
    };
  }
  if constexpr (HasFieldDlambda<Functor>) {
    definition.field_dlambda = [functor](double t, ConstVectorRef x, ConstVectorRef lambda,
                                         MatrixRef derivative) {
      functor->field_dlambda(t, x, lambda, derivative);
    };
  }
  if constexpr (HasNormalDx<Functor>) {
    definition.normal_dx = [functor](double t, ConstVectorRef x, ConstVectorRef lambda,
                                     MatrixRef derivative) { functor->normal_dx(t, x, lambda, derivative); };
  }
}

// The values of a function of (t, x) and their rates of change along (t_dot, x_dot), by dual numbers.
template <class Function>
auto along(Function function) {
  return [function](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, VectorRef values,
                    VectorRef rates) {
    using Number = Dual<double>;
    ScratchFrame frame;
    const InputView<Number> x_view(lift(frame, x, x_dot), x.size());
    OutputView<Number> result(frame.take<Number>(values.size()), values.size());
    function(Number(t, t_dot), x_view, result);
    for (Index i = 0; i < values.size(); ++i) {
      values[i] = result[i].value;
      rates[i] = result[i].derivative;
    }
  };
}

template <class Functor>
void lower_guards(const std::shared_ptr<const Functor>& functor, SystemDefinition& definition) {
  if constexpr (HasGuards<Functor, double>) {
    definition.guards = [functor](double t, ConstVectorRef x, VectorRef h) { functor->guards(t, x, h); };
  }
  if constexpr (HasGuards<Functor, Dual<double>>) {
    definition.guards_along =
        along([functor](const auto& t, const auto& x, auto& h) { functor->guards(t, x, h); });
  }
  if constexpr (HasGuards<Functor, Dual<Dual<double>>>) {
    definition.guards_mixed = [functor](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                        double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                        VectorRef h_mixed) {
      using Number = Dual<Dual<double>>;
      ScratchFrame frame;
      auto* lifted = frame.take<Number>(x.size());
      for (Index j = 0; j < x.size(); ++j) lifted[j] = {{x[j], x_first[j]}, {x_second[j], x_mixed[j]}};
      const InputView<Number> x_view(lifted, x.size());
      OutputView<Number> result(frame.take<Number>(h_mixed.size()), h_mixed.size());
      functor->guards(Number({t, t_first}, {t_second, 0.0}), x_view, result);
      for (Index i = 0; i < h_mixed.size(); ++i) h_mixed[i] = result[i].derivative.derivative;
    };
  }
  if constexpr (HasGuardsDx<Functor>) {
    definition.guards_dx = [functor](double t, ConstVectorRef x, MatrixRef derivative) {
      functor->guards_dx(t, x, derivative);
    };
  }
  if constexpr (HasGuardsDt<Functor>) {
    definition.guards_dt = [functor](double t, ConstVectorRef x, VectorRef derivative) {
      functor->guards_dt(t, x, derivative);
    };
  }
}

template <class Functor>
void lower_break_away(const std::shared_ptr<const Functor>& functor, SystemDefinition& definition) {
  if constexpr (HasBreakAway<Functor, double>) {
    definition.break_away = [functor](double t, ConstVectorRef x, VectorRef ratios) {
      functor->break_away(t, x, ratios);
    };
  }
  if constexpr (HasBreakAway<Functor, Dual<double>>) {
    definition.break_away_along =
        along([functor](const auto& t, const auto& x, auto& ratios) { functor->break_away(t, x, ratios); });
  }
}

template <class Functor>
SystemDefinition lower(Functor functor, Dimensions dimensions) {
  SystemDefinition definition;
  definition.name = std::move(dimensions.name);
  definition.states = dimensions.states;
  definition.surfaces = dimensions.surfaces;
  definition.state_names = std::move(dimensions.state_names);
  definition.surface_names = std::move(dimensions.surface_names);
  const auto shared = std::make_shared<const Functor>(std::move(functor));
  lower_field(shared, definition);
  lower_guards(shared, definition);
  lower_break_away(shared, definition);
  definition.discrete = dimensions.discrete;
  hold_discrete_states(definition);
  if (definition.surfaces > 0 && definition.states > 0) trace_guards(*shared, definition);
  return definition;
}

}  // namespace slideway
