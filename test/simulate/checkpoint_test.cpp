// Checkpoints in the library: a run that goes on from each of them, in another Simulator, ends as the undisturbed one does.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "models/registry.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/json.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/checkpoint.hpp"

namespace slideway::test {

namespace {

struct Problem {
  std::string model;  // of the catalogue, or a file of the gallery
  double end = 0;
  Method method = Method::automatic;
  double max_step = std::numeric_limits<double>::infinity();
};

class Runner {
 public:
  explicit Runner(const Problem& problem)
      : model_(problem.model.ends_with(".toml")
                   ? read_model_file(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/" + problem.model)
                   : models::find_model(problem.model)),
        instance_(model_.instantiate({})),
        simulator_(instance_.problem(), {.method = problem.method, .max_step = problem.max_step}) {
    if (problem.end > 0) instance_.end = problem.end;
  }
  Run run() const { return {.start = instance_.start, .end = instance_.end, .state = instance_.state}; }
  const Simulator& simulator() const { return simulator_; }
  // The table and the document, in which times of day have no part.
  std::string documents(const Solution& solution) const {
    std::ostringstream text;
    const RunReport report{.model = model_.name, .instance = instance_, .solution = solution};
    write_csv(report, text, {});
    write_json(report, text, {});
    return text.str();
  }

 private:
  Model model_;
  ModelInstance instance_;
  Simulator simulator_;
};

// Goes on from every checkpoint of a run, or from about `most` of them.
void check_every_checkpoint(const Problem& problem, std::int64_t steps, std::size_t most = 25) {
  CAPTURE(problem.model);
  const Runner runner(problem);
  std::vector<std::string> saved;
  Checkpointing keep{.steps = steps,
                     .write = [&](const Checkpoint& made) { saved.push_back(made.serialise()); }};
  const std::optional<Solution> undisturbed = run_with_checkpoints(runner.simulator(), runner.run(), keep);
  REQUIRE(undisturbed);
  REQUIRE(undisturbed->outcome.succeeded());
  REQUIRE(saved.size() > 3);
  const std::string expected = runner.documents(*undisturbed);

  Checkpointing silent{.steps = steps};
  const std::size_t every = std::max<std::size_t>(1, saved.size() / most);
  const Runner other(problem);
  for (std::size_t k = 0; k < saved.size(); k += every) {
    CAPTURE(k);
    const std::optional<Solution> resumed = resume(other.simulator(), Checkpoint::restore(saved[k]), silent);
    REQUIRE(resumed);
    CHECK(other.documents(*resumed) == expected);
  }
  // Serialised again, a checkpoint is the same text.
  CHECK(Checkpoint::restore(saved[1]).serialise() == saved[1]);

  // The run without checkpoints differs within the tolerances.
  const Solution plain = runner.simulator().run(runner.run());
  REQUIRE(plain.outcome.status == undisturbed->outcome.status);
  CHECK(
      std::abs(static_cast<double>(plain.events.size()) - static_cast<double>(undisturbed->events.size())) <=
      0.01 * static_cast<double>(plain.events.size()) + 1);
}

}  // namespace

TEST_CASE("a run goes on from each of its checkpoints bit for bit, with friction") {
  check_every_checkpoint({.model = "dry-friction", .end = 100}, 7);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, in sliding") {
  check_every_checkpoint({.model = "circle", .end = 20, .max_step = 0.05}, 7);
  check_every_checkpoint({.model = "moving-surface", .max_step = 0.05}, 7);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, through the tail of an accumulation") {
  check_every_checkpoint({.model = "bouncing-ball"}, 1, 200);
  check_every_checkpoint({.model = "block-pile"}, 1, 200);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, with impacts") {
  check_every_checkpoint({.model = "impact-oscillator", .end = 60}, 5);
  check_every_checkpoint({.model = "cam-follower", .end = 10}, 5);
  check_every_checkpoint({.model = "rocking-block"}, 3);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, in automata") {
  check_every_checkpoint({.model = "thermostat", .end = 100}, 3);
  check_every_checkpoint({.model = "integrate_and_fire.toml"}, 5);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, in sliding of second order") {
  check_every_checkpoint({.model = "super_twisting.toml", .max_step = 0.02}, 7);
  check_every_checkpoint({.model = "twisting.toml", .max_step = 0.02}, 7);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, where surfaces meet") {
  check_every_checkpoint({.model = "two-relays", .max_step = 0.05}, 7);
  check_every_checkpoint({.model = "three-surfaces", .max_step = 0.05}, 7);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, with every method") {
  for (const Method method :
       {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas, Method::automatic})
    check_every_checkpoint({.model = "dry-friction", .end = 30, .method = method}, 7);
  check_every_checkpoint({.model = "heat-rod", .end = 1}, 50, 5);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, with samples and functions that step") {
  for (const char* model : {"digital_pid.toml", "sampled_pwm.toml", "sampled_sliding.toml", "clock.toml"})
    check_every_checkpoint({.model = model}, 7);
}

TEST_CASE("a run goes on from each of its checkpoints bit for bit, with delayed actions on their way") {
  // Each upward crossing of x = cos t adds to y after a delay of several periods.
  SystemDefinition definition;
  definition.states = 3;
  definition.field = [](double, ConstVectorRef x, const Vector&, VectorRef velocity) {
    velocity << x[1], -x[0], -0.1 * x[2];
  };
  Event kick;
  kick.name = "kick";
  kick.when = [](double, ConstVectorRef x) { return x[0]; };
  kick.direction = Direction::rising;
  kick.action = Action::reset;
  kick.reset = [](double, ConstVectorRef before, VectorRef after) { after[2] += before[1]; };
  kick.delay = {.time = 20.25, .sets = {2}};
  definition.events = {kick};
  const Simulator simulator(System(std::move(definition)), {.max_step = 0.5});
  const Run run{.end = 100, .state = Vector::Unit(3, 0)};
  const auto text_of = [](const std::optional<Solution>& solution) {
    std::ostringstream text;
    REQUIRE(solution);
    CHECK(solution->pending.size() > 2);
    text << std::hexfloat << solution->final.state.transpose();
    for (const EventRecord& event : solution->events) text << '\n' << event.t << ' ' << event.reason;
    return text.str();
  };
  std::vector<std::string> saved;
  Checkpointing keep{.steps = 7, .write = [&](const Checkpoint& made) { saved.push_back(made.serialise()); }};
  const std::string expected = text_of(run_with_checkpoints(simulator, run, keep));
  REQUIRE(saved.size() > 10);
  for (const std::string& one : saved)
    CHECK(text_of(resume(simulator, Checkpoint::restore(one), {.steps = 7})) == expected);
}

TEST_CASE("a run with checkpoints may be stopped, and goes on") {
  const Runner runner({.model = "dry-friction", .end = 100});
  std::string saved;
  int asked = 0;
  Checkpointing checkpoints{.steps = 10,
                            .write = [&](const Checkpoint& made) { saved = made.serialise(); },
                            .stop = [&] { return ++asked == 3; }};
  CHECK(!run_with_checkpoints(runner.simulator(), runner.run(), checkpoints));
  CHECK(asked == 3);
  const Checkpoint made = Checkpoint::restore(saved);
  CHECK(made.steps() >= 30);
  CHECK(made.t() > 0);
  const std::optional<Solution> resumed = resume(runner.simulator(), made, {.steps = 10});
  REQUIRE(resumed);
  CHECK(resumed->outcome.reached_end());
  CHECK(std::isnan(resumed->statistics.wall_seconds));
}

TEST_CASE("a checkpoint of another problem is refused by the library") {
  const Runner runner({.model = "dry-friction", .end = 100});
  std::string saved;
  Checkpointing checkpoints{
      .steps = 10, .write = [&](const Checkpoint& made) { saved = made.serialise(); }, .model = "one"};
  REQUIRE(run_with_checkpoints(runner.simulator(), runner.run(), checkpoints));
  const Checkpoint made = Checkpoint::restore(saved);
  const auto reason = [&](const Simulator& simulator, const Checkpointing& how) -> std::string {
    try {
      resume(simulator, made, how);
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(reason(runner.simulator(), checkpoints).empty());
  CHECK(has(reason(runner.simulator(), {.steps = 10, .model = "two"}), "another model"));
  CHECK(has(reason(runner.simulator(), {.steps = 20, .model = "one"}), "every 10 steps"));
  const Runner other({.model = "dry-friction", .end = 100, .method = Method::adams});
  CHECK(has(reason(other.simulator(), checkpoints), "option method (expected auto, got adams)"));
  const Model model = models::find_model("dry-friction");
  CHECK(has(reason(Simulator(model.instantiate({{"mu", 0.3}}).problem()), checkpoints),
            "equations or parameters"));
  const Runner evaporator({.model = "evaporator"});
  CHECK(has(reason(evaporator.simulator(), checkpoints), "another"));
  CHECK_THROWS_AS(Checkpoint::restore(saved.substr(0, saved.size() - 5)), CheckpointError);
  CHECK_THROWS_AS(Checkpoint::restore(""), CheckpointError);
  CHECK_THROWS_AS(Checkpoint::restore("{\n}\n"), CheckpointError);
}

}  // namespace slideway::test
