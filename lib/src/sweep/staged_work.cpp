#include "sweep/staged_work.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace slideway {

namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 2s;
constexpr int kPauses = 30;  // files that take long to write are written less often

}  // namespace

StagedWork::StagedWork(StagedWorkOptions options, std::string mark)
    : options_(std::move(options)), mark_(std::move(mark)), next_writing_(Clock::now() + kPause) {}

void StagedWork::run_by(SweepWorkers& workers) {
  if (has_tasks() || options_.has_other_processes) workers.run(*this);
}

bool StagedWork::is_cancelled() const {
  return cancelled_ || (options_.cancel != nullptr && *options_.cancel);
}

Index StagedWork::jobs() const {
  if (options_.jobs > 0) return options_.jobs;
  // Processes that know each other share the processors of their computers.
  if (options_.has_other_processes) return 1;
  return std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
}

void StagedWork::begin_tasks(Index stage, const std::vector<Index>& items, Index fewest, Index most) {
  cancelled_ = false;
  stage_mark_ = mark_ + " stage " + std::to_string(stage);
  tasks_.clear();
  const Index size = std::clamp<Index>(std::ssize(items) / fewest, 1, most);
  for (Index begin = 0; begin < std::ssize(items); begin += size) {
    const auto first = items.begin() + begin;
    const auto last = items.begin() + std::min<Index>(begin + size, std::ssize(items));
    tasks_.emplace_back(first, last);
  }
  std::reverse(tasks_.begin(), tasks_.end());
}

std::optional<std::string> StagedWork::next() {
  const std::lock_guard lock(mutex_);
  if (cancelled_ || tasks_.empty()) return std::nullopt;
  const std::vector<Index> items = std::move(tasks_.back());
  tasks_.pop_back();
  return text_of(items);
}

void StagedWork::put_back(const std::string& task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(items_of(task));
}

Index StagedWork::waiting() const {
  const std::lock_guard lock(mutex_);
  return std::ssize(tasks_);
}

bool StagedWork::attend() {
  if (is_cancelled()) cancelled_ = true;
  if (options_.on_progress) {
    Index so_far = 0;
    {
      const std::lock_guard lock(mutex_);
      so_far = done();
    }
    options_.on_progress(so_far, total());
  }
  if (!cancelled_ && Clock::now() >= next_writing_) {
    const Clock::time_point began = Clock::now();
    write();
    next_writing_ = Clock::now() + std::max<Clock::duration>(kPause, kPauses * (Clock::now() - began));
  }
  return !cancelled_;
}

}  // namespace slideway
