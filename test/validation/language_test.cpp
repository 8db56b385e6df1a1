// The campaign over the whole language of model files: what it draws, how it writes it otherwise, and that it sees what is wrong.

#include "validation/language/population.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "validation/language/grammar.hpp"
#include "validation/language/judge.hpp"

namespace slideway::validation::language {
namespace {

// What the reader says it expects where it meets something unknown: the words in quotes before "got".
std::set<std::string> known_to_reader(const std::string& text) {
  std::string message;
  try {
    parse_model(text, "unknown.toml");
  } catch (const std::exception& refusal) {
    message = refusal.what();
  }
  std::set<std::string> words;
  const std::size_t got = message.find(", got 'unknown'");
  REQUIRE(got != std::string::npos);
  std::size_t at = message.find("expected ");
  while (true) {
    const std::size_t begin = message.find('\'', at);
    if (begin >= got) return words;
    const std::size_t end = message.find('\'', begin + 1);
    words.insert(message.substr(begin + 1, end - begin - 1));
    at = end + 1;
  }
}

std::vector<LanguageModel> drawn_models(int of_each_plant) {
  std::vector<LanguageModel> models;
  for (std::size_t plant = 0; plant < plant_names().size(); ++plant) {
    for (int number = 0; number < of_each_plant; ++number) {
      random::Draw draw(1, plant, static_cast<std::uint64_t>(number));
      models.push_back(random_language_model(draw, plant));
    }
  }
  return models;
}

std::string all_texts(int of_each_plant) {
  std::string text;
  for (const LanguageModel& model : drawn_models(of_each_plant)) text += file_text(model);
  return text;
}

LanguageModel relay() {
  LanguageModel model{.name = "relay", .end = 5};
  model.states = {{.name = "x", .initial = 1.0}};
  model.derivatives = {{"x", 0.3 * call("sin", {name("t")}) - call("sgn", {name("x") - 0.2})}};
  model.events = {{.sort = EventSort::record, .name = "half", .when = call("<", {name("x"), 0.5})}};
  return model;
}

}  // namespace

TEST_CASE("a term is written with the parentheses that it needs, and no others") {
  const Term a = name("a");
  const Term b = name("b");
  CHECK(text(a - (b - 2.0)) == "a - (b - 2)");
  CHECK(text((a + b) * 2.0 / (a * b)) == "(a + b)*2/(a*b)");
  CHECK(text(-call("^", {a, 2.0})) == "-a^2");
  CHECK(text(call("^", {-a, 2.0})) == "(-a)^2");
  CHECK(text(call("not", {call("and", {call(">", {a, 0.0}), call("<", {b, 1.0})})})) ==
        "not (a > 0 and b < 1)");
  CHECK(text(call("if", {call(">=", {a, b}), 1.0, -0.5})) == "if(a >= b, 1, -0.5)");
}

TEST_CASE("language models use every function, section and key of model files that changes a motion") {
  const std::string text = all_texts(40);
  const auto uses = [&](const std::string& word) { return text.find(word) != std::string::npos; };
  const std::string frame = "[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-x\"\n";
  for (const std::string& function :
       known_to_reader("[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"unknown(x)\"\n")) {
    CHECK_MESSAGE(uses(function + "("), function);
  }
  // What says nothing about the motion, or is set by the campaign for each run.
  const std::set<std::string> others = {"summary", "source", "options", "labels", "units"};
  for (const std::string& section : known_to_reader("unknown = 1\n" + frame)) {
    if (others.count(section) == 0) CHECK_MESSAGE(uses(section), section);
  }
  for (const char* table : {"resets", "every", "contacts", "automata"}) {
    for (const std::string& key : known_to_reader(frame + "[[" + table + "]]\nunknown = 1\n")) {
      CHECK_MESSAGE(uses(key), table << " " << key);
    }
  }
}

TEST_CASE("language models are read, and so are all variants that the reader takes") {
  int variants = 0;
  int refused = 0;
  for (const LanguageModel& model : drawn_models(4)) {
    const std::string text = file_text(model);
    CAPTURE(text);
    CHECK_NOTHROW(parse_model(text, "language.toml").instantiate({}));
    for (const Variant& variant : variants_of(model)) {
      ++variants;
      try {
        parse_model(file_text(variant.model), "language.toml").instantiate({});
      } catch (const std::invalid_argument&) {
        ++refused;  // as of branches under a function that steps
        CHECK_MESSAGE(variant.name == "branches", variant.name);
      }
    }
  }
  CHECK(refused < variants / 50);
}

TEST_CASE("a model agrees with itself in other words, and with no other model") {
  const LanguageModel model = relay();
  const random::Plan plan;
  LanguageJudge judge(model, plan);
  const random::Setting setting{.method = Method::dopri5, .rtol = 1e-6};
  for (const Variant& variant : variants_of(model)) {
    CAPTURE(variant.name);
    const random::Trial trial = judge.judged(setting, variant);
    CHECK_MESSAGE(trial.finding == random::Finding::agreed, trial.text);
  }
  LanguageModel other = model;
  other.derivatives[0].value = 0.33 * call("sin", {name("t")}) - call("sgn", {name("x") - 0.2});
  CHECK(judge.judged(setting, {.model = other}).finding == random::Finding::wrong);
  other = model;
  other.events[0].when = call("<", {name("x"), 0.51});
  CHECK(judge.judged(setting, {.model = other}).finding == random::Finding::wrong);
}

TEST_CASE("a few language models agree with themselves in other words") {
  random::CampaignOptions options{.models = 15, .classes = {"thermostats", "delayed", "balls"}, .printed = 1};
  options.plan.tolerances = {1e-6, 1e-9};
  std::ostringstream out;
  const int status = run_campaign(options, out);
  CHECK_MESSAGE(status == 0, out.str());
}

TEST_CASE("a class of language models that there is not is refused with those that there are") {
  std::ostringstream out;
  CHECK_THROWS_WITH_AS(run_campaign({.classes = {"nonsense"}}, out), doctest::Contains("tanks"),
                       std::invalid_argument);
}

}  // namespace slideway::validation::language
