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

#include "lib/fmu/jacobian_along.hpp"
#include "lib/fmu/layout.hpp"
#include "lib/fmu/surface_pull.hpp"
#include "slideway/detail/model/evaluator.hpp"
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
struct ModelPlace {
  double t = 0;
  Vector x = {};  // all states, the discrete ones, inputs and tunable parameters last
  Mode mode = {};
  std::string location = {};
  Index resting = -1;  // the surface that slides while the field of one of its sides rests on it
  std::vector<bool> is_positive = {};  // each indicator, after the last event
  double pull = 0;                     // the rate back onto the surfaces that slide and the closed contacts
  Vector shift = {};  // of each indicator, so that a rounding error at an event hides no side
  std::optional<double> next_time = {};
  bool has_ended = false;
  // The number of events. It also tells who runs the FMU that an event is no relation that the way back undoes.
  std::int64_t events = 0;
  std::map<std::string, double> settings = {};
  bool is_initialised = false;
  std::optional<SavedRun> run = {};
  std::vector<double> times = {};     // of the last events
  std::optional<Limit> awaited = {};  // of events that come ever faster, as a run beside has found it
  std::optional<Limit> limit = {};    // until then no indicator changes its sign
};

class ExportedModel {
 public:
  // Reads what the export has written to the folder of resources. Throws std::exception with the reason.
  ExportedModel(Kind kind, const std::string& resources);

  const Layout& layout() const { return layout_; }
  void set_start(double t) { place_.t = t; }
  // By value references; start values and parameters are set before initialise(), inputs and tunable parameters at any time. Throws
  // std::invalid_argument for anything else.
  void set(std::uint32_t reference, double value);
  // Answers are of one call: the vectors that its values are entries of are found once.
  struct Answers {
    std::optional<Vector> derivatives = {}, indicators = {}, observed = {};
  };
  double get(std::uint32_t reference, Answers& answers);
  // The change of each unknown where the knowns, which are states, inputs and tunable parameters, move along the seed. It is exact for the
  // derivatives of states, and a central difference for observed quantities and indicators. Throws std::invalid_argument for other knowns.
  Vector directional(const std::uint32_t* unknowns, std::size_t unknown_count, const std::uint32_t* knowns,
                     std::size_t known_count, const double* seed);
  // Throws std::runtime_error where no run can begin.
  void initialise();
  void reset();

  void set_time(double t) { place_.t = t; }
  void set_states(ConstVectorRef x) { place_.x.head(layout_.continuous) = x; }
  Vector states() const { return place_.x.head(layout_.continuous); }
  // As many values as there are states that are not discrete, and indicators.
  void derivatives(VectorRef dx);
  void indicators(VectorRef z);
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

  ModelPlace save();
  void restore(const ModelPlace& place);

 private:
  // Stretch is from one event to the next: it has the system of the location, and, where nothing slides and no contact is closed, λ.
  struct Stretch {
    Mode mode = {};
    std::string location = {};
    const System* system = nullptr;  // null before the first
    SurfacePull* pull = nullptr;
    bool is_free = false;
    Vector lambda = {};
    std::vector<Index> sliding = {};
    bool has_closed = false;
  };
  double span() const;  // of the run that the model suggests
  const Stretch& stretch();
  const System& system_here();
  // λ of the surfaces, and of the guard between two locations behind them.
  const Vector& relays();
  void take_from(const LiveRun& live);
  void take_outcome(const Outcome& outcome);
  void find_next_time();
  std::vector<bool> positive_indicators();
  void raw_indicators(VectorRef z);
  // Finds the side of each indicator that the mode, or the motion that begins, says.
  void find_sides();
  // A run from a time before the event, along the derivatives there, with the surfaces that slide at zero. None where an indicator is on
  // another side there.
  std::optional<Run> run_from_before(double by, const Vector& dx);
  // Moves the state onto the surfaces that slide and the closed contacts, from which an integrator outside drifts.
  void put_on_constraints();
  // Throws std::runtime_error where the surfaces that slide depend on each other, so that no λ of one of them tells when it leaves.
  void check_relays();
  // The rate at which states come back onto the surfaces where the field of this mode has this derivative, and where the place is.
  double rate_for(const Matrix& jacobian);
  double rate_of_pull();
  // dx_ has the field there.
  SurfacePull::Point point_of_pull() {
    return {place_.t, place_.x, stretch_.sliding, relays(), dx_, stretch_.has_closed};
  }
  void project(VectorRef x);
  bool pass_indicators(bool is_due);
  // The speeds across a surface in the fields of its two sides.
  struct Speeds {
    double below = 0, above = 0;
  };
  // No locations, contacts or break-away: the speeds across a surface decide.
  bool is_plain() const;
  Speeds speeds_across(Index surface, Vector lambda);
  void find_resting();
  // The indicator of ModelPlace::resting, above zero while the surface slides.
  double room_at_rest(const Vector& lambda);
  // Passes the event where the fields of both sides of one surface tell what follows; false, and nothing has changed, elsewhere.
  bool pass_clearly();
  // Events that accumulate have no last one to pass. Where they come ever faster a run beside tells the limit.
  void look_ahead();
  // The limit of events that begin with this interval; none where the run beside has none.
  std::optional<Limit> limit_from_here(double interval);
  void take_limit();

  Kind kind_;
  Model model_;
  Settings exported_settings_;
  Offered offered_;
  Options options_;
  std::optional<ModelInstance> instance_;  // from the constructor on
  Layout layout_;
  Index states_ = 0;     // of the model, without inputs and tunable parameters
  Options own_options_;  // of Co-Simulation, as the export was told
  std::optional<Simulator> simulator_, untimed_, ahead_;
  std::optional<LiveRun> live_;
  std::optional<ForcesAlong> forces_;
  std::optional<Observables> observables_;
  Trajectory::Projection projection_;
  std::optional<JacobianAlong> jacobian_;  // made when first asked for
  struct Place {
    System system;
    SurfacePull pull;
  };
  std::map<std::string, Place> systems_;  // by location
  ModelPlace place_;
  struct RelaysOf {
    double t = 0;
    Vector x = {};
    Mode mode = {};
    std::string location = {};
  };
  Stretch stretch_;
  std::optional<Evaluator> evaluator_;  // of the system without locations
  Vector dx_, guards_;                  // buffers
  RelaysOf relays_of_;                  // where lambda_ and forces_ have been found; x is empty before that
  Vector lambda_;
};

}  // namespace slideway::fmu
