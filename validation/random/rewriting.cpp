#include "validation/random/rewriting.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slideway::validation::random {
namespace {

Formula branches(const Formula& node) {
  const int i = node.index();
  const Formulas& a = node.arguments();
  switch (node.operation()) {
    case Operation::sign: return choose(i, 1.0, -1.0);
    case Operation::absolute: return choose(i, a[0], -a[0]);
    case Operation::largest: return choose(i, a[0], a[1]);
    case Operation::smallest: return choose(i, a[1], a[0]);
    default: return node;
  }
}

RandomModel with_branches(const RandomModel& model) { return with_formulas(model, branches); }

RandomModel negated(const RandomModel& model) {
  RandomModel next = with_formulas(model, [](const Formula& node) {
    const int i = node.index();
    const Formulas& a = node.arguments();
    if (node.operation() == Operation::sign) return -sgn(i);
    if (node.operation() == Operation::choose) return choose(i, a[1], a[0]);
    return node;
  });
  for (SurfaceEntry& surface : next.surfaces) surface.guard = -surface.guard;
  return next;
}

RandomModel reversed(const RandomModel& model) {
  const int n = static_cast<int>(model.states.size());
  const int m = static_cast<int>(model.surfaces.size());
  RandomModel next = with_formulas(model, [&](const Formula& node) -> Formula {
    switch (node.operation()) {
      case Operation::state: return state_variable(n - 1 - node.index());
      case Operation::sign:
      case Operation::choose:
      case Operation::absolute:
      case Operation::largest:
      case Operation::smallest: return {node.operation(), m - 1 - node.index(), node.arguments()};
      default: return node;
    }
  });
  std::reverse(next.states.begin(), next.states.end());
  std::reverse(next.derivatives.begin(), next.derivatives.end());
  std::reverse(next.surfaces.begin(), next.surfaces.end());
  for (ContactEntry& contact : next.contacts) {
    for (auto& entry : contact.acts_on) entry.first = n - 1 - entry.first;
  }
  for (ResetEntry& reset : next.resets) {
    for (auto& entry : reset.set) entry.first = n - 1 - entry.first;
  }
  for (LocationEntry& location : next.locations) {
    for (auto& entry : location.derivatives) entry.first = n - 1 - entry.first;
  }
  return next;
}

RandomModel in_time(const RandomModel& model, double factor) {
  RandomModel next = with_formulas(model, [&](const Formula& node) {
    return node.operation() == Operation::time ? Formula(node / factor) : node;
  });
  for (Formula& derivative : next.derivatives) derivative = derivative / factor;
  for (LocationEntry& location : next.locations) {
    for (auto& entry : location.derivatives) entry.second = entry.second / factor;
  }
  next.start *= factor;
  next.end *= factor;
  return next;
}

RandomModel later(const RandomModel& model, double shift) {
  RandomModel next = with_formulas(model, [&](const Formula& node) {
    return node.operation() == Operation::time ? Formula(node - shift) : node;
  });
  next.start += shift;
  next.end += shift;
  return next;
}

RandomModel in_states(const RandomModel& model, double factor) {
  RandomModel next = with_formulas(model, [&](const Formula& node) {
    return node.operation() == Operation::state ? Formula(node / factor) : node;
  });
  for (StateEntry& state : next.states) {
    state.initial *= factor;
    state.scale *= factor;
  }
  for (Formula& derivative : next.derivatives) derivative = derivative * factor;
  for (ContactEntry& contact : next.contacts) {
    for (auto& entry : contact.acts_on) entry.second *= factor;
  }
  for (ResetEntry& reset : next.resets) {
    for (auto& entry : reset.set) entry.second = entry.second * factor;
  }
  for (LocationEntry& location : next.locations) {
    for (auto& entry : location.derivatives) entry.second = entry.second * factor;
  }
  return next;
}

bool is_relay(const Formula& node) {
  switch (node.operation()) {
    case Operation::sign:
    case Operation::choose:
    case Operation::absolute:
    case Operation::largest:
    case Operation::smallest: return true;
    default: return false;
  }
}

std::set<int> surfaces_in(const Formula& formula) {
  std::set<int> used;
  rewritten(formula, [&](const Formula& node) {
    if (is_relay(node)) used.insert(node.index());
    return node;
  });
  return used;
}

bool uses_all_surfaces(const RandomModel& model) {
  std::set<int> used;
  for (const Formula& derivative : model.derivatives) used.merge(surfaces_in(derivative));
  return used.size() == model.surfaces.size();
}

// Surface 0 as a pair of locations with an edge to and fro; the others move up.
RandomModel with_locations(const RandomModel& model, int first_side) {
  const auto on_side = [](int side) {
    return [side](const Formula& node) -> Formula {
      // A definition would hold for one side alone.
      if (node.operation() == Operation::definition) return node.arguments()[0];
      if (!is_relay(node)) return node;
      const Formulas& a = node.arguments();
      const int i = node.index();
      if (i > 0) return {node.operation(), i - 1, a};
      if (node.operation() == Operation::sign) return static_cast<double>(side);
      if (node.operation() == Operation::choose) return side > 0 ? a[0] : a[1];
      return node;
    };
  };
  RandomModel next = with_formulas(model, on_side(1));
  next.surfaces.erase(next.surfaces.begin());
  const Formula guard = model.surfaces[0].guard;
  next.locations = {{.name = "below"}, {.name = "above"}};
  for (std::size_t k = 0; k < model.derivatives.size(); ++k) {
    next.locations[0].derivatives.emplace_back(static_cast<int>(k),
                                               rewritten(model.derivatives[k], on_side(-1)));
  }
  next.definitions.clear();
  next.initial_location = first_side > 0 ? 1 : 0;
  next.resets = {{.name = "up", .guard = guard, .direction = 1, .from = 0, .to = 1},
                 {.name = "down", .guard = guard, .direction = -1, .from = 1, .to = 0}};
  return next;
}

// Whether the surface is that of abs, min or max, which jumps in its derivative alone.
bool has_kink(const RandomModel& model, int surface) {
  bool found = false;
  with_formulas(model, [&](const Formula& node) {
    const bool is_kink = node.operation() == Operation::absolute || node.operation() == Operation::largest ||
                         node.operation() == Operation::smallest;
    found = found || (is_kink && node.index() == surface);
    return node;
  });
  return found;
}

bool has_break_away(const RandomModel& model) {
  return std::any_of(model.surfaces.begin(), model.surfaces.end(),
                     [](const SurfaceEntry& surface) { return surface.break_away != 1; });
}

}  // namespace

