#include "validation/language/population.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validation/language/grammar.hpp"
#include "validation/language/judge.hpp"
#include "validation/language/smaller.hpp"
#include "validation/random/rules.hpp"

namespace slideway::validation::language {
namespace {

using random::Trial;

// The streams of random numbers behind those of the classes with an oracle.
constexpr std::uint64_t first_stream = 1000;

class LanguagePopulation : public random::Population {
 public:
  LanguagePopulation(std::size_t plant, std::uint64_t seed, const random::Plan& plan)
      : plant_(plant), seed_(seed), plan_(plan) {}

  std::string name() const override { return plant_names()[plant_]; }

  std::vector<Trial> trials(int number) const override {
    const LanguageModel model = drawn(number);
    return LanguageJudge(model, plan_).all(static_cast<std::size_t>(number));
  }

  std::string failing_file(int number, const Trial& first, bool is_made_small) const override {
    LanguageModel model = drawn(number);
    if (is_made_small) {
      const auto fails = [&](const LanguageModel& candidate) {
        const std::optional<Trial> again = retried(candidate, first);
        return again && again->finding == first.finding &&
               random::kind_of(again->text) == random::kind_of(first.text);
      };
      model = smaller(model, fails, {});
    }
    const std::optional<Trial> again = retried(model, first);
    std::string text = fmt::format("# {}\n", again ? random::described(*again) : "");
    for (const Variant& variant : variants_of(model)) {
      if (variant.name == first.rewriting)
        text += file_text(variant.model) + "# as it was before it was written otherwise\n";
    }
    return text + file_text(model);
  }

 private:
  LanguageModel drawn(int number) const {
    random::Draw draw(seed_, first_stream + plant_, static_cast<std::uint64_t>(number));
    return random_language_model(draw, plant_);
  }

  std::optional<Trial> retried(const LanguageModel& model, const Trial& trial) const {
    random::Plan plan = plan_;
    plan.tolerances = {trial.setting.rtol};
    return LanguageJudge(model, plan).trial(trial.setting, trial.rewriting);
  }

  std::size_t plant_;
  std::uint64_t seed_;
  const random::Plan& plan_;
};

}  // namespace

std::vector<std::string> class_names() { return plant_names(); }

int run_campaign(const random::CampaignOptions& options, std::ostream& out) {
  const std::vector<std::string> known = plant_names();
  std::vector<std::unique_ptr<random::Population>> populations;
  for (const std::string& name : options.classes.empty() ? known : options.classes) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw std::invalid_argument(fmt::format("there is no class '{}' of language models; there are {}", name,
                                              fmt::join(known, ", ")));
    }
    populations.push_back(std::make_unique<LanguagePopulation>(
        static_cast<std::size_t>(found - known.begin()), options.seed, options.plan));
  }
  return random::run_campaign(options, populations, out);
}

}  // namespace slideway::validation::language
