#include "validation/random/oracle_population.hpp"

#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "validation/random/classes.hpp"
#include "validation/random/minimiser.hpp"
#include "validation/random/rules.hpp"

namespace slideway::validation::random {
namespace {

class OraclePopulation : public Population {
 public:
  OraclePopulation(std::size_t index, std::uint64_t seed, const Plan& plan)
      : index_(index), seed_(seed), plan_(plan) {}

  std::string name() const override { return all_classes()[index_].name; }

  std::vector<Trial> trials(int number) const override {
    const RandomModel model = drawn(number);
    return Judge(model, plan_).all(static_cast<std::size_t>(number)).trials;
  }

  std::string failing_file(int number, const Trial& trial, bool is_made_small) const override {
    const RandomModel model = drawn(number);
    Plan plan = plan_;
    plan.tolerances = {trial.setting.rtol};
    // A file that is refused is another failure, unless the first one was refused too, and so is another difference.
    const bool was_refused = is_refused(trial);
    const auto fails = [&](const RandomModel& candidate) {
      const Trial again = retried(candidate, trial, plan);
      return again.finding == trial.finding && is_refused(again) == was_refused &&
             kind_of(again.text) == kind_of(trial.text);
    };
    const RandomModel small = is_made_small ? minimised(model, fails, {}) : model;
    const Trial again = retried(small, trial, plan);
    const Judge judge(small, plan);
    std::string file = fmt::format("# {}\n", described(again));
    for (const Rewriting& rewriting : rewritings_of(small, judge.exact().initial_word)) {
      if (rewriting.name == trial.rewriting) return file + file_text(rewriting.model);
    }
    return file + file_text(small);
  }

 private:
  RandomModel drawn(int number) const {
    Draw draw(seed_, index_, static_cast<std::uint64_t>(number));
    return all_classes()[index_].make(draw);
  }

  static bool is_refused(const Trial& trial) { return trial.text.find("random.toml") != std::string::npos; }

  static Trial retried(const RandomModel& model, const Trial& trial, const Plan& plan) {
    const Judge judge(model, plan);
    if (trial.rewriting.empty()) return judge.trial(trial.setting);
    if (judge.exact().end == MotionEnd::undecided) return {};
    for (const Rewriting& rewriting : rewritings_of(model, judge.exact().initial_word)) {
      if (rewriting.name == trial.rewriting) return judge.trial(trial.setting, rewriting);
    }
    return {};
  }

  std::size_t index_;  // into all_classes()
  std::uint64_t seed_;
  const Plan& plan_;
};

}  // namespace

int run_campaign(const CampaignOptions& options, std::ostream& out) {
  std::vector<std::unique_ptr<Population>> populations;
  for (const std::size_t k : classes_named(options.classes)) {
    populations.push_back(std::make_unique<OraclePopulation>(k, options.seed, options.plan));
  }
  return run_campaign(options, populations, out);
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const ModelClass& model_class : all_classes()) names.push_back(model_class.name);
  return names;
}

}  // namespace slideway::validation::random
