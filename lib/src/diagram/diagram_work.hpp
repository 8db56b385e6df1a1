// The cells and curves of a diagram as work for others: the first and the last column, then the rows, then borders at which curves are looked for, in stages.
//
// It must not know how a cell or a curve is followed, nor who works.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "diagram/curve_search.hpp"
#include "diagram/diagram_messages.hpp"
#include "diagram/diagram_problem.hpp"
#include "diagram/diagram_table.hpp"
#include "sweep/staged_work.hpp"

namespace slideway {

class DiagramWork final : public StagedWork {
 public:
  DiagramWork(const DiagramProblem& problem, const DiagramTable& table, std::string mark);

  // The stages are numbered from 0; all processes begin all stages, and only the writer ends them.
  Index stages() const;
  // Takes over the whole rows of a table that was left; a last row that was cut off is made again. Throws std::invalid_argument: what does
  // not belong to this diagram.
  void take_over(const std::string& path);
  void begin_stage(Index stage);
  void end_stage();
  void write() override;
  void tell(Diagram& diagram) const;

  void accept(const std::string& result) override;
  bool make(const std::string& task, const std::function<void(const std::string&)>& hand_on) override;

 private:
  std::string text_of(const std::vector<Index>& items) const override;
  std::vector<Index> items_of(const std::string& task) const override;
  Index done() const override;
  Index total() const override { return 2 * problem_.cells(); }

  bool make_column(Index item, const std::function<void(const std::string&)>& hand_on);
  bool make_row(Index row, const RowBegins& begins, const std::function<void(const std::string&)>& hand_on);
  bool is_whole(Index row) const { return !lines_[static_cast<std::size_t>(row)].empty(); }
  void tell_cells(Diagram& diagram) const;

  const DiagramProblem& problem_;
  const DiagramTable& table_;
  Index stage_ = -1;
  std::vector<RowBegins> begins_;  // of rows
  std::vector<std::vector<std::string>>
      lines_;  // of the table, by row of cells; none where the row is not whole
  Index taken_over_ = 0;
  std::vector<CurveCandidate> candidates_ = {};        // of this stage
  std::vector<std::vector<DiagramCurve>> found_ = {};  // of each candidate
  Index followed_ = 0;                                 // candidates so far
  std::unique_ptr<Diagram> cells_ = {};                // to which curves are looked for
  std::unique_ptr<CurveSearch> search_ = {};
};

}  // namespace slideway
