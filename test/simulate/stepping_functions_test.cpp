// Functions that step again and again, saturate or remember: floor, ceil, round, mod, square, triangle, sawtooth, pulse, sat, deadzone,
// hysteresis, hypot. Beside closed forms.
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "slideway/model/check.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// y' = f, where c is a clock that is a state, and t is the time.
std::string integral_of(const std::string& f, double end) {
  return "[states]\nc = 0.0\ny = 0.0\n[time]\nend = " + std::to_string(end) +
         "\n[derivatives]\nc = \"1\"\ny = \"" + f + "\"\n";
}

// The integral from 0 to b, by a sum of midpoints on pieces that no jump falls into the inside of but a few.
double integral(const std::function<double(double)>& f, double b) {
  constexpr int pieces = 4'000'000;
  double sum = 0;
  for (int k = 0; k < pieces; ++k) sum += f((k + 0.5) * b / pieces);
  return sum * b / pieces;
}

double phase(double x) { return x - std::floor(x); }

}  // namespace

TEST_CASE("functions that step, of the time and of a state, have the integrals of their definitions") {
  struct Case {
    std::string text;  // of ARG
    std::function<double(double)> value;
  };
  const std::vector<Case> cases = {
      {"floor(1.3*ARG - 2.2)", [](double s) { return std::floor(1.3 * s - 2.2); }},
      {"ceil(2 - 0.9*ARG)", [](double s) { return std::ceil(2 - 0.9 * s); }},
      {"round(0.7*ARG)", [](double s) { return std::floor(0.7 * s + 0.5); }},
      {"mod(ARG, 0.8)", [](double s) { return 0.8 * phase(s / 0.8); }},
      {"mod(1 - ARG, -0.8)", [](double s) { return -0.8 * phase((1 - s) / -0.8); }},
      {"square(3*ARG + 1)", [](double s) { return std::sin(3 * s + 1) > 0 ? 1.0 : -1.0; }},
      {"square(1 - 3*ARG)", [](double s) { return std::sin(1 - 3 * s) > 0 ? 1.0 : -1.0; }},
      {"triangle(2*ARG + 0.3)",
       [](double s) { return 2 / std::numbers::pi * std::asin(std::sin(2 * s + 0.3)); }},
      {"sawtooth(2.5*ARG)", [](double s) { return 2 * phase(2.5 * s / (2 * std::numbers::pi)) - 1; }},
      {"pulse(4*ARG, 0.3)", [](double s) { return phase(4 * s / (2 * std::numbers::pi)) < 0.3 ? 1.0 : 0.0; }},
      {"sat(ARG - 2, -0.5, 1)", [](double s) { return std::min(std::max(s - 2, -0.5), 1.0); }},
      {"deadzone(ARG - 2, -0.5, 1)", [](double s) { return s - 2 - std::min(std::max(s - 2, -0.5), 1.0); }},
      {"hypot(ARG - 2, 0.5)", [](double s) { return std::hypot(s - 2, 0.5); }},
  };
  for (const Case& one : cases) {
    const double expected = integral(one.value, 5);
    for (const char* const argument : {"t", "c"}) {
      std::string text = one.text;
      text.replace(text.find("ARG"), 3, argument);
      CAPTURE(text);
      for (const Method method : {Method::automatic, Method::bdf, Method::adams}) {
        const Finished done = run(integral_of(text, 5), method, 1e-9);
        CHECK(done.solution.outcome.status == Status::reached_end);
        CHECK(std::abs(done.end(1) - expected) < 1e-5);
        const Vector lambda = Vector::Constant(done.instance.system.surfaces(), 0.3);
        CHECK(check_derivatives(done.instance.system, 0.37, done.instance.state, lambda).passed);
      }
    }
  }
}

