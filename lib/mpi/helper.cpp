#include "lib/mpi/helper.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace slideway {

using namespace mpi_time;

MpiWorkers::Helper::Helper(Post& post, SweepWork& work) : post_(post), work_(work) {}

void MpiWorkers::Helper::run() {
  const auto jobs = static_cast<std::size_t>(work_.jobs());
  post_.send(0, post_.sweep_tag(),
             {.kind = MessageKind::hello, .text = work_.mark(), .wanted = 2 * jobs, .idle = jobs});
  std::vector<std::thread> threads;
  for (std::size_t job = 0; job < jobs; ++job) threads.emplace_back([this] { labour(); });
  while (look()) continue;
  work_.cancel();
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
  say_bye();
}

void MpiWorkers::Helper::labour() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
    --idle_;
    if (stopped_) return;
    const NumberedTask task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const Clock::time_point began = Clock::now();
    bool is_made = false;
    try {
      is_made = work_.make(task.task, [&](const std::string& result) {
        const std::lock_guard results_lock(mutex_);
        results_.push_back(result);
      });
    } catch (...) {
      // No memory, for one: the writer gives the task to another process, and this one goes.
    }
    const double seconds = seconds_since(began);
    lock.lock();
    at_work_ += seconds;
    constexpr double weight = 0.2;
    mean_seconds_ = mean_seconds_ == 0 ? seconds : (1 - weight) * mean_seconds_ + weight * seconds;
    (is_made ? made_ : not_made_).push_back(task.number);
    if (!is_made) stopped_ = true;
  }
}

// False when it is to stop.
bool MpiWorkers::Helper::look() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLook, [&] { return stopped_; });
  }
  while (auto received = post_.receive(post_.sweep_tag())) take(std::move(received->message));
  // The writer may read a large table before it begins.
  const auto patience = was_answered_ ? Clock::duration(3 * kSilence) : kFarewell;
  const bool is_deserted = is_asking_ && Clock::now() - asked_ > patience;
  if (is_deserted) post_.note_death();
  const bool is_over = is_deserted || work_.is_cancelled();
  {
    const std::lock_guard lock(mutex_);
    if (is_over) stopped_ = true;
    if (stopped_) return false;
  }
  report_if_due();
  return true;
}

void MpiWorkers::Helper::take(Message message) {
  const std::lock_guard lock(mutex_);
  if (message.kind == MessageKind::stop) stopped_ = true;
  if (message.kind == MessageKind::tasks) {
    is_asking_ = false;
    was_answered_ = true;
    for (NumberedTask& task : message.tasks) waiting_.push_back(std::move(task));
    changed_.notify_all();
  }
  if (message.kind == MessageKind::give_back) {
    for (const NumberedTask& task : waiting_) not_made_.push_back(task.number);
    waiting_.clear();
  }
}

std::size_t MpiWorkers::Helper::level() const {
  const double each = mean_seconds_ > 0 ? std::clamp(kAhead / mean_seconds_, 1.0, kMostAhead) : 1;
  return static_cast<std::size_t>(each) * static_cast<std::size_t>(work_.jobs());
}

void MpiWorkers::Helper::report_if_due() {
  const Clock::time_point now = Clock::now();
  Message message{.kind = MessageKind::report};
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    const bool needs = 2 * waiting_.size() <= level() && !is_asking_ && now - asked_ >= kAskAgain;
    const bool has_news = !results_.empty() || !made_.empty();
    const bool is_due = needs || !not_made_.empty() || (has_news && now - last_report_ >= kReport) ||
                        now - last_report_ >= kBeat;
    if (!is_due) return;
    message.results.swap(results_);
    message.made.swap(made_);
    message.given_back.swap(not_made_);
    if (needs) {
      message.wanted = level() + idle_ - std::min(level(), waiting_.size());
      message.idle = waiting_.empty() ? idle_ : 0;
      is_asking_ = true;
      asked_ = now;
    }
  }
  last_report_ = now;
  post_.send(0, post_.sweep_tag(), message);
}

void MpiWorkers::Helper::say_bye() {
  Message message{.kind = MessageKind::bye};
  message.results.swap(results_);
  message.made.swap(made_);
  message.given_back.swap(not_made_);
  for (const NumberedTask& task : waiting_) message.given_back.push_back(task.number);
  message.at_work = at_work_;
  message.there = seconds_since(begin_) * static_cast<double>(work_.jobs());
  post_.send(0, post_.sweep_tag(), message);
}

}  // namespace slideway
