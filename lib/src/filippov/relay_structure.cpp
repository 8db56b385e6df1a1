#include "filippov/relay_structure.hpp"

#include <algorithm>
#include <unordered_set>

namespace slideway {

RelayStructure::RelayStructure(const System& system) {
  const SystemDefinition& definition = system.definition();
  known_ = definition.field_dlambda_pattern.has_value() && definition.guards_dx_pattern.has_value();
  if (!known_) return;
  guards_dx_ = *definition.guards_dx_pattern;
  // The directions of contact forces are not in the pattern of the field.
  if (definition.contacts.empty()) {
    acts_.assign(static_cast<std::size_t>(definition.surfaces), 0);
    for (const Index i : definition.field_dlambda_pattern->column) acts_[static_cast<std::size_t>(i)] = 1;
  }
  normal_dlambda_ = product(guards_dx_, *definition.field_dlambda_pattern);
  relay_colouring_ = colour_columns(normal_dlambda_);
  state_colouring_ = colour_columns(guards_dx_);
  const Pattern reverse = transposed(normal_dlambda_);
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(normal_dlambda_.rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Pattern* pattern : {static_cast<const Pattern*>(&normal_dlambda_), &reverse}) {
      rows[i].insert(rows[i].end(), pattern->column.begin() + pattern->start[i],
                     pattern->column.begin() + pattern->start[i + 1]);
    }
  }
  coupling_ = pattern_from_rows(normal_dlambda_.rows, std::move(rows));
}

std::vector<Index> RelayStructure::component(Index seed, const std::vector<Index>& surfaces,
                                             const std::vector<char>& is_member) const {
  if (!known_) return surfaces;
  std::vector<Index> found{seed};
  std::unordered_set<Index> seen{seed};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto row = static_cast<std::size_t>(found[next]);
    for (Index k = coupling_.start[row]; k < coupling_.start[row + 1]; ++k) {
      const Index other = coupling_.column[static_cast<std::size_t>(k)];
      if (is_member[static_cast<std::size_t>(other)] && seen.insert(other).second) found.push_back(other);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace slideway
