// Basins of attraction and diagrams of two parameters behind the C interface.
#include <atomic>
#include <cmath>
#include <functional>
#include <utility>

#include "apps/basins_documents.hpp"
#include "apps/diagram_documents.hpp"
#include "apps/plane_questions.hpp"
#include "apps/text.hpp"
#include "lib/c/findings.hpp"
#include "lib/c/search_words.hpp"
#include "slideway/core/errors.hpp"

using namespace slideway;
using namespace slideway::door;

namespace {

std::vector<SweepAxis> taken_plane(OptionText& words) {
  constexpr const char* expected = "NAME:LOW:HIGH,NAME:LOW:HIGH";
  const std::string text = taken(words, "plane").value_or("");
  std::vector<SweepAxis> plane;
  for (const std::string& side : parts_of(text)) {
    const std::vector<std::string> parts = colon_parts("plane", side, 3, expected);
    SweepAxis axis{.name = parts[0]};
    axis.first = number_of("plane", parts[1]);
    axis.last = number_of("plane", parts[2]);
    plane.push_back(std::move(axis));
  }
  if (plane.size() != 2)
    refuse({.what = "a plane has two sides",
            .where = "plane",
            .expected = expected,
            .got = text.empty() ? "none" : text});
  return plane;
}

bool taken_truth(OptionText& words, const char* name) {
  return truth_of(name, taken(words, name).value_or("false"));
}

// take_plane_words() takes the words that basins and diagrams have in common.
void take_plane_words(OptionText& words, apps::PlaneArguments& asked) {
  asked.plane = taken_plane(words);
  if (const auto size = taken(words, "size")) {
    const std::vector<std::string> parts = apps::split(*size, 'x');
    const Index across = whole_number_of("size", parts.front(), 1);
    asked.size = {across, parts.size() == 2 ? whole_number_of("size", parts[1], 1) : across};
    if (parts.size() > 2)
      refuse({.what = "an option has no such value",
              .where = "size",
              .expected = "a whole number, or two as 512x256",
              .got = *size});
  }
  asked.period = taken(words, "period").value_or("");
  asked.step = taken(words, "step").value_or("");
  for (const std::string& angle : parts_of(taken(words, "wrap").value_or(""))) {
    const std::vector<std::string> parts = colon_parts("wrap", angle, 2, "NAME:PERIOD,…");
    asked.wrap.emplace_back(parts[0], parts[1]);
  }
  asked.most_steps = taken_whole(words, "max_rounds", 1);
  asked.reach = taken_size(words, "reach");
  asked.jobs = taken_whole(words, "jobs", 1);
  asked.csv = taken(words, "csv").value_or("");
  asked.resume = taken_truth(words, "resume");
}

// Ends a search where the caller asked for it, by sw_stop() or by the answer of the function that is told the progress.
class PlaneAttendant {
 public:
  PlaneAttendant(const sw_model& model, const RunInput& input)
      : progress_(model.progress), is_stop_asked_(stop_question(input.stops)) {}

  // The attendant must live as long as the search.
  template <class PlaneOptions>
  void attend(PlaneOptions& options) {
    options.cancel = &is_ended_;
    options.on_progress = [this](Index done, Index total) {
      const bool asks_for_end =
          progress_.function != nullptr && progress_.function(done, total, progress_.user) != 0;
      if (asks_for_end || is_stop_asked_()) is_ended_ = true;
    };
  }

