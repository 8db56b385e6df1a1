// The text of a comparison on the screen: the table, failures of the methods, convergence, the price of equal error.
//
// It must not know the command line or files.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/comparison.hpp"
#include "apps/layout.hpp"

namespace slideway::apps {

struct ComparedModel {
  std::string name = {};
  const ModelInstance& instance;
  const Options& options;
};

// `written` names the files that hold the results.
void print_comparison(const ComparedModel& model, const Comparison& comparison,
                      const std::vector<std::string>& written, const Screen& screen, std::ostream& out);

// "eps 0.001  rtol 1e-06": what matters to the approach.
std::string setting_text(const Attempt& attempt, const ComparisonPlan& plan);

}  // namespace slideway::apps
