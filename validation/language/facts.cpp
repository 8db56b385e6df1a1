#include "validation/language/facts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/random/processor_time.hpp"
#include "validation/random/rules.hpp"

namespace slideway::validation::language {
namespace {

constexpr const char* time_is_up = "the time of a random run is up";
constexpr const char* file_name = "language.toml";

std::vector<std::string> compared_names(const LanguageModel& model) {
  std::vector<std::string> names;
  for (const StateLine& state : model.states) {
    if (state.size == 0) names.push_back(state.name);
    for (int i = 1; i <= state.size; ++i) names.push_back(state.name + std::to_string(i));
  }
  for (const Line& line : model.discrete) names.push_back(line.name);
  return names;
}

Options options_of(const LanguageModel& model, const System& system, const random::Setting& setting) {
  Options options;
  options.rtol = setting.rtol;
  options.method = setting.method;
  options.max_steps = 2'000'000;
  options.max_events = 20'000;
  Vector atol = Vector::Constant(system.states(), setting.rtol / 100);
  const auto& names = system.state_names();
  for (const StateLine& state : model.states) {
    for (Index j = 0; j < atol.size(); ++j) {
      const std::string& text = names[static_cast<std::size_t>(j)];
      const bool is_element = state.size > 0 && text.starts_with(state.name) &&
                              text.find_first_not_of("0123456789", state.name.size()) == std::string::npos;
      if (text == state.name || is_element) atol[j] = setting.rtol / 100 * state.scale;
    }
  }
  options.atol = atol;
  return options;
}

// What the model itself names; steps of functions and knots of inputs are called after their text.
std::set<std::string> named_events(const LanguageModel& model) {
  std::set<std::string> names;
  for (const Event& event : model.events) names.insert(event.name);
  for (const Clock& clock : model.clocks) names.insert(clock.name);
  for (const Part& part : model.automata) {
    for (const Event& edge : part.edges) names.insert(edge.name);
  }
  return names;
}

bool is_compared(EventKind kind) {
  switch (kind) {
    case EventKind::reset:
    case EventKind::transition:
    case EventKind::sample:
    case EventKind::record:
    case EventKind::stop: return true;
    default: return false;
  }
}

class Follower {
 public:
  Follower(const LanguageModel& model, const Following& how, const std::vector<std::string>& names)
      : model_(model), how_(how), named_(named_events(model)) {
    facts_.names = names.empty() ? compared_names(model) : names;
  }

  Facts facts() {
    try {
      const std::string text = file_text(model_);
      instance_ = parse_model(text, file_name).instantiate({});
      written_ = parse_written_model(text, file_name, {});
    } catch (const std::exception& refusal) {
      facts_.was_refused = true;
      facts_.message = refusal.what();
      return std::move(facts_);
    }
    find_places();
    begin_ = random::thread_seconds();
    try {
      run();
    } catch (const std::exception& refusal) {
      facts_.was_refused = true;
      facts_.message = refusal.what();
    }
    return std::move(facts_);
  }

 private:
  void find_places() {
    const auto& all = instance_->system.state_names();
    for (const std::string& text : facts_.names) {
      const auto found = std::find(all.begin(), all.end(), text);
      if (found == all.end()) throw std::logic_error("no state " + text);
      places_.push_back(found - all.begin());
    }
    facts_.largest.assign(places_.size(), 0);
  }

  std::vector<double> compared(const Vector& x) const {
    std::vector<double> values;
    for (const std::ptrdiff_t place : places_) values.push_back(x[place]);
    return values;
  }

  void run() {
    const double start = instance_->start;
    const double end = instance_->end;
    Run part{.start = start, .end = end, .state = instance_->state};
    if (how_.split == 0) {
      take(follow_part(part));
      return;
    }
    part.end = start + how_.split * (end - start);
    const Solution first = follow_part(part);
    take(first);
    if (!first.outcome.reached_end()) return;
    facts_.samples.pop_back();
    take(follow_part({.start = part.end,
                      .end = end,
                      .state = first.final.state,
                      .location = first.final.location,
                      .mode = first.final.mode,
                      .pending = first.pending}));
  }

  Solution follow_part(const Run& part) {
    Options options = options_of(model_, instance_->system, how_.setting);
    options.on_step = [&](const StepView&) {
      if (random::thread_seconds() - begin_ > how_.seconds) throw std::runtime_error(time_is_up);
    };
    Solution solution = Simulator(instance_->problem(), options).run(part);
    if (how_.split == 0) {
      options.on_step = nullptr;
      const AuditResult found = audit(written_, *instance_, solution, options, how_.audit);
      if (found.verdict == AuditVerdict::failed) facts_.audit = found.failures.front().text;
    }
    return solution;
  }

  void take(const Solution& solution) {
    facts_.status = solution.outcome.status;
    facts_.message = solution.outcome.message;
    facts_.timed_out = facts_.message.find(time_is_up) != std::string::npos;
    facts_.end = solution.final.t;
    std::vector<long double> instants;
    for (const EventRecord& event : solution.events) {
      instants.push_back(event.t);
      if (is_compared(event.kind) && event.name && named_.count(*event.name) != 0)
        facts_.events[*event.name].push_back(event.t);
    }
    const double first = solution.initial.t;
    facts_.times = how_.samples;
    if (facts_.times.empty()) {
      // A stretch that is shorter says more about the times of its events than about the motion.
      constexpr long double least = 1e-3L;
      for (const long double t : random::times_between(instants, first, facts_.end, least)) {
        facts_.times.push_back(static_cast<double>(t));
      }
    }
    for (const double t : facts_.times) {
      const bool is_here = facts_.samples.empty() ? t >= first : t > first;
      if (is_here && t <= facts_.end) facts_.samples.push_back(compared(solution.trajectory(t)));
    }
    facts_.samples.push_back(compared(solution.final.state));
    constexpr int parts = 50;
    for (int k = 0; k <= parts; ++k) {
      const double t = std::min(facts_.end, first + (facts_.end - first) * k / parts);
      const std::vector<double> values = compared(solution.trajectory(t));
      for (std::size_t j = 0; j < values.size(); ++j) {
        facts_.largest[j] = std::max(facts_.largest[j], std::abs(values[j]));
      }
    }
  }

  const LanguageModel& model_;
  const Following& how_;
  std::set<std::string> named_;
  std::optional<ModelInstance> instance_ = {};
  std::shared_ptr<const WrittenModel> written_ = {};
  std::vector<std::ptrdiff_t> places_ = {};
  double begin_ = 0;
  Facts facts_ = {};
};

}  // namespace

Facts follow(const LanguageModel& model, const Following& how, const std::vector<std::string>& names) {
  return Follower(model, how, names).facts();
}

}  // namespace slideway::validation::language
