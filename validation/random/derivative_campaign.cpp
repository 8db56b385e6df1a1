#include "validation/random/derivative_campaign.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <ostream>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/random/classes.hpp"
#include "validation/random/derivative_judgement.hpp"
#include "validation/random/minimiser.hpp"
#include "validation/random/parametrised.hpp"

namespace slideway::validation::random {
namespace {

constexpr int kParametersOfModel = 4;
constexpr int kAllParameters = 1000;

struct DerivativeRow {
  std::string name;
  int models = 0;
  int wrong_models = 0;
  std::map<DerivativeFinding, int> counts = {};
  double largest_error = 0;  // of what agreed
  std::map<std::string, int> reasons = {};

  int count(DerivativeFinding finding) const {
    const auto found = counts.find(finding);
    return found == counts.end() ? 0 : found->second;
  }
  int all() const {
    int sum = 0;
    for (const auto& [finding, number] : counts) sum += number;
    return sum;
  }
};

struct WrongDerivatives {
  std::string class_name;
  int number = 0;
  std::vector<DerivativeTrial> trials = {};
  std::string file = {};
};

bool fails(const DerivativeTrial& trial) {
  return trial.finding == DerivativeFinding::wrong || trial.finding == DerivativeFinding::refused;
}

bool any_fails(const std::vector<DerivativeTrial>& trials) {
  return std::any_of(trials.begin(), trials.end(), fails);
}

class DerivativeCampaign {
 public:
  DerivativeCampaign(const CampaignOptions& options, std::ostream& out) : options_(options), out_(out) {}

  int run() {
    const std::vector<std::size_t> chosen = classes_named(options_.classes);
    const auto count = static_cast<int>(chosen.size());
    std::vector<Task> tasks;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      rows_.push_back({.name = all_classes()[chosen[k]].name});
      const int share = (options_.models + count - 1 - static_cast<int>(k)) / count;
      if (options_.only) {
        tasks.push_back({k, chosen[k], *options_.only});
      } else {
        for (int number = 0; number < share; ++number) tasks.push_back({k, chosen[k], number});
      }
    }
    std::vector<std::vector<DerivativeTrial>> judged(tasks.size());
    std::atomic<std::size_t> next = 0;
    {
      std::vector<std::jthread> workers;
      for (int job = 0; job < options_.jobs; ++job)
        workers.emplace_back([&] {
          for (std::size_t k = next++; k < tasks.size(); k = next++) judged[k] = trials_of(tasks[k]);
        });
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) add(tasks[k], judged[k]);
    DerivativeRow total{.name = "all"};
    for (const DerivativeRow& row : rows_) {
      total.models += row.models;
      total.wrong_models += row.wrong_models;
      total.largest_error = std::max(total.largest_error, row.largest_error);
      for (const auto& [finding, number] : row.counts) total.counts[finding] += number;
      for (const auto& [reason, number] : row.reasons) total.reasons[reason] += number;
    }
    rows_.push_back(total);
    if (options_.json) {
      write_json();
    } else {
      write_table();
    }
    return wrong_.empty() ? 0 : 1;
  }

 private:
  struct Task {
    std::size_t place = 0;  // into rows_
    std::size_t index = 0;  // into all_classes()
    int number = 0;
  };

  RandomModel model_of(const Task& task) const {
    Draw draw(options_.seed, task.index, static_cast<std::uint64_t>(task.number));
    return all_classes()[task.index].make(draw);
  }

  // The numbers that become parameters are drawn apart from the model.
  RandomModel with_parameters(const RandomModel& model, const Task& task, int most) const {
    Draw draw(options_.seed, all_classes().size() + task.index, static_cast<std::uint64_t>(task.number));
    return parametrised(model, draw, most);
  }

  std::vector<DerivativeTrial> trials_of(const RandomModel& model) const {
    return judged_derivatives(model, {options_.plan.methods.front(), options_.plan.tolerances.front()},
                              options_.plan.seconds);
  }

  std::vector<DerivativeTrial> trials_of(const Task& task) const {
    return trials_of(with_parameters(model_of(task), task, kParametersOfModel));
  }

  void add(const Task& task, const std::vector<DerivativeTrial>& trials) {
    DerivativeRow& row = rows_[task.place];
    ++row.models;
    for (const DerivativeTrial& trial : trials) {
      ++row.counts[trial.finding];
      if (trial.finding == DerivativeFinding::agreed) {
        row.largest_error = std::max(row.largest_error, trial.error);
      } else if (!fails(trial)) {
        ++row.reasons[trial.text];
      }
    }
    if (!any_fails(trials)) return;
    ++row.wrong_models;
    WrongDerivatives found{.class_name = row.name, .number = task.number, .trials = trials};
    if (row.wrong_models <= options_.printed) found.file = small_file(task, trials);
    if (!options_.json) print(found);
    wrong_.push_back(std::move(found));
  }

