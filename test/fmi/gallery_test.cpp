// Models of the gallery leave as FMUs of both kinds, with the options that the command has by default, and come back.
//
// Co-Simulation has the library inside, whose run does not depend on where it is looked at: its events are those of the plain run, bit for bit.
// Model Exchange is integrated from outside, between the events that the FMU passes: its events are the same to the tolerances.
#ifdef SLIDEWAY_FMU_BINARY
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "slideway/fmi/export.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;

namespace {

// What `slideway run` takes from [options] of a model file.
Options default_options(const ModelDefaults& defaults) {
  Options options;
  if (defaults.rtol > 0) options.rtol = defaults.rtol;
  if (!defaults.atol.empty())
    options.atol = Tolerance(
        Vector(Eigen::Map<const Vector>(defaults.atol.data(), static_cast<Index>(defaults.atol.size()))));
  if (!defaults.method.empty()) options.method = method_from(defaults.method);
  if (!defaults.on_ambiguity.empty()) options.on_ambiguity = ambiguity_from(defaults.on_ambiguity);
  if (!defaults.sliding_rule.empty()) options.sliding_rule = sliding_rule_from(defaults.sliding_rule);
  if (!defaults.selection.empty()) options.selection = selection_from(defaults.selection);
  options.recording = Recording::nothing;
  return options;
}

struct Motion {
  std::vector<double> instants = {};  // of events after the start; several records of one instant are one
  Vector state = {};                  // the continuous states at the end
  std::string message = {};

  void add(double t) {
    if (instants.empty() || t > instants.back() + 1e-12 * (1 + std::abs(t))) instants.push_back(t);
  }
};

using IsEvent = std::function<bool(const EventRecord& event)>;

Motion motion_of(const ModelInstance& instance, const Options& options, Index continuous,
                 const IsEvent& is_event) {
  const Solution solution = Simulator(instance.problem(), options)
                                .run({.start = instance.start, .end = instance.end, .state = instance.state});
  Motion motion;
  for (const EventRecord& event : solution.events)
    if (event.t > instance.start && is_event(event)) motion.add(event.t);
  motion.state = solution.final.state.head(continuous);
  if (!solution.outcome.succeeded()) motion.message = solution.outcome.message;
  return motion;
}

// What touches, or fires and sets nothing, is no event here: an indicator has two directions, and a reset one.
bool has_consequence(const EventRecord& event) {
  return event.kind == EventKind::sample || event.kind == EventKind::stop || event.from != event.to ||
         event.from_location != event.to_location || event.before != event.after;
}

// What the FMU tells of its discrete part.
std::vector<std::string> discrete_outputs(const ModelInstance& instance) {
  std::vector<std::string> names;
  const System& system = instance.system;
  for (const std::string& surface : system.surface_names()) names.push_back("mode(" + surface + ")");
  for (const Contact& contact : system.contacts()) names.push_back("mode(" + contact.name + ")");
  if (instance.automaton && instance.automaton->has_locations()) names.push_back("location");
  for (Index i = system.states() - system.discrete(); i < system.states(); ++i)
    names.push_back(system.state_names()[static_cast<std::size_t>(i)]);
  return names;
}

Motion stepped_motion(const std::string& file, Options options, Index continuous, double step) {
  try {
    const ModelInstance instance =
        read_fmu(file, {.prefers_co_simulation = true, .communication_step = step}).instantiate({});
    options.atol = {};
    options.method = Method::automatic;
    return motion_of(instance, options, continuous,
                     [](const EventRecord& event) { return event.kind == EventKind::reset; });
  } catch (const std::exception& error) {
    return {.message = error.what()};
  }
}

Motion exchanged_motion(const std::string& file, Options options, Index continuous,
                        const std::vector<std::string>& outputs) {
  try {
    const ModelInstance instance = read_fmu(file).instantiate({});
    options.atol = {};
    options.method = Method::automatic;
    options.max_events = 2'000;
    options.max_steps = 50'000;
    const Observables seen = instance.observables(outputs);
    const auto relays = [](const std::optional<Mode>& shown) {
      const Mode mode = shown.value();
      Vector lambda(mode.size());
      for (Index i = 0; i < mode.size(); ++i) lambda[i] = mode[i] == Side::plus ? 1 : -1;
      return lambda;
    };
    Vector before(static_cast<Index>(outputs.size())), after(static_cast<Index>(outputs.size()));
    return motion_of(instance, options, continuous, [&](const EventRecord& event) {
      if (event.name == "time event") return true;
      if (event.kind != EventKind::reset) return false;
      if (event.before.head(continuous) != event.after.head(continuous)) return true;
      seen.evaluate(event.t, event.before, relays(event.from), Vector(), before);
      seen.evaluate(event.t, event.after, relays(event.to), Vector(), after);
      return before != after;
    });
  } catch (const std::exception& error) {
    return {.message = error.what()};
  }
}

// "" where both motions are the same.
std::string difference(const Motion& expected, const Motion& found, double span, double tolerance) {
  if (!found.message.empty() && expected.message.empty()) return found.message;
  double shift = 0;
  for (std::size_t k = 0; k < std::min(expected.instants.size(), found.instants.size()); ++k) {
    shift = std::abs(expected.instants[k] - found.instants[k]);
    if (shift > tolerance * span)
      return fmt::format("event {} at {:.10g} in place of {:.10g}", k + 1, found.instants[k],
                         expected.instants[k]);
  }
  if (found.instants.size() != expected.instants.size())
    return fmt::format("{} instants in place of {}", found.instants.size(), expected.instants.size());
  const double size = 1 + expected.state.lpNorm<Eigen::Infinity>();
  const double off = (expected.state - found.state).lpNorm<Eigen::Infinity>();
  if (!(off <= tolerance * size)) return fmt::format("the final states differ by {:.2g}", off);
  return "";
}

// Models whose Model Exchange has other events than the plain run, or none, and why.
const std::map<std::string, std::string> not_exchanged_alike = {
    {"bouncing_ball", "events accumulate, which Model Exchange does not always pass"},
    {"rocking_block", "events accumulate"},
    {"filippov_spiral", "events accumulate, and the run outside ends the series by its own rule"},
    {"super_twisting", "events accumulate"},
    {"differentiator", "events accumulate in sliding of third order"},
    {"terminal_sliding",
     "what follows where both surfaces meet is not decided from the place that the FMU is at"},
    {"diode_rectifier", "λ of one of three relays that depend on each other does not tell when they leave"},
    {"falling_rod", "the projection onto a contact that sticks ends at 1e-9, which the engine refuses"},
    {"thermostats", "events on 200 indicators take a second each"},
    {"cuk_converter", "at an end of discontinuous conduction events set each other off"}};
// Models that Model Exchange refuses, with what the message says.
const std::map<std::string, std::string> refused = {{"cue_ball", "friction in a plane"},
                                                    {"turntable_block", "friction in a plane"},
                                                    {"delayed_relay", "has a delay"}};
// In the first model more surfaces meet than the blending of corners takes. The events of the others come ever faster: the run that follows
// the FMU sees that, too, and ends the series by its own rule.
const std::set<std::string> not_stepped_alike = {"total_variation", "bouncing_ball", "filippov_spiral",
                                                 "super_twisting"};

}  // namespace

