#include "audit/motion_audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "audit/bounded_fit.hpp"

namespace slideway::auditing {
namespace {

// C of the defect, see audit.hpp. A step's error is a tolerance, and the derivative of its interpolant, of an order lower by one or two, is
// off by many of them over h. C is above what half of the gallery shows at rtol 1e-4 and 1e-9 by dopri5, bdf and rodas; no bound derives it.
constexpr double kDefect = 1000;
// A sign is open where its guard is at most this many times what draws of the errors do to it: projections keep a guard that slides
// within one of them, and a step may end that far behind a surface that it crosses.
constexpr double kOpen = 20;
// Rounding of a derivative that is taken from eight nodes, in units of ε·|x|/h: the sum of the weights that multiply their errors.
constexpr double kNodeRounding = 2000;
// The fit tries each side of each open sign: 2⁵ fields are about as much work as 2·16 draws of a range, which more of them get.
constexpr std::size_t kMostOpen = 5;
constexpr std::uint64_t kRangeDraws = 34;
// The fit has as many unknowns as there are columns of forces, and becomes slow beyond.
constexpr std::size_t kMostForces = 24;
// A defect below this part of what is allowed needs no fit: signs and forces only make it smaller.
constexpr double kNeedsFit = 0.1;

}  // namespace

MotionAudit::Residual MotionAudit::judged(Vector r, const Vector& allowed) const {
  Residual found;
  for (Index k = 0; k < r.size(); ++k) {
    if (!has_motion(k)) continue;
    const double one = std::abs(r[k]) / (kDefect * allowed[k]);
    if (one <= found.ratio) continue;
    found.ratio = std::isnan(one) ? std::numeric_limits<double>::infinity() : one;
    found.row = k;
  }
  found.r = std::move(r);
  found.allowed = allowed;
  return found;
}

void MotionAudit::look(const MotionStep& step, int node, PointErrors& errors) {
  findings_.add_point();
  std::optional<Residual> found = defect(step, node, errors);
  if (!found) {
    findings_.add_undecided();
    return;
  }
  const double t = step.times[node];
  look_at_followers(t, x_);
  std::string text;
  if (found->ratio > 1) {
    const std::string& name = name_of(found->row);
    text = fmt::format("{}' is {:.6g} at t = {:.6g}, but the model's derivative of {} is {:.6g} there{}",
                       name, left_[found->row], t, name, left_[found->row] - found->r[found->row],
                       field_.told(step.location, static_cast<std::uint32_t>(found->row), x_.data()));
    found = integrated(step, *found);
  }
  if (!found) {
    findings_.add_undecided();
  } else if (found->ratio > 1) {
    const std::string& name = name_of(found->row);
    findings_.fail("defect " + name, name, t, text);
  } else {
    findings_.add_defect(found->ratio, name_of(found->row), t);
  }
}

// The error of a step is controlled by the largest value in it. Rounding is that of differences of the states, and that of time.
void MotionAudit::scale_to(const MotionStep& step, int node) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  const auto n = static_cast<Index>(field_.states());
  x_ = step.states.col(node);
  rates_ = step.rates.col(node);
  scale_.resize(n);
  for (Index k = 0; k < n; ++k)
    scale_[k] =
        (errors_.rtol * step.sizes[k] + errors_.atol[k] + kNodeRounding / kDefect * epsilon * step.sizes[k] +
         std::abs(rates_[k]) * epsilon * std::abs(step.times[node])) /
        step.h;
}

// Nothing where that decides nothing.
std::optional<MotionAudit::Residual> MotionAudit::defect(const MotionStep& step, int node,
                                                         PointErrors& errors) {
  scale_to(step, node);
  const double t = step.times[node];
  if (!field_.derivatives(step.location, t, x_.data(), nullptr, nullptr, f_)) return std::nullopt;
  field_.left_side(rates_, scale_, left_, allowed_);
  Residual found = judged(left_ - f_, allowed_);
  if (found.ratio < 1) return found;
  return judged_closely({step.location, t, x_}, left_, allowed_, errors);
}

