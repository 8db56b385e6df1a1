// Periodic orbits and fitted parameters behind the C interface.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/stoppable.hpp"
#include "lib/c/handle.hpp"
#include "lib/c/model.hpp"
#include "slideway/fit/fit.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway::door {

// All that a search for an orbit begins with, from a model and the words of its options.
struct OrbitSearch {
  std::optional<RunInput> input = {};
  apps::StopQuestion is_stop_asked = {};
  OrbitOptions options = {};
  std::optional<PoincareSection> section = {};
  std::string period = {};  // "" for none
  // Follows this instance for the transient, to where the search begins. The instance is one that can be stopped; a period beats that of the words.
  std::function<OrbitGuess(const ModelInstance&, std::optional<double> period)> guess_at = {};
};

// Throws std::invalid_argument for words that make no sense for this model.
OrbitSearch orbit_search(const sw_model& model, OptionText words);

}  // namespace slideway::door

struct sw_orbit final : slideway::door::Handle {
  std::optional<slideway::door::RunInput> input = {};
  std::optional<slideway::PoincareSection> section = {};
  slideway::PeriodicOrbit orbit = {};

  std::optional<std::vector<std::string>> names(std::string_view list) const override;
  std::optional<slideway::Vector> values(std::string_view list) const override;
  std::string document(std::string_view format) override;
};

struct sw_fit final : slideway::door::Handle {
  std::string model = {};
  slideway::Measurements measurements = {};
  slideway::Fit fit = {};

  std::optional<std::vector<std::string>> names(std::string_view list) const override;
  std::optional<slideway::Vector> values(std::string_view list) const override;
  std::string document(std::string_view format) override;
};
