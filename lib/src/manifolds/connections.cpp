#include "slideway/manifolds/connections.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/number_text.hpp"
#include "manifolds/with_event.hpp"
#include "orbit/equilibrium_family.hpp"
#include "orbit/equilibrium_search.hpp"
#include "orbit/secant_bracket.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// No name of a model has a blank.
constexpr const char* kRising = "section from below";
constexpr const char* kFalling = "section from above";
// Two equilibria at neighbouring values of the parameter are one branch where they are nearer than this part of the sizes of the states.
constexpr double kSameBranch = 0.3;
constexpr int kMostSecants = 60;
constexpr double kLocated = 1e-15;  // of the range of the parameter
// A gap that is left at a zero, of those at the ends of its bracket; a larger one has jumped.
constexpr double kJump = 1e-4;
constexpr double kNoGap = 1e5;  // of what ends the search

// Saddle and branch of either manifold, and the direction at the section.
using GapKey = std::tuple<std::size_t, int, std::size_t, int, bool>;

struct AtValue {
  double parameter = 0;
  std::map<std::size_t, EquilibriumManifolds> saddles = {};
};

Event section_event(const ConnectionOptions& options, bool is_rising) {
  Event event;
  event.name = is_rising ? kRising : kFalling;
  event.when =
      Guard([state = options.state, value = options.value](auto, const auto& x) { return x[state] - value; });
  event.direction = is_rising ? Direction::rising : Direction::falling;
  event.action = Action::record;
  event.initially = Initially::wait;
  return event;
}

void check_connections(const Automaton& problem, const ConnectionOptions& options) {
  const char* const where = "find_connections";
  const Index n = problem.system().states();
  if (n != 2) {
    refuse({.what = "connections are looked for in the plane",
            .where = where,
            .expected = "a problem with 2 states",
            .got = std::to_string(n)});
  }
  if (options.state < 0 || options.state >= n || !std::isfinite(options.value)) {
    refuse({.what = "the section makes no sense",
            .where = where,
            .expected = "the number of a state, and a finite value",
            .got = std::to_string(options.state) + " and " + number_text(options.value)});
  }
  if (!std::isfinite(options.first) || !std::isfinite(options.last) || options.first == options.last ||
      options.points < 2) {
    refuse({.what = "the range of the parameter makes no sense",
            .where = where,
            .expected = "two different finite ends, and 2 points or more",
            .got = number_text(options.first) + ", " + number_text(options.last) + " and " +
                   std::to_string(options.points)});
  }
}

// first_arrival() returns the state at which the branch on this side first comes to the section.
std::optional<Vector> first_arrival(const EquilibriumManifolds& saddle, ManifoldKind kind, int side,
                                    bool is_rising) {
  int count = 0;
  for (const ManifoldArc& arc : saddle.arcs) {
    if (arc.kind != kind || arc.piece != ManifoldPiece::branch) continue;
    if ((count++ == 0) != (side == 1)) continue;
    for (const ManifoldEvent& event : arc.events)
      if (event.name == (is_rising ? kRising : kFalling)) return event.state;
  }
  return std::nullopt;
}

class ConnectionSearch {
 public:
  ConnectionSearch(const std::function<Automaton(double value)>& problem, const Run& run,
                   const ConnectionOptions& options)
      : problem_(problem), run_(run), options_(options) {
    options_.manifolds.fan = 0;
    options_.manifolds.stable = options_.manifolds.unstable = true;
  }

  Connections execute() {
    check_connections(problem_(options_.first), options_);
    std::optional<AtValue> before;
    for (Index k = 0; k < options_.points; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(options_.points - 1);
      AtValue here = search(options_.first + part * (options_.last - options_.first));
      note_gaps(here);
      if (before) compare(*before, here);
      before = std::move(here);
    }
    for (auto& [key, gap] : gaps_) result_.gaps.push_back(std::move(gap));
    return std::move(result_);
  }

 private:
  Automaton with_section(double parameter) const {
    return with_event(with_event(problem_(parameter), section_event(options_, true)),
                      section_event(options_, false));
  }

