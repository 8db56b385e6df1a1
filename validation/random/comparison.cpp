#include "validation/random/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "validation/random/rules.hpp"

namespace slideway::validation::random {
namespace {

// The oracle's last flights take less than this part of the run.
constexpr long double limit_is_there = 1e-9L;
// Errors in the guard of a surface that is met again soon, in tolerances.
constexpr long double guard_errors = 10;
// The time that roundings hide before a limit: see comparison.hpp.
constexpr long double per_clock = 250;
constexpr long double hidden_heights = 12800;
constexpr long double all_flights = 10;
constexpr long double limit_of_hidden = 1.0L / 80;
constexpr long double unseen_change = 0.25;

bool shares(const std::vector<std::string>& names, const Accumulation& accumulation) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(accumulation.names.begin(), accumulation.names.end(), name) != accumulation.names.end();
  });
}

// The beginning of the time before a limit in which events are free: in the middle between two of the exact ones.
long double window_begin(const Motion& exact, const Accumulation& accumulation, long double free_time) {
  long double before = -1;
  long double after = accumulation.limit;
  std::string word = exact.initial_word;
  for (const Happening& happening : exact.happenings) {
    bool takes_part = shares(happening.names, accumulation);
    for (const std::size_t place : accumulation.places) {
      takes_part = takes_part || (place < word.size() && word[place] != happening.word[place]);
    }
    word = happening.word;
    if (!takes_part || happening.t >= accumulation.limit) continue;
    if (happening.t < accumulation.limit - free_time) {
      before = happening.t;
    } else {
      after = std::min(after, happening.t);
    }
  }
  return before < 0 ? accumulation.limit - free_time : (before + after) / 2;
}

// In how much time what presses at a limit changes: until the next event there, where there is one.
long double time_of_change(const Motion& exact, const Accumulation& accumulation, long double span) {
  const auto is_at_limit = [&](const Happening& happening) {
    return happening.t <= accumulation.limit + limit_is_there * span;
  };
  auto next = std::find_if_not(exact.happenings.begin(), exact.happenings.end(), is_at_limit);
  if (next == exact.happenings.begin()) return span;
  const std::string& word = std::prev(next)->word;
  for (; next != exact.happenings.end(); ++next) {
    const auto changes = [&](std::size_t place) {
      return place < word.size() && next->word[place] != word[place];
    };
    const bool is_there = shares(next->names, accumulation) ||
                          std::any_of(accumulation.places.begin(), accumulation.places.end(), changes);
    if (is_there) return next->t - accumulation.limit;
  }
  return span;
}

// How much later a motion has the limit of an accumulation of the exact one; 0 where it has none.
long double delay_of(const Motion& motion, const Accumulation& accumulation) {
  long double delay = std::numeric_limits<long double>::infinity();
  for (const Accumulation& own : motion.accumulations) {
    const long double later = own.limit - accumulation.limit;
    if (std::abs(later) < std::abs(delay)) delay = later;
  }
  return std::isfinite(delay) ? delay : 0;
}

std::string described(const Happening& happening) {
  std::string names;
  for (const std::string& name : happening.names) names += (names.empty() ? "" : ",") + name;
  return fmt::format("t = {:.10g} '{}' {} {}", static_cast<double>(happening.t), happening.word,
                     happening.location, names);
}

long double distance(const std::vector<long double>& a, const std::vector<long double>& b, std::size_t k) {
  return k < a.size() && k < b.size() ? std::abs(a[k] - b[k]) : 0;
}

// How long before the k-th instant a surface was left to which the solution comes back there; infinite where it is none.
long double flight_before(const std::vector<Happening>& happenings, const std::string& initial_word,
                          std::size_t k) {
  constexpr long double never = std::numeric_limits<long double>::infinity();
  if (k == 0) return never;
  const std::string& before = k > 1 ? happenings[k - 2].word : initial_word;
  const std::string& between = happenings[k - 1].word;
  const std::string& after = happenings[k].word;
  for (std::size_t place = 0; place < std::min({before.size(), between.size(), after.size()}); ++place) {
    if (before[place] != between[place] && between[place] != '0' && between[place] != after[place])
      return happenings[k].t - happenings[k - 1].t;
  }
  return never;
}

// How long before the k-th instant a surface was met that is left there; infinite where none is.
long double stay_before(const std::vector<Happening>& happenings, const std::string& initial_word,
                        std::size_t k) {
  constexpr long double never = std::numeric_limits<long double>::infinity();
  if (k == 0) return never;
  const std::string& before = k > 1 ? happenings[k - 2].word : initial_word;
  const std::string& between = happenings[k - 1].word;
  const std::string& after = happenings[k].word;
  for (std::size_t place = 0; place < std::min({before.size(), between.size(), after.size()}); ++place) {
    if (before[place] != '0' && between[place] == '0' && after[place] != '0')
      return happenings[k].t - happenings[k - 1].t;
  }
  return never;
}

}  // namespace

long double FreeTime::before(const Accumulation& accumulation) const {
  if (!(accumulation.pressing > 0)) return usual;
  return std::max(usual, times_root / std::sqrt(accumulation.pressing));
}

