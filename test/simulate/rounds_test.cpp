// The effects of a jump at the same instant: guards that it carries past zero fire, in rounds.
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <sstream>

#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x0' = 1, and states at rest beside it.
System ticking(Index states) {
  return smooth(states, [states](auto, const auto&, auto&& dx) {
    dx[0] = 1.0;
    for (Index j = 1; j < states; ++j) dx[j] = 0.0;
  });
}

Event tick(std::function<void(VectorRef)> set) {
  return reset("tick", component(0, 1), Direction::rising, std::move(set));
}

Event alone(Event event) {
  event.across_jumps = false;
  return event;
}

std::vector<int> rounds(const Solution& solution) {
  std::vector<int> result;
  for (const EventRecord& event : solution.events) result.push_back(event.round);
  return result;
}

// Mirollo and Strogatz: xᵢ' = 2 − xᵢ, and who reaches 1 starts again from 0 and lifts all others.
System pulses(Index count, double eps) {
  const System system = smooth(count, [count](auto, const auto& x, auto&& dx) {
    for (Index j = 0; j < count; ++j) dx[j] = 2.0 - x[j];
  });
  std::vector<Event> events;
  for (Index i = 0; i < count; ++i) {
    events.push_back(
        reset("x" + std::to_string(i + 1), component(i, 1), Direction::rising, [i, eps](VectorRef x) {
          x.array() += eps;
          x[i] = 0;
        }));
  }
  return system.with_events(events);
}

}  // namespace

TEST_CASE("a guard that a reset carries past zero in its direction fires in the same instant") {
  const auto beside = [](const Event& other) {
    return run(ticking(2).with_events({tick([](VectorRef x) { x[1] = 5; }), other}), {0, 0}, 2);
  };
  const auto back = [](VectorRef x) { x[1] = -1; };
  const Solution solution = beside(reset("other", component(1, 2), Direction::rising, back));
  REQUIRE(solution.outcome.reached_end());
  REQUIRE(story(solution) == "reset tick, reset other");
  CHECK(rounds(solution) == std::vector<int>{1, 2});
  CHECK(solution.events[1].t == solution.events[0].t);
  CHECK(solution.events[1].before[1] == 5);
  CHECK(solution.events[1].reason == "a jump carries the guard past zero");
  CHECK(solution.final.state[1] == -1);
  CHECK(story(beside(reset("other", component(1, 2), Direction::any, back))) == "reset tick, reset other");
  CHECK(story(beside(reset("other", component(1, 2), Direction::falling, back))) == "reset tick");
  CHECK(story(beside(reset("other", component(1, 6), Direction::rising, back))) == "reset tick");
}

TEST_CASE("stops and records cross by jumps as by the flow") {
  const auto over = tick([](VectorRef x) { x[1] = 5; });
  const Solution noted =
      run(ticking(2).with_events({over, record("other", component(1, 2), Direction::rising)}), {0, 0}, 2);
  CHECK(noted.outcome.reached_end());
  CHECK(story(noted) == "reset tick, record other");
  CHECK(noted.events.at(1).after[1] == 5);
  const Solution stopped =
      run(ticking(2).with_events({over, stop("other", component(1, 2), Direction::rising)}), {0, 0}, 2);
  CHECK(stopped.outcome.status == Status::stopped_by_event);
  CHECK(stopped.outcome.message == "stopped by 'other'");
  CHECK(story(stopped) == "reset tick, stop other");
  CHECK(rounds(stopped) == std::vector<int>{1, 2});
  CHECK(stopped.outcome.t == doctest::Approx(1));
  CHECK(stopped.final.state[1] == 5);
}

