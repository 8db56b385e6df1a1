// Large systems with local events: blocks on a belt in a chain and in a square lattice, a chain that a governor pushes by the sign of its
// mean place, thermostats of their own, a ring of oscillators that push each other by pulses, a ladder of capacitors with diodes.
//
// Chain and lattice are those of Burridge & Knopoff with Coulomb friction:
//     x' = v,    v' = k Σ (x_neighbour − x) − kp x − mu sgn(v − vb)
// A thermostat has an exact solution: th' = (warm − th)/(R C) while it is off, and (warm − R P − th)/(R C) while it is on, with
// exponentials between its switching temperatures. An oscillator of the ring fires at 1, falls to 0 and lifts both neighbours by `push`:
//     x' = drive − leak x + c (x_next − x)
// A node of the ladder has a diode to a level of its own, which conducts above it:
//     v' = (v_before − 2 v + v_next)/(R C) + a sin(w t + p) − g max(v − level, 0)
// A rod is heated at one in `spacing` of its cells, while it is below its level there; its surroundings swing:
//     u' = κ (u_before − 2 u + u_next) − (u − a sin(w t + p)) + heat (1 − sgn(u − level))/2
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/friction_chain.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_network.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::benchmarks {

struct LocalProblem {
  System system;
  Vector start;
};

inline double place_of_block(Index i) {
  const auto number = static_cast<double>(i + 1);
  return 1.5 * std::sin(2.1 * number) + 0.4 * std::cos(0.37 * number);
}

inline LocalProblem chain_of_blocks(Index blocks) {
  models::FrictionChain chain;
  chain.blocks = blocks;
  Vector start = Vector::Zero(2 * blocks);
  for (Index i = 0; i < blocks; ++i) start[i] = place_of_block(i);
  return {from_functor(chain, {.states = 2 * blocks, .surfaces = blocks}), start};
}

struct FrictionLattice {
  Index side = 10;
  double k = 1, kp = 0.1, mu = 0.3, vb = 0.1;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    const Index blocks = side * side;
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i] - vb;
  }
  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const Index blocks = side * side;
    for (Index i = 0; i < blocks; ++i) dx[i] = x[blocks + i];
    for (Index row = 0; row < side; ++row) {
      for (Index column = 0; column < side; ++column) {
        const Index i = row * side + column;
        auto sum = -(4 * k + kp) * x[i] - mu * lambda[i];
        if (row > 0) sum += k * x[i - side];
        if (row + 1 < side) sum += k * x[i + side];
        if (column > 0) sum += k * x[i - 1];
        if (column + 1 < side) sum += k * x[i + 1];
        dx[blocks + i] = sum;
      }
    }
  }
};

inline LocalProblem lattice_of_blocks(Index side) {
  FrictionLattice lattice;
  lattice.side = side;
  const Index blocks = side * side;
  Vector start = Vector::Zero(2 * blocks);
  for (Index i = 0; i < blocks; ++i) start[i] = place_of_block(i);
  return {from_functor(lattice, {.states = 2 * blocks, .surfaces = blocks}), start};
}

// The governor is the last surface. It is one of all the system.
struct GovernedChain {
  Index blocks = 10;
  double k = 1, kp = 1, mu = 0.3, vb = 0.1, push = 0.02;

  void guards(auto /*t*/, const auto& x, auto&& h) const {
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i] - vb;
    auto sum = x[0] + 0.0;
    for (Index i = 1; i < blocks; ++i) sum += x[i];
    h[blocks] = sum / static_cast<double>(blocks);
  }
  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < blocks; ++i) dx[i] = x[blocks + i];
    for (Index i = 0; i < blocks; ++i) {
      auto sum = -(2 * k + kp) * x[i] - mu * lambda[i] - push * lambda[blocks];
      if (i > 0) sum += k * x[i - 1];
      if (i + 1 < blocks) sum += k * x[i + 1];
      dx[blocks + i] = sum;
    }
  }
};

inline LocalProblem governed_chain(Index blocks) {
  GovernedChain chain;
  chain.blocks = blocks;
  Vector start = Vector::Zero(2 * blocks);
  for (Index i = 0; i < blocks; ++i) start[i] = place_of_block(i) + 0.3;
  return {from_functor(chain, {.states = 2 * blocks, .surfaces = blocks + 1}), start};
}

