// The continuations of a system at a point where several coupled surfaces are met at once, the relays of all others frozen:
// of few surfaces all of them, from the vertex table of the fields at the 2ᵃ corners; of many one consistent mode, from
// the relays' complementarity problem.
//
// Continuations with the same velocity are one. It must not know integrators or how the point was found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "filippov/corner.hpp"
#include "filippov/korobitsyn_frolova.hpp"
#include "filippov/relay_network.hpp"
#include "filippov/sliding_solver.hpp"
#include "filippov/surface_geometry.hpp"
#include "slideway/filippov/sliding_rule.hpp"

namespace slideway {

inline constexpr Index most_enumerated_surfaces = 6;

struct CornerPoint {
  std::vector<Index> surfaces = {};
  VertexTable table = {};  // empty where the surfaces are too many to enumerate
  CornerAnswer answer = {};
  // uniqueness_not_shown says why a continuation found without enumeration may not be the only one; it is empty
  // where it is.
  std::string uniqueness_not_shown = {};
  // w_minus and w_plus are w with this one relay at −1 and +1, where there is exactly one continuation.
  Vector w_minus = {};
  Vector w_plus = {};
  // The only mode that is consistent slides along the intersection, and motions that turn round the intersection leave it: through
  // these regions, which are among the continuations.
  bool repelling_intersection = false;
  // Several λ of one mode, a continuum of them, hold its surfaces by different fields; two such λ are among the continuations.
  bool undetermined = false;
  // half_branches exist for two surfaces only.
  std::optional<HalfBranches> half_branches = {};
  // Modes of which the full convex hull of the fields admits motions other than the continuations.
  std::vector<std::vector<Side>> in_convex_hull = {};
};

// The sizes that a corner is measured by; each may be empty, and is not known then.
struct CornerSizes {
  // A λ in [−1, 1], per surface of the corner: of several λ of one motion the one nearest to it is found, nearest to 0 without it.
  Vector near = {};
  // The sizes of the states, by which points are moved to see the rounding of f; |x| without them.
  Vector states = {};
};

class CornerSolver {
 public:
  // The references must outlive the solver.
  CornerSolver(Evaluator& evaluator, const RelayStructure& structure,
               SlidingRule rule = SlidingRule::filippov);

  // The time in which the equations change where the motion, at rest, does not tell; 1 at first.
  void set_typical_time(double time) { typical_time_ = time; }

  // `ends` flags the surfaces whose sliding was found to end here (one flag per entry of `surfaces`); x is on
  // all of them. `lambda` holds the relays before: frozen for the other surfaces, a first guess for these where
  // they are many. `error` is the accuracy of the state, per state; it is empty where the state is exact.
  // `root_ends` says that the root `lambda` of all these surfaces meets another root and ends; it serves few
  // surfaces only.
  CornerPoint solve(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& surfaces,
                    const std::vector<char>& ends, const Vector& error = Vector(), bool root_ends = false,
                    const CornerSizes& sizes = {});

  // Korobitsyn & Frolova's, of two surfaces, whether or not they see each other.
  std::string code_word(double t, ConstVectorRef x, ConstVectorRef lambda,
                        const std::vector<Index>& surfaces);

  // groups() finds which of `surfaces` see each other where the system does not tell its patterns. It compares w
  // for one relay at both ends while the others are in general position.
  std::vector<std::vector<Index>> groups(double t, ConstVectorRef x, ConstVectorRef lambda,
                                         const std::vector<Index>& surfaces);

