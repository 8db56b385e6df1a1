// A guard as a constant and multiples of what is no sum itself, with what rounding leaves of terms that cancel left out: of
//     x − (|x + a| − |x − a|)/2,
// the part of x beyond ±a, it is 0 between them and x − a above.
// It must not know surfaces.
#pragma once

#include <optional>
#include <vector>

#include "expression/expression_graph.hpp"

namespace slideway::reader {

struct LinearGuard {
  struct Term {
    NodeId what = 0;
    double slope = 0;
  };
  double constant = 0;
  std::vector<Term> terms;  // by their nodes
};

// None of one with very many terms.
std::optional<LinearGuard> linear_guard(const ExpressionGraph& graph, NodeId guard);

// first/second where that is a number, but for rounding; 0 where it is none.
double ratio_of(const LinearGuard& first, const LinearGuard& second);

// exclude_each_other() tells whether no state has these signs of both.
bool exclude_each_other(const LinearGuard& first, int first_sign, const LinearGuard& second, int second_sign);

}  // namespace slideway::reader
