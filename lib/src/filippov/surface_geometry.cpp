#include "filippov/surface_geometry.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/constants.hpp"
#include "core/rounding.hpp"
#include "filippov/least_step.hpp"
#include "filippov/noise_probe.hpp"
#include "model/probed_error.hpp"
#include "slideway/core/short_list.hpp"

namespace slideway {

namespace {
constexpr int kNewtonIterations = 12;
// Newton's method only halves the distance where a surface crosses itself, and needs this many steps.
constexpr int kMostApproaches = 200;
// The least part of a Newton step that is tried where the whole step goes too far.
constexpr double kLeastPart = 1e-6;
// The first step comes near the zero of a guard of one unknown, and the second is onto it.
constexpr int kTurnsOfOne = 2;
// The residual that a stalled projection may leave, in units of rounding.
constexpr double kStalledResidual = 64;
// The part across its own surface of a relay's effect that counts as rounding, or as the root of rounding.
constexpr double kNoPart = 1e-6;
// Moving into a region along one gradient may undo another.
constexpr int kMostPasses = 8;
using Row = Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator;

// The unknowns of a projection are the states that have derivatives, which come first. Discrete states are constants of it.
Index unknowns_of(const Evaluator& evaluator) {
  return evaluator.system().states() - evaluator.system().discrete();
}
}  // namespace

SurfaceGeometry::SurfaceGeometry(Evaluator& evaluator, const RelayStructure& structure)
    : evaluator_(evaluator), structure_(structure) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  for (Vector* vector : {&gradient_, &original_, &seed_, &step_}) *vector = Vector::Zero(n);
  for (Vector* vector : {&values_, &time_derivative_, &directional_}) *vector = Vector::Zero(m);
  if (!evaluator.guards_are_affine()) return;
  kept_.reserve(static_cast<std::size_t>(n));
  std::vector<char> taken(static_cast<std::size_t>(n), 0);
  const Index unknowns = unknowns_of(evaluator);
  has_own_states_ = true;
  for (Index i = 0; i < m; ++i) {
    for (Row entry(evaluator.affine_dx(), i); entry; ++entry) {
      if (entry.col() >= unknowns) continue;
      char& mark = taken[static_cast<std::size_t>(entry.col())];
      if (mark != 0) has_own_states_ = false;
      mark = 1;
    }
  }
}

const Vector& SurfaceGeometry::gradient(double t, ConstVectorRef x, Index surface) {
  evaluator_.guard_gradient(t, x, surface, gradient_);
  return gradient_;
}

double SurfaceGeometry::size(double t, ConstVectorRef x, Index surface) {
  if (evaluator_.guards_are_affine()) {
    double sum = std::abs(evaluator_.affine_dt()[surface] * t);
    for (Row entry(evaluator_.affine_dx(), surface); entry; ++entry)
      sum += std::abs(entry.value() * x[entry.col()]);
    return sum;
  }
  gradient(t, x, surface);
  evaluator_.guards_dt(t, x, time_derivative_);
  return gradient_.cwiseAbs().dot(x.cwiseAbs()) + std::abs(time_derivative_[surface] * t);
}

RelayEffect SurfaceGeometry::relay_effect(double t, ConstVectorRef x, Vector& lambda, Index surface,
                                          ConstVectorRef sizes) {
  Vector minus(x.size()), plus(x.size());
  evaluator_.neighbour_fields(t, x, lambda, surface, minus, plus);
  if (!minus.allFinite() || !plus.allFinite()) {
    // Rounding leaves x on one side, where the field of the other need not have a value: as far on that side it has.
    Vector across = x, other_minus(x.size()), other_plus(x.size());
    evaluator_.guards(t, x, values_);
    if (!change_guard(t, surface, -2 * values_[surface], sizes.cwiseInverse(), across))
      return RelayEffect::none;
    evaluator_.neighbour_fields(t, across, lambda, surface, other_minus, other_plus);
    if (!minus.allFinite()) minus = other_minus;
    if (!plus.allFinite()) plus = other_plus;
  }
  const Vector change = plus - minus;
  const auto in_units = [&](const Vector& velocity) { return velocity.cwiseQuotient(sizes).lpNorm<1>(); };
  const double size = in_units(change);
  if (!(size > kNoPart * (in_units(minus) + in_units(plus)))) return RelayEffect::none;
  const Vector& slopes = gradient(t, x, surface);
  const Index unknowns = unknowns_of(evaluator_);
  const bool is_across =
      std::abs(slopes.dot(change)) >
      kNoPart * slopes.head(unknowns).cwiseProduct(sizes.head(unknowns)).lpNorm<1>() * size;
  return is_across ? RelayEffect::across : RelayEffect::along;
}

