#include "orbit/signature_change.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "orbit/extrapolate.hpp"
#include "orbit/name_bifurcation.hpp"

namespace slideway {

namespace {

// Bisections between two attempts at the zero: orbits closer to the change tell better what vanishes.
constexpr int kBisectionsBetween = 4;
// The highest degree of the polynomials in ν is one less; more orbits hardly add anything but rounding.
constexpr std::size_t kMostNodes = 6;
constexpr int kMostOrbits = 16;
// The polynomial of one degree less agrees so well with p* at the end, in units of rtol: the orbits are not better solved for.
constexpr double kAgreement = 10;
// The next orbit has this part of the last one's ν; larger parts follow where none is found.
constexpr std::array<double, 3> kNextParts = {0.35, 0.6, 0.85};

std::string changes_of(const PeriodicOrbit& orbit) {
  std::string result = orbit.signature.empty() ? "" : orbit.signature + " ";
  for (std::size_t at = result.find("grazing("); at != std::string::npos; at = result.find("grazing("))
    result.erase(at, result.find(") ", at) + 2 - at);
  return result;
}

struct Node {
  double size;  // ν
  BranchPlace place;
};

class SignatureSearch {
 public:
  SignatureSearch(const BranchPlace& one, const BranchPlace& other, const OrbitOnPlane& orbit_on_plane,
                  double rtol)
      : orbit_on_plane_(orbit_on_plane), rtol_(rtol), before_{one}, after_{other} {}

  BranchBifurcation execute() {
    const BranchPlace one = before_.front(), other = after_.front();
    const Vector chord = other.u - one.u;
    const double width = std::max(rtol_, 1e-12);
    double low = 0, high = 1;
    for (int k = 1; high - low > width; ++k) {
      const double part = 0.5 * (low + high);
      auto middle = orbit_on_plane_(one.u + part * chord, chord.normalized());
      const bool is_before = middle && has_same_events(one.orbit, middle->orbit);
      // Behind a grazing contact the derivative is that of a root, and Newton's method finds no orbit close to it.
      (is_before ? low : high) = part;
      if (middle) (is_before ? before_ : after_).push_back(std::move(*middle));
      if (k % kBisectionsBetween != 0) continue;
      if (const auto found = zero()) return *found;
    }
    const NamedBifurcation named = name_bifurcation(before_.back().orbit, after_.back().orbit);
    return result(named, before_.back().parameter, named.reason + "; the place is bisected");
  }

 private:
  // The nodes have one signature from the same begin on, so that events keep their numbers.
  std::vector<Node> nodes_of(const VanishingQuantity& quantity) const {
    std::vector<Node> nodes;
    const std::vector<BranchPlace>& places = quantity.of_other ? after_ : before_;
    const std::string changes = changes_of(places.back().orbit);
    for (const BranchPlace& place : places) {
      const std::optional<double> size = quantity.of(place.orbit);
      if (size && changes_of(place.orbit) == changes) nodes.push_back({*size, place});
    }
    keep_falling(nodes);
    return nodes;
  }

  // Only orbits with ν below that of all before them count: an orbit far away may have another quantity there.
  static void keep_falling(std::vector<Node>& nodes) {
    std::vector<Node> kept;
    for (std::size_t k = nodes.size(); k-- > 0;)
      if (kept.empty() || nodes[k].size > 1.1 * kept.back().size) kept.push_back(std::move(nodes[k]));
    std::reverse(kept.begin(), kept.end());
    nodes = std::move(kept);
  }

  // (u, p) at ν = size, by the polynomial through the last `count` nodes.
  static Vector at_size(const std::vector<Node>& nodes, std::size_t count, double size) {
    std::vector<SizedValue> known;
    for (const Node& node : nodes) {
      Vector value(node.place.u.size() + 1);
      value << node.place.u, node.place.parameter;
      known.push_back({node.size, std::move(value)});
    }
    return extrapolate(known, count, size);
  }

  std::optional<BranchBifurcation> zero() {
    const NamedBifurcation named = name_bifurcation(before_.back().orbit, after_.back().orbit);
    if (!named.vanishing) return std::nullopt;
    const VanishingQuantity& quantity = *named.vanishing;
    std::vector<Node> nodes = nodes_of(quantity);
    if (nodes.empty()) return std::nullopt;
    if (nodes.size() == 1 && !add_neighbour(quantity, nodes) && !add_farther(quantity, nodes))
      return std::nullopt;
    const BranchPlace& beyond = (quantity.of_other ? before_ : after_).back();
    for (int k = 0; k < kMostOrbits; ++k) {
      const std::size_t count = std::min(nodes.size(), kMostNodes);
      const Vector limit = at_size(nodes, count, 0);
      const Vector lower = at_size(nodes, count - 1, 0);
      const Index last = limit.size() - 1;
      const double scale =
          std::max(std::abs(limit[last]), std::abs(beyond.parameter - nodes.front().place.parameter));
      if (count >= 4 && std::abs(limit[last] - lower[last]) <= kAgreement * rtol_ * scale) {
        if (!lies_between(nodes.back().place, beyond, limit, rtol_ * scale)) return std::nullopt;
        (quantity.of_other ? after_ : before_).push_back(nodes.back().place);
        add_beyond(quantity, limit.head(last));
        return result(named, limit[last], named.reason);
      }
      if (!add_closer(quantity, nodes, limit)) return std::nullopt;
    }
    return std::nullopt;
  }

