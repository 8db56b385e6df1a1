#include "apps/run_checkpoints.hpp"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "apps/advice.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "apps/text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/detail/core/platform/programs.hpp"

namespace slideway::apps {

namespace {

using Json = nlohmann::ordered_json;

volatile std::sig_atomic_t asked_to_stop = 0;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// note_of() writes down all parts of the command line that decide the run. Numbers read back as they were.
std::string note_of(const RunArguments& arguments) {
  std::string model = arguments.model;
  std::error_code error;
  if (is_model_file(model) && std::filesystem::exists(to_path(model), error))
    model = to_name(std::filesystem::absolute(to_path(model), error));
  Json settings = Json::array();
  for (const auto& [name, value] : arguments.settings) settings.push_back({name, value});
  return Json{{"model", model},
              {"settings", settings},
              {"end", or_null(arguments.end)},
              {"rtol", or_null(arguments.rtol)},
              {"atol", or_null(arguments.atol)},
              {"max_step", or_null(arguments.max_step)},
              {"max_events", or_null(arguments.max_events)},
              {"max_steps", or_null(arguments.max_steps)},
              {"method", arguments.method},
              {"linear_solver", arguments.linear_solver},
              {"on_ambiguity", arguments.on_ambiguity},
              {"sliding_rule", arguments.sliding_rule},
              {"selection", arguments.selection},
              {"local_events", arguments.local_events},
              {"audit", arguments.audit},
              {"full_events", arguments.full_events}}
      .dump();
}

template <class Value>
void fill(const Json& note, const char* name, std::optional<Value>& value) {
  if (!value && !note.at(name).is_null()) value = note.at(name).get<Value>();
}

void fill(const Json& note, const char* name, std::string& value) {
  if (value.empty()) value = note.at(name).get<std::string>();
}

// The note fills in what the command line does not say.
void fill_from(const std::string& text, RunArguments& arguments) {
  const Json note = Json::parse(text);
  fill(note, "model", arguments.model);
  if (arguments.models.empty()) arguments.models = {arguments.model};
  if (arguments.settings.empty()) {
    for (const Json& setting : note.at("settings"))
      arguments.settings.emplace_back(setting.at(0).get<std::string>(), setting.at(1).get<double>());
  }
  fill(note, "end", arguments.end);
  fill(note, "rtol", arguments.rtol);
  fill(note, "atol", arguments.atol);
  fill(note, "max_step", arguments.max_step);
  fill(note, "max_events", arguments.max_events);
  fill(note, "max_steps", arguments.max_steps);
  fill(note, "method", arguments.method);
  fill(note, "linear_solver", arguments.linear_solver);
  fill(note, "on_ambiguity", arguments.on_ambiguity);
  fill(note, "sliding_rule", arguments.sliding_rule);
  fill(note, "selection", arguments.selection);
  if (note.contains("local_events")) fill(note, "local_events", arguments.local_events);
  if (note.contains("audit")) fill(note, "audit", arguments.audit);
  arguments.full_events = arguments.full_events || note.at("full_events").get<bool>();
}

// The equations as they are shown, and the numbers in them.
std::string model_text(const FollowedRun& run) {
  std::ostringstream text;
  text << run.model.name << '\n';
  for (const std::string& line : run.model.equations) text << line << '\n';
  for (const auto& [name, value] : run.instance.parameters) text << fmt::format("{} = {:a}\n", name, value);
  for (const std::string& name : run.instance.system.state_names()) text << name << '\n';
  for (const std::string& name : run.instance.system.surface_names()) text << name << '\n';
  return text.str();
}

void refuse_start(const std::string& what, const std::string& expected, const std::string& got) {
  throw CheckpointError(
      fmt::format("the checkpoint is of a run with another {} (expected {}, got {}); go on with that of the "
                  "checkpoint, or begin the run again",
                  what, expected, got));
}

void check_start(const Run& before, const ModelInstance& instance) {
  if (before.start != instance.start)
    refuse_start("start", fmt::format("{}", before.start), fmt::format("{}", instance.start));
  if (before.end != instance.end)
    refuse_start("end", fmt::format("{}", before.end), fmt::format("{}", instance.end));
  if (before.state.size() != instance.state.size())
    refuse_start("number of states", fmt::format("{}", before.state.size()),
                 fmt::format("{}", instance.state.size()));
  for (Index j = 0; j < before.state.size(); ++j) {
    if (before.state[j] == instance.state[j]) continue;
    refuse_start("initial value of " + instance.system.state_names()[static_cast<std::size_t>(j)],
                 fmt::format("{}", before.state[j]), fmt::format("{}", instance.state[j]));
  }
}

void check_arguments(const RunArguments& arguments) {
  const std::string option = arguments.from.empty() ? "--checkpoint" : "--from";
  if (arguments.models.size() > 1 || !arguments.axes.empty()) {
    refuse({.what = "a checkpoint holds one run, not several",
            .where = option,
            .expected = "one model, without --vary",
            .advice = "`slideway sweep --resume` goes on with many runs"});
  }
  if (arguments.passivity) {
    refuse({.what = "a checkpoint does not hold the work of friction so far",
            .where = option + " with --passivity",
            .expected = "one of them"});
  }
  if (!arguments.sensitivities.empty()) {
    refuse({.what = "a run with checkpoints has no sensitivities",
            .where = option + " with --sensitivity",
            .expected = "one of them"});
  }
  if (!arguments.adjoints.empty()) {
    refuse({.what = "a run with checkpoints has no gradients",
            .where = option + " with --adjoint",
            .expected = "one of them"});
  }
  if (arguments.checkpoint == "-" || arguments.from == "-") {
    refuse({.what = "a checkpoint is a file that is replaced",
            .where = option,
            .expected = "a FILE",
            .got = "-"});
  }
}

}  // namespace

std::optional<CheckpointInterval> interval_in(const std::string& text) {
  const auto number_before = [&](const std::string& unit) -> std::optional<double> {
    if (!text.ends_with(unit)) return std::nullopt;
    return to_number<double>(text.substr(0, text.size() - unit.size()));
  };
  constexpr double kMost = 1e15;
  if (const std::optional<double> steps = number_before("steps")) {
    if (!(*steps >= 1) || !(*steps <= kMost) || *steps != std::floor(*steps)) return std::nullopt;
    return CheckpointInterval{.steps = static_cast<std::int64_t>(*steps)};
  }
  if (const std::optional<double> seconds = number_before("s")) {
    if (!(*seconds > 0) || !(*seconds <= kMost)) return std::nullopt;
    return CheckpointInterval{.seconds = *seconds};
  }
  return std::nullopt;
}

RunCheckpoints::RunCheckpoints(const RunArguments& arguments) : arguments_(arguments) {
  file_ = arguments.checkpoint.empty() ? arguments.from : arguments.checkpoint;
  if (!any()) {
    if (arguments.every.has_value()) {
      refuse({.what = "there is no file to write checkpoints to",
              .where = "--every",
              .expected = "--checkpoint FILE beside it"});
    }
    return;
  }
  check_arguments(arguments);
  if (arguments.every) interval_ = *arguments.every;
  if (!arguments.from.empty()) {
    CheckpointFile source(arguments.from);
    from_ = source.read();
    fill_from(from_->note(), arguments_);
    if (!arguments.every) interval_ = {from_->interval_steps(), from_->interval_seconds()};
    if (file_ == arguments.from) store_ = std::move(source);
  }
  if (!store_) store_.emplace(file_);
  check_writable(file_);
  if (arguments_.on_ambiguity == "branches") {
    refuse({.what = "a checkpoint holds one solution, not a tree of them",
            .where = "--on-ambiguity branches",
            .expected = "stop, minus, plus or slide beside --checkpoint"});
  }
}

bool RunCheckpoints::follow(FollowedRun& run, std::ostream& err) {
  const bool needs_trajectory = run.options.recording == Recording::dense;
  if (from_) {
    if (needs_trajectory && !from_->records_trajectory()) {
      throw CheckpointError(
          "the checkpoint is of a run that kept no trajectory, which --csv, --plot and --report need; begin "
          "it "
          "with one of these, or go on without them");
    }
    if (from_->records_trajectory()) run.options.recording = Recording::dense;
    check_start(from_->run(), run.instance);
  }
  bool has_failed = false;
  asked_to_stop = 0;
  const platform::RequestHandler on_request({platform::Request::terminate}, [](int) { asked_to_stop = 1; });
  Checkpointing checkpointing;
  checkpointing.steps = interval_.steps;
  checkpointing.seconds = interval_.seconds;
  checkpointing.model = model_text(run);
  checkpointing.note = note_of(arguments_);
  checkpointing.stop = [] { return asked_to_stop != 0; };
  checkpointing.write = [&](const Checkpoint& checkpoint) {
    stopped_at_ = checkpoint.t();
    last_is_written_ = false;
    try {
      store_->write(checkpoint);
      last_is_written_ = true;
    } catch (const FileError& error) {
      if (!has_failed)
        fmt::print(err, "slideway: {}; the run goes on without a new checkpoint\n", error.what());
      has_failed = true;
    }
  };
  // A run that goes on is audited from there on, which its results would show: only where that was asked for.
  const AuditLevel level = arguments_.audit.empty() ? AuditLevel::off : run.audit_level;
  Auditor auditor(run.written, run.instance, run.options, level);
  const Simulator simulator(run.instance.problem(), auditor.listening(run.options));
  std::optional<Solution> solution =
      from_ ? resume(simulator, *from_, checkpointing)
            : run_with_checkpoints(
                  simulator,
                  {.start = run.instance.start, .end = run.instance.end, .state = run.instance.state},
                  checkpointing);
  if (!solution) return false;
  run.solution = std::move(*solution);
  run.take_audit(auditor.result());
  run.solution.outcome.message = told_to_user(run.solution.outcome.message, Branches::offered);
  return true;
}

int RunCheckpoints::report_stop(std::ostream& err) const {
  if (!last_is_written_) {
    fmt::print(err, "slideway: stopped by SIGTERM at t = {:.10g}, and the checkpoint could not be written\n",
               stopped_at_);
    return exit_failure;
  }
  fmt::print(
      err,
      "slideway: stopped by SIGTERM at t = {:.10g}; go on with `slideway run --from {}` and the same files "
      "for results\n",
      stopped_at_, file_);
  return exit_checkpointed;
}

}  // namespace slideway::apps
