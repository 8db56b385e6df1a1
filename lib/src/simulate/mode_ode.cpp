#include "simulate/mode_ode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "filippov/side_loops.hpp"
#include "simulate/precision.hpp"
#include "slideway/core/finite.hpp"
#include "slideway/detail/model/explained_field.hpp"

namespace slideway {

namespace {

struct GuardsOnSides {
  template <class Numbers>
  [[gnu::always_inline]] void operator()(const Numbers& side, const Numbers& h, Numbers& first,
                                         Numbers& second) const {
    first = side * h;
    second = Numbers{} + 1.0;
  }
};

// visit(j) is called for the states that a sliding surface fixes: h = c·xⱼ + d with d of discrete states. Their derivatives are 0 to
// the bit, which λ, that rounding leaves beside its root, would not make them.
template <class Visit>
void for_fixed_states(const Evaluator& evaluator, const std::vector<Index>& sliding, const Visit& visit) {
  if (sliding.empty() || !evaluator.guards_are_affine()) return;
  const auto& slopes = evaluator.affine_dx();
  const Index moving = evaluator.system().states() - evaluator.system().discrete();
  for (const Index i : sliding) {
    Index fixed = -1;
    bool is_alone = evaluator.affine_dt()[i] == 0;
    for (int k = slopes.outerIndexPtr()[i]; is_alone && k < slopes.outerIndexPtr()[i + 1]; ++k) {
      if (slopes.valuePtr()[k] == 0 || slopes.innerIndexPtr()[k] >= moving) continue;
      is_alone = fixed < 0;
      fixed = slopes.innerIndexPtr()[k];
    }
    if (is_alone && fixed >= 0) visit(fixed);
  }
}

// Both components of the only surface, where its relay acts alike everywhere (ModeField::tell_directly): one call of the field tells
// them, to the bits of ModeField::neighbours(). False where that is not known, or where they are not finite.
bool find_components(ModeField& field, double t, ConstVectorRef x, Vector& dx, double& w_minus,
                     double& w_plus) {
  DirectVelocity direct;
  if (field.sliding().empty() || !field.tell_directly(direct)) return false;
  dx.resize(x.size());
  try {
    ++*direct.calls;
    (*direct.function)(t, x, *direct.parameters, dx);
  } catch (...) {
    // Whoever asks closely comes to the same obstacle.
    return false;
  }
  w_minus = direct.rate_across(dx.data());
  direct.cross(dx.data());
  w_plus = direct.rate_across(dx.data());
  return std::isfinite(w_minus) && std::isfinite(w_plus);
}

}  // namespace

ModeOde::ModeOde(Evaluator& evaluator, const RelayStructure& structure, ContactsInForce contacts,
                 const EventWatch* watch, const GuardTable* table)
    : evaluator_(evaluator),
      structure_(structure),
      field_(evaluator, structure),
      geometry_(evaluator, structure),
      contacts_(std::move(contacts)),
      watch_(watch),
      table_(table),
      stages_(std::max<Index>(2, evaluator.system().surfaces())),
      samples_(guards()) {
  h_ = Vector::Zero(evaluator.system().surfaces());
  lambda_ = Vector::Zero(evaluator.system().surfaces());
  reach_.above = reach_.below = Vector::Ones(evaluator.system().surfaces());
}

Index ModeOde::states() const { return evaluator_.system().states(); }
Index ModeOde::guards() const {
  return 2 * evaluator_.system().surfaces() + (contacts_ ? contacts_->contacts() : 0) +
         2 * plane_frictions() + (watch_ ? watch_->size() : 0);
}

void ModeOde::begin(const Mode& mode, ConstVectorRef lambda, bool repelling) {
  field_.begin(mode, lambda);
  if (contacts_) contacts_.terms->rate = 0;
  sigma_ = repelling ? -1 : 1;
  watches_stages_ = false;
  velocity_t_ = std::numeric_limits<double>::quiet_NaN();
  without_value_.clear();
  forget_samples();
}

bool ModeOde::effects_hold(ConstVectorRef values) const {
  const std::vector<Index>& sliding = field_.sliding();
  return std::all_of(sliding.begin(), sliding.end(), [&](Index i) {
    return 0.5 * (values[first_slot(i)] + values[first_slot(i) + 1]) >= kMuchEffect;
  });
}

void ModeOde::stabilise(double rate, double t, ConstVectorRef x, ConstVectorRef weights) {
  if (slides()) field_.stabilise(rate, weights);
  if (!has_closed_contacts()) return;
  field_.mode().fill_lambda(lambda_);
  contacts_.terms->rate = contacts_->limited_rate(rate, t, x, lambda_, *contacts_.modes, weights);
}

void ModeOde::velocity(double t, ConstVectorRef x, VectorRef dx) {
  field_.velocity(t, x, std::move(dx));
  for (const Index j : held_states_) dx[j] = 0;
  for_fixed_states(evaluator_, field_.sliding(), [&](Index j) { dx[j] = 0; });
  velocity_t_ = t;
  if (watches_stages_) note_stage(t);
}

void ModeOde::quick_velocity(double t, ConstVectorRef x, VectorRef dx) {
  // Told beforehand, so that nothing is kept over the call; only what slides is watched.
  if (!held_states_.empty()) {
    velocity(t, x, dx);
    return;
  }
  if (!slides() || !watches_stages_) {
    field_.quick_velocity(t, x, dx);
    for_fixed_states(evaluator_, field_.sliding(), [&](Index j) { dx[j] = 0; });
    return;
  }
  field_.quick_velocity(t, x, dx);
  for_fixed_states(evaluator_, field_.sliding(), [&](Index j) { dx[j] = 0; });
  note_stage(t);
}

// quick_velocity() without what its layers ask every time: held states, stages, and how sliding is solved for.
bool ModeOde::tell_directly(DirectVelocity& direct) {
  if (!held_states_.empty() || !field_.tell_directly(direct)) return false;
  if (!direct.is_confined) return true;
  int fixed = 0;
  direct.fixed = -1;
  for_fixed_states(evaluator_, field_.sliding(), [&](Index j) {
    direct.fixed = j;
    ++fixed;
  });
  direct.sink = watches_stages_ ? this : nullptr;
  return fixed <= 1;
}

void ModeOde::note_components(double t, double w_minus, double w_plus) {
  stages_.add(t, [&](Index k) { return sigma_ * (k == 0 ? w_minus : -w_plus); });
}

double ModeOde::decay_rate(double t, ConstVectorRef x) {
  if (plane_frictions() == 0 || !contacts_->slips_in_plane(*contacts_.modes)) return 0;
  field_.mode().fill_lambda(lambda_);
  if (slides()) {
    const Vector& solved = field_.lambda(t, x);
    for (const Index i : field_.sliding()) lambda_[i] = solved[i];
  }
  return contacts_->slip_decay(t, x, lambda_, *contacts_.modes);
}

// watch_stages() watches both components of a single surface: they vanish together in a two-fold, and λ need not
// leave (−1, 1).
void ModeOde::watch_stages() {
  const std::vector<Index>& sliding = field_.sliding();
  watches_stages_ = velocity_knows_exits();
  if (field_.solves_for_lambda()) {
    stages_.start(static_cast<Index>(sliding.size()), 2);
  } else {
    stages_.start(2, std::numeric_limits<double>::infinity());
  }
}

void ModeOde::note_stage(double t) {
  const std::vector<Index>& sliding = field_.sliding();
  if (field_.solves_for_lambda()) {
    const Vector& lambda = field_.last_lambda();
    stages_.add(t, [&](Index k) { return 1 + lambda[sliding[static_cast<std::size_t>(k)]]; });
  } else {
    stages_.add(t,
                [&](Index k) { return sigma_ * (k == 0 ? field_.last_w_minus() : -field_.last_w_plus()); });
  }
}

bool ModeOde::slides_on_until(double t) const { return watches_stages_ && stages_.stay_until(t); }

bool ModeOde::stops_once_until(double t, ConstVectorRef values) const {
  if (!watches_stages_) return false;
  const std::vector<Index>& sliding = field_.sliding();
  return stages_.leave_once_until(t, [&](Index k) {
    return field_.solves_for_lambda() ? values[first_slot(sliding[static_cast<std::size_t>(k)])]
                                      : values[first_slot(sliding.front()) + k];
  });
}

bool ModeOde::exits_at_stage(double t, VectorRef values) const {
  const Index stage = stages_.stage_at(t);
  if (stage < 0) return false;
  const std::vector<Index>& sliding = field_.sliding();
  if (!field_.solves_for_lambda()) {
    for (const Index k : {0, 1}) values[first_slot(sliding.front()) + k] = stages_.value(stage, k);
    return true;
  }
  Index k = 0;
  for (const Index i : sliding) {
    const double above = stages_.value(stage, k++);
    values[first_slot(i)] = above;
    values[first_slot(i) + 1] = 2 - above;
  }
  return true;
}

ModeJacobian* ModeOde::sparse() {
  if (!ModeJacobian::available(evaluator_.system())) return nullptr;
  if (!sparse_) sparse_.emplace(field_, evaluator_, structure_, contacts_);
  return &*sparse_;
}

const Pattern* ModeOde::jacobian_pattern() {
  const ModeJacobian* const jacobian = sparse();
  return jacobian ? &jacobian->pattern() : nullptr;
}

void ModeOde::jacobian(double t, ConstVectorRef x, ConstVectorRef, MatrixRef jacobian) {
  ModeJacobian* const with_contacts = contacts_ ? sparse() : nullptr;
  if (with_contacts) {
    // The patterns of a system with contacts do not tell all that their forces depend on.
    with_contacts->compute(t, x, split_);
    fill(split_, with_contacts->pattern(), jacobian);
  } else {
    field_.jacobian(t, x, jacobian);
  }
  for (const Index j : held_states_) jacobian.row(j).setZero();
  for_fixed_states(evaluator_, field_.sliding(), [&](Index j) { jacobian.row(j).setZero(); });
}

void ModeOde::split_jacobian(double t, ConstVectorRef x, ConstVectorRef, SplitJacobian& jacobian) {
  sparse()->compute(t, x, jacobian);
  std::vector<Index> constant = held_states_;
  for_fixed_states(evaluator_, field_.sliding(), [&](Index j) { constant.push_back(j); });
  if (constant.empty()) return;
  std::sort(constant.begin(), constant.end());
  const Pattern& pattern = sparse()->pattern();
  for (const Index j : constant) {
    const auto row = static_cast<std::size_t>(j);
    jacobian.values.segment(pattern.start[row], pattern.start[row + 1] - pattern.start[row]).setZero();
    if (jacobian.left.cols() > 0) jacobian.left.row(j).setZero();
  }
  for (Index k = 0; k < jacobian.border_columns.outerSize(); ++k) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(jacobian.border_columns, k); entry; ++entry) {
      if (std::binary_search(constant.begin(), constant.end(), entry.row())) entry.valueRef() = 0;
    }
  }
}

