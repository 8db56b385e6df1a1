// Static friction above the kinetic level: surfaces with a break-away ratio.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "hybrid.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x'' = k(Vt − x) − F for each of several blocks, k = 1, block i pulled at speeds[i].
struct PulledBlocks {
  std::vector<double> speeds;
  double kinetic = 0.6, at_rest = 1;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < h.size(); ++i) h[i] = x[2 * i + 1];
  }
  void break_away(auto, const auto&, auto&& ratios) const {
    for (Index i = 0; i < ratios.size(); ++i) ratios[i] = at_rest / kinetic;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < lambda.size(); ++i) {
      dx[2 * i] = x[2 * i + 1];
      dx[2 * i + 1] = speeds[static_cast<std::size_t>(i)] * t - x[2 * i] - kinetic * lambda[i];
    }
  }
};

System pulled(std::vector<double> speeds) {
  const auto count = static_cast<Index>(speeds.size());
  return from_functor(PulledBlocks{std::move(speeds)}, {.states = 2 * count, .surfaces = count});
}

// It breaks away when the spring holds Fs; with D = Fs − Fc the spring's length then is Fc + D cos s + V sin s, which has
// the speed V again, and the block none, when s = 2(π − atan(D/V)); then 2D/V pass until it holds Fs again.
std::vector<double> exact_times(double speed, double end) {
  const double drop = 0.4;
  const double slip = 2 * (std::numbers::pi - std::atan(drop / speed));
  std::vector<double> times;
  for (double t = 1 / speed; t < end; t += 2 * drop / speed) {
    times.push_back(t);
    if ((t += slip) < end) times.push_back(t);
  }
  return times;
}

// x'' = A sin t − F with Fc = 0.5 and Fs = 0.5(1.6 + 0.4 cos x): what holds depends on the place.
struct DrivenBody {
  double amplitude = 1.2;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void break_away(auto, const auto& x, auto&& ratios) const {
    using std::cos;
    ratios[0] = 1.6 + 0.4 * cos(3.0 * x[0]);
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = x[1];
    dx[1] = amplitude * sin(t) - 0.5 * lambda[0];
  }
};

// A block on the floor that carries another, both pushed back.
struct Carrier {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1] - x[0];
  }
  void break_away(auto, const auto&, auto&& ratios) const {
    ratios[0] = 2.0;
    ratios[1] = 1.2;
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = -2.0 - 0.5 * lambda[0] + 0.35 * lambda[1];
    dx[1] = -2.0 - 0.35 * lambda[1];
  }
};

// The same written out by hand: stick and slip as locations.
Automaton driven_by_hand(double amplitude) {
  const auto slip = [amplitude](double friction) {
    return smooth(2, [=](auto t, const auto& x, auto&& dx) {
      using std::sin;
      dx[0] = x[1];
      dx[1] = amplitude * sin(t) - friction;
    });
  };
  const System rest = smooth(2, [](auto, const auto&, auto&& dx) { dx[0] = dx[1] = 0.0; });
  const auto excess = [amplitude](double side) {
    return Guard([=](auto t, const auto& x) {
      using std::cos, std::sin;
      return side * amplitude * sin(t) - 0.5 * (1.6 + 0.4 * cos(3.0 * x[0]));
    });
  };
  const auto stop = [](double, ConstVectorRef, VectorRef after) { after[1] = 0; };
  return Automaton(
      {{"stick", rest}, {"forward", slip(0.5)}, {"back", slip(-0.5)}},
      {{.from = "stick", .to = "forward", .when = excess(1), .direction = Direction::rising},
       {.from = "stick", .to = "back", .when = excess(-1), .direction = Direction::rising},
       {.from = "forward",
        .to = "stick",
        .when = component(1),
        .direction = Direction::falling,
        .reset = stop},
       {.from = "back", .to = "stick", .when = component(1), .direction = Direction::rising, .reset = stop}},
      "stick");
}

