// Accumulations far from zero, in other units and beside motions that take no part in them, against closed forms.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "test/simulate/gravity.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

System falling_down(Index states = 2) {
  return smooth(states, [states](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -kGravity;
    for (Index j = 2; j < states; ++j) dx[j] = 0.0 * x[j];
  });
}

std::function<void(VectorRef)> thrown_back(double e) {
  return [e](VectorRef x) { x[1] *= -e; };
}

enum class Kind { resets, edges, contacts };

Automaton table(Kind kind, double height, double e) {
  if (kind == Kind::contacts)
    return falling_down().with_contacts({contact("table", component(0, height), {{1, 1}}, e)});
  if (kind == Kind::resets)
    return falling_down().with_events(
        {reset("table", component(0, height), Direction::falling, thrown_back(e))});
  const System lying = smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = 0.0 * x[0];
    dx[1] = 0.0 * x[1];
  });
  Edge edge;
  edge.name = "table";
  edge.from = edge.to = "flight";
  edge.when = component(0, height);
  edge.direction = Direction::falling;
  edge.reset = [e](double, ConstVectorRef, VectorRef after) { after[1] *= -e; };
  edge.zeno = "rest";
  return Automaton({{"flight", falling_down()}, {"rest", lying}}, {edge}, "flight");
}

// The limit within √(2ε|H|/a) / (1 − e), the time that a flight of the height of the guard's rounding takes and all after it, and what
// the tolerances make of the fall: a multistep method, which starts at order one, makes use of those of the height.
double resolved(double height, double e, double rtol, double limit, bool multistep = false) {
  return 2 * std::sqrt(2 * std::numeric_limits<double>::epsilon() * height / kGravity) / (1 - e) +
         100 * rtol * limit + (multistep ? 100 * rtol * height / std::sqrt(2 * kGravity) / (1 - e) : 0) +
         1e-12;
}

}  // namespace

TEST_CASE("a ball comes to rest on a table of any height at the exact time, whatever throws it back") {
  for (const double height : {0.0, 1.0, 25.0, 1000.0, 1e6}) {
    for (const double e : {0.1, 0.7, 0.99}) {
      for (const double rtol : {1e-4, 1e-8, 1e-12}) {
        for (const Method method : {Method::automatic, Method::bdf, Method::dop853}) {
          for (const Kind kind : {Kind::resets, Kind::edges, Kind::contacts}) {
            CAPTURE(height);
            CAPTURE(e);
            CAPTURE(rtol);
            CAPTURE(std::string(to_string(method)));
            CAPTURE(static_cast<int>(kind));
            const double exact = std::sqrt(2 / kGravity) * (1 + e) / (1 - e);
            Options options = with(method, rtol);
            options.recording = Recording::nothing;
            const Solution solution =
                run(table(kind, height, e), {height + 1, 0}, 1.2 * exact + 0.5, options);
            if (kind == Kind::resets) {
              CHECK(solution.outcome.status == Status::zeno);
            } else {
              CHECK_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
            }
            REQUIRE(count(solution, EventKind::zeno) == 1);
            CHECK(solution.events.back().kind == EventKind::zeno);
            CHECK(std::abs(solution.events.back().t - exact) <=
                  resolved(height, e, rtol, exact, method == Method::bdf));
            CHECK(std::abs(solution.final.state[0] - height) <=
                  1e-10 + 100 * std::numeric_limits<double>::epsilon() * height);
            CHECK(std::abs(solution.final.state[1]) <= 1e-8);
            CHECK(solution.events.size() < 2500);
          }
        }
      }
    }
  }
}

TEST_CASE("a ball whose first flight off a high table rounding would hide is at rest there") {
  // Once only, so that nothing tells of a series: the next flight would be 1e-18 high.
  const System system =
      falling_down().with_events({reset("table", component(0, 1000), Direction::falling, thrown_back(1e-9))});
  const Solution solution = run(system, {1001, 0}, 5);
  CHECK(solution.outcome.status == Status::zeno);
  CHECK(solution.outcome.t == doctest::Approx(std::sqrt(2 / kGravity)).epsilon(1e-6));
  CHECK(std::abs(solution.final.state[0] - 1000) < 1e-9);
}

TEST_CASE("flights that rounding hides and that do not get lower stop the run, with a message") {
  const System system =
      falling_down().with_events({reset("table", component(0, 1e6), Direction::falling, thrown_back(1))});
  const Solution solution = run(system, {1e6 + 1e-7, 0}, 5, with(Method::dop853, 1e-10));
  CHECK(solution.outcome.status == Status::chattering);
  CHECK(contains(solution.outcome.message, "leaves zero by"));
  CHECK(std::abs(solution.final.state[0] - 1e6) < 1e-6);
}

