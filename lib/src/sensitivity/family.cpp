// A problem with parameters as states, from the problems for other values of them.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sensitivity/differences.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway {

namespace {

constexpr std::size_t kMostInstances = 512;

// The instances by the values of their parameters, made when first asked for.
class Family {
 public:
  struct Member {
    explicit Member(ModelInstance made) : instance(std::move(made)), problem(instance.problem()) {}
    ModelInstance instance;
    Automaton problem;
  };

  Family(std::function<ModelInstance(const Vector&)> make, Vector values)
      : make_(std::move(make)), values_(std::move(values)), own_(std::make_shared<Member>(make_(values_))) {}

  Index states() const { return own_->problem.system().states(); }
  Index parameters() const { return values_.size(); }
  const Vector& values() const { return values_; }
  const Member& own() const { return *own_; }
  std::shared_ptr<const Member> at(ConstVectorRef parameters) const {
    if (parameters == values_) return own_;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<double> key(parameters.data(), parameters.data() + parameters.size());
    const auto known = members_.find(key);
    if (known != members_.end()) return known->second;
    if (members_.size() >= kMostInstances) members_.clear();
    auto made = std::make_shared<const Member>(make_(parameters));
    members_.emplace(std::move(key), made);
    return made;
  }
  std::shared_ptr<const Member> of(ConstVectorRef x) const { return at(x.tail(parameters())); }
  double step(Index parameter) const {
    const double value = std::abs(values_[parameter]);
    return 0.01 * (value > 0 ? value : 1.0);
  }
  // result += Σ ∂value/∂pₖ·rates(k); value(member, out) is what is differentiated, at the own values.
  template <class Value>
  void add_by_parameters(ConstVectorRef rates, const Value& value, VectorRef result) const {
    Vector buffer, derivative(result.size()), moved = values_;
    for (Index k = 0; k < rates.size(); ++k) {
      if (rates[k] == 0) continue;
      difference(
          step(k),
          [&](double s, Vector& out) {
            moved[k] = values_[k] + s;
            value(*at(moved), out);
          },
          buffer, derivative);
      moved[k] = values_[k];
      result += rates[k] * derivative;
    }
  }

 private:
  std::function<ModelInstance(const Vector&)> make_;
  Vector values_;
  std::shared_ptr<const Member> own_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<double>, std::shared_ptr<const Member>> members_;
};

using FamilyPointer = std::shared_ptr<const Family>;

class FamilyMaker {
 public:
  explicit FamilyMaker(FamilyPointer family) : family_(std::move(family)), n_(family_->states()) {}

  Automaton make() {
    const Automaton& own = family_->own().problem;
    if (!own.has_locations()) return Automaton(system(0));
    std::vector<Location> locations;
    for (std::size_t q = 0; q < own.locations().size(); ++q)
      locations.push_back({own.locations()[q].name, system(q)});
    std::vector<Edge> edges;
    for (std::size_t e = 0; e < own.edges().size(); ++e) {
      Edge edge = own.edges()[e];
      edge.when = guard(edge.when, [e](const Automaton& problem) { return problem.edges()[e].when; });
      if (edge.reset) edge.reset = reset([e](const Automaton& problem) { return problem.edges()[e].reset; });
      edges.push_back(std::move(edge));
    }
    return Automaton(std::move(locations), std::move(edges), own.locations()[own.initial()].name);
  }

 private:
  // Guards that are one stay one.
  template <class Pick>
  Guard guard(const Guard& own, const Pick& pick) {
    for (const auto& [known, made] : guards_)
      if (known == own) return made;
    GuardFunctions functions;
    const FamilyPointer family = family_;
    const Index n = n_;
    functions.value = [family, pick, n](double t, ConstVectorRef x) {
      return pick(family->of(x)->problem).value(t, x.head(n));
    };
    functions.rate = [family, own, pick, n](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                            GuardFunctions::States) {
      Vector result(1);
      result[0] = own.rate(t, x.head(n), t_dot, x_dot.head(n));
      family->add_by_parameters(
          x_dot.tail(family->parameters()),
          [&](const Family::Member& member, Vector& out) {
            out[0] = pick(member.problem).value(t, x.head(n));
          },
          result);
      return result[0];
    };
    guards_.emplace_back(own, Guard(std::move(functions)));
    return guards_.back().second;
  }

