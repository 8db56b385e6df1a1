// One run: the mutable state behind Simulator::run.
//     classify → freeze the mode → step → locate → resolve → append
// run_engine.cpp is that loop; run_watch.cpp how the guards are watched along a step, run_instant.cpp what happens at one
// instant, run_jump.cpp where the state jumps there, run_settle.cpp what that sets off and the mode after it, run_pair.cpp
// sliding between two locations, run_second_order.cpp sliding of second order, run_doubt.cpp what the errors of integration may hide, and run_zeno.cpp the limits of events
// that accumulate.
//
// It must not know file formats.
#pragma once

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "simulate/accumulation_watch.hpp"
#include "simulate/chattering_watch.hpp"
#include "simulate/flight_watch.hpp"
#include "simulate/location_tools.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

class RunEngine {
 public:
  // The references must outlive the engine. `structures` has one entry per location.
  RunEngine(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
            const Options& options, const Run& run);
  Solution execute();

 private:
  // How the following of one mode ended.
  enum class ModeEnd { event, finished };

  // What arrived at one instant.
  struct Arrivals {
    Meeting meeting = {};              // surfaces
    std::vector<Index> hits = {};      // contacts whose gap closes
    std::vector<Index> releases = {};  // contacts whose force would pull
    std::vector<Index> records = {};   // events by kind, into the watch
    std::vector<Index> stops = {};
    std::vector<Index> jumps = {};  // resets and edges
    std::vector<Index>& list(WatchedKind kind) {
      return kind == WatchedKind::record ? records : kind == WatchedKind::stop ? stops : jumps;
    }
    void clear() {
      meeting.met.clear();
      for (std::vector<Index>* list : {&hits, &releases, &records, &stops, &jumps}) list->clear();
    }
    bool only_records() const {
      return meeting.met.empty() && hits.empty() && releases.empty() && stops.empty() && jumps.empty();
    }
  };
  // The impacts of one contact that follow each other ever faster.
  struct Bounces {
    double last = 0;
    double interval = 0;  // the last, 0 while there was none
    double longest = 0;   // since it began
    double began = 0;
    bool any = false;
  };

  // ---- the loop (run_engine.cpp)
  void enter(std::size_t location);
  // To the guards of the tools at hand.
  void size_guard_vectors();
  bool begin_mode();
  Stepper* choose_stepper();
  ModeEnd follow_mode();
  void append_step(double start, double end);
  void write_outputs(double start, double end);
  // Puts x_ onto the surfaces it slides on and the contacts that are closed.
  void project_state();
  bool too_many_events();
  void finish(Status status, std::string message);
  void add_statistics(const LocationTools& tools);
  // The word of the mode: the surfaces, then the contacts.
  Mode word() const;
  Mode with_contacts(const Mode& mode) const;
  // Adds the contacts and the location to the record, and keeps it.
  void report(EventRecord&& record);
  std::string surface_name(Index surface) const;
  std::string names(std::span<const Index> surfaces) const;

  // ---- the guards along a step (run_watch.cpp)
  // From where on each guard counts, and how far it may be on the wrong side until then.
  void set_thresholds();
  bool makes_no_difference(Index surface);
  double drawing_noise(Index event);
  void set_event_thresholds();
  bool is_held(Index event);
  void take_sides(const std::vector<char>& slots);
  // Hands the thresholds to the scans that watch the guards from t_ on.
  void start_scans(double march_step);
  bool is_armed(Index slot) const;
  // Whether the integrator leaves the constraints, so that its dense output does, whatever their shape; and whether that does, as it
  // also does where closed gaps are curved.
  bool drifts() const;
  bool dense_output_drifts() const;
  // Whether the march has nothing to look for but ends of sliding.
  bool marches_exits_only() const;
  bool scan_step(double end);
  // The first arrival up to `limit` of the guards that are marched; the step goes on to `end`.
  const Arrival& march(double limit, double end);
  // The first arrival between scanned_to_ and `end`.
  const Arrival& first_arrival(double end);
  const Arrival& imminent_arrival();
  // Flags the guards that reach zero at the end time; false when there are none.
  bool arrives_at_end(double end, std::vector<char>& slots);