TEST_CASE("what takes no part in an accumulation is integrated to its limit") {
  // Beside a ball on a high table that keeps 0.99 of its speed: an oscillator, a clock that a record reads, another ball.
  constexpr double height = 1e6, e = 0.99, frequency = 200;
  const double exact = std::sqrt(2 / kGravity) * (1 + e) / (1 - e);
  for (const Kind kind : {Kind::resets, Kind::contacts}) {
    for (const double rtol : {1e-6, 1e-10}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(rtol);
      System system = smooth(6, [](auto, const auto& x, auto&& dx) {
        dx[0] = x[1];
        dx[1] = -kGravity;
        dx[2] = frequency * x[3];
        dx[3] = -frequency * x[2];
        dx[4] = x[5];
        dx[5] = -kGravity;
      });
      const Event other = reset("other", component(4), Direction::falling, [](VectorRef x) { x[5] *= -1; });
      const Event first = reset("table", component(0, height), Direction::falling, thrown_back(e));
      if (kind == Kind::resets) {
        system = system.with_events({first, other});
      } else {
        system =
            system.with_events({other}).with_contacts({contact("table", component(0, height), {{1, 1}}, e)});
      }
      // Relative errors of the states that count, not of the height.
      Options options = with(Method::dop853, rtol);
      options.recording = Recording::nothing;
      const Solution solution = run(system, {height + 1, 0, 1, 0, 1, 0}, exact + 1, options);
      REQUIRE(count(solution, EventKind::zeno) == 1);
      const double t = solution.final.t;
      CHECK(std::abs(solution.final.state[2] - std::cos(frequency * t)) < 3e5 * rtol);
      const double fall = std::sqrt(2 / kGravity);
      const double within = t - 2 * fall * std::round(t / (2 * fall));
      CHECK(std::abs(solution.final.state[4] - (1 - kGravity * within * within / 2)) < 1e4 * rtol);
      const auto limit = std::find_if(solution.events.begin(), solution.events.end(),
                                      [](const EventRecord& event) { return event.kind == EventKind::zeno; });
      CHECK(std::abs(limit->t - exact) < resolved(height, e, rtol, exact));
      // The other ball has bounced as often as it should, at its times.
      double worst = 0;
      int bounces = 0;
      for (const EventRecord& event : solution.events) {
        if (event.name != "other") continue;
        worst = std::max(worst, std::abs(event.t - fall * (2 * bounces++ + 1)));
      }
      CHECK(bounces == static_cast<int>(std::floor((t / fall + 1) / 2)));
      CHECK(worst < 1e4 * rtol);
    }
  }
}

TEST_CASE(
    "what takes no part in an accumulation is integrated to its limit where the clock shows a late time") {
  // The last bounces that a clock at 10,000 resolves leave 2e-8 to the limit.
  constexpr double start = 1e4, rate = -0.5;
  const System system = smooth(3, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -4;
    dx[2] = rate + 0.0 * x[2];
  });
  const System ball =
      system.with_events({reset("table", component(0), Direction::falling, thrown_back(0.1))});
  for (const Method method : {Method::automatic, Method::bdf, Method::adams, Method::rodas}) {
    CAPTURE(to_string(method));
    const Solution solution = Simulator(ball, with(method, 1e-12))
                                  .run({.start = start, .end = start + 1, .state = Vector{{0, 0.4, 0}}});
    REQUIRE(solution.outcome.status == Status::zeno);
    CHECK(std::abs(solution.final.state[2] - rate * (solution.final.t - start)) < 1e-11);
  }
}

TEST_CASE(
    "balls that come to rest at different times do so at their own, thrown back by resets of one location") {
  constexpr double height = 100;
  constexpr std::array<double, 3> restitution = {0.5, 0.6, 0.55};
  for (const Method method : {Method::automatic, Method::bdf, Method::dop853}) {
    CAPTURE(std::string(to_string(method)));
    System system = smooth(6, [](auto, const auto& x, auto&& dx) {
      for (Index k = 0; k < 3; ++k) {
        dx[2 * k] = x[2 * k + 1];
        dx[2 * k + 1] = -kGravity;
      }
    });
    std::vector<Contact> contacts;
    for (Index k = 0; k < 3; ++k)
      contacts.push_back(contact("floor" + std::to_string(k), component(2 * k, height), {{2 * k + 1, 1}},
                                 restitution[static_cast<std::size_t>(k)]));
    Vector start(6);
    for (Index k = 0; k < 3; ++k) {
      start[2 * k] = height + 1 + 0.1 * static_cast<double>(k);
      start[2 * k + 1] = 0;
    }
    const Solution solution = run(system.with_contacts(contacts), start, 4, with(method, 1e-8));
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(count(solution, EventKind::zeno) == 3);
    for (const EventRecord& event : solution.events) {
      if (event.kind != EventKind::zeno) continue;
      const auto k = static_cast<std::size_t>(event.name->back() - '0');
      const double e = restitution[k];
      const double exact = std::sqrt(2 * (1 + 0.1 * static_cast<double>(k)) / kGravity) * (1 + e) / (1 - e);
      CHECK(std::abs(event.t - exact) < 1e-5);
    }
    CHECK(solution.final.mode.word() == "000");
  }
}

