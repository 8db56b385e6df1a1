// Group C: sliding on several surfaces at once, and every way into and out of it.
#include <cmath>
#include <numbers>

#include "models/corner.hpp"
#include "models/two_relays.hpp"
#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// Two relays that do not see each other; what they push is overcome by x3.
struct AdditiveRelays {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 0.3 - lambda[0];
    dx[1] = x[2] - 4.0 * lambda[1];
    dx[2] = 1.0 + lambda[0];
  }
};

// Four fields that all point to the intersection, but whose combinations along it differ.
struct FourFields {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    const auto mix = [&](double mm, double mp, double pm, double pp) {
      return by_region(by_region(mm, mp, lambda[1]), by_region(pm, pp, lambda[1]), lambda[0]);
    };
    dx[0] = mix(2, 1, -1, -2);
    dx[1] = mix(1, -3, 2, -1);
    dx[2] = mix(1, -1, -1, 3);
  }
};

struct SphereAndPlane {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = 8.0 - x[1] * x[1] - (x[0] + 1.5) * (x[0] + 1.5) - (x[2] - 1.0) * (x[2] - 1.0);
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = lambda[0];
    dx[1] = -lambda[1];
    dx[2] = 1.0;
  }
};

Case two_relays(const std::string& id, const std::string& title, double c, Reference reference) {
  return {.id = id,
          .title = title,
          .source = "closed form: lambda1 = x3/2, lambda2 = (1/4 + c) x3 on both",
          .system = from_functor(models::TwoRelays{.c = c}, {.states = 3, .surfaces = 2}),
          .run = {.start = 0, .end = 6, .state = Eigen::Vector3d(1, -1.5, 0)},
          .reference = std::move(reference)};
}

Case four_fields(const std::string& id, SlidingRule rule, double speed) {
  return {.id = id,
          .title = std::string("Sliding on two surfaces, where the sliding vector depends on the rule: ") +
                   to_string(rule),
          .source = "own; bilinear: Alexander & Seidman, Dieci & Lopez; moments: Dieci & Difonzo",
          .system = from_functor(FourFields{}, {.states = 3, .surfaces = 2}),
          .run = {.start = 0, .end = 3, .state = Eigen::Vector3d(-1, -1, 0)},
          .reference = {.modes = {"--", "0-", "00"},
                        .times = {0.5, 0.8},
                        .event_states = {{0, -0.5, 0.5}, {0, 0, 0.4}},
                        .final = {0, 0, 0.4 + 2.2 * speed}},
          .sliding_rule = rule};
}

// No branch slides: the motion crosses one surface after the other, ever faster, and stays where they meet.
Case spiral() {
  const models::Corner fields{
      .x_pp = -2, .y_pp = 1, .x_mp = -1, .y_mp = -2, .x_mm = 2, .y_mm = -1, .x_pm = 1, .y_pm = 2};
  return {.id = "C04a",
          .title = "A spiral into the intersection: infinitely many crossings in a time of 1",
          .source = "closed form: a geometric series",
          .system = from_functor(fields, {.states = 2, .surfaces = 2}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d(1, 0)},
          .reference = {.first_times = {0.5, 0.75, 0.875, 0.9375, 0.96875},
                        .landmarks = {{EventKind::zeno, 1}},
                        .most_events = 60,
                        .final = {0, 0}}};
}

}  // namespace

std::vector<Case> several_surface_cases() {
  const double entry = 1 + (2 - std::sqrt(1.4)) / 1.3;
  const double root2 = std::numbers::sqrt2;
  const double sphere = (11 - std::sqrt(46.0)) / 6;
  return {
      {.id = "C01",
       .title = "Slide on one surface, on both, and leave one of them",
       .source = "closed form: x3 = 2 + 1.3 (t - 1)",
       .system = from_functor(AdditiveRelays{}, {.states = 3, .surfaces = 2}),
       .run = {.start = 0, .end = 4, .state = Eigen::Vector3d(0.7, 4, 0)},
       .reference = {.modes = {"++", "0+", "00", "0+"},
                     .times = {1, entry, 1 + 2 / 1.3},
                     .event_states = {{0, 1, 2}, {0, 0, 2.816784043380076791486534}, {0, 0, 4}},
                     .final = {0, 1.388461538461538461538462, 5.9}}},
      two_relays("C02a", "Slide on both of two coupled relays and leave them one after the other", 0.125,
                 {.modes = {"+-", "0-", "00", "+0", "++"},
                  .times = {2 - root2, 1.045176241886681281412981, 2, 4},
                  .event_states = {{0, -0.599873734152916335403, 2 - root2},
                                   {0, 0, 1.045176241886681281413},
                                   {0, 0, 2},
                                   {2, 0, 4}},
                  .final = {8, 0.25, 6}}),
      two_relays("C02b", "Slide on both of two coupled relays and leave them at one instant", 0.25,
                 {.modes = {"+-", "0-", "00", "++"},
                  .times = {2 - root2, 1, 2},
                  .final = {8, 2, 6},
                  .checkpoints = {{4, {2, 0.5, 4}}}}),
      spiral(),
      four_fields("C05", SlidingRule::filippov, 0.4502190734676458942993171),
      four_fields("C05_moments", SlidingRule::moments, (185 * root2 - 81) / 311),
      {.id = "C07",
       .title = "Along a sphere and a plane at once, then off the sphere",
       .source = "field: Wolfram NDSolve documentation; closed form",
       .system = from_functor(SphereAndPlane{}, {.states = 3, .surfaces = 2}),
       .run = {.start = 0, .end = 5, .state = Eigen::Vector3d(2, -1, 0)},
       .reference = {.modes = {"--", "0-", "00", "-0"},
                     .times = {sphere, 1, 3},
                     .event_states = {{2 - sphere, sphere - 1, sphere}, {2 * root2 - 1.5, 0, 1}, {0.5, 0, 3}},
                     .final = {-1.5, 0, 5},
                     .checkpoints = {{2, {std::sqrt(7.0) - 1.5, 0, 2}}}}}};
}

}  // namespace slideway::validation
