// From expanded events, contacts and locations to those of the library.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "expression/expression_derivatives.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model/differentiable_reset.hpp"
#include "model_file/lowering.hpp"

namespace slideway::reader {
namespace {

// A restitution depends on the approach speed, and on parameters that are states.
struct ImpactInput {
  double speed;
  const double* x;
  double time() const { return 0; }
  double impact() const { return speed; }
  double state(std::uint32_t index) const { return x[index]; }
  double lambda(std::uint32_t) const { return 0; }
};

class EventMaker {
 public:
  explicit EventMaker(ExpandedModel& model) : model_(model) { learn_shapes(); }

  std::vector<Event> events() {
    std::vector<Event> result;
    const auto add = [&](const std::vector<ExpandedEvent>& events, Action action) {
      for (const ExpandedEvent& event : events) {
        Event made;
        made.name = event.name;
        made.action = action;
        made.direction = event.direction;
        made.when = guard(event.guard);
        made.across_jumps = event.across_jumps;
        if (action == Action::reset) {
          made.reset = reset(event);
          made.touches = states_touched(event);
        }
        made.delay = delay(event);
        made.priority = event.priority;
        made.initially = event.initially;
        made.at_zero = event.at_zero;
        if (event.holds_at_zero) made.holds_at_zero = guard(*event.holds_at_zero);
        result.push_back(std::move(made));
      }
    };
    add(model_.resets, Action::reset);
    add(model_.stops, Action::stop);
    add(model_.records, Action::record);
    return result;
  }

  std::vector<TimeEvent> time_events() {
    std::vector<TimeEvent> result;
    for (const ExpandedEvery& every : model_.every) {
      TimeEvent made = every.times;
      made.reset = every.reset
                       ? every.reset
                       : reset_by({std::make_shared<const Setter>(setter(every.set))}, every.by_parameters);
      result.push_back(std::move(made));
    }
    return result;
  }

  std::vector<Contact> contacts() {
    std::vector<Contact> result;
    for (const ExpandedContact& contact : model_.contacts) {
      Contact made;
      made.name = contact.name;
      made.gap = guard(contact.gap);
      made.acts_on_states = states_of(contact.acts_on);
      made.acts_on = force_of(contact.acts_on);
      made.acts_on_along = force_along(contact.acts_on);
      made.impact_law = contact.impact_law;
      made.impact_friction = contact.impact_friction;
      if (contact.friction) made.friction = friction(*contact.friction);
      if (contact.cone) made.cone = cone(*contact.cone);
      const auto restitution = tape({contact.restitution});
      if (model_.free_parameters > 0) {
        made.restitution_at = [restitution](double speed, ConstVectorRef x) {
          return restitution->value<double>(ImpactInput{speed, x.data()});
        };
      } else {
        made.restitution = [restitution](double speed) {
          return restitution->value<double>(ImpactInput{speed, nullptr});
        };
      }
      result.push_back(std::move(made));
    }
    return result;
  }

  std::vector<Edge> edges() {
    std::vector<Edge> result;
    for (const ExpandedEvent& event : model_.edges) {
      Edge made;
      made.name = event.name;
      made.from = model_.motions[event.from].location;
      made.to = model_.motions[event.to].location;
      made.direction = event.direction;
      made.across_jumps = event.across_jumps;
      if (event.common || !event.set.empty()) made.reset = reset(event);
      made.delay = delay(event);
      made.priority = event.priority;
      made.initially = event.initially;
      made.at_zero = event.at_zero;
      if (event.holds_at_zero) made.holds_at_zero = guard(*event.holds_at_zero);
      if (event.zeno) made.zeno = model_.motions[*event.zeno].location;
      // A guard and its negative are one guard in opposite directions.
      const auto negative = guards_.find(model_.graph.negate(event.guard));
      if (guards_.find(event.guard) == guards_.end() && negative != guards_.end()) {
        made.when = negative->second;
        if (made.direction != Direction::any) {
          made.direction = made.direction == Direction::rising ? Direction::falling : Direction::rising;
        }
      } else {
        made.when = guard(event.guard);
      }
      result.push_back(std::move(made));
    }
    return result;
  }

 private:
  ContactFriction friction(const ExpandedContactFriction& friction) const {
    ContactFriction made;
    made.surface = static_cast<Index>(model_.lambda_index[friction.surface]);
    made.coefficient = number(friction.coefficient);
    made.coefficient_along = number_along(friction.coefficient);
    made.acts_on_states = states_of(friction.acts_on);
    made.acts_on = force_of(friction.acts_on, friction.sign);
    made.acts_on_along = force_along(friction.acts_on, friction.sign);
    return made;
  }

