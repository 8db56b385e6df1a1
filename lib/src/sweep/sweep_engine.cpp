#include "sweep/sweep_engine.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"
#include "sweep/statistics_of.hpp"
#include "sweep/sweep_cells.hpp"

namespace slideway {

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstPause = 200ms;
constexpr auto kPause = 2s;
// A large table is written less often: at least so many times as long passes as its writing takes.
constexpr int kPauses = 30;
constexpr std::size_t kMissingTold = 1000;

// A cell that was not chosen has no value, and is not compared.
bool same_where_known(const std::vector<double>& read, const std::vector<double>& planned) {
  for (std::size_t k = 0; k < planned.size(); ++k)
    if (!std::isnan(read[k]) && read[k] != planned[k]) return false;
  return true;
}

bool is_missing(const RowStore& rows, const SweepPlan& plan, Index run) {
  return plan.is_here(run) && !rows.has(run);
}

// The next line without its end. False at the end of the file, and for a last line without one, which makes `is_cut` true.
bool next_line(std::istream& in, std::string& line, bool& is_cut) {
  if (!std::getline(in, line)) return false;
  is_cut = in.eof();
  return !is_cut;
}

}  // namespace

// Parts of a sweep that several files hold: the points of the section, and the files whose rows were read.
struct SweepEngine::Parts {
  std::map<Index, SectionTable::Points> points = {};
  std::vector<std::string> read = {};
};

SweepEngine::SweepEngine(const SweepTask& task, const SweepTable& table, const SectionTable* points,
                         const SweepOptions& options, std::string mark, std::string directory)
    : task_(task),
      table_(table),
      points_(points),
      options_(options),
      mark_(std::move(mark)),
      rows_(task.plan.runs(), std::move(directory)),
      next_writing_(Clock::now() + kFirstPause) {}

Index SweepEngine::jobs() const {
  if (options_.jobs > 0) return options_.jobs;
  // Processes that know each other share the processors of their computers.
  if (options_.workers != nullptr) return 1;
  return std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
}

void SweepEngine::check_place(const SweepRow& row) const {
  const SweepPlan& plan = task_.plan;
  if (row.run < 0 || row.run >= plan.runs() || !same_where_known(row.values, plan.values(row.run)) ||
      (!row.direction.empty() && row.direction != plan.direction(row.run)))
    throw std::invalid_argument(fmt::format("it has a run {} that this sweep does not have", row.run));
  if (!plan.is_here(row.run))
    throw std::invalid_argument(fmt::format("it has run {}, which belongs to another shard", row.run));
}

// This is called only where something is wrong already.
bool SweepEngine::holds_run(const std::string& path, Index run) const {
  std::ifstream in(to_path(path), std::ios::binary);
  std::string line;
  bool is_cut = false;
  if (!next_line(in, line, is_cut)) return false;
  const auto columns = table_.columns_of_header(line);
  while (columns && next_line(in, line, is_cut))
    if (table_.read(line, *columns).run == run) return true;
  return false;
}

