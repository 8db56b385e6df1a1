// Everything that says which equations hold: the place, the sides of the surfaces, how the contacts are, and the relays. A value: it is
// compared and copied, and a run holds it once. Tools and questions take it as an argument or by reference.
//
// It must not know how it came about, nor the tools that follow the solution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "filippov/contact_modes.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

// The location or the pair of locations, and the surfaces along which the solution slides in second order: what tells the tools that
// follow it.
struct Place {
  std::size_t location = 0;  // of a pair the one where the guard between them is negative
  bool is_pair = false;      // of the locations that these edges join
  std::size_t first_edge = 0, second_edge = 0;
  std::vector<Index> second_order = {};  // sorted
  bool operator==(const Place&) const = default;

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("location", location);
    visit("is_pair", is_pair);
    visit("first_edge", first_edge);
    visit("second_edge", second_edge);
    visit("second_order", second_order);
  }
};

class Regime {
 public:
  Regime() = default;
  // All contacts are open.
  explicit Regime(const std::vector<Contact>& of) : contacts(of) {}

  Place place = {};
  ContactModes contacts = {};
  bool repelling = false;  // the only surface that slides repels
  double since = 0;        // when the mode began

  const Mode& mode() const { return mode_; }
  // The relays: ±1 by the sides, and a first guess for surfaces that slide.
  const Vector& lambda() const { return lambda_; }
  // set() leaves the λ of a surface that begins to slide as it is, for a first guess.
  void set(Index surface, Side side) {
    mode_.set(surface, side);
    if (side != Side::sliding) lambda_[surface] = static_cast<double>(side);
  }
  void slide(Index surface, double lambda) {
    mode_.set(surface, Side::sliding);
    lambda_[surface] = lambda;
  }
  // A mode of as many surfaces; λ of those that slide is kept, or comes from `lambda`.
  void take(const Mode& mode) {
    mode_ = mode;
    mode_.fill_lambda(lambda_);
  }
  void take(const Mode& mode, const Vector& lambda) {
    lambda_ = lambda;
    take(mode);
  }
  // The guesses for surfaces that slide.
  void guess(const Vector& lambda) { take(mode_, lambda); }
  // The first surfaces keep their sides, others are on +.
  void resize(Index surfaces);

  bool in_pair() const { return place.is_pair; }
  bool in_second_order() const { return !place.second_order.empty(); }
  bool slides_in_second_order(Index surface) const {
    return std::binary_search(place.second_order.begin(), place.second_order.end(), surface);
  }
  bool operator==(const Regime& other) const {
    return place == other.place && mode_ == other.mode_ && contacts == other.contacts &&
           lambda_.size() == other.lambda_.size() && lambda_ == other.lambda_ &&
           repelling == other.repelling && since == other.since;
  }

  // visit_fields() names the fields that outlive an instant, for checkpoints. A checkpoint is taken up at its place first.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("mode", mode_);
    visit("contacts", contacts);
    visit("lambda", lambda_);
    visit("repelling", repelling);
    visit("since", since);
  }

 private:
  Mode mode_ = {};
  Vector lambda_ = {};
};

inline void Regime::resize(Index surfaces) {
  Mode mode(surfaces);
  for (Index i = 0; i < std::min(surfaces, mode_.size()); ++i) mode.set(i, mode_[i]);
  lambda_.conservativeResizeLike(Vector::Zero(surfaces));
  take(mode);
}

}  // namespace slideway