TEST_CASE("an event that does not cross by jumps fires by the flow alone") {
  const auto over = tick([](VectorRef x) { x[1] = 5; });
  const auto nothing = [](VectorRef) {};
  for (const Event& other : {reset("other", component(1, 2), Direction::rising, nothing),
                             reset("other", component(1, 2), Direction::any, nothing),
                             stop("other", component(1, 2), Direction::rising),
                             record("other", component(1, 2), Direction::any)}) {
    CHECK(story(run(ticking(2).with_events({over, alone(other)}), {0, 0}, 2)) == "reset tick");
  }
  // By the flow it does: x0 rises through 1.5, from beyond it does not.
  const Solution solution =
      run(ticking(2).with_events({over, alone(record("later", component(0, 1.5), Direction::rising))}),
          {0, 0}, 2);
  CHECK(story(solution) == "reset tick, record later");
}

TEST_CASE("what jumps past zero and back within a round has not crossed, and what crossed fires once") {
  // Both set off by the first round, in file order; the second undoes what would have set off a third.
  const Solution solution =
      run(ticking(3).with_events(
              {tick([](VectorRef x) { x[1] = 1; }),
               reset("up", component(1, 0.5), Direction::rising, [](VectorRef x) { x[2] = 9; }),
               reset("down", component(1, 0.7), Direction::rising, [](VectorRef x) { x[2] = 0; }),
               reset("high", component(2, 5), Direction::rising, [](VectorRef x) { x[2] = -1; })}),
          {0, 0, 0}, 2);
  REQUIRE(solution.outcome.reached_end());
  CHECK(story(solution) == "reset tick, reset up, reset down");
  CHECK(rounds(solution) == std::vector<int>{1, 2, 2});
  CHECK(solution.final.state[2] == 0);
}

TEST_CASE("what has crossed fires even if another reset of its round carries it back") {
  const Solution solution =
      run(ticking(3).with_events(
              {tick([](VectorRef x) { x[1] = x[2] = 1; }),
               reset("one", component(1, 0.5), Direction::rising, [](VectorRef x) { x[2] = 0; }),
               reset("two", component(2, 0.5), Direction::rising, [](VectorRef x) { x[1] = 0; })}),
          {0, 0, 0}, 2);
  CHECK(story(solution) == "reset tick, reset one, reset two");
  CHECK(rounds(solution) == std::vector<int>{1, 2, 2});
}

TEST_CASE("a guard that its own reset leaves beyond zero waits until it has been back") {
  const Solution solution = run(
      ticking(1).with_events({reset("", component(0, 1), Direction::rising, [](VectorRef x) { x[0] = 3; })}),
      {0}, 3);
  CHECK(solution.events.size() == 1);
  CHECK(solution.final.state[0] == doctest::Approx(5));
  CHECK(solution.warnings.empty());
}

TEST_CASE("after its own reset a guard may be carried past zero again at the same instant") {
  // The first starts again from 0, and the second lifts it by 2.
  const Solution solution = run(ticking(2).with_events({reset("first", component(0, 1), Direction::rising,
                                                              [](VectorRef x) {
                                                                x[0] = 0;
                                                                x[1] += 1;
                                                              }),
                                                        reset("second", component(1, 0.5), Direction::rising,
                                                              [](VectorRef x) {
                                                                x[1] = -9;
                                                                x[0] += 2;
                                                              })}),
                                {0, 0}, 1.5);
  REQUIRE(solution.outcome.reached_end());
  CHECK(story(solution) == "reset first, reset second, reset first");
  CHECK(rounds(solution) == std::vector<int>{1, 2, 3});
  CHECK(solution.final.state[1] == -8);
}

TEST_CASE("an avalanche through all of a network goes on whatever its length, and in rounds") {
  // Each lifts its neighbour past its threshold: as many rounds as there are, none of which fires twice.
  constexpr Index count = 1200;
  const System system = smooth(count, [](auto, const auto& x, auto&& dx) {
    for (Index j = 0; j < count; ++j) dx[j] = 1.0 + 0.0 * x[j];
  });
  std::vector<Event> events;
  for (Index i = 0; i < count; ++i) {
    events.push_back(reset("", component(i, 1), Direction::rising, [i](VectorRef x) {
      x[i] = 0;
      if (i + 1 < count) x[i + 1] += 0.5;
    }));
  }
  Vector start = Vector::Constant(count, 0.6);
  start[0] = 0.9;
  const Solution solution = run(system.with_events(events), start, 0.2);
  REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
  REQUIRE(solution.events.size() == static_cast<std::size_t>(count));
  CHECK(solution.events.back().round == count);
  CHECK(solution.final.state.maxCoeff() == doctest::Approx(0.1));
}

