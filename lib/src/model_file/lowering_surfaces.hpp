// The switching surfaces that the expressions of a model give rise to: equal guards are one surface, and mode words
// list them in a fixed order.
// It must not know expressions as they are written.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expression/expression_graph.hpp"
#include "model_file/guard_form.hpp"
#include "model_file/lowering.hpp"

namespace slideway::reader {

// λ of a surface, or its opposite: the sign of a guard that vanishes on the surface.
struct SurfaceSide {
  std::uint32_t surface = 0;
  int sign = 1;
};

// Appearance tells where in the file a guard stands.
struct Appearance {
  Position formula = {};
  std::uint32_t byte = 0;     // of the formula's text
  std::uint32_t element = 0;  // of a vector

  friend auto operator<=>(const Appearance&, const Appearance&) = default;
};

class SurfaceTable {
 public:
  explicit SurfaceTable(ExpressionGraph& graph) : graph_(graph) {}

  // Parameters that are states have known signs.
  void set_known(KnownStates known) { known_ = std::move(known); }

  // A surface of [surfaces]. One whose guard has a surface already is another name for it.
  SurfaceSide add_named(const std::string& name, NodeId guard);
  // The surface where a guard vanishes. Guards that differ by a factor of one sign, or by how they are written, vanish together, and
  // the shortest of them is evaluated: 0.3 + 0.6(h - 0.5) rounds where h itself does not.
  SurfaceSide find_or_add(NodeId guard, const Appearance& appearance,
                          const std::function<std::string()>& name);

  // The surface where a guard vanishes, if there is one.
  std::optional<SurfaceSide> find(NodeId guard) const;

  const KnownStates& known() const { return known_; }
  NodeId guard(std::uint32_t surface) const { return surfaces_[surface].guard; }

  // set_break_away() gives a surface its break-away ratios, towards plus and minus of its own guard. It returns
  // false if the surface has others already.
  bool set_break_away(std::uint32_t surface, NodeId above, NodeId below);

  // say_at_zero() notes which side of a guard a comparison takes where the guard is zero: +1, −1, or 0 for neither. Comparisons of one
  // guard that say different things say nothing.
  void say_at_zero(const SurfaceSide& side, int at_zero);

  // A kink of the guard of an event, which is smooth between such surfaces.
  void watch(std::uint32_t surface) { surfaces_[surface].watched = true; }

  // Named surfaces in the order of the file, then the others by their first appearance.
  void put_in_order(std::vector<ExpandedSurface>& surfaces, std::vector<std::uint32_t>& lambda_index) const;

 private:
  struct Surface {
    std::string name;
    NodeId guard;
    bool named;
    Appearance first;
    std::optional<NodeId> break_away = {};
    std::optional<NodeId> break_away_below = {};
    bool watched = false;
    std::optional<int> side_at_zero = {};
  };

  struct Found {
    SurfaceSide side = {};
    bool is_new = false;
  };
  // The surface of a guard, or the number of the next one, which the guard then belongs to.
  Found side_of(NodeId guard);
  // The nodes that a guard is made of.
  std::size_t size_of(NodeId guard) const;

  ExpressionGraph& graph_;
  std::vector<Surface> surfaces_;
  KnownStates known_;
  std::unordered_map<NodeId, SurfaceSide> by_key_;
  NumbersByForm by_form_;
  std::vector<int> signs_of_forms_;  // of surfaces beside their forms; 0 without a form
};

}  // namespace slideway::reader