void ModeOde::jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction, VectorRef product) {
  field_.jacobian_times(t, x, direction, product);
  for (const Index j : held_states_) product[j] = 0;
  for_fixed_states(evaluator_, field_.sliding(), [&](Index j) { product[j] = 0; });
}

void ModeOde::prepare_preconditioner(double t, ConstVectorRef x, double gamma) {
  const Mode mode = contacts_ ? contacts_->with_closed(field_.mode(), *contacts_.modes) : field_.mode();
  preconditioner_->setup({t, x, mode, location_, gamma});
}

void ModeOde::project(double t, ConstVectorRef weights, VectorRef x) {
  const auto put_on_surfaces = [&] {
    if (!slides()) return;
    project_onto_surfaces(t, weights, x);
    for (int turn = 0; kept_.geometry && turn < 2; ++turn) {
      kept_.geometry->project(t, kept_.surfaces, weights, x);
      project_onto_surfaces(t, weights, x);
    }
  };
  if (!has_closed_contacts()) {
    put_on_surfaces();
    return;
  }
  // The two constraints disturb each other where a contact's impulse moves a sliding surface; a few turns settle that.
  for (int turn = 0; turn < (slides() ? 3 : 1); ++turn) {
    put_on_surfaces();
    field_.mode().fill_lambda(lambda_);
    if (!contacts_->project(t, contacts_.modes->closed, lambda_, *contacts_.modes, weights, x)) {
      throw std::runtime_error("the state cannot be projected onto the closed contacts at t = " +
                               number_text(t));
    }
  }
}

