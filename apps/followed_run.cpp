#include "apps/followed_run.hpp"

#include <ostream>
#include <utility>

#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "slideway/audit/called_functions.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

void check_passivity(const ModelInstance& instance, const Options& options) {
  if (instance.friction.empty()) {
    refuse({.what = "the model does not say which of its forces are friction",
            .where = "--passivity",
            .expected = "a model with friction: in a file, a table [friction]",
            .got = "none",
            .advice = "write F = { law = \"coulomb\", velocity = \"v\", Fc = 1.0 } in [friction] and use F"});
  }
  if (options.on_ambiguity == Ambiguity::branches) {
    refuse({.what = "the work of friction belongs to one solution",
            .where = "--passivity with --on-ambiguity branches",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  }
}

std::unique_ptr<Observation> make_observation(const RunArguments& arguments, const Model& model,
                                              const ModelInstance& instance, const Options& options) {
  const std::vector<std::string>& observed =
      arguments.observe.empty() ? model.defaults.observe : arguments.observe;
  if (observed.empty()) return nullptr;
  return std::make_unique<Observation>(instance.problem(), instance.observables(observed),
                                       options.sliding_rule);
}

void take_sensitivities(const RunArguments& arguments, const Settings& settings, FollowedRun& run) {
  if (run.options.on_ambiguity == Ambiguity::branches) {
    refuse({.what = "derivatives belong to one solution",
            .where = "--sensitivity with --on-ambiguity branches",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  }
  run.options.sensitivities = sensitivities_by(run.model, settings, run.instance, arguments.sensitivities);
  if (!run.observation || !run.options.sensitivities.observe) return;
  const SensitivityRequest& wanted = run.options.sensitivities;
  run.observed_sensitivity = std::make_unique<ObservedSensitivity>(
      wanted.extended ? *wanted.extended : run.instance.problem(),
      wanted.observe(arguments.observe.empty() ? run.model.defaults.observe : arguments.observe),
      run.options.sliding_rule, wanted);
}

void take_adjoints(const RunArguments& arguments, const Settings& settings, FollowedRun& run) {
  if (run.options.on_ambiguity == Ambiguity::branches) {
    refuse({.what = "gradients belong to one solution",
            .where = "--adjoint with --on-ambiguity branches",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  }
  run.question.emplace(run.model, settings, run.instance, arguments.adjoints);
  // The solution is gone through once more, backwards.
  run.options.recording = Recording::dense;
}

void take_section(FollowedRun& run) {
  check_section(*run.section, run.instance.problem(), "--section");
  if (run.options.on_ambiguity == Ambiguity::branches) {
    refuse({.what = "a section has the arrivals of one solution",
            .where = "--section with --on-ambiguity branches",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  }
  // Events of many states do not hold them.
  run.options.recording = Recording::dense;
}

}  // namespace

RunReport FollowedRun::report() const {
  RunReport report{.model = title, .instance = instance, .solution = solution};
  report.observation = observation.get();
  report.observed_sensitivity = observed_sensitivity.get();
  report.gradients = gradients ? &*gradients : nullptr;
  report.audit = audit ? &*audit : nullptr;
  report.friction = friction;
  report.section = section;
  return report;
}

FollowedRun prepare_run(const RunArguments& arguments, const std::string& name, const Settings& settings) {
  Model model = load_model(name, arguments.fmu_import);
  ModelInstance instance = model.instantiate(settings);
  FollowedRun run{.model = std::move(model), .instance = std::move(instance)};
  run.title = run.model.name;
  run.options = make_options(arguments, run.model.defaults);
  run.options.full_events = arguments.full_events;
  // Events and the final state are enough unless a table of the trajectory or a picture is wanted.
  if (arguments.csv.empty() && arguments.plot.empty() && arguments.report.empty())
    run.options.recording = Recording::nothing;
  if (!arguments.audit.empty()) run.audit_level = audit_level_from(arguments.audit);
  run.written = written_model(run.model, settings);
  // Functions are called beside their run only where that is asked for.
  if (!run.written && !arguments.audit.empty() && run.audit_level != AuditLevel::off) {
    const std::string reason = reason_without_audit(run.instance, AuditTime::along_run);
    if (reason.empty())
      run.written = called_functions();
    else
      run.audit = AuditResult{.reason = reason};
  }
  set_end(arguments, run.instance);
  run.watches_friction = arguments.passivity;
  if (run.watches_friction) check_passivity(run.instance, run.options);
  run.observation = make_observation(arguments, run.model, run.instance, run.options);
  if (!arguments.sensitivities.empty()) take_sensitivities(arguments, settings, run);
  if (!arguments.adjoints.empty()) take_adjoints(arguments, settings, run);
  run.section = section_named(arguments.section, arguments.direction);
  if (run.section) take_section(run);
  return run;
}

void FollowedRun::take_audit(AuditResult found) {
  if (found.verdict == AuditVerdict::not_made && found.reason.empty()) return;
  for (const AuditFailure& failure : found.failures) solution.warnings.push_back("audit: " + failure.text);
  audit = std::move(found);
}

void follow(FollowedRun& run, const std::atomic<bool>* interruption) {
  std::optional<PassivityWatch> watch;
  if (run.watches_friction) {
    watch.emplace(run.instance.problem(), run.instance.friction, run.options.sliding_rule);
    run.options.on_step = [&](const StepView& step) { watch->add(step); };
  }
  Auditor auditor(run.written, run.instance, run.options, run.audit_level);
  Options listening = auditor.listening(run.options);
  tell_steps(run.instance, listening);
  if (interruption != nullptr) {
    listening.on_step = [interruption, next = listening.on_step](const StepView& step) {
      const Answer answer = next ? next(step) : Answer::go_on;
      return *interruption ? Answer::stop : answer;
    };
  }
  const Simulator simulator(run.instance.problem(), listening);
  const Run where{.start = run.instance.start, .end = run.instance.end, .state = run.instance.state};
  run.solution = simulator.run(where);
  run.options.on_step = nullptr;
  run.take_audit(auditor.result());
  run.solution.outcome.message = told_to_user(run.solution.outcome.message, Branches::offered);
  const bool is_interrupted = interruption != nullptr && *interruption;
  if (is_interrupted && run.solution.outcome.status == Status::stopped_by_caller)
    run.solution.outcome.message = fmt::format(
        "the run was interrupted at t = {:.10g}; what was done until then is kept", run.solution.outcome.t);
  if (run.question && !is_interrupted) run.gradients = run.question->answer(run.options, where, run.solution);
  if (watch) run.friction = watch->results(run.options.rtol);
}

void print_contradictions(const FollowedRun& run, const std::string& name, std::ostream& err) {
  if (!run.is_contradicted()) return;
  for (const AuditFailure& failure : run.audit->failures)
    fmt::print(err, "slideway: {}audit: {}\n", name, failure.text);
}

}  // namespace slideway::apps
