#include "sweep/sweep_table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"
#include "sweep/sweep_cells.hpp"

namespace slideway {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// The words of the column of that name: how a run ended, or that there was none.
std::string status_of(const std::string& cell) {
  constexpr int first = static_cast<int>(Status::reached_end);
  constexpr int last = static_cast<int>(Status::stopped_by_caller);
  for (int status = first; status <= last; ++status) {
    if (cell == to_string(static_cast<Status>(status))) return cell;
  }
  if (cell != SweepRow::refused && cell != SweepRow::time_limit)
    throw std::invalid_argument("'" + cell + "' is not how a run ends");
  return cell;
}

double entry(const std::vector<double>& numbers, std::size_t index) {
  return index < numbers.size() ? numbers[index] : kNoValue;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (!holds(names, name)) names.push_back(name);
}

// The names themselves, unless there are too many to be read.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 60;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + most, ", "), names.size());
}

}  // namespace

bool SweepRow::is_success(std::string_view status) {
  return status == to_string(Status::reached_end) || status == to_string(Status::stopped_by_event);
}

SweepTable::SweepTable(const SweepColumns& columns, const std::string& fingerprint)
    : quantities_(columns.states), states_(columns.states.size()), axes_(columns.axes.size()) {
  quantities_.insert(quantities_.end(), columns.observables.begin(), columns.observables.end());
  const auto text = [](std::string SweepRow::*member) {
    return [member](SweepRow& row, const std::string& cell) { row.*member = cell; };
  };
  add({"run",
       Kind::fixed,
       {},
       [](const SweepRow& row) { return fmt::format("{}", row.run); },
       [](SweepRow& row, const std::string& cell) { row.run = count_of(cell); }});
  for (std::size_t k = 0; k < axes_; ++k) {
    add({columns.axes[k],
         Kind::fixed,
         {"parameters"},
         [k](const SweepRow& row) { return number_cell(row.values[k]); },
         [k](SweepRow& row, const std::string& cell) { row.values[k] = number_of(cell); }});
  }
  if (columns.with_direction)
    add({"direction",
         Kind::fixed,
         {"parameters"},
         [](const SweepRow& row) { return row.direction; },
         text(&SweepRow::direction)});
  add({"status",
       Kind::fixed,
       {"outcome"},
       [](const SweepRow& row) { return row.status; },
       [](SweepRow& row, const std::string& cell) { row.status = status_of(cell); }});
  add({"t",
       Kind::fixed,
       {"outcome"},
       [](const SweepRow& row) { return number_cell(row.t); },
       [](SweepRow& row, const std::string& cell) { row.t = number_of(cell); }});
  add({"mode", Kind::text, {"outcome"}, [](const SweepRow& row) { return row.mode; }, text(&SweepRow::mode)});
  add({"location",
       Kind::text,
       {"outcome"},
       [](const SweepRow& row) { return text_cell(row.location); },
       text(&SweepRow::location)});
  add_quantities("final", &SweepRow::final);
  add({"events",
       Kind::count,
       {"counts"},
       [](const SweepRow& row) {
         return fmt::format("{}", std::accumulate(row.counts.begin(), row.counts.end(), Index{0}));
       },
       [](SweepRow&, const std::string&) {}});
  for (std::size_t kind = 0; kind < event_kinds; ++kind) {
    add({std::string("count_") + to_string(static_cast<EventKind>(kind)),
         Kind::count,
         {"counts"},
         [kind](const SweepRow& row) { return fmt::format("{}", row.counts[kind]); },
         [kind](SweepRow& row, const std::string& cell) { row.counts[kind] = count_of(cell); }});
  }
  add_quantities("min", &SweepRow::least);
  add_quantities("max", &SweepRow::greatest);
  if (columns.with_section) add_section(columns);
  add({"audit",
       Kind::text,
       {"outcome"},
       [](const SweepRow& row) { return row.audit; },
       text(&SweepRow::audit)});
  add({"message",
       Kind::text,
       {"outcome"},
       [](const SweepRow& row) { return text_cell(row.message); },
       text(&SweepRow::message)});
  add({"sweep",
       Kind::fixed,
       {},
       [fingerprint](const SweepRow&) { return fingerprint; },
       [fingerprint](SweepRow&, const std::string& cell) {
         if (cell != fingerprint)
           throw std::invalid_argument("it comes from another model, other values or other options");
       }});
}

void SweepTable::add_quantities(const std::string& prefix, std::vector<double> SweepRow::*values) {
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    add({prefix + "_" + quantities_[i],
         Kind::quantity,
         {prefix, quantities_[i]},
         [i, values](const SweepRow& row) { return number_cell(entry(row.*values, i)); },
         [i, values](SweepRow& row, const std::string& cell) { (row.*values)[i] = number_of(cell); }});
  }
}

void SweepTable::add_section(const SweepColumns& columns) {
  add({"crossings",
       Kind::count,
       {"section"},
       [](const SweepRow& row) { return fmt::format("{}", row.crossings); },
       [](SweepRow& row, const std::string& cell) { row.crossings = count_of(cell); }});
  add({"section_t",
       Kind::numbers,
       {"section"},
       [](const SweepRow& row) { return numbers_cell(row.section_times); },
       [](SweepRow& row, const std::string& cell) { row.section_times = numbers_of(cell); },
       columns.section_elsewhere});
  for (std::size_t i = 0; i < states_; ++i) {
    add({"section_" + columns.states[i],
         Kind::numbers,
         {"section", columns.states[i]},
         [i](const SweepRow& row) {
           return i < row.section.size() ? numbers_cell(row.section[i]) : std::string();
         },
         [i](SweepRow& row, const std::string& cell) { row.section[i] = numbers_of(cell); },
         columns.section_elsewhere});
  }
}