double SurfaceGeometry::rate_size(double t, ConstVectorRef x, ConstVectorRef velocity, Index surface) {
  if (!evaluator_.guards_are_affine()) return gradient(t, x, surface).cwiseAbs().dot(velocity.cwiseAbs());
  double sum = 0;
  for (Row entry(evaluator_.affine_dx(), surface); entry; ++entry)
    sum += std::abs(entry.value() * velocity[entry.col()]);
  return sum;
}

double SurfaceGeometry::rounding(double t, ConstVectorRef x, Index surface) {
  return rounding_of(size(t, x, surface), running_error(t, x, surface));
}

// The errors of all guards are had at once. They serve again where the states that this surface depends on are the same.
double SurfaceGeometry::running_error(double t, ConstVectorRef x, Index surface) {
  const SystemDefinition& definition = evaluator_.system().definition();
  // The terms of an affine guard that is had from its coefficients are those of its size.
  if (!definition.guards_running_error && evaluator_.guards_are_affine()) return 0;
  if (!is_where_errors_were(t, x, surface)) {
    errors_t_ = t;
    errors_x_ = x;
    errors_.resize(evaluator_.system().surfaces());
    find_running_errors(definition, t, x, errors_);
  }
  const double error = errors_[surface];
  return std::isfinite(error) ? error : 0;
}

bool SurfaceGeometry::is_where_errors_were(double t, ConstVectorRef x, Index surface) const {
  if (!(errors_t_ == t)) return false;
  if (!structure_.known()) return errors_x_ == x;
  const Pattern& pattern = structure_.guards_dx();
  const auto row = static_cast<std::size_t>(surface);
  for (Index e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
    const Index j = pattern.column[static_cast<std::size_t>(e)];
    if (errors_x_[j] != x[j]) return false;
  }
  return true;
}

bool SurfaceGeometry::change_guard(double t, Index surface, double change, ConstVectorRef weights,
                                   VectorRef x) {
  gradient(t, x, surface);
  const Index unknowns = unknowns_of(evaluator_);
  const auto slopes = gradient_.head(unknowns);
  const auto of_unknowns = weights.head(unknowns);
  const double squared = slopes.cwiseQuotient(of_unknowns).squaredNorm();
  if (!(squared > 0) || !std::isfinite(squared)) return false;
  x.head(unknowns) += (change / squared) * slopes.cwiseQuotient(of_unknowns.cwiseAbs2());
  return true;
}

bool SurfaceGeometry::move_inside(double t, ConstVectorRef lambda, double depth, ConstVectorRef weights,
                                  double near, VectorRef x) {
  Vector& h = values_;
  // change_of() returns by how much a guard has to change, and 0 where it is far enough inside. Later passes
  // move a little too far, so that surfaces which undo each other's moves come to an end.
  const auto change_of = [&](Index i, int pass) {
    if (std::abs(lambda[i]) != 1 || !(lambda[i] * h[i] <= near) || !std::isfinite(h[i])) return 0.0;
    const double wanted = depth * tolerance(t, x, i, weights);
    const double missing = wanted - lambda[i] * h[i];
    if (!(missing > (pass == 0 ? 0 : 0.5 * wanted))) return 0.0;
    return lambda[i] * (pass == 0 ? missing : 1.5 * missing);
  };
  original_ = x;
  ShortList<Index> moved_off;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    evaluator_.guards(t, x, h);
    bool arrived = true;
    for (Index i = 0; i < h.size(); ++i) {
      const double change = change_of(i, pass);
      if (change == 0 || !change_guard(t, i, change, weights, x)) continue;
      arrived = false;
      if (std::find(moved_off.begin(), moved_off.end(), i) == moved_off.end()) moved_off.push_back(i);
    }
    if (arrived) return true;
  }
  // Projections onto surfaces that all but face each other converge slowly one by one; here all are solved at once.
  const Vector one_by_one = x;
  const std::vector<Index> surfaces = moved_off;
  x = original_;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    evaluator_.guards(t, x, h);
    Vector changes(static_cast<Index>(surfaces.size()));
    for (std::size_t k = 0; k < surfaces.size(); ++k)
      changes[static_cast<Index>(k)] = change_of(surfaces[k], pass);
    if (changes.isZero(0)) return true;
    gather_gradients(t, x, surfaces);
    residuals_ = -changes;
    if (!find_step(weights, surfaces)) break;
    x += step_;
  }
  x = one_by_one;
  return false;
}

