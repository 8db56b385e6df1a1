#include "validation/language/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "validation/random/rules.hpp"

namespace slideway::validation::language {
namespace {

using random::change_per_drift;
using random::drift_per_tolerance;
using random::far_away;
using random::Finding;
using random::growth_by_steps;
using random::kind_of;
using random::natural_times;
using random::per_tolerance;
using random::Setting;
using random::tenths;
using random::Trial;

constexpr double yardstick_rtol = 1e-12;
constexpr double split_at = 0.43;
// A clock that shows 1e6 holds times to 1e-10, a part of 1e-11 of the shortest run. Tolerances of 1e-6 and more are well above that.
constexpr double late = 1e5;
constexpr double least_rtol_late = 1e-6;
// States move by about one per unit of time, and are a tenth at least: a clock that rounds times to more than this part of rtol moves them by
// the tolerance.
constexpr double coarse_clock = 0.1;

// A time of the variant, as the model itself counts it.
double original_time(const Variant& variant, double t) {
  return (t - variant.time_shift) / variant.time_factor;
}

bool ended_well(const Facts& facts) {
  return facts.status == Status::reached_end || facts.status == Status::stopped_by_event;
}

}  // namespace

LanguageJudge::LanguageJudge(const LanguageModel& model, const random::Plan& plan)
    : model_(model), plan_(plan), span_(model.end - model.start) {
  const Setting setting{.method = Method::automatic, .rtol = yardstick_rtol};
  yardstick_ = follow(model, {.setting = setting, .seconds = plan.seconds, .audit = AuditLevel::full}, {});
  for (std::size_t k = 0; k < yardstick_.largest.size(); ++k) {
    sizes_.push_back(std::max(yardstick_.largest[k], 1 / tenths));
  }
}

std::optional<Trial> LanguageJudge::fault_of_yardstick() const {
  Trial trial{.setting = {.method = Method::automatic, .rtol = yardstick_rtol}};
  if (yardstick_.was_refused) {
    trial.text = "refused: " + kind_of(yardstick_.message);
    return trial;
  }
  if (yardstick_.timed_out) {
    trial.finding = Finding::timed_out;
    trial.text = yardstick_.message;
    return trial;
  }
  if (yardstick_.status == Status::ambiguous) {
    trial.text = "ends as ambiguous";
    return trial;
  }
  if (!ended_well(yardstick_)) {
    trial.finding = Finding::wrong;
    trial.text = fmt::format("ends as {}: {}", to_string(yardstick_.status), yardstick_.message);
    return trial;
  }
  if (!yardstick_.audit.empty()) {
    trial.finding = Finding::wrong;
    trial.text = "audit: " + yardstick_.audit;
    return trial;
  }
  return std::nullopt;
}

LanguageJudge::Allowance LanguageJudge::basic_allowance(double rtol) const {
  Allowance out;
  const double unit = per_tolerance * rtol * growth_by_steps(rtol);
  const double time_unit = unit * span_ / natural_times;
  for (const auto& [name, times] : yardstick_.events) out.events[name].assign(times.size(), time_unit);
  std::vector<double> states;
  for (const double size : sizes_) states.push_back(unit * size);
  out.samples.assign(yardstick_.samples.size(), states);
  out.end = time_unit;
  return out;
}

const LanguageJudge::Allowance& LanguageJudge::allowance_with_neighbours(double rtol) {
  const auto known = allowances_.find(rtol);
  if (known != allowances_.end()) return known->second;
  Allowance out = basic_allowance(rtol);
  const double size = drift_per_tolerance * tenths * rtol / span_;
  const double per_change = change_per_drift * growth_by_steps(rtol);
  const double frequency = natural_times / span_;
  const Setting setting{.method = Method::automatic, .rtol = yardstick_rtol};
  for (const auto& [turns, phase] : {std::pair(0.0, 0.0), std::pair(0.0, std::numbers::pi / 2),
                                     std::pair(1.0, 0.0), std::pair(1.0, std::numbers::pi / 2)}) {
    const LanguageModel neighbour = shaken(model_, state_sizes(), size, turns * frequency, phase);
    const Facts other =
        follow(neighbour, {.setting = setting, .samples = yardstick_.times, .seconds = plan_.seconds},
               yardstick_.names);
    out.is_decided = !other.was_refused && !other.timed_out && other.status == yardstick_.status &&
                     other.samples.size() == yardstick_.samples.size() &&
                     other.events.size() == yardstick_.events.size();
    if (!out.is_decided) break;
    for (auto& [name, allowed] : out.events) {
      const auto theirs = other.events.find(name);
      const std::vector<double>& mine = yardstick_.events.at(name);
      out.is_decided = out.is_decided && theirs != other.events.end() && theirs->second.size() == mine.size();
      if (!out.is_decided) break;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        const double change = std::abs(theirs->second[k] - mine[k]);
        out.is_decided = out.is_decided && change <= far_away * span_;
        allowed[k] += per_change * change;
      }
    }
    if (!out.is_decided) break;
    out.end += per_change * std::abs(other.end - yardstick_.end);
    for (std::size_t s = 0; s < out.samples.size(); ++s) {
      for (std::size_t k = 0; k < sizes_.size(); ++k) {
        const double change = std::abs(other.samples[s][k] - yardstick_.samples[s][k]);
        out.is_decided = out.is_decided && change <= far_away * sizes_[k];
        out.samples[s][k] += per_change * change;
      }
    }
    if (!out.is_decided) break;
  }
  return allowances_[rtol] = out;
}