  CoefficientFunction number(NodeId node) const {
    return [tape = tape({node})](double t, ConstVectorRef x) { return tape->value<double>(point(t, x)); };
  }
  CoefficientAlongFunction number_along(NodeId node) const {
    return [tape = tape({node})](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot) {
      return tape->value<Dual<double>>(MovingPoint{point(t, x), point(t_dot, x_dot)}).derivative;
    };
  }
  ForceFunction force_of(const std::vector<ExpandedAssignment>& lines, double sign = 1) const {
    return [tape = tape_of(lines), states = states_of(lines), sign](double t, ConstVectorRef x, VectorRef b) {
      tape->evaluate<double>(point(t, x), [&](std::size_t k, double value) { b[states[k]] += sign * value; });
    };
  }
  ForceAlongFunction force_along(const std::vector<ExpandedAssignment>& lines, double sign = 1) const {
    return [tape = tape_of(lines), states = states_of(lines), sign](double t, ConstVectorRef x, double t_dot,
                                                                    ConstVectorRef x_dot, VectorRef b_dot) {
      tape->evaluate<Dual<double>>(
          MovingPoint{point(t, x), point(t_dot, x_dot)},
          [&](std::size_t k, const Dual<double>& value) { b_dot[states[k]] += sign * value.derivative; });
    };
  }

  ConeFriction cone(const ExpandedCone& cone) {
    ConeFriction made;
    made.coefficient = number(cone.coefficient);
    made.coefficient_along = number_along(cone.coefficient);
    if (cone.ratio) made.at_rest = number(*cone.ratio);
    std::vector<Index>& states = made.acts_on_states.emplace();
    for (std::size_t part = 0; part < 2; ++part) {
      made.velocities[part] = guard(cone.velocities[part]);
      const std::vector<Index> own = states_of(cone.acts_on[part]);
      states.insert(states.end(), own.begin(), own.end());
      made.acts_on[part] = force_of(cone.acts_on[part]);
      made.acts_on_along[part] = force_along(cone.acts_on[part]);
    }
    return made;
  }

  static Delay delay(const ExpandedEvent& event) {
    Delay made{.time = event.delay, .values = event.values};
    if (event.common) made.sets = states_of(*event.common);
    for (const Index state : states_of(event.set)) made.sets.push_back(state);
    return made;
  }

  void learn_shapes() {
    std::vector<NodeId> functions;
    for (const ExpandedContact& contact : model_.contacts) {
      functions.push_back(contact.gap);
      if (contact.cone)
        functions.insert(functions.end(), contact.cone->velocities.begin(), contact.cone->velocities.end());
    }
    for (const auto* const events : {&model_.resets, &model_.stops, &model_.records, &model_.edges}) {
      for (const ExpandedEvent& event : *events) functions.push_back(event.guard);
    }
    if (functions.empty()) return;
    auto by_state = gradients(model_.graph, functions, Variables::states);
    const auto by_time = gradients(model_.graph, functions, Variables::time);
    if (!by_state || !by_time) return;
    const std::vector<char> jumps = jumping_nodes(model_.graph);
    add_states_of_jumps(model_.graph, jumps, functions, *by_state);
    const auto constant = [&](const PartialDerivative& entry) {
      return model_.graph.is_constant(entry.value);
    };
    for (std::size_t k = 0; k < functions.size(); ++k) {
      GuardShape& shape = shapes_[functions[k]];
      shape.states.clear();
      for (const PartialDerivative& entry : (*by_state)[k]) {
        shape.states.push_back(static_cast<Index>(entry.variable));
      }
      shape.affine = jumps[functions[k]] == 0 &&
                     std::all_of((*by_state)[k].begin(), (*by_state)[k].end(), constant) &&
                     std::all_of((*by_time)[k].begin(), (*by_time)[k].end(), constant);
    }
  }

  std::shared_ptr<const Tape> tape(const std::vector<NodeId>& outputs) const {
    return std::make_shared<const Tape>(model_.graph, outputs, model_.lambda_index);
  }

  std::shared_ptr<const Tape> tape_of(const std::vector<ExpandedAssignment>& lines) const {
    std::vector<NodeId> values;
    for (const ExpandedAssignment& line : lines) values.push_back(line.value);
    return tape(values);
  }

  static std::vector<Index> states_of(const std::vector<ExpandedAssignment>& lines) {
    std::vector<Index> states;
    for (const ExpandedAssignment& line : lines) states.push_back(static_cast<Index>(line.state));
    return states;
  }

