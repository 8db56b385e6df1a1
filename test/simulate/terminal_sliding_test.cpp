// Points that the solution comes to in finite time along what slides, and surfaces on which it stays with more than one derivative.
#include <doctest/doctest.h>

#include <cmath>

#include "test/simulate/model_text.hpp"

namespace slideway {
namespace {

using test::Finished;
using test::for_all_methods;
using test::run;

const std::string kTwoStates = "[states]\nx = 1\ny = 0\n[derivatives]\nx = \"y\"\n";
const std::string kTerminal = "sgn(y + sqrt(abs(x))*sgn(x))\"\n";

// Whether the last flights or their limit are seen is up to the tolerances.
const EventRecord& last_entry(const Finished& finished) {
  const EventRecord* found = nullptr;
  for (const EventRecord& event : finished.solution.events)
    if (event.kind == EventKind::sliding_entry || event.kind == EventKind::zeno) found = &event;
  REQUIRE(found);
  return *found;
}

// Where 2·t = √(1 − t²) the surface is met, and √x falls by a half per unit of time from there.
TEST_CASE("terminal sliding comes to the origin in finite time and stays there") {
  for_all_methods(
      kTwoStates + "y = \"-2*" + kTerminal + "[time]\nend = 4\n", [](const Finished& finished, double rtol) {
        REQUIRE(finished.solution.events.size() == 2);
        CHECK(finished.solution.events[0].t == doctest::Approx(1 / std::sqrt(5.0)).epsilon(100 * rtol));
        CHECK(finished.solution.events[1].t == doctest::Approx(std::sqrt(5.0)).epsilon(3 * std::sqrt(rtol)));
        CHECK(finished.solution.events[1].surfaces.size() == 2);
        CHECK(finished.end(0) == 0);
        CHECK(finished.end(1) == 0);
        CHECK(finished.solution.final.mode.word() == "000");
      });
}

TEST_CASE("what came to the origin by terminal sliding leaves it when the disturbance outgrows the relay") {
  for_all_methods(kTwoStates + "y = \"0.4*t - 2*" + kTerminal + "[time]\nend = 7\n",
                  [](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() >= 3);
                    const EventRecord& exit = finished.solution.events[2];
                    CHECK(exit.kind == EventKind::sliding_exit);
                    CHECK(exit.t == doctest::Approx(5).epsilon(100 * rtol));
                    CHECK(exit.surfaces.size() == 3);
                    CHECK(finished.end(0) == doctest::Approx(0.4 * 8 / 6).epsilon(1000 * rtol));
                    CHECK(finished.end(1) == doctest::Approx(0.8).epsilon(1000 * rtol));
                  });
}

TEST_CASE("a run that begins where terminal sliding ends stays there as long as the relay holds") {
  const std::string text =
      "[states]\nx = 0\ny = 0\n[derivatives]\nx = \"y\"\ny = \"0.4*t - 2*" + kTerminal + "[time]\nend = 8\n";
  for_all_methods(text, [](const Finished& finished, double rtol) {
    CHECK(finished.solution.initial.mode.word() == "000");
    REQUIRE(!finished.solution.events.empty());
    CHECK(finished.solution.events[0].t == doctest::Approx(5).epsilon(100 * rtol));
    CHECK(finished.end(0) == doctest::Approx(0.4 * 27 / 6).epsilon(1000 * rtol));
    CHECK(finished.end(1) == doctest::Approx(1.8).epsilon(1000 * rtol));
  });
}

TEST_CASE("two masses come to rest by terminal sliding one after the other") {
  const std::string text = "[states]\nx = 1\ny = 0\nu = 4\nv = 0\n[derivatives]\nx = \"y\"\ny = \"-2*" +
                           kTerminal +
                           "u = \"v\"\nv = \"-2*sgn(v + sqrt(abs(u))*sgn(u))\"\n[time]\nend = 6\n";
  for_all_methods(text, [](const Finished& finished, double rtol) {
    REQUIRE(finished.solution.events.size() == 4);
    CHECK(finished.solution.events[2].t == doctest::Approx(std::sqrt(5.0)).epsilon(3 * std::sqrt(rtol)));
    CHECK(finished.solution.events[3].t == doctest::Approx(2 * std::sqrt(5.0)).epsilon(3 * std::sqrt(rtol)));
    CHECK(finished.solution.final.state.isZero(0));
  });
}

// The events of others put a state onto its surface near the cusp, where Newton's steps go too far.
TEST_CASE("of forty masses that come to rest by terminal sliding none keeps another from it") {
  std::string states = "[states]\n";
  std::string derivatives = "[derivatives]\n";
  for (int i = 0; i < 40; ++i) {
    const std::string k = std::to_string(i);
    states += "x" + k + " = " + std::to_string(0.5 + 0.01 * i) + "\ny" + k + " = 0\n";
    derivatives += "x" + k + " = \"y" + k + "\"\ny" + k + " = \"0.3*sin(t + " + k + ") - 2*sgn(y" + k +
                   " + sqrt(abs(x" + k + "))*sgn(x" + k + "))\"\n";
  }
  for (const double rtol : {1e-6, 1e-8}) {
    CAPTURE(rtol);
    const Finished finished = run(states + derivatives + "[time]\nend = 4\n", Method::dopri5, rtol);
    REQUIRE(finished.solution.outcome.succeeded());
    CHECK(finished.solution.events.size() == 80);
    CHECK(finished.solution.final.state.isZero(0));
  }
}

// With the guard x + |y|^(3/2)·sgn y, x^(1/3) falls by a third per unit of time from where 1 − t² = (2t)^(3/2).
TEST_CASE("non-singular terminal sliding ends where its own relay has no part in the speed") {
  double met = 0.4;
  for (int turn = 0; turn < 50; ++turn) {
    const double h = 1 - met * met - std::pow(2 * met, 1.5);
    met -= h / (-2 * met - 3 * std::sqrt(2 * met));
  }
  const double end = met + 3 * std::cbrt(1 - met * met);
  for_all_methods(kTwoStates + "y = \"-2*sgn(x + abs(y)^1.5*sgn(y))\"\n[time]\nend = 5\n",
                  [&](const Finished& finished, double rtol) {
                    REQUIRE(finished.solution.events.size() == 2);
                    CHECK(finished.solution.events[0].t == doctest::Approx(met).epsilon(100 * rtol));
                    CHECK(finished.solution.events[1].t == doctest::Approx(end).epsilon(3 * std::sqrt(rtol)));
                    CHECK(finished.end(0) == 0);
                    CHECK(finished.end(1) == 0);
                  });
}

TEST_CASE("a term of the field that is infinite at the origin does not keep the solution from it") {
  const std::string text =
      kTwoStates +
      "y = \"0.3*sin(t) - 1.5*sgn(y + abs(x)^0.6*sgn(x)) - 0.6*abs(x)^(-0.4)*y\"\n[time]\nend = 5\n";
  for_all_methods(text, [](const Finished& finished, double rtol) {
    // Rodas takes the field to be smooth, and at loose tolerances comes to rest beside the origin.
    if (finished.method == Method::rodas && rtol > 1e-5) {
      CHECK(std::abs(finished.end(0)) < 1e-10);
      CHECK(std::abs(finished.end(1)) < 1e-10);
      return;
    }
    CHECK(finished.solution.events.size() == 2);
    CHECK(finished.end(0) == 0);
    CHECK(finished.end(1) == 0);
  });
}

const std::string kDifferentiator =
    "[states]\nz0 = 0.5\nz1 = 0.2\nz2 = 0.1\n[time]\nend = 8\n[definitions]\ne = \"z0 - sin(t)\"\n";

void check_derivatives_of_sine(const Finished& finished) {
  CHECK(last_entry(finished).t < 5);
  CHECK(finished.end(0) == doctest::Approx(std::sin(8.0)).epsilon(1e-9));
  CHECK(finished.end(1) == doctest::Approx(std::cos(8.0)).epsilon(1e-9));
  CHECK(finished.end(2) == doctest::Approx(-std::sin(8.0)).epsilon(1e-9));
}

// Levant 2003: from some time on the states are the signal and its derivatives, exactly.
TEST_CASE("a differentiator of second order slides in third order along its error") {
  const std::string text = kDifferentiator +
                           "[derivatives]\nz0 = \"-2.12*2^(1/3)*abs(e)^(2/3)*sgn(e) + z1\"\n"
                           "z1 = \"-3.06*2^(2/3)*abs(e)^(1/3)*sgn(e) + z2\"\nz2 = \"-2.2*sgn(e)\"\n";
  for_all_methods(text, [](const Finished& finished, double) { check_derivatives_of_sine(finished); });
}

TEST_CASE("a differentiator in its recursive form has one surface, and slides in third order along it") {
  const std::string text = kDifferentiator +
                           "v0 = \"-2*2^(1/3)*abs(e)^(2/3)*sgn(e) + z1\"\n"
                           "v1 = \"-1.5*sqrt(2)*sqrt(abs(z1 - v0))*sgn(z1 - v0) + z2\"\n"
                           "[derivatives]\nz0 = \"v0\"\nz1 = \"v1\"\nz2 = \"-2.2*sgn(z2 - v1)\"\n";
  for_all_methods(text, [](const Finished& finished, double) {
    CHECK(finished.instance.system.surfaces() == 1);
    check_derivatives_of_sine(finished);
  });
}

TEST_CASE("sliding of third order ends where the relay cannot hold the last derivative any more") {
  // The third derivative of the signal, 0.3·t, outgrows 1.5 at t = 5.
  const std::string text =
      "[states]\nz0 = 0.5\nz1 = 0.2\nz2 = 0.1\n[time]\nend = 6\n[definitions]\ne = \"z0 - 0.3*t^4/24\"\n"
      "[derivatives]\nz0 = \"-2.12*2^(1/3)*abs(e)^(2/3)*sgn(e) + z1\"\n"
      "z1 = \"-3.06*2^(2/3)*abs(e)^(1/3)*sgn(e) + z2\"\nz2 = \"-1.5*sgn(e)\"\n";
  for_all_methods(text, {1e-4, 1e-6}, [](const Finished& finished, double rtol) {
    bool left = false;
    for (const EventRecord& event : finished.solution.events) {
      if (event.kind != EventKind::sliding_exit) continue;
      left = true;
      CHECK(event.t == doctest::Approx(5).epsilon(100 * rtol));
      CHECK(event.after(2) == doctest::Approx(0.3 * 25 / 2).epsilon(100 * rtol));
    }
    CHECK(left);
    // An error of e gives one of its second derivative with the third root (Levant 2003, Theorem 6).
    const double times = finished.method == Method::rodas ? 10 : 5;
    CHECK(finished.end(2) == doctest::Approx(0.3 * 25 / 2 + 1.5).epsilon(times * std::cbrt(rtol / 100)));
  });
}

// Torres-González, Sanchez, Fridman and Moreno 2017: n makes up for the disturbance while x and its speed are zero.
TEST_CASE("a continuous twisting controller keeps two surfaces at zero with relays that do the same") {
  const std::string text =
      "[states]\nx = 1\ny = 0\nn = 0\n[time]\nend = 10\n[derivatives]\nx = \"y\"\n"
      "y = \"-7*abs(x)^(1/3)*sgn(x) - 5*sqrt(abs(y))*sgn(y) + n + 0.2*sin(t)\"\nn = \"u\"\n"
      "[definitions]\nu = \"-2.3*sgn(x) - 1.1*sgn(y)\"\n";
  for_all_methods(text, [](const Finished& finished, double) {
    const EventRecord& entry = last_entry(finished);
    CHECK(entry.t == doctest::Approx(2.13).epsilon(0.02));
    CHECK(entry.surfaces.size() == 2);
    CHECK(finished.end(0) == 0);
    CHECK(finished.end(1) == 0);
    CHECK(finished.end(2) == doctest::Approx(-0.2 * std::sin(10.0)).epsilon(1e-9));
    // What both relays do is shared between them.
    CHECK(finished.observed("u", 8) == doctest::Approx(-0.2 * std::cos(8.0)));
  });
}

TEST_CASE("a run goes on in third order where another one ended") {
  const std::string text = kDifferentiator +
                           "[derivatives]\nz0 = \"-2.12*2^(1/3)*abs(e)^(2/3)*sgn(e) + z1\"\n"
                           "z1 = \"-3.06*2^(2/3)*abs(e)^(1/3)*sgn(e) + z2\"\nz2 = \"-2.2*sgn(e)\"\n";
  const Finished first = run(text);
  const Finished then = run(text);
  const Solution second =
      Simulator(then.instance.problem(), Options{})
          .run(
              {.start = 8, .end = 9, .state = first.solution.final.state, .mode = first.solution.final.mode});
  REQUIRE(second.outcome.succeeded());
  CHECK(second.events.empty());
  CHECK(second.final.state(2) == doctest::Approx(-std::sin(9.0)).epsilon(1e-6));
}

}  // namespace
}  // namespace slideway
