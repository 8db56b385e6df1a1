#include "slideway/simulate/branches.hpp"

#include <algorithm>
#include <deque>

#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// A run in a mode that the fields do not have, as a table can name it, ends where it began, before the same continuations.
bool ends_as_it_began(const Solution& solution, double start, const std::vector<Mode>& choices) {
  return solution.outcome.status == Status::ambiguous && solution.final.t == start &&
         !solution.events.empty() && solution.events.back().continuations == choices;
}

}  // namespace

BranchTree follow_branches(const Simulator& simulator, const Run& run, Index most) {
  const Ambiguity policy = simulator.options().on_ambiguity;
  if (policy != Ambiguity::stop && policy != Ambiguity::branches) {
    refuse({.what = "a policy that picks one continuation leaves no branches",
            .where = "follow_branches, Options::on_ambiguity",
            .expected = "branches or stop",
            .got = to_string(policy)});
  }
  if (most < 1) {
    refuse({.what = "the number of solutions to follow makes no sense",
            .where = "follow_branches",
            .expected = "at least 1",
            .got = std::to_string(most)});
  }
  BranchTree tree;
  tree.root.solution = simulator.run(run);
  Index followed = 1;
  std::deque<Branch*> open{&tree.root};
  while (!open.empty()) {
    Branch& branch = *open.front();
    open.pop_front();
    const Solution& solution = branch.solution;
    if (solution.outcome.status != Status::ambiguous || solution.events.empty()) continue;
    const std::vector<Mode>& continuations = solution.events.back().continuations;
    if (followed + static_cast<Index>(continuations.size()) > most) {
      tree.complete = tree.complete && continuations.empty();
      continue;
    }
    // Reserved, so that the addresses in the queue stay.
    branch.branches.reserve(continuations.size());
    for (auto mode = continuations.begin(); mode != continuations.end(); ++mode) {
      // A mode that is listed twice has a continuum of motions, of which one is followed.
      if (std::find(continuations.begin(), mode, *mode) != mode) {
        tree.complete = false;
        continue;
      }
      Run next;
      next.start = solution.final.t;
      next.end = run.end;
      next.state = solution.final.state;
      next.location = solution.final.location;
      next.mode = *mode;
      next.pending = solution.pending;
      next.fired = solution.fired;
      branch.branches.push_back({simulator.run(next), {}});
      ++followed;
    }
    for (Branch& child : branch.branches) {
      if (!ends_as_it_began(child.solution, solution.final.t, continuations)) open.push_back(&child);
    }
  }
  return tree;
}

std::vector<const Solution*> solutions_below(const Branch& branch) {
  std::vector<const Solution*> solutions;
  for (const Branch& child : branch.branches) {
    solutions.push_back(&child.solution);
    const std::vector<const Solution*> below = solutions_below(child);
    solutions.insert(solutions.end(), below.begin(), below.end());
  }
  return solutions;
}

std::vector<const Solution*> leaves(const Branch& branch) {
  if (branch.branches.empty()) return {&branch.solution};
  std::vector<const Solution*> ends;
  for (const Branch& child : branch.branches) {
    const std::vector<const Solution*> below = leaves(child);
    ends.insert(ends.end(), below.begin(), below.end());
  }
  return ends;
}

}  // namespace slideway
