// HybridFmu reads an FMU as a piecewise-smooth system: what its event indicators are, and what holds on either side of them.
//
// The FMU keeps its discrete part to itself. Here it is a discrete state of the system, the number of a Stage: what holds from one event to
// the next. A number that is old leads to what held then, so that all functions are functions of (t, x) alone.
//
// An event indicator z is one of two things, and asking the FMU tells which. It is a relay where an event at its zero sets nothing and the way
// back restores everything: it is then a surface, with the derivatives of both sides, so that solutions slide. Otherwise it is an event.
// An indicator without a slope, such as ±1, is replaced by the distance from the place where its value changes.
//
// It must not know integrators.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/fmi/fmu.hpp"
#include "lib/fmi/indicator_differences.hpp"
#include "lib/fmi/node_loader.hpp"

namespace slideway::fmi {

// +1 where z > 0, and −1 where z ≤ 0, as the standard tells the domains of an indicator apart.
using Signs = std::vector<signed char>;

// An indicator is unknown until its first zero, and an event from the first time on that it was one. An unknown one has an event, which asks.
enum class IndicatorKind { unknown, relay, event };

class HybridFmu {
 public:
  HybridFmu(std::shared_ptr<const Fmu> fmu, StartValues values, std::shared_ptr<const Inputs> inputs,
            double start, double end, std::optional<double> tolerance);

  // The continuous states at the start, then the number of the stage.
  const Vector& initial() const { return initial_; }
  Index continuous() const { return n_; }
  Index indicators() const { return m_; }

  // The functions of the system, with λ and guards for each indicator.
  void field(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx);
  void field_by_states(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative);
  void surfaces(double t, ConstVectorRef x, VectorRef h);
  void values(double t, ConstVectorRef x, ConstVectorRef lambda,
              const std::vector<const Variable*>& variables, VectorRef values);

  // The guard of the event of an indicator falls through zero; that of the time events rises, and that of the end jumps to 1.
  double event_guard(Index indicator, double t, ConstVectorRef x);
  // slopes(k) is the derivative of the guard by state states(k), by central differences that all indicators have in common.
  void event_slopes(Index indicator, double t, ConstVectorRef x, const std::vector<Index>& states,
                    std::vector<double>& slopes);
  // running_error() estimates a bound of the rounding of that guard, in units of ε (GuardFunctions::running_error), by values beside.
  double running_error(Index indicator, double t, ConstVectorRef x);
  double time_guard(double t, ConstVectorRef x);
  bool has_time_event(ConstVectorRef x);
  double end_guard(ConstVectorRef x);
  // The state after an event of this indicator, or after the time event.
  void fire(Index indicator, double t, ConstVectorRef before, VectorRef after);
  void fire_time(double t, ConstVectorRef before, VectorRef after);
  // The state after a knot of the inputs: an event where one of them jumps.
  void fire_inputs(double t, ConstVectorRef before, VectorRef after);
  // The derivative of what an event sets, along (t_dot, before_dot), by differences of the same event at neighbours: `fire` is one of the
  // functions above. The number of the stage has none. Throws std::domain_error where there is no derivative, and where the FMU remembers
  // something of the state that is no state: a derivative would be wrong from there on.
  using Fire = std::function<void(double t, ConstVectorRef before, VectorRef after)>;
  void fire_along(const Fire& fire, double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot,
                  VectorRef after, VectorRef after_dot);
  // Tells whether this FMU and another one, which has begun beside it, hold the same at the start of this one.
  bool starts_alike(HybridFmu& other, double t);
  // By how much a start value is moved for a difference.
  double step_of_state(Index state) const;
  // Tells the FMU of a step of the integrator. An event that it asks for follows at once.
  void complete_step(double t, ConstVectorRef x);

 private:
  struct Firing {
    Index indicator = 0;
    double t = 0;
    Vector before = {}, after = {};
  };
  struct Stage {
    std::map<Signs, std::shared_ptr<const Node>> nodes = {};
    std::shared_ptr<const Node> first = {};  // with which the stage begins
    Signs base = {};                         // of that node
    Signs last = {};                         // at the last place where indicators were asked
    EventPlace place = {};                   // that place
    double next_time = 0;
    double asked_time =
        std::numeric_limits<double>::infinity();  // of an event that the end of a step asks for
    bool terminates = false;
    std::vector<Firing> firings = {};  // the last ones
  };

