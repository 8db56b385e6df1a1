// Follows one cluster over a step, as a system of its own, by the ordinary engine: with the states beyond it as the step's dense
// output tells them. Looks how far the cluster's border comes from that dense output, on the way as at the end.
//
// It must not know other clusters, nor what becomes of the result.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "filippov/relay_structure.hpp"
#include "integrate/stepper.hpp"
#include "local/clusters.hpp"
#include "simulate/end_warnings.hpp"
#include "slideway/detail/model/restricted_system.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

// The ordinary engine. A run that ends within another one warns of what its end shows where it is told to alone.
using FollowAll = std::function<Solution(const Automaton& automaton,
                                         const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                                         const Options& options, const Run& run, EndWarnings warnings)>;

// The step of the whole system that a cluster is part of. The pointers lead to what outlives it.
struct WholeStep {
  double start = 0;
  double end = 0;
  const Vector* state = nullptr;  // at the start
  const Mode* mode = nullptr;
  Interpolant dense = {};  // with the modes frozen
  const std::vector<double>* samples =
      nullptr;  // increasing times at which states of parts are wanted; null for none
};

struct PartResult {
  bool has_failed = false;                   // the run of the part did not come to the end of the step
  Solution solution = {};                    // surfaces, contacts and states by their numbers in the cluster
  std::vector<Index> disagreeing = {};       // states of the border, by their numbers in the whole system
  std::vector<Index> changed_surfaces = {};  // their modes have changed in the step; likewise
  std::vector<Index> fired_events = {};
  Matrix sampled = {};  // states × WholeStep::samples
};

// The tools by which one thread follows parts.
struct PartTools {
  explicit PartTools(const System& system) : arguments(std::make_shared<WholeArguments>(system)) {}

  std::shared_ptr<WholeArguments> arguments;
  // The structure of the last part that had other patterns than the one before. Most parts of a regular system have the same.
  Pattern guards_dx = {}, field_dlambda = {};
  std::shared_ptr<const RelayStructure> structure = {};
};

class PartRuns {
 public:
  // The references must outlive this. `options` are those of the run of the whole system, `recording` is that of parts.
  PartRuns(const System& system, ChooseRows rows, const Options& options, Recording recording,
           FollowAll follow);

  // The method of parts: that of the steps around them.
  void follow_by(Method method) { options_.method = method; }
  // follow() runs in the thread that the tools belong to. `outputs` are output times within the step, `pending` are delayed actions of
  // events of the cluster, by their numbers in the whole system; those that the result leaves have numbers of the cluster.
  PartResult follow(const Cluster& cluster, const WholeStep& step, const std::vector<double>& outputs,
                    const std::vector<PendingAction>& pending, PartTools& tools) const;

 private:
  Options options_of(const Cluster& cluster, const std::vector<double>& outputs) const;
  double weight(Index state, double value) const;

  const System& system_;
  ChooseRows rows_;
  Options options_;
  Vector atol_;
  FollowAll follow_;
};

}  // namespace slideway
