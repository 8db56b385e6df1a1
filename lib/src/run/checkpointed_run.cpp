// A run that goes through its own checkpoints.
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "run/check_run.hpp"
#include "run/checkpoint_log.hpp"
#include "run/checkpoint_problem.hpp"
#include "run/engine_fields.hpp"
#include "run/field_loader.hpp"
#include "run/field_reader.hpp"
#include "run/field_saver.hpp"
#include "run/field_writer.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/simulate/checkpoint.hpp"

namespace slideway {

namespace {

using Json = FieldsJson;

}  // namespace

// The derivatives are found after the run, along the whole of its record.
void refuse_sensitivities(const Options& options) {
  if (options.sensitivities.empty()) return;
  refuse({.what = "a run with checkpoints has no sensitivities",
          .where = "Options::sensitivities",
          .expected = "none",
          .advice = "run without checkpoints"});
}

class CheckpointedRun {
 public:
  CheckpointedRun(const Simulator& simulator, const Run& run, const Checkpointing& checkpointing,
                  std::int64_t steps_to_pause)
      : simulator_(simulator),
        run_(run),
        checkpointing_(checkpointing),
        steps_to_pause_(steps_to_pause),
        guards_(simulator.automaton()) {
    for (const Location& location : simulator.automaton().locations())
      structures_.push_back(std::make_shared<const RelayStructure>(location.system));
    problem_ = problem_of(simulator, run, checkpointing.model, steps_to_pause).dump();
    engine_ = make_engine();
  }

  static std::int64_t steps_to_pause(std::int64_t interval) {
    return interval > 0 ? std::min(interval, Checkpoint::kStepsToPause) : Checkpoint::kStepsToPause;
  }

  void resume(const Checkpoint& checkpoint) {
    check_same_problem(Json::parse(checkpoint.problem_), Json::parse(problem_));
    try {
      // The trajectory of the engine knows how to project, and that of the checkpoint does not.
      Solution& solution = engine_->solution();
      LogPosition none;
      read_log_lines(log_lines(*checkpoint.so_far_, none), solution);
      const Json state = Json::parse(checkpoint.state_);
      FieldLoader load(state, guards_);
      EngineFields{*engine_}.visit_fields(load);
      engine_->go_on();
    } catch (const CheckpointError&) {
      throw;
    } catch (const std::exception& error) {
      throw CheckpointError(std::string("the checkpoint does not fit this problem: ") + error.what());
    }
    written_at_ = checkpoint.steps_;
  }

  std::optional<Solution> follow() {
    using Clock = std::chrono::steady_clock;
    auto written = Clock::now();
    while (true) {
      if (std::optional<Solution> solution = engine_->execute_until_pause(steps_to_pause_)) {
        solution->statistics.wall_seconds = std::numeric_limits<double>::quiet_NaN();
        return solution;
      }
      const std::int64_t steps = engine_->now().restart.steps_in_run();
      const bool stops = checkpointing_.stop && checkpointing_.stop();
      const bool is_due =
          checkpointing_.steps > 0
              ? steps - written_at_ >= checkpointing_.steps
              : std::chrono::duration<double>(Clock::now() - written).count() >= checkpointing_.seconds;
      if (stops || is_due) {
        if (checkpointing_.write) write_checkpoint(steps);
        written_at_ = steps;
        written = Clock::now();
      }
      if (stops) return std::nullopt;
      renew_engine();
    }
  }

 private:
  std::unique_ptr<RunEngine> make_engine() {
    return std::make_unique<RunEngine>(simulator_.automaton(), structures_, simulator_.options(), run_);
  }

  void write_checkpoint(std::int64_t steps) {
    Checkpoint checkpoint;
    checkpoint.t_ = engine_->now().t;
    checkpoint.steps_ = steps;
    checkpoint.note_ = checkpointing_.note;
    checkpoint.interval_steps_ = checkpointing_.steps;
    checkpoint.interval_seconds_ = checkpointing_.seconds;
    checkpoint.run_ = run_;
    checkpoint.records_trajectory_ = simulator_.options().recording == Recording::dense;
    checkpoint.problem_ = problem_;
    checkpoint.state_ = text_of_engine();
    auto so_far = std::make_shared<Solution>(std::move(engine_->solution()));
    checkpoint.so_far_ = so_far;
    checkpointing_.write(checkpoint);
    engine_->solution() = std::move(*so_far);
  }

  std::string text_of_engine() {
    FieldSaver save(guards_);
    EngineFields{*engine_}.visit_fields(save);
    return save.object().dump();
  }

  // A new engine has nothing but what a checkpoint holds.
  void renew_engine() {
    FieldWriter write(guards_);
    EngineFields{*engine_}.visit_fields(write);
    auto so_far = std::move(engine_->solution());
    engine_ = make_engine();
    engine_->solution() = std::move(so_far);
    FieldReader read(write.bytes(), guards_);
    EngineFields{*engine_}.visit_fields(read);
    engine_->go_on();
  }

  const Simulator& simulator_;
  const Run run_;
  const Checkpointing& checkpointing_;
  const std::int64_t steps_to_pause_;
  GuardNumbers guards_;
  std::vector<std::shared_ptr<const RelayStructure>> structures_;
  std::string problem_;
  std::unique_ptr<RunEngine> engine_;
  std::int64_t written_at_ = 0;  // in steps of the run
};

std::optional<Solution> run_with_checkpoints(const Simulator& simulator, const Run& run,
                                             const Checkpointing& checkpointing) {
  refuse_sensitivities(simulator.options());
  check_run(simulator.automaton(), simulator.options(), run);
  return CheckpointedRun(simulator, run, checkpointing, CheckpointedRun::steps_to_pause(checkpointing.steps))
      .follow();
}

std::optional<Solution> resume(const Simulator& simulator, const Checkpoint& checkpoint,
                               const Checkpointing& checkpointing) {
  refuse_sensitivities(simulator.options());
  if (checkpoint.run().state.size() != simulator.system().states()) {
    throw CheckpointError("the checkpoint is of another model: it has " +
                          std::to_string(checkpoint.run().state.size()) + " states, and this one has " +
                          std::to_string(simulator.system().states()));
  }
  CheckpointedRun run(simulator, checkpoint.run(), checkpointing,
                      CheckpointedRun::steps_to_pause(checkpointing.steps));
  run.resume(checkpoint);
  return run.follow();
}

}  // namespace slideway