 private:
  ProgressWatcher progress_;
  std::function<bool()> is_stop_asked_;
  std::atomic<bool> is_ended_ = false;
};

// Callbacks may bear no other threads, unless the caller says so.
void choose_jobs(const RunInput& input, apps::PlaneArguments& asked) {
  if (input.is_called && !asked.jobs) asked.jobs = 1;
}

int code_of_plane(bool is_complete, sw_findings& made) {
  if (!is_complete) made.tell("the search was interrupted");
  return is_complete ? SW_OK : SW_STOPPED;
}

template <class Number>
Vector numbers_of(const std::vector<Number>& numbers) {
  return Eigen::Map<const Eigen::Matrix<Number, Eigen::Dynamic, 1>>(numbers.data(),
                                                                    static_cast<Index>(numbers.size()))
      .template cast<double>();
}

void list_numbers(const Basins& basins, sw_findings& made) {
  std::vector<double> fractions, sampled, errors, of, points;
  made.name_lists = {{"ends", {}}, {"attractors", {}}, {"states", basins.states}};
  for (const BasinEnd& end : basins.ends) {
    made.name_lists["ends"].push_back(end.name);
    fractions.push_back(end.fraction);
    sampled.push_back(end.sampled);
    errors.push_back(end.error);
    of.push_back(static_cast<double>(end.attractor.value_or(-1)));
  }
  for (const BasinAttractor& attractor : basins.attractors) {
    made.name_lists["attractors"].emplace_back(to_string(attractor.kind));
    const Vector first = attractor.points.empty() ? Vector::Constant(std::ssize(basins.states), std::nan(""))
                                                  : attractor.points.front();
    points.insert(points.end(), first.begin(), first.end());
  }
  made.value_lists = {{"cells", numbers_of(basins.plane.colours)},
                      {"fractions", numbers_of(fractions)},
                      {"sampled", numbers_of(sampled)},
                      {"errors", numbers_of(errors)},
                      {"attractor_of_end", numbers_of(of)},
                      {"attractors", numbers_of(points)},
                      {"dimension", Vector{{basins.dimension.exponent, basins.dimension.error}}},
                      {"uncertainty", Vector{{basins.uncertainty.exponent, basins.uncertainty.error}}}};
}

void list_numbers(const Diagram& diagram, sw_findings& made) {
  made.name_lists = {{"kinds", {}}, {"states", diagram.states}};
  for (const DiagramKind& kind : diagram.kinds) made.name_lists["kinds"].push_back(kind.name);
  const auto kinds_of = [](const std::vector<DiagramEnd>& ends) {
    Vector kinds(std::ssize(ends));
    for (Index k = 0; k < kinds.size(); ++k) kinds[k] = ends[static_cast<std::size_t>(k)].kind;
    return kinds;
  };
  made.value_lists = {{"forward", kinds_of(diagram.forward)},
                      {"backward", kinds_of(diagram.backward)},
                      {"coexisting", numbers_of(diagram.coexisting)}};
}

}  // namespace

int sw_find_basins(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    apps::BasinsArguments asked;
    take_plane_words(words, asked);
    asked.thorough = taken_truth(words, "thorough");
    asked.samples = taken_whole(words, "samples", 0);
    asked.seed = taken_whole(words, "seed", 0);
    const RunInput input = given(model, "model")->input(words);
    asked.settings = input.settings;
    choose_jobs(input, asked);
    const BasinDesign design = apps::basin_design(asked);
    BasinOptions search =
        apps::basin_options(asked, input.options.run, input.instance, model->source_text, "");
    PlaneAttendant attendant(*model, input);
    attendant.attend(search);
    const Basins basins = apps::find_asked_basins(*input.model, design, search);
    made.json = json_of(apps::write_basins_json, apps::ShownBasins{input.model->name, input.instance, design,
                                                                   basins, search.run.rtol});
    list_numbers(basins, made);
    return code_of_plane(basins.complete, made);
  });
}

int sw_find_diagram(const sw_model* model, const char* options, sw_findings** found) {
  return make(found, [&](sw_findings& made) {
    OptionText words = options_in(options == nullptr ? "" : options);
    apps::DiagramArguments asked;
    take_plane_words(words, asked);
    asked.parts = taken_whole(words, "parts", 2);
    asked.no_curves = taken_truth(words, "no_curves");
    asked.most_rounds = taken_whole(words, "curve_rounds", 1);
    asked.most_followed = taken_whole(words, "max_curves", 0);
    const RunInput input = given(model, "model")->input(words);
    check_has_parameters(input);
    asked.settings = input.settings;
    const DiagramDesign design = apps::diagram_design(asked);
    DiagramOptions search =
        apps::diagram_options(asked, input.options.run, input.instance, model->source_text, "");
    PlaneAttendant attendant(*model, input);
    attendant.attend(search);
    const Diagram diagram = apps::find_asked_diagram(*input.model, design, search);
    made.json = json_of(apps::write_diagram_json, apps::ShownDiagram{input.model->name, input.instance,
                                                                     design, diagram, search.run.rtol});
    list_numbers(diagram, made);
    return code_of_plane(diagram.complete, made);
  });
}