void ModeOde::project_onto_surfaces(double t, ConstVectorRef weights, VectorRef x) {
  if (geometry_.project(t, field_.sliding(), weights, x)) return;
  // Newton's steps may go too far where one has a cusp: each by itself gets nearer in shorter ones.
  Vector nearer = x;
  for (const Index i : field_.sliding()) geometry_.approach(t, i, weights, nearer);
  if (geometry_.project(t, field_.sliding(), weights, nearer)) {
    x = nearer;
    return;
  }
  std::string names;
  for (const Index i : field_.sliding()) {
    names += (names.empty() ? "'" : ", '") +
             evaluator_.system().surface_names()[static_cast<std::size_t>(i)] + "'";
    if (names.size() > 200) break;
  }
  throw std::runtime_error("the state cannot be projected onto " + names + " = 0 at t = " + number_text(t));
}

double ModeOde::event_value(double t, ConstVectorRef x, Index event) const {
  const auto name = [&] {
    const std::string& given = (*watch_)[event].name;
    return "the guard of " + (given.empty() ? "an event" : "event '" + given + "'") +
           ", at t = " + number_text(t) + ",";
  };
  return named_call(name, [&] { return table_->side(event) * (*watch_)[event].when.value(t, x); });
}

void ModeOde::exit_guards(double t, ConstVectorRef x, VectorRef values) {
  evaluate_guards(t, x, false, values);
}

