// read_inputs: measured signals, in files or written as lists. Each is a definition, made of discrete states that a time event sets at
// every knot.

#include <memory>
#include <stdexcept>
#include <utility>

#include "model_file/model_file_tables.hpp"
#include "model_file/numbers_of_table.hpp"
#include "slideway/model/input.hpp"

namespace slideway::reader {
namespace {

// The states of Input, in its order, and what it makes of them.
constexpr const char* kParts[] = {".t0", ".c0", ".c1", ".c2", ".c3"};
constexpr const char* kValue = "c0 + (t - t0)*(c1 + (t - t0)*(c2 + (t - t0)*c3))";

class InputReader {
 public:
  InputReader(TableReader& reader, ModelDescription& model) : reader_(reader), model_(model) {}

  void read() {
    const TomlEntry* const table = reader_.section("inputs", TomlKind::table);
    if (table == nullptr) return;
    for (const TomlEntry& entry : table->value.table) {
      const std::string who = "input " + in_quotes(entry.key);
      if (!reader_.expect(entry.value, TomlKind::table, who,
                          "a table { file = \"data.csv\", column = \"u\" }"))
        continue;
      const std::size_t mistakes = reader_.mistakes();
      InputData data = read_data(entry, who);
      if (reader_.mistakes() == mistakes)
        add(entry, std::move(data));
      else
        stand_in(entry);
    }
  }

 private:
  InputData read_data(const TomlEntry& entry, const std::string& who) {
    InputData data;
    data.name = entry.key;
    reader_.check_keys(
        entry.value, who,
        {"file", "column", "time", "times", "values", "slopes", "interpolation", "extrapolation"});
    const auto interpolation =
        reader_.read_word(entry.value, "interpolation", {"hold", "linear", "pchip", "cubic"});
    if (interpolation) data.interpolation = static_cast<Interpolation>(*interpolation);
    const auto extrapolation = reader_.read_word(entry.value, "extrapolation", {"error", "hold", "periodic"});
    if (extrapolation) data.extrapolation = static_cast<Extrapolation>(*extrapolation);
    const bool has_file = entry.value.find("file") != nullptr;
    const bool has_lists = entry.value.find("times") != nullptr || entry.value.find("values") != nullptr;
    if (has_file && has_lists) {
      reader_.mistake(entry, who + " has a file and lists", "either 'file' or 'times' and 'values'", "both");
    } else if (has_file) {
      if (std::optional<CsvColumns> columns =
              read_columns(reader_, model_.source.file_name(), entry, who, "time")) {
        data.times = std::move(columns->times);
        data.values = std::move(columns->values);
      }
    } else if (has_lists) {
      for (const char* const key : {"times", "values"}) {
        if (entry.value.find(key) == nullptr) reader_.lacks_key(entry, who, in_quotes(key));
      }
      data.times = read_numbers(reader_, entry, "times");
      data.values = read_numbers(reader_, entry, "values");
      if (entry.value.find("slopes") != nullptr) data.slopes = read_numbers(reader_, entry, "slopes");
    } else {
      reader_.lacks_key(entry, who, "'file', or 'times' and 'values'");
    }
    return data;
  }

  // A signal that has no value, so that its name is none of an unknown quantity.
  void stand_in(const TomlEntry& entry) {
    Quantity value = named(entry, "");
    value.value.expression = number_expression(0);
    value.hidden = false;
    model_.definitions.push_back(std::move(value));
  }

  void add(const TomlEntry& entry, InputData data) {
    InputDescription input;
    input.name = entry.key;
    input.position = entry.position;
    try {
      input.signal = std::make_shared<const Input>(std::move(data));
    } catch (const std::invalid_argument& error) {
      reader_.mistake(entry, error.what());
      return stand_in(entry);
    }
    input.first_state = static_cast<std::uint32_t>(model_.states.size());
    for (const char* const part : kParts) {
      Quantity state = named(entry, part);
      state.value.expression = number_expression(0);
      state.discrete = true;
      model_.states.push_back(std::move(state));
    }
    Quantity value = named(entry, "");
    value.value.prefix = entry.key + ".";
    value.value.expression = parse_expression(kValue).expression;
    value.hidden = false;
    model_.definitions.push_back(std::move(value));
    model_.inputs.push_back(std::move(input));
  }

  static Quantity named(const TomlEntry& entry, const char* part) {
    Quantity quantity;
    quantity.name = entry.key + part;
    quantity.position = entry.position;
    quantity.value.position = entry.position;
    quantity.value.owner = "input " + in_quotes(entry.key);
    quantity.hidden = true;
    return quantity;
  }

  TableReader& reader_;
  ModelDescription& model_;
};

}  // namespace

void read_inputs(TableReader& reader, ModelDescription& model) { InputReader(reader, model).read(); }

}  // namespace slideway::reader
