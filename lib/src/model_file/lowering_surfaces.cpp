#include "model_file/lowering_surfaces.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace slideway::reader {

SurfaceTable::Found SurfaceTable::side_of(NodeId guard) {
  const GuardKey key = guard_key(graph_, guard);
  const auto next = static_cast<std::uint32_t>(surfaces_.size());
  if (const auto known = by_key_.find(key.key); known != by_key_.end())
    return {{known->second.surface, key.sign * known->second.sign}, false};
  const std::optional<GuardForm> form = guard_form(graph_, guard, known_);
  const std::optional<std::uint32_t> same = form ? by_form_.find(*form) : std::nullopt;
  const SurfaceSide side = same ? SurfaceSide{*same, form->sign * signs_of_forms_[*same]} : SurfaceSide{next};
  by_key_[key.key] = {side.surface, key.sign * side.sign};
  if (same) return {side, false};
  if (form) by_form_.add(*form, next);
  signs_of_forms_.push_back(form ? form->sign : 0);
  return {side, true};
}

SurfaceSide SurfaceTable::add_named(const std::string& name, NodeId guard) {
  const Found found = side_of(guard);
  if (found.is_new) surfaces_.push_back({name, guard, true, {}});
  return found.side;
}

bool SurfaceTable::set_break_away(std::uint32_t surface, NodeId above, NodeId below) {
  Surface& one = surfaces_[surface];
  const bool is_known = one.break_away.has_value();
  if (is_known && (*one.break_away != above || *one.break_away_below != below)) return false;
  one.break_away = above;
  one.break_away_below = below;
  return true;
}

void SurfaceTable::say_at_zero(const SurfaceSide& side, int at_zero) {
  std::optional<int>& said = surfaces_[side.surface].side_at_zero;
  const int own = side.sign * at_zero;
  said = said.value_or(own) == own ? own : 0;
}

SurfaceSide SurfaceTable::find_or_add(NodeId guard, const Appearance& appearance,
                                      const std::function<std::string()>& name) {
  const Found found = side_of(guard);
  if (found.is_new) {
    surfaces_.push_back({name(), guard, false, appearance});
    return found.side;
  }
  Surface& surface = surfaces_[found.side.surface];
  if (surface.named) return found.side;
  if (appearance < surface.first) {
    surface.first = appearance;
    if (guard == surface.guard) surface.name = name();
  }
  if (guard != surface.guard && size_of(guard) < size_of(surface.guard))
    surface.guard = found.side.sign > 0 ? guard : graph_.negate(guard);
  return found.side;
}

std::size_t SurfaceTable::size_of(NodeId guard) const { return graph_.reachable({guard}).size(); }

std::optional<SurfaceSide> SurfaceTable::find(NodeId guard) const {
  const GuardKey key = guard_key(graph_, guard);
  if (const auto known = by_key_.find(key.key); known != by_key_.end())
    return SurfaceSide{known->second.surface, key.sign * known->second.sign};
  const std::optional<GuardForm> form = guard_form(graph_, guard, known_);
  const std::optional<std::uint32_t> same = form ? by_form_.find(*form) : std::nullopt;
  if (!same) return std::nullopt;
  return SurfaceSide{*same, form->sign * signs_of_forms_[*same]};
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
    surfaces.push_back({std::move(name), surface.named, surface.guard, surface.break_away,
                        surface.break_away_below, surface.watched, surface.side_at_zero.value_or(0)});
    names.insert(surfaces.back().name);
  }
}

}  // namespace slideway::reader
