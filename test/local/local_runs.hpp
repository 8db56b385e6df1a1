// Runs of model files with local events or without them.
#pragma once

#include "slideway/model/model.hpp"
#include "slideway/simulate/simulator.hpp"

namespace test {

inline slideway::Solution run_model(const slideway::ModelInstance& model, double rtol,
                                    slideway::LocalEvents local, const slideway::Run& run,
                                    slideway::Recording recording = slideway::Recording::dense) {
  slideway::Options options{.rtol = rtol};
  options.recording = recording;
  options.local_events = local;
  return slideway::Simulator(model.problem(), options).run(run);
}

// The run that the file asks for.
inline slideway::Solution run_model(const slideway::ModelInstance& model, double rtol,
                                    slideway::LocalEvents local,
                                    slideway::Recording recording = slideway::Recording::dense) {
  return run_model(model, rtol, local, {.start = model.start, .end = model.end, .state = model.state},
                   recording);
}

}  // namespace test
