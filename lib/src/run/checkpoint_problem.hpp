// A checkpoint's description of its problem: the values of its functions at a few points, the options that change the
// result, and how the run began.
//
// It must not know how the run goes on.
#pragma once

#include "run/field_saver.hpp"
#include "slideway/simulate/checkpoint.hpp"

namespace slideway {

FieldsJson problem_of(const Simulator& simulator, const Run& run, const std::string& model,
                      std::int64_t steps_to_pause);
Run run_of(const FieldsJson& problem);
// Throws CheckpointError that names the first difference.
void check_same_problem(const FieldsJson& of_checkpoint, const FieldsJson& here);

}  // namespace slideway
