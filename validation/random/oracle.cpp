#include "validation/random/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "validation/random/processor_time.hpp"

namespace slideway::validation::random {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
// Coefficients of a series in units of its largest are zero below the first and not zero above the second of these.
constexpr Real is_zero = 1e-15L;
constexpr Real is_not_zero = 1e-13L;
// Events that follow each other faster than this part of the run end in a limit.
constexpr Real shortest_interval = 1e-12L;
// The last few flights before such a limit took less than this part.
constexpr Real last_flights = 100 * shortest_interval;

struct Undecided {
  std::string why;
};

// The order and sign of the first coefficient that is not zero; order 0 where all are.
struct Leading {
  std::size_t order = 0;
  int sign = 0;
  bool doubtful = false;
};

Leading leading_of(std::span<const Real> series, std::size_t from, Real unit) {
  Real largest = 0;
  Real power = 1;
  for (const Real coefficient : series) {
    largest = std::max(largest, std::abs(coefficient) * power);
    power *= unit;
  }
  power = std::pow(unit, static_cast<Real>(from));
  for (std::size_t k = from; k < series.size(); ++k) {
    const Real size = std::abs(series[k]) * power;
    if (size > is_zero * largest) {
      return {.order = k, .sign = series[k] > 0 ? 1 : -1, .doubtful = size < is_not_zero * largest};
    }
    power *= unit;
  }
  return {};
}

class Oracle {
 public:
  Oracle(const RandomModel& model, const OracleOptions& options)
      : model_(model),
        options_(options),
        taylor_(model, options.drift.empty() ? Reals(model.states.size(), 0)
                                             : Reals(options.drift.begin(), options.drift.end())) {}

  Motion run() {
    try {
      follow();
    } catch (const Undecided& reason) {
      motion_.end = MotionEnd::undecided;
      motion_.why = reason.why;
    }
    motion_.t = t_;
    motion_.state.assign(x_.begin(), x_.end());
    return motion_;
  }

 private:
  // The surfaces, contacts and events met at an instant.
  struct Met {
    std::vector<std::size_t> surfaces = {};
    std::vector<std::size_t> contacts = {};
    std::vector<std::size_t> resets = {};
  };

  void follow() {
    started_ = thread_seconds();
    t_ = model_.start;
    end_ = model_.end;
    span_ = end_ - t_;
    for (const StateEntry& state : model_.states) x_.push_back(state.initial);
    motion_.largest.assign(x_.size(), 0);
    lambdas_.assign(model_.surfaces.size(), 0);
    forces_.assign(model_.contacts.size(), 0);
    regime_.location = model_.initial_location;
    regime_.sides.assign(model_.surfaces.size(), 1);
    regime_.closed.assign(model_.contacts.size(), false);
    guard_zeros_.assign(model_.surfaces.size(), 0);
    gap_zeros_.assign(model_.contacts.size(), 0);
    begin();
    while (t_ < end_) step();
    motion_.end = ends_in_limit_ ? MotionEnd::zeno : MotionEnd::reached;
  }

  void begin() {
    const Reals guards = guard_values();
    Met met;
    for (std::size_t i = 0; i < guards.size(); ++i) {
      regime_.sides[i] = guards[i] < 0 ? -1 : 1;
      if (guards[i] == 0) met.surfaces.push_back(i);
    }
    for (std::size_t c = 0; c < model_.contacts.size(); ++c) {
      const Real gap = expansion_.gaps[c][0];
      if (gap < 0) throw Undecided{"the start is inside a contact"};
      if (gap > 0) continue;
      if (expansion_.rates[c][0] != 0) throw Undecided{"the start is an impact"};
      met.contacts.push_back(c);
    }
    std::vector<std::string> names;
    if (!model_.locations.empty()) fire_entered(names);
    if (!names.empty()) throw Undecided{"an edge fires at the start"};
    decide(met);
    motion_.initial_word = word();
    motion_.initial_location = location_name();
  }

  std::string location_name() const {
    return model_.locations.empty() ? std::string{}
                                    : model_.locations[static_cast<std::size_t>(regime_.location)].name;
  }

  std::string word() const {
    std::string out;
    for (const int side : regime_.sides) out += side < 0 ? '-' : side > 0 ? '+' : '0';
    for (const bool closed : regime_.closed) out += closed ? '0' : '+';
    return out;
  }