  std::string small_file(const Task& task, const std::vector<DerivativeTrial>& trials) const {
    if (options_.only) return file_text(with_parameters(model_of(task), task, kParametersOfModel));
    const bool is_wrong = std::any_of(trials.begin(), trials.end(), [](const DerivativeTrial& trial) {
      return trial.finding == DerivativeFinding::wrong;
    });
    const auto fails_too = [&](const RandomModel& candidate) {
      const auto again = trials_of(with_parameters(candidate, task, kAllParameters));
      return std::any_of(again.begin(), again.end(), [&](const DerivativeTrial& trial) {
        return trial.finding == (is_wrong ? DerivativeFinding::wrong : DerivativeFinding::refused);
      });
    };
    const RandomModel small = with_parameters(minimised(model_of(task), fails_too, {}), task, kAllParameters);
    std::string file;
    for (const DerivativeTrial& trial : trials_of(small))
      if (fails(trial)) file += fmt::format("# by {}: {}\n", trial.by, trial.text);
    return file + file_text(small);
  }

  void print(const WrongDerivatives& found) const {
    for (const DerivativeTrial& trial : found.trials) {
      if (!fails(trial)) continue;
      out_ << fmt::format("{} {} by {}: {}: {}\n", found.class_name, found.number, trial.by,
                          trial.finding == DerivativeFinding::wrong ? "wrong" : "refused", trial.text);
    }
    if (!found.file.empty()) out_ << "```toml\n" << found.file << "```\n";
    out_.flush();
  }

  void write_table() const {
    out_ << fmt::format("{:<10} {:>7} {:>11} {:>7} {:>10} {:>7} {:>8} {:>6} {:>8} {:>11}\n", "class",
                        "models", "derivatives", "agreed", "undecided", "untold", "refused", "wrong",
                        "not run", "largest off");
    for (const DerivativeRow& row : rows_) {
      out_ << fmt::format("{:<10} {:>7} {:>11} {:>7} {:>10} {:>7} {:>8} {:>6} {:>8} {:>11.1e}\n", row.name,
                          row.models, row.all(), row.count(DerivativeFinding::agreed),
                          row.count(DerivativeFinding::undecided), row.count(DerivativeFinding::untold),
                          row.count(DerivativeFinding::refused), row.count(DerivativeFinding::wrong),
                          row.count(DerivativeFinding::not_run), row.largest_error);
    }
    out_ << "nothing decided because of\n";
    for (const auto& [reason, count] : rows_.back().reasons)
      out_ << fmt::format("{:>8}  {}\n", count, reason);
  }

  void write_json() const {
    nlohmann::ordered_json document;
    document["schema"] = "slideway.random-derivatives/1";
    document["seed"] = options_.seed;
    document["classes"] = nlohmann::ordered_json::array();
    for (const DerivativeRow& row : rows_) {
      nlohmann::ordered_json entry;
      entry["class"] = row.name;
      entry["models"] = row.models;
      entry["wrong_models"] = row.wrong_models;
      entry["derivatives"] = row.all();
      entry["agreed"] = row.count(DerivativeFinding::agreed);
      entry["undecided"] = row.count(DerivativeFinding::undecided);
      entry["untold"] = row.count(DerivativeFinding::untold);
      entry["refused"] = row.count(DerivativeFinding::refused);
      entry["wrong"] = row.count(DerivativeFinding::wrong);
      entry["not_run"] = row.count(DerivativeFinding::not_run);
      entry["largest_error"] = row.largest_error;
      entry["undecided_because"] = row.reasons;
      document["classes"].push_back(entry);
    }
    document["wrong"] = nlohmann::ordered_json::array();
    for (const WrongDerivatives& found : wrong_) {
      for (const DerivativeTrial& trial : found.trials) {
        if (!fails(trial)) continue;
        nlohmann::ordered_json entry;
        entry["class"] = found.class_name;
        entry["number"] = found.number;
        entry["by"] = trial.by;
        entry["finding"] = trial.finding == DerivativeFinding::wrong ? "wrong" : "refused";
        entry["difference"] = trial.text;
        entry["model"] = found.file;
        document["wrong"].push_back(entry);
      }
    }
    out_ << document.dump(2) << '\n';
  }

  const CampaignOptions& options_;
  std::ostream& out_;
  std::vector<DerivativeRow> rows_ = {};
  std::vector<WrongDerivatives> wrong_ = {};
};

}  // namespace

int run_derivative_campaign(const CampaignOptions& options, std::ostream& out) {
  return DerivativeCampaign(options, out).run();
}

}  // namespace slideway::validation::random
