#include "slideway/detail/model/restricted_system.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/at.hpp"

namespace slideway {

namespace {

// The number of each entry of `some` in `all`, −1 where it is not there. `all` increases.
std::vector<Index> places_in(const std::vector<Index>& all, const std::vector<Index>& some) {
  std::vector<Index> places;
  places.reserve(some.size());
  for (const Index one : some) {
    const auto found = std::lower_bound(all.begin(), all.end(), one);
    places.push_back(found != all.end() && *found == one ? found - all.begin() : -1);
  }
  return places;
}

// The rows `rows` of a pattern, with the columns `columns` alone, numbered among themselves.
Pattern part_of(const Pattern& whole, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  Pattern part;
  part.rows = static_cast<Index>(rows.size());
  part.columns = static_cast<Index>(columns.size());
  part.start.reserve(rows.size() + 1);
  for (const Index row : rows) {
    for (Index k = whole.start[at(row)]; k < whole.start[at(row) + 1]; ++k) {
      const Index column = whole.column[at(k)];
      const auto found = std::lower_bound(columns.begin(), columns.end(), column);
      if (found != columns.end() && *found == column) part.column.push_back(found - columns.begin());
    }
    part.start.push_back(part.entries());
  }
  return part;
}

// The part and the arguments of the whole at which it is evaluated. One evaluation at a time.
class Part {
 public:
  Part(const System& system, const ChooseRows& rows, Restriction restriction,
       std::shared_ptr<WholeArguments> whole)
      : system_(system),
        restriction_(std::move(restriction)),
        whole_(std::move(whole)),
        rows_(rows(restriction_.states, restriction_.surfaces)),
        value_(Vector::Zero(count(restriction_.known.states))),
        rate_(value_),
        curvature_(value_) {
    for (std::size_t k = 0; k < restriction_.frozen.size(); ++k)
      whole_->lambda[restriction_.frozen[k]] = restriction_.frozen_lambda[k];
  }

  const SystemRows& rows() const { return *rows_; }
  WholeArguments& whole() const { return *whole_; }
  const System& system() const { return system_; }
  const Restriction& restriction() const { return restriction_; }

  void load(double t, const double* x) {
    find_known(t);
    scatter(restriction_.states, x, whole_->x);
    scatter(restriction_.known.states, value_.data(), whole_->x);
  }
  // With the states known as they were.
  void load_again(const double* x) {
    scatter(restriction_.states, x, whole_->x);
    scatter(restriction_.known.states, value_.data(), whole_->x);
  }
  void load_lambda(const double* lambda) const { scatter(restriction_.surfaces, lambda, whole_->lambda); }
  // λ that is frozen does not vary.
  void load_lambda_dot(const double* lambda_dot) const {
    scatter(restriction_.surfaces, lambda_dot, whole_->lambda_dot);
    for (const Index i : restriction_.frozen) whole_->lambda_dot[i] = 0;
  }
  // load_rate() must follow load(t, …).
  void load_rate(double t_dot, const double* x_dot, Vector& of_whole) const {
    scatter(restriction_.states, x_dot, of_whole);
    for (std::size_t k = 0; k < restriction_.known.states.size(); ++k)
      of_whole[restriction_.known.states[k]] = t_dot * rate_[static_cast<Index>(k)];
  }
  void load_mixed(double t_first, double t_second, const double* x_mixed) const {
    scatter(restriction_.states, x_mixed, whole_->x_mixed);
    for (std::size_t k = 0; k < restriction_.known.states.size(); ++k)
      whole_->x_mixed[restriction_.known.states[k]] = t_first * t_second * curvature_[static_cast<Index>(k)];
  }

  bool is_kept(Index state) const {
    return std::binary_search(restriction_.states.begin(), restriction_.states.end(), state);
  }

