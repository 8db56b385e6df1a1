// Which surfaces take part in a motion: a surface that stands only in branches of others is in force where these branches hold.
//
//     if(a > 0, if(b > 0, p, q), r):   the surface b is in force where λ_a = 1, or where a slides.
//
// It must not know modes of a run.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "expression/expression_graph.hpp"
#include "slideway/core/types.hpp"

namespace slideway::reader {

class SurfacesInForce {
 public:
  SurfacesInForce() = default;
  // Of the surfaces that the derivatives depend on; `index` gives the place in λ of a surface of the graph, and `always` has an entry for
  // each place: surfaces that are watched wherever they stand.
  SurfacesInForce(const ExpressionGraph& graph, const std::vector<NodeId>& derivatives,
                  const std::vector<std::uint32_t>& index, const std::vector<char>& always);

  // False where no branch that holds has the surface. λ is ±1 on the sides of surfaces, and between where both sides may hold.
  bool operator()(ConstVectorRef lambda, Index surface) const;
  // False where all surfaces are in force everywhere.
  bool any_branches() const { return !of_surfaces_.empty(); }

 private:
  // A branch of a fork: the fork, and the side of its surface.
  struct Branch {
    std::uint32_t fork = 0;
    double side = 1;
    bool operator==(const Branch&) const = default;
  };
  // Where a part of the derivatives stands: everywhere, or in these innermost branches.
  struct Place {
    bool everywhere = false;
    std::vector<Branch> branches = {};
    void add(const Branch& branch);
    void add(const Place& other);
  };
  // A fork is a part that has one value on the one side of its surface, and another value on the other side.
  struct Fork {
    Index surface = 0;
    Place place = {};
  };
  // The sides that have been taken on the way out of nested branches, and how many places have been looked at.
  struct Walk {
    std::vector<std::pair<Index, double>> sides = {};
    int looked_at = 0;
  };
  bool holds(ConstVectorRef lambda, const Place& place, Walk& walk) const;

  std::vector<Fork> forks_;
  std::vector<Place> of_surfaces_;  // empty where all are in force everywhere
};

}  // namespace slideway::reader
