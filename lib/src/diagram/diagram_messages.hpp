// Tasks and results of a diagram as text, so that they go from one process to another.
//
// It must not know who works.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagram/curve_candidate.hpp"
#include "diagram/diagram_cell.hpp"

namespace slideway {

// Where a row begins forwards, at its first cell, and backwards, at its last one; empty: at the initial values of the model.
struct RowBegins {
  std::optional<Iterate> forward = {};
  std::optional<Iterate> backward = {};
};

// A task is one or both columns, some rows with the places at which they begin, or some borders.
struct DiagramTask {
  Index stage = 0;
  std::vector<Index> items = {};
  std::vector<RowBegins> begins = {};           // of rows, one for each item
  std::vector<CurveCandidate> candidates = {};  // of borders, likewise
};
std::string task_text(const DiagramTask& task);
DiagramTask diagram_task_from(const std::string& text);

// A result is the begins of all rows in one direction, the lines of a table, or curves.
struct DiagramResult {
  Index stage = 0;
  Index item = 0;
  std::vector<std::optional<Iterate>> begins = {};
  std::vector<std::string> lines = {};
  std::vector<DiagramCurve> curves = {};
};
std::string result_text(const DiagramResult& result);
DiagramResult diagram_result_from(const std::string& text);

}  // namespace slideway
