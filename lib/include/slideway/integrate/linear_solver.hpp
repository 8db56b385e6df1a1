// How Newton's linear equations (I − γJ) y = b are solved in an implicit step, J the Jacobian of the ode.
//
//     dense      the full matrix, n² numbers
//     band       a band, after the states have been ordered by Cuthill & McKee
//     klu        sparse factors, KLU of SuiteSparse
//     gmres      no matrix: Krylov's subspaces from products J·v, preconditioned by blocks of the diagonal,
//                or by the user's own (simulate/preconditioner.hpp)
//     automatic  dense for few states, or where the pattern is not known or nearly full; else klu
//
// It must not know integrators.
#pragma once

#include <string>
#include <vector>

namespace slideway {

enum class LinearSolver { automatic, dense, band, klu, gmres };

// "auto", "dense", "band", "klu", "gmres"; and back, throwing std::invalid_argument for any other word; and all of them.
const char* to_string(LinearSolver solver);
LinearSolver linear_solver_from(const std::string& word);
std::vector<std::string> linear_solver_words();

}  // namespace slideway
