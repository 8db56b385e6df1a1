// Puts the states between the steps of a trajectory back onto what they slide along and the contacts that are closed: interpolated they
// leave these by the accuracy of the integrator.
//
// It must not know how the trajectory was made.
#pragma once

#include <memory>
#include <vector>

#include "filippov/relay_structure.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/trajectory.hpp"

namespace slideway {

// `structures` has one entry per location, `atol` one per state. Copies share what it makes when first asked, under a lock.
Trajectory::Projection make_projection(const Automaton& automaton,
                                       const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                                       const Vector& atol, const Options& options);

}  // namespace slideway
