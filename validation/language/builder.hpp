// A language model that grows: what has been declared so far, and random terms and conditions made of it.
//
// It must not know plants.
#pragma once

#include <string>

#include "validation/language/language_model.hpp"
#include "validation/random/draw.hpp"

namespace slideway::validation::language {

class Builder {
 public:
  explicit Builder(random::Draw& draw);

  random::Draw& draw() { return draw_; }
  LanguageModel& model() { return model_; }

  // A name that is not taken yet: the stem with a number.
  std::string fresh(const std::string& stem);
  // Declares a state and makes it a signal.
  Term state(const std::string& stem, double initial, double scale = 1);
  Term discrete(const std::string& stem, double initial);
  Term parameter(const std::string& stem, double value);
  Term definition(const std::string& stem, const Term& value);
  void derivative(const Term& state, const Term& value);
  // A value of size about 1 that other terms may use.
  void add_signal(const Term& signal) { signals_.push_back(signal); }
  // The same of a value that jumps when events set it.
  void add_held_signal(const Term& signal) { held_signals_.push_back(signal); }
  // A condition of discrete values alone that others may use.
  void add_flag(const Term& flag) { flags_.push_back(flag); }

  // A number, sometimes as a parameter.
  Term constant(double low, double high);
  // A bounded function of time, which may jump, and such a function that does not.
  Term wave();
  Term smooth_wave();
  // A signal that moves, or a wave.
  Term signal();
  // What functions that step take: a signal or a smooth function of time.
  Term continuous();
  // A bounded value made of signals; `depth` bounds how often functions are nested.
  Term value(int depth);
  Term condition(int depth);
  // A comparison that becomes true by motion alone.
  Term comparison();
  // What bends, jumps or is smooth, of a value of size about 1.
  Term smooth(const Term& u);
  Term kink(const Term& u);
  // kink_of_one() draws kinks of the value of u alone or beside a second signal, without a table of two.
  Term kink_of_one(const Term& u);
  Term jump(const Term& u, int depth);

 private:
  std::string signal_line();
  std::string table_line(bool holds);
  std::string table_of_two();

  random::Draw& draw_;
  LanguageModel model_ = {};
  Terms signals_ = {};
  Terms held_signals_ = {};
  Terms flags_ = {};
  int names_ = 0;
};

}  // namespace slideway::validation::language
