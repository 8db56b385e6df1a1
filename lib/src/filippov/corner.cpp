#include "filippov/corner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/factorise.hpp"
#include "core/patternless.hpp"
#include "filippov/dependent_relays.hpp"
#include "filippov/p_matrix.hpp"
#include "filippov/sliding_roots.hpp"

namespace slideway {

namespace {

// A root within this distance counts as the root that has ended here, or as the one that it has met. The place
// where it ended is known less closely.
constexpr double kEnded = 0.05;
// Components below this part of the largest, and relays this near to their bound, are looked at more closely.
constexpr double kSuspicious = 1e-6;

// A motion beside a corner has come to it, or has left it, when its distance has changed by this factor.
constexpr double kFarAway = 1e3;
// Enough stretches for a factor of 1.03 a turn of four.
constexpr int kMostStretches = 1000;

// w of some surfaces as a function of their own relays, the others fixed.
Matrix table_over(const VertexTable& table, const std::vector<Index>& surfaces, const Vector& lambda) {
  const auto k = static_cast<Index>(surfaces.size());
  Matrix w(k, Index{1} << k);
  Vector point = lambda;
  for (Index v = 0; v < w.cols(); ++v) {
    for (Index i = 0; i < k; ++i) point[surfaces[at(i)]] = (v >> i) & 1 ? 1 : -1;
    w.col(v) = interpolate(table, point)(surfaces);
  }
  return w;
}

// λ̇ over the sliding entries with Dλ̇ = −ḧ, no λ on its bound going out; where D is regular, whatever it is.
std::optional<Vector> relay_rates(const Matrix& jacobian, const Vector& second, const Vector& lambda,
                                  const std::vector<char>& on_bound, bool dependent,
                                  const CornerOptions& options) {
  if (!dependent) return Vector(-jacobian.fullPivLu().solve(second));
  const Index k = lambda.size();
  // The right-hand sides of the rows are about 1 in this unit, whatever time is measured in.
  double unit = 1 / options.typical_time;
  double smallest = INFINITY;
  for (Index i = 0; i < k; ++i) {
    const double size = jacobian.row(i).lpNorm<Eigen::Infinity>();
    if (!(size > 0)) continue;
    smallest = std::min(smallest, size);
    unit = std::max(unit, std::abs(second[i]) / size);
  }
  if (!std::isfinite(unit)) return std::nullopt;
  const Vector asked = -second / unit;
  const double largest = asked.lpNorm<Eigen::Infinity>();
  // Wide enough for any of these rates.
  const double wide = std::isfinite(smallest) ? 1e3 * (1 + largest / smallest) : 1;
  Vector lower = Vector::Constant(k, -wide);
  Vector upper = Vector::Constant(k, wide);
  for (Index i = 0; i < k; ++i) {
    if (on_bound[static_cast<std::size_t>(i)]) (lambda[i] > 0 ? upper : lower)[i] = 0;
  }
  const double accuracy = options.rate_accuracy;
  std::optional<Vector> rates =
      smallest_in_box(jacobian, asked, lower, upper, Vector::Constant(k, accuracy * (1 + largest)), accuracy);
  if (rates) *rates *= unit;
  return rates;
}

// A mode with one of its roots, and what is still open about it.
struct Candidate {
  std::vector<Side> sides = {};
  std::vector<Index> sliding = {};
  Vector lambda = {};
  Matrix unseen = {};  // over the sliding entries
  Vector w = {};
  Matrix jacobian = {};
  // Sliding entries whose λ is on its bound, and others whose w is zero: the next derivative decides.
  std::vector<Index> on_boundary = {};
  std::vector<Index> stationary = {};

