// Tasks and results of basins as text, so that they go from one process to another.
//
// It must not know who works.
#pragma once

#include <string>
#include <vector>

#include "basins/follow_start.hpp"
#include "basins/known_ends.hpp"

namespace slideway {

// StageKnowledge is known before a stage: the ends, and, of a stage of cells in a plane that is whole, those of coarser cells.
struct StageKnowledge {
  KnownEnds ends = {};
  Index stride = 0;  // of the coarser cells; 0: there are none
  std::vector<int> colours = {};
};

struct FollowedStart {
  Index start = 0;
  StartEnd end = {};
};

std::string knowledge_text(const StageKnowledge& knowledge);
StageKnowledge knowledge_from(const std::string& text, const StateGrid& grid);

// A task is the number of its stage, what is known, and the numbers of its starts.
struct BasinTask {
  Index stage = 0;
  std::string knowledge = {};
  std::vector<Index> starts = {};
};
std::string task_text(const BasinTask& task);
// `knowledge` is left out where `known_stage` is that of the task.
BasinTask task_from(const std::string& text, Index known_stage);

std::string results_text(const std::vector<FollowedStart>& results);
std::vector<FollowedStart> results_from(const std::string& text);

}  // namespace slideway
