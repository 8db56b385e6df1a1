#include "slideway/model/automaton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/number_text.hpp"
#include "model/probed_error.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/scratch.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

namespace {

const char kWhere[] = "Automaton";

std::string describe(const Edge& edge) {
  return std::string(kWhere) + ", edge " + (edge.name.empty() ? "" : "'" + edge.name + "' ") + "from '" +
         edge.from + "' to '" + edge.to + "'";
}

void check_alike(const Location& location, const Location& first) {
  const System& a = location.system;
  const System& b = first.system;
  const bool same_contacts =
      std::equal(a.contacts().begin(), a.contacts().end(), b.contacts().begin(), b.contacts().end(),
                 [](const Contact& one, const Contact& other) { return one.name == other.name; });
  if (a.state_names() == b.state_names() && a.discrete() == b.discrete() &&
      a.surface_names() == b.surface_names() && same_contacts)
    return;
  const auto sizes = [](const System& s) {
    return std::to_string(s.states()) + " states, " + std::to_string(s.surfaces()) + " surfaces and " +
           std::to_string(s.contacts().size()) + " contacts";
  };
  refuse({.what = "the locations differ in their states, surfaces or contacts",
          .where = std::string(kWhere) + ", location '" + location.name + "'",
          .expected = "those of '" + first.name + "': " + sizes(b) + ", with the same names",
          .got = sizes(a)});
}

std::size_t place_of(const std::string& name, const std::vector<Location>& locations,
                     const std::string& where) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    if (locations[i].name == name) return i;
    names.push_back(locations[i].name);
  }
  std::string known;
  for (const std::string& candidate : names) known += (known.empty() ? "" : ", ") + candidate;
  const std::string near = nearest_name(name, names);
  refuse({.what = "there is no location of that name",
          .where = where,
          .expected = "one of " + known,
          .got = "'" + name + "'",
          .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
}

using Rows = std::vector<std::vector<Index>>;

void add_rows(const std::optional<Pattern>& pattern, Rows& rows) {
  if (!pattern) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].insert(rows[i].end(), pattern->column.begin() + pattern->start[i],
                   pattern->column.begin() + pattern->start[i + 1]);
  }
}

// The joined field depends on all that either field depends on. λ of the surface between them enters wherever the two may differ;
// its guard is the last.
void join_patterns(const SystemDefinition& below, const SystemDefinition& above, const Guard& guard,
                   SystemDefinition& joined) {
  const Index n = joined.states;
  const Index m = below.surfaces;
  const bool knows_relays = m == 0 || (below.field_dlambda_pattern && above.field_dlambda_pattern);
  if (below.field_dx_pattern && above.field_dx_pattern) {
    Rows rows(static_cast<std::size_t>(n));
    add_rows(below.field_dx_pattern, rows);
    add_rows(above.field_dx_pattern, rows);
    joined.field_dx_pattern = pattern_from_rows(n, std::move(rows));
  }
  if (knows_relays) {
    Rows rows(static_cast<std::size_t>(n), {m});
    add_rows(below.field_dlambda_pattern, rows);
    add_rows(above.field_dlambda_pattern, rows);
    joined.field_dlambda_pattern = pattern_from_rows(m + 1, std::move(rows));
  }
  if (m == 0 || below.guards_dx_pattern) {
    Rows rows(static_cast<std::size_t>(m));
    add_rows(below.guards_dx_pattern, rows);
    if (const std::optional<GuardShape> shape = guard.shape(n)) {
      rows.push_back(shape->states);
    } else {
      rows.emplace_back(static_cast<std::size_t>(n));
      std::iota(rows.back().begin(), rows.back().end(), Index{0});
    }
    joined.guards_dx_pattern = pattern_from_rows(n, std::move(rows));
  }
}

// A name that no other surface has.
std::string name_between(const Location& minus, const Location& plus, const std::string& name) {
  const std::vector<std::string>& taken = minus.system.surface_names();
  const auto is_taken = [&](const std::string& one) {
    return std::find(taken.begin(), taken.end(), one) != taken.end();
  };
  std::string between = name.empty() ? "between" : name;
  if (is_taken(between)) between = joined_name(minus, plus);
  while (is_taken(between)) between += "'";
  return between;
}

}  // namespace

Automaton::Automaton(System system) { locations_.push_back({"", std::move(system)}); }

