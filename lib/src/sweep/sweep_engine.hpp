// The runs of a sweep as work for others, its rows, and its files. A file is replaced as a whole every few seconds, so that at any
// moment it is absent, old or a valid table of runs that were done.
//
// It must not know how a run is made, nor what the columns mean, nor who works.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "slideway/sweep/sweep.hpp"
#include "slideway/sweep/sweep_workers.hpp"
#include "sweep/row_store.hpp"
#include "sweep/section_table.hpp"
#include "sweep/sweep_run.hpp"
#include "sweep/sweep_table.hpp"

namespace slideway {

class SweepEngine final : public SweepWork {
 public:
  // `points` is null where the points of the section are in the table.
  SweepEngine(const SweepTask& task, const SweepTable& table, const SectionTable* points,
              const SweepOptions& options, std::string mark, std::string directory);

  // Takes over the rows of files that this sweep or shards of it left, tables of both kinds in any order. A last row that was cut
  // off is left out; the files with such a one are returned. Throws std::invalid_argument when a file does not belong to it.
  std::vector<std::string> take_over(const std::vector<std::string>& files);
  // All the rows that are done, in the order of the runs.
  void write();
  // Counts, missing runs, rows and statistics.
  void tell(SweepResult& result) const;
  bool is_complete() const;
  bool is_empty() const;

  const std::string& mark() const override { return mark_; }
  Index jobs() const override;
  std::optional<std::string> next() override;
  void put_back(const std::string& task) override;
  Index waiting() const override;
  void accept(const std::string& result) override;
  bool attend() override;
  void note_time(double at_work, double there) override;
  bool make(const std::string& task, const std::function<void(const std::string&)>& hand_on) override;
  void cancel() override { cancelled_ = true; }
  bool is_cancelled() const override {
    return cancelled_ || (options_.cancel != nullptr && *options_.cancel);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Parts;

  void read_points(const std::string& path, Parts& parts) const;
  bool read_rows(const std::string& path, Parts& parts);
  bool holds_run(const std::string& path, Index run) const;
  void check_place(const SweepRow& row) const;
  void keep(Index run, const std::string& line, bool succeeded, bool is_contradicted);
  void write_files(bool also_standard_output);

  const SweepTask& task_;
  const SweepTable& table_;
  const SectionTable* points_;
  const SweepOptions& options_;
  std::string mark_;
  RowStore rows_;
  mutable std::mutex mutex_;
  std::vector<char> told_;  // the columns in which a row tells something
  std::vector<std::string> put_back_;
  Index next_ = 0;  // of the chains
  Index done_ = 0;
  Index taken_over_ = 0;
  Index failed_ = 0;
  Index contradicted_ = 0;
  double at_work_ = 0;
  double there_ = 0;
  std::atomic<bool> cancelled_ = false;
  Clock::time_point next_writing_;
};

}  // namespace slideway
