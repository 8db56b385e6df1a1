#include "slideway/model/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/at.hpp"
#include "core/number_text.hpp"
#include "model/check_text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/pattern.hpp"

namespace slideway {

// ---- multi-affinity ---------------------------------------------------------------------------------

namespace {

// Besides the relay that is probed, this many are inside their bounds: a system that blends the corners of n relays
// evaluates 2ⁿ fields.
constexpr Index kMostInterior = 7;

// Surfaces whose relays act on different states, which one field tells apart.
struct ProbedTogether {
  std::vector<Index> surfaces;
  std::vector<Index> by_state;  // the one of them that acts on each state, or −1; empty for a single surface

  Index surface_of(Index state) const {
    const Index own = by_state.empty() ? -1 : by_state[at(state)];
    return own < 0 ? surfaces.front() : own;
  }
};

std::vector<ProbedTogether> probed_together(const System& system) {
  std::vector<ProbedTogether> groups;
  const Index m = system.surfaces();
  const auto& pattern = system.definition().field_dlambda_pattern;
  bool are_few = pattern.has_value();
  for (Index row = 0; are_few && row < pattern->rows; ++row)
    are_few = pattern->start[at(row) + 1] - pattern->start[at(row)] <= kMostInterior + 1;
  if (!are_few) {
    for (Index surface = 0; surface < m; ++surface) groups.push_back({{surface}, {}});
    return groups;
  }
  const Colouring colouring = colour_columns(*pattern);
  groups.resize(at(colouring.colours));
  for (Index surface = 0; surface < m; ++surface)
    groups[at(colouring.colour[at(surface)])].surfaces.push_back(surface);
  std::erase_if(groups, [](const ProbedTogether& group) { return group.surfaces.empty(); });
  for (ProbedTogether& group : groups) group.by_state.assign(at(system.states()), -1);
  std::vector<std::size_t> group_of(at(m));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const Index surface : groups[g].surfaces) group_of[at(surface)] = g;
  for (Index row = 0; row < pattern->rows; ++row) {
    for (Index k = pattern->start[at(row)]; k < pattern->start[at(row) + 1]; ++k) {
      const Index surface = pattern->column[at(k)];
      groups[group_of[at(surface)]].by_state[at(row)] = surface;
    }
  }
  return groups;
}

}  // namespace

MultiAffineCheck check_multi_affine(const System& system, double t, ConstVectorRef x, double tolerance) {
  require_size(system, x.size(), system.states(), "x", "check_multi_affine");
  constexpr std::array<double, 3> probes = {0.37, -0.61, 0.83};
  const Index m = system.surfaces();
  Vector lambda(m), low(x.size()), high(x.size()), middle(x.size());
  std::vector<char> is_interior(at(m));
  const auto set_all = [&](const std::vector<Index>& surfaces, double value) {
    for (const Index surface : surfaces) lambda[surface] = value;
  };
  MultiAffineCheck check;
  for (const ProbedTogether& group : probed_together(system)) {
    is_interior.assign(at(m), 0);
    for (const Index surface : group.surfaces)
      for (Index k = 1; k <= std::min(kMostInterior, m - 1); ++k) is_interior[at((surface + k) % m)] = 1;
    for (std::size_t k = 0; k < probes.size(); ++k) {
      for (Index i = 0; i < m; ++i) {
        // Multiples of the golden ratio spread over (−1, 1) without hitting −1, 0 or 1.
        const double spread =
            std::fmod(static_cast<double>(i + 1 + 17 * static_cast<Index>(k)) * 1.6180339887, 2.0);
        lambda[i] = is_interior[at(i)] != 0 ? spread - 1 : (spread < 1 ? -1.0 : 1.0);
      }
      set_all(group.surfaces, -1);
      system.field(t, x, lambda, low);
      set_all(group.surfaces, 1);
      system.field(t, x, lambda, high);
      // A region's field need not be defined off the region, as the root of a pressure that has one sign there is not.
      const bool is_whole = low.allFinite() && high.allFinite();
      if (!is_whole && group.surfaces.size() == 1) continue;
      set_all(group.surfaces, probes[k]);
      system.field(t, x, lambda, middle);
      for (Index state = 0; state < x.size(); ++state) {
        if (!std::isfinite(low[state]) || !std::isfinite(high[state])) continue;
        const double affine = low[state] + (0.5 * (1 + probes[k])) * (high[state] - low[state]);
        const double size = std::max({std::abs(low[state]), std::abs(high[state]), std::abs(middle[state])});
        const double difference = std::abs(middle[state] - affine);
        double error = size > 0 ? difference / size : 0;
        if (!std::isfinite(size) || !std::isfinite(difference))
          error = std::numeric_limits<double>::infinity();
        if (error <= check.relative_error) continue;
        check.relative_error = error;
        check.state = state;
        check.surface = group.surface_of(state);
      }
    }
  }
  check.passed = !(check.relative_error > tolerance);
  if (m == 0) {
    check.message = "there are no switching surfaces";
  } else if (check.passed) {
    check.message =
        "f is affine in each lambda (largest relative deviation " + number_text(check.relative_error) + ")";
  } else {
    const std::string state = name_at(system.state_names(), check.state);
    const std::string surface = name_at(system.surface_names(), check.surface);
    check.message = "f[" + state + "] is not affine in lambda[" + surface + "] (relative deviation " +
                    number_text(check.relative_error) +
                    "): between the sides it is not Filippov's combination of the regions; from_signs and "
                    "from_regions blend the corners instead";
  }
  return check;
}

// ---- values -----------------------------------------------------------------------------------------

void check_callable(const System& system, double t, ConstVectorRef x) {
  require_size(system, x.size(), system.states(), "x", "check_callable");
  const auto require_finite = [&](const Vector& values, const std::string& what,
                                  const std::vector<std::string>& names, const std::string& at) {
    for (Index i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      refuse({.what = what + " '" + name_at(names, i) +
                      "' is not finite, or was never set, at t = " + number_text(t) + at,
              .where = place(system),
              .expected = "a finite number",
              .got = number_text(values[i])});
    }
  };
  // An entry that the callback does not set stays not-a-number.
  constexpr double unset = std::numeric_limits<double>::quiet_NaN();
  const Index m = system.surfaces();
  Vector h = Vector::Constant(m, unset);
  system.guards(t, x, h);
  require_finite(h, "the guard of surface", system.surface_names(), "");

  const auto check_field = [&](const Vector& lambda) {
    std::string mode;
    for (Index i = 0; i < m; ++i) mode += lambda[i] > 0 ? '+' : '-';
    Vector dx = Vector::Constant(x.size(), unset);
    system.field(t, x, lambda, dx);
    require_finite(dx, "the derivative of state", system.state_names(),
                   mode.empty() ? "" : " in region '" + mode + "'");
  };
  Vector lambda(m);
  std::vector<Index> on_surface;
  for (Index i = 0; i < m; ++i) {
    lambda[i] = h[i] > 0 ? 1.0 : -1.0;
    if (h[i] == 0) on_surface.push_back(i);
  }
  // Every combination of sides of the surfaces met at the point, or as many as is reasonable.
  constexpr std::size_t most_combined = 10;
  const std::size_t combined = std::min(on_surface.size(), most_combined);
  for (std::size_t combination = 0; combination < (std::size_t{1} << combined); ++combination) {
    for (std::size_t k = 0; k < combined; ++k) {
      lambda[on_surface[k]] = (combination >> k) % 2 == 1 ? 1.0 : -1.0;
    }
    check_field(lambda);
  }
}

}  // namespace slideway
