// The lines of a model's equations as HTML: what is a formula in them becomes MathML, the words between stay words.
//
// It must not know models or runs.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace slideway {

// One string per line. `names` are those of states and parameters, which are symbols where they stand alone among words.
// A line whose formulas nobody would read, for its length, stays text.
std::vector<std::string> typeset_equations(const std::vector<std::string>& lines,
                                           std::set<std::string> names);

}  // namespace slideway