TEST_CASE("steps of the time are time events at their exact times, without surfaces") {
  const Finished done = run(integral_of("floor(t/0.1)", 100), Method::dopri5, 1e-6);
  CHECK(done.instance.system.surfaces() == 0);
  CHECK(done.count(EventKind::sample) == 1001);
  std::size_t wrong = 0, k = 0;
  for (const EventRecord& event : done.solution.events)
    wrong += std::abs(event.t - static_cast<double>(k++) * 0.1) <= 4e-16 * event.t ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(done.end(1) == doctest::Approx(0.1 * 999 * 1000 / 2).epsilon(1e-12));
}

TEST_CASE("a step of a state is a surface, along which a solution slides") {
  for_all_methods(integral_of("0.25 - floor(y + 0*c)", 6), [](const Finished& done, double) {
    // From 0 it rises to 1 within 4, and stays there.
    CHECK(done.end(1) == doctest::Approx(1).epsilon(1e-9));
    CHECK(done.count(EventKind::sliding_entry) == 1);
  });
}

TEST_CASE("a step that a function only reaches is not passed") {
  // cos(y) reaches −1 at y = −π, where its floor is −1 as beside it. y' = y up to −π/2, and y − 1 behind it.
  // A crossing there moved the end by 1.6e-7 at rtol 1e-12. The largest error is 376·rtol, of bdf at 1e-12.
  const double half = std::numbers::pi / 2;
  const double there = std::log(half / 0.497);
  const std::string text =
      "[states]\ny = -0.497\n[time]\nend = 1.94\n[derivatives]\ny = \"y + floor(cos(y))\"\n";
  for_all_methods(text, {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}, [&](const Finished& finished, double rtol) {
    CHECK(finished.count(EventKind::crossing) == 1);
    CHECK(std::abs(finished.end(0) - (1 - (half + 1) * std::exp(1.94 - there))) < 1000 * rtol);
  });
}

TEST_CASE("after a jump the steps of a state are those where it has come to") {
  const Finished done = run(integral_of("floor(c)", 4) +
                            "[[resets]]\nwhen = \"c - 1.5\"\ndirection = \"rising\"\nset = "
                            "{ c = \"c + 7.2\" }\n");
  // c runs from 0 to 1.5, then from 8.7 on for 2.5.
  CHECK(done.end(1) == doctest::Approx(0.5 + 8 * 0.3 + 9 + 10 * 1 + 11 * 0.2).epsilon(1e-7));
}

TEST_CASE("a relay with hysteresis remembers its side") {
  for_all_methods("[states]\nx = 0.0\n[time]\nend = 10.2\n[derivatives]\nx = \"-hysteresis(x, -0.5, 0.5)\"\n",
                  [](const Finished& done, double) {
                    const std::vector<EventRecord> events(done.solution.events.begin(),
                                                          done.solution.events.end());
                    REQUIRE(events.size() == 10);
                    for (std::size_t k = 0; k < events.size(); ++k)
                      CHECK(events[k].t == doctest::Approx(0.5 + static_cast<double>(k)).epsilon(1e-9));
                    CHECK(done.end(0) == doctest::Approx(0.2).epsilon(1e-8));
                  });
}

TEST_CASE("steps in what a time event sets see the step of the same instant") {
  const Finished done = run(R"toml(
    [states]
    x = 0.0
    [discrete]
    n = 0.0
    wrong = 0.0
    [time]
    end = 1000.0
    [derivatives]
    x = "0"
    [[every]]
    period = 0.1
    set = { n = "n + 1", wrong = "wrong + abs(floor(t/0.1) - n)" }
  )toml",
                            Method::dopri5, 1e-6);
  CHECK(done.end(1) == 10001);
  CHECK(done.end(2) == 0);
}

TEST_CASE("models that differ in a parameter have the same states") {
  const Model model = parse_model(
      "[parameters]\nT = 0.5\n[states]\nx = 0.2\n[time]\nend = 2\n[definitions]\nunused = "
      "\"floor(3*x)\"\n[derivatives]\nx "
      "= \"mod(t, T) + floor(x)\"\n",
      "test.toml");
  CHECK(model.instantiate({}).system.state_names() == model.state_names);
  CHECK(model.instantiate({{"T", 0.7}}).system.state_names() == model.state_names);
  CHECK(model.state_names.size() == 3);
}
