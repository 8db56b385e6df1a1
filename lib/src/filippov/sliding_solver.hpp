// The λ of sliding along several surfaces at once: w_S(t, x, λ) = 0 over the sliding entries S, the others fixed at ±1.
//
// λ is not clipped, so that it is a smooth function of x beyond the ends of the sliding region. The Newton matrix
// D = ∂w_S/∂λ_S is kept from call to call; where f is affine in λ one step with it is exact. w_i is affine in each λⱼ, so
// D is had without error from the two ends of each relay; relays that share no component share an evaluation.
//
// Where D is singular (dependent_relays.hpp) it splits into its connected components, and in a singular one
//     a wᵢ that no relay moves is replaced by ḧᵢ,
//     as many equations and relays as its rank are kept, and the other relays stay at the λ given on entry.
// The equations left out hold wherever the classification found that the mode is consistent.
//
// A surface along which the field of one side rests, whatever the other relays are, as that of a full store whose spill is all that comes
// in beyond what goes out, has λᵢ = ±1 of that side. Its wᵢ is zero and λᵢ no unknown: Dᵢᵢ, which is what that relay holds back, may
// come to zero and change its sign without an end of the motion.
//
// Where f has products of relays w = 0 has several roots. The one of the mode is followed from point to point: a root counts
// only where Newton's method finds it by matrices D to which a straight way leads from the last one without a singular one, with
// points between where it does not. So λ never goes over to another root, and there is none beyond the point where the root of
// the mode meets another.
//
// It must not know integrators or which mode to choose.
#pragma once

#include <cmath>
#include <vector>

#include "core/factorise.hpp"
#include "filippov/exit_numerators.hpp"
#include "filippov/relay_structure.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

class SlidingSolver {
 public:
  // The references must outlive the solver.
  SlidingSolver(Evaluator& evaluator, const RelayStructure& structure);

  // use_exact_derivatives() takes D from ∂f/∂λ at the point instead of from the ends of the relays, for an f
  // that is not affine in λ.
  void use_exact_derivatives() { exact_ = true; }
  // Forgets the Newton matrix, and whether D is singular.
  void set_sliding(const std::vector<Index>& sliding);
  const std::vector<Index>& sliding() const { return sliding_; }

  // solve() expects ±1 in the entries of λ that do not slide and a first guess in the others. On success dx =
  // f(t, x, λ) with w_S = 0 to rounding. It returns false when Newton's method fails (a singular D, values that
  // are not finite). dx need not be finite unless the call `looks`.
  bool solve(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx, bool looks = true);

  // λ alone, as good as that of solve(), by fewer evaluations: by one where w is affine with the same coefficients everywhere.
  bool solve_relays(double t, ConstVectorRef x, VectorRef lambda);

  // solve_exits() serves the watch for exits: ratio[k] = δ and product[k] = δλ of the k-th sliding surface
  // (exit_numerators.hpp) have no pole. δ is 1 at the first call in a mode, and stays 1 if D is the same
  // everywhere or depends on λ. In the last case the root of the mode is followed, and ends before λ has a pole.
  // λ is a guess on entry, and need not change.
  bool solve_exits(double t, ConstVectorRef x, VectorRef lambda, Vector& ratio, Vector& product);
  // Returns true once solve_exits() has found in this mode that δ changes from point to point.
  bool effects_vary() const { return effects_ == Effects::varying; }

  // is_dependent() tells whether D was singular when it was first looked at in this mode.
  bool is_dependent() const { return reduced_.dependent; }

  // ending() lists the surfaces in whose relays the last known root of the mode differs from the root that it
  // meets, as far as that can be told. It is empty elsewhere.
  std::vector<Index> ending();
  // λ of that root.
  const Vector& known_relays() const { return branch_.known.lambda; }

