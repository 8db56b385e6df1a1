#include "validation/random/campaign.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace slideway::validation::random {
namespace {

struct Row {
  std::string name;
  int models = 0;
  int undecided = 0;  // models about which the oracle says nothing at any tolerance
  int wrong_models = 0;
  int runs = 0;
  int agreed = 0;
  int skipped = 0;
  int wrong = 0;
  int timed_out = 0;
  std::map<std::string, int> reasons = {};  // of what was skipped

  void add(const Row& other) {
    models += other.models;
    undecided += other.undecided;
    wrong_models += other.wrong_models;
    runs += other.runs;
    agreed += other.agreed;
    skipped += other.skipped;
    wrong += other.wrong;
    timed_out += other.timed_out;
    for (const auto& [reason, count] : other.reasons) reasons[reason] += count;
  }
};

struct WrongModel {
  std::string class_name;
  int number = 0;
  int wrong = 0;
  Trial first = {};
  std::string file = {};  // made small
};

class Campaign {
 public:
  Campaign(const CampaignOptions& options, const std::vector<std::unique_ptr<Population>>& populations,
           std::ostream& out)
      : options_(options), populations_(populations), out_(out) {}

  int run() {
    std::vector<Task> tasks;
    for (std::size_t k = 0; k < populations_.size(); ++k) {
      rows_.push_back({.name = populations_[k]->name()});
      const auto count = static_cast<int>(populations_.size());
      const int share = (options_.models + count - 1 - static_cast<int>(k)) / count;
      if (options_.only) {
        tasks.push_back({k, *options_.only});
      } else {
        for (int number = 0; number < share; ++number) tasks.push_back({k, number});
      }
    }
    judge(tasks);
    Row total{.name = "all"};
    for (const Row& row : rows_) total.add(row);
    rows_.push_back(total);
    if (options_.json) {
      write_json();
    } else {
      write_table();
    }
    return total.wrong + total.timed_out == 0 ? 0 : 1;
  }

 private:
  struct Task {
    std::size_t place = 0;  // into populations_
    int number = 0;
  };

