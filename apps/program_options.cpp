#include "apps/program_options.hpp"

#include <fmt/format.h>

#include "apps/option_kinds.hpp"
#include "slideway/core/version.hpp"

namespace slideway::apps {

namespace {

// What the commands that run a model have in common.
void add_simulation(CLI::App& app, SimulationArguments& arguments, std::string& unused) {
  const std::string model = "The model";
  add_settings(app, arguments.settings)->group(model);
  add_number(
      app, "--t-end", "end time, in the model's unit of time (default: the model's)", "a finite number",
      [](double) { return true; }, arguments.end)
      ->group(model);

  const std::string accuracy = "Accuracy";
  add_number(
      app, "--rtol", "relative tolerance (default 1e-6)", "a number above 0 and below 1",
      [](double value) { return value > 0 && value < 1; }, arguments.rtol)
      ->group(accuracy);
  add_number(
      app, "--atol", "absolute tolerance of every state, in its unit (default rtol/100)", "a number above 0",
      [](double value) { return value > 0; }, arguments.atol)
      ->group(accuracy);
  add_word(
      app, "--method",
      "integrator of the smooth pieces: bdf (stiff), adams (not stiff), dopri5 (not stiff, many events), "
      "auto (dopri5 until it is stiff, then bdf) (default bdf)",
      {"auto", "bdf", "adams", "dopri5"}, {}, arguments.method)
      ->group(accuracy);
  add_number(
      app, "--max-step", "longest step, in the model's unit of time (default: no limit)", "a number above 0",
      [](double value) { return value > 0; }, arguments.max_step)
      ->group(accuracy);

  const std::string continuation = "Where it goes on";
  add_word(
      app, "--on-ambiguity",
      "where the continuation is not unique (default stop, which reports them all; branches follows them all)",
      {"stop", "minus", "plus", "slide", "branches"}, {}, arguments.on_ambiguity)
      ->group(continuation);
  add_word(app, "--sliding-rule", "the motion along surfaces; moments: along two (default filippov)",
           {"filippov", "moments", "equivalent-control"}, {}, arguments.sliding_rule)
      ->group(continuation);
  add_word(app, "--selection", "what follows where two surfaces are met (default consistent)",
           {"consistent", "korobitsyn-frolova"}, {}, arguments.selection)
      ->group(continuation);
  add_count(app, "--max-events", "stop after this many events (default 1000000)", 1, arguments.max_events)
      ->group(continuation);

  // One choice so far; any other is refused rather than ignored.
  const std::string hidden;
  add_word(app, "--linear-solver", "", {"dense"}, {"band", "klu", "gmres"}, unused)->group(hidden);
}

void add_run(CLI::App& program, RunArguments& arguments, std::string& unused) {
  CLI::App& app = *program.add_subcommand("run", "Follow a model through its discontinuities");
  add_model(app, arguments.model);
  add_simulation(app, arguments, unused);

  const std::string results = "Results (a FILE named - is standard output)";
  add_files(app, "--csv", "write the trajectory; may be repeated", "FILE", arguments.csv)->group(results);
  add_files(app, "--json", "write outcome, events and statistics; may be repeated", "FILE", arguments.json)
      ->group(results);
  add_files(app, "--plot", "draw a picture, with gnuplot; may be repeated", "FILE.svg|png|pdf", arguments.plot)
      ->group(results);
  add_names(app, "--phase", "the two or three states of the phase portrait in the picture (default: both of two)",
            arguments.phase)
      ->group(results);
  add_count(app, "--points",
            "rows of the CSV, equally spaced in time, besides the events (default: every step)", 2,
            arguments.points)
      ->group(results);
  app.add_flag("--full-events", arguments.full_events, "list every event, with states and modes of any size")
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);

  app.footer(
      "Exit status: 0 the end or a stop event was reached, 1 a result could not be written,\n"
      "2 the command line or the model is wrong, 3 the run stopped early (what there is was written).");
}

void add_check(CLI::App& program, CheckArguments& arguments, std::string& unused) {
  CLI::App& app = *program.add_subcommand(
      "check", "Check a model: derivatives, multi-affinity, the start, scales, which method suits it");
  add_model(app, arguments.model);
  add_simulation(app, arguments, unused);
  add_files(app, "--json", "write what was found; - is standard output; may be repeated", "FILE", arguments.json)
      ->group("Results");
  app.footer(
      "Exit status: 0 no problem was found (there may be warnings), 2 the command line or the model is wrong,\n"
      "3 a problem was found: a wrong derivative, a field that is not affine in a relay, a start without a\n"
      "unique continuation.");
}

void add_sweep(CLI::App& program, SweepArguments& arguments, std::string& unused) {
  CLI::App& app = *program.add_subcommand("sweep", "Run a model for many values of its parameters, in parallel");
  add_model(app, arguments.model);

  const std::string runs = "The runs";
  app.add_option_function<std::vector<std::string>>(
         "--vary",
         [&arguments](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             try {
               arguments.axes.push_back(parse_axis(text));
             } catch (const std::invalid_argument& error) {
               throw CLI::ValidationError(error.what());
             }
           }
         },
         "vary a parameter or an initial state: P=FIRST:LAST:COUNT, P=FIRST:LAST:COUNT:log for equal ratios, or "
         "P=VALUE,VALUE,...; repeated, every combination is run")
      ->required()
      ->type_name("P=A:B:N")
      ->allow_extra_args(false)
      ->take_all()
      ->group(runs);
  add_count(app, "--jobs", "runs at the same time (default: one per processor)", 1, arguments.jobs)->group(runs);
  add_simulation(app, arguments, unused);

