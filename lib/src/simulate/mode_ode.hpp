// The smooth ODE of one mode, as the stepper and the scan see it: the velocity of the mode and its exit guards. It begins in a mode and
// stays in it until it begins again.
//
// Every surface has two guard slots:
//     not sliding:               s·h (s = ±1 the stored side), and nothing
//     the only one that slides:  σ⁻w⁻, σ⁺w⁺     (σ the signs the components have in the mode)
//     one of several:            δ + δλ, δ − δλ   (δ = 1 at first, 0 where λ has a pole: ModeField::exits)
// Every guard is positive while the mode lasts. Where the surface has a break-away ratio ρ, w∓ are those at λ = ∓ρ, and λ/ρ stands for λ.
// The first slot of a sliding surface is its exit to −, the second its exit to +. After the surfaces comes a slot for each contact:
// the gap where it is open, the force Λ where it is closed; then two for each that has friction in a plane,
// its slip or friction and the begin of its slip (ContactDynamics::stick_slip_guard, begin_guard). The last slots are those of the events that are watched.
// It must not know how steps are taken or what follows the mode.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filippov/contact_dynamics.hpp"
#include "filippov/mode_field.hpp"
#include "filippov/mode_jacobian.hpp"
#include "filippov/regime.hpp"
#include "filippov/surface_geometry.hpp"
#include "integrate/smooth_ode.hpp"
#include "integrate/stepper.hpp"
#include "simulate/event_watch.hpp"
#include "simulate/guard_table.hpp"
#include "simulate/sample_memory.hpp"
#include "simulate/stage_slopes.hpp"
#include "slideway/simulate/preconditioner.hpp"

namespace slideway {

class ModeOde final : public SmoothOde, private ComponentsSink {
 public:
  // The references must outlive the ode; so must `contacts`, whose forces are part of the evaluator's system, and `watch` with the table
  // of its sides.
  ModeOde(Evaluator& evaluator, const RelayStructure& structure, ContactsInForce contacts,
          const EventWatch* watch, const GuardTable* table);

  // begin() forgets what was known of another mode. The closed contacts are those in force. `lambda` holds a first guess for the sliding
  // entries. `repelling` tells that the only sliding surface is one that repels: its components then have the signs σ⁻ < 0 < σ⁺.
  void begin(const Mode& mode, ConstVectorRef lambda, bool repelling);
  void begin(const Regime& regime) { begin(regime.mode(), regime.lambda(), regime.repelling); }
  const Mode& mode() const { return field_.mode(); }
  double exit_sign() const { return sigma_; }
  ModeField& field() { return field_; }
  // set_preconditioner() serves the linear solver gmres, in the location of this name.
  void set_preconditioner(std::unique_ptr<Preconditioner> preconditioner, const std::string& location) {
    preconditioner_ = std::move(preconditioner);
    location_ = location;
  }

  static Index first_slot(Index surface) { return 2 * surface; }
  Index contact_slot(Index contact) const { return 2 * h_.size() + contact; }
  // By the number among ContactDynamics::cones().
  Index stick_slip_slot(Index cone) const {
    return contact_slot(contacts_ ? contacts_->contacts() : 0) + 2 * cone;
  }
  Index begin_slot(Index cone) const { return stick_slip_slot(cone) + 1; }
  Index event_slot(Index event) const { return stick_slip_slot(plane_frictions()) + event; }
  Index plane_frictions() const { return contacts_ ? static_cast<Index>(contacts_->cones().size()) : 0; }

  // All guards at (t, x), armed or not. Values at times already asked for since forget_samples() are not computed again,
  // so x must be the dense output of one and the same step. Throws std::runtime_error naming a guard that is not finite, but where the
  // relay of its surface has no effect: that guard counts as being on the side it was on.
  void sample(double t, ConstVectorRef x, VectorRef values);
  // The guard of one event, by its slot, without memory.
  double sample_event(double t, ConstVectorRef x, Index slot) const;
  bool recall(double t, VectorRef values) const { return samples_.recall(t, values); }
  void forget_samples() { samples_.forget(); }
  // The same without memory.
  void exit_guards(double t, ConstVectorRef x, VectorRef values);
  // Surfaces whose guards have had no value since begin().
  const std::vector<Index>& without_value() const { return without_value_; }
  // has_effect() tells whether the relay of a surface that does not slide takes part in the velocity at (t, x),
  // with the others as in the mode. One in a branch that is not in force does not.
  bool has_effect(double t, ConstVectorRef x, Index surface);

  // Notes the exits of sliding at every velocity from now on, up to the next mode; without effect under break-away, and under
  // rules for which they are not what the velocity is made of.
  void watch_stages();
  // A step starts at t, where one of the last velocities was asked for.
  void begin_stages(double t) {
    if (watches_stages_) stages_.restart(t);
  }
  // slides_on_until() tells whether the velocities since then show that nothing stops to slide before t.
  bool slides_on_until(double t) const;
  // stops_once_until() tells whether they show that, with these guards at t, what stops to slide before t stops
  // for good.
  bool stops_once_until(double t, ConstVectorRef values) const;
  bool watches_stages() const { return watches_stages_; }
  // has_changing_effects() tells whether the relays of several that slide change what they do to the surfaces on
  // the way.
  bool has_changing_effects() const { return field_.exit_ratio_varies(); }
  // effects_hold() tells whether they still do about what they did, by these exits.
  bool effects_hold(ConstVectorRef values) const;
  // The guards of surfaces that slide, if one of the last velocities was asked for at t; the other values are left alone.
  bool exits_at_stage(double t, VectorRef values) const;

