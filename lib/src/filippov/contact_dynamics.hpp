// The forces and impulses of the contacts of one system, at one point.
//
//     uᵢ = d gapᵢ/dt,     aᵢ = d²gapᵢ/dt² along f without contact forces,     B(i,j) = ∂uᵢ/∂x·bⱼ
//     closed contacts C      a_C + B_CC Λ_C = 0
//     which stay closed      0 ≤ Λ ⊥ a + BΛ ≥ 0                   over the contacts that touch
//     impact                 0 ≤ P ⊥ u⁺ + e∘u⁻ ≥ 0,  u⁺ = u⁻ + BP,  x⁺ = x⁻ + bP    (Newton's law, Moreau's form)
// Where an integrator cannot project, Λ_C solves a_C + 2αu_C + α²gap_C + B_CC Λ_C = 0 instead (Baumgarte), the same on the
// constraint.
//
// With friction b is b − μλₖc, and so B depends on λ. At an impact the impulses P along b and Q along c satisfy |Q| ≤ μP; one contact
// alone is followed through the impact as it slips, stops, sticks or turns back (Routh), unless its friction is that at the end
// (ImpactFriction::at_end); then it satisfies, as several do,
//     0 ≤ P ⊥ u⁺ + e∘u⁻ ≥ 0,      Q = −μP·sgn(s⁺),  |Q| ≤ μP where s⁺ = 0
// a problem of complementarity of three entries for each of them.
//
// A closed contact with friction in a plane (ConeFriction) slips or sticks. One that slips has the direction b − μ(n₁c₁ + n₂c₂) with
// n = v/|v|, smoothly continued beyond v = 0 on the line of slip. One that sticks has two rows more: v' = 0, held by forces along c₁, c₂.
// Slip that begins with no acceleration grows like t², and v/|v| would make the equations stiff without bounds. The friction that would
// hold has the direction −m, m = −Q/|Q|, and v stays beside m up to the angle |m'||v|/α, with the acceleration α of friction. Slip begins with
//     n = (v + εm)/|v + εm|,     ε² |m'|/α a part of the tolerance of v
// which turns v aside by |m'||v|ε/α, and has begun at the speed ε, or where that exceeds errors. Without ε it is n = m.
//
// Directions of slip are drawn to those of the forces at the rate α/|v|, or α/|v + εm| where slip begins. Explicit steps that are not stable
// for it make errors of the tolerances across the slip, which change the demand on friction. slip_decay() bounds those steps.
// Slip ends only where friction would hold: it goes on where |Q| exceeds its bound and m is ahead, whatever errors of v say.
// Rows number the contacts first, then the two velocities of every contact.
//
// Where the system tells the pattern of ∂f/∂x and the contacts what they see and act on, B is sparse: forces that share no
// gap share a derivative along their sum, and contacts that do not see each other are solved for apart.
//
// Which contacts are closed and how their friction goes on is an argument (ContactModes) of every question, and no question changes it. So
// is what an integrator adds to their forces (ForceTerms). λ, the relays of the surfaces, is frozen. Const functions fill buffers, so one
// dynamics serves one thread.
// It must not know integrators, nor how a point was found.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/factorise.hpp"
#include "filippov/complementarity.hpp"
#include "filippov/cone_problem.hpp"
#include "filippov/contact_modes.hpp"
#include "filippov/contact_patterns.hpp"
#include "slideway/detail/core/compressed_columns.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

// ForceTerms holds what an integrator adds to the forces of closed contacts in the field.
struct ForceTerms {
  double rate = 0;              // α, where it cannot project
  const Vector* far = nullptr;  // Λ of the far contacts, where a Jacobian keeps it as it is
};

class ContactDynamics {
 public:
  // The contacts are those of `system`.
  explicit ContactDynamics(const System& system);

  Index contacts() const { return static_cast<Index>(definition_.size()); }
  const Contact& contact(Index i) const { return definition_[static_cast<std::size_t>(i)]; }

