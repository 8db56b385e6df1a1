// One scalar function g(t, x) whose zero matters by itself: the guard of an event or an edge, the gap of a contact.
//
//     Guard guard([](auto t, const auto& x) { return x[0] - 3; });
//
// A callable that takes any number gets exact derivatives (it is called with double, Dual<double>, Dual<Dual<double>> and, for
// its rounding, Rounded); one that takes double alone gets central differences.
//     rate   ∂g/∂t·t' + ∂g/∂x·x'
//     mixed  ∂²/∂p∂q at p = q = 0 of g(t + p·t₁ + q·t₂, x + p·x₁ + q·x₂ + pq·x₁₂)
// Copies of a Guard are the same guard: two edges that share one are the two directions of one surface.
// The dependences of a generic callable are found by running it once on traces (autodiff/trace.hpp), where it does not compare
// or branch.
//
// It must not know what happens at the zero, nor modes or time stepping.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "slideway/autodiff/dual.hpp"
#include "slideway/autodiff/rounded.hpp"
#include "slideway/autodiff/trace.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

// The states that a guard depends on, and how.
struct GuardShape {
  std::vector<Index> states = {};  // increasing; no other state enters g
  bool affine = false;             // in (t, x)
};

// GuardFunctions holds the callables behind a Guard. `value` is required; the others are exact derivatives, where
// there are any. `states`, if given, lists all the states that enter g.
struct GuardFunctions {
  using States = const std::vector<Index>*;  // or none
  std::function<double(double t, ConstVectorRef x)> value = {};
  std::function<double(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, States states)> rate =
      {};
  std::function<double(double t, ConstVectorRef x, double t_first, ConstVectorRef x_first, double t_second,
                       ConstVectorRef x_second, ConstVectorRef x_mixed, States states)>
      mixed = {};
  // slopes(k) = ∂g/∂x(states(k)), where all of them together cost less than a rate along each of these states.
  std::function<void(double t, ConstVectorRef x, const std::vector<Index>& states,
                     std::vector<double>& slopes)>
      slopes = {};
  // A bound of the rounding of `value` at exact (t, x), in units of ε (autodiff/rounded.hpp).
  std::function<double(double t, ConstVectorRef x)> running_error = {};
  // The shape, certain, in a system of so many states; none where it is not known.
  std::function<std::optional<GuardShape>(Index states)> shape = {};
};

// States to run a guard on, in general position; they belong to the thread.
const std::vector<Trace>& traced_states(Index states);

// A state lifted to Numbers, for as long as this lives: all of it, or only `states`, at no cost of the others, which are zero.
template <class Number>
class LiftedState {
 public:
  // make(j) is entry j.
  template <class Make>
  LiftedState(Index size, GuardFunctions::States states, const Make& make)
      : states_(states), numbers_(std::exchange(kept(), {})) {
    if (static_cast<Index>(numbers_.size()) < size) numbers_.resize(static_cast<std::size_t>(size));
    size_ = size;
    visit([&](Index j) { numbers_[static_cast<std::size_t>(j)] = make(j); });
  }
  ~LiftedState() {
    visit([&](Index j) { numbers_[static_cast<std::size_t>(j)] = Number(); });
    kept() = std::move(numbers_);
  }
  LiftedState(const LiftedState&) = delete;
  LiftedState& operator=(const LiftedState&) = delete;

  const Number* data() const { return numbers_.data(); }

 private:
  // Zeros between uses; a guard that calls another leaves it to make its own.
  static std::vector<Number>& kept() {
    thread_local std::vector<Number> numbers;
    return numbers;
  }
  template <class Visit>
  void visit(const Visit& visitor) const {
    if (states_) {
      for (const Index j : *states_) visitor(j);
    } else {
      for (Index j = 0; j < size_; ++j) visitor(j);
    }
  }

  GuardFunctions::States states_;
  Index size_ = 0;
  std::vector<Number> numbers_;
};

// A state of Numbers, as a generic guard sees it.
template <class Number>
using GuardState = Eigen::Map<const Eigen::Matrix<Number, Eigen::Dynamic, 1>>;

template <class Function, class Number>
concept GuardOf = requires(const Function& function, const Number& t, const GuardState<Number>& x) {
  { function(t, x) } -> std::convertible_to<Number>;
};