TEST_CASE(
    "two tanks of one inflow run dry together at the exact time, whatever their levels are counted from") {
  // A tank that is filled gains 0.25, the other one loses 0.5; what is above the levels is gone after 1.6/0.25.
  for (const double level : {0.0, 1000.0, 1e6}) {
    const auto filling = [](Index filled) {
      return smooth(4, [filled](auto, const auto& x, auto&& dx) {
        for (Index k = 0; k < 2; ++k) dx[k] = k == filled ? 0.25 : -0.5;
        dx[2] = 200.0 * x[3];
        dx[3] = -200.0 * x[2];
      });
    };
    const System dry = smooth(4, [](auto, const auto& x, auto&& dx) {
      for (Index k = 0; k < 2; ++k) dx[k] = 0.0 * x[k];
      dx[2] = 200.0 * x[3];
      dx[3] = -200.0 * x[2];
    });
    std::vector<Edge> edges(2);
    for (Index k = 0; k < 2; ++k) {
      Edge& edge = edges[static_cast<std::size_t>(k)];
      edge.from = k == 0 ? "second" : "first";
      edge.to = k == 0 ? "first" : "second";
      edge.when = component(k, level);
      edge.direction = Direction::falling;
      edge.zeno = "dry";
    }
    for (const double rtol : {1e-4, 1e-8, 1e-12}) {
      CAPTURE(level);
      CAPTURE(rtol);
      const Automaton tanks({{"first", filling(0)}, {"second", filling(1)}, {"dry", dry}}, edges, "first");
      const Solution solution = run(tanks, {level + 0.6, level + 1, 1, 0}, 8, with(Method::dop853, rtol));
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      const EventRecord& last = solution.events.back();
      CHECK(last.kind == EventKind::zeno);
      CHECK(last.to_location == "dry");
      CHECK(std::abs(last.t - 6.4) <= std::stod(last.reason.substr(last.reason.find("within ") + 7)));
      for (Index k = 0; k < 2; ++k)
        CHECK(std::abs(solution.final.state[k] - level) <=
              1e-11 + 100 * std::numeric_limits<double>::epsilon() * level);
      CHECK(std::abs(solution.final.state[2] - std::cos(1600.0)) < 1e4 * rtol);
    }
  }
}

TEST_CASE("a count of bounces, which has no limit, stays what it is where they accumulate") {
  const System system =
      falling_down(3).with_events({reset("table", component(0, 10), Direction::falling, [](VectorRef x) {
        x[1] *= -0.5;
        x[2] += 1;
      })});
  const Solution solution = run(system, {11, 0, 0}, 5);
  REQUIRE(solution.outcome.status == Status::zeno);
  CHECK(solution.final.state[2] == static_cast<double>(count(solution, EventKind::reset)));
}

TEST_CASE("a spiral that keeps most of its size in a turn rests in its centre, wherever that is") {
  // Round (c, c) with speeds of 1 ∓ q: each quarter of a turn is (1 − q)/(1 + q) of the one before.
  for (const auto& [kept, centre] : {std::pair{0.5, 0.4}, {0.98, 0.0}, {0.98, 1000.0}, {0.999, 0.4}}) {
    const double quarter = std::pow(kept, 0.25);
    const double q = (1 - quarter) / (1 + quarter);
    const System system = from_functor(
        [q](auto, const auto& x, const auto& lambda, auto&& dx) {
          dx[0] = lambda[1] - q * lambda[0];
          dx[1] = -lambda[0] - q * lambda[1];
          dx[2] = 3.0 * x[3];
          dx[3] = -3.0 * x[2];
        },
        [centre = centre](auto, const auto& x, auto&& h) {
          h[0] = x[0] - centre;
          h[1] = x[1] - centre;
        },
        {.states = 4, .surfaces = 2});
    const double first = 1 / (1 + q);
    const double exact = first + (1e-3 + (1 - q) * first) / (1 + q) / (1 - quarter);
    for (const double rtol : {1e-6, 1e-10, 1e-14}) {
      for (const Method method : {Method::automatic, Method::bdf}) {
        if (method == Method::bdf && (rtol < 1e-10 || kept > 0.99)) continue;
        if (kept > 0.99 && rtol != 1e-10) continue;
        CAPTURE(kept);
        CAPTURE(centre);
        CAPTURE(rtol);
        Options options = with(method, rtol);
        options.recording = Recording::nothing;
        const Solution solution = run(system, {centre + 1, centre - 1e-3, 1, 0}, exact + 1, options);
        REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
        REQUIRE(count(solution, EventKind::zeno) == 1);
        const EventRecord& last = solution.events.back();
        CHECK(last.kind == EventKind::zeno);
        CHECK(last.to->word() == "00");
        CHECK(std::abs(last.t - exact) < 1e-6 + 10 * rtol * exact);
        // The bound that it states is one.
        const std::size_t place = last.reason.find("within ");
        REQUIRE(place != std::string::npos);
        CHECK(std::abs(last.t - exact) <= std::stod(last.reason.substr(place + 7)));
        CHECK(std::abs(solution.final.state[0] - centre) <= 1e-12 * centre + 1e-15);
        if (method == Method::automatic)
          CHECK(std::abs(solution.final.state[2] - std::cos(3 * (exact + 1))) < 1e5 * rtol + 1e-9);
      }
    }
  }
}

