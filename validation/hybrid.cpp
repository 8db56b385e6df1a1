// Group `hybrid`: contacts, impacts and their accumulation, resets, and automata. The cam, the balls and the thermostat are cases
// B03, B04 and F06 of reference/cases.json, the pair of masses is F07.
#include <cmath>

#include "models/registry.hpp"
#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

Guard component(Index j, double level = 0) {
  return Guard([j, level](auto /*t*/, const auto& x) { return x[j] - level; });
}

// A contact whose force pushes state j.
Contact contact_on(Index j, const std::string& name, Guard gap, double e, double factor = 1) {
  Contact contact;
  contact.name = name;
  contact.gap = std::move(gap);
  contact.acts_on = [j, factor](double, ConstVectorRef, VectorRef b) { b[j] = factor; };
  contact.restitution = [e](double) { return e; };
  return contact;
}

struct Falling {
  double g = 9.8;
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -g;
  }
};

// From 10 m, g = 9.8: impacts at t₀(1 + 2(e + e² + …)) with t₀ = √(20/9.8) = 10/7, speeds 14 eᵏ.
std::vector<double> bounces(double e, std::size_t count) {
  std::vector<double> times;
  double t = 10.0 / 7, flight = 20.0 / 7;
  for (std::size_t k = 0; k < count; ++k) {
    times.push_back(t);
    flight *= e;
    t += flight;
  }
  return times;
}

Case ball(const std::string& id, double e, double end) {
  const System falling = from_functor(Falling{}, {.states = 2, .state_names = {"x", "v"}});
  const double rests = 10.0 / 7 * (1 + e) / (1 - e);
  Case problem{.id = id,
               .title = "A ball falls 10 m and bounces",
               .source = "closed form: a geometric series",
               .system = falling.with_contacts({contact_on(1, "floor", component(0), e)}),
               .run = {.start = 0, .end = end, .state = Eigen::Vector2d(10, 0)},
               .reference = {.first_times = bounces(e, 10)}};
  if (rests < end) {
    problem.title += ", until it lies still";
    problem.reference.landmarks = {{EventKind::zeno, rests}};
    problem.reference.final = {0, 0};
  }
  return problem;
}

Case ball_in_flight() {
  Case problem = ball("B04a", 0.9, 20);
  problem.source = "DISODE45 manual, example 5; closed form";
  Reference& reference = problem.reference;
  reference.first_times.clear();
  reference.times = bounces(0.9, 13);
  reference.modes.assign(14, "+");
  reference.kinds.assign(13, EventKind::impact);
  reference.final = {0.35555937034976126, 2.3863689664486};
  return problem;
}

// The rod leaves the cam where the force between them vanishes, flies freely and lands without bouncing.
Case cam_follower() {
  const ModelInstance cam = models::find_model("cam-follower").instantiate({});
  return {.id = "B03a",
          .title = "A rod leaves a cam that falls too fast and lands again",
          .source = "closed form: a damped oscillator in flight",
          .system = cam.system,
          .run = {.start = 0, .end = 1, .state = cam.state},
          .reference = {.modes = alternating("0", "+", 7),
                        .times = {0.15660630588433175, 0.32467294590574614, 0.4707655712433111,
                                  0.6388322112647254, 0.7849248366022904, 0.9529914766237048},
                        .kinds = {EventKind::release, EventKind::contact, EventKind::release,
                                  EventKind::contact, EventKind::release, EventKind::contact},
                        .final = {0.0295958969093304, 0.9129452507276277},
                        .checkpoints = {{0.2406396258950389, {0.05957780406635514, -0.7177686932119245}}}}};
}

Case impact_pair() {
  const ModelInstance pair = models::find_model("impact-pair").instantiate({});
  return {.id = "F07",
          .title = "Two masses in a slot collide, stick together and part",
          .source = "DISODE45 manual, example 3; reference/impact_pair.py, which resolves every bounce",
          .system = pair.system,
          .run = {.start = 0, .end = 10, .state = pair.state},
          .reference = {
              .first_times = {0.1906529482537513, 0.4527400995598083, 0.6352789750775942, 0.7685250605304975,
                              0.8686204037552842},
              .landmarks = {{EventKind::zeno, 1.165837216182888},
                            {EventKind::release, 1.4443480904154893},
                            {EventKind::zeno, 3.6106173441073746},
                            {EventKind::release, 6.1159277967639385},
                            {EventKind::zeno, 8.35405039073939}},
              .most_events = 150,
              .final = {1.3038338107965286, -0.9365889320973996, 0.8038338107965287, -0.9365889320973996},
              .checkpoints = {
                  {2, {0.3622061229556187, 2.3843143200110513, 0.13291897146138593, 3.085593699213016}},
                  {5, {1.439297729924212, 1.1934637533432924, 0.939297729924212, 1.1934637533432924}},
                  {8, {0.8343091616804845, 1.885856800804276, 0.37575504349983674, 1.8379197243019716}}}}};
}

