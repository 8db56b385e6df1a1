#include "validation/random/rules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slideway::validation::random {

double growth_by_steps(double rtol) {
  constexpr double tight = 1e-8;
  constexpr double steps_by_tolerance = 1.0 / 6;
  return std::pow(std::max(1.0, tight / rtol), steps_by_tolerance);
}

std::vector<long double> times_between(const std::vector<long double>& instants, long double start,
                                       long double end, long double least) {
  std::vector<std::pair<long double, long double>> stretches;
  long double from = start;
  const auto add = [&](long double to) {
    if (to - from >= least * (end - start)) stretches.emplace_back(to - from, (to + from) / 2);
    from = to;
  };
  for (const long double t : instants) add(t);
  add(end);
  std::sort(stretches.rbegin(), stretches.rend());
  constexpr std::size_t most = 8;
  std::vector<long double> times;
  for (std::size_t k = 0; k < std::min(most, stretches.size()); ++k) times.push_back(stretches[k].second);
  std::sort(times.begin(), times.end());
  return times;
}

std::string kind_of(const std::string& text) { return text.substr(0, text.find_first_of("0123456789'\"")); }

}  // namespace slideway::validation::random
