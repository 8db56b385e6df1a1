// The work of friction along a run, and whether it was passive:
//
//     W(t) = ∫ F v dt,      passive:  W(t) ≥ −E₀ at every t,
//
// with E₀ the energy stored in the friction at the start (model/friction_element.hpp). What a run shows is a necessary
// condition only: a law may be passive on one motion and not on another.
//
//     PassivityWatch watch(instance.problem(), instance.friction);
//     options.on_step = [&](const StepView& step) { watch.add(step); };
//     … simulator.run(…)
//     for (const FrictionWork& work : watch.results(options.rtol)) …
//
// The integral is a Gauss rule over quarters of every step, on the dense output; λ of a surface that slides is that of the
// sliding condition, and 0 in systems with contacts or locations (where v = 0 it does not matter).
// It must not know laws of friction, nor how results are printed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slideway/model/automaton.hpp"
#include "slideway/model/friction_element.hpp"
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
  PassivityWatch(const Automaton& problem, std::vector<FrictionElement> elements);
  ~PassivityWatch();
  PassivityWatch(const PassivityWatch&) = delete;
  PassivityWatch& operator=(const PassivityWatch&) = delete;

  // The steps of one run, in their order.
  void add(const StepView& step);
  // One per element. The error of the run is taken as 1000·rtol of ∫ |F v| dt.
  std::vector<FrictionWork> results(double rtol) const;

 private:
  struct Relays;
  struct Sum {
    double work = 0;
    double rounding = 0;  // what the sum has lost (Kahan)
    double least = 0;
    double size = 0;  // ∫ |F v| dt
    double stored = 0;
  };

  void find_lambda(double t, const Mode& mode);

  std::vector<FrictionElement> elements_;
  std::vector<Sum> sums_;
  std::unique_ptr<Relays> relays_;  // null where λ of sliding surfaces is not looked for
  bool begun_ = false;
  Vector state_, lambda_;
};

}  // namespace slideway
