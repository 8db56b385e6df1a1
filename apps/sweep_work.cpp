#include "apps/sweep_work.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "apps/sweep_cells.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interruption(int) { interrupted = true; }

// While it lives, Ctrl-C and a request to terminate set `interrupted`; the second one ends the program at once.
class SignalWatch {
 public:
  SignalWatch() {
    struct sigaction action {};
    action.sa_handler = note_interruption;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    interrupted = false;
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~SignalWatch() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

// A cell that was not chosen has no value, and is not compared.
bool same_where_known(const std::vector<double>& read, const std::vector<double>& planned) {
  for (std::size_t k = 0; k < planned.size(); ++k)
    if (!std::isnan(read[k]) && read[k] != planned[k]) return false;
  return true;
}

}  // namespace

std::string file_contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Parts of a sweep that several files hold: the rows with the file of each, and the points of the section.
struct SweepWork::Parts {
  std::map<Index, std::pair<SweepRow, std::string>> rows = {};
  std::map<Index, SectionTable::Points> points = {};
};

SweepWork::SweepWork(const SweepTask& task, const SweepTable& table, const SectionTable* points,
                     SweepFiles files)
    : task_(task),
      table_(table),
      points_(points),
      files_(std::move(files)),
      lines_(static_cast<std::size_t>(task.plan.runs())),
      finished_(lines_.size(), 0) {}

void SweepWork::check_place(const SweepRow& row) const {
  const SweepPlan& plan = task_.plan;
  if (row.run < 0 || row.run >= plan.runs() || !same_where_known(row.values, plan.values(row.run)) ||
      (!row.direction.empty() && row.direction != plan.direction(row.run)))
    throw std::invalid_argument(fmt::format("it has a run {} that this sweep does not have", row.run));
  if (!plan.is_here(row.run))
    throw std::invalid_argument(fmt::format("it has run {}, which belongs to another shard", row.run));
}

void SweepWork::read_file(const std::string& path, const std::string& text, Parts& parts) const {
  try {
    if (points_ != nullptr && points_->is_own(text)) return points_->read(text, parts.points);
    for (SweepRow& row : table_.read(text)) {
      check_place(row);
      const Index run = row.run;
      const auto [place, is_new] = parts.rows.try_emplace(run, std::move(row), path);
      const std::string& other = place->second.second;
      if (!is_new && other == path) throw std::invalid_argument(fmt::format("it has run {} twice", run));
      if (!is_new)
        throw std::invalid_argument(fmt::format("it has run {}, and '{}' has it, too", run, other));
    }
  } catch (const std::invalid_argument& error) {
    refuse({.what = "this file does not belong to this sweep",
            .where = path,
            .expected = "the table of the same model, values and options, made by the same version",
            .got = error.what(),
            .advice = path == files_.table || path == files_.points
                          ? "leave out --resume to begin again, or choose another file"
                          : "give --merge the tables that this command wrote with --shard, each once"});
  }
}

std::vector<std::string> SweepWork::take_over(const std::vector<std::string>& files) {
  std::vector<std::string> cut;
  Parts parts;
  for (const std::string& path : files) {
    std::string text = file_contents(path);
    const std::size_t whole = whole_lines(text);
    if (whole < text.size()) cut.push_back(path);
    // A first line that is cut says nothing of whose table it was.
    if (whole > 0) text.resize(whole);
    read_file(path, text, parts);
  }
  for (auto& [run, row_and_file] : parts.rows) {
    SweepRow& row = row_and_file.first;
    if (points_ == nullptr || SectionTable::complete(row, parts.points, task_.section->most)) finish(row);
  }
  taken_over_ = done_;
  return cut;
}

bool SweepWork::execute(Index jobs) {
  const SignalWatch watch;
  ProgressBar bar(STDERR_FILENO, task_.plan.runs_here(), done_);
  std::vector<std::thread> workers;
  const Index wanted =
      done_ == task_.plan.runs_here() ? 0 : std::min(jobs, std::max<Index>(task_.plan.chains(), 0));
  active_ = wanted;
  for (Index job = 0; job < wanted; ++job) workers.emplace_back([this] { work(); });
  std::exception_ptr failure;
  try {
    watch_over(bar);
  } catch (...) {
    failure = std::current_exception();
    cancelled_ = true;
  }
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
  if (done_ > 0 || task_.plan.runs_here() == 0) write();
  return done_ == task_.plan.runs_here();
}

std::vector<Index> SweepWork::missing_runs() const {
  std::vector<Index> runs;
  for (std::size_t run = 0; run < finished_.size(); ++run)
    if (!finished_[run] && task_.plan.is_here(static_cast<Index>(run)))
      runs.push_back(static_cast<Index>(run));
  return runs;
}

std::vector<SweepRow> SweepWork::rows() const {
  std::vector<SweepRow> rows;
  for (std::size_t run = 0; run < lines_.size(); ++run)
    if (finished_[run]) rows.push_back(table_.row(lines_[run]));
  return rows;
}

void SweepWork::finish(const SweepRow& row) {
  std::string line = table_.line(row);
  const auto run = static_cast<std::size_t>(row.run);
  const std::lock_guard lock(mutex_);
  table_.mark(row, told_);
  lines_[run] = std::move(line);
  finished_[run] = 1;
  ++done_;
}

void SweepWork::work() {
  while (!cancelled_) {
    const Index chain = next_++;
    if (chain >= task_.plan.chains() || !make_chain(task_.plan.chain(chain))) break;
  }
  const std::lock_guard lock(mutex_);
  if (--active_ == 0) all_stopped_.notify_all();
}

// Each run begins where the last one that succeeded ended. Returns false when the sweep was cancelled.
bool SweepWork::make_chain(const std::vector<Index>& chain) {
  std::optional<SweepStart> start;
  for (const Index run : chain) {
    std::optional<SweepRow> row;
    if (!is_finished(run)) {
      row = sweep_run(task_, run, start, cancelled_);
      if (!row) return false;
      finish(*row);
    } else if (chain.size() > 1) {
      row = table_.row(lines_[static_cast<std::size_t>(run)]);
    }
    if (chain.size() == 1) break;
    if (auto end = end_of(*row, task_.states.size())) start = std::move(end);
  }
  return true;
}

bool SweepWork::is_finished(Index run) {
  const std::lock_guard lock(mutex_);
  return finished_[static_cast<std::size_t>(run)] != 0;
}

void SweepWork::watch_over(ProgressBar& bar) {
  using namespace std::chrono_literals;
  Clock::duration pause = 200ms;
  Clock::time_point next_writing = Clock::now() + pause;
  while (true) {
    Index done = 0;
    {
      std::unique_lock lock(mutex_);
      if (all_stopped_.wait_for(lock, 100ms, [this] { return active_ == 0; })) return;
      done = done_;
    }
    if (interrupted) cancelled_ = true;
    bar.show(done);
    if (Clock::now() < next_writing) continue;
    const Clock::time_point began = Clock::now();
    write_files(false);
    // A large table is written less often.
    pause = std::max<Clock::duration>(2s, 30 * (Clock::now() - began));
    next_writing = Clock::now() + pause;
  }
}

void SweepWork::write() { write_files(true); }

// A line does not change once it is finished. The points come first: a row whose points are not there is made again.
void SweepWork::write_files(bool also_standard_output) {
  std::vector<char> finished, told;
  {
    const std::lock_guard lock(mutex_);
    finished = finished_;
    told = told_;
  }
  const auto write_rows = [&](const std::string& path, const std::string& header, const auto& text_of) {
    if (path.empty() || (is_standard_output(path) && !also_standard_output)) return;
    write_whole(path, [&](std::ostream& out) {
      out << header;
      for (std::size_t run = 0; run < finished.size(); ++run)
        if (finished[run]) out << text_of(lines_[run]);
    });
  };
  if (points_ != nullptr)
    write_rows(files_.points, points_->header(),
               [&](const std::string& line) { return points_->lines(table_.row(line)); });
  const SweepTable::Selection selection = table_.selection(told);
  write_rows(files_.table, table_.header(selection),
             [&](const std::string& line) { return table_.projected(line, selection); });
}

}  // namespace slideway::apps