void ModeOde::evaluate_guards(double t, ConstVectorRef x, bool is_sample, VectorRef values) {
  fill_guards(t, x, is_sample, values);
  if (!all_finite(values) && !stands_in(t, x, values)) throw_not_finite(t, values);
}

bool ModeOde::velocity_knows_exits() const {
  return slides() && !evaluator_.breaks_away() && !field_.uses_moments() &&
         field_.solves_for_lambda() == (field_.sliding().size() > 1);
}

// CVODE asks for the root functions after each step, and some ten times more at a root: a guard that takes a system to be solved is
// left to the certified scan.
void ModeOde::root_values(double t, ConstVectorRef x, VectorRef values) {
  const Index surfaces = h_.size();
  for (Index i = unwatched_roots_ ? surfaces : 0; i < values.size(); ++i) values[i] = 1;
  if (!unwatched_roots_) return;
  const Mode& mode = field_.mode();
  const std::vector<Index>& sliding = field_.sliding();
  if (surfaces > static_cast<Index>(sliding.size())) evaluator_.guards(t, x, h_);
  for (Index i = 0; i < surfaces; ++i) values[i] = mode.slides_on(i) ? 1 : number_of(mode.codes()[i]) * h_[i];
  if (sliding.size() == 1 && velocity_knows_exits()) {
    double w_minus = field_.last_w_minus();
    double w_plus = field_.last_w_plus();
    if (t != velocity_t_) {
      const NeighbourFields& fields = field_.neighbours(t, x, sliding.front());
      w_minus = fields.w_minus;
      w_plus = fields.w_plus;
      velocity_t_ = std::numeric_limits<double>::quiet_NaN();
    }
    values[sliding.front()] = std::min(sigma_ * w_minus, -sigma_ * w_plus);
  }
  if (contacts_) {
    for (Index c = 0; c < contacts_->contacts(); ++c) {
      if (!contacts_.modes->is_closed(c)) values[root_function(contact_slot(c))] = contacts_->gap(t, x, c);
    }
  }
  if (watch_) {
    for (Index e = 0; e < watch_->size(); ++e) values[root_function(event_slot(e))] = event_value(t, x, e);
  }
  for (const Index function : *unwatched_roots_) values[function] = 1;
}

