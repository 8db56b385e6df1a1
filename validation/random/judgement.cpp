#include "validation/random/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "validation/random/in_force.hpp"
#include "validation/random/oracle.hpp"
#include "validation/random/rules.hpp"

namespace slideway::validation::random {
namespace {

constexpr const char* says_clock_is_outrun = "between this time and the next that double precision holds";

// Whether the derivative of a state is another state: it goes on exactly as that one says, as the rate of a gap must.
bool is_position(const RandomModel& model, std::size_t state) {
  return model.derivatives[state].operation() == Operation::state;
}

// The model with sizeₖ·cos(ω(t − start) + φₖ) added to the derivative of each state.
RandomModel shaken(const RandomModel& model, const std::vector<long double>& sizes, double frequency,
                   double phase) {
  constexpr double apart = 2.4;  // phases of neighbouring states
  RandomModel next = model;
  const auto shake = [&](std::size_t k, Formula& derivative) {
    if (sizes[k] == 0) return;
    const Formula angle =
        frequency * (time_variable() - model.start) + (phase + apart * static_cast<double>(k));
    derivative = derivative + static_cast<double>(sizes[k]) * cos(angle);
  };
  for (std::size_t k = 0; k < next.derivatives.size(); ++k) shake(k, next.derivatives[k]);
  for (LocationEntry& location : next.locations) {
    for (auto& [state, derivative] : location.derivatives) shake(static_cast<std::size_t>(state), derivative);
  }
  if (model.solved) {
    next.solved = std::make_shared<const RandomModel>(shaken(*model.solved, sizes, frequency, phase));
  }
  return next;
}

}  // namespace

std::string setting_words(const Setting& setting) {
  return fmt::format("{} {:g}", to_string(setting.method), setting.rtol);
}

std::string described(const Trial& trial) {
  return fmt::format("{}{}{}: {}", setting_words(trial.setting), trial.rewriting.empty() ? "" : ", ",
                     trial.rewriting, trial.text);
}

bool Judgement::has(Finding finding) const {
  return std::any_of(trials.begin(), trials.end(),
                     [&](const Trial& trial) { return trial.finding == finding; });
}

Judge::Judge(const RandomModel& model, const Plan& plan) : model_(model), plan_(plan) {
  const auto start = static_cast<long double>(model.start);
  span_ = static_cast<long double>(model.end) - start;
  exact_ = solve(model, {});
  if (exact_.end == MotionEnd::undecided) return;
  std::vector<long double> instants;
  for (const Happening& happening : exact_.happenings) instants.push_back(happening.t);
  samples_ = times_between(instants, start, exact_.t, 0);
  exact_ = solve(model, {.samples = samples_});
  for (std::size_t k = 0; k < model.states.size(); ++k) {
    sizes_.push_back(std::max(exact_.largest[k], static_cast<long double>(model.states[k].scale) / 10));
  }
  limit_after_end_ = limit_after_end();
  for (const double rtol : plan.tolerances) {
    std::vector<long double> most;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const long double part = is_position(model, k) ? 0 : drift_per_tolerance * tenths / span_;
      most.push_back(part * static_cast<long double>(rtol) * sizes_[k]);
    }
    neighbours_[rtol] = neighbours_of(most);
  }
}

// Motions whose derivatives are off by as much as `most`, until one ends otherwise. A constant drift moves what oscillates to one
// side only; one that goes with the motion makes it larger and later.
std::vector<Motion> Judge::neighbours_of(const std::vector<long double>& most) const {
  std::vector<Motion> neighbours;
  const auto is_last = [&](Motion motion) {
    neighbours.push_back(std::move(motion));
    return neighbours.back().end != exact_.end;
  };
  for (const int pattern : {0, 1, 2, 3}) {
    std::vector<long double> drift = most;
    for (std::size_t k = 0; k < drift.size(); ++k) {
      const bool alternates = pattern >= 2 && k % 2 == 1;
      if ((pattern % 2 == 0) == alternates) drift[k] = -drift[k];
    }
    if (is_last(solve(model_, {.drift = drift, .samples = samples_}))) return neighbours;
  }
  for (const double turns : {1.0, 2.0}) {
    for (const double phase : {0.0, std::numbers::pi / 2}) {
      const double frequency = turns * natural_times / static_cast<double>(span_);
      if (is_last(solve(shaken(model_, most, frequency, phase), {.samples = samples_}))) return neighbours;
    }
  }
  return neighbours;
}

// A run that ends within the free time before a limit has a free number of events at its end.
long double Judge::limit_after_end() const {
  constexpr long double never = std::numeric_limits<long double>::infinity();
  if (model_.solved != nullptr || exact_.end == MotionEnd::zeno) return never;
  RandomModel longer = model_;
  longer.end += static_cast<double>(span_ / tenths);
  for (const Accumulation& accumulation : solve(longer, {}).accumulations) {
    const long double after = accumulation.limit - static_cast<long double>(model_.end);
    if (after > 0) return after;
  }
  return never;
}

