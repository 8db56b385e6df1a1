// A reset as a ResetFunction that can also tell its derivative along a direction, without differences: the state that it overwrites may be
// of another size than all others. That of a time event may tell how its times move, too. A ResetFunction gives it by target().
//
// It must not know where the derivative comes from.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "model/times_by_parameters.hpp"
#include "slideway/model/event.hpp"

namespace slideway {

class DifferentiableReset {
 public:
  // `after` and `after_dot` arrive as copies of `before` and `before_dot`, as in a reset.
  using Along = std::function<void(double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot,
                                   VectorRef after, VectorRef after_dot)>;

  // `along` may be null where only the times are told. `followers` is the last part of `reset`, which sets states by what the others have
  // become, such as a root from which the next search for it starts.
  DifferentiableReset(ResetFunction reset, Along along,
                      std::shared_ptr<const TimesByParameters> times = nullptr, ResetFunction followers = {})
      : reset_(std::move(reset)),
        along_(std::move(along)),
        times_(std::move(times)),
        followers_(std::move(followers)) {}

  // The reset of an FMU: `along` compares neighbours by itself, and throws where they disagree. The state after a neighbour has
  // a number of its own, and is no value to compare with others.
  static DifferentiableReset of_numbered_states(ResetFunction reset, Along along) {
    DifferentiableReset result(std::move(reset), std::move(along));
    result.compares_neighbours_ = true;
    return result;
  }

  void operator()(double t, ConstVectorRef before, VectorRef after) const { reset_(t, before, after); }
  bool has_along() const { return static_cast<bool>(along_); }
  bool compares_neighbours() const { return compares_neighbours_; }
  // An action that sets values which were kept for it has to set the followers anew. Null where there are none.
  const ResetFunction& followers() const { return followers_; }
  // times() is null where no time moves.
  const TimesByParameters* times() const { return times_.get(); }
  void along(double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot, VectorRef after,
             VectorRef after_dot) const {
    along_(t, before, t_dot, before_dot, after, after_dot);
  }

 private:
  ResetFunction reset_;
  Along along_;
  std::shared_ptr<const TimesByParameters> times_;
  ResetFunction followers_;
  bool compares_neighbours_ = false;
};

}  // namespace slideway
