#include "slideway/model/from_regions.hpp"

#include <optional>

namespace slideway {
namespace {

std::size_t vertex_of(const std::string& mode, Index surfaces, const std::string& where) {
  const bool has_size = static_cast<Index>(mode.size()) == surfaces;
  if (!has_size || mode.find_first_not_of("+-") != std::string::npos) {
    refuse({.what = "a region is not named by its sides",
            .where = where,
            .expected = "a word of " + std::to_string(surfaces) + " characters '-' or '+'",
            .got = "'" + mode + "'"});
  }
  std::size_t vertex = 0;
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] == '+') vertex |= std::size_t{1} << i;
  }
  return vertex;
}

std::string mode_of(std::size_t vertex, Index surfaces) {
  std::string mode;
  for (Index i = 0; i < surfaces; ++i) mode += (vertex >> i) % 2 == 1 ? '+' : '-';
  return mode;
}

}  // namespace

std::vector<RegionField> ordered_regions(std::vector<Region> regions, const Dimensions& dimensions) {
  const std::string where =
      dimensions.name.empty() ? "from_regions" : "from_regions, system '" + dimensions.name + "'";
  const Index m = dimensions.surfaces;
  if (m < 1 || m > most_blended_surfaces) {
    refuse({.what = "the number of surfaces does not suit a list of regions",
            .where = where,
            .expected = "1 to " + std::to_string(most_blended_surfaces),
            .got = std::to_string(m),
            .advice = "write the field with lambda itself, through from_functor"});
  }
  std::vector<std::optional<RegionField>> found(std::size_t{1} << m);
  for (Region& region : regions) {
    auto& place = found[vertex_of(region.mode, m, where)];
    if (place) refuse({.what = "region '" + region.mode + "' is given twice", .where = where});
    if (region.field.is_empty()) {
      refuse({.what = "region '" + region.mode + "' has no field",
              .where = where,
              .expected = "a function field(t, x, dx)",
              .got = "an empty one"});
    }
    place = std::move(region.field);
  }
  std::vector<RegionField> ordered;
  for (std::size_t vertex = 0; vertex < found.size(); ++vertex) {
    if (!found[vertex]) {
      refuse({.what = "region '" + mode_of(vertex, m) + "' is missing",
              .where = where,
              .expected = std::to_string(found.size()) + " regions, one for every combination of sides",
              .got = std::to_string(regions.size())});
    }
    ordered.push_back(std::move(*found[vertex]));
  }
  return ordered;
}

}  // namespace slideway
