// The rules of sliding of second order: whether the solution stays on surfaces that it comes to with no speed across them, where that
// speed does not depend on the side, as a body at rest on its base, or the sliding variable of a super-twisting controller.
//
//     h = 0,  w = ∂h/∂t + ∂h/∂x·f = 0,      λ from dw/dt = 0
//
// w takes the place of the guards in a system of its own (SystemDefinition::second_order), along which the solution slides as along
// any surface; h is kept at zero by projection, and a surface is left where its λ comes to its bounds. In higher order the first
// derivative of h in which λ has a part takes the place of dw/dt. Those below it are kept at zero. Surfaces that are zero with
// these, as that of terminal sliding in the point where it ends, go with them.
//
// Each rule returns how the solution stays, or nothing. It must not know what becomes of that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/instant.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// The solution slides in second order along `surfaces`, those that it slides along already among them.
struct Stay {
  LocationTools* tools = nullptr;  // that follow it there
  std::vector<Index> surfaces = {};
  std::vector<Index> coming = {};          // those among them that are new
  Vector state = {};                       // with no speed across them
  Resolution resolution = {};              // in these tools
  std::optional<EventRecord> record = {};  // begun, where the rule says what the log tells
};

class SecondOrderRules {
 public:
  // The references must outlive them.
  SecondOrderRules(RunState& now, const Instant& instant) : now_(now), instant_(instant) {}

  // begins() handles surfaces `coming` to which the solution has come with no speed across them: it slides along those that do not hold
  // by their relays. `met` are those it is on now.
  std::optional<Stay> begins(std::vector<Index> coming, const std::vector<Index>& met) const;
  // turns_back() does so in two cases. The surfaces met leave open what follows, or are a two-fold, whatever the
  // policy. Or the solution comes to slide on surfaces, or only touches them, between fields that do not differ
  // across them.
  std::optional<Stay> turns_back(const Resolution& resolution, const Meeting& meeting) const;
  // is_there() handles a solution that is in a point of such surfaces without having come there.
  std::optional<Stay> is_there(const Meeting& meeting) const;
  // goes_on() handles a jump that leaves these surfaces and the speeds across them as they were.
  std::optional<Stay> goes_on(const Meeting& meeting) const;
  // ends_in_point() handles sliding that ends in a point at which a surface is met with no speed, as terminal sliding does. Surfaces
  // that the integrator cannot tell from that point are met too.
  std::optional<Stay> ends_in_point(const Meeting& meeting) const;
  // has_no_field_near() handles a state that the integrator cannot tell from a point in which the field has no
  // value and the solution can stay.
  std::optional<Stay> has_no_field_near() const;

 private:
  // stays() does the same as begins(), whatever the relays do.
  std::optional<Stay> stays(std::vector<Index> coming, const std::vector<Index>& met) const;
  // ends_with() tells whether what slides ends in a point of these surfaces, and stays there.
  std::optional<Stay> ends_with(const std::vector<Index>& surfaces, const std::vector<Index>& met) const;

  // The log tells how it comes to stay, for this reason.
  void begin_record(Stay& stay, std::string reason) const;

  RunState& now_;
  const Instant& instant_;
};

}  // namespace slideway