// The tolerances control states, and what a defect does to these is its integral: the derivative of an interpolant, whose order is lower,
// may be farther off than that. The integral from the begin of the step to each node is compared, of rows that are too far off at one.
std::optional<MotionAudit::Residual> MotionAudit::integrated(const MotionStep& step,
                                                             const Residual& at_node) {
  const Index n = at_node.r.size();
  Matrix defects(n, kNodes);
  Vector allowed = Vector::Zero(n);
  for (int k = 0; k < kNodes; ++k) {
    const Vector x = step.states.col(k);
    PointErrors errors(errors_, x, 2 * static_cast<std::uint64_t>(k));
    const std::optional<Residual> there = defect(step, k, errors);
    if (!there) return std::nullopt;
    defects.col(k) = there->r;
    allowed = allowed.cwiseMax(there->allowed);
  }
  const double half = 0.5 * (step.times[kNodes - 1] - step.times[0]) / nodes_.places[kNodes - 1];
  Residual found;
  Vector integral = Vector::Zero(n);
  for (const auto& weights : nodes_.integrals) {
    integral += half * defects * Eigen::Map<const Eigen::Matrix<double, kNodes, 1>>(weights);
    for (Index k = 0; k < n; ++k) {
      if (!has_motion(k) || !(std::abs(at_node.r[k]) > kDefect * at_node.allowed[k])) continue;
      const double one = std::abs(integral[k]) / (kDefect * allowed[k] * step.h);
      if (one <= found.ratio) continue;
      found.ratio = std::isnan(one) ? std::numeric_limits<double>::infinity() : one;
      found.row = k;
    }
  }
  return found;
}

// The errors move f, signs may be open, and contacts closed.
std::optional<MotionAudit::Residual> MotionAudit::judged_closely(const MotionPoint& point, const Vector& left,
                                                                 const Vector& allowed, PointErrors& errors) {
  Met met;
  Vector f, f_moved;
  if (!field_.derivatives(point.location, point.t, point.x.data(), nullptr, &met, f)) return std::nullopt;
  Sides frozen, decided;
  for (const auto& [key, site] : met) {
    frozen[key] = site.side;
    if (site.side != 0) decided[key] = site.side;
  }
  // take() sees what a state beside the point does, and hands it to `add`. False where f has no number there.
  const auto take = [&](const Draw& there, const auto& add, Reach& reach) {
    const RoundingByChance rounding(field_, there.rounding);
    const auto evaluated = [&](const Sides& sides) {
      Met met_there;
      if (!field_.derivatives(point.location, point.t, there.x.data(), &sides, &met_there, f_moved))
        return false;
      for (const auto& [key, site] : met_there) {
        const auto here = met.find(key);
        if (here != met.end()) add(reach.of_guards[key], std::abs(site.guard - here->second.guard));
      }
      return true;
    };
    // A guard may hold a sign that is exactly zero here and not beside; the field may not jump by it.
    const bool is_free = decided.size() == frozen.size() || evaluated(decided);
    if (!is_free || !evaluated(frozen)) return false;
    for (Index k = 0; k < f.size(); ++k) add(reach.of_f[k], std::abs(f_moved[k] - f[k]));
    return true;
  };
  Reach drawn{Vector::Zero(f.size()), {}};
  const auto keep_largest = [](double& all, double one) { all = std::max(all, one); };
  for (const Draw& there : errors.draws())
    if (!take(there, keep_largest, drawn)) return std::nullopt;
  std::optional<Residual> found = judged_within(point, left, allowed, met, f, drawn, errors);
  if (!found || found->ratio <= 1) return found;
  Reach summed{Vector::Zero(f.size()), {}};
  bool is_known = true;
  errors.for_each_error([&](const Draw& there) {
    is_known = is_known && take(
                               there, [](double& all, double one) { all += one; }, summed);
  });
  if (!is_known) return std::nullopt;
  return judged_within(point, left, allowed, met, f, summed, errors);
}

std::optional<MotionAudit::Residual> MotionAudit::judged_within(const MotionPoint& point, const Vector& left,
                                                                Vector allowed, const Met& met,
                                                                const Vector& f, const Reach& reach,
                                                                PointErrors& errors) {
  allowed += reach.of_f;
  Residual found = judged(left - f, allowed);
  if (found.ratio <= kNeedsFit) return found;
  const std::vector<NearContact> near =
      contacts_ ? contacts_->near(point.t, point.x, errors) : std::vector<NearContact>();
  std::vector<SiteKey> open;
  for (const auto& [key, site] : met) {
    const auto moves = reach.of_guards.find(key);
    const double move = moves == reach.of_guards.end() ? 0 : moves->second;
    if (site.is_memory || (move > 0 && std::abs(site.guard) <= kOpen * move)) open.push_back(key);
  }
  std::sort(open.begin(), open.end());
  if (open.empty() && near.empty()) return found;
  Met all = met;
  if (!add_behind(point, all, open, errors)) return std::nullopt;
  const std::optional<Vector> best = fitted(point, left, allowed, all, open, near);
  if (!best) return std::nullopt;
  Residual better = judged(*best, allowed);
  return better.ratio < found.ratio ? better : found;
}

