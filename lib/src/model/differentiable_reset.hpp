// A reset as a ResetFunction that can also tell its derivative along a direction, without differences: the state that it overwrites may be
// of another size than all others. A ResetFunction gives it by target().
//
// It must not know where the derivative comes from.
#pragma once

#include <functional>
#include <utility>

#include "slideway/model/event.hpp"

namespace slideway {

class DifferentiableReset {
 public:
  // `after` and `after_dot` arrive as copies of `before` and `before_dot`, as in a reset.
  using Along = std::function<void(double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot,
                                   VectorRef after, VectorRef after_dot)>;

  DifferentiableReset(ResetFunction reset, Along along)
      : reset_(std::move(reset)), along_(std::move(along)) {}

  void operator()(double t, ConstVectorRef before, VectorRef after) const { reset_(t, before, after); }
  void along(double t, ConstVectorRef before, double t_dot, ConstVectorRef before_dot, VectorRef after,
             VectorRef after_dot) const {
    along_(t, before, t_dot, before_dot, after, after_dot);
  }

 private:
  ResetFunction reset_;
  Along along_;
};

}  // namespace slideway
