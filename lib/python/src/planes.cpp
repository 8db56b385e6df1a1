#include <string>
#include <utility>
#include <vector>

#include "apps/basins_documents.hpp"
#include "apps/diagram_documents.hpp"
#include "apps/plane_questions.hpp"
#include "lib/python/src/analyses.hpp"
#include "lib/python/src/answers.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/diagram/diagram.hpp"

namespace slideway::python {

namespace py = pybind11;

namespace {

// take_plane() takes what basins and diagrams have in common.
void take_plane(const py::dict& request, apps::PlaneArguments& asked) {
  for (const auto& [name, low, high] :
       py::cast<std::vector<std::tuple<std::string, double, double>>>(request["plane"])) {
    SweepAxis side{.name = name};
    side.first = low;
    side.last = high;
    asked.plane.push_back(std::move(side));
  }
  asked.size = entry<std::pair<Index, Index>>(request, "size");
  asked.period = entry<std::string>(request, "period").value_or("");
  asked.step = entry<std::string>(request, "step").value_or("");
  using Angles = std::vector<std::pair<std::string, std::string>>;
  asked.wrap = entry<Angles>(request, "wrap").value_or(Angles{});
  asked.most_steps = entry<Index>(request, "max_rounds");
  asked.reach = entry<double>(request, "reach");
  asked.jobs = entry<Index>(request, "jobs");
  asked.csv = entry<std::string>(request, "csv").value_or("");
  asked.resume = entry<bool>(request, "resume").value_or(false);
}

template <class PlaneOptions>
void attend_plane(const py::function& progress, const std::shared_ptr<Cancellation>& cancellation,
                  PlaneOptions& options) {
  if (cancellation) options.cancel = &cancellation->requested;
  options.on_progress = [&progress](Index done, Index total) {
    const py::gil_scoped_acquire lock;
    progress(done, total);
  };
}

// `request` holds what is given of the arguments of Model.basins, and `identity`; `progress` is called with the numbers of starts that are done and of all.
std::string basins(const std::shared_ptr<Problem>& problem, const py::dict& given, const py::dict& request,
                   const py::function& progress, const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "basins");
  apps::BasinsArguments asked;
  take_plane(request, asked);
  asked.settings = problem->settings;
  asked.thorough = entry<bool>(request, "thorough").value_or(false);
  asked.samples = entry<Index>(request, "samples");
  asked.seed = entry<Index>(request, "seed");
  const BasinDesign design = apps::basin_design(asked);
  BasinOptions options = apps::basin_options(asked, options_from(given, model.defaults), problem->instance,
                                             entry<std::string>(request, "identity").value_or(""), "");
  attend_plane(progress, cancellation, options);
  const py::gil_scoped_release unlocked;
  const Basins found = apps::find_asked_basins(model, design, options);
  return text_of(apps::write_basins_json,
                 apps::ShownBasins{model.name, problem->instance, design, found, options.run.rtol});
}

// Likewise with the arguments of Model.diagram, and cells in both directions.
std::string diagram(const std::shared_ptr<Problem>& problem, const py::dict& given, const py::dict& request,
                    const py::function& progress, const std::shared_ptr<Cancellation>& cancellation) {
  const Model& model = model_of(*problem, "diagram");
  apps::DiagramArguments asked;
  take_plane(request, asked);
  asked.settings = problem->settings;
  asked.parts = entry<Index>(request, "parts");
  asked.no_curves = entry<bool>(request, "no_curves").value_or(false);
  asked.most_rounds = entry<Index>(request, "curve_rounds");
  asked.most_followed = entry<Index>(request, "max_curves");
  const DiagramDesign design = apps::diagram_design(asked);
  DiagramOptions options =
      apps::diagram_options(asked, options_from(given, model.defaults), problem->instance,
                            entry<std::string>(request, "identity").value_or(""), "");
  attend_plane(progress, cancellation, options);
  const py::gil_scoped_release unlocked;
  const Diagram found = apps::find_asked_diagram(model, design, options);
  return text_of(apps::write_diagram_json,
                 apps::ShownDiagram{model.name, problem->instance, design, found, options.run.rtol});
}

}  // namespace

void bind_planes(py::module_& module) {
  module.def("basins", &basins, py::arg("problem"), py::arg("options"), py::arg("request"),
             py::arg("progress"), py::arg("cancellation") = py::none());
  module.def("diagram", &diagram, py::arg("problem"), py::arg("options"), py::arg("request"),
             py::arg("progress"), py::arg("cancellation") = py::none());
}

}  // namespace slideway::python