double SurfaceGeometry::projected(double t, ConstVectorRef x, Index surface, ConstVectorRef weights) {
  return kStalledResidual * kEpsilon * (size(t, x, surface) + tolerance(t, x, surface, weights));
}

double SurfaceGeometry::tolerance(double t, ConstVectorRef x, Index surface, ConstVectorRef weights) {
  const Index unknowns = unknowns_of(evaluator_);
  if (evaluator_.guards_are_affine()) {
    double sum = 0;
    for (Row entry(evaluator_.affine_dx(), surface); entry; ++entry) {
      if (entry.col() < unknowns) sum += std::abs(entry.value()) / weights[entry.col()];
    }
    return sum;
  }
  gradient(t, x, surface);
  return gradient_.head(unknowns).cwiseAbs().cwiseQuotient(weights.head(unknowns)).sum();
}

void SurfaceGeometry::gather_gradients(double t, ConstVectorRef x, const std::vector<Index>& surfaces) {
  row_start_.assign(1, 0);
  row_column_.clear();
  row_value_.clear();
  if (evaluator_.guards_are_affine()) {
    const auto& slopes = evaluator_.affine_dx();
    for (const Index i : surfaces) {
      const int* const start = slopes.outerIndexPtr() + i;
      row_column_.insert(row_column_.end(), slopes.innerIndexPtr() + start[0],
                         slopes.innerIndexPtr() + start[1]);
      row_value_.insert(row_value_.end(), slopes.valuePtr() + start[0], slopes.valuePtr() + start[1]);
      row_start_.push_back(static_cast<Index>(row_column_.size()));
    }
    return;
  }
  if (!structure_.known() || surfaces.size() == 1) {
    for (const Index i : surfaces) {
      evaluator_.guard_gradient(t, x, i, gradient_);
      for (Index j = 0; j < gradient_.size(); ++j) {
        if (gradient_[j] == 0) continue;
        row_column_.push_back(j);
        row_value_.push_back(gradient_[j]);
      }
      row_start_.push_back(static_cast<Index>(row_column_.size()));
    }
    return;
  }
  const Pattern& pattern = structure_.guards_dx();
  const Colouring& colouring = structure_.state_colouring();
  for (const Index i : surfaces) {
    const auto row = static_cast<std::size_t>(i);
    for (Index e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      row_column_.push_back(pattern.column[static_cast<std::size_t>(e)]);
    }
    row_start_.push_back(static_cast<Index>(row_column_.size()));
  }
  row_value_.assign(row_column_.size(), 0);
  for (Index colour = 0; colour < colouring.colours; ++colour) {
    for (Index j = 0; j < seed_.size(); ++j)
      seed_[j] = colouring.colour[static_cast<std::size_t>(j)] == colour;
    evaluator_.guard_directional(t, x, 0, seed_, directional_);
    for (std::size_t r = 0; r < surfaces.size(); ++r) {
      for (Index e = row_start_[r]; e < row_start_[r + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        if (colouring.colour[static_cast<std::size_t>(row_column_[entry])] == colour) {
          row_value_[entry] = directional_[surfaces[r]];
        }
      }
    }
  }
}

// step_ = −W²Gᵀ(GW²Gᵀ)⁻¹ residuals_. G has the columns of the unknowns alone, whatever else the rows at hand hold.
bool SurfaceGeometry::find_step(ConstVectorRef weights, const std::vector<Index>& surfaces) {
  const std::size_t k = surfaces.size();
  const Index unknowns = unknowns_of(evaluator_);
  // visit(entry, state) is called for the entries of a row that are in G.
  const auto along_row = [&](std::size_t r, const auto& visit) {
    for (Index e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      if (row_column_[entry] < unknowns) visit(entry, row_column_[entry]);
    }
  };
  const auto weighted = [&](std::size_t entry) {
    const double weight = weights[row_column_[entry]];
    return row_value_[entry] / (weight * weight);
  };
  // Surfaces that fix different states do not see each other; seed_ notes which surface owns a state.
  bool disjoint = true;
  if (k > 1) seed_.setConstant(-1);
  for (std::size_t r = 0; r < k && k > 1; ++r) {
    along_row(r, [&](std::size_t, Index state) {
      if (seed_[state] >= 0) disjoint = false;
      seed_[state] = static_cast<double>(r);
    });
  }
  step_.setZero();
  if (disjoint) {
    for (std::size_t r = 0; r < k; ++r) {
      double squared = 0;
      along_row(r, [&](std::size_t entry, Index) { squared += row_value_[entry] * weighted(entry); });
      if (!(squared > 0) || !std::isfinite(squared)) return false;
      along_row(r, [&](std::size_t entry, Index state) {
        // Dividing first keeps a surface that fixes one state exact: the step is then h/∂ⱼh to the last bit.
        step_[state] = -(weighted(entry) / squared) * residuals_[static_cast<Index>(r)];
      });
    }
    return step_.allFinite();
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < k; ++r) {
    along_row(r, [&](std::size_t entry, Index state) {
      entries.emplace_back(static_cast<int>(r), static_cast<int>(state), row_value_[entry] / weights[state]);
    });
  }
  SparseRows slopes(static_cast<Index>(k), seed_.size());
  slopes.setFromTriplets(entries.begin(), entries.end());
  if (!least_step(std::move(slopes), residuals_, step_)) return false;
  step_.array() /= weights.array();
  return true;
}

void SurfaceGeometry::approach(double t, Index surface, ConstVectorRef weights, VectorRef x) {
  Vector step(x.size()), h(values_.size());
  evaluator_.guards(t, x, h);
  for (int iteration = 0; iteration < kMostApproaches && h[surface] != 0; ++iteration) {
    const double distance = std::abs(h[surface]);
    if (!correction(t, {surface}, weights, x, step)) return;
    double part = 1;
    for (; part >= kLeastPart; part /= 2) {
      evaluator_.guards(t, x + part * step, h);
      if (std::abs(h[surface]) < distance) break;
    }
    if (part < kLeastPart) return;
    x += part * step;
  }
}

bool SurfaceGeometry::correction(double t, const std::vector<Index>& surfaces, ConstVectorRef weights,
                                 ConstVectorRef x, VectorRef step) {
  evaluator_.guards_nearly(t, x, values_);
  gather_gradients(t, x, surfaces);
  residuals_.resize(static_cast<Index>(surfaces.size()));
  for (std::size_t r = 0; r < surfaces.size(); ++r) residuals_[static_cast<Index>(r)] = values_[surfaces[r]];
  if (!find_step(weights, surfaces)) return false;
  step = step_;
  return true;
}

// A value larger than the integrator's errors is no noise.
bool SurfaceGeometry::is_noise(double t, const std::vector<Index>& surfaces, ConstVectorRef weights,
                               ConstVectorRef x) {
  gather_gradients(t, x, surfaces);
  residuals_ = values_(surfaces);
  Vector& reach = seed_;
  reach.setZero();
  const Index unknowns = unknowns_of(evaluator_);
  const auto along_row = [&](std::size_t r, const auto& visit) {
    for (Index e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      if (row_column_[entry] < unknowns) visit(row_column_[entry], row_value_[entry]);
    }
  };
  for (std::size_t r = 0; r < surfaces.size(); ++r) {
    const double h = std::abs(residuals_[static_cast<Index>(r)]);
    double slopes = 0;
    double errors = 0;
    along_row(r, [&](Index j, double slope) {
      slopes += std::abs(slope);
      errors += std::abs(slope) / weights[j];
    });
    if (!(h <= errors)) return false;
    along_row(r,
              [&](Index j, double) { reach[j] = std::max(reach[j], noise_probe::reach(h, slopes, x[j])); });
  }
  Vector noise = Vector::Zero(residuals_.size());
  Vector beside = x;
  for (int point = 0; point < noise_probe::points; ++point) {
    for (const Index j : row_column_) {
      if (j < unknowns) beside[j] = x[j] + noise_probe::part(j, point) * reach[j];
    }
    evaluator_.guards(t, beside, values_);
    for (std::size_t r = 0; r < surfaces.size(); ++r) {
      double linear = residuals_[static_cast<Index>(r)];
      along_row(r, [&](Index j, double slope) { linear += slope * (beside[j] - x[j]); });
      const double away = std::abs(values_[surfaces[r]] - linear);
      noise[static_cast<Index>(r)] = std::max(noise[static_cast<Index>(r)], away);
    }
  }
  for (Index r = 0; r < noise.size(); ++r) {
    if (!noise_probe::is_noise(residuals_[r], noise[r])) return false;
  }
  return true;
}

// project_each() replaces project() where no two surfaces see the same state and the gradients are constant. Most
// surfaces are met already.
bool SurfaceGeometry::project_each(double t, const std::vector<Index>& surfaces, ConstVectorRef weights,
                                   VectorRef x) {
  const auto& slopes = evaluator_.affine_dx();
  const Index unknowns = unknowns_of(evaluator_);
  kept_.clear();
  bool counts_time = false;
  double best = std::numeric_limits<double>::infinity();
  // A guard c·xⱼ + d of one unknown has its zero at −d/c: Newton's steps leave rounding of where they began.
  const auto solve_for_one = [&](Index i) {
    double d = evaluator_.affine_origin()[i] + evaluator_.affine_dt()[i] * t, c = 0;
    Index fixed = -1;
    for (Row entry(slopes, i); entry; ++entry) {
      if (entry.col() >= unknowns) {
        d += entry.value() * x[entry.col()];
      } else if (fixed >= 0) {
        return false;
      } else {
        fixed = entry.col();
        c = entry.value();
      }
    }
    if (fixed < 0 || c == 0) return false;
    // The sum makes -0 a 0.
    x[fixed] = -d / c + 0.0;
    return true;
  };
  for (int iteration = 0; iteration < kNewtonIterations; ++iteration) {
    evaluator_.guards(t, x, values_);
    bool finite = true;
    bool fixes_one = false;  // a guard that is not zero to the bit fixes one unknown
    const auto measure = [&] {
      residual_ = 0;
      for (const Index i : surfaces) {
        const double h = values_[i];
        if (h == 0) continue;
        finite = finite && std::isfinite(h);
        double unit = counts_time ? std::abs(evaluator_.affine_dt()[i] * t) : 0.0;
        Index seen = 0;
        for (Row entry(slopes, i); entry; ++entry) {
          const Index j = entry.col();
          if (j < unknowns) ++seen;
          const double error = j < unknowns ? 1 / std::abs(weights[j]) : 0;
          unit += std::abs(entry.value()) * (std::abs(x[j]) + error);
        }
        fixes_one = fixes_one || seen == 1;
        residual_ = std::max(residual_, std::abs(h) / (kEpsilon * unit));
      }
    };
    measure();
    if (!finite) break;
    // The rounding of time counts where a guard comes no nearer to zero.
    if (!counts_time && residual_ > kStalledResidual && residual_ >= 0.5 * best) {
      counts_time = true;
      measure();
    }
    if (residual_ == 0) return true;
    const bool stalled = residual_ >= 0.5 * best;
    const bool goes_on = fixes_one && !stalled && iteration < kTurnsOfOne;
    if (iteration > 0 && !goes_on && (residual_ <= 1 || (stalled && residual_ <= kStalledResidual)))
      return true;
    if (stalled) {
      if (is_noise(t, surfaces, weights, x)) return true;
      break;
    }
    best = residual_;
    for (const Index i : surfaces) {
      const double h = values_[i];
      if (h == 0) continue;
      if (iteration > 0 && solve_for_one(i)) continue;
      double squared = 0;
      for (Row entry(slopes, i); entry; ++entry) {
        if (entry.col() < unknowns)
          squared += entry.value() * (entry.value() / (weights[entry.col()] * weights[entry.col()]));
      }
      if (!(squared > 0) || !std::isfinite(squared)) {
        finite = false;
        break;
      }
      for (Row entry(slopes, i); entry; ++entry) {
        const Index j = entry.col();
        if (j >= unknowns) continue;
        // A state that the first iteration does not move is moved by no later one.
        if (iteration == 0) kept_.push_back({j, x[j]});
        x[j] += -(entry.value() / (weights[j] * weights[j]) / squared) * h;
      }
    }
    if (!finite) break;
  }
  for (const Kept& kept : kept_) x[kept.state] = kept.value;
  residual_ = std::numeric_limits<double>::infinity();
  return false;
}

bool SurfaceGeometry::may_move(double t, const std::vector<Index>& surfaces, ConstVectorRef x) {
  if (!has_own_states_) return true;
  evaluator_.guards(t, x, values_);
  return !std::all_of(surfaces.begin(), surfaces.end(), [&](Index i) { return values_[i] == 0; });
}

// Steps onto several surfaces leave of a state that one of them fixes what rounding makes of the others.
void SurfaceGeometry::set_what_is_fixed_alone(double t, const std::vector<Index>& surfaces, VectorRef x) {
  if (residuals_.isZero(0)) return;
  std::vector<char> used(surfaces.size(), 0);
  const Index unknowns = unknowns_of(evaluator_);
  // Each pass fixes one surface of those that set the same state.
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (pass > 0) evaluator_.guards(t, x, values_);
    seed_.setZero();
    bool moved = false;
    for (std::size_t r = 0; r < surfaces.size(); ++r) {
      const double h = values_[surfaces[r]];
      if (h == 0 || used[r] != 0) continue;
      std::size_t entry = 0;
      int of_row = 0;
      for (auto e = static_cast<std::size_t>(row_start_[r]); e < static_cast<std::size_t>(row_start_[r + 1]);
           ++e) {
        if (row_column_[e] >= unknowns) continue;
        entry = e;
        ++of_row;
      }
      if (of_row != 1) continue;
      const Index j = row_column_[entry];
      if (seed_[j] != 0) continue;
      seed_[j] = 1;
      used[r] = 1;
      moved = true;
      x[j] -= h / row_value_[entry];
    }
    if (!moved) return;
  }
}