  bool dependent() const { return unseen.cols() > 0; }
  bool slides_on(Index i) const { return sides[at(i)] == Side::sliding; }
  bool is_on_boundary(Index i) const {
    return std::find(on_boundary.begin(), on_boundary.end(), i) != on_boundary.end();
  }
};

// d/dt of λ and of w along a candidate.
struct Rates {
  Vector lambda = {};
  Vector w = {};
  // Rates at or below these are zero.
  double lambda_zero = 0;
  Vector w_zero = {};
};

// A power of two near the size of each row, so that no digit is lost: guards have units of their own.
Vector row_units(const Matrix& w) {
  Vector units = Vector::Ones(w.rows());
  for (Index i = 0; i < w.rows(); ++i) {
    const double size = w.row(i).cwiseAbs().maxCoeff();
    if (size > 0 && std::isfinite(size)) units[i] = std::ldexp(1.0, std::ilogb(size));
  }
  return units;
}

class CandidateSearch {
 public:
  CandidateSearch(const VertexTable& table, const CornerOptions& options, const CurvatureFunction& curvature)
      : table_(table),
        options_(options),
        curvature_(curvature),
        surfaces_(table.surfaces()),
        units_(row_units(table.w)) {
    table_.w.array().colwise() /= units_.array();
    w_zero_ = options.w_zero.cwiseQuotient(units_);
    sizes_ = table_.w.cwiseAbs().rowwise().maxCoeff();
    tie_ = Vector::Zero(surfaces_);
    if (options.lambda_tie.size() > 0) tie_ = options.lambda_tie;
    near_ = Vector::Zero(surfaces_);
    if (options.near.size() > 0) near_ = options.near;
    hardly_left_ = Vector::Zero(surfaces_);
    if (options.hardly_left.size() > 0) hardly_left_ = options.hardly_left.cwiseQuotient(units_);
  }

  CornerAnswer all() {
    const Vector slack = tie_.cwiseMax(options_.lambda_zero);
    search(slack);
    // A relay a little beyond its bound may be on its way in.
    if (answer_.continuations.empty() && hardly_left_.maxCoeff() > 0) search(slack.cwiseMax(kSuspicious));
    return std::move(answer_);
  }

 private:
  void search(const Vector& slack) {
    Index modes = 1;
    for (Index i = 0; i < surfaces_; ++i) modes *= 3;
    for (Index number = 0; number < modes; ++number) {
      Candidate candidate;
      Vector fixed(surfaces_);
      Index rest = number;
      for (Index i = 0; i < surfaces_; ++i) {
        const Side side = static_cast<Side>(rest % 3 - 1);
        rest /= 3;
        candidate.sides.push_back(side);
        fixed[i] = static_cast<double>(static_cast<signed char>(side));
        if (side == Side::sliding) candidate.sliding.push_back(i);
      }
      for (SlidingRoot& root :
           all_sliding_roots(table_, candidate.sliding, fixed, near_, w_zero_, slack, answer_.incomplete)) {
        candidate.lambda = fixed;
        candidate.lambda(candidate.sliding) = root.lambda;
        candidate.unseen = std::move(root.unseen);
        // A mode that leaves a surface is another motion, however near its relays are.
        if (options_.ended.size() > 0 && static_cast<Index>(candidate.sliding.size()) == surfaces_ &&
            (candidate.lambda - options_.ended).lpNorm<Eigen::Infinity>() <= kEnded)
          continue;
        if (is_consistent(candidate)) accept(candidate);
      }
    }
  }

