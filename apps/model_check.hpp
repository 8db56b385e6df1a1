// model_check answers questions about a model before a long run. Are its derivatives right, and is it affine in every relay? Is
// the motion from its initial state well posed? Do its states and tolerances fit, and which method suits it?
//
// It runs the model for a while, with few steps. It must not know how the answers are printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/model/check.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/outcome.hpp"

namespace slideway::apps {

enum class Severity { problem, warning, hint };

struct Finding {
  Severity severity = Severity::hint;
  std::string text = {};
};

// A surface that the initial state lies on. The other relays are as in the initial mode.
struct SurfaceAtStart {
  std::string name = {};
  double w_minus = 0;
  double w_plus = 0;
  std::string kind = {};  // "crossing upward", …
};

struct StateScale {
  std::string name = {};
  double initial = 0;
  double greatest = 0;  // of |x| in the trial run
  double atol = 0;
};

struct ModelCheck {
  std::string model = {};
  Index states = 0;
  Index surfaces = 0;
  std::optional<DerivativeCheck> derivatives = {};    // the worst; nothing when there are too many states
  std::optional<MultiAffineCheck> multi_affine = {};  // the worst; nothing without surfaces
  double start = 0;
  std::string mode = {};  // at the start
  std::string location = {};
  std::vector<SurfaceAtStart> met = {};
  std::vector<std::string> continuations = {};  // where the start is not unique
  std::vector<std::string> time_events = {};    // what each is, and how often it fires
  std::vector<StateScale> scales = {};
  Outcome trial = {};  // of the trial run; `step_limit` when it went as far as it was meant to
  Index trial_steps = 0;
  Index trial_events = 0;
  std::vector<Finding> findings = {};

  bool has_problem() const;
};

// Throws std::invalid_argument when the model cannot be evaluated at its initial state.
ModelCheck check_model(const std::string& name, const ModelInstance& instance, const Options& options);

}  // namespace slideway::apps
