// The third door: one smooth field per region, each named by the sides it lies on.
//
//     auto system = from_regions({{"-", [](auto t, const auto& x, auto&& dx) { … }},
//                                 {"+", [](auto t, const auto& x, auto&& dx) { … }}},
//                                [](auto t, const auto& x, auto&& h) { h[0] = x[0]; },
//                                {.states = 2, .surfaces = 1});
//
// With m surfaces there are 2ᵐ regions, named by words of m characters `-` and `+`, surface 1 first; all must
// be given. Between regions the library blends them (corner_blend.hpp); a region of zero weight is not
// evaluated. If every region's callable and the guards are generic, derivatives are exact (dual numbers);
// callables of plain double (a std::function, say) get finite differences.
//
// It must not know time stepping.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/detail/model/corner_blend.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway {

// The field of one region: any callable field(t, x, dx) that is const, kept with its dual version if it is
// generic.
class RegionField {
 public:
  template <class Scalar>
  using Function = std::function<void(const Scalar& t, const InputView<Scalar>& x, OutputView<Scalar>& dx)>;

  template <class Callable>
  requires(!std::same_as<Callable, RegionField>) RegionField(Callable callable) {
    static_assert(std::is_invocable_v<const Callable&, const double&, ConstVectorRef, VectorRef&>,
                  "a region's field must be a const callable (auto t, const auto& x, auto&& dx)");
    using Number = Dual<double>;
    if constexpr (requires { callable == nullptr; }) {
      if (callable == nullptr) return;
    }
    if constexpr (std::is_invocable_v<const Callable&, const Number&, const InputView<Number>&,
                                      OutputView<Number>&>) {
      dual_ = [callable](const Number& t, const InputView<Number>& x, OutputView<Number>& dx) {
        callable(t, x, dx);
      };
    }
    plain_ = [callable](const double& t, ConstVectorRef x, VectorRef& dx) { callable(t, x, dx); };
  }

  bool is_empty() const { return !plain_; }
  bool has_dual() const { return static_cast<bool>(dual_); }
  void operator()(double t, ConstVectorRef x, VectorRef& dx) const { plain_(t, x, dx); }
  void operator()(const Dual<double>& t, const InputView<Dual<double>>& x,
                  OutputView<Dual<double>>& dx) const {
    dual_(t, x, dx);
  }

 private:
  Function<double> plain_;
  Function<Dual<double>> dual_;
};

struct Region {
  std::string mode;  // its sides, such as "+-"
  RegionField field;
};

// The regions' fields in the order of their vertices: bit i of the position is set on the `+` side of
// surface i. Throws std::invalid_argument when a region is missing, named twice or misnamed.
std::vector<RegionField> ordered_regions(std::vector<Region> regions, const Dimensions& dimensions);

// Regions and guards as a functor of λ.
template <class Guards>
struct RegionBlend {
  std::vector<RegionField> regions;  // 2ᵐ, as ordered_regions gives them
  Guards guards_function;

  template <class Scalar>
  requires std::same_as<Scalar, double> || std::same_as<Scalar, Dual<double>>
  void field(const Scalar& t, const InputView<Scalar>& x, const InputView<Scalar>& lambda,
             OutputView<Scalar>& dx) const {
    blend_corners<Scalar>(lambda, dx, "from_regions", [&](ConstVectorRef signs, OutputView<Scalar>& corner) {
      std::size_t vertex = 0;
      for (Index i = 0; i < signs.size(); ++i) {
        if (signs[i] > 0) vertex |= std::size_t{1} << i;
      }
      regions[vertex](t, x, corner);
    });
  }
  template <class Scalar>
  requires requires(const Guards& function, const Scalar& t, const InputView<Scalar>& x,
                    OutputView<Scalar>& h) {
    function(t, x, h);
  }
  void guards(const Scalar& t, const InputView<Scalar>& x, OutputView<Scalar>& h) const
      noexcept(noexcept(guards_function(t, x, h))) {
    guards_function(t, x, h);
  }
};

template <class Guards>
System from_regions(std::vector<Region> regions, Guards guards, Dimensions dimensions) {
  static_assert(std::is_invocable_v<const Guards&, const double&, ConstVectorRef, VectorRef&>,
                "the guards must be a const callable (auto t, const auto& x, auto&& h)");
  auto fields = ordered_regions(std::move(regions), dimensions);
  bool all_dual = true;
  for (const RegionField& field : fields) all_dual = all_dual && field.has_dual();
  auto definition = lower(RegionBlend<Guards>{std::move(fields), std::move(guards)}, std::move(dimensions));
  if (!all_dual) definition.field_along = nullptr;
  return System(std::move(definition));
}

}  // namespace slideway
