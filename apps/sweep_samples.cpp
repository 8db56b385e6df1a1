#include "apps/sweep_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace slideway::apps {

namespace {

using Generator = std::mt19937_64;

// A multiple of 2^-bits in [0, 1).
double fraction_of(Generator& generator, int bits) {
  return std::ldexp(static_cast<double>(generator() >> (Generator::word_size - static_cast<unsigned>(bits))),
                    -bits);
}

// Each of 0, …, count − 1 with the same probability; std::uniform_int_distribution differs between libraries.
std::uint64_t below(Generator& generator, std::uint64_t count) {
  const std::uint64_t whole_rounds = Generator::max() - Generator::max() % count;
  while (true) {
    const std::uint64_t number = generator();
    if (number < whole_rounds) return number % count;
  }
}

// ratio^fraction by square roots and products, since std::pow may differ in its last digit between platforms.
double power(double ratio, double fraction) {
  double result = 1;
  double root = ratio;
  while (fraction > 0 && root != 1) {
    root = std::sqrt(root);
    fraction *= 2;
    if (fraction >= 1) {
      result *= root;
      fraction -= 1;
    }
  }
  return result;
}

}  // namespace

double value_between(const SampleRange& range, double fraction) {
  // std::fma is rounded once everywhere; a product and a sum may or may not be united by a compiler.
  const double value = range.logarithmic ? range.first * power(range.last / range.first, fraction)
                                         : std::fma(fraction, range.last - range.first, range.first);
  const auto [least, greatest] = std::minmax(range.first, range.last);
  return std::clamp(value, least, greatest);
}

std::vector<std::vector<double>> random_samples(const std::vector<SampleRange>& ranges, Index count,
                                                std::uint64_t seed) {
  Generator generator(seed);
  std::vector<std::vector<double>> values(ranges.size());
  for (Index sample = 0; sample < count; ++sample) {
    for (std::size_t k = 0; k < ranges.size(); ++k)
      values[k].push_back(
          value_between(ranges[k], fraction_of(generator, std::numeric_limits<double>::digits)));
  }
  return values;
}

std::vector<std::vector<double>> latin_samples(const std::vector<SampleRange>& ranges, Index count,
                                               std::uint64_t seed) {
  // With 24 bits of a part's number their sum is exact, so that no value is rounded into the next part.
  constexpr int bits_within_part = 28;
  Generator generator(seed);
  std::vector<std::vector<double>> values;
  std::vector<std::uint64_t> parts(static_cast<std::size_t>(count));
  for (const SampleRange& range : ranges) {
    std::iota(parts.begin(), parts.end(), 0);
    for (std::size_t last = parts.size(); last > 1; --last)
      std::swap(parts[last - 1], parts[static_cast<std::size_t>(below(generator, last))]);
    std::vector<double>& drawn = values.emplace_back();
    for (const std::uint64_t part : parts) {
      const double place = static_cast<double>(part) + fraction_of(generator, bits_within_part);
      drawn.push_back(value_between(range, place / static_cast<double>(count)));
    }
  }
  return values;
}

}  // namespace slideway::apps
