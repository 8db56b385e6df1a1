// Systems for the tests of local events: blocks on a belt in a chain and in a lattice, and thermostats of their own.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "models/friction_chain.hpp"
#include "slideway/model/from_functor.hpp"

namespace test {

using namespace slideway;

struct Large {
  System system;
  Vector start;
};

inline Vector start_of_blocks(Index blocks) {
  Vector start = Vector::Zero(2 * blocks);
  for (Index i = 0; i < blocks; ++i) {
    const auto place = static_cast<double>(i + 1);
    start[i] = 1.5 * std::sin(2.1 * place) + 0.4 * std::cos(0.37 * place);
  }
  return start;
}

inline Large chain_of_blocks(Index blocks) {
  models::FrictionChain chain;
  chain.blocks = blocks;
  return {from_functor(chain, {.states = 2 * blocks, .surfaces = blocks}), start_of_blocks(blocks)};
}

struct Lattice {
  Index side;
  void guards(auto /*t*/, const auto& x, auto&& h) const {
    for (Index i = 0; i < side * side; ++i) h[i] = x[side * side + i] - 0.1;
  }
  void field(auto /*t*/, const auto& x, const auto& lambda, auto&& dx) const {
    const Index blocks = side * side;
    for (Index i = 0; i < blocks; ++i) {
      const Index row = i / side;
      const Index column = i % side;
      dx[i] = x[blocks + i];
      auto sum = -4.1 * x[i] - 0.3 * lambda[i];
      if (row > 0) sum += x[i - side];
      if (row + 1 < side) sum += x[i + side];
      if (column > 0) sum += x[i - 1];
      if (column + 1 < side) sum += x[i + 1];
      dx[blocks + i] = sum;
    }
  }
};

inline Large lattice_of_blocks(Index side) {
  const Index blocks = side * side;
  return {from_functor(Lattice{side}, {.states = 2 * blocks, .surfaces = blocks}), start_of_blocks(blocks)};
}

// th' = (warm − drop·on − th)/time for each room; on at th = high, off at th = low.
struct Rooms {
  std::vector<double> time, warm, drop, low, high;

  explicit Rooms(int rooms) {
    for (int i = 0; i < rooms; ++i) {
      const auto any = [i](double factor) { return std::fmod(factor * (i + 1), 1.0); };
      time.push_back(20 + 20 * any(0.618034));
      warm.push_back(30 + 4 * any(0.414214));
      drop.push_back(18 + 6 * any(0.732051));
      low.push_back(20 + any(0.236068));
      high.push_back(low.back() + 0.5 + 0.5 * any(0.302776));
    }
  }
  void field(const auto& x, auto& dx) const {
    const std::size_t rooms = low.size();
    for (std::size_t i = 0; i < rooms; ++i) {
      const auto room = static_cast<Index>(i);
      const auto on = static_cast<Index>(rooms + i);
      dx[room] = (warm[i] - drop[i] * x[on] - x[room]) / time[i];
      dx[on] = 0.0 * x[on];
    }
  }
  std::vector<std::vector<double>> exact(double end) const {
    std::vector<std::vector<double>> times(low.size());
    for (std::size_t i = 0; i < low.size(); ++i) {
      double t = 0;
      double temperature = 0.5 * (low[i] + high[i]);
      bool on = i % 2 == 0;
      while (true) {
        const double limit = on ? low[i] : high[i];
        const double rest = warm[i] - (on ? drop[i] : 0);
        t += time[i] * std::log((temperature - rest) / (limit - rest));
        if (t > end) break;
        times[i].push_back(t);
        temperature = limit;
        on = !on;
      }
    }
    return times;
  }
};

inline Large large_of(const Rooms& rooms) {
  const auto count = static_cast<Index>(rooms.low.size());
  const System system = from_functor(
      [rooms](const auto& /*t*/, const auto& x, const auto& /*lambda*/, auto& dx) { rooms.field(x, dx); },
      {.states = 2 * count, .discrete = count});
  std::vector<Event> events;
  Vector start = Vector::Zero(2 * count);
  for (Index i = 0; i < count; ++i) {
    const auto room = static_cast<std::size_t>(i);
    const auto add = [&](const std::string& name, double limit, Direction direction, double on) {
      Event event;
      event.name = name + " " + std::to_string(i);
      event.when = Guard([i, limit](const auto& /*t*/, const auto& x) { return x[i] - limit; });
      event.direction = direction;
      event.action = Action::reset;
      event.reset = [place = count + i, on](double, ConstVectorRef, VectorRef after) { after[place] = on; };
      event.touches = {count + i};
      events.push_back(std::move(event));
    };
    add("on", rooms.high[room], Direction::rising, 1);
    add("off", rooms.low[room], Direction::falling, 0);
    start[i] = 0.5 * (rooms.low[room] + rooms.high[room]);
    start[count + i] = i % 2 == 0 ? 1 : 0;
  }
  return {system.with_events(std::move(events)), start};
}

}  // namespace test
