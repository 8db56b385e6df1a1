// The impacts of each contact that follow each other ever faster: the time between the last two, when such a sequence began, and how
// large the states were in it.
//
// It must not know gaps or forces, nor when a contact comes to rest.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "integrate/guard_scan.hpp"
#include "simulate/precision.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class BounceWatch {
 public:
  explicit BounceWatch(Index contacts) : bounces_(static_cast<std::size_t>(contacts)) {}

  // An impact of the contact at t.
  void note(double t, Index contact) {
    Bounces& bounces = bounces_[static_cast<std::size_t>(contact)];
    const double interval = bounces.any ? t - bounces.last : 0;
    // A longer flight than any before begins a new sequence; so does the first of all.
    if (!bounces.any || interval > kLongerFlight * bounces.longest + 10 * location_accuracy(t, 0)) {
      if (!bounces.any || bounces.longest > 0) bounces.began = bounces.any ? bounces.last : t;
      bounces.longest = 0;
    }
    bounces.longest = std::max(bounces.longest, interval);
    bounces.interval = interval;
    bounces.last = t;
    bounces.any = true;
  }
  // The contact comes to rest at t. An opening after less than its longest flight belongs to the same sequence.
  void rest(double t, Index contact) {
    Bounces& bounces = bounces_[static_cast<std::size_t>(contact)];
    bounces.last = t;
    bounces.interval = 0;
  }
  // interval() returns the time between the last two impacts, infinite where there was none since the contact
  // last came to rest.
  double interval(Index contact) const {
    const double interval = bounces_[static_cast<std::size_t>(contact)].interval;
    return interval > 0 ? interval : std::numeric_limits<double>::infinity();
  }
  // When the sequence of its impacts began.
  double began(Index contact) const { return bounces_[static_cast<std::size_t>(contact)].began; }

  // The largest |xⱼ| since the first impact or the last rest, of the states that it was told.
  void see(const Vector& x) {
    if (scale_.size() == 0) scale_ = x.cwiseAbs();
    scale_ = scale_.cwiseMax(x.cwiseAbs());
  }
  void see_nothing_but(const Vector& x) { scale_ = x.cwiseAbs(); }
  const Vector& scale() const { return scale_; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("bounces", bounces_);
    visit("scale", scale_);
  }

 private:
  struct Bounces {
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("last", last);
      visit("interval", interval);
      visit("longest", longest);
      visit("began", began);
      visit("any", any);
    }

    double last = 0;
    double interval = 0;  // 0 while there was none
    double longest = 0;   // since it began
    double began = 0;
    bool any = false;
  };
  std::vector<Bounces> bounces_;
  Vector scale_;
};

}  // namespace slideway