// Times of rest from reference/block_pile.py.
Case block_pile() {
  const ModelInstance pile = models::find_model("block-pile").instantiate({{"N", 3}, {"e", 0.5}});
  return {.id = "pile",
          .title = "Three blocks fall on each other and come to rest one after the other",
          .source = "reference/block_pile.py, which resolves every impact",
          .system = pile.system,
          .run = {.start = 0, .end = 1, .state = pile.state},
          .reference = {.first_times = {0.20192751093846089, 0.26923668125128119, 0.29138149281952991,
                                        0.31087514890735187, 0.34155568359962227},
                        .landmarks = {{EventKind::zeno, 0.40084457897455155},
                                      {EventKind::zeno, 0.43381395927513217},
                                      {EventKind::zeno, 0.45379429198221726}},
                        .most_events = 100,
                        .final = {0, 0.1, 0.2, 0, 0, 0}}};
}

// Sticks to a belt of speed 1; friction 1/2 when it slips.
struct OnBelt {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] - 1.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -0.5 * lambda[0];
  }
};

// It meets the wall with speed 1 and is thrown back with 1/2; the belt brings it back again and again, 2, 1, 1/2 … later.
Case impact_while_sliding() {
  return {.id = "impact_while_sliding",
          .title = "A block that sticks to a belt is thrown back by a wall",
          .source = "closed form: a geometric series of parabolas",
          .system = from_functor(OnBelt{}, {.states = 2, .surfaces = 1})
                        .with_contacts({contact_on(
                            1, "wall", Guard([](auto, const auto& x) { return 3.0 - x[0]; }), 0.5, -1)}),
          .run = {.start = 0, .end = 8, .state = Eigen::Vector2d(0, 1)},
          .reference = {.first_times = {3, 5, 6, 6.5, 6.75},
                        .landmarks = {{EventKind::zeno, 7}},
                        .most_events = 60,
                        .final = {3, 0},
                        .checkpoints = {{2, {2, 1}}, {4, {2.75, 0}}, {5.5, {2.9375, 0}}}}};
}

struct Drifting {
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 0.0 * x[0];
    dx[3] = 0.0 * x[0];
  }
};

Case simultaneous_impacts() {
  return {.id = "simultaneous_impacts",
          .title = "A ball flies into a corner and is reflected by both walls at once",
          .source = "closed form",
          .system = from_functor(Drifting{}, {.states = 4})
                        .with_contacts({contact_on(2, "left", component(0), 0.5),
                                        contact_on(3, "floor", component(1), 1)}),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector4d(2, 1, -2, -1)},
          .reference = {.modes = {"++", "++"},
                        .times = {1},
                        .kinds = {EventKind::impact},
                        .event_states = {{0, 0, 1, 1}},
                        .final = {1, 1, 1, 1}}};
}

// A table A sin(w t) that falls twice as fast as a weight can; it lands where the parabola meets the sine, found by bisection.
Case shaking_table() {
  constexpr double g = 10, w = 20, A = 2 * g / (w * w);
  const double leaves = pi / (6 * w);
  const double v = A * w * std::cos(w * leaves);
  const auto height = [&](double t) {
    return 0.5 * A + v * (t - leaves) - 0.5 * g * (t - leaves) * (t - leaves) - A * std::sin(w * t);
  };
  double above = leaves + 0.1, below = leaves + 0.4;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (above + below);
    (height(middle) > 0 ? above : below) = middle;
  }
  const double lands = above, end = lands + 0.01;
  const Guard above_table([](auto t, const auto& x) {
    using std::sin;
    return x[0] - A * sin(w * t);
  });
  return {.id = "shaking_table",
          .title = "A weight leaves a shaking table and lands on it",
          .source = "closed form: A w² sin(w t) = g, then a parabola",
          .system =
              from_functor(Falling{g}, {.states = 2}).with_contacts({contact_on(1, "table", above_table, 0)}),
          .run = {.start = 0, .end = end, .state = Eigen::Vector2d(0, A * w)},
          .reference = {.modes = {"0", "+", "0"},
                        .times = {leaves, lands},
                        .kinds = {EventKind::release, EventKind::contact},
                        .final = {A * std::sin(w * end), A * w * std::cos(w * end)}}};
}

struct Cascading {
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = 1.0 + 0.0 * x[0];
    dx[1] = 0.5 + 0.0 * x[0];
  }
};

