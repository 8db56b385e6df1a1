// LiveRun for Python, and events as tuples.
//
// It must not know how models are made.
#pragma once

#include <pybind11/pybind11.h>

#include "slideway/simulate/event_log.hpp"

namespace slideway::python {

// Binds LiveRun and SavedRun.
void bind_live_runs(pybind11::module_& module);

// The fields of an event, in the order of slideway.Event.
pybind11::tuple event_tuple(const EventRecord& record);

}  // namespace slideway::python
