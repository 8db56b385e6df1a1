// Expander: lengths of vectors, names and initial values of states, settings and tolerances.
#include "model_file/expander.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"
#include "slideway/model/settings.hpp"

namespace slideway::reader {

void Expander::build_initial_nodes() {
  if (free_.empty() && initial_.empty()) return;
  // The values so far are those with numbers for parameters.
  builder_.forget_initial_values();
  take_initial_settings();
  for_initial_values([&](std::uint32_t k, std::uint32_t element, std::uint32_t index) {
    if (expanded_.state_names[index] == initial_)
      builder_.set_initial_value(k, element, expanded_.graph.state(index));
  });
  for_initial_values([&](std::uint32_t k, std::uint32_t element, std::uint32_t index) {
    if (settings_.count(expanded_.state_names[index]) > 0) return;
    succeeds([&] { expanded_.initial_nodes.emplace_back(index, builder_.initial_value(k, element)); });
  });
}

void Expander::set_lengths(const std::vector<Quantity>& quantities, std::vector<std::uint32_t>& lengths) {
  for (const Quantity& quantity : quantities) {
    lengths.push_back(1);
    if (quantity.is_vector()) succeeds([&] { lengths.back() = length_of(*quantity.size); });
  }
}

std::uint32_t Expander::length_of(const Formula& size, int least) {
  const double length = constant(size);
  if (length == std::floor(length) && length >= least) {
    elements_ += length;
    if (elements_ <= static_cast<double>(limits_.states)) return static_cast<std::uint32_t>(length);
  }
  Mistake mistake;
  mistake.where = size.position;
  mistake.what = size.owner;
  mistake.expected = "an integer from " + std::to_string(least) + ", and at most " +
                     std::to_string(limits_.states) + " elements in all";
  mistake.got = exact_text(length);
  mistakes_.push_back(std::move(mistake));
  throw Unbuildable{};
}

void Expander::set_states() {
  for (std::size_t k = 0; k < model_.states.size(); ++k) {
    extents_.first_state.push_back(static_cast<std::uint32_t>(expanded_.state_names.size()));
    const Quantity& state = model_.states[k];
    for (std::uint32_t element = 1; element <= extents_.states[k]; ++element)
      expanded_.state_names.push_back(state.is_vector() ? state.name + std::to_string(element) : state.name);
  }
  for (std::size_t k = 0; k < model_.states.size(); ++k)
    if (model_.states[k].discrete) expanded_.discrete += static_cast<Index>(extents_.states[k]);
  extents_.first_held =
      static_cast<std::uint32_t>(expanded_.state_names.size() - static_cast<std::size_t>(expanded_.discrete));
  check_name_clashes();
  const std::size_t count = expanded_.state_names.size();
  expanded_.initial = Vector::Zero(static_cast<Index>(count));
  const std::size_t before = expanded_.graph.size();
  take_initial_settings();
  for (std::size_t k = 0; k < model_.states.size(); ++k) set_initial_values(k);
  forget_initial_constants(before);
  succeeds([&] { expanded_.start = constant(model_.start); });
  succeeds([&] { expanded_.end = constant(model_.end); });
  if (expanded_.end < expanded_.start)
    mistakes_.push_back({model_.end.position, 1, "the end is before the start",
                         "an end time of at least " + exact_text(expanded_.start), exact_text(expanded_.end),
                         ""});
  set_tolerances(count);
}

void Expander::take_initial_settings() {
  if (settings_.empty()) return;
  for_initial_values([&](std::uint32_t k, std::uint32_t element, std::uint32_t index) {
    const std::string& name = expanded_.state_names[index];
    const auto setting = settings_.find(name);
    if (setting == settings_.end()) return;
    check_setting(model_.name, name, setting->second, {name});
    builder_.set_initial_value(k, element, expanded_.graph.constant(setting->second));
  });
}

void Expander::set_initial_values(std::size_t k) {
  for (std::uint32_t element = 1; element <= extents_.states[k]; ++element) {
    const std::uint32_t index = extents_.first_state[k] + element - 1;
    std::optional<NodeId> node;
    succeeds([&] { node = builder_.initial_value(static_cast<std::uint32_t>(k), element); });
    if (!node) return;
    expanded_.initial[static_cast<Index>(index)] = expanded_.graph.value(*node);
  }
}

void Expander::forget_initial_constants(std::size_t before) {
  ExpressionGraph& graph = expanded_.graph;
  for (auto id = static_cast<NodeId>(before); id < graph.size(); ++id)
    if (!graph.is_constant(id)) return;
  if (!builder_.ends_of_tables().empty()) return;
  builder_.forget_initial_values();
  graph.forget_from(before);
}

void Expander::set_tolerances(std::size_t count) {
  std::size_t with_errors = count - static_cast<std::size_t>(expanded_.discrete);
  for (std::size_t k = 0; k < model_.states.size(); ++k)
    if (model_.states[k].follows) with_errors -= extents_.states[k];
  if (!model_.atol_list.empty() && model_.atol_list.size() != with_errors)
    mistakes_.push_back({model_.atol_position, 1, "'atol' of the wrong length",
                         std::to_string(with_errors) + " numbers, one per state" +
                             (expanded_.discrete > 0 ? " of [states]" : ""),
                         std::to_string(model_.atol_list.size()), ""});
  expanded_.atol = model_.atol_list.empty() ? model_.defaults.atol : model_.atol_list;
  // A follower takes the least of the others.
  if (!model_.atol_list.empty()) {
    const double least = *std::min_element(model_.atol_list.begin(), model_.atol_list.end());
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      if (model_.states[k].follows && extents_.first_state[k] <= expanded_.atol.size())
        expanded_.atol.insert(expanded_.atol.begin() + static_cast<std::ptrdiff_t>(extents_.first_state[k]),
                              extents_.states[k], least);
  }
  // Discrete states have no errors, whatever stands here.
  if (!model_.atol_list.empty()) expanded_.atol.resize(count, 1);
  for (std::size_t k = 0; k < model_.atol_by_state.size(); ++k)
    expanded_.atol.insert(expanded_.atol.end(), extents_.states[k], model_.atol_by_state[k]);
}

void Expander::check_name_clashes() {
  std::vector<std::pair<const Quantity*, std::uint32_t>> vectors;
  const auto add = [&](const std::vector<Quantity>& quantities, const std::vector<std::uint32_t>& lengths) {
    for (std::size_t k = 0; k < quantities.size(); ++k)
      if (quantities[k].is_vector()) vectors.emplace_back(&quantities[k], lengths[k]);
  };
  add(model_.states, extents_.states);
  add(model_.definitions, extents_.definitions);
  add(model_.surfaces, extents_.surfaces);
  if (vectors.empty()) return;
  for (const auto* quantities : {&model_.parameters, &model_.states, &model_.definitions, &model_.surfaces})
    for (const Quantity& quantity : *quantities)
      for (const auto& [vector, length] : vectors) check_name_clash(quantity, *vector, length);
}

void Expander::check_name_clash(const Quantity& other, const Quantity& vector, std::uint32_t length) {
  // An element is printed as the vector's name and its number. The vectors x and x1 clash, since x11 names an
  // element of both.
  const std::string name = other.name + (other.is_vector() ? "1" : "");
  const std::uint32_t element = element_number(name, vector.name);
  if (&other == &vector || element == 0 || element > length) return;
  mistakes_.push_back({other.position, other.name.size(), "a clash of names",
                       "a name that no element of a vector has",
                       in_quotes(name) + ", which element " + std::to_string(element) + " of '" +
                           vector.name + "' (line " + std::to_string(vector.position.line) + ") has, too",
                       ""});
}

void Expander::check_settings() const {
  if (settings_.empty()) return;
  std::vector<std::string> known;
  for (const Quantity& parameter : model_.parameters) known.push_back(parameter.name);
  known.insert(known.end(), expanded_.state_names.begin(), expanded_.state_names.end());
  for (const auto& [name, value] : settings_) check_setting(model_.name, name, value, known);
}

}  // namespace slideway::reader
