// read_hysteresis: elements with a memory, by name. Each is a definition or a state, made of others that its keys tell.

#include <utility>

#include "model_file/model_file_tables.hpp"

namespace slideway::reader {
namespace {

class HysteresisReader {
 public:
  HysteresisReader(TableReader& reader, ModelDescription& model) : reader_(reader), model_(model) {}

  void read() {
    reader_.for_lines("hysteresis", "element", "law = \"relay\", input = \"u\", low = -0.1, high = 0.1",
                      [&](const TomlEntry& line, bool is_table) {
                        if (is_table) read_element(line);
                      });
  }

 private:
  void read_element(const TomlEntry& entry) {
    static const Words laws = {"relay", "preisach", "backlash"};
    static const std::vector<Words> keys = {{"law", "input", "low", "high"},
                                            {"law", "input", "size", "low", "high", "weight"},
                                            {"law", "input", "gap", "fastest", "initial"}};
    entry_ = &entry;
    who_ = "element " + in_quotes(entry.key);
    if (entry.value.find("law") == nullptr)
      return reader_.mistake(entry, who_ + " lacks a key", "'law', " + one_of(laws),
                             describe_keys(entry.value));
    const std::optional<std::size_t> law = reader_.read_word(entry.value, "law", laws);
    if (!law) return;
    reader_.check_keys(entry.value, who_ + " (" + laws[*law] + ")", keys[*law]);
    model_.hysteresis.push_back(entry.key);
    const Formula input = reader_.required_formula(entry, "input", "the input of " + who_, who_);
    place_ = input.position;
    size_.reset();
    define(".u", input);
    if (*law == 0) {
      define_given("low");
      define_given("high");
      define("", made("hysteresis(u, low, high)"));
    } else if (*law == 1) {
      read_preisach();
    } else {
      read_backlash();
    }
  }

  // A sum of relays, one for every i.
  void read_preisach() {
    const Formula size = reader_.required_formula(*entry_, "size", "the size of " + who_, who_);
    size_ = size;
    for (const char* const key : {"low", "high", "weight"}) define_given(key);
    define(".relay", made("hysteresis(u, low[i], high[i])"));
    define(".part", made("weight[i]*relay[i]"));
    size_.reset();
    define("", made("sum(part)"));
  }

  // An output between two walls that the input moves, which push it faster than they move.
  void read_backlash() {
    define_given("gap");
    define_given("fastest");
    const std::string& name = entry_->key;
    Quantity state = quantity("", Formula{});
    if (const TomlEntry* const initial = entry_->value.find("initial")) {
      state.value = reader_.read_formula(initial->value, "the initial value of " + who_);
    } else {
      state.value.expression = number_expression(0);
      state.value.position = entry_->position;
      state.value.owner = "the initial value of " + who_;
    }
    model_.states.push_back(std::move(state));
    Assignment derivative;
    derivative.state = static_cast<std::uint32_t>(model_.states.size() - 1);
    derivative.position = entry_->position;
    derivative.value = made("fastest*(step(u - " + name + " - gap/2) - step(" + name + " - u - gap/2))");
    model_.derivatives.push_back(std::move(derivative));
    // A wall that has gone through the output moves faster than it was said to.
    EventDescription stop;
    stop.name = name + " is left behind";
    stop.position = entry_->position;
    stop.when = made("abs(u - " + name + ") - 0.51*gap");
    stop.direction = Direction::rising;
    model_.stops.push_back(std::move(stop));
  }

  void define_given(const std::string& key) {
    define("." + key, reader_.required_formula(*entry_, key, in_quotes(key) + " of " + who_, who_));
  }

  // A formula of the law, whose names are those of its parts.
  Formula made(const std::string& text) const {
    Formula formula;
    formula.position = place_;
    formula.owner = who_;
    formula.prefix = entry_->key + ".";
    formula.expression = parse_expression(text).expression;
    return formula;
  }

  Quantity quantity(const std::string& suffix, Formula value) const {
    Quantity result;
    result.name = entry_->key + suffix;
    result.position = entry_->position;
    result.size = size_;
    result.value = std::move(value);
    result.hidden = !suffix.empty();
    return result;
  }

  void define(const std::string& suffix, Formula value) {
    model_.definitions.push_back(quantity(suffix, std::move(value)));
  }

  TableReader& reader_;
  ModelDescription& model_;
  const TomlEntry* entry_ = nullptr;
  std::string who_ = {};
  std::optional<Formula> size_ = {};
  Position place_ = {};
};

}  // namespace

void read_hysteresis(TableReader& reader, ModelDescription& model) { HysteresisReader(reader, model).read(); }

}  // namespace slideway::reader
