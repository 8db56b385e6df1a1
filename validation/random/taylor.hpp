// The Taylor series of a solution of a random model in one regime: its states, guards, gaps and multipliers as polynomials
// in the time since the start of a step. This is the oracle's integrator.
//
// A regime fixes the location, the side of every surface and which contacts are closed. The λ of a surface that slides, and
// the force of a closed contact, are series of their own: their coefficient k is what makes coefficient k + 1 of the guard,
// or of the rate of the gap, vanish; it enters linearly with the matrix D = ∂w/∂λ at the start of the step.
// It must not know how events are decided.
#pragma once

#include <span>
#include <vector>

#include "validation/random/polynomial.hpp"
#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

using Reals = std::vector<Real>;

struct Regime {
  int location = 0;
  std::vector<int> sides = {};    // -1, 0, +1 per surface
  std::vector<bool> closed = {};  // per contact
  bool operator==(const Regime&) const = default;
};

// One coefficient per power for each of several functions.
class Series {
 public:
  void reset(std::size_t functions, std::size_t terms) {
    terms_ = terms;
    numbers_.assign(functions * terms, 0);
  }
  std::span<Real> operator[](std::size_t function) { return {numbers_.data() + function * terms_, terms_}; }
  std::span<const Real> operator[](std::size_t function) const {
    return {numbers_.data() + function * terms_, terms_};
  }

 private:
  std::size_t terms_ = 0;
  Reals numbers_ = {};
};

struct Expansion {
  bool valid = false;  // false: the multipliers are not determined, or a number is not finite
  Real length = 0;     // how far the series are exact but for rounding
  Real radius = 0;     // how far their terms do not grow
  Series states = {};
  Series guards = {};
  Series gaps = {};
  Series rates = {};
  Series resets = {};
  Series lambdas = {};
  Series forces = {};
  Reals matrix = {};         // D, row by row, over the sliding surfaces and then the closed contacts
  std::size_t unknowns = 0;  // its size
};

class Taylor {
 public:
  // `drift` is added to every derivative: the solution of a neighbouring problem.
  Taylor(const RandomModel& model, Reals drift);

  static constexpr std::size_t highest = 22;

  // The series at (t, x) to the given order. `lambdas` and `forces` are first guesses.
  void expand(Real t, const Reals& x, const Regime& regime, std::size_t order, const Reals& lambdas,
              const Reals& forces, Expansion& out);

  // The values of an assignment at a point, and of the guards, gaps, rates and resets: order zero only.
  Reals assigned(Real t, const Reals& x, const Regime& regime, std::size_t reset);
  // w of every surface, then the second derivative of every gap, for given multipliers.
  Reals velocities(Real t, const Reals& x, const Regime& regime, const Reals& lambdas, const Reals& forces);

 private:
  struct Step {
    Operation operation;
    double value;
    std::size_t index;
    std::size_t first;
    std::size_t second;
  };
  struct Program {
    std::vector<Step> steps = {};
    std::vector<std::size_t> guard_part = {};  // what guards, gaps, rates and resets need
    std::vector<std::size_t> field_part = {};  // the others
    std::vector<std::size_t> fields = {};
    std::vector<std::size_t> guards = {};
    std::vector<std::size_t> gaps = {};
    std::vector<std::size_t> rates = {};
    std::vector<std::size_t> resets = {};
    std::vector<std::vector<std::size_t>> assignments = {};
  };

  Program compile(int location) const;
  void begin(Real t, const Reals& x, const Regime& regime, const Reals& lambdas, const Reals& forces,
             std::size_t order);
  void evaluate(const std::vector<std::size_t>& part, std::size_t order);
  void evaluate(std::size_t step, std::size_t order);
  void advance(std::size_t order);  // field at `order`, states and guards at the next one
  Real defect(std::size_t unknown, std::size_t order) const;
  void set_unknown(std::size_t unknown, std::size_t order, Real value);
  Real unknown(std::size_t index, std::size_t order) const;
  bool solve_first();
  Reals solution_of(const Reals& right) const;
  bool factor(Reals matrix);
  Real radius_for(std::size_t order, Real error) const;

  const RandomModel& model_;
  Reals drift_;
  std::vector<Program> programs_ = {};
  const Program* program_ = nullptr;
  const Regime* regime_ = nullptr;
  std::vector<std::size_t> sliding_ = {};
  std::vector<std::size_t> closed_ = {};
  Series values_ = {};
  Series companions_ = {};  // the cosine of a sine, and the reverse
  Series states_ = {};
  Series lambdas_ = {};
  Series forces_ = {};
  Real time_ = 0;
  Reals matrix_ = {};
  Reals inverse_ = {};
};

}  // namespace slideway::validation::random
