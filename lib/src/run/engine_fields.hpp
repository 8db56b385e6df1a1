// The fields of a run that tell how it goes on, for checkpoints and saved runs.
//
// It must not know what they are saved as.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/run_engine.hpp"

namespace slideway {

// The sums of the work so far, for visit_fields().
struct WorkFields {
  Statistics& sums;
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("steps", sums.steps);
    visit("field_evaluations", sums.field_evaluations);
    visit("integrator_evaluations", sums.integrator_evaluations);
    visit("guard_evaluations", sums.guard_evaluations);
    visit("jacobian_evaluations", sums.jacobian_evaluations);
    visit("krylov_iterations", sums.krylov_iterations);
    visit("restarts", sums.restarts);
    visit("dop853_steps", sums.dop853_steps);
    visit("stiff_from", sums.stiff_from);
  }
};

// The tools of a location or a pair, as far as they outlive the engine.
struct ToolFields {
  LocationTools& tools;
  template <class Visit>
  void visit_fields(Visit& visit) {
    const int before = tools.stepper->method_at_work();
    int method = before;
    visit("method", method);
    if (method != before) tools.stepper->work_with(method);
    visit("guards", tools.guards);
  }
};

// The parts of the solution that are neither events nor steps.
struct SolutionFields {
  Solution& solution;
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("initial_t", solution.initial.t);
    visit("initial_mode", solution.initial.mode);
    visit("initial_state", solution.initial.state);
    visit("initial_location", solution.initial.location);
    visit("integrator_roots", solution.statistics.integrator_roots);
    visit("warnings", solution.warnings);
    Vector outputs = solution.outputs.reshaped();
    visit("outputs", outputs);
    if (outputs.size() == solution.outputs.size()) solution.outputs.reshaped() = outputs;
    // A segment that has no step yet is not in the log.
    Segment open;
    if (solution.trajectory.ends_without_state()) open = solution.trajectory.segments().back();
    bool is_open = solution.trajectory.ends_without_state();
    visit("open_segment", is_open);
    visit("open_segment_start", open.start);
    visit("open_segment_mode", open.mode);
    visit("open_segment_location", open.location);
    if (is_open && !solution.trajectory.ends_without_state())
      solution.trajectory.begin_segment(open.start, open.mode, open.location);
  }
};

// Everything that tells how a run goes on from its place, which the tools of the locations are taken up for.
struct EngineFields {
  RunEngine& engine;
  template <class Visit>
  void visit_fields(Visit& visit) const {
    RunState& now = engine.now();
    Place place = now.regime.place;
    if constexpr (!Visit::kLoads) place.second_order = tools_of_second_order(now);
    visit("place", place);
    if constexpr (Visit::kLoads) engine.go_to(place);
    visit_tools_of_locations(visit);
    visit_tools_of_pairs(visit);
    ToolFields here{*now.here};
    visit("here", here);
    Statistics work;
    if constexpr (!Visit::kLoads) work = now.tools.work();
    WorkFields sums{work};
    visit("work", sums);
    if constexpr (Visit::kLoads) now.tools.add_work(work);
    SolutionFields so_far{engine.solution()};
    visit("so_far", so_far);
    visit("run", engine);
  }

 private:
  // The surfaces that the tools of second order were made for: those along which the solution slides so, and of those that come and go
  // with them the ones that were met with them.
  static std::vector<Index> tools_of_second_order(RunState& now) {
    const std::vector<Index>& sliding = now.regime.place.second_order;
    const std::span<const SecondOrder::Bound> bound = now.bound();
    constexpr std::size_t most = 8;
    for (std::size_t left_out = 0; left_out < (std::size_t{1} << std::min(bound.size(), most)); ++left_out) {
      std::vector<Index> surfaces = sliding;
      for (std::size_t k = 0; k < bound.size(); ++k)
        if (k >= most || (left_out >> k & 1) == 0) surfaces.push_back(bound[k].surface);
      std::sort(surfaces.begin(), surfaces.end());
      surfaces.erase(std::unique(surfaces.begin(), surfaces.end()), surfaces.end());
      if (!surfaces.empty() && now.tools.in_second_order(now.regime.place.location, surfaces) == now.here)
        return surfaces;
    }
    return sliding;
  }
  template <class Visit>
  void visit_tools_of_locations(Visit& visit) const {
    RunTools& all = engine.now().tools;
    std::vector<std::size_t> locations;
    for (std::size_t q = 0; q < all.automaton().locations().size(); ++q) {
      if (all.has_location(q)) locations.push_back(q);
    }
    visit("locations", locations);
    for (const std::size_t q : locations) {
      ToolFields tools{all.of_location(q)};
      visit(("location " + std::to_string(q)).c_str(), tools);
    }
  }
  template <class Visit>
  void visit_tools_of_pairs(Visit& visit) const {
    RunTools& all = engine.now().tools;
    std::vector<std::size_t> edges;
    for (const auto& [first, second] : all.pairs()) edges.insert(edges.end(), {first, second});
    visit("pairs", edges);
    for (std::size_t k = 0; k + 1 < edges.size(); k += 2) {
      ToolFields tools{*all.of_pair(edges[k], edges[k + 1]).tools};
      visit(("pair " + std::to_string(edges[k]) + " " + std::to_string(edges[k + 1])).c_str(), tools);
    }
  }
};

}  // namespace slideway