std::map<std::string, double> LanguageJudge::state_sizes() const {
  std::map<std::string, double> sizes;
  std::size_t k = 0;
  for (const StateLine& state : model_.states) {
    double& largest = sizes[state.name];
    for (std::size_t i = 0; i < std::max<std::size_t>(1, state.size); ++i)
      largest = std::max(largest, sizes_[k++]);
  }
  return sizes;
}

std::string LanguageJudge::undecided(const Facts& facts, const Setting& setting, const Variant& variant,
                                     const Allowance& allowed) const {
  const double rounded = std::numeric_limits<double>::epsilon() * std::abs(variant.time_shift);
  if (facts.status == Status::step_failure && rounded > coarse_clock * setting.rtol)
    return "the clock of a late run is too coarse for the tolerance";
  if (facts.status != yardstick_.status) return {};
  std::set<std::string> names;
  for (const auto* const events : {&yardstick_.events, &facts.events})
    for (const auto& [name, times] : *events) names.insert(name);
  bool has_surplus = false;
  for (const std::string& name : names) {
    if (variant.name == "a copy beside it" && name.ends_with("copy")) continue;
    const auto own = yardstick_.events.find(name), other = facts.events.find(name);
    const std::size_t mine = own == yardstick_.events.end() ? 0 : own->second.size();
    const std::size_t theirs = other == facts.events.end() ? 0 : other->second.size();
    if (mine == theirs) continue;
    has_surplus = true;
    const double first = mine > theirs ? own->second[theirs] : original_time(variant, other->second[mine]);
    double off = allowed.end;
    if (const auto known = allowed.events.find(name); known != allowed.events.end())
      for (const double one : known->second) off = std::max(off, one);
    if (!(yardstick_.end - first <= off)) return {};
  }
  return has_surplus ? "an event is as near the end of the run as its time may be off" : "";
}

std::string LanguageJudge::difference(const Facts& facts, const Variant& variant,
                                      const Allowance& allowed) const {
  if (facts.status != yardstick_.status) {
    return fmt::format("ends as {} at t = {:.10g}: {}", to_string(facts.status), facts.end, facts.message);
  }
  // The clock of a late run has rounded times.
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(variant.time_shift);
  const auto original = [&](double t) { return original_time(variant, t); };
  for (const auto& [name, times] : yardstick_.events) {
    const auto found = facts.events.find(name);
    const std::size_t count = found == facts.events.end() ? 0 : found->second.size();
    for (std::size_t k = 0; k < std::min(count, times.size()); ++k) {
      const double t = original(found->second[k]);
      const double off = std::abs(t - times[k]);
      if (!(off <= allowed.events.at(name)[k] + rounding)) {
        return fmt::format("event '{}' number {} is at {:.10g} for {:.10g}", name, k + 1, t, times[k]);
      }
    }
    if (count != times.size())
      return fmt::format("event '{}' happens {} times for {}", name, count, times.size());
  }
  for (const auto& [name, times] : facts.events) {
    if (variant.name == "a copy beside it" && name.ends_with("copy")) continue;
    if (yardstick_.events.count(name) == 0)
      return fmt::format("event '{}' happens {} times for 0", name, times.size());
  }
  if (!(std::abs(original(facts.end) - yardstick_.end) <= allowed.end + rounding))
    return "ends at another time";
  if (facts.samples.size() != yardstick_.samples.size()) return "a sample is missing";
  for (std::size_t s = 0; s < facts.samples.size(); ++s) {
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const bool is_scaled = k < sizes_.size() - model_.discrete.size();
      const double x = facts.samples[s][k] / (is_scaled ? variant.state_factor : 1);
      const double off = std::abs(x - yardstick_.samples[s][k]);
      if (!(off <= allowed.samples[s][k] + rounding * sizes_[k] * natural_times)) {
        return fmt::format("state '{}' at sample {} is {:.10g} for {:.10g}", yardstick_.names[k], s + 1, x,
                           yardstick_.samples[s][k]);
      }
    }
  }
  return {};
}

