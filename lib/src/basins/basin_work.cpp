#include "basins/basin_work.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"

namespace slideway {

namespace {

constexpr Index kFewestCoarse = 4;  // coarse cells on the shorter side of the first stage
constexpr Index kStartsPerTask = 256;
constexpr Index kTasksPerStage = 64;  // at least, where there are enough starts

std::vector<SampleRange> ranges_of(const BasinDesign& design) {
  return {{.first = design.across.low, .last = design.across.high},
          {.first = design.up.low, .last = design.up.high}};
}

std::vector<Index> strides_of(const BasinDesign& design) {
  Index stride = 1;
  while (2 * stride * kFewestCoarse <= std::min(design.across.cells, design.up.cells)) stride *= 2;
  std::vector<Index> strides;
  for (; stride >= 1; stride /= 2) strides.push_back(stride);
  return strides;
}

}  // namespace

BasinWork::BasinWork(const BasinProblem& problem, const BasinTable& table, std::string mark)
    : StagedWork(staged_options(problem.options()), std::move(mark)),
      problem_(problem),
      table_(table),
      strides_(strides_of(problem.design())),
      samples_(ranges_of(problem.design()), problem.options().samples, problem.options().seed,
               Sampling::random),
      catalogue_(problem),
      known_(static_cast<std::size_t>(starts())),
      taken_(static_cast<std::size_t>(starts())) {}

std::pair<double, double> BasinWork::place_of(Index start) const {
  const BasinDesign& design = problem_.design();
  if (start < problem_.cells())
    return {design.across.middle(start % design.across.cells), design.up.middle(start / design.across.cells)};
  const std::vector<double> values = samples_.at(start - problem_.cells());
  return {values[0], values[1]};
}

std::vector<Index> BasinWork::starts_of(Index stage) const {
  std::vector<Index> result;
  if (stage == std::ssize(strides_)) {
    for (Index start = problem_.cells(); start < starts(); ++start) result.push_back(start);
    return result;
  }
  const Index stride = strides_[static_cast<std::size_t>(stage)];
  const Index across = problem_.design().across.cells;
  for (Index j = 0; j < problem_.design().up.cells; j += stride)
    for (Index i = 0; i < across; i += stride)
      if (stage == 0 || i % (2 * stride) != 0 || j % (2 * stride) != 0) result.push_back(j * across + i);
  return result;
}

StageKnowledge BasinWork::knowledge_before(Index stage) const {
  StageKnowledge knowledge{.ends = catalogue_.known()};
  const bool is_of_cells = stage > 0 && stage < std::ssize(strides_);
  if (!is_of_cells || !problem_.is_plane_whole() || problem_.options().thorough) return knowledge;
  knowledge.stride = strides_[static_cast<std::size_t>(stage - 1)];
  const Index across = problem_.design().across.cells;
  for (Index j = 0; j < problem_.design().up.cells; j += knowledge.stride)
    for (Index i = 0; i < across; i += knowledge.stride)
      knowledge.colours.push_back(known_[static_cast<std::size_t>(j * across + i)].end);
  return knowledge;
}

void BasinWork::begin_stage(Index stage) {
  stage_ = stage;
  results_.clear();
  std::vector<Index> missing;
  for (const Index start : starts_of(stage)) {
    const Known& known = known_[static_cast<std::size_t>(start)];
    if (known.end == kNotFollowed && taken_[static_cast<std::size_t>(start)].empty())
      missing.push_back(start);
  }
  knowledge_ = missing.empty() ? "" : knowledge_text(knowledge_before(stage));
  begin_tasks(stage, missing, kTasksPerStage, kStartsPerTask);
}

// Results are taken in the order of their starts, whoever made them first.
void BasinWork::end_stage() {
  std::sort(results_.begin(), results_.end(),
            [](const FollowedStart& a, const FollowedStart& b) { return a.start < b.start; });
  auto result = results_.begin();
  for (const Index start : starts_of(stage_)) {
    Known& known = known_[static_cast<std::size_t>(start)];
    const std::string& taken = taken_[static_cast<std::size_t>(start)];
    if (!taken.empty()) {
      const bool is_number = taken.find_first_not_of("0123456789") == std::string::npos;
      int end = kNotFollowed;
      if (is_number) {
        for (std::size_t k = 0; k < catalogue_.ends().size(); ++k)
          if (catalogue_.ends()[k].attractor && catalogue_.ends()[k].name == taken) end = static_cast<int>(k);
      } else {
        end = catalogue_.end_named(taken, "");
      }
      if (end == kNotFollowed)
        throw std::invalid_argument("the table names attractor " + taken + ", which no start came to before");
      known.end = end;
      continue;
    }
    while (result != results_.end() && result->start < start) ++result;
    if (result == results_.end() || result->start != start) continue;
    StartEnd& end = result->end;
    known.steps = end.steps;
    known.found = end.found.has_value();
    if (end.found)
      known.end = catalogue_.end_of(*end.found);
    else
      known.end = end.known >= 0 ? end.known : catalogue_.end_named(end.name, end.message);
  }
  results_.clear();
}

std::string BasinWork::text_of(const std::vector<Index>& items) const {
  return task_text({.stage = stage_, .knowledge = knowledge_, .starts = items});
}

std::vector<Index> BasinWork::items_of(const std::string& task) const {
  return task_from(task, stage_).starts;
}

std::shared_ptr<const BasinWork::Lesson> BasinWork::lesson_of(const std::string& text,
                                                              std::vector<Index>& starts) {
  const std::lock_guard lock(lesson_mutex_);
  const BasinTask task = task_from(text, lesson_ ? lesson_->stage : -1);
  starts = task.starts;
  if (lesson_ && lesson_->stage == task.stage) return lesson_;
  auto lesson = std::make_shared<Lesson>();
  lesson->stage = task.stage;
  lesson->knowledge = knowledge_from(task.knowledge, problem_.grid());
  if (lesson->knowledge.stride > 0)
    lesson->colours = CoarseColours(problem_.design().across.cells, problem_.design().up.cells,
                                    lesson->knowledge.stride, lesson->knowledge.colours);
  lesson_ = lesson;
  return lesson_;
}

bool BasinWork::make(const std::string& task, const std::function<void(const std::string&)>& hand_on) {
  std::vector<Index> starts;
  const std::shared_ptr<const Lesson> lesson = lesson_of(task, starts);
  const BasinProblem::Lent lent(problem_);
  SurroundingEnd surrounding;
  if (lesson->knowledge.stride > 0)
    surrounding = [&](ConstVectorRef x) {
      const Index across = problem_.across_state(), up = problem_.up_state();
      return lesson->colours.inside(problem_.grid().place(across, x[across]),
                                    problem_.grid().place(up, x[up]));
    };
  std::vector<FollowedStart> results;
  for (const Index start : starts) {
    const auto [across, up] = place_of(start);
    const Run run = problem_.run_from(problem_.start(), problem_.state_at(across, up));
    auto end = follow_start(problem_, lent.simulator(), run, lesson->knowledge.ends, surrounding,
                            [&] { return is_cancelled(); });
    if (!end) return false;
    results.push_back({start, std::move(*end)});
  }
  hand_on(results_text(results));
  return true;
}

void BasinWork::accept(const std::string& result) {
  std::vector<FollowedStart> results = results_from(result);
  const std::lock_guard lock(mutex());
  for (FollowedStart& followed : results) {
    Known& known = known_[static_cast<std::size_t>(followed.start)];
    // A task whose worker was thought to be gone may be made twice.
    if (known.steps > 0 || known.end != kNotFollowed) continue;
    known.steps = std::max<Index>(followed.end.steps, 1);
    known.end = followed.end.known;
    ++done_;
    results_.push_back(std::move(followed));
  }
}

std::string BasinWork::name_of(int end) const {
  return catalogue_.ends()[static_cast<std::size_t>(end)].name;
}

// A start that found an attractor has no row before its stage is over, since its attractor has no number.
void BasinWork::write() {
  const std::string& path = problem_.options().table;
  if (path.empty()) return;
  std::vector<Known> known;
  {
    const std::lock_guard lock(mutex());
    known = known_;
  }
  write_whole(path, [&](std::ostream& out) {
    out << table_.header();
    for (Index start = 0; start < starts(); ++start) {
      const Known& one = known[static_cast<std::size_t>(start)];
      const std::string& taken = taken_[static_cast<std::size_t>(start)];
      if (one.end == kNotFollowed && taken.empty()) continue;
      const auto [across, up] = place_of(start);
      out << table_.line({.start = start,
                          .is_sample = start >= problem_.cells(),
                          .across = across,
                          .up = up,
                          .end = one.end == kNotFollowed ? taken : name_of(one.end),
                          .steps = one.steps,
                          .found = one.found});
    }
  });
}

bool BasinWork::take_over(const std::string& path) {
  std::ifstream in(to_path(path), std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || line + '\n' != table_.header())
    throw std::invalid_argument("its first line is not the one of these basins");
  for (Index number = 2; std::getline(in, line); ++number) {
    if (in.eof()) return false;
    BasinRow row;
    try {
      row = table_.row(line);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
    }
    if (row.start < 0 || row.start >= starts() || row.end.empty())
      throw std::invalid_argument(fmt::format("line {}: these basins have no such start", number));
    // An attractor is found again by the start that found it.
    if (row.found) continue;
    Known& known = known_[static_cast<std::size_t>(row.start)];
    std::string& taken = taken_[static_cast<std::size_t>(row.start)];
    if (!taken.empty()) throw std::invalid_argument(fmt::format("it has start {} twice", row.start));
    taken = row.end;
    known.steps = row.steps;
    ++taken_over_;
    ++done_;
  }
  return true;
}

void BasinWork::tell(Basins& basins) const {
  basins.total = starts();
  basins.taken_over = taken_over_;
  basins.attractors = catalogue_.attractors();
  basins.ends = catalogue_.ends();
  const BasinDesign& design = problem_.design();
  basins.plane = {.across = design.across.cells, .up = design.up.cells};
  Index cells = 0, samples = 0;
  for (Index start = 0; start < starts(); ++start) {
    const Known& known = known_[static_cast<std::size_t>(start)];
    if (start < problem_.cells()) {
      basins.plane.colours.push_back(known.end);
      basins.steps.push_back(known.steps);
    }
    if (known.end == kNotFollowed) continue;
    BasinEnd& end = basins.ends[static_cast<std::size_t>(known.end)];
    ++(start < problem_.cells() ? end.cells : end.samples);
    ++(start < problem_.cells() ? cells : samples);
    if (start < problem_.cells()) continue;
    const auto [across, up] = place_of(start);
    const auto number = [](const BasinAxis& axis, double value) {
      return std::clamp(static_cast<Index>((value - axis.low) / axis.width()), Index{0}, axis.cells - 1);
    };
    const int colour = basins.plane.colours[static_cast<std::size_t>(
        number(design.up, up) * design.across.cells + number(design.across, across))];
    if (colour == kNotFollowed) continue;
    ++basins.compared;
    if (colour != known.end) ++basins.differing;
  }
  for (BasinEnd& end : basins.ends) {
    if (cells > 0) end.fraction = static_cast<double>(end.cells) / static_cast<double>(cells);
    if (samples == 0) continue;
    const auto count = static_cast<double>(samples);
    end.sampled = static_cast<double>(end.samples) / count;
    // The part is that of half a sample more at this end and at the others: the error of 0 of n samples is not 0.
    const double part = (static_cast<double>(end.samples) + 0.5) / (count + 1);
    end.error = std::sqrt(part * (1 - part) / count);
  }
  basins.done = cells + samples;
  basins.complete = basins.done == basins.total;
}

}  // namespace slideway
