#include "basins/state_grid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slideway {

namespace {

constexpr Index kMostWithCorners = 4;
constexpr double kFarthest = 1e15;  // of cells, so that their numbers are whole

// The finaliser of SplitMix64.
CellKey mixed(CellKey value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

StateGrid::StateGrid(Vector low, Vector width, Vector period)
    : low_(std::move(low)), width_(std::move(width)), period_(std::move(period)) {}

double StateGrid::turned(Index i, double value) const {
  if (!(period_[i] > 0)) return value;
  return value - period_[i] * std::floor((value - low_[i]) / period_[i]);
}

double StateGrid::place(Index i, double value) const {
  return (turned(i, value) - low_[i]) / width_[i] - 0.5;
}

Vector StateGrid::wrapped(ConstVectorRef x) const {
  Vector result = x;
  for (Index i = 0; i < low_.size(); ++i) result[i] = turned(i, x[i]);
  return result;
}

double StateGrid::distance(ConstVectorRef x, ConstVectorRef y) const {
  double largest = 0;
  for (Index i = 0; i < low_.size(); ++i) {
    double difference = x[i] - y[i];
    if (period_[i] > 0) difference -= period_[i] * std::round(difference / period_[i]);
    largest = std::max(largest, std::abs(difference) / width_[i]);
  }
  return largest;
}

Vector StateGrid::between(ConstVectorRef x, ConstVectorRef y, double part) const {
  Vector middle = x;
  for (Index i = 0; i < low_.size(); ++i) {
    double difference = y[i] - x[i];
    if (period_[i] > 0) difference -= period_[i] * std::round(difference / period_[i]);
    middle[i] += part * difference;
  }
  return middle;
}

std::vector<std::int64_t> StateGrid::cell_of(ConstVectorRef x) const {
  std::vector<std::int64_t> cell(static_cast<std::size_t>(low_.size()));
  for (Index i = 0; i < low_.size(); ++i)
    cell[static_cast<std::size_t>(i)] =
        static_cast<std::int64_t>(std::clamp(std::floor(place(i, x[i]) + 0.5), -kFarthest, kFarthest));
  return cell;
}

CellKey StateGrid::key_of(const std::vector<std::int64_t>& cell, const std::string& location) const {
  CellKey key = 0x9e3779b97f4a7c15ULL;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    std::int64_t number = cell[i];
    const auto k = static_cast<Index>(i);
    if (period_[k] > 0) {
      const auto cells = std::max<std::int64_t>(1, std::llround(period_[k] / width_[k]));
      number = ((number % cells) + cells) % cells;
    }
    key = mixed(key + static_cast<CellKey>(number) + 0x9e3779b97f4a7c15ULL);
  }
  for (const char letter : location) key = mixed(key + static_cast<unsigned char>(letter));
  return key;
}

CellKey StateGrid::key(ConstVectorRef x, const std::string& location) const {
  return key_of(cell_of(x), location);
}

std::vector<CellKey> StateGrid::keys_around(ConstVectorRef x, const std::string& location) const {
  const std::vector<std::int64_t> middle = cell_of(x);
  std::vector<CellKey> keys;
  if (low_.size() > kMostWithCorners) {
    keys.push_back(key_of(middle, location));
    for (std::size_t i = 0; i < middle.size(); ++i) {
      for (const std::int64_t step : {-1, 1}) {
        std::vector<std::int64_t> cell = middle;
        cell[i] += step;
        keys.push_back(key_of(cell, location));
      }
    }
    return keys;
  }
  std::vector<std::int64_t> offset(middle.size(), -1);
  while (true) {
    std::vector<std::int64_t> cell = middle;
    for (std::size_t i = 0; i < cell.size(); ++i) cell[i] += offset[i];
    keys.push_back(key_of(cell, location));
    std::size_t i = 0;
    while (i < offset.size() && offset[i] == 1) offset[i++] = -1;
    if (i == offset.size()) return keys;
    ++offset[i];
  }
}

}  // namespace slideway