Trial LanguageJudge::judged(const Setting& setting, const Variant& variant) {
  Trial trial{.setting = setting, .rewriting = variant.name};
  if (const std::optional<Trial> fault = fault_of_yardstick()) {
    trial.finding = fault->finding;
    trial.text = fault->text;
    return trial;
  }
  Following how{.setting = setting, .seconds = plan_.seconds};
  for (const double t : yardstick_.times) how.samples.push_back(variant.time_factor * t + variant.time_shift);
  if (variant.is_split) how.split = split_at;
  const Facts facts = follow(variant.model, how, yardstick_.names);
  if (facts.was_refused) {
    // A form that the reader refuses with words is no wrong answer; it decides nothing either.
    trial.text = fmt::format("refused in other words: {}", variant.name);
    return trial;
  }
  if (facts.timed_out) {
    trial.finding = Finding::timed_out;
    trial.text = facts.message;
    return trial;
  }
  if (!facts.audit.empty()) {
    trial.finding = Finding::wrong;
    trial.text = "audit: " + facts.audit;
    return trial;
  }
  trial.text = difference(facts, variant, basic_allowance(setting.rtol));
  trial.finding = trial.text.empty() ? Finding::agreed : Finding::wrong;
  if (trial.finding == Finding::agreed) return trial;
  const Allowance& allowed = allowance_with_neighbours(setting.rtol);
  if (!allowed.is_decided) {
    trial.finding = Finding::skipped;
    trial.text = "a neighbouring model has other events";
    return trial;
  }
  if (const std::string why = undecided(facts, setting, variant, allowed); !why.empty()) {
    trial.finding = Finding::skipped;
    trial.text = why;
    return trial;
  }
  trial.text = difference(facts, variant, allowed);
  if (trial.text.empty()) trial.finding = Finding::agreed;
  return trial;
}

std::vector<Trial> LanguageJudge::all(std::size_t number) {
  std::vector<Trial> trials;
  if (const std::optional<Trial> fault = fault_of_yardstick()) return {*fault};
  // Two methods of each tolerance; models of neighbouring numbers have others.
  constexpr std::size_t methods_of_tolerance = 2;
  std::size_t place = number;
  for (const double rtol : plan_.tolerances) {
    for (std::size_t k = 0; k < std::min(methods_of_tolerance, plan_.methods.size()); ++k) {
      trials.push_back(
          judged({.method = plan_.methods[place++ % plan_.methods.size()], .rtol = rtol}, {.model = model_}));
    }
    ++place;
  }
  if (!plan_.rewrites) return trials;
  for (const Variant& variant : variants_of(model_)) {
    ++place;
    double rtol = plan_.tolerances[place % plan_.tolerances.size()];
    if (variant.time_shift > late) rtol = std::max(rtol, least_rtol_late);
    trials.push_back(
        judged({.method = plan_.methods[(place / 2) % plan_.methods.size()], .rtol = rtol}, variant));
  }
  return trials;
}

std::optional<Trial> LanguageJudge::trial(const Setting& setting, const std::string& variant) {
  if (variant.empty()) return judged(setting, {.model = model_});
  for (const Variant& one : variants_of(model_)) {
    if (one.name == variant) return judged(setting, one);
  }
  return std::nullopt;
}

}  // namespace slideway::validation::language