  EquilibriumManifolds manifolds_of(const Automaton& problem, const Equilibrium& equilibrium) const {
    std::vector<EquilibriumManifolds> found =
        follow_manifolds(problem, {equilibrium}, run_.start, options_.manifolds);
    return found.empty() ? EquilibriumManifolds{.equilibrium = equilibrium} : std::move(found.front());
  }

  AtValue search(double parameter) {
    AtValue result{.parameter = parameter};
    const Automaton problem = problem_(parameter);
    const SearchedEquilibria searched = search_equilibria(problem, run_, options_.equilibria);
    if (sizes_.size() == 0) {
      sizes_ = searched.sizes;
      if (options_.manifolds.sizes.size() == 0) options_.manifolds.sizes = sizes_;
    }
    const Automaton sectioned = with_section(parameter);
    std::vector<Equilibrium> here;
    for (const Equilibrium& equilibrium : searched.all.found) {
      EquilibriumManifolds manifolds = manifolds_of(sectioned, equilibrium);
      if (manifolds.arcs.empty()) continue;
      result.saddles.emplace(number_of(equilibrium, result), std::move(manifolds));
    }
    for (auto& [number, manifolds] : result.saddles) last_[number] = manifolds.equilibrium;
    return result;
  }

  // number_of() returns the number of the saddle that this equilibrium continues; it adds a saddle where there is none.
  std::size_t number_of(const Equilibrium& equilibrium, const AtValue& here) {
    std::optional<std::size_t> nearest;
    double least = kSameBranch;
    for (const auto& [number, known] : last_) {
      if (known.mode != equilibrium.mode || known.location != equilibrium.location) continue;
      if (here.saddles.count(number) > 0) continue;
      const double apart = (known.state - equilibrium.state).cwiseQuotient(sizes_).lpNorm<Eigen::Infinity>();
      if (apart > least) continue;
      least = apart;
      nearest = number;
    }
    if (nearest) return *nearest;
    result_.saddles.push_back(equilibrium);
    last_[result_.saddles.size() - 1] = equilibrium;
    return result_.saddles.size() - 1;
  }

  std::optional<double> gap_of(const EquilibriumManifolds& from, const EquilibriumManifolds& to,
                               const GapKey& key, Vector* state = nullptr) const {
    const auto& [a, from_side, b, to_side, is_rising] = key;
    const auto leaves = first_arrival(from, ManifoldKind::unstable, from_side, is_rising);
    const auto comes = first_arrival(to, ManifoldKind::stable, to_side, is_rising);
    if (!leaves || !comes) return std::nullopt;
    if (state != nullptr) *state = *leaves;
    const Index other = 1 - options_.state;
    return (*leaves)[other] - (*comes)[other];
  }

  template <class Visit>
  void for_pairs(const AtValue& here, const Visit& visit) const {
    for (const auto& [a, from] : here.saddles)
      for (const auto& [b, to] : here.saddles)
        for (const int from_side : {1, -1})
          for (const int to_side : {1, -1})
            for (const bool is_rising : {true, false}) {
              const GapKey key{a, from_side, b, to_side, is_rising};
              if (const auto gap = gap_of(from, to, key)) visit(key, *gap);
            }
  }

  void note_gaps(const AtValue& here) {
    for_pairs(here, [&](const GapKey& key, double value) {
      const auto& [a, from_side, b, to_side, is_rising] = key;
      ConnectionGap& gap = gaps_[key];
      gap.from = a;
      gap.to = b;
      gap.from_side = from_side;
      gap.to_side = to_side;
      gap.rising = is_rising;
      gap.parameters.push_back(here.parameter);
      gap.gaps.push_back(value);
    });
  }

  void compare(const AtValue& before, const AtValue& here) {
    for_pairs(here, [&](const GapKey& key, double value) {
      const auto from = before.saddles.find(std::get<0>(key)), to = before.saddles.find(std::get<2>(key));
      if (from == before.saddles.end() || to == before.saddles.end()) return;
      const auto last = gap_of(from->second, to->second, key);
      if (!last) return;
      const bool begins = value == 0;
      if (!begins && !((*last < 0) != (value < 0) && *last != 0)) return;
      locate(key, before, *last, here, value);
    });
  }

