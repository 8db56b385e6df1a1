// The work of friction along a run, and whether it was passive:
//
//     W(t) = ∫ F v dt,      passive:  W(t) ≥ −E₀ at every t,
//
// with E₀ the energy stored in the friction at the start (model/friction_element.hpp). A run shows a necessary
// condition only: a law may be passive on one motion and not on another.
//
//     PassivityWatch watch(instance.problem(), instance.friction);
//     options.on_step = [&](const StepView& step) { watch.add(step); };
//     … simulator.run(…)
//     for (const FrictionWork& work : watch.results(options.rtol)) …
//
// The integral is a Gauss rule over quarters of every step, on the dense output, with λ as in simulate/forces_along.hpp.
// It must not know laws of friction, nor how results are printed.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/model/friction_element.hpp"
#include "slideway/simulate/forces_along.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

struct FrictionWork {
  std::string name = {};
  double work = 0;        // W at the end of the run: the energy that friction took
  double least_work = 0;  // the smallest W(t), 0 at the start
  double stored_at_start = 0;
  double margin = 0;    // least_work + stored_at_start
  bool passive = true;  // the margin is not below zero by more than the error of the run
};

class PassivityWatch {
 public:
  // `rule` is that of the run.
  PassivityWatch(const Automaton& problem, std::vector<FrictionElement> elements,
                 SlidingRule rule = SlidingRule::filippov);

  // The steps of one run, in their order.
  void add(const StepView& step);
  // One per element. The error of the run is taken as 1000·rtol of ∫ |F v| dt.
  std::vector<FrictionWork> results(double rtol) const;

 private:
  struct Sum {
    double work = 0;
    double rounding = 0;  // what the sum has lost (Kahan)
    double least = 0;
    double size = 0;  // ∫ |F v| dt
    double stored = 0;
  };

  std::vector<FrictionElement> elements_;
  std::vector<Sum> sums_;
  ForcesAlong forces_;
  bool begun_ = false;
  Vector state_, lambda_;
};

}  // namespace slideway
