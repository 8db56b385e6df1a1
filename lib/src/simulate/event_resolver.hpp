// Decides at one point what follows. It splits the surfaces met there into groups that do not see each other, and classifies
// each group. Then it picks the continuation, or reports that there are several.
//
// It must not know how the point was found, nor how steps are taken.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "filippov/corner_solver.hpp"
#include "filippov/point_classifier.hpp"
#include "simulate/several_motions.hpp"
#include "simulate/zero_sides.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

// The surfaces that arrived at one instant: reached from a side, or whose sliding ends.
struct Meeting {
  std::vector<Met> met = {};
  bool at_start = false;  // nothing came before
  // The point is the limit of crossings that accumulate, which shows that it attracts.
  bool is_limit = false;
  // λ of the surfaces met, which all slide, meets another root of w = 0 and does not go on.
  bool root_ends = false;
};

// A surface that is taken to be touched, because errors of the state may have made the dip through it.
struct Dip {
  Index surface = 0;
  double w = 0;            // the component that leads through the surface …
  double turns_after = 0;  // … for about this long …
  double depth = 0;        // … and this far beyond it
  bool same_way = false;   // both fields lead through it and back: it is passed by
};

struct Resolution {
  bool decided = false;  // false: no policy picks one of several motions, or no motion was found
  // Every motion that is possible, where there are several, whether or not the policy picks one of them.
  std::optional<SeveralMotions> several = {};
  bool eventful =
      true;  // false: the mode goes on and there is nothing to report (numerical noise at a surface)
  bool repelling = false;            // the only surface that slides after it repels
  Mode mode = {};                    // what follows, when decided
  Vector lambda = {};                // λ after it: a first guess for the sliding entries
  std::vector<Index> involved = {};  // every surface that was looked at
  // `dips` are the surfaces among them that are taken to be touched.
  std::vector<Dip> dips = {};
  // The state stays on a surface that was met, on whichever side.
  bool rests = false;
  // Both fields of a surface lead through it and back, no farther than the tolerances tell: it is passed by.
  bool passes_by = false;
  EventRecord event = {};
};

class EventResolver {
 public:
  // The references must outlive the resolver.
  EventResolver(Evaluator& evaluator, const RelayStructure& structure, const Options& options);

  // `mode` is the mode before (the entries of surfaces met at a start are ignored) and `lambda` its relays; x is on the
  // surfaces. weights(j) is the reciprocal error scale of state j.
  Resolution resolve(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                     const Meeting& meeting, ConstVectorRef weights);

  // Fills `result`, which is new, as resolve() does, where one surface is met alone, none that slides beside it, and the fields there
  // leave no doubt (PointClassifier::classify_clearly); false elsewhere.
  bool resolve_clearly(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda, const Met& met,
                       const PointClassifier::BothSides& at, ConstVectorRef weights, Resolution& result);

  // The equations change within this time, where the state does not tell (PointClassifier, CornerSolver).
  void set_typical_time(double time) {
    classifier_.set_typical_time(time);
    corners_.set_typical_time(time);
    zero_sides_.set_typical_time(time);
  }
  ZeroSides& zero_sides() { return zero_sides_; }
  // rests() tells whether nothing moves off these few surfaces, all met at x (PointClassifier::rests).
  bool rests(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& surfaces,
             ConstVectorRef weights);

 private:
  // resolve_held() serves break-away: surfaces that are met or slide are held, and their λ counts in their
  // ratios meanwhile.
  Resolution resolve_held(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                          const Meeting& meeting, ConstVectorRef weights);
  // Surfaces that were broken away from resist less from now on; those that still slide, or are met, and see them are asked again, and
  // the first time those that slid before one was crossed. False when nothing changes.
  bool ask_again(double t, ConstVectorRef x, const Mode& before, const Vector& ratios, ConstVectorRef weights,
                 bool first, Resolution& result);
  // The kind and the surfaces of the event, once the mode that follows is known.
  void describe_change(const Mode& before, const Meeting& meeting, Resolution& result) const;
  Resolution resolve_free(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                          const Meeting& meeting, ConstVectorRef weights);
  Resolution decide(double t, ConstVectorRef x, const Mode& mode, ConstVectorRef lambda,
                    const Meeting& meeting, ConstVectorRef weights);
  // The one surface that slides besides this one; negative where none does, or several do.
  static Index other_of_two(const Mode& mode, Index surface);
  // is_met_alone() tells whether one surface is met, and none that slides sees it: so are most.
  bool is_met_alone(const Mode& mode, const Meeting& meeting) const;
  // The answer of decide() for one surface, without the detour over groups; false where it is not unique.
  bool decide_alone(double t, ConstVectorRef x, const Mode& mode, const Met& met, ConstVectorRef weights,
                    Resolution& result);
  // members() returns the surfaces that act and are met, or slide, sorted.
  std::vector<Index> members(const Mode& mode, const Meeting& meeting) const;
  void find_dependent(double t, ConstVectorRef x, const Mode& mode, const Meeting& meeting,
                      ConstVectorRef weights);
  std::vector<Index> take_zero_sides(double t, ConstVectorRef x, const Mode& before, const Meeting& meeting,
                                     ConstVectorRef weights, Resolution& result);
  // The surfaces that start to slide in what follows.
  std::vector<Index> entering(const Mode& mode, const Meeting& meeting, const Resolution& resolution) const;

