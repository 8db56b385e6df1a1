// The functions of a system as the audit calls them: the field and the guards that the user wrote in C++ or in Python, at points of its own
// choice. A function that remembers earlier calls, or that jumps where no guard is zero, shows as a defect.
#pragma once

#include <string>
#include <vector>

#include "audit/audited_field.hpp"
#include "slideway/model/automaton.hpp"

namespace slideway::auditing {

class FunctionField : public AuditedField {
 public:
  explicit FunctionField(Automaton problem);

  // suits() tells whether the field alone moves the system. Forces of contacts move it too, and this class does not know them.
  static bool suits(const Automaton& problem);

  std::uint32_t states() const override { return static_cast<std::uint32_t>(problem_.system().states()); }
  bool is_written(std::uint32_t /*state*/) const override { return true; }
  bool derivatives(const std::string& location, double t, const double* x, const Sides* sides, Met* met,
                   Vector& f) override;
  void left_side(const Vector& rates, const Vector& tolerances, Vector& left, Vector& allowed) override;
  std::string told(const std::string& location, std::uint32_t state, const double* x) const override;
  std::vector<Follower> followers(double /*t*/, const double* /*x*/) override { return {}; }
  // Roundings within functions are not known.
  void round_by_chance(std::uint64_t draw) override { rounding_ = draw; }
  std::uint64_t visits() const override { return visits_; }

 private:
  const System* system_in(const std::string& location) const;
  bool derivatives_of(const System& system, double t, const double* x, const Sides* sides, Met* met,
                      Vector& f);

  Automaton problem_;
  Vector guards_, lambda_, ratios_, other_;
  std::uint64_t visits_ = 0;
  std::uint64_t rounding_ = 0;
};

}  // namespace slideway::auditing