struct PulseRing {
  std::vector<double> drive;
  double leak = 0.6, coupling = 0.02;

  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    const auto units = static_cast<Index>(drive.size());
    for (Index i = 0; i < units; ++i) {
      const Index next = (i + 1) % units;
      dx[i] = drive[static_cast<std::size_t>(i)] - leak * x[i] + coupling * (x[next] - x[i]);
    }
  }
};

inline LocalProblem pulse_ring(Index units, double push = 0.05) {
  std::mt19937_64 random(20261126);
  std::uniform_real_distribution<double> any(0, 1);
  PulseRing functor;
  Vector start(units);
  for (Index i = 0; i < units; ++i) {
    functor.drive.push_back(1 + 0.5 * any(random));
    start[i] = 0.95 * any(random);
  }
  System system = from_functor([functor](const auto& t, const auto& x, const auto& lambda,
                                         auto& dx) { functor.field(t, x, lambda, dx); },
                               {.states = units});
  std::vector<Event> events;
  for (Index i = 0; i < units; ++i) {
    const Index left = (i + units - 1) % units;
    const Index right = (i + 1) % units;
    Event event;
    event.name = "fire" + std::to_string(i);
    event.when = Guard([i](const auto& /*t*/, const auto& x) { return x[i] - 1.0; });
    event.direction = Direction::rising;
    event.action = Action::reset;
    std::vector<Index> touches = {left, i, right};
    std::sort(touches.begin(), touches.end());
    event.touches = touches;
    event.reset = [i, left, right, push](double, ConstVectorRef before, VectorRef after) {
      after[i] = 0;
      after[left] = before[left] + push;
      after[right] = before[right] + push;
    };
    events.push_back(std::move(event));
  }
  return {system.with_events(std::move(events)), start};
}

struct DiodeLadder {
  Index nodes = 10;
  std::vector<double> level, frequency, phase;
  double conductance = 20;  // of a diode, in 1/(C·time)

  void guards(Index i, auto /*t*/, const auto& x, auto&& h) const {
    h[0] = x(i, 0) - level[static_cast<std::size_t>(i)];
  }
  void field(Index i, auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    const auto node = static_cast<std::size_t>(i);
    auto current = -2.0 * x(i, 0) + 3.0 * sin(frequency[node] * t + phase[node]) -
                   conductance * 0.5 * (1.0 + lambda(i, 0)) * (x(i, 0) - level[node]);
    if (i > 0) current += x(i - 1, 0);
    if (i + 1 < nodes) current += x(i + 1, 0);
    dx[0] = current;
  }
};

inline LocalProblem diode_ladder(Index nodes, double conductance = 20) {
  std::mt19937_64 random(20261126);
  std::uniform_real_distribution<double> any(0, 1);
  DiodeLadder ladder;
  ladder.conductance = conductance;
  ladder.nodes = nodes;
  for (Index i = 0; i < nodes; ++i) {
    ladder.level.push_back(0.2 + 0.3 * any(random));
    ladder.frequency.push_back(0.5 + any(random));
    ladder.phase.push_back(6 * any(random));
  }
  return {from_network(ladder, {.cells = nodes, .states = 1, .surfaces = 1}), Vector::Zero(nodes)};
}

// A piece of the rod with a heater in its middle is a cell of the network.
struct HeatRod {
  static constexpr Index kSpacing = 20;
  Index heaters = 10;
  double kappa = 100, heat = 60;
  std::vector<double> level, frequency, phase;

  void guards(Index k, auto /*t*/, const auto& x, auto&& h) const {
    h[0] = x(k, kSpacing / 2) - level[static_cast<std::size_t>(k)];
  }
  void field(Index k, auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    const auto heater = static_cast<std::size_t>(k);
    for (Index i = 0; i < kSpacing; ++i) {
      auto sum = 3.0 * sin(frequency[heater] * t + phase[heater]) - x(k, i);
      if (i > 0 || k > 0) sum += kappa * ((i > 0 ? x(k, i - 1) : x(k - 1, kSpacing - 1)) - x(k, i));
      if (i + 1 < kSpacing || k + 1 < heaters)
        sum += kappa * ((i + 1 < kSpacing ? x(k, i + 1) : x(k + 1, 0)) - x(k, i));
      if (i == kSpacing / 2) sum += heat * 0.5 * (1.0 - lambda(k, 0));
      dx[i] = sum;
    }
  }
};

