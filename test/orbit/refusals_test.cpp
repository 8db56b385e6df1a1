// Guesses that make no sense, and searches that find nothing.
#include "test/orbit/found_orbit.hpp"

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

TEST_CASE("a model with time events is refused") {
  const ModelInstance instance = gallery_instance("sampled_sliding");
  CHECK(says(
      refusal_of([&] { find_periodic_orbit(instance.problem(), {.period = 1, .state = instance.state}); }),
      "known times"));
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
