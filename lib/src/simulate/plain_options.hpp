// The options of runs that an analysis makes for itself: those of the caller, without what watches a run, its outputs and its derivatives.
//
// It must not know the analyses.
#pragma once

#include "slideway/simulate/options.hpp"

namespace slideway {

inline Options plain_options(const Options& asked, Recording recording) {
  Options options = asked;
  options.sensitivities = {};
  options.recording = recording;
  options.output_times.clear();
  options.on_step = {};
  options.on_event = {};
  return options;
}

}  // namespace slideway
