// The sentences of the log: the `reason` of every event, each in one place. A rule says what it found, and this file says it in words;
// only the table of one surface (slideway/filippov/classify.hpp) and what a solver notes of its answer are worded where they are.
//
// It must not know the state of a run.
#pragma once

#include <string>

#include "core/number_text.hpp"

namespace slideway::reason {

// ---- events, resets and edges
inline constexpr const char* kCrosses = "the guard crosses zero";
inline constexpr const char* kCarriedPast = "a jump carries the guard past zero";
// This is the reason of an edge that fires on entering its location; messages look for it.
inline constexpr const char* kBeyondAlready = "the guard is beyond zero already";
inline constexpr const char* kStops = "the run ends here, as asked";
inline constexpr const char* kResetChangesNothing = "; the reset leaves the state as it is";
inline std::string acts_at(double t) { return std::string(kCrosses) + "; it acts at t = " + number_text(t); }
inline std::string delay_is_over(double triggered) {
  return "the delay is over; triggered at t = " + number_text(triggered);
}
inline std::string time_has_come(bool changes_nothing) {
  return std::string("its time has come") + (changes_nothing ? "; it leaves the state as it is" : "");
}
inline constexpr const char* kGivenByCaller = "the caller of the run has set what it follows from";

// ---- contacts
inline constexpr const char* kForcePulls = "the force would pull";
inline constexpr const char* kTouchesWithoutSpeed = "touches without speed";
inline constexpr const char* kHeldByContacts = "; what touches holds it there";
inline constexpr const char* kFrictionHolds =
    "the slip comes to zero, and friction within its cone holds it there";
inline constexpr const char* kFrictionAtBound = "the friction that holds comes to the bound of its cone";
inline constexpr const char* kSlipsOtherWay = "the slip comes to zero, and goes on in another direction";
inline std::string approaches(double speed, double restitution) {
  return "approach at " + number_text(speed) + ", restitution " + number_text(restitution);
}

// ---- surfaces whose sides change without a zero
inline constexpr const char* kHasValueAgain = "the guard has a value again; its relay has no effect here";
inline std::string passes_pole(bool jumps, bool has_effect) {
  return std::string(jumps ? "the guard jumps to the other sign" : "the guard changes its sign in a pole") +
         (has_effect ? ", and both fields lead through it" : "; its relay has no effect here");
}

// ---- modes
inline constexpr const char* kSameFields =
    "the fields on both sides are the same and do not leave the surface";
inline constexpr const char* kRests =
    "the state rests on the surface on both sides: the comparison says the side at zero";
inline constexpr const char* kRestsAround =
    "the state rests on the surfaces on all sides: the comparisons say the sides at zero";
inline constexpr const char* kRestsAtRoot =
    "the state rests where a root ends: the field of this side has a value beyond it";
inline constexpr const char* kSameFieldsAround =
    "the fields on all sides are the same and do not leave the surfaces";
inline constexpr const char* kTouches = "a touch within the tolerances";
inline constexpr const char* kNoConsistentMode = "no consistent mode was found: ";
inline constexpr const char* kNotDecided = "a tie that the second derivatives do not decide";
inline constexpr const char* kDependentRelays =
    "the relays' effects on the surfaces are not independent, and the fields that hold them differ";
inline constexpr const char* kMoreModes = "; the relays' effects are not independent, there may be more";
inline constexpr const char* kRepellingIntersection =
    "repelling intersection: the only consistent mode slides on it and nothing shows that it attracts";
inline constexpr const char* kNotShownUnique = "a consistent mode; ";
inline constexpr const char* kOnlyMode = "the only consistent mode";
inline constexpr const char* kRelaysEnd = "the relays that it slid with have no value beyond this point; ";
inline constexpr const char* kUnique = "surfaces that do not see each other, each with one consistent mode";
inline constexpr const char* kNotAffine =
    "; f is not affine in lambda: the sliding field combines the corners";
inline constexpr const char* kBrokenAway = "; with that surface broken away: ";
// The depth of a dip that counts as a touch, by the step, or as integrated again; `component` is "w- = …".
inline std::string touched(const std::string& component, double depth, bool is_integrated,
                           double counts_from) {
  return std::string(kTouches) + ": with " + component + " it " +
         (depth > 0 ? "goes " + number_text(depth) + " beyond the surface and back"
                    : "turns " + number_text(-depth) + " before the surface") +
         (is_integrated ? " by an integration with smaller errors" : "") + ", and a dip counts from " +
         number_text(counts_from) + " on";
}

// ---- Korobitsyn and Frolova's table, for a code word and the mode that it names
inline std::string by_table(const std::string& code_word, const std::string& says) {
  return "Korobitsyn & Frolova's table, W = " + code_word + ": " + says;
}
inline constexpr const char* kTableIsSilent = "it does not say which region follows; ";
inline constexpr const char* kTableNotFollowed = ", which no combination of the fields follows; ";
inline constexpr const char* kTableLeavesAtOnce = ", which the fields leave at once; ";
inline constexpr const char* kTableNotConsistent = ", although it is not consistent";
inline std::string table_is_consistent(bool only) {
  return std::string(", which is ") + (only ? kOnlyMode : "one of the consistent modes");
}

// ---- between two locations
inline constexpr const char* kEdgesUndo =
    "the two edges undo each other: the guard attracts from both locations";
inline constexpr const char* kOneModeBetween =
    "the guard crosses zero; it and the surfaces met there have one consistent mode";
inline constexpr const char* kTouchesBetween =
    "the guard only touches zero: both locations lead back to the side it came from";

// ---- sliding of second and higher order, which `order` names
inline std::string turns_back(const std::string& order) {
  return "both fields turn back where they have no speed across the surface: sliding of " + order;
}
inline std::string has_no_field(const std::string& order) {
  return "the fields have no value in the point that nobody can tell from this one, and stay there: sliding "
         "of " +
         order;
}
inline std::string comes_to_stay(const std::string& order) {
  return "what slides ends where the speed across the surface is zero, too, and stays there: sliding of " +
         order;
}
inline std::string order_ends(const std::string& order) {
  return ", of its speed: sliding of " + order + " ends";
}
inline std::string stay_zero(bool several, const std::string& order) {
  return std::string(several ? "; the surfaces and their speeds stay zero"
                             : "; the surface and its speed stay zero") +
         ": sliding of " + order;
}

// ---- limits of series of events
inline constexpr const char* kFlightsUnseen =
    "crossings come so fast that nobody sees the flights between them";
inline std::string each_turn_takes(double ratio) {
  return "each turn takes " + number_text(ratio) + " of the time of the one before";
}
inline std::string accumulate(const char* what, double ratio) {
  return std::string(what) + " accumulate: " + each_turn_takes(ratio);
}
inline std::string limit_within(double error, double t) {
  return "; the limit is within " + number_text(error) + " of t = " + number_text(t);
}
inline std::string comes_to_rest(double remaining) {
  return "impacts accumulate: those that are left take " + number_text(remaining) +
         " of time, and are below the tolerances";
}

}  // namespace slideway::reason
