// The model files of the gallery, all together: what each says of itself, and that it runs to where it should end, with the same
// events whatever the method and the tolerance.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "models/registry.hpp"
#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::vector<std::string> file_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(gallery_folder))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The words that tell one sequence of events from another, up to the first of an accumulation.
std::vector<std::string> sequence(const EventLog& events) {
  std::vector<std::string> words;
  for (const EventRecord& event : events) {
    std::string word = to_string(event.kind);
    for (const std::string& surface : event.surface_names) word += " " + surface;
    word += " " + event.name.value_or("") + " " + (event.to ? event.to->word() : "") + " " +
            event.to_location.value_or("");
    words.push_back(word);
  }
  return words;
}

// All events of two runs agree; before an accumulation point, where the tolerances say how many there are, the first ten.
void check_same_events(const Solution& got, const Solution& expected) {
  auto got_words = sequence(got.events);
  auto expected_words = sequence(expected.events);
  const auto accumulates = [](const EventRecord& event) { return event.kind == EventKind::zeno; };
  const bool shortened = std::any_of(expected.events.begin(), expected.events.end(), accumulates);
  if (shortened) {
    CHECK(std::any_of(got.events.begin(), got.events.end(), accumulates));
    REQUIRE(got_words.size() >= 10);
    got_words.resize(10);
    expected_words.resize(10);
  }
  CHECK(got_words == expected_words);
}

void check_same_times(const Solution& got, const Solution& expected, double tolerance) {
  CHECK(sequence(got.events) == sequence(expected.events));
  REQUIRE(got.events.size() == expected.events.size());
  for (std::size_t i = 0; i < got.events.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(got.events[i].t - expected.events[i].t) < tolerance);
  }
}

// The catalogue's model of the same name, over the same time.
Solution follow_catalogue(const std::string& name, double end) {
  const ModelInstance instance = models::find_model(name).instantiate({});
  Options options;
  options.rtol = 1e-11;
  options.recording = Recording::nothing;
  options.method = Method::bdf;
  return Simulator(instance.problem(), options).run({.start = 0, .end = end, .state = instance.state});
}

}  // namespace

TEST_CASE("every file of the gallery describes itself and tells its source") {
  const auto names = file_names();
  CHECK(names.size() >= 22);
  std::set<std::string> titles;
  for (const std::string& name : names) {
    CAPTURE(name);
    const Model model = read(name);
    CHECK(titles.insert(model.name).second);
    std::string as_file = model.name;
    std::replace(as_file.begin(), as_file.end(), '-', '_');
    CHECK(as_file == name);
    CHECK_FALSE(model.summary.empty());
    CHECK_FALSE(model.source.empty());
    std::ifstream file(gallery_folder / (name + ".toml"));
    CHECK(file.get() == '#');
  }
}

TEST_CASE("the index of the gallery lists every file and no other") {
  std::ifstream file(gallery_folder / "README.md");
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> listed;
  const std::string page = text.str();
  for (std::size_t at = page.find("[`"); at != std::string::npos; at = page.find("[`", at + 1))
    listed.insert(page.substr(at + 2, page.find(".toml`]", at) - at - 2));
  const auto names = file_names();
  CHECK(listed == std::set<std::string>(names.begin(), names.end()));
}

TEST_CASE("every file runs to its end, or to its stop, and meets an event") {
  const std::set<std::string> with_a_stop = {"abs_brake", "falling_rod", "stratosphere_fall"};
  for (const std::string& name : file_names()) {
    CAPTURE(name);
    const GalleryRun run = follow(name, {.rtol = 1e-6});
    const bool stops = with_a_stop.count(name) == 1;
    CHECK(run.solution.outcome.status == (stops ? Status::stopped_by_event : Status::reached_end));
    CHECK(run.solution.final.state.allFinite());
    CHECK_FALSE(run.solution.events.empty());
    CHECK(run.solution.statistics.steps < 20000);
  }
}

TEST_CASE("the events of every file are the same with every method and tolerance") {
  for (const std::string& name : file_names()) {
    CAPTURE(name);
    // It says why.
    const bool is_stiff = name == "lugre_block";
    const GalleryRun reference = follow(name, {.rtol = 1e-9});
    for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
      if (method != Method::bdf && is_stiff) continue;
      for (const double rtol : {1e-5, 1e-7}) {
        CAPTURE(to_string(method));
        CAPTURE(rtol);
        const GalleryRun run = follow(name, {.rtol = rtol, .method = method});
        // How many crossings are seen before their limit is up to the tolerances.
        if (name != "super_twisting" && name != "differentiator")
          check_same_events(run.solution, reference.solution);
        const Vector difference = run.solution.final.state - reference.solution.final.state;
        CHECK(difference.norm() <= 1e3 * rtol * (1 + reference.solution.final.state.norm()));
      }
    }
  }
}

TEST_CASE("files and compiled models of the same system agree") {
  for (const char* const name : {"dry_friction", "evaporator", "friction_chain"}) {
    CAPTURE(name);
    const GalleryRun run = follow(name, {.rtol = 1e-11});
    std::string as_name = name;
    std::replace(as_name.begin(), as_name.end(), '_', '-');
    const Solution compiled = follow_catalogue(as_name, run.instance.end);
    check_same_times(run.solution, compiled, 1e-9);
    CHECK((run.solution.final.state - compiled.final.state).norm() < 1e-9);
  }
}