  // An integrator with root-finding of its own has one function for each surface, which is the nearer exit where it slides. Then comes
  // one for each contact and event. `unwatched` are functions whose zeros do not count in this mode.
  void watch_roots(std::vector<Index> unwatched) { unwatched_roots_ = std::move(unwatched); }
  Index root_functions() const override { return guards() - h_.size(); }
  Index root_function(Index slot) const {
    return slot < contact_slot(0) ? slot / 2 : slot - static_cast<Index>(h_.size());
  }
  void root_values(double t, ConstVectorRef x, VectorRef values) override;

  Index states() const override;
  Index guards() const;
  void velocity(double t, ConstVectorRef x, VectorRef dx) override;
  void quick_velocity(double t, ConstVectorRef x, VectorRef dx) override;
  bool tell_directly(DirectVelocity& direct) override;
  bool checks_velocity() const override { return true; }
  void jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) override;
  const Pattern* jacobian_pattern() override;
  void split_jacobian(double t, ConstVectorRef x, ConstVectorRef dx, SplitJacobian& jacobian) override;
  bool has_jacobian_times() const override { return !contacts_; }
  void jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction, VectorRef product) override;
  double decay_rate(double t, ConstVectorRef x) override;
  bool knows_decay() const override { return plane_frictions() > 0; }
  bool has_preconditioner() const override { return preconditioner_ != nullptr; }
  void prepare_preconditioner(double t, ConstVectorRef x, double gamma) override;
  void precondition(ConstVectorRef r, VectorRef z) override { preconditioner_->solve(r, z); }
  // Keeps these states as they are, whatever the field says, until the next call; sorted.
  void hold(std::vector<Index> states) { held_states_ = std::move(states); }
  bool constrained() const override { return slides() || has_closed_contacts(); }
  void project(double t, ConstVectorRef weights, VectorRef x) override;
  bool may_be_moved(double t, ConstVectorRef x) override {
    return has_closed_contacts() || kept_.geometry || geometry_.may_move(t, field_.sliding(), x);
  }
  bool slides() const { return !field_.sliding().empty(); }
  bool has_closed_contacts() const { return contacts_ && !contacts_.modes->closed.empty(); }
  // Projections are onto these surfaces, too, wherever it slides; the geometry must outlive the ode.
  void keep_on(SurfaceGeometry& geometry, std::vector<Index> surfaces) {
    kept_ = {&geometry, std::move(surfaces)};
  }
  // Draws the state back onto its constraints at this rate, where the integrator cannot project; 0 switches it off.
  void stabilise(double rate, double t, ConstVectorRef x, ConstVectorRef weights);
  // The residual of the last projection, in units of rounding (SurfaceGeometry::residual).
  double projection_residual() const { return geometry_.residual(); }

 private:
  // The break-away ratios of the surfaces to either side.
  struct Reach {
    Vector above, below;
  };
  // Null where the system does not tell its patterns.
  ModeJacobian* sparse();
  [[gnu::noinline]] void note_stage(double t);
  void note_components(double t, double w_minus, double w_plus) override;
  // velocity_knows_exits() tells whether a velocity is made of what the exits of sliding are.
  bool velocity_knows_exits() const;
  double event_value(double t, ConstVectorRef x, Index event) const;
  void evaluate_guards(double t, ConstVectorRef x, bool is_sample, VectorRef values);
  // The same, finite or not.
  void fill_guards(double t, ConstVectorRef x, bool is_sample, VectorRef values);
  void project_onto_surfaces(double t, ConstVectorRef weights, VectorRef x);
  bool stands_in(double t, ConstVectorRef x, VectorRef values);
  [[noreturn]] void throw_not_finite(double t, ConstVectorRef values) const;
  [[noreturn]] void throw_not_finite(double t, Index slot, double value) const;

  Evaluator& evaluator_;
  const RelayStructure& structure_;
  ModeField field_;
  std::optional<ModeJacobian> sparse_;  // made when it is first asked for: only implicit methods do
  SplitJacobian split_;
  SurfaceGeometry geometry_;
  ContactsInForce contacts_;
  const EventWatch* watch_;
  const GuardTable* table_;
  std::unique_ptr<Preconditioner> preconditioner_;
  std::string location_;
  // Kept lists surfaces held beside those that slide; it is empty in first order.
  struct Kept {
    SurfaceGeometry* geometry = nullptr;
    std::vector<Index> surfaces = {};
  };
  Kept kept_;
  std::vector<Index> held_states_;
  double sigma_ = 1;
  Vector h_, lambda_;
  Reach reach_;
  std::vector<Index> without_value_;
  Vector one_side_, dx_;
  StageSlopes stages_;
  bool watches_stages_ = false;
  std::optional<std::vector<Index>> unwatched_roots_;  // none where nobody locates zeros
  double velocity_t_ =
      std::numeric_limits<double>::quiet_NaN();  // of the last velocity, until other guards are asked for
  SampleMemory samples_;
};

}  // namespace slideway