void ModeOde::fill_guards(double t, ConstVectorRef x, bool is_sample, VectorRef values) {
  velocity_t_ = std::numeric_limits<double>::quiet_NaN();
  const Mode& mode = field_.mode();
  const std::vector<Index>& sliding = field_.sliding();
  if (mode.size() > static_cast<Index>(sliding.size())) {
    named_call([t] { return "the function of the guards, at t = " + number_text(t) + ","; },
               [&] { evaluator_.guards(t, x, h_); });
  }
  run_over_sides(ForSlotsOfSides<GuardsOnSides>(), mode, h_.data(), values.data());
  const bool breaks_away = !sliding.empty() && evaluator_.breaks_away();
  if (breaks_away) evaluator_.break_away(t, x, reach_.above, reach_.below);
  // Takes the poles of λ away from the forces of closed contacts, which depend on λ; 1 where sliding begins.
  double without_poles = 1;
  if (sliding.size() == 1) {
    const Index i = sliding.front();
    const NeighbourFields& fields = field_.neighbours(t, x, i);
    double w_minus = fields.w_minus;
    double w_plus = fields.w_plus;
    const double size = std::abs(w_minus) + std::abs(w_plus);
    if (size > 0) without_poles = sigma_ * (w_minus - w_plus) / size;
    if (breaks_away) {
      const double middle = 0.5 * (w_minus + w_plus);
      const double reach = 0.5 * (w_plus - w_minus);
      w_minus = middle - reach_.below[i] * reach;
      w_plus = middle + reach_.above[i] * reach;
    }
    values[2 * i] = sigma_ * w_minus;
    values[2 * i + 1] = -sigma_ * w_plus;
  } else if (!sliding.empty()) {
    const ModeField::Exits exits = field_.exits(t, x, is_sample);
    for (std::size_t k = 0; k < sliding.size(); ++k) {
      const Index i = sliding[k];
      const double ratio = exits.ratio[static_cast<Index>(k)];
      const double product = exits.product[static_cast<Index>(k)];
      values[2 * i] = ratio + product / (breaks_away ? reach_.below[i] : 1);
      values[2 * i + 1] = ratio - product / (breaks_away ? reach_.above[i] : 1);
      if (std::abs(ratio) < std::abs(without_poles)) without_poles = ratio;
    }
  }
  if (contacts_) {
    const ContactModes* modes = contacts_.modes;
    if (!modes->closed.empty()) {
      mode.fill_lambda(lambda_);
      if (slides()) {
        const Vector& solved = field_.lambda(t, x);
        for (const Index i : sliding) lambda_[i] = solved[i];
      }
      const ContactDynamics::Forces forces = contacts_->forces(t, x, lambda_, *modes);
      for (const Index c : modes->closed) values[contact_slot(c)] = without_poles * forces.normal[c];
      modes = &forces.modes;
    }
    for (Index c = 0, next = 0; c < contacts_->contacts(); ++c) {
      const auto& closed = contacts_.modes->closed;
      if (next < static_cast<Index>(closed.size()) && closed[static_cast<std::size_t>(next)] == c) {
        ++next;
      } else {
        values[contact_slot(c)] = contacts_->gap(t, x, c);
      }
    }
    for (Index k = 0; k < plane_frictions(); ++k) {
      const Index c = contacts_->cones()[static_cast<std::size_t>(k)];
      const bool is_closed = contacts_.modes->is_closed(c);
      values[stick_slip_slot(k)] =
          is_closed ? without_poles * contacts_->stick_slip_guard(t, x, *modes, c).value : 1;
      values[begin_slot(k)] = is_closed ? contacts_->begin_guard(t, x, *modes, c) : 1;
    }
  }
  if (watch_) {
    for (Index e = 0; e < watch_->size(); ++e) values[event_slot(e)] = event_value(t, x, e);
  }
}