  // closed_are_affine() tells whether the gaps of the closed contacts are known to be affine in (t, x).
  bool closed_are_affine(const ContactModes& modes) const;
  // The mode of the surfaces, with an entry for each contact after them: sliding where it is closed. Then comes one for each contact with
  // friction in a plane: sliding where it sticks.
  Mode with_closed(const Mode& surfaces, const ContactModes& modes) const;
  // modes_in() reads such a word: which contacts are closed, and which of them stick. find_directions() finds the rest.
  ContactModes modes_in(const Mode& word, Index surfaces) const;
  // limited_rate() is α for an integrator that asks for `rate`: no larger than the time scale of the tolerances of the closed gaps and of
  // their velocities allows. A larger α would turn allowed errors of the gaps into errors of the velocities.
  double limited_rate(double rate, double t, ConstVectorRef x, ConstVectorRef lambda,
                      const ContactModes& modes, ConstVectorRef weights) const;

  // dx += bΛ over the closed contacts, where dx = f(t, x, λ). Throws std::runtime_error where the forces are not defined.
  void add_forces(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                  const ForceTerms& terms, VectorRef dx) const;
  // The same, and dx_dot += d(bΛ)/ds where t, x and λ move at these speeds.
  void add_forces_along(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                        const ForceTerms& terms, double t_dot, ConstVectorRef x_dot,
                        ConstVectorRef lambda_dot, VectorRef dx, VectorRef dx_dot) const;
  // The forces of every contact, 0 where it is open, neither clipped nor stabilised.
  struct Forces {
    const Vector& normal;    // Λ
    const Vector& friction;  // −μλₖΛ, combined over the relays like Λ, or the part of Q along c₁
    const Vector& second_friction;  // the part of Q along c₂
    const ContactModes& modes;      // with the directions of slip that begins here
  };
  // Valid until the next call of a member.
  Forces forces(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes) const;

  // least_forces() finds the forces as they are shown: those which give the motion x' = `motion`, with λ in the relays. Where several
  // splits among closed contacts do, it takes the one of smallest norm with Λ ≥ 0 and friction within its bounds, whatever λ says of
  // the surfaces that slide. Like forces(); friction in a plane keeps its split.
  Forces least_forces(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                      const std::vector<Index>& sliding, ConstVectorRef motion) const;

