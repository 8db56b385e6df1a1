#include "validation/random/follow.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "slideway/audit/audit.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "validation/random/processor_time.hpp"

namespace slideway::validation::random {
namespace {

constexpr const char* time_is_up = "the time of a random run is up";

// The characters of a mode that belong to the surfaces and contacts of the model; what else jumps is left out.
class Words {
 public:
  Words(const RandomModel& model, const System& system) : is_whole_(model.writes_guards) {
    const auto& names = system.surface_names();
    for (const SurfaceEntry& surface : model.surfaces) {
      const auto found = std::find(names.begin(), names.end(), surface.name);
      if (found != names.end()) places_.push_back(found - names.begin());
    }
    for (std::size_t c = 0; c < model.contacts.size(); ++c) {
      places_.push_back(system.surfaces() + static_cast<Index>(c));
    }
  }

  std::string of(const Mode& mode) const {
    const std::string whole = mode.word();
    if (is_whole_) return whole;
    std::string word;
    for (const std::ptrdiff_t place : places_) {
      if (place < std::ssize(whole)) word += whole[static_cast<std::size_t>(place)];
    }
    return word;
  }

 private:
  bool is_whole_;  // where surfaces have no names
  std::vector<std::ptrdiff_t> places_ = {};
};

bool is_named(EventKind kind) {
  return kind == EventKind::reset || kind == EventKind::transition || kind == EventKind::impact;
}

}  // namespace

Followed follow(const RandomModel& model, const Setting& setting, const std::vector<long double>& samples,
                double seconds) {
  Followed out;
  Motion& motion = out.motion;
  std::optional<ModelInstance> instance;
  std::shared_ptr<const WrittenModel> written;
  try {
    const Model file = parse_model(file_text(model), "random.toml");
    instance = file.instantiate({});
    written = written_model(file, {});
  } catch (const std::exception& refusal) {
    out.message = refusal.what();
    return out;
  }
  Options options;
  options.rtol = setting.rtol;
  options.method = setting.method;
  options.max_steps = 2'000'000;
  options.max_events = 100'000;
  Vector atol(std::ssize(model.states));
  for (Index j = 0; j < atol.size(); ++j) {
    atol[j] = setting.rtol / 100 * model.states[static_cast<std::size_t>(j)].scale;
  }
  options.atol = atol;
  const double begin = thread_seconds();
  options.on_step = [&](const StepView&) {
    if (thread_seconds() - begin > seconds) throw std::runtime_error(time_is_up);
  };
  const Automaton problem = instance->problem();
  const Words words(model, problem.system());
  std::optional<Solution> solution;
  Auditor auditor(written, *instance, options, AuditLevel::full);
  try {
    solution = Simulator(problem, auditor.listening(options))
                   .run({.start = instance->start, .end = instance->end, .state = instance->state});
  } catch (const std::exception& refusal) {
    out.message = refusal.what();
    return out;
  }
  out.message = solution->outcome.message;
  const AuditResult audit = auditor.result();
  if (!audit.failures.empty()) out.contradiction = audit.failures.front().text;
  out.timed_out =
      out.message.find(time_is_up) != std::string::npos || solution->outcome.status == Status::step_limit;
  motion.end = solution->outcome.reached_end()            ? MotionEnd::reached
               : solution->outcome.status == Status::zeno ? MotionEnd::zeno
                                                          : MotionEnd::undecided;
  motion.t = solution->final.t;
  motion.initial_word = words.of(solution->initial.mode);
  motion.initial_location = solution->initial.location;
  for (const EventRecord& event : solution->events) {
    Happening happening{.t = event.t};
    const bool follows = !motion.happenings.empty();
    happening.word = event.to  ? words.of(*event.to)
                     : follows ? motion.happenings.back().word
                               : motion.initial_word;
    happening.location = event.to_location ? *event.to_location
                         : follows         ? motion.happenings.back().location
                                           : motion.initial_location;
    if (is_named(event.kind) && event.name) happening.names.push_back(*event.name);
    motion.happenings.push_back(std::move(happening));
    if (event.kind == EventKind::zeno) motion.accumulations.push_back({.limit = event.t});
  }
  if (motion.end == MotionEnd::zeno) motion.accumulations.push_back({.limit = motion.t});
  for (Index j = 0; j < solution->final.state.size(); ++j) motion.state.push_back(solution->final.state[j]);
  for (const long double t : samples) {
    if (t > static_cast<long double>(solution->final.t)) break;
    const Vector x = solution->trajectory(static_cast<double>(t));
    motion.samples.emplace_back(x.data(), x.data() + x.size());
  }
  return out;
}

}  // namespace slideway::validation::random
