// Group D: chains and networks of relays, up to a hundred surfaces that slide at once.
#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"

namespace slideway::validation {
namespace {

// x'' = −x − 0.4 sgn x'.
struct CoulombOscillator {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - 0.4 * lambda[0];
  }
};

// Three damped blocks with friction, the first tied to a wall.
struct ThreeBlocks {
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < 3; ++i) h[i] = x[3 + i];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < 3; ++i) dx[i] = x[3 + i];
    dx[3] = -2.0 * x[0] + x[1] - x[3] - 0.3 * lambda[0];
    dx[4] = x[0] - 2.0 * x[1] + x[2] - x[4] - 0.3 * lambda[1];
    dx[5] = x[1] - x[2] - x[5] - 0.3 * lambda[2];
  }
};

// Blocks in a chain with free ends, pulled by springs from a driver of velocity 0.1 over a rough floor.
struct DrivenChain {
  Index blocks = 20;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < blocks; ++i) {
      dx[i] = x[blocks + i];
      dx[blocks + i] = 0.1 * t - x[i] - 0.5 * x[blocks + i] - lambda[i];
      if (i > 0) dx[blocks + i] += x[i - 1] - x[i];
      if (i + 1 < blocks) dx[blocks + i] += x[i + 1] - x[i];
    }
  }
};

// Heights on a path, each drawn to its neighbours at unit rate: those that meet stay together.
struct PathOfHeights {
  Index nodes = 8;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i + 1 < nodes; ++i) h[i] = x[i + 1] - x[i];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = lambda[0];
    for (Index i = 1; i + 1 < nodes; ++i) dx[i] = lambda[i] - lambda[i - 1];
    dx[nodes - 1] = -lambda[nodes - 2];
  }
};

// Blocks between two walls, held by friction against loads below its level; one load grows.
struct LoadedChain {
  Index blocks = 100;
  Index ramp = 49;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < blocks; ++i) {
      dx[i] = x[blocks + i];
      dx[blocks + i] = -2.0 * x[i] + 0.9 * std::sin(static_cast<double>(i + 1)) - lambda[i];
      if (i > 0) dx[blocks + i] += x[i - 1];
      if (i + 1 < blocks) dx[blocks + i] += x[i + 1];
      if (i == ramp) dx[blocks + i] += 0.01 * t;
    }
  }
};

Case three_blocks() {
  return {
      .id = "D02",
      .title = "Three blocks with friction turn round five times and stick one after the other",
      .source = "problem: Stewart; Nurkanovic et al., nosnoc; Taylor series in multiple precision",
      .system = from_functor(
          ThreeBlocks{}, {.states = 6, .surfaces = 3, .state_names = {"q1", "q2", "q3", "v1", "v2", "v3"}}),
      .run = {.start = 0, .end = 12, .state = Eigen::Vector<double, 6>{-1, 1, -1, -1, 1, 1}},
      .reference = {
          .modes = {"-++", "--+", "+-+", "+--", "++-", "-+-", "0+-", "0+0", "000"},
          .times = {0.2047517478253368525789979, 0.2487038494798716401227646, 1.78863130158307820410065,
                    1.902911374264309215283481, 2.14479449650957345945221, 3.49163336847274063054523,
                    3.641696748667766729026509, 3.927104415443988741061745},
          .event_states = {{-1.117342061663149926376, 1.099212320303012093821, -0.7819360593033228456641,
                            -0.1634397664165998203802, 0, 1.121772702792489376428},
                           {-1.120908075516566148607, 1.095612519933036129419, -0.7322108620209465347096, 0,
                            -0.1622261479567384660402, 1.140399543159681284497},
                           {0.1453568231259939424519, -0.2921863973649606846448, 0.4627426915853839985336,
                            0.4223307885313531591858, -0.1849059132873845621818, 0},
                           {0.1851938808630578778928, -0.3026134076123412956048, 0.4598519230064986911027,
                            0.2759272558997251421318, 0, -0.04978475192663453251739},
                           {0.2174023784933457416414, -0.2768887109489760437748, 0.4369418508952916165948, 0,
                            0.2027750511841719209605, -0.1342590046829772073376},
                           {0.1130808353911191406907, 0.1518099475568834541247, 0.2368611615410866565473, 0,
                            0.1667348017470999005577, -0.03691735227632159457695},
                           {0.1130808353911191406907, 0.1721465232554191720564, 0.2341172391021315645603, 0,
                            0.1047707059099121739867, 0},
                           {0.1130808353911191406907, 0.1865798172572530060073, 0.2341172391021315645603, 0,
                            0, 0}},
          .final = {0.1130808353911191406907, 0.1865798172572530060073, 0.2341172391021315645603, 0, 0, 0},
          .checkpoints = {
              {3,
               {0.1393490924801191593779667, 0.0214210375206069671283302, 0.2847398212645344513858973,
                -0.1001314424895035714341206, 0.3514936984574849100372614, -0.1527968542681958336041081}}}}};
}