  bool is_consistent(Candidate& candidate) {
    candidate.w = interpolate(table_, candidate.lambda);
    candidate.jacobian = lambda_jacobian(table_, candidate.lambda);
    candidate.on_boundary.clear();
    candidate.stationary.clear();
    std::optional<Rates> rates;
    if (is_suspicious(candidate)) rates = rates_of(candidate);
    for (const Index i : ends_of_freedom(candidate)) candidate.on_boundary.push_back(i);
    for (Index i = 0; i < surfaces_; ++i) {
      if (candidate.is_on_boundary(i)) continue;
      if (candidate.slides_on(i)) {
        const double beyond = std::abs(candidate.lambda[i]) - 1;
        if (std::abs(beyond) <= lambda_tie(candidate, i, rates)) {
          candidate.on_boundary.push_back(i);
        } else if (beyond > 0) {
          return false;
        }
      } else if (std::abs(candidate.w[i]) <= w_tie(candidate, i, rates)) {
        candidate.stationary.push_back(i);
      } else if (candidate.lambda[i] * candidate.w[i] < 0) {
        return false;
      }
    }
    if (candidate.on_boundary.empty() && candidate.stationary.empty() && !candidate.dependent()) return true;
    rates = rates_of(candidate);
    // Some surface is left at once, whatever its relay does, where there are no rates.
    return rates && stays(candidate, *rates);
  }

  // ends_of_freedom() lists two relays that can move only together and whose bounds leave them no room. Both are
  // on their bounds, wherever between them the root was found.
  std::vector<Index> ends_of_freedom(const Candidate& candidate) const {
    if (candidate.unseen.cols() != 1) return {};
    const Vector way = candidate.unseen.col(0) / candidate.unseen.col(0).lpNorm<Eigen::Infinity>();
    double most[] = {INFINITY, INFINITY};  // back and forth
    Index first[] = {-1, -1};
    double tie = options_.lambda_zero;
    for (std::size_t k = 0; k < candidate.sliding.size(); ++k) {
      const double slope = way[static_cast<Index>(k)];
      if (!(std::abs(slope) > kSuspicious)) continue;
      const Index i = candidate.sliding[k];
      tie = std::max(tie, tie_[i]);
      for (const int forth : {0, 1}) {
        const bool grows = (slope > 0) == (forth == 1);
        const double room = (1 + (grows ? -1 : 1) * candidate.lambda[i]) / std::abs(slope);
        if (room < most[forth]) {
          most[forth] = room;
          first[forth] = i;
        }
      }
    }
    if (first[0] < 0 || first[0] == first[1] || !(std::abs(most[0] + most[1]) <= tie)) return {};
    return {first[0], first[1]};
  }

  bool is_suspicious(const Candidate& candidate) const {
    for (Index i = 0; i < surfaces_; ++i) {
      if (!(hardly_left_[i] > 0)) continue;
      if (candidate.slides_on(i) ? std::abs(std::abs(candidate.lambda[i]) - 1) <= kSuspicious
                                 : std::abs(candidate.w[i]) <= kSuspicious * sizes_[i]) {
        return true;
      }
    }
    return false;
  }

  // A relay is on its bound too where the surface would hardly be left before the motion comes back to it.
  double lambda_tie(const Candidate& candidate, Index i, const std::optional<Rates>& rates) const {
    const double tie = std::max(options_.lambda_zero, tie_[i]);
    const double gain = std::abs(candidate.jacobian(i, i));
    if (!rates || !(gain > 0)) return tie;
    return std::max(
        tie, std::min(kSuspicious, std::sqrt(2 * std::abs(rates->lambda[i]) * hardly_left_[i] / gain)));
  }

  // A component also counts as zero when a sliding end within the tie would make it so, or when the motion would
  // come back before it has left the surface.
  double w_tie(const Candidate& candidate, Index i, const std::optional<Rates>& rates) const {
    const double tie = std::max(w_zero_[i], tie_[i] * std::abs(candidate.jacobian(i, i)));
    if (!rates) return tie;
    return std::max(
        tie, std::min(kSuspicious * sizes_[i], std::sqrt(2 * std::abs(rates->w[i]) * hardly_left_[i])));
  }