TEST_CASE("a cycle of resets that jump past each other stops as chattering, and its members are named") {
  const Solution solution = run(ticking(3).with_events({tick([](VectorRef x) { x[1] = 1; }),
                                                        reset("ping", component(1, 0.5), Direction::rising,
                                                              [](VectorRef x) {
                                                                x[1] = 0;
                                                                x[2] = 1;
                                                              }),
                                                        reset("pong", component(2, 0.5), Direction::rising,
                                                              [](VectorRef x) {
                                                                x[2] = 0;
                                                                x[1] = 1;
                                                              })}),
                                {0, 0, 0}, 2);
  CHECK(solution.outcome.status == Status::chattering);
  CHECK(solution.outcome.t == doctest::Approx(1));
  CHECK(contains(solution.outcome.message, "'ping'"));
  CHECK(contains(solution.outcome.message, "'pong'"));
  CHECK_FALSE(contains(solution.outcome.message, "'tick'"));
}

TEST_CASE("the limit on events holds within an instant, too") {
  Options options;
  options.max_events = 100;
  const Solution solution =
      run(ticking(2).with_events(
              {tick([](VectorRef x) { x[1] = 1; }),
               reset("", component(1, 0.5), Direction::rising, [](VectorRef x) { x[1] = 0; }),
               reset("", component(1, 0.3), Direction::falling, [](VectorRef x) { x[1] = 1; })}),
          {0, 0}, 2, options);
  CHECK(solution.outcome.status == Status::step_limit);
  CHECK(solution.events.size() <= 102);
}

TEST_CASE("an impact that carries a guard past zero fires it") {
  for_every_method([](const Options& options) {
    // A ball falls from 1 with weight 2 and meets the floor at t = 1 with speed 2; it leaves with speed 1.
    const System ball =
        smooth(3,
               [](auto, const auto& x, auto&& dx) {
                 dx[0] = x[1];
                 dx[1] = -2.0;
                 dx[2] = 0.0 * x[2];
               })
            .with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)})
            .with_events({reset("turned", component(1), Direction::rising, [](VectorRef x) { x[2] += 1; }),
                          record("top", component(1), Direction::falling)});
    const Solution solution = run(ball, {1, 0, 0}, 1.6, options);
    REQUIRE(solution.outcome.reached_end());
    CHECK(story(solution) == "record top, impact floor, reset turned, record top");
    CHECK(rounds(solution) == std::vector<int>{1, 1, 2, 1});
    CHECK(solution.final.state[2] == 1);
  });
}

TEST_CASE("an edge that jumps past the guard of a reset fires it in the location that it enters") {
  const System plain = ticking(2);
  const auto mark = reset("mark", component(1, 2), Direction::rising, [](VectorRef x) { x[1] = 0; });
  const System watched = plain.with_events({mark});
  const Automaton automaton({{"a", watched}, {"b", watched}},
                            {{.name = "over",
                              .from = "a",
                              .to = "b",
                              .when = component(0, 1),
                              .direction = Direction::rising,
                              .reset = [](double, ConstVectorRef, VectorRef x) { x[1] = 5; }}},
                            "a");
  const Solution solution = run(automaton, {0, 0}, 2);
  REQUIRE(solution.outcome.reached_end());
  CHECK(story(solution) == "transition over, reset mark");
  CHECK(rounds(solution) == std::vector<int>{1, 2});
}