// stands_in() gives a number to every guard that has none and whose relay has no effect: such a guard stays on its
// side. It returns false where a relay has an effect.
bool ModeOde::stands_in(double t, ConstVectorRef x, VectorRef values) {
  if (!all_finite(values.tail(values.size() - contact_slot(0)))) return false;
  for (Index i = 0; i < field_.mode().size(); ++i) {
    const Index slot = first_slot(i);
    if (std::isfinite(values[slot]) && std::isfinite(values[slot + 1])) continue;
    if (field_.mode().slides_on(i) || has_effect(t, x, i)) return false;
    values[slot] = 1;
    const auto place = std::lower_bound(without_value_.begin(), without_value_.end(), i);
    if (place == without_value_.end() || *place != i) without_value_.insert(place, i);
  }
  return true;
}

bool ModeOde::has_effect(double t, ConstVectorRef x, Index surface) {
  field_.mode().fill_lambda(lambda_);
  for (const Index i : field_.sliding()) lambda_[i] = 0;
  const auto* const field = evaluator_.system().definition().field.target<ExplainedField>();
  if (field && field->has_branches() && !field->is_in_force(lambda_, surface)) return false;
  // A surface whose relay has none anywhere is there for its guard.
  const std::optional<Pattern>& relays = evaluator_.system().definition().field_dlambda_pattern;
  if (relays && std::find(relays->column.begin(), relays->column.end(), surface) == relays->column.end())
    return true;
  field_.mode().fill_lambda(lambda_);
  dx_.resize(x.size());
  one_side_.resize(x.size());
  try {
    // A relay may come to its bound while it slides, and with it a branch out of force.
    if (slides()) {
      const Vector& solved = field_.lambda(t, x);
      for (const Index i : field_.sliding()) lambda_[i] = std::clamp(solved[i], -1.0, 1.0);
    }
    lambda_[surface] = -1;
    evaluator_.field(t, x, lambda_, dx_);
    lambda_[surface] = 1;
    evaluator_.field(t, x, lambda_, one_side_);
  } catch (const std::exception&) {
    return true;
  }
  return !all_finite(dx_) || dx_ != one_side_;
}

void ModeOde::throw_not_finite(double t, ConstVectorRef values) const {
  Index slot = 0;
  while (std::isfinite(values[slot])) ++slot;
  throw_not_finite(t, slot, values[slot]);
}

void ModeOde::throw_not_finite(double t, Index slot, double value) const {
  const Mode& mode = field_.mode();
  std::string what;
  if (slot < contact_slot(0)) {
    const Index i = slot / 2;
    what = std::string(mode.slides_on(i) ? "a normal component of" : "the guard of") + " surface '" +
           evaluator_.system().surface_names()[static_cast<std::size_t>(i)] + "'";
  } else if (slot >= stick_slip_slot(0) && slot < event_slot(0)) {
    const Index c = contacts_->cones()[static_cast<std::size_t>((slot - stick_slip_slot(0)) / 2)];
    what = "the slip or friction of contact '" + contacts_->contact(c).name + "'";
  } else if (slot < event_slot(0)) {
    what = "the gap or force of contact '" + contacts_->contact(slot - contact_slot(0)).name + "'";
  } else {
    const std::string& name = (*watch_)[slot - event_slot(0)].name;
    what = name.empty() ? "the guard of an event" : "the guard of event '" + name + "'";
  }
  throw std::runtime_error(what + " is not finite (" + number_text(value) + ") at t = " + number_text(t) +
                           in_mode_text(mode));
}

// Most samples are of the exits of the only surface, where it slides.
void ModeOde::sample(double t, ConstVectorRef x, VectorRef values) {
  if (recall(t, values)) return;
  double w_minus = 0, w_plus = 0;
  const bool has_only_surface = h_.size() == 1 && values.size() == 2;
  if (has_only_surface && !evaluator_.breaks_away() && find_components(field_, t, x, dx_, w_minus, w_plus)) {
    values << sigma_ * w_minus, -sigma_ * w_plus;
  } else {
    evaluate_guards(t, x, true, values);
  }
  samples_.remember(t, values);
}

double ModeOde::sample_event(double t, ConstVectorRef x, Index slot) const {
  const double value = event_value(t, x, slot - event_slot(0));
  if (!std::isfinite(value)) throw_not_finite(t, slot, value);
  return value;
}

}  // namespace slideway
