// The table of a sweep: one row per run, as CSV. All its columns are
//
//     run, one column per axis, direction (of runs that follow one another), status, t, mode, location, final_… per
//     quantity, events, count_… per kind, min_… and max_… per quantity, and with a section: crossings, section_t,
//     section_… per state; message, sweep
//
// Quantities are the states, then the observables. A cell of section_… holds one number per crossing, separated by blanks.
// A cell is empty where a quantity has no value. The column `sweep` holds a fingerprint of model, values and options, so that
// --resume refuses rows of another sweep.
//
// A table is written with the columns that were chosen, or without those that are zero or empty in all its rows. The
// latter are as they were when it is read again.
// It must not know files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/sweep/sweep_row.hpp"

namespace slideway {

// SweepColumns decides which columns there are.
struct SweepColumns {
  std::vector<std::string> axes = {};
  std::vector<std::string> states = {};
  std::vector<std::string> observables = {};
  bool with_direction = false;
  bool with_section = false;
  bool section_elsewhere = false;  // the crossings' states are rows of another table
};

class SweepTable {
 public:
  // A Selection lists columns by number, in the order in which they are written.
  using Selection = std::vector<std::size_t>;

  SweepTable(const SweepColumns& columns, const std::string& fingerprint);

  // Chooses the columns that are written, by their names, groups, states or observables. Throws std::invalid_argument
  // for other names.
  void choose(const std::vector<std::string>& names);
  // The names of `needed`, columns or groups, that the choice leaves out.
  std::vector<std::string> missing(const std::vector<std::string>& needed) const;

  const std::vector<std::string>& quantities() const { return quantities_; }
  std::vector<std::string> columns() const;  // all of them
  std::size_t size() const { return columns_.size(); }
  // A row with all columns, with the line end.
  std::string line(const SweepRow& row) const;
  SweepRow row(const std::string& line) const;
  // Marks the columns in which the row tells something, one mark per column.
  void mark(const SweepRow& row, std::vector<char>& told) const;
  // The columns to write where all rows are marked so.
  Selection selection(const std::vector<char>& told) const;
  std::string header(const Selection& selection) const;
  // The columns whose cells are one number: outcomes of a run, without its values.
  Selection numeric_columns() const;
  // The selected columns of a line.
  std::string projected(const std::string& line, const Selection& selection) const;
  // The columns of a table of this sweep, by its first line without the end; nothing for another one.
  std::optional<Selection> columns_of_header(const std::string& line) const;
  // A row of such a table, without the line end. Throws std::invalid_argument: what does not belong to this sweep.
  SweepRow read(std::string_view line, const Selection& selection) const;

 private:
  enum class Kind { fixed, text, count, quantity, numbers };
  struct Column {
    std::string name;
    Kind kind;
    std::vector<std::string> groups;
    std::function<std::string(const SweepRow&)> cell;
    std::function<void(SweepRow&, const std::string&)> read;
    bool on_request_only = false;
  };

  void add(Column column) { columns_.push_back(std::move(column)); }
  void add_quantities(const std::string& prefix, std::vector<double> SweepRow::*values);
  void add_section(const SweepColumns& columns);
  SweepRow empty_row() const;
  Selection found(const std::string& name) const;
  std::string implied_cell(const Column& column, const SweepRow& row) const;
  SweepRow parse(const std::vector<std::string_view>& cells, const Selection& selection) const;

  std::vector<Column> columns_;
  std::vector<std::string> quantities_;
  std::size_t states_;
  std::size_t axes_;
  std::optional<Selection> chosen_ = {};
};

}  // namespace slideway
