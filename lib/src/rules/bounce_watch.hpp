// The impacts of each contact that follow each other ever faster: the time between the last two, when such a sequence began, and how
// large the states have been since the last of these sequences began.
//
// Contacts that throw each other off are in one sequence as long as none of them rests for longer than it has flown.
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

  // An impact of the contact at t; true where it begins a sequence.
  bool note(double t, Index contact) {
    Bounces& bounces = bounces_[static_cast<std::size_t>(contact)];
    const double interval = bounces.any ? t - bounces.last : 0;
    // A longer flight than any before begins a new sequence; so does the first of all.
    bool is_new = !bounces.any;
    if (is_new || is_longer(t, interval, bounces)) {
      is_new = is_new || bounces.longest > 0;
      if (is_new) bounces.began = bounces.any ? bounces.last : t;
      bounces.longest = 0;
    }
    bounces.longest = std::max(bounces.longest, interval);
    bounces.interval = interval;
    bounces.last = t;
    bounces.any = true;
    return is_new;
  }
  // The contact, which was closed, is thrown off at t by another.
  void open(double t, Index contact) {
    Bounces& bounces = bounces_[static_cast<std::size_t>(contact)];
    if (!bounces.any) return;
    if (is_longer(t, t - bounces.last, bounces)) {
      bounces.began = t;
      bounces.longest = 0;
    }
    bounces.last = t;
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
  // When the sequence of its impacts began; infinite where there was none.
  double began(Index contact) const {
    const Bounces& bounces = bounces_[static_cast<std::size_t>(contact)];
    return bounces.any ? bounces.began : std::numeric_limits<double>::infinity();
  }

  // The largest |xⱼ| since forget_states(), of the states that it was told.
  void see(const Vector& x) {
    if (scale_.size() == 0) scale_ = x.cwiseAbs();
    scale_ = scale_.cwiseMax(x.cwiseAbs());
  }
  void forget_states() { scale_.resize(0); }
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
  static bool is_longer(double t, double interval, const Bounces& bounces) {
    return interval > kLongerFlight * bounces.longest + 10 * location_accuracy(t, 0);
  }

  std::vector<Bounces> bounces_;
  Vector scale_;
};

}  // namespace slideway