inline LocalProblem heat_rod(Index heaters) {
  std::mt19937_64 random(20261126);
  std::uniform_real_distribution<double> any(0, 1);
  HeatRod rod;
  rod.heaters = heaters;
  for (Index k = 0; k < heaters; ++k) {
    rod.level.push_back(0.2 + 0.5 * any(random));
    rod.frequency.push_back(0.5 + any(random));
    rod.phase.push_back(6 * any(random));
  }
  return {from_network(rod, {.cells = heaters, .states = HeatRod::kSpacing, .surfaces = 1}),
          Vector::Zero(heaters * HeatRod::kSpacing)};
}

// Rooms with a fixed seed: temperatures th_i, then the discrete states on_i.
struct AirConditioners {
  std::vector<double> time_constant, warm, drop, low, high;

  explicit AirConditioners(Index rooms) {
    std::mt19937_64 random(20261126);
    std::uniform_real_distribution<double> any(0, 1);
    for (Index i = 0; i < rooms; ++i) {
      time_constant.push_back(20 + 20 * any(random));
      warm.push_back(30 + 4 * any(random));
      drop.push_back(18 + 6 * any(random));
      low.push_back(20 + any(random));
      high.push_back(low.back() + 0.5 + 0.5 * any(random));
    }
  }
  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    const auto rooms = static_cast<Index>(low.size());
    for (Index i = 0; i < rooms; ++i) {
      const auto room = static_cast<std::size_t>(i);
      dx[i] = (warm[room] - drop[room] * x[rooms + i] - x[i]) / time_constant[room];
      dx[rooms + i] = 0.0 * x[rooms + i];
    }
  }
  // Every switching of every room up to `end`, exactly: those of room i are at times[i].
  std::vector<std::vector<double>> exact(double end) const {
    std::vector<std::vector<double>> times(low.size());
    for (std::size_t i = 0; i < low.size(); ++i) {
      double t = 0;
      double temperature = 0.5 * (low[i] + high[i]);
      bool on = i % 2 == 0;
      while (true) {
        const double limit = on ? low[i] : high[i];
        const double rest = warm[i] - (on ? drop[i] : 0);
        t += time_constant[i] * std::log((temperature - rest) / (limit - rest));
        if (t > end) break;
        times[i].push_back(t);
        temperature = limit;
        on = !on;
      }
    }
    return times;
  }
};

inline LocalProblem air_conditioners(Index rooms) {
  const AirConditioners functor(rooms);
  System system = from_functor([functor](const auto& t, const auto& x, const auto& lambda,
                                         auto& dx) { functor.field(t, x, lambda, dx); },
                               {.states = 2 * rooms, .discrete = rooms});
  std::vector<Event> events;
  Vector start = Vector::Zero(2 * rooms);
  for (Index i = 0; i < rooms; ++i) {
    const auto room = static_cast<std::size_t>(i);
    const auto add = [&](const std::string& name, double limit, Direction direction, double on) {
      Event event;
      event.name = name + std::to_string(i);
      event.when = Guard([i, limit](const auto& /*t*/, const auto& x) { return x[i] - limit; });
      event.direction = direction;
      event.action = Action::reset;
      event.reset = [at = rooms + i, on](double, ConstVectorRef, VectorRef after) { after[at] = on; };
      event.touches = {rooms + i};
      events.push_back(std::move(event));
    };
    add("on", functor.high[room], Direction::rising, 1);
    add("off", functor.low[room], Direction::falling, 0);
    start[i] = 0.5 * (functor.low[room] + functor.high[room]);
    start[rooms + i] = i % 2 == 0 ? 1 : 0;
  }
  return {system.with_events(std::move(events)), start};
}

}  // namespace slideway::benchmarks
