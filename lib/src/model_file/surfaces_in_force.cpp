#include "model_file/surfaces_in_force.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace slideway::reader {
namespace {

// A surface in more branches than these counts as in force, and so does a surface whose branches take more looks than the second number:
// that costs events, and changes no motion.
constexpr std::size_t kMostBranches = 16;
constexpr int kMostLooks = 256;

}  // namespace

void SurfacesInForce::Place::add(const Branch& branch) {
  if (everywhere || std::find(branches.begin(), branches.end(), branch) != branches.end()) return;
  branches.push_back(branch);
  everywhere = branches.size() > kMostBranches;
}

void SurfacesInForce::Place::add(const Place& other) {
  everywhere = everywhere || other.everywhere;
  for (const Branch& branch : other.branches) add(branch);
}

SurfacesInForce::SurfacesInForce(const ExpressionGraph& graph, const std::vector<NodeId>& derivatives,
                                 const std::vector<std::uint32_t>& index, const std::vector<char>& always) {
  std::vector<NodeId> roots;
  for (const NodeId root : derivatives)
    if (graph.has_lambda(root)) roots.push_back(root);
  if (roots.empty()) return;
  std::unordered_map<NodeId, Place> places;
  for (const NodeId root : roots) places[root].everywhere = true;
  std::vector<Place> of_surfaces(always.size());
  const std::vector<NodeId> nodes = graph.reachable(roots);
  // Operands come before what is made of them.
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    if (!graph.has_lambda(*id)) continue;
    Place place = std::move(places[*id]);
    places.erase(*id);
    const Node& node = graph[*id];
    if (node.operation == Operation::lambda) {
      of_surfaces[index[node.a]].add(place);
    } else if (node.operation == Operation::select) {
      const std::uint32_t surface = index[node.c];
      of_surfaces[surface].add(place);
      const auto fork = static_cast<std::uint32_t>(forks_.size());
      forks_.push_back({static_cast<Index>(surface), std::move(place)});
      if (graph.has_lambda(node.a)) places[node.a].add(Branch{fork, 1});
      if (graph.has_lambda(node.b)) places[node.b].add(Branch{fork, -1});
    } else {
      for_operands(node, [&](NodeId operand) {
        if (graph.has_lambda(operand)) places[operand].add(place);
      });
    }
  }
  bool any = false;
  for (std::size_t k = 0; k < always.size(); ++k) {
    // A surface that no derivative has is watched for its guard.
    of_surfaces[k].everywhere =
        of_surfaces[k].everywhere || always[k] != 0 || of_surfaces[k].branches.empty();
    any = any || !of_surfaces[k].everywhere;
  }
  if (any)
    of_surfaces_ = std::move(of_surfaces);
  else
    forks_.clear();
}

bool SurfacesInForce::operator()(ConstVectorRef lambda, Index surface) const {
  if (of_surfaces_.empty()) return true;
  Walk walk;
  return holds(lambda, of_surfaces_[static_cast<std::size_t>(surface)], walk);
}

bool SurfacesInForce::holds(ConstVectorRef lambda, const Place& place, Walk& walk) const {
  if (place.everywhere || ++walk.looked_at > kMostLooks) return true;
  return std::any_of(place.branches.begin(), place.branches.end(), [&](const Branch& branch) {
    const Fork& fork = forks_[branch.fork];
    if (lambda[fork.surface] == -branch.side) return false;
    // Both sides of one surface never hold together, wherever the state is.
    const bool is_excluded = std::any_of(walk.sides.begin(), walk.sides.end(), [&](const auto& taken) {
      return taken.first == fork.surface && taken.second != branch.side;
    });
    if (is_excluded) return false;
    walk.sides.emplace_back(fork.surface, branch.side);
    const bool result = holds(lambda, fork.place, walk);
    walk.sides.pop_back();
    return result;
  });
}

}  // namespace slideway::reader
