#include "integrate/odeint_formulas.hpp"

#include <algorithm>
#include <boost/numeric/odeint/external/eigen/eigen_resize.hpp>
#include <boost/numeric/odeint/stepper/explicit_generic_rk.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <optional>

#include "core/wide_loops.hpp"
#include "integrate/dopri5_directly.hpp"
#include "integrate/odeint_sum_algebra.hpp"

namespace slideway {

namespace {

namespace odeint = boost::numeric::odeint;

// Up to here a loop over the states is written out for each number of them, which is half of what a step of two states costs.
constexpr int kWrittenOut = 4;

// The one for so many states.
template <class Formula, template <int> class FormulaOf, int kStates = kWrittenOut>
std::unique_ptr<Formula> make_formula(Index states) {
  if constexpr (kStates == 0) {
    return std::make_unique<FormulaOf<Eigen::Dynamic>>(states);
  } else {
    if (states == kStates) return std::make_unique<FormulaOf<kStates>>(states);
    return make_formula<Formula, FormulaOf, kStates - 1>(states);
  }
}

// The right-hand side that Odeint asks for each stage: at its own state of the stages, or at the end of the step.
template <int kStates, bool kQuickly>
struct Stages {
  CheckedOde& ode;
  const SumAlgebra<kStates>& sums;
  double latest;
  const Vector* stage_state;
  ConstVectorRef at_stage, at_end;
  bool usable = true;

  void operator()(const Vector& x, Vector& dx, double t) {
    if (!usable) return;
    t = std::min(t, latest);
    ConstVectorRef state = &x == stage_state ? at_stage : at_end;
    if constexpr (kQuickly) {
      usable = sums.is_finite() && ode.quick_velocity(t, state, dx);
    } else {
      usable = ode.velocity(t, state, dx, sums.is_finite());
    }
  }
};

// Sized once, so that steps allocate nothing.
template <int kStates>
using Dopri5 = odeint::runge_kutta_dopri5<Vector, double, Vector, double, SumAlgebra<kStates>,
                                          odeint::default_operations, odeint::initially_resizer>;

struct SumOfSix {
  std::array<double, 6> b;
  [[gnu::always_inline]] double at(Index i, const double* k1, const double* k2, const double* k3,
                                   const double* k4, const double* k5, const double* k6) const {
    return b[0] * k1[i] + b[1] * k2[i] + b[2] * k3[i] + b[3] * k4[i] + b[4] * k5[i] + b[5] * k6[i];
  }
  [[gnu::always_inline]] void operator()(Index size, double* __restrict out, const double* k1,
                                         const double* k2, const double* k3, const double* k4,
                                         const double* k5, const double* k6) const {
    for (Index i = 0; i < size; ++i) out[i] = at(i, k1, k2, k3, k4, k5, k6);
  }
};

// The weight of each stage's velocity in the continuous extension, half a step on. Odeint gives it where unit vectors stand for
// the velocities.
Vector find_weights_halfway() {
  constexpr Index stages = 7;
  const auto unit = [](Index stage) -> Vector { return Vector::Unit(stages, stage - 1); };
  const Vector zero = Vector::Zero(stages);
  Vector end(stages), last(stages), error(stages), halfway(stages);
  Index stage = 1;
  Dopri5<Eigen::Dynamic> dopri5;
  dopri5.do_step([&](const Vector&, Vector& dx, double) { dx = unit(++stage); }, zero, unit(1), 0.0, end,
                 last, 1.0, error);
  dopri5.calc_state(0.5, halfway, zero, unit(1), 0.0, end, last, 1.0);
  return halfway;
}

const Vector& weights_halfway() {
  static const Vector weights = find_weights_halfway();
  return weights;
}

template <int kStates>
using Dop853 =
    odeint::explicit_generic_rk<dop853::kStages, 8, Vector, double, Vector, double, SumAlgebra<kStates>,
                                odeint::default_operations, odeint::initially_resizer>;

template <std::size_t kSize>
boost::array<double, kSize> row(const std::array<double, kSize>& numbers) {
  boost::array<double, kSize> row;
  std::copy(numbers.begin(), numbers.end(), row.begin());
  return row;
}

template <int kStates>
Dop853<kStates> make_dop853() {
  using namespace dop853;
  const typename Dop853<kStates>::coef_a_type a(row(a2), row(a3), row(a4), row(a5), row(a6), row(a7), row(a8),
                                                row(a9), row(a10), row(a11), row(a12));
  return Dop853<kStates>(a, row(b), row(c));
}

}  // namespace

struct OdeintDopri5::Formula {
  explicit Formula(Index states) : halfway(Vector::Zero(states)) {}
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;
  virtual ~Formula() = default;

