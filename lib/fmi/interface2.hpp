// The C interface of FMI 2.0 as far as an importer uses it: types, and the types of the functions.
// Source: Functional Mock-up Interface for Model Exchange and Co-Simulation, version 2.0.4, sections 2.1, 3.2 and 4.2.
//
// It must not know how an FMU is unpacked.
#pragma once

#include <cstddef>

namespace slideway::fmi2 {

using Component = void*;
using Environment = void*;
using SavedState = void*;
using Reference = unsigned int;
using Real = double;
using Integer = int;
using Boolean = int;
using Text = const char*;

// Status: 0 OK, 1 warning, 2 discard, 3 error, 4 fatal, 5 pending.
using Status = int;
// Kind: 0 Model Exchange, 1 Co-Simulation.
using Kind = int;

struct Callbacks {
  void (*logger)(Environment, Text instance, Status, Text category, Text message, ...);
  void* (*allocate)(std::size_t count, std::size_t size);
  void (*release)(void* block);
  void (*step_finished)(Environment, Status);
  Environment environment;
};

struct EventInfo {
  Boolean needs_update;
  Boolean terminates;
  Boolean nominals_changed;
  Boolean states_changed;
  Boolean has_next_time;
  Real next_time;
};

using Instantiate = Component(Text name, Kind kind, Text guid, Text resources, const Callbacks* callbacks,
                              Boolean visible, Boolean logs);
using FreeInstance = void(Component);
using SetupExperiment = Status(Component, Boolean has_tolerance, Real tolerance, Real start, Boolean has_end,
                               Real end);
using Call = Status(Component);
using GetReal = Status(Component, const Reference* references, std::size_t count, Real* values);
using SetReal = Status(Component, const Reference* references, std::size_t count, const Real* values);
using GetInteger = Status(Component, const Reference* references, std::size_t count, Integer* values);
using SetInteger = Status(Component, const Reference* references, std::size_t count, const Integer* values);
using GetState = Status(Component, SavedState* state);
using SetState = Status(Component, SavedState state);
using GetDirectionalDerivative = Status(Component, const Reference* unknowns, std::size_t unknown_count,
                                        const Reference* knowns, std::size_t known_count, const Real* seed,
                                        Real* sensitivity);
using NewDiscreteStates = Status(Component, EventInfo* info);
using CompletedIntegratorStep = Status(Component, Boolean no_way_back, Boolean* enter_event_mode,
                                       Boolean* terminates);
using SetTime = Status(Component, Real time);
using GetVector = Status(Component, Real* values, std::size_t count);
using SetVector = Status(Component, const Real* values, std::size_t count);
using SetDebugLogging = Status(Component, Boolean logs, std::size_t count, const Text* categories);
using DoStep = Status(Component, Real t, Real size, Boolean no_way_back);
using GetRealStatus = Status(Component, int what, Real* value);
using GetBooleanStatus = Status(Component, int what, Boolean* value);

}  // namespace slideway::fmi2
