// Measurements in a file of comma-separated values: a first line of names, then rows of numbers, of which the first is the time.
//
// It must not know models.
#pragma once

#include <string>

#include "slideway/fit/fit.hpp"

namespace slideway::apps {

// Empty cells and "nan" are not measured; empty lines and those that begin with '#' are left out. Throws std::invalid_argument that names
// the line and the column.
Measurements read_measurements(const std::string& path);

}  // namespace slideway::apps
