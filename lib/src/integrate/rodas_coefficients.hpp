// RODASP, a stiffly accurate Rosenbrock formula of order 4 with an embedded one of order 3, in the form that takes one factorisation
// and no products with the Jacobian (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.7; the coefficients are those of
// G. Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, Preprint 1741, TH Darmstadt, 1995):
//
//     (I/(γh) − J) gᵢ = f(t + cᵢh, x + Σ aᵢⱼ gⱼ) + (1/h) Σ cᵢⱼ gⱼ + dᵢ h ∂f/∂t,     i = 1 … 6,  j < i
//     x₁ = x + Σ a₅ⱼ gⱼ + g₅ + g₆,  error g₆;     a₆ⱼ = a₅ⱼ, a₆₅ = 1
//     x(t + θh) = x + θ d + θ(1−θ) (p + θ q),  d = x₁ − x,  p = Σ pⱼ gⱼ,  q = Σ qⱼ gⱼ
//
// On u' = −L (u − φ(t)), L h large, the older RODAS errs by h φ⁽²⁾/L in every step, and by h³ φ⁽³⁾ between its ends: for a tight
// tolerance its steps are as short as those of an explicit formula. RODASP makes of these about h³ φ⁽⁴⁾/L and h⁴ φ⁽⁴⁾.
#pragma once

#include <array>

namespace slideway::rodas {

inline constexpr double gamma = 0.25;

// cᵢ and dᵢ.
inline constexpr std::array<double, 6> times = {0, 0.75, 0.21, 0.63, 1, 1};
inline constexpr std::array<double, 6> in_time = {0.25, -0.5, -0.023504, -0.0362, 0, 0};

// aᵢⱼ.
inline constexpr std::array<std::array<double, 5>, 6> a = {{
    {},
    {3},
    {1.831036793486759, 0.4955183967433795},
    {2.304376582692669, -0.05249275245743001, -1.176798761832782},
    {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
    {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1},
}};

// cᵢⱼ.
inline constexpr std::array<std::array<double, 5>, 6> c = {{
    {},
    {-12},
    {-8.791795173947035, -2.207865586973518},
    {10.81793056857153, 6.780270611428266, 19.53485944642410},
    {34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534},
    {34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095, -5.714285714285717},
}};

inline constexpr std::array<double, 5> p = {25.09876703708589, 11.62013104361867, 28.49148307714626,
                                            -5.664021568594133, 0};
inline constexpr std::array<double, 5> q = {1.638054557396973, -0.7373619806678748, 8.477918219238990,
                                            15.99253148779520, -1.882352941176471};

}  // namespace slideway::rodas
