#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/check_document.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/model_check.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

void item(std::ostream& out, const std::string& title, const std::string& text) {
  fmt::print(out, "{:<14}{}\n", title, text);
}

std::string start_text(const ModelCheck& check) {
  if (check.mode.empty() && check.location.empty()) return "no surfaces";
  std::string text;
  constexpr std::size_t most = 60;
  if (!check.mode.empty())
    text = "mode " + (check.mode.size() > most ? check.mode.substr(0, most) + "…" : check.mode);
  if (!check.location.empty()) text += fmt::format("{}location {}", text.empty() ? "" : ", ", check.location);
  if (check.met.empty()) return text + ", on no surface";
  return text;
}

void print(const ModelCheck& check, std::ostream& out) {
  fmt::print(out, "{}   {}, {}\n\n", check.model, counted(check.states, "state"),
             counted(check.surfaces, "surface"));
  if (check.derivatives) {
    const DerivativeCheck& worst = *check.derivatives;
    item(out, "derivatives",
         worst.passed ? fmt::format("agree with differences (worst {} entry ({}, {}), relative error {:.1e})",
                                    worst.function, worst.row + 1, worst.column + 1, worst.relative_error)
                      : "wrong: " + worst.message);
  } else {
    item(out, "derivatives", "not compared");
  }
  if (check.multi_affine) {
    item(out, "switches",
         check.multi_affine->passed
             ? fmt::format("the field is linear in each of them (relative error {:.1e})",
                           check.multi_affine->relative_error)
             : "the field is not linear in each of them: " + check.multi_affine->message);
  }
  item(out, "start", fmt::format("t = {:.10g}, {}", check.start, start_text(check)));
  constexpr std::size_t most_met = 10;
  for (std::size_t k = 0; k < std::min(check.met.size(), most_met); ++k) {
    const SurfaceAtStart& surface = check.met[k];
    item(out, "",
         fmt::format("on {} = 0: w- = {:.6g}, w+ = {:.6g}, {}", surface.name, surface.w_minus, surface.w_plus,
                     surface.kind));
  }
  if (check.met.size() > most_met)
    item(out, "", fmt::format("… and on {} more", check.met.size() - most_met));
  if (!check.continuations.empty())
    item(out, "", fmt::format("not unique: {}", fmt::join(check.continuations, ", ")));
  constexpr std::size_t most_time_events = 10;
  for (std::size_t k = 0; k < std::min(check.time_events.size(), most_time_events); ++k)
    item(out, k == 0 ? "known times" : "", check.time_events[k]);
  if (check.time_events.size() > most_time_events)
    item(out, "", fmt::format("… and {} more", check.time_events.size() - most_time_events));
  item(out, "tried",
       fmt::format("to t = {:.6g} in {}, {}", check.trial.t, counted(check.trial_steps, "step"),
                   counted(check.trial_events, "event")));
  if (!check.findings.empty()) fmt::print(out, "\n");
  for (const Finding& finding : check.findings) item(out, to_string(finding.severity), finding.text);
}

}  // namespace

int check(const CheckArguments& arguments, std::ostream& out) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  ModelInstance instance = model.instantiate(arguments.settings);
  const Options options = make_options(arguments, model.defaults);
  set_end(arguments, instance);
  std::vector<Target> wanted;
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  check_targets(wanted, {arguments.model});

  ModelCheck answer = check_model(model.name, instance, options);
  for (const std::string& remark : model.remarks) answer.findings.push_back({Severity::hint, remark});
  for (const std::string& path : arguments.json)
    write_whole(path, [&](std::ostream& file) { write_check_json(answer, file); });
  if (!any_on_standard_output(wanted)) print(answer, out);
  return answer.has_problem() ? exit_stopped_early : exit_success;
}

}  // namespace slideway::apps
