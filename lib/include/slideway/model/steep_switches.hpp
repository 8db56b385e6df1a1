// Smooth switches that are narrower than the tolerances, as the friction tanh(v/1e-9) is where v may be off by 1e-6. An implicit method keeps v
// within its tolerance, and is content with any value between the two of the switch: the error of one step is small, and the force is wrong.
//
// It must not know a run.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/automaton.hpp"

namespace slideway {

// StepEnds keeps some ends of the steps of a solution: those that are nearest to 24 times, evenly from its start to its end, and for each
// state the one at which it was nearest to zero. Systems of more than 300 states have none.
class StepEnds {
 public:
  struct One {
    double t = 0;
    Vector x = {};
    Vector lambda = {};
    std::string location = {};
  };

  // `moving` states have derivatives; the others are discrete.
  StepEnds(double start, double end, Index moving);
  void note(double t, const Vector& x, const Vector& lambda, const std::string& location) {
    if (moving_ == 0 || !(t >= next_ || is_nearer(x))) return;
    keep(t, x, lambda, location);
  }
  // kept() returns the ends at the times, and those at which a state was within ten tolerances of zero; each once.
  std::vector<One> kept(ConstVectorRef atol) const;

 private:
  bool is_nearer(const Vector& x) const { return (x.head(moving_).array().abs() < nearest_.array()).any(); }
  void keep(double t, const Vector& x, const Vector& lambda, const std::string& location);

  Index moving_ = 0;
  double next_ = 0, spacing_ = 0;
  Vector nearest_;  // |xⱼ| of the last of these
  std::vector<One> at_times_, near_zero_;
};

// steep_switches() looks at ends of steps: a change of one state by ten of its tolerances rtol·|xⱼ| + atolⱼ changes a derivative noticeably, by far less than the
// derivative's slope says, and by hardly more where it is four times as large. It returns a sentence for each such state, up to five.
// `atol` has an entry per state.
std::vector<std::string> steep_switches(const Automaton& automaton, const StepEnds& ends, ConstVectorRef atol,
                                        double rtol);

}  // namespace slideway