 private:
  // A corner of few surfaces: w and the fields at its vertices, and what counts as zero there.
  struct Vertices {
    VertexTable table = {};
    Matrix fields = {};  // one column per vertex
    Vector sizes = {};   // the largest |f| of them, per state
    CornerOptions options = {};
    std::vector<char> second_order = {};  // flags the rows of the table that are of ḧ
    bool any_second = false;
    std::optional<HalfBranches> half_branches = {};  // of two surfaces
  };
  // Modes that differ in how they move, and the velocity of each.
  struct Motions {
    CornerAnswer answer = {};
    std::vector<Vector> velocities = {};
    bool any_continuum = false;
  };
  CornerPoint enumerate(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                        const std::vector<char>& ends, const Vector& error);
  Vertices look_at_vertices(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                            const std::vector<char>& ends, const Vector& error);
  void count_instant_out(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& error,
                         Vertices& vertices);
  Motions find_motions(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                       const Vertices& vertices);
  // Describes the only continuation.
  static void describe_only(const Vertices& vertices, CornerPoint& point);
  CornerPoint solve_network(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                            const std::vector<char>& ends, const Vector& error);
  // corner_field() sets velocity_ and rates_ to the field and all normal components at the vertex lambda_,
  // beside x where they are not finite.
  void corner_field(double t, ConstVectorRef x);
  // The vertex table and the fields, one column per vertex; w_zero what counts as zero in w.
  void tabulate(double t, ConstVectorRef x, const std::vector<Index>& surfaces, VertexTable& table,
                Matrix& fields, Vector& w_zero);
  // Rows of surfaces that no relay moves at first order (wᵢ = 0 for every λ, as far as the state and the guard are known) become
  // ḧᵢ; flags them.
  std::vector<char> take_second_derivatives(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                            const Vector& error, VertexTable& table, Vector& w_zero);
  // is_hidden_at_turn() tells whether a guard turns so near to this point that its values do not show its rate, as those of log(1 + x²)
  // do not within √ε of x = 0: ḣ²/(2|ḧ|) is below its rounding.
  bool is_hidden_at_turn(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local,
                         Index entry, double rate);
  // The change of w, per surface, that an error of the state makes with these λ.
  Vector rate_errors(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local,
                     const Vector& error);
  // d/dt of the rows of the table along the motion with these relays held.
  Vector row_rates(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                   const std::vector<char>& second_order, const Vector& local);
  // other_motion() looks among all λ that hold the surfaces of a mode whose relays are dependent for one with another velocity.
  // It returns nothing where every such λ gives the same motion. `velocity` is that of the continuation, and then of the other one.
  std::optional<Continuation> other_motion(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                           const Vertices& vertices, const Continuation& continuation,
                                           Vector& velocity);
  // Velocities that differ by no more, per state, are those of one motion; `sizes` holds the largest |f|, per state.
  Vector same_velocity(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& sizes);
  // leave_unheld() treats surfaces on which the continuation slides while their relays have no effect. It leaves
  // them by a power of time so high that neither w nor ẇ shows it, as h = ±t³. They take the side on which the
  // motion is a short way ahead.
  void leave_unheld(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vertices& vertices,
                    Continuation& continuation);
  // The larger |f| of those with all these relays at −1 and at +1, per state.
  Vector field_sizes(double t, ConstVectorRef x, const std::vector<Index>& surfaces);
  // leave_unheld() for many surfaces, of which a network of relays has told the mode. `w_zero` is what counts as zero in w.
  void leave_unheld(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& error,
                    const Vector& w_zero, RelaySolution& solution);
  // The sizes of w, or of ḧ where the flag says so, per surface.
  struct RowSizes {
    Vector largest = {};
    std::vector<char> second_order = {};
  };
  // leave_ahead() puts those of `asked`, in ascending order, whose relays have no effect on the sides ahead, and returns the entries
  // that have left their surfaces. `sizes` holds the largest |f|, per state.
  std::vector<Index> leave_ahead(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                 const std::vector<Index>& asked, const Vector& sizes, const RowSizes& rows,
                                 Continuation& continuation);
  // has_no_effect() tells whether the field is the same, whatever this relay does beside `local`.
  bool has_no_effect(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local,
                     Index entry, const Vector& sizes);
  // The side of each of `surfaces` to which the motion goes that slides on `sliding` of them, as far as a short way along it tells.
  std::vector<Side> sides_ahead(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                const std::vector<Index>& sliding, const RowSizes& rows, const Vector& local);
  // The guards of `surfaces` at the end of that way; empty where the motion cannot be followed.
  Vector guards_ahead(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local,
                      double duration, int steps);
  void apply_moments(const VertexTable& table, const CornerOptions& options, CornerAnswer& answer) const;
  void apply_equivalent_control(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                                const CornerOptions& options, CornerAnswer& answer);
  // The velocity of a continuation under the rule; leaves lambda_ there.
  Vector velocity_of(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                     const Continuation& continuation, const VertexTable& table, const Matrix& fields);
  void set_relays(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local);
  Vector curvatures(double t, ConstVectorRef x, const std::vector<Index>& surfaces, const Vector& local);

  Evaluator& evaluator_;
  SurfaceGeometry geometry_;
  SlidingSolver sliding_;
  SlidingRule rule_;
  double typical_time_ = 1;
  bool root_ends_ = false;
  CornerSizes sizes_;
  Vector lambda_, velocity_, rates_, curvatures_, gradient_;
  VertexTable word_table_;
  Vector inside_;
};

// take_corners() lets the evaluator combine the corners of f where f is not affine in each of these relays: at an interior λ f itself
// would be Utkin's answer, not Filippov's. It looks at one point, with these relays somewhere inside [−1, 1] and all others as in
// `lambda`, and returns whether the evaluator has begun to.
bool take_corners(Evaluator& evaluator, double t, ConstVectorRef x, ConstVectorRef lambda,
                  const std::vector<Index>& surfaces);

}  // namespace slideway
