#include "model_file/lowering_surfaces.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace slideway::reader {

SurfaceSide SurfaceTable::add_named(const std::string& name, NodeId guard) {
  const GuardKey key = guard_key(graph_, guard);
  const auto next = static_cast<std::uint32_t>(surfaces_.size());
  const auto [known, added] = by_key_.try_emplace(key.key, SurfaceSide{next, key.sign});
  if (added) add({name, guard, true, {}, {}});
  return {known->second.surface, key.sign * known->second.sign};
}

bool SurfaceTable::set_break_away(std::uint32_t surface, NodeId above, NodeId below) {
  Surface& one = surfaces_[surface];
  const bool is_known = one.break_away.has_value();
  if (is_known && (*one.break_away != above || *one.break_away_below != below)) return false;
  one.break_away = above;
  one.break_away_below = below;
  return true;
}

SurfaceSide SurfaceTable::find_or_add(NodeId guard, const Appearance& appearance,
                                      const std::function<std::string()>& name) {
  const GuardKey key = guard_key(graph_, guard);
  const auto next = static_cast<std::uint32_t>(surfaces_.size());
  const auto [known, added] = by_key_.try_emplace(key.key, SurfaceSide{next, key.sign});
  if (added) {
    add({name(), guard, false, appearance, {}});
    return {next, 1};
  }
  Surface& surface = surfaces_[known->second.surface];
  if (!surface.named && appearance < surface.first) {
    surface.first = appearance;
    if (guard == surface.guard) surface.name = name();
  }
  return {known->second.surface, key.sign * known->second.sign};
}

std::optional<SurfaceSide> SurfaceTable::find(NodeId guard) const {
  const GuardKey key = guard_key(graph_, guard);
  const auto known = by_key_.find(key.key);
  if (known == by_key_.end()) return std::nullopt;
  return SurfaceSide{known->second.surface, key.sign * known->second.sign};
}

std::optional<SurfaceSide> SurfaceTable::find(const LinearGuard& guard) const {
  const auto alike =
      guard.terms.empty() ? by_first_term_.end() : by_first_term_.find(guard.terms.front().what);
  if (alike == by_first_term_.end()) return std::nullopt;
  for (const std::uint32_t surface : alike->second) {
    const std::optional<LinearGuard> known = linear_guard(graph_, surfaces_[surface].guard);
    const double ratio = known ? ratio_of(guard, *known) : 0;
    if (ratio != 0) return SurfaceSide{surface, ratio > 0 ? 1 : -1};
  }
  return std::nullopt;
}

void SurfaceTable::add(Surface surface) {
  const std::optional<LinearGuard> guard = linear_guard(graph_, surface.guard);
  if (guard && !guard->terms.empty())
    by_first_term_[guard->terms.front().what].push_back(static_cast<std::uint32_t>(surfaces_.size()));
  surfaces_.push_back(std::move(surface));
}

void SurfaceTable::put_in_order(std::vector<ExpandedSurface>& surfaces,
                                std::vector<std::uint32_t>& lambda_index) const {
  std::vector<std::uint32_t> order(surfaces_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (surfaces_[a].named != surfaces_[b].named) return surfaces_[a].named;
    return !surfaces_[a].named && surfaces_[a].first < surfaces_[b].first;
  });
  std::unordered_set<std::string_view> names;  // of the surfaces so far, which stay where they are
  names.reserve(surfaces_.size());
  surfaces.reserve(surfaces.size() + surfaces_.size());
  lambda_index.resize(surfaces_.size());
  for (const std::uint32_t number : order) {
    const Surface& surface = surfaces_[number];
    std::string name = surface.name;
    for (int copy = 2; names.count(name) > 0; ++copy) name = surface.name + " (" + std::to_string(copy) + ")";
    lambda_index[number] = static_cast<std::uint32_t>(surfaces.size());
    surfaces.push_back(
        {std::move(name), surface.named, surface.guard, surface.break_away, surface.break_away_below});
    names.insert(surfaces.back().name);
  }
}

}  // namespace slideway::reader