  // ---- one instant (run_instant.cpp); each is false when the run is over
  bool start();
  void begin_in(const Mode& mode);
  Index derivative_never_set(ConstVectorRef h);
  // `ending`: surfaces whose relays, as they were, do not go on.
  bool handle_arrival(const std::vector<char>& slots, const std::vector<Index>& ending = {});
  // The same where it gets no further because the root of the sliding condition ends here; nothing where it does not.
  std::optional<ModeEnd> handle_ending_root();
  // Valid until the next call.
  Arrivals& gather(const std::vector<char>& slots);
  void add_resting_surfaces(Meeting& meeting);
  void find_arrival_velocity(Vector& dx);
  void add_simultaneous(Arrivals& arrivals);
  void cross(const std::vector<Index>& events);
  // What the log says of a record or a stop.
  EventRecord note(Index event, EventKind kind);
  void finish_stopped(Index event);
  // ---- surfaces that closed contacts hold (run_held.cpp)
  // Those that do not slide, or all, and whose guards these contacts hold at zero when they are closed, as a stop does the velocity
  // of a block that rests against it.
  std::vector<Index> held_by(const std::vector<Index>& contacts, bool also_sliding = false);
  // Whether the surfaces along which the solution slides hold the velocity of this open gap, as friction does between blocks that
  // stick.
  bool keeps_its_gap(Index contact);
  // The side whose relay presses most of these contacts together, the side it is on where that makes no difference.
  Side pressing_side(Index surface, const std::vector<Index>& contacts);
  // The contacts that touch at rest and towards which the solution moves off a surface along which it slid in `before`, a block that
  // a stop holds where friction does not any more; and closing them, for the log in the record of that instant.
  std::vector<Index> pressed_by_leaving(const Mode& before);
  bool is_stopped_by(Index contact, Index surface);
  bool close_pressed(const std::vector<Index>& pressed, EventRecord& record);
  // `meeting` with the surfaces that have been held by contacts and are not any more.
  Meeting with_freed(const Meeting& meeting, const std::vector<Index>& held);

  // Resolves the surfaces met at t_ and the contacts to release; nothing jumps.
  bool resolve(const Meeting& arrived, std::vector<Index> releases);
  // Takes over what a resolution says about the mode.
  void adopt(const Resolution& resolution);
  std::string words_of(const std::vector<Mode>& modes) const;
  void finish_ambiguous(const Resolution& resolution);
  bool chatters(const EventRecord* event, std::span<const Index> surfaces);

  // ---- jumps (run_jump.cpp); each is false when the run is over
  // Impacts, resets and edges, with whatever they set off in the same instant.
  bool jump(const Arrivals& arrivals);
  bool apply_impact(const std::vector<Index>& touching, bool at_start, std::vector<EventRecord>& records);
  bool fire(Index event, bool at_start, std::vector<EventRecord>& records);
  void carry_fired(const EventWatch& before);
  bool goes_on_after(const std::vector<EventRecord>& records);
  void begin_instant();
  void note_in_instant(Index what);
  void publish(const std::vector<EventRecord>& records, bool at_start);

  // ---- where the state or the location is new (run_settle.cpp); each is false when the run is over
  // Finds out what follows: the mode, impacts and events that fire at once.
  bool settle(bool at_start, std::vector<EventRecord>& records);
  bool settle_mode(bool at_start, std::vector<EventRecord>& records);
  bool reaches_zero(Index surface, double h);
  double jump_rounding(Index surface);
  // Sides by the signs of the guards (or, with `keep`, those that are stored), and the surfaces met at x_.
  bool find_sides(bool keep, Meeting& meeting);
  std::vector<Index> touching_contacts();
  std::vector<Index> events_already_past();
  std::vector<Index> events_moving_through_zero();
  // The sign of the first derivative of s·g along the motion that is not zero; 0 when it rests.
  int motion_of(Index event, double zero_level, bool exact);
  // How far from zero a guard may be and still count as zero.
  double zero_level(Index event);

  // ---- dips no deeper than the errors that gather (run_doubt.cpp)
  // Where the mode begins: the flight that ends in a dip starts there, unless it goes on after a touch.
  void begin_flight();
  // Surfaces of `within_errors` that the solution passes through although the dip is no deeper than errors may be: the
  // flight to it is integrated again, with errors far below the tolerances.
  std::vector<Index> certain_dips(const std::vector<Index>& within_errors);
  // How far the flight goes beyond the surface where it turns nearest to t_, and its state at t_; nothing where it cannot be
  // told.
  std::optional<double> depth_of_dip(Index surface, Vector& state);

  // ---- two locations with one guard (run_pair.cpp)
  // Two edges that undo each other fired one after the other: slide between their locations.
  bool slide_between(std::size_t first_edge, std::size_t second_edge, std::vector<EventRecord>& records);
  std::unique_ptr<LocationTools> make_pair_tools(std::size_t minus, std::size_t plus, std::size_t first_edge,
                                                 std::size_t second_edge);
  void leave_pair(EventRecord* record);
  bool in_pair() const { return pair_ >= 0; }