  // The limit is not on the wrong side of the orbit beyond the change, which has another signature.
  static bool lies_between(const BranchPlace& node, const BranchPlace& beyond, const Vector& limit,
                           double allowed) {
    const Vector chord = beyond.u - node.u;
    const double part = chord.dot(limit.head(limit.size() - 1) - node.u) / chord.squaredNorm();
    return part * chord.norm() >= -allowed && (part - 1) * chord.norm() <= allowed;
  }

  bool add(const VanishingQuantity& quantity, std::vector<Node>& nodes,
           std::optional<BranchPlace> place) const {
    if (!place || changes_of(place->orbit) != changes_of(nodes.back().place.orbit)) return false;
    const std::optional<double> size = quantity.of(place->orbit);
    if (!size || !(*size < nodes.back().size)) return false;
    nodes.push_back({*size, std::move(*place)});
    return true;
  }

  // A second orbit, a tenth of the way to the change.
  bool add_neighbour(const VanishingQuantity& quantity, std::vector<Node>& nodes) const {
    const BranchPlace& beyond = (quantity.of_other ? before_ : after_).back();
    const Vector chord = beyond.u - nodes.back().place.u;
    return add(quantity, nodes, orbit_on_plane_(nodes.back().place.u + 0.1 * chord, chord.normalized()));
  }

  // A second orbit away from the change, where the first one is all but there.
  bool add_farther(const VanishingQuantity& quantity, std::vector<Node>& nodes) const {
    const Vector chord = after_.front().u - before_.front().u;
    const Vector away = quantity.of_other ? Vector(0.1 * chord) : Vector(-0.1 * chord);
    auto place = orbit_on_plane_(nodes.back().place.u + away, chord.normalized());
    if (!place || changes_of(place->orbit) != changes_of(nodes.back().place.orbit)) return false;
    const std::optional<double> size = quantity.of(place->orbit);
    if (!size || !(*size > nodes.back().size)) return false;
    nodes.insert(nodes.begin(), {*size, std::move(*place)});
    return true;
  }

  bool add_closer(const VanishingQuantity& quantity, std::vector<Node>& nodes, const Vector& limit) const {
    const std::size_t count = std::min(nodes.size(), kMostNodes);
    const Index unknowns = limit.size() - 1;
    const Vector way = limit.head(unknowns) - nodes.back().place.u;
    if (!(way.norm() > 0)) return false;
    for (const double part : kNextParts) {
      const Vector predicted = at_size(nodes, count, part * nodes.back().size).head(unknowns);
      if (add(quantity, nodes, orbit_on_plane_(predicted, way.normalized()))) return true;
    }
    return false;
  }

  // An orbit close to the change on the side where nothing vanishes.
  void add_beyond(const VanishingQuantity& quantity, const Vector& limit) {
    std::vector<BranchPlace>& places = quantity.of_other ? before_ : after_;
    const Vector way = places.back().u - limit;
    if (!(way.norm() > 0)) return;
    auto close = orbit_on_plane_(limit + 0.01 * way, way.normalized());
    if (close && has_same_events(close->orbit, places.back().orbit)) places.push_back(std::move(*close));
  }

  BranchBifurcation result(const NamedBifurcation& named, double parameter, const std::string& reason) const {
    return {.kind = named.kind,
            .parameter = parameter,
            .orbit = before_.back().orbit,
            .before = before_.back().orbit.signature,
            .after = after_.back().orbit.signature,
            .reason = reason};
  }

  const OrbitOnPlane& orbit_on_plane_;
  double rtol_;
  // Orbits on both sides of the change, the closest ones last.
  std::vector<BranchPlace> before_, after_;
};

}  // namespace

bool has_same_events(const PeriodicOrbit& one, const PeriodicOrbit& other) {
  const std::string of_one = changes_of(one), of_other = changes_of(other);
  return of_one.size() == of_other.size() && (of_one + of_one).find(of_other) != std::string::npos;
}

BranchBifurcation locate_signature_change(const BranchPlace& one, const BranchPlace& other,
                                          const OrbitOnPlane& orbit_on_plane, double rtol) {
  return SignatureSearch(one, other, orbit_on_plane, rtol).execute();
}

}  // namespace slideway
