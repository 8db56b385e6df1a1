#include "core/ordering.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/at.hpp"

namespace slideway {

namespace {

// Both directions of every coupling, itself left out.
Pattern symmetric(const Pattern& pattern) {
  const Pattern reverse = transposed(pattern);
  std::vector<std::vector<Index>> rows(at(pattern.rows));
  for (Index i = 0; i < pattern.rows; ++i) {
    for (const Pattern* one : {&pattern, &reverse}) {
      for (Index k = one->start[at(i)]; k < one->start[at(i + 1)]; ++k) {
        if (one->column[at(k)] != i) rows[at(i)].push_back(one->column[at(k)]);
      }
    }
  }
  return pattern_from_rows(pattern.rows, std::move(rows));
}

// The places of `found` from `first` on are those of one component, breadth first from its first member.
void spread(const Pattern& graph, std::vector<char>& seen, std::vector<Index>& found, std::size_t first) {
  const auto degree = [&](Index i) { return graph.start[at(i + 1)] - graph.start[at(i)]; };
  for (std::size_t next = first; next < found.size(); ++next) {
    const Index i = found[next];
    const std::size_t fresh = found.size();
    for (Index k = graph.start[at(i)]; k < graph.start[at(i + 1)]; ++k) {
      const Index j = graph.column[at(k)];
      if (seen[at(j)]) continue;
      seen[at(j)] = 1;
      found.push_back(j);
    }
    std::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(fresh), found.end(),
                     [&](Index a, Index b) { return degree(a) < degree(b); });
  }
}

}  // namespace

std::vector<Index> reverse_cuthill_mckee(const Pattern& pattern) {
  const Pattern graph = symmetric(pattern);
  std::vector<char> seen(at(graph.rows), 0);
  std::vector<Index> order;
  order.reserve(at(graph.rows));
  for (Index start = 0; start < graph.rows; ++start) {
    if (seen[at(start)]) continue;
    const std::size_t first = order.size();
    // The layers are narrow when the search starts at the far end of another search.
    Index root = start;
    for (int search = 0; search < 2; ++search) {
      seen[at(root)] = 1;
      order.push_back(root);
      spread(graph, seen, order, first);
      root = order.back();
      for (std::size_t k = first; k < order.size(); ++k) seen[at(order[k])] = 0;
      order.resize(first);
    }
    seen[at(root)] = 1;
    order.push_back(root);
    spread(graph, seen, order, first);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Index> places_of(const std::vector<Index>& order) {
  std::vector<Index> places(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) places[at(order[k])] = static_cast<Index>(k);
  return places;
}

Index half_bandwidth(const Pattern& pattern, const std::vector<Index>& order) {
  const std::vector<Index> position = places_of(order);
  Index widest = 0;
  for (Index i = 0; i < pattern.rows; ++i) {
    for (Index k = pattern.start[at(i)]; k < pattern.start[at(i + 1)]; ++k) {
      widest = std::max(widest, std::abs(position[at(i)] - position[at(pattern.column[at(k)])]));
    }
  }
  return widest;
}

}  // namespace slideway