// The first reset, once per unit of time, leads onto the guard of the second.
Case cascade() {
  const Event first = {.name = "first",
                       .when = component(0, 1),
                       .direction = Direction::rising,
                       .action = Action::reset,
                       .reset = [](double, ConstVectorRef, VectorRef after) {
                         after[0] = 0;
                         after[1] = 1;
                       }};
  const Event second = {.name = "second",
                        .when = component(1, 1),
                        .direction = Direction::rising,
                        .action = Action::reset,
                        .reset = [](double, ConstVectorRef, VectorRef after) { after[1] = -0.25; }};
  return {.id = "cascade",
          .title = "A reset leads onto the guard of another, which fires in the same instant",
          .source = "closed form: straight lines",
          .system = from_functor(Cascading{}, {.states = 2}).with_events({first, second}),
          .run = {.start = 0, .end = 3.5, .state = Eigen::Vector2d(0, 0)},
          .reference = {.modes = std::vector<std::string>(7),
                        .times = {1, 1, 2, 2, 3, 3},
                        .kinds = std::vector<EventKind>(6, EventKind::reset),
                        .event_states = {{0, 1}, {0, -0.25}, {0, 1}, {0, -0.25}},
                        .final = {0.5, 0}}};
}

struct Attracting {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& /*x*/, const auto& lambda, auto&& dx) const {
    dx[0] = 0.5 - lambda[0];
    dx[1] = 1.0;
    dx[2] = lambda[0];
  }
};

Case reset_onto_sliding() {
  const Event onto = {.name = "onto the surface",
                      .when = component(1, 1),
                      .direction = Direction::rising,
                      .action = Action::reset,
                      .reset = [](double, ConstVectorRef, VectorRef after) { after[0] = 0; }};
  return {.id = "reset_onto_sliding",
          .title = "A reset puts the state onto a surface that attracts",
          .source = "closed form: λ = 1/2 while sliding",
          .system = from_functor(Attracting{}, {.states = 3, .surfaces = 1}).with_events({onto}),
          .run = {.start = 0, .end = 3, .state = Eigen::Vector3d(2, 0, 0)},
          .reference = {.modes = {"+", "0"},
                        .times = {1},
                        .kinds = {EventKind::reset},
                        .event_states = {{0, 1, 1}},
                        .final = {0, 3, 2}}};
}

Case thermostat() {
  const ModelInstance room = models::find_model("thermostat").instantiate({});
  const double heat = 10 * std::log(16.0 / 14.5), cool = 10 * std::log(5.5 / 4);
  std::vector<double> times;
  double t = 10 * std::log(23 / 14.5);
  for (std::size_t k = 0; k < 7; ++k) {
    times.push_back(t);
    t += k % 2 == 0 ? cool : heat;
  }
  return {.id = "F06",
          .title = "A thermostat with hysteresis switches the heating",
          .source = "DISODE45 manual, example 6; closed form: exponentials",
          .system = room.system,
          .run = {.start = 0, .end = 20, .state = room.state},
          .reference = {.modes = std::vector<std::string>(8),
                        .times = times,
                        .kinds = std::vector<EventKind>(7, EventKind::transition),
                        .final = {22.123800008919492}},
          .automaton = room.automaton};
}

// x' = 0.5 − s with the relay s = ±1 switched at ∓band; the second state is the time integral of s, 0.5 in the mean.
struct Switched {
  double s = 1;
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = 0.5 - s + 0.0 * x[0];
    dx[1] = s + 0.0 * x[0];
  }
};

Case hysteresis() {
  constexpr double band = 0.03125;
  const auto relay = [](double s) { return from_functor(Switched{s}, {.states = 2}); };
  std::vector<double> times;
  double t = 2 * band;
  while (t < 2) {
    times.push_back(t);
    t += times.size() % 2 == 1 ? 2 * band / 1.5 : 4 * band;
  }
  const std::size_t count = times.size();
  const double turn = times.back(), left = 2 - turn;
  // After an even number of turns s = 1 again, from x = +band.
  const double s = count % 2 == 0 ? 1 : -1;
  const double x = s * band + (0.5 - s) * left;
  return {.id = "hysteresis",
          .title = "A relay with a hysteresis band chatters about the sliding solution",
          .source = "closed form: straight lines; x = 0.5 t − ∫s",
          .system = relay(1),
          .run = {.start = 0, .end = 2, .state = Eigen::Vector2d(0, 0)},
          .reference = {.modes = std::vector<std::string>(count + 1),
                        .times = times,
                        .kinds = std::vector<EventKind>(count, EventKind::transition),
                        .final = {x, 1 - x}},
          .automaton = Automaton({{"plus", relay(1)}, {"minus", relay(-1)}},
                                 {{.name = "down",
                                   .from = "plus",
                                   .to = "minus",
                                   .when = component(0, -band),
                                   .direction = Direction::falling},
                                  {.name = "up",
                                   .from = "minus",
                                   .to = "plus",
                                   .when = component(0, band),
                                   .direction = Direction::rising}},
                                 "plus")};
}

}  // namespace

std::vector<Case> hybrid_cases() {
  return {cam_follower(),
          ball_in_flight(),
          ball("B04b", 0.5, 10),
          ball("B04_steep", 0.9, 30),
          thermostat(),
          impact_pair(),
          block_pile(),
          impact_while_sliding(),
          simultaneous_impacts(),
          shaking_table(),
          cascade(),
          reset_onto_sliding(),
          hysteresis()};
}

}  // namespace slideway::validation