Automaton::Automaton(std::vector<Location> locations, std::vector<Edge> edges, const std::string& initial)
    : locations_(std::move(locations)), edges_(std::move(edges)) {
  if (locations_.empty()) {
    refuse({.what = "an automaton needs at least one location",
            .where = kWhere,
            .expected = "a location",
            .got = "none"});
  }
  std::set<std::string> names;
  for (const Location& location : locations_) {
    if (location.name.empty()) {
      refuse({.what = "a location has no name", .where = kWhere, .expected = "a name that is not empty"});
    }
    if (!names.insert(location.name).second) {
      refuse({.what = "two locations have the same name",
              .where = kWhere,
              .expected = "distinct names",
              .got = "'" + location.name + "' twice"});
    }
    check_alike(location, locations_.front());
  }
  for (const Edge& edge : edges_) {
    place_of(edge.from, locations_, describe(edge));
    place_of(edge.to, locations_, describe(edge));
    if (!(edge.delay.time >= 0)) {
      refuse({.what = "the delay of an edge makes no sense",
              .where = describe(edge),
              .expected = "a number >= 0",
              .got = number_text(edge.delay.time)});
    }
    if (!edge.zeno.empty()) place_of(edge.zeno, locations_, describe(edge));
    if (!edge.when) {
      refuse({.what = "an edge has no guard",
              .where = describe(edge),
              .expected = "a guard g(t, x)",
              .got = "nothing"});
    }
  }
  initial_ = place_of(initial, locations_, std::string(kWhere) + ", initial location");
}

std::size_t Automaton::location_index(const std::string& name) const {
  if (!has_locations() && !name.empty()) {
    refuse({.what = "a system has no locations",
            .where = kWhere,
            .expected = "no name",
            .got = "'" + name + "'"});
  }
  return place_of(name, locations_, kWhere);
}

std::optional<JoinedEdges> Automaton::joined_edges(const std::string& name, double t,
                                                   ConstVectorRef x) const {
  std::optional<JoinedEdges> joined;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const Edge& edge = edges_[e];
    // This test comes before the names are made.
    const bool may_be = edge.direction == Direction::rising &&
                        name.size() == edge.from.size() + edge.to.size() + 1 && name.starts_with(edge.from);
    if (!may_be ||
        joined_name(locations_[location_index(edge.from)], locations_[location_index(edge.to)]) != name)
      continue;
    const auto undoes = [&](const Edge& other) { return undo_each_other(edge, other); };
    const auto back = std::find_if(edges_.begin(), edges_.end(), undoes);
    if (back == edges_.end()) continue;
    const double distance = std::abs(edge.when.value(t, x));
    if (joined && !(distance < nearest)) continue;
    nearest = distance;
    joined = {.rising = e, .falling = static_cast<std::size_t>(back - edges_.begin())};
  }
  return joined;
}

std::optional<System> Automaton::system_at(const std::string& name, double t, ConstVectorRef x) const {
  for (const Location& location : locations_)
    if (location.name == name) return location.system;
  const std::optional<JoinedEdges> joined = joined_edges(name, t, x);
  if (!joined) return std::nullopt;
  const Edge& edge = edges_[joined->rising];
  return join_locations(locations_[location_index(edge.from)], locations_[location_index(edge.to)], edge.when,
                        edge.name);
}

bool undo_each_other(const Edge& first, const Edge& second) {
  return !first.reset && !second.reset && first.delay.time == 0 && second.delay.time == 0 &&
         first.from != first.to && first.from == second.to && first.to == second.from &&
         first.when == second.when && first.direction != second.direction &&
         first.direction != Direction::any && second.direction != Direction::any;
}

