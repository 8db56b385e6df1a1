#include "apps/check_document.hpp"

#include <ostream>

#include "apps/json_values.hpp"

namespace slideway::apps {

namespace {

Document document(const ModelCheck& check) {
  Document derivatives = nullptr;
  if (check.derivatives) {
    const DerivativeCheck& worst = *check.derivatives;
    derivatives = {{"passed", worst.passed},
                   {"function", worst.function},
                   {"row", worst.row},
                   {"column", worst.column},
                   {"used", json_number(worst.used)},
                   {"finite_difference", json_number(worst.finite_difference)},
                   {"relative_error", json_number(worst.relative_error)}};
  }
  Document multi_affine = nullptr;
  if (check.multi_affine) {
    multi_affine = {{"passed", check.multi_affine->passed},
                    {"relative_error", json_number(check.multi_affine->relative_error)}};
  }
  Document met = Document::array();
  for (const SurfaceAtStart& surface : check.met) {
    met.push_back({{"surface", surface.name},
                   {"w_minus", json_number(surface.w_minus)},
                   {"w_plus", json_number(surface.w_plus)},
                   {"kind", surface.kind}});
  }
  Document scales = Document::array();
  for (const StateScale& scale : check.scales) {
    scales.push_back({{"state", scale.name},
                      {"initial", json_number(scale.initial)},
                      {"greatest", json_number(scale.greatest)},
                      {"atol", json_number(scale.atol)}});
  }
  Document findings = Document::array();
  for (const Finding& finding : check.findings)
    findings.push_back({{"severity", to_string(finding.severity)}, {"text", finding.text}});
  return {{"schema", "slideway.check/1"},
          {"model", check.model},
          {"states", check.states},
          {"surfaces", check.surfaces},
          {"derivatives", derivatives},
          {"multi_affine", multi_affine},
          {"start",
           {{"t", json_number(check.start)},
            {"mode", check.mode},
            {"location", check.location.empty() ? Document(nullptr) : Document(check.location)},
            {"met", met},
            {"continuations", check.continuations}}},
          {"trial",
           {{"status", to_string(check.trial.status)},
            {"t", json_number(check.trial.t)},
            {"steps", check.trial_steps},
            {"events", check.trial_events}}},
          {"time_events", check.time_events},
          {"scales", scales},
          {"findings", findings}};
}

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::problem: return "problem";
    case Severity::warning: return "warning";
    default: return "hint";
  }
}

void write_check_json(const ModelCheck& check, std::ostream& out) { out << document(check).dump(2) << '\n'; }

}  // namespace slideway::apps
