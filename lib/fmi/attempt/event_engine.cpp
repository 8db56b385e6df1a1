#include "lib/fmu/event_engine.hpp"

#include <utility>
#include <vector>

#include "run/check_run.hpp"
#include "run/run_engine.hpp"

namespace slideway::fmu {

struct EventEngine::Content {
  Content(Automaton of, const Options& how) : problem(std::move(of)), options(how) {
    for (const Location& location : problem.locations())
      structures.push_back(std::make_shared<const RelayStructure>(location.system));
  }

  void follow(double until, bool to_event) {
    if (engine->follow_to(until, to_event)) {
      t = to_event && has_event() ? engine->reached() : until;
      outcome = {Status::reached_end, t, ""};
    } else {
      t = engine->reached();
      outcome = engine->outcome();
    }
  }
  bool has_event() const { return !engine->solution().events.empty(); }

  Automaton problem;
  Options options;
  std::vector<std::shared_ptr<const RelayStructure>> structures;
  Run run;
  std::unique_ptr<RunEngine> engine;
  double t = 0;
  Outcome outcome;
};

EventEngine::EventEngine(Automaton problem, const Options& options)
    : content_(std::make_unique<Content>(std::move(problem), options)) {}
EventEngine::~EventEngine() = default;

void EventEngine::begin(Run run) {
  Content& own = *content_;
  check_run(own.problem, own.options, run);
  own.run = std::move(run);
  std::unique_ptr<RunState> state;
  if (own.engine) state = own.engine->leave_state();
  own.engine.reset();
  if (state) {
    state->begin_again();
    own.engine = std::make_unique<RunEngine>(std::move(state), own.structures);
  } else {
    own.engine = std::make_unique<RunEngine>(own.problem, own.structures, own.options, own.run);
  }
  own.follow(own.run.start, false);
}

bool EventEngine::next_event(double t) {
  Content& own = *content_;
  if (!own.has_event() && own.outcome.reached_end()) own.follow(t, true);
  return own.has_event();
}

void EventEngine::advance_to(double t) {
  if (content_->outcome.reached_end()) content_->follow(t, false);
}

double EventEngine::t() const { return content_->t; }
Vector EventEngine::state() const {
  Vector x;
  content_->engine->evaluate(content_->t, x);
  return x;
}
Mode EventEngine::mode() const { return content_->engine->now().word(); }
std::string EventEngine::location() const { return content_->engine->now().here->name; }
const Outcome& EventEngine::outcome() const { return content_->outcome; }

}  // namespace slideway::fmu
