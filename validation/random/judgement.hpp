// One random model under every setting and rewriting, beside the oracle.
//
// It must not know classes, tables or the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/random/comparison.hpp"
#include "validation/random/follow.hpp"
#include "validation/random/random_model.hpp"
#include "validation/random/rewriting.hpp"

namespace slideway::validation::random {

struct Plan {
  std::vector<double> tolerances = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
  std::vector<Method> methods = {Method::automatic, Method::bdf,    Method::adams,
                                 Method::dopri5,    Method::dop853, Method::rodas};
  bool rewrites = true;
  double seconds = 10;  // of processor time, of each run
};

enum class Finding { agreed, skipped, wrong, timed_out };

struct Trial {
  Setting setting = {};
  std::string rewriting = {};  // empty: the model as it is
  Finding finding = Finding::skipped;
  std::string text = {};  // what is wrong, or why it was skipped
};

// "bdf 1e-06", and "bdf 1e-06, mirrored: state 1 at the end is off by …".
std::string setting_words(const Setting& setting);
std::string described(const Trial& trial);

struct Judgement {
  Motion exact = {};
  std::vector<Trial> trials = {};
  bool has(Finding finding) const;
};

// The oracle's answer and what each tolerance may be off by; made once for several runs.
class Judge {
 public:
  Judge(const RandomModel& model, const Plan& plan);

  const Motion& exact() const { return exact_; }
  // As the model is, or rewritten; `number` chooses the method of rewritings.
  Trial trial(const Setting& setting) const;
  Trial trial(const Setting& setting, const Rewriting& rewriting) const;
  // Everything that the plan asks for.
  Judgement all(std::size_t number) const;

 private:
  // For a clock that shows the times of the model, or later ones by this much.
  Allowance allowance(double rtol, double shift) const;
  std::vector<Motion> neighbours_of(const std::vector<long double>& most) const;
  long double limit_after_end() const;
  Rounding rounding(long double clock) const;
  Trial judged(const Setting& setting, const RandomModel& model, const Rewriting* rewriting) const;

  const RandomModel& model_;
  const Plan& plan_;
  Motion exact_ = {};
  std::vector<long double> samples_ = {};
  long double span_ = 0;
  std::vector<long double> sizes_ = {};
  std::map<double, std::vector<Motion>> neighbours_ = {};
  long double limit_after_end_ =
      0;  // how long after the end an accumulation has its limit; infinite where none does
};

}  // namespace slideway::validation::random
