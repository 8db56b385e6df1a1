#include "slideway/integrate/linear_solver.hpp"

#include "slideway/core/errors.hpp"

namespace slideway {

const char* to_string(LinearSolver solver) {
  switch (solver) {
    case LinearSolver::automatic: return "auto";
    case LinearSolver::dense: return "dense";
    case LinearSolver::band: return "band";
    case LinearSolver::klu: return "klu";
    case LinearSolver::gmres: return "gmres";
  }
  return "unknown";
}

LinearSolver linear_solver_from(const std::string& word) {
  for (const LinearSolver solver : {LinearSolver::automatic, LinearSolver::dense, LinearSolver::band,
                                    LinearSolver::klu, LinearSolver::gmres}) {
    if (word == to_string(solver)) return solver;
  }
  refuse({.what = "unknown linear solver",
          .where = "linear_solver",
          .expected = "auto, dense, band, klu or gmres",
          .got = "\"" + word + "\""});
}

}  // namespace slideway