// The guards are those of the surfaces, with their exact derivatives where all have some, and that between the locations.
static void join_guards(const System& below, const Guard& guard, SystemDefinition& joined) {
  const Index m = below.surfaces();
  const SystemDefinition& definition = below.definition();
  joined.guards = [below, guard, m](double t, ConstVectorRef x, VectorRef h) {
    below.guards(t, x, h.head(m));
    h[m] = guard.value(t, x);
  };
  joined.guards_running_error = [below, guard, m](double t, ConstVectorRef x, VectorRef errors) {
    find_running_errors(below.definition(), t, x, errors.head(m));
    errors[m] = guard.running_error(t, x);
  };
  const auto shape = guard.shape(below.states());
  joined.guards_affine = shape && shape->affine && (m == 0 || definition.guards_affine);
  if (!guard.has_exact_derivatives() || (m > 0 && !(definition.guards_along && definition.guards_mixed)))
    return;
  joined.guards_along = [below, guard, m](double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                          VectorRef h, VectorRef h_dot) {
    if (m > 0) below.definition().guards_along(t, x, t_dot, x_dot, h.head(m), h_dot.head(m));
    h[m] = guard.value(t, x);
    h_dot[m] = guard.rate(t, x, t_dot, x_dot);
  };
  joined.guards_mixed = [below, guard, m](double t, ConstVectorRef x, double t_first, ConstVectorRef x_first,
                                          double t_second, ConstVectorRef x_second, ConstVectorRef x_mixed,
                                          VectorRef h_mixed) {
    if (m > 0)
      below.definition().guards_mixed(t, x, t_first, x_first, t_second, x_second, x_mixed, h_mixed.head(m));
    h_mixed[m] = guard.mixed(t, x, t_first, x_first, t_second, x_second, x_mixed);
  };
}

std::string joined_name(const Location& minus, const Location& plus) { return minus.name + "|" + plus.name; }

System join_locations(const Location& minus, const Location& plus, const Guard& guard,
                      const std::string& name) {
  const System below = minus.system;
  const System above = plus.system;
  const Index m = below.surfaces();
  SystemDefinition definition;
  definition.name = joined_name(minus, plus);
  definition.second_order = {};
  definition.states = below.states();
  definition.surfaces = m + 1;
  definition.state_names = below.state_names();
  definition.surface_names = below.surface_names();
  definition.surface_names.push_back(name_between(minus, plus, name));
  definition.sides_at_zero = below.definition().sides_at_zero;
  if (!definition.sides_at_zero.empty()) definition.sides_at_zero.push_back(0);
  definition.events = below.events();
  definition.contacts = below.contacts();
  definition.discrete = below.discrete();
  definition.field = [below, above, m](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    // A region whose weight is zero is not evaluated: its field may not be defined here.
    const double share = 0.5 * (1 + lambda[m]);
    if (share == 1) return above.field(t, x, lambda.head(m), dx);
    below.field(t, x, lambda.head(m), dx);
    if (share == 0) return;
    ScratchFrame frame;
    Eigen::Map<Vector> other(frame.take<double>(x.size()), x.size());
    above.field(t, x, lambda.head(m), other);
    dx = (1 - share) * dx + share * other;
  };
  const SystemDefinition& of_below = below.definition();
  const SystemDefinition& of_above = above.definition();
  if (of_below.field_along && of_above.field_along) {
    definition.field_along = [below, above, m](double t, ConstVectorRef x, ConstVectorRef lambda,
                                               double t_dot, ConstVectorRef x_dot, ConstVectorRef lambda_dot,
                                               VectorRef dx, VectorRef dx_dot) {
      const double share = 0.5 * (1 + lambda[m]);
      const double share_dot = 0.5 * lambda_dot[m];
      const auto along = [&](const System& one, VectorRef value, VectorRef derivative) {
        one.definition().field_along(t, x, lambda.head(m), t_dot, x_dot, lambda_dot.head(m), value,
                                     derivative);
      };
      if (share == 1 && share_dot == 0) return along(above, dx, dx_dot);
      along(below, dx, dx_dot);
      if (share == 0 && share_dot == 0) return;
      ScratchFrame frame;
      Eigen::Map<Vector> other(frame.take<double>(x.size()), x.size());
      Eigen::Map<Vector> other_dot(frame.take<double>(x.size()), x.size());
      along(above, other, other_dot);
      dx_dot = (1 - share) * dx_dot + share * other_dot + share_dot * (other - dx);
      dx = (1 - share) * dx + share * other;
    };
  }
  join_patterns(of_below, of_above, guard, definition);
  join_guards(below, guard, definition);
  // Surfaces are those of every location, and so are their ratios; the guard between the two has none.
  if (below.breaks_away()) {
    definition.break_away = [below, m](double t, ConstVectorRef x, VectorRef ratios) {
      below.definition().break_away(t, x, ratios.head(m));
      ratios[m] = 1;
    };
  }
  if (below.definition().break_away_below) {
    definition.break_away_below = [below, m](double t, ConstVectorRef x, VectorRef ratios) {
      below.definition().break_away_below(t, x, ratios.head(m));
      ratios[m] = 1;
    };
  }
  return System(std::move(definition));
}

}  // namespace slideway
