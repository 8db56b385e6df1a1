// What else is asked of a model: fits, equilibria, periodic orbits, Lyapunov exponents, as the documents that the command writes.
//
// It must not know how a run is followed.
#pragma once

#include <pybind11/pybind11.h>

namespace slideway::python {

// Binds fit, equilibria, orbit, lyapunov and their branches; Problem and Run must be bound.
void bind_analyses(pybind11::module_& module);

}  // namespace slideway::python
