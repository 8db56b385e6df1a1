#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "slideway/detail/core/number_form.hpp"

using namespace slideway;

namespace {

// Numbers whose digits are awkward, and as many of every size.
std::vector<double> awkward_numbers() {
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.1,
                                 1.0 / 3,
                                 1e5,
                                 100000,
                                 123456,
                                 1e22,
                                 1e23,
                                 5e-324,
                                 2.2250738585072014e-308,
                                 2.225073858507201e-308,
                                 1.7976931348623157e308,
                                 9007199254740993.0,
                                 0.3,
                                 2.5,
                                 1e-5,
                                 1e-4,
                                 123456789012345680.0,
                                 4.35,
                                 0.000123,
                                 1e15,
                                 1e16,
                                 1e17,
                                 123e18,
                                 std::numeric_limits<double>::infinity()};
  std::mt19937_64 random(60);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-1070, 1020), decimals(0, 16);
  for (int k = 0; k < 20000; ++k) {
    numbers.push_back(std::ldexp(mantissa(random), exponent(random)));
    numbers.push_back(std::stod(
        std::to_string(mantissa(random)).substr(0, static_cast<std::size_t>(3 + decimals(random)))));
    numbers.push_back(std::round(mantissa(random) * std::pow(10.0, decimals(random))));
  }
  return numbers;
}

}  // namespace

TEST_CASE("numbers have the same digits with and without the standard library") {
  for (const double value : awkward_numbers()) {
    CAPTURE(value);
    CHECK(by_c::shortest_digits(value).text() == shortest_digits(value).text());
    CHECK(by_c::rounded_digits(value, 10).text() == rounded_digits(value, 10).text());
    const std::string digits(by_c::hexadecimal_digits(std::abs(value)).text());
    double back = 0;
    REQUIRE(by_c::read_hexadecimal_digits(digits.data(), digits.data() + digits.size(), back).is_number);
    CHECK(bits_of(back) == bits_of(std::abs(value)));
  }
}

TEST_CASE("texts are the same numbers with and without the standard library") {
  std::vector<std::string> texts = {
      "1",   "-1",   "+1",  " 1",       "",      ".",      "-",      ".5",     "5.",    "5.e3", "1e",
      "1e+", "1e5x", "1E5", "0x10",     "1e999", "-1e999", "1e-999", "0e-999", "1.5.5", "inf",  "-inf",
      "nan", "INF",  "in",  "infinity", "1_000", "1,5",    "00012",  "1e0005", "0.1e-1"};
  for (const double value : awkward_numbers()) texts.emplace_back(shortest_digits(value).text());
  for (const std::string& text : texts) {
    CAPTURE(text);
    double ours = 7, theirs = 7;
    const char* const last = text.data() + text.size();
    const DigitsRead read = by_c::read_digits(text.data(), last, ours);
    const auto expected = std::from_chars(text.data(), last, theirs);
    CHECK(read.is_number == (expected.ec == std::errc()));
    CHECK(read.end - text.data() == expected.ptr - text.data());
    if (!std::isnan(theirs)) CHECK(bits_of(ours) == bits_of(theirs));
  }
}

TEST_CASE("hexadecimal texts are the same numbers with and without the standard library") {
  for (const std::string text : {"1p0", "1.8p+1", "ffp-3", "0p0", "0.8p1", "xyz", "", "-1p3", "1p99999",
                                 "1p-99999", "inf", "1.8p+1z", ".8p1"}) {
    CAPTURE(text);
    double ours = 7, theirs = 7;
    const char* const last = text.data() + text.size();
    const DigitsRead read = by_c::read_hexadecimal_digits(text.data(), last, ours);
    const auto expected = std::from_chars(text.data(), last, theirs, std::chars_format::hex);
    CHECK(read.is_number == (expected.ec == std::errc()));
    CHECK(read.end - text.data() == expected.ptr - text.data());
    CHECK(bits_of(ours) == bits_of(theirs));
  }
}
