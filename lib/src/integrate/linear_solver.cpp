#include "slideway/integrate/linear_solver.hpp"

#include "core/words.hpp"

namespace slideway {

namespace {

constexpr LinearSolver solvers[] = {LinearSolver::automatic, LinearSolver::dense, LinearSolver::band,
                                    LinearSolver::klu, LinearSolver::gmres};

}  // namespace

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
  return from_word(solvers, word, "unknown linear solver", "linear_solver");
}
std::vector<std::string> linear_solver_words() { return words_of(solvers); }

}  // namespace slideway
