// Group B01: the evaporator of Mosterman, Zhao & Biswas. Liquid at level L in a vessel evaporates; above the overflow
// level L_th it also drives a flow of momentum p through a pipe:
//     p' = −(R_pipe/I) p + [L > L_th] L
//     L' = −[L > L_th] p/(I C) − L/(R_b C) + f_in/C
// Below the overflow L = f_in (1 − exp(−t/C)) (R_b = 1); the first contact crosses, and after an excursion the level
// slides along the overflow with p² → L_th (f_in − L_th)/2 when 1/12 < L_th < 1/4.
#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

struct Evaporator {
  double R_b = 1, R_pipe = 0.5, I = 0.5, C = 15, f_in = 0.25, L_th = 0.1;

  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] - L_th; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    const auto& p = x[0];
    const auto& L = x[1];
    const auto overflowing = 0.5 * (1.0 + lambda[0]);
    dx[0] = -(R_pipe / I) * p + overflowing * L;
    dx[1] = -overflowing * p / (I * C) - L / (R_b * C) + f_in / C;
  }
};

Case evaporator(const std::string& id, const std::string& title, double L_th, Reference reference) {
  return {
      .id = id,
      .title = title,
      .source =
          "Mosterman, Zhao & Biswas, equations (1)-(2); closed form, matrix exponential above the overflow",
      .system = from_functor(Evaporator{.L_th = L_th}, {.states = 2,
                                                        .surfaces = 1,
                                                        .name = "evaporator",
                                                        .state_names = {"p", "L"},
                                                        .surface_names = {"overflow"}}),
      .run = {.start = 0, .end = 60, .state = Eigen::Vector2d{0, 0}},
      .reference = std::move(reference)};
}

double first_contact(double L_th) { return -15 * std::log(1 - 4 * L_th); }

// p(60) while sliding since t_slide, where p was p_slide.
double sliding_momentum(double L_th, double t_slide, double p_slide) {
  const double settled = L_th * (0.25 - L_th) / 2;
  return std::sqrt(settled + (p_slide * p_slide - settled) * std::exp(-2 * (60 - t_slide)));
}

Reference crosses_then_slides(double L_th, double t_slide, double p_slide) {
  return {.modes = {"-", "+", "0"},
          .times = {first_contact(L_th), t_slide},
          .event_states = {{0, L_th}, {p_slide, L_th}},
          .final = {sliding_momentum(L_th, t_slide, p_slide), L_th}};
}

}  // namespace

std::vector<Case> evaporator_cases() {
  return {evaporator("B01a", "Evaporator, overflow at 0.1: crosses, returns, slides for ever", 0.1,
                     crosses_then_slides(0.1, 10.98419612553311376255196, 0.09851958584881644442214688)),
          evaporator("B01b", "Evaporator, overflow at 0.2: crosses, returns, slides for ever", 0.2,
                     crosses_then_slides(0.2, 24.41377032088301912024966, 0.04769411514011561446123304)),
          evaporator("B01c", "Evaporator, overflow at 0.05: stays open", 0.05,
                     {.modes = {"-", "+"},
                      .times = {first_contact(0.05)},
                      .event_states = {{0, 0.05}},
                      .final = {0.08333329911745768835205392, 0.08333330742302175226036472}})};
}

}  // namespace slideway::validation