  void expand(const Regime& regime, std::size_t order, Expansion& out) {
    taylor_.expand(t_, x_, regime, order, lambdas_, forces_, out);
  }

  Reals guard_values() {
    Regime plain = regime_;
    for (int& side : plain.sides) side = side == 0 ? 1 : side;
    plain.closed.assign(plain.closed.size(), false);
    expand(plain, 1, expansion_);
    Reals out;
    for (std::size_t i = 0; i < model_.surfaces.size(); ++i) out.push_back(expansion_.guards[i][0]);
    return out;
  }

  // One step of the series, up to its end, the next event or the end of the run.
  void step() {
    constexpr int most_steps = 200'000;
    constexpr int steps_between_looks = 64;
    if (++steps_ > most_steps ||
        (steps_ % steps_between_looks == 0 && thread_seconds() - started_ > options_.seconds)) {
      throw Undecided{"the oracle takes too long"};
    }
    expand(regime_, Taylor::highest, expansion_);
    if (!expansion_.valid) throw Undecided{"multipliers are not determined"};
    Real length = std::min(expansion_.length, end_ - t_);
    // Too small a step is a pole of a multiplier.
    if (length < 1e-16L * span_ && t_ + length < end_) throw Undecided{"a pole"};
    const Real first = first_event(length);
    const bool is_event = first < infinity;
    const Real reach = is_event ? first : length;
    publish(reach);
    const Met met = is_event ? what_is_met(reach) : Met{};
    move(reach, is_event);
    if (is_event) handle(met);
  }

  void publish(Real reach) {
    while (motion_.samples.size() < options_.samples.size()) {
      const Real s = options_.samples[motion_.samples.size()] - t_;
      if (s > reach) break;
      std::vector<long double> sample;
      for (std::size_t j = 0; j < x_.size(); ++j) sample.push_back(value_of(expansion_.states[j], s));
      motion_.samples.push_back(std::move(sample));
    }
    constexpr int looks = 4;
    for (std::size_t j = 0; j < x_.size(); ++j) {
      for (int k = 0; k <= looks; ++k) {
        const Real s = reach * static_cast<Real>(k) / looks;
        motion_.largest[j] = std::max(motion_.largest[j], std::abs(value_of(expansion_.states[j], s)));
      }
    }
  }

  void move(Real reach, bool is_event) {
    for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = value_of(expansion_.states[j], reach);
    for (std::size_t i = 0; i < lambdas_.size(); ++i) {
      if (regime_.sides[i] == 0) lambdas_[i] = value_of(expansion_.lambdas[i], reach);
    }
    for (std::size_t c = 0; c < forces_.size(); ++c) {
      if (regime_.closed[c]) forces_[c] = value_of(expansion_.forces[c], reach);
    }
    t_ += reach;
    if (!is_event && t_ + 1e-17L * span_ >= end_) t_ = end_;
    std::fill(guard_zeros_.begin(), guard_zeros_.end(), 0);
    std::fill(gap_zeros_.begin(), gap_zeros_.end(), 0);
    reset_zeros_.clear();
  }

  // The first zero of what is watched, each series without the zeros at its beginning.
  struct Watched {
    std::vector<Real> series;
    int direction;
    enum class Kind { surface, contact, reset } kind;
    std::size_t index;
  };

  void watch(std::span<const Real> series, std::size_t zeros, int direction, Watched::Kind kind,
             std::size_t index) {
    watched_.push_back(
        {{series.begin() + static_cast<std::ptrdiff_t>(zeros), series.end()}, direction, kind, index});
  }