  virtual bool advance(CheckedOde& ode, RungeKuttaStep& step) = 0;
  // Fills `halfway` with the sum of all states.
  virtual void sum_up_halfway(const RungeKuttaStep& step) = 0;

  // Had when the formula is made: steps allocate nothing.
  const Vector& weights = weights_halfway();
  Vector halfway;
  bool halfway_is_current = false;
  // The velocity since the start, once the ode has told it.
  DirectVelocity direct = {};
  bool is_direct = false;
  bool has_few_states = false;  // so few that all take hardly longer than one
  // Odeint keeps the stages to itself; what it hands to the right-hand side shows where they are. Velocities by stages.
  std::array<Vector*, 7> velocities = {};
  Vector* stage_state = nullptr;

  // The second stage does not count.
  SumOfSix sum_halfway(double h) const {
    return {{h * weights[0], h * weights[2], h * weights[3], h * weights[4], h * weights[5], h * weights[6]}};
  }
};

template <int kStates>
struct OdeintDopri5::FormulaOf final : Formula {
  explicit FormulaOf(Index states) : Formula(states) {
    has_few_states = kStates > 0;
    dopri5.adjust_size(halfway);
    find_stages();
  }

  Dopri5<kStates> dopri5;
  // References to the state of the stages and, as steps swap them, to the two ends: making one takes as long as
  // a small field.
  using Reference = std::optional<Eigen::Ref<const Vector>>;
  Reference stage_reference = {};
  std::array<Reference, 2> end_references = {};
  std::size_t last_end = 0;

  // It is enough to look at the sums. A velocity that is not finite makes every sum that contains it not finite,
  // and each is part of the next stage's state, or of the error.
  bool advance(CheckedOde& ode, RungeKuttaStep& step) override {
    halfway_is_current = false;
    ConstVectorRef at_end = end_reference(step.x_new);
    if constexpr (kStates > 0) {
      is_direct = is_direct || ode.tell_directly(direct);
      const DirectStages stages{ode, direct, *stage_reference, at_end};
      if (is_direct && DirectDopri5<kStates>(stages, velocities, *stage_state, step).advance()) return true;
    }
    return (take<true>(ode, step, at_end) && dopri5.algebra().is_finite()) || take<false>(ode, step, at_end);
  }

  void sum_up_halfway(const RungeKuttaStep& step) override {
    const SumOfSix sum = sum_halfway(step.h);
    const double* const first = step.velocity.data();
    const double* const last = step.velocity_new.data();
    const auto& k = velocities;
    if constexpr (kStates > 0)
      sum(kStates, halfway.data(), first, k[3]->data(), k[4]->data(), k[5]->data(), k[6]->data(), last);
    else
      run_loop(sum, halfway.size(), halfway.data(), first, k[3]->data(), k[4]->data(), k[5]->data(),
               k[6]->data(), last);
  }

  // take() tells whether all velocities are usable, and with them the step, as far as it has come.
  template <bool kQuickly>
  bool take(CheckedOde& ode, RungeKuttaStep& step, ConstVectorRef at_end) {
    Stages<kStates, kQuickly> stages{ode,         dopri5.algebra(), step.latest,
                                     stage_state, *stage_reference, at_end};
    dopri5.do_step(std::ref(stages), step.x, step.velocity, step.t, step.x_new, step.velocity_new, step.h,
                   step.error);
    return stages.usable;
  }

  ConstVectorRef end_reference(const Vector& x) {
    const auto is_to_x = [&](const Reference& reference) {
      return reference && reference->data() == x.data();
    };
    if (!is_to_x(end_references[last_end])) {
      last_end = 1 - last_end;
      if (Reference& other = end_references[last_end]; !is_to_x(other)) other.emplace(x);
    }
    return *end_references[last_end];
  }