// Surfaces that see each other: what one of them holds back, the other does not feel.
struct Coupled {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = ratios[1] = 2.0; }
  void field(auto t, const auto&, const auto& l, auto&& dx) const {
    dx[0] = -1.95 - t - l[0] + 0.5 * l[1];
    dx[1] = 2.0 + t - l[1] + 0.5 * l[0];
  }
};

struct Signs {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = 1 / 0.6; }
  void field(auto t, const auto& x, const auto& s, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = 0.2 * t - x[0] - (s[0] > 0 ? 0.6 : -0.6);
  }
};

struct Reversed {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = 2.0; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = 2.0 * cos(t) - 0.5 * lambda[0];
  }
};

struct TooWeak {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void break_away(auto t, const auto&, auto&& ratios) const { ratios[0] = 1.5 - t; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = 0.2 - lambda[0]; }
};

}  // namespace

TEST_CASE(
    "a block pulled by a spring breaks away when the spring holds the static friction and sticks again at "
    "rest") {
  const double end = 85;
  const std::vector<double> times = exact_times(0.2, end);
  for (const Method method : every_method) {
    double loose = 0, tight = 0;
    for (const double rtol : every_rtol) {
      const Solution solution = Simulator(pulled({0.2}), {.rtol = rtol, .method = method})
                                    .run({.start = 0, .end = end, .state = Vector::Zero(2)});
      CAPTURE(to_string(method));
      CAPTURE(rtol);
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(solution.events.size() == times.size());
      double worst = 0;
      for (std::size_t k = 0; k < times.size(); ++k) {
        const EventRecord& event = solution.events[k];
        CHECK(event.kind == (k % 2 == 0 ? EventKind::sliding_exit : EventKind::sliding_entry));
        CHECK(event.to->word() == (k % 2 == 0 ? "+" : "0"));
        worst = std::max(worst, std::abs(event.t - times[k]));
      }
      CHECK(worst <= 1000 * rtol * end);
      if (rtol == every_rtol.front()) loose = worst;
      if (rtol == every_rtol.back()) tight = worst;
      // λ is that of the equations: it goes up to Fs/Fc at rest, and is 1 in motion.
      CHECK(solution.events[1].lambda[0] < 1);
      CHECK(solution.trajectory.before(times[2] - 1e-3)[1] == doctest::Approx(0).epsilon(1e-12));
    }
    CHECK(tight <= std::max(1e-5 * loose, 1e-10));
  }
}

TEST_CASE("a ratio that depends on the place agrees with an automaton of stick and slip") {
  const System system = from_functor(DrivenBody{}, {.states = 2, .surfaces = 1});
  const Automaton by_hand = driven_by_hand(1.2);
  for (const Method method : every_method) {
    for (const double rtol : {1e-6, 1e-9}) {
      const Options options{.rtol = rtol, .method = method};
      const Run run{.start = 0, .end = 60, .state = Vector::Zero(2)};
      const Solution got = Simulator(system, options).run(run);
      const Solution expected = Simulator(by_hand, {.rtol = 1e-11, .method = Method::dopri5}).run(run);
      CAPTURE(to_string(method));
      REQUIRE(got.outcome.reached_end());
      REQUIRE(expected.outcome.reached_end());
      // By hand a block turned round is one that sticks for no time.
      std::vector<double> times;
      for (const EventRecord& event : expected.events) {
        if (times.empty() || event.t - times.back() > 1e-9) times.push_back(event.t);
      }
      REQUIRE(got.events.size() == times.size());
      CHECK(times.size() > 15);
      for (std::size_t k = 0; k < times.size(); ++k)
        CHECK(std::abs(got.events[k].t - times[k]) <= 1000 * rtol);
      CHECK((got.final.state - expected.final.state).norm() <= 1000 * rtol);
    }
  }
}

