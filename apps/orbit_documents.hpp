// The table and the JSON documents that the command `slideway orbit` writes.
//
// It must not know how the orbit was found.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/model/model.hpp"
#include "slideway/orbit/orbit_branch.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway::apps {

// Refers to the instance and the orbit, which must outlive it.
struct ShownOrbit {
  std::string model = {};
  const ModelInstance& instance;
  const PeriodicOrbit& orbit;
  std::optional<PoincareSection> section = {};  // whose points are listed
  double rtol = 0;
};

void print_orbit(const ShownOrbit& shown, const std::vector<std::string>& written, const Screen& screen,
                 std::ostream& out);
// Writes the JSON document, whose schema is "slideway.orbit/1".
void write_orbit_json(const ShownOrbit& shown, std::ostream& out);

// A branch in the parameter of this name.
struct ShownBranch {
  std::string model = {};
  std::string parameter = {};
  const ModelInstance& instance;  // of its first value
  const OrbitBranch& branch;
  double rtol = 0;
};

void print_branch(const ShownBranch& shown, const std::vector<std::string>& written, const Screen& screen,
                  std::ostream& out);
// Writes the JSON document, whose schema is "slideway.orbit-branch/1".
void write_branch_json(const ShownBranch& shown, std::ostream& out);
// A row for each orbit: parameter, period, the state at its start, stability, sizes of the multipliers, signature.
void write_branch_csv(const ShownBranch& shown, std::ostream& out);

}  // namespace slideway::apps
