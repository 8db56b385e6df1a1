// The motion of a random model: the words it passes through, when, and where it is in between.
//
// It must not know who found it.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace slideway::validation::random {

// One instant at which something changes.
struct Happening {
  long double t = 0;
  std::string word =
      {};  // `-`, `0`, `+` per named surface, then per contact (`+` open, `0` closed), afterwards
  std::string location = {};
  std::vector<std::string> names = {};  // of impacts, resets and edges, in their order
  // The speed at which a gap closes there, the least of several; infinite where none does, or where it is not told.
  long double closing = std::numeric_limits<long double>::infinity();
};

// Infinitely many events of the same kind end at a time; how many are seen depends on the tolerances.
struct Accumulation {
  long double limit = 0;
  std::vector<std::string> names = {};   // of the contacts, resets and edges that take part
  std::vector<std::size_t> places = {};  // characters of the word that do
  long double pressing = 0;              // the acceleration back to the guard there; 0 where it is not told
};

enum class MotionEnd {
  reached,    // the end of the run
  zeno,       // infinitely many events, and nothing says what follows
  undecided,  // the oracle can't tell what follows, or not in time
};

struct Motion {
  MotionEnd end = MotionEnd::undecided;
  std::string why = {};  // of undecided
  long double t = 0;     // where it ends
  std::string initial_word = {};
  std::string initial_location = {};
  std::vector<Happening> happenings = {};
  std::vector<Accumulation> accumulations = {};
  std::vector<long double> state = {};                 // there
  std::vector<std::vector<long double>> samples = {};  // at the times that were asked for, as far as it comes
  std::vector<long double> largest = {};               // |x| along the way
};

}  // namespace slideway::validation::random
