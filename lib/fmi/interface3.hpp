// The C interface of FMI 3.0 as far as an importer uses it: types, and the types of the functions.
// Source: Functional Mock-up Interface, version 3.0.2, sections 2.2, 3.2 and 4.2.
//
// It must not know how an FMU is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slideway::fmi3 {

using Instance = void*;
using Environment = void*;
using SavedState = void*;
using Reference = std::uint32_t;
using Text = const char*;

// Status: 0 OK, 1 warning, 2 discard, 3 error, 4 fatal.
using Status = int;

using Logger = void(Environment, Status, Text category, Text message);
using InstantiateModelExchange = Instance(Text name, Text token, Text resources, bool visible, bool logs,
                                          Environment, Logger* logger);
// The importer may ask for an early return; all but the last two are what the FMU tells.
using IntermediateUpdate = void(Environment, double time, bool may_set, bool may_get, bool is_finished,
                                bool may_return, bool* returns, double* return_time);
using InstantiateCoSimulation = Instance(Text name, Text token, Text resources, bool visible, bool logs,
                                         bool event_mode, bool early_return, const Reference* intermediate,
                                         std::size_t intermediate_count, Environment, Logger* logger,
                                         IntermediateUpdate* update);
using FreeInstance = void(Instance);
using EnterInitializationMode = Status(Instance, bool has_tolerance, double tolerance, double start,
                                       bool has_end, double end);
using Call = Status(Instance);
template <class Value>
using Get = Status(Instance, const Reference* references, std::size_t count, Value* values,
                   std::size_t value_count);
template <class Value>
using Set = Status(Instance, const Reference* references, std::size_t count, const Value* values,
                   std::size_t value_count);
using GetState = Status(Instance, SavedState* state);
using SetState = Status(Instance, SavedState state);
using GetDirectionalDerivative = Status(Instance, const Reference* unknowns, std::size_t unknown_count,
                                        const Reference* knowns, std::size_t known_count, const double* seed,
                                        std::size_t seed_count, double* sensitivity,
                                        std::size_t sensitivity_count);
using UpdateDiscreteStates = Status(Instance, bool* needs_update, bool* terminates, bool* nominals_changed,
                                    bool* states_changed, bool* has_next_time, double* next_time);
using CompletedIntegratorStep = Status(Instance, bool no_way_back, bool* enter_event_mode, bool* terminates);
using SetTime = Status(Instance, double time);
using GetVector = Status(Instance, double* values, std::size_t count);
using SetVector = Status(Instance, const double* values, std::size_t count);
using SetDebugLogging = Status(Instance, bool logs, std::size_t count, const Text* categories);
using DoStep = Status(Instance, double t, double size, bool no_way_back, bool* has_event, bool* terminates,
                      bool* is_early, double* last_time);

}  // namespace slideway::fmi3