void SweepEngine::read_points(const std::string& path, Parts& parts) const {
  std::ifstream in(to_path(path), std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  std::string text = content.str();
  text.resize(text.rfind('\n') + 1);
  points_->read(text, parts.points);
}

// read_rows() returns false where the last row was cut off.
bool SweepEngine::read_rows(const std::string& path, Parts& parts) {
  std::ifstream in(to_path(path), std::ios::binary);
  std::string line;
  bool is_cut = false;
  // A first line that is cut says nothing of whose table it was.
  const bool has_header = next_line(in, line, is_cut);
  const auto columns = table_.columns_of_header(line);
  if (!columns || !has_header) throw std::invalid_argument("its first line is not the one of this sweep");
  for (Index number = 2; next_line(in, line, is_cut); ++number) {
    SweepRow row;
    try {
      row = table_.read(line, *columns);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
    }
    check_place(row);
    if (rows_.has(row.run)) {
      const auto other = std::find_if(parts.read.begin(), parts.read.end(),
                                      [&](const std::string& file) { return holds_run(file, row.run); });
      if (other == parts.read.end()) throw std::invalid_argument(fmt::format("it has run {} twice", row.run));
      throw std::invalid_argument(fmt::format("it has run {}, and '{}' has it, too", row.run, *other));
    }
    if (points_ != nullptr && !SectionTable::complete(row, parts.points, task_.section->most)) continue;
    table_.mark(row, told_);
    keep(row.run, table_.line(row), row.succeeded(), row.is_contradicted());
  }
  parts.read.push_back(path);
  return !is_cut;
}

std::vector<std::string> SweepEngine::take_over(const std::vector<std::string>& files) {
  std::vector<std::string> cut;
  Parts parts;
  const auto read = [&](const std::string& path, const auto& reading) {
    try {
      if (!reading()) cut.push_back(path);
    } catch (const std::invalid_argument& error) {
      refuse({.what = "this file does not belong to this sweep",
              .where = path,
              .expected = "the table of the same model, values and options, made by the same version",
              .got = error.what(),
              .advice = path == options_.table || path == options_.points
                            ? "leave out SweepOptions::resume to begin again, or choose another file"
                            : "give SweepOptions::merge the tables that this sweep wrote with "
                              "SweepDesign::shard, each once"});
    }
  };
  std::vector<std::string> tables;
  for (const std::string& path : files) {
    std::ifstream in(to_path(path), std::ios::binary);
    std::string line;
    bool is_cut = false;
    const bool has_line = next_line(in, line, is_cut);
    if (points_ != nullptr && has_line && points_->is_own(line + '\n')) {
      in.seekg(-1, std::ios::end);
      const bool is_whole = in.get() == '\n';
      read(path, [&] {
        read_points(path, parts);
        return is_whole;
      });
    } else {
      tables.push_back(path);
    }
  }
  for (const std::string& path : tables) read(path, [&] { return read_rows(path, parts); });
  taken_over_ = done_;
  return cut;
}

// The lock is held by whoever calls this, or nobody else is there yet.
void SweepEngine::keep(Index run, const std::string& line, bool succeeded, bool is_contradicted) {
  rows_.put(run, line);
  ++done_;
  if (!succeeded) ++failed_;
  if (is_contradicted) ++contradicted_;
}

std::optional<std::string> SweepEngine::next() {
  const std::lock_guard lock(mutex_);
  if (cancelled_) return std::nullopt;
  if (!put_back_.empty()) {
    std::string task = std::move(put_back_.back());
    put_back_.pop_back();
    return task;
  }
  while (next_ < task_.plan.chains()) {
    const Index number = next_++;
    const std::vector<Index> chain = task_.plan.chain(number);
    std::string task = fmt::format("{}\n", number);
    bool is_missing_one = false;
    for (const Index run : chain) {
      if (!rows_.has(run)) {
        is_missing_one = true;
      } else if (chain.size() > 1) {
        task += rows_.row(run);
      }
    }
    if (is_missing_one) return task;
  }
  return std::nullopt;
}

void SweepEngine::put_back(const std::string& task) {
  const std::lock_guard lock(mutex_);
  put_back_.push_back(task);
}

Index SweepEngine::waiting() const {
  const std::lock_guard lock(mutex_);
  return task_.plan.chains() - next_ + static_cast<Index>(put_back_.size());
}

// A task is the number of its chain, then the rows of the chain that are there. Each run begins where the last one that succeeded
// ended.
bool SweepEngine::make(const std::string& task, const std::function<void(const std::string&)>& hand_on) {
  const std::size_t begin = task.find('\n') + 1;
  const std::vector<Index> chain = task_.plan.chain(count_of(task.substr(0, begin - 1)));
  std::map<Index, SweepRow> known;
  for (std::size_t at = begin; at < task.size();) {
    const std::size_t end = task.find('\n', at) + 1;
    SweepRow row = table_.row(task.substr(at, end - at));
    known.emplace(row.run, std::move(row));
    at = end;
  }
  std::optional<SweepStart> start;
  for (const Index run : chain) {
    std::optional<SweepRow> row;
    if (const auto found = known.find(run); found != known.end()) {
      row = found->second;
    } else {
      row = sweep_run(task_, run, start, cancelled_);
      if (!row) return false;
      std::vector<char> told;
      table_.mark(*row, told);
      // A result is a mark for every column, whether the run succeeded, whether its audit failed, and the line.
      std::string result;
      for (const char column : told) result += column ? '1' : '0';
      result += row->succeeded() ? '1' : '0';
      result += row->is_contradicted() ? '1' : '0';
      hand_on(result + table_.line(*row));
    }
    if (chain.size() == 1) break;
    if (auto end = end_of(*row, task_.states.size())) start = std::move(end);
  }
  return true;
}

void SweepEngine::accept(const std::string& result) {
  const std::size_t columns = table_.size();
  const std::string line = result.substr(columns + 2);
  const Index run = count_of(line.substr(0, line.find(',')));
  const std::lock_guard lock(mutex_);
  if (rows_.has(run)) return;
  told_.resize(columns);
  for (std::size_t k = 0; k < columns; ++k)
    if (result[k] == '1') told_[k] = 1;
  keep(run, line, result[columns] == '1', result[columns + 1] == '1');
  if (options_.on_row) options_.on_row(table_.row(line));
}

bool SweepEngine::attend() {
  if (is_cancelled()) cancelled_ = true;
  if (options_.on_progress) {
    Index done = 0;
    {
      const std::lock_guard lock(mutex_);
      done = done_;
    }
    options_.on_progress(done, task_.plan.runs_here());
  }
  if (!cancelled_ && Clock::now() >= next_writing_) {
    const Clock::time_point began = Clock::now();
    write_files(false);
    next_writing_ = Clock::now() + std::max<Clock::duration>(kPause, kPauses * (Clock::now() - began));
  }
  return !cancelled_;
}

void SweepEngine::note_time(double at_work, double there) {
  const std::lock_guard lock(mutex_);
  at_work_ += at_work;
  there_ += there;
}

bool SweepEngine::is_complete() const {
  const std::lock_guard lock(mutex_);
  return done_ == task_.plan.runs_here();
}

bool SweepEngine::is_empty() const {
  const std::lock_guard lock(mutex_);
  return done_ == 0;
}

void SweepEngine::write() { write_files(true); }

// A row does not change once it is there. The points come first: a row whose points are not there is made again.
void SweepEngine::write_files(bool also_standard_output) {
  std::vector<char> told;
  std::uint64_t moment = 0;
  {
    const std::lock_guard lock(mutex_);
    told = told_;
    moment = rows_.now();
  }
  const auto write_rows = [&](const std::string& path, const std::string& header, const auto& text_of) {
    if (path.empty() || (is_standard_output(path) && !also_standard_output)) return;
    write_whole(path, [&](std::ostream& out) {
      out << header;
      rows_.for_each(moment, [&](const std::string& line) { out << text_of(line); });
    });
  };
  if (points_ != nullptr)
    write_rows(options_.points, points_->header(),
               [&](const std::string& line) { return points_->lines(table_.row(line)); });
  const SweepTable::Selection selection = table_.selection(told);
  write_rows(options_.table, table_.header(selection),
             [&](const std::string& line) { return table_.projected(line, selection); });
}

void SweepEngine::tell(SweepResult& result) const {
  result.done = done_;
  result.taken_over = taken_over_;
  result.failed = failed_;
  result.contradicted = contradicted_;
  result.seconds = there_;
  result.seconds_at_work = at_work_;
  for (Index run = 0; run < rows_.runs() && result.missing.size() < kMissingTold && done_ < result.runs;
       ++run)
    if (is_missing(rows_, task_.plan, run)) result.missing.push_back(run);
  if (options_.keep_rows)
    rows_.for_each(rows_.now(), [&](const std::string& line) { result.rows.push_back(table_.row(line)); });
  if (options_.statistics) result.statistics = statistics_of(rows_, table_, table_.selection(told_));
}

}  // namespace slideway