  void find_stages() {
    const Vector nothing = halfway;
    Vector end = halfway, last = halfway, error = halfway;
    std::size_t stage = 1;
    const auto note = [&](const Vector& x, Vector& dx, double) {
      dx.setZero();
      if (++stage == 7) return;
      stage_state = const_cast<Vector*>(&x);  // which the formula itself sets
      velocities[stage] = &dx;
    };
    dopri5.do_step(note, nothing, nothing, 0.0, end, last, 0.0, error);
    stage_reference.emplace(*stage_state);
  }
};

OdeintDopri5::OdeintDopri5(Index states) : formula_(make_formula<Formula, FormulaOf>(states)) {}
OdeintDopri5::~OdeintDopri5() = default;

void OdeintDopri5::begin() { formula_->is_direct = false; }

bool OdeintDopri5::advance(CheckedOde& ode, RungeKuttaStep& step) { return formula_->advance(ode, step); }

const Vector& OdeintDopri5::halfway(const RungeKuttaStep& step) const {
  if (formula_->halfway_is_current) return formula_->halfway;
  formula_->halfway_is_current = true;
  formula_->sum_up_halfway(step);
  return formula_->halfway;
}

const Vector& OdeintDopri5::halfway(const RungeKuttaStep& step, std::span<const int> states) const {
  if (formula_->halfway_is_current || formula_->has_few_states) return halfway(step);
  const auto& k = formula_->velocities;
  const SumOfSix sum = formula_->sum_halfway(step.h);
  for (const Index i : states)
    formula_->halfway[i] = sum.at(i, step.velocity.data(), k[3]->data(), k[4]->data(), k[5]->data(),
                                  k[6]->data(), step.velocity_new.data());
  return formula_->halfway;
}

const Vector& OdeintDopri5::last_stage() const { return *formula_->velocities[6]; }

const Vector& OdeintDopri5::last_stage_state() const { return *formula_->stage_state; }

struct OdeintDop853::Formula {
  Formula() = default;
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;
  virtual ~Formula() = default;

  virtual bool advance(CheckedOde& ode, RungeKuttaStep& step) = 0;

  // Odeint keeps the stages to itself; what it hands to the right-hand side shows where they are. Velocities by stages.
  std::array<const Vector*, dop853::kStages + 1> velocities = {};
  const Vector* stage_state = nullptr;
};

template <int kStates>
struct OdeintDop853::FormulaOf final : Formula {
  explicit FormulaOf(Index states) { find_stages(states); }

  Dop853<kStates> dop853 = make_dop853<kStates>();
  // A reference to the state of the stages is kept, since making one takes as long as a small field.
  std::optional<Eigen::Ref<const Vector>> stage_reference = {};

  // It is enough to look at the sums. A velocity that is not finite makes every sum that contains it not finite,
  // and each is part of the new state, with a weight of zero or another one.
  bool advance(CheckedOde& ode, RungeKuttaStep& step) override {
    return (take<true>(ode, step) && dop853.algebra().is_finite()) || take<false>(ode, step);
  }

  // take() tells whether all velocities are usable, and with them the step, as far as it has come.
  template <bool kQuickly>
  bool take(CheckedOde& ode, RungeKuttaStep& step) {
    Stages<kStates, kQuickly> stages{ode,         dop853.algebra(), step.latest,
                                     stage_state, *stage_reference, *stage_reference};
    dop853.do_step(std::ref(stages), step.x, step.velocity, step.t, step.x_new, step.h);
    return stages.usable;
  }

  void find_stages(Index states) {
    const Vector nothing = Vector::Zero(states);
    Vector end = nothing;
    std::size_t stage = 1;
    const auto note = [&](const Vector& x, Vector& dx, double) {
      dx.setZero();
      stage_state = &x;
      velocities[++stage] = &dx;
    };
    dop853.do_step(note, nothing, nothing, 0.0, end, 0.0);
    stage_reference.emplace(*stage_state);
  }
};

OdeintDop853::OdeintDop853(Index states) : formula_(make_formula<Formula, FormulaOf>(states)) {}
OdeintDop853::~OdeintDop853() = default;

bool OdeintDop853::advance(CheckedOde& ode, RungeKuttaStep& step) { return formula_->advance(ode, step); }

const Vector& OdeintDop853::stage(int number) const {
  return *formula_->velocities[static_cast<std::size_t>(number)];
}

const Vector& OdeintDop853::last_stage_state() const { return *formula_->stage_state; }

}  // namespace slideway
