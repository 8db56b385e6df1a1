#include <optional>

#include <fmt/format.h>

#include "lib/c/called_model.hpp"
#include "lib/c/handle.hpp"
#include "lib/c/model.hpp"
#include "lib/c/run.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/simulate/live_run.hpp"

using namespace slideway;
using namespace slideway::door;

// The FMU of a live run, which alone knows the numbers of its stages.
struct FmuOfRun {};

struct sw_saved final : Handle {
  std::optional<SavedRun> saved = {};
  std::shared_ptr<const FmuOfRun> fmu = {};  // as in sw_live

  std::optional<std::vector<std::string>> names(std::string_view) const override { return std::nullopt; }
  std::optional<Vector> values(std::string_view list) const override {
    if (list != "t" || !saved) return std::nullopt;
    return Vector::Constant(1, saved->t());
  }
  std::string document(std::string_view) override {
    throw Refused(SW_MISUSE, "what a live run has saved has no documents");
  }
};

struct sw_live final : Handle {
  std::optional<RunInput> input = {};
  Vector at_step = {};                       // the state that the watcher of steps sees
  CallbackStop* stop_of_call = {};           // of the call that is under way
  std::shared_ptr<const FmuOfRun> fmu = {};  // null where the model is none
  std::optional<LiveRun> run = {};

  // Throws Refused where the run could not begin.
  LiveRun& going() const {
    if (!run) throw Refused(SW_ABSENT, "there is no run: it could not begin");
    return const_cast<LiveRun&>(*run);
  }
  const EventLog& events() const override { return going().events(); }
  std::optional<std::vector<std::string>> names(std::string_view list) const override;
  std::optional<Vector> values(std::string_view list) const override {
    if (list == "state") return going().state();
    return std::nullopt;
  }
  std::string document(std::string_view) override {
    throw Refused(SW_MISUSE, "a live run has no documents; sw_live_run() makes a run of it");
  }
  void stop() override {
    if (run) run->cancel();
  }

  void begin(RunInput from);
  const char* status() const { return to_string(run->outcome().status); }
  // Runs `advance` and returns the code of what became of the run.
  template <class Advance>
  int follow(const Advance& advance);
  int make_run(Solution solution, sw_run** made) const;
};

std::optional<std::vector<std::string>> sw_live::names(std::string_view list) const {
  const System& system = (going(), input->instance.system);
  if (list == "states") return system.state_names();
  if (list == "surfaces") return system.surface_names();
  if (list != "events") return std::nullopt;
  std::vector<std::string> kinds;
  for (const EventRecord& event : events()) kinds.emplace_back(to_string(event.kind));
  return kinds;
}

void sw_live::begin(RunInput from) {
  input = std::move(from);
  Options options = input->options.run;
  if (!input->options.sensitivities.empty())
    refuse({.what = "derivatives are found after a run",
            .where = "sensitivities",
            .expected = "sw_solve()",
            .got = "a live run"});
  if (input->is_called || input->watcher.function != nullptr) {
    options.on_step = [this](const StepView& step) {
      const StepWatcher& watcher = input->watcher;
      int asked = 0;
      if (watcher.function != nullptr) {
        at_step.resize(input->instance.state.size());
        step.evaluate(step.end, at_step);
        asked = watcher.function(step.end, at_step.data(), at_step.size(), watcher.user);
      }
      return asked != 0 || (stop_of_call != nullptr && stop_of_call->is_asked()) ? Answer::stop
                                                                                 : Answer::go_on;
    };
  }
  tell_steps(input->instance, options);
  if (input->is_fmu) fmu = std::make_shared<const FmuOfRun>();
  const Simulator simulator(input->instance.problem(), options);
  run.emplace(simulator, input->where());
}

template <class Advance>
int sw_live::follow(const Advance& advance) {
  LiveRun& going_on = going();
  CallbackStop stop;
  stop_of_call = &stop;
  changed();
  try {
    advance(going_on);
  } catch (...) {
    stop_of_call = nullptr;
    throw;
  }
  stop_of_call = nullptr;
  if (going_on.outcome().status == Status::reached_end) return SW_OK;
  tell(going_on.outcome().message);
  return SW_STOPPED;
}