class Guard {
 public:
  Guard() = default;
  // Throws std::invalid_argument when there is no `value`.
  explicit Guard(GuardFunctions functions);
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, Guard> &&
           !std::is_same_v<std::remove_cvref_t<Function>, GuardFunctions> &&
           (GuardOf<Function, double> ||
            std::is_invocable_r_v<double, const Function&, double, ConstVectorRef>)) Guard(Function function)
      : Guard(functions_of(std::move(function))) {}  // NOLINT: converts on purpose

  explicit operator bool() const { return functions_ != nullptr; }
  // The same guard, not merely one with the same zeros.
  bool operator==(const Guard& other) const { return functions_ == other.functions_; }

  double value(double t, ConstVectorRef x) const { return functions_->value(t, x); }
  // The last argument names the states that enter this guard (GuardShape::states), where they are known: it then costs no more than
  // these.
  double rate(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
              GuardFunctions::States states = nullptr) const;
  double mixed(double t, ConstVectorRef x, double t_first, ConstVectorRef x_first, double t_second,
               ConstVectorRef x_second, ConstVectorRef x_mixed,
               GuardFunctions::States states = nullptr) const;
  // ∂g/∂xⱼ for each of these states, which are all that enter g; and ∂g/∂t.
  void slopes(double t, ConstVectorRef x, const std::vector<Index>& states,
              std::vector<double>& slopes) const;
  double slope_in_time(double t, ConstVectorRef x, const std::vector<Index>& states) const;
  // A bound of the rounding of value() at exact (t, x), in units of ε; estimated from values beside, where `running_error` is absent.
  double running_error(double t, ConstVectorRef x) const;
  // ∂g/∂xⱼ, n entries.
  void gradient(double t, ConstVectorRef x, VectorRef gradient) const;
  std::optional<GuardShape> shape(Index states) const;
  // has_exact_derivatives() returns true where rate() and mixed() are exact derivatives; false where one of them
  // is a finite difference.
  bool has_exact_derivatives() const { return functions_->rate && functions_->mixed; }

 private:
  template <class Function>
  static GuardFunctions functions_of(Function function) {
    GuardFunctions result;
    // An empty std::function is refused like no function at all.
    if constexpr (requires { function == nullptr; }) {
      if (function == nullptr) return result;
    }
    if constexpr (GuardOf<Function, double>) {
      result.value = [function](double t, ConstVectorRef x) {
        return static_cast<double>(function(t, GuardState<double>(x.data(), x.size())));
      };
    } else {
      result.value = function;
    }
    if constexpr (GuardOf<Function, Dual<double>>) {
      result.rate = [function](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                               GuardFunctions::States states) {
        using Number = Dual<double>;
        const LiftedState<Number> lifted(x.size(), states, [&](Index j) { return Number(x[j], x_dot[j]); });
        return Number(function(Number(t, t_dot), GuardState<Number>(lifted.data(), x.size()))).derivative;
      };
    }
    if constexpr (GuardOf<Function, Dual<Dual<double>>>) {
      result.mixed = [function](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                GuardFunctions::States states) {
        using Number = Dual<Dual<double>>;
        const LiftedState<Number> lifted(x.size(), states, [&](Index j) {
          return Number({x[j], x_first[j]}, {x_second[j], x_mixed[j]});
        });
        const Number time({t, t_first}, {t_second, 0.0});
        return Number(function(time, GuardState<Number>(lifted.data(), x.size()))).derivative.derivative;
      };
    }
    if constexpr (GuardOf<Function, Trace>) {
      if constexpr (!noexcept(function(Trace(), std::declval<GuardState<Trace>>()))) {
        if constexpr (GuardOf<Function, Rounded>) {
          result.running_error = [function](double t, ConstVectorRef x) {
            const LiftedState<Rounded> lifted(x.size(), nullptr, [&](Index j) { return Rounded(x[j]); });
            return Rounded(function(Rounded(t), GuardState<Rounded>(lifted.data(), x.size()))).error;
          };
        }
        result.shape = [function](Index states) -> std::optional<GuardShape> {
          const std::vector<Trace>& x = traced_states(states);
          const TraceRun run;
          try {
            const Trace made = function(Trace::time(0.7), GuardState<Trace>(x.data(), states));
            if (run.compared()) return std::nullopt;
            return GuardShape{made.states(), made.degree() <= 1};
          } catch (...) {
            return std::nullopt;
          }
        };
      }
    }
    return result;
  }

  std::shared_ptr<const GuardFunctions> functions_;
};

}  // namespace slideway
