// The mode manager: decides at an instant what follows, and puts it into the state of the run.
//     what arrived → records, stops → impacts, resets and edges, in rounds → the surfaces met: classify → the mode after
// Zhao's classification of a surface by w− and w+ (slideway/filippov/classify.hpp) and of corners (corner.hpp) stands behind
// EventResolver, which resolve() asks. The log gets each decision as a record. Its functions stand by what they are about:
//     start         where a run begins
//     instant       what arrives at one instant, and the mode after it where nothing jumps
//     jump          impacts, resets and edges
//     rounds        what these set off, in rounds
//     time_events   what is due at known times
//     settle        the mode where the state or the location is new
//     pressed       surfaces that closed contacts hold
//     joined_locations  sliding between two locations
//     second_order  sliding of second order
//     dips          what the errors of integration may hide
//     poles         guards that change their signs without being zero
//     turns         crossings that accumulate
//     zeno          jumps that accumulate, and contacts that come to rest
//     limit         from their last event to their limit
//
// It must not know how guards are located, nor file formats.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/copy_numbers.hpp"
#include "locate/locator.hpp"
#include "log/run_log.hpp"
#include "rules/first_motion.hpp"
#include "rules/history.hpp"
#include "rules/instant.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class ModeManager {
 public:
  // The references must outlive the manager.
  ModeManager(RunState& now, Locator& locator, RunLog& log);

  // Enters the location that the run names, or the first one.
  void enter_first_location();
  // Finds the mode in which the run begins. False when the run is over.
  bool start();

  // Decides what follows the arrival of these guards at t, where the step has put x. `ending` are surfaces whose relays, as they
  // were, do not go on. False when the run is over.
  bool handle_arrival(const std::vector<char>& slots, const std::vector<Index>& ending = {});
  // Nothing unless the integrator gets no further because the root of the sliding condition ends here.
  std::optional<ModeEnd> handle_ending_root();
  // Where the integrator cannot tell the state from a point in which the field has no value and yet the solution can stay.
  bool stays_where_no_field();
  // Where what slides ends, as terminal sliding does, in a point at which a surface is met with no speed, and stays there. Surfaces
  // are met, too, that the integrator cannot tell from it.
  bool comes_to_stay(const Meeting& meeting);
  // The mode begins: the flight that ends in a dip starts here, unless it goes on after a touch.
  void begin_flight();
  // Hands out what has been decided at an instant that an exception ends.
  void publish_what_happened();

  // ---- records within a step, which change nothing
  // The events, surfaces and contacts of these guards. Valid until the next call.
  Arrivals& gather(const std::vector<char>& slots);
  void take_sides(const std::vector<char>& slots);
  void cross(const std::vector<Index>& events);
  // The log's record of an event that is a record or a stop.
  EventRecord note(Index event, EventKind kind, int round = 1);
  // The arrival without guards that change their signs in poles: these go to scanned().poles.
  const Arrival& without_poles(const Arrival& arrival);
  bool passes_pole_of_surface() const;
  void pass_poles_of_events();

  // ---- limits of accumulations
  // Shows the limits from `from` to t along the last step, and returns the last of their times, or `from`.
  double pass_limits(double from, bool arrived);
  // At the time of the limit of resets or edges. False when the run is over.
  bool end_held_limit();
  // At the time of such a limit, or where something is due. False when the run is over.
  bool reach_known_time();

  // To the location, pair of locations or sliding of higher order in which a checkpoint was taken; what holds there is loaded next.
  void go_to(const Place& place);
  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("flight", flight_);
    visit("jumps", jumps_);
    visit("history", history_);
  }

 private:
  // Switches to the tools of a location; the mode is found afterwards.
  void enter(std::size_t location);
  void take_tools(LocationTools& tools);
  // To the guards of the tools at hand.
  void size_guard_vectors();

  // ---- where it begins (start.cpp)
  Index derivative_never_set(ConstVectorRef h);
  void begin_in(const Mode& mode);
  void take_initial_mode();

  // ---- one instant (instant.cpp); each is false when the run is over
  // False where it is not put onto all of on_surface_.
  bool put_on_surfaces_met();
  // False where it is not known to be on all surfaces met, to rounding, or a contact may keep it off them.
  bool put_where_met(Meeting& meeting, bool root_ends);
  bool note_events(const std::vector<char>& slots, Arrivals& arrivals);
  // Reports the surfaces that have another side now that their guards have a value again, and takes them out of what is met.
  void take_new_sides(std::vector<Met>& met);
  // Reports a crossing of a surface whose guard changed its sign without a zero.
  void turn_side(Index surface, Side side, std::string reason);
  void add_resting_surfaces(Meeting& meeting);
  void find_arrival_velocity(Vector& dx);
  void add_simultaneous(Arrivals& arrivals);
  void finish_stopped(Index event);

  // ---- surfaces that closed contacts hold (pressed.cpp)
  // The side whose relay presses most of these contacts together, the side it is on where that makes no difference.
  Side pressing_side(Index surface, const std::vector<Index>& contacts);
  // The contacts that touch at rest, and towards which the solution leaves a surface along which it slid in `before`: a stop holds a
  // block that friction no longer holds. The last function closes them, and adds them to the record of that instant.
  std::vector<Index> pressed_by_leaving(const Mode& before);
  bool is_stopped_by(Index contact, Index surface);
  bool close_pressed(const std::vector<Index>& pressed, EventRecord& record);
  // `meeting` with the surfaces that have been held by contacts and are not any more.
  Meeting with_freed(const Meeting& meeting, const std::vector<Index>& held);

  // Resolves the surfaces met at t_ and the contacts to release; nothing jumps.
  bool resolve(const Meeting& arrived, std::vector<Index> releases, bool is_on_surfaces);
  Resolution resolution_of(const Meeting& meeting, bool may_dip);
  // Where the mode of the resolution does not follow: whether the run goes on. Nothing where that mode follows.
  std::optional<bool> stays_or_ends(Resolution& resolution, const Meeting& meeting, bool eventful);
  std::vector<Index> contacts_still_touching() const;
  bool only_touches(Index contact);
  void open(const std::vector<Index>& releases);
  // Adds those that open.
  void open_what_relays_open(std::vector<Index>& releases);
  void note_releases(const std::vector<Index>& releases, bool with_another, EventRecord& record);
  bool goes_on_in_mode(EventRecord&& record, bool eventful);
  // Takes over the mode and the relays of a resolution, and puts the state onto the surfaces that slide in it. `is_on_surfaces` tells
  // that the guards of all in on_surface_ are zero already.
  void adopt(const Resolution& resolution, bool is_on_surfaces = false);
  std::string words_of(const std::vector<Mode>& modes) const;
  void finish_ambiguous(const Resolution& resolution);
  bool chatters(const EventRecord* event, std::span<const Index> surfaces);

  // ---- guards that change their signs in poles (poles.cpp)
  bool is_pole(Index slot, double t);
  // On its side, of a surface or an event, along the step.
  double guard_of(Index slot, double t);
  // False when the run is over.
  bool pass_poles_of_surfaces();
  bool both_fields_lead_on(Index surface, Side side);
  bool has_finite_integral(Index surface, Side side);

  // ---- jumps (jump.cpp); each is false when the run is over
  // Impacts, resets and edges, with whatever they set off in the same instant.
  bool jump(const Arrivals& arrivals);
  Vector surface_guards();
  // A surface whose guard a jump has moved from its value before is no longer left along it.
  void end_along(const Vector& guards_before);
  bool apply_impact(const std::vector<Index>& touching, bool at_start, std::vector<EventRecord>& records);
  // Why an event fires.
  enum class Cause {
    zero,    // its guard is zero, and moves in its direction
    jump,    // a jump has carried it past zero
    beyond,  // of an edge: past zero where its location is entered
  };
  void warn_of_way_back(Index event);
  bool fire(Index event, bool at_start, std::vector<EventRecord>& records, Cause cause = Cause::zero);
  void note_member(Index what);
  void carry_fired(const LocationTools& before);
  bool goes_on_after();

  // ---- what jumps set off at one instant (rounds.cpp); each is false when the run is over
  void begin_round();
  // Which guards are on their own side, before anything jumps.
  void look_at_waiting();
  void wait_again(Index event);
  // How far from zero a guard may be and still count as held there.
  double held_level(Index event);
  // Events whose guards a jump has carried past zero, and edges that are past it.
  struct Crossed {
    Index event;
    Cause cause;
  };
  bool is_on_its_way(const Watched& edge) const;
  std::vector<Crossed> crossed_by_jump();
  bool fire_crossed(const std::vector<Crossed>& crossed, bool at_start, std::vector<EventRecord>& records);
  // Resets in their order, then the first edge.
  bool fire_round(const std::vector<Crossed>& jumps, bool at_start, std::vector<EventRecord>& records,
                  const DueActions& due = {});

  // ---- known times (time_events.cpp); each that tells is false when the run is over
  // Takes what is due at t_, as far as that can be told, and puts t_ there.
  void take_due(Arrivals& arrivals);
  // Resets, edges and what is due, by their priorities.
  bool fire_by_priority(const std::vector<Crossed>& jumps, bool at_start, std::vector<EventRecord>& records,
                        const DueActions& due);
  bool fire_time_event(Index event, bool at_start, std::vector<EventRecord>& records);
  // A delayed event is triggered; `record` is that of its reset.
  bool trigger(Index event, EventRecord&& record, std::vector<EventRecord>& records);
  // And acts.
  bool act(const PendingAction& action, std::vector<EventRecord>& records);
  // Of edges that leave a location which is left.
  void drop_actions_of(const std::string& location);
  // The reset of an event of this kind and name, whose exceptions name it; and `after` in place of the state, which is false where it is
  // not finite.
  Vector state_after(const char* kind, const std::string& name, const ResetFunction& reset);
  bool set_state(const char* kind, const std::string& name, const Vector& after);
  bool fire_at_start(std::vector<EventRecord>& records);
  bool fires_without_end(const std::vector<EventRecord>& records);

  // At t_, x_; `is_new` tells whether the state is not one that was integrated.
  void begin_instant(bool is_new);
  void publish();

  // ---- where the state or the location is new (settle.cpp); each is false when the run is over
  // Asks the rules in order, until none of them changes the state or the location any more.
  bool settle(bool at_start, std::vector<EventRecord>& records);
  // A rule changes nothing, so that the next one is asked; or it changes something, and all are asked again; or the run ends.
  enum class Verdict { holds, changes, ends };
  Verdict fire_past_zero(bool at_start, std::vector<EventRecord>& records);
  Verdict hit_what_approaches(bool at_start, std::vector<EventRecord>& records);
  Verdict find_mode(bool at_start, std::vector<EventRecord>& records);
  Verdict fire_through_zero(bool at_start, std::vector<EventRecord>& records);
  // `pressed` are contacts that close whatever the forces on them are.
  bool settle_mode(bool at_start, std::vector<EventRecord>& records, const std::vector<Index>& pressed = {});
  bool reaches_zero(Index surface, double h);
  std::vector<Index> left_with_pair() const;
  double jump_rounding(Index surface);
  // Sides by the signs of the guards (or, with `keep`, those that are stored), and the surfaces met at x_.
  bool find_sides(bool keep, Meeting& meeting);
  Index needed_without_value(ConstVectorRef h);
  void put_on_gaps(const std::vector<Index>& contacts);
  std::vector<Index> touching_contacts();
  std::vector<Index> events_moving_through_zero();
  Guard guard_between(const std::vector<Index>& due) const;
  std::optional<std::size_t> edge_that_undoes_last() const;
  // The sign of the first derivative of s·g along the motion that is not zero; 0 when it rests.
  int motion_of(Index event, bool exact);
  std::vector<Displacement> points_not_told_apart(bool exact);
  // How far from zero a guard may be and still count as zero.
  double zero_level(Index event);

  // ---- dips no deeper than the errors that gather (dips.cpp)
  // The surfaces whose dips are deeper than the tolerances, by the flight integrated again with errors far below these. The record
  // says of the others why they count as touched.
  std::vector<Index> certain_dips(Resolution& resolution);
  // How far the flight goes beyond the surface where it turns nearest to t_, and its state at t_; nothing where it cannot be
  // told.
  std::optional<double> depth_of_dip(const Dip& dip, Vector& state);
  // The reason in the log for a dip that counts as a touch: its depth by the step, or as integrated again.
  std::string why_touched(const Dip& dip, std::optional<double> integrated, double counts_from) const;

  // ---- two locations with one guard (joined_locations.cpp)
  void enter_pair(const RunTools::Pair& pair);
  // Two edges that undo each other fired one after the other: slide between their locations.
  bool slide_between(std::size_t first_edge, std::size_t second_edge, std::vector<EventRecord>& records);
  void leave_pair(EventRecord* record);

  // ---- sliding of second order (second_order.cpp)
  // "second order", "third order", … of the sliding now.
  std::string order() const;
  // Null where one of the surfaces allows none.
  LocationTools* second_order_tools(const std::vector<Index>& surfaces);
  void use_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces);
  // The solution has come to the surfaces `coming` with no speed across them: it slides along those that do not hold by their relays.
  // `met` are those it is on now. False, with nothing changed, where there are none or it cannot stay there.
  bool begin_second_order(std::vector<Index> coming, const std::vector<Index>& met);
  // Whether the field has no value where all of these are zero, and yet it can stay there.
  bool has_no_field(const std::vector<Index>& surfaces);
  // Whatever their relays do.
  bool stay_on(std::vector<Index> coming, const std::vector<Index>& met);
  // The state as it is there; none where that is too far away.
  std::optional<Vector> state_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces,
                                              const std::vector<Index>& coming, Vector& lambda);
  // Does so where what is met leaves open what follows, or is a two-fold, whatever the policy for what is not unique; or where it
  // comes to slide on surfaces, or only touches them, between fields that do not differ across them.
  bool stays_in_second_order(const Resolution& resolution, const Meeting& meeting);
  // Where the solution is in such a point without having come there.
  bool stays_at_once(const Meeting& meeting);
  // After a jump that leaves these surfaces and the speeds across them as they were.
  bool goes_on_in_second_order(const Meeting& meeting);
  bool ends_with(const std::vector<Index>& surfaces, const std::vector<Index>& met);
  // False when the run is over.
  bool leave_second_order(const std::vector<Index>& leaving);
  // The surfaces along which it does not slide any more.
  std::vector<Index> ends_of_second_order() const;
  // Lists the surfaces that have come to slide since the record was begun.
  void list_entered(EventRecord& record) const;

  // ---- accumulation (zeno.cpp); each is false when the run is over
  bool after_crossing(const EventRecord& event);
  bool after_jump();
  // `came_to_rest` tells whether contacts were closed.
  bool after_impact(const std::vector<Index>& contacts, bool& came_to_rest);
  bool jump_to_crossing_limit(const Accumulation& accumulation);
  bool finish_without_value(const std::vector<Index>& surfaces, const std::string& turns);
  // Something else happened between the crossings: an impact, a reset; or what accumulated has come to its limit.
  void forget_crossings();
  void forget_turns();
  // Crossings of one surface in turn, ever faster: false when the point they accumulate at is reached.
  bool after_lone_crossing(const EventRecord& event);
  // Whether it stays on surfaces to which it came by flights that get ever shorter, and are too low to be seen.
  bool stays_after_flights(const EventRecord& event);
  // Has the next flight off the surface taken in fine steps, if it is as short as the last.
  void see_flights(Index surface);
  EventRecord note_limit(const std::vector<Index>& surfaces) const;
  void report_limit(EventRecord&& record, bool stays);
  bool go_to_lone_limit(Index surface, const Accumulation& accumulation);
  // A guard that a jump has left at zero, and what is left of its flights off it.
  struct Bounce {
    double ratio = 0;        // of the speeds after and before
    double height = 0;       // of the next flight
    double remaining = 0;    // to the limit, where the ratio is below 1
    double error = 0;        // of it
    double flight = 0;       // how long it takes
    bool is_low = false;     // its height is no more than errors of the states may make of it
    bool is_hidden = false;  // the next flight is too low to be told from none
  };
  std::optional<Bounce> bounce_of(Index event);
  std::optional<Bounce> bounce_of_last_jump();
  double accuracy_of_jump();
  bool finish_unresolved(const Bounce& bounce);
  Vector limit_of_jumped(const Accumulation& accumulation, const std::vector<Index>& states) const;
  bool come_to_limit(const Accumulation& accumulation);
  // Contacts that come to rest together, and what is left of the time until then.
  struct Rest {
    std::vector<Index> contacts = {};
    double remaining = 0;  // to the limit
    double most = 0;       // no later than this
    Vector state = {};     // x_ with the contacts closed
  };
  // Whether contact `hit` comes to rest, together with those of `others` that it presses on; nothing where it does not.
  std::optional<Rest> rest_of(Index hit, const std::vector<Index>& others);
  // The time until another contact is hit, about.
  double time_to_disturbance(const Rest& rest);
  void put_on_sliding();
  bool come_to_rest(const Rest& rest);

  // ---- from the last event of a series to its limit (limit.cpp)
  void show_limit(AccumulationLimit limit, double t, const Vector& x);
  // Shows the limits whose members end here.
  void show_limits_that_end(const Arrivals& arrivals);
  // Drops the limits of which a member no longer slides or is no longer closed.
  void drop_disturbed_limits();
  // Closes the contacts, which come to rest at the limit. False when the run is over.
  bool close_until(AccumulationLimit&& limit, const std::vector<Index>& contacts);
  // Moves on to (t, x) by a straight line, too short to be seen.
  void skip_to(double t, const Vector& x);
  bool hardly_moves(double time);
  // Adds to the error of the limit what rounding and the tolerances make of the times at which these surfaces are met.
  void add_errors_of_surfaces(const EventRecord& event, Accumulation& accumulation);
  bool hardly_takes_time(double interval, double remaining) const;
  // The surfaces that take part in the last so many events of relays.
  std::vector<Index> surfaces_of_turn(std::size_t period) const;
  bool hardly_leaves(const Accumulation& accumulation);
  bool gaps_hardly_open();

  // The flight to a dip, from the last instant at which the surfaces `left` were met. Its state there is as good as the run's was at
  // its beginning: after a touch it is that of the flight that was integrated again.
  struct Flight {
    double start = 0;
    Vector state;
    std::vector<Index> left;
    bool goes_on = false;  // after a touch
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("start", start);
      visit("state", state);
      visit("left", left);
      visit("goes_on", goes_on);
    }

    void begin(double t, const Vector& x, const GuardTable& guards) {
      start = t;
      copy_numbers(x, state);
      guards.list_surfaces_left(left);
    }
  };

  RunState& now_;
  Locator& locator_;
  RunLog& log_;
  Flight flight_;

  // ---- one instant
  Arrivals arrivals_;  // of the last call of gather()
  Instant instant_;
  InstantJumps jumps_;

  // ---- what comes ever faster
  History history_;

  // ---- buffers, for one function at a time
  std::vector<Index> on_surface_;    // that the state is put onto
  std::vector<Index> next_sliding_;  // in adopt()
  Vector state_, noise_weights_, guards_;
};

}  // namespace slideway
