#include "model_file/numbers_of_table.hpp"

#include <filesystem>

#include "slideway/detail/core/paths.hpp"

namespace slideway::reader {

std::vector<double> read_numbers(TableReader& reader, const TomlEntry& table, const std::string& key) {
  std::vector<double> numbers;
  const TomlEntry* const list = table.value.find(key);
  if (list == nullptr || !reader.expect(list->value, TomlKind::array, in_quotes(key), "a list of numbers"))
    return numbers;
  for (const TomlValue& value : list->value.array) {
    if (reader.expect(value, TomlKind::number, "an entry of " + in_quotes(key), "a number"))
      numbers.push_back(value.number);
  }
  return numbers;
}

std::optional<CsvColumns> read_columns(TableReader& reader, const std::string& folder_of,
                                       const TomlEntry& table, const std::string& who,
                                       const std::string& first_key) {
  std::string file, column, first;
  reader.read_text(table.value, "file", file);
  reader.read_text(table.value, "column", column);
  reader.read_text(table.value, first_key, first);
  if (table.value.find("column") == nullptr) reader.lacks_key(table, who, "'column'");
  if (file.empty() || column.empty()) return std::nullopt;
  const std::filesystem::path folder = to_path(folder_of).parent_path();
  try {
    return read_csv_columns(to_name(folder / to_path(file)), first, column);
  } catch (const CsvError& error) {
    const CsvProblem& problem = error.problem;
    reader.mistake(table.value.find("file")->value.position, file.size() + 2, problem.what + " (" + who + ")",
                   problem.expected, problem.got, problem.hint);
  }
  return std::nullopt;
}

}  // namespace slideway::reader