  // states_touched() lists the states that its assignments read, and those that they set. It returns nothing
  // where these are all elements of vectors.
  std::optional<std::vector<Index>> states_touched(const ExpandedEvent& event) const {
    if (event.common) return std::nullopt;
    std::vector<Index> touched;
    std::vector<NodeId> values;
    for (const std::vector<ExpandedAssignment>* const lines :
         {&event.set, &std::as_const(model_.followers)}) {
      for (const ExpandedAssignment& line : *lines) {
        touched.push_back(static_cast<Index>(line.state));
        values.push_back(line.value);
      }
    }
    for (const NodeId id : model_.graph.reachable(values)) {
      const auto& node = model_.graph[id];
      if (node.operation == Operation::state) touched.push_back(static_cast<Index>(node.a));
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    return touched;
  }

  // The same expression is the same guard.
  Guard guard(NodeId node) {
    const auto known = guards_.find(node);
    if (known != guards_.end()) return known->second;
    const std::shared_ptr<const Tape> made = tape({node});
    GuardFunctions functions;
    functions.value = [made](double t, ConstVectorRef x) { return made->value<double>(point(t, x)); };
    functions.running_error = [made](double t, ConstVectorRef x) {
      return made->value<Rounded>(point(t, x)).error;
    };
    functions.rate = [made](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                            GuardFunctions::States) {
      return made->value<Dual<double>>(MovingPoint{point(t, x), point(t_dot, x_dot)}).derivative;
    };
    functions.mixed = [made](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                             double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                             GuardFunctions::States) {
      const TwiceMovingPoint moving{{point(t, x), point(t_first, x_first)},
                                    {point(t_second, x_second), point(0, x_mixed)}};
      return made->value<Dual<Dual<double>>>(moving).derivative.derivative;
    };
    if (const auto shape = shapes_.find(node); shape != shapes_.end()) {
      functions.shape = [known = shape->second](Index) -> std::optional<GuardShape> { return known; };
    }
    return guards_.emplace(node, Guard(std::move(functions))).first->second;
  }

  // Values for states, all of the same state before.
  struct Setter {
    std::shared_ptr<const Tape> tape;
    std::vector<Index> states;
    void set(double t, ConstVectorRef before, VectorRef after) const {
      tape->evaluate<double>(point(t, before),
                             [&](std::size_t k, double value) { after[states[k]] = value; });
    }
    void along(double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot, VectorRef after,
               VectorRef after_dot) const {
      tape->evaluate<Dual<double>>(MovingPoint{point(t, before), point(t_dot, before_dot)},
                                   [&](std::size_t k, const Dual<double>& value) {
                                     after[states[k]] = value.value;
                                     after_dot[states[k]] = value.derivative;
                                   });
    }
  };

  // One setter after the other, all of the state before, and the followers by the state that these make.
  ResetFunction reset_by(std::vector<std::shared_ptr<const Setter>> setters,
                         std::shared_ptr<const TimesByParameters> times = nullptr) {
    if (!model_.followers.empty() && !followers_)
      followers_ = std::make_shared<const Setter>(setter(model_.followers));
    ResetFunction follow;
    if (followers_) {
      follow = [followers = followers_](double t, ConstVectorRef before, VectorRef after) {
        followers->set(t, before, after);
      };
    }
    const auto set = [setters, follow](double t, ConstVectorRef before, VectorRef after) {
      for (const auto& setter : setters) setter->set(t, before, after);
      if (follow && before != after) follow(t, Vector(after), after);
    };
    const auto along = [setters = std::move(setters), followers = followers_](
                           double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot,
                           VectorRef after, VectorRef after_dot) {
      for (const auto& setter : setters) setter->along(t, before, t_dot, before_dot, after, after_dot);
      if (followers) followers->along(t, Vector(after), t_dot, Vector(after_dot), after, after_dot);
    };
    return DifferentiableReset(set, along, std::move(times), std::move(follow));
  }

  Setter setter(const std::vector<ExpandedAssignment>& lines) const {
    return {tape_of(lines), states_of(lines)};
  }

  ResetFunction reset(const ExpandedEvent& event) {
    auto own = std::make_shared<const Setter>(setter(event.set));
    if (!event.common) return reset_by({std::move(own)});
    std::shared_ptr<const Setter>& common = common_[event.common.get()];
    if (!common) common = std::make_shared<const Setter>(setter(*event.common));
    return reset_by({common, std::move(own)});
  }

  ExpandedModel& model_;
  std::map<NodeId, Guard> guards_;
  std::map<const std::vector<ExpandedAssignment>*, std::shared_ptr<const Setter>> common_;
  std::map<NodeId, GuardShape> shapes_;
  std::shared_ptr<const Setter> followers_ = nullptr;
};

}  // namespace

Automaton make_automaton(const std::string& name, ExpandedModel& model,
                         const std::vector<std::vector<NodeId>>& derivatives) {
  EventMaker maker(model);
  const std::vector<Event> events = maker.events();
  const std::vector<TimeEvent> time_events = maker.time_events();
  const std::vector<Contact> contacts = maker.contacts();
  const auto system = [&](std::size_t motion) {
    SystemDefinition definition =
        define_system(name, model, derivatives[motion], model.motions[motion].places);
    if (model.second_order && definition.surfaces > 0) {
      definition.second_order = [of_motion = model.second_order, motion](const std::vector<Index>& surfaces) {
        return of_motion(motion, surfaces);
      };
    }
    System made(std::move(definition));
    if (!events.empty()) made = made.with_events(events);
    if (!time_events.empty()) made = made.with_time_events(time_events);
    if (!contacts.empty()) made = made.with_contacts(contacts);
    return made;
  };
  if (model.motions.size() == 1 && model.motions.front().location.empty()) return Automaton(system(0));
  std::vector<Location> locations;
  for (std::size_t k = 0; k < model.motions.size(); ++k)
    locations.push_back({model.motions[k].location, system(k)});
  return Automaton(std::move(locations), maker.edges(), model.motions[model.initial_location].location);
}

}  // namespace slideway::reader