  void list_watched() {
    watched_.clear();
    for (std::size_t i = 0; i < regime_.sides.size(); ++i) {
      if (regime_.sides[i] != 0) {
        watch(expansion_.guards[i], guard_zeros_[i], -regime_.sides[i], Watched::Kind::surface, i);
        continue;
      }
      const Real bound = static_cast<Real>(model_.surfaces[i].break_away);
      for (const int side : {-1, 1}) {
        watch(expansion_.lambdas[i], 0, side, Watched::Kind::surface, i);
        watched_.back().series[0] -= static_cast<Real>(side) * bound;
      }
    }
    for (std::size_t c = 0; c < regime_.closed.size(); ++c) {
      if (regime_.closed[c]) {
        watch(expansion_.forces[c], 0, -1, Watched::Kind::contact, c);
      } else {
        watch(expansion_.gaps[c], gap_zeros_[c], -1, Watched::Kind::contact, c);
      }
    }
    for (std::size_t r = 0; r < model_.resets.size(); ++r) {
      if (!model_.locations.empty() && model_.resets[r].from != regime_.location) continue;
      std::size_t zeros = 0;
      for (const auto& [index, count] : reset_zeros_) zeros = index == r ? count : zeros;
      watch(expansion_.resets[r], zeros, model_.resets[r].direction, Watched::Kind::reset, r);
    }
  }

  Real first_event(Real length) {
    list_watched();
    Real first = infinity;
    zeros_.clear();
    for (const Watched& item : watched_) {
      // A guard that begins on the wrong side by rounding alone is at zero.
      const Real sign = static_cast<Real>(item.direction);
      Real reach = std::min(length, first * (1 + 1e-12L));
      if (item.kind != Watched::Kind::reset && item.series[0] * sign > 0) {
        Real largest = 0;
        Real power = 1;
        for (const Real c : item.series) {
          largest = std::max(largest, std::abs(c) * power);
          power *= length;
        }
        if (item.series[0] * sign > is_not_zero * largest) throw Undecided{"on the wrong side"};
      }
      const FirstZero zero = first_zero(item.series, reach, item.direction);
      if (zero.touches && (!zero.found || zero.s > 0)) throw Undecided{"a touch"};
      if (!zero.found) continue;
      zeros_.push_back({zero.s, item.kind, item.index});
      first = std::min(first, zero.s);
    }
    return first;
  }

  Met what_is_met(Real reach) const {
    Met met;
    for (const auto& [s, kind, index] : zeros_) {
      if (s > reach * (1 + 1e-13L) + 1e-17L * span_) continue;
      if (kind == Watched::Kind::surface) met.surfaces.push_back(index);
      if (kind == Watched::Kind::contact) met.contacts.push_back(index);
      if (kind == Watched::Kind::reset) met.resets.push_back(index);
    }
    return met;
  }

  void handle(const Met& met) {
    const std::size_t many = met.surfaces.size() + met.contacts.size() + met.resets.size();
    if (many > 1 && met.resets.size() != many) throw Undecided{"events at the same time"};
    std::vector<std::string> names;
    const std::string before = word();
    const std::string location = location_name();
    bool ends = false;
    closing_ = infinity;
    if (!met.resets.empty()) {
      ends = jump(met.resets, names);
    } else if (!met.contacts.empty()) {
      meet_contact(met.contacts[0], names);
    } else {
      meet_surface(met.surfaces[0]);
    }
    if (word() != before || location_name() != location || !names.empty()) {
      motion_.happenings.push_back({t_, word(), location_name(), names, closing_});
    }
    if (!ends) return;
    end_ = t_;
    ends_in_limit_ = true;
  }

  // ---- surfaces ----

  void meet_surface(std::size_t surface) {
    recent_.push_back({t_, surface});
    if (recent_.size() > most_recent) recent_.erase(recent_.begin());
    if (spiral_ends()) return;
    decide({.surfaces = {surface}});
  }

  // Surfaces that are crossed on every flight take part in the accumulation of impacts.
  std::vector<std::size_t> crossed_in_last_flights() const {
    std::vector<std::size_t> surfaces;
    for (const Crossing& crossing : recent_) {
      const bool is_known = std::find(surfaces.begin(), surfaces.end(), crossing.surface) != surfaces.end();
      if (!is_known && t_ - crossing.t <= last_flights * span_) surfaces.push_back(crossing.surface);
    }
    return surfaces;
  }

