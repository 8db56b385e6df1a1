// The equations along surfaces whose normal components depend on no relay: those at h = 0, with these components for guards, or, where
// no relay is in the derivative of these either, with that, and so on:
//
//     c₀ = h,  cₗ = dcₗ₋₁/dt at c₀ = … = cₗ₋₁ = 0,      the guard is the first cₗ with a relay in its derivative.
//
// Where another surface's guard is one of the cₗ there, up to a factor, the two are one surface, whose relay is both of theirs: that
// of terminal sliding, y + |x|^p·sgn x, where x and its speed y are zero.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "expression/expression_derivatives.hpp"
#include "model_file/bounded_quotients.hpp"
#include "model_file/lowering.hpp"

namespace slideway::reader {
namespace {

// A relay has this order of a guard at most; one that is farther away counts as none.
constexpr std::size_t kHighestOrder = 12;
// Each derivative may be several times as large as the one before it, and no derivative is taken of a graph with more nodes. The graphs of
// the gallery have 85 nodes at most when these equations are found.
constexpr std::size_t kMostNodes = 300'000;

struct Chain {
  Index surface = 0;
  std::vector<NodeId> parts = {};  // c₀, c₁, …
  bool is_complete = false;
};

class SecondOrderMaker {
 public:
  SecondOrderMaker(ExpandedModel& model, const std::vector<NodeId>& derivatives,
                   const std::vector<Index>& surfaces)
      : model_(model), graph_(model.graph), derivatives_(derivatives), surfaces_(surfaces) {
    for (const Index i : surfaces) {
      // The guard is taken as it is on the other surfaces.
      const NodeId there = graph_.with_value(guard(i), guards_but(i), 0);
      chains_.push_back({.surface = i, .parts = {graph_.is_constant(there) ? guard(i) : there}});
    }
  }

  // find_chains() tells whether each has a guard.
  bool find_chains() {
    bind_others_at(0);
    for (std::size_t order = 1; order <= kHighestOrder; ++order) {
      for (std::size_t k = 0; k < chains_.size(); ++k) {
        if (!chains_[k].is_complete && !add_derivative(k)) return false;
      }
      bind_others_at(order);
      const auto is_complete = [](const Chain& one) { return one.is_complete; };
      if (std::all_of(chains_.begin(), chains_.end(), is_complete)) break;
    }
    // One that slides by its own relay has none, unless it goes with another one.
    return std::all_of(chains_.begin(), chains_.end(),
                       [](const Chain& one) { return one.is_complete && one.parts.size() > 1; });
  }

