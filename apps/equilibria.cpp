#include <unistd.h>

#include <limits>
#include <ostream>

#include "apps/commands.hpp"
#include "apps/equilibria_documents.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/io/files.hpp"
#include "slideway/orbit/equilibria.hpp"

namespace slideway::apps {

int equilibria(const EquilibriaArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model);
  ModelInstance instance = model.instantiate(arguments.settings);
  set_end(arguments, instance);
  EquilibriumOptions options;
  options.run = make_options(arguments, model.defaults);
  options.starts = arguments.starts.value_or(0);
  if (!arguments.box.empty()) {
    const double open = std::numeric_limits<double>::quiet_NaN();
    options.lower = options.upper = Vector::Constant(instance.state.size(), open);
    for (const auto& [name, range] : arguments.box) {
      check_option("--box", [&, &state = name, &ends = range] {
        const Index i = instance.system.state_index(state);
        options.lower[i] = ends.first;
        options.upper[i] = ends.second;
      });
    }
  }
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  check_targets(wanted, {arguments.model});

  const Equilibria found = find_equilibria(
      instance.problem(), {.start = instance.start, .end = instance.end, .state = instance.state}, options);
  const ShownEquilibria shown{.model = model.name, .instance = instance, .equilibria = found};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add(path, [&] {
      write_whole(path, [&](std::ostream& stream) { write(shown, stream); });
      return std::vector{path};
    });
  };
  for (const std::string& path : arguments.json) add(path, write_equilibria_json);
  for (const std::string& path : arguments.csv) add(path, write_equilibria_csv);
  if (!arguments.quiet && !any_on_standard_output(wanted))
    print_equilibria(shown, written.files, screen_behind(STDOUT_FILENO), out);
  return written.report_failures(out, err, exit_success);
}

}  // namespace slideway::apps