// A guard may move on another side of an open site alone, as c - 1 of c = if(u > 1, 1, u) does below u = 1. False where f has no number on
// some side.
bool MotionAudit::add_behind(const MotionPoint& point, Met& met, std::vector<SiteKey>& open,
                             PointErrors& errors) {
  for (std::size_t known = 0; known < open.size() && open.size() <= kMostOpen; ++known) {
    const SiteKey key = open[known];
    for (const double side : {-1.0, 1.0}) {
      const Sides sides{{key, side}};
      Met here;
      Vector f;
      if (!field_.derivatives(point.location, point.t, point.x.data(), &sides, &here, f)) return false;
      Sides frozen = sides;
      for (const auto& [other, site] : here)
        if (other != key && site.side != 0) frozen[other] = site.side;
      std::map<SiteKey, double> moves;
      for (const Draw& there : errors.draws()) {
        const RoundingByChance rounding(field_, there.rounding);
        Met beside;
        if (!field_.derivatives(point.location, point.t, there.x.data(), &frozen, &beside, f)) return false;
        for (const auto& [other, site] : beside) {
          const auto found = here.find(other);
          if (found == here.end()) continue;
          double& move = moves[other];
          move = std::max(move, std::abs(site.guard - found->second.guard));
        }
      }
      for (const auto& [other, move] : moves) {
        if (!(move > 0 && std::abs(here.at(other).guard) <= kOpen * move)) continue;
        if (std::find(open.begin(), open.end(), other) != open.end()) continue;
        met.emplace(other, here.at(other));
        open.push_back(other);
      }
    }
  }
  return true;
}

// A branch that is not taken by the sides at hand may have memories of its own. False where f has no number on some sides.
bool MotionAudit::add_memories(const MotionPoint& point, Met& met, std::vector<SiteKey>& open) {
  std::size_t known = 0;
  while (known < open.size() && open.size() <= kMostOpen) {
    known = open.size();
    for (std::size_t corner = 0; corner < (std::size_t{1} << known); ++corner) {
      Sides sides;
      for (std::size_t k = 0; k < known; ++k) sides[open[k]] = (corner >> k & 1U) != 0 ? 1 : -1;
      Met met_there;
      Vector f;
      if (!field_.derivatives(point.location, point.t, point.x.data(), &sides, &met_there, f)) return false;
      for (const auto& [key, site] : met_there)
        if (site.is_memory && met.emplace(key, site).second) open.push_back(key);
    }
  }
  return true;
}

