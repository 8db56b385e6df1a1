// Observables, which a user wants to see beside the states, read from text: "F", or "E = 0.5*m*v^2".

#include <algorithm>

#include "model_file/model_file_description.hpp"

namespace slideway::reader {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// equals_sign() returns where the name ends and the expression begins, or npos where there is no name.
std::size_t equals_sign(const std::string& text) {
  const std::size_t place = text.find('=');
  if (place == std::string::npos || place == 0 || text.compare(place, 2, "==") == 0) return std::string::npos;
  return text[place - 1] == '<' || text[place - 1] == '>' || text[place - 1] == '!' ? std::string::npos
                                                                                    : place;
}

bool is_taken(const ModelDescription& model, const std::string& name) {
  for (const auto* quantities : {&model.parameters, &model.states, &model.definitions, &model.surfaces})
    for (const Quantity& quantity : *quantities)
      if (quantity.name == name) return true;
  return false;
}

}  // namespace

void add_observables(ModelDescription& model, const std::vector<std::string>& wanted, Mistakes& mistakes) {
  const auto refuse_it = [&](const std::string& text, std::string what, std::string expected, std::string got,
                             std::string hint) {
    mistakes.push_back({{},
                        1,
                        std::move(what) + " in the observable " + in_quotes(text),
                        std::move(expected),
                        std::move(got),
                        std::move(hint)});
  };
  for (const std::string& text : wanted) {
    const std::size_t equals = equals_sign(text);
    const bool has_name = equals != std::string::npos;
    ObservableDescription observable;
    observable.name = trimmed(has_name ? text.substr(0, equals) : text);
    if (!is_identifier(observable.name)) {
      refuse_it(text, has_name ? "no name" : "an expression without a name",
                "letters, digits and '_', a digit not first", in_quotes(observable.name),
                "write NAME = EXPRESSION: E = 0.5*v^2");
      return;
    }
    if (has_name && is_taken(model, observable.name)) {
      refuse_it(text, "a name that is taken", "a name that the model does not have",
                in_quotes(observable.name), "what the model has a name for is observed by its name alone");
      return;
    }
    const auto has_this_name = [&](const ObservableDescription& other) {
      return other.name == observable.name;
    };
    if (std::any_of(model.observables.begin(), model.observables.end(), has_this_name)) {
      refuse_it(text, "a name that is given twice", "a name of its own for each observable",
                in_quotes(observable.name), "");
      return;
    }
    if (is_column_of_tables(observable.name)) {
      refuse_it(text, "a reserved name", "another name",
                in_quotes(observable.name) + ", a column of every table", "");
      return;
    }
    ParsedExpression parsed = parse_expression(has_name ? trimmed(text.substr(equals + 1)) : observable.name);
    if (parsed.error) {
      refuse_it(text, parsed.error->what, parsed.error->expected, parsed.error->got, parsed.error->hint);
      return;
    }
    observable.value.expression = std::move(parsed.expression);
    observable.value.owner = "the observable " + in_quotes(text);
    model.observables.push_back(std::move(observable));
  }
  resolve_names(model, mistakes);
}

}  // namespace slideway::reader