std::vector<std::string> SweepTable::columns() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

// A name that is both is that of a column.
SweepTable::Selection SweepTable::found(const std::string& name) const {
  Selection selection;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (columns_[k].name == name) return {k};
    if (name == "all" || holds(columns_[k].groups, name)) selection.push_back(k);
  }
  return selection;
}

void SweepTable::choose(const std::vector<std::string>& names) {
  Selection chosen;
  for (const std::string& name : names) {
    const Selection more = found(name);
    if (more.empty()) {
      std::vector<std::string> groups = {"all"};
      for (const Column& column : columns_)
        for (const std::string& group : column.groups) add_new(groups, group);
      std::vector<std::string> known = columns();
      known.insert(known.end(), groups.begin(), groups.end());
      const std::string near = nearest_name(name, known);
      refuse({.what = "the table has no column or group of this name",
              .where = "SweepOptions::columns",
              .expected = fmt::format("columns of {}; or groups of {}", listed(columns()), listed(groups)),
              .got = "'" + name + "'",
              .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
    }
    for (const std::size_t column : more)
      if (std::find(chosen.begin(), chosen.end(), column) == chosen.end()) chosen.push_back(column);
  }
  chosen_ = chosen;
}

std::vector<std::string> SweepTable::missing(const std::vector<std::string>& needed) const {
  std::vector<std::string> names;
  if (!chosen_) return names;
  for (const std::string& name : needed) {
    const Selection columns = found(name);
    const bool is_told = std::all_of(columns.begin(), columns.end(), [&](std::size_t column) {
      return std::find(chosen_->begin(), chosen_->end(), column) != chosen_->end();
    });
    if (!is_told) names.push_back(name);
  }
  return names;
}

std::string SweepTable::line(const SweepRow& row) const {
  std::string text;
  for (const Column& column : columns_) (text += text.empty() ? "" : ",") += column.cell(row);
  return text + '\n';
}

SweepRow SweepTable::row(const std::string& line) const {
  Selection all(columns_.size());
  std::iota(all.begin(), all.end(), 0);
  return parse(quoted_cells(std::string_view(line).substr(0, line.size() - 1)), all);
}

// The cell that a column has where it says nothing.
std::string SweepTable::implied_cell(const Column& column, const SweepRow& row) const {
  if (column.kind == Kind::count) return "0";
  return column.kind == Kind::quantity && row.status != SweepRow::refused ? "0" : "";
}

void SweepTable::mark(const SweepRow& row, std::vector<char>& told) const {
  told.resize(columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Column& column = columns_[k];
    if (!told[k]) told[k] = column.kind == Kind::fixed || column.cell(row) != implied_cell(column, row);
  }
}

SweepTable::Selection SweepTable::selection(const std::vector<char>& told) const {
  if (chosen_) return *chosen_;
  Selection selection;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const bool tells = columns_[k].kind == Kind::fixed || (k < told.size() && told[k] != 0);
    if (tells && !columns_[k].on_request_only) selection.push_back(k);
  }
  return selection;
}

std::string SweepTable::header(const Selection& selection) const {
  std::string text;
  for (const std::size_t column : selection)
    (text += text.empty() ? "" : ",") += text_cell(columns_[column].name);
  return text + '\n';
}

std::string SweepTable::projected(const std::string& line, const Selection& selection) const {
  const std::vector<std::string_view> cells = quoted_cells(std::string_view(line).substr(0, line.size() - 1));
  std::string text;
  for (std::size_t k = 0; k < selection.size(); ++k) (text += k > 0 ? "," : "") += cells[selection[k]];
  return text + '\n';
}

// The columns that were chosen, or some of all in their order, without gaps in what is always there.
std::optional<SweepTable::Selection> SweepTable::columns_of_header(const std::string& line) const {
  if (chosen_) return line + '\n' == header(*chosen_) ? chosen_ : std::nullopt;
  Selection selection;
  std::size_t next = 0;
  for (const std::string_view cell : quoted_cells(line)) {
    const std::string name = unquoted(cell);
    while (next < columns_.size() && columns_[next].name != name) {
      if (columns_[next].kind == Kind::fixed) return std::nullopt;
      ++next;
    }
    if (next == columns_.size()) return std::nullopt;
    selection.push_back(next++);
  }
  // The last column of all is one that is always there.
  if (next < columns_.size()) return std::nullopt;
  return selection;
}

SweepRow SweepTable::empty_row() const {
  SweepRow row;
  row.values.assign(axes_, kNoValue);
  row.final.assign(quantities_.size(), kNoValue);
  row.least = row.greatest = row.final;
  row.section.resize(states_);
  return row;
}

SweepRow SweepTable::parse(const std::vector<std::string_view>& cells, const Selection& selection) const {
  SweepRow row = empty_row();
  std::vector<char> is_read(columns_.size(), 0);
  for (std::size_t k = 0; k < selection.size(); ++k) {
    columns_[selection[k]].read(row, unquoted(cells[k]));
    is_read[selection[k]] = 1;
  }
  if (chosen_) return row;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (!is_read[k]) columns_[k].read(row, implied_cell(columns_[k], row));
  return row;
}

SweepRow SweepTable::read(std::string_view line, const Selection& selection) const {
  const std::vector<std::string_view> cells = quoted_cells(line);
  if (cells.size() != selection.size())
    throw std::invalid_argument(fmt::format("it has {} cells instead of {}", cells.size(), selection.size()));
  return parse(cells, selection);
}

SweepTable::Selection SweepTable::numeric_columns() const {
  Selection selection;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Column& column = columns_[k];
    if (column.kind == Kind::count || column.kind == Kind::quantity || column.name == "t")
      selection.push_back(k);
  }
  return selection;
}

}  // namespace slideway