  const std::string looked_at = "What is looked at";
  add_number(
      app, "--transient", "leave this much time after the start out of minima, maxima and the section (default 0)",
      "a number, 0 or above", [](double value) { return value >= 0; }, arguments.transient)
      ->group(looked_at);
  app.add_option("--section", arguments.section, "record the states where the solution arrives at this surface, or at the events of this name")
      ->type_name("NAME")
      ->group(looked_at);
  add_word(app, "--direction", "arrivals that count: from below, from above, or both (default rising)",
           {"rising", "falling", "any"}, {}, arguments.direction)
      ->group(looked_at);
  add_count(app, "--section-points", "most arrivals recorded of a run, its last ones (default 200)", 1,
            arguments.section_points)
      ->group(looked_at);

  const std::string results = "Results (a FILE named - is standard output)";
  app.add_option("--csv", arguments.csv, "write the table, a row per run (default -)")
      ->type_name("FILE")
      ->group(results);
  app.add_flag("--resume", arguments.resume, "complete the table of an interrupted sweep")->group(results);
  add_files(app, "--plot", "draw the bifurcation picture (one parameter) or a map (two); may be repeated",
            "FILE.svg|png|pdf", arguments.plot)
      ->group(results);
  add_names(app, "--states", "the states of the picture (default: the first four)", arguments.states)
      ->group(results);
  app.add_flag("--quiet", arguments.quiet, "print nothing but errors")->group(results);

  app.footer(
      "A run that stops early is a row with its status and message. Ctrl-C leaves a valid table of what was done.\n"
      "Exit status: 0 all runs were made, 1 a result could not be written, 2 the command line or the model is\n"
      "wrong, 3 interrupted (what was done is in the table).");
}

void add_validate(CLI::App& program, ValidateArguments& arguments, std::optional<double>& rtol) {
  CLI::App& app = *program.add_subcommand("validate", "Run the validation suite: expected beside got");
  app.add_option("name", arguments.names, "cases, or beginnings of their names (default: all)")
      ->type_name("NAME");
  add_number(
      app, "--rtol", "relative tolerance (default 1e-6)", "a number above 0 and below 1",
      [](double value) { return value > 0 && value < 1; }, rtol);
  add_word(app, "--method", "integrator (default: all)", {"bdf", "adams", "dopri5"}, {}, arguments.method);
  app.footer("Exit status: 0 all cases pass, 1 a case fails, 2 the command line is wrong.");
}

}  // namespace

std::unique_ptr<CLI::App> make_program(AllArguments& arguments) {
  auto program = std::make_unique<CLI::App>(
      "Integrates ordinary differential equations whose right-hand side jumps, and goes on where\n"
      "ordinary solvers chatter: along sliding modes, with every event located and explained.",
      "slideway");
  program->set_version_flag("--version", fmt::format("slideway {}", version()));
  program->require_subcommand(1);
  program->get_formatter()->column_width(34);

  program->add_subcommand("models", "List the catalogue, a line each");
  CLI::App& show = *program->add_subcommand("show", "Show a model: equations, surfaces, parameters, defaults");
  add_model(show, arguments.show.model);
  add_settings(show, arguments.show.settings);
  add_run(*program, arguments.run, arguments.unused);
  add_check(*program, arguments.check, arguments.unused);
  add_sweep(*program, arguments.sweep, arguments.unused);
  add_validate(*program, arguments.validate, arguments.validation_rtol);
  CLI::App& completion =
      *program->add_subcommand("completion", "Print the completion script of a shell, to be sourced by it");
  add_word(completion, "shell", "the shell", {"bash", "zsh"}, {}, arguments.completion.shell)->required();
  // For the build, which installs the page.
  program->add_subcommand("man", "Print the manual page")->group("");
  return program;
}

}  // namespace slideway::apps
