// read_characteristics: the tables of [tables], f = { x = […], values = […] }, which are called in expressions as f(u) or f(u, v).

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/number_text.hpp"
#include "model_file/model_file_tables.hpp"
#include "model_file/numbers_of_table.hpp"
#include "slideway/model/table.hpp"

namespace slideway::reader {
namespace {

class CharacteristicReader {
 public:
  CharacteristicReader(TableReader& reader, ModelDescription& model) : reader_(reader), model_(model) {}

  void read() {
    reader_.for_lines("tables", "table", "x = [0, 1, 2], values = [0, 3, 4]",
                      [&](const TomlEntry& line, bool is_table) {
                        // A table that is wrong has its name, so that its calls are no further mistakes.
                        TableDescription description;
                        description.name = line.key;
                        description.position = line.position;
                        if (is_table) description.table = read_table(line);
                        model_.tables.push_back(std::move(description));
                      });
  }

 private:
  std::shared_ptr<const Table> read_table(const TomlEntry& entry) {
    who_ = "table " + in_quotes(entry.key);
    const std::size_t mistakes = reader_.mistakes();
    reader_.check_keys(entry.value, who_,
                       {"file", "column", "argument", "x", "y", "values", "slopes", "interpolation",
                        "extrapolation", "monotone"});
    TableData data;
    data.name = entry.key;
    const auto interpolation =
        reader_.read_word(entry.value, "interpolation", {"hold", "linear", "pchip", "cubic"});
    if (interpolation) data.interpolation = static_cast<Interpolation>(*interpolation);
    const auto beyond = reader_.read_word(entry.value, "extrapolation", {"error", "hold", "linear"});
    if (beyond) data.beyond = static_cast<Beyond>(*beyond);
    read_numbers_of(entry, data);
    if (reader_.mistakes() == mistakes) check_knots(entry, data);
    if (reader_.mistakes() == mistakes) check_monotone(entry, data);
    if (reader_.mistakes() != mistakes) return nullptr;
    return std::make_shared<const Table>(std::move(data));
  }

  void read_numbers_of(const TomlEntry& entry, TableData& data) {
    const bool has_file = entry.value.find("file") != nullptr;
    const bool has_lists = entry.value.find("x") != nullptr || entry.value.find("values") != nullptr;
    if (has_file && has_lists)
      return reader_.mistake(entry, who_ + " has a file and lists", "either 'file' or 'x' and 'values'",
                             "both");
    if (!has_file && !has_lists) return reader_.lacks_key(entry, who_, "'x' and 'values', or 'file'");
    if (has_file) {
      if (auto columns = read_columns(reader_, model_.source.file_name(), entry, who_, "argument")) {
        data.first = std::move(columns->times);
        data.values = std::move(columns->values);
      }
      return;
    }
    for (const char* const key : {"x", "values"})
      if (entry.value.find(key) == nullptr) reader_.lacks_key(entry, who_, in_quotes(key));
    data.first = read_numbers(reader_, entry, "x");
    if (entry.value.find("y") == nullptr) {
      data.values = read_numbers(reader_, entry, "values");
      if (entry.value.find("slopes") != nullptr) data.slopes = read_numbers(reader_, entry, "slopes");
      if (!data.slopes.empty() &&
          (data.interpolation != Interpolation::cubic || data.slopes.size() != data.values.size()))
        reader_.mistake(*entry.value.find("slopes"), "slopes of " + who_ + " that fit no cubic",
                        "interpolation = \"cubic\" and as many slopes as values",
                        std::to_string(data.slopes.size()) + " slopes");
      return;
    }
    data.second = read_numbers(reader_, entry, "y");
    read_rows(entry, data);
  }

