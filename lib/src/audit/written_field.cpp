#include "audit/written_field.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <stdexcept>

#include "model_file/file_instances.hpp"

namespace slideway {

std::shared_ptr<const WrittenModel> parse_written_model(const std::string& text, const std::string& file_name,
                                                        const Settings& settings) {
  reader::Mistakes mistakes;
  auto description = std::make_shared<reader::ModelDescription>(
      reader::describe_model(reader::SourceText(file_name, text), mistakes));
  if (mistakes.empty()) reader::resolve_names(*description, mistakes);
  if (!mistakes.empty()) throw std::invalid_argument(reader::report(description->source, mistakes));
  return std::make_shared<WrittenModel>(WrittenModel{std::move(description), settings});
}

std::shared_ptr<const WrittenModel> written_model(const Model& model, const Settings& settings) {
  const auto* const file = model.instantiate.target<reader::FileInstances>();
  if (file == nullptr) return nullptr;
  return std::make_shared<WrittenModel>(WrittenModel{file->description, settings});
}

}  // namespace slideway

namespace slideway::auditing {

using reader::Assignment;
using reader::Formula;

WrittenField::WrittenField(const WrittenModel& written) : model_(*written.description), tree_(model_) {
  std::map<std::string, double> settings;
  for (const auto& [name, value] : written.settings) settings[name] = value;
  for (const reader::Quantity& parameter : model_.parameters) {
    const auto set = settings.find(parameter.name);
    tree_.add_parameter(set != settings.end() ? set->second : constant(parameter.value));
  }
  const auto lengths = [&](const std::vector<reader::Quantity>& quantities) {
    std::vector<std::uint32_t> result;
    for (const reader::Quantity& quantity : quantities) result.push_back(count_of(quantity.size));
    return result;
  };
  tree_.set_lengths(lengths(model_.states), lengths(model_.definitions), lengths(model_.surfaces));
  read_motion();
  read_contacts();
}

double WrittenField::constant(const Formula& formula, Indices at) {
  return tree_.constant(tree_.compile(formula), at);
}

std::uint32_t WrittenField::count_of(const std::optional<Formula>& size) {
  return size ? static_cast<std::uint32_t>(constant(*size)) : 1;
}

void WrittenField::add_lines(const Assignment& assignment, std::uint32_t i, std::vector<Line>& lines) {
  const std::size_t k = assignment.state;
  const Root value = tree_.compile(assignment.value);
  const bool is_every = model_.states[k].is_vector() && assignment.element == 0 && !assignment.indexed;
  std::uint32_t only = std::max<std::uint32_t>(assignment.element, 1);
  if (assignment.indexed) only = tree_.element_of(*assignment.indexed, {i, 0});
  if (only == 0 || only > tree_.states_of(k)) return;
  const bool has_element = uses_element(assignment.value);
  for (std::uint32_t e = is_every ? 1 : only; e <= (is_every ? tree_.states_of(k) : only); ++e) {
    const Indices at = has_element ? Indices{i, e} : Indices{is_every ? e : i, 0};
    lines.push_back({tree_.first_state(k) + e - 1, value, at, &assignment.value});
  }
}

// A line for one element comes after those for every one.
std::vector<Line> WrittenField::lines_of(const std::vector<Assignment>& assignments, std::uint32_t i) {
  std::map<std::uint32_t, Line> lines;
  for (const bool every : {true, false}) {
    for (const Assignment& one : assignments) {
      if ((model_.states[one.state].is_vector() && one.element == 0 && !one.indexed) != every) continue;
      std::vector<Line> made;
      add_lines(one, i, made);
      for (const Line& line : made) lines[line.state] = line;
    }
  }
  std::vector<Line> result;
  for (const auto& [state, line] : lines) result.push_back(line);
  return result;
}

void WrittenField::read_motion() {
  const std::uint32_t n = tree_.states();
  is_written_.assign(n, false);
  in_locations_.resize(n);
  mass_.resize(n);
  std::vector<Line> everywhere;
  for (const Assignment& line : model_.derivatives) add_lines(line, 0, everywhere);
  const auto rows_with = [&](const std::vector<Line>& lines) {
    std::vector<Line> rows(n);
    for (const Line& line : lines) {
      rows[line.state] = line;
      is_written_[line.state] = true;
    }
    return rows;
  };
  if (model_.locations.empty()) {
    locations_.emplace_back();
    rows_.push_back(rows_with(everywhere));
  }
  for (const reader::LocationDescription& location : model_.locations) {
    std::vector<Line> here = everywhere;
    for (const Assignment& line : location.derivatives) add_lines(line, 0, here);
    locations_.push_back(location.name);
    rows_.push_back(rows_with(here));
  }
  for (const reader::AutomatonDescription& automaton : model_.automata) {
    const bool is_one = !model_.states[automaton.state].is_vector();
    const std::uint32_t first = tree_.first_state(automaton.state);
    const std::uint32_t count = tree_.states_of(automaton.state);
    for (std::size_t k = 0; k < automaton.locations.size(); ++k)
      for (const Assignment& line : automaton.locations[k].derivatives) {
        const bool is_indexed = !is_one && line.indexed.has_value();
        for (std::uint32_t i = 1; i <= (is_indexed ? count : 1); ++i) {
          std::vector<Line> made;
          add_lines(line, is_indexed ? i : 0, made);
          for (std::uint32_t e = 0; e < made.size(); ++e) {
            const std::uint32_t owner = first + (is_one ? 0 : is_indexed ? i - 1 : std::min(e, count - 1));
            in_locations_[made[e].state].push_back({owner, static_cast<double>(k + 1), made[e]});
            is_written_[made[e].state] = true;
          }
        }
      }
  }
  for (const reader::MassRow& row : model_.mass)
    for (std::uint32_t i = 1; i <= tree_.states_of(row.state); ++i)
      for (const Line& entry : lines_of(row.entries, model_.states[row.state].is_vector() ? i : 0))
        mass_[tree_.first_state(row.state) + i - 1].emplace_back(entry.state, entry);
}

void WrittenField::read_contacts() {
  for (const reader::ContactDescription& contact : model_.contacts) {
    const std::uint32_t count = count_of(contact.size);
    for (std::uint32_t k = 1; k <= count; ++k) {
      WrittenContact made;
      made.i = contact.size ? k : 0;
      made.name = contact.name + (contact.size ? std::to_string(k) : "");
      made.gap = tree_.compile(contact.gap);
      made.acts_on = lines_of(contact.acts_on, made.i);
      if (!contact.restitution.empty()) made.restitution = tree_.compile(contact.restitution);
      made.law = contact.impact_law;
      if (contact.friction) {
        made.coefficient = tree_.compile(contact.friction->coefficient);
        if (contact.friction->at_rest) made.at_rest = tree_.compile(*contact.friction->at_rest);
        for (const Formula& velocity : contact.friction->velocities)
          made.velocities.push_back(tree_.compile(velocity));
        for (const auto& part : contact.friction->acts_on) made.friction.push_back(lines_of(part, made.i));
      }
      contacts_.push_back(std::move(made));
    }
  }
}

const Line* WrittenField::line_of(const std::string& location, std::uint32_t state, const double* x) const {
  for (auto one = in_locations_[state].rbegin(); one != in_locations_[state].rend(); ++one)
    if (x[one->automaton] == one->number) return &one->line;
  const auto place = std::find(locations_.begin(), locations_.end(), location);
  const std::size_t k = place == locations_.end() ? 0 : static_cast<std::size_t>(place - locations_.begin());
  const Line& line = rows_[k][state];
  return line.value == no_root ? nullptr : &line;
}

double WrittenField::row(std::size_t location, std::uint32_t state, const double* x) {
  for (auto one = in_locations_[state].rbegin(); one != in_locations_[state].rend(); ++one)
    if (x[one->automaton] == one->number) return tree_.value(one->line.value, one->line.at);
  const Line& line = rows_[location][state];
  return line.value == no_root ? 0 : tree_.value(line.value, line.at);
}

bool WrittenField::derivatives(const std::string& location, double t, const double* x, const Sides* sides,
                               Met* met, Vector& f) {
  const std::uint32_t n = tree_.states();
  f.resize(n);
  tree_.set_point(t, x, sides, met);
  const auto in = [&](const std::string& name) {
    const auto place = std::find(locations_.begin(), locations_.end(), name);
    return place == locations_.end() ? locations_.size()
                                     : static_cast<std::size_t>(place - locations_.begin());
  };
  const std::size_t here = in(location);
  if (here < locations_.size()) {
    for (std::uint32_t k = 0; k < n; ++k) f[k] = row(here, k, x);
    return f.allFinite();
  }
  // Between two locations the solution has a combination of both fields.
  const std::size_t bar = location.find('|');
  if (bar == std::string::npos) return false;
  const std::size_t below = in(location.substr(0, bar));
  const std::size_t above = in(location.substr(bar + 1));
  if (below == locations_.size() || above == locations_.size()) return false;
  constexpr SiteKey between = 0xB37EE2ULL;
  double side = 0;
  if (sides != nullptr && sides->count(between) > 0) side = sides->at(between);
  if (met != nullptr) (*met)[between] = {0, side, true};
  for (std::uint32_t k = 0; k < n; ++k)
    f[k] = 0.5 * (1 - side) * row(below, k, x) + 0.5 * (1 + side) * row(above, k, x);
  return f.allFinite();
}

void WrittenField::left_side(const Vector& rates, const Vector& tolerances, Vector& left, Vector& allowed) {
  const std::uint32_t n = tree_.states();
  left.resize(n);
  allowed.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    left[k] = rates[k];
    allowed[k] = tolerances[k];
    if (mass_[k].empty()) continue;
    left[k] = allowed[k] = 0;
    for (const auto& [column, line] : mass_[k]) {
      const double entry = tree_.value(line.value, line.at);
      left[k] += entry * rates[column];
      allowed[k] += std::abs(entry) * tolerances[column];
    }
  }
}

