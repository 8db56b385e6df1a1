// One run of `slideway run`: the model with its settings, and what following it gave.
//
// It must not know documents.
#pragma once

#include <atomic>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "slideway/audit/audit.hpp"
#include "slideway/io/report.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/final_gradients.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/passivity.hpp"

namespace slideway::apps {

struct FollowedRun {
  Model model;
  ModelInstance instance;
  Options options = {};
  std::unique_ptr<Observation> observation =
      nullptr;  // the quantities to be seen beside the states; null for none
  std::unique_ptr<ObservedSensitivity> observed_sensitivity = nullptr;  // their derivatives, likewise
  std::optional<FinalGradientQuestion> question = {};                   // what --adjoint asks for
  std::optional<FinalGradients> gradients = {};                         // and its answer
  bool watches_friction = false;
  AuditLevel audit_level = AuditLevel::quick;
  std::shared_ptr<const WrittenModel> written = nullptr;  // of a model file that is audited
  Solution solution = {};
  std::optional<AuditResult> audit = {};  // none where it is off, or the model is no file
  std::vector<FrictionWork> friction = {};
  std::optional<PoincareSection> section = {};  // whose points are listed
  std::string title = {};  // the name of the model, or what tells this run from the others

  // Refers to this run, which must stay where it is.
  RunReport report() const;
  bool is_contradicted() const { return audit && audit->verdict == AuditVerdict::failed; }
  // Keeps it; each of its failures is a warning of the solution, too.
  void take_audit(AuditResult found);
};

// A run that has not begun, with all that can be refused before it begins.
FollowedRun prepare_run(const RunArguments& arguments, const std::string& model, const Settings& settings);

// Follows the solution, up to a step at which the flag is set, where there is one: what was done until then is kept.
void follow(FollowedRun& run, const std::atomic<bool>* interruption = nullptr);

// A line for each contradiction that the audit found, with a name before it.
void print_contradictions(const FollowedRun& run, const std::string& name, std::ostream& err);

}  // namespace slideway::apps
