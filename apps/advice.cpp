#include "apps/advice.hpp"

#include <utility>
#include <vector>

namespace slideway::apps {

namespace {

using Replacements = std::vector<std::pair<std::string, std::string>>;

std::string replaced(std::string message, const Replacements& replacements) {
  for (const auto& [library, command] : replacements) {
    for (std::size_t at = message.find(library); at != std::string::npos;
         at = message.find(library, at + command.size()))
      message.replace(at, library.size(), command);
  }
  return message;
}

}  // namespace

std::string told_to_user(std::string message, Branches branches) {
  static const Replacements replacements = {
      {"raise max_events", "raise --max-events"},
      {"raise max_steps, loosen the tolerances or use a stiff method",
       "raise --max-steps, loosen --rtol, or try --method bdf"},
      {"raise max_steps", "raise --max-steps"},
      {"loosen rtol, or take the method dopri5,", "loosen --rtol, or take --method dopri5,"},
      {"choose one with on_ambiguity: minus, plus or slide, or follow all with branches",
       "choose one with --on-ambiguity minus, plus or slide, or follow all with --on-ambiguity branches"},
      {"Simulator::run, ", ""},
      {"Simulator::run: ", ""},
      {"find_periodic_orbit: ", ""},
      {"guess_after: ", ""},
      {"guess_at_section: ", "--section: "},
      {"give the period to all its digits",
       "give the period of the drive to all its digits, as --period 2*pi/0.5"},
      {"make the transient longer", "make the transient longer (--transient)"},
      {"begin nearer to an orbit", "begin nearer to an orbit (--set, --transient 0)"},
      {"take more shots", "take more shots (--shots)"},
      {"make_cvode_stepper: ", ""},
      {"make_one_step_stepper: ", ""},
      {"to draw values from a range, set SweepDesign::sampling",
       "to draw values from a range, add --random N or --latin N"},
      {"a list of values, or first, last and count",
       "name=first:last:count, name=first:last:count:log or name=value,value,…"},
      {"a range: is_range, first and last", "name=first:last or name=first:last:log"},
      {"a parameter in the first of SweepDesign::axes", "a parameter in the first --vary"},
      {"may be varied by axes that come", "may be varied by the --vary that come"},
      {"that this sweep wrote with SweepDesign::shard", "that this command wrote with --shard"},
      {"SweepDesign::axes", "--vary"},
      {"SweepDesign::fixed", "--set"},
      {"SweepDesign::follow", "--follow"},
      {"Sampling::latin", "--latin"},
      {"Sampling::random", "--random"},
      {"SweepOptions::end", "--t-end"},
      {"SweepOptions::transient", "--transient"},
      {"SweepOptions::run_time_limit", "--run-time-limit"},
      {"SweepOptions::section", "--section"},
      {"SweepOptions::observe", "--observe"},
      {"SweepOptions::columns", "--columns"},
      {"SweepOptions::points", "--section-file"},
      {"SweepOptions::resume", "--resume"},
      {"SweepOptions::merge", "--merge"},
      {"BasinOptions::step: ", "--period: "},
      {"DiagramOptions::step: ", "--period: "},
      {"DiagramOptions::most_steps", "--max-rounds"},
      {"DiagramOptions::parts", "--parts"},
      {"DiagramOptions::reach", "--reach"},
      {"DiagramOptions::wrap", "--wrap"},
      {"DiagramOptions::resume", "--resume"},
      {"DiagramDesign::across", "--plane"},
      {"DiagramDesign::up", "--plane"},
      {"DiagramDesign", "--plane"},
      {"BasinOptions::most_steps", "--max-rounds"},
      {"BasinOptions::samples", "--samples"},
      {"BasinOptions::reach", "--reach"},
      {"BasinOptions::wrap", "--wrap"},
      {"BasinOptions::resume", "--resume"},
      {"BasinDesign::across", "--plane"},
      {"BasinDesign::up", "--plane"},
      {"BasinDesign", "--plane"},
      {"Options::rtol", "--rtol"},
      {"Options::atol", "--atol"},
      {"Options::max_step:", "--max-step:"},
  };
  if (message.find("the initial state violates contact") != std::string::npos)
    message += "; change the initial state in [states] of the file or with --set";
  message = replaced(std::move(message), replacements);
  return branches == Branches::offered
             ? message
             : replaced(std::move(message), {{", or follow all with --on-ambiguity branches", ""}});
}

std::string without_choice(const std::string& message) {
  return message.substr(0, message.find("; choose one with --on-ambiguity"));
}

std::string told_to_comparer(const Outcome& outcome) {
  static const Replacements bounds = {
      {"raise max_events", "raise --max-evaluations"},
      {"raise max_steps, loosen the tolerances or use a stiff method", "raise --max-evaluations"},
  };
  const std::string message = told_to_user(replaced(outcome.message, bounds));
  const bool told = message.find("--max-evaluations") != std::string::npos;
  return outcome.status != Status::step_limit || told ? message : message + "; raise --max-evaluations";
}

}  // namespace slideway::apps