std::optional<double> WrittenField::constant_rate(std::uint32_t state) {
  if (!is_written_[state] || !mass_[state].empty() || !in_locations_[state].empty()) return std::nullopt;
  const auto moves = [&](const std::vector<Line>& lines) {
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.state == state; });
  };
  for (const WrittenContact& contact : contacts_) {
    if (moves(contact.acts_on)) return std::nullopt;
    if (std::any_of(contact.friction.begin(), contact.friction.end(), moves)) return std::nullopt;
  }
  std::optional<double> rate;
  for (const std::vector<Line>& rows : rows_) {
    const Line& line = rows[state];
    if (line.value != no_root && !tree_.is_constant(line.value)) return std::nullopt;
    const double here = line.value == no_root ? 0 : tree_.constant(line.value, line.at);
    if (!std::isfinite(here) || (rate && *rate != here)) return std::nullopt;
    rate = here;
  }
  return rate;
}

std::string WrittenField::told(const std::string& location, std::uint32_t state, const double* x) const {
  const Line* const line = line_of(location, state, x);
  return line == nullptr ? "" : " (" + explained(*line, x) + ")";
}

std::vector<Follower> WrittenField::followers(double t, const double* x) {
  if (!tree_.has_algebraic()) return {};
  tree_.set_point(t, x, nullptr, nullptr);
  return tree_.followers();
}

std::string WrittenField::explained(const Line& line, const double* x) const {
  constexpr std::size_t longest = 80;
  constexpr std::size_t most_names = 4;
  std::string text = line.formula->expression.text;
  if (text.empty()) text = print_expression(line.formula->expression);
  if (text.size() > longest) text = text.substr(0, longest) + "…";
  std::set<std::string> names;
  std::string values;
  for (std::size_t k = 0; k < line.formula->symbols.size() && names.size() < most_names; ++k) {
    const reader::Symbol symbol = line.formula->symbols[k];
    const reader::Token& token = line.formula->expression.tokens[k];
    if (symbol.kind != reader::SymbolKind::state || token.kind != reader::TokenKind::name) continue;
    const std::string name(line.formula->expression.spelling(token));
    if (!names.insert(name).second) continue;
    const std::uint32_t element = std::max<std::uint32_t>(symbol.element, 1);
    values += fmt::format("{}{} = {:.6g}", values.empty() ? " with " : ", ", name,
                          x[tree_.first_state(symbol.index) + element - 1]);
  }
  return text + values;
}

}  // namespace slideway::auditing
