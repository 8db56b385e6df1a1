#include <filesystem>
#include <ostream>
#include <vector>

#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/fmu_binary.hpp"
#include "apps/gallery.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/programs.hpp"
#include "slideway/fmi/export.hpp"

#ifndef SLIDEWAY_LIBRARY_FROM_HERE
#error "SLIDEWAY_LIBRARY_FROM_HERE must name the folder of libraries, from that of the program"
#endif

namespace slideway::apps {

namespace {

namespace fs = std::filesystem;

// The binary of FMUs lies in the folder of libraries of the build, or of the installation.
std::vector<fs::path> folders_of_binary() {
  const fs::path own_folder = platform::own_program().parent_path();
  return {own_folder / "../lib", own_folder / SLIDEWAY_LIBRARY_FROM_HERE "/slideway"};
}

// The path of a model file; "" for a model of the catalogue.
std::string file_of(const std::string& model) {
  if (is_fmu(model))
    refuse({.what = "an FMU is not exported again",
            .where = model,
            .expected = "a model file or a model of the catalogue"});
  if (!is_model_file(model)) return "";
  std::error_code failed;
  const std::string installed = fs::exists(model, failed) ? "" : gallery_file(model);
  return installed.empty() ? model : installed;
}

}  // namespace

int export_fmu(const ExportArguments& arguments, std::ostream& out) {
  const Model model = load_model(arguments.model);
  const std::string path = arguments.out.empty() ? model.name + ".fmu" : arguments.out;
  if (!is_fmu(path))
    refuse({.what = "an FMU cannot have this name",
            .where = "--out",
            .expected = "a name that ends in .fmu",
            .got = path});
  if (arguments.end)
    refuse({.what = "the end of a run is told by the tool that runs an FMU",
            .where = "--t-end",
            .expected = "no --t-end"});
  std::vector<Target> wanted;
  add_targets("--out", {path}, TargetKind::text, wanted);
  check_targets(wanted, {arguments.model});
  const bool is_both = arguments.model_exchange == arguments.co_simulation;
  write_fmu(path, model,
            {.version = arguments.fmu == "2.0" ? FmiVersion::two : FmiVersion::three,
             .kind = is_both                    ? FmuKind::both
                     : arguments.model_exchange ? FmuKind::model_exchange
                                                : FmuKind::co_simulation,
             .model_file = file_of(arguments.model),
             .settings = arguments.settings,
             .observe = arguments.observe,
             .inputs = arguments.inputs,
             .tunable = arguments.tunable,
             .options = make_options(arguments, model.defaults),
             .binary = fmu_binary(folders_of_binary())});
  if (!arguments.quiet) fmt::print(out, "written      {}\n", path);
  return exit_success;
}

}  // namespace slideway::apps
