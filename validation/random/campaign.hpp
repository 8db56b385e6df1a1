// Random models of several populations, and a table of what came out: `slideway validate --random`.
//
// It must not know the command line, nor how models are drawn and judged.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validation/random/judgement.hpp"
#include "validation/random/population.hpp"

namespace slideway::validation::random {

struct CampaignOptions {
  int models = 100;                       // of all classes together
  std::uint64_t seed = 1;                 // the same seed gives the same models
  std::vector<std::string> classes = {};  // empty: all
  Plan plan = {};
  int printed = 3;               // of each class this number of wrong models is made small and printed
  std::optional<int> only = {};  // of each class the model with this number alone, not made small
  int jobs = 1;                  // models at the same time; the outcome does not depend on it
  bool json = false;             // one document instead of the table
};

// The options for models, printed, only, jobs and the document count. Returns 0 if nothing is wrong and no run timed out, else 1.
int run_campaign(const CampaignOptions& options, const std::vector<std::unique_ptr<Population>>& populations,
                 std::ostream& out);

}  // namespace slideway::validation::random