  // λ follows w_Z = 0: λ̇_Z = −D⁻¹ ḧ_Z, and the other components change by ḧ + Dλ̇.
  std::optional<Rates> rates_of(const Candidate& candidate) const {
    const std::vector<Index>& sliding = candidate.sliding;
    const Vector second = curvature_(candidate.lambda).cwiseQuotient(units_);
    Rates rates{Vector::Zero(surfaces_), {}, 0, {}};
    if (!sliding.empty()) {
      std::vector<char> on_bound;
      for (const Index i : sliding) {
        on_bound.push_back(candidate.is_on_boundary(i));
      }
      const std::optional<Vector> solved =
          relay_rates(candidate.jacobian(sliding, sliding), second(sliding), candidate.lambda(sliding),
                      on_bound, candidate.dependent(), options_);
      if (!solved) return std::nullopt;
      rates.lambda(sliding) = *solved;
    }
    rates.w = second + candidate.jacobian * rates.lambda;
    const double fastest = rates.lambda.lpNorm<Eigen::Infinity>();
    rates.w_zero = options_.rate_accuracy * (Vector::Constant(surfaces_, second.lpNorm<Eigen::Infinity>()) +
                                             fastest * candidate.jacobian.cwiseAbs().rowwise().maxCoeff());
    double gain = 0;
    for (const Index i : sliding) gain = std::max(gain, candidate.jacobian.row(i).cwiseAbs().maxCoeff());
    rates.lambda_zero =
        options_.rate_accuracy * (fastest + (gain > 0 ? second.lpNorm<Eigen::Infinity>() / gain : 0.0));
    return rates;
  }

  bool stays(const Candidate& candidate, const Rates& rates) const {
    for (const Index i : candidate.on_boundary) {
      // A relay at rest on the boundary is inside; one that moves out is not.
      if (rates.lambda[i] * candidate.lambda[i] > rates.lambda_zero) return false;
    }
    for (const Index i : candidate.stationary) {
      // A component that stays zero does not leave the surface.
      if (!(candidate.lambda[i] * rates.w[i] > rates.w_zero[i])) return false;
    }
    return true;
  }

  void accept(const Candidate& candidate) {
    const std::vector<Index>& sliding = candidate.sliding;
    Continuation continuation{candidate.sides, candidate.lambda, Stability::open, false, {}};
    if (candidate.dependent()) {
      continuation.unseen = Matrix::Zero(surfaces_, candidate.unseen.cols());
      continuation.unseen(sliding, Eigen::all) = candidate.unseen;
    }
    if (!sliding.empty()) {
      // A relay at rest on its bound is held there; only the others have to attract.
      std::vector<Index> inside;
      for (const Index i : sliding) {
        if (!candidate.is_on_boundary(i)) inside.push_back(i);
      }
      continuation.p_matrix = is_p_matrix(-candidate.jacobian(inside, inside));
      const Matrix effects = (units_.asDiagonal() * candidate.jacobian)(sliding, sliding);
      const Eigen::VectorXcd values = effects.eigenvalues();
      const bool all_negative = (values.real().array() < 0).all();
      const bool all_positive = (values.real().array() > 0).all();
      continuation.stability = all_negative   ? Stability::attracting
                               : all_positive ? Stability::repelling
                                              : Stability::saddle;
    }
    answer_.continuations.push_back(std::move(continuation));
  }

