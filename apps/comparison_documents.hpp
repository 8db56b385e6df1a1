// A comparison as documents: JSON of schema "slideway.compare/1", and a table of the states at the checkpoints.
//
// It must not know files, nor how the comparison was made.
#pragma once

#include <iosfwd>

#include "apps/comparison_text.hpp"
#include "slideway/io/comparison_plot.hpp"

namespace slideway::apps {

void write_comparison_json(const ComparedModel& model, const Comparison& comparison, std::ostream& out);
// method,t,states…,error: the reference first, then every method, a row per checkpoint.
void write_comparison_csv(const ComparedModel& model, const Comparison& comparison, std::ostream& out);

ComparisonPicture comparison_picture(const ComparedModel& model, const Comparison& comparison);

}  // namespace slideway::apps
