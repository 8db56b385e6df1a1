#include "audit/motion_audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
  return found;
}

void MotionAudit::look(const MotionPoint& point, PointErrors& errors) {
  findings_.add_point();
  const double t = point.t;
  const auto n = static_cast<Index>(field_.states());
  if (!field_.derivatives(point.location, t, point.x.data(), nullptr, nullptr, f_)) {
    findings_.add_undecided();
    return;
  }
  // The error of a step is controlled by the largest value in it. Rounding is that of differences of the states, and that of time.
  const double epsilon = std::numeric_limits<double>::epsilon();
  scale_.resize(n);
  for (Index k = 0; k < n; ++k)
    scale_[k] = (errors_.rtol * point.sizes[k] + errors_.atol[k] +
                 kNodeRounding / kDefect * epsilon * point.sizes[k] +
                 std::abs(point.rates[k]) * epsilon * std::abs(t)) /
                point.h;
  field_.left_side(point.rates, scale_, left_, allowed_);
  look_at_followers(t, point.x);
  Residual found = judged(left_ - f_, allowed_);
  if (!(found.ratio < 1)) {
    std::optional<Residual> closely = judged_closely(point, left_, allowed_, errors);
    if (!closely) {
      findings_.add_undecided();
      return;
    }
    found = std::move(*closely);
  }
  if (found.ratio < 1) findings_.add_defect(found.ratio, name_of(found.row), t);
  if (!(found.ratio > 1)) return;
  const Line* const line =
      field_.line_of(point.location, static_cast<std::uint32_t>(found.row), point.x.data());
  const std::string& name = name_of(found.row);
  findings_.fail(
      "defect " + name, name, t,
      fmt::format("{}' is {:.6g} at t = {:.6g}, but the model's derivative of {} is {:.6g} there{}", name,
                  left_[found.row], t, name, left_[found.row] - found.r[found.row],
                  line != nullptr ? " (" + field_.explained(*line, point.x.data()) + ")" : ""));
}

// The errors move f, signs may be open, and contacts closed. Nothing where that decides nothing.
std::optional<MotionAudit::Residual> MotionAudit::judged_closely(const MotionPoint& point, const Vector& left,
                                                                 Vector allowed, PointErrors& errors) {
  const double t = point.t;
  Met met;
  Vector f, f_moved;
  if (!field_.derivatives(point.location, t, point.x.data(), nullptr, &met, f)) return std::nullopt;
  Sides frozen, decided;
  std::map<SiteKey, double> moves;
  for (const auto& [key, site] : met) {
    frozen[key] = site.side;
    if (site.side != 0) decided[key] = site.side;
    moves[key] = 0;
  }
  Vector largest = Vector::Zero(f.size());
  const auto evaluated = [&](const Vector& there, const Sides& sides) {
    Met met_there;
    if (!field_.derivatives(point.location, t, there.data(), &sides, &met_there, f_moved)) return false;
    for (const auto& [key, site] : met_there) {
      const auto here = met.find(key);
      if (here != met.end()) moves[key] = std::max(moves[key], std::abs(site.guard - here->second.guard));
    }
    return true;
  };
  for (const Vector& there : errors.draws()) {
    // A guard may hold a sign that is exactly zero here and not beside; the field may not jump by it.
    const bool is_free = decided.size() == frozen.size() || evaluated(there, decided);
    if (!is_free || !evaluated(there, frozen)) return std::nullopt;
    largest = largest.cwiseMax((f_moved - f).cwiseAbs());
  }
  allowed += largest;
  Residual found = judged(left - f, allowed);
  if (found.ratio <= kNeedsFit) return found;
  const std::vector<NearContact> near = contacts_.near(t, point.x, errors);
  std::vector<SiteKey> open;
  for (const auto& [key, site] : met)
    if (site.is_memory || (moves[key] > 0 && std::abs(site.guard) <= kOpen * moves[key])) open.push_back(key);
  std::sort(open.begin(), open.end());
  if (open.empty() && near.empty()) return found;
  const std::optional<Vector> best = fitted(point, left, allowed, met, open, near);
  if (!best) return std::nullopt;
  Residual better = judged(*best, allowed);
  return better.ratio < found.ratio ? better : found;
}

// The residual of least size that sides of open sites and forces of contacts leave. Nothing where these are too many.
std::optional<Vector> MotionAudit::fitted(const MotionPoint& point, const Vector& left, const Vector& allowed,
                                          const Met& met, const std::vector<SiteKey>& open,
                                          const std::vector<NearContact>& near) {
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
  const std::vector<Vector> forces = contacts_.columns(point.t, point.x, near, false).columns;
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
  const Vector found = bounded_fit(residual, start, bounds);
  Vector r;
  residual(found, r);
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
  WrittenTree& tree = field_.tree();
  if (!tree.has_algebraic()) return;
  const Vector tol = errors_.tolerances(x);
  tree.set_point(t, x.data(), nullptr, nullptr);
  const auto here = tree.followers();
  if (here.empty()) return;
  const auto is_off = [&](const WrittenTree::Follower& one) {
    return !(std::abs(one.solution - x[one.state]) <= kDefect * tol[one.state]);
  };
  if (std::none_of(here.begin(), here.end(), is_off)) return;
  Vector there = errors_.moved(x, tol, 5);
  for (const auto& one : here) there[one.state] = x[one.state];
  tree.set_point(t, there.data(), nullptr, nullptr);
  const auto beside = tree.followers();
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
