#include "lib/mpi/writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace slideway {

using namespace mpi_time;

MpiWorkers::Writer::Writer(Post& post, SweepWork& work)
    : post_(post), work_(work), others_(static_cast<std::size_t>(post.size())) {
  others_.front().is_gone = true;
}

void MpiWorkers::Writer::run() {
  const Clock::time_point begin = Clock::now();
  const Index jobs = work_.jobs();
  std::vector<std::thread> threads;
  for (Index job = 0; job < jobs; ++job) threads.emplace_back([this] { labour(); });
  threads.emplace_back([this] { attend(); });
  try {
    while (!is_done()) {
      if (look()) continue;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kLook, [&] { return stopped_; });
    }
  } catch (...) {
    note_failure();
  }
  bool in_haste = !complaint_.empty();
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    in_haste = in_haste || interrupted_ || failure_;
  }
  changed_.notify_all();
  if (in_haste) work_.cancel();
  for (std::thread& thread : threads) thread.join();
  work_.note_time(0, seconds_since(begin) * static_cast<double>(jobs));
  try {
    stop_all(in_haste);
  } catch (...) {
    note_failure();
  }
  if (failure_) std::rethrow_exception(failure_);
  if (!complaint_.empty()) throw std::invalid_argument(complaint_);
}

void MpiWorkers::Writer::note_failure() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
  stopped_ = true;
  changed_.notify_all();
}

// Busy is said before a task is taken, so that nobody takes the sweep for done between the two.
void MpiWorkers::Writer::labour() {
  double at_work = 0;
  try {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      ++busy_;
      lock.unlock();
      const auto task = work_.next();
      const Clock::time_point began = Clock::now();
      if (task) work_.make(*task, [&](const std::string& result) { work_.accept(result); });
      if (task) at_work += seconds_since(began);
      lock.lock();
      --busy_;
      if (task) continue;
      ++idle_;
      changed_.wait_for(lock, kLook, [&] { return stopped_; });
      --idle_;
    }
  } catch (...) {
    note_failure();
  }
  work_.note_time(at_work, 0);
}

void MpiWorkers::Writer::attend() {
  try {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, 100ms, [&] { return stopped_; })) {
      lock.unlock();
      const bool goes_on = work_.attend();
      lock.lock();
      if (goes_on) continue;
      interrupted_ = true;
      stopped_ = true;
      changed_.notify_all();
    }
  } catch (...) {
    note_failure();
  }
}

// True where there was a message.
bool MpiWorkers::Writer::look() {
  bool any = false;
  for (const int tag : {post_.sweep_tag(), Post::farewell_tag()}) {
    while (auto received = post_.receive(tag)) {
      take(received->rank, received->message);
      any = true;
    }
  }
  for (int rank = 1; rank < post_.size(); ++rank) hand_out(rank);
  recall_waiting_tasks();
  find_dead();
  return any;
}

void MpiWorkers::Writer::take(int rank, Message& message) {
  Other& other = others_[static_cast<std::size_t>(rank)];
  other.last_heard = Clock::now();
  if (complaint_.empty())
    for (const std::string& result : message.results) work_.accept(result);
  for (const std::uint64_t number : message.made) other.tasks.erase(number);
  for (const std::uint64_t number : message.given_back) {
    const auto found = other.tasks.find(number);
    if (found == other.tasks.end()) continue;
    work_.put_back(found->second);
    other.tasks.erase(found);
  }
  switch (message.kind) {
    case MessageKind::hello:
      other.has_greeted = true;
      other.threads = std::max<std::uint64_t>(1, message.idle);
      if (message.text != work_.mark())
        complaint_ =
            "rank " + std::to_string(rank) +
            " of MPI has another sweep than rank 0 (expected the same model file, options and version on "
            "all computers); where the ranks are to make different sweeps, start them without MPI";
      [[fallthrough]];
    case MessageKind::report:
      // Somebody who was taken for dead and is not.
      if (other.is_gone) other.is_gone = false;
      if (message.wanted > 0) {
        other.wanted = message.wanted;
        other.idle = message.idle;
      }
      break;
    case MessageKind::away:
      other.is_gone = true;
      if (complaint_.empty()) complaint_ = "rank " + std::to_string(rank) + " of MPI: " + message.text;
      break;
    case MessageKind::bye:
      work_.note_time(message.at_work, message.there);
      lose(rank);
      break;
    case MessageKind::closing:
      post_.note_farewell(rank);
      // It said more before, which this process did not look at yet.
      while (auto received = post_.receive(post_.sweep_tag())) take(received->rank, received->message);
      if (!other.has_greeted && !other.is_gone && complaint_.empty())
        complaint_ = "rank " + std::to_string(rank) + " of MPI ended before the sweep began";
      lose(rank);
      break;
    default: break;
  }
}

