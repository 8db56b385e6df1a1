// The first door: a system written as one functor, with λ where the equations have sgn(h).
//
//     struct DryFriction {                         // x'' = -x - mu sgn(x') + cos(w t)
//       double mu = 0.4, w = 0.5;
//       void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
//       void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
//         using std::cos;
//         dx[0] = x[1];
//         dx[1] = -x[0] - mu * lambda[0] + cos(w * t);
//       }
//     };
//     auto system = from_functor(DryFriction{}, {.states = 2, .surfaces = 1});
//
// or as callables, from_functor(field, guards, {…}), and from_functor(field, {.states = n}) where nothing switches.
//
// The members are called with double, Dual<double>, (guards only) Dual<Dual<double>>, and once, at an arbitrary
// point, with Trace, which shows the sparsity of the derivatives (`static constexpr bool untraced = true` in the
// functor forgoes that). So call mathematical functions unqualified (`using std::cos; cos(w * t)`) and let local
// variables be `auto`. Every element of dx and h must be set. A member whose arguments are plain double (`double t, ConstVectorRef x, …, VectorRef dx`)
// gets finite differences. Members field_dx(t, x, λ, J), field_dlambda(t, x, λ, J), guards_dx(t, x, H),
// guards_dt(t, x, h_t) and normal_dx(t, x, λ, W) hold analytic derivatives and are preferred; their matrices
// arrive filled with zeros. A member break_away(t, x, ratios) gives every surface its break-away ratio, 1 or more
// (SystemDefinition::break_away). All members are const: a System may be used from several threads.
//
// It must not know time stepping.
#pragma once

#include <string>
#include <utility>

#include "slideway/core/errors.hpp"
#include "slideway/detail/model/functor_shape.hpp"
#include "slideway/detail/model/lowering.hpp"

namespace slideway {

// A field given as a callable, of a system without surfaces.
template <class Field>
struct FieldAlone {
  Field field_function;

  template <class Scalar, class Input, class Parameters, class Output>
  requires requires(const Field& function, const Scalar& t, const Input& x, const Parameters& lambda,
                    Output& dx) {
    function(t, x, lambda, dx);
  }
  void field(const Scalar& t, const Input& x, const Parameters& lambda, Output& dx) const
      noexcept(noexcept(field_function(t, x, lambda, dx))) {
    field_function(t, x, lambda, dx);
  }
};

// A field and guards given as two callables instead of a functor's members.
template <class Field, class Guards>
struct FieldAndGuards : FieldAlone<Field> {
  Guards guards_function;

  template <class Scalar, class Input, class Output>
  requires requires(const Guards& function, const Scalar& t, const Input& x, Output& h) { function(t, x, h); }
  void guards(const Scalar& t, const Input& x, Output& h) const noexcept(noexcept(guards_function(t, x, h))) {
    guards_function(t, x, h);
  }
};

template <class Functor>
concept IsFieldAlone = !HasField<Functor, double> && HasField<FieldAlone<Functor>, double>;

// Guards without surfaces are a forgotten size.
template <class Functor>
void refuse_guards_without_surfaces(const Dimensions& dimensions, const std::string& door) {
  if constexpr (HasGuards<Functor, double>) {
    if (dimensions.surfaces == 0) {
      refuse({.what = "guards are given, but the number of surfaces is not",
              .where = dimensions.name.empty() ? door : door + ", system '" + dimensions.name + "'",
              .expected = "surfaces >= 1, as many as guards sets",
              .got = "0",
              .advice = "add .surfaces, or leave the guards out"});
    }
  }
}

template <class Functor>
requires(!IsFieldAlone<Functor>) System from_functor(Functor functor, Dimensions dimensions) {
  check_functor_shape<Functor>();
  refuse_guards_without_surfaces<Functor>(dimensions, "from_functor");
  const Functor traced = functor;
  SystemDefinition definition = lower(std::move(functor), std::move(dimensions));
  if (definition.states > 0 && definition.surfaces >= 0) trace_field(traced, definition);
  return System(std::move(definition));
}

// field(t, x, lambda, dx) as a callable, where there are no surfaces.
template <class Field>
requires IsFieldAlone<Field> System from_functor(Field field, Dimensions dimensions) {
  return from_functor(FieldAlone<Field>{std::move(field)}, std::move(dimensions));
}

// field(t, x, lambda, dx) and guards(t, x, h) as callables, generic lambdas for instance.
template <class Field, class Guards>
System from_functor(Field field, Guards guards, Dimensions dimensions) {
  return from_functor(FieldAndGuards<Field, Guards>{{std::move(field)}, std::move(guards)},
                      std::move(dimensions));
}

}  // namespace slideway
