// Inputs are the values of input variables, and of tunable parameters, over time, from a file of comma-separated values: a header with `time` and the names of variables,
// then rows whose times do not decrease.
//
// A continuous variable is straight between two rows, and jumps where two rows have the same time. Any other one keeps its value from one row
// to the next. Outside the rows all keep the nearest value. Pieces are the stretches from one jump to the next.
// It must not know how an FMU is run.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lib/fmi/description.hpp"

namespace slideway::fmi {

class Inputs {
 public:
  struct Column {
    const Variable* variable = nullptr;
    std::vector<double> values = {};
  };

  // No inputs.
  Inputs() = default;
  // `about` must outlive the inputs. Throws std::invalid_argument where the file makes no sense, with its row.
  Inputs(const std::string& file, const Description& about);

  bool empty() const { return columns_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  // All times at which lines bend or values jump, in order; no time is there twice.
  std::vector<double> knots() const;
  // The piece that holds from t on: the number of jumps up to there.
  std::size_t piece_from(double t) const;
  // The value of a column at t, as the piece goes on.
  double value(const Column& column, double t, std::size_t piece) const;

 private:
  // The rows of a piece: its first and its last one, both of which belong to it.
  struct Rows {
    std::size_t first = 0, last = 0;
  };
  void take_row(const std::string& line, std::size_t number, const std::string& file);
  void find_pieces();

  std::vector<double> times_ = {};
  std::vector<Column> columns_ = {};
  std::vector<double> jumps_ = {};
  std::vector<Rows> pieces_ = {};
};

}  // namespace slideway::fmi
