// Floating-point numbers as text from which they read back bit for bit: in hexadecimal notation, several with spaces between.
//
// It must not know what the numbers mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slideway {

// "0x1.8p+1", "-0x1p-3", "inf", "nan"; and back, throwing std::runtime_error for anything else.
void append_hexadecimal(double value, std::string& text);
std::string hexadecimal(double value);
double from_hexadecimal(std::string_view text);
void append_hexadecimals(const double* values, std::size_t count, std::string& text);
std::string hexadecimals(const double* values, std::size_t count);
std::vector<double> from_hexadecimals(std::string_view text);

}  // namespace slideway
