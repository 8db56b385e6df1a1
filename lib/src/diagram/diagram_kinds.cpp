#include "diagram/diagram_kinds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace slideway {

namespace {

DiagramKind kind_of(const CellEnd& end, bool is_autonomous) {
  if (!end.other.empty()) return {.name = end.other, .is_attractor = false};
  const BasinAttractor& attractor = end.attractor;
  DiagramKind kind{.kind = attractor.kind};
  std::string text = to_string(attractor.kind);
  if (attractor.kind == AttractorKind::point) {
    kind.slides = attractor.mode.find('0') != std::string::npos;
    if (kind.slides) text += " at which it slides or rests";
  }
  if (attractor.kind == AttractorKind::orbit) {
    kind.rounds = is_autonomous ? 0 : attractor.rounds;
    kind.signature = attractor.signature;
    if (kind.rounds > 1) text += " of " + std::to_string(kind.rounds) + " rounds";
    text += kind.signature.empty() ? ", no events" : ": " + kind.signature;
  }
  kind.name = attractor.stable ? text : "not stable: " + text;
  return kind;
}

}  // namespace

SortedKinds sort_into_kinds(const std::vector<const CellEnd*>& ends, bool is_autonomous) {
  std::vector<DiagramKind> kinds;
  std::map<std::string, int> known;  // by name, which tells all of a kind
  SortedKinds result;
  for (const CellEnd* const end : ends) {
    if (end == nullptr) {
      result.numbers.push_back(-1);
      continue;
    }
    DiagramKind kind = kind_of(*end, is_autonomous);
    const auto [place, is_new] =
        known.emplace((kind.is_attractor ? "a " : "e ") + kind.name, static_cast<int>(kinds.size()));
    if (is_new) kinds.push_back(std::move(kind));
    ++kinds[static_cast<std::size_t>(place->second)].cells;
    result.numbers.push_back(place->second);
  }
  std::vector<int> order(kinds.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const DiagramKind &one = kinds[static_cast<std::size_t>(a)], &other = kinds[static_cast<std::size_t>(b)];
    return std::tuple(!one.is_attractor, -one.cells) < std::tuple(!other.is_attractor, -other.cells);
  });
  std::vector<int> place(kinds.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
    result.kinds.push_back(std::move(kinds[static_cast<std::size_t>(order[k])]));
  }
  for (int& number : result.numbers)
    if (number >= 0) number = place[static_cast<std::size_t>(number)];
  return result;
}

}  // namespace slideway