  // A list for every knot of x, with a number for every knot of y.
  void read_rows(const TomlEntry& entry, TableData& data) {
    if (data.interpolation != Interpolation::linear && data.interpolation != Interpolation::hold)
      reader_.mistake(*entry.value.find("interpolation"), who_ + " of two variables",
                      "interpolation = \"linear\" or \"hold\"", "one of cubics",
                      "give it more knots, and \"linear\"");
    const TomlEntry* const rows = entry.value.find("values");
    if (rows == nullptr ||
        !reader_.expect(rows->value, TomlKind::array, "'values'", "a list of numbers for every entry of x"))
      return;
    for (const TomlValue& row : rows->value.array) {
      if (!reader_.expect(row, TomlKind::array, "an entry of 'values'",
                          "a list, with a number for every entry of y"))
        return;
      if (row.array.size() != data.second.size())
        return reader_.mistake(row.position, 1, "a row of 'values' of the wrong length",
                               std::to_string(data.second.size()) + " numbers, one for every entry of y",
                               std::to_string(row.array.size()));
      for (const TomlValue& value : row.array)
        if (reader_.expect(value, TomlKind::number, "an entry of 'values'", "a number"))
          data.values.push_back(value.number);
    }
    if (rows->value.array.size() != data.first.size())
      reader_.mistake(*rows, "the wrong number of rows",
                      std::to_string(data.first.size()) + ", one for every entry of x",
                      std::to_string(rows->value.array.size()));
  }

  void check_knots(const TomlEntry& entry, const TableData& data) {
    for (const auto& [key, knots] : {std::pair("x", &data.first), std::pair("y", &data.second)}) {
      if (knots == &data.second && entry.value.find("y") == nullptr) continue;
      const TomlEntry* const list = entry.value.find(key);
      const TomlEntry& place = list != nullptr ? *list : entry;
      if (knots->size() < 2)
        return reader_.mistake(place, "too few knots of " + who_, "two or more",
                               std::to_string(knots->size()));
      for (std::size_t k = 0; k < knots->size(); ++k) {
        const bool is_first = k == 0;
        if (std::isfinite((*knots)[k]) && (is_first || (*knots)[k] > (*knots)[k - 1])) continue;
        const Position where = list != nullptr ? list->value.array[k].position : entry.position;
        return reader_.mistake(where, exact_text((*knots)[k]).size(),
                               "knots of " + who_ + " in the wrong order",
                               is_first ? "a finite number" : "more than " + exact_text((*knots)[k - 1]),
                               exact_text((*knots)[k]));
      }
    }
    const std::size_t wanted = data.first.size() * std::max<std::size_t>(1, data.second.size());
    if (data.values.size() != wanted)
      return reader_.mistake(entry, "the wrong number of values of " + who_,
                             "as many as knots, " + std::to_string(wanted),
                             std::to_string(data.values.size()));
    if (!std::all_of(data.values.begin(), data.values.end(), [](double v) { return std::isfinite(v); }))
      reader_.mistake(entry, "a value of " + who_ + " that is not finite", "finite numbers", "");
  }

  // check_monotone() asks, for one variable, that the values rise at every knot, or fall at every one; the curve
  // between them does the same.
  void check_monotone(const TomlEntry& entry, const TableData& data) {
    bool is_wanted = false;
    reader_.read_flag(entry.value, "monotone", is_wanted);
    if (!is_wanted) return;
    const TomlEntry& flag = *entry.value.find("monotone");
    if (!data.second.empty())
      return reader_.mistake(flag, "a monotone " + who_ + " of two variables", "a table of one variable",
                             "two");
    if (data.interpolation == Interpolation::cubic)
      return reader_.mistake(flag, "a monotone " + who_ + " with splines",
                             "interpolation = \"linear\" or \"pchip\", which rise where the values do",
                             "\"cubic\", which may swing");
    const bool rises = data.values[1] > data.values[0];
    for (std::size_t k = 1; k < data.values.size(); ++k) {
      const double before = data.values[k - 1], value = data.values[k];
      if (rises ? value > before : value < before) continue;
      return reader_.mistake(
          flag, who_ + " is not monotone",
          (rises ? "more than " : "less than ") + exact_text(before) + " at " + exact_text(data.first[k]),
          exact_text(value));
    }
  }

  TableReader& reader_;
  ModelDescription& model_;
  std::string who_ = {};
};

}  // namespace

void read_characteristics(TableReader& reader, ModelDescription& model) {
  CharacteristicReader(reader, model).read();
}

}  // namespace slideway::reader