  // On as many threads as there are jobs; what comes out is added up in the order of the tasks.
  void judge(const std::vector<Task>& tasks) {
    std::vector<std::optional<std::vector<Trial>>> judged(tasks.size());
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable is_judged;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t k = next++; k < tasks.size(); k = next++) {
        try {
          std::vector<Trial> trials = populations_[tasks[k].place]->trials(tasks[k].number);
          const std::lock_guard lock(mutex);
          judged[k] = std::move(trials);
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
          next = tasks.size();
        }
        is_judged.notify_one();
      }
    };
    std::vector<std::jthread> workers;
    for (int job = 0; job < options_.jobs; ++job) workers.emplace_back(work);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      std::unique_lock lock(mutex);
      is_judged.wait(lock, [&] { return judged[k] || failure; });
      if (failure) {
        lock.unlock();
        workers.clear();
        std::rethrow_exception(failure);
      }
      const std::vector<Trial> trials = std::move(*judged[k]);
      judged[k].emplace();
      lock.unlock();
      add(tasks[k], trials);
    }
  }

  void add(const Task& task, const std::vector<Trial>& trials) {
    Row& row = rows_[task.place];
    ++row.models;
    const Trial* first_wrong = nullptr;
    int wrong = 0;
    bool decided = false;
    for (const Trial& trial : trials) {
      ++row.runs;
      decided = decided || trial.finding != Finding::skipped;
      switch (trial.finding) {
        case Finding::agreed: ++row.agreed; break;
        case Finding::skipped:
          ++row.skipped;
          ++row.reasons[trial.text];
          break;
        case Finding::timed_out: ++row.timed_out; break;
        case Finding::wrong: ++row.wrong; break;
      }
      if (trial.finding == Finding::wrong || trial.finding == Finding::timed_out) {
        if (first_wrong == nullptr) first_wrong = &trial;
        ++wrong;
      }
    }
    if (!decided) ++row.undecided;
    if (first_wrong == nullptr) return;
    ++row.wrong_models;
    WrongModel found{.class_name = row.name, .number = task.number, .wrong = wrong, .first = *first_wrong};
    if (row.wrong_models <= options_.printed) {
      const bool is_made_small = !options_.only;
      found.file = populations_[task.place]->failing_file(task.number, *first_wrong, is_made_small);
    }
    if (!options_.json) print(found, trials);
    wrong_.push_back(std::move(found));
  }

  void print(const WrongModel& found, const std::vector<Trial>& trials) const {
    out_ << fmt::format("{} {}: {} of {} runs wrong, first {}\n", found.class_name, found.number, found.wrong,
                        trials.size(), described(found.first));
    std::string settings;
    for (const Trial& trial : trials) {
      if (trial.finding != Finding::wrong && trial.finding != Finding::timed_out) continue;
      settings += fmt::format("{}{}{}{}", settings.empty() ? "" : "; ", setting_words(trial.setting),
                              trial.rewriting.empty() ? "" : " ", trial.rewriting);
    }
    out_ << "  " << settings << '\n';
    if (!found.file.empty()) out_ << "```toml\n" << found.file << "```\n";
    out_.flush();
  }

  void write_table() const {
    out_ << fmt::format("{:<14} {:>7} {:>10} {:>8} {:>8} {:>8} {:>6} {:>10}\n", "class", "models",
                        "undecided", "runs", "agreed", "skipped", "wrong", "timed out");
    for (const Row& row : rows_) {
      out_ << fmt::format("{:<14} {:>7} {:>10} {:>8} {:>8} {:>8} {:>6} {:>10}\n", row.name, row.models,
                          row.undecided, row.runs, row.agreed, row.skipped, row.wrong, row.timed_out);
    }
    out_ << "skipped because of\n";
    for (const auto& [reason, count] : rows_.back().reasons)
      out_ << fmt::format("{:>8}  {}\n", count, reason);
  }

  void write_json() const {
    nlohmann::ordered_json document;
    document["schema"] = "slideway.random/1";
    document["seed"] = options_.seed;
    document["classes"] = nlohmann::ordered_json::array();
    for (const Row& row : rows_) {
      nlohmann::ordered_json entry;
      entry["class"] = row.name;
      entry["models"] = row.models;
      entry["undecided_models"] = row.undecided;
      entry["wrong_models"] = row.wrong_models;
      entry["runs"] = row.runs;
      entry["agreed"] = row.agreed;
      entry["skipped"] = row.skipped;
      entry["wrong"] = row.wrong;
      entry["timed_out"] = row.timed_out;
      entry["skipped_because"] = row.reasons;
      document["classes"].push_back(entry);
    }
    document["wrong"] = nlohmann::ordered_json::array();
    for (const WrongModel& found : wrong_) {
      nlohmann::ordered_json entry;
      entry["class"] = found.class_name;
      entry["number"] = found.number;
      entry["wrong_runs"] = found.wrong;
      entry["method"] = to_string(found.first.setting.method);
      entry["rtol"] = found.first.setting.rtol;
      entry["rewriting"] = found.first.rewriting;
      entry["difference"] = found.first.text;
      entry["model"] = found.file;
      document["wrong"].push_back(entry);
    }
    out_ << document.dump(2) << '\n';
  }

  const CampaignOptions& options_;
  const std::vector<std::unique_ptr<Population>>& populations_;
  std::ostream& out_;
  std::vector<Row> rows_ = {};  // one for each population, then their sum
  std::vector<WrongModel> wrong_ = {};
};

}  // namespace

int run_campaign(const CampaignOptions& options, const std::vector<std::unique_ptr<Population>>& populations,
                 std::ostream& out) {
  return Campaign(options, populations, out).run();
}

}  // namespace slideway::validation::random