TEST_CASE("an edge in any direction is taken where a reset carries its guard past zero") {
  const System plain = ticking(2);
  const System watched = plain.with_events({tick([](VectorRef x) { x[1] = 5; })});
  const Automaton automaton(
      {{"a", watched}, {"b", watched}},
      {{.name = "", .from = "a", .to = "b", .when = component(1, 2), .direction = Direction::any}}, "a");
  const Solution solution = run(automaton, {0, 0}, 2);
  REQUIRE(solution.outcome.reached_end());
  CHECK(story(solution) == "reset tick, transition");
  CHECK(solution.final.location == "b");
}

TEST_CASE("a guard that is carried to zero exactly is judged by how it moves from there") {
  for (const double rate : {1.0, -1.0}) {
    const System moving = smooth(2, [rate](auto, const auto&, auto&& dx) {
      dx[0] = 1.0;
      dx[1] = rate;
    });
    const Solution solution = run(moving.with_events({tick([](VectorRef x) { x[1] = 2; }),
                                                      reset("other", component(1, 2), Direction::rising,
                                                            [](VectorRef x) { x[1] = 0; })}),
                                  {0, -5}, 1.5);
    CAPTURE(rate);
    CHECK(story(solution) == (rate > 0 ? "reset tick, reset other" : "reset tick"));
  }
}

