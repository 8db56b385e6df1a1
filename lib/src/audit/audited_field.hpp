// The right side that a run is compared with, and what is told of it: that of a model file as it is written, or the functions of a system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/sites.hpp"
#include "slideway/core/types.hpp"

namespace slideway::auditing {

// A state that follows an algebraic variable, and the solution that belongs to it at a point.
struct Follower {
  std::uint32_t state;
  double solution;
};

class AuditedField {
 public:
  AuditedField() = default;
  virtual ~AuditedField() = default;
  AuditedField(const AuditedField&) = delete;
  AuditedField& operator=(const AuditedField&) = delete;

  // The states that have a meaning here; a system may have more behind them.
  virtual std::uint32_t states() const = 0;
  // is_written() tells that the model has a derivative of the state.
  virtual bool is_written(std::uint32_t state) const = 0;
  // f in a location ("" where there are none, "a|b" between two). `sides` gives sites another side, and `met` receives the sites; both
  // may be null. False where f has no number in some entry.
  virtual bool derivatives(const std::string& location, double t, const double* x, const Sides* sides,
                           Met* met, Vector& f) = 0;
  // M·x', and Σ|M|·tol per row.
  virtual void left_side(const Vector& rates, const Vector& tolerances, Vector& left, Vector& allowed) = 0;
  // " (if(m == 0, 0.3, -5) with m = 0)", or nothing.
  virtual std::string told(const std::string& location, std::uint32_t state, const double* x) const = 0;
  virtual std::vector<Follower> followers(double t, const double* x) = 0;
  // From here on the clock, and the results of arithmetic as far as they are known, are moved by one rounding, up or down by chance (Vignes'
  // stochastic arithmetic); 0: by none.
  virtual void round_by_chance(std::uint64_t draw) = 0;
  // A measure of the work so far: nodes of expressions that were walked, or what a function that is called costs as much as.
  virtual std::uint64_t visits() const = 0;
};

// The field rounds by chance while one of these lives.
class RoundingByChance {
 public:
  RoundingByChance(AuditedField& field, std::uint64_t draw) : field_(field) { field_.round_by_chance(draw); }
  ~RoundingByChance() { field_.round_by_chance(0); }
  RoundingByChance(const RoundingByChance&) = delete;
  RoundingByChance& operator=(const RoundingByChance&) = delete;

 private:
  AuditedField& field_;
};

}  // namespace slideway::auditing