  System make(const std::string& name, const std::vector<Position>& places) {
    auto staying = std::make_shared<SecondOrder>();
    staying->bound = bound_;
    const std::vector<NodeId> all = zeros(false);
    for (std::size_t i = 0; i < model_.surfaces.size(); ++i) {
      NodeId& guard = model_.surfaces[i].guard;
      guard = graph_.with_value(guard, all, 0);
    }
    std::vector<ExpandedSurface> kept;
    for (const Chain& chain : chains_) {
      const auto last = chain.parts.end() - 1;
      model_.surfaces[at(chain.surface)].guard = *last;
      staying->chains.push_back(
          {chain.surface, static_cast<Index>(kept.size()), static_cast<Index>(chain.parts.size()) - 1});
      std::string part_name = model_.surfaces[at(chain.surface)].name;
      for (auto part = chain.parts.begin(); part != last; ++part, part_name += '\'')
        kept.push_back({.name = part_name, .guard = *part});
    }
    for (const SecondOrder::Bound& one : bound_) model_.surfaces[at(one.surface)].guard = graph_.constant(1);
    std::vector<NodeId> there;
    for (const NodeId derivative : derivatives_)
      there.push_back(on_surfaces(graph_.with_relays(derivative, relays()), all));
    if (!bound_.empty()) there = make_multi_affine(graph_, there);
    SystemDefinition definition = define_system(name, model_, there, places);
    if (!bound_.empty() || has_higher_order()) {
      model_.surfaces = std::move(kept);
      const std::vector<NodeId> nothing(derivatives_.size(), graph_.constant(0));
      staying->kept = std::make_shared<const System>(define_system(name, model_, nothing, places));
      definition.staying = std::move(staying);
    }
    return System(std::move(definition));
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  NodeId guard(Index i) const { return model_.surfaces[at(i)].guard; }

  bool has_higher_order() const {
    return std::any_of(chains_.begin(), chains_.end(),
                       [](const Chain& chain) { return chain.parts.size() > 2; });
  }

  void add_zero(std::vector<NodeId>& nodes, NodeId node) const {
    // A root of |a − b| holds b − a as well.
    nodes.push_back(node);
    nodes.push_back(graph_.opposite(node));
  }

  // The expressions that are zero: with the last of each chain that is complete, its guard, or without.
  std::vector<NodeId> zeros(bool with_guards) const {
    std::vector<NodeId> nodes;
    for (const Chain& chain : chains_) {
      const bool all = with_guards || !chain.is_complete;
      for (std::size_t l = 0; l + (all ? 0 : 1) < chain.parts.size(); ++l) add_zero(nodes, chain.parts[l]);
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  // The l-th derivatives of the guards.
  std::vector<NodeId> zeros_at(std::size_t l) const {
    std::vector<NodeId> nodes;
    for (const Chain& chain : chains_)
      if (l < chain.parts.size()) add_zero(nodes, chain.parts[l]);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  // Guards of the surfaces, but of this one if it is one of them.
  std::vector<NodeId> guards_but(Index left_out) const {
    std::vector<NodeId> nodes;
    for (const Index i : surfaces_) {
      if (i != left_out) add_zero(nodes, guard(i));
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  std::vector<NodeId> zeros_of(const Chain& chain) const {
    std::vector<NodeId> nodes;
    for (const NodeId part : chain.parts) add_zero(nodes, part);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  // add_derivative() returns false where it does not vanish with the rest.
  bool add_derivative(std::size_t k) {
    if (graph_.size() > kMostNodes) return false;
    Chain& chain = chains_[k];
    const std::vector<NodeId> last = {chain.parts.back()};
    const auto by_state = gradients(graph_, last, Variables::states);
    const auto by_time = gradients(graph_, last, Variables::time);
    if (!by_state || !by_time) return false;
    const NodeId rate = rate_along(graph_, by_time->front(), by_state->front(), derivatives_);
    // The guard of another one of the surfaces: what follows is that one's, too.
    const NodeId own = graph_.with_value(rate, zeros_of(chain), 0);
    NodeId component = own;
    if (!is_guard_of_another(own, chain.surface)) component = graph_.with_value(rate, zeros(true), 0);
    if (graph_.has_lambda(component)) {
      chain.is_complete = true;
      return true;
    }
    if (graph_.is_constant(component)) return false;
    chain.parts.push_back(component);
    return true;
  }

  bool is_guard_of_another(NodeId node, Index surface) {
    const NodeId key = guard_key(graph_, node).key;
    return std::any_of(chains_.begin(), chains_.end(), [&](const Chain& other) {
      return other.surface != surface && other.parts.size() == 1 &&
             guard_key(graph_, other.parts.front()).key == key;
    });
  }

  // on_surfaces() removes the terms of higher order first where the terms that vanish on the surfaces would
  // leave none, as |c₀|^(-p)·c₁.
  NodeId on_surfaces(NodeId derivative, const std::vector<NodeId>& all) {
    NodeId there = graph_.with_value(derivative, all, 0);
    const auto has_no_value = [&](NodeId id) {
      return graph_.is_constant(id) && !std::isfinite(graph_.value(id));
    };
    const std::vector<NodeId> parts = graph_.reachable({there});
    if (std::none_of(parts.begin(), parts.end(), has_no_value)) return there;
    there = derivative;
    for (std::size_t l = kHighestOrder + 1; l-- > 0;) there = graph_.with_value(there, zeros_at(l), 0);
    return there;
  }

  bool is_bound(Index i) const {
    return std::any_of(bound_.begin(), bound_.end(),
                       [i](const SecondOrder::Bound& one) { return one.surface == i; });
  }

  // Surfaces whose guards are the derivatives of this order, where those of lower order are zero.
  void bind_others_at(std::size_t order) {
    std::vector<NodeId> below;
    std::unordered_map<NodeId, SecondOrder::Bound> reached;
    for (const Chain& chain : chains_) {
      for (std::size_t l = 0; l < std::min(order, chain.parts.size()); ++l) add_zero(below, chain.parts[l]);
      if (chain.parts.size() != order + 1) continue;
      const GuardKey key = guard_key(graph_, chain.parts[order]);
      reached.try_emplace(key.key, SecondOrder::Bound{.to = chain.surface, .sign = key.sign});
    }
    if (reached.empty()) return;
    std::sort(below.begin(), below.end());
    const std::vector<NodeId> all = guards_but(-1);
    for (Index i = 0; i < static_cast<Index>(model_.surfaces.size()); ++i) {
      if (is_bound(i)) continue;
      const Chain* const own = chain_of(i);
      const NodeId there = own ? graph_.with_value(own->parts.front(), without(below, *own), 0)
                               : graph_.with_value(graph_.with_value(guard(i), all, 0), below, 0);
      const GuardKey key = guard_key(graph_, there);
      const auto found = reached.find(key.key);
      if (found == reached.end() || found->second.to == i || is_bound(found->second.to)) continue;
      bind(i, found->second.to, key.sign * found->second.sign);
    }
  }

  void bind(Index surface, Index to, int sign) {
    for (SecondOrder::Bound& one : bound_) {
      if (one.to != surface) continue;
      one.to = to;
      one.sign *= sign;
    }
    bound_.push_back({surface, to, sign});
    std::erase_if(chains_, [surface](const Chain& one) { return one.surface == surface; });
  }

  const Chain* chain_of(Index surface) const {
    const auto is_this = [surface](const Chain& chain) { return chain.surface == surface; };
    const auto found = std::find_if(chains_.begin(), chains_.end(), is_this);
    return found == chains_.end() ? nullptr : &*found;
  }

  std::vector<NodeId> without(std::vector<NodeId> nodes, const Chain& chain) const {
    std::vector<NodeId> own;
    for (const NodeId part : chain.parts) add_zero(own, part);
    std::erase_if(nodes, [&](NodeId node) { return std::find(own.begin(), own.end(), node) != own.end(); });
    return nodes;
  }

  // λ of each surface, or of the one that it is bound to, in the numbers of the graph.
  std::vector<ExpressionGraph::Relay> relays() const {
    const std::vector<std::uint32_t>& surface_of = model_.lambda_index;
    std::vector<std::uint32_t> number_of(surface_of.size());
    for (std::uint32_t k = 0; k < surface_of.size(); ++k) number_of[surface_of[k]] = k;
    std::vector<ExpressionGraph::Relay> by;
    for (std::uint32_t k = 0; k < surface_of.size(); ++k) by.push_back({k, 1});
    for (const SecondOrder::Bound& one : bound_)
      by[number_of[at(one.surface)]] = {number_of[at(one.to)], one.sign};
    return by;
  }

  ExpandedModel& model_;
  ExpressionGraph& graph_;
  const std::vector<NodeId>& derivatives_;
  const std::vector<Index>& surfaces_;
  std::vector<Chain> chains_;
  std::vector<SecondOrder::Bound> bound_;
};

// is_moved_by_relays() tells whether a derivative of an order up to kHighestOrder of this guard may have a relay in it: a relay acts on a
// state that the guard depends on, directly or through other states, each of which is an order more.
bool is_moved_by_relays(const ExpandedModel& model, const std::vector<NodeId>& derivatives, Index surface) {
  const ExpressionGraph& graph = model.graph;
  std::vector<NodeId> roots = {model.surfaces[static_cast<std::size_t>(surface)].guard};
  std::vector<bool> is_known(derivatives.size(), false);
  for (std::size_t order = 0; order <= kHighestOrder && !roots.empty(); ++order) {
    if (std::any_of(roots.begin(), roots.end(), [&](NodeId root) { return graph.has_lambda(root); }))
      return true;
    std::vector<NodeId> next;
    for (const NodeId id : graph.reachable(roots)) {
      const std::size_t state = graph[id].a;
      if (graph[id].operation != Operation::state || is_known[state]) continue;
      is_known[state] = true;
      next.push_back(derivatives[state]);
    }
    roots = std::move(next);
  }
  return false;
}

// The guards, and their derivatives that no relay is in.
std::vector<NodeId> zeros_of(ExpandedModel& model, const std::vector<NodeId>& derivatives,
                             const std::vector<Index>& surfaces) {
  ExpressionGraph& graph = model.graph;
  std::vector<NodeId> nodes;
  for (const Index i : surfaces) {
    NodeId part = model.surfaces[static_cast<std::size_t>(i)].guard;
    for (std::size_t order = 0; order < kHighestOrder; ++order) {
      nodes.push_back(part);
      nodes.push_back(graph.opposite(part));
      const auto by_state = gradients(graph, {part}, Variables::states);
      const auto by_time = gradients(graph, {part}, Variables::time);
      if (!by_state || !by_time || graph.size() > kMostNodes) break;
      part = rate_along(graph, by_time->front(), by_state->front(), derivatives);
      if (graph.has_lambda(part) || graph.is_constant(part)) break;
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

std::shared_ptr<const System> make_second_order_system(const std::string& name, ExpandedModel& model,
                                                       const ExpandedMotion& motion,
                                                       const std::vector<NodeId>& derivatives,
                                                       const std::vector<Index>& surfaces) {
  // A guard that is a derivative of another one is moved as that one is.
  const auto is_moved = [&](Index i) { return is_moved_by_relays(model, derivatives, i); };
  if (!std::all_of(surfaces.begin(), surfaces.end(), is_moved)) return nullptr;
  try {
    const std::vector<NodeId> bounded =
        with_bounded_quotients(model, motion.derivatives, surfaces, zeros_of(model, derivatives, surfaces));
    const bool has_bounded = bounded != motion.derivatives;
    const std::vector<NodeId> there =
        has_bounded ? make_multi_affine(model.graph, bounded) : std::vector<NodeId>();
    SecondOrderMaker maker(model, has_bounded ? there : derivatives, surfaces);
    if (!maker.find_chains()) return nullptr;
    return std::make_shared<const System>(maker.make(name, motion.places));
  } catch (const TooManyCorners&) {
    return nullptr;
  }
}

}  // namespace slideway::reader
