#include "audit/function_field.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "audit/errors_within.hpp"
#include "audit/written_field.hpp"
#include "slideway/audit/called_functions.hpp"

namespace slideway {

std::shared_ptr<const WrittenModel> called_functions() { return std::make_shared<const WrittenModel>(); }

}  // namespace slideway

namespace slideway::auditing {
namespace {

// A call with its guards takes 996 instructions in dry friction of two states (callgrind, 20,798 calls), where a node takes 100 (step_choice.hpp).
constexpr std::uint64_t kNodesPerState = 5;
// The site between two locations.
constexpr SiteKey kBetween = 0xB37EE2ULL;

}  // namespace

FunctionField::FunctionField(Automaton problem) : problem_(std::move(problem)) {}

bool FunctionField::suits(const Automaton& problem) {
  const auto& locations = problem.locations();
  return std::all_of(locations.begin(), locations.end(),
                     [](const Location& location) { return location.system.contacts().empty(); });
}

const System* FunctionField::system_in(const std::string& location) const {
  for (const Location& one : problem_.locations())
    if (one.name == location) return &one.system;
  return nullptr;
}

bool FunctionField::derivatives_of(const System& system, double t, const double* x, const Sides* sides,
                                   Met* met, Vector& f) {
  const Eigen::Map<const Vector> state(x, system.states());
  const Index m = system.surfaces();
  if (rounding_ != 0) t = rounded_by_chance(t, rounding_);
  guards_.resize(m);
  lambda_.resize(m);
  f.resize(system.states());
  visits_ += kNodesPerState * static_cast<std::uint64_t>(system.states());
  try {
    system.guards(t, state, guards_);
    Vector above = Vector::Ones(m), below = Vector::Ones(m);
    if (met != nullptr && system.breaks_away()) {
      system.definition().break_away(t, state, above);
      below = above;
      if (system.definition().break_away_below) system.definition().break_away_below(t, state, below);
    }
    for (Index i = 0; i < m; ++i) {
      const auto key = static_cast<SiteKey>(i);
      const double own = guards_[i] > 0 ? 1 : guards_[i] < 0 ? -1 : 0;
      const auto given = sides != nullptr ? sides->find(key) : Sides::const_iterator();
      lambda_[i] = sides != nullptr && given != sides->end() ? given->second : own;
      if (met != nullptr) (*met)[key] = {guards_[i], lambda_[i], false, above[i], below[i]};
    }
    system.field(t, state, lambda_, f);
  } catch (const std::exception&) {
    // A function that refuses a state beside the run's has no number there.
    return false;
  }
  f.tail(system.discrete()).setZero();
  return f.allFinite();
}

bool FunctionField::derivatives(const std::string& location, double t, const double* x, const Sides* sides,
                                Met* met, Vector& f) {
  if (const System* const system = system_in(location)) return derivatives_of(*system, t, x, sides, met, f);
  // Between two locations the solution has a combination of both fields.
  const std::size_t bar = location.find('|');
  if (bar == std::string::npos) return false;
  const System* const below = system_in(location.substr(0, bar));
  const System* const above = system_in(location.substr(bar + 1));
  if (below == nullptr || above == nullptr) return false;
  double side = 0;
  if (sides != nullptr && sides->count(kBetween) > 0) side = sides->at(kBetween);
  if (!derivatives_of(*below, t, x, sides, met, other_) || !derivatives_of(*above, t, x, sides, met, f))
    return false;
  if (met != nullptr) (*met)[kBetween] = {0, side, true};
  f = 0.5 * (1 - side) * other_ + 0.5 * (1 + side) * f;
  return f.allFinite();
}

void FunctionField::left_side(const Vector& rates, const Vector& tolerances, Vector& left, Vector& allowed) {
  left = rates;
  allowed = tolerances;
}

std::string FunctionField::told(const std::string& location, std::uint32_t /*state*/,
                                const double* /*x*/) const {
  return location.empty() ? "" : " (in the location " + location + ")";
}

}  // namespace slideway::auditing
