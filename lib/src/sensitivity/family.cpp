// A problem with parameters as states, from the problems for other values of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/differentiable_reset.hpp"
#include "sensitivity/differences.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway {

namespace {

constexpr std::size_t kMostInstances = 512;
// A derivative by a parameter is one of sixth order. Where it differs from that of fourth order by more than kApart, its step is made ten
// times shorter, down to 1e-9 of the parameter with kSteps. Its error, of sixth order, is then about kApart to the power 3/2.
// Both orders agree, too, where a step changes w t by nearly a full turn: sin(w t) then looks as if t were small. A central difference
// with kFinest of the parameter sees such a turn only beyond w t = 6e9, and a derivative must agree with it, within its rounding errors.
constexpr double kApart = 1e-7;
constexpr std::array<double, 8> kSteps = {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
constexpr int kLevels = static_cast<int>(kSteps.size());
constexpr double kFinest = 1e-9;
// The number of the finest step among those of the levels.
constexpr int kFinestLevel = -1;

// The instances by the values of their parameters, made when first asked for.
class Family {
 public:
  struct Member {
    Member(Vector values, ModelInstance made)
        : parameters(std::move(values)), instance(std::move(made)), problem(instance.problem()) {}
    Vector parameters;
    ModelInstance instance;
    Automaton problem;
  };

  Family(std::function<ModelInstance(const Vector&)> make, Vector values)
      : make_(std::move(make)),
        values_(std::move(values)),
        own_(std::make_shared<Member>(values_, make_(values_))) {}

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
    auto made = std::make_shared<const Member>(parameters, make_(parameters));
    members_.emplace(std::move(key), made);
    return made;
  }
  std::shared_ptr<const Member> of(ConstVectorRef x) const { return at(x.tail(parameters())); }
  double step(Index parameter) const {
    const double value = std::abs(values_[parameter]);
    return 0.01 * (value > 0 ? value : 1.0);
  }
  // result += Σ ∂value/∂pₖ·rates(k) at the parameters of x; value(member, out) is what is differentiated.
  template <class Value>
  void add_by_parameters(ConstVectorRef x, ConstVectorRef rates, const Value& value, VectorRef result) const {
    Vector buffer, derivative, longer, finest;
    for (Index k = 0; k < rates.size(); ++k) {
      if (rates[k] == 0) continue;
      longer.resize(result.size());
      finest.resize(result.size());
      const double noise = differentiate_finely(x, k, value, buffer, finest);
      double least = std::numeric_limits<double>::infinity();
      derivative = finest;
      for (int level = 0; level < kLevels; ++level) {
        const double apart = differentiate(x, k, level, value, buffer, longer);
        const double allowed = kApart * longer.template lpNorm<Eigen::Infinity>();
        if ((longer - finest).template lpNorm<Eigen::Infinity>() > noise + allowed) continue;
        // A derivative that is not finite has no better step.
        if (!(apart >= least)) derivative = longer;
        if (!(apart > allowed)) break;
        least = std::min(least, apart);
      }
      result += rates[k] * derivative;
    }
  }

 private:
  // By a difference with the step kFinest; it returns a bound of the rounding errors of the result.
  template <class Value>
  double differentiate_finely(ConstVectorRef x, Index k, const Value& value, Vector& buffer,
                              VectorRef derivative) const {
    const Values<Value> values(*this, x, k, kFinestLevel, value);
    const double h = values.step();
    buffer.resize(derivative.size());
    derivative.setZero();
    double largest = 0;
    const auto add = [&](double s, double weight) {
      values(s, buffer);
      derivative += weight / (2 * h) * buffer;
      if (buffer.size() > 0) largest = std::max(largest, std::abs(weight) * buffer.lpNorm<Eigen::Infinity>());
    };
    if (values.reached() == Reached::both_sides) {
      add(h, 1);
      add(-h, -1);
    } else {
      const double sign = values.reached() == Reached::above ? 1 : -1;
      add(0, -3 * sign);
      add(sign * h, 4 * sign);
      add(2 * sign * h, -sign);
    }
    // Arguments such as w t are rounded like the parameter: a rounding of it changes the value by this part of the derivative.
    const double here = x.tail(parameters())[k];
    const double of_argument =
        std::abs(here) / h * (derivative.size() > 0 ? derivative.template lpNorm<Eigen::Infinity>() : 0);
    return 16 * std::numeric_limits<double>::epsilon() * (largest / h + of_argument);
  }

  // By steps that are step(k) times a tenth to the power `level`. It returns what difference() does, less the rounding errors of values.
  template <class Value>
  double differentiate(ConstVectorRef x, Index k, int level, const Value& value, Vector& buffer,
                       VectorRef derivative) const {
    const Values<Value> values(*this, x, k, level, value);
    Vector largest;
    const double apart = difference(values.step(), values, buffer, derivative, &largest, values.reached());
    const double rounding =
        16 * std::numeric_limits<double>::epsilon() / values.step() * largest.lpNorm<Eigen::Infinity>();
    return std::max(0.0, apart - rounding);
  }

  // Neighbours are the members at pₖ + j·h that a derivative at the own values takes, j from −kOneSidedReach on. Beyond a
  // bound of the parameter there are none; then they are on the other side alone.
  struct Neighbours {
    Reached reached = Reached::both_sides;
    std::array<std::shared_ptr<const Member>, 2 * kOneSidedReach + 1> members = {};

    const Member& at(int j) const { return *members[static_cast<std::size_t>(j + kOneSidedReach)]; }
  };

  // The values of what is differentiated, with the k-th parameter moved by whole steps of a level.
  template <class Value>
  class Values {
   public:
    Values(const Family& family, ConstVectorRef x, Index k, int level, const Value& value)
        : family_(family),
          k_(k),
          step_(family.step(k) *
                (level == kFinestLevel ? 100 * kFinest : kSteps[static_cast<std::size_t>(level)])),
          value_(value),
          here_(x.tail(family.parameters())),
          neighbours_(family.neighbours(k, level, step_)),
          is_own_(here_ == family.values_) {}

    double step() const { return step_; }
    Reached reached() const { return neighbours_.reached; }
    void operator()(double s, Vector& out) const {
      if (is_own_) {
        value_(neighbours_.at(static_cast<int>(std::lround(s / step_))), out);
        return;
      }
      Vector moved = here_;
      moved[k_] += s;
      value_(*family_.at(moved), out);
    }

   private:
    const Family& family_;
    Index k_;
    double step_;
    const Value& value_;
    Eigen::Ref<const Vector> here_;
    const Neighbours& neighbours_;
    bool is_own_;
  };

  const Neighbours& neighbours(Index parameter, int level, double h) const {
    const std::lock_guard<std::mutex> lock(neighbours_mutex_);
    std::unique_ptr<const Neighbours>& result = neighbours_[{parameter, level}];
    if (!result) result = std::make_unique<const Neighbours>(find_neighbours(parameter, level, h));
    return *result;
  }

  Neighbours find_neighbours(Index parameter, int level, double h) const {
    const bool is_finest = level == kFinestLevel;
    const auto found = [&](Reached reached) {
      const int reach = reached == Reached::both_sides ? (is_finest ? 1 : kDifferenceReach)
                                                       : (is_finest ? 2 : kOneSidedReach);
      Neighbours result;
      result.reached = reached;
      result.members[kOneSidedReach] = own_;
      Vector moved = values_;
      for (int j = 1; j <= reach; ++j)
        for (const int side : {-1, 1}) {
          if (reached == (side < 0 ? Reached::above : Reached::below)) continue;
          moved[parameter] = values_[parameter] + side * j * h;
          result.members[static_cast<std::size_t>(side * j + kOneSidedReach)] = at(moved);
        }
      return result;
    };
    try {
      return found(Reached::both_sides);
    } catch (const std::invalid_argument&) {
      for (const Reached side : {Reached::below, Reached::above}) {
        try {
          return found(side);
        } catch (const std::invalid_argument&) {
          // The other side is left.
        }
      }
      throw;
    }
  }

  std::function<ModelInstance(const Vector&)> make_;
  Vector values_;
  std::shared_ptr<const Member> own_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<double>, std::shared_ptr<const Member>> members_;
  mutable std::mutex neighbours_mutex_;
  mutable std::map<std::pair<Index, int>, std::unique_ptr<const Neighbours>> neighbours_;
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
    functions.running_error = [family, pick, n](double t, ConstVectorRef x) {
      return pick(family->of(x)->problem).running_error(t, x.head(n));
    };
    functions.rate = [family, pick, n](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                       GuardFunctions::States) {
      Vector result(1);
      result[0] = pick(family->of(x)->problem).rate(t, x.head(n), t_dot, x_dot.head(n));
      family->add_by_parameters(
          x, x_dot.tail(family->parameters()),
          [&](const Family::Member& member, Vector& out) {
            out[0] = pick(member.problem).value(t, x.head(n));
          },
          result);
      return result[0];
    };
    // By states and time the second derivative is that of the instance; each parameter that moves adds a difference of rates.
    functions.mixed = [family, pick, n](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                        double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                        GuardFunctions::States) {
      const Index k = family->parameters();
      const auto member = family->of(x);
      const Guard& here = pick(member->problem);
      Vector result(1);
      result[0] =
          here.mixed(t, x.head(n), t_first, x_first.head(n), t_second, x_second.head(n), x_mixed.head(n));
      const auto add = [&](ConstVectorRef rates, double t_dot, ConstVectorRef x_dot) {
        family->add_by_parameters(
            x, rates,
            [&](const Family::Member& other, Vector& out) {
              out[0] = pick(other.problem).rate(t, x.head(n), t_dot, x_dot.head(n));
            },
            result);
      };
      add(x_first.tail(k), t_second, x_second);
      add(x_second.tail(k), t_first, x_first);
      const auto value = [&](const Family::Member& other, Vector& out) {
        out[0] = pick(other.problem).value(t, x.head(n));
      };
      family->add_by_parameters(x, x_mixed.tail(k), value, result);
      family->add_by_parameters(
          x, x_first.tail(k),
          [&](const Family::Member& other, Vector& out) {
            Vector moved = x;
            moved.tail(k) = other.parameters;
            out.setZero();
            family->add_by_parameters(moved, x_second.tail(k), value, out);
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

  // Null where no time moves.
  template <class Pick>
  std::shared_ptr<const TimesByParameters> times_by_parameters(const TimeEvent& own, const Pick& pick) const {
    const auto count = static_cast<Index>(own.at.size());
    const Index k = family_->parameters();
    auto result = std::make_shared<TimesByParameters>();
    result->offset = result->period = Vector::Zero(k);
    result->at = Matrix::Zero(count, k);
    bool moves = false;
    for (Index j = 0; j < k; ++j) {
      Vector times = Vector::Zero(count + 2);
      family_->add_by_parameters(
          family_->values(), Vector::Unit(k, j),
          [&](const Family::Member& member, Vector& out) {
            const TimeEvent& event = pick(member);
            if (event.count != own.count || event.at.size() != own.at.size())
              throw std::invalid_argument("the number of known times depends on it");
            out[0] = event.offset;
            out[1] = event.period;
            for (Index i = 0; i < count; ++i) out[2 + i] = event.at[static_cast<std::size_t>(i)];
          },
          times);
      result->offset[j] = times[0];
      result->period[j] = times[1];
      result->at.col(j) = times.tail(count);
      moves = moves || result->moved_by(j);
    }
    return moves ? result : nullptr;
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
    definition.sides_at_zero = own.definition().sides_at_zero;
    definition.field = [family, of, n, k](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
      of(*family->of(x)).field(t, x.head(n), lambda, dx.head(n));
      dx.tail(k).setZero();
    };
    if (own.definition().field_along) {
      definition.field_along = [family, of, n, k](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                  double t_dot, ConstVectorRef x_dot,
                                                  ConstVectorRef lambda_dot, VectorRef dx, VectorRef dx_dot) {
        of(*family->of(x))
            .definition()
            .field_along(t, x.head(n), lambda, t_dot, x_dot.head(n), lambda_dot, dx.head(n), dx_dot.head(n));
        dx.tail(k).setZero();
        dx_dot.tail(k).setZero();
        family->add_by_parameters(
            x, x_dot.tail(k),
            [&](const Family::Member& member, Vector& out) { of(member).field(t, x.head(n), lambda, out); },
            dx_dot.head(n));
      };
    }
    if (own.surfaces() > 0) {
      definition.guards = [family, of, n](double t, ConstVectorRef x, VectorRef h) {
        of(*family->of(x)).guards(t, x.head(n), h);
      };
      if (own.definition().guards_running_error) {
        definition.guards_running_error = [family, of, n](double t, ConstVectorRef x, VectorRef errors) {
          of(*family->of(x)).definition().guards_running_error(t, x.head(n), errors);
        };
      }
      if (own.definition().guards_along) {
        definition.guards_along = [family, of, n, k](double t, ConstVectorRef x, double t_dot,
                                                     ConstVectorRef x_dot, VectorRef h, VectorRef h_dot) {
          of(*family->of(x)).definition().guards_along(t, x.head(n), t_dot, x_dot.head(n), h, h_dot);
          family->add_by_parameters(
              x, x_dot.tail(k),
              [&](const Family::Member& member, Vector& out) { of(member).guards(t, x.head(n), out); },
              h_dot);
        };
      }
      if (own.definition().guards_dx) {
        definition.guards_dx = [family, of, n, k](double t, ConstVectorRef x, MatrixRef jacobian) {
          of(*family->of(x)).definition().guards_dx(t, x.head(n), jacobian.leftCols(n));
          jacobian.rightCols(k).setZero();
          Vector rates = Vector::Zero(k);
          for (Index j = 0; j < k; ++j) {
            rates[j] = 1;
            family->add_by_parameters(
                x, rates,
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
      event.reset = DifferentiableReset(
          reset([q, e](const Automaton& problem) {
            return problem.locations()[q].system.time_events()[e].reset;
          }),
          nullptr, times_by_parameters(event, [of, e](const Family::Member& member) -> const TimeEvent& {
            return of(member).time_events()[e];
          }));
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
  Matrix initial = Matrix::Zero(n + k, k);
  initial.bottomRows(k).setIdentity();
  for (Index j = 0; j < k; ++j) {
    Vector column = Vector::Zero(n);
    family->add_by_parameters(
        parameters, Vector::Unit(k, j),
        [&](const Family::Member& member, Vector& out) {
          if (member.instance.state.size() != n)
            throw std::invalid_argument("the number of states depends on it");
          out = member.instance.state;
        },
        column);
    initial.col(j).head(n) = column;
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
