// LiveRun is a run that the caller drives:
//     LiveRun live = simulator.begin({.start = 0, .end = 10, .state = x0});
//     while (live.t() < 10 && live.outcome().succeeded()) {
//       live.set_discrete("valve", controller(live.state()));
//       live.advance_to(live.t() + 0.001);
//     }
// Where nothing is set, the pieces of a run are one run: advance_to() and next_event() look into the integrator's last step, which goes on
// beyond the time asked for, and neither cut it nor begin it anew. Events, steps and the state at the end are those of Simulator::run, bit
// for bit. What is set takes effect at t(): the step ends there, the mode is found anew, and the integrator begins again.
//
// It must not know file formats.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/outcome.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// SavedRun is where a LiveRun was at LiveRun::save(): all that tells how it goes on, without what it has recorded.
// Copies share their content, which never changes.
class SavedRun {
 public:
  double t() const;

 private:
  friend class LiveRun;
  struct Content;
  explicit SavedRun(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

// A LiveRun belongs to one thread at a time, except for cancel(). Runs of one Simulator know nothing of each other.
// A moved-from LiveRun can only be destroyed, or assigned to: all else throws std::invalid_argument.
class LiveRun {
 public:
  // The events at the start happen here, so that state() is the state after them. Run::end is a forecast: methods choose
  // time scales by the length of the run, and finish() ends there. advance_to() may go beyond it. The integrator then begins anew at
  // Run::end, and where the length has doubled since. Throws std::invalid_argument as Simulator::run does, and for
  // Options::sensitivities, which are found after a run. Local events are followed with all states.
  LiveRun(const Simulator& simulator, const Run& run);
  LiveRun(LiveRun&& other) noexcept;
  LiveRun& operator=(LiveRun&& other) noexcept;
  ~LiveRun();

  // ---- going on; what goes wrong is in the outcome, as with Simulator::run
  // advance_to() follows the solution to t, what happens at t included. It returns the outcome: reached_end where the run has come to t,
  // and otherwise why it ended before. Throws std::invalid_argument where t is before t() or no finite number.
  // A run that was stopped by an event, by the caller or by a limit of steps or events goes on when it is asked again, after a stop with what
  // else is due at its instant. Every
  // other end is the end until something is set; after `ambiguous`, follow() chooses what is to follow.
  const Outcome& advance_to(double t);
  // next_event() does the same, but stops at the first instant with an event. It returns the first record of that instant, which is
  // valid as those of events() are, and null where there was none up to t_end.
  const EventRecord* next_event(double t_end);
  // cancel() ends the advance that is under way, or the next one, as stopped_by_caller. Any thread may call it.
  void cancel() noexcept;

  // ---- where it is
  double t() const;
  // The state at t(), after what happened there or was set.
  const Vector& state() const;
  // The mode and the location at t(); where something was set, those before it until the next advance, be it one to t().
  Mode mode() const;
  std::string location() const;
  // Outcome::t is t(); reached_end says that the run has come where it was asked to.
  const Outcome& outcome() const;
  // The events up to t(), valid until restore(), take() or finish().
  const EventLog& events() const;

  // ---- what the caller sets at t(), any of it before the next advance
  // set_state() lets the run go on as a run that starts at t() in this state: its mode is found anew, and events fire as at a start. An event
  // that has fired at t() fires again only after its guard was on its own side. Delayed actions stay on their way. Throws std::invalid_argument
  // where Simulator::run would for this state.
  void set_state(const Vector& state);
  // set_discrete() sets a discrete state, such as an input: the number of its state, or the name. Everything follows as from a time event
  // that sets it, except that the event log has no record of it. An event that fires by what is set fires again only once what is set, or
  // the motion, has had its guard on its side. Throws std::invalid_argument for any other state and for a value that is not finite.
  void set_discrete(Index state, double value);
  void set_discrete(const std::string& state, double value);
  // field_changed() says that functions of the problem read something that has changed, as a parameter behind a pointer.
  // The consequences are those of set_discrete().
  void field_changed();
  // The run goes on in this mode, as Run::mode is followed: one of the continuations of an ambiguous event at t().
  void follow(const Mode& mode);

  // ---- going back
  // save() ends the integrator's step at t(), so that this run and one that is restored go on with the same steps, bit for bit.
  SavedRun save();
  // The run goes on from what this one, or another run of the same problem with the same options, has saved. In the run that saved, what
  // was recorded since is forgotten; in any other the record begins at the saved time. Functions of the problem that read something
  // else than their arguments are not restored. Throws std::invalid_argument where the problem is another one.
  void restore(const SavedRun& saved);

  // ---- what has been recorded
  // All up to t(), as Simulator::run returns it. This is a copy: its cost grows with the record.
  Solution solution() const;
  // The same, which the run forgets: the next record begins at t(). So a run without an end needs no more memory.
  Solution take();
  // Advances to Run::end and returns the whole: Simulator::run does no more. The run is as one that was moved from.
  Solution finish();

 private:
  struct Content;
  Content& content() const;
  std::unique_ptr<Content> content_;
};

}  // namespace slideway
