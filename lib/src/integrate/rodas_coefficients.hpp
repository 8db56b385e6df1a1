// RODAS, the stiffly accurate Rosenbrock formula of order 4 with an embedded one of order 3, in the form that takes one factorisation
// and no products with the Jacobian (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.7, and their rodas.f):
//
//     (I/(γh) − J) gᵢ = f(t + cᵢh, x + Σ aᵢⱼ gⱼ) + (1/h) Σ cᵢⱼ gⱼ + dᵢ h ∂f/∂t,     i = 1 … 6,  j < i
//     x₁ = x + Σ a₅ⱼ gⱼ + g₅ + g₆,  error g₆;     a₆ⱼ = a₅ⱼ, a₆₅ = 1
//     x(t + θh) = x + θ d + θ(1−θ) (p + θ q),  d = x₁ − x,  p = Σ pⱼ gⱼ,  q = Σ qⱼ gⱼ
//
// Boost.Odeint's table of the same formula (1.74) has d₄ with the wrong sign, which makes it of order 2 where f depends on t: by
// the conditions of order d₄ = β₄ − c₄ = 0.5938 − 0.63.
#pragma once

#include <array>

namespace slideway::rodas {

inline constexpr double gamma = 0.25;

// cᵢ and dᵢ.
inline constexpr std::array<double, 6> times = {0, 0.386, 0.21, 0.63, 1, 1};
inline constexpr std::array<double, 6> in_time = {0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0};

// aᵢⱼ.
inline constexpr std::array<std::array<double, 5>, 6> a = {{
    {},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
}};

// cᵢⱼ.
inline constexpr std::array<std::array<double, 5>, 6> c = {{
    {},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
}};

inline constexpr std::array<double, 5> p = {10.12623508344586, -7.487995877610167, -34.80091861555747,
                                            -7.992771707568823, 1.025137723295662};
inline constexpr std::array<double, 5> q = {-0.6762803392801253, 6.087714651680015, 16.43084320892478,
                                            24.76722511418386, -6.594389125716872};

}  // namespace slideway::rodas
