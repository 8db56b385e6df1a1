// [friction]: every force becomes definitions, and a state where its law has one.
//
//     [friction]
//     F = { law = "stribeck", velocity = "v - vb", Fc = 0.5, Fs = 1.0, vs = 0.3 }
//
// makes a definition F, and hidden ones F.v, F.Fc, … that hold the expressions given, at their places in the file.

#include <algorithm>

#include "model_file/friction_laws.hpp"
#include "model_file/model_file_description.hpp"
#include "model_file/model_file_tables.hpp"

namespace slideway::reader {
namespace {

class FrictionReader {
 public:
  FrictionReader(TableReader& reader, ModelDescription& model) : reader_(reader), model_(model) {}

  void read() {
    reader_.for_lines("friction", "friction", "law = \"coulomb\", velocity = \"v\", Fc = 1.0",
                      [&](const TomlEntry& line, bool is_table) {
                        if (is_table) read_force(line);
                      });
  }

 private:
  void read_force(const TomlEntry& entry) {
    const std::string who = "friction " + in_quotes(entry.key);
    entry_ = &entry;
    size_.reset();
    ends_ = Ends::none;
    Words names;
    for (const FrictionLaw& law : friction_laws()) names.emplace_back(law.name);
    if (entry.value.find("law") == nullptr) {
      reader_.mistake(entry, who + " lacks a key", "'law', " + one_of(names), describe_keys(entry.value));
      return stand_in();
    }
    const std::optional<std::size_t> number = reader_.read_word(entry.value, "law", names);
    if (!number) return stand_in();
    const FrictionLaw& law = friction_laws()[*number];
    Words keys = {"law", "velocity", "size", "ends"};
    for (const LawParameter& parameter : law.parameters) keys.emplace_back(parameter.name);
    if (law.rate != nullptr) keys.emplace_back("initial");
    reader_.check_keys(entry.value, who + " (" + law.name + ")", keys);

    if (const TomlEntry* size = entry.value.find("size"))
      size_ = reader_.read_formula(size->value, "the size of " + in_quotes(entry.key));
    ends_ = reader_.read_ends(entry.value);

    FrictionDescription friction;
    friction.name = entry.key;
    friction.position = entry.position;
    friction.law = *number;
    const Formula velocity = reader_.required_formula(entry, "velocity", "the velocity of " + who, who);
    place_ = velocity.position;
    friction.velocity = define(".v", velocity);
    for (const LawParameter& parameter : law.parameters)
      friction.parameters.push_back(
          define("." + std::string(parameter.name), read_parameter(parameter, who)));
    if (law.rate != nullptr) friction.state = add_state(law);
    for (const auto& [name, formula] : law.parts) define("." + std::string(name), made(formula));
    if (law.force != nullptr) {
      friction.force = define("", made(law.force));
    } else {
      friction.force_is_state = true;
      friction.force = *friction.state;
    }
    if (law.stored != nullptr) friction.stored = define(".stored", made(law.stored));
    if (law.break_away != nullptr) friction.break_away = define(".break_away", made(law.break_away));
    if (law.break_away_below != nullptr)
      friction.break_away_below = define(".break_away_below", made(law.break_away_below));
    model_.friction.push_back(std::move(friction));
  }

  // A force whose law is unknown, so that its name is none of an unknown quantity.
  void stand_in() {
    if (const TomlEntry* size = entry_->value.find("size"))
      size_ = reader_.read_formula(size->value, "the size of " + in_quotes(entry_->key));
    define("", made("0"));
  }

  Formula read_parameter(const LawParameter& parameter, const std::string& who) {
    const std::string owner = in_quotes(parameter.name) + " of " + who;
    if (const TomlEntry* given = entry_->value.find(parameter.name))
      return reader_.read_formula(given->value, owner);
    if (parameter.fallback != nullptr) return made(parameter.fallback);
    reader_.lacks_key(*entry_, who, in_quotes(parameter.name) + " [" + parameter.unit + "]");
    return {};
  }

  // A formula of the law, whose names are those of its parts.
  Formula made(const std::string& text) const {
    Formula formula;
    formula.position = place_;
    formula.owner = "friction " + in_quotes(entry_->key);
    formula.prefix = entry_->key + ".";
    formula.expression = parse_expression(size_ ? indexed(text) : text).expression;
    return formula;
  }

  Quantity quantity(const std::string& suffix, Formula value) const {
    Quantity result;
    result.name = entry_->key + suffix;
    result.position = entry_->position;
    result.size = size_;
    result.ends = ends_;
    result.value = std::move(value);
    if (result.value.ends == Ends::none) result.value.ends = ends_;
    return result;
  }

  std::uint32_t define(const std::string& suffix, Formula value) {
    model_.definitions.push_back(quantity(suffix, std::move(value)));
    model_.definitions.back().hidden = !suffix.empty();
    return static_cast<std::uint32_t>(model_.definitions.size() - 1);
  }

  std::uint32_t add_state(const FrictionLaw& law) {
    const std::string suffix = law.force == nullptr ? "" : "_z";
    const std::string owner = "the initial value of friction " + in_quotes(entry_->key);
    const TomlEntry* const initial = entry_->value.find("initial");
    Formula value;
    if (initial != nullptr) {
      value = reader_.read_formula(initial->value, owner);
    } else {
      value.expression = number_expression(0);
      value.position = entry_->position;
      value.owner = owner;
    }
    model_.states.push_back(quantity(suffix, std::move(value)));
    const auto state = static_cast<std::uint32_t>(model_.states.size() - 1);
    Assignment derivative;
    derivative.state = state;
    derivative.position = entry_->position;
    derivative.value = made(law.rate);
    derivative.value.ends = ends_;
    model_.derivatives.push_back(std::move(derivative));
    return state;
  }

  TableReader& reader_;
  ModelDescription& model_;
  const TomlEntry* entry_ = nullptr;
  std::optional<Formula> size_;
  Ends ends_ = Ends::none;
  Position place_ = {};
};

}  // namespace

void read_friction(TableReader& reader, ModelDescription& model) { FrictionReader(reader, model).read(); }

}  // namespace slideway::reader