  // Crossings that follow each other ever faster end where all their surfaces meet.
  bool spiral_ends() {
    if (recent_.size() < most_recent || t_ - recent_.front().t > shortest_interval * span_) return false;
    Regime all = regime_;
    std::vector<std::size_t> members;
    for (const Crossing& crossing : recent_) {
      if (all.sides[crossing.surface] != 0) members.push_back(crossing.surface);
      all.sides[crossing.surface] = 0;
    }
    if (members.size() < 2) throw Undecided{"ever faster crossings"};
    Expansion expansion;
    taylor_.expand(t_, x_, all, 2, Reals(lambdas_.size(), 0), forces_, expansion);
    if (!expansion.valid) throw Undecided{"a spiral into nothing"};
    for (const std::size_t i : members) {
      if (std::abs(expansion.lambdas[i][0]) > 1 - 1e-6L) throw Undecided{"a spiral that does not end"};
      lambdas_[i] = expansion.lambdas[i][0];
    }
    regime_ = all;
    motion_.accumulations.push_back({.limit = t_, .places = members});
    recent_.clear();
    return true;
  }

  // The surfaces and contacts whose velocities depend on what is met, directly or by others that slide or are closed.
  void gather(Met& met) {
    std::vector<std::size_t> surfaces = met.surfaces;
    std::vector<std::size_t> contacts = met.contacts;
    Regime all = regime_;
    for (const std::size_t i : surfaces) all.sides[i] = 0;
    for (const std::size_t c : contacts) all.closed[c] = true;
    const std::size_t m = model_.surfaces.size();
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < m; ++i) {
      if (all.sides[i] == 0) active.push_back(i);
    }
    for (std::size_t c = 0; c < all.closed.size(); ++c) {
      if (all.closed[c]) active.push_back(m + c);
    }
    std::vector<bool> reached(m + all.closed.size(), false);
    for (const std::size_t i : surfaces) reached[i] = true;
    for (const std::size_t c : contacts) reached[m + c] = true;
    std::vector<std::vector<bool>> depends(m + all.closed.size(),
                                           std::vector<bool>(m + all.closed.size(), false));
    Reals lambdas(m, 0);
    for (std::size_t i = 0; i < m; ++i) lambdas[i] = 0.37L + 0.011L * static_cast<Real>(i);
    Reals forces(all.closed.size(), 0.3L);
    const Reals base = taylor_.velocities(t_, x_, all, lambdas, forces);
    for (const std::size_t j : active) {
      Real& unknown = j < m ? lambdas[j] : forces[j - m];
      const Real old = unknown;
      unknown = old - 0.71L;
      const Reals moved = taylor_.velocities(t_, x_, all, lambdas, forces);
      unknown = old;
      for (const std::size_t i : active) {
        depends[i][j] = std::abs(moved[i] - base[i]) > 1e-14L * (std::abs(moved[i]) + std::abs(base[i]));
      }
    }
    for (std::size_t round = 0; round < active.size(); ++round) {
      for (const std::size_t i : active) {
        for (const std::size_t j : active) {
          if ((depends[i][j] || depends[j][i]) && (reached[i] || reached[j])) reached[i] = reached[j] = true;
        }
      }
    }
    met.surfaces.clear();
    met.contacts.clear();
    for (const std::size_t i : active) {
      if (!reached[i]) continue;
      if (i < m) {
        met.surfaces.push_back(i);
      } else {
        met.contacts.push_back(i - m);
      }
    }
  }

  struct Candidate {
    Regime regime;
    Reals lambdas;
    Reals forces;
    std::vector<std::size_t> guard_zeros;
    std::vector<std::size_t> gap_zeros;
    std::size_t held = 0;  // surfaces with break-away at rest
    Reals matrix;
    std::size_t unknowns = 0;
  };