TEST_CASE("pulse-coupled oscillators fire in avalanches, and end in step where none is lifted twice") {
  for_every_method([](const Options& options) {
    // 0.95 reaches 1 first: t = ln(1.05). Lifted by 0.2, what is above 0.8 then fires, too.
    const Solution solution = run(pulses(3, 0.2), {0.95, 0.85, 0.3}, 0.1, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(story(solution) == "reset x1, reset x2");
    CHECK(rounds(solution) == std::vector<int>{1, 2});
    CHECK(error(solution.events[0].t, std::log(1.05)) < 1000 * options.rtol);
    const double third = 2 - 1.7 / 1.05 + 0.4;
    CHECK(error(solution.trajectory(solution.events[0].t)[2], third) < 1000 * options.rtol);
    CHECK(error(solution.trajectory(solution.events[0].t)[0], 0.2) < 1e-12);
  });
}

TEST_CASE("a run says which guards its end finds beyond zero that never fired") {
  const auto nothing = [](VectorRef) {};
  const auto warnings = [&](const Event& event, double start) {
    return run(ticking(1).with_events({event}), {start}, 2).warnings;
  };
  const auto silent = warnings(reset("late", component(0, 1), Direction::rising, nothing), 1.5);
  REQUIRE(silent.size() == 1);
  CHECK(silent[0] ==
        "reset 'late' has never fired, and its guard is 2.5 at the end, past zero (rising): it has been "
        "there from "
        "the start, and fires only on a crossing");
  CHECK(contains(warnings(stop("", component(0, 1), Direction::rising), 1.5).at(0), "a stop without a name"));
  CHECK(warnings(reset("late", component(0, 1), Direction::rising, nothing), 0).empty());
  CHECK(warnings(reset("late", component(0, 1), Direction::any, nothing), 1.5).empty());
  CHECK(warnings(reset("late", component(0, 9), Direction::falling, nothing), 0).size() == 1);
  CHECK(warnings(reset("late", component(0, 9), Direction::rising, nothing), 0).empty());
  CHECK(warnings(record("late", component(0, 1), Direction::rising), 1.5).empty());
}

TEST_CASE("what was asked to fire by the flow alone is no cause for a warning") {
  const Solution solution = run(
      ticking(2).with_events({tick([](VectorRef x) { x[1] = 5; }),
                              alone(reset("other", component(1, 2), Direction::rising, [](VectorRef) {}))}),
      {0, 0}, 2);
  CHECK(story(solution) == "reset tick");
  CHECK(solution.warnings.empty());
}

TEST_CASE("a stop within an avalanche is no cause for a warning about what it left undone") {
  const Solution solution =
      run(ticking(2).with_events({tick([](VectorRef x) { x[1] = 5; }),
                                  reset("other", component(1, 2), Direction::rising, [](VectorRef) {}),
                                  stop("enough", component(1, 3), Direction::rising)}),
          {0, 0}, 2);
  CHECK(story(solution) == "reset tick, stop enough");
  CHECK(solution.warnings.empty());
}

TEST_CASE("a printed event shows its round from the second on") {
  const Solution solution = run(ticking(2).with_events({tick([](VectorRef x) { x[1] = 5; }),
                                                        record("other", component(1, 2), Direction::any)}),
                                {0, 0}, 2);
  REQUIRE(solution.events.size() == 2);
  std::ostringstream first, second;
  first << solution.events[0];
  second << solution.events[1];
  CHECK_FALSE(contains(first.str(), "round"));
  CHECK(contains(second.str(), "round 2"));
}

namespace {

// Constant rates, guards on one state each, and resets that set one state or add to it.
struct RandomNetwork {
  static constexpr Index states = 3;
  struct Rule {
    Index seen = 0, changed = 0;
    double level = 0, amount = 0;
    bool adds = false, across = true;
    Direction direction = Direction::any;
    Action action = Action::reset;
  };
  std::vector<double> rates, start;
  std::vector<Rule> rules;

  explicit RandomNetwork(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto uniform = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
    };
    const auto choice = [&](std::uint64_t count) { return static_cast<Index>(random() % count); };
    for (Index j = 0; j < states; ++j) {
      rates.push_back((choice(2) == 0 ? 1 : -1) * uniform(0.2, 1.5));
      start.push_back(uniform(-1, 1));
    }
    const Index count = 3 + choice(4);
    for (Index k = 0; k < count; ++k) {
      Rule rule;
      rule.seen = choice(states);
      rule.changed = choice(states);
      rule.level = uniform(-1, 1);
      rule.amount = uniform(-1.5, 1.5);
      rule.adds = choice(2) == 0;
      rule.across = choice(5) > 0;
      rule.direction = static_cast<Direction>(choice(3));
      rule.action = choice(6) == 0 ? Action::record : Action::reset;
      rules.push_back(rule);
    }
  }

  System system() const {
    const System flow = smooth(states, [speeds = rates](auto, const auto& x, auto&& dx) {
      for (Index j = 0; j < states; ++j) dx[j] = speeds[static_cast<std::size_t>(j)] + 0.0 * x[j];
    });
    std::vector<Event> events;
    for (const Rule& rule : rules) {
      Event event{.name = std::to_string(events.size()),
                  .when = component(rule.seen, rule.level),
                  .direction = rule.direction,
                  .action = rule.action,
                  .across_jumps = rule.across};
      if (rule.action == Action::reset) {
        event.reset = [rule](double, ConstVectorRef, VectorRef x) {
          x[rule.changed] = rule.adds ? x[rule.changed] + rule.amount : rule.amount;
        };
      }
      events.push_back(event);
    }
    return flow.with_events(events);
  }
};

struct Played {
  double t;
  std::size_t rule;
  int round;
};

// The rules of model/event.hpp, one after the other, on exact lines. Nothing where an instant hardly ends, or where two things nearly
// coincide.
std::optional<std::vector<Played>> play(const RandomNetwork& network, double end) {
  constexpr double near = 1e-7;
  std::vector<Played> result;
  std::vector<double> x = network.start;
  const std::size_t count = network.rules.size();
  std::vector<double> side(count);
  std::vector<char> waits(count, 0);
  const auto value = [&](std::size_t e) {
    const RandomNetwork::Rule& rule = network.rules[e];
    return side[e] * (x[static_cast<std::size_t>(rule.seen)] - rule.level);
  };
  const auto is_any = [&](std::size_t e) { return network.rules[e].direction == Direction::any; };
  const auto stand = [&](std::size_t but) {
    for (std::size_t e = 0; e < count; ++e) {
      if (is_any(e) && e != but && value(e) < 0) side[e] = -side[e];
      waits[e] = value(e) > near;
    }
  };
  for (std::size_t e = 0; e < count; ++e) side[e] = network.rules[e].direction == Direction::rising ? -1 : 1;
  stand(count);
  for (double t = 0;;) {
    double wait = end - t, second = wait;
    std::size_t first = count;
    for (std::size_t e = 0; e < count; ++e) {
      const double rate = side[e] * network.rates[static_cast<std::size_t>(network.rules[e].seen)];
      const double time = -value(e) / rate;
      if (!(time > near / 10)) continue;
      if (time < wait) {
        second = wait;
        wait = time;
        first = e;
      } else {
        second = std::min(second, time);
      }
    }
    if (first < count && second - wait < near) return std::nullopt;
    t += wait;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += wait * network.rates[j];
    if (first == count) return result;
    const bool moves_beyond =
        side[first] * network.rates[static_cast<std::size_t>(network.rules[first].seen)] < 0;
    x[static_cast<std::size_t>(network.rules[first].seen)] = network.rules[first].level;
    if (!moves_beyond) {
      waits[first] = 1;
      continue;
    }
    if (!waits[first]) continue;
    std::vector<std::size_t> due = {first};
    if (is_any(first)) side[first] = -side[first];
    waits[first] = 0;
    for (int round = 1; !due.empty(); ++round) {
      if (round > 40) return std::nullopt;
      for (const Action action : {Action::record, Action::reset}) {
        for (const std::size_t e : due) {
          const RandomNetwork::Rule& rule = network.rules[e];
          if (rule.action != action) continue;
          result.push_back({t, e, round});
          if (action == Action::reset) {
            double& state = x[static_cast<std::size_t>(rule.changed)];
            state = rule.adds ? state + rule.amount : rule.amount;
          }
          waits[e] = value(e) > near;
        }
      }
      due.clear();
      for (std::size_t e = 0; e < count; ++e) {
        const double v = value(e);
        // A guard that has just fired is at its zero, exactly.
        if (v != 0 && std::abs(v) < near) return std::nullopt;
        if (v > 0) waits[e] = 1;
        if (!(v < 0)) continue;
        const bool crosses = waits[e] != 0 && network.rules[e].across;
        if (is_any(e)) {
          side[e] = -side[e];
          waits[e] = 1;
        }
        if (crosses) due.push_back(e);
      }
    }
    for (std::size_t e = 0; e < count; ++e) {
      if (value(e) == 0 && is_any(e)) {
        // It waits on the side to which it goes.
        const double rate = network.rates[static_cast<std::size_t>(network.rules[e].seen)];
        side[e] = rate > 0 ? 1 : -1;
      }
      waits[e] = is_any(e) || value(e) > 0;
    }
    if (result.size() > 400) return std::nullopt;
  }
}

}  // namespace

