// The tools by which a run whose events are followed where they are goes on in one location: those of its macro steps, their scan, the
// coupling of its states, and the clusters and parts of a step. The edges that leave a location are events of all states.
//
// It must not know which location the solution is in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "local/clusters.hpp"
#include "local/coupling.hpp"
#include "local/part_run.hpp"
#include "local/step_scan.hpp"
#include "simulate/location_tools.hpp"

namespace slideway {

struct LocalPlace {
  // The references must outlive it; `recording` is that of parts.
  LocalPlace(const Automaton& automaton, std::size_t location,
             std::shared_ptr<const RelayStructure> structure, const Options& options, Recording recording,
             const FollowAll& follow_all);

  // "" where a location can be followed so; else why it cannot, as the end of a sentence.
  static std::string why_none(const Automaton& automaton, std::size_t location);

  // Surfaces whose relays have no effect on them, as a flag for each and in order.
  struct WithoutEffect {
    std::vector<char> flags = {};
    std::vector<Index> surfaces = {};
  };

  const System& system;
  Coupling coupling;
  ContactModes contact_modes;  // while it is at work; the tools refer to it
  LocationTools tools;
  std::unique_ptr<Stepper> stepper;  // null before the first step
  StepScan scan;
  Clusters clusters;
  PartRuns parts;
  WithoutEffect without_effect;
  bool is_polynomial;  // guards are polynomials of dense output
};

}  // namespace slideway