 private:
  static Index count(const std::vector<Index>& list) { return static_cast<Index>(list.size()); }
  static void scatter(const std::vector<Index>& places, const double* values, Vector& of_whole) {
    for (const Index place : places) of_whole[place] = *values++;
  }

  void find_known(double t) {
    if (t == known_t_) return;
    known_t_ = t;
    const KnownStates& known = restriction_.known;
    const double s = (t - known.center) / known.scale;
    const Index terms = known.coefficients.cols();
    for (Index j = 0; j < value_.size(); ++j) {
      double value = 0;
      double rate = 0;
      double half_curvature = 0;
      for (Index k = terms - 1; k >= 0; --k) {
        half_curvature = half_curvature * s + rate;
        rate = rate * s + value;
        value = value * s + known.coefficients(j, k);
      }
      value_[j] = value;
      rate_[j] = rate / known.scale;
      curvature_[j] = 2 * half_curvature / (known.scale * known.scale);
    }
  }

  System system_;
  Restriction restriction_;
  std::shared_ptr<WholeArguments> whole_;
  std::shared_ptr<const SystemRows> rows_;
  double known_t_ = std::numeric_limits<double>::quiet_NaN();
  Vector value_, rate_, curvature_;  // of the states known, at known_t_
};

void add_field(const std::shared_ptr<Part>& part, SystemDefinition& definition) {
  definition.field = [part](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    part->load(t, x.data());
    part->load_lambda(lambda.data());
    const WholeArguments& whole = part->whole();
    part->rows().field(t, whole.x.data(), whole.lambda.data(), dx.data());
  };
  definition.field_along = [part](double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot,
                                  ConstVectorRef x_dot, ConstVectorRef lambda_dot, VectorRef dx,
                                  VectorRef dx_dot) {
    WholeArguments& whole = part->whole();
    part->load(t, x.data());
    part->load_lambda(lambda.data());
    part->load_rate(t_dot, x_dot.data(), whole.x_first);
    part->load_lambda_dot(lambda_dot.data());
    part->rows().field_along(t, whole.x.data(), whole.lambda.data(), t_dot, whole.x_first.data(),
                             whole.lambda_dot.data(), dx.data(), dx_dot.data());
  };
}

void add_guards(const std::shared_ptr<Part>& part, SystemDefinition& definition) {
  definition.guards = [part](double t, ConstVectorRef x, VectorRef h) {
    part->load(t, x.data());
    part->rows().guards(t, part->whole().x.data(), h.data());
  };
  definition.guards_along = [part](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                   VectorRef h, VectorRef h_dot) {
    WholeArguments& whole = part->whole();
    part->load(t, x.data());
    part->load_rate(t_dot, x_dot.data(), whole.x_first);
    part->rows().guards_along(t, whole.x.data(), t_dot, whole.x_first.data(), h.data(), h_dot.data());
  };
  definition.guards_mixed = [part](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                   double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                   VectorRef h_mixed) {
    WholeArguments& whole = part->whole();
    part->load(t, x.data());
    part->load_rate(t_first, x_first.data(), whole.x_first);
    part->load_rate(t_second, x_second.data(), whole.x_second);
    part->load_mixed(t_first, t_second, x_mixed.data());
    part->rows().guards_mixed(t, whole.x.data(), t_first, whole.x_first.data(), t_second,
                              whole.x_second.data(), whole.x_mixed.data(), h_mixed.data());
  };
}

Guard part_of(const std::shared_ptr<Part>& part, const Guard& guard) {
  const GuardShape shape = *guard.shape(part->system().states());
  GuardFunctions functions;
  functions.value = [part, guard](double t, ConstVectorRef x) {
    part->load(t, x.data());
    return guard.value(t, part->whole().x);
  };
  functions.running_error = [part, guard](double t, ConstVectorRef x) {
    part->load(t, x.data());
    return guard.running_error(t, part->whole().x);
  };
  if (guard.has_exact_derivatives()) {
    functions.rate = [part, guard, shape](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                          GuardFunctions::States) {
      WholeArguments& whole = part->whole();
      part->load(t, x.data());
      part->load_rate(t_dot, x_dot.data(), whole.x_first);
      return guard.rate(t, whole.x, t_dot, whole.x_first, &shape.states);
    };
    functions.mixed = [part, guard, shape](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                           double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                           GuardFunctions::States) {
      WholeArguments& whole = part->whole();
      part->load(t, x.data());
      part->load_rate(t_first, x_first.data(), whole.x_first);
      part->load_rate(t_second, x_second.data(), whole.x_second);
      part->load_mixed(t_first, t_second, x_mixed.data());
      return guard.mixed(t, whole.x, t_first, whole.x_first, t_second, whole.x_second, whole.x_mixed,
                         &shape.states);
    };
  }
  GuardShape own;
  own.affine = shape.affine;
  for (const Index place : places_in(part->restriction().states, shape.states)) {
    // A row with a state that is known depends on time as that state does.
    if (place < 0) {
      own.affine = false;
    } else {
      own.states.push_back(place);
    }
  }
  functions.shape = [own](Index) -> std::optional<GuardShape> { return own; };
  return Guard(std::move(functions));
}

Event part_of(const std::shared_ptr<Part>& part, const Event& event) {
  Event own = event;
  own.when = part_of(part, event.when);
  own.touches.reset();
  own.delay.sets.clear();
  for (const Index place : places_in(part->restriction().states, event.delay.sets)) {
    if (place >= 0) own.delay.sets.push_back(place);
  }
  if (!event.reset) return own;
  std::vector<Index> touched = event.touches.value_or(std::vector<Index>());
  std::vector<Index> places = places_in(part->restriction().states, touched);
  own.reset = [part, reset = event.reset, touched = std::move(touched), places = std::move(places)](
                  double t, ConstVectorRef before, VectorRef after) {
    WholeArguments& whole = part->whole();
    part->load(t, before.data());
    for (const Index state : touched) whole.x_first[state] = whole.x[state];
    reset(t, whole.x, whole.x_first);
    for (std::size_t k = 0; k < touched.size(); ++k) {
      if (places[k] >= 0) after[places[k]] = whole.x_first[touched[k]];
    }
  };
  return own;
}

Contact part_of(const std::shared_ptr<Part>& part, const Contact& contact) {
  Contact own = contact;
  own.acts_on_along = {};
  own.gap = part_of(part, contact.gap);
  std::vector<Index> acted_on = *contact.acts_on_states;
  std::vector<Index> places = places_in(part->restriction().states, acted_on);
  own.acts_on_states = std::vector<Index>();
  for (const Index place : places) {
    if (place >= 0) own.acts_on_states->push_back(place);
  }
  own.acts_on = [part, acts_on = contact.acts_on, acted_on = std::move(acted_on), places = std::move(places)](
                    double t, ConstVectorRef x, VectorRef b) {
    WholeArguments& whole = part->whole();
    part->load(t, x.data());
    acts_on(t, whole.x, whole.force);
    for (std::size_t k = 0; k < acted_on.size(); ++k) {
      if (places[k] >= 0) b[places[k]] = whole.force[acted_on[k]];
      whole.force[acted_on[k]] = 0;
    }
  };
  if (contact.restitution_at) {
    own.restitution_at = [part, at = contact.restitution_at](double approach_speed, ConstVectorRef x) {
      part->load_again(x.data());
      return at(approach_speed, part->whole().x);
    };
  }
  return own;
}

}  // namespace

WholeArguments::WholeArguments(const System& system)
    : x(Vector::Zero(system.states())),
      x_first(x),
      x_second(x),
      x_mixed(x),
      lambda(Vector::Zero(system.surfaces())),
      lambda_dot(lambda),
      force(x) {}

std::vector<Index> states_read(const System& system, const std::vector<Index>& states,
                               const std::vector<Index>& surfaces, const std::vector<Index>& contacts,
                               const std::vector<Index>& events) {
  const SystemDefinition& definition = system.definition();
  std::vector<Index> read;
  const auto add_rows = [&](const Pattern& pattern, const std::vector<Index>& rows) {
    for (const Index row : rows)
      read.insert(read.end(), pattern.column.begin() + pattern.start[at(row)],
                  pattern.column.begin() + pattern.start[at(row) + 1]);
  };
  add_rows(*definition.field_dx_pattern, states);
  if (!surfaces.empty()) add_rows(*definition.guards_dx_pattern, surfaces);
  for (const Index c : contacts) {
    const GuardShape shape = *system.contacts()[at(c)].gap.shape(system.states());
    read.insert(read.end(), shape.states.begin(), shape.states.end());
    // Functions of the user's may read at the states that the contact acts on.
    const std::vector<Index>& acted_on = *system.contacts()[at(c)].acts_on_states;
    read.insert(read.end(), acted_on.begin(), acted_on.end());
  }
  for (const Index e : events) {
    const Event& event = system.events()[at(e)];
    const GuardShape shape = *event.when.shape(system.states());
    read.insert(read.end(), shape.states.begin(), shape.states.end());
    if (event.touches) read.insert(read.end(), event.touches->begin(), event.touches->end());
  }
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  std::vector<Index> outside;
  std::set_difference(read.begin(), read.end(), states.begin(), states.end(), std::back_inserter(outside));
  return outside;
}

System restricted_system(const System& system, const ChooseRows& rows, Restriction restriction,
                         std::shared_ptr<WholeArguments> whole) {
  const auto part = std::make_shared<Part>(system, rows, std::move(restriction), std::move(whole));
  const SystemDefinition& of_whole = system.definition();
  const Restriction& kept = part->restriction();
  SystemDefinition definition;
  definition.name = of_whole.name;
  definition.states = static_cast<Index>(kept.states.size());
  definition.surfaces = static_cast<Index>(kept.surfaces.size());
  for (const Index j : kept.states) definition.state_names.push_back(of_whole.state_names[at(j)]);
  for (const Index i : kept.surfaces) definition.surface_names.push_back(of_whole.surface_names[at(i)]);
  if (!of_whole.sides_at_zero.empty())
    for (const Index i : kept.surfaces) definition.sides_at_zero.push_back(of_whole.sides_at_zero[at(i)]);
  const Index first_discrete = of_whole.states - of_whole.discrete;
  definition.discrete =
      kept.states.end() - std::lower_bound(kept.states.begin(), kept.states.end(), first_discrete);
  add_field(part, definition);
  if (kept.tells_pattern)
    definition.field_dx_pattern = part_of(*of_whole.field_dx_pattern, kept.states, kept.states);
  definition.relays_additive = of_whole.relays_additive;
  if (definition.surfaces > 0) {
    add_guards(part, definition);
    definition.field_dlambda_pattern = part_of(*of_whole.field_dlambda_pattern, kept.states, kept.surfaces);
    definition.guards_dx_pattern = part_of(*of_whole.guards_dx_pattern, kept.surfaces, kept.states);
    // A state that is known makes a guard depend on time as that does.
    definition.guards_affine =
        of_whole.guards_affine && columns_of(*of_whole.guards_dx_pattern, kept.surfaces).size() ==
                                      columns_of(*definition.guards_dx_pattern,
                                                 [&] {
                                                   std::vector<Index> all;
                                                   for (Index i = 0; i < definition.surfaces; ++i)
                                                     all.push_back(i);
                                                   return all;
                                                 }())
                                          .size();
  }
  for (const Index c : kept.contacts) definition.contacts.push_back(part_of(part, system.contacts()[at(c)]));
  for (const Index e : kept.events) definition.events.push_back(part_of(part, system.events()[at(e)]));
  return System(std::move(definition));
}

}  // namespace slideway