int sw_live::make_run(Solution solution, sw_run** made) const {
  return make(made, [&](sw_run& target) {
    target.prepare(*input);
    target.finish(std::move(solution));
    return SW_OK;
  });
}

int sw_live_begin(const sw_model* model, sw_live** live) {
  return make(live, [&](sw_live& made) {
    made.begin(given(model, "model")->input());
    return SW_OK;
  });
}

int sw_live_advance(sw_live* live, double t) {
  return answer(live, [&] { return live->follow([&](LiveRun& run) { run.advance_to(t); }); });
}

int sw_live_next_event(sw_live* live, double t, int64_t* event) {
  return answer(live, [&] {
    if (event != nullptr) *event = -1;
    return live->follow([&](LiveRun& run) {
      const EventRecord* const found = run.next_event(t);
      if (found == nullptr || event == nullptr) return;
      const EventLog& all = run.events();
      int64_t index = static_cast<int64_t>(all.size()) - 1;
      while (index > 0 && &all[static_cast<std::size_t>(index)] != found) --index;
      *event = index;
    });
  });
}

const char* sw_live_status(const sw_live* live, double* t) {
  if (live == nullptr || !live->run) return nullptr;
  if (t != nullptr) *t = live->run->t();
  return live->status();
}

int sw_live_states(const sw_live* live, double* x, int64_t n) {
  return answer(live, [&] {
    const Vector& state = live->going().state();
    return hand_out(state.data(), state.size(), x, n);
  });
}

int sw_live_set_states(sw_live* live, const double* x, int64_t n) {
  return answer(live, [&] {
    LiveRun& run = live->going();
    given(x, "x");
    if (n != run.state().size())
      refuse({.what = "the state has another size",
              .where = "n",
              .expected = fmt::format("{} numbers", run.state().size()),
              .got = fmt::format("{}", n)});
    run.set_state(Eigen::Map<const Vector>(x, n));
    return SW_OK;
  });
}

int sw_live_set(sw_live* live, int64_t state, double value) {
  return answer(live, [&] {
    LiveRun& run = live->going();
    index_in(state, static_cast<std::size_t>(run.state().size()), "state");
    run.set_discrete(state, value);
    return SW_OK;
  });
}

const char* sw_live_mode(const sw_live* live, const char** location) {
  const char* word = nullptr;
  answer(live, [&] {
    const LiveRun& run = live->going();
    const std::string mode = run.mode().word();
    const std::string place = run.location();
    // One text of the handle holds both, the location behind the zero of the mode.
    const char* const both = live->keep(mode + '\0' + place);
    if (location != nullptr) *location = place.empty() ? nullptr : both + mode.size() + 1;
    word = both;
    return SW_OK;
  });
  return word;
}

int sw_live_follow(sw_live* live, const char* mode) {
  return answer(live, [&] {
    live->changed();
    live->going().follow(Mode(given(mode, "mode")));
    return SW_OK;
  });
}

int sw_live_changed(sw_live* live) {
  return answer(live, [&] {
    live->going().field_changed();
    return SW_OK;
  });
}

int sw_live_save(sw_live* live, sw_saved** saved) {
  return make(saved, [&](sw_saved& made) {
    made.saved = given(live, "live")->going().save();
    made.fmu = live->fmu;
    return SW_OK;
  });
}

int sw_live_restore(sw_live* live, const sw_saved* saved) {
  return answer(live, [&] {
    if (!given(saved, "saved")->saved) throw Refused(SW_ABSENT, "nothing is saved: the run could not begin");
    LiveRun& run = live->going();
    if (saved->fmu != live->fmu)
      refuse({.what = "each live run has its FMU, which knows its own past alone",
              .where = "sw_live_restore()",
              .expected = "what this live run has saved",
              .got = "what another one has saved"});
    live->changed();
    run.restore(*saved->saved);
    return SW_OK;
  });
}

int sw_live_run(sw_live* live, sw_run** run) {
  if (run != nullptr) *run = nullptr;
  return answer(live, [&] { return live->make_run(live->going().solution(), run); });
}

int sw_live_take(sw_live* live, sw_run** run) {
  if (run != nullptr) *run = nullptr;
  return answer(live, [&] {
    live->changed();
    return live->make_run(live->going().take(), run);
  });
}
