// Compile-time checks of a user's functor, so that a mistake is one readable sentence instead of a page of
// template errors.
//
// It must not know what is done with the functor.
#pragma once

#include <type_traits>

#include "slideway/detail/model/lowering.hpp"

namespace slideway {

// A name that a class inherits twice is ambiguous. A functor therefore has a member of this name, whatever its
// arguments and templates, exactly if the name is ambiguous in a class derived from both.
namespace member_names {
struct Guards {
  int guards;
};
struct FieldDx {
  int field_dx;
};
struct FieldDlambda {
  int field_dlambda;
};
struct GuardsDx {
  int guards_dx;
};
struct GuardsDt {
  int guards_dt;
};
struct NormalDx {
  int normal_dx;
};
struct BreakAway {
  int break_away;
};
template <class Functor, class Name>
struct Both : Functor, Name {};
}  // namespace member_names

template <class Functor>
concept Inheritable = std::is_class_v<Functor> && !std::is_final_v<Functor>;
template <class Functor>
concept NamesGuards = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::Guards>::guards;
};
template <class Functor>
concept NamesFieldDx = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::FieldDx>::field_dx;
};
template <class Functor>
concept NamesFieldDlambda = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::FieldDlambda>::field_dlambda;
};
template <class Functor>
concept NamesGuardsDx = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::GuardsDx>::guards_dx;
};
template <class Functor>
concept NamesGuardsDt = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::GuardsDt>::guards_dt;
};
template <class Functor>
concept NamesNormalDx = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::NormalDx>::normal_dx;
};

template <class Functor>
concept NamesBreakAway = Inheritable<Functor> && !requires {
  &member_names::Both<Functor, member_names::BreakAway>::break_away;
};

template <class Functor>
concept HasMutableField = requires(Functor& functor, double t, ConstVectorRef x, ConstVectorRef lambda,
                                   VectorRef& dx) {
  functor.field(t, x, lambda, dx);
};
template <class Functor>
concept HasMutableGuards = requires(Functor& functor, double t, ConstVectorRef x, VectorRef& h) {
  functor.guards(t, x, h);
};

template <class Functor>
constexpr void check_functor_shape() {
  static_assert(HasField<Functor, double> || !HasMutableField<Functor>,
                "the functor's `field` must be const: a System may be used from several threads");
  static_assert(HasField<Functor, double> || HasMutableField<Functor>,
                "the functor needs a public member"
                " `void field(auto t, const auto& x, const auto& lambda, auto&& dx) const`");
  static_assert(!NamesGuards<Functor> || HasGuards<Functor, double> || !HasMutableGuards<Functor>,
                "the functor's `guards` must be const: a System may be used from several threads");
  static_assert(!NamesGuards<Functor> || HasGuards<Functor, double> || HasMutableGuards<Functor>,
                "the functor's `guards` must be a public member"
                " `void guards(auto t, const auto& x, auto&& h) const`");
  static_assert(!NamesFieldDx<Functor> || HasFieldDx<Functor>,
                "the functor's `field_dx` must be a public member"
                " `void field_dx(double t, const auto& x, const auto& lambda, auto&& J) const`");
  static_assert(!NamesFieldDlambda<Functor> || HasFieldDlambda<Functor>,
                "the functor's `field_dlambda` must be a public member"
                " `void field_dlambda(double t, const auto& x, const auto& lambda, auto&& J) const`");
  static_assert(!NamesGuardsDx<Functor> || HasGuardsDx<Functor>,
                "the functor's `guards_dx` must be a public member"
                " `void guards_dx(double t, const auto& x, auto&& H) const`");
  static_assert(!NamesGuardsDt<Functor> || HasGuardsDt<Functor>,
                "the functor's `guards_dt` must be a public member"
                " `void guards_dt(double t, const auto& x, auto&& h_t) const`");
  static_assert(!NamesNormalDx<Functor> || HasNormalDx<Functor>,
                "the functor's `normal_dx` must be a public member"
                " `void normal_dx(double t, const auto& x, const auto& lambda, auto&& W) const`");
  static_assert(!NamesBreakAway<Functor> || HasBreakAway<Functor, double>,
                "the functor's `break_away` must be a public member"
                " `void break_away(auto t, const auto& x, auto&& ratios) const`");
}

}  // namespace slideway
