#include "validation/random/draw.hpp"

#include <cmath>

#include <fmt/format.h>

namespace slideway::validation::random {
namespace {

// The finaliser of SplitMix64: neighbouring seeds give unrelated numbers.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

double rounded(double value, int digits) { return std::stod(fmt::format("{:.{}e}", value, digits - 1)); }

Draw::Draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t number)
    : random_(mixed(mixed(mixed(seed) + stream) + number)) {}

double Draw::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
}

double Draw::number(double low, double high) { return rounded(uniform(low, high), 3); }

double Draw::signed_number(double low, double high) {
  const double size = number(low, high);
  return chance(0.5) ? size : -size;
}

int Draw::integer(int low, int high) {
  return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace slideway::validation::random
