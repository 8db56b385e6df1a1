#include "diagram/diagram_work.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "diagram/diagram_kinds.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"

namespace slideway {

namespace {

constexpr Index kStageOfColumns = 0;
constexpr Index kStageOfRows = 1;
constexpr Index kFirstStageOfCurves = 2;
constexpr Index kStagesOfCurves = 20;
constexpr Index kLooksPerStage = 24;

}  // namespace

DiagramWork::DiagramWork(const DiagramProblem& problem, const DiagramTable& table, std::string mark)
    : StagedWork(staged_options(problem.options()), std::move(mark)),
      problem_(problem),
      table_(table),
      begins_(static_cast<std::size_t>(problem.design().up.cells)),
      lines_(static_cast<std::size_t>(problem.design().up.cells)) {}

Index DiagramWork::stages() const {
  return kFirstStageOfCurves + (problem_.options().find_curves ? kStagesOfCurves : 0);
}

Index DiagramWork::done() const {
  return 2 * problem_.design().across.cells *
         std::count_if(lines_.begin(), lines_.end(), [](const auto& lines) { return !lines.empty(); });
}

void DiagramWork::take_over(const std::string& path) {
  std::ifstream in(to_path(path), std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || line + '\n' != table_.header())
    throw std::invalid_argument("its first line is not the one of this diagram");
  const Index across = problem_.design().across.cells;
  std::map<Index, std::vector<std::string>> taken;
  for (Index number = 2; std::getline(in, line) && !in.eof(); ++number) {
    DiagramRow row;
    try {
      row = table_.row(line);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("line " + std::to_string(number) + ": " + error.what());
    }
    if (row.cell < 0 || row.cell >= problem_.cells())
      throw std::invalid_argument("line " + std::to_string(number) + ": this diagram has no such cell");
    taken[row.cell / across].push_back(line + '\n');
  }
  for (auto& [row, lines] : taken) {
    if (std::ssize(lines) != 2 * across) continue;
    taken_over_ += std::ssize(lines);
    lines_[static_cast<std::size_t>(row)] = std::move(lines);
  }
}

void DiagramWork::begin_stage(Index stage) {
  stage_ = stage;
  std::vector<Index> items;
  if (stage <= kStageOfRows)
    for (Index row = 0; row < problem_.design().up.cells; ++row)
      if (!is_whole(row)) items.push_back(row);
  if (stage == kStageOfColumns && !items.empty()) items = {0, 1};
  candidates_.clear();
  if (search_) {
    candidates_ = search_->next(std::min(kLooksPerStage, problem_.options().most_followed - followed_));
    items.resize(candidates_.size());
    std::iota(items.begin(), items.end(), Index{0});
    followed_ += std::ssize(candidates_);
  }
  found_.assign(candidates_.size(), {});
  begin_tasks(stage, items, std::max<Index>(std::ssize(items), 1), 1);
}

void DiagramWork::end_stage() {
  if (stage_ == kStageOfRows && problem_.options().find_curves) {
    cells_ = std::make_unique<Diagram>();
    tell_cells(*cells_);
    search_ = std::make_unique<CurveSearch>(problem_, *cells_);
  }
  if (stage_ >= kFirstStageOfCurves) search_->learn(found_);
}

std::string DiagramWork::text_of(const std::vector<Index>& items) const {
  DiagramTask task{.stage = stage_, .items = items};
  for (const Index item : items) {
    const auto k = static_cast<std::size_t>(item);
    if (stage_ == kStageOfRows) task.begins.push_back(begins_[k]);
    if (stage_ >= kFirstStageOfCurves) task.candidates.push_back(candidates_[k]);
  }
  return task_text(task);
}

std::vector<Index> DiagramWork::items_of(const std::string& task) const {
  return diagram_task_from(task).items;
}

bool DiagramWork::make(const std::string& text, const std::function<void(const std::string&)>& hand_on) {
  const DiagramTask task = diagram_task_from(text);
  for (std::size_t k = 0; k < task.items.size(); ++k) {
    if (is_cancelled()) return false;
    if (task.stage == kStageOfColumns) {
      if (!make_column(task.items[k], hand_on)) return false;
    } else if (task.stage == kStageOfRows) {
      if (!make_row(task.items[k], task.begins[k], hand_on)) return false;
    } else {
      hand_on(result_text(
          {.stage = task.stage, .item = task.items[k], .curves = curves_at(problem_, task.candidates[k])}));
    }
  }
  return true;
}

// Item 0 is the first column, at which rows begin forwards, and item 1 the last one.
bool DiagramWork::make_column(Index item, const std::function<void(const std::string&)>& hand_on) {
  DiagramResult result{.stage = kStageOfColumns, .item = item};
  const Index column = item == 0 ? 0 : problem_.design().across.cells - 1;
  std::optional<Iterate> place;
  for (Index row = 0; row < problem_.design().up.cells; ++row) {
    const auto end = DiagramCell(problem_, column, row).follow(place, [this] { return is_cancelled(); });
    if (!end) return false;
    if (auto next = DiagramCell::place_at(*end)) place = std::move(next);
    result.begins.push_back(place);
  }
  hand_on(result_text(result));
  return true;
}

// A cell without an attractor is passed by.
bool DiagramWork::make_row(Index row, const RowBegins& begins,
                           const std::function<void(const std::string&)>& hand_on) {
  const Index across = problem_.design().across.cells;
  std::vector<std::unique_ptr<DiagramCell>> cells;
  std::vector<CellEnd> forward, backward(static_cast<std::size_t>(across));
  std::optional<Iterate> place = begins.forward;
  const auto go_on = [&](Index i) -> std::optional<CellEnd> {
    auto end = cells[static_cast<std::size_t>(i)]->follow(place, [this] { return is_cancelled(); });
    if (end)
      if (auto next = DiagramCell::place_at(*end)) place = std::move(next);
    return end;
  };
  for (Index i = 0; i < across; ++i) {
    cells.push_back(std::make_unique<DiagramCell>(problem_, i, row));
    auto end = go_on(i);
    if (!end) return false;
    forward.push_back(std::move(*end));
  }
  place = begins.backward;
  for (Index i = across - 1; i >= 0; --i) {
    auto end = go_on(i);
    if (!end) return false;
    backward[static_cast<std::size_t>(i)] = std::move(*end);
    cells.pop_back();
  }
  DiagramResult result{.stage = kStageOfRows, .item = row};
  for (Index i = 0; i < across; ++i) {
    const CellEnd &one = forward[static_cast<std::size_t>(i)], &other = backward[static_cast<std::size_t>(i)];
    for (const bool is_backward : {false, true})
      result.lines.push_back(table_.line({.cell = row * across + i,
                                          .is_backward = is_backward,
                                          .across = problem_.design().across.middle(i),
                                          .up = problem_.design().up.middle(row),
                                          .end = is_backward ? other : one,
                                          .coexisting = one.number != other.number}));
  }
  hand_on(result_text(result));
  return true;
}

void DiagramWork::accept(const std::string& text) {
  DiagramResult result = diagram_result_from(text);
  const std::lock_guard lock(mutex());
  const auto item = static_cast<std::size_t>(result.item);
  if (result.stage == kStageOfColumns)
    for (std::size_t row = 0; row < begins_.size(); ++row)
      (result.item == 0 ? begins_[row].forward : begins_[row].backward) = std::move(result.begins[row]);
  if (result.stage == kStageOfRows) lines_[item] = std::move(result.lines);
  if (result.stage >= kFirstStageOfCurves) found_[item] = std::move(result.curves);
}

void DiagramWork::write() {
  const std::string& path = problem_.options().table;
  if (path.empty()) return;
  std::vector<std::vector<std::string>> lines;
  {
    const std::lock_guard lock(mutex());
    lines = lines_;
  }
  write_whole(path, [&](std::ostream& out) {
    out << table_.header();
    for (const auto& row : lines)
      for (const std::string& line : row) out << line;
  });
}

void DiagramWork::tell_cells(Diagram& diagram) const {
  const auto cells = static_cast<std::size_t>(problem_.cells());
  std::vector<std::optional<CellEnd>> forward(cells), backward(cells);
  diagram.coexisting.assign(cells, 0);
  for (const auto& lines : lines_) {
    for (const std::string& line : lines) {
      DiagramRow row = table_.row(line.substr(0, line.size() - 1));
      const auto cell = static_cast<std::size_t>(row.cell);
      diagram.coexisting[cell] = row.coexisting ? 1 : 0;
      (row.is_backward ? backward : forward)[cell] = std::move(row.end);
    }
  }
  std::vector<const CellEnd*> ends;
  for (const auto* const direction : {&forward, &backward})
    for (const auto& end : *direction) ends.push_back(end ? &*end : nullptr);
  SortedKinds sorted = sort_into_kinds(ends, problem_.is_autonomous());
  diagram.kinds = std::move(sorted.kinds);
  for (std::size_t k = 0; k < 2 * cells; ++k) {
    DiagramEnd end{.kind = sorted.numbers[k]};
    if (ends[k] != nullptr) end.attractor = ends[k]->attractor;
    (k < cells ? diagram.forward : diagram.backward).push_back(std::move(end));
  }
}

void DiagramWork::tell(Diagram& diagram) const {
  tell_cells(diagram);
  diagram.done = done();
  diagram.total = total();
  diagram.taken_over = taken_over_;
  if (!search_) return;
  diagram.curves = search_->curves();
  diagram.borders = search_->borders();
  diagram.explained = search_->explained();
  diagram.meetings = meetings_of(diagram.curves, problem_.design());
}

}  // namespace slideway