// Tasks are given many at a time as long as there are many, and one by one towards the end. Every request is answered.
void MpiWorkers::Writer::hand_out(int rank) {
  Other& other = others_[static_cast<std::size_t>(rank)];
  if (other.wanted == 0 || other.is_gone) return;
  std::uint64_t threads = static_cast<std::uint64_t>(work_.jobs());
  for (const Other& each : others_) threads += each.threads;
  const auto share = static_cast<std::uint64_t>(work_.waiting()) / (2 * threads);
  const std::uint64_t count = std::min(other.wanted, std::max<std::uint64_t>({1, share, other.idle}));
  Message message{.kind = MessageKind::tasks};
  while (message.tasks.size() < count) {
    auto task = work_.next();
    if (!task) break;
    const std::uint64_t number = next_number_++;
    message.tasks.push_back({number, *task});
    other.tasks.emplace(number, std::move(*task));
  }
  other.wanted = 0;
  if (message.tasks.size() >= other.idle) other.idle = 0;
  if (!post_.send(rank, post_.sweep_tag(), message)) {
    post_.note_death();
    lose(rank);
  }
}

// Where one has nothing to do, and another one has more than it works at.
void MpiWorkers::Writer::recall_waiting_tasks() {
  if (work_.waiting() > 0) return;
  bool is_one_idle = false;
  {
    const std::lock_guard lock(mutex_);
    is_one_idle = idle_ > 0;
  }
  for (const Other& other : others_) is_one_idle = is_one_idle || (!other.is_gone && other.idle > 0);
  if (!is_one_idle) return;
  const Clock::time_point now = Clock::now();
  for (int rank = 1; rank < post_.size(); ++rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    if (other.is_gone || other.tasks.size() <= other.threads || now - other.last_recall < kReport) continue;
    other.last_recall = now;
    post_.send(rank, post_.sweep_tag(), {.kind = MessageKind::give_back});
  }
}

void MpiWorkers::Writer::find_dead() {
  const Clock::time_point now = Clock::now();
  for (int rank = 1; rank < post_.size(); ++rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    if (other.is_gone || !other.has_greeted || now - other.last_heard < kSilence) continue;
    post_.note_death();
    lose(rank);
  }
}

// Its tasks go to others.
void MpiWorkers::Writer::lose(int rank) {
  Other& other = others_[static_cast<std::size_t>(rank)];
  for (const auto& [number, task] : other.tasks) work_.put_back(task);
  other.tasks.clear();
  other.is_gone = true;
  other.idle = 0;
  other.wanted = 0;
  if (post_.someone_died()) post_.drop_unsent(rank);
}

bool MpiWorkers::Writer::is_done() {
  if (!complaint_.empty()) return true;
  for (const Other& other : others_)
    if (!other.tasks.empty()) {
      const std::lock_guard lock(mutex_);
      return stopped_;
    }
  const std::lock_guard lock(mutex_);
  return stopped_ || (busy_ == 0 && work_.waiting() == 0);
}

void MpiWorkers::Writer::stop_all(bool in_haste) {
  for (int rank = 1; rank < post_.size(); ++rank)
    if (!others_[static_cast<std::size_t>(rank)].is_gone)
      post_.send(rank, post_.sweep_tag(), {.kind = MessageKind::stop});
  const Clock::time_point begin = Clock::now();
  const auto is_waiting = [&] {
    return std::any_of(others_.begin(), others_.end(), [](const Other& other) { return !other.is_gone; });
  };
  while (is_waiting() && Clock::now() - begin < (in_haste ? Clock::duration(kHaste) : kSilence)) {
    for (const int tag : {post_.sweep_tag(), Post::farewell_tag()})
      while (auto received = post_.receive(tag)) take(received->rank, received->message);
    std::this_thread::sleep_for(kLook);
  }
  if (!in_haste && is_waiting()) post_.note_death();
}

}  // namespace slideway