  template <class Pick>
  ResetFunction reset(const Pick& pick) const {
    return [family = family_, pick, n = n_](double t, ConstVectorRef before, VectorRef after) {
      Vector head = after.head(n);
      pick(family->of(before)->problem)(t, before.head(n), head);
      after.head(n) = head;
    };
  }

  System system(std::size_t q) {
    const FamilyPointer family = family_;
    const Index n = n_, k = family->parameters();
    const System& own = family->own().problem.locations()[q].system;
    const auto of = [q](const Family::Member& member) -> const System& {
      return member.problem.locations()[q].system;
    };
    SystemDefinition definition;
    definition.name = own.name();
    definition.states = n + k;
    definition.surfaces = own.surfaces();
    definition.state_names = own.state_names();
    for (Index i = 0; i < k; ++i) definition.state_names.push_back("parameter" + std::to_string(i + 1));
    definition.surface_names = own.surface_names();
    definition.field = [family, of, n, k](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
      of(*family->of(x)).field(t, x.head(n), lambda, dx.head(n));
      dx.tail(k).setZero();
    };
    if (own.definition().field_along) {
      definition.field_along = [family, of, own, n, k](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                       double t_dot, ConstVectorRef x_dot,
                                                       ConstVectorRef lambda_dot, VectorRef dx,
                                                       VectorRef dx_dot) {
        own.definition().field_along(t, x.head(n), lambda, t_dot, x_dot.head(n), lambda_dot, dx.head(n),
                                     dx_dot.head(n));
        dx.tail(k).setZero();
        dx_dot.tail(k).setZero();
        family->add_by_parameters(
            x_dot.tail(k),
            [&](const Family::Member& member, Vector& out) { of(member).field(t, x.head(n), lambda, out); },
            dx_dot.head(n));
      };
    }
    if (own.surfaces() > 0) {
      definition.guards = [family, of, n](double t, ConstVectorRef x, VectorRef h) {
        of(*family->of(x)).guards(t, x.head(n), h);
      };
      if (own.definition().guards_along) {
        definition.guards_along = [family, of, own, n, k](double t, ConstVectorRef x, double t_dot,
                                                          ConstVectorRef x_dot, VectorRef h,
                                                          VectorRef h_dot) {
          own.definition().guards_along(t, x.head(n), t_dot, x_dot.head(n), h, h_dot);
          family->add_by_parameters(
              x_dot.tail(k),
              [&](const Family::Member& member, Vector& out) { of(member).guards(t, x.head(n), out); },
              h_dot);
        };
      }
      if (own.definition().guards_dx) {
        definition.guards_dx = [family, of, own, n, k](double t, ConstVectorRef x, MatrixRef jacobian) {
          own.definition().guards_dx(t, x.head(n), jacobian.leftCols(n));
          jacobian.rightCols(k).setZero();
          Vector rates = Vector::Zero(k);
          for (Index j = 0; j < k; ++j) {
            rates[j] = 1;
            family->add_by_parameters(
                rates,
                [&](const Family::Member& member, Vector& out) { of(member).guards(t, x.head(n), out); },
                jacobian.col(n + j));
            rates[j] = 0;
          }
        };
      }
      if (own.breaks_away()) {
        definition.break_away = [family, of, n](double t, ConstVectorRef x, VectorRef ratios) {
          of(*family->of(x)).definition().break_away(t, x.head(n), ratios);
        };
      }
      if (own.definition().break_away_below) {
        definition.break_away_below = [family, of, n](double t, ConstVectorRef x, VectorRef ratios) {
          of(*family->of(x)).definition().break_away_below(t, x.head(n), ratios);
        };
      }
    }
    // Every equation may depend on every parameter.
    const auto with_parameters = [n, k](const Pattern& pattern) {
      std::vector<std::vector<Index>> rows;
      for (Index i = 0; i < pattern.rows; ++i) {
        const auto begin = pattern.column.begin() + pattern.start[static_cast<std::size_t>(i)];
        const auto end = pattern.column.begin() + pattern.start[static_cast<std::size_t>(i) + 1];
        rows.emplace_back(begin, end);
        for (Index j = 0; j < k; ++j) rows.back().push_back(n + j);
      }
      return pattern_from_rows(pattern.columns + k, std::move(rows));
    };
    const auto with_rows = [k](Pattern pattern) {
      pattern.rows += k;
      for (Index j = 0; j < k; ++j) pattern.start.push_back(pattern.start.back());
      return pattern;
    };
    const SystemDefinition& told = own.definition();
    if (told.field_dx_pattern)
      definition.field_dx_pattern = with_rows(with_parameters(*told.field_dx_pattern));
    if (told.field_dlambda_pattern) definition.field_dlambda_pattern = with_rows(*told.field_dlambda_pattern);
    if (told.guards_dx_pattern) definition.guards_dx_pattern = with_parameters(*told.guards_dx_pattern);
    for (std::size_t e = 0; e < own.events().size(); ++e) {
      Event event = own.events()[e];
      event.when = guard(event.when, [q, e](const Automaton& problem) {
        return problem.locations()[q].system.events()[e].when;
      });
      if (event.reset)
        event.reset = reset(
            [q, e](const Automaton& problem) { return problem.locations()[q].system.events()[e].reset; });
      definition.events.push_back(std::move(event));
    }
    for (std::size_t e = 0; e < own.time_events().size(); ++e) {
      TimeEvent event = own.time_events()[e];
      event.reset = reset(
          [q, e](const Automaton& problem) { return problem.locations()[q].system.time_events()[e].reset; });
      definition.time_events.push_back(std::move(event));
    }
    for (std::size_t c = 0; c < own.contacts().size(); ++c) {
      const auto contact_of = [of, c](const Family::Member& member) -> const Contact& {
        return of(member).contacts()[c];
      };
      Contact contact = own.contacts()[c];
      contact.gap = guard(contact.gap, [q, c](const Automaton& problem) {
        return problem.locations()[q].system.contacts()[c].gap;
      });
      contact.acts_on = [family, contact_of, n](double t, ConstVectorRef x, VectorRef b) {
        Vector head = b.head(n);
        contact_of(*family->of(x)).acts_on(t, x.head(n), head);
        b.head(n) = head;
      };
      contact.acts_on_along = {};
      if (contact.friction) {
        contact.friction->coefficient_along = {};
        contact.friction->acts_on_along = {};
        contact.friction->coefficient = [family, contact_of, n](double t, ConstVectorRef x) {
          return contact_of(*family->of(x)).friction->coefficient(t, x.head(n));
        };
        contact.friction->acts_on = [family, contact_of, n](double t, ConstVectorRef x, VectorRef along) {
          Vector head = along.head(n);
          contact_of(*family->of(x)).friction->acts_on(t, x.head(n), head);
          along.head(n) = head;
        };
      }
      contact.restitution_at = [family, contact_of, n](double speed, ConstVectorRef x) {
        return contact_of(*family->of(x)).restitution_of(speed, x.head(n));
      };
      definition.contacts.push_back(std::move(contact));
    }
    return System(std::move(definition));
  }

