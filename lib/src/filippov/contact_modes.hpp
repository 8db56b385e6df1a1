// How the contacts of a system are at one time: which are closed, and of those with friction in a plane which stick, and in which
// direction the others slip. A value: it is compared, copied, and part of the regime of a run.
//
// It must not know forces, nor what decides how contacts go on.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "slideway/model/contact.hpp"

namespace slideway {

// PlaneFriction tells how the friction of a contact goes on while it is closed.
struct PlaneFriction {
  bool sticks = false;
  bool breaks_away = false;
  bool begins = false;                                  // to slip with no acceleration
  double lag = 0;                                       // |m'|/α there
  double reach = 0;                                     // ε; 0: none
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  // of slip, where the velocity does not tell it
  double rounding = 0;                                  // of the speed, below which it does not
  double slow = 0;                                      // a speed that is one of errors
  double unseen = 0;                                    // by which v may be aside where slip begins
  bool ends = false;                                    // slow, and friction would hold it
  bool has_stopped = false;                             // it has been so for a step

  bool begins_to_slip() const { return begins && !sticks; }
  // A speed of slip up to `slow_speed` is one of errors. Slip that begins is followed as well as to `unseen_speed`.
  void set_errors(double slow_speed, double unseen_speed) {
    slow = slow_speed;
    unseen = unseen_speed;
    if (!begins) reach = 0;
    if (begins && reach == 0 && lag > 0) reach = std::sqrt(unseen / lag);
  }
  bool operator==(const PlaneFriction&) const = default;

  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("sticks", sticks);
    visit("breaks_away", breaks_away);
    visit("begins", begins);
    visit("lag", lag);
    visit("reach", reach);
    visit("along_first", direction[0]);
    visit("along_second", direction[1]);
    visit("rounding", rounding);
    visit("slow", slow);
    visit("unseen", unseen);
    visit("ends", ends);
    visit("has_stopped", has_stopped);
  }
};

struct ContactModes {
  std::vector<Index> closed = {};             // sorted
  std::vector<PlaneFriction> frictions = {};  // of every contact; empty where none has friction in a plane

  ContactModes() = default;
  // All of them are open.
  explicit ContactModes(const std::vector<Contact>& contacts) {
    const bool any_in_plane = std::any_of(contacts.begin(), contacts.end(),
                                          [](const Contact& one) { return one.cone.has_value(); });
    if (any_in_plane) frictions.resize(contacts.size());
  }

  bool is_closed(Index contact) const { return std::binary_search(closed.begin(), closed.end(), contact); }
  bool sticks(Index contact) const {
    return !frictions.empty() && frictions[static_cast<std::size_t>(contact)].sticks;
  }
  PlaneFriction& friction(Index contact) { return frictions[static_cast<std::size_t>(contact)]; }
  const PlaneFriction& friction(Index contact) const { return frictions[static_cast<std::size_t>(contact)]; }
  // A copy in which these contacts are the closed ones.
  ContactModes with(std::vector<Index> closed_contacts) const {
    ContactModes changed = *this;
    changed.closed = std::move(closed_contacts);
    std::sort(changed.closed.begin(), changed.closed.end());
    return changed;
  }
  bool operator==(const ContactModes&) const = default;

  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("closed", closed);
    visit("frictions", frictions);
  }
};

}  // namespace slideway