std::vector<Happening> reduced(const Motion& motion, const Motion& exact, const FreeTime& free_time) {
  std::vector<long double> begins;
  std::vector<long double> ends;
  for (const Accumulation& accumulation : exact.accumulations) {
    const long double delay = delay_of(motion, accumulation);
    const long double is_free = free_time.before(accumulation);
    begins.push_back(window_begin(exact, accumulation, is_free) + delay);
    ends.push_back(accumulation.limit + is_free + delay);
  }
  // A surface of an accumulation keeps, until the limit, the mode that it had when the free time began.
  std::vector<Happening> merged;
  for (Happening happening : motion.happenings) {
    std::vector<std::string> names;
    for (const std::string& name : happening.names) {
      bool is_free = false;
      for (std::size_t a = 0; a < begins.size(); ++a) {
        const Accumulation& accumulation = exact.accumulations[a];
        is_free =
            is_free || (shares({name}, accumulation) && happening.t > begins[a] && happening.t <= ends[a]);
      }
      if (!is_free) names.push_back(name);
    }
    happening.names = names;
    for (std::size_t a = 0; a < begins.size(); ++a) {
      const Accumulation& accumulation = exact.accumulations[a];
      for (const std::size_t place : accumulation.places) {
        if (place >= happening.word.size() || happening.t <= begins[a] || happening.t > ends[a]) continue;
        // Until it rests, a bounce that is free leaves no trace in the word.
        if (happening.word[place] != '0') {
          happening.word[place] = merged.empty() ? motion.initial_word[place] : merged.back().word[place];
        }
      }
    }
    const long double same = 1e-14L * (1 + std::abs(happening.t));
    if (!merged.empty() && happening.t - merged.back().t <= same) {
      merged.back().word = happening.word;
      merged.back().closing = std::min(merged.back().closing, happening.closing);
      merged.back().location = happening.location;
      merged.back().names.insert(merged.back().names.end(), happening.names.begin(), happening.names.end());
    } else {
      merged.push_back(std::move(happening));
    }
  }
  std::vector<Happening> out;
  std::string word = motion.initial_word;
  std::string location = motion.initial_location;
  for (Happening& happening : merged) {
    if (happening.word == word && happening.location == location && happening.names.empty()) continue;
    word = happening.word;
    location = happening.location;
    out.push_back(std::move(happening));
  }
  return out;
}

namespace {

// Leaves out expected instants that may be missing, and are.
void leave_out_missing(const std::vector<Happening>& found, const std::string& initial_word,
                       const ComparisonOptions& options, std::vector<Happening>& expected,
                       std::vector<long double>& times) {
  std::string before = initial_word;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Happening& happening = expected[k];
    const auto is_it = [&](const Happening& one) { return std::abs(one.t - happening.t) <= times[k]; };
    const bool is_missing = happening.names.empty() && options.may_be_missing(before, happening.word) &&
                            std::none_of(found.begin(), found.end(), is_it);
    before = happening.word;
    if (is_missing) continue;
    times[kept] = times[k];
    if (kept != k) expected[kept] = std::move(expected[k]);
    ++kept;
  }
  expected.resize(kept);
  times.resize(kept);
}

}  // namespace

std::string difference(const Motion& got, const Motion& exact, const Allowance& allowance,
                       const ComparisonOptions& options) {
  if (got.end != exact.end) {
    return got.end == MotionEnd::undecided ? fmt::format("stops at t = {:.10g}", static_cast<double>(got.t))
                                           : "ends otherwise";
  }
  if (options.compares_words && (got.initial_word != exact.initial_word)) {
    return fmt::format("begins in '{}' for '{}'", got.initial_word, exact.initial_word);
  }
  const std::vector<Happening> found = reduced(got, exact, allowance.accumulation);
  std::vector<Happening> expected = reduced(exact, exact, allowance.accumulation);
  std::vector<long double> times = allowance.times;
  if (options.may_be_missing) leave_out_missing(found, exact.initial_word, options, expected, times);
  const std::size_t common = std::min(found.size(), expected.size());
  for (std::size_t k = 0; k < common; ++k) {
    const bool same = !options.compares_words ||
                      (found[k].word == expected[k].word && found[k].location == expected[k].location &&
                       found[k].names == expected[k].names);
    const long double off = std::abs(found[k].t - expected[k].t);
    if (!same || !(off <= times[k])) {
      return fmt::format("event {} is {} for {}: {:.1e} of {:.1e}", k + 1, described(found[k]),
                         described(expected[k]), static_cast<double>(off), static_cast<double>(times[k]));
    }
  }
  if (found.size() != expected.size()) {
    const Happening& first = found.size() > common ? found[common] : expected[common];
    return fmt::format("{} events for {}: {} {}", found.size(), expected.size(),
                       found.size() > common ? "one too many," : "missing is", described(first));
  }
  if (!(std::abs(got.t - exact.t) <= allowance.end)) return "ends at another time";
  for (std::size_t k = 0; k < exact.state.size(); ++k) {
    const long double off = distance(got.state, exact.state, k);
    if (got.state.size() != exact.state.size() || !(off <= allowance.states[k])) {
      return fmt::format("state {} at the end is off by {:.1e} of {:.1e}", k + 1, static_cast<double>(off),
                         static_cast<double>(allowance.states[k]));
    }
  }
  const std::size_t free = std::min(allowance.free_samples, exact.samples.size());
  for (std::size_t s = 0; s < exact.samples.size() - free; ++s) {
    if (s >= got.samples.size()) return "a sample is missing";
    for (std::size_t k = 0; k < exact.state.size(); ++k) {
      const long double off = distance(got.samples[s], exact.samples[s], k);
      if (!(off <= allowance.samples[s][k])) {
        return fmt::format("sample {}: state {} is off by {:.1e} of {:.1e}", s + 1, k + 1,
                           static_cast<double>(off), static_cast<double>(allowance.samples[s][k]));
      }
    }
  }
  return {};
}