  FamilyPointer family_;
  Index n_;
  std::vector<std::pair<Guard, Guard>> guards_;
};

}  // namespace

ExtendedProblem extend_by_differences(const std::function<ModelInstance(const Vector&)>& make,
                                      const Vector& parameters) {
  const auto family = std::make_shared<const Family>(make, parameters);
  const Index n = family->states(), k = parameters.size();
  Matrix initial = Matrix::Zero(n, k);
  for (Index j = 0; j < k; ++j) {
    Vector column = Vector::Zero(n);
    family->add_by_parameters(
        Vector::Unit(k, j),
        [&](const Family::Member& member, Vector& out) {
          if (member.instance.state.size() != n)
            throw std::invalid_argument("the number of states depends on it");
          out = member.instance.state;
        },
        column);
    initial.col(j) = column;
  }
  const auto observe = [family, n](const std::vector<std::string>& wanted) {
    Observables result;
    result.names = family->own().instance.observables(wanted).names;
    result.evaluate = [family, wanted, n](double t, ConstVectorRef x, ConstVectorRef lambda,
                                          ConstVectorRef forces, VectorRef values) {
      family->of(x)->instance.observables(wanted).evaluate(t, x.head(n), lambda, forces, values);
    };
    return result;
  };
  return {FamilyMaker(family).make(), parameters, initial, observe};
}

}  // namespace slideway
