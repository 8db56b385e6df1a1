// The audit of a run: its result is compared with the model as the user wrote it, by a plain walk of the expressions.
//
//     defect   |M·x' − f(t, x, λ)| ≤ C·(tol/h + how far errors within the tolerances move f), per entry, at points inside steps
//     sliding  a sign whose guard is zero within the tolerances is a λ in [−1, 1], which least squares find
//     forces   of contacts that are closed, likewise, F ≥ 0 with friction inside its bound; gap ≥ 0 within the tolerances
//     discrete states keep the bits that were last set; states that follow algebraic variables solve their equations
//     events   a condition does not become true between two points without a record
//
// It shares no code with the lowering of equations, nor with the engine. It must not know file formats.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// A model file as it is written, before the engine makes equations of it, with the values that are set for a run.
struct WrittenModel;
// The model that a file was read into; null where it comes from no file.
std::shared_ptr<const WrittenModel> written_model(const Model& model, const Settings& settings);
// Throws std::invalid_argument where the text has mistakes.
std::shared_ptr<const WrittenModel> parse_written_model(const std::string& text, const std::string& file_name,
                                                        const Settings& settings);

enum class AuditLevel { off, quick, full };
// "off", "quick", "full"; throws std::invalid_argument for any other word.
AuditLevel audit_level_from(const std::string& word);
std::vector<std::string> audit_level_words();

enum class AuditVerdict {
  not_made,  // the audit is off, or nothing written is known of the model
  passed,
  failed,
};
// "not_made", "passed", "failed".
const char* to_string(AuditVerdict verdict);

struct AuditFailure {
  double from = 0;  // the first and the last time at which it was seen
  double to = 0;
  std::string state = {};  // or event, or contact
  std::string text = {};   // a sentence for the user
};

struct AuditResult {
  AuditVerdict verdict = AuditVerdict::not_made;
  std::string reason = {};  // why none was made, where one was asked for
  long long points = 0;     // at which the run was compared
  long long undecided = 0;  // of these, at which the comparison decides nothing
  // The largest defect in units of what is allowed, and where it was.
  double worst = 0;
  std::string worst_state = {};
  double worst_t = 0;
  std::vector<AuditFailure> failures = {};
};

// "passed (largest defect 0.02 of what is allowed, of v at t = 3.21)"
std::string audit_line(const AuditResult& result);

// Listens to one run: options = auditor.listening(options) before it, and result() after it. The instance must outlive it.
class Auditor {
 public:
  // Without a written model no audit is made.
  Auditor(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance, const Options& options,
          AuditLevel level);
  ~Auditor();
  Auditor(Auditor&&) noexcept;
  Auditor& operator=(Auditor&&) = delete;
  Auditor(const Auditor&) = delete;
  Auditor& operator=(const Auditor&) = delete;

  // The same options, with calls of the auditor before those of on_step and on_event. The auditor must outlive the run.
  Options listening(Options options);
  AuditResult result();

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

// The audit of a recorded run, with the options that it was made with. An instance without a state is that of a run which goes on from
// another solution, as a branch does: the events at its start have fired there.
AuditResult audit(std::shared_ptr<const WrittenModel> written, const ModelInstance& instance,
                  const Solution& solution, const Options& options, AuditLevel level = AuditLevel::full);

}  // namespace slideway
