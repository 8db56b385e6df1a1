#include "slideway/fmi/import.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "slideway/simulate/simulator.hpp"
#include "test/fmi/fmu_file.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using test::FmuOptions;

namespace {

Solution run_fmu(const FmuOptions& fmu, const Settings& settings = {}, double rtol = 1e-9) {
  const test::TemporaryFolder folder;
  test::write_fmu(folder / "model.fmu", fmu);
  const Model model = read_fmu(folder / "model.fmu");
  const ModelInstance instance = model.instantiate(settings);
  Options options;
  options.rtol = rtol;
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

// Both versions of the standard, with saved states and without.
template <class Check>
void for_all_kinds(FmuOptions fmu, const Check& check) {
  for (const int version : {2, 3})
    for (const bool saves_state : {true, false}) {
      CAPTURE(version);
      CAPTURE(saves_state);
      fmu.version = version;
      fmu.saves_state = saves_state;
      check(fmu);
    }
}

const FmuOptions ball = {
    .model = "ball", .states = {"h", "v"}, .indicators = 1, .discrete = 1, .parameter = 0.7};
const FmuOptions chatter = {.model = "chatter", .states = {"x", "y"}, .indicators = 1, .discrete = 1};
const FmuOptions cascade = {.model = "cascade", .states = {"x"}, .indicators = 1, .discrete = 2, .end = 3.5};
const FmuOptions liar = {.model = "liar", .states = {"x"}, .indicators = 1, .discrete = 1};

std::vector<EventRecord> jumps(const Solution& solution) {
  std::vector<EventRecord> found;
  for (const EventRecord& event : solution.events)
    if (event.kind == EventKind::reset) found.push_back(event);
  return found;
}

}  // namespace

TEST_CASE("a ball that an event puts exactly onto the floor goes on from there, and rests at the end") {
  const FmuOptions fmu = {.model = "resting_ball",
                          .states = {"h", "v"},
                          .indicators = 1,
                          .discrete = 1,
                          .parameter = 0.7,
                          .end = 3};
  for_all_kinds(fmu, [](const FmuOptions& kind) {
    const Solution solution = run_fmu(kind);
    CHECK(solution.outcome.succeeded());
    CHECK(solution.outcome.t == 3);
    // It bounces with 0.7 of its speed until that is below 0.1: √(2 g) 0.7¹¹ is 0.0876.
    const double speed = std::sqrt(2 * 9.81);
    double t = speed / 9.81, v = speed;
    std::vector<double> times;
    for (int k = 1; k <= 11; ++k) {
      times.push_back(t);
      v *= 0.7;
      t += 2 * v / 9.81;
    }
    const std::vector<EventRecord> bounces = jumps(solution);
    REQUIRE(bounces.size() >= times.size());
    for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(bounces[k].t - times[k]) < 1e-8);
    CHECK(solution.final.state[0] == 0);
    CHECK(solution.final.state[1] == 0);
  });
}

TEST_CASE("a bouncing ball of an FMU bounces at the times of the formula") {
  for_all_kinds(ball, [](FmuOptions fmu) {
    fmu.end = 1.9;
    const Solution solution = run_fmu(fmu);
    CHECK(solution.outcome.succeeded());
    // It falls for √(2/g), and flies for 2 e v/g after a bounce with v = √(2 g).
    const double g = 9.81, e = 0.7;
    double t = std::sqrt(2 / g), v = std::sqrt(2 * g);
    const std::vector<EventRecord> found = jumps(solution);
    REQUIRE(found.size() == 4);
    for (const EventRecord& event : found) {
      CHECK(event.t == doctest::Approx(t).epsilon(1e-9));
      v *= e;
      CHECK(event.after[1] == doctest::Approx(v).epsilon(1e-8));
      t += 2 * v / g;
    }
  });
}

TEST_CASE("an FMU whose relation chatters slides, with the mean of its two sides") {
  for_all_kinds(chatter, [](const FmuOptions& fmu) {
    const Solution solution = run_fmu(fmu);
    CHECK(solution.outcome.succeeded());
    REQUIRE(solution.events.size() == 1);
    // x − y begins with 1/2 and falls by 7/2 in a unit of time.
    CHECK(solution.events[0].t == doctest::Approx(1.0 / 7).epsilon(1e-9));
    // The share a of the side x > y has a (−2 − 3/2) + (1 − a)(2 + 3) = 0, so a = 10/17 and x' = −2 a + 2 (1 − a) = −6/17.
    const double end = 1.5 - 2.0 / 7 - 6.0 / 17 * (1 - 1.0 / 7);
    CHECK(solution.final.state[0] == doctest::Approx(end).epsilon(1e-9));
    CHECK(solution.final.state[1] == doctest::Approx(end).epsilon(1e-9));
    CHECK(solution.final.mode.word() == "0");
  });
}

