// Lists of numbers that a table of a model file gives: written there, or columns of a file of comma-separated values.
//
// It must not know what the numbers are for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model_file/csv_column.hpp"
#include "model_file/model_file_tables.hpp"

namespace slideway::reader {

// The numbers of the key, empty where it is not given. A mistake is told of what is no list of numbers.
std::vector<double> read_numbers(TableReader& reader, const TomlEntry& table, const std::string& key);

// read_columns() reads the columns that the keys `file`, `column` and `first_key` name; `first_key` may be left
// out. `folder_of` is the path of the model file, beside which the file is looked for. It returns nothing after a
// mistake, which has been told.
std::optional<CsvColumns> read_columns(TableReader& reader, const std::string& folder_of,
                                       const TomlEntry& table, const std::string& who,
                                       const std::string& first_key);

}  // namespace slideway::reader
