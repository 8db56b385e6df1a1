// The starts of a plane as work for others, stage after stage: cells from coarse to fine, then random samples. What is learnt in a
// stage counts from the next one on, so that no end depends on who works.
//
// It must not know how a start is followed, nor who works.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "basins/attractor_catalogue.hpp"
#include "basins/basin_messages.hpp"
#include "basins/basin_problem.hpp"
#include "basins/basin_table.hpp"
#include "slideway/sweep/samples.hpp"
#include "sweep/staged_work.hpp"

namespace slideway {

class BasinWork final : public StagedWork {
 public:
  BasinWork(const BasinProblem& problem, const BasinTable& table, std::string mark);

  // The stages are numbered from 0; begin and end of each are called in this order.
  Index stages() const { return std::ssize(strides_) + 1; }
  // Takes over the rows of a table that was left. False where its last row was cut off, which is made again. Throws
  // std::invalid_argument: what does not belong to these basins.
  bool take_over(const std::string& path);
  // All processes begin all stages; only the writer ends them.
  void begin_stage(Index stage);
  void end_stage();
  void write() override;
  void tell(Basins& basins) const;

  void accept(const std::string& result) override;
  bool make(const std::string& task, const std::function<void(const std::string&)>& hand_on) override;

 private:
  static constexpr int kNotFollowed = -1;
  // Known tells of a start where it ends.
  struct Known {
    int end = kNotFollowed;
    Index steps = 0;
    bool found = false;
  };
  // Knowledge as a worker uses it.
  struct Lesson {
    Index stage = -1;
    StageKnowledge knowledge = {};
    CoarseColours colours = {};
  };

  std::string text_of(const std::vector<Index>& items) const override;
  std::vector<Index> items_of(const std::string& task) const override;
  Index done() const override { return done_; }
  Index total() const override { return starts(); }

  Index starts() const { return problem_.cells() + problem_.options().samples; }
  std::pair<double, double> place_of(Index start) const;
  std::vector<Index> starts_of(Index stage) const;
  StageKnowledge knowledge_before(Index stage) const;
  std::shared_ptr<const Lesson> lesson_of(const std::string& task, std::vector<Index>& starts);
  std::string name_of(int end) const;

  const BasinProblem& problem_;
  const BasinTable& table_;
  std::vector<Index> strides_;  // of the stages of cells
  Samples samples_;
  AttractorCatalogue catalogue_;
  std::vector<Known> known_;            // by start
  std::vector<std::string> taken_;      // the ends of the table, by start; "" where it has none
  std::vector<FollowedStart> results_;  // of this stage
  std::string knowledge_;               // before this stage, as text
  Index stage_ = -1;
  Index done_ = 0;
  Index taken_over_ = 0;
  std::mutex lesson_mutex_;
  std::shared_ptr<const Lesson> lesson_ = {};
};

}  // namespace slideway
