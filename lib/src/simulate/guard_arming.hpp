// Guard arming: the surfaces and contacts that the last events left at zero. Their guards count only once they are clearly on
// their side.
//
// It must not know the guards, nor how far off zero they are.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

struct GuardArming {
  // Of the last event, which the mode has only just left or begun to slide on.
  std::vector<Index> surfaces, contacts;
  // Surfaces of earlier events: an event elsewhere does not bring them further off, and without their allowance they would fire at
  // once.
  std::vector<Index> earlier;
  Vector allowance;  // per surface, since its own last event
  // The surfaces that were met last may be passed by as much as errors gather.
  bool passes_by = false;
  // They have not been left at all since they were met before.
  bool returned_at_once = false;

  // For so many surfaces; those that are new were met last at t.
  void resize(Index count, double t) {
    met_at_.resize(static_cast<std::size_t>(count), t);
    along_.resize(static_cast<std::size_t>(count), 0);
    allowance.conservativeResizeLike(Vector::Zero(count));
  }
  // These are met at t.
  void meet(const std::vector<Index>& met, double t) {
    surfaces = met;
    for (const Index i : met) met_at_[static_cast<std::size_t>(i)] = t;
  }
  // Whether a surface was left with no speed across it when it was met last: an undamped motion comes back to it with none.
  void set_along(Index surface, bool along) { along_[static_cast<std::size_t>(surface)] = along ? 1 : 0; }
  bool along(Index surface) const { return along_[static_cast<std::size_t>(surface)] != 0; }
  bool any_along() const {
    return std::any_of(along_.begin(), along_.end(), [](char one) { return one != 0; });
  }
  // These contacts open, and others still touch.
  void let_go(const std::vector<Index>& opening, const std::vector<Index>& touching) {
    contacts = opening;
    for (const Index c : touching) {
      if (std::find(opening.begin(), opening.end(), c) == opening.end()) contacts.push_back(c);
    }
  }
  // How long before t a surface was met last.
  double away(Index surface, double t) const { return t - met_at_[static_cast<std::size_t>(surface)]; }
  // Before another event takes the place of the last one.
  void keep_earlier() {
    for (const Index i : surfaces) {
      if (std::find(earlier.begin(), earlier.end(), i) == earlier.end()) earlier.push_back(i);
    }
  }
  // A surface that is no more.
  void drop(Index surface) {
    std::erase(surfaces, surface);
    std::erase(earlier, surface);
  }
  // After every restart: whether an event was seen there, and how long the surfaces had been left before.
  void note_return(bool eventful, double after) {
    returns_ = eventful ? 0 : surfaces == returned_to_ ? returns_ + 1 : 1;
    returned_to_ = surfaces;
    returned_at_once = !eventful && after == 0;
  }
  // How often in a row the same surfaces have been met without an event.
  Index vain_returns() const { return returns_; }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("surfaces", surfaces);
    visit("contacts", contacts);
    visit("earlier", earlier);
    visit("allowance", allowance);
    visit("passes_by", passes_by);
    visit("met_at", met_at_);
    visit("along", along_);
    visit("returned_to", returned_to_);
    visit("returns", returns_);
  }

 private:
  std::vector<double> met_at_;
  std::vector<char> along_;
  std::vector<Index> returned_to_;
  Index returns_ = 0;
};

}  // namespace slideway
