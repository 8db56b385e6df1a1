// The validation suite: runs cases whose exact solution is known and prints expected beside got.
//
// It must not know the command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "slideway/simulate/options.hpp"

namespace slideway {

struct ValidationOptions {
  // The cases: an id ("A02"), or the beginning of some ("B01", "A"); in any case of letters. Empty: all.
  std::vector<std::string> names = {};
  double rtol = 1e-6;
  std::vector<Method> methods = {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas};
};

// Prints a table of the cases and a summary. Returns 0 if all pass and 1 if any fails. A case whose claims mean
// nothing at this rtol is listed as skipped. Throws std::invalid_argument for a name that fits no case, with the
// nearest id, and for a tolerance outside (0, 1).
int run_validation(const ValidationOptions& options, std::ostream& out);

}  // namespace slideway