TEST_CASE("random networks of resets fire as a play of the rules says, event by event and round by round") {
  int compared = 0, cascades = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomNetwork network(seed);
    const auto expected = play(network, 3);
    if (!expected) continue;
    CAPTURE(seed);
    const Solution solution =
        run(network.system(), Eigen::Map<const Vector>(network.start.data(), RandomNetwork::states), 3,
            with(seed % 2 == 0 ? Method::dopri5 : Method::bdf, 1e-8));
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    std::string wanted, got;
    for (const Played& one : *expected)
      wanted += std::to_string(one.rule) + "/" + std::to_string(one.round) + " ";
    for (const EventRecord& event : solution.events)
      got += *event.name + "/" + std::to_string(event.round) + " ";
    REQUIRE(got == wanted);
    for (std::size_t k = 0; k < expected->size(); ++k)
      CHECK(std::abs(solution.events[k].t - (*expected)[k].t) < 1e-6);
    ++compared;
    const auto is_set_off = [](const Played& one) { return one.round > 1; };
    cascades += std::any_of(expected->begin(), expected->end(), is_set_off) ? 1 : 0;
  }
  MESSAGE(compared << " of 400 networks compared, " << cascades << " of them with cascades");
  CHECK(compared > 200);
  CHECK(cascades > 50);
}