  // One possible continuation of a group.
  struct Option {
    std::vector<Side> sides = {};
    std::vector<double> lambda = {};
    bool repelling = false;
    // False for the mode that a table names and that no motion of the fields has: it is listed, and no policy picks it.
    bool is_motion = true;
  };
  // The same of one surface alone.
  struct LoneOption {
    Side side = Side::plus;
    double lambda = 0;
    bool repelling = false;
  };
  // side_at_rest() returns the side of a surface on which the state rests; `kept` is the side at hand.
  Side side_at_rest(double t, ConstVectorRef x, Index surface, Side kept, ConstVectorRef weights);
  // dip_of() returns nothing where the point is no dip.
  static std::optional<Dip> dip_of(const ClassifiedPoint& found, Index surface);
  // One surface, and what can follow for it.
  struct Lone {
    ClassifiedPoint found = {};
    std::array<LoneOption, 3> options = {};
    std::size_t count = 0;
    bool unique = false;
    bool touch = false;  // a touch to report although nothing changes
    bool two_fold = false;
    bool rests = false;  // the state stays on the surface, on whichever side
    std::string reason = {};
  };
  // Fills the result where one surface is met alone and its only option follows.
  void tell_alone(double t, ConstVectorRef x, const Mode& mode, Lone&& lone, Index surface,
                  Resolution& result) const;
  // Surfaces that see each other, and what can follow for them.
  struct Group {
    std::vector<Index> surfaces = {};
    std::vector<Option> options = {};
    bool unique = false;
    bool touch = false;  // a touch to report although nothing changes
    std::optional<Dip> dip = {};
    bool two_fold = false;
    bool rests = false;  // the state stays on the surfaces, on whichever sides
    std::vector<double> w_minus = {};
    std::vector<double> w_plus = {};
    std::string reason = {};
    std::optional<std::string> code_word = {};
    std::vector<std::vector<Side>> in_convex_hull = {};
  };

  std::vector<std::vector<Index>> split(double t, ConstVectorRef x, const std::vector<Index>& members,
                                        const Meeting& meeting);
  // λ of the one surface, for an f that is not affine in it; nothing where f vanishes nowhere in [−1, 1].
  std::optional<double> equivalent_control(double t, ConstVectorRef x, Index surface);
  Lone alone(double t, ConstVectorRef x, const Mode& mode, const Met& met, bool at_start,
             ConstVectorRef weights);
  Group single(double t, ConstVectorRef x, const Mode& mode, const Met& met, bool at_start,
               ConstVectorRef weights);
  Group corner(double t, ConstVectorRef x, const Mode& mode, const std::vector<Index>& surfaces,
               const Meeting& meeting, ConstVectorRef weights);
  // groups_met() returns the options of each group of surfaces that act and see each other, and the word of two that do not.
  std::vector<Group> groups_met(double t, ConstVectorRef x, const Mode& mode, const Meeting& meeting,
                                ConstVectorRef weights, std::optional<std::string>& code_word);
  // Takes over what the group does by the option chosen, none if that is negative; the number of surfaces whose sides change.
  std::size_t take(const Group& group, int chosen, const Mode& before, const Meeting& meeting,
                   Resolution& result) const;
  // every_combination() lists combinations of the groups' continuations, up to a number that can be read.
  static std::vector<PossibleMotion> every_combination(const std::vector<Group>& groups, const Mode& mode,
                                                       const Vector& lambda);
  // Takes over the entry of Korobitsyn & Frolova's table for two surfaces, if it is a motion of the fields. Where it is none, the table
  // and the fields say different things: both are listed. Where the table says nothing the fields decide.
  void apply_table(const CornerPoint& point, Group& group) const;
  // The option that the policy picks, or −1.
  int choose(const Group& group, const Mode& mode, bool at_start) const;

  Evaluator& evaluator_;
  const RelayStructure& structure_;
  PointClassifier classifier_;
  CornerSolver corners_;
  ZeroSides zero_sides_;
  Ambiguity policy_;
  double rtol_;
  SlidingRule rule_;
  Selection selection_;
  bool keeps_states_;  // in the records of events
  Vector lambda_;
  std::vector<char> is_member_;
  // Surfaces met that are zero wherever others are, and that these do not see; and those others.
  std::vector<Index> dependent_, independent_;
};

}  // namespace slideway