Allowance allowance_of(const Motion& exact, const std::vector<Motion>& neighbours, double rtol,
                       long double span, const Rounding& rounding, const std::vector<long double>& sizes) {
  Allowance out;
  const long double steps = growth_by_steps(rtol);
  const long double unit = per_tolerance * static_cast<long double>(rtol) * steps;
  const long double per_change = change_per_drift * steps;
  constexpr long double epsilon = std::numeric_limits<double>::epsilon();
  const FreeTime hidden{.usual = per_clock * std::sqrt(epsilon * rounding.clock * span),
                        .times_root = all_flights * std::sqrt(hidden_heights * epsilon * rounding.guard)};
  out.accumulation = hidden;
  out.accumulation.usual =
      std::max(hidden.usual, std::max(unit, std::sqrt(static_cast<long double>(rtol))) * span);
  const std::vector<Happening> expected = reduced(exact, exact, out.accumulation);
  const long double time_unit = unit * span / natural_times;
  out.times.assign(expected.size(), time_unit);
  out.end = time_unit;
  for (const long double size : sizes) out.states.push_back(unit * size);
  out.samples.assign(exact.samples.size(), out.states);
  const auto give_up = [&](const char* why) {
    out.why = why;
    return out;
  };
  for (const Motion& other : neighbours) {
    if (other.end != exact.end) return give_up("a neighbouring problem is not decided");
    const std::vector<Happening> theirs = reduced(other, other, out.accumulation);
    if (theirs.size() != expected.size()) return give_up("a neighbouring problem has another sequence");
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (theirs[k].word != expected[k].word || theirs[k].location != expected[k].location ||
          theirs[k].names != expected[k].names) {
        return give_up("a neighbouring problem has another sequence");
      }
      const long double change = std::abs(theirs[k].t - expected[k].t);
      if (change > far_away * span) return give_up("a neighbouring problem is far away");
      out.times[k] = std::max(out.times[k], time_unit + per_change * change);
    }
    out.end = std::max(out.end, time_unit + per_change * std::abs(other.t - exact.t));
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const long double change = distance(other.state, exact.state, k);
      if (change > far_away * sizes[k]) return give_up("a neighbouring problem is far away");
      out.states[k] = std::max(out.states[k], unit * sizes[k] + per_change * change);
      for (std::size_t s = 0; s < exact.samples.size(); ++s) {
        if (s >= other.samples.size()) return give_up("a neighbouring problem is not decided");
        const long double moved = distance(other.samples[s], exact.samples[s], k);
        if (moved > far_away * sizes[k]) return give_up("a neighbouring problem is far away");
        out.samples[s][k] = std::max(out.samples[s][k], unit * sizes[k] + per_change * moved);
      }
    }
  }
  const long double natural_time = span / natural_times;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const long double flight = flight_before(expected, exact.initial_word, k) / natural_time;
    if (flight * flight < 8 * static_cast<long double>(rtol)) {
      return give_up("a flight off a surface is no higher than the tolerances");
    }
    const long double stay = stay_before(expected, exact.initial_word, k) / natural_time;
    if (stay * stay < 8 * static_cast<long double>(rtol)) {
      return give_up("a stay on a surface is no longer than the tolerances tell");
    }
    out.times[k] += 2 * guard_errors * static_cast<long double>(rtol) / flight * natural_time;
    out.times[k] += guard_errors * static_cast<long double>(rtol) * rounding.position / expected[k].closing;
  }
  for (std::size_t k = 0; k < expected.size(); ++k) {
    for (const Accumulation& one : exact.accumulations) {
      if (std::abs(one.limit - expected[k].t) > limit_is_there * span) continue;
      const long double unseen = hidden.before(one);
      const long double change = time_of_change(exact, one, span);
      if (unseen > unseen_change * change)
        return give_up("a limit is hidden for as long as what presses there");
      out.times[k] += unseen * limit_of_hidden + unseen * unseen / change;
      break;
    }
  }
  out.decided = true;
  return out;
}

}  // namespace slideway::validation::random