TEST_CASE("the hysteresis that a tool gives its relations keeps an FMU from no sliding") {
  FmuOptions fmu = chatter;
  fmu.parameter = 1e-10;
  const Solution solution = run_fmu(fmu, {{"p", 1e-10}});
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.events[0].t == doctest::Approx(1.0 / 7).epsilon(1e-9));
  CHECK(solution.final.mode.word() == "0");
}

TEST_CASE("an event indicator that is 1 or -1 is bisected, and the solution slides along it") {
  for_all_kinds({.model = "signs", .states = {"x", "y"}, .indicators = 1, .discrete = 1},
                [](const FmuOptions& fmu) {
                  const Solution solution = run_fmu(fmu);
                  CHECK(solution.outcome.succeeded());
                  REQUIRE(solution.events.size() == 1);
                  // x + y/2 = 1 − 3/2 t; along it −2 λ + 1/2 = 0, so λ = 1/4, and x' = −1/2.
                  CHECK(solution.events[0].t == doctest::Approx(2.0 / 3).epsilon(1e-7));
                  CHECK(solution.final.mode.word() == "0");
                  CHECK(solution.final.state[0] == doctest::Approx(-0.5).epsilon(1e-7));
                  CHECK(solution.final.state[1] == doctest::Approx(1.0).epsilon(1e-9));
                });
}

TEST_CASE("updates of discrete states go on to their fixed point") {
  for_all_kinds(cascade, [](const FmuOptions& fmu) {
    const Solution solution = run_fmu(fmu);
    CHECK(solution.outcome.succeeded());
    const std::vector<EventRecord> found = jumps(solution);
    REQUIRE(found.size() == 3);
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(found[k].t == doctest::Approx(0.75 + static_cast<double>(k)).epsilon(1e-9));
    CHECK(solution.final.state[0] == doctest::Approx(0.75).epsilon(1e-9));
  });
}

TEST_CASE("a cascade of updates without an end ends the run with a sentence") {
  const Outcome outcome = run_fmu(cascade, {{"p", 1}}).outcome;
  CHECK(outcome.status == Status::user_function_failed);
  CHECK(outcome.message.find("still asks for another one after 1000 updates") != std::string::npos);
}

TEST_CASE("time events of an FMU are met, each at its time") {
  for_all_kinds({.model = "clock", .states = {"x"}, .discrete = 2, .end = 1.1}, [](const FmuOptions& fmu) {
    const Solution solution = run_fmu(fmu);
    const std::vector<EventRecord> found = jumps(solution);
    REQUIRE(found.size() == 4);
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(found[k].t == doctest::Approx(0.25 * static_cast<double>(k + 1)).epsilon(1e-14));
    CHECK(solution.final.state[0] == doctest::Approx(0.1).epsilon(1e-9));
  });
}

TEST_CASE("an FMU that asks for the end of the run ends it") {
  const Solution solution =
      run_fmu({.model = "clock", .states = {"x"}, .discrete = 2, .end = 2}, {{"p", 0.5}});
  CHECK(solution.outcome.t == doctest::Approx(0.5).epsilon(1e-12));
}

TEST_CASE(
    "a controller whose set point jumps keeps its integral at the limit, and slides along it until the error "
    "lets it go") {
  const FmuOptions fmu = {
      .model = "windup", .states = {"T", "I"}, .indicators = 3, .discrete = 4, .parameter = 1.5, .end = 12};
  for_all_kinds(fmu, [](const FmuOptions& one) {
    for (const double rtol : {1e-5, 1e-9}) {
      CAPTURE(rtol);
      const Solution solution = run_fmu(one, {}, rtol);
      REQUIRE(solution.outcome.succeeded());
      // T = 2(1 - exp(-t)) at the upper limit, which ends at T = 1/3.
      CHECK(solution.events.front().t == doctest::Approx(std::log(1.2)).epsilon(10 * rtol));
      std::vector<EventRecord> slides;
      for (const EventRecord& event : solution.events)
        if (event.kind == EventKind::sliding_entry || event.kind == EventKind::sliding_exit)
          slides.push_back(event);
      REQUIRE(slides.size() == 2);
      // T decays from the jump on; I rests until 1.5(0.2 - T) + I is zero, and the limit lets go at T = 0.5.
      const Vector x = solution.trajectory(6);
      CHECK(slides[0].t == doctest::Approx(6 + std::log(x[0] / (0.2 + x[1] / 1.5))).epsilon(10 * rtol));
      CHECK(slides[1].t == doctest::Approx(6 + std::log(x[0] / 0.5)).epsilon(10 * rtol));
      CHECK(std::abs(solution.final.state[0] - 0.2) < 1e-4);
    }
  });
}