TEST_CASE("models of the gallery come back from FMUs with their events") {
  for (const auto& entry : std::filesystem::directory_iterator(SLIDEWAY_SOURCE_DIR "/models/gallery")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(name);
    const Model model = read_model_file(entry.path().string());
    const ModelInstance instance = model.instantiate({});
    const Options options = default_options(model.defaults);
    const Index continuous = instance.system.states() - instance.system.discrete();
    const auto refusal = refused.find(name);
    const bool is_exchanged = refusal == refused.end() && !not_exchanged_alike.contains(name);
    const test::TemporaryFolder folder;
    const std::string file = folder / "model.fmu";
    FmuExport what = {.kind = is_exchanged ? FmuKind::both : FmuKind::co_simulation,
                      .model_file = entry.path().string(),
                      .options = options,
                      .binary = SLIDEWAY_FMU_BINARY};
    write_fmu(file, model, what);
    const double span = instance.end - instance.start;
    const auto every = [](const EventRecord&) { return true; };
    const Motion all = motion_of(instance, options, continuous, every);
    if (!not_stepped_alike.contains(name))
      CHECK(difference(all, stepped_motion(file, options, continuous, span / 20), span, 1e-13) == "");
    if (refusal != refused.end()) {
      what.kind = FmuKind::model_exchange;
      CHECK_THROWS_WITH_AS(write_fmu(file, model, what), doctest::Contains(refusal->second.c_str()),
                           std::invalid_argument);
    }
    if (!is_exchanged) continue;
    const Motion changes = motion_of(instance, options, continuous, &has_consequence);
    const Motion exchanged = exchanged_motion(file, options, continuous, discrete_outputs(instance));
    CHECK(difference(changes, exchanged, span, 1e-4) == "");
  }
}
#endif