  // ---- sliding of second order (run_second_order.cpp)
  // Null where one of the surfaces allows none.
  LocationTools* second_order_tools(const std::vector<Index>& surfaces);
  void use_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces);
  // Slides along those of the surfaces `coming`, too, that do not hold by their relays, to which the solution has come with no speed
  // across them; `met` are those it is on now. False, with nothing changed, where there are none or it cannot stay there.
  bool begin_second_order(std::vector<Index> coming, const std::vector<Index>& met);
  // Does so where what is met leaves open what follows, or is a two-fold, whatever the policy for what is not unique; or where it
  // comes to slide on surfaces, or only touches them, between fields that do not differ across them.
  bool stays_in_second_order(const Resolution& resolution, const Meeting& meeting);
  // False when the run is over.
  bool leave_second_order(const std::vector<Index>& leaving);
  // The surfaces along which it does not slide any more.
  std::vector<Index> ends_of_second_order() const;
  bool in_second_order() const { return !second_order_.empty(); }
  bool slides_in_second_order(Index surface) const {
    return std::binary_search(second_order_.begin(), second_order_.end(), surface);
  }

  // ---- accumulation (run_zeno.cpp); each is false when the run is over
  bool after_crossing(const EventRecord& event);
  bool after_jump();
  // `came_to_rest` tells whether contacts were closed.
  bool after_impact(const std::vector<Index>& contacts, bool& came_to_rest);
  bool jump_to_crossing_limit(const Accumulation& accumulation);
  // Something else happened between the crossings: an impact, a reset; or what accumulated has come to its limit.
  void forget_crossings();
  void forget_turns();
  // Crossings of one surface in turn, ever faster: false when the point they accumulate at is reached.
  bool after_lone_crossing(const EventRecord& event);
  // Whether it stays on surfaces to which it came by flights that get ever shorter, and are too low to be seen.
  bool stays_after_flights(const EventRecord& event);
  // Has the next flight taken in fine steps.
  void see_flights();
  EventRecord note_limit(const std::vector<Index>& surfaces) const;
  void report_limit(EventRecord&& record, bool stays);
  bool go_to_lone_limit(Index surface, const Accumulation& accumulation);
  bool jump_to_limit(const Accumulation& accumulation);
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
  // Moves on to (t, x) by a straight line, too short to be seen.
  void skip_to(double t, const Vector& x);
  bool hardly_takes_time(double interval, double remaining) const;
  // The surfaces that take part in the last so many events of relays.
  std::vector<Index> surfaces_of_turn(std::size_t period) const;
  bool hardly_leaves(const Accumulation& accumulation);
  bool gaps_hardly_open();
  bool guards_hardly_leave();
  // Events whose guards are not zero yet, and which of them are after a jump to a limit.
  struct Ahead {
    Index event;
    double side;
    double t, value;  // before the jump
  };
  std::vector<Ahead> events_ahead();
  void note_reached(const std::vector<Ahead>& ahead);
  // Whether |change| is below the tolerances, for states of these sizes.
  bool is_invisible(const Vector& change, const Vector& sizes) const;

  // The guards along the dense output of the last step.
  class DenseGuards final : public GuardSampler {
   public:
    explicit DenseGuards(RunEngine& engine) : engine_(engine) {}
    void sample(double t, VectorRef values) override;
    // Of an event the guard alone; what the other guards share is not to be had for one of them.
    double sample_one(double t, Index guard, VectorRef scratch) override;
    void noise(double t, VectorRef values) override;

   private:
    // Sets the engine's state_ to that at t, on the surfaces it slides on.
    void state_at(double t);
    bool mirror_what_is_hardly_left(double t);
    RunEngine& engine_;
  };

  const Automaton& automaton_;
  const std::vector<std::shared_ptr<const RelayStructure>>& structures_;
  const Options& options_;
  const Run& run_;
  std::vector<std::unique_ptr<LocationTools>> locations_;
  // Two locations joined by one guard, while the solution slides between them.
  struct Pair {
    std::size_t minus = 0;  // the location where the guard is negative
    std::size_t plus = 0;
    Guard guard = {};
    std::unique_ptr<LocationTools> tools = {};
  };
  std::vector<Pair> pairs_;
  std::map<std::pair<std::size_t, std::size_t>, std::ptrdiff_t> pair_of_edges_;
  std::ptrdiff_t pair_ = -1;
  // By location and surfaces; null where there are none.
  std::map<std::pair<std::size_t, std::vector<Index>>, std::unique_ptr<LocationTools>> second_order_tools_;
  std::vector<Index> second_order_;  // the surfaces that the solution slides along in second order, sorted
  std::size_t location_ = 0;
  LocationTools* here_ = nullptr;
  Stepper* stepper_ = nullptr;    // the one that is at work
  AffineScan* affine_ = nullptr;  // the one that watches in this mode, if any

  DenseGuards sampler_;
  ChatteringWatch chattering_;
  AccumulationWatch crossings_, jumps_, lone_crossings_;
  bool only_crossings_ = true;  // what crossings_ holds are crossings of single surfaces
  Index lone_surface_ = -1;     // that was crossed last, with no other event since
  FlightWatch flights_;
  int lone_shrinking_ = 0;  // how many of its flights in a row were clearly shorter than the one before
  bool takes_fine_steps_ = false;  // to see the flight that begins
  std::vector<Bounces> bounces_;
  Vector bounce_scale_;  // the largest |xⱼ| since the first impact or the last rest

  double t_ = 0;
  Vector x_;
  Mode mode_;
  Vector lambda_;           // the relays, a first guess for those that slide
  bool repelling_ = false;  // the only surface that slides repels
  // The surfaces and contacts of the last event, which the mode has only just left or begun to slide on.
  std::vector<Index> involved_, involved_contacts_;
  std::vector<Index> pressed_;  // contacts that close whatever the forces on them are at this moment
  std::vector<Index> held_;     // surfaces that the closed contacts hold at zero
  // Surfaces of earlier events that are not clearly on their side yet: an event elsewhere does not bring them further off, and
  // without their allowance they would fire at once.
  std::vector<Index> still_leaving_, allowed_;
  Vector allowance_;               // per surface, since its own last event
  std::vector<Index> on_surface_;  // that the state is put onto
  std::vector<Index>
      fired_;  // events that have fired at this instant and whose guards are zero, into the watch
  std::vector<Guard> recorded_;  // of the records noted at this instant
  Arrivals arrivals_;            // of the last call of gather()
  Vector before_instant_;        // the state when it began
  Guard departed_;  // between two locations that the solution has stopped to slide between at this instant
  std::optional<std::size_t> last_edge_;  // the edge that fired last at this instant
  int rounds_ = 0;                        // jumps at this instant
  bool moved_ = false;                    // some of them moved the state
  bool was_reset_ = false;                // by the reset of an event or an edge
  Index instant_id_ = 0;                  // of what jumped at this instant, in order
  std::string resting_location_;          // that an edge which fired declares for its accumulation points
  std::vector<Index> impacts_;            // the contacts that bounced at this instant
  std::vector<Index> jumping_contacts_;   // that had an impact at this instant
  std::map<Index, std::vector<Index>>
      contacts_of_instant_;  // the same of instants that may repeat, by their ids
  const Arrival* arrival_ = nullptr;
  double scanned_to_ = 0;
  std::vector<char> armed_before_;  // the guards of surfaces and contacts, at the last records, at this time
  double armed_before_t_ = std::numeric_limits<double>::quiet_NaN();
  Arrival joint_arrival_;
  double dense_end_ = 0;  // up to where the stepper's dense output is the solution
  double mode_since_ = 0;
  // The last instant at which the surfaces `flight_left_` were met, and a state there that is as good as the run's was at its
  // beginning: after a touch the one of the flight that was integrated again.
  double flight_start_ = 0;
  Vector flight_state_;
  std::vector<Index> flight_left_;
  bool flight_goes_on_ = false;
  bool jumped_ = false;         // the mode began with a jump
  bool jumped_before_ = false;  // there has been one at all
  double last_jump_ = 0;
  double jump_interval_ = 0;  // between the last two instants with jumps; 0 while there are none
  std::int64_t steps_since_jump_ = 0;
  std::int64_t steps_in_mode_ = 0;
  double last_crossing_ = 0;
  // That fired at this instant: they are zero, as far as they can be located, and where the state was drawn back onto its
  // constraints as far as that moved it.
  struct ZeroGuard {
    Guard when;
    double left = 0;  // of its value
  };
  std::vector<ZeroGuard> zero_guards_;
  std::vector<Ahead> reached_;  // events that came to zero while a limit was jumped to
  double carried_march_step_ = 0;
  std::vector<double> met_at_;  // when each surface was met last
  // The surfaces that were met last may be passed by as much as errors gather.
  bool passes_by_ = false;
  Index quiet_restarts_ = 0;
  // The surfaces that are met again and again without an event, and how often in a row.
  std::vector<Index> returned_to_;
  Index returns_ = 0;
  double quiet_since_ = 0;
  std::size_t next_output_ = 0;

  // The largest |xⱼ| so far: what has accumulated of the errors goes with that.
  Vector largest_, noise_weights_, nudged_state_;
  Vector atol_, weights_, guard_values_, sampled_values_, noise_, nudged_values_, state_, arm_above_,
      arrive_below_;
  Matrix step_coefficients_;                     // of the step that is recorded
  Vector march_arm_above_, march_arrive_below_;  // where another scan watches the surfaces
  Solution solution_;
};

}  // namespace slideway