TEST_CASE("an indicator whose event counts is an event, and no surface to slide on") {
  for_all_kinds({.model = "counter", .states = {"x", "y"}, .indicators = 1, .discrete = 2, .end = 20},
                [](const FmuOptions& fmu) {
                  const test::TemporaryFolder folder;
                  test::write_fmu(folder / "model.fmu", fmu);
                  const ModelInstance instance = read_fmu(folder / "model.fmu").instantiate({});
                  const Solution solution = Simulator(instance.problem(), {.rtol = 1e-9})
                                                .run({.start = 0, .end = 20, .state = instance.state});
                  // x = cos t has zeros at π/2 + k π; at every second one it becomes positive.
                  const std::vector<EventRecord> found = jumps(solution);
                  REQUIRE(found.size() == 6);
                  for (std::size_t k = 0; k < 6; ++k)
                    CHECK(found[k].t ==
                          doctest::Approx((static_cast<double>(k) + 0.5) * std::acos(-1.0)).epsilon(1e-7));
                  const Observables seen = instance.observables({"d1", "x"});
                  Vector values(2);
                  seen.evaluate(20, solution.final.state, Vector::Ones(1), Vector(), values);
                  CHECK(values[0] == 3);
                  CHECK(values[1] == doctest::Approx(std::cos(20.0)).epsilon(1e-6));
                });
}

TEST_CASE(
    "an indicator without an effect at first, and a relation that is strict, switch a thermostat at its "
    "thresholds") {
  for_all_kinds(
      {.model = "hysteresis", .states = {"x"}, .indicators = 2, .discrete = 1, .end = 5},
      [](const FmuOptions& fmu) {
        // From 0.5 on x rises as 3 − 2.5·e^−t, and then goes to and fro between 2 and 1, each in ln 2.
        const Solution solution = run_fmu(fmu);
        CHECK(solution.outcome.succeeded());
        const std::vector<EventRecord> found = jumps(solution);
        REQUIRE(found.size() == 6);
        for (std::size_t k = 0; k < found.size(); ++k)
          CHECK(found[k].t ==
                doctest::Approx(std::log(2.5) + static_cast<double>(k) * std::log(2.0)).epsilon(1e-8));
        const double rest = 5 - found.back().t;
        CHECK(solution.final.state[0] == doctest::Approx(3 - 2 * std::exp(-rest)).epsilon(1e-8));
      });
}

TEST_CASE("start values and parameters of an FMU are settings by name") {
  for_all_kinds(ball, [](const FmuOptions& fmu) {
    const Solution solution = run_fmu(fmu, {{"h", 2}, {"p", 0.5}});
    const std::vector<EventRecord> found = jumps(solution);
    REQUIRE(found.size() == 1);
    CHECK(found[0].t == doctest::Approx(std::sqrt(4 / 9.81)).epsilon(1e-9));
    CHECK(found[0].after[1] == doctest::Approx(0.5 * std::sqrt(4 * 9.81)).epsilon(1e-8));
  });
  CHECK_THROWS_WITH_AS(run_fmu(ball, {{"g", 2}}), doctest::Contains("there is no parameter or state 'g'"),
                       std::invalid_argument);
}

TEST_CASE("an FMU that fails ends the run with what it says") {
  const auto message_of = [](double how) { return run_fmu(liar, {{"p", how}}).outcome.message; };
  CHECK(message_of(2).find("(the FMU says: [error] the model has no solution here)") != std::string::npos);
  CHECK(message_of(4).find("ended with the status fatal") != std::string::npos);
  CHECK_THROWS_WITH_AS(run_fmu(liar, {{"p", 5}}), doctest::Contains("ended with the status error"),
                       std::runtime_error);
  const Outcome no_indicator = run_fmu(liar, {{"p", 3}}).outcome;
  CHECK_FALSE(no_indicator.succeeded());
  CHECK(no_indicator.message.find("event indicator 'z0' is no number") != std::string::npos);
  for (const double how : {1, 6}) {
    CAPTURE(how);
    const Outcome outcome = run_fmu(liar, {{"p", how}}).outcome;
    CHECK_FALSE(outcome.succeeded());
    CHECK(outcome.t == doctest::Approx(0.5).epsilon(1e-3));
  }
}
