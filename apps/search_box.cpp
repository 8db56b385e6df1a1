#include "apps/search_box.hpp"

#include <limits>

#include "apps/targets.hpp"

namespace slideway::apps {

void set_box(const std::vector<std::pair<std::string, std::pair<double, double>>>& box, const System& system,
             EquilibriumOptions& options) {
  if (box.empty()) return;
  const double open = std::numeric_limits<double>::quiet_NaN();
  options.lower = options.upper = Vector::Constant(system.states(), open);
  for (const auto& [name, range] : box) {
    check_option("--box", [&, &state = name, &ends = range] {
      const Index i = system.state_index(state);
      options.lower[i] = ends.first;
      options.upper[i] = ends.second;
    });
  }
}

}  // namespace slideway::apps