  // The time for which a motion is followed to be past a zero.
  double past_zero(double t) const;
  Stage& stage_of(ConstVectorRef x);
  const std::shared_ptr<const Node>& base_of(const Stage& stage) const { return stage.first; }
  Signs signs_of(const Stage& stage, const Vector& z) const;
  signed char sign_in(const Stage& stage, const Vector& values, Index indicator) const;
  // guards_of() returns the guards of all indicators in a stage as a function of the place.
  IndicatorDifferences::Guards guards_of(Stage& stage);
  // Forgets the indicators of all points.
  void forget_indicators();
  const std::string& key_of(double t, ConstVectorRef x);
  const Vector& indicators_at(const Stage& stage, double t, ConstVectorRef x);
  // Finds out what an indicator is that has changed its sign for the first time.
  void look(Stage& stage, double t, ConstVectorRef x);
  void classify(Stage& stage, const EventPlace& from, const Signs& signs, const EventPlace& to);
  EventPlace strictly_beyond(const Stage& stage, const EventPlace& from, const EventPlace& to, double part,
                             double width);
  bool is_relay(Stage& stage, const std::shared_ptr<const Node>& node, const EventPlace& before,
                const EventPlace& beyond, EventAnswer& answer);
  EventPlace place_back(const std::shared_ptr<const Node>& node, const EventPlace& before,
                        const EventPlace& beyond, const Vector& z_beyond);
  void find_direction(const Stage& stage, Index indicator, const EventPlace& from, const EventPlace& to);
  double distance(const Stage& stage, Index indicator, double t, ConstVectorRef x, const Vector& direction);
  double guard(const Stage& stage, Index indicator, double t, ConstVectorRef x);
  const std::shared_ptr<const Node>& node_of(Stage& stage, ConstVectorRef signs, double t, ConstVectorRef x);
  const std::shared_ptr<const Node>& derived_node(Stage& stage, const Signs& signs, double t,
                                                  ConstVectorRef x);
  Vector place_past_zeros(const Stage& stage, const std::set<Index>& moved, const Signs& signs, double size,
                          double t, const Vector& here);
  EventPlace followed(const std::shared_ptr<const Node>& node, const EventPlace& from, double by);
  std::optional<EventPlace> place_beyond(Stage& stage, Index indicator, double t, ConstVectorRef x);
  Signs signs_at(const std::shared_ptr<const Node>& node, const EventPlace& place);
  double begin_stage(EventAnswer answer, double made_at, double t, Vector& x);
  // An event there: of an indicator, of time or of inputs. One that is asked for once more has the same stage behind it.
  void take(Index indicator, double t, ConstVectorRef before, VectorRef after, const EventPlace& place,
            std::size_t piece);
  bool is_known(const Stage& stage, Index indicator, double t, ConstVectorRef before, VectorRef after) const;
  // The typical size of each state.
  Vector sizes_at(ConstVectorRef x) const;
  // The derivatives and indicators at x in a stage, and its next time event.
  Vector held_in(const Stage& stage, double t, const Vector& x);
  // Tells whether the same holds in both stages, discrete variables included, except for differences that no derivative sees.
  bool holds_alike(const Stage& one, HybridFmu& of_other, const Stage& other, double t, const Vector& x);
  Vector discrete_values(const std::shared_ptr<const Node>& node, const EventPlace& place);

  std::shared_ptr<const Fmu> fmu_;
  std::shared_ptr<const Inputs> inputs_;
  NodeLoader loader_;
  Index n_, m_;
  Vector initial_;
  std::vector<const Variable*> discrete_;  // what an event may leave changed
  double span_;                            // of the run that the FMU suggests
  double tolerance_;  // of the FMU: what it shifts by less, as a hysteresis, it does not mean
  Vector largest_;    // the largest |x| of each state so far
  Vector sizes_;      // the largest |z| of each indicator so far
  IndicatorDifferences differences_;
  const Stage* differed_ = nullptr;  // the stage of the slopes of differences_
  std::vector<IndicatorKind> kinds_;
  std::vector<Vector> directions_;  // of (t, x), for indicators without a slope; empty for the others
  std::vector<std::unique_ptr<Stage>> stages_;
  const Stage* asked_ = nullptr;  // where z_ belongs to
  EventPlace asked_at_;
  Vector z_;
  // The indicators at the last points, by the bytes of (t, x): whoever differentiates one indicator after the other asks at the same points.
  std::unordered_map<std::string, Vector> known_;
  const Stage* known_of_ = nullptr;
  std::string point_;  // the key, as a buffer
};

}  // namespace slideway::fmi
