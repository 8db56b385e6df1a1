// The second door: a field written with signs, where every sᵢ is exactly −1 or +1 and may be tested.
//
//     struct Thermostat {                          // x' = 1 below the set point, -2x above
//       void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 20; }
//       void field(auto, const auto& x, const auto& s, auto&& dx) const {
//         if (s[0] > 0) dx[0] = -2 * x[0]; else dx[0] = 1;
//       }
//     };
//     auto system = from_signs(Thermostat{}, {.states = 1, .surfaces = 1});
//
// Between the sides the library blends the corners (corner_blend.hpp), so what the field does at a sign is
// never asked anywhere else, and a corner of zero weight is not evaluated. The signs are plain numbers, also
// when t, x and dx are dual numbers. The other members are as in from_functor, except that field_dx and
// normal_dx get signs too, and field_dlambda is not used: it follows from the corners.
//
// It must not know time stepping.
#pragma once

#include <string>
#include <utility>

#include "slideway/detail/model/corner_blend.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway {

template <class Functor, class Scalar>
concept HasSignField = requires(const Functor& functor, const Scalar& t, const InputView<Scalar>& x,
                                ConstVectorRef signs, OutputView<Scalar>& dx) {
  functor.field(t, x, signs, dx);
};

// A functor of signs as a functor of λ.
template <class Functor>
struct SignBlend {
  static constexpr bool untraced = Untraced<Functor>;

  Functor functor;

  template <class Scalar>
  requires HasSignField<Functor, Scalar>
  void field(const Scalar& t, const InputView<Scalar>& x, const InputView<Scalar>& lambda,
             OutputView<Scalar>& dx) const {
    blend_corners<Scalar>(lambda, dx, "from_signs", [&](ConstVectorRef signs, OutputView<Scalar>& corner) {
      functor.field(t, x, signs, corner);
    });
  }
  template <class Scalar>
  requires HasGuards<Functor, Scalar>
  void guards(const Scalar& t, const InputView<Scalar>& x, OutputView<Scalar>& h) const
      noexcept(noexcept(functor.guards(t, x, h))) {
    functor.guards(t, x, h);
  }
  template <class Scalar>
  requires HasBreakAway<Functor, Scalar>
  void break_away(const Scalar& t, const InputView<Scalar>& x, OutputView<Scalar>& ratios) const {
    functor.break_away(t, x, ratios);
  }
  void field_dx(double t, ConstVectorRef x, ConstVectorRef lambda,
                MatrixRef& jacobian) const requires HasFieldDx<Functor> {
    blend_corners<double>(lambda, jacobian, "from_signs", [&](ConstVectorRef signs, MatrixRef& corner) {
      functor.field_dx(t, x, signs, corner);
    });
  }
  void normal_dx(double t, ConstVectorRef x, ConstVectorRef lambda,
                 MatrixRef& jacobian) const requires HasNormalDx<Functor> {
    blend_corners<double>(lambda, jacobian, "from_signs", [&](ConstVectorRef signs, MatrixRef& corner) {
      functor.normal_dx(t, x, signs, corner);
    });
  }
  void guards_dx(double t, ConstVectorRef x, MatrixRef& jacobian) const requires HasGuardsDx<Functor> {
    functor.guards_dx(t, x, jacobian);
  }
  void guards_dt(double t, ConstVectorRef x, VectorRef& derivative) const requires HasGuardsDt<Functor> {
    functor.guards_dt(t, x, derivative);
  }
};

template <class Functor>
System from_signs(Functor functor, Dimensions dimensions) {
  check_functor_shape<Functor>();
  static_assert(!NamesFieldDlambda<Functor>,
                "from_signs derives field_dlambda from the corners: remove the member, or use from_functor");
  refuse_guards_without_surfaces<Functor>(dimensions, "from_signs");
  return System(lower(SignBlend<Functor>{std::move(functor)}, std::move(dimensions)));
}

// field(t, x, signs, dx) and guards(t, x, h) as callables, generic lambdas for instance.
template <class Field, class Guards>
System from_signs(Field field, Guards guards, Dimensions dimensions) {
  return from_signs(FieldAndGuards<Field, Guards>{std::move(field), std::move(guards)},
                    std::move(dimensions));
}

}  // namespace slideway
