// The derivatives at the limit of infinitely many events: the limit of the products of their saltation matrices.
//
// A contact that comes to rest has it in closed form: the flights that are left take 2u/((1 − e)a). In other accumulations each turn
// takes r times the one before, so that what their events see goes like
//     y_k = Y + (a + b k) rᵏ,      Y = (y_k − 2r y_{k−1} + r² y_{k−2})/(1 − r)²
//
// It must not know how events are told from others.
#pragma once

#include <deque>
#include <string>

#include "sensitivity/saltation.hpp"

namespace slideway {

class AccumulatedChanges {
 public:
  // An instant that is over.
  void note(const Saltation::Instant& instant, const Saltation::Change& change);
  // limit() returns the change at the limit, `s` being S before it. It is not told where too few of the limit's
  // events have been noted.
  Saltation::Change limit(const Saltation::Instant& instant, const EventRecord& record, Saltation& saltation,
                          const Matrix& s);

 private:
  struct Past {
    std::string key = {};  // the same for events that are repeated
    double t = 0;
    Vector time = {};
    Matrix at = {};
    Vector after = {};  // the extended state
  };
  // The last of the repeated events that are nearest to the limit, and the two before it.
  const Past* last(const Past*& before, const Past*& earliest) const;
  bool rest(const Saltation::Instant& instant, const EventRecord& record, Saltation::Change& change,
            const Matrix& s) const;

  std::deque<Past> past_;
};

}  // namespace slideway
