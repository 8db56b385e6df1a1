// All solutions that go on from a start: wherever the continuation is not unique every one of them is followed, and the
// result is a tree.
//
// It must not know how one run is made, nor file formats.
#pragma once

#include <vector>

#include "slideway/simulate/simulator.hpp"

namespace slideway {

// One solution up to its end or to the first point where several things can follow; these are its branches, in the order of
// the continuations of its last event.
struct Branch {
  Solution solution = {};
  std::vector<Branch> branches = {};
};

struct BranchTree {
  Branch root = {};
  bool complete = true;  // false: the bound was reached, and some leaves end as `ambiguous`
};

// Follows at most `most` ≥ 1 solutions, nearest to the start first. The simulator's policy must be Ambiguity::stop or
// Ambiguity::branches; throws std::invalid_argument otherwise, and for a start that does not fit.
BranchTree follow_branches(const Simulator& simulator, const Run& run, Index most = 64);

// All solutions of the tree but the root, each before its branches.
std::vector<const Solution*> solutions_below(const Branch& branch);
// The solutions that end the tree: those without branches.
std::vector<const Solution*> leaves(const Branch& branch);

}  // namespace slideway