TEST_CASE("a force beyond the static friction at the moment of rest turns the block round without a stop") {
  // At v = 0 the drive is beyond -Fs = -1.
  const Solution solution = Simulator(from_functor(Reversed{}, {.states = 2, .surfaces = 1}), {.rtol = 1e-9})
                                .run({.start = 0, .end = 4, .state = Vector::Zero(2)});
  REQUIRE(solution.outcome.reached_end());
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.events[0].kind == EventKind::crossing);
  // 2 sin t = t/2
  CHECK(solution.events[0].t == doctest::Approx(2.474576787).epsilon(1e-8));
}

TEST_CASE("what breaks away lets go of its neighbour in the same instant") {
  const System system = from_functor(Coupled{}, {.states = 2, .surfaces = 2});
  for (const Method method : every_method) {
    const Solution solution = Simulator(system, {.rtol = 1e-8, .method = method})
                                  .run({.start = 0, .end = 2, .state = Vector::Zero(2)});
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 1);
    const EventRecord& event = solution.events[0];
    CHECK(event.t == doctest::Approx(0.95).epsilon(1e-9));
    CHECK(event.kind == EventKind::corner);
    CHECK(event.from->word() == "00");
    CHECK(event.to->word() == "-+");
    CHECK(event.surfaces.size() == 2);
    CHECK(solution.final.state[0] == doctest::Approx(-1.05 * (1.45 + 0.5 * 1.05 - 0.05)).epsilon(1e-7));
    CHECK(solution.final.state[1] == doctest::Approx(1.05 * (1.45 + 0.5 * 1.05)).epsilon(1e-7));
  }
}

TEST_CASE("a block that turns round without a stop keeps the block it carries") {
  // Held at rest the lower one would need so much friction that the upper one let go; but it is never held.
  for_every_method([](const Options& options) {
    const Solution solution = run(from_functor(Carrier{}, {.states = 2, .surfaces = 2}), {1, 1}, 1, options);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 1);
    const EventRecord& turn = solution.events[0];
    CHECK(turn.kind == EventKind::crossing);
    CHECK(turn.surfaces == std::vector<Index>{0});
    CHECK(turn.from->word() == "+0");
    CHECK(turn.to->word() == "-0");
    CHECK(error(turn.t, 4.0 / 9) < 10 * options.rtol);
    CHECK(error(solution.final.state[1], -1.75 * 5 / 9) < 10 * options.rtol);
  });
}

TEST_CASE("a ratio below one is refused with its surface and time") {
  const System system = from_functor(TooWeak{}, {.states = 1, .surfaces = 1, .surface_names = {"stick"}});
  const Solution solution = Simulator(system).run({.start = 0, .end = 2, .state = Vector::Zero(1)});
  CHECK(solution.outcome.status == Status::user_function_failed);
  CHECK(solution.outcome.message.find("the break-away ratio of surface 'stick'") != std::string::npos);
  CHECK(solution.outcome.message.find("expected a finite number >= 1") != std::string::npos);
}

TEST_CASE("hundreds of blocks break away each at its own time") {
  std::vector<double> speeds;
  std::size_t expected = 0;
  for (int i = 0; i < 300; ++i) {
    speeds.push_back(0.2 + 0.001 * i);
    expected += exact_times(speeds.back(), 12).size();
  }
  const Solution solution =
      Simulator(pulled(speeds), {.rtol = 1e-7, .method = Method::dopri5, .recording = Recording::nothing})
          .run({.start = 0, .end = 12, .state = Vector::Zero(600)});
  REQUIRE(solution.outcome.reached_end());
  std::size_t changes = 0;
  for (const EventRecord& event : solution.events) changes += event.surfaces.size();
  CHECK(changes == expected);
}

TEST_CASE("a field given for the two signs may have a break-away ratio too") {
  const Solution solution = Simulator(from_signs(Signs{}, {.states = 2, .surfaces = 1}), {.rtol = 1e-9})
                                .run({.start = 0, .end = 20, .state = Vector::Zero(2)});
  const std::vector<double> times = exact_times(0.2, 20);
  REQUIRE(solution.events.size() == times.size());
  for (std::size_t k = 0; k < times.size(); ++k)
    CHECK(solution.events[k].t == doctest::Approx(times[k]).epsilon(1e-7));
}

