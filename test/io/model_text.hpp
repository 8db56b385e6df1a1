// The common part of the tests of model files: a model from its text, and the mistakes of a text that is wrong.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "slideway/io/model_file.hpp"

namespace model_text {

inline slideway::ModelInstance instance(const std::string& text, const slideway::Settings& settings = {}) {
  return slideway::parse_model(text, "test.toml").instantiate(settings);
}

// A model with these lines in [derivatives], states x = 0.5, y = -1.5, z = 2 and parameters a = 3, b = 0.25.
inline std::string with_derivatives(const std::string& lines, const std::string& sections = "") {
  return "[parameters]\na = 3\nb = 0.25\n[states]\nx = 0.5\ny = -1.5\nz = 2\n[time]\nend = 1\n" + sections +
         "[derivatives]\n" + lines;
}

inline slideway::Vector field(const slideway::System& system, double t, const slideway::Vector& x,
                              const slideway::Vector& lambda) {
  slideway::Vector dx(system.states());
  system.field(t, x, lambda, dx);
  return dx;
}

inline slideway::Vector guards(const slideway::System& system, double t, const slideway::Vector& x) {
  slideway::Vector h(system.surfaces());
  system.guards(t, x, h);
  return h;
}

// The report on a text with mistakes; "" when it has none.
inline std::string report(const std::string& text) {
  try {
    slideway::parse_model(text, "test.toml");
    return "";
  } catch (const slideway::ModelFileError& error) {
    return error.what();
  }
}

// The refusal of instantiate(), "" where it refuses nothing.
inline std::string refusal(const slideway::Model& model, const slideway::Settings& settings) {
  try {
    model.instantiate(settings);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace model_text
