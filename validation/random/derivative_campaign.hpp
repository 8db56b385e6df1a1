// The derivatives of random models beside differences of runs, and a table of what came out: `slideway validate --random N --derivatives`.
//
// It must not know the command line.
#pragma once

#include <iosfwd>

#include "validation/random/campaign.hpp"

namespace slideway::validation::random {

// The options for models, classes, jobs and the document count, and of the plan the first method and tolerance and the seconds. Returns 0
// if nothing is wrong, else 1. Throws std::invalid_argument for a class that there is not.
int run_derivative_campaign(const CampaignOptions& options, std::ostream& out);

}  // namespace slideway::validation::random
