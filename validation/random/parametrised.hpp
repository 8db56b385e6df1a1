// A random model some of whose numbers have become parameters, to be differentiated by.
//
// It must not know what for.
#pragma once

#include "validation/random/draw.hpp"
#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

// So many of the numbers in formulas, restitutions and break-away ratios, or as many as there are, become p1, p2, … wherever they
// occur. Whole numbers from −1 to 1 stay what they are.
RandomModel parametrised(const RandomModel& model, Draw& draw, int most);

}  // namespace slideway::validation::random
