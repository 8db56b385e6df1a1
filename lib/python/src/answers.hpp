// These functions serve all analyses for Python: they find the model of a problem, read arguments from a dict, and make text of a document.
//
// It must not know any analysis.
#pragma once

#include <optional>
#include <sstream>
#include <string>

#include <pybind11/stl.h>

#include "lib/python/src/run.hpp"

namespace slideway::python {

// The model of a problem. Throws std::invalid_argument, which names `what`, for Python functions that are called.
const Model& model_of(const Problem& problem, const std::string& what);

// An entry of what is asked; nothing where it is not there or None.
template <class Value>
std::optional<Value> entry(const pybind11::dict& request, const char* name) {
  if (!request.contains(name) || request[name].is_none()) return std::nullopt;
  return pybind11::cast<Value>(request[name]);
}

// The document that `write` makes of what it is shown.
template <class Write, class Shown>
std::string text_of(Write write, const Shown& shown) {
  std::ostringstream out;
  write(shown, out);
  return out.str();
}

}  // namespace slideway::python
