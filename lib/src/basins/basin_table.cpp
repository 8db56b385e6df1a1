#include "basins/basin_table.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sweep/sweep_cells.hpp"

namespace slideway {

BasinTable::BasinTable(const std::string& across, const std::string& up, std::string fingerprint)
    : header_(fmt::format("start,kind,{},{},end,steps,found,basins\n", text_cell(across), text_cell(up))),
      fingerprint_(std::move(fingerprint)) {}

std::string BasinTable::line(const BasinRow& row) const {
  return fmt::format("{},{},{},{},{},{},{},{}\n", row.start, row.is_sample ? "sample" : "cell",
                     number_cell(row.across), number_cell(row.up), text_cell(row.end), row.steps,
                     row.found ? 1 : 0, fingerprint_);
}

BasinRow BasinTable::row(const std::string& line) const {
  const std::vector<std::string_view> cells = quoted_cells(line);
  constexpr std::size_t columns = 8;
  if (cells.size() != columns)
    throw std::invalid_argument(fmt::format("it has {} cells instead of {}", cells.size(), columns));
  if (unquoted(cells[7]) != fingerprint_)
    throw std::invalid_argument("it was made of another model, another plane or with other options");
  return {.start = count_of(unquoted(cells[0])),
          .is_sample = unquoted(cells[1]) == "sample",
          .across = number_of(unquoted(cells[2])),
          .up = number_of(unquoted(cells[3])),
          .end = unquoted(cells[4]),
          .steps = count_of(unquoted(cells[5])),
          .found = unquoted(cells[6]) == "1"};
}

}  // namespace slideway