  // D at (t, x, λ), k×k in the order of sliding().
  Eigen::SparseMatrix<double> normal_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda);
  // The same as its entries, not sorted. Valid until the next call of a member.
  const std::vector<Eigen::Triplet<double>>& couplings(double t, ConstVectorRef x, ConstVectorRef lambda) {
    entries(t, x, lambda);
    return newton_.triplets;
  }

 private:
  // solve_from() goes from `lambda` to wherever Newton's method leads.
  bool solve_from(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx);
  // Effects tells what D depends on, or the reduced matrix that replaces a singular D.
  enum class Effects { unknown, constant, varying, of_relays };
  Effects effects_at(double t, ConstVectorRef x, ConstVectorRef lambda);
  // has_products() tells whether D depends on λ.
  bool has_products(double t, ConstVectorRef x, ConstVectorRef lambda);
  // The root of the mode at (t, x), from where it was known last.
  bool follow(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx);
  // solve_near() returns false where that takes a matrix that the one where the root was known last does not
  // lead to.
  bool solve_near(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx);
  // leads_from_known() tells whether the roots on the way from the known one, whose D becomes this one, are one
  // branch.
  bool leads_from_known(const Matrix& matrix) const;
  bool middle_leads(double t, ConstVectorRef x, ConstVectorRef lambda);
  void keep_root(double t, ConstVectorRef x, ConstVectorRef lambda);
  void keep_factors();
  // D at the known root itself.
  bool keep_matrix();
  bool is_in_bounds(ConstVectorRef lambda) const;
  // solve_apart() solves for λ in one pass over the sliding surfaces, where D is diagonal and constant over all
  // surfaces.
  bool solve_apart(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx, bool looks);
  void learn_effects(const Eigen::SparseMatrix<double>& columns);
  bool effects_are_usable(const Eigen::SparseMatrix<double>& columns);
  void list_singles();
  void prepare();
  // find_equations() sets newton_.triplets to D, or to its stand-in; it returns false where that is not finite.
  bool find_equations(double t, ConstVectorRef x, ConstVectorRef lambda);
  bool refresh(double t, ConstVectorRef x, ConstVectorRef lambda);
  template <class Visit>
  void for_entries(const Visit& visit) const;
  void entries(double t, ConstVectorRef x, ConstVectorRef lambda);
  const Eigen::SparseMatrix<double>* linear_columns(double t, ConstVectorRef x, ConstVectorRef lambda);
  void constant_entries(const Eigen::SparseMatrix<double>& columns);
  bool step(Vector& correction);
  void correct(VectorRef lambda) const;
  double scaled_residual() const;
  // find_resting() looks for the surfaces along which the field of one side rests, once in a mode. Each is asked at points beside, with
  // generic values of the other relays.
  void find_resting(double t, ConstVectorRef x, ConstVectorRef lambda);
  // rests_still() tells whether those fields rest at the point of dx, too.
  bool rests_still(double t, ConstVectorRef x, ConstVectorRef dx);
  void forget_resting();
  void hold_resting(VectorRef lambda) const;
  bool is_resting(Index entry) const {
    return resting_.any && resting_.bound[static_cast<std::size_t>(entry)] != 0;
  }
  // Looks for singular components of D and chooses what stands in for them.
  void choose_equations(double t, ConstVectorRef x, ConstVectorRef lambda);
  // The same in one of them, given D over its members unless that is large.
  void choose_in_component(double t, ConstVectorRef x, ConstVectorRef lambda,
                           const std::vector<Index>& members, Matrix& matrix);
  // ∂ḧᵢ/∂λⱼ, i and j being entries of sliding().
  double second_order_entry(double t, ConstVectorRef x, ConstVectorRef lambda, Index row, Index column);
  void reduce_entries(double t, ConstVectorRef x, ConstVectorRef lambda);
  void find_residual(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx);

  // Larger systems of equations are solved as sparse ones.
  static constexpr Index kLargestDense = 48;

  // A surface that depends on one state, and whose relay is seen by one: most do, and are.
  struct Single {
    bool is_one = false;
    int state = 0, row = 0;
    double slope = 0, by_time = 0, effect = 0, value = 0;
  };
  // Singles holds the same numbers by columns for the sliding surfaces, in the order of sliding_, where all are
  // of this kind.
  struct Singles {
    std::vector<int> state = {}, row = {};
    std::vector<double> slope = {}, by_time = {}, effect = {}, value = {}, correction = {};
  };
  // Apart holds where no surface sees the relay of another one.
  struct Apart {
    bool holds = false;
    Vector effects = {};               // Dᵢᵢ of all surfaces, once known, where D is constant
    bool looked_at = false;            // in this mode
    bool usable = false;               // those of the surfaces that slide
    bool all_single = false;           // and so are they
    std::vector<Single> singles = {};  // per surface
    Singles sliding = {};
  };
  // Per entry of sliding(): ±1 where the field of that side rests and 0 elsewhere, and the largest wᵢ seen with the relay within.
  struct Resting {
    bool looked_for = false;
    bool any = false;
    std::vector<double> bound = {}, size = {};
  };
  // One row of what is solved, and the sliding entry that is its own.
  struct Equation {
    Index row = 0;                   // in sliding_
    bool second_order = false;       // ḧ instead of w
    std::vector<Index> relays = {};  // in sliding_: those of its component, where it is of second order
  };
  // The equations that are solved in place of a dependent D.
  struct Reduced {
    bool chosen = false;
    bool dependent = false;
    std::vector<Equation> equations = {};
    std::vector<Index> unknowns = {};                                 // in sliding_
    std::vector<Index> equation_of_row = {}, unknown_of_column = {};  // or −1, per entry of sliding_
    bool any_second_order = false;
  };
  // The last point where the root of the mode was found, and D near it.
  struct KnownRoot {
    double t = 0;
    Vector x, lambda;
    Eigen::PartialPivLU<Matrix> factors;
    Vector inverse_scale;  // of the rows that were factored
  };
  // The root that is followed where there are products of relays.
  struct Branch {
    bool looked_for = false;
    bool follows = false;
    bool replaced = false;  // the factors at hand are not those
    KnownRoot known = {};
    Vector point = {};
  };
  // D, or what stands in for it, and its factors.
  struct Equations {
    bool prepared = false;  // for Newton's method, which surfaces that are apart do without
    bool diagonal = false;
    bool valid = false;
    bool linear = false;  // w is affine in λ, and the matrix at hand is the same everywhere
    std::vector<Eigen::Triplet<double>> triplets = {};
    Vector diagonal_values = {}, scale = {}, inverse_scale = {};
    Matrix dense = {};
    Eigen::PartialPivLU<Matrix> dense_factors = {};
    Eigen::SparseMatrix<double> sparse = {};
    Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse_factors = {};
  };
  // Buffers serve one function at a time.
  struct Buffers {
    Vector lambda_high, lambda_low, dx, rates, rates_high, rates_low, residual, correction, curvatures,
        relays, ratio, product, guess;
  };

  Evaluator& evaluator_;
  const RelayStructure& structure_;
  std::vector<Index> sliding_;
  std::vector<Index> position_;  // in sliding_, or −1, per surface
  bool exact_ = false;
  Apart apart_;
  Resting resting_;
  Reduced reduced_;
  Effects effects_ = Effects::unknown;
  ExitNumerators numerators_;
  Branch branch_;
  Equations newton_;
  Vector velocity_;
  Buffers buffers_;
};

}  // namespace slideway
