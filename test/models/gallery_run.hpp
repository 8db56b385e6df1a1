// A run of a model file of the gallery, with its values at hand by their names, and what the tests of the gallery compute their
// closed forms with.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::test {

inline const std::filesystem::path gallery_folder =
    std::filesystem::path(SLIDEWAY_SOURCE_DIR) / "models" / "gallery";
inline constexpr double pi = 3.14159265358979323846;

inline Model read(const std::string& name) {
  return read_model_file((gallery_folder / (name + ".toml")).string());
}

// A run of a file with its values at hand by their names.
struct GalleryRun {
  ModelInstance instance;
  Solution solution;

  double parameter(const std::string& name) const {
    for (const auto& [known, value] : instance.parameters)
      if (known == name) return value;
    FAIL("no parameter " << name);
    return 0;
  }
  Index index(const std::string& state) const {
    const auto& names = instance.system.state_names();
    const auto found = std::find(names.begin(), names.end(), state);
    REQUIRE(found != names.end());
    return static_cast<Index>(found - names.begin());
  }
  double final(const std::string& state) const { return solution.final.state[index(state)]; }
  double before(const EventRecord& event, const std::string& state) const {
    return event.before[index(state)];
  }
  double after(const EventRecord& event, const std::string& state) const { return event.after[index(state)]; }
  // The events of a kind and, if one is given, a name or surface.
  EventLog events(EventKind kind, const std::string& name = "") const {
    EventLog chosen;
    for (const EventRecord& event : solution.events) {
      const auto& surfaces = event.surface_names;
      const bool is_named = name.empty() || event.name == name ||
                            std::find(surfaces.begin(), surfaces.end(), name) != surfaces.end();
      if (event.kind == kind && is_named) chosen.push_back(event);
    }
    return chosen;
  }
};

struct Asked {
  Settings settings = {};
  double rtol = 1e-9;
  Method method = Method::bdf;
  Recording recording = Recording::nothing;
  double end = 0;  // of the model where it is 0
};

inline GalleryRun follow(const std::string& name, const Asked& asked = {}) {
  ModelInstance instance = read(name).instantiate(asked.settings);
  Options options;
  options.rtol = asked.rtol;
  options.method = asked.method;
  options.recording = asked.recording;
  if (asked.end > 0) instance.end = asked.end;
  Solution solution = Simulator(instance.problem(), options)
                          .run({.start = instance.start, .end = instance.end, .state = instance.state});
  CAPTURE(name);
  CHECK_MESSAGE(solution.outcome.succeeded(), solution.outcome.message);
  return {std::move(instance), std::move(solution)};
}

// Relative to the value, which is not 0.
inline doctest::Approx near(double value, double tolerance = 1e-7) {
  return doctest::Approx(value).epsilon(tolerance).scale(0);
}

// The root of f in [low, high], where f changes sign.
inline double root(double low, double high, const std::function<double(double)>& f) {
  const bool rising = f(low) < 0;
  REQUIRE((f(high) < 0) != rising);
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = (low + high) / 2;
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
  return (low + high) / 2;
}

inline std::vector<double> times(const EventLog& events) {
  std::vector<double> result;
  for (const EventRecord& event : events) result.push_back(event.t);
  return result;
}

}  // namespace slideway::test
