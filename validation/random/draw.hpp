// Random numbers that are the same with every standard library: std::mt19937_64 and explicit arithmetic.
//
// It must not know models.
#pragma once

#include <cstdint>
#include <random>

namespace slideway::validation::random {

class Draw {
 public:
  // The numbers of one model of one class: they do not depend on how many models were drawn before.
  Draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t number);

  // In [low, high), rounded to three significant digits: the model file then shows the number itself.
  double number(double low, double high);
  // The same with a random sign.
  double signed_number(double low, double high);
  // In [low, high), not rounded.
  double uniform(double low, double high);
  // In [low, high].
  int integer(int low, int high);
  bool chance(double probability) { return uniform(0, 1) < probability; }

 private:
  std::mt19937_64 random_;
};

// The number with so many significant digits.
double rounded(double value, int digits);

}  // namespace slideway::validation::random
