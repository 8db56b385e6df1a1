// The models of the catalogue, comparisons of methods and samples of ranges behind the C interface. WebAssembly goes without them.
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "apps/comparison.hpp"
#include "apps/comparison_documents.hpp"
#include "apps/stoppable.hpp"
#include "apps/text.hpp"
#include "lib/c/findings.hpp"
#include "lib/c/model.hpp"
#include "models/registry.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/sweep/samples.hpp"

using namespace slideway;
using namespace slideway::door;

int sw_find_model(const char* name, sw_model** model) {
  return make(model, [&](sw_model& made) {
    made.take([&] { return models::find_model(given(name, "name")); });
    return SW_OK;
  });
}

int sw_catalogue(sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    made.name_lists = {{"names", {}}, {"summaries", {}}};
    for (const Model& model : models::catalogue()) {
      made.name_lists["names"].push_back(model.name);
      made.name_lists["summaries"].push_back(model.summary);
    }
    return SW_OK;
  });
}

int sw_compare(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    apps::ComparisonPlan plan;
    const auto take_number = [&](const char* name, auto& number) {
      if (const auto value = taken(words, name)) number = number_of(name, *value);
    };
    const auto take_count = [&](const char* name, Index& count) {
      if (const auto value = taken(words, name)) count = whole_number_of(name, *value, 0);
    };
    take_number("epsilon", plan.epsilon);
    take_number("step", plan.step);
    take_number("error", plan.target);
    take_count("bisections", plan.bisections);
    take_count("checkpoints", plan.checkpoints);
    take_count("levels", plan.levels);
    take_count("repeats", plan.repeats);
    take_count("max_evaluations", plan.most_evaluations);
    const RunInput input = given(model, "model")->input(words);
    const apps::Comparison comparison = apps::compare_approaches(
        apps::stoppable(input.instance, stop_question(input.stops)), input.options.run, plan);
    std::ostringstream text;
    apps::write_comparison_json({input.model->name, input.instance, input.options.run}, comparison, text);
    made.json = text.str();
    return SW_OK;
  });
}

int sw_samples(const char* ranges, int64_t count, int64_t seed, const char* how, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    const std::string way = given(how, "how");
    if (way != "random" && way != "latin")
      refuse({.what = "there are no such samples",
              .where = "how",
              .expected = "random or latin",
              .got = "'" + way + "'"});
    if (count < 1)
      refuse({.what = "there are no samples",
              .where = "count",
              .expected = "1 or more",
              .got = fmt::format("{}", count)});
    std::vector<SampleRange> wanted;
    for (const std::string& text : parts_of(given(ranges, "ranges"))) {
      const std::vector<std::string> parts = apps::split(text, ':');
      const bool is_logarithmic = parts.size() == 3 && parts[2] == "log";
      if (parts.size() != 2 && !is_logarithmic)
        refuse({.what = "a range has two ends",
                .where = "ranges",
                .expected = "FIRST:LAST or FIRST:LAST:log, with blanks between",
                .got = "'" + text + "'"});
      wanted.push_back({number_of("ranges", parts[0]), number_of("ranges", parts[1]), is_logarithmic});
    }
    const auto lists = way == "latin" ? latin_samples(wanted, count, static_cast<std::uint64_t>(seed))
                                      : random_samples(wanted, count, static_cast<std::uint64_t>(seed));
    Matrix all(count, static_cast<Index>(lists.size()));
    for (std::size_t k = 0; k < lists.size(); ++k)
      all.col(static_cast<Index>(k)) = Eigen::Map<const Vector>(lists[k].data(), count);
    made.value_lists["samples"] = all.reshaped();
    return SW_OK;
  });
}
