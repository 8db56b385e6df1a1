// The threads of one process make the runs of a sweep.
//
// It must not know what tasks and results are.
#pragma once

#include "slideway/sweep/sweep_workers.hpp"

namespace slideway {

class ThreadWorkers final : public SweepWorkers {
 public:
  bool is_writer() const override { return true; }
  void run(SweepWork& work) override;
};

}  // namespace slideway
