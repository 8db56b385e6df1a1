// Starts exactly on the surface, in each of the kinds, and events exactly at the end. Every solution is a polynomial or
// piecewise linear. The kinds "from below" are the mirror images (validation/variants.hpp).
#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// One velocity on each side of x1 = 0; x2 adds up λ.
struct TwoSides {
  double minus;
  double plus;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = by_region(minus, plus, lambda[0]);
    dx[1] = lambda[0];
  }
};

// x1' = 1 everywhere; above x2 = 0 the normal component is curvature·x1 + cubic·x1², below it is `below`.
struct Fold {
  double below;
  double curvature;
  double cubic = 0;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 1.0;
    dx[1] = by_region(below, curvature * x[0] + cubic * x[0] * x[0], lambda[0]);
  }
};

// x' = −sgn(x) + t slides until t = 1.
struct LeavesAtOne {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const { dx[0] = t - lambda[0]; }
};

// Repelling for x1 < 1: above the surface x2' = 1 − x1, below x2' = −1.
struct RepelsUntilOne {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 1.0;
    dx[1] = by_region(-1.0, 1.0 - x[0], lambda[0]);
  }
};

Case two_sides(const std::string& id, const std::string& title, TwoSides field, double x1, double end,
               Reference reference) {
  return {.id = id,
          .title = title,
          .source = "closed form: piecewise linear",
          .system = from_functor(field, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector2d{x1, 0}},
          .reference = std::move(reference)};
}

Case fold(const std::string& id, const std::string& title, Fold field, Reference reference,
          Ambiguity policy = Ambiguity::stop) {
  return {.id = id,
          .title = title,
          .source = "closed form: a polynomial",
          .system = from_functor(field, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 1, .state = Eigen::Vector2d{0, 0}},
          .reference = std::move(reference),
          .on_ambiguity = policy};
}

Reference forced(const std::string& mode, std::vector<double> final) {
  return {.modes = {"", mode}, .times = {0}, .kinds = {EventKind::repelling}, .final = std::move(final)};
}

// Further from the end than the tolerances can tell: what is within them counts as an event at the end.
Case ends_before() {
  Case early = two_sides("end_before_event", "The end is 1e-6 before a crossing", {.minus = 1, .plus = 0.5},
                         -1, 1 - 1e-6, {.modes = {"-"}, .final = {-1e-6, -1 + 1e-6}});
  early.rtol_from = 1e-6;
  return early;
}

Case leaves_at_end() {
  return {.id = "exit_at_end",
          .title = "The sliding exit is exactly at the end",
          .source = "closed form: x = 0",
          .system = from_functor(LeavesAtOne{}, {.states = 1, .surfaces = 1}),
          .run = {.start = 0, .end = 1, .state = Vector::Zero(1)},
          .reference = {.modes = {"0", "+"}, .times = {1}, .final = {0}}};
}

Case forced_sliding() {
  return {.id = "forced_sliding_exit",
          .title = "Sliding forced on a repelling surface leaves to the side that still moves away",
          .source = "closed form: x1 = t, x2 = -(t-1) after t = 1",
          .system = from_functor(RepelsUntilOne{}, {.states = 2, .surfaces = 1}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d{0, 0}},
          .reference = {.modes = {"", "0", "-"},
                        .times = {0, 1},
                        .kinds = {EventKind::repelling, EventKind::sliding_exit},
                        .event_states = {{0, 0}, {1, 0}},
                        .final = {2, -1}},
          .on_ambiguity = Ambiguity::slide};
}

}  // namespace

std::vector<Case> start_and_end_cases() {
  const Fold repelling_fold{.below = -1, .curvature = 1};
  return {
      two_sides("start_crossing_up", "Start on the surface, crossing upward", {.minus = 3, .plus = 1}, 0, 1,
                {.modes = {"+"}, .final = {1, 1}}),
      two_sides("start_crossing_down", "Start on the surface, crossing downward", {.minus = -3, .plus = -1},
                0, 1, {.modes = {"-"}, .final = {-3, -1}}),
      two_sides("start_sliding", "Start on the surface, sliding", {.minus = 1, .plus = -0.5}, 0, 1,
                {.modes = {"0"}, .final = {0, 1.0 / 3}}),
      two_sides(
          "start_repelling", "Start on the surface, repelling", {.minus = -1, .plus = 2}, 0, 1,
          {.modes = {"", ""}, .times = {0}, .kinds = {EventKind::repelling}, .status = Status::ambiguous}),
      fold("start_visible_fold", "Start at a visible fold: leaves along it", {.below = 1, .curvature = 1},
           {.modes = {"+"}, .final = {1, 0.5}}),
      fold("start_invisible_fold", "Start at an invisible fold of an attracting surface: slides",
           {.below = 1, .curvature = -1}, {.modes = {"0"}, .final = {1, 0}}),
      fold("start_invisible_fold_crossing",
           "Start at an invisible fold where the other field leads away: crosses",
           {.below = -1, .curvature = -1}, {.modes = {"-"}, .final = {1, -1}}),
      fold("start_cubic_fold", "Start at a tangency of second order: leaves like t^3",
           {.below = 1, .curvature = 0, .cubic = 1}, {.modes = {"+"}, .final = {1, 1.0 / 3}}),
      fold("start_cubic_invisible", "Start at a tangency of second order that leads in: slides",
           {.below = 1, .curvature = 0, .cubic = -1}, {.modes = {"0"}, .final = {1, 0}}),
      fold("start_repelling_fold", "Start at a visible fold with the other field leading away: not unique",
           repelling_fold,
           {.modes = {"", ""}, .times = {0}, .kinds = {EventKind::repelling}, .status = Status::ambiguous}),
      fold("start_repelling_fold_plus", "The same, upwards", repelling_fold, forced("+", {1, 0.5}),
           Ambiguity::plus),
      fold("start_repelling_fold_minus", "The same, downwards", repelling_fold, forced("-", {1, -1}),
           Ambiguity::minus),
      fold("start_repelling_fold_slide", "The same, sliding", repelling_fold, forced("0", {1, 0}),
           Ambiguity::slide),
      two_sides("crossing_at_end", "A crossing exactly at the end", {.minus = 1, .plus = 0.5}, -1, 1,
                {.modes = {"-", "+"}, .times = {1}, .final = {0, -1}}),
      two_sides("entry_at_end", "A sliding entry exactly at the end", {.minus = 1, .plus = -1}, -1, 1,
                {.modes = {"-", "0"}, .times = {1}, .final = {0, -1}}),
      leaves_at_end(),
      ends_before(),
      two_sides("no_time", "A run that ends where it starts", {.minus = 1, .plus = -0.5}, 0, 0,
                {.modes = {"0"}, .final = {0, 0}}),
      forced_sliding(),
  };
}

}  // namespace slideway::validation
