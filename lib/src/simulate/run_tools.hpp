// The tools that a run has made to follow the solution: for its locations, for two locations joined by one guard, and for sets of
// surfaces along which it slides in second order. Each is made when first asked for and kept in case the solution comes back.
//
// It must not know where the solution is, nor why tools are asked for.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "simulate/location_tools.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

class RunTools {
 public:
  // Two locations joined by one guard, while the solution slides between them.
  struct Pair {
    std::size_t minus = 0;  // the location where the guard is negative
    std::size_t plus = 0;
    Guard guard = {};
    std::unique_ptr<LocationTools> tools = {};
  };

  // The references must outlive this. `structures` has one entry per location; `duration` is that of the run. The fields have the forces
  // of the contacts that are closed in `contacts`.
  RunTools(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
           const Options& options, double duration, const ContactModes& contacts);

  const Automaton& automaton() const { return automaton_; }
  LocationTools& of_location(std::size_t location);
  // of_pair() returns the tools of two edges that undo each other. The pair stays where it is.
  const Pair& of_pair(std::size_t first_edge, std::size_t second_edge);
  // Null where one of the surfaces allows none.
  LocationTools* in_second_order(std::size_t location, const std::vector<Index>& surfaces);
  // drop_beyond_limit() drops tools for such sets, but not `in_use`, where there are many. It must not be called
  // within an instant: the stepper that came to the instant belongs to tools that it may leave.
  void drop_beyond_limit(const LocationTools* in_use);
  // The sum of their statistics, those that were dropped included.
  Statistics work() const;
  // Work that was done before these tools were made.
  void add_work(const Statistics& before) { of_dropped_ = before; }
  // has_location() tells whether the tools of a location have been made, and the pairs that have.
  bool has_location(std::size_t location) const { return locations_[location] != nullptr; }
  std::vector<std::pair<std::size_t, std::size_t>> pairs() const;

 private:
  using Surfaces = std::pair<std::size_t, std::vector<Index>>;  // of a location
  Pair made_pair(std::size_t first_edge, std::size_t second_edge) const;
  std::unique_ptr<LocationTools> made_in_second_order(std::size_t location,
                                                      const std::vector<Index>& surfaces);

  const Automaton& automaton_;
  const std::vector<std::shared_ptr<const RelayStructure>>& structures_;
  const Options& options_;
  double duration_;
  const ContactModes& contacts_;
  std::vector<std::unique_ptr<LocationTools>> locations_;
  std::map<std::pair<std::size_t, std::size_t>, Pair> pairs_;  // by their edges
  std::map<Surfaces, std::unique_ptr<LocationTools>> second_order_;
  Statistics of_dropped_;
};

}  // namespace slideway
