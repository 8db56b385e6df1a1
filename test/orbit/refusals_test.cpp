// Guesses that make no sense, and searches that find nothing.
#include "test/orbit/found_orbit.hpp"

#include <functional>
#include <limits>

using namespace slideway;
using namespace slideway::test;

namespace {

const char* const spring = R"TOML(
[states]
x = 1.0
v = 0.0
[time]
end = 30.0
[derivatives]
x = "v"
v = "-x - 0.3*v + cos(2*t)"
[[records]]
name = "zero"
when = "x"
direction = "rising"
)TOML";

std::string refusal_of(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a period that is not that of the drive is refused") {
  const ModelInstance instance = instance_of(spring);
  CHECK(
      says(refusal_of([&] { driven_orbit(instance, 3.0, 2); }), "do not repeat themselves after the period"));
  const PeriodicOrbit orbit = driven_orbit(instance, kPi, 2);
  require_orbit(orbit);
  CHECK(orbit.signature == "record(zero)");
  const PeriodicOrbit twice = driven_orbit(instance, 2 * kPi, 2);
  require_orbit(twice);
  CHECK(twice.repeats == 2);
}

TEST_CASE("a guess that does not fit is refused with what was expected") {
  const ModelInstance instance = instance_of(spring);
  const Automaton problem = instance.problem();
  const auto refused = [&](const OrbitGuess& guess, const OrbitOptions& options = {}) {
    return refusal_of([&] { find_periodic_orbit(problem, guess, options); });
  };
  CHECK(says(refused({.period = 0, .state = instance.state}), "a finite number above 0"));
  CHECK(says(refused({.period = 1, .state = Vector::Zero(3)}), "2 finite numbers"));
  CHECK(says(refused({.period = 1, .state = instance.state}, {.shots = 65}), "1 to 64"));
  CHECK(says(refused({.period = 1, .state = instance.state}, {.max_iterations = 0}), "at least 1"));
}

TEST_CASE("an orbit through delayed resets is refused, with what can be done instead") {
  const ModelInstance instance = gallery_instance("delayed_relay", {});
  const std::string refusal =
      refusal_of([&] { find_periodic_orbit(instance.problem(), {.period = 4, .state = instance.state}); });
  CHECK(says(refusal, "got a delayed reset"));
  CHECK(says(refusal, "expected a system without delays"));
  CHECK(says(refusal, "take differences of runs"));
}

TEST_CASE("a section without enough arrivals and an unknown one are refused") {
  const ModelInstance instance = instance_of(spring);
  const Simulator simulator(instance.problem());
  const auto guess = [&](const std::string& name, double end, Index returns) {
    return refusal_of([&] {
      guess_at_section(simulator, {.start = 0, .end = end, .state = instance.state}, {.name = name}, returns);
    });
  };
  CHECK(says(guess("zero", 5, 40), "at least 41 arrivals"));
  CHECK(says(guess("zerro", 5, 1), "did you mean 'zero'"));
}

TEST_CASE("known times that do not repeat themselves after the period are refused") {
  const char* const head =
      "[states]\nx = 1.0\n[discrete]\nu = 0.0\nw = 0.0\n[time]\nend = 5.0\n[derivatives]\nx = \"u - x\"\n";
  const auto refused = [&](const std::string& events, double start, double period) {
    const ModelInstance instance = instance_of(head + events);
    return refusal_of([&] {
      find_periodic_orbit(instance.problem(), {.start = start, .period = period, .state = instance.state});
    });
  };
  const auto every = [](const std::string& name, const std::string& period, const std::string& set) {
    return "[[every]]\nname = \"" + name + "\"\nperiod = \"" + period + "\"\nset = { " + set + " }\n";
  };
  const std::string slow = every("slow", "0.25", "u = \"-x\"");
  CHECK(says(refused(slow, 0, 0.3), "expected 0.25, or a multiple of it"));
  CHECK(
      says(refused(slow + every("fast", "0.1", "w = \"x\""), 0, 0.25), "expected 0.5, or a multiple of it"));
  CHECK(says(refused(slow + every("odd", "sqrt(2)/8", "w = \"x\""), 0, 0.25), "no common multiple"));
  const std::string once = "[[every]]\nname = \"few\"\nperiod = \"0.25\"\ncount = 3\nset = { u = \"-x\" }\n";
  CHECK(says(refused(once, 0, 0.25), "does not go on for ever"));
  CHECK(says(refused(slow, std::numeric_limits<double>::quiet_NaN(), 0.25), "a finite time"));
}

TEST_CASE("an equilibrium is not taken for an orbit") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 0.001
v = 0.0
[time]
end = 30.0
[derivatives]
x = "v"
v = "-x - v"
)TOML");
  const PeriodicOrbit orbit = find_periodic_orbit(instance.problem(), {.period = 7, .state = instance.state});
  CHECK_FALSE(orbit.converged);
  CHECK(says(orbit.message, "equilibrium"));
}

TEST_CASE("where no orbit is periodic the message tells that a multiplier is 1") {
  // The mean of x' is 0.1, whatever x is.
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 0.0
[time]
end = 30.0
[derivatives]
x = "0.1 + cos(t)"
)TOML");
  const PeriodicOrbit orbit =
      find_periodic_orbit(instance.problem(), {.period = 2 * kPi, .state = instance.state});
  CHECK_FALSE(orbit.converged);
  CHECK(says(orbit.message, "a multiplier is 1"));
}

TEST_CASE("a field without a value ends the search with a message") {
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 0.5
[time]
end = 30.0
[derivatives]
x = "-sqrt(x - 0.1*t)"
)TOML");
  const PeriodicOrbit orbit =
      find_periodic_orbit(instance.problem(), {.period = 20, .state = instance.state});
  CHECK_FALSE(orbit.converged);
  CHECK(says(orbit.message, "the solution from the first approximation ends"));
}
