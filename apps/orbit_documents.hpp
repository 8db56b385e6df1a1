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
#include "slideway/orbit/orbit_curves.hpp"
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

// Curves in the plane of the two parameters of these names.
struct ShownOrbitCurves {
  std::string model = {};
  std::string first = {};
  std::string second = {};
  double begin = 0;               // the second one on the branch that curves begin at
  const ModelInstance& instance;  // at the first value of the first one
  const OrbitCurves& found;
};

void print_orbit_curves(const ShownOrbitCurves& shown, const std::vector<std::string>& written,
                        const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.orbit-curves/1".
void write_orbit_curves_json(const ShownOrbitCurves& shown, std::ostream& out);
// A row for each point, and one for each point at which a second function vanishes: the number of the curve, its kind there, the name of such a
// point, both parameters, and of the orbit the period, stability and signature.
void write_orbit_curves_csv(const ShownOrbitCurves& shown, std::ostream& out);

}  // namespace slideway::apps
