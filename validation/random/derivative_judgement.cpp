#include "validation/random/derivative_judgement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/adjoint.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/random/processor_time.hpp"

namespace slideway::validation::random {
namespace {

constexpr double kReferenceRtol = 1e-12;
constexpr double kRelativeStep = 1e-4;    // of the size of what is changed, a tenth at least
constexpr double kRunError = 1e-11;       // of runs at the tolerance of references
constexpr double kDecided = 1e-4;         // the roughest differences by which anything is decided
constexpr double kSameDerivative = 1e-5;  // what derivatives may be off by, beside what differences are
constexpr double kSameAdjoint = 1e-6;
constexpr std::size_t kMostTimes = 40;  // of events that are compared

// The events, without those before a limit whose number depends on tolerances.
std::vector<std::string> signature_of(const Solution& solution, bool& accumulates) {
  std::vector<std::string> signature;
  for (const EventRecord& event : solution.events) {
    std::string entry = to_string(event.kind);
    std::string members;
    if (event.name) members += " " + *event.name;
    for (const std::string& name : event.surface_names) members += " " + name;
    if (event.kind == EventKind::zeno) {
      accumulates = true;
      const auto takes_part = [&](const std::string& before) {
        for (const std::string& name : event.surface_names)
          if (before.find(" " + name) != std::string::npos) return true;
        return event.name && before.find(" " + *event.name) != std::string::npos;
      };
      while (!signature.empty() && takes_part(signature.back())) signature.pop_back();
    }
    entry += members + " " + (event.to ? event.to->word() : "") + " " + event.to_location.value_or("");
    signature.push_back(entry);
  }
  signature.push_back(solution.final.mode.word());
  return signature;
}

class DerivativeJudge {
 public:
  DerivativeJudge(const RandomModel& random, const Setting& setting, double seconds)
      : random_(random),
        setting_(setting),
        seconds_(seconds),
        model_(parse_model(file_text(random), "random.toml")) {}

  std::vector<DerivativeTrial> all() {
    std::vector<std::string> names;
    for (const auto& parameter : random_.parameters) names.push_back(parameter.first);
    for (const StateEntry& state : random_.states) names.push_back(state.name);
    const ModelInstance instance = model_.instantiate({});
    Options options = options_of(setting_);
    options.sensitivities = sensitivities_by(model_, {}, instance, names);
    std::vector<DerivativeTrial> trials;
    for (const std::string& name : names) trials.push_back({.by = name});
    const Run run{.start = instance.start, .end = instance.end, .state = instance.state};
    const Automaton problem = instance.problem();
    std::string why = "the run stops early";
    try {
      found_ = Simulator(problem, options).run(run);
    } catch (const std::invalid_argument& refusal) {
      why = refusal.what();
    }
    if (!found_.outcome.reached_end()) {
      for (DerivativeTrial& trial : trials) trial.text = why;
      return trials;
    }
    signature_ = signature_of(found_, accumulates_);
    adjoint_ = adjoint_gradients(problem, options, run, found_, options.sensitivities, outputs());
    for (std::size_t k = 0; k < trials.size(); ++k) judge(static_cast<Index>(k), trials[k]);
    return trials;
  }

 private:
  Options options_of(const Setting& setting) const {
    Options options;
    options.rtol = setting.rtol;
    options.method = setting.method;
    options.max_steps = 2'000'000;
    options.max_events = 100'000;
    Vector atol(std::ssize(random_.states));
    for (Index j = 0; j < atol.size(); ++j)
      atol[j] = setting.rtol / 100 * random_.states[static_cast<std::size_t>(j)].scale;
    options.atol = atol;
    const double begin = thread_seconds();
    const double seconds = seconds_;
    options.on_step = [begin, seconds](const StepView&) {
      if (thread_seconds() - begin > seconds) throw std::runtime_error("the time of a random run is up");
    };
    return options;
  }

  Index states() const { return found_.final.state.size(); }
  // Events whose number does not depend on tolerances.
  Index times() const {
    return accumulates_ ? 0 : static_cast<Index>(std::min(found_.events.size(), kMostTimes));
  }

  std::vector<AdjointOutput> outputs() const {
    std::vector<AdjointOutput> outputs;
    const Index n = states();
    for (Index i = 0; i < n; ++i)
      outputs.push_back({.times = {found_.outcome.t}, .weights = Vector::Unit(n, i)});
    for (Index e = 0; e < times(); ++e)
      outputs.push_back(
          {.times = {}, .weights = Matrix(n, 0), .event_times = {{static_cast<std::size_t>(e), 1.0}}});
    return outputs;
  }

  std::string name_of(Index row) const {
    if (row < states()) return random_.states[static_cast<std::size_t>(row)].name;
    const auto& event = found_.events[static_cast<std::size_t>(row - states())];
    return fmt::format("the time of event {} ({})", row - states() + 1, to_string(event.kind));
  }