// Held up to twice its sliding friction against a load of 2.5 sin(t/T), without derivatives of its own.
struct SwellingLoad {
  double time = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = 2.0; }
  void field(double t, ConstVectorRef, ConstVectorRef signs, VectorRef dx) const {
    dx[0] = (2.5 * std::sin(t / time) - signs[0]) / time;
  }
};

TEST_CASE("a block breaks away in runs of nanoseconds and of years") {
  const double left = std::asin(0.8);
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double time : {1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
      CAPTURE(time);
      const Solution solution = Simulator(from_signs(SwellingLoad{time}, {.states = 1, .surfaces = 1}),
                                          {.rtol = 1e-8, .method = method})
                                    .run({.start = 0, .end = 1.5 * time, .state = Vector::Zero(1)});
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.events[0].t == doctest::Approx(left * time).epsilon(1e-6));
      CHECK(solution.final.state[0] ==
            doctest::Approx(2.5 * (std::cos(left) - std::cos(1.5)) - (1.5 - left)).epsilon(1e-6));
    }
  }
}

namespace {

// Two blocks that a force of 2 presses together while another one moves them to and fro: they hold as much as both do.
struct PressedBlocks {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[2];
    h[1] = x[3];
  }
  void break_away(auto, const auto&, auto&& ratios) const {
    ratios[0] = 1.2;
    ratios[1] = 1.5;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = (2.0 + 0.7 * cos(t) - 0.25 * lambda[0]) / 0.7;
    dx[3] = (-2.0 - 0.2 * lambda[1]) / 1.3;
  }
};

struct BothBlocks {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void break_away(auto, const auto&, auto&& ratios) const { ratios[0] = (1.2 * 0.25 + 1.5 * 0.2) / 0.45; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = (0.7 * cos(t) - 0.45 * lambda[0]) / 2.0;
  }
};

}  // namespace

TEST_CASE("blocks that are pressed together hold as much at rest as each of them does") {
  const System pair =
      from_functor(PressedBlocks{}, {.states = 4, .surfaces = 2})
          .with_contacts({contact("between", Guard([](auto, const auto& x) { return 1.1 * (x[1] - x[0]); }),
                                  {{2, -1 / 0.7}, {3, 1 / 1.3}}, 0)});
  const System one = from_functor(BothBlocks{}, {.states = 1, .surfaces = 1});
  const Solution expected = run(one, {0.3}, 15, with(Method::dopri5, 1e-12));
  REQUIRE(expected.events.size() > 4);
  for (const Method method : every_method) {
    for (const double rtol : every_rtol) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(pair, {0, 0, 0.3, 0.3}, 15, with(method, rtol));
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      REQUIRE(solution.events.size() == expected.events.size());
      for (std::size_t k = 0; k < expected.events.size(); ++k) {
        CAPTURE(k);
        const std::string side = expected.events[k].to->word();
        CHECK(solution.events[k].to->word() == side + side + "0");
        CHECK(solution.events[k].t == doctest::Approx(expected.events[k].t).epsilon(1e-3));
      }
    }
  }
}

namespace {

// A belt carries a block forwards, then backwards: x'' = -k·x - F with F between -Fs_minus and Fs at rest.
const char* const both_ways = R"toml(
[parameters]
V = 0.25
[states]
x = 0.0
v = "V"
[time]
end = 12.0
[friction]
F = { law = "directional", velocity = "v - V", Fc = 0.5, Fc_minus = 0.3, Fs = 1.1, Fs_minus = 0.7 }
[derivatives]
x = "v"
v = "-x - F"
)toml";

}  // namespace

