// Columns of numbers in a file of comma-separated values whose first line names them.
//
// It must not know what the numbers are for.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace slideway::reader {

// A mistake of the file: `what`, with the file, the row (of the file, from 1) and the column where there is one; `expected` and `got`.
struct CsvProblem {
  std::string what = {};
  std::string expected = {};
  std::string got = {};
  std::string hint = {};
};

class CsvError : public std::runtime_error {
 public:
  explicit CsvError(CsvProblem told) : std::runtime_error(told.what), problem(std::move(told)) {}
  CsvProblem problem;
};

struct CsvColumns {
  std::vector<double> times = {};
  std::vector<double> values = {};
  std::vector<std::size_t> rows = {};  // of the file
};

// The columns of these names; `time` "" is the first column. Cells are parted by commas, or by semicolons or tabs where the first line
// has no comma; empty lines and those that begin with '#' are left out. Throws CsvError.
CsvColumns read_csv_columns(const std::string& path, const std::string& time, const std::string& value);

}  // namespace slideway::reader