  VertexTable table_;  // in units of its rows, like all that is compared with it
  const CornerOptions& options_;
  const CurvatureFunction& curvature_;
  Index surfaces_;
  Vector units_, w_zero_, sizes_, tie_, near_, hardly_left_;
  CornerAnswer answer_;
};

}  // namespace

CornerAnswer consistent_modes(const VertexTable& table, const CornerOptions& options,
                              const CurvatureFunction& curvature) {
  return CandidateSearch(table, options, curvature).all();
}

std::vector<std::vector<Side>> regions_of_leaving(const VertexTable& table, const CornerOptions& options) {
  const Index a = table.surfaces();
  const Vector sizes = table.w.cwiseAbs().rowwise().maxCoeff();
  if (!table.w.allFinite() || !(sizes.minCoeff() > 0)) return {};
  const auto unscaled = [](const Vector& lambda) { return Vector(Vector::Zero(lambda.size())); };
  for (Index start = 0; start < table.w.cols(); ++start) {
    Vector h(a), lambda(a);
    for (Index i = 0; i < a; ++i) {
      lambda[i] = (start >> i) & 1 ? 1 : -1;
      h[i] = lambda[i] * sizes[i] * (1.5 + patternless(i, static_cast<int>(start)));
    }
    std::vector<Index> met;  // h = 0
    std::vector<std::vector<Side>> regions;
    const auto distance = [&] { return h.cwiseQuotient(sizes).lpNorm<Eigen::Infinity>(); };
    const double begin = distance();
    for (int stretch = 0; stretch < kMostStretches; ++stretch) {
      if (!met.empty()) {
        const VertexTable local{table_over(table, met, lambda)};
        CornerOptions of_met;
        of_met.w_zero = options.w_zero(met);
        const CornerAnswer answer = consistent_modes(local, of_met, unscaled);
        if (answer.continuations.empty()) break;
        const Continuation& next = answer.continuations.front();
        for (std::size_t k = 0; k < met.size(); ++k) lambda[met[k]] = next.lambda[static_cast<Index>(k)];
        std::vector<Index> sliding;
        for (std::size_t k = 0; k < met.size(); ++k)
          if (next.sides[k] == Side::sliding) sliding.push_back(met[k]);
        met = std::move(sliding);
      }
      std::vector<Side> region;
      for (Index i = 0; i < a; ++i) {
        const bool slides = std::find(met.begin(), met.end(), i) != met.end();
        region.push_back(slides ? Side::sliding : lambda[i] > 0 ? Side::plus : Side::minus);
      }
      if (std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
      const Vector w = interpolate(table, lambda);
      double duration = INFINITY;
      for (Index i = 0; i < a; ++i)
        if (region[at(i)] != Side::sliding && h[i] * w[i] < 0) duration = std::min(duration, -h[i] / w[i]);
      if (!std::isfinite(duration)) break;
      for (Index i = 0; i < a; ++i) {
        if (region[at(i)] == Side::sliding) continue;
        const bool arrives = h[i] * w[i] < 0 && -h[i] / w[i] <= duration * (1 + kEpsilon);
        h[i] = arrives ? 0 : h[i] + duration * w[i];
        if (arrives) met.push_back(i);
      }
      std::sort(met.begin(), met.end());
      if (distance() <= begin / kFarAway) break;
      if (distance() >= begin * kFarAway) return regions;
    }
  }
  return {};
}

double return_map_factor(const VertexTable& table) {
  // Counter-clockwise: ++ (3), -+ (2), -- (0), +- (1), with λ₁ bit 0 and λ₂ bit 1.
  const Index order[] = {3, 2, 0, 1};
  for (const int turn : {1, -1}) {
    double factor = 1;
    bool turns = true;
    for (int q = 0; q < 4 && turns; ++q) {
      const Index v = order[q];
      const double s1 = v & 1 ? 1 : -1;
      const double s2 = v & 2 ? 1 : -1;
      // Counter-clockwise through ++ the solution enters on h₂ = 0 and leaves on h₁ = 0; every second quadrant swaps.
      const bool enters_on_second = (s1 * s2 > 0) == (turn > 0);
      const double inward = enters_on_second ? s2 * table.w(1, v) : s1 * table.w(0, v);
      const double outward = enters_on_second ? -s1 * table.w(0, v) : -s2 * table.w(1, v);
      turns = inward > 0 && outward > 0;
      if (turns) factor *= inward / outward;
    }
    if (turns) return factor;
  }
  return 0;
}

const char* to_string(Stability stability) {
  switch (stability) {
    case Stability::open: return "open";
    case Stability::attracting: return "attracting";
    case Stability::repelling: return "repelling";
    case Stability::saddle: return "saddle";
  }
  return "unknown";
}

}  // namespace slideway
