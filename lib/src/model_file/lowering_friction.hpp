// The forces of [friction] as nodes of the graph: ranges of their parameters, break-away ratios, and what is looked at
// for passivity.
// It must not know TOML.
#pragma once

#include <string>

#include "model_file/lowering.hpp"
#include "model_file/lowering_formula.hpp"
#include "model_file/lowering_surfaces.hpp"

namespace slideway::reader {

// The break-away ratios towards plus and minus.
struct BreakAway {
  NodeId above = 0;
  NodeId below = 0;
};

// Gives the surface its break-away ratios, which `formula` tells; a mistake is added for a number below 1 and for a surface
// that has other ratios.
void set_break_away(SurfaceTable& surfaces, const ExpressionGraph& graph, SurfaceSide side, BreakAway ratios,
                    const Formula& formula, const std::string& name, Mistakes& mistakes);

class FrictionExpander {
 public:
  // The references must outlive the expander.
  FrictionExpander(const ModelDescription& model, const Extents& extents, FormulaBuilder& builder,
                   SurfaceTable& surfaces, ExpandedModel& expanded, Mistakes& mistakes)
      : model_(model),
        extents_(extents),
        builder_(builder),
        surfaces_(surfaces),
        expanded_(expanded),
        mistakes_(mistakes) {}

  // Checks the numbers; makes the surfaces of the velocities, so that they carry the velocities' names.
  void build_surfaces();
  // Fills in ExpandedModel::friction.
  void build_forces();

 private:
  // Runs `build` for every element; 0 where the force is no vector.
  template <class Build>
  void for_elements(const FrictionDescription& friction, const Build& build) const;
  void build_surface(const FrictionDescription& friction, std::uint32_t element);
  void check_numbers(const FrictionDescription& friction, std::uint32_t element);
  std::string name_of(const FrictionDescription& friction, std::uint32_t element) const;

  const ModelDescription& model_;
  const Extents& extents_;
  FormulaBuilder& builder_;
  SurfaceTable& surfaces_;
  ExpandedModel& expanded_;
  Mistakes& mistakes_;
};

}  // namespace slideway::reader