// The largest of all positions and their rates: a position far from zero is rounded as a clock is that shows a late time.
Rounding Judge::rounding(long double clock) const {
  Rounding out{.clock = clock};
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (!is_position(model_, k)) continue;
    const long double speed = sizes_[static_cast<std::size_t>(model_.derivatives[k].index())];
    out.clock = std::max(out.clock, clock + sizes_[k] / speed);
    out.guard = std::max(out.guard, clock * speed + sizes_[k]);
    out.position = std::max(out.position, sizes_[k]);
  }
  return out;
}

Allowance Judge::allowance(double rtol, double shift) const {
  const long double clock = std::max(std::abs(model_.start), std::abs(model_.end)) + std::abs(shift);
  Allowance out = allowance_of(exact_, neighbours_.at(rtol), rtol, span_, rounding(clock), sizes_);
  if (out.decided && limit_after_end_ <= out.accumulation.usual) {
    out.decided = false;
    out.why = "the run ends where events accumulate";
  }
  if (exact_.end == MotionEnd::zeno) {
    const auto is_free = [&](long double t) { return t > exact_.t - out.end; };
    out.free_samples = static_cast<std::size_t>(std::count_if(samples_.begin(), samples_.end(), is_free));
  }
  return out;
}

Trial Judge::judged(const Setting& setting, const RandomModel& model, const Rewriting* rewriting) const {
  Trial trial{.setting = setting};
  if (rewriting != nullptr) trial.rewriting = rewriting->name;
  if (exact_.end == MotionEnd::undecided) {
    trial.text = exact_.why;
    return trial;
  }
  const Allowance allowed = allowance(setting.rtol, rewriting != nullptr ? rewriting->time_shift : 0);
  if (!allowed.decided) {
    trial.text = allowed.why;
    return trial;
  }
  const Rewriting same;
  const Rewriting& written = rewriting != nullptr ? *rewriting : same;
  const Followed followed = follow(model, setting, sample_times(samples_, written), plan_.seconds);
  if (followed.timed_out) {
    trial.finding = Finding::timed_out;
    trial.text = followed.message;
    return trial;
  }
  const double clock = std::max(std::abs(model.start), std::abs(model.end));
  const bool clock_resolves = setting.rtol * (model.end - model.start) >
                              natural_times * std::numeric_limits<double>::epsilon() * clock;
  if (!clock_resolves && followed.message.find(says_clock_is_outrun) != std::string::npos) {
    trial.text = "the clock does not resolve the tolerance, and the run says so";
    return trial;
  }
  ComparisonOptions options{.compares_words = written.keeps_words};
  if (!written.keeps_words && model.writes_guards) {
    options.may_be_missing = [&](const std::string& before, const std::string& after) {
      return is_out_of_force(model_, before, after);
    };
  }
  trial.text = difference(restored(followed.motion, written, model_), exact_, allowed, options);
  if (!trial.text.empty() && !followed.message.empty()) trial.text += ": " + followed.message;
  if (trial.text.empty() && !followed.contradiction.empty())
    trial.text = "the audit says, " + followed.contradiction;
  trial.finding = trial.text.empty() ? Finding::agreed : Finding::wrong;
  return trial;
}

Trial Judge::trial(const Setting& setting) const { return judged(setting, model_, nullptr); }

Trial Judge::trial(const Setting& setting, const Rewriting& rewriting) const {
  return judged(setting, rewriting.model, &rewriting);
}

Judgement Judge::all(std::size_t number) const {
  Judgement out{.exact = exact_};
  const auto suits = [&](Method method) {
    return !model_.stiff || method == Method::automatic || method == Method::bdf || method == Method::rodas;
  };
  std::vector<Setting> settings;
  for (const double rtol : plan_.tolerances) {
    for (const Method method : plan_.methods) {
      if (!suits(method)) continue;
      settings.push_back({.method = method, .rtol = rtol});
      out.trials.push_back(trial(settings.back()));
    }
  }
  if (!plan_.rewrites || settings.empty() || exact_.end == MotionEnd::undecided) return out;
  // Neighbouring numbers have other settings, and rewritings of one model too.
  std::size_t place = number * 7;
  for (const Rewriting& rewriting : rewritings_of(model_, exact_.initial_word)) {
    constexpr std::size_t stride = 11;
    place += stride;
    if (!rewriting.keeps_words && !exact_.accumulations.empty()) continue;
    out.trials.push_back(trial(settings[place % settings.size()], rewriting));
  }
  return out;
}

}  // namespace slideway::validation::random