// The residual of least size that sides of open sites and forces of contacts leave. Nothing where these are too many.
std::optional<Vector> MotionAudit::fitted(const MotionPoint& point, const Vector& left, const Vector& allowed,
                                          Met met, std::vector<SiteKey> open,
                                          const std::vector<NearContact>& near) {
  if (!add_memories(point, met, open)) return std::nullopt;
  if (rule_ == SlidingRule::equivalent_control && !open.empty()) return std::nullopt;
  if (rule_ == SlidingRule::moments && open.size() > 1) return std::nullopt;
  // Other sites are judged where the open ones leave them.
  if (open.size() > kMostOpen) return near.empty() ? in_range(point, left, open) : std::nullopt;
  std::vector<Vector> corners;
  for (std::size_t corner = 0; corner < (std::size_t{1} << open.size()); ++corner) {
    Sides sides;
    for (std::size_t k = 0; k < open.size(); ++k) sides[open[k]] = (corner >> k & 1U) != 0 ? 1 : -1;
    Vector f;
    if (!field_.derivatives(point.location, point.t, point.x.data(), &sides, nullptr, f)) return std::nullopt;
    corners.push_back(f);
  }
  const std::vector<Vector> forces =
      contacts_ ? contacts_->columns(point.t, point.x, near, false).columns : std::vector<Vector>();
  if (forces.size() > kMostForces) return std::nullopt;
  std::vector<Bounds> bounds;
  Vector start = Vector::Zero(static_cast<Index>(open.size() + forces.size()));
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Site& site = met.at(open[k]);
    bounds.push_back({-site.below, site.above});
    start[static_cast<Index>(k)] = site.side;
  }
  for (std::size_t k = 0; k < forces.size(); ++k) bounds.push_back({0, std::numeric_limits<double>::max()});
  const Vector weights = allowed.cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
  const auto residual = [&](const Vector& z, Vector& r) {
    r = left;
    for (std::size_t corner = 0; corner < corners.size(); ++corner) {
      double weight = 1;
      for (std::size_t k = 0; k < open.size(); ++k) {
        const double side = z[static_cast<Index>(k)];
        weight *= 0.5 * ((corner >> k & 1U) != 0 ? 1 + side : 1 - side);
      }
      if (weight != 0) r -= weight * corners[corner];
    }
    for (std::size_t k = 0; k < forces.size(); ++k) r -= z[static_cast<Index>(open.size() + k)] * forces[k];
    for (Index k = 0; k < r.size(); ++k) r[k] = has_motion(k) ? r[k] * weights[k] : 0;
  };
  // Products of signs may leave no way down from the sides at hand, as z₁·(1 + z₂) from (0, −1): the corners are starts as well, those
  // that fit best first, until a fit is within what is allowed.
  std::vector<std::pair<double, Vector>> starts;
  Vector r;
  for (std::size_t corner = 0; corner < corners.size(); ++corner) {
    Vector there = Vector::Zero(start.size());
    for (std::size_t k = 0; k < open.size(); ++k)
      there[static_cast<Index>(k)] = (corner >> k & 1U) != 0 ? bounds[k].high : bounds[k].low;
    residual(there, r);
    starts.emplace_back(r.squaredNorm(), std::move(there));
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  residual(bounded_fit(residual, start, bounds), r);
  for (const auto& [size, from] : starts) {
    if (r.cwiseAbs().maxCoeff() <= kDefect) break;
    Vector fitted_from;
    residual(bounded_fit(residual, from, bounds), fitted_from);
    if (fitted_from.squaredNorm() < r.squaredNorm()) r = fitted_from;
  }
  return Vector(r.cwiseQuotient(weights));
}

// Each row depends on few of many open sites. A value within the range of the values on the sides of these sites is right.
std::optional<Vector> MotionAudit::in_range(const MotionPoint& point, const Vector& left,
                                            const std::vector<SiteKey>& open) {
  Vector low, high, f;
  for (std::uint64_t draw = 0; draw < kRangeDraws; ++draw) {
    Sides sides;
    for (std::size_t k = 0; k < open.size(); ++k)
      sides[open[k]] = draw == 0 ? 1 : draw == 1 ? -1 : (hash_of(draw * 7919 + k) & 1U) != 0 ? 1 : -1;
    if (!field_.derivatives(point.location, point.t, point.x.data(), &sides, nullptr, f)) return std::nullopt;
    low = draw == 0 ? f : Vector(low.cwiseMin(f));
    high = draw == 0 ? f : Vector(high.cwiseMax(f));
  }
  // The draws may miss the ends of the range.
  const Vector width = high - low;
  low -= 0.5 * width;
  high += 0.5 * width;
  return Vector(left - left.cwiseMax(low).cwiseMin(high));
}

void MotionAudit::look_at_followers(double t, const Vector& x) {
  const std::vector<Follower> here = field_.followers(t, x.data());
  if (here.empty()) return;
  const Vector tol = errors_.tolerances(x);
  const auto is_off = [&](const Follower& one) {
    return !(std::abs(one.solution - x[one.state]) <= kDefect * tol[one.state]);
  };
  if (std::none_of(here.begin(), here.end(), is_off)) return;
  Vector there = errors_.moved(x, tol, 5);
  for (const auto& one : here) there[one.state] = x[one.state];
  const std::vector<Follower> beside = field_.followers(t, there.data());
  for (std::size_t k = 0; k < here.size(); ++k) {
    const double off = std::abs(here[k].solution - x[here[k].state]);
    const double reach = tol[here[k].state] + std::abs(beside[k].solution - here[k].solution);
    if (!(off > kDefect * reach)) continue;
    const std::string& name = name_of(here[k].state);
    const std::string variable = name.substr(0, name.rfind(".start"));
    findings_.fail("follower " + name, variable, t,
                   fmt::format("the algebraic variable {} is {:.6g} at t = {:.6g}, but its equation has the "
                               "solution {:.6g} there",
                               variable, x[here[k].state], t, here[k].solution));
  }
}

}  // namespace slideway::auditing