std::vector<Rewriting> rewritings_of(const RandomModel& model, const std::string& initial_word) {
  std::vector<Rewriting> out;
  bool has_relays = false;
  with_formulas(model, [&](const Formula& node) {
    has_relays = has_relays || is_relay(node);
    return node;
  });
  if (has_relays) {
    out.push_back({.name = "if for sgn", .model = with_branches(model)});
    if (!has_break_away(model)) {
      out.push_back({.name = "surfaces negated", .model = negated(model), .negates = true});
    }
  }
  out.push_back({.name = "reversed order", .model = reversed(model), .reverses = true});
  if (has_relays && !has_break_away(model) && uses_all_surfaces(model)) {
    Rewriting inlined{.name = "written out", .model = model, .keeps_words = false};
    inlined.model.writes_guards = true;
    out.push_back(inlined);
  }
  for (const double factor : {1e4, 1e-4}) {
    out.push_back(
        {.name = fmt::format("time x {:g}", factor), .model = in_time(model, factor), .time_factor = factor});
  }
  for (const double factor : {1e6, 1e-6}) {
    out.push_back({.name = fmt::format("states x {:g}", factor),
                   .model = in_states(model, factor),
                   .state_factor = factor});
  }
  constexpr double shift = 1e4;
  out.push_back({.name = "start + 1e4", .model = later(model, shift), .time_shift = shift});
  if (has_relays && !model.surfaces.empty() && model.locations.empty() && model.resets.empty() &&
      model.contacts.empty() && !has_kink(model, 0) && !has_break_away(model) && initial_word[0] != '0') {
    out.push_back({.name = "two locations",
                   .model = with_locations(model, initial_word[0] == '+' ? 1 : -1),
                   .keeps_words = false});
  }
  return out;
}

Motion restored(Motion motion, const Rewriting& rewriting, const RandomModel& model) {
  const auto time = [&](long double t) {
    return (t - static_cast<long double>(rewriting.time_shift)) /
           static_cast<long double>(rewriting.time_factor);
  };
  const auto state = [&](std::vector<long double>& x) {
    for (long double& entry : x) entry /= static_cast<long double>(rewriting.state_factor);
    if (rewriting.reverses) std::reverse(x.begin(), x.end());
  };
  const auto word = [&](std::string& letters) {
    const std::size_t m = std::min(model.surfaces.size(), letters.size());
    const auto end = letters.begin() + static_cast<std::ptrdiff_t>(m);
    if (rewriting.reverses) std::reverse(letters.begin(), end);
    if (!rewriting.negates) return;
    for (std::size_t k = 0; k < m; ++k)
      letters[k] = letters[k] == '+' ? '-' : letters[k] == '-' ? '+' : letters[k];
  };
  motion.t = time(motion.t);
  word(motion.initial_word);
  for (Happening& happening : motion.happenings) {
    happening.t = time(happening.t);
    word(happening.word);
  }
  for (Accumulation& accumulation : motion.accumulations) accumulation.limit = time(accumulation.limit);
  state(motion.state);
  for (auto& sample : motion.samples) state(sample);
  return motion;
}

std::vector<long double> sample_times(const std::vector<long double>& times, const Rewriting& rewriting) {
  std::vector<long double> out;
  for (const long double t : times) {
    out.push_back(t * static_cast<long double>(rewriting.time_factor) +
                  static_cast<long double>(rewriting.time_shift));
  }
  return out;
}

}  // namespace slideway::validation::random
