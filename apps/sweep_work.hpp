// The runs of a sweep in threads, and its files. A file is replaced as a whole every few seconds, so that at any moment
// it is absent, old or a valid table of runs that were done.
//
// It must not know how a run is made, nor what the columns mean.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "apps/progress_bar.hpp"
#include "apps/sweep_run.hpp"
#include "apps/sweep_sections.hpp"
#include "apps/sweep_table.hpp"

namespace slideway::apps {

std::string file_contents(const std::string& path);

// Files that are not wanted have no name.
struct SweepFiles {
  std::string table = {};
  std::string points = {};
};

class SweepWork {
 public:
  // `points` is null where the points of the section are in the table.
  SweepWork(const SweepTask& task, const SweepTable& table, const SectionTable* points, SweepFiles files);

  // Takes over the rows of files that this sweep or shards of it left, tables of both kinds in any order. A last row that was cut
  // off is left out; the files with such a one are returned. Throws std::invalid_argument when a file does not belong to it.
  std::vector<std::string> take_over(const std::vector<std::string>& files);
  // Makes the runs that are missing and writes the files. Returns whether all the runs of the shard were made.
  bool execute(Index jobs);
  // All the rows that are done, in the order of the runs.
  void write();

  Index done() const { return done_; }
  Index taken_over() const { return taken_over_; }
  std::vector<Index> missing_runs() const;
  // The finished runs.
  std::vector<SweepRow> rows() const;

 private:
  struct Parts;

  void read_file(const std::string& path, const std::string& text, Parts& parts) const;
  void check_place(const SweepRow& row) const;
  void finish(const SweepRow& row);
  void work();
  bool make_chain(const std::vector<Index>& chain);
  bool is_finished(Index run);
  void watch_over(ProgressBar& bar);
  void write_files(bool also_standard_output);

  const SweepTask& task_;
  const SweepTable& table_;
  const SectionTable* points_;
  SweepFiles files_;
  std::vector<std::string> lines_;  // by run, with all columns
  std::vector<char> finished_;
  std::vector<char> told_;  // the columns in which a row tells something
  std::mutex mutex_;
  std::condition_variable all_stopped_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<Index> next_ = 0;  // of the chains
  Index active_ = 0;
  Index done_ = 0;
  Index taken_over_ = 0;
};

}  // namespace slideway::apps
