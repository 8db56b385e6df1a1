// The table and the documents that the command `slideway equilibria` writes.
//
// It must not know how equilibria are found.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/model/model.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"
#include "slideway/orbit/equilibrium_curves.hpp"

namespace slideway::apps {

// Refers to the instance and the equilibria, which must outlive it.
struct ShownEquilibria {
  std::string model = {};
  const ModelInstance& instance;
  const Equilibria& equilibria;
};

void print_equilibria(const ShownEquilibria& shown, const std::vector<std::string>& written,
                      const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.equilibria/1".
void write_equilibria_json(const ShownEquilibria& shown, std::ostream& out);
// A row for each: kind, whether it is admissible, location, mode, stability, continuum, states, eigenvalues.
void write_equilibria_csv(const ShownEquilibria& shown, std::ostream& out);

// Branches in the parameter of this name.
struct ShownEquilibriumBranches {
  std::string model = {};
  std::string parameter = {};
  const ModelInstance& instance;  // of its first value
  const std::vector<EquilibriumBranch>& branches;
};

void print_equilibrium_branches(const ShownEquilibriumBranches& shown,
                                const std::vector<std::string>& written, const Screen& screen,
                                std::ostream& out);
// Writes the JSON document, whose schema is "slideway.equilibrium-branches/1".
void write_equilibrium_branches_json(const ShownEquilibriumBranches& shown, std::ostream& out);
// A row for each point: the number of the branch, the parameter, and the columns of an equilibrium.
void write_equilibrium_branches_csv(const ShownEquilibriumBranches& shown, std::ostream& out);

// Curves in the plane of the two parameters of these names.
struct ShownEquilibriumCurves {
  std::string model = {};
  std::string first = {};
  std::string second = {};
  double begin = 0;               // the second one on the branches that curves begin at
  const ModelInstance& instance;  // at the first value of the first one
  const EquilibriumCurveOptions& options;
  const std::vector<EquilibriumCurve>& curves;
};

void print_equilibrium_curves(const ShownEquilibriumCurves& shown, const std::vector<std::string>& written,
                              const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.equilibrium-curves/1".
void write_equilibrium_curves_json(const ShownEquilibriumCurves& shown, std::ostream& out);
// A row for each point, and one for each point at which a second function vanishes: the number of the curve, its kind, the name of such a
// point, both parameters, what a boundary equilibrium does, and the columns of an equilibrium.
void write_equilibrium_curves_csv(const ShownEquilibriumCurves& shown, std::ostream& out);

}  // namespace slideway::apps