  double gap(double t, ConstVectorRef x, Index i) const { return contact(i).gap.value(t, x); }
  // uᵢ.
  double rate(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) const;
  // d²gapᵢ/dt² under the forces of the contacts that are closed.
  double acceleration(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                      Index i) const;
  // The size below which a gap counts as zero: rounding, 16 ε·(Σ|∂ⱼg||xⱼ| + |∂ₜg||t|); and the tolerances, Σ|∂ⱼg|/weights(j).
  double rounding(double t, ConstVectorRef x, Index i) const;
  double tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights) const;
  // rate_rounding() is the size below which the velocity of a gap counts as zero: the rounding of the velocities,
  // the `noise` of the impacts before it (Impact::noise), and a small part of their tolerances. A state at rest has no
  // rounding of its own.
  double rate_rounding(double t, ConstVectorRef x, ConstVectorRef lambda, Index i, ConstVectorRef weights,
                       double noise) const;

  // ---- friction in a plane
  // The contacts that have it, in order.
  const std::vector<Index>& cones() const { return cones_; }
  // The guard of a closed contact, positive while it goes on as it does: ρμΛ − |Q| where it sticks, which forces() has found, and else the
  // speed along the line of slip. `scale` is that of its terms. The modes are those of the last Forces where slip begins, here and below.
  struct StickSlipGuard {
    double value = 0, scale = 0;
  };
  StickSlipGuard stick_slip_guard(double t, ConstVectorRef x, const ContactModes& modes, Index i) const;
  // Slip that begins: what is left of the difference that nobody sees; without bounds where it has begun.
  double begin_guard(double t, ConstVectorRef x, const ContactModes& modes, Index i) const;
  // The begin of the slip of contact i is over.
  void end_begin(double t, ConstVectorRef x, Index i, ContactModes& modes) const;
  // is_slow() tells whether a speed of slip is one of errors.
  bool is_slow(double t, ConstVectorRef x, const ContactModes& modes, Index i) const;
  // The speed of slip, and the sizes below which it counts as zero: rounding, and the tolerances.
  double slip_speed(double t, ConstVectorRef x, Index i) const;
  double slip_rounding(double t, ConstVectorRef x, Index i, double noise) const;
  double slip_tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights) const;
  // Takes the directions of slip at the begin of a step.
  void follow_slip(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes& modes) const;
  // slips_on() tells of a slow slip whether the force leads it on: friction would not hold at rest, nor turn it back.
  bool slips_on(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes, Index i) const;
  bool slips_in_plane(const ContactModes& modes) const;
  // slip_decay() is the fastest rate at which directions of slip are drawn to those of the forces: α/|v|.
  double slip_decay(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes) const;
  // Finds the directions in which contacts slip where a mode says that they do, also from rest.
  void find_directions(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes& modes,
                       double noise) const;

  // The contacts of `touching` (gap and velocity zero) that the forces keep closed, and which of them stick; `before` is how they were. A
  // friction with breaks_away has reached the bound of the force that it holds. A tie (Λ = 0 and a = 0) counts as closed, except where relays
  // inside their bounds hold the gap without the contact. Throws std::runtime_error when the complementarity problem has no solution.
  ContactModes staying_closed(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& before,
                              const std::vector<Index>& touching, double noise) const;

  // Pressed holds, with `touching` closed, the contacts whose forces press (Λ > 0) and which B connects with
  // contact i, i among them. Λ/(B⁻¹)ᵢᵢ is the acceleration at which each would close again if it alone were
  // open. The lists are empty where i is not pressed.
  // The contacts have the energy E = ½uᵀB⁻¹u + Λ·gap, of which impacts only take. So no gap comes to more than E/Λᵢ again, no velocity
  // uᵢ to more than √(2E·Bᵢᵢ), and no impulse to more than √(2E·(B⁻¹)ᵢᵢ).
  struct Pressed {
    std::vector<Index> contacts = {};
    std::vector<double> accelerations = {};
    Vector forces = {};   // Λ
    Matrix masses = {};   // B⁻¹, of least norm where contacts share a force
    Vector effects = {};  // Bᵢᵢ
    Vector pushed = {};   // Σ |bᵢ|√(B⁻¹)ᵢᵢ, per state
    double energy(const Vector& rates, const Vector& gaps) const {
      return std::max(0.0, 0.5 * rates.dot(masses * rates) + forces.dot(gaps));
    }
    double greatest_gap(Index i, double energy) const { return energy / forces[i]; }
    double greatest_rate(Index i, double energy) const { return std::sqrt(2 * energy * effects[i]); }
    // By how much impulses can change each state.
    Vector greatest_change(double energy) const { return std::sqrt(2 * energy) * pushed; }
  };
  Pressed pressed_with(Index i, double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                       const std::vector<Index>& touching) const;

  // x ← x⁺: the impact of the contacts of `touching` (sorted, gap zero, any velocity). `elastic` false takes e = 0. The friction of those
  // that are hit begins anew in `modes`.
  struct Impact {
    std::vector<double> approach = {};     // −u⁻ per entry of touching
    std::vector<double> departure = {};    // u⁺
    std::vector<double> restitution = {};  // e; NaN where it does not approach
    double noise = 0;                      // rounding of velocities that the impulses leave
  };
  Impact impact(double t, ConstVectorRef lambda, const std::vector<Index>& touching, bool elastic,
                ContactModes& modes, VectorRef x) const;
  // The change of state, b·P, of the impulse that stops contact i.
  const Vector& stopping_impulse(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                                 Index i) const;

  // One step of a projection onto gap = 0 of these contacts, along W²∇gap; true when they were there, to rounding.
  bool correct_gaps(double t, const std::vector<Index>& contacts, ConstVectorRef weights, VectorRef x) const;
  // project() moves x onto gap = 0 and u = 0 of these contacts: along W²∇gap, then along b. It returns false
  // when that does not converge; x is then unchanged. Contacts that stick get v = 0, too.
  bool project(double t, const std::vector<Index>& contacts, ConstVectorRef lambda, const ContactModes& modes,
               ConstVectorRef weights, VectorRef x) const;

  // has_exact_derivatives() tells whether the forces of the closed contacts have derivatives without any differences.
  bool has_exact_derivatives(const ContactModes& modes) const;
  // free_evaluator() evaluates the system without the contact forces.
  Evaluator& free_evaluator() const { return evaluator_; }
  // set_patterns() serves Jacobians: the contacts are local or far (contact_patterns.hpp).
  void set_patterns(ContactPatterns patterns);
  // The sizes of the states that differences take their steps by, 1 until set.
  void set_typical_sizes(ConstVectorRef sizes, double time = 1) {
    far_.typical_sizes = sizes;
    evaluator_.set_typical_sizes(sizes, time);
  }
  const std::vector<Index>& far_closed(const ContactModes& modes) const { return split(modes).closed; }
  // Λ of the far closed contacts at a point, for ForceTerms::far.
  Vector far_forces(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                    double rate) const;
  // These describe the far closed contacts at that Λ: the columns of b, and the residual r = a + BΛ (with 2αu + α²gap where it is
  // stabilised), which Λ keeps at 0. Its derivatives are ∂r/∂Λ = B, ∂r/∂x (k×n) and ∂r/∂λ for some relays.
  void far_directions(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                      Matrix& columns) const;
  Matrix far_effects(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes) const;
  void far_residual_dx(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                       const ForceTerms& terms, Matrix& rows) const;
  Matrix far_residual_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                              const ForceTerms& terms, const std::vector<Index>& relays) const;

 private:
  // A column of b or a row of the gaps' gradients.
  struct Sparse {
    std::vector<Index> states = {};
    std::vector<double> values = {};
    double dot(ConstVectorRef x) const;
    void add_to(VectorRef x, double factor) const;
  };
  // The known properties of a gap: the states that it depends on (all of them where nothing is known), and the derivatives of an
  // affine one.
  struct Gap {
    std::vector<Index> states = {};
    bool is_known = false;
    bool is_affine = false;
    bool has_slopes = false;
    Sparse slopes = {};
    double by_time = 0;
  };

  void learn(const std::vector<Index>& contacts) const;
  // b, u, a and B of these contacts at a point. The result are the modes with the directions of slip that begins there.
  const ContactModes& prepare(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                              const std::vector<Index>& contacts) const;
  // The same with the directions that the modes hold.
  void prepare_as(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                  const std::vector<Index>& contacts, bool is_field_known = false) const;
  bool take_directions(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                       const std::vector<Index>& contacts, std::vector<Sparse>& columns) const;
  // ---- rows
  bool is_tangential(Index row) const { return row >= contacts(); }
  Index owner_of(Index row) const { return is_tangential(row) ? (row - contacts()) / 2 : row; }
  const Guard& function_of(Index row) const;
  // The rows of these contacts: their own, then those of the ones that stick. Valid until the next call.
  const std::vector<Index>& rows_of(const ContactModes& modes, const std::vector<Index>& contacts) const;
  void add_direction(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes, Index row,
                     VectorRef b) const;
  double coefficient_of(double t, ConstVectorRef x, Index contact) const;
  double ratio_of(double t, ConstVectorRef x, Index contact) const;
  Eigen::Vector2d slip_of(double t, ConstVectorRef x, Index contact) const;
  Eigen::Vector2d direction_of(double t, ConstVectorRef x, const ContactModes& modes, Index contact) const;
  bool has_cones(const std::vector<Index>& contacts) const;
  std::vector<Index> closed_under_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         const ContactModes& modes, const std::vector<Index>& touching) const;
  ContactModes settle_plane_frictions(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes modes,
                                      const std::vector<Index>& touching, double noise) const;
  bool plane_frictions_hold(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                            const std::vector<Index>& closed) const;
  void release_into_slip(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes& modes,
                         const std::vector<Index>& touching, const std::vector<Index>& resting) const;
  // z with `free` of the rows at hand and the least of each contact: impulses or forces of contacts with friction in a plane.
  ConeAnswer solve_cones_at_hand(double t, ConstVectorRef x, const ContactModes& modes,
                                 const std::vector<Index>& contacts, const Vector& free, const Vector& least,
                                 bool are_impulses) const;
  ConeAnswer impulses_in_planes(double t, ConstVectorRef x, const ContactModes& modes,
                                const std::vector<Index>& touching, Vector start,
                                const std::vector<double>& restitution) const;
  // Finds how fast the friction that would hold turns where slip begins.
  void find_lags(double t, ConstVectorRef x, ConstVectorRef lambda, ContactModes& modes,
                 const std::vector<Index>& closed) const;
  // The modes with the directions in which the slip of these contacts begins at a point: themselves where none does.
  const ContactModes& beginning_at(double t, ConstVectorRef x, ConstVectorRef lambda,
                                   const ContactModes& modes, const std::vector<Index>& contacts) const;
  // A copy in which these contacts stick.
  static ContactModes as_sticking(const ContactModes& modes, const std::vector<Index>& contacts);
  // The same of those among `contacts` that have friction in a plane.
  ContactModes with_planes_stuck(const ContactModes& modes, const std::vector<Index>& contacts) const;
  struct Held {
    Eigen::Vector2d force;
    bool is_within = false;
  };
  Held held_from_slip(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                      Index contact) const;
  void take_cone_forces(double t, ConstVectorRef x, const ContactModes& modes, double weight) const;
  [[noreturn]] void refuse_tangential(double t, Index row) const;
  Impact impact_of_part(double t, ConstVectorRef lambda, const std::vector<Index>& touching, bool elastic,
                        ContactModes& modes, VectorRef x) const;
  std::vector<std::vector<Index>> parts_of_impact(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                  const ContactModes& modes,
                                                  const std::vector<Index>& touching) const;
  [[noreturn]] void refuse_mixed_impact(double t, const std::vector<Index>& touching) const;
  static bool names_states(const Contact& contact);
  void refuse_unnamed_states(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                             const std::vector<Index>& contacts) const;
  [[noreturn]] void refuse_direction(double t, ConstVectorRef x, ConstVectorRef lambda, Index row) const;
  bool has_friction(const std::vector<Index>& contacts) const;
  // The velocities and effects of contacts in the normal direction and along friction, whatever λ is.
  struct Planes {
    Vector rates, slips;          // u, and s of those with friction
    Matrix normal, mixed;         // ∂u/∂x·b, ∂u/∂x·c
    Matrix tangential, slipping;  // ∂s/∂x·b, ∂s/∂x·c
    Vector coefficients;          // μ
    Matrix directions, along;     // b and c by columns
  };
  Planes planes(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& contacts) const;
  struct Impulses {
    Vector normal, along;
  };
  Impulses impulses_of_one(double t, const Planes& planes, double restitution, Index contact) const;
  // The impulses of several by relaxation, with P ≥ least; nothing where that does not settle.
  static std::optional<Impulses> impulses_by_relaxation(const Planes& planes, const Vector& rates,
                                                        const Vector& slips, const Vector& least);
  Impulses impulses_of_several(double t, const Planes& planes, const Vector& start,
                               const std::vector<Index>& touching) const;
  void split_least(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                   const std::vector<Index>& members, const std::vector<Index>& sliding,
                   ConstVectorRef added) const;
  const ContactModes& blend_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                   const ContactModes& modes) const;
  // ---- derivatives along a direction
  // Motion holds speeds of t, x and λ.
  struct Motion {
    double t = 0;
    Eigen::Ref<const Vector> x, lambda;  // of vectors of the caller
    double step = 0;                     // of differences
  };
  Motion motion_along(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                      ConstVectorRef lambda_dot) const;
  void add_forces_nearby(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                         const ForceTerms& terms, const Motion& motion, VectorRef dx_dot) const;
  void take_along(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                  const Vector& forces, double stabilisation) const;
  void find_turns(double t, ConstVectorRef x, const ContactModes& modes, const Motion& motion,
                  const std::vector<Index>& contacts) const;
  void add_turns_of_slip(double t, ConstVectorRef x, const ContactModes& modes, const Motion& motion,
                         const std::vector<Index>& contacts) const;
  Eigen::Vector2d slip_rate(double t, ConstVectorRef x, const Motion& motion, Index contact) const;
  // The result are the modes with the directions in which slip begins.
  ContactModes find_turns_of_begins(double t, ConstVectorRef x, ConstVectorRef lambda,
                                    const ContactModes& modes, const Motion& motion,
                                    const std::vector<Index>& contacts) const;
  bool differentiates_implicitly(const std::vector<Index>& contacts) const;
  void spill_unit(Index contact, double weight, VectorRef less, VectorRef sum) const;
  void add_rate_of(const ForceFunction& force, const ForceAlongFunction& along, double t, ConstVectorRef x,
                   const Motion& motion, Index contact, double weight, VectorRef sum) const;
  double rate_of(const CoefficientFunction& coefficient, const CoefficientAlongFunction& along, double t,
                 ConstVectorRef x, const Motion& motion) const;
  void add_direction_rate(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                          const Motion& motion, Index row, double force, VectorRef sum) const;
  void residual_rates(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                      const Motion& motion, Vector& rates) const;
  double third(double t, ConstVectorRef x, Index row, const Motion& motion) const;
  Vector forces_rate(const Vector& residual_rates) const;
  const Sparse& slopes(double t, ConstVectorRef x, Index contact) const;
  double gap_rate(double t, ConstVectorRef x, Index contact, ConstVectorRef dx) const;
  double gap_mixed(double t, ConstVectorRef x, Index contact, double t_dot, ConstVectorRef along,
                   ConstVectorRef mixed) const;
  double effect(Index i, Index j) const;
  void take_effects(const std::vector<Index>& rows, Matrix& block) const;
  Matrix effects(const std::vector<Index>& rows) const;
  void multiply(const Vector& impulses, Vector& result, bool absolute) const;
  void add_impulses(const Vector& impulses, VectorRef x) const;
  // States that the forces at hand act on and that have come to nothing but rounding of what they were in `before` become zero. It
  // returns whether there are any.
  bool clear_cancelled(ConstVectorRef before, VectorRef x) const;
  void solve() const;
  void solve_group(const std::vector<Index>& group) const;
  ComplementarityAnswer push(const Vector& right_side) const;
  void push_with_sticking(const std::vector<Index>& pushing, const std::vector<Index>& sticking,
                          const Vector& right_side, ComplementarityAnswer& answer) const;
  // The result is that of prepare().
  const ContactModes& solve_for_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                       const ContactModes& modes, double stabilisation,
                                       const std::vector<Index>& contacts) const;
  void residual(double t, ConstVectorRef x, ConstVectorRef lambda, const ContactModes& modes,
                const ForceTerms& terms, Vector& result) const;
  // right_side in units in which every unit force does the same, with what is rounding beside the largest entry as zero.
  void flush(VectorRef right_side) const;
  // Fills in what the pressed contacts of these rows at hand do to their gaps and to the states.
  void add_pushed(Pressed& pressed, const std::vector<Index>& rows) const;
  // is_noise() tells whether the gap of contact i is zero but for what rounding makes of terms within it that
  // cancel.
  bool is_noise(double t, ConstVectorRef x, Index i, double gap, ConstVectorRef weights) const;
  void stop(double t, VectorRef x, ConstVectorRef lambda, const ContactModes& modes,
            const std::vector<Index>& contacts) const;
  void move_by_gaps(const std::vector<Index>& contacts, const std::vector<Index>& rows,
                    ConstVectorRef weights, VectorRef x) const;
  // By their rows.
  std::string names(const std::vector<Index>& rows) const;

  // The rows at hand, in their order: b by columns, u, a and B; then the solution of B·solution = right_side.
  struct AtHand {
    std::vector<Index> contacts = {};
    bool are_known = false;
    std::vector<Sparse> directions = {};
    Pattern coupling = {};  // of B
    CompressedColumns coupling_columns = {};
    std::vector<std::vector<Index>> groups = {};  // of contacts that B connects
    Vector effects = {};                          // B along the rows of its pattern
    Vector rates = {}, accelerations = {}, right_side = {}, solution = {};
  };
  // Far serves Jacobians.
  struct Far {
    ContactPatterns patterns = {};
    bool has_patterns = false;
    Vector typical_sizes = {};
  };
  // Split lists the closed contacts that are far and those that are local, and the pattern of ∂r/∂x of the far ones.
  struct Split {
    std::vector<Index> of = {};  // closed contacts
    std::vector<Index> closed = {}, local_closed = {};
    CompressedColumns columns = {};
    bool columns_known = false;
  };
  const Split& split(const ContactModes& modes) const;
  // Along serves derivatives along directions, of which many are taken at one point: Λ, f, F = f + bΛ and f_t + f_x F there, and then
  // what a direction makes of b, of F and of those.
  struct Along {
    std::size_t preparation = 0;
    std::vector<PlaneFriction> frictions = {};
    double t = 0, stabilisation = 0;
    Vector x, lambda, forces, field, total, acceleration;
    Vector above, below, change;  // x some steps along the direction; d(bΛ)/ds
    Vector value, directions_rate, field_rate, total_rate, acceleration_rate, scratch, residual_rates;
    std::vector<Eigen::Vector2d> turns;  // of the directions of slip, per contact
    bool is_known = false;
  };
  // Buffers serve one function at a time.
  struct Buffers {
    Vector field, along, acceleration, value, unit, gaps, original, all_forces, impulse;
    Vector all_friction, second_friction, friction_unit;
    std::vector<Index> rows;
    std::vector<Sparse> far_directions;
    ContactModes as_sticking, beginning;
    Matrix block;
    Vector block_right, block_solution;
    Eigen::PartialPivLU<Matrix> factors;
  };

  std::vector<Contact> definition_;
  std::vector<Index> cones_;
  Pattern reached_by_;  // of each state, those whose velocities it enters; empty where not known
  Far far_;
  // The members below are found again at every point, or learned once.
  mutable Evaluator evaluator_;
  mutable std::vector<Gap> gaps_of_;                  // of each row
  mutable std::vector<std::vector<Index>> acted_on_;  // the states that b of each contact has entered so far
  mutable AtHand at_hand_;
  mutable std::size_t preparations_ = 0;
  mutable Along along_;
  mutable Split split_;
  mutable Buffers buffers_;
};

// The contacts of a location, how they are in the regime that is followed, and what its integrator adds to their forces; null where there
// are none. The regime is the run's own: what refers to it sees it change.
struct ContactsInForce {
  std::shared_ptr<ContactDynamics> dynamics = nullptr;
  const ContactModes* modes = nullptr;
  std::shared_ptr<ForceTerms> terms = nullptr;
  explicit operator bool() const { return dynamics != nullptr; }
  ContactDynamics* operator->() const { return dynamics.get(); }
};

// The system with the forces of the contacts in force added to its field; its events and contacts stay. The dynamics must be those of
// `system`, and the modes must outlive the result.
System with_contact_forces(const System& system, const ContactsInForce& contacts);

}  // namespace slideway
