// Numbers and states in the JSON documents of commands.
//
// It must not know what a document is about.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "slideway/model/model.hpp"

namespace slideway::apps {

using Document = nlohmann::ordered_json;

// Null for what JSON has no number for.
inline Document json_number(double value) {
  return std::isfinite(value) ? Document(value) : Document(nullptr);
}

// The entries of a state under their names.
inline Document json_state(const System& system, const Vector& x) {
  Document object = Document::object();
  for (Index i = 0; i < x.size(); ++i)
    object[system.state_names()[static_cast<std::size_t>(i)]] = json_number(x[i]);
  return object;
}

inline Document json_settings(const Settings& settings) {
  Document object = Document::object();
  for (const auto& [name, value] : settings) object[name] = json_number(value);
  return object;
}

}  // namespace slideway::apps
