// The derivatives of a finished run, found by going through its ledger once more: the trajectory segment by segment, the events in
// their order. The run is not touched.
//
// It must not know how the run was made.
#pragma once

#include <memory>
#include <vector>

#include "slideway/simulate/simulator.hpp"

namespace slideway {

// `solution` must have its trajectory (Recording::dense); `options` are those of the run.
std::shared_ptr<Sensitivities> differentiate(
    const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
    const Options& options, const Run& run, const Solution& solution);

}  // namespace slideway
