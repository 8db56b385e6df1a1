// Fits, equilibria, manifolds, periodic orbits, Lyapunov exponents, basins and diagrams for Python. Each returns the document that the command writes for it.
//
// It must not know how a run is followed.
#pragma once

#include <pybind11/pybind11.h>

namespace slideway::python {

// Binds fit, equilibria, manifolds, orbit, lyapunov and their branches; Problem and Run must be bound.
void bind_analyses(pybind11::module_& module);
// Binds basins and diagram, likewise.
void bind_planes(pybind11::module_& module);

}  // namespace slideway::python
