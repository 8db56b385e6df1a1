#include "simulate/affine_scan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/constants.hpp"
#include "core/state_errors.hpp"
#include "core/wide_loops.hpp"
#include "filippov/side_loops.hpp"
#include "integrate/guard_scan.hpp"
#include "simulate/polynomial_zero.hpp"
#include "simulate/precision.hpp"

namespace slideway {

namespace {

using Coefficients = GuardPolynomial::Coefficients;

struct FindArmed {
  [[gnu::always_inline]] void operator()(Index slots, const double* value, const double* above,
                                         char* __restrict armed) const {
    for (Index slot = 0; slot < slots; ++slot) armed[slot] = value[slot] > above[slot] ? 1 : 0;
  }
};

using Row = Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator;

}  // namespace

AffineScan::AffineScan(Evaluator& evaluator, Index slots)
    : evaluator_(evaluator),
      rates_(evaluator.affine_rates()),
      mode_(evaluator.system().surfaces()),
      slots_(slots) {
  const auto size = static_cast<std::size_t>(slots);
  watches_.assign(size, 0);
  armed_.assign(size, 0);
  place_.assign(size, 0);
  watched_.resize(static_cast<std::size_t>(evaluator.system().surfaces()));
  newly_armed_.reserve(size);
  candidates_.reserve(size);
  zeros_.slots.reserve(size);
  zeros_.times.reserve(size);
  result_.slots.reserve(size);
  for (Vector* vector : {&ends_.from, &ends_.to, &ends_.off})
    *vector = Vector::Zero(evaluator.system().states());
  const auto append_reads = [&](const Eigen::SparseMatrix<double, Eigen::RowMajor>& slopes) {
    const int* const states = slopes.innerIndexPtr();
    read_states_.insert(read_states_.end(), states, states + slopes.nonZeros());
  };
  append_reads(evaluator.affine_dx());
  if (rates_) append_reads(rates_->dx);
  std::sort(read_states_.begin(), read_states_.end());
  read_states_.erase(std::unique(read_states_.begin(), read_states_.end()), read_states_.end());
  if (!rates_) return;
  for (Index i = 0; i < rates_->dlambda.outerSize(); ++i) {
    bool sees_own = false;
    for (Row entry(rates_->dlambda, i); entry; ++entry) {
      if (entry.value() == 0) continue;
      if (entry.col() == i) {
        sees_own = true;
      } else {
        diagonal_ = false;
      }
    }
    all_see_own_ = all_see_own_ && sees_own;
  }
}

void AffineScan::add(Index slot, const AffineGuard& guard) {
  const AffineGuard& kept = guards_beside_.emplace_back(guard);
  place_[static_cast<std::size_t>(slot)] = watched_.size();
  Watched& watched = watched_.emplace_back();
  watched.slot = slot;
  watched.is_off = false;
  watched.function = {.origin = kept.origin,
                      .by_time = kept.by_time,
                      .states = kept.states.data(),
                      .weights = kept.weights.data(),
                      .count = static_cast<int>(kept.states.size())};
  watched.look_for_one_state();
  for (const int state : kept.states) {
    const auto place = std::lower_bound(read_states_.begin(), read_states_.end(), state);
    if (place == read_states_.end() || *place != state) read_states_.insert(place, state);
  }
  watches_[static_cast<std::size_t>(slot)] = 1;
  ++beside_;
  ++count_;
}

// are_apart() tells whether each of the surfaces that slide sees its own relay, and none sees that of another.
bool AffineScan::are_apart(const Mode& mode) const {
  if (diagonal_ && all_see_own_) return true;
  for (Index i = 0; i < mode.size(); ++i) {
    if (!mode.slides_on(i)) continue;
    bool sees_own = false;
    for (Row entry(rates_->dlambda, i); entry; ++entry) {
      if (entry.value() == 0) continue;
      if (entry.col() == i) {
        sees_own = true;
      } else if (mode.slides_on(entry.col())) {
        return false;
      }
    }
    if (!sees_own) return false;
  }
  return true;
}

// The surface as it is in mode_.
void AffineScan::watch(Index i, double exit_sign) {
  Watched& watched = watched_[static_cast<std::size_t>(i)];
  char* const watches = &watches_[static_cast<std::size_t>(2 * i)];
  const bool slides = mode_.slides_on(i);
  if (!watched.is_off) --count_;
  watched.is_off = slides && !watches_surfaces_;
  watches[0] = !watched.is_off;
  watches[1] = slides && !watched.is_off;
  if (watched.is_off) return;
  ++count_;
  watched.slot = 2 * i;
  watched.is_pair = slides;
  watched.state = -1;
  const auto& slopes = slides ? rates_->dx : evaluator_.affine_dx();
  const int* const start = slopes.outerIndexPtr() + i;
  AffineFunction& function = watched.function;
  function.states = slopes.innerIndexPtr() + start[0];
  function.weights = slopes.valuePtr() + start[0];
  function.count = start[1] - start[0];
  if (!slides) {
    watched.base = 0;
    watched.factor = number_of(mode_[i]);
    function.origin = evaluator_.affine_origin()[i];
    function.by_time = evaluator_.affine_dt()[i];
    watched.look_for_one_state();
    return;
  }
  // w at λᵢ = 0.
  function.origin = rates_->origin[i];
  function.by_time = rates_->dt[i];
  double effect = 0;
  for (Row entry(rates_->dlambda, i); entry; ++entry) {
    if (entry.col() == i) {
      effect = entry.value();
    } else {
      function.origin += entry.value() * number_of(mode_[entry.col()]);
    }
  }
  const bool alone = sliding_ == 1;
  watched.base = alone ? -exit_sign * effect : 1;
  watched.factor = alone ? exit_sign : -1 / effect;
}

void AffineScan::begin(const Mode& mode, double exit_sign) {
  const Index sliding = mode.codimension();
  const bool all = sliding == 0 || (rates_ && are_apart(mode));
  // The function to watch for one surface depends on the relays of the others, and on whether it slides alone.
  const bool anew = exit_sign != exit_sign_ || all != watches_surfaces_ ||
                    (sliding == 1) != (sliding_ == 1) || (sliding > 0 && rates_ && !diagonal_);
  exit_sign_ = exit_sign;
  watches_surfaces_ = all;
  sliding_ = sliding;
  if (!anew) {
    mode.for_differences(mode_, [&](Index i) {
      mode_.set(i, mode[i]);
      watch(i, exit_sign);
    });
    return;
  }
  mode_ = mode;
  for (Index i = 0; i < mode.size(); ++i) watch(i, exit_sign);
}

void AffineScan::start(ConstVectorRef values, const Vector& arm_above, const Vector& arrive_below) {
  arm_above_ = &arm_above;
  arrive_below_ = &arrive_below;
  run_loop(FindArmed(), static_cast<Index>(armed_.size()), values.data(), arm_above.data(), armed_.data());
}

double AffineScan::exit_tolerance(Index surface, ConstVectorRef weights) const {
  const Watched& watched = watched_[static_cast<std::size_t>(surface)];
  double sum = 0;
  for (int k = 0; k < watched.function.count; ++k)
    sum += std::abs(watched.function.weights[k]) * error_of(weights[watched.function.states[k]]);
  return std::abs(watched.factor) * sum;
}

double AffineScan::first_zero(Index slot, const Coefficients& c, Index degree, double rounding,
                              double resolution) {
  const auto at = static_cast<std::size_t>(slot);
  double above = (*arm_above_)[slot];
  double below = (*arrive_below_)[slot];
  if (!armed_[at] && std::isinf(above) && std::isinf(below)) return kNever;
  if (armed_[at]) {
    if (c[0] > rounding) return first_zero_after(0, c, degree, 1, 0, resolution);
    // Armed, but not above the rounding of this sum.
    above = below = rounding;
  }
  above = std::max(above, rounding);
  below = std::max(below, rounding);
  if (c[0] < -below) return 0;
  Coefficients b = c;
  GuardPolynomial::to_bernstein(b, degree);
  const auto past_end = b.begin() + degree + 1;
  if (b[static_cast<std::size_t>(degree)] > above && *std::min_element(b.begin(), past_end) >= -above) {
    arm(slot);
    return kNever;
  }
  const double armed_from =
      std::isinf(above) ? kNever : first_zero_after(0, c, degree, -1, above, resolution);
  const double arrives = std::isinf(below) ? kNever : first_zero_after(0, c, degree, 1, below, resolution);
  if (arrives <= armed_from) return arrives;
  arm(slot);
  return first_zero_after(armed_from, c, degree, 1, 0, resolution);
}

void AffineScan::arm(Index slot) {
  char& armed = armed_[static_cast<std::size_t>(slot)];
  if (armed == 0) newly_armed_.push_back(slot);
  armed = 1;
}

void AffineScan::forget_arming() {
  for (const Index slot : newly_armed_) armed_[static_cast<std::size_t>(slot)] = 0;
  newly_armed_.clear();
}

Interpolant AffineScan::polynomial_of(const AffineFunction& function) {
  return stepper_->interpolant_of({function.states, static_cast<std::size_t>(function.count)});
}

// A function g in [a, b] is no farther from its chord than max|g″|(b − a)²/8.
StepChords AffineScan::find_chords(const Interval& interval) {
  const Interpolant x = stepper_->interpolant();
  const Index degree = x.terms - 1;
  const double sigma_from = x.place(interval.from);
  const double sigma_to = x.place(interval.to);
  stepper_->evaluate(interval.to, ends_.to);
  const double* at_from = x.columns[0];
  if (sigma_from != 0) {
    ends_.from = x.coefficient(degree);
    for (Index k = degree - 1; k >= 0; --k) ends_.from = ends_.from * sigma_from + x.coefficient(k);
    at_from = ends_.from.data();
  }
  const double furthest = std::max(std::abs(sigma_from), std::abs(sigma_to));
  const double length = sigma_to - sigma_from;
  std::array<double, GuardPolynomial::kMostCoefficients> factors;
  double power = 0.125 * length * length;
  for (Index k = 2; k <= degree; ++k, power *= furthest)
    factors[static_cast<std::size_t>(k)] = power * static_cast<double>(k * (k - 1));
  // The loop works in blocks, which stay in the registers.
  constexpr Index block = 8;
  for (Index first = 0; first < x.states; first += block) {
    const Index size = std::min(block, x.states - first);
    double sum[block] = {};
    for (Index k = 2; k <= degree; ++k) {
      const double* const column = x.columns[k] + first;
      const double factor = factors[static_cast<std::size_t>(k)];
      if (size == block) {
        for (Index i = 0; i < block; ++i) sum[i] += factor * std::abs(column[i]);
      } else {
        for (Index i = 0; i < size; ++i) sum[i] += factor * std::abs(column[i]);
      }
    }
    std::copy(sum, sum + size, ends_.off.data() + first);
  }
  for (Index i = 0; i < x.states; ++i)
    ends_.off[i] += StepChords::kRounding * (std::abs(at_from[i]) + std::abs(ends_.to[i]));
  return {interval.from, interval.to, at_from, ends_.to.data(), ends_.off.data()};
}

AffineScan::Chord AffineScan::chord_of(const Watched& watched, const Interval& interval) {
  const AffineFunction& function = watched.function;
  const StepChords& chords = interval.chords;
  const double by_time = function.by_time;
  double first = function.origin + by_time * interval.from;
  double last = function.origin + by_time * interval.to;
  double off = 0;
  for (int entry = 0; entry < function.count; ++entry) {
    const int state = function.states[entry];
    const double weight = function.weights[entry];
    first += weight * chords.first[state];
    last += weight * chords.last[state];
    off += std::abs(weight) * chords.off[state];
  }
  const double terms =
      2 * std::abs(function.origin) + std::abs(by_time) * (std::abs(interval.from) + std::abs(interval.to));
  const double scale = std::abs(watched.factor);
  return {watched.factor * first, watched.factor * last,
          scale * (kBeyondUnit * off + kRounding * terms) + kRounding * std::abs(watched.base)};
}

// The first zero leaves less of the interval to the others.
void AffineScan::look_at_candidates(Interval& interval) {
  if (candidates_.empty()) return;
  const auto crosses_at = [](const Candidate& candidate) {
    return candidate.last < 0 ? candidate.first / (candidate.first - candidate.last) : 1.0;
  };
  std::size_t earliest = 0;
  double first = crosses_at(candidates_[0]);
  for (std::size_t k = 1; k < candidates_.size(); ++k) {
    const double crosses = crosses_at(candidates_[k]);
    if (!(crosses < first)) continue;
    first = crosses;
    earliest = k;
  }
  std::swap(candidates_[0], candidates_[earliest]);
  for (const Candidate& candidate : candidates_) {
    const double last = candidate.first + (candidate.last - candidate.first) * std::min(interval.end, 1.0);
    if (!(std::min(candidate.first, last) > candidate.off))
      look(*candidate.watched, candidate.slot, candidate.factor, interval);
  }
}

void AffineScan::look(const Watched& watched, Index slot, double factor, Interval& interval) {
  const Interpolant x = polynomial_of(watched.function);
  const double sigma_from = x.place(interval.from);
  const double sigma_to = x.place(interval.to);
  const bool armed = armed_[static_cast<std::size_t>(slot)] != 0;
  const Index degree = x.terms - 1;
  GuardPolynomial guard;
  guard.expand(watched.function, watched.base, factor, x);
  if (armed && guard.is_clearly_positive(sigma_from, sigma_to, kRounding)) return;
  const double length = interval.to - interval.from;
  const double latest = std::max(std::abs(interval.from), std::abs(interval.to));
  const double resolution = 2 * kEpsilon * latest / length;
  // blur tells how far σ may be off: a step that is short beside t does not end exactly where it should.
  const double blur = 4 * kEpsilon * latest / std::abs(x.scale);
  const double at_start = guard.size_at(sigma_from);
  const double at_most = std::max(at_start, guard.size_at(sigma_to));
  const double rounding = kRounding * at_start + blur * guard.slope_size_at(sigma_from);
  Coefficients& c = guard.c;
  GuardPolynomial::move(c, degree, sigma_from, interval.end * (sigma_to - sigma_from));
  double lowest = c[0];
  for (Index k = 1; k <= degree; ++k) lowest += std::min(0.0, c[static_cast<std::size_t>(k)]);
  if (lowest > kRounding * at_most && (armed || c[0] > (*arm_above_)[slot])) {
    arm(slot);
    return;
  }
  double tau = interval.end * first_zero(slot, c, degree, rounding, resolution / interval.end);
  if (!(tau < kNever)) {
    // Other guards than those of surfaces count where they come to zero, though they stay there.
    const bool is_beside = slot >= 2 * mode_.size();
    if (!armed || !is_beside || interval.end < 1 ||
        std::accumulate(c.begin(), c.begin() + degree + 1, 0.0) > 0)
      return;
    tau = 1;
  }
  // A zero that cannot be told from the end of the interval counts as there.
  if (1 - tau <= 2 * resolution) tau = std::max(tau, 1.0);
  zeros_.slots.push_back(slot);
  zeros_.times.push_back(interval.from + tau * length);
  interval.first = std::min(interval.first, zeros_.times.back());
  interval.end = std::min(interval.end, tau + 2 * location_accuracy(interval.to, length) / length);
}

// Adds guards that are zero with the first one, except beyond the interval.
void AffineScan::add_imminent(const Interval& interval, double just_after) {
  GuardPolynomial guard;
  const auto consider_slot = [&](const Watched& watched, Index slot, double factor) {
    const bool is_known = std::find(zeros_.slots.begin(), zeros_.slots.end(), slot) != zeros_.slots.end();
    if (armed_[static_cast<std::size_t>(slot)] == 0 || is_known) return;
    const Interpolant x = polynomial_of(watched.function);
    const double sigma_to = x.place(interval.to);
    guard.expand(watched.function, watched.base, factor, x);
    double value = 0;
    double slope = 0;
    for (Index k = guard.degree; k >= 0; --k) {
      slope = slope * sigma_to + value;
      value = value * sigma_to + guard.c[static_cast<std::size_t>(k)];
    }
    if (value + slope / x.scale * (just_after - interval.to) <= 0) result_.slots.push_back(slot);
  };
  for (const Watched& watched : watched_) {
    if (watched.is_off) continue;
    consider_slot(watched, watched.slot, watched.factor);
    if (watched.is_pair) consider_slot(watched, watched.slot + 1, -watched.factor);
  }
}

bool AffineScan::stays(Stepper& stepper, double from, double to) const {
  for (const Watched& watched : watched_) {
    if (watched.is_off) continue;
    const AffineFunction& function = watched.function;
    const auto slot = static_cast<std::size_t>(watched.slot);
    if (armed_[slot] == 0 || (watched.is_pair && armed_[slot + 1] == 0)) return false;
    const FunctionChord chord =
        stepper.chord_of({function.states, static_cast<std::size_t>(function.count)}, function.weights);
    const double first = watched.factor * (function.origin + function.by_time * from + chord.first);
    const double last = watched.factor * (function.origin + function.by_time * to + chord.last);
    const double terms =
        2 * std::abs(function.origin) + std::abs(function.by_time) * (std::abs(from) + std::abs(to));
    const double off = std::abs(watched.factor) * (kBeyondUnit * chord.off + kRounding * terms) +
                       kRounding * std::abs(watched.base);
    const double least = watched.is_pair ? watched.base - std::max(std::abs(first), std::abs(last))
                                         : watched.base + std::min(first, last);
    if (!(least > off)) return false;
  }
  return true;
}

const AffineScan::FirstZero& AffineScan::advance(Stepper& stepper, double from, double to) {
  result_.found = false;
  zeros_.slots.clear();
  zeros_.times.clear();
  newly_armed_.clear();
  candidates_.clear();
  stepper_ = &stepper;
  Interval interval{.from = from, .to = to};
  // Most guards are too far away to need their polynomials. Chords that the integrator does not know are worth
  // finding only for many guards.
  constexpr Index many = 4;
  interval.chords = stepper.chords_of(read_states_);
  if (!interval.chords.off || from != interval.chords.start || to != interval.chords.end)
    interval.chords = count_ >= many ? find_chords(interval) : StepChords();
  const StepChords& chords = interval.chords;
  for (const Watched& watched : watched_) {
    if (watched.is_off) continue;
    if (!chords.off) {
      look(watched, watched.slot, watched.factor, interval);
      if (watched.is_pair) look(watched, watched.slot + 1, -watched.factor, interval);
      continue;
    }
    const char* const armed = armed_.data() + watched.slot;
    if (watched.state >= 0 && armed[0] != 0 && watched.stays_above(chords)) continue;
    const auto [first, last, off] = chord_of(watched, interval);
    const double base = watched.base;
    if (watched.is_pair && armed[0] != 0 && armed[1] != 0 &&
        std::max(std::abs(first), std::abs(last)) < base - off)
      continue;
    consider({&watched, watched.slot, watched.factor, base + first, base + last, off}, interval);
    if (watched.is_pair)
      consider({&watched, watched.slot + 1, -watched.factor, base - first, base - last, off}, interval);
  }
  look_at_candidates(interval);
  if (zeros_.slots.empty()) return result_;
  result_.found = true;
  result_.t = std::min(interval.first, to);
  result_.slots.clear();
  const double just_after = interval.first + location_accuracy(interval.first, to - from);
  for (std::size_t k = 0; k < zeros_.slots.size(); ++k) {
    if (zeros_.times[k] <= just_after) result_.slots.push_back(zeros_.slots[k]);
  }
  if (just_after > to) add_imminent(interval, just_after);
  // A guard that is zero here was armed before, if it was armed at all; of the others that is not known.
  const auto is_zero = [&](Index slot) {
    return std::find(result_.slots.begin(), result_.slots.end(), slot) != result_.slots.end();
  };
  const auto others = std::partition(newly_armed_.begin(), newly_armed_.end(), is_zero);
  for (auto slot = others; slot != newly_armed_.end(); ++slot) armed_[static_cast<std::size_t>(*slot)] = 0;
  newly_armed_.erase(others, newly_armed_.end());
  return result_;
}

}  // namespace slideway
