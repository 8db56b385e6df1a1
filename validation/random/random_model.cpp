#include "validation/random/random_model.hpp"

#include <fmt/format.h>

namespace slideway::validation::random {
namespace {

// Without the parentheses round the whole.
std::string bare(const std::string& written) {
  if (written.size() < 2 || written.front() != '(') return written;
  int depth = 0;
  for (std::size_t k = 0; k < written.size(); ++k) {
    if (written[k] == '(') ++depth;
    if (written[k] == ')') --depth;
    if (depth == 0 && k + 1 < written.size()) return written;
  }
  return written.substr(1, written.size() - 2);
}

// So that it is read as a real number.
std::string real_text(double value) {
  const std::string written = text(value);
  return written.find_first_of(".e") != std::string::npos ? written : written + ".0";
}

// The number, or the parameter that is written for it.
std::string named_text(const RandomModel& model, double value, int parameter) {
  return parameter < 0 ? text(value) : model.parameters[static_cast<std::size_t>(parameter)].first;
}

Names names_of(const RandomModel& model) {
  Names names;
  for (const auto& parameter : model.parameters) names.parameters.push_back(parameter.first);
  for (const StateEntry& state : model.states) names.states.push_back(state.name);
  for (const auto& definition : model.definitions) {
    names.definitions.push_back(model.writes_guards ? std::string{} : definition.first);
  }
  // Guards are written without relays that come later, so that in their order they can be written out.
  for (const SurfaceEntry& surface : model.surfaces) {
    names.surfaces.push_back(model.writes_guards ? fmt::format("({})", bare(text(surface.guard, names)))
                                                 : surface.name);
  }
  return names;
}

std::string assignments_text(const RandomModel& model, const Assignments& set, const Names& names) {
  std::string written;
  for (const auto& [state, value] : set) {
    written += fmt::format("{}{} = \"{}\"", written.empty() ? "" : ", ",
                           model.states[static_cast<std::size_t>(state)].name, bare(text(value, names)));
  }
  return written;
}

}  // namespace

const Formula& RandomModel::derivative(int state, int location) const {
  if (!locations.empty()) {
    for (const auto& [index, value] : locations[static_cast<std::size_t>(location)].derivatives) {
      if (index == state) return value;
    }
  }
  return derivatives[static_cast<std::size_t>(state)];
}

std::string file_text(const RandomModel& model) {
  const Names names = names_of(model);
  const auto location_name = [&](int index) { return model.locations[static_cast<std::size_t>(index)].name; };
  std::string out = fmt::format("name = \"{}\"\n", model.name);
  if (!model.locations.empty()) {
    out += fmt::format("initial = \"{}\"\n", location_name(model.initial_location));
  }
  if (!model.parameters.empty()) out += "[parameters]\n";
  for (const auto& [name, value] : model.parameters) out += fmt::format("{} = {}\n", name, real_text(value));
  out += "[states]\n";
  for (const StateEntry& state : model.states)
    out += fmt::format("{} = {}\n", state.name, real_text(state.initial));
  out += fmt::format("[time]\nstart = {}\nend = {}\n", text(model.start), text(model.end));
  if (!model.definitions.empty() && !model.writes_guards) {
    out += "[definitions]\n";
    for (const auto& [name, value] : model.definitions) {
      out += fmt::format("{} = \"{}\"\n", name, bare(text(value, names)));
    }
  }
  if (!model.surfaces.empty() && !model.writes_guards) {
    out += "[surfaces]\n";
    for (const SurfaceEntry& surface : model.surfaces) {
      const std::string guard = bare(text(surface.guard, names));
      out += surface.break_away == 1
                 ? fmt::format("{} = \"{}\"\n", surface.name, guard)
                 : fmt::format("{} = {{ value = \"{}\", break_away = \"{}\" }}\n", surface.name, guard,
                               named_text(model, surface.break_away, surface.break_away_parameter));
    }
  }
  out += "[derivatives]\n";
  for (std::size_t k = 0; k < model.states.size(); ++k) {
    out += fmt::format("{} = \"{}\"\n", model.states[k].name, bare(text(model.derivatives[k], names)));
  }
  for (const LocationEntry& location : model.locations) {
    out += fmt::format("[[locations]]\nname = \"{}\"\n", location.name);
    if (location.derivatives.empty()) continue;
    out += "[locations.derivatives]\n";
    for (const auto& [state, value] : location.derivatives) {
      out += fmt::format("{} = \"{}\"\n", model.states[static_cast<std::size_t>(state)].name,
                         bare(text(value, names)));
    }
  }
  for (const ResetEntry& reset : model.resets) {
    const bool is_edge = !model.locations.empty();
    out += fmt::format("[[{}]]\nname = \"{}\"\n", is_edge ? "edges" : "resets", reset.name);
    if (is_edge) {
      out += fmt::format("from = \"{}\"\nto = \"{}\"\n", location_name(reset.from), location_name(reset.to));
    }
    out += fmt::format("when = \"{}\"\ndirection = \"{}\"\n", bare(text(reset.guard, names)),
                       reset.direction > 0 ? "rising" : "falling");
    if (!reset.set.empty()) out += fmt::format("set = {{ {} }}\n", assignments_text(model, reset.set, names));
    if (reset.zeno >= 0) out += fmt::format("zeno = \"{}\"\n", location_name(reset.zeno));
  }
  for (const ContactEntry& contact : model.contacts) {
    Assignments acts_on;
    for (const auto& [state, value] : contact.acts_on) acts_on.emplace_back(state, Formula(value));
    out +=
        fmt::format("[[contacts]]\nname = \"{}\"\ngap = \"{}\"\nacts_on = {{ {} }}\nrestitution = \"{}\"\n",
                    contact.name, bare(text(contact.gap, names)), assignments_text(model, acts_on, names),
                    named_text(model, contact.restitution, contact.restitution_parameter));
  }
  return out;
}

RandomModel with_formulas(const RandomModel& model, const std::function<Formula(const Formula&)>& change) {
  const auto changed = [&](const Formula& formula) { return rewritten(formula, change); };
  RandomModel next = model;
  for (auto& definition : next.definitions) definition.second = changed(definition.second);
  for (Formula& derivative : next.derivatives) derivative = changed(derivative);
  for (SurfaceEntry& surface : next.surfaces) surface.guard = changed(surface.guard);
  for (ContactEntry& contact : next.contacts) {
    contact.gap = changed(contact.gap);
    contact.rate = changed(contact.rate);
  }
  for (ResetEntry& reset : next.resets) {
    reset.guard = changed(reset.guard);
    for (auto& assignment : reset.set) assignment.second = changed(assignment.second);
  }
  for (LocationEntry& location : next.locations) {
    for (auto& assignment : location.derivatives) assignment.second = changed(assignment.second);
  }
  return next;
}

std::size_t size_of(const RandomModel& model) {
  std::size_t count = model.states.size() + model.contacts.size() + model.resets.size();
  with_formulas(model, [&](const Formula& node) {
    ++count;
    return node;
  });
  return count;
}

}  // namespace slideway::validation::random