namespace {

// A ball on a moving floor, one between a floor and a roof, and one that is free, in other units of time and of length.
System three_balls(double time, double length) {
  System system = smooth(6, [=](auto, const auto& x, auto&& dx) {
    const double pull[] = {-2.4789, -9.1962, -2.8704};
    for (Index k = 0; k < 3; ++k) dx[k] = x[3 + k] / time;
    dx[3] = (pull[0] * length - 0.1 * x[3] - 2.3203 * x[0]) / time;
    dx[4] = (pull[1] * length - 0.1 * x[4] - 0.5 * (x[1] - x[0])) / time;
    dx[5] = pull[2] * length / time;
  });
  const Guard moving([=](auto t, const auto& x) {
    using std::sin;
    return x[0] - 0.307 * length * sin(2.65 * t / time + 3.92);
  });
  const Guard roof([=](auto, const auto& x) { return 3.66 * length - x[1]; });
  return system.with_contacts({contact("floor1", moving, {{3, 1 / time}}, 0.058),
                               contact("floor2", component(1), {{4, 1 / time}}, 0.651),
                               contact("roof2", roof, {{4, -1 / time}}, 0.5),
                               contact("floor3", component(2), {{5, 1 / time}}, 0.5)});
}

// The events that last: without the bounces just before a limit, whose number depends on the tolerances.
std::string lasting(const Solution& solution, double time) {
  std::string text;
  const EventLog& events = solution.events;
  for (std::size_t k = 0; k < events.size(); ++k) {
    bool is_tail = false;
    for (std::size_t next = k + 1; next < events.size(); ++next)
      is_tail =
          is_tail || (events[k].kind != EventKind::zeno && events[next].kind == EventKind::zeno &&
                      events[next].name == events[k].name && events[next].t - events[k].t < 0.05 * time);
    if (!is_tail) text += std::string(to_string(events[k].kind)) + " " + events[k].name.value_or("") + ", ";
  }
  return text;
}

}  // namespace

TEST_CASE("balls beside each other bounce and rest in the same order in all units of time and length") {
  std::string expected;
  const auto check = [&](Method method, double rtol, double time, double length) {
    CAPTURE(std::string(to_string(method)));
    CAPTURE(rtol);
    CAPTURE(time);
    CAPTURE(length);
    Options options = with(method, rtol);
    options.atol = 0.01 * rtol * length;
    options.recording = Recording::nothing;
    const Vector start = length * vector({2.782, 1.221, 2.217, 0.365, 1.724, 0.854});
    const Solution solution = run(three_balls(time, length), start, 4 * time, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    if (expected.empty()) expected = lasting(solution, time);
    CHECK(lasting(solution, time) == expected);
    // The free ball falls, and bounces with half its speed.
    const double g = 2.8704, v = 0.854, hit = std::sqrt(v * v + 2 * g * 2.217);
    double t = (v + hit) / g, speed = hit;
    for (const EventRecord& event : solution.events) {
      if (event.kind != EventKind::impact || event.name != "floor3") continue;
      CHECK(std::abs(event.t / time - t) < 1000 * rtol);
      speed *= 0.5;
      t += 2 * speed / g;
    }
    CHECK(t > 4);
  };
  for (const Method method : {Method::automatic, Method::bdf, Method::dop853}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) check(method, rtol, 1e4, 1);
  }
  for (const double rtol : {1e-6, 1e-10}) {
    for (const double time : {1e-3, 1.0, 10.0, 1e3, 1e6}) check(Method::automatic, rtol, time, 1);
    for (const double length : {1e-6, 1e6}) check(Method::automatic, rtol, 1, length);
  }
}
