// Periodic orbits of models that are written as text or that are files of the gallery.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway::test {

constexpr double kPi = 3.14159265358979323846;
// What has a closed form is found to this.
constexpr double kExact = 1e-8;

inline ModelInstance instance_of(const std::string& text, const Settings& settings = {}) {
  return parse_model(text, "test.toml").instantiate(settings);
}
inline ModelInstance gallery_instance(const std::string& name, const Settings& settings = {}) {
  return read_model_file(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/" + name + ".toml")
      .instantiate(settings);
}

// The orbit after a transient that ends a whole number of periods after the start of the model.
inline PeriodicOrbit driven_orbit(const ModelInstance& instance, double period, int transient_periods,
                                  const OrbitOptions& options = {}) {
  const Automaton problem = instance.problem();
  Options run;
  run.rtol = 1e-8;
  const OrbitGuess guess = guess_after(
      Simulator(problem, run),
      {.start = instance.start, .end = instance.start + transient_periods * period, .state = instance.state},
      period);
  return find_periodic_orbit(problem, guess, options);
}

inline PeriodicOrbit orbit_at_section(const ModelInstance& instance, const PoincareSection& section,
                                      const OrbitOptions& options = {}, Index returns = 0) {
  const Automaton problem = instance.problem();
  Options run;
  run.rtol = 1e-8;
  const OrbitGuess guess = guess_at_section(
      Simulator(problem, run), {.start = instance.start, .end = instance.end, .state = instance.state},
      section, returns);
  return find_periodic_orbit(problem, guess, options);
}

inline void require_orbit(const PeriodicOrbit& orbit) {
  CAPTURE(orbit.message);
  CAPTURE(orbit.admissibility);
  CAPTURE(orbit.signature);
  REQUIRE(orbit.converged);
  CHECK(orbit.admissible);
}

inline Index count_of(const PeriodicOrbit& orbit, MultiplierKind kind) {
  Index count = 0;
  for (const FloquetMultiplier& multiplier : orbit.multipliers) count += multiplier.kind == kind ? 1 : 0;
  return count;
}

// Whether one of the ordinary multipliers is this one.
inline bool has_multiplier(const PeriodicOrbit& orbit, std::complex<double> expected, double allowed) {
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    if (multiplier.kind == MultiplierKind::ordinary && std::abs(multiplier.value - expected) <= allowed)
      return true;
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    MESSAGE(multiplier.value.real() << " + " << multiplier.value.imag() << "i");
  return false;
}

inline Eigen::Vector2cd eigenvalues_of(const Eigen::Matrix2d& matrix) {
  const std::complex<double> half = 0.5 * matrix.trace();
  const std::complex<double> root = std::sqrt(half * half - matrix.determinant());
  return {half + root, half - root};
}

}  // namespace slideway::test
