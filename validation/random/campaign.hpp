// Random models of all classes beside the oracle, and a table of what came out: `slideway validate --random`.
//
// It must not know the command line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "validation/random/judgement.hpp"

namespace slideway::validation::random {

struct CampaignOptions {
  int models = 100;                       // of all classes together
  std::uint64_t seed = 1;                 // the same seed gives the same models
  std::vector<std::string> classes = {};  // empty: all
  Plan plan = {};
  int printed = 3;               // of each class so many wrong models are made small and printed
  std::optional<int> only = {};  // of each class the model with this number alone, not made small
  int jobs = 1;                  // models at the same time; the outcome does not depend on it
  bool json = false;             // one document instead of the table
};

// Returns 0 if nothing is wrong and no run timed out, else 1. Throws std::invalid_argument for a class that there is not.
int run_campaign(const CampaignOptions& options, std::ostream& out);

// The names of the classes.
std::vector<std::string> class_names();

}  // namespace slideway::validation::random
