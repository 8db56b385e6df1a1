#include "simulate/run_state.hpp"

#include "simulate/run_shared.hpp"

namespace slideway {

RunState::RunState(const Automaton& automaton,
                   const std::vector<std::shared_ptr<const RelayStructure>>& structures,
                   const Options& options_of_run, const Run& run_of_state)
    : t(run_of_state.start),
      x(run_of_state.state),
      regime(automaton.system().contacts()),
      options(options_of_run),
      run(run_of_state),
      tools(automaton, structures, options_of_run, run_of_state.end - run_of_state.start, regime.contacts),
      agenda{.schedule = TimeSchedule(automaton.system().time_events(), run_of_state.pending,
                                      run_of_state.start, run_of_state.mode.has_value())},
      weights(Vector::Ones(x.size())),
      errors(options.atol.expand(x.size(), options.rtol), options.rtol, x) {}

std::string RunState::surface_name(Index surface) const {
  const Index surfaces = here->system.surfaces();
  if (surface >= surfaces) {
    const ContactDynamics& contacts = *here->contacts;
    const Index cone = surface - surfaces - contacts.contacts();
    if (cone < 0) return contacts.contact(surface - surfaces).name;
    return "slip of " + contacts.contact(contacts.cones()[static_cast<std::size_t>(cone)]).name;
  }
  return here->system.surface_names()[static_cast<std::size_t>(surface)];
}

std::string RunState::names(std::span<const Index> surfaces) const {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(surfaces.size(), most); ++k) {
    text += (k == 0 ? "'" : ", '") + surface_name(surfaces[k]) + "'";
  }
  if (surfaces.size() > most) text += " and " + std::to_string(surfaces.size() - most) + " more";
  return text;
}

EventRecord RunState::begun(EventKind kind) const {
  EventRecord record;
  record.t = t;
  record.kind = kind;
  record.from = word();
  record.before = x;
  return record;
}

void RunState::end(EventRecord& record) const {
  record.t = t;
  record.to = word();
  record.after = x;
}

void RunState::list(Index surface, EventRecord& record) const {
  record.surfaces.push_back(surface);
  record.surface_names.push_back(surface_name(surface));
  for (ShortList<double>* values : {&record.w_minus, &record.w_plus, &record.lambda})
    values->push_back(kNotANumber);
}

Mode RunState::as_shown(const Mode& own) const {
  Mode shown = here->contacts ? here->contacts->with_closed(own, regime.contacts) : own;
  for (const SecondOrder::Bound& one : bound()) shown.set(one.surface, side_with(one, shown));
  return shown;
}

ModeOde& RunState::asked() const { return asked_in(regime); }

ModeOde& RunState::asked_in(const Regime& other) const {
  ModeOde& ode = here->asked_in(other);
  ode.hold(agenda.states_held());
  return ode;
}

void RunState::project_state() {
  ModeOde& ode = here->ode;
  if (!ode.constrained()) return;
  ode.project(t, weights, x);
  if (ode.slides()) errors.see_drift(ode.projection_residual());
}

// The word as the log shows it.
Mode RunState::word() const {
  Mode shown = as_shown(regime.mode());
  for (const AccumulationLimit& limit : agenda.limits) {
    for (const Index i : limit.members) {
      if (i < shown.size() && shown.slides_on(i)) shown.set(i, limit.members_as_shown[i]);
    }
  }
  return shown;
}

std::span<const SecondOrder::Bound> RunState::bound() const { return here->bound(); }

bool RunState::drifts() const {
  return stepper == here->stepper.get() && !here->can_project && here->ode.constrained();
}

bool RunState::dense_output_drifts() const {
  return drifts() || (here->ode.has_closed_contacts() && !here->contacts->closed_are_affine(regime.contacts));
}

}  // namespace slideway
