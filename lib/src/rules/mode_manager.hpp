// The mode manager: decides at an instant what follows, and puts it into the state of the run. Rules are asked in their order, each
// returns a Decision or none, and carry_out() does what it says, until nothing is left to decide:
//     ArrivalRules   where guards arrive: records, stops → impacts, resets and edges → the surfaces met: classify
//     SettleRules    where the state or the location is new: what a jump sets off, in rounds → the mode after
//     LimitRules     after an event: whether a series that comes ever faster is taken to its limit
// SecondOrderRules return a Stay in the same way, which stay() carries out.
// Zhao's classification of a surface by w− and w+ (slideway/filippov/classify.hpp) and of corners (corner.hpp) stands behind
// EventResolver, which resolve() asks. The log gets each decision as a record. Its functions stand by what they are about:
//     start         where a run begins
//     clear_arrival one surface that is met alone, with nothing in doubt
//     instant       what arrives at one instant, and the mode after it where nothing jumps
//     jump          impacts, and what jumps set off
//     settle        the rules where the state or the location is new, in their order, to a fixed point
//     second_order  sliding of second order
//     turns         crossings that accumulate
//     limit         jumps that accumulate and contacts that come to rest, from the last event to the limit
// Its parts answer the questions, each in a class or a file of its own: whether a dip is one (dip_check.hpp), whether a guard has a pole
// (pole_check.hpp), which way an event's guard moves (event_motion.hpp), how long the flights after a jump last (last_jump.hpp), and so
// on. EventFiring fires events; LocationSwitch enters locations.
//
// It must not know how guards are located, nor file formats.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "locate/locator.hpp"
#include "log/run_log.hpp"
#include "rules/arrival_rules.hpp"
#include "rules/arrived_guards.hpp"
#include "rules/contact_rest.hpp"
#include "rules/dip_check.hpp"
#include "rules/event_firing.hpp"
#include "rules/event_motion.hpp"
#include "rules/history.hpp"
#include "rules/instant.hpp"
#include "rules/instant_records.hpp"
#include "rules/last_jump.hpp"
#include "rules/limit_rules.hpp"
#include "rules/location_switch.hpp"
#include "rules/pending_limits.hpp"
#include "rules/pole_check.hpp"
#include "rules/second_order_rules.hpp"
#include "rules/settle_rules.hpp"
#include "rules/stick_slip.hpp"
#include "rules/waiting_guards.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class ModeManager {
 public:
  // The references must outlive the manager.
  ModeManager(RunState& now, Locator& locator, RunLog& log);
  // Its parts refer to one another.
  ModeManager(const ModeManager&) = delete;
  ModeManager& operator=(const ModeManager&) = delete;

  // Finds the mode in which the run begins. False when the run is over.
  bool start();

  // Decides what follows the arrival of these guards at t, where the step has put x. `ending` are surfaces whose relays, as they
  // were, do not go on. False when the run is over.
  bool handle_arrival(const std::vector<char>& slots, const std::vector<Index>& ending = {});
  // The same where one surface is met alone and nothing is in doubt; nothing, and nothing has changed, where that is not known: then
  // handle_arrival() decides.
  std::optional<bool> handle_clear_arrival(const std::vector<char>& slots);
  // handle_ending_root() returns nothing unless the integrator gets no further because the root of the sliding
  // condition ends here.
  std::optional<ModeEnd> handle_ending_root();
  // stays_where_no_field() and comes_to_stay() handle points at which the solution comes to stay between arrivals (second_order_rules.hpp).
  bool stays_where_no_field() { return stay(second_order_rules_.has_no_field_near()); }
  bool comes_to_stay(const Meeting& meeting) { return stay(second_order_rules_.ends_in_point(meeting)); }

  LocationSwitch& locations() { return switch_; }
  InstantRecords& records() { return records_; }
  ArrivedGuards& arrived() { return arrived_; }
  DipCheck& dips() { return dips_; }
  PoleCheck& poles() { return poles_; }
  PendingLimits& limits() { return limits_; }

  // fired_guards() lists the guards that have fired and are zero since, at the time and state of the run.
  std::vector<FiredGuard> fired_guards();

  // The state is x from now on, since the caller of the run says so, as if a time event had set it. False when the run is over.
  bool take_state(const Vector& x);

  // ---- limits of accumulations
  // At the time of the limit of resets or edges. False when the run is over.
  bool end_held_limit();
  // reach_known_time() handles the time of such a limit, or of an action that is due. It returns false when the
  // run is over.
  bool reach_known_time();

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("flight", dips_);
    visit("jumps", jumps_);
    visit("history", history_);
  }

 private:
  // ---- where it begins (start.cpp)
  void begin_in(const Mode& mode);
  // take_fired() notes guards that have fired in the run before and are zero since.
  void take_fired(const std::vector<FiredGuard>& fired);
  void take_initial_mode();

  // ---- rules are asked in order, and what they decide is carried out, until nothing is left; each is false when the run is over
  template <class Rules>
  bool follow_rules(const Rules& decide) {
    const auto carried_out = [&](const auto& one) { return carry_out(one); };
    while (const Decision decision = decide()) {
      if (!std::visit(carried_out, *decision)) return false;
    }
    return true;
  }
  bool carry_out(const End& end);

  // ---- one instant (instant.cpp); each is false when the run is over
  bool follow(const Arrivals& arrivals);
  bool carry_out(const TurnSides& sides);
  bool carry_out(const TouchGaps&);
  bool carry_out(const PassBy&);
  bool carry_out(const BeginThere&);
  bool carry_out(const NoteEvents&);
  bool note_events();
  void keep_at_rest();
  // Fires conditions whose guards leave their zeros in the mode that has been found.
  bool leave_rests();
  bool carry_out(const TurnFriction&);
  bool carry_out(const TakeJumps&);
  bool carry_out(const FollowFriction&);
  bool carry_out(const FollowSurfaces&);
  // False where it is not put onto all of on_surface_.
  bool put_on_surfaces_met();
  // The only surface that arrives with these slots, where nothing beside it is to be decided at this instant; negative elsewhere.
  Index met_alone(const std::vector<char>& slots) const;
  // The surface was met where the mode began, too short a time ago to be told from none.
  bool has_hardly_left(Index surface) const;
  // Surfaces of earlier events that are clear of zero by now.
  void forget_what_has_been_left();
  // put_where_met() returns false where it is not known to be on all surfaces met, to rounding, or a contact may
  // keep it off them.
  bool put_where_met(Meeting& meeting);
  void add_resting_surfaces(Meeting& meeting);

  // go_on_after_stick_slip() finds the mode that follows contacts which have turned, and reports the record.
  bool go_on_after_stick_slip(StickSlip&& turn, std::vector<Index> releases);

  // Closes contacts against which the solution leaves a surface, and adds them to the record of that instant.
  bool close_pressed(const std::vector<Index>& pressed, EventRecord& record);

  // Resolves the surfaces met now and the contacts to release; nothing jumps.
  bool resolve(const Meeting& arrived, std::vector<Index> releases, bool is_on_surfaces);
  Resolution resolution_of(const Meeting& meeting, bool may_dip);
  // stays_or_ends() returns nothing where the mode of the resolution follows, and otherwise whether the run goes
  // on.
  std::optional<bool> stays_or_ends(Resolution& resolution, const Meeting& meeting, bool eventful);
  bool has_no_part(const EventRecord& record) const;
  bool goes_on_in_mode(EventRecord&& record, bool eventful);
  // Takes over the mode and the relays of a resolution, and puts the state onto the surfaces that slide in it. `is_on_surfaces` tells
  // that the guards of all in on_surface_ are zero already.
  void adopt(const Resolution& resolution, bool is_on_surfaces = false);
  // Of an arrival of which nothing was told.
  bool makes_progress();
  // chatters() ends a run whose events, of which this is the last one, accumulate without a limit.
  bool chatters(const EventRecord& event);

  // ---- jumps (jump.cpp); each is false when the run is over
  // Impacts, resets and edges, with whatever they set off in the same instant.
  bool jump(const Arrivals& arrivals);
  // leaves_states() tells whether the continuous states are those before the instant, within their errors.
  bool leaves_states() const;
  Vector surface_guards();
  // A surface whose guard a jump has moved from its value before is no longer left along it.
  void end_along(const Vector& guards_before);
  bool apply_impact(const std::vector<Index>& touching);
  bool goes_on_after();

  // `is_new` tells whether the state is not one that was integrated.
  void begin_instant(bool is_new);

  // ---- where the state or the location is new (settle.cpp); each is false when the run is over
  // They change the state, the location or the mode, and add to the records of the instant.
  bool settle();
  bool carry_out(const PublishRecords&);
  bool carry_out(const FirePastZero& events);
  bool carry_out(const Hit& hit);
  bool carry_out(const FindMode&);
  bool carry_out(const FireThroughZero& events);
  // `pressed` are contacts that close whatever the forces on them are.
  bool settle_mode(const std::vector<Index>& pressed = {});
  std::vector<Index> left_with_pair() const;
  std::optional<std::size_t> edge_that_undoes_last() const;

  // ---- sliding of second order (second_order.cpp)
  // The solution stays so; false where it does not, and nothing changes.
  bool stay(std::optional<Stay>&& decided);
  // False when the run is over.
  bool leave_second_order(const std::vector<Index>& leaving);

  // ---- crossings that accumulate (turns.cpp); each is false when the run is over
  bool after_crossing(const EventRecord& event);
  void note_crossings(const EventRecord& event);
  bool carry_out(LimitOfFlights&& limit);
  bool carry_out(LimitOfCrossings&& found);
  bool carry_out(LimitOfTurns&& found);
  // begin_towards() sets the states on which the relays of a series act, so that sliding takes them to the limit of the series in the time
  // that remains. `turning` evaluates the field in which the series turned.
  void begin_towards(const Accumulation& accumulation, Evaluator& turning);
  bool finish_without_value(const std::vector<Index>& surfaces, const std::string& turns);
  // Something else happened between the crossings: an impact, a reset; or what accumulated has come to its limit.
  void forget_crossings();
  void forget_turns();
  EventRecord note_limit(const std::vector<Index>& surfaces) const;
  void report_limit(EventRecord&& record, bool stays);

  // ---- from the last event of a series to its limit (limit.cpp); each is false when the run is over
  // Tells the next stretch, and carries out what is decided.
  bool carry_out(LimitDecision&& decision);
  // They note the last event first.
  LimitDecision limit_after_impact();
  LimitDecision limit_after_jump();
  bool carry_out(LimitOfJumps&& found);
  bool carry_out(Rest&& rest);
  void put_on_sliding();
  // These contacts have been stopped. The guards of surfaces were `guards_before`.
  void stop_slips(const std::vector<Index>& closed, const Vector& guards_before);
  // Closes the contacts, which come to rest at the limit.
  bool close_until(AccumulationLimit&& limit, const std::vector<Index>& contacts,
                   const Vector& guards_before);
  // Moves on to (t, x) by a straight line, too short to be seen.
  void skip_to(double t, const Vector& x);

  RunState& now_;
  Locator& locator_;
  RunLog& log_;
  DipCheck dips_;
  PoleCheck poles_;
  PendingLimits limits_;

  // ---- one instant
  Instant instant_;
  InstantJumps jumps_;
  ArrivedGuards arrived_;
  LocationSwitch switch_;
  EventMotion motion_;
  WaitingGuards waiting_;
  ArrivalRules arrival_rules_;
  SettleRules settle_rules_;
  SecondOrderRules second_order_rules_;
  InstantRecords records_;
  EventFiring firing_;

  // ---- what comes ever faster
  History history_;
  LimitRules limit_rules_;

  // ---- buffers, for one function at a time
  std::vector<Index> on_surface_;    // that the state is put onto
  std::vector<Index> next_sliding_;  // in adopt()
  Vector guards_;
};

}  // namespace slideway
