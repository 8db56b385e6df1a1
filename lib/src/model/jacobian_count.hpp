// Counts whatever is called inside a Jacobian as one Jacobian.
//
// It must not know how a Jacobian is made.
#pragma once

#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

// All evaluations during the life of a JacobianCount count as one Jacobian.
class JacobianCount {
 public:
  explicit JacobianCount(EvaluationCounts& counts) : counts_(counts), before_(counts) {}
  ~JacobianCount() {
    counts_ = before_;
    ++counts_.jacobians;
  }
  JacobianCount(const JacobianCount&) = delete;
  JacobianCount& operator=(const JacobianCount&) = delete;

 private:
  EvaluationCounts& counts_;
  EvaluationCounts before_;
};

}  // namespace slideway
