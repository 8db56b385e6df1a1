// One language model under methods and tolerances, and in other words, beside its own motion at a tight tolerance.
//
// The motion at rtol = 1e-12 is the yardstick, and its audit must pass. The times of named events and the states may be off by what
// random/comparison.hpp allows, with the numbers of random/rules.hpp: a multiple of rtol times the size, and of the change of the yardstick
// where its derivatives are off by some rtol. The size of a state is its largest |x| on the way, 0.1 at least. Nothing is decided where such
// a neighbour of the model has other events, or is further away than a twentieth of the sizes; where an event is as near the end of the run
// as its time may be off; and where a run says that it ends early because the clock is too coarse for the tolerance. Neighbours are
// followed only where the first term alone does not show agreement.
// It must not know how models are drawn, nor the command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validation/language/facts.hpp"
#include "validation/language/variants.hpp"
#include "validation/random/judgement.hpp"

namespace slideway::validation::language {

class LanguageJudge {
 public:
  LanguageJudge(const LanguageModel& model, const random::Plan& plan);

  // The number of the model chooses the methods of each tolerance and the setting of each variant.
  std::vector<random::Trial> all(std::size_t number);
  // The trial of a setting, under a variant where one is named; nothing where the model has no such variant.
  std::optional<random::Trial> trial(const random::Setting& setting, const std::string& variant);
  // The trial of a setting under this variant.
  random::Trial judged(const random::Setting& setting, const Variant& variant);

 private:
  struct Allowance {
    bool is_decided = true;
    std::map<std::string, std::vector<double>> events = {};
    std::vector<std::vector<double>> samples = {};
    double end = 0;
  };

  // What the yardstick itself shows: a trial that is no agreement, or nothing.
  std::optional<random::Trial> fault_of_yardstick() const;
  Allowance basic_allowance(double rtol) const;
  const Allowance& allowance_with_neighbours(double rtol);
  // Empty: no difference that is more than allowed.
  std::string difference(const Facts& facts, const Variant& variant, const Allowance& allowed) const;
  // Why the run decides nothing, whatever the difference is; empty where it does.
  std::string undecided(const Facts& facts, const random::Setting& setting, const Variant& variant,
                        const Allowance& allowed) const;
  // The sizes of the states by name, for their derivatives in neighbours of the model.
  std::map<std::string, double> state_sizes() const;

  const LanguageModel& model_;
  const random::Plan& plan_;
  double span_ = 0;
  std::vector<double> sizes_ = {};
  Facts yardstick_ = {};
  std::map<double, Allowance> allowances_ = {};
};

}  // namespace slideway::validation::language