  // The final state and the times of events; nothing where the events are others.
  std::optional<Vector> outcome(const std::string& by, double value) const {
    const ModelInstance instance = model_.instantiate({{by, value}});
    Options options = options_of({.rtol = kReferenceRtol});
    options.recording = Recording::nothing;
    const Solution solution =
        Simulator(instance.problem(), options)
            .run({.start = instance.start, .end = instance.end, .state = instance.state});
    bool accumulates = false;
    if (!solution.outcome.reached_end() || signature_of(solution, accumulates) != signature_)
      return std::nullopt;
    Vector result(states() + times());
    result.head(states()) = solution.final.state;
    for (Index e = 0; e < times(); ++e) result[states() + e] = solution.events[static_cast<std::size_t>(e)].t;
    return result;
  }

  void judge(Index column, DerivativeTrial& trial) const {
    double own = 0;
    for (const auto& [name, value] : random_.parameters)
      if (name == trial.by) own = value;
    for (const StateEntry& state : random_.states)
      if (state.name == trial.by) own = state.initial;
    const double size = std::max(std::abs(own), 0.1);
    const double h = kRelativeStep * size;
    Vector at[4];
    const double places[] = {-h, -0.5 * h, 0.5 * h, h};
    const bool is_told = found_.sensitivities->exists_until() > found_.outcome.t;
    for (int k = 0; k < 4; ++k) {
      std::optional<Vector> value;
      try {
        value = outcome(trial.by, own + places[k]);
      } catch (const std::invalid_argument&) {
        // A value that the model does not take.
      }
      if (!value) {
        trial.finding = is_told ? DerivativeFinding::undecided : DerivativeFinding::untold;
        trial.text = is_told ? "other events beside it" : found_.sensitivities->reason();
        return;
      }
      at[k] = *value;
    }
    const Vector wide = (at[3] - at[0]) / (2 * h);
    const Vector narrow = (at[2] - at[1]) / h;
    const Vector expected = (4 * narrow - wide) / 3;
    const Vector rough = (expected - narrow).cwiseAbs();
    Vector forward(expected.size()), adjoint = adjoint_.gradients.col(column);
    forward.head(states()) = found_.sensitivities->final().col(column);
    for (Index e = 0; e < times(); ++e)
      forward[states() + e] = found_.sensitivities->events()[static_cast<std::size_t>(e)].time[column];

    // States are measured by the largest of them, times by the run.
    const double largest = std::max(1.0, found_.final.state.cwiseAbs().maxCoeff());
    const double span = random_.end - random_.start;
    // Where derivatives shrink to nothing at an event, the adjoint's errors are those of what was before.
    double along = 0;
    for (const EventSensitivity& event : found_.sensitivities->events())
      along = std::max(along, event.before.col(column).cwiseAbs().maxCoeff());
    trial.finding = DerivativeFinding::agreed;
    bool decided = false;
    for (Index row = 0; row < expected.size(); ++row) {
      const bool is_state = row < states();
      const double of_result = is_state ? largest : span;
      const double measure =
          std::max({std::abs(expected[row]), is_state ? expected.head(states()).cwiseAbs().maxCoeff() : 0.0,
                    0.01 * of_result / size});
      const double unsure = rough[row] + kRunError * of_result / h;
      if (unsure > kDecided * measure) continue;
      if (!is_told) {
        if (row >= states()) continue;
        trial.finding = DerivativeFinding::refused;
        trial.text = fmt::format("differences of {} are {:.8g}; {}", name_of(row), expected[row],
                                 found_.sensitivities->reason());
        return;
      }
      decided = true;
      const double off = std::abs(forward[row] - expected[row]);
      if (!(off <= kSameDerivative * measure + 10 * unsure)) {
        trial.finding = DerivativeFinding::wrong;
        trial.text = fmt::format("{}: forward {:.10g}, differences {:.10g} within {:.1g}", name_of(row),
                                 forward[row], expected[row], unsure);
        trial.error = off / measure;
        return;
      }
      trial.error = std::max(trial.error, off / measure);
      const double apart = std::abs(forward[row] - adjoint[row]);
      if (!(apart <= kSameAdjoint * std::max(measure, is_state ? along : 0.0))) {
        trial.finding = DerivativeFinding::wrong;
        trial.text =
            fmt::format("{}: forward {:.10g}, adjoint {:.10g}", name_of(row), forward[row], adjoint[row]);
        trial.error = apart / measure;
        return;
      }
    }
    if (is_told && !decided) {
      trial.finding = DerivativeFinding::undecided;
      trial.text = "differences are too rough";
    }
    if (!is_told) {
      trial.finding = DerivativeFinding::untold;
      trial.text = found_.sensitivities->reason();
    }
  }

  const RandomModel& random_;
  Setting setting_;
  double seconds_;
  Model model_;
  Solution found_ = {};
  std::vector<std::string> signature_ = {};
  bool accumulates_ = false;
  AdjointGradients adjoint_ = {};
};

}  // namespace

std::vector<DerivativeTrial> judged_derivatives(const RandomModel& model, const Setting& setting,
                                                double seconds) {
  std::optional<DerivativeJudge> judge;
  try {
    judge.emplace(model, setting, seconds);
  } catch (const std::exception& refusal) {
    return {{.text = refusal.what()}};
  }
  try {
    return judge->all();
  } catch (const std::exception& error) {
    return {{.finding = DerivativeFinding::wrong, .text = error.what()}};
  }
}

}  // namespace slideway::validation::random