TEST_CASE("a block on a belt breaks away at the limit of the direction in which it is pulled") {
  // Held while x = Vt reaches the limit: on a belt that moves on, the force on the block is -F, so that F reaches -Fs_minus at x = 0.7;
  // it then slips backwards under +Fc_minus: x = 0.3 + 0.4·cos s + V·sin s until the speed is V again.
  for (const double speed : {0.25, -0.25}) {
    const double at_rest = speed > 0 ? 0.7 : 1.1;
    const double kinetic = speed > 0 ? 0.3 : 0.5;
    const double pace = 0.25;
    const double drop = at_rest - kinetic;
    const double slip = 2 * (std::numbers::pi - std::atan(drop / pace));
    const double breaks = at_rest / pace;
    const double sticks = breaks + slip;
    const double again = sticks + 2 * drop / pace;
    std::string text = both_ways;
    if (speed < 0) text.replace(text.find("0.25"), 4, "-0.25");
    for (const Method method : every_method) {
      for (const double rtol : {1e-5, 1e-8, 1e-11}) {
        const ModelInstance instance = parse_model(text, "t.toml").instantiate({});
        const Solution solution =
            Simulator(instance.problem(), with(method, rtol))
                .run({.start = instance.start, .end = instance.end, .state = instance.state});
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        REQUIRE(solution.outcome.reached_end());
        REQUIRE(solution.events.size() >= 2);
        CHECK(std::abs(solution.events[0].t - breaks) < 100 * rtol);
        CHECK(std::abs(solution.events[1].t - sticks) < 1000 * rtol);
        if (again < 12) {
          REQUIRE(solution.events.size() >= 3);
          CHECK(std::abs(solution.events[2].t - again) < 1000 * rtol);
        }
      }
    }
  }
}

TEST_CASE("a surface may hold more in one direction alone") {
  // -x'' = λ - a·t with λ in [-1, 2]: upwards the block starts at a·t = 2, downwards at 1.
  for (const double rate : {0.5, -0.5}) {
    const std::string text =
        "[states]\nx = 0.0\nv = 0.0\n[time]\nend = 5\n[surfaces]\nstick = { value = \"v\", "
        "break_away = { plus = 2 } }\n[derivatives]\nx = \"v\"\nv = \"" +
        std::to_string(rate) + "*t - sgn(stick)\"\n";
    const ModelInstance instance = parse_model(text, "t.toml").instantiate({});
    const Solution solution = Simulator(instance.problem(), with(Method::automatic, 1e-9))
                                  .run({.start = 0, .end = instance.end, .state = instance.state});
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 1);
    const double starts = rate > 0 ? 4 : 2;
    CHECK(solution.events[0].t == doctest::Approx(starts).epsilon(1e-12));
    const double s = 5 - starts;
    // v' = rate·(t - start) + what was held above 1.
    const double v = rate > 0 ? 0.25 * s * s + s : -0.25 * s * s;
    CHECK(solution.final.state[1] == doctest::Approx(v).epsilon(1e-8));
  }
}

TEST_CASE("the opposite of a velocity has its limits the other way round") {
  // Surfaces of v and of -v are one.
  const auto story_of = [](const std::string& guard, const std::string& side) {
    const std::string text =
        "[states]\nx = 0.0\nv = 0.0\nw = 0.0\n[time]\nend = 5\n[surfaces]\nstick = { value = \"" + guard +
        "\", break_away = { " + side +
        " = 2 } }\n[derivatives]\nx = \"v\"\nv = \"0.5*t - sgn(v)\"\nw = \"0*sgn(stick)\"\n";
    const ModelInstance instance = parse_model(text, "t.toml").instantiate({});
    return Simulator(instance.problem(), with(Method::automatic, 1e-9))
        .run({.start = 0, .end = instance.end, .state = instance.state})
        .events.front()
        .t;
  };
  CHECK(story_of("v", "plus") == doctest::Approx(4).epsilon(1e-12));
  CHECK(story_of("v", "minus") == doctest::Approx(2).epsilon(1e-12));
  CHECK(story_of("-v", "minus") == doctest::Approx(4).epsilon(1e-12));
  CHECK(story_of("-2*v", "plus") == doctest::Approx(2).epsilon(1e-12));
}