  // Finds the one regime that is consistent and takes it.
  void decide(Met met) {
    if (met.surfaces.empty() && met.contacts.empty()) return;
    gather(met);
    const std::size_t count = met.surfaces.size() + met.contacts.size();
    constexpr std::size_t most = 5;
    if (count > most) throw Undecided{"too many surfaces meet"};
    std::size_t combinations = 1;
    for (std::size_t k = 0; k < met.surfaces.size(); ++k) combinations *= 3;
    for (std::size_t k = 0; k < met.contacts.size(); ++k) combinations *= 2;
    std::vector<Candidate> consistent;
    for (std::size_t number = 0; number < combinations; ++number) {
      Regime regime = regime_;
      std::size_t rest = number;
      for (const std::size_t i : met.surfaces) {
        regime.sides[i] = static_cast<int>(rest % 3) - 1;
        rest /= 3;
      }
      for (const std::size_t c : met.contacts) {
        regime.closed[c] = rest % 2 == 1;
        rest /= 2;
      }
      if (std::optional<Candidate> candidate = examined(regime, met)) consistent.push_back(*candidate);
    }
    // A body that can rest with break-away does.
    std::size_t held = 0;
    for (const Candidate& candidate : consistent) held = std::max(held, candidate.held);
    std::erase_if(consistent, [&](const Candidate& candidate) { return candidate.held < held; });
    if (consistent.size() != 1) {
      throw Undecided{consistent.empty() ? "nothing is consistent" : "several continuations"};
    }
    const Candidate& only = consistent.front();
    if (only.unknowns >= 2 && !is_p_matrix(only)) throw Undecided{"an intersection that may repel"};
    regime_ = only.regime;
    lambdas_ = only.lambdas;
    forces_ = only.forces;
    for (const std::size_t i : met.surfaces) guard_zeros_[i] = only.guard_zeros[i];
    for (const std::size_t c : met.contacts) gap_zeros_[c] = only.gap_zeros[c];
  }

  std::optional<Candidate> examined(const Regime& regime, const Met& met) {
    constexpr std::size_t order = 8;
    Expansion& e = trial_;
    taylor_.expand(t_, x_, regime, order, lambdas_, forces_, e);
    if (!e.valid) return std::nullopt;
    Candidate candidate{.regime = regime,
                        .lambdas = lambdas_,
                        .forces = forces_,
                        .guard_zeros = guard_zeros_,
                        .gap_zeros = gap_zeros_,
                        .matrix = e.matrix,
                        .unknowns = e.unknowns};
    const Real unit = std::min(e.radius, span_);
    for (const std::size_t i : met.surfaces) {
      if (regime.sides[i] == 0) {
        const Real bound = static_cast<Real>(model_.surfaces[i].break_away);
        if (bound > 1) ++candidate.held;
        if (!stays_within(e.lambdas[i], -bound, bound, unit)) return std::nullopt;
        candidate.lambdas[i] = e.lambdas[i][0];
      } else {
        const Leading leading = leading_of(e.guards[i], 1, unit);
        if (leading.sign != 0 && leading.doubtful) throw Undecided{"a velocity that is nearly zero"};
        if (leading.sign == 0) throw Undecided{"a velocity that is zero"};
        if (leading.sign != regime.sides[i]) return std::nullopt;
        candidate.guard_zeros[i] = leading.order;
      }
    }
    for (const std::size_t c : met.contacts) {
      if (regime.closed[c]) {
        if (!stays_within(e.forces[c], 0, infinity, unit)) return std::nullopt;
        candidate.forces[c] = e.forces[c][0];
      } else {
        Leading leading = leading_of(e.rates[c], 0, unit);
        // A contact in `met` was closed or has come to rest, so a rate as small as rounding counts as zero.
        if (leading.order == 0 && leading.doubtful) leading = leading_of(e.rates[c], 1, unit);
        if (leading.sign == 0 || leading.doubtful) throw Undecided{"a gap that is nearly zero"};
        if (leading.sign < 0) return std::nullopt;
        candidate.gap_zeros[c] = leading.order + 1;
      }
    }
    return candidate;
  }

  // Whether a multiplier is within its bounds just after, by its first coefficient that is not at a bound.
  static bool stays_within(std::span<const Real> series, Real low, Real high, Real unit) {
    const Real size = high < infinity ? high : 1;
    constexpr Real close = 1e-13L;
    Real scale = size;
    Real power = 1;
    for (const Real c : series) {
      if (high == infinity) scale = std::max(scale, std::abs(c) * power);
      power *= unit;
    }
    const bool at_low = std::abs(series[0] - low) <= close * scale;
    const bool at_high = high < infinity && std::abs(series[0] - high) <= close * scale;
    if (!at_low && !at_high) return series[0] > low && series[0] < high;
    const Leading leading = leading_of(series, 1, unit);
    if (leading.sign == 0 || leading.doubtful) throw Undecided{"a multiplier that stays at its bound"};
    return at_low ? leading.sign > 0 : leading.sign < 0;
  }