Case driven_chain() {
  constexpr Index blocks = 20;
  std::vector<double> final(blocks, 1.949993040986033706412061);
  final.insert(final.end(), blocks, 0.09932797874505336102140633);
  return {.id = "D03a",
          .title = "Twenty blocks leave sticking at one instant",
          .source = "closed form: the chain stays uniform, one damped oscillator",
          .system = from_functor(DrivenChain{blocks}, {.states = 2 * blocks, .surfaces = blocks}),
          .run = {.start = 0, .end = 30, .state = Vector::Zero(2 * blocks)},
          .reference = {.modes = {std::string(blocks, '0'), std::string(blocks, '+')},
                        .times = {10},
                        .final = std::move(final)}};
}

Case path_of_heights() {
  return {.id = "D04",
          .title = "Heights on a path merge until all are one: seven coupled surfaces",
          .source = "exact fractions: total-variation flow",
          .system = from_functor(PathOfHeights{}, {.states = 8, .surfaces = 7}),
          .run = {.start = 0, .end = 10, .state = Eigen::Vector<double, 8>{3, 1, 4, 1, 5, 9, 2, 6}},
          // At t = 2 two surfaces are met, at one instant as far as rounding lets that be seen.
          .reference = {
              .first_times = {2.0 / 3, 0.75, 1, 4.0 / 3, 2},
              .most_events = 7,
              .final = std::vector<double>(8, 3.875),
              .checkpoints = {{0.5, {2.5, 2, 3, 2, 5, 8, 3, 5.5}}, {2, {2.75, 2.75, 2.75, 2.75, 5, 5, 5, 5}}},
              .invariants = {{"sum", [](double, ConstVectorRef x) { return x.sum(); }, 31}}}};
}

Case loaded_chain(const std::string& id, const std::string& title, double end, Reference reference) {
  constexpr Index blocks = 100;
  return {.id = id,
          .title = title,
          .source = "closed form: |0.9 sin i| < 1",
          .system = from_functor(LoadedChain{.blocks = blocks}, {.states = 2 * blocks, .surfaces = blocks}),
          .run = {.start = 0, .end = end, .state = Vector::Zero(2 * blocks)},
          .reference = std::move(reference)};
}

}  // namespace

std::vector<Case> network_cases() {
  return {{.id = "D00",
           .title = "A block on a spring swings with friction, starts at rest and sticks after two periods",
           .source = "DISODE45 manual, example 0; closed form: the amplitude falls by 0.8 every half period",
           .system = from_functor(CoulombOscillator{}, {.states = 2, .surfaces = 1}),
           .run = {.start = 0, .end = 20, .state = Eigen::Vector2d(3, 0)},
           .reference = {.modes = {"-", "+", "-", "+", "0"},
                         .times = {pi, 2 * pi, 3 * pi, 4 * pi},
                         .event_states = {{-2.2, 0}, {1.4, 0}, {-0.6, 0}, {-0.2, 0}},
                         .final = {-0.2, 0}}},
          three_blocks(),
          driven_chain(),
          path_of_heights(),
          loaded_chain("D05", "A hundred blocks held by friction do not move", 120,
                       {.modes = {std::string(100, '0')}, .final = std::vector<double>(200, 0.0)}),
          loaded_chain("D05_slip", "Of a hundred blocks held by friction the one with a growing load slips",
                       123.8, {.first_times = {(1 - 0.9 * std::sin(50.0)) / 0.01}, .most_events = 1})};
}

}  // namespace slideway::validation
