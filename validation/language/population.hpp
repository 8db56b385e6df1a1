// The language models as populations of a campaign: one for each plant that a model begins with.
//
// It must not know the command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "validation/random/campaign.hpp"

namespace slideway::validation::language {

std::vector<std::string> class_names();

// The campaign of the classes that the options name. Throws std::invalid_argument for a class that there is not.
int run_campaign(const random::CampaignOptions& options, std::ostream& out);

}  // namespace slideway::validation::language
