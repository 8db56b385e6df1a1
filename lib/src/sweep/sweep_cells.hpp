// The cells of the tables of a sweep, as text and back.
//
// They must not know what the columns mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// The shortest text that reads back as the same double; nothing for what is not finite.
std::string number_cell(double value);
// Numbers separated by blanks.
std::string numbers_cell(const std::vector<double>& values);
// Line breaks become blanks, so that a row is a line.
std::string text_cell(std::string text);
// The cells of a line without its end, quoted as they are there.
std::vector<std::string_view> quoted_cells(std::string_view line);
// The text that a cell stands for.
std::string unquoted(std::string_view cell);

// These throw std::invalid_argument with the cell; an empty one is not a number, NaN.
double number_of(const std::string& cell);
Index count_of(const std::string& cell);
std::vector<double> numbers_of(const std::string& cell);

}  // namespace slideway
