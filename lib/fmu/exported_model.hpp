// ExportedModel is a model inside an FMU, in the words of neither version of the standard: Model Exchange gives the derivatives and the event
// indicators of the mode that holds, and lets the engine of the library pass each event; Co-Simulation is a LiveRun.
//
// A mode that slides has the derivatives of Filippov's field, so that an integrator that locates events slides, too. Its indicators are
//     of a surface     its guard beside it; (ρ⁺ − λ)(ρ⁻ + λ) along it, which is zero where sliding ends
//     of a contact     its gap while open, its force while closed
//     of an event      its guard; of an edge of another location, 1.
//
// It must not know the functions of the standard.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/fmu/layout.hpp"
#include "slideway/simulate/forces_along.hpp"
#include "slideway/simulate/live_run.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::fmu {

enum class Kind { model_exchange, co_simulation };

// Where events that come ever faster end: a time event of the FMU, which has this behind it.
struct Limit {
  double t = 0;
  Vector x = {};
  Mode mode = {};
  std::string location = {};
};

// The place of a model between two calls; copies are apart.
struct Place {
  double t = 0;
  Vector x = {};  // all states, the discrete ones last
  Mode mode = {};
  std::string location = {};
  std::vector<bool> is_positive = {};  // each indicator, after the last event
  Vector shift = {};  // of each indicator, so that a rounding error at an event hides no side
  std::optional<double> next_time = {};
  bool has_ended = false;
  // The number of events. It also tells who runs the FMU that an event is no relation that the way back undoes.
  std::int64_t events = 0;
  std::map<std::string, double> settings = {};
  bool is_initialised = false;
  std::optional<SavedRun> run = {};
  std::vector<double> times = {};      // of the last events
  std::optional<SavedRun> ahead = {};  // a run beside, at its next event, while events come ever faster
  std::optional<Limit> limit = {};     // until then no indicator changes its sign
};

class ExportedModel {
 public:
  // Reads what the export has written to the folder of resources. Throws std::exception with the reason.
  ExportedModel(Kind kind, const std::string& resources);

  const Layout& layout() const { return layout_; }
  void set_start(double t) { place_.t = t; }
  // By value references; start values and parameters are set before initialise(). Throws std::invalid_argument for anything else.
  void set(std::uint32_t reference, double value);
  double get(std::uint32_t reference);
  // Throws std::runtime_error where no run can begin.
  void initialise();
  void reset();

  void set_time(double t) { place_.t = t; }
  void set_states(ConstVectorRef x) { place_.x.head(layout_.continuous) = x; }
  Vector states() const { return place_.x.head(layout_.continuous); }
  Vector derivatives();
  Vector indicators();
  // Passes the event that the indicators, or the time, tell of. Returns whether there was one. Throws std::runtime_error where nothing
  // unique follows.
  bool pass_event();
  std::optional<double> next_time() const { return place_.next_time; }
  bool has_ended() const { return place_.has_ended; }

  // Follows the model to `end`, or to the first event. Returns whether an event stopped it.
  bool advance(double end, bool stops_at_events);
  double t() const { return place_.t; }

  Place save();
  void restore(const Place& place);

 private:
  const System& system_here();
  // λ of the surfaces, and of the guard between two locations behind them.
  const Vector& relays();
  void take_from(const LiveRun& live);
  void take_outcome(const Outcome& outcome);
  void find_next_time();
  std::vector<bool> positive_indicators();
  Vector raw_indicators();
  // Finds the side of each indicator that the mode, or the motion that begins, says.
  void find_sides();
  // A run from a time before the event, along the derivatives there, with the surfaces that slide at zero. None where an indicator is on
  // another side there.
  std::optional<Run> run_from_before(double by, const Vector& dx);
  Vector on_sliding_surfaces(double t, const Vector& x);
  bool pass_indicators(bool is_due);
  // Events that accumulate have no last one to pass. While they come ever faster a run goes one event ahead, and tells the limit.
  void look_ahead();
  void take_limit();

  Kind kind_;
  Model model_;
  Settings exported_settings_;
  std::vector<std::string> observed_;
  Options options_;
  std::optional<ModelInstance> instance_;  // from the constructor on
  Layout layout_;
  Options own_options_;  // of Co-Simulation, as the export was told
  std::optional<Simulator> simulator_, untimed_, ahead_;
  std::optional<LiveRun> live_;
  std::optional<ForcesAlong> forces_;
  std::optional<Observables> observables_;
  std::map<std::string, System> systems_;  // by location
  Place place_;
  struct RelaysOf {
    double t = 0;
    Vector x = {};
    Mode mode = {};
    std::string location = {};
  };
  RelaysOf relays_of_;  // where lambda_ and forces_ have been found; x is empty before that
  Vector lambda_;
};

}  // namespace slideway::fmu
