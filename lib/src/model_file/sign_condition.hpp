// Where a value is positive, as the sign of a guard that neither jumps nor is zero over an interval.
//
// The value is a node without λ: kinks and jumps are `choose`, `absolute`, `sign` and `step`. With a side condition c of such a node and the
// values p and q that it takes where c > 0 and where c < 0,
//     v > 0   ⇔   (c > 0 and p > 0) or (c < 0 and q > 0) or (p > 0 and q > 0),
// of which the last keeps the guard above zero where c passes zero between two sides that hold. In guards
// `and` is min, `or` is max: so max(0, x − 1) is positive where x − 1 is, and sat(x, −1, 1) ≥ 1 holds where x − 1 ≥ 0 does.
// What differs at single points of c = 0 alone is left out.
// It must not know surfaces or how conditions are written.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expression/expression_graph.hpp"
#include "model_file/linear_guard.hpp"

namespace slideway::reader {

// More sides of kinks and jumps than are looked at.
struct TooManySides {};

class SignConditions {
 public:
  // `is_held` tells whether a value changes at jumps of the state alone; `kinks` are `choose` nodes that are known to be continuous.
  SignConditions(ExpressionGraph& graph, std::function<bool(NodeId)> is_held,
                 const std::unordered_set<NodeId>& kinks)
      : graph_(graph), is_held_(std::move(is_held)), kinks_(kinks) {}

  // is_zero_for_long() tells whether a value is zero on some side of its kinks and jumps.
  bool is_zero_for_long(NodeId value);
  // is_plain() tells whether the sign of a value changes only where the value passes zero.
  bool is_plain(NodeId value) { return !jumps(value) && !is_zero_for_long(value); }

  // is_flag() tells whether a value is held on every side, so that it is equal to a number for some time or not at all. Throws TooManySides.
  bool is_flag(NodeId value);
  // A guard that is positive where the value is > 0, or ≥ 0 where `closed`: ±1 where that never changes. Throws TooManySides.
  NodeId positive(NodeId value, bool closed);

  // The guard of two conditions: both of them, or one of them.
  NodeId both(NodeId a, NodeId b) { return joined(a, b, false); }
  NodeId either(NodeId a, NodeId b) { return joined(a, b, true); }
  NodeId joined(NodeId a, NodeId b, bool either);

 private:
  struct KnownSide {
    LinearGuard guard;
    int sign;
  };
  bool jumps(NodeId value) const;
  bool is_kink(NodeId choice) const;
  bool has_sides(NodeId id) const;
  bool is_piecewise(NodeId id) const;
  template <class Suits>
  std::optional<NodeId> first_of(NodeId value, const Suits& suits) const;
  // The first node whose sides change as the state moves.
  std::optional<NodeId> innermost(NodeId value) const;
  // The first node whose sides change at jumps of the state alone.
  std::optional<NodeId> innermost_held(NodeId value) const;
  NodeId on_side(NodeId value, NodeId piecewise, int sign);
  // The sides of a condition that are possible beside those that are known.
  std::vector<int> possible_sides(NodeId condition) const;
  // Whether a held value is above zero (or at it, where `closed`) on the sides that are known; nothing where they do not tell.
  std::optional<bool> known_of_held(NodeId value, bool closed) const;
  template <class Visit>
  void on_sides(NodeId value, NodeId piecewise, const Visit& visit);
  bool has_zero_side(NodeId value);
  bool has_held_sides(NodeId value);
  NodeId positive_of(NodeId value, bool closed);

  ExpressionGraph& graph_;
  std::function<bool(NodeId)> is_held_;
  const std::unordered_set<NodeId>& kinks_;
  std::unordered_map<NodeId, bool> zero_for_long_;
  std::vector<KnownSide> sides_;
  int looked_at_ = 0;
};

}  // namespace slideway::reader
