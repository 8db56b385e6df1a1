// The classes of random models beside the oracle as populations of a campaign.
//
// It must not know the command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "validation/random/campaign.hpp"

namespace slideway::validation::random {

// The campaign of the classes that the options name. Throws std::invalid_argument for a class that there is not.
int run_campaign(const CampaignOptions& options, std::ostream& out);

// The names of the classes.
std::vector<std::string> class_names();

}  // namespace slideway::validation::random
