#include "diagram/diagram_table.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sweep/sweep_cells.hpp"

namespace slideway {

namespace {

constexpr std::size_t kBeforeStates = 15;
constexpr std::size_t kAfterStates = 3;
constexpr std::array kKinds = {AttractorKind::point,   AttractorKind::orbit,
                               AttractorKind::set,     AttractorKind::quasiperiodic,
                               AttractorKind::chaotic, AttractorKind::unresolved};

}  // namespace

DiagramTable::DiagramTable(const DiagramDesign& design, std::vector<std::string> states,
                           std::string fingerprint)
    : header_(fmt::format("cell,direction,{},{},end,rounds,period,stable,matched,multiplier,exponent,"
                          "exponent_error,signature,location,mode",
                          text_cell(design.across.name), text_cell(design.up.name))),
      states_(states.size()),
      fingerprint_(std::move(fingerprint)) {
  for (const std::string& state : states) header_ += ',' + text_cell(state);
  header_ += ",coexisting,message,diagram\n";
}

std::string DiagramTable::line(const DiagramRow& row) const {
  const BasinAttractor& attractor = row.end.attractor;
  const bool is_attractor = row.end.other.empty();
  std::string line = fmt::format(
      "{},{},{},{},{},", row.cell, row.is_backward ? "backward" : "forward", number_cell(row.across),
      number_cell(row.up), is_attractor ? std::string(to_string(attractor.kind)) : text_cell(row.end.other));
  if (is_attractor)
    line +=
        fmt::format("{},{},{},{},{},{},{},", attractor.rounds, number_cell(attractor.period),
                    attractor.stable ? 1 : 0, attractor.matched ? 1 : 0, number_cell(attractor.multiplier),
                    number_cell(attractor.exponent), number_cell(attractor.exponent_error));
  else
    line += ",,,,,,,";
  line += fmt::format("{},{},{}", text_cell(attractor.signature), text_cell(attractor.location),
                      text_cell(attractor.mode));
  for (std::size_t i = 0; i < states_; ++i)
    line += ',' + (attractor.points.empty() ? std::string()
                                            : number_cell(attractor.points[0][static_cast<Index>(i)]));
  return line +
         fmt::format(",{},{},{}\n", row.coexisting ? 1 : 0, text_cell(attractor.message), fingerprint_);
}

DiagramRow DiagramTable::row(const std::string& line) const {
  const std::vector<std::string_view> cells = quoted_cells(line);
  const std::size_t columns = kBeforeStates + states_ + kAfterStates;
  if (cells.size() != columns)
    throw std::invalid_argument(fmt::format("it has {} cells instead of {}", cells.size(), columns));
  if (unquoted(cells.back()) != fingerprint_)
    throw std::invalid_argument("it was made of another model, another plane or with other options");
  const auto text = [&](std::size_t k) { return unquoted(cells[k]); };
  const auto number = [&](std::size_t k) { return number_of(text(k)); };
  DiagramRow row{.cell = count_of(text(0)),
                 .is_backward = text(1) == "backward",
                 .across = number(2),
                 .up = number(3),
                 .coexisting = text(columns - 3) == "1"};
  BasinAttractor& attractor = row.end.attractor;
  row.end.other = text(4);
  attractor.message = text(columns - 2);
  for (const AttractorKind kind : kKinds) {
    if (row.end.other != to_string(kind)) continue;
    row.end.other.clear();
    attractor.kind = kind;
    attractor.rounds = count_of(text(5));
    attractor.period = number(6);
    attractor.stable = text(7) == "1";
    attractor.matched = text(8) == "1";
    attractor.multiplier = number(9);
    attractor.exponent = number(10);
    attractor.exponent_error = number(11);
    attractor.signature = text(12);
    attractor.location = text(13);
    attractor.mode = text(14);
    Vector point(static_cast<Index>(states_));
    for (std::size_t i = 0; i < states_; ++i) point[static_cast<Index>(i)] = number(kBeforeStates + i);
    attractor.points.push_back(std::move(point));
    break;
  }
  return row;
}

}  // namespace slideway