bool SurfaceGeometry::project(double t, const std::vector<Index>& surfaces, ConstVectorRef weights,
                              VectorRef x) {
  if (has_own_states_) return project_each(t, surfaces, weights, x);
  // Each |h| when it last seemed to get no smaller in these units; empty while none did.
  std::vector<double> earlier;
  bool knows_time = false;
  const Index unknowns = unknowns_of(evaluator_);
  const auto unit_of = [&](std::size_t r) {
    // A state that is zero on the surface has no rounding of its own; that of its error scale stands in.
    double unit = 0;
    if (knows_time) unit = std::abs(time_derivative_[surfaces[r]] * t);
    for (Index e = row_start_[r]; e < row_start_[r + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const Index j = row_column_[entry];
      const double error = j < unknowns ? 1 / std::abs(weights[j]) : 0;
      unit += std::abs(row_value_[entry]) * (std::abs(x[j]) + error);
    }
    return kEpsilon * unit;
  };
  // The gradient and the units vanish where a surface crosses itself. Newton's steps then shrink by a constant
  // factor, and |h| of p sheets falls by (1 − 1/p)^p.
  const auto still_falls = [&] {
    const bool first = earlier.empty();
    earlier.resize(surfaces.size());
    bool falls = true;
    for (std::size_t r = 0; r < surfaces.size(); ++r) {
      const double h = std::abs(residuals_[static_cast<Index>(r)]);
      if (!first && h > kStalledResidual * unit_of(r)) falls = falls && h < 0.5 * earlier[r];
      earlier[r] = h;
    }
    return falls;
  };
  bool moved = false;
  double best = std::numeric_limits<double>::infinity();
  residuals_.resize(static_cast<Index>(surfaces.size()));
  for (int iteration = 0; iteration < kMostApproaches; ++iteration) {
    evaluator_.guards(t, x, values_);
    bool all_zero = true;
    bool finite = true;
    for (std::size_t r = 0; r < surfaces.size(); ++r) {
      const double h = values_[surfaces[r]];
      residuals_[static_cast<Index>(r)] = h;
      all_zero = all_zero && h == 0;
      finite = finite && std::isfinite(h);
    }
    residual_ = 0;
    if (all_zero) return true;
    if (!finite) break;
    if (iteration == 0) gather_gradients(t, x, surfaces);
    const auto measure = [&] {
      residual_ = 0;
      for (std::size_t r = 0; r < surfaces.size(); ++r) {
        residual_ = std::max(residual_, std::abs(residuals_[static_cast<Index>(r)]) / unit_of(r));
      }
    };
    measure();
    // The dependence on time is asked only for a guard that comes no nearer to zero.
    if (!knows_time && residual_ > kStalledResidual && residual_ >= 0.5 * best) {
      evaluator_.guards_dt(t, x, time_derivative_);
      knows_time = true;
      measure();
    }
    const bool stalled = residual_ >= 0.5 * best;
    if (iteration > 0 && (residual_ <= 1 || (stalled && residual_ <= kStalledResidual))) {
      set_what_is_fixed_alone(t, surfaces, x);
      return true;
    }
    if (stalled && !still_falls()) {
      if (is_noise(t, surfaces, weights, x)) return true;
      break;
    }
    // Close to the surface the gradients of the last step serve.
    if (iteration > 0 && residual_ > 1e-3 * best) gather_gradients(t, x, surfaces);
    best = residual_;
    if (!find_step(weights, surfaces)) break;
    if (!moved) original_ = x;
    moved = true;
    x += step_;
  }
  if (moved) x = original_;
  residual_ = std::numeric_limits<double>::infinity();
  return false;
}

}  // namespace slideway