  std::optional<Equilibrium> equilibrium_at(const Equilibrium& near, double parameter) const {
    EquilibriumFamily family(one_parameter(problem_, options_.first, options_.last),
                             options_.manifolds.run.sliding_rule, run_.start, near, sizes_);
    const auto u = family.at_same_parameter(family.unknowns_of(near, parameter));
    return u ? family.describe(*u) : std::nullopt;
  }

  struct Evaluated {
    double gap = 0;
    Vector state = {};
    EquilibriumManifolds from = {}, to = {};
  };

  std::optional<Evaluated> evaluate(const GapKey& key, const AtValue& near, double parameter) const {
    const std::size_t a = std::get<0>(key), b = std::get<2>(key);
    const auto from = equilibrium_at(near.saddles.at(a).equilibrium, parameter);
    const auto to = a == b ? from : equilibrium_at(near.saddles.at(b).equilibrium, parameter);
    if (!from || !to) return std::nullopt;
    const Automaton problem = with_section(parameter);
    Evaluated result{.from = manifolds_of(problem, *from)};
    result.to = a == b ? result.from : manifolds_of(problem, *to);
    const auto gap = gap_of(result.from, result.to, key, &result.state);
    if (!gap) return std::nullopt;
    result.gap = *gap;
    return result;
  }

  void locate(const GapKey& key, const AtValue& before, double at_before, const AtValue& here,
              double at_here) {
    const bool forwards = before.parameter < here.parameter;
    SecantBracket bracket{.low = forwards ? before.parameter : here.parameter,
                          .high = forwards ? here.parameter : before.parameter,
                          .at_low = forwards ? at_before : at_here,
                          .at_high = forwards ? at_here : at_before};
    const double larger = std::max(std::abs(at_before), std::abs(at_here));
    const double rounding = options_.manifolds.run.rtol * 1e-3 * sizes_[1 - options_.state];
    // A family whose manifolds meet at every value has no gap, and its signs are errors of the runs.
    if (larger <= kNoGap * rounding) return;
    std::optional<Evaluated> best;
    double best_at = 0;
    for (int k = 0; k < kMostSecants; ++k) {
      const double at = at_here == 0 && k == 0 ? here.parameter : bracket.next();
      std::optional<Evaluated> found = evaluate(key, before, at);
      if (!found) return;
      const double gap = found->gap;
      if (!best || std::abs(gap) < std::abs(best->gap)) {
        best = std::move(found);
        best_at = at;
      }
      if (gap == 0) break;
      bracket.take(at, gap);
      if (bracket.width() <= kLocated * std::abs(options_.last - options_.first)) break;
      if (std::abs(gap) <= rounding) break;
    }
    if (!best || std::abs(best->gap) > kJump * larger) return;
    const auto& [a, from_side, b, to_side, is_rising] = key;
    // A manifold that comes to the section twice shows the same connection in both directions.
    for (const Connection& known : result_.found)
      if (known.from == a && known.to == b && known.from_side == from_side && known.to_side == to_side &&
          std::abs(known.parameter - best_at) <= 1e-9 * std::abs(options_.last - options_.first))
        return;
    result_.found.push_back({.parameter = best_at,
                             .from = a,
                             .to = b,
                             .from_side = from_side,
                             .to_side = to_side,
                             .state = best->state,
                             .gap = best->gap,
                             .unstable = std::move(best->from),
                             .stable = std::move(best->to)});
  }

  const std::function<Automaton(double value)>& problem_;
  const Run& run_;
  ConnectionOptions options_;
  Vector sizes_ = {};
  std::map<std::size_t, Equilibrium> last_ = {};  // where the saddle of a number was last
  std::map<GapKey, ConnectionGap> gaps_ = {};
  Connections result_ = {};
};

}  // namespace

Connections find_connections(const std::function<Automaton(double value)>& problem, const Run& run,
                             const ConnectionOptions& options) {
  return ConnectionSearch(problem, run, options).execute();
}

}  // namespace slideway