  // Whether all principal minors of −D are positive (of +D for contacts): the sliding then attracts.
  bool is_p_matrix(const Candidate& candidate) const {
    const std::size_t n = candidate.unknowns;
    std::size_t sliding = 0;
    for (const int side : candidate.regime.sides) sliding += side == 0 ? 1 : 0;
    for (std::size_t set = 1; set < (std::size_t{1} << n); ++set) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < n; ++i) {
        if ((set >> i & 1U) != 0) rows.push_back(i);
      }
      Reals minor(rows.size() * rows.size());
      for (std::size_t a = 0; a < rows.size(); ++a) {
        const Real sign = rows[a] < sliding ? -1 : 1;
        for (std::size_t b = 0; b < rows.size(); ++b) {
          minor[a * rows.size() + b] = sign * candidate.matrix[rows[a] * n + rows[b]];
        }
      }
      if (!(determinant(minor, rows.size()) > 0)) return false;
    }
    return true;
  }

  static Real determinant(Reals matrix, std::size_t n) {
    Real product = 1;
    for (std::size_t column = 0; column < n; ++column) {
      std::size_t pivot = column;
      for (std::size_t row = column; row < n; ++row) {
        if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
      }
      if (matrix[pivot * n + column] == 0) return 0;
      if (pivot != column) {
        for (std::size_t j = 0; j < n; ++j) std::swap(matrix[pivot * n + j], matrix[column * n + j]);
        product = -product;
      }
      product *= matrix[column * n + column];
      for (std::size_t row = column + 1; row < n; ++row) {
        const Real factor = matrix[row * n + column] / matrix[column * n + column];
        for (std::size_t j = column; j < n; ++j) matrix[row * n + j] -= factor * matrix[column * n + j];
      }
    }
    return product;
  }

  // ---- contacts ----

  // The change of the rate of a gap by a unit of its own impulse.
  Real admittance(std::size_t contact, std::size_t of) {
    Reals forces(model_.contacts.size(), 0);
    Reals moved = x_;
    for (const auto& [state, strength] : model_.contacts[contact].acts_on) {
      moved[static_cast<std::size_t>(state)] += static_cast<Real>(strength);
    }
    Regime plain = open_regime();
    Expansion before;
    Expansion after;
    taylor_.expand(t_, x_, plain, 1, lambdas_, forces, before);
    taylor_.expand(t_, moved, plain, 1, lambdas_, forces, after);
    return after.rates[of][0] - before.rates[of][0];
  }

  Regime open_regime() const {
    Regime plain = regime_;
    for (int& side : plain.sides) side = side == 0 ? 1 : side;
    plain.closed.assign(plain.closed.size(), false);
    return plain;
  }

  void meet_contact(std::size_t contact, std::vector<std::string>& names) {
    if (regime_.closed[contact]) {
      decide({.contacts = {contact}});
      return;
    }
    Expansion at;
    taylor_.expand(t_, x_, regime_, 4, lambdas_, forces_, at);
    if (!at.valid) throw Undecided{"multipliers are not determined"};
    const Real rate = at.rates[contact][0];
    const Real acceleration = at.rates[contact][1];
    if (!(rate < 0)) throw Undecided{"a gap that closes without speed"};
    closing_ = -rate;
    for (std::size_t other = 0; other < model_.contacts.size(); ++other) {
      if (other == contact || !regime_.closed[other]) continue;
      if (admittance(contact, other) != 0) throw Undecided{"an impact between closed contacts"};
    }
    const Real restitution = static_cast<Real>(model_.contacts[contact].restitution);
    const Real unit = admittance(contact, contact);
    const Real flight = acceleration < 0 ? 2 * restitution * -rate / -acceleration : infinity;
    const bool rests = restitution == 0 || flight < shortest_interval * span_;
    if (rests && restitution > 0) {
      std::vector<std::size_t> places = crossed_in_last_flights();
      places.push_back(model_.surfaces.size() + contact);
      motion_.accumulations.push_back({.limit = t_,
                                       .names = {model_.contacts[contact].name},
                                       .places = std::move(places),
                                       .pressing = -acceleration});
    }
    const Real impulse = -(1 + (rests ? 0 : restitution)) * rate / unit;
    for (const auto& [state, strength] : model_.contacts[contact].acts_on) {
      x_[static_cast<std::size_t>(state)] += static_cast<Real>(strength) * impulse;
    }
    // A contact that does not bounce only comes to rest: the word tells that.
    if (!rests) names.push_back(model_.contacts[contact].name);
    Met met;
    if (rests) met.contacts.push_back(contact);
    if (!rests) gap_zeros_[contact] = 1;
    after_jump(met);
  }

  // Surfaces after the states have jumped: those that are not met have the side of their guard.
  void after_jump(Met met) {
    const Reals guards = guard_values();
    const Expansion& e = expansion_;
    for (std::size_t i = 0; i < guards.size(); ++i) {
      const Leading leading = leading_of(e.guards[i], 0, 1);
      Real scale = 0;
      for (const StateEntry& state : model_.states) scale = std::max(scale, static_cast<Real>(state.scale));
      if (std::abs(guards[i]) < 1e-16L * scale || leading.sign == 0 || leading.order > 0) {
        met.surfaces.push_back(i);
      } else {
        regime_.sides[i] = guards[i] < 0 ? -1 : 1;
      }
    }
    for (std::size_t c = 0; c < model_.contacts.size(); ++c) {
      if (!regime_.closed[c]) continue;
      met.contacts.push_back(c);
    }
    decide(met);
  }

  // ---- resets and edges ----

  Real reset_value(std::size_t reset) {
    expand(open_regime(), 1, expansion_);
    return expansion_.resets[reset][0];
  }

  void assign(std::size_t reset) {
    const Reals values = taylor_.assigned(t_, x_, open_regime(), reset);
    for (std::size_t k = 0; k < values.size(); ++k) {
      x_[static_cast<std::size_t>(model_.resets[reset].set[k].first)] = values[k];
    }
  }

  // Returns whether the run ends there.
  bool jump(const std::vector<std::size_t>& met, std::vector<std::string>& names) {
    if (model_.locations.empty()) return fire_rounds(met, names);
    if (met.size() > 1) throw Undecided{"edges at the same time"};
    const std::size_t edge = met[0];
    if (limit_of(edge)) {
      const int zeno = model_.resets[edge].zeno;
      motion_.accumulations.push_back({.limit = t_, .names = {model_.resets[edge].name}});
      if (zeno < 0) return true;
      regime_.location = zeno;
      after_jump({});
      return false;
    }
    take(edge, names);
    fire_entered(names);
    after_jump({});
    return false;
  }

  void take(std::size_t edge, std::vector<std::string>& names) {
    names.push_back(model_.resets[edge].name);
    assign(edge);
    if (!model_.locations.empty()) regime_.location = model_.resets[edge].to;
  }

  // Edges of the location just entered that are already beyond their guards fire at once.
  void fire_entered(std::vector<std::string>& names) {
    constexpr std::size_t most = 30;
    for (bool again = true; again;) {
      again = false;
      reset_zeros_.clear();
      expand(open_regime(), 8, trial_);
      const Real unit = std::min(trial_.radius, span_);
      for (std::size_t r = 0; r < model_.resets.size(); ++r) {
        if (model_.resets[r].from != regime_.location) continue;
        const Leading leading = leading_of(trial_.resets[r], 0, unit);
        if (leading.sign == 0 || leading.doubtful) throw Undecided{"an edge that is nearly met"};
        if (leading.order > 0) reset_zeros_.emplace_back(r, leading.order);
        if (leading.sign != model_.resets[r].direction) continue;
        take(r, names);
        if (names.size() > most) throw Undecided{"a cascade without end"};
        again = true;
        break;
      }
    }
  }

  // Plain resets: those met fire in the order of the file, then those that were carried past their guards.
  bool fire_rounds(std::vector<std::size_t> firing, std::vector<std::string>& names) {
    if (firing.size() == 1 && limit_of(firing[0])) {
      motion_.accumulations.push_back({.limit = t_, .names = {model_.resets[firing[0]].name}});
      return true;
    }
    const std::size_t count = model_.resets.size();
    std::vector<bool> beyond(count, false);
    const auto is_beyond = [&](std::size_t r) {
      const Real value = reset_value(r) * static_cast<Real>(model_.resets[r].direction);
      if (std::abs(value) < 1e-15L && std::find(firing.begin(), firing.end(), r) == firing.end()) {
        throw Undecided{"a jump onto a guard"};
      }
      return value > 0;
    };
    for (std::size_t r = 0; r < count; ++r) {
      beyond[r] = std::find(firing.begin(), firing.end(), r) != firing.end() || is_beyond(r);
    }
    constexpr int most_rounds = 100;
    std::vector<std::size_t> fired = firing;
    for (int round = 0; !firing.empty(); ++round) {
      if (round > most_rounds) throw Undecided{"a cascade without end"};
      std::sort(firing.begin(), firing.end());
      for (const std::size_t r : firing) take(r, names);
      std::vector<std::size_t> next;
      for (std::size_t r = 0; r < count; ++r) {
        const Real value = reset_value(r) * static_cast<Real>(model_.resets[r].direction);
        const bool now = value > 1e-15L;
        if (now && !beyond[r]) next.push_back(r);
        beyond[r] = now;
      }
      firing = next;
      fired.insert(fired.end(), next.begin(), next.end());
    }
    reset_zeros_.clear();
    expand(open_regime(), 8, trial_);
    for (const std::size_t r : fired) {
      const Leading leading = leading_of(trial_.resets[r], 0, std::min(trial_.radius, span_));
      if (leading.order > 0) reset_zeros_.emplace_back(r, leading.order);
    }
    after_jump({});
    return false;
  }

  // Whether the events of a reset follow each other so fast that they end here.
  bool limit_of(std::size_t reset) {
    if (last_fired_.size() < model_.resets.size()) {
      last_fired_.assign(model_.resets.size(), -infinity);
      last_interval_.assign(model_.resets.size(), infinity);
    }
    const Real interval = t_ - last_fired_[reset];
    const bool shrinks = interval < last_interval_[reset];
    last_fired_[reset] = t_;
    last_interval_[reset] = interval;
    if (interval > shortest_interval * span_) return false;
    if (!shrinks) throw Undecided{"events without end"};
    return true;
  }

  struct Crossing {
    Real t;
    std::size_t surface;
  };
  struct Zero {
    Real s;
    Watched::Kind kind;
    std::size_t index;
  };
  static constexpr std::size_t most_recent = 8;

  const RandomModel& model_;
  const OracleOptions& options_;
  Taylor taylor_;
  Motion motion_ = {};
  Real t_ = 0;
  Real end_ = 0;
  Real span_ = 0;
  Reals x_ = {};
  Reals lambdas_ = {};
  Reals forces_ = {};
  Regime regime_ = {};
  std::vector<std::size_t> guard_zeros_ = {};
  std::vector<std::size_t> gap_zeros_ = {};
  Real closing_ = infinity;  // speed of the gap that closes at this instant
  std::vector<std::pair<std::size_t, std::size_t>> reset_zeros_ = {};
  Expansion expansion_ = {};
  Expansion trial_ = {};
  std::vector<Watched> watched_ = {};
  std::vector<Zero> zeros_ = {};
  std::vector<Crossing> recent_ = {};
  Reals last_fired_ = {};
  Reals last_interval_ = {};
  int steps_ = 0;
  double started_ = 0;
  bool ends_in_limit_ = false;
};

}  // namespace

Motion solve(const RandomModel& model, const OracleOptions& options) {
  if (model.solved == nullptr) return Oracle(model, options).run();
  // The states in terms of those that are solved for.
  RandomModel written = *model.solved;
  written.resets = {ResetEntry{}};
  for (std::size_t k = 0; k < model.in_solved.size(); ++k) {
    written.resets[0].set.emplace_back(static_cast<int>(k), model.in_solved[k]);
  }
  Taylor map(written, Reals(written.states.size(), 0));
  const Regime plain{.sides = std::vector<int>(written.surfaces.size(), 1),
                     .closed = std::vector<bool>(written.contacts.size(), false)};
  OracleOptions slow = options;
  if (!slow.drift.empty()) slow.drift.resize(written.states.size());
  Motion motion = Oracle(*model.solved, slow).run();
  motion.state = map.assigned(motion.t, motion.state, plain, 0);
  for (std::size_t s = 0; s < motion.samples.size(); ++s) {
    motion.samples[s] = map.assigned(options.samples[s], motion.samples[s], plain, 0);
  }
  motion.largest.resize(model.states.size(), 0);
  return motion;
}

}  // namespace slideway::validation::random
